//! The elimination of components of one structure as machine code: a straight list of instructions, without what is known to
//! be zero. It does what the [elimination](super::elimination) of their blocks does, in the same order, so the bits are the
//! same.

use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;

use super::elimination;
use super::lanes::Wide;
use super::{DirectPass, SystemNumbers};
use crate::connector::NodeKind;
use crate::constraint::update::linearization::Linearization;
use crate::cpu::block::linearize::LinearizationScratch;
use crate::cpu::native::NativeProgram;
use crate::program::interpret::{Lanes, NARROW_LANES, WIDE_LANES};
use crate::program::{Graph, InputSource, Operand, Program, Sym};
use crate::schedule::direct::{Block, Entry, LANES, Structure};
use crate::schedule::{Pass, Plan};

/// Number of constraints of a component whose linearizations are computed at once for a full group.
const CONSTRAINTS_AT_ONCE: usize = WIDE_LANES / LANES;
/// The most products of an elimination that is recorded: that of a long chain would take longer to compile than it saves.
const MAX_PRODUCTS: usize = 50_000;
/// The most numbers that a program reads.
const MAX_COLUMNS: usize = 1 << 15;
/// The number of eliminations that are kept beside those of a plan.
const MAX_KEPT: usize = 32;

/// The source of numbers that a program reads one after another.
#[derive(Debug)]
enum Sources {
    /// The right-hand sides of all rows.
    Right,
    /// The numbers of the system with these indices.
    System(Vec<u32>),
    /// Outputs of the linearization of a constraint, which is the k-th of the structure in a pass.
    Outputs { pass: usize, constraint: usize, outputs: Vec<u16> },
}

/// The inputs of a program on their way into the list of its columns.
struct Inputs<'g> {
    graph: &'g Graph,
    sources: Vec<Sources>,
    count: usize,
}

impl<'g> Inputs<'g> {
    /// Returns the next column.
    fn next(&mut self) -> Sym<'g> {
        self.count += 1;
        self.graph.input(InputSource::Column((self.count - 1) as u16))
    }

    /// Returns a number of the system.
    fn number(&mut self, place: u32) -> Sym<'g> {
        match self.sources.last_mut() {
            Some(Sources::System(places)) => places.push(place),
            _ => self.sources.push(Sources::System(vec![place])),
        }
        self.next()
    }

    /// Returns an output of the linearization of a constraint.
    fn output(&mut self, of: (usize, usize), output: u16) -> Sym<'g> {
        match self.sources.last_mut() {
            Some(Sources::Outputs { pass, constraint, outputs }) if (*pass, *constraint) == of => outputs.push(output),
            _ => self.sources.push(Sources::Outputs { pass: of.0, constraint: of.1, outputs: vec![output] }),
        }
        self.next()
    }
}

/// The elimination of a structure as machine code.
#[derive(Debug)]
pub struct RecordedElimination {
    native: NativeProgram,
    registers: usize,
    sources: Vec<Sources>,
    /// The place of the solution of each row at the end.
    solution: Vec<Operand>,
}

impl RecordedElimination {
    /// Records the elimination of a structure whose constraints have these linearizations. None if rows may repeat others,
    /// if it is too large, or if no code can be made here.
    fn new(structure: &Structure, linearizations: &[&Linearization]) -> Option<Self> {
        if structure.may_repeat || products(structure) > MAX_PRODUCTS {
            return None;
        }
        let graph = Graph::new();
        let mut inputs = Inputs { graph: &graph, sources: vec![Sources::Right], count: 0 };
        let mut right: Vec<Sym<'_>> = (0..structure.rows).map(|_| inputs.next()).collect();
        let mut numbers = vec![Sym::Literal(0.0); structure.numbers as usize];
        for node in &structure.nodes {
            let block = &structure.blocks[node.block as usize];
            let is_body = node.kind == NodeKind::Body;
            if is_body && node.first_axis == 0 {
                let mass = inputs.number(block.first);
                (0..3).for_each(|axis| numbers[(block.first + axis * (block.size + 1)) as usize] = mass);
            }
            let rotates = u32::from(node.first_axis) + block.size == 6;
            let first = if is_body { block.size - 3 } else { 0 };
            for place in upper_triangle(block, first..first + 3).filter(|_| rotates || !is_body) {
                numbers[place as usize] = inputs.number(place);
            }
        }
        for (pass, range) in &structure.passes {
            let linear = linearizations[*pass];
            for (k, constraint) in structure.constraints[range.clone()].iter().enumerate() {
                let block = &structure.blocks[constraint.block as usize];
                for place in upper_triangle(block, 0..block.size) {
                    numbers[place as usize] = inputs.number(place);
                }
                for &Entry { output, row, target, .. } in &constraint.entries {
                    let value = match (row, constant(linear, output)) {
                        // Which rows with bounds are equations is not known before.
                        (Some(_), _) => inputs.number(target),
                        (None, Some(value)) => Sym::Literal(value),
                        (None, None) => inputs.output((*pass, k), output),
                    };
                    numbers[target as usize] = numbers[target as usize] + value;
                }
            }
        }
        if inputs.count > MAX_COLUMNS {
            return None;
        }
        let sources = inputs.sources;
        let least = vec![Sym::Literal(0.0); right.len()];
        elimination::solve(structure, &mut numbers, &mut right, &least);
        let program = Program::lower(&graph, &right);
        let native = NativeProgram::new(&program, NARROW_LANES)?;
        let Program { registers, outputs: solution, .. } = program;
        Some(Self { native, registers, sources, solution })
    }

