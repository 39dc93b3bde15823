//! Counts the edges that texts cover in serde_json.
//!
//! The subject's own code is serde_json's; `--within` chooses other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main("json", zester_subjects::json::run, &["/serde_json-"])
}
