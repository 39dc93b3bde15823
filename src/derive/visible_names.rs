//! The names that are visible at a position of a sentence.
//!
//! A name is one of the fixed list of names of an identifier terminal. For each instance of a kind,
//! such as `variable<int>`, a machine word says which names are visible, one bit for each name.
//! Every change of a word is written to a log, so that the end of a scope can undo it.

use std::ops::Range;

use crate::bounds::Bounds;
use crate::grammar::{Effect, Naming, Size, SizeTable, Sizes, SymbolId};

/// The state that the end of a scope or of an `@after` restores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    /// The length of the log.
    log: u32,
    /// The length of the log of sizes.
    sizes: u32,
    /// The number of pending declarations.
    pending: u32,
    was_after: bool,
    /// Whether the mark belongs to a scope.
    is_scope: bool,
}

/// The maximum number of names of an identifier terminal.
const MAX_NAMES: usize = 64;

/// The visible names. One table has all words, in this order: for each instance, the visible names;
/// for each identifier terminal, the names that the innermost scope declares; for each name of an
/// identifier terminal, its visible declaration. The word of a declaration has its symbol plus 1 in
/// the lower 32 bits, and its sequence number in the upper 32 bits.
#[derive(Debug, Default)]
pub(crate) struct VisibleNames {
    words: Vec<u64>,
    /// The number of instances.
    instances: u32,
    /// The minimum sizes of symbols with visible names.
    sizes: Sizes,
    /// The instances that became visible or hidden since the sizes were computed.
    changed: Vec<u32>,
    /// The words that were changed, with their old values.
    log: Vec<(u32, u64)>,
    /// Declarations that are visible from the end of an `@after`: the symbol and the name.
    pending: Vec<(SymbolId, u32)>,
    /// The number of declarations of the sentence so far.
    declarations: u32,
    /// Whether declarations go to `pending`.
    is_after: bool,
    /// The fingerprint of the grammar that the words belong to.
    fingerprint: u64,
}

impl VisibleNames {
    /// Begins a sentence without visible names.
    #[inline(always)]
    pub fn begin(&mut self, naming: &Naming, fingerprint: u64) {
        self.pending.clear();
        self.declarations = 0;
        self.is_after = false;
        if self.fingerprint == fingerprint {
            self.undo(naming, 0, 0);
        } else {
            self.fingerprint = fingerprint;
            self.log.clear();
            self.instances = naming.instances;
            self.sizes.restart(&naming.completion, &naming.base);
            self.words.clear();
            self.words.resize(
                naming.instances as usize + naming.namespaces.len() * (1 + MAX_NAMES),
                0,
            );
        }
    }

    #[inline(always)]
    fn set(&mut self, naming: &Naming, at: usize, word: u64) {
        let old = self.words[at];
        if old != word {
            self.log.push((at as u32, old));
            if self.put(naming, at, word) {
                self.changed.push(at as u32);
            }
        }
    }

    /// Sets a word without logging it. Returns whether an instance became visible or hidden.
    #[inline(always)]
    fn put(&mut self, naming: &Naming, at: usize, word: u64) -> bool {
        let old = std::mem::replace(&mut self.words[at], word);
        // The words of the instances come first.
        let has_changed = at < self.instances as usize && (old == 0) != (word == 0);
        if has_changed {
            self.sizes.count(&naming.completion, at as u32, word != 0);
        }
        has_changed
    }

    /// Computes the sizes for the instances that became visible or hidden.
    #[inline(always)]
    fn update(&mut self, naming: &Naming) {
        if !self.changed.is_empty() {
            self.sizes.update(&naming.completion, &self.changed);
            self.changed.clear();
        }
    }

    /// Restores the words to their values when the log had the length `length`, and the sizes to
    /// their values when the log of sizes had the length `sizes`.
    #[inline(always)]
    fn undo(&mut self, naming: &Naming, length: u32, sizes: u32) {
        while self.log.len() > length as usize {
            if let Some((at, old)) = self.log.pop() {
                self.put(naming, at as usize, old);
            }
        }
        self.sizes.undo(&naming.completion, sizes);
    }

    /// Returns the minimum sizes of symbols with visible names.
    #[inline(always)]
    pub fn sizes(&self) -> &SizeTable {
        self.sizes.table()
    }

    /// Returns the names that the innermost scope declares.
    #[inline(always)]
    pub fn own(&self, naming: &Naming, namespace: u32) -> u64 {
        self.words[naming.instances as usize + namespace as usize]
    }

