//! Surfaces in a frame, for any back end: pairs are found and looked at on the host.

use glam::{Vec4, Vec4Swizzles};

use super::State;
use crate::collide::{ContactSet, ContactSubstep};
use crate::constraint::ConstraintError;
use crate::parallel::WorkerScope;

impl State {
    /// Returns whether any object collides as a [surface](crate::object::Surface).
    pub fn has_surfaces(&self) -> bool {
        self.objects.iter().any(|(_, object)| object.surface.is_some())
    }

    /// Finds the pairs of the frame of `dt` \[s\] that begins, for a back end that moves particles elsewhere; without
    /// surfaces it forgets what was known of them.
    ///
    /// # Errors
    /// A contact constraint that fails its self-check.
    pub fn detect_surface_pairs(&mut self, dt: f32) -> Result<(), ConstraintError> {
        self.update_accelerations();
        let velocities = self.apply_pin_targets(dt);
        let mut surfaces = std::mem::take(&mut self.contacts.surfaces);
        let found = surfaces.detect(&self.detection_context(dt), &WorkerScope::SINGLE);
        self.contacts.surfaces = surfaces;
        velocities.into_iter().for_each(|(i, velocity)| self.particles.velocity[i] = velocity);
        found
    }

    /// Lists which pairs touch in a substep of `h` \[s\] and lays them out as
    /// [passes](crate::collide::surface_contacts::pair_set::SurfacePairs::pass). Particles and bodies are where they are
    /// before contacts are solved, with what they were at the start of the substep and their velocities as predicted. Pairs
    /// are found anew first if they move otherwise than was expected.
    pub fn update_surface_contacts(&mut self, substep: u32, h: f32) {
        self.update_surface_contacts_on(substep, h, &WorkerScope::SINGLE);
    }

    /// Does what [`State::update_surface_contacts`] does on some threads.
    pub(crate) fn update_surface_contacts_on(&mut self, substep: u32, h: f32, workers: &WorkerScope<'_>) {
        if self.contacts.surfaces.track_motion(&self.particles, &self.bodies, h) {
            let left = (self.settings.substeps - 1 - substep) as f32 * h;
            let mut surfaces = std::mem::take(&mut self.contacts.surfaces);
            surfaces.detect_again(&self.detection_context(left), workers);
            self.contacts.surfaces = surfaces;
        }
        let Self { settings, particles, bodies, supports, contacts, .. } = self;
        contacts.surfaces.update(&ContactSubstep { settings, particles, bodies, supports, index: substep, h, workers });
    }

    /// Takes the normal multipliers of the passes that a back end has solved in a substep of `h` \[s\], in the order of
    /// [`SurfaceContacts::sets`](crate::collide::surface_contacts::SurfaceContacts::sets).
    pub fn store_surface_multipliers(&mut self, multipliers: [&[f32]; 3], h: f32) {
        for (set, multipliers) in self.contacts.surfaces.sets_mut().into_iter().zip(multipliers) {
            if let Some(pass) = &mut set.pass {
                pass.lambda[0].iter_mut().zip(multipliers).for_each(|(lambda, &number)| *lambda = number);
            }
            set.accumulate_velocities(1.0 / h, &WorkerScope::SINGLE);
        }
    }

    /// Lets pinned particles go to their targets; gives the velocities that they had.
    pub(super) fn apply_pin_targets(&mut self, dt: f32) -> Vec<(usize, Vec4)> {
        let Self { objects, particles, .. } = self;
        let mut velocities = Vec::new();
        for (_, object) in objects.iter() {
            for &(particle, target) in &object.pin_targets {
                let i = object.range.start + particle as usize;
                velocities.push((i, particles.velocity[i]));
                if particles.anchor[i].w == 0.0 && !object.frozen {
                    let way = (target - particles.anchor[i].xyz()) - particles.offset[i].xyz();
                    particles.velocity[i] = (way / dt).extend(0.0);
                }
            }
        }
        velocities
    }
}
