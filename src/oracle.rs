//! Oracles compare answers of the program under test, so that a fuzz target also finds wrong results.
//!
//! A comparison that fails is a *disagreement*. It is a failure like a crash: `zester fuzz` keeps the
//! input, `zester run` ends with status 1, and `zester triage`, `zester reduce` and the file of known
//! failures support it. Under `zester fuzz`, the process continues. In a unit test, the function
//! panics. Elsewhere, the process aborts.
//!
//! | oracle | what must hold |
//! |---|---|
//! | [`same!`](crate::same), [`same`], [`same_by`] | two values are equal |
//! | [`round_trip`], [`round_trip_by`] | what is parsed, printed and parsed again is the same |
//! | [`idempotent`] | what was formatted does not change when it is formatted again |
//! | [`agree`], [`agree_on_values`] | two functions or programs give the same answer |
//! | [`optimised`] | a function gives the same answer in two configurations |
//! | [`equal: true`](crate::fuzz_target!#equivalent-sentences) | equivalent sentences have the same answer |
//! | [`Program`] | the answer of a program in any language, for the others |
//!
//! # Kinds
//!
//! A disagreement has the name of the comparison, and the *kind* of the difference: what both
//! values have at the first position where their `{:?}` forms differ, and in which field, for
//! example `Some against None in limit`. `zester reduce` keeps the kind. `zester triage` groups
//! disagreements by the shape of their sentences, whatever their kind.
//!
//! # Examples
//!
//! The body of a fuzz target for a parser:
//!
//! ```
//! # #[derive(Debug, PartialEq)]
//! # struct Tree(u8);
//! # fn parse(text: &str) -> Result<Tree, String> { text.parse().map(Tree).map_err(|_| "no".into()) }
//! # fn print(tree: &Tree) -> String { tree.0.to_string() }
//! fn body(text: &str) -> Result<Tree, String> {
//!     zester::oracle::round_trip(text, parse, print)
//! }
//! assert!(body("17").is_ok() && body("x").is_err());
//! ```

#[cfg(unix)]
mod program;

use std::any::type_name;
use std::fmt::{self, Debug, Display};

#[cfg(unix)]
pub use self::program::Program;
use crate::difference::{BothValues, kind};
use crate::hooks::disagree;

/// Compares two values, and reports a disagreement if they differ. Returns whether they are equal.
/// The name of the comparison is the third argument; by default it is the text of both expressions.
/// With a fourth argument, a function decides whether the values are equal.
///
/// # Examples
///
/// ```
/// let (fast, slow) = (2.0_f64.sqrt(), 2.0_f64.powf(0.5));
/// assert!(zester::same!(fast, slow, "roots", |a, b| (a - b).abs() < 1e-9));
/// ```
#[macro_export]
macro_rules! same {
    ($left:expr, $right:expr $(,)?) => {
        $crate::same!(
            $left,
            $right,
            concat!(stringify!($left), " and ", stringify!($right))
        )
    };
    ($left:expr, $right:expr, $name:expr $(,)?) => {
        $crate::oracle::same(&$left, &$right, $name)
    };
    ($left:expr, $right:expr, $name:expr, $by:expr $(,)?) => {
        $crate::oracle::same_by(&$left, &$right, $name, $by)
    };
}

/// Compares two values, and reports a disagreement if they differ. Returns whether they are equal.
/// `name` is the name of the comparison: disagreements of different names are different failures.
#[track_caller]
pub fn same<T: PartialEq<U> + Debug, U: Debug>(left: &T, right: &U, name: &str) -> bool {
    same_by(left, right, name, |left, right| left == right)
}

/// Compares two values by the function `is_same`, which may for example allow a small difference of
/// numbers. Reports a disagreement if the function returns false. Returns the result of the
/// function.
#[track_caller]
pub fn same_by<T: Debug, U: Debug>(
    left: &T,
    right: &U,
    name: &str,
    is_same: impl FnOnce(&T, &U) -> bool,
) -> bool {
    let is_same = is_same(left, right);
    if !is_same {
        differ(name, ("left", left), ("right", right));
    }
    is_same
}

