//! The command `xpbd bench`.

use std::process::ExitCode;

use examples::bench::{
    CurvePoint, Measurement, Mode, NumbersMeasurement, OTHERS, QueryMeasurement, STUDIES, Study, cases, measure,
    measure_numbers, measure_queries,
};

use examples::scene::ALL;

use super::{BenchArgs, Outcome};

/// Benchmarks that are run if none is named.
const USUAL: [&str; 5] = ["hang", "drape", "pile", "boxes", "joints"];

/// Measures scenes in all modes of a back end; `curve` measures errors against time.
pub fn bench(args: &BenchArgs) -> Outcome {
    if args.scenes == ["curve"] {
        return curve(args);
    }
    if args.out.is_some() {
        return Err("only the benchmark `curve` writes a page; leave `--out` away".into());
    }
    if args.scenes == ["numbers"] {
        return numbers(args);
    }
    if args.scenes == ["queries"] {
        return queries(args);
    }
    for name in &args.scenes {
        if ["curve", "numbers", "queries"].contains(&name.as_str()) {
            return Err(format!("the benchmark `{name}` is measured alone").into());
        }
        if cases(name).is_err() {
            let scenes: Vec<_> = ALL.iter().map(|recipe| recipe.name).collect();
            let known = [&OTHERS[..], &scenes].concat().join(", ");
            return Err(format!("there is no benchmark `{name}`; there are {known}").into());
        }
    }
    let modes = Mode::all(args.backend)?;
    let names: Vec<&str> = match &args.scenes[..] {
        [] => USUAL.to_vec(),
        names => names.iter().map(String::as_str).collect(),
    };
    let mut all = Vec::new();
    for name in names {
        let measurements = table(name, &modes)?;
        if !args.json {
            print_scene(&measurements);
        }
        all.extend(measurements);
    }
    if args.json {
        println!("{}", serde_json::json!({ "benches": all }));
    }
    Ok(ExitCode::SUCCESS)
}

/// Measures the error of each study against its time; writes the page and its pictures if there is a folder for them.
fn curve(args: &BenchArgs) -> Outcome {
    if args.out.is_some() && cfg!(not(feature = "compare")) {
        return Err("this build of xpbd draws no pictures; add `--features compare` to the command of cargo".into());
    }
    let mut all = Vec::new();
    for study in &STUDIES {
        let points = study.measure()?;
        if !args.json {
            print_study(study, &points);
        }
        all.push((study, points));
    }
    if args.json {
        let studies = all.iter().map(|(study, points)| serde_json::json!({ "name": study.name, "points": points }));
        println!("{}", serde_json::json!({ "studies": studies.collect::<Vec<_>>() }));
    }
    #[cfg(feature = "compare")]
    if let Some(folder) = &args.out {
        let sections: Vec<_> = all.iter().map(|(study, points)| examples::bench::section(study, points)).collect();
        let page = examples::bench::convergence_page(&sections);
        examples::compare::write_page(&page, "convergence", &sections, folder)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print_study(study: &Study, points: &[CurvePoint]) {
    println!("{}: {}\n", study.title, study.error);
    println!("| method | substeps | ms per frame | p99 | largest | p99 on the way | largest on the way |");
    println!("|---|---|---|---|---|---|---|");
    for CurvePoint { method, substeps, ms_per_frame, at_end, on_the_way } in points {
        let (time, [end, way]) = (ms_per_frame.median, [at_end, on_the_way]);
        println!(
            "| {method} | {substeps} | {time:.3} | {:.4} | {:.3} | {:.3} | {:.3} |",
            end.p99, end.largest, way.p99, way.largest
        );
    }
    println!();
}

/// Measures numbers that change every frame against the same world left alone.
fn numbers(args: &BenchArgs) -> Outcome {
    let all = measure_numbers(args.backend)?;
    if args.json {
        println!("{}", serde_json::json!({ "benches": all }));
        return Ok(ExitCode::SUCCESS);
    }
    println!("| changes every frame | back end | ms left alone | ms changing | ratio | plans made |");
    println!("|---|---|---|---|---|---|");
    for NumbersMeasurement { label, backend, left_alone, changing, ratio, plans } in &all {
        let [alone, changing] = [left_alone.median, changing.median];
        println!("| {label} | {backend} | {alone:.2} | {changing:.2} | {ratio:.3} | {plans} |");
    }
    Ok(ExitCode::SUCCESS)
}

/// Measures spatial queries in a large world.
fn queries(args: &BenchArgs) -> Outcome {
    let all = measure_queries()?;
    if args.json {
        println!("{}", serde_json::json!({ "benches": all }));
        return Ok(ExitCode::SUCCESS);
    }
    println!("| task | ms median | ms p95 | hits |");
    println!("|---|---|---|---|");
    for QueryMeasurement { label, time, hits } in &all {
        println!("| {label} | {:.2} | {:.2} | {hits} |", time.median, time.p95);
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns every case of a name in every mode.
fn table(name: &str, modes: &[Mode]) -> Result<Vec<Measurement>, Box<dyn std::error::Error>> {
    let mut measurements = Vec::new();
    for case in cases(name)? {
        for mode in modes {
            measurements.push(measure(&case, mode)?);
        }
    }
    Ok(measurements)
}

fn print_scene(measurements: &[Measurement]) {
    print_adapter(measurements);
    println!(
        "| scene | case | mode | bodies | constraints | substeps | dispatches | ms median | ms p95 | million solves per second |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for m in measurements {
        let Measurement { scene, label, mode, bodies, constraints, substeps, dispatches, .. } = m;
        let (median, p95) = (m.ms_per_frame.median, m.ms_per_frame.p95);
        let solves = 1e-6 * m.solves_per_second;
        println!(
            "| {scene} | {label} | {mode} | {bodies} | {constraints} | {substeps} | {dispatches} | {median:.2} | {p95:.2} | {solves:.1} |"
        );
    }
    println!();
    for Measurement { label, mode, phases, .. } in measurements {
        let phases: Vec<_> = phases.iter().map(|(name, time)| format!("{name} {time:.2}")).collect();
        println!("{label}, {mode}: {} ms", phases.join(", "));
    }
    for m in measurements.iter().filter(|m| m.mean_density_error.is_finite()) {
        println!("{}, {}: mean compression {:.2} %", m.label, m.mode, 100.0 * m.mean_density_error);
    }
    for m in measurements.iter().filter(|m| m.joint_error_percent.is_finite()) {
        println!("{}, {}: largest joint gap {:.3} % of a link", m.label, m.mode, m.joint_error_percent);
    }
    println!();
}

fn print_adapter(measurements: &[Measurement]) {
    if let Some(adapter) = measurements.first().and_then(|m| m.adapter.as_ref()) {
        println!("adapter {}, driver {}\n", adapter.name, adapter.driver);
    }
}
