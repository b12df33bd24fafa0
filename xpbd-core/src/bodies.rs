//! Body state, structure of arrays: a pose that follows a target.
//!
//! A body is the second kind of node a constraint can connect to, and what a moving collider is
//! attached to. Positions are held like those of particles, as anchor and offset. Bodies are
//! kinematic: nothing moves them but their target.

use glam::{Quat, Vec3, Vec4, Vec4Swizzles};
use parry3d::math::Pose;
use serde::{Deserialize, Serialize};

use crate::scalar::trig;

/// The bodies of a world. All vectors have the same length.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Bodies {
    /// Position at the start of the frame \[m\]; `w` is the inverse mass \[1/kg\].
    pub anchor: Vec<Vec4>,
    /// Displacement since the anchor \[m\].
    pub offset: Vec<Vec4>,
    /// Offset at the start of the substep \[m\].
    pub start: Vec<Vec4>,
    /// Orientation.
    pub rotation: Vec<Quat>,
    /// Orientation at the start of the substep.
    pub start_rotation: Vec<Quat>,
    /// Inverse principal moments of inertia \[1/(kg m²)\].
    pub inverse_inertia: Vec<Vec4>,
    /// Motion during the frame: displacement \[m\] and rotation vector \[rad\].
    pub motion: Vec<Motion>,
    /// Where the body is to be at the end of the next frame.
    pub target: Vec<Option<Pose>>,
}

/// The displacement of a body over a frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Motion {
    /// Displacement \[m\].
    pub shift: Vec3,
    /// Rotation vector \[rad\], in the world.
    pub turn: Vec3,
    /// Orientation at the start of the frame.
    pub from: Quat,
}

impl Bodies {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.anchor.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.anchor.is_empty()
    }

    /// Adds a body at rest that only its target moves.
    pub fn push(&mut self, pose: Pose) {
        self.anchor.push(pose.translation.extend(0.0));
        self.offset.push(Vec4::ZERO);
        self.start.push(Vec4::ZERO);
        self.rotation.push(pose.rotation);
        self.start_rotation.push(pose.rotation);
        self.inverse_inertia.push(Vec4::ZERO);
        self.motion.push(Motion::default());
        self.target.push(None);
    }

    /// Removes the body with this index and closes the gap.
    pub fn remove(&mut self, body: usize) {
        self.anchor.remove(body);
        self.offset.remove(body);
        self.start.remove(body);
        self.rotation.remove(body);
        self.start_rotation.remove(body);
        self.inverse_inertia.remove(body);
        self.motion.remove(body);
        self.target.remove(body);
    }

    /// Pose now.
    pub fn pose(&self, body: usize) -> Pose {
        Pose::from_parts((self.anchor[body] + self.offset[body]).xyz(), self.rotation[body])
    }

    /// Puts a body at a pose, without a motion in between.
    pub fn place(&mut self, body: usize, pose: Pose) {
        self.anchor[body] = pose.translation.extend(self.anchor[body].w);
        self.offset[body] = Vec4::ZERO;
        self.start[body] = Vec4::ZERO;
        self.rotation[body] = pose.rotation;
        self.start_rotation[body] = pose.rotation;
        self.motion[body] = Motion::default();
        self.target[body] = None;
    }

    /// Takes the targets as the motions of the frame that begins.
    pub fn begin_frame(&mut self) {
        for body in 0..self.len() {
            let from = self.rotation[body];
            self.motion[body] = match self.target[body].take() {
                Some(target) => Motion {
                    shift: (target.translation - self.anchor[body].xyz()) - self.offset[body].xyz(),
                    turn: rotation_vector(target.rotation * from.conjugate()),
                    from,
                },
                None => Motion { from, ..Motion::default() },
            };
            self.start[body] = self.offset[body];
        }
    }

    /// Moves every body from the start to the end of a substep, `end` the part of the frame then
    /// passed in (0, 1] and `part` the length of the substep as a part of the frame.
    pub fn advance(&mut self, part: f32, end: f32) {
        for body in 0..self.len() {
            self.start[body] = self.offset[body];
            self.start_rotation[body] = self.rotation[body];
            let motion = self.motion[body];
            self.offset[body] += (motion.shift * part).extend(0.0);
            if motion.turn != Vec3::ZERO {
                self.rotation[body] = (from_rotation_vector(motion.turn * end) * motion.from).normalize();
            }
        }
    }

    /// Folds the offsets into the anchors, as for particles.
    pub fn end_frame(&mut self) {
        for body in 0..self.len() {
            let (anchor, offset) = (self.anchor[body], self.offset[body]);
            let folded = (anchor.xyz() + offset.xyz()).extend(anchor.w);
            self.offset[body] = (anchor - folded) + offset;
            self.anchor[body] = folded;
        }
    }

    /// Whether all vectors have one length and hold finite poses.
    pub fn is_valid(&self) -> bool {
        let n = self.len();
        let vectors = [&self.anchor, &self.offset, &self.start, &self.inverse_inertia];
        let finite = |v: &Vec<Vec4>| v.len() == n && v.iter().all(|x| x.is_finite());
        let turned = |q: &Vec<Quat>| q.len() == n && q.iter().all(|q| q.is_finite());
        vectors.into_iter().all(finite)
            && turned(&self.rotation)
            && turned(&self.start_rotation)
            && self.motion.len() == n
            && self.motion.iter().all(|m| m.shift.is_finite() && m.turn.is_finite() && m.from.is_finite())
            && self.target.len() == n
            && self.target.iter().flatten().all(|pose| pose.is_finite())
    }
}

/// The rotation vector \[rad\] of a unit quaternion, by the shorter way round.
pub fn rotation_vector(q: Quat) -> Vec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let axis = q.xyz();
    let sine = axis.length();
    if sine < 1e-9 { axis * 2.0 } else { axis * (2.0 * trig::atan2(sine, q.w) / sine) }
}

/// The unit quaternion of a rotation vector \[rad\]: the exponential map.
pub fn from_rotation_vector(v: Vec3) -> Quat {
    let angle = v.length();
    let half = 0.5 * angle;
    let scale = if angle < 1e-6 { 0.5 } else { trig::sin(half) / angle };
    Quat::from_xyzw(v.x * scale, v.y * scale, v.z * scale, trig::cos(half))
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
}
