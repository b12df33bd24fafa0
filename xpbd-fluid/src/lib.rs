//! Fluids by position-based dynamics: liquids and smoke that interact with everything else in a world.
//!
//! A [`Fluid`] consists of particles at rest density, one for each cube of space as wide as a particle of the world.
//! All fluids of a world are solved together with what they touch: particles of cloth and clusters count in the
//! density as their own do, and the space behind walls counts as filled.
//!
//! ```
//! use glam::Vec3;
//! use parry3d::shape::SharedShape;
//! use xpbd_core::prelude::*;
//! use xpbd_fluid::{Fluid, FluidMaterial};
//!
//! let mut world = World::new(Settings { particle_radius: 0.025, ..Settings::default() })?;
//! world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)))?;
//! let water = Fluid::block(Vec3::ZERO, Vec3::splat(0.4)).material(FluidMaterial::WATER).add_to_world(&mut world)?;
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
mod fluid;
mod four_neighbours;
mod kernel;
mod material;
mod region;
pub mod render;
mod sink;
mod solver;
mod surface_tension;
mod viscosity;
mod vorticity;

pub use batch::{FluidBatch, register};
pub use convert::{Conversion, PhaseChange};
pub use densities::FluidDensities;
pub use emitter::{Emitter, Nozzle};
pub use error::{FluidError, SpawnError};
pub use fluid::Fluid;
pub use material::FluidMaterial;
pub use region::Region;
pub use sink::Sink;
pub use solver::FLUID_MEDIUM;
