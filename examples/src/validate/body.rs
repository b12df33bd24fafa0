//! Checks of free bodies, and of the momentum of collisions.

use glam::{Quat, Vec3, Vec3Swizzles};
use parry3d::math::Pose;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::world::BodyHandle;

use super::lab::{G, Lab, passes, weightless};
use super::yard::{ball, block, cuboid};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::random::Random;
use crate::scene::{FRAME, SceneError};

pub(super) const ROWS: &[Row] =
    rows![free_fall, free_fall_far_away, angular_momentum, tumbling_energy, precession, linear_momentum];

/// Substeps of a frame.
const SUBSTEPS: u32 = 20;

/// Returns a world with one body in it.
fn lone(device: &Device, gravity: bool, body: Body) -> Result<(Lab, BodyHandle), SceneError> {
    let settings = if gravity { passes(SUBSTEPS, 1) } else { weightless(SUBSTEPS, 1) };
    let mut lab = Lab::new(device, settings)?;
    let body = lab.world.add_body(body)?;
    Ok((lab, body))
}

/// Compares with y_k = y₀ + v₀ k h − g h² k (k + 1)/2.
pub fn free_fall(device: &Device) -> Outcome {
    let (frames, up) = (60, 1.0_f32);
    let body = Body::dynamic(Pose::IDENTITY, Mass::ball(2.0, 0.1)).velocity(Vec3::Y * up).angular_velocity(Vec3::ONE);
    let (mut lab, body) = lone(device, true, body)?;
    lab.steps(frames)?;
    let (k, h) = (f64::from(SUBSTEPS * frames), f64::from(FRAME / SUBSTEPS as f32));
    let expected = f64::from(up) * k * h - G * h * h * k * (k + 1.0) / 2.0;
    Check::relative("body: free fall, discrete [m]", expected, lab.place(body)?.y, 1e-5)
}

/// Compares with ½ g t² at 1000 m from the origin, after 1 s.
pub fn free_fall_far_away(device: &Device) -> Outcome {
    let start = Vec3::splat(1000.0);
    let body = Body::dynamic(Pose::from_translation(start), Mass::ball(2.0, 0.1));
    let (mut lab, body) = lone(device, true, body)?;
    lab.steps(60)?;
    let fallen = f64::from(start.y) - lab.place(body)?.y;
    Check::relative("body: free fall at 1000 m [m]", 0.5 * G, fallen, 0.005)
}

/// Returns a body of three different moments that turns about its middle axis, and so tumbles.
fn tumbling(device: &Device) -> Result<Lab, SceneError> {
    let pose = Pose::from_rotation(Quat::from_rotation_x(0.7));
    let body = Body::dynamic(pose, Mass::new(1.0, Vec3::new(0.01, 0.02, 0.03)));
    Ok(lone(device, false, body.angular_velocity(Vec3::new(0.02, 6.0, 4.0)))?.0)
}

/// Measures the largest relative deviation of I ω from its start in 10 s.
pub fn angular_momentum(device: &Device) -> Outcome {
    let mut lab = tumbling(device)?;
    let before = lab.world.momentum().angular;
    let mut worst = 0.0_f64;
    for _ in 0..600 {
        lab.step()?;
        worst = worst.max((lab.world.momentum().angular - before).length() / before.length());
    }
    Check::at_most("tumbling body: angular momentum, off in 10 s [1]", 5e-3, worst)
}

/// Measures the largest relative deviation of ½ ω·I ω from its start in 10 s.
pub fn tumbling_energy(device: &Device) -> Outcome {
    let mut lab = tumbling(device)?;
    let before = lab.world.energy().kinetic;
    let mut worst = 0.0_f64;
    for _ in 0..600 {
        lab.step()?;
        worst = worst.max((lab.world.energy().kinetic / before - 1.0).abs());
    }
    Check::at_most("tumbling body: energy, off in 10 s [1]", 5e-3, worst)
}

/// Compares the rate at which ω rotates about the axis of a symmetric top, seen from the top, with (I₃ − I₁)/I₁ ω₃.
pub fn precession(device: &Device) -> Outcome {
    let (inertia, spin) = (Vec3::new(0.02, 0.02, 0.03), Vec3::new(0.5, 0.0, 4.0));
    let (mut lab, top) =
        lone(device, false, Body::dynamic(Pose::IDENTITY, Mass::new(1.0, inertia)).angular_velocity(spin))?;
    let across = |lab: &Lab| -> Result<_, SceneError> {
        let body = lab.world.body(top)?;
        Ok((body.pose.rotation.inverse() * body.angular_velocity).as_dvec3().xy())
    };
    let (mut last, mut turned) = (across(&lab)?, 0.0);
    let seconds = 10;
    for _ in 0..60 * seconds {
        lab.step()?;
        let now = across(&lab)?;
        turned += libm::atan2(last.perp_dot(now), last.dot(now));
        last = now;
    }
    let expected = f64::from((inertia.z - inertia.x) / inertia.x * spin.z);
    Check::relative("symmetric top: precession [rad/s]", expected, turned / f64::from(seconds), 0.01)
}

/// Measures the change of Σ m v per second, relative to Σ m |v|, in a cloud of boxes and balls that collide.
pub fn linear_momentum(device: &Device) -> Outcome {
    let mut lab = Lab::new(device, weightless(SUBSTEPS, 1))?;
    let mut random = Random::new(3);
    let mut size = 0.0;
    for k in 0..12_u8 {
        let cell = Vec3::new(f32::from(k % 3), f32::from(k / 3 % 2), f32::from(k / 6)) - Vec3::new(1.0, 0.5, 0.5);
        let place = cell * 0.4 + random.vector() * 0.05;
        let half = Vec3::new(0.1, 0.08, 0.12);
        let body = match k % 3 {
            0 => ball(&mut lab, place, 0.1, 0.3)?,
            _ => block(&mut lab, cuboid(Pose::from_translation(place), half, 1.0), half, 0.5)?,
        };
        let velocity = random.vector() - place * 3.0;
        size += f64::from(velocity.length());
        lab.world.edit_body(body, |body| body.velocity = velocity)?;
    }
    let before = lab.world.momentum().linear;
    let mut hits = 0;
    for _ in 0..120 {
        lab.step()?;
        hits += lab.world.collisions().len();
    }
    let change = (lab.world.momentum().linear - before).length() / size / 2.0;
    let change = if hits > 20 { change } else { f64::NAN };
    Check::at_most("colliding bodies: change of momentum a second [1]", 1e-5, change)
}
