//! Artifacts: which files are artifacts, and what happens when one runs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use zester::corpus::{self, records};
use zester::grammar::Grammar;
use zester::parameters::{Decoder, Settings};
use zester::subject::{Limits, Request};

use crate::fault::Fault;
use crate::fault_runner::FaultRunner;
use crate::input::{self, encoded, inputs};
use crate::output::parent_of;
use crate::problem::Problem;
use crate::shell::is_visible;

/// Extensions of files that commands write beside artifacts.
const NO_ARTIFACTS: [&str; 6] = ["reduced", "md", "html", "json", "sarif", "partial"];

/// Returns the artifacts that arguments name. In directories, hidden files and reports are left out.
/// Files that `zester reduce` wrote are always left out.
pub fn artifacts(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Problem> {
    let mut found = Vec::new();
    for path in paths.iter().filter(|path| !records::is_directory(path)) {
        let mut files = inputs(std::slice::from_ref(path))?;
        let is_directory = path.is_dir();
        files.retain(|file| {
            has_extension(file, "reduced").is_none() && (!is_directory || is_artifact(file))
        });
        found.append(&mut files);
    }
    Ok(found)
}

/// Returns whether the name of a file in a directory is that of an artifact.
fn is_artifact(file: &Path) -> bool {
    let name = file
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_default();
    // `NAME-1.txt` is a text of the report NAME.md or NAME.html.
    let report = name
        .strip_suffix(".txt")
        .and_then(|stem| stem.rsplit_once('-'));
    let is_text = report.is_some_and(|(stem, number)| {
        let is_there = |extension| file.with_file_name(format!("{stem}.{extension}")).exists();
        number.parse::<usize>().is_ok() && (is_there("md") || is_there("html"))
    });
    let is_other = NO_ARTIFACTS
        .iter()
        .any(|extension| has_extension(file, extension).is_some());
    !name.starts_with('.') && !is_text && !is_other
}

/// Returns the extension of a file if it is this one.
fn has_extension<'a>(file: &Path, extension: &'a str) -> Option<&'a str> {
    file.extension()
        .is_some_and(|found| found == extension)
        .then_some(extension)
}

/// The directories of records beside artifacts. Each directory of artifacts is read once, however many
/// artifacts it has.
pub struct RecordDirectories(HashMap<PathBuf, Vec<PathBuf>>);

impl RecordDirectories {
    /// Reads the directories of these artifacts.
    pub fn beside(artifacts: &[PathBuf]) -> RecordDirectories {
        let mut all = HashMap::new();
        for artifact in artifacts {
            let directory = parent_of(artifact);
            if !all.contains_key(directory) {
                all.insert(directory.to_path_buf(), records::all(directory));
            }
        }
        RecordDirectories(all)
    }

    /// Returns the directories of records beside an artifact.
    fn of(&self, artifact: &Path) -> &[PathBuf] {
        self.0.get(parent_of(artifact)).map_or(&[], Vec::as_slice)
    }
}

/// The form in which an artifact was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArtifactSource {
    Parameters,
    /// The file is a sentence of the grammar.
    Text,
    /// The parameters were written with another grammar. This file has the text that they had.
    Record(PathBuf),
}

/// The input of an artifact.
#[derive(Clone, Default)]
pub struct Artifact {
    /// Parameters of the input, or [`None`] if it is a text that is no sentence of the grammar.
    pub parameters: Option<Vec<u8>>,
    /// The text of the input, before `post_process`. [`None`] if the artifact is parameters, and the
    /// target has no grammar that decodes them.
    pub text: Option<Vec<u8>>,
}

/// An artifact that has run.
pub struct Tested {
    /// The index of the artifact in the list of [`artifacts`].
    pub at: usize,
    pub path: PathBuf,
    pub source: ArtifactSource,
    pub input: Artifact,
    /// The fault, or [`None`] if the target returned.
    pub fault: Option<Fault>,
}

impl Tested {
    /// Returns the size of the input, for comparisons.
    pub fn size(&self) -> usize {
        let bytes = self.input.text.as_ref().or(self.input.parameters.as_ref());
        bytes.map_or(usize::MAX, Vec::len)
    }
}

