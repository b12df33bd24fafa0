//! The impact of colliders that cover more than their thickness in a frame.
//!
//! The manifold of slow colliders is that of where they are, which also serves where they will be. Fast ones would take
//! the nearest features of where they are for a wall without an end: they would be stopped by what they pass, and rebound
//! along a wrong normal. Their manifold is that of where they meet, if they do, along straight ways.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::query::{self, ShapeCastOptions};
use parry3d::shape::Shape;

use super::broad_phase::BroadPhaseCollider;

/// The relative pose at which the manifold of two colliders is taken.
pub(super) enum Meeting {
    /// The pose that they have now: they are slow, near each other, or made of parts.
    Now,
    /// The pose at which they meet, of the second in the frame of the first.
    At(Pose),
    /// At no pose: they pass each other.
    Never,
}

impl Meeting {
    /// Returns where the manifold of two colliders is taken; `between` is the pose of the second in the frame of the first,
    /// and `margin` the way up to which nothing is fast \[m\].
    pub fn of([a, b]: [&BroadPhaseCollider<'_>; 2], between: &Pose, margin: f32) -> Self {
        let way = a.way_of(b);
        if way.length() <= margin {
            return Self::Now;
        }
        let shapes = [a, b].map(|placed| placed.collider.shape.as_ref());
        let thickness = shapes.map(thickness).into_iter().fold(f32::INFINITY, f32::min);
        if way.length() <= thickness || shapes.iter().any(|shape| shape.as_composite_shape().is_some()) {
            return Self::Now;
        }
        let options = ShapeCastOptions {
            target_distance: a.rotation_reach() + b.rotation_reach(),
            ..ShapeCastOptions::with_max_time_of_impact(1.0)
        };
        let still = Pose::IDENTITY;
        match query::cast_shapes(&still, Vec3::ZERO, shapes[0], between, way, shapes[1], options) {
            Err(_) => Self::Now,
            Ok(None) => Self::Never,
            Ok(Some(hit)) if hit.time_of_impact == 0.0 => Self::Now,
            Ok(Some(hit)) => {
                Self::At(Pose::from_parts(between.translation + way * hit.time_of_impact, between.rotation))
            }
        }
    }
}

/// Returns the least half extent of a shape \[m\].
fn thickness(shape: &dyn Shape) -> f32 {
    shape.compute_local_aabb().half_extents().min_element()
}
