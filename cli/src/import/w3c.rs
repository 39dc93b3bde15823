//! Reads the EBNF of the W3C (XML 1.0, section 6), and BNF with `<names>`.
//!
//! Rules are written `name ::= expression`, perhaps after a number such as `[12]`.

use super::characters;
use super::class::CharacterClass;
use super::expression::{
    Expression, Finding, ForeignGrammar, ForeignKind, ForeignRule, MAX_NESTING, SourceLocation,
};
use super::sources::Sources;

/// Names of rules that are layout if syntax rules do not use them.
const LAYOUT: [&str; 8] = [
    "ws",
    "whitespace",
    "white_space",
    "s",
    "comment",
    "comments",
    "ignored",
    "skip",
];

/// A token of the notation.
#[derive(Clone, Debug, PartialEq)]
enum Lexeme {
    Name(String),
    Literal(String),
    Class(CharacterClass),
    Defines,
    Sign(char),
}

/// Reads a grammar.
pub fn read(sources: &mut Sources, file: usize) -> Result<ForeignGrammar, Finding> {
    let text = sources.text(file);
    let mut lexer = Scanner {
        text,
        file,
        at: 0,
        comments: Vec::new(),
    };
    let mut lexemes = Vec::new();
    while let Some(lexeme) = lexer.next()? {
        lexemes.push(lexeme);
    }
    let mut grammar = ForeignGrammar::default();
    let mut reader = Reader {
        lexemes,
        at: 0,
        file,
        end: text.len(),
    };
    while reader.at < reader.lexemes.len() {
        let rule = reader.rule()?;
        grammar.rules.push(rule);
    }
    if grammar.rules.is_empty() {
        return Err(Finding::new(
            SourceLocation::new(file, 0..0),
            "no rule",
            "a rule is written `name ::= expression`",
        ));
    }
    add_comments(&mut grammar, &lexer.comments);
    find_layout(&mut grammar);
    characters::find_tokens(&mut grammar);
    Ok(grammar)
}

/// A lexeme with the range that it was read from.
type LocatedLexeme = (Lexeme, usize, usize);

struct Scanner<'a> {
    text: &'a str,
    file: usize,
    at: usize,
    /// The comments, with their ends.
    comments: Vec<(usize, String)>,
}

