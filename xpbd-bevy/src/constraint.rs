//! Constraints of one's own: one trait of the library and one line of registration.
//!
//! A constraint is a function C(x) of a few points, zero when it is satisfied
//! ([`xpbd_core::constraint`]); [`Constraints`] puts a batch of them on particles and bodies of entities.
//!
//! ```
//! use bevy::prelude::*;
//! use xpbd_bevy::prelude::*;
//! use xpbd_core::prelude::{Batch, Constraint, Points, Real};
//!
//! xpbd_core::parameters! {
//!     /// Parameters of [`SpringJoint`].
//!     pub struct SpringParameters<S> {
//!         /// Length at rest \[m\].
//!         pub rest_length: S,
//!     }
//! }
//!
//! /// Keeps two particles at a distance.
//! pub struct Spring;
//!
//! impl Constraint<2, 1> for Spring {
//!     type Parameters<S: Copy> = SpringParameters<S>;
//!
//!     const NAME: &'static str = "spring";
//!
//!     fn value<S: Real>(x: &Points<S, 2>, spring: SpringParameters<S>) -> [S; 1] {
//!         [(x.now[0] - x.now[1]).length() - spring.rest_length]
//!     }
//! }
//!
//! let mut app = App::new();
//! app.add_plugins((MinimalPlugins, TransformPlugin, XpbdPlugins::default())).add_constraint(Spring);
//!
//! // A spring of 1 m and 100 N/m from the end of one rope, its particle 20, to the start of another, its particle 0.
//! let ropes = [0.0, 2.0].map(|x| {
//!     let rope = Rope::between(Vec3::ZERO, Vec3::X, 20, 1.0);
//!     app.world_mut().spawn((rope, Transform::from_xyz(x, 0.0, 0.0))).id()
//! });
//! let spring = Batch::new(Spring, &[[20, 21]], &[SpringParameters { rest_length: 1.0 }])?.compliance(0.01);
//! app.world_mut().spawn(Constraints::new(spring).between(ropes));
//! # Ok::<(), BevyError>(())
//! ```

use bevy::ecs::entity::{EntityMapper, MapEntities};
use bevy::ecs::intern::Interned;
use bevy::ecs::reflect::ReflectMapEntities;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use xpbd_core::batch::Batch;
use xpbd_core::constraint::Constraint;
use xpbd_core::world::{BodyHandle, ObjectHandle, UpdateOutcome, WorldError};

pub use crate::handle::BatchId;
use crate::physics::Physics;
use crate::report::EntityErrors;
use crate::schedule::{PrepareSystems, XpbdSystems, add_ordered_systems};
use crate::snapshot::save_required_component;

/// Constraints among the particles and bodies of entities.
///
/// Particles of all objects among the entities are numbered through in their order, and so are bodies. They are put
/// into the world once all are there, and again when any of them is made anew. Where only numbers of the batch change, they
/// are written to the one that is there.
#[derive(Component, Debug, Clone, Reflect)]
#[component(map_entities)]
#[reflect(Component, Clone, Debug, MapEntities)]
#[require(ConstraintTargets)]
pub struct Constraints {
    /// The constraints to solve.
    pub batch: Batch,
    /// The entities whose particles and bodies they act on; empty for their own entity.
    pub entities: Vec<Entity>,
}

impl Constraints {
    /// Constraints on the entity that this is on.
    pub fn new(batch: Batch) -> Self {
        Self { batch, entities: Vec::new() }
    }

    /// Ties these entities instead.
    #[must_use]
    pub fn between(mut self, entities: impl IntoIterator<Item = Entity>) -> Self {
        self.entities.extend(entities);
        self
    }
}

impl MapEntities for Constraints {
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
        self.entities.iter_mut().for_each(|entity| *entity = mapper.get_mapped(*entity));
    }
}

/// The objects and bodies on which constraints have last been built.
#[derive(Component, Debug, Default, Clone)]
struct ConstraintTargets {
    objects: Vec<ObjectHandle>,
    bodies: Vec<BodyHandle>,
    /// The batch whose numbers they have.
    batch: Option<Batch>,
}

impl ConstraintTargets {
    /// Those of entities now; none while one of them is nothing.
    fn of(entities: &[Entity], physics: &Physics) -> Option<Self> {
        let is_there = |&entity: &Entity| physics.object_of(entity).is_some() || physics.body_of(entity).is_some();
        entities.iter().all(is_there).then(|| Self {
            objects: entities.iter().filter_map(|&entity| physics.object_of(entity)).collect(),
            bodies: entities.iter().filter_map(|&entity| physics.body_of(entity)).collect(),
            batch: None,
        })
    }

