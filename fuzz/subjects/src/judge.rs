//! Assertions for the tests of all subjects: texts that are valid, that have syntax errors, or that
//! have only errors of meaning.

use std::thread;

type Run = fn(&str) -> Result<(), String>;

/// The bytes of the stack of a fuzz target, which runs on the main thread. Threads of tests have a
/// quarter of it.
const STACK: usize = 8 << 20;

/// Asserts that all texts are valid.
pub fn accepts(run: Run, texts: &[&str]) {
    each(texts, |text| assert_eq!(run(text), Ok(()), "{text}"));
}

/// Asserts that all texts are rejected with a message about a syntax error.
pub fn rejects_by_syntax(run: Run, is_syntax_error: fn(&str) -> bool, texts: &[&str]) {
    rejects(run, is_syntax_error, texts, true);
}

/// Asserts that all texts are rejected with a message that is not about a syntax error.
pub fn rejects_by_meaning(run: Run, is_syntax_error: fn(&str) -> bool, texts: &[&str]) {
    rejects(run, is_syntax_error, texts, false);
}

fn rejects(run: Run, is_syntax_error: fn(&str) -> bool, texts: &[&str], by_syntax: bool) {
    each(texts, |text| {
        let message = run(text).expect_err(text);
        assert_eq!(is_syntax_error(&message), by_syntax, "{text}: {message}");
    });
}

/// Runs a subject on each text, on a stack as large as that of a fuzz target.
fn each(texts: &[&str], judge: impl Fn(&str) + Send) {
    thread::scope(|scope| {
        let judges = move || texts.iter().for_each(|text| judge(text));
        let judging = thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, judges)
            .expect("a thread");
        judging
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}
