//! The symbol that records what is done to it.
//!
//! What can be known while recording is folded: constants, neutral elements, signs. Folding assumes
//! finite operands, which the self-check of a constraint verifies.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::InputSource;
use super::graph::{Binary, Expression, Graph, NodeId, Trig, Unary};
use crate::scalar::dual::literal_operators;
use crate::scalar::{Real, UseSelectLt, elementary};

/// A value being recorded: a constant, or a node of a graph.
#[derive(Clone, Copy)]
pub enum Sym<'g> {
    /// A constant, not in the graph until something needs it there.
    Literal(f32),
    /// A node of a graph.
    Node(&'g Graph, NodeId),
}

impl Graph {
    /// Returns a symbol for a value given from outside.
    pub fn input(&self, source: InputSource) -> Sym<'_> {
        self.push(Expression::Input(source))
    }

    /// Returns the number of the node that a symbol stands for, made for a constant.
    pub fn id(&self, symbol: Sym<'_>) -> NodeId {
        match symbol {
            Sym::Literal(value) => self.push_id(Expression::Literal(value.to_bits())),
            Sym::Node(_, id) => id,
        }
    }

    /// Returns the symbol of a node.
    pub fn symbol(&self, id: NodeId) -> Sym<'_> {
        match self.node(id) {
            Expression::Literal(bits) => Sym::Literal(f32::from_bits(bits)),
            _ => Sym::Node(self, id),
        }
    }

    /// Returns the same value as a leaf of its own: derivatives by it see every use of it.
    pub fn opaque<'g>(&'g self, symbol: Sym<'g>) -> Sym<'g> {
        self.push(Expression::Opaque(self.id(symbol)))
    }

    /// Returns the symbol of an expression, new or known.
    fn push(&self, node: Expression) -> Sym<'_> {
        Sym::Node(self, self.push_id(node))
    }
}

impl std::fmt::Debug for Sym<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Sym::Literal(value) => write!(f, "{value:?}"),
            Sym::Node(_, id) => write!(f, "%{id}"),
        }
    }
}

literal_operators!(['g] Sym<'g>);

impl<'g> Sym<'g> {
    fn literal_value(self) -> Option<f32> {
        match self {
            Sym::Literal(value) => Some(value),
            Sym::Node(..) => None,
        }
    }

    fn is(self, value: f32) -> bool {
        self.literal_value() == Some(value)
    }

    /// Returns whether both are the same expression.
    pub fn same(self, other: Self) -> bool {
        match (self, other) {
            (Sym::Literal(a), Sym::Literal(b)) => a.to_bits() == b.to_bits(),
            (Sym::Node(_, a), Sym::Node(_, b)) => a == b,
            _ => false,
        }
    }

    /// x, if this is −x.
    fn negated(self) -> Option<Self> {
        match self {
            Sym::Literal(value) => (value < 0.0).then_some(Sym::Literal(-value)),
            Sym::Node(graph, id) => match graph.node(id) {
                Expression::Unary(Unary::Neg, a) => Some(graph.symbol(a)),
                _ => None,
            },
        }
    }

    /// (c, x), if this is the constant c divided by x.
    fn reciprocal(self) -> Option<(f32, Self)> {
        let Sym::Node(graph, id) = self else { return None };
        let Expression::Binary(Binary::Div, a, b) = graph.node(id) else { return None };
        Some((graph.symbol(a).literal_value()?, graph.symbol(b)))
    }

    fn unary(self, function: Unary) -> Self {
        match self {
            Sym::Literal(a) => Sym::Literal(function.apply(a)),
            Sym::Node(graph, a) => graph.push(Expression::Unary(function, a)),
        }
    }

    fn binary(self, function: Binary, other: Self) -> Self {
        match (self, other) {
            (Sym::Literal(a), Sym::Literal(b)) => Sym::Literal(function.apply(a, b)),
            (Sym::Node(graph, _), _) | (_, Sym::Node(graph, _)) => {
                let (mut a, mut b) = (graph.id(self), graph.id(other));
                if matches!(function, Binary::Add | Binary::Mul) && a > b {
                    (a, b) = (b, a);
                }
                graph.push(Expression::Binary(function, a, b))
            }
        }
    }
}

impl<'g> Sym<'g> {
    /// The same value, which folding does not look through: what is computed from it is then computed
    /// in the order in which it is written, as on numbers. A constant stays one.
    fn opaque(self) -> Self {
        match self {
            Sym::Literal(_) => self,
            Sym::Node(graph, _) => graph.opaque(self),
        }
    }

    /// The same value, with the derivative of a function; a constant has none.
    fn with_analytic_function(self, function: impl FnOnce(&'g Graph) -> Trig) -> Self {
        match self {
            Sym::Literal(_) => self,
            Sym::Node(graph, value) => graph.push(Expression::Trig(function(graph), value)),
        }
    }
}

impl Add for Sym<'_> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        if self.is(0.0) {
            return other;
        }
        if other.is(0.0) {
            return self;
        }
        match (self.negated(), other.negated()) {
            (None, Some(b)) => self - b,
            (Some(a), None) => other - a,
            (Some(a), Some(b)) if !(a.literal_value().is_some() && b.literal_value().is_some()) => -(a + b),
            _ => self.binary(Binary::Add, other),
        }
    }
}

