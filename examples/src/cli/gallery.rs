//! The command `xpbd gallery`.

use std::fmt::Write as _;
use std::fs;
use std::process::ExitCode;

use examples::scene::{ALL, Options, Recipe};
use xpbd_core::cpu::{CpuBackend, Threads};

use super::{GalleryArgs, Outcome};

/// Width and height of pictures on the page \[pixels\].
const SIZE: (u32, u32) = (400, 300);
/// Pictures in a row of the page.
const COLUMNS: usize = 4;

/// Runs every scene at its defaults, and writes a page with a picture of the last frame of each.
pub fn gallery(args: &GalleryArgs) -> Outcome {
    let folder = args.out.join("scenes");
    let named = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(named)?;
    for recipe in ALL {
        let mut scene = recipe.build(&Options::default())?;
        scene.run(&mut CpuBackend::new(Threads::All))?;
        scene.picture(SIZE.0, SIZE.1)?.save_png(folder.join(format!("{}.png", recipe.name)))?;
        println!("{}", recipe.name);
    }
    let page = args.out.join("scenes.md");
    fs::write(&page, text()).map_err(|error| format!("{}: {error}", page.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the page.
fn text() -> String {
    let mut text = String::from(
        "# Scenes\n\nThe last frame of every scene of the runner at its defaults. `cargo run --release --features full -- gallery \
         --out docs` draws\nthem on the CPU and writes this page; `cargo run --release --features full -- run NAME --picture \
         NAME.png` draws one in full size.\n\n",
    );
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}|\n{}|", "| ".repeat(COLUMNS), "|---".repeat(COLUMNS));
    for row in ALL.chunks(COLUMNS) {
        let cell = |recipe: &&Recipe| format!("![{0}](scenes/{0}.png)<br>**{0}**: {1}", recipe.name, recipe.summary);
        let _ = writeln!(text, "| {} |", row.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
    text
}
