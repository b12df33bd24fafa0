//! From components to bodies.

use bevy::prelude::*;
use bevy_transform_interpolation::NoTransformEasing;
use bevy_transform_interpolation::extrapolation::TranslationExtrapolation;
use bevy_transform_interpolation::interpolation::{RotationInterpolation, TranslationInterpolation};
use xpbd_core::bodies::{self, Body, BodyKind};

use super::mass::MassQuery;
use super::pose::{PoseQuery, pose};
use super::{
    BodiesToReweigh, BodyId, BodySync, Described, InterpolateBodies, LockedAxes, Mass, Refused, RigidBody,
    SleepingDisabled,
};
use crate::entity_errors::EntityErrors;
use crate::material::{Damping, GravityScale, Velocity};
use crate::physics::Physics;

/// What is said of a body.
pub(super) type Said<'a> = (
    Entity,
    Ref<'a, RigidBody>,
    Option<&'a Mass>,
    Option<&'a GravityScale>,
    Option<&'a Damping>,
    Option<&'a LockedAxes>,
    Has<SleepingDisabled>,
    Option<&'a Velocity>,
    Option<(&'a BodyId, &'a mut BodySync)>,
    Option<&'a Refused>,
);

/// Makes what is new, and changes what is said otherwise than before.
pub(super) fn prepare(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    mut reweighed: ResMut<BodiesToReweigh>,
    mut bodies: Query<Said<'static>>,
    (scales, poses): (MassQuery, PoseQuery),
    mut problems: EntityErrors,
    eases: Res<InterpolateBodies>,
) {
    let mut waiting = Vec::new();
    for (entity, kind, mass, gravity, damping, locked, restless, velocity, live, refused) in &mut bodies {
        let described = Described {
            kind: (*kind).into(),
            gravity: gravity.copied().unwrap_or_default(),
            damping: damping.copied().unwrap_or_default(),
            locked: locked.copied().unwrap_or_default(),
            can_sleep: !restless,
            mass: mass.copied(),
        };
        let reweighed = reweighed.0.contains(&entity);
        let Some((id, mut live)) = live else {
            if reweighed || kind.is_changed() || refused.is_none_or(|refused| refused.0 != described) {
                waiting.push((entity, described, velocity.copied().unwrap_or_default()));
            }
            continue;
        };
        if live.described == described && !(reweighed && described.kind == BodyKind::Dynamic) {
            continue;
        }
        live.described = described;
        let changed = weigh(&scales, entity, described).and_then(|mass| {
            let unlike = |body: &Body| *body != describe(*body, described, mass);
            if physics.world().body(id.0).is_ok_and(|body| unlike(&body)) {
                physics.world_mut().edit_body(id.0, |body| *body = describe(*body, described, mass))?;
            }
            Ok(())
        });
        if let Err(problem) = changed {
            problems.report(entity, "rigid body", problem);
        }
    }
    reweighed.0.clear();
    // The order of the world's bodies is that of their entities, not of archetypes.
    waiting.sort_unstable_by_key(|&(entity, ..)| entity);
    for (entity, described, velocity) in waiting {
        let (Some(transform), Some(place)) = (poses.local(entity), poses.in_world(entity)) else { continue };
        let target = pose(place);
        let handle = weigh(&scales, entity, described).and_then(|mass| {
            let body = describe(Body::dynamic(target, bodies::Mass::new(1.0, Vec3::ONE)), described, mass);
            Ok(physics.world_mut().add_body(body.velocity(velocity.linear).angular_velocity(velocity.angular))?)
        });
        match handle {
            Ok(handle) => {
                let live = BodySync { described, transform, velocity, target, asleep: false, eased: false };
                commands.entity(entity).try_insert((BodyId(handle), live)).try_remove::<Refused>();
                if described.kind == BodyKind::Dynamic && eases.0 {
                    commands.entity(entity).queue_silenced(ease);
                }
            }
            Err(problem) => {
                problems.report(entity, "rigid body", problem);
                commands.entity(entity).try_insert(Refused(described));
            }
        }
    }
}

/// Returns the mass of a body, any at all if it does not matter.
fn weigh(scales: &MassQuery, entity: Entity, described: Described) -> Result<Option<bodies::Mass>, BevyError> {
    if described.kind != BodyKind::Dynamic {
        return Ok(None);
    }
    let weighed = scales.weigh(entity, described.mass);
    Ok(Some(weighed.map_err(|problem| format!("{problem}: it needs a collider with a volume, or a Mass"))?))
}

fn describe(body: Body, described: Described, mass: Option<bodies::Mass>) -> Body {
    Body {
        kind: described.kind,
        mass: mass.unwrap_or(body.mass),
        gravity_scale: described.gravity.0,
        linear_damping: described.damping.linear,
        angular_damping: described.damping.angular,
        locked_axes: described.locked.into(),
        can_sleep: described.can_sleep,
        ..body
    }
}

/// Lets a body be interpolated, unless it is to be drawn otherwise.
fn ease(mut entity: EntityWorldMut) {
    if !entity.contains::<NoTransformEasing>() && !entity.contains::<TranslationExtrapolation>() {
        entity.insert_if_new((TranslationInterpolation, RotationInterpolation));
    }
}
