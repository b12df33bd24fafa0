//! Bodies between the passes of a substep.

use super::recorder::Frame;
use crate::world_kernels::BodyKernels;

impl<'a> Frame<'a> {
    /// Returns the kernels of bodies, if constraints and forces move any.
    fn body_kernels(&self) -> Option<&'a BodyKernels> {
        self.world.kernels.bodies.as_ref().filter(|_| self.world.counts.has_dynamic_bodies)
    }

    /// Moves bodies along their paths, or as if there were no constraints.
    pub(super) fn predict_bodies(&mut self, substep: u32) {
        let Self { world, groups, .. } = *self;
        if let Some(kernels) = world.kernels.bodies.as_ref().filter(|_| world.counts.kinematic_bodies > 0) {
            self.run(&kernels.move_kinematic, &groups.inputs, world.counts.kinematic_bodies);
        }
        if let Some(kernels) = self.body_kernels() {
            let kernel = if substep > 0 && self.fused { &kernels.end_and_predict } else { &kernels.predict };
            self.run(kernel, &groups.inputs, world.counts.bodies);
        }
    }

    /// Computes velocities from the corrections of the constraints, unless the next substep does.
    pub(super) fn end_body_substep(&mut self, substep: u32) {
        let Self { world, groups, .. } = *self;
        if let Some(kernels) = self.body_kernels().filter(|_| !self.fused || substep + 1 == world.counts.substeps) {
            self.run(&kernels.end, &groups.inputs, world.counts.bodies);
        }
    }

    /// Freezes bodies that are not finite and folds offsets.
    pub(super) fn fold_bodies(&mut self) {
        let Self { world, groups, .. } = *self;
        if let Some(kernels) = self.body_kernels() {
            self.run(&kernels.fold_offsets, &groups.inputs, world.counts.bodies);
        }
    }
}
