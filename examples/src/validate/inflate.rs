//! Checks of gas in closed cloth.

use glam::Quat;
use xpbd_cloth::{Bending, Cloth, Stretch, mesh, set_gas_volume_ratio};

use super::lab::{Lab, built, weightless};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::mesh::ball;
use crate::scene::SceneError;

pub(super) const ROWS: &[Row] = rows![balloon, pressure, let_in, rotated_rest];

/// Radius \[m\], Young's modulus \[Pa\] and thickness \[m\] of a rubber balloon.
const RADIUS: f32 = 0.15;
const YOUNG: f32 = 1e6;
const THICKNESS: f32 = 5e-4;

/// Returns what a balloon of this ratio and compliance \[m³/Pa\] comes to: its volume over that at rest \[1\], and
/// the pressure inside \[Pa\].
fn inflated(device: &Device, ratio: f32, compliance: f32) -> Result<[f64; 2], SceneError> {
    let shape = ball(RADIUS, 2);
    let rubber = Stretch::Strain { youngs_modulus: YOUNG, poisson_ratio: 0.5 };
    let cloth = Cloth::from_mesh(&shape.positions, shape.triangles.as_flattened()).density(4.0).stretch(rubber);
    let cloth = cloth.thickness(THICKNESS).bending(Bending::None).linear_damping(20.0).inflated(ratio, compliance);
    let mut lab = Lab::new(device, weightless(20, 2))?;
    let balloon = lab.world.add(built(cloth.build())?)?;
    lab.steps(60)?;
    let positions: Vec<_> = lab.world.positions(balloon)?.collect();
    let rest = mesh::volume(&shape.positions, &shape.triangles);
    let gas = *lab.world.batches_of(balloon).last().ok_or_else(|| SceneError::Object("no gas".into()))?;
    let pressure = lab.world.row_forces(gas, 0)?[0];
    Ok([mesh::volume(&positions, &shape.triangles) / rest, f64::from(pressure)])
}

/// Measures the largest deviation from the required volume while a balloon is inflated to 1.5 times its volume at rest
/// in a second.
pub fn let_in(device: &Device) -> Outcome {
    let shape = ball(RADIUS, 2);
    let rubber = Stretch::Strain { youngs_modulus: YOUNG, poisson_ratio: 0.5 };
    let cloth = Cloth::from_mesh(&shape.positions, shape.triangles.as_flattened()).density(4.0).stretch(rubber);
    let cloth = cloth.thickness(THICKNESS).bending(Bending::None).linear_damping(20.0).inflated(1.0, 0.0);
    let mut lab = Lab::new(device, weightless(20, 2))?;
    let balloon = lab.world.add(built(cloth.build())?)?;
    let rest = mesh::volume(&shape.positions, &shape.triangles);
    let mut worst = 0.0_f64;
    for frame in 1..=60_u8 {
        let ratio = 1.0 + f32::from(frame) / 120.0;
        set_gas_volume_ratio(&mut lab.world, balloon, ratio)?;
        lab.step()?;
        let positions: Vec<_> = lab.world.positions(balloon)?.collect();
        let found = mesh::volume(&positions, &shape.triangles) / rest;
        worst = worst.max((found / f64::from(ratio) - 1.0).abs());
    }
    Check::at_most("balloon that is blown up: volume, off [1]", 0.01, worst)
}

/// Measures the largest motion of a vertex in a frame of a rotated balloon that holds its volume at rest, relative to
/// its size of 1 m.
pub fn rotated_rest(device: &Device) -> Outcome {
    let shape = ball(0.5, 2);
    let cloth = Cloth::from_mesh(&shape.positions, shape.triangles.as_flattened());
    let mut object = built(cloth.bending(Bending::Dihedral { stiffness: 1.0 }).inflated(1.0, 0.0).build())?;
    let turn = Quat::from_xyzw(0.3, -0.5, 0.2, 0.7).normalize();
    object.positions.iter_mut().for_each(|x| *x = turn * *x);
    let start = object.positions.clone();
    let mut lab = Lab::new(device, weightless(20, 1))?;
    let balloon = lab.world.add(object)?;
    lab.step()?;
    let ways = lab.world.positions(balloon)?.zip(start).map(|(now, start)| now.distance(start));
    let farthest = ways.fold(0.0, f32::max);
    Check::at_most("balloon at rest, turned: motion in a frame / size [1]", 1e-6, f64::from(farthest))
}

/// Compares with V/V₀ = k.
pub fn balloon(device: &Device) -> Outcome {
    Check::relative("balloon: volume over that at rest", 1.3, inflated(device, 1.3, 0.0)?[0], 0.01)
}

/// Compares the pressure of a sphere whose radius grows by the fraction ε with 2 t σ/r. The stress σ is E/(1 − ν) times
/// Green's strain ε + ε²/2, of the thickness and in the shape at rest: p = 2 t σ/(r (1 + ε)), with r = 3 V₀/A₀.
pub fn pressure(device: &Device) -> Outcome {
    let [ratio, pressure] = inflated(device, 1.2, 1e-6)?;
    let growth = libm::cbrt(ratio);
    let green = (growth * growth - 1.0) / 2.0;
    let stress = f64::from(YOUNG) / 0.5 * green;
    let shape = ball(RADIUS, 2);
    let area: f32 = built(xpbd_cloth::Mesh::from_triangles(&shape.positions, &shape.triangles))?.area();
    let radius = 3.0 * mesh::volume(&shape.positions, &shape.triangles) / f64::from(area);
    let expected = 2.0 * f64::from(THICKNESS) * stress / (radius * growth);
    Check::relative("balloon: pressure [Pa]", expected, pressure, 0.02)
}
