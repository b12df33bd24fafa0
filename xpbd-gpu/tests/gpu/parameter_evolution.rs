//! Constraints whose parameters change at the end of a frame: on the device as on the CPU.

use glam::Vec3;
use libtest_mimic::Failed;
use parry3d::math::Pose;
use xpbd_cloth::{Elasticity, Rope, SoftBody, TetraMesh};
use xpbd_core::batch::{Batch, ConstraintBatch};
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::connector::{Connector, Connectors};
use xpbd_core::constraint::{Constraint, ConstraintType, Points};
use xpbd_core::cpu::CpuBackend;
use xpbd_core::plasticity::Plasticity;
use xpbd_core::scalar::Real;
use xpbd_core::world::{BatchHandle, Object, Settings, World};

use crate::{Test, backend, ensure, ensure_equal};

pub const TESTS: &[Test] = &[
    ("parameter_evolution::parameters_change_as_on_the_cpu", parity),
    ("parameter_evolution::edits_and_snapshots_see_changed_parameters", edits),
    ("parameter_evolution::parameters_of_small_worlds_change_as_on_the_cpu", islands),
    ("parameter_evolution::frozen_objects_keep_their_parameters", frozen),
    ("parameter_evolution::soft_bodies_yield_as_on_the_cpu", solids),
];

const FRAME: f32 = 1.0 / 60.0;

/// Four points on a path that creeps to the lengths that it has, and a number that nothing reads but its own
/// change. Parameters: two rest lengths [m], what they bear [m], how often.
struct Creeping;

impl Constraint<4, 2> for Creeping {
    type Parameters<S: Copy> = [S; 4];

    const NAME: &'static str = "gpu-test-creeping";

    fn value<S: Real>(x: &Points<S, 4>, [a, b, ..]: [S; 4]) -> [S; 2] {
        [(x.now[0] - x.now[1]).length() - a, (x.now[2] - x.now[3]).length() - b]
    }

    fn evolve_parameters<S: Real>(x: &Points<S, 4>, [a, b, bears, often]: [S; 4], dt: S) -> Option<[S; 4]> {
        let longer = [(x.now[0] - x.now[1]).length() - a, (x.now[2] - x.now[3]).length() - b];
        let [da, db] = longer.map(|longer| (longer - longer.clamp(-bears, bears)) * (dt * 30.0).min(S::one()));
        Some([a + da, b + db, bears, often + S::one()])
    }
}

/// Returns the four strings of 100 particles with creeping links among them, one of whose points is on a body; one
/// string hangs from a pin.
pub fn world(settings: Settings) -> Result<(World, [BatchHandle; 2]), Failed> {
    let mut world = World::new(settings)?;
    world.register(Creeping)?;
    xpbd_cloth::register(world.registry_mut())?;
    let place = |k: u32| Vec3::new((k % 20) as f32 * 0.1, 0.1 * (k * k % 7) as f32, (k / 20) as f32 * 0.1);
    let nodes: Vec<[u32; 4]> = (0..397).map(|k| [k, k + 1, k + 2, k + 3]).collect();
    let params: Vec<_> = nodes.iter().map(|n| [0.08, 0.12 + 0.001 * n[0] as f32, 0.004, 0.0]).collect();
    let batch = Batch::new(Creeping, &nodes, &params)?.compliance(1e-5).damping(0.1);
    let object = world.add(Object::new("strings", (0..400).map(place).collect(), 0.1).with(batch).pin([0]))?;
    let mass = Mass::from_shape(&parry3d::shape::Ball::new(0.2), 100.0)?;
    let body = world.add_body(Body::dynamic(Pose::translation(0.0, -1.0, 0.0), mass))?;
    let points = [0, 1, 2, 3].map(|node| match node {
        3 => Connector::BodyPoint { node },
        _ => Connector::Particle { node },
    });
    let kind = ConstraintType::of(Creeping)?;
    let connectors = Connectors::new(&points)?;
    let tie = Batch::from_parts(kind, connectors, vec![5, 6, 7, 0], vec![Vec3::X * 0.2], vec![0.1, 0.5, 0.01, 0.0])?;
    let tie = world.add_batch(&[object], &[body], tie.compliance(1e-3))?;
    let own = world.batches_of(object)[0];
    Ok((world, [own, tie]))
}

