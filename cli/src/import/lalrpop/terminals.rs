//! The tokens of a grammar of LALRPOP: those of the built-in lexer, and those of an external one.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::super::expression::{Expression, Finding, ForeignKind, ForeignRule, SourceLocation};
use super::super::{names, regex};
use super::shadowed::ShadowedLiterals;
use super::syntax::{GrammarSymbol, LalrpopGrammar, Mapping, Nonterminal, TokenPattern};

/// Quoted names of external tokens that are not the text of the token.
const INVISIBLE: [&str; 8] = [
    "newline",
    "indent",
    "dedent",
    "eof",
    "eol",
    "end",
    "nl",
    "whitespace",
];

/// The tokens.
pub struct Terminals {
    file: usize,
    /// The expression of a token, by its name without quotation marks.
    bare: HashMap<String, Expression>,
    /// The expression of a token, by its name in quotation marks.
    quoted: HashMap<String, Expression>,
    /// The names of the tokens that are regular expressions.
    regexes: HashMap<String, String>,
    /// The index of the `match` block of each regular expression; `others` is the index for the rest.
    blocks: HashMap<String, usize>,
    others: usize,
    shadowed: ShadowedLiterals,
    /// New rules for tokens that have no rule in the grammar, each with the index of the rule after which it
    /// is inserted.
    pub rules: Vec<(usize, ForeignRule)>,
}

impl Terminals {
    /// Collects the tokens. The names of all rules are `taken`.
    pub fn new(
        grammar: &LalrpopGrammar,
        file: usize,
        taken: &mut HashSet<String>,
    ) -> Result<Terminals, Finding> {
        let mut terminals = Terminals {
            file,
            bare: HashMap::new(),
            quoted: HashMap::new(),
            regexes: HashMap::new(),
            blocks: HashMap::new(),
            others: grammar.blocks.len(),
            shadowed: ShadowedLiterals::new(grammar),
            rules: Vec::new(),
        };
        for rule in &grammar.nonterminals {
            if let Some(regex) = only_regex(rule) {
                let name = rule.name.clone();
                terminals.regexes.entry(regex.into()).or_insert(name);
            }
        }
        terminals.add_external(grammar, taken);
        terminals.add_matches(grammar, taken)?;
        Ok(terminals)
    }

    fn add_external(&mut self, grammar: &LalrpopGrammar, taken: &mut HashSet<String>) {
        for token in grammar.external.iter().flatten() {
            let meaning = match token.is_quoted && is_text(&token.name, token.has_value) {
                true => Expression::literal(token.name.clone()),
                false => {
                    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
                    let mut name = token.name.replace(|c| !is_part(c), "_");
                    if taken.contains(&name) {
                        name.push_str("_token");
                    }
                    Expression::name(names::take(&name, taken))
                }
            };
            let all = match token.is_quoted {
                true => &mut self.quoted,
                false => &mut self.bare,
            };
            all.insert(token.name.clone(), meaning);
        }
    }

    fn add_matches(
        &mut self,
        grammar: &LalrpopGrammar,
        taken: &mut HashSet<String>,
    ) -> Result<(), Finding> {
        let mut has_layout = false;
        for (block, entry) in grammar
            .blocks
            .iter()
            .enumerate()
            .flat_map(|(block, entries)| entries.iter().map(move |entry| (block, entry)))
        {
            let body = match &entry.pattern {
                None => {
                    self.others = block;
                    continue;
                }
                Some(TokenPattern::Literal(text)) => self.text(text),
                Some(TokenPattern::Regex(text)) if entry.mapping == Mapping::Skip => {
                    self.read(text, &entry.span)?.0
                }
                Some(TokenPattern::Regex(text)) => {
                    self.blocks.entry(text.clone()).or_insert(block);
                    let wanted = match &entry.mapping {
                        Mapping::Name(name, false) => name,
                        _ => "token",
                    };
                    if matches!(entry.mapping, Mapping::Name(..)) {
                        self.regex((text, &entry.span), (wanted, usize::MAX - 1), taken)?
                    } else {
                        continue;
                    }
                }
            };
            match &entry.mapping {
                Mapping::Itself => {}
                Mapping::Name(name, true) => {
                    self.quoted.insert(name.clone(), body);
                }
                Mapping::Name(name, false) => {
                    self.bare.insert(name.clone(), body);
                }
                Mapping::Skip => {
                    has_layout = true;
                    self.layout(body, block, &entry.span, taken);
                }
            }
        }
        if !has_layout {
            // An external lexer is assumed to skip white space, too.
            let blanks = match &grammar.external {
                Some(tokens) if tokens.iter().any(|token| is_line_feed(&token.name)) => r"[ \t]+",
                Some(_) => r"[ \t\r\n]+",
                None => r"\s*",
            };
            let (body, _) = self.read(blanks, &(0..0))?;
            self.layout(body, self.others, &(0..0), taken);
        }
        Ok(())
    }

