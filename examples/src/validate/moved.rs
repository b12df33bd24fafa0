//! Checks of bodies in a translated and in a moving frame.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::bodies::Body;
use xpbd_core::collide::Collider;
use xpbd_core::scalar::trig;
use xpbd_core::world::Settings;
use xpbd_rigid::joint::{BallJoint, Joint, JointFrame};

use super::lab::{Lab, built, passes};
use super::yard::{ball, block, cuboid};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::{FRAME, SceneError};

pub(super) const ROWS: &[Row] = rows![shifted, moving];

/// Returns where bodies are after a second, seen from a table \[m\]: a box that slides along it, one that stays, a
/// ball that bounces and rolls, a box that tumbles through the air and one that swings on a joint.
///
/// Gravity is aslant, so that the table can be level: all places are sixteenths of a metre, which are
/// exact far from the origin too.
fn table(device: &Device, place: Vec3, velocity: Vec3) -> Result<Vec<Vec3>, SceneError> {
    let gravity = Vec3::new(trig::sin(0.35), -trig::cos(0.35), 0.0) * 9.81;
    let mut lab = Lab::new(device, Settings { gravity, ..passes(20, 1) })?;
    let at = |x, y, z| Pose::from_translation(place + Vec3::new(x, y, z));
    let table = lab.world.add_body(Body::kinematic(at(0.0, 0.0, 0.0)))?;
    lab.world.add_collider(Collider::new(SharedShape::cuboid(4.0, 0.5, 2.0)).attached_to(table))?;
    let half = Vec3::new(0.25, 0.125, 0.125);
    let mut bodies = Vec::new();
    for (z, friction) in [(-1.0, 0.1), (0.0, 0.9)] {
        bodies.push(block(&mut lab, cuboid(at(-1.0, 0.625, z), half, 1.0), half, friction)?);
    }
    bodies.push(ball(&mut lab, at(-1.0, 1.0, 1.0).translation, 0.125, 0.4)?);
    let tumbling = cuboid(at(0.0, 8.0, 0.0), half, 1.0).angular_velocity(Vec3::new(1.0, 2.0, 3.0));
    bodies.push(block(&mut lab, tumbling, half, 0.5)?);
    let swinging = lab.world.add_body(cuboid(at(4.75, 0.5, 0.0), half, 1.0).angular_velocity(Vec3::X))?;
    let joint = BallJoint::between(
        JointFrame::new(Vec3::new(4.0, 0.5, 0.0), Vec3::X),
        JointFrame::new(Vec3::X * -0.75, Vec3::X),
    );
    built(joint.add(&mut lab.world, table, swinging))?;
    bodies.push(swinging);
    for &body in &bodies {
        lab.world.edit_body(body, |body| body.velocity = velocity)?;
    }
    for frame in 1..=60_u8 {
        if velocity != Vec3::ZERO {
            let way = velocity * (f32::from(frame) * FRAME);
            lab.world.move_body(table, Pose::from_translation(place + way))?;
        }
        lab.step()?;
    }
    let middle = lab.world.body_pose(table)?.translation;
    bodies.into_iter().map(|body| Ok(lab.world.body_pose(body)?.translation - middle)).collect()
}

/// Returns the farthest that the same body is apart in two worlds.
fn largest_distance(one: &[Vec3], other: &[Vec3]) -> f64 {
    one.iter().zip(other).map(|(a, b)| f64::from(a.distance(*b))).fold(0.0, f64::max)
}

/// Compares a world at 1000 m from the origin with one at the origin.
pub fn shifted(device: &Device) -> Outcome {
    let here = table(device, Vec3::ZERO, Vec3::ZERO)?;
    let there = table(device, Vec3::new(1000.0, -1000.0, 1000.0), Vec3::ZERO)?;
    Check::at_most("bodies, shift by 1000 m: difference / size [1]", 1e-3, largest_distance(&here, &there))
}

/// Compares a world that moves at 50 m/s with one at rest.
pub fn moving(device: &Device) -> Outcome {
    let rest = table(device, Vec3::ZERO, Vec3::ZERO)?;
    let moving = table(device, Vec3::ZERO, Vec3::X * 50.0)?;
    Check::at_most("bodies, motion at 50 m/s: difference / size [1]", 1e-3, largest_distance(&rest, &moving))
}
