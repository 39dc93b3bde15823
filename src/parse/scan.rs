//! The scanner, which finds tokens and layout at the offsets where the parser needs them.
//!
//! The scanner looks only for the terminals that the grammar allows at an offset. A finite
//! automaton finds the terminals that are regular. The scanner takes the longest text of each such
//! terminal. It also takes a shorter text if the grammar allows an adjacent token after it, or if
//! the longer text is a [`BlockedToken`]. If the grammar has layout, no text that the automaton
//! finds ends in the middle of a word, except where an adjacent token can follow.
//!
//! The automaton does not find all terminals (see [`Reading`]). Of the other terminals, the scanner
//! takes every text.
//!
//! A *letter* is a class of characters that the automaton does not distinguish.

use std::ops::Range;

use super::ParseInput;
use super::adjacency::Adjacency;
use super::bindings::Bindings;
use super::literals::Literals;
use super::matcher::{Matcher, Stretch};
use super::tables::ParserTables;
use crate::derivation::Node;
use crate::grammar::sets::{self, Sets};
use crate::grammar::{Excess, Grammar, Kind, LAYOUT, Nfa, SymbolId, is_one_word};

/// The method that finds the texts of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// The automaton finds exactly the texts of the terminal.
    Exact,
    /// The automaton finds too many texts, because it does not count long repetitions. The matcher
    /// checks the candidates, the longest first.
    Checked,
    /// The automaton is not used. [`Literals`] finds literals, and the matcher finds the other
    /// terminals: recursive tokens, which are not regular, and all tokens of a grammar with too
    /// many tokens for the automaton. Tokens that repeat a capture are compared with the captured
    /// texts.
    Matched,
}

impl Reading {
    fn of(grammar: &Grammar, token: SymbolId) -> Reading {
        if grammar.boundaries().separates_all() {
            return Reading::Matched;
        }
        let mut nfa = Nfa::new(grammar.tables(), grammar.derives_bytes(), false);
        let is_there = nfa.add(token, 0).is_ok();
        match nfa.take_excess() {
            Excess::None if is_there => Reading::Exact,
            Excess::Counts if is_there => Reading::Checked,
            _ => Reading::Matched,
        }
    }
}

/// Within white space, the scanner looks for tokens only at this many characters at each end.
/// Without a limit the time would be quadratic, because a token can begin at each character and be
/// as long as the rest.
const MAX_BLANKS: usize = 16;

/// The automaton spends one step of [`Fuel`](super::fuel::Fuel) for this many characters.
const CHARACTERS_PER_STEP: usize = 16;

/// A token that was found: a range of the text, and a terminal that derives it.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    pub terminal: u32,
    pub from: u32,
    pub to: u32,
    /// Whether the token is kept even if a longer text of the terminal is found. True if an
    /// adjacent token may follow, and for all tokens that the automaton does not find.
    tight: bool,
    /// Whether the expander would write a separator before the token at this offset. The scanner
    /// sets `false`, and the parser computes the value. The parser ignores the value where the
    /// grammar forbids layout before the token (`~`).
    pub is_separated: bool,
}

impl Found {
    /// Returns a token that is kept even if a longer text of its terminal is found.
    fn certain(terminal: u32, from: u32, to: u32) -> Found {
        Found {
            terminal,
            from,
            to,
            tight: true,
            is_separated: false,
        }
    }
}

/// A blocked token: when the text is parsed again, the lexeme `symbol` must not derive the text
/// `from..to`. Otherwise the expander would write a separator that the text does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockedToken {
    pub from: u32,
    pub to: u32,
    pub symbol: u32,
}

/// Returns whether some lexeme must not derive the text `from..to`. `blocked` must be sorted.
fn is_blocked(blocked: &[BlockedToken], from: u32, to: u32) -> bool {
    let at = blocked.partition_point(|blocked| (blocked.from, blocked.to) < (from, to));
    blocked
        .get(at)
        .is_some_and(|blocked| (blocked.from, blocked.to) == (from, to))
}

/// A search for the tokens at an offset.
#[derive(Clone, Copy, Debug)]
pub struct TokenSearch<'a> {
    /// The offset where the tokens begin, or the layout before them.
    pub at: u32,
    /// The set of the terminals to search.
    pub wanted: &'a [u64],
    /// The tokens that must not be found, sorted.
    pub blocked: &'a [BlockedToken],
    /// The captured texts, which other tokens repeat.
    pub bindings: &'a Bindings,
}

