//! A copy of all that the host reads on request. Requested ahead, it is there when it is asked for, so that no call waits.

use std::future::Future;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::DeviceWorld;
use crate::device::wait_for;
use crate::host_copy::{BufferPart, HostCopy, read};
use crate::memory::BufferOwnership;

/// Why something cannot be read in a page.
pub const NOT_FETCHED: &str = "a page may not wait for the device; it has to await `GpuBackend::fetch` before";

/// A copy that has been requested, until the next frame.
#[derive(Debug, Default)]
pub struct FetchedCopy(Mutex<Option<Fetched>>);

#[derive(Debug)]
struct Fetched {
    /// The parts in the copy, in their order.
    parts: Vec<(wgpu::Buffer, u64, u64)>,
    copy: HostCopy,
}

impl FetchedCopy {
    /// Returns the copy. A panic elsewhere leaves nothing half done.
    fn get(&self) -> MutexGuard<'_, Option<Fetched>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Fetched {
    /// Returns parts of the copy, if it has come and they are all in it.
    fn bytes(&self, parts: &[BufferPart<'_>]) -> Option<Vec<u8>> {
        let copy = self.copy.bytes()?;
        let mut bytes = Vec::new();
        for &(buffer, offset, count) in parts.iter().filter(|part| part.2 > 0) {
            let place = self.parts.iter().position(|part| (&part.0, part.1, part.2) == (buffer, offset, count))?;
            let start = self.parts[..place].iter().map(|part| part.2).sum::<u64>() as usize;
            bytes.extend_from_slice(copy.get(start..start + count as usize)?);
        }
        Some(bytes)
    }
}

impl DeviceWorld {
    /// Requests a copy of all that the host reads on request, unless there is one of this frame, and returns a future that ends
    /// when it has come, or never will. It is valid until the next frame is submitted.
    pub fn fetch(&self) -> impl Future<Output = ()> + use<> {
        let mut fetched = self.fetched.get();
        if fetched.is_none() {
            let mut parts: Vec<BufferPart<'_>> = self.state_parts();
            parts.extend(self.parameter_parts());
            parts.extend(self.plan.custom.iter().flat_map(|batch| batch.written()));
            parts.retain(|part| part.2 > 0);
            if !parts.is_empty()
                && let Ok(copy) = HostCopy::request(&self.device, &parts)
            {
                let parts = parts.into_iter().map(|(buffer, offset, bytes)| (buffer.clone(), offset, bytes)).collect();
                *fetched = Some(Fetched { parts, copy });
            }
        }
        // Of a device that refuses a copy nothing comes, and nothing has to if there is nothing.
        fetched.as_ref().map_or(BufferOwnership::host_owned(), |fetched| fetched.copy.ownership()).resolved()
    }

    /// Forgets the copy, which a frame has made out of date.
    pub fn discard_fetched(&self) {
        *self.fetched.get() = None;
    }

    /// Reads parts of buffers: of the copy, if it has them, or else from the device, for which this waits.
    ///
    /// # Errors
    /// The device is lost, or no call may wait.
    pub(super) fn read(&self, parts: &[BufferPart<'_>]) -> Result<Vec<u8>, String> {
        let fetched = self.fetched.get().as_ref().and_then(|fetched| fetched.bytes(parts));
        let now = || wait_for(read(&self.device, parts));
        fetched.map(Ok).or_else(now).unwrap_or_else(|| Err(NOT_FETCHED.into()))
    }
}
