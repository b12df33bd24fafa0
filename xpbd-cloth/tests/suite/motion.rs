//! Cloth and ropes in a world, against closed forms.

use glam::{Affine3A, Quat, Vec3};
use xpbd_cloth::{Bending, Cloth, Rope, Stretch, attach};
use xpbd_core::batch::ConstraintBatch;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::settings::{ScheduleOrder, ScheduleSettings};
use xpbd_core::world::{Object, ObjectHandle, Settings, World};

use crate::support::ensure_same_bits;

const FRAME: f32 = 1.0 / 60.0;
const G: f64 = 9.81;

/// Returns a world with one object, stepped for some seconds.
fn settled(object: Object, substeps: u32, seconds: f32) -> (World, ObjectHandle) {
    let mut world = World::new(Settings { substeps, ..Settings::default() }).unwrap();
    let handle = world.add(object).unwrap();
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    for _ in 0..(seconds / FRAME) as usize {
        world.step(&mut cpu, FRAME).unwrap();
    }
    (world, handle)
}

fn positions(world: &World, object: ObjectHandle) -> Vec<Vec3> {
    world.positions(object).unwrap().collect()
}

/// S = 2c sinh(D/2c), sag c (cosh(D/2c) − 1): for S = 2 and D = 1.5 it is 0.58867.
#[test]
fn a_rope_hangs_in_a_catenary() {
    let rope = Rope::between(Vec3::ZERO, Vec3::X * 1.5, 64, 2.0).pin_ends().linear_damping(2.0).build().unwrap();
    let (world, rope) = settled(rope, 20, 6.0);
    let sag = -positions(&world, rope)[32].y;
    assert!((sag / 0.58867 - 1.0).abs() < 0.01, "{sag}");
}

// One sweep over the constraints of a substep leaves a static error that falls with the square of
// the substep's length; these stiff and light ones are given enough substeps for it to be small.

/// Deflection of the end of a clamped chain of bends under its own weight: the bend at x takes the
/// moment M(x) of all beyond it and turns by M l/EI, which moves the end by that times its distance.
fn discrete_cantilever(masses: &[f64], link: f64, stiffness: f64) -> f64 {
    let n = masses.len();
    let turn = |j: usize| {
        let moment: f64 = (j + 1..n).map(|i| masses[i] * G * (i - j) as f64 * link).sum();
        moment * link / stiffness
    };
    (0..n - 1).map(|j| turn(j) * (n - 1 - j) as f64 * link).sum()
}

#[test]
fn a_clamped_rope_sags_under_its_weight() {
    let (links, link, stiffness) = (10, 0.1, 6.0);
    let points: Vec<_> = (0..=links + 1).map(|k| Vec3::X * (k as f32 * link)).collect();
    let rope = Rope::from_points(&points).bending(stiffness).pin([0, 1]).linear_damping(4.0).build().unwrap();
    let masses: Vec<_> = rope.masses[1..].iter().map(|&mass| f64::from(mass)).collect();
    let expected = discrete_cantilever(&masses, f64::from(link), f64::from(stiffness));
    let (world, rope) = settled(rope, 300, 3.0);
    let measured = -f64::from(positions(&world, rope)[links + 1].y);
    assert!(expected < 0.05 * f64::from(link) * links as f64, "{expected}");
    assert!((measured / expected - 1.0).abs() < 0.01, "{measured} {expected}");
}

#[test]
fn a_clamped_plate_sags_under_its_weight() {
    let (links, link, stiffness) = (10_u32, 0.1_f32, 4.0);
    for bending in [Bending::Isometric { stiffness }, Bending::Dihedral { stiffness }] {
        let columns = links + 2;
        let width = link * (columns - 1) as f32;
        let plate = Cloth::grid(columns, 7, width, 0.6)
            .density(0.1)
            .bending(bending)
            .pin_where(|index, _| index % columns < 2)
            .tethers(false)
            .linear_damping(4.0)
            .build()
            .unwrap();
        let column =
            |k: u32| (0..7).map(|row| f64::from(plate.masses[(row * columns + k) as usize])).sum::<f64>() / 0.6;
        let masses: Vec<_> = (1..columns).map(column).collect();
        let expected = discrete_cantilever(&masses, f64::from(link), f64::from(stiffness));
        let (world, plate) = settled(plate, 300, 3.0);
        let measured = -f64::from(positions(&world, plate)[(4 * columns - 1) as usize].y);
        assert!((measured / expected - 1.0).abs() < 0.04, "{bending:?} {measured} {expected}");
    }
}

