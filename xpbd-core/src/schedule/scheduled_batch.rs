//! Batches on their way into a pass.

use glam::Vec3;
use smallvec::SmallVec;

use super::colouring::Colouring;
use super::patches::{Strips, Swept};
use crate::batch::{Batch, ConstraintBatch};
use crate::connector::{Connector, NodeKind};
use crate::settings::ScheduleOrder;
use crate::settings::ScheduleSettings;

/// The largest load \[1\] that nodes which are loaded much less may put on a node in a sweep.
///
/// A link between two nodes loads each by its part of the correction, w/(w₁ + w₂). A sweep of one direction, repeated every
/// substep, gains energy around a node that is thrown about by links whose other ends follow it alone. Measured on undamped
/// graphs of rigid links with 2, 10 and 30 substeps: stars, also of a light or a heavy hub, wheels, rows and clusters of hubs gain
/// from 2.5 on, nearly all from 3 on, and none below. Nets whose nodes are loaded about equally hold with any load: complete
/// graphs with 10, random ones with 58, cloth with a spring across each edge with 6. Split masses hold for all. The
/// colours cannot be solved in a changing order instead: cloth at rest on a statue would tremble at 0.3 m/s.
const MAX_LOAD_OF_LIGHTLY_LOADED: f32 = 2.4;

/// The contrast \[1\] of two loads from which the smaller one is much less.
const LOAD_CONTRAST: f32 = 2.5;

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
pub(crate) struct CollectedConstraints {
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
    /// Two numbers in `touched` that a constraint ties together alone, each with its part of the correction.
    links: Vec<[(u32, f32); 2]>,
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
            links: Vec::new(),
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
                this.count_nodes(&touched, &weights);
                this.touched.push(touched);
                this.entries.push(index as u32);
                this.slots.push(slot(constraint));
            }
        }
        this
    }

    /// Adds a constraint to the degree of its nodes, and to the links.
    fn count_nodes(&mut self, touched: &[u32], weights: &[f32]) {
        let space = touched.iter().map(|&number| number as usize + 1).max().unwrap_or(0).max(self.degree.len());
        self.degree.resize(space, 0);
        touched.iter().for_each(|&number| self.degree[number as usize] += 1);
        if let (&[a, b], &[first, second]) = (touched, weights) {
            let sum = first + second;
            self.links.push([(a, first / sum), (b, second / sum)]);
        }
    }

    /// Returns the nodes whose constraints a sweep must not solve one after the other.
    fn crowded(&self) -> Vec<bool> {
        let (mut load, mut of_light) = (vec![0.0; self.degree.len()], vec![0.0; self.degree.len()]);
        for &(node, part) in self.links.iter().flatten() {
            load[node as usize] += part;
        }
        for &[a, b] in &self.links {
            for ((node, part), (other, _)) in [(a, b), (b, a)] {
                if LOAD_CONTRAST * load[other as usize] < load[node as usize] {
                    of_light[node as usize] += part;
                }
            }
        }
        let nodes = of_light.iter().zip(&self.degree);
        nodes.map(|(&load, &degree)| load > MAX_LOAD_OF_LIGHTLY_LOADED || degree > MAX_NODE_CONSTRAINTS).collect()
    }

    /// Returns the lowest of the movable nodes of a constraint, if it has any, by which constraints are sorted: threads that
    /// divide a list of constraints among them then move the particles of which they have the same part. A node that cannot
    /// move tells nothing: all tethers of a sheet have their pin in common.
    pub fn lowest(&self, constraint: usize) -> Option<u32> {
        self.touched[constraint].iter().copied().min()
    }

    /// Finds the strips by which passes are divided, if any can be.
    pub fn strips(passes: &[Self]) -> Option<Strips> {
        let crowded: Vec<Vec<bool>> = passes.iter().map(Self::crowded).collect();
        let swept = passes.iter().zip(&crowded).map(|(pass, crowded)| Swept { constraints: &pass.touched, crowded });
        Strips::find(&swept.collect::<Vec<_>>())
    }

    /// Assigns each constraint to a group, in patches if there are strips.
    pub fn colour(&self, settings: &ScheduleSettings, strips: Option<&mut Strips>) -> Colouring {
        let constraints = self.touched.iter().map(SmallVec::as_slice);
        if settings.order == ScheduleOrder::Sequential {
            return Colouring::levels(self.degree.len(), constraints);
        }
        let crowded = self.crowded();
        match strips.and_then(|strips| strips.divide(&crowded, &self.touched)) {
            Some(patches) => Colouring::in_patches(&crowded, &self.touched, settings.max_colours, patches),
            None => Colouring::first_fit(&crowded, constraints, settings.max_colours),
        }
    }
}
