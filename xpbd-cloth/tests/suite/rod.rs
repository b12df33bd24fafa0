//! Rods in a world, against closed forms.

use std::f32::consts::PI;

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use xpbd_cloth::{Rod, RodEnd, RodError, RodHandle};
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::number::NumberError;
use xpbd_core::settings::{ConstraintSolver, ScheduleOrder, ScheduleSettings};
use xpbd_core::world::{Settings, UpdateOutcome, World};

const FRAME: f32 = 1.0 / 60.0;
/// Of the rods here.
const RADIUS: f32 = 0.02;
const DENSITY: f32 = 1000.0;
const MODULUS: f32 = 1e7;
const STIFFNESS: f32 = 0.25 * PI * MODULUS * RADIUS * RADIUS * RADIUS * RADIUS;

fn weightless(settings: Settings) -> World {
    World::new(Settings { gravity: Vec3::ZERO, ..settings }).unwrap()
}

fn passes(substeps: u32, iterations: u32) -> Settings {
    Settings { substeps, iterations, ..Settings::default() }
}

fn rod(a: Vec3, b: Vec3, segments: u32) -> Rod {
    Rod::between(a, b, segments).radius(RADIUS).density(DENSITY).youngs_modulus(MODULUS)
}

fn run(world: &mut World, frames: u32, mut before: impl FnMut(&mut World)) {
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    for _ in 0..frames {
        before(world);
        world.step(&mut cpu, FRAME).unwrap();
    }
}

/// Returns how far the tip of a clamped rod of 1 m that is swept goes down under P, over P L³/(3 E I).
fn sag(settings: Settings, segments: u32) -> f32 {
    let mut world = weightless(settings);
    let rod = rod(Vec3::ZERO, Vec3::X, segments).solver(ConstraintSolver::Sweep).clamp(RodEnd::First);
    let rod = rod.linear_damping(5.0).add_to(&mut world).unwrap();
    let load = 0.1 * STIFFNESS;
    run(&mut world, 240, |world| world.add_force(rod.object(), segments as usize, Vec3::NEG_Y * load).unwrap());
    let tip = world.position(rod.object(), segments as usize).unwrap();
    -tip.y / (load / (3.0 * STIFFNESS))
}

/// n joints with half a segment before the first are 1 + 1/(2 n²) as compliant as the beam, and a sweep adds
/// h²/I to the compliance l/(E I₂) of each, with I = m (r²/4 + l²/12).
#[test]
fn a_swept_cantilever_sags_as_its_segments_and_substeps_say() {
    for (segments, substeps) in [(20_u16, 20_u16), (10, 40)] {
        let (n, h) = (f32::from(segments), FRAME / f32::from(substeps));
        let (l, mass) = (1.0 / n, DENSITY * PI * RADIUS * RADIUS / n);
        let inertia = mass * (0.25 * RADIUS * RADIUS + l * l / 12.0);
        let expected = (1.0 + 0.5 / (n * n)) * (1.0 + h * h * STIFFNESS / (l * inertia));
        let measured = sag(passes(substeps.into(), 1), segments.into());
        assert!((measured / expected - 1.0).abs() < 5e-3, "{segments} {substeps}: {measured} {expected}");
    }
}

/// Every second constraint of a line at once, then the others, is the interleaved order of rods. It leaves
/// less than sweeps from end to end, though a line of constraints of one kind would converge alike.
#[test]
fn colours_converge_faster_than_sweeps() {
    let error = |order| {
        let schedule = ScheduleSettings { order, ..ScheduleSettings::default() };
        sag(Settings { schedule, ..passes(20, 4) }, 20) - (1.0 + 0.5 / 400.0)
    };
    let (coloured, swept) = (error(ScheduleOrder::Coloured), error(ScheduleOrder::Sequential));
    assert!(coloured > 0.0 && coloured < 0.7 * swept, "{coloured} {swept}");
}

