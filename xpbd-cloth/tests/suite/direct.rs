//! Ropes and rods that are solved directly, against closed forms.

use std::f32::consts::PI;

use glam::Vec3;
use xpbd_cloth::{Rod, RodEnd, Rope};
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::settings::ConstraintSolver;
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
            let rope = rope.linear_damping(4.0).solver(ConstraintSolver::Direct).build().unwrap();
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
        let rope = rope.bending(bending).solver(ConstraintSolver::Direct).build().unwrap();
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
    let rod = rod.clamp(RodEnd::First).linear_damping(3.0).solver(ConstraintSolver::Direct);
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

/// Pinning and unpinning a particle, and a rope that is spliced into nothing else, leave the other end where it is.
#[test]
fn a_rope_hangs_by_the_pins_that_it_has_now() {
    let mut world = world(G, 4);
    let rope = Rope::between(Vec3::ZERO, Vec3::X, 20, 1.0).pin([0, 20]).solver(ConstraintSolver::Direct);
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
