//! Contacts of bodies with bodies, and with colliders on no body: manifolds that are detected once a frame and solved as
//! constraints.
#![expect(unsafe_code, reason = "threads fill disjoint lists")]

mod back_faces;
mod box_manifold;
mod broad_phase;
mod convex_core;
mod face_manifold;
mod history;
mod impact;
mod internal_edges;
mod kept_manifolds;
mod line_manifold;
mod manifold;
mod manifold_layout;
mod manifold_pose;
mod manifold_set;
mod one_way;
mod past_frame;
mod refresh;
mod seams;
mod shape_manifold;
mod shape_pairs;
mod waking;

pub use manifold_pose::ManifoldSide;
#[doc(hidden)]
pub use manifold_set::MIN_IMPULSE_RATIO;
pub use manifold_set::{ManifoldCandidate, ManifoldColumns, ManifoldSet};
pub(super) use shape_pairs::are_near;

use serde::{Deserialize, Serialize};

use super::body_contact::{BodyContact, GroundContact};
use super::contact_set::ContactSet;
use super::detection::DetectionContext;
use super::events::Hit;
use crate::bodies::Bodies;
use crate::constraint::{ConstraintError, ConstraintType};
use crate::handle::ColliderHandle;
use crate::parallel::{DisjointSlice, WorkerScope};
use broad_phase::{BroadPhase, BroadPhaseCollider};
use history::ManifoldHistory;
use kept_manifolds::{FoundManifold, FoundPairs, KeptManifolds, PairSearch};
use manifold_layout::{ManifoldPlace, ManifoldSource};
use past_frame::{PastFrame, SavedManifold};
use seams::remove_seams;

/// Number of pairs of colliders in one task of the search.
const PAIRS: usize = 16;

/// The contacts of bodies in a frame.
///
/// A manifold stays in its slot from frame to frame while it serves: only what is found anew is written.
#[derive(Debug, Default)]
pub struct BodyContacts {
    /// Manifolds of bodies against bodies.
    pub pairs: ManifoldSet,
    /// Bodies against colliders that are on no body; solved last.
    pub ground: ManifoldSet,
    /// Manifolds that pushed in the last frame and that an edit has ended, sorted by colliders.
    history: Vec<ManifoldHistory>,
    /// Manifolds that the search of the last frame found for each pair of colliders, sorted by colliders.
    kept: Vec<KeptManifolds>,
    /// Manifolds of a snapshot, in the order of their pairs, until they are put into slots.
    saved: Vec<SavedManifold>,
    /// Results of each task of the search.
    found: Vec<FoundPairs>,
    /// Places of the manifolds in the order of their pairs of colliders.
    places: Vec<ManifoldPlace>,
    /// For each body whether it could be pushed when the manifolds were laid out.
    movable: Vec<bool>,
    /// Length of a substep \[s\] and fastest depenetration \[m/s\] in the last frame.
    numbers: [f32; 2],
    broad_phase: BroadPhase,
}

/// The contacts of bodies as a snapshot holds them.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct SavedBodyContacts {
    history: Vec<ManifoldHistory>,
    kept: Vec<KeptManifolds>,
    manifolds: Vec<SavedManifold>,
    numbers: [f32; 2],
}

impl SavedBodyContacts {
    /// Returns whether all numbers can be those of a world.
    pub(crate) fn is_valid(&self) -> bool {
        self.history.iter().all(ManifoldHistory::is_finite)
            && self.kept.iter().all(KeptManifolds::is_valid)
            && self.manifolds.iter().all(SavedManifold::is_valid)
            && self.numbers.iter().all(|number| number.is_finite())
    }
}

impl BodyContacts {
    /// Creates a set that goes on as a snapshot says.
    pub(crate) fn restored(saved: SavedBodyContacts) -> Self {
        let SavedBodyContacts { history, kept, manifolds: saved, numbers } = saved;
        Self { history, kept, saved, numbers, ..Self::default() }
    }

    /// Returns what a snapshot holds.
    pub(crate) fn saved(&self) -> SavedBodyContacts {
        let placed = self.places.iter().filter_map(|place| self.set(place).saved(place.slot as usize));
        let manifolds = placed.chain(self.saved.iter().cloned()).collect();
        SavedBodyContacts { history: self.history.clone(), kept: self.kept.clone(), manifolds, numbers: self.numbers }
    }

    fn set(&self, place: &ManifoldPlace) -> &ManifoldSet {
        if place.is_ground { &self.ground } else { &self.pairs }
    }

    /// Returns the number of manifolds.
    pub fn len(&self) -> usize {
        self.pairs.len() + self.ground.len()
    }

    /// Returns whether there are no manifolds.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all contacts, and with them what they would hand on to the next frame.
    pub fn clear(&mut self) {
        self.clear_frame();
        self.history.clear();
        self.saved.clear();
    }

    fn clear_frame(&mut self) {
        self.pairs.clear();
        self.ground.clear();
        self.found.iter_mut().for_each(FoundPairs::clear);
        self.places.clear();
    }

