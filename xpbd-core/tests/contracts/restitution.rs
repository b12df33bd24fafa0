//! Rebounds of bodies and particles, against closed forms.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::collide::open_mesh;
use xpbd_core::prelude::*;

use crate::yard::{FRAME, G, ball, frames};

/// Returns a world without gravity.
fn floating(substeps: u32) -> World {
    World::new(Settings { substeps, gravity: Vec3::ZERO, ..Settings::default() }).unwrap()
}

/// Kinetic energy \[J\].
fn energy(world: &World, bodies: &[BodyHandle]) -> f64 {
    let one = |&body: &BodyHandle| {
        let Body { pose, velocity, angular_velocity, mass, .. } = world.body(body).unwrap();
        let spin = (pose.rotation * mass.principal_axes).inverse() * angular_velocity;
        0.5 * f64::from(mass.mass * velocity.length_squared() + (mass.principal_inertia * spin).dot(spin))
    };
    bodies.iter().map(one).sum()
}

/// Balls of one mass that touch in a row: what the first brings is taken by the last, and the others stay, from both
/// sides and for any number of substeps.
#[test]
fn the_last_ball_of_a_cradle_leaves_with_the_speed_of_the_first() {
    for substeps in [4, 10, 20] {
        for (count, side) in [(5, 1.0), (5, -1.0), (9, 1.0)] {
            let mut world = floating(substeps);
            let place = |k: usize| Vec3::X * side * (0.2 * k as f32 - if k == 0 { 0.31 } else { 0.0 });
            let balls: Vec<_> = (0..count).map(|k| ball(&mut world, place(k), 0.1, 1.0, 1.0)).collect();
            world.edit_body(balls[0], |body| body.velocity = Vec3::X * side).unwrap();
            frames(&mut world, 60);
            let speeds: Vec<f32> = balls.iter().map(|&body| world.body(body).unwrap().velocity.x * side).collect();
            assert!(speeds[count - 1] > 0.95, "{substeps} {side}: {speeds:?}");
            assert!(speeds[..count - 1].iter().all(|speed| speed.abs() < 0.03), "{substeps} {side}: {speeds:?}");
        }
    }
}

/// Impacts without loss between bodies and walls, in a box from which nothing leaves: those of balls never add energy, with
/// friction or without; that of boxes is kept within the error of their free rotation, (ω h)² of it.
#[test]
fn no_impact_gains_energy() {
    for (seed, friction, boxes) in [(1, 0.0, false), (2, 0.5, false), (3, 0.0, true)] {
        let mut world = floating(10);
        let bodies = swarm(&mut world, &mut Random(seed), friction, boxes);
        let first = energy(&world, &bodies);
        let mut before = first;
        for frame in 0..90 {
            frames(&mut world, 1);
            let now = energy(&world, &bodies);
            let limit = if boxes { first * 1.005 } else { before * (1.0 + 1e-5) };
            assert!(now < limit, "{seed}: frame {frame}, {before} J become {now} J of {first} J");
            before = now;
        }
        assert!(friction > 0.0 || before > 0.97 * first, "{seed}: {before} J are left of {first} J");
    }
}

/// Adds balls, or balls and boxes, that fly about between six walls, all without loss.
fn swarm(world: &mut World, random: &mut Random, friction: f32, boxes: bool) -> Vec<BodyHandle> {
    let surface = |collider: Collider| collider.restitution(1.0).friction(Friction::new(friction));
    for normal in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|axis| [axis, -axis]) {
        world.add_collider(surface(Collider::new(SharedShape::halfspace(normal)).at(-normal))).unwrap();
    }
    let mut add = |k: i32| {
        let cell = Vec3::new((k % 3) as f32, (k / 3 % 3) as f32, (k / 9) as f32) * 0.55 - 0.55;
        let half = Vec3::new(0.1, 0.08, 0.12);
        let (shape, mass) = match boxes && k % 2 == 0 {
            true => (SharedShape::cuboid(half.x, half.y, half.z), Mass::cuboid(1.0, half)),
            false => (SharedShape::ball(0.2), Mass::ball(1.0 + 3.0 * random.unit(), 0.2)),
        };
        let mut body = Body::dynamic(Pose::from_translation(cell), mass);
        body.velocity = Vec3::from_array([0; 3].map(|_| 6.0 * random.unit() - 3.0));
        body.angular_velocity = Vec3::from_array([0; 3].map(|_| 6.0 * random.unit() - 3.0));
        let body = world.add_body(body).unwrap();
        world.add_collider(surface(Collider::new(shape).attached_to(body))).unwrap();
        body
    };
    (0..27).map(&mut add).collect()
}

