//! Checks of water: columns, floating bodies, a dam break and a bag.

use super::fluid::run_scene;
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::{Options, Scene, SceneError};

pub(super) const ROWS: &[Row] = rows![column, floating_box, dam_front, dam_leaks, bag_leaks];

/// Compares a column of a hundred layers with its volume and weight: its level within 2 %, its force on the floor
/// within 3 %, and its density within 1 % in the mean and 3 % at most. The result is the worst of the four over its
/// tolerance.
pub fn column(device: &Device) -> Outcome {
    let scene = run_scene(device, "column", &Options::default().with("side", 3).frames(90))?;
    let off = |name: &str, from: f64, tolerance: f64| Ok((scene.metric(name)? - from).abs() / tolerance);
    let all: Result<Vec<f64>, SceneError> = [
        ("level_ratio", 1.0, 0.02),
        ("force_ratio", 1.0, 0.03),
        ("mean_density_error", 0.0, 0.01),
        ("max_density_error", 0.0, 0.03),
    ]
    .map(|(name, from, tolerance)| off(name, from, tolerance))
    .into_iter()
    .collect();
    let worst = all?.into_iter().fold(0.0, f64::max);
    Check::at_most("fluid column: level, force and density over their tolerances [1]", 1.0, worst)
}

/// Checks that a box half as dense as water floats half submerged. It bobs on: starts that differ by half a millimetre end
/// between 0.945 and 0.982.
pub fn floating_box(device: &Device) -> Outcome {
    let scene = run_scene(device, "float", &Options::default())?;
    Check::near("floating box: draft over what the densities say [1]", 1.0, scene.metric("draft_ratio")?, 0.07)
}

fn dam(device: &Device) -> Result<Scene, SceneError> {
    run_scene(device, "dam-break", &Options::default().with("n", 1000).frames(60))
}

/// Checks that the front of a dam break is never faster than 2 √(g H).
pub fn dam_front(device: &Device) -> Outcome {
    Check::at_most("dam break: speed of the front over 2 √(g H) [1]", 1.05, dam(device)?.metric("front_speed_ratio")?)
}

/// Checks that no particle leaves the basin.
pub fn dam_leaks(device: &Device) -> Outcome {
    Check::at_most("dam break: particles outside of the basin [1]", 0.0, dam(device)?.metric("leaked")?)
}

/// Checks that no particle passes a swung bag of cloth that weighs less than a hundredth of the water in it. Were the cloth not held
/// against the water, 575 of 5,000 would.
pub fn bag_leaks(device: &Device) -> Outcome {
    let bag = Options::default().with("opening", 0).with("swing", 0.05).frames(60);
    let passed = run_scene(device, "funnel", &bag)?.metric("passed")?;
    Check::at_most("bag of cloth: particles of water that pass it [1]", 0.0, passed)
}
