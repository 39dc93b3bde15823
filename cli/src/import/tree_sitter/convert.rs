//! Converts the nodes of the rules to expressions, and finds the tokens in them.

use std::collections::{HashMap, HashSet};

use super::super::expression::{
    Expression, Finding, ForeignKind, ForeignRule, LITERAL, MAX_NESTING, SourceLocation,
};
use super::super::names;
use super::json::{Json, JsonValue};
use super::pattern;

/// The difference in priority for a difference of one in precedence.
const STEP: i32 = 4;

/// Precedences of tokens are limited to this.
const MAX_PRECEDENCE: f64 = 10_000.0;

/// A token with its precedence in the lexer.
#[derive(PartialEq, Eq, Hash, Clone)]
struct TokenTexts {
    body: Expression,
    precedence: i32,
    is_immediate: bool,
}

/// Converts rules one after the other.
pub struct Converter {
    file: usize,
    /// The expressions of the tokens of the external scanner.
    pub inline: HashMap<String, Expression>,
    /// The rules that have no layout before them.
    pub adjacent: HashSet<String>,
    /// The names of rules.
    taken: HashSet<String>,
    /// The tokens that have a rule already.
    tokens: HashMap<TokenTexts, String>,
    /// The rule that is being converted.
    name: String,
    /// The token rules that have been added for it.
    added: Vec<ForeignRule>,
    warnings: Vec<Finding>,
}

