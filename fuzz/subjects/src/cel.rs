//! The subjects `cel` and `cel_old`: two versions of cel-rust compile a CEL expression and evaluate
//! it.
//!
//! A text is valid if it compiles and evaluates without an error. There are a few variables, one of
//! each type. Neither version counts its steps, so texts that are too long or that could repeat too
//! much are refused, as an error of meaning.

/// The prefix of the parsers' messages.
const PARSE: &str = "parse: ";

/// The maximum bytes of a text. The older version recurses as deep as a text nests.
const LONGEST: usize = 4_000;

/// The maximum product of the repetitions of nested macros, and the maximum number of macros in a
/// text. A macro is assumed to repeat as often as the text has commas or, if the text splits
/// strings, characters. Each macro may double the result of the one before it.
const STEPS: usize = 10_000_000;
const MACROS: usize = 20;

/// Refuses a text that could take too much time or memory. It looks at parentheses only, so
/// brackets in strings count too.
fn bound(text: &str) -> Result<(), String> {
    if text.len() > LONGEST {
        return Err("zester: too long".to_owned());
    }
    let (mut open, mut macros, mut nested, mut deepest) = (Vec::new(), 0, 0, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => {
                let before = text[..at].trim_end();
                let is_macro = ["map", "filter", "all", "exists", "exists_one", "sortBy"]
                    .iter()
                    .any(|name| before.ends_with(name));
                macros += usize::from(is_macro);
                nested += u32::from(is_macro);
                open.push(is_macro);
            }
            b')' => nested -= u32::from(open.pop() == Some(true)),
            _ => (),
        }
        deepest = deepest.max(nested);
    }
    let longest = if text.contains("split") {
        text.len()
    } else {
        8 + text.matches(',').count()
    };
    match macros > MACROS || longest.saturating_pow(deepest) > STEPS {
        true => Err("zester: too many macros".to_owned()),
        false => Ok(()),
    }
}

/// Prefixes of messages about rules that the parser checks although they are not in the grammar:
/// ranges of numbers, arguments of macros, a limit. They are from cel 0.15.0,
/// `src/parser/parser.rs` and `macros.rs`.
const NOT_SYNTAX: [&str; 7] = [
    "invalid int literal",
    "invalid uint literal",
    "invalid double literal",
    "invalid argument to has() macro",
    "argument must be a simple name",
    "math.",
    "Recursion limit of ",
];

/// Returns whether a message of `run` means that CEL's grammar does not derive the text.
pub fn is_syntax_error(message: &str) -> bool {
    let message = message.strip_prefix(PARSE);
    message.is_some_and(|message| !NOT_SYNTAX.iter().any(|start| message.starts_with(start)))
}

/// Defines the variables of the grammar, one of each type. It is a macro because the versions share
/// no type.
macro_rules! declare {
    ($context:ident) => {
        $context.add_variable_from_value("i", 2_i64);
        $context.add_variable_from_value("u", 3_u64);
        $context.add_variable_from_value("d", 0.5_f64);
        $context.add_variable_from_value("s", "ab, c\u{E9}");
        $context.add_variable_from_value("y", b"\x00\xFFa".to_vec());
        $context.add_variable_from_value("b", true);
        $context.add_variable_from_value("a", vec![1_i64, -2, i64::MAX]);
        $context.add_variable_from_value("l", vec!["x", "k", ""]);
        $context.add_variable_from_value(
            "m",
            std::collections::HashMap::from([("k", 1_i64), ("x", 0)]),
        );
    };
}

