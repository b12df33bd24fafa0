//! What is done to bodies between frames.

use glam::{Quat, Vec3};
use libtest_mimic::Failed;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::bodies::{Body, BodyKind, LockedAxes};
use xpbd_core::cpu::CpuBackend;
use xpbd_core::force_region::{ForceField, ForceRegion};

use super::joints::{attached, chain};
use super::stage::{FRAME, Stage, brick};
use crate::{backend, ensure_equal};

pub fn none(_: &mut Stage, _: u32) -> Result<(), Failed> {
    Ok(())
}

/// The second body goes round, with rests in between.
pub fn targets(stage: &mut Stage, frame: u32) -> Result<(), Failed> {
    if frame % 5 < 3 {
        let turn = Quat::from_rotation_y(0.1 * frame as f32);
        stage.world.move_body(stage.bodies[1], Pose::from_parts(turn * Vec3::X, turn))?;
    }
    Ok(())
}

pub fn pushes(stage: &mut Stage, frame: u32) -> Result<(), Failed> {
    let body = stage.bodies[2 + frame as usize % 8];
    let push = Vec3::new(0.3 * frame as f32, -1.0, 2.0);
    let world = &mut stage.world;
    match frame % 7 {
        0 => world.add_body_force(body, 10.0 * push)?,
        1 => world.add_body_torque(body, 0.1 * push)?,
        2 => {
            world.add_body_force_at(body, push, Vec3::new(0.5, 0.2, 0.1))?;
            world.add_body_force(body, push)?;
        }
        3 => world.add_body_impulse(body, 0.1 * push)?,
        4 => world.add_body_impulse_at(body, 0.01 * push, Vec3::new(0.1, 0.2, 0.3))?,
        5 => world.add_body_torque_impulse(body, 0.01 * push)?,
        _ => {}
    }
    Ok(())
}

/// A vortex and what draws everything to its middle.
pub fn regions(stage: &mut Stage, _: u32) -> Result<(), Failed> {
    stage.world.synchronize()?;
    let vortex = ForceField::Vortex { angular_velocity: Vec3::new(0.3, 2.0, -1.0), damping: 1.5 };
    for field in [vortex, ForceField::Radial { acceleration: -9.0, range: 30.0 }] {
        ForceRegion::new(SharedShape::ball(20.0), field).apply(&mut stage.world, FRAME)?;
    }
    Ok(())
}

/// Every kind of change to the bodies of a chain.
pub fn all(stage: &mut Stage, frame: u32) -> Result<(), Failed> {
    let (world, bodies) = (&mut stage.world, &stage.bodies);
    match frame {
        3 => world.edit_body(bodies[4], |body| body.mass = brick(3.0))?,
        5 => world.edit_body(bodies[6], |body| body.kind = BodyKind::Kinematic)?,
        6..=8 => {
            let pose = world.body(bodies[6])?.pose;
            world.move_body(bodies[6], Pose::from_parts(pose.translation + 0.02 * Vec3::Y, pose.rotation))?;
        }
        10 => world.edit_body(bodies[6], |body| body.kind = BodyKind::Dynamic)?,
        12 => world.edit_body(bodies[3], |body| body.locked_axes = LockedAxes::ROTATION_LOCKED)?,
        14 => world.set_body_pose(bodies[12], Pose::translation(1.0, -1.0, 0.3))?,
        16 => stage
            .add(Body::dynamic(Pose::translation(0.0, 3.0, 0.0), brick(1.0)).angular_velocity(Vec3::ONE))
            .map(drop)?,
        18 => world.edit_body(bodies[0], |body| body.kind = BodyKind::Dynamic)?,
        20 => world.edit_body(bodies[1], |body| body.kind = BodyKind::Fixed)?,
        24 => stage.add(Body::fixed(Pose::translation(0.0, 5.0, 0.0))).map(drop)?,
        _ => {}
    }
    Ok(())
}

pub fn removals(stage: &mut Stage, frame: u32) -> Result<(), Failed> {
    match frame {
        4 => {
            stage.add(Body::dynamic(Pose::translation(5.0, 0.0, 0.0), brick(1.0)).angular_velocity(Vec3::ONE))?;
            stage.world.set_pinned(stage.objects[0], 20, true)?;
        }
        // With it goes all that holds the net.
        7 => stage.world.remove_body(stage.bodies.remove(1))?,
        12 => {
            stage.remainder = 0;
            stage.world.remove(stage.objects[0])?;
        }
        15 => stage.bodies.drain(..).try_for_each(|body| stage.world.remove_body(body))?,
        _ => {}
    }
    Ok(())
}

/// 10 frames on the CPU, 10 on the GPU, 10 on the CPU again.
pub fn switching() -> Result<(), Failed> {
    for build in [chain, attached] {
        let (mut stayed, mut switched) = (build()?, build()?);
        let (mut cpu, mut gpu) = (CpuBackend::default(), backend()?);
        for frame in 0..30 {
            stayed.world.step(&mut cpu, FRAME)?;
            match frame {
                10..20 => switched.world.step(&mut gpu, FRAME)?,
                _ => switched.world.step(&mut cpu, FRAME)?,
            };
        }
        ensure_equal(&gpu, &stayed.world, &switched.world, 1e-3)?;
    }
    Ok(())
}

/// A world goes on from a snapshot that was made on the GPU, on either back end.
pub fn snapshots() -> Result<(), Failed> {
    let [mut stayed, mut saved, mut on_cpu, mut on_gpu] = [attached()?, attached()?, attached()?, attached()?];
    let (mut cpu, mut gpu) = (CpuBackend::default(), backend()?);
    for _ in 0..10 {
        stayed.world.step(&mut cpu, FRAME)?;
        saved.world.step(&mut gpu, FRAME)?;
    }
    let snapshot = saved.world.snapshot()?;
    on_cpu.world.restore(&snapshot)?;
    on_gpu.world.restore(&snapshot)?;
    for _ in 0..10 {
        stayed.world.step(&mut cpu, FRAME)?;
        on_cpu.world.step(&mut cpu, FRAME)?;
        on_gpu.world.step(&mut gpu, FRAME)?;
        saved.world.step(&mut gpu, FRAME)?;
    }
    for stage in [&mut on_cpu, &mut on_gpu, &mut saved] {
        stage.world.synchronize()?;
        ensure_equal(&gpu, &stayed.world, &stage.world, 1e-3)?;
    }
    Ok(())
}
