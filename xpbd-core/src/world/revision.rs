//! Marks by which others see that a world has changed.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};

/// The mark of one state of one world. Two equal marks are of the same state; every step, edit, restored snapshot and
/// synchronization with a device makes a new mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revision {
    world: u64,
    change: u64,
}

/// A value with the mark of its state: whoever can write it makes a new mark.
#[derive(Debug)]
pub(crate) struct Revised<T> {
    value: T,
    revision: Revision,
}

impl<T> Revised<T> {
    /// Returns a value of a new world.
    pub fn new(value: T) -> Self {
        static WORLDS: AtomicU64 = AtomicU64::new(0);
        let world = WORLDS.fetch_add(1, Ordering::Relaxed);
        Self { value, revision: Revision { world, change: 0 } }
    }

    /// Returns the mark.
    pub fn revision(&self) -> Revision {
        self.revision
    }
}

impl<T: Default> Default for Revised<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> Deref for Revised<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Revised<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.revision.change += 1;
        &mut self.value
    }
}
