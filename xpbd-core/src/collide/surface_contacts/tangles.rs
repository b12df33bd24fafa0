//! Surfaces that run through each other or through themselves, as they were placed or because contacts have failed.
//!
//! Edges that run through triangles are found, and taken out of the graph of vertices. A part that is cut off from the larger
//! part of its piece of a surface is on the wrong side (\[Baraff03\] section 3 finds it by filling the regions within
//! contours): each end of a crossing edge that has been cut off is pulled through the triangle, and contacts between vertices
//! near the crossings, which would hold the surfaces as they are, are left out. That is done anew in every frame until nothing
//! crosses. Crossings from the rim of one surface to the rim of another cut nothing off. A few of them are undone by the
//! shortest way; many tell no side, and are only counted. Where crossings become more, they are left as they are.

use std::collections::BTreeMap;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::feature_geometry::FeaturePairKind;
use super::feature_pair::FeaturePair;
use super::feature_points::FeaturePoints;
use super::features::SurfaceFeatures;
use super::motion::Wake;
use crate::disjoint_sets::DisjointSets;
use crate::friction::Friction;
use crate::object::ObjectState;
use crate::particles::Particles;

/// Number of frames after which it is looked for crossings again where there were none, or where they are left as they are.
const LOOK_EVERY: u32 = 16;

/// Largest number of crossings between two pieces that count as being at their rims.
const AT_RIM: usize = 32;

/// The memory of crossings from frame to frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TangleMemory {
    /// Number of frames until it is looked for crossings again.
    pub frames_to_look: u32,
    /// Number of crossings up to which they are pulled apart; none if there were no crossings.
    pub most: Option<u32>,
}

impl TangleMemory {
    /// Returns whether to look for crossings in the frame that begins.
    pub(super) fn looks(&mut self) -> bool {
        let looks = self.frames_to_look == 0;
        self.frames_to_look = self.frames_to_look.saturating_sub(1);
        looks
    }

    /// Takes the number of crossings that have been found, and returns whether they are pulled apart: not if they become more
    /// by that.
    pub(super) fn pulls(&mut self, count: usize) -> bool {
        let count = count as u32;
        let most = self.most.unwrap_or(count + count / 4);
        let pulls = count > 0 && count <= most;
        self.most = (count > 0).then_some(if pulls { most } else { 0 });
        self.frames_to_look = if pulls { 0 } else { LOOK_EVERY - 1 };
        pulls
    }
}

/// An edge that runs through a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crossing {
    /// World indices of the ends.
    pub edge: [u32; 2],
    /// World indices of the corners.
    pub triangle: [u32; 3],
}

impl Crossing {
    /// Returns the crossing of an edge and a triangle that share no vertex, if there is one: the ends are on two sides of
    /// the plane, and the lines from one of them to the corners have the other between them.
    pub fn of(particles: &Particles, edge: [u32; 2], triangle: [u32; 3]) -> Option<Self> {
        if edge.iter().any(|end| triangle.contains(end)) {
            return None;
        }
        let first = edge[0] as usize;
        let place = |k: u32| particles.between(first, k as usize).as_dvec3();
        let (end, [a, b, c]) = (place(edge[1]), triangle.map(place));
        let normal = (b - a).cross(c - a);
        let (from, to) = (-normal.dot(a), normal.dot(end - a));
        let volume = |a: DVec3, b: DVec3| end.cross(a).dot(b);
        let around = [volume(a, b), volume(b, c), volume(c, a)];
        // An edge through the rim of triangles runs through all that share it.
        let is_through = around.iter().all(|&volume| volume >= 0.0) || around.iter().all(|&volume| volume <= 0.0);
        (from * to < 0.0 && is_through).then_some(Self { edge, triangle })
    }

    /// Returns the height of an end of the edge over the plane of the triangle, times twice its area \[m³\].
    fn height(&self, particles: &Particles, end: usize) -> f32 {
        let [a, b, c] = self.triangle;
        let corners = FeaturePoints::new(particles, &[]).corners([self.edge[end], a, b, c]);
        -FeaturePairKind::VertexTriangle.normal(corners).dot(corners[0])
    }
}

/// The crossings of a frame, and the pairs that undo them.
#[derive(Debug, Default)]
pub struct Tangles {
    /// Number of edges that run through triangles.
    pub count: usize,
    /// Vertices that are pulled through triangles.
    pulls: Vec<FeaturePair>,
    /// True for each particle near a crossing; empty if there is none.
    near: Vec<bool>,
}

impl Tangles {
    /// Counts crossings, and leaves them as they are.
    pub fn left(crossings: &[Crossing]) -> Self {
        Self { count: crossings.len(), ..Self::default() }
    }

