//! Reads the rules of a grammar of Yacc.

use super::super::expression::{Finding, SourceLocation};
use super::scan::{Refusal, Scanned, YaccLexeme};

/// A symbol of an alternative.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum YaccSymbol {
    Name(String),
    Character(String),
    Text(String),
}

/// An alternative of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct YaccAlternative {
    pub symbols: Vec<YaccSymbol>,
    /// The symbol after `%prec`.
    pub precedence: Option<YaccSymbol>,
}

/// A rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct YaccRule {
    pub name: String,
    pub location: SourceLocation,
    pub comments: Vec<String>,
    pub alternatives: Vec<YaccAlternative>,
    pub warnings: Vec<Finding>,
}

impl YaccRule {
    /// Adds a warning, unless the rule has one with this message.
    fn warn(&mut self, location: &SourceLocation, message: &str, label: &str) {
        if !self.warnings.iter().any(|known| known.message == message) {
            self.warnings
                .push(Finding::new(location.clone(), message, label));
        }
    }
}

pub fn read(all: &[Scanned]) -> Result<Vec<YaccRule>, Finding> {
    let mut rules: Vec<YaccRule> = Vec::new();
    let mut at = 0;
    while at < all.len() {
        let one = &all[at];
        if let Some(colon) = head(&all[at..]) {
            let YaccLexeme::Name(name) = &one.lexeme else {
                break;
            };
            let mut rule = YaccRule {
                name: name.clone(),
                location: one.location.clone(),
                comments: one.comments.clone(),
                alternatives: Vec::new(),
                warnings: Vec::new(),
            };
            at += colon + 1;
            at += alternatives(&all[at..], &mut rule)?;
            rules.push(rule);
            continue;
        }
        at += 1;
        match &one.lexeme {
            // Declarations can stand between rules; `%start` and `%type` do not change the rule before.
            YaccLexeme::Directive(_) => {
                let is_end = |one: &Scanned| one.lexeme == YaccLexeme::Sign(';');
                let next = (at..all.len())
                    .find(|&next| is_end(&all[next]) || head(&all[next..]).is_some());
                at = next.unwrap_or(all.len());
            }
            YaccLexeme::Sign(';') | YaccLexeme::Code(_) => {}
            _ => return Err(not_read(one)),
        }
    }
    Ok(rules)
}

/// Returns the index of the colon if a rule begins here.
fn head(all: &[Scanned]) -> Option<usize> {
    let is_colon = |at: usize| {
        all.get(at)
            .is_some_and(|one| one.lexeme == YaccLexeme::Sign(':'))
    };
    match (&all.first()?.lexeme, all.get(1).map(|one| &one.lexeme)) {
        (YaccLexeme::Name(_), Some(YaccLexeme::Reference | YaccLexeme::Tag)) if is_colon(2) => {
            Some(2)
        }
        (YaccLexeme::Name(_), _) if is_colon(1) => Some(1),
        _ => None,
    }
}

fn not_read(one: &Scanned) -> Finding {
    let message = match one.lexeme {
        YaccLexeme::Sign('(') => "a rule with parameters",
        _ => "not a rule of Yacc",
    };
    Finding::new(one.location.clone(), message, "this cannot be read here")
}

/// Reads the alternatives of a rule. Returns how many lexemes they have.
fn alternatives(all: &[Scanned], rule: &mut YaccRule) -> Result<usize, Finding> {
    let mut alternative = YaccAlternative::default();
    let mut has_error = false;
    let mut at = 0;
    while let Some(one) = all.get(at) {
        if head(&all[at..]).is_some() {
            break;
        }
        at += 1;
        let mut symbol = |one: &Scanned| match &one.lexeme {
            YaccLexeme::Name(name) => Some(YaccSymbol::Name(name.clone())),
            YaccLexeme::Character(text) => Some(YaccSymbol::Character(text.clone())),
            YaccLexeme::Text(text) => Some(YaccSymbol::Text(text.clone())),
            _ => None,
        };
        match &one.lexeme {
            YaccLexeme::Name(name) if name == "error" => {
                has_error = true;
                rule.warn(
                    &one.location,
                    "an alternative for errors was left out",
                    "`error` stands for a wrong part of a sentence",
                );
            }
            YaccLexeme::Name(_) | YaccLexeme::Character(_) | YaccLexeme::Text(_) => {
                alternative.symbols.extend(symbol(one))
            }
            YaccLexeme::Sign(sign @ ('|' | ';')) => {
                let done = std::mem::take(&mut alternative);
                if !std::mem::take(&mut has_error) {
                    rule.alternatives.push(done);
                }
                if *sign == ';' {
                    return Ok(at);
                }
            }
            YaccLexeme::Directive(name) => match &**name {
                "prec" => {
                    alternative.precedence = all.get(at).and_then(&mut symbol);
                    at += usize::from(alternative.precedence.is_some());
                }
                "empty" => {}
                "dprec" | "expect" | "expect-rr" | "merge" => at += usize::from(at < all.len()),
                "?" => rule.warn(
                    &one.location,
                    "a predicate was left out",
                    "sentences that it refuses are derived, too",
                ),
                _ => return Err(not_read(one)),
            },
            YaccLexeme::Code(Refusal::Perhaps) => rule.warn(
                &one.location,
                "code that may refuse sentences was left out",
                "sentences that it refuses are derived, too",
            ),
            YaccLexeme::Code(Refusal::Always) => {
                has_error = true;
                rule.warn(
                    &one.location,
                    "an alternative whose code reports an error was left out",
                    "it is there for the message",
                );
            }
            YaccLexeme::Code(Refusal::Never) => {}
            YaccLexeme::Reference | YaccLexeme::Tag | YaccLexeme::Sign('=') => {}
            _ => return Err(not_read(one)),
        }
    }
    if !has_error {
        rule.alternatives.push(alternative);
    }
    Ok(at)
}
