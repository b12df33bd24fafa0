//! Contacts in which both sides move.

use xpbd_core::collide::{IMPACT_SWEEPS, VELOCITY_SWEEPS};

use super::recorder::Frame;

impl Frame<'_> {
    /// Updates manifolds where bodies are predicted, and applies the multipliers that they have kept.
    pub(super) fn warm_start_collisions(&mut self) {
        let collisions = &self.world.contacts.collisions;
        let Some([passes, group]) = collisions.groups() else { return };
        self.solve(&collisions.refresh_predicted, group);
        for pass in collisions.steps() {
            self.solve(&pass.warm_start, passes);
        }
    }

    /// Updates the other contacts before they are solved.
    pub(super) fn update_collisions(&mut self) {
        let collisions = &self.world.contacts.collisions;
        if let Some([_, group]) = collisions.groups() {
            self.solve(&collisions.refresh, group);
        }
    }

    /// Solves contacts of particles with bodies once, after pairs of particles.
    pub(super) fn solve_particle_bodies(&mut self, warm: usize) {
        let collisions = &self.world.contacts.collisions;
        let Some([passes, group]) = collisions.groups().filter(|_| collisions.has_particle_bodies()) else { return };
        let beside = if self.pair_groups().is_some() { &collisions.pair_handover[..] } else { &[] };
        let (before, after) = beside.split_at(beside.len() / 2);
        self.solve(before, group);
        self.solve(&collisions.particle_bodies[warm], passes);
        self.solve(after, group);
    }

    /// Solves manifolds of bodies once.
    pub(super) fn solve_manifolds(&mut self, warm: usize) {
        let collisions = &self.world.contacts.collisions;
        let Some([passes, _]) = collisions.groups() else { return };
        for pass in collisions.steps() {
            self.solve(&pass.solve[warm], passes);
        }
    }

    /// Adds up the impulses on particles, and finds which bodies touch, at the end of a substep.
    pub(super) fn accumulate_collisions(&mut self) {
        let collisions = &self.world.contacts.collisions;
        if let Some([_, group]) = collisions.groups() {
            self.solve(&collisions.accumulate, group);
        }
    }

    /// Lets contacts rebound that will meet in the next substep.
    pub(super) fn solve_impacts(&mut self) {
        let collisions = &self.world.contacts.collisions;
        let Some([passes, _]) = collisions.groups() else { return };
        if collisions.steps().iter().all(|pass| pass.impacts.is_empty()) {
            return;
        }
        for _ in 0..IMPACT_SWEEPS {
            for pass in collisions.steps() {
                self.solve(&pass.impacts, passes);
            }
        }
        self.pass_on_velocities();
    }

    /// Changes velocities where contacts ask for it, and adds up the impulses between bodies. What is solved directly passes
    /// every change on.
    pub(super) fn solve_collision_velocities(&mut self) {
        let contacts = &self.world.contacts;
        let (collisions, groups) = (&contacts.collisions, contacts.collisions.groups());
        if groups.is_none() && contacts.surfaces.is_empty() {
            return;
        }
        self.keep_velocities();
        for _ in 0..VELOCITY_SWEEPS {
            self.solve_surface_velocities(0..2);
            if let Some([passes, _]) = groups {
                for pass in collisions.steps() {
                    self.solve(&pass.rates, passes);
                }
            }
            self.solve_surface_velocities(2..3);
            self.pass_on_velocities();
        }
        self.solve_impacts();
        if let Some([_, group]) = groups {
            self.solve(&collisions.accumulate_bodies, group);
        }
    }

    /// Keeps the velocities of what is solved directly, before contacts change them.
    pub(super) fn keep_velocities(&mut self) {
        if let Some(direct) = &self.world.plan.direct {
            self.solve(&direct.keep_velocities, &self.groups.pass);
        }
    }

    /// Passes changes of velocities on through what is solved directly.
    fn pass_on_velocities(&mut self) {
        if let Some(direct) = &self.world.plan.direct {
            self.solve(&direct.velocities, &self.groups.pass);
        }
    }
}
