//! Objects of the physics world follow the components that describe them.

use std::marker::PhantomData;

use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::platform::collections::HashSet;
use bevy::prelude::*;
use xpbd_core::world::{Object, ObjectHandle, UpdateOutcome, World as PhysicsWorld};

use super::material::{MaterialComponents, MaterialOverrides, MaterialPlugin, ObjectMaterial};
use super::pin::Pinned;
use super::source::{BuiltObject, InsertComponents, ObjectSource, SpawnContext};
use super::transform::ObjectTransform;
use crate::handle::ObjectId;
use crate::material::{AngularVelocity, LinearVelocity};
use crate::mesh::{RestMesh, VertexMap, nearest_points};
use crate::physics::Physics;
use crate::report::EntityErrors;
use crate::schedule::{PrepareSystems, XpbdSystems, add_ordered_systems};
use crate::snapshot::save_component;

/// Builds the objects that components of one type describe, and keeps them up to date.
pub struct ObjectPlugin<S> {
    schedule: Interned<dyn ScheduleLabel>,
    source: PhantomData<fn(S)>,
}

impl<S> ObjectPlugin<S> {
    /// Returns the plugin for a world that is stepped in this schedule.
    pub fn in_schedule(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern(), source: PhantomData }
    }
}

impl<S> Default for ObjectPlugin<S> {
    fn default() -> Self {
        Self::in_schedule(FixedPostUpdate)
    }
}

impl<S: ObjectSource> Plugin for ObjectPlugin<S> {
    fn build(&self, app: &mut App) {
        add_ordered_systems(app, self.schedule, XpbdSystems::Prepare(PrepareSystems::Objects), build_objects::<S>);
        app.add_observer(remove_object::<S>);
        save_component::<BuiltFrom<S>>(app);
        if !app.is_plugin_added::<MaterialPlugin>() {
            app.add_plugins((MaterialPlugin(self.schedule), MeshChangePlugin(self.schedule)));
        }
    }
}

/// The mesh assets that have changed since the last step.
#[derive(Resource, Default)]
struct ChangedMeshes(HashSet<AssetId<Mesh>>);

/// Takes note of changed mesh assets.
struct MeshChangePlugin(Interned<dyn ScheduleLabel>);

impl Plugin for MeshChangePlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<ChangedMeshes>();
        app.add_systems(PreUpdate, collect_changes.run_if(resource_exists::<Messages<AssetEvent<Mesh>>>));
        let forget = |mut changed: ResMut<ChangedMeshes>| changed.0.clear();
        app.add_systems(self.0, forget.after(XpbdSystems::Writeback));
    }
}

fn collect_changes(mut changed: ResMut<ChangedMeshes>, mut events: MessageReader<AssetEvent<Mesh>>) {
    changed.0.extend(events.read().filter_map(|event| match event {
        AssetEvent::Modified { id } => Some(*id),
        _ => None,
    }));
}

/// The number of steps after which an entity without a mesh is reported.
const PATIENCE: u32 = 60;

/// Marks an entity whose description is invalid.
#[derive(Component)]
struct RejectedObject;

/// Removes the object together with the component that described it.
fn remove_object<S: ObjectSource>(removed: On<Remove, S>, mut commands: Commands) {
    commands
        .entity(removed.entity)
        .try_remove::<(ObjectId, VertexMap, ObjectMaterial, ObjectTransform, BuiltFrom<S>, RejectedObject)>();
}

/// The description that an object was built from, which a change is compared with.
#[derive(Component)]
struct BuiltFrom<S> {
    source: S,
    origin: Origin,
    /// The object as assembled from the description, once a change has needed it.
    assembled: Option<Object>,
    /// The positions of its particles as it was built \[m\].
    positions: Vec<Vec3>,
}

impl<S: Clone> Clone for BuiltFrom<S> {
    fn clone(&self) -> Self {
        let (source, origin, positions) = (self.source.clone(), self.origin.clone(), self.positions.clone());
        Self { source, origin, assembled: None, positions }
    }
}

/// The surroundings of a description when its object was built.
#[derive(Clone)]
struct Origin {
    name: String,
    transform: GlobalTransform,
    mesh: Option<Handle<Mesh>>,
    pinned: Option<Pinned>,
    linear_velocity: Vec3,
    angular_velocity: Vec3,
}

/// The components that an object is built from.
type Described<'a, S> = (
    Entity,
    Ref<'a, S>,
    (Option<&'a Name>, Option<&'a Mesh3d>, Option<&'a RestMesh>, Option<&'a Pinned>),
    (Option<&'a LinearVelocity>, Option<&'a AngularVelocity>),
    MaterialComponents,
    Option<(&'a ObjectId, &'a mut BuiltFrom<S>)>,
    (Has<ObjectId>, Has<RejectedObject>),
);

