//! Checks of towers of boxes, and of boxes that start inside each other.

use std::f64::consts::FRAC_PI_2;

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use xpbd_core::world::{BodyHandle, Settings};

use super::lab::{G, Lab, passes, weightless};
use super::yard::{block, cuboid, ground};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::{FRAME, SceneError, cards};

pub(super) const ROWS: &[Row] = rows![
    drift,
    penetration,
    falls_asleep,
    drift_without_sleep,
    heavy_top_sinks,
    heavy_top_stays,
    thousandfold_top_stays,
    column_stands,
    cards_stand,
    depenetration,
];

/// Substeps of a frame, and boxes, with an edge of 1 m.
const SUBSTEPS: u32 = 20;
const BOXES: usize = 10;
/// Mass of a heavy one \[kg\].
const HEAVY: f32 = 100.0;

/// A tower in a world of its own.
struct Tower {
    lab: Lab,
    boxes: Vec<BodyHandle>,
}

impl Tower {
    /// Creates a tower of ten boxes of 1 kg with one of another mass \[kg\] at the top.
    fn new(device: &Device, top: f32, can_sleep: bool) -> Result<Self, SceneError> {
        Self::of(device, BOXES, top, can_sleep)
    }

    /// Creates a tower of so many boxes.
    fn of(device: &Device, count: usize, top: f32, can_sleep: bool) -> Result<Self, SceneError> {
        let mut lab = ground(device, passes(SUBSTEPS, 1), Quat::IDENTITY, 0.5)?;
        let mut boxes = Vec::with_capacity(count);
        for k in 0..count {
            let (pose, half) = (Pose::translation(0.0, 0.5 + k as f32, 0.0), Vec3::splat(0.5));
            let mut body = cuboid(pose, half, if k + 1 == count { top } else { 1.0 });
            body.can_sleep = can_sleep;
            boxes.push(block(&mut lab, body, half, 0.5)?);
        }
        Ok(Self { lab, boxes })
    }

    /// Returns the farthest that a box is from the middle \[m\].
    fn drift(&self) -> Result<f64, SceneError> {
        let mut ways = self.boxes.iter().map(|&body| self.lab.place(body).map(|at| libm::hypot(at.x, at.z)));
        ways.try_fold(0.0, |farthest: f64, way| Ok(farthest.max(way?)))
    }

    /// Returns the deepest overlap of boxes that lie on each other and of the lowest with the ground \[m\].
    fn overlap(&self) -> Result<f64, SceneError> {
        let (mut below, mut deepest) = (-0.5, 0.0_f64);
        for &body in &self.boxes {
            let height = self.lab.place(body)?.y;
            deepest = deepest.max(1.0 - (height - below));
            below = height;
        }
        Ok(deepest)
    }

    /// Returns the largest of a number over some frames.
    fn largest(&mut self, frames: u32, of: fn(&Self) -> Result<f64, SceneError>) -> Result<f64, SceneError> {
        let mut largest = 0.0_f64;
        for _ in 0..frames {
            self.lab.step()?;
            largest = largest.max(of(self)?);
        }
        Ok(largest)
    }
}

/// Measures the sideways drift of the boxes in a tower of ten in 60 s.
pub fn drift(device: &Device) -> Outcome {
    let drift = Tower::new(device, 1.0, true)?.largest(3600, Tower::drift)?;
    Check::at_most("10 boxes: drift in 60 s [m]", 1e-3, drift)
}

/// Measures the largest penetration, relative to the edge of a box.
pub fn penetration(device: &Device) -> Outcome {
    let overlap = Tower::new(device, 1.0, true)?.largest(3600, Tower::overlap)?;
    Check::at_most("10 boxes: penetration in 60 s / edge [1]", 5e-3, overlap)
}

/// Counts the bodies that are awake after 2 s.
pub fn falls_asleep(device: &Device) -> Outcome {
    let mut tower = Tower::new(device, 1.0, true)?;
    tower.lab.steps(120)?;
    let mut awake = 0.0;
    for &body in &tower.boxes {
        awake += f64::from(u8::from(!tower.lab.world.is_asleep(body)?));
    }
    Check::at_most("10 boxes: awake after 2 s [1]", 0.0, awake)
}

