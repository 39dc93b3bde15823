//! The `zester` command: look at a grammar, generate from it, and turn parameters into text.

mod check;
mod command;
mod convert;
mod coverage;
mod decode;
mod dict;
mod embed;
mod encode;
mod explain;
mod generate;
mod html;
mod import;
mod learn;
mod new;
mod reduce;
mod run;
mod show;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match command::Command::parse().run() {
        Ok(code) => code,
        Err(problem) => {
            eprint!("{}", problem.message());
            ExitCode::from(problem.status())
        }
    }
}
