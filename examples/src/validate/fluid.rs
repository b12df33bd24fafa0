//! Checks of viscosity, surface tension and layering of fluids.

use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::{Options, Recipe, Scene, SceneError};

pub(super) const ROWS: &[Row] = rows![couette, drop_is_round, drop_keeps_momentum, layers];

/// Returns a scene after its frames.
pub(super) fn run_scene(device: &Device, name: &str, options: &Options) -> Result<Scene, SceneError> {
    let mut scene = Recipe::find(name)?.build(options)?;
    scene.run(&mut device.stepper())?;
    Ok(scene)
}

/// Measures how far R² of the velocity profile of plane Couette flow against the exact line is from 1.
pub fn couette(device: &Device) -> Outcome {
    let scene = run_scene(device, "couette", &Options::default().with("n", 1500))?;
    Check::at_most("Couette flow: 1 − R² of its profile [1]", 0.02, 1.0 - scene.metric("profile_r2")?)
}

/// Measures how far the longest over the shortest axis of a weightless drop, at first a cube, is from 1.
pub fn drop_is_round(device: &Device) -> Outcome {
    let scene = run_scene(device, "drop", &Options::default().with("n", 500))?;
    Check::at_most("drop: aspect − 1 [1]", 0.05, scene.metric("aspect")? - 1.0)
}

/// Measures the momentum of the weightless drop, on which nothing acts.
pub fn drop_keeps_momentum(device: &Device) -> Outcome {
    let scene = run_scene(device, "drop", &Options::default().with("n", 500).frames(60))?;
    Check::at_most("drop: momentum gained in 1 s over m √(γ/(ρ a)) [1]", 1e-5, scene.metric("momentum")?)
}

/// Checks that two liquids side by side separate into layers; some of what is at the walls stays.
pub fn layers(device: &Device) -> Outcome {
    Check::near("layers: order [1]", 1.0, run_scene(device, "layers", &Options::default())?.metric("order")?, 0.15)
}
