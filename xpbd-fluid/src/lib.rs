//! Fluids by position-based dynamics: liquids and smoke that push and are pushed.
//!
//! A [`Fluid`] is particles at rest density, one to each cube of space as wide as a particle of the world.
//! All fluids of a world are solved together, and everything else pushes on them: particles of cloth and
//! clusters count in the density like their own, and walls fill what lies behind them.
//!
//! ```
//! use glam::Vec3;
//! use parry3d::shape::SharedShape;
//! use xpbd_core::prelude::*;
//! use xpbd_fluid::{Fluid, FluidMaterial};
//!
//! let mut world = World::new(Settings { radius: 0.025, ..Settings::default() })?;
//! world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)))?;
//! let water = Fluid::block(Vec3::ZERO, Vec3::splat(0.4)).liquid(FluidMaterial::WATER).add_to(&mut world)?;
//! world.step(&mut CpuBackend::default(), 1.0 / 60.0)?;
//! assert_eq!(world.positions(water)?.len(), 512);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Sources by key:
//!
//! - \[PBF13\] Macklin, Müller, *Position Based Fluids*
//! - \[Unified14\] Macklin et al., *Unified Particle Physics for Real-Time Applications*
//! - \[Akinci12\] Akinci et al., *Versatile Rigid-Fluid Coupling for Incompressible SPH*
//! - \[Akinci13\] Akinci, Akinci, Teschner, *Versatile Surface Tension and Adhesion for SPH Fluids*
//! - \[Solenthaler08\] Solenthaler, Pajarola, *Density Contrast SPH Interfaces*
//! - \[Koschier17\] Koschier, Bender, *Density Maps for Improved SPH Boundary Handling*
//! - \[Dehnen12\] Dehnen, Aly, *Improving Convergence in Smoothed Particle Hydrodynamics Simulations*

mod adhesion;
mod batch;
pub mod convert;
mod densities;
mod density;
pub mod emitter;
mod error;
pub mod flow;
mod fluid;
mod four_neighbours;
mod kernel;
mod material;
pub mod render;
pub mod sink;
mod solver;
mod surface_tension;
mod viscosity;
mod vorticity;

pub use batch::FluidBatch;
pub use convert::{Conversion, PhaseChange};
pub use densities::FluidDensities;
pub use emitter::{Emitter, Nozzle};
pub use error::FluidError;
pub use flow::{Region, SpawnError};
pub use fluid::Fluid;
pub use material::FluidMaterial;
pub use sink::Sink;
pub use solver::FLUID_MEDIUM;

/// Makes the batches of this crate known to a registry, which restoring a snapshot needs.
///
/// # Errors
/// Another type of the same name.
pub fn register(registry: &mut xpbd_core::batch::Registry) -> Result<(), xpbd_core::constraint::ConstraintError> {
    registry.register_batch::<FluidBatch>(batch::NAME, batch::restore)
}

/// The code in the README, compiled and run by doc tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
