//! The `zester` command: look at a grammar, generate from it, and turn parameters into text.

mod cli;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match cli::Command::parse().run() {
        Ok(code) => code,
        Err(problem) => {
            eprint!("{}", problem.message());
            ExitCode::from(problem.status())
        }
    }
}
