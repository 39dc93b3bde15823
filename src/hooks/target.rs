//! A fuzz target: what its bytes stand for, and its body.

use std::fmt::Debug;

use arbitrary::{Arbitrary, Unstructured};

use super::settings::Options;
use super::text;
use crate::grammar::Grammar;
use crate::language::Source;
use crate::parameters::{self, Settings};
use crate::sidecar::{self, PostProcess};
use crate::validity::Validity;
use crate::weights::{Mix, Weights};

/// What `fuzz_target!` makes of its arguments.
pub struct Target(Input);

/// The name of a file and its text.
type File = (&'static str, &'static str);

/// What bytes stand for.
pub(super) enum Input {
    /// A sentence of a grammar; `text` if the body wants UTF-8.
    Sentence {
        source: &'static Source,
        text: bool,
        seeds: Option<&'static str>,
        weights: Option<File>,
        post_process: Option<PostProcess>,
        body: fn(&[u8]) -> Validity,
    },
    /// A value that knows how to make itself of bytes; `show` prints it, `make` makes it for nothing.
    Value { name: &'static str, body: fn(&[u8]) -> Option<Validity>, show: fn(&[u8]) -> String, make: fn(&[u8]) },
}

impl Target {
    /// A target with a grammar; `text` if the body wants UTF-8.
    pub const fn sentence(source: &'static Source, text: bool, body: fn(&[u8]) -> Validity) -> Target {
        Target(Input::Sentence { source, text, seeds: None, weights: None, post_process: None, body })
    }

    /// The same, and every sentence is changed before the body sees it.
    pub const fn post_process(mut self, change: PostProcess) -> Target {
        if let Input::Sentence { post_process, .. } = &mut self.0 {
            *post_process = Some(change);
        }
        self
    }

    /// The same, and the texts in a directory are seeds.
    pub const fn seeds(mut self, directory: &'static str) -> Target {
        if let Input::Sentence { seeds, .. } = &mut self.0 {
            *seeds = Some(directory);
        }
        self
    }

    /// The same, and what is new is written by the weights in this text of this file.
    pub const fn weights(mut self, file: &'static str, text: &'static str) -> Target {
        if let Input::Sentence { weights, .. } = &mut self.0 {
            *weights = Some((file, text));
        }
        self
    }

    /// What to write by: the weights that the environment names, or those of the target; nothing if there are none.
    ///
    /// # Errors
    /// What is wrong with them, with the file.
    pub(super) fn mix(&self, grammar: &Grammar, options: &Options) -> Result<Option<Mix>, String> {
        let own = if let &Input::Sentence { weights, .. } = &self.0 { weights } else { None };
        mix(grammar, options, own)
    }

    /// The directory of texts that the target names for seeds.
    pub(super) fn seed_directory(&self) -> Option<&'static str> {
        match &self.0 {
            Input::Sentence { seeds, .. } => *seeds,
            Input::Value { .. } => None,
        }
    }

    /// A target that takes values of a type of this name.
    pub const fn value(
        name: &'static str,
        body: fn(&[u8]) -> Option<Validity>,
        show: fn(&[u8]) -> String,
        make: fn(&[u8]),
    ) -> Target {
        Target(Input::Value { name, body, show, make })
    }

    #[inline(always)]
    pub(super) fn input(&self) -> &Input {
        &self.0
    }