/// Compares two byte strings, for the library of C. Returns whether they are equal.
#[doc(hidden)]
pub fn same_bytes(name: &str, left: &[u8], right: &[u8]) -> bool {
    let is_same = left == right;
    if !is_same {
        let [left, right] = [left, right].map(String::from_utf8_lossy);
        let values = BothValues::new(("left", &left), ("right", &right));
        disagree(name, &kind(&left, &right), &values);
    }
    is_same
}

/// Reports that two values, each with its name, are not the same.
#[track_caller]
#[cold]
fn differ(name: &str, left: (&str, &dyn Debug), right: (&str, &dyn Debug)) {
    let [one, other] = [left, right].map(|(_, value)| format!("{value:?}"));
    let values = BothValues::new((left.0, &one), (right.0, &other));
    disagree(name, &kind(&one, &other), &values);
}

/// Reports a disagreement: one side gives an answer, and the other side refuses the text.
#[track_caller]
#[cold]
fn refused(name: &str, what: &str, answer: (&str, &dyn Debug), refusal: (&str, &dyn Display)) {
    let [value, error] = [format!("{:?}", answer.1), refusal.1.to_string()];
    let values = BothValues::new((answer.0, &value), (refusal.0, &error));
    disagree(name, what, &values);
}

/// Parses a text, prints the value, and parses the printed text. The second parse must succeed and
/// give an equal value. The comparison has the name `round trip`.
///
/// The kind of a disagreement is computed from the `{:?}` forms. If these contain parts that `==`
/// ignores, such as the positions of tokens, use [`round_trip_by`].
///
/// # Errors
/// If the text is refused.
#[track_caller]
pub fn round_trip<T: PartialEq + Debug, E: Display>(
    text: &str,
    parse: impl Fn(&str) -> Result<T, E>,
    print: impl FnOnce(&T) -> String,
) -> Result<T, E> {
    trip(text, parse, print, |before, after| {
        if before != after {
            differ(ROUND_TRIP, ("before", before), ("after", after));
        }
    })
}

/// Parses a text, prints the value, and parses the printed text. The second parse must succeed, and
/// `view` must return equal results for both values. The comparison has the name `round trip`.
///
/// # Errors
/// If the text is refused.
#[track_caller]
pub fn round_trip_by<T, V: PartialEq + Debug, E: Display>(
    text: &str,
    parse: impl Fn(&str) -> Result<T, E>,
    print: impl FnOnce(&T) -> String,
    view: impl Fn(&T) -> V,
) -> Result<T, E> {
    trip(text, parse, print, |before, after| {
        let (before, after) = (view(before), view(after));
        if before != after {
            differ(ROUND_TRIP, ("before", &before), ("after", &after));
        }
    })
}

/// The name of the comparison of a round trip.
const ROUND_TRIP: &str = "round trip";

/// Parses, prints and parses again, and compares both values.
#[track_caller]
fn trip<T, E: Display>(
    text: &str,
    parse: impl Fn(&str) -> Result<T, E>,
    print: impl FnOnce(&T) -> String,
    compare: impl FnOnce(&T, &T),
) -> Result<T, E> {
    let value = parse(text)?;
    let printed = print(&value);
    match parse(&printed) {
        Err(error) => {
            let what = "the printed text is refused";
            refused(ROUND_TRIP, what, ("printed", &printed), ("error", &error));
        }
        Ok(again) => compare(&value, &again),
    }
    Ok(value)
}

/// Formats a text, and formats the result once more. The second formatting must change nothing. The
/// comparison has the name `idempotent`.
///
/// # Errors
/// If the text is refused.
#[track_caller]
pub fn idempotent<E: Display>(
    text: &str,
    format: impl Fn(&str) -> Result<String, E>,
) -> Result<String, E> {
    const NAME: &str = "idempotent";
    let once = format(text)?;
    match format(&once) {
        Err(error) => {
            let what = "the formatted text is refused";
            refused(NAME, what, ("formatted", &once), ("error", &error));
        }
        Ok(twice) if twice != once => differ(NAME, ("once", &once), ("twice", &twice)),
        Ok(_) => {}
    }
    Ok(once)
}

