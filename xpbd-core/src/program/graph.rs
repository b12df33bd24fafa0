//! The expression graph. Equal expressions are one node (hash-consing).

use std::cell::RefCell;

use hashbrown::HashMap;

use super::InputSource;

/// Number of a node; operands always have smaller numbers.
pub type NodeId = u32;

/// One-operand functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named like the methods of `Real`")]
pub enum Unary {
    Neg,
    Sqrt,
    Abs,
    Round,
}

/// Two-operand functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named like the methods of `Real`")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
}

/// Trigonometric functions of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named like the methods of `Real`, self first")]
pub enum Trig {
    Sin(NodeId),
    Cos(NodeId),
    Acos(NodeId),
    Atan2(NodeId, NodeId),
}

/// One expression of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Expression {
    /// A value given from outside.
    Input(InputSource),
    /// The bits of a constant.
    Literal(u32),
    /// A function of one node.
    Unary(Unary, NodeId),
    /// A function of two nodes.
    Binary(Binary, NodeId, NodeId),
    /// c where a < b, otherwise d.
    SelectLt([NodeId; 4]),
    /// The same value, which folding does not look through: a leaf to differentiate by.
    Opaque(NodeId),
    /// A trigonometric function and the node that computes it by arithmetic. Programs contain that
    /// arithmetic; derivatives are those of the function.
    Trig(Trig, NodeId),
}

impl Expression {
    /// Returns the nodes this one is computed from.
    pub fn operands(&self) -> smallvec::SmallVec<[NodeId; 4]> {
        match *self {
            Expression::Input(_) | Expression::Literal(_) => smallvec::SmallVec::new(),
            Expression::Unary(_, a) => smallvec::smallvec![a],
            Expression::Binary(_, a, b) => smallvec::smallvec![a, b],
            Expression::SelectLt(all) => smallvec::SmallVec::from(all),
            Expression::Opaque(a) | Expression::Trig(_, a) => smallvec::smallvec![a],
        }
    }
}

#[derive(Default)]
struct ExpressionStore {
    list: Vec<Expression>,
    known: HashMap<Expression, NodeId>,
}

/// A recording: nodes in the order in which they were first computed.
#[derive(Default)]
pub struct Graph(RefCell<ExpressionStore>);

impl Graph {
    /// Creates a graph without nodes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the node with this number.
    pub fn node(&self, id: NodeId) -> Expression {
        self.0.borrow().list[id as usize]
    }

    /// Returns how many nodes have been recorded.
    pub fn len(&self) -> usize {
        self.0.borrow().list.len()
    }

    /// Returns whether nothing has been recorded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the node that computes the value of an opaque or trigonometric one.
    pub fn resolve(&self, mut id: NodeId) -> NodeId {
        while let Expression::Opaque(a) | Expression::Trig(_, a) = self.node(id) {
            id = a;
        }
        id
    }

    pub(super) fn push_id(&self, node: Expression) -> NodeId {
        let ExpressionStore { list, known } = &mut *self.0.borrow_mut();
        *known.entry(node).or_insert_with(|| {
            list.push(node);
            (list.len() - 1) as NodeId
        })
    }
}

impl Unary {
    /// Returns the function of a number.
    pub fn apply(self, a: f32) -> f32 {
        match self {
            Unary::Neg => -a,
            Unary::Sqrt => a.sqrt(),
            Unary::Abs => a.abs(),
            Unary::Round => a.round_ties_even(),
        }
    }
}

impl Binary {
    /// Returns the function of two numbers.
    pub fn apply(self, a: f32, b: f32) -> f32 {
        match self {
            Binary::Add => a + b,
            Binary::Sub => a - b,
            Binary::Mul => a * b,
            Binary::Div => a / b,
            Binary::Min => {
                if a < b {
                    a
                } else {
                    b
                }
            }
            Binary::Max => {
                if b < a {
                    a
                } else {
                    b
                }
            }
        }
    }
}
