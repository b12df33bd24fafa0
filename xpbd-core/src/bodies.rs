//! Body state, structure of arrays.
//!
//! A body is the second kind of node a constraint can connect to, and what a moving collider is
//! attached to. Inside, a body is at its centre of mass and turned along its principal axes; the
//! frame that its user gave it is a pose away ([`Bodies::pose`]). Positions are held like those of
//! particles, as anchor and offset, and corrections of rotation are summed up apart from the
//! orientation, so that no velocity is a difference of large numbers.

pub mod body;
pub mod mass;
pub mod motion;

pub use body::{Body, BodyKind, LockedAxes};
pub use mass::{Mass, MassError};

use glam::{Quat, Vec3, Vec4, Vec4Swizzles};
use parry3d::math::Pose;
use serde::{Deserialize, Serialize};

use crate::scalar::rotation::normalized;
use crate::scalar::{Single, rotation, trig};
use crate::sleep::SleepState;

/// The bodies of a world. All vectors have the same length; unused fourth components are 0.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Bodies {
    /// Position of the centre of mass \[m\], rounded; `w` is the inverse mass \[1/kg\], 0 where it
    /// cannot be pushed.
    pub anchor: Vec<Vec4>,
    /// Difference of the position and the anchor \[m\].
    pub offset: Vec<Vec4>,
    /// Position at the start of the substep \[m\], from the anchor as it is now.
    pub start: Vec<Vec4>,
    /// Velocity \[m/s\]; during a substep, the velocity without constraints.
    pub velocity: Vec<Vec4>,
    /// Acceleration \[m/s²\] by gravity and forces, constant over a frame; `w` is the damping \[1/s\].
    pub acceleration: Vec<Vec4>,
    /// Orientation of the principal axes.
    pub rotation: Vec<Quat>,
    /// Orientation at the start of the substep.
    pub start_rotation: Vec<Quat>,
    /// Angular velocity \[rad/s\]; during a substep, that without constraints.
    pub angular_velocity: Vec<Vec4>,
    /// Rotation by the constraints of this substep, as a rotation vector \[rad\].
    pub rotation_correction: Vec<Vec4>,
    /// Torque \[N m\], constant over a frame; `w` is the damping of the angular velocity \[1/s\].
    pub torque: Vec<Vec4>,
    /// Inverse principal moments of inertia \[1/(kg m²)\]; `w` holds six bits, for the axes of the
    /// world along (1, 2, 4) and about (8, 16, 32) which it does not move.
    pub inverse_inertia: Vec<Vec4>,
    /// Motion of a body that is not dynamic during the frame.
    pub motion: Vec<KinematicMotion>,
    /// Pose at the end of the next frame, if one is set.
    pub target: Vec<Option<Pose>>,
    /// Sleep of each body.
    pub sleep: Vec<SleepState>,
    /// Data that no substep changes.
    pub records: Vec<BodyRecord>,
}

/// The bodies at the start of a frame, as far as the frame changes them.
#[derive(Debug, Default)]
pub struct BodyFrameStart {
    anchor: Vec<Vec4>,
    offset: Vec<Vec4>,
    start: Vec<Vec4>,
    velocity: Vec<Vec4>,
    angular_velocity: Vec<Vec4>,
    acceleration: Vec<Vec4>,
    torque: Vec<Vec4>,
    rotation: Vec<Quat>,
    start_rotation: Vec<Quat>,
    motion: Vec<KinematicMotion>,
    target: Vec<Option<Pose>>,
}

/// The displacement of a body over a frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct KinematicMotion {
    /// Displacement \[m\].
    pub translation: Vec3,
    /// Rotation vector \[rad\], in the world.
    pub rotation: Vec3,
    /// Orientation at the start of the frame.
    pub start_rotation: Quat,
}

impl KinematicMotion {
    /// Returns whether the body is moved.
    pub fn moves(&self) -> bool {
        self.translation != Vec3::ZERO || self.rotation != Vec3::ZERO
    }
}

