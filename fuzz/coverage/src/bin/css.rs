//! Counts the edges that texts cover in lightningcss.
//!
//! The subject's own code is that of lightningcss and of its selectors and tokens; `--within` chooses other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main("css", zester_subjects::css::run, &["/lightningcss-", "/parcel_selectors-", "/cssparser-"])
}
