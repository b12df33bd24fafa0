//! What is pinned is held, and moves with what holds it.

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use xpbd_core::world::{BatchHandle, ObjectHandle};
#[cfg(feature = "cloth")]
use xpbd_core::{bodies::BodyKind, world::BodyHandle};

use super::Pinned;
use crate::handle::ObjectId;
use crate::mesh::VertexMap;
use crate::physics::Physics;
use crate::report::EntityErrors;
use crate::schedule::{PrepareSystems, XpbdSystems, add_ordered_systems};

/// What holds particles of an object now.
#[derive(Component, Debug, Default)]
pub(crate) struct PinState {
    object: Option<ObjectHandle>,
    anchors: Vec<PinAnchor>,
    ties: Vec<BatchHandle>,
}

/// An entity, where it was last, and the particles that follow it with their places in its frame.
#[derive(Debug)]
struct PinAnchor {
    entity: Entity,
    last: GlobalTransform,
    points: Vec<(u32, Vec3)>,
}

pub(crate) fn build(app: &mut App, schedule: Interned<dyn ScheduleLabel>) {
    app.register_type::<Pinned>();
    add_ordered_systems(app, schedule, XpbdSystems::Prepare(PrepareSystems::Constraints), hold);
    add_ordered_systems(app, schedule, XpbdSystems::ApplyInputs, follow);
    app.add_observer(let_go);
}

/// Lets go of what is no longer pinned.
fn let_go(removed: On<Remove, Pinned>, mut held: Query<&mut PinState>, mut physics: ResMut<Physics>) {
    if let Ok(mut held) = held.get_mut(removed.entity) {
        held.release(&mut physics);
    }
}

impl PinState {
    fn release(&mut self, physics: &mut Physics) {
        let Some(object) = self.object.take() else { return };
        // What is stale has gone with its object.
        for (particle, _) in self.anchors.drain(..).flat_map(|anchor| anchor.points) {
            physics.world_mut().set_pinned(object, particle as usize, false).ok();
        }
        for tie in self.ties.drain(..) {
            physics.world_mut().remove_batch(tie).ok();
        }
    }
}

/// What pins can be new on.
type NewlyPinned = Or<(Changed<Pinned>, Changed<ObjectId>)>;

fn hold(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    mut pinned: Query<(Entity, &Pinned, &ObjectId, &VertexMap, Option<&mut PinState>), NewlyPinned>,
    transforms: TransformHelper,
    mut problems: EntityErrors,
) {
    for (entity, pinned, object, vertices, before) in &mut pinned {
        if let Some(mut before) = before {
            before.release(&mut physics);
        }
        let mut held = PinState { object: Some(object.0), ..PinState::default() };
        for (particles, to) in pinned.held(vertices) {
            let anchor = to.unwrap_or(entity);
            let transform = transforms.compute_global_transform(anchor).unwrap_or_else(|problem| {
                problems.report(entity, "pinned", problem);
                GlobalTransform::IDENTITY
            });
            if let Err(problem) = held.take(&mut physics, object.0, &particles, anchor, transform) {
                problems.report(entity, "pinned", problem);
            }
        }
        commands.entity(entity).try_insert(held);
    }
}

impl PinState {
    fn take(
        &mut self,
        physics: &mut Physics,
        object: ObjectHandle,
        particles: &[u32],
        entity: Entity,
        transform: GlobalTransform,
    ) -> Result<(), BevyError> {
        #[cfg(feature = "cloth")]
        if let Some(body) = physics.body_of(entity)
            && physics.world().body(body)?.kind == BodyKind::Dynamic
        {
            return self.tie(physics, object, particles, body);
        }
        let world = physics.world_mut();
        let into = transform.affine().inverse();
        let mut points = Vec::with_capacity(particles.len());
        for &particle in particles {
            let place = world.position(object, particle as usize)?;
            world.set_pinned(object, particle as usize, true)?;
            points.push((particle, into.transform_point3(place)));
        }
        self.anchors.push(PinAnchor { entity, last: transform, points });
        Ok(())
    }

    /// Holds what has come off a particle as it holds that.
    #[cfg(feature = "cloth")]
    pub(crate) fn split(&mut self, torn: &[xpbd_cloth::SplitVertex]) {
        for anchor in &mut self.anchors {
            for torn in torn {
                let point = anchor.points.iter().find(|(particle, _)| *particle == torn.particle);
                let twin = point.map(|&(_, place)| (torn.duplicate, place));
                anchor.points.extend(twin);
            }
        }
    }

    /// Ties particles to a body that they pull on.
    #[cfg(feature = "cloth")]
    fn tie(
        &mut self,
        physics: &mut Physics,
        object: ObjectHandle,
        particles: &[u32],
        body: BodyHandle,
    ) -> Result<(), BevyError> {
        let world = physics.world_mut();
        let pose = world.body_pose(body)?;
        let mut points = Vec::with_capacity(particles.len());
        for &particle in particles {
            world.set_pinned(object, particle as usize, false)?;
            points.push((particle, pose.inverse_transform_point(world.position(object, particle as usize)?)));
        }
        self.ties.push(world.add_batch(&[object], &[body], xpbd_cloth::attach(&points)?)?);
        Ok(())
    }
}

/// Moves what is held with what holds it.
fn follow(mut physics: ResMut<Physics>, mut held: Query<&mut PinState>, transforms: TransformHelper) {
    for mut held in &mut held {
        let PinState { object: Some(object), anchors, .. } = &mut *held else { continue };
        for anchor in anchors {
            // What held them may be gone: they stay.
            let Ok(now) = transforms.compute_global_transform(anchor.entity) else { continue };
            if now == anchor.last {
                continue;
            }
            anchor.last = now;
            for &(particle, point) in &anchor.points {
                // The object may be gone since.
                physics.world_mut().move_pinned(*object, particle as usize, now.transform_point(point)).ok();
            }
        }
    }
}
