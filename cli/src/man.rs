//! `zester man`: writes the manual pages of zester, which have the text of `--help`.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap_mangen::Man;

use crate::output::{Existing, print};
use crate::problem::Problem;

const EXAMPLES: &str = "\
Examples:
  zester man | man -l -                            show the page of zester
  zester man ~/.local/share/man/man1               install all pages
  man zester-fuzz                                  show the page of `zester fuzz`
  zester man ~/.local/share/man/man1 --force       replace the pages after an update

Exit status: 0; 2 if a page cannot be written.";

/// Print the manual page of zester, or write the pages of all commands.
///
/// The pages have the text of --help. The page of a command such as `zester fuzz` is the file
/// zester-fuzz.1.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ManCommand {
    /// The directory to write the pages to. It is made if it is missing.
    #[arg(value_name = "DIR")]
    directory: Option<PathBuf>,

    #[command(flatten)]
    existing: Existing,
}

impl ManCommand {
    /// Writes the pages of a command line.
    pub fn run(&self, zester: clap::Command) -> Result<ExitCode, Problem> {
        let pages = pages(zester).map_err(Problem::new)?;
        let Some(directory) = &self.directory else {
            print(&pages[0].1)?;
            return Ok(ExitCode::SUCCESS);
        };
        std::fs::create_dir_all(directory).map_err(|error| Problem::with(directory, error))?;
        for (name, page) in &pages {
            self.existing.write_file(&directory.join(name), page)?;
        }
        eprintln!("zester: {} pages: {}", pages.len(), directory.display());
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the name and the text of each page. The first one is that of zester.
fn pages(zester: clap::Command) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut zester = zester.disable_help_subcommand(true);
    zester.build();
    let commands = zester.get_subcommands().cloned();
    let all = std::iter::once(zester.clone()).chain(commands);
    let pages = all.map(|command| {
        let page = Man::new(command).source(concat!("zester ", env!("CARGO_PKG_VERSION")));
        let mut text = Vec::new();
        page.render(&mut text)?;
        Ok((page.get_filename(), text))
    });
    pages.collect()
}
