//! Programs made ready to run: where their inputs are gathered to and their corrections come from.

use crate::connector::{Connectors, NodeKind};
use crate::constraint::ConstraintType;
use crate::constraint::layout::{Layout, NodeInputs};
use crate::constraint::update::{Variant, changed, flow_program, rates_program, solve_program};
use crate::program::interpret::WIDE;
use crate::program::{Operand, Program};
use crate::schedule::TracedPass;

/// Instructions of a program that takes 20 ns a constraint or more.
const LONG: usize = 100;
/// Constraints of the smallest part of a range that threads share.
const FINE: usize = 16;

/// A program with the registers that its inputs go to and its corrections come from.
pub struct Compiled {
    pub program: Program,
    /// Registers of each node slot.
    pub nodes: Vec<NodeRegisters>,
    /// Registers of the origin, if it is read.
    pub origin: Option<[usize; 3]>,
    /// Registers of the program, and one for each input that it does not read.
    pub registers: usize,
    /// Register of each row's multiplier.
    pub lambda: Vec<usize>,
    /// Whether the multipliers are read.
    pub warm: bool,
    /// Whether it is velocities that it changes.
    pub rates: bool,
}

/// Registers of one node.
pub struct NodeRegisters {
    /// Particle or body.
    pub kind: NodeKind,
    /// Position now.
    pub now: [usize; 3],
    /// Inverse mass.
    pub inverse_mass: usize,
    /// Position at the start of the substep, if it is read.
    pub before: Option<[usize; 3]>,
    /// Orientation now, of a body.
    pub turn: [usize; 4],
    /// Orientation at the start of the substep, if it is read.
    pub turn_before: Option<[usize; 4]>,
    /// Inverse principal moments of inertia, of a body.
    pub inverse_inertia: [usize; 3],
    /// Velocity, if it is read.
    pub velocity: Option<[usize; 3]>,
    /// Angular velocity, if it is read.
    pub spin: Option<[usize; 3]>,
    /// Where Δx is at the end.
    pub shift: [Operand; 3],
    /// Where the rotation vector is at the end, of a body.
    pub rotate: [Operand; 3],
}

impl Compiled {
    /// Records and lowers the update of a constraint type.
    pub fn new(kind: &ConstraintType, connectors: &Connectors, variant: Variant) -> Self {
        let program = solve_program(kind, connectors, variant);
        Self { warm: variant.warm, ..Self::lowered(kind, connectors, program, kind.rows()) }
    }

    /// Records and lowers the change of velocities of a constraint type.
    pub fn rates(kind: &ConstraintType, connectors: &Connectors, variant: Variant) -> Self {
        let program = rates_program(kind, connectors, variant);
        Self { warm: true, rates: true, ..Self::lowered(kind, connectors, program, kind.rows()) }
    }

    /// In parts of how many constraints threads share a range of so many: of a long program, where half of a block is
    /// worth sharing, in such as divide it evenly.
    pub fn grain(&self, count: usize) -> usize {
        let long = self.program.instructions.len() >= LONG;
        if long && count >= WIDE { FINE } else { WIDE }
    }

    /// A program whose outputs from the one with the number `moves` on move nodes.
    fn lowered(kind: &ConstraintType, connectors: &Connectors, program: Program, moves: usize) -> Self {
        let layout = Layout::new(kind, connectors);
        let sink = program.registers;
        let register = |input: u16| {
            let found = program.gathered.iter().find(|&&(_, gathered)| gathered == input);
            found.map_or(sink + input as usize, |&(register, _)| register as usize)
        };
        let sinks = layout.gathered;
        let some = |first: u16, count: u16| (first..first + count).any(|input| program.reads(input));
        let three = |first: u16| [0, 1, 2].map(|k| register(first + k));
        let four = |first: u16| [0, 1, 2, 3].map(|k| register(first + k));
        let mut outputs = program.outputs[moves..].chunks_exact(3).map(|three| [three[0], three[1], three[2]]);
        let mut next = || outputs.next().unwrap_or([Operand::register(sink as u16); 3]);
        let mut node = |(inputs, &kind): (&NodeInputs, &NodeKind)| {
            let shift = next();
            let body = kind == NodeKind::Body;
            NodeRegisters {
                kind,
                now: three(inputs.now),
                inverse_mass: register(inputs.inverse_mass),
                before: some(inputs.before, 3).then(|| three(inputs.before)),
                turn: if body { four(inputs.turn) } else { [sink; 4] },
                turn_before: (body && some(inputs.turn_before, 4)).then(|| four(inputs.turn_before)),
                inverse_inertia: if body { three(inputs.inverse_inertia) } else { [sink; 3] },
                velocity: some(inputs.velocity, 3).then(|| three(inputs.velocity)),
                spin: (body && some(inputs.spin, 3)).then(|| three(inputs.spin)),
                shift,
                rotate: if body { next() } else { shift },
            }
        };
        let nodes = layout.nodes.iter().zip(connectors.nodes()).map(&mut node).collect();
        let origin = some(layout.origin, 3).then(|| three(layout.origin));
        let lambda = (0..kind.rows() as u16).map(|row| register(layout.lambda + row)).collect();
        Self { nodes, origin, lambda, warm: false, rates: false, registers: sink + sinks, program }
    }
}

/// What changes parameters at the end of a frame.
pub struct Flow {
    /// The program: its outputs are the parameters.
    pub compiled: Compiled,
    /// The parameters that it changes: number of the output, and column.
    pub changed: Vec<(usize, usize)>,
}

impl Flow {
    /// Records and lowers the flow of a constraint type, if it has one.
    pub fn new(kind: &ConstraintType, connectors: &Connectors) -> Option<Self> {
        let program = flow_program(kind, connectors)?;
        let layout = Layout::new(kind, connectors);
        let place = |k: u16| (k as usize, (layout.params + k) as usize);
        let changed = changed(&program, &layout).into_iter().map(place).collect();
        let moves = program.outputs.len();
        Some(Self { compiled: Compiled::lowered(kind, connectors, program, moves), changed })
    }
}

/// The programs of a pass: for the first iteration of a substep and for the later ones, each for
/// the colours and for the remainder.
pub struct PassPrograms {
    /// Cold and warm, for colours.
    pub colours: [Compiled; 2],
    /// Cold and warm, for the remainder.
    pub remainder: [Compiled; 2],
    /// What changes velocities at the end of a substep, for colours and remainder.
    pub rates: Option<[Compiled; 2]>,
    /// What changes parameters at the end of a frame.
    pub flow: Option<Flow>,
}

impl PassPrograms {
    /// Compiles what a pass needs.
    pub fn new(pass: &TracedPass) -> Self {
        let compile = |warm, shared| {
            let variant = Variant { warm, shared, damped: pass.damped };
            Compiled::new(&pass.kind, &pass.connectors, variant)
        };
        Self {
            colours: [compile(false, false), compile(true, false)],
            remainder: [compile(false, true), compile(true, true)],
            rates: pass.kind.has_rates().then(|| {
                [false, true].map(|shared| {
                    Compiled::rates(&pass.kind, &pass.connectors, Variant { shared, ..Variant::default() })
                })
            }),
            flow: Flow::new(&pass.kind, &pass.connectors),
        }
    }
}
