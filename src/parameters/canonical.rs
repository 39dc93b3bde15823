//! The normal form of parameters, in one pass: every choice is written down as it is made.

use super::codes;
use super::{Parameters, Settings, decode, encode};
use crate::derivation::Derivation;
use crate::derive::{Choice, Keep, Workspace, derive_keeping};
use crate::grammar::{Grammar, SymbolId};

/// The sentence that bytes make, into `derivation` (its text alone), and its canonical parameters, into `canonical`: what
/// [`encode`] makes of what [`decode`] makes of the bytes, about twice as fast.
#[inline(always)]
pub fn canonicalize(
    grammar: &Grammar,
    settings: &Settings,
    bytes: &[u8],
    workspace: &mut Workspace,
    derivation: &mut Derivation,
    canonical: &mut Vec<u8>,
) {
    derivation.clear();
    canonical.clear();
    let mut parameters = Parameters::new(bytes, settings.past_end);
    let mut keep = Canonical { bytes: canonical, torn: false };
    let (bounds, caps, text) = (&settings.bounds, &settings.caps, &mut derivation.text);
    derive_keeping(grammar, grammar.start(), bounds, caps, &mut parameters, workspace, text, &mut keep);
    if keep.torn {
        canonical.clear();
        decode(grammar, settings, bytes, workspace, derivation);
        encode(grammar, derivation, canonical);
    }
}

/// Keeps canonical parameters.
struct Canonical<'a> {
    bytes: &'a mut Vec<u8>,
    /// Whether a count stopped so early that its code would have another length.
    torn: bool,
}

impl Keep for Canonical<'_> {
    #[inline(always)]
    fn node(&mut self, _symbol: SymbolId, choice: u32, _text: u32, kind: Choice<'_>) -> u32 {
        let at = self.bytes.len() as u32;
        codes::write(kind, choice, self.bytes);
        at
    }

    #[inline(always)]
    fn recount(&mut self, node: u32, choice: u32, kind: Choice<'_>) {
        let code = &mut self.bytes[node as usize];
        let (new, is_short) = match kind {
            Choice::Count { at_least } => ((choice - at_least) as u8, *code < codes::SHORT_COUNT),
            _ => (codes::layout(choice), *code != codes::MUCH_LAYOUT),
        };
        if is_short {
            *code = new;
        } else {
            self.torn = true;
        }
    }

    #[inline(always)]
    fn next(&self) -> u32 {
        0
    }

    #[inline(always)]
    fn shift(&mut self, _first: u32, _bytes: u32) {}
}