/// The data of a body that no substep changes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BodyRecord {
    /// The body as it was described; its state is that of the arrays.
    pub body: Body,
    /// Force \[N\] at the centre of mass in the next frame.
    pub force: Vec3,
    /// Torque \[N m\] in the next frame.
    pub torque: Vec3,
    /// True if it became non-finite and is left where it was.
    pub frozen: bool,
}

impl Bodies {
    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.anchor.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.anchor.is_empty()
    }

    /// Adds a body, which has been validated.
    pub fn push(&mut self, body: Body) {
        self.vectors().into_iter().for_each(|vector| vector.push(Vec4::ZERO));
        self.rotation.push(Quat::IDENTITY);
        self.start_rotation.push(Quat::IDENTITY);
        self.motion.push(KinematicMotion::default());
        self.target.push(None);
        let (force, torque) = (Vec3::ZERO, Vec3::ZERO);
        self.sleep.push(SleepState::default());
        self.records.push(BodyRecord { body, force, torque, frozen: false });
        self.set_body(self.len() - 1, body);
    }

    /// Makes a body what this says, awake and where it says.
    pub fn set_body(&mut self, k: usize, body: Body) {
        self.records[k] = BodyRecord { body, frozen: false, ..self.records[k] };
        self.sleep[k] = SleepState { still_time: 0.0, asleep: false, ..self.sleep[k] };
        self.set_pose(k, body.pose);
        let moves = body.kind != BodyKind::Fixed;
        self.velocity[k] = if moves { body.velocity.extend(0.0) } else { Vec4::ZERO };
        self.angular_velocity[k] = if moves { body.angular_velocity.extend(0.0) } else { Vec4::ZERO };
        self.update_inverse_mass(k);
    }

    /// Returns whether forces and constraints move a body.
    pub fn is_movable(&self, k: usize) -> bool {
        let BodyRecord { body, frozen, .. } = &self.records[k];
        body.kind == BodyKind::Dynamic && !frozen && !self.sleep[k].asleep
    }

    /// Sets the inverse masses that a body has as it is now: none while it cannot be pushed.
    pub fn update_inverse_mass(&mut self, k: usize) {
        let BodyRecord { body, .. } = &self.records[k];
        let movable = self.is_movable(k);
        self.anchor[k].w = if movable { 1.0 / body.mass.mass } else { 0.0 };
        let inverse = if movable { 1.0 / body.mass.principal_inertia } else { Vec3::ZERO };
        self.inverse_inertia[k] = inverse.extend(body.locked_axes.bits());
    }

    /// Moves a body in a substep by a sum of m Δx \[kg m\] and turns it by a sum of r × m Δx \[kg m²\], as far as its
    /// axes are free.
    pub(crate) fn apply_correction(&mut self, k: usize, shift: Vec3, turn: Vec3) {
        let (along, about) = free_axes(self.inverse_inertia[k].w);
        let rotation = self.rotation[k];
        let turn = rotation * ((rotation.inverse() * turn) * self.inverse_inertia[k].truncate()) * about;
        self.offset[k] += (shift * self.anchor[k].w * along).extend(0.0);
        self.rotation_correction[k] += turn.extend(0.0);
        self.rotation[k] = rotated_by(rotation, turn);
    }

    /// Removes the body with this index and closes the gap.
    pub fn remove(&mut self, k: usize) {
        for vector in self.vectors() {
            vector.remove(k);
        }
        self.rotation.remove(k);
        self.start_rotation.remove(k);
        self.motion.remove(k);
        self.target.remove(k);
        self.sleep.remove(k);
        self.records.remove(k);
    }

    fn vectors(&mut self) -> [&mut Vec<Vec4>; 9] {
        let Self {
            anchor,
            offset,
            start,
            velocity,
            acceleration,
            angular_velocity: spin,
            rotation_correction: turn,
            torque,
            inverse_inertia,
            ..
        } = self;
        [anchor, offset, start, velocity, acceleration, spin, turn, torque, inverse_inertia]
    }

    /// Returns the pose of the centre of mass and the principal axes.
    pub fn central_pose(&self, k: usize) -> Pose {
        Pose::from_parts((self.anchor[k] + self.offset[k]).xyz(), self.rotation[k])
    }

    /// Returns the pose of the frame in which the body was described.
    pub fn pose(&self, k: usize) -> Pose {
        self.frame_from_central(k, self.central_pose(k))
    }

    /// Returns the pose of the frame in which a body was described, from that of its principal axes.
    pub fn frame_from_central(&self, k: usize, central: Pose) -> Pose {
        let frame = self.records[k].body.mass.principal_frame();
        if frame == Pose::IDENTITY { central } else { central * frame.inverse() }
    }

    /// Returns the pose on the centre of mass and the principal axes of what is at `local` on the body.
    pub fn to_central_frame(&self, k: usize, local: Pose) -> Pose {
        let frame = self.records[k].body.mass.principal_frame();
        if frame == Pose::IDENTITY { local } else { frame.inverse() * local }
    }

    /// Returns the body as it is now.
    pub fn body(&self, k: usize) -> Body {
        let (velocity, spin) = (self.velocity[k].xyz(), self.angular_velocity[k].xyz());
        Body { pose: self.pose(k), velocity, angular_velocity: spin, ..self.records[k].body }
    }

    /// Puts a body at a pose, without a motion in between.
    pub fn set_pose(&mut self, k: usize, pose: Pose) {
        let central = pose * self.records[k].body.mass.principal_frame();
        self.anchor[k] = central.translation.extend(self.anchor[k].w);
        self.offset[k] = Vec4::ZERO;
        self.start[k] = Vec4::ZERO;
        self.rotation[k] = normalized(central.rotation);
        self.start_rotation[k] = self.rotation[k];
        self.rotation_correction[k] = Vec4::ZERO;
        self.motion[k] = KinematicMotion::default();
        self.target[k] = None;
    }

    /// Returns the velocity \[m/s\] of the point of a body that is at `point` \[m\] in the world.
    pub fn velocity_at_point(&self, k: usize, point: Vec3) -> Vec3 {
        let arm = (point - self.anchor[k].xyz()) - self.offset[k].xyz();
        self.velocity[k].xyz() + self.angular_velocity[k].xyz().cross(arm)
    }

    /// Takes targets as the motions of the frame that begins, and forces as accelerations.
    pub fn begin_frame(&mut self, gravity: Vec3, dt: f32) {
        (0..self.len()).for_each(|k| self.begin_body_frame(k, gravity, dt));
    }

    /// Takes the target of a body as its motion in the frame that begins, and the force on it as its acceleration.
    pub fn begin_body_frame(&mut self, k: usize, gravity: Vec3, dt: f32) {
        let from = self.rotation[k];
        self.motion[k] = KinematicMotion { start_rotation: from, ..KinematicMotion::default() };
        let target = self.target[k].take();
        if self.is_movable(k) {
            let BodyRecord { body, force, torque, .. } = self.records[k];
            self.acceleration[k] = (gravity * body.gravity_scale + force / body.mass.mass).extend(body.linear_damping);
            self.torque[k] = torque.extend(body.angular_damping);
            return;
        }
        self.start[k] = self.offset[k];
        self.acceleration[k] = Vec4::ZERO;
        self.torque[k] = Vec4::ZERO;
        if let Some(target) = target {
            let target = target * self.records[k].body.mass.principal_frame();
            let shift = (target.translation - self.anchor[k].xyz()) - self.offset[k].xyz();
            self.motion[k] = KinematicMotion {
                translation: shift,
                rotation: rotation_vector(target.rotation * from.conjugate()),
                start_rotation: from,
            };
        }
        self.velocity[k] = (self.motion[k].translation / dt).extend(0.0);
        self.angular_velocity[k] = (self.motion[k].rotation / dt).extend(0.0);
    }

    /// Records what a frame that begins will change.
    pub fn record_frame_start(&self, start: &mut BodyFrameStart) {
        start.anchor.clone_from(&self.anchor);
        start.offset.clone_from(&self.offset);
        start.start.clone_from(&self.start);
        start.velocity.clone_from(&self.velocity);
        start.angular_velocity.clone_from(&self.angular_velocity);
        start.acceleration.clone_from(&self.acceleration);
        start.torque.clone_from(&self.torque);
        start.rotation.clone_from(&self.rotation);
        start.start_rotation.clone_from(&self.start_rotation);
        start.motion.clone_from(&self.motion);
        start.target.clone_from(&self.target);
    }

    /// Takes back what the start of a frame has changed. How the bodies that move are is what the back
    /// end says: it may have brought them up to date with a device.
    pub fn undo_frame(&mut self, before: &BodyFrameStart) {
        for k in 0..self.len() {
            if self.is_movable(k) {
                continue;
            }
            self.anchor[k] = before.anchor[k];
            self.offset[k] = before.offset[k];
            self.start[k] = before.start[k];
            self.velocity[k] = before.velocity[k];
            self.angular_velocity[k] = before.angular_velocity[k];
            self.rotation[k] = before.rotation[k];
            self.start_rotation[k] = before.start_rotation[k];
        }
        self.acceleration.clone_from(&before.acceleration);
        self.torque.clone_from(&before.torque);
        self.motion.clone_from(&before.motion);
        self.target.clone_from(&before.target);
    }

    /// Returns how far the centre of a body is from where it was \[m\].
    pub fn displacement_since(&self, before: &BodyFrameStart, k: usize) -> f32 {
        ((self.anchor[k] - before.anchor[k]) + (self.offset[k] - before.offset[k])).truncate().length()
    }

    /// Moves every body that is not dynamic from the start to the end of a substep, `end` the part
    /// of the frame then passed in (0, 1] and `part` the length of the substep as a part of the frame.
    pub fn advance_kinematic(&mut self, part: f32, end: f32) {
        for k in (0..self.len()).filter(|&k| self.anchor[k].w == 0.0) {
            self.start[k] = self.offset[k];
            self.start_rotation[k] = self.rotation[k];
            let motion = self.motion[k];
            self.offset[k] += (motion.translation * part).extend(0.0);
            if motion.rotation != Vec3::ZERO {
                self.rotation[k] = normalized(from_rotation_vector(motion.rotation * end) * motion.start_rotation);
            }
        }
    }

    /// Folds the offsets into the anchors, as for particles, and forgets forces and targets.
    pub fn end_frame(&mut self) {
        for k in 0..self.len() {
            let (anchor, offset) = (self.anchor[k], self.offset[k]);
            let folded = (anchor.xyz() + offset.xyz()).extend(anchor.w);
            self.offset[k] = (anchor - folded) + offset;
            self.start[k] = (anchor - folded) + self.start[k];
            self.anchor[k] = folded;
            self.records[k].force = Vec3::ZERO;
            self.records[k].torque = Vec3::ZERO;
            if self.records[k].body.kind != BodyKind::Dynamic {
                self.velocity[k] = Vec4::ZERO;
                self.angular_velocity[k] = Vec4::ZERO;
            }
        }
    }

    /// Leaves a body where it was in `before` for good, if it is not finite or its rotation none;
    /// says whether it was not.
    pub fn freeze_if_invalid(&mut self, k: usize, before: &BodyFrameStart) -> bool {
        let finite = (self.anchor[k] + self.offset[k]).is_finite()
            && (self.rotation[k].length_squared() - 1.0).abs() < 0.01
            && self.velocity[k].is_finite()
            && self.angular_velocity[k].is_finite();
        if finite {
            return false;
        }
        self.records[k].frozen = true;
        let center = (before.anchor[k] + before.offset[k]).xyz();
        self.set_pose(k, self.frame_from_central(k, Pose::from_parts(center, before.rotation[k])));
        self.velocity[k] = Vec4::ZERO;
        self.angular_velocity[k] = Vec4::ZERO;
        self.update_inverse_mass(k);
        true
    }

    /// Returns whether all vectors have one length and hold finite poses.
    pub fn is_valid(&self) -> bool {
        let n = self.len();
        let mut copy = self.clone();
        let finite = |v: &mut Vec<Vec4>| v.len() == n && v.iter().all(|x| x.is_finite());
        let turned = |q: &Vec<Quat>| q.len() == n && q.iter().all(|q| q.is_normalized());
        copy.vectors().into_iter().all(finite)
            && turned(&self.rotation)
            && turned(&self.start_rotation)
            && self.motion.len() == n
            && self
                .motion
                .iter()
                .all(|m| m.translation.is_finite() && m.rotation.is_finite() && m.start_rotation.is_finite())
            && self.target.len() == n
            && self.target.iter().flatten().all(|pose| pose.is_finite() && pose.rotation.is_normalized())
            && self.sleep.len() == n
            && self.sleep.iter().all(SleepState::is_valid)
            && self.records.len() == n
            && self
                .records
                .iter()
                .all(|about| about.body.mass.validate().is_ok() && about.force.is_finite() && about.torque.is_finite())
    }
}

