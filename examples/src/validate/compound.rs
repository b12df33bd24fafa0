//! Checks of a rigid body on a hinge: the compound pendulum.
//!
//! With the inertia I about the centre and the arm r from hinge to centre, small swings have
//! ω₀² = m g r/(I + m r²). The hinge pushes with the arm of the start of a substep, which then is a step of symplectic
//! Euler: ω ← ω − ω₀² h θ, θ ← θ + h ω. It keeps ½ ω² + ½ ω₀² θ² − ½ h ω₀² θ ω, so that the energy swings by up to
//! h ω₀/2 of itself and does not decay.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use xpbd_core::bodies::{Body, Mass};
use xpbd_rigid::joint::{HingeJoint, Joint, JointAxis, JointHandle};

use super::lab::{G, Lab, built, passes};
use super::pendulum::agm;
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::{FRAME, SceneError};

pub(super) const ROWS: &[Row] = rows![decay, no_gain, period];

/// Substeps of a frame.
const SUBSTEPS: u32 = 10;
/// Mass \[kg\], half extents \[m\] of the box, and the arm \[m\].
const MASS: f32 = 2.0;
const HALF: Vec3 = Vec3::new(0.1, 0.3, 0.05);
const ARM: f32 = 0.3;

struct Pendulum {
    lab: Lab,
    hinge: JointHandle,
    start: f64,
}

impl Pendulum {
    /// Creates a pendulum that is held at an angle \[rad\] from its rest.
    fn new(device: &Device, angle: f32, substeps: u32) -> Result<Self, SceneError> {
        let mut lab = Lab::new(device, passes(substeps, 1))?;
        let turn = Quat::from_rotation_z(angle);
        let body = Body::dynamic(Pose::from_parts(turn * Vec3::NEG_Y * ARM, turn), Mass::cuboid(MASS, HALF));
        let body = lab.world.add_body(body.can_sleep(false))?;
        let hinge = built(HingeJoint::new(Vec3::ZERO, Vec3::Z).add_to_world(&mut lab.world, body))?;
        Ok(Self { lab, hinge, start: f64::from(angle) })
    }

    /// Returns the angle from its rest \[rad\].
    fn angle(&self) -> Result<f64, SceneError> {
        Ok(self.start + f64::from(built(self.hinge.coordinate(&self.lab.world, JointAxis::Angular))?))
    }

    /// Returns the kinetic and potential energy above the rest \[J\].
    fn energy(&self) -> f64 {
        self.lab.world.energy().total() + f64::from(MASS * ARM) * G
    }
}

/// Returns ω₀² \[1/s²\].
fn stiffness() -> f64 {
    let Mass { mass, principal_inertia: inertia, .. } = Mass::cuboid(MASS, HALF);
    f64::from(mass * ARM) * G / f64::from(inertia.z + mass * ARM * ARM)
}

/// Returns h ω₀/2, the part of the energy by which it swings.
fn ripple() -> f64 {
    0.5 * stiffness().sqrt() * f64::from(FRAME) / f64::from(SUBSTEPS)
}

/// Measures the rate ln(E₀/E)/t over 20 s of small swings, in which the energy may change by its ripple.
pub fn decay(device: &Device) -> Outcome {
    let mut pendulum = Pendulum::new(device, 0.1, SUBSTEPS)?;
    let before = pendulum.energy();
    pendulum.lab.steps(1200)?;
    let rate = libm::log(before / pendulum.energy()) / 20.0;
    Check::at_most("compound pendulum: decay of the energy [1/s]", 1.5 * ripple() / 20.0, rate)
}

/// Measures the largest energy in 20 s above that of the start, relative to it.
pub fn no_gain(device: &Device) -> Outcome {
    let mut pendulum = Pendulum::new(device, 1.0, SUBSTEPS)?;
    let before = pendulum.energy();
    let mut largest = before;
    for _ in 0..1200 {
        pendulum.lab.step()?;
        largest = largest.max(pendulum.energy());
    }
    Check::at_most("compound pendulum: rise of the energy / E₀ [1]", 1.2 * ripple(), largest / before - 1.0)
}

/// Measures the time between the first two passages through the rest in the same direction. The period of a pendulum
/// that swings to θ₀ is 2π/ω₀/agm(1, cos(θ₀/2)).
pub fn period(device: &Device) -> Outcome {
    let angle = 0.5;
    let mut pendulum = Pendulum::new(device, angle, 40)?;
    let mut crossings = Vec::new();
    let mut last = pendulum.angle()?;
    for frame in 1..=300_u32 {
        pendulum.lab.step()?;
        let now = pendulum.angle()?;
        if last > 0.0 && now <= 0.0 {
            crossings.push((f64::from(frame) - now / (now - last)) * f64::from(FRAME));
        }
        last = now;
    }
    let expected = std::f64::consts::TAU / stiffness().sqrt() / agm(1.0, libm::cos(0.5 * f64::from(angle)));
    Check::relative("compound pendulum: first period [s]", expected, crossings[1] - crossings[0], 0.002)
}
