//! The search for the shape of a failing sentence.
//!
//! The search replaces a subtree of the sentence by other subtrees of the same rule. If most of the
//! resulting sentences that the program accepts fail in the same way, the subtree becomes a hole.
//! The new subtrees use names that are declared in the sentence.
//!
//! The method is *DDSet* (Gopinath, Kampmann, Havrikov, Soremekun and Zeller, *Abstracting
//! failure-inducing inputs*, ISSTA 2020). DDSet requires that all sentences fail. Here it is enough
//! that most fail, because a program with a fault gives the right result for some values by chance.
//!
//! The search goes from the root to the leaves. At the end, all holes are filled at once to test
//! them together.

use std::collections::HashSet;
use std::ops::Range;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::{FailureShape, Shape, ShapePart, name, visible_range};
use crate::derive::{DerivationGoal, Workspace};
use crate::grammar::{Grammar, Kind, SymbolId};
use crate::parameters::{self, Settings, Tree, TreeView};
use crate::sampler::{self, Sampler};
use crate::splice::{Replace, Splice, SpliceBuffers};

/// The number of different accepted sentences that are tried for a part, each with another text in
/// its place, and the number of them that must fail so that the part becomes a hole.
const ENOUGH: usize = 16;
const MUST_FAIL: usize = 10;

/// The maximum number of subtrees that are sampled for a part.
const MAX_SAMPLES: usize = 80;

/// The minimum share of accepted sentences that must fail with all holes filled.
const MUST_HOLD: f64 = 0.25;

/// The number of bytes that is added to the maximum size of a sampled subtree.
const MIN_SIZE: usize = 12;

/// The number of random sentences into which a part is inserted. Only sentences that the program
/// accepts with the part are counted.
pub(super) const CONTEXTS: u32 = 24;

/// The minimum number of random sentences with a shape that are needed to judge whether such
/// sentences fail.
const MIN_COVERED: u32 = 4;

/// The sizes of random sentences in bytes.
pub(super) const CONTEXT_SIZES: Range<f64> = 5.0..80.0;

/// The caller's judgement of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialResult {
    /// The sentence fails in the same way.
    Same,
    /// The sentence does not fail in the same way.
    Other,
    /// The program refuses the sentence. Such a sentence does not count.
    Refused,
}

/// The search for the shape of a sentence.
pub struct ShapeSearch<'a> {
    pub grammar: &'a Grammar,
    pub settings: &'a Settings,
    /// Runs a sentence.
    pub judge: &'a mut dyn FnMut(&Tree) -> TrialResult,
    /// Whether no more sentences may be run. Parts that were not tried do not become holes.
    pub is_over: &'a dyn Fn() -> bool,
}

pub(super) struct Buffers {
    pub(super) workspace: Workspace,
    pub(super) splices: SpliceBuffers,
    sampler: Sampler,
    pub(super) rng: SmallRng,
    sampled: Tree,
    pub(super) bytes: Vec<u8>,
}

impl Buffers {
    pub(super) fn new() -> Buffers {
        Buffers {
            workspace: Workspace::default(),
            splices: SpliceBuffers::default(),
            sampler: Sampler::new(0, 0.0),
            rng: SmallRng::seed_from_u64(0),
            sampled: Tree::default(),
            bytes: Vec::new(),
        }
    }

    /// Samples a subtree or a sentence of about `size` bytes.
    pub(super) fn sample(&mut self, goal: DerivationGoal<'_>, size: f64, result: &mut Tree) {
        let seed = self.rng.random();
        self.sampler.reseed(seed);
        self.sampler.restart(size);
        sampler::sample(goal, &mut self.sampler, &mut self.workspace, result);
    }

    /// Reads the parameters that a splice wrote.
    pub(super) fn read(&mut self, grammar: &Grammar, settings: &Settings, result: &mut Tree) {
        parameters::read(grammar, settings, &self.bytes, &mut self.workspace, result);
    }
}

