//! Contacts of bodies with bodies, and with colliders on no body: manifolds that are detected once a frame and solved as
//! constraints.
#![expect(unsafe_code, reason = "threads fill disjoint lists")]

mod back_faces;
mod broad_phase;
mod enlarged_box;
mod internal_edges;
mod manifold;
mod manifold_pose;
mod manifold_set;
mod refresh;
mod shape_manifold;
mod shape_pairs;

pub use manifold_pose::ManifoldSide;
#[doc(hidden)]
pub use manifold_set::MIN_IMPULSE_RATIO;
pub use manifold_set::{ManifoldCandidate, ManifoldColumns, ManifoldSet};
pub use refresh::RESTITUTION_THRESHOLD_FACTOR;
pub(super) use shape_pairs::shapes_touch;

use glam::Vec3;

use super::body_contact::{BodyContact, GroundContact, MANIFOLD_POINTS, UNUSED_POINT_SLACK};
use super::contact_set::ContactSet;
use super::detection::DetectionContext;
use super::events::Hit;
use crate::bodies::Bodies;
use crate::connector::Connector;
use crate::constraint::{ConstraintError, ConstraintType};
use crate::handle::ColliderHandle;
use crate::parallel::{DisjointSlice, WorkerScope};
use broad_phase::BroadPhaseCollider;
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
    /// Manifolds that stuck at the end of the last frame, sorted by colliders.
    pub sticking: Vec<StickingManifold>,
    /// Pairs of colliders that pushed in the last frame, sorted by colliders.
    pub remaining_overlaps: Vec<RemainingOverlap>,
    candidates: Vec<Vec<ManifoldCandidate>>,
}

/// A manifold that stuck at the end of a frame.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct StickingManifold {
    /// The colliders.
    pub colliders: [ColliderHandle; 2],
    /// The middle of its points on the first body \[m\].
    pub point: Vec3,
    /// Tangential displacement since the surfaces began to stick \[m\].
    pub slip: Vec3,
    /// Rotation about the normal since the surfaces began to stick \[rad\].
    pub twist: f32,
}

/// The overlap of a pair of colliders that remains to be resolved.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RemainingOverlap {
    /// The colliders.
    pub colliders: [ColliderHandle; 2],
    /// Remainder of the overlap at the first contact \[m\].
    pub overlap: f32,
}

impl BodyContacts {
    /// Creates a set without contacts that continues these from the last frame.
    pub(crate) fn with_history(held: Vec<StickingManifold>, met: Vec<RemainingOverlap>) -> Self {
        Self { sticking: held, remaining_overlaps: met, ..Self::default() }
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
        let Self { pairs, ground, sticking: held, remaining_overlaps: met, candidates: lists } = self;
        let past =
            PreviousContacts { held, met, keys: context.colliders.keys(), margin: context.settings.contact_margin };
        for found in lists[..tasks].iter().flatten().copied() {
            let set = if found.sides[1].body.is_some() { &mut *pairs } else { &mut *ground };
            set.candidates.push(past.with_history(found));
        }
        let point = |node| [Connector::BodyPoint { node }; MANIFOLD_POINTS];
        let axis = |node| Connector::BodyAxis { node };
        let both: Vec<_> = point(0).into_iter().chain(point(1)).chain([axis(0), axis(1)]).collect();
        let one: Vec<_> = point(0).into_iter().chain([axis(0)]).collect();
        pairs.fill(ConstraintType::of(BodyContact)?, &both, context.bodies);
        ground.fill(ConstraintType::of(GroundContact)?, &one, context.bodies);
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

    /// Records the contacts that touch and stick at the end of a frame in which overlaps were resolved by
    /// `resolved` \[m\].
    pub(crate) fn record_history(&mut self, bodies: &Bodies, keys: &[ColliderHandle], resolved: f32) {
        let Self { pairs, ground, sticking: held, remaining_overlaps: met, .. } = self;
        held.clear();
        met.clear();
        for set in [pairs, ground] {
            for (slot, found) in set.pushing() {
                let [Some(&a), Some(&b)] = found.colliders.map(|k| keys.get(k as usize)) else { continue };
                let largest = found.slacks[..found.count].iter().fold(0.0, |largest: f32, &slack| largest.max(slack));
                met.push(RemainingOverlap { colliders: [a, b], overlap: (largest - resolved).max(0.0) });
                if let Some((point, slip, twist)) = set.sticking_state(bodies, slot) {
                    held.push(StickingManifold { colliders: [a, b], point, slip, twist });
                }
            }
        }
        held.sort_by_key(|held| held.colliders);
        met.sort_by_key(|met| met.colliders);
        met.dedup_by(|later, first| {
            let same = later.colliders == first.colliders;
            first.overlap = if same { first.overlap.max(later.overlap) } else { first.overlap };
            same
        });
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
            friction: a.collider.friction.combine(b.collider.friction),
            restitution: a.collider.restitution.max(b.collider.restitution),
            arm: distances.iter().sum::<f32>() * 0.25,
            slip: Vec3::ZERO,
            twist: 0.0,
            slacks: manifold.overlaps,
        });
    }
}

/// The contacts of the previous frame.
struct PreviousContacts<'a> {
    held: &'a [StickingManifold],
    met: &'a [RemainingOverlap],
    keys: &'a [ColliderHandle],
    margin: f32,
}

impl PreviousContacts<'_> {
    /// Returns a manifold with the slip and the slack that it had at the end of the previous frame.
    fn with_history(&self, mut found: ManifoldCandidate) -> ManifoldCandidate {
        let [Some(&a), Some(&b)] = found.colliders.map(|k| self.keys.get(k as usize)) else { return found };
        let pair = [a, b];
        let met = self.met.binary_search_by_key(&pair, |met| met.colliders);
        let most = met.map_or(f32::MAX, |place| self.met[place].overlap);
        for (k, slack) in found.slacks.iter_mut().enumerate() {
            *slack = if k < found.count { slack.min(most).max(0.0) } else { UNUSED_POINT_SLACK };
        }
        let start = self.held.partition_point(|held| held.colliders < pair);
        let same = self.held[start..].iter().take_while(|held| held.colliders == pair);
        let point = middle(found.sides[0].cores);
        let nearest = same.min_by(|x, y| x.point.distance_squared(point).total_cmp(&y.point.distance_squared(point)));
        let near = self.margin.max(found.arm);
        if let Some(held) = nearest.filter(|held| held.point.distance(point) < near) {
            found.slip = held.slip - found.normal * found.normal.dot(held.slip);
            found.twist = held.twist;
        }
        found
    }
}
