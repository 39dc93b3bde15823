//! Text to derivations: a matcher that backtracks, for tokens and short texts without layout.
//!
//! Alternatives are tried in the order of their codes, repetitions as often as they match first. What holds: what is found
//! derives the text, separators aside; the effort is bounded, so not every text is found, and of left recursion none.
//!
//! A long match remembers what it has tried: where it was in the text, and what was to match then. It takes time that grows
//! with the product of the two, although tokens like `([a-z]+ | "x")*` have exponentially many ways to match nothing.

mod matching;

use std::collections::HashMap;

use self::matching::{Matching, Until};
use super::fuel::{Effort, Fuel};
use super::known::Known;
use crate::derivation::{Derivation, Node};
use crate::grammar::{Grammar, SymbolId};

/// Steps of a match: more are given up.
const STEPS: usize = 20_000;

/// More steps for each byte that there is, if it is known to match.
const STEPS_A_BYTE: usize = 1_024;

/// Steps after which a match remembers, and more for each byte that it got on.
const LONG: usize = 512;
const STEPS_TO_A_BYTE: usize = 8;

/// The end of a chain of continuations.
const DONE: u32 = u32::MAX;

/// What is to match after a symbol has.
#[derive(Clone, Copy, Debug)]
enum Then {
    /// The children `next..end` of an alternative.
    Sequence { next: u32, end: u32, outer: u32 },
    /// More elements of the repetition at this node, `count` having matched.
    Elements { node: u32, count: u32, outer: u32 },
}

/// A continuation as a value: the same for all that go on alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Meaning {
    Sequence { next: u32, end: u32, outer: u32 },
    Elements { symbol: SymbolId, count: u32, outer: u32 },
}

/// Another way to go on from a place.
#[derive(Clone, Copy, Debug)]
enum Other {
    /// The alternatives of the symbol from this one on.
    Alternative { symbol: SymbolId, from: u32 },
    /// A run of fewer characters.
    Run { symbol: SymbolId, count: u32, bytes: u32 },
    /// The end of the repetition at this node, after so many elements.
    Stop { node: u32, count: u32 },
    /// The names from this one on, and the escape.
    Name { symbol: SymbolId, from: u32 },
}

#[derive(Clone, Copy, Debug)]
struct Point {
    other: Other,
    at: u32,
    nodes: u32,
    then: u32,
    chain: u32,
}

/// Matches texts. Reused, it allocates nothing.
#[derive(Debug, Default)]
pub struct Matcher {
    chain: Vec<Then>,
    points: Vec<Point>,
    /// Of a long match: the number of the meaning of each link, the numbers, and what was tried where.
    meanings: Vec<u32>,
    numbers: HashMap<Meaning, u32>,
    tried: Known,
    unknown: Vec<u32>,
    ends: Vec<u32>,
    /// Whether something was given up since this was last made false.
    pub(super) gave_up: bool,
}

impl Matcher {
    /// The derivation of a whole text from a symbol.
    ///
    /// # Errors
    /// The furthest byte that something matched up to.
    pub fn read(&mut self, grammar: &Grammar, symbol: SymbolId, text: &[u8], derivation: &mut Derivation) -> Result<(), usize> {
        derivation.clear();
        let steps = STEPS + text.len();
        let fuel = Fuel::new(Effort { steps: steps as u64, steps_per_byte: 0, ..Effort::default() }, 0);
        self.run(grammar, symbol, Stretch { text, from: 0, all: true, fuel: &fuel }, steps, &mut derivation.nodes)?;
        derivation.text.extend_from_slice(text);
        derivation.measure(grammar);
        Ok(())
    }

    /// Appends the nodes of what a symbol derives; where its text ends. Nodes say where their text begins, not how many belong
    /// to them.
    ///
    /// # Errors
    /// The furthest byte that something matched up to.
    pub(super) fn append(
        &mut self,
        grammar: &Grammar,
        symbol: SymbolId,
        stretch: Stretch<'_>,
        nodes: &mut Vec<Node>,
    ) -> Result<usize, usize> {
        let steps = STEPS + STEPS_A_BYTE * (stretch.text.len() - stretch.from);
        self.run(grammar, symbol, stretch, steps, nodes)
    }

    /// Where texts of a symbol may end that begin at a byte; `nodes` is memory.
    pub(super) fn ends(&mut self, grammar: &Grammar, symbol: SymbolId, stretch: Stretch<'_>, nodes: &mut Vec<Node>) -> &[u32] {
        let steps = STEPS + STEPS_A_BYTE * (stretch.text.len() - stretch.from);
        nodes.clear();
        let mut ends = std::mem::take(&mut self.ends);
        ends.clear();
        Matching::new(grammar, stretch, Until::Each(&mut ends), nodes, self).run(symbol, steps);
        ends.sort_unstable();
        ends.dedup();
        self.ends = ends;
        &self.ends
    }

