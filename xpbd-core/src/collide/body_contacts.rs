//! Contacts of bodies with bodies, and with colliders on no body: manifolds that are detected once a frame and solved as
//! constraints.
#![expect(unsafe_code, reason = "threads fill disjoint lists")]

mod back_faces;
mod broad_phase;
mod enlarged_box;
mod history;
mod internal_edges;
mod manifold;
mod manifold_pose;
mod manifold_set;
mod refresh;
mod shape_manifold;
mod shape_pairs;

pub use history::ManifoldHistory;
pub use manifold_pose::ManifoldSide;
#[doc(hidden)]
pub use manifold_set::MIN_IMPULSE_RATIO;
pub use manifold_set::{ManifoldCandidate, ManifoldColumns, ManifoldSet};
pub use refresh::RESTITUTION_THRESHOLD_FACTOR;
pub(super) use shape_pairs::shapes_touch;

use glam::Vec3;

use super::body_contact::{BodyContact, GroundContact, MANIFOLD_POINTS};
use super::contact_set::ContactSet;
use super::detection::DetectionContext;
use super::events::Hit;
use crate::bodies::Bodies;
use crate::connector::Connector;
use crate::constraint::{ConstraintError, ConstraintType};
use crate::handle::ColliderHandle;
use crate::parallel::{DisjointSlice, WorkerScope};
use broad_phase::BroadPhaseCollider;
use history::PreviousManifolds;
use manifold::{Manifold, ManifoldSearch};
use manifold_pose::middle;

/// Height above a neighbouring face up to which an edge is no obstacle, as a part of the contact margin \[1\].
const SLOP: f32 = 0.1;

/// Number of pairs of colliders in one task of the search.
const PAIRS: usize = 16;

/// The contacts of bodies in a frame.
#[derive(Debug, Default)]
pub struct BodyContacts {
    /// Bodies against bodies.
    pub pairs: ManifoldSet,
    /// Bodies against colliders that are on no body; solved last.
    pub ground: ManifoldSet,
    /// Manifolds that pushed in the last frame, sorted by colliders.
    pub history: Vec<ManifoldHistory>,
    candidates: Vec<Vec<ManifoldCandidate>>,
}

impl BodyContacts {
    /// Creates a set without contacts that continues these from the last frame.
    pub(crate) fn with_history(history: Vec<ManifoldHistory>) -> Self {
        Self { history, ..Self::default() }
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
        let pairs = broad_phase::pairs(&placed, &|a, b| context.ignores_pair(a, b));
        let tasks = pairs.len().div_ceil(PAIRS);
        self.candidates.resize_with(self.candidates.len().max(tasks), Vec::new);
        let lists = DisjointSlice::new(&mut self.candidates);
        workers.run(tasks, |_, range| {
            let (mut search, mut manifolds) = (ManifoldSearch::default(), Vec::new());
            for task in range {
                // SAFETY: every task has its own list.
                let list = unsafe { &mut lists.slice(task..task + 1)[0] };
                list.clear();
                for &pair in &pairs[task * PAIRS..pairs.len().min((task + 1) * PAIRS)] {
                    find_manifolds(context, &placed, pair, &mut search, &mut manifolds, list);
                }
            }
        });
        let Self { pairs, ground, history, candidates: lists } = self;
        let mut past = PreviousManifolds::new(history, context);
        for mut found in lists[..tasks].iter().flatten().copied() {
            past.continue_manifold(&mut found);
            let set = if found.sides[1].body.is_some() { &mut *pairs } else { &mut *ground };
            set.candidates.push(found);
        }
        let point = |node| [Connector::BodyPoint { node }; MANIFOLD_POINTS];
        let axis = |node| Connector::BodyAxis { node };
        let both: Vec<_> = point(0).into_iter().chain(point(1)).chain([axis(0), axis(1)]).collect();
        let one: Vec<_> = point(0).into_iter().chain([axis(0)]).collect();
        pairs.fill(ConstraintType::of(BodyContact)?, &both, context);
        ground.fill(ConstraintType::of(GroundContact)?, &one, context);
        Ok(())
    }

