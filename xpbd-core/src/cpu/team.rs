//! Threads that stay awake for a frame.
//!
//! A substep has dozens of short parallel parts (one a colour), too short to wake threads for. A
//! team therefore takes its threads from a rayon pool once a frame and lets them spin between the
//! parts. Work is divided by index alone, and no result depends on how.
#![expect(unsafe_code, reason = "the work lent to the threads lives on the stack of the one that lends it")]

use std::cell::UnsafeCell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How many threads a back end may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Threads {
    /// One for each core; the calling thread alone where none can be started.
    #[default]
    All,
    /// This many, at least 1; 1 starts none.
    Exactly(usize),
}

/// Threads to lend for frames.
pub struct Team {
    pool: Option<rayon::ThreadPool>,
    threads: usize,
}

type Work = dyn Fn(usize, Range<usize>) + Sync;

/// The threads of a team during a frame.
pub struct Crew<'a> {
    shared: Option<&'a Shared>,
}

struct Shared {
    threads: usize,
    /// Counts the parts begun.
    epoch: AtomicUsize,
    /// Threads that have not finished the current part.
    busy: AtomicUsize,
    done: AtomicBool,
    /// The work of the current part and its number of tasks.
    part: UnsafeCell<Option<(*const Work, usize)>>,
}

// SAFETY: `part` is written only between parts, when no other thread reads it.
unsafe impl Sync for Shared {}

/// Looks this often before giving the core to another thread.
const SPINS: u32 = 4000;
/// Fewer tasks than this are done at once by the calling thread.
const WORTH_SHARING: usize = 4;

impl Team {
    /// A team of this many threads, the calling one included.
    pub fn new(threads: Threads) -> Self {
        let wanted = match threads {
            Threads::All => std::thread::available_parallelism().map_or(1, usize::from),
            Threads::Exactly(count) => count.max(1),
        };
        let build = || rayon::ThreadPoolBuilder::new().num_threads(wanted - 1).build().ok();
        let pool = if wanted > 1 { build() } else { None };
        let threads = if pool.is_some() { wanted } else { 1 };
        Self { pool, threads }
    }

    /// How many threads work, the calling one included.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Runs `frame` with the threads awake.
    pub fn gather<R>(&self, frame: impl FnOnce(&Crew<'_>) -> R) -> R {
        let Some(pool) = &self.pool else {
            return frame(&Crew { shared: None });
        };
        let shared = Shared {
            threads: self.threads,
            epoch: AtomicUsize::new(0),
            busy: AtomicUsize::new(0),
            done: AtomicBool::new(false),
            part: UnsafeCell::new(None),
        };
        pool.in_place_scope(|scope| {
            for thread in 1..self.threads {
                let shared = &shared;
                scope.spawn(move |_| shared.work(thread));
            }
            let _dismiss = Dismiss(&shared);
            frame(&Crew { shared: Some(&shared) })
        })
    }
}

/// Sends the threads home, also when the frame panics.
struct Dismiss<'a>(&'a Shared);

impl Drop for Dismiss<'_> {
    fn drop(&mut self) {
        self.0.done.store(true, Ordering::Release);
        self.0.epoch.fetch_add(1, Ordering::Release);
    }
}

/// Counts a thread as finished, also when its work panics.
struct Finish<'a>(&'a AtomicUsize);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}

impl Shared {
    fn work(&self, thread: usize) {
        let mut seen = 0;
        loop {
            wait_until(|| self.epoch.load(Ordering::Acquire) != seen);
            seen += 1;
            if self.done.load(Ordering::Acquire) {
                return;
            }
            let _finish = Finish(&self.busy);
            // SAFETY: `part` was written before the epoch was raised and stays until all finish.
            if let Some((work, tasks)) = unsafe { *self.part.get() } {
                // SAFETY: `Crew::run` keeps the closure alive until every thread has finished.
                unsafe { (*work)(thread, share(tasks, thread, self.threads)) };
            }
        }
    }
}

/// Waits by looking, and after a while by giving way.
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

/// The part of `0..tasks` that falls to a thread.
fn share(tasks: usize, thread: usize, threads: usize) -> Range<usize> {
    tasks * thread / threads..tasks * (thread + 1) / threads
}

impl Crew<'_> {
    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.shared.map_or(1, |shared| shared.threads)
    }

    /// Runs `work(thread, range)` on all threads, the ranges together `0..tasks`, and returns when
    /// all have finished. May not be called from within `work`.
    pub fn run(&self, tasks: usize, work: impl Fn(usize, Range<usize>) + Sync) {
        let Some(shared) = self.shared.filter(|_| tasks >= WORTH_SHARING) else {
            return work(0, 0..tasks);
        };
        let borrowed: &(dyn Fn(usize, Range<usize>) + Sync) = &work;
        // SAFETY: the pointer is used only until `_all` has seen every thread finish, below.
        let erased = unsafe { std::mem::transmute::<&(dyn Fn(usize, Range<usize>) + Sync), *const Work>(borrowed) };
        // SAFETY: between parts no thread reads `part`.
        unsafe { *shared.part.get() = Some((erased, tasks)) };
        shared.busy.store(shared.threads - 1, Ordering::Relaxed);
        shared.epoch.fetch_add(1, Ordering::Release);
        let _all = Await(shared);
        work(0, share(tasks, 0, shared.threads));
    }
}

/// Waits for the other threads, also when the calling one panics.
struct Await<'a>(&'a Shared);

impl Drop for Await<'_> {
    fn drop(&mut self) {
        wait_until(|| self.0.busy.load(Ordering::Acquire) == 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_done_once_by_any_number_of_threads() {
        for threads in [1, 2, 7] {
            let counts: Vec<AtomicUsize> = (0..1000).map(|_| AtomicUsize::new(0)).collect();
            Team::new(Threads::Exactly(threads)).gather(|crew| {
                for _ in 0..100 {
                    crew.run(counts.len(), |_, range| {
                        range.for_each(|task| drop(counts[task].fetch_add(1, Ordering::Relaxed)));
                    });
                }
            });
            assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == 100));
        }
    }
}
