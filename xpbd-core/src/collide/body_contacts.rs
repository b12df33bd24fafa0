//! Contacts of bodies with bodies, and with colliders on no body: manifolds that are detected once a frame and solved as
//! constraints.
#![expect(unsafe_code, reason = "threads fill disjoint lists")]

mod back_faces;
mod box_manifold;
mod broad_phase;
mod history;
mod impact;
mod internal_edges;
mod kept_manifolds;
mod manifold;
mod manifold_pose;
mod manifold_set;
mod one_way;
mod refresh;
mod shape_manifold;
mod shape_pairs;

pub use history::ManifoldHistory;
pub use kept_manifolds::KeptManifolds;
pub use manifold_pose::ManifoldSide;
#[doc(hidden)]
pub use manifold_set::MIN_IMPULSE_RATIO;
pub use manifold_set::{ManifoldCandidate, ManifoldColumns, ManifoldSet};
pub(super) use shape_pairs::shapes_touch;

use super::body_contact::{BodyContact, GroundContact};
use super::contact_set::ContactSet;
use super::detection::DetectionContext;
use super::events::Hit;
use crate::bodies::Bodies;
use crate::constraint::{ConstraintError, ConstraintType};
use crate::handle::ColliderHandle;
use crate::parallel::{DisjointSlice, WorkerScope};
use broad_phase::{BroadPhase, BroadPhaseCollider};
use kept_manifolds::{FoundPairs, PairSearch};

/// Number of pairs of colliders in one task of the search.
const PAIRS: usize = 16;

/// The contacts of bodies in a frame.
#[derive(Debug, Default)]
pub struct BodyContacts {
    /// Manifolds of bodies against bodies.
    pub pairs: ManifoldSet,
    /// Bodies against colliders that are on no body; solved last.
    pub ground: ManifoldSet,
    /// Manifolds that pushed in the last frame, sorted by colliders.
    pub history: Vec<ManifoldHistory>,
    /// Manifolds that the search of the last frame found for each pair of colliders, sorted by colliders.
    pub kept: Vec<KeptManifolds>,
    /// Results of each task of the search.
    found: Vec<FoundPairs>,
    /// Places of the manifolds in the order of their pairs of colliders.
    places: Vec<ManifoldPlace>,
    broad_phase: BroadPhase,
}

impl BodyContacts {
    /// Creates a set without contacts that continues these from the last frame.
    pub(crate) fn with_history(history: Vec<ManifoldHistory>, kept: Vec<KeptManifolds>) -> Self {
        Self { history, kept, ..Self::default() }
    }

    /// Returns the number of manifolds.
    pub fn len(&self) -> usize {
        self.pairs.len() + self.ground.len()
    }

