//! Constraints that are solved directly: the device follows the elimination of the plan in its order.

use glam::{Quat, Vec3};
use libtest_mimic::Failed;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_cloth::{Rod, RodEnd, Rope, attach};
use xpbd_core::prelude::{Body, BodyHandle, Collider, CpuBackend, Friction, Mass, Settings, World};
use xpbd_rigid::prelude::{BallJoint, HingeJoint, Joint, JointFrame};

use crate::{Test, backend, ensure_equal};

pub const TESTS: &[Test] = &[
    ("direct::chains_swing_as_on_the_cpu", || compare(chains, 40, |_, _| Ok(()))),
    ("direct::a_long_chain_is_divided_among_dispatches", || compare(|| chain_of(150), 4, |_, _| Ok(()))),
    ("direct::ragdolls_with_limits_fall_as_on_the_cpu", || compare(ragdolls, 50, |_, _| Ok(()))),
    ("direct::planks_between_two_banks_hang_as_on_the_cpu", || compare(planks, 40, |_, _| Ok(()))),
    ("direct::ropes_and_rods_fall_on_a_ball_as_on_the_cpu", || compare(lines, 50, |_, _| Ok(()))),
    ("direct::ropes_hold_a_heavy_box_until_one_is_cut_as_on_the_cpu", || compare(tightropes, 40, cut)),
    ("direct::ropes_over_a_beam_stick_and_slide_as_on_the_cpu", || compare(|| beams(1), 40, |_, _| Ok(()))),
    ("direct::friction_is_solved_in_every_iteration_as_on_the_cpu", || compare(|| beams(2), 10, |_, _| Ok(()))),
    ("direct::solves_go_on_from_a_snapshot_and_after_a_new_plan", || compare(lines, 40, interrupt)),
];

const FRAME: f32 = 1.0 / 60.0;

fn world(iterations: u32) -> Result<World, Failed> {
    Ok(World::new(Settings { substeps: 4, iterations, sleep_speed: 0.0, ..Settings::default() })?)
}

/// Hangs a chain of links of 1 kg and a weight of 1000 kg, at an angle \[rad\] from hanging down.
fn hang(world: &mut World, place: Vec3, links: usize, angle: f32) -> Result<(), Failed> {
    let rotation = Quat::from_rotation_z(angle);
    let mut above = world.add_body(Body::fixed(Pose::from_parts(place, rotation)))?;
    let mut joints = Vec::new();
    for k in 0..links {
        let center = place + rotation * (Vec3::NEG_Y * (0.1 * k as f32 + 0.05));
        let mass = Mass::cuboid(if k + 1 == links { 1000.0 } else { 1.0 }, Vec3::new(0.01, 0.05, 0.01));
        let link = world.add_body(Body::dynamic(Pose::from_parts(center, rotation), mass))?;
        let frame = |y: f32| JointFrame::new(Vec3::Y * y, Vec3::X);
        let joint = BallJoint::between(frame(if k == 0 { 0.0 } else { -0.05 }), frame(0.05));
        joints.push((joint, above, link));
        above = link;
    }
    BallJoint::add_all(world, joints)?;
    Ok(())
}

/// Returns four chains of one structure, which are solved side by side on the processor, and one of another.
fn chains() -> Result<World, Failed> {
    let mut world = world(1)?;
    for k in 0..4 {
        hang(&mut world, Vec3::Z * k as f32, 8, 1.5 - 0.3 * k as f32)?;
    }
    hang(&mut world, Vec3::NEG_Z, 12, 1.2)?;
    Ok(world)
}

fn chain_of(links: usize) -> Result<World, Failed> {
    let mut world = world(1)?;
    hang(&mut world, Vec3::ZERO, links, 1.0)?;
    Ok(world)
}

