//! Joints from `KHR_physics_rigid_bodies`.

use std::f32::consts::PI;

use bevy::math::Affine3A;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use serde_json::Value;
use xpbd_rigid::joint::{
    AxisMotion, BallJoint, DistanceJoint, FixedJoint, HingeJoint, JointFrame, JointLimits, JointMotor, SixAxisJoint,
    SliderJoint,
};

use super::fields::Fields;
use crate::body::RigidBody;
use crate::joint::{Joint, JointKind};

/// A distance \[m\] that no joint reaches.
const UNREACHED: f32 = 1e6;

/// Adds the joint of a node to another one.
pub(super) fn add_joint(
    mut fields: Fields<'_>,
    node: Entity,
    (nodes, joints): (&HashMap<usize, Entity>, &[Value]),
    world: &mut World,
) {
    let connected = fields.take::<usize>("connectedNode").and_then(|connected| nodes.get(&connected).copied());
    let contacts_enabled = fields.take("enableCollision").unwrap_or(false);
    let axes = fields.element("joint", ("physicsJoints", joints)).map(Axes::read);
    let Some(connected) = connected else {
        fields.warn("connectedNode", "names no node of the scene; there is no joint");
        return;
    };
    let Some(axes) = axes else {
        fields.warn("joint", "describes no joint; there is none");
        return;
    };
    let sides = [node, connected].map(|node| attachment(world, node));
    let [a, b] = sides.map(|(body, _)| world.get::<RigidBody>(body).copied());
    if sides[0].0 == sides[1].0 || ![a, b].contains(&Some(RigidBody::Dynamic)) {
        fields.warn("connectedNode", "is on the same body, or neither side has `motion`; there is no joint");
        return;
    }
    for (body, _) in sides {
        // What has no motion is held where its node is.
        world.entity_mut(body).insert_if_new(RigidBody::Fixed);
    }
    let frames = |axis: usize| sides.map(|(_, frame)| joint_frame(frame, axis));
    let mut kind = axes.joint(frames, &mut fields);
    kind.settings().contacts_enabled = contacts_enabled;
    fields.finish();
    world.entity_mut(node).insert(Joint::between(sides[0].0, sides[1].0, kind));
}

/// Returns the body that a node is on, or else the node itself, and its frame there.
fn attachment(world: &World, node: Entity) -> (Entity, Affine3A) {
    let (mut at, mut frame) = (node, Affine3A::IDENTITY);
    loop {
        if world.entity(at).contains::<RigidBody>() {
            return (at, frame);
        }
        let Some(parent) = world.get::<ChildOf>(at) else { return (node, Affine3A::IDENTITY) };
        frame = world.get::<Transform>(at).map_or(frame, |local| local.compute_affine() * frame);
        at = parent.parent();
    }
}

/// Returns the frame of a joint about one of the axes of an attachment.
fn joint_frame(attachment: Affine3A, axis: usize) -> JointFrame {
    let (_, rotation, anchor) = attachment.to_scale_rotation_translation();
    let direction = |k: usize| rotation * Vec3::AXES[k % 3];
    JointFrame::new(anchor, direction(axis)).reference_axis(direction(axis + 1))
}

/// The motion that a joint leaves to its connected node, by the axes of its frame.
struct Axes {
    /// Translation along x, y and z, and rotation about them.
    motions: [AxisMotion; 6],
    /// The limits of the distance.
    distance: Option<JointLimits>,
    /// The axis of a cone, and its angle \[rad\].
    cone: Option<(usize, JointLimits)>,
}

impl Axes {
    /// Reads the limits and drives of a joint.
    fn read(mut joint: Fields<'_>) -> Self {
        let free = AxisMotion::Free { limits: None, motor: None };
        let mut axes = Self { motions: [free; 6], distance: None, cone: None };
        joint.for_each("limits", |limit| axes.limit(limit));
        joint.for_each("drives", |drive| axes.drive(drive));
        joint.finish();
        axes
    }