/// Calls two functions: both must refuse the text, or give equal values. The comparison has the name
/// `agree`, with the names of the functions if both have one, such as `agree (parse, parse_fast)`. Returns the
/// result of the first function.
///
/// A function with a lifetime in its type, such as `serde_json::from_str`, needs a closure:
///
/// ```
/// # fn body(text: &str) {
/// # use std::num::ParseIntError;
/// let signed = |text: &str| text.parse::<i64>();
/// let wide = |text: &str| text.parse::<i128>().map(|number| number as i64);
/// let _: Result<i64, ParseIntError> = zester::oracle::agree(text, signed, wide);
/// # }
/// ```
///
/// # Errors
/// If the first function refuses the text.
#[track_caller]
pub fn agree<T: PartialEq<U> + Debug, U: Debug, E: Display, F: Display>(
    text: &str,
    first: impl FnOnce(&str) -> Result<T, E>,
    second: impl FnOnce(&str) -> Result<U, F>,
) -> Result<T, E> {
    let name = AgreeName::of(&first, &second);
    compare(name, first(text), second(text))
}

/// Calls two functions. If neither refuses the text, they must give equal values. The comparison is
/// named as in [`agree`]. Returns the result of the first function, or an error if the second refuses
/// the text.
///
/// # Errors
/// If a function refuses the text.
#[track_caller]
pub fn agree_on_values<T: PartialEq<U> + Debug, U: Debug, E: Display, F: Display>(
    text: &str,
    first: impl FnOnce(&str) -> Result<T, E>,
    second: impl FnOnce(&str) -> Result<U, F>,
) -> Result<T, String> {
    let name = AgreeName::of(&first, &second);
    let first = first(text).map_err(|error| error.to_string())?;
    let second = second(text).map_err(|error| error.to_string())?;
    if first != second {
        differ(&name.to_string(), ("left", &first), ("right", &second));
    }
    Ok(first)
}

/// Calls a function without and with its optimisations, which its second argument switches on: both
/// must refuse the text, or give equal values. If a text may be refused only without optimisations,
/// use [`agree_on_values`] with two closures. The comparison has the name `optimised`. Returns the
/// result without optimisations.
///
/// # Errors
/// If the function refuses the text without optimisations.
#[track_caller]
pub fn optimised<T: PartialEq + Debug, E: Display>(
    text: &str,
    run: impl Fn(&str, bool) -> Result<T, E>,
) -> Result<T, E> {
    compare("optimised", run(text, false), run(text, true))
}

/// The name of a comparison of two functions, by the paths of their types.
struct AgreeName([&'static str; 2]);

impl AgreeName {
    fn of<F, G>(_: &F, _: &G) -> AgreeName {
        AgreeName([type_name::<F>(), type_name::<G>()])
    }
}

impl Display for AgreeName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self
            .0
            .map(|path| path.rsplit("::").next().unwrap_or_default());
        // The type of a closure has no name, and that of a generic function ends with its type
        // arguments.
        let is_name = |name: &str| {
            name.chars()
                .all(|char| char.is_alphanumeric() || char == '_')
        };
        match is_name(first) && is_name(second) {
            true => write!(formatter, "agree ({first}, {second})"),
            false => formatter.write_str("agree"),
        }
    }
}

