//! A fuzz target: the kind of its inputs, and its body.

use std::fmt::Debug;
use std::sync::OnceLock;

use arbitrary::{Arbitrary, Unstructured};

use super::decoding::ChangeText;
use super::settings::{Options, named_grammar};
use super::text;
use crate::corpus::seeds::Encoder;
use crate::error::Error;
use crate::feedback;
use crate::grammar::Grammar;
use crate::language::GrammarSource;
use crate::parameters::{Decoder, Edits, Settings};
use crate::parse::Parser;
use crate::validity::Validity;

/// A fuzz target: the arguments of [`fuzz_target!`](crate::fuzz_target!).
pub struct Target(TargetInput);

/// The kind of a target's inputs, with its body.
pub(super) enum TargetInput {
    /// The inputs are parameters of sentences of a grammar. `text` is whether the body takes
    /// `&str`.
    Sentence {
        source: &'static GrammarSource,
        text: bool,
        seeds: Option<&'static str>,
        post_process: Option<ChangeText>,
        pre_process: Option<ChangeText>,
        /// Whether equivalent sentences must have equal outcomes.
        equal: bool,
        body: fn(&[u8]) -> Validity,
    },
    /// The inputs are bytes from which values are made, by `Arbitrary` or by a generator. `show`
    /// makes a value and formats it. `make` makes a value and drops it.
    Value {
        name: &'static str,
        body: fn(&[u8]) -> Option<Validity>,
        show: fn(&[u8]) -> String,
        make: fn(&[u8]),
        /// Whether the value is drawn from a generator, whose draws are recorded.
        draws: bool,
    },
}

/// Returns the grammar that a target uses: the one in `ZESTER_GRAMMAR`, or else its own.
///
/// # Errors
/// If the file of `ZESTER_GRAMMAR` cannot be read.
#[inline(always)]
pub(super) fn used(own: &'static GrammarSource) -> Result<&'static GrammarSource, Error> {
    static NAMED: OnceLock<Result<Option<&'static GrammarSource>, Error>> = OnceLock::new();
    NAMED
        .get_or_init(named_grammar)
        .as_ref()
        .map(|named| named.unwrap_or(own))
        .map_err(Clone::clone)
}

impl Target {
    /// Returns a target with a grammar. `text` is whether the body takes `&str`.
    pub const fn sentence(
        source: &'static GrammarSource,
        text: bool,
        body: fn(&[u8]) -> Validity,
    ) -> Target {
        Target(TargetInput::Sentence {
            source,
            text,
            seeds: None,
            post_process: None,
            pre_process: None,
            equal: false,
            body,
        })
    }

    /// Sets a function that changes every sentence before the body reads it. It is not applied to
    /// inputs that are texts (`ZESTER_TEXT=1`).
    pub const fn post_process(mut self, change: ChangeText) -> Target {
        if let TargetInput::Sentence { post_process, .. } = &mut self.0 {
            *post_process = Some(change);
        }
        self
    }

    /// Sets the inverse of the function of [`post_process`](Target::post_process). It changes a
    /// given text before the text is parsed.
    pub const fn pre_process(mut self, change: ChangeText) -> Target {
        if let TargetInput::Sentence { pre_process, .. } = &mut self.0 {
            *pre_process = Some(change);
        }
        self
    }

    /// Sets whether equivalent sentences must have equal outcomes.
    pub const fn equal(mut self, on: bool) -> Target {
        if let TargetInput::Sentence { equal, .. } = &mut self.0 {
            *equal = on;
        }
        self
    }

    /// Returns whether equivalent sentences must have equal outcomes.
    pub(super) fn is_equal(&self) -> bool {
        matches!(self.0, TargetInput::Sentence { equal: true, .. })
    }

    /// Sets a directory of texts that are encoded as seeds.
    pub const fn seeds(mut self, directory: &'static str) -> Target {
        if let TargetInput::Sentence { seeds, .. } = &mut self.0 {
            *seeds = Some(directory);
        }
        self
    }

    /// Returns an encoder for given texts. `recovers` is an argument of [`Encoder::new`].
    pub(super) fn encoder<'g>(
        &self,
        grammar: &'g Grammar,
        settings: Settings,
        recovers: bool,
    ) -> Encoder<'g> {
        let encoder = Encoder::new(Parser::new(grammar), grammar, settings, recovers);
        match &self.0 {
            TargetInput::Sentence {
                pre_process: Some(change),
                ..
            } => encoder.pre_process(*change),
            _ => encoder,
        }
    }

    /// Returns the directory of texts that the target names as seeds.
    pub(super) fn seed_directory(&self) -> Option<&'static str> {
        match &self.0 {
            TargetInput::Sentence { seeds, .. } => *seeds,
            TargetInput::Value { .. } => None,
        }
    }

    /// Returns a target that takes values of a type with this name. `draws` is whether a generator draws them.
    pub const fn value(
        name: &'static str,
        draws: bool,
        body: fn(&[u8]) -> Option<Validity>,
        show: fn(&[u8]) -> String,
        make: fn(&[u8]),
    ) -> Target {
        Target(TargetInput::Value {
            name,
            body,
            show,
            make,
            draws,
        })
    }

    #[inline(always)]
    pub(super) fn input(&self) -> &TargetInput {
        &self.0
    }

    /// Returns the name of the grammar's file, as it is written in the macro, or the name of the
    /// type.
    pub(super) fn name(&self) -> &'static str {
        match &self.0 {
            TargetInput::Sentence { source, .. } => {
                used(source).map_or(source.file(), GrammarSource::file)
            }
            TargetInput::Value { name, .. } => name,
        }
    }

    /// Returns whether the body can take a text. A body that takes `&str` can only take UTF-8.
    pub(super) fn takes(&self, bytes: &[u8]) -> bool {
        !self.takes_str() || std::str::from_utf8(bytes).is_ok()
    }

    fn takes_str(&self) -> bool {
        matches!(self.0, TargetInput::Sentence { text: true, .. })
    }

    /// Adapts options to the target: if it takes `&str`, edited texts must be UTF-8.
    pub(super) fn fit(&self, options: &mut Options) {
        if options.settings.edits == Edits::On && self.takes_str() {
            options.settings.edits = Edits::Utf8;
        }
    }

    /// Returns the word for a decoded input in messages.
    pub(super) fn noun(&self) -> &'static str {
        match &self.0 {
            TargetInput::Sentence { .. } => "sentence",
            TargetInput::Value { .. } => "value",
        }
    }

    /// Reads the grammar, if there is one.
    ///
    /// # Errors
    /// If the grammar has an error, or if the body takes `&str` and the grammar derives bytes that
    /// are not UTF-8.
    pub(super) fn check(&self) -> Result<Option<&Grammar>, Error> {
        let TargetInput::Sentence { source, text, .. } = &self.0 else {
            return Ok(None);
        };
        let source = used(source)?;
        let grammar = source.grammar()?;
        if *text && !grammar.derives_utf8() {
            let problem = "error: this grammar can derive bytes that are not UTF-8, and the target takes `&str`; take `&[u8]`";
            return Err(format!("{}:1:1: {problem}\n", source.file()).into());
        }
        Ok(Some(grammar))
    }

    /// Checks whether inputs can be texts instead of parameters.
    ///
    /// # Errors
    /// If they cannot, because the target has no grammar or because `ZESTER_SEEDS` is set.
    pub(super) fn check_texts(&self, options: &Options) -> Result<(), Error> {
        match &self.0 {
            TargetInput::Value { .. } => {
                Err(format!("zester: ZESTER_TEXT=1: the inputs of this target are values of {}\n", self.name()).into())
            }
            TargetInput::Sentence { .. } if options.seeds.is_some() => {
                Err("zester: ZESTER_TEXT=1: ZESTER_SEEDS encodes texts as parameters, but inputs are texts here\n".into())
            }
            TargetInput::Sentence { .. } => Ok(()),
        }
    }

    /// Returns the grammar, if there is one without errors.
    #[inline(always)]
    pub(super) fn grammar(&self) -> Option<&Grammar> {
        match &self.0 {
            TargetInput::Sentence { source, .. } => used(source).ok()?.grammar().ok(),
            TargetInput::Value { .. } => None,
        }
    }

    /// Returns the text of the grammar, if there is one.
    pub(super) fn source(&self) -> Option<&'static [u8]> {
        match &self.0 {
            TargetInput::Sentence { source, .. } => Some(used(source).ok()?.text()),
            TargetInput::Value { .. } => None,
        }
    }

    /// Returns a decoded input as text: the sentence as the body reads it, or the formatted value.
    pub(super) fn show(&self, settings: &Settings, bytes: &[u8]) -> Vec<u8> {
        match &self.0 {
            TargetInput::Value { show, .. } => show(bytes).into_bytes(),
            TargetInput::Sentence { .. } if text::inputs_are_texts() => bytes.to_vec(),
            TargetInput::Sentence { post_process, .. } => {
                let mut text = Vec::new();
                if let Some(grammar) = self.grammar() {
                    text.extend_from_slice(Decoder::new(grammar).settings(*settings).text(bytes));
                }
                if let Some(post_process) = post_process {
                    post_process(&mut text);
                }
                text
            }
        }
    }
}

