//! The fault that a run showed: its kind, its location and its stack; and what identifies it without a
//! stack.

pub mod severity;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::str::Lines;

use zester::Validity;
use zester::hooks::{DISAGREEMENT, FAILURE};
use zester::known::{self, FaultIdentity, file_name};
use zester::subject::{FrameOwner, Outcome, StackFrame};

use self::severity::{Severity, severity};
use crate::reasons::pattern;

/// The maximum number of characters of the message of a panic.
const MAX_MESSAGE: usize = 4_000;

/// The maximum number of characters of another line that a program printed.
const MAX_LINE: usize = 300;

/// The location of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultLocation {
    /// A function of the program, with its source line if there is one.
    Frame(StackFrame),
    /// The recursive functions of a stack overflow. The set is empty if the target printed no stack.
    Recursion(BTreeSet<String>),
    /// What the program printed about the fault, with placeholders for values: one line, such as the
    /// line of a sanitizer's report or the last line. Or the key of a failure that an oracle reported.
    Message(String),
    /// Nothing is known.
    Nowhere,
}

/// The fault that a run showed.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The kind, such as `panic`, `failure`, `disagreement`, `heap-buffer-overflow`, `SIGSEGV` or
    /// `time-out`.
    pub kind: String,
    pub location: FaultLocation,
    /// The location that the target reported, if it is in a dependency. The user's code called the
    /// dependency at `location`.
    pub origin: Option<StackFrame>,
    /// What the program printed about the fault: the whole message of a panic or of an oracle, one
    /// line, or nothing.
    pub message: String,
    /// The message with placeholders for values, such as parts of the sentence.
    pattern: String,
    /// The stack without runtimes, the innermost function first. For a stack overflow, it is the
    /// stack from the location where it overflowed.
    pub frames: Vec<StackFrame>,
    pub severity: Severity,
}

/// What identifies the fault of a run without its stack. Two runs with equal identities count as the
/// same fault.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RunIdentity {
    outcome: Outcome,
    /// The line of a sanitizer's report, or the last line that the program printed, with
    /// placeholders for values. [`None`] if the outcome has a location.
    message: Option<String>,
}

impl RunIdentity {
    /// Returns what identifies the fault of a run. `output` returns the output of the target, and
    /// `text` is the sentence.
    pub fn of(outcome: &Outcome, output: impl FnOnce() -> String, text: &[u8]) -> RunIdentity {
        let message = || message_pattern(&last_line(&output()), text);
        // The input of some failures, such as a memory leak, does not fail when it runs alone. Then
        // the validity is not part of the identity.
        let outcome = match outcome {
            Outcome::Finished(_) => &Outcome::Finished(Validity::Unknown),
            outcome => outcome,
        };
        RunIdentity {
            outcome: outcome.clone(),
            message: (!is_identity(outcome)).then(message),
        }
    }
}

/// Returns whether the outcome of a run alone identifies its fault. A signal without a report and
/// an exit status do not, because they have no location.
pub fn is_identity(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Exit(_) => false,
        Outcome::Crash(signature) => {
            let signature = signature.to_string();
            !signature.starts_with("SIG") && !signature.starts_with("signal ")
        }
        _ => true,
    }
}

/// Returns the name of the comparison that failed, if an oracle reported a disagreement.
pub fn comparison(outcome: &Outcome) -> Option<String> {
    let Outcome::Crash(signature) = outcome else {
        return None;
    };
    let signature = signature.to_string();
    known::comparison(signature.strip_prefix("disagreement: ")?).map(str::to_owned)
}

impl Fault {
    /// Returns the fault of a run with this outcome, or [`None`] if the target returned. `printed` is
    /// the output of the target, `stack` is its stack, and `text` is the sentence.
    pub fn of(
        outcome: &Outcome,
        printed: &str,
        stack: Vec<StackFrame>,
        text: &[u8],
    ) -> Option<Fault> {
        let signature = match outcome {
            Outcome::Finished(_) => return None,
            Outcome::Crash(signature) => signature.to_string(),
            Outcome::Exit(status) => format!("exit with status {status}"),
            Outcome::TimeOut => "time-out".into(),
            _ => "out of memory".into(),
        };
        let (kind, location) = split_signature(&signature);
        let frames = stack
            .into_iter()
            .filter(|frame| frame.owner() != FrameOwner::Runtime)
            .collect();
        let message = message(&kind, printed);
        let pattern = message_pattern(&message, text);
        let severity = severity(&kind, printed);
        let mut fault = Fault {
            kind,
            location: FaultLocation::Nowhere,
            origin: None,
            message,
            pattern,
            frames,
            severity,
        };
        fault.find_location(printed, location.as_deref());
        Some(fault)
    }

