//! Joints that change in place to another description of themselves.

use xpbd_core::batch::BatchNumbers;
use xpbd_core::world::{UpdateOutcome, World};

use super::{Joint, JointError, JointHandle, JointPart, lock};

impl JointHandle {
    /// Changes the numbers of the joint that differ between the description `before`, which it was added with or last
    /// updated to, and the description `after`: limits, motors, lengths, compliance, damping and break thresholds.
    ///
    /// Whatever is the same in both descriptions stays, whether it has been changed in the world or not. There is no new
    /// plan. Other frames, other kinds of limits, and limits or motors that come or go are no numbers.
    ///
    /// # Errors
    /// The joint has been removed, or a number is not valid; the joint is then as it was.
    pub fn update<J: Joint>(
        &self,
        world: &mut World,
        mut before: J,
        mut after: J,
    ) -> Result<UpdateOutcome, JointError> {
        let [was, is] = [*before.settings(), *after.settings()];
        is.check(0)?;
        let [a, b] = &self.bases;
        let [old, new] = [before.parts([a, b], 0)?, after.parts([a, b], 0)?];
        let is_described = old.len() == self.parts.len() && old.len() == new.len();
        let has_same_topology = is_described && old.iter().zip(&new).all(|(old, new)| old.has_same_topology(new));
        if !has_same_topology || was.placement != is.placement || was.contacts_enabled != is.contacts_enabled {
            return Ok(UpdateOutcome::TopologyDiffers);
        }
        for (part, (old, new)) in self.parts.iter().zip(old.iter().zip(&new)) {
            self.edit(world, part, |numbers| {
                old.write_differences(new, numbers, self.index);
                if part.is_lock() {
                    let is_damped = part.has_damped_row(numbers.parameters_mut(self.index));
                    numbers.set_damping(self.index, lock::damping_of_batch(is_damped));
                }
                Ok(())
            })?;
        }
        if [was.break_force, was.break_torque] != [is.break_force, is.break_torque] {
            self.set_break_thresholds(world, is.break_force, is.break_torque)?;
        }
        Ok(UpdateOutcome::Updated)
    }
}

impl JointPart {
    /// Writes the numbers of another description of this constraint that differ.
    fn write_differences(&self, after: &Self, numbers: &mut BatchNumbers<'_>, constraint: usize) {
        if self.parameters != after.parameters {
            let pairs = self.parameters.iter().zip(&after.parameters);
            let written = numbers.parameters_mut(constraint).iter_mut().zip(pairs);
            written.filter(|(_, (was, is))| was != is).for_each(|(number, (_, &is))| *number = is);
        }
        if self.compliance != after.compliance {
            numbers.set_compliance(constraint, after.compliance);
        }
        if self.damping_coefficient != after.damping_coefficient {
            numbers.set_damping(constraint, after.damping_coefficient);
        }
    }
}
