//! The program that `scripts/` and CI call. `scripts/xtask` builds and starts it.

use std::process::ExitCode;

use clap::Parser;
use zester_xtask::{coverage, door, fuzz, guide, oss_fuzz, smoke, test};

/// Builds and runs zester's fuzz targets, and tests whole programs.
///
/// The exit status is 1 if a test fails. Programs are built if they are not up to date, in
/// CARGO_TARGET_DIR or target.
#[derive(Parser)]
#[command(
    name = "scripts/xtask",
    bin_name = "scripts/xtask",
    version,
    max_term_width = 130
)]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    #[command(name = "test")]
    Tests(test::Tests),
    Coverage(coverage::Coverage),
    Fuzz(fuzz::rust::Fuzz),
    FuzzC(fuzz::c::FuzzC),
    FuzzAfl(fuzz::afl::FuzzAfl),
    Smoke(smoke::rust::Smoke),
    SmokeC(smoke::c::SmokeC),
    SmokeAfl(smoke::afl::SmokeAfl),
    SmokeCrates(smoke::crates::SmokeCrates),
    OssFuzz(oss_fuzz::OssFuzz),
    Guide(guide::Guide),
    Door(door::Door),
}

impl Command {
    fn run(&self) -> anyhow::Result<()> {
        match self {
            Self::Tests(command) => command.run(),
            Self::Coverage(command) => command.run(),
            Self::Fuzz(command) => command.run(),
            Self::FuzzC(command) => command.run(),
            Self::FuzzAfl(command) => command.run(),
            Self::Smoke(command) => command.run(),
            Self::SmokeC(command) => command.run(),
            Self::SmokeAfl(command) => command.run(),
            Self::SmokeCrates(command) => command.run(),
            Self::OssFuzz(command) => command.run(),
            Self::Guide(command) => command.run(),
            Self::Door(command) => command.run(),
        }
    }
}

fn main() -> ExitCode {
    match Options::parse().command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Options::command().debug_assert();
    }
}
