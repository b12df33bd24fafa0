//! Which vertices and triangles, which edges, and which other particles and triangles may touch in a frame.
//!
//! Triangles are swept along the way that their corners are expected to go, relative to the mean way of all, and meet
//! through the tree of boxes. Every vertex and every edge belongs to one of its triangles
//! (\[Curtis08\]), so that each pair is met once. Those are kept that may come near enough if their
//! corners go as expected, but for the margin. Where all is slow, pairs that are a little farther apart are
//! [kept](KeptPairs) from search to search, and only these are looked at.

#![expect(unsafe_code, reason = "threads fill disjoint lists")]

mod enclosed;
mod expectation;
mod pair_sink;
mod renewal;
mod shapes;

use glam::{Vec3, Vec4Swizzles};

use super::feature_geometry::{FeaturePairKind, PARALLEL};
use super::feature_pair::{CLOSE, FeaturePair};
use super::feature_points::FeaturePoints;
use super::features::{SurfaceFeatures, SurfaceTree, SurfaceTriangle};
use super::kept_pairs::{KeptPair, KeptPairs};
use super::motion::{ExpectedMotion, Wake};
use super::placed_shapes::PlacedShapes;
use super::swept_box::SweptBox;
use super::tangles::Crossing;
use crate::collide::detection::DetectionContext;
use crate::layers::CollisionLayers;
use crate::object::ObjectState;
use crate::parallel::{DisjointSlice, WorkerScope};
use expectation::{Expectation, FramePart};
use pair_sink::{CrossingList, KeptList, PairList, PairSink};
use renewal::Renewal;

/// Number of leaves in one task of the search.
const LEAVES: usize = 32;
/// Number of particles of no surface in one task.
const BALLS: usize = 128;
/// Number of features of shapes in one task.
const SHAPE_FEATURES: usize = 32;
/// Largest number of pairs of the triangles of one leaf, and of one particle or feature of a shape.
const MAX_PAIRS: usize = 4000;
/// Distance in the rest shape, in thicknesses, below which features of one surface do not collide \[1\]: more than that at which
/// pairs are [solved](CLOSE), or a sheet would touch itself wherever it is compressed a little.
const NEIGHBOUR: f32 = 1.2;
/// Margins by which a surface may leave its box before particles and shapes are looked for that are outside of it \[1\], and the
/// part of the longest expected displacement that is added \[1\].
const ROOM: (f32, f32) = (8.0, 0.5);
/// Distance, in those that contacts keep, within which a particle that has passed a surface meets all of its triangles \[1\].
const ASTRAY_REACH: f32 = 8.0;
/// Largest multiple of that within which the triangles of a closed surface are looked for where there is none nearer \[1\].
const FARTHEST_ASTRAY: f32 = 256.0;

/// A search for feature pairs, which keeps its buffers from frame to frame.
#[derive(Debug, Default)]
pub struct PairSearch {
    /// Expected motion of each particle of a surface, and of others that may come to one.
    pub(super) ways: Vec<ExpectedMotion>,
    /// Particles of no surface that may come to surfaces, in order.
    balls: Vec<u32>,
    /// Indices of the objects of these particles in the order of objects.
    ball_owners: Vec<u32>,
    /// Those of these particles that have passed a surface, in order.
    pub(super) astray: Vec<u32>,
    corners: Vec<SweptBox>,
    triangles: Vec<SweptBox>,
    nodes: Vec<SweptBox>,
    /// Boxes that the trees do not leave while the pairs of the last whole search serve.
    roots: Vec<SweptBox>,
    lists: Vec<PairList>,
    pub(super) kept: KeptPairs,
    /// Corners and edges of colliders that may come to surfaces.
    pub(super) shapes: PlacedShapes,
    /// The points of the last renewal.
    renewal: Renewal,
    part: FramePart,
}

/// The three kinds of pairs that a search finds, and when each has to be looked at: those of surfaces and particles, those
/// of surfaces and bodies that can be pushed, and those of surfaces and other colliders.
type Found<'a> = [(&'a mut Vec<FeaturePair>, &'a mut Vec<Wake>); 3];

impl PairSearch {
    /// Returns where edges run through triangles.
    pub fn crossings(
        &mut self,
        context: &DetectionContext<'_>,
        objects: &[&ObjectState],
        features: &SurfaceFeatures,
    ) -> Vec<Crossing> {
        self.place_surfaces(context, objects, features);
        let mut list = CrossingList::default();
        let work = LeafSearch { context, objects, features, search: self, renewal: None };
        features.leaves.iter().for_each(|&leaf| work.leaf(leaf as usize, &mut list));
        list.0
    }

