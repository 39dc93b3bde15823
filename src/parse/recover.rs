//! What is left of a text if parts that are in no sentence are cut out.
//!
//! Where a text stops to be a sentence, elements of repetitions are open: statements, members, arguments. The innermost is cut
//! out whose place the text behind can take, the nearest first; if it goes on for a line, the cut is right. So a whole file does
//! not count for nothing because of one construct.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Input;
use super::chart::{Chart, Recogniser};
use crate::grammar::is_word;

/// Tokens, nearly, behind a mistake that are tried.
const TOKENS: usize = 128;

/// Lines behind those.
const LINES: usize = 512;

/// How far the text must go on behind a cut, in bytes; or to the end of its line.
const FAR: usize = 64;

/// How often a text is read from some place on, for all of its mistakes.
const TRIALS: usize = 200_000;

/// The parts to cut out, in order, if the rest may be a sentence. The chart is that of the text, which is none.
pub fn cuts(input: Input<'_>, chart: &mut Chart) -> Option<Vec<Range<usize>>> {
    let Input { grammar, tables, text, .. } = input;
    let (mut cuts, mut trials): (Vec<Range<usize>>, _) = (Vec::new(), TRIALS);
    loop {
        let wrong = chart.sets.last()?.token as usize;
        let mut places: Vec<(u32, u32)> =
            chart.openings(grammar, tables).iter().map(|&set| (set, chart.sets[set as usize].token)).collect();
        // The last of several sets at a place.
        places.reverse();
        places.dedup_by_key(|&mut (_, token)| token);
        let resumptions = resumptions(text, wrong);
        let tries = places.iter().flat_map(|&(set, token)| {
            let behind = resumptions.iter().filter(move |&&at| at > token as usize);
            behind.map(move |&at| (set, token as usize, at))
        });
        let mut is_sentence = false;
        let (from, to) = tries.take(trials).find_map(|(set, token, at)| {
            trials -= 1;
            is_sentence = Recogniser::resume(input, chart, (set, at as u32));
            let line = text[at..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |length| at + length);
            let reached = chart.sets.last()?.token as usize;
            (is_sentence || reached > line.min(at + FAR)).then_some((token, at))
        })?;
        // Words on both sides of it stay apart.
        let is_apart = from == 0 || !is_word(text.get(from - 1));
        let to = if !is_apart && text[to - 1].is_ascii_whitespace() { to - 1 } else { to };
        cuts.retain(|cut| cut.start < from);
        cuts.push(from..to);
        if is_sentence {
            return Some(cuts);
        }
    }
}

/// Where the text may go on behind a mistake: words, signs, lines, and the end.
fn resumptions(text: &[u8], wrong: usize) -> BTreeSet<usize> {
    let is_start = |&at: &usize| {
        let (before, here) = (at.checked_sub(1).map(|at| text[at]), text[at]);
        !here.is_ascii_whitespace() && here & 0xC0 != 0x80 && !(is_word(before.as_ref()) && is_word(Some(&here)))
    };
    let tokens = (wrong..text.len()).filter(is_start).take(TOKENS);
    let lines = (wrong.max(1)..text.len()).filter(|&at| text[at - 1] == b'\n').take(LINES);
    tokens.chain(lines).chain([text.len()]).collect()
}