    /// Returns the expression of a literal in the grammar. It derives nothing if the lexer never reads the
    /// literal.
    pub fn literal(&self, text: &str) -> Expression {
        let meaning = self.quoted.get(text).cloned();
        meaning.unwrap_or_else(|| self.text(text))
    }

    /// Returns the expression of a text. It derives nothing if the lexer never reads the text.
    fn text(&self, text: &str) -> Expression {
        match self.shadowed.has(text) {
            true => Expression::never(),
            false => Expression::literal(text),
        }
    }

    /// Returns the expression of a name that no rule has.
    pub fn name(&self, name: &str) -> Expression {
        let meaning = self.bare.get(name).cloned();
        meaning.unwrap_or_else(|| Expression::name(name))
    }

    /// Returns the token for a rule whose only symbol is a regular expression, if no earlier rule has the
    /// same expression.
    pub fn token(&self, rule: &Nonterminal) -> Result<Option<ForeignRule>, Finding> {
        match only_regex(rule) {
            Some(regex) if self.regexes.get(regex) == Some(&rule.name) => {
                let mut token = self.token_rule(&rule.name, regex, &rule.span)?;
                token.comments.clone_from(&rule.comments);
                Ok(Some(token))
            }
            _ => Ok(None),
        }
    }

    /// Returns the expression of a regular expression. If it has no name yet, adds a rule for it, with a name
    /// like `wanted`, after the rule with the index `after`.
    pub fn regex(
        &mut self,
        (text, span): (&str, &Range<usize>),
        (wanted, after): (&str, usize),
        taken: &mut HashSet<String>,
    ) -> Result<Expression, Finding> {
        if let Some(meaning) = self.quoted.get(text) {
            return Ok(meaning.clone());
        }
        if let Some(name) = self.regexes.get(text) {
            return Ok(Expression::name(name.clone()));
        }
        let name = names::take(wanted, taken);
        let rule = self.token_rule(&name, text, span)?;
        self.rules.push((after, rule));
        self.regexes.insert(text.into(), name.clone());
        Ok(Expression::name(name))
    }

    fn token_rule(
        &self,
        name: &str,
        text: &str,
        span: &Range<usize>,
    ) -> Result<ForeignRule, Finding> {
        let (body, has_looks) = self.read(text, span)?;
        let location = self.location(span);
        let mut warnings = Vec::new();
        if has_looks {
            warnings.push(Finding::new(
                location.clone(),
                "an anchor or a word boundary in a regular expression was left out",
                "texts that it refuses are written, too",
            ));
        }
        let block = self.blocks.get(text).unwrap_or(&self.others);
        Ok(ForeignRule {
            location,
            warnings,
            ..ForeignRule::new(name, ForeignKind::Token(priority(*block)), body)
        })
    }

    fn layout(
        &mut self,
        body: Expression,
        block: usize,
        span: &Range<usize>,
        taken: &mut HashSet<String>,
    ) {
        // Layout must not be empty, so a repetition has at least one element.
        let body = match body {
            Expression::Repeat {
                element,
                at_least: 0,
                at_most,
            } => element.repeat(1, at_most),
            other => other,
        };
        let name = names::take("layout", taken);
        let rule = ForeignRule {
            location: self.location(span),
            ..ForeignRule::new(name, ForeignKind::Layout(priority(block)), body)
        };
        self.rules.push((usize::MAX, rule));
    }

    fn read(&self, text: &str, span: &Range<usize>) -> Result<(Expression, bool), Finding> {
        regex::read(text, false).map_err(|label| {
            Finding::new(
                self.location(span),
                "not a regular expression of the regex crate",
                label,
            )
        })
    }

    fn location(&self, span: &Range<usize>) -> SourceLocation {
        SourceLocation::new(self.file, span.clone())
    }
}

/// Whether an external token stands for a line feed, as far as its name says.
fn is_line_feed(name: &str) -> bool {
    let words = ["newline", "nl", "eol", "line_feed", "linefeed"];
    name.contains('\n') || words.contains(&&*name.to_lowercase())
}

/// Whether a quoted name of an external token is its text, as of `"="` and `"if"`, and not of `"name"` with a
/// value.
fn is_text(name: &str, has_value: bool) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ');
    if !name.contains(char::is_alphabetic) || !name.chars().all(is_part) {
        return true;
    }
    !has_value
        && !name.contains(|c: char| c.is_uppercase() || c == ' ')
        && !INVISIBLE.contains(&name)
}

/// The priority of the regular expressions in a block of `match`. It is below that of literals.
fn priority(block: usize) -> i32 {
    -i32::try_from(block).unwrap_or(i32::MAX)
}

/// The regular expression that is all of a rule.
fn only_regex(rule: &Nonterminal) -> Option<&str> {
    match &rule.alternatives[..] {
        [only] if rule.parameters.is_empty() && !only.is_fallible => match &only.symbols[..] {
            [GrammarSymbol::Regex(text, _)] => Some(text),
            _ => None,
        },
        _ => None,
    }
}
