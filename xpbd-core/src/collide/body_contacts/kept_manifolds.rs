//! The search for the manifolds of each pair of colliders, and what it keeps from frame to frame.
//!
//! Finding a manifold costs far more than solving it, and what rests has the same one for seconds. So the manifolds of
//! a pair are kept, by their points in the frames of both colliders, until these have moved relative to each other by a
//! part of the contact margin. Distances are measured anew in every substep, so that only the choice of points is that
//! of an earlier frame.
//!
//! Convex shapes may also approach each other along the normal until they touch, and tilt. No direction separates shapes
//! by more than their distance, which is at most that of two points of the manifold: a normal that separates them by just
//! that much stays the one that a search would find. The points serve while those that were opposite each other are so
//! still, and while they are all that is within reach.

use std::ops::Range;

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::Shape;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::broad_phase::BroadPhaseCollider;
use super::history::PreviousManifolds;
use super::impact::Meeting;
use super::manifold::{Manifold, ManifoldSearch};
use super::manifold_layout::ManifoldPlace;
use super::manifold_pose::{ManifoldSide, middle, of_points};
use super::manifold_set::ManifoldCandidate;
use super::one_way;
use super::past_frame::{self, PastFrame};
use crate::collide::body_contact::MANIFOLD_POINTS;
use crate::collide::detection::DetectionContext;
use crate::handle::ColliderHandle;

/// Height above a neighbouring face up to which an edge is no obstacle, as a part of the contact margin \[1\].
pub(super) const SLOP: f32 = 0.1;

/// Displacement of a collider relative to another one up to which their manifolds are kept, as a part of the contact
/// margin \[1\]: less than the whole, so that nothing touches that the search could not have found.
const KEPT: f32 = 0.1;

/// Difference of the distance along a normal and that of two points of its manifold up to which no other normal is better, as
/// a part of the displacement that is allowed \[1\]. With the whole of it, cards that lean on each other by their edges slip
/// off along a normal that was good enough while they were apart.
const SAME: f32 = 0.1;

/// Distance by which points of convex shapes are searched beyond what a frame needs, as a part of the contact margin \[1\]:
/// shapes that approach a little faster in the next frame, or tilt, have them already.
const AHEAD: f32 = 1.0;

/// The manifolds that the search found for two colliders, with where these were.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptManifolds {
    /// The colliders of the manifold.
    pub colliders: [ColliderHandle; 2],
    /// Pose of the second collider in the frame of the first when they were searched.
    between: Pose,
    /// Distance up to which points were searched \[m\].
    reach: f32,
    pub(super) manifolds: SmallVec<[Manifold; 1]>,
}

impl KeptManifolds {
    /// Returns whether all numbers can be those of a search.
    pub(crate) fn is_valid(&self) -> bool {
        self.between.is_finite() && self.manifolds.iter().all(Manifold::is_valid)
    }

    /// Returns whether the points serve colliders at this pose. `radii` are those of spheres about the origins of both
    /// colliders that hold them \[m\], `tolerance` is the displacement that is allowed \[m\], and `separation` returns how
    /// far convex shapes are apart along a normal of the second one, in the frame of the first \[m\].
    fn serve(
        &self,
        between: &Pose,
        radii: [f32; 2],
        (reach, tolerance): (f32, f32),
        separation: impl Fn(Vec3) -> Option<f32>,
    ) -> bool {
        // Seen from the smaller collider, the other one has moved by a rotation and a translation. What matters of it is
        // near the smaller one.
        let first_is_smaller = radii[0] <= radii[1];
        let [from, to] = match first_is_smaller {
            true => [self.between, *between],
            false => [self.between.inverse(), between.inverse()],
        };
        let rotation = to.rotation * from.rotation.inverse();
        let translation = to.translation - rotation * from.translation;
        let turned = 2.0 * rotation.xyz().length() * (radii[0].min(radii[1]) + reach);
        if reach <= self.reach + tolerance && translation.length() + turned <= tolerance {
            return true;
        }
        let [manifold] = &self.manifolds[..] else { return false };
        let toward = if first_is_smaller { manifold.normal } else { from.rotation * -manifold.normal };
        let closer = translation.dot(toward);
        if reach + closer + turned > self.reach + tolerance {
            return false;
        }
        let (slip, overlap) = manifold.moved(between);
        if slip > tolerance {
            return false;
        }
        let is_same = |apart: f32| (apart + overlap).abs() <= SAME * tolerance;
        separation(manifold.normal)
            .is_some_and(|apart| is_same(apart) && (apart >= -tolerance || overlap <= manifold.overlap()))
    }
}

