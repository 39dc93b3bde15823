//! Texts to grammars: EBNF, read by a parser that LALRPOP generates, and lowered in ordered passes.
//!
//! `flatten` resolves names and flattens groups, `exclude` computes exclusions, `nonempty` makes repeated elements
//! non-empty, `sound` drops what cannot be derived, `finish` orders, measures and freezes. Each says in its first lines what
//! no longer exists after it. What holds: any bytes give a grammar or a report; every finding has a place.
//!
//! # The notation
//!
#![doc = include_str!("notation/notation.md")]

mod draft;
mod exclude;
mod finish;
mod flatten;
mod lexer;
mod nonempty;
mod report;
mod sound;
mod start;
mod syntax;

// The parser that LALRPOP generates from `notation/ebnf.lalrpop`. It is checked in so that building a fuzz target does not build
// LALRPOP; `tests/notation_parser.rs` generates it anew and compares.
#[rustfmt::skip]
#[allow(clippy::all, clippy::pedantic, unused, missing_docs)]
mod ebnf;

use lalrpop_util::ParseError;

use self::draft::Draft;
use self::lexer::{Lexer, Mistake};
pub use self::report::Report;
use crate::bounds::Caps;
use crate::grammar::Grammar;

/// The largest source that is read, in bytes: 4 MiB.
pub const MOST_SOURCE: usize = 4 << 20;

/// Reads a grammar in EBNF. `file` is what messages call the source; a shortest sentence over `caps` is an error.
///
/// # Errors
/// The report, if the source has an error. Otherwise a report comes with the grammar: its warnings, or nothing.
pub fn read(file: &str, source: &[u8], caps: &Caps) -> Result<(Grammar, Report), Report> {
    read_from(file, source, None, caps)
}

/// Reads a grammar as [`read`] does, but its sentences start from the rule that `start` names, if it names one.
///
/// There are no warnings of rules that this start does not use.
///
/// ```
/// use zester::{bounds::Caps, notation, parameters};
///
/// let source = br#"call = name "(" number ")" ; name = "f" ; number = [0-9]+ ;"#;
/// let (grammar, _) = notation::read_from("call.ebnf", source, Some("number"), &Caps::default()).unwrap();
/// assert_eq!(parameters::sentence(&grammar, &Default::default(), &[]).text(), b"0");
/// ```
///
/// # Errors
/// The report, if the source has an error or no rule of this name.
pub fn read_from(file: &str, source: &[u8], start: Option<&str>, caps: &Caps) -> Result<(Grammar, Report), Report> {
    let text = match std::str::from_utf8(source) {
        _ if source.len() > MOST_SOURCE => {
            let message = format!("{} bytes are too many for a grammar", source.len());
            return refuse(file, "", Mistake::new(0..0, message, format!("at most {MOST_SOURCE}")));
        }
        Err(error) => {
            let text = String::from_utf8_lossy(source);
            let at = error.valid_up_to();
            let label = "write it \\xNN inside a literal or class";
            return refuse(file, &text, Mistake::new(at..at + 3, "a grammar is UTF-8, this byte is not", label));
        }
        Ok(text) => text,
    };
    let mut tree = match ebnf::FileParser::new().parse(Lexer::new(text)) {
        Ok(tree) if tree.is_empty() => {
            return refuse(file, text, Mistake::new(0..0, "empty grammar", "a grammar has at least one rule: name = \"text\" ;"));
        }
        Ok(tree) => tree,
        Err(error) => return refuse(file, text, mistake(error)),
    };
    if let Some(mistake) = start.and_then(|start| start::start_from(&mut tree, start).err()) {
        return refuse(file, text, mistake);
    }
    let is_whole = start.is_none();
    let mut report = Report::new(file, text);
    let mut draft = Draft::default();
    flatten::flatten(&tree, &mut draft, &mut report);
    drop(tree);
    if report.errors() == 0 {
        exclude::exclude(&mut draft, &mut report);
    }
    if report.errors() == 0 {
        nonempty::nonempty(&mut draft);
    }
    if draft.is_too_large() {
        let label = format!("more than {} symbols", draft::MOST);
        report.error(Mistake::new(0..0, "the grammar is too large", label));
    }
    let root = draft.root.filter(|_| report.errors() == 0);
    if let Some(start) = draft.start.filter(|_| root.is_some()) {
        if is_whole {
            sound::unused(&draft, start, &mut report);
        }
        sound::sound(&mut draft, start, &mut report);
    }
    let root = root.filter(|_| report.errors() == 0);
    match root.and_then(|root| finish::finish(draft, root, caps, &mut report)) {
        Some(grammar) => Ok((grammar, report)),
        None => Err(report),
    }
}

/// What the parser of the notation says of a source, before any rule is looked at: for those who generate grammars.
pub fn syntax_error(file: &str, source: &[u8]) -> Option<Report> {
    let text = std::str::from_utf8(source).ok()?;
    let error = ebnf::FileParser::new().parse(Lexer::new(text)).err()?;
    refuse::<()>(file, text, mistake(error)).err()
}

fn refuse<T>(file: &str, source: &str, mistake: Mistake) -> Result<T, Report> {
    let mut report = Report::new(file, source);
    report.error(mistake);
    Err(report)
}

/// What the parser found, in our words.
fn mistake(error: ParseError<usize, lexer::Token, Mistake>) -> Mistake {
    let expectation = |expected: Vec<String>| match &expected[..] {
        [] => "not expected here".to_string(),
        expected => format!("expected one of {}", expected.join(", ").replace('"', "")),
    };
    match error {
        ParseError::User { error } => error,
        ParseError::InvalidToken { location } => Mistake::new(location..location, "invalid token", "here"),
        ParseError::UnrecognizedEof { location, expected } => {
            Mistake::new(location..location, "the grammar ends in the middle of a rule", expectation(expected))
        }
        ParseError::UnrecognizedToken { token: (from, _, to), expected } => {
            Mistake::new(from..to, "unexpected token", expectation(expected))
        }
        ParseError::ExtraToken { token: (from, _, to) } => Mistake::new(from..to, "unexpected token", "not expected here"),
    }
}
