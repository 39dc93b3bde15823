//! Compiles `src/entry.c`, the part of the library in C.

fn main() {
    println!("cargo::rerun-if-changed=src/entry.c");
    println!("cargo::rerun-if-changed=zester.h");
    // An exception of the harness passes through functions of entry.c, which therefore need unwind
    // tables.
    let mut build = cc::Build::new();
    build
        .file("src/entry.c")
        .include(".")
        .opt_level(2)
        .warnings(true)
        .flag_if_supported("-fexceptions")
        .compile("zester_entry");
}
