//! From joints to where cloth should be.

use bevy::ecs::system::SystemParam;
use bevy::math::{Affine3A, Mat3A, Vec3A};
use bevy::mesh::VertexAttributeValues;
use bevy::mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy::prelude::*;
use parry3d::math::Pose;
use xpbd_cloth::{SkinnedVertex, Skinning};
use xpbd_core::world::ObjectHandle;

use super::{SkinAttachment, SkinBackstop, SkinPart};
use crate::handle::ObjectId;
use crate::mesh::{RestMesh, RestSkin, VertexMap};
use crate::physics::{Physics, PhysicsHandle};
use crate::pose::{FASTEST_HOLDER, rigid_motion};
use crate::report::EntityErrors;
use crate::time::StepLength;

/// The binding of a cloth to its skin.
#[derive(Component, Debug, Default, Clone)]
pub(super) struct SkinBinding {
    /// The cloth that it was made for, or could not be.
    of: Option<ObjectHandle>,
    skinning: Option<Skinning>,
    /// The skinned points of the particles that follow.
    points: Vec<Point>,
    /// The matrices of the joints before the last step.
    last: Vec<Affine3A>,
}

/// A point of a mesh that is bound to joints.
#[derive(Debug, Clone, Copy)]
struct Point {
    place: Vec3,
    normal: Vec3,
    joints: [u16; 4],
    weights: [f32; 4],
}

impl SkinBinding {
    fn release(&mut self, physics: &mut Physics) {
        if let Some(skinning) = self.skinning.take() {
            physics.remove(PhysicsHandle::Object(skinning.object()));
        }
        self.of = None;
    }
}

pub(super) fn let_go(
    removed: On<Remove, SkinAttachment>,
    mut bindings: Query<&mut SkinBinding>,
    mut physics: ResMut<Physics>,
) {
    if let Ok(mut binding) = bindings.get_mut(removed.entity) {
        binding.release(&mut physics);
    }
}

/// Nothing follows of a cloth that is none any more.
pub(super) fn let_go_of_none(
    removed: On<Remove, ObjectId>,
    mut bindings: Query<&mut SkinBinding>,
    mut physics: ResMut<Physics>,
) {
    if let Ok(mut binding) = bindings.get_mut(removed.entity) {
        binding.release(&mut physics);
    }
}

/// Finds the joints of skins.
#[derive(SystemParam)]
pub(super) struct JointMatrices<'w, 's> {
    transforms: TransformHelper<'w, 's>,
    bindposes: Option<Res<'w, Assets<SkinnedMeshInverseBindposes>>>,
}

impl JointMatrices<'_, '_> {
    /// From where the mesh was bound to the world, by each joint; none while that is loaded.
    fn matrices(&self, skin: &SkinnedMesh) -> Result<Option<Vec<Affine3A>>, BevyError> {
        let Some(bindposes) = self.bindposes.as_ref().and_then(|poses| poses.get(&skin.inverse_bindposes)) else {
            return Ok(None);
        };
        let matrix = |(&joint, &bound): (&Entity, &Mat4)| {
            let now = self.transforms.compute_global_transform(joint);
            Ok(now.map_err(|problem| format!("joint {joint}: {problem}"))?.affine() * Affine3A::from_mat4(bound))
        };
        skin.joints.iter().zip(bindposes.iter()).map(matrix).collect::<Result<_, _>>().map(Some)
    }
}

impl Point {
    /// Returns where it is and where its normal points; none if it has a joint that is none.
    fn on(&self, joints: &[Affine3A]) -> Option<(Vec3, Vec3)> {
        let mut sum = Affine3A { matrix3: Mat3A::ZERO, translation: Vec3::ZERO.into() };
        for (&joint, &weight) in self.joints.iter().zip(&self.weights).filter(|(_, weight)| **weight != 0.0) {
            let matrix = joints.get(joint as usize)?;
            sum.matrix3 += matrix.matrix3 * weight;
            sum.translation += matrix.translation * weight;
        }
        let Affine3A { matrix3: turn, .. } = sum;
        // Normals turn as areas do.
        let [x, y, z] = [turn.x_axis, turn.y_axis, turn.z_axis];
        let areas = Mat3A::from_cols(y.cross(z), z.cross(x), x.cross(y)) * turn.determinant().signum();
        let normal = Vec3::from(areas * Vec3A::from(self.normal)).normalize_or(Vec3::Y);
        Some((sum.transform_point3(self.place), normal))
    }
}

