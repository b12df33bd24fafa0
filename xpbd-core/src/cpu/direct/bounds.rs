//! Rows with bounds in a direct solve: limits and motors of joints.
//!
//! Before a solution, every such row is given a part in it by its multiplier and by what the positions say:
//!
//! | part | equation | multiplier |
//! |---|---|---|
//! | equation | J Δ + ã λ = −e | between its bounds |
//! | at a stop | J Δ = δ | beyond what the row pushes with elsewhere |
//! | held | λ = b | the bound b |
//! | left out | none | as it was, none in a solution from predicted positions |
//!
//! A solution in which a multiplier is not admissible is refused. The rows at fault are held in the next one; if that is
//! refused too, all are left out: what is left is for the sweep, and for the next substep.

use std::array::from_fn;

use smallvec::SmallVec;

use super::lanes::Wide;
use super::{Aim, Linearized, Solve};
use crate::constraint::layout::uniform;
use crate::constraint::update::linearization::{MAX_ROWS, NO_BOUND};
use crate::parallel::DisjointSlice;
use crate::schedule::direct::{BEYOND_BOUND, ConstraintBlock, NEAR_STOP, RowWithBounds};

/// The part of a row in a solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum RowPart {
    /// It has not been given one.
    #[default]
    New,
    /// It is left out.
    LeftOut,
    /// It is an equation.
    Equation,
    /// It is at the lower stop.
    LowStop,
    /// It is at the upper stop.
    HighStop,
    /// Its multiplier is given.
    Held,
}

/// A row with bounds during a solution.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BoundedRow {
    part: RowPart,
    /// Least admissible multiplier.
    least: f32,
    /// Greatest admissible multiplier.
    greatest: f32,
}

/// The bounds of a row.
struct Bounds {
    /// −e: the change of C that the equation asks for.
    target: f32,
    /// Least and greatest multiplier.
    lambda: [f32; 2],
    /// The ways to the stops.
    stops: [f32; 2],
}

impl Bounds {
    /// Gives the row its part, from its multiplier.
    fn part(&self, multiplier: f32) -> BoundedRow {
        let Self { target, lambda: [low, high], stops: [down, up] } = *self;
        let row = |part, least, greatest| BoundedRow { part, least, greatest };
        let (below, above) = (low - low.abs() * BEYOND_BOUND, high + high.abs() * BEYOND_BOUND);
        let pushes_up = multiplier > above || (multiplier > low && target < down);
        if down > 0.0 || (pushes_up && down > -NEAR_STOP) {
            return row(RowPart::LowStop, if target < down { low } else { high }, NO_BOUND);
        }
        let pushes_down = multiplier < below || (multiplier < high && target > up);
        if up < 0.0 || (pushes_down && up < NEAR_STOP) {
            return row(RowPart::HighStop, -NO_BOUND, if target > up { high } else { low });
        }
        if multiplier > low && multiplier < high {
            return row(RowPart::Equation, low, high);
        }
        BoundedRow::LEFT_OUT
    }
}

impl BoundedRow {
    const LEFT_OUT: Self = Self { part: RowPart::LeftOut, least: -NO_BOUND, greatest: NO_BOUND };

    /// Returns the admissible multiplier nearest to one.
    pub fn nearest(&self, lambda: f32) -> f32 {
        if lambda < self.least {
            self.least
        } else if lambda > self.greatest {
            self.greatest
        } else {
            lambda
        }
    }

    /// Returns whether the row has an equation.
    fn is_solved(&self) -> bool {
        matches!(self.part, RowPart::Equation | RowPart::LowStop | RowPart::HighStop)
    }
}

/// The parts of the rows of a constraint in a system.
pub struct BoundedRows<const L: usize> {
    /// For each row whether it has an equation.
    pub solved: [[bool; L]; MAX_ROWS],
    /// For each row the given change of its multiplier.
    pub given: [Wide<L>; MAX_ROWS],
    /// True if any change is given.
    pub has_given: bool,
}

