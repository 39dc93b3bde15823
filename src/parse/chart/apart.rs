//! Tokens that meet but could not be written so: a sentence would have a separator there.
//!
//! Which token is before another is known only as far as the set goes that both meet at, so what is said is that none could be
//! written before it. What remains is found when the derivation is known (see [`Conflict`](crate::parse::extract::Conflict)).

use super::{Chart, Done};
use crate::grammar::{Kind, PlaceId, Row, SymbolId, TerminalId};
use crate::parse::Input;
use crate::parse::scan::Found;

/// A token that ends at a set, and may be before what begins there.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    /// What may come after it; anything, if it has no text.
    next: Option<Row>,
    /// The least bytes of a token that can be told from it without a separator.
    apart: usize,
}

/// Looks which of the tokens that begin at the last set, at byte `at`, would be separated; if none, there are no meetings.
pub fn meet(input: Input<'_>, chart: &Chart, at: u32, meetings: &mut Vec<Meeting>) {
    let Input { grammar, text, .. } = input;
    let boundaries = grammar.boundaries();
    let set = chart.sets.len() as u32 - 1;
    let here = || chart.tokens.found.iter().filter(|found| found.from == at).map(|found| found.to);
    meetings.clear();
    let (Some(least), Some(to)) = (here().min(), here().max()) else { return };
    if grammar.layout().is_none() || at != chart.sets[set as usize].at {
        return;
    }
    let next = &text[at as usize..to as usize];
    let place_of = |done: &Done, end: u32| match grammar[SymbolId(done.key >> 1)].kind {
        Kind::Lexeme { place, .. } if done.how < end => Some(place),
        _ => None,
    };
    let text_of = |done: &Done| &text[done.how as usize..at as usize];
    let may_glue = |place: PlaceId, done: &Done| boundaries.may_glue(boundaries.terminal(place), text_of(done), next);
    if !chart.lexemes(set).iter().any(|last| place_of(last, at).is_some_and(|place| may_glue(place, last))) {
        return;
    }
    for last in chart.lexemes(set) {
        input.fuel.spend(chart.lexemes(last.origin).len() + chart.tokens.found.len() + text_of(last).len() / 16);
        let Some(place) = place_of(last, at) else {
            meetings.push(Meeting { next: None, apart: 0 });
            continue;
        };
        let (terminal, before) = (boundaries.terminal(place), text_of(last));
        let apart = |row| match boundaries.glues(row, terminal, before, next) {
            true => boundaries.parts(row, before, next).unwrap_or(usize::MAX),
            false => 0,
        };
        // What may come instead of the last token is what the one before that says.
        let from = chart.sets[last.origin as usize].at;
        let rows = chart.lexemes(last.origin).iter().map(|first| place_of(first, from).map(|place| boundaries.row_after(place)));
        let apart = match last.origin {
            0 => apart(boundaries.first_row()),
            _ => rows
                .filter(|row| row.is_none_or(|row| boundaries.allows(row, terminal)))
                .map(|row| row.map_or(0, apart))
                .min()
                .unwrap_or(0),
        };
        let row = boundaries.row_after(place);
        meetings.push(Meeting { next: Some(row), apart });
        let is_open = |found: &Found| found.from != at || boundaries.allows(row, TerminalId(found.terminal));
        if apart <= (least - at) as usize && chart.tokens.found.iter().all(is_open) {
            return meetings.clear();
        }
    }
}

/// Whether a token of a terminal that begins there would be separated from any that may be before it, unless it adjoins.
pub fn is_apart(input: Input<'_>, meetings: &[Meeting], terminal: u32, length: usize) -> bool {
    let boundaries = input.grammar.boundaries();
    input.fuel.spend(meetings.len());
    let mut before =
        meetings.iter().filter(|meeting| meeting.next.is_none_or(|row| boundaries.allows(row, TerminalId(terminal))));
    before.clone().next().is_some() && before.all(|meeting| length < meeting.apart)
}