/// An object that has been added to the world, and what its entity gets with it.
struct Added {
    handle: ObjectHandle,
    vertices: VertexMap,
    material: ObjectMaterial,
    insert: Option<InsertComponents>,
}

/// Builds new objects, writes changed numbers to those that are there, and rebuilds those whose topology has changed.
fn build_objects<S: ObjectSource>(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    mut described: Query<Described<'static, S>>,
    transforms: TransformHelper,
    (meshes, changed_meshes): (Option<Res<Assets<Mesh>>>, Res<ChangedMeshes>),
    mut errors: EntityErrors,
    mut without_mesh: Local<EntityHashMap<u32>>,
) {
    let waiting = described.iter_mut().filter_map(|all| {
        let (_, source, (_, mesh, rest, _), _, _, built, (has_object, is_rejected)) = &all;
        let given = RestMesh::given(*mesh, *rest);
        let is_other = |built: &BuiltFrom<S>| {
            given.is_some_and(|mesh| built.origin.mesh.as_ref() != given || changed_meshes.0.contains(&mesh.id()))
        };
        let has_other_mesh = S::NEEDS_MESH && built.as_ref().is_some_and(|(_, built)| is_other(built));
        let is_waiting = !has_object && !is_rejected;
        (is_waiting || source.is_changed() || has_other_mesh).then_some((has_other_mesh, all))
    });
    let mut waiting: Vec<_> = waiting.collect();
    // Objects are added in the order of their entities, not of archetypes.
    waiting.sort_unstable_by_key(|(_, all)| all.0);
    for (has_other_mesh, all) in waiting {
        let (entity, source, (name, mesh, rest_mesh, pinned), velocity, material, built, _) = all;
        let origin = Origin {
            name: name.map_or_else(|| S::NAME.to_string(), |name| name.to_string()),
            transform: transforms.compute_global_transform(entity).unwrap_or_default(),
            mesh: RestMesh::given(mesh, rest_mesh).cloned(),
            pinned: pinned.cloned(),
            linear_velocity: velocity.0.map_or(Vec3::ZERO, |velocity| velocity.0),
            angular_velocity: velocity.1.map_or(Vec3::ZERO, |velocity| velocity.0),
        };
        let mut assembler =
            Assembler { entity, physics: &mut physics, meshes: meshes.as_deref(), material: (&material).into() };
        let (is_new, has_mesh) = (built.is_none(), origin.mesh.is_some());
        let added = match built {
            Some((id, mut built)) => assembler.change(id.handle(), &*source, &mut built, (origin, has_other_mesh)),
            None => assembler.add_new(&*source, origin),
        };
        match added {
            Ok(Some((Added { handle, vertices, material, insert }, built_from))) => {
                let mut entity = commands.entity(entity);
                entity.try_insert((ObjectId(handle), vertices, material, built_from)).try_remove::<RejectedObject>();
                if S::MOVES_ENTITY {
                    entity.insert_if_new(ObjectTransform::default());
                }
                if let Some(insert) = insert {
                    insert(&mut entity);
                }
            }
            Ok(None) if is_new && !has_mesh => {
                let steps = without_mesh.entry(entity).or_default();
                *steps += 1;
                if *steps == PATIENCE {
                    errors.report(entity, S::NAME, "it is not built before it has a mesh; add a Mesh3d");
                }
            }
            Ok(None) => {}
            Err(error) => {
                // A description that becomes invalid leaves the object as it is.
                errors.report(entity, S::NAME, error);
                if is_new {
                    commands.entity(entity).try_insert(RejectedObject);
                }
            }
        }
    }
    without_mesh.retain(|&entity, _| described.get(entity).is_ok_and(|all| !all.6.0));
}

/// Assembles the object of an entity.
struct Assembler<'a> {
    entity: Entity,
    physics: &'a mut Physics,
    meshes: Option<&'a Assets<Mesh>>,
    material: MaterialOverrides,
}

/// A new object together with what it was built from; none if there is nothing to add.
type NewObject<S> = Option<(Added, BuiltFrom<S>)>;

