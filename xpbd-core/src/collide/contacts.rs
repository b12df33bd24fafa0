//! The contacts of a world: those of the running frame, and the events of the last one.

use glam::Vec4Swizzles;

use super::body_contacts::BodyContacts;
use super::collider::Collider;
use super::contact_set::{ContactKind, ContactSet, ContactSubstep};
use super::detection::DetectionContext;
use super::events::{
    Collision, Contact, ContactImpulse, ContactPartner, ContactPhase, Hit, ImpulseSource, MergedContact, merge,
};
use super::particle_body_contacts::ParticleBodyContacts;
use super::particle_contacts::ParticleContacts;
use super::shape_contacts::ShapeContacts;
use super::surface_contacts::SurfaceContacts;
use crate::bodies::Bodies;
use crate::constraint::ConstraintError;
use crate::handle::{ColliderHandle, ObjectHandle, OrderedMap};
use crate::object::{ObjectState, owner_of};
use crate::parallel::WorkerScope;
use crate::particles::Particles;

/// The contacts of a frame, and the events of the last one.
#[derive(Debug, Default)]
pub struct Contacts {
    /// Contacts of particles with colliders.
    pub shapes: ShapeContacts,
    /// Particles against bodies that can be pushed.
    pub particle_bodies: ParticleBodyContacts,
    /// Contacts of particles with particles.
    pub particles: ParticleContacts,
    /// Contacts of surfaces with surfaces, particles and shapes.
    pub surfaces: SurfaceContacts,
    /// Bodies against bodies, and against what does not move.
    pub bodies: BodyContacts,
    /// Contact events of the last frame.
    pub events: Vec<Contact>,
    /// Pairs of colliders of bodies that touched in the last frame.
    pub collisions: Vec<Collision>,
}

impl Contacts {
    /// Returns the contacts of a kind.
    pub fn set(&self, kind: ContactKind) -> &dyn ContactSet {
        match kind {
            ContactKind::Particles => &self.particles,
            ContactKind::Surfaces => &self.surfaces.particles,
            ContactKind::SurfaceBodies => &self.surfaces.bodies,
            ContactKind::ParticleBodies => &self.particle_bodies,
            ContactKind::Bodies => &self.bodies.pairs,
            ContactKind::Ground => &self.bodies.ground,
            ContactKind::SurfaceShapes => &self.surfaces.shapes,
            ContactKind::Shapes => &self.shapes,
        }
    }

    /// Returns the contacts of a kind, to be changed.
    pub fn set_mut(&mut self, kind: ContactKind) -> &mut dyn ContactSet {
        match kind {
            ContactKind::Particles => &mut self.particles,
            ContactKind::Surfaces => &mut self.surfaces.particles,
            ContactKind::SurfaceBodies => &mut self.surfaces.bodies,
            ContactKind::ParticleBodies => &mut self.particle_bodies,
            ContactKind::Bodies => &mut self.bodies.pairs,
            ContactKind::Ground => &mut self.bodies.ground,
            ContactKind::SurfaceShapes => &mut self.surfaces.shapes,
            ContactKind::Shapes => &mut self.shapes,
        }
    }

    /// Removes the contacts of particles of the frame, which an edit has made meaningless, and keeps its events.
    pub fn clear_particle_contacts(&mut self) {
        let kinds = ContactKind::SOLVE_ORDER.into_iter();
        let of_bodies = |kind: &ContactKind| matches!(kind, ContactKind::Bodies | ContactKind::Ground);
        kinds.filter(|kind| !of_bodies(kind)).for_each(|kind| self.set_mut(kind).clear());
    }

    /// Detects all contacts of the frame that begins.
    ///
    /// # Errors
    /// A contact constraint fails its self-check.
    pub fn detect(&mut self, context: &DetectionContext<'_>, workers: &WorkerScope<'_>) -> Result<(), ConstraintError> {
        self.shapes.detect(context, workers)?;
        self.particle_bodies.fill(self.shapes.take_dynamic())?;
        self.particles.detect(context, workers)?;
        self.surfaces.detect(context, workers)?;
        self.bodies.detect(context, workers)
    }

    /// Looks again for the contacts with shapes of particles that have left the way on which they were looked for, before
    /// contacts of this substep are solved.
    pub(crate) fn detect_strayed(&mut self, context: &DetectionContext<'_>, substep: &ContactSubstep<'_>) {
        if self.shapes.detect_strayed(context, substep.index, substep.workers) {
            self.shapes.update_predicted(substep);
        }
    }

