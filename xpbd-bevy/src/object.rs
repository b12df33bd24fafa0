//! What is made of particles: components become objects of the physics world.
//!
//! A component that implements [`ObjectSource`] describes an object; [`ObjectPlugin`] makes it, once its mesh is
//! loaded, with what the [materials](crate::material) beside it say.

#[cfg(feature = "cloth")]
pub mod cloth;
#[cfg(feature = "rigid")]
pub mod cluster;
#[cfg(feature = "fluid")]
pub mod fluid;
#[cfg(feature = "cloth")]
pub mod frame_damping;
mod material;
pub mod pin;
#[cfg(feature = "cloth")]
pub mod rod;
#[cfg(feature = "cloth")]
pub mod rope;
#[cfg(feature = "cloth")]
pub mod skin_attachment;
#[cfg(feature = "cloth")]
pub mod soft_body;
mod welded_mesh;

pub use welded_mesh::WeldedMesh;

use std::marker::PhantomData;

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::mesh::skinning::SkinnedMesh;
use bevy::prelude::*;
use xpbd_core::world::{Object, ObjectHandle, Settings, World as Core};

use crate::entity_errors::EntityErrors;
use crate::material::{CollisionGroups, Friction, GravityScale, Velocity};
use crate::physics::{Physics, PhysicsHandle, identity};
use crate::plugin::{PrepareSystems, XpbdSystems};
use crate::system_order::add_ordered_systems;
use material::MaterialPlugin;
use pin::Pinned;

identity! {
    /// The object that an entity is in the physics world.
    ObjectId, ObjectHandle, PhysicsHandle::Object
}

/// A component that describes an object of particles.
///
/// ```
/// use bevy::prelude::*;
/// use xpbd_bevy::object::{Made, ObjectPlugin, ObjectSource, Site};
/// use xpbd_bevy::prelude::*;
/// use xpbd_core::world::Object;
///
/// /// A handful of grains.
/// #[derive(Component)]
/// #[require(Transform)]
/// struct Grains(Vec<Vec3>);
///
/// impl ObjectSource for Grains {
///     const NAME: &'static str = "grains";
///
///     fn make(&self, site: &Site<'_>) -> Result<Option<Made>, BevyError> {
///         let places = self.0.iter().map(|&x| site.transform.transform_point(x)).collect();
///         let mut object = Object::new(site.name.clone(), places, 0.01);
///         object.filter.self_collision = true;
///         Ok(Some(Made::new(object, self.0.clone())))
///     }
/// }
///
/// App::new()
///     .add_plugins((MinimalPlugins, TransformPlugin, XpbdPlugins::default()))
///     .add_plugins(ObjectPlugin::<Grains>::default())
///     .world_mut()
///     .spawn(Grains(vec![Vec3::ZERO, Vec3::Y]));
/// ```
pub trait ObjectSource: Component + Sized {
    /// What it is called if its entity has no name.
    const NAME: &'static str;

    /// Returns the object; none while something that it needs is not there yet, a mesh that is loaded for one.
    ///
    /// # Errors
    /// What it describes cannot be made. It is not tried again until the component changes.
    fn build_object(&self, site: &SpawnContext<'_>) -> Result<Option<BuiltObject>, BevyError>;
}

/// Where an object is made.
pub struct SpawnContext<'a> {
    /// The entity.
    pub entity: Entity,
    /// Its name.
    pub name: String,
    /// Where it is in the world.
    pub transform: GlobalTransform,
    /// The mesh that it was given, once loaded.
    pub mesh: Option<&'a Mesh>,
    /// Which vertices are pinned.
    pub pinned: Option<&'a Pinned>,
    /// The velocity that it starts with.
    pub velocity: Velocity,
    /// Settings of the world.
    pub settings: &'a Settings,
}

/// An object that has been made, and what its entity's mesh has to do with it.
pub struct BuiltObject {
    /// The object; friction, groups, gravity and velocity are set as components say.
    pub object: Object,
    /// What pins refer to, and what the mesh follows.
    pub vertices: VertexMap,
    /// What is done once it is in the world.
    finish: Option<Finish>,
}

