//! The choice of a particle's number in the object that it joins.

use glam::Vec3;
use xpbd_core::world::{ObjectHandle, World};

use crate::error::{SpawnError, check};

/// The rule by which particles get their numbers in the object that they join.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum SlotSelection<'a> {
    /// The lowest numbers of inactive particles: for liquids, whose particles are alike.
    #[default]
    Lowest,
    /// The numbers of the inactive particles whose goals are nearest: for solids, whose constraints pull a particle to its
    /// goal.
    Nearest {
        /// Goal of each particle of the object \[m\], for example from `xpbd_rigid::cluster::goals`.
        goals: &'a [Vec3],
        /// Largest distance of a goal \[m\], beyond which a particle stays. Infinite for any distance.
        max_distance: f32,
        /// True to put particles at their goals at once instead of at their positions. A rigid solid pulls particles
        /// that are far from their goals with a jerk.
        snap_to_goal: bool,
    },
}

impl<'a> SlotSelection<'a> {
    /// Returns the numbers that are free.
    ///
    /// # Errors
    /// The object has been removed, there is not one goal for each particle, a goal is not finite, or the largest distance
    /// is negative or not a number.
    pub(super) fn free_slots(self, world: &World, object: ObjectHandle) -> Result<FreeSlots<'a>, SpawnError> {
        let count = world.positions(object)?.len();
        if let Self::Nearest { goals, max_distance: reach, .. } = self {
            if goals.len() != count {
                let name = world.state().objects.get(object).map_or(String::new(), |object| object.name.clone());
                return Err(SpawnError::Length { object: name, what: "goals", found: goals.len(), count });
            }
            if let Some(index) = goals.iter().position(|goal| !goal.is_finite()) {
                let value = format!("{} of particle {index}", goals[index]);
                return Err(SpawnError::Vector { what: "a goal", value, must: "finite" });
            }
            check("the reach", reach.min(f32::MAX), "not negative", reach >= 0.0)?;
        }
        let mut present = vec![false; count];
        world.active_particles(object)?.for_each(|k| present[k as usize] = true);
        let slots = (0..count as u32).filter(|&k| !present[k as usize]).collect();
        Ok(FreeSlots { slots, next: 0, selection: self })
    }
}

/// The numbers of inactive particles.
pub(super) struct FreeSlots<'a> {
    /// The numbers, ascending.
    slots: Vec<u32>,
    /// Number of those that have been taken, where they are taken in order.
    next: usize,
    selection: SlotSelection<'a>,
}

impl FreeSlots<'_> {
    /// Takes a number for a particle at a position \[m\], and returns it with the position at which it is activated \[m\].
    pub fn take(&mut self, position: Vec3) -> Option<(u32, Vec3)> {
        match self.selection {
            SlotSelection::Lowest => {
                let slot = *self.slots.get(self.next)?;
                self.next += 1;
                Some((slot, position))
            }
            SlotSelection::Nearest { goals, max_distance: reach, snap_to_goal: snap } => {
                let distance = |slot: u32| goals[slot as usize].distance_squared(position);
                let ranked = self.slots.iter().enumerate().map(|(k, &slot)| (distance(slot), k));
                let (square, k) = ranked.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))?;
                if square > reach * reach {
                    return None;
                }
                let slot = self.slots.remove(k);
                Some((slot, if snap { goals[slot as usize] } else { position }))
            }
        }
    }
}
