//! Particles that come and go: the device follows them as the CPU does.

use glam::{Quat, Vec3};
use libtest_mimic::Failed;
use parry3d::math::Pose;
use parry3d::shape::{Cuboid, SharedShape};
use xpbd_cloth::Rope;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::plasticity::Plasticity;
use xpbd_core::world::{Integrator, Object, ParticleSpawn, Settings, World};
use xpbd_rigid::Cluster;

use crate::{Test, backend, ensure, ensure_equal};

pub const TESTS: &[Test] = &[
    ("active_particles::grains_come_and_go_as_on_the_cpu", grains),
    ("active_particles::links_of_small_worlds_come_and_go_as_on_the_cpu", links),
    ("active_particles::clusters_lose_and_regain_members_as_on_the_cpu", clusters),
    ("active_particles::clusters_of_many_chunks_lose_members_as_on_the_cpu", chunks),
];

const FRAME: f32 = 1.0 / 60.0;

/// Steps two worlds, with the same edits before each frame, and compares them and their contacts at every tenth.
fn ensure_parity(
    make: impl Fn() -> Result<World, Failed>,
    frames: usize,
    edit: impl Fn(&mut World, usize) -> Result<(), Failed>,
) -> Result<World, Failed> {
    let (mut a, mut b) = (make()?, make()?);
    let (mut cpu, mut gpu) = (CpuBackend::default(), backend()?);
    let exact = gpu.device().is_exact();
    for frame in 0..frames {
        edit(&mut a, frame)?;
        edit(&mut b, frame)?;
        a.step(&mut cpu, FRAME)?;
        b.step(&mut gpu, FRAME)?;
        if frame % 10 == 9 {
            b.synchronize()?;
            ensure_equal(&gpu, &a, &b, 1e-3)?;
            ensure(!exact || a.contacts() == b.contacts(), || format!("contacts of frame {frame} differ"))?;
        }
    }
    let (x, y) = (&a.state().particles, &b.state().particles);
    ensure(x.inactive == y.inactive && x.generations == y.generations, || "others are present".into())?;
    let moved = (0..x.len()).any(|i| x.inactive[i] && x.velocity[i] != glam::Vec4::ZERO);
    ensure(!moved, || "what is absent moves".into())?;
    Ok(a)
}

/// Grains from above on a ball, on a block that can be pushed and on each other; the oldest go.
fn grains() -> Result<(), Failed> {
    for integrator in [Integrator::FirstOrder, Integrator::SecondOrder] {
        let make = || {
            let settings = Settings {
                substeps: 4,
                particle_radius: 0.02,
                contact_margin: 0.01,
                integrator,
                ..Settings::default()
            };
            let mut world = World::new(settings)?;
            let mut grains = Object::new("grains", vec![Vec3::new(0.01, 0.5, 0.0)], 0.01).capacity(60, 0.01);
            grains.collision_layers.self_collision = true;
            world.add(grains)?;
            world.add(Object::new("others", vec![Vec3::new(0.0, 0.3, 0.01), Vec3::Y * 0.45], 0.02))?;
            world.add_collider(Collider::new(SharedShape::ball(0.1)))?;
            let shape = SharedShape::cuboid(0.1, 0.1, 0.1);
            let block = Body::dynamic(Pose::translation(0.15, 0.1, 0.0), Mass::from_shape(&*shape, 500.0)?);
            let block = world.add_body(block)?;
            world.add_collider(Collider::new(shape).attached_to(block))?;
            world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)).at(Vec3::Y * -0.1))?;
            Ok(world)
        };
        let edit = |world: &mut World, frame: usize| {
            let object = world.objects()[0];
            let k = frame as f32;
            let new: Vec<_> = (0..4)
                .map(|n| {
                    let side = n as f32 * 0.035 - 0.05 + 0.001 * k;
                    ParticleSpawn { position: Vec3::new(side, 0.5, 0.002 * k), velocity: Vec3::NEG_Y * 2.0 }
                })
                .collect();
            if frame.is_multiple_of(2) {
                world.spawn(object, &new)?;
            }
            if frame > 15 {
                let oldest: Vec<_> = world.active_particles(object)?.take(3).collect();
                world.deactivate(object, &oldest)?;
            }
            Ok(())
        };
        let world = ensure_parity(make, 40, edit)?;
        ensure(world.contacts().len() > 2, || format!("{} contacts", world.contacts().len()))?;
    }
    Ok(())
}

