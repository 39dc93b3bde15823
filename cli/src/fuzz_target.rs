//! Built fuzz targets, which contain a grammar. Commands take them in place of a grammar file. A
//! target is run to write its grammar or to decode inputs.

use std::fs::File;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::Signal;

use crate::problem::Problem;

/// The environment variable that makes a fuzz target decode its inputs. Every fuzz target with
/// zester contains the name.
const DECODE: &str = "ZESTER_DECODE";

/// The environment variable that makes a fuzz target write its grammar.
const GRAMMAR_OUT: &str = "ZESTER_GRAMMAR_OUT";

/// The beginning of a message that libFuzzer prints at every start without a sanitizer.
const USUAL: &str = "WARNING: Failed to find function";

/// The maximum number of files that one run of a fuzz target decodes.
pub const FILES_OF_RUN: usize = 500;

/// A fuzz target with zester's hooks.
pub struct FuzzTarget {
    /// Its path as the user wrote it, for messages.
    name: PathBuf,
    /// Its absolute path.
    path: PathBuf,
    /// Whether it can write its grammar. Targets that were built with zester before that feature
    /// cannot.
    writes_grammar: bool,
}

impl FuzzTarget {
    /// Returns the fuzz target at a path, or `None` if the file is not a program, and may be a
    /// grammar.
    ///
    /// # Errors
    ///
    /// If the file is a program without zester. Such a program is never run.
    pub fn of(path: &Path) -> Result<Option<FuzzTarget>, Problem> {
        if !is_program(path) {
            return Ok(None);
        }
        let problem = |error| Problem::with(path, error);
        let absolute = path.canonicalize().map_err(problem)?;
        let program = std::fs::read(&absolute).map_err(problem)?;
        let has = |name: &str| {
            program
                .windows(name.len())
                .any(|part| part == name.as_bytes())
        };
        if !has(DECODE) {
            return Err(Problem::with(
                path,
                "neither a grammar nor a fuzz target with zester",
            ));
        }
        Ok(Some(FuzzTarget {
            name: path.into(),
            path: absolute,
            writes_grammar: has(GRAMMAR_OUT),
        }))
    }

    /// Returns the fuzz target at a path.
    ///
    /// # Errors
    ///
    /// If there is no file, or if the file is not a fuzz target with zester.
    pub fn must_be(path: &Path) -> Result<FuzzTarget, Problem> {
        FuzzTarget::of(path)?.ok_or_else(|| match path.metadata() {
            Err(error) => Problem::with(path, error),
            Ok(_) => Problem::with(path, "is no fuzz target; `zester fuzz NAME --no-run` builds a target of cargo-fuzz, and its NAME is enough here"),
        })
    }

    /// Returns its absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the text of its grammar.
    pub fn grammar(&self) -> Result<Vec<u8>, Problem> {
        let problem = |error| Problem::with(&self.name, error);
        if !self.writes_grammar {
            let why = "built with a version of zester whose targets do not write their grammar; name the grammar's file instead";
            return Err(Problem::with(&self.name, why));
        }
        // The grammar goes to a file, because the program may print on standard output.
        let file = tempfile::NamedTempFile::new().map_err(problem)?;
        self.run(
            Command::new(&self.path)
                .env(GRAMMAR_OUT, file.path())
                .stdout(Stdio::null()),
        )?;
        std::fs::read(file.path()).map_err(problem)
    }

    /// Decodes files of parameters. Prints the texts, or writes them to files of the same names in a
    /// directory.
    pub fn decode(
        &self,
        files: &[PathBuf],
        bounds: &str,
        directory: Option<&Path>,
    ) -> Result<(), Problem> {
        for files in files.chunks(FILES_OF_RUN) {
            // A name that begins with `-` would be a flag.
            let files = files.iter().map(|file| {
                if file.is_relative() {
                    Path::new(".").join(file)
                } else {
                    file.clone()
                }
            });
            let to = directory.unwrap_or(Path::new("-"));
            self.run(
                Command::new(&self.path)
                    .args(files)
                    .env(DECODE, to)
                    .env("ZESTER_BOUNDS", bounds),
            )?;
        }
        Ok(())
    }

    /// Runs the target and waits for its end.
    ///
    /// # Errors
    ///
    /// If it fails. The message has the output of the target.
    fn run(&self, command: &mut Command) -> Result<(), Problem> {
        // libFuzzer's messages at its start are shown only after a failure.
        let child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn();
        let output = child
            .and_then(|child| child.wait_with_output())
            .map_err(|error| Problem::with(&self.name, error))?;
        if output.status.signal() == Some(Signal::PIPE.as_raw()) {
            return Err(Problem::Closed);
        }
        if !output.status.success() {
            let log = String::from_utf8_lossy(&output.stderr);
            let messages: String = log
                .lines()
                .filter(|line| !line.starts_with(USUAL))
                .map(|line| format!("\n{line}"))
                .collect();
            return Err(Problem::with(
                &self.name,
                format!("as a fuzz target: {}{messages}", output.status),
            ));
        }
        Ok(())
    }
}

/// Returns whether a file begins as an executable of Linux or macOS does.
fn is_program(path: &Path) -> bool {
    let mut start = [0; 4];
    // A pipe is not opened, because bytes that are read from it are lost.
    let is_read = path.is_file()
        && File::open(path)
            .and_then(|mut file| file.read_exact(&mut start))
            .is_ok();
    is_read
        && (start == *b"\x7FELF" || [0xFEED_FACF, 0xCFFA_EDFE].contains(&u32::from_be_bytes(start)))
}
