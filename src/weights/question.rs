//! What a derivation is asked, and its answers as numbers: outcomes.
//!
//! What holds: [`answers`] tells of each node what [`crate::derive`] asks where it comes from, and how it was answered; an
//! outcome is less than [`universe`] of what was seen.

use std::collections::BTreeMap;

use crate::derivation::Derivation;
use crate::grammar::{Class, Grammar, Kind, SymbolId};

/// Which question a symbol asks. A run of characters asks two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Aspect {
    /// Which alternative of a nonterminal.
    Alternative,
    /// How many elements of a repetition, or characters of a run, beyond the lower limit: see [`counts`].
    Count,
    /// Which member of a class; [`OTHERS`] stands for those that are neither plain nor seen.
    Member,
    /// Which name of an identifier terminal; the number of names stands for one that is spelled out.
    Name,
    /// In which case a case-insensitive literal is.
    Case,
    /// How many pieces of layout before a token: see [`counts`].
    Layout,
}

/// A choice that encloses a node: a nonterminal with several alternatives, and which of them. Around the outermost is [`START`].
pub type Enclosing = (SymbolId, u32);

/// The beginning of the sentence, as what encloses what nothing else does.
pub const START: Enclosing = (SymbolId(u32::MAX), 0);

/// All members of a class together that are neither plain nor seen.
pub const OTHERS: u32 = u32::MAX;

/// What is asked, and where.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Question {
    /// The symbol that asks.
    pub symbol: SymbolId,
    /// What it asks.
    pub aspect: Aspect,
    /// The nearest enclosing choices, the nearest first.
    pub context: Box<[Enclosing]>,
}

/// Counts up to here have an outcome each; larger ones share one with all of as many bits.
const EXACT: u32 = 8;

/// The outcome of a count: 0 to 7 are themselves, 8 stands for 8 to 15, 9 for 16 to 31 and so on.
pub fn bucket(count: u32) -> u32 {
    if count < EXACT { count } else { EXACT + count.ilog2() - EXACT.ilog2() }
}

/// The least and the greatest count of an outcome.
pub fn counts(bucket: u32) -> (u32, u32) {
    if bucket < EXACT {
        return (bucket, bucket);
    }
    let bits = (bucket - EXACT + EXACT.ilog2()).min(31);
    (1 << bits, u32::MAX >> (31 - bits))
}

/// What a symbol asks first, if anything.
pub fn aspect(kind: &Kind) -> Option<Aspect> {
    match kind {
        Kind::Nonterminal { alternatives, .. } => (alternatives.len() > 1).then_some(Aspect::Alternative),
        Kind::Repeat { at_least, at_most, .. } | Kind::Run { at_least, at_most, .. } => {
            (at_least < at_most).then_some(Aspect::Count)
        }
        Kind::Class(_) => Some(Aspect::Member),
        Kind::Identifier { .. } => Some(Aspect::Name),
        Kind::Insensitive { .. } => Some(Aspect::Case),
        Kind::Lexeme { layout, .. } => layout.then_some(Aspect::Layout),
        Kind::Literal { .. } => None,
    }
}

/// The class that a symbol asks for members of.
pub fn class(grammar: &Grammar, symbol: SymbolId) -> Option<&Class> {
    match &grammar[symbol].kind {
        Kind::Class(class) | Kind::Run { class, .. } => Some(&grammar[*class]),
        _ => None,
    }
}

/// All outcomes of which one may be, in order, some having been seen. Of counts there is one beyond the greatest that was.
pub fn universe(grammar: &Grammar, symbol: SymbolId, aspect: Aspect, seen: &BTreeMap<u32, f64>) -> Vec<u32> {
    let greatest = seen.keys().next_back().copied().unwrap_or(0);
    if let (Aspect::Member, Some(class)) = (aspect, class(grammar, symbol)) {
        let plain = class.plain().min(class.count());
        let others = (class.count() > plain).then_some(OTHERS);
        let wide = seen.keys().copied().filter(|&member| member >= plain && member != OTHERS);
        return (0..plain).chain(wide).chain(others).collect();
    }
    let spread = match &grammar[symbol].kind {
        Kind::Repeat { at_least, at_most, .. } | Kind::Run { at_least, at_most, .. } => at_most - at_least,
        _ => u32::MAX,
    };
    let count = match &grammar[symbol].kind {
        Kind::Nonterminal { alternatives, .. } => alternatives.end - alternatives.start,
        Kind::Identifier { names, .. } => names.end - names.start + 1,
        Kind::Insensitive { .. } => 4,
        _ => bucket(spread).min(greatest.saturating_add(1)) + 1,
    };
    (0..count).collect()
}

/// What tokens are words of: a symbol, and its first choice if that is one of alternatives or names; else 0.
pub type Spelled = (SymbolId, u32);

/// What a token is a word of; none for what has nothing to spell: then its choices say all.
pub fn word_of(grammar: &Grammar, derivation: &Derivation, node: usize) -> Option<Spelled> {
    let (symbol, choice) = (derivation.nodes[node].symbol, derivation.nodes[node].choice);
    match &grammar[symbol].kind {
        Kind::Identifier { names, .. } => (choice == names.end - names.start).then_some((symbol, choice)),
        Kind::Nonterminal { .. } => {
            let inside = &derivation.nodes[node..node + derivation.nodes[node].size as usize];
            let is_spelled = |kind: &Kind| matches!(kind, Kind::Run { .. } | Kind::Repeat { .. } | Kind::Class(_));
            inside.iter().any(|node| is_spelled(&grammar[node.symbol].kind)).then_some((symbol, choice))
        }
        Kind::Run { .. } | Kind::Repeat { .. } => Some((symbol, 0)),
        _ => None,
    }
}

/// Whether a node counts as an expansion: it has parts that are derived in their turn.
pub fn is_expansion(kind: &Kind) -> bool {
    matches!(kind, Kind::Nonterminal { .. } | Kind::Repeat { .. } | Kind::Identifier { .. })
}

/// Whether what a symbol asks depends on where it stands.
pub fn has_context(aspect: Aspect) -> bool {
    matches!(aspect, Aspect::Alternative | Aspect::Count | Aspect::Name)
}

/// Tells all questions of a node, each with its outcome.
pub fn answers(grammar: &Grammar, derivation: &Derivation, node: usize, mut tell: impl FnMut(Aspect, u32)) {
    let (symbol, choice) = (derivation.nodes[node].symbol, derivation.nodes[node].choice);
    let kind = &grammar[symbol].kind;
    if let Some(aspect) = aspect(kind) {
        let outcome = match kind {
            Kind::Repeat { at_least, .. } | Kind::Run { at_least, .. } => bucket(choice - at_least),
            Kind::Lexeme { .. } => bucket(derivation.nodes[node].pieces()),
            _ => choice,
        };
        tell(aspect, outcome);
    }
    if let Kind::Run { class, .. } = kind {
        let class = &grammar[*class];
        members(class, &derivation.text[derivation.text_range(node)], |member| tell(Aspect::Member, member));
    }
}

/// Tells the members of a class that a text consists of.
pub fn members(class: &Class, mut text: &[u8], mut tell: impl FnMut(u32)) {
    while !text.is_empty() {
        let (character, width) = class.read(text);
        text = &text[width..];
        tell(class.index_of(character).unwrap_or(0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_count_is_in_one_bucket() {
        let mut next = 0;
        for outcome in 0..=bucket(u32::MAX) {
            let (least, most) = counts(outcome);
            assert_eq!((least, bucket(least), bucket(most)), (next, outcome, outcome));
            next = most.wrapping_add(1);
        }
        assert_eq!(next, 0);
    }
}
