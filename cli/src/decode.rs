//! `zester decode`: decodes parameters to text.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use indicatif::ProgressBar;
use zester::corpus;
use zester::parameters::Decoder;

use crate::arguments::{GrammarAndStart, SentenceLimits};
use crate::format_warnings::{warn_of_texts, warn_of_texts_for_target};
use crate::fuzz_target::{FILES_OF_RUN, FuzzTarget};
use crate::input::{
    self, grammar_and_start, inputs, is_inside, warn_of_stale, warn_of_stale_for_target,
};
use crate::interrupt::OnInterrupt;
use crate::output::{Existing, make_directory, print};
use crate::problem::Problem;
use crate::progress::progress;

const EXAMPLES: &str = "\
Examples:
  zester decode json.ebnf fuzz/artifacts/json/crash-0a1b2c
  zester decode json.ebnf fuzz/corpus/json -o texts

Exit status: 0; 1 if the grammar has errors; 2 if a file cannot be read or written.";

/// Decode parameters (a corpus, an artifact) to text.
///
/// Prints the texts, or with -o writes them to files with the names of the inputs. If GRAMMAR is a
/// file NAME.ebnf, a name without an extension gets the extension NAME. A directory means all files
/// in it.
///
/// If GRAMMAR is a built fuzz target, each text is the input of the target's body, after
/// post_process. If the body takes a value of a type, the text describes the value. With --start,
/// the texts are sentences of the target's grammar instead.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct DecodeCommand {
    #[command(flatten)]
    grammar: GrammarAndStart,

    /// Files of parameters, or directories of them; `-` is standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    limits: SentenceLimits,

    /// The directory to write each text to as a file; it is made if it is missing [default:
    /// standard output].
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    #[command(flatten)]
    existing: Existing,
}

impl DecodeCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let files = inputs(&self.files)?;
        if let Some(directory) = &self.output {
            make_directory(directory)?;
            self.check_output(directory, &files)?;
        }
        match FuzzTarget::of(&self.grammar.path)? {
            // A target decodes with its own start rule only.
            Some(target) if self.grammar.start.is_none() => self.by_target(&target, &files),
            _ => self.by_grammar(&files),
        }
    }

    /// Checks that no text would be written to a directory of parameters, and that no two texts would
    /// be written to one file.
    fn check_output(&self, directory: &Path, files: &[PathBuf]) -> Result<(), Problem> {
        if corpus::is_marked(directory) || files.iter().any(|file| is_inside(file, directory)) {
            return Err(Problem::with(
                directory,
                "holds parameters; write the texts to another directory",
            ));
        }
        let mut names = HashSet::new();
        match files
            .iter()
            .find(|file| !names.insert(self.text_name(file)))
        {
            Some(file) => Err(Problem::with(
                file,
                "another input has the same name, so that its text would be the same file",
            )),
            None => Ok(()),
        }
    }

    /// Decodes files with a grammar.
    fn by_grammar(&self, files: &[PathBuf]) -> Result<ExitCode, Problem> {
        let settings = self.limits.settings();
        let grammar = grammar_and_start(&self.grammar, &settings.caps)?;
        if self.grammar.start.is_none() {
            warn_of_stale(&self.files, &grammar);
        }
        warn_of_texts(&self.files, &grammar);
        let bar = if self.output.is_some() {
            progress(files.len() as u64, "files")
        } else {
            ProgressBar::hidden()
        };
        let mut decoder = Decoder::new(&grammar).settings(settings);
        let mut not_utf8 = 0;
        for file in files {
            let bytes = input::parameters(file)?;
            let text = decoder.text(&bytes);
            not_utf8 += usize::from(std::str::from_utf8(text).is_err());
            match &self.output {
                None => {
                    print(text)?;
                    print(b"\n")?;
                }
                Some(directory) => self
                    .existing
                    .write_file(&directory.join(self.text_name(file)), text)?,
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        if not_utf8 > 0 && grammar.derives_utf8() {
            eprintln!(
                "zester: {not_utf8} of {} texts are edited sentences with bytes that are not UTF-8; a target whose body takes &str gets \
                 them without these bytes, as `zester decode TARGET` prints them",
                files.len()
            );
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the file name for the text of an input. If the grammar is a file NAME.ebnf, a name
    /// without an extension gets the extension NAME.
    fn text_name(&self, file: &Path) -> PathBuf {
        let mut name = PathBuf::from(file.file_name().unwrap_or("-".as_ref()));
        let grammar = &self.grammar.path;
        let language = grammar.file_stem().filter(|_| {
            grammar
                .extension()
                .is_some_and(|extension| extension == "ebnf")
        });
        if let (None, Some(language)) = (name.extension(), language) {
            name.set_extension(language);
        }
        name
    }

    /// Runs a target to decode files.
    fn by_target(&self, target: &FuzzTarget, files: &[PathBuf]) -> Result<ExitCode, Problem> {
        let problem = |error| Problem::with(&self.grammar.path, error);
        warn_of_stale_for_target(&self.files, target, &self.grammar.path);
        warn_of_texts_for_target(&self.files, target, &self.grammar.path);
        // The target writes texts to a temporary directory. They are then written to the output
        // directory with the policy for existing files.
        let work = tempfile::tempdir().map_err(problem)?;
        let _remove = OnInterrupt::remove(work.path());
        let (read, written) = (work.path().join("read"), work.path().join("written"));
        [&read, &written]
            .into_iter()
            .try_for_each(std::fs::create_dir)
            .map_err(problem)?;
        // A target reads files, not standard input.
        let mut named = files.to_vec();
        for file in named.iter_mut().filter(|file| *file == Path::new("-")) {
            *file = read.join("-");
            std::fs::write(&file, input::parameters(Path::new("-"))?).map_err(problem)?;
        }
        let bounds = self.limits.bounds.to_string();
        let Some(directory) = &self.output else {
            target.decode(&named, &bounds, None)?;
            return Ok(ExitCode::SUCCESS);
        };
        let bar = progress(files.len() as u64, "files");
        for files in named.chunks(FILES_OF_RUN) {
            target.decode(files, &bounds, Some(&written))?;
            for file in files {
                let text = written.join(file.file_name().unwrap_or("-".as_ref()));
                let bytes = std::fs::read(&text).map_err(|error| Problem::with(file, error))?;
                std::fs::remove_file(&text).map_err(problem)?;
                self.existing
                    .write_file(&directory.join(self.text_name(file)), &bytes)?;
                bar.inc(1);
            }
        }
        bar.finish_and_clear();
        Ok(ExitCode::SUCCESS)
    }
}
