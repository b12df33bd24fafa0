//! Which vertices and triangles, and which edges, may touch in a frame.
//!
//! Triangles are swept along the way that their corners are expected to go, relative to the mean way of all, and meet
//! through the tree of boxes. Every vertex and every edge belongs to one of its triangles
//! (\[Curtis08\]), so that each pair is met once. Those are kept that may come near enough if their
//! corners go as expected, but for the margin.

#![expect(unsafe_code, reason = "threads fill disjoint lists")]

use glam::{Vec3, Vec4Swizzles};

use super::feature_geometry::FeaturePairKind;
use super::feature_pair::{CLOSE, FeaturePair};
use super::features::{SurfaceFeatures, SurfaceTriangle, TreeNode};
use super::motion::ExpectedMotion;
use super::swept_box::SweptBox;
use crate::collide::detection::DetectionContext;
use crate::object::ObjectState;
use crate::parallel::{DisjointSlice, WorkerScope};

/// Number of leaves in one task of the search.
const LEAVES: usize = 32;
/// Largest number of pairs of the triangles of one leaf.
const MAX_PAIRS: usize = 4000;
/// Longest displacement for which pairs are searched for, in reaches \[1\]: beyond it, all would meet all.
const MAX_DISPLACEMENT: f32 = 64.0;
/// Deviation of a particle that is allowed besides half of the margin, as a part of its displacement \[1\].
const STRAY_RATIO: f32 = 0.1;

/// A search for feature pairs, which keeps its buffers from frame to frame.
#[derive(Debug, Default)]
pub struct PairSearch {
    /// Expected motion of each particle of a surface.
    ways: Vec<ExpectedMotion>,
    corners: Vec<SweptBox>,
    triangles: Vec<SweptBox>,
    nodes: Vec<SweptBox>,
    lists: Vec<PairList>,
}

#[derive(Debug, Default)]
struct PairList {
    pairs: Vec<FeaturePair>,
    wakes: Vec<f32>,
    dropped: usize,
}

impl PairSearch {
    /// Returns the expected motion of each particle of a surface, as of the last search.
    pub fn ways(&self) -> &[ExpectedMotion] {
        &self.ways
    }

    /// Lists the pairs of the next `horizon` \[s\], and how far they have to have moved \[m\] before they can touch;
    /// returns how many were dropped because too many met at one place.
    pub fn run(
        &mut self,
        context: &DetectionContext<'_>,
        objects: &[&ObjectState],
        features: &SurfaceFeatures,
        workers: &WorkerScope<'_>,
        horizon: f32,
        (pairs, wakes): (&mut Vec<FeaturePair>, &mut Vec<f32>),
    ) -> usize {
        self.sweep(context, objects, features, horizon);
        let tasks = features.leaves.len().div_ceil(LEAVES);
        self.lists.resize_with(self.lists.len().max(tasks), PairList::default);
        let mut lists = std::mem::take(&mut self.lists);
        let slots = DisjointSlice::new(&mut lists);
        let work = LeafSearch { context, objects, features, search: self };
        workers.run(tasks, |_, range| {
            for task in range {
                // SAFETY: every task has its own list.
                let list = unsafe { &mut slots.slice(task..task + 1)[0] };
                list.pairs.clear();
                list.wakes.clear();
                list.dropped = 0;
                let leaves = &features.leaves[task * LEAVES..features.leaves.len().min((task + 1) * LEAVES)];
                leaves.iter().for_each(|&leaf| work.leaf(leaf as usize, list));
            }
        });
        lists[..tasks].iter().for_each(|list| pairs.extend_from_slice(&list.pairs));
        lists[..tasks].iter().for_each(|list| wakes.extend_from_slice(&list.wakes));
        let dropped = lists[..tasks].iter().map(|list| list.dropped).sum();
        self.lists = lists;
        dropped
    }

    /// Computes boxes around the motion of corners, triangles and nodes, enlarged by half of their reach.
    fn sweep(
        &mut self,
        context: &DetectionContext<'_>,
        objects: &[&ObjectState],
        features: &SurfaceFeatures,
        horizon: f32,
    ) {
        let particles = context.particles;
        self.ways.resize(particles.len(), ExpectedMotion::default());
        self.corners.resize(particles.len(), SweptBox::EMPTY);
        let travel = |i: usize| (particles.velocity[i] + particles.acceleration[i] * horizon).xyz() * horizon;
        let all = || features.vertices.iter().map(|&vertex| vertex as usize);
        let mean = all().map(travel).sum::<Vec3>() / features.vertices.len().max(1) as f32;
        let mean = if mean.is_finite() { mean } else { Vec3::ZERO };
        let owners = objects.iter().filter_map(|object| Some((object, object.surface.as_ref()?)));
        for (object, surface) in owners {
            let (reach, margin) = (0.5 * CLOSE * surface.thickness, 0.5 * context.settings.contact_margin);
            for i in object.range.clone() {
                let way = (travel(i) - mean).clamp_length_max(MAX_DISPLACEMENT * (reach + margin));
                let (from, way) = (particles.position(i), if way.is_finite() { way } else { Vec3::ZERO });
                let room = margin + STRAY_RATIO * way.length();
                let around = Vec3::splat(reach + room) + from.abs() * (4.0 * f32::EPSILON);
                self.ways[i] = ExpectedMotion { displacement: way, tolerance: room };
                self.corners[i] = SweptBox::new(from, way, around);
            }
        }
        let corner = |&k: &u32| &self.corners[k as usize];
        let hull = |triangle: &SurfaceTriangle| {
            let [a, b, c] = triangle.corners.each_ref().map(corner);
            a.merged(b).merged(c)
        };
        self.triangles.clear();
        self.triangles.extend(features.triangles.iter().map(hull));
        features.refit(&self.triangles, &mut self.nodes);
    }
}

