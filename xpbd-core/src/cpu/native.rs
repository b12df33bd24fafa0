//! Programs as machine code of the processor.
//!
//! A program is compiled when it first runs, which takes a fraction of a millisecond. The machine code does the operations of the
//! interpreter in the same order, so the bits are the same. Where the processor has no AVX, or the system lets no program
//! make machine code, the interpreter runs.

#[cfg(target_arch = "x86_64")]
mod assembler;
#[cfg(target_arch = "x86_64")]
mod compiler;
#[cfg(target_arch = "x86_64")]
mod machine_code;
#[cfg(not(target_arch = "x86_64"))]
mod other;
#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(not(target_arch = "x86_64"))]
pub use other::NativeProgram;
#[cfg(target_arch = "x86_64")]
pub use x86::NativeProgram;

use crate::program::Program;
use crate::program::interpret::WIDE_LANES;

/// Lanes of a full block of a program with many registers, so that they stay in the nearest cache.
pub const SHORT_LANES: usize = 32;
/// Largest number of registers of which [`WIDE_LANES`] lanes stay in the nearest cache.
const MAX_WIDE_REGISTERS: usize = 48;

/// Returns the number of lanes of the full blocks in which a program runs fastest.
pub fn best_lanes(program: &Program) -> usize {
    if program.registers <= MAX_WIDE_REGISTERS { WIDE_LANES } else { SHORT_LANES }
}
