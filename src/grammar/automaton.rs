//! Nondeterministic finite automata of tokens, built from the symbols of a grammar.
//!
//! An automaton is exact or approximate. An approximate automaton accepts every text of its tokens.
//! It may also accept other texts in these cases: a token contains itself (such as a nested
//! comment) or is deeply nested, has a repetition with large counts, or repeats a capture.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::Range;

use super::alphabet::{Alphabet, Label};
use super::class::first_character;
use super::{GrammarTables, Kind, SymbolId, span};

/// The maximum number of copies of a repeated element in an approximate automaton. A repetition
/// with larger counts becomes a loop.
const MAX_COPIES: u32 = 3;

/// The maximum number of states of an automaton.
pub(super) const STATES: usize = 200_000;

/// The maximum number of steps of one automaton. A step is a visit of a state, or a letter on a
/// transition. The tokens of a grammar with large Unicode classes take about 10^8 steps.
const WORK: u64 = 1 << 29;

/// The maximum number of steps of all automata together in one pass over a grammar.
pub(crate) const PASS_WORK: u64 = 1 << 26;

/// The maximum depth of nested symbols that the construction follows.
const DEPTH: u32 = 300;

/// The number that means no state, or no enclosing symbol.
const NONE: u32 = u32::MAX;

/// The reason why an exact automaton could not be built.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Inexact {
    /// The symbol contains itself elsewhere than at its end, is nested deeper than [`DEPTH`], or is
    /// a capture that is repeated. So its language may not be regular.
    Recursive(SymbolId),
    /// The automaton would have more than [`STATES`] states.
    TooLarge,
}

/// The kind of additional texts that an approximate automaton accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Excess {
    /// None: the automaton is exact.
    #[default]
    None,
    /// Texts with another number of elements of a repetition, or with another text in place of a
    /// repeated capture.
    Counts,
    /// Any text in place of a symbol that contains itself or is nested deeper than [`DEPTH`].
    Anything,
}

/// A state of an automaton.
#[derive(Debug, Default)]
struct NfaState {
    /// The transitions that read a character: the index of a label, and the next state.
    edges: Vec<(u32, u32)>,
    /// The next states of transitions that read nothing.
    silent: Vec<u32>,
    accepts: bool,
    owner: u32,
}

/// A nondeterministic automaton of several tokens. Each state belongs to one token, its owner.
#[derive(Debug)]
pub(crate) struct Nfa<'a> {
    tables: GrammarTables<'a>,
    pub(super) bytes: bool,
    exact: bool,
    states: Vec<NfaState>,
    labels: Vec<Label>,
    label_of: HashMap<Label, u32>,
    /// The first state of each nonterminal that was built, by the nonterminal and the state after
    /// it.
    built: HashMap<(SymbolId, u32), u32>,
    /// Nonterminals that are not built yet: the symbol, the state after it, its first state, and
    /// the index in `open` of the innermost symbol around it.
    pending: Vec<(SymbolId, u32, u32, u32)>,
    /// The symbols that are being built, each with the index in `open` of the symbol around it.
    open: Vec<(SymbolId, u32)>,
    /// The symbol that is being built: the state after it, the index of the symbol around it, and
    /// its own index in `open`.
    current: (u32, u32, u32),
    owner: u32,
    /// The excess of the tokens that were added since the last call of [`Nfa::take_excess`].
    excess: Excess,
    /// The number of steps that are left.
    work: Cell<u64>,
    /// For each state, the number of the last closure that visited it; and the number of closures
    /// so far.
    visited: RefCell<(Vec<u32>, u32)>,
}

