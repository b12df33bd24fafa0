//! Outlines of shapes.

use bevy::prelude::*;
use parry3d::math::Pose;
use parry3d::shape::{Shape, TypedShape};

use super::limited_gizmos::LimitedGizmos;

/// Half the width of the grid of a half-space \[m\].
const REACH: i32 = 10;

/// Draws the outline of a shape at a pose.
pub(super) fn draw(pen: &mut LimitedGizmos<'_, '_, '_>, pose: Pose, shape: &dyn Shape, color: Color) {
    let mut stylus = ShapeOutline { pen, pose, color };
    match shape.as_typed_shape() {
        TypedShape::Ball(ball) => {
            let [x, y, z] = Vec3::AXES.map(|axis| axis * ball.radius);
            [[x, y], [y, z], [z, x]].into_iter().for_each(|span| stylus.circle(Vec3::ZERO, span, false));
        }
        TypedShape::Cuboid(cuboid) => stylus.cuboid(Vec3::ZERO, cuboid.half_extents),
        TypedShape::RoundCuboid(round) => {
            stylus.cuboid(Vec3::ZERO, round.inner_shape.half_extents + round.border_radius)
        }
        TypedShape::Capsule(capsule) => stylus.capsule(capsule.segment.a, capsule.segment.b, capsule.radius),
        TypedShape::Cylinder(cylinder) => stylus.cylinder(cylinder.half_height, [cylinder.radius; 2]),
        TypedShape::RoundCylinder(round) => {
            let (inner, border) = (&round.inner_shape, round.border_radius);
            stylus.cylinder(inner.half_height + border, [inner.radius + border; 2]);
        }
        TypedShape::Cone(cone) => stylus.cylinder(cone.half_height, [cone.radius, 0.0]),
        TypedShape::RoundCone(round) => stylus.cylinder(round.inner_shape.half_height, [round.inner_shape.radius, 0.0]),
        TypedShape::Segment(segment) => stylus.line(segment.a, segment.b),
        TypedShape::Triangle(triangle) => stylus.triangle([triangle.a, triangle.b, triangle.c]),
        TypedShape::RoundTriangle(round) => {
            stylus.triangle([round.inner_shape.a, round.inner_shape.b, round.inner_shape.c]);
        }
        TypedShape::TriMesh(mesh) => mesh.triangles().for_each(|t| stylus.triangle([t.a, t.b, t.c])),
        TypedShape::HeightField(field) => field.triangles().for_each(|t| stylus.triangle([t.a, t.b, t.c])),
        TypedShape::Polyline(line) => line.segments().for_each(|segment| stylus.line(segment.a, segment.b)),
        TypedShape::ConvexPolyhedron(hull) => stylus.hull(hull),
        TypedShape::RoundConvexPolyhedron(round) => stylus.hull(&round.inner_shape),
        TypedShape::HalfSpace(half_space) => stylus.grid(half_space.normal),
        TypedShape::Compound(compound) => {
            for (place, part) in compound.shapes() {
                draw(pen, pose * *place, part.as_ref(), color);
            }
        }
        TypedShape::Voxels(_) | TypedShape::Custom(_) => {
            let bounds = shape.compute_local_aabb();
            stylus.cuboid(bounds.center(), bounds.half_extents());
        }
    }
}

/// A pen in the frame of a shape.
struct ShapeOutline<'b, 'a, 'w, 's> {
    pen: &'b mut LimitedGizmos<'a, 'w, 's>,
    pose: Pose,
    color: Color,
}

impl ShapeOutline<'_, '_, '_, '_> {
    fn line(&mut self, from: Vec3, to: Vec3) {
        self.pen.line(self.pose.transform_point(from), self.pose.transform_point(to), self.color);
    }

    fn circle(&mut self, center: Vec3, span: [Vec3; 2], half: bool) {
        let span = span.map(|v| self.pose.rotation * v);
        self.pen.circle(self.pose.transform_point(center), span, half, self.color);
    }

    fn triangle(&mut self, [a, b, c]: [Vec3; 3]) {
        [(a, b), (b, c), (c, a)].into_iter().for_each(|(from, to)| self.line(from, to));
    }

    fn cuboid(&mut self, center: Vec3, half: Vec3) {
        for [along, u, v] in [[Vec3::X, Vec3::Y, Vec3::Z], [Vec3::Y, Vec3::Z, Vec3::X], [Vec3::Z, Vec3::X, Vec3::Y]] {
            for side in [u + v, u - v, -u - v, v - u] {
                self.line(center + (side - along) * half, center + (side + along) * half);
            }
        }
    }

    fn capsule(&mut self, a: Vec3, b: Vec3, radius: f32) {
        let axis = (b - a).try_normalize().unwrap_or(Vec3::Y) * radius;
        let (u, v) = axis.normalize_or(Vec3::Y).any_orthonormal_pair();
        let (u, v) = (u * radius, v * radius);
        for (end, out) in [(a, -axis), (b, axis)] {
            self.circle(end, [u, v], false);
            self.circle(end, [u, out], true);
            self.circle(end, [v, out], true);
        }
        [u, -u, v, -v].into_iter().for_each(|side| self.line(a + side, b + side));
    }

    /// About y, with a radius below and one above.
    fn cylinder(&mut self, half_height: f32, [below, above]: [f32; 2]) {
        let top = Vec3::Y * half_height;
        for (center, radius) in [(-top, below), (top, above)] {
            if radius > 0.0 {
                self.circle(center, [Vec3::X * radius, Vec3::Z * radius], false);
            }
        }
        for side in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
            self.line(side * below - top, side * above + top);
        }
    }

    fn hull(&mut self, hull: &parry3d::shape::ConvexPolyhedron) {
        let points = hull.points();
        for edge in hull.edges() {
            if let [Some(&from), Some(&to)] = edge.vertices.map(|k| points.get(k as usize)) {
                self.line(from, to);
            }
        }
    }

    fn grid(&mut self, normal: Vec3) {
        let (u, v) = normal.normalize_or(Vec3::Y).any_orthonormal_pair();
        let reach = REACH as f32;
        for k in -REACH..=REACH {
            let at = k as f32;
            self.line(u * at - v * reach, u * at + v * reach);
            self.line(v * at - u * reach, v * at + u * reach);
        }
    }
}
