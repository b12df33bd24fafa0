//! Shape-matched clusters: rigid and soft bodies made of particles.
//!
//! A cluster holds particles in the arrangement in which they were built, up to a motion of the whole.
//! Every projection finds the motion that fits best where the particles are, by their centre of mass
//! and the rotation nearest to Σ m d pᵀ, and moves each toward its goal
//! (\[Unified14\] section 5; the formulas stand in `project.rs`). A single rigid cluster is a rigid
//! body; many overlapping ones are a soft body.
//!
//! ```
//! use parry3d::math::Pose;
//! use parry3d::shape::Ball;
//! use xpbd_core::world::World;
//! use xpbd_rigid::{Cluster, cluster};
//!
//! let mut world = World::default();
//! xpbd_rigid::register(world.registry_mut())?;
//!
//! let ball = Cluster::from_shape(&Ball::new(0.1), 0.02).density(800.0).at(Pose::translation(0.0, 1.0, 0.0));
//! let ball = world.add(ball.build()?)?;
//!
//! let frame = cluster::poses(&world, ball)?[0];
//! assert!((frame.translation.y - 1.0).abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Particles that were sampled from a shape know how far they are from its surface, so that bodies which
//! have come into each other are pushed out the nearest way (\[Unified14\] section 5, in
//! [`xpbd_core::collide`]). A [`ClusterSkin`] binds a visual mesh.
//!
//! As every constraint between particles does, first-order integration slows a body that spins at ω by
//! about the part h ω² of its speed a second; the second-order integrator does so far less.
//!
//! - \[Unified14\] Macklin et al., *Unified Particle Physics for Real-Time Applications*
//! - \[Polar16\] Müller et al., *A Robust Method to Extract the Rotational Part of Deformations*
//! - \[Mueller05\] Müller et al., *Meshless Deformations Based on Shape Matching*
//! - \[XPBD16\] Macklin, Müller, Chentanez, *XPBD: Position-Based Simulation of Compliant Constrained Dynamics*

mod assemble;
pub mod batch;
pub mod error;
mod kernel;
mod members;
mod overlap;
pub mod plasticity;
pub mod polar;
pub mod pose;
mod project;
mod sample;
pub mod skin;
mod snapshot;
mod sums;

pub use batch::ClusterBatch;
pub use error::{ClusterError, ClusterQueryError};
pub use plasticity::Plasticity;
pub use pose::{goals, poses};
pub use skin::ClusterSkin;

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::Shape;
use xpbd_core::batch::Registry;
use xpbd_core::constraint::ConstraintError;
use xpbd_core::world::{Friction, Object};

use sample::ParticleSample;

/// Makes clusters known to a registry, which reads them from snapshots.
///
/// # Errors
/// The name is taken by another type.
pub fn register(registry: &mut Registry) -> Result<(), ConstraintError> {
    registry.register_batch::<ClusterBatch>(batch::NAME, snapshot::restore)
}

/// A body of particles that keeps its shape: what it is made of, and where it starts.
///
/// What is not said is: 1000 kg/m³ (water), one rigid cluster, no plastic flow.
#[derive(Debug, Clone)]
pub struct Cluster {
    name: String,
    sample: Result<ParticleSample, ClusterError>,
    pose: Pose,
    density: f32,
    compliance: f32,
    plasticity: Option<Plasticity>,
    overlap: Option<[f32; 2]>,
    velocity: [Vec3; 2],
    linear_damping: f32,
    pins: Vec<u32>,
    self_collision: bool,
    friction: Friction,
}

impl Cluster {
    /// Creates a body that fills a shape with particles `spacing` \[m\] apart, about twice the radius of the
    /// world's particles. They lie on a lattice in the bounding box of the shape, each in the middle
    /// of its cell, so that a box is filled to its faces; those inside are kept.
    ///
    /// Refused by [`Cluster::build`]: a shape without bounds or volume, or without a lattice point
    /// inside, and a spacing that is not positive.
    pub fn from_shape(shape: &dyn Shape, spacing: f32) -> Self {
        Self::new(ParticleSample::of(shape, spacing))
    }

