//! The kernel of a constraint type: gather, the recorded update, scatter.

mod evolution;
mod printed_update;
mod slot_function;

pub use evolution::EvolutionKernel;
pub use printed_update::Update;

use xpbd_core::connector::Connectors;
use xpbd_core::constraint::ConstraintType;
use xpbd_core::constraint::update::UpdateVariant;

use crate::pipelines::{STATE, sized};
use crate::rotation;
use slot_function::{Function, MultiplierStorage};

/// Threads of a workgroup.
pub const WORKGROUP_SIZE: u32 = 128;

/// The uniform of a pass.
pub const RANGE_STRUCT: &str = include_str!("wgsl/range.wgsl");

/// The constraints of a pass, as kernels find them.
pub const RANGE: &str = concat!(include_str!("wgsl/range.wgsl"), include_str!("wgsl/pass_data.wgsl"));

/// How particles alone are moved, by constraints of a colour and of the remainder.
pub const PARTICLES: &str = concat!(include_str!("wgsl/shift_particle.wgsl"), include_str!("wgsl/gather.wgsl"));

/// The mark of a body in a list of nodes.
pub const BODY_BIT: u32 = 1 << 31;

/// The kernel of a pass, and what it reads of the columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassKernel {
    /// Functions `solve` for a slot of a colour and `correct` for one of the remainder.
    pub text: String,
    /// Columns in the order in which they follow the node columns: the same for all kernels of a type.
    pub columns: Vec<u16>,
    /// How nodes are moved.
    moves: String,
    /// How nodes of the remainder are.
    gather: &'static str,
}

impl PassKernel {
    /// Returns the whole text of the kernels of a pass.
    pub fn module(&self) -> String {
        sized(&[STATE, RANGE, &self.moves, self.gather, include_str!("wgsl/pass.wgsl"), &self.text].concat())
    }

    /// The same kernel for a remainder whose corrections are not added up before they move a node.
    #[must_use]
    pub fn in_order(self, connectors: &Connectors) -> Self {
        let gather = if connectors.only_particles() {
            include_str!("wgsl/gather_in_order.wgsl")
        } else {
            include_str!("wgsl/gather_bodies_in_order.wgsl")
        };
        Self { gather, ..self }
    }

    /// The kernel of a type; `warm` where multipliers are kept from iteration to iteration.
    pub fn new(kind: &ConstraintType, connectors: &Connectors, damped: bool, warm: bool) -> Self {
        let kept = if kind.has_target_rates() { MultiplierStorage::Always } else { MultiplierStorage::WhereRead };
        Self::printed(kind, connectors, damped, warm, kept, |shared| {
            let variant = UpdateVariant { warm, damped, shared };
            Update::new(kind, connectors, variant, &|_, column| format!("c{column}"))
        })
    }

    /// The kernel of a type whose multipliers are read after every substep.
    pub fn keeping(kind: &ConstraintType, connectors: &Connectors, warm: bool) -> Self {
        Self::printed(kind, connectors, false, warm, MultiplierStorage::Always, |shared| {
            let variant = UpdateVariant { warm, damped: false, shared };
            Update::new(kind, connectors, variant, &|_, column| format!("c{column}"))
        })
    }

    /// Returns what moves nodes, and the functions of the kernel.
    pub fn parts(&self) -> [&str; 2] {
        [&self.moves, &self.text]
    }

    /// The kernel that changes velocities at the end of a substep, of a type that does.
    pub fn rates(kind: &ConstraintType, connectors: &Connectors, damped: bool) -> Option<Self> {
        let printed = || {
            let update = |shared| Update::rates(kind, connectors, shared);
            Self::printed(kind, connectors, damped, true, MultiplierStorage::Impulses, update)
        };
        kind.has_target_rates().then(printed)
    }

    fn printed(
        kind: &ConstraintType,
        connectors: &Connectors,
        damped: bool,
        warm: bool,
        kept: MultiplierStorage,
        update: impl Fn(bool) -> Update,
    ) -> Self {
        let columns = read_columns(kind, connectors, damped);
        let mut text = String::new();
        for (name, shared) in [("solve", false), ("correct", true)] {
            let function = Function { update: update(shared), connectors, columns: &columns, warm, shared, kept };
            text += &function.text(name);
        }
        let gather = [include_str!("wgsl/gather_bodies.wgsl"), include_str!("wgsl/gather.wgsl")];
        let gather = gather[usize::from(connectors.only_particles())];
        Self { text, columns, moves: moves(connectors, kept == MultiplierStorage::Impulses), gather }
    }
}

/// Columns that any kernel of a type reads. Cold kernels and those of colours read no others than the
/// warm one of the remainder.
fn read_columns(kind: &ConstraintType, connectors: &Connectors, damped: bool) -> Vec<u16> {
    let variant = UpdateVariant { warm: true, damped, shared: true };
    let mut columns = Update::new(kind, connectors, variant, &|_, _| String::new()).columns;
    if kind.has_target_rates() {
        columns.extend(Update::rates(kind, connectors, true).columns);
    }
    if let Some((update, flowed)) = Update::flow(kind, connectors) {
        columns.extend(update.columns);
        columns.extend(flowed.iter().map(|&(column, _)| column));
    }
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// Returns how nodes are moved, or with `rates` their velocities changed.
fn moves(connectors: &Connectors, rates: bool) -> String {
    let particle = [include_str!("wgsl/shift_particle.wgsl"), include_str!("wgsl/speed_particle.wgsl")];
    let body = [include_str!("wgsl/shift_body.wgsl"), include_str!("wgsl/speed_body.wgsl")];
    let (particle, body) = (particle[usize::from(rates)], body[usize::from(rates)]);
    if connectors.only_particles() {
        return particle.into();
    }
    let turned = if rates { String::new() } else { rotation::turned() };
    [include_str!("wgsl/axes.wgsl"), &turned, particle, body].concat()
}

/// Vectors of a correction: passes with bodies have a displacement and a rotation for every node.
pub fn vectors(connectors: &Connectors) -> usize {
    if connectors.only_particles() { 1 } else { 2 }
}
