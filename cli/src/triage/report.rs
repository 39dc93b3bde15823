//! What a report says about each group, whatever its format.

use std::path::{Path, PathBuf};

use super::artifact::{Source, Tested};
use super::groups::Group;
use crate::fault::{Place, local_path, source};
use crate::problem::shown;

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
    pub groups: &'a [Group],
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
    pub fn artifacts(&self, group: &Group) -> Vec<&Tested> {
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
            (None, Source::Parameters) => (first.path.clone(), " --parameters"),
            (None, Source::Text) => (first.path.clone(), ""),
            (None, Source::Record(record)) => (record.clone(), ""),
        };
        format!(
            "zester run {} {}{option}",
            quoted(self.target),
            quoted(&path)
        )
    }

    /// Returns the notes on a group: what was done to its smallest input, and similar groups.
    pub fn notes(&self, number: usize) -> Vec<String> {
        let group = &self.groups[number - 1];
        let mut notes = Vec::new();
        if group.fault.frames.is_empty() && group.fault.kind != "time-out" {
            notes.push(
                "The program printed no stack. A build with AddressSanitizer and debug information prints one.".into(),
            );
        }
        if let (Some(_), Place::Frame(at)) = (&group.fault.origin, &group.fault.place) {
            notes.push(format!(
                "The program under test calls this dependency in {} at {}.",
                at.function,
                source(at)
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
    pub fn stack(&self, group: &Group) -> Vec<String> {
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

/// Returns the source file, the line and the column of the place of a group, if there is one.
pub fn place(group: &Group) -> Option<(&str, u32, u32)> {
    match &group.fault.place {
        Place::Frame(at) if !at.file.is_empty() => Some((local_path(at), at.line, at.column)),
        _ => None,
    }
}

/// Returns the note on an artifact whose recorded text ran.
pub fn record_note(artifact: &Tested) -> Option<String> {
    let Source::Record(record) = &artifact.source else {
        return None;
    };
    Some(format!(
        "{} was written with another grammar. The text that it had then was run: {}",
        shown(&artifact.path),
        shown(record)
    ))
}

/// Returns a number with a noun.
pub fn counted(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        number => format!("{number} {noun}s"),
    }
}

/// Returns whether all bytes of a text show in a page: it is UTF-8 without control characters except
/// line breaks and tabs.
pub fn is_visible(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| {
        text.chars()
            .all(|char| char == '\n' || char == '\t' || !char.is_control())
    })
}

/// Returns a command of the shell that prints any bytes.
pub fn printf(text: &[u8]) -> String {
    let mut format = String::new();
    for &byte in text {
        match byte {
            b'%' => format.push_str("%%"),
            b' '..=b'~' if !matches!(byte, b'\\' | b'\'') => format.push(byte.into()),
            byte => format.push_str(&format!("\\{byte:03o}")),
        }
    }
    format!("printf '{format}' > FILE")
}

/// Returns a path as a word of the shell.
pub fn quoted(path: &Path) -> String {
    let text = shown(path);
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=@:,".contains(c);
    match !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        true => text,
        false if text.starts_with('-') => format!("'./{}'", text.replace('\'', "'\\''")),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shell_gets_the_path_and_the_bytes() {
        assert_eq!(quoted(Path::new("a/crash-1")), "a/crash-1");
        assert_eq!(quoted(Path::new("my 'x'")), "'my '\\''x'\\'''");
        assert_eq!(quoted(Path::new("-x")), "'./-x'");
        let text = b"50% \\n'\x00\xFF7\n";
        let command = printf(text).replace(" > FILE", "");
        let output = std::process::Command::new("sh")
            .args(["-c", &command])
            .output()
            .unwrap();
        assert_eq!(output.stdout, text);
        assert!(is_visible("é\n\tx".as_bytes()) && !is_visible(b"\x1b[3m") && !is_visible(b"\xff"));
    }
}