    fn limit(&mut self, mut fields: Fields<'_>) {
        let [linear, angular] = ["linearAxes", "angularAxes"].map(|name| fields.take::<Vec<usize>>(name));
        let (axes, is_angular) = match (linear, angular) {
            (Some(axes), None) => (axes, false),
            (None, Some(axes)) => (axes, true),
            _ => return fields.warn("linearAxes", "or `angularAxes` is needed, and not both"),
        };
        let [mut x, mut y, mut z] = [0, 1, 2].map(|axis| axes.contains(&axis));
        if axes.is_empty() || axes.iter().any(|&axis| axis > 2) {
            fields.warn("linearAxes", format!("or `angularAxes` is {axes:?}; axes are 0, 1 and 2"));
            (x, y, z) = (false, false, false);
        }
        let farthest = if is_angular { PI } else { UNREACHED };
        let (min, max) = (fields.take("min").unwrap_or(-farthest), fields.take("max").unwrap_or(farthest));
        let (stiffness, damping) = (fields.take::<f32>("stiffness"), fields.take("damping").unwrap_or(0.0));
        let limits = JointLimits::new(min, max);
        let limits = stiffness.map_or(limits, |stiffness| limits.soft(1.0 / stiffness, damping));
        let is_lock = min == 0.0 && max == 0.0;
        match ([x, y, z], is_angular) {
            // A limit without stiffness does not push.
            _ if stiffness == Some(0.0) => {}
            ([true, true, true], false) if !is_lock => self.distance = Some(limits),
            ([x, y, _], true) if !is_lock && axes.len() == 2 => {
                let axis = if !x {
                    0
                } else if !y {
                    1
                } else {
                    2
                };
                self.cone = Some((axis, JointLimits { min: 0.0, ..limits }));
            }
            (chosen, _) => {
                if !is_lock && axes.len() > 1 {
                    fields.warn("max", "limits each of several axes by itself, not all of them together");
                }
                for k in (0..3).filter(|&k| chosen[k]) {
                    self.motions[k + 3 * usize::from(is_angular)] = match limits {
                        _ if is_lock && limits.is_hard() => AxisMotion::Fixed,
                        limits => AxisMotion::Free { limits: Some(limits), motor: None },
                    };
                }
            }
        }
        fields.finish();
    }

    fn drive(&mut self, mut fields: Fields<'_>) {
        let kind: Option<String> = fields.take("type");
        let axis: Option<usize> = fields.take("axis");
        let mode: Option<String> = fields.take("mode");
        let [position, velocity, stiffness, damping] =
            ["positionTarget", "velocityTarget", "stiffness", "damping"].map(|name| fields.take::<f32>(name));
        let max_force = fields.take("maxForce").unwrap_or(f32::INFINITY);
        let row = match (kind.as_deref(), axis) {
            (Some("linear"), Some(axis @ 0..=2)) => axis,
            (Some("angular"), Some(axis @ 0..=2)) => axis + 3,
            _ => return fields.warn("type", "must be linear or angular, and `axis` 0, 1 or 2"),
        };
        let AxisMotion::Free { motor, .. } = &mut self.motions[row] else {
            return fields.warn("axis", "is locked by a limit; the drive has no effect");
        };
        let stiffness = stiffness.filter(|&stiffness| stiffness > 0.0);
        if mode.as_deref() == Some("acceleration") && (stiffness.is_some() || max_force.is_finite()) {
            fields.warn("mode", "is \"acceleration\"; the numbers are taken for those of a force");
        }
        match stiffness {
            Some(stiffness) => {
                let spring = JointMotor::position(position.unwrap_or(0.0)).spring(stiffness, damping.unwrap_or(0.0));
                *motor = Some(spring.max_force(max_force));
                if velocity.is_some_and(|velocity| velocity != 0.0) {
                    fields.warn("velocityTarget", "has no effect beside a `stiffness`");
                }
            }
            None if damping.is_some_and(|damping| damping > 0.0) => {
                *motor = Some(JointMotor::velocity(velocity.unwrap_or(0.0)).max_force(max_force));
                if max_force.is_infinite() {
                    fields.warn("damping", "without `stiffness` keeps the velocity by any force; `maxForce` bounds it");
                }
            }
            // Without stiffness and damping it has no force.
            None => {}
        }
        fields.finish();
    }

