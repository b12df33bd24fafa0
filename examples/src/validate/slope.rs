//! Checks of boxes and balls on slopes: friction of bodies.

use glam::{DVec3, Quat, Vec3};
use parry3d::math::Pose;
use xpbd_core::scalar::trig;

use super::lab::{G, passes};
use super::yard::{ball, block, cuboid, ground};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::SceneError;

pub(super) const ROWS: &[Row] =
    rows![slip_angle, slide_acceleration, creep, creep_near_the_limit, stopping_distance, rolling, rolling_grips];

/// Substeps of a frame.
const SUBSTEPS: u32 = 20;
/// Half extents of the box \[m\].
const HALF: Vec3 = Vec3::new(0.5, 0.25, 0.5);

/// Returns a vector in the frame of a slope that descends along +x.
fn turned(angle: f64) -> Quat {
    Quat::from_rotation_z(-angle as f32)
}

/// Returns how far a box slides down \[m\] that is laid on a slope.
fn slide(device: &Device, angle: f64, mu: f32, frames: u32) -> Result<f64, SceneError> {
    slide_after(device, SUBSTEPS, (angle, mu), [0, frames])
}

/// Returns how far a box slides down \[m\] in the second of two spans of frames after it is laid on a slope of this angle and
/// coefficient of friction.
fn slide_after(
    device: &Device,
    substeps: u32,
    (angle, mu): (f64, f32),
    [first, second]: [u32; 2],
) -> Result<f64, SceneError> {
    let turned = turned(angle);
    let mut lab = ground(device, passes(substeps, 1), turned, mu)?;
    let pose = Pose::from_parts(turned * (Vec3::Y * HALF.y), turned);
    let body = block(&mut lab, cuboid(pose, HALF, 1.0).can_sleep(false), HALF, mu)?;
    lab.steps(first)?;
    let start = lab.place(body)?;
    lab.steps(second)?;
    Ok((lab.place(body)? - start).length())
}

/// Compares the slope at which a box begins to slide, found by bisection, with tan θ = μ.
pub fn slip_angle(device: &Device) -> Outcome {
    let (mut sticks, mut slips) = (10.0_f64, 45.0_f64);
    while slips - sticks > 0.05 {
        let middle = 0.5 * (sticks + slips);
        let slid = slide(device, middle.to_radians(), 0.5, 120)?;
        *(if slid > 1e-3 { &mut slips } else { &mut sticks }) = middle;
    }
    Check::near("box: slope at which μ = 0.5 slips [degrees]", libm::atan(0.5).to_degrees(), slips, 1.5)
}

/// Compares with the way a h² k (k + 1)/2 of a constant acceleration a = g (sin θ − μ cos θ), in 2 s.
pub fn slide_acceleration(device: &Device) -> Outcome {
    let (angle, mu, frames) = (30.0_f64.to_radians(), 0.3_f32, 120);
    let (k, t) = (f64::from(SUBSTEPS * frames), f64::from(frames) / 60.0);
    let measured = slide(device, angle, mu, frames)? * 2.0 / (t * t * (1.0 + 1.0 / k));
    let expected = G * (libm::sin(angle) - f64::from(mu) * libm::cos(angle));
    Check::relative("box: acceleration at 30 degrees, μ = 0.3 [m/s²]", expected, measured, 0.03)
}

/// Measures the most creep in 30 s at 30 degrees and tan θ = 0.96 μ, once the box lies still, of 20, 40 and 80 substeps.
pub fn creep_near_the_limit(device: &Device) -> Outcome {
    let angle = 30.0_f64.to_radians();
    let slope = (angle, (libm::tan(angle) / 0.96) as f32);
    let mut most = 0.0_f64;
    for substeps in [20, 40, 80] {
        most = most.max(slide_after(device, substeps, slope, [300, 1800])?);
    }
    Check::at_most("box: creep in 30 s at 0.96 μ, 20 to 80 substeps [m]", 1e-6, most)
}

/// Measures the creep in 10 s at tan θ = 0.8 μ, where nothing should move and nothing sleeps.
pub fn creep(device: &Device) -> Outcome {
    let slid = slide(device, libm::atan(0.8 * 0.5), 0.5, 600)?;
    Check::at_most("box: creep in 10 s at 0.8 μ [m]", 1e-3, slid)
}

/// Compares with v₀²/(2 μ g), in the direction of v₀.
pub fn stopping_distance(device: &Device) -> Outcome {
    let (velocity, mu, half) = (Vec3::new(3.0, 0.0, 4.0), 0.3, Vec3::new(0.3, 0.1, 0.2));
    let mut lab = ground(device, passes(SUBSTEPS, 1), Quat::IDENTITY, mu)?;
    let start = Pose::translation(0.0, half.y, 0.0);
    let body = block(&mut lab, cuboid(start, half, 2.0).velocity(velocity), half, mu)?;
    lab.steps(240)?;
    let expected = velocity.as_dvec3() * f64::from(velocity.length() / (2.0 * mu)) / G;
    let off = (lab.place(body)? - start.translation.as_dvec3() - expected).length() / expected.length();
    Check::at_most("sliding box: off where it stops / its way [1]", 0.01, off)
}

/// Returns how fast a ball of 0.1 m moves along a slope \[m/s\] and turns \[rad/s\] after 1 s.
fn rolled(device: &Device, angle: f32, substeps: u32) -> Result<[DVec3; 2], SceneError> {
    let turned = Quat::from_rotation_z(-angle);
    let mut lab = ground(device, passes(substeps, 1), turned, 0.5)?;
    let body = ball(&mut lab, turned * (Vec3::Y * RADIUS), RADIUS, 0.0)?;
    lab.steps(60)?;
    let moving = lab.world.body(body)?;
    Ok([moving.velocity.as_dvec3(), moving.angular_velocity.as_dvec3()])
}

/// Radius of the ball \[m\] and slope \[rad\] on which it rolls.
const RADIUS: f32 = 0.1;
const SLOPE: f32 = 0.3;

/// Compares with a = 5/7 g sin θ, for few substeps and for many, and takes the larger deviation.
pub fn rolling(device: &Device) -> Outcome {
    let expected = 5.0 / 7.0 * G * f64::from(trig::sin(SLOPE));
    let mut worst = expected;
    for substeps in [4, SUBSTEPS] {
        let found = rolled(device, SLOPE, substeps)?[0].length();
        worst = if (found - expected).abs() > (worst - expected).abs() { found } else { worst };
    }
    Check::relative("rolling ball: acceleration on a slope [m/s²]", expected, worst, 0.02)
}

/// Measures the speed at which the touching point slides, relative to v = ω × r.
pub fn rolling_grips(device: &Device) -> Outcome {
    let [velocity, spin] = rolled(device, SLOPE, SUBSTEPS)?;
    let arm = (Quat::from_rotation_z(-SLOPE) * Vec3::NEG_Y * RADIUS).as_dvec3();
    let slip = (velocity + spin.cross(arm)).length() / velocity.length();
    Check::at_most("rolling ball: slip / its speed [1]", 0.01, slip)
}
