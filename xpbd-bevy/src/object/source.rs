//! Components that describe objects of particles, and the objects that they are built into.

use bevy::prelude::*;
use xpbd_core::world::{Object, ObjectHandle, Settings, World as PhysicsWorld};

use super::pin::Pinned;
use crate::mesh::VertexMap;

/// A component that describes an object of particles.
///
/// [`ObjectPlugin`](super::ObjectPlugin) builds the object once its mesh is loaded, with the
/// [materials](crate::material) beside the component. When the component changes, the object is assembled again and
/// compared with the one before: numbers are written to the object that is there, and only another topology (other
/// particles or constraints) builds a new one, whose particles go on from where those before were.
///
/// ```
/// use bevy::prelude::*;
/// use xpbd_bevy::object::{BuiltObject, ObjectPlugin, ObjectSource, SpawnContext};
/// use xpbd_bevy::prelude::*;
/// use xpbd_core::world::Object;
///
/// /// A handful of grains.
/// #[derive(Component, Clone)]
/// #[require(Transform)]
/// struct Grains(Vec<Vec3>);
///
/// impl ObjectSource for Grains {
///     const NAME: &'static str = "grains";
///
///     fn build_object(&self, context: &SpawnContext<'_>) -> Result<Option<BuiltObject>, BevyError> {
///         let positions = self.0.iter().map(|&x| context.transform.transform_point(x)).collect();
///         let object = Object::new(context.name.clone(), positions, 0.01);
///         Ok(Some(BuiltObject::new(object, self.0.clone())))
///     }
/// }
///
/// App::new()
///     .add_plugins((MinimalPlugins, TransformPlugin, XpbdPlugins::default()))
///     .add_plugins(ObjectPlugin::<Grains>::default())
///     .world_mut()
///     .spawn(Grains(vec![Vec3::ZERO, Vec3::Y]));
/// ```
pub trait ObjectSource: Component + Clone {
    /// The name of the object if its entity has none.
    const NAME: &'static str;

    /// True if it is built from the mesh of its entity. It is then built anew, its particles where those before were, when the
    /// entity gets another mesh or the asset of its mesh changes.
    const NEEDS_MESH: bool = false;

    /// True if the transform of its entity goes with the object while nothing holds that, and moves it at once where it is
    /// written. Otherwise it says where the object was built.
    const MOVES_ENTITY: bool = true;

    /// Assembles the object; returns none while something that it needs is missing, such as a mesh that is still loaded.
    ///
    /// # Errors
    /// The description is invalid. It is not tried again until the component changes.
    fn build_object(&self, context: &SpawnContext<'_>) -> Result<Option<BuiltObject>, BevyError>;

    /// Returns whether this description adds the same bodies and constraints with [`BuiltObject::and_then`] as one before,
    /// but for numbers that another system writes. If it does not, the object is rebuilt.
    fn has_same_parts(&self, _before: &Self) -> bool {
        true
    }
}

/// The surroundings of a component that describes an object.
pub struct SpawnContext<'a> {
    /// The entity of the object.
    pub entity: Entity,
    /// The name of the entity, or [`ObjectSource::NAME`].
    pub name: String,
    /// The transform of the entity in the world when the object was built first.
    pub transform: GlobalTransform,
    /// The mesh that the entity was given, once it is loaded.
    pub mesh: Option<&'a Mesh>,
    /// The vertices that are pinned.
    pub pinned: Option<&'a Pinned>,
    /// Initial velocity \[m/s\].
    pub linear_velocity: Vec3,
    /// Initial angular velocity \[rad/s\] about the origin of the entity.
    pub angular_velocity: Vec3,
    /// The settings of the physics world.
    pub settings: &'a Settings,
}

/// Inserts components into the entity of an object.
pub(super) type InsertComponents = Box<dyn FnOnce(&mut EntityCommands<'_>) + Send>;
/// Completes an object that has been added to the world.
type Completion = Box<dyn FnOnce(&mut PhysicsWorld, ObjectHandle) -> Result<InsertComponents, BevyError> + Send>;

/// An assembled object, and the relation of its entity's mesh to it.
pub struct BuiltObject {
    /// The object. Its friction, layers, gravity and velocity are set as the components beside its description say.
    pub object: Object,
    /// The vertices that pins refer to and that the mesh is drawn with.
    pub vertices: VertexMap,
    completion: Option<Completion>,
}

impl BuiltObject {
    /// Returns an object with one particle for each vertex; `vertices` are in the frame of its entity \[m\].
    pub fn new(object: Object, vertices: Vec<Vec3>) -> Self {
        let particles = (0..vertices.len() as u32).collect();
        Self::from_vertex_map(object, VertexMap { particles, rest: vertices, ..VertexMap::default() })
    }

    /// Returns an object whose vertices follow particles as a map says. Queries and the mouse find its particles, and its mesh
    /// only if [`Object::triangles`] says where that is.
    pub fn from_vertex_map(object: Object, vertices: VertexMap) -> Self {
        Self { object, vertices, completion: None }
    }

    /// Inserts components into the entity together with the object.
    #[must_use]
    pub fn with(self, bundle: impl Bundle) -> Self {
        self.and_then(|_, _| Ok(bundle))
    }

    /// Completes the object in the world once it has been added, with bodies or constraints to others for example. The
    /// entity gets the components returned; after an error the object is removed again.
    #[must_use]
    pub fn and_then<B: Bundle>(
        self,
        complete: impl FnOnce(&mut PhysicsWorld, ObjectHandle) -> Result<B, BevyError> + Send + 'static,
    ) -> Self {
        let completion = |world: &mut PhysicsWorld, object: ObjectHandle| -> Result<InsertComponents, BevyError> {
            let bundle = complete(world, object)?;
            Ok(Box::new(|entity: &mut EntityCommands<'_>| {
                entity.try_insert(bundle);
            }))
        };
        Self { completion: Some(Box::new(completion)), ..self }
    }

    /// Adds the object to the world.
    pub(super) fn add(
        self,
        world: &mut PhysicsWorld,
    ) -> Result<(ObjectHandle, VertexMap, Option<InsertComponents>), BevyError> {
        let Self { object, vertices, completion } = self;
        let handle = world.add(object)?;
        let insert = completion.map(|complete| complete(world, handle)).transpose();
        if insert.is_err() {
            world.remove(handle).ok();
        }
        Ok((handle, vertices, insert?))
    }
}
