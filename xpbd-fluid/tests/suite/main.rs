//! What fluids promise.

mod adhesion;
mod corner;
mod drops;
mod liquids;
mod probe;
mod threads;
mod viscosity;
mod vorticity;
