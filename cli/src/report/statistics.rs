//! Reads the statistics files of fuzz targets (`ZESTER_STATS=FILE`).
//!
//! A file has one JSON object a line. Each start of the fuzz target appends a line with the version
//! of the format, and then lines with figures since that start. The starts in a file are parts of
//! one campaign, so the figures of a start are added to those of the starts before it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::input::read;
use crate::printable::printable;
use crate::problem::Problem;

/// The versions of the format that are read.
const VERSIONS: [u64; 2] = [2, 3];

/// The maximum count. Sums of counts of many starts do not overflow, and figures with fractions are exact.
const MAX_COUNT: u64 = 1 << 48;

/// The maximum number with a fraction: a time in seconds, or a mean length in bytes.
const MAX_NUMBER: f64 = 1e10;

/// The beginning of the first line of a start.
const START: &str = "{\"zester_statistics\":";

/// A fuzzing campaign: the content of a statistics file.
#[derive(Default)]
pub struct RecordedCampaign {
    /// The name of the campaign on the page.
    pub name: String,
    /// The target, corpus directories and prefix of artifacts of the last start that has them.
    pub target: Option<PathBuf>,
    pub corpus: Vec<PathBuf>,
    pub artifacts: Option<String>,
    /// The time of the first start in seconds since 1970.
    pub started: u64,
    pub starts: usize,
    /// The figures over time. Times and counts do not decrease.
    pub points: Vec<CampaignFigures>,
    /// The size of the corpus over time: seconds, and the number of inputs.
    pub inputs: Vec<(f64, f64)>,
    pub mutators: BTreeMap<String, MutatorCounts>,
    /// The number of failures by signature.
    pub failures: BTreeMap<String, u64>,
    /// The number of executions that failed in a way that was known to `zester fuzz`.
    pub known: u64,
}

/// The figures of a campaign at a time.
#[derive(Clone, Copy, Default)]
pub struct CampaignFigures {
    /// The time that the campaign has run.
    pub seconds: f64,
    pub executions: u64,
    pub valid: u64,
    pub invalid: u64,
    /// The executions of inputs that the corpus already had. [`None`] if the target does not count
    /// them.
    pub replayed: Option<u64>,
    pub edges: u64,
    pub valid_edges: u64,
    pub counters: u64,
    /// The length of all sentences together in bytes.
    pub bytes: f64,
}

/// The counts of a mutator.
#[derive(Clone, Copy, Default)]
pub struct MutatorCounts {
    pub tried: u64,
    pub changed: u64,
    pub found: u64,
    pub kept: u64,
}

impl RecordedCampaign {
    /// Reads a statistics file.
    ///
    /// # Errors
    /// If it cannot be read, if it does not begin with the line of a start, if a line in it is not
    /// JSON, or if a figure is no number from 0 to a maximum. A last line that was cut is left out, because a process may have been killed while it
    /// wrote the line.
    pub fn read(path: &Path) -> Result<RecordedCampaign, Problem> {
        let bytes = read(path, u64::MAX)?;
        let text = String::from_utf8_lossy(&bytes);
        RecordedCampaign::parse(&text).map_err(|what| Problem::with(path, what))
    }

    fn parse(text: &str) -> Result<RecordedCampaign, String> {
        let lines: Vec<(usize, &str)> = (1..)
            .zip(text.lines())
            .filter(|(_, line)| !line.trim().is_empty())
            .collect();
        let mut reader = Reader::default();
        for (at, &(number, line)) in lines.iter().enumerate() {
            let is_last = at + 1 == lines.len();
            match object(line) {
                Some(object) => reader
                    .add(&object)
                    .map_err(|what| format!("line {number}: {what}"))?,
                None if is_last && reader.campaign.starts > 0 => {}
                None if reader.campaign.starts == 0 => return Err(NO_STATISTICS.into()),
                None => return Err(format!("line {number} is no JSON object")),
            }
        }
        reader.finish_start();
        match reader.campaign.starts {
            0 => Err(NO_STATISTICS.into()),
            _ => Ok(reader.campaign),
        }
    }

