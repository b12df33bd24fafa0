//! Comparisons of the engine with closed forms and published numbers.
//!
//! Every row is a function that steps its worlds on a [`Device`] and gives a [`Check`]: what was
//! measured, what it should be, and how far off it may be. Rows are grouped by topic; [`ROWS`] lists them all. A bound is a check
//! around 0.

/// The rows of a topic, each named like its function.
macro_rules! rows {
    ($($row:ident),* $(,)?) => { &[$(Row { name: stringify!($row), check: $row }),*] };
}

pub mod air;
pub mod body;
pub mod bounce;
pub mod chain;
pub mod cloth;
pub mod cluster;
pub mod compound;
pub mod contact;
pub mod coupling;
pub mod drive;
pub mod fluid;
pub mod inflate;
pub mod integrate;
pub mod invariance;
pub mod joint;
mod lab;
pub mod links;
pub mod membrane;
pub mod moved;
pub mod pendulum;
pub mod plate;
mod probe;
pub mod rod;
pub mod rope;
pub mod slope;
pub mod spring;
pub mod stack;
pub mod volume;
pub mod water;
mod yard;

use serde::Serialize;

use crate::device::Device;
use crate::scene::SceneError;

/// A comparison of a measured value with the expected one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// Name of the quantity, with its unit.
    pub name: &'static str,
    /// Expected value.
    pub expected: f64,
    /// Measured value.
    pub measured: f64,
    /// Allowed deviation.
    pub tolerance: f64,
    /// True if the deviation is within the tolerance.
    pub pass: bool,
}

/// The result of a check, or the error of a world that could not be built or stepped.
pub type Outcome = Result<Check, SceneError>;

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Name of the check within its topic.
    pub name: &'static str,
    /// Steps its worlds on a device and compares.
    pub check: fn(&Device) -> Outcome,
}

impl Check {
    /// Checks that a number is `expected` within `tolerance`. NaN never is.
    pub fn near(name: &'static str, expected: f64, measured: f64, tolerance: f64) -> Outcome {
        let pass = (measured - expected).abs() <= tolerance;
        Ok(Self { name, expected, measured, tolerance, pass })
    }

    /// Checks that a number is `expected` within the fraction `tolerance` of it.
    pub fn relative(name: &'static str, expected: f64, measured: f64, tolerance: f64) -> Outcome {
        Self::near(name, expected, measured, tolerance * expected.abs())
    }

    /// Checks that a deviation is at most `limit`.
    pub fn at_most(name: &'static str, limit: f64, measured: f64) -> Outcome {
        Self::near(name, 0.0, measured, limit)
    }
}

/// All rows by topic.
pub const ROWS: &[(&str, &[Row])] = &[
    ("integrate", integrate::ROWS),
    ("pendulum", pendulum::ROWS),
    ("spring", spring::ROWS),
    ("chain", chain::ROWS),
    ("contact", contact::ROWS),
    ("rope", rope::ROWS),
    ("cloth", cloth::ROWS),
    ("membrane", membrane::ROWS),
    ("invariance", invariance::ROWS),
    ("body", body::ROWS),
    ("slope", slope::ROWS),
    ("bounce", bounce::ROWS),
    ("stack", stack::ROWS),
    ("moved", moved::ROWS),
    ("cluster", cluster::ROWS),
    ("joint", joint::ROWS),
    ("compound", compound::ROWS),
    ("drive", drive::ROWS),
    ("coupling", coupling::ROWS),
    ("links", links::ROWS),
    ("water", water::ROWS),
    ("fluid", fluid::ROWS),
    ("rod", rod::ROWS),
    ("air", air::ROWS),
    ("inflate", inflate::ROWS),
    ("volume", volume::ROWS),
    ("plate", plate::ROWS),
];
