//! What is made of particles: components become objects of the physics world.
//!
//! A component that implements [`ParticleBody`] describes an object; [`ObjectPlugin`] makes it, once its mesh is
//! loaded, with what the [materials](crate::material) beside it say.

#[cfg(feature = "cloth")]
pub mod cloth;
#[cfg(feature = "rigid")]
pub mod cluster;
#[cfg(feature = "fluid")]
pub mod fluid;
pub mod pin;
#[cfg(feature = "cloth")]
pub mod rope;

use std::marker::PhantomData;

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::mesh::VertexAttributeValues;
use bevy::prelude::*;
use xpbd_core::world::{Object, ObjectHandle, Settings};

use crate::material::{CollisionGroups, Friction, GravityScale, Velocity};
use crate::physics::{Physics, Thing, identity};
use crate::plugin::{Prepare, XpbdSystems};
use crate::problem::Problems;
use crate::turn::in_turn;
use pin::Pinned;

identity! {
    /// The object that an entity is in the physics world.
    ObjectId, ObjectHandle, Thing::Object
}

/// A component that describes an object of particles.
///
/// ```
/// use bevy::prelude::*;
/// use xpbd_bevy::object::{Made, ObjectPlugin, ParticleBody, Site};
/// use xpbd_bevy::prelude::*;
/// use xpbd_core::world::Object;
///
/// /// A handful of grains.
/// #[derive(Component)]
/// #[require(Transform)]
/// struct Grains(Vec<Vec3>);
///
/// impl ParticleBody for Grains {
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
pub trait ParticleBody: Component + Sized {
    /// What it is called if its entity has no name.
    const NAME: &'static str;

