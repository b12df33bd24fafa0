//! Clusters as bytes.

use glam::{Mat3, Quat, Vec3, Vec4};
use serde::{Deserialize, Serialize};
use xpbd_core::batch::{BatchError, ConstraintBatch};
use xpbd_core::plasticity::Plasticity;

use super::batch::ClusterBatch;
use super::members::{ClusterMembers, NAME};

/// The data of a batch in a snapshot.
#[derive(Serialize, Deserialize)]
struct Saved {
    begins: Vec<u32>,
    nodes: Vec<u32>,
    rest: Vec<Vec4>,
    centres: Vec<Vec3>,
    distances: Vec<Vec4>,
    compliance: f32,
    plasticity: Option<[f32; 3]>,
    rotations: Vec<Quat>,
    plastic: Vec<Mat3>,
}

pub(super) fn save(batch: &ClusterBatch) -> Vec<u8> {
    let members = &batch.members;
    let saved = Saved {
        begins: members.begins.clone(),
        nodes: members.nodes.clone(),
        rest: members.rest.clone(),
        centres: members.centres.clone(),
        distances: batch.distances.clone(),
        compliance: batch.compliance,
        plasticity: batch.plasticity.map(|p| [p.yield_strain, p.creep, p.limit]),
        rotations: batch.states.iter().map(|frame| frame.rotation).collect(),
        plastic: batch.states.iter().map(|frame| frame.plastic).collect(),
    };
    // Numbers and lists of them can always be written to memory.
    postcard::to_stdvec(&saved).unwrap_or_default()
}

pub(super) fn restore(bytes: &[u8]) -> Result<Box<dyn ConstraintBatch>, BatchError> {
    let refused = |reason: String| BatchError::Saved(NAME.into(), reason);
    let (saved, rest): (Saved, _) = postcard::take_from_bytes(bytes).map_err(|error| refused(error.to_string()))?;
    if !rest.is_empty() {
        return Err(refused(format!("{} bytes follow its end", rest.len())));
    }
    let members = ClusterMembers::from_parts(saved.begins, saved.nodes, saved.rest, saved.centres)?;
    if saved.rotations.len() != members.len() || saved.plastic.len() != members.len() {
        return Err(refused("its lists do not fit together".into()));
    }
    let mut batch = ClusterBatch::from_members(members).compliance(saved.compliance).distances(saved.distances)?;
    batch.plasticity = saved.plasticity.map(|[yield_strain, creep, limit]| Plasticity { yield_strain, creep, limit });
    for ((frame, rotation), plastic) in batch.states.iter_mut().zip(saved.rotations).zip(saved.plastic) {
        (frame.rotation, frame.plastic) = (rotation, plastic);
    }
    Ok(Box::new(batch))
}
