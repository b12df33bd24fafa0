//! Ropes and rods as tubes.

use std::f32::consts::TAU;

use bevy::asset::RenderAssetUsages;
use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::{NoAutoAabb, NoFrustumCulling};
use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::math::Vec3A;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use xpbd_core::scalar::trig;
#[cfg(feature = "gpu")]
use xpbd_core::world::ObjectHandle;
use xpbd_core::world::World as Core;

use super::interpolated_positions::InterpolatedPositions;
use super::interpolation::{DrawSystems, FrameInterpolation};
use super::packed_vertices::PackedVertices;
use super::surface::{around, detach_render_mesh};
use super::tube_component::Tube;
use super::upload::{Upload, UploadTarget};
use crate::handle::ObjectId;
use crate::object::CutLinks;
use crate::physics::Physics;
use crate::schedule::{XpbdSystems, add_ordered_systems};

/// The mesh of a tube.
#[derive(Component)]
pub struct TubeSurface {
    /// The mesh that is drawn.
    pub mesh: Handle<Mesh>,
    pub packed: PackedVertices,
    /// True if a GPU places it.
    pub on_device: bool,
    /// True if that is why it is never culled.
    pub unculled: bool,
    /// The buffers of the kernel that writes it.
    #[cfg(feature = "gpu")]
    pub tables: Option<super::device_buffers::DeviceBuffers>,
    motion: InterpolatedPositions,
    /// Sine and cosine of the directions around.
    ring: Vec<[f32; 2]>,
    /// The links that are cut.
    cuts: Vec<u32>,
    line: Vec<Vec3A>,
    vertices: Vec<(Vec3A, Vec3A)>,
}

#[cfg(feature = "gpu")]
impl TubeSurface {
    /// Returns the number of sides.
    pub fn sides(&self) -> u32 {
        self.ring.len() as u32 - 1
    }

    /// Returns for each point of the line 1 if the link after it is cut, and 2 if the point is absent.
    pub fn flags(&self, world: &Core, object: ObjectHandle) -> Vec<u32> {
        let is_cut = |link: u32| self.cuts.binary_search(&link).is_ok();
        let mut flags: Vec<u32> = (0..self.motion.current.len() as u32).map(|link| u32::from(is_cut(link))).collect();
        if let Some(state) = world.state().objects.get(object) {
            let absent = &world.state().particles.inactive[state.range.clone()];
            flags.iter_mut().zip(absent).for_each(|(flag, &absent)| *flag |= 2 * u32::from(absent));
        }
        flags
    }
}

pub fn build(app: &mut App, schedule: Interned<dyn ScheduleLabel>) {
    app.add_systems(
        PostUpdate,
        (build_tubes.in_set(DrawSystems::AttachMeshes), place.in_set(DrawSystems::UpdateVertices)),
    );
    add_ordered_systems(app, schedule, XpbdSystems::Writeback, capture);
    app.add_observer(|removed: On<Remove, Tube>, mut commands: Commands| remove_tube(removed.entity, &mut commands));
    app.add_observer(|removed: On<Remove, ObjectId>, mut commands: Commands| {
        remove_tube(removed.entity, &mut commands)
    });
}

/// Takes the mesh away that an entity was given.
fn remove_tube(entity: Entity, commands: &mut Commands) {
    commands.queue(move |world: &mut World| {
        let Ok(mut entity) = world.get_entity_mut(entity) else { return };
        let Some(wall) = entity.take::<TubeSurface>() else { return };
        if entity.get::<Mesh3d>().is_some_and(|mesh| mesh.0 == wall.mesh) {
            entity.remove::<Mesh3d>();
        }
        entity.remove::<(Upload, NoAutoAabb, Aabb)>();
        if wall.unculled {
            entity.remove::<NoFrustumCulling>();
        }
    });
}

