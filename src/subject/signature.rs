//! Signatures of crashes, read from the output of a program: panics of Rust and reports of
//! sanitizers.
//!
//! Two crashes with the same cause should have the same signature. As in ClusterFuzz
//! (crash_analysis/stack_parsing), a signature consists of the kind of the crash and the innermost
//! functions of the program on the stack. If the names of the functions are unknown, their offsets
//! in the module take their place. The signature of a panic and of undefined behaviour is its
//! location in the source: file, line and column. Messages are no part of a signature, because they
//! contain values of the input. The signature of a failure that the target reports by an oracle or
//! by [`fail`](crate::fail) is its key. The location does not count.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use super::Outcome;
use super::symbols::without_hash;
use crate::hooks::{DISAGREEMENT, FAILURE};

/// The maximum number of functions in a signature.
const FRAMES: usize = 3;

/// The maximum number of frames that are compared if two stacks have no names. It is larger than
/// [`FRAMES`], because the first frames belong to the sanitizer.
const UNNAMED_FRAMES: usize = 12;

/// The kind and the location of a crash, such as `heap-use-after-free in parse < main`. Crashes
/// with the same cause have the same signature if the output of the program has enough information.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signature(String);

impl fmt::Display for Signature {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

/// Phrases by which the report of a runtime says that there was not enough memory.
const OUT_OF_MEMORY: [&str; 6] = [
    "allocation-size-too-big",
    "calloc-overflow",
    "out-of-memory",
    "rss limit exhausted",
    "memory allocation of ",
    "std::bad_alloc",
];

/// Returns the outcome of a process from its output and its status. It is for a process for which
/// no call of `exit` was recorded.
pub(super) fn outcome(printed: &str, status: ExitStatus) -> Outcome {
    if OUT_OF_MEMORY.iter().any(|words| {
        printed
            .lines()
            .any(|line| is_report(line) && line.contains(words))
    }) {
        return Outcome::OutOfMemory;
    }
    // A panic in a thread does not end the process, so a process with an exit status may have ended
    // by `_exit`.
    let report = match status.code() {
        None => failure(printed)
            .or_else(|| panic(printed))
            .or_else(|| sanitizer(printed)),
        // No sanitizer ends a process with status 0. Some report a fault and let the program
        // continue.
        Some(0) => None,
        // With `handle_abort=1`, AddressSanitizer reports the signal.
        Some(_) => sanitizer(printed).map(|report| match report.starts_with("ABRT") {
            true => failure(printed).unwrap_or(report),
            false => report,
        }),
    };
    match (report, status.code()) {
        (Some(report), _) => Outcome::Crash(Signature(report)),
        (None, Some(code)) => Outcome::Exit(code),
        (None, None) => Outcome::Crash(Signature(signal(printed, status.signal().unwrap_or(0)))),
    }
}

/// Returns whether a line looks like one that a runtime prints before it ends the process.
fn is_report(line: &str) -> bool {
    [
        "ERROR: ",
        "memory allocation of ",
        "terminate called",
        "SUMMARY: ",
    ]
    .iter()
    .any(|start| line.contains(start))
}

/// Returns the signature of a failure or of a disagreement that an oracle of the target reported.
fn failure(printed: &str) -> Option<String> {
    printed.lines().find_map(|line| {
        [(FAILURE, "failure"), (DISAGREEMENT, "disagreement")]
            .into_iter()
            .find_map(|(start, kind)| {
                let (_, key) = line.split_once(start)?;
                Some(format!("{kind}: {}", key.trim()))
            })
    })
}

/// Returns the signature of a panic. A panic prints `thread 'main' (123) panicked at
/// src/lib.rs:12:5:` and a message on the next line.
fn panic(printed: &str) -> Option<String> {
    let line = printed
        .lines()
        .find(|line| line.starts_with("thread ") && line.contains(" panicked at "))?;
    let (_, location) = line.split_once(" panicked at ")?;
    Some(format!(
        "panic at {}",
        crate_path(location.trim_end_matches(':'))
    ))
}

/// Returns a path without the leading directories that differ between machines: those of cargo's
/// registry, of the standard library, or of the output of a build script.
pub(super) fn crate_path(path: &str) -> &str {
    let after = |text: &'static str| path.split_once(text).map(|(_, rest)| rest);
    if let Some(at) =
        after("/build/").and_then(|rest| rest.find("/out/").map(|at| path.len() - rest.len() + at))
    {
        return &path[at + 1..];
    }
    if let Some(rest) = after("/registry/src/") {
        return rest.split_once('/').map_or(rest, |(_, path)| path);
    }
    after("/rustc/")
        .and_then(|rest| rest.split_once('/'))
        .map_or(path, |(_, path)| path)
}

/// Returns the signature of a sanitizer's report. A report begins with `==1==ERROR:
/// AddressSanitizer: heap-use-after-free on address …` or `file.c:1:2: runtime error: …`, and has
/// frames on the next lines.
fn sanitizer(printed: &str) -> Option<String> {
    let lines: Vec<&str> = printed.lines().collect();
    let kind = |line: &str| {
        if let Some((location, _)) = line.split_once(": runtime error: ") {
            return Some(format!("undefined behaviour at {}", file_name(location)));
        }
        let (_, report) = line
            .split_once("Sanitizer: ")
            .filter(|_| line.starts_with("==") && !line.contains("SUMMARY"))?;
        report
            .split_ascii_whitespace()
            .next()
            .map(|kind| kind.trim_end_matches(':').to_owned())
    };
    let (at, kind) = lines
        .iter()
        .enumerate()
        .find_map(|(at, line)| Some((at, kind(line)?)))?;
    let frames = lines[at..]
        .iter()
        .skip_while(|line| frame(line).is_none())
        .map_while(|line| frame(line));
    let frames = frames.take_while(|name| !is_harness(name));
    let own: Vec<&str> = frames
        .filter(|name| !is_runtime(name))
        .take(FRAMES)
        .collect();
    Some(if own.is_empty() {
        kind
    } else {
        format!("{kind} in {}", own.join(" < "))
    })
}

/// Returns a key for a stack that a sanitizer reported without names of functions. Equal stacks
/// have equal keys. Returns [`None`] if there is no such stack.
pub(super) fn stack(printed: &str) -> Option<String> {
    let mut lines = printed
        .lines()
        .skip_while(|line| !(line.starts_with("==") && line.contains("Sanitizer: ")));
    let (_, kind) = lines.next()?.split_once("Sanitizer: ")?;
    let frames = lines.skip_while(|line| frame(line).is_none());
    let addresses = frames
        .map_while(|line| frame(line).filter(|_| line.contains(" (") && !line.contains(" in ")))
        .take(UNNAMED_FRAMES);
    let stack = addresses.fold(String::new(), |stack, address| stack + " " + address);
    (!stack.is_empty()).then(|| {
        kind.split_ascii_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned()
            + &stack
    })
}

/// Returns the function of a frame such as `#0 0x12ab in function(int) file.c:3:4`. Without a name,
/// returns the offset in the module, as in `#0 0x12ab (/home/me/target+0x12ab)`.
pub(super) fn frame(line: &str) -> Option<&str> {
    let rest = line
        .trim_start()
        .strip_prefix('#')?
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start();
    let rest = rest
        .strip_prefix("0x")?
        .trim_start_matches(|c: char| c.is_ascii_hexdigit())
        .trim_start();
    let Some(named) = rest.strip_prefix("in ") else {
        // A directory may have parentheses in its name.
        let address = rest
            .strip_prefix('(')?
            .split(" (BuildId")
            .next()?
            .trim_end()
            .trim_end_matches(')');
        return Some(file_name(address));
    };
    // The file or the module follows the name.
    let name = named.split(" /").next()?.split(" (").next()?.trim();
    let name = name.split('(').next()?.trim();
    Some(without_hash(name))
}

/// Returns a path without its directories, which differ between machines.
fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Returns whether a function belongs to the harness, which calls the program under test.
pub(super) fn is_harness(name: &str) -> bool {
    name.starts_with("zester") || name.starts_with("rust_fuzzer_test_input")
}

/// Returns whether a function belongs to a runtime or a standard library, which the program under
/// test called.
pub(super) fn is_runtime(name: &str) -> bool {
    const STARTS: [&str; 17] = [
        "__asan",
        "__interceptor",
        "__sanitizer",
        "__ubsan",
        "__msan",
        "__lsan",
        "___interceptor",
        "fuzzer::",
        "__GI_",
        "std::",
        "core::",
        "alloc::",
        "__rust",
        "rust_begin_unwind",
        "<alloc::",
        "<core::",
        "operator ",
    ];
    const NAMES: [&str; 12] = [
        "abort", "raise", "gsignal", "memcpy", "memmove", "memset", "memcmp", "bcmp", "strlen",
        "malloc", "free", "realloc",
    ];
    STARTS.iter().any(|start| name.starts_with(start)) || NAMES.contains(&name)
}

/// Returns the signature of a process that a signal ended and for which no report was found.
fn signal(printed: &str, number: i32) -> String {
    const NAMES: [(i32, &str); 9] = [
        (4, "SIGILL"),
        (5, "SIGTRAP"),
        (6, "SIGABRT"),
        (8, "SIGFPE"),
        (9, "SIGKILL"),
        (11, "SIGSEGV"),
        (13, "SIGPIPE"),
        (14, "SIGALRM"),
        (15, "SIGTERM"),
    ];
    if printed.contains("has overflowed its stack") {
        return "stack overflow".into();
    }
    let asserted = printed
        .lines()
        .find_map(|line| line.split_once(": Assertion `"));
    if let Some((location, _)) = asserted {
        // The line is `PROGRAM: FILE:LINE: FUNCTION: Assertion`, and the name of the program may
        // contain a colon.
        let mut parts = location.rsplitn(3, ": ");
        let (function, file) = (
            parts.next().unwrap_or_default(),
            parts.next().unwrap_or_default(),
        );
        return format!("assertion at {}: {function}", file_name(file));
    }
    let name = NAMES
        .iter()
        .find(|(known, _)| *known == number)
        .map(|(_, name)| (*name).into());
    name.unwrap_or_else(|| {
        if number == SIGBUS {
            "SIGBUS".into()
        } else {
            format!("signal {number}")
        }
    })
}

/// The number of SIGBUS, which differs between systems.
const SIGBUS: i32 = rustix::process::Signal::BUS.as_raw();

#[cfg(test)]
mod tests {
    use super::*;

