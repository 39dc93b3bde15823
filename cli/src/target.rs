//! Built fuzz targets in the place of a grammar: recognised, asked for their grammar, and asked to decode.

use std::fs::File;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::problem::Problem;

/// Tells a fuzz target to decode its inputs. The name is part of every program that understands it.
const DECODE: &str = "ZESTER_DECODE";

/// Tells a fuzz target to write its grammar.
const GRAMMAR_OUT: &str = "ZESTER_GRAMMAR_OUT";

/// What libFuzzer prints at every start without a sanitizer.
const USUAL: &str = "WARNING: Failed to find function";

/// The most files that a fuzz target is given at once.
const AT_ONCE: usize = 500;

/// The number of the signal SIGPIPE.
const SIGPIPE: i32 = 13;

/// A fuzz target with zester's hooks.
pub struct Target {
    /// What messages call it.
    name: PathBuf,
    /// Its absolute path.
    path: PathBuf,
    /// Whether it can write its grammar. Those of earlier versions cannot.
    writes_grammar: bool,
}

impl Target {
    /// The fuzz target at a path; nothing if there is no program, but perhaps a grammar.
    ///
    /// # Errors
    /// That this is a program without zester. No such program is ever run.
    pub fn of(path: &Path) -> Result<Option<Target>, Problem> {
        if !is_program(path) {
            return Ok(None);
        }
        let problem = |error| Problem::with(path, error);
        let absolute = path.canonicalize().map_err(problem)?;
        let program = std::fs::read(&absolute).map_err(problem)?;
        let has = |name: &str| program.windows(name.len()).any(|part| part == name.as_bytes());
        if !has(DECODE) {
            return Err(Problem::with(path, "neither a grammar nor a fuzz target with zester"));
        }
        Ok(Some(Target { name: path.into(), path: absolute, writes_grammar: has(GRAMMAR_OUT) }))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text of its grammar.
    pub fn grammar(&self) -> Result<Vec<u8>, Problem> {
        let problem = |error| Problem::with(&self.name, error);
        if !self.writes_grammar {
            let why = "built with a version of zester whose targets do not tell their grammar; name the grammar's file instead";
            return Err(Problem::with(&self.name, why));
        }
        // A file, as the program may print something on standard output.
        let file = tempfile::NamedTempFile::new().map_err(problem)?;
        self.run(Command::new(&self.path).env(GRAMMAR_OUT, file.path()).stdout(Stdio::null()))?;
        std::fs::read(file.path()).map_err(problem)
    }

    /// Writes what files of parameters decode to: lines on standard output, or files of the same names in a directory.
    pub fn decode(&self, files: &[PathBuf], bounds: &str, directory: Option<&Path>) -> Result<(), Problem> {
        for files in files.chunks(AT_ONCE) {
            // What begins with `-` would be a flag.
            let files = files.iter().map(|file| if file.is_relative() { Path::new(".").join(file) } else { file.clone() });
            let to = directory.unwrap_or(Path::new("-"));
            self.run(Command::new(&self.path).args(files).env(DECODE, to).env("ZESTER_BOUNDS", bounds))?;
        }
        Ok(())
    }

    /// Runs the target to its end.
    fn run(&self, command: &mut Command) -> Result<Output, Problem> {
        // What libFuzzer prints at its start is of interest only if something is wrong.
        let child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn();
        let output = child.and_then(|child| child.wait_with_output()).map_err(|error| Problem::with(&self.name, error))?;
        if output.status.signal() == Some(SIGPIPE) {
            return Err(Problem::Closed);
        }
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let said: String = said.lines().filter(|line| !line.starts_with(USUAL)).map(|line| format!("\n{line}")).collect();
            return Err(Problem::with(&self.name, format!("as a fuzz target: {}{said}", output.status)));
        }
        Ok(output)
    }
}

/// Whether a file is an executable, by what such files begin with on Linux and macOS.
fn is_program(path: &Path) -> bool {
    let mut start = [0; 4];
    // A pipe is not opened, as what is read of it is gone.
    let is_read = path.is_file() && File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok();
    is_read && (start == *b"\x7FELF" || [0xFEED_FACF, 0xCFFA_EDFE].contains(&u32::from_be_bytes(start)))
}