/// The tokens that were found at an offset, and working memory of the scanner.
#[derive(Debug, Default)]
pub struct Tokens {
    pub found: Vec<Found>,
    /// Tokens that were dropped because the character after them cannot follow them.
    dropped: Vec<Found>,
    pub matcher: Matcher,
    /// The set of terminals that the automaton or [`Literals`] must find.
    wanted: Vec<u64>,
    /// The set of terminals that the matcher must find.
    tried: Vec<u64>,
    /// The offset of each character in layout that is layout by itself, such as a space. Filled
    /// only if a token can begin with such a character.
    blanks: Vec<u32>,
    nodes: Vec<Node>,
}

impl Tokens {
    /// Puts the dropped tokens back, and marks every token as one that needs no separator. Returns
    /// whether there are any tokens.
    ///
    /// The parser calls this function at a syntax error, so that it reports the error after these
    /// tokens.
    pub fn restore(&mut self) -> bool {
        self.found.append(&mut self.dropped);
        self.found
            .iter_mut()
            .for_each(|found| found.is_separated = false);
        !self.found.is_empty()
    }
}

/// The scanner of a grammar. It does not change while texts are parsed.
#[derive(Debug)]
pub struct Scanner {
    /// For each terminal, the method that finds its texts.
    readings: Vec<Reading>,
    /// The set of terminals that only the matcher finds.
    matched: Vec<u64>,
    /// The set of terminals that the automaton finds, including those that the matcher checks.
    pub exact: Vec<u64>,
    /// Whether `matched` is not empty.
    tries: bool,
    /// Literals that the automaton does not have, for grammars with too many tokens.
    literals: Literals,
    /// For each terminal that repeats a captured symbol, the captured symbol.
    repeated: Vec<Option<SymbolId>>,
    /// For each terminal, the symbol that derives its texts. Terminal 0, which is layout, has a
    /// placeholder.
    bodies: Vec<SymbolId>,
    /// For each terminal, the letters with which its texts can begin.
    beginning: Sets,
    /// For each letter, whether it can begin both layout and a token that may have layout before
    /// it.
    blank: Vec<bool>,
    /// The tokens that can directly follow each terminal.
    pub adjacency: Adjacency,
    /// For each terminal, the letters that can come directly after its texts.
    following_letters: Sets,
}

impl Scanner {
    pub fn new(grammar: &Grammar, tables: &ParserTables) -> Scanner {
        let boundaries = grammar.boundaries();
        // Terminal 0 stands for layout, even if the grammar has none. The start symbol is its
        // placeholder.
        let mut repeated = vec![None; tables.terminal_count];
        let (mut bodies, mut loose) = (
            vec![grammar.start(); tables.terminal_count],
            vec![false; tables.terminal_count],
        );
        for symbol in grammar.symbols() {
            if let Kind::Lexeme {
                body,
                position,
                layout,
            } = symbol.kind
            {
                let terminal = boundaries.terminal(position).0 as usize;
                bodies[terminal] = body;
                if let Kind::Same { of, .. } = grammar[body].kind {
                    (bodies[terminal], repeated[terminal]) = (of, Some(of));
                }
                loose[terminal] |= layout;
            }
        }
        let reading = |(&body, repeated): (&SymbolId, &Option<SymbolId>)| match repeated {
            Some(_) => Reading::Matched,
            None => Reading::of(grammar, body),
        };
        let mut readings: Vec<Reading> = bodies[1..]
            .iter()
            .zip(&repeated[1..])
            .map(reading)
            .collect();
        readings.insert(
            LAYOUT.0 as usize,
            grammar
                .layout()
                .map_or(Reading::Exact, |layout| Reading::of(grammar, layout.token)),
        );
        let mut matched = vec![0; tables.terminal_count.div_ceil(64)];
        let is_matched = |&terminal: &usize| readings[terminal] == Reading::Matched;
        let literals = Literals::new(
            grammar,
            (1..tables.terminal_count)
                .filter(is_matched)
                .map(|terminal| (terminal as u32, bodies[terminal])),
        );
        for terminal in (1..tables.terminal_count).filter(is_matched) {
            sets::add(&mut matched, terminal);
        }
        let mut exact = vec![0; matched.len()];
        for terminal in (0..tables.terminal_count).filter(|terminal| !is_matched(terminal)) {
            sets::add(&mut exact, terminal);
        }
        // Literals are found by binary search, so the matcher need not try them.
        literals
            .terminals()
            .for_each(|terminal| matched[terminal as usize / 64] &= !(1 << (terminal % 64)));
        let mut beginning = Sets::new(tables.terminal_count, boundaries.letters());
        for (letter, viable) in boundaries.by_first_letter().enumerate() {
            for terminal in sets::numbers(viable) {
                beginning.add(terminal, letter);
            }
        }
        let following_letters = following_letters(grammar, tables, &beginning);
        let is_blank =
            |viable: &[u64]| is_layout(viable) && sets::numbers(viable).any(|next| loose[next]);
        Scanner {
            tries: matched.iter().any(|&word| word != 0),
            matched,
            exact,
            literals,
            blank: boundaries.by_first_letter().map(is_blank).collect(),
            adjacency: Adjacency::new(grammar, tables, &bodies),
            readings,
            repeated,
            bodies,
            beginning,
            following_letters,
        }
    }