    /// Solves the systems of a group: their right-hand sides become the solutions.
    #[inline(always)]
    pub fn solve<const L: usize>(
        &self,
        system: &mut SystemNumbers<L>,
        passes: &[DirectPass<'_>],
        linearizations: &[Vec<LinearizationScratch>],
    ) {
        let SystemNumbers { numbers, right, registers, .. } = system;
        registers.resize(self.registers.max(registers.len()), [0.0; L]);
        let mut columns: SmallVec<[&Lanes<L>; 1024]> = SmallVec::new();
        for source in &self.sources {
            match source {
                Sources::Right => columns.extend(right.iter().map(|row| &row.0)),
                Sources::System(places) => columns.extend(places.iter().map(|&place| &numbers[place as usize].0)),
                Sources::Outputs { pass, constraint, outputs } => {
                    let block = &linearizations[*pass][constraint / CONSTRAINTS_AT_ONCE];
                    let (all, lanes) = (block.outputs(passes[*pass].program), constraint % CONSTRAINTS_AT_ONCE);
                    columns.extend(outputs.iter().map(|&output| &all.get(output.into()).as_chunks().0[lanes]));
                }
            }
        }
        self.native.run(registers, &columns, L);
        let solution = self.solution.iter().map(|place| match place.resolve() {
            Ok(register) => Wide(registers[register]),
            Err(column) => Wide(*columns[column]),
        });
        let solution: SmallVec<[Wide<L>; 128]> = solution.collect();
        drop(columns);
        right.copy_from_slice(&solution);
    }
}

/// Returns the places of the upper triangle of some rows and columns of a block on the diagonal.
fn upper_triangle(block: &Block, rows: Range<u32>) -> impl Iterator<Item = u32> {
    let (first, size, end) = (block.first, block.size, rows.end);
    rows.flat_map(move |a| (a..end).map(move |b| first + a * size + b))
}

/// Returns the value of an output that is a constant.
fn constant(linear: &Linearization, output: u16) -> Option<f32> {
    let register = linear.program.outputs[usize::from(output)].resolve().ok()?;
    let constants = linear.program.constants.iter();
    constants.copied().find(|&(constant, _)| usize::from(constant) == register).map(|(_, value)| value)
}

/// Returns the number of products of an elimination in which nothing is zero.
fn products(structure: &Structure) -> usize {
    let of_block = structure.blocks.iter().map(|block| {
        let size = block.size as usize;
        let width = |k: u32| block.neighbours[k as usize].size as usize;
        let neighbours: usize = block.neighbours.iter().map(|other| size * size * other.size as usize).sum();
        let updates: usize = block.updates.iter().map(|update| size * width(update.first) * width(update.second)).sum();
        size * size * size + neighbours + updates
    });
    of_block.sum()
}

/// The eliminations that have been recorded.
#[derive(Default)]
pub struct RecordedEliminations {
    known: Vec<KnownElimination>,
    /// Those of the structures of the plan.
    of_plan: Vec<Option<Arc<RecordedElimination>>>,
    /// Number of blocks of linearizations of each direct pass that they read.
    blocks: Vec<usize>,
}

/// The elimination of a structure with these linearizations, none if it cannot be recorded.
struct KnownElimination {
    structure: Structure,
    linearizations: Vec<Arc<Linearization>>,
    recorded: Option<Arc<RecordedElimination>>,
}

impl RecordedEliminations {
    /// Takes those of a plan, which are recorded where they are new and several components are solved at once.
    pub fn take(&mut self, plan: &Plan) {
        let direct = &plan.direct;
        let linearization = |&pass: &usize| match &plan.passes[pass] {
            Pass::Traced(pass) => pass.linearization.clone(),
            Pass::Custom(_) | Pass::Medium(_) => None,
        };
        let linearizations: Vec<Arc<Linearization>> = direct.passes.iter().filter_map(linearization).collect();
        let mut has_lanes = vec![false; direct.structures.len()];
        direct.groups.iter().for_each(|group| has_lanes[group.structure as usize] |= group.lanes > 1);
        if self.known.len() > MAX_KEPT + direct.structures.len() {
            self.known.clear();
        }
        let structures = direct.structures.iter().zip(has_lanes);
        let recorded =
            structures.map(|(structure, has_lanes)| if has_lanes { self.of(structure, &linearizations) } else { None });
        self.of_plan = recorded.collect();
        self.blocks.clear();
        self.blocks.resize(direct.passes.len(), 1);
        for (structure, _) in direct.structures.iter().zip(&self.of_plan).filter(|(_, recorded)| recorded.is_some()) {
            for (pass, range) in &structure.passes {
                self.blocks[*pass] = self.blocks[*pass].max(range.len().div_ceil(CONSTRAINTS_AT_ONCE));
            }
        }
    }

