//! The contacts of a world: those of the running frame, and the events of the last one.

use glam::{Vec3, Vec4Swizzles};

use super::body_contacts::BodyContacts;
use super::collider::Collider;
use super::events::{Collision, Contact, ContactPartner, ContactPhase, Hit, MergedContact, merge};
use super::particle_body_contacts::ParticleBodyContacts;
use super::particle_contacts::ParticleContacts;
use super::shape_contacts::ShapeContacts;
use super::surface_contacts::SurfaceContacts;
use crate::bodies::Bodies;
use crate::constraint::ConstraintError;
use crate::handle::OrderedMap;
use crate::handle::{ColliderHandle, ObjectHandle};
use crate::medium::ObjectMedia;
use crate::object::ObjectState;
use crate::parallel::WorkerScope;
use crate::particles::Particles;
use crate::settings::Settings;
use crate::world::report::StepReport;

/// Contacts found for a frame, and the events made of them.
#[derive(Debug, Default)]
pub struct Contacts {
    /// Particles against colliders.
    pub shapes: ShapeContacts,
    /// Particles against bodies that can be pushed.
    pub particle_bodies: ParticleBodyContacts,
    /// Particles against particles.
    pub particles: ParticleContacts,
    /// Surfaces against surfaces.
    pub surfaces: SurfaceContacts,
    /// Bodies against bodies, and against what does not move.
    pub bodies: BodyContacts,
    /// Contact events of the last frame.
    pub events: Vec<Contact>,
    /// Which colliders of bodies touched in the last frame.
    pub collisions: Vec<Collision>,
}

/// A particle contact that pushed in a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactImpulse {
    /// World index of the particle.
    pub particle: u32,
    /// Source of the impulse.
    pub source: ImpulseSource,
    /// Sum of the normal impulses \[N s\].
    pub impulse: f32,
}

/// The source of an impulse on a particle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ImpulseSource {
    /// A collider.
    Collider {
        /// Place in the order of colliders.
        collider_index: u32,
        /// Direction in which it pushes.
        normal: Vec3,
    },
    /// The particle with this world index.
    Particle(u32),
    /// The surface that the particle with this world index is of.
    Surface {
        /// The particle.
        particle: u32,
        /// Direction in which it pushes.
        normal: Vec3,
    },
}

/// The parts of a world that collision detection reads.
pub struct DetectionContext<'a> {
    /// Settings of the simulation.
    pub settings: &'a Settings,
    /// Particle state.
    pub particles: &'a Particles,
    /// Objects in order.
    pub objects: &'a OrderedMap<ObjectHandle, ObjectState>,
    /// Which of them are of a medium.
    pub object_media: &'a ObjectMedia,
    /// Colliders in order.
    pub colliders: &'a OrderedMap<ColliderHandle, Collider>,
    /// Bodies' handles in order.
    pub body_handles: &'a OrderedMap<crate::handle::BodyHandle, ()>,
    /// Body state, targets taken as motions.
    pub bodies: &'a Bodies,
    /// Pairs of bodies that do not touch each other, sorted.
    pub ignored_pairs: &'a [[u32; 2]],
    /// Length of the frame \[s\].
    pub dt: f32,
    /// Counts the plans made: surfaces are those of a frame with the same number.
    pub plan_generation: u64,
}

impl DetectionContext<'_> {
    /// Returns whether two bodies do not touch each other.
    pub fn ignores_pair(&self, a: u32, b: u32) -> bool {
        self.ignored_pairs.binary_search(&[a.min(b), a.max(b)]).is_ok()
    }
}

impl Contacts {
    /// Finds the contacts of the frame that begins.
    ///
    /// # Errors
    /// A contact constraint that fails its self-check.
    pub fn detect(&mut self, scene: &DetectionContext<'_>, workers: &WorkerScope<'_>) -> Result<(), ConstraintError> {
        self.shapes.detect(scene, workers)?;
        self.particle_bodies.fill(self.shapes.take_dynamic())?;
        self.particles.detect(scene, workers)?;
        self.surfaces.detect(scene, workers)?;
        self.bodies.detect(scene, workers)
    }

