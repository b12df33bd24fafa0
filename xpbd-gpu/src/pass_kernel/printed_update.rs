//! The recorded update of a constraint type, printed.

use xpbd_core::connector::{Connectors, NodeKind};
use xpbd_core::constraint::ConstraintType;
use xpbd_core::constraint::layout::{ProgramLayout, uniform};
use xpbd_core::constraint::update::linearization::Linearization;
use xpbd_core::constraint::update::{
    UpdateVariant, changed_parameters, impact_program, parameter_evolution_program, solve_program,
    target_rates_program, warm_start_program,
};
use xpbd_core::program::Program;
use xpbd_core::program::wgsl::{InputNames, PrintedProgram, print};

/// The recorded update of a type as statements over named inputs. For node slot k: `x` position now,
/// `b` position before, `a.w` inverse mass, `u` velocity, `q` and `r` orientation now and before, `j`
/// inverse inertia, `s` angular velocity; `l` is the multiplier of a row.
pub struct PrintedUpdate {
    /// The statements.
    pub statements: String,
    /// The new multipliers.
    pub lambda: Vec<String>,
    /// Displacement of each node slot, or change of velocity.
    pub shifts: Vec<String>,
    /// Rotation vector of each node slot, 0 for particles, or change of angular velocity.
    pub turns: Vec<String>,
    /// Columns that are read, in order.
    pub columns: Vec<u16>,
    program: Program,
    pub(super) layout: ProgramLayout,
}

impl PrintedUpdate {
    /// Records and prints the update of a type; `column` names what is read from a column.
    pub fn new(
        kind: &ConstraintType,
        connectors: &Connectors,
        variant: UpdateVariant,
        column: &dyn Fn(&ProgramLayout, u16) -> String,
    ) -> Self {
        Self::printed(kind, connectors, solve_program(kind, connectors, variant), column)
    }

    /// Records and prints how a type changes velocities.
    pub(super) fn rates(kind: &ConstraintType, connectors: &Connectors, shared: bool) -> Self {
        let program = target_rates_program(kind, connectors, UpdateVariant { shared, ..UpdateVariant::default() });
        Self::printed(kind, connectors, program, &|_, column| format!("c{column}"))
    }

    /// Records and prints the impacts of a type.
    pub(super) fn impacts(kind: &ConstraintType, connectors: &Connectors, shared: bool) -> Self {
        let program = impact_program(kind, connectors, UpdateVariant { shared, ..UpdateVariant::default() });
        Self::printed(kind, connectors, program, &|_, column| format!("c{column}"))
    }

    /// Records and prints how the multipliers that a substep begins with move the nodes.
    pub(super) fn warm_start(kind: &ConstraintType, connectors: &Connectors) -> Self {
        Self::printed(kind, connectors, warm_start_program(kind, connectors), &|_, column| format!("c{column}"))
    }

    fn printed(
        kind: &ConstraintType,
        connectors: &Connectors,
        program: Program,
        column: &dyn Fn(&ProgramLayout, u16) -> String,
    ) -> Self {
        let layout = ProgramLayout::new(kind, connectors);
        let printed = statements(&program, &layout, column, "substep.h");
        let (lambda, moves) = printed.outputs.split_at(kind.row_count());
        let mut moves = moves.chunks_exact(3).map(|xyz| format!("vec4f({}, 0.0)", xyz.join(", ")));
        let (mut shifts, mut turns) = (Vec::new(), Vec::new());
        for node in connectors.nodes() {
            shifts.extend(moves.next());
            turns.push(if *node == NodeKind::Body { moves.next() } else { None }.unwrap_or_else(|| "vec4f()".into()));
        }
        Self {
            lambda: lambda.to_vec(),
            shifts,
            turns,
            columns: columns(&program),
            statements: printed.statements,
            program,
            layout,
        }
    }

