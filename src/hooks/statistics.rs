//! Statistics of a campaign, summed over its processes: a JSON line every two seconds, and a
//! readable line at the end.
//!
//! The JSON lines are appended to a file, so that the file can hold several runs. Each run begins
//! with a line that has the version of the format, the time, the process, the target, the
//! directories of the corpus, and the beginning of the paths of artifacts.
//!
//! The readable line is printed in all cases: when the run ends normally, by Ctrl-C, by a crash, by
//! a time-out, or because memory exceeds the limit.
//!
//! Under `-fork`, `-jobs` and `-merge`, all processes count in a shared file, so that the counts of
//! a killed process are not lost. The first process creates the file. It passes the name in an
//! environment variable to the processes that it starts.
//!
//! `zester fuzz` starts several such first processes, its workers. They share a file that `zester
//! fuzz` created. The worker that finds the file empty writes the first line of the run. Each
//! worker writes a JSON line when it ends.

use std::env;
use std::fmt::{self, Write as _};
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use tinyjson::JsonValue;

use super::settings::{CAMPAIGN, Options, SHARED};
use crate::feedback::{self, MUTATOR_COUNTS, SharedFile, Totals};
use crate::mutate::{MUTATORS, RegionMutator};

/// The time between two JSON lines in milliseconds.
pub(super) const INTERVAL: u64 = 2_000;

/// The value of the environment variable [`SHARED`] if the shared file could not be created.
/// Otherwise the value is [`SharedFile::name`].
const NO_FILE: &str = "none";

/// The file for JSON lines, for the report at the end of the process. It is set in the first
/// process of the campaign and in workers of `zester fuzz` only.
static STATISTICS: OnceLock<Option<Statistics>> = OnceLock::new();

/// Whether the inputs are read by a random generator, for which there are other operators.
static HAS_GENERATOR: AtomicBool = AtomicBool::new(false);

/// Sets whether statistics name the operators of a generator or those of sentences.
pub(super) fn set_names(has_generator: bool) {
    HAS_GENERATOR.store(has_generator, Ordering::Relaxed);
}

fn name_of(mutator: usize) -> &'static str {
    let name = match HAS_GENERATOR.load(Ordering::Relaxed) {
        true => RegionMutator::operators().nth(mutator),
        false => MUTATORS.get(mutator).map(|mutator| mutator.name),
    };
    name.unwrap_or_default()
}

/// Starts counting, and registers the report at the end of the process. Returns whether this
/// process is the first of the campaign.
pub(super) fn start(options: &Options) -> bool {
    if let Some(name) = env::var_os(SHARED) {
        let file = name.to_str().and_then(SharedFile::inherited);
        share(file, name != NO_FILE);
        return false;
    }
    let of_campaign = env::var(CAMPAIGN)
        .ok()
        .and_then(|name| SharedFile::inherited(&name));
    let is_first = of_campaign.is_none_or(SharedFile::fill);
    let file = match of_campaign {
        None if options.parent => SharedFile::new(&env::temp_dir()),
        file => file,
    };
    if options.parent {
        let name = file.map_or(NO_FILE.into(), SharedFile::name);
        // SAFETY: no other thread may use the environment. The process has one thread, because
        // libFuzzer starts its threads after LLVMFuzzerInitialize, which calls this function.
        #[allow(unsafe_code)]
        unsafe {
            feedback::set_environment(SHARED, &name);
        }
    }
    share(file, options.parent || of_campaign.is_some());
    let statistics = options.statistics.as_deref().and_then(Statistics::open);
    if let Some(statistics) = statistics.as_ref().filter(|_| is_first)
        && let Err(error) = (&statistics.file).write_all(first_line(options).as_bytes())
    {
        eprintln!("zester: WARNING: {}: {error}", statistics.path.display());
    }
    _ = STATISTICS.set(statistics);
    feedback::at_end(finish);
    is_first
}

