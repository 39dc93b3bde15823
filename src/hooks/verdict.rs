//! The result of a fuzz target's body: whether the sentence was valid, and the reason if it was not.
//!
//! [`fuzz_target!`](crate::fuzz_target!) calls the method `validity` on five references to a
//! [`Verdict`]. The compiler takes the first of the five traits that fits the type of the result
//! (autoref specialisation). So the error of a `Result` is reported if it implements `Error`,
//! `Display` or `Debug`. A body may also return a `Result` whose error implements none of them.

use std::cell::Cell;
use std::error::Error;
use std::fmt::{self, Debug, Display, Write};

use crate::feedback;
use crate::feedback::layout::MAX_REASON;
use crate::validity::Validity;

/// The result of a fuzz target's body, until its validity is taken.
pub struct Verdict<T>(Cell<Option<T>>);

impl<T> Verdict<T> {
    /// Returns the verdict of a result.
    #[inline(always)]
    pub fn new(result: T) -> Verdict<T> {
        Verdict(Cell::new(Some(result)))
    }
}

impl<T, E> Verdict<Result<T, E>> {
    /// Returns whether the result is `Ok`. If the result is an error and reasons are wanted,
    /// reports the reason that `explain` writes.
    #[inline(always)]
    fn explained(&self, explain: fn(&E, &mut Reason)) -> Validity {
        match self.0.take() {
            Some(Err(error)) => {
                if feedback::wants_reasons() {
                    let mut reason = Reason(String::new());
                    explain(&error, &mut reason);
                    feedback::set_reason(&reason.0);
                }
                Validity::Invalid
            }
            _ => Validity::Valid,
        }
    }
}

/// A body without a result. This trait is tried first, so that a body that always panics has a
/// type.
pub trait ByNothing {
    /// Returns that the validity is unknown.
    fn validity(&self) -> Validity;
}

/// A result whose error is an [`Error`]. The reason is the error with its sources.
pub trait ByError {
    /// Returns the validity. If reasons are wanted, reports the reason of a rejection.
    fn validity(&self) -> Validity;
}

/// A result whose error can be displayed.
pub trait ByDisplay {
    /// Returns the validity. If reasons are wanted, reports the reason of a rejection.
    fn validity(&self) -> Validity;
}

/// A result whose error can be formatted by `{:?}`.
pub trait ByDebug {
    /// Returns the validity. If reasons are wanted, reports the reason of a rejection.
    fn validity(&self) -> Validity;
}

/// A result that converts to [`Validity`]. It has no reason.
pub trait ByConversion {
    /// Returns the validity.
    fn validity(&self) -> Validity;
}

impl ByNothing for &&&&Verdict<()> {
    #[inline(always)]
    fn validity(&self) -> Validity {
        Validity::Unknown
    }
}

impl<T, E: Error> ByError for &&&Verdict<Result<T, E>> {
    #[inline(always)]
    fn validity(&self) -> Validity {
        self.explained(|error, reason| reason.add_chain(error))
    }
}

impl<T, E: Display> ByDisplay for &&Verdict<Result<T, E>> {
    #[inline(always)]
    fn validity(&self) -> Validity {
        // The alternate form of `anyhow::Error` has its sources.
        self.explained(|error, reason| _ = write!(reason, "{error:#}"))
    }
}

impl<T, E: Debug> ByDebug for &Verdict<Result<T, E>> {
    #[inline(always)]
    fn validity(&self) -> Validity {
        self.explained(|error, reason| _ = write!(reason, "{error:?}"))
    }
}

impl<T: Into<Validity>> ByConversion for Verdict<T> {
    #[inline(always)]
    fn validity(&self) -> Validity {
        self.0.take().map_or(Validity::Unknown, T::into)
    }
}

/// Reports why the program under test rejected the sentence of this run. `zester run --reasons` and
/// `zester why` group sentences by their reasons.
///
/// A body that returns a `Result` need not call this: its error is the reason if it can be displayed.
/// The reason is formatted only for these commands, never while fuzzing. It is cut after 4,096 bytes.
/// The last reason of a run counts.
///
/// # Examples
///
/// ```
/// use zester::Validity;
///
/// fn body(text: &str) -> Validity {
///     let open = text.matches('(').count();
///     let close = text.matches(')').count();
///     if open != close {
///         zester::report_reason(&format_args!("{open} opening and {close} closing parentheses"));
///         return Validity::Invalid;
///     }
///     Validity::Valid
/// }
/// assert_eq!(body("(()"), Validity::Invalid);
/// ```
pub fn report_reason(reason: &dyn Display) {
    if feedback::wants_reasons() {
        let mut text = Reason(String::new());
        let _ = write!(text, "{reason}");
        feedback::set_reason(&text.0);
    }
}

