//! Surfaces that run through each other or through themselves, as they were placed or because contacts have failed.
//!
//! Edges that run through triangles are found, and taken out of the graph of vertices. A part that this cuts off is on the wrong
//! side of a closed surface if it is outside of that and its sheet was inside when the plan was made, or the other way
//! round. Elsewhere that is on the wrong side which is cut off from the larger part of its piece of a surface (\[Baraff03\]
//! section 3 finds it by filling the regions within contours). Each end of a crossing edge that is on the wrong side is pulled
//! through the triangle. Crossings that cut nothing off tell no side: there the curves along which surfaces cross are made
//! shorter until they end at the rims (`tangles/contours.rs`).
//!
//! Contacts between vertices near the crossings, which would hold the surfaces as they are, are left out. That is done anew in
//! every frame until nothing crosses.

mod contours;
mod homes;
mod pieces;

use glam::{DVec3, Vec3};
use hashbrown::HashSet;
use serde::{Deserialize, Serialize};

use super::enclosed_particles::EnclosedParticles;
use super::enclosures::Enclosures;
use super::feature_geometry::{Corners, FeaturePairKind};
use super::feature_pair::FeaturePair;
use super::feature_points::FeaturePoints;
use super::features::SurfaceFeatures;
use super::motion::Wake;
use crate::friction::Friction;
use crate::object::ObjectState;
use crate::particles::Particles;
use contours::Contours;
use homes::Homes;
use pieces::Pieces;

/// Number of frames after which it is looked for crossings again where there were none.
const LOOK_EVERY: u32 = 8;

/// Longest way by which an edge moves along a contour in a frame, in the distance that contacts keep \[1\].
const STEP: f32 = 1.0;

/// Kind of the pairs that are pulled.
const KIND: FeaturePairKind = FeaturePairKind::VertexTriangle;

/// The memory of crossings from frame to frame.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TangleMemory {
    /// Number of frames until it is looked for all crossings again.
    pub frames_to_look: u32,
    /// True if there were crossings of which nothing tells where they belong.
    pub has_open: bool,
    /// Number of crossings up to which the smaller parts that they cut off are pulled through; none if they cut nothing off.
    pub most: Option<u32>,
    /// The sheets that are inside of others; none before it was first looked for crossings.
    enclosures: Option<Enclosures>,
    /// The particles that are inside of closed sheets; none before that was first looked for.
    pub(super) enclosed: Option<EnclosedParticles>,
}

impl TangleMemory {
    /// Returns for which crossings to look in the frame that begins, given whether surfaces have crossed in the last one.
    pub(super) fn look(&mut self, have_crossed: bool) -> Option<Look> {
        let is_due = self.frames_to_look == 0;
        self.frames_to_look = if is_due { LOOK_EVERY - 1 } else { self.frames_to_look - 1 };
        if is_due { Some(Look::All) } else { (have_crossed || self.has_open).then_some(Look::Open) }
    }

    /// Takes the number of crossings that cut parts off, and returns whether these are pulled through: not if crossings become
    /// more by that.
    fn pulls_parts(&mut self, count: usize) -> bool {
        let count = count as u32;
        let most = self.most.unwrap_or(count + count / 4);
        let pulls = count <= most;
        self.most = (count > 0).then_some(if pulls { most } else { 0 });
        pulls
    }
}

/// The crossings that are undone in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// All of them.
    All,
    /// Those of which nothing tells where they belong. Contacts bring back others sooner where things are fast.
    Open,
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

    /// Returns an end of the edge and the corners of the triangle.
    fn nodes(&self, end: usize) -> [u32; 4] {
        let [a, b, c] = self.triangle;
        [self.edge[end], a, b, c]
    }

    /// Returns the corners of the triangle relative to an end of the edge \[m\].
    fn corners(&self, end: usize, particles: &Particles) -> Corners {
        FeaturePoints::new(particles, &[]).corners(self.nodes(end))
    }
}

