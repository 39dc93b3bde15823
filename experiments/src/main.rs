//! Experiments: each repeats the measurements of `scripts/measured.md` whose text begins with its name.
//!
//! `scripts/measure NAME` runs this program. Each experiment is a module with its name. Building
//! and running targets is in the library `zester_xtask`. Shared modules are `campaign` (fuzzing),
//! `edges` and `results` (reading results), `published` (files that people wrote) and `figures`
//! (medians and tables).

mod ablation;
mod bonsai;
mod bugs;
mod campaign;
mod compare;
mod conform;
mod edges;
mod every;
mod evolve;
mod figures;
mod generators;
mod import;
mod limited;
mod mutants;
mod mutation_score;
mod packages;
mod published;
mod results;
mod samples;
mod search;
mod sentences;
mod speed;
mod subjects;
mod suites;

use std::process::ExitCode;

use clap::Parser;

/// Repeats the experiments of scripts/measured.md.
///
/// The exit status is 1 if a figure is not as required. Programs are built if they are not up to
/// date, in CARGO_TARGET_DIR or target. Every experiment but mutation-score has --quick, which tests
/// within a minute that it works, once its programs are built.
#[derive(Parser)]
#[command(
    name = "scripts/measure",
    bin_name = "scripts/measure",
    version,
    max_term_width = 130
)]
struct Options {
    #[command(subcommand)]
    command: Command,
}

macro_rules! commands {
    ($($(#[$attribute:meta])* $name:ident($arguments:ty),)*) => {
        #[derive(clap::Subcommand)]
        enum Command {
            $($(#[$attribute])* $name($arguments),)*
        }

        impl Command {
            fn run(&self) -> anyhow::Result<()> {
                match self {
                    $(Self::$name(command) => command.run(),)*
                }
            }
        }
    };
}

commands! {
    Ablation(ablation::Ablation),
    Bonsai(bonsai::Bonsai),
    Bugs(bugs::Bugs),
    Compare(compare::Compare),
    Evolve(evolve::Evolve),
    Generators(generators::Generators),
    Import(import::Import),
    Mutants(mutants::MutantsExperiment),
    MutationScore(mutation_score::MutationScore),
    Samples(samples::Samples),
    Search(search::Search),
    Sentences(sentences::Sentences),
    Speed(speed::Speed),
    Subjects(subjects::Subjects),
    Suites(suites::Suites),
    Every(every::Every),
    Conform(conform::Conform),
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

    #[test]
    fn every_experiment_has_a_quick_form() {
        let command = Options::command();
        for name in every::NAMES {
            let experiment = command
                .find_subcommand(name)
                .unwrap_or_else(|| panic!("no {name}"));
            assert!(
                experiment
                    .get_arguments()
                    .any(|argument| argument.get_id() == "quick"),
                "{name}"
            );
            assert!(experiment.get_about().is_some(), "{name}");
        }
    }
}
