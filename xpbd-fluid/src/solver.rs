//! All fluids of a world.

use glam::Vec4;
use xpbd_core::medium::kernel::{MediumKernel, MediumStage};
use xpbd_core::medium::{Around, Material, Medium, Solver};

use crate::adhesion::{self, Adhesion};
use crate::density::{self, Density};
use crate::kernel::REACH;
use crate::liquid::{ADHESION, SURFACE_TENSION, VISCOSITY, VORTICITY};
use crate::surface::{self, Surface};
use crate::viscosity::{self, Viscosity};
use crate::vorticity::{self, Vorticity};

/// The medium that all fluids are of.
pub const FLUIDS: &dyn Medium = &Fluids;

#[derive(Debug)]
struct Fluids;

impl Medium for Fluids {
    fn name(&self) -> &'static str {
        "fluids"
    }

    fn reach(&self) -> f32 {
        REACH
    }

    fn solver(&self) -> Box<dyn Solver> {
        Box::<FluidSolver>::default()
    }

    fn kernel(&self, materials: &[Material]) -> Option<MediumKernel> {
        let common = concat!(include_str!("kernel.wgsl"), include_str!("density.wgsl"));
        let used = |number, stages: fn() -> Vec<MediumStage>| match any(materials, number) {
            true => stages(),
            false => Vec::new(),
        };
        // In this order, of each hook too, what the stages of one thing hand on is read before the next write.
        let more = [
            used(SURFACE_TENSION, surface::stages),
            used(ADHESION, adhesion::stages),
            used(VISCOSITY, viscosity::stages),
            used(VORTICITY, vorticity::stages),
        ]
        .concat();
        let fields = if more.is_empty() { 1 } else { 2 };
        let stages = [density::stages(), more].concat();
        Some(MediumKernel { common: common.into(), fields, stages })
    }
}

/// Solves fluids on the CPU.
#[derive(Debug, Default)]
struct FluidSolver {
    density: Density,
    surface: Surface,
    viscosity: Viscosity,
    adhesion: Adhesion,
    vorticity: Vorticity,
}

impl Solver for FluidSolver {
    fn project(&mut self, around: &Around<'_>, corrections: &mut [Vec4]) {
        self.density.project(around, corrections);
        if around.first && any(around.materials, SURFACE_TENSION) {
            self.surface.add(around, corrections);
        }
    }

    fn pushes(&self) -> Box<dyn Iterator<Item = &[f32]> + '_> {
        Box::new(self.density.pushes())
    }

    fn changes_velocities(&self, materials: &[Material]) -> bool {
        [VISCOSITY, ADHESION, VORTICITY].into_iter().any(|number| any(materials, number))
    }

    fn velocities(&mut self, around: &Around<'_>, changes: &mut [Vec4]) {
        if any(around.materials, VISCOSITY) {
            self.viscosity.add(around, &self.density, changes);
        }
        if any(around.materials, ADHESION) {
            self.adhesion.add(around, &self.density, changes);
        }
        if any(around.materials, VORTICITY) {
            self.vorticity.add(around, changes);
        }
    }
}

/// Whether a number of any of these materials is not 0.
fn any(materials: &[Material], number: usize) -> bool {
    materials.iter().any(|material| material.numbers[number] > 0.0)
}
