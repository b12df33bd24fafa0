//! The page of results in Markdown.

use std::fmt::Write;

use crate::scene::Recipe;
use crate::trial::Trial;

/// Returns the section of a scene, with a table of times and one of rest. Each pair holds a trial and the one that it is
/// compared with, which comes first.
pub fn section(recipe: &Recipe, pairs: &[[Trial; 2]]) -> String {
    let rows = || pairs.iter().take(1).map(|[peer, _]| (peer, peer)).chain(pairs.iter().map(|[peer, own]| (own, peer)));
    let mut text = format!("## {}\n\n{}\n\n", recipe.name, recipe.summary);
    text += "| ms a frame | 1–120, median | p90 | 240–360, median | p90 | ratio of the medians | of the p90 |\n|---|---|---|---|---|---|---|\n";
    for (trial, peer) in rows() {
        let [early, late] = [1..=120, 240..=360].map(|frames| {
            [0.5, 0.9].map(|part| (trial.quantile(frames.clone(), part), peer.quantile(frames.clone(), part)))
        });
        let ratio =
            |(own, other): (Option<f64>, Option<f64>)| number(own.zip(other).map(|(own, other)| own / other), 2);
        let times = [early[0], early[1], late[0], late[1]].map(|(own, _)| number(own, 2));
        let ratios = [0, 1].map(|part| format!("{}, {}", ratio(early[part]), ratio(late[part]))).join(" | ");
        let _ = writeln!(text, "| {} | {} | {ratios} |", trial.name, times.join(" | "));
    }
    text += "\n| | speed \\[m/s\\] after 6 s | 8 s | 20 s | largest from 10 s on | tilted | asleep | overlap \\[m\\] | joint gap \\[m\\] |\n|---|---|---|---|---|---|---|---|---|\n";
    for (trial, _) in rows() {
        let speeds = [360..=360, 480..=480, 1200..=1200, 600..=1200];
        let speeds = speeds.map(|frames| number(trial.largest_speed(frames).map(f64::from), 4));
        let rest = trial.rest;
        let counts = [rest.tilted.map(|count| count as f64), Some(rest.asleep as f64)].map(|count| number(count, 0));
        let lengths = [Some(rest.overlap), rest.gap].map(|length| number(length.map(f64::from), 4));
        let cells = [&speeds[..], &counts, &lengths].concat().join(" | ");
        let _ = writeln!(text, "| {} | {cells} |", trial.name);
    }
    text
}

/// Returns a number, or a dash for none.
fn number(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "–".into(), |value| format!("{value:.decimals$}"))
}

/// Returns the page of these sections.
pub fn page(sections: &[String]) -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "# xpbd and rapier\n\n\
         The program in `peers` writes this page and measures all of its numbers: `cargo run --release -- --out\n\
         ../docs/peers.md`. xpbd and rapier step the same scene in one process, one frame of each in turn, so that the load of\n\
         the computer falls on both alike, anew for each setting of xpbd; the row of rapier is that of the first run. Both are\n\
         built with thin link-time optimisation. The numbers below come from a computer with {cores} cores.\n\n\
         - **rapier** is rapier3d 0.36.1 with its default settings and features: one thread, SIMD, 4 solver iterations.\n\
         - **xpbd** is the CPU back end of this repository with its default settings but for the number of\n\
         \x20 substeps. Where it says *swept*, joints are solved one after the other (`ConstraintSolver::Sweep`).\n\
         \x20 *Up to 2 threads* is `Threads::UpTo(2)`, which uses the second one in frames in which that is faster.\n\n\
         A frame is 1/60 s. *Ratio* is the time of a row divided by that of rapier in the same run, in frames 1–120 and in frames 240–360.\n\
         *Speed* is the largest speed of a centre of mass. *Tilted* counts bodies that have turned by more than 25° from\n\
         their first vertical axis, *asleep* those that sleep, both at the end. *Overlap* is the largest depth of two bodies\n\
         in each other, *joint gap* the largest distance of the two anchors of a joint, at the end.\n\n{}",
        sections.join("\n")
    )
}