    /// Sets the location. `location` is the one in the signature.
    fn find_location(&mut self, printed: &str, location: Option<&str>) {
        if self.kind == "stack overflow" {
            self.location = FaultLocation::Recursion(recursive_functions(&self.frames));
            return;
        }
        if let ("failure" | "disagreement", Some(key)) = (&self.kind[..], location) {
            self.location = FaultLocation::Message(key.into());
            return;
        }
        let reported = match &self.kind[..] {
            "panic" => panic_location(printed),
            _ => location.map(|location| frame_at("", location)),
        };
        let is_called = |at: &StackFrame| at.owner() == FrameOwner::Dependency;
        // An arithmetic overflow in a function of the standard library is the fault of its caller.
        let is_library = |at: &StackFrame| at.owner() == FrameOwner::Runtime;
        let panicked = match &reported {
            Some(at) if is_library(at) => self.frames.first(),
            at => at.as_ref(),
        };
        self.origin = panicked.filter(|at| is_called(at)).cloned();
        // The line in the message is exact if it is in the user's code. With `#[track_caller]`, it is
        // the line that called the panicking function.
        let mut frames = self.frames.iter();
        if let Some(mut at) = reported.clone().filter(|at| at.owner() == FrameOwner::User) {
            let found = frames.position(|frame| {
                frame.line == at.line && frame.path().ends_with(file_name(at.path()))
            });
            if at.function.is_empty() {
                at.function = found
                    .map_or("", |found| &self.frames[found].function)
                    .into();
            }
            self.location = FaultLocation::Frame(at);
            return;
        }
        if let Some(own) = own_frame(&self.frames) {
            self.location = FaultLocation::Frame(self.frames[own].clone());
        } else if let Some(at) = reported {
            self.location = FaultLocation::Frame(at);
        } else if !self.message.is_empty() {
            self.location = FaultLocation::Message(self.pattern.clone());
        }
    }

    /// Returns whether two faults have the same kind and location.
    pub fn is_same(&self, other: &Fault) -> bool {
        let exact = |fault: &Fault| {
            let at = fault.origin.as_ref()?;
            Some((at.path().to_owned(), at.line, at.column))
        };
        if self.kind != other.kind || exact(self) != exact(other) {
            return false;
        }
        match (&self.location, &other.location) {
            // If two recursions have a function in common, their functions call each other, so they
            // are one recursion.
            (FaultLocation::Recursion(one), FaultLocation::Recursion(other)) => {
                one == other || !one.is_disjoint(other)
            }
            (FaultLocation::Frame(one), FaultLocation::Frame(other))
                if one.line > 0 && other.line > 0 =>
            {
                let is_panic = self.kind == "panic";
                (one.path(), one.line) == (other.path(), other.line)
                    && (!is_panic || one.column == other.column)
            }
            (FaultLocation::Frame(one), FaultLocation::Frame(other)) => {
                (&one.function, one.path()) == (&other.function, other.path())
            }
            (one, other) => one == other,
        }
    }

    /// Returns the name of the comparison that failed, if the fault is a disagreement.
    pub fn comparison(&self) -> Option<&str> {
        match &self.location {
            FaultLocation::Message(key) if self.kind == "disagreement" => known::comparison(key),
            _ => None,
        }
    }

    /// Returns what identifies the fault in all builds of the program.
    pub fn identity(&self) -> FaultIdentity {
        let name = |at: &StackFrame| file_name(at.path()).to_owned();
        let has_symbol = |at: &StackFrame| !at.function.is_empty() && !at.function.contains("+0x");
        let (mut functions, mut file, mut message) = (BTreeSet::new(), None, None);
        let mut line = self.origin.as_ref().map(|at| at.line);
        match &self.location {
            FaultLocation::Frame(at) => {
                file = Some(name(at));
                line = line.or(Some(at.line)).filter(|line| *line > 0);
                functions.extend(has_symbol(at).then(|| at.function.clone()));
                message = Some(self.pattern.clone());
            }
            FaultLocation::Recursion(recursive) => functions = recursive.clone(),
            // What a target printed before a time-out is not about the time-out.
            FaultLocation::Message(_) | FaultLocation::Nowhere if self.kind == "time-out" => {}
            FaultLocation::Message(text) => message = Some(text.clone()),
            FaultLocation::Nowhere => {}
        }
        FaultIdentity {
            kind: self.kind.clone(),
            functions,
            file,
            origin: self.origin.as_ref().map(name),
            message,
            line,
        }
    }

