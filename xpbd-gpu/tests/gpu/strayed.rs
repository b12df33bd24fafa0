//! Particles that leave the way on which their contacts were looked for.

use glam::{Quat, Vec3};
use libtest_mimic::Failed;
use parry3d::math::{Pose, Vector};
use parry3d::shape::SharedShape;
use xpbd_cloth::constraint::{Distance, DistanceParameters};
use xpbd_core::batch::Batch;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::{BodyHandle, Object, Settings, World};

use crate::{Test, backend, ensure, ensure_equal};

pub const TESTS: &[Test] = &[("strayed::what_is_pulled_into_walls_stops_as_on_the_cpu", pulled)];

/// Returns grains on strings far too short, which pull them into a ball, a slab and a paddle that turns, with its centre of
/// mass elsewhere.
fn world() -> Result<(World, BodyHandle), Failed> {
    let mut world =
        World::new(Settings { substeps: 5, particle_radius: 0.01, contact_margin: 0.005, ..Settings::default() })?;
    world.add_collider(Collider::new(SharedShape::ball(0.2)).at(Vec3::new(0.5, 0.0, 0.0)))?;
    world.add_collider(Collider::new(SharedShape::cuboid(0.02, 1.0, 1.0)).at(Vec3::new(1.0, 0.0, 0.0)))?;
    world.add_collider(Collider::new(SharedShape::halfspace(Vector::Y)).at(Vec3::NEG_Y))?;
    let mass = Mass {
        center_of_mass: Vec3::new(0.1, 0.02, 0.0),
        principal_axes: Quat::from_xyzw(0.6, 0.0, 0.0, 0.8),
        ..Mass::new(1.0, Vec3::ONE)
    };
    let paddle = world.add_body(Body { mass, ..Body::kinematic(turned(0)) })?;
    world.add_collider(Collider::new(SharedShape::capsule_x(0.3, 0.03)).attached_to(paddle))?;
    let place = |k: usize| {
        let (column, row) = ((k % 8) as f32, (k / 8) as f32);
        Vec3::new(0.1, 0.1 * column - 0.35, 0.1 * row - 0.35)
    };
    let far = |k: usize| place(k) + Vec3::new(1.5, 0.04 * (k % 3) as f32, 0.0);
    let strings: Vec<[u32; 2]> = (0..64).map(|k| [k, k + 64]).collect();
    let short = vec![DistanceParameters { rest_length: 0.1 }; strings.len()];
    let strings = Batch::new(Distance, &strings, &short)?.compliance(2e-5);
    let positions = (0..64).map(place).chain((0..64).map(far)).collect();
    let pins: Vec<u32> = (64..128).collect();
    world.add(Object::new("grains", positions, 0.1).pin(pins).with(strings))?;
    Ok((world, paddle))
}

fn turned(frame: usize) -> Pose {
    Pose::from_parts(Vec3::new(0.4, 0.25, 0.1), Quat::from_rotation_y(0.15 * frame as f32))
}

fn pulled() -> Result<(), Failed> {
    let ((mut a, paddle), (mut b, other)) = (world()?, world()?);
    let mut gpu = backend()?;
    let exact = gpu.device().is_exact();
    let grains = a.objects()[0];
    for frame in 1..30 {
        a.move_body(paddle, turned(frame))?;
        b.move_body(other, turned(frame))?;
        let on_cpu = a.step(&mut CpuBackend::default(), 1.0 / 60.0)?;
        let on_gpu = b.step(&mut gpu, 1.0 / 60.0)?;
        b.synchronize()?;
        ensure_equal(&gpu, &a, &b, 1e-3)?;
        ensure(on_cpu.dropped_contacts + on_gpu.dropped_contacts == 0, || "contacts were dropped".into())?;
        ensure(!exact || a.contacts() == b.contacts(), || format!("contacts of frame {frame} differ"))?;
        for (k, x) in a.positions(grains)?.take(64).enumerate() {
            ensure(x.x < 0.98, || format!("grain {k} is in or behind the slab at {x} in frame {frame}"))?;
        }
    }
    Ok(())
}
