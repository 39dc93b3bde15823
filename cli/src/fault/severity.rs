//! The severity of a fault: a class of CASR (<https://github.com/ispras/casr>).
//!
//! The table of reports of AddressSanitizer follows `libcasr/src/execution_class.rs`, version 2.13.1.
//! Faults without such a report are not exploitable in CASR, or have no class.

use std::fmt;

/// How likely it is that an attacker can use a fault to run code. The most severe class is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    Exploitable,
    ProbablyExploitable,
    NotExploitable,
    /// CASR has no class for the fault.
    Unknown,
}

impl fmt::Display for Class {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Class::Exploitable => "exploitable",
            Class::ProbablyExploitable => "probably exploitable",
            Class::NotExploitable => "not exploitable",
            Class::Unknown => "unknown",
        })
    }
}

/// A class, and what it was decided by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Severity {
    pub class: Class,
    /// The evidence, such as `CASR's class heap-buffer-overflow(write)`.
    pub source: String,
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.class, self.source)
    }
}

/// Reports of accesses. A write is exploitable, a read is not, and an access of an unknown direction
/// is probably exploitable.
const ACCESSES: [&str; 9] = [
    "heap-buffer-overflow",
    "dynamic-stack-buffer-overflow",
    "global-buffer-overflow",
    "stack-use-after-scope",
    "stack-use-after-return",
    "stack-buffer-overflow",
    "stack-buffer-underflow",
    "heap-use-after-free",
    "container-overflow",
];

/// Other reports, with their classes.
const OTHERS: [(&str, Class); 15] = [
    ("use-after-poison", Class::ProbablyExploitable),
    ("negative-size-param", Class::ProbablyExploitable),
    ("calloc-overflow", Class::ProbablyExploitable),
    ("reallocarray-overflow", Class::ProbablyExploitable),
    ("pvalloc-overflow", Class::ProbablyExploitable),
    ("double-free", Class::NotExploitable),
    ("bad-free", Class::NotExploitable),
    ("alloc-dealloc-mismatch", Class::NotExploitable),
    ("unknown-crash", Class::NotExploitable),
    ("new-delete-type-mismatch", Class::NotExploitable),
    ("use-of-uninitialized-value", Class::NotExploitable),
    ("allocation-size-too-big", Class::NotExploitable),
    ("out-of-memory", Class::NotExploitable),
    ("memory-leaks", Class::NotExploitable),
    ("FPE", Class::NotExploitable),
];

/// Addresses below this one are near null in CASR.
const NEAR_NULL: u64 = 64 << 10;

/// Returns the severity of a fault. `kind` is its kind as in a heading, and `printed` is the output of
/// the program.
pub fn severity(kind: &str, printed: &str) -> Severity {
    let casr = |class, name: &str| Severity {
        class,
        source: format!("CASR's class {name}"),
    };
    let plain = |source: &str| Severity {
        class: Class::NotExploitable,
        source: source.into(),
    };
    match kind {
        "panic" | "failure" => return plain(kind),
        "stack overflow" => return casr(Class::NotExploitable, "StackOverflow"),
        "time-out" => return casr(Class::NotExploitable, "timeout"),
        "out of memory" => return casr(Class::NotExploitable, "out-of-memory"),
        "undefined behaviour" => return casr(Class::NotExploitable, "undefined-behavior"),
        "assertion" | "SIGABRT" => return casr(Class::NotExploitable, "AbortSignal"),
        "SIGFPE" => return casr(Class::NotExploitable, "FPE"),
        "SIGTRAP" => return casr(Class::NotExploitable, "TrapSignal"),
        _ if kind.starts_with("exit") => {
            return casr(Class::NotExploitable, "fuzz target exited");
        }
        _ => {}
    }
    if kind.ends_with("-param-overlap") {
        return casr(Class::Exploitable, "param-overlap");
    }
    let access = access(printed);
    if kind == "SEGV" || kind == "BUS" {
        let is_near_null = address(printed).is_some_and(|address| address < NEAR_NULL);
        return match (access, is_near_null) {
            (Some("WRITE"), false) => casr(Class::Exploitable, "DestAv"),
            (Some("WRITE"), true) => casr(Class::ProbablyExploitable, "DestAvNearNull"),
            (Some(_), true) => casr(Class::NotExploitable, "SourceAvNearNull"),
            (Some(_), false) => casr(Class::NotExploitable, "SourceAv"),
            (None, _) => casr(Class::NotExploitable, "AccessViolation"),
        };
    }
    if ACCESSES.contains(&kind) {
        return match access {
            Some("WRITE") => casr(Class::Exploitable, &format!("{kind}(write)")),
            Some(_) => casr(Class::NotExploitable, &format!("{kind}(read)")),
            None => casr(Class::ProbablyExploitable, kind),
        };
    }
    match OTHERS.iter().find(|(name, _)| *name == kind) {
        Some((name, class)) => casr(*class, name),
        None => Severity {
            class: Class::Unknown,
            source: "there is no sanitizer's report to decide by".into(),
        },
    }
}

/// Returns the direction of the access in a report: `READ` or `WRITE`.
fn access(printed: &str) -> Option<&'static str> {
    let line = printed.lines().find(|line| {
        line.starts_with("READ of size")
            || line.starts_with("WRITE of size")
            || line.contains("The signal is caused by a ")
    })?;
    ["WRITE", "READ"]
        .into_iter()
        .find(|direction| line.contains(direction))
}

/// Returns the address in a report such as `SEGV on unknown address 0x000000000010`.
fn address(printed: &str) -> Option<u64> {
    let (_, rest) = printed.split_once("unknown address 0x")?;
    let digits = rest.split(|c: char| !c.is_ascii_hexdigit()).next()?;
    u64::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_is_more_severe_than_a_read() {
        for (kind, printed, expected) in [
            (
                "heap-buffer-overflow",
                "WRITE of size 1",
                "exploitable (CASR's class heap-buffer-overflow(write))",
            ),
            (
                "heap-buffer-overflow",
                "READ of size 4",
                "not exploitable (CASR's class heap-buffer-overflow(read))",
            ),
            (
                "heap-use-after-free",
                "",
                "probably exploitable (CASR's class heap-use-after-free)",
            ),
            (
                "SEGV",
                "SEGV on unknown address 0x000000000010 (pc 0x1)\n==1==The signal is caused by a WRITE memory access.",
                "probably exploitable (CASR's class DestAvNearNull)",
            ),
            (
                "SEGV",
                "SEGV on unknown address 0x7fff00000010 (pc 0x1)\n==1==The signal is caused by a WRITE memory access.",
                "exploitable (CASR's class DestAv)",
            ),
            ("panic", "WRITE of size 1", "not exploitable (panic)"),
            (
                "SIGSEGV",
                "",
                "unknown (there is no sanitizer's report to decide by)",
            ),
        ] {
            assert_eq!(severity(kind, printed).to_string(), expected);
        }
        assert!(Class::Exploitable < Class::NotExploitable);
    }
}