/// Returns the point of a mesh that each particle follows, if it follows one.
fn points(mesh: &Mesh, vertices: &VertexMap) -> Result<Vec<Option<Point>>, BevyError> {
    let Some(VertexAttributeValues::Uint16x4(joints)) = mesh.try_attribute_option(Mesh::ATTRIBUTE_JOINT_INDEX)? else {
        return Err("its mesh has no joints".into());
    };
    let Some(VertexAttributeValues::Float32x4(weights)) = mesh.try_attribute_option(Mesh::ATTRIBUTE_JOINT_WEIGHT)?
    else {
        return Err("its mesh has no weights of its joints".into());
    };
    let normals = mesh.try_attribute_option(Mesh::ATTRIBUTE_NORMAL)?.and_then(VertexAttributeValues::as_float3);
    let count = vertices.particles.iter().max().map_or(0, |&most| most as usize + 1);
    let mut points: Vec<Option<Point>> = vec![None; count];
    for (vertex, &particle) in vertices.particles.iter().enumerate() {
        let vertex = vertices.original(vertex);
        let (Some(&joints), Some(&weights)) = (joints.get(vertex), weights.get(vertex)) else {
            return Err(format!("vertex {vertex} of its mesh has no joints").into());
        };
        let normal = normals.and_then(|normals| normals.get(vertex)).map_or(Vec3::ZERO, |&normal| normal.into());
        let new = Point { place: vertices.rest[vertex], normal: Vec3::ZERO, joints, weights };
        // Vertices at one position share the mean of their normals.
        points[particle as usize].get_or_insert(new).normal += normal;
    }
    Ok(points)
}

/// The components by which a skin is bound.
type Described<'a> = (
    Entity,
    Ref<'a, SkinAttachment>,
    &'a ObjectId,
    &'a VertexMap,
    (Option<&'a SkinnedMesh>, Option<&'a RestSkin>),
    (Option<&'a Mesh3d>, Option<&'a RestMesh>),
    &'a mut SkinBinding,
);

/// Binds cloth that is new, or follows otherwise than before.
pub(super) fn bind(
    mut physics: ResMut<Physics>,
    mut cloth: Query<Described<'static>>,
    joints: JointMatrices,
    meshes: Option<Res<Assets<Mesh>>>,
    mut problems: EntityErrors,
) {
    let is_new = |all: &(_, Ref<SkinAttachment>, &ObjectId, _, _, _, Mut<SkinBinding>)| {
        all.1.is_changed() || all.6.of != Some(all.2.handle())
    };
    let mut waiting: Vec<_> = cloth.iter_mut().filter(is_new).collect();
    // The order of the world's objects is that of their entities, not of archetypes.
    waiting.sort_unstable_by_key(|all| all.0);
    for (entity, on, id, vertices, (skin, rest_skin), (mesh, rest_mesh), mut binding) in waiting {
        let was_on = binding.of == Some(id.handle());
        let skin = skin.or(rest_skin.map(|skin| &skin.0));
        let mesh = RestMesh::given(mesh, rest_mesh);
        let mesh = mesh.zip(meshes.as_ref()).and_then(|(mesh, meshes)| meshes.get(mesh));
        let (Some(skin), Some(mesh)) = (skin, mesh) else { continue };
        let bound = joints.matrices(skin).and_then(|matrices| {
            let Some(matrices) = matrices else { return Ok(false) };
            binding.release(&mut physics);
            binding.bind(&mut physics, id.handle(), &on, (mesh, vertices), &matrices, was_on)?;
            Ok(true)
        });
        match bound {
            Ok(false) => {}
            Ok(true) => binding.of = Some(id.handle()),
            Err(problem) => {
                binding.of = Some(id.handle());
                problems.report(entity, "on a skin", problem);
            }
        }
    }
}

