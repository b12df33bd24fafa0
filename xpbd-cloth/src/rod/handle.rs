//! A rod in a world: its poses, its deformation, and cutting.

use std::ops::Range;
use std::sync::Arc;

use glam::Vec3;
use parry3d::math::Pose;
use xpbd_core::settings::ConstraintSolver;
use xpbd_core::world::{BatchHandle, BodyHandle, ObjectHandle, World, WorldError};

use super::{RodAttachment, RodEnd, RodError};
use crate::constraint::RodBendTwist;
use crate::polyline;

/// The elastic constants of a rod.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RodMaterial {
    /// Tension stiffness E A \[N\].
    pub tension: f32,
    /// Bending stiffness E I \[N m²\].
    pub bending: f32,
    /// Compliance of shear over that of stretch \[1\].
    pub shear: f32,
    /// Compliance of twist over that of bending \[1\].
    pub twist: f32,
    /// Damping time \[s\].
    pub damping_time: f32,
    /// Bending compliance of half the first and half the last segment \[rad²/J\].
    pub end_compliances: [f32; 2],
    /// Solver of its constraints.
    pub solver: ConstraintSolver,
}

/// A handle of a rod in a world.
#[derive(Debug, Clone, PartialEq)]
pub struct RodHandle {
    pub(super) object: ObjectHandle,
    pub(super) segments: Arc<[BodyHandle]>,
    pub(super) stretch: BatchHandle,
    pub(super) bend: Option<BatchHandle>,
    pub(super) material: RodMaterial,
    pub(super) clamps: [Option<RodAttachment>; 2],
}

impl RodHandle {
    /// Returns the object of its particles, which are in the order of its points.
    pub fn object(&self) -> ObjectHandle {
        self.object
    }

    /// Returns the bodies of its segments. They rotate with the segments but keep their initial positions;
    /// [`RodHandle::segment_pose`] returns the pose of a segment.
    pub fn segments(&self) -> &[BodyHandle] {
        &self.segments
    }

    /// Returns the batch of stretch and shear, one constraint per segment: forces \[N\] along d₁, d₂ and the segment.
    pub fn stretch_batch(&self) -> BatchHandle {
        self.stretch
    }

    /// Returns the batch of bending and twist, one constraint per two neighbours: moments \[N m\] about
    /// d₁, d₂ and along the rod. A rod of one segment has none.
    pub fn bend_batch(&self) -> Option<BatchHandle> {
        self.bend
    }

    /// Returns the pose \[m\] of a segment: its midpoint, and a rotation whose third axis points along it.
    ///
    /// # Errors
    /// The segment does not exist, or the rod has been removed.
    pub fn segment_pose(&self, world: &World, segment: usize) -> Result<Pose, RodError> {
        let body = self.segment(segment)?;
        let [a, b] = [world.position(self.object, segment)?, world.position(self.object, segment + 1)?];
        Ok(Pose::from_parts(a.midpoint(b), world.body_pose(body)?.rotation))
    }

    /// Returns the attachment of an end that was clamped by [`Rod::clamp`](super::Rod::clamp).
    pub fn clamp(&self, end: RodEnd) -> Option<&RodAttachment> {
        self.clamps[end as usize].as_ref()
    }

    fn segment(&self, index: usize) -> Result<BodyHandle, RodError> {
        let segments = self.segments.len();
        self.segments.get(index).copied().ok_or(RodError::Segment { index, segments })
    }

