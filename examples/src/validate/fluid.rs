//! Fluids: what they do besides keeping their density.

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

/// Plane Couette flow: R² of the profile of velocities against the exact line, from 1.
pub fn couette(device: &Device) -> Outcome {
    let scene = run_scene(device, "couette", &Options::default().with("n", 1500))?;
    Check::at_most("Couette flow: 1 − R² of its profile [1]", 0.02, 1.0 - scene.metric("profile_r2")?)
}

/// A cube of water without weight becomes a ball: its longest over its shortest axis, from 1.
pub fn drop_is_round(device: &Device) -> Outcome {
    let scene = run_scene(device, "drop", &Options::default().with("n", 500))?;
    Check::at_most("drop: aspect − 1 [1]", 0.05, scene.metric("aspect")? - 1.0)
}

/// And goes nowhere: nothing outside changes its momentum.
pub fn drop_keeps_momentum(device: &Device) -> Outcome {
    let scene = run_scene(device, "drop", &Options::default().with("n", 500).frames(60))?;
    Check::at_most("drop: momentum gained in 1 s over m √(γ/(ρ a)) [1]", 1e-5, scene.metric("momentum")?)
}

/// Two liquids side by side sort themselves; some of what is at the walls stays.
pub fn layers(device: &Device) -> Outcome {
    Check::near("layers: order [1]", 1.0, run_scene(device, "layers", &Options::default())?.metric("order")?, 0.15)
}
