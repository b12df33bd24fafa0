//! Meshes that follow objects.

use std::any::TypeId;
use std::marker::PhantomData;

use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::{NoAutoAabb, NoFrustumCulling};
use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::math::Vec3A;
use bevy::mesh::skinning::SkinnedMesh;
use bevy::pbr::PbrPlugin;
use bevy::prelude::*;
use bevy::render::RenderApp;
use xpbd_core::world::{ObjectHandle, World as Core};

use super::interpolated_positions::InterpolatedPositions;
use super::interpolation::{DrawSystems, FrameInterpolation};
use super::packed_vertices::PackedVertices;
use super::topology::Topology;
use super::tube_component::Tube;
use super::upload::{Upload, UploadTarget};
use crate::handle::ObjectId;
use crate::mesh::{RestMesh, RestSkin, VertexMap};
use crate::physics::Physics;
use crate::report::EntityErrors;
use crate::schedule::{XpbdSystems, add_ordered_systems};

/// A component beside [`ObjectId`] and `Mesh3d` that says where the vertices of the mesh are. Implemented by
/// [`VertexMap`], whose vertices follow particles; on an entity with both, another counts.
pub trait MeshDeformer: Component {
    /// Returns the place of each vertex of the mesh: vertices of one place are in one place, and shaded as one.
    ///
    /// # Errors
    /// The mesh is not one whose vertices it places. It is then drawn as it is.
    fn position_indices(&self, mesh: &Mesh) -> Result<Vec<u32>, BevyError>;

    /// Returns the mesh to be drawn in place of this one, if it is another; its vertices are then those that are
    /// placed.
    ///
    /// # Errors
    /// The mesh is not one that it knows. It is then drawn as it is.
    fn replacement_mesh(&self, _: &Mesh) -> Result<Option<Mesh>, BevyError> {
        Ok(None)
    }

    /// Returns for each place the particles of the object that it follows and their weights, if it does nothing else. A GPU
    /// that steps the world then places it.
    fn bindings(&self) -> Option<Vec<([u32; 4], [f32; 4])>> {
        None
    }

    /// Appends where the places are now \[m\], in the order of their numbers.
    ///
    /// # Errors
    /// The object is not what it was. The mesh stays as it is.
    fn positions(&self, world: &Core, object: ObjectHandle, places: &mut Vec<Vec3A>) -> Result<(), BevyError>;
}

/// Draws what components of one kind place. That of [`VertexMap`] is part of [`DrawPlugin`](super::DrawPlugin).
pub struct MeshDeformerPlugin<P> {
    schedule: Interned<dyn ScheduleLabel>,
    kind: PhantomData<fn(P)>,
}

impl<P> MeshDeformerPlugin<P> {
    /// Creates the plugin for a world that is stepped in this schedule.
    pub fn in_schedule(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern(), kind: PhantomData }
    }
}

impl<P> Default for MeshDeformerPlugin<P> {
    fn default() -> Self {
        Self::in_schedule(FixedPostUpdate)
    }
}

impl<P: MeshDeformer> Plugin for MeshDeformerPlugin<P> {
    fn build(&self, app: &mut App) {
        if app.get_sub_app(RenderApp).is_none() || !app.is_plugin_added::<PbrPlugin>() {
            return;
        }
        let attach = attach_render_mesh::<P>.in_set(DrawSystems::AttachMeshes);
        if TypeId::of::<P>() == TypeId::of::<VertexMap>() {
            app.add_systems(PostUpdate, attach);
        } else {
            // On an entity with both it sees the mesh of the map, and takes its place.
            app.add_systems(PostUpdate, attach.after(attach_render_mesh::<VertexMap>));
        }
        add_ordered_systems(app, self.schedule, XpbdSystems::Writeback, store_positions::<P>);
        app.add_observer(|removed: On<Remove, P>, mut commands: Commands| {
            let entity = removed.entity;
            commands.queue(move |world: &mut World| detach_render_mesh(world, entity, Some(TypeId::of::<P>())));
        });
    }
}

