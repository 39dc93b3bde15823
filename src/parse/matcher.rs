//! Text to derivations: a matcher that backtracks, for tokens and short texts without layout.
//!
//! Alternatives are tried in the order of their codes, repetitions as often as they match first. What holds: what is found
//! derives the text, separators aside; the effort is bounded, so not every text is found, and of left recursion none.
//!
//! A long match remembers what it has tried: where it was in the text, and what was to match then. It takes time that grows
//! with the product of the two, although tokens like `([a-z]+ | "x")*` have exponentially many ways to match nothing.

use std::collections::{HashMap, HashSet};

use crate::derivation::{Derivation, Node};
use crate::derive::Case;
use crate::grammar::{Grammar, Kind, SymbolId};

/// Steps of a match: more are given up.
const STEPS: usize = 20_000;

/// More steps for each byte that there is, if it is known to match.
const STEPS_A_BYTE: usize = 1_024;

/// Steps after which a match remembers.
const LONG: usize = 512;

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
    tried: HashSet<(usize, u32)>,
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
        self.run(grammar, symbol, Stretch { text, from: 0, all: true }, STEPS, &mut derivation.nodes)?;
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
    pub(super) fn ends(
        &mut self,
        grammar: &Grammar,
        symbol: SymbolId,
        text: &[u8],
        from: usize,
        nodes: &mut Vec<Node>,
    ) -> &[u32] {
        let steps = STEPS + STEPS_A_BYTE * (text.len() - from);
        self.forget();
        nodes.clear();
        let mut ends = std::mem::take(&mut self.ends);
        ends.clear();
        let mut matching =
            Matching { grammar, text, nodes, matcher: self, at: from, then: DONE, until: Until::Each(&mut ends), furthest: from };
        matching.run(symbol, steps);
        ends.sort_unstable();
        ends.dedup();
        self.ends = ends;
        &self.ends
    }

    fn forget(&mut self) {
        self.chain.clear();
        self.points.clear();
        self.meanings.clear();
        self.numbers.clear();
        self.tried.clear();
    }

    fn run(
        &mut self,
        grammar: &Grammar,
        symbol: SymbolId,
        stretch: Stretch<'_>,
        steps: usize,
        nodes: &mut Vec<Node>,
    ) -> Result<usize, usize> {
        self.forget();
        let before = nodes.len();
        let Stretch { text, from, all } = stretch;
        let until = if all { Until::End } else { Until::First };
        let mut matching = Matching { grammar, text, nodes, matcher: self, at: from, then: DONE, until, furthest: from };
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
}

struct Matching<'a> {
    grammar: &'a Grammar,
    text: &'a [u8],
    nodes: &'a mut Vec<Node>,
    matcher: &'a mut Matcher,
    at: usize,
    /// What is to match next, in the chain.
    then: u32,
    until: Until<'a>,
    furthest: usize,
}

/// When a match is done.
#[derive(Debug)]
enum Until<'a> {
    /// When it ends somewhere.
    First,
    /// When it ends where the text does.
    End,
    /// When all ends are known.
    Each(&'a mut Vec<u32>),
}

