//! Emitters: openings that particles leave at a speed, at the density of liquid at rest.
//!
//! Layers leave an opening a distance a apart, one every a/v, whatever the length of frames: one that was due a
//! time τ ago is where it would have come by now, v τ ahead, and falls as fast as it would have come to. It
//! comes into the absent particles of an object ([`World::spawn`]), which are its budget.
//!
//! ```
//! use glam::{Quat, Vec3};
//! use xpbd_core::prelude::*;
//! use xpbd_fluid::emitter::{Nozzle, Opening};
//!
//! let mut world = World::new(Settings { radius: 0.01, ..Settings::default() })?;
//! let water = world.add(Object::new("water", vec![], 0.008).spare(2000, 0.008))?;
//! let down = Quat::from_rotation_arc(Vec3::Z, Vec3::NEG_Y);
//! let tap = Nozzle::new(Opening::Disc { radius: 0.03 }, 1.0).at(Vec3::Y, down).lifetime(5.0);
//! let mut tap = tap.emitter(&world, water)?;
//!
//! let mut cpu = CpuBackend::default();
//! for _ in 0..30 {
//!     tap.step(&mut world, 1.0 / 60.0)?;
//!     world.step(&mut cpu, 1.0 / 60.0)?;
//! }
//! // Layers of 7 every 0.02 m, the first at once, in half a second less a frame.
//! assert_eq!(world.present_count(water)? as u64, tap.emitted());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod emission;
mod lattice;
mod lifetime;
mod nozzle;
mod scatter;

pub use lattice::Packing;
pub use nozzle::{Nozzle, NozzleShape, WhenFull};

use std::collections::VecDeque;

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};
use xpbd_core::world::{ObjectHandle, World};

use crate::flow::{SpawnError, check, check_frame};
use lattice::NozzleLattice;
use lifetime::LiveParticle;

/// Lets particles come into an object of a world; a [`Nozzle`] describes it.
///
/// Everything that later frames depend on is in it: saved beside a snapshot of the world and restored with it, it
/// goes on as if it had never stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Emitter {
    object: ObjectHandle,
    lattice: NozzleLattice,
    is_flat: bool,
    spacing: f32,
    jitter: f32,
    rate: Option<f32>,
    max_particles: Option<u64>,
    lifetime: Option<f32>,
    when_full: WhenFull,
    speed: f32,
    pose: Pose,
    /// The pose at the frame before.
    previous_pose: Option<Pose>,
    /// Length of the frame before \[s\].
    last_frame: f32,
    is_running: bool,
    /// Time since it was made \[s\].
    time: f64,
    /// How many layers, or particles that come singly, are due, with the part of the next.
    due_layers: f64,
    /// How many have been.
    emitted_layers: u64,
    emitted: u64,
    deactivated: u64,
    live_particles: VecDeque<LiveParticle>,
}

/// What an emitter did in a frame.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EmissionReport {
    /// Particles that have come.
    pub spawned: Vec<u32>,
    /// Particles that have gone at the end of their lifetime.
    pub expired: Vec<u32>,
    /// Particles that have gone to make room.
    pub recycled: Vec<u32>,
    /// How many found no room.
    pub missing: u64,
}

/// Where an emitter is, and how it is turned.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Pose {
    position: Vec3,
    rotation: Quat,
}

impl Pose {
    fn new(position: Vec3, rotation: Quat) -> Result<Self, SpawnError> {
        let length = rotation.length();
        if !(position.is_finite() && length.is_finite() && length > 1e-6) {
            let must = "finite, with a rotation that is not zero";
            return Err(SpawnError::Vector { what: "the pose", value: format!("{position}, {rotation}"), must });
        }
        Ok(Self { position, rotation: rotation.normalize() })
    }

    fn toward(self, other: Self, part: f32) -> Self {
        let rotation = self.rotation.lerp(other.rotation, part);
        Self { position: self.position.lerp(other.position, part), rotation }
    }
}

impl Emitter {
    /// Returns the object that it fills.
    pub fn object(&self) -> ObjectHandle {
        self.object
    }

    /// Returns how many particles a whole layer has, or a ball or a box that leaves at once; of layers of two kinds the
    /// first.
    pub fn particles_per_layer(&self) -> usize {
        self.lattice.layers.first().map_or(0, Vec::len)
    }

