//! Pinned particles are held, and move with the entities that hold them.

use std::collections::{BTreeMap, BTreeSet};

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use parry3d::math::Pose;
use xpbd_core::world::ObjectHandle;
#[cfg(feature = "cloth")]
use xpbd_core::{
    bodies::BodyKind,
    world::{BatchHandle, BodyHandle},
};

use super::Pinned;
use crate::handle::ObjectId;
use crate::mesh::VertexMap;
use crate::physics::Physics;
use crate::pose::{FASTEST_HOLDER, rigid_motion};
use crate::report::EntityErrors;
use crate::schedule::{PrepareSystems, XpbdSystems, add_ordered_systems};
use crate::snapshot::save_component;
use crate::time::StepLength;

/// The pins of an object: the holder of each held particle.
#[derive(Component, Debug, Default, Clone)]
pub(crate) struct PinState {
    object: Option<ObjectHandle>,
    anchors: Vec<PinAnchor>,
    #[cfg(feature = "cloth")]
    attachments: Vec<BodyAttachment>,
}

/// An entity and the particles that follow its transform.
#[derive(Debug, Clone)]
struct PinAnchor {
    entity: Entity,
    /// The transform that the particles last followed.
    last: GlobalTransform,
    /// The particles with their positions \[m\] in the frame of the entity.
    points: Vec<(u32, Vec3)>,
}

/// Particles that are attached to a dynamic body, which they pull on.
#[cfg(feature = "cloth")]
#[derive(Debug, Clone)]
struct BodyAttachment {
    body: BodyHandle,
    /// The pose of the body before the last step.
    last: Pose,
    particles: Vec<u32>,
    batch: BatchHandle,
}

pub(crate) fn build(app: &mut App, schedule: Interned<dyn ScheduleLabel>) {
    app.register_type::<Pinned>();
    add_ordered_systems(app, schedule, XpbdSystems::Prepare(PrepareSystems::Constraints), update_pins);
    add_ordered_systems(app, schedule, XpbdSystems::ApplyInputs, follow);
    app.add_observer(release_pins);
    save_component::<PinState>(app);
}

/// Releases all particles when pins are removed.
fn release_pins(removed: On<Remove, Pinned>, mut states: Query<&mut PinState>, mut physics: ResMut<Physics>) {
    if let Ok(mut state) = states.get_mut(removed.entity) {
        state.release(&mut physics);
    }
}

/// Selects pins that have changed, or whose object is new.
type ChangedPins = Or<(Changed<Pinned>, Changed<ObjectId>)>;

/// Holds what is newly pinned and releases what is no longer; the other pins stay as they are.
fn update_pins(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    mut pinned: Query<(Entity, &Pinned, &ObjectId, &VertexMap, Option<&mut PinState>), ChangedPins>,
    transforms: TransformHelper,
    mut errors: EntityErrors,
) {
    let mut waiting: Vec<_> = pinned.iter_mut().collect();
    // Constraints are added in the order of their entities, not of archetypes.
    waiting.sort_unstable_by_key(|all| all.0);
    for (entity, pinned, object, vertices, before) in waiting {
        let mut state = before.map(|mut state| std::mem::take(&mut *state)).unwrap_or_default();
        if state.object != Some(object.handle()) {
            state.release(&mut physics);
        }
        for problem in pinned.pins.iter().filter_map(|pin| pin.selection.problem(vertices)) {
            errors.report(entity, "pinned", problem);
        }
        let held = pinned.held(vertices).into_iter().map(|(particles, holder)| (particles, holder.unwrap_or(entity)));
        state.update(&mut physics, object.handle(), held.collect(), &transforms, |error| {
            errors.report(entity, "pinned", error);
        });
        commands.entity(entity).try_insert(state);
    }
}

impl PinState {
    /// Releases all particles.
    fn release(&mut self, physics: &mut Physics) {
        let state = std::mem::take(self);
        let Some(object) = state.object else { return };
        // A stale handle has gone together with its object.
        for (particle, _) in state.anchors.into_iter().flat_map(|anchor| anchor.points) {
            physics.world_mut().set_pinned(object, particle as usize, false).ok();
        }
        #[cfg(feature = "cloth")]
        for attachment in state.attachments {
            physics.world_mut().remove_batch(attachment.batch).ok();
        }
    }

