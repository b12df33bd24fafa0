//! cpu
pub mod disjoint;
pub mod project;
pub mod team;
