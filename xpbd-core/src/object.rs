//! What is added to a world in one piece: a cloth, a rope, a heap of grains.

pub mod particle_settings;
pub mod stiffness;
pub mod support;
mod surface;

pub use particle_settings::{IntoPose, ParticleSettings};
pub use stiffness::ParticleStiffness;
pub use support::{Support, Supports};
pub use surface::Surface;

use std::ops::Range;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::batch::ConstraintBatch;
use crate::friction::Friction;
use crate::handle::{ObjectHandle, OrderedMap};
use crate::layers::CollisionLayers;
use crate::sleep::SleepState;

/// Particles and the constraints among them, on their way into a world.
///
/// Nothing is checked until [`World::add`](crate::world::World::add), which refuses the whole object
/// naming the element at fault.
#[derive(Debug)]
pub struct Object {
    /// For messages and reports.
    pub name: String,
    /// Positions \[m\].
    pub positions: Vec<Vec3>,
    /// Masses \[kg\], positive; what may not move is pinned, not massless.
    pub masses: Vec<f32>,
    /// Velocities \[m/s\]; empty for an object at rest.
    pub velocities: Vec<Vec3>,
    /// Positions in the rest shape \[m\]: particles closer there than they may come do not collide
    /// with each other. Empty to take `positions`.
    pub rest_positions: Vec<Vec3>,
    /// Particles that do not move.
    pub pins: Vec<u32>,
    /// Masses \[kg\] of absent particles, numbered behind the others; see [`Object::inactive_masses`].
    pub inactive_masses: Vec<f32>,
    /// Friction against colliders and other particles.
    pub friction: Friction,
    /// Coefficient of restitution against colliders and other particles \[1\], from 0 to 1: the larger one of both counts.
    pub restitution: f32,
    /// Collision layers that decide with what it collides.
    pub collision_layers: CollisionLayers,
    /// Triangles that collide with surfaces in place of its particles.
    pub surface: Option<Surface>,
    /// Triangles between its particles that [queries](crate::query) find; if there are none, those of `surface`.
    pub triangles: Vec<[u32; 3]>,
    /// Pins that its constraints hold its particles by, for contacts with what is much heavier.
    pub supports: Vec<Support>,
    /// Stiffness with which its constraints hold its particles, for contacts with what is much heavier.
    pub stiffness: ParticleStiffness,
    /// Factor of gravity \[1\].
    pub gravity_scale: f32,
    /// Drag \[1/s\]: velocity decays by about this part of itself a second.
    pub linear_damping: f32,
    /// True if it may [fall asleep](crate::world::World::set_can_sleep) when it has come to rest.
    pub can_sleep: bool,
    /// Constraints among its particles.
    pub batches: Vec<Box<dyn ConstraintBatch>>,
}

impl Object {
    /// Particles of equal mass \[kg\] at rest at these positions \[m\].
    pub fn new(name: impl Into<String>, positions: Vec<Vec3>, mass: f32) -> Self {
        Self {
            name: name.into(),
            masses: vec![mass; positions.len()],
            positions,
            velocities: Vec::new(),
            rest_positions: Vec::new(),
            pins: Vec::new(),
            inactive_masses: Vec::new(),
            friction: Friction::default(),
            restitution: 0.0,
            collision_layers: CollisionLayers::default(),
            surface: None,
            triangles: Vec::new(),
            supports: Vec::new(),
            stiffness: ParticleStiffness::default(),
            gravity_scale: 1.0,
            linear_damping: 0.0,
            can_sleep: false,
            batches: Vec::new(),
        }
    }

    /// Adds constraints among the particles.
    #[must_use]
    pub fn with(mut self, batch: impl ConstraintBatch) -> Self {
        self.batches.push(Box::new(batch));
        self
    }

    /// Pins particles.
    #[must_use]
    pub fn pin(mut self, particles: impl IntoIterator<Item = u32>) -> Self {
        self.pins.extend(particles);
        self
    }

    /// Lets triangles between the particles collide, kept `thickness` \[m\] apart.
    #[must_use]
    pub fn surface(mut self, triangles: Vec<[u32; 3]>, thickness: f32) -> Self {
        self.surface = Some(Surface { triangles, thickness, permeability: 0.0 });
        self
    }

    /// Adds room for particles that come later ([`World::spawn`](crate::world::World::spawn)): `count` absent ones
    /// of this mass \[kg\], behind all others. They collide with each other where the object does with itself:
    /// their places in the rest shape are far from all others.
    #[must_use]
    pub fn capacity(mut self, count: usize, mass: f32) -> Self {
        self.inactive_masses.resize(self.inactive_masses.len() + count, mass);
        self
    }

    /// Sets one velocity \[m/s\] for all particles.
    #[must_use]
    pub fn velocity(mut self, velocity: Vec3) -> Self {
        self.velocities = vec![velocity; self.positions.len()];
        self
    }
}

/// An object as the world holds it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ObjectState {
    /// Name of the object, for messages.
    pub name: String,
    /// Indices of its particles.
    pub range: Range<usize>,
    /// Friction of its particles.
    pub friction: Friction,
    /// Coefficient of restitution of its particles \[1\].
    pub restitution: f32,
    /// Collision layers that decide with what it collides.
    pub collision_layers: CollisionLayers,
    /// Factor of gravity \[1\].
    pub gravity_scale: f32,
    /// Drag \[1/s\].
    pub linear_damping: f32,
    /// True if it became non-finite and is left out of the simulation.
    pub frozen: bool,
    /// True if it may fall asleep when it has come to rest.
    pub can_sleep: bool,
    /// Sleep of its particles, which all sleep or none.
    pub sleep: SleepState,
    /// The triangles that it collides with, if not its particles do.
    pub surface: Option<Surface>,
    /// Triangles that queries find, if they are not those of the surface.
    pub triangles: Vec<[u32; 3]>,
    /// Pins that hold its particles.
    pub supports: Vec<Support>,
    /// Stiffness with which its constraints hold its particles.
    pub stiffness: ParticleStiffness,
    /// Pinned particles that move to a place \[m\] during the next frame.
    pub pin_targets: Vec<(u32, Vec3)>,
}

impl ObjectState {
    /// Returns whether its constraints are solved: it is neither frozen nor asleep.
    pub fn is_live(&self) -> bool {
        !self.frozen && !self.sleep.asleep
    }

    /// Returns the triangles that queries find, three particles of the object each.
    pub fn triangles(&self) -> &[[u32; 3]] {
        match &self.surface {
            Some(surface) if self.triangles.is_empty() => &surface.triangles,
            _ => &self.triangles,
        }
    }
}

/// Returns the object of a particle, as its index in the order of objects.
pub(crate) fn owner_of(objects: &OrderedMap<ObjectHandle, ObjectState>, particle: u32) -> usize {
    objects.keys().partition_point(|&key| objects.get(key).is_some_and(|o| o.range.end <= particle as usize))
}