    /// Finds the tokens of the wanted terminals that begin at an offset, directly after the layout
    /// there, or within its white space. Stores them in `tokens.found`. Returns the end of the
    /// layout, or the offset if there is none.
    pub fn read(&self, input: ParseInput<'_>, search: TokenSearch<'_>, tokens: &mut Tokens) -> u32 {
        let TokenSearch { at, wanted, .. } = search;
        let ParseInput {
            grammar,
            tables,
            text,
            ..
        } = input;
        tokens.found.clear();
        tokens.dropped.clear();
        tokens.blanks.clear();
        tokens.wanted.clear();
        tokens.tried.clear();
        tables.unfold_into(wanted, &mut tokens.wanted);
        if self.tries {
            for (wanted, matched) in tokens.wanted.iter_mut().zip(&self.matched) {
                tokens.tried.push(*wanted & matched);
                *wanted &= !matched;
            }
        }
        let mut end = at as usize;
        while let Some(next) = self.layout_token(
            input,
            &mut tokens.matcher,
            &mut tokens.nodes,
            end..text.len(),
        ) {
            if self.blank.contains(&true) {
                grammar.boundaries().blanks(&text[end..next], |blank| {
                    tokens.blanks.push((end + blank) as u32)
                });
            }
            end = next;
        }
        let end = end as u32;
        self.tokens(input, at, search, tokens);
        if end != at {
            // A token can begin with a blank, so tokens are also searched within white space.
            let blanks = tokens.blanks.len();
            for blank in (0..blanks.min(MAX_BLANKS))
                .chain(blanks.saturating_sub(MAX_BLANKS).max(MAX_BLANKS)..blanks)
            {
                let from = tokens.blanks[blank];
                if from > at
                    && self.blank[usize::from(grammar.boundaries().letter(&text[from as usize..]))]
                {
                    self.tokens(input, from, search, tokens);
                }
            }
            self.tokens(input, end, search, tokens);
        }
        if !grammar.boundaries().separates_all() {
            let Tokens { found, dropped, .. } = tokens;
            found.retain(|token| {
                let rest = &text[token.to as usize..];
                let fits = rest.is_empty()
                    || self.following_letters.has(
                        token.terminal as usize,
                        grammar.boundaries().letter(rest).into(),
                    );
                if !fits {
                    dropped.push(*token);
                }
                fits
            });
        }
        end
    }

