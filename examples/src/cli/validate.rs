//! The command `xpbd validate`.

use std::io::IsTerminal;
use std::process::ExitCode;

use examples::device::Device;
use examples::validate::{Check, ROWS};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use xpbd_core::cpu::Threads;

use super::{Outcome, ValidateArgs};

/// Runs all checks and fails if one of them fails.
pub fn validate(args: &ValidateArgs) -> Outcome {
    let device = Device::new(args.backend, Threads::Exactly(1))?;
    let count = ROWS.iter().map(|(_, rows)| rows.len()).sum::<usize>();
    let bar = ProgressBar::new(count as u64);
    if args.json || !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar.set_style(ProgressStyle::with_template("{msg} {bar:40} {pos}/{len} checks")?);
    let mut checks = Vec::with_capacity(count);
    for (topic, rows) in ROWS {
        bar.set_message(*topic);
        for row in *rows {
            checks.push((row.check)(&device)?);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    if args.json {
        println!("{}", serde_json::json!({ "checks": checks }));
    } else {
        print(&checks);
    }
    let passed = checks.iter().all(|check| check.pass);
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints a table as text.
fn print(checks: &[Check]) {
    println!("{:<60} {:>12} {:>12} {:>12}", "check", "expected", "measured", "tolerance");
    for Check { name, expected, measured, tolerance, pass } in checks {
        let mark = if *pass { "pass" } else { "FAIL" };
        println!("{name:<60} {expected:>12.6} {measured:>12.4e} {tolerance:>12.1e} {mark}");
    }
    let failed = checks.iter().filter(|check| !check.pass).count();
    println!("{} of {} checks passed", checks.len() - failed, checks.len());
}
