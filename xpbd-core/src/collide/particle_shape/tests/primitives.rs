//! Point and normal against closed forms.

use super::super::near::NearestPoint;
use super::{R, near, one, random, v};
use glam::Vec3;
use parry3d::math::IVector;
use parry3d::shape::{Ball, Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, HalfSpace, Shape, SharedShape};

const E: f32 = 1e-5;

/// Resting at `surface`: the plane there, from the outside, from a little inside and from on it.
fn rests(shape: &dyn Shape, surface: Vec3, normal: Vec3) {
    for height in [0.9 * R, R, -0.2 * R, 0.0] {
        let from = surface + normal * height;
        let touch = one(shape, from, from - normal * 1e-3);
        near(touch.point, surface, E);
        near(touch.normal, normal, E);
    }
}

#[test]
fn ball_distance_is_exact() {
    let n = v(1.0, 2.0, -2.0) / 3.0;
    rests(&Ball::new(0.5), n * 0.5, n);
}

#[test]
fn cuboid_distance_is_exact() {
    let shape = Cuboid::new(v(0.5, 0.3, 0.2));
    rests(&shape, v(0.5, 0.1, -0.1), Vec3::X);
    rests(&shape, v(0.1, -0.3, -0.1), Vec3::NEG_Y);
    rests(&shape, v(0.1, 0.1, 0.2), Vec3::Z);
    let diagonal = v(1.0, 1.0, 1.0).normalize();
    let corner = v(0.5, 0.3, 0.2);
    let touch = one(&shape, corner + diagonal * 0.9 * R, corner);
    near(touch.point, corner, E);
    near(touch.normal, diagonal, E);
}

#[test]
fn capsule_distance_is_exact() {
    let shape = Capsule::new_y(0.4, 0.2);
    let side = v(0.6, 0.0, 0.8);
    rests(&shape, v(0.0, 0.3, 0.0) + side * 0.2, side);
    let up = v(0.6, 0.8, 0.0);
    rests(&shape, v(0.0, 0.4, 0.0) + up * 0.2, up);
}

#[test]
fn cylinder_distance_is_exact() {
    let shape = Cylinder::new(0.4, 0.2);
    let side = v(0.6, 0.0, 0.8);
    rests(&shape, v(0.0, 0.1, 0.0) + side * 0.2, side);
    rests(&shape, v(0.05, 0.4, 0.05), Vec3::Y);
    rests(&shape, v(0.05, -0.4, 0.05), Vec3::NEG_Y);
    let rim = v(0.0, 0.4, 0.0) + side * 0.2;
    let out = (side + Vec3::Y).normalize();
    let touch = one(&shape, rim + out * 0.9 * R, rim);
    near(touch.point, rim, E);
    near(touch.normal, out, E);
}

#[test]
fn cone_distance_is_exact() {
    let (h, radius) = (0.4, 0.3);
    let shape = Cone::new(h, radius);
    let n = v(2.0 * h, radius, 0.0).normalize();
    rests(&shape, v(0.5 * radius, 0.0, 0.0), n);
    rests(&shape, v(0.1, -h, 0.05), Vec3::NEG_Y);
    let apex = v(0.0, h, 0.0);
    let touch = one(&shape, apex + Vec3::Y * 0.9 * R, apex);
    near(touch.point, apex, E);
    near(touch.normal, Vec3::Y, E);
}

#[test]
fn half_space_distance_is_exact() {
    let n = v(0.0, 0.6, 0.8);
    rests(&HalfSpace::new(n), v(1.0, 0.8, -0.6), n);
}

fn hull() -> ConvexPolyhedron {
    let (corners, _) = super::box_triangles(v(0.5, 0.3, 0.2));
    ConvexPolyhedron::from_convex_hull(&corners).expect("a box")
}

#[test]
fn convex_polyhedron_distance_is_exact() {
    rests(&hull(), v(0.5, 0.1, -0.1), Vec3::X);
    rests(&hull(), v(0.1, -0.3, 0.1), Vec3::NEG_Y);
    let edge = v(0.5, 0.3, 0.05);
    let out = v(1.0, 1.0, 0.0).normalize();
    let touch = one(&hull(), edge + out * 0.9 * R, edge);
    near(touch.point, edge, E);
    near(touch.normal, out, E);
}

#[test]
fn rounded_shape_distance_is_exact() {
    let shape = SharedShape::round_cuboid(0.4, 0.2, 0.1, 0.1);
    rests(&*shape, v(0.5, 0.1, -0.05), Vec3::X);
    let out = v(0.6, 0.8, 0.0);
    rests(&*shape, v(0.4, 0.2, 0.05) + out * 0.1, out);
}

/// Shapes without a formula go by the projection of the shape itself.
#[test]
fn shapes_without_a_formula_go_by_their_projection() {
    let cells = [IVector::ZERO, IVector::X];
    let voxels = SharedShape::voxels(Vec3::splat(0.5), &cells);
    let touch = one(&*voxels, v(0.2, 0.5 + 0.9 * R, 0.2), v(0.2, 0.5, 0.2));
    near(touch.point, v(0.2, 0.5, 0.2), E);
    near(touch.normal, Vec3::Y, E);
    let falling = one(&*voxels, v(0.2, 3.0, 0.2), v(0.2, -0.3, 0.2));
    assert!(falling.height(v(0.2, 0.5, 0.2)).abs() < 1e-3, "{falling:?}");
    let segment = SharedShape::segment(Vec3::ZERO, Vec3::X);
    let touch = one(&*segment, v(0.5, 0.9 * R, 0.0), v(0.5, 0.0, 0.0));
    near(touch.point, v(0.5, 0.0, 0.0), E);
    near(touch.normal, Vec3::Y, E);
}

#[test]
fn hull_of_a_cuboid_agrees_with_the_cuboid() {
    let (hull, cuboid) = (hull(), Cuboid::new(v(0.5, 0.3, 0.2)));
    for i in 0..2000 {
        let x = 0.8 * random(i);
        let (a, b) = (hull.near(x), cuboid.near(x));
        assert!((a.distance - b.distance).abs() < 1e-5, "{x}: {a:?} {b:?}");
        if b.distance > 1e-3 {
            near(a.point, b.point, E);
            near(a.normal, b.normal, 1e-3);
        }
    }
}