impl Sub for Sym<'_> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        if other.is(0.0) {
            return self;
        }
        if self.is(0.0) {
            return -other;
        }
        if self.same(other) {
            return Sym::Literal(0.0);
        }
        match (self.negated(), other.negated()) {
            _ if self.literal_value().is_some() && other.literal_value().is_some() => self.binary(Binary::Sub, other),
            (None, Some(b)) => self + b,
            (Some(a), None) => -(a + other),
            (Some(a), Some(b)) => b - a,
            _ => self.binary(Binary::Sub, other),
        }
    }
}

impl Mul for Sym<'_> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        for (a, b) in [(self, other), (other, self)] {
            if let Some(value) = a.literal_value() {
                if value == 0.0 {
                    return Sym::Literal(0.0);
                }
                if value == 1.0 {
                    return b;
                }
                if value == -1.0 {
                    return -b;
                }
                if let Some((c, x)) = b.reciprocal() {
                    return Sym::Literal(value * c) / x;
                }
            }
        }
        if self.literal_value().is_some() && other.literal_value().is_some() {
            return self.binary(Binary::Mul, other);
        }
        match (self.negated(), other.negated()) {
            (Some(a), Some(b)) => a * b,
            (Some(a), None) => -(a * other),
            (None, Some(b)) => -(self * b),
            (None, None) => self.binary(Binary::Mul, other),
        }
    }
}

impl Div for Sym<'_> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        if self.is(0.0) && !other.is(0.0) {
            return Sym::Literal(0.0);
        }
        if other.is(1.0) {
            return self;
        }
        self.binary(Binary::Div, other)
    }
}

impl Neg for Sym<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        if let Some(a) = self.negated() {
            return a;
        }
        if let Sym::Node(graph, id) = self
            && let Expression::Binary(Binary::Sub, a, b) = graph.node(id)
        {
            return graph.symbol(b) - graph.symbol(a);
        }
        self.unary(Unary::Neg)
    }
}

impl Real for Sym<'_> {
    fn literal(value: f32) -> Self {
        Sym::Literal(value)
    }
    fn sqrt(self) -> Self {
        self.unary(Unary::Sqrt)
    }
    fn abs(self) -> Self {
        self.unary(Unary::Abs)
    }
    fn round(self) -> Self {
        self.unary(Unary::Round)
    }
    fn min(self, other: Self) -> Self {
        if self.same(other) { self } else { self.binary(Binary::Min, other) }
    }
    fn max(self, other: Self) -> Self {
        if self.same(other) { self } else { self.binary(Binary::Max, other) }
    }
    fn sin(self) -> Self {
        elementary::sine(self.opaque()).with_analytic_function(|graph| Trig::Sin(graph.id(self)))
    }
    fn cos(self) -> Self {
        elementary::cosine(self.opaque()).with_analytic_function(|graph| Trig::Cos(graph.id(self)))
    }
    fn acos(self) -> Self {
        elementary::arccosine(self.opaque()).with_analytic_function(|graph| Trig::Acos(graph.id(self)))
    }
    fn atan2(self, x: Self) -> Self {
        elementary::arctangent(self.opaque(), x.opaque())
            .with_analytic_function(|graph| Trig::Atan2(graph.id(self), graph.id(x)))
    }
    fn select_lt(self, bound: Self, then: Self, otherwise: Self) -> Self {
        if let (Some(a), Some(b)) = (self.literal_value(), bound.literal_value()) {
            return if a < b { then } else { otherwise };
        }
        if then.same(otherwise) {
            return then;
        }
        let graph = [self, bound].into_iter().find_map(|s| if let Sym::Node(g, _) = s { Some(g) } else { None });
        match graph {
            Some(graph) => {
                let operands = [self, bound, then, otherwise].map(|s| graph.id(s));
                graph.push(Expression::SelectLt(operands))
            }
            None => otherwise,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::InputSource;
    use super::*;

    #[test]
    fn equal_expressions_are_one_node_and_constants_fold() {
        let graph = Graph::new();
        let x = graph.input(InputSource::Gathered(0));
        let y = graph.input(InputSource::Gathered(1));
        assert!((x * y).same(y * x));
        assert!((-(x - y)).same(y - x));
        assert!((x * 1.0 + Sym::literal(0.0)).same(x));
        assert!((Sym::literal(2.0) * (Sym::literal(0.5) / x)).same(Sym::literal(1.0) / x));
        assert!((-x * -y).same(x * y));
        assert!((Sym::literal(2.0) - Sym::literal(-3.0)).is(5.0));
    }
}
