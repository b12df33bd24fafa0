//! Parts of space.

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

use super::{SpawnError, check};

/// A part of space, its boundary included; where another wants one it is checked.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Region {
    shape: RegionShape,
    inverted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum RegionShape {
    Cuboid { center: Vec3, half_extents: Vec3, rotation: Quat },
    Ball { center: Vec3, radius: f32 },
    HalfSpace { point: Vec3, normal: Vec3 },
}

impl Region {
    /// Creates a box about `center` \[m\], as far as `half_extents` \[m\] along each axis.
    pub fn cuboid(center: Vec3, half_extents: Vec3) -> Self {
        Self { shape: RegionShape::Cuboid { center, half_extents, rotation: Quat::IDENTITY }, inverted: false }
    }

    /// Creates a ball about `center` \[m\] of a radius \[m\].
    pub fn ball(center: Vec3, radius: f32) -> Self {
        Self { shape: RegionShape::Ball { center, radius }, inverted: false }
    }

    /// What lies on the other side of a plane through `point` \[m\] than its normal points to: the ground below
    /// a floor, for a normal up. The normal need not be a unit vector.
    pub fn half_space(point: Vec3, normal: Vec3) -> Self {
        Self { shape: RegionShape::HalfSpace { point, normal }, inverted: false }
    }

    /// Turns it, a box and a half-space about the middle and the point that they were made with.
    #[must_use]
    pub fn rotated(mut self, by: Quat) -> Self {
        match &mut self.shape {
            RegionShape::Cuboid { rotation, .. } => *rotation = by * *rotation,
            RegionShape::HalfSpace { normal, .. } => *normal = by * *normal,
            RegionShape::Ball { .. } => {}
        }
        self
    }

    /// All that is not in it instead.
    #[must_use]
    pub fn inverted(mut self) -> Self {
        self.inverted = !self.inverted;
        self
    }

    /// Returns whether a point \[m\] is in it; never for one that is not a number.
    pub fn contains(&self, x: Vec3) -> bool {
        if x.is_nan() {
            return false;
        }
        let inside = match self.shape {
            RegionShape::Cuboid { center, half_extents, rotation } => {
                (rotation.inverse() * (x - center)).abs().cmple(half_extents).all()
            }
            RegionShape::Ball { center, radius } => center.distance_squared(x) <= radius * radius,
            RegionShape::HalfSpace { point, normal } => normal.dot(x - point) <= 0.0,
        };
        inside != self.inverted
    }

    /// Refuses numbers with which it would be no part of space.
    ///
    /// # Errors
    /// The number at fault.
    pub fn check(&self) -> Result<(), SpawnError> {
        let refuse = |what, value: &dyn std::fmt::Debug, must| {
            Err(SpawnError::Vector { what, value: format!("{value:?}"), must })
        };
        match self.shape {
            RegionShape::Cuboid { center, .. } if !center.is_finite() => {
                refuse("the middle of a region", &center, "finite")
            }
            RegionShape::Cuboid { half_extents: half, .. } if !(half.is_finite() && half.cmpge(Vec3::ZERO).all()) => {
                refuse("the half extents of a region", &half, "finite and not negative")
            }
            RegionShape::Cuboid { rotation, .. }
                if !rotation.is_finite() || (rotation.length_squared() - 1.0).abs() > 1e-3 =>
            {
                refuse("the rotation of a region", &rotation, "of unit length")
            }
            RegionShape::Ball { center, .. } if !center.is_finite() => {
                refuse("the middle of a region", &center, "finite")
            }
            RegionShape::Ball { radius, .. } => {
                check("the radius of a region", radius, "finite and not negative", radius >= 0.0)
            }
            RegionShape::HalfSpace { point, normal }
                if !(point.is_finite() && normal.is_finite() && normal != Vec3::ZERO) =>
            {
                refuse("the plane of a region", &(point, normal), "finite, with a normal that is not zero")
            }
            _ => Ok(()),
        }
    }
}