    /// Returns whether there are no manifolds.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes the contacts of the frame.
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.ground.clear();
        self.found.iter_mut().for_each(FoundPairs::clear);
        self.places.clear();
    }

    /// Forgets what was found for a collider whose shape has changed.
    pub(crate) fn forget_shape(&mut self, collider: ColliderHandle) {
        self.kept.retain(|kept| !kept.colliders.contains(&collider));
    }

    /// Finds the contacts of the frame that begins.
    pub(super) fn detect(
        &mut self,
        context: &DetectionContext<'_>,
        workers: &WorkerScope<'_>,
    ) -> Result<(), ConstraintError> {
        self.clear();
        if context.bodies.anchor.iter().all(|anchor| anchor.w == 0.0) || context.colliders.is_empty() {
            return Ok(());
        }
        let placed = BroadPhaseCollider::all(context);
        let pairs = self.broad_phase.pairs(&placed, context);
        let tasks = pairs.len().div_ceil(PAIRS);
        self.found.resize_with(self.found.len().max(tasks), FoundPairs::default);
        let found = DisjointSlice::new(&mut self.found);
        workers.run(tasks, |_, range| {
            let mut search = PairSearch::new(context, &placed, &self.history, &self.kept);
            for task in range {
                // SAFETY: every task has its own list.
                let list = unsafe { &mut found.slice(task..task + 1)[0] };
                for &pair in &pairs[task * PAIRS..pairs.len().min((task + 1) * PAIRS)] {
                    search.find(pair, list);
                }
            }
        });
        let Self { pairs, ground, found, places, .. } = self;
        let all = || found[..tasks].iter().flat_map(|found| &found.candidates);
        let is_pair = |found: &ManifoldCandidate| found.sides[1].body.is_some();
        let of_pairs: Vec<_> = all().filter(|found| is_pair(found)).collect();
        let of_ground: Vec<_> = all().filter(|found| !is_pair(found)).collect();
        let slots = [
            pairs.fill(ConstraintType::of(BodyContact)?, &BodyContact::connectors(), &of_pairs, context),
            ground.fill(ConstraintType::of(GroundContact)?, &GroundContact::connectors(), &of_ground, context),
        ];
        let mut slots = slots.map(Vec::into_iter);
        places.extend(all().filter_map(|found| {
            let is_ground = !is_pair(found);
            Some(ManifoldPlace { is_ground, slot: slots[usize::from(is_ground)].next()? })
        }));
        Ok(())
    }

    /// Returns the manifolds that pushed in the frame that ends, in the order of their pairs of colliders, each with its
    /// colliders, set and slot.
    fn pushing<'a>(
        &'a self,
        keys: &'a [ColliderHandle],
    ) -> impl Iterator<Item = ([ColliderHandle; 2], &'a ManifoldSet, usize)> {
        self.places.iter().filter_map(move |&ManifoldPlace { is_ground, slot }| {
            let (set, slot) = (if is_ground { &self.ground } else { &self.pairs }, slot as usize);
            let &[a, b] = set.pushed(slot).then(|| &set.candidates[slot].colliders)?;
            Some(([*keys.get(a as usize)?, *keys.get(b as usize)?], set, slot))
        })
    }

    /// Returns where each pair of colliders pushed in the frame that ends.
    pub(super) fn hits<'a>(
        &'a self,
        bodies: &'a Bodies,
        keys: &'a [ColliderHandle],
    ) -> impl Iterator<Item = ([ColliderHandle; 2], Hit)> + 'a {
        self.pushing(keys).filter_map(move |(colliders, set, slot)| {
            let found = &set.candidates[slot];
            let side = &found.sides[0];
            let core = set.push_center(slot, found);
            let point = bodies.central_pose(side.body? as usize).transform_point(core) - found.normal * side.round;
            Some((colliders, Hit { point, normal: found.normal, impulse: set.impulses[slot] }))
        })
    }

    /// Returns the pairs of bodies that pushed each other in the frame that ends.
    pub(crate) fn touching_bodies(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.pairs.pushing().filter_map(|(_, found)| Some([found.sides[0].body?, found.sides[1].body?]))
    }

    /// Records what was found in the frame that ends, and the manifolds that pushed; its substeps have the length `h`
    /// \[s\].
    pub(crate) fn record_history(&mut self, bodies: &Bodies, keys: &[ColliderHandle], h: f32) {
        self.keep_manifolds();
        let mut history = std::mem::take(&mut self.history);
        history.clear();
        let columns = [&self.pairs, &self.ground].map(|set| set.pass.as_ref().map(ManifoldColumns::of));
        let past = self.pushing(keys).filter_map(|(colliders, set, slot)| {
            let columns = columns[usize::from(std::ptr::eq(set, &self.ground))].as_ref()?;
            set.history(columns, bodies, slot, colliders, h)
        });
        history.extend(past.filter(ManifoldHistory::is_finite));
        history.sort_by_key(|past| past.colliders);
        self.history = history;
    }

    /// Keeps the manifolds that the search has found and those that serve on.
    fn keep_manifolds(&mut self) {
        let Self { kept, found, .. } = self;
        if found.iter().map(|found| found.serving.len()).sum::<usize>() < kept.len() {
            let mut serves = vec![false; kept.len()];
            found.iter().flat_map(|found| &found.serving).for_each(|&k| serves[k as usize] = true);
            let mut serves = serves.into_iter();
            kept.retain(|_| serves.next() == Some(true));
        }
        found.iter_mut().for_each(|found| kept.append(&mut found.searched));
        kept.sort_by_key(|kept| kept.colliders);
    }
}

/// Where a manifold is solved.
#[derive(Debug, Clone, Copy)]
struct ManifoldPlace {
    /// True if its second side is on no body.
    is_ground: bool,
    /// Slot in the pass of its set.
    slot: u32,
}
