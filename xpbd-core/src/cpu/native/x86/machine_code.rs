//! Memory that the processor executes.
#![expect(unsafe_code, reason = "bytes become a function")]

use memmap2::{Mmap, MmapMut};

/// A function that runs a program over the first lanes of a block: registers one after the other, the first number of each
/// column, and the number of bytes of the lanes that are run.
///
/// # Safety
/// The processor has the instructions of the function. All registers and columns that the program names are there, each
/// with as many lanes as the function was compiled for, and not less than those that are run. The number of bytes is not 0.
pub type Run = unsafe extern "sysv64" fn(*mut f32, *const *const f32, usize);

/// Functions of machine code, which can be read and executed but no longer written.
#[derive(Debug)]
pub struct MachineCode(Mmap);

impl MachineCode {
    /// Makes functions executable, unless the system refuses that.
    pub fn new(functions: &[u8]) -> Option<Self> {
        let mut memory = MmapMut::map_anon(functions.len()).ok()?;
        memory.copy_from_slice(functions);
        memory.make_exec().ok().map(Self)
    }

    /// Returns the function that begins at this byte.
    ///
    /// # Safety
    /// A function of this type begins there, and is called only while the machine code exists.
    pub unsafe fn function(&self, begin: usize) -> Run {
        // SAFETY: passed on to the caller.
        unsafe { std::mem::transmute::<*const u8, Run>(self.0[begin..].as_ptr()) }
    }
}
