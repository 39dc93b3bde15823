//! The shape of a failing sentence: the sentence with holes for the parts that do not matter.
//!
//! A subtree is replaced by other subtrees of its rule, in the sentence, so that names stay declared.
//! If all of them that the program accepts fail in the same way, the subtree becomes a hole: *DDSet*
//! (Gopinath, Kampmann, Havrikov, Soremekun and Zeller, *Abstracting failure-inducing inputs*, ISSTA
//! 2020). The search goes from the root to the leaves. At last, all holes are filled together.
//!
//! # Guarantees
//!
//! * The text of a shape has all of its holes, and [`Shape`] reads it again.
//! * A sentence matches its own shape.
//!
//! # Not guaranteed
//!
//! A hole was filled with a few random subtrees. Others may not fail.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::derivation::Derivation;
use crate::derive::Workspace;
use crate::grammar::{Grammar, Kind, SymbolId};
use crate::parameters::{self, Settings, Tree, TreeView};
use crate::parse::Parser;
use crate::sampler::{self, Sampler};
use crate::splice::{Replace, Splice, SpliceBuffers};

/// The number of different accepted texts that must fail before a part becomes a hole.
const ENOUGH: usize = 16;

/// The maximum number of subtrees that are sampled for a part.
const MAX_SAMPLES: usize = 80;

/// The number of bytes that is added to the maximum size of a sampled subtree.
const MIN_SIZE: usize = 12;

/// The number of parts around a hole in whose place sentences are sampled that have the shape and may
/// not fail.
const MAX_AROUND: usize = 3;

/// The characters around the name of a hole.
const OPEN: char = '‹';
const CLOSE: char = '›';

/// A sentence with holes. Its text is the sentence with the name of a rule in `‹›` for each hole, such as
/// `select ‹expression› from t`.
///
/// # Examples
///
/// ```
/// use zester::Grammar;
/// use zester::shape::Shape;
///
/// let source = br#"sum = number ( "+" number )* ; number = [0-9]+ ;"#;
/// let grammar = Grammar::read("sum.ebnf", source).unwrap();
/// let shape: Shape = "‹number› + 0".parse().unwrap();
/// assert!(shape.matches(&grammar, b"17+0"));
/// assert!(!shape.matches(&grammar, b"17+1"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    parts: Vec<ShapePart>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ShapePart {
    Text(String),
    /// The name of the rule.
    /// If it has the values of parameters, only derivations with these values match.
    Hole(String),
}

impl Shape {
    /// Returns the number of holes.
    pub fn holes(&self) -> usize {
        let holes = self.parts.iter();
        holes
            .filter(|part| matches!(part, ShapePart::Hole(_)))
            .count()
    }

    /// Returns whether a sentence has this shape: whether its parts at the holes are derived by their
    /// rules, and the rest is equal but for blanks and line breaks. A text that the grammar does not
    /// derive matches only without a hole.
    pub fn matches(&self, grammar: &Grammar, sentence: &[u8]) -> bool {
        let mut parser = Parser::new(grammar);
        let Ok(derivation) = parser.parse(sentence) else {
            let end = |at| skip_blanks(sentence, at) == sentence.len();
            return match &self.parts[..] {
                [ShapePart::Text(text)] => match_text(text, sentence, 0).is_some_and(end),
                _ => false,
            };
        };
        let mut ends: HashMap<(usize, &str), Vec<usize>> = HashMap::new();
        for node in 0..derivation.nodes().len() {
            let range = visible_range(derivation, node);
            for name in [name, label].map(|name| name(grammar, derivation, node)) {
                let ends = ends.entry((range.start, name)).or_default();
                if ends.last() != Some(&range.end) {
                    ends.push(range.end);
                }
            }
        }
        // The offsets up to which the parts so far match.
        let mut reached = HashSet::from([skip_blanks(sentence, 0)]);
        for part in &self.parts {
            let next = reached.iter().flat_map(|&at| match part {
                ShapePart::Text(text) => match_text(text, sentence, at).into_iter().collect(),
                ShapePart::Hole(name) => ends.get(&(at, &**name)).cloned().unwrap_or_default(),
            });
            reached = next.map(|at| skip_blanks(sentence, at)).collect();
        }
        reached.contains(&sentence.len())
    }
}

/// Returns the offset after a text, without regard to blanks and line breaks, if it is there.
fn match_text(text: &str, sentence: &[u8], mut at: usize) -> Option<usize> {
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        at = skip_blanks(sentence, at);
        if sentence.get(at) != Some(&byte) {
            return None;
        }
        at += 1;
    }
    Some(at)
}

