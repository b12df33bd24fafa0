//! The code of the page on rods.

use bevy::prelude::*;
use xpbd_bevy::prelude::*;

/// Clamps five bars that are ever stiffer, and hangs up a coil with a lamp that rides on its last segment.
pub fn spawn(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    for k in 0..5_u8 {
        let youngs_modulus = 1e6 * f32::from(1_u16 << (2 * k));
        let settings = RodSettings { radius: 0.01, density: 1000.0, youngs_modulus, ..default() };
        let bar = Rod { settings, ..Rod::between(Vec3::ZERO, Vec3::X * 0.8, 24) };
        let paint = MeshMaterial3d(materials.add(Color::hsl(40.0 * f32::from(k), 0.6, 0.5)));
        let place = Transform::from_xyz(-0.2, 0.9, 0.2 - 0.2 * f32::from(k));
        commands.spawn((bar, Clamped::first(), Tube { radius: 0.015, ..default() }, paint, LinearDamping(2.0), place));
    }
    let steel = MeshMaterial3d(materials.add(Color::srgb(0.4, 0.42, 0.5)));
    let settings = RodSettings { radius: 0.006, youngs_modulus: 1.5e8, ..default() };
    let coil = Rod { settings, ..Rod::helix(0.1, -0.05, 8.0, 128) };
    let look = (Tube { radius: 0.008, ..default() }, steel, Transform::from_xyz(-0.8, 1.5, 0.0));
    let rod = commands.spawn((coil, Clamped::first(), look, LinearDamping(1.0))).id();
    let lamp = (Mesh3d(meshes.add(Sphere::new(0.05))), MeshMaterial3d(materials.add(Color::srgb(1.0, 0.8, 0.2))));
    commands.spawn((SegmentAttachment { rod, segment: 127 }, lamp));
}
