//! Contacts of surfaces.

use super::recorder::Frame;

impl Frame<'_> {
    /// Solves the contacts of the substep once, after pairs of particles.
    pub(super) fn solve_surfaces(&mut self, warm: usize) {
        let Some((group, pass, [_, take, leave])) = self.world.contacts.surfaces.steps() else { return };
        let pairs = self.pair_groups().is_some();
        if pairs {
            self.solve(std::slice::from_ref(take), group);
        }
        self.solve(&pass.solve[warm], group);
        if pairs {
            self.solve(std::slice::from_ref(leave), group);
        }
    }

    /// Marks the particles that the contacts have pushed, at the end of a substep.
    pub(super) fn mark_surfaces(&mut self) {
        if let Some((group, _, [mark, ..])) = self.world.contacts.surfaces.steps() {
            self.solve(std::slice::from_ref(mark), group);
        }
    }
}
