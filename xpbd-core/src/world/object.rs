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
    pub fixed: f32,
    /// The same ratio while it slides, at least 0.
    pub dynamic: f32,
}

impl Friction {
    /// The same coefficient sticking and sliding.
    pub fn new(coefficient: f32) -> Self {
        Self { fixed: coefficient, dynamic: coefficient }
    }

    /// The friction between two surfaces.
    pub fn combine(self, other: Self) -> Self {
        Self { fixed: (self.fixed * other.fixed).sqrt(), dynamic: (self.dynamic * other.dynamic).sqrt() }
    }

    /// Whether both coefficients are finite, not negative, and sticking is not the weaker one.
    pub fn is_valid(self) -> bool {
        self.fixed.is_finite() && self.dynamic >= 0.0 && self.fixed >= self.dynamic
    }

    pub(super) fn check(self) -> Result<(), WorldError> {
        if self.is_valid() {
            return Ok(());
        }
        let must = "finite, not negative, and no less when sticking than when sliding";
        Err(WorldError::Placement { what: "the friction", value: format!("{self:?}"), must })
    }
}

impl Default for Friction {
    fn default() -> Self {
        Self::new(0.4)
    }
}

/// Who collides with whom. Two things collide if each is in a group that the other's mask names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// The groups it is in, one bit each.
    pub groups: u32,
    /// The groups it collides with.
    pub mask: u32,
    /// Whether its own particles collide with each other; ignored for colliders.
    pub self_collision: bool,
}

impl Filter {
    /// Whether the groups and masks let the two collide.
    pub fn allows(self, other: Self) -> bool {
        self.groups & other.mask != 0 && other.groups & self.mask != 0
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self { groups: 1, mask: u32::MAX, self_collision: false }
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
    pub rest: Vec<Vec3>,
    /// Particles that do not move.
    pub pins: Vec<u32>,
    /// Masses \[kg\] of absent particles, numbered behind the others; see [`Object::spare`].
    pub spare: Vec<f32>,
    /// Friction against colliders and other particles.
    pub friction: Friction,
    /// Who it collides with.
    pub filter: Filter,
    /// Triangles that collide with surfaces in place of its particles.
    pub surface: Option<Surface>,
    /// Factor of gravity \[1\].
    pub gravity_scale: f32,
    /// Drag \[1/s\]: velocity decays by about this part of itself a second.
    pub drag: f32,
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
            rest: Vec::new(),
            pins: Vec::new(),
            spare: Vec::new(),
            friction: Friction::default(),
            filter: Filter::default(),
            surface: None,
            gravity_scale: 1.0,
            drag: 0.0,
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
    pub fn spare(mut self, count: usize, mass: f32) -> Self {
        self.spare.resize(self.spare.len() + count, mass);
        self
    }

    /// Sets one velocity \[m/s\] for all particles.
    #[must_use]
    pub fn velocity(mut self, velocity: Vec3) -> Self {
        self.velocities = vec![velocity; self.positions.len()];
        self
    }
}
