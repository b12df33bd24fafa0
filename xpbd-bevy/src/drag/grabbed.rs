//! What is held, and how it is pulled.

use bevy::math::{Mat3, Vec3};
use bevy::prelude::{Dir3, InfinitePlane3d, Ray3d};
use xpbd_core::bodies::{Body, BodyKind};
use xpbd_core::world::{BodyHandle, ObjectHandle};

use super::DragControl;
use crate::physics::{Physics, PhysicsHandle};
use crate::query::Hit;

/// A thing that is held.
#[derive(Debug, Clone)]
pub(super) struct Grabbed {
    hit: Hit,
    /// Normal of the plane in which it moves.
    normal: Dir3,
    /// Target of the point by which it is held \[m\].
    target: Vec3,
    grip: GrabPoint,
}

#[derive(Debug, Clone)]
enum GrabPoint {
    Particle {
        object: ObjectHandle,
        particle: usize,
        /// Its middle, from the point by which it is held \[m\].
        offset: Vec3,
        was_pinned: bool,
        /// Generation of the particle.
        life: u32,
    },
    Body {
        body: BodyHandle,
        /// The point by which it is held, in the frame of the body \[m\].
        local: Vec3,
    },
}

impl Grabbed {
    /// Holds what was hit, if it can be moved.
    pub fn new(physics: &mut Physics, hit: Hit, normal: Dir3) -> Option<Self> {
        let grip = match (hit.handle, hit.particle, hit.body) {
            (PhysicsHandle::Object(object), Some(particle), _) => {
                let particle = particle as usize;
                let i = physics.world().state().objects.get(object)?.range.start + particle;
                let was_pinned = *physics.world().state().particles.pinned.get(i)?;
                let world = physics.world_mut();
                let offset = world.position(object, particle).ok()? - hit.point;
                let life = world.generation(object, particle).ok()?;
                world.set_pinned(object, particle, true).ok()?;
                GrabPoint::Particle { object, particle, offset, was_pinned, life }
            }
            (_, _, Some(body)) => {
                let held = physics.world().body(body).ok()?;
                if held.kind != BodyKind::Dynamic {
                    return None;
                }
                GrabPoint::Body { body, local: held.pose.inverse_transform_point(hit.point) }
            }
            _ => return None,
        };
        Some(Self { hit, normal, target: hit.point, grip })
    }

    pub fn hit(&self) -> &Hit {
        &self.hit
    }

    /// Aims at where a ray meets the plane of motion.
    pub fn aim(&mut self, ray: Ray3d) {
        let plane = InfinitePlane3d { normal: self.normal };
        if let Some(distance) = ray.intersect_plane(self.hit.point, plane) {
            let target = ray.get_point(distance);
            if target.is_finite() {
                self.target = target;
            }
        }
    }

    /// Pulls it for a step of `dt` \[s\]; none if it is gone.
    pub fn pull(&mut self, physics: &mut Physics, drag: &DragControl, dt: f32) -> Option<()> {
        let world = physics.world_mut();
        match self.grip {
            GrabPoint::Particle { object, particle, offset, life, .. } => {
                if world.generation(object, particle).ok()? != life {
                    return None;
                }
                let place = world.position(object, particle).ok()?;
                let way = (self.target + offset - place).clamp_length_max(drag.max_speed.max(0.0) * dt);
                world.move_pinned(object, particle, place + way).ok()
            }
            GrabPoint::Body { body, local } => {
                let held = world.body(body).ok()?;
                let point = held.pose.transform_point(local);
                // Above this the force of a frame overshoots.
                let frequency = drag.frequency.clamp(0.0, 0.5 / dt);
                let way = (self.target - point) * frequency;
                let wanted = (way - 2.0 * velocity(&held, point)) * frequency;
                let gravity = world.settings().gravity * held.gravity_scale;
                let force = (effective_mass(&held, point) * (wanted - gravity))
                    .clamp_length_max(drag.max_acceleration.max(0.0) * held.mass.mass);
                // Without it, what is held beside its middle would swing for long.
                let torque = turned(&held, held.mass.principal_inertia) * held.angular_velocity * -frequency;
                if force.is_finite() && torque.is_finite() {
                    world.add_body_torque(body, torque).ok()?;
                    world.add_body_force_at(body, force, point).ok()?;
                }
                // A force that is not finite is left out; the body stays held.
                Some(())
            }
        }
    }

    /// Leaves it as it was before.
    pub fn release(self, physics: &mut Physics) {
        if let GrabPoint::Particle { object, particle, was_pinned, life, .. } = self.grip
            && physics.world().generation(object, particle) == Ok(life)
        {
            // It may be absent by now.
            physics.world_mut().set_pinned(object, particle, was_pinned).ok();
        }
    }
}

/// From the centre of mass of a body to a point \[m\].
fn arm(body: &Body, point: Vec3) -> Vec3 {
    point - body.pose.transform_point(body.mass.center_of_mass)
}

/// Returns the velocity of a body at a point \[m/s\].
fn velocity(body: &Body, point: Vec3) -> Vec3 {
    body.velocity + body.angular_velocity.cross(arm(body, point))
}

/// Returns the force at a point of a body that accelerates that point by 1 m/s² \[kg\]: the inverse of 1/m − \[r\] I⁻¹
/// \[r\] with the cross-product matrix \[r\] of its arm.
fn effective_mass(body: &Body, point: Vec3) -> Mat3 {
    let r = arm(body, point);
    let cross = Mat3::from_cols(Vec3::new(0.0, r.z, -r.y), Vec3::new(-r.z, 0.0, r.x), Vec3::new(r.y, -r.x, 0.0));
    let inverse_inertia = turned(body, body.mass.principal_inertia.recip());
    (Mat3::from_diagonal(Vec3::splat(1.0 / body.mass.mass)) - cross * inverse_inertia * cross).inverse()
}

/// Returns what is diagonal along the principal axes of a body, in the world.
fn turned(body: &Body, diagonal: Vec3) -> Mat3 {
    let axes = Mat3::from_quat(body.pose.rotation * body.mass.principal_axes);
    axes * Mat3::from_diagonal(diagonal) * axes.transpose()
}
