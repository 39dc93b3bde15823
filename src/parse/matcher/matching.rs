//! The matching loop of the backtracking matcher.

use std::ops::Range;

use super::{DONE, LONG, Matcher, Meaning, Other, Point, STEPS_TO_A_BYTE, Stretch, Then};
use crate::derivation::{Node, NodeChildren};
use crate::derive::Case;
use crate::grammar::{Grammar, Kind, SymbolId};
use crate::parse::fuel::Fuel;

/// The number of bytes of a run that count as one step.
const RUN: usize = 16;

/// The number of steps between two checks of the memory limit.
const MEMORY: usize = 1 << 12;

/// The state of a match.
pub(super) struct Matching<'a> {
    grammar: &'a Grammar,
    text: &'a [u8],
    nodes: &'a mut Vec<Node>,
    /// The number of nodes before this match.
    nodes_before: usize,
    matcher: &'a mut Matcher,
    fuel: &'a Fuel,
    /// The offset in the text up to which symbols have matched.
    pub at: usize,
    /// The number of steps that were taken. Each [`RUN`] bytes of a run count as one.
    steps: usize,
    /// The index of the current continuation in the chain.
    then: u32,
    until: Until<'a>,
    /// The furthest offset that the match reached.
    pub furthest: usize,
}

/// The condition under which a match ends.
#[derive(Debug)]
pub(super) enum Until<'a> {
    /// At the first match, wherever its text ends.
    First,
    /// At the first match that ends at the end of the text.
    End,
    /// When all matches were tried. The offsets where they end are collected, with repetitions and
    /// in no order.
    Each(&'a mut Vec<u32>),
}