    /// Creates a body that fills a closed triangle mesh, of vertex positions \[m\] and three indices a triangle,
    /// counter-clockwise seen from outside, with particles `spacing` \[m\] apart.
    ///
    /// Refused by [`Cluster::build`]: a mesh that is not closed, and what [`Cluster::from_shape`] refuses.
    pub fn from_mesh(positions: &[Vec3], indices: &[u32], spacing: f32) -> Self {
        Self::new(sample::solid(positions, indices).and_then(|shape| ParticleSample::of(&*shape, spacing)))
    }

    /// Creates a body of particles at these positions \[m\], each for a cube of `spacing` \[m\].
    ///
    /// Refused by [`Cluster::build`]: no positions, or one that is not finite.
    pub fn from_points(positions: &[Vec3], spacing: f32) -> Self {
        Self::new(ParticleSample::points(positions, spacing))
    }

    fn new(sample: Result<ParticleSample, ClusterError>) -> Self {
        Self {
            name: "cluster".into(),
            sample,
            pose: Pose::IDENTITY,
            density: 1000.0,
            compliance: 0.0,
            plasticity: None,
            overlap: None,
            velocity: [Vec3::ZERO; 2],
            linear_damping: 0.0,
            pins: Vec::new(),
            self_collision: false,
            friction: Friction::default(),
        }
    }

    /// Name, for messages and reports.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Turns and moves the body, about the origin of its shape.
    #[must_use]
    pub fn at(mut self, pose: Pose) -> Self {
        self.pose = pose * self.pose;
        self
    }

    /// Mass for each volume \[kg/m³\], usually 100 (foam) to 8000 (steel). All particles have an equal part.
    #[must_use]
    pub fn density(mut self, density: f32) -> Self {
        self.density = density;
        self
    }

    /// Compliance of every particle toward its goal \[m/N\], 0 for rigid, the default. A force F on one
    /// particle of many pulls it α F off its place.
    #[must_use]
    pub fn compliance(mut self, compliance: f32) -> Self {
        self.compliance = compliance;
        self
    }

    /// Lets the rest shape flow where it is deformed too much. Only what has compliance, or many
    /// clusters, is deformed for longer than a blow.
    #[must_use]
    pub fn plasticity(mut self, plasticity: Plasticity) -> Self {
        self.plasticity = Some(plasticity);
        self
    }

    /// Makes a soft body of overlapping clusters: their middles are at least `spacing` \[m\] apart and
    /// each has the particles within `radius` \[m\], no less than the spacing. The less they overlap the
    /// softer it is.
    #[must_use]
    pub fn overlapping(mut self, spacing: f32, radius: f32) -> Self {
        self.overlap = Some([spacing, radius]);
        self
    }

    /// Velocity of the centre of mass \[m/s\], and angular velocity about it \[rad/s\].
    #[must_use]
    pub fn velocity(mut self, linear: Vec3, angular: Vec3) -> Self {
        self.velocity = [linear, angular];
        self
    }

    /// Drag \[1/s\]: velocity decays by about this part of itself a second.
    #[must_use]
    pub fn linear_damping(mut self, drag: f32) -> Self {
        self.linear_damping = drag;
        self
    }

    /// Pins particles.
    #[must_use]
    pub fn pin(mut self, particles: impl IntoIterator<Item = u32>) -> Self {
        self.pins.extend(particles);
        self
    }

    /// Pins the particles that a predicate of their position in the shape \[m\] holds for.
    #[must_use]
    pub fn pin_where(mut self, holds: impl Fn(Vec3) -> bool) -> Self {
        if let Ok(sample) = &self.sample {
            let held = sample.positions.iter().zip(0..).filter(|&(&x, _)| holds(x));
            self.pins.extend(held.map(|(_, particle)| particle));
        }
        self
    }

    /// Whether its particles collide with each other, off by default.
    #[must_use]
    pub fn self_collision(mut self, self_collision: bool) -> Self {
        self.self_collision = self_collision;
        self
    }

    /// Friction against colliders and particles.
    #[must_use]
    pub fn friction(mut self, friction: Friction) -> Self {
        self.friction = friction;
        self
    }

    /// Returns the object, ready to be added to a world, with a [`ClusterBatch`]. Its particles are in the order
    /// of x, then y, then z in the shape, or in that of the points it was given.
    ///
    /// # Errors
    /// The number or the element that is at fault.
    pub fn build(self) -> Result<Object, ClusterError> {
        assemble::object(self)
    }
}