    /// Returns the manifolds that pushed in the frame that ends.
    pub(super) fn hits<'a>(
        &'a self,
        bodies: &'a Bodies,
        keys: &'a [ColliderHandle],
    ) -> impl Iterator<Item = ([ColliderHandle; 2], Hit)> + 'a {
        [&self.pairs, &self.ground].into_iter().flat_map(move |set| {
            set.pushing().filter_map(move |(slot, found)| {
                let [Some(&a), Some(&b)] = found.colliders.map(|k| keys.get(k as usize)) else { return None };
                let body = found.sides[0].body? as usize;
                let point = bodies.central_pose(body).transform_point(middle(found.sides[0].cores));
                Some(([a, b], Hit { point, normal: found.normal, impulse: set.impulses[slot] }))
            })
        })
    }

    /// Returns the pairs of bodies that pushed each other in the frame that ends.
    pub(crate) fn touching_bodies(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.pairs.pushing().filter_map(|(_, found)| Some([found.sides[0].body?, found.sides[1].body?]))
    }

    /// Records the manifolds that pushed in the frame that ends, whose substeps have the length `h` \[s\].
    pub(crate) fn record_history(&mut self, bodies: &Bodies, keys: &[ColliderHandle], h: f32) {
        let Self { pairs, ground, history, .. } = self;
        history.clear();
        for set in [pairs, ground] {
            for (slot, found) in set.pushing() {
                let [Some(&a), Some(&b)] = found.colliders.map(|k| keys.get(k as usize)) else { continue };
                history.extend(set.history(bodies, slot, [a, b], h).filter(ManifoldHistory::is_finite));
            }
        }
        history.sort_by_key(|past| past.colliders);
    }
}

/// Appends the manifolds of a pair of colliders to `out`.
fn find_manifolds(
    context: &DetectionContext<'_>,
    placed: &[BroadPhaseCollider<'_>],
    colliders: [u32; 2],
    search: &mut ManifoldSearch,
    manifolds: &mut Vec<Manifold>,
    out: &mut Vec<ManifoldCandidate>,
) {
    let [a, b] = colliders.map(|k| &placed[k as usize]);
    manifolds.clear();
    let reach = context.settings.contact_margin + a.closing_distance(b);
    search.manifolds(
        [a.collider.shape.as_ref(), b.collider.shape.as_ref()],
        &a.relative_pose(b),
        (reach, SLOP * context.settings.contact_margin),
        manifolds,
    );
    for manifold in manifolds.iter() {
        let side = |placed: &BroadPhaseCollider<'_>, k: usize| {
            let pose = placed.collider.pose;
            let cores = match placed.body {
                Some(body) => {
                    let pose = context.bodies.to_central_frame(body as usize, pose);
                    manifold.cores[k].map(|core| pose.transform_point(core))
                }
                None => manifold.cores[k].map(|core| pose.transform_vector(core)),
            };
            ManifoldSide { body: placed.body, center: pose.translation, cores, round: manifold.round[k] }
        };
        let cores = manifold.cores[0];
        let distances = cores.map(|core| core.distance(middle(cores)));
        out.push(ManifoldCandidate {
            colliders,
            sides: [side(a, 0), side(b, 1)],
            count: manifold.count,
            normal: a.to_world(manifold.normal),
            gap: -manifold.overlaps.iter().fold(f32::MIN, |deepest, &overlap| deepest.max(overlap)),
            friction: a.collider.friction.combine(b.collider.friction),
            restitution: a.collider.restitution.max(b.collider.restitution),
            arm: distances.iter().sum::<f32>() * 0.25,
            slip: Vec3::ZERO,
            twist: 0.0,
            impulses: [0.0; MANIFOLD_POINTS],
            friction_impulse: Vec3::ZERO,
            twist_impulse: 0.0,
        });
    }
}
