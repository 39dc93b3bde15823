//! The tokens and the layout of a text, found where the grammar lets them stand.
//!
//! Of a terminal, the longest text counts, unless what follows may adjoin; and no word ends within one.

use std::ops::Range;

use super::Input;
use super::adjoin::Adjoining;
use super::literals::Literals;
use super::matcher::{Matcher, Stretch};
use super::tables::Tables;
use crate::derivation::Node;
use crate::grammar::sets::{self, Sets};
use crate::grammar::{Excess, Grammar, Kind, LAYOUT, Nfa, SymbolId, is_word};

/// How the texts of a terminal are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// By the automaton.
    Exact,
    /// By the automaton, which says too much, as it does not count; so what it finds is matched.
    Checked,
    /// The automaton says far too much, as tokens within themselves are no regular language: they are matched from where they
    /// begin.
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

/// Blanks at either end of white space that are tried as the beginning of a token: each may be read to the end.
const BLANKS: usize = 16;

/// Characters that the automaton reads in a step.
const CHARACTERS: usize = 16;

/// A text of a terminal.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    pub terminal: u32,
    pub from: u32,
    pub to: u32,
    /// Whether a shorter text than the longest is right, too, if what comes next adjoins.
    tight: bool,
    /// Whether it would be separated from what is before it, unless it adjoins.
    pub apart: bool,
}

/// A text that a lexeme is not to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Veto {
    pub from: u32,
    pub to: u32,
    pub symbol: u32,
}

/// Whether some lexeme is not to have a text; vetoes are sorted.
fn is_vetoed(vetoes: &[Veto], from: u32, to: u32) -> bool {
    let at = vetoes.partition_point(|veto| (veto.from, veto.to) < (from, to));
    vetoes.get(at).is_some_and(|veto| (veto.from, veto.to) == (from, to))
}

/// What is found, and memory for that.
#[derive(Debug, Default)]
pub struct Tokens {
    pub found: Vec<Found>,
    /// Those that nothing may follow of what does.
    lost: Vec<Found>,
    pub matcher: Matcher,
    /// The terminals that are looked for by the automaton.
    wanted: Vec<u64>,
    /// The terminals that are matched.
    tried: Vec<u64>,
    /// The places of white space in layout.
    blanks: Vec<u32>,
    nodes: Vec<Node>,
}

impl Tokens {
    /// Counts tokens as found although nothing may follow them of what does, or they would be separated; whether there are any.
    pub fn restore(&mut self) -> bool {
        self.found.append(&mut self.lost);
        self.found.iter_mut().for_each(|found| found.apart = false);
        !self.found.is_empty()
    }
}

/// Finds tokens and layout.
#[derive(Debug)]
pub struct Scanner {
    /// How the texts of every terminal are found, and which are matched.
    readings: Vec<Reading>,
    matched: Vec<u64>,
    /// Literals that no automaton finds.
    literals: Literals,
    /// The token of every terminal.
    bodies: Vec<SymbolId>,
    /// Of every terminal, the letters that its texts may begin with.
    beginning: Sets,
    /// The letters with which layout may begin, and tokens that need not adjoin.
    blank: Vec<bool>,
    adjoining: Adjoining,
    /// Of every terminal, the letters that may come behind it.
    behind: Sets,
}

impl Scanner {
    pub fn new(grammar: &Grammar, tables: &Tables) -> Scanner {
        let boundaries = grammar.boundaries();
        // Layout is a terminal even if there is none.
        let (mut bodies, mut loose) = (vec![grammar.start(); tables.terminal_count], vec![false; tables.terminal_count]);
        for symbol in grammar.symbols() {
            if let Kind::Lexeme { body, place, layout } = symbol.kind {
                let terminal = boundaries.terminal(place).0 as usize;
                bodies[terminal] = body;
                loose[terminal] |= layout;
            }
        }
        let mut readings: Vec<Reading> = bodies[1..].iter().map(|&body| Reading::of(grammar, body)).collect();
        readings
            .insert(LAYOUT.0 as usize, grammar.layout().map_or(Reading::Exact, |layout| Reading::of(grammar, layout.element)));
        let mut matched = vec![0; tables.terminal_count.div_ceil(64)];
        let is_matched = |&terminal: &usize| readings[terminal] == Reading::Matched;
        let literals = Literals::new(
            grammar,
            (1..tables.terminal_count).filter(is_matched).map(|terminal| (terminal as u32, bodies[terminal])),
        );
        for terminal in (1..tables.terminal_count).filter(is_matched) {
            sets::add(&mut matched, terminal);
        }
        // They are found among all literals at once.
        literals.terminals().for_each(|terminal| matched[terminal as usize / 64] &= !(1 << (terminal % 64)));
        let mut beginning = Sets::new(tables.terminal_count, boundaries.letters());
        for (letter, viable) in boundaries.by_first_letter().enumerate() {
            for terminal in sets::numbers(viable) {
                beginning.add(terminal, letter);
            }
        }
        let behind = behind(grammar, tables, &beginning);
        let is_blank = |viable: &[u64]| is_layout(viable) && sets::numbers(viable).any(|next| loose[next]);
        Scanner {
            matched,
            literals,
            blank: boundaries.by_first_letter().map(is_blank).collect(),
            adjoining: Adjoining::new(grammar, tables, &bodies),
            readings,
            bodies,
            beginning,
            behind,
        }
    }

