//! Changes the text of a token, or of a part of a token, and parses the changed text by the token's
//! rule.
//!
//! There are three ways to change the text:
//!
//! * libFuzzer's own mutator changes it. For example, it inserts words of `-dict` and
//!   operands of comparisons.
//! * It is replaced by the text of another token, or of a part of one.
//! * A decimal number in the text becomes a boundary value: see [`BITS`].
//!
//! If the changed text does not match the token's rule, up to 15 of its characters are removed.

use rand::RngExt;
use rand::rngs::SmallRng;

use super::{Mutation, Output};
use crate::grammar::{Kind, Role};
use crate::splice::TreeView;

/// The maximum number of bytes by which libFuzzer's mutator may make a token longer.
const MAX_GROWTH: usize = 16;

/// The maximum number of times that the changed text is parsed. After each failure, the first
/// character that does not match the token's rule is removed. If the text is only too short, the
/// mutation fails.
const MAX_PARSES: usize = 16;

/// The maximum length in bytes of the text that is changed, and of the text that replaces it.
const MAX_LENGTH: usize = 1 << 10;

/// For each exponent n, 2^n and 2^n - 1 are boundary values. They include the limits of integers of
/// 8, 16, 32 and 64 bits, and 2^53, up to which a double represents all integers exactly.
const BITS: [u32; 10] = [0, 7, 8, 15, 16, 31, 32, 53, 63, 64];

pub fn mutate(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    let has_text = |node: usize| match parent.kind(node) {
        Kind::Lexeme { .. } => false,
        Kind::Run { .. } | Kind::Repeat { .. } => parent.role(node) == Role::Part,
        _ => parent.role(node) == Role::Token,
    };
    let short = |node: usize| has_text(node) && parent.text(node).len() <= MAX_LENGTH;
    let way = mutation.rng.random_range(0..4);
    let is_number = |node: usize| short(node) && parent.text(node).iter().any(u8::is_ascii_digit);
    let number = if way == 0 {
        parent.draw(&mut mutation.rng, is_number)
    } else {
        None
    };
    let Some(node) = number.or_else(|| parent.draw(&mut mutation.rng, short)) else {
        return false;
    };
    let mut text = std::mem::take(&mut output.text);
    text.clear();
    let other = |other: usize| {
        has_text(other)
            && parent.text(other).len() <= MAX_LENGTH
            && parent.text(other) != parent.text(node)
    };
    let donor = if way == 1 {
        parent.draw_of(&mut mutation.rng, 0..parent.nodes().len(), other)
    } else {
        None
    };
    text.extend_from_slice(parent.text(donor.unwrap_or(node)));
    if number.is_some() {
        replace_number(&mut mutation.rng, &mut text);
    } else if donor.is_none() {
        let (size, max) = (text.len(), text.len() + MAX_GROWTH);
        text.resize(max, 0);
        let size = (mutation.native)(&mut text, size, max).min(max);
        text.truncate(size);
        if !parent.grammar.derives_bytes() {
            retain_utf8(&mut text);
        }
    }
    let mut done = false;
    for _ in 0..MAX_PARSES {
        match output.read_token(parent, parent.symbol(node), &text) {
            Ok(()) => {
                done = true;
                break;
            }
            Err(at) if at < text.len() => {
                let is_inside = |byte: &u8| !parent.grammar.derives_bytes() && byte & 0xC0 == 0x80;
                let length = 1 + text[at + 1..]
                    .iter()
                    .take_while(|byte| is_inside(byte))
                    .count();
                text.drain(at..at + length);
            }
            Err(_) => break,
        }
    }
    if done {
        output.replace(parent, node);
        done = output.part != parent.part(node);
    }
    output.text = text;
    done
}

/// Removes the bytes that are not valid UTF-8.
pub fn retain_utf8(text: &mut Vec<u8>) {
    let (mut kept, mut at) = (0, 0);
    while at < text.len() {
        let (valid, invalid) = match std::str::from_utf8(&text[at..]) {
            Ok(rest) => (rest.len(), 0),
            Err(error) => (error.valid_up_to(), error.error_len().unwrap_or(text.len())),
        };
        text.copy_within(at..at + valid, kept);
        (kept, at) = (kept + valid, at + valid + invalid);
    }
    text.truncate(kept);
}

/// Replaces a random decimal number in a text by a boundary value: see [`BITS`]. Does nothing if the
/// text has no number.
fn replace_number(rng: &mut SmallRng, text: &mut Vec<u8>) {
    let starts =
        |at: usize| text[at].is_ascii_digit() && (at == 0 || !text[at - 1].is_ascii_digit());
    let count = (0..text.len()).filter(|&at| starts(at)).count();
    let drawn = rng.random_range(0..count.max(1));
    let Some(from) = (0..text.len()).filter(|&at| starts(at)).nth(drawn) else {
        return;
    };
    let to = from
        + text[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
    let bits = BITS[rng.random_range(0..BITS.len())];
    let mut number = (1_u128 << bits) - u128::from(rng.random::<bool>());
    let (mut digits, mut at) = ([0; 20], 20);
    while at == 20 || number > 0 {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
    }
    text.splice(from..to, digits[at..].iter().copied());
}

#[cfg(test)]
mod tests {
    use crate::mutate::testing::mutant;

    #[test]
    fn before_and_after() {
        let after = [1, 2, 3, 4].map(|seed| mutant("literal", "12,b", seed));
        assert_eq!(after, ["32768,b", "12,c", "12,c", "12,c"]);
    }
}
