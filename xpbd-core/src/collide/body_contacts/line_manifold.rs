//! The manifold of the side of a cylinder with an edge, a corner or another side.
//!
//! Of a surface that is a few micrometres away, rounding decides the direction of the nearest point; from the axis it is a
//! radius away, and the direction is exact.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::query::details::contact_support_map_support_map_with_params;
use parry3d::query::gjk::{GJKResult, VoronoiSimplex};
use parry3d::shape::{Segment, Shape, SupportMap};
use smallvec::SmallVec;

use super::convex_core::ConvexCore;
use super::shape_manifold::{ContactPoint, ShapeManifold};

/// The largest cosine of the angle between a normal and an axis for the contact to be on the side of a cylinder \[1\].
const ON_SIDE: f32 = 1e-3;

/// The largest sine of the angle between two lines that touch at two points \[1\].
const PARALLEL: f32 = 0.05;

/// Height above the lowest corner of a feature, as a part of the least half extent, up to which a corner touches too \[1\].
const LEVEL: f32 = 1e-3;

/// A shape as it is seen from the other one.
struct Seen<'a> {
    core: &'a ConvexCore<'a>,
    shape: &'a dyn Shape,
    /// The axis of a cylinder, and its radius around it \[m\].
    axis: Option<(Segment, f32)>,
}

impl<'a> Seen<'a> {
    fn new(core: &'a ConvexCore<'a>, shape: &'a dyn Shape) -> Self {
        let of_axis = |(half_height, radius)| (Segment::new(Vec3::Y * half_height, Vec3::NEG_Y * half_height), radius);
        Self { core, shape, axis: core.cylinder().map(of_axis) }
    }

    fn support(&self) -> Option<&dyn SupportMap> {
        match &self.axis {
            Some((axis, _)) => Some(axis),
            None => self.shape.as_support_map(),
        }
    }

    fn radius(&self) -> f32 {
        self.axis.map_or(0.0, |(_, radius)| radius)
    }

    /// Returns whether a point of a cylinder's axis is one beside which its side is nearest in a direction.
    fn is_on_side(&self, point: Vec3, direction: Vec3) -> bool {
        self.axis.is_none_or(|(axis, _)| point.y.abs() < axis.a.y && direction.y.abs() <= ON_SIDE)
    }

    /// Returns the ends of the line with which the shape faces a direction, the axis of a cylinder; none if it is a point.
    fn line(&self, direction: Vec3, level: f32) -> Option<[Vec3; 2]> {
        if let Some((axis, _)) = self.axis {
            return Some([axis.a, axis.b]);
        }
        let feature = self.core.feature(direction);
        let lowest = self.core.reach(direction) - level;
        let mut touching = feature.iter().filter(|corner| corner.dot(direction) >= lowest);
        let [first, second] = [*touching.next()?, *touching.next()?];
        let out = direction * self.core.radius;
        touching.next().is_none().then_some([first + out, second + out])
    }
}

/// Returns the manifold of two shapes of which one is a cylinder that is touched on its side, and which are no farther apart than
/// `reach` \[m\]; `between` is the pose of the second in the frame of the first. None if it is something else that touches.
pub fn line_manifold(
    cores: [&ConvexCore<'_>; 2],
    shapes: [&dyn Shape; 2],
    between: &Pose,
    reach: f32,
) -> Option<ShapeManifold> {
    let [a, b] = [0, 1].map(|side| Seen::new(cores[side], shapes[side]));
    if a.axis.is_none() && b.axis.is_none() {
        return None;
    }
    let [of_first, of_second] = [a.support()?, b.support()?];
    let radius = a.radius() + b.radius();
    let simplex = &mut VoronoiSimplex::new();
    let found =
        contact_support_map_support_map_with_params(between, of_first, of_second, reach + radius, simplex, None);
    let GJKResult::ClosestPoints(first, second, normal) = found else { return None };
    let back = between.rotation.inverse();
    let normals = [normal, back * -normal];
    let nearest = [first, between.inverse_transform_point(second)];
    if (second - first).dot(normal) <= 0.0
        || !a.is_on_side(nearest[0], normals[0])
        || !b.is_on_side(nearest[1], normals[1])
    {
        return None;
    }
    let level = LEVEL * cores[0].least_extent().min(cores[1].least_extent());
    let pairs = match [a.line(normals[0], level), b.line(normals[1], level)] {
        [Some(line), Some(other)] => common_part(line, other.map(|end| between.transform_point(end)), normal),
        _ => None,
    };
    let pairs = pairs.unwrap_or_else(|| SmallVec::from_slice(&[[first, second]]));
    let point = |[first, second]: [Vec3; 2]| -> Option<ContactPoint> {
        let gap = (second - first).dot(normal) - radius;
        let own = first + normal * a.radius();
        let other = between.inverse_transform_point(second) + normals[1] * b.radius();
        (gap <= reach).then_some(([own, other], -gap))
    };
    let points: SmallVec<[ContactPoint; 8]> = pairs.into_iter().filter_map(point).collect();
    (!points.is_empty()).then_some(ShapeManifold { points, normals, pieces: [0; 2], on_face: [false; 2] })
}

/// Returns the points of two lines that lie over each other at both ends of what they have in common, if they are parallel but
/// for a tilt in the plane of the normal.
fn common_part([a, b]: [Vec3; 2], [c, d]: [Vec3; 2], normal: Vec3) -> Option<SmallVec<[[Vec3; 2]; 2]>> {
    let flat = |v: Vec3| v - normal * v.dot(normal);
    let (along, other) = (flat(b - a), flat(d - c));
    let square = along.length_squared();
    if along.cross(other).length() > PARALLEL * along.length() * other.length() || other.length_squared() == 0.0 {
        return None;
    }
    let part = |point: Vec3| (point - a).dot(along) / square;
    let (from, to) = (part(c), part(d));
    let (low, high) = (from.min(to).max(0.0), from.max(to).min(1.0));
    let at = |part: f32| [a.lerp(b, part), c.lerp(d, ((part - from) / (to - from)).clamp(0.0, 1.0))];
    (low < high).then(|| SmallVec::from_slice(&[at(low), at(high)]))
}
