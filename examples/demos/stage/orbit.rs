//! A camera that turns around what it looks at.

use bevy::input::mouse::{AccumulatedMouseMotion, AccumulatedMouseScroll};
use bevy::prelude::*;

/// The place of the camera about what it looks at.
#[derive(Resource, Debug, Clone, Copy)]
pub struct Orbit {
    /// The point that it looks at \[m\].
    pub look: Vec3,
    /// Its distance from there \[m\].
    pub distance: f32,
    /// Angle about the vertical axis \[rad\].
    pub yaw: f32,
    /// Angle above the horizon \[rad\].
    pub pitch: f32,
}

impl Orbit {
    /// Creates the orbit of a camera at `eye` that looks at `look` \[m\].
    pub fn new([eye, look]: [Vec3; 2]) -> Self {
        let away = eye - look;
        let distance = away.length();
        let (yaw, pitch) = (Vec2::new(away.z, away.x).to_angle(), Vec2::new(away.xz().length(), away.y).to_angle());
        Self { look, distance, yaw, pitch }
    }

    /// Returns the place of the camera.
    pub fn transform(&self) -> Transform {
        let turn = Quat::from_rotation_y(self.yaw) * Quat::from_rotation_x(-self.pitch);
        Transform::from_translation(self.look + turn * (self.distance * Vec3::Z)).looking_at(self.look, Vec3::Y)
    }
}

/// Turns the camera with the right button or Q and E, and zooms with the wheel or the page keys.
pub fn turn(
    mut orbit: ResMut<Orbit>,
    buttons: Res<ButtonInput<MouseButton>>,
    keys: Res<ButtonInput<KeyCode>>,
    (motion, scroll): (Res<AccumulatedMouseMotion>, Res<AccumulatedMouseScroll>),
    time: Res<Time>,
    mut cameras: Query<&mut Transform, With<Camera3d>>,
) {
    let axis = |plus, minus| f32::from(keys.pressed(plus)) - f32::from(keys.pressed(minus));
    let dragged = if buttons.pressed(MouseButton::Right) { motion.delta } else { Vec2::ZERO };
    orbit.yaw += 1.5 * time.delta_secs() * axis(KeyCode::KeyE, KeyCode::KeyQ) - 0.006 * dragged.x;
    orbit.pitch = (orbit.pitch + 0.006 * dragged.y).clamp(0.02, 1.5);
    let zoom = 1.5 * time.delta_secs() * axis(KeyCode::PageDown, KeyCode::PageUp) - 0.1 * scroll.delta.y;
    orbit.distance = (orbit.distance * (1.0 + zoom.clamp(-0.5, 0.5))).clamp(0.3, 50.0);
    let place = orbit.transform();
    cameras.iter_mut().for_each(|mut camera| _ = camera.set_if_neq(place));
}