/// Returns bodies with arms whose joints have limits, above a floor.
fn ragdolls() -> Result<World, Failed> {
    let mut world = world(2)?;
    world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)).friction(Friction::new(0.6)))?;
    for k in 0..3 {
        let place = Vec3::new(3.0 * k as f32, 0.5, 0.0);
        let part = |world: &mut World, x: f32, half: Vec3, mass: f32| -> Result<BodyHandle, Failed> {
            let pose = Pose::from_translation(place + Vec3::X * x);
            let velocity = Vec3::new(0.3, 0.0, k as f32);
            let body = world.add_body(Body::dynamic(pose, Mass::cuboid(mass, half)).velocity(velocity))?;
            let shape = SharedShape::cuboid(half.x, half.y, half.z);
            world.add_collider(Collider::new(shape).attached_to(body))?;
            Ok(body)
        };
        let trunk = part(&mut world, 0.0, Vec3::new(0.15, 0.3, 0.1), 20.0)?;
        let limb = Vec3::new(0.15, 0.05, 0.05);
        for side in [-1.0, 1.0] {
            let upper = part(&mut world, 0.35 * side, limb, 3.0)?;
            let lower = part(&mut world, 0.7 * side, limb, 2.0)?;
            let anchor = |x: f32| place + Vec3::X * (x * side);
            let shoulder = BallJoint::new(anchor(0.175)).axis(Vec3::X * side).swing_limit(0.5);
            shoulder.add(&mut world, trunk, upper)?;
            let elbow = HingeJoint::new(anchor(0.525), Vec3::Z).limits(-0.4, 0.4);
            elbow.add(&mut world, upper, lower)?;
        }
    }
    Ok(world)
}

/// Returns planks between two fixed ones, tied to each other at both edges: every second joint repeats what the first
/// says along the edge.
fn planks() -> Result<World, Failed> {
    let mut world = world(1)?;
    let half = Vec3::new(0.1, 0.02, 0.4);
    let mut before = None;
    for k in 0..8 {
        let pose = Pose::translation(0.2 * k as f32, 0.0, 0.0);
        let is_bank = k == 0 || k == 7;
        let plank = if is_bank { Body::fixed(pose) } else { Body::dynamic(pose, Mass::cuboid(4.0, half)) };
        let plank = world.add_body(plank)?;
        let frame = |x: f32, z: f32| JointFrame::new(Vec3::new(x, 0.0, z), Vec3::Y);
        for z in [-0.4, 0.4] {
            if let Some(before) = before {
                BallJoint::between(frame(0.1, z), frame(-0.1, z)).add(&mut world, before, plank)?;
            }
        }
        before = Some(plank);
    }
    Ok(world)
}

/// Returns two ropes between pins, with a box of a hundred times their mass on them.
fn tightropes() -> Result<World, Failed> {
    let mut world = world(1)?;
    for z in [-0.1, 0.1] {
        let [a, b] = [-0.25, 0.25].map(|x| Vec3::new(x, 0.0, z));
        world.add(Rope::between(a, b, 25, 0.51).pin_ends().build()?)?;
    }
    let half = Vec3::new(0.05, 0.05, 0.2);
    let body = world.add_body(Body::dynamic(Pose::translation(0.01, 0.08, 0.0), Mass::cuboid(10.0, half)))?;
    world.add_collider(Collider::new(SharedShape::cuboid(half.x, half.y, half.z)).attached_to(body))?;
    Ok(world)
}

/// Cuts the first rope under the box.
fn cut(world: &mut World, frame: u32) -> Result<(), Failed> {
    if frame == 25 {
        let rope = world.state().objects.keys()[0];
        xpbd_cloth::rope::cut(world, rope, 12)?;
    }
    Ok(())
}

