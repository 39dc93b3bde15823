//! Counts the edges that texts cover in lightningcss.
//!
//! Edges of lightningcss and of its crates for selectors and tokens count as the subject's own
//! code; `--within` selects other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main(
        "css",
        zester_subjects::css::run,
        &["/lightningcss-", "/parcel_selectors-", "/cssparser-"],
    )
}
