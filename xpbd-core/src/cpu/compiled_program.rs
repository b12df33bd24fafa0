//! Programs made ready to run: where their inputs are gathered to and their corrections come from.

use std::sync::OnceLock;

use super::native::{NativeProgram, best_lanes};
use crate::connector::{Connectors, NodeKind};
use crate::constraint::ConstraintType;
use crate::constraint::layout::{NodeInputs, ProgramLayout};
use crate::constraint::update::linearization::Linearization;
use crate::constraint::update::{
    UpdateVariant, changed_parameters, impact_program, parameter_evolution_program, solve_program,
    target_rates_program, warm_start_program,
};
use crate::program::interpret::WIDE_LANES;
use crate::program::{Operand, Program};
use crate::schedule::TracedPass;

/// Number of instructions from which a program takes 20 ns a constraint or more.
const LONG: usize = 100;
/// Number of constraints in the smallest part of a range that threads share.
const FINE: usize = 16;

/// A program with the registers that its inputs go to and its corrections come from.
pub struct CompiledProgram {
    pub program: Program,
    /// Lanes of the full blocks of its machine code; none for a program that is only interpreted.
    lanes: Option<usize>,
    /// The machine code, once it has been asked for.
    native: OnceLock<Option<NativeProgram>>,
    /// Registers of each node slot.
    pub nodes: Vec<NodeRegisters>,
    /// Registers of the origin, if it is read.
    pub origin: Option<[usize; 3]>,
    /// Registers of the program, and one for each input that it does not read.
    pub registers: usize,
    /// Register of each row's multiplier.
    pub lambda: Vec<usize>,
    /// True if the multipliers are read.
    pub warm: bool,
    /// True if the program changes velocities.
    pub rates: bool,
}

/// Registers of one node.
pub struct NodeRegisters {
    /// Type of the node: a particle or a body.
    pub kind: NodeKind,
    /// Registers of the position.
    pub position: [usize; 3],
    /// Register of the inverse mass.
    pub inverse_mass: usize,
    /// Position at the start of the substep, if it is read.
    pub previous_position: Option<[usize; 3]>,
    /// Orientation now, of a body.
    pub rotation: [usize; 4],
    /// Orientation at the start of the substep, if it is read.
    pub previous_rotation: Option<[usize; 4]>,
    /// Inverse principal moments of inertia, of a body.
    pub inverse_inertia: [usize; 3],
    /// Velocity, if it is read.
    pub velocity: Option<[usize; 3]>,
    /// Angular velocity, if it is read.
    pub angular_velocity: Option<[usize; 3]>,
    /// Operands that hold Δx at the end.
    pub shift: [Operand; 3],
    /// Operands that hold the rotation vector of a body at the end.
    pub rotate: [Operand; 3],
}

impl CompiledProgram {
    /// Records and lowers the update of a constraint type.
    pub fn new(kind: &ConstraintType, connectors: &Connectors, variant: UpdateVariant) -> Self {
        let program = solve_program(kind, connectors, variant);
        Self { warm: variant.warm, ..Self::update(kind, connectors, program) }
    }

    /// Records and lowers the change of velocities of a constraint type.
    pub fn rates(kind: &ConstraintType, connectors: &Connectors, variant: UpdateVariant) -> Self {
        let program = target_rates_program(kind, connectors, variant);
        Self { warm: true, rates: true, ..Self::update(kind, connectors, program) }
    }

    /// Records and lowers the impacts of a constraint type.
    pub fn impact(kind: &ConstraintType, connectors: &Connectors, variant: UpdateVariant) -> Self {
        let program = impact_program(kind, connectors, variant);
        Self { warm: true, rates: true, ..Self::update(kind, connectors, program) }
    }

    /// Records and lowers the corrections of the multipliers that a substep begins with.
    pub fn warm_start(kind: &ConstraintType, connectors: &Connectors) -> Self {
        let program = warm_start_program(kind, connectors);
        Self { warm: true, ..Self::update(kind, connectors, program) }
    }

    /// Returns the number of constraints in the parts in which threads share a range: for a long program, where half a
    /// block is
    /// worth sharing, parts are smaller than a block.
    pub fn grain(&self, count: usize) -> usize {
        let long = self.program.instructions.len() >= LONG;
        if long && count >= WIDE_LANES { FINE } else { WIDE_LANES }
    }

    /// Returns the machine code of the program, if there is any. It is made when it is asked for: most of the programs of
    /// a pass never run.
    pub fn native(&self) -> Option<&NativeProgram> {
        let compile = || NativeProgram::new(&self.program, self.lanes?);
        self.native.get_or_init(compile).as_ref()
    }

    /// Creates a program whose outputs after the multipliers move nodes.
    fn update(kind: &ConstraintType, connectors: &Connectors, program: Program) -> Self {
        let lanes = Some(best_lanes(&program));
        Self { lanes, ..Self::lowered(kind, connectors, program, kind.row_count()) }
    }

