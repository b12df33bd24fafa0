//! Batches on their way into a pass.

use glam::Vec3;
use smallvec::SmallVec;

use super::colouring::Colouring;
use crate::batch::{Batch, ConstraintBatch};
use crate::connector::{Connector, NodeKind};
use crate::settings::ScheduleOrder;
use crate::settings::ScheduleSettings;

/// The largest load of a node \[1\] in a sweep.
///
/// A link between two nodes loads each by its part of the correction, w/(w₁ + w₂). A sweep of one
/// direction, repeated every substep, gains energy around a node that its links throw about more
/// than five times: measured on undamped stars of rigid links, a hub as heavy as its rim gains with
/// 12 links (load 6), a hub of a tenth of it with 6 (5.5), and a hub ten times as heavy holds with
/// 32 (2.9). A vertex of a cloth has 3 to 4. Split masses hold for any load. The colours cannot be
/// solved in a changing order instead: cloth at rest on a statue would tremble at 0.3 m/s.
const MAX_NODE_LOAD: f32 = 5.0;

/// The most constraints of a node in a sweep: as many as there can be colours. A node with more has
/// all of them in the remainder, since those that are swept would overshoot those that are not.
const MAX_NODE_CONSTRAINTS: u32 = 64;

/// The constraint that a slot of a pass holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PassSlot {
    /// Number of the batch, in the order of batches.
    pub batch: u32,
    /// Number of the constraint in its batch.
    pub constraint: u32,
}

/// A batch on its way into a pass, with the world index of each of its nodes.
pub struct ScheduledBatch<'a> {
    /// Number of the batch.
    pub batch_index: u32,
    /// The batch that is scheduled.
    pub batch: &'a Batch,
    /// World index of a node of the batch.
    pub resolve: &'a dyn Fn(NodeKind, u32) -> u32,
    /// A local vector on the body with this world index, from the frame of its user to the principal
    /// axes about its centre of mass.
    pub central: &'a dyn Fn(Connector, u32, Vec3) -> Vec3,
}

/// The constraints of a pass in the order of their batches.
pub(super) struct CollectedConstraints {
    /// Node slots of a constraint.
    pub width: usize,
    /// Which constraint is where.
    pub slots: Vec<PassSlot>,
    /// Index of the batch among those of the pass.
    pub entries: Vec<u32>,
    /// World indices, `width` for each constraint.
    pub nodes: Vec<u32>,
    /// Movable nodes, bodies numbered after particles.
    touched: Vec<SmallVec<[u32; 4]>>,
    /// Load of each number in `touched`, see [`BEARABLE`].
    node_load: Vec<f32>,
    /// Constraints of each number in `touched`.
    degree: Vec<u32>,
}

impl CollectedConstraints {
    pub fn collect(
        batches: &[ScheduledBatch<'_>],
        has: &dyn Fn(PassSlot) -> bool,
        inverse_mass: &dyn Fn(NodeKind, u32) -> f32,
    ) -> Self {
        let kinds = batches[0].batch.connectors().nodes();
        let mut this = Self {
            width: kinds.len(),
            slots: Vec::new(),
            entries: Vec::new(),
            nodes: Vec::new(),
            touched: Vec::new(),
            node_load: Vec::new(),
            degree: Vec::new(),
        };
        for (index, entry) in batches.iter().enumerate() {
            let slot = |constraint: usize| PassSlot { batch: entry.batch_index, constraint: constraint as u32 };
            let is_in = |&constraint: &usize| !entry.batch.is_broken(constraint) && has(slot(constraint));
            for constraint in (0..entry.batch.len()).filter(is_in) {
                let mut touched = SmallVec::new();
                let mut weights: SmallVec<[f32; 4]> = SmallVec::new();
                for (&kind, &node) in kinds.iter().zip(entry.batch.node_indices(constraint)) {
                    let node = (entry.resolve)(kind, node);
                    this.nodes.push(node);
                    let weight = inverse_mass(kind, node);
                    if weight > 0.0 {
                        touched.push(2 * node + u32::from(kind == NodeKind::Body));
                        weights.push(weight);
                    }
                }
                this.add_node_load(&touched, &weights);
                this.touched.push(touched);
                this.entries.push(index as u32);
                this.slots.push(slot(constraint));
            }
        }
        this
    }

    /// Adds a constraint to the load and degree of its nodes.
    fn add_node_load(&mut self, touched: &[u32], weights: &[f32]) {
        let space = touched.iter().map(|&number| number as usize + 1).max().unwrap_or(0).max(self.node_load.len());
        self.node_load.resize(space, 0.0);
        self.degree.resize(space, 0);
        let sum: f32 = weights.iter().sum();
        for (&number, weight) in touched.iter().zip(weights) {
            self.degree[number as usize] += 1;
            if touched.len() == 2 {
                self.node_load[number as usize] += weight / sum;
            }
        }
    }

    /// Assigns each constraint to a group.
    pub fn colour(&self, settings: &ScheduleSettings) -> Colouring {
        let constraints = self.touched.iter().map(SmallVec::as_slice);
        match settings.order {
            ScheduleOrder::Coloured => {
                let nodes = self.node_load.iter().zip(&self.degree);
                let crowded: Vec<bool> =
                    nodes.map(|(&load, &degree)| load > MAX_NODE_LOAD || degree > MAX_NODE_CONSTRAINTS).collect();
                Colouring::first_fit(&crowded, constraints, settings.max_colours)
            }
            ScheduleOrder::Sequential => Colouring::levels(self.node_load.len(), constraints),
        }
    }
}
