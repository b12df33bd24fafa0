//! Checks of bouncing balls.

use glam::{Quat, Vec3};

use super::lab::{G, Lab, passes};
use super::yard::{ball, ground};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::{FRAME, SceneError};

pub(super) const ROWS: &[Row] = rows![first_bounce, perfect_bounces_gain_nothing];

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
