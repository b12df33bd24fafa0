//! The page docs/collisions.md.

use std::fmt::Write;

use super::{Kind, Passed, Throw};

/// Text at the start of the page.
const HEAD: &str = "\
# What holds what

Every kind of thing is thrown at every other with 10 m/s, at the default settings: 20 substeps, and particles with a radius of
1 cm. After a second nothing of either may be through the other, as both are drawn. Rows are what is thrown, columns what it
is thrown at: cloth that its rim holds, rows of taut ropes and of clamped rods 6 mm apart, blocks, bodies and trays on a
floor. Cloth and soft bodies collide with their surfaces.

A tick says that it holds. Otherwise the cell tells the number of points *under* a sheet or *inside* of a thing, of triangles
that are *cut*, and of pairs of particles that *overlap* by more than half.

`cargo run --release -- matrix --out docs/collisions.md` writes this page.

";

/// Returns the page with the table of all throws.
pub fn page(throws: &[Throw]) -> String {
    let mut text = String::from(HEAD);
    let names = Kind::ALL.map(Kind::name).join(" | ");
    let _ = writeln!(text, "| | {names} |\n|---|{}", "---|".repeat(Kind::ALL.len()));
    for &thrown in Kind::THROWN {
        let cells = Kind::ALL.map(|target| {
            let found = throws.iter().find(|throw| throw.thrown == thrown && throw.target == target);
            found.map_or_else(String::new, |throw| cell(throw.passed))
        });
        let _ = writeln!(text, "| **{}** | {} |", thrown.name(), cells.join(" | "));
    }
    text
}

fn cell(Passed { under, inside, cut, overlapping }: Passed) -> String {
    let parts = [(under, "under"), (inside, "inside"), (cut, "cut"), (overlapping, "overlap")];
    let said: Vec<_> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if said.is_empty() { "✓".into() } else { said.join(", ") }
}