fn skip_blanks(text: &[u8], at: usize) -> usize {
    let blanks = text[at..].iter();
    at + blanks.take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// Returns the range of a node's text without the blanks before it.
fn visible_range(derivation: &Derivation, node: usize) -> Range<usize> {
    let Range { start, end } = derivation.text_range(node);
    skip_blanks(derivation.text(), start).min(end)..end
}

/// Returns the name of the rule of a node, with the values of its parameters.
fn label<'g>(grammar: &'g Grammar, derivation: &Derivation, node: usize) -> &'g str {
    grammar.label(derivation.nodes()[node].symbol)
}

/// Returns the name of the rule of a node, without the values of its parameters.
fn name<'g>(grammar: &'g Grammar, derivation: &Derivation, node: usize) -> &'g str {
    let label = label(grammar, derivation, node);
    label.split(['<', '(']).next().unwrap_or(label)
}

/// Writes the parts. A character that is also around the names of holes is doubled in a text.
impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            match part {
                ShapePart::Text(text) => {
                    let text = text.replace(OPEN, "‹‹");
                    formatter.write_str(&text)?;
                }
                ShapePart::Hole(name) => write!(formatter, "{OPEN}{name}{CLOSE}")?,
            }
        }
        Ok(())
    }
}

/// Reads what `Display` wrote. Any text is a shape.
impl FromStr for Shape {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Shape, Infallible> {
        let (mut parts, mut literal, mut rest) = (Vec::new(), String::new(), text);
        while let Some(at) = rest.find(OPEN) {
            literal += &rest[..at];
            rest = &rest[at + OPEN.len_utf8()..];
            if let Some(after) = rest.strip_prefix(OPEN) {
                literal.push(OPEN);
                rest = after;
                continue;
            }
            let Some((name, after)) = rest.split_once(CLOSE) else {
                literal.push(OPEN);
                continue;
            };
            if !literal.is_empty() {
                parts.push(ShapePart::Text(std::mem::take(&mut literal)));
            }
            parts.push(ShapePart::Hole(name.into()));
            rest = after;
        }
        literal += rest;
        if !literal.is_empty() {
            parts.push(ShapePart::Text(literal));
        }
        Ok(Shape { parts })
    }
}

/// What the caller says about a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialResult {
    /// It fails in the same way.
    Same,
    /// It does not fail in the same way.
    Other,
    /// The program refuses it, so that it says nothing.
    Refused,
}

/// The search for the shape of a sentence.
pub struct ShapeSearch<'a> {
    pub grammar: &'a Grammar,
    pub settings: &'a Settings,
    /// Runs a sentence.
    pub judge: &'a mut dyn FnMut(&Tree) -> TrialResult,
    /// Whether no more sentences may be run. Parts that were not tried are no holes.
    pub is_over: &'a dyn Fn() -> bool,
}

/// A function that returns the name of a node in a shape.
type NameOf = for<'g> fn(&'g Grammar, &Derivation, usize) -> &'g str;

/// What a search reuses.
struct Buffers {
    workspace: Workspace,
    splices: SpliceBuffers,
    sampler: Sampler,
    rng: SmallRng,
    sampled: Tree,
    bytes: Vec<u8>,
}

