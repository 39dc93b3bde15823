//! Failures that an oracle of a fuzz target reports, each with a key that identifies it.

use std::any::Any;
use std::fmt::Display;

/// The beginning of the message of such a failure. The rest of the line is the key. `c/src/entry.c`
/// has it, too.
pub const FAILURE: &str = "zester: failure: ";

/// Fails: the program under test did not do what an oracle of the fuzz target expects. `key` is one
/// line that identifies the failure, without values of the input. Failures with equal keys are one
/// failure, and failures with different keys are different ones, wherever they occur: when a
/// campaign counts, when inputs are grouped or reduced, and in the file of known failures.
///
/// It panics with the message `zester: failure: KEY`. Any panic whose message begins with
/// `zester: failure: ` has the same meaning. So has a line with these words that the program prints
/// before it ends by a signal. Further lines of the message are details, such as both values.
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

/// Returns the key if a panic with this payload is such a failure.
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
