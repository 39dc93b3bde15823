//! A generator of sentences that owns its buffers.

use crate::cover::{Coverage, Route, RouteFollower};
use crate::derivation::Derivation;
use crate::derive::{DerivationGoal, Workspace, derive};
use crate::error::Error;
use crate::grammar::Grammar;
use crate::parameters::Settings;
use crate::sampler::Sampler;
use crate::weights::{Probabilities, Ptc2Generator, Transform, Weights};

/// One sentence in this many is steered to an alternative that no earlier sentence used.
const STEER: u64 = 32;

/// The maximum size in bytes that is drawn.
const MAX_SIZE: f64 = 4096.0;

/// Generates sentences of a grammar.
///
/// Without weights, each sentence has a target size in bytes. It is drawn log-uniformly from 1 to
/// 4,096, or given by [`Generator::size`]. Alternatives are drawn by the weights that are
/// written in the grammar. One sentence in 32 is steered to an alternative that no earlier sentence
/// used, until every alternative has been used or steered to once. None is steered to an alternative
/// of weight 0.
///
/// With [`Generator::weights`], sentences resemble the samples that the weights were learned
/// from, or differ from them.
///
/// Equal arguments and seeds give equal sentences.
///
/// ```
/// use zester::{Generator, Grammar};
///
/// let source = br#"list = "[" ( number ( "," number )* )? "]" ; @token number = [0-9]+ ;"#;
/// let grammar = Grammar::read("list.ebnf", source).unwrap();
/// let mut generator = Generator::new(&grammar, 1).size(20);
/// for _ in 0..5 {
///     let sentence = generator.sentence();
///     assert!(sentence.text().starts_with(b"["));
/// }
/// ```
#[derive(Debug)]
pub struct Generator<'g> {
    grammar: &'g Grammar,
    seed: u64,
    settings: Settings,
    /// The target sizes of sentences in bytes, each in turn. If there is none, sizes are drawn.
    sizes: Vec<u32>,
    /// The number of expansions after which a sentence is completed. It is used with weights only.
    expansions: Option<u32>,
    method: Method,
    coverage: Coverage,
    generated: u64,
    workspace: Workspace,
    derivation: Derivation,
}

/// How choices are drawn.
#[derive(Debug)]
enum Method {
    /// By the weights in the grammar, towards a size.
    Sampled(RouteFollower<Sampler>),
    /// By probabilities that were learned from samples, or that are written in the grammar.
    Weighted {
        generator: Ptc2Generator,
        probabilities: Box<Probabilities>,
        /// Whether the weights have samples, whose mean number of expansions is known.
        has_samples: bool,
    },
}

impl<'g> Generator<'g> {
    /// Returns a generator with the default settings.
    pub fn new(grammar: &'g Grammar, seed: u64) -> Generator<'g> {
        Generator {
            grammar,
            seed,
            settings: Settings::default(),
            sizes: Vec::new(),
            expansions: None,
            method: Method::Sampled(RouteFollower::new(Sampler::new(seed, 0.0))),
            coverage: Coverage::new(grammar),
            generated: 0,
            workspace: Workspace::default(),
            derivation: Derivation::default(),
        }
    }

    /// Sets the bounds and caps of the sentences.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Generator<'g> {
        self.settings = settings;
        self
    }