/// Shares the statistics through the file, or counts in memory of this process if there is no file.
/// `expected` is whether there should be a file. If it is expected but missing, prints a warning.
fn share(file: Option<SharedFile>, expected: bool) {
    if file.is_some() && feedback::share(file) {
        return;
    }
    if expected {
        eprintln!(
            "zester: WARNING: no room for a shared file, neither in memory nor in {}; statistics leave out child processes",
            env::temp_dir().display(),
        );
    }
    if !feedback::share(None) {
        eprintln!(
            "zester: WARNING: not enough memory for statistics; validity does not guide the search"
        );
    }
}

const VERSION: u32 = 3;

/// The first line of a run. Its time and process distinguish the runs in a file. The paths are
/// absolute.
fn first_line(options: &Options) -> String {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let corpus: Vec<JsonValue> = options
        .inputs
        .iter()
        .filter(|input| input.is_dir())
        .map(|input| path(input))
        .collect();
    let prefix = options.artifacts.prefix.as_deref();
    format!(
        "{{\"zester_statistics\":{VERSION},\"started\":{},\"process\":{},\"target\":{},\"corpus\":{},\"artifacts\":{}}}\n",
        since.as_secs(),
        std::process::id(),
        json(&env::current_exe().map_or(JsonValue::Null, |target| path(&target))),
        json(&JsonValue::from(corpus)),
        json(&path(prefix.unwrap_or(Path::new("./")))),
    )
}

/// Returns an absolute path as a JSON string.
fn path(path: &Path) -> JsonValue {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.into());
    JsonValue::from(absolute.to_string_lossy().into_owned())
}

fn json(value: &JsonValue) -> String {
    value.stringify().unwrap_or_else(|_| "null".into())
}

/// Appends the current statistics to the file as a JSON line. A child process of the campaign opens
/// the file for each line.
pub(super) fn report(path: &Path) {
    match STATISTICS.get() {
        Some(statistics) => statistics.as_ref().map(Statistics::report),
        None => Statistics::open(path).as_ref().map(Statistics::report),
    };
}

/// The file for JSON lines, open to append.
struct Statistics {
    path: PathBuf,
    file: File,
}

impl Statistics {
    /// Opens the file. Creates it if it is missing. Prints a warning if that fails.
    fn open(path: &Path) -> Option<Statistics> {
        match OpenOptions::new().create(true).append(true).open(path) {
            Ok(file) => Some(Statistics {
                path: path.into(),
                file,
            }),
            Err(error) => {
                eprintln!("zester: WARNING: {}: {error}", path.display());
                None
            }
        }
    }

    /// Appends the current statistics as a JSON line. Prints a warning if that fails.
    fn report(&self) {
        if let Err(error) = self.write_line() {
            eprintln!("zester: WARNING: {}: {error}", self.path.display());
        }
    }

    /// Appends the current statistics as a JSON line, in one call of `write`, because several
    /// processes may append to the file. May be called in a signal handler.
    fn write_line(&self) -> io::Result<()> {
        let mut line = Line::new();
        // The line has room for all mutators: a test checks that.
        _ = write_json(&mut line, &feedback::totals(), &feedback::mutators());
        (&self.file).write_all(line.bytes())
    }
}

fn write_json(line: &mut Line, totals: &Totals, counts: &[[u64; MUTATOR_COUNTS]]) -> fmt::Result {
    let Totals {
        executions,
        valid,
        invalid,
        unknown,
        edited,
        replayed,
        panicked,
        bytes,
        edges,
        valid_edges,
        counters,
        milliseconds,
    } = totals;
    let seconds = *milliseconds as f64 / 1e3;
    let mean = *bytes as f64 / (*executions).max(1) as f64;
    write!(
        line,
        "{{\"seconds\":{seconds:.1},\"executions\":{executions},\"valid\":{valid},\"invalid\":{invalid},\"unknown\":{unknown},\"edited\":{edited},\"replayed\":{replayed},\"panicked\":{panicked},\
         \"edges\":{edges},\"valid_edges\":{valid_edges},\"counters\":{counters},\"mean_sentence_bytes\":{mean:.1},\"mutators\":{{"
    )?;
    let mut separator = "";
    for (mutator, [tried, changed, found, kept]) in counts
        .iter()
        .enumerate()
        .filter(|(_, [tried, ..])| *tried > 0)
    {
        let name = name_of(mutator);
        write!(
            line,
            "{separator}\"{name}\":{{\"tried\":{tried},\"changed\":{changed},\"found\":{found},\"kept\":{kept}}}"
        )?;
        separator = ",";
    }
    line.write_str("}}\n")
}

