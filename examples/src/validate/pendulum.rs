//! Checks of a point mass on a rigid link of 1 m.

use glam::Vec3;
use xpbd_core::scalar::trig;

use super::lab::{G, Pair, passes};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::{FRAME, SceneError};

pub(super) const ROWS: &[Row] = rows![decay, no_gain, period];

/// Substeps of a frame.
const SUBSTEPS: u32 = 10;

/// Returns a pendulum at an angle \[rad\] from its rest.
fn at(device: &Device, angle: f32, substeps: u32) -> Result<Pair, SceneError> {
    Pair::new(device, passes(substeps, 1), Vec3::new(trig::sin(angle), -trig::cos(angle), 0.0), 0.0, 0.0)
}

/// Returns the kinetic and potential energy above the rest \[J\].
fn energy(pendulum: &Pair) -> Result<f64, SceneError> {
    Ok(0.5 * pendulum.velocity()?.length_squared() + G * (pendulum.place()?.y + 1.0))
}

/// Compares the rate ln(E₀/E)/t over 20 s of small swings with E(t)/E₀ = (1 + (g/L) h²)^(−t/h).
pub fn decay(device: &Device) -> Outcome {
    let mut pendulum = at(device, 0.1, SUBSTEPS)?;
    let h = f64::from(FRAME) / f64::from(SUBSTEPS);
    let before = energy(&pendulum)?;
    pendulum.lab.steps(1200)?;
    let rate = libm::log(before / energy(&pendulum)?) / 20.0;
    Check::relative("pendulum: decay of the energy [1/s]", libm::log(1.0 + G * h * h) / h, rate, 0.03)
}

/// Measures the largest rise of the energy from frame to frame, relative to its start.
pub fn no_gain(device: &Device) -> Outcome {
    let mut pendulum = at(device, 1.0, SUBSTEPS)?;
    let before = energy(&pendulum)?;
    let (mut last, mut rise) = (before, 0.0_f64);
    for _ in 0..1200 {
        pendulum.lab.step()?;
        let now = energy(&pendulum)?;
        rise = rise.max(now - last);
        last = now;
    }
    Check::at_most("pendulum: rise of the energy in a frame / E₀ [1]", 1e-6, rise / before)
}

/// Measures the time between the first two passages through the rest in the same direction. The period of a pendulum
/// that swings to θ₀ is 2π √(L/g)/agm(1, cos(θ₀/2)).
pub fn period(device: &Device) -> Outcome {
    let angle = 0.5;
    let substeps = 40;
    let mut pendulum = at(device, angle, substeps)?;
    let mut crossings = Vec::new();
    let mut last = pendulum.place()?.x;
    for frame in 1..=300_u32 {
        pendulum.lab.step()?;
        let now = pendulum.place()?.x;
        if last > 0.0 && now <= 0.0 {
            crossings.push((f64::from(frame) - now / (now - last)) * f64::from(FRAME));
        }
        last = now;
    }
    let expected = std::f64::consts::TAU / G.sqrt() / agm(1.0, libm::cos(0.5 * f64::from(angle)));
    Check::relative("pendulum: first period [s]", expected, crossings[1] - crossings[0], 0.002)
}

/// Returns the arithmetic–geometric mean.
pub(super) fn agm(a: f64, b: f64) -> f64 {
    (0..8).fold((a, b), |(a, b), _| (0.5 * (a + b), (a * b).sqrt())).0
}
