//! The linearization of the constraints of a pass.
#![expect(unsafe_code, reason = "every block has its own records")]

use std::ops::Range;

use multiversion::multiversion;
use smallvec::SmallVec;

use super::super::compiled_program::CompiledProgram;
use super::super::nodes::NodeArrays;
use super::{BlockIds, lanes_at, prepare};
use crate::parallel::{DisjointSlice, WorkerScope};
use crate::program::interpret::{self, Lanes, WIDE_LANES};
use crate::schedule::TracedPass;

impl NodeArrays<'_> {
    /// Writes the outputs of a program for each constraint of a pass, one constraint after another.
    pub fn linearize(
        &self,
        workers: &WorkerScope<'_>,
        pass: &TracedPass,
        compiled: &CompiledProgram,
        records: &mut Vec<f32>,
    ) {
        records.resize(pass.len() * compiled.program.outputs.len(), 0.0);
        let records = DisjointSlice::new(records);
        workers.run(pass.len().div_ceil(WIDE_LANES), |_, blocks| {
            let range = blocks.start * WIDE_LANES..pass.len().min(blocks.end * WIDE_LANES);
            linearize(self, pass, compiled, range, records);
        });
    }
}

/// Writes the outputs for a range of slots.
#[multiversion(targets("x86_64+avx+avx2+avx512f+avx512vl+avx512dq", "x86_64+avx+avx2"))]
fn linearize(
    nodes: &NodeArrays<'_>,
    pass: &TracedPass,
    compiled: &CompiledProgram,
    range: Range<usize>,
    records: DisjointSlice<'_, f32>,
) {
    let mut registers: Vec<Lanes<WIDE_LANES>> = Vec::new();
    prepare(&mut registers, compiled, &nodes.uniforms);
    for slot in range.clone().step_by(WIDE_LANES) {
        let count = WIDE_LANES.min(range.end - slot);
        let mut ids: SmallVec<[BlockIds<'_, WIDE_LANES>; 4]> = SmallVec::new();
        for column in &pass.nodes {
            ids.push(BlockIds::new(column, slot, count));
        }
        for (&register, row) in compiled.lambda.iter().zip(&pass.lambda) {
            registers[register] = *lanes_at(row, slot);
        }
        nodes.gather(&mut registers, compiled, &ids, count);
        let mut columns: SmallVec<[&Lanes<WIDE_LANES>; 48]> = SmallVec::new();
        for column in &pass.columns {
            columns.push(lanes_at(column, slot));
        }
        match &compiled.native {
            Some(native) => native.run::<WIDE_LANES>(&mut registers, &columns, count),
            None => interpret::run::<WIDE_LANES, 16>(&compiled.program, &mut registers, &columns, count),
        }
        let width = compiled.program.outputs.len();
        // SAFETY: the slots of a range belong to one thread.
        let records = unsafe { records.slice(slot * width..(slot + count) * width) };
        for (k, output) in compiled.program.outputs.iter().enumerate() {
            let lanes = match output.resolve() {
                Ok(register) => &registers[register],
                Err(column) => columns[column],
            };
            for lane in 0..count {
                records[lane * width + k] = lanes[lane];
            }
        }
    }
}