    /// Returns the names that an identifier with this effect can take.
    #[cold]
    pub fn allowed(&self, naming: &Naming, effect: &Effect) -> u64 {
        match effect {
            Effect::Use { instances, .. } => self.visible(naming, instances),
            Effect::Declare { namespace, .. } => self.free(naming, *namespace),
            _ => u64::MAX,
        }
    }

    /// Returns whether an identifier with this effect can take a name.
    #[inline(always)]
    pub fn is_allowed(&self, naming: &Naming, effect: &Effect, name: u32) -> bool {
        match effect {
            Effect::Use { instances, .. } => self.visible(naming, instances) >> name & 1 != 0,
            Effect::Declare { namespace, .. } => self.is_free(naming, *namespace, name),
            _ => true,
        }
    }

    /// Returns the names that the innermost scope can declare. The scope must not have declared the
    /// name. The declaration must not hide the last visible name of an instance, because a later
    /// part of the sentence may need it.
    #[cold]
    fn free(&self, naming: &Naming, namespace: u32) -> u64 {
        let mut free = 0;
        for name in 0..MAX_NAMES as u32 {
            free |= u64::from(self.is_free(naming, namespace, name)) << name;
        }
        free
    }

    /// Returns whether a name is one of [`VisibleNames::free`].
    #[inline(always)]
    fn is_free(&self, naming: &Naming, namespace: u32, name: u32) -> bool {
        let bit = 1_u64 << name;
        if self.own(naming, namespace) & bit != 0 {
            return false;
        }
        let is_last = |list: &Range<u32>| {
            let mut instances = naming.list(list).iter();
            instances.any(|&instance| self.words[instance as usize] == bit)
        };
        let roles = &naming.roles[namespace as usize];
        if !roles.is_empty() && is_last(roles) {
            return false;
        }
        match self.holder(naming, namespace, name) {
            Some(Effect::Declare { instances, .. }) => !is_last(instances),
            _ => true,
        }
    }

