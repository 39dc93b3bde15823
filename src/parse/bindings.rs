//! The captured texts that an item must repeat.
//!
//! After a capture, an item has a *binding*: the texts of the captures in its alternative that are
//! still to be repeated. Items with different bindings are different items. So the dot moves over a
//! token that repeats a capture only if the token has the captured text.

use std::collections::HashMap;

use crate::grammar::{MAX_CAPTURE, SymbolId};
use crate::parse::tables::CaptureRole;

/// The number of a binding.
pub type BindingId = u32;

/// The empty binding, without texts.
pub const UNBOUND: BindingId = 0;

/// The bindings of the items of a text.
#[derive(Debug, Default)]
pub struct Bindings {
    /// The captured texts, each with its symbol.
    texts: Vec<(SymbolId, Box<[u8]>)>,
    /// The index in `texts` of each captured text, by symbol.
    known: HashMap<SymbolId, HashMap<Box<[u8]>, u32>>,
    /// The lengths of the captured texts of each symbol, in ascending order.
    lengths: HashMap<SymbolId, Vec<usize>>,
    /// The indices in `texts` of each binding except [`UNBOUND`], in ascending order.
    sets: Vec<Box<[u32]>>,
    numbers: HashMap<Box<[u32]>, BindingId>,
    /// The number of each pair of the origin and the binding of an item.
    origins: HashMap<(u32, BindingId), u32>,
    /// The approximate memory in bytes.
    memory: usize,
}

impl Bindings {
    pub fn clear(&mut self) {
        if self.memory > 0 {
            *self = Bindings::default();
        }
    }

    pub fn memory(&self) -> usize {
        self.memory
    }

    /// Returns the binding after a token, or [`None`] if the token must not have this text there.
    #[inline(always)]
    pub fn after(
        &mut self,
        binding: BindingId,
        role: CaptureRole,
        text: &[u8],
    ) -> Option<BindingId> {
        match role {
            CaptureRole::None => Some(binding),
            CaptureRole::Capture(_) if text.len() > MAX_CAPTURE as usize => None,
            CaptureRole::Capture(symbol) => {
                let text = self.text(symbol, text);
                Some(self.with(binding, text))
            }
            CaptureRole::Same { of, is_last } => {
                let bound = self.bound(binding, of)?;
                let is_equal = *self.texts[bound as usize].1 == *text;
                is_equal.then(|| match is_last {
                    true => self.without(binding, bound),
                    false => binding,
                })
            }
        }
    }

    /// Returns the binding before a token, given the binding after it: the inverse of
    /// [`after`](Bindings::after). [`None`] if there is no such binding.
    pub fn before(&self, binding: BindingId, role: CaptureRole, text: &[u8]) -> Option<BindingId> {
        let set = self.set(binding);
        let known = |symbol, text| self.known.get(&symbol)?.get(text).copied();
        let wanted = match role {
            CaptureRole::Capture(symbol) => {
                let text = known(symbol, text)?;
                if !set.contains(&text) {
                    return None;
                }
                set.iter().copied().filter(|&bound| bound != text).collect()
            }
            CaptureRole::Same { of, is_last: true } => {
                let mut wanted = set.to_vec();
                wanted.push(known(of, text)?);
                wanted.sort_unstable();
                wanted
            }
            _ => return Some(binding),
        };
        match &wanted[..] {
            [] => Some(UNBOUND),
            wanted => self.numbers.get(wanted).copied(),
        }
    }

    /// Returns the text of a captured symbol in a binding.
    pub fn captured(&self, binding: BindingId, symbol: SymbolId) -> Option<&[u8]> {
        let bound = self.bound(binding, symbol)?;
        Some(&self.texts[bound as usize].1)
    }

    /// Calls a function with the length of each prefix of `rest` that is a captured text of the
    /// symbol.
    pub fn each_repetition(&self, symbol: SymbolId, rest: &[u8], mut found: impl FnMut(usize)) {
        let (Some(lengths), Some(known)) = (self.lengths.get(&symbol), self.known.get(&symbol))
        else {
            return;
        };
        let fitting = lengths.iter().take_while(|&&length| length <= rest.len());
        fitting
            .filter(|&&length| known.contains_key(&rest[..length]))
            .for_each(|&length| found(length));
    }

