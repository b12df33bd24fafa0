//! Benchmarks: milliseconds per frame and constraint solves per second, of the CPU on one thread and on
//! all, of an adapter with results that come back every frame and with results left where they are.

mod curve;
mod measure;
mod numbers;
mod own;
mod queries;

pub use curve::{CurvePoint, Errors, STUDIES, Study};
#[cfg(feature = "compare")]
pub use curve::{convergence_page, section};
pub use measure::{Measurement, Mode, measure};
pub use numbers::{NumbersMeasurement, measure_numbers};
pub use own::{OwnMeasurement, measure_own};
pub use queries::{QueryMeasurement, measure_queries};

use crate::scene::{Options, Recipe, SceneError};

/// Names of benchmarks that are no scenes; the last four are measured alone.
pub const OTHERS: [&str; 7] = ["paper", "joints", "dam-break-large", "curve", "numbers", "own", "queries"];

/// Something to measure: a scene with options.
#[derive(Debug, Clone)]
pub struct Case {
    /// Name of the case.
    pub label: String,
    /// The scene.
    pub scene: &'static str,
    /// Options that the scene is built with.
    pub options: Options,
    /// Frames stepped before any are measured.
    pub warm_up: u32,
    /// Frames measured; unless given, all to the end of the scene, where everything is at rest.
    pub measured: Option<u32>,
}

impl Case {
    fn new(label: impl Into<String>, scene: &'static str, options: Options) -> Self {
        Self { label: label.into(), scene, options, warm_up: 30, measured: Some(120) }
    }
}

/// Returns the cases of a scene, or those of a name of their own: `paper`, `joints` and `dam-break-large`.
///
/// # Errors
/// There is no such scene.
pub fn cases(name: &str) -> Result<Vec<Case>, SceneError> {
    match name {
        "paper" => return Ok(["mesh", "patches"].map(paper).into()),
        "boxes" => return Ok(boxes()),
        "joints" => return Ok(vec![joints()]),
        "dam-break" => return Ok(vec![dam(10_000), dam(100_000)]),
        "dam-break-large" => return Ok(vec![dam(1_000_000)]),
        _ => {}
    }
    let recipe = Recipe::find(name)?;
    if recipe.name != "hang" {
        return Ok(vec![Case::new(recipe.name, recipe.name, Options::default())]);
    }
    let sheet = |label, tethers, bending, order| {
        let options = hang(100).with("tethers", tethers).with("bending", bending).with("order", order);
        Case::new(label, "hang", options.steps(10, 1))
    };
    Ok(vec![
        sheet("n=100, isometric bending", "off", "isometric", "mesh"),
        sheet("n=100, isometric bending, tethers", "on", "isometric", "mesh"),
        sheet("n=100, distance bending", "off", "distance", "mesh"),
        sheet("n=100, isometric bending, patches", "off", "isometric", "patches"),
        sheet("n=100, distance bending, patches", "off", "distance", "patches"),
    ])
}

/// Returns a dam break with about so many particles, from where it has come in half a second.
fn dam(count: u32) -> Case {
    let measured = if count > 10_000 { 30 } else { 120 };
    let case = Case::new(format!("{count} particles"), "dam-break", Options::default().with("n", count));
    Case { measured: Some(measured), ..case }
}

fn hang(side: u32) -> Options {
    Options::default().with("n", side)
}

/// Returns a sheet as large as the largest of \[SmallSteps19\]: about 150,000 particles and 900,000 springs, in an order.
fn paper(order: &str) -> Case {
    let options = hang(387).with("tethers", "off").with("bending", "distance").with("order", order).steps(30, 1);
    Case::new(format!("n=387, distance bending, {order}"), "hang", options)
}

/// Returns a thousand boxes: while they fall, when they lie still, and when they lie and may not sleep.
fn boxes() -> Vec<Case> {
    let thousand = |label: &str, sleep: &str, warm_up, measured| {
        let options = Options::default().with("n", 1000).with("sleep", sleep).steps(10, 1);
        Case { warm_up, measured: Some(measured), ..Case::new(format!("1000 boxes, {label}"), "boxes", options) }
    };
    vec![
        thousand("falling", "on", 20, 100),
        thousand("resting", "on", 900, 60),
        thousand("resting, awake", "off", 900, 60),
    ]
}

/// Returns a hundred chains of nine bodies that swing down from level.
fn joints() -> Case {
    let options = Options::default().with("n", 9).with("chains", 100).with("end_mass", 1).with("swing", 1);
    Case::new("900 ball joints in 100 chains of 9", "chain-rigid", options.steps(20, 1))
}
