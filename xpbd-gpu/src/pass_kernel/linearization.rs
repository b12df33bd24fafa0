//! The kernel that linearizes the constraints of a pass for direct solves.

use std::fmt::Write;

use xpbd_core::schedule::TracedPass;

use super::PrintedUpdate;
use super::slot_function::{MultiplierStorage, SlotFunction};
use crate::wgsl;

/// Prints the kernel of a pass with these columns; nothing of use for one that is not solved directly. The outputs of each
/// constraint follow one another.
pub fn linearization_text(pass: &TracedPass, columns: &[u16]) -> String {
    let Some(linear) = &pass.linearization else { return String::new() };
    let (update, outputs) = PrintedUpdate::linearization(&pass.kind, &pass.connectors, linear);
    let connectors = &pass.connectors;
    let kept = MultiplierStorage::Never;
    let function = SlotFunction { update, connectors, columns, warm: true, shared: false, kept };
    let mut text = String::from("fn linearize(slot: u32) {\n");
    for line in function.nodes().into_iter().chain(function.numbers()) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    {line}");
    }
    text += &function.update.statements;
    let _ = writeln!(text, "    let record = range.entries + slot * {}u;", outputs.len());
    for (k, output) in outputs.iter().enumerate() {
        let _ = writeln!(text, "    memory[record + {k}u] = {output};");
    }
    text += "}\n";
    wgsl::kernel(&[wgsl::RANGE, include_str!("../wgsl/linearization.wgsl"), &text])
}