    /// Returns that of a structure, which is recorded if it is new.
    fn of(&mut self, structure: &Structure, linearizations: &[Arc<Linearization>]) -> Option<Arc<RecordedElimination>> {
        let same = |known: &&KnownElimination| {
            known.structure == *structure
                && known.linearizations.len() == linearizations.len()
                && known.linearizations.iter().zip(linearizations).all(|(a, b)| Arc::ptr_eq(a, b))
        };
        if let Some(known) = self.known.iter().find(same) {
            return known.recorded.clone();
        }
        let all: Vec<&Linearization> = linearizations.iter().map(AsRef::as_ref).collect();
        let recorded = RecordedElimination::new(structure, &all).map(Arc::new);
        let (structure, linearizations) = (structure.clone(), linearizations.to_vec());
        self.known.push(KnownElimination { structure, linearizations, recorded: recorded.clone() });
        recorded
    }

    /// Returns that of a structure of the plan.
    pub fn get(&self, structure: usize) -> Option<&RecordedElimination> {
        self.of_plan.get(structure)?.as_deref()
    }

    /// Returns the number of blocks of linearizations that are kept of a direct pass.
    pub fn blocks(&self, pass: usize) -> usize {
        self.blocks.get(pass).copied().unwrap_or(1)
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::batch::Batch;
    use crate::constraint::{Constraint, Points};
    use crate::cpu::{CpuBackend, Threads};
    use crate::scalar::Real;
    use crate::settings::ConstraintSolver;
    use crate::world::{Object, World};

    struct Link;

    impl Constraint<2, 1> for Link {
        type Parameters<S: Copy> = [S; 1];
        const NAME: &'static str = "link";
        fn value<S: Real>(x: &Points<S, 2>, [length]: [S; 1]) -> [S; 1] {
            [(x.now[0] - x.now[1]).length() - length]
        }
    }

    /// Returns whether the elimination of so many triangles and the links between their corners is recorded.
    fn is_recorded(count: usize, links: &[[u32; 2]]) -> bool {
        let mut world = World::default();
        for _ in 0..count {
            let batch = Batch::new(Link, links, &vec![[1.0]; links.len()]).unwrap().solver(ConstraintSolver::Direct);
            let corners = vec![Vec3::ZERO, Vec3::X, Vec3::new(0.5, 0.75_f32.sqrt(), 0.0)];
            world.add(Object::new("corners", corners, 1.0).with(batch)).unwrap();
        }
        world.step(&mut CpuBackend::new(Threads::Exactly(1)), 0.01).unwrap();
        let mut eliminations = RecordedEliminations::default();
        eliminations.take(&world.state().plan);
        eliminations.get(0).is_some()
    }

    #[test]
    fn trees_that_are_alike_are_recorded() {
        let [line, triangle]: [&[[u32; 2]]; 2] = [&[[0, 1], [1, 2]], &[[0, 1], [1, 2], [2, 0]]];
        assert_eq!(is_recorded(3, line), std::arch::is_x86_feature_detected!("avx"));
        assert!(!is_recorded(2, line) && !is_recorded(3, triangle));
    }
}
