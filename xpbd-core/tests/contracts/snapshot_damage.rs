//! Damaged snapshots are refused and leave the world untouched; whatever is accepted can be stepped.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::constraint::ConstraintError;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::{Integrator, Settings, World, WorldError};

use super::contact_shapes::shapes;
use super::snapshot::{Everything, register};
use super::support::{FRAME, Lcg, assert_finite, chain, cpu, refused};

/// Bytes before the checksum, and before what it covers.
const MAGIC: usize = 8;
const HEADER: usize = MAGIC + 4;

/// Returns a snapshot, and a world with another history to restore it into.
fn saved_and_world() -> (Vec<u8>, Everything) {
    let mut scene = Everything::new(Integrator::SecondOrder);
    scene.run(0..10);
    let saved = scene.world.snapshot().unwrap();
    scene.run(10..15);
    (saved, scene)
}

fn sealed(mut payload: Vec<u8>) -> Vec<u8> {
    let sum = crc32fast::hash(&payload[HEADER..]);
    payload[MAGIC..HEADER].copy_from_slice(&sum.to_le_bytes());
    payload
}

/// Refuses the snapshots and checks that the world still steps as one that never saw them.
fn all_refused(damaged: impl Iterator<Item = Vec<u8>>, mut scene: Everything) {
    let (_, mut twin) = saved_and_world();
    let hash = scene.world.state_hash();
    let before = scene.world.snapshot().unwrap();
    let mut tried = 0;
    for bytes in damaged {
        let error = scene.world.restore(&bytes).expect_err("a damaged snapshot has to be refused");
        assert!(matches!(error, WorldError::Snapshot(_)), "{error}");
        assert_eq!(scene.world.state_hash(), hash);
        tried += 1;
    }
    assert!(tried > 4);
    assert!(scene.world.snapshot().unwrap() == before);
    scene.run(15..20);
    twin.run(15..20);
    assert_eq!(scene.world.state_hash(), twin.world.state_hash());
}

#[test]
fn a_flipped_byte_is_noticed() {
    let (saved, scene) = saved_and_world();
    let step = saved.len() / 3000 + 1;
    let places = (0..HEADER + 64).chain((HEADER..saved.len()).step_by(step));
    let damaged = places.map(|place| {
        let mut bytes = saved.clone();
        bytes[place] ^= 1 << (place % 8);
        bytes
    });
    all_refused(damaged, scene);
}

#[test]
fn a_truncated_or_longer_snapshot_is_noticed() {
    let (saved, scene) = saved_and_world();
    let lengths = (0..HEADER + 8).chain((HEADER..saved.len()).step_by(saved.len() / 500)).chain([saved.len() - 1]);
    let shorter = lengths.map(|length| saved[..length].to_vec());
    let longer = [saved.clone(), vec![0]].concat();
    all_refused(shorter.chain([longer, vec![0; 500]]).collect::<Vec<_>>().into_iter(), scene);
}

#[test]
fn bytes_after_the_end_are_refused_even_when_sealed() {
    let (saved, mut scene) = saved_and_world();
    let longer = sealed([saved, vec![0; 9]].concat());
    refused(&mut scene.world, |world| world.restore(&longer));
}

#[test]
fn an_unknown_constraint_type_is_refused_by_name() {
    let (saved, _) = saved_and_world();
    let mut world = World::new(Settings::default()).unwrap();
    world.add(chain("chain", Vec3::ZERO, 3, 0.1)).unwrap();
    let error = refused(&mut world, |world| world.restore(&saved));
    assert!(matches!(error, WorldError::Constraint(ConstraintError::Unknown(..))), "{error}");
    assert!(error.to_string().contains("`test-distance`"), "{error}");
    register(&mut world);
    world.restore(&saved).unwrap();
}

/// Changes up to three places of what the checksum covers, and seals it again.
fn mutated(saved: &[u8], random: &mut Lcg) -> Vec<u8> {
    let mut bytes = saved.to_vec();
    for _ in 0..1 + random.below(3) {
        let place = HEADER + random.below(bytes.len() - HEADER);
        match random.below(6) {
            0 => bytes[place] ^= 1 << random.below(8),
            1 => bytes[place] = random.next() as u8,
            2 => bytes[place] = 0,
            3 => bytes[place] = 0xFF,
            4 => drop(bytes.remove(place)),
            _ => bytes.insert(place, random.next() as u8),
        }
    }
    sealed(bytes)
}

