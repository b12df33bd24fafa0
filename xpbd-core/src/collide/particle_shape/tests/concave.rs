//! Grooves, corners and steps: every wall that is reached in the frame gives its plane.

use super::{Ball, MARGIN, R, near, query, sheet, v};
use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::{HeightField, Shape, SharedShape};
use parry3d::utils::Array2;

/// Walls of the groove y = |x| `[1]`.
const LEFT: Vec3 = Vec3::new(0.707_106_77, 0.707_106_77, 0.0);
const RIGHT: Vec3 = Vec3::new(-0.707_106_77, 0.707_106_77, 0.0);

fn field(n: usize, size: f32, height: impl Fn(f32, f32) -> f32) -> SharedShape {
    let at = |i: usize| size * (i as f32 / n as f32 - 0.5);
    let mut heights = Array2::zeros(n + 1, n + 1);
    for i in 0..=n {
        for j in 0..=n {
            heights[(i, j)] = height(at(j), at(i));
        }
    }
    SharedShape::new(HeightField::new(heights, v(size, 1.0, size)))
}

fn grooves() -> Vec<SharedShape> {
    let slab = SharedShape::cuboid(2.0, 0.5, 2.0);
    let turned = |angle: f32, way: Vec3| {
        let mut pose = Pose::rotation(v(0.0, 0.0, angle));
        pose.translation = way * -0.5;
        (pose, slab.clone())
    };
    let quarter = std::f32::consts::FRAC_PI_4;
    vec![
        sheet(10, 2.0, |x, _| x.abs()),
        field(10, 2.0, |x, _| x.abs()),
        SharedShape::compound(vec![turned(-quarter, LEFT), turned(quarter, RIGHT)]),
    ]
}

/// At rest in the groove: both walls, each with its own normal.
#[test]
fn groove_gives_planes_of_both_walls() {
    for (k, shape) in grooves().iter().enumerate() {
        for height in [0.8 * R, R, R + 0.5 * MARGIN] {
            let from = v(0.0, height * 2.0_f32.sqrt(), 0.05);
            let mut planes = query(&**shape, from, from - Vec3::Y * 1e-4);
            assert_eq!(planes.len(), 2, "shape {k} at {height}: {planes:?}");
            planes.sort_by(|a, b| b.normal.x.total_cmp(&a.normal.x));
            near(planes[0].normal, LEFT, 1e-3);
            near(planes[1].normal, RIGHT, 1e-3);
        }
    }
}

/// Slides down one wall; the other one stops it within the frame in which it arrives.
#[test]
fn slide_down_one_wall_is_stopped_by_the_other() {
    for (k, shape) in grooves().iter().enumerate() {
        for speed in [0.5, 3.0, 20.0, 100.0] {
            for start in 0..10 {
                let down = v(0.5, -0.5, 0.0) * 2.0_f32.sqrt();
                let x = v(-0.4 - 0.013 * start as f32, 0.0, 0.02);
                let mut ball = Ball { x: v(x.x, x.x.abs(), x.z) + LEFT * R, v: down * speed };
                for _ in 0..120 {
                    ball.step(&**shape, v(0.0, -9.81, 0.0));
                    let clear = (ball.x.y - ball.x.x.abs()) * 0.5 * 2.0_f32.sqrt();
                    assert!(clear > 0.97 * R, "shape {k}, {speed} m/s: {} {clear}", ball.x);
                }
            }
        }
    }
}

/// A corner of a room: three planes.
#[test]
fn room_corner_gives_planes_of_all_walls() {
    let slab = SharedShape::cuboid(1.0, 1.0, 1.0);
    let part = |x: Vec3| (Pose::from_translation(x), slab.clone());
    let room = SharedShape::compound(vec![part(v(-1.0, 0.0, 0.0)), part(v(0.0, -1.0, 0.0)), part(v(0.0, 0.0, -1.0))]);
    let from = Vec3::splat(0.9 * R);
    let planes = query(&*room, from, from - Vec3::splat(0.001));
    assert_eq!(planes.len(), 3, "{planes:?}");
    let fast = query(&*room, Vec3::splat(0.5), v(-0.5, -0.4, -0.6));
    assert_eq!(fast.len(), 3, "{fast:?}");
}

/// A step ahead of a particle that slides on the floor.
#[test]
fn step_ahead_gives_plane_of_its_face() {
    let floor = (Pose::translation(0.0, -1.0, 0.0), SharedShape::cuboid(2.0, 1.0, 2.0));
    let step = (Pose::translation(1.5, 0.0, 0.0), SharedShape::cuboid(0.5, 0.2, 2.0));
    let shape = SharedShape::compound(vec![floor, step]);
    let from = v(0.95, R, 0.0);
    let planes = query(&*shape, from, from + v(0.08, -0.003, 0.0));
    assert_eq!(planes.len(), 2, "{planes:?}");
    near(planes[0].normal, Vec3::Y, 1e-5);
    near(planes[1].normal, Vec3::NEG_X, 1e-5);
}

/// Hills: a ball that rolls for seconds never sinks in.
#[test]
fn ball_rolling_over_hills_never_sinks_in() {
    let hill = |x: f32, z: f32| 0.2 * ((3.0 * x) % 1.0 - 0.5).abs() + 0.1 * (z * 2.0 % 1.0).abs();
    for shape in [sheet(30, 3.0, hill), field(30, 3.0, hill)] {
        for i in 0..40 {
            let mut ball = Ball {
                x: v(-1.0 + 0.05 * i as f32, 0.6, -0.7 + 0.03 * i as f32),
                v: v(2.0 - 0.1 * i as f32, -3.0, 1.0),
            };
            for _ in 0..60 {
                ball.step(&*shape, v(0.0, -9.81, 0.0));
                if ball.x.x.abs().max(ball.x.z.abs()) > 1.45 {
                    break;
                }
                let d = shape.distance_to_local_point(ball.x, false);
                assert!(d > 0.9 * R, "{i}: {} {d}", ball.x);
                assert!(ball.x.y > 0.0, "{i}: {}", ball.x);
            }
        }
    }
}

#[test]
fn centre_below_a_height_field_is_led_up() {
    let shape = field(10, 2.0, |x, z| 0.1 * x + 0.05 * z);
    let normal = v(-0.1, 1.0, -0.05).normalize();
    for depth in [1e-4, 0.5 * R, 3.0 * R, 0.4] {
        let from = v(0.13, 0.013 + 0.05 * 0.21, 0.21) - normal * depth;
        let planes = query(&*shape as &dyn Shape, from, from);
        assert_eq!(planes.len(), 1, "{depth} {planes:?}");
        near(planes[0].normal, normal, 1e-4);
        assert!((planes[0].height(from) + depth).abs() < 1e-5);
    }
}
