//! Scenes of bodies that the tests of contacts share.

use std::cell::RefCell;

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::prelude::*;
use xpbd_core::scalar::trig;

pub const FRAME: f32 = 1.0 / 60.0;
pub const G: f32 = 9.81;

/// Returns a world with the plane y = 0, turned.
pub fn ground(substeps: u32, turned: Quat, friction: f32) -> World {
    let mut world = World::new(Settings { substeps, ..Settings::default() }).unwrap();
    let plane = Collider::new(SharedShape::halfspace(Vec3::Y)).rotation(turned).friction(Friction::new(friction));
    world.add_collider(plane).unwrap();
    world
}

/// Returns a box with these half extents.
pub fn block(world: &mut World, pose: Pose, half: Vec3, mass: f32, friction: f32) -> BodyHandle {
    let body = world.add_body(Body::dynamic(pose, Mass::cuboid(mass, half))).unwrap();
    let shape = SharedShape::cuboid(half.x, half.y, half.z);
    world.add_collider(Collider::new(shape).attached_to(body).friction(Friction::new(friction))).unwrap();
    body
}

/// Returns a ball.
pub fn ball(world: &mut World, position: Vec3, radius: f32, mass: f32, restitution: f32) -> BodyHandle {
    let body = world.add_body(Body::dynamic(Pose::from_translation(position), Mass::ball(mass, radius))).unwrap();
    let collider = Collider::new(SharedShape::ball(radius)).attached_to(body).friction(Friction::new(0.5));
    world.add_collider(collider.restitution(restitution)).unwrap();
    body
}

/// Returns a tower of boxes with an edge of 1 m, the top one of another mass.
pub fn tower(world: &mut World, count: usize, top: f32) -> Vec<BodyHandle> {
    let place = |k: usize| Pose::translation(0.0, 0.5 + k as f32, 0.0);
    let mass = |k: usize| if k + 1 == count { top } else { 1.0 };
    (0..count).map(|k| block(world, place(k), Vec3::splat(0.5), mass(k), 0.5)).collect()
}

/// Returns a heap that falls: boxes and balls.
pub fn heap(world: &mut World, count: usize) -> Vec<BodyHandle> {
    (0..count)
        .map(|k| {
            let place = Vec3::new(0.13 * (k % 3) as f32, 0.2 + 0.25 * k as f32, 0.11 * (k % 2) as f32);
            match k % 3 {
                0 => ball(world, place, 0.1, 1.0, 0.3),
                _ => block(world, Pose::from_translation(place), Vec3::new(0.1, 0.08, 0.12), 1.0, 0.5),
            }
        })
        .collect()
}

/// Builds a house of cards of so many storeys from plates of 1.0 × 0.7 × 0.04 m: pairs that lean on each other by 20° and
/// plates across their tops, which touch at their edges from the start. Returns the cards with their heights \[m\].
///
/// A card of length L and thickness t that leans by θ is L cos θ + t sin θ high. Its pair stands on edges L sin θ from the
/// middle, and bears on edges t cos θ from it. It stands if tan θ < μ: the plates hold the tops of the cards below them.
pub fn house_of_cards(world: &mut World, storeys: usize, friction: f32) -> Vec<BodyHandle> {
    let (length, depth, thickness, lean, gap) = (1.0, 0.7, 0.04, 20f32.to_radians(), 0.02);
    let (sine, cosine) = (trig::sin(lean), trig::cos(lean));
    let (height, apart) = (length * cosine + thickness * sine, 2.0 * (length * sine + thickness * cosine) + gap);
    let mut cards = Vec::new();
    for storey in 0..storeys {
        let pairs = storeys - storey;
        let floor = storey as f32 * (height + thickness);
        let middle = |k: usize| (k as f32 - 0.5 * (pairs - 1) as f32) * apart;
        let upright = Vec3::new(0.5 * thickness, 0.5 * length, 0.5 * depth);
        for (k, side) in (0..pairs).flat_map(|k| [(k, -1.0), (k, 1.0)]) {
            let x = middle(k) + side * 0.5 * (length * sine + thickness * cosine);
            let pose = Pose::from_parts(Vec3::new(x, floor + 0.5 * height, 0.0), Quat::from_rotation_z(side * lean));
            cards.push(block(world, pose, upright, 0.1, friction));
        }
        let across = Vec3::new(0.5 * (apart - gap), 0.5 * thickness, 0.5 * depth);
        for k in 1..pairs {
            let x = 0.5 * (middle(k - 1) + middle(k));
            let pose = Pose::translation(x, floor + height + 0.5 * thickness, 0.0);
            cards.push(block(world, pose, across, 0.1, friction));
        }
    }
    cards
}

thread_local! {
    /// The back end of a test, which compiles its programs once and not for every frame after which the test looks.
    static CPU: RefCell<CpuBackend> = RefCell::new(CpuBackend::new(Threads::Exactly(1)));
}

pub fn with_cpu<T>(act: impl FnOnce(&mut CpuBackend) -> T) -> T {
    CPU.with_borrow_mut(act)
}

pub fn frames(world: &mut World, count: usize) {
    with_cpu(|cpu| (0..count).for_each(|_| drop(world.step(cpu, FRAME).unwrap())));
}

pub fn place(world: &World, body: BodyHandle) -> Vec3 {
    world.body(body).unwrap().pose.translation
}
