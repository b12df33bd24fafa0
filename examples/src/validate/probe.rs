//! The two ends of a joint, computed from the poses of its bodies alone.

use glam::{DVec3, Vec3};
use xpbd_core::world::{BodyHandle, World};
use xpbd_rigid::joint::JointHandle;

use crate::scene::SceneError;

/// The anchor \[m\] and the three axes of one end of a joint, in the world.
pub(super) type End = [DVec3; 4];

/// Finds the ends of a joint that was given by one frame in the world.
pub(super) struct Probe {
    bodies: [BodyHandle; 2],
    locals: [[Vec3; 4]; 2],
}

impl Probe {
    /// The frame, while the bodies are where the joint was made.
    pub fn new(
        world: &World,
        joint: &JointHandle,
        anchor: Vec3,
        [axis, across]: [Vec3; 2],
    ) -> Result<Self, SceneError> {
        let bodies = joint.bodies();
        let mut locals = [[Vec3::ZERO; 4]; 2];
        for (local, body) in locals.iter_mut().zip(bodies) {
            let pose = world.body_pose(body)?;
            let back = pose.rotation.inverse();
            *local = [anchor - pose.translation, axis, across, axis.cross(across)].map(|vector| back * vector);
        }
        Ok(Self { bodies, locals })
    }

    /// Returns where they are now, of the first body and of the second.
    pub fn ends(&self, world: &World) -> Result<[End; 2], SceneError> {
        let mut ends = [[DVec3::ZERO; 4]; 2];
        for ((end, local), body) in ends.iter_mut().zip(self.locals).zip(self.bodies) {
            let pose = world.body_pose(body)?;
            let turn = pose.rotation.as_dquat().normalize();
            *end = local.map(|vector| turn * vector.as_dvec3());
            end[0] += pose.translation.as_dvec3();
        }
        Ok(ends)
    }
}
