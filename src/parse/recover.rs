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

/// The parts to cut out, in order, if the rest may be a sentence. The chart is that of the text, which is none. [`None`] if no
/// such parts are found, or the search takes too many steps.
pub fn cuts(input: Input<'_>, chart: &mut Chart) -> Option<Vec<Range<usize>>> {
    let text = input.text;
    let lines: Vec<usize> = (1..text.len()).filter(|&at| text[at - 1] == b'\n').collect();
    let (mut cuts, mut trials): (Vec<Range<usize>>, _) = (Vec::new(), TRIALS);
    loop {
        let wrong = chart.sets.last()?.token as usize;
        let mut places: Vec<(u32, u32)> =
            chart.openings(input).iter().map(|&set| (set, chart.sets[set as usize].token)).collect();
        // The last of several sets at a place.
        places.reverse();
        places.dedup_by_key(|&mut (_, token)| token);
        let resumptions = resumptions(input, wrong, &lines);
        let tries = places
            .iter()
            .flat_map(|&(set, token)| resumptions.range(token as usize + 1..).map(move |&at| (set, token as usize, at)));
        let mut found = None;
        for (set, token, at) in tries.take(trials) {
            trials -= 1;
            let is_sentence = Recogniser::resume(input, chart, (set, at as u32)).ok()?;
            let reached = chart.sets.last()?.token as usize;
            if is_sentence || reached > enough(text, at) {
                found = Some((token, at, is_sentence));
                break;
            }
        }
        let (from, to, is_sentence) = found?;
        // Words on both sides of it stay apart.
        let is_apart = from == 0 || !is_word(text.get(from - 1));
        let to = if !is_apart && text[to - 1].is_ascii_whitespace() { to - 1 } else { to };
        while cuts.last().is_some_and(|cut| cut.start >= from) {
            cuts.pop();
        }
        cuts.push(from..to);
        if is_sentence {
            return Some(cuts);
        }
    }
}

/// How far the text must go on from byte `at` for a cut to be right: to the end of the line, but no further than [`FAR`].
fn enough(text: &[u8], at: usize) -> usize {
    let end = text.len().min(at + FAR);
    text[at..end].iter().position(|&byte| byte == b'\n').map_or(end, |length| at + length)
}

/// Where the text may go on behind a mistake: words, signs, lines, and the end.
fn resumptions(input: Input<'_>, wrong: usize, lines: &[usize]) -> BTreeSet<usize> {
    let text = input.text;
    let is_start = |&at: &usize| {
        let (before, here) = (at.checked_sub(1).map(|at| text[at]), text[at]);
        !here.is_ascii_whitespace() && here & 0xC0 != 0x80 && !(is_word(before.as_ref()) && is_word(Some(&here)))
    };
    let mut resumptions: BTreeSet<usize> = (wrong..text.len()).filter(is_start).take(TOKENS).collect();
    // What was looked at, nearly.
    input.fuel.spend(resumptions.last().map_or(text.len(), |&last| last) - wrong);
    let behind = lines.partition_point(|&line| line < wrong.max(1));
    resumptions.extend(lines[behind..].iter().take(LINES));
    resumptions.insert(text.len());
    resumptions
}
