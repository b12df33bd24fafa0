//! Numbers of constraints and pins that change every frame: the device follows them as the CPU does, without a new plan.

use glam::{Quat, Vec3};
use libtest_mimic::Failed;
use parry3d::math::Pose;
use xpbd_cloth::Rope;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::cpu::CpuBackend;
use xpbd_core::settings::ConstraintSolver;
use xpbd_core::world::{ObjectHandle, Settings, World};
use xpbd_rigid::prelude::*;

use crate::{Test, backend, ensure, ensure_equal};

pub const TESTS: &[Test] = &[
    ("numbers::motors_that_change_every_frame_make_no_plan_and_match_the_cpu", motors),
    ("numbers::links_that_change_every_frame_make_no_plan_and_match_the_cpu", links),
    ("numbers::pins_that_change_every_frame_make_no_plan_and_match_the_cpu", pins),
];

const FRAME: f32 = 1.0 / 60.0;

/// Steps two worlds with the same edits before each frame, and compares them at every fifth.
fn ensure_parity<T>(
    make: impl Fn() -> Result<(World, T), Failed>,
    edit: impl Fn(&mut World, &T, usize) -> Result<(), Failed>,
) -> Result<World, Failed> {
    let ((mut a, x), (mut b, y)) = (make()?, make()?);
    let (mut cpu, mut gpu) = (CpuBackend::default(), backend()?);
    let mut plans = [0; 2];
    for frame in 0..20 {
        if frame > 0 {
            edit(&mut a, &x, frame)?;
            edit(&mut b, &y, frame)?;
        }
        a.step(&mut cpu, FRAME)?;
        b.step(&mut gpu, FRAME)?;
        if frame == 0 {
            plans = [a.plan_generation(), b.plan_generation()];
        }
        if frame % 5 == 4 {
            b.synchronize()?;
            ensure_equal(&gpu, &a, &b, 1e-3)?;
        }
    }
    ensure(plans == [a.plan_generation(), b.plan_generation()], || "a plan was made".into())?;
    Ok(a)
}

fn motors() -> Result<(), Failed> {
    let make = || {
        let mut world = World::new(Settings { substeps: 4, sleep_speed: 0.0, ..Settings::default() })?;
        let mass = Mass::from_shape(&parry3d::shape::Cuboid::new(Vec3::new(0.1, 0.2, 0.3)), 500.0)?;
        let mut hinges = Vec::new();
        for k in 0..6 {
            let at = Vec3::X * k as f32;
            let post = world.add_body(Body::fixed(Pose::from_translation(at)))?;
            let turn = Quat::from_rotation_z(0.1 * k as f32);
            let arm = world.add_body(Body::dynamic(Pose::from_parts(at + Vec3::Y * 0.4, turn), mass))?;
            let motor = JointMotor::velocity(1.0).max_torque(50.0);
            hinges.push(HingeJoint::new(at, Vec3::Z).motor(motor).add(&mut world, post, arm)?);
        }
        Ok((world, hinges))
    };
    let world = ensure_parity(make, |world, hinges: &Vec<JointHandle>, frame| {
        for (k, hinge) in hinges.iter().enumerate() {
            let motor = JointMotor::velocity(0.2 * (frame + k) as f32).max_torque(50.0 + frame as f32);
            hinge.set_motor(world, JointAxis::Angular, motor)?;
        }
        Ok(())
    })?;
    let fastest = world.state().bodies.angular_velocity.iter().map(|v| v.length()).fold(0.0, f32::max);
    ensure(fastest > 1.0, || format!("the fastest turns at {fastest} rad/s"))
}

/// Returns ropes, small enough to be solved as islands where `count` is small and they are swept.
fn ropes(count: usize, solver: ConstraintSolver) -> Result<(World, Vec<ObjectHandle>), Failed> {
    let mut world = World::new(Settings { substeps: 4, ..Settings::default() })?;
    let mut ropes = Vec::new();
    for k in 0..count {
        let start = Vec3::X * k as f32;
        let rope = Rope::between(start, start + Vec3::Z * 2.0, 24, 2.0).tethers(false).pin([0]).solver(solver);
        ropes.push(world.add(rope.build()?)?);
    }
    Ok((world, ropes))
}

fn links() -> Result<(), Failed> {
    change_links(ConstraintSolver::Automatic)?;
    change_links(ConstraintSolver::Sweep)
}

fn change_links(solver: ConstraintSolver) -> Result<(), Failed> {
    ensure_parity(
        || ropes(3, solver),
        |world, ropes, frame| {
            let batches: Vec<_> = ropes.iter().flat_map(|&rope| world.batches_of(rope)).collect();
            for (rope, batch) in batches.into_iter().enumerate() {
                world.edit_parameters(batch, |numbers| {
                    for k in (rope..numbers.len()).step_by(3) {
                        numbers.set_compliance(k, 1e-5 * (frame + k) as f32);
                        numbers.set_damping(k, if frame % 3 == 0 { 0.0 } else { 2.0 });
                        numbers.parameters_mut(k).iter_mut().for_each(|number| *number *= 1.01);
                    }
                })?;
            }
            Ok(())
        },
    )
    .map(drop)
}

/// Systems that are solved directly leave out what cannot move, and are made anew.
fn pins() -> Result<(), Failed> {
    ensure_parity(
        || ropes(2, ConstraintSolver::Sweep),
        |world, ropes, frame| {
            for &rope in ropes {
                world.set_pinned(rope, 5 + frame % 7, frame % 4 < 2)?;
            }
            Ok(())
        },
    )
    .map(drop)
}
