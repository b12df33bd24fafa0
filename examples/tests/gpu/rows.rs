//! The validation table on the GPU: every check is a test.

use examples::validate::{ROWS, Row};

use crate::support::{Gpu, Outcome, Test, ensure};

/// Rows that take a software device on two busy cores a third of a minute and more: ignored unless asked for, as
/// `xpbd validate --backend gpu` does. That their scenes go as on the CPU is tested with all other scenes.
const LONG: &[&str] = &[
    "chain::compliant_at_100",
    "chain::compliant_at_1000",
    "chain::compliant_at_50",
    "chain::compliant_is_monotone",
    "chain::error_falls_with_the_square",
    "chain::heavy_end",
    "cloth::energy_of_substeps",
    "cloth::rigid_stays_finite",
    "cloth::soft_sheet",
    "cloth::stiff_stays_finite",
    "cloth::stretch_of_substeps",
    "cluster::linear_momentum",
    "contact::repose_is_monotone",
    "contact::repose_is_near_the_friction_angle",
    "fluid::couette",
    "fluid::drop_is_round",
    "fluid::drop_keeps_momentum",
    "fluid::layers",
    "joint::boxes_in_a_row",
    "joint::boxes_on_links",
    "links::holds",
    "links::holds_little",
    "links::holds_most",
    "links::swings",
    "membrane::bar_contraction",
    "rod::angular_momentum",
    "rod::buckling",
    "rod::cantilever",
    "rod::elastica",
    "rod::half_circle",
    "rod::helical_spring",
    "rod::linear_momentum",
    "rod::thin_cantilever",
    "rod::twist",
    "rope::catenary_sag",
    "rope::catenary_tension",
    "rope::stretch",
    "slope::creep_near_the_limit",
    "stack::cards_stand",
    "stack::column_stands",
    "stack::drift_without_sleep",
    "stack::heavy_top_sinks",
    "stack::thousandfold_top_stays",
    "water::bag_leaks",
    "water::column",
    "water::dam_leaks",
    "water::floating_box",
    "water::seepage",
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
