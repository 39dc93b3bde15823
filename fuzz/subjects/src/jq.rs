//! The subjects `jq` and `jq_old`: two versions of jaq read a jq program, compile it and run it on
//! one fixed value.
//!
//! A text is valid if jaq reads and compiles it and none of its first outputs is an error. jaq
//! counts no steps, so [`meter`](new::meter) inserts a filter before each step of the text. The
//! filter takes an amount of fuel that is proportional to the size of the current value. A program
//! without fuel ends with an error of meaning. Definitions that call themselves are refused, and so
//! are calls of some filters.

use std::cell::Cell;

/// The input of a program: an object with a value of another type under each key.
const INPUT: &str = r#"{"a": 1, "b": -2.5, "c": "abc", "d": [3, 1, 2], "e": {"a": 0, "c": "x,y"}, "f": [{"a": 2}, {"a": 1}],
    "g": true, "h": null}"#;

/// The maximum number of outputs that are taken of a program.
const OUTPUTS: usize = 1000;

/// Filters that a text may not call: they end the process, print, depend on the machine or the
/// time, or run forever despite errors.
const LEFT_OUT: [&str; 12] = [
    "debug",
    "env",
    "halt",
    "halt_error",
    "input",
    "input_line_number",
    "inputs",
    "localtime",
    "now",
    "repeat",
    "stderr",
    "strflocaltime",
];

/// Prefixes of messages about syntax errors.
const SYNTAX: &str = "syntax: ";

/// The filter that takes fuel, with a name that no text can contain, and the definition of the
/// program.
const FUEL: &str = "!fuel";
const PROGRAM: &str = "zester_program";

/// The maximum number of characters of an outcome.
const OUTCOME: usize = 8192;

/// The maximum number of values and string bytes that the steps of a program may visit.
const TANK: usize = 100_000;

thread_local!(static LEFT: Cell<usize> = const { Cell::new(0) });

/// Takes an amount of fuel; returns false if there is too little.
fn take(price: usize) -> bool {
    LEFT.set(LEFT.get().saturating_sub(price));
    LEFT.get() > 0
}

/// Returns whether a message of `run` means that jq's grammar does not derive the text: those of
/// jaq's lexer and parser.
pub fn is_syntax_error(message: &str) -> bool {
    message.starts_with(SYNTAX)
}