    /// Sets the target size of every sentence in bytes. A sentence can be shorter or longer, since
    /// a grammar may derive nothing of this size.
    #[must_use]
    pub fn size(self, bytes: u32) -> Generator<'g> {
        self.sizes(&[bytes])
    }

    /// Sets target sizes in bytes. Each sentence has the next one, and the first one follows the last one. Without a size,
    /// sizes are drawn.
    #[must_use]
    pub fn sizes(mut self, bytes: &[u32]) -> Generator<'g> {
        self.sizes = bytes.into();
        self
    }

    /// Draws sentences by [`Weights`] that were learned from samples. For a rule that no sample
    /// uses, alternatives are drawn by the weights and percentages in the grammar. Without samples,
    /// this holds for all rules.
    ///
    /// # Errors
    /// If the weights belong to another grammar or forbid every finite derivation, or if the
    /// transform is out of range.
    pub fn weights(
        mut self,
        weights: &Weights,
        transform: Transform,
    ) -> Result<Generator<'g>, Error> {
        let probabilities = Box::new(Probabilities::new(self.grammar, weights, transform)?);
        self.method = Method::Weighted {
            generator: Ptc2Generator::new(self.seed),
            probabilities,
            has_samples: weights.samples() > 0,
        };
        Ok(self)
    }

    /// Sets the number of nonterminals, repetitions and names that are expanded freely. After that,
    /// a sentence is completed with as few further expansions as the weights allow. This number has
    /// an effect with weights only.
    ///
    /// The default depends on [`Generator::size`]. With a size, the default is the mean number of
    /// expansions that the samples have for that many bytes. Without a size, a number is drawn for
    /// each sentence: between the mean number of expansions of a sample and twice that mean. If the
    /// weights have no samples, the default is the size in bytes. With neither samples nor a size,
    /// it is drawn log-uniformly from 1 to 4,096.
    #[must_use]
    pub fn expansions(mut self, expansions: u32) -> Generator<'g> {
        self.expansions = Some(expansions);
        self
    }

    /// Generates the next sentence.
    pub fn sentence(&mut self) -> &Derivation {
        let Generator {
            grammar,
            settings: Settings { bounds, caps, .. },
            workspace,
            derivation,
            coverage,
            ..
        } = self;
        let goal = DerivationGoal::start(grammar, bounds, caps);
        // One more step at each steered sentence, so that these do not all have the same size.
        let turn = (self.generated + self.generated / STEER) as usize;
        let size = match self.sizes.len() {
            0 => None,
            count => Some(f64::from(self.sizes[turn % count])),
        };
        self.generated += 1;
        match &mut self.method {
            Method::Sampled(guide) => {
                let size = size
                    .unwrap_or_else(|| Sampler::log_uniform(guide.choice_source.rng(), MAX_SIZE));
                guide.choice_source.restart(size);
                guide.follow(if self.generated.is_multiple_of(STEER) {
                    coverage.route(grammar)
                } else {
                    Route::default()
                });
                derive(goal, guide, workspace, derivation);
            }
            Method::Weighted {
                generator,
                probabilities,
                has_samples,
            } => {
                let by_size = size.map(|size| size * probabilities.expansions_per_byte());
                let given = self.expansions.map(f64::from).or(by_size);
                let expansions = given.unwrap_or_else(|| match has_samples {
                    true => probabilities.mean_expansions() * generator.random(1.0..2.0),
                    false => MAX_SIZE.powf(generator.random(0.0..1.0)),
                });
                let expansions = expansions.ceil() as usize;
                generator.derive(goal, (probabilities, expansions), workspace, derivation);
            }
        }
        coverage.add(grammar, derivation);
        derivation
    }
}

/// For the programs of this workspace; not part of the interface.
#[doc(hidden)]
impl<'g> Generator<'g> {
    /// Returns the coverage of the grammar's alternatives by the sentences that were generated.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::{Bounds, Caps};
    use crate::notation;

    /// A grammar of lists that have 60 different elements.
    fn grammar() -> Grammar {
        let alternatives: Vec<String> = (0..60).map(|number| format!("\"<{number}>\"")).collect();
        let source = format!("s = e | e s ; e = {} ;", alternatives.join(" | "));
        notation::read("generate.ebnf", source.as_bytes(), &Caps::default())
            .unwrap()
            .0
    }

