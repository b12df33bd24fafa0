//! Work divided among threads: a pool that stays awake during a frame, and slices that its threads write together.

mod disjoint_slice;
mod thread_choice;
mod worker_pool;

pub use worker_pool::Threads;

pub(crate) use disjoint_slice::DisjointSlice;
pub(crate) use thread_choice::ThreadChoice;
pub(crate) use worker_pool::{WorkerPool, WorkerScope};
