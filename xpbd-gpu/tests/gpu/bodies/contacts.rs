//! Contacts of bodies: the same bits, and the same is told of them.

use glam::Vec3;
use libtest_mimic::Failed;
use parry3d::math::Pose;
use xpbd_core::collide::{ContactPhase, ContactSet};
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::World;
use xpbd_gpu::{GpuBackend, Readback};

use super::stage::{FRAME, Stage};
use super::{at, yard};
use crate::{backend, ensure, ensure_equal, is_exact};

type Build = fn() -> Result<Stage, Failed>;

/// Worlds and what is told of them are the same.
fn same(gpu: &GpuBackend, a: &World, b: &World) -> Result<(), Failed> {
    ensure_equal(gpu, a, b, 1e-3)?;
    if !is_exact(gpu) {
        return Ok(());
    }
    ensure(a.collisions() == b.collisions(), || format!("{:?}\nand {:?}", a.collisions(), b.collisions()))?;
    let [in_a, in_b] = [a, b].map(World::sensor_overlaps);
    ensure(in_a == in_b, || format!("{in_a:?}\nand {in_b:?}"))?;
    ensure(a.contacts() == b.contacts(), || format!("{:?}\nand {:?}", a.contacts(), b.contacts()))?;
    let asleep = |world: &World| world.state().bodies.sleep.iter().map(|sleep| sleep.asleep).collect::<Vec<_>>();
    ensure(asleep(a) == asleep(b), || format!("asleep: {:?} and {:?}", asleep(a), asleep(b)))
}

/// A frame of a world whose bodies touch makes nothing, in one submission.
pub fn resident() -> Result<(), Failed> {
    let (mut stage, mut gpu) = (yard::tray()?, backend()?);
    let mut before = None;
    for frame in 0..16 {
        let submissions = gpu.submissions();
        stage.world.step(&mut gpu, FRAME)?;
        ensure(gpu.submissions() == submissions + 1, || "more than one submission".into())?;
        let hal = gpu.device().device.get_internal_counters().hal;
        let now = [hal.buffers.read(), hal.bind_groups.read(), hal.compute_pipelines.read()];
        if frame >= 6 {
            ensure(before.is_none_or(|before| before == now), || format!("frame {frame}: {before:?} became {now:?}"))?;
            before = Some(now);
        }
    }
    ensure(!stage.world.state().contacts.bodies.is_empty(), || "nothing touches".into())
}

/// What has happened in a world that was stepped on both back ends.
#[derive(Default)]
struct Seen {
    begun: usize,
    ended: usize,
    sensed: usize,
    asleep: bool,
    touched: bool,
    remainder: bool,
}

/// Steps a world on the CPU, on the GPU, and on a GPU that nobody asks before the end.
fn compare(build: Build, edit: fn(&mut Stage, u32) -> Result<(), Failed>, frames: u32) -> Result<Seen, Failed> {
    let [mut a, mut b, mut c] = [build()?, build()?, build()?];
    let (mut cpu, mut late, mut silent) = (CpuBackend::default(), backend()?, backend()?);
    silent.set_readback(Readback::OnRequest);
    let mut seen = Seen::default();
    for frame in 0..frames {
        [&mut a, &mut b, &mut c].into_iter().try_for_each(|stage| edit(stage, frame))?;
        let on_cpu = a.world.step(&mut cpu, FRAME)?;
        let on_gpu = b.world.step(&mut late, FRAME)?;
        c.world.step(&mut silent, FRAME)?;
        b.world.synchronize()?;
        same(&late, &a.world, &b.world).map_err(|failed| at(frame, failed))?;
        let counts = [on_cpu.body_contacts, on_gpu.body_contacts];
        ensure(!is_exact(&late) || counts[0] == counts[1], || format!("frame {frame}: {counts:?} contacts"))?;
        let count = |phase| a.world.collisions().iter().filter(|collision| collision.phase == phase).count();
        seen.begun += count(ContactPhase::Begin);
        seen.ended += count(ContactPhase::End);
        seen.sensed += a.world.sensor_overlaps().len();
        seen.asleep |= a.world.state().bodies.sleep.iter().any(|sleep| sleep.asleep);
        let contacts = &a.world.state().contacts;
        seen.touched |= !contacts.particle_bodies.is_empty() && !a.world.contacts().is_empty();
        seen.remainder |= contacts.bodies.pairs.pass.as_ref().is_some_and(|pass| !pass.remainder.is_empty());
    }
    c.world.synchronize()?;
    ensure_equal(&silent, &a.world, &c.world, 1e-3)?;
    Ok(seen)
}

fn none(_: &mut Stage, _: u32) -> Result<(), Failed> {
    Ok(())
}

pub fn tower() -> Result<(), Failed> {
    let seen = compare(yard::tower, none, 70)?;
    ensure(seen.begun >= 5 && seen.asleep, || "the tower should sleep".into())
}

