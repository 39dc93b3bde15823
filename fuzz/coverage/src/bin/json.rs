//! Counts the edges that texts cover in serde_json.
//!
//! Edges of serde_json count as the subject's own code; `--within` selects other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main("json", zester_subjects::json::run, &["/serde_json-"])
}
