//! The shape of a failing sentence: the sentence with holes for the parts that do not matter, and the part
//! that is the cause. [`ShapeSearch`] finds both.
//!
//! # Guarantees
//!
//! * Reading the text of a [`Shape`] gives the same shape, with all holes.
//! * A sentence matches its own shape.
//!
//! # Not guaranteed
//!
//! A hole was tested with a few random subtrees. With other subtrees, the sentence may not fail.

mod cause;
mod explanation;
mod search;

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

pub use self::explanation::KnownCause;
pub use self::search::{ShapeSearch, TrialResult};
use crate::derivation::Derivation;
use crate::grammar::Grammar;
use crate::parse::Parser;

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
    /// The name of the rule. If it has values of arguments, only derivations with these values
    /// match.
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

    /// Returns whether a sentence has this shape: the rule of each hole derives the text at the
    /// hole, and the rest is equal apart from blanks and line breaks. A text that the grammar does
    /// not derive matches only a shape without holes.
    pub fn matches(&self, grammar: &Grammar, sentence: &[u8]) -> bool {
        match Parser::new(grammar).parse(sentence) {
            Ok(derivation) => {
                self.matches_range(&NodeEnds::of(grammar, derivation), 0..sentence.len())
            }
            Err(_) => {
                let end = |at| skip_blanks(sentence, at) == sentence.len();
                match &self.parts[..] {
                    [ShapePart::Text(text)] => match_text(text, sentence, 0).is_some_and(end),
                    _ => false,
                }
            }
        }
    }

    /// Returns whether a range of a sentence has this shape.
    fn matches_range(&self, nodes: &NodeEnds<'_>, range: Range<usize>) -> bool {
        let text = &nodes.text[..range.end];
        // The offsets up to which the parts so far match.
        let mut reached = HashSet::from([skip_blanks(text, range.start)]);
        for part in &self.parts {
            let next = reached.iter().flat_map(|&at| match part {
                ShapePart::Text(words) => match_text(words, text, at).into_iter().collect(),
                ShapePart::Hole(name) => nodes.ends(at, name, range.end),
            });
            reached = next.map(|at| skip_blanks(text, at)).collect();
            if reached.is_empty() {
                return false;
            }
        }
        reached.contains(&text.len())
    }
}

/// The ends of the nodes of a sentence, by the offset at which their text begins and the name of
/// their rule.
struct NodeEnds<'d> {
    text: &'d [u8],
    ends: HashMap<(usize, &'d str), Vec<usize>>,
}

impl<'d> NodeEnds<'d> {
    fn of(grammar: &'d Grammar, derivation: &'d Derivation) -> NodeEnds<'d> {
        let mut ends: HashMap<(usize, &str), Vec<usize>> = HashMap::new();
        for node in 0..derivation.nodes().len() {
            let found = visible_range(derivation, node);
            let name = name(grammar, derivation, node);
            let mut add = |name| ends.entry((found.start, name)).or_default().push(found.end);
            add(name);
            if without_values(name) != name {
                add(without_values(name));
            }
        }
        NodeEnds {
            text: derivation.text(),
            ends,
        }
    }

    /// Returns the ends of the nodes of a rule at an offset, up to `max`.
    fn ends(&self, at: usize, name: &str, max: usize) -> Vec<usize> {
        let ends = self.ends.get(&(at, name)).into_iter().flatten();
        ends.copied().filter(|&end| end <= max).collect()
    }
}

/// A part of a sentence, with holes: the name of its rule, and its shape. It is written as the
/// name, `: `, and the shape.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CausePart {
    rule: String,
    shape: Shape,
}

impl CausePart {
    /// Returns the name of the rule.
    pub fn rule(&self) -> &str {
        &self.rule
    }

    /// Returns the ranges of all such parts in a sentence. There are none if the grammar does not
    /// derive the sentence.
    fn ranges(&self, grammar: &Grammar, sentence: &[u8]) -> Vec<Range<usize>> {
        let mut parser = Parser::new(grammar);
        let parsed = parser.parse(sentence);
        parsed.map_or(Vec::new(), |derivation| self.ranges_in(grammar, derivation))
    }