impl<'a> Matching<'a> {
    pub fn new(
        grammar: &'a Grammar,
        stretch: Stretch<'a>,
        until: Until<'a>,
        nodes: &'a mut Vec<Node>,
        matcher: &'a mut Matcher,
    ) -> Matching<'a> {
        matcher.forget();
        let Stretch {
            text,
            from: at,
            fuel,
            ..
        } = stretch;
        Matching {
            grammar,
            text,
            nodes_before: nodes.len(),
            nodes,
            matcher,
            fuel,
            at,
            steps: 0,
            then: DONE,
            until,
            furthest: at,
        }
    }

    /// Matches a symbol in at most `max` steps. Returns whether it matched, which is always
    /// `false` for [`Until::Each`].
    pub fn run(&mut self, symbol: SymbolId, max: usize) -> bool {
        let max = max.min(usize::try_from(self.fuel.left()).unwrap_or(usize::MAX));
        let is_matched = self.steps(symbol, max);
        self.fuel.spend(self.steps);
        is_matched
    }

    /// The loop of [`run`](Matching::run).
    fn steps(&mut self, symbol: SymbolId, max: usize) -> bool {
        let (mut next, start) = (Some(symbol), self.at);
        let mut stop = max.min(MEMORY);
        loop {
            if self.steps >= stop {
                self.fuel
                    .check_memory(self.matcher.memory() + size_of_val(&self.nodes[..]));
                if self.steps >= max || self.fuel.is_spent() {
                    break;
                }
                stop = max.min(self.steps + MEMORY);
            }
            self.steps += 1;
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
                // Whether a state fails may depend on what was captured before.
                None if self.steps > LONG + STEPS_TO_A_BYTE * (self.furthest - start)
                    && self.grammar.captures.is_none()
                    && self.was_tried() =>
                {
                    false
                }
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
        self.matcher.is_out_of_steps = true;
        false
    }

    /// Returns whether the current state was reached before, which means that it failed. Memoizes
    /// the state otherwise.
    fn was_tried(&mut self) -> bool {
        let Matcher {
            chain,
            meanings,
            numbers,
            tried,
            unknown,
            ..
        } = &mut *self.matcher;
        // `back` truncates `meanings` together with `chain`, so a new link never has the number of
        // an old one.
        meanings.resize(chain.len(), u32::MAX);
        let mut link = self.then;
        while link != DONE && meanings[link as usize] == u32::MAX {
            unknown.push(link);
            link = match chain[link as usize] {
                Then::Sequence { outer, .. } | Then::Elements { outer, .. } => outer,
            };
        }
        while let Some(link) = unknown.pop() {
            let number = |outer: u32| {
                if outer == DONE {
                    DONE
                } else {
                    meanings[outer as usize]
                }
            };
            let meaning = match chain[link as usize] {
                Then::Sequence { next, end, outer } => Meaning::Sequence {
                    next,
                    end,
                    outer: number(outer),
                },
                Then::Elements { node, count, outer } => {
                    let symbol = self.nodes[node as usize].symbol;
                    let count = match self.grammar[symbol].kind {
                        Kind::Repeat {
                            at_least,
                            at_most: u32::MAX,
                            ..
                        } => count.min(at_least),
                        _ => count,
                    };
                    Meaning::Elements {
                        symbol,
                        count,
                        outer: number(outer),
                    }
                }
            };
            let next = numbers.len() as u32;
            meanings[link as usize] = *numbers.entry(meaning).or_insert(next);
        }
        tried
            .add(
                (self.at as u64) << 32 | u64::from(meanings[self.then as usize]),
                0,
            )
            .is_some()
    }

    /// Takes the next step of the current continuation. Returns the symbol to match next, or `None`
    /// if there is none.
    fn go_on(&mut self) -> Option<SymbolId> {
        match self.matcher.chain[self.then as usize] {
            Then::Sequence { next, end, outer } if next == end => {
                self.then = outer;
                None
            }
            Then::Sequence { next, end, outer } => {
                self.then = self.link(Then::Sequence {
                    next: next + 1,
                    end,
                    outer,
                });
                Some(self.grammar.children[next as usize].symbol)
            }
            Then::Elements { node, count, outer } => {
                let Kind::Repeat {
                    element,
                    at_least,
                    at_most,
                    ..
                } = self.grammar[self.nodes[node as usize].symbol].kind
                else {
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
                self.then = self.link(Then::Elements {
                    node,
                    count: count + 1,
                    outer,
                });
                Some(element.symbol)
            }
        }
    }

    /// Appends a continuation to the chain and returns its index.
    fn link(&mut self, then: Then) -> u32 {
        self.matcher.chain.push(then);
        self.matcher.chain.len() as u32 - 1
    }

    /// Pushes a choice point at the current state.
    fn point(&mut self, other: Other, then: u32) {
        let point = Point {
            other,
            at: self.at as u32,
            nodes: self.nodes.len() as u32,
            then,
            chain: self.matcher.chain.len() as u32,
        };
        self.matcher.points.push(point);
    }

    /// Appends a node whose own text has `bytes` bytes, and moves after that text.
    fn node(&mut self, symbol: SymbolId, choice: u32, bytes: usize) {
        self.nodes.push(Node {
            symbol,
            choice,
            size: 1,
            text: self.at as u32,
        });
        self.at += bytes;
    }

    /// Backtracks to the last choice point from which the match can continue. Returns `false` if
    /// there is none.
    fn back(&mut self) -> bool {
        while let Some(Point {
            other,
            at,
            nodes,
            then,
            chain,
        }) = self.matcher.points.pop()
        {
            self.nodes.truncate(nodes as usize);
            self.matcher.chain.truncate(chain as usize);
            self.matcher.meanings.truncate(chain as usize);
            (self.at, self.then) = (at as usize, then);
            let matched = match other {
                Other::Alternative { symbol, from } => self.alternative(symbol, from),
                Other::Run {
                    symbol,
                    count,
                    bytes,
                } => self.shorter_run(symbol, count, bytes as usize),
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

    /// Matches a symbol, or the beginning of one that has children. Returns `false` if it cannot
    /// match here.
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
                let Some(found) = rest
                    .get(..literal.len())
                    .filter(|found| found.eq_ignore_ascii_case(literal))
                else {
                    return false;
                };
                let is = |case: Case| {
                    found.iter().zip(literal).all(|(found, byte)| match case {
                        Case::Lower => *found == byte.to_ascii_lowercase(),
                        Case::Upper => *found == byte.to_ascii_uppercase(),
                        _ => found == byte,
                    })
                };
                let case = [Case::AsWritten, Case::Lower, Case::Upper]
                    .into_iter()
                    .find(|&case| is(case));
                self.node(
                    symbol,
                    case.unwrap_or(Case::Mask(0)).number(),
                    literal.len(),
                );
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
            &Kind::Run {
                class,
                at_least,
                at_most,
            } => {
                let class = &self.grammar[class];
                let (mut count, mut bytes) = (0, 0);
                while count < at_most && bytes < rest.len() {
                    let (character, length) = class.read(&rest[bytes..]);
                    if class.index_of(character).is_none() {
                        break;
                    }
                    (count, bytes) = (count + 1, bytes + length);
                }
                self.steps += bytes / RUN;
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
                self.then = self.link(Then::Elements {
                    node,
                    count: 0,
                    outer: self.then,
                });
                true
            }
            Kind::Identifier { .. } => self.name(symbol, 0),
            &Kind::Same { of, .. } => {
                let length = match self.captured(of) {
                    Some(captured) => {
                        let captured = &self.text[captured];
                        rest.starts_with(captured).then_some(captured.len())
                    }
                    // The capture is in another token. The parser compares the two.
                    None => Some(rest.len()),
                };
                if let Some(length) = length {
                    self.node(symbol, 0, length);
                }
                length.is_some()
            }
            &Kind::Lexeme { body, .. } => {
                self.node(symbol, 0, 0);
                self.symbol(body)
            }
        }
    }

    /// Returns the range of the last text of a symbol that is not repeated yet. [`None`] if there is none
    /// in this match.
    fn captured(&self, symbol: SymbolId) -> Option<Range<usize>> {
        let mut repeated = 0;
        let is_capture = |node: &Node| {
            if node.symbol == symbol {
                repeated -= 1;
            } else if let Kind::Same { of, is_last: true } = self.grammar[node.symbol].kind
                && of == symbol
            {
                repeated += 1;
            }
            repeated < 0
        };
        let before = self.nodes_before;
        let first = before + self.nodes[before..].iter().rposition(is_capture)?;
        let (mut after, mut open) = (first, 1);
        while open > 0 {
            let node = self.nodes[after];
            open += NodeChildren::new(self.grammar, node.symbol, node.choice).len();
            open -= 1;
            after += 1;
        }
        let end = self
            .nodes
            .get(after)
            .map_or(self.at, |node| node.text as usize);
        Some(self.nodes[first].text as usize..end)
    }

    /// Begins the alternative `from` of a symbol, with a choice point for the next ones. Returns
    /// `false` if it does not exist.
    fn alternative(&mut self, symbol: SymbolId, from: u32) -> bool {
        let grammar = self.grammar;
        let Kind::Nonterminal { alternatives, .. } = &grammar[symbol].kind else {
            return false;
        };
        let at = alternatives.start + from;
        if at >= alternatives.end {
            return false;
        }
        if at + 1 < alternatives.end {
            self.point(
                Other::Alternative {
                    symbol,
                    from: from + 1,
                },
                self.then,
            );
        }
        self.node(symbol, from, 0);
        let children = &grammar.alternatives[at as usize].children;
        self.then = self.link(Then::Sequence {
            next: children.start,
            end: children.end,
            outer: self.then,
        });
        true
    }

    /// Matches a run of `count` characters, with a choice point for shorter ones.
    fn run_of(&mut self, symbol: SymbolId, count: u32, bytes: usize) {
        let Kind::Run { at_least, .. } = self.grammar[symbol].kind else {
            return;
        };
        if count > at_least {
            self.point(
                Other::Run {
                    symbol,
                    count,
                    bytes: bytes as u32,
                },
                self.then,
            );
        }
        self.node(symbol, count, bytes);
    }

    /// Matches a run with one character fewer than `count`.
    fn shorter_run(&mut self, symbol: SymbolId, count: u32, bytes: usize) -> bool {
        let Kind::Run { class, .. } = self.grammar[symbol].kind else {
            return false;
        };
        let run = &self.text[self.at..self.at + bytes];
        let shorter = bytes - self.grammar[class].last_width(run);
        self.run_of(symbol, count - 1, shorter);
        true
    }

    /// Matches the first name with an index of at least `from` that the text begins with, or else
    /// the escape.
    fn name(&mut self, symbol: SymbolId, from: u32) -> bool {
        let grammar = self.grammar;
        let Kind::Identifier { names, escape } = &grammar[symbol].kind else {
            return false;
        };
        let count = names.end - names.start;
        let rest = &self.text[self.at..];
        for index in from..count {
            let name = grammar.name(names, index);
            if rest.starts_with(name) {
                self.point(
                    Other::Name {
                        symbol,
                        from: index + 1,
                    },
                    self.then,
                );
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