    /// Forgets what was found for a collider whose shape has changed.
    pub(crate) fn forget_shape(&mut self, collider: ColliderHandle) {
        self.kept.retain(|kept| !kept.colliders.contains(&collider));
    }

    /// Takes the manifolds out of their slots before an edit of the poses of bodies or of colliders, and keeps the history
    /// of those that pushed.
    pub(crate) fn settle(&mut self, context: &DetectionContext<'_>) {
        if !self.saved.is_empty() {
            self.place_saved(&BroadPhaseCollider::all(context), context);
        }
        if self.places.is_empty() {
            return;
        }
        let keys = context.colliders.keys();
        let past = self.past(context.bodies);
        let handles = |place: &ManifoldPlace| {
            let [a, b] = place.colliders.map(|k| keys.get(k as usize).copied());
            Some([a?, b?])
        };
        let history = self.places.iter().filter_map(|place| past.history_at(handles(place)?, place));
        let mut history: Vec<_> = history.collect();
        history.sort_by_key(|past| past.colliders);
        self.history = history;
        self.clear_frame();
    }

    /// Returns what manifolds are continued from.
    fn past<'a>(&'a self, bodies: &'a Bodies) -> PastFrame<'a> {
        let Self { pairs, ground, history, places, numbers: [h, _], .. } = self;
        let sets = [pairs, ground];
        let columns = sets.map(|set| set.pass.as_ref().map(ManifoldColumns::of));
        PastFrame { sets, columns, places, history, bodies, h: *h }
    }

