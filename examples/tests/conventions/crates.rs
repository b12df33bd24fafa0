//! The crates of the workspace, and the pages that describe them.

use std::path::{Path, PathBuf};

use crate::modules::Modules;

/// The crates that are published, lowest first, and the scenes.
pub const CRATES: [&str; 7] =
    ["xpbd-core", "xpbd-cloth", "xpbd-rigid", "xpbd-fluid", "xpbd-gpu", "xpbd-bevy", "examples"];

/// Returns the folder that holds the workspace.
pub fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace");
    folder.into()
}

/// Returns the text of a file of the workspace.
///
/// # Panics
/// If it cannot be read.
pub fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Reads the modules of a library of the workspace, with file names from its root.
pub fn library(name: &str) -> Modules {
    modules(&format!("{name}/src/lib.rs"))
}

/// Reads the modules of the crate whose root is this file of the workspace.
pub fn modules(file: &str) -> Modules {
    Modules::read(Path::new(file), &|path| std::fs::read_to_string(root().join(path)).ok())
}