    /// Returns whether they are still those of the entities.
    fn stay(&self, entities: &[Entity], physics: &Physics) -> bool {
        let objects = entities.iter().filter_map(|&entity| physics.object_of(entity));
        let bodies = entities.iter().filter_map(|&entity| physics.body_of(entity));
        !(self.objects.is_empty() && self.bodies.is_empty())
            && self.objects.iter().copied().eq(objects)
            && self.bodies.iter().copied().eq(bodies)
    }

    /// Writes the numbers of constraints that have changed.
    fn update(&mut self, batch: &Batch, id: BatchId, physics: &mut Physics) -> Result<UpdateOutcome, WorldError> {
        let Some(before) = self.batch.as_ref().filter(|_| physics.world().batch(id.handle()).is_ok()) else {
            return Ok(UpdateOutcome::TopologyDiffers);
        };
        let outcome = physics.world_mut().update_batch(id.handle(), before, batch)?;
        if outcome == UpdateOutcome::Updated {
            self.batch = Some(batch.clone());
        }
        Ok(outcome)
    }
}

/// Makes constraint types known to the physics world.
pub trait ConstraintApp {
    /// Checks a constraint type and makes it known under its name, which restoring snapshots needs. What the check
    /// finds is told as an error.
    fn add_constraint<K, const N: usize, const M: usize>(&mut self, constraint: K) -> &mut Self
    where
        K: Constraint<N, M>;
}

impl ConstraintApp for App {
    fn add_constraint<K, const N: usize, const M: usize>(&mut self, constraint: K) -> &mut Self
    where
        K: Constraint<N, M>,
    {
        match self.world_mut().get_resource_mut::<Physics>() {
            Some(mut physics) => {
                if let Err(problem) = physics.world_mut().register(constraint) {
                    error!("constraint \"{}\": {problem}", K::NAME);
                }
            }
            None => error!("constraint \"{}\": physics must be added before it", K::NAME),
        }
        self
    }
}

/// Constraints of one's own.
#[derive(Debug, Clone)]
pub struct ConstraintPlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl Plugin for ConstraintPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<Constraints>();
        add_ordered_systems(app, self.0, XpbdSystems::Prepare(PrepareSystems::Constraints), tie);
        app.add_observer(untie);
        save_required_component::<ConstraintTargets>(app);
    }
}

fn untie(removed: On<Remove, Constraints>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<(BatchId, ConstraintTargets)>();
}

fn tie(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    mut all: Query<(Entity, Ref<Constraints>, &mut ConstraintTargets, Option<&BatchId>)>,
    mut problems: EntityErrors,
) {
    for (entity, constraints, mut ends, id) in all.iter_mut().sort::<Entity>() {
        let itself = [entity];
        let entities = if constraints.entities.is_empty() { &itself } else { &*constraints.entities };
        if ends.stay(entities, &physics) {
            if !constraints.is_changed() {
                continue;
            }
            match id.map(|&id| ends.update(&constraints.batch, id, &mut physics)) {
                Some(Ok(UpdateOutcome::Updated)) => continue,
                // A batch that becomes invalid leaves the constraints as they are.
                Some(Err(problem)) => {
                    problems.report(entity, "constraints", problem);
                    continue;
                }
                Some(Ok(UpdateOutcome::TopologyDiffers)) | None => {}
            }
        }
        let mut now = ConstraintTargets::of(entities, &physics);
        let handle = now.as_mut().map(|ConstraintTargets { objects, bodies, batch }| {
            *batch = Some(constraints.batch.clone());
            physics.world_mut().add_batch(objects, bodies, constraints.batch.clone())
        });
        let mut at = commands.entity(entity);
        match handle {
            Some(Ok(handle)) => {
                at.try_insert(BatchId(handle));
            }
            Some(Err(problem)) => {
                problems.report(entity, "constraints", problem);
                at.try_remove::<BatchId>();
            }
            // They wait; those that were there went with what they held.
            None if !ends.objects.is_empty() || !ends.bodies.is_empty() => {
                at.try_remove::<BatchId>();
            }
            None => {}
        }
        *ends = now.unwrap_or_default();
    }
}
