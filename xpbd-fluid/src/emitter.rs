//! Emitters: openings that particles leave at a speed, at the density of liquid at rest.
//!
//! Layers leave an opening a distance a apart, one every a/v, whatever the length of frames: one that was due a
//! time τ ago is put where it would be by now, v τ ahead, with the velocity that it would have by now. It
//! activates inactive particles of an object ([`World::spawn`]), whose number limits it.
//!
//! ```
//! use glam::{Quat, Vec3};
//! use parry3d::math::Pose;
//! use xpbd_core::prelude::*;
//! use xpbd_fluid::emitter::{Nozzle, NozzleShape};
//!
//! let mut world = World::new(Settings { particle_radius: 0.01, ..Settings::default() })?;
//! let water = world.add(Object::new("water", vec![], 0.008).capacity(2000, 0.008))?;
//! let down = Quat::from_rotation_arc(Vec3::Z, Vec3::NEG_Y);
//! let tap = Nozzle::new(NozzleShape::Disc { radius: 0.03 }, 1.0).at(Pose::from_parts(Vec3::Y, down)).lifetime(5.0);
//! let mut tap = tap.emitter(&world, water)?;
//!
//! let mut cpu = CpuBackend::default();
//! for _ in 0..30 {
//!     tap.step(&mut world, 1.0 / 60.0)?;
//!     world.step(&mut cpu, 1.0 / 60.0)?;
//! }
//! // Layers of 7 every 0.02 m, the first at once, for half a second less a frame.
//! assert_eq!(world.active_count(water)? as u64, tap.emitted());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod emission;
mod lattice;
mod lifetime;
mod nozzle;
mod scatter;
mod shape;

pub use lattice::Packing;
pub use nozzle::{Nozzle, WhenFull};
pub use shape::NozzleShape;

use std::collections::VecDeque;

use parry3d::math::Pose;
use serde::{Deserialize, Serialize};
use xpbd_core::scalar::rotation::normalized;
use xpbd_core::world::{ObjectHandle, World};

use crate::error::{SpawnError, check, check_frame};
use lattice::NozzleLattice;
use lifetime::LiveParticle;

/// An emitter of particles into an object of a world; a [`Nozzle`] describes it.
///
/// It holds everything that later frames depend on: an emitter that is saved with a snapshot of the world and restored
/// with it continues with the same bits.
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
    /// The pose in the frame before.
    previous_pose: Option<Pose>,
    /// Length of the frame before \[s\].
    last_frame: f32,
    is_running: bool,
    /// Time since the emitter was made \[s\].
    time: f64,
    /// Number of layers, or of particles that leave alone, that are due, with the fraction of the next.
    due_layers: f64,
    /// Number of layers, or of particles that leave alone, that have left.
    emitted_layers: u64,
    emitted: u64,
    deactivated: u64,
    live_particles: VecDeque<LiveParticle>,
}

/// The particles that an emitter activated and deactivated in a frame.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EmissionReport {
    /// Particles that left the nozzle.
    pub spawned: Vec<u32>,
    /// Particles that were deactivated at the end of their lifetime.
    pub expired: Vec<u32>,
    /// Particles that were deactivated to make room.
    pub recycled: Vec<u32>,
    /// Number of particles that found no capacity.
    pub rejected: u64,
}

/// Returns a pose with its rotation normalised.
///
/// # Errors
/// A pose that is not finite, or a rotation that is zero.
fn checked_pose(pose: Pose) -> Result<Pose, SpawnError> {
    let length = pose.rotation.length();
    if !(pose.translation.is_finite() && length.is_finite() && length > 1e-6) {
        let (value, must) =
            (format!("{}, {}", pose.translation, pose.rotation), "finite, with a rotation that is not zero");
        return Err(SpawnError::Vector { what: "the pose", value, must });
    }
    Ok(Pose::from_parts(pose.translation, normalized(pose.rotation)))
}

impl Emitter {
    /// Returns the object that it fills.
    pub fn object(&self) -> ObjectHandle {
        self.object
    }

    /// Returns the number of particles of a whole layer, or of a ball or a box that leaves at once; of two alternating
    /// layers that of the first.
    pub fn particles_per_layer(&self) -> usize {
        self.lattice.layers.first().map_or(0, Vec::len)
    }

