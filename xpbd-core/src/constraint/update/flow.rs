//! How the parameters of a constraint change at the end of a frame, recorded.

use super::{Update, Variant};
use crate::connector::Connectors;
use crate::constraint::kind::{ConstraintType, Recorded};
use crate::constraint::layout::Layout;
use crate::program::{Graph, Operand, Program};

/// The program of the [flow](crate::constraint::Constraint::flow) of a type, if it has one. Its uniform
/// [`DT`](crate::constraint::layout::uniform::DT) is the length of the frame. Outputs: the parameters.
pub fn flow_program(kind: &ConstraintType, connectors: &Connectors) -> Option<Program> {
    let graph = Graph::new();
    let Update { points, params, .. } = Update::inputs(&graph, kind, connectors, Variant::default());
    let x = Recorded { before: points.now.clone(), ..points };
    Some(Program::lower(&graph, &kind.author.flow(&x, &params)?))
}

/// The numbers of the parameters that a flow program changes, ascending.
pub fn changed(program: &Program, layout: &Layout) -> Vec<u16> {
    let same = |&(k, &output): &(u16, &Operand)| output != Operand::column(layout.params + k);
    (0..).zip(&program.outputs).filter(same).map(|(k, _)| k).collect()
}
