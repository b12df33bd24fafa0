//! What fluids promise.

mod adhesion;
mod drops;
mod liquids;
mod threads;
mod viscosity;
mod vorticity;
