//! Constraint types from text, read at run time: for players, mods, level files and consoles.
//!
//! A text is a constraint as a formula. It is recorded like a function of Rust: the gradient, the machine code and the GPU
//! kernel are derived from it, and it is checked in the same way.
//!
//! ```
//! use xpbd_core::connector::Connectors;
//! use xpbd_core::prelude::*;
//!
//! let leash = ConstraintType::from_text("leash(a, b; length): distance(a, b) <= length")?;
//! let connectors = Connectors::particles(leash.point_count());
//! let batch = Batch::from_parts(leash, connectors, vec![0, 1], vec![], vec![1.5])?;
//! # assert_eq!(batch.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A name is followed by the names of its points, and of its parameters behind a semicolon; a parameter is a number, or a
//! vector as in `(a; up: vector)`. Behind a colon stand statements with semicolons in between:
//!
//! - a row: two expressions with `=`, `<=` or `>=` between them. The row is the left one minus the right one. An equation of
//!   vectors or points has three rows. The rows are solved as one block;
//! - `let name = expression`.
//!
//! A text that keeps the angle between two triangles a, b, c and a, b, d:
//!
//! ```
//! # use xpbd_core::constraint::ConstraintType;
//! # ConstraintType::from_text(
//! "fold(a, b, c, d; angle):
//!      let left = normalize(cross(b - a, c - a));
//!      let right = normalize(cross(d - a, b - a)); // both point to one side
//!      acos(dot(left, right)) = angle"
//! # ).unwrap();
//! ```
//!
//! | expression | meaning |
//! |---|---|
//! | `a - b` | vector \[m\] from point b to point a |
//! | `a + v`, `a - v` | point beside point a |
//! | `(x, y, z)`, `v.x` | vector, component |
//! | `+`, `-`, `*`, `/` | of numbers; of vectors with each other, and of vectors with numbers |
//! | `dot(v, w)`, `cross(v, w)`, `length(v)`, `normalize(v)`, `distance(a, b)` | products and lengths |
//! | `abs`, `sqrt`, `min`, `max`, `clamp(x, low, high)`, `round`, `sin`, `cos`, `acos`, `atan2(y, x)`, `pi` | of numbers |
//! | `if(x < y, then, otherwise)` | one of two numbers or vectors |
//! | `before(a)`, `dt` | point at the start of the substep, and the length of the substep \[s\] |
//! | `world(a)` | position in the world \[m\], rounded like any `f32` of its size |
//! | `axis(a)` | direction of an axis on a body |
//!
//! Two types of the same text are the same type. A text has at most 8 points, 32 numbers as parameters, 6 rows and 300
//! operations.

mod grammar;
mod resolve;
mod tape;

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use super::check::{CheckedFunction, ConstraintError, check, random_sample};
use super::kind::ConstraintType;
use super::points::Point;
use crate::scalar::{Double, Real, Vec3};
use tape::Tape;

/// Longest text \[bytes\].
const MAX_LENGTH: usize = 4096;

/// Number of random places among which the check looks for those where the rows are defined.
const PLACES: u32 = 256;

/// Why a text is no constraint.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum TextError {
    /// The text cannot be read.
    #[error("{0}")]
    Syntax(SyntaxError),
    /// A row is not finite at any of many random points in [−1, 1]³ and parameters in [½, 3/2].
    #[error(
        "constraint `{0}`: a row is infinite or not a number at each of {PLACES} random places with points in [−1, 1]³ and \
         parameters in [½, 3/2]"
    )]
    Undefined(String),
    /// The self-check failed.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
}

/// The error at a place of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Number of the line, from 1.
    pub line: usize,
    /// Number of the character in the line, from 1.
    pub column: usize,
    /// The cause, and what to do.
    pub message: String,
    /// The line.
    pub source: String,
}

impl SyntaxError {
    fn new(text: &str, (at, message): (usize, String)) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let source = text[start..].lines().next().unwrap_or_default().to_string();
        let (line, column) = (before.matches('\n').count() + 1, before[start..].chars().count() + 1);
        Self { line, column, message, source }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, message, source } = self;
        write!(f, "line {line}, column {column}: {message}\n    {source}\n    {:>column$}", '^')
    }
}

impl ConstraintType {
    /// Reads a constraint type from a text and checks it; [`text`](crate::constraint::text) tells how it is written.
    ///
    /// # Errors
    /// The place at which the text cannot be read or makes no sense, and why; or the result of the self-check.
    pub fn from_text(text: &str) -> Result<Arc<Self>, TextError> {
        let refused = |problem| TextError::Syntax(SyntaxError::new(text, problem));
        if text.len() > MAX_LENGTH {
            return Err(refused((0, format!("the text has {} bytes; it may have {MAX_LENGTH}", text.len()))));
        }
        let definition = grammar::parse(text).map_err(refused)?;
        let (tape, parameters) = resolve::resolve(&definition).map_err(refused)?;
        let (points, rows) = (definition.points.len(), tape.rows.len());
        let kind = Self::of_text((definition.name, text), points, parameters, rows, Box::new(tape.clone()));
        let places: Vec<_> = (0..PLACES).map(|number| random_sample(&kind, number)).collect();
        let is_defined = |(points, parameters): &(Vec<[f32; 3]>, Vec<f32>)| {
            let point = |x: &[f32; 3]| {
                let [x, y, z] = x.map(Double::literal);
                Point::new(Vec3::new(x, y, z), Vec3::zero())
            };
            let points: Vec<_> = points.iter().map(point).collect();
            let parameters: Vec<_> = parameters.iter().map(|&number| Double::literal(number)).collect();
            tape.value(&points, &points, Double::one(), &parameters).iter().all(|row| row.0.is_finite())
        };
        let places: Vec<_> = places.into_iter().filter(is_defined).collect();
        if places.is_empty() {
            return Err(TextError::Undefined(definition.name.into()));
        }
        check(&kind, &DefinedTape { tape, places })?;
        Ok(Arc::new(kind))
    }
}

/// The functions of a text, and places where they are defined.
struct DefinedTape {
    tape: Tape,
    places: Vec<(Vec<[f32; 3]>, Vec<f32>)>,
}

impl CheckedFunction for DefinedTape {
    fn value<S: Real>(&self, now: &[Point<S>], before: &[Point<S>], dt: S, parameters: &[S]) -> Vec<S> {
        self.tape.value(now, before, dt, parameters)
    }

    fn evolve_parameters<S: Real>(&self, _: &[Point<S>], _: S, _: &[S]) -> Option<Vec<S>> {
        None
    }

    fn sample(&self, number: u32) -> Option<(Vec<[f32; 3]>, Vec<f32>)> {
        Some(self.places[number as usize % self.places.len()].clone())
    }
}
