//! Mass scaling of a sheet that does not stretch: a vertex that bears a load weighs more in the constraints, as in explicit
//! finite elements (\[SMS05\] Olovsson, Simonsson, Unosson, *Selective mass scaling for explicit finite element analyses*,
//! International Journal for Numerical Methods in Engineering 63, 2005).
//!
//! A sweep begins without multipliers, so that an edge that bears a force F is longer than at rest by about
//!
//! ```text
//! Δl = F h²/m
//! ```
//!
//! which is most where the load of a whole sheet comes together: at the tip that a cloth hangs from. There a vertex takes
//! part with s times its mass, and is accelerated by 1/s of what gravity and forces ask for, a. No force is another one for
//! that, so a sheet at rest hangs as it should, and Δl is an s-th. In motion a vertex would be sluggish, and take momentum
//! along when s changes: so only what is as good as at rest is scaled, and what begins to fall is so no longer.
//!
//! At the end of a frame of length dt every vertex looks at its speed v, and compares its edges with their lengths L at rest,
//! for the strain ε that is allowed:
//!
//! ```text
//! s ← max(0.8 s, 1)     if v > a dt, which is no longer at rest
//! s ← max(0.98 s, 1)    otherwise, if all edges are shorter than (1 + ε/4) L
//! s ← min(1.25 s, 64)   otherwise, if any edge is longer than (1 + ε) L
//! ```
//!
//! Between the two lengths it stays, and where a swing makes edges slack for some frames it changes little: a strip that
//! hangs from its pins would swing for ever if s fell there as fast as it grows. Between frames particles have their own
//! masses.

mod save;

use std::any::Any;

use smallvec::{SmallVec, smallvec};
use xpbd_core::batch::kernel::{KernelBuffer, KernelGrid, KernelHook, KernelStage};
use xpbd_core::batch::{BatchError, BatchKernel, BatchNode, ConstraintBatch, NodeCounts, Nodes, Registry};
use xpbd_core::constraint::ConstraintError;
use xpbd_core::program::wgsl::constants;

use crate::mesh::Mesh;

/// The name under which the type is registered.
const NAME: &str = "mass-scaling";

/// Factors by which s changes in a frame \[1\]: under a load, without one, and in motion.
const GROWTH: f32 = 1.25;
const DECAY: f32 = 0.98;
const DECAY_IN_MOTION: f32 = 0.8;
/// The largest s \[1\].
const MAX_FACTOR: f32 = 64.0;
/// The part of the strain below which a vertex bears no load \[1\].
const SLACK: f32 = 0.25;

const SOURCE: &str = include_str!("mass_scaling/mass_scaling.wgsl");
/// The numbers that the kernel has in common with the CPU.
const CONSTANTS: [(&str, f32); 5] = [
    ("GROWTH", GROWTH),
    ("DECAY", DECAY),
    ("DECAY_IN_MOTION", DECAY_IN_MOTION),
    ("MAX_FACTOR", MAX_FACTOR),
    ("SLACK", SLACK),
];

/// Registers the type.
pub(crate) fn register(registry: &mut Registry) -> Result<(), ConstraintError> {
    registry.register_batch::<MassScaling>(NAME, save::restore)
}

/// An end of an edge as the vertex at the other one sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Edge {
    /// Vertex at the other end.
    to: u32,
    /// Square of the length at rest \[m²\].
    square: f32,
}

/// A batch that scales the masses of vertices. Each of its constraints is a vertex, and the residual of that is the largest
/// strain of its edges \[1\].
#[derive(Debug, Clone)]
pub(crate) struct MassScaling {
    /// The strain ε that is allowed \[1\].
    strain: [f32; 1],
    /// Index of the first edge of each vertex, and of the end.
    starts: Vec<u32>,
    edges: Vec<Edge>,
    /// The factor s of each vertex \[1\].
    factors: Vec<f32>,
    /// Inverse masses \[1/kg\] without the factor, during a frame.
    inverse_masses: Vec<f32>,
}

impl MassScaling {
    /// Creates the batch for the edges of a mesh and the strain that is allowed \[1\].
    pub fn new(mesh: &Mesh, strain: f32) -> Self {
        let mut around = vec![Vec::new(); mesh.positions().len()];
        for edge in mesh.edges() {
            let [a, b] = mesh.at(edge.vertices);
            let square = a.distance_squared(b);
            let [a, b] = edge.vertices;
            around[a as usize].push(Edge { to: b, square });
            around[b as usize].push(Edge { to: a, square });
        }
        let mut starts = vec![0];
        starts.extend(around.iter().scan(0, |end, edges| {
            *end += edges.len() as u32;
            Some(*end)
        }));
        Self::of_edges(strain, starts, around.concat())
    }

    fn of_edges(strain: f32, starts: Vec<u32>, edges: Vec<Edge>) -> Self {
        let vertices = starts.len().saturating_sub(1);
        Self { strain: [strain], starts, edges, factors: vec![1.0; vertices], inverse_masses: vec![0.0; vertices] }
    }

