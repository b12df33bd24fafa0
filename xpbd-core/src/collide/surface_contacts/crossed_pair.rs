//! Pairs on the wrong side, which are remembered from frame to frame.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::SurfaceContacts;
use super::feature_geometry::FeaturePairKind;
use super::feature_pair::FeaturePair;
use super::placed_shapes::PlacedShapes;
use crate::handle::ColliderHandle;

/// A pair of features that are on the wrong side of each other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CrossedPair {
    /// Collider that the first feature is of, if it is of one.
    pub collider: Option<ColliderHandle>,
    /// Kind of the pair.
    pub kind: FeaturePairKind,
    /// World indices of its vertices; of a feature of a shape indices of the shape.
    pub nodes: [u32; 4],
    /// Side on which the first feature belongs: 1 or −1.
    pub side: f32,
    /// True if the first feature, a particle of no surface, is on the other side.
    pub has_passed: bool,
}

impl CrossedPair {
    /// Returns how a pair is remembered in a world of so many particles.
    pub(super) fn of(pair: &FeaturePair, particles: usize, shapes: &PlacedShapes) -> Self {
        let of_shape = |node: u32| (node as usize).checked_sub(particles).map(|point| &shapes.points[point]);
        let collider = of_shape(pair.nodes[0]).map(|point| shapes.colliders[point.collider as usize].handle);
        let nodes = pair.nodes.map(|node| of_shape(node).map_or(node, |point| point.vertex));
        Self { collider, kind: pair.kind, nodes, side: pair.kept_side, has_passed: pair.has_passed }
    }

    /// Returns whether both features are of surfaces.
    pub(super) fn is_of_surfaces(&self) -> bool {
        self.collider.is_none() && self.kind != FeaturePairKind::ParticleTriangle
    }

    pub(super) fn key(&self) -> (Option<ColliderHandle>, FeaturePairKind, [u32; 4]) {
        (self.collider, self.kind, self.nodes)
    }

    /// Returns the range of the nodes that are particles.
    pub(crate) fn particles(&self) -> Range<usize> {
        match (self.collider, self.kind) {
            (None, _) => 0..4,
            (Some(_), FeaturePairKind::EdgeEdge) => 2..4,
            (Some(_), _) => 1..4,
        }
    }

    /// Returns the pair with another vertex in place of one of its own.
    fn with(mut self, vertex: u32, other: u32) -> Self {
        let particles = self.particles();
        let its = &mut self.nodes[particles];
        its.iter_mut().filter(|node| **node == vertex).for_each(|node| *node = other);
        if self.kind == FeaturePairKind::EdgeEdge {
            for edge in its.chunks_exact_mut(2).filter(|edge| edge[0] > edge[1]) {
                edge.swap(0, 1);
                // Four points in an order that is odd have the opposite volume.
                self.side = -self.side;
            }
            if self.collider.is_none() && self.nodes[..2] > self.nodes[2..] {
                self.nodes.rotate_left(2);
            }
        }
        self
    }
}

impl SurfaceContacts {
    /// Removes the pairs of removed particles, and renumbers the particles after them.
    pub(crate) fn remove_particles(&mut self, removed: Range<usize>) {
        let (start, end) = (removed.start as u32, removed.end as u32);
        self.crossed
            .retain(|crossed| !crossed.nodes[crossed.particles()].iter().any(|node| (start..end).contains(node)));
        for crossed in &mut self.crossed {
            let particles = crossed.particles();
            crossed.nodes[particles].iter_mut().filter(|node| **node >= end).for_each(|node| *node -= end - start);
        }
    }

    /// Removes the pairs of a collider whose shape is another one.
    pub(crate) fn forget_shape(&mut self, collider: ColliderHandle) {
        self.crossed.retain(|crossed| crossed.collider != Some(collider));
    }

    /// Copies the pairs of a vertex to another vertex that was split from it.
    pub(crate) fn split_particle(&mut self, vertex: u32, other: u32) {
        let its: Vec<CrossedPair> = self
            .crossed
            .iter()
            .filter(|crossed| crossed.nodes[crossed.particles()].contains(&vertex))
            .copied()
            .collect();
        self.crossed.extend(its.into_iter().map(|crossed| crossed.with(vertex, other)));
        self.crossed.sort_by_key(CrossedPair::key);
        self.crossed.dedup_by_key(|crossed| crossed.key());
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::super::tangles::TangleMemory;
    use super::*;

    /// A side named by other vertices, in the order in which pairs name them, is that of the same places.
    #[test]
    fn split_vertex_keeps_the_side_of_its_origin() {
        let mut places = vec![Vec3::new(0.1, 0.2, -1.0), Vec3::new(0.0, 0.3, 1.0), Vec3::new(-1.0, 0.0, 0.1)];
        places.extend([Vec3::new(1.0, 0.0, 0.2), Vec3::new(0.3, -0.2, 0.4)]);
        places.insert(0, Vec3::ZERO);
        let side = |crossed: &CrossedPair, places: &[Vec3]| {
            let [a, b, c, d] = crossed.nodes.map(|node| places[node as usize]);
            crossed.kind.side([b - a, c - a, d - a])
        };
        for kind in [FeaturePairKind::VertexTriangle, FeaturePairKind::EdgeEdge] {
            for vertex in 1..5 {
                let crossed = CrossedPair { collider: None, kind, nodes: [1, 2, 3, 4], side: 0.0, has_passed: true };
                let crossed = CrossedPair { side: side(&crossed, &places), ..crossed };
                for other in [0, 5] {
                    let mut twin = places.clone();
                    twin[other as usize] = places[vertex as usize];
                    let mut memory = SurfaceContacts::restored(vec![crossed], TangleMemory::default());
                    memory.split_particle(vertex, other);
                    assert_eq!(memory.crossed.len(), 2);
                    memory.crossed.iter().for_each(|crossed| assert_eq!(side(crossed, &twin), crossed.side));
                }
            }
        }
    }

    #[test]
    fn pairs_after_removed_particles_are_renumbered() {
        let crossed =
            |nodes| CrossedPair { collider: None, kind: FeaturePairKind::EdgeEdge, nodes, side: 1.0, has_passed: true };
        let all = vec![crossed([0, 1, 2, 9]), crossed([0, 1, 4, 9]), crossed([7, 8, 9, 10])];
        let mut memory = SurfaceContacts::restored(all, TangleMemory::default());
        memory.remove_particles(3..6);
        assert_eq!(memory.crossed, [crossed([0, 1, 2, 6]), crossed([4, 5, 6, 7])]);
    }
}
