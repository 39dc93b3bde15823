//! Tests whether a rule derives a sequence of parts: texts of tokens, and holes for other rules.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::grammar::{Child, Grammar, Kind, PartKind, SymbolId, span};

/// The maximum number of symbols that are examined to match the text of one token.
const STEPS: usize = 10_000;

/// The maximum depth of symbols within a token.
const DEPTH: usize = 64;

/// The maximum number of parts of a side.
pub const MAX_PARTS: usize = 63;

/// A set of end positions, as bits. Bit `end` is set if a symbol derives the parts from a given
/// part up to part `end`, without part `end` itself.
type PartEnds = u64;

/// The end offsets of the ranges of a token's text that a symbol derives.
type Ends = BTreeSet<usize>;

/// Whether a token derives a text, by token and text.
pub type KnownTokens = HashMap<(SymbolId, Box<[u8]>), bool>;

/// The search for derivations of a sequence of parts. A *pair* is a symbol and the part at which it
/// begins. The search computes a fixed point over all pairs, so it also terminates on left
/// recursion.
pub struct Forms<'a> {
    grammar: &'a Grammar,
    parts: &'a [PartKind],
    tokens: &'a mut KnownTokens,
    /// The part before which layout must be allowed.
    separated: Option<usize>,
    /// The ends of each pair, at index `symbol * (parts + 1) + part`.
    ends: Vec<PartEnds>,
    /// Whether the search has reached each pair.
    is_known: Vec<bool>,
    /// The index in `uses` of the last user of each pair; 0 if there is none.
    last_use: Vec<u32>,
    /// A linked list of users for each pair. A user is a pair whose evaluation read the ends of
    /// this pair. Each entry has a user and the index of the previous entry.
    uses: Vec<(u32, u32)>,
    /// The pairs to evaluate.
    open: Vec<usize>,
}

