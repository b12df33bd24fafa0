//! The code of the page on rigid bodies and joints.

use bevy::prelude::*;
use xpbd_bevy::prelude::*;

/// Swings a wrecking ball on a jib into a wall of bricks; the jib turns by a motor.
pub fn spawn(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let mut cuboid = |size: Vec3, color: Color| {
        let look = (Mesh3d(meshes.add(Cuboid::from_size(size))), MeshMaterial3d(materials.add(color)));
        (RigidBody::Dynamic, Collider::cuboid(0.5 * size.x, 0.5 * size.y, 0.5 * size.z), look)
    };
    let (size, brick) = (Vec3::new(0.3, 0.15, 0.15), Color::srgb(0.7, 0.3, 0.2));
    for (row, column) in (0..8_u8).flat_map(|row| (0..5_u8).map(move |column| (row, column))) {
        let z = 0.31 * (f32::from(column) - 2.0) + 0.15 * f32::from(row % 2);
        let place = Transform::from_xyz(0.6, 0.075 + 0.15 * f32::from(row), z);
        let place = place.with_rotation(Quat::from_rotation_y(std::f32::consts::FRAC_PI_2));
        commands.spawn((cuboid(size, brick), ColliderDensity(1800.0), Friction::new(0.6), place));
    }
    let steel = Color::srgb(0.3, 0.35, 0.45);
    let jib = (cuboid(Vec3::new(0.1, 0.1, 1.6), steel), Transform::from_xyz(-0.4, 2.0, 0.8));
    let jib = commands.spawn(jib).id();
    let turn = JointMotor::velocity(-1.0).max_torque(5e3);
    commands.spawn((Joint::new(jib, HingeJoint::new(Vec3::new(-0.4, 2.0, 1.6), Vec3::Y)), AxisMotor(turn)));
    let ball = (cuboid(Vec3::splat(0.3), steel), ColliderDensity(7800.0), Transform::from_xyz(-0.4, 0.8, 0.0));
    let ball = commands.spawn(ball).id();
    let rope = DistanceJoint::new(Vec3::NEG_Z * 0.8, Vec3::Y * 0.15, 0.0, 1.0);
    commands.spawn(Joint::between(jib, ball, rope));
}
