//! The core of **xpbd**: game physics by extended position-based dynamics with small substeps.
//!
//! A constraint is one generic function. Registering it records that function as a program, derives
//! its gradient, and wraps the solver's update around it; the CPU back end interprets the program
//! over blocks of constraints, on all cores.
//!
//! ```
//! use glam::Vec3;
//! use xpbd_core::prelude::*;
//!
//! xpbd_core::parameters! {
//!     /// Parameters of [`Spring`].
//!     pub struct SpringParameters<S> {
//!         /// Length at rest \[m\].
//!         pub rest_length: S,
//!     }
//! }
//!
//! /// Keeps two particles at a distance.
//! pub struct Spring;
//!
//! impl Constraint<2, 1> for Spring {
//!     type Parameters<S: Copy> = SpringParameters<S>;
//!
//!     const NAME: &'static str = "spring";
//!
//!     fn value<S: Real>(x: &Points<S, 2>, spring: SpringParameters<S>) -> [S; 1] {
//!         [(x.now[0] - x.now[1]).length() - spring.rest_length]
//!     }
//! }
//!
//! let mut world = World::new(Settings::default())?;
//! let pair = Object::new("pair", vec![Vec3::ZERO, Vec3::NEG_Y], 1.0)
//!     .pin([0])
//!     .with(Batch::new(Spring, &[[0, 1]], &[SpringParameters { rest_length: 1.0 }])?.compliance(1e-3));
//! let pair = world.add(pair)?;
//!
//! let mut cpu = CpuBackend::default();
//! for _ in 0..60 {
//!     world.step(&mut cpu, 1.0 / 60.0)?;
//! }
//! assert!(world.position(pair, 1)?.y < -1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where to read on: [`constraint`] for writing your own, [`world`] for edits and queries,
//! [`cpu`] for the algorithm, [`collide`] for contacts. Formulas cite their source by key:
//!
//! - \[PBD07\] Müller et al., *Position Based Dynamics*
//! - \[XPBD16\] Macklin, Müller, Chentanez, *XPBD: Position-Based Simulation of Compliant Constrained Dynamics*
//! - \[Solver2D24\] Catto, *Solver2D* (soft step), box2d.org, 2024
//! - \[SmallSteps19\] Macklin et al., *Small Steps in Physics Simulation*
//! - \[Unified14\] Macklin et al., *Unified Particle Physics for Real-Time Applications*
//! - \[Koschier17\] Koschier, Bender, *Density Maps for Improved SPH Boundary Handling*
//! - \[Deul14\] Deul, Charrier, Bender, *Position-Based Rigid Body Dynamics*
//! - \[English08\] English, Bridson, *Animating Developable Surfaces Using Nonconforming Elements*
//! - \[Baraff03\] Baraff, Witkin, Kass, *Untangling Cloth*
//! - \[Volino06\] Volino, Magnenat-Thalmann, *Resolving Surface Collisions through Intersection Contour Minimization*
//! - \[CodyWaite80\] Cody, Waite, *Software Manual for the Elementary Functions*

pub mod batch;
pub mod bodies;
pub mod collide;
pub mod connector;
pub mod constraint;
pub mod cpu;
mod disjoint_sets;
pub mod force_region;
pub mod friction;
pub mod handle;
pub mod layers;
#[doc(hidden)]
pub mod media;
pub mod medium;
pub mod number;
pub mod object;
pub(crate) mod parallel;
pub mod particles;
pub mod plasticity;
pub mod program;
pub mod query;
pub mod scalar;
pub mod schedule;
pub mod settings;
pub mod sleep;
pub mod world;

/// Names that authors of constraints and users of worlds need.
pub mod prelude {
    pub use crate::batch::{Batch, ConstraintBatch, Registry};
    pub use crate::bodies::{Body, BodyKind, LockedAxes, Mass};
    pub use crate::collide::{Collider, Contact, ContactPartner, ContactPhase, SensorOverlap};
    pub use crate::constraint::{Constraint, ConstraintError, ConstraintType, Points, RowOrder};
    pub use crate::cpu::{CpuBackend, Threads};
    pub use crate::number::NumberError;
    pub use crate::object::ParticleSettings;
    pub use crate::plasticity::Plasticity;
    pub use crate::scalar::Real;
    pub use crate::world::{
        BatchHandle, BodyHandle, ColliderHandle, CollisionLayers, ConstraintSolver, Friction, Integrator, Object,
        ObjectHandle, SensorHandle, Settings, SolverMethod, StepReport, World, WorldError,
    };
}

/// The code in the README, compiled and run by doc tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
