//! Numbers and times for people.

use std::fmt::Display;

/// Returns a number with a separator between groups of three digits.
pub fn grouped(number: u64, separator: char) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}

/// Returns a number with a noun, which is in the plural unless the number is 1. All messages with counts use it.
pub fn counted(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    let ends_in = |end: &[&str]| end.iter().any(|end| noun.ends_with(end));
    match &*number {
        "1" => format!("1 {noun}"),
        number if ends_in(&["s", "sh", "x"]) => format!("{number} {noun}es"),
        number => format!("{number} {noun}s"),
    }
}

/// Returns a time as hours, minutes and seconds.
pub fn clock(seconds: f64) -> String {
    let seconds = seconds.max(0.0) as u64;
    format!(
        "{}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// Returns a probability in percent. The result is `0.00 %` only for 0.
pub fn percent(probability: f64) -> String {
    if probability > 0.0 && probability < 5e-5 {
        "<0.01 %".into()
    } else {
        format!("{:.2} %", 100.0 * probability)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::counted;

    #[test]
    fn numbers_and_times_are_readable() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(|number| grouped(number, ',')),
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!(clock(3_725.9), "1:02:05");
    }

    #[test]
    fn nouns_are_in_the_plural_unless_there_is_one() {
        let counted = |number: u64, noun| counted(number, noun);
        assert_eq!(
            [0, 1, 2].map(|number| counted(number, "new file")),
            ["0 new files", "1 new file", "2 new files"]
        );
        assert_eq!(
            [1, 2].map(|number| counted(number, "crash")),
            ["1 crash", "2 crashes"]
        );
        assert_eq!(counted(3, "process"), "3 processes");
    }
}
