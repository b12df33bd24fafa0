//! The kernel of a constraint type: gather, the recorded update, scatter.

use std::fmt::Write;

use xpbd_core::connector::{Connectors, NodeKind};
use xpbd_core::constraint::ConstraintType;
use xpbd_core::constraint::layout::{Layout, uniform};
use xpbd_core::constraint::update::{Variant, solve_program};
use xpbd_core::program::Program;
use xpbd_core::program::wgsl::{Names, print};

use crate::pipelines::{STATE, sized};

/// Threads of a workgroup.
pub const GROUP: u32 = 128;

/// The constraints of a pass, as kernels find them.
pub const RANGE: &str = include_str!("wgsl/range.wgsl");

/// The recorded update of a type as statements over named inputs. For node slot k: `x` position now,
/// `b` position before, `a.w` inverse mass, `q` and `r` orientation now and before, `j` inverse
/// inertia; `l` is the multiplier of a row.
pub struct Update {
    /// The statements.
    pub statements: String,
    /// The new multipliers.
    pub lambda: Vec<String>,
    /// Displacement of each node slot.
    pub shifts: Vec<String>,
    /// Columns that are read, in order.
    pub columns: Vec<u16>,
    program: Program,
    layout: Layout,
}

impl Update {
    /// Records and prints the update of a type; `column` names what is read from a column.
    pub fn new(
        kind: &ConstraintType,
        connectors: &Connectors,
        variant: Variant,
        column: &dyn Fn(&Layout, u16) -> String,
    ) -> Self {
        let layout = Layout::new(kind, connectors);
        let program = solve_program(kind, connectors, variant);
        let printed = print(
            &program,
            "v",
            &Names {
                gathered: &|input| gathered(&layout, input),
                column: &|number| column(&layout, number),
                uniform: &|number| match number {
                    uniform::DT => "substep.h".into(),
                    uniform::COMPLIANCE_SCALE => "substep.compliance_scale".into(),
                    _ => "substep.per_force".into(),
                },
            },
        );
        let (lambda, moves) = printed.outputs.split_at(kind.rows());
        let mut moves = moves.chunks_exact(3);
        let shifts = connectors.nodes().iter().filter_map(|node| {
            let [x, y, z] = moves.next()? else { return None };
            if *node == NodeKind::Body {
                moves.next();
            }
            Some(format!("vec4f({x}, {y}, {z}, 0.0)"))
        });
        let shifts = shifts.collect();
        Self {
            lambda: lambda.to_vec(),
            shifts,
            columns: columns(&program),
            statements: printed.statements,
            program,
            layout,
        }
    }

    /// Whether any of some gathered inputs is read.
    fn reads(&self, first: u16, count: u16) -> bool {
        (first..first + count).any(|input| self.program.reads(input))
    }
}

