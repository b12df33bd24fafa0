//! Programs as machine code of x86-64 processors with AVX.
#![expect(unsafe_code, reason = "machine code is called through pointers")]

use super::assembler::Vectors;
use super::compiler::compile;
use super::machine_code::{MachineCode, Run};
use crate::program::Program;
use crate::program::interpret::{Lanes, NARROW_LANES};

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
