//! The figures of a campaign: reads the lines that its processes append to the file of statistics.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde_json::Value;

/// The figures of a campaign at one time, as a line of the file has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveFigures {
    /// Seconds since the campaign began.
    pub seconds: f64,
    pub executions: u64,
    pub valid: u64,
    pub unknown: u64,
    pub edited: u64,
    pub replayed: u64,
    /// Executions that panicked, after which the process went on.
    pub panicked: u64,
    pub edges: u64,
    pub valid_edges: u64,
    pub counters: u64,
    /// The mean length of a sentence in bytes.
    pub length: f64,
    /// The mutators, with the number of new edges that each has found.
    pub found: Vec<(String, u64)>,
}

impl LiveFigures {
    /// Reads a line. Returns [`None`] if it has no figures.
    fn parse(line: &[u8]) -> Option<LiveFigures> {
        let line: Value = serde_json::from_slice(line).ok()?;
        let count = |name: &str| line[name].as_u64().unwrap_or(0);
        let mutators = line["mutators"].as_object()?;
        let found = mutators
            .iter()
            .map(|(name, counts)| (name.clone(), counts["found"].as_u64().unwrap_or(0)));
        Some(LiveFigures {
            seconds: line["seconds"].as_f64()?,
            executions: line["executions"].as_u64()?,
            valid: count("valid"),
            unknown: count("unknown"),
            edited: count("edited"),
            replayed: count("replayed"),
            panicked: count("panicked"),
            edges: count("edges"),
            valid_edges: count("valid_edges"),
            counters: count("counters"),
            length: line["mean_sentence_bytes"].as_f64().unwrap_or(0.0),
            found: found.collect(),
        })
    }

    /// Returns a count as a share of the executions, in percent.
    pub fn percent(&self, count: u64) -> f64 {
        100.0 * count as f64 / self.executions.max(1) as f64
    }
}

/// Reads the lines that are appended to a file.
#[derive(Debug)]
pub struct Tail {
    file: File,
    /// The beginning of a line whose end has not been written.
    rest: Vec<u8>,
}

impl Tail {
    /// Opens a file, which is made if it is missing. Reads only what is appended from now on. Locks
    /// the file, so that the figures of another campaign do not get between those of this one.
    ///
    /// # Errors
    /// If the file cannot be opened, or if another campaign has locked it.
    pub fn open(path: &Path) -> std::io::Result<Tail> {
        File::options().create(true).append(true).open(path)?;
        let mut file = File::open(path)?;
        flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|error| match error {
            Errno::WOULDBLOCK => std::io::Error::other(
                "another campaign writes to this file; -j N gives one campaign more processes",
            ),
            error => error.into(),
        })?;
        file.seek(SeekFrom::End(0))?;
        Ok(Tail {
            file,
            rest: Vec::new(),
        })
    }

    /// Returns the figures of the lines that were appended since the last call, the oldest first.
    pub fn read(&mut self) -> std::io::Result<Vec<LiveFigures>> {
        self.file.read_to_end(&mut self.rest)?;
        let end = self.rest.iter().rposition(|&byte| byte == b'\n');
        let Some(end) = end else {
            return Ok(Vec::new());
        };
        let lines = self.rest[..end].split(|&byte| byte == b'\n');
        let figures = lines.filter_map(LiveFigures::parse).collect();
        self.rest.drain(..=end);
        Ok(figures)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn lines_are_read_when_they_are_complete() {
        let work = tempfile::tempdir().unwrap();
        let path = work.path().join("a.stats");
        std::fs::write(
            &path,
            "{\"seconds\":1.0,\"executions\":7,\"mutators\":{}}\n",
        )
        .unwrap();
        let mut tail = Tail::open(&path).unwrap();
        assert!(
            Tail::open(&path)
                .unwrap_err()
                .to_string()
                .contains("another campaign")
        );
        assert_eq!(tail.read().unwrap(), []);
        let mut file = File::options().append(true).open(&path).unwrap();
        file.write_all(b"{\"zester_statistics\":3}\nno line\n{\"seconds\":2.0,")
            .unwrap();
        assert_eq!(tail.read().unwrap(), []);
        file.write_all(b"\"executions\":9,\"valid\":3,\"mutators\":{\"splice\":{\"found\":2}}}\n{")
            .unwrap();
        let read = tail.read().unwrap();
        assert_eq!((read.len(), read[0].executions), (1, 9));
        assert_eq!(read[0].found, [("splice".to_string(), 2)]);
        assert!((read[0].percent(read[0].valid) - 33.3).abs() < 0.1);
    }
}