/// The data that a search reads.
struct LeafSearch<'a> {
    context: &'a DetectionContext<'a>,
    objects: &'a [&'a ObjectState],
    features: &'a SurfaceFeatures,
    search: &'a PairSearch,
}

impl LeafSearch<'_> {
    /// Adds the pairs of the triangles of a leaf with those of the same leaf and of later ones.
    fn leaf(&self, leaf: usize, list: &mut PairList) {
        let SurfaceFeatures { nodes, .. } = self.features;
        let PairSearch { triangles, nodes: boxes, .. } = self.search;
        let of = |node: TreeNode| node.first as usize..(node.first + node.count) as usize;
        let most = list.pairs.len() + MAX_PAIRS;
        let mut place = leaf;
        while place < nodes.len() {
            let node = nodes[place];
            if !boxes[leaf].meets(&boxes[place]) {
                place = node.skip as usize;
                continue;
            }
            for b in of(node) {
                for a in of(nodes[leaf]).filter(|&a| a < b) {
                    if triangles[a].meets(&triangles[b]) {
                        self.triangles(a, b, list);
                    }
                }
            }
            list.dropped += list.pairs.len().saturating_sub(most);
            list.pairs.truncate(most);
            list.wakes.truncate(most);
            place += 1;
        }
    }

    /// Adds the pairs of the features of two triangles.
    fn triangles(&self, a: usize, b: usize, out: &mut PairList) {
        let [first, second] = [a, b].map(|k| &self.features.triangles[k]);
        let [one, other] = [first.owner, second.owner].map(|owner| self.objects[owner as usize]);
        let absent =
            |triangle: &SurfaceTriangle| triangle.corners.iter().any(|&k| self.context.particles.inactive[k as usize]);
        if first.owner != second.owner && !one.collision_layers.interacts_with(other.collision_layers)
            || absent(first)
            || absent(second)
        {
            return;
        }
        let [Some(s), Some(t)] = [&one.surface, &other.surface] else { return };
        let like = FeaturePair {
            kind: FeaturePairKind::VertexTriangle,
            nodes: [0; 4],
            distance: 0.5 * (s.thickness + t.thickness),
            friction: one.friction.combine(other.friction),
            kept_side: 0.0,
        };
        let same = first.owner == second.owner;
        for (vertices, triangle, place) in [(first, second, b), (second, first, a)] {
            for k in (0..3).filter(|&k| vertices.vertices[k]) {
                let (vertex, [u, v, w]) = (vertices.corners[k], triangle.corners);
                let bounds = &self.search.corners[vertex as usize];
                if !triangle.corners.contains(&vertex) && bounds.meets(&self.search.triangles[place]) {
                    self.consider(FeaturePair { nodes: [vertex, u, v, w], ..like }, same, out);
                }
            }
        }
        for k in (0..3).filter(|&k| first.edges[k]) {
            let ends = first.edge(k);
            let hull = self.hull(ends);
            if !hull.meets(&self.search.triangles[b]) {
                continue;
            }
            for l in (0..3).filter(|&l| second.edges[l]) {
                let others = second.edge(l);
                let shares = ends.iter().any(|end| others.contains(end));
                if !shares && hull.meets(&self.hull(others)) {
                    let [[a, b], [c, d]] = if ends < others { [ends, others] } else { [others, ends] };
                    self.consider(
                        FeaturePair { kind: FeaturePairKind::EdgeEdge, nodes: [a, b, c, d], ..like },
                        same,
                        out,
                    );
                }
            }
        }
    }

    fn hull(&self, ends: [u32; 2]) -> SweptBox {
        let [a, b] = ends.map(|end| self.search.corners[end as usize]);
        a.merged(&b)
    }

    /// Adds a pair if it may come near enough, and, within one surface, if it is farther apart in the rest shape.
    fn consider(&self, pair: FeaturePair, same: bool, out: &mut PairList) {
        let particles = self.context.particles;
        let nodes = pair.nodes.map(|node| node as usize);
        if nodes.iter().all(|&i| particles.anchor[i].w == 0.0) {
            return;
        }
        let apart = pair.kind.nearest(pair.corners(particles)).apart.length();
        let close = pair.distance * CLOSE;
        let [approach, room] = self.approach(pair.kind, nodes);
        if apart - close - room > approach {
            return;
        }
        if same {
            let rest = |k: usize| particles.rest_positions[nodes[k]] - particles.rest_positions[nodes[0]];
            let rest = pair.kind.nearest([rest(1), rest(2), rest(3)]).apart.length_squared();
            if rest < pair.distance * pair.distance {
                return;
            }
        }
        out.pairs.push(pair);
        out.wakes.push(apart - close);
    }

    /// Returns how far any points of two features are expected to go relative to each other, and how far off that may
    /// be, at most \[m\].
    fn approach(&self, kind: FeaturePairKind, nodes: [usize; 4]) -> [f32; 2] {
        let ways = nodes.map(|node| self.search.ways[node]);
        let firsts = if kind == FeaturePairKind::VertexTriangle { 1 } else { 2 };
        let (one, other) = ways.split_at(firsts);
        let all = one.iter().flat_map(|a| other.iter().map(|b| a.displacement.distance_squared(b.displacement)));
        let room = |ways: &[ExpectedMotion]| ways.iter().fold(0.0, |most: f32, way| most.max(way.tolerance));
        [all.fold(0.0, f32::max).sqrt(), room(one) + room(other)]
    }
}
