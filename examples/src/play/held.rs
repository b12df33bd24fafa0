//! The part of a scene that a player holds, and the force that pulls it.

use glam::{Mat3, Vec3};
use xpbd_core::bodies::{Body, BodyKind};
use xpbd_core::query::{QueryHit, QueryTarget};
use xpbd_core::world::{BodyHandle, ObjectHandle, World, WorldError};

use super::record::Input;
use crate::scene::FRAME;

/// The fastest that particles are pulled \[m/s\].
const MAX_SPEED: f32 = 4.0;

/// Angular frequency of the spring that pulls a body \[1/s\], and its greatest acceleration \[m/s²\].
const SPRING: (f32, f32) = (12.0, 120.0);

/// A thing that is held.
pub(super) struct Held {
    /// The place to which the point by which it is held is pulled \[m\].
    target: Vec3,
    grip: Grip,
}

enum Grip {
    /// Particles that are pinned while they are held.
    Particles { object: ObjectHandle, particles: Vec<HeldParticle> },
    /// A point of a body, in its frame \[m\].
    Body { body: BodyHandle, local: Vec3 },
}

struct HeldParticle {
    particle: usize,
    /// Its position from the point by which the thing is held \[m\].
    offset: Vec3,
    was_pinned: bool,
    generation: u32,
}

/// Returns whether a player can hold something: dynamic bodies, and particles of whatever is no liquid.
pub(super) fn can_be_held(world: &World, target: &QueryTarget) -> bool {
    let is_liquid = |object| {
        let mut batches = world.batches_of(object).into_iter();
        batches.any(|batch| world.batch(batch).is_ok_and(|batch| batch.material().is_some()))
    };
    match *target {
        QueryTarget::Collider { body, .. } => {
            body.is_some_and(|body| world.body(body).is_ok_and(|body| body.kind == BodyKind::Dynamic))
        }
        QueryTarget::Triangle { .. } => true,
        QueryTarget::Particle { object, .. } => !is_liquid(object),
    }
}

impl Held {
    /// Holds what was hit, if it can be held.
    pub fn new(world: &mut World, hit: &QueryHit) -> Option<Self> {
        let grip = match hit.target {
            QueryTarget::Collider { body, .. } => {
                let (body, pose) = (body?, world.body_pose(body?).ok()?);
                Grip::Body { body, local: pose.inverse_transform_point(hit.point) }
            }
            QueryTarget::Triangle { object, particles, .. } => Grip::particles(world, object, &particles, hit.point)?,
            QueryTarget::Particle { object, particle } => Grip::particles(world, object, &[particle], hit.point)?,
        };
        Some(Self { target: hit.point, grip })
    }

    /// Moves the target.
    pub fn aim(&mut self, steps: [i32; 3]) {
        self.target += Input::way(steps);
    }

    /// Pulls it for a frame; false if it is gone.
    pub fn pull(&mut self, world: &mut World) -> bool {
        match &self.grip {
            Grip::Particles { object, particles } => {
                particles.iter().all(|particle| particle.pull(world, *object, self.target).is_ok())
            }
            Grip::Body { body, local } => pull_body(world, *body, *local, self.target).is_ok(),
        }
    }

    /// Leaves it as it was before.
    pub fn release(self, world: &mut World) {
        let Grip::Particles { object, particles } = self.grip else { return };
        for HeldParticle { particle, was_pinned, generation, .. } in particles {
            if world.generation(object, particle) == Ok(generation) {
                // It may have become absent, and is then left alone.
                world.set_pinned(object, particle, was_pinned).ok();
            }
        }
    }

    /// Returns the point by which it is held, and the target \[m\].
    pub fn points(&self, world: &World) -> Option<[Vec3; 2]> {
        let point = match &self.grip {
            Grip::Particles { object, particles } => {
                let first = particles.first()?;
                world.position(*object, first.particle).ok()? - first.offset
            }
            Grip::Body { body, local } => world.body_pose(*body).ok()?.transform_point(*local),
        };
        Some([point, self.target])
    }
}

impl Grip {
    fn particles(world: &mut World, object: ObjectHandle, particles: &[u32], point: Vec3) -> Option<Self> {
        let first = world.state().objects.get(object)?.range.start;
        let mut held = Vec::with_capacity(particles.len());
        for &particle in particles {
            let particle = particle as usize;
            let was_pinned = *world.state().particles.pinned.get(first + particle)?;
            let offset = world.position(object, particle).ok()? - point;
            let generation = world.generation(object, particle).ok()?;
            held.push(HeldParticle { particle, offset, was_pinned, generation });
        }
        for particle in &held {
            world.set_pinned(object, particle.particle, true).ok()?;
        }
        Some(Self::Particles { object, particles: held })
    }
}

impl HeldParticle {
    fn pull(&self, world: &mut World, object: ObjectHandle, target: Vec3) -> Result<(), WorldError> {
        if world.generation(object, self.particle)? != self.generation {
            return Err(WorldError::StaleHandle("particle"));
        }
        let place = world.position(object, self.particle)?;
        let way = (target + self.offset - place).clamp_length_max(MAX_SPEED * FRAME);
        world.move_pinned(object, self.particle, place + way)
    }
}

/// Pulls a point of a body to a target by a critically damped spring that bears the body's weight.
fn pull_body(world: &mut World, handle: BodyHandle, local: Vec3, target: Vec3) -> Result<(), WorldError> {
    let body = world.body(handle)?;
    let (frequency, max_acceleration) = SPRING;
    let point = body.pose.transform_point(local);
    let arm = point - body.pose.transform_point(body.mass.center_of_mass);
    let velocity = body.velocity + body.angular_velocity.cross(arm);
    let wanted = ((target - point) * frequency - 2.0 * velocity) * frequency;
    let gravity = world.settings().gravity * body.gravity_scale;
    let force = (effective_mass(&body, arm) * (wanted - gravity)).clamp_length_max(max_acceleration * body.mass.mass);
    // Without it, what is held beside its middle would swing for long.
    let torque = in_world(&body, body.mass.principal_inertia) * body.angular_velocity * -frequency;
    if force.is_finite() && torque.is_finite() {
        world.add_body_torque(handle, torque)?;
        world.add_body_force_at(handle, force, point)?;
    }
    Ok(())
}

/// Returns the force at an arm \[m\] that accelerates this point of a body by 1 m/s² \[kg\]: the inverse of
/// 1/m − \[r\] I⁻¹ \[r\] with the cross-product matrix \[r\] of the arm.
fn effective_mass(body: &Body, r: Vec3) -> Mat3 {
    let cross = Mat3::from_cols(Vec3::new(0.0, r.z, -r.y), Vec3::new(-r.z, 0.0, r.x), Vec3::new(r.y, -r.x, 0.0));
    let inverse_inertia = in_world(body, body.mass.principal_inertia.recip());
    (Mat3::from_diagonal(Vec3::splat(1.0 / body.mass.mass)) - cross * inverse_inertia * cross).inverse()
}

/// Returns what is diagonal along the principal axes of a body, along the axes of the world.
fn in_world(body: &Body, diagonal: Vec3) -> Mat3 {
    let axes = Mat3::from_quat(body.pose.rotation * body.mass.principal_axes);
    axes * Mat3::from_diagonal(diagonal) * axes.transpose()
}
