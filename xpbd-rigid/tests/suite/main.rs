//! The promises of clusters and characters, tested.

mod bad_input;
mod build;
mod characters;
mod conserve;
mod contact;
mod determinism;
mod dynamic_characters;
mod fuzz;
mod inactive;
mod plasticity;
mod polar;
mod random;
mod skin;
mod stiffness;
mod support;
