//! Media in a substep.

use xpbd_core::medium::kernel::MediumHook;

use super::recorder::Frame;
use crate::media::{DeviceMedium, MediumGroups};

impl<'a> Frame<'a> {
    /// Returns the media that have members, with their bind groups.
    fn media(&self) -> impl Iterator<Item = (&'a DeviceMedium, &'a MediumGroups)> + use<'a> {
        self.world.media.iter().zip(&self.groups.media).filter(|(medium, _)| medium.count() > 0)
    }

    /// Sorts the members of all media by where they are predicted to be.
    pub(super) fn sort_media(&mut self) {
        for (medium, groups) in self.media() {
            let pass = self.pass();
            pass.set_bind_group(1, &groups.sort, &[]);
            self.dispatches += medium.sort(self.pass());
        }
    }

    /// Finds who is near whom in a medium, at the positions that its next stages read.
    fn find_near(&mut self, medium: &DeviceMedium, groups: &MediumGroups) {
        let pass = self.pass();
        pass.set_bind_group(1, &groups.sort, &[]);
        self.dispatches += medium.find_near(self.pass());
    }

    /// Solves a medium once, by its place, in the first iteration or the last or neither.
    pub(super) fn project_medium(&mut self, place: usize, first: bool, last: bool) {
        let (Some(medium), Some(groups)) = (self.world.media.get(place), self.groups.media.get(place)) else { return };
        if medium.count() == 0 {
            return;
        }
        let on_bodies = self.world.contacts.collisions.walls.as_ref();
        if let Some([find, _]) = medium.collider_walls() {
            self.run(find, &groups.collider_walls, self.world.counts.particles);
        }
        if let Some([find, _]) = on_bodies {
            self.solve(std::slice::from_ref(find), &groups.body_walls);
        }
        self.find_near(medium, groups);
        for stage in medium.stages(MediumHook::Project, first, last) {
            self.run(stage, &groups.stages, medium.count());
        }
        if let Some([_, tell]) = medium.collider_walls() {
            self.run(tell, &groups.collider_walls, self.world.counts.particles);
        }
        if let Some([_, push_back]) = on_bodies {
            self.solve(std::slice::from_ref(push_back), &groups.body_walls);
        }
    }

    /// Changes velocities at the end of a substep.
    pub(super) fn solve_medium_velocities(&mut self) {
        for (medium, groups) in self.media().filter(|(medium, _)| medium.changes_velocities()) {
            self.find_near(medium, groups);
            for stage in medium.stages(MediumHook::Velocities, true, true) {
                self.run(stage, &groups.stages, medium.count());
            }
        }
    }
}