    /// Returns how many particles leave in a second \[1/s\] while it runs.
    pub fn particles_per_second(&self) -> f64 {
        let each = if self.rate.is_some() { 1.0 } else { self.lattice.mean_layer_size() };
        each / self.interval()
    }

    /// Returns how many particles have come.
    pub fn emitted(&self) -> u64 {
        self.emitted
    }

    /// Returns how many of them it has made go, at the end of their lifetime or for others.
    pub fn deactivated(&self) -> u64 {
        self.deactivated
    }

    /// Returns whether it lets particles come.
    pub fn is_running(&self) -> bool {
        self.is_running
    }

    /// Lets particles come again, the first at once.
    pub fn start(&mut self) {
        if !self.is_running {
            (self.is_running, self.due_layers) = (true, 1.0);
        }
    }

    /// Lets no more particles come. Those that are there have their lifetime.
    pub fn stop(&mut self) {
        self.is_running = false;
    }

    /// Moves it to a position \[m\] where it is at the next [`Emitter::step`]. Those that left since the last come
    /// from in between; they do not take its velocity on.
    ///
    /// # Errors
    /// A pose that is not finite, or a rotation that is zero.
    pub fn move_to(&mut self, position: Vec3, rotation: Quat) -> Result<(), SpawnError> {
        self.pose = Pose::new(position, rotation)?;
        Ok(())
    }

    /// Changes the speed \[m/s\] of those that come from now on.
    ///
    /// # Errors
    /// A speed that is not finite or negative, or 0 for an opening that is flat.
    pub fn set_speed(&mut self, speed: f32) -> Result<(), SpawnError> {
        let must = if self.is_flat { "finite and positive" } else { "finite and not negative" };
        check("the speed", speed, must, speed > 0.0 || (!self.is_flat && speed == 0.0))?;
        self.speed = speed;
        Ok(())
    }

    /// Returns the time between layers, or between particles that come singly \[s\]; infinite without speed.
    fn interval(&self) -> f64 {
        let layers = f64::from(self.lattice.advance) / f64::from(self.speed);
        match self.rate {
            Some(rate) => (1.0 / f64::from(rate)).max(layers / self.lattice.mean_layer_size().max(1.0)),
            None => layers,
        }
    }

    /// Lets particles go and come as they are due now, and its clock go on by a frame of `dt` \[s\]. Called once a
    /// frame, before the world's step of the same length.
    ///
    /// # Errors
    /// A `dt` that is negative or not finite, or an object that has been removed; nothing has changed then. After
    /// a frame so long that particles would be where no number reaches, those do not come.
    pub fn step(&mut self, world: &mut World, dt: f32) -> Result<EmissionReport, SpawnError> {
        check_frame(dt)?;
        world.active_count(self.object)?;
        let mut emission = EmissionReport::default();
        self.expire(world, &mut emission)?;
        if self.is_running {
            self.emit(world, &mut emission)?;
            self.due_layers += f64::from(dt) / self.interval();
        }
        self.time += f64::from(dt);
        (self.previous_pose, self.last_frame) = (Some(self.pose), dt);
        Ok(emission)
    }

    /// Lets those come that are due.
    fn emit(&mut self, world: &mut World, emission: &mut EmissionReport) -> Result<(), SpawnError> {
        let room = self.free_capacity(world)?;
        let (spawns, births) = self.due_spawns(world, room, emission)?;
        if self.when_full == WhenFull::RecycleOldest {
            self.recycle(world, spawns.len().saturating_sub(room), emission)?;
        }
        let spawned = world.spawn(self.object, &spawns)?;
        emission.missing += spawned.rejected as u64;
        self.emitted += spawned.particles.len() as u64;
        self.track(world, &spawned.particles, &births)?;
        emission.spawned = spawned.particles;
        if self.max_particles.is_some_and(|most| self.emitted >= most) {
            self.is_running = false;
        }
        Ok(())
    }

    /// Returns how many particles of its object are absent.
    fn free_capacity(&self, world: &World) -> Result<usize, SpawnError> {
        Ok(world.positions(self.object)?.len() - world.active_count(self.object)?)
    }
}