    /// Finds the tokens that may come next at a byte, and behind the layout there; where that ends.
    pub fn read(&self, input: Input<'_>, at: u32, wanted: &[u64], vetoes: &[Veto], tokens: &mut Tokens) -> u32 {
        let Input { grammar, tables, text, .. } = input;
        tokens.found.clear();
        tokens.lost.clear();
        tokens.blanks.clear();
        tokens.wanted.clear();
        tokens.tried.clear();
        for (wanted, matched) in tables.unfold(wanted).zip(&self.matched) {
            tokens.wanted.push(wanted & !matched);
            tokens.tried.push(wanted & matched);
        }
        let mut end = at as usize;
        while let Some(next) = self.piece(input, &mut tokens.matcher, &mut tokens.nodes, end..text.len()) {
            if self.blank.contains(&true) {
                grammar.boundaries().blanks(&text[end..next], |blank| tokens.blanks.push((end + blank) as u32));
            }
            end = next;
        }
        let end = end as u32;
        self.tokens(input, at, vetoes, tokens);
        if end != at {
            // Some grammars have tokens that begin with a blank.
            let blanks = tokens.blanks.len();
            for blank in (0..blanks.min(BLANKS)).chain(blanks.saturating_sub(BLANKS).max(BLANKS)..blanks) {
                let from = tokens.blanks[blank];
                if from > at && self.blank[usize::from(grammar.boundaries().letter(&text[from as usize..]))] {
                    self.tokens(input, from, vetoes, tokens);
                }
            }
            self.tokens(input, end, vetoes, tokens);
        }
        if !grammar.boundaries().separates_all() {
            let Tokens { found, lost, .. } = tokens;
            found.retain(|token| {
                let rest = &text[token.to as usize..];
                let fits = rest.is_empty() || self.behind.has(token.terminal as usize, grammar.boundaries().letter(rest).into());
                if !fits {
                    lost.push(*token);
                }
                fits
            });
        }
        end
    }

    /// Finds the tokens that begin at a byte.
    fn tokens(&self, input: Input<'_>, from: u32, vetoes: &[Veto], tokens: &mut Tokens) {
        let Input { grammar, text, fuel, .. } = input;
        let boundaries = grammar.boundaries();
        let Tokens { found, matcher, nodes, wanted: read, tried, .. } = tokens;
        let rest = &text[from as usize..];
        if rest.is_empty() {
            return;
        }
        let before = found.len();
        let automaton = if boundaries.separates_all() { &[] } else { rest };
        let (mut steps, mut characters) = (1, 0);
        boundaries.read(
            automaton,
            |length, terminals| {
                let to = from + length as u32;
                steps += 1;
                let next = rest.get(length..).filter(|rest| !rest.is_empty()).map(|rest| usize::from(boundaries.letter(rest)));
                let is_cut = grammar.layout().is_some() && is_word(rest.get(length - 1)) && is_word(rest.get(length));
                for at in sets::common(terminals, read) {
                    let (terminal, reading) = (at as u32, self.readings[at]);
                    if is_cut && !next.is_some_and(|next| self.adjoining.letters.has(at, next)) {
                        continue;
                    }
                    let parting = &self.adjoining.parting;
                    let tight = next.is_some_and(|next| parting.has(at, next))
                        && boundaries.may_begin(&rest[length..], self.adjoining.partners(at));
                    steps += found.len() - before;
                    match found[before..].iter_mut().rev().find(|found| found.terminal == terminal) {
                        Some(shorter) if !shorter.tight && reading == Reading::Exact && !is_vetoed(vetoes, from, to) => {
                            *shorter = Found { terminal, from, to, tight, apart: false };
                        }
                        _ => found.push(Found { terminal, from, to, tight, apart: false }),
                    }
                }
            },
            |viable| {
                characters += 1;
                sets::meet(viable, read)
            },
        );
        fuel.spend(steps + characters / CHARACTERS);
        // Of texts that are to be checked, the longest first.
        for at in (before..found.len()).rev() {
            let Found { terminal, to, tight, .. } = found[at];
            if self.readings[terminal as usize] == Reading::Checked {
                fuel.spend(found.len() - at);
                let is_longest = !found[at + 1..].iter().any(|longer| longer.terminal == terminal);
                let stretch = Stretch { text: &text[..to as usize], from: from as usize, all: true, fuel };
                nodes.clear();
                if !(tight || is_longest) || matcher.append(grammar, self.bodies[terminal as usize], stretch, nodes).is_err() {
                    found.swap_remove(at);
                }
            }
        }
        self.literals.find(grammar, rest, |terminal, length| {
            fuel.spend(1);
            if sets::has(read, terminal as usize) {
                found.push(Found { terminal, from, to: from + length as u32, tight: true, apart: false });
            }
        });
        for terminal in sets::numbers(tried).map(|terminal| terminal as u32) {
            if self.begins(grammar, terminal, rest) {
                let stretch = Stretch { text, from: from as usize, all: false, fuel };
                let ends = matcher.ends(grammar, self.bodies[terminal as usize], stretch, nodes);
                fuel.spend(1 + ends.len());
                found.extend(ends.iter().filter(|&&to| to > from).map(|&to| Found {
                    terminal,
                    from,
                    to,
                    tight: true,
                    apart: false,
                }));
            }
        }
    }

