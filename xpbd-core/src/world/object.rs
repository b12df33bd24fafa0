//! What is added to a world in one piece: a cloth, a rope, a heap of grains.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::error::WorldError;
use crate::batch::ConstraintBatch;
use crate::collide::Surface;

/// Coulomb friction coefficients \[1\]. Two surfaces in contact combine to the geometric mean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Friction {
    /// Tangential over normal force up to which a contact sticks, at least `dynamic`.
    pub static_coefficient: f32,
    /// The same ratio while it slides, at least 0.
    pub dynamic_coefficient: f32,
}

impl Friction {
    /// The same coefficient sticking and sliding.
    pub fn new(coefficient: f32) -> Self {
        Self { static_coefficient: coefficient, dynamic_coefficient: coefficient }
    }

    /// The friction between two surfaces.
    pub fn combine(self, other: Self) -> Self {
        Self {
            static_coefficient: (self.static_coefficient * other.static_coefficient).sqrt(),
            dynamic_coefficient: (self.dynamic_coefficient * other.dynamic_coefficient).sqrt(),
        }
    }

    /// Returns whether both coefficients are finite, not negative, and sticking is not the weaker one.
    pub fn is_valid(self) -> bool {
        self.static_coefficient.is_finite()
            && self.dynamic_coefficient >= 0.0
            && self.static_coefficient >= self.dynamic_coefficient
    }

    pub(super) fn check(self) -> Result<(), WorldError> {
        if self.is_valid() {
            return Ok(());
        }
        let must = "finite, not negative, and no less when sticking than when sliding";
        Err(WorldError::InvalidValue { what: "the friction", value: format!("{self:?}"), must })
    }
}

impl Default for Friction {
    fn default() -> Self {
        Self::new(0.4)
    }
}

/// Who collides with whom. Two things collide if each is in a group that the other's mask names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollisionLayers {
    /// The groups it is in, one bit each.
    pub memberships: u32,
    /// The groups it collides with.
    pub filters: u32,
    /// True if its own particles collide with each other; ignored for colliders.
    pub self_collision: bool,
}

impl CollisionLayers {
    /// Returns whether the groups and masks let the two collide.
    pub fn interacts_with(self, other: Self) -> bool {
        self.memberships & other.filters != 0 && other.memberships & self.filters != 0
    }
}

impl Default for CollisionLayers {
    fn default() -> Self {
        Self { memberships: 1, filters: u32::MAX, self_collision: false }
    }
}

/// Particles and the constraints among them, on their way into a world.
///
/// Nothing is checked until [`World::add`](super::World::add), which refuses the whole object
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
    /// Who it collides with.
    pub collision_layers: CollisionLayers,
    /// Triangles that collide with surfaces in place of its particles.
    pub surface: Option<Surface>,
    /// Factor of gravity \[1\].
    pub gravity_scale: f32,
    /// Drag \[1/s\]: velocity decays by about this part of itself a second.
    pub linear_damping: f32,
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
            collision_layers: CollisionLayers::default(),
            surface: None,
            gravity_scale: 1.0,
            linear_damping: 0.0,
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
        self.surface = Some(Surface { triangles, thickness });
        self
    }

    /// Adds room for particles that come later ([`World::spawn`](super::World::spawn)): `count` absent ones
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
