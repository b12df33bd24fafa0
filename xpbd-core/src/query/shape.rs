//! Shapes that move along a line, and shapes that overlap.

use glam::Vec3;
use parry3d::bounding_volume::BoundingVolume;
use parry3d::math::Pose;
use parry3d::query::{ShapeCastOptions, cast_shapes, contact};
use parry3d::shape::Shape;
use thiserror::Error;

use super::index::SpatialQuery;
use super::leaf::{FARTHEST, Leaf};
use super::point::closest_of_triangle;
use super::ray::BoxRay;
use super::{QueryFilter, QueryHit, QueryTarget};
use crate::collide::{UnsupportedShape, check_shape, shapes_overlap};

/// The part of its extents by which parry lets a moving shape stop too early, with room to spare \[1\].
const CAST_ERROR: f32 = 1e-3;

/// An error of a query with a shape.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum QueryError {
    /// A pose or a direction is not a number, or the direction is zero.
    #[error("the {0} of the query must be finite and not zero")]
    InvalidNumber(&'static str),
    /// A distance is not a number, or negative.
    #[error("the {0} of the query must be finite and not negative")]
    InvalidDistance(&'static str),
    /// A shape that queries cannot move.
    #[error("a query cannot take a {shape}; take {must}")]
    UnsupportedShape {
        /// Type of the shape.
        shape: String,
        /// The shapes to take instead.
        must: &'static str,
    },
}

/// A shape that moves along a line without turning.
#[derive(Clone, Copy)]
pub struct ShapeCast<'a> {
    /// The shape: whatever a dynamic body may have.
    pub shape: &'a dyn Shape,
    /// Pose at the start.
    pub pose: Pose,
    /// The direction of the motion, of any length but 0.
    pub direction: Vec3,
    /// The greatest length of its way \[m\]; may be infinite.
    pub max_distance: f32,
    /// The distance \[m\] from a thing at which the shape touches it already, usually 0.
    pub target_distance: f32,
}