/// Measures the sideways drift in 10 s if the boxes may not sleep.
pub fn drift_without_sleep(device: &Device) -> Outcome {
    let drift = Tower::new(device, 1.0, false)?.largest(600, Tower::drift)?;
    Check::at_most("10 boxes, awake: drift in 10 s [m]", 1e-3, drift)
}

/// Compares the sinking of 100 kg on nine boxes of 1 kg with a sum over contacts. Each is a spring whose frequency is a
/// quarter of the rate of substeps, ω = π/2h, with the masses that it holds apart: it yields F (1/m₁ + 1/m₂)/ω²
/// (\[Solver2D24\]).
pub fn heavy_top_sinks(device: &Device) -> Outcome {
    let mut tower = Tower::new(device, HEAVY, false)?;
    tower.lab.steps(600)?;
    let frequency = FRAC_PI_2 * f64::from(SUBSTEPS) / f64::from(FRAME);
    let mass = |k: usize| if k + 1 == BOXES { f64::from(HEAVY) } else { 1.0 };
    let yields = |k: usize| {
        let (weight, below) = ((k..BOXES).map(mass).sum::<f64>() * G, if k > 0 { 1.0 / mass(k - 1) } else { 0.0 });
        weight * (1.0 / mass(k) + below) / (frequency * frequency)
    };
    let sunk = BOXES as f64 - 0.5 - tower.lab.place(tower.boxes[BOXES - 1])?.y;
    Check::relative("1:100 on top: sunk by the springs of contacts [m]", (0..BOXES).map(yields).sum(), sunk, 0.01)
}

/// Checks that no box of that tower moves to the side.
pub fn heavy_top_stays(device: &Device) -> Outcome {
    let mut tower = Tower::new(device, HEAVY, true)?;
    tower.lab.steps(600)?;
    Check::at_most("1:100 on top: to the side after 10 s / edge [1]", 2e-3, tower.drift()?)
}

/// Checks that no box moves to the side in a minute under a thousand times its weight.
pub fn thousandfold_top_stays(device: &Device) -> Outcome {
    let drift = Tower::new(device, 1000.0, false)?.largest(3600, Tower::drift)?;
    Check::at_most("1:1000 on top: to the side in 60 s / edge [1]", 2e-2, drift)
}

/// Measures the sideways drift of a column of forty boxes that may not sleep.
pub fn column_stands(device: &Device) -> Outcome {
    let drift = Tower::of(device, 40, 1.0, false)?.largest(600, Tower::drift)?;
    Check::at_most("column of 40: drift in 10 s / edge [1]", 2e-2, drift)
}

/// Measures how far a card of a house of five storeys moves with ten substeps a frame.
pub fn cards_stand(device: &Device) -> Outcome {
    let settings = Settings { sleep_speed: 0.0, ..passes(10, 1) };
    let mut lab = ground(device, settings, Quat::IDENTITY, cards::FRICTION)?;
    let house = cards::house(&mut lab.world, 5)?;
    lab.steps(3600)?;
    let moved = cards::farthest_moved(&lab.world, &house)?;
    Check::at_most("house of cards: way of a card in 60 s [m]", 1e-2, moved)
}

/// Measures how much faster than the limit two boxes separate that begin half inside each other (\[SmallSteps19\] eq.
/// 10), relative to the limit. The result is NaN if they still overlap in the end.
pub fn depenetration(device: &Device) -> Outcome {
    let mut lab = Lab::new(device, weightless(SUBSTEPS, 1))?;
    let half = Vec3::splat(0.5);
    let [a, b] = [-0.25, 0.25].map(|x| block(&mut lab, cuboid(Pose::translation(x, 0.0, 0.0), half, 1.0), half, 0.5));
    let (a, b) = (a?, b?);
    let cap = f64::from(lab.world.settings().max_depenetration_speed);
    let (mut apart, mut fastest) = (0.5, 0.0_f64);
    for _ in 0..90 {
        lab.step()?;
        let now = lab.place(b)?.distance(lab.place(a)?);
        let speed = lab.world.body(b)?.velocity - lab.world.body(a)?.velocity;
        fastest = fastest.max((now - apart) / f64::from(FRAME)).max(f64::from(speed.length()));
        apart = now;
    }
    let excess = if apart > 0.999 { (fastest / cap - 1.0).max(0.0) } else { f64::NAN };
    Check::at_most("depenetration of boxes: speed over the cap [1]", 1e-3, excess)
}
