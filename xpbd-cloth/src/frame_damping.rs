//! Damping of cloth relative to a moving frame: a cape on a character that runs and turns.
//!
//! Drag in still air slows every motion. Frame damping damps velocities towards those that the cloth
//! would have as a rigid part of a frame, so that it comes to rest on a moving character as it would on a
//! standing one. See [`FrameDrag`] for the law.

use glam::Vec3;
use xpbd_core::batch::Batch;
use xpbd_core::constraint::Parameters;
use xpbd_core::number::NumberError;
use xpbd_core::world::{BatchHandle, ObjectHandle, World, WorldError};

use crate::constraint::{FrameDrag, FrameDragParameters};

/// The motion of a frame of reference, and the part of it that cloth follows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReferenceFrame {
    /// Centre of the frame \[m\].
    pub centre: Vec3,
    /// Velocity of the centre \[m/s\].
    pub velocity: Vec3,
    /// Angular velocity \[rad/s\].
    pub angular_velocity: Vec3,
    /// Part of the velocity that cloth follows \[1\]: from 0, with the full inertia of the linear motion, to 1, with none.
    pub linear_factor: f32,
    /// Part of the angular velocity that cloth follows \[1\].
    pub angular_factor: f32,
}

/// A frame at rest that cloth follows entirely.
impl Default for ReferenceFrame {
    fn default() -> Self {
        Self {
            centre: Vec3::ZERO,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            linear_factor: 1.0,
            angular_factor: 1.0,
        }
    }
}

/// The damping of an object relative to a frame. Removing its batch ends it.
#[derive(Debug, Clone, Copy)]
pub struct FrameDamping {
    batch: BatchHandle,
}

impl FrameDamping {
    /// Damps all particles of an object with a rate \[1/s\], positive, at first relative to a frame at rest.
    ///
    /// # Errors
    /// The handle is stale, or the rate is not positive and finite.
    pub fn new(world: &mut World, object: ObjectHandle, rate: f32) -> Result<Self, WorldError> {
        let range = world.state().objects.get(object).ok_or(WorldError::StaleHandle("object"))?.range.clone();
        NumberError::check_positive("rate of damping", rate).map_err(WorldError::from)?;
        let particles: Vec<[u32; 1]> = (0..range.len() as u32).map(|particle| [particle]).collect();
        let compliance = world.state().particles.mass[range].iter().map(|mass| 1.0 / (rate * mass)).collect();
        let batch = Batch::new(FrameDrag, &particles, &vec![parameters(ReferenceFrame::default()); particles.len()])?
            .compliances(compliance)?;
        Ok(Self { batch: world.add_batch(&[object], &[], batch)? })
    }

    /// Sets the motion of the frame, until it is set again. A device receives it with the next frame, without a wait.
    ///
    /// # Errors
    /// The handle is stale, or a number is not finite.
    pub fn set_frame(&self, world: &mut World, frame: ReferenceFrame) -> Result<(), WorldError> {
        let parameters = parameters(frame);
        world.edit_parameters(self.batch, |drag| drag.for_each_parameters(|_, drag| parameters.write_to(drag)))
    }

    /// Returns its batch.
    pub fn batch(&self) -> BatchHandle {
        self.batch
    }
}

/// Returns the parameters of the constraints for a frame.
fn parameters(frame: ReferenceFrame) -> FrameDragParameters {
    FrameDragParameters {
        velocity: (frame.velocity * frame.linear_factor).into(),
        angular_velocity: (frame.angular_velocity * frame.angular_factor).into(),
        centre: frame.centre.into(),
    }
}