    fn crash(printed: &str, status: i32) -> String {
        match outcome(printed, ExitStatus::from_raw(status)) {
            Outcome::Crash(signature) => signature.to_string(),
            outcome => outcome.to_string(),
        }
    }

    #[test]
    fn the_signature_of_a_panic_is_its_location() {
        let printed = "thread 'main' (1) panicked at /t/release/build/cel-parser-b45c57699309a5b4/out/cel.rs:7:1:\n\
                       called `Result::unwrap()`: InvalidEscape { string: \"\\\"a\\\\\", index: 3 }\n";
        assert_eq!(crash(printed, 6), "panic at out/cel.rs:7:1");
        let printed = "noise\nthread '<unnamed>' (4242) panicked at \
                       /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/naga-30.0.1/src/back/spv/block.rs:3847:26:\n\
                       internal error: entered unreachable code: Expression [12] is not cached!\nnote: run with …\n";
        assert_eq!(
            crash(printed, 6),
            "panic at naga-30.0.1/src/back/spv/block.rs:3847:26"
        );
        // One fault with many values in its message is one signature, and two faults on one line
        // are two.
        let panic = |column: u32, name: &str| {
            format!("thread 'main' panicked at src/a.rs:1:{column}:\nno variable {name}")
        };
        assert_eq!(
            crash(&panic(2, "x"), 6),
            crash(&panic(2, "Node { name: y }"), 6)
        );
        assert_ne!(crash(&panic(2, "x"), 6), crash(&panic(3, "x"), 6));
        assert_eq!(
            crash(
                "\nthread 'main' (1) has overflowed its stack\nfatal runtime error: stack overflow",
                6
            ),
            "stack overflow"
        );
    }