impl ShapeSearch<'_> {
    /// Returns the shape of the sentence of these parameters, which fails. Equal calls give equal shapes
    /// if the caller judges equally.
    pub fn run(&mut self, input: &[u8]) -> Shape {
        let mut buffers = Buffers {
            workspace: Workspace::default(),
            splices: SpliceBuffers::default(),
            sampler: Sampler::new(0, 0.0),
            rng: SmallRng::seed_from_u64(0),
            sampled: Tree::default(),
            bytes: Vec::new(),
        };
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
        self.narrowed(&tree, &holes, &mut buffers)
    }

    /// Returns the shape with these holes. Their names have no values of parameters, so that they stand
    /// for all of them, unless there is a sentence that has this shape and does not fail. Such sentences
    /// are sampled in place of the nearest parts around each hole.
    fn narrowed(&mut self, tree: &Tree, holes: &[usize], buffers: &mut Buffers) -> Shape {
        let (grammar, derivation) = (self.grammar, tree.derivation());
        let [general, exact] = [name, label].map(|name_of| self.shape(tree, holes, name_of));
        // Another derivation of the same text can have other values.
        if general == exact || !exact.matches(grammar, derivation.text()) {
            return general;
        }
        let is_narrower =
            |&hole: &usize| name(grammar, derivation, hole) != label(grammar, derivation, hole);
        let (mut tried, mut candidate) = (HashSet::new(), tree.clone());
        for hole in holes.iter().copied().filter(is_narrower) {
            let is_around = |&node: &usize| {
                let end = node + derivation.nodes()[node].size as usize;
                hole < end && view(grammar, self.settings, tree).is_unit(node)
            };
            let around: Vec<usize> = (0..hole).rev().filter(is_around).take(MAX_AROUND).collect();
            for node in around {
                for _ in 0..MAX_SAMPLES {
                    if (self.is_over)() {
                        return exact;
                    }
                    self.fill(tree, node, buffers, &mut candidate);
                    let text = candidate.derivation().text();
                    if tried.insert(text.to_vec())
                        && general.matches(grammar, text)
                        && !exact.matches(grammar, text)
                        && (self.judge)(&candidate) == TrialResult::Other
                    {
                        return exact;
                    }
                }
            }
        }
        general
    }

    /// Returns whether other subtrees in the place of a node fail in the same way.
    fn is_hole(&mut self, tree: &Tree, node: usize, buffers: &mut Buffers) -> bool {
        let view = view(self.grammar, self.settings, tree);
        if !view.is_unit(node)
            || !self.says_what_it_is(view.symbol(node))
            || view.text(node).is_empty()
        {
            return false;
        }
        let mut tried = HashSet::from([tree.derivation().text().to_vec()]);
        let (mut same, mut candidate) = (0, tree.clone());
        for _ in 0..MAX_SAMPLES {
            if same == ENOUGH || (self.is_over)() {
                break;
            }
            self.fill(tree, node, buffers, &mut candidate);
            if !tried.insert(candidate.derivation().text().to_vec()) {
                continue;
            }
            match (self.judge)(&candidate) {
                TrialResult::Same => same += 1,
                TrialResult::Other => return false,
                TrialResult::Refused => {}
            }
        }
        same > 0 && (same == ENOUGH || !(self.is_over)())
    }

    /// Returns whether a hole of this symbol can be understood: the symbol has a rule, or is a group with
    /// several alternatives. Of other groups and of repetitions, the parts are tried.
    fn says_what_it_is(&self, symbol: SymbolId) -> bool {
        let is_group = self.grammar.label(symbol).contains('/');
        match self.grammar[symbol].kind {
            Kind::Repeat { .. } => false,
            Kind::Nonterminal { .. } => !is_group || self.grammar.alternatives(symbol).len() > 1,
            _ => true,
        }
    }

    /// Returns whether sentences fail in the same way with all holes filled.
    fn holds_together(&mut self, tree: &Tree, holes: &[usize], buffers: &mut Buffers) -> bool {
        let (mut filled, mut next) = (tree.clone(), tree.clone());
        for _ in 0..ENOUGH {
            filled.clone_from(tree);
            // The nodes before a replaced one keep their numbers.
            for &node in holes.iter().rev() {
                self.fill(&filled, node, buffers, &mut next);
                std::mem::swap(&mut filled, &mut next);
            }
            if !(self.is_over)() && (self.judge)(&filled) == TrialResult::Other {
                return false;
            }
        }
        true
    }

    /// Replaces the subtree of a node by a sampled one of its symbol.
    fn fill(&self, tree: &Tree, node: usize, buffers: &mut Buffers, result: &mut Tree) {
        let view = view(self.grammar, self.settings, tree);
        let Buffers {
            workspace,
            splices,
            sampler,
            rng,
            sampled,
            bytes,
        } = buffers;
        let size = Sampler::log_uniform(rng, (2 * view.text(node).len() + MIN_SIZE) as f64);
        sampler.reseed(rng.random());
        sampler.restart(size);
        let goal = self.settings.goal(self.grammar, view.symbol(node));
        workspace.show_names_before(self.grammar, tree.derivation(), node);
        sampler::sample(goal, sampler, workspace, sampled);
        let part = sampled.parameters();
        Replace { node, part }.write(&view, splices, bytes);
        parameters::read(self.grammar, self.settings, bytes, workspace, result);
    }

    /// Returns the shape of a sentence with these holes.
    fn shape(&self, tree: &Tree, holes: &[usize], name_of: NameOf) -> Shape {
        let derivation = tree.derivation();
        let text = |range: Range<usize>| String::from_utf8_lossy(&derivation.text()[range]);
        let (mut parts, mut from) = (Vec::new(), 0);
        for &node in holes {
            let hole = visible_range(derivation, node);
            if from < hole.start {
                parts.push(ShapePart::Text(text(from..hole.start).into_owned()));
            }
            let name = name_of(self.grammar, derivation, node);
            parts.push(ShapePart::Hole(name.into()));
            from = hole.end;
        }
        if from < derivation.text().len() {
            let rest = text(from..derivation.text().len());
            parts.push(ShapePart::Text(rest.into_owned()));
        }
        Shape { parts }
    }
}

