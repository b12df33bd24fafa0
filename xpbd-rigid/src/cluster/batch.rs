//! The batch of shape-matched clusters.

use std::sync::Arc;

use glam::{Quat, Vec3, Vec4};
use xpbd_core::batch::{BatchError, Nodes};
use xpbd_core::plasticity::Plasticity;

use super::members::{ClusterMembers, NAME};
use super::polar;
use super::project::ClusterState;

/// The largest ã \[1\]: what is softer still does nothing, and its square is a number.
pub(super) const MAX_SOFTNESS: f32 = 1e18;

/// Clusters of particles that each keep their shape, up to a motion and a compliance.
///
/// Its constraints are the clusters. The multiplier of a cluster is the largest |λ| of its members,
/// its residual the longest way of a member to its goal \[m\].
#[derive(Debug, Clone)]
pub struct ClusterBatch {
    pub(super) members: Arc<ClusterMembers>,
    pub(super) compliance: f32,
    pub(super) plasticity: Option<Plasticity>,
    /// Gradient and signed distance \[m\] of the surface at each gathered node, in the rest shape.
    pub(super) distances: Vec<Vec4>,
    pub(super) states: Vec<ClusterState>,
    /// e \[m\] and weight \[kg\] of each member.
    pub(super) goal_offsets: Vec<Vec4>,
    /// u of each member \[m\].
    pub(super) corrections: Vec<Vec3>,
}

impl ClusterBatch {
    /// Returns rigid clusters among particles with these rest positions \[m\] and masses \[kg\], one a node;
    /// each cluster lists its nodes. A particle in several clusters gives each an equal share of its
    /// mass.
    ///
    /// # Errors
    /// The lists differ in length, or the first cluster that has no members, one that does not exist,
    /// or a number that is not valid.
    pub fn new(rest: &[Vec3], masses: &[f32], clusters: &[Vec<u32>]) -> Result<Self, BatchError> {
        Ok(Self::from_members(ClusterMembers::new(rest, masses, clusters)?))
    }

    pub(super) fn from_members(members: ClusterMembers) -> Self {
        let count = members.nodes.len();
        Self {
            states: vec![ClusterState::new(Quat::IDENTITY); members.len()],
            members: Arc::new(members),
            compliance: 0.0,
            plasticity: None,
            distances: Vec::new(),
            goal_offsets: vec![Vec4::ZERO; count],
            corrections: vec![Vec3::ZERO; count],
        }
    }

    /// Sets the compliance α of a member of mean mass toward its goal \[m/N\]; 0 is rigid.
    #[must_use]
    pub fn compliance(mut self, compliance: f32) -> Self {
        self.compliance = compliance;
        self
    }

    /// Sets the plasticity of the clusters.
    #[must_use]
    pub fn plasticity(mut self, plasticity: Plasticity) -> Self {
        self.plasticity = Some(plasticity);
        self
    }

    /// Sets the signed distances \[m\] of the particles from the surface of the body, negative inside, each behind
    /// its gradient in the rest shape; one for each node that is in a cluster, ascending, or none.
    ///
    /// # Errors
    /// A list of another length, or a number that is not finite.
    pub fn distances(mut self, distances: Vec<Vec4>) -> Result<Self, BatchError> {
        let (found, count) = (distances.len(), self.members.gathered.len());
        if found != count && found != 0 {
            return Err(BatchError::Length { name: NAME.into(), what: "distances", found, count, each: 1 });
        }
        if let Some(distance) = distances.iter().find(|distance| !distance.is_finite()) {
            let (what, value, must) = ("a distance", distance.w, "finite, with a finite gradient");
            return Err(BatchError::Number { name: NAME.into(), constraint: 0, what, value, must });
        }
        self.distances = distances;
        Ok(self)
    }

    /// Returns the signed distances and gradients as they were given.
    pub fn signed_distances(&self) -> &[Vec4] {
        &self.distances
    }

    /// Sets the rotation of the particles from the rest shape, from which the search for rotations starts.
    #[must_use]
    pub fn initial_rotation(mut self, rotation: Quat) -> Self {
        self.states.iter_mut().for_each(|frame| frame.rotation = rotation);
        self
    }

    /// Returns the plastic deformation of a cluster, as of the last step that came back from the device.
    pub fn plastic_deformation(&self, cluster: usize) -> Option<glam::Mat3> {
        self.states.get(cluster).map(|frame| frame.plastic)
    }

    /// Returns ã of a cluster \[1\], with `scale` = 1/h² \[1/s²\].
    pub(super) fn softness(&self, cluster: usize, scale: f32) -> f32 {
        ((self.compliance * self.members.mean_mass[cluster]) * scale).min(MAX_SOFTNESS)
    }

    /// Writes the signed distances of the particles, with gradients rotated with their first clusters, for contacts.
    pub(super) fn write_surface_distances(&self, nodes: &mut Nodes<'_>) {
        let members = &self.members;
        let mut known = (usize::MAX, [Vec3::ZERO; 3]);
        for (k, (&node, distance)) in members.gathered.iter().zip(&self.distances).enumerate() {
            let first = members.gathers[members.gathers_of(k).start];
            let cluster = members.cluster_of[first as usize] as usize;
            if known.0 != cluster {
                known = (cluster, polar::columns(polar::single(self.states[cluster].rotation)).map(Vec3::from));
            }
            let r = known.1;
            let gradient = (r[0] * distance.x + r[1] * distance.y) + r[2] * distance.z;
            nodes.set_signed_distance(node as usize, gradient, distance.w);
        }
    }

    pub(super) fn check_numbers(&self) -> Result<(), BatchError> {
        let refuse =
            |what, value, must| Err(BatchError::Number { name: NAME.into(), constraint: 0, what, value, must });
        if !(self.compliance.is_finite() && self.compliance >= 0.0) {
            return refuse("the compliance", self.compliance, "finite and not negative");
        }
        if let Some(Plasticity { yield_strain, creep, limit }) = self.plasticity {
            for (what, value) in [("the yield strain", yield_strain), ("the creep", creep)] {
                if !(value.is_finite() && value >= 0.0) {
                    return refuse(what, value, "finite and not negative");
                }
            }
            if !(limit > 0.0 && limit < 1.0) {
                return refuse("the plastic limit", limit, "above 0 and below 1");
            }
        }
        for (constraint, frame) in self.states.iter().enumerate() {
            let refuse =
                |what, value, must| Err(BatchError::Number { name: NAME.into(), constraint, what, value, must });
            let is_unit = (frame.rotation.length_squared() - 1.0).abs() < 1e-3;
            if !is_unit {
                return refuse("the length of the rotation", frame.rotation.length(), "1");
            }
            let volume = frame.plastic.determinant();
            if !(frame.plastic.is_finite() && volume > 0.0) {
                return refuse("the plastic volume", volume, "positive and finite");
            }
        }
        Ok(())
    }
}
