//! The command `xpbd compare`.

use std::io::IsTerminal;
use std::process::ExitCode;

use examples::compare::{SECTIONS, comparison_page, write_page};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{CompareArgs, Outcome};

/// Runs comparisons; prints their tables, and writes the page and its pictures if there is a folder for them.
pub fn compare(args: &CompareArgs) -> Outcome {
    let known: Vec<_> = SECTIONS.iter().map(|(name, _)| *name).collect();
    if let Some(name) = args.names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("there is no comparison `{name}`; there are {}", known.join(", ")).into());
    }
    let wanted = |name: &str| args.names.is_empty() || args.names.iter().any(|other| other == name);
    let chosen: Vec<_> = SECTIONS.iter().filter(|(name, _)| wanted(name)).collect();
    let bar = ProgressBar::new(chosen.len() as u64);
    if args.json || !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar.set_style(ProgressStyle::with_template("{msg} {bar:40} {pos}/{len} comparisons")?);
    let mut sections = Vec::with_capacity(chosen.len());
    for (name, section) in chosen {
        bar.set_message(*name);
        sections.push(section()?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    if args.json {
        println!("{}", serde_json::json!({ "sections": sections }));
    } else {
        print!("{}", comparison_page(&sections));
    }
    if let Some(folder) = &args.out {
        write_page(&comparison_page(&sections), "comparison", &sections, folder)?;
    }
    Ok(ExitCode::SUCCESS)
}