    /// Returns the number of particles that leave in a second \[1/s\] while it runs.
    pub fn particles_per_second(&self) -> f64 {
        let each = if self.rate.is_some() { 1.0 } else { self.lattice.mean_layer_size() };
        each / self.interval()
    }

    /// Returns the number of particles that have left.
    pub fn emitted(&self) -> u64 {
        self.emitted
    }

    /// Returns the number of its particles that it has deactivated, at the end of their lifetime or to make room.
    pub fn deactivated(&self) -> u64 {
        self.deactivated
    }

    /// Returns whether particles leave.
    pub fn is_running(&self) -> bool {
        self.is_running
    }

    /// Starts the emitter again; the first layer leaves at once.
    pub fn start(&mut self) {
        if !self.is_running {
            (self.is_running, self.due_layers) = (true, 1.0);
        }
    }

    /// Stops the emitter. Particles that have left keep their lifetime.
    pub fn stop(&mut self) {
        self.is_running = false;
    }

    /// Moves the emitter to a pose, where it is at the next [`Emitter::step`]. Particles that left since the last step
    /// start from poses in between; they do not take over its velocity.
    ///
    /// # Errors
    /// A pose that is not finite, or a rotation that is zero.
    pub fn move_to(&mut self, pose: impl Into<Pose>) -> Result<(), SpawnError> {
        self.pose = checked_pose(pose.into())?;
        Ok(())
    }

    /// Changes the speed \[m/s\] of particles that leave from now on.
    ///
    /// # Errors
    /// A speed that is not finite or is negative, or 0 for a flat opening.
    pub fn set_speed(&mut self, speed: f32) -> Result<(), SpawnError> {
        let must = if self.is_flat { "finite and positive" } else { "finite and not negative" };
        check("the speed", speed, must, speed > 0.0 || (!self.is_flat && speed == 0.0))?;
        self.speed = speed;
        Ok(())
    }

    /// Returns the time between layers, or between particles that leave alone \[s\]; infinite without speed.
    fn interval(&self) -> f64 {
        let layers = f64::from(self.lattice.advance) / f64::from(self.speed);
        match self.rate {
            Some(rate) => (1.0 / f64::from(rate)).max(layers / self.lattice.mean_layer_size().max(1.0)),
            None => layers,
        }
    }

    /// Deactivates the particles whose lifetime has ended, activates those that are due, and advances its time by a frame
    /// of `dt` \[s\]. Call it once a frame, before the world's step of the same length.
    ///
    /// # Errors
    /// A `dt` that is negative or not finite, or an object that has been removed; nothing has changed then. Particles
    /// whose position would not be finite, after a very long frame, are rejected.
    pub fn step(&mut self, world: &mut World, dt: f32) -> Result<EmissionReport, SpawnError> {
        check_frame(dt)?;
        world.active_count(self.object)?;
        let mut report = EmissionReport::default();
        self.expire(world, &mut report)?;
        if self.is_running {
            self.emit(world, &mut report)?;
            self.due_layers += f64::from(dt) / self.interval();
        }
        self.time += f64::from(dt);
        (self.previous_pose, self.last_frame) = (Some(self.pose), dt);
        Ok(report)
    }

    /// Activates the particles that are due.
    fn emit(&mut self, world: &mut World, report: &mut EmissionReport) -> Result<(), SpawnError> {
        let capacity = self.free_capacity(world)?;
        let (spawns, birth_times) = self.due_spawns(world, capacity, report)?;
        if self.when_full == WhenFull::RecycleOldest {
            self.recycle(world, spawns.len().saturating_sub(capacity), report)?;
        }
        let spawned = world.spawn(self.object, &spawns)?;
        report.rejected += spawned.rejected as u64;
        self.emitted += spawned.particles.len() as u64;
        self.track(world, &spawned.particles, &birth_times)?;
        report.spawned = spawned.particles;
        if self.max_particles.is_some_and(|most| self.emitted >= most) {
            self.is_running = false;
        }
        Ok(())
    }

    /// Returns the number of inactive particles of its object.
    fn free_capacity(&self, world: &World) -> Result<usize, SpawnError> {
        Ok(world.positions(self.object)?.len() - world.active_count(self.object)?)
    }
}