    /// The object; none while something that it needs is not there yet, a mesh that is loaded for one.
    ///
    /// # Errors
    /// What it describes cannot be made. It is not tried again until the component changes.
    fn make(&self, site: &Site<'_>) -> Result<Option<Made>, BevyError>;
}

/// Where an object is made.
pub struct Site<'a> {
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
pub struct Made {
    /// The object; friction, groups, gravity and velocity are set as components say.
    pub object: Object,
    /// What pins refer to, and what the mesh follows.
    pub vertices: Vertices,
}

impl Made {
    /// An object of one particle a vertex; its vertices in the frame of its entity \[m\].
    pub fn new(object: Object, vertices: Vec<Vec3>) -> Self {
        let particles = (0..vertices.len() as u32).collect();
        Self { object, vertices: Vertices { particles, rest: vertices, colors: Vec::new() } }
    }
}

/// The vertices that an object was made from: what pins refer to, and what is drawn.
#[derive(Component, Debug, Clone, Default, PartialEq)]
pub struct Vertices {
    /// The particle that each follows.
    pub particles: Vec<u32>,
    /// Where each was at rest, in the frame of the entity \[m\].
    pub rest: Vec<Vec3>,
    /// Colours, if the mesh has any.
    pub colors: Vec<[f32; 4]>,
}

/// The mesh that an entity was given, kept while its [`Mesh3d`] is one of its own that is deformed.
#[derive(Component, Debug, Clone, PartialEq)]
pub struct RestMesh(pub Handle<Mesh>);

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

impl<B: ParticleBody> Plugin for ObjectPlugin<B> {
    fn build(&self, app: &mut App) {
        in_turn(app, self.schedule, XpbdSystems::Prepare(Prepare::Objects), make::<B>);
        app.add_observer(forget::<B>);
        if !app.is_plugin_added::<MaterialPlugin>() {
            app.add_plugins(MaterialPlugin(self.schedule));
        }
    }
}

/// Takes out the object with the component that described it.
fn forget<B: ParticleBody>(removed: On<Remove, B>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<(ObjectId, Vertices, Refused)>();
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
fn make<B: ParticleBody>(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    described: Query<Described<'static, B>, ToMake<B>>,
    transforms: TransformHelper,
    meshes: Option<Res<Assets<Mesh>>>,
    mut problems: Problems,
) {
    let mut waiting: Vec<_> = described.iter().filter(|all| !all.7 || all.1.is_changed()).collect();
    // The order of the world's objects is that of their entities, not of archetypes.
    waiting.sort_unstable_by_key(|all| all.0);
    for (entity, body, name, mesh, rest_mesh, pinned, (friction, groups, gravity, velocity), _) in waiting {
        let mesh = rest_mesh.map(|rest| &rest.0).or(mesh.map(|mesh| &mesh.0));
        let site = Site {
            entity,
            name: name.map_or_else(|| B::NAME.to_string(), |name| name.to_string()),
            transform: transforms.compute_global_transform(entity).unwrap_or_default(),
            mesh: mesh.zip(meshes.as_ref()).and_then(|(mesh, meshes)| meshes.get(mesh)),
            pinned,
            velocity: velocity.copied().unwrap_or_default(),
            settings: physics.world().settings(),
        };
        let made = body.make(&site).and_then(|made| {
            let Some(Made { mut object, vertices }) = made else { return Ok(None) };
            if let Some(&friction) = friction {
                object.friction = friction.into();
            }
            if let Some(groups) = groups {
                object.filter = groups.filter(object.filter.self_collision);
            }
            if let Some(velocity) = velocity
                && object.velocities.is_empty()
            {
                object.velocities = vec![velocity.linear; object.positions.len()];
            }
            object.gravity_scale *= gravity.map_or(1.0, |gravity| gravity.0);
            Ok(Some((physics.world_mut().add(object)?, vertices)))
        });
        match made {
            Ok(Some((handle, vertices))) => {
                commands.entity(entity).try_insert((ObjectId(handle), vertices)).try_remove::<Refused>();
            }
            Ok(None) => {}
            Err(problem) => {
                problems.say(entity, B::NAME, problem);
                commands.entity(entity).try_remove::<(ObjectId, Vertices)>().try_insert(Refused);
            }
        }
    }
}

/// Keeps materials of objects up to date.
struct MaterialPlugin(Interned<dyn ScheduleLabel>);

impl Plugin for MaterialPlugin {
    fn build(&self, app: &mut App) {
        in_turn(app, self.0, XpbdSystems::Prepare(Prepare::Ties), renew_materials);
    }
}

fn renew_materials(
    mut physics: ResMut<Physics>,
    frictions: Query<(Entity, &ObjectId, &Friction), Changed<Friction>>,
    groups: Query<(Entity, &ObjectId, &CollisionGroups), Changed<CollisionGroups>>,
    mut problems: Problems,
) {
    for (entity, object, &friction) in &frictions {
        if let Err(problem) = physics.world_mut().set_friction(object.0, friction.into()) {
            problems.say(entity, "friction", problem);
        }
    }
    for (entity, object, groups) in &groups {
        let Some(state) = physics.world().state().objects.get(object.0) else { continue };
        let filter = groups.filter(state.filter.self_collision);
        if let Err(problem) = physics.world_mut().set_filter(object.0, filter) {
            problems.say(entity, "collision groups", problem);
        }
    }
}

/// A mesh whose vertices in one place are one point, as they are not at the seams of its texture and at its creases.
#[derive(Debug, Clone, PartialEq)]
pub struct Welded {
    /// Distinct places \[m\], in the order of the vertices.
    pub points: Vec<Vec3>,
    /// Three points a triangle; triangles that welding leaves without area are left out.
    pub indices: Vec<u32>,
    /// The vertices, each with its point as particle.
    pub vertices: Vertices,
}

impl Welded {
    /// Welds a mesh.
    ///
    /// # Errors
    /// It has no positions, or an index that is none of a vertex.
    pub fn of(mesh: &Mesh) -> Result<Self, BevyError> {
        let positions = mesh.try_attribute(Mesh::ATTRIBUTE_POSITION)?.as_float3();
        let positions = positions.ok_or("the positions of its mesh are no vectors of three")?;
        let mut seen = hashbrown::HashMap::new();
        let (mut points, mut particles) = (Vec::new(), Vec::with_capacity(positions.len()));
        for &position in positions {
            // 0 and −0 are one place.
            let key = position.map(|x| (x + 0.0).to_bits());
            particles.push(*seen.entry(key).or_insert_with(|| {
                points.push(Vec3::from(position));
                points.len() as u32 - 1
            }));
        }
        let corners: Vec<u32> = match mesh.indices() {
            Some(indices) => indices.iter().map(|i| i as u32).collect(),
            None => (0..positions.len() as u32).collect(),
        };
        let mut indices = Vec::with_capacity(corners.len());
        for (k, triangle) in corners.chunks_exact(3).enumerate() {
            let at: Option<Vec<u32>> = triangle.iter().map(|&i| particles.get(i as usize).copied()).collect();
            let at = at.ok_or_else(|| format!("triangle {k} of its mesh, {triangle:?}, has no such vertex"))?;
            if at[0] != at[1] && at[1] != at[2] && at[2] != at[0] {
                indices.extend(at);
            }
        }
        let colors = match mesh.try_attribute_option(Mesh::ATTRIBUTE_COLOR) {
            Ok(Some(VertexAttributeValues::Float32x4(colors))) => colors.clone(),
            _ => Vec::new(),
        };
        let rest = positions.iter().copied().map(Vec3::from).collect();
        Ok(Self { points, indices, vertices: Vertices { particles, rest, colors } })
    }

    /// Each edge of a triangle once, the lower point first, in order.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let sides = self.indices.chunks_exact(3).flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
        let mut edges: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}