    /// Appends the tokens that begin at offset `from`.
    fn tokens(
        &self,
        input: ParseInput<'_>,
        from: u32,
        TokenSearch {
            blocked, bindings, ..
        }: TokenSearch<'_>,
        tokens: &mut Tokens,
    ) {
        let ParseInput {
            grammar,
            text,
            fuel,
            ..
        } = input;
        let boundaries = grammar.boundaries();
        let Tokens {
            found,
            matcher,
            nodes,
            wanted: read,
            tried,
            ..
        } = tokens;
        let rest = &text[from as usize..];
        if rest.is_empty() {
            return;
        }
        let before = found.len();
        let automaton = if boundaries.separates_all() {
            &[]
        } else {
            rest
        };
        let (mut steps, mut characters) = (1, 0);
        boundaries.read(
            automaton,
            |length, terminals| {
                let to = from + length as u32;
                steps += 1;
                let next = rest
                    .get(length..)
                    .filter(|rest| !rest.is_empty())
                    .map(|rest| usize::from(boundaries.letter(rest)));
                let is_cut =
                    grammar.layout().is_some() && is_one_word(&rest[..length], &rest[length..]);
                for at in sets::common(terminals, read) {
                    let (terminal, reading) = (at as u32, self.readings[at]);
                    if is_cut && !next.is_some_and(|next| self.adjacency.letters.has(at, next)) {
                        continue;
                    }
                    let parting = &self.adjacency.parting;
                    let tight = next.is_some_and(|next| parting.has(at, next))
                        && boundaries.may_begin(&rest[length..], self.adjacency.partners(at));
                    steps += found.len() - before;
                    match found[before..]
                        .iter_mut()
                        .rev()
                        .find(|found| found.terminal == terminal)
                    {
                        Some(shorter)
                            if !shorter.tight
                                && reading == Reading::Exact
                                && !is_blocked(blocked, from, to) =>
                        {
                            *shorter = Found {
                                terminal,
                                from,
                                to,
                                tight,
                                is_separated: false,
                            };
                        }
                        _ => found.push(Found {
                            terminal,
                            from,
                            to,
                            tight,
                            is_separated: false,
                        }),
                    }
                }
            },
            |viable| {
                characters += 1;
                sets::meet(viable, read)
            },
        );
        fuel.spend(steps + characters / CHARACTERS_PER_STEP);
        // The automaton finds too many texts of checked terminals. The matcher checks them from the
        // longest down to the first accepted one that is not blocked. It also checks all shorter
        // tight ones. The texts that the matcher accepts are kept.
        for at in (before..found.len()).rev() {
            let Found {
                terminal,
                to,
                tight,
                ..
            } = found[at];
            if self.readings[terminal as usize] == Reading::Checked {
                fuel.spend(found.len() - at);
                let is_longer = |other: &Found| {
                    other.terminal == terminal && !is_blocked(blocked, from, other.to)
                };
                let is_longest = !found[at + 1..].iter().any(is_longer);
                let stretch = Stretch {
                    text: &text[..to as usize],
                    from: from as usize,
                    all: true,
                    fuel,
                };
                nodes.clear();
                if !(tight || is_longest)
                    || matcher
                        .append(grammar, self.bodies[terminal as usize], stretch, nodes)
                        .is_err()
                {
                    found.swap_remove(at);
                }
            }
        }
        self.literals.find(grammar, rest, |terminal, length| {
            fuel.spend(1);
            if sets::has(read, terminal as usize) {
                found.push(Found::certain(terminal, from, from + length as u32));
            }
        });
        for terminal in sets::numbers(tried).map(|terminal| terminal as u32) {
            if let Some(of) = self.repeated[terminal as usize] {
                bindings.each_repetition(of, rest, |length| {
                    fuel.spend(1);
                    found.push(Found::certain(terminal, from, from + length as u32));
                });
            } else if self.begins(grammar, terminal, rest) {
                let stretch = Stretch {
                    text,
                    from: from as usize,
                    all: false,
                    fuel,
                };
                let ends = matcher.ends(grammar, self.bodies[terminal as usize], stretch, nodes);
                fuel.spend(1 + ends.len());
                found.extend(
                    ends.iter()
                        .filter(|&&to| to > from)
                        .map(|&to| Found::certain(terminal, from, to)),
                );
            }
        }
    }

    /// Returns the length of the longest token or layout token at an offset, among those that the
    /// automaton does not find. Returns 0 if there is none.
    pub fn longest_matched(&self, input: ParseInput<'_>, at: usize, tokens: &mut Tokens) -> usize {
        let ParseInput {
            grammar,
            text,
            fuel,
            ..
        } = input;
        let Tokens { matcher, nodes, .. } = tokens;
        let rest = &text[at..];
        let mut longest = 0;
        if self.readings[LAYOUT.0 as usize] == Reading::Matched {
            let end = self.layout_token(input, matcher, nodes, at..text.len());
            longest = end.map_or(0, |end| end - at);
        }
        self.literals
            .find(grammar, rest, |_, length| longest = longest.max(length));
        for terminal in sets::numbers(&self.matched) {
            let is_capture = self.repeated[terminal].is_some();
            if is_capture || !self.begins(grammar, terminal as u32, rest) {
                continue;
            }
            let stretch = Stretch {
                text,
                from: at,
                all: false,
                fuel,
            };
            let ends = matcher.ends(grammar, self.bodies[terminal], stretch, nodes);
            fuel.spend(1 + ends.len());
            longest = longest.max(ends.iter().max().map_or(0, |&end| end as usize - at));
        }
        longest
    }