impl SpatialQuery<'_> {
    /// Returns what a moving shape touches first. A shape that overlaps something at the start hits it at a distance of 0;
    /// the normal is then the direction in which it overlaps least, if there is one.
    ///
    /// # Errors
    /// The shape is none that a dynamic body may have, or a number is not finite.
    pub fn cast_shape(&self, cast: &ShapeCast<'_>, filter: &QueryFilter<'_>) -> Result<Option<QueryHit>, QueryError> {
        let (direction, boxes) = cast.prepare()?;
        // Parry misses what touches at 0 where it may look no farther than 0, so all are asked with the same limit.
        let farthest = cast.max_distance.min(FARTHEST);
        let test = |leaf, _| self.shape_hit(cast, direction, farthest, leaf, filter);
        Ok(self.index.nearest(cast.max_distance, |four, limit| boxes.enter(four, limit), test))
    }

    /// Returns where a moving shape first touches each collider, triangle and particle on its way, the nearest first. Its
    /// hits are those of [`SpatialQuery::cast_shape`].
    ///
    /// # Errors
    /// As there.
    pub fn shape_hits(&self, cast: &ShapeCast<'_>, filter: &QueryFilter<'_>) -> Result<Vec<QueryHit>, QueryError> {
        let (direction, boxes) = cast.prepare()?;
        let test = |leaf, limit| self.shape_hit(cast, direction, limit, leaf, filter);
        Ok(self.index.all_hits(cast.max_distance, |four, limit| boxes.enter(four, limit), test))
    }

    /// Returns the nearest points of all that a shape touches or is at most `max_distance` \[m\] away from, one of each
    /// collider, triangle and particle, in order. The distance of what it overlaps is negative: the depth along the normal.
    /// Of a collider of many parts it is the nearest or deepest part. Height fields are not found.
    ///
    /// # Errors
    /// The shape is none that a dynamic body may have, or a number is not finite.
    pub fn shape_contacts(
        &self,
        shape: &dyn Shape,
        pose: &Pose,
        max_distance: f32,
        filter: &QueryFilter<'_>,
    ) -> Result<Vec<QueryHit>, QueryError> {
        check(shape, pose)?;
        if !(max_distance.is_finite() && max_distance >= 0.0) {
            return Err(QueryError::InvalidDistance("max_distance"));
        }
        let bounds = shape.compute_aabb(pose).loosened(max_distance);
        let leaves = self.index.leaves_within(0.0, |boxes, _| boxes.overlaps(bounds.mins, bounds.maxs));
        let selected = leaves.into_iter().filter_map(|leaf| self.select(leaf, filter));
        let nearest = |(leaf, target): (Leaf, QueryTarget)| {
            self.with_shape(leaf, pose.translation, |other, at| {
                let found = contact(at, other, pose, shape, max_distance).ok()??;
                let weights = other
                    .as_triangle()
                    .and_then(|triangle| closest_of_triangle(triangle, at.inverse_transform_point(found.point1)));
                let (point, normal, distance) = (found.point1, found.normal1.normalize_or_zero(), found.dist);
                let barycentrics = weights.map_or(Vec3::ZERO, |(_, weights)| weights);
                Some(QueryHit { target, point, normal, distance, barycentrics })
            })
        };
        Ok(selected.filter_map(nearest).filter(|hit| hit.point.is_finite() && hit.distance.is_finite()).collect())
    }

    /// Returns the colliders, triangles and particles that a shape overlaps, in order.
    ///
    /// # Errors
    /// The shape is none that a dynamic body may have, or a number is not finite.
    pub fn shape_intersections(
        &self,
        shape: &dyn Shape,
        pose: &Pose,
        filter: &QueryFilter<'_>,
    ) -> Result<Vec<QueryTarget>, QueryError> {
        check(shape, pose)?;
        let bounds = shape.compute_aabb(pose);
        let leaves = self.index.leaves_within(0.0, |boxes, _| boxes.overlaps(bounds.mins, bounds.maxs));
        let selected = leaves.into_iter().filter_map(|leaf| self.select(leaf, filter));
        let overlaps = |leaf: Leaf| {
            let test = |other: &dyn Shape, at: &Pose| shapes_overlap(shape, other, &pose.inv_mul(at)).then_some(());
            self.with_shape(leaf, pose.translation, test).is_some()
        };
        Ok(selected.filter(|&(leaf, _)| overlaps(leaf)).map(|(_, target)| target).collect())
    }

    fn shape_hit(
        &self,
        cast: &ShapeCast<'_>,
        direction: Vec3,
        limit: f32,
        leaf: u32,
        filter: &QueryFilter<'_>,
    ) -> Option<QueryHit> {
        let (leaf, target) = self.select(leaf, filter)?;
        let target_distance = cast.target_distance;
        let options = ShapeCastOptions { target_distance, ..ShapeCastOptions::with_max_time_of_impact(limit) };
        self.with_shape(leaf, cast.pose.translation, |shape, pose| {
            // The moving shape is the second one: parry takes the velocity of the first in a frame of its own.
            let met = cast_shapes(pose, Vec3::ZERO, shape, &cast.pose, direction, cast.shape, options).ok()??;
            let distance = met.time_of_impact;
            let (mut point, mut normal) = (met.witness1, met.normal1);
            if cast.shape.as_ball().is_some() && distance > 0.0 {
                // The point under the middle of a ball is known more closely than by the search of parry.
                let middle = pose.inverse_transform_point(cast.pose.translation + direction * distance);
                point = shape.project_local_point(middle, true).point;
                normal = (middle - point).try_normalize().unwrap_or(normal);
            }
            let weights = shape.as_triangle().and_then(|triangle| closest_of_triangle(triangle, point));
            Some(QueryHit {
                target,
                point: pose.transform_point(point),
                normal: (pose.rotation * normal).normalize_or_zero(),
                distance,
                barycentrics: weights.map_or(Vec3::ZERO, |(_, weights)| weights),
            })
        })
    }
}

impl ShapeCast<'_> {
    /// Returns the unit direction, and the way of the shape's box.
    fn prepare(&self) -> Result<(Vec3, BoxRay), QueryError> {
        check(self.shape, &self.pose)?;
        let direction = self.direction.try_normalize().ok_or(QueryError::InvalidNumber("direction"))?;
        if !(self.target_distance.is_finite() && self.target_distance >= 0.0) {
            return Err(QueryError::InvalidDistance("target_distance"));
        }
        let bounds = self.shape.compute_aabb(&self.pose);
        let margin = bounds.half_extents() * (1.0 + CAST_ERROR) + self.target_distance;
        Ok((direction, BoxRay::new(bounds.center(), direction, margin)))
    }
}

/// Refuses what cannot be moved or placed.
fn check(shape: &dyn Shape, pose: &Pose) -> Result<(), QueryError> {
    if !(pose.translation.is_finite() && pose.rotation.is_finite()) {
        return Err(QueryError::InvalidNumber("pose"));
    }
    check_shape(shape, true).map_err(|UnsupportedShape { shape, .. }| QueryError::UnsupportedShape {
        shape: format!("{shape:?}"),
        must: "a shape with a volume, a triangle mesh, or a compound of shapes",
    })
}
