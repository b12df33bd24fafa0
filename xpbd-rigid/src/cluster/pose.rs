//! The poses of clusters in a world.

use std::any::Any;

use glam::{Affine3A, Mat3, Vec3};
use parry3d::math::Pose;
use xpbd_core::world::{ObjectHandle, World};

use super::batch::ClusterBatch;
use super::error::ClusterQueryError;
use super::polar::{self, SUFFICIENT_STEPS};

/// Returns the pose of each cluster of an object: where the frame of its rest shape, as it was built, is now.
///
/// It is found from where the particles are, by their centre of mass and the nearest rotation.
///
/// # Errors
/// A stale handle, or an object without clusters.
pub fn poses(world: &World, object: ObjectHandle) -> Result<Vec<Pose>, ClusterQueryError> {
    let all = cluster_poses(world, object)?;
    Ok(all.iter().map(|placement| Pose::from_parts(placement.origin(), placement.rotation)).collect())
}

/// Returns how each cluster of an object deforms its rest shape: its motion behind its plastic deformation.
///
/// # Errors
/// A stale handle, or an object without clusters.
pub fn deformations(world: &World, object: ObjectHandle) -> Result<Vec<Affine3A>, ClusterQueryError> {
    Ok(cluster_poses(world, object)?.iter().map(ClusterPose::deformation).collect())
}

/// Returns where each particle of an object belongs \[m\]: its place in the rest shape as its clusters are now, their
/// mean if it is in several. Also where an absent one would; those that are in no cluster belong where they are.
///
/// # Errors
/// A stale handle, or an object without clusters.
pub fn goals(world: &World, object: ObjectHandle) -> Result<Vec<Vec3>, ClusterQueryError> {
    let (batch, nodes) = batch(world, object)?;
    let members = &batch.members;
    let deformations: Vec<_> = cluster_poses(world, object)?.iter().map(ClusterPose::deformation).collect();
    let mut goals: Vec<Vec3> = nodes.iter().map(|node| node.position).collect();
    for (k, &node) in members.gathered.iter().enumerate() {
        let range = members.gathers_of(k);
        let goal = |&member: &u32| {
            let cluster = members.cluster_of[member as usize] as usize;
            let rest = members.centres[cluster] + members.rest[member as usize].truncate();
            deformations[cluster].transform_point3(rest)
        };
        goals[node as usize] = members.gathers[range.clone()].iter().map(goal).sum::<Vec3>() / range.len() as f32;
    }
    let own = nodes.iter().zip(&goals).filter(|(node, _)| node.object == object);
    Ok(own.map(|(_, &goal)| goal).collect())
}

/// A cluster in the world.
struct ClusterPose {
    rotation: glam::Quat,
    plastic: Mat3,
    centre: Vec3,
    rest_centre: Vec3,
}

impl ClusterPose {
    fn origin(&self) -> Vec3 {
        self.centre - self.rotation * self.rest_centre
    }

    fn deformation(&self) -> Affine3A {
        let shape = Mat3::from_quat(self.rotation) * self.plastic;
        Affine3A::from_mat3_translation(shape, self.centre - shape * self.rest_centre)
    }
}

/// A node of a batch.
pub(super) struct ClusterNode {
    object: ObjectHandle,
    position: Vec3,
    active: bool,
}

/// Returns the clusters of an object, and the nodes of their batch.
///
/// # Errors
/// A stale handle, or an object without clusters.
pub(super) fn batch(
    world: &World,
    object: ObjectHandle,
) -> Result<(&ClusterBatch, Vec<ClusterNode>), ClusterQueryError> {
    world.packed_positions(object)?;
    for handle in world.batches_of(object) {
        let batch: &dyn Any = world.batch(handle)?;
        if let Some(batch) = batch.downcast_ref::<ClusterBatch>().filter(|batch| !batch.states.is_empty()) {
            let objects = world.state().batches.get(handle).map(|state| &state.objects).into_iter().flatten();
            let mut nodes = Vec::new();
            for &object in objects {
                let places = world.positions(object)?.enumerate();
                let placed = |(k, position)| Ok(ClusterNode { object, position, active: world.is_active(object, k)? });
                nodes.extend(places.map(placed).collect::<Result<Vec<_>, ClusterQueryError>>()?);
            }
            return Ok((batch, nodes));
        }
    }
    Err(ClusterQueryError::NoClusters)
}

fn cluster_poses(world: &World, object: ObjectHandle) -> Result<Vec<ClusterPose>, ClusterQueryError> {
    let (batch, nodes) = batch(world, object)?;
    Ok((0..batch.members.len()).map(|cluster| fit_cluster(batch, &nodes, cluster)).collect())
}

/// Fits a cluster to those of its members that are present, or to where all were left if none is.
fn fit_cluster(batch: &ClusterBatch, nodes: &[ClusterNode], cluster: usize) -> ClusterPose {
    let (members, frame) = (&batch.members, &batch.states[cluster]);
    let node = |member: usize| &nodes[members.nodes[member] as usize];
    let mut all: Vec<usize> = members.of(cluster).filter(|&member| node(member).active).collect();
    if all.is_empty() {
        all.extend(members.of(cluster));
    }
    let origin = node(all[0]).position;
    let (mut sum, mut rest, mut mass) = (Vec3::ZERO, Vec3::ZERO, 0.0);
    for &member in &all {
        let m = members.rest[member].w;
        sum += (node(member).position - origin) * m;
        rest += members.rest[member].truncate() * m;
        mass += m;
    }
    let centre = sum / mass;
    // The centre of all members is that of the rest shape.
    let rest = if all.len() < members.of(cluster).len() { rest / mass } else { Vec3::ZERO };
    let mut a = Mat3::ZERO;
    for &member in &all {
        let d = node(member).position - origin - centre;
        let p = frame.plastic * (members.rest[member].truncate() - rest);
        let m = members.rest[member].w;
        a += Mat3::from_cols(d * (m * p.x), d * (m * p.y), d * (m * p.z));
    }
    ClusterPose {
        rotation: polar::rotation(a, frame.rotation, SUFFICIENT_STEPS),
        plastic: frame.plastic,
        centre: origin + centre,
        rest_centre: members.centres[cluster] + rest,
    }
}
