//! Bodies between the passes of a substep.

use super::Frame;
use crate::world_kernels::BodyKernels;

impl<'a> Frame<'a> {
    /// Returns the kernels of bodies, if constraints and forces move any.
    fn body_kernels(&self) -> Option<&'a BodyKernels> {
        self.home.kernels.bodies.as_ref().filter(|_| self.home.bodies_move)
    }

    /// Moves bodies along their paths, or as if there were no constraints.
    pub(super) fn predict_bodies(&mut self, substep: u32) {
        let Self { home, groups, .. } = *self;
        if let Some(kernels) = home.kernels.bodies.as_ref().filter(|_| home.followers > 0) {
            self.run(&kernels.follow, &groups.inputs, home.followers);
        }
        if let Some(kernels) = self.body_kernels() {
            let kernel = if substep > 0 && self.fused { &kernels.advance } else { &kernels.predict };
            self.run(kernel, &groups.inputs, home.bodies);
        }
    }

    /// Takes velocities from what the constraints have moved and turned, unless the next substep does.
    pub(super) fn conclude_bodies(&mut self, substep: u32) {
        let Self { home, groups, .. } = *self;
        if let Some(kernels) = self.body_kernels().filter(|_| !self.fused || substep + 1 == home.substeps) {
            self.run(&kernels.conclude, &groups.inputs, home.bodies);
        }
    }

    /// Freezes what is not finite and folds offsets.
    pub(super) fn fold_bodies(&mut self) {
        let Self { home, groups, .. } = *self;
        if let Some(kernels) = self.body_kernels() {
            self.run(&kernels.fold, &groups.inputs, home.bodies);
        }
    }
}
