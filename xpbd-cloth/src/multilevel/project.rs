//! A projection: sweeps over the levels from the coarsest on, then every vertex follows its parents.

use glam::Vec3;
use xpbd_core::batch::Nodes;

use super::hierarchy::{Hierarchy, Pair, Parents};

/// The motion of a coarse vertex.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct CoarseMotion {
    /// ΔX \[m\].
    pub correction: Vec3,
    /// W \[1/kg\], 0 where it does not move.
    pub inverse_mass: f32,
}

/// Sums up the masses that coarse vertices move, from the finest level to the coarsest.
pub(super) fn weigh(hierarchy: &Hierarchy, coarse: &mut [CoarseMotion], nodes: &Nodes<'_>) {
    for (number, level) in hierarchy.levels.iter().enumerate().rev() {
        let is_finest = number + 1 == hierarchy.levels.len();
        for vertex in level.range() {
            let (mut mass, mut is_held) = (0.0, false);
            for child in hierarchy.children_of(vertex) {
                let k = child.vertex as usize;
                let inverse_mass = if is_finest { nodes.inverse_mass(k) } else { coarse[k].inverse_mass };
                if inverse_mass > 0.0 {
                    mass += child.weight / inverse_mass;
                } else {
                    is_held |= child.is_nearest;
                }
            }
            coarse[vertex].inverse_mass = if is_held || mass <= 0.0 { 0.0 } else { 1.0 / mass };
        }
    }
}

/// Sweeps over all levels and moves the vertices of the mesh.
pub(super) fn project(hierarchy: &Hierarchy, coarse: &mut [CoarseMotion], nodes: &mut Nodes<'_>) {
    for level in &hierarchy.levels {
        for vertex in level.range() {
            let correction = handed_down(&hierarchy.parents[vertex], coarse);
            coarse[vertex].correction = if coarse[vertex].inverse_mass > 0.0 { correction } else { Vec3::ZERO };
        }
        hierarchy.pairs[level.pair_range()].iter().for_each(|pair| solve(hierarchy, pair, coarse, nodes));
    }
    for (vertex, parents) in hierarchy.mesh_parents.iter().enumerate() {
        if nodes.inverse_mass(vertex) > 0.0 {
            nodes.shift(vertex, handed_down(parents, coarse));
        }
    }
}

fn solve(hierarchy: &Hierarchy, pair: &Pair, coarse: &mut [CoarseMotion], nodes: &Nodes<'_>) {
    let [a, b] = pair.ends.map(|end| end as usize);
    let [node_a, node_b] = [a, b].map(|end| hierarchy.nodes[end] as usize);
    let apart = nodes.between(node_a, node_b) + (coarse[b].correction - coarse[a].correction);
    let length = apart.length();
    let inverse_mass = coarse[a].inverse_mass + coarse[b].inverse_mass;
    if length > pair.max_distance && inverse_mass > 0.0 {
        let pull = apart * ((length - pair.max_distance) / (length * inverse_mass));
        coarse[a].correction += pull * coarse[a].inverse_mass;
        coarse[b].correction -= pull * coarse[b].inverse_mass;
    }
}

/// Returns Σ P ΔX of the parents of a vertex \[m\].
fn handed_down(parents: &Parents, coarse: &[CoarseMotion]) -> Vec3 {
    let part = |k: usize| coarse[parents.vertices[k] as usize].correction * parents.weights[k];
    ((part(0) + part(1)) + part(2)) + part(3)
}
