//! `zester decode`: parameters to text.

use std::path::PathBuf;
use std::process::ExitCode;

use zester::derive::Workspace;
use zester::parameters;

use super::{Limits, Problem, grammar, print};

/// Turn files of parameters (a corpus, an artifact) into text.
///
/// Text goes to standard output, or, with -o, to a file of the same name for each input. A directory means the files in it.
#[derive(clap::Args)]
pub struct Decode {
    /// The grammar, in EBNF.
    #[arg(value_name = "GRAMMAR")]
    grammar: PathBuf,

    /// Files of parameters, or directories of them.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    limits: Limits,

    /// Write each text to a file in this directory, which is made if it is missing.
    #[arg(short, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl Decode {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let settings = self.limits.settings();
        let grammar = grammar(&self.grammar, &settings.caps)?;
        if let Some(directory) = &self.output {
            std::fs::create_dir_all(directory).map_err(|error| Problem::with(directory, error))?;
        }
        let (mut workspace, mut text) = (Workspace::default(), Vec::new());
        let mut written = std::collections::HashSet::new();
        for file in self.inputs()? {
            let bytes = super::parameters(&file)?;
            parameters::decode_text(&grammar, &settings, &bytes, &mut workspace, &mut text);
            let Some(directory) = &self.output else {
                print(&text)?;
                print(b"\n")?;
                continue;
            };
            let name = file.file_name().unwrap_or("-".as_ref());
            if !written.insert(name.to_owned()) {
                return Err(Problem::with(&file, "another input has this name too, and one directory holds both texts"));
            }
            let path = directory.join(name);
            std::fs::write(&path, &text).map_err(|error| Problem::with(&path, error))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The files, those of directories in the order of their names.
    fn inputs(&self) -> Result<Vec<PathBuf>, Problem> {
        let mut files = Vec::new();
        for path in &self.files {
            if !path.is_dir() {
                files.push(path.clone());
                continue;
            }
            let entries = std::fs::read_dir(path).map_err(|error| Problem::with(path, error))?;
            let mut inside: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()).collect();
            inside.sort();
            files.append(&mut inside);
        }
        Ok(files)
    }
}
