//! The command `xpbd list`.

use std::process::ExitCode;

use examples::scene::ALL;

use super::Outcome;

/// Prints the scenes, one per line, and their options below.
pub fn list() -> Outcome {
    for recipe in ALL {
        println!("{:<11} {}", recipe.name, recipe.summary);
    }
    println!("\noptions, set with --set key=value:");
    for recipe in ALL {
        for key in recipe.keys {
            println!("{:<11} {:<10} {} (default {})", recipe.name, key.name, key.help, key.default);
        }
    }
    Ok(ExitCode::SUCCESS)
}