impl Matching<'_> {
    fn run(&mut self, symbol: SymbolId, steps: usize) -> bool {
        let mut next = Some(symbol);
        for step in 0..steps {
            let matched = match next.take() {
                Some(symbol) => self.symbol(symbol),
                None if self.then == DONE => {
                    match &mut self.until {
                        Until::First => return true,
                        Until::End if self.at == self.text.len() => return true,
                        Until::End => {}
                        Until::Each(ends) => ends.push(self.at as u32),
                    }
                    false
                }
                None if step > LONG && self.was_tried() => false,
                None => {
                    next = self.go_on();
                    continue;
                }
            };
            self.furthest = self.furthest.max(self.at);
            if !matched && !self.back() {
                return false;
            }
        }
        self.matcher.gave_up = true;
        false
    }

    /// Whether all that is open was tried here before: then it failed.
    fn was_tried(&mut self) -> bool {
        let Matcher { chain, meanings, numbers, tried, unknown, .. } = &mut *self.matcher;
        // Links that are no more are forgotten as their places are taken.
        meanings.resize(chain.len(), u32::MAX);
        let mut link = self.then;
        while link != DONE && meanings[link as usize] == u32::MAX {
            unknown.push(link);
            link = match chain[link as usize] {
                Then::Sequence { outer, .. } | Then::Elements { outer, .. } => outer,
            };
        }
        while let Some(link) = unknown.pop() {
            let number = |outer: u32| if outer == DONE { DONE } else { meanings[outer as usize] };
            let meaning = match chain[link as usize] {
                Then::Sequence { next, end, outer } => Meaning::Sequence { next, end, outer: number(outer) },
                Then::Elements { node, count, outer } => {
                    let symbol = self.nodes[node as usize].symbol;
                    let count = match self.grammar[symbol].kind {
                        Kind::Repeat { at_least, at_most: u32::MAX, .. } => count.min(at_least),
                        _ => count,
                    };
                    Meaning::Elements { symbol, count, outer: number(outer) }
                }
            };
            let next = numbers.len() as u32;
            meanings[link as usize] = *numbers.entry(meaning).or_insert(next);
        }
        !tried.insert((self.at, meanings[self.then as usize]))
    }

    /// The next symbol of what is open.
    fn go_on(&mut self) -> Option<SymbolId> {
        match self.matcher.chain[self.then as usize] {
            Then::Sequence { next, end, outer } if next == end => {
                self.then = outer;
                None
            }
            Then::Sequence { next, end, outer } => {
                self.then = self.link(Then::Sequence { next: next + 1, end, outer });
                Some(self.grammar.children[next as usize].symbol)
            }
            Then::Elements { node, count, outer } => {
                let Kind::Repeat { element, at_least, at_most, .. } = self.grammar[self.nodes[node as usize].symbol].kind else {
                    return None;
                };
                if count >= at_least {
                    if count == at_most || self.at == self.text.len() {
                        self.nodes[node as usize].choice = count;
                        self.then = outer;
                        return None;
                    }
                    self.point(Other::Stop { node, count }, outer);
                }
                self.then = self.link(Then::Elements { node, count: count + 1, outer });
                Some(element.symbol)
            }
        }
    }

    fn link(&mut self, then: Then) -> u32 {
        self.matcher.chain.push(then);
        self.matcher.chain.len() as u32 - 1
    }

    fn point(&mut self, other: Other, then: u32) {
        let point =
            Point { other, at: self.at as u32, nodes: self.nodes.len() as u32, then, chain: self.matcher.chain.len() as u32 };
        self.matcher.points.push(point);
    }

    fn node(&mut self, symbol: SymbolId, choice: u32, bytes: usize) {
        self.nodes.push(Node { symbol, choice, size: 1, text: self.at as u32 });
        self.at += bytes;
    }

    /// Goes back to the last place with another way to go on; whether there was one.
    fn back(&mut self) -> bool {
        while let Some(Point { other, at, nodes, then, chain }) = self.matcher.points.pop() {
            self.nodes.truncate(nodes as usize);
            self.matcher.chain.truncate(chain as usize);
            self.matcher.meanings.truncate(chain as usize);
            (self.at, self.then) = (at as usize, then);
            let matched = match other {
                Other::Alternative { symbol, from } => self.alternative(symbol, from),
                Other::Run { symbol, count, bytes } => self.shorter_run(symbol, count, bytes as usize),
                Other::Name { symbol, from } => self.name(symbol, from),
                Other::Stop { node, count } => {
                    self.nodes[node as usize].choice = count;
                    true
                }
            };
            if matched {
                return true;
            }
        }
        false
    }

    /// Matches a symbol, or begins to.
    fn symbol(&mut self, symbol: SymbolId) -> bool {
        let rest = &self.text[self.at..];
        match &self.grammar[symbol].kind {
            Kind::Nonterminal { .. } => self.alternative(symbol, 0),
            Kind::Literal { text } => {
                let literal = self.grammar.text(text);
                let matched = rest.starts_with(literal);
                if matched {
                    self.node(symbol, 0, literal.len());
                }
                matched
            }
            Kind::Insensitive { text, .. } => {
                let literal = self.grammar.text(text);
                let Some(found) = rest.get(..literal.len()).filter(|found| found.eq_ignore_ascii_case(literal)) else {
                    return false;
                };
                let is = |case: Case| {
                    found.iter().zip(literal).all(|(found, byte)| match case {
                        Case::Lower => *found == byte.to_ascii_lowercase(),
                        Case::Upper => *found == byte.to_ascii_uppercase(),
                        _ => found == byte,
                    })
                };
                let case = [Case::AsWritten, Case::Lower, Case::Upper].into_iter().find(|&case| is(case));
                self.node(symbol, case.unwrap_or(Case::Mask(0)).number(), literal.len());
                true
            }
            Kind::Class(class) => {
                let class = &self.grammar[*class];
                if rest.is_empty() {
                    return false;
                }
                let (character, length) = class.read(rest);
                let index = class.index_of(character);
                if let Some(index) = index {
                    self.node(symbol, index, length);
                }
                index.is_some()
            }
            &Kind::Run { class, at_least, at_most } => {
                let class = &self.grammar[class];
                let (mut count, mut bytes) = (0, 0);
                while count < at_most && bytes < rest.len() {
                    let (character, length) = class.read(&rest[bytes..]);
                    if class.index_of(character).is_none() {
                        break;
                    }
                    (count, bytes) = (count + 1, bytes + length);
                }
                self.furthest = self.furthest.max(self.at + bytes);
                if count < at_least {
                    return false;
                }
                self.run_of(symbol, count, bytes);
                true
            }
            &Kind::Repeat { .. } => {
                self.node(symbol, 0, 0);
                let node = self.nodes.len() as u32 - 1;
                self.then = self.link(Then::Elements { node, count: 0, outer: self.then });
                true
            }
            Kind::Identifier { .. } => self.name(symbol, 0),
            &Kind::Lexeme { body, .. } => {
                self.node(symbol, 0, 0);
                self.symbol(body)
            }
        }
    }

    /// The first alternative from one on that may match.
    fn alternative(&mut self, symbol: SymbolId, from: u32) -> bool {
        let grammar = self.grammar;
        let Kind::Nonterminal { alternatives, .. } = &grammar[symbol].kind else { return false };
        let at = alternatives.start + from;
        if at >= alternatives.end {
            return false;
        }
        if at + 1 < alternatives.end {
            self.point(Other::Alternative { symbol, from: from + 1 }, self.then);
        }
        self.node(symbol, from, 0);
        let children = &grammar.alternatives[at as usize].children;
        self.then = self.link(Then::Sequence { next: children.start, end: children.end, outer: self.then });
        true
    }

    fn run_of(&mut self, symbol: SymbolId, count: u32, bytes: usize) {
        let Kind::Run { at_least, .. } = self.grammar[symbol].kind else { return };
        if count > at_least {
            self.point(Other::Run { symbol, count, bytes: bytes as u32 }, self.then);
        }
        self.node(symbol, count, bytes);
    }

    /// A run of one character fewer.
    fn shorter_run(&mut self, symbol: SymbolId, count: u32, bytes: usize) -> bool {
        let Kind::Run { class, .. } = self.grammar[symbol].kind else { return false };
        let mut shorter = 0;
        let rest = &self.text[self.at..];
        while shorter < bytes {
            let (_, length) = self.grammar[class].read(&rest[shorter..]);
            if shorter + length >= bytes {
                break;
            }
            shorter += length;
        }
        self.run_of(symbol, count - 1, shorter);
        true
    }

    /// The first name from one on that matches, or the escape.
    fn name(&mut self, symbol: SymbolId, from: u32) -> bool {
        let grammar = self.grammar;
        let Kind::Identifier { names, escape } = &grammar[symbol].kind else { return false };
        let count = names.end - names.start;
        let rest = &self.text[self.at..];
        for index in from..count {
            let name = grammar.name(names, index);
            if rest.starts_with(name) {
                self.point(Other::Name { symbol, from: index + 1 }, self.then);
                self.node(symbol, index, name.len());
                return true;
            }
        }
        if from > count {
            return false;
        }
        self.node(symbol, count, 0);
        self.symbol(*escape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Caps;
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
                assert!(!matcher.tried.is_empty() && matcher.tried.len() < 10_000, "{}", matcher.tried.len());
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
