//! Bodies that become infinite, frames that fail, and frames that are like the one before.

use glam::Vec3;
use libtest_mimic::Failed;
use parry3d::math::Pose;
use xpbd_core::batch::{BatchError, BatchNode, ConstraintBatch, NodeCounts, Nodes};
use xpbd_core::bodies::Body;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::{Backend, Object};

use super::edits;
use super::joints::chain;
use super::stage::{FRAME, Stage, brick, free};
use crate::{backend, ensure, ensure_equal};

/// Pushes a body beyond all numbers in frame 4; tells the frames whose reports name it.
fn broken(backend: &mut impl Backend, look: bool) -> Result<(Stage, Vec<u32>), Failed> {
    let mut stage = free()?;
    let mut reported = Vec::new();
    for frame in 0..12 {
        if frame == 4 {
            stage.world.add_body_force(stage.bodies[9], Vec3::new(3e38, -3e38, 0.0))?;
            stage.world.edit_body(stage.bodies[9], |body| body.velocity.x = 3.4e38)?;
        }
        let report = stage.world.step(backend, FRAME)?;
        if look {
            stage.world.synchronize()?;
        }
        if !report.frozen_bodies.is_empty() {
            ensure(report.frozen_bodies == [stage.bodies[9]], || format!("{:?}", report.frozen_bodies))?;
            reported.push(frame);
        }
    }
    stage.world.synchronize()?;
    Ok((stage, reported))
}

pub fn frozen() -> Result<(), Failed> {
    let mut gpu = backend()?;
    let (a, on_cpu) = broken(&mut CpuBackend::default(), true)?;
    ensure(on_cpu == [4], || format!("reported in {on_cpu:?}"))?;
    for look in [true, false] {
        let (b, on_gpu) = broken(&mut gpu, look)?;
        ensure(on_gpu.len() == 1 && (4..8).contains(&on_gpu[0]), || format!("reported in {on_gpu:?}"))?;
        ensure_equal(&gpu, &a.world, &b.world, 1e-3)?;
    }
    Ok(())
}

/// A batch without a kernel.
#[derive(Debug, Clone)]
struct Bare;

impl ConstraintBatch for Bare {
    fn name(&self) -> &'static str {
        "bare"
    }

    fn len(&self) -> usize {
        0
    }

    fn nodes(&self, _: usize) -> smallvec::SmallVec<[BatchNode; 8]> {
        smallvec::SmallVec::new()
    }

    fn validate(&self, _: NodeCounts) -> Result<(), BatchError> {
        Ok(())
    }

    fn project(&mut self, _: &mut Nodes<'_>, _: f32) {}

    fn save(&self) -> Vec<u8> {
        Vec::new()
    }
}

pub fn refused() -> Result<(), Failed> {
    let (mut stayed, mut stage) = (chain()?, chain()?);
    let (mut cpu, mut gpu) = (CpuBackend::default(), backend()?);
    let dust = |stage: &mut Stage| stage.world.add(Object::new("dust", vec![Vec3::ZERO], 1.0));
    let object = dust(&mut stage)?;
    dust(&mut stayed)?;
    for _ in 0..6 {
        stayed.world.step(&mut cpu, FRAME)?;
        stage.world.step(&mut gpu, FRAME)?;
    }
    // The host has not seen the last frames when the step fails.
    let batch = stage.world.add_batch(&[object], &[], Bare)?;
    stage.world.add_body_force(stage.bodies[5], Vec3::X)?;
    ensure(stage.world.step(&mut gpu, FRAME).is_err(), || "it should be refused".into())?;
    ensure_equal(&gpu, &stayed.world, &stage.world, 1e-3)?;
    stage.world.remove_batch(batch)?;
    stayed.world.add_body_force(stayed.bodies[5], Vec3::X)?;
    for _ in 0..3 {
        stayed.world.step(&mut cpu, FRAME)?;
        stage.world.step(&mut gpu, FRAME)?;
    }
    stage.world.synchronize()?;
    ensure_equal(&gpu, &stayed.world, &stage.world, 1e-3)
}

/// A frame of a world that is on the device already makes no buffer.
pub fn resident() -> Result<(), Failed> {
    let mut stage = free()?;
    stage.add(Body::fixed(Pose::translation(0.0, 9.0, 0.0)))?;
    stage.add(Body::dynamic(Pose::translation(0.0, 8.0, 0.0), brick(1.0)))?;
    let mut gpu = backend()?;
    let mut before = None;
    for frame in 0..30 {
        edits::targets(&mut stage, frame)?;
        stage.world.add_body_force(stage.bodies[2], Vec3::Y * frame as f32)?;
        stage.world.step(&mut gpu, FRAME)?;
        let hal = gpu.device().device.get_internal_counters().hal;
        let now = [hal.buffers.read(), hal.bind_groups.read(), hal.compute_pipelines.read()];
        if frame >= 10 {
            ensure(before.is_none_or(|before| before == now), || format!("frame {frame}: {before:?} became {now:?}"))?;
            before = Some(now);
        }
    }
    Ok(())
}
