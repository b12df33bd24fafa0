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
mod constraint_batch;
mod eigen;
pub mod error;
mod kernel;
mod members;
mod overlap;
mod plasticity;
pub mod polar;
pub mod pose;
mod project;
pub mod sample;
pub mod skin;
mod snapshot;
mod sums;

pub use batch::ClusterBatch;
pub use error::{ClusterError, ClusterQueryError};
pub use pose::{goals, poses};
pub use sample::ParticleSample;
pub use skin::ClusterSkin;

#[cfg(feature = "bevy_reflect")]
use bevy_reflect::std_traits::ReflectDefault;
use glam::Vec3;
use parry3d::shape::Shape;
use serde::{Deserialize, Serialize};
use xpbd_core::batch::Registry;
use xpbd_core::constraint::ConstraintError;
use xpbd_core::object::ParticleSettings;
use xpbd_core::plasticity::Plasticity;
use xpbd_core::world::Object;

/// Makes clusters known to a registry, which reads them from snapshots.
///
/// # Errors
/// The name is taken by another type.
pub fn register(registry: &mut Registry) -> Result<(), ConstraintError> {
    registry.register_batch::<ClusterBatch>(members::NAME, snapshot::restore)
}

/// A body of particles that keeps its shape: its particles, its material, and where it starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    /// Settings of its particles, which are in the order of x, then y, then z in the shape, or in that of the points they
    /// were created from.
    pub particles: ParticleSettings,
    /// Particles in the frame of the shape.
    pub sample: ParticleSample,
    /// Error of a constructor, which [`Cluster::build`] returns.
    #[serde(skip)]
    error: Option<ClusterError>,
    /// Settings that do not depend on the geometry.
    pub settings: ClusterSettings,
}

/// Settings of a cluster apart from its particles: its material.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, Default, PartialEq))]
pub struct ClusterSettings {
    /// Mass per volume \[kg/m³\], usually 100 (foam) to 8000 (steel). All particles have an equal part.
    pub density: f32,
    /// Compliance \[m/N\] of every particle toward its goal, 0 for a rigid body. A force F on one
    /// particle of many moves it α F away from its goal.
    pub compliance: f32,
    /// Plasticity of the rest shape. Only a body with compliance, or of many clusters, is deformed for longer than an
    /// impact.
    pub plasticity: Option<Plasticity>,
    /// Overlap of the clusters of a soft body.
    pub overlap: Option<ClusterOverlap>,
}

/// The clusters of a soft body, which overlap. The less they do the softer it is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct ClusterOverlap {
    /// Smallest distance of the centres of clusters \[m\].
    pub spacing: f32,
    /// Radius \[m\] within which particles belong to a cluster, no less than the spacing.
    pub radius: f32,
}

/// A cluster without particles.
impl Default for Cluster {
    fn default() -> Self {
        Self {
            particles: ParticleSettings::named("cluster"),
            sample: ParticleSample::default(),
            error: None,
            settings: ClusterSettings::default(),
        }
    }
}

/// One rigid cluster of 1000 kg/m³ (water) without plasticity.
impl Default for ClusterSettings {
    fn default() -> Self {
        Self { density: 1000.0, compliance: 0.0, plasticity: None, overlap: None }
    }
}

xpbd_core::particle_setters!(Cluster);
xpbd_core::setters!(Cluster: ClusterSettings {
    density: f32,
    compliance: f32,
    plasticity: Plasticity => Some,
});

impl Cluster {
    /// Creates a body that fills a shape with particles `spacing` \[m\] apart, about twice the radius of the
    /// world's particles. They lie on a lattice in the bounding box of the shape, each in the middle
    /// of its cell, so that a box is filled to its faces; those inside are kept.
    ///
    /// [`Cluster::build`] refuses a shape without bounds or volume, or without a lattice point
    /// inside, and a spacing that is not positive.
    pub fn from_shape(shape: &dyn Shape, spacing: f32) -> Self {
        Self::from_sample(ParticleSample::of(shape, spacing))
    }

    /// Creates a body that fills a closed triangle mesh, of vertex positions \[m\] and three indices per triangle,
    /// counter-clockwise seen from outside, with particles `spacing` \[m\] apart.
    ///
    /// [`Cluster::build`] refuses a mesh that is not closed, and what it refuses of [`Cluster::from_shape`].
    pub fn from_mesh(positions: &[Vec3], indices: &[u32], spacing: f32) -> Self {
        Self::from_sample(sample::solid(positions, indices).and_then(|shape| ParticleSample::of(&*shape, spacing)))
    }

    /// Creates a body of particles at these positions \[m\], each for a cube of `spacing` \[m\].
    ///
    /// [`Cluster::build`] refuses an empty list, and a position that is not finite.
    pub fn from_points(positions: &[Vec3], spacing: f32) -> Self {
        Self::from_sample(ParticleSample::points(positions, spacing))
    }

    fn from_sample(sample: Result<ParticleSample, ClusterError>) -> Self {
        match sample {
            Ok(sample) => Self { sample, ..Self::default() },
            Err(error) => Self { error: Some(error), ..Self::default() },
        }
    }

    /// Makes a soft body of overlapping clusters: their centres are at least `spacing` \[m\] apart and
    /// each has the particles within `radius` \[m\], no less than the spacing. The less they overlap the
    /// softer it is.
    #[must_use]
    pub fn overlapping(mut self, spacing: f32, radius: f32) -> Self {
        self.settings.overlap = Some(ClusterOverlap { spacing, radius });
        self
    }

    /// Pins the particles for which a predicate of their position in the shape \[m\] holds.
    #[must_use]
    pub fn pin_where(mut self, holds: impl Fn(Vec3) -> bool) -> Self {
        let pins = self.sample.positions.iter().zip(0..).filter(|&(&x, _)| holds(x));
        self.particles.pins.extend(pins.map(|(_, particle)| particle));
        self
    }

    /// Creates the object, ready to be added to a world, with a [`ClusterBatch`].
    ///
    /// # Errors
    /// The number or the element that is at fault.
    pub fn build(&self) -> Result<Object, ClusterError> {
        assemble::object(self)
    }
}
