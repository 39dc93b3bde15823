//! Numbers and times for people.

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

/// Returns a number with a noun.
pub fn counted(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
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

    #[test]
    fn numbers_and_times_are_readable() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(|number| grouped(number, ',')),
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!(clock(3_725.9), "1:02:05");
    }
}