    #[test]
    fn equal_seeds_give_equal_sentences() {
        let grammar = grammar();
        let sentences = |seed| {
            let mut generator = Generator::new(&grammar, seed);
            (0..20)
                .map(|_| generator.sentence().text().to_vec())
                .collect::<Vec<_>>()
        };
        assert_eq!(sentences(1), sentences(1));
        assert_ne!(sentences(1), sentences(2));
    }

    #[test]
    fn no_sentence_is_steered_to_an_alternative_of_weight_0() {
        let source = b"s = \"a\" | \"b\" | @0 text ; text = \"c\" | \"d\" ;";
        let (grammar, _) = notation::read("texts.ebnf", source, &Caps::default()).unwrap();
        let mut generator = Generator::new(&grammar, 1);
        for _ in 0..10 * STEER {
            assert!([b"a", b"b"].contains(&generator.sentence().text().try_into().unwrap()));
        }
    }

    #[test]
    fn sentences_are_steered_until_all_alternatives_are_used() {
        let grammar = grammar();
        let mut generator = Generator::new(&grammar, 1).size(1);
        let unused = |generator: &Generator| {
            generator
                .coverage()
                .alternatives(&grammar)
                .filter(|(_, _, used)| !used)
                .count()
        };
        (0..62 * STEER).for_each(|_| _ = generator.sentence());
        assert_eq!(unused(&generator), 0);
    }

    /// Recursion through nullable symbols derives texts of any size, so every sentence can have the
    /// requested one.
    #[test]
    fn sentences_of_nullable_recursion_have_the_requested_size() {
        for source in [
            "s = f f f f ; f = \"x\" s | ;",
            "s = f f ; f = \"x\" s | ;",
            "s = ( \"x\" s? )? ;",
        ] {
            let (grammar, _) =
                notation::read("nullable.ebnf", source.as_bytes(), &Caps::default()).unwrap();
            for size in [1, 10, 100, 1000] {
                let mut generator = Generator::new(&grammar, 1).size(size);
                let lengths: Vec<usize> = (0..100)
                    .map(|_| generator.sentence().text().len())
                    .collect();
                assert!(
                    lengths.iter().all(|&length| length <= size as usize + 1),
                    "{source}: {lengths:?} for {size}"
                );
                assert!(
                    lengths.iter().sum::<usize>() * 2 >= 100 * size as usize,
                    "{source}: {lengths:?} for {size}"
                );
            }
        }
    }

    #[test]
    fn sentences_keep_to_the_settings() {
        let source = br#"s = "(" s s ")" | "x" ;"#;
        let (grammar, _) = notation::read("nested.ebnf", source, &Caps::default()).unwrap();
        let settings = Settings {
            bounds: Bounds {
                depth: 2,
                ..Bounds::UNBOUNDED
            },
            ..Settings::default()
        };
        let mut generator = Generator::new(&grammar, 1).settings(settings).size(500);
        for _ in 0..100 {
            let text = generator.sentence().text().to_vec();
            assert!(
                text.iter().filter(|&&byte| byte == b'(').count() <= 3,
                "{}",
                String::from_utf8_lossy(&text)
            );
        }
    }

    #[test]
    fn weights_steer_what_is_generated() {
        let (grammar, _) =
            notation::read("bits.ebnf", br#"bits = ( "0" | "1" )* ;"#, &Caps::default()).unwrap();
        let (mut weights, mut sample) = (Weights::new(&grammar, 0), Derivation::default());
        crate::parse::Parser::new(&grammar)
            .parse_into(b"0000", &mut sample)
            .unwrap();
        weights.add(&grammar, &sample);
        for (power, digit) in [(1.0, b'0'), (-1.0, b'1')] {
            let transform = Transform {
                power,
                damping: 0.0,
            };
            let mut generator = Generator::new(&grammar, 7)
                .weights(&weights, transform)
                .unwrap()
                .expansions(20);
            assert!((0..20).all(|_| {
                generator
                    .sentence()
                    .text()
                    .iter()
                    .all(|&byte| byte == digit)
            }));
        }
    }
}
