//! All fluids of a world.

use glam::Vec4;
use xpbd_core::medium::kernel::MediumKernel;
use xpbd_core::medium::{Around, Material, Medium, Solver};

use crate::density::{self, Density};
use crate::kernel::REACH;

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

    fn kernel(&self, _materials: &[Material]) -> Option<MediumKernel> {
        let common = concat!(include_str!("kernel.wgsl"), include_str!("density.wgsl"));
        Some(MediumKernel { common: common.into(), fields: 1, stages: density::stages() })
    }
}

/// Solves fluids on the CPU.
#[derive(Debug, Default)]
struct FluidSolver {
    density: Density,
}

impl Solver for FluidSolver {
    fn project(&mut self, around: &Around<'_>, corrections: &mut [Vec4]) {
        self.density.project(around, corrections);
    }

    fn pushes(&self) -> Box<dyn Iterator<Item = &[f32]> + '_> {
        Box::new(self.density.pushes())
    }

    fn changes_velocities(&self, _materials: &[Material]) -> bool {
        false
    }

    fn velocities(&mut self, _around: &Around<'_>, _changes: &mut [Vec4]) {}
}