/// Compares two results: both must be errors, or equal values.
#[track_caller]
fn compare<T: PartialEq<U> + Debug, U: Debug, E: Display, F: Display>(
    name: impl Display,
    first: Result<T, E>,
    second: Result<U, F>,
) -> Result<T, E> {
    match (&first, &second) {
        (Ok(value), Ok(other)) if value != other => {
            differ(&name.to_string(), ("left", value), ("right", other));
        }
        (Ok(value), Err(error)) => {
            let what = "the second refuses";
            refused(&name.to_string(), what, ("first", value), ("second", error));
        }
        (Err(error), Ok(value)) => {
            let what = "the first refuses";
            refused(&name.to_string(), what, ("second", value), ("first", error));
        }
        (Ok(_), Ok(_)) | (Err(_), Err(_)) => {}
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the message of the disagreement that a function reports, or an empty one.
    fn message(run: impl FnOnce()) -> String {
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).err();
        panic.map_or(String::new(), |panic| {
            panic.downcast_ref::<String>().cloned().unwrap_or_default()
        })
    }

    fn number(text: &str) -> Result<i32, String> {
        text.trim()
            .parse()
            .map_err(|_| format!("no number: {text}"))
    }

    #[test]
    fn values_are_compared() {
        assert!(same!(1 + 1, 2) && same!(1, 2, "parity", |a, b| a % 2 != b % 2));
        let found = message(|| _ = same!(1 + 1, 3));
        let expected = "zester: disagreement: 1 + 1 and 3: a number against a greater one\n   left: 2\n  right: 3";
        assert_eq!(found, expected);
        let found = message(|| _ = same!("a", "b", "names"));
        assert!(found.starts_with("zester: disagreement: names: a text against another one\n"));
        assert!(same_bytes("bytes", b"a", b"a"));
        let found = message(|| _ = same_bytes("bytes", b"1", b""));
        assert!(found.starts_with("zester: disagreement: bytes: a number against the end\n"));
    }

    #[test]
    fn a_round_trip_prints_and_parses_again() {
        let trip = |print: fn(&i32) -> String| {
            message(move || assert_eq!(round_trip("7", number, print), Ok(7)))
        };
        assert_eq!(trip(i32::to_string), "");
        let refused =
            "round trip: the printed text is refused\n  printed: \"x\"\n    error: no number: x";
        assert!(trip(|_| "x".into()).ends_with(refused));
        let other = "round trip: a number against a greater one\n  before: 7\n   after: 8";
        assert!(trip(|number| (number + 1).to_string()).ends_with(other));
        assert!(round_trip("x", number, i32::to_string).is_err());
    }

    #[test]
    fn a_round_trip_can_compare_a_part() {
        let print = |number: &i32| format!("{}", number + 10);
        let trip =
            |view: fn(&i32) -> i32| message(move || _ = round_trip_by("7", number, print, view));
        assert_eq!(trip(|number| number % 10), "");
        assert!(trip(|number| number % 3).ends_with("before: 1\n   after: 2"));
    }

    #[test]
    fn formatting_twice_changes_nothing() {
        let trimmed = |text: &str| Ok::<_, String>(text.trim().to_owned());
        assert_eq!(idempotent(" a ", trimmed), Ok("a".into()));
        let longer = |text: &str| match text.len() {
            3 => Err("too long"),
            _ => Ok(format!("{text}1")),
        };
        let found = message(|| _ = idempotent("a", longer));
        assert!(found.contains(
            "idempotent: a text against a longer one\n   once: \"a1\"\n  twice: \"a11\""
        ));
        let found = message(|| _ = idempotent("ab", longer));
        assert!(found.contains("idempotent: the formatted text is refused\n"));
        assert_eq!(idempotent("abc", longer), Err("too long"));
    }

    #[test]
    fn two_functions_agree() {
        let positive = |text: &str| number(text).ok().filter(|n| *n > 0).ok_or("not positive");
        assert_eq!(agree("1", number, positive), Ok(1));
        assert!(agree("x", number, positive).is_err());
        let found = message(|| _ = agree("-1", number, positive));
        let expected = "agree: the second refuses\n   first: -1\n  second: not positive";
        assert!(found.ends_with(expected), "{found}");
        let found = message(|| _ = agree("-1", positive, number));
        assert!(found.contains("agree: the first refuses\n"));
        fn other(text: &str) -> Result<i32, String> {
            number(text).map(|number| number + 1)
        }
        let found = message(|| _ = agree("1", number, other));
        assert!(
            found.contains("agree (number, other): a number against"),
            "{found}"
        );
        let found = message(|| _ = agree_on_values("1", number, other));
        assert!(
            found.contains("agree (number, other): a number against"),
            "{found}"
        );
        let refused = agree_on_values("-1", number, positive);
        assert_eq!(refused, Err("not positive".into()));
        let shifts = |text: &str, fast: bool| Ok::<_, String>(text.len() << u32::from(fast));
        assert_eq!(optimised("", shifts), Ok(0));
        assert!(message(|| _ = optimised("a", shifts)).contains("optimised: a number against"));
    }
}
