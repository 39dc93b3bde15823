//! Grammars inside a program: read when they are first needed, and types that stand for them.
//!
//! [`language!`](crate::language!) makes a type of a grammar file; [`Sentence`] of that type is a value like others: it has
//! [`Arbitrary`] and `Debug`, so it can be a field of an input that a fuzz target, a property test or another generator takes.
//!
//! ```
//! zester::language!(
//!     /// Sums, products and their like.
//!     pub Expression = "../grammars/expr.ebnf"
//! );
//!
//! use zester::{Sentence, arbitrary::{Arbitrary, Unstructured}};
//!
//! let mut parameters = Unstructured::new(&[1, 0, 2, 9]);
//! let (expression, places): (Sentence<Expression>, u8) = Arbitrary::arbitrary(&mut parameters).unwrap();
//! println!("{} to {places} places", expression.as_str());
//! ```
//!
//! What holds: a sentence takes the bytes that its choices read, from the front, and leaves the rest to what comes after it;
//! any bytes make one. Not promised: that a value of several sentences mutates along their boundaries; libFuzzer and
//! [`crate::mutate`] change its bytes.

use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use arbitrary::{Arbitrary, Unstructured};
use once_cell::sync::OnceCell;

use crate::bounds::Caps;
use crate::derive::Workspace;
use crate::feedback;
use crate::grammar::Grammar;
use crate::notation;
use crate::parameters::{self, Settings};

/// The text of a grammar, and the grammar once it is needed.
pub struct Source {
    file: &'static str,
    text: &'static [u8],
    grammar: OnceCell<Grammar>,
}

impl Source {
    /// A grammar in EBNF; `file` is what messages call it.
    pub const fn new(file: &'static str, text: &'static [u8]) -> Source {
        Source { file, text, grammar: OnceCell::new() }
    }

    /// What messages call it.
    pub fn file(&self) -> &'static str {
        self.file
    }

    /// The grammar. The first call reads it, and prints its warnings.
    ///
    /// # Errors
    /// What is wrong with it, with the place: a report to print.
    #[inline(always)]
    pub fn grammar(&self) -> Result<&Grammar, String> {
        self.grammar.get_or_try_init(|| self.read())
    }

    #[cold]
    #[inline(never)]
    fn read(&self) -> Result<Grammar, String> {
        let (grammar, warnings) = notation::read(self.file, self.text, &Caps::default()).map_err(|report| report.to_string())?;
        eprint!("{warnings}");
        Ok(grammar)
    }
}

/// The parameters of a sentence among the bytes that a value is made of.
#[derive(Clone)]
pub struct Span {
    /// Their addresses.
    pub bytes: Range<usize>,
    /// The grammar that read them.
    pub source: &'static Source,
}

thread_local! {
    /// The sentences that this thread makes, while somebody wants to know.
    static RECORD: RefCell<Option<Vec<Span>>> = const { RefCell::new(None) };
}

/// Records the sentences that are made meanwhile.
pub fn record(spans: &mut Vec<Span>, make: impl FnOnce()) {
    spans.clear();
    RECORD.set(Some(std::mem::take(spans)));
    make();
    *spans = RECORD.take().unwrap_or_default();
}

/// A type that stands for a grammar: see [`language!`](crate::language!).
pub trait Language: 'static {
    /// Its grammar.
    fn source() -> &'static Source;
}

/// Defines a type that stands for a grammar. The path is relative to the file that holds the macro.
///
/// A wrong grammar ends the process where its first sentence is made: its report on standard error, status 1.
#[macro_export]
macro_rules! language {
    ($(#[$attribute:meta])* $visibility:vis $name:ident = $file:literal) => {
        $(#[$attribute])*
        $visibility enum $name {}

        impl $crate::language::Language for $name {
            fn source() -> &'static $crate::language::Source {
                static SOURCE: $crate::language::Source = $crate::language::Source::new($file, include_bytes!($file));
                &SOURCE
            }
        }
    };
}

/// A sentence of a language.
pub struct Sentence<L> {
    text: Vec<u8>,
    language: PhantomData<fn() -> L>,
}

impl<L: Language> Sentence<L> {
    /// The sentence that parameters make, within bounds and caps, and how many of the bytes it read.
    pub fn decode(settings: &Settings, bytes: &[u8]) -> (Sentence<L>, usize) {
        let grammar = L::source().grammar().unwrap_or_else(|problem| feedback::give_up(&problem));
        let mut text = Vec::new();
        let read = parameters::decode_text(grammar, settings, bytes, &mut Workspace::default(), &mut text);
        (Sentence { text, language: PhantomData }, read)
    }
}

impl<L> Sentence<L> {
    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.text
    }

    /// Its text.
    ///
    /// # Panics
    /// If it is not UTF-8, which only grammars that say `@bytes` derive.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.text).expect("a grammar without @bytes derives UTF-8")
    }
}

impl<'a, L: Language> Arbitrary<'a> for Sentence<L> {
    fn arbitrary(unread: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let parameters = unread.peek_bytes(unread.len()).unwrap_or_default();
        let (sentence, read) = Sentence::decode(&Settings::default(), parameters);
        RECORD.with_borrow_mut(|record| {
            if let Some(spans) = record {
                let from = parameters.as_ptr() as usize;
                spans.push(Span { bytes: from..from + read, source: L::source() });
            }
        });
        unread.bytes(read)?;
        Ok(sentence)
    }
}

impl<L> Clone for Sentence<L> {
    fn clone(&self) -> Self {
        Sentence { text: self.text.clone(), language: PhantomData }
    }
}

impl<L> PartialEq for Sentence<L> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl<L> Eq for Sentence<L> {}

impl<L> fmt::Debug for Sentence<L> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&String::from_utf8_lossy(&self.text), formatter)
    }
}

impl<L> fmt::Display for Sentence<L> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&String::from_utf8_lossy(&self.text), formatter)
    }
}
