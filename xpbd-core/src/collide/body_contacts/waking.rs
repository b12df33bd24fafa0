//! The sleeping bodies that will be touched in a frame.
//!
//! A body that sleeps has no inverse mass, so what hits it would rebound as from a wall. Its island is therefore woken at the
//! start of the frame in which anything touches it, and so are the islands that it may hit in turn.

use glam::Vec3;
use parry3d::bounding_volume::{Aabb, BoundingVolume};

use super::BodyContacts;
use super::broad_phase::BroadPhaseCollider;
use super::impact::Meeting;
use super::manifold::ManifoldSearch;
use crate::bodies::Bodies;
use crate::collide::detection::DetectionContext;

impl BodyContacts {
    /// Returns a body of each sleeping island that will be touched in the frame that begins.
    pub(crate) fn touched_sleepers(&mut self, context: &DetectionContext<'_>) -> Vec<u32> {
        let placed = BroadPhaseCollider::all(context);
        let sleeps = |collider: &BroadPhaseCollider<'_>| island(context.bodies, collider).is_some();
        let wanted =
            |a: &BroadPhaseCollider<'_>, b: &BroadPhaseCollider<'_>| (a.moves && sleeps(b)) || (b.moves && sleeps(a));
        let pairs = self.broad_phase.pairs(&placed, context, wanted);
        if pairs.is_empty() {
            return Vec::new();
        }
        let mut waking = Waking { context, placed: &placed, search: ManifoldSearch::default(), hits: Vec::new() };
        for [a, b] in pairs.into_iter().map(|pair| pair.map(|k| &placed[k as usize])) {
            let [mover, sleeper] = if sleeps(b) { [a, b] } else { [b, a] };
            if !waking.has_hit(sleeper)
                && let Some(closing) = waking.closing_of([mover, sleeper])
            {
                waking.hit([mover, sleeper], closing);
            }
        }
        let mut next = 0;
        while next < waking.hits.len() {
            waking.pass_on(next);
            next += 1;
        }
        waking.hits.into_iter().map(|hit| hit.body).collect()
    }
}

/// Returns the number of the island of a collider, if it is on a body that sleeps.
fn island(bodies: &Bodies, collider: &BroadPhaseCollider<'_>) -> Option<u32> {
    let sleep = &bodies.sleep[collider.body? as usize];
    sleep.asleep.then_some(sleep.island)
}

/// An island that has been hit.
struct HitIsland {
    /// The body that was hit.
    body: u32,
    island: u32,
    /// Largest displacement of its bodies in the frame, by which they may hit others \[m\].
    reach: f32,
}

/// A search for the islands that wake.
struct Waking<'a> {
    context: &'a DetectionContext<'a>,
    placed: &'a [BroadPhaseCollider<'a>],
    search: ManifoldSearch,
    hits: Vec<HitIsland>,
}

impl<'a> Waking<'a> {
    fn has_hit(&self, sleeper: &BroadPhaseCollider<'_>) -> bool {
        island(self.context.bodies, sleeper).is_none_or(|island| self.hits.iter().any(|hit| hit.island == island))
    }

    /// Records that a body that comes nearer to a sleeping one by `closing` \[m\] hits it.
    fn hit(&mut self, [mover, sleeper]: [&BroadPhaseCollider<'_>; 2], closing: f32) {
        let bodies = self.context.bodies;
        let (Some(body), Some(island)) = (sleeper.body, island(bodies, sleeper)) else { return };
        let mass = |k: u32| bodies.records[k as usize].body.mass.mass;
        // What sleeps has its mass here: it is about to wake.
        let of_mover = mover.body.filter(|_| mover.is_movable || self.has_hit(mover)).map_or(f32::INFINITY, mass);
        // The speed that an elastic impact gives at most.
        let share = 2.0 / (1.0 + mass(body) / of_mover);
        self.hits.push(HitIsland { body, island, reach: closing * share });
    }

    /// Returns by how much a moving collider comes nearer to a sleeping one in the frame \[m\], if they touch.
    fn closing_of(&mut self, [mover, sleeper]: [&BroadPhaseCollider<'_>; 2]) -> Option<f32> {
        let between = mover.relative_pose(sleeper);
        let way = mover.way_of(sleeper);
        match Meeting::of([mover, sleeper], &between, self.context.settings.contact_margin) {
            Meeting::Never => None,
            Meeting::At(_) => Some(mover.closing_distance(sleeper)),
            Meeting::Now => {
                let found = self.manifolds([mover, sleeper], mover.closing_distance(sleeper));
                let closing = |normal| way.dot(normal) + mover.rotation_reach();
                let touching = found.into_iter().map(|(overlap, normal)| (overlap, closing(normal)));
                touching
                    .filter(|(overlap, closing)| overlap + closing >= 0.0)
                    .map(|(_, closing)| closing.max(0.0))
                    .reduce(f32::max)
            }
        }
    }

    /// Returns the largest overlap \[m\] and the normal of each manifold of two colliders that are nearer than `reach` \[m\].
    fn manifolds(&mut self, [a, b]: [&BroadPhaseCollider<'_>; 2], reach: f32) -> Vec<(f32, Vec3)> {
        let shapes = [a, b].map(|placed| placed.collider.shape.as_ref());
        let mut found = Vec::new();
        self.search.manifolds(shapes, &a.relative_pose(b), (reach, 0.0), &mut found);
        found.iter().map(|manifold| (manifold.overlap(), manifold.normal)).collect()
    }

    /// Records which islands one that has been hit may hit in the frame.
    fn pass_on(&mut self, hit: usize) {
        let HitIsland { island: own, reach, .. } = self.hits[hit];
        let (placed, bodies) = (self.placed, self.context.bodies);
        let members: Vec<_> = placed.iter().filter(|collider| island(bodies, collider) == Some(own)).collect();
        let bounds = members.iter().map(|member| *member.bounds()).reduce(|one, other| one.merged(&other));
        let Some(bounds) = bounds.map(|bounds| bounds.loosened(reach)) else { return };
        let is_near = |bounds: &Aabb, other: &BroadPhaseCollider<'_>| other.bounds().intersects(bounds);
        let near: Vec<_> = placed.iter().filter(|other| is_near(&bounds, other) && !self.has_hit(other)).collect();
        for other in near {
            let of_member = |member: &&&BroadPhaseCollider<'_>| {
                is_near(&member.bounds().loosened(reach), other) && member.may_touch(other, self.context)
            };
            let candidates: Vec<_> = members.iter().filter(of_member).copied().collect();
            for member in candidates {
                if !self.has_hit(other) && !self.manifolds([member, other], reach).is_empty() {
                    self.hit([member, other], reach);
                }
            }
        }
    }
}
