//! `xpbd bench`.

use std::process::ExitCode;

use examples::bench::{Case, Measurement, cases, curve, measure};
use xpbd_core::cpu::Threads;

use super::Outcome;

/// What is measured unless something is named.
const USUAL: [&str; 3] = ["hang", "drape", "pile"];

/// Measures scenes on one thread and on all; `curve` measures strain against time.
pub fn bench(names: &[String], json: bool) -> Outcome {
    let names: Vec<&str> = if names.is_empty() { USUAL.to_vec() } else { names.iter().map(String::as_str).collect() };
    let mut all = Vec::new();
    for name in names {
        let measurements = if name == "curve" { strain_curve()? } else { scene(&cases(name)?)? };
        if !json {
            let table = if name == "curve" { print_curve } else { print_scene };
            table(&measurements);
        }
        all.extend(measurements);
    }
    if json {
        println!("{}", serde_json::json!({ "benches": all }));
    }
    Ok(ExitCode::SUCCESS)
}

/// Every case on one thread and on all.
fn scene(cases: &[Case]) -> Result<Vec<Measurement>, Box<dyn std::error::Error>> {
    let mut measurements = Vec::new();
    for case in cases {
        for threads in [Threads::Exactly(1), Threads::All] {
            measurements.push(measure(case, threads, false)?);
        }
    }
    Ok(measurements)
}

/// Every case of the curve on all threads, to the end of the scene, where the sheet is at rest.
fn strain_curve() -> Result<Vec<Measurement>, Box<dyn std::error::Error>> {
    curve().iter().map(|case| Ok(measure(case, Threads::All, true)?)).collect()
}

fn print_scene(measurements: &[Measurement]) {
    println!("| scene | case | threads | constraints | substeps | ms median | ms p95 | million solves a second |");
    println!("|---|---|---|---|---|---|---|---|");
    for m in measurements {
        let Measurement { scene, label, threads, constraints, substeps, .. } = m;
        let (median, p95) = (m.ms_per_frame.median, m.ms_per_frame.p95);
        let solves = 1e-6 * m.solves_per_second;
        println!(
            "| {scene} | {label} | {threads} | {constraints} | {substeps} | {median:.2} | {p95:.2} | {solves:.1} |"
        );
    }
    println!();
}

fn print_curve(measurements: &[Measurement]) {
    println!("| substeps | tethers | ms a frame | p99 strain |");
    println!("|---|---|---|---|");
    for m in measurements {
        let tethers = if m.label.ends_with("on") { "on" } else { "off" };
        let (time, strain) = (m.ms_per_frame.median, 100.0 * m.p99_strain);
        println!("| {} | {tethers} | {time:.2} | {strain:.3} % |", m.substeps);
    }
    println!();
}
