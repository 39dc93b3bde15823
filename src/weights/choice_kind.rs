//! The choices of a derivation as weights count them: which kind, in which context, with which outcome.
//!
//! An outcome is a number. [`outcomes`] lists the outcomes of a node's choices, and [`support`] all outcomes that a choice can have.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::derivation::{Choice, Derivation};
use crate::grammar::{Class, Grammar, Kind, SymbolId};

/// A kind of choice. A symbol makes choices of one kind; a run of characters makes two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChoiceKind {
    /// Which alternative of a nonterminal.
    Alternative,
    /// How many elements of a repetition, or characters of a run, beyond the lower limit. The outcome is a range: see [`counts`].
    Count,
    /// Which member of a class. [`OTHERS`] stands for all members that are neither plain nor seen.
    Member,
    /// Which name of an identifier terminal. The number of names stands for a name that is spelled out.
    Name,
    /// In which case a case-insensitive literal is.
    Case,
    /// How many pieces of layout before a token. The outcome is a range: see [`counts`].
    Layout,
}

/// A choice that encloses a node: a nonterminal with several alternatives, and which of them. Around the outermost is [`START`].
pub type Enclosing = (SymbolId, u32);

/// The enclosing choice around the root of a sentence.
pub const START: Enclosing = (SymbolId(u32::MAX), 0);

/// All members of a class together that are neither plain nor seen.
pub const OTHERS: u32 = u32::MAX;

/// What is chosen, and in which context.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContextKey {
    /// The symbol of the node that chooses.
    pub symbol: SymbolId,
    /// What is chosen.
    pub choice_kind: ChoiceKind,
    /// The nearest enclosing choices, the nearest first.
    pub context: Box<[Enclosing]>,
}

/// Smaller counts have an outcome each. Larger counts share an outcome with all counts of as many bits.
const EXACT: u32 = 8;

/// The outcome of a count: 0 to 7 stand for themselves, 8 for 8 to 15, 9 for 16 to 31 and so on.
pub fn bucket(count: u32) -> u32 {
    if count < EXACT { count } else { EXACT + count.ilog2() - EXACT.ilog2() }
}

/// The smallest and the largest count of an outcome.
pub fn counts(bucket: u32) -> (u32, u32) {
    if bucket < EXACT {
        return (bucket, bucket);
    }
    let bits = (bucket - EXACT + EXACT.ilog2()).min(31);
    (1 << bits, u32::MAX >> (31 - bits))
}

/// The kind of a symbol's first choice; none if there is nothing to choose.
pub fn choice_kind(grammar: &Grammar, symbol: SymbolId) -> Option<ChoiceKind> {
    match Choice::of(grammar, &grammar[symbol].kind) {
        Choice::None | Choice::Run { counted: false, .. } => None,
        Choice::Alternative { .. } => Some(ChoiceKind::Alternative),
        Choice::Count { .. } | Choice::Run { .. } => Some(ChoiceKind::Count),
        Choice::Member(_) => Some(ChoiceKind::Member),
        Choice::Name { .. } => Some(ChoiceKind::Name),
        Choice::Case { .. } => Some(ChoiceKind::Case),
        Choice::Layout => Some(ChoiceKind::Layout),
    }
}

/// The class of the characters that a symbol chooses.
pub fn class(grammar: &Grammar, symbol: SymbolId) -> Option<&Class> {
    match &grammar[symbol].kind {
        Kind::Class(class) | Kind::Run { class, .. } => Some(&grammar[*class]),
        _ => None,
    }
}

