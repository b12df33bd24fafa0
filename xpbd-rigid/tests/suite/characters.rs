//! Kinematic characters on slopes, steps and moving ground, against closed forms.

use std::f32::consts::{PI, TAU};

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::force_region::{ForceField, ForceRegion};
use xpbd_core::query::{QueryFilter, SpatialIndex};
use xpbd_core::scalar::trig;
use xpbd_rigid::character::{CharacterController, CharacterError, CharacterInput, CharacterState};
use xpbd_rigid::prelude::*;

use super::support::FRAME;

pub const G: f32 = 9.81;
pub const RADIUS: f32 = 0.3;
/// Height of the middle of a capsule that stands on y = 0, without the offset.
pub const HEIGHT: f32 = 0.9;

/// A world with a character in it.
struct Scene {
    world: World,
    cpu: CpuBackend,
    index: SpatialIndex,
    capsule: ColliderHandle,
    body: BodyHandle,
    controller: CharacterController,
    state: CharacterState,
    input: CharacterInput,
    regions: Vec<ForceRegion>,
}

impl Scene {
    fn new(at: Vec3) -> Self {
        let mut world = World::new(Settings { sleep_speed: 0.0, ..Settings::default() }).unwrap();
        let body = world.add_body(Body::kinematic(Pose::from_translation(at))).unwrap();
        let shape = SharedShape::capsule_y(HEIGHT - RADIUS, RADIUS);
        let capsule = world.add_collider(Collider::new(shape).attached_to(body)).unwrap();
        let (controller, state) = (CharacterController::default(), CharacterState::default());
        let (cpu, index) = (CpuBackend::new(Threads::Exactly(1)), SpatialIndex::default());
        let (input, regions) = (CharacterInput::default(), Vec::new());
        Self { world, cpu, index, capsule, body, controller, state, input, regions }
    }

    fn on_floor(x: f32) -> Self {
        let mut scene = Self::new(Vec3::new(x, HEIGHT + 0.02, 0.0));
        scene.add(SharedShape::halfspace(Vec3::Y), Pose::IDENTITY);
        scene
    }

    fn add(&mut self, shape: SharedShape, pose: Pose) -> ColliderHandle {
        self.world.add_collider(Collider { pose, ..Collider::new(shape) }).unwrap()
    }

    fn add_box(&mut self, half: Vec3, at: Vec3) -> ColliderHandle {
        self.add(SharedShape::cuboid(half.x, half.y, half.z), Pose::from_translation(at))
    }

    fn walk(&mut self, velocity: Vec3, frames: usize) {
        self.input.velocity = velocity;
        (0..frames).for_each(|_| self.frame(|_, _| ()));
    }

    fn frame(&mut self, before: impl FnOnce(&mut World, f32)) {
        before(&mut self.world, FRAME);
        let space = self.index.update(&self.world);
        let step = self.controller.step(&space, self.capsule, &self.state, &self.input, &self.regions, FRAME).unwrap();
        step.apply(&mut self.world).unwrap();
        self.state = step.state;
        self.world.step(&mut self.cpu, FRAME).unwrap();
    }

    fn place(&self) -> Vec3 {
        self.world.body_pose(self.body).unwrap().translation
    }
}

/// A plane through the origin that rises along x.
pub fn slope(degrees: f32) -> SharedShape {
    SharedShape::halfspace(Quat::from_rotation_z(degrees.to_radians()) * Vec3::Y)
}

/// The same as a mesh, of 40 by 40 m.
fn slope_of_triangles(degrees: f32) -> SharedShape {
    let turn = Quat::from_rotation_z(degrees.to_radians());
    let corner = |x: f32, z: f32| turn * Vec3::new(x, 0.0, z);
    let vertices = vec![corner(-20.0, -20.0), corner(-20.0, 20.0), corner(20.0, 20.0), corner(20.0, -20.0)];
    SharedShape::trimesh(vertices, vec![[0, 1, 2], [0, 2, 3]]).unwrap()
}