/// A body at the end that is turned by two turns and back: twist counts them, and comes back.
#[test]
fn twist_counts_whole_turns() {
    let mut world = weightless(passes(20, 1));
    let rod = rod(Vec3::ZERO, Vec3::X, 12)
        .shear_modulus(1e6)
        .linear_damping(4.0)
        .clamp(RodEnd::First)
        .add_to(&mut world)
        .unwrap();
    let hand = world.add_body(Body::kinematic(Pose::translation(1.0, 0.0, 0.0))).unwrap();
    rod.attach(&mut world, RodEnd::Last, hand).unwrap();
    let mut turn = 0.0_f32;
    let mut turned = |world: &mut World, by: f32, frames| {
        run(world, frames, |world| {
            turn += by / f32::from(120_u8);
            let rotation = xpbd_core::bodies::from_rotation_vector(Vec3::X * turn);
            world.move_body(hand, Pose::from_parts(Vec3::X, rotation)).unwrap();
        });
        rod.twist(world).unwrap()
    };
    let whole = 4.0 * PI;
    turned(&mut world, whole, 120);
    let twisted = turned(&mut world, 0.0, 60) / (whole * 11.0 / 12.0);
    assert!((twisted - 1.0).abs() < 5e-3, "{twisted}");
    for k in 0..=12 {
        let place = world.position(rod.object(), k).unwrap();
        assert!(place.y.hypot(place.z) < 1e-3, "it stays on its line: {place}");
    }
    turned(&mut world, -whole, 120);
    assert!(turned(&mut world, 0.0, 120).abs() < 0.02);
}

/// A rod whose rest shape is straight, but that starts on an arc, straightens; one that is at rest on it stays.
#[test]
fn rods_take_their_rest_shape() {
    let arc: Vec<Vec3> = (0..=12_u8)
        .map(|k| libm::sincosf(0.1 * f32::from(k)))
        .map(|(sine, cosine)| Vec3::new(sine, 1.0 - cosine, 0.0))
        .collect();
    let span = |straight: bool| {
        let mut world = weightless(passes(20, 1));
        let rod = Rod::from_points(&arc).radius(RADIUS).density(DENSITY).youngs_modulus(MODULUS).linear_damping(4.0);
        let rod = if straight { rod.straight_at_rest() } else { rod }.add_to(&mut world).unwrap();
        run(&mut world, 240, |_| {});
        world.position(rod.object(), 0).unwrap().distance(world.position(rod.object(), 12).unwrap())
    };
    let length: f32 = arc.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    assert!((span(true) / length - 1.0).abs() < 1e-4);
    assert!((span(false) / arc[0].distance(arc[12]) - 1.0).abs() < 1e-5);
}

/// Returns a rod and a box at its end that turn together in free space, for 2 s: what of the momentum \[N s\] and, as a
/// part of it, of the angular momentum is lost. The box follows the frame of the end.
fn carry(substeps: u32) -> [f64; 2] {
    let mut world = weightless(passes(substeps, 1));
    let rod = rod(Vec3::ZERO, Vec3::X, 8).add_to(&mut world).unwrap();
    let pose = Pose::from_parts(Vec3::new(1.2, 0.1, 0.0), Quat::from_xyzw(0.1, 0.2, 0.3, 0.9).normalize());
    let hammer = Body::dynamic(pose, Mass::cuboid(0.5, Vec3::new(0.1, 0.2, 0.15)));
    let spin = Vec3::new(0.2, 0.1, 0.3);
    let hammer = world.add_body(hammer.angular_velocity(spin).can_sleep(false)).unwrap();
    let tie = rod.attach(&mut world, RodEnd::Last, hammer).unwrap();
    rod.set_motion(&mut world, pose.translation, Vec3::ZERO, spin).unwrap();
    let before = world.momentum();
    let local = pose.inverse() * rod.end_pose(&world, RodEnd::Last).unwrap();
    run(&mut world, 120, |_| {});
    let after = world.momentum();
    let held = world.body_pose(hammer).unwrap() * local;
    let end = rod.end_pose(&world, RodEnd::Last).unwrap();
    assert!(held.translation.distance(end.translation) < 1e-3);
    assert!(held.rotation.angle_between(end.rotation) < 0.1);
    tie.remove(&mut world).unwrap();
    assert!(tie.remove(&mut world).is_err());
    let turning = (after.angular - before.angular).length() / before.angular.length();
    [(after.linear - before.linear).length(), turning]
}

