//! Pairs of features that are kept from search to search while all vertices are slow.
//!
//! A search accepts a pair whose gap is at most the sum over both features of r + b + w + d: the allowed deviation, the
//! way in the substep so far, the expected way, and the way since the pairs were kept, each of the vertex that has most of
//! it. No pair that is left out of the list has been nearer than the reach E. While twice the largest sum of any vertices
//! is at most E, the list therefore has all pairs that a search of the tree would accept, in the same order. What a search
//! finds does not depend on whether pairs are kept.

use glam::{Vec3, Vec4, Vec4Swizzles};

use super::feature_pair::FeaturePair;
use super::features::SurfaceFeatures;
use super::motion::ExpectedMotion;
use crate::collide::detection::DetectionContext;
use crate::friction::Friction;
use crate::layers::CollisionLayers;
use crate::object::ObjectState;

/// Gap up to which pairs are kept, in margins \[1\]: a search at rest needs 1.
const REACH: f32 = 2.5;
/// Number of searches that kept pairs have to serve, if vertices move as they are expected to.
const SEARCHES: f32 = 4.0;

/// A pair that may be found by later searches.
#[derive(Debug, Clone, Copy)]
pub struct KeptPair {
    /// The pair.
    pub pair: FeaturePair,
    /// True within one surface.
    pub same: bool,
    /// Gap between the features beyond that at which they touch, when the pair was kept \[m\].
    pub gap: f32,
}

/// The pairs of all tasks of a search, and where all vertices were when they were found.
#[derive(Debug, Default)]
pub struct KeptPairs {
    /// Pairs of each task, and whether there were too many of a leaf.
    lists: Vec<(Vec<KeptPair>, bool)>,
    /// What the pairs depend on besides the positions.
    basis: Basis,
    /// Anchor and offset of each vertex \[m\].
    places: Vec<[Vec4; 2]>,
    /// Gap up to which pairs were kept \[m\].
    reach: f32,
    /// Gap up to which this search needs pairs \[m\].
    needed_reach: f32,
    /// True if the pairs serve this search.
    serves: bool,
    /// True if there were too many to keep them all.
    is_crowded: bool,
}

/// What pairs depend on besides positions.
#[derive(Debug, Default, PartialEq)]
struct Basis {
    plan_generation: u64,
    margin: f32,
    surfaces: Vec<(CollisionLayers, Friction, Option<f32>)>,
    inactive: Vec<bool>,
}

impl KeptPairs {
    /// Returns the pairs of a task if they serve this search.
    pub fn of_task(&self, task: usize) -> Option<&[KeptPair]> {
        self.serves.then(|| self.lists[task].0.as_slice())
    }

    /// Returns the gap up to which this search needs pairs \[m\].
    pub fn needed_reach(&self) -> f32 {
        self.needed_reach
    }

    /// Prepares a search with these expected motions. Returns the gap \[m\] up to which pairs are to be kept anew, if they
    /// are; [`KeptPairs::lists`] then takes them.
    pub fn begin(
        &mut self,
        context: &DetectionContext<'_>,
        objects: &[&ObjectState],
        features: &SurfaceFeatures,
        ways: &[ExpectedMotion],
    ) -> Option<f32> {
        let most = |of: fn(&ExpectedMotion) -> f32| {
            features.vertices.iter().map(|&vertex| of(&ways[vertex as usize])).fold(0.0, f32::max)
        };
        let way = most(|motion| motion.displacement.length());
        let rest = way + most(|motion| motion.tolerance) + most(|motion| motion.behind);
        let reach = REACH * context.settings.contact_margin;
        let basis = Basis::of(context, objects, features);
        let places = || features.vertices.iter().map(|&vertex| place(context, vertex));
        let is_same = basis == self.basis;
        self.serves = is_same && !self.lists.is_empty();
        if self.serves {
            self.needed_reach = allow_for_rounding(2.0 * (rest + self.largest_displacement(places())), &self.places);
            self.serves = self.needed_reach <= self.reach;
        }
        if self.serves {
            return None;
        }
        self.lists.clear();
        if 2.0 * (rest + SEARCHES * way) > reach || self.is_crowded && is_same {
            return None;
        }
        self.basis = basis;
        self.places.clear();
        self.places.extend(places());
        self.needed_reach = allow_for_rounding(2.0 * rest, &self.places);
        self.reach = reach;
        self.serves = self.needed_reach <= reach;
        Some(reach)
    }

