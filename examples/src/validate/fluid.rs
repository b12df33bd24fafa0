//! Fluids: what they do besides keeping their density.

use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::{Options, Recipe, Scene, SceneError};

pub(super) const ROWS: &[Row] = rows![couette];

/// A scene after its frames.
fn played(device: &Device, name: &str, options: &Options) -> Result<Scene, SceneError> {
    let mut scene = Recipe::find(name)?.build(options)?;
    scene.run(&mut device.stepper())?;
    Ok(scene)
}

/// Plane Couette flow: R² of the profile of velocities against the exact line, from 1.
pub fn couette(device: &Device) -> Outcome {
    let scene = played(device, "couette", &Options::default())?;
    Check::at_most("Couette flow: 1 − R² of its profile [1]", 0.02, 1.0 - scene.metric("profile_r2")?)
}
