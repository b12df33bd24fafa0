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
use super::feature_pair::{FeaturePair, NO_POINT};
use super::feature_points::FeaturePoints;
use super::features::SurfaceFeatures;
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
    /// Finds out what is on the wrong side, if anything is to be `pulled`.
    pub fn of(
        crossings: &[Crossing],
        pulled: bool,
        features: &SurfaceFeatures,
        objects: &[&ObjectState],
        particles: &Particles,
    ) -> Self {
        if !pulled {
            return Self { count: crossings.len(), ..Self::default() };
        }
        let mut cut: Vec<[u32; 2]> = crossings.iter().map(|crossing| crossing.edge).collect();
        cut.sort_unstable();
        cut.dedup();
        let edges = || features.triangles.iter().flat_map(|triangle| [0, 1, 2].map(|k| triangle.edge(k)));
        let pieces = Groups::of(particles.len(), edges());
        let parts = Groups::of(particles.len(), edges().filter(|edge| cut.binary_search(edge).is_err()));
        let largest = pieces.largest_parts(&parts, &features.vertices);
        let is_cut_off = |vertex: u32| parts.first[vertex as usize] != largest[pieces.first[vertex as usize] as usize];
        let tells_side = |crossing: &&Crossing| crossing.edge.map(is_cut_off).into_iter().filter(|&is| is).count() == 1;
        let between = |crossing: &Crossing| {
            let [a, b] = [crossing.edge[0], crossing.triangle[0]].map(|k| pieces.first[k as usize]);
            [a.min(b), a.max(b)]
        };
        // Between pieces of which none is cut, a few crossings are at rims, and the nearer end of each goes through.
        let mut open: BTreeMap<[u32; 2], usize> = BTreeMap::new();
        for crossing in crossings {
            *open.entry(between(crossing)).or_default() += 1;
        }
        for crossing in crossings.iter().filter(tells_side) {
            open.insert(between(crossing), 0);
        }
        let open = |crossing: &Crossing| open.get(&between(crossing)).map_or(0, |&count| count);
        let is_at_rim = |crossing: &Crossing| (1..=AT_RIM).contains(&open(crossing));
        let is_left = |crossing: &Crossing| open(crossing) > AT_RIM;
        let mut near = vec![false; particles.len()];
        features.vertices.iter().for_each(|&vertex| near[vertex as usize] = is_cut_off(vertex));
        for crossing in crossings.iter().filter(|crossing| !is_left(crossing)) {
            crossing.edge.iter().chain(&crossing.triangle).for_each(|&vertex| near[vertex as usize] = true);
        }
        let thickness = |vertex: u32| {
            let owner = objects.iter().find(|object| object.range.contains(&(vertex as usize)));
            owner.and_then(|object| object.surface.as_ref()).map_or(0.0, |surface| surface.thickness)
        };
        let pull = |crossing: &Crossing| {
            let heights = [0, 1].map(|end| crossing.height(particles, end));
            let is_second =
                if is_at_rim(crossing) { heights[1].abs() < heights[0].abs() } else { is_cut_off(crossing.edge[1]) };
            let end = usize::from(is_second);
            let (vertex, [a, b, c]) = (crossing.edge[end], crossing.triangle);
            FeaturePair {
                kind: FeaturePairKind::VertexTriangle,
                nodes: [vertex, a, b, c],
                distance: 0.5 * (thickness(vertex) + thickness(a)),
                radius: 0.0,
                friction: Friction::new(0.0),
                kept_side: if heights[end] > 0.0 { -1.0 } else { 1.0 },
                is_pull: true,
                opposite: 0,
                inner: NO_POINT,
            }
        };
        Self {
            count: crossings.len(),
            pulls: crossings.iter().filter(|crossing| tells_side(crossing) || is_at_rim(crossing)).map(pull).collect(),
            near,
        }
    }

    /// Takes pairs that hold a tangle as it is out of those of a frame, and adds those that pull it apart, with how far they
    /// have to have moved before they can touch.
    pub fn untangle(&self, pairs: &mut Vec<FeaturePair>, wakes: &mut Vec<f32>) {
        if self.near.is_empty() {
            return;
        }
        let is_near = |nodes: &[u32]| nodes.iter().any(|&node| self.near[node as usize]);
        let holds = |pair: &FeaturePair| match pair.kind {
            FeaturePairKind::VertexTriangle => is_near(&pair.nodes[..1]) && is_near(&pair.nodes[1..]),
            FeaturePairKind::EdgeEdge => is_near(&pair.nodes[..2]) && is_near(&pair.nodes[2..]),
            FeaturePairKind::ParticleTriangle => false,
        };
        let mut stays = pairs.iter().map(|pair| !holds(pair)).collect::<Vec<bool>>().into_iter();
        wakes.retain(|_| stays.next().unwrap_or(true));
        pairs.retain(|pair| !holds(pair));
        pairs.extend_from_slice(&self.pulls);
        wakes.resize(pairs.len(), 0.0);
    }
}

/// Vertices that edges connect: for each vertex the first of its group.
struct Groups {
    first: Vec<u32>,
}

impl Groups {
    fn of(count: usize, edges: impl Iterator<Item = [u32; 2]>) -> Self {
        let mut first: Vec<u32> = (0..count as u32).collect();
        for edge in edges {
            let [a, b] = edge.map(|end| root(&mut first, end));
            first[a.max(b) as usize] = a.min(b);
        }
        (0..count as u32).for_each(|vertex| first[vertex as usize] = root(&mut first, vertex));
        Self { first }
    }

    /// Returns for the first vertex of each group that of its largest part, the first of several.
    fn largest_parts(&self, parts: &Self, vertices: &[u32]) -> Vec<u32> {
        let mut sizes = vec![0u32; self.first.len()];
        vertices.iter().for_each(|&vertex| sizes[parts.first[vertex as usize] as usize] += 1);
        let mut largest: Vec<u32> = (0..self.first.len() as u32).collect();
        for &vertex in vertices {
            let (part, group) = (parts.first[vertex as usize], self.first[vertex as usize] as usize);
            if sizes[part as usize] > sizes[largest[group] as usize] {
                largest[group] = part;
            }
        }
        largest
    }
}

/// Returns the first vertex of the group of a vertex so far.
fn root(first: &mut [u32], mut vertex: u32) -> u32 {
    while first[vertex as usize] != vertex {
        first[vertex as usize] = first[first[vertex as usize] as usize];
        vertex = first[vertex as usize];
    }
    vertex
}
