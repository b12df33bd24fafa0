//! The command line of the runner.

mod bench;
mod compare;
mod list;
mod run;
mod validate;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use examples::device::BackendKind;
use xpbd_gpu::DeviceError;

/// Extended position-based dynamics, without a window.
#[derive(Debug, Parser)]
#[command(name = "xpbd", version, about, long_about = None)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the scenes and what can be set in them
    List,
    /// Run a scene
    Run(RunArgs),
    /// Compare the engine with closed forms and published numbers
    Validate(ValidateArgs),
    /// Measure milliseconds a frame and constraint solves a second
    Bench(BenchArgs),
    /// Compare XPBD with the classical solvers
    Compare(CompareArgs),
}

#[derive(Debug, Args)]
struct RunArgs {
    /// Which scene; see `xpbd list`
    scene: String,
    /// What steps the world
    #[arg(long, value_enum, default_value = "cpu")]
    backend: BackendKind,
    /// Threads of the CPU; one for each core unless given
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Frames of 1/60 s
    #[arg(long)]
    frames: Option<u32>,
    /// Substeps of a frame
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    substeps: Option<u32>,
    /// Iterations of a substep
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    iterations: Option<u32>,
    /// Sets a key of the scene
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    set: Vec<(String, String)>,
    /// A mesh (.obj, .glb) in place of the scene's own
    #[arg(long, value_name = "FILE")]
    mesh: Option<PathBuf>,
    /// Print one JSON object on standard output and nothing else
    #[arg(long)]
    json: bool,
    /// Save a picture of the last frame
    #[arg(long, value_name = "FILE.png")]
    picture: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct ValidateArgs {
    /// What steps the worlds
    #[arg(long, value_enum, default_value = "cpu")]
    backend: BackendKind,
    /// Print one JSON object on standard output and nothing else
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct BenchArgs {
    /// Benchmarks to run: scenes, `curve`, `paper` or `joints`; the usual ones unless given
    scenes: Vec<String>,
    /// What steps the worlds
    #[arg(long, value_enum, default_value = "cpu")]
    backend: BackendKind,
    /// Print one JSON object on standard output and nothing else
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct CompareArgs {
    /// Comparisons to run; all unless given
    names: Vec<String>,
    /// Print one JSON object on standard output and nothing else
    #[arg(long)]
    json: bool,
    /// Write the page `comparison.md`, with its pictures in `comparison/`, to this folder
    #[arg(long, value_name = "DIR", conflicts_with = "names")]
    out: Option<PathBuf>,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').ok_or_else(|| format!("`{text}` is not of the form key=value"))?;
    Ok((pair.0.trim().into(), pair.1.trim().into()))
}

/// The status of a command whose back end has nothing to step on here.
const NO_DEVICE: u8 = 2;

/// What a command gives back to the shell.
type Outcome = Result<ExitCode, Box<dyn Error>>;

/// Reads the command line and does what it says.
pub fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        None => run::showcase(),
        Some(Command::List) => list::list(),
        Some(Command::Run(args)) => run::run(&args),
        Some(Command::Validate(args)) => validate::validate(&args),
        Some(Command::Bench(args)) => bench::bench(&args),
        Some(Command::Compare(args)) => compare::compare(&args),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("xpbd: {error}");
        if error.is::<DeviceError>() { NO_DEVICE.into() } else { ExitCode::FAILURE }
    })
}