pub fn heap() -> Result<(), Failed> {
    for (build, frames) in [(yard::heap as Build, 60), (yard::iterated, 25)] {
        let seen = compare(build, none, frames)?;
        ensure(seen.sensed > 5, || format!("{} overlaps of sensors", seen.sensed))?;
        ensure(seen.begun > 5 && seen.ended > 0, || format!("{} begun, {} ended", seen.begun, seen.ended))?;
    }
    Ok(())
}

pub fn slopes() -> Result<(), Failed> {
    for build in [yard::sticking as Build, yard::sliding] {
        let seen = compare(build, none, 50)?;
        ensure(seen.begun >= 2, || format!("{} begun", seen.begun))?;
    }
    Ok(())
}

pub fn tumbling() -> Result<(), Failed> {
    let seen = compare(yard::tumbling, none, 110)?;
    ensure(seen.begun >= 4, || format!("{} begun", seen.begun))
}

pub fn belts() -> Result<(), Failed> {
    let seen = compare(yard::belts, none, 50)?;
    ensure(seen.begun >= 2, || format!("{} begun", seen.begun))
}

pub fn rebounds() -> Result<(), Failed> {
    let seen = compare(yard::rebounds, none, 40)?;
    ensure(seen.touched && seen.ended > 0, || format!("{} ended", seen.ended))
}

pub fn tray() -> Result<(), Failed> {
    let seen = compare(yard::tray, none, 12)?;
    ensure(seen.remainder, || "nothing is in the remainder".into())
}

/// The lift rises when those on it sleep, and falls away below them.
pub fn lift() -> Result<(), Failed> {
    let seen = compare(yard::lift, raise, 100)?;
    ensure(seen.asleep && seen.ended > 0, || format!("{} ended", seen.ended))
}

fn raise(stage: &mut Stage, frame: u32) -> Result<(), Failed> {
    if (50..70).contains(&frame) {
        stage.world.move_body(stage.bodies[0], Pose::translation(0.0, (frame - 49) as f32 / 200.0 - 0.1, 0.0))?;
    }
    if (80..84).contains(&frame) {
        stage.world.move_body(stage.bodies[0], Pose::translation(0.0, -0.2 * (frame - 79) as f32, 0.0))?;
    }
    Ok(())
}

/// A box goes while it touches others; a push wakes what sleeps; a body is put elsewhere.
pub fn edits() -> Result<(), Failed> {
    let edit = |stage: &mut Stage, frame: u32| -> Result<(), Failed> {
        match frame {
            6 => stage.world.remove_body(stage.bodies.remove(4))?,
            60 => stage.world.add_body_force(stage.bodies[3], Vec3::X)?,
            63 => stage.world.remove_body(stage.bodies.remove(1))?,
            66 => stage.world.set_body_pose(stage.bodies[0], Pose::translation(3.0, 0.5, 0.0))?,
            _ => {}
        }
        Ok(())
    };
    let seen = compare(yard::tower, edit, 75)?;
    ensure(seen.ended >= 3 && seen.asleep, || format!("{} ended", seen.ended))
}

pub fn particles() -> Result<(), Failed> {
    let builds: [Build; 5] = [
        yard::crate_on_sheet,
        yard::crate_on_sheet_that_meets_itself,
        yard::crate_on_second_order_sheet,
        yard::crate_on_pinned_sheet,
        yard::crate_on_foam,
    ];
    for build in builds {
        let seen = compare(build, none, 30)?;
        ensure(seen.touched, || "the crate should touch the particles".into())?;
    }
    Ok(())
}

/// A body that is pushed beyond all numbers while others touch it.
pub fn broken() -> Result<(), Failed> {
    let edit = |stage: &mut Stage, frame: u32| -> Result<(), Failed> {
        if frame == 12 {
            stage.world.add_body_force(stage.bodies[4], Vec3::new(3e38, -3e38, 0.0))?;
            stage.world.edit_body(stage.bodies[4], |body| body.velocity.x = 3.4e38)?;
        }
        Ok(())
    };
    compare(yard::tower, edit, 20).map(drop)
}

/// 10 frames on the CPU, 10 on the GPU, 10 on the CPU, and on from a snapshot of each.
pub fn switching() -> Result<(), Failed> {
    for build in [yard::heap as Build, yard::crate_on_second_order_sheet] {
        let [mut stayed, mut switched] = [build()?, build()?];
        let (mut cpu, mut gpu) = (CpuBackend::default(), backend()?);
        gpu.set_readback(Readback::OnRequest);
        for frame in 0..40 {
            stayed.world.step(&mut cpu, FRAME)?;
            if matches!(frame, 12 | 15 | 25) {
                let saved = switched.world.snapshot()?;
                switched.world.restore(&saved)?;
            }
            match frame / 10 % 2 {
                1 => switched.world.step(&mut gpu, FRAME)?,
                _ => switched.world.step(&mut cpu, FRAME)?,
            };
        }
        switched.world.synchronize()?;
        same(&gpu, &stayed.world, &switched.world)?;
    }
    Ok(())
}
