//! No wall is thin enough to pass, from either side, at any speed.

use super::{R, box_triangles, mesh_box, near, one, query, sheet, v};
use crate::collide::mesh_shape::open_mesh;
use glam::Vec3;
use parry3d::shape::Shape;

/// Motion in a frame at 200 m/s.
const FAST: f32 = 200.0 / 60.0;

fn stops(shape: &dyn Shape, from: Vec3, to: Vec3, point: Vec3, normal: Vec3) {
    let touch = one(shape, from, to);
    assert!(touch.height(point).abs() < 1e-4, "{touch:?}");
    near(touch.normal, normal, 1e-4);
    assert!(touch.height(from) > 0.0);
}

#[test]
fn one_triangle_stops_fast_particles() {
    let corners = [v(0.0, -1.0, -1.0), v(0.0, -1.0, 1.0), v(0.0, 1.5, 0.0)];
    let wall = open_mesh(&corners, &[[0, 1, 2]]).unwrap();
    for start in [0.1, 0.5, 1.7, 3.3] {
        for side in [1.0, -1.0] {
            for up in [-0.05, 0.0, 0.3] {
                let from = v(side * start, 0.0, 0.1);
                let to = from + v(-side * FAST, up, 0.2);
                stops(&*wall, from, to, Vec3::ZERO, v(side, 0.0, 0.0));
            }
        }
    }
}

#[test]
fn triangle_rim_stops_fast_particles() {
    let corners = [v(0.0, -1.0, -1.0), v(0.0, -1.0, 1.0), v(0.0, 1.5, 0.0)];
    let wall = open_mesh(&corners, &[[0, 1, 2]]).unwrap();
    let from = v(1.0, -1.0 - 0.5 * R, 0.0);
    let touch = one(&*wall, from, from - Vec3::X * FAST);
    near(touch.point, v(0.0, -1.0, 0.0), 1e-4);
    assert!(touch.normal.x > 0.8 && touch.normal.y < -0.4, "{touch:?}");
}

#[test]
fn particle_at_extreme_speed_is_stopped() {
    let wall = sheet(8, 2.0, |_, _| 0.0);
    let from = v(0.3, 0.5, 0.1);
    let to = from - v(0.0, 1e6 / 60.0, 0.0);
    stops(&*wall, from, to, Vec3::ZERO, Vec3::Y);
    let far = from + v(0.0, 8000.0, 0.0);
    stops(&*wall, far, to, Vec3::ZERO, Vec3::Y);
}

#[test]
fn closed_mesh_stops_particles_from_any_direction() {
    let shape = mesh_box(Vec3::splat(0.5));
    for i in 0..200 {
        let a = i as f32 * 0.37;
        let direction = v(a % 1.0 - 0.5, (a * 1.7) % 1.0 - 0.5, (a * 2.3) % 1.0 - 0.5);
        let from = direction.normalize() * 1.6;
        let out = query(&*shape, from, -from);
        assert!(!out.is_empty(), "{direction}");
        let hit = out[0];
        assert!(hit.height(Vec3::ZERO) < 0.0 && hit.height(from) > R, "{hit:?}");
    }
}

#[test]
fn centre_in_an_open_sheet_stays_on_the_side_it_came_from() {
    let wall = sheet(3, 2.0, |_, _| 0.0);
    for speed in [1.0, -1.0] {
        let from = v(0.1, 0.0, 0.2);
        let touch = one(&*wall, from, from + v(0.0, speed, 0.0));
        near(touch.normal, v(0.0, -speed, 0.0), 1e-6);
    }
}

#[test]
fn open_box_stops_particles_on_both_sides() {
    let (corners, triangles) = box_triangles(Vec3::splat(0.5));
    let room = open_mesh(&corners, &triangles).unwrap();
    stops(&*room, Vec3::ZERO, v(FAST, 0.1, 0.0), v(0.5, 0.0, 0.0), Vec3::NEG_X);
    stops(&*room, v(2.0, 0.0, 0.1), v(-1.0, 0.0, 0.1), v(0.5, 0.0, 0.0), Vec3::X);
}
