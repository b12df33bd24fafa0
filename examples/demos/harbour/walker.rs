//! A walker in a cape, on the quay.

use bevy::prelude::*;
use xpbd_bevy::prelude::*;

use super::{BASIN, Workshop};

/// Radius and half the height of the middle part of the walker \[m\].
const SHAPE: [f32; 2] = [0.085, 0.14];
/// Speed \[m/s\].
const SPEED: f32 = 0.45;
/// Distance from the middle at which it turns round \[m\].
const REACH: f32 = 0.75;

/// Marks the walker.
#[derive(Component)]
pub(super) struct Walker {
    /// 1 to the right, −1 to the left.
    way: f32,
}

/// Puts the walker on the quay.
pub(super) fn spawn(mut workshop: Workshop) {
    let ([radius, half], [_, back, _, height]) = (SHAPE, BASIN);
    let at = Transform::from_xyz(-0.5, height + half + radius + 0.01, back - 0.32);
    let coat = workshop.look(Capsule3d::new(radius, 2.0 * half), Color::srgb(0.22, 0.26, 0.34));
    let body = (CharacterController::default(), Collider::capsule(half, radius));
    let walker = workshop.commands.spawn((Name::new("walker"), Walker { way: 1.0 }, body, coat, at)).id();
    let head = workshop.look(Sphere::new(0.075), Color::srgb(0.87, 0.68, 0.55));
    workshop.commands.spawn((Name::new("head"), head, Transform::from_xyz(0.0, half + 0.13, 0.0), ChildOf(walker)));
    // It hangs from the shoulders, on the side of the camera.
    let (width, length) = (0.13, 0.17);
    let sheet = Plane3d::new(Vec3::Z, Vec2::new(width, length)).mesh().subdivisions(9).build();
    let cape = workshop.fabric(sheet, Color::srgb(0.55, 0.10, 0.35));
    let shoulders = Pinned::when(move |_, place| place.y > length - 1e-3).held_by(walker);
    let place = at.translation + Vec3::new(0.0, half + 0.06 - length, radius + 0.04);
    let light = Cloth(ClothSettings { density: 0.12, ..default() });
    let place = Transform::from_translation(place);
    workshop.commands.spawn((Name::new("cape"), light, LinearDamping(1.0), shoulders, cape, place));
}

/// Walks to and fro, or as the arrow keys say.
pub(super) fn steer(
    keys: Res<ButtonInput<KeyCode>>,
    mut walkers: Query<(&mut Walker, &mut CharacterInput, &Transform)>,
) {
    for (mut walker, mut input, at) in &mut walkers {
        let wanted = f32::from(keys.pressed(KeyCode::ArrowRight)) - f32::from(keys.pressed(KeyCode::ArrowLeft));
        if wanted != 0.0 {
            walker.way = wanted;
        } else if at.translation.x * walker.way > REACH {
            walker.way = -walker.way;
        }
        input.velocity = SPEED * walker.way * Vec3::X;
    }
}
