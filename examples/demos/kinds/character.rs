//! The code of the page on characters.

use bevy::prelude::*;
use xpbd_bevy::prelude::*;

/// Puts a character in front of stairs and crates.
pub fn spawn(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let look =
        (Mesh3d(meshes.add(Capsule3d::new(0.3, 1.2))), MeshMaterial3d(materials.add(Color::srgb(0.2, 0.5, 0.7))));
    commands.spawn((
        CharacterController::default(),
        Collider::capsule(0.6, 0.3),
        look,
        Transform::from_xyz(-2.0, 0.92, 0.0),
    ));

    let stone = MeshMaterial3d(materials.add(Color::srgb(0.6, 0.58, 0.55)));
    for k in 1..6_u8 {
        let half = Vec3::new(0.2, 0.1 * f32::from(k), 0.8);
        let place = Transform::from_xyz(0.4 * f32::from(k), half.y, 0.0);
        let step = Mesh3d(meshes.add(Cuboid::from_size(2.0 * half)));
        commands.spawn((Collider::cuboid(half.x, half.y, half.z), step, stone.clone(), place));
    }
    let wood =
        (Mesh3d(meshes.add(Cuboid::from_length(0.4))), MeshMaterial3d(materials.add(Color::srgb(0.7, 0.5, 0.25))));
    for k in 0..3_u8 {
        let place = Transform::from_xyz(-1.1, 0.2 + 0.4 * f32::from(k), 0.15);
        commands.spawn((
            RigidBody::Dynamic,
            Collider::cuboid(0.2, 0.2, 0.2),
            ColliderDensity(30.0),
            wood.clone(),
            place,
        ));
    }
}

/// Walks to the right.
pub fn steer(mut characters: Query<&mut CharacterInput>) {
    characters.iter_mut().for_each(|mut input| input.velocity = Vec3::X * 2.0);
}