    /// Returns the effect of the visible declaration of a name.
    #[inline(always)]
    fn holder<'n>(&self, naming: &'n Naming, namespace: u32, name: u32) -> Option<&'n Effect> {
        let symbol = self.words[holder(naming, namespace, name)] as u32;
        Some(&naming.effects[symbol.checked_sub(1)? as usize])
    }

    /// Returns one of the `names` by its recency: 0 is the name that became visible last, 1 the one
    /// before it, and so on. Larger numbers mean the name that became visible first. Returns
    /// [`None`] if `names` is empty.
    #[cold]
    pub fn recent(
        &self,
        naming: &Naming,
        namespace: u32,
        mut names: u64,
        recency: u32,
    ) -> Option<u32> {
        let latest = |names: u64| {
            let names = (0..MAX_NAMES as u32).filter(|name| names >> name & 1 != 0);
            names.max_by_key(|&name| self.words[holder(naming, namespace, name)] >> 32)
        };
        for _ in 0..recency.min(names.count_ones().saturating_sub(1)) {
            names &= !(1 << latest(names)?);
        }
        latest(names)
    }

    /// Returns whether the innermost scope can still declare a name of each identifier terminal in
    /// the bit set `namespaces`. `limit` is the bound of the number of names.
    #[inline(always)]
    pub fn has_free_names(&self, naming: &Naming, namespaces: u64, limit: u32) -> bool {
        let mut rest = namespaces;
        while rest != 0 {
            let namespace = rest.trailing_zeros();
            let count = naming.namespaces[namespace as usize].min(limit.max(1));
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

    /// Applies the effect of an identifier on its name: makes a declared name visible, adds the
    /// roles of a use, or hides a name that can be used once. Within an `@after`, the effect takes
    /// place at the end of the `@after`.
    #[inline(always)]
    pub fn declare(&mut self, naming: &Naming, symbol: SymbolId, name: u32) {
        match &naming.effects[symbol.0 as usize] {
            Effect::Declare { namespace, .. } => {
                let own = naming.instances as usize + *namespace as usize;
                self.set(naming, own, self.words[own] | 1 << name);
            }
            Effect::Use { roles, once, .. } if *once || !roles.is_empty() => {}
            _ => return,
        }
        match self.is_after {
            true => self.pending.push((symbol, name)),
            false => {
                self.show(naming, symbol, name);
                self.update(naming);
            }
        }
    }

    /// For a declaration, makes the name visible, and hides the same name of an outer scope. For a
    /// use, adds the roles of the name, and hides it if it can be used once.
    #[inline(always)]
    fn show(&mut self, naming: &Naming, symbol: SymbolId, name: u32) {
        let bit = 1_u64 << name;
        let (namespace, instances) = match &naming.effects[symbol.0 as usize] {
            Effect::Declare {
                namespace,
                instances,
            } => (namespace, instances),
            Effect::Use {
                instances,
                once,
                roles,
                ..
            } => {
                if *once {
                    for &instance in naming.list(instances) {
                        let at = instance as usize;
                        self.set(naming, at, self.words[at] & !bit);
                    }
                }
                for &instance in naming.list(roles) {
                    let at = instance as usize;
                    self.set(naming, at, self.words[at] | bit);
                }
                return;
            }
            _ => return,
        };
        for &instance in naming.list(&naming.roles[*namespace as usize]) {
            let at = instance as usize;
            self.set(naming, at, self.words[at] & !bit);
        }
        if let Some(Effect::Declare { instances, .. }) = self.holder(naming, *namespace, name) {
            for &instance in naming.list(instances) {
                let at = instance as usize;
                self.set(naming, at, self.words[at] & !bit);
            }
        }
        let holder = holder(naming, *namespace, name);
        self.declarations += 1;
        let number = u64::from(self.declarations) << 32;
        self.set(naming, holder, number | (u64::from(symbol.0) + 1));
        for &instance in naming.list(instances) {
            self.set(
                naming,
                instance as usize,
                self.words[instance as usize] | bit,
            );
        }
    }

    /// Applies the effect of a nonterminal on names. If it is a scope or an `@after`, returns the
    /// mark for [`VisibleNames::leave`].
    #[inline(always)]
    pub fn enter(&mut self, naming: &Naming, symbol: SymbolId) -> Option<Mark> {
        let effect = &naming.effects[symbol.0 as usize];
        let (log, sizes) = (self.log.len() as u32, self.sizes.mark());
        let mut mark = Mark {
            log,
            sizes,
            pending: self.pending.len() as u32,
            was_after: self.is_after,
            is_scope: false,
        };
        match effect {
            Effect::None | Effect::Use { .. } | Effect::Declare { .. } => return None,
            Effect::Mark { instances } | Effect::Hide { instances } => {
                let word = u64::from(matches!(effect, Effect::Mark { .. }));
                for &instance in naming.list(instances) {
                    self.set(naming, instance as usize, word);
                }
                self.update(naming);
                return None;
            }
            Effect::Scope => {
                mark.is_scope = true;
                self.is_after = false;
                for namespace in 0..naming.namespaces.len() {
                    self.set(naming, naming.instances as usize + namespace, 0);
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
            self.undo(naming, mark.log, mark.sizes);
            return;
        }
        for at in mark.pending as usize..self.pending.len() {
            let (symbol, name) = self.pending[at];
            self.show(naming, symbol, name);
        }
        self.pending.truncate(mark.pending as usize);
        self.update(naming);
    }
}

/// Returns the index of the word with the visible declaration of a name.
#[inline(always)]
fn holder(naming: &Naming, namespace: u32, name: u32) -> usize {
    naming.instances as usize
        + naming.namespaces.len()
        + namespace as usize * MAX_NAMES
        + name as usize
}

/// The alternatives of a nonterminal at a position of a sentence, in a grammar with names.
#[derive(Clone, Copy, Debug)]
pub struct AlternativesInScope<'a> {
    naming: &'a Naming,
    names: &'a VisibleNames,
    /// The alternatives that are no copies, as a range of the grammar's alternatives.
    regular: &'a Range<u32>,
    /// The bound of the number of names.
    max_names: u32,
}

impl<'a> AlternativesInScope<'a> {
    #[inline(always)]
    pub(super) fn new(
        naming: &'a Naming,
        names: &'a VisibleNames,
        regular: &'a Range<u32>,
        bounds: &Bounds,
    ) -> Self {
        AlternativesInScope {
            naming,
            names,
            regular,
            max_names: bounds.identifiers,
        }
    }

    /// Returns the minimum size of an alternative with visible names. It is infinite if the
    /// alternative cannot be completed with them.
    #[inline(always)]
    pub(crate) fn size(&self, index: u32) -> Size {
        if index >= self.regular.end - self.regular.start {
            return Size::NEVER;
        }
        self.naming
            .size(self.names.sizes(), self.regular.start + index)
    }

    /// Returns whether the innermost scope can still declare a name of each identifier terminal of
    /// which the alternative always declares one.
    #[inline(always)]
    pub(crate) fn has_free_names(&self, index: u32) -> bool {
        let declares = self.naming.alternative_declares[(self.regular.start + index) as usize];
        self.names
            .has_free_names(self.naming, declares, self.max_names)
    }
}
