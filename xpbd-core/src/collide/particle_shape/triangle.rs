//! Nearest point `[m]` of a triangle and the feature it lies on.

use super::near::{NearestFeature, across, resolution};
use glam::Vec3;
use parry3d::shape::Triangle;

/// Where on a triangle a point lies; edge i runs from vertex i to vertex i + 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TriangleFeature {
    Face,
    Edge(usize),
    Vertex(usize),
}

/// Nearest point seen from `x`. The normal is to the side of `x`; for an `x` in the triangle it is
/// the normal of the face by the order of the vertices.
pub(super) fn near(t: &Triangle, x: Vec3) -> (NearestFeature, TriangleFeature) {
    let scaled = (t.b - t.a).cross(t.c - t.a);
    let (point, feature) = closest(t, scaled, x);
    if feature == TriangleFeature::Face {
        return (face(t, x, scaled), feature);
    }
    let offset = x - point;
    if offset.length() > resolution(x) {
        return (NearestFeature::sharp(x, point, Vec3::Y), feature);
    }
    let unit = scaled.try_normalize();
    let unit = unit.unwrap_or_else(|| across(t.b - t.a));
    (NearestFeature::sharp(x, point, unit), feature)
}

/// Square of the distance `[m²]` between a triangle and `x`.
pub(super) fn square(t: &Triangle, x: Vec3) -> f32 {
    let scaled = (t.b - t.a).cross(t.c - t.a);
    match closest(t, scaled, x) {
        (_, TriangleFeature::Face) => scaled.dot(x - t.a) * (scaled.dot(x - t.a) / scaled.length_squared()),
        (point, _) => point.distance_squared(x),
    }
}

/// Returns the feature nearest to `x` by the Voronoi regions of the triangle (Ericson, Real-Time Collision
/// Detection, 5.1.5), and the nearest point if that is on an edge or a vertex.
#[inline]
fn closest(t: &Triangle, scaled: Vec3, x: Vec3) -> (Vec3, TriangleFeature) {
    let (ab, ac) = (t.b - t.a, t.c - t.a);
    let (ap, bp, cp) = (x - t.a, x - t.b, x - t.c);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (t.a, TriangleFeature::Vertex(0));
    }
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (t.b, TriangleFeature::Vertex(1));
    }
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (t.c, TriangleFeature::Vertex(2));
    }
    let edge = |i: usize, from: Vec3, along: Vec3, n: f32, d: f32| {
        let s = if d > 0.0 { n / d } else { 0.0 };
        (from + along * s, TriangleFeature::Edge(i))
    };
    if d1 >= 0.0 && d3 <= 0.0 && scaled.dot(ab.cross(ap)) <= 0.0 {
        return edge(0, t.a, ab, d1, d1 - d3);
    }
    if d2 >= 0.0 && d6 <= 0.0 && scaled.dot(ap.cross(ac)) <= 0.0 {
        return edge(2, t.a, ac, d2, d2 - d6);
    }
    let bc = t.c - t.b;
    if d4 >= d3 && d5 >= d6 && scaled.dot(bc.cross(bp)) <= 0.0 {
        return edge(1, t.b, bc, d4 - d3, (d4 - d3) + (d5 - d6));
    }
    (x, TriangleFeature::Face)
}

fn face(t: &Triangle, x: Vec3, scaled: Vec3) -> NearestFeature {
    let unit = scaled.normalize_or_zero();
    let height = unit.dot(x - t.a);
    let normal = if height < 0.0 { -unit } else { unit };
    NearestFeature { point: x - unit * height, normal, distance: height.abs() }
}
