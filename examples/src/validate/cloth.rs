//! Checks of sheets: independence of iterations, and unlimited stiffness.

use xpbd_cloth::{Bending, Cloth, Stretch};
use xpbd_core::world::{BatchHandle, ObjectHandle};

use super::lab::{Lab, passes};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::SceneError;
use crate::scene::strain::Strains;

pub(super) const ROWS: &[Row] =
    rows![soft_sheet, stiff_stays_finite, rigid_stays_finite, stretch_of_substeps, energy_of_substeps];

/// Density of an ordinary cloth \[kg/m²\].
const COTTON: f32 = 0.2;
/// Density \[kg/m²\] at which edges of 0.01 N/m take almost half of the fall of a second: heavier, and
/// the row would see free fall; lighter, and 20 iterations do not converge.
const GAUZE: f32 = 0.003;
/// Stiffness \[N/m\] that is rigid for the eye.
const STIFF: f32 = 1e7;

/// A sheet of 1 m × 1 m in a world of its own.
struct Sheet {
    lab: Lab,
    object: ObjectHandle,
    edges: BatchHandle,
}

/// Returns a level sheet of particles of this density and stiffness, held at some of them.
fn sheet(
    device: &Device,
    side: u32,
    [density, stiffness]: [f32; 2],
    pins: &[u32],
    [substeps, iterations]: [u32; 2],
) -> Result<Sheet, SceneError> {
    let cloth = Cloth::grid(side, side, 1.0, 1.0).density(density).stretch(Stretch::Edges { stiffness });
    let object = cloth.bending(Bending::None).tethers(false).pin(pins.iter().copied()).build();
    let mut lab = Lab::new(device, passes(substeps, iterations))?;
    let object = lab.world.add(object.map_err(|error| SceneError::Object(error.to_string()))?)?;
    let edges = lab.world.batches_of(object)[0];
    Ok(Sheet { lab, object, edges })
}

/// Measures the relative difference of the sag of a sheet's centre between 20, 40, 80 and 160 iterations (\[XPBD16\]).
/// The sheet has 64 × 64 particles and edges of 0.01 N/m, and hangs at its corners for a second. If compliance is
/// ignored, the sag differs by more than itself.
pub fn soft_sheet(device: &Device) -> Outcome {
    let side = 64;
    let (mut least, mut most) = (f64::MAX, 0.0_f64);
    for iterations in [20, 40, 80, 160] {
        let last = side - 1;
        let mut sheet = sheet(device, side, [GAUZE, 0.01], &[0, last, side * last, side * side - 1], [1, iterations])?;
        sheet.lab.steps(60)?;
        let sag = -sheet.lab.at(sheet.object, (side * side / 2 + side / 2) as usize)?.y;
        (least, most) = (least.min(sag), most.max(sag));
    }
    Check::at_most("soft cloth: spread of the sag over iterations [1]", 0.02, (most - least) / least)
}

/// Returns how many particles are not finite after 60 s of swinging; those of a frozen sheet all count.
fn lost(device: &Device, stiffness: f32) -> Result<f64, SceneError> {
    let mut sheet = sheet(device, 24, [COTTON, stiffness], &[0, 23], [20, 1])?;
    sheet.lab.steps(3600)?;
    let frozen = sheet.lab.world.is_frozen(sheet.object)?;
    let lost = sheet.lab.world.positions(sheet.object)?.filter(|x| frozen || !x.is_finite() || x.length() > 10.0);
    Ok(lost.count() as f64)
}

/// Checks that a sheet with k = 1e7 N/m stays finite.
pub fn stiff_stays_finite(device: &Device) -> Outcome {
    Check::at_most("cloth of 1e7 N/m: particles lost in 60 s", 0.0, lost(device, STIFF)?)
}

/// Checks that a sheet with α = 0 stays finite.
pub fn rigid_stays_finite(device: &Device) -> Outcome {
    Check::at_most("cloth of compliance 0: particles lost in 60 s", 0.0, lost(device, f32::INFINITY)?)
}

/// Returns the largest stretch of an edge in 2 s of swinging, and the energy lost by then \[J\].
fn swing(device: &Device, stiffness: f32, passes: [u32; 2]) -> Result<(f64, f64), SceneError> {
    let mut sheet = sheet(device, 24, [COTTON, stiffness], &[0, 23], passes)?;
    let mut stretch = 0.0_f64;
    for _ in 0..120 {
        sheet.lab.step()?;
        stretch = stretch.max(Strains::of(&sheet.lab.world, sheet.object, sheet.edges)?.max);
    }
    let energy = sheet.lab.world.energy();
    Ok((stretch, -energy.kinetic - energy.gravitational))
}

/// Returns the ratios of 40 substeps of 1 iteration to 1 substep of 40 iterations.
fn ratios(device: &Device) -> Result<[[f64; 2]; 2], SceneError> {
    let ratio = |stiffness| -> Result<[f64; 2], SceneError> {
        let ((fine, kept), (coarse, other)) = (swing(device, stiffness, [40, 1])?, swing(device, stiffness, [1, 40])?);
        Ok([fine / coarse, kept / other])
    };
    Ok([ratio(STIFF)?, ratio(f32::INFINITY)?])
}

/// Compares with a tenth of the stretch.
pub fn stretch_of_substeps(device: &Device) -> Outcome {
    let [stiff, rigid] = ratios(device)?;
    Check::at_most("stiff cloth: largest stretch of 40 × 1 over 1 × 40 [1]", 0.1, stiff[0].max(rigid[0]))
}

/// Checks that substeps lose less kinetic and potential energy.
pub fn energy_of_substeps(device: &Device) -> Outcome {
    let [stiff, rigid] = ratios(device)?;
    Check::at_most("stiff cloth: energy lost by 40 × 1 over 1 × 40 [1]", 1.0, stiff[1].max(rigid[1]))
}