/// Returns ropes over a beam, with two loads each: one that friction holds, one that slides, and one on a beam that turns.
fn beams(iterations: u32) -> Result<World, Failed> {
    let mut world = world(iterations)?;
    let turning = world.add_body(Body::kinematic(Pose::IDENTITY).angular_velocity(Vec3::Z))?;
    for (k, heavier) in [1.5, 4.0, 2.0].into_iter().enumerate() {
        let middle = Vec3::Z * k as f32;
        let lie = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
        let beam = Collider::new(SharedShape::cylinder(0.3, 0.09)).rotation(lie).friction(Friction::new(0.3));
        world.add_collider(if k == 2 { beam.at(middle).attached_to(turning) } else { beam.at(middle) })?;
        let hanging = (1..=6).map(|k| Vec3::new(-0.1, -0.05 * k as f32, 0.0)).rev();
        let arc = (0..=7).map(|k| Quat::from_rotation_z(std::f32::consts::PI * (1.0 - k as f32 / 7.0)) * Vec3::X * 0.1);
        let points = hanging.clone().chain(arc).chain(hanging.rev().map(|x| x * Vec3::new(-1.0, 1.0, 1.0)));
        let points: Vec<Vec3> = points.map(|x| middle + x).collect();
        let rope = world.add(Rope::from_points(&points).density(0.05).friction(Friction::new(0.3)).build()?)?;
        for (end, mass) in [(0, heavier), (points.len() - 1, 1.0)] {
            let place = Pose::from_translation(points[end] - Vec3::Y * 0.05);
            let load = world.add_body(Body::dynamic(place, Mass::cuboid(mass, Vec3::splat(0.05))))?;
            world.add_batch(&[rope], &[load], attach(&[(end as u32, Vec3::Y * 0.05)])?)?;
        }
    }
    Ok(world)
}

/// Returns ropes and a rod above a ball.
fn lines() -> Result<World, Failed> {
    let mut world = world(1)?;
    world.add_collider(Collider::new(SharedShape::ball(0.3)))?;
    for k in 0..3 {
        let start = Vec3::new(-0.5, 0.4, 0.1 * k as f32);
        let rope = Rope::between(start, start + Vec3::X, 20, 1.0).bending(1e-4).pin([0]);
        world.add(rope.build()?)?;
    }
    let start = Vec3::new(-0.4, 0.5, -0.1);
    let rod = Rod::between(start, start + Vec3::X, 12).radius(0.01).youngs_modulus(1e7).clamp(RodEnd::First);
    rod.add_to(&mut world)?;
    Ok(world)
}

/// Steps the same world on both back ends and compares them after every few frames.
fn compare(
    build: impl Fn() -> Result<World, Failed>,
    frames: u32,
    edit: fn(&mut World, u32) -> Result<(), Failed>,
) -> Result<(), Failed> {
    let [mut a, mut b] = [build()?, build()?];
    let (mut cpu, mut gpu) = (CpuBackend::default(), backend()?);
    for frame in 0..frames {
        edit(&mut a, frame)?;
        edit(&mut b, frame)?;
        // Multipliers are kept, so another length of a frame scales them.
        let dt = if frame % 10 < 7 { FRAME } else { 0.5 * FRAME };
        a.step(&mut cpu, dt)?;
        b.step(&mut gpu, dt)?;
        if frame % 5 == 4 || frame + 1 == frames {
            b.synchronize()?;
            ensure_equal(&gpu, &a, &b, 1e-3)?;
        }
    }
    Ok(())
}

/// Restores a world from its own snapshot, pins and releases a particle, and adds a rope.
fn interrupt(world: &mut World, frame: u32) -> Result<(), Failed> {
    let rope = *world.objects().first().ok_or("the world has a rope")?;
    match frame {
        13 => {
            let snapshot = world.snapshot()?;
            let mut other = World::new(Settings::default())?;
            xpbd_cloth::register(other.registry_mut())?;
            other.restore(&snapshot)?;
            *world = other;
        }
        22 => world.set_pinned(rope, 20, true)?,
        29 => world.set_pinned(rope, 20, false)?,
        33 => {
            let rope = Rope::between(Vec3::new(-0.5, 0.4, 0.4), Vec3::new(0.5, 0.4, 0.4), 20, 1.0);
            world.add(rope.build()?)?;
        }
        _ => {}
    }
    Ok(())
}
