//! Which tokens need a separator between them, depending on their positions in the grammar.
//!
//! A position is an occurrence of a token in a rule. Its follow set says which terminals the
//! grammar allows after it. Two tokens *s t* need a separator if *s* and the first character of *t*
//! together begin a text of a terminal that is allowed at the position of *s*. For example, `>` `>`
//! at the end of a WGSL template list need no separator, although `>>` is a token at other
//! positions. Two words, as in `fn main`, always need a separator, because lexers read the longest
//! word even where the grammar does not allow it.
//!
//! The tables are an approximation: they may require a separator that is not needed, but they never
//! omit one that is needed.

use std::collections::HashMap;

use super::alphabet::Alphabet;
use super::automaton::{Excess, Nfa};
use super::class::first_character;
use super::follow::{all_allowed, follow};
use super::lines::LineMark;
use super::sets::{self, Distinct, Sets};
use super::terminal::{LAYOUT, PositionId, TerminalId};
use super::{GrammarTables, Kind, SymbolId};

/// The index of a set of terminals that the grammar allows at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FollowSet(u32);

/// The tokens that count as allowed at each position. A separator prevents that a token and the
/// text after it are read as one of these tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Competitors {
    /// The tokens that the grammar allows at the position.
    #[default]
    Allowed,
    /// The tokens that the grammar allows at the position, and all literals, as for lexers that
    /// know only a part of the grammar.
    Literals,
    /// All tokens, as for a lexer that reads the longest token.
    All,
}

/// The number of characters that [`Boundaries::may_begin`] examines.
const PREFIX: usize = 3;

/// The maximum number of states of the deterministic automaton. If it needs more, every boundary
/// between tokens gets a separator.
const STATES: usize = 20_000;

/// The maximum number of nondeterministic states in all sets of the subset construction together.
/// It bounds memory.
const ELEMENTS: usize = 1 << 25;

/// Tables that say which boundaries between tokens need a separator.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Boundaries {
    /// The terminal at each position.
    terminals: Box<[TerminalId]>,
    /// The index in `allowed` of the follow set of each position. The last index is that of the set
    /// of terminals that may begin a sentence.
    follow_sets: Box<[u32]>,
    allowed: Sets,
    /// Whether characters are bytes.
    bytes: bool,
    alphabet: Alphabet,
    /// For each terminal, the letters that can continue one of its texts: the text and the letter
    /// together begin a text of some terminal.
    continuations: Sets,
    /// For each state and letter, the next state. State 0 is dead, state 1 is the initial state.
    next: Box<[u16]>,
    /// For each state, the indices of two sets in `sets`: the terminals that are still viable, and
    /// those that accept.
    states: Box<[(u32, u32)]>,
    /// Sets of terminals. The first one is empty.
    sets: Sets,
    /// The set of the terminals that do not contain themselves.
    regular: Box<[u64]>,
    /// Whether there is no automaton, because it would be too large.
    separate_all: bool,
}

impl Boundaries {
    /// Computes the tables. `start` is the start symbol, with the tokens that count as allowed.
    /// `layout` is the symbol of a layout token, if the grammar has layout. `terminals` are the
    /// terminals at all positions.
    pub(crate) fn new(
        tables: GrammarTables<'_>,
        bytes: bool,
        (start, competitors): (SymbolId, Competitors),
        layout: Option<SymbolId>,
        terminals: Vec<TerminalId>,
    ) -> Boundaries {
        let count = terminals
            .iter()
            .map(|t| t.0 as usize + 1)
            .max()
            .unwrap_or(1);
        let words = count.div_ceil(64);
        let mut tokens: Vec<Option<SymbolId>> = vec![None; count];
        tokens[0] = layout;
        for symbol in tables.symbols {
            if let Kind::Lexeme { body, position, .. } = symbol.kind {
                tokens[terminals[position.0 as usize].0 as usize].get_or_insert(body);
            }
        }
        let (follow_sets, mut allowed) = match competitors {
            Competitors::All => all_allowed(terminals.len(), words),
            _ => follow(tables, start, &terminals, words),
        };
        if competitors == Competitors::Literals {
            for (terminal, token) in tokens.iter().enumerate() {
                let kind = token.map(|token| &tables.symbols[token.0 as usize].kind);
                if matches!(kind, Some(Kind::Literal { .. } | Kind::Insensitive { .. })) {
                    for set in 0..allowed.count() {
                        allowed.add(set, terminal);
                    }
                }
            }
        }
        let mut boundaries = Boundaries {
            terminals: terminals.into(),
            follow_sets,
            allowed,
            bytes,
            ..Boundaries::default()
        };
        if boundaries.automaton(tables, &tokens, words).is_none() {
            boundaries.separate_all = true;
        }
        boundaries
    }

