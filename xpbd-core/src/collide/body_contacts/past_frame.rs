//! The past of the manifolds of a frame: the slots and the history that they are continued from.

use glam::Vec3;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::broad_phase::BroadPhaseCollider;
use super::history::ManifoldHistory;
use super::manifold::Manifold;
use super::manifold_layout::ManifoldPlace;
use super::manifold_pose::ManifoldSide;
use super::manifold_set::{ManifoldColumns, ManifoldSet};
use crate::bodies::Bodies;
use crate::handle::ColliderHandle;

/// Rotation of a normal in the world up to which a manifold goes on with its old one \[rad\].
const SAME_NORMAL: f32 = 1e-3;

/// The manifolds of the last frame: in their slots, or where an edit has ended them as their history.
pub(super) struct PastFrame<'a> {
    /// Manifolds of bodies against bodies, and of bodies on what is on no body.
    pub sets: [&'a ManifoldSet; 2],
    /// The columns of both.
    pub columns: [Option<ManifoldColumns>; 2],
    /// Places of the manifolds in the order of their pairs of colliders.
    pub places: &'a [ManifoldPlace],
    /// Manifolds that an edit has ended, sorted by colliders.
    pub history: &'a [ManifoldHistory],
    /// The bodies as they were at the end of the frame.
    pub bodies: &'a Bodies,
    /// Length of its substeps \[s\].
    pub h: f32,
}

impl PastFrame<'_> {
    fn set(&self, place: &ManifoldPlace) -> &ManifoldSet {
        self.sets[usize::from(place.is_ground)]
    }

    /// Returns the manifolds of two colliders that pushed, which are in these places.
    pub fn history_of(
        &self,
        colliders: [ColliderHandle; 2],
        places: &[ManifoldPlace],
    ) -> SmallVec<[ManifoldHistory; 1]> {
        if places.is_empty() {
            let start = self.history.partition_point(|past| past.colliders < colliders);
            return self.history[start..].iter().take_while(|past| past.colliders == colliders).copied().collect();
        }
        places.iter().filter_map(|place| self.history_at(colliders, place)).collect()
    }

    /// Returns what a manifold hands on that pushed.
    pub fn history_at(&self, colliders: [ColliderHandle; 2], place: &ManifoldPlace) -> Option<ManifoldHistory> {
        let (set, slot) = (self.set(place), place.slot as usize);
        let is_frozen = |side: &ManifoldSide| side.body.is_some_and(|k| self.bodies.records[k as usize].frozen);
        if !set.pushed(slot) || set.is_fresh[slot] || set.candidates[slot].sides.iter().any(is_frozen) {
            return None;
        }
        let columns = self.columns[usize::from(place.is_ground)].as_ref()?;
        set.history(columns, self.bodies, slot, colliders, self.h).filter(ManifoldHistory::is_finite)
    }
}

/// Returns whether the manifolds of two colliders in these places, of which the search has kept these, go on there.
pub(super) fn go_on(places: &[ManifoldPlace], [a, b]: [&BroadPhaseCollider<'_>; 2], manifolds: &[Manifold]) -> bool {
    let is_plain = |placed: &BroadPhaseCollider<'_>| {
        let collider = placed.collider;
        collider.one_way.is_none() && collider.restitution <= 0.0 && collider.surface_velocity == Vec3::ZERO
    };
    let stays = |place: &ManifoldPlace| {
        let Some(manifold) = manifolds.get(place.number as usize) else { return false };
        let normal = a.to_world(manifold.normal);
        let cosine = normal.dot(place.normal);
        cosine.abs() > 0.5 && (normal * cosine.signum()).distance_squared(place.normal) < SAME_NORMAL * SAME_NORMAL
    };
    places.len() == manifolds.len() && places.iter().all(stays) && is_plain(a) && is_plain(b)
}

/// A manifold in its slot at the end of a frame, as a snapshot holds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedManifold {
    /// Indices of its colliders.
    pub(super) colliders: [u32; 2],
    /// Number of the manifold among those of its colliders.
    pub(super) number: u32,
    /// Its normal \[1\]: the opposite of what was found where surfaces without an inside have passed each other.
    pub(super) normal: Vec3,
    /// Normal impulse in the frame \[N s\].
    pub(super) impulse: f32,
    /// On a surface that does not move mean(b) − d from its centre \[m\].
    pub(super) foot: Vec3,
    /// Its numbers in the columns of the pass.
    pub(super) numbers: Vec<f32>,
    /// The multiplier of each row.
    pub(super) multipliers: Vec<f32>,
}

impl SavedManifold {
    /// Returns whether all numbers can be those of a frame.
    pub(crate) fn is_valid(&self) -> bool {
        let numbers = self.numbers.iter().chain(&self.multipliers).chain([&self.impulse]);
        self.normal.is_normalized() && self.foot.is_finite() && numbers.into_iter().all(|x| x.is_finite())
    }
}

impl ManifoldSet {
    /// Returns what a snapshot holds of the manifold in a slot.
    pub(super) fn saved(&self, slot: usize) -> Option<SavedManifold> {
        let (pass, found) = (self.pass.as_ref()?, self.candidates.get(slot)?);
        Some(SavedManifold {
            colliders: found.colliders,
            number: found.number,
            normal: found.normal,
            impulse: self.impulses[slot],
            foot: self.feet[slot],
            numbers: pass.columns.iter().map(|column| column[slot]).collect(),
            multipliers: pass.lambda.iter().map(|row| row[slot]).collect(),
        })
    }

    /// Fills a slot with what a snapshot holds; numbers that it lacks are left as they are.
    pub(super) fn restore(&mut self, slot: usize, saved: &SavedManifold) {
        let Some(pass) = &mut self.pass else { return };
        pass.columns.iter_mut().zip(&saved.numbers).for_each(|(column, &number)| column[slot] = number);
        pass.lambda.iter_mut().zip(&saved.multipliers).for_each(|(row, &multiplier)| row[slot] = multiplier);
        (self.impulses[slot], self.feet[slot], self.is_fresh[slot]) = (saved.impulse, saved.foot, false);
    }
}