/// On a slope of 40° it walks with the speed it is asked for: x = x₀ + cos 40° v t. On 50° it does not come higher than where it
/// stands in the corner.
#[test]
fn a_character_walks_up_40_degrees_and_not_50() {
    for shape in [slope, slope_of_triangles] {
        for (degrees, climbs) in [(30.0, true), (40.0, true), (50.0, false), (60.0, false)] {
            let mut scene = Scene::on_floor(-1.5);
            scene.add(shape(degrees), Pose::IDENTITY);
            scene.walk(Vec3::X * 2.0, 90);
            let (from, high) = (scene.place(), scene.place().y);
            scene.walk(Vec3::X * 2.0, 60);
            let way = scene.place() - from;
            if climbs {
                let [sine, cosine] = [trig::sin, trig::cos].map(|of| of(degrees.to_radians()));
                let expected = 2.0 * Vec3::new(cosine, sine, 0.0);
                assert!(way.distance(expected) < 0.01, "{degrees}°: {way}, but {expected}");
                assert!((scene.state.velocity - expected).length() < 0.01, "{}", scene.state.velocity);
                // It stands still there, and walks down as fast.
                scene.walk(Vec3::ZERO, 60);
                let stands = scene.place();
                scene.walk(Vec3::ZERO, 600);
                assert!(scene.place().distance(stands) < 1e-4, "{degrees}°: {stands} {}", scene.place());
                scene.walk(Vec3::NEG_X * 2.0, 20);
                let from = scene.place();
                scene.walk(Vec3::NEG_X * 2.0, 15);
                let way = scene.place() - from;
                assert!(way.distance(-expected * 0.25) < 0.01, "{degrees}° down: {way}");
                assert!(scene.state.ground.is_some());
            } else {
                assert!(way.length() < 0.01 && high < HEIGHT + 0.1, "{degrees}°: {way} at {high}");
            }
        }
    }
}

/// Who falls on a steep slope slides down: after the time t the speed along it is g sin α t.
#[test]
fn a_character_slides_down_what_is_too_steep() {
    let mut scene = Scene::new(Vec3::new(0.0, 0.0, 0.0));
    let normal = Quat::from_rotation_z(60_f32.to_radians()) * Vec3::Y;
    scene.world.set_body_pose(scene.body, Pose::from_translation(normal * 0.75 + Vec3::Y * 0.6)).unwrap();
    scene.add(slope(60.0), Pose::IDENTITY);
    scene.controller.air_response = 0.0;
    // It rests against the slope after some frames, wherever it began.
    scene.walk(Vec3::ZERO, 30);
    let (from, before) = (scene.place(), scene.state.velocity);
    scene.walk(Vec3::ZERO, 60);
    let gain = (scene.state.velocity - before).length();
    let expected = G * trig::sin(60_f32.to_radians());
    assert!((gain - expected).abs() < 0.02 * expected, "{gain}, but {expected}");
    let gap = scene.place().dot(normal) - from.dot(normal);
    assert!(gap.abs() < 0.02 && scene.state.ground.is_none(), "{gap}");
}

/// It climbs a stair of 0.3 m with its speed, up to 3 %, and no higher one, and walks down again without losing touch.
#[test]
fn a_character_climbs_steps_of_30_centimetres_and_no_higher_ones() {
    for (height, climbs) in [(0.15, true), (0.3, true), (0.32, false), (0.5, false)] {
        let mut scene = Scene::on_floor(-2.0);
        for k in 0..4 {
            let half = Vec3::new(5.0, 0.5 * height, 2.0);
            scene.add_box(half, Vec3::new(5.0 + 0.6 * k as f32, height * (k as f32 + 0.5), 0.0));
        }
        scene.walk(Vec3::X * 2.0, 60);
        let before = scene.place().x;
        scene.walk(Vec3::X * 2.0, 120);
        let at = scene.place();
        if climbs {
            // It stays where it is while the gap to the ground is the offset up to a fifth.
            assert!((at.y - (HEIGHT + 0.02 + 4.0 * height)).abs() < 4e-3, "{height}: {at}");
            assert!((at.x - before - 4.0).abs() < 0.12, "{height}: {before} {at}");
            let mut in_air = 0;
            for _ in 0..150 {
                scene.walk(Vec3::NEG_X * 2.0, 1);
                in_air += usize::from(scene.state.ground.is_none());
            }
            let end = scene.place();
            assert!((end.y - HEIGHT - 0.02).abs() < 4e-3 && in_air == 0, "{height}: {end}, {in_air} frames in the air");
        } else {
            assert!((at.x + RADIUS + 0.02).abs() < 0.01 && (at.y - HEIGHT - 0.02).abs() < 4e-3, "{height}: {at}");
            assert!(scene.state.velocity.length() < 1e-3, "{}", scene.state.velocity);
        }
    }
}

