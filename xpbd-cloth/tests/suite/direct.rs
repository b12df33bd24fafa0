//! Ropes and rods with the solver that a world chooses, against closed forms.

use std::f32::consts::PI;

use glam::Vec3;
use parry3d::math::Pose;
use xpbd_cloth::{Rod, RodEnd, Rope, attach};
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::{ObjectHandle, Settings, World};

const FRAME: f32 = 1.0 / 60.0;
const G: f32 = 9.81;

fn world(gravity: f32, substeps: u32) -> World {
    World::new(Settings { gravity: Vec3::NEG_Y * gravity, substeps, ..Settings::default() }).unwrap()
}

fn positions(world: &World, object: ObjectHandle, count: usize) -> Vec<Vec3> {
    (0..count).map(|k| world.position(object, k).unwrap()).collect()
}

fn run(world: &mut World, frames: usize, mut after: impl FnMut(&mut World)) {
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    for _ in 0..frames {
        world.step(&mut cpu, FRAME).unwrap();
        after(world);
    }
}

/// A force F stretches a rope by F L/EA, however many links it has.
#[test]
fn a_rope_stretches_by_its_stiffness_for_any_number_of_links_and_substeps() {
    let (force, stiffness) = (10.0, 200.0);
    for links in [10, 40, 200] {
        for substeps in [4, 10, 20] {
            let mut world = world(0.0, substeps);
            let rope = Rope::between(Vec3::ZERO, Vec3::NEG_Y, links, 1.0).density(0.1).stretch(stiffness).pin([0]);
            let rope = rope.linear_damping(4.0).build().unwrap();
            let rope = world.add(rope).unwrap();
            let pull = |world: &mut World| world.add_force(rope, links as usize, Vec3::NEG_Y * force).unwrap();
            pull(&mut world);
            run(&mut world, 300, pull);
            let elongation = -world.position(rope, links as usize).unwrap().y - 1.0;
            let part = elongation / (force / stiffness);
            assert!((part - 1.0).abs() < 1e-3, "{links} links, {substeps} substeps: {part}");
        }
    }
}

/// A rope of 200 links that falls from the horizontal beside its pin snaps like a whip. Its energy only falls, and after
/// the snap it hangs without stretch.
#[test]
fn a_whip_of_200_links_is_stable() {
    let (links, length, density) = (200usize, 2.0, 0.1);
    for (substeps, bending) in [(4, 0.0), (4, 1e-3), (10, 0.0)] {
        let mut world = world(G, substeps);
        let rope = Rope::between(Vec3::ZERO, Vec3::X * length, links as u32, length).density(density).pin([0]);
        let rope = rope.bending(bending).build().unwrap();
        let rope = world.add(rope).unwrap();
        let mass = |k: usize| if k == links { 0.5 } else { 1.0 } * density * length / links as f32;
        let scale = density * length * G * length;
        let mut stretch = 0.0;
        run(&mut world, 600, |world| {
            let x = positions(world, rope, links + 1);
            let energy = |k: usize| mass(k) * (0.5 * world.velocity(rope, k).unwrap().length_squared() + G * x[k].y);
            let energy: f32 = (1..=links).map(energy).sum();
            assert!(energy < 1e-4 * scale, "{substeps} substeps: {energy} J");
            let rest = length / links as f32;
            stretch = x.windows(2).map(|pair| (pair[0].distance(pair[1]) / rest - 1.0).abs()).fold(0.0, f32::max);
        });
        assert!(stretch < 1e-4, "{substeps} substeps: {stretch}");
    }
}

/// Returns how far the tip of a clamped rod of 1 m goes down under P, over P L³/(3 E I) as corrected for n segments.
fn sag(youngs_modulus: f32, load: f32, substeps: u32) -> f32 {
    let (segments, radius) = (100, 0.01);
    let stiffness = 0.25 * PI * youngs_modulus * radius * radius * radius * radius;
    let mut world = world(0.0, substeps);
    let rod = Rod::between(Vec3::ZERO, Vec3::X, segments).radius(radius).density(1000.0).youngs_modulus(youngs_modulus);
    let rod = rod.clamp(RodEnd::First).linear_damping(3.0);
    let rod = rod.add_to(&mut world).unwrap();
    let push = |world: &mut World| {
        world.add_force(rod.object(), segments as usize, Vec3::NEG_Y * (load * stiffness)).unwrap();
    };
    push(&mut world);
    run(&mut world, 300, push);
    let tip = -world.position(rod.object(), segments as usize).unwrap().y;
    tip / (load / 3.0) / (1.0 + 0.5 / (segments * segments) as f32)
}

#[test]
fn a_thin_cantilever_of_100_segments_sags_as_the_beam_at_four_substeps() {
    for (youngs_modulus, substeps) in [(1e7, 4), (1e9, 4), (1e7, 2)] {
        let part = sag(youngs_modulus, 0.05, substeps);
        assert!((part - 1.0).abs() < 5e-3, "{youngs_modulus} Pa, {substeps} substeps: {part}");
    }
}

