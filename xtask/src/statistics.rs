//! The statistics that a fuzz target appends to the file of ZESTER_STATS: a line of JSON at the
//! start of a run, and another one every two seconds.

use std::fmt::{self, Display, Formatter};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The version of the format, in the first line of each run (`src/hooks/statistics.rs`).
const VERSION: u64 = 3;

/// One line: the totals of a campaign up to that time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Seconds since the start.
    pub seconds: f64,
    /// The number of executed sentences.
    pub executions: f64,
    /// The number of valid sentences.
    pub valid: f64,
    /// The number of invalid sentences.
    pub invalid: f64,
    /// The number of covered edges.
    pub edges: f64,
    /// The number of edges that valid sentences cover.
    pub valid_edges: f64,
    /// The bytes of text of all sentences.
    pub bytes: f64,
}

impl Statistics {
    fn parse(line: &str) -> Result<Self> {
        let value: Value =
            serde_json::from_str(line).with_context(|| format!("no line of statistics: {line}"))?;
        let number = |key: &str| {
            value[key]
                .as_f64()
                .with_context(|| format!("no number `{key}` in {line}"))
        };
        Ok(Self {
            seconds: number("seconds")?,
            executions: number("executions")?,
            valid: number("valid")?,
            invalid: number("invalid")?,
            edges: number("edges")?,
            valid_edges: number("valid_edges")?,
            bytes: number("mean_sentence_bytes")? * number("executions")?,
        })
    }

    /// Reads the lines of the last run in a file. A last line that was cut short, because the
    /// process was killed, is ignored.
    ///
    /// # Errors
    /// If the file cannot be read, if a line is no statistics, or if the run has another version of
    /// the format.
    pub fn lines(file: &Path) -> Result<Vec<Self>> {
        let text =
            fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let mut lines = Vec::new();
        for line in text
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'))
        {
            let value: Value = serde_json::from_str(line)
                .with_context(|| format!("no line of statistics: {line}"))?;
            match value.get("zester_statistics") {
                Some(version) => {
                    ensure!(
                        *version == VERSION,
                        "{}: statistics of version {version} instead of {VERSION}",
                        file.display()
                    );
                    lines.clear();
                }
                // A line of `zester fuzz` about the campaign as a whole.
                None if value.get("campaign").is_some() => (),
                None => lines.push(Self::parse(line)?),
            }
        }
        Ok(lines)
    }

    /// Reads the last line of a file: the totals of its last run.
    pub fn last(file: &Path) -> Result<Self> {
        Self::lines(file)?
            .pop()
            .with_context(|| format!("{} has no statistics", file.display()))
    }

    /// Returns the totals of all runs of a campaign: the sum of the last lines of `stats.0`,
    /// `stats.1`, … in its directory.
    ///
    /// Seconds, executions, outcomes and bytes are sums; the edges are those of the last run.
    pub fn total(directory: &Path) -> Result<Self> {
        let mut total = Self::default();
        for file in Self::files(directory)? {
            // A run that crashed at once wrote no statistics.
            let Ok(last) = Self::last(&file) else {
                continue;
            };
            total.seconds += last.seconds;
            total.executions += last.executions;
            total.valid += last.valid;
            total.invalid += last.invalid;
            total.bytes += last.bytes;
            (total.edges, total.valid_edges) = (last.edges, last.valid_edges);
        }
        Ok(total)
    }

    /// Returns the statistics files of a campaign's directory, in the order of its runs.
    pub fn files(directory: &Path) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(directory)
            .with_context(|| format!("cannot read {}", directory.display()))?
        {
            let path = entry?.path();
            let number = path
                .file_name()
                .and_then(|name| name.to_str()?.strip_prefix("stats.")?.parse::<u64>().ok());
            files.extend(number.map(|number| (number, path)));
        }
        files.sort();
        Ok(files.into_iter().map(|(_, path)| path).collect())
    }

    /// Returns the mean size of a sentence in bytes.
    pub fn mean_bytes(&self) -> f64 {
        self.bytes / self.executions.max(1.0)
    }
}

impl Display for Statistics {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            seconds,
            executions,
            valid,
            edges,
            valid_edges,
            ..
        } = self;
        write!(
            formatter,
            "{executions} executions in {seconds:.1} s, {valid} valid; {edges} edges, {valid_edges} by valid sentences"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"seconds":2.0,"executions":10,"valid":4,"invalid":6,"unknown":0,"edges":30,"valid_edges":20,"mean_sentence_bytes":12.5}"#;

    #[test]
    fn lines_are_read_and_summed() {
        let directory = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: String| fs::write(directory.path().join(name), text).unwrap();
        write(
            "stats.0",
            format!("{LINE}\n{}\n", LINE.replace("10", "100")),
        );
        write("stats.10", format!("{LINE}\n{{\"seconds\":3"));
        write("stats.2", String::new());
        write("other", String::new());
        let files = Statistics::files(directory.path()).unwrap();
        let names: Vec<_> = files
            .iter()
            .map(|file| file.file_name().unwrap().to_str().unwrap())
            .collect();
        assert_eq!(names, ["stats.0", "stats.2", "stats.10"]);
        let total = Statistics::total(directory.path()).unwrap();
        assert_eq!(
            (total.seconds, total.executions, total.valid, total.bytes),
            (4.0, 110.0, 8.0, 1375.0)
        );
        assert_eq!(total.mean_bytes(), 12.5);
    }

    #[test]
    fn the_last_run_of_a_file_counts() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("stats");
        let start = r#"{"zester_statistics":3,"started":1764016483,"process":7}"#;
        fs::write(
            &file,
            format!(
                "{start}\n{LINE}\n{LINE}\n{start}\n{}\n",
                LINE.replace("10", "100")
            ),
        )
        .unwrap();
        let lines = Statistics::lines(&file).unwrap();
        assert_eq!((lines.len(), lines[0].executions), (1, 100.0));
        fs::write(&file, format!("{LINE}\n{start}\n")).unwrap();
        assert!(Statistics::last(&file).is_err());
        fs::write(&file, "{\"zester_statistics\":2}\n").unwrap();
        assert!(
            Statistics::lines(&file)
                .unwrap_err()
                .to_string()
                .contains("statistics of version 2 instead of 3")
        );
    }

    #[test]
    fn what_is_no_statistics_is_an_error() {
        assert!(
            Statistics::parse("{}")
                .unwrap_err()
                .to_string()
                .contains("no number `seconds`")
        );
        assert!(Statistics::parse("x").is_err());
    }
}
