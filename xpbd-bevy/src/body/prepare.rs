//! Bodies of the physics world from components.

use bevy::prelude::*;
use bevy_transform_interpolation::NoTransformEasing;
use bevy_transform_interpolation::extrapolation::TranslationExtrapolation;
use bevy_transform_interpolation::interpolation::{RotationInterpolation, TranslationInterpolation};
use xpbd_core::bodies::{self, Body, BodyKind};

use super::components::{LockedAxes, Mass, RigidBody, SleepingDisabled};
use super::mass::MassQuery;
use super::state::{BodiesToReweigh, BodyDescription, BodySync, InterpolateBodies, RejectedBody};
use crate::handle::BodyId;
use crate::material::{AngularDamping, AngularVelocity, GravityScale, LinearDamping, LinearVelocity};
use crate::physics::Physics;
use crate::pose::{PoseQuery, pose};
use crate::report::EntityErrors;

/// The components that describe a body.
pub(super) type Described<'a> = (
    Entity,
    Ref<'a, RigidBody>,
    Option<&'a Mass>,
    Option<&'a GravityScale>,
    (Option<&'a LinearDamping>, Option<&'a AngularDamping>),
    Option<&'a LockedAxes>,
    Has<SleepingDisabled>,
    (Option<&'a LinearVelocity>, Option<&'a AngularVelocity>),
    Option<(&'a BodyId, &'a mut BodySync)>,
    Option<&'a RejectedBody>,
);

/// Builds new bodies, and changes those whose description has changed.
pub(super) fn prepare(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    mut to_reweigh: ResMut<BodiesToReweigh>,
    mut described: Query<Described<'static>>,
    (masses, poses): (MassQuery, PoseQuery),
    mut errors: EntityErrors,
    interpolate: Res<InterpolateBodies>,
) {
    let mut waiting = Vec::new();
    for (entity, kind, mass, gravity, (linear, angular), locked, awake, velocity, built, rejected) in &mut described {
        let description = BodyDescription {
            kind: (*kind).into(),
            gravity_scale: gravity.copied().unwrap_or_default().0,
            linear_damping: linear.copied().unwrap_or_default().0,
            angular_damping: angular.copied().unwrap_or_default().0,
            locked_axes: locked.copied().unwrap_or_default(),
            can_sleep: !awake,
            mass: mass.copied(),
        };
        let has_new_mass = to_reweigh.0.contains(&entity);
        let Some((id, mut sync)) = built else {
            if has_new_mass || kind.is_changed() || rejected.is_none_or(|rejected| rejected.0 != description) {
                let [linear, angular] = [velocity.0.map(|linear| linear.0), velocity.1.map(|angular| angular.0)];
                waiting.push((entity, description, [linear, angular].map(Option::unwrap_or_default)));
            }
            continue;
        };
        if sync.description == description && !(has_new_mass && description.kind == BodyKind::Dynamic) {
            continue;
        }
        sync.description = description;
        if let Err(error) =
            weigh(&masses, entity, description).and_then(|mass| change(&mut physics, *id, description, mass))
        {
            errors.report(entity, "rigid body", error);
        }
    }
    to_reweigh.0.clear();
    // Bodies are added in the order of their entities, not of archetypes.
    waiting.sort_unstable_by_key(|&(entity, ..)| entity);
    for (entity, description, [linear_velocity, angular_velocity]) in waiting {
        let (Some(transform), Some(in_world)) = (poses.local(entity), poses.in_world(entity)) else { continue };
        let target = pose(in_world);
        let handle = weigh(&masses, entity, description).and_then(|mass| {
            let body = describe(Body::dynamic(target, bodies::Mass::new(1.0, Vec3::ONE)), description, mass);
            Ok(physics.world_mut().add_body(body.velocity(linear_velocity).angular_velocity(angular_velocity))?)
        });
        match handle {
            Ok(handle) => {
                let sync = BodySync {
                    description,
                    transform,
                    linear_velocity,
                    angular_velocity,
                    target,
                    is_asleep: false,
                    is_interpolated: false,
                    is_carried: false,
                };
                commands.entity(entity).try_insert((BodyId(handle), sync)).try_remove::<RejectedBody>();
                if description.kind == BodyKind::Dynamic && interpolate.0 {
                    commands.entity(entity).queue_silenced(insert_interpolation);
                }
            }
            Err(error) => {
                errors.report(entity, "rigid body", error);
                commands.entity(entity).try_insert(RejectedBody(description));
            }
        }
    }
}

/// Returns the mass of a dynamic body; none of another, whose mass has no effect.
fn weigh(masses: &MassQuery, entity: Entity, description: BodyDescription) -> Result<Option<bodies::Mass>, BevyError> {
    if description.kind != BodyKind::Dynamic {
        return Ok(None);
    }
    let mass = masses.weigh(entity, description.mass);
    Ok(Some(mass.map_err(|error| format!("{error}; add a collider with a volume, or a `Mass`"))?))
}

/// Writes a description to a body that differs from it.
fn change(
    physics: &mut Physics,
    id: BodyId,
    description: BodyDescription,
    mass: Option<bodies::Mass>,
) -> Result<(), BevyError> {
    let differs = |body: &Body| *body != describe(*body, description, mass);
    if physics.world().body(id.0).is_ok_and(|body| differs(&body)) {
        physics.world_mut().edit_body(id.0, |body| *body = describe(*body, description, mass))?;
    }
    Ok(())
}

fn describe(body: Body, description: BodyDescription, mass: Option<bodies::Mass>) -> Body {
    Body {
        kind: description.kind,
        mass: mass.unwrap_or(body.mass),
        gravity_scale: description.gravity_scale,
        linear_damping: description.linear_damping,
        angular_damping: description.angular_damping,
        locked_axes: description.locked_axes.into(),
        can_sleep: description.can_sleep,
        ..body
    }
}

/// Interpolates a body between steps, unless its entity asks for something else.
pub(crate) fn insert_interpolation(mut entity: EntityWorldMut) {
    if !entity.contains::<NoTransformEasing>() && !entity.contains::<TranslationExtrapolation>() {
        entity.insert_if_new((TranslationInterpolation, RotationInterpolation));
    }
}
