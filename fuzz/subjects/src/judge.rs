//! How the tests of all subjects judge: texts that are valid, broken in their syntax, or broken in their meaning only.

type Run = fn(&str) -> Result<(), String>;

/// All texts are valid.
#[track_caller]
pub fn accepts(run: Run, texts: &[&str]) {
    for text in texts {
        assert_eq!(run(text), Ok(()), "{text}");
    }
}

/// All texts are rejected, with a message that tells of a fault in the syntax.
#[track_caller]
pub fn rejects_by_syntax(run: Run, is_syntax_error: fn(&str) -> bool, texts: &[&str]) {
    rejects(run, is_syntax_error, texts, true);
}

/// All texts are rejected, with a message that tells of none.
#[track_caller]
pub fn rejects_by_meaning(run: Run, is_syntax_error: fn(&str) -> bool, texts: &[&str]) {
    rejects(run, is_syntax_error, texts, false);
}

#[track_caller]
fn rejects(run: Run, is_syntax_error: fn(&str) -> bool, texts: &[&str], by_syntax: bool) {
    for text in texts {
        let message = run(text).expect_err(text);
        assert_eq!(is_syntax_error(&message), by_syntax, "{text}: {message}");
    }
}