/// Appends where the points of a line are \[m\]; those that are absent, on the drum of a winch for one, are where the
/// point before them is.
fn line(world: &Core, object: ObjectId, line: &mut Vec<Vec3A>) {
    let packed = world.packed_positions(object.handle()).unwrap_or_default();
    line.extend(packed.iter().map(|&packed| Vec3A::from_vec4(packed)));
    let Some(state) = world.state().objects.get(object.handle()) else { return };
    let absent = &world.state().particles.inactive[state.range.clone()];
    for k in (1..line.len()).filter(|&k| absent[k]) {
        line[k] = line[k - 1];
    }
}

/// Selects new objects, changed tubes and ropes that were cut.
type Anew = Or<(Changed<ObjectId>, Changed<Tube>, Changed<CutLinks>)>;

/// Makes meshes.
fn build_tubes(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    physics: Res<Physics>,
    tubes: Query<(Entity, &ObjectId, &Tube, Option<&CutLinks>), Anew>,
) {
    for (entity, &object, tube, cuts) in &tubes {
        let mut current = Vec::new();
        line(physics.world(), object, &mut current);
        let sides = tube.sides.clamp(3, 256);
        if current.len() < 2 {
            remove_tube(entity, &mut commands);
            continue;
        }
        let cuts = cuts.map_or_else(Vec::new, |cuts| cuts.to_vec());
        let mesh = tube_mesh(current.len() as u32, sides, &cuts);
        let Ok((own, packed)) = PackedVertices::new(&mesh) else { continue };
        let angle = |k: u32| TAU * k as f32 / sides as f32;
        let wall = TubeSurface {
            mesh: meshes.add(own),
            packed,
            on_device: false,
            unculled: false,
            #[cfg(feature = "gpu")]
            tables: None,
            motion: InterpolatedPositions::at(current, physics.world().state().frames),
            ring: (0..=sides).map(|k| [trig::sin(angle(k)), trig::cos(angle(k))]).collect(),
            cuts,
            line: Vec::new(),
            vertices: Vec::new(),
        };
        let upload = Upload::to(UploadTarget::Vertices(wall.mesh.id(), wall.packed.stride));
        let mesh = Mesh3d(wall.mesh.clone());
        commands.queue(move |world: &mut World| detach_render_mesh(world, entity, None));
        commands.entity(entity).try_insert((wall, upload, mesh, NoAutoAabb, Aabb::default()));
    }
}

/// Returns the mesh of a tube along so many points: a ring for each, with one vertex twice for the texture, and a flat
/// ring and a point at each end. Links that are cut have no wall, and the tube is closed on both sides of them.
fn tube_mesh(points: u32, sides: u32, cuts: &[u32]) -> Mesh {
    let ring = sides + 1;
    let rings = points + 2;
    // Rings: the flat one at the begin, those of the points, the flat one at the end; then the two tips.
    let row = |k: u32| k.clamp(1, points) - 1;
    let mut uvs: Vec<[f32; 2]> =
        (0..rings).flat_map(|k| (0..ring).map(move |s| [s as f32 / sides as f32, row(k) as f32])).collect();
    uvs.extend([[0.5, 0.0], [0.5, (points - 1) as f32]]);
    let mut indices = Vec::new();
    for k in 1..points {
        // Ring k is at point k − 1.
        if cuts.contains(&(k - 1)) {
            for s in 1..sides - 1 {
                let [a, b] = [k * ring, (k + 1) * ring];
                indices.extend([a, a + s, a + s + 1, b, b + s + 1, b + s]);
            }
            continue;
        }
        for s in 0..sides {
            let [a, b] = [k * ring + s, (k + 1) * ring + s];
            indices.extend([a, a + 1, b, a + 1, b + 1, b]);
        }
    }
    let (tip, last) = (rings * ring, (rings - 1) * ring);
    for s in 0..sides {
        indices.extend([tip, s + 1, s, tip + 1, last + s, last + s + 1]);
    }
    let count = uvs.len();
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, vec![[0.0_f32; 3]; count])
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, vec![[0.0_f32, 1.0, 0.0]; count])
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, uvs)
        .with_inserted_indices(Indices::U32(indices))
}

