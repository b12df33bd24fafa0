//! The recorded change of the parameters of a constraint at the end of a frame.

use super::{Update, UpdateVariant};
use crate::connector::Connectors;
use crate::constraint::kind::{ConstraintType, RecordedPoints};
use crate::constraint::layout::ProgramLayout;
use crate::program::{Graph, Operand, Program};

/// Returns the program of the [flow](crate::constraint::Constraint::evolve_parameters) of a type, if it has one. Its
/// uniform [`DT`](crate::constraint::layout::uniform::DT) is the length of the frame. Outputs: the parameters.
pub fn parameter_evolution_program(kind: &ConstraintType, connectors: &Connectors) -> Option<Program> {
    let graph = Graph::new();
    let Update { points, parameters: params, .. } = Update::inputs(&graph, kind, connectors, UpdateVariant::default());
    let x = RecordedPoints { before: points.now.clone(), ..points };
    Some(Program::lower(&graph, &kind.erased.evolve_parameters(&x, &params)?))
}

/// Returns the numbers of the parameters that a flow program changes, ascending.
pub fn changed_parameters(program: &Program, layout: &ProgramLayout) -> Vec<u16> {
    let same = |&(k, &output): &(u16, &Operand)| output != Operand::column(layout.parameters + k);
    (0..).zip(&program.outputs).filter(same).map(|(k, _)| k).collect()
}