    /// The grammar's file, as the macro names it, or the type's name.
    pub(super) fn name(&self) -> &'static str {
        match &self.0 {
            Input::Sentence { source, .. } => source.file(),
            Input::Value { name, .. } => name,
        }
    }

    /// Whether the body can be given these bytes: one that takes text wants UTF-8.
    pub(super) fn takes(&self, bytes: &[u8]) -> bool {
        !matches!(self.0, Input::Sentence { text: true, .. }) || std::str::from_utf8(bytes).is_ok()
    }

    /// What an input decodes to.
    pub(super) fn noun(&self) -> &'static str {
        match &self.0 {
            Input::Sentence { .. } => "sentence",
            Input::Value { .. } => "value",
        }
    }

    /// Reads the grammar, if there is one.
    ///
    /// # Errors
    /// What is wrong with it, or that the body wants UTF-8 and the grammar derives other bytes too.
    pub(super) fn check(&self) -> Result<Option<&Grammar>, String> {
        let Input::Sentence { source, text, .. } = &self.0 else { return Ok(None) };
        let grammar = source.grammar()?;
        if *text && !grammar.derives_utf8() {
            let problem = "error: this grammar can derive bytes that are not UTF-8, and the target takes `&str`; take `&[u8]`";
            return Err(format!("{}:1:1: {problem}\n", source.file()));
        }
        Ok(Some(grammar))
    }

    /// Whether inputs can be sentences as they are.
    ///
    /// # Errors
    /// Why not.
    pub(super) fn check_texts(&self, options: &Options) -> Result<(), String> {
        match &self.0 {
            Input::Value { .. } => {
                Err(format!("zester: ZESTER_TEXT=1: the inputs of this target are values of {}\n", self.name()))
            }
            Input::Sentence { .. } if options.seeds.is_some() => {
                Err("zester: ZESTER_TEXT=1: ZESTER_SEEDS makes parameters of texts, which need not be made here\n".into())
            }
            Input::Sentence { .. } => Ok(()),
        }
    }

    /// The grammar, if there is one that was read without errors.
    #[inline(always)]
    pub(super) fn grammar(&self) -> Option<&Grammar> {
        match &self.0 {
            Input::Sentence { source, .. } => source.grammar().ok(),
            Input::Value { .. } => None,
        }
    }

    /// What people are shown of an input: the sentence that the body sees, or the value.
    pub(super) fn show(&self, settings: &Settings, bytes: &[u8]) -> Vec<u8> {
        match &self.0 {
            Input::Value { show, .. } => show(bytes).into_bytes(),
            Input::Sentence { .. } if text::given() && !self.takes(bytes) => bytes.to_vec(),
            Input::Sentence { post_process, .. } => {
                let mut text = Vec::new();
                if text::given() {
                    text.extend_from_slice(bytes);
                } else if let Some(grammar) = self.grammar() {
                    text.extend_from_slice(parameters::sentence(grammar, settings, bytes).text());
                }
                if let Some(post_process) = post_process {
                    post_process(&mut text);
                }
                text
            }
        }
    }
}

/// What to write by: the weights that the environment names, or else these; nothing if there are none.
///
/// # Errors
/// What is wrong with them, with the file.
pub(super) fn mix(grammar: &Grammar, options: &Options, own: Option<File>) -> Result<Option<Mix>, String> {
    let (name, text) = match (&options.weights, own) {
        (Some(path), _) => {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(path).map_err(|error| format!("zester: {name}: {error}\n"))?;
            (name, text)
        }
        (None, Some((name, text))) => (name.into(), text.into()),
        (None, None) => return Ok(None),
    };
    let mix = Weights::read(grammar, &text).and_then(|weights| Mix::new(grammar, &weights, options.shares));
    mix.map(Some).map_err(|problem| format!("zester: {name}: {problem}\n"))
}

/// The value that bytes make, as in libfuzzer-sys' own `fuzz_target!`, so that corpora can be exchanged; what making it
/// covered is forgotten.
pub fn value<'a, T: Arbitrary<'a>>(bytes: &'a [u8]) -> Option<T> {
    if bytes.len() < T::size_hint(0).0 {
        return None;
    }
    let value = T::arbitrary_take_rest(Unstructured::new(bytes)).ok();
    sidecar::forget();
    value
}

/// Makes the value and drops it.
pub fn make<'a, T: Arbitrary<'a>>(bytes: &'a [u8]) {
    if bytes.len() >= T::size_hint(0).0 {
        drop(T::arbitrary_take_rest(Unstructured::new(bytes)));
    }
}

/// The value that bytes make, printed.
pub fn show<'a, T: Arbitrary<'a> + Debug>(bytes: &'a [u8]) -> String {
    value::<T>(bytes).map_or("(these bytes make no value)".into(), |value| format!("{value:#?}"))
}

/// Changes a sentence as text.
pub fn post_process_text(sentence: &mut Vec<u8>, post_process: fn(&mut String)) {
    let mut text = String::from_utf8(std::mem::take(sentence)).expect("a grammar of text derives UTF-8");
    post_process(&mut text);
    *sentence = text.into_bytes();
}
