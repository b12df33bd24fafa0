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
use super::shape_pairs::are_near;

/// The longest way over a height field along which parry casts a shape, in widths of the field \[1\]: it also looks at the
/// cells that would lie beyond the rim, and comes to no end where a way is too long or a shape as large as the field.
const MAX_FIELD_WAY: f32 = 64.0;

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
        let thickness = a.thickness().min(b.thickness());
        if way.length() <= thickness || shapes.iter().any(|shape| shape.as_composite_shape().is_some()) {
            return Self::Now;
        }
        // Of what slides or rolls, a cast tells by rounding whether it will touch.
        if are_near(shapes, between, margin) {
            return Self::Now;
        }
        let target_distance = a.rotation_reach() + b.rotation_reach();
        let size = |shape: &dyn Shape| shape.compute_local_aabb().extents().max_element() + 2.0 * target_distance;
        if (0..2).any(|k| is_outrun(shapes[k], size(shapes[1 - k]), way.length())) {
            return Self::Now;
        }
        let options = ShapeCastOptions { target_distance, ..ShapeCastOptions::with_max_time_of_impact(1.0) };
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

/// Returns whether a shape is a height field that one of another size \[m\] covers, or leaves far behind on its way \[m\].
fn is_outrun(shape: &dyn Shape, size: f32, way: f32) -> bool {
    shape.as_heightfield().is_some_and(|field| {
        let extents = field.root_aabb().extents();
        let width = extents.x.min(extents.z);
        size >= width || way > MAX_FIELD_WAY * width
    })
}
