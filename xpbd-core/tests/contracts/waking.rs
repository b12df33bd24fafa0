//! What sleeps is pushed like what is awake, and by nothing that passes it.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::object::Object;
use xpbd_core::world::{BodyHandle, Friction, Settings, World};

use super::support::{FRAME, cpu};

const RADIUS: f32 = 0.1;

/// Returns a world without gravity in which nothing falls asleep by itself.
fn space(substeps: u32) -> World {
    World::new(Settings { gravity: Vec3::ZERO, substeps, sleep_time: 1e6, ..Settings::default() }).unwrap()
}

/// Adds a body of a shape of 1 kg.
fn add(world: &mut World, shape: SharedShape, place: Vec3, velocity: Vec3, restitution: f32) -> BodyHandle {
    let mass = Mass::from_shape(&*shape, 1.0).unwrap();
    let mass = Mass { mass: 1.0, principal_inertia: mass.principal_inertia / mass.mass, ..mass };
    let body = world.add_body(Body::dynamic(Pose::from_translation(place), mass).velocity(velocity)).unwrap();
    let collider = Collider::new(shape).friction(Friction::new(0.0)).restitution(restitution);
    world.add_collider(collider.attached_to(body)).unwrap();
    body
}

/// Adds a row of balls with this distance between them \[m\].
fn row_of_balls(world: &mut World, count: u16, gap: f32, restitution: f32) -> Vec<BodyHandle> {
    let place = |k: u16| Vec3::X * (f32::from(k) * (2.0 * RADIUS + gap));
    (0..count).map(|k| add(world, SharedShape::ball(RADIUS), place(k), Vec3::ZERO, restitution)).collect()
}

/// Puts bodies to sleep, each as an island of its own. All else is to be in the world already.
fn put_to_sleep(world: &mut World, bodies: &[BodyHandle]) {
    bodies.iter().for_each(|&body| world.put_to_sleep(body).unwrap());
    assert!(bodies.iter().all(|&body| world.is_asleep(body).unwrap()));
}

/// Returns the velocities of bodies along x \[m/s\].
fn speeds(world: &World, bodies: &[BodyHandle]) -> Vec<f32> {
    bodies.iter().map(|&body| world.body(body).unwrap().velocity.x).collect()
}

/// An impulse passes through a row of balls that sleep, in the frame in which it comes: the last one leaves with the speed of
/// the first.
#[test]
fn an_impulse_passes_through_a_row_that_sleeps() {
    for (substeps, gap, speed) in [(4, 0.0, 3.0), (10, 0.0, 3.0), (10, 1e-3, 3.0), (10, 1e-3, 20.0)] {
        let mut world = space(substeps);
        let row = row_of_balls(&mut world, 4, gap, 1.0);
        let first = Vec3::X * -(2.0 * RADIUS + 0.4 * speed * FRAME);
        let hitting = add(&mut world, SharedShape::ball(RADIUS), first, Vec3::X * speed, 1.0);
        put_to_sleep(&mut world, &row);
        let mut cpu = cpu();
        (0..3).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
        let (speeds, hitting) = (speeds(&world, &row), world.body(hitting).unwrap().velocity.x);
        let total = hitting + speeds.iter().sum::<f32>();
        assert!((total / speed - 1.0).abs() < 1e-4, "{substeps}, {gap} m: {hitting} and {speeds:?} m/s");
        assert!((speeds[3] / speed - 1.0).abs() < 0.02, "{substeps}, {gap} m: {hitting} and {speeds:?} m/s");
    }
}

/// What is hit without a rebound goes on together with what hits it.
#[test]
fn what_sleeps_takes_its_share_of_the_momentum() {
    let shapes = [SharedShape::ball(RADIUS), SharedShape::cuboid(RADIUS, RADIUS, RADIUS)];
    for (shape, speed) in shapes.iter().flat_map(|shape| [0.01, 1.0, 30.0].map(|speed| (shape, speed))) {
        let mut world = space(10);
        let bodies = [-1.0, 1.0].map(|side| {
            let place = Vec3::X * (side * (RADIUS + 0.3 * speed * FRAME));
            add(&mut world, shape.clone(), place, Vec3::X * speed * (0.5 - 0.5 * side), 0.0)
        });
        put_to_sleep(&mut world, &bodies[1..]);
        let mut cpu = cpu();
        (0..3).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
        for velocity in speeds(&world, &bodies) {
            assert!((velocity / speed - 0.5).abs() < 0.01, "{velocity} m/s of {speed}");
        }
    }
}

