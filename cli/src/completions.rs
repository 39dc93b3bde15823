//! `zester completions`: prints a script that completes the command line of zester in a shell.

use std::process::ExitCode;

use clap::ValueEnum;
use clap_complete::Shell as Generator;

use crate::output::print;
use crate::problem::Problem;

const EXAMPLES: &str = "\
Examples:
  zester completions bash > ~/.local/share/bash-completion/completions/zester
  zester completions zsh > ~/.zfunc/_zester      in ~/.zshrc, before compinit: fpath+=~/.zfunc
  zester completions fish > ~/.config/fish/completions/zester.fish

Exit status: 0; 2 if standard output cannot be written.";

/// Print a script with which a shell completes commands, options and their values.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct CompletionsCommand {
    /// The shell.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// A shell whose scripts are tested.
#[derive(Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl CompletionsCommand {
    /// Prints the script for a command line.
    pub fn run(&self, zester: &mut clap::Command) -> Result<ExitCode, Problem> {
        let generator = match self.shell {
            Shell::Bash => Generator::Bash,
            Shell::Zsh => Generator::Zsh,
            Shell::Fish => Generator::Fish,
        };
        let mut script = Vec::new();
        clap_complete::generate(generator, zester, "zester", &mut script);
        print(&script)?;
        Ok(ExitCode::SUCCESS)
    }
}
