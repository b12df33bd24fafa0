//! Processors for which no code is made.

use crate::program::Program;

/// A function, of which there is none.
pub type Run = unsafe extern "C" fn(*mut f32, *const *const f32, usize);

/// Code, of which there is none.
#[derive(Debug)]
pub enum Code {}

/// Returns nothing.
pub fn compile(_: &Program, _: usize) -> Option<(Code, [Run; 2])> {
    None
}
