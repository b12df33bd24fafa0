//! Shape-matched clusters: their kernel does what the CPU does.

use glam::{Quat, Vec3};
use libtest_mimic::Failed;
use parry3d::math::Pose;
use parry3d::shape::{Ball, Cuboid, HalfSpace, SharedShape};
use xpbd_core::collide::Collider;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::plasticity::Plasticity;
use xpbd_core::world::{Integrator, Object, Settings, World};
use xpbd_rigid::Cluster;

use crate::{Test, backend, ensure, ensure_equal};

pub const TESTS: &[Test] = &[
    ("clusters::a_heap_falls_as_on_the_cpu", heap),
    ("clusters::a_body_of_many_chunks_moves_as_on_the_cpu", chunks),
    ("clusters::pinned_and_flat_clusters_move_as_on_the_cpu", pinned),
    ("clusters::boxes_inside_each_other_come_apart_as_on_the_cpu", overlapping),
    ("clusters::rotations_and_plastic_deformations_come_back", absorbed),
];

const FRAME: f32 = 1.0 / 60.0;

fn world(settings: Settings, clusters: Vec<Cluster>) -> Result<World, Failed> {
    let mut world = World::new(settings)?;
    xpbd_rigid::register(world.registry_mut())?;
    for cluster in clusters {
        world.add(cluster.build()?)?;
    }
    world.add_collider(Collider::new(SharedShape::new(HalfSpace::new(Vec3::Y))))?;
    Ok(world)
}

fn ensure_parity(make: impl Fn() -> Result<World, Failed>, frames: usize) -> Result<[World; 2], Failed> {
    let (mut a, mut b) = (make()?, make()?);
    let (mut cpu, mut gpu) = (CpuBackend::default(), backend()?);
    for _ in 0..frames {
        a.step(&mut cpu, FRAME)?;
        b.step(&mut gpu, FRAME)?;
    }
    b.synchronize()?;
    ensure_equal(&gpu, &a, &b, 1e-3)?;
    Ok([a, b])
}

const LAW: Plasticity = Plasticity { yield_strain: 0.005, creep: 20.0, limit: 0.5 };

/// Returns a rigid, a soft and a plastic block fall on each other and on the ground.
fn blocks(integrator: Integrator) -> Result<World, Failed> {
    let settings = Settings {
        substeps: 6,
        iterations: 2,
        particle_radius: 0.025,
        contact_margin: 0.02,
        integrator,
        ..Settings::default()
    };
    let block = |y: f32| {
        let turned = Quat::from_xyzw(0.1 * y, 0.0, 0.2, 1.0).normalize();
        Cluster::from_shape(&Cuboid::new(Vec3::new(0.2, 0.1, 0.15)), 0.05)
            .at(Pose::from_parts(Vec3::new(0.05 * y, y, 0.0), turned))
            .velocity(Vec3::NEG_Y * 2.0, Vec3::Y)
    };
    world(
        settings,
        vec![
            block(0.3),
            block(0.6).overlapping(0.12, 0.15).compliance(1e-5),
            block(0.9).plasticity(LAW).compliance(1e-3),
        ],
    )
}

fn heap() -> Result<(), Failed> {
    ensure_parity(|| blocks(Integrator::FirstOrder), 20)?;
    ensure_parity(|| blocks(Integrator::SecondOrder), 5).map(drop)
}

/// A cluster of three chunks beside one of a few members.
fn chunks() -> Result<(), Failed> {
    let make = || {
        let large = Cluster::from_shape(&Cuboid::new(Vec3::splat(0.35)), 0.05).compliance(1e-6);
        let large = large.velocity(Vec3::X, Vec3::new(1.0, 2.0, 3.0)).overlapping(0.55, 0.6);
        world(
            Settings { substeps: 4, particle_radius: 0.025, ..Settings::default() },
            vec![large.at(Pose::translation(0.0, 0.4, 0.0))],
        )
    };
    let world = make()?;
    let batch = world.batch(world.batches_of(world.objects()[0])[0])?;
    let longest = (0..batch.len()).map(|k| batch.nodes(k).len()).max();
    ensure(longest > Some(1024) && batch.len() > 1, || format!("{longest:?} members at most of {}", batch.len()))?;
    ensure_parity(make, 10).map(drop)
}