/// A vertex that is pulled through a triangle, or beside it along a contour.
#[derive(Debug)]
pub struct Pull {
    /// The two, and how far along the way the vertex is to get from the nearest point of the triangle.
    pub pair: FeaturePair,
    /// Unit vector of the way, from the triangle to the vertex.
    pub way: Vec3,
}

impl Pull {
    fn new(crossing: &Crossing, end: usize, way: Vec3, distance: f32) -> Self {
        let pair = FeaturePair::new(KIND, crossing.nodes(end), distance, Friction::new(0.0));
        Self { pair: FeaturePair { is_pull: true, ..pair }, way }
    }

    /// Pulls an end of an edge through the triangle, to a distance \[m\] from it; not if the triangle has no area.
    fn through(crossing: &Crossing, end: usize, distance: f32, particles: &Particles) -> Option<Self> {
        let corners = crossing.corners(end, particles);
        let normal = KIND.normal(corners);
        let way = if normal.dot(corners[0]) < 0.0 { -normal } else { normal }.try_normalize()?;
        Some(Self::new(crossing, end, way, distance))
    }

    /// Pulls both ends of an edge the way of a gradient, the farther the longer it is, and less than `most` \[m\].
    fn along(crossing: &Crossing, gradient: Vec3, most: f32, particles: &Particles) -> Option<[Self; 2]> {
        let way = gradient.try_normalize()?;
        let step = most * gradient.length() / (1.0 + gradient.length_squared()).sqrt();
        Some([0, 1].map(|end| {
            let now = way.dot(KIND.nearest(crossing.corners(end, particles)).apart);
            Self::new(crossing, end, way, now + step)
        }))
    }
}

/// The crossings that are undone, by how they are.
#[derive(Debug, Default)]
struct Undoing {
    /// Those of which one end of the edge, by its number, is pulled through the triangle.
    through: Vec<(Crossing, usize)>,
    /// Those whose edges are pulled along contours.
    along: Vec<Crossing>,
}

impl Undoing {
    /// Adds crossings of which nothing tells where they belong. Returns whether the smaller parts that they cut off are pulled through.
    fn add(&mut self, crossings: Vec<Crossing>, pieces: &Pieces, memory: &mut TangleMemory) -> bool {
        let told: HashSet<[u32; 2]> = crossings
            .iter()
            .filter(|crossing| pieces.tells_side(crossing))
            .map(|crossing| pieces.between(crossing))
            .collect();
        let (cutting, open): (Vec<_>, Vec<_>) =
            crossings.into_iter().partition(|crossing| told.contains(&pieces.between(crossing)));
        self.along = open;
        let pulls_parts = memory.pulls_parts(cutting.len());
        if pulls_parts {
            let cutting = cutting.into_iter().filter(|crossing| pieces.tells_side(crossing));
            self.through.extend(cutting.map(|crossing| (crossing, usize::from(pieces.is_cut_off(crossing.edge[1])))));
        } else {
            self.along.extend(cutting);
        }
        pulls_parts
    }

    /// Returns what pulls the ends of the edges.
    fn pulls(&self, features: &SurfaceFeatures, objects: &[&ObjectState], particles: &Particles) -> Vec<Pull> {
        let distance = |crossing: &Crossing| {
            let [edge, triangle] = [crossing.edge[0], crossing.triangle[0]].map(|vertex| {
                let owner = objects.iter().find(|object| object.range.contains(&(vertex as usize)));
                owner.and_then(|object| object.surface.as_ref()).map_or(0.0, |surface| surface.thickness)
            });
            0.5 * (edge + triangle)
        };
        let mut pulls: Vec<Pull> = Vec::new();
        for (crossing, end) in &self.through {
            pulls.extend(Pull::through(crossing, *end, distance(crossing), particles));
        }
        let contours = Contours::of(&self.along, features);
        for crossing in &self.along {
            let gradient = contours.gradient(crossing, particles);
            pulls.extend(Pull::along(crossing, gradient, STEP * distance(crossing), particles).into_iter().flatten());
        }
        pulls
    }
}

