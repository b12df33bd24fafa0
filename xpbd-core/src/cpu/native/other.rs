//! Processors for which there is no machine code.

use crate::program::Program;
use crate::program::interpret::Lanes;

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
