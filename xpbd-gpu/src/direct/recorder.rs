//! The dispatches of direct solves on their way into a plan.

use std::ops::Range;

use xpbd_core::schedule::Plan;
use xpbd_core::schedule::direct::Structure;

use super::layout::{Layout, System};
use super::{Aim, DirectPass, DirectSolve, direct_text, multipliers_text};
use crate::device::Device;
use crate::layout::PassRange;
use crate::pass_kernel::linearization_text;
use crate::passes::{Dispatch, PassTable};
use crate::pipelines::{Family, Pipelines};

/// Turns of loops that a thread takes at most in a dispatch: some devices leave a loop after 65,535.
const MAX_TURNS: usize = 40_000;

/// The dispatches on their way into a plan.
pub struct Recorder<'a> {
    pub plan: &'a Plan,
    pub passes: &'a [DirectPass<'a>],
    pub layout: Layout,
    pub table: &'a mut PassTable,
    pub device: &'a Device,
    pub pipelines: &'a mut Pipelines,
}

impl Recorder<'_> {
    /// Returns all dispatches.
    ///
    /// # Errors
    /// The device refuses a kernel.
    pub fn record(&mut self) -> Result<DirectSolve, String> {
        let mut cold = vec![self.dispatch("begin_cold", self.components())?];
        cold.extend(self.rounds(false)?);
        let mut warm = vec![self.dispatch("begin_warm", self.components())?];
        warm.extend(self.rounds(true)?);
        let [rescale, sums] = self.multipliers()?;
        let friction = self.friction()?;
        let (keep_velocities, velocities) = (self.keep_velocities()?, self.velocities()?);
        Ok(DirectSolve { cold, warm, friction, keep_velocities, velocities, rescale, sums })
    }

    fn components(&self) -> usize {
        self.layout.system.component_count as usize
    }

    fn nodes(&self) -> usize {
        self.layout.system.node_count as usize
    }

    /// Returns the dispatches of a solution for positions and of its repeats: from predicted ones, or from where something
    /// else has moved the nodes.
    fn rounds(&mut self, moved: bool) -> Result<Vec<Dispatch>, String> {
        let mut rounds = Vec::new();
        let repeats = self.plan.direct.repeats(moved);
        for round in 0..=repeats {
            rounds.extend(self.round(Aim { is_last: round == repeats, holds: moved, ..Aim::default() })?);
        }
        Ok(rounds)
    }

    /// Returns the dispatches of the solutions for friction; none if no particle is solved directly.
    fn friction(&mut self) -> Result<Vec<Dispatch>, String> {
        let mut list = Vec::new();
        if self.plan.direct.moves_particles() {
            for entry in ["drag", "slide", "stick_or_slide"] {
                list.push(self.dispatch(entry, self.nodes())?);
                list.push(self.dispatch("begin_friction", self.components())?);
                list.extend(self.round(Aim { is_last: true, holds: true, drags: true, ..Aim::default() })?);
            }
        }
        Ok(list)
    }

    /// Returns the dispatches of one solution for positions.
    fn round(&mut self, aim: Aim) -> Result<Vec<Dispatch>, String> {
        let mut round = self.solution(aim)?;
        let [decision, motion] = [
            Aim { is_last: aim.is_last, ..Aim::default() },
            Aim { holds: aim.holds, drags: aim.drags, ..Aim::default() },
        ];
        round.push(self.dispatch_for(decision, "decide", self.components(), self.layout.system)?);
        round.push(self.dispatch("set_multipliers", self.layout.system.constraint_count as usize)?);
        round.push(self.dispatch_for(motion, "move_nodes", self.nodes(), self.layout.system)?);
        Ok(round)
    }

    /// Returns the dispatch that keeps velocities.
    fn keep_velocities(&mut self) -> Result<Vec<Dispatch>, String> {
        Ok(vec![self.dispatch("keep_velocities", self.nodes())?])
    }

    /// Returns the dispatches of a solution for velocities and of its repeats.
    fn velocities(&mut self) -> Result<Vec<Dispatch>, String> {
        let mut list = vec![self.dispatch("begin_velocities", self.components())?];
        let repeats = self.plan.direct.repeats_of_velocities();
        for round in 0..=repeats {
            let aim = Aim { of_velocities: true, is_last: round == repeats, ..Aim::default() };
            list.extend(self.solution(aim)?);
            list.push(self.dispatch_for(aim, "decide_velocities", self.components(), self.layout.system)?);
            list.push(self.dispatch("change_velocities", self.nodes())?);
        }
        Ok(list)
    }

    /// Returns the dispatches that write systems and solve them.
    fn solution(&mut self, aim: Aim) -> Result<Vec<Dispatch>, String> {
        let (components, nodes, system) = (self.components(), self.nodes(), self.layout.system);
        // It does not matter to a system whether another one follows, nor to most of it what is held.
        let of_masses = Aim { is_last: false, ..aim };
        let aim = Aim { of_velocities: aim.of_velocities, ..Aim::default() };
        let mut round = vec![
            self.dispatch("clear", system.number_count as usize)?,
            self.dispatch_for(of_masses, "add_masses", nodes, system)?,
        ];
        for number in 0..self.passes.len() {
            round.push(self.linearization(number)?);
        }
        let part = |part: &Range<usize>| System { first: part.start as u32, end: part.end as u32, ..system };
        for range in parts(&self.plan.direct.structures, constraint_turns) {
            round.push(self.dispatch_for(aim, "assemble", components, part(&range))?);
        }
        let blocks = parts(&self.plan.direct.structures, block_turns);
        for range in &blocks {
            round.push(self.dispatch_for(Aim::default(), "eliminate", components, part(range))?);
        }
        for range in blocks.iter().rev() {
            round.push(self.dispatch_for(Aim::default(), "substitute", components, part(range))?);
        }
        Ok(round)
    }

    /// Returns the dispatch of a kernel that works on whole systems and is the same for every aim.
    fn dispatch(&mut self, entry: &'static str, threads: usize) -> Result<Dispatch, String> {
        self.dispatch_for(Aim::default(), entry, threads, self.layout.system)
    }

    fn dispatch_for(
        &mut self,
        aim: Aim,
        entry: &'static str,
        threads: usize,
        system: System,
    ) -> Result<Dispatch, String> {
        let pipeline = self.pipelines.get(self.device, Family::Pass, &direct_text(aim), entry)?;
        Ok(self.table.dispatch(bytemuck::cast(system), &pipeline, threads))
    }

    /// Returns the dispatch that linearizes the constraints of a pass.
    fn linearization(&mut self, number: usize) -> Result<Dispatch, String> {
        let DirectPass { pass, columns, range } = &self.passes[number];
        let text = linearization_text(pass, columns);
        let pipeline = self.pipelines.get(self.device, Family::Pass, &text, "linearize_all")?;
        let range = PassRange { entries: self.layout.records[number], ..*range };
        Ok(self.table.dispatch(range, &pipeline, pass.len()))
    }

    /// Returns the dispatches that scale multipliers, and those that add them up.
    fn multipliers(&mut self) -> Result<[Vec<Dispatch>; 2], String> {
        let text = multipliers_text();
        let mut lists = [Vec::new(), Vec::new()];
        for (list, entry) in lists.iter_mut().zip(["rescale_multipliers", "sum_multipliers"]) {
            let pipeline = self.pipelines.get(self.device, Family::Pass, &text, entry)?;
            for DirectPass { pass, range, .. } in self.passes {
                if entry == "rescale_multipliers" || !pass.mean_lambda.is_empty() {
                    let count = pass.lambda.len() * pass.len();
                    let range = PassRange { count: count as u32, ..*range };
                    list.push(self.table.dispatch(range, &pipeline, count));
                }
            }
        }
        Ok(lists)
    }
}

