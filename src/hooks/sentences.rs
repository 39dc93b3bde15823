//! Mutates sentences as texts, for engines whose queue holds texts, such as AFL++.
//!
//! A text is parsed, its parameters are mutated, and the result is decoded to a text. So other programs and people can read the
//! queue and add to it.
//!
//! Guarantees: any text is accepted. The result is a sentence, or empty. The same calls after the same seed give the same results.
//! Texts that are in the cache of parsed texts cost no allocation.
//!
//! A text that is no sentence stands for the part of it that is one ([`Parser::recover`](crate::parse::Parser::recover)), or for the
//! simplest sentence.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::parsed::{Meaning, Parsed};
use super::settings::{self, Options};
use super::target;
use crate::derive::Workspace;
use crate::grammar::Grammar;
use crate::mutate::{Experience, MUTATORS, Mutation, Scratch};
use crate::parameters::{self, Settings};
use crate::validity::Outcome;

/// The maximal length of a result's parameters, unless those of the original text are longer: libFuzzer's default for -max_len.
const PARAMETERS: usize = 4_096;

/// Crossovers in a hundred results, if there is another text. With libFuzzer, as many mutations are crossovers.
const CROSSOVERS: u32 = 10;

/// How many times a text is tried to be shortened.
const STEPS: u32 = 32;

/// A mutator of texts by a grammar.
pub struct Sentences {
    grammar: &'static Grammar,
    settings: Settings,
    experience: Experience,
    scratch: Scratch,
    workspace: Workspace,
    parsed: Parsed,
    rng: SmallRng,
    first: Meaning,
    second: Meaning,
    /// The last result.
    text: Vec<u8>,
    parameters: Vec<u8>,
    /// Whether it is not known yet what the engine made of the last result.
    pending: bool,
    /// Whether the engine kept the last result.
    kept: bool,
    shortening: Shortening,
}

/// A text that is being shortened.
#[derive(Default)]
struct Shortening {
    /// The shortest parameters so far, and the length of their text.
    parameters: Vec<u8>,
    length: usize,
    step: u32,
    steps: u32,
}

impl Sentences {
    /// A mutator by the grammar that `ZESTER_GRAMMAR` names, with the other settings of the environment. The grammar lives until the
    /// process ends.
    ///
    /// # Errors
    /// What is wrong with the grammar or a setting: a report to print.
    pub fn from_environment(seed: u64) -> Result<Sentences, String> {
        let options = Options::from_environment()?;
        settings::warn_of_unknown_variables();
        let source = settings::named_grammar()?.ok_or("zester: no grammar; name one by ZESTER_GRAMMAR=FILE\n")?;
        Sentences::new(source.grammar()?, &options, seed)
    }

    fn new(grammar: &'static Grammar, options: &Options, seed: u64) -> Result<Sentences, String> {
        let mut experience = options.experience(grammar)?;
        if options.mutators.is_none() {
            // The engine offers no mutator of its own here.
            let others = MUTATORS.iter().filter(|mutator| mutator.share > 0 && mutator.name != "native");
            experience.take_only(&others.map(|mutator| mutator.name).collect::<Vec<_>>().join(","))?;
        }
        let mut scratch = Scratch::default();
        target::mix(grammar, options, None)?.into_iter().for_each(|mix| scratch.write_by(mix));
        Ok(Sentences {
            grammar,
            settings: options.settings,
            experience,
            scratch,
            workspace: Workspace::default(),
            parsed: Parsed::new(grammar),
            rng: SmallRng::seed_from_u64(seed),
            first: Meaning::default(),
            second: Meaning::default(),
            text: Vec::new(),
            parameters: Vec::new(),
            pending: false,
            kept: false,
            shortening: Shortening::default(),
        })
    }

    /// Mutates a text, and sometimes crosses it with another one. The result has at most `most` bytes; it is empty if no sentence is
    /// that short.
    pub fn mutate(&mut self, text: &[u8], other: &[u8], most: usize) -> &[u8] {
        self.learn_from_last();
        self.parsed.read(text, &mut self.first);
        let crosses = !other.is_empty() && self.rng.random_range(0..100) < CROSSOVERS;
        self.second.parameters.clear();
        if crosses {
            self.parsed.read(other, &mut self.second);
        }
        let Sentences { grammar, scratch, first, second, parameters, .. } = self;
        let (settings, seed) = (within(self.settings, most), self.rng.random());
        let longest = PARAMETERS.max(first.parameters.len());
        let mut native = |_: &mut [u8], size: usize, _: usize| size;
        let mut mutation = Mutation::new(*grammar, &settings, &mut self.experience, seed, longest, &mut native);
        mutation.learn(&first.parameters, scratch);
        let crossed = !second.parameters.is_empty()
            && mutation.recombine(&first.parameters, &second.parameters, scratch)
            && scratch.result().parameters().len() <= longest;
        parameters.clear();
        if crossed {
            parameters.extend_from_slice(scratch.result().parameters());
        } else {
            parameters.extend_from_slice(mutation.mutate(&first.parameters, scratch));
        }
        self.decode(&settings);
        if self.text.len() > most {
            self.text.clear();
        }
        self.pending = true;
        &self.text
    }

