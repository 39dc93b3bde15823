//! Grammars as Rust types, sentences as Rust values.
//!
//! [`language!`](crate::language!) defines a type for a grammar file. A [`Sentence`] of that type
//! implements [`Arbitrary`] and `Debug`, so it can be a field of the input of a fuzz target, of a
//! property test or of another generator.
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
//! # Guarantees
//!
//! Any bytes decode to a sentence. A sentence reads bytes from the front, exactly as many as its
//! choices need. The fields after the sentence read the remaining bytes.
//!
//! # Not guaranteed
//!
//! Outside of a fuzz target of zester, a mutation of a value with several sentences may change
//! several of them.

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
use crate::notation::{self, Report};
use crate::parameters::{self, Settings};

/// A grammar file that is compiled into the program. The grammar is read when it is first used.
pub struct GrammarSource {
    file: &'static str,
    text: &'static [u8],
    grammar: OnceCell<Grammar>,
}

impl GrammarSource {
    /// A grammar in EBNF. `file` is its name in messages.
    pub const fn new(file: &'static str, text: &'static [u8]) -> GrammarSource {
        GrammarSource {
            file,
            text,
            grammar: OnceCell::new(),
        }
    }

    /// The name of the file in messages.
    pub fn file(&self) -> &'static str {
        self.file
    }

    /// The text of the grammar.
    pub fn text(&self) -> &'static [u8] {
        self.text
    }

    /// The grammar. The first call reads it and prints its warnings.
    ///
    /// # Errors
    /// If the grammar has errors.
    #[inline(always)]
    pub fn grammar(&self) -> Result<&Grammar, Report> {
        self.grammar.get_or_try_init(|| self.read())
    }

    #[cold]
    #[inline(never)]
    fn read(&self) -> Result<Grammar, Report> {
        let (grammar, warnings) = notation::read(self.file, self.text, &Caps::default())?;
        eprint!("{warnings}");
        Ok(grammar)
    }
}

/// The position of the parameters of a sentence within the bytes from which a value was made.
#[derive(Clone)]
pub(crate) struct SentenceSpan {
    /// The addresses of the parameters.
    pub bytes: Range<usize>,
    /// The grammar with which the sentence was decoded.
    pub source: &'static GrammarSource,
}

thread_local! {
    /// The sentences that this thread has decoded since [`record`] was called. [`None`] outside of
    /// [`record`].
    static RECORD: RefCell<Option<Vec<SentenceSpan>>> = const { RefCell::new(None) };
}

/// Runs `make`, and writes to `spans` the positions of the parameters of all sentences that `make`
/// decodes.
pub(crate) fn record(spans: &mut Vec<SentenceSpan>, make: impl FnOnce()) {
    spans.clear();
    RECORD.set(Some(std::mem::take(spans)));
    make();
    *spans = RECORD.take().unwrap_or_default();
}

/// Reports that the grammar of a type has errors. Inside of [`record`], prints the report and ends
/// the process. Elsewhere, panics with the report.
#[cold]
fn refuse(report: &Report) -> ! {
    if RECORD.with_borrow(Option::is_some) {
        feedback::fatal(report)
    }
    panic!("{report}")
}

/// A type that represents a grammar. [`language!`](crate::language!) defines such types.
pub trait Language: 'static {
    /// The grammar.
    fn source() -> &'static GrammarSource;
}

/// Defines a type that represents a grammar. The path is relative to the file that uses the macro.
///
/// The grammar is read when the first sentence is decoded. If it has an error, [`Sentence::decode`]
/// returns it, and `arbitrary` panics. In a fuzz target of zester the process prints the report to
/// standard error and exits with status 1 instead, because libFuzzer would report a crash.
#[macro_export]
macro_rules! language {
    ($(#[$attribute:meta])* $visibility:vis $name:ident = $file:literal) => {
        $(#[$attribute])*
        $visibility enum $name {}

        impl $crate::language::Language for $name {
            fn source() -> &'static $crate::language::GrammarSource {
                static SOURCE: $crate::language::GrammarSource = $crate::language::GrammarSource::new($file, include_bytes!($file));
                &SOURCE
            }
        }
    };
}

/// A sentence of the grammar that `L` represents.
pub struct Sentence<L> {
    text: Vec<u8>,
    language: PhantomData<fn() -> L>,
}

impl<L: Language> Sentence<L> {
    /// Decodes a sentence within the bounds and caps of `settings`. Returns the sentence and the
    /// number of bytes that were read.
    ///
    /// # Errors
    /// If the grammar has errors.
    pub fn decode(settings: &Settings, bytes: &[u8]) -> Result<(Sentence<L>, usize), Report> {
        let grammar = L::source().grammar()?;
        let mut text = Vec::new();
        let read = parameters::decode_text(
            grammar,
            settings,
            bytes,
            &mut Workspace::default(),
            &mut text,
        );
        let language = PhantomData;
        Ok((Sentence { text, language }, read))
    }
}

impl<L> Sentence<L> {
    /// The bytes of the sentence.
    pub fn as_bytes(&self) -> &[u8] {
        &self.text
    }

    /// The text of the sentence.
    ///
    /// # Panics
    /// If the sentence is not UTF-8. Only grammars with `@bytes` derive such sentences.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.text).expect("a grammar without @bytes derives UTF-8")
    }
}

impl<'a, L: Language> Arbitrary<'a> for Sentence<L> {
    fn arbitrary(unread: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let parameters = unread.peek_bytes(unread.len()).unwrap_or_default();
        let decoded = Sentence::decode(&Settings::default(), parameters);
        let (sentence, read) = decoded.unwrap_or_else(|report| refuse(&report));
        RECORD.with_borrow_mut(|record| {
            if let Some(spans) = record {
                let from = parameters.as_ptr() as usize;
                spans.push(SentenceSpan {
                    bytes: from..from + read,
                    source: L::source(),
                });
            }
        });
        unread.bytes(read)?;
        Ok(sentence)
    }
}

impl<L> Clone for Sentence<L> {
    fn clone(&self) -> Self {
        Sentence {
            text: self.text.clone(),
            language: PhantomData,
        }
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