    /// Whether every boundary between tokens gets a separator, because the tables would be too
    /// large.
    pub(crate) fn separates_all(&self) -> bool {
        self.separate_all
    }

    #[inline(always)]
    pub(crate) fn terminal(&self, position: PositionId) -> TerminalId {
        self.terminals[position.0 as usize]
    }

    /// The terminals that may begin a sentence.
    #[inline(always)]
    pub(crate) fn first_set(&self) -> FollowSet {
        FollowSet(self.follow_sets.last().copied().unwrap_or(0))
    }

    /// The terminals that may follow a token at a position.
    #[inline(always)]
    pub(crate) fn follow_set_of(&self, position: PositionId) -> FollowSet {
        FollowSet(self.follow_sets[position.0 as usize])
    }

    /// Whether a set contains a terminal.
    #[inline(always)]
    pub(crate) fn allows(&self, allowed: FollowSet, terminal: TerminalId) -> bool {
        sets::has(self.allowed.get(allowed.0 as usize), terminal.0 as usize)
    }

    /// Whether `text`, a text of `terminal`, needs a separator before `next` if the terminals in
    /// `allowed` are allowed at its position. `next` is not empty.
    #[inline(always)]
    pub(crate) fn needs_separator(
        &self,
        allowed: FollowSet,
        terminal: TerminalId,
        text: &[u8],
        next: &[u8],
    ) -> bool {
        self.always_needs_separator(text, next) || {
            let letter = self.letter(next);
            self.continuations.has(terminal.0 as usize, letter.into())
                && self.viable(allowed, text, letter)
        }
    }

    /// Whether `text`, a text of `terminal`, may need a separator before `next` at some position.
    /// If [`Boundaries::needs_separator`] is true for some set of allowed terminals, this is true.
    #[inline(always)]
    pub(crate) fn may_need_separator(
        &self,
        terminal: TerminalId,
        text: &[u8],
        next: &[u8],
    ) -> bool {
        self.always_needs_separator(text, next)
            || self
                .continuations
                .has(terminal.0 as usize, self.letter(next).into())
    }

    /// Whether two texts may need a separator at some position, for any terminal of the first text.
    /// Always `false` if there is no automaton.
    pub(crate) fn may_continue(&self, mut text: &[u8], next: &[u8]) -> bool {
        let letters = self.letters();
        if letters == 0 || self.always_needs_separator(text, next) {
            return letters > 0;
        }
        let mut state = 1_u16;
        while !text.is_empty() {
            let (character, length) = first_character(text, self.bytes);
            state = self.next[state as usize * letters + self.alphabet.letter(character) as usize];
            text = &text[length..];
        }
        self.next[state as usize * letters + self.letter(next) as usize] != 0
    }

    /// Whether two texts need a separator at every position: all boundaries need one, or both
    /// characters at the boundary are word characters.
    #[inline(always)]
    fn always_needs_separator(&self, text: &[u8], next: &[u8]) -> bool {
        is_one_word(text, next)
            || self.separate_all && !LineMark::ends(text) && LineMark::first(next).is_none()
    }

    /// Tables without an automaton, for a grammar without layout.
    pub(crate) fn none(terminals: Vec<TerminalId>) -> Boundaries {
        Boundaries {
            terminals: terminals.into(),
            ..Boundaries::default()
        }
    }

    pub(crate) fn terminals_by_position(&self) -> &[TerminalId] {
        &self.terminals
    }