/// Backward Euler takes angular momentum of what turns in proportion to the substep, and nothing else does.
#[test]
fn an_end_carries_a_body() {
    let ([linear, coarse], [_, fine]) = (carry(20), carry(80));
    // Of about 0.1 N s that go to and fro.
    assert!(linear < 1e-6, "{linear:e}");
    assert!(coarse < 1e-3 && fine < 0.35 * coarse, "{coarse:e} {fine:e}");
}

/// Returns what a rod leaves behind when it is refused or removed.
fn content(world: &World) -> [usize; 4] {
    let state = world.state();
    [state.particles.len(), state.bodies.len(), state.batches.iter().count(), world.objects().len()]
}

#[test]
fn removal_leaves_nothing() {
    let mut world = World::default();
    let rod = rod(Vec3::ZERO, Vec3::X, 5).clamp(RodEnd::First).clamp(RodEnd::Last).add_to(&mut world).unwrap();
    assert_eq!(content(&world), [6, 7, 4, 1]);
    rod.clamp(RodEnd::Last).unwrap().remove(&mut world).unwrap();
    run(&mut world, 2, |_| {});
    assert_eq!(content(&world), [6, 6, 3, 1]);
    rod.remove(&mut world).unwrap();
    assert_eq!(content(&world), [0; 4]);
    assert!(rod.segment_pose(&world, 0).is_err() && rod.remove(&mut world).is_err());
    assert!(rod.attach(&mut world, RodEnd::First, rod.segments()[0]).is_err());
}

#[test]
fn an_updated_rod_moves_as_one_that_was_added_so() {
    let before = rod(Vec3::ZERO, Vec3::X, 6).clamp(RodEnd::First);
    let after =
        before.clone().youngs_modulus(2e7).shear_modulus(5e6).damping_time(0.01).radius(0.03).linear_damping(0.5);
    let moved = |update: bool| {
        let mut world = World::default();
        let first = if update { &before } else { &after };
        let mut rod = first.add_to(&mut world).unwrap();
        let mass = Mass::ball(0.5, 0.1);
        let body = world.add_body(Body::dynamic(Pose::translation(1.0, 0.0, 0.0), mass)).unwrap();
        rod.attach(&mut world, RodEnd::Last, body).unwrap();
        if update {
            let [(object, parts), (new_object, new_parts)] = [&before, &after].map(|rod| rod.build().unwrap());
            let outcome = world.update_object(rod.object(), &object, &new_object).unwrap();
            assert_eq!(outcome, rod.update(&mut world, &parts, &new_parts).unwrap());
            assert_eq!(outcome, UpdateOutcome::Updated);
        }
        run(&mut world, 20, |_| {});
        // An end that is attached later has the new numbers, too.
        rod.clamp(RodEnd::First).unwrap().remove(&mut world).unwrap();
        rod.hold(&mut world, RodEnd::First).unwrap();
        run(&mut world, 20, |_| {});
        world.state_hash()
    };
    assert_eq!(moved(true), moved(false));
    let mut world = World::default();
    let mut rod = before.add_to(&mut world).unwrap();
    let [parts, longer] = [before.build(), self::rod(Vec3::ZERO, Vec3::X, 7).build()].map(|built| built.unwrap().1);
    assert_eq!(rod.update(&mut world, &parts, &longer), Ok(UpdateOutcome::TopologyDiffers));
}

#[test]
fn a_cut_rod_falls_in_two() {
    let mut world = World::new(passes(10, 1)).unwrap();
    let rod = rod(Vec3::ZERO, Vec3::X, 6).clamp(RodEnd::First).add_to(&mut world).unwrap();
    assert_eq!(rod.pieces(&world).unwrap().len(), 1);
    rod.cut(&mut world, 3).unwrap();
    assert_eq!(rod.pieces(&world).unwrap(), [0..4, 4..7]);
    run(&mut world, 60, |_| {});
    // The piece that is free falls as a whole, by ½ g t (t + h).
    for particle in 4..7 {
        let fallen = -world.position(rod.object(), particle).unwrap().y;
        assert!((fallen - 0.5 * 9.81 * (1.0 + FRAME / 10.0)).abs() < 0.01, "{fallen}");
    }
    assert!(world.position(rod.object(), 3).unwrap().y > -0.2);
    let error = rod.cut(&mut world, 6).unwrap_err();
    assert_eq!(error, RodError::Segment { index: 6, segments: 6 });
}