impl ShapeSearch<'_> {
    /// Returns the shape of a failing sentence, which is given by its parameters. Equal calls give
    /// equal shapes if the caller judges equally. Returns [`None`] if most random sentences with
    /// the shape do not fail. For example, the failure may depend on blanks, which a shape ignores.
    pub fn run(&mut self, input: &[u8]) -> Option<FailureShape> {
        let mut buffers = Buffers::new();
        let mut tree = Tree::default();
        let (grammar, settings) = (self.grammar, self.settings);
        parameters::read(grammar, settings, input, &mut buffers.workspace, &mut tree);
        let mut holes: Vec<usize> = Vec::new();
        let mut node = 0;
        while node < tree.derivation().nodes().len() && !(self.is_over)() {
            let size = tree.derivation().nodes()[node].size as usize;
            if self.is_hole(&tree, node, &mut buffers) {
                holes.push(node);
                node += size;
            } else {
                node += 1;
            }
        }
        while holes.len() > 1 && !self.holds_together(&tree, &holes, &mut buffers) {
            holes.pop();
        }
        let all = 0..tree.derivation().text().len();
        let shape = self.shape(&tree, &holes, all);
        if self.is_of_others(&shape, &mut buffers) {
            return None;
        }
        Some(FailureShape {
            cause: self.cause(&tree, &holes, &mut buffers),
            shape,
        })
    }

    /// Returns whether most random sentences with this shape do not fail.
    fn is_of_others(&mut self, shape: &Shape, buffers: &mut Buffers) -> bool {
        let start = self.settings.goal(self.grammar, self.grammar.start());
        let mut sentence = Tree::default();
        let (mut covered, mut others) = (0, 0);
        for _ in 0..CONTEXTS {
            let size = buffers.rng.random_range(CONTEXT_SIZES);
            buffers.sample(start, size, &mut sentence);
            if (self.is_over)() || !shape.matches(self.grammar, sentence.derivation().text()) {
                continue;
            }
            let result = (self.judge)(&sentence);
            covered += u32::from(result != TrialResult::Refused);
            others += u32::from(result == TrialResult::Other);
        }
        covered >= MIN_COVERED && 2 * others > covered
    }

    /// Returns whether most sentences with other subtrees in place of a node fail in the same way.
    fn is_hole(&mut self, tree: &Tree, node: usize, buffers: &mut Buffers) -> bool {
        let view = view(self.grammar, self.settings, tree);
        if !view.is_unit(node)
            || !self.says_what_it_is(view.symbol(node))
            || view.text(node).is_empty()
        {
            return false;
        }
        // The whole sentence becomes a hole only if all other sentences fail.
        let derivation = tree.derivation();
        let is_all = visible_range(derivation, node) == visible_range(derivation, 0);
        let must_fail = if is_all { ENOUGH } else { MUST_FAIL };
        let is_clear = |other: usize| other > ENOUGH - must_fail;
        let (same, other) = self.with_others(tree, node, buffers, is_clear);
        // A rule may have fewer than [`ENOUGH`] texts, so compare shares.
        same > 0 && ENOUGH * same >= must_fail * (same + other) && !(self.is_over)()
    }

    /// Tries up to [`ENOUGH`] different accepted sentences with another subtree in place of a node.
    /// Returns how many fail in the same way, and how many do not. Stops early when `is_enough` is
    /// true for the second number.
    pub(super) fn with_others(
        &mut self,
        tree: &Tree,
        node: usize,
        buffers: &mut Buffers,
        is_enough: impl Fn(usize) -> bool,
    ) -> (usize, usize) {
        let mut tried = HashSet::from([tree.derivation().text().to_vec()]);
        let (mut same, mut other, mut candidate) = (0, 0, tree.clone());
        for _ in 0..MAX_SAMPLES {
            if same + other == ENOUGH || is_enough(other) || (self.is_over)() {
                break;
            }
            self.fill(tree, node, buffers, &mut candidate);
            if !tried.insert(candidate.derivation().text().to_vec()) {
                continue;
            }
            match (self.judge)(&candidate) {
                TrialResult::Same => same += 1,
                TrialResult::Other => other += 1,
                TrialResult::Refused => {}
            }
        }
        (same, other)
    }

    /// Returns whether a reader can understand a hole of this symbol: the symbol has a rule, or is
    /// a group with several alternatives. For other groups and for repetitions, the search tries
    /// their parts instead.
    pub(super) fn says_what_it_is(&self, symbol: SymbolId) -> bool {
        let is_group = self.grammar.label(symbol).contains('/');
        match self.grammar[symbol].kind {
            Kind::Repeat { .. } => false,
            Kind::Nonterminal { .. } => !is_group || self.grammar.alternatives(symbol).len() > 1,
            _ => true,
        }
    }

    /// Fills all holes with random subtrees, several times. Returns whether at least the share
    /// [`MUST_HOLD`] of the accepted sentences fails in the same way.
    fn holds_together(&mut self, tree: &Tree, holes: &[usize], buffers: &mut Buffers) -> bool {
        let (mut filled, mut next) = (tree.clone(), tree.clone());
        let (mut same, mut other) = (0, 0);
        for _ in 0..ENOUGH {
            filled.clone_from(tree);
            // Go backwards, because the nodes before a replaced node keep their numbers.
            for &node in holes.iter().rev() {
                self.fill(&filled, node, buffers, &mut next);
                std::mem::swap(&mut filled, &mut next);
            }
            match (self.judge)(&filled) {
                TrialResult::Same => same += 1,
                TrialResult::Other => other += 1,
                TrialResult::Refused => {}
            }
        }
        other == 0 || f64::from(same) >= MUST_HOLD * f64::from(same + other)
    }

    /// Replaces the subtree of a node by a sampled one of its symbol.
    pub(super) fn fill(&self, tree: &Tree, node: usize, buffers: &mut Buffers, result: &mut Tree) {
        let view = view(self.grammar, self.settings, tree);
        let max = max_size(view.text(node).len());
        let size = Sampler::log_uniform(&mut buffers.rng, max);
        let goal = self.settings.goal(self.grammar, view.symbol(node));
        let mut sampled = std::mem::take(&mut buffers.sampled);
        let workspace = &mut buffers.workspace;
        workspace.show_names_before(self.grammar, tree.derivation(), node);
        buffers.sample(goal, size, &mut sampled);
        let part = sampled.parameters();
        Replace { node, part }.write(&view, &mut buffers.splices, &mut buffers.bytes);
        buffers.sampled = sampled;
        buffers.read(self.grammar, self.settings, result);
    }

    /// Returns the shape of a range of a sentence with these holes.
    pub(super) fn shape(&self, tree: &Tree, holes: &[usize], range: Range<usize>) -> Shape {
        let derivation = tree.derivation();
        let text = |range: Range<usize>| String::from_utf8_lossy(&derivation.text()[range]);
        let (mut parts, mut from) = (Vec::new(), range.start);
        for &node in holes {
            let hole = visible_range(derivation, node);
            if hole.start < range.start || range.end < hole.end {
                continue;
            }
            if from < hole.start {
                parts.push(ShapePart::Text(text(from..hole.start).into_owned()));
            }
            let name = name(self.grammar, derivation, node);
            parts.push(ShapePart::Hole(name.into()));
            from = hole.end;
        }
        if from < range.end {
            parts.push(ShapePart::Text(text(from..range.end).into_owned()));
        }
        Shape { parts }
    }
}

