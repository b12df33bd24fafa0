//! Bodies are written back to their entities.

use bevy::prelude::*;
use bevy_transform_interpolation::interpolation::{RotationInterpolation, TranslationInterpolation};
use bevy_transform_interpolation::{RotationEasingState, TranslationEasingState};
use xpbd_core::bodies::BodyKind;

use super::{BodyId, BodySync, SleepChanges, Sleeping};
use crate::material::Velocity;
use crate::physics::Physics;

/// What interpolates a body.
type Easing = (TranslationInterpolation, RotationInterpolation, TranslationEasingState, RotationEasingState);

/// What is written.
type Written<'w, 's> = Query<'w, 's, (&'static mut Transform, Option<&'static mut Velocity>)>;

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
    for (entity, id, mut live, eased) in &mut bodies {
        // A body that was removed by hand stays where it was.
        let Ok(asleep) = world.is_asleep(id.0) else { continue };
        let BodySync { described, transform, .. } = *live;
        if described.kind != BodyKind::Dynamic || (asleep && live.asleep) {
            continue;
        }
        let Ok(body) = world.body(id.0) else { continue };
        if asleep != live.asleep {
            live.asleep = asleep;
            let mut entity = commands.entity(entity);
            if asleep {
                // What sleeps is not eased, so that nothing is written to it.
                slept.fell_asleep.push(entity.id());
                live.eased = eased;
                entity.try_insert(Sleeping).try_remove::<Easing>();
            } else {
                slept.woke_up.push(entity.id());
                entity.try_remove::<Sleeping>();
                if live.eased {
                    let (start, end) = (Some(transform.translation), None);
                    let translation = TranslationEasingState { start, end };
                    let rotation = RotationEasingState { start: Some(transform.rotation), end: None };
                    entity.try_insert((TranslationInterpolation, RotationInterpolation, translation, rotation));
                }
            }
        }
        live.velocity = Velocity { linear: body.velocity, angular: body.angular_velocity };
        let Ok((mut old, velocity)) = written.get_mut(entity) else { continue };
        if let Some(mut velocity) = velocity {
            velocity.set_if_neq(live.velocity);
        }
        live.target = body.pose;
        let (translation, rotation) = (body.pose.translation, body.pose.rotation);
        let placed = Transform { translation, rotation, scale: transform.scale };
        if parents.contains(entity) {
            below.push((parents.iter_ancestors(entity).count(), entity, placed));
            continue;
        }
        live.transform = placed;
        old.set_if_neq(placed);
    }
    slept.fell_asleep.sort_unstable();
    slept.woke_up.sort_unstable();
    // Those that are children are written with respect to where their parents now are.
    below.sort_unstable_by_key(|&(depth, entity, _)| (depth, entity));
    for (_, entity, placed) in below.drain(..) {
        let Some(parent) = in_world(&written, &parents, entity) else { continue };
        let turn = parent.rotation().inverse();
        let local = Transform {
            translation: parent.affine().inverse().transform_point3(placed.translation),
            rotation: (turn * placed.rotation).normalize(),
            scale: placed.scale,
        };
        if let Ok((.., mut live, _)) = bodies.get_mut(entity) {
            live.transform = local;
        }
        if let Ok((mut transform, _)) = written.get_mut(entity) {
            transform.set_if_neq(local);
        }
    }
}

/// Returns where the parent of an entity is.
fn in_world(written: &Written, parents: &Query<&ChildOf>, entity: Entity) -> Option<GlobalTransform> {
    let mut sum = GlobalTransform::IDENTITY;
    for ancestor in parents.iter_ancestors(entity) {
        sum = *written.get(ancestor).ok()?.0 * sum;
    }
    Some(sum)
}
