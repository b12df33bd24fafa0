//! No ghost contacts: nothing pushes a particle back that only slides or passes by.

use super::{Ball, MARGIN, R, box_triangles, mesh_box, near, query, sheet, v};
use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::{ConvexPolyhedron, Cuboid, Shape, SharedShape};

const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);

fn boxes() -> Vec<SharedShape> {
    let h = v(0.5, 0.25, 0.5);
    let hull = ConvexPolyhedron::from_convex_hull(&box_triangles(h).0).unwrap();
    let half = SharedShape::cuboid(0.25, 0.25, 0.5);
    let part = |x: f32| (Pose::translation(x, 0.0, 0.0), half.clone());
    vec![
        SharedShape::new(Cuboid::new(h)),
        SharedShape::new(hull),
        mesh_box(h),
        SharedShape::compound(vec![part(-0.25), part(0.25)]),
    ]
}

/// Slides at 5 m/s along the top and over the edge; the speed forward may not drop.
#[test]
fn sliding_over_a_box_edge_keeps_the_speed() {
    for (k, shape) in boxes().iter().enumerate() {
        for offset in 0..20 {
            let x = -0.4 + 0.0043 * offset as f32;
            let mut ball = Ball { x: v(x, 0.25 + R, 0.013), v: v(5.0, 0.0, 0.0) };
            for _ in 0..30 {
                let before = ball.v.x;
                let planes = ball.step(&**shape, GRAVITY);
                for plane in &planes {
                    assert!(plane.normal.x > -1e-4, "shape {k}: {plane:?} at {}", ball.x);
                }
                assert!(ball.v.x > before - 1e-2, "shape {k}: {before} -> {}", ball.v);
            }
            assert!(ball.x.x > 2.0 && ball.x.y < -0.2, "shape {k}: {}", ball.x);
        }
    }
}

/// Passes a corner at 100 m/s, once clear of it and once within the margin.
#[test]
fn path_past_a_corner_is_not_held_back() {
    for shape in boxes() {
        for gap in [R + 0.2 * MARGIN, R + 0.9 * MARGIN, R + 2.0 * MARGIN] {
            for slope in [-1.0_f32, -0.3, 0.0] {
                let along = v(1.0, slope, 0.0).normalize();
                let out = v(-slope, 1.0, 0.0).normalize();
                let middle = v(0.5, 0.25, 0.1) + out * gap;
                let (from, to) = (middle - along * 0.7, middle + along * 0.9);
                for plane in query(&*shape, from, to) {
                    let lowest = plane.height(from).min(plane.height(to));
                    assert!(lowest > R - 1e-5, "{plane:?} at {gap} {slope}");
                }
            }
        }
    }
}

/// A flat or convex surface of many triangles is as smooth as one plane.
#[test]
fn internal_edges_do_not_stop_sliding() {
    let flat = sheet(40, 2.0, |_, _| 0.0);
    let domed = sheet(40, 2.0, |x, z| -0.05 * (x * x + z * z));
    for (shape, tilt) in [(flat, 1e-4), (domed, 0.12)] {
        for depth in [0.0, 0.1, 0.3, 0.9] {
            for i in 0..200 {
                let from = v(-0.5 + 0.00497 * i as f32, (1.0 - depth) * R, 0.1 * depth);
                let from = from - Vec3::Y * 0.05 * (from.x * from.x + from.z * from.z) * step(tilt);
                let to = from + v(0.08, -0.002, 0.03);
                let planes = query(&*shape, from, to);
                assert_eq!(planes.len(), 1, "{planes:?}");
                near(planes[0].normal, Vec3::Y, tilt);
            }
        }
    }
}

fn step(tilt: f32) -> f32 {
    if tilt > 0.01 { 1.0 } else { 0.0 }
}

/// Two boxes side by side make one floor, also for a particle that is pressed into it.
#[test]
fn compound_seam_does_not_stop_sliding() {
    let half = SharedShape::cuboid(0.25, 0.25, 0.5);
    let part = |x: f32| (Pose::translation(x, 0.0, 0.0), half.clone());
    let floor = SharedShape::compound(vec![part(-0.25), part(0.25)]);
    for height in [R, 0.5 * R, 0.05 * R, -0.1 * R] {
        for i in -50..50 {
            let from = v(0.0002 * i as f32, 0.25 + height, 0.1);
            let planes = query(&*floor, from, from + v(0.05, -0.001, 0.0));
            assert_eq!(planes.len(), 1, "{from} {planes:?}");
            near(planes[0].normal, Vec3::Y, 1e-4);
        }
    }
}

/// A particle thrown along a flat floor keeps its speed for seconds.
#[test]
fn long_slide_keeps_the_speed() {
    let flat = sheet(60, 6.0, |_, _| 0.0);
    let mut ball = Ball { x: v(-2.9, R, 0.1), v: v(5.0, 0.0, 0.3) };
    for _ in 0..60 {
        ball.step(&*flat as &dyn Shape, GRAVITY);
        assert!((ball.x.y - R).abs() < 1e-4, "{}", ball.x);
    }
    near(ball.v, v(5.0, 0.0, 0.3), 1e-2);
}