/// Along a wall at 30° it keeps cos 30° of its speed and the offset from the wall; into a corner it stops.
#[test]
fn a_character_slides_along_walls_and_stops_in_corners() {
    let mut scene = Scene::on_floor(0.0);
    let turn = Quat::from_rotation_y(30_f32.to_radians());
    let normal = turn * Vec3::Z;
    scene.add(SharedShape::cuboid(20.0, 2.0, 0.5), Pose::from_parts(normal * -1.5, turn));
    // The way against x runs into it at 30°.
    scene.walk(Vec3::NEG_X * 2.0, 120);
    let from = scene.place();
    scene.walk(Vec3::NEG_X * 2.0, 60);
    let way = scene.place() - from;
    let speed = 2.0 * trig::cos(30_f32.to_radians());
    assert!((way.length() - speed).abs() < 0.01 && way.dot(normal).abs() < 2e-3, "{way}");
    let gap = scene.place().dot(normal) + 1.0 - RADIUS;
    assert!((gap - 0.02).abs() < 0.006, "{gap}");
    // A second wall closes a corner of 90°.
    let end = scene.place() - turn * Vec3::X * 2.0;
    scene.add(SharedShape::cuboid(0.5, 2.0, 20.0), Pose::from_parts(end, turn));
    scene.walk(Vec3::NEG_X * 2.0, 120);
    let rests = scene.place();
    scene.walk(Vec3::NEG_X * 2.0, 60);
    assert!(scene.place().distance(rests) < 2e-3 && scene.state.velocity.length() < 1e-2, "{}", scene.place());
}

/// The jump reaches v²/2g, up to the last frame before the top, and lasts 2 v/g.
#[test]
fn a_jump_is_a_parabola() {
    let mut scene = Scene::on_floor(0.0);
    scene.walk(Vec3::ZERO, 5);
    let from = scene.place().y;
    scene.input.jump_speed = 5.0;
    scene.walk(Vec3::ZERO, 1);
    scene.input.jump_speed = 0.0;
    let (mut high, mut frames) = (scene.place().y, 1);
    while scene.state.ground.is_none() && frames < 200 {
        scene.walk(Vec3::ZERO, 1);
        high = high.max(scene.place().y);
        frames += 1;
    }
    assert!((high - from - 25.0 / (2.0 * G)).abs() < 2e-3, "{}", high - from);
    assert!((frames as f32 * FRAME - 10.0 / G).abs() < 1.5 * FRAME, "{frames}");
    assert!((scene.place().y - from).abs() < 1e-3 && scene.state.velocity.length() < 1e-3);
    // Nobody jumps from the air.
    scene.walk(Vec3::ZERO, 5);
    scene.input.jump_speed = 5.0;
    scene.walk(Vec3::ZERO, 10);
    assert!(scene.state.velocity.y < 5.0);
}

/// A crate without friction takes on the acceleration F/m until it is as fast as the character. One that friction holds with more
/// than F stays, and one that it holds with less gains (F − μ m g)/m.
#[test]
fn a_character_pushes_bodies_by_no_more_than_its_force() {
    for (mass, friction, force) in [(100.0, 0.0, 200.0), (100.0, 0.2, 300.0), (100.0, 0.5, 400.0)] {
        let mut scene = Scene::on_floor(0.0);
        scene.controller.max_push_force = force;
        let half = Vec3::splat(0.5);
        let at = Pose::from_translation(Vec3::new(1.0, 0.5, 0.0));
        let friction = Friction::new(friction * friction / 0.4);
        let body = Body::dynamic(at, Mass::cuboid(mass, half)).locked_axes(LockedAxes::ROTATION_LOCKED);
        let body = scene.world.add_body(body).unwrap();
        let collider = Collider::new(SharedShape::cuboid(0.5, 0.5, 0.5)).attached_to(body);
        scene.world.add_collider(collider.friction(friction)).unwrap();
        scene.walk(Vec3::X * 2.0, 30);
        let before = scene.world.body(body).unwrap().velocity.x;
        scene.walk(Vec3::X * 2.0, 30);
        let gain = scene.world.body(body).unwrap().velocity.x - before;
        let friction = (friction.dynamic_coefficient * 0.4).sqrt();
        let expected = (0.5 * (force / mass - friction * G)).max(0.0);
        assert!((gain - expected).abs() < 0.03 * expected + 1e-3, "{mass} kg: {gain}, but {expected}");
        scene.walk(Vec3::X * 2.0, 240);
        let body = scene.world.body(body).unwrap();
        let speed = if expected > 0.0 { 2.0 } else { 0.0 };
        assert!((body.velocity.x - speed).abs() < 0.12, "{mass} kg: {}", body.velocity);
        let gap = body.pose.translation.x - 0.5 - RADIUS - scene.place().x;
        assert!(gap > 0.005 && gap < 0.1, "{mass} kg: {gap}");
    }
}

