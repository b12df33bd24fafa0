//! Bodies and objects that are moved without a motion in between.

use bevy::ecs::query::QueryData;
use bevy::prelude::*;
use bevy_transform_interpolation::{RotationEasingState, TranslationEasingState};
use parry3d::math::Pose;

use crate::body::{BodyId, BodySync};
use crate::handle::ObjectId;
use crate::object::ObjectTransform;
use crate::object::pin::PinState;
use crate::physics::Physics;
use crate::report::EntityErrors;

/// Moves an entity at once: its body, or its cloth, rope, soft body or liquid, with its transform. Velocities turn with it,
/// and it gets none by the jump. What is pinned to it goes along whole, if the entity holds most of the pins. Everything else
/// stays.
///
/// The transform of a dynamic body or of an object that nothing holds may be written instead. That of a kinematic body takes
/// along what it touches, and that of an object which is pinned to it moves the pins.
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
    (Option<&'a mut PinState>, Option<&'a mut ObjectTransform>),
    Option<(&'a BodyId, &'a mut BodySync)>,
    (Option<&'a mut TranslationEasingState>, Option<&'a mut RotationEasingState>),
);

/// The pins of an object.
type Attached<'a> = (Entity, &'a mut PinState);

/// The components of one entity that is moved.
type MovableItem<'w, 's> = <Movable<'static> as QueryData>::Item<'w, 's>;

pub(crate) fn build(app: &mut App) {
    app.add_observer(teleport);
}

fn teleport(
    jump: On<Teleport>,
    mut physics: ResMut<Physics>,
    mut entities: ParamSet<(Query<Movable<'static>>, Query<Attached<'static>>)>,
    parents: Query<&GlobalTransform>,
    mut errors: EntityErrors,
) {
    let Teleport { entity, motion } = *jump;
    if !(motion.translation.is_finite() && motion.rotation.is_finite()) {
        errors.report(entity, "teleport", "its motion must be finite");
        return;
    }
    match entities.p0().get_mut(entity) {
        Err(_) => return errors.report(entity, "teleport", "it has no transform"),
        Ok(parts) if parts.2.is_none() && parts.4.is_none() => {
            let problem = "it is neither a body nor an object of particles, or is not built yet";
            return errors.report(entity, "teleport", problem);
        }
        Ok(parts) => move_entity(entity, parts, motion, &mut physics, &parents),
    }
    for (_, mut pins) in entities.p1().iter_mut().filter(|(other, _)| *other != entity) {
        pins.teleport_with(entity, motion, &mut physics);
    }
}

fn move_entity(
    entity: Entity,
    (mut transform, parent, object, (pins, known), body, (translation, rotation)): MovableItem<'_, '_>,
    motion: Isometry3d,
    physics: &mut Physics,
    parents: &Query<&GlobalTransform>,
) {
    let pose = Pose::from_parts(motion.translation.into(), motion.rotation);
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
    if let Some(mut known) = known {
        known.teleport(*transform, motion);
    }
    if let Some((body, mut sync)) = body {
        sync.teleport(physics, body.handle(), *transform, pose).ok();
    }
}