/// The mesh of its own that an entity is drawn with.
#[derive(Component)]
pub struct DeformedMesh {
    /// The mesh that is drawn.
    pub mesh: Handle<Mesh>,
    /// The type of the component that deforms it.
    deformer: TypeId,
    pub topology: Topology,
    pub packed: PackedVertices,
    motion: InterpolatedPositions,
    /// For each place four particles and the bits of their weights, if it follows them by weights.
    #[cfg(feature = "gpu")]
    pub bindings: Vec<u32>,
    /// True if a GPU places it.
    pub on_device: bool,
    /// True if that is why it is never culled.
    pub unculled: bool,
    normals: Vec<Vec3A>,
    places: Vec<Vec3A>,
    /// The buffers of the kernel that writes it.
    #[cfg(feature = "gpu")]
    pub tables: Option<super::device_buffers::DeviceBuffers>,
}

impl DeformedMesh {
    /// Returns its motion, if its triangles are these.
    fn motion_apart(&self, topology: &Topology) -> InterpolatedPositions {
        let mut motion = self.motion.clone();
        for [place, from] in topology.gained_since(&self.topology) {
            motion.begin_as(place as usize, from as usize);
        }
        motion
    }

    /// Returns whether no step has been made since it was.
    #[cfg(feature = "gpu")]
    pub fn is_new(&self, frames: u64) -> bool {
        self.motion.frames() == frames
    }

    /// Returns whether its places are particles, or follow them by weights.
    #[cfg(feature = "gpu")]
    pub fn follows_particles(&self) -> bool {
        self.deformer == TypeId::of::<VertexMap>() || !self.bindings.is_empty()
    }
}

/// Marks an entity whose mesh cannot be deformed, and is drawn as it is.
#[derive(Component)]
struct DeformationFailed;

pub fn build(app: &mut App) {
    app.add_systems(PostUpdate, place.in_set(DrawSystems::UpdateVertices));
    app.add_observer(|removed: On<Remove, ObjectId>, mut commands: Commands| {
        let entity = removed.entity;
        commands.queue(move |world: &mut World| detach_render_mesh(world, entity, None));
    });
}

/// The components by which an entity gets a mesh of its own.
type Dressed<'a, P> = (
    Entity,
    Ref<'a, ObjectId>,
    Ref<'a, P>,
    Ref<'a, Mesh3d>,
    Option<&'a RestMesh>,
    Option<&'a SkinnedMesh>,
    Option<&'a DeformedMesh>,
    Has<DeformationFailed>,
);

/// Gives entities meshes of their own.
fn attach_render_mesh<P: MeshDeformer>(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    physics: Res<Physics>,
    entities: Query<Dressed<'static, P>, Without<Tube>>,
    mut problems: EntityErrors,
) {
    let vertices = TypeId::of::<VertexMap>();
    for (entity, object, placer, mesh, rest, skin, surface, is_undrawn) in &entities {
        let is_own = surface.is_some_and(|surface| surface.mesh == mesh.0);
        let is_new = object.is_changed() || placer.is_changed() || (mesh.is_changed() && !is_own);
        let other = surface.map(|surface| surface.deformer).filter(|&other| other != TypeId::of::<P>());
        let counts = other.is_none_or(|other| other == vertices);
        if !counts || !(is_new || (surface.is_none() && !is_undrawn)) {
            continue;
        }
        let rest = rest.filter(|_| is_own).map_or(&mesh.0, |rest| &rest.rest).clone();
        let Some(rest_mesh) = meshes.get(&rest) else { continue };
        // A torn mesh goes on from where it was.
        let before = surface.filter(|before| is_own && before.deformer == TypeId::of::<P>());
        let goes_on = before.filter(|before| !object.is_changed() && !before.on_device);
        let made = placer.replacement_mesh(rest_mesh).and_then(|other| {
            let mesh = other.as_ref().unwrap_or(rest_mesh);
            let (own, packed) = PackedVertices::new(mesh)?;
            let topology = Topology::new(mesh, placer.position_indices(mesh)?)?;
            let mut places = Vec::new();
            placer.positions(physics.world(), object.handle(), &mut places)?;
            if places.len() < topology.places() {
                return Err(format!("its mesh follows {} places of {}", topology.places(), places.len()).into());
            }
            let motion = match goes_on {
                Some(before) if before.motion.current.len() == places.len() => before.motion_apart(&topology),
                _ => InterpolatedPositions::at(places, physics.world().state().frames),
            };
            Ok((own, packed, topology, motion))
        });
        let (own, packed, topology, motion) = match made {
            Ok(made) => made,
            Err(problem) => {
                problems.report(entity, "drawing", problem);
                commands.queue(move |world: &mut World| detach_render_mesh(world, entity, None));
                commands.entity(entity).try_insert(DeformationFailed);
                continue;
            }
        };
        let mesh = meshes.add(own);
        let upload = Upload::to(UploadTarget::Vertices(mesh.id(), packed.stride));
        let surface = DeformedMesh {
            mesh: mesh.clone(),
            deformer: TypeId::of::<P>(),
            topology,
            packed,
            motion,
            #[cfg(feature = "gpu")]
            bindings: words(placer.bindings()),
            on_device: false,
            unculled: before.is_some_and(|before| before.unculled),
            normals: Vec::new(),
            places: Vec::new(),
            #[cfg(feature = "gpu")]
            tables: None,
        };
        let bounds = (NoAutoAabb, Aabb::default());
        let rest = RestMesh { rest, drawn: mesh.id() };
        commands.entity(entity).try_insert((surface, upload, rest, Mesh3d(mesh), bounds));
        commands.entity(entity).try_remove::<DeformationFailed>();
        if let Some(skin) = skin {
            // The renderer would move once more what has been moved.
            commands.entity(entity).try_remove::<SkinnedMesh>().try_insert(RestSkin(skin.clone()));
        }
    }
}

