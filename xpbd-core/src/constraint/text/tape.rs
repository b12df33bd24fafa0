//! A resolved text: operations in order, over any scalar.

use super::grammar::Relation;
use crate::constraint::kind::{ErasedConstraint, RecordedPoints};
use crate::constraint::points::Point;
use crate::program::Sym;
use crate::scalar::{Real, Vec3};

/// An operation; numbers are places of earlier operations.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operation {
    Literal(f32),
    /// A parameter by its number.
    Number(usize),
    /// A vector of parameters by the number of the first.
    Vector(usize),
    /// A point by its number.
    Now(usize),
    Before(usize),
    TimeStep,
    Negate(usize),
    Add([usize; 2]),
    Subtract([usize; 2]),
    Multiply([usize; 2]),
    Divide([usize; 2]),
    Compose([usize; 3]),
    Component(usize, usize),
    /// The third where the first is less than the second, otherwise the fourth.
    IfLess([usize; 4]),
    Dot([usize; 2]),
    Cross([usize; 2]),
    Length(usize),
    Normalize(usize),
    World(usize),
    Axis(usize),
    Abs(usize),
    Sqrt(usize),
    Round(usize),
    Sin(usize),
    Cos(usize),
    Acos(usize),
    Atan2([usize; 2]),
    Min([usize; 2]),
    Max([usize; 2]),
}

/// The result of an operation.
#[derive(Debug, Clone, Copy)]
enum Value<S> {
    Number(S),
    Vector(Vec3<S>),
    Point(Point<S>),
}

impl<S: Real> Value<S> {
    /// Returns the number that this is by the rules that a text is resolved by.
    fn number(self) -> S {
        match self {
            Self::Number(number) => number,
            Self::Vector(_) | Self::Point(_) => S::zero(),
        }
    }

    /// Returns the vector that this is by the same rules.
    fn vector(self) -> Vec3<S> {
        match self {
            Self::Vector(vector) => vector,
            Self::Number(_) | Self::Point(_) => Vec3::zero(),
        }
    }

    /// Returns the point that this is by the same rules.
    fn point(self) -> Point<S> {
        match self {
            Self::Point(point) => point,
            Self::Number(_) | Self::Vector(_) => Point::new(Vec3::zero(), Vec3::zero()),
        }
    }
}

/// The functions of a constraint that was read from a text.
#[derive(Debug, Clone, Default)]
pub(super) struct Tape {
    pub operations: Vec<Operation>,
    /// The operation of each row, and what C = 0 is: the equation or the bound.
    pub rows: Vec<(usize, Relation)>,
}

impl Tape {
    /// Computes the rows.
    pub fn value<S: Real>(&self, now: &[Point<S>], before: &[Point<S>], dt: S, parameters: &[S]) -> Vec<S> {
        let mut values: Vec<Value<S>> = Vec::with_capacity(self.operations.len());
        for &operation in &self.operations {
            let value = Self::operate(operation, &values, (now, before, dt), parameters);
            values.push(value);
        }
        self.rows.iter().map(|&(row, _)| values[row].number()).collect()
    }

