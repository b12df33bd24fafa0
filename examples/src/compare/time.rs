//! Strain and time per frame for iterations and for substeps of the engine.

use std::time::Instant;

use xpbd_core::cpu::Threads;

use super::{Axis, CompareError, Curve, Figure, Outcome, Section, Table};
use crate::device::Device;
use crate::scene::{Options, Recipe};

/// Particles along an edge of the sheet.
const SIDE: u32 = 24;
/// Frames of the comparison.
const FRAMES: u32 = 90;
/// Sweeps of a frame compared.
const WORK: [u32; 5] = [5, 10, 20, 40, 80];

/// Returns the milliseconds of the fastest frame, and the strain that 99 of 100 edges stay below in the end.
fn hang(substeps: u32, iterations: u32) -> Result<(f64, f64), CompareError> {
    let options = Options::default().with("n", SIDE).with("tethers", "off").frames(FRAMES).steps(substeps, iterations);
    let mut scene = Recipe::find("hang")?.build(&options)?;
    let mut stepper = Device::Cpu(Threads::Exactly(1)).stepper();
    let mut fastest = f64::INFINITY;
    for _ in 0..FRAMES {
        let start = Instant::now();
        scene.step(&mut stepper)?;
        fastest = fastest.min(1e3 * start.elapsed().as_secs_f64());
    }
    Ok((fastest, scene.metric("p99_strain")?))
}

pub(super) fn section() -> Outcome {
    let iterations = WORK.iter().map(|&n| hang(1, n)).collect::<Result<Vec<_>, _>>()?;
    let substeps = WORK.iter().map(|&n| hang(n, 1)).collect::<Result<Vec<_>, _>>()?;
    let rows = WORK.iter().zip(iterations.iter().zip(&substeps));
    let rows = rows.map(|(n, (a, b))| (n.to_string(), vec![a.0, a.1, b.0, b.1])).collect();
    Ok(Section {
        name: "time",
        title: "Strain against time",
        text: "The scene `hang` of the engine is a sheet of 24 × 24 particles with rigid edges and without tethers, \
               held by two corners, on one thread of the CPU. The strain is the value below which 99 of 100 edges \
               stay after 90 frames; it is the same on every machine. Times are those of the fastest frame on the \
               machine that ran the command.",
        timed: true,
        figure: Figure {
            x: Axis::decades("milliseconds a frame", -1, 2),
            y: Axis::decades("strain [1]", -3, 0),
            curves: vec![Curve::new("1 × n", iterations), Curve::new("n × 1", substeps)],
        },
        table: Table {
            head: vec!["sweeps per frame, n", "1 × n [ms]", "strain [1]", "n × 1 [ms]", "strain [1]"],
            rows,
        },
    })
}
