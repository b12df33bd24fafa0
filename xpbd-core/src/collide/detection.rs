//! The state of a world that contact detection reads.

use glam::{Vec3, Vec4Swizzles};

use super::collider::Collider;
use crate::bodies::Bodies;
use crate::handle::{BodyHandle, ColliderHandle, ObjectHandle, OrderedMap};
use crate::medium::ObjectMedia;
use crate::object::ObjectState;
use crate::particles::Particles;
use crate::settings::Settings;

/// The state of a world at the start of a frame, as collision detection reads it.
pub struct DetectionContext<'a> {
    /// Settings of the world.
    pub settings: &'a Settings,
    /// State of all particles.
    pub particles: &'a Particles,
    /// Objects in the order of their particles.
    pub objects: &'a OrderedMap<ObjectHandle, ObjectState>,
    /// The media that objects are made of.
    pub object_media: &'a ObjectMedia,
    /// All colliders, in order.
    pub colliders: &'a OrderedMap<ColliderHandle, Collider>,
    /// Handles of the bodies in order.
    pub body_handles: &'a OrderedMap<BodyHandle, ()>,
    /// Body state; targets are already motions.
    pub bodies: &'a Bodies,
    /// Pairs of bodies, by index, that do not touch each other, sorted.
    pub ignored_pairs: &'a [[u32; 2]],
    /// Length of the frame \[s\].
    pub dt: f32,
    /// Number of plans made so far. Surface features stay the same while it does.
    pub plan_generation: u64,
}

impl DetectionContext<'_> {
    /// Returns whether two bodies are set not to touch each other.
    pub fn ignores_pair(&self, a: u32, b: u32) -> bool {
        self.ignored_pairs.binary_search(&[a.min(b), a.max(b)]).is_ok()
    }

    /// Returns the displacement \[m\] of a particle in the frame if nothing stops it.
    pub(super) fn free_displacement(&self, particle: usize) -> Vec3 {
        let particles = self.particles;
        let velocity = particles.velocity[particle].xyz() + particles.acceleration[particle].xyz() * self.dt;
        velocity * self.dt
    }
}