    #[test]
    fn the_signature_of_a_failure_is_its_key() {
        let panic = |line: u32| {
            format!(
                "noise\nthread 'main' panicked at src/a.rs:{line}:1:\nzester: failure: a = 1 \ndetail\n"
            )
        };
        let report = "oracle: zester: failure: a = 1\n==5==ERROR: AddressSanitizer: ABRT on unknown address\n    #0 0x2 in f /w/a.c:1:1\n";
        for (printed, status) in [
            (&panic(1)[..], 6),
            (&panic(2), 6),
            (report, 6),
            (report, 256),
        ] {
            assert_eq!(crash(printed, status), "failure: a = 1", "{printed}");
        }
        // Other faults that a sanitizer reports are no failures of the oracle. An exit is none.
        assert_eq!(crash(&report.replace("ABRT", "SEGV"), 256), "SEGV in f");
        assert_eq!(crash(&panic(1), 256), "exit");
    }

    #[test]
    fn the_signature_of_a_report_has_its_kind_and_innermost_functions() {
        let printed = "==5==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7fff at pc 0x1\nWRITE of size 1\n    \
                       #0 0x4a2 in __asan_memcpy (/x/calc+0x4a2)\n    #1 0x55 in behind(Reader*, long) /w/calc.c:54:40\n    \
                       #2 0x56 in sum /w/calc.c:80\n    #3 0x57 in naga::valid::check::h0123456789abcdef /w/a.rs:1:1\n    \
                       #4 0x58 in main /w/calc.c:3\n\nAddress 0x7fff is located\n    #0 0x1 in other a.c:1\nSUMMARY: AddressSanitizer: x";
        assert_eq!(
            crash(printed, 256),
            "stack-buffer-overflow in behind < sum < naga::valid::check"
        );
        let unnamed = "==5==ERROR: AddressSanitizer: SEGV on unknown address\n    #0 0x55f  (/tmp/c7/calc+0x17cb92) (BuildId: f9)\n";
        assert_eq!(crash(unnamed, 256), "SEGV in calc+0x17cb92");
        assert_eq!(
            crash(
                "/w/a.c:3:4: runtime error: signed integer overflow: 2147483647 + 1 cannot",
                256
            ),
            "undefined behaviour at a.c:3:4"
        );
        assert_eq!(
            crash(
                "==5==ERROR: AddressSanitizer: negative-size-param: (size=-1)",
                256
            ),
            "negative-size-param"
        );
        assert_eq!(
            crash(
                "==5==ERROR: AddressSanitizer: allocation-size-too-big 0x99",
                256
            ),
            "out-of-memory"
        );
        assert_eq!(
            crash("memory allocation of 99 bytes failed", 6),
            "out-of-memory"
        );
        assert_eq!(crash("the text says out-of-memory", 11), "SIGSEGV");
        assert_eq!(
            crash("calc: calc.c:12: int f(void): Assertion `x' failed.", 6),
            "assertion at calc.c:12: int f(void)"
        );
        assert_eq!(
            crash(
                "my: calc: /w/calc.c:12: int f(void): Assertion `x: 3' failed.",
                6
            ),
            "assertion at calc.c:12: int f(void)"
        );
        // The directory of a module does not matter.
        assert_eq!(
            crash(&unnamed.replace("/tmp/c7/", "/tmp/my (new) copy/"), 256),
            crash(unnamed, 256)
        );
        let other = unnamed.replace("/tmp/c7/", "/home/me/");
        assert_eq!(crash(&other, 256), crash(unnamed, 256));
    }

