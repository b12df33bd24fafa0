//! Batches: what the registry, the scheduler and the back ends see of constraints.

pub mod break_limits;
mod breaking;
pub mod kernel;
pub mod nodes;
pub mod numbers;
pub mod registry;
pub mod traced;

pub use break_limits::BreakLimits;
pub use kernel::BatchKernel;
pub use nodes::{NodeCounts, Nodes};
pub use numbers::BatchNumbers;
pub use registry::{Registry, RestoreBatch};
pub use traced::Batch;

use std::any::Any;
use std::fmt::Debug;

use smallvec::SmallVec;
use thiserror::Error;

use crate::connector::ConnectorError;
use crate::constraint::ConstraintError;
use crate::medium::Material;

/// A node of a batch: its number among the particles or bodies that the batch was added with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BatchNode {
    /// A particle, counted through the batch's objects in order.
    Particle(u32),
    /// A body, an index into the batch's bodies.
    Body(u32),
}

/// Why the data of a batch was refused.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum BatchError {
    /// The constraint type is not valid.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// The connectors do not fit together, or not the number of points.
    #[error("batch `{0}`: {1}")]
    Connectors(String, ConnectorError),
    /// A list has the wrong length.
    #[error("batch `{name}`: {found} {what} for {count} constraints of {each} each")]
    Length {
        /// The name of the constraint type.
        name: String,
        /// Description of the list's entries.
        what: &'static str,
        /// Length of the list.
        found: usize,
        /// Number of constraints.
        count: usize,
        /// Entries that each constraint needs.
        each: usize,
    },
    /// A node does not exist.
    #[error("batch `{name}`: constraint {constraint} names {what} {index}, but there are {count}")]
    Index {
        /// The name of the constraint type.
        name: String,
        /// Index of the constraint.
        constraint: usize,
        /// Type of the node: `particle` or `body`.
        what: &'static str,
        /// The index that no node has.
        index: u32,
        /// Number of nodes of this kind.
        count: usize,
    },
    /// Two slots of a constraint hold one node.
    #[error("batch `{name}`: constraint {constraint} names {what} {index} twice")]
    Repeated {
        /// The name of the constraint type.
        name: String,
        /// Index of the constraint.
        constraint: usize,
        /// Type of the node: `particle` or `body`.
        what: &'static str,
        /// The index that occurs twice.
        index: u32,
    },
    /// A number is not one that it may be.
    #[error("batch `{name}`: {what} of constraint {constraint} is {value}; it must be {must}")]
    Number {
        /// The name of the constraint type.
        name: String,
        /// Index of the constraint.
        constraint: usize,
        /// Name of the number.
        what: &'static str,
        /// The value that was refused.
        value: f32,
        /// Requirement that the value violates.
        must: &'static str,
    },
    /// A parameter is NaN or infinite.
    #[error("batch `{name}`: parameter `{parameter}` of constraint {constraint} is {value}; it must be finite")]
    Parameter {
        /// The name of the constraint type.
        name: String,
        /// Index of the constraint.
        constraint: usize,
        /// Name of the parameter.
        parameter: String,
        /// The value that was refused.
        value: f32,
    },
    /// The constraints cannot be solved directly.
    #[error(
        "batch `{0}`: it cannot be solved directly, because each of its rows has bounds, more than six have none, or \
         rows are solved one after the other; take `ConstraintSolver::Sweep`"
    )]
    NotDirect(String),
    /// Saved bytes of a hand-written batch that cannot be read.
    #[error("batch `{0}`: the saved data cannot be read: {1}")]
    Saved(String, String),
}

/// A set of constraints of one kind.
///
/// [`Batch`] implements it for every traced constraint, and the scheduler merges and colours
/// those. What has no fixed number of points (a cluster, a density estimate) implements it by hand
/// and is projected as a whole, in the order in which batches were added.
pub trait ConstraintBatch: Any + Debug + Send + Sync {
    /// Returns the name under which the type is registered.
    fn name(&self) -> &str;