/// Makes a value from bytes as `libfuzzer_sys::fuzz_target!` does, so that both can use the same
/// corpora. The coverage of making it does not count.
pub fn value<'a, T: Arbitrary<'a>>(bytes: &'a [u8]) -> Option<T> {
    if bytes.len() < T::size_hint(0).0 {
        return None;
    }
    let value = T::arbitrary_take_rest(Unstructured::new(bytes)).ok();
    feedback::clear_counters();
    value
}

/// Returns a value that a generator drew. The coverage of drawing it does not count.
pub fn drawn<T>(value: Option<T>) -> Option<T> {
    feedback::clear_counters();
    value
}

/// Formats a value that a generator drew.
pub fn show_drawn<T: Debug>(value: Option<T>) -> String {
    value.map_or("(the generator rejects these bytes)".into(), |value| {
        format!("{value:#?}")
    })
}

/// Makes a value from bytes and drops it.
pub fn make<'a, T: Arbitrary<'a>>(bytes: &'a [u8]) {
    if bytes.len() >= T::size_hint(0).0 {
        drop(T::arbitrary_take_rest(Unstructured::new(bytes)));
    }
}

/// Makes a value from bytes and formats it.
pub fn show<'a, T: Arbitrary<'a> + Debug>(bytes: &'a [u8]) -> String {
    value::<T>(bytes).map_or("(these bytes make no value)".into(), |value| {
        format!("{value:#?}")
    })
}

/// Applies a function for strings to bytes. Bytes that are not UTF-8 do not change. Every sentence
/// of a target that takes `&str` is UTF-8, and the parser rejects a given text that is not.
pub fn change_text(bytes: &mut Vec<u8>, change: fn(&mut String)) {
    match String::from_utf8(std::mem::take(bytes)) {
        Ok(mut text) => {
            change(&mut text);
            *bytes = text.into_bytes();
        }
        Err(error) => *bytes = error.into_bytes(),
    }
}
