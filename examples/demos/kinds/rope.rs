//! The code of the page on ropes.

use bevy::prelude::*;
use xpbd_bevy::prelude::*;

/// Hangs up a line between two points, and a weight on another one.
pub fn spawn(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let hemp = MeshMaterial3d(materials.add(Color::srgb(0.75, 0.45, 0.1)));
    let look = (Tube { radius: 0.02, ..default() }, hemp);
    let line = Rope::between(Vec3::new(-1.2, 1.6, 0.0), Vec3::new(1.2, 1.6, 0.0), 60, 3.0);
    commands.spawn((line, Pinned::vertices([0, 60]), look.clone()));

    let iron = (Mesh3d(meshes.add(Sphere::new(0.12))), MeshMaterial3d(materials.add(Color::srgb(0.35, 0.4, 0.5))));
    let ball = (RigidBody::Dynamic, Collider::ball(0.12), ColliderDensity(7800.0));
    let ball = commands.spawn((ball, iron, Transform::from_xyz(0.9, 1.2, 0.5))).id();
    let ends = Pinned::vertices([0]).and(Pinned::vertices([20]).held_by(ball));
    let settings = RopeSettings { density: 0.3, ..default() };
    commands.spawn((
        Rope { settings, ..Rope::between(Vec3::new(0.0, 1.6, 0.5), Vec3::new(0.9, 1.2, 0.5), 20, 1.0) },
        ends,
        look,
    ));
}
