//! Tests whether a rule derives a sequence of parts: texts of tokens, and holes for other rules.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::grammar::{Grammar, Kind, PartKind, SymbolId, span};

/// The maximum number of symbols that are examined to match the text of one token.
const STEPS: usize = 10_000;

/// The maximum depth of symbols within a token.
const DEPTH: usize = 64;

/// The offsets in the parts, or in the text of a token, up to which a symbol derives them.
type Ends = BTreeSet<usize>;

/// The search for derivations of a sequence of parts. It is a fixed point over pairs of a symbol and
/// the part at which it begins, so left recursion ends.
pub struct Forms<'a> {
    grammar: &'a Grammar,
    parts: &'a [PartKind],
    /// The part before which there must be layout.
    separated: Option<usize>,
    /// By symbol and part.
    ends: HashMap<(SymbolId, usize), Ends>,
    has_changed: bool,
    /// By token and part: whether the token derives the text.
    tokens: HashMap<(SymbolId, usize), bool>,
}

impl<'a> Forms<'a> {
    /// Returns a search in a grammar without parameters.
    pub fn new(grammar: &'a Grammar, parts: &'a [PartKind]) -> Forms<'a> {
        Forms {
            grammar,
            parts,
            separated: None,
            ends: HashMap::new(),
            has_changed: false,
            tokens: HashMap::new(),
        }
    }

    /// Returns whether a rule derives all parts. If `separated` is given, layout must be allowed before
    /// the part with this index.
    pub fn derives(&mut self, rule: SymbolId, separated: Option<usize>) -> bool {
        self.separated = separated;
        self.ends.clear();
        loop {
            self.has_changed = false;
            let known: Vec<(SymbolId, usize)> = match self.ends.is_empty() {
                true => vec![(rule, 0)],
                false => self.ends.keys().copied().collect(),
            };
            for (symbol, from) in known {
                let found = self.evaluate(symbol, from);
                let ends = self.ends.entry((symbol, from)).or_default();
                if found.len() > ends.len() {
                    *ends = found;
                    self.has_changed = true;
                }
            }
            if !self.has_changed {
                break;
            }
        }
        self.ends[&(rule, 0)].contains(&self.parts.len())
    }

    /// Returns whether layout is allowed before the part with this index.
    pub fn has_layout(&mut self, rule: SymbolId, part: usize) -> bool {
        self.grammar.layout().is_some() && self.derives(rule, Some(part))
    }

    /// Returns what is known of the ends of a symbol so far.
    fn known(&mut self, symbol: SymbolId, from: usize) -> Ends {
        self.ends.get(&(symbol, from)).cloned().unwrap_or_else(|| {
            self.has_changed = true;
            self.ends.insert((symbol, from), Ends::new());
            Ends::new()
        })
    }

    /// Returns the ends of a symbol, by what is known of others so far.
    fn evaluate(&mut self, symbol: SymbolId, from: usize) -> Ends {
        let grammar = self.grammar;
        let mut found = self.holes(symbol, from);
        match &grammar[symbol].kind {
            Kind::Nonterminal { alternatives, .. } => {
                for alternative in &grammar.alternatives[span(alternatives)] {
                    let mut reached = Ends::from([from]);
                    for child in grammar.children(alternative) {
                        reached = self.step(&reached, child.symbol, child.is_adjacent);
                    }
                    found.extend(reached);
                }
            }
            &Kind::Repeat {
                element,
                at_least,
                at_most,
                ..
            } => {
                let (mut reached, mut count) = (Ends::from([from]), 0);
                while !reached.is_empty() && count <= self.parts.len() as u32 + at_least.min(1) {
                    if count >= at_least {
                        found.extend(&reached);
                    }
                    if count == at_most {
                        break;
                    }
                    reached = self.step(&reached, element.symbol, element.is_adjacent);
                    count += 1;
                }
            }
            &Kind::Lexeme { body, layout, .. } if layout || self.separated != Some(from) => {
                found.extend(self.holes(body, from));
                if self.is_token(body, from) {
                    found.insert(from + 1);
                } else if grammar[body].min_bytes == 0 {
                    found.insert(from);
                }
            }
            Kind::Lexeme { .. } => {}
            _ if self.is_token(symbol, from) => _ = found.insert(from + 1),
            _ if grammar[symbol].min_bytes == 0 => _ = found.insert(from),
            _ => {}
        }
        found
    }

    /// Returns the ends of a hole for this symbol.
    fn holes(&self, symbol: SymbolId, from: usize) -> Ends {
        if self.separated == Some(from) && !may_follow_layout(self.grammar, symbol) {
            return Ends::new();
        }
        match self.parts.get(from) {
            Some(PartKind::Hole { rule, .. }) if self.grammar.is_of_rule(symbol, rule.rule) => {
                Ends::from([from + 1])
            }
            Some(PartKind::Fresh { rule, .. }) if self.grammar.is_of_rule(symbol, *rule) => {
                Ends::from([from + 1])
            }
            _ => Ends::new(),
        }
    }

    /// Returns the ends of a symbol that begins where others have ended.
    fn step(&mut self, reached: &Ends, symbol: SymbolId, is_adjacent: bool) -> Ends {
        let mut next = Ends::new();
        for &at in reached {
            if !is_adjacent || self.separated != Some(at) {
                next.extend(self.known(symbol, at));
            }
        }
        next
    }

    /// Returns whether a token derives the text of a part.
    fn is_token(&mut self, token: SymbolId, part: usize) -> bool {
        let Some(PartKind::Text(text)) = self.parts.get(part) else {
            return false;
        };
        if let Some(&known) = self.tokens.get(&(token, part)) {
            return known;
        }
        let mut steps = STEPS;
        let found =
            token_ends(self.grammar, token, (text, 0), DEPTH, &mut steps).contains(&text.len());
        self.tokens.insert((token, part), found);
        found
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

/// Returns the offsets up to which a token derives a text from an offset.
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

/// Returns the length of the first character of a text if it is of a class.
fn character(grammar: &Grammar, class: crate::grammar::ClassId, text: &[u8]) -> Option<usize> {
    let class = &grammar[class];
    let (character, length) = (!text.is_empty()).then(|| class.read(text))?;
    class.index_of(character).map(|_| length)
}
