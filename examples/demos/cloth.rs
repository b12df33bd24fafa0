//! A cloth drapes over a ball, a flag blows in the wind.

#[path = "common.rs"]
mod stage;

use bevy::prelude::*;
use xpbd_bevy::prelude::*;

/// The demo.
pub const DEMO: stage::Demo = stage::Demo {
    name: "cloth",
    keys: "W: wind",
    camera: [Vec3::new(-0.4, 1.7, 3.6), Vec3::new(0.3, 0.7, 0.0)],
    frames: 120,
    settings: || Settings { particle_radius: 0.012, ..Settings::default() },
    build,
};

/// Runs the demo.
pub fn main() {
    DEMO.main();
}

fn build(app: &mut App) {
    let mut wind = Wind::new(Vec3::new(5.0, 0.0, 1.5));
    wind.gust_strength = 0.4;
    app.insert_resource(wind);
    app.add_systems(stage::SetUp, (ball, cloth, flag)).add_systems(Update, press);
}

fn ball(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>, mut paints: ResMut<Assets<StandardMaterial>>) {
    let paint = paints.add(Color::srgb(0.85, 0.82, 0.75));
    let mesh = meshes.add(Sphere::new(0.5).mesh().uv(64, 32));
    let at = Transform::from_xyz(-0.6, 0.5, 0.0);
    commands.spawn((Collider::ball(0.5), Mesh3d(mesh), MeshMaterial3d(paint), at, Friction::new(0.3)));
}

fn sheet(width: f32, height: f32, cells: u32) -> Mesh {
    Plane3d::default().mesh().size(width, height).subdivisions(cells - 1).build()
}

fn fabric(color: Color) -> StandardMaterial {
    StandardMaterial {
        base_color: color,
        perceptual_roughness: 0.9,
        double_sided: true,
        cull_mode: None,
        ..StandardMaterial::default()
    }
}

fn cloth(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>, mut paints: ResMut<Assets<StandardMaterial>>) {
    let mesh = Mesh3d(meshes.add(sheet(1.5, 1.5, 60)));
    let paint = MeshMaterial3d(paints.add(fabric(Color::srgb(0.70, 0.16, 0.18))));
    let cloth = (Cloth::default(), LinearDamping(0.1), SelfCollision);
    commands.spawn((Name::new("cloth"), cloth, mesh, paint, Transform::from_xyz(-0.6, 1.2, 0.0)));
}

/// A flag, held along one of its edges.
fn flag(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>, mut paints: ResMut<Assets<StandardMaterial>>) {
    let mesh = Mesh3d(meshes.add(sheet(1.2, 0.8, 32)));
    let paint = MeshMaterial3d(paints.add(fabric(Color::srgb(0.15, 0.35, 0.62))));
    let upright = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    let at = Transform::from_xyz(1.2, 1.4, 0.0).with_rotation(upright);
    let held = Pinned::when(|_, place| place.x < -0.599);
    commands.spawn((Name::new("flag"), Cloth::default(), LinearDamping(2.0), held, mesh, paint, at));
    let pole = Mesh3d(meshes.add(Cylinder::new(0.015, 1.9)));
    let paint = MeshMaterial3d(paints.add(Color::srgb(0.3, 0.3, 0.3)));
    commands.spawn((pole, paint, Transform::from_xyz(0.585, 0.95, 0.0)));
}

fn press(keys: Res<ButtonInput<KeyCode>>, mut wind: ResMut<Wind>) {
    if keys.just_pressed(KeyCode::KeyW) {
        wind.velocity = if wind.velocity == Vec3::ZERO { Vec3::new(5.0, 0.0, 1.5) } else { Vec3::ZERO };
    }
}