/// Writes statistics as a readable line.
fn write_summary(line: &mut Line, totals: &Totals) -> fmt::Result {
    let Totals {
        executions,
        valid,
        unknown,
        edited,
        bytes,
        edges,
        valid_edges,
        ..
    } = totals;
    let share = |count: &u64| 100.0 * *count as f64 / *executions as f64;
    writeln!(
        line,
        "zester: {executions} sentences executed, {valid} valid ({:.1} %), {unknown} unknown, {edited} edited ({:.1} %); {edges} edges, \
         {valid_edges} by valid sentences; {:.1} bytes a sentence",
        share(valid),
        share(edited),
        *bytes as f64 / *executions as f64,
    )
}

/// Writes the last JSON line and prints the readable line, once. Does nothing except in the first
/// process of the campaign and in workers of `zester fuzz`.
///
/// A signal handler may call it. So it allocates nothing and takes no lock.
pub(super) extern "C" fn finish() {
    static IS_DONE: AtomicBool = AtomicBool::new(false);
    let Some(statistics) = STATISTICS.get().filter(|_| feedback::is_first()) else {
        return;
    };
    let totals = feedback::totals();
    if totals.executions == 0 || IS_DONE.swap(true, Ordering::Relaxed) {
        return;
    }
    if let Some(statistics) = statistics {
        // A message about an error would need memory.
        _ = statistics.write_line();
    }
    let mut line = Line::new();
    _ = write_summary(&mut line, &totals);
    feedback::put(line.bytes());
}

/// A line in a buffer of fixed size, so that writing it allocates nothing.
struct Line {
    bytes: [u8; 4096],
    length: usize,
}

impl Line {
    fn new() -> Line {
        Line {
            bytes: [0; 4096],
            length: 0,
        }
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl fmt::Write for Line {
    /// Fails if there is no room.
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.length + text.len();
        self.bytes
            .get_mut(self.length..end)
            .ok_or(fmt::Error)?
            .copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_room_for_the_largest_counts() {
        let mut line = Line::new();
        let largest = Totals {
            executions: u64::MAX,
            valid: u64::MAX,
            invalid: u64::MAX,
            unknown: u64::MAX,
            edited: u64::MAX,
            replayed: u64::MAX,
            panicked: u64::MAX,
            bytes: u64::MAX,
            edges: u64::MAX,
            valid_edges: u64::MAX,
            counters: u64::MAX,
            milliseconds: u64::MAX,
        };
        write_json(
            &mut line,
            &largest,
            &[[u64::MAX; MUTATOR_COUNTS]; MUTATORS.len()],
        )
        .unwrap();
        let text = std::str::from_utf8(line.bytes()).unwrap();
        assert!(
            text.ends_with("}}}\n") && text.matches("\"tried\":").count() == MUTATORS.len(),
            "{text}"
        );
        write_summary(&mut Line::new(), &largest).unwrap();
    }

    #[test]
    fn files_are_appended_to_and_lines_are_json() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("stats");
        let options = Options::from_environment().unwrap();
        for _ in 0..2 {
            let statistics = Statistics::open(&path).unwrap();
            (&statistics.file)
                .write_all(first_line(&options).as_bytes())
                .unwrap();
            statistics.report();
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        for line in &lines {
            assert!(line.parse::<tinyjson::JsonValue>().is_ok(), "{line}");
        }
        let prefix = format!("{{\"zester_statistics\":{VERSION},\"started\":");
        assert!(
            lines[0].starts_with(&prefix) && lines[2].starts_with(&prefix),
            "{text}"
        );
        assert!(
            lines[1].starts_with("{\"seconds\":") && lines[3].ends_with("\"mutators\":{}}"),
            "{text}"
        );
    }
}
