//! What constraints do to their nodes, in newtons and newton metres.

use glam::Vec3;
use smallvec::SmallVec;

use super::World;
use super::error::WorldError;
use crate::connector::NodeKind;
use crate::handle::BatchHandle;
use crate::program::interpret::evaluate;

/// The force and the torque of a constraint on one of its nodes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ConstraintReaction {
    /// Force \[N\].
    pub force: Vec3,
    /// Torque \[N m\] about the centre of mass; 0 for a particle.
    pub torque: Vec3,
}

impl World {
    /// Returns the force and the torque with which a traced constraint acted on each of its nodes in the last frame,
    /// Σ ∇C λ/h² over its rows with the gradient where the nodes are now. λ is the mean over the substeps of the frame if
    /// any of its nodes is a body; otherwise it is that of the last substep. Nothing before the first step after an
    /// edit, and for a constraint that is not solved or is written by hand.
    ///
    /// # Errors
    /// A stale handle, or no such constraint.
    pub fn reaction(
        &self,
        handle: BatchHandle,
        constraint: usize,
    ) -> Result<SmallVec<[ConstraintReaction; 2]>, WorldError> {
        let state = &self.state;
        let per_multiplier = 1.0 / state.effective_square(state.last_substep);
        let loads = state.with_slot(handle, constraint, |pass, slot| {
            let (mut gathered, columns) = state.program_inputs(pass, slot);
            let lambda = pass.layout.lambda as usize;
            let multipliers = pass.reaction_multipliers().iter().map(|row| row[slot] * per_multiplier);
            gathered[lambda..].iter_mut().zip(multipliers).for_each(|(lambda, force)| *lambda = force);
            let uniforms = state.uniforms(state.last_substep);
            let mut numbers = evaluate(&pass.reaction_program(), &gathered, &columns, &uniforms).into_iter();
            let mut vector = || Vec3::from_array(std::array::from_fn(|_| numbers.next().unwrap_or(0.0)));
            let node = |&kind: &NodeKind| {
                let force = vector();
                ConstraintReaction { force, torque: if kind == NodeKind::Body { vector() } else { Vec3::ZERO } }
            };
            pass.connectors.nodes().iter().map(node).collect()
        })?;
        Ok(loads.unwrap_or_default())
    }
}
