//! Poses and velocities of bodies, written back to their entities.

use bevy::prelude::*;
use bevy_transform_interpolation::interpolation::{RotationInterpolation, TranslationInterpolation};
use bevy_transform_interpolation::{RotationEasingState, TranslationEasingState};
use xpbd_core::bodies::BodyKind;

use super::components::Sleeping;
use super::state::{BodySync, SleepChanges};
use crate::handle::BodyId;
use crate::material::{AngularVelocity, LinearVelocity};
use crate::physics::Physics;
use crate::report::EntityErrors;

/// The components that interpolate a body.
type Easing = (TranslationInterpolation, RotationInterpolation, TranslationEasingState, RotationEasingState);

/// The components that are written.
type Written<'w, 's> =
    Query<'w, 's, (&'static mut Transform, Option<&'static mut LinearVelocity>, Option<&'static mut AngularVelocity>)>;

pub(super) fn publish(
    mut commands: Commands,
    physics: Res<Physics>,
    mut slept: ResMut<SleepChanges>,
    mut bodies: Query<(Entity, &BodyId, &mut BodySync, Has<TranslationInterpolation>)>,
    mut written: Written,
    parents: Query<&ChildOf>,
    mut below: Local<Vec<(usize, Entity, Transform)>>,
) {
    slept.fell_asleep.clear();
    slept.woke_up.clear();
    let world = physics.world();
    for (entity, id, mut sync, eased) in &mut bodies {
        // A body that was removed by hand stays where it was.
        let Ok(asleep) = world.is_asleep(id.0) else { continue };
        let BodySync { description, transform, .. } = *sync;
        let is_carried = std::mem::take(&mut sync.is_carried);
        let is_dynamic = description.kind == BodyKind::Dynamic;
        if !(is_dynamic || is_carried) || (asleep && sync.is_asleep) {
            continue;
        }
        let Ok(body) = world.body(id.0) else { continue };
        if asleep && !sync.is_asleep {
            slept.fell_asleep.push(entity);
            fall_asleep(&mut commands.entity(entity), &mut sync, eased);
        } else if !asleep && sync.is_asleep {
            slept.woke_up.push(entity);
            wake_up(&mut commands.entity(entity), &mut sync);
        }
        let Ok((mut old, linear, angular)) = written.get_mut(entity) else { continue };
        if is_dynamic {
            (sync.linear_velocity, sync.angular_velocity) = (body.velocity, body.angular_velocity);
            if let Some(mut linear) = linear {
                linear.set_if_neq(LinearVelocity(body.velocity));
            }
            if let Some(mut angular) = angular {
                angular.set_if_neq(AngularVelocity(body.angular_velocity));
            }
        }
        sync.target = body.pose;
        let (translation, rotation) = (body.pose.translation, body.pose.rotation);
        let placed = Transform { translation, rotation, scale: transform.scale };
        if parents.contains(entity) {
            below.push((parents.iter_ancestors(entity).count(), entity, placed));
            continue;
        }
        sync.transform = placed;
        old.set_if_neq(placed);
    }
    slept.fell_asleep.sort_unstable();
    slept.woke_up.sort_unstable();
    // Transforms of children are relative to the new poses of their parents.
    below.sort_unstable_by_key(|&(depth, entity, _)| (depth, entity));
    for (_, entity, placed) in below.drain(..) {
        let Some(parent) = in_world(&written, &parents, entity) else { continue };
        let local = Transform {
            translation: parent.affine().inverse().transform_point3(placed.translation),
            rotation: (parent.rotation().inverse() * placed.rotation).normalize(),
            scale: placed.scale,
        };
        if let Ok((.., mut sync, _)) = bodies.get_mut(entity) {
            sync.transform = local;
        }
        if let Ok((mut transform, ..)) = written.get_mut(entity) {
            transform.set_if_neq(local);
        }
    }
}

/// The components that interpolate a body between two poses.
type EasingStates = (Option<&'static mut TranslationEasingState>, Option<&'static mut RotationEasingState>);

/// Writes the poses and velocities of bodies that a snapshot has restored.
pub(super) fn publish_restored(world: &mut World) {
    type Velocities = (Option<&'static mut LinearVelocity>, Option<&'static mut AngularVelocity>);
    let mut bodies = world.query::<(&BodySync, &mut Transform, Velocities, EasingStates)>();
    for (sync, mut transform, (linear, angular), (translation, rotation)) in bodies.iter_mut(world) {
        transform.set_if_neq(sync.transform);
        // Interpolation would go on to the pose that was taken back, if it had begun at the restored one.
        if let Some(mut state) = translation {
            *state = TranslationEasingState::default();
        }
        if let Some(mut state) = rotation {
            *state = RotationEasingState::default();
        }
        if let Some(mut linear) = linear {
            linear.set_if_neq(LinearVelocity(sync.linear_velocity));
        }
        if let Some(mut angular) = angular {
            angular.set_if_neq(AngularVelocity(sync.angular_velocity));
        }
    }
}

/// Marks a body as asleep. A sleeping body is not interpolated, so that nothing is written to it.
fn fall_asleep(entity: &mut EntityCommands<'_>, sync: &mut BodySync, is_interpolated: bool) {
    (sync.is_asleep, sync.is_interpolated) = (true, is_interpolated);
    entity.try_insert(Sleeping).try_remove::<Easing>();
}

/// Marks a body as awake, and interpolates it again if it was.
fn wake_up(entity: &mut EntityCommands<'_>, sync: &mut BodySync) {
    sync.is_asleep = false;
    entity.try_remove::<Sleeping>();
    if sync.is_interpolated {
        let Transform { translation, rotation, .. } = sync.transform;
        let translation = TranslationEasingState { start: Some(translation), end: None };
        let rotation = RotationEasingState { start: Some(rotation), end: None };
        entity.try_insert((TranslationInterpolation, RotationInterpolation, translation, rotation));
    }
}

/// Puts bodies to sleep that another system has marked as asleep.
pub(super) fn sleep_where_marked(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    mut bodies: Query<(Entity, &BodyId, &mut BodySync, Has<TranslationInterpolation>), With<Sleeping>>,
    mut errors: EntityErrors,
) {
    for (entity, id, mut sync, eased) in &mut bodies {
        if sync.is_asleep {
            continue;
        }
        match physics.world_mut().put_to_sleep(id.0) {
            Ok(()) => fall_asleep(&mut commands.entity(entity), &mut sync, eased),
            Err(error) => {
                commands.entity(entity).try_remove::<Sleeping>();
                errors.report(entity, "sleeping", error);
            }
        }
    }
}

/// Wakes a body that loses the component to another system.
pub(super) fn wake_when_removed(
    removed: On<Remove, Sleeping>,
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    mut bodies: Query<(&BodyId, &mut BodySync)>,
) {
    if let Ok((id, mut sync)) = bodies.get_mut(removed.entity)
        && sync.is_asleep
        && physics.world_mut().wake(id.0).is_ok()
    {
        wake_up(&mut commands.entity(removed.entity), &mut sync);
    }
}

/// Returns the transform of the parent of an entity in the world.
fn in_world(written: &Written, parents: &Query<&ChildOf>, entity: Entity) -> Option<GlobalTransform> {
    let mut sum = GlobalTransform::IDENTITY;
    for ancestor in parents.iter_ancestors(entity) {
        sum = *written.get(ancestor).ok()?.0 * sum;
    }
    Some(sum)
}