impl Scanner<'_> {
    fn error<T>(&self, from: usize, message: &str, label: &str) -> Result<T, Finding> {
        let to = self.text[from..]
            .chars()
            .next()
            .map_or(from, |c| from + c.len_utf8());
        Err(Finding::new(
            SourceLocation::new(self.file, from..to),
            message,
            label,
        ))
    }

    /// Reads the next lexeme. Comments and notes such as `[wfc: …]` are left out.
    fn next(&mut self) -> Result<Option<LocatedLexeme>, Finding> {
        loop {
            let rest = &self.text[self.at..];
            self.at += rest.len() - rest.trim_start().len();
            let from = self.at;
            let rest = &self.text[from..];
            let Some(first) = rest.chars().next() else {
                return Ok(None);
            };
            if let Some(body) = rest.strip_prefix("/*") {
                let Some(end) = body.find("*/") else {
                    return self.error(from, "a comment without an end", "`*/` ends it");
                };
                self.at += end + 4;
                self.comments.push((self.at, body[..end].trim().into()));
                continue;
            }
            if rest.starts_with("//") {
                let end = rest.find('\n').unwrap_or(rest.len());
                self.at += end;
                self.comments.push((self.at, rest[2..end].trim().into()));
                continue;
            }
            let lexeme = match first {
                _ if rest.starts_with("::=") => {
                    self.at += 3;
                    Lexeme::Defines
                }
                '"' | '\'' | '‘' | '“' => {
                    let close = match first {
                        '‘' => '’',
                        '“' => '”',
                        quote => quote,
                    };
                    let body = &rest[first.len_utf8()..];
                    let Some(end) = body
                        .find([close, '\n'])
                        .filter(|&end| body[end..].starts_with(close))
                    else {
                        return self.error(
                            from,
                            "a literal without an end",
                            "it ends in the same line",
                        );
                    };
                    self.at += first.len_utf8() + end + close.len_utf8();
                    Lexeme::Literal(body[..end].into())
                }
                '#' => {
                    let digits: String = rest[1..]
                        .strip_prefix('x')
                        .unwrap_or("")
                        .chars()
                        .take_while(char::is_ascii_hexdigit)
                        .collect();
                    let Some(c) = u32::from_str_radix(&digits, 16)
                        .ok()
                        .and_then(char::from_u32)
                    else {
                        return self.error(from, "not a character", "write a code point as #x20");
                    };
                    self.at += 2 + digits.len();
                    Lexeme::Literal(c.into())
                }
                '[' => {
                    let Some(end) = rest[1..].find(']').map(|end| end + 1) else {
                        return self.error(from, "a class without an end", "`]` ends it");
                    };
                    // `[]abc]` has the bracket as its first member.
                    let end = match rest[..end].trim_start_matches(['[', '^']).is_empty() {
                        true => rest[end + 1..].find(']').map_or(end, |more| end + 1 + more),
                        false => end,
                    };
                    let body = &rest[1..end];
                    self.at += end + 1;
                    let is_number = body.chars().all(|c| c.is_ascii_alphanumeric());
                    let is_rule = is_number && begins_rule(&self.text[self.at..]);
                    let is_note = ["wfc:", "vc:", "WFC:", "VC:", "gnc:", "ws:", "xgc:"]
                        .iter()
                        .any(|note| body.trim_start().starts_with(note));
                    if is_rule || is_note {
                        continue;
                    }
                    match class(body) {
                        Some(class) => Lexeme::Class(class),
                        None => {
                            return self.error(from, "not a class", "write [a-z] or [#x20-#x7E]");
                        }
                    }
                }
                '<' if rest[1..]
                    .find('>')
                    .is_some_and(|end| is_bnf_name(&rest[1..=end])) =>
                {
                    let end = rest.find('>').unwrap_or(0);
                    self.at += end + 1;
                    Lexeme::Name(rest[1..end].trim().into())
                }
                c if c.is_alphabetic() || c == '_' || c == '$' => {
                    let end = rest
                        .find(|c: char| {
                            !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '$'))
                        })
                        .unwrap_or(rest.len());
                    // `name::=`, and `a -b` with its blanks.
                    let end = rest[..end].find("::").unwrap_or(end);
                    let end = rest[..end]
                        .trim_end_matches(['-', ':', '.'])
                        .len()
                        .max(c.len_utf8());
                    self.at += end;
                    Lexeme::Name(rest[..end].into())
                }
                '(' | ')' | '|' | '?' | '*' | '+' | '-' | ';' | ',' | '.' => {
                    self.at += 1;
                    Lexeme::Sign(first)
                }
                _ => {
                    return self.error(from, "unexpected character", "not a part of this notation");
                }
            };
            return Ok(Some((lexeme, from, self.at)));
        }
    }
}

/// Whether a text begins with `name ::=`.
fn begins_rule(text: &str) -> bool {
    text.find("::=").is_some_and(|at| {
        let name = text[..at].trim();
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | '<' | '>'))
    })
}

/// Whether a text between `<` and `>` is a name of BNF.
fn is_bnf_name(text: &str) -> bool {
    let text = text.trim_end_matches('>');
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' '))
}

/// Reads the content of a class in brackets.
fn class(body: &str) -> Option<CharacterClass> {
    let (negated, body) = match body.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, body),
    };
    let mut members: Vec<(char, bool)> = Vec::new();
    let mut rest = body;
    while let Some(c) = rest.chars().next() {
        if let Some(hex) = rest.strip_prefix("#x") {
            let digits: String = hex
                .chars()
                .take_while(char::is_ascii_hexdigit)
                .take(8)
                .collect();
            members.push((
                u32::from_str_radix(&digits, 16)
                    .ok()
                    .and_then(char::from_u32)?,
                true,
            ));
            rest = &hex[digits.len()..];
        } else {
            members.push((c, false));
            rest = &rest[c.len_utf8()..];
        }
    }
    let (mut ranges, mut at) = (Vec::new(), 0);
    while at < members.len() {
        let from = u32::from(members[at].0);
        if members.get(at + 1) == Some(&('-', false)) && at + 2 < members.len() {
            ranges.push((from, members[at + 2].0.into()));
            at += 3;
        } else {
            ranges.push((from, from));
            at += 1;
        }
    }
    let class = CharacterClass::new(ranges);
    let class = if negated { class.complement() } else { class };
    (!class.is_empty()).then_some(class)
}

struct Reader {
    lexemes: Vec<LocatedLexeme>,
    at: usize,
    file: usize,
    end: usize,
}

impl Reader {
    fn peek(&self) -> Option<&Lexeme> {
        self.lexemes.get(self.at).map(|located| &located.0)
    }

