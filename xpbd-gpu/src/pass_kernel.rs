//! The kernel of a constraint type: gather, the recorded update, scatter.

mod evolution;
mod linearization;
mod printed_update;
mod slot_function;

pub use evolution::EvolutionKernel;
pub use linearization::linearization_text;
pub use printed_update::PrintedUpdate;

use xpbd_core::connector::Connectors;
use xpbd_core::constraint::ConstraintType;
use xpbd_core::constraint::update::UpdateVariant;
use xpbd_core::schedule::TracedPass;

use crate::layout::wgsl_constants;
use crate::recorded;
use crate::wgsl;
use slot_function::{MultiplierStorage, SlotFunction};

/// The kernel of a pass, and the columns that it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassKernel {
    /// Functions `solve` for a slot of a colour and `correct` for one of the remainder.
    pub functions: String,
    /// Columns in the order in which they follow the node columns: the same for all kernels of a type.
    pub columns: Vec<u16>,
    /// Vectors of a correction.
    vectors: usize,
    /// True if velocities are changed instead of positions.
    changes_velocities: bool,
    /// True if corrections of the remainder move a node one after the other instead of being added up.
    in_order: bool,
}

impl PassKernel {
    /// Returns the whole text of the kernels of a pass, of which a workgroup with this many threads solves a patch.
    pub fn module(&self, patch_threads: u32) -> String {
        let pass = &include_str!("wgsl/pass.wgsl").replace("$patch_group", &patch_threads.to_string());
        wgsl::kernel(&[wgsl::RANGE, wgsl::PASS_DATA, &self.moves(), GATHER, pass, &self.functions])
    }

    /// Returns its functions with names that end so, for a text in which there are those of several kernels.
    pub fn functions_named(&self, name: &str) -> String {
        let named = self.functions.replace("fn solve(", &format!("fn solve_{name}("));
        named.replace("fn correct(", &format!("fn correct_{name}("))
    }

    /// Returns the functions that move nodes, and the constants of [`GATHER`].
    pub fn moves(&self) -> String {
        moves(self.vectors, self.changes_velocities, self.in_order)
    }

    /// Returns the functions that move nodes where there are particles alone, and the constants of [`GATHER`].
    pub fn particle_moves() -> String {
        moves(1, false, false)
    }

    /// Returns the same kernel for a remainder whose corrections are not added up before they move a node.
    #[must_use]
    pub fn in_order(self) -> Self {
        Self { in_order: true, ..self }
    }

    /// Prints the kernel of a type; with `warm` multipliers are kept from iteration to iteration.
    pub fn new(kind: &ConstraintType, connectors: &Connectors, damped: bool, warm: bool) -> Self {
        let kept = if kind.has_target_rates() { MultiplierStorage::Always } else { MultiplierStorage::WhereRead };
        Self::solving(kind, connectors, damped, warm, kept)
    }

    /// Prints the kernel of a pass, which sums its multipliers over a frame if the pass has room for the sums.
    pub fn of_pass(pass: &TracedPass, warm: bool) -> Self {
        let (kind, connectors, damped) = (&pass.kind, &pass.connectors, pass.is_damped());
        if pass.linearization.is_some() {
            // Rows that are swept begin with the multipliers of the direct solve, whose kernels add them up.
            let columns = read_columns(kind, connectors, true);
            let variant = UpdateVariant { warm: true, damped, settled: true, ..UpdateVariant::default() };
            return Self::with_columns(kind, connectors, columns, variant, MultiplierStorage::Always);
        }
        if pass.mean_lambda.is_empty() {
            return Self::new(kind, connectors, damped, warm);
        }
        Self::solving(kind, connectors, damped, warm, MultiplierStorage::Summed)
    }

    fn solving(
        kind: &ConstraintType,
        connectors: &Connectors,
        damped: bool,
        warm: bool,
        kept: MultiplierStorage,
    ) -> Self {
        let columns = read_columns(kind, connectors, damped);
        let variant = UpdateVariant { warm: warm || kind.keeps_multipliers(), damped, ..UpdateVariant::default() };
        Self::with_columns(kind, connectors, columns, variant, kept)
    }

    fn with_columns(
        kind: &ConstraintType,
        connectors: &Connectors,
        columns: Vec<u16>,
        variant: UpdateVariant,
        kept: MultiplierStorage,
    ) -> Self {
        Self::printed(connectors, columns, variant.warm, kept, |shared| {
            PrintedUpdate::new(kind, connectors, UpdateVariant { shared, ..variant }, &|_, column| format!("c{column}"))
        })
    }

