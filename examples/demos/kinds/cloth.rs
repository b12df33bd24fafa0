//! The code of the page on cloth.

use bevy::prelude::*;
use xpbd_bevy::prelude::*;

/// Lets a cloth fall on a round table, and hangs up a towel by its corners.
pub fn spawn(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let wood = MeshMaterial3d(materials.add(Color::srgb(0.5, 0.35, 0.2)));
    let table = (Collider::cylinder(0.35, 0.45), Mesh3d(meshes.add(Cylinder::new(0.45, 0.7))), wood);
    commands.spawn((table, Transform::from_xyz(-0.5, 0.35, 0.0)));
    let mut fabric = |color| {
        let color = StandardMaterial { base_color: color, double_sided: true, cull_mode: None, ..default() };
        MeshMaterial3d(materials.add(color))
    };
    let sheet = Mesh3d(meshes.add(Plane3d::default().mesh().size(1.4, 1.4).subdivisions(50)));
    let linen = Cloth(ClothSettings { density: 0.3, ..default() });
    let place = Transform::from_xyz(-0.5, 0.85, 0.0);
    commands.spawn((linen, LinearDamping(0.5), sheet, fabric(Color::srgb(0.75, 0.15, 0.15)), place));

    let sheet = Mesh3d(meshes.add(Plane3d::default().mesh().size(0.8, 1.0).subdivisions(30)));
    let corners = Pinned::when(|_, place| place.z < -0.49 && place.x.abs() > 0.39);
    let place = Transform::from_xyz(0.9, 1.3, 0.0);
    commands.spawn((Cloth::default(), corners, LinearDamping(0.5), sheet, fabric(Color::srgb(0.2, 0.4, 0.7)), place));
}