    fn takes(&mut self, sign: char) -> bool {
        let takes = self.peek() == Some(&Lexeme::Sign(sign));
        self.at += usize::from(takes);
        takes
    }

    fn error<T>(&self, message: &str, label: &str) -> Result<T, Finding> {
        let (from, to) = self
            .lexemes
            .get(self.at)
            .map_or((self.end, self.end), |located| (located.1, located.2));
        Err(Finding::new(
            SourceLocation::new(self.file, from..to),
            message,
            label,
        ))
    }

    /// Whether a rule begins here: a name and `::=`.
    fn at_rule(&self) -> bool {
        let next = self.lexemes.get(self.at + 1).map(|located| &located.0);
        matches!(self.peek(), Some(Lexeme::Name(_))) && next == Some(&Lexeme::Defines)
    }

    fn rule(&mut self) -> Result<ForeignRule, Finding> {
        let Some(&(Lexeme::Name(ref name), from, to)) = self.lexemes.get(self.at) else {
            return self.error(
                "no rule begins here",
                "a rule is written `name ::= expression`",
            );
        };
        let name = name.clone();
        if !self.at_rule() {
            self.at += 1;
            return self.error(
                "`::=` is missing",
                "a rule is written `name ::= expression`",
            );
        }
        self.at += 2;
        let body = self.choice(0)?;
        // A rule may end with a semicolon or a full stop.
        let _ = self.takes(';') || self.takes('.');
        if self.at < self.lexemes.len() && !self.at_rule() {
            return self.error(
                "unexpected sign",
                "expected the next rule, `name ::= expression`",
            );
        }
        Ok(ForeignRule {
            name,
            kind: ForeignKind::Syntax,
            comments: Vec::new(),
            location: SourceLocation::new(self.file, from..to),
            body,
            warnings: Vec::new(),
        })
    }

    fn choice(&mut self, depth: usize) -> Result<Expression, Finding> {
        if depth > MAX_NESTING {
            return self.error(
                "too many groups inside each other",
                &format!("at most {MAX_NESTING}"),
            );
        }
        let mut all = vec![self.sequence(depth)?];
        while self.takes('|') {
            all.push(self.sequence(depth)?);
        }
        Ok(Expression::choice(all))
    }

    fn sequence(&mut self, depth: usize) -> Result<Expression, Finding> {
        let mut parts = Vec::new();
        while !self.at_rule() {
            let _ = self.takes(',');
            let Some(part) = self.repeated(depth)? else {
                break;
            };
            if self.takes('-') {
                let Some(without) = self.repeated(depth)? else {
                    return self.error("an operand is missing", "expected what is excluded");
                };
                parts.push(difference(part, without));
            } else {
                parts.push(part);
            }
        }
        Ok(Expression::sequence(parts))
    }

    fn repeated(&mut self, depth: usize) -> Result<Option<Expression>, Finding> {
        if self.at_rule() {
            return Ok(None);
        }
        let primary = match self.peek() {
            Some(Lexeme::Name(name)) => Expression::name(name.clone()),
            Some(Lexeme::Literal(text)) => Expression::literal(text.clone()),
            Some(Lexeme::Class(class)) => Expression::Class(class.clone()),
            Some(Lexeme::Sign('(')) => {
                self.at += 1;
                let group = self.choice(depth + 1)?;
                if self.peek() != Some(&Lexeme::Sign(')')) {
                    return self.error("a group without an end", "expected `)`");
                }
                group
            }
            _ => return Ok(None),
        };
        self.at += 1;
        let mut expression = primary;
        for _ in 0..3 {
            expression = match self.peek() {
                Some(Lexeme::Sign('?')) => expression.optional(),
                Some(Lexeme::Sign('*')) => expression.repeat(0, None),
                Some(Lexeme::Sign('+')) => expression.repeat(1, None),
                _ => break,
            };
            self.at += 1;
        }
        Ok(Some(expression))
    }
}

/// Returns `from - without`; of two classes, the class of the difference.
fn difference(from: Expression, without: Expression) -> Expression {
    match (from, without) {
        (Expression::Class(from), Expression::Class(without)) => {
            Expression::Class(from.minus(&without))
        }
        (from, without) => Expression::Difference(Box::new(from), Box::new(without)),
    }
}

