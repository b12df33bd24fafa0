//! The code of the page on clusters.

use bevy::prelude::*;
use xpbd_bevy::prelude::*;

/// Lets a slab fall on a soft, a plastic and a rigid ball.
pub fn spawn(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) -> Result {
    let ball = Mesh3d(meshes.add(Sphere::new(0.32).mesh().ico(12)?));
    let overlap = Some(ClusterOverlap { spacing: 0.12, radius: 0.13 });
    let soft = Cluster { settings: ClusterSettings { overlap, ..default() }, spacing: Some(0.06) };
    let mut putty = soft.clone();
    putty.plasticity = Some(Plasticity { yield_strain: 0.01, creep: 60.0, limit: 0.8 });
    for (k, cluster) in [soft, putty, Cluster::rigid(0.06)].into_iter().enumerate() {
        let paint = MeshMaterial3d(materials.add(Color::hsl(200.0 + 70.0 * k as f32, 0.5, 0.55)));
        let place = Transform::from_xyz(0.9 * (k as f32 - 1.0), 0.34, 0.0);
        commands.spawn((cluster, ball.clone(), paint, place));
    }
    let slab = (RigidBody::Dynamic, Collider::cuboid(1.3, 0.05, 0.3), ColliderDensity(2000.0));
    let look =
        (Mesh3d(meshes.add(Cuboid::new(2.6, 0.1, 0.6))), MeshMaterial3d(materials.add(Color::srgb(0.6, 0.6, 0.6))));
    commands.spawn((slab, look, Transform::from_xyz(0.0, 1.2, 0.0)));
    Ok(())
}