    /// Returns the kind and the location in one line.
    pub fn heading(&self) -> String {
        let kind = &self.kind;
        match &self.location {
            _ if self.origin.is_some() => {
                format!(
                    "{kind} at {}",
                    self.origin.as_ref().map_or(String::new(), source)
                )
            }
            FaultLocation::Frame(at) if at.function.is_empty() => {
                format!("{kind} at {}", source(at))
            }
            FaultLocation::Frame(at) if at.file.is_empty() => format!("{kind} in {}", at.function),
            FaultLocation::Frame(at) => format!("{kind} in {} at {}", at.function, source(at)),
            FaultLocation::Recursion(functions) if !functions.is_empty() => {
                let names: Vec<&str> = functions.iter().map(String::as_str).collect();
                format!("{kind} in {}", names.join(", "))
            }
            FaultLocation::Message(message) => format!("{kind}: {message}"),
            FaultLocation::Recursion(_) | FaultLocation::Nowhere => kind.clone(),
        }
    }
}

/// Returns the source file of a frame, with its line and its column if there are some.
pub fn source(frame: &StackFrame) -> String {
    let numbers = [frame.line, frame.column].map(|number| match number {
        0 => String::new(),
        number => format!(":{number}"),
    });
    format!("{}{}", local_path(frame), numbers.concat())
}

/// Returns the source file of a frame, relative to the current directory if it is in it.
pub fn local_path(frame: &StackFrame) -> &str {
    let path = frame.path();
    let inside = std::env::current_dir()
        .ok()
        .and_then(|directory| Path::new(path).strip_prefix(directory).ok()?.to_str());
    inside.unwrap_or(path)
}

/// Splits a signature into the kind of the fault and its location.
fn split_signature(signature: &str) -> (String, Option<String>) {
    let location = |text: &str| Some(text.to_owned());
    for kind in ["failure", "disagreement"] {
        if let Some(key) = signature
            .strip_prefix(kind)
            .and_then(|rest| rest.strip_prefix(": "))
        {
            return (kind.into(), location(key));
        }
    }
    for kind in ["panic", "undefined behaviour", "assertion"] {
        if let Some(at) = signature
            .strip_prefix(kind)
            .and_then(|rest| rest.strip_prefix(" at "))
        {
            return (kind.into(), location(at));
        }
    }
    let kind = signature.split(" in ").next().unwrap_or(signature);
    match kind {
        "stack-overflow" => ("stack overflow".into(), None),
        kind => (kind.into(), None),
    }
}

/// Returns the location of the first panic in the output of a program.
fn panic_location(printed: &str) -> Option<StackFrame> {
    let line = printed
        .lines()
        .find(|line| line.starts_with("thread ") && line.contains(" panicked at "))?;
    let (_, location) = line.split_once(" panicked at ")?;
    Some(frame_at("", location.trim_end_matches(':')))
}

/// Returns a frame at a location such as `src/a.rs:1:2`, or `a.c:12: int f(void)` with its function.
fn frame_at(function: &str, location: &str) -> StackFrame {
    match location.split_once(": ") {
        Some((location, function)) => StackFrame::at(function, location),
        None => StackFrame::at(function, location),
    }
}

/// Returns the index of the frame that a fault is attributed to: the innermost frame of the user's
/// code. If the user has only the file of the harness, it is the innermost frame of the dependency
/// that the harness calls.
fn own_frame(frames: &[StackFrame]) -> Option<usize> {
    let of = |owner| {
        let frames = frames.iter().enumerate();
        frames.filter(move |(_, frame)| frame.owner() == owner)
    };
    // The function that the harness calls is the outermost one.
    let harness = of(FrameOwner::User)
        .next_back()
        .map(|(_, frame)| &frame.file);
    let own = of(FrameOwner::User).find(|(_, frame)| Some(&frame.file) != harness);
    let krate = |frame: &StackFrame| frame.path().split('/').next().map(str::to_owned);
    let called = of(FrameOwner::Dependency)
        .next_back()
        .and_then(|(_, frame)| krate(frame));
    own.or_else(|| of(FrameOwner::Dependency).find(|(_, frame)| krate(frame) == called))
        .or_else(|| of(FrameOwner::User).next())
        .map(|(at, _)| at)
}

