//! Where clusters are in a world.

use std::any::Any;

use glam::{Affine3A, Mat3, Vec3};
use parry3d::math::Pose;
use smallvec::SmallVec;
use xpbd_core::world::{ObjectHandle, World};

use super::batch::ClusterBatch;
use super::error::FrameError;
use super::polar::{self, ENOUGH_STEPS};

/// The pose of each cluster of an object: where the frame of its rest shape, as it was built, is now.
///
/// It is found from where the particles are, by their centre of mass and the nearest rotation.
///
/// # Errors
/// A stale handle, or an object without clusters.
pub fn poses(world: &World, object: ObjectHandle) -> Result<Vec<Pose>, FrameError> {
    let all = placements(world, object)?;
    Ok(all.iter().map(|placement| Pose::from_parts(placement.origin(), placement.rotation)).collect())
}

/// How each cluster of an object deforms its rest shape: its motion behind its plastic deformation.
///
/// # Errors
/// A stale handle, or an object without clusters.
pub fn deformations(world: &World, object: ObjectHandle) -> Result<Vec<Affine3A>, FrameError> {
    Ok(placements(world, object)?.iter().map(Placement::deformation).collect())
}

/// A cluster in the world.
struct Placement {
    rotation: glam::Quat,
    plastic: Mat3,
    centre: Vec3,
    rest_centre: Vec3,
}

impl Placement {
    fn origin(&self) -> Vec3 {
        self.centre - self.rotation * self.rest_centre
    }

    fn deformation(&self) -> Affine3A {
        let shape = Mat3::from_quat(self.rotation) * self.plastic;
        Affine3A::from_mat3_translation(shape, self.centre - shape * self.rest_centre)
    }
}

/// The clusters of an object.
///
/// # Errors
/// A stale handle, or an object without clusters.
pub(super) fn batch(world: &World, object: ObjectHandle) -> Result<(&ClusterBatch, Vec<Vec3>), FrameError> {
    world.packed_positions(object)?;
    for handle in world.batches_of(object) {
        let batch: &dyn Any = world.batch(handle)?;
        if let Some(batch) = batch.downcast_ref::<ClusterBatch>().filter(|batch| !batch.frames.is_empty()) {
            let objects = world.state().batches.get(handle).map(|state| &state.objects).into_iter().flatten();
            let lists: Result<SmallVec<[_; 2]>, _> = objects.map(|&object| world.positions(object)).collect();
            return Ok((batch, lists?.into_iter().flatten().collect()));
        }
    }
    Err(FrameError::NoClusters)
}

fn placements(world: &World, object: ObjectHandle) -> Result<Vec<Placement>, FrameError> {
    let (batch, positions) = batch(world, object)?;
    let members = &batch.members;
    let place = |cluster: usize| {
        let frame = &batch.frames[cluster];
        let origin = positions[members.nodes[members.of(cluster).start] as usize];
        let (mut sum, mut mass) = (Vec3::ZERO, 0.0);
        for member in members.of(cluster) {
            let m = members.rest[member].w;
            sum += (positions[members.nodes[member] as usize] - origin) * m;
            mass += m;
        }
        let centre = sum / mass;
        let mut a = Mat3::ZERO;
        for member in members.of(cluster) {
            let d = positions[members.nodes[member] as usize] - origin - centre;
            let p = frame.plastic * members.rest[member].truncate();
            let m = members.rest[member].w;
            a += Mat3::from_cols(d * (m * p.x), d * (m * p.y), d * (m * p.z));
        }
        Placement {
            rotation: polar::rotation(a, frame.rotation, ENOUGH_STEPS),
            plastic: frame.plastic,
            centre: origin + centre,
            rest_centre: members.centres[cluster],
        }
    };
    Ok((0..members.len()).map(place).collect())
}