/// Defines the subject for one version, by the names of its crates. It is a macro because the
/// versions share no type.
macro_rules! subject {
    ($core:ident, $std:ident, $json:ident) => {
        use super::{FUEL, INPUT, LEFT, LEFT_OUT, OUTCOME, OUTPUTS, PROGRAM, SYNTAX, TANK, take};
        use $core::load::lex::StrPart;
        use $core::load::parse::{Def, Term};
        use $core::load::{self, Arena, Error, File, Loader};
        use $core::path::{Part, Path};
        use $core::{Compiler, Ctx, Native};
        use $json::Val;

        /// Compiles the text and runs it.
        pub fn run(text: &str) -> Result<(), String> {
            outcome(text).map(drop)
        }

        /// Compiles the text and runs it. Returns the beginning of the outputs, each on a line.
        pub fn outcome(text: &str) -> Result<String, String> {
            let arena = Arena::default();
            let file = |code| File { code, path: () };
            // The first parse produces the messages. The definitions of the library play no part in
            // the syntax.
            Loader::new([]).load(&arena, file(text)).map_err(|errors| match errors.into_iter().next() {
                Some((_, Error::Lex(errors))) => {
                    let expected = errors.first().map_or("token", |(expected, _)| expected.as_str());
                    format!("{SYNTAX}expected {expected}")
                }
                Some((_, Error::Parse(errors))) => {
                    let error = errors.first().map(|(expected, found)| (expected.as_str(), *found));
                    let (expected, found) = error.unwrap_or(("term", ""));
                    format!("{SYNTAX}expected {expected}, found `{found:.20}`")
                }
                _ => "modules cannot be loaded".to_owned(),
            })?;
            let Some(term) = load::parse(text, |parser| parser.term()) else {
                return Err("zester: a module".to_owned());
            };
            let mut steps = Steps::default();
            let input = load::parse(INPUT, |parser| parser.term()).expect("JSON is jq");
            let body = pipe(input, meter(term, &mut steps));
            if let Some(name) = steps.refused {
                return Err(format!("zester: `{name}` is left out or calls itself"));
            }
            let program = Def { name: PROGRAM, args: Vec::new(), body };
            let loaded = Loader::new(definitions().into_iter().chain([program])).load(&arena, file(PROGRAM));
            let modules = loaded.map_err(|_| "no program".to_owned())?;
            let natives = natives().chain([(FUEL, [].into(), fuel())]);
            let filter = Compiler::default().with_funs(natives).compile(modules).map_err(|errors| {
                let error = errors.first().and_then(|(_, errors)| errors.first());
                error.map_or("undefined".to_owned(), |(name, kind)| format!("undefined {}: `{name}`", kind.as_str()))
            })?;
            LEFT.set(TANK);
            let mut printed = String::new();
            outputs(&filter, |output| match output {
                // Printing a value is part of jq.
                Ok(value) if take(weight(&value)) => {
                    let line = value.to_string();
                    if printed.len() < OUTCOME {
                        printed += &line;
                        printed.push('\n');
                    }
                    Ok(())
                }
                Ok(_) => Ok(()),
                Err(error) => Err(format!("at run time: {error}")),
            })?;
            if take(0) { Ok(printed.chars().take(OUTCOME).collect()) } else { Err("zester: too long".to_owned()) }
        }

        /// The state of [`meter`] while it visits a term.
        #[derive(Default)]
        pub struct Steps<'a> {
            /// The names in scope with their numbers of arguments, and whether the visited term is
            /// in the body of that definition.
            scope: Vec<(&'a str, usize, bool)>,
            /// A call that could run forever or has an effect.
            refused: Option<&'a str>,
        }

        /// Returns the term with a fuel filter before each of its steps.
        pub fn meter<'a>(term: Term<&'a str>, steps: &mut Steps<'a>) -> Term<&'a str> {
            let mut inner = |term: Term<&'a str>| meter(term, steps);
            match term {
                Term::Num(_) | Term::Id | Term::Recurse => pipe(price(), term),
                Term::Str(format, parts) => {
                    let parts = parts.into_iter().map(|part| match part {
                        StrPart::Term(term) => StrPart::Term(inner(term)),
                        part => part,
                    });
                    pipe(price(), Term::Str(format, parts.collect()))
                }
                Term::Arr(term) => Term::Arr(term.map(|term| Box::new(inner(*term)))),
                // A string or a variable as a key stays as it is: a filter before it could change its meaning.
                Term::Obj(entries) => Term::Obj(
                    entries
                        .into_iter()
                        .map(|(key, value)| match value {
                            Some(value) if matches!(key, Term::Str(..) | Term::Var(_)) => (key, Some(inner(value))),
                            Some(value) => (inner(key), Some(inner(value))),
                            None => (key, None),
                        })
                        .collect(),
                ),
                Term::Neg(term) => Term::Neg(Box::new(inner(*term))),
                Term::Label(name, term) => Term::Label(name, Box::new(inner(*term))),
                Term::Break(name) => Term::Break(name),
                Term::Fold(name, source, pattern, terms) => {
                    Term::Fold(name, Box::new(inner(*source)), pattern, terms.into_iter().map(inner).collect())
                }
                Term::TryCatch(term, catch) => {
                    let catch = catch.map(|catch| Box::new(inner(*catch)));
                    Term::TryCatch(Box::new(inner(*term)), catch)
                }
                Term::IfThenElse(branches, other) => {
                    let branches = branches.into_iter().map(|(test, term)| (inner(test), inner(term))).collect();
                    Term::IfThenElse(branches, other.map(|other| Box::new(inner(*other))))
                }
                Term::Def(definitions, term) => {
                    let outside = steps.scope.len();
                    let mut metered = Vec::new();
                    for Def { name, args, body } in definitions {
                        let before = steps.scope.len();
                        steps.scope.push((name, args.len(), true));
                        steps.scope.extend(args.iter().map(|name| (*name, 0, false)));
                        let body = meter(body, steps);
                        steps.scope.truncate(before);
                        steps.scope.push((name, args.len(), false));
                        metered.push(Def { name, args, body });
                    }
                    let term = Term::Def(metered, Box::new(meter(*term, steps)));
                    steps.scope.truncate(outside);
                    term
                }
                Term::Call(name, terms) => {
                    let terms: Vec<_> = terms.into_iter().map(inner).collect();
                    let mut scope = steps.scope.iter().rev();
                    let definition = scope.find(|entry| (entry.0, entry.1) == (name, terms.len()));
                    if definition.is_some_and(|entry| entry.2) || LEFT_OUT.contains(&name) || name == PROGRAM {
                        steps.refused = Some(name);
                    }
                    // A call may have infinitely many outputs, so each output takes fuel, too.
                    pipe(pipe(price(), Term::Call(name, terms)), price())
                }
                // The size of the value is known only after the variable was read.
                Term::Var(name) => pipe(Term::Var(name), price()),
                Term::Path(term, Path(parts)) => {
                    let parts = parts.into_iter().map(|(part, optional)| match part {
                        Part::Index(term) => (Part::Index(inner(term)), optional),
                        Part::Range(from, to) => (Part::Range(from.map(&mut inner), to.map(&mut inner)), optional),
                    });
                    let parts = parts.collect();
                    Term::Path(Box::new(inner(*term)), Path(parts))
                }
                term => binary(term, &mut inner),
            }
        }

        fn price() -> Term<&'static str> {
            Term::Call(FUEL, Vec::new())
        }

        #[cfg(test)]
        mod tests {
            use super::*;
            use crate::jq::is_syntax_error;
            use crate::judge;

            #[test]
            fn accepts_valid_texts() {
                judge::accepts(
                    run,
                    &[
                        ".",
                        "def f($x; g): $x + g; f(.a; 2) | tostring, \"\\(.)!\" # a comment",
                        "[.d[] as $x | {($x | tostring): $x, \"a\"}] | map(keys) | add",
                        ".f |= map(.a += 1) | try error(\"a\") catch . | @base64",
                        "reduce range(0; 10) as $i (0; . + $i) | if . > 3 then 1 elif . then 2 else 3 end",
                        "label $out | foreach .d[] as $x (0; . + $x; ., break $out)",
                        "{a, \"c\", (.c): 1, \"d\": .d[1:]} as {a: $x, d: [$y]} | $x + $y | [.., first(empty, 1)] | del(.[0])",
                        "range(0; infinite)",
                        "def f: def f: def f(g): g; f(1); f; def g(f): f; g(f)",
                    ],
                );
            }

            #[test]
            fn rejects_by_syntax() {
                judge::rejects_by_syntax(
                    run,
                    is_syntax_error,
                    &["", "(", "1 +", "\"", "\"\\a\"", "if 1 then 2", ".a as | 1", "def f: 1", "1 2", "{(1)}", "$"],
                );
            }

            #[test]
            fn rejects_by_meaning() {
                let doubled = ".c".to_owned() + &" | . + .".repeat(99);
                let outputs = "[".to_owned() + &"(1, 2) | ".repeat(99) + "0] | length";
                judge::rejects_by_meaning(
                    run,
                    is_syntax_error,
                    &[
                        "f",
                        "$x",
                        "break $x",
                        "1 + \"a\"",
                        "error",
                        "[] | implode | .a",
                        "length(1)",
                        "halt",
                        "import \"a\" as a; 1",
                        "def f: f; f",
                        "def f(g): def h: 1; h | g, f(g); f(1)",
                        "[range(0; infinite)]",
                        &doubled,
                        &outputs,
                    ],
                );
            }
        }
    };
}

