//! Checks of bouncing balls.

use glam::{Quat, Vec3};
use parry3d::shape::SharedShape;
use xpbd_core::collide::Collider;
use xpbd_core::world::{Object, Settings};

use super::lab::{G, Lab, passes, weightless};
use super::yard::{ball, ground};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::{FRAME, SceneError};

pub(super) const ROWS: &[Row] =
    rows![first_bounce, perfect_bounces_gain_nothing, cradle, particle_bounce, particles_exchange];

/// Substeps of a frame.
const SUBSTEPS: u32 = 20;
/// Radius of the ball and the height that its lowest point falls from \[m\].
const RADIUS: f32 = 0.1;
const HEIGHT: f32 = 1.0;

/// Returns the height that a ball rises to, after each frame for some time \[m\].
///
/// While it flies, v_{k+1} = v_k − g h and y_{k+1} = y_k + h v_{k+1} keep y + v²/2g − h v/2, which is the
/// height where it turns.
fn heights(device: &Device, restitution: f32, frames: u32) -> Result<Vec<f64>, SceneError> {
    let mut lab = ground(device, passes(SUBSTEPS, 1), Quat::IDENTITY, 0.5)?;
    let body = ball(&mut lab, Vec3::Y * (HEIGHT + RADIUS), RADIUS, restitution)?;
    let h = f64::from(FRAME) / f64::from(SUBSTEPS);
    let height = |lab: &Lab| -> Result<f64, SceneError> {
        let v = f64::from(lab.world.body(body)?.velocity.y);
        Ok(lab.place(body)?.y - f64::from(RADIUS) + 0.5 * v * v / G - 0.5 * h * v)
    };
    let mut heights = vec![height(&lab)?];
    for _ in 0..frames {
        lab.step()?;
        heights.push(height(&lab)?);
    }
    Ok(heights)
}

/// Measures for several e the largest deviation from h₁ = e² h₀, relative to h₁. The ball falls for 0.45 s, and is in
/// the air again for twice e times as long.
pub fn first_bounce(device: &Device) -> Outcome {
    let mut worst = 0.0_f64;
    for restitution in [0.3, 0.5, 0.8, 1.0_f32] {
        let expected = f64::from(HEIGHT * restitution * restitution);
        let after = heights(device, restitution, 30)?[30];
        worst = worst.max((after / expected - 1.0).abs());
    }
    Check::at_most("bouncing ball: first height from e² h₀ [1]", 0.02, worst)
}

/// Measures the largest rise above all previous heights in 20 s for e = 1, relative to the first height. Rounding alone
/// makes some: 1e-7 m/s in each of the 1000 substeps of a flight, if none cancels.
pub fn perfect_bounces_gain_nothing(device: &Device) -> Outcome {
    let heights = heights(device, 1.0, 1200)?;
    let (mut lowest, mut gain) = (heights[0], 0.0_f64);
    for height in heights {
        gain = gain.max(height - lowest);
        lowest = lowest.min(height);
    }
    Check::at_most("bouncing ball, e = 1: gain of height / h₀ [1]", 5e-5, gain / f64::from(HEIGHT))
}

/// Measures the speed with which the last of five balls that touch leaves when the first comes in at 1 m/s.
pub fn cradle(device: &Device) -> Outcome {
    let mut lab = Lab::new(device, weightless(10, 1))?;
    let place = |k: usize| Vec3::X * 2.0 * RADIUS * if k == 0 { -1.7 } else { k as f32 };
    let mut balls = Vec::new();
    for k in 0..5 {
        balls.push(ball(&mut lab, place(k), RADIUS, 1.0)?);
    }
    lab.world.edit_body(balls[0], |ball| ball.velocity = Vec3::X)?;
    lab.steps(60)?;
    let speed = lab.world.body(balls[4])?.velocity.x;
    Check::relative("cradle of five balls: speed of the last [m/s]", 1.0, f64::from(speed), 0.05)
}

/// Measures the height e² h₀ to which a particle rises after it has fallen on a collider, from y + v²/2g − h v/2.
pub fn particle_bounce(device: &Device) -> Outcome {
    let (radius, restitution) = (0.02, 0.8_f32);
    let mut lab = Lab::new(device, Settings { particle_radius: radius, ..passes(10, 1) })?;
    lab.world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)))?;
    let mut particle = Object::new("particle", vec![Vec3::Y * (HEIGHT + radius)], 0.1);
    particle.restitution = restitution;
    let particle = lab.world.add(particle)?;
    lab.steps(35)?;
    let (v, h) = (f64::from(lab.world.velocity(particle, 0)?.y), f64::from(FRAME) / 10.0);
    let height = lab.at(particle, 0)?.y - f64::from(radius) + 0.5 * v * v / G - 0.5 * h * v;
    Check::relative("bouncing particle: first height [m]", f64::from(restitution * restitution * HEIGHT), height, 0.02)
}

/// Measures the speed of a particle of 0.3 kg that is hit by one of 0.1 kg at 2 m/s: (1 + e) v m₁/(m₁ + m₂).
pub fn particles_exchange(device: &Device) -> Outcome {
    let mut lab = Lab::new(device, Settings { particle_radius: 0.02, ..weightless(10, 1) })?;
    let mut first = Object::new("first", vec![Vec3::X * -0.5], 0.1).velocity(Vec3::X * 2.0);
    first.restitution = 0.5;
    lab.world.add(first)?;
    let second = lab.world.add(Object::new("second", vec![Vec3::ZERO], 0.3))?;
    lab.steps(40)?;
    let speed = f64::from(lab.world.velocity(second, 0)?.x);
    Check::relative("particles that rebound: speed of the one hit [m/s]", 0.75, speed, 1e-3)
}