/// Returns the maximum size in bytes of a subtree that replaces a subtree of this size.
pub(super) fn max_size(size: usize) -> f64 {
    (2 * size + MIN_SIZE) as f64
}

pub(super) fn view<'a>(
    grammar: &'a Grammar,
    settings: &'a Settings,
    tree: &'a Tree,
) -> TreeView<'a> {
    TreeView {
        grammar,
        settings,
        tree,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::SUMS;
    use super::*;

    /// Returns the shape of a sentence of a grammar, if it has one. Sentences fail in the same way if `fails`,
    /// and are refused if not `accepts`.
    fn searched(
        grammar: &Grammar,
        sentence: &str,
        fails: impl Fn(&str) -> bool,
        accepts: impl Fn(&str) -> bool,
    ) -> Option<FailureShape> {
        let input = grammar.encode(sentence.as_bytes()).unwrap();
        let mut search = ShapeSearch {
            grammar,
            settings: &Settings::default(),
            judge: &mut |tree| {
                let text = std::str::from_utf8(tree.derivation().text()).unwrap();
                match (accepts(text), fails(text)) {
                    (false, _) => TrialResult::Refused,
                    (true, true) => TrialResult::Same,
                    (true, false) => TrialResult::Other,
                }
            },
            is_over: &|| false,
        };
        search.run(&input)
    }

    fn shape(
        source: &[u8],
        sentence: &str,
        fails: impl Fn(&str) -> bool,
        accepts: impl Fn(&str) -> bool,
    ) -> FailureShape {
        let grammar = Grammar::read("test", source).unwrap();
        let found = searched(&grammar, sentence, fails, accepts).unwrap();
        assert!(found.covers(&grammar, sentence.as_bytes()), "{found}");
        assert_eq!(found.shape.to_string().parse(), Ok(found.shape.clone()));
        if let Some(cause) = &found.cause {
            assert_eq!(cause.to_string().parse(), Ok(cause.clone()));
        }
        found
    }

    #[test]
    fn what_fails_by_its_blanks_has_no_shape() {
        let source = br#"s = "a" ( "." "b" )* ; @skip blank = " "+ ;"#;
        let grammar = Grammar::read("test", source).unwrap();
        let found = |sentence, fails: fn(&str) -> bool| {
            searched(&grammar, sentence, fails, |_| true).map(|found| found.to_string())
        };
        assert_eq!(found("a.b ", |text| text.ends_with(' ')), None);
        assert_eq!(found("a.b", |text| text.contains('b')), Some("a.b".into()));
    }

    #[test]
    fn parts_that_do_not_matter_are_holes() {
        let all = |_: &str| true;
        let found = |sentence: &str, fails: fn(&str) -> bool| {
            shape(SUMS, sentence, fails, all).shape.to_string()
        };
        assert_eq!(
            found("1+(2)", |text| text.contains('(')),
            "‹product›‹sign›(‹sum›)"
        );
        assert_eq!(found("1*0", |text| text.ends_with("*0")), "‹atom›*0");
        assert_eq!(found("7", |_| true), "‹sentence›");
        assert_eq!(found("1-2", |text| text == "1-2"), "1-2");
    }

    #[test]
    fn the_cause_is_the_smallest_part_with_which_other_sentences_fail() {
        let all = |_: &str| true;
        let twice = |text: &str| text.contains("((");
        let found = shape(SUMS, "1+((2))", twice, all);
        let cause = found.cause.as_ref().unwrap().to_string();
        assert_eq!(cause, "atom: ((‹sum›))");
        assert_eq!(found.to_string(), "… ((‹sum›)) …");
        let grammar = Grammar::read("test", SUMS).unwrap();
        let covers = |text: &str| found.covers(&grammar, text.as_bytes());
        assert!(covers("7*(1-((3*4)))") && !covers("(1)+(2)"));
        // No part is enough.
        let whole = shape(SUMS, "1*0", |text| text == "1*0", all);
        assert_eq!((whole.cause, whole.shape.to_string()), (None, "1*0".into()));
    }

    #[test]
    fn causes_with_different_values_are_one() {
        let source = br#"
            sum = atom ( "+" atom )* ;
            atom = number | "a" "(" sum ")" | "b" "(" sum ")" | "c" "(" sum ")" | "d" "(" sum ")"
                | "e" "(" sum ")" | "f" "(" sum ")" | "g" "(" sum ")" | "h" "(" sum ")" ;
            number = [0-9]+ ;
        "#;
        // The first two digits of an argument of b must be equal.
        let fails = |text: &str| {
            let mut calls = text.split("b(").skip(1);
            calls.any(
                |call| matches!(call.as_bytes(), [x @ b'0'..=b'9', y @ b'0'..=b'9', ..] if x != y),
            )
        };
        for sentence in ["b(12)", "3+b(90)", "c(b(45))+1"] {
            let cause = shape(source, sentence, fails, |_| true).cause.unwrap();
            assert_eq!(cause.to_string(), "atom: b(‹sum›)", "{sentence}");
        }
    }

    #[test]
    fn a_word_that_matters_in_other_sentences_is_no_hole() {
        let source = br#"
            sum = pair ( ( "+" | "-" ) pair )* ;
            pair = digit ( "x" | "y" | "z" ) digit | digit ;
            digit = [0-9] ;
        "#;
        let of_both = |text: &str| text.contains('-') && text.ends_with('7');
        let fails = |text: &str| of_both(text) || text.contains("1x7");
        let cause = shape(source, "0-1x7", fails, |_| true).cause.unwrap();
        assert_eq!(cause.to_string(), "pair: ‹digit›x7");
    }

    #[test]
    fn what_the_program_refuses_says_nothing() {
        let even = |text: &str| text.len().is_multiple_of(2);
        let found = shape(SUMS, "1*22", |text| text.contains('*'), even);
        assert_eq!(found.shape.to_string(), "‹atom›*‹atom›");
        let none = shape(SUMS, "1*2", |text| text.contains('*'), |text| text == "1*2");
        assert_eq!(none.shape.to_string(), "1*2");
    }

    #[test]
    fn names_stay_declared_in_trials() {
        let source = br#"
            @kind variable: name ; @identifier name = [a-z]+ ;
            @start all = @after( "let" @declare variable "=" value ";" )* ;
            value = number | @use variable ;
            number = [0-9]+ ;
        "#;
        let declared = |text: &str| {
            let mut names = HashSet::new();
            text.split(';').filter(|part| !part.is_empty()).all(|part| {
                let (name, value) = part.trim_start_matches("let").split_once('=').unwrap();
                let is_known =
                    value.starts_with(|c: char| c.is_ascii_digit()) || names.contains(value);
                names.insert(name.to_owned());
                is_known
            })
        };
        let fails = |text: &str| {
            assert!(declared(text), "{text}");
            text.starts_with("leta=0;letb=")
        };
        let found = shape(source, "leta=0;letb=a;", fails, |_| true)
            .shape
            .to_string();
        assert_eq!(found, "leta=0;letb=‹value›;");
    }

    #[test]
    fn a_hole_has_the_values_of_arguments() {
        let source = br#"
            @domain type = int | bool ;
            @start all = "print" value<_> ;
            value<int> = number | "(" value<int> ")" ;
            value<bool> = "true" | "false" | value<int> "<" value<int> ;
            number = [0-9]+ ;
        "#;
        let is_truth = |text: &str| text[5..].contains(['<', 'e']);
        let found = shape(source, "print1<2", is_truth, |_| true);
        assert_eq!(found.shape.to_string(), "print‹value<bool>›");
        let grammar = Grammar::read("test", source).unwrap();
        for (shape, text, expected) in [
            ("print‹value<bool>›", "printtrue", true),
            ("print‹value<bool>›", "print1", false),
            ("print‹value›", "printtrue", true),
            ("print‹value›", "print1", true),
        ] {
            let shape: Shape = shape.parse().unwrap();
            let found = shape.matches(&grammar, text.as_bytes());
            assert_eq!(found, expected, "{shape} {text}");
        }
    }
}
