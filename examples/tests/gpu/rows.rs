//! The validation table on the GPU: every row is a test.

use examples::validate::{ROWS, Row};

use crate::support::{Gpu, Outcome, Test, ensure};

/// Rows that take a software device half a minute and more: ignored unless asked for, as `xpbd validate --backend gpu`
/// does. That their scenes go as on the CPU is tested with all other scenes.
const LONG: &[&str] = &[
    "error_falls_with_the_square",
    "floating_box",
    "heavy_end",
    "layers",
    "repose_is_monotone",
    "repose_is_near_the_friction_angle",
    "rigid_stays_finite",
    "soft_sheet",
    "stiff_stays_finite",
];

pub fn tests() -> Vec<Test> {
    let of = |&(topic, rows): &(&'static str, &'static [Row])| {
        rows.iter().map(move |row| {
            let name = format!("{topic}::{}", row.name);
            let test = Test::new(format!("validation::{name}"), |gpu| passes(gpu, row));
            Test { is_long: LONG.contains(&row.name), ..test }
        })
    };
    ROWS.iter().flat_map(of).collect()
}

fn passes(gpu: &Gpu, row: &Row) -> Outcome {
    let check = (row.check)(&gpu.device)?;
    ensure(check.pass, || format!("{check:?}"))
}
