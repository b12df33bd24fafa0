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
        if description.kind != BodyKind::Dynamic || (asleep && sync.is_asleep) {
            continue;
        }
        let Ok(body) = world.body(id.0) else { continue };
        if asleep != sync.is_asleep {
            sync.is_asleep = asleep;
            let mut entity = commands.entity(entity);
            if asleep {
                // A sleeping body is not interpolated, so that nothing is written to it.
                slept.fell_asleep.push(entity.id());
                sync.is_interpolated = eased;
                entity.try_insert(Sleeping).try_remove::<Easing>();
            } else {
                slept.woke_up.push(entity.id());
                entity.try_remove::<Sleeping>();
                if sync.is_interpolated {
                    let (start, end) = (Some(transform.translation), None);
                    let translation = TranslationEasingState { start, end };
                    let rotation = RotationEasingState { start: Some(transform.rotation), end: None };
                    entity.try_insert((TranslationInterpolation, RotationInterpolation, translation, rotation));
                }
            }
        }
        (sync.linear_velocity, sync.angular_velocity) = (body.velocity, body.angular_velocity);
        let Ok((mut old, linear, angular)) = written.get_mut(entity) else { continue };
        if let Some(mut linear) = linear {
            linear.set_if_neq(LinearVelocity(body.velocity));
        }
        if let Some(mut angular) = angular {
            angular.set_if_neq(AngularVelocity(body.angular_velocity));
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

/// Returns the transform of the parent of an entity in the world.
fn in_world(written: &Written, parents: &Query<&ChildOf>, entity: Entity) -> Option<GlobalTransform> {
    let mut sum = GlobalTransform::IDENTITY;
    for ancestor in parents.iter_ancestors(entity) {
        sum = *written.get(ancestor).ok()?.0 * sum;
    }
    Some(sum)
}
