//! Statistics of a campaign, summed over its processes: a JSON line every two seconds, and a readable line at the end.
//!
//! The processes of `-fork`, `-jobs` and `-merge` count in a shared file, so that the counts of a killed process are not lost.
//! The first process makes the file, and passes its name to the processes that it starts in an environment variable.

use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::settings::{Options, SHARED};
use crate::feedback::{self, SharedFile, Totals};
use crate::mutate::MUTATORS;

/// The time between two JSON lines in milliseconds.
pub(super) const INTERVAL: u64 = 2_000;

/// The value of the environment variable [`SHARED`] if the shared file could not be made. Otherwise it is [`SharedFile::name`].
const NO_FILE: &str = "none";

/// The file for JSON lines, for the report at the end of the process.
static STATISTICS: OnceLock<Option<PathBuf>> = OnceLock::new();

/// Starts counting, and registers the report at the end of the process. Returns whether this process is the first of the
/// campaign.
pub(super) fn start(options: &Options) -> bool {
    if let Some(name) = env::var_os(SHARED) {
        let file = name.to_str().and_then(SharedFile::inherited);
        share(file, name != NO_FILE);
        return false;
    }
    let file = options.parent.then(|| SharedFile::new(&env::temp_dir()));
    if let Some(file) = file {
        let name = file.map_or(NO_FILE.into(), SharedFile::name);
        // SAFETY: no other thread may use the environment. The process has one thread, because libFuzzer starts its threads after
        // LLVMFuzzerInitialize, which calls this function.
        #[allow(unsafe_code)]
        unsafe {
            feedback::set_environment(SHARED, &name);
        }
    }
    share(file.flatten(), options.parent);
    let _ = STATISTICS.set(options.statistics.clone());
    feedback::at_exit(finish);
    true
}

/// Shares the statistics through the file, or counts in memory of this process if there is no file. `expected` is whether there
/// should be a file; if there is none, prints a warning.
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
        eprintln!("zester: WARNING: not enough memory for statistics; validity does not guide the search");
    }
}

/// Appends a JSON line of statistics to a file.
pub(super) fn report(file: &Path) {
    let Totals { executions, valid, invalid, unknown, edited, bytes, edges, valid_edges, counters, milliseconds } =
        feedback::totals();
    let seconds = milliseconds as f64 / 1e3;
    let mean = bytes as f64 / executions.max(1) as f64;
    let used = MUTATORS.iter().zip(feedback::mutators()).filter(|(_, [tried, ..])| *tried > 0);
    let mutators: Vec<String> = used
        .map(|(mutator, [tried, changed, found, kept])| {
            format!("\"{}\":{{\"tried\":{tried},\"changed\":{changed},\"found\":{found},\"kept\":{kept}}}", mutator.name)
        })
        .collect();
    let line = format!(
        "{{\"seconds\":{seconds:.1},\"executions\":{executions},\"valid\":{valid},\"invalid\":{invalid},\"unknown\":{unknown},\"edited\":{edited},\
         \"edges\":{edges},\"valid_edges\":{valid_edges},\"counters\":{counters},\"mean_sentence_bytes\":{mean:.1},\
         \"mutators\":{{{}}}}}\n",
        mutators.join(","),
    );
    let written = OpenOptions::new().create(true).append(true).open(file).and_then(|mut file| file.write_all(line.as_bytes()));
    if let Err(error) = written {
        eprintln!("zester: WARNING: {}: {error}", file.display());
    }
}

/// Writes the last JSON line and prints the readable line. Does nothing except in the first process of the campaign.
pub(super) extern "C" fn finish() {
    let Some(statistics) = STATISTICS.get().filter(|_| feedback::is_first()) else { return };
    let Totals { executions, valid, unknown, edited, bytes, edges, valid_edges, .. } = feedback::totals();
    if executions == 0 {
        return;
    }
    statistics.as_deref().map(report);
    eprintln!(
        "zester: {executions} sentences executed, {valid} valid ({:.1} %), {unknown} unknown, {edited} edited ({:.1} %); {edges} edges, \
         {valid_edges} by valid sentences; {:.1} bytes a sentence",
        100.0 * valid as f64 / executions as f64,
        100.0 * edited as f64 / executions as f64,
        bytes as f64 / executions as f64,
    );
}
