//! Compiles the C files of the validity feedback and of the fork server.

use std::fmt::Write;
use std::path::PathBuf;

#[allow(dead_code)]
#[path = "src/feedback/layout.rs"]
mod layout;

/// The C files, without extension.
const PARTS: [&str; 13] = [
    "afl",
    "artifact",
    "checkpoint",
    "comparisons",
    "counters",
    "figures",
    "goals",
    "libafl",
    "libfuzzer",
    "memory",
    "run",
    "sanitizers",
    "signals",
];

fn main() {
    println!("cargo::rerun-if-changed=src/feedback");
    println!("cargo::rerun-if-changed=src/fork_server");
    let directory = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    std::fs::write(directory.join("zester_layout.h"), header()).expect("cargo made the directory");
    let files = PARTS.map(|part| format!("src/feedback/{part}.c"));
    // An exception of a harness in C++ passes through zester_feedback_run_one, which needs unwind
    // tables.
    cc::Build::new()
        .files(files)
        .file("src/fork_server/process.c")
        .include(directory)
        .opt_level(3)
        .warnings(true)
        .flag_if_supported("-fexceptions")
        .compile("zester_feedback");
}

/// The constants and records of `layout` in C.
fn header() -> String {
    let constants = [
        ("VALID", i64::from(layout::VALID)),
        ("INVALID", i64::from(layout::INVALID)),
        ("UNKNOWN", i64::from(layout::UNKNOWN)),
        ("GOAL_TIME", i64::from(layout::GOAL_TIME)),
        ("GOAL_EXCEPTIONS", i64::from(layout::GOAL_EXCEPTIONS)),
        ("MUTATORS", layout::MUTATORS as i64),
        ("MUTATOR_COUNTS", layout::MUTATOR_COUNTS as i64),
        ("MAX_REASON", layout::MAX_REASON as i64),
        ("MAX_OPERAND", layout::MAX_OPERAND as i64),
    ];
    let mut header = String::from("/* Written by build.rs from src/feedback/layout.rs. */\n");
    for (name, value) in constants {
        let _ = writeln!(header, "#define ZESTER_{name} ({value})");
    }
    let _ = writeln!(
        header,
        "typedef struct {{\n    uint64_t {};\n}} ZesterTotals;",
        layout::TOTALS.join(", ")
    );
    header
}
