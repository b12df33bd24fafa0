//! The runner `xpbd` as a separate process.

use std::process::{Command, Output};

fn xpbd(arguments: &[&str]) -> Output {
    let command = Command::new(env!("CARGO_BIN_EXE_xpbd")).args(arguments).output();
    command.expect("the runner starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("what it prints is UTF-8")
}

fn refusal(arguments: &[&str]) -> String {
    let output = xpbd(arguments);
    assert!(!output.status.success(), "{arguments:?} should fail");
    assert!(output.stdout.is_empty(), "{}", stdout(&output));
    String::from_utf8(output.stderr).expect("what it prints is UTF-8")
}

#[test]
fn list_shows_every_scene_with_its_summary() {
    let list = stdout(&xpbd(&["list"]));
    for recipe in examples::scene::ALL {
        assert!(list.contains(&format!("{:<11} {}", recipe.name, recipe.summary)), "{list}");
    }
}

#[test]
fn json_is_one_object_with_the_documented_fields() {
    let output = xpbd(&["run", "chain", "--json", "--frames", "30", "--threads", "2", "--set", "end_mass=2"]);
    assert!(output.status.success());
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
    let fields: Vec<_> = json.as_object().expect("an object").keys().map(String::as_str).collect();
    let promised = [
        "scene",
        "backend",
        "adapter",
        "threads",
        "particles",
        "bodies",
        "constraints",
        "colours",
        "frames",
        "substeps",
        "iterations",
        "ms_per_frame",
        "solves_per_second",
        "state_hash",
        "metrics",
    ];
    assert_eq!(fields, promised);
    assert_eq!(json["constraints"]["distance"], 19);
    assert_eq!(json["threads"], 2);
    assert_eq!(json["frames"], 30);
    assert_eq!(json["state_hash"].as_str().map(str::len), Some(16));
    for metric in ["max_error_m", "final_error_m", "top_force_n"] {
        assert!(json["metrics"][metric].is_number(), "{json}");
    }
}

#[test]
fn the_summary_counts_bodies() {
    let output = xpbd(&["run", "ragdolls", "--json", "--frames", "2", "--set", "n=3"]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
    assert_eq!((&json["bodies"], &json["particles"]), (&33.into(), &0.into()));
    assert_eq!(json["constraints"]["driven-ball-joint"], 18);
    assert_eq!(json["constraints"]["driven-hinge-joint"], 12);
}

#[test]
fn metrics_without_a_value_are_null_in_json() {
    let output = xpbd(&["run", "stack", "--json", "--frames", "5"]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
    assert!(json["metrics"]["asleep"].is_null(), "{json}");
}

#[test]
fn a_run_without_frames_is_still_valid_json() {
    let output = xpbd(&["run", "fall", "--json", "--frames", "0"]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
    assert!(json["ms_per_frame"]["median"].is_null());
}

#[test]
fn errors_about_unknown_names_list_the_known_ones() {
    assert!(refusal(&["run", "swim"]).contains("drape, hang, rope, chain, pile, incline, fall"));
    assert!(refusal(&["run", "pile", "--set", "nu=1"]).contains("its keys are n, mu"));
    assert!(refusal(&["run", "hang", "--set", "bending=stiff"]).contains("none, distance, dihedral, isometric"));
    assert!(refusal(&["run", "hang", "--set", "n=many"]).contains("a whole number"));
    assert!(refusal(&["run", "hang", "--set", "n"]).contains("key=value"));
    assert!(refusal(&["run", "chain", "--mesh", "cat.obj"]).contains("uses no mesh"));
    assert!(refusal(&["run", "drape", "--mesh", "absent.obj"]).contains("absent.obj"));
    let unknown = refusal(&["bench", "hang", "swim"]);
    for name in
        ["there is no benchmark `swim`", "paper, joints, dam-break-large, curve, numbers, own, queries, drape, hang"]
    {
        assert!(unknown.contains(name), "{unknown}");
    }
    assert!(refusal(&["bench", "hang", "queries"]).contains("the benchmark `queries` is measured alone"));
}

#[test]
fn springs_by_their_function_move_as_by_a_loop_written_by_hand() {
    let output = xpbd(&["bench", "own", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
    let measured = &json["benches"][0];
    assert_eq!(measured["springs"], 59_002);
    assert!(measured["difference"].as_f64().is_some_and(|meters| meters > 0.0 && meters < 1e-6), "{measured}");
}

#[test]
fn what_cannot_be_done_is_refused_before_anything_is_run() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let garbage = format!("{folder}/garbage.glb");
    std::fs::write(&garbage, "no mesh").expect("it can be written");
    for (arguments, message) in [
        (&["run", "drape", "--mesh", &garbage][..], "garbage.glb"),
        (&["run", "rope", "--picture", "rope.jpg"], "rope.jpg: pictures are PNG files"),
        (&["run", "rope", "--picture", &format!("{garbage}/rope.png")], "no picture can be saved there"),
        (&["run", "rope", "--set", "n=4", "--set", "n=5"], "--set gives `n` twice"),
        (&["run", "fall", "--set", "offset=1e30"], "it must be a number from 0 to 1e7"),
    ] {
        let error = refusal(arguments);
        assert!(error.contains(message), "{arguments:?}: {error}");
        assert_eq!(xpbd(arguments).status.code(), Some(1), "{arguments:?}");
    }
}

#[test]
fn a_run_without_frames_prints_no_number_that_is_none() {
    for scene in ["fall", "pendulum"] {
        let summary = stdout(&xpbd(&["run", scene, "--frames", "0"]));
        assert!(summary.contains("state ") && !summary.contains("NaN"), "{summary}");
    }
}

#[test]
fn the_gpu_back_end_without_an_adapter_says_what_to_install() {
    for command in [&["run", "chain"][..], &["validate"], &["bench", "hang"]] {
        let mut xpbd = Command::new(env!("CARGO_BIN_EXE_xpbd"));
        let hidden = xpbd.args(command).args(["--backend", "gpu"]).env("VK_DRIVER_FILES", "/no/driver");
        let output = hidden.output().expect("the runner starts");
        assert_eq!(output.status.code(), Some(1), "{command:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("install a Vulkan driver"));
    }
}

#[test]
fn benchmarks_are_compared_with_an_earlier_run() {
    let path = format!("{}/earlier.json", env!("CARGO_TARGET_TMPDIR"));
    let output = stdout(&xpbd(&["bench", "rope", "--json"]));
    let mut earlier: serde_json::Value = serde_json::from_str(&output).expect("one JSON object");
    let benches = earlier["benches"].as_array_mut().expect("a list");
    assert_eq!(benches.iter().filter(|bench| bench["ms_per_frame"]["p10"].is_number()).count(), benches.len());
    // The times are made up, so that the ratios say from which numbers they are.
    for bench in benches {
        bench["ms_per_frame"] = serde_json::json!({ "p10": 1e-6, "median": 1e6, "p95": 0.0 });
    }
    std::fs::write(&path, earlier.to_string()).expect("it can be written");
    let table = stdout(&xpbd(&["bench", "rope", "chain", "--against", &path]));
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_string()).collect::<Vec<_>>();
    let rows = |scene: &str| {
        let start = format!("| {scene} |");
        let rows: Vec<_> = table.lines().filter(|line| line.starts_with(&start)).map(cells).collect();
        assert!(!rows.is_empty(), "{table}");
        rows
    };
    for row in rows("rope") {
        let [p10, median] = [12, 13].map(|k: usize| row[k].parse::<f64>().expect("a ratio"));
        assert!(p10 > 100.0 && median < 0.01, "{row:?}");
    }
    assert!(rows("chain").iter().all(|row| row[12..14] == ["–", "–"]), "{table}");

    std::fs::write(&path, "[]").expect("it can be written");
    assert!(refusal(&["bench", "rope", "--against", &path]).contains("it has no list `benches`"));
    assert!(refusal(&["bench", "rope", "--against", "/no/such.json"]).contains("cannot compare with /no/such.json"));
    assert!(refusal(&["bench", "queries", "--against", &path]).contains("leave `--against` away"));
    assert!(refusal(&["bench", "curve", "--against", &path]).contains("leave `--against` away"));
}

#[test]
fn threads_are_refused_for_an_adapter() {
    assert!(refusal(&["run", "chain", "--backend", "gpu", "--threads", "2"]).contains("--threads is for the CPU"));
}

#[test]
fn a_picture_is_saved_where_asked() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures/rope.png");
    let text = path.to_str().expect("the path is UTF-8");
    assert!(xpbd(&["run", "rope", "--frames", "2", "--picture", text]).status.success());
    assert!(std::fs::read(&path).expect("the picture exists").starts_with(b"\x89PNG"));
}

#[test]
fn compare_gives_its_sections_with_curves_and_tables() {
    let output = xpbd(&["compare", "stiffness", "--json"]);
    assert!(output.status.success());
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
    let sections = json["sections"].as_array().expect("a list");
    assert_eq!(sections.len(), 1);
    assert_eq!(sections[0]["name"], "stiffness");
    assert_eq!(sections[0]["figure"]["y"]["scale"], "log");
    assert!(sections[0]["figure"]["curves"][1]["points"][0][1].is_number(), "{json}");
    assert!(sections[0]["table"]["rows"][0][1][0].is_number(), "{json}");
    assert!(refusal(&["compare", "nothing"]).contains("there is no comparison `nothing`; there are energy, "));
    assert!(refusal(&["compare", "energy", "--out", "nowhere"]).contains("cannot be used with"));
}
