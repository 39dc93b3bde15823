//! Sentences that differ only in their numbers.
//!
//! An arithmetic fault shows only with some numbers. Random numbers rarely show such a fault, so the shape of a failing
//! sentence keeps its numbers, and sentences with other numbers have other shapes.

/// Returns a text with `#` instead of each number. A minus sign directly before a number belongs to the number if no operand can end
/// before the sign. A number that continues a name, as in `a1`, stays.
pub fn without_numbers(text: &[u8]) -> Vec<u8> {
    let mut masked: Vec<u8> = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let continues_name = masked.last().is_some_and(|&last| is_of_word(last));
        if !text[at].is_ascii_digit() || continues_name {
            masked.push(text[at]);
            at += 1;
            continue;
        }
        if let Some((b'-', before)) = masked.split_last()
            && before
                .trim_ascii_end()
                .last()
                .is_none_or(|last| b"([{,:=<>".contains(last))
        {
            masked.pop();
        }
        masked.push(b'#');
        at += number_length(&text[at..]);
    }
    masked
}

/// Returns the length of the number at the start of a text: digits, letters, and points, and the sign of an exponent.
fn number_length(text: &[u8]) -> usize {
    let is_decimal = !text.starts_with(b"0x") && !text.starts_with(b"0X");
    let mut length = 1;
    while let Some(&next) = text.get(length) {
        let is_sign = is_decimal && b"+-".contains(&next) && b"eE".contains(&text[length - 1]);
        let has_digit = text.get(length + 1).is_some_and(u8::is_ascii_digit);
        if !(is_of_word(next) || (next == b'.' || is_sign) && has_digit) {
            break;
        }
        length += 1;
    }
    length
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_masked_and_names_are_not() {
        for (text, masked) in [
            ("7 % 1e20", "# % #"),
            ("[-1,2.5E-7,0x1f]", "[#,#,#]"),
            ("a1 - 2 - x_3", "a1 - # - x_3"),
            ("1..2 f(-3)", "#..# f(#)"),
            ("3-4", "#-#"),
            ("1.max(2)", "#.max(#)"),
            ("é1", "é1"),
            ("", ""),
        ] {
            let found = without_numbers(text.as_bytes());
            assert_eq!(String::from_utf8_lossy(&found), masked, "{text}");
        }
    }
}
