//! Contacts with what moves: pushing, carrying, turning, sliding.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::bodies::Body;
use xpbd_core::collide::Collider;
use xpbd_core::world::{BodyHandle, Friction, Object, ObjectHandle, Settings, World};

use super::support::{FRAME, cpu, step, weightless};

const RADIUS: f32 = 0.01;

/// Returns a slab whose top is y = 0 on a body, and a particle of the same friction at rest on it.
fn carried(at: Vec3, friction: f32) -> (World, BodyHandle, ObjectHandle) {
    let mut world = World::new(Settings::default()).unwrap();
    let body = world.add_body(Body::kinematic(Pose::IDENTITY)).unwrap();
    let slab = Collider::new(SharedShape::cuboid(5.0, 0.5, 5.0)).at(Vec3::Y * -0.5);
    world.add_collider(slab.attached_to(body).friction(Friction::new(friction))).unwrap();
    let mut object = Object::new("carried", vec![at + Vec3::Y * RADIUS], 1.0);
    object.friction = Friction::new(friction);
    let object = world.add(object).unwrap();
    step(&mut world, 5);
    (world, body, object)
}

#[test]
fn a_moving_wall_pushes_at_its_speed() {
    for speed in [0.1, 1.0, 20.0] {
        let mut world = World::new(weightless()).unwrap();
        let body = world.add_body(Body::kinematic(Pose::IDENTITY)).unwrap();
        world.add_collider(Collider::new(SharedShape::cuboid(0.5, 0.5, 0.5)).attached_to(body)).unwrap();
        let object = world.add(Object::new("one", vec![Vec3::X * (0.5 + 2.0 * RADIUS)], 1.0)).unwrap();
        let mut cpu = cpu();
        let mut x = 0.0;
        for frame in 0..60 {
            x += speed * FRAME;
            world.move_body(body, Pose::translation(x, 0.0, 0.0)).unwrap();
            world.step(&mut cpu, FRAME).unwrap();
            let place = world.position(object, 0).unwrap();
            assert!(place.x > x + 0.5 + RADIUS - 1e-4, "{speed} m/s: {place} in frame {frame}");
        }
        let v = world.velocity(object, 0).unwrap();
        assert!((v - Vec3::X * speed).length() < 1e-3 * speed + 1e-5, "{v} is not {speed}");
    }
}

#[test]
fn friction_carries_without_slip_up_to_its_limit() {
    // The platform's speed grows by a dt at the start of a frame, which friction gives within one
    // substep while a dt < μ g h: here 0.35/60 < 0.8 × 9.81/1200.
    let (mut world, body, object) = carried(Vec3::ZERO, 0.8);
    let mut cpu = cpu();
    let (mut v, mut x) = (0.0, 0.0);
    for frame in 0..120 {
        v += 0.35 * FRAME;
        x += v * FRAME;
        world.move_body(body, Pose::translation(x, 0.0, 0.0)).unwrap();
        world.step(&mut cpu, FRAME).unwrap();
        let slip = world.position(object, 0).unwrap().x - x;
        assert!(slip.abs() < 1e-5, "{slip} m in frame {frame}");
    }
    assert!(x > 0.69);
}

#[test]
fn beyond_its_limit_it_slides_with_the_acceleration_of_friction() {
    // v = μ g t under a platform that runs away.
    let (mut world, body, object) = carried(Vec3::X * 4.0, 0.1);
    let mut cpu = cpu();
    let mut x = 0.0;
    for _ in 0..60 {
        x += 5.0 * FRAME;
        world.move_body(body, Pose::translation(x, 0.0, 0.0)).unwrap();
        world.step(&mut cpu, FRAME).unwrap();
    }
    let v = world.velocity(object, 0).unwrap().x;
    let expected = 0.1 * 9.81;
    assert!((v / expected - 1.0).abs() < 0.02, "{v} is not {expected}");
}

#[test]
fn a_turntable_carries_what_lies_on_it() {
    // ω² r = 1.5² × 1 < μ g = 0.8 × 9.81.
    let (mut world, body, object) = carried(Vec3::X, 0.8);
    let mut cpu = cpu();
    let turn = |frame: u32| {
        // Up to ω = 1.5 rad/s within a second.
        let t = f64::from(frame) / 60.0;
        let angle = if t < 1.0 { 0.75 * t * t } else { 1.5 * t - 0.75 };
        let half = 0.5 * angle;
        Quat::from_xyzw(0.0, half.sin() as f32, 0.0, half.cos() as f32)
    };
    for frame in 1..=240 {
        let rotation = turn(frame);
        world.move_body(body, Pose::from_parts(Vec3::ZERO, rotation)).unwrap();
        world.step(&mut cpu, FRAME).unwrap();
        let slip = world.position(object, 0).unwrap().distance(rotation * Vec3::X + Vec3::Y * RADIUS);
        assert!(slip < 2e-3, "{slip} m in frame {frame}");
    }
}

#[test]
fn a_lift_carries_up_and_down() {
    let (mut world, body, object) = carried(Vec3::ZERO, 0.4);
    let mut cpu = cpu();
    for frame in 1..=120 {
        // 1 m up and down in 2 s, never faster down than free fall.
        let y = 0.5 - 0.5 * (f64::from(frame) / 120.0 * std::f64::consts::TAU).cos() as f32;
        world.move_body(body, Pose::translation(0.0, y, 0.0)).unwrap();
        world.step(&mut cpu, FRAME).unwrap();
        let gap = world.position(object, 0).unwrap().y - y - RADIUS;
        // The platform moves at a constant speed within a frame and falls by up to a dt² = 1.4 mm less than it.
        assert!((-1e-5..1.5e-3).contains(&gap), "{gap} m in frame {frame}");
    }
}

#[test]
fn sliding_stops_after_the_distance_of_friction() {
    // v₀²/(2 μ g).
    let (mut world, _, object) = carried(Vec3::X * -2.0, 0.5);
    let start = world.position(object, 0).unwrap();
    world.add_impulse(object, 0, Vec3::new(3.0, 0.0, 2.0)).unwrap();
    step(&mut world, 120);
    let way = world.position(object, 0).unwrap() - start;
    let expected = 13.0 / (2.0 * 0.5 * 9.81);
    assert!((way.length() / expected - 1.0).abs() < 0.01, "{} is not {expected}", way.length());
    assert!((way.z / way.x - 2.0 / 3.0).abs() < 1e-3, "it goes straight on: {way}");
    assert!(world.velocity(object, 0).unwrap().length() < 1e-4);
}
