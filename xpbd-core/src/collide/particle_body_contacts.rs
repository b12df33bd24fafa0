//! Particles against bodies that can be pushed: both sides move.
//!
//! Planes are found with those of all other colliders ([`shape_contacts`](super::shape_contacts)) and
//! stay on their body. Those that touch in a substep are solved as one Jacobi pass with shares, so
//! that any number of particles may lie on a body.

use glam::{Vec3, Vec4Swizzles};

use super::body_contact::{ParticleBodyContact, ParticleBodyContactParameters};
use super::contact_set::{ContactSet, ContactSubstep};
use super::events::{ContactImpulse, ImpulseSource};
use super::particle_shape::ContactPlane;
use super::rebound::Rebound;
use crate::connector::{Connector, Connectors};
use crate::constraint::{ConstraintError, ConstraintType};
use crate::friction::Friction;
use crate::object::support::Places;
use crate::parallel::WorkerScope;
use crate::schedule::{ParameterAppender, PassSlot, TracedPass};

/// The contacts of particles with bodies that can be pushed in a frame.
#[derive(Debug, Default)]
pub struct ParticleBodyContacts {
    /// Contacts that touch in the current substep, as constraints.
    pub pass: Option<TracedPass>,
    candidates: Vec<ParticleBodyCandidate>,
    /// Normal impulse of each candidate in this frame \[N s\].
    impulses: Vec<f32>,
    /// Normal of each candidate in the world when it touched last \[1\].
    normals: Vec<Vec3>,
    /// Indices of the candidates that touch in this substep.
    active: Vec<u32>,
}

/// A plane on a body that a particle may touch.
#[derive(Debug, Clone, Copy)]
pub struct ParticleBodyCandidate {
    /// World index of the particle.
    pub particle: u32,
    /// Index of the collider in the order of colliders.
    pub collider_index: u32,
    /// World index of the body.
    pub body: u32,
    /// Point and normal in the principal frame of the body.
    pub plane: ContactPlane,
    /// Friction of both surfaces together.
    pub friction: Friction,
    /// Restitution of both surfaces together \[1\].
    pub restitution: f32,
    /// Part of what lies behind the plane that the shape [fills](crate::medium::coverage) for a medium \[1\].
    pub coverage: f32,
}

impl ParticleBodyContacts {
    /// Returns all candidates of the frame in the order in which they are solved.
    pub fn candidates(&self) -> &[ParticleBodyCandidate] {
        &self.candidates
    }

    /// Stores the result of a device for a contact: its normal impulse in this frame \[N s\], and its normal
    /// in the world when it touched last \[1\].
    pub fn store_device_result(&mut self, number: usize, impulse: f32, normal: Vec3) {
        self.impulses[number] = impulse;
        self.normals[number] = normal;
    }

    /// Replaces the candidates by those of the frame that begins.
    pub(super) fn fill(&mut self, found: impl Iterator<Item = ParticleBodyCandidate>) -> Result<(), ConstraintError> {
        self.clear();
        self.candidates.extend(found);
        self.impulses.resize(self.candidates.len(), 0.0);
        self.normals.resize(self.candidates.len(), Vec3::ZERO);
        let points = [Connector::Particle { node: 0 }, Connector::BodyPoint { node: 1 }];
        if let (None, Ok(connectors)) = (&self.pass, Connectors::new(&points)) {
            self.pass = Some(TracedPass::empty(ConstraintType::of(ParticleBodyContact)?, connectors));
        }
        Ok(())
    }

    /// Returns the particle and the body of each contact that pushed in this frame.
    pub fn pushed_bodies(&self) -> impl Iterator<Item = (u32, u32)> {
        let pushed = self.candidates.iter().zip(&self.impulses).filter(|(_, impulse)| **impulse > 0.0);
        pushed.map(|(found, _)| (found.particle, found.body))
    }

    /// Adds an impulse \[N s\] along a normal to one contact, by its number; returns its body.
    pub(crate) fn add_impulse(&mut self, number: usize, impulse: f32, normal: Vec3) -> Option<usize> {
        self.impulses[number] += impulse;
        self.normals[number] = normal;
        self.candidates.get(number).map(|found| found.body as usize)
    }
}