    /// The memory that a match takes, in bytes.
    fn memory(&self) -> usize {
        size_of_val(&self.chain[..]) + size_of_val(&self.points[..]) + (self.numbers.len() * 2 + self.tried.len() * 4) * 16
    }

    fn forget(&mut self) {
        self.chain.clear();
        self.points.clear();
        self.meanings.clear();
        self.numbers.clear();
        self.tried.forget();
    }

    fn run(
        &mut self,
        grammar: &Grammar,
        symbol: SymbolId,
        stretch: Stretch<'_>,
        steps: usize,
        nodes: &mut Vec<Node>,
    ) -> Result<usize, usize> {
        let before = nodes.len();
        let until = if stretch.all { Until::End } else { Until::First };
        let mut matching = Matching::new(grammar, stretch, until, nodes, self);
        if matching.run(symbol, steps) {
            return Ok(matching.at);
        }
        let furthest = matching.furthest;
        nodes.truncate(before);
        Err(furthest)
    }
}

/// Which text a symbol is to derive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch<'a> {
    pub text: &'a [u8],
    /// Where it begins.
    pub from: usize,
    /// Whether to the end of the text; or else what is found first.
    pub all: bool,
    /// What pays for the steps.
    pub fuel: &'a Fuel,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Caps;
    use crate::grammar::Kind;
    use crate::notation;
    use crate::parameters::{self, Settings};

    #[test]
    fn ways_without_number_take_no_time() {
        let source = "a = t ; @token t = \"<\" ( [a-z]+ | t )* \">\" ;";
        let (grammar, _) =
            notation::read("ways", source.as_bytes(), &Caps::default()).unwrap_or_else(|report| panic!("{report}"));
        let (mut matcher, mut derivation) = (Matcher::default(), Derivation::default());
        let token = (0..grammar.symbols().len() as u32).map(SymbolId).find_map(|symbol| match grammar[symbol].kind {
            Kind::Lexeme { body, .. } => Some(body),
            _ => None,
        });
        for (text, is_right) in [("z".repeat(60) + "!>", false), ("z".repeat(60) + "<y>>", true), ("<z>".repeat(60), false)] {
            let found = matcher.read(&grammar, token.unwrap(), format!("<{text}").as_bytes(), &mut derivation);
            assert_eq!(found.is_ok(), is_right, "{text}");
            if !is_right {
                let tried = matcher.tried.len();
                assert!(tried > 0 && tried < 10_000, "{tried}");
            }
        }
    }

    const GRAMMAR: &str = r#"
        start = text | number | name | word | twice ;
        @token text = "\"" ( [^"\\]+ | "\\" . )* "\"" ;
        @token number = "-"? [0-9]+ ( "." [0-9]+ )? ( "e"i [0-9]{1,3} )? ;
        @identifier name = [a-z] [a-z0-9]* ;
        @token word = "Select"i [A-Z]{2,} "X" ;
        @token twice = "<" ( [a-z]+ | "ab" | twice )* ">" ;
    "#;

    #[test]
    fn what_is_matched_derives_the_text() {
        let source = GRAMMAR.replace("\"\\\\\" . ", "\"\\\\\" [a-z\"] ");
        let (grammar, _) =
            notation::read("tokens", source.as_bytes(), &Caps::default()).unwrap_or_else(|report| panic!("{report}"));
        let (mut matcher, mut derivation) = (Matcher::default(), Derivation::default());
        let right = ["\"\"", "\"a\\n\\\"\"", "-12.50E7", "0", "a", "abc9", "sELECTABXX", "SELECTABX", "<ab<b>a>", "\"é\""];
        let wrong = ["", "\"", "-", "1.", "é", "9a", "selectX", "<", "<A>"];
        for (text, is_right) in right.iter().map(|text| (text, true)).chain(wrong.iter().map(|text| (text, false))) {
            let found = (0..grammar.alternatives(first(&grammar)).len()).any(|at| {
                let start = first(&grammar);
                let child = grammar.children(&grammar.alternatives(start)[at])[0].symbol;
                let Kind::Lexeme { body, .. } = grammar[child].kind else { panic!("a token") };
                let matched = matcher.read(&grammar, body, text.as_bytes(), &mut derivation).is_ok();
                if matched {
                    // The same through the whole grammar: the alternative's code, then the token's.
                    let mut bytes = vec![at as u8];
                    parameters::encode(&grammar, &derivation, &mut bytes);
                    let again = parameters::sentence(&grammar, &Settings::default(), &bytes);
                    assert_eq!(String::from_utf8_lossy(again.text()), *text);
                }
                matched
            });
            assert_eq!(found, is_right, "{text}");
        }
    }

    /// The symbol with all tokens.
    fn first(grammar: &Grammar) -> SymbolId {
        (0..grammar.symbols().len() as u32)
            .map(SymbolId)
            .find(|&symbol| grammar.alternatives(symbol).len() == 5)
            .expect("a rule of five alternatives")
    }
}