    /// Puts the manifolds of a snapshot into slots.
    fn place_saved(&mut self, placed: &[BroadPhaseCollider<'_>], context: &DetectionContext<'_>) {
        let keys = context.colliders.keys();
        let mut saved = std::mem::take(&mut self.saved);
        let candidate = |saved: &SavedManifold| {
            let [Some(&first), Some(&second)] = saved.colliders.map(|k| keys.get(k as usize)) else { return None };
            let colliders = [first, second];
            let kept = &self.kept[self.kept.binary_search_by_key(&colliders, |kept| kept.colliders).ok()?];
            let manifold = kept.manifolds.get(saved.number as usize)?;
            let sides = saved.colliders.map(|k| &placed[k as usize]);
            let found = kept_manifolds::candidate((saved.colliders, saved.number), sides, manifold);
            Some(ManifoldCandidate { normal: saved.normal, ..found })
        };
        let candidates: Vec<_> = saved.iter().map(candidate).collect();
        let mut known = candidates.iter();
        saved.retain(|_| known.next().is_some_and(Option::is_some));
        let candidates: Vec<_> = candidates.into_iter().flatten().collect();
        let found: Vec<_> = candidates.iter().map(fresh).collect();
        if self.lay_out(&found, context).is_err() {
            return self.clear_frame();
        }
        self.pairs.begin_frame(context.bodies);
        self.ground.begin_frame(context.bodies);
        let Self { pairs, ground, places, .. } = self;
        for (place, saved) in places.iter().zip(&saved) {
            let set = if place.is_ground { &mut *ground } else { &mut *pairs };
            set.restore(place.slot as usize, saved);
        }
    }

    /// Finds the contacts of the frame that begins.
    pub(super) fn detect(
        &mut self,
        context: &DetectionContext<'_>,
        workers: &WorkerScope<'_>,
    ) -> Result<(), ConstraintError> {
        if context.bodies.anchor.iter().all(|anchor| anchor.w == 0.0) || context.colliders.is_empty() {
            self.clear();
            return Ok(());
        }
        let placed = BroadPhaseCollider::all(context);
        let numbers = [context.dt / context.settings.substeps as f32, context.settings.max_depenetration_speed];
        if numbers != self.numbers {
            self.settle(context);
            self.numbers = numbers;
        } else if !self.saved.is_empty() {
            self.place_saved(&placed, context);
        }
        let pairs = self.broad_phase.pairs(&placed, context, |a, b| a.is_movable || b.is_movable);
        let mut found = self.search(&pairs, &placed, context, workers);
        let margin = context.settings.contact_margin;
        remove_seams(&mut found, [&self.pairs, &self.ground], &placed, context.bodies, margin);
        let taken = self.take_manifolds(&found, context);
        self.found = found;
        taken?;
        self.pairs.begin_frame(context.bodies);
        self.ground.begin_frame(context.bodies);
        Ok(())
    }

    /// Searches the manifolds of these pairs of colliders, and returns the results of the tasks in order.
    fn search(
        &mut self,
        pairs: &[[u32; 2]],
        placed: &[BroadPhaseCollider<'_>],
        context: &DetectionContext<'_>,
        workers: &WorkerScope<'_>,
    ) -> Vec<FoundPairs> {
        let tasks = pairs.len().div_ceil(PAIRS);
        let mut results = std::mem::take(&mut self.found);
        results.iter_mut().for_each(FoundPairs::clear);
        results.resize_with(results.len().max(tasks), FoundPairs::default);
        let found = DisjointSlice::new(&mut results);
        let past = self.past(context.bodies);
        workers.run(tasks, |_, range| {
            let mut search = PairSearch::new(context, placed, &past, &self.kept);
            for task in range {
                // SAFETY: every task has its own list.
                let list = unsafe { &mut found.slice(task..task + 1)[0] };
                for &pair in &pairs[task * PAIRS..pairs.len().min((task + 1) * PAIRS)] {
                    search.find(pair, list);
                }
            }
        });
        results
    }

    /// Brings the slots up to date with what these tasks have found.
    fn take_manifolds<'f>(
        &mut self,
        tasks: &'f [FoundPairs],
        context: &DetectionContext<'_>,
    ) -> Result<(), ConstraintError> {
        let found = || tasks.iter().flat_map(|task| task.manifolds.iter().map(move |found| (task, found)));
        let colliders = |(task, found): (&FoundPairs, &FoundManifold)| match *found {
            FoundManifold::Continued(place) => place.colliders,
            FoundManifold::Fresh(k) => task.candidates[k as usize].colliders,
        };
        let movable = context.bodies.anchor.iter().map(|anchor| anchor.w > 0.0);
        let stays = movable.clone().eq(self.movable.iter().copied())
            && found().map(colliders).eq(self.places.iter().map(|place| place.colliders));
        if !stays {
            self.movable = movable.collect();
            let source = |(task, found): (&'f FoundPairs, &FoundManifold)| match *found {
                FoundManifold::Continued(place) => (place, ManifoldSource::Slot(place.slot)),
                FoundManifold::Fresh(k) => fresh(&task.candidates[k as usize]),
            };
            return self.lay_out(&found().map(source).collect::<Vec<_>>(), context);
        }
        let Self { pairs, ground, places, .. } = self;
        for (place, (task, found)) in places.iter_mut().zip(found()) {
            if let FoundManifold::Fresh(k) = *found {
                let found = &task.candidates[k as usize];
                let set = if place.is_ground { &mut *ground } else { &mut *pairs };
                set.write(place.slot as usize, found, context);
                *place = ManifoldPlace { slot: place.slot, ..ManifoldPlace::unplaced(found) };
            }
        }
        Ok(())
    }

    /// Lays the manifolds of a frame out, each given with its place but for the slot.
    fn lay_out(
        &mut self,
        found: &[(ManifoldPlace, ManifoldSource<'_>)],
        context: &DetectionContext<'_>,
    ) -> Result<(), ConstraintError> {
        let of = |is_ground: bool| found.iter().filter(move |(place, _)| place.is_ground == is_ground);
        let [of_pairs, of_ground] =
            [false, true].map(|is_ground| of(is_ground).map(|&(_, source)| source).collect::<Vec<_>>());
        let Self { pairs, ground, places, .. } = self;
        // Both before either set changes: places fit both.
        let [of_two, of_one] = [ConstraintType::of(BodyContact)?, ConstraintType::of(GroundContact)?];
        let slots = [
            pairs.lay_out(of_two, &BodyContact::connectors(), &of_pairs, context),
            ground.lay_out(of_one, &GroundContact::connectors(), &of_ground, context),
        ];
        let mut slots = slots.map(Vec::into_iter);
        places.clear();
        places.extend(found.iter().filter_map(|&(place, _)| {
            Some(ManifoldPlace { slot: slots[usize::from(place.is_ground)].next()?, ..place })
        }));
        Ok(())
    }

    /// Returns the manifolds that pushed in the frame that ends, in the order of their pairs of colliders, each with its
    /// colliders, set and slot.
    fn pushing<'a>(
        &'a self,
        keys: &'a [ColliderHandle],
    ) -> impl Iterator<Item = ([ColliderHandle; 2], &'a ManifoldSet, usize)> {
        self.places.iter().filter_map(move |place| {
            let (set, slot) = (self.set(place), place.slot as usize);
            let [a, b] = set.pushed(slot).then_some(place.colliders)?;
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
            let (core, round) = set.push_center(slot, found);
            let point = bodies.central_pose(side.body? as usize).transform_point(core) - found.normal * round;
            Some((colliders, Hit { point, normal: found.normal, impulse: set.impulses[slot] }))
        })
    }

    /// Returns the pairs of bodies that pushed each other in the frame that ends.
    pub(crate) fn touching_bodies(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.pairs.pushing().filter_map(|(_, found)| Some([found.sides[0].body?, found.sides[1].body?]))
    }

    /// Returns whether a body has been frozen that could be pushed: its manifolds are not to go on.
    pub(crate) fn has_frozen(&self, bodies: &Bodies) -> bool {
        let mut bodies = self.movable.iter().zip(&bodies.anchor).zip(&bodies.records);
        bodies.any(|((&movable, anchor), record)| movable && anchor.w == 0.0 && record.frozen)
    }

    /// Keeps what the next frame continues.
    pub(crate) fn end_frame(&mut self) {
        self.keep_manifolds();
        self.history.clear();
        self.pairs.is_fresh.fill(false);
        self.ground.is_fresh.fill(false);
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

/// Returns the place of a manifold that has no slot yet, with its source.
fn fresh(found: &ManifoldCandidate) -> (ManifoldPlace, ManifoldSource<'_>) {
    (ManifoldPlace::unplaced(found), ManifoldSource::Fresh(found))
}