impl<const L: usize> Solve<'_, '_, '_, L> {
    /// Forgets the parts of all rows with bounds.
    pub(super) fn forget_bounded_rows(&mut self) {
        self.system.bounded.clear();
        self.system.bounded.resize(self.structure.bounded.len(), [BoundedRow::default(); L]);
        self.system.is_refused = [false; L];
    }

    /// Gives the rows with bounds of a constraint their parts, unless they have them, and changes their equations
    /// accordingly.
    ///
    /// # Safety
    /// The same as for [`Solve::begin`].
    #[inline(always)]
    pub(super) unsafe fn add_bounded_rows(
        &mut self,
        at: Linearized,
        constraint: &ConstraintBlock,
        slots: &[u32],
        warm: [bool; L],
    ) -> BoundedRows<L> {
        let mut rows = BoundedRows { solved: [[true; L]; MAX_ROWS], given: [Wide::ZERO; MAX_ROWS], has_given: false };
        let pass = &self.context.passes[at.pass];
        let outputs = at.outputs(self.linearizations, self.context.passes);
        let block = &self.structure.blocks[constraint.block as usize];
        let of_velocities = self.context.aim == Aim::Velocities;
        let (size, own) = (block.size as usize, block.first as usize);
        let h = self.context.nodes.uniforms[uniform::DT as usize];
        for a in pass.linear.equations..pass.linear.rows.len() {
            let k = a - pass.linear.equations;
            let output = |output: usize| Wide::<L>::of_output(outputs, at.first, output);
            let place = pass.linear.bounds(k);
            let [low, high, down, up] = [output(place), output(place + 1), output(place + 2), output(place + 3)];
            let error = output(a);
            let multipliers = &pass.lambda[pass.linear.rows[a]];
            let bounded = &mut self.system.bounded[constraint.first_bounded as usize + k];
            let right = &mut self.system.right[block.row as usize + a];
            let mut is_stopped = [false; L];
            for lane in 0..L {
                // SAFETY: passed on to the caller.
                let lambda = unsafe { multipliers.get(slots[lane] as usize) };
                let row = &mut bounded[lane];
                if row.part == RowPart::New {
                    let (lambda_bounds, stops) = ([low.0[lane], high.0[lane]], [down.0[lane], up.0[lane]]);
                    *row = Bounds { target: -error.0[lane], lambda: lambda_bounds, stops }.part(lambda);
                }
                if row.part == RowPart::Held {
                    rows.has_given = true;
                    rows.given[a].0[lane] = match (of_velocities, warm[lane]) {
                        (true, _) => (row.least - lambda) / h,
                        (false, true) => row.least - lambda,
                        (false, false) => row.least,
                    };
                }
                let stop = match row.part {
                    RowPart::LowStop => Some(down.0[lane]),
                    RowPart::HighStop => Some(up.0[lane]),
                    _ => None,
                };
                rows.solved[a][lane] = row.is_solved();
                is_stopped[lane] = stop.is_some();
                if !row.is_solved() || of_velocities {
                    right.0[lane] = 0.0;
                } else if let Some(way) = stop {
                    right.0[lane] = way;
                }
            }
            let solved = rows.solved[a];
            for b in 0..size {
                let entry = &mut self.system.numbers[own + a.min(b) * size + a.max(b)];
                let outside = |lane: usize| if a == b && !solved[lane] { -1.0 } else { 0.0 };
                let keeps = |lane: usize| solved[lane] && !is_stopped[lane];
                *entry = Wide(from_fn(|lane| if keeps(lane) { entry.0[lane] } else { outside(lane) }));
            }
        }
        rows
    }

    /// Returns the multipliers of a row, and the slot of that of a component.
    fn multipliers_of(&self, lane: usize, row: &RowWithBounds) -> (&DisjointSlice<'_, f32>, usize) {
        let lambda = &self.context.passes[row.pass as usize].lambda[row.row as usize];
        (lambda, self.slot(row.constraint as usize, lane) as usize)
    }

    /// Returns the multiplier of a row by the solution.
    ///
    /// # Safety
    /// The same as for [`Solve::begin`].
    #[inline(always)]
    unsafe fn multiplier(&self, lane: usize, warm: bool, row: &RowWithBounds) -> f32 {
        let change = self.system.right[row.solution as usize].0[lane];
        let (lambda, slot) = self.multipliers_of(lane, row);
        // SAFETY: passed on to the caller.
        let before = unsafe { lambda.get(slot) };
        match self.context.aim {
            Aim::Velocities => before - self.context.nodes.uniforms[uniform::DT as usize] * change,
            _ => (if warm { before } else { 0.0 }) - change,
        }
    }

    /// Returns whether the solution of a component is refused, and changes the parts of rows for the next one if so.
    ///
    /// # Safety
    /// The same as for [`Solve::begin`].
    #[inline(always)]
    pub(super) unsafe fn refuses(&mut self, lane: usize, warm: bool) -> bool {
        let mut refused: SmallVec<[(usize, f32); 8]> = SmallVec::new();
        for (number, row) in self.structure.bounded.iter().enumerate() {
            let bounded = &self.system.bounded[number][lane];
            if bounded.is_solved() {
                // SAFETY: passed on to the caller.
                let lambda = unsafe { self.multiplier(lane, warm, row) };
                let nearest = bounded.nearest(lambda);
                refused.extend((nearest != lambda).then_some((number, nearest)));
            }
        }
        if refused.is_empty() {
            return false;
        }
        for &(number, bound) in &refused {
            let held = BoundedRow { part: RowPart::Held, least: bound, greatest: bound };
            self.system.bounded[number][lane] = held;
        }
        if std::mem::replace(&mut self.system.is_refused[lane], true) {
            self.system.bounded.iter_mut().for_each(|row| row[lane] = BoundedRow::LEFT_OUT);
        }
        true
    }

    /// Adds the impulses of a solution for velocities to the multipliers of rows with bounds of some of the components.
    ///
    /// # Safety
    /// The same as for [`Solve::begin`].
    #[inline(always)]
    pub(super) unsafe fn add_impulses(&self, are_added: [bool; L]) {
        for (bounded, row) in self.system.bounded.iter().zip(&self.structure.bounded) {
            for lane in (0..L).filter(|&lane| are_added[lane]) {
                let (lambda, slot) = self.multipliers_of(lane, row);
                // SAFETY: passed on to the caller.
                unsafe { lambda.set(slot, bounded[lane].nearest(self.multiplier(lane, true, row))) };
            }
        }
    }
}
