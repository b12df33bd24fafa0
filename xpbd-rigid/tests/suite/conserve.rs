//! Motion that nothing acts on, or gravity alone.

use glam::{DVec3, Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::{Ball, Cuboid, HalfSpace, SharedShape};
use xpbd_core::batch::BatchNode;
use xpbd_core::collide::Collider;
use xpbd_core::world::{Integrator, Object, Settings};
use xpbd_rigid::{Cluster, ClusterBatch, cluster};

use crate::random::Random;
use crate::support::{FRAME, floating, run, sums, world};

/// y_k = y₀ + v₀ k h − g h² k(k+1)/2.
#[test]
fn a_cluster_falls_freely() {
    let ball = Cluster::from_shape(&Ball::new(0.2), 0.05).velocity(Vec3::X, Vec3::ZERO).build().unwrap();
    let (mut world, ball) = world(Settings::default(), ball);
    run(&mut world, 60);
    let (k, h) = (1200.0, f64::from(FRAME) / 20.0);
    let expected = DVec3::new(k * h, -9.81 * h * h * k * (k + 1.0) / 2.0, 0.0);
    let found = sums(&world, ball).centre;
    assert!(found.distance(expected) < 1e-5 * expected.length(), "{found} {expected}");
}

/// Its own rest shape, turned, moved and moving: nothing pulls.
#[test]
fn a_rigidly_moved_rest_shape_is_at_rest() {
    let pose = Pose::from_parts(Vec3::new(1.0, -2.0, 0.5), Quat::from_rotation_y(2.0) * Quat::from_rotation_x(0.7));
    let shape = Cuboid::new(Vec3::new(0.3, 0.2, 0.1));
    let cluster = Cluster::from_shape(&shape, 0.05).at(pose).velocity(Vec3::Y * 3.0, Vec3::ZERO).build().unwrap();
    let mass = cluster.masses[0];
    let (mut world, object) = world(floating(), cluster);
    let batch = world.batches_of(object)[0];
    assert!(world.residual(batch).unwrap() < 0.6e-6, "{:e}", world.residual(batch).unwrap());
    run(&mut world, 1);
    let lambda = world.batch(batch).unwrap().multipliers(0)[0];
    assert!(lambda / mass < 0.6e-6, "{:e}", lambda / mass);
    assert!(world.residual(batch).unwrap() < 0.6e-6);
}

/// Returns a block, some 0.8 m long, of unequal masses in clusters that overlap, shaken out of shape.
fn shaken(compliance: f32) -> Object {
    let mut random = Random(9);
    let shape = Cuboid::new(Vec3::new(0.4, 0.2, 0.2));
    let mut object = Cluster::from_shape(&shape, 0.05).overlapping(0.15, 0.2).build().unwrap();
    object.masses.iter_mut().for_each(|m| *m *= 0.5 + random.unit());
    object.positions.iter_mut().for_each(|x| *x += 0.01 * random.vector());
    let clusters: Vec<Vec<u32>> = (0..object.batches[0].len()).map(|k| members(&object, k)).collect();
    assert!(clusters.len() > 10);
    let batch = ClusterBatch::new(&object.rest_positions, &object.masses, &clusters).unwrap();
    object.batches = vec![Box::new(batch.compliance(compliance))];
    object
}

fn members(object: &Object, cluster: usize) -> Vec<u32> {
    let index = |node: &BatchNode| match *node {
        BatchNode::Particle(k) | BatchNode::Body(k) => k,
    };
    object.batches[0].nodes(cluster).iter().map(index).collect()
}

/// Corrections of particles at rest are all that moves them: their momentum is what projections make.
/// In a second one Σ m x × Δx vanishes at other positions, so that of both together remains Σ m Δ₂ × Δ₁.
#[test]
fn a_projection_makes_no_momentum() {
    for compliance in [0.0, 1e-7, 1e-4] {
        for (iterations, bound) in [(1, 1e-6), (5, 2e-5)] {
            let settings = Settings { substeps: 1, iterations, ..floating() };
            let (mut world, object) = world(settings, shaken(compliance));
            run(&mut world, 1);
            let sums = sums(&world, object);
            let speed: f64 = world.velocities(object).unwrap().map(|v| f64::from(v.length())).sum::<f64>() / 1024.0;
            assert!(speed > 1e-3, "{speed}");
            let scale = sums.mass * speed;
            let (linear, angular) = (sums.linear.length() / scale, sums.angular.length() / (0.4 * scale));
            assert!(linear < 1e-7 && angular < bound, "{compliance} × {iterations}: {linear:e} {angular:e}");
        }
    }
}

#[test]
fn clusters_that_wobble_keep_their_linear_momentum() {
    for compliance in [0.0, 1e-5] {
        let (mut world, object) = world(floating(), shaken(compliance).velocity(Vec3::new(2.0, 1.0, -1.0)));
        let before = sums(&world, object).linear;
        run(&mut world, 120);
        let after = sums(&world, object).linear;
        assert!(after.distance(before) < 2e-6 * before.length(), "{before} {after}");
    }
}

/// A body that spins about a principal axis turns by φ in a substep, where it is projected from
/// x + (x − x₋): tan φ' = sin φ / (2 − cos φ), after tan φ = h ω in the first. Its angular momentum is
/// I sin φ / h: first order loses about h ω² of it a second.
#[test]
fn a_spin_falls_like_the_discrete_one() {
    let shape = Cuboid::new(Vec3::new(0.4, 0.1, 0.25));
    let object = Cluster::from_shape(&shape, 0.05).velocity(Vec3::X, Vec3::Y * 5.0).build().unwrap();
    let (mut world, object) = world(floating(), object);
    let before = sums(&world, object).angular;
    run(&mut world, 120);
    let after = sums(&world, object).angular;
    let h = f64::from(FRAME) / 20.0;
    let (mut sine, mut cosine) = (5.0 * h, 1.0);
    for k in 0..2400 {
        let (y, x) = if k == 0 { (sine, cosine) } else { (sine, 2.0 - cosine) };
        (sine, cosine) = (y / (x * x + y * y).sqrt(), x / (x * x + y * y).sqrt());
    }
    let expected = before * (sine / (5.0 * h));
    assert!(after.distance(expected) < 2e-5 * before.length(), "{after} {expected} {before}");
}

/// A symmetric top turns about its axis of symmetry, and that axis about the angular momentum L at the
/// rate L/I₁ (with moments I₁ across the axis).
#[test]
fn a_top_precesses() {
    let shape = Cuboid::new(Vec3::new(0.2, 0.05, 0.2));
    let spin = Vec3::new(1.0, 4.0, 0.0);
    let object = Cluster::from_shape(&shape, 0.05).velocity(Vec3::ZERO, spin).build().unwrap();
    let across: f64 = object
        .rest_positions
        .iter()
        .map(|x| f64::from(x.y * x.y + 0.5 * (x.x * x.x + x.z * x.z)) * f64::from(object.masses[0]))
        .sum();
    let (mut world, object) = world(Settings { integrator: Integrator::SecondOrder, ..floating() }, object);
    let l = sums(&world, object).angular;
    let seconds = 2.0;
    run(&mut world, 120);
    let kept = sums(&world, object).angular;
    assert!(kept.distance(l) < 1e-4 * l.length(), "{l} {kept}");
    let expected = glam::DQuat::from_axis_angle(l.normalize(), l.length() / across * seconds) * DVec3::Y;
    let axis = (cluster::poses(&world, object).unwrap()[0].rotation * Vec3::Y).as_dvec3();
    let start_to_axis = DVec3::Y.angle_between(expected);
    assert!(axis.angle_between(expected) < 0.01 * (l.length() / across), "{axis} {expected} {start_to_axis}");
}

/// A kilometre away, and faster by 50 m/s, everything happens as at the origin.
#[test]
fn far_away_and_fast_is_as_near_and_slow() {
    let frame = |from: Vec3, velocity: Vec3| {
        let shape = Cuboid::new(Vec3::new(0.2, 0.05, 0.1));
        let cluster = Cluster::from_shape(&shape, 0.05).at(Pose::from_translation(from)).compliance(1e-6);
        let object = cluster.velocity(velocity, Vec3::new(1.0, 3.0, 0.5)).build().unwrap();
        let (mut world, object) = world(floating(), object);
        run(&mut world, 60);
        let end = cluster::poses(&world, object).unwrap()[0];
        (end.translation - from - velocity, end.rotation)
    };
    let (_, near) = frame(Vec3::ZERO, Vec3::ZERO);
    for (from, velocity) in [(Vec3::new(1000.0, -1000.0, 500.0), Vec3::ZERO), (Vec3::ZERO, Vec3::X * 50.0)] {
        let (moved, far) = frame(from, velocity);
        assert!(moved.length() < 1e-3, "{moved}");
        assert!(far.angle_between(near) < 1e-3, "{far} {near}");
    }
}

/// A soft body that is dropped comes to rest without losing its shape.
#[test]
fn a_soft_body_comes_to_rest_in_its_shape() {
    let shape = Cuboid::new(Vec3::new(0.2, 0.1, 0.1));
    let at = Pose::from_translation(Vec3::Y * 0.4);
    let soft = Cluster::from_shape(&shape, 0.05).overlapping(0.1, 0.15).compliance(1e-6).at(at);
    let object = soft.build().unwrap();
    let settings = Settings { particle_radius: 0.025, contact_margin: 0.025, ..Settings::default() };
    let (mut world, object) = world(settings, object);
    world.add_collider(Collider::new(SharedShape::new(HalfSpace::new(Vec3::Y)))).unwrap();
    run(&mut world, 240);
    let speed = world.velocities(object).unwrap().map(Vec3::length).fold(0.0, f32::max);
    assert!(speed < 0.02, "{speed}");
    let rest: Vec<_> = Cluster::from_shape(&shape, 0.05).build().unwrap().positions;
    let end: Vec<_> = world.positions(object).unwrap().collect();
    let centre = sums(&world, object).centre.as_vec3();
    assert!((centre.y - 0.1).abs() < 0.01, "{centre}");
    let sizes = [&rest, &end].map(|list| list.iter().map(|x| x.y).fold(f32::MIN, f32::max));
    assert!((sizes[1] - sizes[0] - 0.1).abs() < 0.01, "{sizes:?}");
}
