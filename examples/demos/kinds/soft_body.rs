//! The code of the page on soft bodies.

use bevy::prelude::*;
use xpbd_bevy::prelude::*;

/// Drops three balls of ever stiffer rubber.
pub fn spawn(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) -> Result {
    let ball = Mesh3d(meshes.add(Sphere::new(0.35).mesh().ico(12)?));
    for (k, youngs_modulus) in [4e3, 2e4, 1e5].into_iter().enumerate() {
        let elasticity = Elasticity::NeoHookean { youngs_modulus, poisson_ratio: 0.45 };
        let settings = SoftBodySettings { elasticity, density: 500.0, damping_time: 0.01, ..default() };
        let paint = MeshMaterial3d(materials.add(Color::hsl(330.0 - 70.0 * k as f32, 0.6, 0.55)));
        let place = Transform::from_xyz(0.9 * (k as f32 - 1.0), 1.0, 0.0);
        commands.spawn((SoftBody { cell: Some(0.07), settings }, ball.clone(), paint, place));
    }
    Ok(())
}