/// From lying in the xz plane to hanging in the xy plane, row 0 on top.
fn upright() -> Affine3A {
    Affine3A::from_quat(Quat::from_rotation_arc(Vec3::Z, -Vec3::Y))
}

/// A strip hung by its edge is longer by ρ g L²/(2 E t) under its own weight.
#[test]
fn a_hanging_membrane_stretches() {
    let (e, thickness, length, density) = (4e4, 1e-3, 1.0, 0.4);
    let strip = Cloth::grid(4, 21, 0.15, length)
        .transform(upright())
        .density(density)
        .thickness(thickness)
        .stretch(Stretch::Strain { youngs_modulus: e, poisson_ratio: 0.0 })
        .bending(Bending::None)
        .pin(0..4)
        .linear_damping(2.0)
        .build()
        .unwrap();
    let start: Vec<_> = strip.positions.clone();
    let (world, strip) = settled(strip, 20, 6.0);
    let longer = start[81].y - positions(&world, strip)[81].y;
    let expected = density * 9.81 * length * length / (2.0 * e * thickness);
    assert!((longer / expected - 1.0).abs() < 0.1, "{longer} {expected}");
}

/// Returns the strain of the edges of a sheet that has hung by two corners for three seconds, largest first.
fn strains(tethers: bool) -> Vec<f32> {
    let sheet = Cloth::grid(40, 40, 1.0, 1.0).transform(upright()).pin([0, 39]).tethers(tethers).build().unwrap();
    let edges = crate::measurement::batch(&sheet, "distance").clone();
    let (world, sheet) = settled(sheet, 20, 3.0);
    let at = positions(&world, sheet);
    assert!(at.iter().all(|x| x.is_finite()));
    let strain = |k: usize| {
        let [a, b] = [0, 1].map(|end| at[edges.node_indices(k)[end] as usize]);
        a.distance(b) / edges.parameters(k)[0] - 1.0
    };
    let mut all: Vec<_> = (0..edges.len()).map(strain).collect();
    all.sort_by(|a, b| b.total_cmp(a));
    all
}

#[test]
fn tethers_keep_a_hanging_sheet_from_stretching() {
    let [with, without] = [true, false].map(|tethers| {
        let all = strains(tethers);
        all[all.len() / 100]
    });
    assert!(with < 0.002, "{with} {without}");
    assert!(4.0 * with < without, "{with} {without}");
}

#[test]
fn particles_attached_to_a_body_follow_it() {
    let mut world = World::default();
    let rope = Rope::between(Vec3::ZERO, Vec3::X, 10, 1.0).pin([0]).tethers(false).build().unwrap();
    let rope = world.add(rope).unwrap();
    let mut pose = parry3d::math::Pose::from_parts(Vec3::X * 0.8, Quat::IDENTITY);
    let body = world.add_body(Body::kinematic(pose)).unwrap();
    world.add_batch(&[rope], &[body], attach(&[(10, Vec3::X * 0.2)]).unwrap()).unwrap();
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    for _ in 0..60 {
        pose.translation += Vec3::new(-0.005, 0.002, 0.0);
        world.move_body(body, pose).unwrap();
        world.step(&mut cpu, FRAME).unwrap();
    }
    let held = pose.translation + Vec3::X * 0.2;
    let end = world.position(rope, 10).unwrap();
    assert!(end.distance(held) < 1e-3, "{end} {held}");
}

