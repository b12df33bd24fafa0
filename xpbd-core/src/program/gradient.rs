//! Reverse-mode differentiation on the graph.
//!
//! From the output back to the leaves, every node hands its adjoint ḡ = ∂output/∂node on to its
//! operands by the chain rule. The derivatives are ordinary expressions of the same graph, so they
//! share what the value has already computed.

use super::Sym;
use super::graph::{Binary, Expression, Graph, NodeId, Trig, Unary};
use crate::scalar::Real;
use crate::scalar::real::{TINY, TINY_SINE};

/// Returns the derivatives of `output` with respect to each leaf, the leaves taken as independent of
/// each other (nothing is passed on beyond a leaf).
pub fn gradient<'g>(graph: &'g Graph, output: Sym<'g>, leaves: &[Sym<'g>]) -> Vec<Sym<'g>> {
    let Sym::Node(_, root) = output else {
        return vec![Sym::Literal(0.0); leaves.len()];
    };
    let leaf_ids: Vec<NodeId> = leaves.iter().map(|&leaf| graph.id(leaf)).collect();
    let mut adjoints: Vec<Option<Sym<'g>>> = vec![None; graph.len()];
    adjoints[root as usize] = Some(Sym::Literal(1.0));
    for id in (0..=root).rev() {
        let Some(adjoint) = adjoints[id as usize] else { continue };
        if leaf_ids.contains(&id) {
            continue;
        }
        for (operand, part) in operand_gradients(graph, id, adjoint) {
            let sum = &mut adjoints[operand as usize];
            *sum = Some(sum.map_or(part, |before| before + part));
        }
    }
    leaf_ids.iter().map(|&id| adjoints[id as usize].unwrap_or(Sym::Literal(0.0))).collect()
}

/// Returns what a node with adjoint `g` adds to the adjoints of its operands.
fn operand_gradients<'g>(graph: &'g Graph, id: NodeId, g: Sym<'g>) -> smallvec::SmallVec<[(NodeId, Sym<'g>); 2]> {
    let s = |id| graph.symbol(id);
    let zero = Sym::literal(0.0);
    let mut parts = smallvec::SmallVec::new();
    match graph.node(id) {
        Expression::Input(_) | Expression::Literal(_) => {}
        Expression::Opaque(a) => parts.push((a, g)),
        Expression::Unary(function, a) => parts.push((a, g * unary_slope(function, s(a), s(id)))),
        Expression::Binary(Binary::Mul, a, b) if a == b => parts.push((a, g * 2.0 * s(a))),
        Expression::Binary(function, a, b) => {
            let (x, y) = (s(a), s(b));
            let (da, db) = match function {
                Binary::Add => (g, g),
                Binary::Sub => (g, -g),
                Binary::Mul => (g * y, g * x),
                Binary::Div => (g / y, -(g / y * s(id))),
                Binary::Min => (x.select_lt(y, g, zero), x.select_lt(y, zero, g)),
                Binary::Max => (x.select_lt(y, zero, g), x.select_lt(y, g, zero)),
            };
            parts.push((a, da));
            parts.push((b, db));
        }
        Expression::Trig(Trig::Atan2(a, b), _) => {
            let (y, x) = (s(a), s(b));
            let square = (y * y + x * x).max(Sym::literal(TINY * TINY));
            parts.push((a, g * x / square));
            parts.push((b, -(g * y / square)));
        }
        Expression::Trig(Trig::Sin(a), _) => parts.push((a, g * s(a).cos())),
        Expression::Trig(Trig::Cos(a), _) => parts.push((a, g * -s(a).sin())),
        Expression::Trig(Trig::Acos(a), _) => {
            let sine = (Sym::one() - s(a) * s(a)).max(Sym::literal(TINY_SINE)).sqrt();
            parts.push((a, g * -(Sym::one() / sine)));
        }
        Expression::SelectLt([a, b, then, otherwise]) => {
            parts.push((then, s(a).select_lt(s(b), g, zero)));
            parts.push((otherwise, s(a).select_lt(s(b), zero, g)));
        }
    }
    parts
}

fn unary_slope<'g>(function: Unary, x: Sym<'g>, value: Sym<'g>) -> Sym<'g> {
    let one = Sym::literal(1.0);
    match function {
        Unary::Neg => -one,
        Unary::Sqrt => Sym::literal(0.5) / value.max(Sym::literal(TINY)),
        Unary::Abs => x.select_lt(Sym::literal(0.0), -one, one),
        Unary::Round => Sym::literal(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::super::InputSource;
    use super::*;

    #[test]
    fn a_length_needs_one_division() {
        let graph = Graph::new();
        let x: Vec<Sym> = (0..3).map(|k| graph.input(InputSource::Gathered(k))).collect();
        let length = (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]).sqrt();
        let slopes = gradient(&graph, length, &x);
        let inverse = Sym::literal(1.0) / length.max(Sym::literal(TINY));
        for (slope, &x) in slopes.iter().zip(&x) {
            assert!(slope.same(inverse * x), "{slope:?}");
        }
    }
}
