//! Regions of space.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use serde::{Deserialize, Serialize};

use crate::error::{SpawnError, check};

/// A region of space with its boundary. It is checked where it is used.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct Region {
    shape: RegionShape,
    inverted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
enum RegionShape {
    Cuboid { center: Vec3, half_extents: Vec3, rotation: Quat },
    Ball { center: Vec3, radius: f32 },
    HalfSpace { point: Vec3, normal: Vec3 },
}

impl Region {
    /// Returns a box about `center` \[m\] that reaches `half_extents` \[m\] along each axis.
    pub fn cuboid(center: Vec3, half_extents: Vec3) -> Self {
        Self { shape: RegionShape::Cuboid { center, half_extents, rotation: Quat::IDENTITY }, inverted: false }
    }

    /// Returns a ball about `center` \[m\] of a radius \[m\].
    pub fn ball(center: Vec3, radius: f32) -> Self {
        Self { shape: RegionShape::Ball { center, radius }, inverted: false }
    }

    /// Returns the half-space behind a plane through `point` \[m\], against its normal: the ground below a floor, for a
    /// normal that points up. The normal need not be a unit vector.
    pub fn half_space(point: Vec3, normal: Vec3) -> Self {
        Self { shape: RegionShape::HalfSpace { point, normal }, inverted: false }
    }

    /// Rotates a box about its centre, and a half-space about the point of its plane.
    #[must_use]
    pub fn rotated(mut self, by: Quat) -> Self {
        match &mut self.shape {
            RegionShape::Cuboid { rotation, .. } => *rotation = by * *rotation,
            RegionShape::HalfSpace { normal, .. } => *normal = by * *normal,
            RegionShape::Ball { .. } => {}
        }
        self
    }

    /// Moves the region from the frame of a pose to the world.
    #[must_use]
    pub fn transformed(mut self, pose: &Pose) -> Self {
        match &mut self.shape {
            RegionShape::Cuboid { center: point, .. }
            | RegionShape::Ball { center: point, .. }
            | RegionShape::HalfSpace { point, .. } => *point = pose.transform_point(*point),
        }
        self.rotated(pose.rotation)
    }

    /// Returns the region of all points that are not in this one.
    #[must_use]
    pub fn inverted(mut self) -> Self {
        self.inverted = !self.inverted;
        self
    }

    /// Returns whether a point \[m\] is in the region; one that is not a number never is.
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

    /// Checks the numbers of the region.
    ///
    /// # Errors
    /// The first number that is not valid.
    pub fn check(&self) -> Result<(), SpawnError> {
        let refuse = |what, value: &dyn std::fmt::Debug, must| {
            Err(SpawnError::Vector { what, value: format!("{value:?}"), must })
        };
        match self.shape {
            RegionShape::Cuboid { center, .. } if !center.is_finite() => {
                refuse("the centre of a region", &center, "finite")
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
                refuse("the centre of a region", &center, "finite")
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
