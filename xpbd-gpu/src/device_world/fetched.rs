//! A copy of all that the host reads on request. Requested ahead, it is there when it is asked for, so that no call waits.

use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use super::DeviceWorld;
use crate::device::Device;
use crate::memory::{BufferPart, copy_parts, read};

/// A copy that has been requested.
#[derive(Debug)]
pub struct Fetched {
    /// The parts in the copy, in their order.
    parts: Vec<(wgpu::Buffer, u64, u64)>,
    arrival: Arrival,
}

/// A future that ends when the copy has come, or never will.
#[derive(Debug, Clone, Default)]
pub struct Arrival(Arc<Mutex<Progress>>);

#[derive(Debug, Default)]
enum Progress {
    #[default]
    Requested,
    Awaited(Waker),
    Arrived(Vec<u8>),
    Lost,
}

impl Arrival {
    /// Returns the progress. A panic elsewhere leaves nothing half done.
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finish(&self, bytes: Option<Vec<u8>>) {
        let result = bytes.map_or(Progress::Lost, Progress::Arrived);
        if let Progress::Awaited(waker) = mem::replace(&mut *self.progress(), result) {
            waker.wake();
        }
    }
}

impl Future for Arrival {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let progress = &mut *self.progress();
        if matches!(progress, Progress::Arrived(_) | Progress::Lost) {
            return Poll::Ready(());
        }
        *progress = Progress::Awaited(context.waker().clone());
        Poll::Pending
    }
}

impl Fetched {
    /// Returns parts of the copy, if it has come and they are all in it.
    fn bytes(&self, parts: &[BufferPart<'_>]) -> Option<Vec<u8>> {
        let progress = self.arrival.progress();
        let Progress::Arrived(copy) = &*progress else { return None };
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
    /// Requests a copy of all that the host reads on request. It is valid until the next frame is submitted.
    pub fn fetch(&self) -> Arrival {
        let mut parts: Vec<BufferPart<'_>> = self.state_parts();
        parts.extend(self.parameter_parts());
        parts.extend(self.plan.custom.iter().flat_map(|batch| batch.written()));
        parts.retain(|part| part.2 > 0);
        let arrival = Arrival::default();
        if parts.is_empty() {
            arrival.finish(Some(Vec::new()));
        } else {
            let there = arrival.clone();
            let asked = Device::checked(&self.device.device, || {
                let target = copy_parts(&self.device, &parts);
                let mapped = target.clone();
                target.slice(..).map_async(wgpu::MapMode::Read, move |result| {
                    there.finish(result.ok().map(|()| mapped.slice(..).get_mapped_range().to_vec()));
                });
                // Where a call may wait, nobody else may poll the device. A device that is lost calls back as well.
                let _ = self.device.device.poll(wgpu::PollType::wait_indefinitely());
                Ok(())
            });
            if asked.is_err() {
                arrival.finish(None);
            }
        }
        let parts = parts.into_iter().map(|(buffer, offset, bytes)| (buffer.clone(), offset, bytes)).collect();
        *self.fetched() = Some(Fetched { parts, arrival: arrival.clone() });
        arrival
    }

    /// Forgets the copy, which a frame has made out of date.
    pub fn discard_fetched(&self) {
        *self.fetched() = None;
    }

    fn fetched(&self) -> MutexGuard<'_, Option<Fetched>> {
        self.fetched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads parts of buffers: of the copy, if it has them, or else from the device, for which this waits.
    ///
    /// # Errors
    /// The device is lost, or no call may wait.
    pub(super) fn read(&self, parts: &[BufferPart<'_>]) -> Result<Vec<u8>, String> {
        let fetched = self.fetched().as_ref().and_then(|fetched| fetched.bytes(parts));
        fetched.map_or_else(|| read(&self.device, parts), Ok)
    }
}
