//! Particles that come and go: what is absent takes part in nothing, and numbers stay what they are.

use std::collections::BTreeSet;

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::batch::Batch;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::connector::{Connector, Connectors, NodeKind};
use xpbd_core::constraint::ConstraintType;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::{Integrator, Object, ObjectHandle, ParticleSpawn, Settings, World, WorldError};

use super::support::{Coincide, FRAME, Lcg, assert_finite, bits, cpu, links, refused, step, weightless};

fn at(position: Vec3) -> ParticleSpawn {
    ParticleSpawn { position, velocity: Vec3::ZERO }
}

fn present(world: &World, object: ObjectHandle) -> Vec<u32> {
    world.active_particles(object).unwrap().collect()
}

#[test]
fn the_lowest_numbers_come_first_and_what_has_no_room_is_counted() {
    let mut world = World::new(weightless()).unwrap();
    let drops = world.add(Object::new("drops", vec![Vec3::ZERO], 1.0).capacity(4, 2.0)).unwrap();
    assert_eq!(present(&world, drops), [0]);
    let spawns: Vec<_> = (0..3).map(|k| ParticleSpawn { position: Vec3::X * k as f32, velocity: Vec3::Y }).collect();
    let spawned = world.spawn(drops, &spawns).unwrap();
    assert_eq!((spawned.particles, spawned.rejected), (vec![1, 2, 3], 0));
    world.deactivate(drops, &[2, 0]).unwrap();
    assert_eq!(present(&world, drops), [1, 3]);
    let spawned = world.spawn(drops, &[at(Vec3::Z); 5]).unwrap();
    assert_eq!((spawned.particles, spawned.rejected), (vec![0, 2, 4], 2));
    assert_eq!(world.active_count(drops).unwrap(), 5);
    let lives: Vec<_> = (0..5).map(|k| world.generation(drops, k).unwrap()).collect();
    assert_eq!(lives, [1, 1, 2, 1, 1]);
    world.deactivate(drops, &[4]).unwrap();
    world.spawn_at(drops, &[4], &[ParticleSpawn { position: Vec3::ONE, velocity: Vec3::X }]).unwrap();
    assert_eq!((world.position(drops, 4).unwrap(), world.velocity(drops, 4).unwrap()), (Vec3::ONE, Vec3::X));
    // 4 particles of 2 kg, two of them at 1 m/s along y, one along x.
    assert_eq!(world.momentum().linear.to_array(), [2.0, 4.0, 0.0]);
}

#[test]
fn what_cannot_be_is_refused() {
    let mut world = World::new(weightless()).unwrap();
    let drops = world.add(Object::new("drops", vec![Vec3::ZERO; 2], 1.0).capacity(3, 1.0)).unwrap();
    let gone = world.add(Object::new("gone", vec![], 1.0).capacity(1, 1.0)).unwrap();
    world.remove(gone).unwrap();
    for bad in [Vec3::NAN, Vec3::X * f32::INFINITY] {
        let wrong = ParticleSpawn { velocity: bad, ..at(Vec3::X) };
        for spawns in [[at(Vec3::ZERO), at(bad)], [at(Vec3::ZERO), wrong]] {
            let error = refused(&mut world, |world| world.spawn(drops, &spawns));
            assert!(matches!(error, WorldError::InvalidNumber { index: 1, .. }), "{error}");
            refused(&mut world, |world| world.spawn_at(drops, &[2, 3], &spawns));
        }
    }
    refused(&mut world, |world| world.spawn_at(drops, &[2, 3], &[at(Vec3::X)]));
    let presence = |error: WorldError, index: usize| match error {
        WorldError::ParticleActivity { index: found, .. } => assert_eq!(found, index),
        other => panic!("{other}"),
    };
    presence(refused(&mut world, |world| world.spawn_at(drops, &[2, 1], &[at(Vec3::X); 2])), 1);
    presence(refused(&mut world, |world| world.spawn_at(drops, &[2, 2], &[at(Vec3::X); 2])), 2);
    presence(refused(&mut world, |world| world.deactivate(drops, &[0, 3])), 3);
    presence(refused(&mut world, |world| world.deactivate(drops, &[1, 0, 1])), 1);
    presence(refused(&mut world, |world| world.set_pinned(drops, 4, true)), 4);
    presence(refused(&mut world, |world| world.move_pinned(drops, 4, Vec3::X)), 4);
    presence(refused(&mut world, |world| world.set_position(drops, 4, Vec3::X, Vec3::ZERO)), 4);
    let error = refused(&mut world, |world| world.deactivate(drops, &[0, 5]));
    assert!(matches!(error, WorldError::NoParticle { index: 5, count: 5, .. }), "{error}");
    let stale = |error: WorldError| assert!(matches!(error, WorldError::StaleHandle(_)), "{error}");
    stale(refused(&mut world, |world| world.spawn(gone, &[])));
    stale(refused(&mut world, |world| world.deactivate(gone, &[])));
    stale(refused(&mut world, |world| world.active_count(gone)));
    for mass in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        refused(&mut world, |world| world.add(Object::new("light", vec![], 1.0).capacity(2, mass)));
    }
    refused(&mut world, |world| world.add(Object::new("pinned", vec![Vec3::ZERO], 1.0).capacity(2, 1.0).pin([1])));
}