impl<'a> Nfa<'a> {
    /// An automaton without tokens. If `bytes`, every byte is a character.
    pub fn new(tables: GrammarTables<'a>, bytes: bool, exact: bool) -> Nfa<'a> {
        Nfa {
            tables,
            bytes,
            exact,
            states: Vec::new(),
            labels: Vec::new(),
            label_of: HashMap::new(),
            built: HashMap::new(),
            pending: Vec::new(),
            open: Vec::new(),
            current: (NONE, NONE, NONE),
            owner: 0,
            excess: Excess::None,
            work: Cell::new(WORK),
            visited: RefCell::default(),
        }
    }

    pub fn set_work(&mut self, steps: u64) {
        self.work.set(steps);
    }

    /// The number of steps that are left. Once it is 0, results of [`Nfa::closure`] and
    /// [`Nfa::moves`] are incomplete.
    pub fn work_left(&self) -> u64 {
        self.work.get()
    }

    /// Subtracts some steps. Returns whether any are left.
    pub fn spend(&self, steps: usize) -> bool {
        let left = self.work.get().saturating_sub(steps as u64);
        self.work.set(left);
        left > 0
    }

    /// Adds a token with the number `owner`, and returns its first state.
    ///
    /// # Errors
    /// If the automaton would be too large, or if it must be exact and the token is not regular.
    pub fn add(&mut self, symbol: SymbolId, owner: u32) -> Result<u32, Inexact> {
        self.owner = owner;
        let end = self.state();
        self.states[end as usize].accepts = true;
        self.pending.clear();
        self.open.clear();
        self.current = (NONE, NONE, NONE);
        let from = self.entry(symbol, end)?;
        while let Some((symbol, to, from, around)) = self.pending.pop() {
            self.open.push((symbol, around));
            self.current = (to, around, self.open.len() as u32 - 1);
            self.alternatives(symbol, from, to)?;
        }
        Ok(from)
    }

    /// Returns and resets the excess of the tokens that were added since the last call.
    pub fn take_excess(&mut self) -> Excess {
        std::mem::take(&mut self.excess)
    }

    /// Adds a state without transitions.
    fn state(&mut self) -> u32 {
        self.states.push(NfaState {
            owner: self.owner,
            ..NfaState::default()
        });
        self.states.len() as u32 - 1
    }

    /// Adds a state with one transition to the state `to`.
    fn edge(&mut self, label: Label, to: u32) -> u32 {
        let next = self.labels.len() as u32;
        let label = *self.label_of.entry(label).or_insert_with_key(|label| {
            self.labels.push(label.clone());
            next
        });
        let from = self.state();
        self.states[from as usize].edges.push((label, to));
        from
    }

    /// Adds a state that reads any text and then continues at the state `to`.
    fn anything(&mut self, to: u32) -> u32 {
        let from = self.edge([(0, u32::MAX)].into(), to);
        self.states[from as usize].edges[0].1 = from;
        self.states[from as usize].silent.push(to);
        from
    }

    /// Adds the states of `symbol`. Returns the state from which each text of the symbol leads to
    /// the state `to`.
    fn entry(&mut self, symbol: SymbolId, to: u32) -> Result<u32, Inexact> {
        if self.states.len() > STATES {
            return Err(Inexact::TooLarge);
        }
        let tables = self.tables;
        match &tables.symbols[symbol.0 as usize].kind {
            Kind::Literal { text } => Ok(self.literal(text, to, false)),
            Kind::Insensitive { text, .. } => Ok(self.literal(text, to, true)),
            Kind::Class(class) => {
                Ok(self.edge(tables.classes[class.0 as usize].ranges().into(), to))
            }
            Kind::Run {
                class,
                at_least,
                at_most,
            } => {
                let label: Label = tables.classes[class.0 as usize].ranges().into();
                self.repeat(*at_least, *at_most, to, |nfa, to| {
                    Ok(nfa.edge(label.clone(), to))
                })
            }
            Kind::Repeat {
                element,
                at_least,
                at_most,
                ..
            } => self.repeat(*at_least, *at_most, to, |nfa, to| {
                nfa.entry(element.symbol, to)
            }),
            Kind::Identifier { escape, .. } => self.entry(*escape, to),
            Kind::Lexeme { body, .. } => self.entry(*body, to),
            // The automaton accepts any text of the captured symbol.
            Kind::Same { of, .. } if !self.exact => {
                self.excess = self.excess.max(Excess::Counts);
                self.entry(*of, to)
            }
            Kind::Same { of, .. } => Err(Inexact::Recursive(*of)),
            Kind::Nonterminal { .. } => self.nonterminal(symbol, to),
        }
    }

    fn literal(&mut self, text: &Range<u32>, to: u32, insensitive: bool) -> u32 {
        let tables = self.tables;
        let mut rest = &tables.texts[span(text)];
        let mut characters = Vec::new();
        while !rest.is_empty() {
            let (character, length) = first_character(rest, self.bytes);
            characters.push(character);
            rest = &rest[length..];
        }
        characters.into_iter().rev().fold(to, |to, character| {
            let other =
                char::from_u32(character).filter(|c| insensitive && c.is_ascii_alphabetic());
            let mut label = vec![(character, character)];
            if let Some(letter) = other {
                let (upper, lower) = (
                    letter.to_ascii_uppercase() as u32,
                    letter.to_ascii_lowercase() as u32,
                );
                label = vec![(upper, upper), (lower, lower)];
            }
            self.edge(label.into(), to)
        })
    }

    /// Adds the states of a repetition. `element` adds the states of one element before a given
    /// state.
    fn repeat(
        &mut self,
        at_least: u32,
        at_most: u32,
        to: u32,
        mut element: impl FnMut(&mut Self, u32) -> Result<u32, Inexact>,
    ) -> Result<u32, Inexact> {
        let copies = if self.exact { u32::MAX } else { MAX_COPIES };
        let optional = at_most - at_least;
        let mut from = to;
        if at_most != u32::MAX && optional > copies || at_least > copies {
            self.excess = self.excess.max(Excess::Counts);
        }
        if at_most == u32::MAX || optional > copies || at_least > copies {
            from = self.state();
            self.states[from as usize].silent.push(to);
            let body = element(self, from)?;
            self.states[from as usize].silent.push(body);
        } else {
            for _ in 0..optional {
                let skip = self.state();
                let body = element(self, from)?;
                self.states[skip as usize].silent.extend([body, to]);
                from = skip;
                self.check_size()?;
            }
        }
        for _ in 0..at_least.min(copies) {
            let before = element(self, from)?;
            self.check_size()?;
            if before == from {
                // The element derives only the empty text, and more copies of it change nothing.
                break;
            }
            from = before;
        }
        Ok(from)
    }

    fn check_size(&self) -> Result<(), Inexact> {
        if self.states.len() > STATES {
            Err(Inexact::TooLarge)
        } else {
            Ok(())
        }
    }

    /// Adds the first state of a nonterminal. [`Nfa::add`] builds its alternatives later.
    fn nonterminal(&mut self, symbol: SymbolId, to: u32) -> Result<u32, Inexact> {
        if let Some(&state) = self.built.get(&(symbol, to)) {
            return Ok(state);
        }
        // A symbol at the end of another symbol is like a tail call: it counts as being after the
        // other symbol, not inside it.
        let (end, around, within) = self.current;
        let around = if to == end { around } else { within };
        let mut open = std::iter::successors(self.open.get(around as usize), |(_, around)| {
            self.open.get(*around as usize)
        });
        if open.clone().count() as u32 > DEPTH || open.any(|&(other, _)| other == symbol) {
            self.excess = Excess::Anything;
            return if self.exact {
                Err(Inexact::Recursive(symbol))
            } else {
                Ok(self.anything(to))
            };
        }
        let from = self.state();
        self.built.insert((symbol, to), from);
        self.pending.push((symbol, to, from, around));
        Ok(from)
    }

    fn alternatives(&mut self, symbol: SymbolId, from: u32, to: u32) -> Result<(), Inexact> {
        let tables = self.tables;
        let Kind::Nonterminal { alternatives, .. } = &tables.symbols[symbol.0 as usize].kind else {
            return Ok(());
        };
        for alternative in &tables.alternatives[span(alternatives)] {
            let mut at = to;
            for child in tables.children[span(&alternative.children)].iter().rev() {
                at = self.entry(child.symbol, at)?;
            }
            self.states[from as usize].silent.push(at);
        }
        Ok(())
    }

    /// The alphabet of the automaton. `None` if it would have too many letters.
    pub fn alphabet(&self) -> Option<Alphabet> {
        Alphabet::new(&self.labels)
    }

    /// The states that can be reached from the states in `open` without reading a character,
    /// sorted. The result contains only states that accept or have a transition that reads a
    /// character.
    pub fn closure(&self, mut open: Vec<u32>) -> Box<[u32]> {
        let mut found: Vec<u32> = Vec::new();
        let (visited, closures) = &mut *self.visited.borrow_mut();
        visited.resize(self.states.len(), 0);
        *closures += 1;
        while let Some(state) = open.pop() {
            if std::mem::replace(&mut visited[state as usize], *closures) == *closures {
                continue;
            }
            let NfaState {
                edges,
                silent,
                accepts,
                ..
            } = &self.states[state as usize];
            if !self.spend(1 + silent.len()) {
                break;
            }
            if !edges.is_empty() || *accepts {
                found.push(state);
            }
            open.extend_from_slice(silent);
        }
        found.sort_unstable();
        found.into()
    }

    /// The letters on the transitions of some states, in ascending order. Each letter comes with
    /// the states to which its transitions lead. The closure of these states is not included: see
    /// [`Nfa::closure`].
    pub fn moves(&self, states: &[u32], alphabet: &Alphabet) -> Vec<(u16, Vec<u32>)> {
        let groups = self.moves_together(states, alphabet);
        let mut moves: Vec<_> = groups
            .iter()
            .flat_map(|(letters, to)| letters.iter().map(|&letter| (letter, to.clone())))
            .collect();
        moves.sort_unstable_by_key(|&(letter, _)| letter);
        moves
    }

    /// The letters on the transitions of some states, grouped by the states to which they lead. The
    /// groups are in the order of their first letters.
    pub fn moves_together(&self, states: &[u32], alphabet: &Alphabet) -> Vec<(Vec<u16>, Vec<u32>)> {
        let edges = states
            .iter()
            .flat_map(|&state| &self.states[state as usize].edges);
        let mut edges: Vec<(u32, u32)> = edges.copied().collect();
        edges.sort_unstable();
        edges.dedup();
        // The group of each letter, and the states that each group leads to. Group 0 leads nowhere.
        // Each label splits groups.
        let (mut group_of, mut to) = (vec![0; alphabet.letters.into()], vec![Vec::new()]);
        let mut split: Vec<usize> = Vec::new();
        for edges in edges.chunk_by(|one, other| one.0 == other.0) {
            let letters = &alphabet.of_label[edges[0].0 as usize];
            if !self.spend(letters.len()) {
                return Vec::new();
            }
            split.clear();
            split.resize(to.len(), 0);
            for &letter in letters {
                let group = &mut group_of[usize::from(letter)];
                if split[*group] == 0 {
                    split[*group] = to.len();
                    let all = to[*group]
                        .iter()
                        .copied()
                        .chain(edges.iter().map(|edge| edge.1));
                    to.push(all.collect());
                }
                *group = split[*group];
            }
        }
        let mut groups: Vec<(Vec<u16>, Vec<u32>)> = Vec::new();
        let mut index = vec![usize::MAX; to.len()];
        for (letter, &group) in (0..).zip(&group_of).filter(|(_, group)| **group > 0) {
            if index[group] == usize::MAX {
                index[group] = groups.len();
                groups.push((Vec::new(), std::mem::take(&mut to[group])));
            }
            groups[index[group]].0.push(letter);
        }
        groups
    }

    pub fn size(&self) -> usize {
        self.states.len()
    }

    /// The number of the token that a state belongs to.
    pub fn owner(&self, state: u32) -> u32 {
        self.states[state as usize].owner
    }

    /// Whether a text of the token may end in a state.
    pub fn accepts(&self, state: u32) -> bool {
        self.states[state as usize].accepts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::Grammar;
    use crate::grammar::exhaustive::texts;

    /// The maximum length of the texts that are compared, in bytes.
    const MAX: usize = 5;

    fn grammar(token: &str) -> (Grammar, SymbolId) {
        let source = format!("s = t ; @token t = {token} ;");
        let (grammar, _) =
            crate::notation::read("g", source.as_bytes(), &Default::default()).unwrap();
        let symbols = (0..grammar.symbols().len() as u32).map(SymbolId);
        let is_token = |&symbol: &SymbolId| {
            grammar.label(symbol) == "t" && !matches!(grammar[symbol].kind, Kind::Lexeme { .. })
        };
        let token = symbols.into_iter().find(is_token).unwrap();
        (grammar, token)
    }

    /// All texts of the characters `a`, `b` and `(` of at most [`MAX`] bytes.
    fn all_texts() -> Vec<Vec<u8>> {
        let mut all = vec![Vec::new()];
        for from in 0.. {
            if all[from].len() == MAX {
                return all;
            }
            let longer = b"ab(".map(|byte| [&all[from][..], &[byte]].concat());
            all.extend(longer);
        }
        all
    }

    fn accepts(nfa: &Nfa<'_>, start: u32, text: &[u8]) -> bool {
        let alphabet = nfa.alphabet().unwrap();
        let mut states = nfa.closure(vec![start]);
        for &byte in text {
            let moves = nfa.moves(&states, &alphabet);
            let to = moves
                .into_iter()
                .find(|&(letter, _)| letter == alphabet.letter(byte.into()));
            states = nfa.closure(to.map_or(Vec::new(), |(_, to)| to));
        }
        states.iter().any(|&state| nfa.accepts(state))
    }

    const REGULAR: [&str; 9] = [
        r#""ab""#,
        r#""aB"i | "(""#,
        r#"[ab]* "(""#,
        r#"( "a"? "b" ){2,3}"#,
        r#"( [ab] | "(" "a" )+"#,
        r#"( ( "a"? )? ( "b" | ) ){0,2}"#,
        r#""a"{2,} "b"?"#,
        // A symbol at the end of itself is a loop.
        r#""a" t | "b""#,
        r#"( [ab]+ ) - ( "a" [ab]* )"#,
    ];

    #[test]
    fn an_exact_automaton_accepts_the_texts_of_its_token() {
        for source in REGULAR {
            let (grammar, token) = grammar(source);
            let expected = &texts(grammar.tables(), MAX)[token.0 as usize];
            let mut nfa = Nfa::new(grammar.tables(), false, true);
            let start = nfa.add(token, 0).unwrap();
            for text in all_texts() {
                assert_eq!(
                    accepts(&nfa, start, &text),
                    expected.contains(&text),
                    "{source}: {:?}",
                    text.escape_ascii().to_string()
                );
            }
            assert_eq!(nfa.take_excess(), Excess::None);
        }
    }

    #[test]
    fn an_approximate_automaton_accepts_at_least_the_texts_of_its_token() {
        let others = [
            (r#""(" t "b" | "a""#, Excess::Anything),
            (r#"( "a" "b" ){4}"#, Excess::Counts),
            (r#"[ab]{0,4} "(""#, Excess::Counts),
        ];
        for (source, excess) in REGULAR
            .map(|source| (source, Excess::None))
            .into_iter()
            .chain(others)
        {
            let (grammar, token) = grammar(source);
            let expected = &texts(grammar.tables(), MAX)[token.0 as usize];
            let mut nfa = Nfa::new(grammar.tables(), false, false);
            let start = nfa.add(token, 0).unwrap();
            for text in all_texts() {
                let is_accepted = accepts(&nfa, start, &text);
                assert!(
                    is_accepted || !expected.contains(&text),
                    "{source}: {:?}",
                    text.escape_ascii().to_string()
                );
                assert!(
                    excess != Excess::None || is_accepted == expected.contains(&text),
                    "{source}"
                );
            }
            assert_eq!(nfa.take_excess(), excess, "{source}");
            assert_eq!(nfa.take_excess(), Excess::None);
        }
    }

    #[test]
    fn a_token_that_is_not_regular_or_too_large_has_no_exact_automaton() {
        let (recursive, token) = grammar(r#""(" t "b" | "a""#);
        let result = Nfa::new(recursive.tables(), false, true).add(token, 0);
        assert!(matches!(result, Err(Inexact::Recursive(_))), "{result:?}");
        let (large, token) = grammar(r#"( ( "a" | "b" "b" ){1000} "a" ){100}"#);
        assert_eq!(
            Nfa::new(large.tables(), false, true).add(token, 0),
            Err(Inexact::TooLarge)
        );
    }

    #[test]
    fn tokens_of_one_automaton_are_distinguished_by_their_owners() {
        let (grammar, token) = grammar(r#""a" | "b""#);
        let other = grammar.start();
        let mut nfa = Nfa::new(grammar.tables(), false, true);
        let starts = vec![nfa.add(token, 7).unwrap(), nfa.add(other, 9).unwrap()];
        let alphabet = nfa.alphabet().unwrap();
        let states = nfa.closure(starts);
        for (_, to) in nfa.moves(&states, &alphabet) {
            let mut owners: Vec<u32> = nfa
                .closure(to)
                .iter()
                .filter(|&&state| nfa.accepts(state))
                .map(|&state| nfa.owner(state))
                .collect();
            owners.sort_unstable();
            assert_eq!(owners, [7, 9]);
        }
    }

    #[test]
    fn without_steps_left_closures_are_empty() {
        let (grammar, token) = grammar(r#"[ab]* "(""#);
        let mut nfa = Nfa::new(grammar.tables(), false, true);
        let start = nfa.add(token, 0).unwrap();
        nfa.set_work(1);
        assert!(nfa.closure(vec![start]).is_empty());
        assert_eq!(nfa.work_left(), 0);
    }
}
