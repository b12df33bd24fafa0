//! Checks of free motion, near the origin and far from it, and of the second-order formula.

use glam::Vec3;
use parry3d::math::Vector;
use parry3d::shape::SharedShape;
use xpbd_core::collide::Collider;
use xpbd_core::world::{Integrator, Object, Settings};

use super::lab::{G, Lab, Pair, passes, weightless};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::{FRAME, Options, Recipe, SceneError};

pub(super) const ROWS: &[Row] =
    rows![free_fall, free_fall_far_away, second_order_loses_less_energy_than_first, second_order_rests];

/// Compares with y_k = y₀ + v₀ k h − g h² k (k + 1)/2.
pub fn free_fall(device: &Device) -> Outcome {
    let (substeps, frames, up) = (20, 60, 1.0_f32);
    let mut lab = Lab::new(device, passes(substeps, 1))?;
    let particle = lab.world.add(Object::new("particle", vec![Vec3::ZERO], 1.0).velocity(Vec3::Y * up))?;
    lab.steps(frames)?;
    let (k, h) = (f64::from(substeps * frames), f64::from(FRAME / substeps as f32));
    let expected = f64::from(up) * k * h - G * h * h * k * (k + 1.0) / 2.0;
    Check::relative("free fall, discrete [m]", expected, lab.at(particle, 0)?.y, 1e-5)
}

/// Compares with ½ g t² at 1000 m from the origin.
pub fn free_fall_far_away(device: &Device) -> Outcome {
    let mut scene = Recipe::find("fall")?.build(&Options::default().with("offset", 1000))?;
    scene.run(&mut device.stepper())?;
    Check::relative("free fall at 1000 m [m]", scene.metric("expected_m")?, scene.metric("fallen_m")?, 0.005)
}

/// Returns ln(E₀/E) over two periods of a spring with ωh = 0.1, from the third substep on: the first two are of first
/// order for both.
fn loss(device: &Device, integrator: Integrator) -> Result<f64, SceneError> {
    let compliance = FRAME * FRAME / 0.01;
    let settings = Settings { integrator, ..weightless(1, 1) };
    let mut spring = Pair::new(device, settings, Vec3::X * 1.1, compliance, 0.0)?;
    let energy = |spring: &Pair| -> Result<f64, SceneError> {
        let stretch = spring.place()?.length() - 1.0;
        Ok(spring.velocity()?.length_squared() + stretch * stretch / f64::from(compliance))
    };
    spring.lab.steps(2)?;
    let before = energy(&spring)?;
    spring.lab.steps(126)?;
    Ok(libm::log(before / energy(&spring)?))
}

/// Compares the loss of \[English08\] with a fiftieth of that of backward Euler.
pub fn second_order_loses_less_energy_than_first(device: &Device) -> Outcome {
    let ratio = loss(device, Integrator::SecondOrder)? / loss(device, Integrator::FirstOrder)?;
    Check::at_most("second order: energy loss / first order's at ωh = 0.1 [1]", 0.02, ratio)
}

/// Measures the height to which a dropped particle rises again, relative to the height of its fall.
pub fn second_order_rests(device: &Device) -> Outcome {
    let settings = Settings { integrator: Integrator::SecondOrder, ..passes(10, 1) };
    let radius = settings.particle_radius;
    let mut lab = Lab::new(device, settings)?;
    lab.world.add_collider(Collider::new(SharedShape::halfspace(Vector::Y)))?;
    let particle = lab.world.add(Object::new("particle", vec![Vec3::Y * (1.0 + radius)], 1.0))?;
    lab.steps(30)?;
    let mut highest = 0.0_f64;
    for _ in 0..120 {
        lab.step()?;
        highest = highest.max((lab.at(particle, 0)?.y - f64::from(radius)).abs());
    }
    Check::at_most("second order: rise after a drop of 1 m [m]", 1e-3, highest)
}
