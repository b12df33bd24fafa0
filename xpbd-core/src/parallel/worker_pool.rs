//! Threads that stay awake for a frame.
//!
//! A substep has dozens of short parallel parts (one for each colour), too short to wake threads for. A pool therefore
//! takes its threads from a rayon pool once a frame and lets them spin between the parts. The tasks of a part are divided
//! into one share for each thread, so that a thread works on the same region of a mesh in every colour. A thread that has
//! finished takes over shares that nobody has begun, and after a while the rest of others, so that a thread that the system
//! has suspended delays no other. No result depends on which thread ran which task.
//!
//! To read what another core has written takes as long as a hundred operations, so a thread finds all that it needs on one
//! cache line, and counts its finished tasks on another.
#![expect(unsafe_code, reason = "the work lent to the threads lives on the stack of the one that lends it")]

use std::ops::Range;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use super::thread_choice::ThreadChoice;

/// The number of threads that a back end uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Threads {
    /// At most one for each core, and in each frame as many as are faster than fewer, which is tried now and then.
    #[default]
    All,
    /// At most this number, at least 1, and in each frame as many as are faster than fewer.
    UpTo(usize),
    /// This number, at least 1, in every frame; 1 starts none.
    Exactly(usize),
}

/// A pool of threads that serve one frame after the other.
pub struct WorkerPool {
    pool: Option<rayon::ThreadPool>,
    threads: usize,
    is_exact: bool,
}

/// The threads of a pool during a frame.
pub struct WorkerScope<'a> {
    shared: Option<&'a Shared>,
}

/// Runs a range of tasks of the work that the pointer leads to.
type Call = unsafe fn(*const (), usize, Range<usize>);

struct Shared {
    /// The tasks of each thread.
    shares: Vec<TaskShare>,
    /// The progress of each thread.
    progress: Vec<Progress>,
}

/// The tasks of one thread in the current part, and what they are. On a cache line of its own, on which the thread waits:
/// one line is all that it needs to begin.
#[repr(align(128))]
#[derive(Default)]
struct TaskShare {
    /// Tasks that nobody has begun: the upper half of the number is the epoch, the lower half how many are left before
    /// `end`.
    left: AtomicU64,
    /// The first task of the share and the one after the last.
    start: AtomicUsize,
    end: AtomicUsize,
    /// The work of the part, and the [`Call`] that runs it.
    work: AtomicPtr<()>,
    call: AtomicPtr<()>,
    /// Smallest number of tasks that are begun at once, while there are as many.
    least: AtomicUsize,
}

/// The number of tasks that one thread has finished in the frame, on a cache line that no other writes.
#[repr(align(128))]
#[derive(Default)]
struct Progress(AtomicU64);

/// Number of checks before a waiting thread gives its core to another.
const SPINS: u32 = 2000;
/// Number of tasks from which they are shared among the threads.
const WORTH_SHARING: usize = 4;
/// Number of pieces in which a share is begun.
const PIECES: u64 = 4;
/// Number of checks before a thread that has finished takes over tasks of another: what the other
/// has begun is in its cache, and it will most likely go on by itself.
const PATIENCE: u32 = 400;
/// The epoch at the end of a frame, which no part has.
const LAST_EPOCH: u64 = u32::MAX as u64;

impl WorkerPool {
    /// Creates a pool of this many threads, the calling one included.
    pub fn new(threads: Threads) -> Self {
        let wanted = match threads {
            Threads::All => std::thread::available_parallelism().map_or(1, usize::from),
            Threads::UpTo(count) | Threads::Exactly(count) => count.max(1),
        };
        let build = || rayon::ThreadPoolBuilder::new().num_threads(wanted - 1).build().ok();
        let pool = if wanted > 1 { build() } else { None };
        let is_exact = matches!(threads, Threads::Exactly(_));
        Self { threads: if pool.is_some() { wanted } else { 1 }, pool, is_exact }
    }

    /// Returns the largest number of threads, the calling one included.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Returns the number of threads for the next frame of a world.
    pub fn threads_for(&self, choice: &mut ThreadChoice) -> usize {
        if self.is_exact { self.threads } else { choice.threads(self.threads) }
    }

