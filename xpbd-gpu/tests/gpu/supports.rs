//! Particles of one object on those of another that pins hold.

use glam::Vec3;
use libtest_mimic::Failed;
use xpbd_cloth::{Cloth, Rope};
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::{Friction, Object, Settings, World};

use crate::{Test, backend, ensure, ensure_equal};

pub const TESTS: &[Test] = &[("supports::heavy_grains_on_ropes_and_sheets_move_as_on_the_cpu", grains)];

/// Returns taut and slack ropes and a sheet of particles under grains of fifty times their mass, one of which is pinned, and a
/// rope that falls across.
fn world() -> Result<World, Failed> {
    let mut world = World::new(Settings { substeps: 8, particle_radius: 0.01, ..Settings::default() })?;
    for k in 0..4 {
        let (z, slack) = (0.026 * k as f32, 1.0 + 0.002 * k as f32);
        world
            .add(Rope::between(Vec3::new(-0.2, 0.0, z), Vec3::new(0.2, 0.0, z), 20, 0.4 * slack).pin_ends().build()?)?;
    }
    let sheet = Cloth::grid(9, 9, 0.16, 0.16).pin_where(|_, x| x.x.abs() > 0.079).at(Vec3::new(0.5, 0.0, 0.0));
    world.add(sheet.build()?)?;
    let place = |k: usize| {
        let (column, row) = ((k % 9) as f32, (k / 9) as f32);
        let x = if row < 2.0 { 0.04 * column - 0.16 } else { 0.43 + 0.02 * column };
        Vec3::new(x, 0.05 + 0.001 * column, 0.013 + 0.023 * (k / 9 % 2) as f32 + 0.0003 * column)
    };
    let grains = Object::new("grains", (0..36).map(place).collect(), 0.05).pin(vec![4]).velocity(Vec3::NEG_Y);
    world.add(Object { friction: Friction::new(0.3), ..grains })?;
    let across = Rope::between(Vec3::new(0.01, 0.1, -0.1), Vec3::new(0.03, 0.12, 0.2), 14, 0.34);
    world.add(across.velocity(5.0 * Vec3::NEG_Y, Vec3::ZERO).build()?)?;
    Ok(world)
}

fn grains() -> Result<(), Failed> {
    let (mut a, mut b) = (world()?, world()?);
    let (mut cpu, mut gpu) = (CpuBackend::default(), backend()?);
    let exact = gpu.device().is_exact();
    for frame in 0..40 {
        a.step(&mut cpu, 1.0 / 60.0)?;
        b.step(&mut gpu, 1.0 / 60.0)?;
        b.synchronize()?;
        let told = |error: Failed| format!("frame {frame}: {}", error.message().unwrap_or_default());
        ensure_equal(&gpu, &a, &b, 1e-3).map_err(told)?;
        ensure(!exact || a.contacts() == b.contacts(), || format!("contacts of frame {frame} differ"))?;
    }
    let held = a.positions(a.objects()[5])?.filter(|x| x.y > -0.05).count();
    ensure(held >= 25, || format!("{held} of 36 grains are held"))
}