    /// Creates a program whose outputs from the one with the number `moves` on move nodes.
    fn lowered(kind: &ConstraintType, connectors: &Connectors, program: Program, moves: usize) -> Self {
        let layout = ProgramLayout::new(kind, connectors);
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
                position: three(inputs.position),
                inverse_mass: register(inputs.inverse_mass),
                previous_position: some(inputs.previous_position, 3).then(|| three(inputs.previous_position)),
                rotation: if body { four(inputs.rotation) } else { [sink; 4] },
                previous_rotation: (body && some(inputs.previous_rotation, 4)).then(|| four(inputs.previous_rotation)),
                inverse_inertia: if body { three(inputs.inverse_inertia) } else { [sink; 3] },
                velocity: some(inputs.velocity, 3).then(|| three(inputs.velocity)),
                angular_velocity: (body && some(inputs.angular_velocity, 3)).then(|| three(inputs.angular_velocity)),
                shift,
                rotate: if body { next() } else { shift },
            }
        };
        let nodes = layout.nodes.iter().zip(connectors.nodes()).map(&mut node).collect();
        let origin = some(layout.origin, 3).then(|| three(layout.origin));
        let lambda = (0..kind.row_count() as u16).map(|row| register(layout.lambda + row)).collect();
        Self {
            nodes,
            origin,
            lambda,
            warm: false,
            rates: false,
            registers: sink + sinks,
            program,
            lanes: None,
            native: OnceLock::new(),
        }
    }
}

/// Program that changes parameters at the end of a frame.
pub struct ParameterEvolution {
    /// The program: its outputs are the parameters.
    pub compiled: CompiledProgram,
    /// Changed parameters: index of the output, and column.
    pub changed: Vec<(usize, usize)>,
}

impl ParameterEvolution {
    /// Records and lowers the parameter evolution of a constraint type, if it has one.
    pub fn new(kind: &ConstraintType, connectors: &Connectors) -> Option<Self> {
        let program = parameter_evolution_program(kind, connectors)?;
        let layout = ProgramLayout::new(kind, connectors);
        let place = |k: u16| (k as usize, (layout.parameters + k) as usize);
        let changed = changed_parameters(&program, &layout).into_iter().map(place).collect();
        let moves = program.outputs.len();
        Some(Self { compiled: CompiledProgram::lowered(kind, connectors, program, moves), changed })
    }
}

/// The program of a linearization.
pub struct LinearizationProgram {
    /// The program.
    pub compiled: CompiledProgram,
    /// The columns that it reads.
    pub columns: Vec<usize>,
    /// The place of each output among registers and columns, which follow the registers.
    pub outputs: Vec<usize>,
}

impl LinearizationProgram {
    /// Makes the linearization of a pass ready to run.
    fn new(pass: &TracedPass, linear: &Linearization) -> Self {
        let program = linear.program.clone();
        let columns = program.columns();
        let moves = program.outputs.len();
        let compiled = CompiledProgram::lowered(&pass.kind, &pass.connectors, program, moves);
        let place = |output: &Operand| output.resolve().unwrap_or_else(|column| compiled.registers + column);
        let outputs = compiled.program.outputs.iter().map(place).collect();
        Self { compiled: CompiledProgram { warm: true, lanes: Some(WIDE_LANES), ..compiled }, columns, outputs }
    }
}

/// The programs of a pass: for the first iteration of a substep and for the later ones, each for
/// the colours and for the remainder.
pub struct PassPrograms {
    /// Cold and warm, for colours.
    pub colours: [CompiledProgram; 2],
    /// Cold and warm, for the remainder.
    pub remainder: [CompiledProgram; 2],
    /// Program with which a substep begins where multipliers are kept.
    pub warm_start: Option<CompiledProgram>,
    /// Programs that change velocities at the end of a substep, for colours and remainder.
    pub rates: Option<[CompiledProgram; 2]>,
    /// Programs of impacts, for colours and remainder, where anything rebounds.
    pub impacts: Option<[CompiledProgram; 2]>,
    /// Program that changes parameters at the end of a frame.
    pub evolution: Option<ParameterEvolution>,
    /// Program of a direct solve.
    pub linearization: Option<LinearizationProgram>,
}

impl PassPrograms {
    /// Compiles all programs of a pass.
    pub fn new(pass: &TracedPass) -> Self {
        let compile = |warm, shared| {
            let settled = pass.linearization.is_some();
            let variant = UpdateVariant { warm, shared, damped: pass.is_damped(), settled };
            CompiledProgram::new(&pass.kind, &pass.connectors, variant)
        };
        let keeps = pass.kind.keeps_multipliers();
        let variants = [false, true].map(|shared| UpdateVariant { shared, ..UpdateVariant::default() });
        Self {
            colours: [compile(keeps, false), compile(true, false)],
            remainder: [compile(keeps, true), compile(true, true)],
            warm_start: keeps.then(|| CompiledProgram::warm_start(&pass.kind, &pass.connectors)),
            rates: pass.kind.has_target_rates().then(|| {
                let rates = |variant| CompiledProgram::rates(&pass.kind, &pass.connectors, variant);
                variants.map(rates)
            }),
            impacts: (!pass.impacts.is_empty()).then(|| {
                let impact = |variant| CompiledProgram::impact(&pass.kind, &pass.connectors, variant);
                variants.map(impact)
            }),
            evolution: ParameterEvolution::new(&pass.kind, &pass.connectors),
            linearization: pass.linearization.as_ref().map(|linear| LinearizationProgram::new(pass, linear)),
        }
    }
}