fn params(world: &World, batch: BatchHandle) -> Result<Vec<f32>, Failed> {
    let batch = world.batch(batch)?.traced().ok_or("a traced batch")?;
    Ok((0..batch.len()).flat_map(|k| batch.parameters(k)).copied().collect())
}

fn ensure_same(exact: bool, a: &World, b: &World, batches: &[BatchHandle]) -> Result<(), Failed> {
    for &batch in batches {
        let (x, y) = (params(a, batch)?, params(b, batch)?);
        let near = |(x, y): (&f32, &f32)| if exact { x.to_bits() == y.to_bits() } else { (x - y).abs() < 1e-3 };
        ensure(x.iter().zip(&y).all(near), || "parameters differ".into())?;
    }
    Ok(())
}

fn parity() -> Result<(), Failed> {
    for (max_colours, iterations) in [(48, 1), (2, 2)] {
        let mut settings = Settings { substeps: 4, iterations, ..Settings::default() };
        settings.schedule.max_colours = max_colours;
        let ((mut a, batches), (mut b, _)) = (world(settings.clone())?, world(settings)?);
        let (mut cpu, mut gpu) = (CpuBackend::default(), backend()?);
        let exact = gpu.device().is_exact();
        let start = params(&a, batches[0])?;
        for frame in 0..12 {
            a.step(&mut cpu, FRAME)?;
            b.step(&mut gpu, FRAME)?;
            if frame % 4 == 3 {
                b.synchronize()?;
                ensure_equal(&gpu, &a, &b, 1e-3)?;
                ensure_same(exact, &a, &b, &batches)?;
            }
        }
        let end = params(&a, batches[0])?;
        ensure(end.iter().zip(&start).filter(|(a, b)| a != b).count() > 600, || "little has changed".into())?;
        ensure(end[3] == 12.0 && params(&b, batches[1])?[3] == 12.0, || format!("{} frames", end[3]))?;
    }
    Ok(())
}

/// Edits of constraints between frames, with frames that nobody waits for before each.
fn edits() -> Result<(), Failed> {
    let settings = Settings { substeps: 3, ..Settings::default() };
    let ((mut a, batches), (mut b, _)) = (world(settings.clone())?, world(settings)?);
    let (mut cpu, mut gpu) = (CpuBackend::default(), backend()?);
    let exact = gpu.device().is_exact();
    for frame in 0..24 {
        for world in [&mut a, &mut b] {
            match frame {
                3 => world.edit_batch(batches[0], |batch| batch.parameters_mut(7)[0] = 0.3)?,
                6 => world.set_settings(Settings { iterations: 2, ..world.settings().clone() })?,
                9 => {
                    let object = world.objects()[0];
                    let more = Batch::new(Creeping, &[[9, 50, 20, 80]], &[[1.0, 1.0, 0.0, 0.0]])?;
                    world.add_batch(&[object], &[], more.compliance(1e-3))?;
                }
                12 => world.set_pinned(world.objects()[0], 30, true)?,
                15 => {
                    let saved = world.snapshot()?;
                    world.restore(&saved)?;
                }
                18 => world.remove_batch(batches[1])?,
                21 => world.edit_batch(batches[0], |batch| batch.set_broken(5, true))?,
                _ => {}
            }
        }
        a.step(&mut cpu, FRAME)?;
        b.step(&mut gpu, FRAME)?;
    }
    b.synchronize()?;
    ensure_equal(&gpu, &a, &b, 1e-3)?;
    let others = a.batches_of(a.objects()[0]);
    ensure_same(exact, &a, &b, &others)?;
    ensure(params(&b, batches[0])?[23] == 21.0, || "what is broken flows".into())
}

/// Returns the three ropes, small islands each, and their creeping links.
fn ropes() -> Result<(World, Vec<BatchHandle>), Failed> {
    let mut world = World::new(Settings { substeps: 4, ..Settings::default() })?;
    let mut batches = Vec::new();
    for k in 0..3 {
        let start = Vec3::X * k as f32;
        let rope = Rope::between(start, start + Vec3::new(0.3, 0.0, 0.5), 40, 0.7).pin([0]).build()?;
        let nodes: Vec<_> = (0..37).map(|k| [k, k + 1, k + 2, k + 3]).collect();
        let creeping = Batch::new(Creeping, &nodes, &[[0.01, 0.02, 0.001, 0.0]; 37])?.compliance(1e-3);
        let object = world.add(rope.with(creeping))?;
        batches.extend(world.batches_of(object).last());
    }
    Ok((world, batches))
}