/// It goes with a lift, with a platform that is moved, and with one that turns, to rounding; and jumps from it with its velocity.
#[test]
fn a_character_rides_on_kinematic_bodies() {
    let poses: [fn(f32) -> Pose; 3] = [
        |t| Pose::from_translation(Vec3::Y * (0.5 * (1.0 - trig::cos(2.0 * t)))),
        |t| Pose::from_translation(Vec3::new(1.5 * trig::sin(t), 0.3 * t, trig::sin(1.3 * t))),
        |t| Pose::from_parts(Vec3::ZERO, Quat::from_rotation_y(0.8 * t)),
    ];
    for (number, pose) in poses.into_iter().enumerate() {
        let mut start = Vec3::new(1.0, HEIGHT + 0.02, 0.5);
        let mut scene = Scene::new(start);
        let platform = scene.world.add_body(Body::kinematic(pose(0.0))).unwrap();
        let shape = Collider::new(SharedShape::cuboid(3.0, 0.25, 3.0)).at(Vec3::Y * -0.25).attached_to(platform);
        scene.world.add_collider(shape).unwrap();
        let mut t = 0.0;
        let (mut worst, mut turned) = (0.0_f32, Quat::IDENTITY);
        for k in 0..300 {
            t += FRAME;
            scene.frame(|world, _| world.move_body(platform, pose(t)).unwrap());
            let local = pose(t).inverse_transform_point(scene.place());
            // It takes on the velocity of the platform first.
            if k == 60 {
                start = local;
                turned = pose(t).rotation.inverse() * scene.world.body_pose(scene.body).unwrap().rotation;
            } else if k > 60 {
                worst = worst.max(local.distance(start));
                assert!(scene.state.ground.is_some(), "{number}: in the air after {t} s");
            }
        }
        assert!(worst < 3e-3, "{number}: {worst}");
        let turn = scene.world.body_pose(scene.body).unwrap().rotation.angle_between(pose(t).rotation * turned);
        assert!(turn < 1e-3, "{number}: turned by {turn}");
        // Who jumps keeps the velocity of the platform.
        let carried = scene.state.ground.unwrap().velocity;
        scene.controller.air_response = 0.0;
        scene.input.jump_speed = 4.0;
        t += FRAME;
        scene.frame(|world, _| world.move_body(platform, pose(t)).unwrap());
        let left = scene.state.velocity;
        let expected = carried + Vec3::Y * (4.0 - G * FRAME);
        assert!(left.distance(expected) < 0.05, "{number}: {left}, but {expected}");
    }
}

/// It walks with its speed against that of a conveyor belt, and is carried by it when it stands.
#[test]
fn a_conveyor_belt_carries_a_character() {
    let mut scene = Scene::new(Vec3::Y * (HEIGHT + 0.02));
    let belt = Collider::new(SharedShape::cuboid(50.0, 0.5, 2.0)).at(Vec3::Y * -0.5);
    scene.world.add_collider(belt.surface_velocity(Vec3::X * 1.5)).unwrap();
    scene.walk(Vec3::ZERO, 5);
    for (wish, expected) in [(0.0, 1.5), (-2.0, -0.5)] {
        scene.walk(Vec3::X * wish, 60);
        let from = scene.place().x;
        scene.walk(Vec3::X * wish, 60);
        let way = scene.place().x - from;
        assert!((way - expected).abs() < 2e-3, "{way}, but {expected}");
    }
}

