//! Constraints as data: recording, differentiating, lowering and interpreting.
//!
//! [`Graph`] records what a generic function does to [`Sym`] values; [`gradient()`] pushes
//! derivatives onto the same graph; [`Program::lower`] turns what is still needed into a list of
//! instructions over few registers; [`interpret`] runs that list over a block of constraints, and
//! [`wgsl`] prints it for a GPU.

pub mod allocate;
pub mod gradient;
pub mod graph;
pub mod interpret;
pub mod sym;
pub mod wgsl;

pub use gradient::gradient;
pub use graph::Graph;
pub use sym::Sym;

/// The operation of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the doc of each line is its formula, in `Instruction`")]
pub enum Opcode {
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
    Neg,
    Sqrt,
    Abs,
    /// The nearest integer, of two equally near the even one.
    Round,
    /// −(a · b).
    NegMul,
    /// a · b + c, rounded twice.
    MulAdd,
    /// a · b − c, rounded twice.
    MulSub,
    /// c − a · b, rounded twice.
    NegMulAdd,
    /// a · b + c · d, rounded three times.
    MulAddMul,
    /// a · b − c · d, rounded three times.
    MulSubMul,
    /// c where a < b, otherwise d.
    SelectLt,
}

/// One step of a [`Program`]: `out = code(a, b, c, d)`, of which only the operands that `code`
/// takes are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// The operation.
    pub opcode: Opcode,
    /// The register that receives the result.
    pub out: u16,
    /// Operands of the operation.
    pub operands: [Operand; 4],
}

/// The location of a value: a register, or a column of data per constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operand(u16);

impl Operand {
    const COLUMN: u16 = 0x8000;

    /// Returns the register with this number, below 32768.
    pub fn register(index: u16) -> Self {
        Self(index)
    }

    /// Returns the column with this number, below 32768.
    pub fn column(index: u16) -> Self {
        Self(index | Self::COLUMN)
    }

    /// Returns the register, or the column as an error.
    #[inline(always)]
    pub fn resolve(self) -> Result<usize, usize> {
        if self.0 & Self::COLUMN == 0 { Ok(self.0 as usize) } else { Err((self.0 & !Self::COLUMN) as usize) }
    }
}

/// The origin of the value of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InputSource {
    /// Filled into a register for each block (what is gathered from nodes).
    Gathered(u16),
    /// Read in place from a column (parameters, compliance, multipliers).
    Column(u16),
    /// One number for all constraints of a pass (1/h² and the like).
    Uniform(u16),
}

/// A straight list of instructions over registers: what the back ends execute.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// The steps in order.
    pub instructions: Vec<Instruction>,
    /// Number of registers that they use.
    pub registers: usize,
    /// Registers that hold a constant, never written.
    pub constants: Vec<(u16, f32)>,
    /// Registers that hold a uniform, never written: (register, uniform).
    pub uniforms: Vec<(u16, u16)>,
    /// Registers to fill for each block: (register, gathered input).
    pub gathered: Vec<(u16, u16)>,
    /// Location of each output at the end.
    pub outputs: Vec<Operand>,
}

impl Program {
    /// Returns whether the program reads a gathered input.
    pub fn reads(&self, input: u16) -> bool {
        self.gathered.iter().any(|&(_, gathered)| gathered == input)
    }

    /// Returns the columns that it reads, in ascending order.
    pub fn columns(&self) -> Vec<usize> {
        let operands = self.instructions.iter().flat_map(|step| step.operands).chain(self.outputs.iter().copied());
        let mut columns: Vec<usize> = operands.filter_map(|operand| operand.resolve().err()).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }
}
