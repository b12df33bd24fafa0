//! Builds the page into `out/page`, or serves that folder.
//!
//! ```sh
//! cargo run --manifest-path examples/web/builder/Cargo.toml            # builds
//! cargo run --manifest-path examples/web/builder/Cargo.toml -- serve   # serves on http://127.0.0.1:8080
//! ```

mod serve;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

use wasm_bindgen_cli_support::Bindgen;

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let page = root.join("out/page");
    let outcome = match words[..] {
        [] => build(&root, &page),
        ["serve"] => serve::serve(&page, 8080),
        ["serve", port] => port.parse().map_err(Into::into).and_then(|port| serve::serve(&page, port)),
        _ => Err("the arguments are none, to build the page, or `serve`, with a port if it is not 8080".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("page: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Compiles the library for WebAssembly, writes its bindings for JavaScript, and copies the static files beside them.
fn build(root: &Path, page: &Path) -> Outcome {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--profile", "page", "--target", "wasm32-unknown-unknown", "-p", "page"]);
    cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", "-C target-feature=+simd128").env_remove("RUSTFLAGS");
    if !cargo.current_dir(root).status()?.success() {
        return Err("the library does not build; `rustup target add wasm32-unknown-unknown` installs the target".into());
    }
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let library = root.join(target).join("wasm32-unknown-unknown/page/page.wasm");
    fs::create_dir_all(page)?;
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(library)
        .web(true)?
        .typescript(false)
        .omit_default_module_path(false)
        .remove_name_section(true)
        .remove_producers_section(true);
    bindgen.generate(page)?;
    for file in fs::read_dir(root.join("examples/web/static"))? {
        let file = file?;
        fs::copy(file.path(), page.join(file.file_name()))?;
    }
    println!("{} KiB of WebAssembly in {}", fs::metadata(page.join("page_bg.wasm"))?.len() / 1024, page.display());
    Ok(())
}
