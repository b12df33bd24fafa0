//! The command `xpbd list`.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use examples::scene::{ALL, OptionKey};

use super::Outcome;

/// Prints the scenes, one per line, and their options below.
pub fn list() -> Outcome {
    let scenes = ALL.iter().map(|recipe| format!("{:<11} {}\n", recipe.name, recipe.summary));
    let options = ALL.iter().flat_map(|recipe| {
        let line =
            |key: &OptionKey| format!("{:<11} {:<10} {} (default {})\n", recipe.name, key.name, key.help, key.default);
        recipe.keys.iter().map(line)
    });
    let text: String = scenes.chain(["\noptions, set with --set key=value:\n".into()]).chain(options).collect();
    match std::io::stdout().write_all(text.as_bytes()) {
        // Whoever reads has read enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        written => Ok(written.map(|()| ExitCode::SUCCESS)?),
    }
}
