//! Steps the same scenes with rapier and with xpbd, frames in turn in one process, and compares times and rest.
//!
//! ```text
//! cargo run --release                          all scenes for 20 s of simulated time
//! cargo run --release -- pile --frames 120     one scene for 2 s
//! cargo run --release -- --out ../docs/peers.md
//! ```

mod engine;
mod measure;
mod page;
mod random;
mod scene;
mod trial;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use xpbd_core::prelude::ConstraintSolver;

use crate::engine::{RapierEngine, XpbdEngine, XpbdSettings};
use crate::scene::{RECIPES, Recipe};
use crate::trial::Trial;

/// Steps the same scenes with rapier and with xpbd and compares times and rest.
#[derive(Debug, Parser)]
struct Arguments {
    /// The scenes to run, all if none is named.
    scenes: Vec<String>,
    /// Substeps of xpbd in a frame; several numbers run it several times.
    #[arg(long, value_delimiter = ',', default_value = "2,3,4,10")]
    substeps: Vec<u32>,
    /// Threads of xpbd; several numbers run it several times.
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,
    /// Frames of 1/60 s.
    #[arg(long, default_value_t = 1200)]
    frames: usize,
    /// The page to write.
    #[arg(long)]
    out: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let mut sections = Vec::new();
    for recipe in chosen(&arguments.scenes)? {
        let section = page::section(recipe, &compare(recipe, arguments)?);
        println!("{section}");
        sections.push(section);
    }
    if let Some(path) = &arguments.out {
        std::fs::write(path, page::page(&sections))?;
    }
    Ok(())
}

/// Returns the scenes with these names, all if there are none.
fn chosen(names: &[String]) -> Result<Vec<&'static Recipe>, String> {
    let find = |name: &String| {
        let known = || RECIPES.iter().map(|recipe| recipe.name).collect::<Vec<_>>().join(", ");
        let found = RECIPES.iter().find(|recipe| recipe.name == name);
        found.ok_or_else(|| format!("there is no scene `{name}`; there are {}", known()))
    };
    if names.is_empty() { Ok(RECIPES.iter().collect()) } else { names.iter().map(find).collect() }
}

/// Runs a scene with xpbd at each of the settings, each time with rapier, one frame of each in turn: with more worlds at
/// once they would evict each other from the caches of the processor.
fn compare(recipe: &Recipe, arguments: &Arguments) -> Result<Vec<[Trial; 2]>, Box<dyn Error>> {
    let scene = (recipe.build)();
    let mut settings = Vec::new();
    for solver in [ConstraintSolver::Automatic, ConstraintSolver::Sweep] {
        if solver == ConstraintSolver::Automatic || !scene.joints.is_empty() {
            let threads = |substeps| arguments.threads.iter().map(move |&threads| (substeps, threads));
            let all = arguments.substeps.iter().copied().flat_map(threads);
            settings.extend(all.map(|(substeps, threads)| XpbdSettings { substeps, threads, solver }));
        }
    }
    let run = |settings: XpbdSettings| {
        eprintln!("{}: {settings:?}", recipe.name);
        let mut rapier = Trial::new(Box::new(RapierEngine::new(&scene)));
        let mut own = Trial::new(Box::new(XpbdEngine::new(&scene, settings)?));
        for _ in 0..arguments.frames {
            rapier.step()?;
            own.step()?;
        }
        rapier.finish(&scene);
        own.finish(&scene);
        Ok([rapier, own])
    };
    settings.into_iter().map(run).collect()
}