impl SkinBinding {
    /// Puts a cloth on its skin, unless it was there, and lets it follow.
    fn bind(
        &mut self,
        physics: &mut Physics,
        object: ObjectHandle,
        on: &SkinAttachment,
        (mesh, vertices): (&Mesh, &VertexMap),
        joints: &[Affine3A],
        was_on: bool,
    ) -> Result<(), BevyError> {
        let points = points(mesh, vertices)?;
        let bound = (0u32..).zip(&points).filter_map(|(particle, point)| Some((particle, (*point)?)));
        let placed = bound.map(|(particle, point)| Some((particle, point, point.on(joints)?)));
        let placed: Vec<_> = placed.collect::<Option<_>>().ok_or("its mesh has joints that its skin has not")?;
        let world = physics.world_mut();
        if !was_on {
            for &(particle, _, (place, _)) in &placed {
                let velocity = world.velocity(object, particle as usize)?;
                world.set_position(object, particle as usize, place, velocity)?;
            }
        }
        let mut part_of = vec![None; points.len()];
        for part in &on.parts {
            let chosen =
                (0u32..).zip(&vertices.particles).filter(|&(vertex, _)| part.selection.holds(vertex, vertices));
            for (_, &particle) in chosen {
                part_of[particle as usize].get_or_insert(part);
            }
        }
        let following = placed.iter().filter_map(|at| Some((at, part_of[at.0 as usize]?)));
        let follower = |&(at, part): &(&(u32, _, _), &SkinPart)| SkinnedVertex {
            vertex: at.0,
            max_distance: part.max_distance,
            stiffness: part.stiffness,
            backstop: part.backstop.map(|SkinBackstop { depth, radius }| [depth, radius]),
        };
        let following: Vec<_> = following.collect();
        let followers: Vec<SkinnedVertex> = following.iter().map(follower).collect();
        self.points = following.iter().map(|(at, _)| at.1).collect();
        let (places, normals): (Vec<_>, Vec<_>) = following.iter().map(|(at, _)| at.2).unzip();
        self.skinning = Some(Skinning::new(world, object, &followers, &places, &normals)?);
        self.last = joints.to_vec();
        Ok(())
    }
}

impl SkinBinding {
    /// Moves the skin with its joints. A jump of theirs takes the cloth along.
    fn follow(&mut self, physics: &mut Physics, joints: Vec<Affine3A>, dt: f32) -> Result<(), BevyError> {
        let Some(skinning) = &self.skinning else { return Ok(()) };
        let placed: Option<Vec<_>> = self.points.iter().map(|point| point.on(&joints)).collect();
        let (places, normals): (Vec<_>, Vec<_>) =
            placed.ok_or("its mesh has joints that its skin has not")?.into_iter().unzip();
        if let Some((cloth, motion)) = self.of.zip(self.jump(&places, &joints, dt)) {
            physics.teleport_object(cloth, motion)?;
            physics.teleport_object(skinning.object(), motion)?;
        }
        skinning.set_targets(physics.world_mut(), &places, &normals)?;
        self.last = joints;
        Ok(())
    }

    /// Returns the motion of the joint that the first point follows most, if that takes the point farther in `dt` \[s\] than
    /// anything that is no jump.
    fn jump(&self, places: &[Vec3], joints: &[Affine3A], dt: f32) -> Option<Pose> {
        let (point, &now) = self.points.first().zip(places.first())?;
        let (before, _) = point.on(&self.last)?;
        if before.distance(now) <= FASTEST_HOLDER * dt {
            return None;
        }
        let heaviest = (0..4).max_by(|&a, &b| point.weights[a].total_cmp(&point.weights[b]))?;
        let joint = point.joints[heaviest] as usize;
        Some(rigid_motion(self.last.get(joint)?.to_owned().into(), joints.get(joint)?.to_owned().into()))
    }
}

/// Moves skins with their joints.
pub(super) fn follow(
    mut physics: ResMut<Physics>,
    length: Res<StepLength>,
    mut cloth: Query<(Entity, Option<&SkinnedMesh>, Option<&RestSkin>, &mut SkinBinding)>,
    joints: JointMatrices,
    mut problems: EntityErrors,
) {
    let Some(dt) = length.get() else { return };
    for (entity, skin, rest_skin, mut binding) in &mut cloth {
        let skin = skin.or(rest_skin.map(|skin| &skin.0));
        let (Some(skin), Some(_)) = (skin, &binding.skinning) else { continue };
        let followed = joints.matrices(skin).and_then(|matrices| match matrices {
            Some(matrices) => binding.follow(&mut physics, matrices, dt),
            None => Ok(()),
        });
        if let Err(problem) = followed {
            problems.report(entity, "on a skin", problem);
        }
    }
}
