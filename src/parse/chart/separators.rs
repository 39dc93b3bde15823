//! Early rejection of tokens that have no separator before them although the expander would write
//! one.
//!
//! Several tokens can end where a token begins. The chart does not say which of them comes before
//! it in the derivation. So a token is rejected here only if the expander would separate it from
//! each of them. The other cases are found when the derivation is extracted (see
//! [`Conflict`](crate::parse::extract::Conflict)).

use super::{Chart, CompletedItem};
use crate::grammar::{FollowSet, Kind, PositionId, SymbolId, TerminalId};
use crate::parse::ParseInput;
use crate::parse::scan::Found;

/// A token that ends at the current set. It can come before the tokens that begin there.
#[derive(Clone, Copy, Debug)]
pub struct EndingToken {
    /// The terminals that can come after it. `None` means any terminal, because the token is empty.
    next: Option<FollowSet>,
    /// The minimum length in bytes of a token that can follow it without a separator.
    min_length: usize,
}

/// Finds the tokens that end at the last set of the chart, which is at offset `at`, and stores them
/// in `preceding`. Leaves `preceding` empty if the expander would separate none of the tokens that
/// begin there.
pub fn meet(input: ParseInput<'_>, chart: &Chart, at: u32, preceding: &mut Vec<EndingToken>) {
    let ParseInput { grammar, text, .. } = input;
    let boundaries = grammar.boundaries();
    let set = chart.sets.len() as u32 - 1;
    let here = || {
        chart
            .tokens
            .found
            .iter()
            .filter(|found| found.from == at)
            .map(|found| found.to)
    };
    preceding.clear();
    let (Some(min), Some(to)) = (here().min(), here().max()) else {
        return;
    };
    if grammar.layout().is_none() || at != chart.sets[set as usize].at {
        return;
    }
    let next = &text[at as usize..to as usize];
    let position_of = |done: &CompletedItem, end: u32| match grammar[SymbolId(done.key >> 1)].kind {
        Kind::Lexeme { position, .. } if done.how < end => Some(position),
        _ => None,
    };
    let text_of = |done: &CompletedItem| &text[done.how as usize..at as usize];
    let may_need_separator = |position: PositionId, done: &CompletedItem| {
        boundaries.may_need_separator(boundaries.terminal(position), text_of(done), next)
    };
    if !chart.lexemes(set).iter().any(|last| {
        position_of(last, at).is_some_and(|position| may_need_separator(position, last))
    }) {
        return;
    }
    for last in chart.lexemes(set) {
        input.fuel.spend(
            chart.lexemes(last.origin).len() + chart.tokens.found.len() + text_of(last).len() / 16,
        );
        let Some(position) = position_of(last, at) else {
            preceding.push(EndingToken {
                next: None,
                min_length: 0,
            });
            continue;
        };
        let (terminal, before) = (boundaries.terminal(position), text_of(last));
        let min_length = |allowed| match boundaries.needs_separator(allowed, terminal, before, next)
        {
            true => boundaries
                .bytes_until_split(allowed, before, next)
                .unwrap_or(usize::MAX),
            false => 0,
        };
        // The terminals that were allowed at the last token are the follow set of the token before
        // it. Several tokens can be there, so take the minimum over all of them.
        let from = chart.sets[last.origin as usize].at;
        let follow_sets = chart.lexemes(last.origin).iter().map(|first| {
            position_of(first, from).map(|position| boundaries.follow_set_of(position))
        });
        let min_length = match last.origin {
            0 => min_length(boundaries.first_set()),
            _ => follow_sets
                .filter(|allowed| {
                    allowed.is_none_or(|allowed| boundaries.allows(allowed, terminal))
                })
                .map(|allowed| allowed.map_or(0, min_length))
                .min()
                .unwrap_or(0),
        };
        let next = boundaries.follow_set_of(position);
        preceding.push(EndingToken {
            next: Some(next),
            min_length,
        });
        let is_open =
            |found: &Found| found.from != at || boundaries.allows(next, TerminalId(found.terminal));
        if min_length <= (min - at) as usize && chart.tokens.found.iter().all(is_open) {
            return preceding.clear();
        }
    }
}

/// Returns whether the expander would separate a token of `length` bytes from every token in
/// `preceding` that can come before it. Returns `false` if none of them can.
pub fn is_separated(
    input: ParseInput<'_>,
    preceding: &[EndingToken],
    terminal: u32,
    length: usize,
) -> bool {
    let boundaries = input.grammar.boundaries();
    input.fuel.spend(preceding.len());
    let mut before = preceding.iter().filter(|token| {
        token
            .next
            .is_none_or(|next| boundaries.allows(next, TerminalId(terminal)))
    });
    before.clone().next().is_some() && before.all(|token| length < token.min_length)
}