    /// Returns a number that identifies the origin and the binding of an item. If the binding is
    /// empty, the number is the origin.
    #[inline(always)]
    pub fn origin(&mut self, origin: u32, binding: BindingId) -> u32 {
        if binding == UNBOUND {
            return origin;
        }
        let next = u32::MAX - self.origins.len() as u32;
        *self.origins.entry((origin, binding)).or_insert_with(|| {
            self.memory += 2 * size_of::<(u32, BindingId, u32)>();
            next
        })
    }

    /// Returns the index of a captured text. Adds the text if it is new.
    fn text(&mut self, symbol: SymbolId, text: &[u8]) -> u32 {
        let known = self.known.entry(symbol).or_default();
        if let Some(&known) = known.get(text) {
            return known;
        }
        let number = self.texts.len() as u32;
        known.insert(text.into(), number);
        self.texts.push((symbol, text.into()));
        let lengths = self.lengths.entry(symbol).or_default();
        if let Err(at) = lengths.binary_search(&text.len()) {
            lengths.insert(at, text.len());
        }
        self.memory += 2 * (text.len() + size_of::<Box<[u8]>>() + 16);
        number
    }

    /// Returns the texts of a binding.
    fn set(&self, binding: BindingId) -> &[u32] {
        match binding.checked_sub(1) {
            Some(at) => &self.sets[at as usize],
            None => &[],
        }
    }

    /// Returns the index of the text of a captured symbol in a binding.
    fn bound(&self, binding: BindingId, symbol: SymbolId) -> Option<u32> {
        let mut set = self.set(binding).iter().copied();
        set.find(|&text| self.texts[text as usize].0 == symbol)
    }

    /// Returns a binding with one more text.
    fn with(&mut self, binding: BindingId, text: u32) -> BindingId {
        let mut set = self.set(binding).to_vec();
        set.push(text);
        set.sort_unstable();
        self.number(set)
    }

    /// Returns a binding without one of its texts.
    fn without(&mut self, binding: BindingId, text: u32) -> BindingId {
        let rest = self.set(binding).iter().copied();
        let set = rest.filter(|&bound| bound != text).collect();
        self.number(set)
    }

    /// Returns the number of a binding. Adds the binding if it is new.
    fn number(&mut self, set: Vec<u32>) -> BindingId {
        if set.is_empty() {
            return UNBOUND;
        }
        if let Some(&known) = self.numbers.get(&set[..]) {
            return known;
        }
        let set: Box<[u32]> = set.into();
        self.memory += 2 * (size_of_val(&*set) + size_of::<Box<[u32]>>() + 16);
        self.sets.push(set.clone());
        let number = self.sets.len() as BindingId;
        self.numbers.insert(set, number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bindings_are_found_in_both_directions() {
        let mut bindings = Bindings::default();
        let (one, other) = (SymbolId(1), SymbolId(2));
        let [first, last] = [false, true].map(|is_last| CaptureRole::Same { of: one, is_last });
        let mut binding = UNBOUND;
        // The captures cross each other.
        let crossing = CaptureRole::Same {
            of: other,
            is_last: true,
        };
        for (role, text) in [
            (CaptureRole::Capture(one), "a"),
            (CaptureRole::Capture(other), "a"),
            (first, "a"),
            (last, "a"),
            (CaptureRole::None, "b"),
            (crossing, "a"),
        ] {
            if role != CaptureRole::None && !matches!(role, CaptureRole::Capture(_)) {
                assert_eq!(bindings.after(binding, role, b"b"), None);
            }
            let next = bindings.after(binding, role, text.as_bytes()).unwrap();
            assert_eq!(bindings.before(next, role, text.as_bytes()), Some(binding));
            binding = next;
        }
        assert_eq!(binding, UNBOUND);
        let mut lengths = Vec::new();
        bindings.each_repetition(one, b"ab", |length| lengths.push(length));
        assert_eq!(lengths, [1]);
    }
}
