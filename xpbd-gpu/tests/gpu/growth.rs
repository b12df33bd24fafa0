//! Buffers that are full: what has no room is reported, and has room in a later frame.

use glam::{Quat, Vec3};
use libtest_mimic::Failed;
use parry3d::math::Vector;
use parry3d::shape::SharedShape;
use xpbd_core::collide::Collider;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::{Object, Settings, StepReport, World};

use crate::{Test, backend, ensure};

pub const TESTS: &[Test] = &[
    ("growth::contacts_with_many_colliders_find_room_in_the_next_frame", many_colliders),
    ("growth::many_partners_find_room_in_the_next_frame", many_partners),
];

fn settings() -> Settings {
    Settings { substeps: 2, gravity: Vec3::ZERO, particle_radius: 0.05, contact_margin: 0.05, ..Settings::default() }
}

/// Steps a world until nothing is dropped any more; tells the reports of the CPU and of each step.
fn play(build: impl Fn() -> Result<World, Failed>) -> Result<(StepReport, Vec<StepReport>), Failed> {
    let on_cpu = build()?.step(&mut CpuBackend::default(), 1.0 / 60.0)?;
    let (mut world, mut gpu) = (build()?, backend()?);
    let mut reports = Vec::new();
    for _ in 0..6 {
        reports.push(world.step(&mut gpu, 1.0 / 60.0)?);
        world.synchronize()?;
    }
    Ok((on_cpu, reports))
}

/// A particle in the middle of twenty planes that lean on it.
fn many_colliders() -> Result<(), Failed> {
    let (on_cpu, reports) = play(|| {
        let mut world = World::new(settings())?;
        for k in 0..20 {
            let turned = Quat::from_rotation_z(0.1 * k as f32) * Quat::from_rotation_x(0.07 * k as f32);
            let place = turned * Vec3::NEG_Y * 0.06;
            world.add_collider(Collider::new(SharedShape::halfspace(Vector::Y)).at(place).rotation(turned))?;
        }
        world.add(Object::new("grain", vec![Vec3::ZERO], 1.0))?;
        Ok(world)
    })?;
    ensure(on_cpu.shape_contacts == 20, || format!("{} contacts on the CPU", on_cpu.shape_contacts))?;
    // What a frame has found is in its own report, or in that of the step after it.
    let dropped: Vec<_> = reports.iter().map(|report| report.dropped_contacts).collect();
    ensure(dropped[0] + dropped[1] == 4 && dropped[2..] == [0; 4], || format!("{dropped:?} were dropped"))?;
    ensure(reports[3].shape_contacts == 20, || format!("{} contacts", reports[3].shape_contacts))
}

/// Particles so close that each touches all others, but not more than a particle may have.
fn many_partners() -> Result<(), Failed> {
    let (on_cpu, reports) = play(|| {
        let mut world = World::new(settings())?;
        let place = |k: usize| 0.1 * Vec3::new((k % 3) as f32, (k / 3 % 4) as f32, (k / 12) as f32);
        let mut grains = Object::new("grains", (0..48).map(place).collect(), 1.0);
        grains.rest_positions = (0..48).map(|k| place(k) * 100.0).collect();
        grains.positions.iter_mut().for_each(|x| *x *= 0.2);
        grains.collision_layers.self_collision = true;
        world.add(grains)?;
        Ok(world)
    })?;
    ensure(on_cpu.particle_contacts == 48 * 47 / 2, || format!("{} pairs on the CPU", on_cpu.particle_contacts))?;
    let dropped: Vec<_> = reports.iter().map(|report| report.dropped_contacts).collect();
    // First there is no room for all pairs, then for all that have pushed.
    ensure(dropped[0] + dropped[1] > 0 && dropped[4..] == [0; 2], || format!("{dropped:?} were dropped"))?;
    // They are counted all the same; later they have been pushed apart.
    let found = reports.iter().map(|report| report.particle_contacts).max().unwrap_or(0);
    ensure(found == on_cpu.particle_contacts, || format!("{found} pairs, not {}", on_cpu.particle_contacts))
}
