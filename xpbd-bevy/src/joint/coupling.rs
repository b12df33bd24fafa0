//! Gears, belts and racks between joints.
//!
//! ```
//! use bevy::prelude::*;
//! use xpbd_bevy::prelude::*;
//!
//! fn clock(mut commands: Commands, minutes: Entity, hours: Entity) {
//!     let mut axle = |wheel| commands.spawn(Joint::new(wheel, HingeJoint::new(Vec3::ZERO, Vec3::Z))).id();
//!     let axles = [axle(minutes), axle(hours)];
//!     commands.spawn(Coupling::new(axles, JointCoupling::belt(5, 60)));
//! }
//! ```

use bevy::ecs::entity::MapEntities;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::reflect::ReflectMapEntities;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use xpbd_rigid::joint::{CouplingHandle, JointCoupling, JointError};

use super::JointId;
use crate::physics::{Physics, PhysicsHandle};
use crate::report::EntityErrors;

/// Couples the free axes of two joints, as they stand once both are there.
///
/// It is made anew when one of the joints is. A change of its numbers is written to the coupling that is there, from where
/// the joints stand.
#[derive(Component, MapEntities, Debug, Clone, Copy, PartialEq, Reflect)]
#[component(map_entities)]
#[reflect(Component, Debug, PartialEq, MapEntities)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Coupling {
    /// The entities of the joints: of a rack the pinion's first.
    #[entities]
    pub joints: [Entity; 2],
    /// The ratio, the compliance and the greatest load.
    pub coupling: JointCoupling,
}

impl Coupling {
    /// Creates a coupling of two joints.
    pub fn new(joints: [Entity; 2], coupling: JointCoupling) -> Self {
        Self { joints, coupling }
    }
}

/// The coupling that an entity is in the physics world.
#[derive(Component, Debug, Clone, PartialEq)]
#[component(immutable, on_insert = Self::enter, on_discard = Self::leave)]
pub struct CouplingId {
    handle: CouplingHandle,
}

/// The description whose numbers a coupling has.
#[derive(Component, Clone)]
pub(super) struct DescribedCoupling(JointCoupling);

impl CouplingId {
    /// Returns the handle.
    pub fn handle(&self) -> &CouplingHandle {
        &self.handle
    }

    fn enter(mut world: DeferredWorld, at: HookContext) {
        let Some(batch) = world.get::<Self>(at.entity).map(|id| id.handle.batch()) else { return };
        if let Some(mut physics) = world.get_resource_mut::<Physics>() {
            physics.set_owner(PhysicsHandle::Batch(batch), at.entity);
        }
    }

    fn leave(mut world: DeferredWorld, at: HookContext) {
        let Some(batch) = world.get::<Self>(at.entity).map(|id| id.handle.batch()) else { return };
        if let Some(mut physics) = world.get_resource_mut::<Physics>() {
            physics.remove(PhysicsHandle::Batch(batch));
        }
    }
}

/// Makes couplings whose joints are new, writes changed numbers to the others, and takes out those whose joints have gone.
pub(super) fn couple(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    mut couplings: Query<(Entity, &Coupling, Option<&CouplingId>, Option<&mut DescribedCoupling>)>,
    joints: Query<&JointId>,
    mut problems: EntityErrors,
) {
    let mut waiting = Vec::new();
    for (entity, coupling, id, described) in &mut couplings {
        let [first, second] = coupling.joints.map(|joint| joints.get(joint).ok().map(JointId::handle));
        let (Some(first), Some(second)) = (first, second) else {
            if id.is_some() {
                commands.entity(entity).try_remove::<CouplingId>();
            }
            continue;
        };
        let made = id.filter(|id| id.handle.joints() == [first, second]).zip(described);
        if made.as_ref().is_none_or(|(_, described)| described.0 != coupling.coupling) {
            waiting.push((entity, coupling.coupling, [first, second], made));
        }
    }
    // The order of the world's constraints is that of their entities, not of archetypes.
    waiting.sort_unstable_by_key(|all| all.0);
    for (entity, coupling, joints, made) in waiting {
        if let Some((id, mut described)) = made {
            match id.handle.update(physics.world_mut(), coupling) {
                Err(JointError::CouplingKind) => {}
                Err(problem) => {
                    problems.report(entity, "coupling", problem);
                    continue;
                }
                Ok(()) => {
                    described.0 = coupling;
                    continue;
                }
            }
        }
        match coupling.add(physics.world_mut(), joints) {
            Ok(handle) => {
                commands.entity(entity).try_insert((CouplingId { handle }, DescribedCoupling(coupling)));
            }
            Err(problem) => problems.report(entity, "coupling", problem),
        }
    }
}

/// Takes out the coupling with the component that described it.
pub(super) fn uncouple(removed: On<Remove, Coupling>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<(CouplingId, DescribedCoupling)>();
}