/// Returns about how many turns of loops each constraint of a structure takes.
fn constraint_turns(structure: &Structure) -> Vec<usize> {
    let of_block = |block: u32| structure.blocks[block as usize].size as usize;
    let turns = structure.constraints.iter().map(|constraint| {
        let size = of_block(constraint.block);
        1 + 2 * size + 2 * size * size + constraint.entries.len()
    });
    turns.collect()
}

/// Returns the number of turns of loops, or more, that each block of a structure takes.
fn block_turns(structure: &Structure) -> Vec<usize> {
    let turns = structure.blocks.iter().map(|block| {
        let size = block.size as usize;
        let width = |k: u32| block.neighbours[k as usize].size as usize;
        let neighbours = block.neighbours.iter().map(|other| 1 + other.size as usize * (1 + 3 * size + size * size));
        let updates =
            block.updates.iter().map(|update| 1 + width(update.first) * (1 + size + width(update.second) * (1 + size)));
        10 * size + 3 * size * size + size * size * size + neighbours.sum::<usize>() + updates.sum::<usize>()
    });
    turns.collect()
}

/// Divides lists that are followed one after another, one of each structure, so that no part takes too many turns.
fn parts(structures: &[Structure], turns: fn(&Structure) -> Vec<usize>) -> Vec<Range<usize>> {
    let lists: Vec<Vec<usize>> = structures.iter().map(turns).collect();
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    let (mut parts, mut start, mut sum) = (Vec::new(), 0, 0);
    for k in 0..longest {
        let most = lists.iter().filter_map(|list| list.get(k)).max().copied().unwrap_or(0);
        if sum + most > MAX_TURNS && k > start {
            parts.push(start..k);
            (start, sum) = (k, 0);
        }
        sum += most;
    }
    parts.push(start..longest);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_hold_every_number_once_and_none_takes_too_many_turns() {
        let turns = |structure: &Structure| vec![MAX_TURNS / 4; structure.numbers as usize];
        let of = |numbers: u32| Structure { numbers, ..Structure::default() };
        assert_eq!(parts(&[of(3), of(10)], turns), [0..4, 4..8, 8..10]);
    }
}
