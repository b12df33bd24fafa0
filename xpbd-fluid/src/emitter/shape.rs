//! The shapes of the openings that particles leave through.

use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

/// The fraction of an extent that rounding may take \[1\].
pub(super) const TOLERANCE: f32 = 1e-4;

/// The opening that particles leave through, along the z axis of its pose.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub enum NozzleShape {
    /// A round hole, which particles leave in layers.
    Disc {
        /// Radius \[m\].
        radius: f32,
    },
    /// A slot or a square, which particles leave in layers.
    Rectangle {
        /// Half of the side lengths \[m\].
        half_extents: Vec2,
    },
    /// A ball that is filled and leaves as a whole, again and again behind the one before.
    Ball {
        /// Radius \[m\].
        radius: f32,
    },
    /// A box that is filled and leaves as a whole, again and again behind the one before.
    Cuboid {
        /// Half of the side lengths \[m\].
        half_extents: Vec3,
    },
}

impl NozzleShape {
    /// Returns half of the side lengths of the box around it \[m\].
    pub(super) fn half_extents(self) -> Vec3 {
        match self {
            Self::Disc { radius } => Vec3::new(radius, radius, 0.0),
            Self::Rectangle { half_extents } => half_extents.extend(0.0),
            Self::Ball { radius } => Vec3::splat(radius),
            Self::Cuboid { half_extents } => half_extents,
        }
    }

    /// Returns whether particles leave in layers.
    pub(super) fn is_flat(self) -> bool {
        matches!(self, Self::Disc { .. } | Self::Rectangle { .. })
    }

    /// Returns whether a particle of a radius \[m\] at a site \[m\] is within it.
    pub(super) fn holds(self, site: Vec3, radius: f32) -> bool {
        let within = |half: f32, x: f32| x.abs() <= half * (1.0 + TOLERANCE) - radius;
        match self {
            Self::Disc { radius: all } | Self::Ball { radius: all } => within(all, site.length()),
            Self::Rectangle { half_extents: half } => within(half.x, site.x) && within(half.y, site.y),
            Self::Cuboid { half_extents: half } => {
                within(half.x, site.x) && within(half.y, site.y) && within(half.z, site.z)
            }
        }
    }
}
