//! What an emitter is made of.

use std::collections::VecDeque;

use glam::{Quat, Vec2, Vec3};
use serde::{Deserialize, Serialize};
use xpbd_core::world::{ObjectHandle, World};

use super::lattice::{NozzleLattice, Packing};
use super::{Emitter, Pose};
use crate::flow::{SpawnError, check};

/// What particles leave through; they go along the z axis of its pose.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum NozzleShape {
    /// A round hole: a layer at a time.
    Disc {
        /// \[m\]
        radius: f32,
    },
    /// A slot or a square: a layer at a time.
    Rectangle {
        /// \[m\]
        half_extents: Vec2,
    },
    /// A ball that is filled and leaves as a whole, again and again behind the one before.
    Ball {
        /// \[m\]
        radius: f32,
    },
    /// A box that is filled and leaves as a whole.
    Cuboid {
        /// \[m\]
        half_extents: Vec3,
    },
}

/// What an emitter does when there is no room left in its object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum WhenFull {
    /// Those that find no room do not come, now or later; the clock goes on.
    #[default]
    Wait,
    /// The oldest of this emitter go to make room.
    RecycleOldest,
}

/// A description of an [`Emitter`].
///
/// What is not said is: at the origin along +z, cubic packing two radii of the world's particles apart, without
/// jitter, as many as leave at rest density, for ever, [`WhenFull::Wait`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Nozzle {
    /// How fast particles leave \[m/s\]; see [`Emitter::set_speed`] for one that runs.
    pub speed: f32,
    shape: NozzleShape,
    pose: (Vec3, Quat),
    packing: Packing,
    spacing: Option<f32>,
    jitter: f32,
    rate: Option<f32>,
    max_particles: Option<u64>,
    lifetime: Option<f32>,
    when_full: WhenFull,
}

impl Nozzle {
    /// Creates an opening that particles leave at a speed \[m/s\]: positive, or 0 for a ball or a box that is filled
    /// once.
    pub fn new(opening: NozzleShape, speed: f32) -> Self {
        Self {
            shape: opening,
            speed,
            pose: (Vec3::ZERO, Quat::IDENTITY),
            packing: Packing::default(),
            spacing: None,
            jitter: 0.0,
            rate: None,
            max_particles: None,
            lifetime: None,
            when_full: WhenFull::default(),
        }
    }

    /// Where its middle is \[m\], and how it is turned; a rotation is normalized.
    #[must_use]
    pub fn at(mut self, position: Vec3, rotation: Quat) -> Self {
        self.pose = (position, rotation);
        self
    }

    /// How the particles are arranged.
    #[must_use]
    pub fn packing(mut self, packing: Packing) -> Self {
        self.packing = packing;
        self
    }

    /// The edge d \[m\] of the cube that a particle takes at rest, instead of two radii of the world's particles.
    #[must_use]
    pub fn spacing(mut self, spacing: f32) -> Self {
        self.spacing = Some(spacing);
        self
    }

    /// How far particles are off their sites along each axis, in parts of the spacing \[1\], at most 0.5. They come
    /// nearer to each other by twice that.
    #[must_use]
    pub fn jitter(mut self, jitter: f32) -> Self {
        self.jitter = jitter;
        self
    }

    /// Lets no more than this many come in a second \[1/s\]: one after the other at scattered sites, instead of
    /// layer by layer.
    #[must_use]
    pub fn rate(mut self, rate: f32) -> Self {
        self.rate = Some(rate);
        self
    }

    /// Stops when this many have come.
    #[must_use]
    pub fn max_particles(mut self, particles: u64) -> Self {
        self.max_particles = Some(particles);
        self
    }

    /// How long a particle stays \[s\].
    #[must_use]
    pub fn lifetime(mut self, lifetime: f32) -> Self {
        self.lifetime = Some(lifetime);
        self
    }

    /// What happens when there is no room left.
    #[must_use]
    pub fn when_full(mut self, when_full: WhenFull) -> Self {
        self.when_full = when_full;
        self
    }

    /// Returns the emitter into an object of a world, running.
    ///
    /// # Errors
    /// A stale handle, or the number at fault.
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
            pose: Pose::new(self.pose.0, self.pose.1)?,
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
