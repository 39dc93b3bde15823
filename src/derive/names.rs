//! The names that are visible while a sentence is derived.
//!
//! A name is one of the fixed sequence of an identifier terminal. For each instance of a kind, such as `variable<int>`, a machine word
//! says which names are visible. Every change of a word is written to a log, which the end of a scope undoes.

use std::ops::Range;

use super::agenda::Task;
use super::{ChoiceSource, Expander, NodeSink};
use crate::bounds::Bounds;
use crate::grammar::{Effect, Naming, Needs, SymbolId, span};

/// The maximum number of names of an identifier terminal.
const MAX_NAMES: usize = 64;

/// The visible names. All words are in one table: for each instance the names that are visible, for each identifier terminal the names
/// that the innermost scope declares, and for each of its names the symbol of the declaration that is visible, plus 1.
#[derive(Debug, Default)]
pub(super) struct VisibleNames {
    words: Vec<u64>,
    /// The words that were changed, with their values before.
    log: Vec<(u32, u64)>,
    /// Declarations that are visible from the end of an `@after`: the symbol and the name.
    pending: Vec<(SymbolId, u32)>,
    /// Whether declarations go to `pending`.
    is_after: bool,
    /// The fingerprint of the grammar that the words belong to.
    fingerprint: u64,
}

/// What the end of a scope or of an `@after` restores.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    /// The length of the log.
    log: u32,
    /// The number of pending declarations.
    pending: u32,
    was_after: bool,
}

impl VisibleNames {
    /// Begins a sentence without visible names.
    #[inline(always)]
    pub fn begin(&mut self, naming: &Naming, fingerprint: u64) {
        self.undo(0);
        self.pending.clear();
        self.is_after = false;
        if self.fingerprint != fingerprint {
            self.fingerprint = fingerprint;
            self.words.clear();
            self.words.resize(naming.instances as usize + naming.namespaces as usize * (1 + MAX_NAMES), 0);
        }
    }

    #[inline(always)]
    fn set(&mut self, at: usize, word: u64) {
        let old = self.words[at];
        if old != word {
            self.log.push((at as u32, old));
            self.words[at] = word;
        }
    }

    /// Restores all words that were changed since the log had this length.
    #[inline(always)]
    fn undo(&mut self, length: usize) {
        while self.log.len() > length {
            if let Some((at, old)) = self.log.pop() {
                self.words[at as usize] = old;
            }
        }
    }

    /// Returns the index of the word of the names that the innermost scope declares.
    #[inline(always)]
    fn own(naming: &Naming, namespace: u32) -> usize {
        naming.instances as usize + namespace as usize
    }

    /// Returns the names that are visible in one of these instances.
    #[inline(always)]
    fn visible(&self, naming: &Naming, instances: &Range<u32>) -> u64 {
        let mut names = 0;
        for &instance in naming.list(instances) {
            names |= self.words[instance as usize];
        }
        names
    }

    /// Returns whether all conditions of a conjunction are true.
    #[inline(always)]
    pub fn satisfies(&self, naming: &Naming, needs: Needs) -> bool {
        for condition in naming.conditions(needs) {
            if self.visible(naming, condition) == 0 {
                return false;
            }
        }
        true
    }

    /// Makes a name visible as the symbol of its declaration says, and hides the same name of an outer scope.
    #[inline(always)]
    fn declare(&mut self, naming: &Naming, symbol: SymbolId, name: u32) {
        let Effect::Declare { namespace, instances } = &naming.effects[symbol.0 as usize] else { return };
        let holder = naming.instances as usize + naming.namespaces as usize + *namespace as usize * MAX_NAMES + name as usize;
        let bit = 1_u64 << name;
        if let Some(old) = (self.words[holder] as usize).checked_sub(1) {
            if let Effect::Declare { instances, .. } = &naming.effects[old] {
                for &instance in naming.list(instances) {
                    self.set(instance as usize, self.words[instance as usize] & !bit);
                }
            }
        }
        self.set(holder, u64::from(symbol.0) + 1);
        for &instance in naming.list(instances) {
            self.set(instance as usize, self.words[instance as usize] | bit);
        }
    }

    /// Leaves a scope or an `@after`.
    #[inline(always)]
    pub fn leave(&mut self, naming: &Naming, mark: Mark, is_scope: bool) {
        self.is_after = mark.was_after;
        if is_scope {
            self.undo(mark.log as usize);
            return;
        }
        for at in mark.pending as usize..self.pending.len() {
            let (symbol, name) = self.pending[at];
            self.declare(naming, symbol, name);
        }
        self.pending.truncate(mark.pending as usize);
    }
}

/// Returns the set bit of a word with the number `at`, modulo their number. At least one must be set.
#[inline(always)]
fn nth_bit(mut word: u64, at: u32) -> u32 {
    for _ in 0..at % word.count_ones() {
        word &= word - 1;
    }
    word.trailing_zeros()
}

