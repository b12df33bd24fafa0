//! The ray of the mouse.

use bevy::camera::visibility::RenderLayers;
use bevy::camera::{Camera, Camera2d, NormalizedRenderTarget, RenderTarget};
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;

use super::DragControl;
#[cfg(feature = "picking")]
use super::covering::CoveringHits;
use crate::physics::Physics;

/// A camera by which things may be grabbed: one that shows a scene in a window.
type SceneCamera<'a> = (Entity, &'a Camera, Option<&'a RenderTarget>, &'a GlobalTransform, Option<&'a RenderLayers>);

/// Finds what is under the cursor.
#[derive(SystemParam)]
pub(super) struct Cursor<'w, 's> {
    windows: Query<'w, 's, (Entity, &'static Window)>,
    primary: Query<'w, 's, Entity, With<PrimaryWindow>>,
    cameras: Query<'w, 's, SceneCamera<'static>, Without<Camera2d>>,
    layers: Query<'w, 's, &'static RenderLayers>,
}

impl Cursor<'_, '_> {
    /// Returns the cameras under the cursor of at least an order, those on top first, with the ray of each and the direction
    /// in which it looks.
    fn rays(&self, min_order: f32) -> Vec<(Entity, Ray3d, Dir3)> {
        let cursor = self.windows.iter().find_map(|(window, of)| Some((window, of.cursor_position()?)));
        let Some((window, cursor)) = cursor else { return Vec::new() };
        let shows = |camera: &Camera, target: Option<&RenderTarget>| {
            let target = target.cloned().unwrap_or_default().normalize(self.primary.single().ok());
            let is_in_window = matches!(target, Some(NormalizedRenderTarget::Window(it)) if it.entity() == window);
            let is_covered = (camera.order as f32) < min_order;
            camera.is_active
                && !is_covered
                && is_in_window
                && camera.logical_viewport_rect().is_some_and(|rect| rect.contains(cursor))
        };
        let mut cameras: Vec<_> = self.cameras.iter().filter(|it| shows(it.1, it.2)).collect();
        cameras.sort_by_key(|it| std::cmp::Reverse(it.1.order));
        let ray = |&(entity, camera, _, transform, _): &(Entity, &Camera, _, &GlobalTransform, _)| {
            Some((entity, camera.viewport_to_world(transform, cursor).ok()?, transform.forward()))
        };
        cameras.iter().filter_map(ray).collect()
    }

    /// Returns whether a camera sees an entity.
    fn sees(&self, camera: Entity, entity: Entity) -> bool {
        let of_camera = self.cameras.get(camera).ok().and_then(|it| it.4).cloned().unwrap_or_default();
        of_camera.intersects(&self.layers.get(entity).cloned().unwrap_or_default())
    }
}

/// Turns buttons and the cursor into grabs. Without a window, a camera or a mouse nothing happens. A camera on top of others
/// grabs what it sees, and leaves the rest to those below; a camera that something covers grabs nothing.
pub(super) fn aim(
    mut drag: ResMut<DragControl>,
    buttons: Option<Res<ButtonInput<MouseButton>>>,
    physics: Res<Physics>,
    cursor: Cursor,
    mut grabbing: Local<Option<Entity>>,
    #[cfg(feature = "picking")] mut covering: CoveringHits,
) {
    #[cfg(feature = "picking")]
    let covering_order = covering.order();
    #[cfg(not(feature = "picking"))]
    let covering_order = f32::NEG_INFINITY;
    let (Some(button), Some(buttons)) = (drag.button, buttons) else { return };
    if buttons.just_released(button) {
        drag.release();
        return;
    }
    if !buttons.pressed(button) {
        return;
    }
    if !buttons.just_pressed(button) {
        let rays = cursor.rays(f32::NEG_INFINITY);
        let of_camera = rays.iter().find(|&&(camera, ..)| Some(camera) == *grabbing);
        of_camera.into_iter().for_each(|&(_, ray, _)| drag.move_to(ray));
        return;
    }
    *grabbing = None;
    if drag.blocked {
        return;
    }
    let hits = |&&(camera, ray, _): &&(Entity, Ray3d, Dir3)| {
        let hit = physics.cast_ray(ray, drag.max_distance, &drag.filter);
        hit.is_some_and(|hit| hit.entity.is_none_or(|entity| cursor.sees(camera, entity)))
    };
    let rays = cursor.rays(covering_order);
    if let Some(&(camera, ray, forward)) = rays.iter().find(hits) {
        *grabbing = Some(camera);
        drag.grab_facing(ray, forward);
    }
}
