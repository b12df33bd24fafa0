//! The batch of shape-matched clusters.

use std::sync::Arc;

use glam::{Quat, Vec3, Vec4};
use smallvec::{SmallVec, smallvec};
use xpbd_core::batch::{BatchError, BatchKernel, BatchNode, ConstraintBatch, NodeCounts, Nodes};
use xpbd_core::plasticity::Plasticity;

use super::members::ClusterMembers;
use super::project::ClusterState;
use super::{kernel, polar, snapshot};

/// The name under which the type is registered.
pub(super) const NAME: &str = "cluster";

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
    fn softness(&self, cluster: usize, scale: f32) -> f32 {
        ((self.compliance * self.members.mean_mass[cluster]) * scale).min(MAX_SOFTNESS)
    }

    /// Writes the signed distances of the particles, with gradients rotated with their first clusters, for contacts.
    fn write_surface_distances(&self, nodes: &mut Nodes<'_>) {
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

    fn check_numbers(&self) -> Result<(), BatchError> {
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

impl ConstraintBatch for ClusterBatch {
    fn name(&self) -> &'static str {
        NAME
    }

    fn len(&self) -> usize {
        self.members.len()
    }

    fn nodes(&self, constraint: usize) -> SmallVec<[BatchNode; 8]> {
        self.members.nodes[self.members.of(constraint)].iter().map(|&node| BatchNode::Particle(node)).collect()
    }

    fn validate(&self, counts: NodeCounts) -> Result<(), BatchError> {
        self.check_numbers()?;
        self.members.validate(counts)
    }

    fn begin_substep(&mut self, nodes: &mut Nodes<'_>, _: f32) {
        self.write_surface_distances(nodes);
        self.corrections.fill(Vec3::ZERO);
        self.states.iter_mut().for_each(|frame| frame.is_unmatched = true);
    }

    fn project(&mut self, nodes: &mut Nodes<'_>, h: f32) {
        let scale = nodes.compliance_scale();
        for (cluster, frame) in self.states.iter_mut().enumerate() {
            frame.match_shape(&self.members, cluster, self.plasticity, h, &mut self.goal_offsets, nodes);
        }
        let members = self.members.clone();
        for (k, &node) in members.gathered.iter().enumerate() {
            if nodes.inverse_mass(node as usize) == 0.0 {
                continue;
            }
            let range = members.gathers_of(k);
            let mut sum = Vec3::ZERO;
            for &member in &members.gathers[range.clone()] {
                let cluster = members.cluster_of[member as usize] as usize;
                let (p, m) = (members.rest[member as usize].truncate(), member as usize);
                let (way, pull) = (self.goal_offsets[m].truncate(), self.corrections[m]);
                let delta = self.states[cluster].correction(p, way, pull, self.softness(cluster, scale));
                self.corrections[m] = pull + delta;
                sum += delta;
            }
            nodes.shift(node as usize, sum / range.len() as f32);
        }
    }

    fn multipliers(&self, constraint: usize) -> SmallVec<[f32; 6]> {
        if constraint >= self.members.len() {
            return SmallVec::new();
        }
        let lambda = |k: usize| self.corrections[k].length() * self.members.rest[k].w;
        smallvec![self.members.of(constraint).map(lambda).fold(0.0, f32::max)]
    }

    fn residual(&self, nodes: &Nodes<'_>, constraint: usize) -> f32 {
        let Some(&(mut frame)) = self.states.get(constraint) else { return 0.0 };
        let mut ways = vec![Vec4::ZERO; self.goal_offsets.len()];
        frame.match_shape(&self.members, constraint, None, 0.0, &mut ways, nodes);
        let way =
            |k: usize| frame.correction(self.members.rest[k].truncate(), ways[k].truncate(), Vec3::ZERO, 0.0).length();
        let present = |&k: &usize| nodes.is_active(self.members.nodes[k] as usize);
        self.members.of(constraint).filter(present).map(way).fold(0.0, f32::max)
    }

    fn kernel(&self) -> Option<BatchKernel> {
        Some(kernel::kernel(self))
    }

    fn read_back(&mut self, buffers: &[Vec<u32>]) {
        kernel::absorb(self, buffers);
    }

    fn save(&self) -> Vec<u8> {
        snapshot::save(self)
    }
}
