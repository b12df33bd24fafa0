//! A vehicle with raycast wheels drives over bumps and through crates.

#[path = "common.rs"]
mod stage;

#[path = "vehicle/drive.rs"]
mod drive;

use bevy::prelude::*;
use drive::{Vehicle, vehicle};
use xpbd_bevy::prelude::*;

/// The demo.
pub const DEMO: stage::Demo = stage::Demo {
    name: "vehicle",
    keys: "arrows: drive   SPACE: brake",
    camera: [Vec3::new(5.0, 3.0, 7.0), Vec3::new(0.0, 0.5, 0.0)],
    frames: 90,
    settings: || Settings { substeps: 8, ..Settings::default() },
    build,
};

/// Runs the demo.
pub fn main() {
    DEMO.main();
}

/// Marks the mesh of a wheel by its number.
#[derive(Component)]
struct WheelMesh(usize);

fn build(app: &mut App) {
    drive::build(app);
    app.add_systems(stage::SetUp, (track, start)).add_systems(Update, (press, (turn_wheels, follow).chain()));
}

/// Spawns bumps, a ramp and a wall of crates in front of the vehicle.
fn track(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>, mut paints: ResMut<Assets<StandardMaterial>>) {
    let stone = MeshMaterial3d(paints.add(Color::srgb(0.45, 0.45, 0.48)));
    let bump = Mesh3d(meshes.add(Capsule3d::new(0.12, 6.0)));
    let lying = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    for k in 0..5_u8 {
        let at = Transform::from_xyz(0.0, 0.0, -5.0 - 1.7 * f32::from(k)).with_rotation(lying);
        commands.spawn((Name::new("bump"), Collider::capsule(3.0, 0.12), bump.clone(), stone.clone(), at));
    }
    let half = Vec3::new(2.0, 0.1, 3.0);
    let at = Transform::from_xyz(0.0, 0.5, -19.0).with_rotation(Quat::from_rotation_x(0.2));
    let ramp = Mesh3d(meshes.add(Cuboid::from_size(2.0 * half)));
    commands.spawn((Name::new("ramp"), Collider::cuboid(half.x, half.y, half.z), ramp, stone, at));
    let wood = MeshMaterial3d(paints.add(Color::srgb(0.60, 0.42, 0.24)));
    let half = Vec3::splat(0.4);
    let mesh = Mesh3d(meshes.add(Cuboid::from_size(2.0 * half)));
    for (row, column) in (0..3_u8).flat_map(|row| (0..5_u8).map(move |column| (row, column))) {
        let at = Vec3::new(0.85 * (f32::from(column) - 2.0), 0.4 + 0.8 * f32::from(row), -34.0);
        let body = (RigidBody::Dynamic, Collider::cuboid(half.x, half.y, half.z), ColliderDensity(60.0));
        commands.spawn((Name::new("crate"), body, mesh.clone(), wood.clone(), Transform::from_translation(at)));
    }
}

/// Puts the vehicle at its start.
fn start(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>, mut paints: ResMut<Assets<StandardMaterial>>) {
    let red = MeshMaterial3d(paints.add(Color::srgb(0.75, 0.12, 0.10)));
    let black = MeshMaterial3d(paints.add(Color::srgb(0.06, 0.06, 0.07)));
    let chassis = Mesh3d(meshes.add(Cuboid::from_size(2.0 * Vehicle::HALF)));
    let radius = Vehicle::default().wheel_radius;
    // A block shows how far a wheel has rolled.
    let (tyre, hub) = (meshes.add(Cylinder::new(radius, 0.25)), meshes.add(Cuboid::new(0.1, 0.3, 0.4)));
    commands.spawn((vehicle(Vec3::ZERO), chassis, red.clone())).with_children(|chassis| {
        for k in 0..4 {
            let wheel = (WheelMesh(k), Transform::default(), Visibility::default());
            let lying = Transform::from_rotation(Quat::from_rotation_z(std::f32::consts::FRAC_PI_2));
            chassis.spawn(wheel).with_children(|wheel| {
                wheel.spawn((Mesh3d(tyre.clone()), black.clone(), lying));
                wheel.spawn((Mesh3d(hub.clone()), red.clone(), lying));
            });
        }
    });
}

fn press(keys: Res<ButtonInput<KeyCode>>, mut vehicles: Query<&mut Vehicle>) {
    let axis = |plus, minus| f32::from(keys.pressed(plus)) - f32::from(keys.pressed(minus));
    for mut vehicle in &mut vehicles {
        vehicle.throttle = axis(KeyCode::ArrowUp, KeyCode::ArrowDown);
        vehicle.brake = f32::from(keys.pressed(KeyCode::Space));
        let wanted = 0.5 * axis(KeyCode::ArrowLeft, KeyCode::ArrowRight);
        vehicle.steering += 0.15 * (wanted - vehicle.steering);
    }
}

/// Places the wheels where their springs end.
fn turn_wheels(vehicles: Query<&Vehicle>, mut wheels: Query<(&WheelMesh, &ChildOf, &mut Transform)>) {
    for (wheel, chassis, mut transform) in &mut wheels {
        let Ok(vehicle) = vehicles.get(chassis.parent()) else { continue };
        let of = &vehicle.wheels[wheel.0];
        transform.translation = of.anchor - Vec3::Y * (vehicle.spring_length - of.compression);
        transform.rotation = Quat::from_rotation_y(vehicle.angle(wheel.0)) * Quat::from_rotation_x(-of.roll);
    }
}

/// Lets the camera look at the vehicle.
fn follow(vehicles: Query<&Transform, With<Vehicle>>, mut orbit: ResMut<stage::orbit::Orbit>) {
    for vehicle in &vehicles {
        orbit.look = vehicle.translation.with_y(DEMO.camera[1].y);
    }
}
