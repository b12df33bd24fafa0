//! The linearization of constraints of a pass.
#![expect(unsafe_code, reason = "a direct solve reads the multipliers of its own constraints")]

use multiversion::multiversion;
use smallvec::SmallVec;

use super::super::compiled_program::LinearizationProgram;
use super::super::nodes::NodeArrays;
use super::{BlockIds, PassData, prepare};
use crate::program::interpret::{self, Lanes, WIDE_LANES};

/// Working memory for the linearization of a type.
#[derive(Default)]
pub struct LinearizationScratch {
    /// The registers of the program, then the columns, of which those are filled that it reads.
    lanes: Vec<Lanes<WIDE_LANES>>,
}

impl LinearizationScratch {
    /// Fills in what all constraints of a pass share.
    pub fn prepare(&mut self, nodes: &NodeArrays<'_>, linearization: &LinearizationProgram, columns: usize) {
        prepare(&mut self.lanes, &linearization.compiled, &nodes.uniforms);
        self.lanes.resize(linearization.compiled.registers + columns, [0.0; WIDE_LANES]);
    }

    /// Returns the outputs of the last block.
    #[inline(always)]
    pub fn outputs<'a>(&'a self, linearization: &'a LinearizationProgram) -> Outputs<'a> {
        Outputs { lanes: &self.lanes, places: &linearization.outputs }
    }
}

/// The outputs of a linearization.
#[derive(Clone, Copy)]
pub struct Outputs<'a> {
    lanes: &'a [Lanes<WIDE_LANES>],
    /// The place of each output.
    places: &'a [usize],
}

impl<'a> Outputs<'a> {
    /// Returns an output.
    #[inline(always)]
    pub fn get(self, output: usize) -> &'a Lanes<WIDE_LANES> {
        &self.lanes[self.places[output]]
    }
}

impl NodeArrays<'_> {
    /// Computes the linearizations of up to [`WIDE_LANES`] constraints of a pass.
    ///
    /// # Safety
    /// No other thread writes their nodes and multipliers.
    pub unsafe fn linearize(
        &self,
        scratch: &mut LinearizationScratch,
        linearization: &LinearizationProgram,
        pass: &PassData<'_>,
        slots: &[u32],
    ) {
        // SAFETY: passed on to the caller.
        unsafe { linearize(self, scratch, linearization, pass, slots) }
    }
}

/// Does what [`NodeArrays::linearize`] says.
///
/// # Safety
/// The same.
#[multiversion(targets("x86_64+avx+avx2+avx512f+avx512vl+avx512dq", "x86_64+avx+avx2"))]
unsafe fn linearize(
    nodes: &NodeArrays<'_>,
    scratch: &mut LinearizationScratch,
    linearization: &LinearizationProgram,
    pass: &PassData<'_>,
    slots: &[u32],
) {
    let LinearizationProgram { compiled, columns: read, .. } = linearization;
    let (registers, columns) = scratch.lanes.split_at_mut(compiled.registers);
    let mut ids: SmallVec<[BlockIds<'_, WIDE_LANES>; 4]> = SmallVec::new();
    for column in pass.nodes {
        // Lanes without a constraint repeat the last one.
        let mut block = [column[slots[slots.len() - 1] as usize]; WIDE_LANES];
        block.iter_mut().zip(slots).for_each(|(id, &slot)| *id = column[slot as usize]);
        ids.push(BlockIds::Part(block));
    }
    for (&register, row) in compiled.lambda.iter().zip(pass.lambda) {
        // SAFETY: by the contract nobody writes them.
        let lambda = |&slot: &u32| unsafe { row.get(slot as usize) };
        registers[register].iter_mut().zip(slots).for_each(|(lane, slot)| *lane = lambda(slot));
    }
    for &column in read {
        let numbers = &pass.columns[column];
        columns[column].iter_mut().zip(slots).for_each(|(lane, &slot)| *lane = numbers[slot as usize]);
    }
    nodes.gather(registers, compiled, &ids, slots.len());
    let mut lanes: SmallVec<[&Lanes<WIDE_LANES>; 48]> = SmallVec::new();
    for column in columns.iter() {
        lanes.push(column);
    }
    match compiled.native() {
        Some(native) => native.run::<WIDE_LANES>(registers, &lanes, slots.len()),
        None => interpret::run::<WIDE_LANES, 16>(&compiled.program, registers, &lanes, slots.len()),
    }
}
