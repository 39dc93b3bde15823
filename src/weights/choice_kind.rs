//! The choices of a derivation, as weights count them. Each choice has a kind, a context and an
//! outcome.
//!
//! An outcome is a number. [`outcomes`] lists the outcomes that a node has. [`support`] lists all
//! outcomes that a choice can have.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::derivation::{Choice, Derivation};
use crate::grammar::{Class, Effect, Grammar, Kind, SymbolId};

/// A kind of choice. Most symbols make choices of one kind. A run makes two kinds: a count and its
/// characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChoiceKind {
    /// The alternative of a nonterminal.
    Alternative,
    /// The number of elements of a repetition, or of characters of a run, minus the lower limit.
    /// The outcome is a range of numbers: see `counts`.
    Count,
    /// The member of a character class. The outcome `OTHERS` stands for all members that have no
    /// code of one byte and are in no sample.
    Member,
    /// The name of an identifier terminal. The outcome for a name that is spelled out is the number
    /// of the terminal's names.
    Name,
    /// The recency of a used name: 0 is the name that became visible last. The outcome is a range of
    /// numbers: see `counts`.
    Recency,
    /// The case of the letters of a case-insensitive literal.
    Case,
    /// The number of layout tokens before a token. The outcome is a range of numbers: see `counts`.
    Layout,
}

/// A choice that encloses a node: a nonterminal with several alternatives, and the number of its
/// alternative. The outermost choice is [`START`].
pub type Enclosing = (SymbolId, u32);

/// The choice that encloses the root of a sentence.
pub const START: Enclosing = (SymbolId(u32::MAX), 0);

/// The outcome for all members of a character class that have no code of one byte and are in no
/// sample.
pub const OTHERS: u32 = u32::MAX;

/// A choice and its context: the key of a table of weights.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContextKey {
    /// The symbol of the node that makes the choice.
    pub symbol: SymbolId,
    /// The kind of the choice.
    pub choice_kind: ChoiceKind,
    /// The enclosing choices, the nearest first.
    pub context: Box<[Enclosing]>,
}

/// The number of counts, starting from 0, that have an outcome of their own. A larger count shares
/// its outcome with all counts that have the same number of binary digits.
const EXACT: u32 = 8;

/// Returns the outcome of a count. Outcomes 0 to 7 are these counts. Outcome 8 is the counts 8 to
/// 15, outcome 9 is 16 to 31, and so on.
pub fn bucket(count: u32) -> u32 {
    if count < EXACT {
        count
    } else {
        EXACT + count.ilog2() - EXACT.ilog2()
    }
}

/// Returns the smallest and the largest count of an outcome. It is the inverse of [`bucket`].
pub fn counts(bucket: u32) -> (u32, u32) {
    if bucket < EXACT {
        return (bucket, bucket);
    }
    let bits = (bucket - EXACT + EXACT.ilog2()).min(31);
    (1 << bits, u32::MAX >> (31 - bits))
}

/// Returns the kind of a symbol's first choice, or [`None`] if the symbol has no choice.
pub fn choice_kind(grammar: &Grammar, symbol: SymbolId) -> Option<ChoiceKind> {
    match Choice::of(grammar, &grammar[symbol].kind) {
        Choice::None | Choice::Run { counted: false, .. } => None,
        Choice::Alternative { .. } => Some(ChoiceKind::Alternative),
        Choice::Count { .. } | Choice::Run { .. } => Some(ChoiceKind::Count),
        Choice::Member(_) => Some(ChoiceKind::Member),
        Choice::Name { .. } if is_use(grammar, symbol) => Some(ChoiceKind::Recency),
        Choice::Name { .. } => Some(ChoiceKind::Name),
        Choice::Case { .. } => Some(ChoiceKind::Case),
        Choice::Layout => Some(ChoiceKind::Layout),
    }
}

