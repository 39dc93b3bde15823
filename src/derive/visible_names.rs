//! The names that are visible at a place of a sentence.
//!
//! A name is one of the fixed sequence of an identifier terminal. For each instance of a kind, such as `variable<int>`, a machine word
//! says which names are visible. Every change of a word is written to a log, which the end of a scope undoes.

use std::ops::Range;

use super::ChoiceSource;
use crate::bounds::Bounds;
use crate::grammar::{Effect, Naming, Needs, SymbolId};

/// What the end of a scope or of an `@after` restores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    /// The length of the log.
    log: u32,
    /// The number of pending declarations.
    pending: u32,
    was_after: bool,
    /// Whether it is a scope.
    is_scope: bool,
}

/// The maximum number of names of an identifier terminal.
const MAX_NAMES: usize = 64;

/// The visible names. All words are in one table: for each instance the names that are visible, for each identifier terminal the names
/// that the innermost scope declares, and for each of its names the symbol of the declaration that is visible, plus 1.
#[derive(Debug, Default)]
pub(crate) struct VisibleNames {
    words: Vec<u64>,
    /// The instances that have visible names, a bit for each.
    live: Vec<u64>,
    /// The words that were changed, with their values before.
    log: Vec<(u32, u64)>,
    /// Declarations that are visible from the end of an `@after`: the symbol and the name.
    pending: Vec<(SymbolId, u32)>,
    /// Whether declarations go to `pending`.
    is_after: bool,
    /// The fingerprint of the grammar that the words belong to.
    fingerprint: u64,
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
            self.live.clear();
            self.live.resize(naming.words(), 0);
            self.words.clear();
            self.words.resize(naming.instances as usize + naming.namespaces.len() * (1 + MAX_NAMES), 0);
        }
    }

    #[inline(always)]
    fn set(&mut self, at: usize, word: u64) {
        let old = self.words[at];
        if old != word {
            self.log.push((at as u32, old));
            self.put(at, word);
        }
    }

    #[inline(always)]
    fn put(&mut self, at: usize, word: u64) {
        self.words[at] = word;
        // The words of the instances come first.
        if let Some(live) = self.live.get_mut(at / 64) {
            let bit = 1 << (at % 64);
            *live = if word == 0 { *live & !bit } else { *live | bit };
        }
    }

    /// Restores all words that were changed since the log had this length.
    #[inline(always)]
    fn undo(&mut self, length: usize) {
        while self.log.len() > length {
            if let Some((at, old)) = self.log.pop() {
                self.put(at as usize, old);
            }
        }
    }

    /// Returns the names that the innermost scope declares.
    #[inline(always)]
    pub fn own(&self, naming: &Naming, namespace: u32) -> u64 {
        self.words[naming.instances as usize + namespace as usize]
    }

    /// Returns whether the innermost scope can still declare a name of each of these identifier terminals, which are bits. `most` is the
    /// bound of the number of names.
    #[inline(always)]
    pub fn has_free_names(&self, naming: &Naming, namespaces: u64, most: u32) -> bool {
        let mut rest = namespaces;
        while rest != 0 {
            let namespace = rest.trailing_zeros();
            let count = naming.namespaces[namespace as usize].min(most.max(1));
            let names = u64::MAX >> (MAX_NAMES as u32 - count.min(MAX_NAMES as u32));
            if self.own(naming, namespace) & names == names {
                return false;
            }
            rest &= rest - 1;
        }
        true
    }

    /// Returns the names that are visible in one of these instances.
    #[inline(always)]
    pub fn visible(&self, naming: &Naming, instances: &Range<u32>) -> u64 {
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
            if condition.iter().zip(&self.live).all(|(condition, live)| condition & live == 0) {
                return false;
            }
        }
        true
    }

    /// Carries out the declaration of a name. It becomes visible now, or at the end of the `@after` around it.
    #[inline(always)]
    pub fn declare(&mut self, naming: &Naming, symbol: SymbolId, name: u32) {
        let Effect::Declare { namespace, .. } = naming.effects[symbol.0 as usize] else { return };
        let own = naming.instances as usize + namespace as usize;
        self.set(own, self.words[own] | 1 << name);
        match self.is_after {
            true => self.pending.push((symbol, name)),
            false => self.show(naming, symbol, name),
        }
    }

    /// Makes a name visible as the symbol of its declaration says, and hides the same name of an outer scope.
    #[inline(always)]
    fn show(&mut self, naming: &Naming, symbol: SymbolId, name: u32) {
        let Effect::Declare { namespace, instances } = &naming.effects[symbol.0 as usize] else { return };
        let holder = naming.instances as usize + naming.namespaces.len() + *namespace as usize * MAX_NAMES + name as usize;
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

    /// Does what a nonterminal does with names when it is expanded. Returns what [`VisibleNames::leave`] needs, if it is a scope or an
    /// `@after`.
    #[inline(always)]
    pub fn enter(&mut self, naming: &Naming, symbol: SymbolId) -> Option<Mark> {
        let effect = &naming.effects[symbol.0 as usize];
        let mut mark =
            Mark { log: self.log.len() as u32, pending: self.pending.len() as u32, was_after: self.is_after, is_scope: false };
        match effect {
            Effect::None | Effect::Use { .. } | Effect::Declare { .. } => return None,
            Effect::Mark { instances } | Effect::Hide { instances } => {
                let word = u64::from(matches!(effect, Effect::Mark { .. }));
                for &instance in naming.list(instances) {
                    self.set(instance as usize, word);
                }
                return None;
            }
            Effect::Scope => {
                mark.is_scope = true;
                self.is_after = false;
                for namespace in 0..naming.namespaces.len() {
                    self.set(naming.instances as usize + namespace, 0);
                }
            }
            Effect::After => self.is_after = true,
        }
        Some(mark)
    }

    /// Leaves a scope or an `@after`.
    #[inline(always)]
    pub fn leave(&mut self, naming: &Naming, mark: Mark) {
        self.is_after = mark.was_after;
        if mark.is_scope {
            self.undo(mark.log as usize);
            return;
        }
        for at in mark.pending as usize..self.pending.len() {
            let (symbol, name) = self.pending[at];
            self.show(naming, symbol, name);
        }
        self.pending.truncate(mark.pending as usize);
    }
}

/// Returns whether a repetition can go on with an element. If the choice source wants the declared names of a scope to differ, it cannot
/// where no name is left for what the element declares.
#[inline(always)]
pub(super) fn can_repeat<C: ChoiceSource + ?Sized>(
    naming: &Naming,
    names: &VisibleNames,
    choice_source: &C,
    bounds: &Bounds,
    element: SymbolId,
) -> bool {
    let declares = naming.symbol_declares[element.0 as usize];
    declares == 0 || !choice_source.wants_free_names() || names.has_free_names(naming, declares, bounds.identifiers)
}
