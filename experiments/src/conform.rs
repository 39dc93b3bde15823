//! Compares the grammars with the parsers of the programs under test.

use anyhow::Result;

use zester_xtask::programs;
use zester_xtask::repository::grammar_of;
use zester_xtask::zester::Zester;

/// Compares grammars with parsers: `zester conform` on the programs under test.
///
/// Errors of meaning do not count, so a text that a program refuses for its meaning is accepted by
/// its parser. Prints the differences of each: sentences that the parser refuses, and texts outside
/// of the language that it accepts.
#[derive(clap::Args)]
pub struct Conform {
    /// The subjects.
    #[arg(
        default_values_t = ["json", "wgsl", "graphql", "wat", "xml", "lua", "jq", "jinja", "css", "cedar"].map(String::from),
        default_value_if("quick", "true", "json")
    )]
    subjects: Vec<String>,
    /// More flags of `zester conform`, such as `--criterion=cdrc`.
    #[arg(long = "flag", value_name = "FLAG", allow_hyphen_values = true)]
    flags: Vec<String>,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

impl Conform {
    pub fn run(&self) -> Result<()> {
        let zester = Zester::build()?;
        for subject in &self.subjects {
            let (program, grammar) = (programs::sentences(subject)?, grammar_of(subject)?);
            println!("\n== {subject}");
            let mut conform = zester.command("conform");
            conform
                .arg(program)
                .arg(grammar)
                .args(&self.flags)
                .args(["--", subject, "--file", "{}"]);
            // Status 1 means that they differ.
            print!("{}", zester_xtask::command::completed(&mut conform)?.text);
        }
        Ok(())
    }
}
