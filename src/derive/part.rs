//! A derivation that begins in the middle of a sentence: what stands before is known.

use std::ops::Range;

use super::{Budget, ChoiceSource, Deriving, LastToken, NodeSink};
use crate::bounds::Caps;
use crate::grammar::{PositionId, Size, SymbolId};

/// A token that stands before what is derived, and is not empty.
#[derive(Clone, Debug)]
pub(crate) struct Before {
    /// Its text, without the layout before it.
    pub text: Range<u32>,
    /// Where it stands.
    pub place: PositionId,
    /// Where the last token before it that is not empty stands.
    pub outer: Option<PositionId>,
}

/// There is no bound of depth: what is derived does not know what it is inside of.
impl<C: ChoiceSource + ?Sized, K: NodeSink> Deriving<'_, C, K> {
    /// Goes on behind text that is there, of which `before` is the last token.
    #[inline(always)]
    pub fn goes_on(&mut self, caps: &Caps, before: &Option<Before>) {
        self.budget = Budget::new(caps, Size::default());
        // Without layout nothing is ever separated.
        if let (&Some(Before { ref text, place, outer }), true) = (before, self.grammar.layout.is_some()) {
            let boundaries = &self.grammar.boundaries;
            let row = outer.map_or(boundaries.first_row(), |outer| boundaries.row_after(outer));
            self.piece = Some(LastToken { from: text.start, to: text.end, terminal: boundaries.terminal(place), row });
            self.row = boundaries.row_after(place);
        }
    }

    /// Makes ready to derive a symbol behind what is there; its first token may have to adjoin.
    #[inline(always)]
    pub fn prepare(&mut self, symbol: SymbolId, adjoins: bool) {
        self.pinched |= !self.budget.exchange(self.grammar[symbol].minimum, Size::default());
        self.adjoins = adjoins;
    }

    /// What chooses, keeps and has been written.
    #[inline(always)]
    pub fn parts(&mut self) -> (&mut C, &mut K, &mut Vec<u8>) {
        (self.choice_source, self.keep, self.text)
    }

    /// Whether bounds or caps forbade an answer, so that a derivation of the whole sentence might differ.
    #[inline(always)]
    pub fn pinched(&self) -> bool {
        self.pinched
    }
}