/// A rope and the body at its end in free space pull at each other, and keep their momentum. They turn
/// slowly: backward Euler takes ω² h of the angular momentum of what turns by ω.
#[test]
fn particles_attached_to_a_free_body_pull_it_along() {
    let mut world = World::new(Settings { gravity: Vec3::ZERO, ..Settings::default() }).unwrap();
    let rope = Rope::between(Vec3::ZERO, Vec3::X, 10, 1.0).tethers(false).density(0.5).build().unwrap();
    let rope = world.add(rope).unwrap();
    let pose = parry3d::math::Pose::from_parts(Vec3::X * 1.2, Quat::from_rotation_y(0.3));
    let mass = Mass::cuboid(0.4, Vec3::new(0.2, 0.1, 0.15));
    let body = world.add_body(Body::dynamic(pose, mass).velocity(Vec3::new(0.03, 0.01, 0.0))).unwrap();
    let corner = pose.inverse_transform_point(Vec3::X);
    let tie = world.add_batch(&[rope], &[body], attach(&[(10, corner)]).unwrap()).unwrap();
    let before = world.momentum();
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    (0..60).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
    let after = world.momentum();
    let linear = (after.linear - before.linear).length() / before.linear.length();
    // Of the momentum at 1 m, the length of the rope.
    let angular = (after.angular - before.angular).length() / before.linear.length();
    assert!(linear < 1e-5 && angular < 1e-5, "linear {linear}, angular {angular}");
    let held = world.body_pose(body).unwrap().transform_point(corner);
    assert!(held.distance(world.position(rope, 10).unwrap()) < 1e-4, "{held}");
    // All of it moves with the common velocity, or nearly so: 0.4 kg of 0.9 kg had one.
    assert!(world.velocity(rope, 0).unwrap().x > 0.005);
    let loads = world.reaction(tie, 0).unwrap();
    assert!((loads[0].force + loads[1].force).length() <= 1e-6 * loads[0].force.length());
}

/// A weight on a rope weighs on it: m g at its hook, and on the pin above with the rope.
#[test]
fn a_body_hangs_on_a_rope() {
    let mut world = World::new(Settings { substeps: 40, ..Settings::default() }).unwrap();
    let rope = Rope::between(Vec3::ZERO, Vec3::NEG_Y, 5, 1.0).pin([0]).tethers(false).density(1.0).build().unwrap();
    let rope = world.add(rope).unwrap();
    let pose = parry3d::math::Pose::from_translation(Vec3::NEG_Y * 1.1);
    let body = world.add_body(Body::dynamic(pose, Mass::ball(2.0, 0.1)).damping(1.0, 1.0)).unwrap();
    let tie = world.add_batch(&[rope], &[body], attach(&[(5, Vec3::Y * 0.1)]).unwrap()).unwrap();
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    (0..300).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
    let mut pull = 0.0;
    for _ in 0..60 {
        world.step(&mut cpu, FRAME).unwrap();
        pull += f64::from(world.reaction(tie, 0).unwrap()[1].force.y) / 60.0;
    }
    assert!((pull / (2.0 * G) - 1.0).abs() < 2e-3, "{pull}");
}

/// Stretch and bending of a large sheet are two passes, which are merged.
#[test]
fn a_sheet_in_patches_has_the_same_bits_on_any_number_of_threads_and_from_a_snapshot() {
    let make = || {
        let schedule = ScheduleSettings { order: ScheduleOrder::Patched, ..ScheduleSettings::default() };
        let mut world = World::new(Settings { schedule, ..Settings::default() }).unwrap();
        xpbd_cloth::register(world.registry_mut()).unwrap();
        world.add(Cloth::grid(60, 60, 2.0, 2.0).pin([0, 60]).build().unwrap()).unwrap();
        world
    };
    ensure_same_bits(make, 5);
    let mut world = make();
    world.step(&mut CpuBackend::new(Threads::Exactly(1)), FRAME).unwrap();
    let plan = world.plan();
    assert!((0..plan.passes.len()).any(|pass| plan.merged(pass) == 2));
}
