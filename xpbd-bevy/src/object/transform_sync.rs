//! The transforms of entities go with objects that nothing holds, and move them.

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use xpbd_core::world::ObjectHandle;

use super::pin::Pinned;
use super::transform::ObjectTransform;
#[cfg(feature = "cloth")]
use super::{rod::Clamped, rope::Winch, skin_attachment::SkinAttachment};
use crate::handle::ObjectId;
use crate::physics::Physics;
use crate::pose::rigid_motion;
use crate::report::EntityErrors;
use crate::schedule::{XpbdSystems, add_ordered_systems};
use crate::snapshot::save_component_and_put_back;

pub(crate) fn build(app: &mut App, schedule: Interned<dyn ScheduleLabel>) {
    add_ordered_systems(app, schedule, XpbdSystems::ApplyInputs, follow_writes);
    add_ordered_systems(app, schedule, XpbdSystems::Writeback, publish);
    save_component_and_put_back::<ObjectTransform>(app);
}

/// The components by which something holds an object, the other kinds as whether they are there.
#[cfg(feature = "cloth")]
type Holders = (Option<&'static Pinned>, Has<Winch>, Has<Clamped>, Has<SkinAttachment>);
/// The components by which something holds an object.
#[cfg(not(feature = "cloth"))]
type Holders = (Option<&'static Pinned>, Has<NotHeld>, Has<NotHeld>, Has<NotHeld>);

/// Stands for the holders that there are with cloth.
#[cfg(not(feature = "cloth"))]
#[derive(Component)]
struct NotHeld;

/// An object and where its entity is.
type Placed<'a> = (&'a ObjectId, &'a mut Transform, &'a mut ObjectTransform, Option<&'a ChildOf>);

/// The holders of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HeldBy {
    Nothing,
    /// Its own entity, among others.
    ItsEntity,
    Others,
}

impl HeldBy {
    fn of(entity: Entity, (pinned, has_winch, is_clamped, is_on_skin): (Option<&Pinned>, bool, bool, bool)) -> Self {
        let is_pinned_to_itself =
            |pinned: &Pinned| pinned.pins.iter().any(|pin| pin.held_by.is_none_or(|holder| holder == entity));
        match pinned.filter(|pinned| !pinned.pins.is_empty()) {
            _ if has_winch || is_clamped => Self::ItsEntity,
            Some(pinned) if is_pinned_to_itself(pinned) => Self::ItsEntity,
            None if !is_on_skin => Self::Nothing,
            _ => Self::Others,
        }
    }
}

/// Moves objects that are free to where their transforms have been written, and refuses what would tear others off.
fn follow_writes(
    mut physics: ResMut<Physics>,
    mut objects: Query<(Entity, Placed<'static>, Holders)>,
    parents: Query<&GlobalTransform>,
    mut errors: EntityErrors,
) {
    for (entity, (id, mut transform, mut known, parent), holders) in &mut objects {
        let held = HeldBy::of(entity, holders);
        if known.object != Some(id.handle()) || held == HeldBy::ItsEntity {
            let mean = if held == HeldBy::ItsEntity { None } else { mean(&physics, id.handle()) };
            *known = ObjectTransform { object: Some(id.handle()), transform: *transform, mean };
            continue;
        }
        if known.mean.is_none() {
            (known.mean, known.transform) = (mean(&physics, id.handle()), *transform);
        }
        if *transform == known.transform {
            continue;
        }
        let problem = if held == HeldBy::Others {
            Some("something else holds its object; move that, and this follows")
        } else if transform.scale != known.transform.scale {
            Some("the scale of an object that is there does not change; build it anew")
        } else {
            None
        };
        if let Some(problem) = problem {
            errors.report(entity, "transform", problem);
            *transform = known.transform;
            continue;
        }
        let frame = frame_of(parent, &parents);
        let motion = rigid_motion(frame * known.transform, frame * *transform);
        if !transform.is_finite() || physics.teleport_object(id.handle(), motion).is_err() {
            errors.report(entity, "transform", "it must be finite");
            *transform = known.transform;
            continue;
        }
        known.teleport(*transform, Isometry3d::new(motion.translation, motion.rotation));
    }
}

/// Moves the entities of objects that nothing holds by as much as the means of their particles have moved.
fn publish(physics: Res<Physics>, mut objects: Query<Placed<'static>>, parents: Query<&GlobalTransform>) {
    for (id, mut transform, mut known, parent) in &mut objects {
        let Some(before) = known.mean.filter(|_| known.object == Some(id.handle())) else { continue };
        let Some(now) = mean(&physics, id.handle()).filter(|&now| now != before) else { continue };
        let way = match parent {
            None => now - before,
            Some(_) => frame_of(parent, &parents).affine().inverse().transform_vector3(now - before),
        };
        // What was written since is followed in the next step.
        known.transform.translation += way;
        transform.translation += way;
        known.mean = Some(now);
    }
}

/// Returns the transform of a parent in the world.
fn frame_of(parent: Option<&ChildOf>, parents: &Query<&GlobalTransform>) -> GlobalTransform {
    parent.and_then(|parent| parents.get(parent.parent()).ok()).copied().unwrap_or_default()
}

/// Returns the mean of the particles of an object \[m\]; none if it has none, or they are not finite.
fn mean(physics: &Physics, object: ObjectHandle) -> Option<Vec3> {
    let world = physics.world();
    let places = world.packed_positions(object).ok()?;
    let (sum, count) = world
        .active_particles(object)
        .ok()?
        .fold((Vec3::ZERO, 0.0), |(sum, count), k| (sum + places[k as usize].truncate(), count + 1.0));
    let mean = sum / count;
    mean.is_finite().then_some(mean)
}