    /// Returns the joint that leaves this motion, at frames about the k-th axis.
    fn joint(mut self, frames: impl Fn(usize) -> [JointFrame; 2], fields: &mut Fields<'_>) -> JointKind {
        let is_locked = |motion: &AxisMotion| *motion == AxisMotion::Fixed;
        let is_free = |motion: &AxisMotion| *motion == AxisMotion::Free { limits: None, motor: None };
        if let Some(JointLimits { min, max, compliance, damping_coefficient }) = self.distance {
            if self.motions.iter().all(is_free) && self.cone.is_none() {
                let [a, b] = frames(0);
                let mut joint = DistanceJoint::new(a.anchor, b.anchor, min.max(0.0), max);
                (joint.settings.compliance, joint.settings.damping_coefficient) = (compliance, damping_coefficient);
                return joint.into();
            }
            fields.warn("joint", "limits a distance beside other limits; each axis is limited by itself");
            self.bound([0, 1, 2], max);
        }
        let [linear, angular] = [0, 3].map(|k| &self.motions[k..k + 3]);
        if let Some((axis, cone)) = self.cone {
            let twist = match angular[axis] {
                AxisMotion::Fixed => Some(Some(JointLimits::new(0.0, 0.0))),
                AxisMotion::Free { limits, motor: None } => Some(limits),
                AxisMotion::Free { .. } => None,
            };
            let others = [1, 2].map(|k| angular[(axis + k) % 3]);
            if let Some(twist_limit) = twist
                && linear.iter().all(is_locked)
                && others.iter().all(is_free)
            {
                let [a, b] = frames(axis);
                return BallJoint { swing_limit: Some(cone), twist_limit, ..BallJoint::between(a, b) }.into();
            }
            fields.warn("joint", "limits a cone beside free translations or drives; each axis is limited by itself");
            self.bound([3 + (axis + 1) % 3, 3 + (axis + 2) % 3], cone.max);
        }
        let [linear, angular] = [0, 3].map(|k| &self.motions[k..k + 3]);
        let moving: Vec<usize> = (0..6).filter(|&k| !is_locked(&self.motions[k])).collect();
        match (moving[..].first(), moving.len()) {
            (None, _) => {
                let [a, b] = frames(0);
                FixedJoint::between(a, b).into()
            }
            (Some(&k), 1) => {
                let ([a, b], AxisMotion::Free { limits, motor }) = (frames(k % 3), self.motions[k]) else {
                    return JointKind::fixed(Vec3::ZERO);
                };
                match k {
                    0..3 => SliderJoint { limits, motor, ..SliderJoint::between(a, b) }.into(),
                    _ => HingeJoint { limits, motor, ..HingeJoint::between(a, b) }.into(),
                }
            }
            _ if linear.iter().all(is_locked) && angular.iter().all(is_free) => {
                let [a, b] = frames(0);
                BallJoint::between(a, b).into()
            }
            _ => {
                let width = |k: &usize| match angular[*k] {
                    AxisMotion::Fixed => 0.0,
                    AxisMotion::Free { limits, .. } => limits.map_or(f32::MAX, |limits| limits.max - limits.min),
                };
                // Only the twist goes beyond half a turn.
                let twist = (0..3).rev().max_by(|a, b| width(a).total_cmp(&width(b))).unwrap_or(0);
                let [a, b] = frames(twist);
                let axes = [0, 1, 2, 3, 4, 5].map(|k| self.motions[(k + twist) % 3 + 3 * (k / 3)]);
                SixAxisJoint { axes, ..SixAxisJoint::between(a, b) }.into()
            }
        }
    }

    /// Limits each of these axes that is free by itself.
    fn bound<const N: usize>(&mut self, axes: [usize; N], max: f32) {
        for k in axes {
            if let AxisMotion::Free { limits: limits @ None, .. } = &mut self.motions[k] {
                *limits = Some(JointLimits::new(-max, max));
            }
        }
    }
}