/// The bridge sags under its weight as under that of a crate of the same mass at the same plank, and carries it to the other side.
#[test]
fn a_character_walks_over_a_bridge_of_planks_and_ropes() {
    let bridge = |world: &mut World| {
        let plank = Vec3::new(0.1, 0.02, 0.5);
        let at = |k: i32| Pose::from_translation(Vec3::new(0.24 * k as f32, -0.02, 0.0));
        let mut bodies = vec![world.add_body(Body::fixed(at(-1))).unwrap()];
        for k in 0..16 {
            let body = world.add_body(Body::dynamic(at(k), Mass::cuboid(4.0, plank)).damping(0.5, 0.5)).unwrap();
            let shape = Collider::new(SharedShape::cuboid(plank.x, plank.y, plank.z)).attached_to(body);
            world.add_collider(shape.friction(Friction::new(0.8))).unwrap();
            bodies.push(body);
        }
        bodies.push(world.add_body(Body::fixed(at(16))).unwrap());
        for (bank, side) in [(bodies[0], -1.0), (bodies[17], 1.0)] {
            let ground = Collider::new(SharedShape::cuboid(1.0, 0.5, 1.0)).at(Vec3::new(side * 0.9, -0.48, 0.0));
            world.add_collider(ground.attached_to(bank)).unwrap();
        }
        for pair in bodies.windows(2) {
            for side in [-0.5, 0.5] {
                let points = [Vec3::new(0.1, 0.0, side), Vec3::new(-0.1, 0.0, side)];
                let rope = DistanceJoint::new(points[0], points[1], 0.0, 0.045);
                DistanceJoint::add_all(world, [(rope, pair[0], pair[1])]).unwrap();
            }
        }
        bodies
    };
    let lowest = |world: &World, bodies: &[BodyHandle]| {
        bodies.iter().map(|&body| world.body_pose(body).unwrap().translation.y).fold(f32::MAX, f32::min)
    };

    let mut scene = Scene::new(Vec3::new(-1.2, HEIGHT + 0.02, 0.0));
    let bodies = bridge(&mut scene.world);
    scene.walk(Vec3::ZERO, 120);
    let empty = lowest(&scene.world, &bodies);
    let (mut in_air, mut depth) = (0, 0.0_f32);
    for _ in 0..480 {
        scene.walk(Vec3::X * 1.0, 1);
        in_air += usize::from(scene.state.ground.is_none());
        depth = depth.min(lowest(&scene.world, &bodies));
        if (scene.place().x - 1.8).abs() < 0.01 {
            break;
        }
    }
    assert!(in_air < 5, "{in_air} frames in the air");
    scene.walk(Vec3::ZERO, 300);
    let sag = lowest(&scene.world, &bodies);

    // A crate of the same mass in its place.
    let mut other = Scene::new(Vec3::new(-1.2, HEIGHT + 0.02, 0.0));
    let same = bridge(&mut other.world);
    let crate_at = Pose::from_translation(Vec3::new(scene.place().x, 0.12, 0.0));
    let load = other.world.add_body(Body::dynamic(crate_at, Mass::cuboid(80.0, Vec3::new(0.2, 0.1, 0.2)))).unwrap();
    let shape = Collider::new(SharedShape::cuboid(0.2, 0.1, 0.2)).attached_to(load);
    other.world.add_collider(shape.friction(Friction::new(0.8))).unwrap();
    other.walk(Vec3::ZERO, 600);
    let expected = lowest(&other.world, &same);
    assert!(sag < empty - 0.02 && (sag - expected).abs() < 0.05 * expected.abs(), "{empty} {sag} {expected}");

    // To the other side.
    for _ in 0..200 {
        scene.walk(Vec3::X * 1.0, 1);
        in_air += usize::from(scene.state.ground.is_none());
    }
    assert!(scene.place().x > 4.0 && (scene.place().y - HEIGHT - 0.02).abs() < 5e-3, "{}", scene.place());
    assert!(in_air < 10, "{in_air}");
}

/// Water up to a height \[m\], with a drag \[1/s\] and a current \[m/s\].
fn water(height: f32, damping: f32, velocity: Vec3) -> ForceRegion {
    let field = ForceField::Buoyancy { density: 1000.0, particle_density: 500.0, damping, velocity, surface: height };
    ForceRegion::new(SharedShape::cuboid(50.0, 50.0, 50.0), field)
}

/// The volume of the lowest part of the capsule \[m³\], which is h high: 2 π r³/3 + π r² (h − r).
fn volume(h: f32) -> f32 {
    PI * RADIUS * RADIUS * (h - RADIUS / 3.0)
}

