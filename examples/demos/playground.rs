//! Everything touches: boxes, a jelly, a cloth, a rope and water in one world.

#[path = "common.rs"]
mod stage;

use bevy::light::NotShadowCaster;
use bevy::prelude::*;
use xpbd_bevy::prelude::*;

/// The demo.
pub const DEMO: stage::Demo = stage::Demo {
    name: "playground",
    keys: "SPACE: another box",
    camera: [Vec3::new(0.3, 1.6, 2.7), Vec3::new(0.1, 0.55, 0.0)],
    frames: 150,
    settings: || Settings { particle_radius: 0.03, contact_margin: 0.015, substeps: 10, ..Settings::default() },
    build,
};

/// Runs the demo.
pub fn main() {
    DEMO.main();
}

/// What adds things.
type Store<'w> = (ResMut<'w, Assets<Mesh>>, ResMut<'w, Assets<StandardMaterial>>);

fn build(app: &mut App) {
    app.add_systems(stage::SetUp, (basin, jelly, cloth, rope, drop_box)).add_systems(Update, press);
}

/// A basin of water.
fn basin(mut commands: Commands, (mut meshes, mut paints): Store) {
    let wall = MeshMaterial3d(paints.add(Color::srgb(0.7, 0.68, 0.62)));
    let half = Vec3::new(0.5, 0.2, 0.03);
    let mesh = Mesh3d(meshes.add(Cuboid::from_size(2.0 * half)));
    for side in 0..4u8 {
        let turn = Quat::from_rotation_y(f32::from(side) * std::f32::consts::FRAC_PI_2);
        let at = Transform::from_translation(Vec3::X * 0.9 + turn * Vec3::new(0.0, half.y, 0.47)).with_rotation(turn);
        commands.spawn((Name::new("wall"), Collider::cuboid(half.x, half.y, half.z), mesh.clone(), wall.clone(), at));
    }
    let surface = FluidSurface { material: paints.add(FluidSurface::water()), ..default() };
    let water = Fluid::block(Vec3::new(0.42, 0.12, 0.42)).material(FluidMaterial::WATER);
    let at = Transform::from_xyz(0.9, 0.13, 0.0);
    commands.spawn((Name::new("water"), water, surface, NotShadowCaster, at));
}

fn jelly(mut commands: Commands, (mut meshes, mut paints): Store) {
    let paint = MeshMaterial3d(paints.add(Color::srgb(0.85, 0.3, 0.45)));
    let Ok(ball) = Sphere::new(0.3).mesh().ico(10) else { return };
    let at = Transform::from_xyz(-0.9, 1.0, 0.0);
    commands.spawn((Name::new("jelly"), Cluster::soft(0.06), Mesh3d(meshes.add(ball)), paint, at));
}

/// A cloth hung up by two corners, which catches what falls.
fn cloth(mut commands: Commands, (mut meshes, mut paints): Store) {
    let red =
        StandardMaterial { base_color: Color::srgb(0.8, 0.55, 0.2), double_sided: true, cull_mode: None, ..default() };
    let mesh = Mesh3d(meshes.add(Plane3d::default().mesh().size(1.0, 1.0).subdivisions(24).build()));
    let corners = Pinned::vertices([0, 25, 650, 675]);
    let at = Transform::from_xyz(-0.1, 0.9, 0.0);
    commands.spawn((Name::new("cloth"), Cloth::default(), corners, mesh, MeshMaterial3d(paints.add(red)), at));
}

/// A rope with a weight at its end.
fn rope(mut commands: Commands, (mut meshes, mut paints): Store) {
    let grey = MeshMaterial3d(paints.add(Color::srgb(0.35, 0.3, 0.25)));
    let half = Vec3::splat(0.1);
    let mesh = Mesh3d(meshes.add(Cuboid::from_size(2.0 * half)));
    let at = Transform::from_xyz(1.5, 0.9, 0.0);
    let weight =
        (Name::new("weight"), RigidBody::Dynamic, Collider::cuboid(half.x, half.y, half.z), ColliderDensity(500.0));
    let weight = commands.spawn((weight, mesh, grey.clone(), at)).id();
    let rope = Rope::between(Vec3::new(0.9, 1.6, 0.0), Vec3::new(1.4, 0.9, 0.0), 16, 0.9);
    let ends = Pinned::vertices([0]).and(Pinned::vertices([16]).held_by(weight));
    commands.spawn((Name::new("rope"), rope, ends, Tube { radius: 0.02, ..default() }, grey));
}

fn drop_box(mut commands: Commands, (mut meshes, mut paints): Store, bodies: Query<&RigidBody>) {
    let number = bodies.iter().count() as f32;
    let half = Vec3::splat(0.12);
    let mesh = Mesh3d(meshes.add(Cuboid::from_size(2.0 * half)));
    let paint = MeshMaterial3d(paints.add(Color::hsl(100.0 + 70.0 * number, 0.6, 0.5)));
    let at = Transform::from_xyz(-0.1 + 0.1 * number, 1.3 + 0.1 * number, 0.0);
    commands.spawn((
        Name::new("box"),
        RigidBody::Dynamic,
        Collider::cuboid(half.x, half.y, half.z),
        ColliderDensity(200.0),
        mesh,
        paint,
        at,
    ));
}

fn press(keys: Res<ButtonInput<KeyCode>>, mut commands: Commands) {
    if keys.just_pressed(KeyCode::Space) {
        commands.run_system_cached(drop_box);
    }
}
