//! The headless runner `xpbd`; `xpbd --help` lists its commands.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