    /// Runs `frame` with this many threads awake, at most those of the pool.
    pub fn scope<R>(&self, threads: usize, frame: impl FnOnce(&WorkerScope<'_>) -> R) -> R {
        let threads = threads.min(self.threads);
        let Some(pool) = self.pool.as_ref().filter(|_| threads > 1) else {
            return frame(&WorkerScope::SINGLE);
        };
        let shared = Shared {
            shares: (0..threads).map(|_| TaskShare::default()).collect(),
            progress: (0..threads).map(|_| Progress::default()).collect(),
        };
        pool.in_place_scope(|scope| {
            for thread in 1..threads {
                let shared = &shared;
                scope.spawn(move |_| shared.serve(thread));
            }
            let _dismiss = StopOnDrop(&shared);
            frame(&WorkerScope { shared: Some(&shared) })
        })
    }
}

/// A guard that stops the threads at the end of a frame, also when the frame panics.
struct StopOnDrop<'a>(&'a Shared);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        let stop = |share: &TaskShare| share.left.store(LAST_EPOCH << 32, Ordering::Release);
        self.0.shares.iter().for_each(stop);
    }
}

/// A guard that counts tasks as finished, also when they panic.
struct CountOnDrop<'a>(&'a Progress, u64);

impl Drop for CountOnDrop<'_> {
    fn drop(&mut self) {
        let before = self.0.0.load(Ordering::Relaxed);
        self.0.0.store(before + self.1, Ordering::Release);
    }
}

impl TaskShare {
    fn epoch(&self) -> u64 {
        self.left.load(Ordering::Acquire) >> 32
    }

    /// Returns whether nobody has begun any task of this share.
    fn is_untouched(&self) -> bool {
        let left = (self.left.load(Ordering::Acquire) & 0xFFFF_FFFF) as usize;
        left > 0 && left == self.end.load(Ordering::Relaxed).wrapping_sub(self.start.load(Ordering::Relaxed))
    }

    /// Takes the next tasks of this share, if it belongs to this epoch and has any left.
    fn take(&self, epoch: u64, least: u64) -> Option<Range<usize>> {
        let mut seen = self.left.load(Ordering::Acquire);
        loop {
            let left = seen & 0xFFFF_FFFF;
            if seen >> 32 != epoch || left == 0 {
                return None;
            }
            let end = self.end.load(Ordering::Relaxed);
            let piece = left.div_ceil(PIECES).max(least);
            let piece = if left < piece + least { left } else { piece };
            match self.left.compare_exchange_weak(seen, seen - piece, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(end - left as usize..end - (left - piece) as usize),
                Err(now) => seen = now,
            }
        }
    }
}

impl Shared {
    /// Serves a frame on one thread: waits for a part, helps with it, and waits for the next.
    fn serve(&self, thread: usize) {
        let mut seen = 0;
        loop {
            wait_until(|| self.shares[thread].epoch() != seen);
            seen = self.shares[thread].epoch();
            if seen == LAST_EPOCH {
                return;
            }
            self.help(thread, seen, || self.shares[thread].epoch() != seen);
        }
    }

    /// Runs tasks of a part until none is left to begin or the part is over: the thread's own, those of threads that
    /// sleep, and if the others do not end soon their rest.
    fn help(&self, thread: usize, epoch: u64, is_over: impl Fn() -> bool) {
        self.drain(thread, thread, epoch);
        let count = self.shares.len();
        let others = || (1..count).map(|k| (thread + k) % count);
        let sleeping = others().filter(|&other| self.shares[other].is_untouched());
        sleeping.for_each(|other| self.drain(other, thread, epoch));
        for _ in 0..PATIENCE {
            if is_over() {
                return;
            }
            std::hint::spin_loop();
        }
        others().for_each(|other| self.drain(other, thread, epoch));
    }

    /// Runs the rest of a share.
    fn drain(&self, share: usize, thread: usize, epoch: u64) {
        let TaskShare { work, call, least, .. } = &self.shares[thread];
        let work = work.load(Ordering::Relaxed);
        let call = call.load(Ordering::Relaxed);
        let least = least.load(Ordering::Relaxed) as u64;
        let mut finished = CountOnDrop(&self.progress[thread], 0);
        while let Some(tasks) = self.shares[share].take(epoch, least) {
            finished.1 += tasks.len() as u64;
            // SAFETY: tasks of this epoch were left, so its part has not ended: `work` and `call`
            // are what `WorkerScope::run` has stored for it and outlive it.
            unsafe { std::mem::transmute::<*mut (), Call>(call)(work, thread, tasks) };
        }
    }

    /// Returns the number of tasks that were finished in the frame.
    fn finished(&self) -> u64 {
        self.progress.iter().map(|progress| progress.0.load(Ordering::Acquire)).sum()
    }
}