/// The columns that a program reads, in order.
fn columns(program: &Program) -> Vec<u16> {
    let operands = program.instructions.iter().flat_map(|step| step.operands).chain(program.outputs.iter().copied());
    let mut columns: Vec<u16> = operands.filter_map(|operand| operand.resolve().err()).map(|c| c as u16).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// The name of a gathered input.
fn gathered(layout: &Layout, input: u16) -> String {
    const AXES: [char; 4] = ['x', 'y', 'z', 'w'];
    let within = |first: u16, count: u16| {
        let axis = input.checked_sub(first).filter(|&axis| first != u16::MAX && axis < count)?;
        Some(AXES[axis as usize])
    };
    for (slot, node) in layout.nodes.iter().enumerate() {
        let vectors = [
            ('x', node.now, 3),
            ('b', node.before, 3),
            ('q', node.turn, 4),
            ('r', node.turn_before, 4),
            ('j', node.inverse_inertia, 3),
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

/// The kernel of a pass, and what it reads of the columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassKernel {
    /// Functions `solve` for a slot of a colour and `correct` for one of the remainder.
    pub text: String,
    /// Columns in the order in which they follow the node columns.
    pub columns: Vec<u16>,
}

impl PassKernel {
    /// The whole text of the kernels of a pass.
    pub fn module(&self) -> String {
        sized(&[STATE, RANGE, include_str!("wgsl/pass.wgsl"), &self.text].concat())
    }

    /// The kernel of a type; `warm` where multipliers are kept from iteration to iteration.
    pub fn new(kind: &ConstraintType, connectors: &Connectors, damped: bool, warm: bool) -> Self {
        let both = [false, true].map(|shared| {
            let variant = Variant { warm, damped, shared };
            Update::new(kind, connectors, variant, &|_, column| format!("c{column}"))
        });
        // Cold and warm kernels of a type read the same columns, those of the remainder.
        let all = Update::new(kind, connectors, Variant { warm: true, damped, shared: true }, &|_, _| String::new());
        let columns = all.columns;
        let mut text = String::new();
        for (shared, update) in both.iter().enumerate() {
            let name = ["solve", "correct"][shared];
            text += &function(name, update, kind, connectors, warm, shared == 1, &columns);
        }
        Self { text, columns }
    }
}

/// A function of one slot.
fn function(
    name: &str,
    update: &Update,
    kind: &ConstraintType,
    connectors: &Connectors,
    warm: bool,
    shared: bool,
    columns: &[u16],
) -> String {
    let mut text = format!("fn {name}(slot: u32) {{\n");
    let mut line = |part: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    {part}");
    };
    let nodes = connectors.nodes();
    for slot in 0..nodes.len() {
        line(format!("let i{slot} = data[range.base + {slot}u * range.stride + slot];"));
    }
    for (slot, node) in nodes.iter().enumerate() {
        let inputs = update.layout.nodes[slot];
        let body = *node == NodeKind::Body;
        let place = |array: &str, section: &str| {
            if body { format!("bodies[of_body({section}, i{slot})]") } else { format!("{array}[i{slot}]") }
        };
        line(format!("let a{slot} = {};", place("anchor", "BODY_ANCHOR")));
        if slot == 0 {
            line("let origin = vec4f(a0.xyz, 0.0);".into());
        }
        line(format!("let x{slot} = (a{slot} - origin) + {};", place("offset", "BODY_OFFSET")));
        if update.reads(inputs.before, 3) {
            line(format!("let b{slot} = (a{slot} - origin) + {};", place("start", "BODY_START")));
        }
        if body {
            line(format!("let q{slot} = {};", place("", "BODY_ROTATION")));
            line(format!("let r{slot} = {};", place("", "BODY_START_ROTATION")));
            line(format!("let j{slot} = {};", place("", "BODY_INERTIA")));
        }
    }
    for column in &update.columns {
        let number = nodes.len() + columns.iter().position(|other| other == column).unwrap_or(0);
        line(format!("let c{column} = bitcast<f32>(data[range.base + {number}u * range.stride + slot]);"));
    }
    if warm {
        (0..kind.rows())
            .for_each(|row| line(format!("let l{row} = lambda[range.lambda + {row}u * range.stride + slot];")));
    }
    text += &update.statements;
    text += &output(update, kind, connectors, shared);
    text += "}\n\n";
    text
}

/// Writes multipliers and corrections. Bodies follow their targets: nothing pushes them.
fn output(update: &Update, kind: &ConstraintType, connectors: &Connectors, shared: bool) -> String {
    let mut text = String::from("    if has(KEEP) {\n");
    for (row, lambda) in update.lambda.iter().enumerate().take(kind.rows()) {
        let _ = writeln!(text, "        lambda[range.lambda + {row}u * range.stride + slot] = {lambda};");
    }
    text += "    }\n";
    let width = connectors.nodes().len();
    for (slot, (node, shift)) in connectors.nodes().iter().zip(&update.shifts).enumerate() {
        let _ = match (node, shared) {
            (NodeKind::Body, _) => Ok(()),
            (NodeKind::Particle, true) => {
                writeln!(text, "    corrections[(slot - range.first) * {width}u + {slot}u] = {shift};")
            }
            (NodeKind::Particle, false) => {
                writeln!(text, "    if a{slot}.w > 0.0 {{\n        offset[i{slot}] += {shift};\n    }}")
            }
        };
    }
    text
}
