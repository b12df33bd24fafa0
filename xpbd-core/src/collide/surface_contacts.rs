//! Surfaces against themselves, each other and the particles of other objects: pairs that may touch in a frame, and those
//! that do in a substep.
//!
//! Every pair of a vertex or another particle and a triangle, or of two edges, that may come near in the frame is looked at in
//! every substep in which it can be near, with the side on which it was when the substep began. One that
//! has crossed since is taken back to that side, and remembers it until it is there: within a frame
//! nothing that is in contact passes, however far a substep overshoots. What is still on the wrong side at the end
//! of a frame is [remembered](SurfaceContacts::crossed) in the next.
//!
//! How near a pair can be follows from how far its vertices have moved, relative to the mean motion of all, since it
//! was looked at last: a pair sleeps until then, so that those far apart cost a comparison a substep. Where
//! vertices stray by more than half of the margin from where they were expected, pairs are found anew within the frame.
//!
//! Those that touch, or nearly do, are coloured in every substep, and solved more than once where layers are
//! deep in each other: a sweep of corrections that are split among the contacts of a particle is too slow to keep them
//! apart. A cloth of 625 particles pulled through a ring had 600 edges in triangles then, and has none.
//!
//! What is on the wrong side of something at first, as it was placed, stays there: sides are remembered, not found.
#![expect(unsafe_code, reason = "threads fill disjoint lists")]

mod colours;
pub mod crossed_pair;
pub mod feature_geometry;
pub mod feature_pair;
mod features;
mod kept_pairs;
mod motion;
mod ridges;
mod search;
mod swept_box;

use glam::Vec3;

use super::contact_set::{ContactSet, ContactSubstep};
use super::detection::DetectionContext;
use super::events::{ContactImpulse, ImpulseSource};
use super::surface_contact::{SurfaceContact, SurfaceContactParameters};
use crate::connector::Connectors;
use crate::constraint::{ConstraintError, ConstraintType};
use crate::object::ObjectState;
use crate::parallel::{DisjointSlice, WorkerScope};
use crate::particles::Particles;
use crate::schedule::{ParameterAppender, PassSlot, TracedPass};
use colours::PairColours;
use crossed_pair::CrossedPair;
use feature_pair::{ActivePair, FeaturePair};
use features::SurfaceFeatures;
use motion::SurfaceMotion;
use search::PairSearch;

/// Number of pairs in one task.
const CHUNK: usize = 1024;

/// Number of sweeps over the contacts in an iteration while surfaces are deep in each other: folds press on folds, and
/// walls
/// on all of them.
const SWEEPS: usize = 4;

/// Number of parts of a frame for each of which pairs are found: a swinging cloth does not move straight for longer.
const PARTS: u32 = 4;

/// The contacts of surfaces in a frame.
#[derive(Debug, Default)]
pub struct SurfaceContacts {
    /// The pairs that touch in the current substep, as constraints.
    pub pass: Option<TracedPass>,
    /// Pairs that were on the wrong side when the last frame ended, sorted.
    pub crossed: Vec<CrossedPair>,
    features: SurfaceFeatures,
    /// Number of the plan that the features belong to.
    plan_generation: Option<u64>,
    search: PairSearch,
    pairs: Vec<FeaturePair>,
    /// Path length of the features of each pair before they can touch \[m\].
    wake_distances: Vec<f32>,
    /// Normal impulse of each pair in this frame \[N s\], and its last normal.
    impulses: Vec<(f32, Vec3)>,
    active: Vec<ActivePair>,
    lists: Vec<Vec<ActivePair>>,
    /// Buffer for a mark on each particle.
    crossed_vertices: Vec<bool>,
    colours: PairColours,
    /// Impulses of this frame from before pairs were found again.
    earlier_impulses: Vec<([u32; 2], Vec3, f32)>,
    motion: SurfaceMotion,
    dropped: usize,
}

impl SurfaceContacts {
    /// Creates a set without contacts that remembers these pairs on the wrong side.
    pub(crate) fn with_crossed(crossed: Vec<CrossedPair>) -> Self {
        Self { crossed, ..Self::default() }
    }

    /// Returns how many pairs touched in the last substep.
    pub fn active(&self) -> usize {
        self.active.len()
    }

    /// Pairs that may touch in this frame.
    pub fn pairs(&self) -> &[FeaturePair] {
        &self.pairs
    }

    /// Returns the number of sweeps over the contacts in an iteration.
    pub fn sweeps(&self) -> usize {
        if self.active.iter().any(|active| active.deep) { SWEEPS } else { 1 }
    }