    /// Returns the end of a layout token at the beginning of a range of the text, or `None` if
    /// there is none. The token is the longest one if the automaton finds layout, and otherwise the
    /// first one that the matcher finds.
    pub fn layout_token(
        &self,
        input: ParseInput<'_>,
        matcher: &mut Matcher,
        nodes: &mut Vec<Node>,
        range: Range<usize>,
    ) -> Option<usize> {
        let ParseInput { grammar, fuel, .. } = input;
        let (text, from) = (&input.text[..range.end], range.start);
        let layout = grammar.layout()?;
        if from == text.len() || !self.begins(grammar, LAYOUT.0, &text[from..]) {
            return None;
        }
        let mut end = from;
        if self.readings[LAYOUT.0 as usize] != Reading::Exact {
            let before = nodes.len();
            end = matcher
                .append(
                    grammar,
                    layout.token,
                    Stretch {
                        text,
                        from,
                        all: false,
                        fuel,
                    },
                    nodes,
                )
                .unwrap_or(from);
            nodes.truncate(before);
        } else {
            let mut characters = 0;
            grammar.boundaries().read(
                &text[from..],
                |length, terminals| {
                    end = if is_layout(terminals) {
                        from + length
                    } else {
                        end
                    }
                },
                |viable| {
                    characters += 1;
                    is_layout(viable)
                },
            );
            fuel.spend(1 + characters / CHARACTERS_PER_STEP);
        }
        (end > from).then_some(end)
    }

    /// Returns whether a token of a terminal can begin with the first letter of a text. Returns
    /// `true` if the grammar has no automaton.
    #[inline(always)]
    fn begins(&self, grammar: &Grammar, terminal: u32, text: &[u8]) -> bool {
        let boundaries = grammar.boundaries();
        boundaries.separates_all()
            || self
                .beginning
                .has(terminal as usize, boundaries.letter(text).into())
    }
}

#[inline(always)]
fn is_layout(terminals: &[u64]) -> bool {
    sets::has(terminals, LAYOUT.0 as usize)
}

/// Computes for each terminal the letters that can come directly after it: the first letters of
/// layout and of the terminals that can follow.
fn following_letters(grammar: &Grammar, tables: &ParserTables, beginning: &Sets) -> Sets {
    let letters = grammar.boundaries().letters();
    let mut following_letters = Sets::new(tables.terminal_count, letters);
    if letters == 0 {
        return following_letters;
    }
    // For each symbol, the first letters of the terminals in its FIRST set and in its FOLLOW set,
    // computed at the first use.
    let mut letters = [(); 2].map(|()| {
        (
            Sets::new(tables.rows(), letters),
            vec![false; tables.rows()],
        )
    });
    let mut ask = |which: usize, symbol: SymbolId, into: usize, following_letters: &mut Sets| {
        let (sets, known) = &mut letters[which];
        let row = tables.row(symbol);
        if !std::mem::replace(&mut known[row], true) {
            let set = if which == 0 {
                tables.first(symbol)
            } else {
                tables.follow(symbol)
            };
            let set: Vec<u64> = tables.unfold(set).collect();
            for (letter, _) in grammar
                .boundaries()
                .by_first_letter()
                .enumerate()
                .filter(|(_, viable)| sets::meet(viable, &set))
            {
                sets.add(row, letter);
            }
        }
        following_letters.join_of(into, sets, row);
    };
    for dot in &tables.dots {
        let Some(terminal) = dot.next.and_then(|child| tables.terminal(child.symbol)) else {
            continue;
        };
        for child in tables.nexts(dot.after) {
            match tables.terminal(child) {
                Some(next) => drop(following_letters.join_of(terminal, beginning, next)),
                None => ask(0, child, terminal, &mut following_letters),
            }
        }
        if tables.may_be_empty(dot.after) {
            ask(1, dot.symbol, terminal, &mut following_letters);
        }
    }
    if grammar.layout().is_some() {
        for terminal in 0..tables.terminal_count {
            following_letters.join_of(terminal, beginning, LAYOUT.0 as usize);
        }
    }
    following_letters
}
