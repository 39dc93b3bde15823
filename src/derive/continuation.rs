//! A derivation that begins in the middle of a sentence, after tokens that are already there.

use std::ops::Range;

use super::{Budget, ChoiceSource, Expander, LastToken, NodeSink};
use crate::bounds::Caps;
use crate::grammar::{PositionId, Size, SymbolId};

/// The token before the part of a sentence that is derived. It is not empty.
#[derive(Clone, Debug)]
pub(crate) struct PrecedingToken {
    /// The byte range of its text, without the layout before it.
    pub text: Range<u32>,
    /// Its position in the grammar.
    pub position: PositionId,
    /// The position of the last non-empty token before it, if there is one.
    pub previous: Option<PositionId>,
}

/// These methods must not be used with a bound of depth, because the symbols around the part are
/// unknown.
impl<C: ChoiceSource + ?Sized, S: NodeSink, const NAMES: bool> Expander<'_, C, S, NAMES> {
    /// Continues after a text that is already there. `preceding` is its last token, if it has one.
    #[inline(always)]
    pub fn continue_after(&mut self, caps: &Caps, preceding: &Option<PrecedingToken>) {
        self.budget = Budget::new(caps, Size::default());
        // Without layout there are no separators.
        if let (
            &Some(PrecedingToken {
                ref text,
                position,
                previous,
            }),
            true,
        ) = (preceding, self.grammar.layout.is_some())
        {
            let boundaries = &self.grammar.boundaries;
            let allowed = previous.map_or(boundaries.first_set(), |previous| {
                boundaries.follow_set_of(previous)
            });
            let terminal = boundaries.terminal(position);
            self.last_token = Some(LastToken {
                start: text.start,
                end: text.end,
                terminal,
                allowed,
            });
            self.follow_set = boundaries.follow_set_of(position);
        }
    }

    /// Prepares to derive a symbol at the end of the text. The budget pays its minimum size.
    /// `adjacent` is whether its first token must follow without layout.
    #[inline(always)]
    pub fn prepare(&mut self, symbol: SymbolId, adjacent: bool) {
        self.restricted |= !self
            .budget
            .exchange(self.grammar[symbol].minimum, Size::default());
        self.adjacent = adjacent;
    }

    /// Returns the choice source, the sink and the text.
    #[inline(always)]
    pub fn parts(&mut self) -> (&mut C, &mut S, &mut Vec<u8>) {
        (self.choice_source, self.sink, self.text)
    }

    /// Returns whether bounds or caps forbade an answer. Then a derivation of the whole sentence
    /// might be different.
    #[inline(always)]
    pub fn was_restricted(&self) -> bool {
        self.restricted
    }
}