/// What became of a snapshot.
#[derive(Debug, Default)]
struct Outcome {
    accepted: u32,
    lively: u32,
}

/// Restores and, if that is accepted, steps, saves, asks and removes.
fn live_through(world: &mut World, cpu: &mut CpuBackend, bytes: &[u8], outcome: &mut Outcome) {
    if world.restore(bytes).is_err() {
        return;
    }
    outcome.accepted += 1;
    let settings = world.settings().clone();
    let sane = Settings { substeps: settings.substeps.min(3), iterations: settings.iterations.min(2), ..settings };
    world.set_settings(sane).unwrap();
    for _ in 0..2 {
        outcome.lively += u32::from(world.step(cpu, FRAME).unwrap().frozen.is_empty());
    }
    world.snapshot().unwrap();
    assert_finite(world);
    for object in world.objects().to_vec() {
        world.batches_of(object).into_iter().for_each(|batch| drop(world.row_forces(batch, 0)));
        world.remove(object).unwrap();
    }
}

/// Returns a snapshot of a world, with or without a mesh in it.
fn saved(with_mesh: bool) -> Vec<u8> {
    let mut scene = Everything::new(Integrator::SecondOrder);
    if !with_mesh {
        scene.world.remove_collider(scene.mesh).unwrap();
    }
    scene.run(0..10);
    scene.world.snapshot().unwrap()
}

/// Lives through many mutations of a snapshot. More than this part of them has to be accepted, and to stay alive.
fn survive(count: u32, saved: Vec<u8>, part: u32) {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let (mut random, mut backend) = (Lcg::new(11), cpu());
        for _ in 0..count {
            let bytes = mutated(&saved, &mut random);
            let (mut world, mut outcome) = (World::new(Settings::default()).unwrap(), Outcome::default());
            register(&mut world);
            let trial = catch_unwind(AssertUnwindSafe(|| live_through(&mut world, &mut backend, &bytes, &mut outcome)));
            if trial.is_err() {
                backend = cpu();
            }
            let _ = sender.send((outcome, trial.is_err()));
        }
    });
    let (mut total, mut panics) = (Outcome::default(), 0);
    for number in 0..count {
        let Ok((outcome, panicked)) = receiver.recv_timeout(Duration::from_secs(10)) else {
            panic!("mutation {number} never comes to an end, after {panics} panics in {total:?}");
        };
        total.accepted += outcome.accepted;
        total.lively += outcome.lively;
        panics += u32::from(panicked);
    }
    assert_eq!(panics, 0, "panics in {total:?}");
    assert!(total.accepted > count / part && total.lively > count / part, "{total:?}");
}

#[test]
fn whatever_is_accepted_can_be_stepped() {
    survive(8000, saved(false), 8);
}

#[test]
fn whatever_is_accepted_of_a_mesh_can_be_stepped() {
    survive(1500, saved(true), 8);
}

#[test]
fn whatever_is_accepted_of_any_shape_can_be_stepped() {
    let rounds = [
        ("round cuboid", SharedShape::round_cuboid(0.3, 0.2, 0.3, 0.1)),
        ("round cylinder", SharedShape::round_cylinder(0.3, 0.4, 0.05)),
        ("round cone", SharedShape::round_cone(0.3, 0.4, 0.05)),
    ];
    for (name, shape) in shapes().into_iter().chain(rounds) {
        println!("{name}");
        let mut world = World::new(Settings::default()).unwrap();
        register(&mut world);
        world.add(chain("chain", Vec3::new(0.1, 0.35, 0.0), 3, 0.1)).unwrap();
        world.add_collider(Collider::new(shape.clone())).unwrap();
        let pose = Pose::translation(0.1, 0.4, 0.1);
        let body = world.add_body(Body::dynamic(pose, Mass::cuboid(1.0, Vec3::splat(0.3)))).unwrap();
        // A half-space or a height field cannot be on it.
        world.add_collider(Collider::new(shape).attached_to(body)).ok();
        world.add_collider(Collider::new(SharedShape::ball(0.2)).attached_to(body)).unwrap();
        world.step(&mut cpu(), FRAME).unwrap();
        survive(400, world.snapshot().unwrap(), 16);
    }
}
