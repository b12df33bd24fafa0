//! Materials, layers, velocities and damping: components beside what they belong to.

use bevy::prelude::*;
use xpbd_core::world as core;

/// Declares a component of one number or vector.
macro_rules! value_component {
    ($(#[$about:meta])* $name:ident($value:ty)) => {
        $(#[$about])*
        #[derive(Component, Debug, Clone, Copy, PartialEq, Deref, DerefMut, Reflect)]
        #[reflect(Component, Debug, Default, PartialEq)]
        #[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
        pub struct $name(pub $value);
    };
}

/// Coulomb friction. Two surfaces in contact combine to the geometric mean of their coefficients.
#[derive(Component, Debug, Clone, Copy, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Friction {
    /// The coefficient of a contact that sticks \[1\], at least the dynamic one.
    pub static_coefficient: f32,
    /// The coefficient of a contact that slides \[1\], at least 0.
    pub dynamic_coefficient: f32,
}

impl Friction {
    /// Returns friction with the same coefficient \[1\] for sticking and for sliding.
    pub fn new(coefficient: f32) -> Self {
        core::Friction::new(coefficient).into()
    }
}

impl Default for Friction {
    fn default() -> Self {
        core::Friction::default().into()
    }
}

impl From<core::Friction> for Friction {
    fn from(core::Friction { static_coefficient, dynamic_coefficient }: core::Friction) -> Self {
        Self { static_coefficient, dynamic_coefficient }
    }
}

impl From<Friction> for core::Friction {
    fn from(Friction { static_coefficient, dynamic_coefficient }: Friction) -> Self {
        Self { static_coefficient, dynamic_coefficient }
    }
}

/// The layers that something is in and collides with. Two things collide if the filters of each name a layer that the
/// other is in.
#[derive(Component, Debug, Clone, Copy, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct CollisionLayers {
    /// The layers that it is in, one bit each.
    pub memberships: u32,
    /// The layers that it collides with, one bit each.
    pub filters: u32,
}

impl CollisionLayers {
    /// All layers, colliding with all.
    pub const ALL: Self = Self { memberships: u32::MAX, filters: u32::MAX };

    /// Returns the layers of the library with the choice whether particles collide with those of their own object.
    pub(crate) fn with_self_collision(self, self_collision: bool) -> core::CollisionLayers {
        core::CollisionLayers { memberships: self.memberships, filters: self.filters, self_collision }
    }
}

/// The first layer, colliding with all.
impl Default for CollisionLayers {
    fn default() -> Self {
        core::CollisionLayers::default().into()
    }
}

impl From<core::CollisionLayers> for CollisionLayers {
    fn from(core::CollisionLayers { memberships, filters, .. }: core::CollisionLayers) -> Self {
        Self { memberships, filters }
    }
}

/// Lets the particles of an object collide with each other.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct SelfCollision;

/// Lets the particles of an object fall asleep, with what they touch, when all of it has come to rest. A world with such an
/// object waits for its device in every step.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct SleepingEnabled;

value_component! {
    /// The speed with which colliders and particles rebound, over that with which they met \[1\], from 0 to 1. Of two surfaces
    /// the larger value counts.
    #[derive(Default)]
    Restitution(f32)
}

value_component! {
    /// The velocity of the surface of a collider against the collider, in its frame \[m/s\]: that of a conveyor belt.
    #[derive(Default)]
    SurfaceVelocity(Vec3)
}

value_component! {
    /// Lets bodies through a collider from all sides but one; the value is the direction in which it pushes, in its frame.
    OneWayPlatform(Vec3)
}

impl Default for OneWayPlatform {
    fn default() -> Self {
        Self(Vec3::Y)
    }
}

value_component! {
    /// The density of a collider \[kg/m³\], from which the mass of its body is computed. The default is that of water.
    ColliderDensity(f32)
}

impl Default for ColliderDensity {
    fn default() -> Self {
        Self(1000.0)
    }
}

value_component! {
    /// A factor of gravity \[1\]; 1 by default.
    GravityScale(f32)
}

impl Default for GravityScale {
    fn default() -> Self {
        Self(1.0)
    }
}

value_component! {
    /// The linear velocity \[m/s\]. Of a body it is written after each step, and may be set; an object of particles starts
    /// with it.
    #[derive(Default)]
    LinearVelocity(Vec3)
}

value_component! {
    /// The angular velocity \[rad/s\]. Of a body it is written after each step, and may be set; rods, clusters and soft
    /// bodies start with it.
    #[derive(Default)]
    AngularVelocity(Vec3)
}

value_component! {
    /// The linear damping of a body or an object of particles \[1/s\]: the part of its velocity that it loses in a second. In
    /// [wind](crate::force::Wind) the particles of an object lose their velocity relative to the air; the segments of a rod
    /// lose the same part of their angular velocity. It replaces the linear damping of a fluid's material.
    #[derive(Default)]
    LinearDamping(f32)
}

value_component! {
    /// The angular damping of a body \[1/s\]: the part of its angular velocity that it loses in a second.
    #[derive(Default)]
    AngularDamping(f32)
}

/// Registers all components, so that inspectors and scenes know them.
pub(crate) fn register(app: &mut App) {
    app.register_type::<Friction>().register_type::<CollisionLayers>().register_type::<SelfCollision>();
    app.register_type::<SleepingEnabled>();
    app.register_type::<Restitution>().register_type::<SurfaceVelocity>().register_type::<OneWayPlatform>();
    app.register_type::<ColliderDensity>().register_type::<GravityScale>();
    app.register_type::<LinearVelocity>().register_type::<AngularVelocity>();
    app.register_type::<LinearDamping>().register_type::<AngularDamping>();
}