    /// Detects the pairs of the frame that begins.
    pub(crate) fn detect(
        &mut self,
        context: &DetectionContext<'_>,
        workers: &WorkerScope<'_>,
    ) -> Result<(), ConstraintError> {
        self.clear();
        let objects: Vec<&ObjectState> = context.objects.iter().map(|(_, object)| object).collect();
        if objects.iter().all(|object| object.surface.is_none()) {
            self.crossed.clear();
            return Ok(());
        }
        if self.pass.is_none() {
            self.pass = Some(TracedPass::empty(ConstraintType::of(SurfaceContact)?, Connectors::particles(4)));
        }
        if self.plan_generation != Some(context.plan_generation) {
            self.features = SurfaceFeatures::of(&objects, context.particles);
            self.plan_generation = Some(context.plan_generation);
        }
        self.find(context, &objects, (context.dt, false), workers);
        Ok(())
    }

    /// Finds the pairs of a part of a frame, also those of the substep so far, and takes over the sides of earlier ones.
    fn find(
        &mut self,
        context: &DetectionContext<'_>,
        objects: &[&ObjectState],
        (frame, within_substep): (f32, bool),
        workers: &WorkerScope<'_>,
    ) {
        let Self { search, features, pairs, wake_distances: wakes, crossed, impulses, .. } = self;
        let substeps = context.settings.substeps;
        let horizon = context.dt.min(frame * (substeps.div_ceil(PARTS) as f32 / substeps as f32));
        pairs.clear();
        wakes.clear();
        self.dropped = search.run(context, objects, features, workers, (horizon, within_substep), (pairs, wakes));
        if !crossed.is_empty() {
            for (pair, wake) in pairs.iter_mut().zip(wakes) {
                let known = crossed.binary_search_by_key(&(pair.kind, pair.nodes), CrossedPair::key);
                pair.kept_side = known.map_or(0.0, |place| crossed[place].side);
                *wake = if known.is_ok() { 0.0 } else { *wake };
            }
        }
        impulses.clear();
        impulses.resize(pairs.len(), (0.0, Vec3::ZERO));
        self.crossed_vertices.resize(context.particles.len(), false);
        self.motion.begin(context.particles, [&features.vertices, search.balls()], search.ways(), horizon);
        self.colours.begin(self.pairs.len(), context.particles.len());
    }

    /// Tracks the motion up to the predicted positions of a substep of `h` \[s\]. Returns whether vertices are so far
    /// from their expected positions that pairs have to be [found again](SurfaceContacts::detect_again).
    pub(crate) fn track_motion(&mut self, particles: &Particles, h: f32) -> bool {
        !self.features.vertices.is_empty() && self.motion.follow(particles, h)
    }

    /// Finds the pairs of the rest, `context.dt`, of a frame of `frame` \[s\].
    pub(crate) fn detect_again(&mut self, context: &DetectionContext<'_>, frame: f32, workers: &WorkerScope<'_>) {
        let objects: Vec<&ObjectState> = context.objects.iter().map(|(_, object)| object).collect();
        self.earlier_impulses = self.applied_impulses().collect();
        let held = self.pairs.iter().filter(|pair| pair.kept_side != 0.0);
        self.crossed =
            held.map(|pair| CrossedPair { kind: pair.kind, nodes: pair.nodes, side: pair.kept_side }).collect();
        self.crossed.sort_unstable_by_key(CrossedPair::key);
        self.find(context, &objects, (frame, true), workers);
    }

    /// Updates the pairs that may touch.
    fn update_pairs(&mut self, particles: &Particles, workers: &WorkerScope<'_>) {
        let tasks = self.pairs.len().div_ceil(CHUNK);
        self.lists.resize_with(self.lists.len().max(tasks), Vec::new);
        let (count, motion) = (self.pairs.len(), &self.motion);
        let (pairs, wakes) = (DisjointSlice::new(&mut self.pairs), DisjointSlice::new(&mut self.wake_distances));
        let (lists, most) = (DisjointSlice::new(&mut self.lists), motion.most());
        workers.run(tasks, |_, range| {
            for task in range {
                let chunk = task * CHUNK..count.min((task + 1) * CHUNK);
                // SAFETY: every task has its own list, and its own pairs.
                let (list, pairs) = unsafe { (&mut lists.slice(task..task + 1)[0], pairs.slice(chunk.clone())) };
                // SAFETY: as above.
                let wakes = unsafe { wakes.slice(chunk.clone()) };
                list.clear();
                for (k, wake) in wakes.iter_mut().enumerate().filter(|(_, wake)| **wake <= most) {
                    let (pair, number) = (&mut pairs[k], (chunk.start + k) as u32);
                    if *wake <= motion.of(pair.kind, pair.nodes) {
                        let touch = pair.touch(wake, particles, motion);
                        list.extend(touch.map(|touch| ActivePair { pair: number, ..touch }));
                    }
                }
            }
        });
        self.active.clear();
        self.active.extend(self.lists[..tasks].iter().flatten());
    }