fn view<'a>(grammar: &'a Grammar, settings: &'a Settings, tree: &'a Tree) -> TreeView<'a> {
    TreeView {
        grammar,
        settings,
        tree,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUMS: &[u8] = br#"
        sum = product ( sign product )* ;
        sign = "+" | "-" ;
        product = atom ( "*" atom )* ;
        atom = number | "(" sum ")" ;
        number = [0-9]+ ;
    "#;

    /// Returns the shape of a sentence of `source`. Sentences fail in the same way if `fails`, and are
    /// refused if not `accepts`.
    fn shape(
        source: &[u8],
        sentence: &str,
        fails: impl Fn(&str) -> bool,
        accepts: impl Fn(&str) -> bool,
    ) -> Shape {
        let grammar = Grammar::read("test", source).unwrap();
        let input = grammar.encode(sentence.as_bytes()).unwrap();
        let mut search = ShapeSearch {
            grammar: &grammar,
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
        let shape = search.run(&input);
        assert!(shape.matches(&grammar, sentence.as_bytes()), "{shape}");
        assert_eq!(shape.to_string().parse(), Ok(shape.clone()));
        shape
    }

    #[test]
    fn parts_that_do_not_matter_are_holes() {
        let all = |_: &str| true;
        let found =
            |sentence: &str, fails: fn(&str) -> bool| shape(SUMS, sentence, fails, all).to_string();
        assert_eq!(
            found("1+(2)", |text| text.contains('(')),
            "‹product›‹sign›(‹sum›)"
        );
        assert_eq!(found("1*0", |text| text.ends_with("*0")), "‹atom›*0");
        assert_eq!(found("7", |_| true), "‹sentence›");
        assert_eq!(found("1-2", |text| text == "1-2"), "1-2");
    }

    #[test]
    fn what_the_program_refuses_says_nothing() {
        let even = |text: &str| text.len() % 2 == 0;
        let found = shape(SUMS, "1*22", |text| text.contains('*'), even);
        assert_eq!(found.to_string(), "‹atom›*‹atom›");
        let none = shape(SUMS, "1*2", |text| text.contains('*'), |text| text == "1*2");
        assert_eq!(none.to_string(), "1*2");
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
        let found = shape(source, "leta=0;letb=a;", fails, |_| true).to_string();
        assert_eq!(found, "leta=0;letb=‹value›;");
    }

    #[test]
    fn a_hole_has_values_of_parameters_if_others_do_not_fail() {
        let source = br#"
            @domain type = int | bool ;
            @start all = "print" value<_> ;
            value<int> = number | "(" value<int> ")" ;
            value<bool> = "true" | "false" | value<int> "<" value<int> ;
            number = [0-9]+ ;
        "#;
        let found =
            |fails: &dyn Fn(&str) -> bool| shape(source, "print1<2", fails, |_| true).to_string();
        let is_truth = |text: &str| text[5..].contains(['<', 'e']);
        assert_eq!(found(&is_truth), "print‹value<bool>›");
        assert_eq!(found(&|text| text.contains("<2")), "print‹value›<2");

        let grammar = Grammar::read("test", source).unwrap();
        for (shape, text, expected) in [
            ("print‹value<bool>›", "printtrue", true),
            ("print‹value<bool>›", "print1", false),
            ("print‹value›", "printtrue", true),
            ("print‹value›", "print1", true),
        ] {
            let shape: Shape = shape.parse().unwrap();
            assert_eq!(
                shape.matches(&grammar, text.as_bytes()),
                expected,
                "{shape} {text}"
            );
        }
    }

    #[test]
    fn shapes_match_without_regard_to_blanks() {
        let grammar = Grammar::read("test", SUMS).unwrap();
        let matches = |shape: &str, text: &str| {
            let shape: Shape = shape.parse().unwrap();
            shape.matches(&grammar, text.as_bytes())
        };
        for (shape, text, expected) in [
            ("‹product› + 1", "2*3+1", true),
            ("‹product› + 1", "2*3+11", false),
            ("‹sum›", "2*3+11", true),
            ("‹atom›‹sign›‹atom›", "2-(3)", true),
            ("‹atom›‹sign›‹atom›", "2-3*4", false),
            ("‹no rule›", "2", false),
            ("2 - 3", "2-3", true),
            ("2 - ‹", "2-‹", true),
            ("", "2", false),
        ] {
            assert_eq!(matches(shape, text), expected, "{shape} {text}");
        }
    }

    #[test]
    fn any_text_is_a_shape_that_is_read_again() {
        for text in ["", "a", "‹b›", "a‹b›c‹d›", "‹", "a‹‹b›", "›‹", "‹‹‹a›"]
        {
            let shape: Shape = text.parse().unwrap();
            assert_eq!(shape.to_string().parse(), Ok(shape), "{text}");
        }
        let shape: Shape = "a‹‹b›".parse().unwrap();
        assert_eq!((shape.holes(), shape.to_string()), (0, "a‹‹b›".into()));
    }
}
