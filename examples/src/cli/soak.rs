//! The command `xpbd soak`.

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use examples::soak;

use super::{Outcome, SoakArgs};

/// Runs random scenes for a time, and fails if something went wrong.
pub fn soak(args: &SoakArgs) -> Outcome {
    let time = Duration::try_from_secs_f64(args.minutes * 60.0)?;
    let soaked = soak::soak(time, args.seed).map_err(|error| error as Box<dyn Error>)?;
    println!("{}", serde_json::to_string_pretty(&soaked)?);
    Ok(if soaked.seeds.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
