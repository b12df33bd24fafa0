//! Checks of a chain of rigid links with a weight a thousand times as heavy as one of them.
//!
//! A sweep leaves a joint with the error that its neighbour then makes: what hangs below pulls a link
//! of mass m by g h² M/m a substep. The chain so has the compliance h²/m a joint, and swings up and down
//! about its rest with ω² = m/(n M h²), as it should; damping brings it there.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::settings::ConstraintSolver;
use xpbd_core::world::BodyHandle;
use xpbd_rigid::joint::{BallJoint, Joint, JointFrame};

use super::lab::{G, Lab, built, passes};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::{FRAME, SceneError};

pub(super) const ROWS: &[Row] = rows![error_at_20, error_at_100, swings, holds, holds_little, holds_most];

/// Links, each of 1 kg and of this length \[m\], and the weight with its radius \[kg, m\].
const LINKS: usize = 100;
const LENGTH: f32 = 0.1;
const WEIGHT: f32 = 1000.0;
const RADIUS: f32 = 0.3;
/// Damping of all bodies \[1/s\], close to critical at 20 substeps.
const DAMPING: f32 = 8.0;

/// The fixed body, the links and the weight.
struct Chain {
    lab: Lab,
    bodies: Vec<BodyHandle>,
}

/// Returns the vector from the centre of a body up to its joint \[m\].
fn up(k: usize) -> Vec3 {
    Vec3::Y * if k > LINKS { RADIUS } else { 0.5 * LENGTH }
}

/// Returns the vector from the centre of a body down to its joint \[m\].
fn down(k: usize) -> Vec3 {
    if k == 0 { Vec3::ZERO } else { Vec3::NEG_Y * 0.5 * LENGTH }
}

impl Chain {
    /// Creates a straight chain at an angle \[rad\] from hanging down, whose joints are swept.
    fn new(device: &Device, substeps: u32, angle: f32, damping: f32) -> Result<Self, SceneError> {
        Self::solved_by(ConstraintSolver::Sweep, WEIGHT, device, substeps, angle, damping)
    }

    /// Creates the same chain with another weight \[kg\] and joints that are solved in this way.
    fn solved_by(
        solver: ConstraintSolver,
        weight: f32,
        device: &Device,
        substeps: u32,
        angle: f32,
        damping: f32,
    ) -> Result<Self, SceneError> {
        let mut lab = Lab::new(device, passes(substeps, 1))?;
        let turn = Quat::from_rotation_z(angle);
        let mut bodies = vec![lab.world.add_body(Body::fixed(Pose::from_rotation(turn)))?];
        for k in 1..=LINKS + 1 {
            let link = Mass::cuboid(1.0, Vec3::new(0.02, 0.5 * LENGTH, 0.02));
            let mass = if k > LINKS { Mass::ball(weight, RADIUS) } else { link };
            let center = turn * (Vec3::NEG_Y * (LENGTH * (k - 1) as f32) - up(k));
            let body = Body::dynamic(Pose::from_parts(center, turn), mass).damping(damping, damping);
            bodies.push(lab.world.add_body(body.can_sleep(false))?);
        }
        let frame = |place: Vec3| JointFrame::new(place, Vec3::X);
        let joint = |k: usize| BallJoint::between(frame(down(k)), frame(up(k + 1))).solver(solver);
        let joints: Vec<_> = (0..=LINKS).map(|k| (joint(k), bodies[k], bodies[k + 1])).collect();
        built(BallJoint::add_all(&mut lab.world, joints))?;
        Ok(Self { lab, bodies })
    }

    /// Returns the distance of the two ends at each joint \[m\].
    fn errors(&self) -> Result<Vec<f64>, SceneError> {
        let error = |k: usize| -> Result<f64, SceneError> {
            let [above, below] =
                [self.lab.world.body_pose(self.bodies[k])?, self.lab.world.body_pose(self.bodies[k + 1])?];
            Ok(f64::from(above.transform_point(down(k)).distance(below.transform_point(up(k + 1)))))
        };
        (0..=LINKS).map(error).collect()
    }
}

/// Compares with Σ g h² Mₖ/m over the joints below each link, with Mₖ the mass below, at 20 substeps a frame.
pub fn error_at_20(device: &Device) -> Outcome {
    let mut chain = Chain::new(device, 20, 0.0, DAMPING)?;
    chain.lab.steps(240)?;
    let h = f64::from(FRAME) / 20.0;
    let below = |k: usize| f64::from(WEIGHT) + (LINKS - k) as f64;
    let expected = (1..=LINKS).map(below).sum::<f64>() * G * h * h;
    let measured = chain.errors()?.iter().sum();
    Check::relative("100 links, 1000 kg: Σ of errors at 20 substeps [m]", expected, measured, 0.005)
}

/// Measures the largest error relative to a link, with 100 substeps.
pub fn error_at_100(device: &Device) -> Outcome {
    let mut chain = Chain::new(device, 100, 0.0, DAMPING)?;
    chain.lab.steps(120)?;
    let largest = chain.errors()?.into_iter().fold(0.0, f64::max) / f64::from(LENGTH);
    Check::at_most("100 links, 1000 kg: error at 100 substeps / link [1]", 0.01, largest)
}

/// Measures how much farther the weight swings out than the 0.3 rad at which it is released without damping, for three
/// swings, relative to them. The result is NaN if it does not swing.
pub fn swings(device: &Device) -> Outcome {
    let angle = 0.3;
    let mut chain = Chain::new(device, 50, angle, 0.0)?;
    let weight = chain.bodies[LINKS + 1];
    let [mut least, mut most] = [0.0_f64; 2];
    for _ in 0..600 {
        chain.lab.step()?;
        let place = chain.lab.place(weight)?;
        let now = libm::atan2(place.x, -place.y) / f64::from(angle);
        (least, most) = (least.min(now), most.max(now));
    }
    let excess = if least < -0.9 { (most.max(-least) - 1.0).max(0.0) } else { f64::NAN };
    Check::at_most("100 links, 1000 kg: swing past where it began [1]", 0.01, excess)
}

/// Measures the largest error while the chain swings for 10 s from where it is level, by 4 substeps with the solver that
/// the world chooses, for a weight \[kg\].
fn largest_in_a_swing(device: &Device, weight: f32) -> Result<f64, SceneError> {
    let level = std::f32::consts::FRAC_PI_2;
    let mut chain = Chain::solved_by(ConstraintSolver::Automatic, weight, device, 4, level, 0.0)?;
    let mut largest = 0.0;
    for _ in 0..600 {
        chain.lab.step()?;
        largest = chain.errors()?.into_iter().fold(largest, f64::max);
    }
    Ok(largest)
}

/// Measures the error under a thousand times the mass of a link.
pub fn holds(device: &Device) -> Outcome {
    let largest = largest_in_a_swing(device, WEIGHT)?;
    Check::at_most("100 links, 1000 kg, by default: error in a swing at 4 substeps [m]", 1e-4, largest)
}

/// Measures the error under the mass of a link.
pub fn holds_little(device: &Device) -> Outcome {
    let largest = largest_in_a_swing(device, 1.0)?;
    Check::at_most("100 links, 1 kg, by default: error in a swing at 4 substeps [m]", 1e-4, largest)
}

/// Measures the error under a hundred thousand times the mass of a link.
pub fn holds_most(device: &Device) -> Outcome {
    let largest = largest_in_a_swing(device, 1e5)?;
    Check::at_most("100 links, 100,000 kg, by default: error in a swing at 4 substeps [m]", 1e-4, largest)
}