/// Returns the rotation vector \[rad\] of a unit quaternion, by the shorter way round.
pub fn rotation_vector(q: Quat) -> Vec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let axis = q.xyz();
    let sine = axis.length();
    if sine < 1e-9 { axis * 2.0 } else { axis * (2.0 * trig::atan2(sine, q.w) / sine) }
}

/// Returns the unit quaternion of a rotation vector \[rad\]: the exponential map.
pub fn from_rotation_vector(v: Vec3) -> Quat {
    let angle = v.length();
    let half = 0.5 * angle;
    let scale = if angle < 1e-6 { 0.5 } else { trig::sin(half) / angle };
    Quat::from_xyzw(v.x * scale, v.y * scale, v.z * scale, trig::cos(half))
}

/// 0 for the axes of the world along and about which a body does not move, 1 for the others.
pub(crate) fn free_axes(mask: f32) -> (Vec3, Vec3) {
    if mask == 0.0 {
        return (Vec3::ONE, Vec3::ONE);
    }
    let bits = mask as u32;
    let free = |bit: u32| if bits >> bit & 1 == 1 { 0.0 } else { 1.0 };
    (Vec3::new(free(0), free(1), free(2)), Vec3::new(free(3), free(4), free(5)))
}

/// Returns a rotation turned further by a small vector \[rad\], as constraints turn bodies.
pub(crate) fn rotated_by(rotation: Quat, by: Vec3) -> Quat {
    let by = crate::scalar::Vec3::new(Single(by.x), Single(by.y), Single(by.z));
    Quat::from_array(rotation::rotated_by(rotation.to_array().map(Single), by).map(|component| component.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_map_and_its_inverse() {
        for v in [Vec3::new(0.3, -1.2, 0.7), Vec3::new(1e-8, 0.0, 2e-8), Vec3::ZERO, Vec3::new(0.0, 3.1, 0.0)] {
            let back = rotation_vector(from_rotation_vector(v));
            assert!((back - v).length() < 1e-5, "{v} {back}");
        }
    }

    #[test]
    fn a_body_is_found_where_it_was_put() {
        let mass = Mass {
            center_of_mass: Vec3::new(0.1, 0.2, 0.3),
            principal_axes: Quat::from_rotation_x(0.4),
            ..Mass::ball(1.0, 0.1)
        };
        let pose = Pose::from_parts(Vec3::new(3.0, 4.0, 5.0), Quat::from_rotation_y(1.0));
        let mut bodies = Bodies::default();
        bodies.push(Body::dynamic(pose, mass));
        let found = bodies.pose(0);
        assert!((found.translation - pose.translation).length() < 1e-6);
        assert!(found.rotation.angle_between(pose.rotation) < 1e-3);
        let center = bodies.central_pose(0).translation;
        assert!((center - pose.transform_point(mass.center_of_mass)).length() < 1e-6);
    }
}
