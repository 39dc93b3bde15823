//! What a derivation is asked, and its answers as numbers: outcomes.
//!
//! What holds: [`answers`] tells of each node what [`crate::derive`] asks where it comes from, and how it was answered; an
//! outcome is less than [`universe`] of what was seen.

use crate::derivation::Derivation;
use crate::grammar::{Class, Grammar, Kind, SymbolId};

/// Which question a symbol asks. A run of characters asks two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Aspect {
    /// Which alternative of a nonterminal.
    Alternative,
    /// How many elements of a repetition, or characters of a run, beyond the lower limit: see [`counts`].
    Count,
    /// Which member of a class: one of those whose codes are short, or one of all others together.
    Member,
    /// Which name of an identifier terminal; the number of names stands for one that is spelled out.
    Name,
    /// In which case a case-insensitive literal is.
    Case,
    /// How many pieces of layout before a token: see [`counts`].
    Layout,
}

/// A choice that encloses a node: a nonterminal with several alternatives, and which of them.
pub type Enclosing = (SymbolId, u32);

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

/// The outcome of a member of a class.
pub fn of_member(class: &Class, member: u32) -> u32 {
    member.min(class.plain())
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

/// How many outcomes there are, `greatest` being the greatest that was seen, if any was. Of counts there is one beyond that.
pub fn universe(grammar: &Grammar, symbol: SymbolId, aspect: Aspect, greatest: Option<u32>) -> u32 {
    let spread = match &grammar[symbol].kind {
        Kind::Repeat { at_least, at_most, .. } | Kind::Run { at_least, at_most, .. } => at_most - at_least,
        _ => u32::MAX,
    };
    match (aspect, &grammar[symbol].kind) {
        (Aspect::Member, _) => class(grammar, symbol).map_or(1, |class| class.count().min(class.plain() + 1)),
        (_, Kind::Nonterminal { alternatives, .. }) => alternatives.end - alternatives.start,
        (_, Kind::Identifier { names, .. }) => names.end - names.start + 1,
        (_, Kind::Insensitive { .. }) => 4,
        _ => bucket(spread).min(greatest.unwrap_or(0) + 1) + 1,
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
            Kind::Class(class) => of_member(&grammar[*class], choice),
            _ => choice,
        };
        tell(aspect, outcome);
    }
    if let Kind::Run { class, .. } = kind {
        let class = &grammar[*class];
        members(class, &derivation.text[derivation.text_range(node)], |member| tell(Aspect::Member, of_member(class, member)));
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