    /// Returns an empty list for each of so many tasks.
    pub fn lists(&mut self, tasks: usize) -> &mut [(Vec<KeptPair>, bool)] {
        self.lists.resize_with(tasks, Default::default);
        self.lists.iter_mut().for_each(|list| list.0.clear());
        &mut self.lists
    }

    /// Gives the pairs up if there were too many of a leaf to keep them all.
    pub fn finish(&mut self) {
        self.is_crowded = self.lists.iter().any(|(_, is_full)| *is_full);
        if self.is_crowded {
            self.serves = false;
            self.lists.clear();
        }
    }

    /// Returns the largest displacement of a vertex since pairs were kept, relative to the mean of all \[m\].
    fn largest_displacement(&self, places: impl Iterator<Item = [Vec4; 2]> + Clone) -> f32 {
        let ways = || places.clone().zip(&self.places).map(|([a, b], [c, d])| ((a - *c) + (b - *d)).xyz());
        let mean = ways().sum::<Vec3>() / self.places.len().max(1) as f32;
        let far = ways().map(|way| way.distance_squared(mean)).fold(0.0, f32::max).sqrt();
        if mean.is_finite() { far } else { f32::INFINITY }
    }
}

impl Basis {
    fn of(context: &DetectionContext<'_>, objects: &[&ObjectState], features: &SurfaceFeatures) -> Self {
        let surface = |object: &&ObjectState| {
            let thickness = object.surface.as_ref().map(|surface| surface.thickness);
            (object.collision_layers, object.friction, thickness)
        };
        Self {
            plan_generation: context.plan_generation,
            margin: context.settings.contact_margin,
            surfaces: objects.iter().map(surface).collect(),
            inactive: features.vertices.iter().map(|&k| context.particles.inactive[k as usize]).collect(),
        }
    }
}

fn place(context: &DetectionContext<'_>, vertex: u32) -> [Vec4; 2] {
    [context.particles.anchor[vertex as usize], context.particles.offset[vertex as usize]]
}

/// Adds what distances between these places may be rounded by.
fn allow_for_rounding(distance: f32, places: &[[Vec4; 2]]) -> f32 {
    let largest = places.iter().map(|[anchor, _]| anchor.xyz().abs().max_element()).fold(0.0, f32::max);
    distance * (1.0 + 1e-4) + 32.0 * f32::EPSILON * largest
}

#[cfg(test)]
mod tests {
    use super::super::feature_geometry::FeaturePairKind;
    use super::super::motion::Wake;
    use super::super::search::PairSearch;
    use super::*;
    use crate::object::Object;
    use crate::parallel::WorkerScope;
    use crate::world::{Settings, World};

    const FRAME: f32 = 1.0 / 60.0;
    /// Particles a side of a sheet, with edges of 0.1 m.
    const SIDE: u32 = 9;

    /// Returns two sheets on each other.
    fn sheets() -> World {
        let mut world = World::new(Settings { contact_margin: 0.03, ..Settings::default() }).unwrap();
        for height in [0.0, 0.04] {
            let at = |k: u32| Vec3::new(0.1 * (k % SIDE) as f32, height, 0.1 * (k / SIDE) as f32 + 0.3 * height);
            let corners = (0..SIDE * (SIDE - 1)).filter(|k| k % SIDE + 1 < SIDE);
            let triangles = corners.flat_map(|a| [[a, a + SIDE, a + 1], [a + 1, a + SIDE, a + SIDE + 1]]).collect();
            world.add(Object::new("sheet", (0..SIDE * SIDE).map(at).collect(), 0.1).surface(triangles, 0.03)).unwrap();
        }
        world
    }

    /// Returns the pairs that a search finds, and when they have to be looked at; with `keeps` false, those of the tree.
    fn found(search: &mut PairSearch, context: &DetectionContext<'_>, keeps: bool) -> Vec<(FeaturePair, Wake)> {
        let objects: Vec<&ObjectState> = context.objects.iter().map(|(_, object)| object).collect();
        let features = SurfaceFeatures::of(&objects, context.particles);
        if !keeps {
            let basis = Basis::of(context, &objects, &features);
            search.kept = KeptPairs { is_crowded: true, basis, ..KeptPairs::default() };
        }
        let (mut pairs, mut wakes) = (Vec::new(), Vec::new());
        let ([mut p, mut q], [mut v, mut w]) = <([Vec<FeaturePair>; 2], [Vec<Wake>; 2])>::default();
        let lists = [(&mut pairs, &mut wakes), (&mut p, &mut v), (&mut q, &mut w)];
        search.run(context, &objects, &features, &WorkerScope::SINGLE, (FRAME, false), lists);
        pairs.into_iter().zip(wakes).collect()
    }

