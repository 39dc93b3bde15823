//! Known faults of the versions that are fuzzed. A panic is identified by its site and its message.
//!
//! Several faults share a site, and sites move between versions. So both parts count, and only for
//! the given version.

use std::collections::HashSet;
use std::panic::{self, PanicHookInfo};
use std::sync::{Mutex, Once};

/// The site and the message of a fault.
struct Fault {
    id: &'static str,
    /// The end of the path of the source file, a colon, and the line; empty if the standard library
    /// panics.
    site: &'static str,
    /// A part of the message.
    message: &'static str,
}

/// The known faults, by the versions in Cargo.toml.
const FAULTS: &[Fault] = &[
    // naga 30.0.1
    Fault {
        id: "N1",
        site: "back/spv/block.rs:3847",
        message: "is not cached",
    },
    Fault {
        id: "N2",
        site: "back/hlsl/conv.rs:117",
        message: "unreachable",
    },
    Fault {
        id: "N3",
        site: "back/hlsl/storage.rs:274",
        message: "unreachable",
    },
    // naga 0.14.0
    Fault {
        id: "N5",
        site: "valid/analyzer.rs:372",
        message: "index out of bounds",
    },
    // turso 0.3.2
    Fault {
        id: "T1",
        site: "translate/expr.rs:659",
        message: "on a `None` value",
    },
    Fault {
        id: "T3",
        site: "vdbe/builder.rs:633",
        message: "unresolved label in Goto",
    },
    // boa_engine 0.21.0
    Fault {
        id: "B1",
        site: "vm/opcode/define/mod.rs:82",
        message: "index out of bounds",
    },
    Fault {
        id: "B2",
        site: "error.rs:1260",
        message: "cannot be converted to an opaque type",
    },
    // cel-interpreter 0.9.1
    Fault {
        id: "C1",
        site: "magic.rs:273",
        message: "index out of bounds",
    },
    Fault {
        id: "C2",
        site: "objects.rs:683",
        message: "",
    },
    Fault {
        id: "C3",
        site: "objects.rs:761",
        message: "",
    },
    Fault {
        id: "C4",
        site: "objects.rs:807",
        message: "",
    },
    Fault {
        id: "C5",
        site: "objects.rs:502",
        message: "",
    },
    // minijinja 2.12.0
    Fault {
        id: "M1",
        site: "value/mod.rs:610",
        message: "on a `None` value",
    },
    // lightningcss 1.0.0-alpha.65
    Fault {
        id: "L1",
        site: "values/percentage.rs:30",
        message: "unreachable",
    },
    // jaq 2.1.0
    Fault {
        id: "J1",
        site: "jaq-json-1.1.0/src/lib.rs:782",
        message: "",
    },
    Fault {
        id: "J2",
        site: "",
        message: "capacity overflow",
    },
    Fault {
        id: "J3",
        site: "jaq-json-1.1.0/src/lib.rs:667",
        message: "",
    },
    Fault {
        id: "J3",
        site: "jaq-json-1.1.0/src/lib.rs:728",
        message: "",
    },
    Fault {
        id: "J3",
        site: "jaq-json-1.1.0/src/lib.rs:798",
        message: "",
    },
];

/// Parts of the messages of panics that our own limits cause: Boa's builtins do not expect that a
/// call of theirs is stopped. The messages are about errors with no other cause, or say that an
/// asynchronous generator throws, which is impossible without limits.
const LIMITS: [&str; 3] = [
    "RuntimeLimit",
    "NoInstructionsRemain",
    "!result.is_throw_completion()",
];

/// Returns the known fault of a panic with this message at `site` (path and line).
fn fault(site: &str, message: &str) -> Option<&'static str> {
    let known = FAULTS
        .iter()
        .find(|fault| site.ends_with(fault.site) && message.contains(fault.message));
    known.map(|fault| fault.id)
}

/// Runs a subject in a fuzz target. A panic first prints a line `signature: …` on standard error,
/// with the known fault or the site, and then ends the process as usual.
///
/// With `HUNT=ID` in the environment, panics of other faults only reject their text, and each of
/// their sites is printed once. This makes it possible to search a program with many faults for one
/// of them. With `HUNT=none`, no panic ends the process. Panics that a subject's own limits cause
/// always only reject their text.
pub fn run<T>(subject: fn(&str) -> Result<T, String>, text: &str) -> Result<T, String> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| watch(std::env::var("HUNT").ok()));
    // This line is reached only if the hook did not end the process.
    panic::catch_unwind(|| subject(text))
        .unwrap_or_else(|_| Err("a panic that does not count".to_owned()))
}

fn watch(hunted: Option<String>) {
    let next = panic::take_hook();
    let reported = Mutex::new(HashSet::new());
    panic::set_hook(Box::new(move |panic| {
        let message = message(panic);
        if LIMITS.iter().any(|limit| message.contains(limit)) {
            return;
        }
        let signature = signature(panic);
        let is_sought = hunted.as_ref().is_none_or(|id| signature == *id);
        if is_sought
            || reported
                .lock()
                .is_ok_and(|mut reported| reported.insert(signature.clone()))
        {
            eprintln!("signature: {signature}");
        }
        if is_sought {
            next(panic);
        }
    }));
}

fn message<'a>(panic: &'a PanicHookInfo<'_>) -> &'a str {
    let payload = panic.payload();
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or_default()
}

/// Returns the signature of a panic: its known fault, or else its site.
fn signature(panic: &PanicHookInfo<'_>) -> String {
    let message = message(panic);
    let site = panic.location().map_or(String::new(), |location| {
        format!("{}:{}", location.file(), location.line())
    });
    fault(&site, message).map_or_else(|| format!("unknown, {site}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn site_and_message_count() {
        assert_eq!(
            fault(
                "/x/cel-interpreter-0.9.1/src/magic.rs:273",
                "index out of bounds: the len is 1"
            ),
            Some("C1")
        );
        assert_eq!(
            fault(
                "/x/cel-interpreter-0.9.1/src/magic.rs:273",
                "attempt to add"
            ),
            None
        );
        assert_eq!(
            fault(
                "/x/cel-interpreter-0.9.1/src/magic.rs:27",
                "index out of bounds"
            ),
            None
        );
        assert_eq!(
            fault(
                "/x/turso_core-0.3.2/vdbe/builder.rs:633",
                "unresolved label in IfNot"
            ),
            None
        );
        assert_eq!(
            fault("/rustc/library/alloc/raw_vec.rs:28", "capacity overflow"),
            Some("J2")
        );
    }
}