/// What inserts components.
type Dress = Box<dyn FnOnce(&mut EntityCommands<'_>) + Send>;
/// What is done with an object in the world.
type Finish = Box<dyn FnOnce(&mut Core, ObjectHandle) -> Result<Dress, BevyError> + Send>;

impl BuiltObject {
    /// Creates an object of one particle a vertex; its vertices in the frame of its entity \[m\].
    pub fn new(object: Object, vertices: Vec<Vec3>) -> Self {
        let particles = (0..vertices.len() as u32).collect();
        Self::from_vertex_map(object, VertexMap { particles, rest: vertices, ..VertexMap::default() })
    }

    /// Creates an object whose vertices follow particles as they say.
    pub fn from_vertex_map(object: Object, vertices: VertexMap) -> Self {
        Self { object, vertices, finish: None }
    }

    /// Components that its entity gets with it.
    #[must_use]
    pub fn with(self, bundle: impl Bundle) -> Self {
        self.and_then(|_, _| Ok(bundle))
    }

    /// Adds what belongs to it to the world, once the object is there. Its entity gets the components that come of it;
    /// if there is an error the object goes again.
    #[must_use]
    pub fn and_then<B: Bundle>(
        self,
        more: impl FnOnce(&mut Core, ObjectHandle) -> Result<B, BevyError> + Send + 'static,
    ) -> Self {
        let finish = |world: &mut Core, object: ObjectHandle| -> Result<Dress, BevyError> {
            let bundle = more(world, object)?;
            Ok(Box::new(|entity: &mut EntityCommands<'_>| {
                entity.try_insert(bundle);
            }))
        };
        Self { finish: Some(Box::new(finish)), ..self }
    }

    /// Puts it into the world.
    fn add(self, world: &mut Core) -> Result<(ObjectHandle, VertexMap, Option<Dress>), BevyError> {
        let Self { object, vertices, finish } = self;
        let handle = world.add(object)?;
        let dress = finish.map(|finish| finish(world, handle)).transpose();
        if dress.is_err() {
            world.remove(handle).ok();
        }
        Ok((handle, vertices, dress?))
    }
}

/// The vertices that an object was made from: what pins refer to, and what is drawn.
#[derive(Component, Debug, Clone, Default, PartialEq)]
pub struct VertexMap {
    /// The particle that each follows.
    pub particles: Vec<u32>,
    /// Where each was at rest, in the frame of the entity \[m\].
    pub rest: Vec<Vec3>,
    /// Colours, if the mesh has any.
    pub colors: Vec<[f32; 4]>,
    /// How the mesh has come apart, if it has: there are more vertices then.
    pub torn: Option<TornMesh>,
}

impl VertexMap {
    /// Returns the vertex of the mesh that one is, or is a copy of.
    #[cfg(feature = "cloth")]
    fn original(&self, vertex: usize) -> usize {
        let Some(TornMesh { copies, .. }) = &self.torn else { return vertex };
        let count = self.particles.len() - copies.len();
        vertex.checked_sub(count).and_then(|copy| copies.get(copy)).map_or(vertex, |&of| of as usize)
    }
}

/// A mesh that has come apart: some of its vertices are there more than once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TornMesh {
    /// What each vertex behind those of the mesh is a copy of.
    pub copies: Vec<u32>,
    /// The vertices of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

/// The mesh that an entity was given, kept while its [`Mesh3d`] is one of its own that is deformed.
#[derive(Component, Debug, Clone, PartialEq)]
pub struct RestMesh(pub Handle<Mesh>);

/// The skin that an entity was given, kept while its mesh is one of its own that is deformed.
#[derive(Component, Debug, Clone)]
pub struct RestSkin(pub SkinnedMesh);

/// What is described cannot be made, as it is.
#[derive(Component)]
struct Refused;

