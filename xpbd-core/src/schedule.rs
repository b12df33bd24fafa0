//! The plan: which constraints are solved when, as plain data that every back end follows.
//!
//! Batches of one type and one set of connectors form a **pass**. In a pass constraints that share
//! a movable node may not be solved at the same time: they are coloured, and the colours are solved
//! one after the other (Gauss–Seidel). What finds no colour below the cap is the **remainder**,
//! solved all at once from the same positions (Jacobi) with every node split into shares. So are
//! all constraints of a node that has more of them than a sweep bears ([`scheduled_batch`]).

pub mod colouring;
pub mod direct;
pub mod pass;
pub mod patches;
pub mod scheduled_batch;

pub use colouring::Colouring;
pub use direct::DirectSystem;
pub use pass::{ParameterAppender, RemainderNode, TracedPass};
pub use patches::{PatchStage, Strips};
pub(crate) use scheduled_batch::CollectedConstraints;
pub use scheduled_batch::{PassSlot, ScheduledBatch};

use std::fmt;

/// One step of a [`Plan`].
#[derive(Debug, Clone)]
pub enum Pass {
    /// Traced constraints of one type.
    Traced(Box<TracedPass>),
    /// A hand-written batch, by its number in the order of batches.
    Custom(usize),
    /// A medium, by its place among those of the state.
    Medium(usize),
}

/// The passes that a substep solves, in order. `{}` prints them as a table.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The passes in order: those that are solved before contacts, then those that are solved after them.
    pub passes: Vec<Pass>,
    /// The systems of the constraints that are solved directly.
    pub direct: DirectSystem,
}

impl Pass {
    /// Returns whether it is solved after contacts.
    pub fn is_after_contacts(&self) -> bool {
        matches!(self, Self::Traced(pass) if pass.kind.is_after_contacts())
    }
}

impl Plan {
    /// Returns how many passes are solved before contacts; the others are solved after them.
    pub fn before_contacts(&self) -> usize {
        self.passes.partition_point(|pass| !pass.is_after_contacts())
    }

    /// Returns the traced passes in order.
    pub fn traced(&self) -> impl Iterator<Item = &TracedPass> {
        self.passes.iter().filter_map(|pass| match pass {
            Pass::Traced(pass) => Some(pass.as_ref()),
            Pass::Custom(_) | Pass::Medium(_) => None,
        })
    }

    /// Returns the traced passes in order, to be changed.
    pub fn traced_mut(&mut self) -> impl Iterator<Item = &mut TracedPass> {
        self.passes.iter_mut().filter_map(|pass| match pass {
            Pass::Traced(pass) => Some(pass.as_mut()),
            Pass::Custom(_) | Pass::Medium(_) => None,
        })
    }

    /// Returns how many passes from this one on are merged: divided by the same strips, so that each stage of all of them is
    /// solved at once, patch by patch, before the rest of any. At least 1.
    pub fn merged(&self, pass: usize) -> usize {
        let is_after = self.passes.get(pass).is_some_and(Pass::is_after_contacts);
        let is_divided = |pass: &Pass| matches!(pass, Pass::Traced(pass) if !pass.stages.is_empty());
        let is_merged = |pass: &&Pass| is_divided(pass) && pass.is_after_contacts() == is_after;
        self.passes.iter().skip(pass).take_while(is_merged).count().max(1)
    }

    /// Returns whether constraints are solved in any way but directly.
    pub fn has_sweeps(&self) -> bool {
        self.passes.iter().any(|pass| match pass {
            Pass::Traced(pass) => pass.is_swept() && !pass.is_empty(),
            Pass::Custom(_) | Pass::Medium(_) => true,
        })
    }

    /// Returns how many groups are solved one after the other: colours, and remainders.
    pub fn colour_count(&self) -> usize {
        self.traced().map(|pass| pass.colours.len() + usize::from(!pass.remainder.is_empty())).sum()
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<24} {:>12} {:>8} {:>10} {:>10}", "pass", "constraints", "colours", "largest", "remainder")?;
        for pass in &self.passes {
            match pass {
                Pass::Traced(pass) => {
                    let largest = pass.colours.iter().map(|colour| colour.len()).max().unwrap_or(0);
                    let (name, count, colours) = (pass.kind.name(), pass.slots.len(), pass.colours.len());
                    writeln!(f, "{name:<24} {count:>12} {colours:>8} {largest:>10} {:>10}", pass.remainder.len())?;
                }
                Pass::Custom(batch) => writeln!(f, "batch {batch} (as a whole)")?,
                Pass::Medium(medium) => writeln!(f, "medium {medium} (as a whole)")?,
            }
        }
        Ok(())
    }
}