/// Runs artifacts on a thread.
pub struct ArtifactRunner<'a> {
    grammar: Option<&'a Grammar>,
    settings: Settings,
    faults: FaultRunner,
}

impl<'a> ArtifactRunner<'a> {
    /// Starts a target.
    pub fn start(
        target: &Path,
        grammar: Option<&'a Grammar>,
        settings: Settings,
        limits: Limits,
    ) -> Result<ArtifactRunner<'a>, Problem> {
        Ok(ArtifactRunner {
            grammar,
            settings,
            faults: FaultRunner::start(target, limits)?,
        })
    }

    /// Runs an artifact. Tries to read it in this order, until a run fails: as the text that was
    /// recorded with another grammar, or as a text that is a sentence; as parameters; as any other
    /// visible text. If no run fails, returns the first one. `directories` are those beside the
    /// artifact.
    pub fn run(
        &mut self,
        at: usize,
        path: &Path,
        directories: &RecordDirectories,
    ) -> Result<Tested, Problem> {
        let bytes = input::parameters(path)?;
        let directories = directories.of(path);
        let is_known =
            corpus::is_marked(parent_of(path)) || records::is_recorded_in(directories, path);
        let record = self
            .grammar
            .and_then(|grammar| records::other_text_in(directories, path, grammar));
        let mut candidates = Vec::new();
        let parameters = (ArtifactSource::Parameters, self.decoded(&bytes));
        if let Some(record) = record {
            let text = self.parsed(input::parameters(&record)?);
            candidates.extend([(ArtifactSource::Record(record), text), parameters]);
        } else {
            let text = self.parsed(bytes.clone());
            match text.parameters {
                Some(_) if !is_known => {
                    candidates.extend([(ArtifactSource::Text, text), parameters])
                }
                _ => {
                    candidates.push(parameters);
                    let may_be_text = !is_known && is_visible(&bytes);
                    candidates.extend(may_be_text.then_some((ArtifactSource::Text, text)));
                }
            }
        }
        let mut first = None;
        for (source, input) in candidates {
            let text = input.text.as_deref().unwrap_or(&[]);
            let request = match source {
                ArtifactSource::Parameters => Request::Parameters(&bytes),
                ArtifactSource::Text => Request::Text(text),
                ArtifactSource::Record(_) => Request::Sentence(text),
            };
            let tested = Tested {
                at,
                path: path.into(),
                source,
                fault: self.fault(request, text)?,
                input,
            };
            if tested.fault.is_some() {
                return Ok(tested);
            }
            first.get_or_insert(tested);
        }
        Ok(first.expect("parameters are always a candidate"))
    }

    /// Returns the input of parameters.
    fn decoded(&self, bytes: &[u8]) -> Artifact {
        let text = self.grammar.map(|grammar| {
            let mut decoder = Decoder::new(grammar).settings(self.settings);
            decoder.input(bytes).text().to_vec()
        });
        Artifact {
            parameters: Some(bytes.to_vec()),
            text,
        }
    }

    /// Returns the input of a text.
    fn parsed(&self, text: Vec<u8>) -> Artifact {
        Artifact {
            parameters: self.grammar.and_then(|grammar| encoded(grammar, &text)),
            text: Some(text),
        }
    }

    /// Runs an input. Returns its fault with the stack, or [`None`] if the target returned. `text`
    /// is the sentence of the input.
    pub fn fault(&mut self, request: Request<'_>, text: &[u8]) -> Result<Option<Fault>, Problem> {
        self.faults.fault(request, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_read_once_for_all_its_artifacts() {
        let work = tempfile::tempdir().unwrap();
        let records = work.path().join(".zester-text-v2-0123456789abcdef");
        std::fs::create_dir(&records).unwrap();
        let artifacts: Vec<PathBuf> = (0..9).map(|at| work.path().join(at.to_string())).collect();
        let directories = RecordDirectories::beside(&artifacts);
        assert_eq!(directories.0.len(), 1);
        // What was read stays.
        std::fs::remove_dir(&records).unwrap();
        assert!(
            artifacts
                .iter()
                .all(|artifact| directories.of(artifact) == [records.clone()])
        );
    }
}
