//! Gas in a closed surface (\[PBD07\] section 4.4, with the compliance of \[XPBD16\]).
//!
//! One constraint over all vertices keeps the enclosed volume at V*, softened by a compliance. With Nᵢ the
//! sum of (xⱼ − xᵢ) × (xₖ − xᵢ) over the triangles (i, j, k) around a vertex,
//!
//! ```text
//! C = V − V*,   V = ⅓ Σ xᵢ·∇ᵢC,   ∇ᵢC = Nᵢ/6        (\[PBD07\] eq. 18; V* = k V₀ there)
//! Δλ = (−C − α̃ λ)/(Σ wᵢ |∇ᵢC|² + α̃),   Δxᵢ = wᵢ ∇ᵢC Δλ,   α̃ = α/h²
//! ```
//!
//! so λ/h² is the pressure (V* − V)/α of the gas over that outside. Nᵢ does not depend on where the
//! origin is because the surface is closed. The number of points is that of the mesh, so the batch is
//! written by hand; its sums run in a fixed order, lanes of a chunk in a tree and chunks one after the
//! other, the same on a GPU. V* and α are its inputs: [`set_gas_volume_ratio`] and
//! [`set_gas_volume`] change them while a world runs.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | V* | target volume of the gas | m³ |
//! | k | target volume relative to the volume at rest, V₀ | 1 |
//! | α | compliance: change of the volume with the pressure | m³/Pa |

mod edit;
mod kernel;
mod save;

pub use edit::{set_gas_volume, set_gas_volume_ratio};

use std::any::Any;

use glam::{Vec2, Vec3};
use smallvec::{SmallVec, smallvec};
use xpbd_core::batch::Registry;
use xpbd_core::batch::{BatchError, BatchKernel, BatchNode, ConstraintBatch, NodeCounts, Nodes};
use xpbd_core::constraint::ConstraintError;

/// The name under which the type is registered.
const NAME: &str = "inflation";

/// The number of vertices of a chunk, which one workgroup of a GPU sums.
const CHUNK: usize = 1024;
const LANES: usize = BatchKernel::LANES as usize;

/// The smallest volume that counts as enclosed, relative to the area to the power of 3/2.
pub(crate) const SMALLEST_VOLUME: f64 = 1e-6;

/// The smallest denominator \[m⁴/kg\] that is divided by; below it nothing can move.
const DEGENERATE: f32 = 1e-30;

/// A batch of one constraint that keeps the volume in a closed surface. Its residual is V − V* \[m³\].
#[derive(Debug, Clone)]
pub struct Inflation {
    triangles: Vec<[u32; 3]>,
    /// Target volume V* \[m³\] and compliance α \[m³/Pa\].
    gas: [f32; 2],
    /// Index of the first wing of each vertex, and of the end.
    wing_starts: Vec<u32>,
    /// Other two vertices of each triangle around a vertex, in its orientation.
    wings: Vec<[u32; 2]>,
    gradients: Vec<Vec3>,
    lambda: f32,
}

/// Registers the type.
pub(crate) fn register(registry: &mut Registry) -> Result<(), ConstraintError> {
    registry.register_batch::<Inflation>(NAME, save::restore)
}

impl Inflation {
    /// Creates the constraint for a target volume \[m³\] inside these triangles of a closed surface, negative if they face
    /// inwards. [`Mesh::boundary`](crate::Mesh::boundary) is empty for a closed one.
    pub fn new(triangles: &[[u32; 3]], volume: f32) -> Self {
        let vertices = triangles.as_flattened().iter().max().map_or(0, |&last| last as usize + 1);
        let mut around: Vec<Vec<[u32; 2]>> = vec![Vec::new(); vertices];
        for &[a, b, c] in triangles {
            around[a as usize].push([b, c]);
            around[b as usize].push([c, a]);
            around[c as usize].push([a, b]);
        }
        let mut begins = vec![0];
        begins.extend(around.iter().scan(0, |end, wings| {
            *end += wings.len() as u32;
            Some(*end)
        }));
        Self {
            triangles: triangles.to_vec(),
            gas: [volume, 0.0],
            wing_starts: begins,
            wings: around.concat(),
            gradients: vec![Vec3::ZERO; vertices],
            lambda: 0.0,
        }
    }

    /// Sets the compliance α \[m³/Pa\]; 0 holds the volume at any pressure.
    #[must_use]
    pub fn compliance(mut self, compliance: f32) -> Self {
        self.gas[1] = compliance;
        self
    }

    /// Returns the target volume \[m³\].
    pub fn volume(&self) -> f32 {
        self.gas[0]
    }

