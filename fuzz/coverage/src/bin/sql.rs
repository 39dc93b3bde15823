//! Counts the edges that texts cover in turso 0.3.2.
//!
//! Edges of turso, its engine and its parser count as the subject's own code; `--within` selects
//! other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main(
        "sql",
        zester_subjects::sql::run,
        &["/turso-0.", "/turso_core-0.", "/turso_parser-0."],
    )
}