/// Returns whether a symbol is a use of a declared name.
pub fn is_use(grammar: &Grammar, symbol: SymbolId) -> bool {
    let effects = grammar.naming.as_deref().map(|naming| &naming.effects);
    effects.is_some_and(|effects| matches!(effects[symbol.0 as usize], Effect::Use { .. }))
}

/// Returns the character class of a symbol that is a class or a run.
pub fn class(grammar: &Grammar, symbol: SymbolId) -> Option<&Class> {
    match &grammar[symbol].kind {
        Kind::Class(class) | Kind::Run { class, .. } => Some(&grammar[*class]),
        _ => None,
    }
}

/// Returns the support of a choice: all outcomes that it can have, in ascending order. `seen`
/// contains the outcomes of the samples. The support of a count ends one outcome after the largest
/// outcome of the samples.
pub fn support(
    grammar: &Grammar,
    symbol: SymbolId,
    choice_kind: ChoiceKind,
    seen: &BTreeMap<u32, f64>,
) -> Vec<u32> {
    let max = seen.keys().next_back().copied().unwrap_or(0);
    if let (ChoiceKind::Member, Some(class)) = (choice_kind, class(grammar, symbol)) {
        let plain = class.plain().min(class.count());
        let others = (class.count() > plain).then_some(OTHERS);
        let wide = seen
            .keys()
            .copied()
            .filter(|&member| member >= plain && member != OTHERS);
        return (0..plain).chain(wide).chain(others).collect();
    }
    let spread = match &grammar[symbol].kind {
        Kind::Repeat {
            at_least, at_most, ..
        }
        | Kind::Run {
            at_least, at_most, ..
        } => at_most - at_least,
        _ => u32::MAX,
    };
    let count = match &grammar[symbol].kind {
        _ if choice_kind == ChoiceKind::Recency => max.saturating_add(2),
        Kind::Nonterminal { alternatives, .. } => alternatives.end - alternatives.start,
        Kind::Identifier { names, .. } => names.end - names.start + 1,
        Kind::Insensitive { .. } => 4,
        _ => bucket(spread).min(max.saturating_add(1)) + 1,
    };
    (0..count).collect()
}

/// A group of tokens whose texts are counted together: a symbol, and its first choice. The second
/// number is 0 if this choice is neither an alternative nor a name.
pub type Spelled = (SymbolId, u32);

/// Returns the group of a token. Returns [`None`] if no part of the token is spelled out, because
/// its counted choices fix its text.
pub fn word_of(grammar: &Grammar, derivation: &Derivation, node: usize) -> Option<Spelled> {
    let (symbol, choice) = (derivation.nodes[node].symbol, derivation.nodes[node].choice);
    match &grammar[symbol].kind {
        Kind::Identifier { names, .. } => {
            (choice == names.end - names.start).then_some((symbol, choice))
        }
        Kind::Nonterminal { .. } => {
            let inside = &derivation.nodes[node..node + derivation.nodes[node].size as usize];
            let is_spelled = |kind: &Kind| {
                matches!(
                    kind,
                    Kind::Run { .. } | Kind::Repeat { .. } | Kind::Class(_)
                )
            };
            inside
                .iter()
                .any(|node| is_spelled(&grammar[node.symbol].kind))
                .then_some((symbol, choice))
        }
        Kind::Run { .. } | Kind::Repeat { .. } => Some((symbol, 0)),
        _ => None,
    }
}

/// Returns whether a node of this kind counts as an expansion. An expansion has children that are
/// derived by choices of their own.
pub fn is_expansion(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Nonterminal { .. } | Kind::Repeat { .. } | Kind::Identifier { .. }
    )
}

/// Returns whether the probabilities of a kind of choice depend on the enclosing choices.
pub fn has_context(choice_kind: ChoiceKind) -> bool {
    matches!(
        choice_kind,
        ChoiceKind::Alternative | ChoiceKind::Count | ChoiceKind::Name | ChoiceKind::Recency
    )
}

