//! Contacts of surfaces.

use std::ops::Range;

use super::recorder::Frame;
use crate::surface_contacts::SetSteps;

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

    /// Returns whether contacts with colliders that cannot be pushed are solved before all others too.
    pub(super) fn begins_with_walls(&self) -> bool {
        self.world.contacts.surfaces.begins_with_walls && self.world.counts.colliders > 0
    }

    /// Solves the contacts with colliders that cannot be pushed for the first time in a substep, before pairs of particles.
    pub(super) fn solve_walls(&mut self) {
        let Self { world, groups, .. } = *self;
        let any = (0..3).find_map(|number| world.contacts.surfaces.steps(number));
        if let (Some(SetSteps { group, handover: [_, leave], .. }), Some(_)) = (any, self.pair_groups()) {
            self.solve(std::slice::from_ref(leave), group);
        }
        self.solve_surfaces(2, 0);
        self.run(&world.kernels.substep.solve_contacts[0], &groups.outcome, world.counts.particles);
    }

    /// Changes velocities once where the contacts with these kinds of partners ask for it.
    pub(super) fn solve_surface_velocities(&mut self, numbers: Range<usize>) {
        for steps in numbers.filter_map(|number| self.world.contacts.surfaces.steps(number)) {
            self.solve(&steps.pass.rates, steps.group);
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