/// jaq-core 3.1.2.
#[cfg(feature = "jq")]
pub mod new {
    subject!(jaq_core, jaq_std, jaq_json);

    use jaq_core::box_iter::{Results, box_once};
    use jaq_core::load::parse::BinaryOp;

    fn binary<'a>(
        term: Term<&'a str>,
        inner: &mut dyn FnMut(Term<&'a str>) -> Term<&'a str>,
    ) -> Term<&'a str> {
        match term {
            Term::BinOp(left, operator, right) => {
                Term::BinOp(Box::new(inner(*left)), operator, Box::new(inner(*right)))
            }
            term => term,
        }
    }

    type Data = jaq_core::data::JustLut<Val>;

    fn pipe<'a>(left: Term<&'a str>, right: Term<&'a str>) -> Term<&'a str> {
        Term::BinOp(Box::new(left), BinaryOp::Pipe(None), Box::new(right))
    }

    fn definitions<'a>() -> Vec<Def<&'a str>> {
        jaq_core::defs()
            .chain(jaq_std::defs())
            .chain(jaq_json::defs())
            .collect()
    }

    fn natives() -> impl Iterator<Item = jaq_core::native::Fun<Data>> {
        jaq_core::funs()
            .chain(jaq_std::funs())
            .chain(jaq_json::funs())
    }

    fn fuel() -> Native<Data> {
        Native::new(|(_, value)| burn(value, weight, |value| box_once(Ok(value))))
            .with_paths(|(_, path)| {
                burn(path, |(value, _)| weight(value), |path| box_once(Ok(path)))
            })
            .with_update(|(_, value), update| burn(value, weight, update))
    }

    fn burn<'a, T: 'a, V: 'a>(
        value: T,
        weight: impl Fn(&T) -> usize,
        then: impl FnOnce(T) -> Results<'a, V, jaq_core::Exn<'a, Val>>,
    ) -> Results<'a, V, jaq_core::Exn<'a, Val>> {
        if take(weight(&value)) {
            then(value)
        } else {
            box_once(Err(jaq_core::Error::str("used up").into()))
        }
    }

    fn outputs(
        filter: &jaq_core::Filter<Data>,
        mut each: impl FnMut(jaq_core::ValR<Val>) -> Result<(), String>,
    ) -> Result<(), String> {
        let context = Ctx::<Data>::new(&filter.lut, jaq_core::Vars::new([]));
        filter
            .id
            .run((context, Val::Null))
            .map(jaq_core::unwrap_valr)
            .take(OUTPUTS)
            .try_for_each(&mut each)
    }

    /// Counts the values in a value and the bytes of their strings, until the fuel ends.
    fn weight(value: &Val) -> usize {
        let (mut weight, mut left) = (0, vec![value]);
        while let Some(value) = left.pop().filter(|_| weight < TANK) {
            weight += 1;
            match value {
                Val::TStr(text) | Val::BStr(text) => weight += text.len(),
                Val::Arr(values) => left.extend(values.iter()),
                Val::Obj(entries) => {
                    left.extend(entries.iter().flat_map(|(key, value)| [key, value]))
                }
                _ => (),
            }
        }
        weight
    }
}

