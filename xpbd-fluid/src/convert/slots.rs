//! Which number a particle takes in the object that it comes to.

use glam::Vec3;
use xpbd_core::world::{ObjectHandle, World};

use crate::flow::{SpawnError, check};

/// How particles find their numbers in the object that they come to.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum SlotSelection<'a> {
    /// Absent ones of lowest number: for liquids, in which one is like the other.
    #[default]
    Lowest,
    /// Absent ones that belong nearest to where a particle is: for solids, whose constraints pull it there.
    Nearest {
        /// Where each particle of the object belongs \[m\], `xpbd_rigid::cluster::goals` for one.
        goals: &'a [Vec3],
        /// How far a goal may be \[m\]; those that are farther from all stay. Infinite for any distance.
        max_distance: f32,
        /// True if they are put at their goals at once, instead of where they were. A rigid solid pulls what
        /// is far off with a jerk.
        snap_to_goal: bool,
    },
}

impl<'a> SlotSelection<'a> {
    /// Returns the numbers that are free.
    ///
    /// # Errors
    /// A stale handle, another number of goals than particles, a goal that is not finite, a reach that is
    /// negative or not a number.
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

/// Numbers that are free.
pub(super) struct FreeSlots<'a> {
    /// Ascending.
    slots: Vec<u32>,
    /// How many of them have been taken, where they are taken in order.
    next: usize,
    selection: SlotSelection<'a>,
}

impl FreeSlots<'_> {
    /// Takes a number for a particle at a place \[m\], and says where it comes.
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
