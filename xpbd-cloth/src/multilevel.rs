//! Coarse levels of a sheet: constraints among a few of its vertices, whose corrections move all others with them
//! (\[HPBD08\] Müller, *Hierarchical Position Based Dynamics*, 2008).
//!
//! A sweep over edges passes a correction on by a few edges a substep. Here a sweep over the vertices of coarse levels,
//! 16 and 4 edges apart, comes first. Each pair (a, b) of neighbours in a level stays within d, the length of the shortest
//! path along the sheet at rest:
//!
//! ```text
//! C = max(0, |xᵃ + ΔXᵃ − xᵇ − ΔXᵇ| − d)
//! ΔXᵃ ← ΔXᵃ − Wₐ n C/(Wₐ + W_b),   ΔXᵇ ← ΔXᵇ + W_b n C/(Wₐ + W_b)
//! ```
//!
//! The corrections of a level begin as those that the level above hands down, and those of the finest level move the
//! vertices of the mesh:
//!
//! ```text
//! ΔXᶜ = Σ P_cp ΔXᵖ,     Δxᵢ = Σ P_ic ΔXᶜ,     1/W_c = Σ mᵢ P_ic        (sums over at most four parents, Σ P = 1)
//! ```
//!
//! so that a sweep keeps the linear momentum of a free sheet. A coarse vertex that is the nearest one to a pin does not
//! move. Weights fall with the distance d_c along the sheet as (1 − d_c/R)², R that of the fifth vertex, and are then
//! fitted by moving least squares, so that a rotation is handed down as one. A vertex of the level has itself as its
//! single parent.
//!
//! A pair may be longer than d by 0.2 %. Tethers hold a sheet that hangs still within less, so that only motion calls
//! for coarse levels; without tethers the pairs carry its weight, and what is slack beside them trembles.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | ΔX | correction of a coarse vertex in this projection | m |
//! | P | weight of a parent | 1 |
//! | W | inverse mass of a coarse vertex | 1/kg |
//! | d | greatest distance of a pair | m |

mod hierarchy;
mod kernel;
mod project;
mod words;

pub(crate) use hierarchy::Hierarchy;

use smallvec::SmallVec;
use xpbd_core::batch::{BatchError, BatchKernel, BatchNode, ConstraintBatch, NodeCounts, Nodes, Registry};
use xpbd_core::constraint::ConstraintError;

use project::CoarseMotion;

/// The name under which the type is registered.
const NAME: &str = "multilevel";

/// Registers the type.
pub(crate) fn register(registry: &mut Registry) -> Result<(), ConstraintError> {
    registry.register_batch::<Multilevel>(NAME, words::restore)
}

/// A batch of pairs of coarse vertices, each kept within its greatest distance. The residual of a pair is C \[m\].
#[derive(Debug, Clone)]
pub(crate) struct Multilevel {
    hierarchy: Hierarchy,
    coarse: Vec<CoarseMotion>,
}

impl Multilevel {
    pub(crate) fn new(hierarchy: Hierarchy) -> Self {
        let coarse = vec![CoarseMotion::default(); hierarchy.nodes.len()];
        Self { hierarchy, coarse }
    }
}

impl ConstraintBatch for Multilevel {
    fn name(&self) -> &'static str {
        NAME
    }

    fn register(&self, registry: &mut Registry) -> Result<(), ConstraintError> {
        register(registry)
    }

    fn len(&self) -> usize {
        self.hierarchy.pairs.len()
    }

    fn nodes(&self, constraint: usize) -> SmallVec<[BatchNode; 8]> {
        let node = |coarse: u32| BatchNode::Particle(self.hierarchy.nodes[coarse as usize]);
        self.hierarchy
            .pairs
            .get(constraint)
            .map_or_else(SmallVec::new, |pair| pair.ends.into_iter().map(node).collect())
    }

    fn validate(&self, counts: NodeCounts) -> Result<(), BatchError> {
        self.hierarchy.validate(counts.particles)
    }

    fn lets_sleep(&self) -> bool {
        true
    }

    fn begin_frame(&mut self, nodes: &mut Nodes<'_>, _: f32) {
        project::weigh(&self.hierarchy, &mut self.coarse, nodes);
    }

    fn project(&mut self, nodes: &mut Nodes<'_>, _: f32) {
        project::project(&self.hierarchy, &mut self.coarse, nodes);
    }

    fn residual(&self, nodes: &Nodes<'_>, constraint: usize) -> f32 {
        let Some(pair) = self.hierarchy.pairs.get(constraint) else { return 0.0 };
        let [a, b] = pair.ends.map(|coarse| self.hierarchy.nodes[coarse as usize] as usize);
        (nodes.between(a, b).length() - pair.max_distance).max(0.0)
    }

    fn kernel(&self) -> Option<BatchKernel> {
        Some(kernel::kernel(&self.hierarchy))
    }

    fn save(&self) -> Vec<u8> {
        words::save(&self.hierarchy)
    }
}