    /// Returns the ranges of all such parts in the text of a derivation.
    fn ranges_in(&self, grammar: &Grammar, derivation: &Derivation) -> Vec<Range<usize>> {
        let nodes = NodeEnds::of(grammar, derivation);
        let is_of_rule = |node: &usize| {
            let name = name(grammar, derivation, *node);
            [name, without_values(name)].contains(&&*self.rule)
        };
        (0..derivation.nodes().len())
            .filter(is_of_rule)
            .map(|node| visible_range(derivation, node))
            .filter(|range| self.shape.matches_range(&nodes, range.clone()))
            .collect()
    }
}

impl fmt::Display for CausePart {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.rule, self.shape)
    }
}

/// Parses the format of `Display`. The error says what is wrong.
impl FromStr for CausePart {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<CausePart, &'static str> {
        let (rule, shape) = text
            .split_once(": ")
            .ok_or("expected the name of a rule, `: ` and a shape")?;
        let Ok(shape) = shape.parse();
        Ok(CausePart {
            rule: rule.into(),
            shape,
        })
    }
}

/// The common features of the sentences that fail by one fault: a shape, and a cause.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FailureShape {
    /// The shape of the whole sentence.
    pub shape: Shape,
    /// The part that is the cause, if one was found.
    pub cause: Option<CausePart>,
}

impl FailureShape {
    /// Returns whether a reduced sentence shows this fault: it has the shape, or contains the cause.
    pub fn covers(&self, grammar: &Grammar, sentence: &[u8]) -> bool {
        let has_cause = |cause: &CausePart| !cause.ranges(grammar, sentence).is_empty();
        self.shape.matches(grammar, sentence) || self.cause.as_ref().is_some_and(has_cause)
    }

    /// Returns whether the cause of this fault is a smaller part inside the cause of `other`, in a
    /// sentence that has both causes. If so, both are one fault.
    pub fn is_within(&self, grammar: &Grammar, other: &FailureShape, sentence: &[u8]) -> bool {
        let (Some(own), Some(other)) = (&self.cause, &other.cause) else {
            return false;
        };
        let outer = other.ranges(grammar, sentence);
        let is_inside = |range: &Range<usize>| {
            let contains = |outer: &Range<usize>| {
                outer != range && outer.start <= range.start && range.end <= outer.end
            };
            outer.iter().any(contains)
        };
        own.ranges(grammar, sentence).iter().any(is_inside)
    }
}

/// Writes the cause if there is one, and otherwise the shape.
impl fmt::Display for FailureShape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Some(cause) => write!(formatter, "… {} …", cause.shape),
            None => write!(formatter, "{}", self.shape),
        }
    }
}

/// Returns the offset after `text` if the sentence has this text at the offset `at`. Blanks and
/// line breaks are ignored.
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

/// Returns the name of the rule of a node, with the values of its arguments.
fn name<'g>(grammar: &'g Grammar, derivation: &Derivation, node: usize) -> &'g str {
    grammar.label(derivation.nodes()[node].symbol)
}

/// Returns the name of a rule without the values of its arguments.
fn without_values(name: &str) -> &str {
    name.split(['<', '(']).next().unwrap_or(name)
}

/// Writes the parts. The character `‹` begins a hole. In the text between holes it is doubled.
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

/// Parses the format of `Display`. Any text is a shape.
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

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) const SUMS: &[u8] = br#"
        sum = product ( sign product )* ;
        sign = "+" | "-" ;
        product = atom ( "*" atom )* ;
        atom = number | "(" sum ")" ;
        number = [0-9]+ ;
    "#;

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
    fn an_inner_cause_is_within_an_outer_one() {
        let grammar = Grammar::read("test", SUMS).unwrap();
        let fault = |cause: &str| FailureShape {
            shape: "".parse().unwrap(),
            cause: Some(cause.parse().unwrap()),
        };
        let is_within = |one: &str, other: &str, sentence: &str| {
            fault(one).is_within(&grammar, &fault(other), sentence.as_bytes())
        };
        let (inner, outer) = ("product: 0*‹atom›", "sum: ‹product›-‹product›");
        assert!(is_within(inner, outer, "(2-0*1)*3"));
        assert!(!is_within(outer, inner, "(2-0*1)*3"));
        assert!(!is_within(inner, outer, "0*(2-1)"));
        assert!(!is_within(inner, inner, "0*1"));
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
