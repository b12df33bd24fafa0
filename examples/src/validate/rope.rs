//! Checks of ropes at rest.

use glam::Vec3;
use xpbd_cloth::Rope;

use super::lab::{G, Lab, built, weightless};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::{Options, Recipe, SceneError};

pub(super) const ROWS: &[Row] = rows![catenary_sag, catenary_tension, stretch];

/// Length of the rope and distance of its ends \[m\].
const LENGTH: f64 = 2.0;
const SPAN: f64 = 1.5;
/// Mass for each length \[kg/m\].
const DENSITY: f64 = 0.1;

/// Returns a metric of the scene `rope` with 64 links.
fn scene(device: &Device, metric: &str) -> Result<f64, SceneError> {
    let mut rope = Recipe::find("rope")?.build(&Options::default().with("n", 64).with("span", SPAN))?;
    rope.run(&mut device.stepper())?;
    rope.metric(metric)
}

/// Returns the parameter c of the catenary, from S = 2 c sinh(D/2c), by bisection.
fn parameter() -> f64 {
    let length = |c: f64| 2.0 * c * libm::sinh(0.5 * SPAN / c);
    let halve = |(low, high): (f64, f64), _| {
        let middle = 0.5 * (low + high);
        if length(middle) > LENGTH { (middle, high) } else { (low, middle) }
    };
    (0..60).fold((0.1, 10.0), halve).0
}

/// Compares with c (cosh(D/2c) − 1).
pub fn catenary_sag(device: &Device) -> Outcome {
    let c = parameter();
    let expected = c * (libm::cosh(0.5 * SPAN / c) - 1.0);
    Check::relative("catenary: sag [m]", expected, scene(device, "sag_m")?, 0.01)
}

/// Compares with μ g c cosh(D/2c).
pub fn catenary_tension(device: &Device) -> Outcome {
    let c = parameter();
    let expected = DENSITY * G * c * libm::cosh(0.5 * SPAN / c);
    Check::relative("catenary: pull at the ends [N]", expected, scene(device, "end_tension_n")?, 0.02)
}

/// Compares the stretch of 200 links by 4 substeps with F L/(E A).
pub fn stretch(device: &Device) -> Outcome {
    let (force, stiffness, links) = (10.0, 200.0, 200);
    let mut lab = Lab::new(device, weightless(4, 1))?;
    let rope = Rope::between(Vec3::ZERO, Vec3::NEG_Y, links, 1.0).stretch(stiffness).linear_damping(4.0).pin([0]);
    let rope = lab.world.add(built(rope.build())?)?;
    for _ in 0..300 {
        lab.world.add_force(rope, links as usize, Vec3::NEG_Y * force)?;
        lab.step()?;
    }
    let stretch = -lab.at(rope, links as usize)?.y - 1.0;
    Check::relative("rope: stretch of 200 links at 4 substeps [m]", f64::from(force / stiffness), stretch, 0.001)
}
