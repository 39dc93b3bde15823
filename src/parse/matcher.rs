//! A backtracking matcher, which finds derivations of tokens and of short texts without layout.
//!
//! It tries alternatives in the order of the grammar, and repetitions with as many elements as
//! possible first.
//!
//! A match that takes many steps remembers its states and tries none of them again. A state is an
//! offset in the text and the continuation, that is the symbols that must match next. So the time
//! is at most the number of offsets times the number of different continuations, although tokens
//! such as `([a-z]+ | "x")*` can match a text in exponentially many ways.
//!
//! # Guarantees
//!
//! A derivation that is found derives the text, apart from separators. The number of steps is
//! bounded.
//!
//! # Not guaranteed
//!
//! The matcher fails on a text that takes too many steps, and on every text of a left-recursive
//! symbol.

mod matching;

use std::collections::HashMap;

use self::matching::{Matching, Until};
use super::fuel::{Effort, Fuel};
use super::stamped_map::StampedMap;
use crate::derivation::{Derivation, Node};
use crate::grammar::{Grammar, SymbolId};

/// The maximum number of steps of a match. [`STEPS_A_BYTE`] are added.
const STEPS: usize = 20_000;

/// Additional steps for each byte from the beginning of the match to the end of the text.
const STEPS_A_BYTE: usize = 1_024;

/// Steps after which a match begins to remember its states. [`STEPS_TO_A_BYTE`] are added.
const LONG: usize = 512;

/// Additional steps before a match begins to remember its states, for each byte that it reached.
const STEPS_TO_A_BYTE: usize = 8;

/// The end of a linked list of continuations: nothing is left to match.
const DONE: u32 = u32::MAX;

/// A continuation: what must match after a symbol. `outer` is the index of the continuation that
/// must match after this one.
#[derive(Clone, Copy, Debug)]
enum Then {
    /// The children `next..end` of an alternative. `captures` is the number of the last capture in
    /// front of them, or [`DONE`].
    Sequence {
        next: u32,
        end: u32,
        outer: u32,
        captures: u32,
    },
    /// The end of the text of a captured symbol, which begins at `from`. It matches no text.
    /// `outer` is the rest of the sequence of the symbol.
    Capture {
        symbol: SymbolId,
        from: u32,
        outer: u32,
    },
    /// More elements of the repetition at this node, after `count` elements.
    Elements { node: u32, count: u32, outer: u32 },
}

/// A continuation without its position among the nodes, for memoizing. Equal meanings match the
/// same texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Meaning {
    Sequence {
        next: u32,
        end: u32,
        outer: u32,
        captures: u32,
    },
    Capture {
        symbol: SymbolId,
        from: u32,
        outer: u32,
    },
    Elements {
        symbol: SymbolId,
        count: u32,
        outer: u32,
    },
}

/// A captured text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Captured {
    symbol: SymbolId,
    /// The range of the text.
    from: u32,
    to: u32,
    /// The number of the previous capture in the sequence, or [`DONE`].
    before: u32,
}

/// How to continue after backtracking to a choice point.
#[derive(Clone, Copy, Debug)]
enum Other {
    /// Try the alternatives of the symbol, starting with this one.
    Alternative { symbol: SymbolId, from: u32 },
    /// Match the run with one character fewer than `count`.
    Run {
        symbol: SymbolId,
        count: u32,
        bytes: u32,
    },
    /// End the repetition at this node after `count` elements.
    Stop { node: u32, count: u32 },
    /// Try the names, starting with this one, and then the escape.
    Name { symbol: SymbolId, from: u32 },
}

/// A choice point: the state to which the matcher backtracks.
#[derive(Clone, Copy, Debug)]
struct Point {
    other: Other,
    /// The offset in the text.
    at: u32,
    /// The number of nodes.
    nodes: u32,
    /// The index of the continuation.
    then: u32,
    /// The number of continuations in the chain.
    chain: u32,
}

