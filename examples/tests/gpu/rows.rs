//! The validation table on the GPU: every row is a test.

use examples::validate::{ROWS, Row};

use crate::support::{Gpu, Outcome, Test, ensure};

pub fn tests() -> Vec<Test> {
    let of = |&(topic, rows): &(&'static str, &'static [Row])| {
        rows.iter().map(move |row| {
            let name = format!("{topic}::{}", row.name);
            Test::new(format!("validation::{name}"), |gpu| passes(gpu, row))
        })
    };
    ROWS.iter().flat_map(of).collect()
}

fn passes(gpu: &Gpu, row: &Row) -> Outcome {
    let check = (row.check)(&gpu.device)?;
    ensure(check.pass, || format!("{check:?}"))
}