    /// Puts boxes around surfaces where they are.
    fn place_surfaces(&mut self, context: &DetectionContext<'_>, objects: &[&ObjectState], features: &SurfaceFeatures) {
        self.corners.resize(context.particles.len(), SweptBox::EMPTY);
        self.place_corners(context, objects, |_| 0.0);
        self.merge_corners(features);
    }

    /// Puts boxes around the corners of surfaces where they are, by what is within half of a reach that depends on the
    /// thickness \[m\].
    fn place_corners(&mut self, context: &DetectionContext<'_>, objects: &[&ObjectState], reach: impl Fn(f32) -> f32) {
        let owners = objects.iter().filter_map(|object| Some((object, object.surface.as_ref()?)));
        for (object, surface) in owners {
            let around = Vec3::splat(0.5 * reach(surface.thickness) * (1.0 + 1e-4));
            for i in object.range.clone() {
                let from = context.particles.position(i);
                let around = around + from.abs() * (4.0 * f32::EPSILON);
                self.corners[i] = SweptBox::new(from, Vec3::ZERO, around);
            }
        }
    }

    /// Returns the expected motion of each particle of a surface, and of others and of points of shapes that may come to
    /// one, as of the last search.
    pub fn ways(&self) -> &[ExpectedMotion] {
        &self.ways
    }

    /// Returns the particles of no surface whose motion decides how long the pairs of the last search serve.
    pub fn balls(&self) -> &[u32] {
        &self.balls
    }

    /// Lists the pairs of the next `horizon` \[s\], and of the substep so far if it is `within_substep`. Returns how many were
    /// dropped because too many met at one place.
    pub fn run(
        &mut self,
        context: &DetectionContext<'_>,
        objects: &[&ObjectState],
        features: &SurfaceFeatures,
        workers: &WorkerScope<'_>,
        (horizon, within_substep): (f32, bool),
        found: Found<'_>,
    ) -> usize {
        self.part = FramePart { begin: 0.0, length: horizon };
        self.sweep(context, objects, features, (horizon, within_substep));
        self.renew_kept_pairs(context, objects, features, workers);
        self.list_pairs((context, objects, features), None, workers, found)
    }

