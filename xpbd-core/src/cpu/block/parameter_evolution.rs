//! The parameters of a pass at the end of a frame.
#![expect(unsafe_code, reason = "every block has its own part of the new parameters")]

use smallvec::SmallVec;

use super::super::compiled_program::ParameterEvolution;
use super::super::nodes::NodeArrays;
use super::{BlockIds, lanes_at, prepare};
use crate::parallel::{DisjointSlice, WorkerScope};
use crate::program::interpret::{self, Lanes, WIDE_LANES};
use crate::schedule::TracedPass;

impl NodeArrays<'_> {
    /// Gives the constraints of a pass the parameters of the next frame; the uniforms are those of the
    /// whole frame.
    pub fn evolve_parameters(&self, workers: &WorkerScope<'_>, pass: &mut TracedPass, evolution: &ParameterEvolution) {
        let count = pass.len();
        let mut fresh: Vec<Vec<f32>> = vec![vec![0.0; count]; evolution.changed.len()];
        let out: Vec<DisjointSlice<'_, f32>> = fresh.iter_mut().map(|column| DisjointSlice::new(column)).collect();
        workers.run(count.div_ceil(WIDE_LANES), |_, blocks| {
            let mut registers: Vec<Lanes<WIDE_LANES>> = Vec::new();
            prepare(&mut registers, &evolution.compiled, &self.uniforms);
            for slot in blocks.map(|block| block * WIDE_LANES) {
                self.evolve_block(&mut registers, pass, evolution, slot, &out);
            }
        });
        for (&(_, column), fresh) in evolution.changed.iter().zip(&fresh) {
            pass.columns[column][..count].copy_from_slice(fresh);
        }
    }

    fn evolve_block(
        &self,
        registers: &mut [Lanes<WIDE_LANES>],
        pass: &TracedPass,
        evolution: &ParameterEvolution,
        slot: usize,
        out: &[DisjointSlice<'_, f32>],
    ) {
        let count = WIDE_LANES.min(pass.len() - slot);
        let ids: SmallVec<[BlockIds<'_, WIDE_LANES>; 4]> =
            pass.nodes.iter().map(|column| BlockIds::new(column, slot, count)).collect();
        self.gather(registers, &evolution.compiled, &ids, count);
        let mut evolves = [false; WIDE_LANES];
        for node in &evolution.compiled.nodes {
            let weights = &registers[node.inverse_mass];
            evolves.iter_mut().zip(weights).for_each(|(evolves, &w)| *evolves |= w > 0.0);
        }
        let columns: SmallVec<[&Lanes<WIDE_LANES>; 48]> =
            pass.columns.iter().map(|column| lanes_at(column, slot)).collect();
        interpret::run::<WIDE_LANES, 16>(&evolution.compiled.program, registers, &columns, count);
        let outputs =
            evolution.changed.iter().map(|&(output, _)| match evolution.compiled.program.outputs[output].resolve() {
                Ok(register) => &registers[register],
                Err(column) => columns[column],
            });
        let outputs: SmallVec<[&Lanes<WIDE_LANES>; 8]> = outputs.collect();
        for lanes in &outputs {
            evolves.iter_mut().zip(*lanes).for_each(|(evolves, param)| *evolves &= param.is_finite());
        }
        for ((&(_, column), lanes), out) in evolution.changed.iter().zip(&outputs).zip(out) {
            // SAFETY: every block has its own slots.
            let stored = unsafe { out.slice(slot..slot + count) };
            for (lane, param) in stored.iter_mut().enumerate() {
                *param = if evolves[lane] { lanes[lane] } else { columns[column][lane] };
            }
        }
    }
}