/// Returns what a kernel reads of bindings.
#[cfg(feature = "gpu")]
fn words(bindings: Option<Vec<([u32; 4], [f32; 4])>>) -> Vec<u32> {
    let words = |(particles, weights): ([u32; 4], [f32; 4])| particles.into_iter().chain(weights.map(f32::to_bits));
    bindings.into_iter().flatten().flat_map(words).collect()
}

/// Gives an entity the mesh back that it came with, unless it has got another one since; of this placer, if one is
/// named.
pub fn detach_render_mesh(world: &mut World, entity: Entity, placer: Option<TypeId>) {
    let Ok(mut entity) = world.get_entity_mut(entity) else { return };
    let Some(surface) = entity.get::<DeformedMesh>() else { return };
    if placer.is_some_and(|placer| placer != surface.deformer) {
        return;
    }
    let (own, unculled) = (surface.mesh.id(), surface.unculled);
    let has_own = entity.get::<Mesh3d>().is_some_and(|mesh| mesh.id() == own);
    if let Some(RestMesh { rest, .. }) = entity.get::<RestMesh>().cloned()
        && has_own
    {
        entity.insert(Mesh3d(rest));
    }
    if let Some(RestSkin(skin)) = entity.take::<RestSkin>() {
        entity.insert_if_new(skin);
    }
    entity.remove::<(DeformedMesh, Upload, RestMesh, NoAutoAabb, Aabb)>();
    if unculled {
        entity.remove::<NoFrustumCulling>();
    }
}

/// Keeps where everything is after a step.
fn store_positions<P: MeshDeformer>(physics: Res<Physics>, mut surfaces: Query<(&ObjectId, &P, &mut DeformedMesh)>) {
    let frames = physics.world().state().frames;
    for (object, placer, mut surface) in &mut surfaces {
        if surface.deformer != TypeId::of::<P>() || surface.on_device {
            continue;
        }
        let count = surface.motion.current.len();
        surface.motion.step(frames, |places| {
            // An object that is not what it was is made anew before long.
            placer.positions(physics.world(), object.handle(), places).ok();
            places.resize(count, Vec3A::ZERO);
        });
    }
}

/// Places the vertices of this frame.
fn place(
    pace: Res<FrameInterpolation>,
    mut surfaces: Query<(&mut DeformedMesh, &mut Upload, &mut Aabb, &GlobalTransform, &InheritedVisibility)>,
) {
    for (mut surface, mut upload, mut bounds, transform, visibility) in &mut surfaces {
        let frame = transform.affine().inverse();
        if surface.on_device || !visibility.get() || !frame.is_finite() {
            continue;
        }
        let DeformedMesh { topology, packed, motion, normals, places, .. } = &mut *surface;
        places.clear();
        places.extend(motion.places(pace.fraction, frame));
        topology.normals(places, normals);
        let vertex = |&place: &u32| (places[place as usize], normals[place as usize]);
        packed.write(topology.place_of.iter().map(vertex), &mut upload.bytes);
        *bounds = around(places.iter().copied());
    }
}

/// Returns the box around points.
pub fn around(mut places: impl Iterator<Item = Vec3A>) -> Aabb {
    let Some(first) = places.next() else { return Aabb::default() };
    let (low, high) = places.fold((first, first), |(low, high), place| (low.min(place), high.max(place)));
    Aabb { center: 0.5 * (low + high), half_extents: 0.5 * (high - low) }
}