    /// Returns the angles \[rad\] of a joint, between a segment and the next, relative to its rest shape: bending about
    /// d₁ and d₂, and twist along the rod.
    ///
    /// # Errors
    /// The joint does not exist, or the rod has been removed.
    pub fn joint_rotation(&self, world: &World, joint: usize) -> Result<Vec3, RodError> {
        let pair = [self.segment(joint)?, self.segment(joint + 1)?];
        let [first, second] = [world.body_pose(pair[0])?.rotation, world.body_pose(pair[1])?.rotation];
        let bend = self.bend.ok_or(RodError::Segment { index: joint + 1, segments: self.segments.len() })?;
        let batch = world.batch(bend)?.traced().ok_or(WorldError::StaleHandle("batch"))?;
        let &[a0, b0, a1, b1] = batch.locals(joint) else { return Err(WorldError::StaleHandle("batch").into()) };
        Ok(RodBendTwist::joint_rotation([first, second], [a0, b0, a1, b1]))
    }

    /// Returns the twist \[rad\] of the last segment against the first, relative to the rest shape: the sum over
    /// all joints, which counts whole turns.
    ///
    /// # Errors
    /// The rod has been removed.
    pub fn twist(&self, world: &World) -> Result<f32, RodError> {
        (1..self.segments.len()).try_fold(0.0, |sum, next| Ok(sum + self.joint_rotation(world, next - 1)?.z))
    }

    /// Sets the velocities of all particles and segments to those of a rigid body, with a velocity \[m/s\] of the point
    /// \[m\] and an angular velocity \[rad/s\] about it. Pinned particles stay.
    ///
    /// # Errors
    /// The rod has been removed, or a vector is not finite.
    pub fn set_motion(&self, world: &mut World, point: Vec3, velocity: Vec3, spin: Vec3) -> Result<(), RodError> {
        let places: Vec<Vec3> = world.positions(self.object)?.collect();
        for (particle, &place) in places.iter().enumerate() {
            world.set_position(self.object, particle, place, velocity + spin.cross(place - point))?;
        }
        self.segments.iter().try_for_each(|&segment| world.edit_body(segment, |body| body.angular_velocity = spin))?;
        Ok(())
    }

    /// Sets the linear damping \[1/s\] of the particles, which is also the angular damping of the segments.
    ///
    /// # Errors
    /// The rod has been removed, or the damping is negative or not finite.
    pub fn set_linear_damping(&self, world: &mut World, damping: f32) -> Result<(), RodError> {
        world.set_linear_damping(self.object, damping)?;
        for &segment in self.segments.iter() {
            if world.body(segment)?.angular_damping != damping {
                world.edit_body(segment, |body| body.angular_damping = damping)?;
            }
        }
        Ok(())
    }

    /// Cuts a segment, which then no longer holds its two particles together. Mass and momentum are kept.
    ///
    /// # Errors
    /// The segment does not exist, or the rod has been removed.
    pub fn cut(&self, world: &mut World, segment: usize) -> Result<(), RodError> {
        self.segment(segment)?;
        world.edit_batch(self.stretch, |batch| batch.set_broken(segment, true))?;
        if let Some(bend) = self.bend {
            world.edit_batch(bend, |batch| {
                for joint in segment.saturating_sub(1)..=segment {
                    batch.set_broken(joint, true);
                }
            })?;
        }
        Ok(())
    }

    /// Returns the particles of each piece between cuts, in order; a rod without cuts is one range.
    ///
    /// # Errors
    /// The rod has been removed.
    pub fn pieces(&self, world: &World) -> Result<Vec<Range<usize>>, RodError> {
        Ok(polyline::unbroken_ranges(world.batch(self.stretch)?.traced(), self.segments.len() + 1))
    }

    /// Removes the rod: its particles, its bodies with those that it was clamped to, and all constraints that
    /// touch them.
    ///
    /// # Errors
    /// It has been removed before.
    pub fn remove(&self, world: &mut World) -> Result<(), RodError> {
        world.remove(self.object)?;
        let clamps = self.clamps.iter().flatten().filter_map(RodAttachment::fixed_body);
        // A clamp may have been let go before.
        let clamps: Vec<_> = clamps.filter(|&body| world.body(body).is_ok()).collect();
        let mut bodies = self.segments.iter().copied().chain(clamps);
        Ok(bodies.try_for_each(|body| world.remove_body(body))?)
    }
}
