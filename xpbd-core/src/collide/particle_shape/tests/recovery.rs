//! From the inside of a solid the way leads out through the nearest face.

use super::{Ball, R, mesh_box, near, one, query, star, v};
use glam::{DVec3, Vec3};
use parry3d::math::Pose;
use parry3d::shape::{Ball as Sphere, Shape, SharedShape, TriMesh, Triangle};

/// Steps without gravity until the particle is out; says how many frames it took.
fn frames_to_leave(shape: &dyn Shape, x: Vec3) -> usize {
    let mut ball = Ball { x, v: Vec3::ZERO };
    for frame in 0..20 {
        let planes = query(shape, ball.x, ball.x);
        let lowest = planes.iter().map(|p| p.height(ball.x)).fold(R, f32::min);
        if lowest > 0.99 * R {
            return frame;
        }
        ball.v = Vec3::ZERO;
        ball.step(shape, Vec3::ZERO);
    }
    panic!("still inside from {x}");
}

#[test]
fn centre_in_a_solid_is_led_out() {
    let solids = [
        SharedShape::ball(0.4),
        SharedShape::cuboid(0.4, 0.3, 0.2),
        SharedShape::capsule_y(0.3, 0.2),
        SharedShape::cylinder(0.3, 0.3),
        SharedShape::cone(0.4, 0.4),
        SharedShape::convex_hull(&super::box_triangles(v(0.4, 0.3, 0.2)).0).unwrap(),
        mesh_box(v(0.4, 0.3, 0.2)),
        SharedShape::halfspace(Vec3::Y),
        SharedShape::round_cuboid(0.3, 0.2, 0.1, 0.1),
    ];
    for (k, shape) in solids.iter().enumerate() {
        for i in 0..100 {
            let a = i as f32 * 0.61;
            let x = v(a % 0.2 - 0.1, (a * 1.3) % 0.3 - 0.25, (a * 2.1) % 0.14 - 0.07);
            let frames = frames_to_leave(&**shape, x);
            assert!(frames <= 1, "solid {k} from {x}: {frames}");
        }
    }
}

#[test]
fn centre_at_the_middle_of_a_shape_is_led_out() {
    let touch = one(&Sphere::new(0.4), Vec3::ZERO, Vec3::ZERO);
    assert!((touch.height(Vec3::ZERO) + 0.4).abs() < 1e-6);
    for shape in [
        SharedShape::capsule_y(0.3, 0.2),
        SharedShape::cylinder(0.3, 0.2),
        SharedShape::cone(0.4, 0.2),
        mesh_box(Vec3::splat(0.3)),
    ] {
        assert!(one(&*shape, Vec3::ZERO, Vec3::ZERO).height(Vec3::ZERO) < -0.09);
    }
}

/// Needles and deep notches: the sign may flip nowhere.
#[test]
fn star_pseudo_normals_tell_inside_from_outside() {
    let shape = star();
    let mesh = shape.as_trimesh().unwrap();
    let mut inside = 0;
    for i in 0..20_000 {
        let a = i as f32 * 0.618_034;
        let x = v(a % 1.6 - 0.8, (a * 1.37) % 1.6 - 0.8, (a * 2.71) % 1.6 - 0.8);
        let crossed = enclosed(mesh, x);
        let planes = query(mesh, x, x);
        let led_out = planes.iter().any(|p| p.height(x) < 0.0);
        assert_eq!(led_out, crossed, "{x} {planes:?}");
        inside += usize::from(crossed);
    }
    assert!(inside > 500, "{inside}");
}

/// Returns whether a ray in a direction along no edge leaves the mesh once more than it enters.
fn enclosed(mesh: &TriMesh, x: Vec3) -> bool {
    let ray = DVec3::new(0.331, 0.877, 0.349);
    let crosses = |t: &Triangle| {
        let [a, b, c] = [t.a - x, t.b - x, t.c - x].map(|p| p.as_dvec3());
        let sides = [a.cross(b), b.cross(c), c.cross(a)].map(|n| n.dot(ray) > 0.0);
        let normal = (b - a).cross(c - a);
        sides[0] == sides[1] && sides[1] == sides[2] && normal.dot(a) * normal.dot(ray) > 0.0
    };
    mesh.triangles().filter(crosses).count() % 2 == 1
}

#[test]
fn vertex_and_edge_of_a_mesh_push_outward() {
    let shape = mesh_box(Vec3::splat(0.3));
    for corner in [Vec3::splat(0.3), v(0.3, 0.3, 0.0), v(-0.3, 0.1, 0.3), v(0.3, 0.0, 0.0)] {
        let touch = one(&*shape, corner, corner - corner * 0.01);
        near(touch.point, corner, 1e-6);
        assert!(touch.height(Vec3::ZERO) < -0.2, "{touch:?}");
    }
}

#[test]
fn centre_in_a_half_space_and_in_a_box_is_led_out_of_both() {
    let part = |x: f32, y: f32, shape| (Pose::translation(x, y, 0.0), shape);
    let cube = SharedShape::cuboid(0.5, 0.5, 0.5);
    let shape = SharedShape::compound(vec![part(0.0, 0.0, SharedShape::halfspace(Vec3::Y)), part(0.3, 0.2, cube)]);
    // The top of the box is 0.7 above the ground, and its bottom within it.
    for from in [v(0.3, -0.05, 0.1), v(0.1, -0.02, 0.0), v(0.4, -0.1, -0.3)] {
        let touch = one(&*shape, from, from);
        near(touch.normal, Vec3::Y, 1e-5);
        assert!((touch.point.y - 0.7).abs() < 1e-4, "{touch:?}");
    }
}

#[test]
fn centre_in_overlapping_parts_is_led_out_of_all() {
    let cube = SharedShape::cuboid(0.5, 0.5, 0.5);
    let part = |x: f32| (Pose::translation(x, 0.0, 0.0), cube.clone());
    let shape = SharedShape::compound(vec![part(-0.45), part(0.45)]);
    for x in [-0.06, -0.04, 0.0, 0.03, 0.049] {
        let from = v(x, 0.3, 0.1);
        let touch = one(&*shape, from, from);
        near(touch.normal, Vec3::Y, 1e-5);
        assert!((touch.point.y - 0.5).abs() < 1e-4, "{touch:?}");
    }
}