/// A reason that is being written. Writing fails when the reason becomes too long.
struct Reason(String);

impl Reason {
    /// Writes an error and its sources. Omits a source if the error before it already contains its
    /// text.
    fn add_chain(&mut self, error: &dyn Error) {
        let mut last = self.add(error);
        let mut source = error.source();
        while let (Some(error), Some(from)) = (source, last) {
            let text = error.to_string();
            if !self.0[from..].contains(&text) {
                last = self.write_str(": ").ok().and_then(|()| self.add(&text));
            }
            source = error.source();
        }
    }

    /// Writes a text. Returns the offset at which it begins, unless the reason is too long.
    fn add(&mut self, text: &dyn Display) -> Option<usize> {
        let from = self.0.len();
        write!(self, "{text}").ok().map(|()| from)
    }
}

impl Write for Reason {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut end = text.len().min(MAX_REASON - self.0.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.0.push_str(&text[..end]);
        if end < text.len() {
            Err(fmt::Error)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Outer(Option<Box<Outer>>, &'static str);

    impl Display for Outer {
        fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str(self.1)
        }
    }

    impl Error for Outer {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.0.as_deref().map(|source| source as &dyn Error)
        }
    }

    /// Expands as the macro does. Returns the validity and the reason.
    macro_rules! verdict {
        ($result:expr) => {{
            feedback::set_reason("");
            #[allow(clippy::needless_borrow)]
            let validity = (&&&&&Verdict::new($result)).validity();
            (validity, feedback::reason())
        }};
    }

    #[test]
    fn the_error_of_a_result_is_the_reason() {
        struct Silent;
        #[derive(Debug)]
        #[allow(dead_code, reason = "it is formatted")]
        struct Formatted(u8);
        feedback::set_wants_reasons(true);
        let outer = |text| Outer(Some(Box::new(Outer(None, "inner"))), text);
        let invalid = |reason: &str| (Validity::Invalid, reason.to_string());
        assert_eq!(
            verdict!(Err::<u8, _>(outer("outer"))),
            invalid("outer: inner")
        );
        assert_eq!(
            verdict!(Err::<u8, _>(outer("it has inner"))),
            invalid("it has inner")
        );
        assert_eq!(
            verdict!("x".parse::<u8>()),
            invalid("invalid digit found in string")
        );
        assert_eq!(verdict!(Err::<(), _>(String::from("ü"))), invalid("ü"));
        let boxed: Result<(), Box<dyn Error>> = Err("boxed".into());
        assert_eq!(verdict!(boxed), invalid("boxed"));
        assert_eq!(
            verdict!(Err::<(), _>(Formatted(3))),
            invalid("Formatted(3)")
        );
        assert_eq!(verdict!(Err::<u8, _>(Silent)), invalid(""));
        assert_eq!(verdict!(false), invalid(""));
        assert_eq!(verdict!(()).0, Validity::Unknown);
        assert_eq!(verdict!(Validity::Valid).0, Validity::Valid);
        assert_eq!(verdict!(Ok::<_, Silent>(Silent)).0, Validity::Valid);
        let (_, long) = verdict!(Err::<(), _>("ü".repeat(MAX_REASON)));
        assert_eq!(long, "ü".repeat(MAX_REASON / 2));
        feedback::set_reason("");
        report_reason(&format_args!("{} of {}", 1, 2));
        assert_eq!(feedback::reason(), "1 of 2");
        feedback::set_wants_reasons(false);
        report_reason(&"nobody asks");
        assert_eq!(feedback::reason(), "1 of 2");
        let silent = |_: &mut fmt::Formatter<'_>| -> fmt::Result { unreachable!("nobody asks") };
        struct Unasked<F>(F);
        impl<F: Fn(&mut fmt::Formatter<'_>) -> fmt::Result> Display for Unasked<F> {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                (self.0)(formatter)
            }
        }
        // A body may always panic.
        let panics = || panic!("a fault");
        let _ = || verdict!(panics());
        let (validity, reason) = verdict!(Err::<(), _>(Unasked(silent)));
        assert_eq!((validity, &*reason), (Validity::Invalid, "1 of 2"));
    }
}
