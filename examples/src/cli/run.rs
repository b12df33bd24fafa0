//! The command `xpbd run`, and `xpbd` without a command.

use std::collections::BTreeSet;
use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use examples::device::{BackendKind, Device};
use examples::run::{Summary, run as run_scene};
use examples::scene::{Options, Recipe, Scene};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use xpbd_core::cpu::Threads;

use super::{Outcome, RunArgs};

/// Width and height of pictures in pixels.
const SIZE: (u32, u32) = (1280, 960);

/// Runs the scene that the command line names.
pub fn run(args: &RunArgs) -> Outcome {
    let mut keys = BTreeSet::new();
    if let Some((key, _)) = args.set.iter().find(|(key, _)| !keys.insert(key)) {
        return Err(format!("--set gives `{key}` twice; leave one out").into());
    }
    let options = Options {
        frames: args.frames,
        substeps: args.substeps,
        iterations: args.iterations,
        set: args.set.iter().cloned().collect(),
        mesh: args.mesh.clone(),
    };
    if args.backend == BackendKind::Gpu && args.threads.is_some() {
        return Err("--threads is for the CPU; omit it with --backend gpu".into());
    }
    let threads = args.threads.map_or(Threads::All, |count| Threads::Exactly(count as usize));
    if let Some(path) = &args.picture {
        check_picture(path)?;
    }
    let mut scene = Recipe::find(&args.scene)?.build(&options)?;
    let device = Device::new(args.backend, threads)?;
    let summary = play(&mut scene, &device, args.json)?;
    if args.json {
        println!("{}", serde_json::to_string(&summary)?);
    } else {
        print(&summary);
    }
    if let Some(path) = &args.picture {
        save(&scene, path, args.json)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The drape, with a picture of it.
pub fn showcase() -> Outcome {
    let mut scene = Recipe::find("drape")?.build(&Options::default())?;
    print(&play(&mut scene, &Device::Cpu(Threads::All), false)?);
    save(&scene, &PathBuf::from("out/drape.png"), false)?;
    Ok(ExitCode::SUCCESS)
}

/// Runs a scene behind a progress bar on standard error.
fn play(scene: &mut Scene, device: &Device, quiet: bool) -> Result<Summary, Box<dyn std::error::Error>> {
    let bar = ProgressBar::new(u64::from(scene.frames));
    if quiet || !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar.set_style(ProgressStyle::with_template("{msg} {bar:40} {pos}/{len} frames, {eta} left")?);
    bar.set_message(scene.name);
    let summary = run_scene(scene, &mut device.stepper(), |frame| bar.set_position(u64::from(frame)))?;
    bar.finish_and_clear();
    Ok(summary)
}

/// Refuses a path to which no picture can be saved, before the run that it would show.
fn check_picture(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    if path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("png")) {
        return Err(format!("{}: pictures are PNG files; let the name end in `.png`", path.display()).into());
    }
    let named = |error: std::io::Error| format!("{}: no picture can be saved there: {error}", path.display());
    create_folder(path).map_err(named)?;
    let is_new = !path.exists();
    fs::OpenOptions::new().append(true).create(true).open(path).map_err(named)?;
    if is_new {
        fs::remove_file(path).map_err(named)?;
    }
    Ok(())
}

/// Creates the folder of a file.
fn create_folder(path: &Path) -> std::io::Result<()> {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).map_or(Ok(()), fs::create_dir_all)
}

fn save(scene: &Scene, path: &Path, quiet: bool) -> Result<(), Box<dyn std::error::Error>> {
    create_folder(path)?;
    scene.picture(SIZE.0, SIZE.1)?.save_png(path)?;
    if !quiet {
        println!("picture      {}", path.display());
        if cfg!(not(feature = "surface")) && !scene.world.state().media.is_empty() {
            println!("             liquids are drawn as balls; `--features surface` of cargo gives them a surface");
        }
    }
    Ok(())
}

/// Prints a summary as text.
fn print(summary: &Summary) {
    let Summary { scene, backend, adapter, threads, particles, bodies, frames, substeps, iterations, .. } = summary;
    println!("scene        {scene}: {frames} frames of {substeps} substeps x {iterations} iterations");
    match adapter {
        Some(adapter) => println!("back end     {backend}, {adapter}"),
        None => println!("back end     {backend}, {threads} threads"),
    }
    println!("particles    {particles}");
    println!("bodies       {bodies}");
    for (name, count) in &summary.constraints {
        println!("constraints  {count:>7} {name}");
    }
    println!("colours      {}", summary.colours);
    if *frames > 0 {
        let times = summary.ms_per_frame;
        println!("frame time   {:.2} ms median, {:.2} ms at the 95th percentile", times.median, times.p95);
        let phases: Vec<_> = summary.phases.iter().map(|(name, time)| format!("{name} {time:.2}")).collect();
        println!("phases       {} ms", phases.join(", "));
        println!("solves       {:.1} million per second", 1e-6 * summary.solves_per_second);
    }
    println!("state        {}", summary.state_hash);
    for (name, value) in &summary.metrics {
        match value.is_finite() {
            true => println!("{name:<20} {value:.6}"),
            false => println!("{name:<20} -"),
        }
    }
}