/// Grains that fall on a ball and on each other, and an obstacle of particles that are absent if `parked`.
fn heap(parked: bool, integrator: Integrator) -> (World, ObjectHandle) {
    let mut world = World::new(Settings { substeps: 5, integrator, ..Settings::default() }).unwrap();
    let mut random = Lcg::new(3);
    let grains: Vec<_> = (0..60).map(|k| Vec3::Y * (0.1 + 0.021 * k as f32) + random.vector(0.004)).collect();
    let mut grains = Object::new("grains", grains, 0.01);
    grains.collision_layers.self_collision = true;
    let grains = world.add(if parked { grains.capacity(40, 0.01) } else { grains }).unwrap();
    if parked {
        let obstacle: Vec<_> = (0..50).map(|_| Vec3::Y * 0.3 + random.vector(0.1)).collect();
        let obstacle = world.add(Object::new("obstacle", obstacle, 1.0).pin(0..50)).unwrap();
        world.deactivate(obstacle, &(0..50).collect::<Vec<_>>()).unwrap();
        let inside: Vec<_> = (0..40).map(|_| at(random.vector(0.05))).collect();
        let spawned = world.spawn(grains, &inside).unwrap();
        world.deactivate(grains, &spawned.particles).unwrap();
    }
    world.add_collider(Collider::new(SharedShape::ball(0.1))).unwrap();
    (world, grains)
}

#[test]
fn what_is_absent_takes_part_in_nothing() {
    for integrator in [Integrator::FirstOrder, Integrator::SecondOrder] {
        let [(mut with, a), (mut without, b)] = [true, false].map(|parked| heap(parked, integrator));
        let mut most = 0;
        for _ in 0..40 {
            let reports = [&mut with, &mut without].map(|world| world.step(&mut cpu(), FRAME).unwrap());
            assert_eq!(reports[0].particle_contacts, reports[1].particle_contacts);
            assert_eq!(reports[0].shape_contacts, reports[1].shape_contacts);
            assert_eq!(with.contacts(), without.contacts());
            most = most.max(with.contacts().len());
            assert_eq!((with.momentum(), with.energy()), (without.momentum(), without.energy()));
        }
        assert_eq!(most, 2, "with the ball and with each other");
        assert_eq!(bits(&with, a)[..60], bits(&without, b));
        assert!(with.velocities(a).unwrap().skip(60).all(|v| v == Vec3::ZERO));
        assert_finite(&with);
    }
}

/// Returns a sheet whose every third particle is absent, with pairs of links at each.
fn torn(threads: usize) -> (World, ObjectHandle, CpuBackend) {
    let points: Vec<_> = (0..900).map(|k| Vec3::new((k % 30) as f32, 0.0, (k / 30) as f32) * 0.05).collect();
    let right = (0..900).filter(|k| k % 30 < 29).map(|k| [k, k + 1]);
    let edges: Vec<_> = right.chain((0..870).map(|k| [k, k + 30])).collect();
    let mut world = World::new(Settings::default()).unwrap();
    let sheet = Object::new("sheet", points.clone(), 0.01).with(links(&points, &edges, 1e-6)).pin([0, 29]);
    let sheet = world.add(sheet).unwrap();
    world.deactivate(sheet, &(0..900).step_by(3).skip(1).collect::<Vec<_>>()).unwrap();
    (world, sheet, CpuBackend::new(Threads::Exactly(threads)))
}