/// These methods are for grammars with names.
impl<C: ChoiceSource + ?Sized, S: NodeSink> Expander<'_, C, S> {
    /// Puts the rest of the innermost sequence onto the stack, and does what a nonterminal does with names.
    #[inline(always)]
    pub(super) fn suspend_with_names(&mut self, naming: &Naming, symbol: SymbolId) {
        let effect = &naming.effects[symbol.0 as usize];
        if matches!(effect, Effect::None | Effect::Use { .. } | Effect::Declare { .. }) {
            return self.suspend();
        }
        let names = &mut *self.names;
        let mark = Mark { log: names.log.len() as u32, pending: names.pending.len() as u32, was_after: names.is_after };
        let mut is_scope = false;
        match effect {
            Effect::Scope => {
                is_scope = true;
                names.is_after = false;
                for namespace in 0..naming.namespaces {
                    names.set(VisibleNames::own(naming, namespace), 0);
                }
            }
            Effect::After => names.is_after = true,
            Effect::Mark { instances } | Effect::Hide { instances } => {
                let word = u64::from(matches!(effect, Effect::Mark { .. }));
                for &instance in naming.list(instances) {
                    names.set(instance as usize, word);
                }
                return self.suspend();
            }
            Effect::None | Effect::Use { .. } | Effect::Declare { .. } => {}
        }
        self.push(self.level, Task::LeaveScope { next: self.next, end: self.end, mark, is_scope });
    }

    /// Chooses a name of an identifier terminal, as [`Expander::name`] does. A use takes a visible name if there is one, a declaration a
    /// name that the innermost scope does not have. Returns its index; the number of names for the escape; or that number plus 1 plus the
    /// index for a name without regard to scopes.
    #[inline(always)]
    pub(super) fn name_in_scope(&mut self, naming: &Naming, symbol: SymbolId, escape: SymbolId, names: &Range<u32>) -> u32 {
        let count = names.end - names.start;
        let effect = &naming.effects[symbol.0 as usize];
        let allowed = match effect {
            Effect::Use { instances, .. } => self.names.visible(naming, instances),
            Effect::Declare { namespace, .. } => !self.names.words[VisibleNames::own(naming, *namespace)],
            _ => return self.name(symbol, escape, count),
        };
        let reserved = self.grammar[symbol].minimum;
        let chosen = self.choice_source.name_in_scope(symbol, count);
        let mut limit = count;
        if self.bounds.identifiers != Bounds::NONE {
            limit = count.min(self.bounds.identifiers.max(1));
        }
        let is_free = chosen >= count && limit == count;
        let size = match chosen > count {
            true => self.name_size(names, escape, chosen - count - 1),
            false => self.name_size(names, escape, chosen),
        };
        let mut choice = chosen;
        if !(is_free && self.budget.exchange(size, reserved)) {
            // Names are ordered by length, so the affordable names are the first ones.
            while limit > 1 && !self.budget.affords(self.name_size(names, escape, limit - 1), reserved) {
                limit -= 1;
            }
            let allowed = allowed & (u64::MAX >> (64 - limit));
            choice = match allowed {
                _ if chosen < limit && allowed >> chosen & 1 != 0 => chosen,
                0 => chosen % limit,
                _ => nth_bit(allowed, chosen),
            };
            self.restricted |= choice != chosen;
            self.budget.exchange(self.name_size(names, escape, choice), reserved);
        }
        let name = if choice > count { choice - count - 1 } else { choice };
        if let (Effect::Declare { namespace, .. }, true) = (effect, choice != count) {
            let own = VisibleNames::own(naming, *namespace);
            self.names.set(own, self.names.words[own] | 1 << name);
            match self.names.is_after {
                true => self.names.pending.push((symbol, name)),
                false => self.names.declare(naming, symbol, name),
            }
        }
        choice
    }

    /// Returns whether an alternative can be completed with visible names.
    #[inline(always)]
    pub(super) fn is_completable(&self, alternative: u32) -> bool {
        match self.naming {
            Some(naming) => self.names.satisfies(naming, naming.alternative_needs[alternative as usize]),
            None => true,
        }
    }

    /// Maps the index of an alternative that cannot be completed with visible names to that of one that can, if there is any.
    #[cold]
    #[inline(always)]
    pub(super) fn completable(&self, alternatives: &Range<u32>, chosen: u32, reserved: crate::grammar::Size) -> Option<u32> {
        let is_allowed = |&at: &u32| self.is_completable(at) && self.budget.affords(self.alternative_size(at), reserved);
        let mut count = 0;
        for at in span(alternatives) {
            count += u32::from(is_allowed(&(at as u32)));
        }
        let mut rest = chosen.checked_rem(count)?;
        for at in alternatives.clone() {
            if is_allowed(&at) {
                if rest == 0 {
                    return Some(at - alternatives.start);
                }
                rest -= 1;
            }
        }
        None
    }
}