    /// The number of terminals, including layout.
    pub(crate) fn terminals(&self) -> usize {
        self.terminals
            .iter()
            .map(|terminal| terminal.0 as usize + 1)
            .max()
            .unwrap_or(1)
    }

    /// For every letter, the terminals that have a text that begins with it.
    pub(crate) fn by_first_letter(&self) -> impl Iterator<Item = &[u64]> {
        let letters = self.letters();
        self.next
            .get(letters..2 * letters)
            .into_iter()
            .flatten()
            .map(|&to| self.viable_in(to))
    }

    /// The number of letters of the automaton; 0 if there is none.
    pub(crate) fn letters(&self) -> usize {
        self.alphabet.letters.into()
    }

    /// The letter of the first character of a text.
    #[inline(always)]
    pub(crate) fn letter(&self, text: &[u8]) -> u16 {
        self.alphabet.letter(first_character(text, self.bytes).0)
    }

    /// Runs the automaton on a text. After each character, calls `ends` with the number of bytes
    /// read and the terminals that accept, if there are any, and then `continues` with the
    /// terminals that are still viable. Stops if `continues` returns `false`.
    #[inline(always)]
    pub(crate) fn read(
        &self,
        text: &[u8],
        mut ends: impl FnMut(usize, &[u64]),
        mut continues: impl FnMut(&[u64]) -> bool,
    ) {
        let letters = self.alphabet.letters as usize;
        let (mut state, mut at) = (1, 0);
        while at < text.len() {
            let (character, length) = first_character(&text[at..], self.bytes);
            state = self.next[state as usize * letters + self.alphabet.letter(character) as usize];
            at += length;
            let (viable, accepted) = self.states[state as usize];
            if accepted != 0 {
                ends(at, self.sets.get(accepted as usize));
            }
            if !continues(self.sets.get(viable as usize)) {
                break;
            }
        }
    }

    /// Returns the length of the longest prefix of `text` for which `before`, the prefix and
    /// `after` together are a text of one of the `terminals`; 0 if there is none. `before` and
    /// `after` have at most one character. The second number is the number of bytes read.
    pub(crate) fn longest(
        &self,
        terminals: &[u64],
        before: &[u8],
        text: &[u8],
        after: &[u8],
    ) -> (usize, usize) {
        let letters = self.alphabet.letters as usize;
        let step = |state: u16, text: &[u8]| {
            let (character, length) = first_character(text, self.bytes);
            let letter = usize::from(self.alphabet.letter(character));
            (self.next[state as usize * letters + letter], length)
        };
        if letters == 0 {
            return (0, 0);
        }
        let mut state = if before.is_empty() {
            1
        } else {
            step(1, before).0
        };
        let (mut at, mut longest) = (0, 0);
        let has = |set: u32| sets::meet(self.sets.get(set as usize), terminals);
        while at < text.len() && has(self.states[state as usize].0) {
            let (next, length) = step(state, &text[at..]);
            (state, at) = (next, at + length);
            let end = if after.is_empty() {
                state
            } else {
                step(state, after).0
            };
            if has(self.states[end as usize].1) {
                longest = at;
            }
        }
        (longest, at)
    }

    /// Whether a text may begin with a text of one of the `terminals`. Only the first [`PREFIX`]
    /// characters are examined, so `true` can be wrong.
    pub(crate) fn may_begin(&self, text: &[u8], terminals: &[u64]) -> bool {
        let (mut is_complete, mut is_viable, mut read) = (false, true, 0);
        self.read(
            text,
            |_, accepted| is_complete |= sets::meet(accepted, terminals),
            |viable| {
                read += 1;
                is_viable = sets::meet(viable, terminals);
                is_viable && read < PREFIX
            },
        );
        is_complete || is_viable
    }

    /// Calls `each` with the start of each character of a layout token, if each character is layout
    /// by itself, as in whitespace.
    pub(crate) fn blanks(&self, token: &[u8], mut each: impl FnMut(usize)) {
        let is_blank = |at: usize| {
            let (character, length) = first_character(&token[at..], self.bytes);
            let letter = self.alphabet.letter(character);
            let state = self.next[usize::from(self.alphabet.letters) + usize::from(letter)];
            sets::has(self.accepted_in(state), LAYOUT.0 as usize).then_some(at + length)
        };
        let starts = || {
            std::iter::successors(
                Some(0),
                |&at| if at < token.len() { is_blank(at) } else { None },
            )
        };
        if starts().last() == Some(token.len()) {
            starts().filter(|&at| at < token.len()).for_each(&mut each);
        }
    }