    /// Finds those in which both sides move: of bodies, and of particles with bodies that can be pushed, for a
    /// back end that finds the others elsewhere. Particles and their accelerations have to be those of the frame.
    ///
    /// # Errors
    /// A contact constraint that fails its self-check.
    pub fn detect_mutual(&mut self, scene: &DetectionContext<'_>) -> Result<(), ConstraintError> {
        self.shapes.detect_dynamic(scene, &WorkerScope::SINGLE);
        self.particle_bodies.fill(self.shapes.take_dynamic())?;
        self.bodies.detect(scene, &WorkerScope::SINGLE)
    }

    /// Writes what was found into a report.
    pub fn write_counts(&self, report: &mut StepReport) {
        report.shape_contacts = self.shapes.len() + self.particle_bodies.len();
        report.particle_contacts = self.particles.len();
        report.body_contacts = self.bodies.len();
        report.surface_contacts = self.surfaces.len();
        report.dropped_contacts = self.particles.dropped() + self.surfaces.dropped();
    }

    /// Forgets the contacts of the frame, which an edit has made meaningless; events stay.
    pub fn clear_frame(&mut self) {
        self.shapes.clear();
        self.particle_bodies.clear();
        self.particles.clear();
        self.surfaces.clear();
        self.bodies.clear();
    }

    /// Makes the events of a frame that ends from the contacts found in it.
    pub(crate) fn update_events(
        &mut self,
        objects: &OrderedMap<ObjectHandle, ObjectState>,
        colliders: &OrderedMap<ColliderHandle, Collider>,
        particles: &Particles,
    ) {
        let shapes = self.shapes.applied_impulses().chain(self.particle_bodies.applied_impulses()).map(
            |(particle, collider, normal, impulse)| ContactImpulse {
                particle,
                source: ImpulseSource::Collider { collider_index: collider, normal },
                impulse,
            },
        );
        let pairs = self.particles.applied_impulses().map(|([particle, other], impulse)| ContactImpulse {
            particle,
            source: ImpulseSource::Particle(other),
            impulse,
        });
        let pushed = shapes.chain(pairs).chain(self.surface_impulses());
        self.events = self.merge_events(pushed, objects, colliders, particles);
        self.surfaces.record_crossed(particles);
    }

    /// Returns what surfaces have pushed.
    pub(crate) fn surface_impulses(&self) -> impl Iterator<Item = ContactImpulse> {
        self.surfaces.applied_impulses().map(|([particle, other], normal, impulse)| ContactImpulse {
            particle,
            source: ImpulseSource::Surface { particle: other, normal },
            impulse,
        })
    }

    /// Returns the events of what pushed in a frame, given those of the frame before.
    pub(crate) fn merge_events(
        &self,
        pushed: impl Iterator<Item = ContactImpulse>,
        objects: &OrderedMap<ObjectHandle, ObjectState>,
        colliders: &OrderedMap<ColliderHandle, Collider>,
        particles: &Particles,
    ) -> Vec<Contact> {
        let owner = |particle: u32| {
            let past = |key: &ObjectHandle| objects.get(*key).is_some_and(|o| o.range.end <= particle as usize);
            objects.keys().get(objects.keys().partition_point(past)).copied()
        };
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
        let contact = |merged: MergedContact<(ObjectHandle, ContactPartner)>| {
            let MergedContact { key: (object, other), phase, point, normal, impulse, count } = merged;
            Contact { object, other, phase, point, normal, impulse, count }
        };
        merged.into_iter().map(contact).collect()
    }

    /// Makes the collisions of a frame that ends. Those of colliders of which `rests` says that both
    /// lie still, one of them asleep, stay.
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
            let MergedContact { key, phase, point, normal, impulse, count } = merged;
            let collision = Collision { colliders: key, phase, point, normal, impulse, count };
            let asleep = phase == ContactPhase::End && key.iter().all(|&key| rests(key));
            let kept = if asleep { last(key) } else { None }.map(|old| Collision { phase: ContactPhase::Stay, ..*old });
            kept.unwrap_or(collision)
        };
        self.collisions = merged.into_iter().map(collision).collect();
    }
}
