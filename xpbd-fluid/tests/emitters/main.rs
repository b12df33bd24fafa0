//! Emitters, sinks and conversions: budgets, bad input and snapshots.

mod bad_input;
mod budget;
mod emit;
mod heat;
mod melt;
mod save;
mod sinks;
mod support;
