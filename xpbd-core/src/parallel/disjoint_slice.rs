//! A slice that several threads write at the same time, each at other places.
#![expect(unsafe_code, reason = "colours guarantee what the borrow checker cannot see: no two threads share an index")]

use std::cell::UnsafeCell;

/// A mutable slice shared among threads that keep to disjoint indices.
pub struct DisjointSlice<'a, T>(&'a [UnsafeCell<T>]);

impl<T> Clone for DisjointSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for DisjointSlice<'_, T> {}

// SAFETY: the methods that touch elements are unsafe and demand disjoint indices.
unsafe impl<T: Send> Sync for DisjointSlice<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for DisjointSlice<'_, T> {}

impl<'a, T> DisjointSlice<'a, T> {
    /// Shares a slice.
    pub fn new(slice: &'a mut [T]) -> Self {
        let pointer = std::ptr::from_mut(slice) as *const [UnsafeCell<T>];
        // SAFETY: `UnsafeCell<T>` has the layout of `T`, and the slice is borrowed for `'a`.
        Self(unsafe { &*pointer })
    }

    /// Reads an element.
    ///
    /// # Safety
    /// The index is in bounds, and no other thread writes this element before the threads meet again.
    #[inline(always)]
    pub unsafe fn get(&self, index: usize) -> T
    where
        T: Copy,
    {
        debug_assert!(index < self.0.len());
        // SAFETY: by the contract the index is in bounds and nobody writes this element meanwhile.
        unsafe { *self.0.get_unchecked(index).get() }
    }

    /// Writes an element.
    ///
    /// # Safety
    /// The index is in bounds, and no other thread touches this element before the threads meet again.
    #[inline(always)]
    pub unsafe fn set(&self, index: usize, value: T) {
        debug_assert!(index < self.0.len());
        // SAFETY: by the contract the index is in bounds and nobody else touches this element meanwhile.
        unsafe { *self.0.get_unchecked(index).get() = value }
    }

    /// Returns a part of the slice to write.
    ///
    /// # Safety
    /// No other thread touches this part before the threads meet again, and no other reference to
    /// it exists.
    #[inline(always)]
    pub unsafe fn slice(&self, range: std::ops::Range<usize>) -> &'a mut [T] {
        let cells = &self.0[range];
        // SAFETY: `UnsafeCell<T>` has the layout of `T`; exclusive by the contract.
        unsafe { std::slice::from_raw_parts_mut(cells.as_ptr() as *mut T, cells.len()) }
    }
}