    #[inline(always)]
    fn viable_in(&self, state: u16) -> &[u64] {
        self.sets.get(self.states[state as usize].0 as usize)
    }

    #[inline(always)]
    fn accepted_in(&self, state: u16) -> &[u64] {
        self.sets.get(self.states[state as usize].1 as usize)
    }

    /// Whether `text` and then `letter` begin a text of a terminal in `allowed`.
    #[inline(always)]
    fn viable(&self, allowed: FollowSet, mut text: &[u8], letter: u16) -> bool {
        let letters = self.alphabet.letters as usize;
        let mut state = 1;
        while !text.is_empty() && state != 0 {
            let (character, length) = first_character(text, self.bytes);
            state = self.next[state as usize * letters + self.alphabet.letter(character) as usize];
            text = &text[length..];
        }
        state = self.next[state as usize * letters + letter as usize];
        state != 0 && sets::meet(self.viable_in(state), self.allowed.get(allowed.0 as usize))
    }

    /// Whether a lexer certainly splits two adjacent texts at their boundary: no terminal in
    /// `allowed` has a longer text that begins with the first text and continues with the second.
    /// Terminals that contain themselves are ignored, because the automaton only approximates them.
    pub(crate) fn is_split(&self, allowed: FollowSet, text: &[u8], next: &[u8]) -> bool {
        self.bytes_until_split(allowed, text, next).is_some()
    }

    /// The number of bytes of the second text after which it is certain that a lexer splits the two
    /// texts. Returns [`None`] if it is not certain.
    pub(crate) fn bytes_until_split(
        &self,
        allowed: FollowSet,
        text: &[u8],
        next: &[u8],
    ) -> Option<usize> {
        if self.always_needs_separator(text, next) {
            return None;
        }
        let letters = self.alphabet.letters as usize;
        let allowed = self.allowed.get(allowed.0 as usize);
        let counts = |set: &[u64]| {
            set.iter()
                .zip(allowed)
                .zip(&self.regular)
                .any(|((set, allowed), regular)| set & allowed & regular != 0)
        };
        let mut state = 1;
        for (text, is_next) in [(text, false), (next, true)] {
            let mut at = 0;
            while at < text.len() {
                let (character, length) = first_character(&text[at..], self.bytes);
                state =
                    self.next[state as usize * letters + self.alphabet.letter(character) as usize];
                at += length;
                if !counts(self.viable_in(state)) {
                    return Some(if is_next { at } else { 0 });
                }
                if is_next && counts(self.accepted_in(state)) {
                    return None;
                }
            }
        }
        None
    }