/// jaq-core 2.1.0, which has known faults.
#[cfg(feature = "jq_old")]
pub mod old {
    use jaq_core_old::{RcIter, ValXs, box_iter::box_once};

    subject!(jaq_core_old, jaq_std_old, jaq_json_old);

    fn binary<'a>(
        term: Term<&'a str>,
        inner: &mut dyn FnMut(Term<&'a str>) -> Term<&'a str>,
    ) -> Term<&'a str> {
        match term {
            Term::BinOp(left, operator, right) => {
                Term::BinOp(Box::new(inner(*left)), operator, Box::new(inner(*right)))
            }
            Term::Pipe(left, pattern, right) => {
                Term::Pipe(Box::new(inner(*left)), pattern, Box::new(inner(*right)))
            }
            term => term,
        }
    }

    fn pipe<'a>(left: Term<&'a str>, right: Term<&'a str>) -> Term<&'a str> {
        Term::Pipe(Box::new(left), None, Box::new(right))
    }

    fn definitions<'a>() -> Vec<Def<&'a str>> {
        jaq_std_old::defs().chain(jaq_json_old::defs()).collect()
    }

    fn natives() -> impl Iterator<Item = jaq_std_old::Filter<Native<Val>>> {
        jaq_std_old::funs().chain(jaq_json_old::funs())
    }

    fn fuel() -> Native<Val> {
        Native::new(|_, (_, value)| burn(value, |value| box_once(Ok(value))))
            .with_update(|_, (_, value), update| burn(value, update))
    }

    fn burn<'a>(value: Val, then: impl FnOnce(Val) -> ValXs<'a, Val>) -> ValXs<'a, Val> {
        if take(weight(&value)) {
            then(value)
        } else {
            box_once(Err(jaq_core_old::Error::str("used up").into()))
        }
    }

    fn outputs(
        filter: &jaq_core_old::Filter<Native<Val>>,
        each: impl FnMut(jaq_core_old::ValR<Val>) -> Result<(), String>,
    ) -> Result<(), String> {
        let inputs = RcIter::new(std::iter::empty());
        filter
            .run((Ctx::new([], &inputs), Val::Null))
            .take(OUTPUTS)
            .try_for_each(each)
    }

    /// Counts the values in a value and the bytes of their strings, until the fuel ends.
    fn weight(value: &Val) -> usize {
        let (mut weight, mut left) = (0, vec![value]);
        while let Some(value) = left.pop().filter(|_| weight < TANK) {
            weight += 1;
            match value {
                Val::Str(text) => weight += text.len(),
                Val::Arr(values) => left.extend(values.iter()),
                Val::Obj(entries) => {
                    weight += entries.keys().map(|key| key.len()).sum::<usize>();
                    left.extend(entries.values());
                }
                _ => (),
            }
        }
        weight
    }
}