/// The memory of a backtracking matcher. It is reused from match to match.
#[derive(Debug, Default)]
pub struct Matcher {
    /// The continuations, which form linked lists.
    chain: Vec<Then>,
    /// The stack of choice points.
    points: Vec<Point>,
    /// For each continuation in `chain`, the number of its [`Meaning`], or `u32::MAX` if it has
    /// none yet.
    meanings: Vec<u32>,
    /// The number of each [`Meaning`].
    numbers: HashMap<Meaning, u32>,
    /// The captured texts, and the number of each captured text.
    captured: Vec<Captured>,
    captures: HashMap<Captured, u32>,
    /// The states that were reached: an offset in the upper 32 bits, the number of a [`Meaning`] in
    /// the lower ones.
    tried: StampedMap,
    /// Working memory: the continuations to which numbers are assigned next.
    unknown: Vec<u32>,
    /// The result of [`ends`](Matcher::ends).
    ends: Vec<u32>,
    /// Whether a match ran out of steps since the parser last reset this flag.
    pub(super) is_out_of_steps: bool,
}

impl Matcher {
    /// Replaces `derivation` by the derivation of a whole text from a symbol.
    ///
    /// # Errors
    /// If no match was found within the steps. The error is the furthest offset that the match
    /// reached.
    pub fn read(
        &mut self,
        grammar: &Grammar,
        symbol: SymbolId,
        text: &[u8],
        derivation: &mut Derivation,
    ) -> Result<(), usize> {
        derivation.clear();
        // Mutators read many texts that do not match. So a match may take far fewer steps here than
        // in the parser.
        let fuel = Fuel::new(
            Effort {
                steps: (STEPS + text.len()) as u64,
                steps_per_byte: 0,
                ..Effort::default()
            },
            0,
        );
        self.run(
            grammar,
            symbol,
            Stretch {
                text,
                from: 0,
                all: true,
                fuel: &fuel,
            },
            &mut derivation.nodes,
        )?;
        derivation.text.extend_from_slice(text);
        derivation.measure(grammar);
        Ok(())
    }

    /// Appends the nodes of a match and returns the offset where its text ends. The nodes have no
    /// subtree sizes yet.
    ///
    /// # Errors
    /// If no match was found within the steps. The error is the furthest offset that the match
    /// reached.
    pub(super) fn append(
        &mut self,
        grammar: &Grammar,
        symbol: SymbolId,
        stretch: Stretch<'_>,
        nodes: &mut Vec<Node>,
    ) -> Result<usize, usize> {
        self.run(grammar, symbol, stretch, nodes)
    }

    /// Returns in order all offsets where a text of a symbol can end that begins at `stretch.from`.
    /// The result can lack some if the steps run out. `nodes` is working memory.
    pub(super) fn ends(
        &mut self,
        grammar: &Grammar,
        symbol: SymbolId,
        stretch: Stretch<'_>,
        nodes: &mut Vec<Node>,
    ) -> &[u32] {
        let steps = stretch.steps();
        nodes.clear();
        let mut ends = std::mem::take(&mut self.ends);
        ends.clear();
        Matching::new(grammar, stretch, Until::Each(&mut ends), nodes, self).run(symbol, steps);
        ends.sort_unstable();
        ends.dedup();
        self.ends = ends;
        &self.ends
    }

    /// Returns the approximate memory of a match, in bytes.
    fn memory(&self) -> usize {
        size_of_val(&self.chain[..])
            + size_of_val(&self.points[..])
            + (self.numbers.len() * 2 + self.tried.len() * 4 + self.captured.len() * 3) * 16
    }

    fn forget(&mut self) {
        self.chain.clear();
        self.points.clear();
        self.meanings.clear();
        self.numbers.clear();
        self.captured.clear();
        self.captures.clear();
        self.tried.forget();
    }