    /// The name of the mutator that made the last result; `None` if it was a crossover.
    pub fn maker(&self) -> Option<&'static str> {
        self.experience.maker().filter(|_| self.pending)
    }

    /// Says that the engine added a text to its queue. If the text is the last result, the mutator that made it is credited.
    pub fn kept(&mut self, text: &[u8]) {
        if self.pending && text == self.text {
            self.kept = true;
            self.parsed.know(&self.text, &self.parameters);
        }
    }

    /// Begins to shorten a text; returns how many attempts there will be.
    pub fn shorten(&mut self, text: &[u8]) -> u32 {
        self.learn_from_last();
        self.parsed.read(text, &mut self.first);
        let Shortening { parameters, length, step, steps } = &mut self.shortening;
        parameters.clear();
        parameters.extend_from_slice(&self.first.parameters);
        (*length, *step) = (text.len(), 0);
        // A text that is no sentence is not shortened.
        *steps = if self.first.is_sentence && parameters.len() > 1 { STEPS } else { 0 };
        *steps
    }

    /// Returns a sentence that is shorter than the shortest so far; empty if this attempt finds none.
    pub fn shorter(&mut self) -> &[u8] {
        let Sentences { grammar, settings, scratch, parameters, shortening, .. } = self;
        let (most, seed) = (shortening.parameters.len().saturating_sub(1), self.rng.random());
        let mut native = |_: &mut [u8], size: usize, _: usize| size;
        let mut mutation = Mutation::new(*grammar, settings, &mut self.experience, seed, most, &mut native);
        parameters.clear();
        parameters.extend_from_slice(mutation.mutate(&shortening.parameters, scratch));
        let settings = *settings;
        self.decode(&settings);
        if self.text.len() >= self.shortening.length {
            self.text.clear();
        }
        &self.text
    }

    /// Says whether the last sentence is as good as the text; returns how many attempts there were.
    pub fn shortened(&mut self, as_good: bool) -> u32 {
        let Shortening { parameters, length, step, steps } = &mut self.shortening;
        *step += 1;
        if as_good && !self.text.is_empty() {
            parameters.clone_from(&self.parameters);
            *length = self.text.len();
            self.parsed.know(&self.text, &self.parameters);
            if parameters.len() < 2 {
                *step = *steps;
            }
        }
        *step
    }

    /// Decodes the parameters to the text.
    fn decode(&mut self, settings: &Settings) {
        self.text.clear();
        match self.scratch.sentence(&self.parameters) {
            Some(known) => self.text.extend_from_slice(known),
            None => _ = parameters::decode_text(self.grammar, settings, &self.parameters, &mut self.workspace, &mut self.text),
        }
    }

    /// Learns whether the engine kept the last result.
    fn learn_from_last(&mut self) {
        if std::mem::take(&mut self.pending) {
            let outcome = Outcome { bytes: self.text.len(), valid: false, found: std::mem::take(&mut self.kept) };
            self.experience.ran(&self.parameters, outcome);
        }
    }
}

