//! A bridge of planks on hinges; boxes fall on it.

#[path = "common.rs"]
mod stage;

use bevy::prelude::*;
use xpbd_bevy::prelude::*;

/// The demo.
pub const DEMO: stage::Demo = stage::Demo {
    name: "bridge",
    keys: "SPACE: another box   C: cut in the middle",
    camera: [Vec3::new(1.2, 2.3, 3.4), Vec3::new(0.0, 1.0, 0.0)],
    frames: 120,
    settings: || Settings { substeps: 12, ..Settings::default() },
    build,
};

/// Planks, and half the extents of each \[m\].
const PLANKS: u8 = 15;
const HALF: Vec3 = Vec3::new(0.14, 0.025, 0.4);
/// Distance of planks \[m\].
const STEP: f32 = 0.3;
const HEIGHT: f32 = 1.2;

/// Runs the demo.
pub fn main() {
    DEMO.main();
}

fn build(app: &mut App) {
    app.add_systems(stage::SetUp, (bridge, (drop_box, drop_box, drop_box).chain())).add_systems(Update, press);
}

fn bridge(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>, mut paints: ResMut<Assets<StandardMaterial>>) {
    let mesh = Mesh3d(meshes.add(Cuboid::from_size(2.0 * HALF)));
    let wood = MeshMaterial3d(paints.add(Color::srgb(0.60, 0.42, 0.24)));
    let left = -0.5 * STEP * f32::from(PLANKS - 1);
    let plank = |k: u8| Vec3::new(left + STEP * f32::from(k), HEIGHT, 0.0);
    let mut last = None;
    for k in 0..PLANKS {
        let body =
            (RigidBody::Dynamic, Collider::cuboid(HALF.x, HALF.y, HALF.z), ColliderDensity(600.0), Friction::new(0.6));
        let at = Transform::from_translation(plank(k));
        let plank_k = commands.spawn((Name::new("plank"), body, mesh.clone(), wood.clone(), at)).id();
        let hinge = HingeJoint::new(plank(k) - Vec3::X * (0.5 * STEP), Vec3::Z);
        commands.spawn((Name::new("hinge"), Joint { a: last, ..Joint::new(plank_k, hinge) }));
        last = Some(plank_k);
    }
    if let Some(last) = last {
        let end = HingeJoint::new(plank(PLANKS - 1) + Vec3::X * (0.5 * STEP), Vec3::Z);
        commands.spawn((Name::new("hinge"), Joint::new(last, end)));
    }
    let post = Vec3::new(0.12, 0.5 * HEIGHT, 0.4);
    let stone = MeshMaterial3d(paints.add(Color::srgb(0.42, 0.42, 0.45)));
    let mesh = Mesh3d(meshes.add(Cuboid::from_size(2.0 * post)));
    for side in [-1.0, 1.0] {
        let at = Transform::from_xyz(side * (post.x - left + 0.5 * STEP), post.y, 0.0);
        commands.spawn((Name::new("post"), Collider::cuboid(post.x, post.y, post.z), mesh.clone(), stone.clone(), at));
    }
}

/// Drops a box above those that are there.
fn drop_box(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut paints: ResMut<Assets<StandardMaterial>>,
    bodies: Query<&Name, With<RigidBody>>,
) {
    let number = bodies.iter().filter(|name| name.as_str() == "box").count() as f32;
    let half = Vec3::splat(0.15);
    let mesh = Mesh3d(meshes.add(Cuboid::from_size(2.0 * half)));
    let paint = MeshMaterial3d(paints.add(Color::hsl(10.0 + 77.0 * number, 0.65, 0.5)));
    let at = Transform::from_xyz(0.5 * (number - 1.0), HEIGHT + 0.5 + 0.4 * number, 0.0);
    commands.spawn((
        Name::new("box"),
        RigidBody::Dynamic,
        Collider::cuboid(half.x, half.y, half.z),
        ColliderDensity(300.0),
        mesh,
        paint,
        at,
    ));
}

fn press(keys: Res<ButtonInput<KeyCode>>, mut commands: Commands, joints: Query<Entity, With<Joint>>) {
    if keys.just_pressed(KeyCode::Space) {
        commands.run_system_cached(drop_box);
    }
    if keys.just_pressed(KeyCode::KeyC)
        && let Some(joint) = joints.iter().nth(joints.iter().count() / 2)
    {
        commands.entity(joint).despawn();
    }
}
