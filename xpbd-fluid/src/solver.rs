//! All fluids of a world.

use glam::Vec4;
use xpbd_core::medium::kernel::{MediumKernel, MediumStage};
use xpbd_core::medium::{Material, Medium, MediumContext, MediumSolver};

use crate::adhesion::{self, Adhesion};
use crate::density::{self, Density};
use crate::kernel::{self, REACH};
use crate::material::{ADHESION, SURFACE_TENSION, VISCOSITY, VORTICITY};
use crate::surface_tension::{self, SurfaceTension};
use crate::viscosity::{self, Viscosity};
use crate::vorticity::{self, Vorticity};

/// The medium of all fluids.
pub const FLUID_MEDIUM: &dyn Medium = &FluidMedium;

#[derive(Debug)]
struct FluidMedium;

impl Medium for FluidMedium {
    fn name(&self) -> &'static str {
        "fluids"
    }

    fn reach(&self) -> f32 {
        REACH
    }

    fn solver(&self) -> Box<dyn MediumSolver> {
        Box::<FluidSolver>::default()
    }

    fn kernel(&self, materials: &[Material]) -> Option<MediumKernel> {
        let common = kernel::wgsl() + include_str!("kernel.wgsl") + &density::wgsl();
        let used = |number, stages: fn() -> Vec<MediumStage>| match any(materials, number) {
            true => stages(),
            false => Vec::new(),
        };
        // In this order the stages of an effect read what was handed on before those of the next overwrite it.
        let more = [
            used(SURFACE_TENSION, surface_tension::stages),
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
    surface: SurfaceTension,
    viscosity: Viscosity,
    adhesion: Adhesion,
    vorticity: Vorticity,
}

impl MediumSolver for FluidSolver {
    fn project(&mut self, around: &MediumContext<'_>, corrections: &mut [Vec4]) {
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

    fn velocities(&mut self, around: &MediumContext<'_>, changes: &mut [Vec4]) {
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

/// Returns whether a parameter of any of these materials is not 0.
fn any(materials: &[Material], number: usize) -> bool {
    materials.iter().any(|material| material.parameters[number] > 0.0)
}
