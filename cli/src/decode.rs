//! `zester decode`: parameters to text.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};

use zester::derive::Workspace;
use zester::parameters;

use crate::command::{Limits, Problem, grammar, inputs, print, warn_of_stale};

/// Turn files of parameters (a corpus, an artifact) into text.
///
/// Text goes to standard output, or, with -o, to a file of the same name for each input, with the grammar's name for an
/// extension if there is none. A directory means the files in it.
///
/// Instead of a grammar, a built fuzz target will do: what its post-processor leaves is printed then, and of a target that takes
/// values of a type, the value.
#[derive(clap::Args)]
pub struct Decode {
    /// The grammar, in EBNF, or a fuzz target that has one.
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

/// Tells a fuzz target to decode; part of every program that understands it.
const DECODE: &str = "ZESTER_DECODE";

/// What libFuzzer says at every start without a sanitizer.
const USUAL: &str = "WARNING: Failed to find function";

/// Files that a fuzz target is given at once.
const AT_ONCE: usize = 500;

impl Decode {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let files = inputs(&self.files)?;
        if let Some(directory) = &self.output {
            std::fs::create_dir_all(directory).map_err(|error| Problem::with(directory, error))?;
            let mut names = std::collections::HashSet::new();
            if let Some(file) = files.iter().find(|file| !names.insert(self.text_name(file))) {
                return Err(Problem::with(file, "another input has this name too, and one directory holds both texts"));
            }
        }
        if is_program(&self.grammar) { self.by_target(&files) } else { self.by_grammar(&files) }
    }

    fn by_grammar(&self, files: &[PathBuf]) -> Result<ExitCode, Problem> {
        let settings = self.limits.settings();
        let grammar = grammar(&self.grammar, &settings.caps)?;
        warn_of_stale(&self.files, &grammar);
        let (mut workspace, mut text) = (Workspace::default(), Vec::new());
        for file in files {
            let bytes = crate::command::parameters(file)?;
            parameters::decode_text(&grammar, &settings, &bytes, &mut workspace, &mut text);
            match &self.output {
                None => {
                    text.push(b'\n');
                    print(&text)?;
                }
                Some(directory) => {
                    let path = directory.join(self.text_name(file));
                    std::fs::write(&path, &text).map_err(|error| Problem::with(&path, error))?;
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The name of an input's text: with the extension that files of the language have, if it has none.
    fn text_name(&self, file: &Path) -> PathBuf {
        let mut name = PathBuf::from(file.file_name().unwrap_or("-".as_ref()));
        let language = self.grammar.file_stem().filter(|_| self.grammar.extension().is_some_and(|of| of == "ebnf"));
        if let (None, Some(language)) = (name.extension(), language) {
            name.set_extension(language);
        }
        name
    }

    fn by_target(&self, files: &[PathBuf]) -> Result<ExitCode, Problem> {
        let problem = |error| Problem::with(&self.grammar, error);
        let target = self.grammar.canonicalize().map_err(problem)?;
        // No other program is run on anybody's files.
        let program = std::fs::read(&target).map_err(problem)?;
        if !program.windows(DECODE.len()).any(|part| part == DECODE.as_bytes()) {
            return Err(Problem::with(&self.grammar, "neither a grammar nor a fuzz target with zester"));
        }
        for files in files.chunks(AT_ONCE) {
            let mut command = Command::new(&target);
            command.args(files).env(DECODE, self.output.as_deref().unwrap_or(Path::new("-")));
            command.env("ZESTER_BOUNDS", self.limits.bounds.to_string());
            // What libFuzzer says at its start is of interest only if something is wrong.
            let child = command.stderr(Stdio::piped()).spawn();
            let output = child.and_then(Child::wait_with_output).map_err(problem)?;
            if is_closed_pipe(output.status) {
                return Err(Problem::Closed);
            }
            if !output.status.success() {
                let said = String::from_utf8_lossy(&output.stderr);
                let said: String = said.lines().filter(|line| !line.starts_with(USUAL)).map(|line| format!("\n{line}")).collect();
                return Err(Problem::with(&self.grammar, format!("as a fuzz target: {}{said}", output.status)));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Whether a file is an executable and no grammar: what such files begin with on Linux, macOS and Windows.
fn is_program(path: &Path) -> bool {
    let mut start = [0; 4];
    let read = std::fs::File::open(path).and_then(|mut file| std::io::Read::read(&mut file, &mut start));
    read.is_ok()
        && (start == *b"\x7FELF" || start[..2] == *b"MZ" || [0xFEED_FACF, 0xCFFA_EDFE].contains(&u32::from_be_bytes(start)))
}

/// Whether a program ended because nobody read on.
fn is_closed_pipe(status: ExitStatus) -> bool {
    #[cfg(unix)]
    return std::os::unix::process::ExitStatusExt::signal(&status) == Some(13);
    #[cfg(not(unix))]
    return status.code().is_none();
}
