//! The validation table on the GPU: every check is a test.

use examples::validate::{ROWS, Row};

use crate::support::{Gpu, Outcome, Test, ensure};

/// Rows that take a software device a quarter of a minute and more: ignored unless asked for, as
/// `xpbd validate --backend gpu` does. That their scenes go as on the CPU is tested with all other scenes.
const LONG: &[&str] = &[
    "chain::compliant_at_1000",
    "chain::compliant_at_50",
    "chain::error_falls_with_the_square",
    "chain::heavy_end",
    "cloth::rigid_stays_finite",
    "cloth::soft_sheet",
    "cloth::stiff_stays_finite",
    "cloth::stretch_of_substeps",
    "cluster::linear_momentum",
    "contact::repose_is_monotone",
    "contact::repose_is_near_the_friction_angle",
    "fluid::couette",
    "fluid::drop_is_round",
    "fluid::layers",
    "water::floating_box",
];

pub fn tests() -> Vec<Test> {
    let of = |&(topic, rows): &(&'static str, &'static [Row])| {
        rows.iter().map(move |row| {
            let name = format!("{topic}::{}", row.name);
            let is_long = LONG.contains(&name.as_str());
            Test { is_long, ..Test::new(format!("validation::{name}"), |gpu| passes(gpu, row)) }
        })
    };
    ROWS.iter().flat_map(of).collect()
}

fn passes(gpu: &Gpu, row: &Row) -> Outcome {
    let check = (row.check)(&gpu.device)?;
    ensure(check.pass, || format!("{check:?}"))
}