    #[test]
    fn the_signature_of_a_signal_without_a_report_is_its_name() {
        for (number, name) in [
            (6, "SIGABRT"),
            (9, "SIGKILL"),
            (11, "SIGSEGV"),
            (15, "SIGTERM"),
            (SIGBUS, "SIGBUS"),
        ] {
            assert_eq!(crash("INFO: nothing else", number), name);
        }
        assert_eq!(crash("", 64), "signal 64");
    }

    #[test]
    fn a_status_without_a_report_is_an_exit() {
        let status = |code: i32| ExitStatus::from_raw(code << 8);
        for code in [0, 1, 3, 77, 255] {
            assert_eq!(
                outcome("INFO: nothing else", status(code)),
                Outcome::Exit(code)
            );
        }
        // A panic in a thread does not end a process. libFuzzer's message about an exit is no
        // report of a crash.
        assert_eq!(
            outcome(
                "thread 'a' (1) panicked at src/a.rs:1:2:\nmessage",
                status(3)
            ),
            Outcome::Exit(3)
        );
        assert_eq!(
            outcome("==4== ERROR: libFuzzer: fuzz target exited\n", status(77)),
            Outcome::Exit(77)
        );
        let report = "==5==ERROR: AddressSanitizer: heap-use-after-free on address 0x1\n    #0 0x2 in f /w/a.c:1:1\n";
        assert_eq!(outcome(report, status(1)).to_string(), "crash");
        assert_eq!(outcome(report, status(0)), Outcome::Exit(0));
    }

    #[test]
    fn a_stack_without_names_has_a_key() {
        let report = |frames: &str| {
            format!("==5==ERROR: AddressSanitizer: SEGV on unknown address\n{frames}")
        };
        let unnamed = report(
            "    #0 0x1  (/tmp/calc+0x17) (BuildId: f9)\n    #1 0x2  (/tmp/calc+0x18) (BuildId: f9)\n",
        );
        assert_eq!(stack(&unnamed).as_deref(), Some("SEGV calc+0x17 calc+0x18"));
        // The same functions at other addresses in memory.
        assert_eq!(
            stack(&unnamed.replace("0x1 ", "0x7f1 ").replace("==5", "==6")),
            stack(&unnamed)
        );
        assert_ne!(stack(&unnamed.replace("0x18", "0x19")), stack(&unnamed));
        assert_eq!(stack(&report("    #0 0x1 in f /w/a.c:1:1\n")), None);
        assert_eq!(stack("no report"), None);
        let deep: String = (0..40)
            .map(|at| format!("    #{at} 0x1  (/tmp/calc+0x{at:x}) (BuildId: f9)\n"))
            .collect();
        assert_eq!(
            stack(&report(&deep)).unwrap().split(' ').count(),
            1 + UNNAMED_FRAMES
        );
    }

    #[test]
    fn a_path_has_no_directories_of_this_machine() {
        assert_eq!(
            crate_path("/root/.cargo/registry/src/index.crates.io-1949/naga-1.0/src/a.rs"),
            "naga-1.0/src/a.rs"
        );
        assert_eq!(
            crate_path("/rustc/5980/library/core/src/option.rs"),
            "library/core/src/option.rs"
        );
        assert_eq!(crate_path("src/a.rs"), "src/a.rs");
    }
}
