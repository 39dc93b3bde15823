//! The subject `javascript`: Boa 0.22.0 parses a script and evaluates it.
//!
//! A text is valid if the script and its jobs (continuations of `await`, reactions to promises) run
//! without an uncaught exception. Each run has a context and a thread of its own, so that a script
//! cannot change later runs. A count of instructions ends scripts that run too long, and limits end
//! those that recurse or repeat too much. Both are errors of meaning.

mod machine;

use boa_engine::JsError;
use boa_engine::error::EngineError;
use machine::PARSE;
pub use machine::{outcome, run};
use std::error::Error;

/// Prefixes of the errors of the limits.
const LIMITS: [&str; 2] = ["RuntimeLimitError", "NoInstructionsRemainError"];

/// Returns the message of an uncaught exception.
fn thrown(error: &JsError) -> String {
    if let Some(EngineError::Panic(panic)) = error.as_engine() {
        // Boa assumes that some of its own steps never throw, but a limit can stop any of them.
        let cause = panic.source().map(ToString::to_string).unwrap_or_default();
        assert!(
            LIMITS.iter().any(|start| cause.starts_with(start)),
            "engine panic: {panic}, {cause}"
        );
    }
    // The lines after the first one are the call stack.
    error
        .to_string()
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// Prefixes of messages about early errors: rules that the specification adds to its grammar, and
/// that the parser checks. They are from boa_parser 0.22.0, `src/parser/` and `src/lexer/`, and
/// boa_ast 0.22.0. If zester's grammar excludes an early error by construction (`yield`, `await`,
/// `super`, private names, escapes, assignment targets), its messages count as syntax errors.
const EARLY: [&str; 12] = [
    // Duplicate names, and names in forbidden positions.
    "lexical name ",
    "Duplicate parameter name",
    "For loop initializer ",
    "catch parameter identifier",
    "duplicate catch parameter",
    "formal parameter ",
    "binding identifier ",
    "unexpected identifier ",
    "Duplicate __proto__ fields",
    // `delete a` in strict code.
    "cannot delete variables in strict mode",
    // Boa also reports it for private methods of a class in a field, where the specification allows
    // it.
    "'arguments' not allowed in class field definition",
    // A limit.
    "Invalid regular expression literal: Regular expression is too deeply nested",
];

/// Returns whether a message of [`run`] means that no grammar of JavaScript derives the text.
///
/// The parser reads the whole text before the script runs, and its messages are marked. A
/// `SyntaxError` without the mark was thrown by `eval`, `RegExp` and similar functions.
pub fn is_syntax_error(message: &str) -> bool {
    let message = message
        .strip_prefix(PARSE)
        .map(|message| message.strip_prefix("SyntaxError: ").unwrap_or(message));
    message.is_some_and(|message| !EARLY.iter().any(|start| message.starts_with(start)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge;

    #[test]
    fn accepts_valid_texts() {
        judge::accepts(
            run,
            &[
                "",
                ";",
                "#!/bin/js\n'use strict'; let a = 1, { b = a, ...c } = {}; for (const [d] of ['x']) { a += d?.length ** 2; }",
                "class C extends Map { #p = 1n; static { this.q = new C().r(); } r() { return super.size + Number(this.#p); } }",
                "function* g(a = 1) { try { yield* [a, `${yield}`]; } finally { return; } } [...g()];",
                "async function* h() { for await (const a of [1]) yield a; } h().next().then(({ value }) => value ?? 0);",
                "l: for (;;) { switch (typeof /[/]/u.exec('a')) { default: break l; } }",
                &("(".repeat(2_000) + &")".repeat(2_000).replacen(')', "1)", 1)),
                "if (new Date().getTimezoneOffset() !== 0) throw 1;",
            ],
        );
    }

    #[test]
    fn the_outcome_is_the_completion_value() {
        assert_eq!(
            outcome("1; if (true) { [2, 'a'] }").as_deref(),
            Ok("[ 2, \"a\" ]")
        );
        assert_eq!(outcome("let a = 1;").as_deref(), Ok("undefined"));
        // A job runs before the value is read.
        let job = "let a = []; Promise.resolve().then(() => a.push(1)); a";
        assert_eq!(outcome(job).as_deref(), Ok("[ 1 ]"));
        let rejected = |text| outcome(text).unwrap();
        assert_eq!(
            rejected("(async () => { 6(); })();"),
            rejected(" ( async () => {  6(); })();"),
            "positions do not count"
        );
    }

    #[test]
    fn nothing_outlives_a_run() {
        assert_eq!(run("globalThis.a = 1; Array.prototype.map = null;"), Ok(()));
        assert_eq!(run("if (globalThis.a || ![].map) throw 1;"), Ok(()));
    }

    #[test]
    fn rejects_by_syntax() {
        judge::rejects_by_syntax(
            run,
            is_syntax_error,
            &[
                "(",
                "let 1 = 2;",
                "a b",
                "return 1;",
                "({ a: 1 b })",
                "/[/",
                "'\n'",
                "`${`",
                "break;",
                "1 = 2;",
                "for (;) {}",
            ],
        );
    }

    #[test]
    fn rejects_by_meaning() {
        judge::rejects_by_meaning(
            run,
            is_syntax_error,
            &[
                "nothing;",
                "null.x;",
                "throw 1;",
                "let a; let a;",
                "'use strict'; delete Math;",
                "eval('(');",
                "for (;;) {}",
                "function f() { f(); } f();",
                "function f() { try { f(); f(); } catch {} } for (;;) f();",
                "async function f() { for (;;) await 0; } f(); function g(a) { a && (g(a - 1), g(a - 1)); } g(30);",
                "new ArrayBuffer(2 ** 30);",
                "'a'.repeat(2 ** 28);",
            ],
        );
    }
}
