//! Fuzzes taplo. The crate toml must read the same values in a text and in what taplo formats.
//! Formatting twice must change nothing more, and equivalent sentences must have equal values.
//!
//! `to_toml` is not tested: it prints an inline table in another table twice (TROPHIES.md), as in half of all sentences.
#![no_main]

use std::fmt::Debug;

use taplo::dom::{Node, node::IntegerValue};
use taplo::formatter::{Options, format};
use toml::{Table, Value};

zester::fuzz_target!(grammar: "../../grammars/toml.ebnf", equal: true, |text: &str| -> Result<String, String> {
    let table = read(text)?;
    let value = format!("{table:?}");
    let parse = taplo::parser::parse(text);
    let refused = parse.errors.first().map(ToString::to_string);
    let tree = parse.into_dom();
    let refused = refused.or_else(|| Some(tree.validate().err()?.next()?.to_string()));
    if !zester::oracle::same(&None, &refused, "errors of taplo") {
        return Ok(value);
    }
    let plain = without_dates(Value::Table(table.clone()));
    if !same(&plain, &values(&tree), "values") {
        return Ok(value);
    }
    let base = Options::default();
    let narrow = Options { column_width: 20, compact_arrays: false, compact_inline_tables: true, ..base.clone() };
    let reorder = Options { reorder_keys: true, reorder_inline_tables: true, align_entries: true, ..base.clone() };
    for (name, options) in [("default", base), ("narrow", narrow), ("reorder", reorder)] {
        let once = format(text, options.clone());
        if !same(&Ok(table.clone()), &read(&once), &format!("values of the format {name}"))
            || !same(&once, &format(&once, options), &format!("format {name} twice"))
        {
            break;
        }
    }
    Ok(value)
});

/// Compares two values by their texts, in which NaN is equal to itself.
#[track_caller]
fn same<T: Debug>(left: &T, right: &T, name: &str) -> bool {
    zester::oracle::same_by(left, right, name, |left, right| {
        format!("{left:?}") == format!("{right:?}")
    })
}

fn read(text: &str) -> Result<Table, String> {
    text.parse()
        .map_err(|error: toml::de::Error| error.message().to_string())
}

/// Returns the values that taplo has read, without those of dates, which it leaves as texts.
fn values(node: &Node) -> Value {
    match node {
        Node::Table(table) => {
            let entries = table.entries().read();
            Value::Table(
                entries
                    .iter()
                    .map(|(key, node)| (key.value().to_string(), values(node)))
                    .collect(),
            )
        }
        Node::Array(list) => Value::Array(list.items().read().iter().map(values).collect()),
        Node::Bool(value) => value.value().into(),
        Node::Str(value) => value.value().into(),
        Node::Integer(value) => match value.value() {
            IntegerValue::Negative(value) => value.into(),
            IntegerValue::Positive(value) => {
                i64::try_from(value).map_or_else(|_| value.to_string().into(), Value::from)
            }
        },
        Node::Float(value) => value.value().into(),
        Node::Date(_) => "date".into(),
        Node::Invalid(_) => "invalid".into(),
    }
}

/// Replaces dates by a text.
fn without_dates(value: Value) -> Value {
    match value {
        Value::Datetime(_) => "date".into(),
        Value::Array(values) => Value::Array(values.into_iter().map(without_dates).collect()),
        Value::Table(table) => Value::Table(
            table
                .into_iter()
                .map(|(key, value)| (key, without_dates(value)))
                .collect(),
        ),
        value => value,
    }
}