/// Calls `record` with the kind and the outcome of every choice of a node. It omits the choice of a
/// used name, whose outcome depends on other nodes.
pub fn outcomes(
    grammar: &Grammar,
    derivation: &Derivation,
    node: usize,
    mut record: impl FnMut(ChoiceKind, u32),
) {
    let (symbol, choice) = (derivation.nodes[node].symbol, derivation.nodes[node].choice);
    let kind = &grammar[symbol].kind;
    let choice_kind = choice_kind(grammar, symbol);
    if let Some(choice_kind) = choice_kind.filter(|&kind| kind != ChoiceKind::Recency) {
        let outcome = match kind {
            Kind::Repeat { at_least, .. } | Kind::Run { at_least, .. } => bucket(choice - at_least),
            Kind::Lexeme { .. } => bucket(derivation.nodes[node].layout_tokens()),
            // A name that is declared without regard to scopes.
            Kind::Identifier { names, .. } if choice > names.end - names.start => {
                choice - (names.end - names.start) - 1
            }
            _ => choice,
        };
        record(choice_kind, outcome);
    }
    if let Kind::Run { class, .. } = kind {
        let class = &grammar[*class];
        members(
            class,
            &derivation.text[derivation.text_range(node)],
            |member| record(ChoiceKind::Member, member),
        );
    }
}

/// Calls `record` with every character of a text, as the index of a member of `class`.
pub fn members(class: &Class, mut text: &[u8], mut record: impl FnMut(u32)) {
    while !text.is_empty() {
        let (character, width) = class.read(text);
        text = &text[width..];
        record(class.index_of(character).unwrap_or(0));
    }
}

/// The planned choices of one node. A plan is a list of such entries in the order of the sentence.
#[derive(Clone, Debug)]
pub(super) struct PlannedChoice {
    pub symbol: SymbolId,
    /// The number of expansions that enclose the node.
    pub level: u32,
    /// The first choice of the node. For a character class, the character.
    pub choice: u32,
    /// The characters of a run, as a range of `Ptc2Generator::members`.
    pub members: Range<u32>,
}

/// Returns whether the expander calls the choice source for a symbol, because the symbol is entered
/// or has a choice.
pub(super) fn is_visited(grammar: &Grammar, symbol: SymbolId) -> bool {
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
    fn the_ranges_of_outcomes_cover_every_count_once() {
        let mut next = 0;
        for outcome in 0..=bucket(u32::MAX) {
            let (min, max) = counts(outcome);
            assert_eq!((min, bucket(min), bucket(max)), (next, outcome, outcome));
            next = max.wrapping_add(1);
        }
        assert_eq!(next, 0);
    }

    #[test]
    fn every_outcome_of_a_sentence_is_in_the_support() {
        let source = "@start list = item{1,100} ; item = \"a\"i | \"[\" list \"]\" | name ; @identifier name = [a-z]+ ; @skip s = \" \" ;";
        let (grammar, _) =
            crate::notation::read("lists", source.as_bytes(), &Default::default()).unwrap();
        let mut kinds = std::collections::BTreeSet::new();
        for seed in 0..200_u8 {
            let bytes: Vec<u8> = (0..100_u8).map(|at| at.wrapping_mul(seed) ^ seed).collect();
            let sentence = crate::parameters::sentence(&grammar, &Default::default(), &bytes);
            for (at, node) in sentence.nodes().iter().enumerate() {
                outcomes(&grammar, &sentence, at, |kind, outcome| {
                    let seen = [(outcome, 1.0)].into();
                    assert!(
                        support(&grammar, node.symbol, kind, &seen).contains(&outcome),
                        "{kind:?} {outcome}"
                    );
                    kinds.insert(kind);
                });
            }
        }
        assert_eq!(
            kinds.len(),
            6,
            "not all kinds of choices occurred: {kinds:?}"
        );
    }
}
