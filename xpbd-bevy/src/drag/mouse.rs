//! The ray of the mouse.

use bevy::camera::Camera;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;

use super::DragControl;

/// Turns buttons and the cursor into grabs. Without a window, a camera or a mouse nothing happens.
pub(super) fn aim(
    mut drag: ResMut<DragControl>,
    buttons: Option<Res<ButtonInput<MouseButton>>>,
    window: Option<Single<&Window, With<PrimaryWindow>>>,
    cameras: Query<(&Camera, &GlobalTransform)>,
) {
    let (Some(button), Some(buttons)) = (drag.button, buttons) else { return };
    if buttons.just_released(button) {
        drag.release();
        return;
    }
    if !buttons.pressed(button) {
        return;
    }
    let Some(cursor) = window.and_then(|window| window.cursor_position()) else { return };
    // The camera on top is the one that is seen.
    let shows = |camera: &&(&Camera, &GlobalTransform)| {
        camera.0.is_active && camera.0.logical_viewport_rect().is_some_and(|rect| rect.contains(cursor))
    };
    let cameras: Vec<_> = cameras.iter().collect();
    let Some((camera, transform)) = cameras.iter().filter(shows).max_by_key(|(camera, _)| camera.order) else { return };
    let Ok(ray) = camera.viewport_to_world(transform, cursor) else { return };
    if buttons.just_pressed(button) {
        drag.grab_facing(ray, transform.forward());
    } else {
        drag.move_to(ray);
    }
}