    /// Prints the kernel of a type whose multipliers are read after every substep.
    pub fn keeping(kind: &ConstraintType, connectors: &Connectors, warm: bool) -> Self {
        Self::solving(kind, connectors, false, warm, MultiplierStorage::Always)
    }

    /// Prints the kernel that changes velocities at the end of a substep, of a type that does.
    pub fn rates(kind: &ConstraintType, connectors: &Connectors, damped: bool) -> Option<Self> {
        let printed = || {
            let update = |shared| PrintedUpdate::rates(kind, connectors, shared);
            let columns = read_columns(kind, connectors, damped);
            let kernel = Self::printed(connectors, columns, true, MultiplierStorage::Always, update);
            Self { changes_velocities: true, ..kernel }
        };
        kind.has_target_rates().then(printed)
    }

    /// Prints the kernel of impacts, of a type that has them.
    pub fn impacts(kind: &ConstraintType, connectors: &Connectors, damped: bool) -> Option<Self> {
        let printed = || {
            let update = |shared| PrintedUpdate::impacts(kind, connectors, shared);
            let columns = read_columns(kind, connectors, damped);
            let kernel = Self::printed(connectors, columns, true, MultiplierStorage::Always, update);
            Self { changes_velocities: true, ..kernel }
        };
        kind.has_impact().then(printed)
    }

    /// Prints the kernel with which a substep begins, of a type that keeps its multipliers; it may scale them down.
    pub fn warm_start(kind: &ConstraintType, connectors: &Connectors, damped: bool) -> Option<Self> {
        let printed = || {
            let update = |_| PrintedUpdate::warm_start(kind, connectors);
            Self::printed(connectors, read_columns(kind, connectors, damped), true, MultiplierStorage::Always, update)
        };
        kind.keeps_multipliers().then(printed)
    }

    fn printed(
        connectors: &Connectors,
        columns: Vec<u16>,
        warm: bool,
        kept: MultiplierStorage,
        update: impl Fn(bool) -> PrintedUpdate,
    ) -> Self {
        let mut functions = String::new();
        for (name, shared) in [("solve", false), ("correct", true)] {
            let function = SlotFunction { update: update(shared), connectors, columns: &columns, warm, shared, kept };
            functions += &function.text(name);
        }
        Self {
            functions,
            columns,
            vectors: vectors_per_correction(connectors),
            changes_velocities: false,
            in_order: false,
        }
    }
}

/// Columns that any kernel of a type reads. Cold kernels and those of colours read no others than the
/// warm one of the remainder.
fn read_columns(kind: &ConstraintType, connectors: &Connectors, damped: bool) -> Vec<u16> {
    let variant = UpdateVariant { warm: true, damped, shared: true, ..UpdateVariant::default() };
    let mut columns = PrintedUpdate::new(kind, connectors, variant, &|_, _| String::new()).columns;
    if kind.has_target_rates() {
        columns.extend(PrintedUpdate::rates(kind, connectors, true).columns);
    }
    if kind.has_impact() {
        columns.extend(PrintedUpdate::impacts(kind, connectors, true).columns);
    }
    if let Some((update, flowed)) = PrintedUpdate::evolution(kind, connectors) {
        columns.extend(update.columns);
        columns.extend(flowed.iter().map(|&(column, _)| column));
    }
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// The kernel that moves the nodes of a remainder.
pub const GATHER: &str = include_str!("wgsl/gather.wgsl");

fn moves(vectors: usize, changes_velocities: bool, in_order: bool) -> String {
    let constants = wgsl_constants!(VECTORS = vectors) + &format!("const IN_ORDER = {in_order};\n");
    constants + &shift_text(changes_velocities)
}

/// Returns the functions that move particles and bodies, or change their velocities.
pub fn shift_text(changes_velocities: bool) -> String {
    let constant = format!("const CHANGES_VELOCITIES = {changes_velocities};\n");
    [wgsl::AXES, &recorded::rotated(), &constant, include_str!("wgsl/shift.wgsl")].concat()
}

/// Vectors of a correction: passes with bodies have a displacement and a rotation for every node.
pub fn vectors_per_correction(connectors: &Connectors) -> usize {
    if connectors.only_particles() { 1 } else { 2 }
}
