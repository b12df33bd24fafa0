//! From components to joints.

use bevy::prelude::*;
use xpbd_core::world::{BodyHandle, UpdateOutcome};
use xpbd_rigid::joint::{JointError, JointPlacement};

use super::{AxisLimits, AxisMotor, Joint, JointId, JointKind};
use crate::handle::BodyId;
use crate::physics::Physics;
use crate::report::EntityErrors;

/// It could not be made between these bodies.
#[derive(Component)]
pub(super) struct Refused([Option<BodyHandle>; 2]);

/// The description whose numbers a joint has.
#[derive(Component, Clone)]
pub(super) struct DescribedJoint {
    kind: JointKind,
    /// Its frames on the bodies, where they were when it was first made.
    placement: JointPlacement,
}

impl DescribedJoint {
    /// Returns the frames of a joint that is made anew: those on the bodies, unless it has been given others.
    fn placement_of(&self, kind: &JointKind) -> JointPlacement {
        let (mut before, mut after) = (self.kind.clone(), kind.clone());
        if before.placement() == after.placement() { self.placement } else { *after.placement() }
    }
}

/// A joint, and what has been made of it.
type Tied<'a> = (
    Entity,
    Ref<'a, Joint>,
    (Option<&'a AxisMotor>, Option<&'a AxisLimits>),
    Option<&'a JointId>,
    Option<&'a mut DescribedJoint>,
    Option<&'a Refused>,
);

/// Makes joints that are new, or whose bodies are; writes changed numbers to those that are there, and makes anew those that
/// have changed in more; takes out those whose bodies have gone.
pub(super) fn tie(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    mut joints: Query<Tied<'static>>,
    bodies: Query<&BodyId>,
    mut problems: EntityErrors,
) {
    let mut waiting = Vec::new();
    for (entity, joint, (motor, limits), id, described, refused) in &mut joints {
        let body = |entity| bodies.get(entity).ok().map(|id| id.handle());
        let a = joint.a.map(body);
        let (false, Some(b)) = (a == Some(None), body(joint.b)) else {
            if id.is_some() {
                commands.entity(entity).try_remove::<JointId>();
            }
            continue;
        };
        let pair = [a.flatten(), Some(b)];
        let made = id.filter(|id| id.bodies() == pair).zip(described);
        let before = made.as_ref().map(|(_, described)| &described.kind);
        let kind = joint.kind.with(motor.map(|motor| motor.0), limits.map(|limits| limits.0), before);
        let kind = kind.unwrap_or_else(|problem| {
            problems.report(entity, "joint", problem);
            joint.kind.clone()
        });
        let is_new = made.is_none() && refused.is_none_or(|refused| refused.0 != pair);
        let has_changed = joint.is_changed() || made.as_ref().is_some_and(|(_, described)| described.kind != kind);
        if is_new || has_changed {
            waiting.push((entity, kind, pair[0], b, made));
        }
    }
    // The order of the world's joints is that of their entities, not of archetypes.
    waiting.sort_unstable_by_key(|all| all.0);
    for (entity, kind, a, b, made) in waiting {
        let is_made = made.is_some();
        let mut placed = kind.clone();
        if let Some((_, described)) = &made {
            *placed.placement() = described.placement_of(&kind);
        }
        let placement = placed.placement().on_bodies(physics.world(), a, b);
        let updated = made.map(|(id, described)| update(&mut physics, &kind, id, described));
        let added = match updated {
            Some(Ok(UpdateOutcome::Updated)) => continue,
            Some(Err(problem)) => Err(problem),
            Some(Ok(UpdateOutcome::TopologyDiffers)) | None => placed.add(physics.world_mut(), a, b),
        };
        let mut entity = commands.entity(entity);
        match added.and_then(|handle| Ok((handle, placement?))) {
            Ok((handle, placement)) => {
                let ground = a.is_none().then(|| handle.bodies()[0]);
                let described = DescribedJoint { kind, placement };
                entity.try_insert((JointId { handle, ground }, described)).try_remove::<Refused>();
            }
            Err(problem) => {
                problems.report(entity.id(), "joint", problem);
                // A description that becomes invalid leaves the joint as it is.
                if !is_made {
                    entity.try_remove::<JointId>().try_insert(Refused([a, Some(b)]));
                }
            }
        }
    }
}

/// Writes the numbers of a joint that have changed; nothing if that was taken out of the world.
fn update(
    physics: &mut Physics,
    kind: &JointKind,
    id: &JointId,
    mut described: Mut<'_, DescribedJoint>,
) -> Result<UpdateOutcome, JointError> {
    let handle = id.handle();
    if handle.is_broken(physics.world()).is_err() {
        return Ok(UpdateOutcome::TopologyDiffers);
    }
    let outcome = kind.update(physics.world_mut(), handle, &described.kind)?;
    if outcome == UpdateOutcome::Updated {
        described.kind = kind.clone();
    }
    Ok(outcome)
}

/// Takes out the joint with the component that described it.
pub(super) fn untie(removed: On<Remove, Joint>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<(JointId, DescribedJoint, Refused)>();
}