    /// Returns the triangles of the surface.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    fn vertices(&self) -> usize {
        self.gradients.len()
    }

    /// Returns ∇ᵢC \[m²\] of a vertex.
    fn gradient(&self, nodes: &Nodes<'_>, vertex: usize) -> Vec3 {
        let range = self.wing_starts[vertex] as usize..self.wing_starts[vertex + 1] as usize;
        let normal = |&[j, k]: &[u32; 2]| nodes.between(vertex, j as usize).cross(nodes.between(vertex, k as usize));
        self.wings[range].iter().fold(Vec3::ZERO, |sum, wing| sum + normal(wing)) / 6.0
    }

    /// Returns Σ xᵢ·∇ᵢC \[m³\] and Σ wᵢ |∇ᵢC|² \[m⁴/kg\] of the stored gradients.
    fn sums(&self, nodes: &Nodes<'_>) -> Vec2 {
        let mut sums = Vec2::ZERO;
        for first in (0..self.vertices()).step_by(CHUNK) {
            let mut lanes = [Vec2::ZERO; LANES];
            for vertex in first..self.vertices().min(first + CHUNK) {
                let g = self.gradients[vertex];
                let term = Vec2::new(nodes.between(0, vertex).dot(g), nodes.inverse_mass(vertex) * g.dot(g));
                lanes[(vertex - first) % LANES] += term;
            }
            let mut half = LANES / 2;
            while half > 0 {
                for lane in 0..half {
                    let other = lanes[lane + half];
                    lanes[lane] += other;
                }
                half /= 2;
            }
            sums += lanes[0];
        }
        sums
    }
}

impl ConstraintBatch for Inflation {
    fn name(&self) -> &'static str {
        NAME
    }

    fn register(&self, registry: &mut Registry) -> Result<(), ConstraintError> {
        register(registry)
    }

    fn len(&self) -> usize {
        1
    }

    fn nodes(&self, _: usize) -> SmallVec<[BatchNode; 8]> {
        (0..self.vertices() as u32).map(BatchNode::Particle).collect()
    }

    fn validate(&self, counts: NodeCounts) -> Result<(), BatchError> {
        let number =
            |what, value, must| Err(BatchError::Number { name: NAME.into(), constraint: 0, what, value, must });
        let [volume, compliance] = self.gas;
        if !volume.is_finite() {
            return number("the volume", volume, "finite");
        }
        if !(compliance.is_finite() && compliance >= 0.0) {
            return number("the compliance", compliance, "finite and not negative");
        }
        let (count, last) = (counts.particles, self.vertices());
        if last > count {
            let (name, index) = (NAME.into(), last as u32 - 1);
            return Err(BatchError::Index { name, constraint: 0, what: "particle", index, count });
        }
        Ok(())
    }

    fn has_same_topology(&self, other: &dyn ConstraintBatch) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<Self>().is_some_and(|other| self.triangles == other.triangles)
    }

    fn inputs(&self) -> &[f32] {
        &self.gas
    }

    fn inputs_mut(&mut self) -> &mut [f32] {
        &mut self.gas
    }

    fn lets_sleep(&self) -> bool {
        true
    }

    fn begin_substep(&mut self, _: &mut Nodes<'_>, _: f32) {
        self.lambda = 0.0;
    }

    fn project(&mut self, nodes: &mut Nodes<'_>, _: f32) {
        for vertex in 0..self.vertices() {
            self.gradients[vertex] = self.gradient(nodes, vertex);
        }
        let sums = self.sums(nodes);
        let [volume, compliance] = self.gas;
        let softness = compliance * nodes.compliance_scale();
        let excess = sums.x / 3.0 - volume;
        let denominator = sums.y + softness;
        if denominator > DEGENERATE {
            let change = (-excess - softness * self.lambda) / denominator;
            self.lambda += change;
            for (vertex, g) in self.gradients.iter().enumerate() {
                nodes.shift(vertex, *g * (nodes.inverse_mass(vertex) * change));
            }
        }
    }

    fn multipliers(&self, _: usize) -> SmallVec<[f32; 6]> {
        smallvec![self.lambda]
    }

    fn residual(&self, nodes: &Nodes<'_>, _: usize) -> f32 {
        let volume = |vertex| nodes.between(0, vertex).dot(self.gradient(nodes, vertex));
        (0..self.vertices()).map(volume).sum::<f32>() / 3.0 - self.gas[0]
    }

    fn kernel(&self) -> Option<BatchKernel> {
        Some(kernel::kernel(self))
    }

    fn read_back(&mut self, buffers: &[Vec<u32>]) {
        kernel::absorb(self, buffers);
    }

    fn save(&self) -> Vec<u8> {
        save::save(self)
    }
}
