//! A wall of one triangle holds water.

use glam::Vec3;
use xpbd_core::collide::{Collider, open_mesh};
use xpbd_core::world::{ObjectHandle, World};
use xpbd_fluid::Fluid;

use super::support::{D, FRAME, cpu, plane, positions, world};

/// Two triangles without thickness across x, whose common edge goes through the middle (y, z) [m].
fn sheet(world: &mut World, x: f32, [y, z]: [f32; 2], half: f32) {
    let corners = [[-half, -half], [half, -half], [half, half], [-half, half]];
    let corners = corners.map(|[a, b]| Vec3::new(x, y + a, z + b));
    let shape = open_mesh(&corners, &[[0, 1, 2], [0, 2, 3]]).unwrap();
    world.add_collider(Collider::new(shape)).unwrap();
}

/// Returns how far [m] a particle has been beyond the plane at x, over some frames.
fn beyond(world: &mut World, water: ObjectHandle, x: f32, frames: usize) -> f32 {
    let mut cpu = cpu();
    let mut farthest = f32::MIN;
    for _ in 0..frames {
        world.step(&mut cpu, FRAME).unwrap();
        farthest = positions(world, water).iter().fold(farthest, |farthest, p| farthest.max(p.x - x));
    }
    farthest
}

#[test]
fn a_column_of_water_does_not_get_through() {
    let mut world = world(true, 10);
    let side = 6.0 * D;
    for (point, normal) in
        [(Vec3::ZERO, Vec3::X), (Vec3::ZERO, Vec3::Y), (Vec3::ZERO, Vec3::Z), (Vec3::Z * side, Vec3::NEG_Z)]
    {
        plane(&mut world, point, normal);
    }
    // The common edge crosses the wall of water from the one bottom corner upward.
    sheet(&mut world, side, [0.5 * side, 0.5 * side], 4.0);
    let water = Fluid::block(Vec3::ZERO, Vec3::new(side, 20.0 * D, side)).add_to_world(&mut world).unwrap();
    let beyond = beyond(&mut world, water, side, 120);
    // They are held at their radius.
    assert!(beyond < -0.4 * D, "{}", beyond / D);
    let heights: f32 = positions(&world, water).iter().map(|p| p.y).sum();
    let level = 2.0 * heights / 720.0;
    assert!((level / (20.0 * D) - 1.0).abs() < 0.1, "{}", level / D);
}

#[test]
fn a_jet_does_not_get_through() {
    for way in [Vec3::X, Vec3::new(1.0, 0.2, -0.6).normalize()] {
        let mut world = world(true, 10);
        sheet(&mut world, 0.0, [0.0, 0.0], 40.0);
        let half = 2.0 * D;
        let low = Vec3::new(-40.0 * D - half, -half, -half);
        let jet = Fluid::block(low, Vec3::new(-half, half, half)).velocity(20.0 * way);
        let water = jet.add_to_world(&mut world).unwrap();
        assert_eq!(positions(&world, water).len(), 640);
        let beyond = beyond(&mut world, water, 0.0, 60);
        assert!(beyond < 0.0, "{way}: {}", beyond / D);
        // It went all of its way, and does not come back as it came.
        let back = world.velocities(water).unwrap().map(|v| v.x).fold(0.0, f32::min);
        let mean = positions(&world, water).iter().map(|p| p.x).sum::<f32>() / 640.0;
        assert!(mean > -20.0 * D && back > -20.0, "{way}: {mean} {back}");
    }
}