    /// Detects the contacts in which both sides move: of bodies, and of particles with bodies that can be pushed. For a
    /// back end that finds the others elsewhere. Particles and their accelerations have to be those of the frame.
    ///
    /// # Errors
    /// A contact constraint fails its self-check.
    pub fn detect_mutual(&mut self, context: &DetectionContext<'_>) -> Result<(), ConstraintError> {
        self.shapes.detect_dynamic(context, &WorkerScope::SINGLE);
        self.particle_bodies.fill(self.shapes.take_dynamic())?;
        self.bodies.detect(context, &WorkerScope::SINGLE)
    }

    /// Returns the impulses on particles of all contacts of the frame.
    pub(crate) fn particle_impulses(&self) -> impl Iterator<Item = ContactImpulse> {
        ContactKind::SOLVE_ORDER.into_iter().flat_map(|kind| self.set(kind).particle_impulses())
    }

    /// Returns the events of these impulses, given the events of the previous frame. A contact of an object that sleeps with
    /// what sleeps too or `rests` is kept.
    pub(crate) fn merge_events(
        &self,
        pushed: impl Iterator<Item = ContactImpulse>,
        objects: &OrderedMap<ObjectHandle, ObjectState>,
        colliders: &OrderedMap<ColliderHandle, Collider>,
        particles: &Particles,
        rests: &dyn Fn(ColliderHandle) -> bool,
    ) -> Vec<Contact> {
        let owner = |particle: u32| objects.keys().get(owner_of(objects, particle)).copied();
        let place = |particle: u32| particles.anchor[particle as usize].xyz();
        let hits = pushed.filter_map(|ContactImpulse { particle: a, source: by, impulse }| match by {
            ImpulseSource::Collider { collider_index: collider, normal } => {
                let other = ContactPartner::Collider(*colliders.keys().get(collider as usize)?);
                Some(((owner(a)?, other), Hit { point: place(a), normal, impulse }))
            }
            ImpulseSource::Particle(b) | ImpulseSource::Surface { particle: b, .. } => {
                let normal = match by {
                    ImpulseSource::Surface { normal, .. } => normal,
                    _ => (place(a) - place(b)).normalize_or_zero(),
                };
                let key = (owner(a)?, ContactPartner::Object(owner(b)?));
                Some((key, Hit { point: 0.5 * (place(a) + place(b)), normal, impulse }))
            }
        });
        let before = self.events.iter().filter(|old| old.phase != ContactPhase::End);
        let merged = merge(hits, before.map(|old| (old.object, old.other)));
        let asleep = |object: ObjectHandle| objects.get(object).is_some_and(|object| object.sleep.asleep);
        let is_kept = |object: ObjectHandle, other: ContactPartner| {
            asleep(object)
                && match other {
                    ContactPartner::Collider(collider) => rests(collider),
                    ContactPartner::Object(other) => asleep(other),
                }
        };
        let last = |key| {
            let found = self.events.binary_search_by_key(&key, |old| (old.object, old.other));
            found.ok().map(|place| Contact { phase: ContactPhase::Stay, ..self.events[place] })
        };
        let contact = |merged: MergedContact<(ObjectHandle, ContactPartner)>| {
            let MergedContact { key: (object, other), phase, point, normal, impulse, net_impulse, count } = merged;
            let is_kept = phase == ContactPhase::End && is_kept(object, other);
            let kept = if is_kept { last((object, other)) } else { None };
            kept.unwrap_or(Contact { object, other, phase, point, normal, impulse, net_impulse, count })
        };
        merged.into_iter().map(contact).collect()
    }

    /// Replaces the collisions by those of the frame that ends. A collision of colliders of which `rests` says that
    /// both
    /// are at rest, one of them asleep, is kept.
    pub(crate) fn update_collisions(
        &mut self,
        bodies: &Bodies,
        colliders: &OrderedMap<ColliderHandle, Collider>,
        rests: &dyn Fn(ColliderHandle) -> bool,
    ) {
        let before = self.collisions.iter().filter(|old| old.phase != ContactPhase::End);
        let merged = merge(self.bodies.hits(bodies, colliders.keys()), before.map(|old| old.colliders));
        let last = |key| Some(&self.collisions[self.collisions.binary_search_by_key(&key, |old| old.colliders).ok()?]);
        let collision = |merged: MergedContact<[ColliderHandle; 2]>| {
            let MergedContact { key, phase, point, normal, impulse, count, .. } = merged;
            let collision = Collision { colliders: key, phase, point, normal, impulse, count };
            let asleep = phase == ContactPhase::End && key.iter().all(|&key| rests(key));
            let kept = if asleep { last(key) } else { None }.map(|old| Collision { phase: ContactPhase::Stay, ..*old });
            kept.unwrap_or(collision)
        };
        self.collisions = merged.into_iter().map(collision).collect();
    }
}
