//! Counts the edges that texts cover in Lua.
//!
//! Edges of Lua's C code count as the subject's own code; `--within` selects other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main("lua", zester_subjects::lua::run, &["/lua-5.4."])
}