#[test]
fn coming_and_going_makes_no_new_plan() {
    let run = |threads: usize| {
        let (mut world, sheet, mut cpu) = torn(threads);
        world.step(&mut cpu, FRAME).unwrap();
        let plans = world.state().plan_generation;
        for frame in 0..30 {
            let absent: Vec<_> = (0..900).filter(|&k| !world.is_active(sheet, k as usize).unwrap()).collect();
            let come: Vec<_> = absent.iter().copied().take(15).collect();
            let places: Vec<_> = come.iter().map(|&k| at(world.position(sheet, k as usize).unwrap())).collect();
            world.spawn_at(sheet, &come, &places).unwrap();
            world.deactivate(sheet, &[frame + 100]).unwrap_or_default();
            world.step(&mut cpu, FRAME).unwrap();
        }
        assert_eq!(world.state().plan_generation, plans);
        assert_finite(&world);
        world.state_hash()
    };
    let one = run(1);
    assert_eq!(run(2), one);
    assert_eq!(run(5), one);
}

#[test]
fn no_colour_shares_a_particle_that_may_come() {
    let (mut world, ..) = torn(1);
    step(&mut world, 1);
    for pass in world.plan().traced() {
        for colour in &pass.colours {
            let mut seen = BTreeSet::new();
            for slot in colour.clone() {
                for (column, &kind) in pass.nodes.iter().zip(pass.connectors.nodes()) {
                    let pinned = kind == NodeKind::Particle && world.state().particles.pinned[column[slot] as usize];
                    assert!(pinned || seen.insert(column[slot]), "{} is in a colour twice", column[slot]);
                }
            }
        }
    }
}

#[test]
fn a_plan_made_while_particles_were_away_is_that_of_all() {
    let (mut away, sheet, mut cpu) = torn(1);
    away.step(&mut cpu, FRAME).unwrap();
    let (mut there, other, _) = torn(1);
    for (world, sheet) in [(&mut away, sheet), (&mut there, other)] {
        let all: Vec<_> = (0..900).step_by(3).skip(1).collect();
        let places: Vec<_> = all.iter().map(|&k| at(Vec3::new((k % 30) as f32, 0.0, (k / 30) as f32) * 0.05)).collect();
        world.spawn_at(sheet, &all, &places).unwrap();
        for k in 0..900 {
            let x = Vec3::new((k % 30) as f32, 0.0, (k / 30) as f32) * 0.05;
            world.set_position(sheet, k, x, Vec3::ZERO).unwrap();
        }
        (0..10).for_each(|_| _ = world.step(&mut cpu, FRAME).unwrap());
    }
    assert_eq!(away.state_hash(), there.state_hash());
}

#[test]
fn what_is_tied_to_the_absent_is_tied_to_a_pin() {
    let (points, mut worlds) = ([Vec3::ZERO, Vec3::X], Vec::new());
    for absent in [true, false] {
        let mut world = World::new(Settings::default()).unwrap();
        let pair = Object::new("pair", points.to_vec(), 1.0).with(links(&points, &[[0, 1]], 0.0));
        let pair = world.add(if absent { pair } else { pair.pin([0]) }).unwrap();
        if absent {
            world.deactivate(pair, &[0]).unwrap();
            world.add_force(pair, 0, Vec3::X * 1e9).unwrap();
            world.add_impulse(pair, 0, Vec3::X).unwrap();
        }
        step(&mut world, 60);
        worlds.push(bits(&world, pair));
    }
    assert_eq!(worlds[0], worlds[1]);
}