    /// Matches a symbol and returns the offset where its text ends.
    fn run(
        &mut self,
        grammar: &Grammar,
        symbol: SymbolId,
        stretch: Stretch<'_>,
        nodes: &mut Vec<Node>,
    ) -> Result<usize, usize> {
        let (before, steps) = (nodes.len(), stretch.steps());
        let until = if stretch.all {
            Until::End
        } else {
            Until::First
        };
        let mut matching = Matching::new(grammar, stretch, until, nodes, self);
        if matching.run(symbol, steps) {
            return Ok(matching.at);
        }
        let furthest = matching.furthest;
        nodes.truncate(before);
        Err(furthest)
    }
}

/// The text to match, and the limits of the match.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch<'a> {
    pub text: &'a [u8],
    /// The offset where the match begins.
    pub from: usize,
    /// Whether the match must end at the end of `text`. Otherwise the first match is taken,
    /// wherever it ends.
    pub all: bool,
    /// The steps and the memory that are left.
    pub fuel: &'a Fuel,
}

impl Stretch<'_> {
    /// Returns the maximum number of steps of a match.
    fn steps(&self) -> usize {
        STEPS + STEPS_A_BYTE * (self.text.len() - self.from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Caps;
    use crate::grammar::Kind;
    use crate::notation;
    use crate::parameters::{self, Settings};

    #[test]
    fn exponentially_many_ways_to_match_take_few_steps() {
        let source = "a = t ; @token t = \"<\" ( [a-z]+ | t )* \">\" ;";
        let (grammar, _) = notation::read("ways", source.as_bytes(), &Caps::default())
            .unwrap_or_else(|report| panic!("{report}"));
        let (mut matcher, mut derivation) = (Matcher::default(), Derivation::default());
        let token = (0..grammar.symbols().len() as u32)
            .map(SymbolId)
            .find_map(|symbol| match grammar[symbol].kind {
                Kind::Lexeme { body, .. } => Some(body),
                _ => None,
            });
        for (text, is_right) in [
            ("z".repeat(60) + "!>", false),
            ("z".repeat(60) + "<y>>", true),
            ("<z>".repeat(60), false),
        ] {
            let found = matcher.read(
                &grammar,
                token.unwrap(),
                format!("<{text}").as_bytes(),
                &mut derivation,
            );
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
        let (grammar, _) = notation::read("tokens", source.as_bytes(), &Caps::default())
            .unwrap_or_else(|report| panic!("{report}"));
        let (mut matcher, mut derivation) = (Matcher::default(), Derivation::default());
        let right = [
            "\"\"",
            "\"a\\n\\\"\"",
            "-12.50E7",
            "0",
            "a",
            "abc9",
            "sELECTABXX",
            "SELECTABX",
            "<ab<b>a>",
            "\"é\"",
        ];
        let wrong = ["", "\"", "-", "1.", "é", "9a", "selectX", "<", "<A>"];
        for (text, is_right) in right
            .iter()
            .map(|text| (text, true))
            .chain(wrong.iter().map(|text| (text, false)))
        {
            let found = (0..grammar.alternatives(first(&grammar)).len()).any(|at| {
                let start = first(&grammar);
                let child = grammar.children(&grammar.alternatives(start)[at])[0].symbol;
                let Kind::Lexeme { body, .. } = grammar[child].kind else {
                    panic!("a token")
                };
                let matched = matcher
                    .read(&grammar, body, text.as_bytes(), &mut derivation)
                    .is_ok();
                if matched {
                    // The whole grammar also generates the text: from the code of the alternative,
                    // then those of the token.
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

    /// Returns the rule that has all tokens of the test as its alternatives.
    fn first(grammar: &Grammar) -> SymbolId {
        (0..grammar.symbols().len() as u32)
            .map(SymbolId)
            .find(|&symbol| grammar.alternatives(symbol).len() == 5)
            .expect("a rule of five alternatives")
    }
}