/// Radius of the particles \[m\].
const RADIUS: f32 = 0.02;

/// Returns a world with these substeps and a particle of restitution 0.8 whose lowest point is 1 m above y = 0, and it.
fn dropped(substeps: u32, integrator: Integrator) -> (World, ObjectHandle) {
    let settings = Settings { substeps, integrator, particle_radius: RADIUS, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    let mut particle = Object::new("particle", vec![Vec3::Y * (1.0 + RADIUS)], 0.1);
    particle.restitution = 0.8;
    let particle = world.add(particle).unwrap();
    (world, particle)
}

/// Returns the height to which the lowest point of a particle rises after its first impact \[m\]: while it flies
/// v' = v − g h and y' = y + h v', which keeps y + v²/2g − h v/2.
fn rise(world: &mut World, particle: ObjectHandle, substeps: u32) -> f32 {
    let h = FRAME / substeps as f32;
    frames(world, 35);
    let (y, v) = (world.position(particle, 0).unwrap().y - RADIUS, world.velocity(particle, 0).unwrap().y);
    assert!(v > 0.5, "it rises: {v}");
    y + v * v / (2.0 * G) - 0.5 * h * v
}

/// e² of the height that it falls from, on whatever it falls.
#[test]
fn a_particle_rises_as_high_as_its_restitution_says() {
    for (substeps, integrator) in
        [(10, Integrator::FirstOrder), (20, Integrator::FirstOrder), (20, Integrator::SecondOrder)]
    {
        for surface in 0..5 {
            let (mut world, particle) = dropped(substeps, integrator);
            let corner = |x: f32, z: f32| Vec3::new(x, 0.0, z);
            match surface {
                0 => drop(world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y))).unwrap()),
                1 => drop(
                    world.add_collider(Collider::new(SharedShape::cuboid(1.0, 0.1, 1.0)).at(Vec3::Y * -0.1)).unwrap(),
                ),
                2 => {
                    let corners = [corner(-1.0, -1.2), corner(1.0, -1.1), corner(1.1, 1.0), corner(-1.0, 1.0)];
                    let mesh = open_mesh(&corners, &[[0, 2, 1], [0, 3, 2]]).unwrap();
                    world.add_collider(Collider::new(mesh)).unwrap();
                }
                3 => {
                    let mut body = Body::dynamic(Pose::from_translation(Vec3::Y * -0.1), Mass::ball(1e5, 1.0));
                    body.gravity_scale = 0.0;
                    let body = world.add_body(body).unwrap();
                    let collider = Collider::new(SharedShape::cuboid(1.0, 0.1, 1.0)).attached_to(body);
                    world.add_collider(collider).unwrap();
                }
                _ => drop(world.add(Object::new("other", vec![Vec3::Y * -RADIUS], 0.1).pin([0])).unwrap()),
            }
            let height = rise(&mut world, particle, substeps);
            assert!((height / 0.64 - 1.0).abs() < 0.02, "{substeps} {integrator:?} on {surface}: {height} m");
        }
    }
}

/// Particles of different mass exchange their momentum as p = (1 + e) v m₁ m₂/(m₁ + m₂) says, and so do a particle and a
/// body.
#[test]
fn particles_rebound_from_each_other_and_from_bodies() {
    let settings = Settings { substeps: 10, gravity: Vec3::ZERO, particle_radius: RADIUS, ..Settings::default() };
    for restitution in [0.5, 1.0] {
        for is_body in [false, true] {
            let mut world = World::new(settings.clone()).unwrap();
            let mut particle = Object::new("particle", vec![Vec3::X * -0.5], 0.1).velocity(Vec3::X * 2.0);
            particle.restitution = restitution;
            let particle = world.add(particle).unwrap();
            let hit: Box<dyn Fn(&World) -> f32> = if is_body {
                let body = ball(&mut world, Vec3::X * 0.1, 0.1, 0.3, 0.0);
                Box::new(move |world| world.body(body).unwrap().velocity.x)
            } else {
                let other = world.add(Object::new("other", vec![Vec3::ZERO], 0.3)).unwrap();
                Box::new(move |world| world.velocity(other, 0).unwrap().x)
            };
            frames(&mut world, 40);
            let momentum = (1.0 + restitution) * 2.0 * 0.1 * 0.3 / 0.4;
            let found = [world.velocity(particle, 0).unwrap().x, hit(&world)];
            let expected = [2.0 - momentum / 0.1, momentum / 0.3];
            let same = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3);
            assert!(same, "{restitution} {is_body}: {found:?} {expected:?}");
        }
    }
}

/// A generator of numbers for scenes.
struct Random(u64);

impl Random {
    /// A number from 0 to 1.
    fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }
}