/// Returns the functions that are on a stack more than once.
fn recursive_functions(frames: &[StackFrame]) -> BTreeSet<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for frame in frames {
        *counts.entry(&frame.function).or_default() += 1;
    }
    let recursive = counts.into_iter().filter(|(_, count)| *count > 1);
    recursive.map(|(name, _)| name.to_owned()).collect()
}

/// Returns what the output says about a fault.
fn message(kind: &str, printed: &str) -> String {
    let mut lines = printed.lines();
    match kind {
        "panic" => {
            lines.find(|line| line.contains(" panicked at "));
            whole(lines.next().unwrap_or_default(), lines)
        }
        "failure" | "disagreement" => {
            let start = if kind == "failure" {
                FAILURE
            } else {
                DISAGREEMENT
            };
            let key = lines.find_map(|line| line.split_once(start));
            whole(key.unwrap_or_default().1, lines)
        }
        _ => last_line(printed),
    }
}

/// Returns a message of several lines. `first` is its first line.
fn whole<'a>(first: &'a str, rest: Lines<'a>) -> String {
    let rest = rest.take_while(|line| !is_after_message(line));
    let lines: Vec<&str> = std::iter::once(first).chain(rest).collect();
    lines.join("\n").trim().chars().take(MAX_MESSAGE).collect()
}

/// Returns whether a line is printed after the message of a panic: by Rust, by libFuzzer, by a
/// sanitizer or by the target that starts again.
fn is_after_message(line: &str) -> bool {
    let starts = ["note: run with", "stack backtrace:", "SUMMARY: ", "INFO: "];
    let is_report = line
        .strip_prefix("==")
        .is_some_and(|rest| rest.starts_with(|char: char| char.is_ascii_digit()));
    let is_panic = line.starts_with("thread ") && line.contains(" panicked at ");
    is_report || is_panic || starts.iter().any(|start| line.starts_with(start))
}

/// Returns the line of a sanitizer's report that has the fault. Without a report, returns the last
/// line that the program printed.
fn last_line(printed: &str) -> String {
    let mut lines = printed.lines();
    let is_report =
        |line: &&str| line.contains("Sanitizer: ") || line.contains(": runtime error: ");
    let is_message = |line: &&str| {
        !line.trim().is_empty()
            && !line.starts_with("INFO: ")
            && !line.starts_with("WARNING: Failed to find function")
            && !is_report_of_libfuzzer(line)
    };
    let line = lines
        .clone()
        .find(is_report)
        .or_else(|| lines.rfind(is_message));
    // A report begins with the number of the process, which differs between runs.
    let line = line.unwrap_or_default().trim();
    let line = line
        .strip_prefix("==")
        .and_then(|rest| rest.split_once("=="))
        .map_or(line, |(_, rest)| rest);
    line.chars().take(MAX_LINE).collect()
}

/// Returns the first line of a message, with placeholders for values, such as parts of the
/// sentence.
fn message_pattern(message: &str, text: &[u8]) -> String {
    pattern(message, text, &|_| false).0.to_string()
}

/// Returns whether a line belongs to the report that libFuzzer prints when a target calls `exit`.
fn is_report_of_libfuzzer(line: &str) -> bool {
    let starts = [
        "Base64:",
        "MS: ",
        "0x",
        "artifact_prefix=",
        "SUMMARY: libFuzzer",
    ];
    starts.iter().any(|start| line.starts_with(start))
        || line.contains("ERROR: libFuzzer: ")
        || line.trim_start().starts_with('#')
}