    /// The sheets drift together and tremble, and one changes its friction; a search that keeps nothing tells what is to be
    /// found.
    #[test]
    fn kept_pairs_give_what_a_search_of_the_tree_finds() {
        let world = sheets();
        let (mut particles, mut objects) = (world.state().particles.clone(), world.state().objects.clone());
        let (mut search, mut served, mut renewed) = (PairSearch::default(), 0, 0);
        let mut state = 7_u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        for round in 0..60 {
            if round == 40 {
                objects.for_each_mut(|_, object| object.friction.dynamic_coefficient = 0.9);
            }
            for i in 0..particles.len() {
                let way = Vec3::new(random(), random(), random());
                particles.anchor[i] += (way * 3e-3 + Vec3::X * 0.05).extend(0.0);
                particles.velocity[i] = (way * 0.05).extend(0.0);
            }
            let places = search.kept.places.clone();
            let context = world.state().detection_context(FRAME);
            let context = DetectionContext { particles: &particles, objects: &objects, ..context };
            let pairs = found(&mut search, &context, true);
            let expected = found(&mut PairSearch::default(), &context, false);
            assert!(expected.len() > 100 && format!("{pairs:?}") == format!("{expected:?}"), "round {round}");
            served += usize::from(search.kept.serves);
            renewed += usize::from(search.kept.places != places);
        }
        assert!(served == 60 && (3..40).contains(&renewed), "{served} searches, {renewed} times anew");
    }

    /// Vertices fly in all directions, as they are expected to; all vertices and triangles of both sheets tell which come near.
    #[test]
    fn a_search_finds_what_comes_near_on_its_expected_way() {
        let world = sheets();
        let (mut particles, objects) = (world.state().particles.clone(), &world.state().objects);
        let mut state = 11_u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        for i in 0..particles.len() {
            particles.velocity[i] = (20.0 * Vec3::new(random(), random(), random())).extend(0.0);
            particles.acceleration[i] = Vec4::ZERO;
        }
        let context = DetectionContext { particles: &particles, objects, ..world.state().detection_context(FRAME) };
        let found = found(&mut PairSearch::default(), &context, false);
        let half = SIDE * SIDE;
        let of_sheet = |base: u32| (base..base + half).filter(move |k| (k - base) % SIDE + 1 < SIDE);
        let triangles = |base: u32| {
            let inner = of_sheet(base).filter(move |k| k - base < SIDE * (SIDE - 1));
            inner.flat_map(|a| [[a, a + SIDE, a + 1], [a + 1, a + SIDE, a + SIDE + 1]])
        };
        let edges = |base: u32| of_sheet(base).map(|a| [a, a + 1]);
        let vertices = (0..2 * half).flat_map(|vertex| {
            triangles(if vertex < half { half } else { 0 })
                .map(move |[a, b, c]| (FeaturePairKind::VertexTriangle, [vertex, a, b, c]))
        });
        let crossed =
            edges(0).flat_map(|[a, b]| edges(half).map(move |[c, d]| (FeaturePairKind::EdgeEdge, [a, b, c, d])));
        let place =
            |node: u32, time: f32| particles.position(node as usize) + particles.velocity[node as usize].xyz() * time;
        let (mut near, mut late) = (0, 0);
        for (kind, nodes) in vertices.chain(crossed) {
            let known = found.iter().find(|(pair, _)| pair.kind == kind && pair.nodes == nodes);
            for time in (1..=8).map(|part| FRAME * part as f32 / 8.0) {
                let [first, a, b, c] = nodes.map(|node| place(node, time));
                if kind.nearest([a - first, b - first, c - first]).apart.length() < 0.03 {
                    near += 1;
                    late += u32::from(known.is_some_and(|(_, wake)| wake.time > 0.0));
                    assert!(known.is_some_and(|(_, wake)| wake.time <= time), "{kind:?} {nodes:?} at {time} s");
                }
            }
        }
        assert!(near > 1000 && late > 100, "{near} near, {late} of them not at once");
    }
}