    /// Makes its type known to a world that it is added to, which can then restore its own snapshots. A hand-written batch
    /// that does nothing here has to be [registered](Registry::register_batch) first.
    ///
    /// # Errors
    /// Another type of the same name.
    fn register(&self, _registry: &mut Registry) -> Result<(), ConstraintError> {
        Ok(())
    }

    /// Returns how many constraints it holds.
    fn len(&self) -> usize;

    /// Returns whether it holds none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the nodes that a constraint touches.
    fn nodes(&self, constraint: usize) -> SmallVec<[BatchNode; 8]>;

    /// Refuses data that does not fit the nodes the batch is added with.
    ///
    /// # Errors
    /// The first constraint at fault.
    fn validate(&self, counts: NodeCounts) -> Result<(), BatchError>;

    /// Returns the traced batch that this is, if it is one.
    fn traced(&self) -> Option<&Batch> {
        None
    }

    /// Returns the traced batch that this is, if it is one, to change it.
    fn traced_mut(&mut self) -> Option<&mut Batch> {
        None
    }

    /// Numbers of a hand-written batch that may change while a world runs, without a new plan
    /// ([`World::edit_parameters`](crate::world::World::edit_parameters)); at most
    /// [`BatchKernel::MAX_INPUTS`] where it has a kernel. [`ConstraintBatch::validate`] checks them.
    fn inputs(&self) -> &[f32] {
        &[]
    }

    /// These numbers, to change them.
    fn inputs_mut(&mut self) -> &mut [f32] {
        &mut []
    }

    /// Returns whether another batch differs from this one in numbers alone, which
    /// [`World::update_object`](crate::world::World::update_object) changes without adding the object anew.
    fn has_same_topology(&self, other: &dyn ConstraintBatch) -> bool {
        self.name() == other.name() && self.save() == other.save()
    }

    /// Returns what the batch's objects are, if they are of a medium: the batch then says only that, and has
    /// nothing to solve by itself.
    fn material(&self) -> Option<Material> {
        None
    }

    /// Returns whether its objects may fall asleep: true for a hand-written batch that does nothing to objects at rest.
    fn lets_sleep(&self) -> bool {
        self.traced().is_some()
    }

    /// Called once before the substeps of a frame of length `dt` \[s\].
    fn begin_frame(&mut self, _nodes: &mut Nodes<'_>, _dt: f32) {}

    /// Called at the start of each substep of length `h` \[s\], after prediction.
    fn begin_substep(&mut self, _nodes: &mut Nodes<'_>, _h: f32) {}

    /// Moves the nodes toward satisfying the constraints, once an iteration.
    fn project(&mut self, _nodes: &mut Nodes<'_>, _h: f32) {}

    /// Changes velocities at the end of each substep.
    fn velocity_pass(&mut self, _nodes: &mut Nodes<'_>, _h: f32) {}

    /// Called once after the substeps of a frame.
    fn end_frame(&mut self, _nodes: &mut Nodes<'_>, _dt: f32) {}

    /// Returns the multipliers λ of a hand-written batch's constraint in the last substep.
    fn multipliers(&self, _constraint: usize) -> SmallVec<[f32; 6]> {
        SmallVec::new()
    }

    /// Returns the residual of a hand-written batch's constraint: how far it is from satisfied.
    fn residual(&self, _nodes: &Nodes<'_>, _constraint: usize) -> f32 {
        0.0
    }

    /// Returns what the batch does on a GPU; without it, it runs on the CPU only. Asked for again after
    /// every edit of a world's constraints.
    fn kernel(&self) -> Option<BatchKernel> {
        None
    }

    /// Takes over what its kernel has written: all buffers in order, empty those that are only read.
    fn read_back(&mut self, _buffers: &[Vec<u32>]) {}

    /// The batch as bytes; [`Registry`] knows how to read them.
    fn save(&self) -> Vec<u8>;
}