    /// Lists the pairs whose boxes meet, or those of them that have one of some points.
    fn list_pairs(
        &mut self,
        (context, objects, features): (&DetectionContext<'_>, &[&ObjectState], &SurfaceFeatures),
        renewal: Option<&Renewal>,
        workers: &WorkerScope<'_>,
        found: Found<'_>,
    ) -> usize {
        let leaves = renewal.map_or(features.leaves.as_slice(), |renewal| &renewal.leaves);
        let leaf_tasks = leaves.len().div_ceil(LEAVES);
        let ball_tasks = self.balls.len().div_ceil(BALLS);
        let tasks = leaf_tasks + ball_tasks + self.shapes.features.len().div_ceil(SHAPE_FEATURES);
        self.lists.resize_with(self.lists.len().max(tasks), PairList::default);
        let mut lists = std::mem::take(&mut self.lists);
        let slots = DisjointSlice::new(&mut lists);
        let work = LeafSearch { context, objects, features, search: self, renewal };
        workers.run(tasks, |_, range| {
            for task in range {
                // SAFETY: every task has its own list.
                let list = unsafe { &mut slots.slice(task..task + 1)[0] };
                list.pairs.clear();
                list.wakes.clear();
                list.dropped = 0;
                if task < leaf_tasks {
                    let own = leaves_of(leaves, task);
                    match (renewal, work.search.kept.of_task(task)) {
                        (Some(renewal), _) => own.iter().for_each(|&leaf| work.renewed_leaf(leaf, renewal, list)),
                        (None, Some(kept)) => work.kept_pairs(kept, list),
                        (None, None) => own.iter().for_each(|&leaf| work.leaf(leaf as usize, list)),
                    }
                } else if task < leaf_tasks + ball_tasks {
                    let first = (task - leaf_tasks) * BALLS;
                    (first..work.search.balls.len().min(first + BALLS)).for_each(|ball| work.ball(ball, list));
                } else {
                    let first = (task - leaf_tasks - ball_tasks) * SHAPE_FEATURES;
                    let last = work.search.shapes.features.len().min(first + SHAPE_FEATURES);
                    (first..last).for_each(|feature| work.shape_feature(feature, list));
                }
            }
        });
        let [(pairs, wakes), pushable, fixed] = found;
        let (of_particles, of_shapes) = lists[..tasks].split_at(leaf_tasks + ball_tasks);
        of_particles.iter().for_each(|list| pairs.extend_from_slice(&list.pairs));
        of_particles.iter().for_each(|list| wakes.extend_from_slice(&list.wakes));
        for (pair, wake) in of_shapes.iter().flat_map(|list| list.pairs.iter().zip(&list.wakes)) {
            let shape = self.shapes.collider_of(pair.nodes[0] as usize - context.particles.len());
            let (pairs, wakes) =
                if shape.is_pushable { (&mut *pushable.0, &mut *pushable.1) } else { (&mut *fixed.0, &mut *fixed.1) };
            pairs.push(*pair);
            wakes.push(*wake);
        }
        let dropped = lists[..tasks].iter().map(|list| list.dropped).sum();
        self.lists = lists;
        dropped
    }

    /// Keeps other pairs where those of before do not serve this search, if new ones will serve several.
    fn renew_kept_pairs(
        &mut self,
        context: &DetectionContext<'_>,
        objects: &[&ObjectState],
        features: &SurfaceFeatures,
        workers: &WorkerScope<'_>,
    ) {
        let mut kept = std::mem::take(&mut self.kept);
        if let Some(reach) = kept.begin(context, objects, features, &self.ways) {
            let swept = (self.corners.clone(), self.triangles.clone(), self.nodes.clone());
            self.place_corners(context, objects, |thickness| CLOSE * thickness + reach);
            self.merge_corners(features);
            let lists = kept.lists(features.leaves.len().div_ceil(LEAVES));
            let tasks = lists.len();
            let slots = DisjointSlice::new(lists);
            let work = LeafSearch { context, objects, features, search: self, renewal: None };
            workers.run(tasks, |_, range| {
                for task in range {
                    // SAFETY: every task has its own list.
                    let (pairs, is_full) = unsafe { &mut slots.slice(task..task + 1)[0] };
                    let mut list = KeptList { pairs, reach, is_full: false };
                    leaves_of(&features.leaves, task).iter().for_each(|&leaf| work.leaf(leaf as usize, &mut list));
                    *is_full = list.is_full;
                }
            });
            (self.corners, self.triangles, self.nodes) = swept;
            kept.finish();
        }
        self.kept = kept;
    }

    /// Computes boxes around the motion of corners, triangles and nodes, enlarged by half of their reach.
    fn sweep(
        &mut self,
        context: &DetectionContext<'_>,
        objects: &[&ObjectState],
        features: &SurfaceFeatures,
        (horizon, within_substep): (f32, bool),
    ) {
        let particles = context.particles;
        self.ways.resize(particles.len(), ExpectedMotion::default());
        self.corners.resize(particles.len(), SweptBox::EMPTY);
        let expectation = Expectation::new(context, features, self.part);
        let expected = |i: usize, reach: f32| {
            let behind = if within_substep { (particles.offset[i] - particles.start[i]).xyz().length() } else { 0.0 };
            expectation.of(i, reach, behind)
        };
        let owners = objects.iter().filter_map(|object| Some((object, object.surface.as_ref()?)));
        for (object, surface) in owners {
            for i in object.range.clone() {
                (self.ways[i], self.corners[i]) = expected(i, 0.5 * CLOSE * surface.thickness);
            }
        }
        self.merge_corners(features);
        let Expectation { mean, margin, .. } = expectation;
        let longest =
            features.vertices.iter().map(|&k| self.ways[k as usize].displacement.length()).fold(0.0, f32::max);
        let room = ROOM.0 * margin + ROOM.1 * longest;
        self.roots.clear();
        self.roots.extend(features.trees.iter().map(|tree| self.nodes[tree.nodes.start].at_rest().grown(room)));
        self.collect_balls(context, objects, features, expected);
        self.place_shapes(context, objects, features, (mean, margin), (horizon, within_substep));
    }

    /// Computes the boxes of triangles and nodes from those of the corners.
    fn merge_corners(&mut self, features: &SurfaceFeatures) {
        self.triangles.clear();
        self.triangles.extend(features.triangles.iter().map(|triangle| hull_of(&self.corners, triangle.corners)));
        self.nodes.resize(features.nodes.len(), SweptBox::EMPTY);
        features.refit(&self.triangles, &mut self.nodes, |_| true);
    }

    /// Lists the particles of no surface that layers let touch one. One that is farther from all of them may stray
    /// farther from its expected motion.
    fn collect_balls(
        &mut self,
        context: &DetectionContext<'_>,
        objects: &[&ObjectState],
        features: &SurfaceFeatures,
        expected: impl Fn(usize, f32) -> (ExpectedMotion, SweptBox),
    ) {
        self.balls.clear();
        self.ball_owners.clear();
        let reach = CLOSE * context.settings.particle_radius;
        for (owner, range) in &features.balls {
            let layers = objects[*owner as usize].collision_layers;
            let met = |tree: &SurfaceTree| layers.interacts_with(objects[tree.owner as usize].collision_layers);
            if !features.trees.iter().any(met) {
                continue;
            }
            for i in range.clone().filter(|&i| !context.particles.inactive[i]) {
                let (mut motion, swept) = expected(i, reach);
                motion.tolerance += self.gap(features, objects, layers, &swept);
                (self.ways[i], self.corners[i]) = (motion, swept);
                self.balls.push(i as u32);
                self.ball_owners.push(*owner);
            }
        }
    }

    /// Returns the smallest gap \[m\] between a box and the trees that layers let it meet.
    fn gap(
        &self,
        features: &SurfaceFeatures,
        objects: &[&ObjectState],
        layers: CollisionLayers,
        swept: &SweptBox,
    ) -> f32 {
        let met = |tree: &SurfaceTree| layers.interacts_with(objects[tree.owner as usize].collision_layers);
        let roots = features.trees.iter().zip(&self.roots).filter(|(tree, _)| met(tree));
        roots.map(|(_, root)| root.gap(swept)).fold(f32::MAX, f32::min)
    }
}

/// Returns the leaves of a task.
fn leaves_of(leaves: &[u32], task: usize) -> &[u32] {
    &leaves[task * LEAVES..leaves.len().min((task + 1) * LEAVES)]
}

fn hull_of(boxes: &[SweptBox], corners: [u32; 3]) -> SweptBox {
    let [a, b, c] = corners.map(|corner| &boxes[corner as usize]);
    a.merged(b).merged(c)
}

/// The data that a search reads.
struct LeafSearch<'a> {
    context: &'a DetectionContext<'a>,
    objects: &'a [&'a ObjectState],
    features: &'a SurfaceFeatures,
    search: &'a PairSearch,
    /// The points of which pairs are looked for, if not all are.
    renewal: Option<&'a Renewal>,
}