impl<'a> Forms<'a> {
    /// Returns a search in an erased grammar. There are at most [`MAX_PARTS`] parts.
    pub fn new(
        grammar: &'a Grammar,
        parts: &'a [PartKind],
        tokens: &'a mut KnownTokens,
    ) -> Forms<'a> {
        Forms {
            grammar,
            parts,
            tokens,
            separated: None,
            ends: Vec::new(),
            is_known: Vec::new(),
            last_use: Vec::new(),
            uses: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Returns whether a rule derives all parts. If `separated` is given, layout must be allowed before
    /// the part with this number.
    pub fn derives(&mut self, rule: SymbolId, separated: Option<usize>) -> bool {
        let pairs = self.grammar.symbols().len() * (self.parts.len() + 1);
        self.separated = separated;
        self.ends.clear();
        self.ends.resize(pairs, 0);
        self.is_known.clear();
        self.is_known.resize(pairs, false);
        self.last_use.clear();
        self.last_use.resize(pairs, 0);
        self.uses.clear();
        self.uses.push((0, 0));
        let first = self.pair(rule, 0);
        self.is_known[first] = true;
        self.open.push(first);
        while let Some(pair) = self.open.pop() {
            let found = self.evaluate(pair);
            if found & !self.ends[pair] != 0 {
                self.ends[pair] |= found;
                let mut at = std::mem::take(&mut self.last_use[pair]);
                while at > 0 {
                    let (user, before) = self.uses[at as usize];
                    self.open.push(user as usize);
                    at = before;
                }
            }
        }
        self.ends[first] >> self.parts.len() & 1 == 1
    }

    /// Returns the index of the last part that the last search reached. If the search reached the
    /// end, returns the number of parts.
    pub fn reached(&self) -> usize {
        let count = self.parts.len() + 1;
        let known = self
            .is_known
            .iter()
            .enumerate()
            .filter(|(_, is_known)| **is_known);
        let ends = self
            .ends
            .iter()
            .map(|ends| ends.checked_ilog2().unwrap_or(0) as usize);
        known
            .map(|(pair, _)| pair % count)
            .chain(ends)
            .max()
            .unwrap_or(0)
    }

    /// Returns whether the rule derives all parts with layout before the part with this index.
    pub fn has_layout(&mut self, rule: SymbolId, part: usize) -> bool {
        self.grammar.layout().is_some() && self.derives(rule, Some(part))
    }

    fn pair(&self, symbol: SymbolId, part: usize) -> usize {
        symbol.0 as usize * (self.parts.len() + 1) + part
    }

    /// Computes the ends of a pair from the ends of other pairs that are known so far.
    fn evaluate(&mut self, pair: usize) -> PartEnds {
        let grammar = self.grammar;
        let (symbol, from) = (
            SymbolId((pair / (self.parts.len() + 1)) as u32),
            pair % (self.parts.len() + 1),
        );
        let mut found = self.holes(symbol, from);
        match &grammar[symbol].kind {
            Kind::Nonterminal { alternatives, .. } => {
                for alternative in &grammar.alternatives[span(alternatives)] {
                    let mut reached = 1 << from;
                    for child in grammar.children(alternative) {
                        reached = self.step(pair, reached, *child);
                        if reached == 0 {
                            break;
                        }
                    }
                    found |= reached;
                }
            }
            &Kind::Repeat {
                element,
                at_least,
                at_most,
                ..
            } => {
                let (mut reached, mut count) = (1 << from, 0);
                while reached != 0 && count <= self.parts.len() as u32 + at_least.min(1) {
                    if count >= at_least {
                        found |= reached;
                    }
                    if count == at_most {
                        break;
                    }
                    reached = self.step(pair, reached, element);
                    count += 1;
                }
            }
            &Kind::Lexeme { body, layout, .. } if layout || self.separated != Some(from) => {
                found |= self.holes(body, from) | self.token(body, from);
            }
            Kind::Lexeme { .. } => {}
            _ => found |= self.token(symbol, from),
        }
        found
    }

    /// Returns the end after part `from` if that part is a hole that this symbol fills.
    fn holes(&self, symbol: SymbolId, from: usize) -> PartEnds {
        let is_hole = match self.parts.get(from) {
            Some(PartKind::Hole { rule, .. }) => self.grammar.is_of_rule(symbol, rule.rule),
            Some(PartKind::Fresh { rule, .. }) => self.grammar.is_of_rule(symbol, *rule),
            _ => false,
        };
        let is_adjacent =
            || self.separated == Some(from) && !may_follow_layout(self.grammar, symbol);
        match is_hole && !is_adjacent() {
            true => 1 << (from + 1),
            false => 0,
        }
    }

    /// Returns the ends of a child that begins at any of the parts in `reached`. `user` is the pair
    /// that is being evaluated.
    fn step(&mut self, user: usize, mut reached: PartEnds, child: Child) -> PartEnds {
        let mut next = 0;
        while reached != 0 {
            let at = reached.trailing_zeros() as usize;
            reached &= reached - 1;
            if child.is_adjacent && self.separated == Some(at) {
                continue;
            }
            let pair = self.pair(child.symbol, at);
            if !self.is_known[pair] {
                self.is_known[pair] = true;
                self.open.push(pair);
            }
            let last = &mut self.last_use[pair];
            if *last == 0 || self.uses[*last as usize].0 != user as u32 {
                self.uses.push((user as u32, *last));
                *last = self.uses.len() as u32 - 1;
            }
            next |= self.ends[pair];
        }
        next
    }

    /// Returns the ends of a token, or of a part of one.
    fn token(&mut self, token: SymbolId, from: usize) -> PartEnds {
        let derives = match self.parts.get(from) {
            Some(PartKind::Text(text)) => self.is_token(token, text),
            _ => false,
        };
        match derives {
            true => 1 << (from + 1),
            false => PartEnds::from(self.grammar[token].min_bytes == 0) << from,
        }
    }

    /// Returns whether a token derives a text.
    fn is_token(&mut self, token: SymbolId, text: &[u8]) -> bool {
        if let Kind::Literal { text: literal } = &self.grammar[token].kind {
            return self.grammar.text(literal) == text;
        }
        let grammar = self.grammar;
        *self.tokens.entry((token, text.into())).or_insert_with(|| {
            let mut steps = STEPS;
            token_ends(grammar, token, (text, 0), DEPTH, &mut steps).contains(&text.len())
        })
    }
}

/// Returns whether layout is allowed before the first token of some text of a symbol.
fn may_follow_layout(grammar: &Grammar, symbol: SymbolId) -> bool {
    let mut known = HashSet::from([symbol]);
    let mut left = vec![symbol];
    while let Some(symbol) = left.pop() {
        match &grammar[symbol].kind {
            Kind::Nonterminal { alternatives, .. } => {
                for alternative in &grammar.alternatives[span(alternatives)] {
                    for child in grammar.children(alternative) {
                        if !child.is_adjacent && known.insert(child.symbol) {
                            left.push(child.symbol);
                        }
                        if grammar[child.symbol].min_bytes > 0 {
                            break;
                        }
                    }
                }
            }
            Kind::Repeat { element, .. } => {
                if !element.is_adjacent && known.insert(element.symbol) {
                    left.push(element.symbol);
                }
            }
            Kind::Lexeme { layout: false, .. } => {}
            _ => return true,
        }
    }
    false
}

/// Returns the offsets at which a text of a token can end if it begins at the offset `from`. The
/// result can lack some if `depth` or `steps` is used up.
pub fn token_ends(
    grammar: &Grammar,
    symbol: SymbolId,
    (text, from): (&[u8], usize),
    depth: usize,
    steps: &mut usize,
) -> Ends {
    let mut found = Ends::new();
    if depth == 0 || *steps == 0 {
        return found;
    }
    *steps -= 1;
    let rest = &text[from..];
    let mut all = |reached: &Ends, symbol| -> Ends {
        let ends = reached.iter();
        ends.flat_map(|&at| token_ends(grammar, symbol, (text, at), depth - 1, steps))
            .collect()
    };
    match &grammar[symbol].kind {
        Kind::Nonterminal { alternatives, .. } => {
            for alternative in &grammar.alternatives[span(alternatives)] {
                let mut reached = Ends::from([from]);
                for child in grammar.children(alternative) {
                    reached = all(&reached, child.symbol);
                }
                found.extend(reached);
            }
        }
        Kind::Literal { text: literal } => {
            let literal = grammar.text(literal);
            if rest.starts_with(literal) {
                found.insert(from + literal.len());
            }
        }
        Kind::Insensitive { text: literal, .. } => {
            let literal = grammar.text(literal);
            if rest
                .get(..literal.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(literal))
            {
                found.insert(from + literal.len());
            }
        }
        Kind::Class(class) => {
            found.extend(character(grammar, *class, rest).map(|length| from + length))
        }
        &Kind::Run {
            class,
            at_least,
            at_most,
        } => {
            let (mut at, mut count) = (from, 0);
            loop {
                if count >= at_least {
                    found.insert(at);
                }
                match character(grammar, class, &text[at..]) {
                    Some(length) if count < at_most => at += length,
                    _ => break,
                }
                count += 1;
            }
        }
        Kind::Repeat {
            element,
            at_least,
            at_most,
            ..
        } => {
            let (mut reached, mut count) = (Ends::from([from]), 0);
            while !reached.is_empty() {
                if count >= *at_least {
                    found.extend(&reached);
                }
                if count == *at_most {
                    break;
                }
                reached = all(&reached, element.symbol);
                count += 1;
            }
        }
        Kind::Identifier { names, escape } => {
            found.extend(all(&Ends::from([from]), *escape));
            for name in (0..names.end - names.start).map(|at| grammar.name(names, at)) {
                if rest.starts_with(name) {
                    found.insert(from + name.len());
                }
            }
        }
        Kind::Lexeme { .. } | Kind::Same { .. } => {}
    }
    found
}

/// Returns the length of the first character of a text, if the character belongs to a class.
fn character(grammar: &Grammar, class: crate::grammar::ClassId, text: &[u8]) -> Option<usize> {
    let class = &grammar[class];
    let (character, length) = (!text.is_empty()).then(|| class.read(text))?;
    class.index_of(character).map(|_| length)
}
