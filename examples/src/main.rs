//! The headless runner: `xpbd --help` tells what it can do.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