    /// Returns the figures at the end.
    pub fn last(&self) -> CampaignFigures {
        self.points.last().copied().unwrap_or_default()
    }

    /// Returns the executions a second that neither replayed the corpus nor failed in a way that was
    /// known, or [`None`] if the target does not count replays.
    pub fn useful_per_second(&self) -> Option<f64> {
        let last = self.last();
        let useful = last
            .executions
            .saturating_sub(last.replayed?.saturating_add(self.known));
        Some(useful as f64 / last.seconds.max(1e-3))
    }
}

/// The message for a file of another format.
const NO_STATISTICS: &str = "is no statistics file; a fuzz target writes one if it is started with ZESTER_STATS=FILE, and its first line \
                             begins with {\"zester_statistics\":";

/// Parses a line. A line may begin with the part of a line of a process that was killed while it
/// wrote. That part is left out.
fn object(line: &str) -> Option<Value> {
    let parse = |text: &str| serde_json::from_str(text).ok().filter(Value::is_object);
    parse(line).or_else(|| parse(&line[line.rfind(START)?..]))
}

/// Adds up the figures of the starts in a file.
#[derive(Default)]
struct Reader {
    campaign: RecordedCampaign,
    /// The sum of the figures of the earlier starts.
    base: CampaignFigures,
    /// The last time of this start in seconds, also of lines without figures.
    seconds: f64,
    /// The counts of this start.
    mutators: BTreeMap<String, MutatorCounts>,
    failures: BTreeMap<String, u64>,
    known: u64,
}

impl Reader {
    fn add(&mut self, line: &Value) -> Result<(), String> {
        if let Some(version) = line.get("zester_statistics") {
            return self.add_start(line, version);
        }
        if self.campaign.starts == 0 {
            return Err(NO_STATISTICS.into());
        }
        if let Some(campaign) = line.get("campaign") {
            self.add_campaign(campaign)?;
        } else if line.get("seconds").is_some() {
            self.add_figures(line)?;
        }
        // Lines of other kinds may come with later versions of the format.
        Ok(())
    }

    fn add_start(&mut self, line: &Value, version: &Value) -> Result<(), String> {
        if !version
            .as_u64()
            .is_some_and(|version| VERSIONS.contains(&version))
        {
            return Err(format!(
                "version {version} of the format of statistics; this zester reads the versions 2 and 3"
            ));
        }
        self.finish_start();
        let campaign = &mut self.campaign;
        if campaign.starts == 0 {
            campaign.started = count(line, "started")?;
        }
        campaign.starts += 1;
        let text = |name: &str| line.get(name).and_then(Value::as_str);
        if let Some(target) = text("target") {
            campaign.target = Some(target.into());
        }
        if let Some(artifacts) = text("artifacts") {
            campaign.artifacts = Some(artifacts.into());
        }
        if let Some(corpus) = line.get("corpus").and_then(Value::as_array) {
            campaign.corpus = corpus
                .iter()
                .filter_map(Value::as_str)
                .map(PathBuf::from)
                .collect();
        }
        Ok(())
    }