impl Converter {
    pub fn new(file: usize, rules: &[(String, Json)]) -> Converter {
        Converter {
            file,
            inline: HashMap::new(),
            adjacent: HashSet::new(),
            taken: rules.iter().map(|(name, _)| name.clone()).collect(),
            tokens: HashMap::new(),
            name: String::new(),
            added: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Returns the name, or one like it, that no rule has.
    pub fn unused(&mut self, name: &str) -> String {
        names::take(name, &mut self.taken)
    }

    /// Converts a rule. The token rules that it needs follow it.
    pub fn rule(&mut self, name: &str, source: &Json) -> Result<Vec<ForeignRule>, Finding> {
        self.name = name.into();
        let (kind, body) = match self.token(source)? {
            Some(token) => {
                if token.is_immediate {
                    self.adjacent.insert(name.into());
                }
                let kind = kind(&token);
                let body = token.body.clone();
                self.tokens.entry(token).or_insert_with(|| name.into());
                (kind, body)
            }
            None => (ForeignKind::Syntax, self.expression(source, 0)?),
        };
        let rule = ForeignRule {
            location: self.location(source),
            warnings: std::mem::take(&mut self.warnings),
            ..ForeignRule::new(name, kind, body)
        };
        let mut rules = vec![rule];
        rules.append(&mut self.added);
        Ok(rules)
    }

    fn location(&self, source: &Json) -> SourceLocation {
        // A node can have thousands of lines; its beginning shows it.
        let start = source.span.start;
        SourceLocation::new(self.file, start..(start + 1).min(source.span.end))
    }

    fn error(&self, source: &Json, message: String, label: impl Into<String>) -> Finding {
        Finding::new(self.location(source), message, label)
    }

    /// Converts a node of syntax.
    fn expression(&mut self, source: &Json, depth: usize) -> Result<Expression, Finding> {
        if let Some(token) = self.token(source)? {
            return Ok(self.named(token, source));
        }
        let of = |converter: &mut Converter, source: &Json| converter.expression(source, depth + 1);
        self.group(source, depth, &of)
    }

    /// Converts a node within a token.
    fn texts(&mut self, source: &Json, depth: usize) -> Result<Expression, Finding> {
        match type_of(source) {
            "STRING" => Ok(Expression::literal(value(source))),
            "PATTERN" => self.pattern(source),
            "TOKEN" | "IMMEDIATE_TOKEN" => self.content(source, depth, &|converter, source| {
                converter.texts(source, depth + 1)
            }),
            _ => self.group(source, depth, &|converter, source| {
                converter.texts(source, depth + 1)
            }),
        }
    }

    fn content(
        &mut self,
        source: &Json,
        depth: usize,
        of: &dyn Fn(&mut Converter, &Json) -> Result<Expression, Finding>,
    ) -> Result<Expression, Finding> {
        if depth > MAX_NESTING {
            let message = "too many groups are inside each other".to_string();
            return Err(self.error(source, message, format!("more than {MAX_NESTING}")));
        }
        match source.get("content") {
            Some(content) => of(self, content),
            None => Err(self.error(source, "the node has no content".into(), "it needs one")),
        }
    }

    /// Converts a node that is no token; `of` converts its parts.
    fn group(
        &mut self,
        source: &Json,
        depth: usize,
        of: &dyn Fn(&mut Converter, &Json) -> Result<Expression, Finding>,
    ) -> Result<Expression, Finding> {
        match type_of(source) {
            "BLANK" => Ok(Expression::empty()),
            "SYMBOL" => {
                let name = source.text_of("name").unwrap_or_default();
                Ok(match self.inline.get(name) {
                    Some(meaning) => meaning.clone(),
                    None => Expression::name(name),
                })
            }
            kind @ ("SEQ" | "CHOICE") => {
                if depth > MAX_NESTING {
                    let message = "too many groups are inside each other".to_string();
                    return Err(self.error(source, message, format!("more than {MAX_NESTING}")));
                }
                let members = source
                    .get("members")
                    .map(Json::elements)
                    .unwrap_or_default();
                let mut parts = Vec::new();
                for member in members {
                    // If a choice has other alternatives, a token that the scanner inserts at the
                    // end of a text is left out.
                    if kind == "CHOICE" && is_semicolon(member) {
                        continue;
                    }
                    parts.push(of(self, member)?);
                }
                Ok(if kind == "SEQ" {
                    Expression::sequence(parts)
                } else {
                    choice(parts)
                })
            }
            "REPEAT" => Ok(self.content(source, depth, of)?.repeat(0, None)),
            "REPEAT1" => Ok(self.content(source, depth, of)?.repeat(1, None)),
            "PREC" | "PREC_LEFT" | "PREC_RIGHT" | "PREC_DYNAMIC" | "ALIAS" | "FIELD"
            | "RESERVED" => self.content(source, depth, of),
            other => Err(self.error(
                source,
                format!("the type `{other}` is not one of a node"),
                "zester does not know it",
            )),
        }
    }

    fn pattern(&mut self, source: &Json) -> Result<Expression, Finding> {
        let flags = source.text_of("flags").unwrap_or_default();
        let (expression, has_looks) = pattern::read(&value(source), flags).map_err(|message| {
            self.error(source, "this is not a regular expression".into(), message)
        })?;
        if has_looks && self.warnings.is_empty() {
            let finding = self.error(
                source,
                "an anchor or a boundary was left out".into(),
                "sentences do not follow it",
            );
            self.warnings.push(finding);
        }
        Ok(expression)
    }

    /// Returns the token of a node, also within nodes that do not change the texts.
    fn token(&mut self, source: &Json) -> Result<Option<TokenTexts>, Finding> {
        let mut node = source;
        let mut precedence = 0;
        let mut is_token = false;
        let mut is_immediate = false;
        loop {
            match type_of(node) {
                "TOKEN" => is_token = true,
                "IMMEDIATE_TOKEN" => (is_token, is_immediate) = (true, true),
                "PREC" | "PREC_LEFT" | "PREC_RIGHT" | "PREC_DYNAMIC" => {
                    if let (true, Some(JsonValue::Number(number))) =
                        (is_token, node.get("value").map(|value| &value.value))
                    {
                        // The number is small, so it fits.
                        #[allow(clippy::cast_possible_truncation)]
                        let number = number.clamp(-MAX_PRECEDENCE, MAX_PRECEDENCE) as i32;
                        precedence = number;
                    }
                }
                "ALIAS" | "FIELD" | "RESERVED" => {}
                "STRING" | "PATTERN" => break,
                _ if is_token => break,
                _ => return Ok(None),
            }
            match node.get("content") {
                Some(content) => node = content,
                None => {
                    return Err(self.error(node, "the node has no content".into(), "it needs one"));
                }
            }
        }
        Ok(Some(TokenTexts {
            body: self.texts(node, 0)?,
            precedence,
            is_immediate,
        }))
    }

    /// Returns the expression for a token in syntax: a literal, or the name of a rule.
    fn named(&mut self, token: TokenTexts, source: &Json) -> Expression {
        let is_literal = matches!(token.body, Expression::Literal { .. });
        if is_literal && (token.precedence == 0 || token.is_immediate) {
            return if token.is_immediate {
                token.body.adjacent()
            } else {
                token.body
            };
        }
        if token.body == Expression::empty() {
            return token.body;
        }
        let name = match self.tokens.get(&token) {
            Some(name) => name.clone(),
            None => {
                let name = self.unused(&format!("{}_token", self.name.trim_start_matches('_')));
                self.added.push(ForeignRule {
                    location: self.location(source),
                    warnings: std::mem::take(&mut self.warnings),
                    ..ForeignRule::new(name.clone(), kind(&token), token.body.clone())
                });
                self.tokens.insert(token.clone(), name.clone());
                name
            }
        };
        if token.is_immediate {
            self.adjacent.insert(name.clone());
        }
        Expression::name(name)
    }
}

/// Returns the kind of a token. Nothing is excluded from immediate tokens: where they are allowed,
/// others are not.
fn kind(token: &TokenTexts) -> ForeignKind {
    if token.is_immediate {
        return ForeignKind::Fragment;
    }
    let is_literal = matches!(token.body, Expression::Literal { .. });
    ForeignKind::Token(token.precedence * STEP + if is_literal { LITERAL } else { 0 })
}

/// A choice; one with the empty text is optional.
fn choice(mut parts: Vec<Expression>) -> Expression {
    let count = parts.len();
    if count == 0 {
        return Expression::never();
    }
    parts.retain(|part| *part != Expression::empty());
    if parts.is_empty() {
        return Expression::empty();
    }
    let is_optional = parts.len() < count;
    let choice = Expression::choice(parts);
    if is_optional {
        choice.optional()
    } else {
        choice
    }
}

/// Whether a node is a semicolon that the external scanner inserts.
fn is_semicolon(source: &Json) -> bool {
    let mut node = source;
    while let (true, Some(content)) = (type_of(node) != "TOKEN", node.get("content")) {
        node = content;
    }
    let name = node.text_of("name").unwrap_or_default();
    type_of(node) == "SYMBOL" && name.ends_with("automatic_semicolon")
}

fn type_of(source: &Json) -> &str {
    source.text_of("type").unwrap_or_default()
}

fn value(source: &Json) -> String {
    source.text_of("value").unwrap_or_default().into()
}
