//! A backend of Bevy's picking: pointers are on what physics finds under them.
//!
//! ```no_run
//! use bevy::prelude::*;
//! use xpbd_bevy::picking::PhysicsPickingPlugin;
//! use xpbd_bevy::prelude::*;
//! use xpbd_bevy::query::Hit;
//!
//! fn main() {
//!     App::new()
//!         .add_plugins((DefaultPlugins, XpbdPlugins::default(), PhysicsPickingPlugin))
//!         .add_systems(Startup, |mut commands: Commands| {
//!             commands.spawn((RigidBody::Dynamic, Collider::ball(0.5))).observe(name_what_is_clicked);
//!         })
//!         .run();
//! }
//!
//! fn name_what_is_clicked(click: On<Pointer<Click>>) {
//!     let hit = click.event().hit.extra_as::<Hit>();
//!     info!("{} at {:?}, triangle {:?}", click.entity, click.event().hit.position, hit.and_then(|hit| hit.triangle));
//! }
//! ```

use bevy::camera::visibility::RenderLayers;
use bevy::ecs::entity::EntityHashSet;
use bevy::ecs::system::SystemParam;
use bevy::picking::backend::ray::{RayId, RayMap};
use bevy::picking::backend::{HitData, PointerHits};
use bevy::picking::{Pickable, PickingSystems};
use bevy::prelude::*;

use crate::physics::Physics;
use crate::query::QueryFilter;

/// The picking backend of physics, to be added after [`XpbdPlugins`](crate::plugin::XpbdPlugins).
///
/// It sends `PointerHits` for the rays of pointers through all cameras but [`Camera2d`]s, with the order of the camera: each
/// entity once, the nearest first, down to the first one that blocks what is below it ([`Pickable`]). A collider is hit as
/// its own entity, whose events bubble up to its body. Depth is the distance from where the ray begins \[m\]; position and
/// normal are in the world; the data that a hit brings along is a [`Hit`](crate::query::Hit). What belongs to no entity
/// hides what is behind it.
#[derive(Debug, Default, Clone, Copy)]
pub struct PhysicsPickingPlugin;

impl Plugin for PhysicsPickingPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<PhysicsPickingSettings>();
        app.register_type::<PhysicsPickingSettings>().register_type::<PhysicsPickable>();
        let ready = resource_exists::<RayMap>.and_then(resource_exists::<Physics>);
        app.add_systems(PreUpdate, send_hits.in_set(PickingSystems::Backend).run_if(ready));
    }

    fn finish(&self, app: &mut App) {
        if !app.world().contains_resource::<RayMap>() {
            error!("PhysicsPickingPlugin finds nothing: the app has no PickingPlugin, which DefaultPlugins contain");
        }
    }
}

/// The settings of [`PhysicsPickingPlugin`].
#[derive(Resource, Debug, Clone, PartialEq, Reflect)]
#[reflect(Resource, Clone, Debug, Default, PartialEq)]
pub struct PhysicsPickingSettings {
    /// True if only cameras and entities with [`PhysicsPickable`] take part.
    pub require_markers: bool,
    /// The greatest distance from the camera at which something is hit \[m\].
    pub max_distance: f32,
    /// Selects what is hit; all else lets pointers through.
    pub filter: QueryFilter,
}

impl Default for PhysicsPickingSettings {
    fn default() -> Self {
        Self { require_markers: false, max_distance: f32::MAX, filter: QueryFilter::default() }
    }
}

/// Marks cameras and entities that take part in picking, where [`PhysicsPickingSettings::require_markers`] asks for it.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Eq, Reflect)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
pub struct PhysicsPickable;

/// The part of an entity that picking looks at.
type Target<'a> = (Option<&'a RenderLayers>, Option<&'a Pickable>, Has<PhysicsPickable>);

/// The part of a camera that picking looks at.
type PickingCamera<'a> = (&'a Camera, Option<&'a RenderLayers>, Has<PhysicsPickable>);

/// Finds what is under the ray of a pointer.
#[derive(SystemParam)]
struct PickingQuery<'w, 's> {
    physics: Res<'w, Physics>,
    settings: Res<'w, PhysicsPickingSettings>,
    targets: Query<'w, 's, Target<'static>>,
}

impl PickingQuery<'_, '_> {
    /// Returns the entities on a ray that a camera sees, the nearest first, down to the first one that blocks.
    fn picks(&self, ray: Ray3d, camera: Entity, layers: &RenderLayers) -> Vec<(Entity, HitData)> {
        let mut picks = Vec::new();
        let mut passed = EntityHashSet::default();
        for hit in self.physics.ray_hits(ray, self.settings.max_distance, &self.settings.filter) {
            let Some(entity) = hit.entity else { break };
            let Ok((of_entity, pickable, is_marked)) = self.targets.get(entity) else { continue };
            let is_seen = layers.intersects(of_entity.unwrap_or_default());
            if !is_seen || (self.settings.require_markers && !is_marked) || !passed.insert(entity) {
                continue;
            }
            let data = HitData::new_with_extra(camera, hit.distance, Some(hit.point), Some(hit.normal), hit);
            picks.push((entity, data));
            if pickable.is_none_or(|pickable| pickable.should_block_lower) {
                break;
            }
        }
        picks
    }
}

fn send_hits(
    rays: Res<RayMap>,
    cameras: Query<PickingCamera, Without<Camera2d>>,
    query: PickingQuery,
    mut hits: MessageWriter<PointerHits>,
) {
    for (&RayId { camera: entity, pointer }, &ray) in rays.iter() {
        let Ok((camera, layers, is_marked)) = cameras.get(entity) else { continue };
        if query.settings.require_markers && !is_marked {
            continue;
        }
        let picks = query.picks(ray, entity, layers.unwrap_or_default());
        if !picks.is_empty() {
            hits.write(PointerHits::new(pointer, picks, camera.order as f32));
        }
    }
}
