//! Checks of cloth as a material: a strip that is pulled.

use glam::Vec3;
use xpbd_cloth::{Bending, Cloth, Stretch};
use xpbd_core::world::ObjectHandle;

use super::lab::{Lab, weightless};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::SceneError;

pub(super) const ROWS: &[Row] = rows![bar_stretch, bar_contraction, warp_stretch, weft_stretch];

/// A strip along x that is held on the left and loaded on the right.
struct Strip {
    lab: Lab,
    object: ObjectHandle,
    columns: u32,
    rows: u32,
}

impl Strip {
    /// Holds the leftmost columns and adds the cloth to a world of many iterations.
    fn new(device: &Device, cloth: Cloth, [columns, rows]: [u32; 2], held: u32) -> Result<Self, SceneError> {
        let pins = (0..columns * rows).filter(|index| index % columns < held);
        let object = cloth.pin(pins).tethers(false).build();
        let mut lab = Lab::new(device, weightless(5, 40))?;
        let object = lab.world.add(object.map_err(|error| SceneError::Object(error.to_string()))?)?;
        Ok(Self { lab, object, columns, rows })
    }

    /// Pulls the right end with `force` \[N\] for some frames, the corners with half as much as the
    /// particles between them.
    fn load(&mut self, force: Vec3, frames: u32) -> Result<(), SceneError> {
        for _ in 0..frames {
            for row in 0..self.rows {
                let share = if row == 0 || row == self.rows - 1 { 0.5 } else { 1.0 };
                let share = force * (share / (self.rows - 1) as f32);
                self.lab.world.add_force(self.object, self.index(row, self.columns - 1), share)?;
            }
            self.lab.step()?;
        }
        Ok(())
    }

    fn index(&self, row: u32, column: u32) -> usize {
        (row * self.columns + column) as usize
    }

    fn at(&self, row: u32, column: u32) -> Result<glam::DVec3, SceneError> {
        self.lab.at(self.object, self.index(row, column))
    }
}

/// Young's modulus \[Pa\], Poisson ratio, thickness, length and width \[m\] of the bar.
const YOUNG: f32 = 1e6;
const POISSON: f32 = 0.3;
const THICKNESS: f32 = 1e-3;
const LENGTH: f32 = 1.0;
const WIDTH: f32 = 0.2;
/// Pull \[N\]: a fifth of a percent.
const PULL: f32 = 0.4;

/// Returns the elongation of its middle half and the contraction of its middle \[m\]: there the stress is
/// uniform, far from where it is held.
fn bar(device: &Device, stretch: Stretch, warp: Vec3) -> Result<[f64; 2], SceneError> {
    let size = [25, 7];
    let cloth = Cloth::grid(size[0], size[1], LENGTH, WIDTH).thickness(THICKNESS).stretch(stretch).warp_along(warp);
    let mut strip = Strip::new(device, cloth.bending(Bending::None).density(20.0).linear_damping(5.0), size, 1)?;
    strip.load(Vec3::X * PULL, 150)?;
    let (middle, last) = (size[0] / 2, size[1] - 1);
    let quarters = [middle / 2, middle + middle / 2].map(|column| strip.at(last / 2, column));
    let [left, right] = quarters;
    let elongation = right?.distance(left?) - f64::from(0.5 * LENGTH);
    let contraction = f64::from(WIDTH) - strip.at(0, middle)?.distance(strip.at(last, middle)?);
    Ok([elongation, contraction])
}

const ISOTROPIC: Stretch = Stretch::Strain { youngs_modulus: YOUNG, poisson_ratio: POISSON };

/// Young's modulus of the weft and shear modulus \[Pa\] of a woven bar; that of its warp is [`YOUNG`].
const WEFT: f32 = 4e5;
const SHEAR: f32 = 5e4;
const WOVEN: Stretch =
    Stretch::Woven { warp_modulus: YOUNG, weft_modulus: WEFT, shear_modulus: SHEAR, poisson_ratio: POISSON };

/// Compares with F L/(E A).
pub fn bar_stretch(device: &Device) -> Outcome {
    let expected = PULL * 0.5 * LENGTH / (YOUNG * THICKNESS * WIDTH);
    Check::relative("membrane strip: elongation [m]", f64::from(expected), bar(device, ISOTROPIC, Vec3::X)?[0], 0.02)
}

/// Compares with ν ΔL/L of the width.
pub fn bar_contraction(device: &Device) -> Outcome {
    let [elongation, contraction] = bar(device, ISOTROPIC, Vec3::X)?;
    let expected = f64::from(POISSON * WIDTH / (0.5 * LENGTH)) * elongation;
    Check::relative("membrane strip: contraction [m]", expected, contraction, 0.1)
}

/// Compares with F L/(E A) along the warp.
pub fn warp_stretch(device: &Device) -> Outcome {
    let expected = PULL * 0.5 * LENGTH / (YOUNG * THICKNESS * WIDTH);
    let [elongation, _] = bar(device, WOVEN, Vec3::X)?;
    Check::relative("woven strip along the warp: elongation [m]", f64::from(expected), elongation, 0.02)
}

/// Compares with F L/(E A) along the weft.
pub fn weft_stretch(device: &Device) -> Outcome {
    let expected = PULL * 0.5 * LENGTH / (WEFT * THICKNESS * WIDTH);
    let [elongation, _] = bar(device, WOVEN, Vec3::Z)?;
    Check::relative("woven strip along the weft: elongation [m]", f64::from(expected), elongation, 0.02)
}