    /// Lets each group of particles be held by its entity; what is held so already stays.
    fn update(
        &mut self,
        physics: &mut Physics,
        object: ObjectHandle,
        held: Vec<(Vec<u32>, Entity)>,
        transforms: &TransformHelper,
        mut report: impl FnMut(BevyError),
    ) {
        self.object = Some(object);
        #[cfg(feature = "cloth")]
        let held = self.update_attachments(physics, object, held, &mut report);
        let wanted: BTreeSet<u32> = held.iter().flat_map(|(particles, _)| particles.iter().copied()).collect();
        let before: BTreeMap<Entity, PinAnchor> =
            std::mem::take(&mut self.anchors).into_iter().map(|anchor| (anchor.entity, anchor)).collect();
        for (particle, _) in before.values().flat_map(|anchor| &anchor.points) {
            if !wanted.contains(particle) {
                physics.world_mut().set_pinned(object, *particle as usize, false).ok();
            }
        }
        for (particles, entity) in held {
            // A holder that is gone is reported when what it holds is moved.
            let now = transforms.compute_global_transform(entity).unwrap_or_default();
            match anchor(physics, object, &particles, (entity, now), before.get(&entity)) {
                Ok(anchor) => match self.anchors.iter_mut().find(|other| other.entity == entity) {
                    Some(other) => other.points.extend(anchor.points),
                    None => self.anchors.push(anchor),
                },
                Err(error) => report(error),
            }
        }
    }

    /// Attaches groups of particles to the dynamic bodies that hold them, and returns the other groups.
    #[cfg(feature = "cloth")]
    fn update_attachments(
        &mut self,
        physics: &mut Physics,
        object: ObjectHandle,
        held: Vec<(Vec<u32>, Entity)>,
        report: &mut impl FnMut(BevyError),
    ) -> Vec<(Vec<u32>, Entity)> {
        let mut before = std::mem::take(&mut self.attachments);
        let mut others = Vec::new();
        let mut wanted = Vec::new();
        for (particles, entity) in held {
            let body = physics.body_of(entity);
            match body.filter(|&body| physics.world().body(body).is_ok_and(|body| body.kind == BodyKind::Dynamic)) {
                Some(body) => wanted.push((particles, body)),
                None => others.push((particles, entity)),
            }
        }
        before.retain(|attachment| {
            let stays = physics.world().batch(attachment.batch).is_ok()
                && wanted.iter().any(|(particles, body)| attachment.holds(particles, *body));
            if !stays {
                physics.world_mut().remove_batch(attachment.batch).ok();
            }
            stays
        });
        for (particles, body) in wanted {
            let kept = before.iter().position(|attachment| attachment.holds(&particles, body));
            match kept.map_or_else(|| attach(physics, object, particles, body), |k| Ok(before.swap_remove(k))) {
                Ok(attachment) => self.attachments.push(attachment),
                Err(error) => report(error),
            }
        }
        others
    }

    /// Takes note that an entity has been teleported together with its object, by this motion of the world.
    pub(crate) fn teleport(&mut self, entity: Entity, motion: Isometry3d) {
        for anchor in self.anchors.iter_mut().filter(|anchor| anchor.entity == entity) {
            anchor.last = GlobalTransform::from(Transform::from_isometry(motion)) * anchor.last;
        }
    }

    /// Takes the object along with an entity that is teleported by this motion of the world, if that holds most of what is
    /// held of it. Returns whether it does.
    pub(crate) fn teleport_with(&mut self, holder: Entity, motion: Isometry3d, physics: &mut Physics) -> bool {
        let Some(object) = self.object else { return false };
        let all: usize = self.anchors.iter().map(|anchor| anchor.points.len()).sum();
        let held = self.anchors.iter().filter(|anchor| anchor.entity == holder);
        let (all, held) = (all, held.map(|anchor| anchor.points.len()).sum::<usize>());
        #[cfg(feature = "cloth")]
        let (all, held) = {
            let body = physics.body_of(holder);
            let count = |of: &BodyAttachment| of.particles.len();
            let by_body = self.attachments.iter().filter(|attachment| Some(attachment.body) == body);
            (all + self.attachments.iter().map(count).sum::<usize>(), held + by_body.map(count).sum::<usize>())
        };
        let goes_along = 2 * held > all;
        let pose = Pose::from_parts(motion.translation.into(), motion.rotation);
        if !goes_along || physics.teleport_object(object, pose).is_err() {
            return false;
        }
        self.teleport(holder, motion);
        #[cfg(feature = "cloth")]
        for attachment in &mut self.attachments {
            attachment.last = physics.world().body_pose(attachment.body).unwrap_or(attachment.last);
        }
        for (particle, place) in self.anchors.iter().flat_map(PinAnchor::places) {
            physics.world_mut().set_position(object, particle, place, Vec3::ZERO).ok();
        }
        true
    }

    /// Holds the duplicates of split vertices as their originals are held.
    #[cfg(feature = "cloth")]
    pub(crate) fn split(&mut self, split_vertices: &[xpbd_cloth::SplitVertex]) {
        for anchor in &mut self.anchors {
            for split in split_vertices {
                let point = anchor.points.iter().find(|(particle, _)| *particle == split.particle);
                let duplicate = point.map(|&(_, position)| (split.duplicate, position));
                anchor.points.extend(duplicate);
            }
        }
    }
}

