//! Nearest point `[m]` of a shape of any type; where there is no formula for the type, by the point
//! projection of the [`Shape`] trait.

use super::ContactPlane;
use super::near::{NearestFeature, NearestPoint, PieceKind, resolution};
use glam::Vec3;
use parry3d::shape::{Shape, TypedShape};

/// Distance `[m]` at which a shape that gives no surface normal is asked again.
const STEP: f32 = 1e-3;

impl NearestPoint for dyn Shape {
    fn near(&self, x: Vec3) -> NearestFeature {
        match self.as_typed_shape() {
            TypedShape::Ball(s) => s.near(x),
            TypedShape::Cuboid(s) => s.near(x),
            TypedShape::Capsule(s) => s.near(x),
            TypedShape::Cylinder(s) => s.near(x),
            TypedShape::Cone(s) => s.near(x),
            TypedShape::HalfSpace(s) => s.near(x),
            TypedShape::Triangle(s) => s.near(x),
            TypedShape::ConvexPolyhedron(s) => s.near(x),
            TypedShape::RoundCuboid(s) => round(&s.inner_shape, s.border_radius, x),
            TypedShape::RoundCylinder(s) => round(&s.inner_shape, s.border_radius, x),
            TypedShape::RoundCone(s) => round(&s.inner_shape, s.border_radius, x),
            TypedShape::RoundTriangle(s) => round(&s.inner_shape, s.border_radius, x),
            TypedShape::RoundConvexPolyhedron(s) => round(&s.inner_shape, s.border_radius, x),
            _ => project(self, x),
        }
    }

    fn kind(&self) -> PieceKind {
        match self.as_typed_shape() {
            TypedShape::Triangle(_) | TypedShape::Segment(_) => PieceKind::Thin,
            TypedShape::HalfSpace(_) => PieceKind::Solid,
            _ if self.is_convex() => PieceKind::Solid,
            _ => PieceKind::General,
        }
    }

    fn behind(&self, plane: &ContactPlane, slack: f32) -> bool {
        match self.as_typed_shape() {
            TypedShape::HalfSpace(s) => s.behind(plane, slack),
            TypedShape::ConvexPolyhedron(s) => s.behind(plane, slack),
            _ => self.as_support_map().is_some_and(|map| plane.height(map.local_support_point(plane.normal)) <= slack),
        }
    }
}

/// Returns a shape with a border `[m]` around it: the same gradient, less distance.
fn round(inner: &impl NearestPoint, border: f32, x: Vec3) -> NearestFeature {
    let found = inner.near(x);
    NearestFeature {
        point: found.point + found.normal * border,
        normal: found.normal,
        distance: found.distance - border,
    }
}

fn project(shape: &dyn Shape, x: Vec3) -> NearestFeature {
    let found = shape.project_local_point(x, false);
    let offset = x - found.point;
    let length = offset.length();
    let side = if found.is_inside { -1.0 } else { 1.0 };
    let normal = if length > resolution(x) { offset / length * side } else { surface_normal(shape, found.point) };
    NearestFeature { point: found.point, normal, distance: length * side }
}

/// Outward normal at a point on the surface: the way to the outside from the middle of the shape,
/// corrected by the nearest point seen from a little further out.
fn surface_normal(shape: &dyn Shape, point: Vec3) -> Vec3 {
    let bounds = shape.compute_local_aabb();
    let middle = (bounds.mins + bounds.maxs) * 0.5;
    let outward = (point - middle).try_normalize().unwrap_or(Vec3::Y);
    let outside = point + outward * STEP;
    let found = shape.project_local_point(outside, false);
    let side = if found.is_inside { -1.0 } else { 1.0 };
    let offset = (outside - found.point) * side;
    offset.try_normalize().unwrap_or(outward)
}
