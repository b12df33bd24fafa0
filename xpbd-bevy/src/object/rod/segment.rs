//! What rides on segments of rods.

use bevy::ecs::entity::MapEntities;
use bevy::ecs::reflect::ReflectMapEntities;
use bevy::prelude::*;

use super::RodId;
use crate::physics::Physics;
use crate::report::EntityErrors;

/// Puts an entity into the middle of a segment of a rod after every step, its z axis along the rod and its x axis as the
/// rod's [`normal`](super::Rod::normal) is turned there; its scale stays. What is to be beside the rod is a child of it.
///
/// [`TransformInterpolation`](crate::body::TransformInterpolation) beside it eases it between steps.
#[derive(Component, MapEntities, Debug, Clone, Copy, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, PartialEq, MapEntities)]
#[component(map_entities)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(Transform)]
pub struct SegmentAttachment {
    /// The entity of the rod.
    #[entities]
    pub rod: Entity,
    /// The segment, from 0.
    pub segment: u32,
}

pub(super) fn ride(
    physics: Res<Physics>,
    rods: Query<&RodId>,
    riders: Query<(Entity, &SegmentAttachment, Option<&ChildOf>)>,
    mut transforms: ParamSet<(TransformHelper, Query<&mut Transform>)>,
    mut problems: EntityErrors,
) {
    for (entity, rider, parent) in &riders {
        // A rod that is not there yet, or no longer, moves nothing.
        let Ok(rod) = rods.get(rider.rod) else { continue };
        let pose = match rod.handle().segment_pose(physics.world(), rider.segment as usize) {
            Ok(pose) => pose,
            Err(problem) => {
                problems.report(entity, "on a segment", problem);
                continue;
            }
        };
        let placed = Transform::from_translation(pose.translation).with_rotation(pose.rotation);
        let parent = parent.and_then(|parent| transforms.p0().compute_global_transform(parent.parent()).ok());
        let local = match parent {
            Some(parent) => GlobalTransform::from(placed).reparented_to(&parent),
            None => placed,
        };
        if let Ok(mut transform) = transforms.p1().get_mut(entity) {
            transform.set_if_neq(Transform { scale: transform.scale, ..local });
        }
    }
}