/// The support of a choice: all outcomes that it can have, in order, given those that were seen. For counts it ends one outcome
/// beyond the largest that was seen.
pub fn support(grammar: &Grammar, symbol: SymbolId, choice_kind: ChoiceKind, seen: &BTreeMap<u32, f64>) -> Vec<u32> {
    let greatest = seen.keys().next_back().copied().unwrap_or(0);
    if let (ChoiceKind::Member, Some(class)) = (choice_kind, class(grammar, symbol)) {
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

/// The group that a token's text is counted in: a symbol, and its first choice if that is an alternative or a name; else 0.
pub type Spelled = (SymbolId, u32);

/// The group of a token; none if no part of the token is spelled out, because then its choices fix its text.
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

/// Whether a node of this kind counts as an expansion: it has parts that are derived in their turn.
pub fn is_expansion(kind: &Kind) -> bool {
    matches!(kind, Kind::Nonterminal { .. } | Kind::Repeat { .. } | Kind::Identifier { .. })
}

/// Whether probabilities of a choice depend on the enclosing choices.
pub fn has_context(choice_kind: ChoiceKind) -> bool {
    matches!(choice_kind, ChoiceKind::Alternative | ChoiceKind::Count | ChoiceKind::Name)
}

/// Calls `tell` with every choice of a node and its outcome.
pub fn outcomes(grammar: &Grammar, derivation: &Derivation, node: usize, mut tell: impl FnMut(ChoiceKind, u32)) {
    let (symbol, choice) = (derivation.nodes[node].symbol, derivation.nodes[node].choice);
    let kind = &grammar[symbol].kind;
    if let Some(choice_kind) = choice_kind(grammar, symbol) {
        let outcome = match kind {
            Kind::Repeat { at_least, .. } | Kind::Run { at_least, .. } => bucket(choice - at_least),
            Kind::Lexeme { .. } => bucket(derivation.nodes[node].pieces()),
            _ => choice,
        };
        tell(choice_kind, outcome);
    }
    if let Kind::Run { class, .. } = kind {
        let class = &grammar[*class];
        members(class, &derivation.text[derivation.text_range(node)], |member| tell(ChoiceKind::Member, member));
    }
}

/// Calls `tell` with every character of a text, as an index of a member of its class.
pub fn members(class: &Class, mut text: &[u8], mut tell: impl FnMut(u32)) {
    while !text.is_empty() {
        let (character, width) = class.read(text);
        text = &text[width..];
        tell(class.index_of(character).unwrap_or(0));
    }
}

/// The planned choices of a node, in the order of the sentence.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub symbol: SymbolId,
    /// How many expansions are open around the node.
    pub level: u32,
    /// The first choice; the character if that is the only one.
    pub choice: u32,
    /// The characters of a run, in `Grower::members`.
    pub members: Range<u32>,
}

/// Whether a choice source is called for a symbol: because the symbol is expanded, or for a choice.
pub(super) fn is_asked(grammar: &Grammar, symbol: SymbolId) -> bool {
    match &grammar[symbol].kind {
        Kind::Literal { .. } => false,
        Kind::Class(class) => grammar[*class].count() > 1,
        _ => true,
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

    #[test]
    fn outcomes_are_in_the_support() {
        let source =
            "@start list = item{1,100} ; item = \"a\"i | \"[\" list \"]\" | name ; @identifier name = [a-z]+ ; @skip s = \" \" ;";
        let (grammar, _) = crate::notation::read("lists", source.as_bytes(), &Default::default()).unwrap();
        let mut kinds = std::collections::BTreeSet::new();
        for seed in 0..200_u8 {
            let bytes: Vec<u8> = (0..100_u8).map(|at| at.wrapping_mul(seed) ^ seed).collect();
            let sentence = crate::parameters::sentence(&grammar, &Default::default(), &bytes);
            for (at, node) in sentence.nodes().iter().enumerate() {
                outcomes(&grammar, &sentence, at, |kind, outcome| {
                    let seen = [(outcome, 1.0)].into();
                    assert!(support(&grammar, node.symbol, kind, &seen).contains(&outcome), "{kind:?} {outcome}");
                    kinds.insert(kind);
                });
            }
        }
        assert_eq!(kinds.len(), 6, "all kinds of choices: {kinds:?}");
    }
}
