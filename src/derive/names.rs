//! The choice of names, and of alternatives that need names.

use std::ops::Range;

use super::agenda::Task;
use super::{AlternativesInScope, ChoiceSource, Expander, NodeSink};
use crate::bounds::Bounds;
use crate::grammar::{Effect, Naming, Size, SymbolId, span};

/// Returns the index of the set bit number `at`, modulo the number of set bits. At least one bit
/// must be set.
#[inline(always)]
fn nth_bit(mut word: u64, at: u32) -> u32 {
    for _ in 0..at % word.count_ones() {
        word &= word - 1;
    }
    word.trailing_zeros()
}

impl<C: ChoiceSource + ?Sized, S: NodeSink, const NAMES: bool> Expander<'_, C, S, NAMES> {
    /// Puts the rest of the innermost sequence onto the stack, and applies the effect of a
    /// nonterminal on names.
    #[inline(always)]
    pub(super) fn suspend_with_names(&mut self, naming: &Naming, symbol: SymbolId) {
        match self.names.enter(naming, symbol) {
            Some(mark) => self.push(
                self.level,
                Task::LeaveScope {
                    next: self.next,
                    end: self.end,
                    mark,
                },
            ),
            None => self.suspend(),
        }
    }

    /// Chooses a name of an identifier terminal, as [`Expander::name`] does. A use takes a visible
    /// name if there is one. A declaration takes a name that the innermost scope does not have, if
    /// there is one. Returns the index of the name. With `n` names, returns `n` for a name that is
    /// spelled out, and `n + 1 + index` for a name that ignores scopes.
    #[inline(always)]
    pub(super) fn name_in_scope(
        &mut self,
        naming: &Naming,
        symbol: SymbolId,
        escape: SymbolId,
        names: &Range<u32>,
    ) -> u32 {
        let count = names.end - names.start;
        let effect = &naming.effects[symbol.0 as usize];
        if !matches!(effect, Effect::Use { .. } | Effect::Declare { .. }) {
            return self.name(symbol, escape, count);
        }
        let reserved = self.grammar[symbol].minimum;
        let recent = match effect {
            Effect::Use { namespace, .. } => {
                self.choice_source.recency(symbol).and_then(|recency| {
                    let visible = self.names.allowed(naming, effect);
                    self.names.recent(naming, *namespace, visible, recency)
                })
            }
            _ => None,
        };
        let chosen = recent.unwrap_or_else(|| self.choice_source.name_in_scope(symbol, count));
        let limit = match self.bounds.identifiers {
            Bounds::NONE => count,
            bound => count.min(bound.max(1)),
        };
        // Numbers above `count` are names that ignore scopes.
        let is_marked = chosen > count;
        let name = if is_marked {
            chosen - count - 1
        } else {
            chosen
        };
        let is_free = if chosen == count {
            self.bounds.identifiers == Bounds::NONE
        } else {
            name < limit && (is_marked || self.names.is_allowed(naming, effect, name))
        };
        let mut choice = chosen;
        if !(is_free
            && self
                .budget
                .exchange(self.name_size(names, escape, name), reserved))
        {
            // Names are ordered by length, so the affordable names are the first ones.
            let mut affordable = limit;
            while affordable > 1
                && !self
                    .budget
                    .affords(self.name_size(names, escape, affordable - 1), reserved)
            {
                affordable -= 1;
            }
            let allowed = match is_marked {
                true => 0,
                false => self.names.allowed(naming, effect) & (u64::MAX >> (64 - affordable)),
            };
            choice = if allowed == 0 {
                count + 1 + name % affordable
            } else {
                nth_bit(allowed, name)
            };
            let name = if allowed == 0 {
                name % affordable
            } else {
                choice
            };
            self.budget
                .exchange(self.name_size(names, escape, name), reserved);
        }
        let name = if choice > count {
            choice - count - 1
        } else {
            choice
        };
        if choice != count {
            self.names.declare(naming, symbol, name);
        }
        choice
    }

    /// Chooses an alternative as [`Expander::alternative`] does, in a grammar with names.
    #[inline(always)]
    pub(super) fn alternative_in_scope(
        &mut self,
        naming: &Naming,
        symbol: SymbolId,
        alternatives: &Range<u32>,
        reserved: Size,
    ) -> u32 {
        let options = alternatives.end - alternatives.start;
        let Expander {
            grammar,
            choice_source,
            names,
            bounds,
            ..
        } = self;
        let regular = alternatives.start..alternatives.start + naming.regular[symbol.0 as usize];
        let in_scope = AlternativesInScope::new(naming, names, &regular, bounds);
        let chosen = choice_source.alternative_in_scope(grammar, symbol, options, &in_scope);
        let mut index = chosen;
        // If the chosen alternative is not possible, prefer one that is not a copy.
        if self.choice_source.ended() {
            index = self.simplest(naming, &regular, reserved);
        } else if !self.is_completable(naming, &regular, alternatives.start + index)
            || !self
                .budget
                .affords(self.alternative_size(alternatives.start + index), reserved)
        {
            index = self
                .completable(naming, &regular, index, reserved)
                .unwrap_or(index);
        }
        if !self
            .budget
            .affords(self.alternative_size(alternatives.start + index), reserved)
        {
            index = self.allowed(alternatives.start, options, index, reserved);
        }
        if !self.is_completable(naming, &regular, alternatives.start + index) {
            // Store the copy as the choice. Under larger caps, the expander could replace `index`
            // by another alternative.
            let copy = naming.copies[(alternatives.start + index) as usize];
            index = if copy > 0 { copy } else { index };
        }
        self.budget
            .exchange(self.alternative_size(alternatives.start + index), reserved);
        index
    }

    /// Returns the alternative with the smallest size if only visible names are used. If no
    /// alternative can be completed with visible names, returns the one with the smallest size.
    #[cold]
    #[inline(always)]
    fn simplest(&self, naming: &Naming, regular: &Range<u32>, reserved: Size) -> u32 {
        let sizes = |&at: &u32| {
            (
                naming.size(self.names.sizes(), at),
                self.alternative_size(at),
            )
        };
        let affordable = regular
            .clone()
            .filter(|&at| self.budget.affords(self.alternative_size(at), reserved));
        affordable
            .min_by_key(sizes)
            .map_or(0, |at| at - regular.start)
    }

    /// Returns whether an alternative can be completed with visible names. A copy always can,
    /// because it needs none.
    #[inline(always)]
    fn is_completable(&self, naming: &Naming, regular: &Range<u32>, alternative: u32) -> bool {
        alternative >= regular.end || naming.size(self.names.sizes(), alternative).is_finite()
    }

    /// Maps the index of an alternative that is not possible to the index of a possible one: the
    /// budget allows it, and it can be completed with visible names. Returns [`None`] if there is
    /// none. Small indices map to alternatives that are small where no name is visible.
    #[cold]
    #[inline(always)]
    fn completable(
        &self,
        naming: &Naming,
        regular: &Range<u32>,
        chosen: u32,
        reserved: Size,
    ) -> Option<u32> {
        let is_allowed = |index: u32| {
            let at = regular.start + index;
            self.is_completable(naming, regular, at)
                && self.budget.affords(self.alternative_size(at), reserved)
        };
        let order = &naming.by_size[span(regular)];
        let mut count = 0;
        for &index in order {
            count += u32::from(is_allowed(index));
        }
        let mut rest = chosen.checked_rem(count)?;
        for &index in order {
            if is_allowed(index) {
                if rest == 0 {
                    return Some(index);
                }
                rest -= 1;
            }
        }
        None
    }
}
