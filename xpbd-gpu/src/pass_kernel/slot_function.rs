//! What a thread does with one constraint.

use std::fmt::Write;

use xpbd_core::connector::{Connectors, NodeKind};

use super::{PrintedUpdate, vectors_per_correction};

/// Substeps in which new multipliers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MultiplierStorage {
    /// There is no remainder.
    Never,
    /// Substeps after which later iterations or the host read them.
    WhereRead,
    /// In every substep: its end reads them.
    Always,
    /// In every substep, with their sums over the substeps of the frame behind them.
    Summed,
}

/// Returns the index of a column among all of a pass, behind the node columns.
pub fn place(connectors: &Connectors, columns: &[u16], column: u16) -> usize {
    connectors.nodes().len() + columns.iter().position(|&other| other == column).unwrap_or(0)
}

/// The function that solves one slot: gather, the recorded update, scatter.
pub struct SlotFunction<'a> {
    /// Update to print.
    pub update: PrintedUpdate,
    /// Nodes that the slot connects.
    pub connectors: &'a Connectors,
    /// Columns in the order in which they follow the node columns.
    pub columns: &'a [u16],
    /// True if multipliers are read.
    pub warm: bool,
    /// True if it is a slot of the remainder.
    pub shared: bool,
    /// Substeps in which multipliers are stored.
    pub kept: MultiplierStorage,
}

impl SlotFunction<'_> {
    /// Prints the function under a name.
    pub fn text(&self, name: &str) -> String {
        let mut text = format!("fn {name}(slot: u32) {{\n");
        for line in self.nodes().into_iter().chain(self.numbers()) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "    {line}");
        }
        text += &self.update.statements;
        text += &self.multipliers();
        text += &self.corrections();
        text += "}\n\n";
        text
    }

    /// Prints the reads of the nodes.
    pub(super) fn nodes(&self) -> Vec<String> {
        let (update, nodes) = (&self.update, self.connectors.nodes());
        let mut lines: Vec<_> = (0..nodes.len())
            .map(|slot| format!("let i{slot} = data[range.base + {slot}u * range.stride + slot];"))
            .collect();
        for (slot, node) in nodes.iter().enumerate() {
            let inputs = update.layout.nodes[slot];
            let body = *node == NodeKind::Body;
            let place = |of_particle: &str, section: &str| {
                if body { format!("bodies[body_index({section}, i{slot})]") } else { format!("{of_particle}i{slot}]") }
            };
            let mut read = |name: &str, place: String| lines.push(format!("let {name}{slot} = {place};"));
            read("a", place("anchor[", "BODY_ANCHOR"));
            if slot == 0 {
                lines.push("let origin = vec4f(a0.xyz, 0.0);".into());
            }
            let mut read = |name: &str, place: String| lines.push(format!("let {name}{slot} = {place};"));
            read("x", format!("(a{slot} - origin) + {}", place("offset[", "BODY_OFFSET")));
            if update.reads(inputs.previous_position, 3) {
                read("b", format!("(a{slot} - origin) + {}", place("start[", "BODY_START")));
            }
            if update.reads(inputs.velocity, 3) {
                let velocity =
                    if body { place("", "BODY_VELOCITY") } else { format!("motion[vector_index(VELOCITY, i{slot})]") };
                read("u", velocity);
            }
            if body {
                read("q", place("", "BODY_ROTATION"));
                read("j", place("", "BODY_INERTIA"));
                for (name, first, count, section) in [
                    ("r", inputs.previous_rotation, 4, "BODY_START_ROTATION"),
                    ("s", inputs.angular_velocity, 3, "BODY_ANGULAR_VELOCITY"),
                ] {
                    if update.reads(first, count) {
                        read(name, place("", section));
                    }
                }
            }
        }
        lines
    }

    /// Prints the reads of the columns and multipliers.
    pub(super) fn numbers(&self) -> Vec<String> {
        let column = |&column: &u16| {
            let number = place(self.connectors, self.columns, column);
            format!("let c{column} = bitcast<f32>(data[range.base + {number}u * range.stride + slot]);")
        };
        let multiplier = |row| format!("let l{row} = lambda[range.lambda + {row}u * range.stride + slot];");
        let rows = if self.warm { self.update.lambda.len() } else { 0 };
        self.update.columns.iter().map(column).chain((0..rows).map(multiplier)).collect()
    }

    fn multipliers(&self) -> String {
        let (indent, mut text, end) = match self.kept {
            MultiplierStorage::Never => return String::new(),
            MultiplierStorage::WhereRead => ("        ", String::from("    if slot < substep.kept {\n"), "    }\n"),
            MultiplierStorage::Always | MultiplierStorage::Summed => ("    ", String::new(), ""),
        };
        for (row, lambda) in self.update.lambda.iter().enumerate() {
            let _ = writeln!(text, "{indent}lambda[range.lambda + {row}u * range.stride + slot] = {lambda};");
        }
        text + end + &self.sums()
    }

    /// Prints the sums of the multipliers over the substeps of a frame.
    fn sums(&self) -> String {
        let rows = self.update.lambda.len();
        if self.kept != MultiplierStorage::Summed {
            return String::new();
        }
        let mut text = String::from("    if has_flag(LAST_ITERATION) {\n");
        for (row, lambda) in self.update.lambda.iter().enumerate() {
            let place = format!("lambda[range.lambda + {}u * range.stride + slot]", rows + row);
            let _ = writeln!(text, "        {place} = select({place} + {lambda}, {lambda}, has_flag(FIRST_SUBSTEP));");
        }
        text + "    }\n"
    }

    /// Moves the nodes that can be moved, or stores how far they are to be.
    fn corrections(&self) -> String {
        let mut text = String::new();
        let (nodes, vectors) = (self.connectors.nodes(), vectors_per_correction(self.connectors));
        let moves = self.update.shifts.iter().zip(&self.update.turns);
        for (slot, (node, (shift, turn))) in nodes.iter().zip(moves).enumerate() {
            if self.shared {
                let place = format!("{vectors}u * ((slot - range.first) * {}u + {slot}u)", nodes.len());
                let _ = writeln!(text, "    corrections[{place}] = {shift};");
                if vectors == 2 {
                    let _ = writeln!(text, "    corrections[{place} + 1u] = {turn};");
                }
                continue;
            }
            let call = match node {
                NodeKind::Particle => format!("shift_particle(i{slot}, {shift})"),
                NodeKind::Body => format!("shift_body(i{slot}, {shift}, {turn})"),
            };
            let _ = writeln!(text, "    if a{slot}.w > 0.0 {{\n        {call};\n    }}");
        }
        text
    }
}