/// Pins particles to an entity where they are; those that the entity held before keep their positions in its frame.
fn anchor(
    physics: &mut Physics,
    object: ObjectHandle,
    particles: &[u32],
    (entity, now): (Entity, GlobalTransform),
    before: Option<&PinAnchor>,
) -> Result<PinAnchor, BevyError> {
    let into_frame = now.affine().inverse();
    let known: BTreeMap<u32, Vec3> = before.map(|before| before.points.iter().copied().collect()).unwrap_or_default();
    let world = physics.world_mut();
    let points = particles.iter().map(|&particle| {
        if let Some(&position) = known.get(&particle) {
            return Ok((particle, position));
        }
        let position = world.position(object, particle as usize)?;
        world.set_pinned(object, particle as usize, true)?;
        Ok((particle, into_frame.transform_point3(position)))
    });
    let points = points.collect::<Result<_, BevyError>>()?;
    Ok(PinAnchor { entity, last: before.map_or(now, |before| before.last), points })
}

#[cfg(feature = "cloth")]
impl PinState {
    /// Returns the motion of the body that has jumped since the last step and holds the most particles, with their number.
    fn jump_of_bodies(&mut self, physics: &Physics, dt: f32) -> Option<(usize, Pose)> {
        let mut jump = None;
        for attachment in &mut self.attachments {
            let Ok(now) = physics.world().body_pose(attachment.body) else { continue };
            let last = std::mem::replace(&mut attachment.last, now);
            let count = attachment.particles.len();
            let is_far = now.translation.distance(last.translation) > FASTEST_HOLDER * dt;
            if is_far && jump.is_none_or(|(most, _)| count > most) {
                jump = Some((count, now * last.inverse()));
            }
        }
        jump
    }
}

#[cfg(feature = "cloth")]
impl BodyAttachment {
    fn holds(&self, particles: &[u32], body: BodyHandle) -> bool {
        self.body == body && self.particles == particles
    }
}

/// Attaches particles to a body that they pull on.
#[cfg(feature = "cloth")]
fn attach(
    physics: &mut Physics,
    object: ObjectHandle,
    particles: Vec<u32>,
    body: BodyHandle,
) -> Result<BodyAttachment, BevyError> {
    let world = physics.world_mut();
    let pose = world.body_pose(body)?;
    let mut points = Vec::with_capacity(particles.len());
    for &particle in &particles {
        world.set_pinned(object, particle as usize, false)?;
        points.push((particle, pose.inverse_transform_point(world.position(object, particle as usize)?)));
    }
    let batch = world.add_batch(&[object], &[body], xpbd_cloth::attach(&points)?)?;
    Ok(BodyAttachment { body, last: pose, particles, batch })
}

/// Moves held particles with the entities that hold them.
fn follow(
    mut physics: ResMut<Physics>,
    mut states: Query<(Entity, &mut PinState)>,
    transforms: TransformHelper,
    length: Res<StepLength>,
    mut errors: EntityErrors,
) {
    // While nothing moves, what is held waits: a jump in a pause is one afterwards too.
    let Some(dt) = length.get() else { return };
    for (entity, mut state) in &mut states {
        #[cfg(feature = "cloth")]
        let attached = state.jump_of_bodies(&physics, dt);
        #[cfg(not(feature = "cloth"))]
        let attached = None;
        let PinState { object: Some(object), anchors, .. } = &mut *state else { continue };
        let (mut moved, mut jump) = (Vec::new(), attached);
        for (k, anchor) in anchors.iter_mut().enumerate() {
            let Ok(now) = transforms.compute_global_transform(anchor.entity) else {
                let holder = anchor.entity;
                let problem =
                    format!("{holder} that held it is gone or has no transform; what it held stays where it is");
                errors.report(entity, "pinned", problem);
                continue;
            };
            if now == anchor.last {
                continue;
            }
            let count = anchor.points.len();
            if let Some(motion) = anchor.jump(now, dt)
                && jump.is_none_or(|(most, _)| count > most)
            {
                jump = Some((count, motion));
            }
            anchor.last = now;
            moved.push(k);
        }
        // The object may have been removed since.
        if let Some((_, motion)) = jump {
            physics.teleport_object(*object, motion).ok();
            for (particle, place) in anchors.iter().flat_map(PinAnchor::places) {
                physics.world_mut().set_position(*object, particle, place, Vec3::ZERO).ok();
            }
            continue;
        }
        for (particle, place) in moved.into_iter().flat_map(|k| anchors[k].places()) {
            physics.world_mut().move_pinned(*object, particle, place).ok();
        }
    }
}

impl PinAnchor {
    /// Returns the particles with their places in the world \[m\].
    fn places(&self) -> impl Iterator<Item = (usize, Vec3)> + '_ {
        self.points.iter().map(|&(particle, point)| (particle as usize, self.last.transform_point(point)))
    }

    /// Returns the motion of the entity, if it takes a particle farther in `dt` \[s\] than anything that is no jump.
    fn jump(&self, now: GlobalTransform, dt: f32) -> Option<Pose> {
        let way = |point: Vec3| now.transform_point(point).distance(self.last.transform_point(point));
        if !self.points.iter().any(|&(_, point)| way(point) > FASTEST_HOLDER * dt) {
            return None;
        }
        Some(rigid_motion(self.last, now))
    }
}