    fn add_figures(&mut self, line: &Value) -> Result<(), String> {
        let count = |name: &str| count(line, name);
        let (seconds, executions) = (number(line, "seconds")?, count("executions")?);
        self.seconds = self.seconds.max(seconds);
        let (base, last) = (&self.base, self.campaign.last());
        let replayed = line.get("replayed").map(|_| count("replayed"));
        let replayed = replayed.transpose()?;
        self.campaign.points.push(CampaignFigures {
            seconds: (base.seconds + seconds).max(last.seconds),
            executions: base
                .executions
                .saturating_add(executions)
                .max(last.executions),
            valid: base.valid.saturating_add(count("valid")?),
            invalid: base.invalid.saturating_add(count("invalid")?),
            replayed: replayed
                .map(|replayed| base.replayed.unwrap_or(0).saturating_add(replayed))
                .or(base.replayed),
            edges: last.edges.max(count("edges")?),
            valid_edges: last.valid_edges.max(count("valid_edges")?),
            counters: last.counters.max(count("counters")?),
            bytes: base.bytes + number(line, "mean_sentence_bytes")? * executions as f64,
        });
        if let Some(mutators) = line.get("mutators").and_then(Value::as_object) {
            self.mutators = mutators
                .iter()
                .map(|(name, counts)| Ok((name.clone(), MutatorCounts::of(counts)?)))
                .collect::<Result<_, String>>()?;
        }
        Ok(())
    }

    fn add_campaign(&mut self, line: &Value) -> Result<(), String> {
        let seconds = number(line, "seconds")?;
        self.seconds = self.seconds.max(seconds);
        if line.get("inputs").is_some() {
            let time = self.base.seconds + seconds;
            self.campaign
                .inputs
                .push((time, count(line, "inputs")? as f64));
        }
        self.known = count(line, "known")?;
        if let Some(failures) = line.get("failures") {
            let names = failures.as_object().into_iter().flatten();
            self.failures = names
                .map(|(name, _)| Ok((name.clone(), count(failures, name)?)))
                .collect::<Result<_, String>>()?;
        }
        Ok(())
    }

    /// Adds the figures of the start that ends here to those of the campaign.
    fn finish_start(&mut self) {
        let seconds = self.base.seconds + std::mem::take(&mut self.seconds);
        self.base = CampaignFigures {
            seconds,
            ..self.campaign.last()
        };
        for (name, counts) in std::mem::take(&mut self.mutators) {
            self.campaign.mutators.entry(name).or_default().add(counts);
        }
        for (name, count) in std::mem::take(&mut self.failures) {
            let sum = self.campaign.failures.entry(name).or_default();
            *sum = sum.saturating_add(count);
        }
        let known = std::mem::take(&mut self.known);
        self.campaign.known = self.campaign.known.saturating_add(known);
    }
}

impl MutatorCounts {
    fn of(counts: &Value) -> Result<MutatorCounts, String> {
        Ok(MutatorCounts {
            tried: count(counts, "tried")?,
            changed: count(counts, "changed")?,
            found: count(counts, "found")?,
            kept: count(counts, "kept")?,
        })
    }

    fn add(&mut self, other: MutatorCounts) {
        for (sum, count) in [
            (&mut self.tried, other.tried),
            (&mut self.changed, other.changed),
            (&mut self.found, other.found),
            (&mut self.kept, other.kept),
        ] {
            *sum = sum.saturating_add(count);
        }
    }

    /// Returns the number of times that the mutator found something, for each 1,000 tries.
    pub fn found_per_thousand(&self) -> f64 {
        1e3 * self.found as f64 / self.tried.max(1) as f64
    }
}

/// Returns a count of an object, or 0 if it has none.
fn count(object: &Value, name: &str) -> Result<u64, String> {
    let Some(value) = object.get(name) else {
        return Ok(0);
    };
    let count = value.as_u64().filter(|count| *count <= MAX_COUNT);
    count.ok_or_else(|| {
        wrong(
            name,
            value,
            &format!("a whole number from 0 to {MAX_COUNT}"),
        )
    })
}

/// Returns a number of an object, or 0 if it has none.
fn number(object: &Value, name: &str) -> Result<f64, String> {
    let Some(value) = object.get(name) else {
        return Ok(0.0);
    };
    let number = value
        .as_f64()
        .filter(|number| (0.0..=MAX_NUMBER).contains(number));
    number.ok_or_else(|| wrong(name, value, &format!("a number from 0 to {MAX_NUMBER}")))
}

