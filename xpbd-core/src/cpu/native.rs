//! Programs as machine code of the processor.
//!
//! A program is compiled when it first runs, which takes a fraction of a millisecond. The machine code does the operations of the
//! interpreter in the same order, so the bits are the same. Where the processor has no AVX, or the system lets no program
//! make machine code, the interpreter runs.
#![expect(unsafe_code, reason = "vectors are loaded through pointers, and processors differ in what they can do")]

#[cfg(target_arch = "x86_64")]
mod assembler;
#[cfg(target_arch = "x86_64")]
mod compiler;
#[cfg(target_arch = "x86_64")]
mod machine_code;

use crate::program::Program;
use crate::program::interpret::{Lanes, NARROW_LANES, WIDE_LANES};

/// Lanes of a full block of a program with many registers, so that they stay in the nearest cache.
pub const SHORT_LANES: usize = 32;
/// Largest number of registers of which [`WIDE_LANES`] lanes stay in the nearest cache.
const MAX_WIDE_REGISTERS: usize = 48;

#[cfg(target_arch = "x86_64")]
pub use x86::NativeProgram;

#[cfg(not(target_arch = "x86_64"))]
pub use other::NativeProgram;

/// Returns the number of lanes of the full blocks in which a program runs fastest.
pub fn best_lanes(program: &Program) -> usize {
    if program.registers <= MAX_WIDE_REGISTERS { WIDE_LANES } else { SHORT_LANES }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::assembler::Vectors;
    use super::compiler::compile;
    use super::machine_code::{MachineCode, Run};
    use super::{Lanes, NARROW_LANES, Program};

    /// A program as machine code.
    #[derive(Debug)]
    pub struct NativeProgram {
        /// For blocks of `lanes` lanes and of [`NARROW_LANES`].
        run: [Run; 2],
        lanes: usize,
        /// The functions, which `run` leads to.
        _code: MachineCode,
        registers: usize,
        columns: usize,
    }

    impl NativeProgram {
        /// Compiles a program for blocks of `lanes` lanes, a multiple of 16, and of [`NARROW_LANES`], if the processor
        /// and the system are able to run machine code.
        pub fn new(program: &Program, lanes: usize) -> Option<Self> {
            let has_zmm = std::arch::is_x86_feature_detected!("avx512f");
            std::arch::is_x86_feature_detected!("avx").then_some(())?;
            Self::with_vectors(program, if has_zmm { Vectors::Zmm } else { Vectors::Ymm }, lanes)
        }

        /// Compiles a program for these vectors in full blocks.
        pub(super) fn with_vectors(program: &Program, full: Vectors, lanes: usize) -> Option<Self> {
            let mut functions = Vec::new();
            let begin = [(full, lanes), (Vectors::Ymm, NARROW_LANES)]
                .map(|(vectors, lanes)| compile(program, vectors, lanes, &mut functions));
            let code = MachineCode::new(&functions)?;
            // SAFETY: these are the functions that have been compiled, and `code` stays with them.
            let run = begin.map(|begin| unsafe { code.function(begin) });
            let operands = program.instructions.iter().flat_map(|step| step.operands);
            let columns = operands.filter_map(|operand| operand.resolve().err()).max().map_or(0, |last| last + 1);
            Some(Self { run, lanes, _code: code, registers: program.registers, columns })
        }

        /// Returns the number of lanes of a full block.
        pub fn lanes(&self) -> usize {
            self.lanes
        }

        /// Runs the program over the first `count` lanes of a block, at least 1, as [`interpret::run`] does. The
        /// machine code has the constants in itself.
        ///
        /// [`interpret::run`]: crate::program::interpret::run
        #[inline(always)]
        pub fn run<const L: usize>(&self, registers: &mut [Lanes<L>], columns: &[&Lanes<L>], count: usize) {
            assert!(L == self.lanes || L == NARROW_LANES);
            assert!(registers.len() >= self.registers && columns.len() >= self.columns && (1..=L).contains(&count));
            let run = self.run[usize::from(L == NARROW_LANES)];
            // SAFETY: the function was compiled for this processor and L lanes, which are a multiple of its vectors.
            // The columns are references to numbers, which are the same as pointers to their first one.
            unsafe { run(registers.as_mut_ptr().cast(), columns.as_ptr().cast(), 4 * count) };
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod other {
    use super::{Lanes, Program};

    /// A program as machine code, of which there is none for this processor.
    #[derive(Debug)]
    pub enum NativeProgram {}

    impl NativeProgram {
        /// Returns nothing.
        pub fn new(_: &Program, _: usize) -> Option<Self> {
            None
        }

        /// Is never called.
        pub fn lanes(&self) -> usize {
            match *self {}
        }

        /// Is never called.
        pub fn run<const L: usize>(&self, _: &mut [Lanes<L>], _: &[&Lanes<L>], _: usize) {
            match *self {}
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::assembler::Vectors;
    use super::{NativeProgram, SHORT_LANES};
    use crate::program::interpret::{self, Lanes, NARROW_LANES, WIDE_LANES};
    use crate::program::{Instruction, Opcode, Operand, Program};

    /// Numbers that look random.
    struct Random(u32);

    impl Random {
        fn below(&mut self, count: usize) -> usize {
            self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (self.0 >> 8) as usize % count
        }

        /// Returns a number of any magnitude and sign, often zero.
        fn number(&mut self) -> f32 {
            let magnitude = [0.0, -0.0, 1e-6, 0.5, 1.0, 1.0, 1.0, 100.0, 3e38][self.below(9)];
            magnitude * (self.below(1 << 20) as f32 / 524_288.0 - 1.0)
        }

        fn lanes<const L: usize>(&mut self, count: usize) -> Vec<Lanes<L>> {
            (0..count).map(|_| std::array::from_fn(|_| self.number())).collect()
        }
    }

    const OPCODES: [Opcode; 17] = [
        Opcode::Add,
        Opcode::Sub,
        Opcode::Mul,
        Opcode::Div,
        Opcode::Min,
        Opcode::Max,
        Opcode::Neg,
        Opcode::Sqrt,
        Opcode::Abs,
        Opcode::Round,
        Opcode::NegMul,
        Opcode::MulAdd,
        Opcode::MulSub,
        Opcode::NegMulAdd,
        Opcode::MulAddMul,
        Opcode::MulSubMul,
        Opcode::SelectLt,
    ];

    /// Returns a program of random instructions over `registers` registers, four of each kind of input among them.
    fn program(registers: u16, length: usize, random: &mut Random) -> Program {
        let input = |first: u16| (0..4).map(move |k| (first + k, k));
        let constants = (0..4).map(|register| (register, random.number())).collect();
        let operand = |random: &mut Random| match random.below(5) {
            0 => Operand::column(random.below(6) as u16),
            _ => Operand::register(random.below(usize::from(registers)) as u16),
        };
        let instructions = (0..length).map(|_| Instruction {
            opcode: OPCODES[random.below(OPCODES.len())],
            out: 8 + random.below(usize::from(registers) - 8) as u16,
            operands: std::array::from_fn(|_| operand(random)),
        });
        let instructions = instructions.collect();
        Program {
            instructions,
            registers: registers.into(),
            constants,
            uniforms: input(4).collect(),
            gathered: (8..registers).map(|register| (register, register)).collect(),
            outputs: (0..registers).step_by(3).map(Operand::register).collect(),
        }
    }

    fn native_is_interpreted<const L: usize>(program: &Program, vectors: Vectors, count: usize, random: &mut Random) {
        let native = NativeProgram::with_vectors(program, vectors, SHORT_LANES.max(L))
            .expect("the system lets programs make machine code");
        let mut registers = random.lanes::<L>(program.registers);
        let columns = random.lanes::<L>(6);
        let columns: Vec<&Lanes<L>> = columns.iter().collect();
        let mut interpreted = registers.clone();
        program.constants.iter().for_each(|&(register, value)| interpreted[register as usize] = [value; L]);
        interpret::run::<L, 8>(program, &mut interpreted, &columns, count);
        native.run::<L>(&mut registers, &columns, count);
        // What is no number has no fixed bits.
        let bits = |x: &f32| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() };
        for register in program.outputs.iter().filter_map(|output| output.resolve().ok()) {
            let of = |registers: &[Lanes<L>]| registers[register][..count].iter().map(bits).collect::<Vec<_>>();
            assert_eq!(
                of(&registers),
                of(&interpreted),
                "register {register}, {count} lanes, {vectors:?}, {program:?}"
            );
        }
    }

    #[test]
    fn machine_code_gives_the_bits_of_the_interpreter() {
        if !std::arch::is_x86_feature_detected!("avx") {
            return;
        }
        let zmm = std::arch::is_x86_feature_detected!("avx512f").then_some(Vectors::Zmm);
        let mut random = Random(1);
        for k in 0..300 {
            let registers = [12, 20, 40, 90][k % 4];
            let program = program(registers, 1 + random.below(300), &mut random);
            for vectors in [Vectors::Ymm].into_iter().chain(zmm) {
                for count in [1, 17, SHORT_LANES] {
                    native_is_interpreted::<SHORT_LANES>(&program, vectors, count, &mut random);
                }
                native_is_interpreted::<WIDE_LANES>(&program, vectors, 100, &mut random);
                for count in [1, NARROW_LANES] {
                    native_is_interpreted::<NARROW_LANES>(&program, vectors, count, &mut random);
                }
            }
        }
    }
}
