//! Contacts of surfaces.

use super::recorder::Frame;

impl Frame<'_> {
    /// Solves the contacts of the substep with one kind of partner once, after pairs of particles.
    pub(super) fn solve_surfaces(&mut self, number: usize, warm: usize) {
        let Some(steps) = self.world.contacts.surfaces.steps(number) else { return };
        let pairs = self.pair_groups().is_some();
        let [take, leave] = steps.handover;
        if pairs {
            self.solve(std::slice::from_ref(take), steps.group);
        }
        self.solve(&steps.pass.solve[warm], steps.group);
        if pairs {
            self.solve(std::slice::from_ref(leave), steps.group);
        }
    }

    /// Marks the particles that the contacts have pushed, at the end of a substep.
    pub(super) fn mark_surfaces(&mut self) {
        for number in 0..3 {
            if let Some(steps) = self.world.contacts.surfaces.steps(number) {
                self.solve(std::slice::from_ref(steps.mark), steps.group);
            }
        }
    }
}
