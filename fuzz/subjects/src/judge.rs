//! How the tests of all subjects judge: texts that are valid, broken in their syntax, or broken in their meaning only.

use std::thread;

type Run = fn(&str) -> Result<(), String>;

/// What a fuzz target has, which runs on the main thread; threads of tests have a quarter of it.
const STACK: usize = 8 << 20;

/// All texts are valid.
pub fn accepts(run: Run, texts: &[&str]) {
    each(texts, |text| assert_eq!(run(text), Ok(()), "{text}"));
}

/// All texts are rejected, with a message that tells of a fault in the syntax.
pub fn rejects_by_syntax(run: Run, is_syntax_error: fn(&str) -> bool, texts: &[&str]) {
    rejects(run, is_syntax_error, texts, true);
}

/// All texts are rejected, with a message that tells of none.
pub fn rejects_by_meaning(run: Run, is_syntax_error: fn(&str) -> bool, texts: &[&str]) {
    rejects(run, is_syntax_error, texts, false);
}

fn rejects(run: Run, is_syntax_error: fn(&str) -> bool, texts: &[&str], by_syntax: bool) {
    each(texts, |text| {
        let message = run(text).expect_err(text);
        assert_eq!(is_syntax_error(&message), by_syntax, "{text}: {message}");
    });
}

/// Judges each text, on a stack as large as a fuzz target has.
fn each(texts: &[&str], judge: impl Fn(&str) + Send) {
    thread::scope(|scope| {
        let judges = move || texts.iter().for_each(|text| judge(text));
        let judging = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, judges).expect("a thread");
        judging.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}