    fn operate<S: Real>(
        operation: Operation,
        values: &[Value<S>],
        (now, before, dt): (&[Point<S>], &[Point<S>], S),
        parameters: &[S],
    ) -> Value<S> {
        use Value::{Number, Point, Vector};
        let number = |k: usize| values[k].number();
        let vector = |k: usize| values[k].vector();
        match operation {
            Operation::Literal(value) => Number(S::literal(value)),
            Operation::Number(k) => Number(parameters[k]),
            Operation::Vector(k) => Vector(Vec3::new(parameters[k], parameters[k + 1], parameters[k + 2])),
            Operation::Now(k) => Point(now[k]),
            Operation::Before(k) => Point(before[k]),
            Operation::TimeStep => Number(dt),
            Operation::Negate(k) => match values[k] {
                Vector(v) => Vector(-v),
                value => Number(-value.number()),
            },
            Operation::Add([a, b]) => match (values[a], values[b]) {
                (Point(a), b) => Point(a + b.vector()),
                (a, Point(b)) => Point(b + a.vector()),
                (Vector(a), b) => Vector(a + b.vector()),
                (a, b) => Number(a.number() + b.number()),
            },
            Operation::Subtract([a, b]) => match (values[a], values[b]) {
                (Point(a), Point(b)) => Vector(a - b),
                (Point(a), b) => Point(a + -b.vector()),
                (Vector(a), b) => Vector(a - b.vector()),
                (a, b) => Number(a.number() - b.number()),
            },
            Operation::Multiply([a, b]) => match (values[a], values[b]) {
                (Vector(a), b) => Vector(a * b.number()),
                (a, Vector(b)) => Vector(b * a.number()),
                (a, b) => Number(a.number() * b.number()),
            },
            Operation::Divide([a, b]) => match values[a] {
                Vector(a) => Vector(a / number(b)),
                a => Number(a.number() / number(b)),
            },
            Operation::Compose([x, y, z]) => Vector(Vec3::new(number(x), number(y), number(z))),
            Operation::Component(k, axis) => Number(vector(k).to_array()[axis]),
            Operation::IfLess([a, b, then, otherwise]) => match (values[then], values[otherwise]) {
                (Vector(then), otherwise) => Vector(Vec3::select_lt(number(a), number(b), then, otherwise.vector())),
                (then, otherwise) => Number(number(a).select_lt(number(b), then.number(), otherwise.number())),
            },
            Operation::Dot([a, b]) => Number(vector(a).dot(vector(b))),
            Operation::Cross([a, b]) => Vector(vector(a).cross(vector(b))),
            Operation::Length(k) => Number(vector(k).length()),
            Operation::Normalize(k) => Vector(vector(k).normalize()),
            Operation::World(k) => Vector(values[k].point().world()),
            Operation::Axis(k) => Vector(values[k].point().axis()),
            Operation::Abs(k) => Number(number(k).abs()),
            Operation::Sqrt(k) => Number(number(k).sqrt()),
            Operation::Round(k) => Number(number(k).round()),
            Operation::Sin(k) => Number(number(k).sin()),
            Operation::Cos(k) => Number(number(k).cos()),
            Operation::Acos(k) => Number(number(k).acos()),
            Operation::Atan2([y, x]) => Number(number(y).atan2(number(x))),
            Operation::Min([a, b]) => Number(number(a).min(number(b))),
            Operation::Max([a, b]) => Number(number(a).max(number(b))),
        }
    }
}

impl ErasedConstraint for Tape {
    fn value<'g>(&self, x: &RecordedPoints<'g>, params: &[Sym<'g>]) -> Vec<Sym<'g>> {
        Tape::value(self, &x.now, &x.before, x.dt, params)
    }

    fn gradient<'g>(&self, _: &RecordedPoints<'g>, _: &[Sym<'g>]) -> Option<Vec<Vec<Vec3<Sym<'g>>>>> {
        None
    }

    fn admissible<'g>(&self, lambda: &[Sym<'g>], _: &[Sym<'g>], _: Sym<'g>) -> Vec<Sym<'g>> {
        let bounded = |(&lambda, &(_, relation)): (&Sym<'g>, &(usize, Relation))| match relation {
            Relation::Equal => lambda,
            Relation::AtMost => lambda.min(Sym::zero()),
            Relation::AtLeast => lambda.max(Sym::zero()),
        };
        lambda.iter().zip(&self.rows).map(bounded).collect()
    }

    fn stops<'g>(&self, _: &RecordedPoints<'g>, _: &[Sym<'g>]) -> Vec<Option<[Sym<'g>; 2]>> {
        vec![None; self.rows.len()]
    }

    fn target_rates<'g>(
        &self,
        _: &RecordedPoints<'g>,
        _: &[Sym<'g>],
        _: &[Sym<'g>],
        _: &[Sym<'g>],
    ) -> Option<Vec<Sym<'g>>> {
        None
    }

    fn impact<'g>(&self, _: &RecordedPoints<'g>, _: &[Sym<'g>], _: &[Sym<'g>]) -> Option<(Vec<Sym<'g>>, Sym<'g>)> {
        None
    }

    fn evolve_parameters<'g>(&self, _: &RecordedPoints<'g>, _: &[Sym<'g>]) -> Option<Vec<Sym<'g>>> {
        None
    }

    fn compliance<'g>(&self, alpha: Sym<'g>, _: &[Sym<'g>]) -> Vec<Vec<Sym<'g>>> {
        let rows = self.rows.len();
        let entry = |row: usize, column: usize| if row == column { alpha } else { Sym::zero() };
        (0..rows).map(|row| (0..rows).map(|column| entry(row, column)).collect()).collect()
    }

    fn damping<'g>(&self, gamma: Sym<'g>, _: &[Sym<'g>]) -> Vec<Sym<'g>> {
        vec![gamma; self.rows.len()]
    }

    fn mobilities<'g>(&self, _: &RecordedPoints<'g>, _: &[Sym<'g>], _: &[Sym<'g>]) -> Option<Vec<Sym<'g>>> {
        None
    }
}