/// Waits for a condition by spinning, and after a while by yielding.
fn wait_until(condition: impl Fn() -> bool) {
    let mut looks = 0;
    while !condition() {
        if looks < SPINS {
            looks += 1;
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}

/// # Safety
/// `work` points to a living `W`.
unsafe fn call<W: Fn(usize, Range<usize>) + Sync>(work: *const (), thread: usize, tasks: Range<usize>) {
    // SAFETY: passed on to the caller.
    unsafe { (*work.cast::<W>())(thread, tasks) }
}

impl WorkerScope<'_> {
    /// A scope of the calling thread alone.
    pub const SINGLE: WorkerScope<'static> = WorkerScope { shared: None };

    /// Returns the number of threads.
    pub fn threads(&self) -> usize {
        self.shared.map_or(1, |shared| shared.shares.len())
    }

    /// Runs `work(thread, range)` on all threads, the ranges together `0..tasks`, and returns when
    /// all are done. A thread may be called several times. May not be called from within `work`.
    pub fn run<W: Fn(usize, Range<usize>) + Sync>(&self, tasks: usize, work: W) {
        self.run_with_grain(tasks, 1, work);
    }

    /// Runs `work` over parts of these ranges on all threads. A thread has about the part of each range that it has when
    /// that range is run alone, which is in its cache.
    pub fn run_parts<W: Fn(Range<usize>) + Sync>(&self, ranges: &[Range<usize>], work: W) {
        let (count, threads) = (ranges.len(), self.threads());
        self.run(count * threads, |_, tasks| {
            for task in tasks {
                let (range, part) = (&ranges[task % count], task / count);
                let place = |part: usize| range.start + range.len() * part / threads;
                work(place(part)..place(part + 1));
            }
        });
    }

    /// Runs `work` as [`WorkerScope::run`] does, in ranges of at least `least` tasks while there are as many.
    pub fn run_with_grain<W: Fn(usize, Range<usize>) + Sync>(&self, tasks: usize, least: usize, work: W) {
        let sharable = tasks >= WORTH_SHARING && u32::try_from(tasks).is_ok();
        let Some(shared) = self.shared.filter(|_| sharable) else {
            return work(0, 0..tasks);
        };
        let epoch = (shared.shares[0].epoch() + 1) % LAST_EPOCH;
        let finished = shared.finished() + tasks as u64;
        let count = shared.shares.len();
        for (thread, share) in shared.shares.iter().enumerate().rev() {
            let (start, end) = (tasks * thread / count, tasks * (thread + 1) / count);
            share.work.store(std::ptr::from_ref(&work).cast_mut().cast(), Ordering::Relaxed);
            share.call.store(call::<W> as Call as *mut (), Ordering::Relaxed);
            share.least.store(least, Ordering::Relaxed);
            share.start.store(start, Ordering::Relaxed);
            share.end.store(end, Ordering::Relaxed);
            share.left.store(epoch << 32 | (end - start) as u64, Ordering::Release);
        }
        let is_over = || shared.finished() >= finished;
        let _all = WaitOnDrop(&is_over);
        shared.help(0, epoch, is_over);
    }
}

/// A guard that waits for all tasks, also when the calling thread panics.
struct WaitOnDrop<F: Fn() -> bool>(F);

impl<F: Fn() -> bool> Drop for WaitOnDrop<F> {
    fn drop(&mut self) {
        wait_until(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_done_once_by_any_number_of_threads() {
        for threads in [1, 2, 7] {
            let counts: Vec<AtomicUsize> = (0..1000).map(|_| AtomicUsize::new(0)).collect();
            WorkerPool::new(Threads::Exactly(threads)).scope(threads, |workers| {
                for part in 0..1000 {
                    workers.run(part, |_, range| {
                        range.for_each(|task| {
                            counts[task].fetch_add(1, Ordering::Relaxed);
                        });
                    });
                }
            });
            for (task, count) in counts.iter().enumerate() {
                assert_eq!(count.load(Ordering::Relaxed), 999 - task, "task {task} of {threads} threads");
            }
        }
    }

    #[test]
    fn parts_of_ranges_are_these_ranges() {
        for threads in [1, 2, 7] {
            let counts: Vec<AtomicUsize> = (0..1000).map(|_| AtomicUsize::new(0)).collect();
            let ranges = [0..400, 400..400, 400..403, 403..1000];
            WorkerPool::new(Threads::Exactly(threads)).scope(threads, |workers| {
                workers.run_parts(&ranges, |part| {
                    part.for_each(|task| {
                        counts[task].fetch_add(1, Ordering::Relaxed);
                    });
                });
            });
            assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == 1), "{threads} threads");
        }
    }
}
