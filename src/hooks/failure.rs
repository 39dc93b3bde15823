//! Failures that an oracle of a fuzz target reports, each with a key that identifies it.
//!
//! A *failure* ([`fail`]) is a panic. A *disagreement* ([`disagree`]) is not: under `zester fuzz`, the
//! run goes on.

use std::any::Any;
use std::fmt::Display;
use std::panic::Location;
use std::sync::atomic::{AtomicU8, Ordering};

use super::failed_runs::{self, FailedRun};
use crate::stable_hash::StableHash;

/// The beginning of the message of a failure. The rest of the line is the key. `c/src/entry.c` has
/// the same text.
pub const FAILURE: &str = "zester: failure: ";

/// Reports a failure: the program under test did not do what an oracle of the fuzz target expects.
/// `key` is one line that identifies the failure, without values of the input. Failures with equal
/// keys count as one failure, and failures with different keys as different ones. This holds in a
/// campaign, when inputs are grouped or reduced, and in the file of known failures.
///
/// The function panics with the message `zester: failure: KEY`. Any panic whose message begins with
/// `zester: failure: ` has the same meaning. A line with these words that the program prints before
/// it ends by a signal also has this meaning. Further lines of the message are details, such as
/// both values.
///
/// # Examples
///
/// What is printed and read again should be the same:
///
/// ```no_run
/// # #[derive(Debug, PartialEq)]
/// # struct Tree(u8);
/// # fn parse(text: &str) -> Option<Tree> { text.parse().ok().map(Tree) }
/// # fn print(tree: &Tree) -> String { tree.0.to_string() }
/// fn body(text: &str) -> bool {
///     let Some(tree) = parse(text) else {
///         return false;
///     };
///     match parse(&print(&tree)) {
///         None => zester::fail("round trip: the output is not read"),
///         Some(again) if again != tree => {
///             let values = format_args!("left: {tree:?}\nright: {again:?}");
///             zester::fail(format_args!("round trip: another tree\n{values}"))
///         }
///         Some(_) => true,
///     }
/// }
/// # body("1");
/// ```
#[track_caller]
pub fn fail(key: impl Display) -> ! {
    panic!("{FAILURE}{key}")
}

/// The beginning of the message of a disagreement. The rest of the line is the name of the comparison, `: `,
/// and the kind of the difference. The next lines have both values.
pub const DISAGREEMENT: &str = "zester: disagreement: ";

/// What the process does after a disagreement.
#[derive(Clone, Copy)]
#[repr(u8)]
pub enum EndOfDisagreement {
    /// The function panics, because no engine runs, as in a unit test.
    Panics,
    /// The process aborts, so that the engine keeps the input.
    Aborts,
    /// The run goes on. Few inputs are kept as artifacts.
    GoesOn,
}

static END: AtomicU8 = AtomicU8::new(EndOfDisagreement::Panics as u8);

pub(super) fn set_end(end: EndOfDisagreement) {
    END.store(end as u8, Ordering::Relaxed);
}

/// Reports that the comparison `name` failed. `kind` is the kind of the difference, without values of
/// the input. `values` has both values.
#[track_caller]
pub fn disagree(name: &str, kind: &str, values: &dyn Display) {
    let end = END.load(Ordering::Relaxed);
    if end == EndOfDisagreement::Panics as u8 {
        panic!("{DISAGREEMENT}{name}: {kind}\n{values}");
    }
    let caller = Location::caller();
    if end == EndOfDisagreement::GoesOn as u8 {
        let mut location = StableHash::new();
        for part in [caller.file(), name, kind] {
            location.bytes(part.as_bytes());
        }
        location.bytes(&caller.line().to_le_bytes());
        let noted = failed_runs::record(
            location.value() as u32,
            FailedRun::Disagreed,
            &format_args!("\n{DISAGREEMENT}{name}: {kind}\n{values}"),
        );
        if noted.is_some() {
            return;
        }
    }
    eprintln!("{DISAGREEMENT}{name}: {kind}\n{values}");
    std::process::abort();
}

/// Returns the key if a panic with this payload is a failure.
pub(super) fn key(payload: &dyn Any) -> Option<&str> {
    let text = payload.downcast_ref::<&str>().copied();
    let message = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))?;
    message.strip_prefix(FAILURE)?.lines().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_the_first_line_after_the_prefix() {
        let texts = [
            ("zester: failure: a = 1\ndetail", Some("a = 1")),
            ("zester: failure: b", Some("b")),
            ("not zester: failure: c", None),
        ];
        for (text, expected) in texts {
            assert_eq!(key(&text), expected);
            assert_eq!(key(&String::from(text)), expected);
        }
        let panic = std::panic::catch_unwind(|| fail(7)).unwrap_err();
        assert_eq!(key(&*panic), Some("7"));
        assert_eq!(key(&7), None);
    }
}