impl LeafSearch<'_> {
    /// Adds the pairs of the triangles of a leaf with those of the same leaf and of later ones.
    fn leaf(&self, leaf: usize, list: &mut impl PairSink) {
        let PairSearch { triangles, nodes: boxes, .. } = self.search;
        let most = list.len() + MAX_PAIRS;
        let own = self.features.trees.partition_point(|tree| tree.nodes.end <= leaf);
        let trees = &self.features.trees[own..];
        let asleep = |tree: &SurfaceTree| self.objects[tree.owner as usize].sleep.asleep;
        let rests = trees.first().is_some_and(asleep);
        for tree in trees.iter().filter(|tree| !(rests && asleep(tree))) {
            let later = leaf.max(tree.nodes.start)..tree.nodes.end;
            let is_near = |place: usize| boxes[leaf].meets(&boxes[place]);
            self.features.visit_nodes(later, is_near, |_, others| {
                for b in others {
                    for a in self.features.nodes[leaf].triangles().filter(|&a| a < b) {
                        if triangles[a].meets(&triangles[b]) {
                            list.meet(self, a, b);
                        }
                    }
                }
                list.truncate(most);
            });
        }
    }

    /// Returns the points of all features.
    fn points(&self) -> FeaturePoints<'_> {
        FeaturePoints::new(self.context.particles, &self.search.shapes.places)
    }

    /// Calls `visit` with each triangle of a tree that may meet a box. If the pairs of some points are looked for, of which the
    /// box has none, it visits triangles near those that have one.
    fn triangles_near(
        &self,
        tree: &SurfaceTree,
        swept: &SweptBox,
        is_renewed: bool,
        mut visit: impl FnMut(&SurfaceTriangle),
    ) {
        let renewal = self.renewal.filter(|_| !is_renewed);
        let PairSearch { triangles, nodes: boxes, .. } = self.search;
        let is_near = |place: usize| renewal.is_none_or(|renewal| renewal.nodes[place]) && swept.meets(&boxes[place]);
        self.features.visit_nodes(tree.nodes.clone(), is_near, |_, members| {
            for k in members {
                let triangle = &self.features.triangles[k];
                if swept.meets(&triangles[k]) && !self.is_absent(triangle) {
                    visit(triangle);
                }
            }
        });
    }

    /// Adds the pairs of a particle of no surface with the triangles that it may meet.
    fn ball(&self, number: usize, list: &mut PairList) {
        let PairSearch { corners, balls, ball_owners, .. } = self.search;
        let (particle, owner) = (balls[number], ball_owners[number] as usize);
        let (object, is_liquid) = (self.objects[owner], self.context.object_media.of(owner).is_some());
        let is_astray = self.search.astray.binary_search(&particle).is_ok();
        let most = list.pairs.len() + MAX_PAIRS;
        for tree in &self.features.trees {
            let surface_object = self.objects[tree.owner as usize];
            let Some(surface) = &surface_object.surface else { continue };
            let both_sleep = object.sleep.asleep && surface_object.sleep.asleep;
            if both_sleep || !object.collision_layers.interacts_with(surface_object.collision_layers) {
                continue;
            }
            let like = FeaturePair {
                permeability: if is_liquid { surface.permeability } else { 0.0 },
                ..FeaturePair::new(
                    FeaturePairKind::ParticleTriangle,
                    [particle; 4],
                    0.5 * surface.thickness + self.context.settings.particle_radius,
                    object.friction.combine(surface_object.friction),
                )
            };
            let mut reach = if is_astray { ASTRAY_REACH * like.distance } else { 0.0 };
            let (first, last_reach) = (list.pairs.len(), reach * FARTHEST_ASTRAY);
            loop {
                let swept = corners[particle as usize].grown(reach);
                self.triangles_near(tree, &swept, self.is_renewed(&[particle]), |triangle| {
                    let [u, v, w] = triangle.corners;
                    let pair = FeaturePair { nodes: [particle, u, v, w], sheet: triangle.sheet, ..like };
                    if is_astray && self.is_renewed(&pair.nodes) {
                        list.pairs.push(pair);
                        list.wakes.push(Wake::NOW);
                    } else {
                        self.consider(pair, false, list);
                    }
                });
                if list.pairs.len() > first || !tree.is_closed || reach >= last_reach {
                    break;
                }
                reach *= 2.0;
            }
        }
        list.truncate(most);
    }

    /// Adds those of the kept pairs that a search of the tree would find.
    fn kept_pairs(&self, kept: &[KeptPair], list: &mut PairList) {
        let reach = self.search.kept.needed_reach();
        for &KeptPair { pair, same, .. } in kept.iter().filter(|kept| kept.gap <= reach) {
            let [a, b, c, d] = pair.nodes;
            let meet = match pair.kind {
                FeaturePairKind::EdgeEdge => self.hull([a, b]).meets(&self.hull([c, d])),
                _ => self.search.corners[a as usize].meets(&hull_of(&self.search.corners, [b, c, d])),
            };
            if meet {
                self.consider(pair, same, list);
            }
        }
    }

    /// Returns whether pairs of one of these points are looked for.
    fn is_renewed(&self, points: &[u32]) -> bool {
        self.renewal.is_none_or(|renewal| points.iter().any(|&point| renewal.points[point as usize]))
    }

    /// Returns whether a corner of a triangle is absent.
    fn is_absent(&self, triangle: &SurfaceTriangle) -> bool {
        triangle.corners.iter().any(|&k| self.context.particles.inactive[k as usize])
    }

    /// Returns the objects of two triangles, if layers let them touch and both are there.
    fn may_touch(&self, first: &SurfaceTriangle, second: &SurfaceTriangle) -> Option<[&ObjectState; 2]> {
        let [one, other] = [first.owner, second.owner].map(|owner| self.objects[owner as usize]);
        let meet = first.owner == second.owner || one.collision_layers.interacts_with(other.collision_layers);
        (meet && !self.is_absent(first) && !self.is_absent(second)).then_some([one, other])
    }

    /// Adds the pairs of the features of two triangles.
    fn triangles(&self, a: usize, b: usize, out: &mut impl PairSink) {
        let [first, second] = [a, b].map(|k| &self.features.triangles[k]);
        let Some([one, other]) = self.may_touch(first, second) else { return };
        let [Some(s), Some(t)] = [&one.surface, &other.surface] else { return };
        let like = FeaturePair::new(
            FeaturePairKind::VertexTriangle,
            [0; 4],
            0.5 * (s.thickness + t.thickness),
            one.friction.combine(other.friction),
        );
        let same = first.owner == second.owner;
        for (vertices, triangle, place) in [(first, second, b), (second, first, a)] {
            for k in (0..3).filter(|&k| vertices.vertices[k]) {
                let (vertex, [u, v, w]) = (vertices.corners[k], triangle.corners);
                let bounds = &self.search.corners[vertex as usize];
                let is_sought = self.is_renewed(&[vertex]) || self.is_renewed(&triangle.corners);
                if is_sought && !triangle.corners.contains(&vertex) && bounds.meets(&self.search.triangles[place]) {
                    out.take(self, FeaturePair { nodes: [vertex, u, v, w], ..like }, same);
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
                let is_sought = self.is_renewed(&ends) || self.is_renewed(&others);
                if is_sought && !shares && hull.meets(&self.hull(others)) {
                    let [[a, b], [c, d]] = if ends < others { [ends, others] } else { [others, ends] };
                    out.take(self, FeaturePair { kind: FeaturePairKind::EdgeEdge, nodes: [a, b, c, d], ..like }, same);
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
        if nodes.iter().all(|&i| !self.may_move(i)) || !self.is_renewed(&pair.nodes) {
            return;
        }
        let nearest = pair.kind.nearest(self.points().corners(pair.nodes)).apart;
        let (apart, look) = (nearest.length(), pair.look());
        let [room, behind] = self.room(pair.kind, nodes);
        let way = apart - look - room - behind;
        let approach = if way > 0.0 { self.approach(pair.kind, nodes, nearest / apart) } else { 0.0 };
        if way > approach {
            return;
        }
        if same {
            let rest = |k: usize| particles.rest_positions[nodes[k]] - particles.rest_positions[nodes[0]];
            let rest = pair.kind.nearest([rest(1), rest(2), rest(3)]).apart.length_squared();
            let least = NEIGHBOUR * pair.distance;
            if rest < least * least {
                return;
            }
        }
        out.pairs.push(pair);
        let FramePart { begin, length } = self.search.part;
        let time = if way > 0.0 { begin + length * (way / approach) * (1.0 - 1e-4) } else { 0.0 };
        out.wakes.push(Wake { path: apart - look - behind, time });
    }

    /// Returns how far the motions of any points of two features may be off what is expected of them, together, and how far they
    /// have come in the substep so far, at most \[m\].
    #[inline]
    fn room(&self, kind: FeaturePairKind, nodes: [usize; 4]) -> [f32; 2] {
        let way = |k: usize| &self.search.ways[nodes[k]];
        let (a, b, c, d) = (way(0), way(1), way(2), way(3));
        let most = |of: fn(&ExpectedMotion) -> f32| match kind {
            FeaturePairKind::EdgeEdge => of(a).max(of(b)) + of(c).max(of(d)),
            _ => of(a) + of(b).max(of(c)).max(of(d)),
        };
        [most(|way| way.tolerance), most(|way| way.behind)]
    }

    /// Returns by how much less two features are expected to be apart at the end, at most \[m\], given the direction from the nearest
    /// point of the second to that of the first: in this direction, no point of the first is nearer to one of the second than
    /// the features are.
    #[inline]
    fn approach(&self, kind: FeaturePairKind, nodes: [usize; 4], direction: Vec3) -> f32 {
        let [a, b, c, d] = nodes.map(|node| self.search.ways[node].displacement);
        let [p, q, r, s] = [a, b, c, d].map(|way| way.dot(direction));
        match kind {
            // The direction is off by up to a small angle where edges are nearly parallel.
            FeaturePairKind::EdgeEdge => {
                let most = a.distance_squared(c).max(a.distance_squared(d));
                let most = most.max(b.distance_squared(c)).max(b.distance_squared(d));
                (r.max(s) - p.min(q)).max(0.0) + PARALLEL * most.sqrt()
            }
            _ => (q.max(r).max(s) - p).max(0.0),
        }
    }
}