/// Returns a frame for tests.
#[cfg(test)]
pub fn frame(function: impl ToString, line: u32) -> StackFrame {
    StackFrame::at(&function.to_string(), &format!("/w/a.c:{line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REGISTRY: &str = "/root/.cargo/registry/src/index-1";

    /// Returns the function that a fault with a stack of functions and files is attributed to.
    fn own(frames: &[(&str, &str)]) -> Option<String> {
        let frames: Vec<StackFrame> = frames
            .iter()
            .map(|(function, file)| StackFrame::at(function, file))
            .collect();
        own_frame(&frames).map(|at| frames[at].function.clone())
    }

    #[test]
    fn a_fault_is_attributed_to_the_program_under_test() {
        let vector = format!("{REGISTRY}/smallvec-1.0.0/src/lib.rs:1:1");
        let naga = format!("{REGISTRY}/naga-30.0.0/src/lib.rs:1:1");
        let harness = ("run", "fuzz_targets/wgsl.rs:1:1");
        let library = ("parse", "../src/lib.rs:1:1");
        for (frames, expected) in [
            (
                &[("push", &vector[..]), library, harness][..],
                Some("parse"),
            ),
            (
                &[
                    ("push", &vector),
                    ("check", &naga),
                    ("read", &naga),
                    harness,
                ],
                Some("check"),
            ),
            (&[("inner", harness.1), harness], Some("inner")),
            (&[], None),
        ] {
            assert_eq!(own(frames).as_deref(), expected, "{frames:?}");
        }
    }

    #[test]
    fn panics_of_a_dependency_are_told_apart_by_their_location() {
        let found = |line: u32, caller: u32, reported: Option<&str>| {
            let location = format!("{REGISTRY}/naga-30.0.0/src/a.rs:{line}:1");
            let reported = reported.unwrap_or(&location);
            let printed = format!("thread 'main' panicked at {reported}:\nunreachable\n");
            let stack = vec![
                StackFrame::at("eval", &location),
                StackFrame::at("run", &format!("/w/src/lib.rs:{caller}:2")),
                StackFrame::at("body", "/w/fuzz_targets/a.rs:1:1"),
            ];
            let signature = format!("panic at naga-30.0.0/src/a.rs:{line}:1");
            let mut fault = Fault {
                kind: "panic".into(),
                location: FaultLocation::Nowhere,
                origin: None,
                message: String::new(),
                pattern: String::new(),
                frames: stack,
                severity: severity("panic", ""),
            };
            fault.find_location(&printed, Some(&signature));
            fault
        };
        let fault = |line, caller| found(line, caller, None);
        assert_eq!(fault(3, 7).heading(), "panic at naga-30.0.0/src/a.rs:3:1");
        let library = "/rustc/0123/library/core/src/num/mod.rs:9:9";
        let overflow = found(3, 7, Some(library)).heading();
        assert_eq!(overflow, "panic at naga-30.0.0/src/a.rs:3:1");
        assert!(fault(3, 7).is_same(&fault(3, 7)));
        assert!(!fault(3, 7).is_same(&fault(4, 7)));
        assert!(!fault(3, 7).is_same(&fault(3, 8)));
    }

    #[test]
    fn builds_have_the_same_fault_if_kind_function_and_file_are_the_same() {
        let fault = |kind: &str, function: &str, location: &str, message: &str| Fault {
            kind: kind.into(),
            location: FaultLocation::Frame(StackFrame::at(function, location)),
            origin: None,
            message: message.into(),
            pattern: pattern(message, b"", &|_| false).0.to_string(),
            frames: Vec::new(),
            severity: severity(kind, ""),
        };
        let old = fault("panic", "a::parse", "/w/old/src/a.rs:1:2", "no value 3");
        for (is_same, new) in [
            (
                true,
                fault("panic", "a::parse", "/w/new/src/a.rs:40:5", "x"),
            ),
            (
                false,
                fault("panic", "a::check", "/w/new/src/a.rs:1:2", "x"),
            ),
            (
                false,
                fault("panic", "a::parse", "/w/new/src/b.rs:1:2", "x"),
            ),
            (false, fault("SIGSEGV", "a::parse", "src/a.rs:1:2", "x")),
            // Without a function, the message decides.
            (true, fault("panic", "", "src/a.rs:40:5", "no value 12")),
            (false, fault("panic", "", "src/a.rs:40:5", "no name")),
            (
                true,
                fault("panic", "a+0x17", "src/a.rs:40:5", "no value 12"),
            ),
        ] {
            assert_eq!(old.identity().is_same(&new.identity()), is_same, "{new:?}");
            assert_eq!(new.identity().is_same(&old.identity()), is_same, "{new:?}");
        }
        // A known failure is not another one in its function.
        for (is_known, new) in [
            (true, fault("panic", "a::parse", "src/a.rs:1:9", "x")),
            (
                true,
                fault("panic", "a::parse", "src/a.rs:7:9", "no value 4"),
            ),
            (false, fault("panic", "a::parse", "src/a.rs:7:9", "x")),
        ] {
            let known = old.identity();
            assert_eq!(known.is_exactly(&new.identity()), is_known, "{new:?}");
        }
        // A build without lines has the message.
        let lineless = |message: &str| fault("SIGSEGV", "a::parse", "a.c", message).identity();
        assert!(lineless("no value 3").is_exactly(&lineless("no value 4")));
        assert!(!lineless("no value 3").is_exactly(&lineless("x")));
        let late = |message: &str| Fault {
            location: FaultLocation::Message(message.into()),
            ..fault("time-out", "", "", "")
        };
        assert!(late("reading").identity().is_same(&late("done").identity()));
    }

    #[test]
    fn recursions_with_a_common_function_are_one_fault() {
        let fault = |functions: &str| Fault {
            kind: "stack overflow".into(),
            location: FaultLocation::Recursion(recursive_functions(
                &functions
                    .chars()
                    .map(|name| frame(name, 1))
                    .collect::<Vec<_>>(),
            )),
            origin: None,
            message: String::new(),
            pattern: String::new(),
            frames: Vec::new(),
            severity: severity("stack overflow", ""),
        };
        let (long, short, other) = (fault("xabcabcab"), fault("ababm"), fault("dedem"));
        assert_eq!(long.heading(), "stack overflow in a, b, c");
        assert!(long.is_same(&short) && !short.is_same(&other));
        assert!(fault("").is_same(&fault("xy")) && !fault("").is_same(&short));
    }

    #[test]
    fn the_message_of_a_panic_is_whole() {
        let value = "x".repeat(MAX_LINE + 1);
        let printed = format!(
            "noise\nthread 'main' panicked at src/a.rs:1:2:\nassertion `left == right` failed\n  left: \"{value}\"\n\n right: 1\n"
        );
        let expected =
            format!("assertion `left == right` failed\n  left: \"{value}\"\n\n right: 1");
        for end in [
            "note: run with `RUST_BACKTRACE=1`",
            "stack backtrace:\n   0: main",
            "==5== ERROR: libFuzzer: deadly signal",
            "==5==ERROR: AddressSanitizer: ABRT",
            "INFO: zester: a.ebnf",
            "thread 'main' panicked at src/b.rs:1:2:\nsecond",
        ] {
            assert_eq!(
                message("panic", &format!("{printed}{end}\n")),
                expected,
                "{end}"
            );
        }
        let failure = "thread 'main' panicked at src/a.rs:1:2:\nzester: failure: a key\nleft: 1\nnote: run with …";
        assert_eq!(message("failure", failure), "a key\nleft: 1");
        assert_eq!(message("SIGABRT", "first\nlast\n"), "last");
        let long = "panicked at a:\n".to_owned() + &value.repeat(100);
        assert_eq!(
            message("panic", &format!("thread 'main' {long}")).len(),
            MAX_MESSAGE
        );
    }

    #[test]
    fn a_failure_of_an_oracle_is_identified_by_its_key() {
        let (kind, key) = split_signature("failure: a = 1 in x at y");
        assert_eq!(
            (&kind[..], key.as_deref()),
            ("failure", Some("a = 1 in x at y"))
        );
        let fault = |line: u32, key: &str| {
            let printed = format!("thread 'main' panicked at src/a.rs:{line}:1:\n{FAILURE}{key}");
            let mut fault = Fault {
                kind: "failure".into(),
                location: FaultLocation::Nowhere,
                origin: None,
                message: message("failure", &printed),
                pattern: String::new(),
                frames: vec![frame("oracle", line)],
                severity: severity("failure", ""),
            };
            fault.find_location(&printed, Some(key));
            fault
        };
        assert_eq!(fault(1, "a = 1").heading(), "failure: a = 1");
        for (other, is_same) in [(fault(2, "a = 1"), true), (fault(1, "a = 2"), false)] {
            let one = fault(1, "a = 1");
            assert_eq!(one.is_same(&other), is_same);
            assert_eq!(one.identity().is_exactly(&other.identity()), is_same);
        }
    }

    #[test]
    fn runs_without_a_location_are_told_apart_by_their_last_line() {
        let of = |status: i32, printed: &str| {
            let printed = || printed.to_owned();
            RunIdentity::of(&Outcome::Exit(status), printed, b"x1+2")
        };
        assert_eq!(of(3, "noise\nno name x1 at 4"), of(3, "no name x1 at 7\n"));
        assert_ne!(of(3, "no name x1"), of(3, "no type x1"));
        assert_ne!(of(3, ""), of(4, ""));
        // What a target printed before a time-out is not about the time-out.
        let unread = || -> String { unreachable!("nobody reads the output") };
        let late = RunIdentity::of(&Outcome::TimeOut, unread, b"");
        assert_eq!(late, RunIdentity::of(&Outcome::TimeOut, unread, b"x"));
        let [valid, invalid] = [Validity::Valid, Validity::Invalid]
            .map(|validity| RunIdentity::of(&Outcome::Finished(validity), unread, b""));
        assert_eq!(valid, invalid);
    }
}