    /// The end of the longest piece of layout that begins where a range of the text does, and ends in it.
    pub fn piece(&self, input: Input<'_>, matcher: &mut Matcher, nodes: &mut Vec<Node>, range: Range<usize>) -> Option<usize> {
        let Input { grammar, fuel, .. } = input;
        let (text, from) = (&input.text[..range.end], range.start);
        let layout = grammar.layout()?;
        if from == text.len() || !self.begins(grammar, LAYOUT.0, &text[from..]) {
            return None;
        }
        let mut end = from;
        if self.readings[LAYOUT.0 as usize] != Reading::Exact {
            let before = nodes.len();
            end = matcher.append(grammar, layout.element, Stretch { text, from, all: false, fuel }, nodes).unwrap_or(from);
            nodes.truncate(before);
        } else {
            let mut characters = 0;
            grammar.boundaries().read(
                &text[from..],
                |length, terminals| end = if is_layout(terminals) { from + length } else { end },
                |viable| {
                    characters += 1;
                    is_layout(viable)
                },
            );
            fuel.spend(1 + characters / CHARACTERS);
        }
        (end > from).then_some(end)
    }

    /// Whether a text of a terminal may begin as this text does.
    #[inline(always)]
    fn begins(&self, grammar: &Grammar, terminal: u32, text: &[u8]) -> bool {
        let boundaries = grammar.boundaries();
        boundaries.separates_all() || self.beginning.has(terminal as usize, boundaries.letter(text).into())
    }
}

/// Whether layout is among some terminals.
#[inline(always)]
fn is_layout(terminals: &[u64]) -> bool {
    sets::has(terminals, LAYOUT.0 as usize)
}

/// The letters that may come behind every terminal: those of layout, and of what may follow.
fn behind(grammar: &Grammar, tables: &Tables, beginning: &Sets) -> Sets {
    let letters = grammar.boundaries().letters();
    let mut behind = Sets::new(tables.terminal_count, letters);
    if letters == 0 {
        return behind;
    }
    // The letters of what symbols begin with, and of what follows them, where that is asked for.
    let mut letters = [(); 2].map(|()| (Sets::new(tables.rows(), letters), vec![false; tables.rows()]));
    let mut ask = |which: usize, symbol: SymbolId, into: usize, behind: &mut Sets| {
        let (sets, known) = &mut letters[which];
        let row = tables.row(symbol);
        if !std::mem::replace(&mut known[row], true) {
            let set = if which == 0 { tables.first(symbol) } else { tables.follow(symbol) };
            let set: Vec<u64> = tables.unfold(set).collect();
            for (letter, _) in grammar.boundaries().by_first_letter().enumerate().filter(|(_, viable)| sets::meet(viable, &set)) {
                sets.add(row, letter);
            }
        }
        behind.join_of(into, sets, row);
    };
    for dot in &tables.dots {
        let Some(terminal) = dot.next.and_then(|child| tables.terminal(child.symbol)) else { continue };
        for child in tables.nexts(dot.after) {
            match tables.terminal(child) {
                Some(next) => drop(behind.join_of(terminal, beginning, next)),
                None => ask(0, child, terminal, &mut behind),
            }
        }
        if tables.may_be_empty(dot.after) {
            ask(1, dot.symbol, terminal, &mut behind);
        }
    }
    if grammar.layout().is_some() {
        for terminal in 0..tables.terminal_count {
            behind.join_of(terminal, beginning, LAYOUT.0 as usize);
        }
    }
    behind
}