impl ContactSet for ParticleBodyContacts {
    fn len(&self) -> usize {
        self.candidates.len()
    }

    fn clear(&mut self) {
        if let Some(pass) = &mut self.pass {
            pass.clear();
        }
        self.candidates.clear();
        self.impulses.clear();
        self.normals.clear();
        self.active.clear();
    }

    fn pass(&self) -> Option<&TracedPass> {
        self.pass.as_ref()
    }

    fn pass_mut(&mut self) -> Option<&mut TracedPass> {
        self.pass.as_mut()
    }

    /// Lists the contacts that touch at the predicted positions, and lays them out.
    fn update(&mut self, substep: &ContactSubstep<'_>) {
        let &ContactSubstep { settings, particles, bodies, supports, h, .. } = substep;
        let Self { pass: Some(pass), candidates: found, active, normals, .. } = self else { return };
        pass.clear();
        active.clear();
        let mut parameters = ParameterAppender::new(pass);
        let rebound = Rebound::new(settings, h);
        for (number, found) in found.iter().enumerate() {
            let (i, k) = (found.particle as usize, found.body as usize);
            let normal = bodies.rotation[k] * found.plane.normal;
            let apart = (particles.anchor[i] - bodies.anchor[k]).xyz();
            let turned_now = bodies.rotation[k] * found.plane.point;
            let now = apart + (particles.offset[i] - bodies.offset[k]).xyz() - turned_now;
            if normal.dot(now) >= settings.particle_radius {
                continue;
            }
            let turned = bodies.start_rotation[k] * found.plane.point;
            let before = apart + (particles.start[i] - bodies.start[k]).xyz() - turned;
            let overlap = settings.particle_radius - normal.dot(before);
            let slack = (overlap - settings.max_depenetration_speed * h).max(0.0);
            active.push(number as u32);
            normals[number] = normal;
            let point = pass.columns[..3].iter_mut().zip(found.plane.point.to_array());
            point.for_each(|(column, number)| column.push(number));
            let [stiffness, damping] = supports.stiffness(found.particle);
            let contact = ParticleBodyContactParameters {
                normal: normal.into(),
                distance: settings.particle_radius,
                friction: found.friction.into(),
                slack,
                rebound: if found.restitution > 0.0 {
                    let velocity = bodies.velocity[k].xyz() + bodies.angular_velocity[k].xyz().cross(turned_now);
                    let parting = normal.dot(particles.velocity[i].xyz() - velocity);
                    let added = normal.dot((particles.acceleration[i] - bodies.acceleration[k]).xyz()) * h;
                    rebound.way(found.restitution, parting, added)
                } else {
                    0.0
                },
                free: supports.free_part(found.particle, normal, Places::now(particles)),
                stiffness,
                damping,
            };
            parameters.append(pass, contact);
            pass.nodes[0].push(found.particle);
            pass.nodes[1].push(found.body);
            pass.slots.push(PassSlot { batch: u32::MAX, constraint: active.len() as u32 - 1 });
        }
        parameters.finish(pass);
        pass.remainder = 0..active.len();
        let shares = usize::from(pass.layout.mass_shares);
        pass.columns[shares..].iter_mut().for_each(|column| column.resize(active.len(), 1.0));
        pass.list_remainder_nodes(&|_, _| true);
        pass.pad();
    }

    fn accumulate(&mut self, per_multiplier: f32, _: &WorkerScope<'_>, touched: &mut dyn FnMut(u32)) {
        let Some(pass) = &self.pass else { return };
        for (&number, &lambda) in self.active.iter().zip(&pass.lambda[0]) {
            if lambda > 0.0 {
                self.impulses[number as usize] += lambda * per_multiplier;
                touched(self.candidates[number as usize].particle);
            }
        }
    }

    fn particle_impulses(&self) -> Box<dyn Iterator<Item = ContactImpulse> + '_> {
        let all = self.candidates.iter().zip(&self.impulses).zip(&self.normals);
        let pushed = all.filter(|((_, impulse), _)| **impulse > 0.0);
        Box::new(pushed.map(|((candidate, &impulse), &normal)| {
            let source = ImpulseSource::Collider { collider_index: candidate.collider_index, normal };
            ContactImpulse { particle: candidate.particle, source, impulse }
        }))
    }
}