#[test]
fn a_pin_that_goes_is_no_longer_one() {
    let (points, edges) = ([Vec3::ZERO, Vec3::X, Vec3::X * 2.0], [[0, 1], [1, 2]]);
    let mut world = World::new(weightless()).unwrap();
    let chain =
        world.add(Object::new("chain", points.to_vec(), 1.0).with(links(&points, &edges, 0.0)).pin([1])).unwrap();
    step(&mut world, 1);
    assert_eq!(world.plan().colour_count(), 1);
    world.move_pinned(chain, 1, Vec3::Y).unwrap();
    world.deactivate(chain, &[1]).unwrap();
    world.spawn_at(chain, &[1], &[ParticleSpawn { position: Vec3::X, velocity: Vec3::Y }]).unwrap();
    step(&mut world, 1);
    assert_eq!(world.plan().colour_count(), 2);
    assert!((world.momentum().linear.y - 1.0).abs() < 1e-5, "{:?}", world.momentum());
}

#[test]
fn spawned_grains_collide_with_each_other() {
    let mut world = World::new(Settings { particle_radius: 0.05, ..Settings::default() }).unwrap();
    let mut grains = Object::new("grains", vec![], 0.1).capacity(3, 0.1);
    grains.collision_layers.self_collision = true;
    let grains = world.add(grains).unwrap();
    world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y))).unwrap();
    let mut cpu = cpu();
    for k in 0..90 {
        if k % 30 == 0 {
            world.spawn(grains, &[at(Vec3::Y * 0.4)]).unwrap();
        }
        world.step(&mut cpu, FRAME).unwrap();
    }
    let heights: Vec<_> = world.positions(grains).unwrap().map(|x| x.y).collect();
    for (k, y) in heights.iter().enumerate() {
        assert!((y - (0.05 + 0.1 * k as f32)).abs() < 2e-3, "{heights:?}");
    }
}

#[test]
fn in_a_frozen_object_they_appear_at_rest() {
    let mut world = World::new(Settings::default()).unwrap();
    let drops = world.add(Object::new("drops", vec![Vec3::ZERO], 1.0).capacity(1, 1.0)).unwrap();
    world.set_position(drops, 0, Vec3::X * 3.4e38, Vec3::X * 3.4e38).unwrap();
    step(&mut world, 1);
    assert!(world.is_frozen(drops).unwrap());
    world.spawn(drops, &[ParticleSpawn { position: Vec3::Y, velocity: Vec3::X }]).unwrap();
    step(&mut world, 2);
    assert_eq!((world.position(drops, 1).unwrap(), world.velocity(drops, 1).unwrap()), (Vec3::Y, Vec3::ZERO));
    world.deactivate(drops, &[1]).unwrap();
    world.unfreeze(drops).unwrap();
    step(&mut world, 2);
    assert_eq!(world.position(drops, 1).unwrap(), Vec3::Y);
}

#[test]
fn a_sleeping_body_wakes_when_what_holds_it_comes() {
    let mut world = World::new(Settings { sleep_time: 0.2, ..Settings::default() }).unwrap();
    world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y))).unwrap();
    let shape = SharedShape::cuboid(0.1, 0.1, 0.1);
    let body = Body::dynamic(Pose::translation(0.0, 0.1, 0.0), Mass::from_shape(&*shape, 100.0).unwrap());
    let body = world.add_body(body).unwrap();
    world.add_collider(Collider::new(shape).attached_to(body)).unwrap();
    let mut hook = Object::new("hook", vec![], 1.0).capacity(1, 1.0);
    hook.collision_layers.filters = 0;
    let hook = world.add(hook).unwrap();
    let points = [Connector::Particle { node: 0 }, Connector::BodyPoint { node: 1 }];
    let (kind, points) = (ConstraintType::of(Coincide).unwrap(), Connectors::new(&points).unwrap());
    let tie = Batch::from_parts(kind, points, vec![0, 0], vec![Vec3::Y * 0.1], Vec::new()).unwrap().compliance(1e3);
    world.add_batch(&[hook], &[body], tie).unwrap();
    step(&mut world, 60);
    assert!(world.state().bodies.sleep[0].asleep);
    world.spawn(hook, &[at(Vec3::Y * 0.2)]).unwrap();
    assert!(!world.state().bodies.sleep[0].asleep);
    step(&mut world, 60);
    assert!(!world.state().bodies.sleep[0].asleep);
}
