//! JSON in Greibach normal form, character by character: each production is a terminal, then
//! nonterminals.
//!
//! This is RFC 8259 without layout. A production is listed several times to raise its probability,
//! because both peers draw uniformly. With these shares sentences have about 110 bytes on average.

/// A production.
pub struct Production {
    /// The nonterminal that is expanded.
    pub from: &'static str,
    /// The terminal; not empty.
    pub text: String,
    /// The nonterminals after the terminal.
    pub then: &'static [&'static str],
    /// The number of times that the production is listed.
    pub share: usize,
}

/// The start nonterminal.
pub const START: &str = "Value";

/// All productions.
pub fn productions() -> Vec<Production> {
    let mut all = Vec::new();
    let mut add = |from, texts: &[&str], then, share| {
        all.extend(texts.iter().map(|&text| Production {
            from,
            text: text.to_string(),
            then,
            share,
        }));
    };
    let digits: Vec<String> = (0..10).map(|digit| digit.to_string()).collect();
    let digits: Vec<&str> = digits.iter().map(String::as_str).collect();
    let plain: Vec<String> = (' '..='~')
        .filter(|&c| c != '"' && c != '\\')
        .map(String::from)
        .collect();
    let plain: Vec<&str> = plain.iter().map(String::as_str).collect();
    let hex: Vec<String> = "0123456789abcdefABCDEF".chars().map(String::from).collect();
    let hex: Vec<&str> = hex.iter().map(String::as_str).collect();

    // Values. The first digit of an integer either ends it or is followed by others.
    add("Value", &["{"], &["Members"], 13);
    add("Value", &["["], &["Elements"], 13);
    add("Value", &["\""], &["String"], 14);
    add("Value", &["true", "false", "null"], &[], 1);
    for (from, share) in [("Value", 1), ("Negative", 1)] {
        add(from, &digits, &[], share);
        add(from, &digits[1..], &["Whole"], share);
        add(from, &digits[..1], &["Rest"], share);
    }
    add("Value", &["-"], &["Negative"], 2);
    add("Whole", &digits, &[], 1);
    add("Whole", &digits, &["Whole"], 1);
    add("Whole", &["."], &["Fraction"], 1);
    add("Whole", &["e", "E"], &["Exponent"], 1);
    add("Rest", &["."], &["Fraction"], 1);
    add("Rest", &["e", "E"], &["Exponent"], 1);
    add("Fraction", &digits, &[], 1);
    add("Fraction", &digits, &["Fraction"], 1);
    add("Fraction", &digits, &["Power"], 1);
    add("Power", &["e", "E"], &["Exponent"], 1);
    add("Exponent", &["+", "-"], &["Digits"], 1);
    add("Exponent", &digits, &[], 1);
    add("Digits", &digits, &[], 2);
    add("Digits", &digits, &["Digits"], 1);

    // Objects and arrays. An array begins with its first element, which is followed by the others.
    add("Members", &["}"], &[], 1);
    add("Members", &["\""], &["String", "Colon", "Value", "More"], 4);
    add("Colon", &[":"], &[], 1);
    add("More", &["}"], &[], 5);
    add("More", &[","], &["Key", "Colon", "Value", "More"], 11);
    add("Key", &["\""], &["String"], 1);
    add("Elements", &["]"], &[], 6);
    add("Elements", &["{"], &["Members", "Further"], 13);
    add("Elements", &["["], &["Elements", "Further"], 13);
    add("Elements", &["\""], &["String", "Further"], 14);
    add("Elements", &["true", "false", "null"], &["Further"], 1);
    add("Elements", &digits, &["Further"], 1);
    add("Elements", &digits[1..], &["Whole", "Further"], 1);
    add("Elements", &digits[..1], &["Rest", "Further"], 1);
    add("Elements", &["-"], &["Negative", "Further"], 2);
    add("Further", &["]"], &[], 5);
    add("Further", &[","], &["Value", "Further"], 11);

    add("String", &["\""], &[], 8);
    add("String", &plain, &["String"], 1);
    add("String", &["\\"], &["Escape"], 2);
    add(
        "Escape",
        &["\"", "\\", "/", "b", "f", "n", "r", "t"],
        &["String"],
        1,
    );
    add("Escape", &["u"], &["Hex", "Hex", "Hex", "Hex", "String"], 1);
    add("Hex", &hex, &[], 1);
    all
}
