//! `zester` as the wrapper of rustc, by which a target's own packages alone are instrumented.

use super::*;

/// Runs zester as Cargo runs the wrapper for a package. Returns what it prints.
fn wrapped(program: &Path, package: &str, next: Option<&Path>) -> String {
    let flags = [
        "-Cpasses=sancov-module",
        "-Ccodegen-units=1",
        "-Copt-level=3",
    ];
    wrapped_with(program, package, next, &flags)
}

/// As [`wrapped`], with other flags.
fn wrapped_with(program: &Path, package: &str, next: Option<&Path>, flags: &[&str]) -> String {
    let mut zester = Command::new(env!("CARGO_BIN_EXE_zester"));
    zester
        .arg(program)
        .args(["--crate-name", "a b"])
        .args(flags)
        .env("ZESTER_UNINSTRUMENTED", "rand 0.10.0,zester 0.1.0,strsim")
        .env("CARGO_PKG_NAME", package)
        .env("CARGO_PKG_VERSION", "0.1.0");
    if let Some(next) = next {
        zester.env("ZESTER_NEXT_WRAPPER", next);
    }
    let output = zester.output().unwrap();
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn the_wrapper_drops_flags_of_coverage_for_the_packages_of_the_fuzzer() {
    let work = tempfile::tempdir().unwrap();
    let (rustc, next) = (work.path().join("rustc"), work.path().join("cache"));
    script::write(&rustc, "#!/bin/sh\nprintf '[%s]' \"$@\"\n");
    script::write(&next, "#!/bin/sh\nprintf 'cache '; exec \"$@\"\n");
    let all = "[--crate-name][a b][-Cpasses=sancov-module][-Ccodegen-units=1][-Copt-level=3]";
    let few = "[--crate-name][a b][-Copt-level=3]";
    assert_eq!(wrapped(&rustc, "zester", None), few);
    assert_eq!(wrapped(&rustc, "program", None), all);
    assert_eq!(wrapped(&rustc, "strsim", None), few);
    // A version counts: the program may use another version of a package of zester's.
    assert_eq!(wrapped(&rustc, "rand", None), all);
    assert_eq!(
        wrapped(&rustc, "zester", Some(&next)),
        format!("cache {few}")
    );
    // Without optimisation between codegen units, the fuzzer builds in half of the time. With bitcode,
    // the profile of the user asks for it.
    let bitcode = |is: &str| wrapped_with(&rustc, "zester", None, &["-C", is]);
    assert!(bitcode("embed-bitcode=no").ends_with("[embed-bitcode=no][-Clto=off][-Cdebuginfo=0]"));
    assert!(bitcode("embed-bitcode=yes").ends_with("[embed-bitcode=yes]"));
    let missing = wrapped(&work.path().join("no/rustc"), "zester", None);
    assert!(missing.contains("no/rustc: No such file"), "{missing}");
    // Without rustc, it is a command as usual.
    let command = wrapped(Path::new("check"), "zester", None);
    assert!(command.contains("unexpected argument"), "{command}");
}
