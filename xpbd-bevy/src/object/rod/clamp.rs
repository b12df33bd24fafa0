//! Ends of rods that are held as they are turned.

use bevy::ecs::entity::{EntityMapper, MapEntities};
use bevy::ecs::reflect::ReflectMapEntities;
use bevy::prelude::*;
use xpbd_cloth::{RodAttachment, RodEnd};
use xpbd_core::bodies::{Body, BodyKind};
use xpbd_core::world::BodyHandle;

use super::{RodId, release};
use crate::physics::Physics;
use crate::pose::PoseQuery;
use crate::report::EntityErrors;

/// Holds ends of an entity's rod where they are and as they are turned, and moves them with its transform, or with that
/// of another entity. What is clamped to a dynamic body pulls on it and turns it.
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// # fn spawn(mut commands: Commands, car: Entity) {
/// let mut antenna = Rod::between(Vec3::ZERO, Vec3::Y, 12);
/// antenna.radius = 0.003;
/// commands.spawn((antenna, Clamped::first().held_by(car)));
/// commands.spawn((Rod::default(), Clamped::first().and(Clamped::last().held_by(car))));
/// # }
/// ```
#[derive(Component, Debug, Clone, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq, MapEntities)]
#[component(map_entities)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Clamped {
    /// The clamps of the rod.
    pub clamps: Vec<Clamp>,
}

/// An end, and what it is held by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Reflect)]
#[reflect(Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Clamp {
    /// The end of the rod that is clamped.
    pub end: RodEnd,
    /// The entity that holds it; none for the entity of the rod itself.
    pub held_by: Option<Entity>,
}

impl Clamped {
    /// Selects the end of the first point.
    pub fn first() -> Self {
        Self { clamps: vec![Clamp { end: RodEnd::First, held_by: None }] }
    }

    /// Selects the end of the last point.
    pub fn last() -> Self {
        Self { clamps: vec![Clamp { end: RodEnd::Last, held_by: None }] }
    }

    /// Lets the clamps be held by this entity.
    #[must_use]
    pub fn held_by(mut self, entity: Entity) -> Self {
        self.clamps.iter_mut().for_each(|clamp| clamp.held_by = Some(entity));
        self
    }

    /// Adds these clamps.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.clamps.extend(others.clamps);
        self
    }
}

impl MapEntities for Clamped {
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
        for entity in self.clamps.iter_mut().filter_map(|clamp| clamp.held_by.as_mut()) {
            *entity = mapper.get_mapped(*entity);
        }
    }
}

/// The attachments that hold the ends of a rod.
#[derive(Component, Debug, Default, Clone)]
pub(super) struct ClampState(Vec<HeldEnd>);

#[derive(Debug, Clone)]
struct HeldEnd {
    tie: RodAttachment,
    /// A body that stands for an entity which is none, and where that was last.
    stand_in: Option<(Entity, BodyHandle, Transform)>,
}

impl ClampState {
    fn release(&mut self, physics: &mut Physics) {
        for HeldEnd { tie, stand_in } in self.0.drain(..) {
            release(physics, &tie);
            if let Some((_, body, _)) = stand_in {
                physics.world_mut().remove_body(body).ok();
            }
        }
    }
}

pub(super) fn let_go(removed: On<Remove, Clamped>, mut clasps: Query<&mut ClampState>, mut physics: ResMut<Physics>) {
    if let Ok(mut clasps) = clasps.get_mut(removed.entity) {
        clasps.release(&mut physics);
    }
}

/// Nothing is held of a rod that is none any more.
pub(super) fn let_go_of_none(
    removed: On<Remove, RodId>,
    mut clasps: Query<&mut ClampState>,
    mut physics: ResMut<Physics>,
) {
    if let Ok(mut clasps) = clasps.get_mut(removed.entity) {
        clasps.release(&mut physics);
    }
}

/// Selects changed clamps and new rods.
type NewlyClamped = Or<(Changed<Clamped>, Changed<RodId>)>;

pub(super) fn hold(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    mut clamped: Query<(Entity, &Clamped, &RodId, Option<&mut ClampState>), NewlyClamped>,
    poses: PoseQuery,
    mut problems: EntityErrors,
) {
    let mut waiting: Vec<_> = clamped.iter_mut().collect();
    // The order of the world's constraints is that of their entities, not of archetypes.
    waiting.sort_unstable_by_key(|all| all.0);
    for (entity, clamped, rod, before) in waiting {
        if let Some(mut before) = before {
            before.release(&mut physics);
        }
        let mut clasps = ClampState::default();
        for &Clamp { end, held_by: to } in &clamped.clamps {
            match clasp(&mut physics, rod, end, to.unwrap_or(entity), &poses) {
                Ok(clasp) => clasps.0.push(clasp),
                Err(problem) => problems.report(entity, "clamped", problem),
            }
        }
        commands.entity(entity).try_insert(clasps);
    }
}

fn clasp(physics: &mut Physics, rod: &RodId, end: RodEnd, to: Entity, poses: &PoseQuery) -> Result<HeldEnd, BevyError> {
    if let Some(body) = physics.body_of(to) {
        return Ok(HeldEnd { tie: rod.handle().attach(physics.world_mut(), end, body)?, stand_in: None });
    }
    let place = poses.in_world(to).ok_or_else(|| format!("{to} has no transform"))?;
    let world = physics.world_mut();
    let body = world.add_body(Body { kind: BodyKind::Kinematic, ..Body::fixed(crate::pose::pose(place)) })?;
    match rod.handle().attach(world, end, body) {
        Ok(tie) => Ok(HeldEnd { tie, stand_in: Some((to, body, place)) }),
        Err(problem) => {
            world.remove_body(body)?;
            Err(problem.into())
        }
    }
}

/// Moves what stands for entities with them.
pub(super) fn follow(mut physics: ResMut<Physics>, mut clasps: Query<&mut ClampState>, poses: PoseQuery) {
    for mut clasps in &mut clasps {
        for (entity, body, last) in clasps.0.iter_mut().filter_map(|clasp| clasp.stand_in.as_mut()) {
            // The end stays where it is when its holder was despawned.
            if let Some(now) = poses.in_world(*entity)
                && now != *last
            {
                *last = now;
                // A place that is not finite is not moved to.
                physics.world_mut().move_body(*body, crate::pose::pose(now)).ok();
            }
        }
    }
}
