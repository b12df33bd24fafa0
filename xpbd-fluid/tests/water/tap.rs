//! A tap that one particle at a time leaves.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use xpbd_core::world::{ObjectHandle, World};
use xpbd_fluid::Fluid;
use xpbd_fluid::emitter::{Nozzle, NozzleShape};

use super::support::{D, FRAME, RADIUS, basin, cpu, positions, world};

/// Returns the largest speed of the particles that are there [m/s].
fn fastest(world: &World, water: ObjectHandle) -> f32 {
    let active = world.active_particles(water).unwrap();
    active.map(|k| world.state().particles.velocity[k as usize].truncate().length()).fold(0.0, f32::max)
}

/// It pours a thread, and nothing is thrown where that meets what lies on the floor.
#[test]
fn a_tap_of_one_particle_pours_a_thread() {
    for (speed, substeps) in [(1.0, 5), (1.0, 20), (3.0, 10)] {
        let mut world = world(true, substeps);
        basin(&mut world, Vec3::new(-0.5, 0.0, -0.5), 1.0, 1.0);
        let water = Fluid::particles(vec![]).capacity(1000).add_to_world(&mut world).unwrap();
        let down = Quat::from_rotation_arc(Vec3::Z, Vec3::NEG_Y);
        let height = 3.0;
        let nozzle = Nozzle::new(NozzleShape::Disc { radius: 0.5 * RADIUS }, speed).jitter(0.1);
        let nozzle = nozzle.at(Pose::from_parts(Vec3::Y * height, down));
        let mut tap = nozzle.emitter(&world, water).unwrap();
        let mut cpu = cpu();
        let (mut thread, mut off, mut most) = (Vec::new(), 0.0_f32, 0.0_f32);
        for _ in 0..240 {
            tap.step(&mut world, FRAME).unwrap();
            world.step(&mut cpu, FRAME).unwrap();
            most = most.max(fastest(&world, water));
            thread = positions(&world, water).into_iter().filter(|x| x.y > 1.0 && x.y < height).collect();
            off = thread.iter().map(|x| x.x.hypot(x.z)).fold(off, f32::max);
        }
        assert!(tap.emitted() as f32 > 3.9 * speed / D, "{}", tap.emitted());
        assert!(thread.len() > 5, "{thread:?}");
        assert!(off < 0.5 * RADIUS, "{speed} m/s, {substeps} substeps: {off} m off");
        let fall = (speed * speed + 2.0 * 9.81 * height).sqrt();
        assert!(most < 1.05 * fall, "{speed} m/s, {substeps} substeps: {most} of {fall} m/s");
    }
}