/// A body a thousand to two thousand times as heavy as a link hangs from the middle of a rope between two pins, which is taut or
/// nearly so: the force along the rope is many times the weight.
#[test]
fn a_taut_rope_holds_a_heavy_body_and_comes_to_rest() {
    for (links, mass, length) in [(20, 10.0, 1.0), (100, 2.0, 1.01)] {
        let mut world = world(G, 4);
        let rope = Rope::between(Vec3::ZERO, Vec3::X, links, length).density(0.1).pin_ends().linear_damping(1.0);
        let rope = world.add(rope.build().unwrap()).unwrap();
        let middle = links as usize / 2;
        let pose = Pose::from_translation(world.position(rope, middle).unwrap() - Vec3::Y * 0.1);
        let body = world.add_body(Body::dynamic(pose, Mass::ball(mass, 0.05)).damping(1.0, 1.0)).unwrap();
        world.add_batch(&[rope], &[body], attach(&[(middle as u32, Vec3::Y * 0.1)]).unwrap()).unwrap();
        run(&mut world, 600, |_| ());
        let link = |pair: &[Vec3]| (pair[0].distance(pair[1]) * links as f32 / length - 1.0).abs();
        let stretch = positions(&world, rope, links as usize + 1).windows(2).map(link).fold(0.0, f32::max);
        let speed = world.body(body).unwrap().velocity.length();
        assert!(stretch < 0.01 && speed < 1e-3, "{links} links, {mass} kg: {stretch}, {speed} m/s");
    }
}

/// Rods of one structure are solved side by side, and sag like one alone.
#[test]
fn a_thousand_rods_of_100_segments_have_the_bits_of_one() {
    let run = |count: usize| {
        let mut world = world(G, 4);
        let rod = |k: usize| {
            let start = Vec3::Z * (0.1 * k as f32);
            Rod::between(start, start + Vec3::X, 100).youngs_modulus(1e8).clamp(RodEnd::First)
        };
        let rods: Vec<_> = (0..count).map(|k| rod(k).add_to(&mut world).unwrap()).collect();
        let mut cpu = CpuBackend::new(Threads::Exactly(2));
        for _ in 0..3 {
            world.step(&mut cpu, FRAME).unwrap();
        }
        positions(&world, rods[0].object(), 101)
    };
    assert!(run(1000) == run(1));
}

/// Pinning and unpinning a particle, and a rope that is spliced into nothing else, leave the other end where it is.
#[test]
fn a_rope_hangs_by_the_pins_that_it_has_now() {
    let mut world = world(G, 4);
    let rope = Rope::between(Vec3::ZERO, Vec3::X, 20, 1.0).pin([0, 20]);
    let rope = world.add(rope.build().unwrap()).unwrap();
    run(&mut world, 30, |_| ());
    assert!(world.position(rope, 10).unwrap().y.abs() < 0.05);
    world.set_pinned(rope, 20, false).unwrap();
    run(&mut world, 600, |_| ());
    let lengths = positions(&world, rope, 21).windows(2).map(|pair| pair[0].distance(pair[1])).collect::<Vec<_>>();
    assert!(lengths.iter().all(|length| (length / 0.05 - 1.0).abs() < 1e-3), "{lengths:?}");
    world.set_pinned(rope, 20, true).unwrap();
    let held = world.position(rope, 20).unwrap();
    world.set_pinned(rope, 0, false).unwrap();
    run(&mut world, 120, |_| ());
    assert_eq!(world.position(rope, 20).unwrap(), held);
    assert!(world.position(rope, 0).unwrap().distance(held) < 1.001);
}

/// A rod that is clamped at both ends sags by P L³/(192 E I) under a force P in its middle.
#[test]
fn a_rod_between_two_clamps_sags_as_the_beam() {
    let (segments, radius, load) = (100, 0.01, 0.1);
    for (youngs_modulus, substeps) in [(1e7, 4), (1e9, 4), (1e9, 10)] {
        let stiffness = 0.25 * PI * youngs_modulus * radius * radius * radius * radius;
        let mut world = world(0.0, substeps);
        let rod = Rod::between(Vec3::ZERO, Vec3::X, segments).radius(radius).density(1000.0);
        let rod = rod.youngs_modulus(youngs_modulus).clamp(RodEnd::First).clamp(RodEnd::Last).linear_damping(3.0);
        let rod = rod.add_to(&mut world).unwrap();
        let middle = segments as usize / 2;
        let push = |world: &mut World| {
            world.add_force(rod.object(), middle, Vec3::NEG_Y * (load * stiffness)).unwrap();
        };
        push(&mut world);
        run(&mut world, 300, push);
        let part = -world.position(rod.object(), middle).unwrap().y / (load / 192.0);
        assert!((part - 1.0).abs() < 0.01, "{youngs_modulus} Pa, {substeps} substeps: {part}");
    }
}

/// A rope between two pins holds its own weight, taut or slack.
#[test]
fn ropes_between_two_pins_hold_without_stretch_and_come_to_rest() {
    for (length, substeps, stretch) in [(1.0, 2, 4e-4), (1.0, 4, 1e-4), (1.2, 2, 1e-4), (1.2, 4, 1e-5)] {
        let mut world = world(G, substeps);
        let rope = Rope::between(Vec3::ZERO, Vec3::X, 20, length).density(0.1).pin_ends().linear_damping(1.0);
        let rope = world.add(rope.build().unwrap()).unwrap();
        let mut most = 0.0f32;
        run(&mut world, 600, |world| {
            let link = |pair: &[Vec3]| (pair[0].distance(pair[1]) * 20.0 / length - 1.0).abs();
            most = positions(world, rope, 21).windows(2).map(link).fold(most, f32::max);
        });
        let speed = (0..21).map(|k| world.velocity(rope, k).unwrap().length()).fold(0.0, f32::max);
        assert!(most < stretch && speed < 1e-3, "{length} m, {substeps} substeps: {most}, {speed} m/s");
    }
}