fn links() -> Result<(), Failed> {
    for integrator in [Integrator::FirstOrder, Integrator::SecondOrder] {
        let make = || {
            let mut world = World::new(Settings { substeps: 4, integrator, ..Settings::default() })?;
            for k in 0..3 {
                let start = Vec3::X * k as f32;
                world.add(Rope::between(start, start + Vec3::new(0.3, 0.0, 0.5), 40, 0.7).pin([0]).build()?)?;
            }
            Ok(world)
        };
        let edit = |world: &mut World, frame: usize| {
            let object = world.objects()[frame % 3];
            let k = frame as u32;
            match frame % 4 {
                0 => world.deactivate(object, &[k, k + 1])?,
                1 => {
                    let object = world.objects()[(frame - 1) % 3];
                    let position = world.position(object, frame)?;
                    world.spawn_at(object, &[k], &[ParticleSpawn { position, velocity: Vec3::X }])?;
                }
                _ => {}
            }
            Ok(())
        };
        ensure_parity(make, 30, edit)?;
    }
    Ok(())
}

const LAW: Plasticity = Plasticity { yield_strain: 0.005, creep: 20.0, limit: 0.5 };

fn clusters() -> Result<(), Failed> {
    for integrator in [Integrator::FirstOrder, Integrator::SecondOrder] {
        let make = || {
            let settings = Settings {
                substeps: 5,
                iterations: 2,
                particle_radius: 0.025,
                contact_margin: 0.02,
                integrator,
                ..Settings::default()
            };
            let mut world = World::new(settings)?;
            xpbd_rigid::register(world.registry_mut())?;
            let block = |y: f32| {
                let turned = Quat::from_xyzw(0.1 * y, 0.0, 0.2, 1.0).normalize();
                Cluster::from_shape(&Cuboid::new(Vec3::new(0.15, 0.1, 0.1)), 0.05)
                    .at(Pose::from_parts(Vec3::new(0.05 * y, y, 0.0), turned))
                    .velocity(Vec3::NEG_Y * 2.0, Vec3::Y)
            };
            world.add(block(0.3).build()?)?;
            world.add(block(0.6).overlapping(0.12, 0.15).compliance(1e-5).build()?)?;
            world.add(block(0.9).plasticity(LAW).compliance(1e-3).pin([7]).build()?)?;
            world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)))?;
            Ok(world)
        };
        // The first goes bit by bit until nothing is left and comes again, the second loses every third, the
        // last all but a few.
        let edit = |world: &mut World, frame: usize| {
            let [first, second, last] = [0, 1, 2].map(|k| world.objects()[k]);
            let present: Vec<_> = world.active_particles(first)?.collect();
            if frame < 20 {
                world.deactivate(first, &present[..present.len().min(7)])?;
            } else {
                world.synchronize()?;
                let goals = xpbd_rigid::cluster::goals(world, first)?;
                let goal = |k: usize| ParticleSpawn { position: goals[k] + Vec3::Y * 0.001, velocity: Vec3::X };
                world.spawn(first, &[goal(0), goal(1), goal(2), goal(3), goal(4), goal(5)])?;
            }
            if frame == 3 {
                world.deactivate(second, &(0..96).step_by(3).collect::<Vec<_>>())?;
            }
            let left: Vec<_> = world.active_particles(last)?.collect();
            let most = left.len().saturating_sub(3).min(9);
            world.deactivate(last, &left[..most])?;
            Ok(())
        };
        let world = ensure_parity(make, 30, edit)?;
        let left = [0, 1, 2].map(|k| world.active_count(world.objects()[k]).unwrap_or(0));
        ensure(left == [60, 64, 3], || format!("{left:?} are left"))?;
    }
    Ok(())
}

/// A cluster of three chunks of which the first is wholly absent and then nothing is left.
fn chunks() -> Result<(), Failed> {
    let make = || {
        let mut world = World::new(Settings { substeps: 4, particle_radius: 0.025, ..Settings::default() })?;
        xpbd_rigid::register(world.registry_mut())?;
        let large = Cluster::from_shape(&Cuboid::new(Vec3::splat(0.35)), 0.05).compliance(1e-6);
        let large = large.velocity(Vec3::X, Vec3::new(1.0, 2.0, 3.0)).at(Pose::translation(0.0, 0.4, 0.0));
        world.add(large.build()?)?;
        world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)))?;
        Ok(world)
    };
    let edit = |world: &mut World, frame: usize| {
        let object = world.objects()[0];
        match frame {
            0 => world.deactivate(object, &(0..500).collect::<Vec<_>>())?,
            5 => world.deactivate(object, &(500..1500).collect::<Vec<_>>())?,
            15 => world.deactivate(object, &(1500..2744).collect::<Vec<_>>())?,
            _ => {}
        }
        Ok(())
    };
    let world = ensure_parity(make, 20, edit)?;
    ensure(world.active_count(world.objects()[0])? == 0, || "some are left".into())
}