/// Returns how far two convex shapes are apart along an outward normal of the second one, in the frame of the first
/// \[m\]; `between` is the pose of the second in that frame.
fn separation([a, b]: [&dyn Shape; 2], between: &Pose, normal: Vec3) -> Option<f32> {
    let (a, b) = (a.as_support_map()?, b.as_support_map()?);
    let near_second = a.local_support_point(-normal);
    let near_first = between.transform_point(b.local_support_point(between.rotation.inverse() * normal));
    Some((near_second - near_first).dot(normal))
}

/// A manifold that a frame solves.
#[derive(Debug, Clone, Copy)]
pub(super) enum FoundManifold {
    /// It goes on where it was solved in the last frame.
    Continued(ManifoldPlace),
    /// It is new, or its points are taken anew: its index among the candidates of the task.
    Fresh(u32),
}

/// The result of a task of the search.
#[derive(Debug, Default)]
pub(super) struct FoundPairs {
    /// The manifolds in the order of their pairs.
    pub manifolds: Vec<FoundManifold>,
    /// Those that are new or taken anew.
    pub candidates: Vec<ManifoldCandidate>,
    /// The manifolds of each pair that was searched, to be kept.
    pub searched: Vec<KeptManifolds>,
    /// Indices of those of the last frame that serve on.
    pub serving: Vec<u32>,
}

impl FoundPairs {
    pub fn clear(&mut self) {
        self.manifolds.clear();
        self.candidates.clear();
        self.searched.clear();
        self.serving.clear();
    }
}

/// A search for the manifolds of one pair of colliders after the other.
pub(super) struct PairSearch<'a> {
    context: &'a DetectionContext<'a>,
    placed: &'a [BroadPhaseCollider<'a>],
    past: &'a PastFrame<'a>,
    places: PairLookup<'a, ManifoldPlace, [u32; 2]>,
    kept: PairLookup<'a, KeptManifolds, [ColliderHandle; 2]>,
    search: ManifoldSearch,
}

impl<'a> PairSearch<'a> {
    /// Creates a search that continues the manifolds of the last frame.
    pub fn new(
        context: &'a DetectionContext<'a>,
        placed: &'a [BroadPhaseCollider<'a>],
        past: &'a PastFrame<'a>,
        kept: &'a [KeptManifolds],
    ) -> Self {
        let places = PairLookup { list: past.places, colliders: |place| place.colliders, next: 0 };
        let kept = PairLookup { list: kept, colliders: |kept| kept.colliders, next: 0 };
        Self { context, placed, past, places, kept, search: ManifoldSearch::default() }
    }

    /// Appends the manifolds of a pair of colliders, given by their indices.
    pub fn find(&mut self, indices: [u32; 2], out: &mut FoundPairs) {
        let Self { context, placed, .. } = *self;
        let keys = context.colliders.keys();
        let [Some(&first), Some(&second)] = indices.map(|k| keys.get(k as usize)) else { return };
        let colliders = [first, second];
        let [a, b] = indices.map(|k| &placed[k as usize]);
        let margin = context.settings.contact_margin;
        let between = a.relative_pose(b);
        let (between, reach) = match Meeting::of([a, b], &between, margin) {
            Meeting::Now => (between, margin + a.closing_distance(b)),
            Meeting::At(there) => (there, 2.0 * (margin + a.rotation_reach() + b.rotation_reach())),
            Meeting::Never => return,
        };
        let FoundPairs { manifolds, candidates, searched, serving } = out;
        let last = self.kept.of(colliders);
        let places = &self.past.places[self.places.of(indices)];
        let kept = self.kept.list[last.clone()].first();
        let shapes = [a, b].map(|placed| placed.collider.shape.as_ref());
        let apart = |normal: Vec3| separation(shapes, &between, normal);
        let serves = |kept: &&KeptManifolds| kept.serve(&between, [a.radius, b.radius], (reach, KEPT * margin), apart);
        let found = match kept.filter(serves) {
            Some(kept) => {
                serving.push(last.start as u32);
                if past_frame::go_on(places, [a, b], &kept.manifolds) {
                    manifolds.extend(places.iter().map(|&place| FoundManifold::Continued(place)));
                    return;
                }
                &kept.manifolds
            }
            None => {
                let mut found = SmallVec::new();
                let are_convex = shapes.iter().all(|shape| shape.as_support_map().is_some());
                let reach = if are_convex { reach + AHEAD * margin } else { reach };
                self.search.manifolds(shapes, &between, (reach, SLOP * margin), &mut found);
                searched.push(KeptManifolds { colliders, between, reach, manifolds: found });
                &searched[searched.len() - 1].manifolds
            }
        };
        let history = self.past.history_of(colliders, places);
        let mut past = PreviousManifolds::new(&history, margin);
        for (number, manifold) in (0..).zip(found) {
            let mut candidate = candidate((indices, number), [a, b], manifold);
            past.continue_manifold(&mut candidate);
            if !one_way::lets_through([a, b], context.bodies, &candidate, !history.is_empty(), margin) {
                manifolds.push(FoundManifold::Fresh(candidates.len() as u32));
                candidates.push(candidate);
            }
        }
    }
}

