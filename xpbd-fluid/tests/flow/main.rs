//! What comes, goes and changes keeps its books.

mod bad_input;
mod budget;
mod emit;
mod heat;
mod melt;
mod save;
mod sinks;
mod support;
