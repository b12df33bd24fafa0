//! The contacts of a world: those of the running frame, and the events of the last one.

use glam::Vec4Swizzles;

use super::collider::Collider;
use super::events::{Contact, Other, Touch, merge};
use super::particle_contacts::ParticleContacts;
use super::shape_contacts::ShapeContacts;
use crate::constraint::ConstraintError;
use crate::cpu::team::Crew;
use crate::particles::Particles;
use crate::world::ordered::Ordered;
use crate::world::report::StepReport;
use crate::world::state::ObjectState;
use crate::world::{ColliderHandle, ObjectHandle, Settings};

/// Contacts found for a frame, and the events made of them.
#[derive(Debug, Default)]
pub struct Contacts {
    /// Particles against colliders.
    pub shapes: ShapeContacts,
    /// Particles against particles.
    pub particles: ParticleContacts,
    /// What touched what in the last frame.
    pub events: Vec<Contact>,
}

/// What detection reads of a world.
pub struct Scene<'a> {
    /// How it is stepped.
    pub settings: &'a Settings,
    /// Particle state.
    pub particles: &'a Particles,
    /// Objects in order.
    pub objects: &'a Ordered<ObjectHandle, ObjectState>,
    /// Colliders in order.
    pub colliders: &'a Ordered<ColliderHandle, Collider>,
    /// Bodies' handles in order.
    pub body_handles: &'a Ordered<crate::world::BodyHandle, ()>,
    /// Body state, targets taken as motions.
    pub bodies: &'a crate::bodies::Bodies,
    /// Length of the frame \[s\].
    pub dt: f32,
}

impl Contacts {
    /// Finds the contacts of the frame that begins.
    ///
    /// # Errors
    /// A contact constraint that fails its self-check.
    pub fn detect(&mut self, scene: &Scene<'_>, crew: &Crew<'_>) -> Result<(), ConstraintError> {
        self.shapes.detect(scene, crew)?;
        self.particles.detect(scene, crew)
    }

    /// Writes what was found into a report.
    pub fn count(&self, report: &mut StepReport) {
        report.shape_contacts = self.shapes.len();
        report.particle_contacts = self.particles.len();
        report.dropped_contacts = self.particles.dropped();
    }

    /// Forgets the contacts of the frame, which an edit has made meaningless; events stay.
    pub fn clear_frame(&mut self) {
        self.shapes.clear();
        self.particles.clear();
    }

    /// Makes the events of a frame that ends.
    pub(crate) fn finish(
        &mut self,
        objects: &Ordered<ObjectHandle, ObjectState>,
        colliders: &Ordered<ColliderHandle, Collider>,
        particles: &Particles,
    ) {
        let owner = |particle: u32| {
            let past = |key: &ObjectHandle| objects.get(*key).is_some_and(|o| o.range.end <= particle as usize);
            objects.keys().get(objects.keys().partition_point(past)).copied()
        };
        let place = |particle: u32| particles.anchor[particle as usize].xyz();
        let shapes = self.shapes.pushed().filter_map(|(particle, collider, normal, impulse)| {
            let other = Other::Collider(*colliders.keys().get(collider as usize)?);
            Some(Touch { object: owner(particle)?, other, point: place(particle), normal, impulse })
        });
        let pairs = self.particles.pushed().filter_map(|([a, b], impulse)| {
            let normal = (place(a) - place(b)).normalize_or_zero();
            let (object, other) = (owner(a)?, owner(b)?);
            Some(Touch { object, other: Other::Object(other), point: 0.5 * (place(a) + place(b)), normal, impulse })
        });
        self.events = merge(shapes.chain(pairs), &self.events);
    }
}
