//! Error recovery: the search for parts to cut out of a text so that the rest is a sentence.
//!
//! With it, a file can be a seed although the grammar lacks some of its constructs.
//!
//! At a syntax error, the parser is within elements of repetitions, such as statements, members or
//! arguments. The search first tries to cut from the error to an offset on the same line. If the
//! error is in no such element, the offset may be on any line. Then the search tries to cut from
//! the beginning of an element to an offset at or after the error, the innermost element first.
//!
//! A cut ends where parsing may resume: at the beginning of a word, of a punctuation character or
//! of a line, or at the end of the text. The nearest offset is tried first.
//!
//! A cut is accepted if the parser gets past the end of the line on which parsing resumes, or past
//! the first 64 bytes after the cut. If the text ends earlier, the text without the cuts must be a
//! sentence.

use std::collections::BTreeSet;
use std::ops::Range;

use super::ParseInput;
use super::chart::{Chart, Recogniser};
use crate::grammar::{is_one_word, is_word};

/// The maximum number of words and punctuation characters after an error at which parsing may
/// resume.
const TOKENS: usize = 128;

/// The maximum number of beginnings of lines after an error at which parsing may resume.
const LINES: usize = 512;

/// The number of bytes after a cut that the parser must get past, unless the line ends earlier.
const REQUIRED_BYTES: usize = 64;

/// The maximum number of cuts that are tried for one text.
const TRIALS: usize = 200_000;

/// Returns the byte ranges to cut out, in order. `chart` is the chart of the text, which must not
/// be a sentence. Returns [`None`] if no such ranges were found, or if the search exceeds a limit:
/// [`TRIALS`], or the steps or the memory of the parser. `chart` is overwritten.
///
/// The rest of the text can still fail to parse, because the tokens before and after a cut become
/// neighbours, and can then be read as other tokens.
pub fn cuts(input: ParseInput<'_>, chart: &mut Chart) -> Option<Vec<Range<usize>>> {
    let text = input.text;
    let lines: Vec<usize> = (1..text.len())
        .filter(|&at| text[at - 1] == b'\n')
        .collect();
    let (mut cuts, mut trials): (Vec<Range<usize>>, _) = (Vec::new(), TRIALS);
    loop {
        let wrong = chart.sets.last()?.token as usize;
        let mut positions: Vec<(u32, u32)> = chart
            .openings(input)
            .iter()
            .map(|&set| (set, chart.sets[set as usize].token))
            .collect();
        // Sorts the innermost element first. If several Earley sets have one offset, only the last
        // is kept.
        positions.reverse();
        positions.dedup_by_key(|&mut (_, token)| token);
        let resumptions = resumptions(input, wrong, &lines);
        let tries = positions.iter().flat_map(|&(set, token)| {
            resumptions
                .range(token as usize + 1..)
                .map(move |&at| (set, token as usize, at))
        });
        // A trial overwrites all sets after the one where it begins. So the last set is tried
        // first.
        let last = chart.sets.len() as u32 - 1;
        let end = match positions.is_empty() {
            true => text.len() + 1,
            false => end_of_line(text, wrong),
        };
        let line = resumptions.range(wrong + 1..end.max(wrong + 1));
        let at_error = line.map(|&at| (last, wrong, at));
        let mut found = None;
        for (set, token, at) in at_error.chain(tries).take(trials) {
            trials -= 1;
            let is_sentence = Recogniser::resume(input, chart, (set, at as u32)).ok()?;
            let reached = chart.sets.last()?.token as usize;
            if is_sentence || reached > required_offset(text, at) {
                found = Some((token, at, is_sentence));
                break;
            }
        }
        let (from, to, is_sentence) = found?;
        // If a word ends before the cut, and the cut ends with white space, the last byte of the
        // cut stays in the text, so that two words are not joined.
        let is_apart = from == 0 || !is_word(text.get(from - 1));
        let to = if !is_apart && text[to - 1].is_ascii_whitespace() {
            to - 1
        } else {
            to
        };
        while cuts.last().is_some_and(|cut| cut.start >= from) {
            cuts.pop();
        }
        cuts.push(from..to);
        if is_sentence {
            return Some(cuts);
        }
    }
}

/// Returns the offset of the end of the line that contains an offset.
fn end_of_line(text: &[u8], at: usize) -> usize {
    let rest = text[at..].iter();
    rest.take_while(|&&byte| byte != b'\n').count() + at
}

/// Returns the offset that the parser must get past if parsing resumes at `at`: the end of the
/// line, at most [`REQUIRED_BYTES`] bytes away.
fn required_offset(text: &[u8], at: usize) -> usize {
    end_of_line(&text[..text.len().min(at + REQUIRED_BYTES)], at)
}

/// Returns the offsets at which parsing may resume after an error at offset `wrong`: the beginnings
/// of words, of punctuation characters and of lines, and the end of the text.
fn resumptions(input: ParseInput<'_>, wrong: usize, lines: &[usize]) -> BTreeSet<usize> {
    let text = input.text;
    let is_start = |&at: &usize| {
        let here = text[at];
        !here.is_ascii_whitespace() && here & 0xC0 != 0x80 && !is_one_word(&text[..at], &text[at..])
    };
    let mut resumptions: BTreeSet<usize> =
        (wrong..text.len()).filter(is_start).take(TOKENS).collect();
    // The search spends about one step for each byte that it has examined.
    input
        .fuel
        .spend(resumptions.last().map_or(text.len(), |&last| last) - wrong);
    let after = lines.partition_point(|&line| line < wrong.max(1));
    resumptions.extend(lines[after..].iter().take(LINES));
    resumptions.insert(text.len());
    resumptions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_after_a_cut_must_parse_to_the_end_of_its_line_or_for_64_bytes() {
        let cases = [
            ("ab\ncd", 0, 2),
            ("ab\ncd", 3, 5),
            ("ab\n", 2, 2),
            ("", 0, 0),
        ];
        for (text, at, expected) in cases {
            assert_eq!(
                required_offset(text.as_bytes(), at),
                expected,
                "{text:?} from {at}"
            );
        }
        assert_eq!(required_offset(&[b'a'; 200], 10), 10 + REQUIRED_BYTES);
    }
}