/// Describes a figure that no fuzz target writes.
fn wrong(name: &str, value: &Value, expected: &str) -> String {
    format!(
        "{} is {}, where {expected} is expected",
        printable(name),
        printable(&value.to_string())
    )
}

impl CampaignFigures {
    pub fn executions_per_second(&self) -> f64 {
        self.executions as f64 / self.seconds.max(1e-3)
    }

    /// Returns the share of valid sentences, or [`None`] if the target reports no validity.
    pub fn valid_share(&self) -> Option<f64> {
        (self.valid > 0 || self.invalid > 0).then(|| self.share(self.valid))
    }

    /// Returns the share of executions of inputs that the corpus already had.
    pub fn replayed_share(&self) -> Option<f64> {
        self.replayed.map(|replayed| self.share(replayed))
    }

    pub fn mean_bytes(&self) -> f64 {
        self.bytes / self.executions.max(1) as f64
    }

    fn share(&self, count: u64) -> f64 {
        count as f64 / self.executions.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START_2: &str = "{\"zester_statistics\":2,\"started\":9,\"process\":1}\n";

    #[test]
    fn a_line_after_a_cut_line_is_read() {
        let text = format!(
            "{START_2}{{\"seconds\":2.0,\"executions\":5,\"edges\":7}}\n{{\"seconds\":4.0,\"exec{START_2}{{\"seconds\":1.0,\
             \"executions\":3,\"edges\":6}}\n"
        );
        let campaign = RecordedCampaign::parse(&text).ok().unwrap();
        let last = campaign.last();
        assert_eq!(
            (campaign.starts, last.seconds, last.executions, last.edges),
            (2, 3.0, 8, 7)
        );
    }

    #[test]
    fn other_files_are_refused() {
        for text in ["", "\n", "x", "{\"seconds\":1}\n", "[1]"] {
            let what = RecordedCampaign::parse(text).err().unwrap();
            assert!(what.contains("is no statistics file"), "{text}: {what}");
        }
        let what = RecordedCampaign::parse(&format!("{START_2}x\n{START_2}"))
            .err()
            .unwrap();
        assert_eq!(what, "line 2 is no JSON object");
    }

    #[test]
    fn figures_that_no_target_writes_are_refused() {
        for (line, expected) in [
            (
                r#"{"seconds":-1.5}"#,
                "seconds is -1.5, where a number from 0 to",
            ),
            (r#"{"seconds":1e300}"#, "seconds is 1e+300, where"),
            (r#"{"seconds":"1"}"#, "seconds is \"1\", where"),
            (
                r#"{"seconds":1,"executions":-3}"#,
                "executions is -3, where a whole number from 0",
            ),
            (
                r#"{"seconds":1,"valid":18446744073709551615}"#,
                "valid is 18446744073709551615, where",
            ),
            (
                r#"{"seconds":1,"replayed":null}"#,
                "replayed is null, where",
            ),
            (
                r#"{"seconds":1,"mean_sentence_bytes":-0.1}"#,
                "mean_sentence_bytes is -0.1, where",
            ),
            (
                r#"{"seconds":1,"mutators":{"swap":{"tried":1.5}}}"#,
                "tried is 1.5, where",
            ),
            (r#"{"campaign":{"inputs":-1}}"#, "inputs is -1, where"),
            (
                r#"{"campaign":{"failures":{"panic":-2}}}"#,
                "panic is -2, where",
            ),
        ] {
            let what = RecordedCampaign::parse(&format!("{START_2}{line}\n"));
            let what = what.err().unwrap_or_default();
            assert!(
                what.starts_with(&format!("line 2: {expected}")),
                "{line}: {what}"
            );
        }
        let what = RecordedCampaign::parse(&format!("{START_2}{{\"seconds\":NaN}}\n{START_2}"));
        assert_eq!(what.err().unwrap(), "line 2 is no JSON object");
    }
}