    /// Computes the deterministic automaton by subset construction. Returns [`None`] if it exceeds
    /// a limit.
    fn automaton(
        &mut self,
        tables: GrammarTables<'_>,
        tokens: &[Option<SymbolId>],
        words: usize,
    ) -> Option<()> {
        let mut nfa = Nfa::new(tables, self.bytes, false);
        let mut starts = Vec::new();
        let mut regular = vec![0; words];
        for (terminal, token) in tokens.iter().enumerate() {
            starts.extend(
                token
                    .map(|token| nfa.add(token, terminal as u32))
                    .transpose()
                    .ok()?,
            );
            if nfa.take_excess() != Excess::Anything {
                sets::add(&mut regular, terminal);
            }
        }
        self.regular = regular.into();
        let alphabet = nfa.alphabet()?;
        let letters = alphabet.letters as usize;
        let mut continuations = Sets::new(tokens.len(), letters);
        let start = nfa.closure(starts);
        let mut subsets: Vec<Box<[u32]>> = vec![Box::new([]), start.clone()];
        let mut state_of: HashMap<Box<[u32]>, u16> =
            HashMap::from([(Box::default(), 0), (start, 1)]);
        let mut next = vec![0_u16; 2 * letters];
        let mut at = 1;
        let mut elements = 0;
        while at < subsets.len() {
            let set = subsets[at].clone();
            for (letters_to, to) in nfa.moves_together(&set, &alphabet) {
                for &state in set.iter().filter(|&&state| nfa.accepts(state)) {
                    for &letter in &letters_to {
                        continuations.add(nfa.owner(state) as usize, letter.into());
                    }
                }
                let to = nfa.closure(to);
                let state = *state_of.entry(to).or_insert_with_key(|to| {
                    subsets.push(to.clone());
                    elements += to.len();
                    next.resize(subsets.len() * letters, 0);
                    (subsets.len() - 1) as u16
                });
                letters_to
                    .iter()
                    .for_each(|&letter| next[at * letters + usize::from(letter)] = state);
            }
            if subsets.len() > STATES
                || next.len() > 1 << 24
                || elements > ELEMENTS
                || nfa.work_left() == 0
            {
                return None;
            }
            at += 1;
        }
        let mut distinct = Distinct::new(words);
        let mut set_of = |owners: &mut dyn Iterator<Item = u32>| {
            let mut set = vec![0; words];
            for owner in owners {
                sets::add(&mut set, owner as usize);
            }
            distinct.index_of(&set)
        };
        let states = subsets.iter().map(|set| {
            let viable = set_of(&mut set.iter().map(|&state| nfa.owner(state)));
            (
                viable,
                set_of(
                    &mut set
                        .iter()
                        .filter(|&&state| nfa.accepts(state))
                        .map(|&state| nfa.owner(state)),
                ),
            )
        });
        self.states = states.collect();
        self.sets = distinct.into_sets();
        (self.alphabet, self.continuations, self.next) = (alphabet, continuations, next.into());
        Some(())
    }
}

/// Whether a lexer would read a word across the boundary of two texts.
#[inline(always)]
pub(crate) fn is_one_word(before: &[u8], after: &[u8]) -> bool {
    is_word(before.last())
        && is_word(after.first())
        && !LineMark::ends(before)
        && LineMark::first(after).is_none()
}

