//! Bodies and objects that are moved without a motion in between.

use bevy::prelude::*;
use bevy_transform_interpolation::{RotationEasingState, TranslationEasingState};
use parry3d::math::Pose;

use crate::body::{BodyId, BodySync};
use crate::handle::ObjectId;
use crate::object::pin::PinState;
use crate::physics::Physics;
use crate::report::EntityErrors;

/// Moves an entity at once: its body, or its cloth, rope, soft body or liquid, with its transform. Velocities turn with it,
/// and it gets none by the jump. Everything else stays; what is pinned to the entity goes with it in the next step.
///
/// The transform of a body may be written instead, but takes along what it touches if the body is kinematic. That of an
/// object of particles says where it was built, and moves only its pins.
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// fn lift_all(mut commands: Commands, flags: Query<Entity, With<Cloth>>) {
///     for entity in &flags {
///         commands.trigger(Teleport { entity, motion: Isometry3d::from_xyz(0.0, 10.0, 0.0) });
///     }
/// }
/// ```
#[derive(EntityEvent, Debug, Clone, Copy, PartialEq)]
pub struct Teleport {
    /// The entity to be moved.
    pub entity: Entity,
    /// The motion, in the world \[m\]: a rotation about its origin, then a translation.
    pub motion: Isometry3d,
}

/// The components of an entity that can be moved.
type Movable<'a> = (
    &'a mut Transform,
    Option<&'a ChildOf>,
    Option<&'a ObjectId>,
    Option<&'a mut PinState>,
    Option<(&'a BodyId, &'a mut BodySync)>,
    (Option<&'a mut TranslationEasingState>, Option<&'a mut RotationEasingState>),
);

pub(crate) fn build(app: &mut App) {
    app.add_observer(teleport);
}

fn teleport(
    jump: On<Teleport>,
    mut physics: ResMut<Physics>,
    mut entities: Query<Movable<'static>>,
    parents: Query<&GlobalTransform>,
    mut errors: EntityErrors,
) {
    let Teleport { entity, motion } = *jump;
    let pose = Pose::from_parts(motion.translation.into(), motion.rotation);
    if !(motion.translation.is_finite() && motion.rotation.is_finite()) {
        errors.report(entity, "teleport", "its motion must be finite");
        return;
    }
    let Ok((mut transform, parent, object, pins, body, (translation, rotation))) = entities.get_mut(entity) else {
        errors.report(entity, "teleport", "it has no transform");
        return;
    };
    if object.is_none() && body.is_none() {
        errors.report(entity, "teleport", "it is neither a body nor an object of particles, or is not built yet");
        return;
    }
    let frame = parent.and_then(|parent| parents.get(parent.parent()).ok()).copied().unwrap_or_default();
    let mut before = (frame * *transform).compute_transform();
    if let Some(Ok(of_body)) = body.as_ref().map(|(body, _)| physics.world().body_pose(body.handle())) {
        // The transform of a body may be drawn on the way between two steps.
        (before.translation, before.rotation) = (of_body.translation, of_body.rotation);
    }
    *transform = GlobalTransform::from(Transform::from_isometry(motion) * before).reparented_to(&frame);
    if let Some(mut state) = translation {
        (state.start, state.end) = (None, None);
    }
    if let Some(mut state) = rotation {
        (state.start, state.end) = (None, None);
    }
    // A stale handle is the only error that is left.
    if let Some(object) = object {
        physics.teleport_object(object.handle(), pose).ok();
    }
    if let Some(mut pins) = pins {
        pins.teleport(entity, motion);
    }
    if let Some((body, mut sync)) = body {
        sync.teleport(&mut physics, body.handle(), *transform, pose).ok();
    }
}
