//! The command line of the runner.

mod bag;
mod bench;
#[cfg(feature = "compare")]
mod compare;
mod gallery;
mod list;
mod matrix;
#[cfg(feature = "play")]
mod replay;
mod run;
mod soak;
mod validate;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use examples::device::BackendKind;

/// Runs, validates and measures scenes of extended position-based dynamics without a window.
#[derive(Debug, Parser)]
#[command(name = "xpbd", version, about, long_about = None)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the scenes and their options
    List,
    /// Run a scene
    Run(RunArgs),
    /// Compare the engine with closed forms and published numbers
    Validate(ValidateArgs),
    /// Measure the time per frame and the constraint solves per second
    Bench(BenchArgs),
    /// Compare XPBD with the classical solvers
    Compare(CompareArgs),
    /// Throw every kind of thing at every other, and tell what passes through
    Matrix(MatrixArgs),
    /// Throw random things in a closed bag of cloth, and tell which come out
    Bag(BagArgs),
    /// Draw every scene, and write a page with the pictures
    Gallery(GalleryArgs),
    /// Run random scenes with random edits, and tell what goes wrong
    Soak(SoakArgs),
    /// Replay what was played on the page, and compare the hash
    Replay(ReplayArgs),
}

#[derive(Debug, Args)]
struct RunArgs {
    /// Scene to run; `xpbd list` shows all
    scene: String,
    /// Back end that steps the world
    #[arg(long, value_enum, default_value = "cpu")]
    backend: BackendKind,
    /// Number of CPU threads [default: one per core]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Number of frames of 1/60 s
    #[arg(long)]
    frames: Option<u32>,
    /// Substeps per frame
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    substeps: Option<u32>,
    /// Iterations per substep
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    iterations: Option<u32>,
    /// Set an option of the scene; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    set: Vec<(String, String)>,
    /// Mesh file (.obj, .glb, .gltf) that replaces the mesh of the scene
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
    /// Back end that steps the worlds
    #[arg(long, value_enum, default_value = "cpu")]
    backend: BackendKind,
    /// Print one JSON object on standard output and nothing else
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct BenchArgs {
    /// Benchmarks to run: scenes, `paper`, `joints`, or alone `curve`, `numbers`, `own` or `queries` [default: hang drape pile boxes joints]
    scenes: Vec<String>,
    /// Back end that steps the worlds
    #[arg(long, value_enum, default_value = "cpu")]
    backend: BackendKind,
    /// Print one JSON object on standard output and nothing else
    #[arg(long)]
    json: bool,
    /// Write the page `convergence.md` of the benchmark `curve` and its pictures in `convergence/` to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Compare times with those of an earlier run that `--json` has printed to this file
    #[arg(long, value_name = "FILE.json", conflicts_with = "json")]
    against: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct CompareArgs {
    /// Comparisons to run [default: all]
    names: Vec<String>,
    /// Print one JSON object on standard output and nothing else
    #[arg(long)]
    json: bool,
    /// Write the page `comparison.md` and its pictures in `comparison/` to this folder
    #[arg(long, value_name = "DIR", conflicts_with = "names")]
    out: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct MatrixArgs {
    /// Print one JSON object on standard output and nothing else
    #[arg(long)]
    json: bool,
    /// Write the page to this file
    #[arg(long, value_name = "FILE.md")]
    out: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct BagArgs {
    /// Number of throws
    #[arg(long, default_value_t = 100)]
    throws: u64,
    /// Seed of the first throw
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print one JSON object on standard output and nothing else
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct GalleryArgs {
    /// Folder for the page `scenes.md` and its pictures in `scenes/`
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

#[derive(Debug, Args)]
struct SoakArgs {
    /// Time to run \[min\]
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,
    /// Seed of the first scene
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Debug, Args)]
struct ReplayArgs {
    /// Record, or the address that ends in it
    record: String,
    /// Number of CPU threads [default: one per core]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').ok_or_else(|| format!("`{text}` is not of the form key=value"))?;
    Ok((pair.0.trim().into(), pair.1.trim().into()))
}

/// The result of a command.
type Outcome = Result<ExitCode, Box<dyn Error>>;

/// Reads the command line and runs the command.
pub fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        None => run::showcase(),
        Some(Command::List) => list::list(),
        Some(Command::Run(args)) => run::run(&args),
        Some(Command::Validate(args)) => validate::validate(&args),
        Some(Command::Bench(args)) => bench::bench(&args),
        #[cfg(feature = "compare")]
        Some(Command::Compare(args)) => compare::compare(&args),
        #[cfg(not(feature = "compare"))]
        Some(Command::Compare(_)) => {
            let missing = "this build of xpbd has no other solvers; add `--features compare` to the command of cargo";
            Err(missing.into())
        }
        Some(Command::Matrix(args)) => matrix::matrix(&args),
        Some(Command::Bag(args)) => bag::bag(&args),
        Some(Command::Gallery(args)) => gallery::gallery(&args),
        Some(Command::Soak(args)) => soak::soak(&args),
        #[cfg(feature = "play")]
        Some(Command::Replay(args)) => replay::replay(&args),
        #[cfg(not(feature = "play"))]
        Some(Command::Replay(_)) => {
            Err("this build of xpbd cannot replay; add `--features play` to the command of cargo".into())
        }
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("xpbd: {error}");
        ExitCode::FAILURE
    })
}
