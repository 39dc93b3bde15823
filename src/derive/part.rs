//! A derivation that goes on in the middle of a sentence: parts of it are derived, the rest is known.

use std::ops::Range;

use super::{Chooser, Deriving, Keep, Piece, Workspace};
use crate::bounds::{Bounds, Caps};
use crate::grammar::{Grammar, PlaceId, Size, SymbolId};

/// A token that stands before what is derived, and is not empty.
#[derive(Clone, Debug)]
pub(crate) struct Before {
    /// Its text, without the layout before it.
    pub text: Range<u32>,
    /// Where it stands.
    pub place: PlaceId,
    /// Where the last token before it that is not empty stands.
    pub outer: Option<PlaceId>,
}

/// See the module's text. There is no bound of depth: what is derived does not know what it is inside of.
pub(crate) struct Part<'a, C, K>(Deriving<'a, C, K, false>);

impl<'a, C: Chooser, K: Keep> Part<'a, C, K> {
    /// Goes on behind `text`, of which `before` is the last token.
    #[expect(clippy::too_many_arguments, reason = "as derive_keeping")]
    #[inline(always)]
    pub fn new(
        grammar: &'a Grammar,
        bounds: &'a Bounds,
        caps: &Caps,
        chooser: &'a mut C,
        workspace: &'a mut Workspace,
        text: &'a mut Vec<u8>,
        keep: &'a mut K,
        before: Option<Before>,
    ) -> Self {
        let mut deriving = Deriving::new(grammar, grammar.start(), bounds, caps, chooser, workspace, text, keep);
        deriving.budget = super::Budget::new(caps, Size::default());
        // Without layout nothing is ever separated.
        if let (Some(Before { text, place, outer }), true) = (before, grammar.layout.is_some()) {
            let boundaries = &grammar.boundaries;
            let row = outer.map_or(boundaries.first_row(), |outer| boundaries.row_after(outer));
            deriving.piece = Some(Piece { from: text.start, to: text.end, terminal: boundaries.terminal(place), row });
            deriving.row = boundaries.row_after(place);
        }
        Part(deriving)
    }

    /// Derives a symbol, whose first token may be told to adjoin.
    #[inline(always)]
    pub fn derive(&mut self, symbol: SymbolId, adjoins: bool) {
        let Deriving { grammar, budget, pinched, .. } = &mut self.0;
        *pinched |= !budget.exchange(grammar[symbol].least, Size::default());
        self.0.adjoins = adjoins;
        self.0.run(symbol);
    }

    /// What derives, keeps and writes.
    #[inline(always)]
    pub fn parts(&mut self) -> (&mut C, &mut K, &mut Vec<u8>) {
        (self.0.chooser, self.0.keep, self.0.text)
    }

    /// Whether bounds or caps forbade an answer, so that a derivation of the whole sentence might differ.
    #[inline(always)]
    pub fn pinched(&self) -> bool {
        self.0.pinched
    }
}