fn pinned() -> Result<(), Failed> {
    let make = || {
        let beam = Cluster::from_shape(&Cuboid::new(Vec3::new(0.3, 0.05, 0.05)), 0.05);
        let line: Vec<_> = (0..9).map(|k| Vec3::new(0.1 * k as f32, 1.0, 1.0)).collect();
        let sheet: Vec<_> = (0..64).map(|k| Vec3::new(0.1 * (k % 8) as f32, 2.0, 0.1 * (k / 8) as f32)).collect();
        let clusters = vec![
            beam.pin_where(|x| x.x < -0.2).compliance(1e-4).at(Pose::translation(0.0, 1.0, 0.0)),
            Cluster::from_points(&line, 0.1).pin([2]).velocity(Vec3::ZERO, Vec3::new(0.0, 0.0, 2.0)),
            Cluster::from_points(&sheet, 0.1).plasticity(LAW).velocity(Vec3::ZERO, Vec3::new(3.0, 0.0, 2.0)),
            Cluster::from_points(&[Vec3::Y], 0.1),
            Cluster::from_shape(&Ball::new(0.2), 0.1).velocity(Vec3::Y, Vec3::X * 9.0),
        ];
        world(Settings { substeps: 5, ..Settings::default() }, clusters)
    };
    ensure_parity(make, 20).map(drop)
}

fn overlapping() -> Result<(), Failed> {
    let make = || {
        let block = |y: f32| {
            let at = Pose::translation(0.3 * y, 1.0 + y, -0.1 * y);
            Cluster::from_shape(&Cuboid::new(Vec3::new(0.2, 0.15, 0.2)), 0.05).at(at)
        };
        let settings = Settings {
            substeps: 5,
            iterations: 2,
            particle_radius: 0.025,
            contact_margin: 0.02,
            ..Settings::default()
        };
        let mut world = world(settings, vec![block(0.0), block(0.15)])?;
        world.add(Object::new("grains", vec![Vec3::new(0.01, 0.97, 0.02), Vec3::new(0.1, 1.1, 0.0)], 0.05))?;
        Ok(world)
    };
    let [a, _] = ensure_parity(make, 20)?;
    let [below, above] = [0, 1].map(|k| xpbd_rigid::cluster::poses(&a, a.objects()[k]));
    let apart = above?[0].translation - below?[0].translation;
    ensure(apart.y > 0.28, || format!("they are {apart} apart"))
}

fn absorbed() -> Result<(), Failed> {
    let [a, b] = ensure_parity(|| blocks(Integrator::FirstOrder), 30)?;
    let gpu = backend()?;
    let exact = gpu.device().is_exact();
    for (x, y) in a.objects().iter().zip(b.objects()) {
        let (x, y) = (a.batch(a.batches_of(*x)[0])?, b.batch(b.batches_of(*y)[0])?);
        ensure(!exact || x.save() == y.save(), || "what is saved differs".into())?;
        let (on_cpu, on_gpu) = (x.multipliers(0)[0], y.multipliers(0)[0]);
        ensure(on_cpu > 0.0 && (!exact || on_cpu == on_gpu), || format!("{on_cpu} and {on_gpu}"))?;
    }
    let batch: &dyn std::any::Any = b.batch(b.batches_of(b.objects()[2])[0])?;
    let plastic = batch.downcast_ref::<xpbd_rigid::ClusterBatch>().and_then(|batch| batch.plastic_deformation(0));
    ensure(plastic.is_some_and(|p| p != glam::Mat3::IDENTITY), || "nothing has flown".into())
}