fn capture(physics: Res<Physics>, mut tubes: Query<(&ObjectId, &mut TubeSurface)>) {
    let frames = physics.world().state().frames;
    for (object, mut wall) in tubes.iter_mut().filter(|(_, wall)| !wall.on_device) {
        let count = wall.motion.current.len();
        wall.motion.step(frames, |places| {
            line(physics.world(), *object, places);
            places.resize(count, Vec3A::ZERO);
        });
    }
}

/// Places the vertices of this frame. A scaled entity has the radius in the world that its tube says, since rings
/// are laid in the world.
fn place(
    pace: Res<FrameInterpolation>,
    mut tubes: Query<(&Tube, &mut TubeSurface, &mut Upload, &mut Aabb, &GlobalTransform, &InheritedVisibility)>,
) {
    for (tube, mut wall, mut upload, mut bounds, transform, visibility) in &mut tubes {
        let frame = transform.affine().inverse();
        if wall.on_device || !visibility.get() || !frame.is_finite() {
            continue;
        }
        let TubeSurface { packed, motion, ring, cuts, line, vertices, .. } = &mut *wall;
        line.clear();
        line.extend(motion.places(pace.fraction, bevy::math::Affine3A::IDENTITY));
        tube_vertices(line, cuts, ring, tube.radius, vertices);
        // Normals turn as areas do.
        let turned = transform.affine().matrix3.transpose();
        for (place, normal) in vertices.iter_mut() {
            *place = frame.transform_point3a(*place);
            *normal = (turned * *normal).normalize_or_zero();
        }
        packed.write(vertices.iter().copied(), &mut upload.bytes);
        *bounds = around(vertices.iter().map(|vertex| vertex.0));
    }
}

/// Places \[m\] and normals of the vertices of a [`hose`] along a line. From point to point its rings turn with the
/// line and not about it (rotation-minimising frames: \[Wang08\], double reflection).
fn tube_vertices(line: &[Vec3A], cuts: &[u32], ring: &[[f32; 2]], radius: f32, vertices: &mut Vec<(Vec3A, Vec3A)>) {
    vertices.clear();
    let count = line.len();
    // At coincident points the direction of the line stays.
    let is_cut = |link: usize| cuts.binary_search(&(link as u32)).is_ok();
    let tangent = |k: usize, before: Vec3A| {
        let next = if is_cut(k) { k } else { (k + 1).min(count - 1) };
        let last = if k > 0 && !is_cut(k - 1) { k - 1 } else { k };
        let along = line[next] - line[last];
        along.try_normalize().unwrap_or(before)
    };
    let first = tangent(0, Vec3A::X);
    let mut along = first;
    let mut side = along.any_orthonormal_vector();
    let flat = |centre: Vec3A, along: Vec3A, side: Vec3A, facing: Option<Vec3A>| {
        let other = along.cross(side);
        ring.iter().map(move |&[sine, cosine]| {
            let out = cosine * side + sine * other;
            (centre + radius * out, facing.unwrap_or(out))
        })
    };
    vertices.extend(flat(line[0], along, side, Some(-along)));
    for k in 0..count {
        let next = tangent(k, along);
        if k > 0 {
            side = reflected(line[k] - line[k - 1], along, next, side);
        }
        along = next;
        vertices.extend(flat(line[k], along, side, None));
    }
    vertices.extend(flat(line[count - 1], along, side, Some(along)));
    vertices.extend([(line[0], -first), (line[count - 1], along)]);
}

/// Returns the direction `side`, normal to the tangent `along`, where the tangent is `next`, a step of this length
/// further.
fn reflected(step: Vec3A, along: Vec3A, next: Vec3A, side: Vec3A) -> Vec3A {
    let mirror = |x: Vec3A, axis: Vec3A| {
        let square = axis.length_squared();
        if square > 0.0 { x - (2.0 * axis.dot(x) / square) * axis } else { x }
    };
    let (along, side) = (mirror(along, step), mirror(side, step));
    let side = mirror(side, next - along);
    // A rounding error along the tangent would grow from point to point.
    (side - side.dot(next) * next).try_normalize().unwrap_or_else(|| next.any_orthonormal_vector())
}
