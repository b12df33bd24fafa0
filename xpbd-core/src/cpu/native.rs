//! Programs as code of the processor, or of the browser.
//!
//! A program is compiled when it first runs, which takes a fraction of a millisecond. The code does the operations of the
//! interpreter in the same order, so the bits are the same. Where the processor has no AVX, or the system lets no program
//! make code, the interpreter runs.
#![expect(unsafe_code, reason = "code is called through pointers")]

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_os = "unknown"))))]
mod other;
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_os = "unknown"))))]
use other as target;
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
use wasm as target;
#[cfg(target_arch = "x86_64")]
use x86 as target;

use crate::program::Program;
use crate::program::interpret::{Lanes, NARROW_LANES, WIDE_LANES};
use target::{Code, Run};

/// Lanes of a full block of a program with many registers, so that they stay in the nearest cache.
pub const SHORT_LANES: usize = 32;
/// Largest number of registers of which [`WIDE_LANES`] lanes stay in the nearest cache.
const MAX_WIDE_REGISTERS: usize = 48;

/// Returns the number of lanes of the full blocks in which a program runs fastest.
pub fn best_lanes(program: &Program) -> usize {
    if program.registers <= MAX_WIDE_REGISTERS { WIDE_LANES } else { SHORT_LANES }
}

/// A program as code.
#[derive(Debug)]
pub struct NativeProgram {
    /// For blocks of `lanes` lanes and of [`NARROW_LANES`].
    run: [Run; 2],
    lanes: usize,
    /// The functions, which `run` leads to.
    _code: Code,
    registers: usize,
    columns: usize,
}

impl NativeProgram {
    /// Compiles a program for blocks of `lanes` lanes, a multiple of 16 or [`NARROW_LANES`], and of [`NARROW_LANES`], if code
    /// can be made here.
    pub fn new(program: &Program, lanes: usize) -> Option<Self> {
        target::compile(program, lanes).map(|compiled| Self::of(program, lanes, compiled))
    }

    fn of(program: &Program, lanes: usize, (code, run): (Code, [Run; 2])) -> Self {
        let columns = program.columns().last().map_or(0, |last| last + 1);
        Self { run, lanes, _code: code, registers: program.registers, columns }
    }

    /// Returns the number of lanes of a full block.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Runs the program over the first `count` lanes of a block, at least 1, as [`interpret::run`] does. The
    /// code has the constants in itself.
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
