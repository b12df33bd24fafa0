//! The kernel that changes the parameters of a pass at the end of a frame.

use std::fmt::Write;

use xpbd_core::connector::Connectors;
use xpbd_core::constraint::ConstraintType;

use super::slot_function::{MultiplierStorage, SlotFunction, place};
use super::{PrintedUpdate, read_columns};
use crate::wgsl;

/// The kernel of a type that changes its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvolutionKernel {
    /// The whole text.
    pub text: String,
    /// The columns that it changes, and their places among all of the pass.
    pub changed: Vec<(u16, u32)>,
}

impl EvolutionKernel {
    /// Prints the kernel of a type, if it changes its parameters.
    pub fn new(kind: &ConstraintType, connectors: &Connectors, damped: bool) -> Option<Self> {
        let (update, flowed) = PrintedUpdate::evolution(kind, connectors)?;
        let columns = read_columns(kind, connectors, damped);
        let place = |column: u16| place(connectors, &columns, column) as u32;
        let changed = flowed.iter().map(|&(column, _)| (column, place(column))).collect();
        let function = SlotFunction {
            update,
            connectors,
            columns: &columns,
            warm: false,
            shared: false,
            kept: MultiplierStorage::Never,
        };
        let own = include_str!("../wgsl/evolution.wgsl");
        let text = wgsl::kernel(&[wgsl::RANGE, own, &function.evolve(&flowed)]);
        Some(Self { text, changed })
    }
}

impl SlotFunction<'_> {
    /// Prints the function that gives one slot the parameters of the next frame.
    fn evolve(&self, flowed: &[(u16, String)]) -> String {
        let mut text = String::from("fn evolve(slot: u32) {\n");
        for line in self.nodes().into_iter().chain(self.numbers()) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "    {line}");
        }
        text += &self.update.statements;
        let nodes = 0..self.connectors.nodes().len();
        let moves: Vec<_> = nodes.map(|slot| format!("a{slot}.w > 0.0")).collect();
        let _ = writeln!(text, "    if !({}) {{\n        return;\n    }}", moves.join(" || "));
        for three in flowed.chunks(3) {
            let mut numbers = three.iter().map(|(_, number)| number.as_str()).collect::<Vec<_>>();
            numbers.resize(3, "0.0");
            let _ = writeln!(text, "    if is_not_finite(vec3f({})) {{\n        return;\n    }}", numbers.join(", "));
        }
        for (column, number) in flowed {
            let place = place(self.connectors, self.columns, *column);
            let _ = writeln!(text, "    data[range.base + {place}u * range.stride + slot] = bitcast<u32>({number});");
        }
        text + "}\n"
    }
}
