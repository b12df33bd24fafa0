//! Comparisons of XPBD with the classical solvers, as figures and tables.
//!
//! Every [`Section`] is a function that runs small scenes with the solvers of [`reference`](crate::reference), and with
//! the engine where the product is meant. All figures but times are the same from run to run.

pub mod cable;
pub mod convergence;
pub mod energy;
mod engine;
mod figure;
mod page;
mod plot;
pub mod stiffness;
mod time;
pub mod work;

use serde::Serialize;
use thiserror::Error;

pub use engine::Engine;
pub use figure::{Axis, Curve, Figure, Scale, Table};
pub use page::{comparison_page, number, page, write_page};
pub use plot::svg;

use crate::reference::ReferenceError;
use crate::scene::SceneError;

/// A frame \[s\].
pub const FRAME: f64 = 1.0 / 60.0;

/// A section of the page: one comparison with its figure and its table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// Name of its picture, without the ending.
    pub name: &'static str,
    /// Title of the section.
    pub title: &'static str,
    /// Text that explains the setup and the result.
    pub text: &'static str,
    /// True if it measures time, so that its figures are those of a machine.
    pub timed: bool,
    /// The picture.
    pub figure: Figure,
    /// The figures.
    pub table: Table,
}

/// An error that ended a comparison.
#[derive(Debug, Error)]
pub enum CompareError {
    /// A reference solver failed.
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    /// A world refused an edit or a step.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// While a picture was drawn.
    #[error("a picture could not be drawn: {0}")]
    Plot(String),
    /// A page or a picture could not be written.
    #[error("{0}")]
    Write(String),
}

/// A comparison, unless it failed.
pub type Outcome = Result<Section, CompareError>;

/// The function that runs a comparison.
pub type Run = fn() -> Outcome;

/// All comparisons by the names of their pictures, in the order of the page; those that measure time come last.
pub const SECTIONS: &[(&str, Run)] = &[
    ("energy", energy::section),
    ("stiffness", stiffness::section),
    ("convergence", convergence::section),
    ("work", work::section),
    ("cable", cable::section),
    ("time", time::section),
];