/// Makes objects of a component.
pub struct ObjectPlugin<B> {
    schedule: Interned<dyn ScheduleLabel>,
    kind: PhantomData<fn(B)>,
}

impl<B> ObjectPlugin<B> {
    /// For a world that is stepped in this schedule.
    pub fn in_schedule(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern(), kind: PhantomData }
    }
}

impl<B> Default for ObjectPlugin<B> {
    fn default() -> Self {
        Self::in_schedule(FixedPostUpdate)
    }
}

impl<B: ObjectSource> Plugin for ObjectPlugin<B> {
    fn build(&self, app: &mut App) {
        add_ordered_systems(app, self.schedule, XpbdSystems::Prepare(PrepareSystems::Objects), make::<B>);
        app.add_observer(forget::<B>);
        if !app.is_plugin_added::<MaterialPlugin>() {
            app.add_plugins(MaterialPlugin(self.schedule));
        }
    }
}

/// Takes out the object with the component that described it.
fn forget<B: ObjectSource>(removed: On<Remove, B>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<(ObjectId, VertexMap, Refused)>();
}

/// What an object is made from.
type Described<'a, B> = (
    Entity,
    Ref<'a, B>,
    Option<&'a Name>,
    Option<&'a Mesh3d>,
    Option<&'a RestMesh>,
    Option<&'a Pinned>,
    (Option<&'a Friction>, Option<&'a CollisionGroups>, Option<&'a GravityScale>, Option<&'a Velocity>),
    Has<Refused>,
);

/// What is new or has changed.
type ToMake<B> = Or<(Without<ObjectId>, Changed<B>)>;

/// Makes what is new, and anew what has changed.
fn make<B: ObjectSource>(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    described: Query<Described<'static, B>, ToMake<B>>,
    transforms: TransformHelper,
    meshes: Option<Res<Assets<Mesh>>>,
    mut problems: EntityErrors,
) {
    let mut waiting: Vec<_> = described.iter().filter(|all| !all.7 || all.1.is_changed()).collect();
    // The order of the world's objects is that of their entities, not of archetypes.
    waiting.sort_unstable_by_key(|all| all.0);
    for (entity, body, name, mesh, rest_mesh, pinned, (friction, groups, gravity, velocity), _) in waiting {
        let mesh = rest_mesh.map(|rest| &rest.0).or(mesh.map(|mesh| &mesh.0));
        let site = SpawnContext {
            entity,
            name: name.map_or_else(|| B::NAME.to_string(), |name| name.to_string()),
            transform: transforms.compute_global_transform(entity).unwrap_or_default(),
            mesh: mesh.zip(meshes.as_ref()).and_then(|(mesh, meshes)| meshes.get(mesh)),
            pinned,
            velocity: velocity.copied().unwrap_or_default(),
            settings: physics.world().settings(),
        };
        let made = body.build_object(&site).and_then(|made| {
            let Some(mut made) = made else { return Ok(None) };
            let object = &mut made.object;
            if let Some(&friction) = friction {
                object.friction = friction.into();
            }
            if let Some(groups) = groups {
                object.collision_layers = groups.filter(object.collision_layers.self_collision);
            }
            if let Some(velocity) = velocity
                && object.velocities.is_empty()
            {
                object.velocities = vec![velocity.linear; object.positions.len()];
            }
            object.gravity_scale *= gravity.map_or(1.0, |gravity| gravity.0);
            made.add(physics.world_mut()).map(Some)
        });
        match made {
            Ok(Some((handle, vertices, dress))) => {
                let mut entity = commands.entity(entity);
                entity.try_insert((ObjectId(handle), vertices)).try_remove::<Refused>();
                if let Some(dress) = dress {
                    dress(&mut entity);
                }
            }
            Ok(None) => {}
            Err(problem) => {
                problems.report(entity, B::NAME, problem);
                commands.entity(entity).try_remove::<(ObjectId, VertexMap)>().try_insert(Refused);
            }
        }
    }
}
