//! What is added to a world as a body.

use glam::Vec3;
use parry3d::math::Pose;
use serde::{Deserialize, Serialize};

use super::mass::Mass;

/// The causes that can move a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BodyKind {
    /// Nothing moves the body.
    Fixed,
    /// Its target alone moves the body; it pushes, and nothing pushes it.
    Kinematic,
    /// Forces, joints and contacts move the body.
    Dynamic,
}

/// Axes of the world along or about which a body does not move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockedAxes {
    /// No motion along x, y, z.
    pub translation: [bool; 3],
    /// No rotation about x, y, z.
    pub rotation: [bool; 3],
}

impl LockedAxes {
    /// Motion in the plane z = constant alone.
    pub const PLANAR: Self = Self { translation: [false, false, true], rotation: [true, true, false] };
    /// No rotation.
    pub const ROTATION_LOCKED: Self = Self { translation: [false; 3], rotation: [true; 3] };

    /// Returns the six bits as a number that vectors can hold.
    pub(crate) fn bits(self) -> f32 {
        let bits = self.translation.into_iter().chain(self.rotation).enumerate();
        bits.map(|(k, locked)| f32::from(u8::from(locked) << k)).sum()
    }
}

/// A body: where it is, how it moves, and what resists.
///
/// Nothing is checked until [`World::add_body`](crate::world::World::add_body).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// Causes that can move it.
    pub kind: BodyKind,
    /// Pose of its frame in the world.
    pub pose: Pose,
    /// Velocity of the centre of mass \[m/s\].
    pub velocity: Vec3,
    /// Angular velocity \[rad/s\] in the world.
    pub angular_velocity: Vec3,
    /// Mass and inertia; only those of dynamic bodies count.
    pub mass: Mass,
    /// Factor of gravity \[1\].
    pub gravity_scale: f32,
    /// Damping \[1/s\]: the velocity decays by about this part of itself a second.
    pub linear_damping: f32,
    /// The same for the angular velocity \[1/s\].
    pub angular_damping: f32,
    /// Axes of the world along or about which it does not move.
    pub locked_axes: LockedAxes,
    /// True if it may fall asleep when it has come to rest.
    pub can_sleep: bool,
}

impl Body {
    /// Creates a body that forces, joints and contacts move.
    pub fn dynamic(pose: Pose, mass: Mass) -> Self {
        Self {
            kind: BodyKind::Dynamic,
            pose,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            mass,
            gravity_scale: 1.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
            locked_axes: LockedAxes::default(),
            can_sleep: true,
        }
    }

    /// Creates a body that only its target moves.
    pub fn kinematic(pose: Pose) -> Self {
        Self { kind: BodyKind::Kinematic, ..Self::dynamic(pose, Mass::new(1.0, Vec3::ONE)) }
    }

    /// Creates a body that does not move.
    pub fn fixed(pose: Pose) -> Self {
        Self { kind: BodyKind::Fixed, ..Self::kinematic(pose) }
    }

    /// Sets the velocity of the centre of mass \[m/s\].
    #[must_use]
    pub fn velocity(self, velocity: Vec3) -> Self {
        Self { velocity, ..self }
    }

    /// Sets the angular velocity \[rad/s\].
    #[must_use]
    pub fn angular_velocity(self, angular_velocity: Vec3) -> Self {
        Self { angular_velocity, ..self }
    }

    /// Locks these axes.
    #[must_use]
    pub fn locked_axes(self, locked_axes: LockedAxes) -> Self {
        Self { locked_axes, ..self }
    }

    /// Sets the factor of gravity \[1\].
    #[must_use]
    pub fn gravity_scale(self, gravity_scale: f32) -> Self {
        Self { gravity_scale, ..self }
    }

    /// Sets the damping of velocity and angular velocity \[1/s\].
    #[must_use]
    pub fn damping(self, linear_damping: f32, angular_damping: f32) -> Self {
        Self { linear_damping, angular_damping, ..self }
    }

    /// Sets whether the body may fall asleep, which it may by default.
    #[must_use]
    pub fn can_sleep(self, can_sleep: bool) -> Self {
        Self { can_sleep, ..self }
    }
}