    /// Removes contacts at a rim with a vertex on the wrong side, which they would keep there.
    fn remove_rim_contacts(&mut self) {
        let Self { pairs, active, crossed_vertices: astray, .. } = self;
        let vertices = |active: &ActivePair| pairs[active.pair as usize].nodes.map(|node| node as usize);
        if active.iter().any(|active| active.crossed) {
            active.iter().filter(|active| active.crossed).flat_map(vertices).for_each(|vertex| astray[vertex] = true);
            active.retain(|active| !(active.rim && vertices(active).iter().any(|&vertex| astray[vertex])));
            active.iter().filter(|active| active.crossed).flat_map(vertices).for_each(|vertex| astray[vertex] = false);
        }
    }

    /// Lays out the pairs that touch, so that pairs of one colour share no particle that moves.
    fn lay_out(&mut self, particles: &Particles, speed: f32) {
        let Self { pass: Some(pass), pairs, active, impulses, colours, .. } = self else { return };
        pass.clear();
        pass.remainder = colours.sort(active, pairs, particles, &mut pass.colours);
        active.iter().for_each(|active| impulses[active.pair as usize].1 = active.normal);
        for (k, column) in pass.nodes.iter_mut().enumerate() {
            column.extend(active.iter().map(|active| pairs[active.pair as usize].nodes[k]));
        }
        let mut parameters = ParameterAppender::new(pass);
        for active in &*active {
            let pair = &pairs[active.pair as usize];
            let contact = SurfaceContactParameters {
                weights: active.weights,
                normal: active.normal.into(),
                distance: pair.distance,
                friction: pair.friction.into(),
                max_depenetration_speed: speed,
            };
            parameters.append(pass, contact);
        }
        let slots = 0..active.len() as u32;
        pass.slots.extend(slots.map(|constraint| PassSlot { batch: u32::MAX, constraint }));
        let shares = usize::from(pass.layout.mass_shares);
        pass.columns[shares..].iter_mut().for_each(|column| column.resize(active.len(), 1.0));
        pass.list_remainder_nodes(&|_, _| true);
        pass.pad();
    }

    /// Returns the pairs that pushed in this frame: a particle of each side, the normal from the second to the first,
    /// and the impulse \[N s\].
    fn applied_impulses(&self) -> impl Iterator<Item = ([u32; 2], Vec3, f32)> {
        let pushed = self.pairs.iter().zip(&self.impulses).filter(|(_, (impulse, _))| *impulse > 0.0);
        let pushed = pushed.map(|(pair, &(impulse, normal))| ([pair.nodes[0], pair.nodes[3]], normal, impulse));
        self.earlier_impulses.iter().copied().chain(pushed)
    }

    /// Records at the end of a frame the pairs that are on the wrong side.
    pub(crate) fn record_crossed(&mut self, particles: &Particles) {
        self.crossed.clear();
        for pair in self.pairs.iter().filter(|pair| pair.kept_side != 0.0) {
            let corners = pair.corners(particles);
            if pair.kind.side(corners) != pair.kept_side && pair.kind.nearest(corners).inside {
                self.crossed.push(CrossedPair { kind: pair.kind, nodes: pair.nodes, side: pair.kept_side });
            }
        }
        self.crossed.sort_unstable_by_key(CrossedPair::key);
    }
}

impl ContactSet for SurfaceContacts {
    fn len(&self) -> usize {
        self.pairs.len()
    }

    fn dropped(&self) -> usize {
        self.dropped
    }

    fn clear(&mut self) {
        if let Some(pass) = &mut self.pass {
            pass.clear();
        }
        self.pairs.clear();
        self.impulses.clear();
        self.active.clear();
        self.earlier_impulses.clear();
        self.dropped = 0;
    }

    fn pass(&self) -> Option<&TracedPass> {
        self.pass.as_ref()
    }

    fn pass_mut(&mut self) -> Option<&mut TracedPass> {
        self.pass.as_mut()
    }

    /// Lists the pairs that touch at the predicted positions and lays them out.
    fn update(&mut self, substep: &ContactSubstep<'_>) {
        let &ContactSubstep { settings, particles, workers, .. } = substep;
        if self.pass.is_some() {
            self.update_pairs(particles, workers);
            self.remove_rim_contacts();
            ridges::keep_nearest(&mut self.active, &self.pairs);
            self.lay_out(particles, settings.max_depenetration_speed);
        }
    }

    fn accumulate(&mut self, per_multiplier: f32, _: &WorkerScope<'_>, touched: &mut dyn FnMut(u32)) {
        let Some(pass) = &self.pass else { return };
        for (active, &lambda) in self.active.iter().zip(&pass.lambda[0]) {
            if lambda > 0.0 {
                self.impulses[active.pair as usize].0 += lambda * per_multiplier;
                self.pairs[active.pair as usize].nodes.iter().for_each(|&particle| touched(particle));
            }
        }
    }

    fn particle_impulses(&self) -> Box<dyn Iterator<Item = ContactImpulse> + '_> {
        Box::new(self.applied_impulses().map(|([particle, other], normal, impulse)| ContactImpulse {
            particle,
            source: ImpulseSource::Surface { particle: other, normal },
            impulse,
        }))
    }
}