/// A particle that hits a sleeping box hands its momentum on.
#[test]
fn particles_push_what_sleeps() {
    let mut world = space(10);
    let target = add(&mut world, SharedShape::cuboid(RADIUS, RADIUS, RADIUS), Vec3::ZERO, Vec3::ZERO, 0.0);
    let mut shot = Object::new("shot", vec![Vec3::X * -(RADIUS + 0.05)], 0.5);
    shot.velocities = vec![Vec3::X * 6.0];
    let shot = world.add(shot).unwrap();
    put_to_sleep(&mut world, &[target]);
    let mut cpu = cpu();
    (0..6).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
    let [particle, target] = [world.velocity(shot, 0).unwrap().x, world.body(target).unwrap().velocity.x];
    assert!((0.5 * particle + target - 3.0).abs() < 0.02, "{particle} and {target} m/s");
    assert!((target - 2.0).abs() < 0.05, "{target} m/s");
}

/// What passes by, and what is moved past, wakes nothing; what is moved into a box wakes it.
#[test]
fn what_passes_by_wakes_nothing() {
    let mut world = space(4);
    let row = row_of_balls(&mut world, 3, 0.05, 0.0);
    let stick = SharedShape::capsule_x(1.0, 0.02);
    let passing = add(&mut world, stick, Vec3::new(-2.0, 2.0 * RADIUS, 0.0), Vec3::X * 20.0, 0.0);
    let lift = world.add_body(Body::kinematic(Pose::from_translation(Vec3::new(0.0, -2.0, 0.2)))).unwrap();
    world.add_collider(Collider::new(SharedShape::cuboid(1.0, 0.05, 0.05)).attached_to(lift)).unwrap();
    put_to_sleep(&mut world, &row);
    let mut cpu = cpu();
    for frame in 0..60_u8 {
        let height = -2.0 + 0.05 * f32::from(frame);
        world.move_body(lift, Pose::from_translation(Vec3::new(0.0, height, 0.2))).unwrap();
        world.step(&mut cpu, FRAME).unwrap();
        assert!(row.iter().all(|&ball| world.is_asleep(ball).unwrap()), "frame {frame}");
    }
    assert_eq!(world.body(passing).unwrap().velocity, Vec3::X * 20.0);
    let first = world.body_pose(row[0]).unwrap().translation;
    for height in [0.5, 0.3, 0.1] {
        world.move_body(lift, Pose::from_translation(Vec3::new(-1.0, height, 0.0))).unwrap();
        world.step(&mut cpu, FRAME).unwrap();
    }
    assert!(!world.is_asleep(row[0]).unwrap());
    assert!(world.body_pose(row[0]).unwrap().translation.y < first.y - 0.01);
}

/// Dominoes that have fallen asleep where they stand fall one after the other.
#[test]
fn dominoes_fall_that_sleep() {
    let mut world = World::new(Settings { substeps: 4, ..Settings::default() }).unwrap();
    world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)).friction(Friction::new(0.5))).unwrap();
    let half = Vec3::new(0.02, 0.12, 0.06);
    let shape = SharedShape::cuboid(half.x, half.y, half.z);
    let dominoes = (0..30_u8).map(|k| {
        let pose = Pose::translation(0.12 * f32::from(k), half.y, 0.0);
        let body = world.add_body(Body::dynamic(pose, Mass::from_shape(&*shape, 600.0).unwrap())).unwrap();
        world.add_collider(Collider::new(shape.clone()).attached_to(body).friction(Friction::new(0.3))).unwrap();
        body
    });
    let (dominoes, mut cpu) = (dominoes.collect::<Vec<_>>(), cpu());
    (0..60).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
    assert!(dominoes.iter().all(|&domino| world.is_asleep(domino).unwrap()));
    let impulse = Vec3::X * (0.5 * world.body(dominoes[0]).unwrap().mass.mass);
    world.add_body_impulse_at(dominoes[0], impulse, Vec3::Y * (2.0 * half.y)).unwrap();
    (0..300).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
    for (k, &domino) in dominoes.iter().enumerate() {
        let height = world.body_pose(domino).unwrap().translation.y;
        assert!(height < 0.08, "domino {k} is at {height} m");
    }
}