    /// Prints the linearization of a type: the update moves nothing, and reads all multipliers. Beside it its outputs.
    pub(super) fn linearization(
        kind: &ConstraintType,
        connectors: &Connectors,
        linear: &Linearization,
    ) -> (Self, Vec<String>) {
        let (layout, program) = (ProgramLayout::new(kind, connectors), linear.program.clone());
        let printed = statements(&program, &layout, &|_, column| format!("c{column}"), "substep.h");
        let (lambda, columns) = (vec![String::new(); kind.row_count()], columns(&program));
        let (shifts, turns) = (Vec::new(), Vec::new());
        (Self { statements: printed.statements, lambda, shifts, turns, columns, program, layout }, printed.outputs)
    }

    /// Records and prints how a type changes its parameters, if it does: the update has no multipliers and
    /// moves nothing. Beside it the columns that change and the expressions that they become.
    pub(super) fn evolution(kind: &ConstraintType, connectors: &Connectors) -> Option<(Self, Vec<(u16, String)>)> {
        let program = parameter_evolution_program(kind, connectors)?;
        let layout = ProgramLayout::new(kind, connectors);
        let printed = statements(&program, &layout, &|_, column| format!("c{column}"), "substep.dt");
        let new = |k: u16| (layout.parameters + k, printed.outputs[k as usize].clone());
        let flowed: Vec<_> = changed_parameters(&program, &layout).into_iter().map(new).collect();
        let columns = columns(&program);
        let (lambda, shifts, turns) = (Vec::new(), Vec::new(), Vec::new());
        let update = Self { statements: printed.statements, lambda, shifts, turns, columns, program, layout };
        Some((update, flowed))
    }

    /// Returns whether any of these gathered inputs is read.
    pub(super) fn reads(&self, first: u16, count: u16) -> bool {
        (first..first + count).any(|input| self.program.reads(input))
    }
}

/// Prints a program as statements over the inputs that [`PrintedUpdate`] names.
fn statements(
    program: &Program,
    layout: &ProgramLayout,
    column: &dyn Fn(&ProgramLayout, u16) -> String,
    length: &'static str,
) -> PrintedProgram {
    let names = InputNames {
        gathered: &|input| gathered(layout, input),
        column: &|number| column(layout, number),
        uniform: &|number| match number {
            uniform::DT => length.into(),
            uniform::COMPLIANCE_SCALE => "substep.compliance_scale".into(),
            _ => "substep.per_force".into(),
        },
    };
    print(program, "v", &names)
}

/// Returns the columns that a program reads, in order.
fn columns(program: &Program) -> Vec<u16> {
    let operands = program.instructions.iter().flat_map(|step| step.operands).chain(program.outputs.iter().copied());
    let mut columns: Vec<u16> = operands.filter_map(|operand| operand.resolve().err()).map(|c| c as u16).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// Returns the name of a gathered input.
fn gathered(layout: &ProgramLayout, input: u16) -> String {
    const AXES: [char; 4] = ['x', 'y', 'z', 'w'];
    let within = |first: u16, count: u16| {
        let axis = input.checked_sub(first).filter(|&axis| first != u16::MAX && axis < count)?;
        Some(AXES[axis as usize])
    };
    for (slot, node) in layout.nodes.iter().enumerate() {
        let vectors = [
            ('x', node.position, 3),
            ('b', node.previous_position, 3),
            ('q', node.rotation, 4),
            ('r', node.previous_rotation, 4),
            ('j', node.inverse_inertia, 3),
            ('u', node.velocity, 3),
            ('s', node.angular_velocity, 3),
        ];
        for (name, first, count) in vectors {
            if let Some(axis) = within(first, count) {
                return format!("{name}{slot}.{axis}");
            }
        }
        if input == node.inverse_mass {
            return format!("a{slot}.w");
        }
    }
    match within(layout.origin, 3) {
        Some(axis) => format!("origin.{axis}"),
        None => format!("l{}", input - layout.lambda),
    }
}
