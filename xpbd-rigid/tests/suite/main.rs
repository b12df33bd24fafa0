//! What clusters promise.

mod absent;
mod bad_input;
mod build;
mod conserve;
mod contact;
mod determinism;
mod fuzz;
mod plastic;
mod polar;
mod random;
mod skin;
mod stiffness;
mod support;