/// Gives each rule the comments that stand directly before it.
fn add_comments(grammar: &mut ForeignGrammar, comments: &[(usize, String)]) {
    let mut before = 0;
    let mut is_first = true;
    for rule in &mut grammar.rules {
        let start = rule.location.span.start;
        for (_, text) in comments
            .iter()
            .filter(|(end, _)| *end > before && *end <= start)
        {
            let lines = text
                .lines()
                .map(|line| line.trim().trim_start_matches("* ").into());
            if is_first {
                grammar.comments.extend(lines);
            } else if !text.starts_with("ws:") {
                rule.comments.extend(lines);
            }
        }
        is_first = false;
        before = start;
    }
}

/// Finds the rules for white space and comments that no syntax rule uses. Rules with names in capitals
/// are then tokens, as in the grammars of SPARQL and XQuery.
fn find_layout(grammar: &mut ForeignGrammar) {
    let is_layout = |name: &str| LAYOUT.contains(&&*name.to_ascii_lowercase());
    let is_capital = |name: &str| !name.chars().any(|c| c.is_lowercase());
    let mut used = std::collections::HashSet::new();
    for rule in grammar
        .rules
        .iter()
        .filter(|rule| !is_capital(&rule.name) && !is_layout(&rule.name))
    {
        used.extend(rule.body.names().into_iter().map(String::from));
    }
    let mut found = false;
    for rule in grammar.rules.iter_mut().skip(1) {
        if is_layout(&rule.name) && !used.contains(&rule.name) {
            rule.kind = ForeignKind::Layout(0);
            found = true;
        }
    }
    if found {
        grammar.tokenization = super::expression::Tokenization::Longest;
        for rule in grammar.rules.iter_mut().skip(1) {
            if is_capital(&rule.name) && rule.kind == ForeignKind::Syntax {
                rule.kind = ForeignKind::Token(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn imported(text: &str) -> Result<ForeignGrammar, Finding> {
        let mut sources = Sources::default();
        let file = sources.add(Path::new("g.ebnf"), text.into());
        read(&mut sources, file)
    }

    #[test]
    fn rules_of_the_w3c_become_rules() {
        let grammar = imported(
            "/* About. */\n[1] list ::= item (',' item)* /* ws: explicit */ [wfc: x]\n/* An item. */\n[2a] item ::= [#x41-#x5Aq-s^] - 'b' | #x9 Name-x?\nName-x ::= [^<&]+",
        )
        .unwrap();
        assert_eq!(grammar.comments, ["About."]);
        let names: Vec<&str> = grammar.rules.iter().map(|rule| &*rule.name).collect();
        assert_eq!(names, ["list", "item", "Name-x"]);
        assert_eq!(grammar.rules[1].comments, ["An item."]);
        let item = || Expression::name("item");
        let more = Expression::sequence([Expression::literal(","), item()]).repeat(0, None);
        assert_eq!(grammar.rules[0].body, Expression::sequence([item(), more]));
        assert_eq!(
            grammar.rules[1].body,
            Expression::choice([
                Expression::Difference(
                    Box::new(Expression::Class(
                        CharacterClass::parse(r"[A-Zq-s\^]").unwrap()
                    )),
                    Box::new(Expression::literal("b"))
                ),
                Expression::sequence([
                    Expression::literal("\t"),
                    Expression::name("Name-x").optional()
                ]),
            ])
        );
    }

    #[test]
    fn layout_is_found_if_no_syntax_rule_uses_it() {
        let grammar = imported("q ::= 'a' NIL\nNIL ::= '(' WS* ')'\nWS ::= #x20 | #xA").unwrap();
        assert_eq!(grammar.rules[2].kind, ForeignKind::Layout(0));
        assert_eq!(grammar.rules[1].kind, ForeignKind::Token(0));
        let grammar = imported("<q> ::= <S> 'a'\n<S> ::= ' '").unwrap();
        assert_eq!(grammar.rules[1].kind, ForeignKind::Syntax);
    }

    #[test]
    fn errors_have_a_location() {
        for (text, at) in [
            ("a ::= (b", 8),
            ("a ::= 'x", 6),
            ("a b", 2),
            ("a ::= )", 6),
            ("a ::= @", 6),
            ("a ::= [z-a]", 6),
            ("/*/ a", 0),
        ] {
            assert_eq!(
                imported(text).unwrap_err().location.span.start,
                at,
                "{text}"
            );
        }
        let deep = format!("a ::= {}", "(".repeat(100_000));
        assert_eq!(
            imported(&deep).unwrap_err().message,
            "too many groups inside each other"
        );
    }
}
