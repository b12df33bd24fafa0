//! The parameters of a pass at the end of a frame.
#![expect(unsafe_code, reason = "every block has its own part of the new parameters")]

use smallvec::SmallVec;

use super::super::compiled::Flow;
use super::super::disjoint::Disjoint;
use super::super::project::Nodes;
use super::super::team::Crew;
use super::{Ids, lanes_at, prepare};
use crate::program::interpret::{self, Lanes, WIDE};
use crate::schedule::TracedPass;

impl Nodes<'_> {
    /// Gives the constraints of a pass the parameters of the next frame; the uniforms are those of the
    /// whole frame.
    pub fn flow(&self, crew: &Crew<'_>, pass: &mut TracedPass, flow: &Flow) {
        let count = pass.len();
        let mut fresh: Vec<Vec<f32>> = vec![vec![0.0; count]; flow.changed.len()];
        let out: Vec<Disjoint<'_, f32>> = fresh.iter_mut().map(|column| Disjoint::new(column)).collect();
        crew.run(count.div_ceil(WIDE), |_, blocks| {
            let mut registers: Vec<Lanes<WIDE>> = Vec::new();
            prepare(&mut registers, &flow.compiled, &self.uniforms);
            for slot in blocks.map(|block| block * WIDE) {
                self.flow_block(&mut registers, pass, flow, slot, &out);
            }
        });
        for (&(_, column), fresh) in flow.changed.iter().zip(&fresh) {
            pass.columns[column][..count].copy_from_slice(fresh);
        }
    }

    fn flow_block(
        &self,
        registers: &mut [Lanes<WIDE>],
        pass: &TracedPass,
        flow: &Flow,
        slot: usize,
        out: &[Disjoint<'_, f32>],
    ) {
        let count = WIDE.min(pass.len() - slot);
        let ids: SmallVec<[Ids<'_, WIDE>; 4]> = pass.nodes.iter().map(|column| Ids::new(column, slot, count)).collect();
        self.gather(registers, &flow.compiled, &ids, count);
        let mut flows = [false; WIDE];
        for node in &flow.compiled.nodes {
            let weights = &registers[node.inverse_mass];
            flows.iter_mut().zip(weights).for_each(|(flows, &w)| *flows |= w > 0.0);
        }
        let columns: SmallVec<[&Lanes<WIDE>; 48]> = pass.columns.iter().map(|column| lanes_at(column, slot)).collect();
        interpret::run::<WIDE, 16>(&flow.compiled.program, registers, &columns, count);
        let outputs = flow.changed.iter().map(|&(output, _)| match flow.compiled.program.outputs[output].resolve() {
            Ok(register) => &registers[register],
            Err(column) => columns[column],
        });
        let outputs: SmallVec<[&Lanes<WIDE>; 8]> = outputs.collect();
        for lanes in &outputs {
            flows.iter_mut().zip(*lanes).for_each(|(flows, param)| *flows &= param.is_finite());
        }
        for ((&(_, column), lanes), out) in flow.changed.iter().zip(&outputs).zip(out) {
            // SAFETY: every block has its own slots.
            let stored = unsafe { out.slice(slot..slot + count) };
            for (lane, param) in stored.iter_mut().enumerate() {
                *param = if flows[lane] { lanes[lane] } else { columns[column][lane] };
            }
        }
    }
}
