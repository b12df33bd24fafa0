//! The fields of forces.

use glam::Vec3;
use parry3d::math::Pose;
use serde::{Deserialize, Serialize};

use crate::number::NumberError;
use crate::world::WorldError;

/// A field of forces in the frame of its region.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub enum ForceField {
    /// Air that takes everything along with one velocity. Without a velocity it only slows down.
    Wind {
        /// Velocity of the air \[m/s\].
        velocity: Vec3,
        /// Rate at which things take on its velocity \[1/s\], at least 0.
        damping: f32,
    },
    /// Air that rotates about an axis through the origin, and takes everything along. Things drift outward, as the drag pulls
    /// nothing toward the axis.
    Vortex {
        /// Angular velocity of the air \[rad/s\].
        angular_velocity: Vec3,
        /// Rate at which things take on its velocity \[1/s\], at least 0.
        damping: f32,
    },
    /// An acceleration away from the origin.
    Radial {
        /// Acceleration at the origin \[m/s²\]; toward it if negative.
        acceleration: f32,
        /// Distance \[m\], positive, at which it has fallen linearly to 0; infinite for one that does not fall.
        range: f32,
    },
    /// A liquid at rest or in flow, below a surface across the y axis. It lifts bodies by the weight of what their colliders
    /// displace; parts in which colliders of a body overlap count for each.
    Buoyancy {
        /// Density of the liquid \[kg/m³\], positive.
        density: f32,
        /// Density \[kg/m³\], positive, of what is made of particles, whose volume is not known otherwise.
        particle_density: f32,
        /// Rate at which things that are under water take on its velocity \[1/s\], at least 0.
        damping: f32,
        /// Velocity of the liquid \[m/s\].
        velocity: Vec3,
        /// Height of its surface above the origin \[m\].
        surface: f32,
    },
}

/// A field at a point, in the world.
pub(super) struct Flow {
    /// Acceleration \[m/s²\].
    pub acceleration: Vec3,
    /// Velocity of what flows \[m/s\].
    pub velocity: Vec3,
    /// Angular velocity of what flows \[rad/s\].
    pub angular_velocity: Vec3,
    /// Rate \[1/s\] at which things take on its velocities.
    pub damping: f32,
}

impl ForceField {
    /// Returns the field at a point \[m\] of the world, for a region at this pose.
    pub(super) fn flow(&self, pose: &Pose, x: Vec3) -> Flow {
        let rotation = pose.rotation;
        let still = Flow { acceleration: Vec3::ZERO, velocity: Vec3::ZERO, angular_velocity: Vec3::ZERO, damping: 0.0 };
        let arm = x - pose.translation;
        match *self {
            Self::Wind { velocity, damping } | Self::Buoyancy { velocity, damping, .. } => {
                Flow { velocity: rotation * velocity, damping, ..still }
            }
            Self::Vortex { angular_velocity, damping } => {
                let angular_velocity = rotation * angular_velocity;
                Flow { velocity: angular_velocity.cross(arm), angular_velocity, damping, ..still }
            }
            Self::Radial { acceleration, range } => {
                let part = (1.0 - arm.length() / range).max(0.0);
                Flow { acceleration: arm.normalize_or_zero() * (acceleration * part), ..still }
            }
        }
    }

    /// Refuses numbers that are not valid.
    ///
    /// # Errors
    /// The first of them.
    pub fn check(&self) -> Result<(), WorldError> {
        let number = |what, value: f32, must, holds: bool| {
            NumberError::check(what, value, must, holds).map_err(WorldError::from)
        };
        let damping = |rate: f32| {
            number("the damping of a force field", rate, "finite and not negative", rate.is_finite() && rate >= 0.0)
        };
        let vector = |what, value: Vec3| {
            if value.is_finite() {
                return Ok(());
            }
            Err(WorldError::InvalidValue { what, value: format!("{value:?}"), must: "finite" })
        };
        let density = |what, value: f32| number(what, value, "finite and positive", value.is_finite() && value > 0.0);
        match *self {
            Self::Wind { velocity, damping: rate } => {
                damping(rate)?;
                vector("the velocity of a force field", velocity)
            }
            Self::Vortex { angular_velocity, damping: rate } => {
                damping(rate)?;
                vector("the angular velocity of a vortex", angular_velocity)
            }
            Self::Radial { acceleration, range } => {
                number("the acceleration of a radial field", acceleration, "finite", acceleration.is_finite())?;
                number("the range of a radial field", range, "positive", range > 0.0)
            }
            Self::Buoyancy { density: liquid, particle_density, damping: rate, velocity, surface } => {
                density("the density of a liquid", liquid)?;
                density("the density of particles in a liquid", particle_density)?;
                damping(rate)?;
                vector("the velocity of a force field", velocity)?;
                number("the surface of a liquid", surface, "finite", surface.is_finite())
            }
        }
    }
}