fn islands() -> Result<(), Failed> {
    let ((mut a, batches), (mut b, _)) = (ropes()?, ropes()?);
    let (mut cpu, mut gpu) = (CpuBackend::default(), backend()?);
    for _ in 0..10 {
        a.step(&mut cpu, FRAME)?;
        b.step(&mut gpu, FRAME)?;
    }
    b.synchronize()?;
    let exact = gpu.device().is_exact();
    ensure_same(exact, &a, &b, &batches)?;
    ensure(params(&b, batches[0])?[3] == 10.0, || "not every frame".into())
}

/// One of several islands is thrown beyond all bounds: it keeps its parameters from then on, while the host
/// has yet to learn of it.
fn frozen() -> Result<(), Failed> {
    let (mut world, batches) = ropes()?;
    let mut gpu = backend()?;
    world.step(&mut gpu, FRAME)?;
    let thrown = world.objects()[1];
    world.set_position(thrown, 20, Vec3::ZERO, Vec3::splat(f32::MAX))?;
    for _ in 0..9 {
        world.step(&mut gpu, FRAME)?;
    }
    world.synchronize()?;
    ensure(world.is_frozen(thrown)?, || "it is not frozen".into())?;
    let often = |batch| Ok::<_, Failed>(params(&world, batch)?[3..].iter().step_by(4).copied().collect::<Vec<_>>());
    let [first, second] = [often(batches[0])?, often(batches[1])?];
    ensure(first.iter().all(|&often| often == 10.0), || format!("{first:?} frames"))?;
    ensure(second.iter().all(|&often| often == 1.0), || format!("{second:?} frames of what is frozen"))
}

/// Soft bodies of both materials that yield, pulled long and let go.
fn solids() -> Result<(), Failed> {
    let start = || -> Result<(World, Vec<BatchHandle>), Failed> {
        let mut world = World::new(Settings { substeps: 4, gravity: Vec3::ZERO, ..Settings::default() })?;
        xpbd_cloth::register(world.registry_mut())?;
        let mesh = TetraMesh::block([3, 2, 2], Vec3::new(0.3, 0.2, 0.2))?;
        let (youngs_modulus, poisson_ratio) = (3e4, 0.4);
        let materials = [
            Elasticity::NeoHookean { youngs_modulus, poisson_ratio },
            Elasticity::StVenantKirchhoff { youngs_modulus, poisson_ratio },
        ];
        let mut batches = Vec::new();
        for elasticity in materials {
            let body = SoftBody::new(&mesh).elasticity(elasticity).volume_bulk_modulus(1e5).linear_damping(5.0);
            let mut object = body.plasticity(Plasticity { yield_strain: 0.03, creep: 20.0, limit: 1.0 }).build()?;
            object.positions.iter_mut().for_each(|x| *x = Vec3::new(1.4 * x.x, 0.85 * x.y + 0.2 * x.x, 0.85 * x.z));
            let object = world.add(object)?;
            batches.push(world.batches_of(object)[0]);
        }
        Ok((world, batches))
    };
    let ((mut a, batches), (mut b, _)) = (start()?, start()?);
    let (mut cpu, mut gpu) = (CpuBackend::default(), backend()?);
    let exact = gpu.device().is_exact();
    let before = params(&a, batches[0])?;
    for frame in 0..12 {
        a.step(&mut cpu, FRAME)?;
        b.step(&mut gpu, FRAME)?;
        if frame % 6 == 5 {
            b.synchronize()?;
            let bytes = b.snapshot()?;
            b.restore(&bytes)?;
        }
    }
    ensure_equal(&gpu, &a, &b, 1e-3)?;
    ensure_same(exact, &a, &b, &batches)?;
    let after = params(&a, batches[0])?;
    ensure(after.iter().zip(&before).filter(|(a, b)| a != b).count() > 200, || "little has yielded".into())
}