/// Whether a byte is part of a word: an ASCII letter or digit, an underscore, or part of a
/// character that is not ASCII.
#[inline(always)]
pub(crate) fn is_word(byte: Option<&u8>) -> bool {
    matches!(
        byte,
        Some(b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80..)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Caps;
    use crate::grammar::Grammar;
    use crate::grammar::exhaustive::{TextSet, texts};
    use crate::notation::read;

    /// The classes of XML names have hundreds of ranges, so the automaton of XML takes more steps
    /// than those of other grammars.
    #[test]
    fn the_automaton_of_xml_needs_fewer_steps_than_the_limit() {
        let source = include_bytes!("../../grammars/xml.ebnf");
        let (grammar, _) =
            read("xml.ebnf", source, &Caps::default()).unwrap_or_else(|report| panic!("{report}"));
        assert!(!grammar.boundaries().separates_all());
    }

    /// The longest texts that the tests enumerate, in bytes.
    const MAX: usize = 5;

    /// A grammar, and the texts of each of its terminals.
    fn grammar_and_texts() -> (Grammar, Vec<TextSet>) {
        let source = br#"
            @skip blank = " " | "/*" "a"* "*/" ;
            s = ( "<" list ">" | expression ";" )* ;
            list = name ( "," name )* ;
            expression = name ( ( ">" | ">>" | "<" | "<-" | "-" | "--" | "/" ) name )* ;
            @token name = [ab] [ab1]* ;
        "#;
        let (grammar, _) =
            read("g", source, &Caps::default()).unwrap_or_else(|report| panic!("{report}"));
        let all = texts(grammar.tables(), MAX);
        let mut of_terminal = vec![TextSet::new(); grammar.boundaries().terminals()];
        of_terminal[0].clone_from(&all[grammar.layout().unwrap().token.0 as usize]);
        for symbol in grammar.symbols() {
            if let Kind::Lexeme { body, position, .. } = symbol.kind {
                of_terminal[grammar.boundaries().terminal(position).0 as usize]
                    .clone_from(&all[body.0 as usize]);
            }
        }
        (grammar, of_terminal)
    }

    /// Calls `check` for the first terminals and for each follow set: with the set, its terminals,
    /// and a short text of one of them.
    fn for_each_text(check: impl Fn(&Boundaries, FollowSet, &[TextSet], TerminalId, &[u8])) {
        let (grammar, texts) = grammar_and_texts();
        let boundaries = grammar.boundaries();
        let positions = (0..boundaries.terminals_by_position().len() as u32).map(PositionId);
        for allowed in positions
            .map(|position| boundaries.follow_set_of(position))
            .chain([boundaries.first_set()])
        {
            let terminals = (0..texts.len()).map(|terminal| TerminalId(terminal as u32));
            let is_allowed = |terminal: &TerminalId| boundaries.allows(allowed, *terminal);
            let allowed_texts: Vec<TextSet> = terminals
                .clone()
                .filter(is_allowed)
                .map(|terminal| texts[terminal.0 as usize].clone())
                .collect();
            for terminal in terminals.filter(is_allowed) {
                for text in texts[terminal.0 as usize]
                    .iter()
                    .filter(|text| (1..=2).contains(&text.len()))
                {
                    check(boundaries, allowed, &allowed_texts, terminal, text);
                }
            }
        }
    }

    #[test]
    fn two_tokens_need_a_separator_if_they_begin_an_allowed_token_or_are_words() {
        for_each_text(|boundaries, allowed, texts, terminal, text| {
            for next in b"ab1<>-/*,; " {
                let both = [text, &[*next]].concat();
                let is_prefix = texts.iter().flatten().any(|other| other.starts_with(&both));
                let expected = is_prefix || is_word(text.last()) && is_word(Some(next));
                let found = boundaries.needs_separator(allowed, terminal, text, &[*next]);
                assert_eq!(found, expected, "{:?}", String::from_utf8_lossy(&both));
                assert!(!found || boundaries.may_need_separator(terminal, text, &[*next]));
            }
        });
    }

    #[test]
    fn a_lexer_splits_two_texts_only_if_no_allowed_token_is_longer_than_the_first_one() {
        let splits = std::cell::Cell::new(0);
        for_each_text(|boundaries, allowed, texts, _, text| {
            for next in [
                "a", "<", ">", ">>", "-", "--", "->", "/", "*/", "*a*/", "/*a", ",", " ",
            ] {
                let both = [text, next.as_bytes()].concat();
                let is_token =
                    |other: &&Vec<u8>| other.len() > text.len() && both.starts_with(other);
                if let Some(bytes) = boundaries.bytes_until_split(allowed, text, next.as_bytes()) {
                    assert!(
                        bytes <= next.len()
                            && !texts.iter().flatten().any(|other| is_token(&other)),
                        "{both:?}"
                    );
                    splits.set(splits.get() + 1);
                }
            }
        });
        assert!(splits.get() > 100, "{} splits", splits.get());
    }

    #[test]
    fn a_text_may_begin_with_its_own_prefixes() {
        let (grammar, texts) = grammar_and_texts();
        let boundaries = grammar.boundaries();
        for (terminal, texts) in texts.iter().enumerate() {
            let mut terminals = vec![0; boundaries.terminals().div_ceil(64)];
            sets::add(&mut terminals, terminal);
            for text in texts.iter().filter(|text| !text.is_empty()) {
                let longer = [&text[..], b"%"].concat();
                assert!(
                    boundaries.may_begin(text, &terminals)
                        && boundaries.may_begin(&longer, &terminals),
                    "{text:?}"
                );
            }
            assert!(
                !boundaries.may_begin(b"%", &terminals) && !boundaries.may_begin(b"1", &terminals)
            );
        }
    }

    #[test]
    fn blanks_are_the_characters_of_whitespace() {
        let (grammar, _) = grammar_and_texts();
        let starts = |token: &str| {
            let mut starts = Vec::new();
            grammar
                .boundaries()
                .blanks(token.as_bytes(), |start| starts.push(start));
            starts
        };
        assert_eq!(
            [starts("   "), starts("/*a*/"), starts(" / ")],
            [vec![0, 1, 2], vec![], vec![]]
        );
    }
}
