//! The code of the page on liquids.

use bevy::light::NotShadowCaster;
use bevy::prelude::*;
use xpbd_bevy::prelude::*;

/// Lets a block of water go in a basin, with a crate that floats in it.
pub fn spawn(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let glass = Color::srgba(0.6, 0.8, 0.78, 0.35);
    let glass = materials.add(StandardMaterial { base_color: glass, alpha_mode: AlphaMode::Blend, ..default() });
    for (at, half) in [(Vec3::X * 0.8, Vec3::new(0.03, 0.3, 0.4)), (Vec3::Z * 0.4, Vec3::new(0.8, 0.3, 0.03))] {
        let wall = (Mesh3d(meshes.add(Cuboid::from_size(2.0 * half))), MeshMaterial3d(glass.clone()));
        for side in [-1.0, 1.0] {
            let place = Transform::from_translation(side * at + Vec3::Y * 0.3);
            commands.spawn((Collider::cuboid(half.x, half.y, half.z), wall.clone(), NotShadowCaster, place));
        }
    }
    let surface = FluidSurface { material: materials.add(FluidSurface::water()), ..default() };
    let water = Fluid::block(Vec3::new(0.3, 0.25, 0.34)).material(FluidMaterial::WATER);
    commands.spawn((water, surface, NotShadowCaster, Transform::from_xyz(-0.45, 0.27, 0.0)));
    let wood =
        (Mesh3d(meshes.add(Cuboid::from_length(0.2))), MeshMaterial3d(materials.add(Color::srgb(0.7, 0.5, 0.25))));
    let body = (RigidBody::Dynamic, Collider::cuboid(0.1, 0.1, 0.1), ColliderDensity(400.0));
    commands.spawn((body, wood, Transform::from_xyz(0.3, 0.4, 0.0)));
}
