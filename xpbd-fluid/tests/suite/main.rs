//! What fluids promise.

mod adhesion;
mod drops;
mod liquids;
mod probe;
mod threads;
mod viscosity;
mod vorticity;
