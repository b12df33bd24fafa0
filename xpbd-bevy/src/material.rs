//! What things are made of, as components beside what they are.

use bevy::prelude::*;
use xpbd_core::world as core;

/// Coulomb friction \[1\]; two surfaces in contact combine to the geometric mean.
#[derive(Component, Debug, Clone, Copy, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Friction {
    /// While it sticks, at least `dynamic`.
    pub static_coefficient: f32,
    /// While it slides.
    pub dynamic_coefficient: f32,
}

impl Friction {
    /// The same sticking and sliding.
    pub fn new(coefficient: f32) -> Self {
        Self { static_coefficient: coefficient, dynamic_coefficient: coefficient }
    }
}

impl Default for Friction {
    fn default() -> Self {
        let core::Friction { static_coefficient: fixed, dynamic_coefficient: dynamic } = core::Friction::default();
        Self { static_coefficient: fixed, dynamic_coefficient: dynamic }
    }
}

impl From<Friction> for core::Friction {
    fn from(Friction { static_coefficient: fixed, dynamic_coefficient: dynamic }: Friction) -> Self {
        Self { static_coefficient: fixed, dynamic_coefficient: dynamic }
    }
}

/// How fast bodies rebound, over how fast they came \[1\], from 0 to 1; of two the larger counts.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Restitution(pub f32);

/// Density of a collider \[kg/m³\], from which the mass of its body comes.
#[derive(Component, Debug, Clone, Copy, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Density(pub f32);

/// Water's.
impl Default for Density {
    fn default() -> Self {
        Self(1000.0)
    }
}

/// Who collides with whom: two things do if each is in a group that the other's mask names.
#[derive(Component, Debug, Clone, Copy, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct CollisionGroups {
    /// The groups it is in, one bit each.
    pub memberships: u32,
    /// The groups it collides with.
    pub filters: u32,
}

impl CollisionGroups {
    /// Returns the filter that says so.
    pub(crate) fn filter(self, self_collision: bool) -> core::CollisionLayers {
        core::CollisionLayers { memberships: self.memberships, filters: self.filters, self_collision }
    }
}

/// In the first group, and colliding with all.
impl Default for CollisionGroups {
    fn default() -> Self {
        let core::CollisionLayers { memberships: groups, filters: mask, .. } = core::CollisionLayers::default();
        Self { memberships: groups, filters: mask }
    }
}

/// Factor of gravity \[1\].
#[derive(Component, Debug, Clone, Copy, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct GravityScale(pub f32);

impl Default for GravityScale {
    fn default() -> Self {
        Self(1.0)
    }
}

/// Velocity that a thing starts with; that of a body is kept up to date, and may be set.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Velocity {
    /// Velocity \[m/s\].
    pub linear: Vec3,
    /// Angular velocity \[rad/s\]; for bodies, clusters and soft bodies alone.
    pub angular: Vec3,
}

/// Damping of a body \[1/s\]: velocity decays by about this part of itself a second.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Damping {
    /// Of the velocity.
    pub linear: f32,
    /// Of the angular velocity.
    pub angular: f32,
}
