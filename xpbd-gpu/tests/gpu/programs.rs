//! Every constraint type, solved once from random places: the printed kernel does what the
//! interpreter does.

use glam::Vec3;
use libtest_mimic::Failed;
use xpbd_cloth::Cloth;
use xpbd_core::batch::Batch;
use xpbd_core::batch::Registry;
use xpbd_core::connector::Connectors;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::settings::{ScheduleOrder, ScheduleSettings};
use xpbd_core::world::{Object, Settings, World};

use crate::pairs::Random;
use crate::{Test, backend, ensure, ensure_equal};

pub const TESTS: &[Test] = &[
    ("programs::kernels_give_the_results_of_the_interpreter", random_places),
    ("programs::a_sheet_in_patches_moves_as_on_the_cpu", patches),
];

/// Constraints of each type, all on particles of their own.
const EACH: usize = 2000;

fn random_places() -> Result<(), Failed> {
    let mut registry = Registry::default();
    xpbd_cloth::register(&mut registry)?;
    let mut gpu = backend()?;
    let mut failures = Vec::new();
    for kind in registry.types() {
        let (name, points) = (kind.name(), kind.point_count());
        let build = || -> Result<World, Failed> {
            let mut random = Random(7);
            let mut world = World::new(Settings { substeps: 1, gravity: Vec3::ZERO, ..Settings::default() })?;
            let positions: Vec<Vec3> = (0..EACH * points).map(|_| random.vector()).collect();
            let nodes = (0..(EACH * points) as u32).collect();
            let params = (0..EACH * kind.parameter_count()).map(|_| 1.0 + 0.5 * random.next()).collect();
            let batch = Batch::from_parts(kind.clone(), Connectors::particles(points), nodes, Vec::new(), params)?;
            let compliance = (0..EACH).map(|_| 1e-4 * (1.0 + random.next())).collect();
            world.add(Object::new(name, positions, 1.0).with(batch.compliances(compliance)?))?;
            Ok(world)
        };
        let (mut a, mut b) = (build()?, build()?);
        a.step(&mut CpuBackend::default(), 1.0 / 60.0)?;
        b.step(&mut gpu, 1.0 / 60.0)?;
        b.synchronize()?;
        let (x, y) = (&a.state().particles, &b.state().particles);
        let differ = (0..x.len()).filter(|&i| x.offset[i] != y.offset[i] || x.anchor[i] != y.anchor[i]).count();
        let worst = (0..x.len()).map(|i| x.position(i).distance(y.position(i))).fold(0.0, f32::max);
        if differ > 0 {
            failures.push(format!("{name}: {differ} of {} differ, by up to {worst:e} m", x.len()));
        }
    }
    ensure(failures.is_empty(), || failures.join("\n"))
}

/// A sheet whose passes are divided into patches, in three iterations a substep.
fn patches() -> Result<(), Failed> {
    let mut gpu = backend()?;
    let build = || -> Result<World, Failed> {
        let schedule = ScheduleSettings { order: ScheduleOrder::Patched, ..ScheduleSettings::default() };
        let mut world = World::new(Settings { substeps: 3, iterations: 3, schedule, ..Settings::default() })?;
        world.add(Cloth::grid(60, 60, 2.0, 2.0).tethers(false).pin([0, 60]).build()?)?;
        Ok(world)
    };
    let (mut a, mut b) = (build()?, build()?);
    for _ in 0..5 {
        a.step(&mut CpuBackend::default(), 1.0 / 60.0)?;
        b.step(&mut gpu, 1.0 / 60.0)?;
    }
    b.synchronize()?;
    let divided = a.plan().traced().filter(|pass| !pass.stages.is_empty()).count();
    ensure(divided == 2, || format!("{divided} passes are divided"))?;
    // Both are merged: in each iteration two dispatches solve the stages of both, and none is outside of these.
    ensure(gpu.dispatches() < 3 * (3 * 2 + 1) + 10, || format!("{} dispatches", gpu.dispatches()))?;
    ensure_equal(&gpu, &a, &b, 1e-4)
}