/// With the part s of the capsule under water, whose drag is d, the speed becomes v = (k w + D u)/(k + D) with
/// D = d s/(1 + d s Δt): slower than on land, and carried by a current. Where the water bears its weight it floats, h deep with
/// ρ V(h) = m, and it is in the air no longer than a jump lasts.
#[test]
fn a_character_wades_through_water_and_floats_where_it_is_deep() {
    for (damping, current) in [(10.0, Vec3::ZERO), (4.0, Vec3::new(1.0, 0.0, 0.5)), (0.0, Vec3::X)] {
        let mut scene = Scene::on_floor(0.0);
        scene.controller.mass = 300.0;
        scene.regions = vec![water(0.6, damping, current)];
        scene.walk(Vec3::X * 2.0, 120);
        let from = scene.place();
        scene.walk(Vec3::X * 2.0, 60);
        let part = damping * volume(0.58) / volume(2.0 * HEIGHT - RADIUS / 3.0);
        let drag = part / (1.0 + part * FRAME);
        let expected = (Vec3::X * 2.0 * 15.0 + current * drag) / (15.0 + drag);
        let way = scene.place() - from;
        assert!(way.distance(expected) < 5e-3, "{damping}: {way}, but {expected}");
        assert!(scene.state.ground.is_some() && (damping != 10.0 || way.x < 1.7));
    }
    let mut scene = Scene::on_floor(0.0);
    scene.controller.mass = 300.0;
    scene.regions = vec![water(5.0, 3.0, Vec3::ZERO)];
    scene.walk(Vec3::ZERO, 1200);
    let height = (0.3 - volume(2.0 * RADIUS)) / (PI * RADIUS * RADIUS) + 2.0 * RADIUS;
    let expected = 5.0 + HEIGHT - height;
    assert!((scene.place().y - expected).abs() < 2e-3, "{} {expected}", scene.place().y);
    // Its response in water is that in the air: v = k w/(k + D).
    scene.walk(Vec3::X * 2.0, 240);
    let part = 3.0 * 0.3 / volume(2.0 * HEIGHT - RADIUS / 3.0);
    let drag = part / (1.0 + part * FRAME);
    let expected = 2.0 / (1.0 + drag);
    assert!((scene.state.velocity.x - expected).abs() < 5e-3, "{} {expected}", scene.state.velocity);
}

/// Grains that lie against it push it back: F = −Σ J/Δt of the contacts. Between two heaps it stays where it is.
#[test]
fn particles_push_a_character() {
    let mut scene = Scene::on_floor(0.0);
    scene.walk(Vec3::ZERO, 10);
    // A wall of heavy grains flies against it.
    let grain = |k: i32| Vec3::new(-0.45, 0.3 + 0.1 * (k / 5) as f32, 0.1 * (k % 5 - 2) as f32);
    let grains =
        Object { velocities: vec![Vec3::X * 5.0; 50], ..Object::new("grains", (0..50).map(grain).collect(), 1.0) };
    scene.world.add(grains).unwrap();
    let mut gain = 0.0_f32;
    let mut momentum = 0.0_f32;
    for _ in 0..10 {
        scene.walk(Vec3::ZERO, 1);
        gain = gain.max(scene.state.velocity.x);
        let pushed = scene.world.contacts().iter().filter(|c| c.other == ContactPartner::Collider(scene.capsule));
        momentum += pushed.map(|c| -c.net_impulse.x).sum::<f32>();
    }
    // 50 kg at 5 m/s lose their momentum, most of which pushes 80 kg in a few frames; its legs take back k Δt of it in each.
    assert!(momentum > 100.0 && momentum < 500.0, "{momentum}");
    assert!(gain > 0.5 * momentum / 80.0 * 0.8 && gain < momentum / 80.0, "{gain} of {}", momentum / 80.0);
}