    /// Returns the edges of a vertex.
    fn edges_of(&self, vertex: usize) -> &[Edge] {
        &self.edges[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }

    /// Returns the factor of a vertex \[1\] after a frame of length `dt` \[s\].
    fn next_factor(&self, nodes: &Nodes<'_>, vertex: usize, dt: f32) -> f32 {
        let [strain] = self.strain;
        let factor = self.factors[vertex];
        // The acceleration of the frame is that of the scaled mass.
        let fall = nodes.acceleration(vertex) * (factor * dt);
        let moves = nodes.velocity(vertex).length_squared() > fall.length_squared();
        let (most, slack) = (1.0 + strain, 1.0 + SLACK * strain);
        let (mut is_long, mut is_short) = (false, true);
        for edge in self.edges_of(vertex) {
            let square = nodes.between(vertex, edge.to as usize).length_squared();
            is_long |= square > edge.square * (most * most);
            is_short &= square < edge.square * (slack * slack);
        }
        if moves {
            (factor * DECAY_IN_MOTION).max(1.0)
        } else if is_short {
            (factor * DECAY).max(1.0)
        } else if is_long {
            (factor * GROWTH).min(MAX_FACTOR)
        } else {
            factor
        }
    }
}

impl ConstraintBatch for MassScaling {
    fn name(&self) -> &'static str {
        NAME
    }

    fn register(&self, registry: &mut Registry) -> Result<(), ConstraintError> {
        register(registry)
    }

    fn len(&self) -> usize {
        self.factors.len()
    }

    fn nodes(&self, constraint: usize) -> SmallVec<[BatchNode; 8]> {
        let mut nodes = smallvec![BatchNode::Particle(constraint as u32)];
        if constraint < self.len() {
            nodes.extend(self.edges_of(constraint).iter().map(|edge| BatchNode::Particle(edge.to)));
        }
        nodes
    }

    fn validate(&self, counts: NodeCounts) -> Result<(), BatchError> {
        let [value] = self.strain;
        if !(value.is_finite() && value > 0.0) {
            let (what, must) = ("the strain", "finite and positive");
            return Err(BatchError::Number { name: NAME.into(), constraint: 0, what, value, must });
        }
        if self.len() > counts.particles {
            let (index, count) = (self.len() as u32 - 1, counts.particles);
            return Err(BatchError::Index { name: NAME.into(), constraint: 0, what: "particle", index, count });
        }
        Ok(())
    }

    fn has_same_topology(&self, other: &dyn ConstraintBatch) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<Self>().is_some_and(|other| self.starts == other.starts && self.edges == other.edges)
    }

    fn inputs(&self) -> &[f32] {
        &self.strain
    }

    fn inputs_mut(&mut self) -> &mut [f32] {
        &mut self.strain
    }

    fn lets_sleep(&self) -> bool {
        true
    }

    fn begin_frame(&mut self, nodes: &mut Nodes<'_>, _: f32) {
        for (vertex, &factor) in self.factors.iter().enumerate() {
            let w = nodes.inverse_mass(vertex);
            self.inverse_masses[vertex] = w;
            if factor > 1.0 {
                let part = 1.0 / factor;
                nodes.set_inverse_mass(vertex, w * part);
                nodes.set_acceleration(vertex, nodes.acceleration(vertex) * part);
            }
        }
    }

    fn end_frame(&mut self, nodes: &mut Nodes<'_>, dt: f32) {
        for vertex in 0..self.len() {
            nodes.set_inverse_mass(vertex, self.inverse_masses[vertex]);
            self.factors[vertex] = self.next_factor(nodes, vertex, dt);
        }
    }

    fn residual(&self, nodes: &Nodes<'_>, constraint: usize) -> f32 {
        if constraint >= self.len() {
            return 0.0;
        }
        let strain = |edge: &Edge| {
            let square = nodes.between(constraint, edge.to as usize).length_squared();
            (square / edge.square).sqrt() - 1.0
        };
        self.edges_of(constraint).iter().map(strain).fold(0.0, f32::max)
    }

    fn kernel(&self) -> Option<BatchKernel> {
        let edges = self.edges.iter().flat_map(|edge| [edge.to, edge.square.to_bits()]);
        let lists = self.starts.iter().copied().chain(edges).collect();
        let scaled = self.factors.iter().flat_map(|factor| [factor.to_bits(), 0]).collect();
        let buffer = |name, element, words, written| KernelBuffer { name, element, words, written };
        let stage = |hook, function| KernelStage { hook, function, grid: KernelGrid::Threads(self.len()) };
        Some(BatchKernel {
            source: (constants(&CONSTANTS) + SOURCE).into(),
            buffers: vec![buffer("lists", "u32", lists, false), buffer("scaled", "vec2f", scaled, true)],
            stages: vec![stage(KernelHook::BeginFrame, "scale"), stage(KernelHook::EndFrame, "adapt")],
        })
    }

    fn read_back(&mut self, buffers: &[Vec<u32>]) {
        if let Some(scaled) = buffers.get(1) {
            self.factors
                .iter_mut()
                .zip(scaled.as_chunks().0)
                .for_each(|(to, &[factor, _])| *to = f32::from_bits(factor));
        }
    }

    fn save(&self) -> Vec<u8> {
        save::save(self)
    }
}
