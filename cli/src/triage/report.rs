//! The content of a report, for all formats.

use std::path::{Path, PathBuf};

use super::artifact::{ArtifactSource, Tested};
use super::groups::FaultGroup;
use crate::fault::{FaultLocation, local_path, source};
use crate::numbers::counted;
use crate::problem::shown;
use crate::shell;

/// The maximum number of frames that a report shows.
const FRAMES: usize = 16;

/// The advice for artifacts that do not fail.
pub const ADVICE: &str = "The program may have been fixed, or the fault may need a state that earlier inputs left. If the grammar has \
                          changed, parameters decode to another text than before; zester keeps that text in a directory .zester-text-… \
                          beside an artifact, if the target wrote it.";

/// The groups of a report.
pub struct Report<'a> {
    /// The target as the user named it.
    pub target: &'a Path,
    pub tested: &'a [Tested],
    pub groups: &'a [FaultGroup],
    /// The path of the page, beside which texts are written.
    pub page: Option<&'a Path>,
}

impl Report<'_> {
    /// Returns the number of faults and artifacts, in words.
    pub fn headline(&self) -> String {
        let (all, passing) = (self.tested.len(), self.passing().count());
        let mut line = format!(
            "{}, {}",
            counted(all, "artifact"),
            counted(self.groups.len(), "fault")
        );
        if passing > 0 {
            line += &format!(", {passing} without a failure");
        }
        line
    }

    /// Returns the artifacts that do not fail.
    pub fn passing(&self) -> impl Iterator<Item = &Tested> {
        self.tested.iter().filter(|tested| tested.fault.is_none())
    }

    /// Returns the artifacts of a group, the smallest first.
    pub fn artifacts(&self, group: &FaultGroup) -> Vec<&Tested> {
        group.artifacts.iter().map(|&at| &self.tested[at]).collect()
    }

    /// Returns the path of the text of a group, if it is written beside the page and fails. The
    /// number of the first group is 1.
    pub fn text_file(&self, number: usize) -> Option<PathBuf> {
        let smallest = &self.groups[number - 1].smallest;
        let is_written = smallest.text.is_some() && smallest.is_reproduced_by_text;
        self.page
            .filter(|_| is_written)
            .map(|page| text_file(page, number))
    }

    /// Returns the command that reproduces a fault.
    pub fn command(&self, number: usize) -> String {
        let first = &self.tested[self.groups[number - 1].artifacts[0]];
        let (path, option) = match (self.text_file(number), &first.source) {
            (Some(file), _) => (file, ""),
            (None, ArtifactSource::Parameters) => (first.path.clone(), " --parameters"),
            (None, ArtifactSource::Text) => (first.path.clone(), ""),
            (None, ArtifactSource::Record(record)) => (record.clone(), ""),
        };
        format!(
            "{}zester run {} {}{option}",
            shell::own_setting(),
            shell::path(self.target),
            shell::path(&path)
        )
    }

    /// Returns the shape of the reduced sentence of a group, if a part of it does not matter.
    pub fn shape(&self, group: &FaultGroup) -> Option<String> {
        let shape = &group.smallest.shape.as_ref()?.shape;
        (shape.holes() > 0).then(|| shape.to_string())
    }

    /// Returns the part of the reduced sentence of a group that is the cause.
    pub fn cause(&self, group: &FaultGroup) -> Option<String> {
        let cause = group.smallest.shape.as_ref()?.cause.as_ref()?;
        Some(cause.to_string())
    }

    /// Returns the other sentences that fail by the cause of a group: the shape of each, or its text if it has no
    /// shape.
    pub fn variants(&self, group: &FaultGroup) -> Vec<String> {
        let mut shapes: Vec<String> = Vec::new();
        for (_, smallest) in &group.variants {
            let shape = smallest.shape.as_ref().map(ToString::to_string);
            let text = || {
                String::from_utf8_lossy(smallest.text.as_deref().unwrap_or_default()).into_owned()
            };
            let shape = shape.unwrap_or_else(text);
            if !shapes.contains(&shape) {
                shapes.push(shape);
            }
        }
        shapes
    }

    /// Returns the notes on a group: that there is no stack, which function calls a dependency that fails, that the
    /// input reproduces the fault, which groups are similar, and which recorded texts ran.
    pub fn notes(&self, number: usize) -> Vec<String> {
        let group = &self.groups[number - 1];
        let mut notes = Vec::new();
        let has_stack = !["time-out", "disagreement"].contains(&&*group.fault.kind);
        if group.fault.frames.is_empty() && has_stack {
            notes.push(
                "The program printed no stack. A build with AddressSanitizer and debug information prints one.".into(),
            );
        }
        if let (Some(_), FaultLocation::Frame(at)) = (&group.fault.origin, &group.fault.location) {
            let location = match source(at) {
                location if location.is_empty() => String::new(),
                location => format!(" at {location}"),
            };
            let function = &at.function;
            notes.push(format!(
                "The program under test calls this dependency in {function}{location}."
            ));
        }
        if self.page.is_none() && group.smallest.is_reproduced_by_text {
            notes.push("A file with the input above fails in the same way.".into());
        }
        if !group.similar.is_empty() {
            let numbers: Vec<String> = group.similar.iter().map(usize::to_string).collect();
            notes.push(format!(
                "The stack is similar to that of fault {}.",
                numbers.join(", ")
            ));
        }
        for artifact in self.artifacts(group) {
            notes.extend(record_note(artifact));
        }
        notes
    }

    /// Returns the stack of a group, one line for each frame.
    pub fn stack(&self, group: &FaultGroup) -> Vec<String> {
        let frames = &group.fault.frames;
        let shown = frames.iter().take(FRAMES).enumerate();
        let mut lines: Vec<String> = shown
            .map(|(at, frame)| format!("#{at} {} {}", frame.function, source(frame)))
            .map(|line| line.trim_end().to_owned())
            .collect();
        if frames.len() > FRAMES {
            lines.push(format!("… {} more", frames.len() - FRAMES));
        }
        lines
    }
}

/// Returns the path of the text of a group beside a page.
pub fn text_file(page: &Path, number: usize) -> PathBuf {
    let stem = page.file_stem().unwrap_or_default().to_string_lossy();
    page.with_file_name(format!("{stem}-{number}.txt"))
}

/// Returns the source file, the line and the column of the location of a group, if there is one.
pub fn source_location(group: &FaultGroup) -> Option<(&str, u32, u32)> {
    match &group.fault.location {
        FaultLocation::Frame(at) if !at.file.is_empty() => {
            Some((local_path(at), at.line, at.column))
        }
        _ => None,
    }
}

/// Returns the note on an artifact whose recorded text ran.
pub fn record_note(artifact: &Tested) -> Option<String> {
    let ArtifactSource::Record(record) = &artifact.source else {
        return None;
    };
    Some(format!(
        "{} was written with another grammar. The text that it had then was run: {}",
        shown(&artifact.path),
        shown(record)
    ))
}
