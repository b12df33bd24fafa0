//! Checks of cloth in air.

use glam::{Quat, Vec3};
use xpbd_cloth::{Air, Bending, Cloth, Stretch};
use xpbd_core::world::ObjectHandle;

use super::lab::{G, Lab, built, passes, weightless};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::{FRAME, SceneError};

pub(super) const ROWS: &[Row] = rows![falls_flat, still, light_in_a_gale, takes_momentum];

/// Particles a side of the sheets.
const SIDE: u32 = 11;

/// Returns a sheet of a square metre of a density \[kg/m²\] that starts with a velocity \[m/s\].
fn sheet(lab: &mut Lab, cloth: Cloth, velocity: Vec3) -> Result<ObjectHandle, SceneError> {
    let object = built(cloth.bending(Bending::Isometric { stiffness: 1e-3 }).build())?.velocity(velocity);
    Ok(lab.world.add(object)?)
}

/// Returns the mean velocity of a sheet \[m/s\].
fn drift(lab: &Lab, sheet: ObjectHandle) -> Result<Vec3, SceneError> {
    let velocities = lab.world.velocities(sheet)?;
    let count = velocities.len() as f32;
    Ok(velocities.sum::<Vec3>() / count)
}

/// Compares the terminal velocity of a flat sheet with √(2 m g/(ρ C_d A)).
pub fn falls_flat(device: &Device) -> Outcome {
    let (density, air) = (0.2, Air::default());
    let mut lab = Lab::new(device, passes(10, 1))?;
    let cloth = Cloth::grid(SIDE, SIDE, 1.0, 1.0).density(density).air(air);
    let sheet = sheet(&mut lab, cloth, Vec3::ZERO)?;
    lab.steps(120)?;
    let before = lab.at(sheet, 0)?.y;
    lab.steps(10)?;
    let speed = (before - lab.at(sheet, 0)?.y) / f64::from(10.0 * FRAME);
    let expected = (2.0 * f64::from(density) * G / f64::from(air.density * air.drag_coefficient)).sqrt();
    Check::relative("cloth falling flat: speed [m/s]", expected, speed, 0.03)
}

/// Checks that a wind with the velocity of the cloth has no effect.
pub fn still(device: &Device) -> Outcome {
    let wind = Vec3::new(6.0, -2.0, 3.0);
    let mut lab = Lab::new(device, weightless(10, 1))?;
    let cloth = Cloth::grid(SIDE, SIDE, 1.0, 1.0).air(Air { wind, ..Air::default() });
    let sheet = sheet(&mut lab, cloth, wind)?;
    lab.steps(60)?;
    let off = lab.world.velocities(sheet)?.map(|v| v.distance(wind)).fold(0.0, f32::max);
    Check::at_most("cloth that moves with the wind: change of velocity / wind", 1e-5, f64::from(off / wind.length()))
}

/// Checks that no particle of a light sheet in a storm of 100 m/s, at any angle, is ever faster than the wind.
pub fn light_in_a_gale(device: &Device) -> Outcome {
    let speed = 100.0;
    let mut lab = Lab::new(device, weightless(10, 1))?;
    let mut sheets = Vec::new();
    for angle in [0.0, 0.4, 0.8, 1.2, 1.5] {
        let turn = glam::Affine3A::from_quat(Quat::from_rotation_z(angle));
        let loose = Stretch::Strain { youngs_modulus: 1e-6, poisson_ratio: 0.0 };
        let air = Air { wind: Vec3::X * speed, ..Air::default() };
        let cloth = Cloth::grid(4, 4, 0.3, 0.3).transform(turn).density(1e-3).stretch(loose).air(air);
        sheets.push(lab.world.add(built(cloth.bending(Bending::None).build())?)?);
    }
    let mut beyond = 0.0_f32;
    for _ in 0..30 {
        lab.step()?;
        for &sheet in &sheets {
            beyond = lab.world.velocities(sheet)?.fold(beyond, |most, v| worst(most, v.length() / speed - 1.0));
        }
    }
    Check::at_most("a gram a square metre in a gale: fastest particle beyond the wind", 1e-4, f64::from(beyond))
}

/// Returns the larger of two numbers, infinite if the second is none.
fn worst(most: f32, number: f32) -> f32 {
    if number.is_finite() { most.max(number) } else { f32::INFINITY }
}

/// Checks that a stiff sheet in a gale reaches the speed of the wind and does not exceed it, for any mass.
pub fn takes_momentum(device: &Device) -> Outcome {
    let speed = 100.0;
    let mut lab = Lab::new(device, weightless(10, 1))?;
    let air = Air { wind: Vec3::X * speed, ..Air::default() };
    let turn = glam::Affine3A::from_quat(Quat::from_rotation_z(1.1));
    let cloth = Cloth::grid(SIDE, SIDE, 1.0, 1.0).transform(turn).density(1e-2).air(air);
    let sheet = sheet(&mut lab, cloth, Vec3::ZERO)?;
    let mut beyond = 0.0_f32;
    for _ in 0..60 {
        lab.step()?;
        beyond = worst(beyond, drift(&lab, sheet)?.length() / speed - 1.0);
    }
    Check::at_most("a stiff sheet in a gale: mean speed beyond the wind", 1e-3, f64::from(beyond))
}