/// A character on kinematic and dynamic ground with regions gives the same bits on 1, 2 and 7 threads, and from a snapshot midway.
#[test]
fn a_character_gives_the_same_bits_on_any_number_of_threads_and_from_a_snapshot() {
    let run = |threads: usize, saves: bool| {
        let mut scene = Scene::on_floor(-2.0);
        scene.cpu = CpuBackend::new(Threads::Exactly(threads));
        for k in 0..12 {
            let half = Vec3::splat(0.25);
            let at = Pose::from_translation(Vec3::new(0.6 * (k / 3) as f32, 0.26 + 0.51 * (k % 3) as f32, 0.1));
            let body = scene.world.add_body(Body::dynamic(at, Mass::cuboid(10.0, half))).unwrap();
            scene.world.add_collider(Collider::new(SharedShape::cuboid(0.25, 0.25, 0.25)).attached_to(body)).unwrap();
        }
        scene.regions = vec![water(0.5, 2.0, Vec3::Z * 0.3)];
        let mut bits = Vec::new();
        for k in 0..120 {
            if saves && k == 60 {
                let saved = scene.world.snapshot().unwrap();
                let state = scene.state;
                scene.walk(Vec3::NEG_X, 10);
                scene.world.restore(&saved).unwrap();
                scene.state = state;
                scene.index = SpatialIndex::default();
            }
            scene.walk(Vec3::X * 2.0, 1);
            bits.push((scene.world.state_hash(), scene.state));
        }
        bits
    };
    let expected = run(1, false);
    assert_eq!(run(2, false), expected);
    assert_eq!(run(7, false), expected);
    assert_eq!(run(1, true), expected);
}

/// The least gap to any wall in a room full of boxes, however it is pushed about, stays above zero.
#[test]
fn a_character_is_never_in_a_wall() {
    let mut scene = Scene::on_floor(0.0);
    let mut seed = 17_u32;
    let mut random = |low: f32, high: f32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        low + (high - low) * (seed >> 8) as f32 / (1 << 24) as f32
    };
    for _ in 0..60 {
        let at = Vec3::new(random(-6.0, 6.0), random(0.0, 1.5), random(-6.0, 6.0));
        if at.length() < 1.8 {
            continue;
        }
        let half = Vec3::new(random(0.1, 0.8), random(0.1, 1.0), random(0.1, 0.8));
        let turn = Quat::from_rotation_y(random(0.0, PI)) * Quat::from_rotation_x(random(-0.6, 0.6));
        scene.add(SharedShape::cuboid(half.x, half.y, half.z), Pose::from_parts(at, turn));
    }
    let mut least = f32::MAX;
    for k in 0..1500 {
        if k % 40 == 0 {
            let angle = random(0.0, TAU);
            scene.input.velocity = 4.0 * Vec3::new(trig::cos(angle), 0.0, trig::sin(angle));
            scene.input.jump_speed = if random(0.0, 1.0) < 0.3 { 4.0 } else { 0.0 };
        }
        scene.frame(|_, _| ());
        let pose = scene.world.body_pose(scene.body).unwrap();
        let shape = SharedShape::capsule_y(HEIGHT - RADIUS, RADIUS);
        let own = [scene.body];
        let filter = QueryFilter::colliders().exclude_bodies(&own);
        let space = scene.index.update(&scene.world);
        for hit in space.shape_contacts(&*shape, &pose, 0.1, &filter).unwrap() {
            least = least.min(hit.distance);
        }
        assert!(pose.translation.is_finite() && scene.state.velocity.length() < 30.0, "frame {k}: {pose:?}");
    }
    assert!(least > 0.005 && least < 0.021, "{least}");
}

#[test]
fn bad_settings_of_a_character_are_named() {
    let mut scene = Scene::on_floor(0.0);
    let space = scene.index.update(&scene.world);
    let of = |controller: CharacterController, input: CharacterInput| {
        let (state, capsule) = (CharacterState::default(), scene.capsule);
        controller.step(&space, capsule, &state, &input, &[], FRAME).unwrap_err().to_string()
    };
    let (good, input) = (CharacterController::default(), CharacterInput::default());
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(of(CharacterController { offset: bad, ..good }, input).contains("offset"));
        assert!(of(CharacterController { mass: bad, ..good }, input).contains("mass"));
    }
    assert!(of(CharacterController { max_slope_angle: 2.0, ..good }, input).contains("max_slope_angle"));
    assert!(of(CharacterController { step_height: f32::NAN, ..good }, input).contains("step_height"));
    assert!(of(CharacterController { up: Vec3::ZERO, ..good }, input).contains("up"));
    assert!(of(good, CharacterInput { jump_speed: -1.0, ..input }).contains("jump_speed"));
    assert!(of(good, CharacterInput { velocity: Vec3::NAN, ..input }).contains("velocity"));
    let free = scene.world.add_collider(Collider::new(SharedShape::ball(0.3)).at(Vec3::Y * 9.0)).unwrap();
    let space = scene.index.update(&scene.world);
    let error = good.step(&space, free, &scene.state, &input, &[], FRAME).unwrap_err();
    assert_eq!(error, CharacterError::NotOnBody("kinematic"));
}