    /// Finds the vertices that are on the wrong side of crossings, and pulls them through.
    pub fn pulled(
        crossings: &[Crossing],
        features: &SurfaceFeatures,
        objects: &[&ObjectState],
        particles: &Particles,
    ) -> Self {
        let pieces = Pieces::of(crossings, features, particles.len());
        // Between pieces of which none is cut, a few crossings are at rims, and the nearer end of each goes through.
        let mut open: BTreeMap<[u32; 2], usize> = BTreeMap::new();
        for crossing in crossings {
            *open.entry(pieces.between(crossing)).or_default() += 1;
        }
        for crossing in crossings.iter().filter(|crossing| pieces.tells_side(crossing)) {
            open.insert(pieces.between(crossing), 0);
        }
        let open = |crossing: &Crossing| open.get(&pieces.between(crossing)).map_or(0, |&count| count);
        let is_at_rim = |crossing: &Crossing| (1..=AT_RIM).contains(&open(crossing));
        let is_left = |crossing: &Crossing| open(crossing) > AT_RIM;
        let mut near = vec![false; particles.len()];
        features.vertices.iter().for_each(|&vertex| near[vertex as usize] = pieces.is_cut_off(vertex));
        for crossing in crossings.iter().filter(|crossing| !is_left(crossing)) {
            crossing.edge.iter().chain(&crossing.triangle).for_each(|&vertex| near[vertex as usize] = true);
        }
        let thickness = |vertex: u32| {
            let owner = objects.iter().find(|object| object.range.contains(&(vertex as usize)));
            owner.and_then(|object| object.surface.as_ref()).map_or(0.0, |surface| surface.thickness)
        };
        let pull = |crossing: &Crossing| {
            let heights = [0, 1].map(|end| crossing.height(particles, end));
            let is_second = if is_at_rim(crossing) {
                heights[1].abs() < heights[0].abs()
            } else {
                pieces.is_cut_off(crossing.edge[1])
            };
            let end = usize::from(is_second);
            let (vertex, [a, b, c]) = (crossing.edge[end], crossing.triangle);
            FeaturePair {
                kept_side: if heights[end] > 0.0 { -1.0 } else { 1.0 },
                is_pull: true,
                ..FeaturePair::new(
                    FeaturePairKind::VertexTriangle,
                    [vertex, a, b, c],
                    0.5 * (thickness(vertex) + thickness(a)),
                    Friction::new(0.0),
                )
            }
        };
        let pulled = crossings.iter().filter(|crossing| pieces.tells_side(crossing) || is_at_rim(crossing));
        Self { count: crossings.len(), pulls: pulled.map(pull).collect(), near }
    }

    /// Takes pairs that hold a tangle as it is out of those of a frame.
    pub fn remove_holding(&self, pairs: &mut Vec<FeaturePair>, wakes: &mut Vec<Wake>) {
        if self.near.is_empty() {
            return;
        }
        let is_near = |nodes: &[u32]| nodes.iter().any(|&node| self.near[node as usize]);
        let holds = |pair: &FeaturePair| match pair.kind {
            FeaturePairKind::VertexTriangle => is_near(&pair.nodes[..1]) && is_near(&pair.nodes[1..]),
            FeaturePairKind::EdgeEdge => is_near(&pair.nodes[..2]) && is_near(&pair.nodes[2..]),
            FeaturePairKind::ParticleTriangle => false,
        };
        let mut stay = 0;
        for k in 0..pairs.len() {
            if !holds(&pairs[k]) {
                (pairs[stay], wakes[stay]) = (pairs[k], wakes[k]);
                stay += 1;
            }
        }
        pairs.truncate(stay);
        wakes.truncate(stay);
    }

    /// Adds the pairs that pull a tangle apart.
    pub fn add_pulls(&self, pairs: &mut Vec<FeaturePair>, wakes: &mut Vec<Wake>) {
        pairs.extend_from_slice(&self.pulls);
        wakes.resize(pairs.len(), Wake::NOW);
    }
}

/// The pieces of surfaces, and the parts of them that are left without the edges that run through triangles.
struct Pieces {
    /// First vertex of the piece of each vertex.
    pieces: Vec<u32>,
    /// First vertex of the part of each vertex.
    parts: Vec<u32>,
    /// The largest part of the piece that begins with each vertex, the first of several.
    largest: Vec<u32>,
}

impl Pieces {
    fn of(crossings: &[Crossing], features: &SurfaceFeatures, count: usize) -> Self {
        let mut cut: Vec<[u32; 2]> = crossings.iter().map(|crossing| crossing.edge).collect();
        cut.sort_unstable();
        let (mut pieces, mut parts) = (DisjointSets::new(count), DisjointSets::new(count));
        for [a, b] in features.triangles.iter().flat_map(|triangle| [0, 1, 2].map(|k| triangle.edge(k))) {
            pieces.join(a, b);
            if cut.binary_search(&[a, b]).is_err() {
                parts.join(a, b);
            }
        }
        let (pieces, parts) = (pieces.roots(), parts.roots());
        let mut sizes = vec![0u32; count];
        features.vertices.iter().for_each(|&vertex| sizes[parts[vertex as usize] as usize] += 1);
        let mut largest: Vec<u32> = (0..count as u32).collect();
        for &vertex in &features.vertices {
            let (part, piece) = (parts[vertex as usize], pieces[vertex as usize] as usize);
            if sizes[part as usize] > sizes[largest[piece] as usize] {
                largest[piece] = part;
            }
        }
        Self { pieces, parts, largest }
    }

    /// Returns whether a vertex is cut off from the largest part of its piece.
    fn is_cut_off(&self, vertex: u32) -> bool {
        self.parts[vertex as usize] != self.largest[self.pieces[vertex as usize] as usize]
    }

    /// Returns whether one end of an edge is cut off, and not the other.
    fn tells_side(&self, crossing: &Crossing) -> bool {
        self.is_cut_off(crossing.edge[0]) != self.is_cut_off(crossing.edge[1])
    }

    /// Returns the first vertices of the pieces that cross, the lower one first.
    fn between(&self, crossing: &Crossing) -> [u32; 2] {
        let [a, b] = [crossing.edge[0], crossing.triangle[0]].map(|vertex| self.pieces[vertex as usize]);
        [a.min(b), a.max(b)]
    }
}