/// Settings for sentences of at most `most` bytes.
fn within(mut settings: Settings, most: usize) -> Settings {
    settings.caps.bytes = settings.caps.bytes.min(u32::try_from(most).unwrap_or(u32::MAX));
    settings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Caps;
    use crate::derivation::Derivation;
    use crate::notation;
    use crate::parse::Parser;

    fn grammar(source: &str) -> &'static Grammar {
        Box::leak(Box::new(notation::read("test", source.as_bytes(), &Caps::default()).unwrap().0))
    }

    fn sentences(grammar: &'static Grammar, seed: u64) -> Sentences {
        Sentences::new(grammar, &Options::from_environment().unwrap(), seed).unwrap()
    }

    fn shipped() -> [&'static Grammar; 3] {
        [
            include_str!("../../grammars/json.ebnf"),
            include_str!("../../grammars/sqlite.ebnf"),
            include_str!("../../grammars/css.ebnf"),
        ]
        .map(grammar)
    }

    #[test]
    fn what_comes_of_any_text_is_a_sentence_of_its_own() {
        let junk: [&[u8]; 4] = [b"", b"\xFF\xFE", b"{\"a\": [1, }", b")))"];
        for grammar in shipped() {
            let (mut parser, mut derivation) = (Parser::new(grammar), Derivation::default());
            let mut sentences = sentences(grammar, 1);
            let mut queue: Vec<Vec<u8>> = junk.iter().map(|text| text.to_vec()).collect();
            let mut changed = 0;
            for round in 0..2_000_usize {
                let text = queue[round % queue.len()].clone();
                let other = queue[round * 7 % queue.len()].clone();
                let result = sentences.mutate(&text, &other, 1 << 20).to_vec();
                parser.parse(&result, &mut derivation).unwrap_or_else(|error| {
                    panic!("{}: {}", parser.explain(&result, error), String::from_utf8_lossy(&result));
                });
                changed += usize::from(result != text);
                if round % 10 == 0 && queue.len() < 100 {
                    sentences.kept(&result);
                    queue.push(result);
                }
            }
            assert!(changed > 1_990, "{changed}");
        }
    }

    #[test]
    fn a_part_that_is_a_sentence_is_what_a_text_stands_for() {
        let mut sentences = sentences(shipped()[1], 2);
        let text = b"SELECT unheard_of FROM nowhere; SELECT FROM FROM; SELECT 7;";
        let kept =
            (0..200).filter(|_| sentences.mutate(text, b"", 1 << 20).windows(10).any(|part| part == b"unheard_of")).count();
        assert!(kept > 20, "{kept}");
    }

    #[test]
    fn nothing_is_longer_than_it_may_be() {
        for grammar in shipped() {
            let mut sentences = sentences(grammar, 3);
            let text = sentences.mutate(b"", b"", 1 << 20).to_vec();
            for most in (0..40).chain([100, 1_000]) {
                for _ in 0..20 {
                    assert!(sentences.mutate(&text, &text, most).len() <= most);
                }
            }
        }
    }

    #[test]
    fn the_same_calls_give_the_same_results() {
        let run = |seed| {
            let mut sentences = sentences(shipped()[0], seed);
            let mut all = vec![b"[1, 2]".to_vec()];
            for at in 0..300 {
                all.push(sentences.mutate(&all[at], b"{\"a\": null}", 300).to_vec());
            }
            all
        };
        assert_eq!(run(5), run(5));
        assert_ne!(run(5), run(6));
    }

    #[test]
    fn a_text_is_shortened_as_long_as_it_is_as_good() {
        let grammar = shipped()[0];
        let (mut parser, mut derivation) = (Parser::new(grammar), Derivation::default());
        let mut sentences = sentences(grammar, 7);
        let mut text = br#"{"some": [1, 2, 3, {"more": null}], "needle": [[[["long"]]]], "other": 1.25e7}"#.to_vec();
        let is_good = |text: &[u8]| text.windows(8).any(|part| part == b"\"needle\"");
        for _ in 0..4 {
            let steps = sentences.shorten(&text);
            let mut step = 0;
            while step < steps {
                let shorter = sentences.shorter().to_vec();
                let as_good = is_good(&shorter);
                if !shorter.is_empty() {
                    assert!(shorter.len() < text.len());
                    parser.parse(&shorter, &mut derivation).unwrap();
                }
                if as_good {
                    text = shorter;
                }
                let next = sentences.shortened(as_good);
                assert!(next > step);
                step = next;
            }
        }
        assert!(is_good(&text) && text.len() < 30, "{}", String::from_utf8_lossy(&text));
        assert_eq!(sentences.shorten(b"no sentence"), 0);
    }

    #[test]
    fn whatever_made_what_is_kept_is_told() {
        let mut sentences = sentences(shipped()[0], 8);
        let mut makers = std::collections::HashSet::new();
        for _ in 0..300 {
            let result = sentences.mutate(b"[1, 2, {\"a\": 3}]", b"[null]", 1 << 20).to_vec();
            makers.insert(sentences.maker());
            sentences.kept(b"what another program found");
            assert!(!sentences.kept);
            sentences.kept(&result);
            assert!(sentences.kept);
        }
        assert!(makers.contains(&None) && makers.len() > 8 && !makers.contains(&Some("native")), "{makers:?}");
        let figures = sentences.experience.take_figures();
        let found: u64 = figures.iter().map(|[_, _, found, _]| found).sum();
        assert!(found > 200, "{found}");
    }
}
