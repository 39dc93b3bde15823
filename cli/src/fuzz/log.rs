//! Parses what a process of libFuzzer prints, and keeps the last lines.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::printable::is_control;

/// The maximum number of lines that are kept.
const MAX_LINES: usize = 200;

/// The maximum length of a line in bytes. A longer one is split.
const MAX_LINE: u64 = 4096;

/// The output of a process so far.
#[derive(Debug, Default)]
pub struct WorkerLog {
    /// The last lines, without line ends.
    lines: VecDeque<String>,
    /// The time at which libFuzzer had run the inputs of the corpus.
    pub corpus_read: Option<Instant>,
    /// Whether libFuzzer said that it ends because its time is over, its runs are done, or somebody
    /// asked for it.
    pub is_done: bool,
    /// The artifact of the failure that ended the process.
    pub artifact: Option<PathBuf>,
    /// The artifacts of panics after which the process went on, each with the number of panics at its
    /// location since the artifact before it.
    pub panics: Vec<(PathBuf, u64)>,
    /// The failures after which a checkpoint of the process went on: the artifact, if there is one, and
    /// how the process ended.
    pub ended: Vec<(Option<PathBuf>, String)>,
    /// The slowest input: its time in seconds, and its artifact.
    pub slowest: Option<(u64, PathBuf)>,
    /// The messages of zester in the process at its start, for example that the corpus was converted.
    pub said: Vec<String>,
    /// Whether the last line belongs to `said`.
    is_in_news: bool,
    /// The number of panics that the next artifact stands for.
    panicked: u64,
    /// The time in seconds of the slow input whose artifact is written next.
    slow: Option<u64>,
}

impl WorkerLog {
    pub fn add(&mut self, line: String) {
        // A message may go on in the next lines, which are indented.
        self.is_in_news = is_news(&line) || self.is_in_news && line.starts_with("  ");
        if self.is_in_news {
            self.said.push(line.clone());
        } else if line.starts_with('#') && line.contains("INITED") {
            self.corpus_read = Some(Instant::now());
        } else if let Some(rest) = line.strip_prefix("Slowest unit: ") {
            self.slow = rest.split(' ').next().and_then(|time| time.parse().ok());
        } else if let Some((_, path)) = line.split_once("Test unit written to ") {
            self.add_artifact(Path::new(path));
        } else if let Some(path) = line.strip_prefix("zester: the input of this failure is in ") {
            self.panics.push((path.into(), self.panicked));
        } else if let Some(rest) =
            line.strip_prefix("zester: failures here since the last message: ")
        {
            let count = rest.split(':').next().and_then(|count| count.parse().ok());
            self.panicked = count.unwrap_or(1);
        } else if let Some(path) = line.strip_prefix("zester: the input is in ") {
            self.artifact = Some(path.into());
        } else if let Some(how) = line
            .strip_prefix("zester: a process ")
            .and_then(|rest| rest.strip_suffix(", and its checkpoint goes on"))
        {
            self.ended.push((self.artifact.take(), how.into()));
        } else if line.starts_with("Done ") && line.contains(" runs in ")
            || line.ends_with("libFuzzer: exiting as requested")
        {
            self.is_done = true;
        }
        if self.lines.len() == MAX_LINES {
            self.lines.pop_front();
        }
        self.lines.push_back(line);
    }

    fn add_artifact(&mut self, path: &Path) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match self.slow.take() {
            Some(time) if name.contains("slow-unit-") => self.slowest = Some((time, path.into())),
            _ => self.artifact = Some(path.into()),
        }
    }

    /// Returns the last lines, without those of libFuzzer that come at every start.
    pub fn end(&self, count: usize) -> String {
        let is_said = |line: &&String| {
            !line.starts_with("INFO: ") && !line.starts_with("WARNING: Failed to find function")
        };
        let lines: Vec<&String> = self.lines.iter().filter(is_said).collect();
        let first = lines.len().saturating_sub(count);
        let lines = lines[first..].iter();
        lines.map(|line| format!("  {line}\n")).collect()
    }
}

/// Returns whether a line is a message of zester about the start of the process: a warning, the number
/// of seeds, or a conversion.
fn is_news(line: &str) -> bool {
    ["zester: WARNING: ", "INFO: zester: seeds of "]
        .iter()
        .any(|start| line.starts_with(start))
        || line.starts_with("zester: ") && line.contains(" inputs were converted")
}

/// Reads the output of a process to its end, and calls a function with each line. Bytes that are
/// not UTF-8 and control characters are replaced.
pub fn read_lines(output: impl Read, mut add: impl FnMut(String)) {
    let (mut reader, mut line) = (BufReader::new(output), Vec::new());
    loop {
        line.clear();
        match reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let text = String::from_utf8_lossy(&line);
                let text = text.trim_end_matches(['\n', '\r']);
                add(text.replace(is_control, "\u{fffd}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_libfuzzer_are_understood() {
        let mut log = WorkerLog::default();
        let text = "INFO: Seed: 1\n#3\tINITED cov: 5 ft: 6 corp: 1/1b\nSlowest unit: 3 s:\n\
                    zester: WARNING: a\n  more\nzester: 3 sentences executed\n\
                    artifact_prefix='a b/'; Test unit written to a b/slow-unit-1\n\
                    artifact_prefix='a b/'; Test unit written to a b/crash-2\nlast\x1b[31m\n";
        read_lines(text.as_bytes(), |line| log.add(line));
        assert!(log.corpus_read.is_some());
        assert_eq!(log.said, ["zester: WARNING: a", "  more"]);
        assert_eq!(log.slowest, Some((3, "a b/slow-unit-1".into())));
        assert_eq!(log.artifact, Some("a b/crash-2".into()));
        assert!(!log.is_done);
        log.add("zester: the input is in a b/crash-3".into());
        assert_eq!(log.artifact, Some("a b/crash-3".into()));
        log.add("zester: failures here since the last message: 7: panicked at a:1:2".into());
        log.add("zester: the input of this failure is in a b/crash-4".into());
        assert_eq!(log.artifact, Some("a b/crash-3".into()));
        assert_eq!(log.panics, [(PathBuf::from("a b/crash-4"), 7)]);
        log.add("zester: a process ended with status 77, and its checkpoint goes on".into());
        log.add("zester: a process ended by signal 9, and its checkpoint goes on".into());
        let crash = Some(PathBuf::from("a b/crash-3"));
        let ended = [(crash, "ended with status 77"), (None, "ended by signal 9")];
        assert_eq!(
            log.ended,
            ended.map(|(artifact, how)| (artifact, how.into()))
        );
        assert_eq!(log.artifact, None);
        for line in [
            "Done 7 runs in 1 second(s)",
            "==7== INFO: libFuzzer: exiting as requested",
        ] {
            let mut log = WorkerLog::default();
            log.add(line.into());
            assert!(log.is_done, "{line}");
        }
        log.add("last\u{fffd}[31m".into());
        assert_eq!(log.end(1), "  last\u{fffd}[31m\n");
        assert!(!log.end(100).contains("Seed"));
        (0..1000).for_each(|at| log.add(at.to_string()));
        assert_eq!(log.end(MAX_LINES + 1).lines().count(), MAX_LINES);
    }
}
