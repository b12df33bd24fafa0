//! Members that are absent drop out of their clusters.

use glam::{DVec3, Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::Cuboid;
use xpbd_core::plasticity::Plasticity;
use xpbd_core::world::{Integrator, ObjectHandle, ParticleSpawn, Settings, World};
use xpbd_rigid::{Cluster, cluster};

use super::support::{floating, run, world};

const SPACING: f32 = 0.1;

/// Returns a beam of 8 × 4 × 4 particles.
fn beam() -> Cluster {
    Cluster::from_shape(&Cuboid::new(Vec3::new(0.4, 0.2, 0.2)), SPACING)
}

/// Returns where the particles are in the shape.
fn rest() -> Vec<Vec3> {
    let at = |k: usize, n: usize| SPACING * (k as f32 - 0.5 * (n - 1) as f32);
    let place = |k: usize| Vec3::new(at(k / 16, 8), at(k / 4 % 4, 4), at(k % 4, 4));
    (0..128).map(place).collect()
}

/// Returns where those that are present are to be when the body has only moved, and how far off they are at most \[m\].
fn deformation(world: &World, object: ObjectHandle) -> f32 {
    let pose = cluster::poses(world, object).unwrap()[0];
    let x: Vec<_> = world.positions(object).unwrap().collect();
    let off = |k: u32| x[k as usize].distance(pose.transform_point(rest()[k as usize]));
    world.active_particles(object).unwrap().map(off).fold(0.0, f32::max)
}

#[test]
fn half_a_body_is_a_body() {
    // What is left moves as if it had been built alone: the same momentum, the same turning.
    for integrator in [Integrator::FirstOrder, Integrator::SecondOrder] {
        let settings = Settings { integrator, ..floating() };
        let spin = Vec3::new(1.0, 2.0, 0.5);
        let (mut whole, object) = world(settings.clone(), beam().velocity(Vec3::X, spin).build().unwrap());
        whole.deactivate(object, &(0..64).collect::<Vec<_>>()).unwrap();
        let half: Vec<_> = rest()[64..].to_vec();
        let mut built = Cluster::from_points(&half, SPACING).build().unwrap();
        built.velocities = whole.velocities(object).unwrap().skip(64).collect();
        let (mut alone, other) = world(settings, built);
        let before = whole.momentum();
        for _ in 0..6 {
            run(&mut whole, 10);
            run(&mut alone, 10);
            let pairs = whole.positions(object).unwrap().skip(64).zip(alone.positions(other).unwrap());
            let apart = pairs.map(|(a, b)| a.distance(b)).fold(0.0, f32::max);
            assert!(apart < 2e-5, "{integrator:?}: {apart:e}");
            assert!(deformation(&whole, object) < 1e-5);
        }
        let after = whole.momentum();
        let mass = 64.0 * 1000.0 * 0.001;
        assert!((before.linear - after.linear).length() < 1e-5 * mass, "{before:?} {after:?}");
        let settings = whole.settings();
        let lost = settings.substeps as f64 * 60.0;
        let expected = if settings.integrator == Integrator::FirstOrder { 5.25 / lost } else { 1e-4 };
        assert!((before.angular - after.angular).length() < (2.0 * expected + 1e-5) * before.angular.length());
    }
}

#[test]
fn the_absent_do_not_count_wherever_they_were_left() {
    // A kilometre on, measured from a member left behind, places would be known to 0.1 mm.
    let (mut world, object) = world(floating(), beam().build().unwrap());
    world.deactivate(object, &(0..30).collect::<Vec<_>>()).unwrap();
    let far = Vec3::new(1000.0, 0.0, -500.0);
    for k in 30..128 {
        let x = world.position(object, k).unwrap();
        world.set_position(object, k, x + far, Vec3::ZERO).unwrap();
    }
    run(&mut world, 30);
    for (k, v) in world.velocities(object).unwrap().enumerate() {
        // Rounding of the places themselves, 3e-5 m, is settled in the first substep and gone.
        assert!(v.length() < 1e-3, "particle {k} moves at {v}");
    }
    assert!(deformation(&world, object) < 1e-4);
}

#[test]
fn few_members_keep_the_rotation_and_their_places() {
    let pairs: [&[u32]; 6] = [&[], &[77], &[0, 127], &[0, 4, 8], &[0, 16, 32, 48], &[5, 20, 70]];
    for kept in pairs {
        let turned = Quat::from_axis_angle(Vec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
        let law = Plasticity { yield_strain: 0.01, creep: 5.0, limit: 0.5 };
        let cluster = beam().at(Pose::from_parts(Vec3::Y, turned)).plasticity(law).compliance(1e-7);
        let (mut world, object) = world(Settings::default(), cluster.build().unwrap());
        let gone: Vec<_> = (0..128).filter(|k| !kept.contains(k)).collect();
        world.deactivate(object, &gone).unwrap();
        run(&mut world, 60);
        assert!(!world.is_frozen(object).unwrap());
        assert!(world.positions(object).unwrap().all(Vec3::is_finite));
        let pose = cluster::poses(&world, object).unwrap()[0];
        assert!(pose.is_finite(), "{kept:?}: {pose:?}");
        let off = deformation(&world, object);
        assert!(off < 1e-4, "{kept:?}: {off:e}");
        let batch = world.batches_of(object)[0];
        assert!(world.residual(batch).unwrap() < 1e-4);
        assert!(world.row_forces(batch, 0).unwrap()[0].is_finite());
        for &k in kept {
            // Free fall for a second, summed as the substeps do.
            let steps = 60.0 * world.settings().substeps as f32;
            let fallen = 0.5 * 9.81 * (1.0 + 1.0 / steps);
            let y = (turned * rest()[k as usize] + Vec3::Y).y - fallen;
            assert!((world.position(object, k as usize).unwrap().y - y).abs() < 1e-3, "{kept:?} {k}");
        }
    }
}

#[test]
fn soft_bodies_lose_whole_clusters() {
    let soft = beam().overlapping(0.15, 0.2).compliance(1e-6).velocity(Vec3::ZERO, Vec3::Z * 2.0);
    let (mut world, object) = world(floating(), soft.build().unwrap());
    world.deactivate(object, &(32..96).collect::<Vec<_>>()).unwrap();
    let before = world.momentum();
    run(&mut world, 60);
    let after = world.momentum();
    assert!(world.positions(object).unwrap().all(Vec3::is_finite));
    assert!((before.linear - after.linear).length() < 1e-4 * 64.0, "{before:?} {after:?}");
    let batch = world.batches_of(object)[0];
    let clusters = world.batch(batch).unwrap().len();
    assert!(clusters > 4);
    for cluster in 0..clusters {
        let nodes = world.batch(batch).unwrap().nodes(cluster);
        let alive = nodes.iter().any(|node| match node {
            xpbd_core::batch::BatchNode::Particle(k) => world.is_active(object, *k as usize).unwrap(),
            xpbd_core::batch::BatchNode::Body(_) => false,
        });
        assert!(alive || world.row_forces(batch, cluster).unwrap()[0] == 0.0);
    }
}

#[test]
fn what_returns_belongs_where_it_was() {
    let (mut world, object) = world(floating(), beam().velocity(Vec3::X, Vec3::Y).build().unwrap());
    let gone: Vec<u32> = (0..128).step_by(5).collect();
    world.deactivate(object, &gone).unwrap();
    run(&mut world, 45);
    let goals = cluster::goals(&world, object).unwrap();
    let pose = cluster::poses(&world, object).unwrap()[0];
    for (goal, &rest) in goals.iter().zip(&rest()) {
        assert!(goal.distance(pose.transform_point(rest)) < 1e-6);
    }
    let back: Vec<_> = gone
        .iter()
        .map(|&k| ParticleSpawn { position: goals[k as usize] + Vec3::Y * 0.01, velocity: Vec3::X })
        .collect();
    world.spawn_at(object, &gone, &back).unwrap();
    run(&mut world, 30);
    assert!(deformation(&world, object) < 1e-4);
    assert_eq!(world.active_count(object).unwrap(), 128);
}

#[test]
fn a_snapshot_holds_who_is_absent() {
    let make = || {
        let (mut world, object) = world(Settings::default(), beam().velocity(Vec3::X, Vec3::Y).build().unwrap());
        world.deactivate(object, &(0..50).collect::<Vec<_>>()).unwrap();
        run(&mut world, 10);
        (world, object)
    };
    let (mut straight, _) = make();
    let (mut saved, _) = make();
    let bytes = saved.snapshot().unwrap();
    let (mut restored, object) = world(Settings::default(), beam().build().unwrap());
    restored.restore(&bytes).unwrap();
    assert_eq!(restored.active_count(object).unwrap(), 78);
    run(&mut straight, 10);
    run(&mut restored, 10);
    assert_eq!(straight.state_hash(), restored.state_hash());
    let sum: DVec3 = straight.momentum().linear;
    assert!(sum.is_finite());
}
