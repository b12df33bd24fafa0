//! Surfaces that run through each other or through themselves, as they were placed or because contacts have failed.
//!
//! Edges that run through triangles are found, and taken out of the graph of vertices. A part that this cuts off is on the wrong
//! side of a closed surface if it is outside of that and its sheet was inside when the plan was made, or the other way
//! round. Elsewhere that is on the wrong side which is cut off from the larger part of its piece of a surface (\[Baraff03\]
//! section 3 finds it by filling the regions within contours). Each end of a crossing edge that is on the wrong side is pulled
//! through the triangle, and contacts between vertices near the crossings, which would hold the surfaces as they are, are left
//! out. That is done anew in every frame until nothing crosses. Crossings from the rim of one surface to the rim of another cut
//! nothing off. A few of them are undone by the shortest way; many tell no side, and are only counted. Where crossings become
//! more, they are left as they are.

mod homes;
mod pieces;

use std::collections::BTreeMap;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::enclosed_particles::EnclosedParticles;
use super::enclosures::Enclosures;
use super::feature_geometry::FeaturePairKind;
use super::feature_pair::FeaturePair;
use super::feature_points::FeaturePoints;
use super::features::SurfaceFeatures;
use super::motion::Wake;
use crate::friction::Friction;
use crate::object::ObjectState;
use crate::particles::Particles;
use homes::Homes;
use pieces::Pieces;

/// Number of frames after which it is looked for crossings again where there were none, or where they are left as they are.
const LOOK_EVERY: u32 = 16;

/// Largest number of crossings between two pieces that count as being at their rims.
const AT_RIM: usize = 32;

/// The memory of crossings from frame to frame.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TangleMemory {
    /// Number of frames until it is looked for crossings again.
    pub frames_to_look: u32,
    /// Number of crossings up to which they are pulled apart; none if there were no crossings.
    pub most: Option<u32>,
    /// The sheets that are inside of others; none before it was first looked for crossings.
    enclosures: Option<Enclosures>,
    /// The particles that are inside of closed sheets; none before that was first looked for.
    pub(super) enclosed: Option<EnclosedParticles>,
}

impl TangleMemory {
    /// Returns whether to look for crossings in the frame that begins.
    pub(super) fn looks(&mut self) -> bool {
        let looks = self.frames_to_look == 0;
        self.frames_to_look = self.frames_to_look.saturating_sub(1);
        looks
    }

    /// Takes the numbers of crossings that have been found with and without a known side, and returns whether the latter are pulled
    /// apart: not if they become more by that.
    fn pulls(&mut self, known: usize, others: usize) -> bool {
        let count = others as u32;
        let most = self.most.unwrap_or(count + count / 4);
        let pulls = count > 0 && count <= most;
        self.most = (count > 0).then_some(if pulls { most } else { 0 });
        self.frames_to_look = if pulls || known > 0 { 0 } else { LOOK_EVERY - 1 };
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

    /// Returns the numbers of the sheets of the edge and of the triangle.
    fn sheets(&self, features: &SurfaceFeatures) -> [u32; 2] {
        [self.edge[0], self.triangle[0]].map(|vertex| features.sheet_of_vertex(vertex))
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
    /// Finds the vertices that are on the wrong side of crossings, and pulls them through.
    pub fn of(
        crossings: &[Crossing],
        memory: &mut TangleMemory,
        features: &SurfaceFeatures,
        objects: &[&ObjectState],
        particles: &Particles,
    ) -> Self {
        let enclosures = memory.enclosures.get_or_insert_with(|| {
            let sheets = |crossing: &Crossing| crossing.sheets(features);
            Enclosures::of(crossings.iter().map(sheets), features, particles)
        });
        let pieces = Pieces::of(crossings, features, particles.len());
        let mut homes = Homes::new(enclosures, features, &pieces, particles);
        let mut near = vec![false; particles.len()];
        let (mut ends, mut others) = (Vec::new(), Vec::new());
        for &crossing in crossings {
            match homes.astray_ends(&crossing) {
                Some([one, other]) => ends.extend((one != other).then_some((crossing, usize::from(other)))),
                None if homes.knows_reverse(&crossing) => {}
                None => others.push(crossing),
            }
        }
        homes.mark_astray(&mut near);
        let known = crossings.len() - others.len();
        if memory.pulls(known, others.len()) {
            let pieces = Pieces::of(&others, features, particles.len());
            features.vertices.iter().for_each(|&vertex| near[vertex as usize] |= pieces.is_cut_off(vertex));
            ends.extend(ends_to_pull(&others, &pieces, particles, &mut near));
        }
        for (crossing, _) in &ends {
            crossing.edge.iter().chain(&crossing.triangle).for_each(|&vertex| near[vertex as usize] = true);
        }
        let thickness = |vertex: u32| {
            let owner = objects.iter().find(|object| object.range.contains(&(vertex as usize)));
            owner.and_then(|object| object.surface.as_ref()).map_or(0.0, |surface| surface.thickness)
        };
        let pull = |(crossing, end): (Crossing, usize)| {
            let (vertex, [a, b, c]) = (crossing.edge[end], crossing.triangle);
            FeaturePair {
                kept_side: if crossing.height(particles, end) > 0.0 { -1.0 } else { 1.0 },
                is_pull: true,
                ..FeaturePair::new(
                    FeaturePairKind::VertexTriangle,
                    [vertex, a, b, c],
                    0.5 * (thickness(vertex) + thickness(a)),
                    Friction::new(0.0),
                )
            }
        };
        if ends.is_empty() {
            return Self { count: crossings.len(), ..Self::default() };
        }
        Self { count: crossings.len(), pulls: ends.into_iter().map(pull).collect(), near }
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

/// Returns which ends of crossing edges go through: those that are cut off. Between pieces of which none is cut, a few crossings are
/// at rims, and the nearer end of each goes through. Marks what is near a crossing that is not left as it is.
fn ends_to_pull(
    crossings: &[Crossing],
    pieces: &Pieces,
    particles: &Particles,
    near: &mut [bool],
) -> Vec<(Crossing, usize)> {
    let mut open: BTreeMap<[u32; 2], usize> = BTreeMap::new();
    for crossing in crossings {
        *open.entry(pieces.between(crossing)).or_default() += 1;
    }
    for crossing in crossings.iter().filter(|crossing| pieces.tells_side(crossing)) {
        open.insert(pieces.between(crossing), 0);
    }
    let mut ends = Vec::new();
    for &crossing in crossings {
        let count = open.get(&pieces.between(&crossing)).map_or(0, |&count| count);
        if count > AT_RIM {
            continue;
        }
        crossing.edge.iter().chain(&crossing.triangle).for_each(|&vertex| near[vertex as usize] = true);
        let [one, other] = [0, 1].map(|end| crossing.height(particles, end).abs());
        if count > 0 {
            ends.push((crossing, usize::from(other < one)));
        } else if pieces.tells_side(&crossing) {
            ends.push((crossing, usize::from(pieces.is_cut_off(crossing.edge[1]))));
        }
    }
    ends
}