/// The tests that both versions pass.
#[cfg(test)]
macro_rules! tests {
    () => {
        mod tests {
            use super::*;
            use crate::cel::is_syntax_error;
            use crate::judge;

            #[test]
            fn accepts_valid_texts() {
                judge::accepts(
                    run,
                    &[
                        "1 + 2 * -3 == -5 // yes\n",
                        "[1, 2, 3].filter(x, x > 1).map(x, x * i) == [4, 6] && 'k' in m",
                        "timestamp('2024-02-29T12:00:00Z') - duration('1h30m') < timestamp('2025-01-01T00:00:00Z')",
                        "has(m.k) ? size(l) : m.k + a[0]",
                        // The deepest text of this length: the stack of a thread must suffice.
                        &("1+".repeat(1_999) + "1"),
                        "l.exists(s, s.startsWith('x')) || y == b'\\x00' || d < 1.5e3",
                    ],
                );
            }

            #[test]
            fn rejects_by_syntax() {
                judge::rejects_by_syntax(run, is_syntax_error, &["", "1 +", "[1, 2", "{1}", "a b", "'", "1 ? 2", "f(", "#"]);
            }

            #[test]
            fn rejects_by_meaning() {
                let deep = "a.map(i, ".repeat(9) + "1" + &")".repeat(9);
                judge::rejects_by_meaning(
                    run,
                    is_syntax_error,
                    &["nothing", "1 + 'a'", "m.none", "1u + 1", &deep, &" ".repeat(9_999)],
                );
            }
        }
    };
}

/// cel 0.15.0, with its extensions for strings, lists, mathematics and base64.
#[cfg(feature = "cel")]
pub mod new {
    use super::{PARSE, bound};
    use cel::{Context, Env, Value, extensions, functions};
    use std::sync::Arc;

    thread_local!(static MACHINE: (Arc<Env>, Context<'static, 'static>) = machine());

    /// Compiles the text and evaluates it.
    pub fn run(text: &str) -> Result<(), String> {
        outcome(text).map(drop)
    }

    /// Compiles the text and evaluates it. Returns the value as text.
    pub fn outcome(text: &str) -> Result<String, String> {
        bound(text)?;
        MACHINE.with(|(env, context)| {
            let program = env.compile(text).map_err(|errors| {
                let first = errors.errors.first().map(|error| error.msg.as_str());
                format!("{PARSE}{}", first.unwrap_or_default())
            })?;
            let value = program.execute(context);
            value
                .map(|value| shown(&value))
                .map_err(|error| error.to_string())
        })
    }

    /// Returns a value as text. The entries of maps are sorted, because their order is random.
    fn shown(value: &Value) -> String {
        match value {
            Value::List(list) => {
                let items: Vec<String> = list.iter().map(shown).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Map(map) => {
                let entry = |(key, value)| format!("{key:?}: {}", shown(value));
                let mut entries: Vec<String> = map.map.iter().map(entry).collect();
                entries.sort_unstable();
                format!("{{{}}}", entries.join(", "))
            }
            Value::Opaque(_) => {
                // The value may contain a map, whose order is random.
                let text = format!("{value:?}");
                let mut parts: Vec<&str> = text.split([',', '{', '}']).map(str::trim).collect();
                parts.sort_unstable();
                parts.concat()
            }
            value => format!("{value:?}"),
        }
    }

    fn machine() -> (Arc<Env>, Context<'static, 'static>) {
        let mut env = Env::stdlib();
        for extension in [
            extensions::strings,
            extensions::lists,
            extensions::math,
            extensions::encoders,
        ] {
            env.add_extension(extension)
                .expect("no two extensions declare the same");
        }
        let env = Arc::new(env);
        let mut context = Context::with_env(env.clone());
        declare!(context);
        // The older version defines these two functions by default.
        context
            .add_function("max", functions::max)
            .expect("no extension declares it");
        context
            .add_function("min", functions::min)
            .expect("no extension declares it");
        (env, context)
    }

    #[cfg(test)]
    tests!();
}

/// cel-interpreter 0.9.1, which has known faults and another parser.
#[cfg(feature = "cel_old")]
pub mod old {
    use super::{PARSE, bound};
    use cel_interpreter::{Context, Program};

    thread_local!(static CONTEXT: Context<'static> = context());

    /// Compiles the text and evaluates it.
    pub fn run(text: &str) -> Result<(), String> {
        bound(text)?;
        let program = Program::compile(text).map_err(|error| format!("{PARSE}{error}"))?;
        CONTEXT
            .with(|context| program.execute(context))
            .map(drop)
            .map_err(|error| error.to_string())
    }

    fn context() -> Context<'static> {
        let mut context = Context::default();
        declare!(context);
        context
    }

    #[cfg(test)]
    tests!();
}