/// The crossings of a frame, and what undoes them.
#[derive(Debug, Default)]
pub struct Tangles {
    /// Number of edges that run through triangles.
    pub count: usize,
    /// Ends of these edges that are pulled.
    pub pulls: Vec<Pull>,
    /// True for each particle near a crossing that is undone; empty if there is none.
    near: Vec<bool>,
    /// The sheets of edges and triangles of these crossings, the lower number first.
    sheets: HashSet<[u32; 2]>,
}

impl Tangles {
    /// Finds which ends of crossing edges are pulled, and where to.
    pub fn of(
        crossings: &[Crossing],
        (look, memory): (Look, &mut TangleMemory),
        features: &SurfaceFeatures,
        objects: &[&ObjectState],
        particles: &Particles,
    ) -> Self {
        let enclosures = memory.enclosures.get_or_insert_with(|| {
            let sheets = |crossing: &Crossing| crossing.sheets(features);
            Enclosures::of(crossings.iter().map(sheets), features, particles)
        });
        if crossings.is_empty() {
            (memory.most, memory.has_open) = (None, false);
            return Self::default();
        }
        let pieces = Pieces::of(crossings, features, particles.len());
        let mut homes = Homes::new(enclosures, features, &pieces, particles);
        let (known, unknown): (Vec<Crossing>, Vec<_>) = crossings.iter().partition(|crossing| homes.knows(crossing));
        memory.has_open = !unknown.is_empty();
        let mut undoing = Undoing::default();
        if look == Look::All && !known.is_empty() {
            memory.frames_to_look = 0;
            undoing.through = homes.ends_astray(known);
        }
        let (mut near, mut sheets) = (vec![false; particles.len()], HashSet::new());
        homes.mark_astray(&mut near);
        for crossing in undoing.through.iter().map(|(crossing, _)| crossing).chain(&unknown) {
            sheets.insert(ordered(crossing.sheets(features)));
            crossing.edge.iter().chain(&crossing.triangle).for_each(|&vertex| near[vertex as usize] = true);
        }
        let pieces = Pieces::of(&unknown, features, particles.len());
        if undoing.add(unknown, &pieces, memory) {
            features.vertices.iter().for_each(|&vertex| near[vertex as usize] |= pieces.is_cut_off(vertex));
        }
        Self { count: crossings.len(), pulls: undoing.pulls(features, objects, particles), near, sheets }
    }

    /// Takes pairs that hold a tangle as it is out of those of a frame.
    pub fn remove_holding(&self, pairs: &mut Vec<FeaturePair>, wakes: &mut Vec<Wake>, features: &SurfaceFeatures) {
        if self.near.is_empty() {
            return;
        }
        let is_near = |nodes: &[u32]| nodes.iter().any(|&node| self.near[node as usize]);
        let holds = |pair: &FeaturePair| match pair.kind {
            FeaturePairKind::VertexTriangle => is_near(&pair.nodes[..1]) && is_near(&pair.nodes[1..]),
            FeaturePairKind::EdgeEdge => is_near(&pair.nodes[..2]) && is_near(&pair.nodes[2..]),
            FeaturePairKind::ParticleTriangle => false,
        };
        let cross = |pair: &FeaturePair| {
            self.sheets.contains(&ordered([pair.nodes[0], pair.nodes[3]].map(|node| features.sheet_of_vertex(node))))
        };
        let mut stay = 0;
        for k in 0..pairs.len() {
            if !(holds(&pairs[k]) && cross(&pairs[k])) {
                (pairs[stay], wakes[stay]) = (pairs[k], wakes[k]);
                stay += 1;
            }
        }
        pairs.truncate(stay);
        wakes.truncate(stay);
    }
}

fn ordered([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
