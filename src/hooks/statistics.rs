//! What a campaign did: a JSON line now and then, a line to read at the end; summed over the processes of the campaign.
//!
//! The processes of `-fork`, `-jobs` and `-merge` share their figures through a file that the first one makes and names in the
//! environment, so nothing is lost when one is killed.

use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::settings::Options;
use crate::mutate::{MUTATORS, Operator};
use crate::sidecar;

/// Milliseconds between two JSON lines.
pub(super) const INTERVAL: u64 = 2_000;

/// Names the file of shared figures to child processes.
const SHARED: &str = "ZESTER_SHARED_FIGURES";

/// What the end of the process still needs.
static END: OnceLock<(Option<PathBuf>, Option<PathBuf>)> = OnceLock::new();

/// Makes the figures ready, and the report at the end; whether this process is the first of the campaign.
pub(super) fn start(options: &Options) -> bool {
    if let Some(shared) = env::var_os(SHARED) {
        share(Some(Path::new(&shared)));
        return false;
    }
    let mut shared = None;
    if options.parent {
        let path = env::temp_dir().join(format!("zester-figures-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        sidecar::set_environment(SHARED, &path);
        shared = Some(path);
    }
    share(shared.as_deref());
    let _ = END.set((options.statistics.clone(), shared));
    sidecar::at_exit(finish);
    true
}

fn share(path: Option<&Path>) {
    if !sidecar::share(path) {
        eprintln!("zester: WARNING: {}: cannot share figures", path.unwrap_or(Path::new("memory")).display());
        sidecar::share(None);
    }
}

/// Appends a JSON line to the file.
pub(super) fn report(file: &Path) {
    let [executions, valid, invalid, unknown, bytes, edges, valid_edges, counters, milliseconds] = sidecar::figures();
    let seconds = milliseconds as f64 / 1e3;
    let mean = bytes as f64 / executions.max(1) as f64;
    let of_mutator = |(mutator, [tried, changed, found, kept]): (&Operator, [u64; 4])| {
        format!("\"{}\":{{\"tried\":{tried},\"changed\":{changed},\"found\":{found},\"kept\":{kept}}}", mutator.name)
    };
    let mutators: Vec<String> = {
        let tried = MUTATORS.iter().zip(sidecar::mutators()).filter(|(_, [tried, ..])| *tried > 0);
        tried.map(of_mutator).collect()
    };
    let line = format!(
        "{{\"seconds\":{seconds:.1},\"executions\":{executions},\"valid\":{valid},\"invalid\":{invalid},\"unknown\":{unknown},\
         \"edges\":{edges},\"valid_edges\":{valid_edges},\"counters\":{counters},\"mean_sentence_bytes\":{mean:.1},\
         \"mutators\":{{{}}}}}\n",
        mutators.join(","),
    );
    let written = OpenOptions::new().create(true).append(true).open(file).and_then(|mut file| file.write_all(line.as_bytes()));
    if let Err(error) = written {
        eprintln!("zester: WARNING: {}: {error}", file.display());
    }
}

/// The last report; in the process that the others share their figures with, the file of these goes.
pub(super) extern "C" fn finish() {
    let Some((statistics, shared)) = END.get().filter(|_| sidecar::is_first()) else { return };
    let [executions, valid, _, unknown, bytes, edges, valid_edges, ..] = sidecar::figures();
    if executions > 0 {
        statistics.as_deref().map(report);
        let per_cent = |part: u64| 100.0 * part as f64 / executions as f64;
        eprintln!(
            "zester: {executions} sentences executed, {valid} valid ({:.1} %), {unknown} unknown; {edges} edges, {valid_edges} by \
             valid sentences; {:.1} bytes a sentence",
            per_cent(valid),
            bytes as f64 / executions as f64,
        );
    }
    if let Some(path) = shared {
        let _ = std::fs::remove_file(path);
    }
}
