//! Programs as machine code of x86-64 processors with AVX.
#![expect(unsafe_code, reason = "bytes become functions")]

mod assembler;
mod compiler;
mod machine_code;
#[cfg(test)]
mod tests;

pub use machine_code::{MachineCode as Code, Run};

use crate::program::Program;
use crate::program::interpret::NARROW_LANES;
use assembler::Vectors;

/// Compiles a program for blocks of `lanes` lanes and of [`NARROW_LANES`], if the processor and the system are able to run
/// machine code.
pub fn compile(program: &Program, lanes: usize) -> Option<(Code, [Run; 2])> {
    let has_zmm = std::arch::is_x86_feature_detected!("avx512f");
    std::arch::is_x86_feature_detected!("avx").then_some(())?;
    with_vectors(program, if has_zmm { Vectors::Zmm } else { Vectors::Ymm }, lanes)
}

/// Compiles a program for these vectors in full blocks.
fn with_vectors(program: &Program, full: Vectors, lanes: usize) -> Option<(Code, [Run; 2])> {
    let mut functions = Vec::new();
    let narrow = compiler::compile(program, Vectors::Ymm, NARROW_LANES, &mut functions);
    let has_full = lanes != NARROW_LANES;
    let full = if has_full { compiler::compile(program, full, lanes, &mut functions) } else { narrow };
    let begin = [full, narrow];
    let code = Code::new(&functions)?;
    // SAFETY: these are the functions that have been compiled, and the code is returned with them.
    let run = begin.map(|begin| unsafe { code.function(begin) });
    Some((code, run))
}
