//! Counts the edges that texts cover in jaq.
//!
//! Edges of jaq's three crates count as the subject's own code; `--within` selects other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main(
        "jq",
        zester_subjects::jq::new::run,
        &["/jaq-core-", "/jaq-std-", "/jaq-json-"],
    )
}
