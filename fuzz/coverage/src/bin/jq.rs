//! Counts the edges that texts cover in jaq.
//!
//! The subject's own code is that of jaq's three crates; `--within` chooses other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main("jq", zester_subjects::jq::new::run, &["/jaq-core-", "/jaq-std-", "/jaq-json-"])
}