impl Assembler<'_> {
    /// Assembles the object of a description; returns none while something that it needs is missing.
    fn assemble<S: ObjectSource>(
        &self,
        source: &S,
        origin: &Origin,
    ) -> Result<Option<(BuiltObject, ObjectMaterial)>, BevyError> {
        let mesh = origin.mesh.as_ref().zip(self.meshes).and_then(|(mesh, meshes)| meshes.get(mesh));
        let Origin { transform, linear_velocity, angular_velocity, .. } = *origin;
        let scale = transform.scale();
        if !scale.is_finite() || scale == Vec3::ZERO {
            return Err(format!("the scale of its transform is {scale}; it must be finite and not 0").into());
        }
        let built = source.build_object(&SpawnContext {
            entity: self.entity,
            name: origin.name.clone(),
            transform,
            mesh,
            pinned: origin.pinned.as_ref(),
            linear_velocity,
            angular_velocity,
            settings: self.physics.world().settings(),
        })?;
        let Some(mut built) = built else { return Ok(None) };
        let material = ObjectMaterial::apply(&mut built.object, self.material);
        if linear_velocity != Vec3::ZERO && built.object.velocities.is_empty() {
            built.object.velocities = vec![linear_velocity; built.object.positions.len()];
        }
        Ok(Some((built, material)))
    }

    fn add<S: ObjectSource>(
        &mut self,
        source: &S,
        origin: Origin,
        (built, material): (BuiltObject, ObjectMaterial),
    ) -> Result<NewObject<S>, BevyError> {
        let positions = built.object.positions.clone();
        self.add_at(source, origin, (built, material), positions)
    }

    /// Adds an object whose particles are not where its description has them, which is at these positions \[m\].
    fn add_at<S: ObjectSource>(
        &mut self,
        source: &S,
        origin: Origin,
        (built, material): (BuiltObject, ObjectMaterial),
        positions: Vec<Vec3>,
    ) -> Result<NewObject<S>, BevyError> {
        let (handle, vertices, insert) = built.add(self.physics.world_mut())?;
        let built_from = BuiltFrom { source: source.clone(), origin, assembled: None, positions };
        Ok(Some((Added { handle, vertices, material, insert }, built_from)))
    }

    fn add_new<S: ObjectSource>(&mut self, source: &S, origin: Origin) -> Result<NewObject<S>, BevyError> {
        match self.assemble(source, &origin)? {
            Some(assembled) => self.add(source, origin, assembled),
            None => Ok(None),
        }
    }

    /// Writes to an object the numbers in which a description differs from the one before, or builds another object where
    /// more than numbers differ. Both descriptions are assembled where the entity was when the object was built first, so
    /// that only they make a difference.
    fn change<S: ObjectSource>(
        &mut self,
        object: ObjectHandle,
        source: &S,
        built: &mut BuiltFrom<S>,
        (now, has_other_mesh): (Origin, bool),
    ) -> Result<NewObject<S>, BevyError> {
        if !self.physics.world().objects().contains(&object) {
            return self.add_new(source, now);
        }
        let origin = Origin { mesh: now.mesh.clone(), ..built.origin.clone() };
        let Some((after, _)) = self.assemble(source, &origin)? else { return Ok(None) };
        if has_other_mesh {
            return self.replace(object, source, &built.positions, origin, now.pinned);
        }
        let before = match built.assembled.take() {
            Some(before) => before,
            None => match self.assemble(&built.source, &built.origin)? {
                Some((before, _)) => before.object,
                None => return Ok(None),
            },
        };
        if source.has_same_parts(&built.source)
            && self.physics.world_mut().update_object(object, &before, &after.object)? == UpdateOutcome::Updated
        {
            built.source = source.clone();
            built.positions.clone_from(&after.object.positions);
            built.assembled = Some(after.object);
            return Ok(None);
        }
        self.replace(object, source, &built.positions, origin, now.pinned)
    }

    /// Builds another object in the place of one that was built with its particles at these positions \[m\].
    fn replace<S: ObjectSource>(
        &mut self,
        object: ObjectHandle,
        source: &S,
        before: &[Vec3],
        origin: Origin,
        pinned: Option<Pinned>,
    ) -> Result<NewObject<S>, BevyError> {
        let origin = Origin { pinned, ..origin };
        let Some((mut after, material)) = self.assemble(source, &origin)? else { return Ok(None) };
        let positions = after.object.positions.clone();
        carry_over(self.physics.world_mut(), object, before, &mut after.object)?;
        self.add_at(source, origin, (after, material), positions)
    }
}

/// Moves the particles of a new object to where those of an old one are: each goes with the particle that was nearest to it
/// when both were assembled, which is the same one where a vertex persists.
fn carry_over(
    world: &mut PhysicsWorld,
    old: ObjectHandle,
    before: &[Vec3],
    after: &mut Object,
) -> Result<(), BevyError> {
    if before.is_empty() {
        return Ok(());
    }
    world.synchronize()?;
    let now: Vec<Vec3> = world.positions(old)?.collect();
    if after.rest_positions.is_empty() {
        after.rest_positions = after.positions.clone();
    }
    let (low, high) = before.iter().fold((Vec3::MAX, Vec3::MIN), |(low, high), &x| (low.min(x), high.max(x)));
    let cell = (high - low).max_element().max(1e-6) / (before.len() as f32).sqrt();
    let nearest = nearest_points(before, cell, after.positions.iter().copied());
    after.velocities = nearest.iter().map(|&k| world.velocity(old, k as usize)).collect::<Result<_, _>>()?;
    for (position, &k) in after.positions.iter_mut().zip(&nearest) {
        *position = now[k as usize] + (*position - before[k as usize]);
    }
    Ok(())
}