/// A list that is sorted by colliders, of which pairs are looked up mostly in order.
pub(super) struct PairLookup<'a, T, K> {
    pub list: &'a [T],
    pub colliders: fn(&T) -> K,
    /// Index of the entry after those that were looked up last, the first of its pair.
    pub next: usize,
}

impl<T, K: Ord> PairLookup<'_, T, K> {
    /// Returns the place of the entries of a pair.
    pub fn of(&mut self, pair: K) -> Range<usize> {
        let Self { list, colliders, .. } = *self;
        let is_next = list.get(self.next).is_some_and(|entry| colliders(entry) == pair);
        if !is_next {
            self.next = list.partition_point(|entry| colliders(entry) < pair);
        }
        let rest = &list[self.next..];
        let count = rest.iter().take_while(|entry| colliders(entry) == pair).count();
        self.next += count;
        self.next - count..self.next
    }
}

/// Returns the manifold of this number of two colliders in the world, without a past.
pub(super) fn candidate(
    (colliders, number): ([u32; 2], u32),
    [a, b]: [&BroadPhaseCollider<'_>; 2],
    manifold: &Manifold,
) -> ManifoldCandidate {
    let side = |placed: &BroadPhaseCollider<'_>, k: usize| {
        let cores = match placed.body {
            Some(_) => of_points(|point| placed.local.transform_point(manifold.cores[k][point])),
            None => of_points(|point| placed.local.transform_vector(manifold.cores[k][point])),
        };
        ManifoldSide { body: placed.body, center: placed.collider.pose.translation, cores, round: manifold.round[k] }
    };
    let cores = manifold.cores[0];
    let distances = of_points(|point| cores[point].distance(middle(cores)));
    let normal = a.to_world(manifold.normal);
    let belt = a.to_world(a.collider.surface_velocity) - b.to_world(b.collider.surface_velocity);
    ManifoldCandidate {
        colliders,
        number,
        sides: [side(a, 0), side(b, 1)],
        on_face: manifold.on_face,
        count: manifold.count,
        normal,
        gap: -manifold.overlap(),
        friction: a.collider.friction.combine(b.collider.friction),
        restitution: a.collider.restitution.max(b.collider.restitution),
        surface_velocity: belt - normal * normal.dot(belt),
        arm: distances.iter().sum::<f32>() / manifold.count as f32,
        slip: Vec3::ZERO,
        twist: 0.0,
        impulses: [0.0; MANIFOLD_POINTS],
        friction_impulse: Vec3::ZERO,
        twist_impulse: 0.0,
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};
    use parry3d::math::Pose;
    use parry3d::shape::{Cuboid, Shape};
    use smallvec::SmallVec;

    use super::{KeptManifolds, ManifoldSearch, separation};
    use crate::handle::ColliderHandle;

    /// A collider of 1 m on a huge one, the first or the second of the two.
    fn serves(from: Pose, to: Pose, reach: f32) -> [bool; 2] {
        let serves = |from: Pose, to: Pose, radii: [f32; 2]| {
            let colliders = [ColliderHandle::default(); 2];
            let kept = KeptManifolds { colliders, between: from, reach: 0.01, manifolds: SmallVec::new() };
            kept.serve(&to, radii, (reach, 1e-3), |_| None)
        };
        [serves(from, to, [1.0, f32::INFINITY]), serves(from.inverse(), to.inverse(), [f32::INFINITY, 1.0])]
    }

    /// Returns the manifold of two boxes that are nearer than `reach`.
    fn found(boxes: [&Cuboid; 2], between: &Pose, reach: f32) -> KeptManifolds {
        let mut manifolds = SmallVec::new();
        ManifoldSearch::default().manifolds(
            boxes.map(|cuboid| cuboid as &dyn Shape),
            between,
            (reach, 0.0),
            &mut manifolds,
        );
        KeptManifolds { colliders: [ColliderHandle::default(); 2], between: *between, reach, manifolds }
    }

    #[test]
    fn manifolds_that_serve_boxes_that_approach_are_those_that_a_search_finds() {
        let boxes = [Cuboid::new(Vec3::new(0.5, 0.4, 0.3)), Cuboid::new(Vec3::new(0.3, 0.2, 0.6))];
        let mut state = 1_u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        };
        let mut vector = || Vec3::new(random(), random(), random());
        let [mut served, mut far, mut tilted, mut parted] = [0; 4];
        for k in 0..40_000 {
            let turn = Quat::from_scaled_axis(vector() * [0.01, 0.3, 3.0][k % 3]);
            let from = Pose::from_parts(vector().signum() * Vec3::new(0.8, 0.6, 0.9) + 0.3 * vector(), turn);
            let [a, b] = if k % 4 < 2 { [&boxes[0], &boxes[1]] } else { [&boxes[1], &boxes[0]] };
            let kept = found([a, b], &from, 0.1);
            let [manifold] = &kept.manifolds[..] else { continue };
            let way = manifold.normal * (0.08 * vector().x.abs()) + 1e-3 * vector();
            let tilt = Quat::from_scaled_axis(vector() * if k % 2 == 0 { 3e-3 } else { 0.0 });
            let to = Pose::from_parts(from.translation + way, tilt * from.rotation);
            let radii = [a, b].map(|cuboid| cuboid.half_extents.length());
            let apart = |normal: Vec3| separation([a, b], &to, normal);
            if kept.serve(&to, radii, (0.02, 1e-3), apart) {
                let now = found([a, b], &to, 0.1);
                served += 1;
                // They met by a sliver that is thinner than the tolerance.
                if now.manifolds.is_empty() {
                    parted += 1;
                    continue;
                }
                let (_, overlap) = manifold.moved(&to);
                assert!((now.manifolds[0].overlap() - overlap).abs() < 3e-3, "{k}: {kept:?} {now:?}");
                let [normal, known] = [now.manifolds[0].normal, manifold.normal];
                let as_good = apart(known) > apart(normal).map(|apart| apart - 3e-3);
                assert!(normal.dot(known) > 0.999 || as_good, "{k}: {kept:?} {now:?}");
                far += usize::from(way.length() > 0.01);
                tilted += usize::from(2.0 * tilt.xyz().length() * radii[0].min(radii[1]) > 1e-3);
            }
        }
        assert!(served > 1000 && far > 500, "{served} served, {far} of them after a long way");
        assert!(tilted > 50 && parted < served / 100, "{tilted} of {served} had tilted, {parted} parted");
    }

    #[test]
    fn manifolds_serve_until_a_point_has_moved_by_the_tolerance() {
        let from = Pose::from_parts(Vec3::new(300.0, -0.5, 20.0), Quat::from_rotation_y(0.7));
        let moved = |way: Vec3| Pose::from_translation(way) * from;
        let turned = |angle: f32| Pose::from_parts(Vec3::ZERO, Quat::from_rotation_x(angle)) * from;
        assert_eq!(serves(from, from, 0.01), [true; 2]);
        assert_eq!(serves(from, moved(Vec3::X * 0.8e-3), 0.01), [true; 2]);
        assert_eq!(serves(from, moved(Vec3::X * 1.2e-3), 0.01), [false; 2]);
        assert_eq!(serves(from, turned(0.8e-3), 0.01), [true; 2]);
        assert_eq!(serves(from, turned(1.2e-3), 0.01), [false; 2]);
        assert_eq!(serves(from, from, 0.012), [false; 2], "points farther away were not searched");
    }
}
