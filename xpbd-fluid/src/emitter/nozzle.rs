//! The description of an emitter.

use std::collections::VecDeque;

use parry3d::math::Pose;
use serde::{Deserialize, Serialize};
use xpbd_core::world::{ObjectHandle, World};

use super::lattice::{NozzleLattice, Packing};
use super::shape::NozzleShape;
use super::{Emitter, checked_pose};
use crate::error::{SpawnError, check};

/// The behaviour of an emitter whose object has no inactive particle left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub enum WhenFull {
    /// Particles that find no capacity are dropped; the emitter goes on.
    #[default]
    Wait,
    /// The oldest particles of this emitter are deactivated to make room.
    RecycleOldest,
}

/// A description of an [`Emitter`].
///
/// By default it is at the origin, along +z, with cubic packing two radii of the world's particles apart, without
/// jitter, at rest density, for ever, and with [`WhenFull::Wait`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct Nozzle {
    /// The speed at which particles leave \[m/s\]; [`Emitter::set_speed`] changes that of an emitter.
    pub speed: f32,
    shape: NozzleShape,
    #[cfg_attr(feature = "bevy_reflect", reflect(ignore))]
    pose: Pose,
    packing: Packing,
    spacing: Option<f32>,
    jitter: f32,
    rate: Option<f32>,
    max_particles: Option<u64>,
    lifetime: Option<f32>,
    when_full: WhenFull,
}

impl Nozzle {
    /// Returns a nozzle that particles leave at a speed \[m/s\]: positive, or 0 for a ball or a box that is filled
    /// once.
    pub fn new(shape: NozzleShape, speed: f32) -> Self {
        Self {
            shape,
            speed,
            pose: Pose::IDENTITY,
            packing: Packing::default(),
            spacing: None,
            jitter: 0.0,
            rate: None,
            max_particles: None,
            lifetime: None,
            when_full: WhenFull::default(),
        }
    }

    /// Sets the pose of its centre; the rotation is normalised.
    #[must_use]
    pub fn at(mut self, pose: impl Into<Pose>) -> Self {
        self.pose = pose.into();
        self
    }

    /// Sets the arrangement of the particles.
    #[must_use]
    pub fn packing(mut self, packing: Packing) -> Self {
        self.packing = packing;
        self
    }

    /// Sets the edge d \[m\] of the cube that a particle fills at rest; two radii of the world's particles by default.
    #[must_use]
    pub fn spacing(mut self, spacing: f32) -> Self {
        self.spacing = Some(spacing);
        self
    }

    /// Sets the largest distance of particles from their sites along each axis, over the spacing \[1\], at most 0.5.
    /// Particles may be nearer to each other by twice that.
    #[must_use]
    pub fn jitter(mut self, jitter: f32) -> Self {
        self.jitter = jitter;
        self
    }

    /// Sets the largest number of particles in a second \[1/s\]: they leave one after the other at scattered sites,
    /// instead of layer by layer.
    #[must_use]
    pub fn rate(mut self, rate: f32) -> Self {
        self.rate = Some(rate);
        self
    }

    /// Stops the emitter after this many particles.
    #[must_use]
    pub fn max_particles(mut self, particles: u64) -> Self {
        self.max_particles = Some(particles);
        self
    }

    /// Sets the time after which a particle is deactivated \[s\].
    #[must_use]
    pub fn lifetime(mut self, lifetime: f32) -> Self {
        self.lifetime = Some(lifetime);
        self
    }

    /// Sets the behaviour when the object has no inactive particle left.
    #[must_use]
    pub fn when_full(mut self, when_full: WhenFull) -> Self {
        self.when_full = when_full;
        self
    }

    /// Returns a running emitter into an object of a world.
    ///
    /// # Errors
    /// The object has been removed, or a number is not valid.
    pub fn emitter(self, world: &World, object: ObjectHandle) -> Result<Emitter, SpawnError> {
        world.active_count(object)?;
        let spacing = self.spacing.unwrap_or(2.0 * world.settings().particle_radius);
        check("the spacing", spacing, "finite and positive", spacing > 0.0)?;
        check("the jitter", self.jitter, "in [0, 0.5]", (0.0..=0.5).contains(&self.jitter))?;
        if let Some(rate) = self.rate {
            check("the rate", rate, "finite and positive", rate > 0.0)?;
        }
        if let Some(lifetime) = self.lifetime {
            check("the lifetime", lifetime, "finite and positive", lifetime > 0.0)?;
        }
        let lattice = NozzleLattice::new(self.shape, self.packing, spacing)?;
        let mut emitter = Emitter {
            object,
            lattice,
            is_flat: self.shape.is_flat(),
            spacing,
            jitter: self.jitter,
            rate: self.rate,
            max_particles: self.max_particles,
            lifetime: self.lifetime,
            when_full: self.when_full,
            speed: 0.0,
            pose: checked_pose(self.pose)?,
            previous_pose: None,
            last_frame: 0.0,
            is_running: true,
            time: 0.0,
            due_layers: 1.0,
            emitted_layers: 0,
            emitted: 0,
            deactivated: 0,
            live_particles: VecDeque::new(),
        };
        emitter.set_speed(self.speed)?;
        Ok(emitter)
    }
}
