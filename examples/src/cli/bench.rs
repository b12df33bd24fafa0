//! The command `xpbd bench`.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::ExitCode;

use examples::bench::{
    CurvePoint, Measurement, Mode, NumbersMeasurement, OTHERS, OwnMeasurement, QueryMeasurement, STUDIES, Study, cases,
    measure, measure_numbers, measure_own, measure_queries,
};

use examples::scene::ALL;

use super::{BenchArgs, Outcome};

/// Benchmarks that are run if none is named.
const USUAL: [&str; 5] = ["hang", "drape", "pile", "boxes", "joints"];

/// Benchmarks that are measured alone.
const ALONE: [&str; 4] = ["curve", "numbers", "own", "queries"];

/// Measures scenes in all modes of a back end; `curve` measures errors against time.
pub fn bench(args: &BenchArgs) -> Outcome {
    if args.against.is_some() && args.scenes.iter().any(|name| ALONE.contains(&name.as_str())) {
        return Err("only scenes are compared with an earlier run; leave `--against` away".into());
    }
    if args.scenes == ["curve"] {
        return curve(args);
    }
    if args.out.is_some() {
        return Err("only the benchmark `curve` writes a page; leave `--out` away".into());
    }
    if args.scenes == ["numbers"] {
        return numbers(args);
    }
    if args.scenes == ["own"] {
        return own(args);
    }
    if args.scenes == ["queries"] {
        return queries(args);
    }
    for name in &args.scenes {
        if ALONE.contains(&name.as_str()) {
            return Err(format!("the benchmark `{name}` is measured alone").into());
        }
        if cases(name).is_err() {
            let scenes: Vec<_> = ALL.iter().map(|recipe| recipe.name).collect();
            let known = [&OTHERS[..], &scenes].concat().join(", ");
            return Err(format!("there is no benchmark `{name}`; there are {known}").into());
        }
    }
    let earlier = args.against.as_deref().map(EarlierRun::read).transpose()?;
    let modes = Mode::all(args.backend)?;
    let names: Vec<&str> = match &args.scenes[..] {
        [] => USUAL.to_vec(),
        names => names.iter().map(String::as_str).collect(),
    };
    let mut all = Vec::new();
    for name in names {
        let measurements = table(name, &modes)?;
        if !args.json {
            print_scene(&measurements, earlier.as_ref());
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

/// Measures a constraint of one's own against a loop written by hand.
fn own(args: &BenchArgs) -> Outcome {
    let measured = measure_own()?;
    if args.json {
        println!("{}", serde_json::json!({ "benches": [measured] }));
        return Ok(ExitCode::SUCCESS);
    }
    let OwnMeasurement { springs, function, by_hand, ratio, difference } = measured;
    println!("| springs | ms by their function | ms by hand | ratio | difference after a frame [m] |");
    println!("|---|---|---|---|---|");
    println!("| {springs} | {:.2} | {:.2} | {ratio:.3} | {difference:.1e} |", function.median, by_hand.median);
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
        measurements.extend(measure(&case, modes)?);
    }
    Ok(measurements)
}

/// A run of the past, as `--json` has printed it.
struct EarlierRun {
    benches: Vec<serde_json::Value>,
}

impl EarlierRun {
    /// Reads the run of a file.
    fn read(path: &Path) -> Result<Self, String> {
        let told = |error: &dyn std::fmt::Display| format!("cannot compare with {}: {error}", path.display());
        let file = File::open(path).map_err(|error| told(&error))?;
        let mut run: serde_json::Value = serde_json::from_reader(BufReader::new(file)).map_err(|error| told(&error))?;
        match run.get_mut("benches").map(serde_json::Value::take) {
            Some(serde_json::Value::Array(benches)) => Ok(Self { benches }),
            _ => Err(told(&"it has no list `benches`; write it with `xpbd bench --json`")),
        }
    }

    /// Returns the 10th percentile and the median of the times of the same case in the same mode \[ms\].
    fn times(&self, of: &Measurement) -> Option<[f64; 2]> {
        let is_same = |bench: &&serde_json::Value| {
            let text = |name: &str| bench[name].as_str();
            (text("scene"), text("label"), text("backend"), text("mode"))
                == (Some(of.scene), Some(&of.label), Some(&of.backend), Some(&of.mode))
        };
        let times = &self.benches.iter().find(is_same)?["ms_per_frame"];
        Some([times["p10"].as_f64()?, times["median"].as_f64()?])
    }
}

fn print_scene(measurements: &[Measurement], earlier: Option<&EarlierRun>) {
    print_adapter(measurements);
    let (heads, rule) = if earlier.is_some() { (" ratio p10 | ratio median |", "---|---|") } else { ("", "") };
    println!(
        "| scene | case | mode | bodies | constraints | substeps | dispatches | ms p10 | ms median | ms p95 | million solves per second |{heads}"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|{rule}");
    for m in measurements {
        let Measurement { scene, label, mode, bodies, constraints, substeps, dispatches, .. } = m;
        let [p10, median, p95] = [m.ms_per_frame.p10, m.ms_per_frame.median, m.ms_per_frame.p95];
        let solves = 1e-6 * m.solves_per_second;
        let ratios = match earlier.map(|run| run.times(m)) {
            Some(Some(earlier)) => format!(" {:.2} | {:.2} |", p10 / earlier[0], median / earlier[1]),
            Some(None) => " – | – |".into(),
            None => String::new(),
        };
        println!(
            "| {scene} | {label} | {mode} | {bodies} | {constraints} | {substeps} | {dispatches} | {p10:.2} | {median:.2} | {p95:.2} | {solves:.1} |{ratios}"
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
