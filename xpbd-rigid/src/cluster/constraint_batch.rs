//! The clusters of a batch as constraints of a world.

use glam::{Vec3, Vec4};
use smallvec::{SmallVec, smallvec};
use xpbd_core::batch::{BatchError, BatchKernel, BatchNode, ConstraintBatch, NodeCounts, Nodes, Registry};
use xpbd_core::constraint::ConstraintError;

use super::batch::ClusterBatch;
use super::members::NAME;
use super::{kernel, snapshot};

impl ConstraintBatch for ClusterBatch {
    fn name(&self) -> &'static str {
        NAME
    }

    fn register(&self, registry: &mut Registry) -> Result<(), ConstraintError> {
        super::register(registry)
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
