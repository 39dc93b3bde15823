//! The matching loop of the backtracking matcher.

use std::ops::Range;

use super::{Captured, DONE, LONG, Matcher, Meaning, Other, Point, STEPS_TO_A_BYTE, Stretch, Then};
use crate::derivation::Node;
use crate::derive::Case;
use crate::grammar::{Grammar, Kind, SymbolId};
use crate::parse::fuel::Fuel;

/// The number of bytes of a run that count as one step.
const RUN: usize = 16;

/// The number of steps between two checks of the memory limit.
const MEMORY: usize = 1 << 12;

pub(super) struct Matching<'a> {
    grammar: &'a Grammar,
    text: &'a [u8],
    nodes: &'a mut Vec<Node>,
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
    /// After all matches were tried. Collects the offsets where they end, with duplicates and in no
    /// order.
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
                None if self.steps > LONG + STEPS_TO_A_BYTE * (self.furthest - start)
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

    /// Returns whether the current state was reached before, so that it need not be tried again. If
    /// not, remembers the state.
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
                Then::Sequence { outer, .. }
                | Then::Capture { outer, .. }
                | Then::Elements { outer, .. } => outer,
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
                Then::Sequence {
                    next,
                    end,
                    outer,
                    captures,
                } => Meaning::Sequence {
                    next,
                    end,
                    outer: number(outer),
                    captures,
                },
                Then::Capture {
                    symbol,
                    from,
                    outer,
                } => Meaning::Capture {
                    symbol,
                    from,
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
    /// if the step has no symbol.
    fn go_on(&mut self) -> Option<SymbolId> {
        match self.matcher.chain[self.then as usize] {
            Then::Sequence {
                next, end, outer, ..
            } if next == end => {
                self.then = outer;
                None
            }
            Then::Sequence {
                next,
                end,
                outer,
                captures,
            } => {
                self.then = self.link(Then::Sequence {
                    next: next + 1,
                    end,
                    outer,
                    captures,
                });
                let symbol = self.grammar.children[next as usize].symbol;
                let all = self.grammar.captures.as_deref();
                if all.is_some_and(|all| all[symbol.0 as usize]) {
                    self.then = self.link(Then::Capture {
                        symbol,
                        from: self.at as u32,
                        outer: self.then,
                    });
                }
                Some(symbol)
            }
            Then::Capture {
                symbol,
                from,
                outer,
            } => {
                self.end_capture(symbol, from, outer);
                None
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

    /// Matches a leaf, or begins a symbol with children. Returns `false` if it cannot match here.
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
            &Kind::Same { of, is_last } => {
                let length = match self.captured(of) {
                    Some(captured) => {
                        let captured = &self.text[captured];
                        rest.starts_with(captured).then_some(captured.len())
                    }
                    // The capture is in another token. The parser compares the two texts.
                    None => Some(rest.len()),
                };
                if is_last {
                    self.forget_capture();
                }
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

    /// Ends the text of a captured symbol, which began at `from`. `sequence` is the rest of its
    /// sequence.
    fn end_capture(&mut self, symbol: SymbolId, from: u32, sequence: u32) {
        let mut then = self.matcher.chain[sequence as usize];
        if let Then::Sequence { captures, .. } = &mut then {
            let captured = Captured {
                symbol,
                from,
                to: self.at as u32,
                before: *captures,
            };
            let next = self.matcher.captured.len() as u32;
            *captures = *self.matcher.captures.entry(captured).or_insert(next);
            if *captures == next {
                self.matcher.captured.push(captured);
            }
        }
        self.then = self.link(then);
    }

    /// Returns the range of the text of a captured symbol in the current sequence. [`None`] if this
    /// match did not capture the symbol there.
    fn captured(&self, symbol: SymbolId) -> Option<Range<usize>> {
        let Then::Sequence { captures, .. } = *self.matcher.chain.get(self.then as usize)? else {
            return None;
        };
        let get = |at: u32| self.matcher.captured.get(at as usize);
        let mut all = std::iter::successors(get(captures), |captured| get(captured.before));
        let captured = all.find(|captured| captured.symbol == symbol)?;
        Some(captured.from as usize..captured.to as usize)
    }

    /// Forgets the capture of the current sequence after its last repetition, if it is the only
    /// one. Then states that differ only in this capture are equal.
    fn forget_capture(&mut self) {
        let Some(&then) = self.matcher.chain.get(self.then as usize) else {
            return;
        };
        let Then::Sequence {
            next,
            end,
            outer,
            captures,
        } = then
        else {
            return;
        };
        let captured = self.matcher.captured.get(captures as usize);
        if captured.is_some_and(|captured| captured.before == DONE) {
            self.then = self.link(Then::Sequence {
                next,
                end,
                outer,
                captures: DONE,
            });
        }
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
            captures: DONE,
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
        self.node(symbol, count, 0);
        self.symbol(*escape)
    }
}
