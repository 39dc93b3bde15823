//! Runs commands whose names the grammar does not list: the program looks them up in an ordered table.
#![no_main]

use std::collections::BTreeMap;
use std::sync::OnceLock;

type Operation = fn(u32, u32) -> u32;

zester::fuzz_target!(grammar: "words.ebnf", |text: &str| run(text).is_some());

/// Runs the commands of a text. Returns [`None`] if a command is unknown.
fn run(text: &str) -> Option<u32> {
    let mut total = 0;
    for command in text.split(';') {
        let end = command.find(|character: char| character.is_ascii_digit())?;
        let (name, number) = command.split_at(end);
        let operation = operations().get(name.trim())?;
        total = operation(total, number.trim().parse().ok()?);
    }
    Some(total)
}

/// Returns the table of commands.
fn operations() -> &'static BTreeMap<String, Operation> {
    static OPERATIONS: OnceLock<BTreeMap<String, Operation>> = OnceLock::new();
    OPERATIONS.get_or_init(|| {
        let operations: [(&str, Operation); 5] = [
            ("add", |total, number| {
                if number > 9 {
                    total.wrapping_add(number)
                } else {
                    total
                }
            }),
            ("divide", |total, number| {
                total.checked_div(number).unwrap_or(1)
            }),
            ("multiply", |total, number| {
                if number > 1 {
                    total.wrapping_mul(number)
                } else {
                    2
                }
            }),
            ("remainder", |total, number| {
                total.checked_rem(number).unwrap_or(3)
            }),
            ("subtract", |total, number| {
                if number > 5 {
                    total.wrapping_sub(number)
                } else {
                    4
                }
            }),
        ];
        operations
            .map(|(name, operation)| (name.to_owned(), operation))
            .into()
    })
}
