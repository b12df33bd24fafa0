//! The command `xpbd matrix`.

use std::error::Error;
use std::process::ExitCode;

use examples::matrix::{page, throw_all};

use super::{MatrixArgs, Outcome};

/// Throws every kind at every other, and fails if something passes.
pub fn matrix(args: &MatrixArgs) -> Outcome {
    let throws = throw_all().map_err(|error| error as Box<dyn Error>)?;
    if let Some(path) = &args.out {
        std::fs::write(path, page::page(&throws)).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let passed: Vec<_> = throws.iter().filter(|throw| !throw.passed.is_held()).collect();
    if args.json {
        println!("{}", serde_json::json!({ "throws": throws }));
    } else {
        for throw in &passed {
            println!("{} at {}: {:?}", throw.thrown.name(), throw.target.name(), throw.passed);
        }
        println!("{} of {} throws are held", throws.len() - passed.len(), throws.len());
    }
    Ok(if passed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
