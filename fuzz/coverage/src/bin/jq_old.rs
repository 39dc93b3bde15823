//! Counts the edges that texts cover in jaq 2.1.0.
//!
//! Edges of jaq's three crates count as the subject's own code; `--within` selects other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main(
        "jq_old",
        zester_subjects::jq::old::run,
        &["/jaq-core-", "/jaq-std-", "/jaq-json-"],
    )
}