#[test]
fn snapshots_hold_rods() {
    let mut world = World::default();
    let rod = Rod::helix(0.1, 0.05, 2.0, 24).clamp(RodEnd::First).add_to(&mut world).unwrap();
    run(&mut world, 10, |_| {});
    let snapshot = world.snapshot().unwrap();
    let go_on = |world: &mut World, rod: &RodHandle| {
        rod.cut(world, 12).unwrap();
        run(world, 10, |_| {});
        world.state_hash()
    };
    let mut other = World::default();
    xpbd_cloth::register(other.registry_mut()).unwrap();
    other.restore(&snapshot).unwrap();
    assert_eq!(go_on(&mut world, &rod), go_on(&mut other, &rod));
}

#[test]
fn bad_rods_are_refused() {
    let mut world = World::default();
    let mut error = |rod: Rod| {
        let error = rod.add_to(&mut world).unwrap_err();
        assert_eq!(content(&world), [0; 4], "{error}");
        error
    };
    assert_eq!(error(Rod::from_points(&[Vec3::X])), RodError::TooFewPoints(1));
    assert_eq!(error(Rod::between(Vec3::ZERO, Vec3::X, 0)), RodError::TooFewPoints(1));
    let doubled = Rod::from_points(&[Vec3::ZERO, Vec3::X, Vec3::X]);
    assert_eq!(error(doubled), RodError::Coincident { first: 1, second: 2 });
    assert!(matches!(error(Rod::from_points(&[Vec3::ZERO, Vec3::NAN])), RodError::Position { point: 1, .. }));
    let folded = Rod::from_points(&[Vec3::ZERO, Vec3::X, Vec3::X * 0.5]);
    assert_eq!(error(folded), RodError::TurnsBack { point: 1 });
    let line = || Rod::between(Vec3::ZERO, Vec3::X, 4);
    assert_eq!(error(line().pin([5])), RodError::Pin { index: 5, points: 5 });
    assert_eq!(error(line().normal(Vec3::X * 3.0)), RodError::Normal(Vec3::X * 3.0));
    assert_eq!(error(line().normal(Vec3::ZERO)), RodError::Normal(Vec3::ZERO));
    let number = |error: RodError, named: &str| match error {
        RodError::Number(NumberError { what, .. }) => assert_eq!(what, named),
        other => panic!("{named}: {other}"),
    };
    for bad in [f32::NAN, f32::INFINITY, -1.0, 0.0] {
        number(error(line().radius(bad)), "radius");
        number(error(line().density(bad)), "density");
        number(error(line().youngs_modulus(bad)), "Young's modulus");
        number(error(line().shear_modulus(bad)), "shear modulus");
    }
    for bad in [f32::NAN, f32::INFINITY, -1.0] {
        number(error(line().damping_time(bad)), "damping time");
        number(error(line().linear_damping(bad)), "linear damping");
    }
    assert!(matches!(error(line().radius(1e-20)), RodError::World(_) | RodError::Batch(_)));
}

#[test]
fn constraints_of_a_rod_are_those_of_its_line() {
    let mut world = World::default();
    let rod = rod(Vec3::ZERO, Vec3::X, 1).clamp(RodEnd::First).add_to(&mut world).unwrap();
    assert!(rod.bend_batch().is_none() && rod.twist(&world).unwrap() == 0.0);
    assert_eq!(world.batch(rod.stretch_batch()).unwrap().len(), 1);
    run(&mut world, 5, |_| {});
    let frame = rod.segment_pose(&world, 0).unwrap();
    assert!(
        (frame.rotation * Vec3::Z).x > 0.9
            && rod.segment_pose(&world, 1).is_err()
            && rod.joint_rotation(&world, 0).is_err()
    );
}
