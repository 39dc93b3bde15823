//! The parser of LALRPOP's notation.

mod blocks;
mod symbols;

use std::ops::Range;

use super::super::expression::{Finding, MAX_NESTING, SourceLocation};
use super::lexer::{self, GrammarToken, LocatedToken};
use super::syntax::{Alternative, Condition, LalrpopGrammar, Nonterminal};

/// The operators of conditions.
const CONDITIONS: [&str; 4] = ["==", "!=", "~~", "!~"];

/// Parses a grammar. `file` is the index of its file.
pub fn parse(text: &str, file: usize) -> Result<LalrpopGrammar, Finding> {
    let not_a_grammar = |span: Range<usize>, label: String| {
        Finding::new(
            SourceLocation::new(file, span),
            "not a grammar of LALRPOP",
            label,
        )
    };
    let tokens = lexer::tokens(text).map_err(|(span, label)| not_a_grammar(span, label.into()))?;
    let mut parser = LalrpopParser {
        text,
        tokens: &tokens,
        at: 0,
        depth: 0,
        grammar: LalrpopGrammar::default(),
    };
    match parser.grammar() {
        Ok(()) => Ok(parser.grammar),
        Err((span, label)) => Err(not_a_grammar(span, label)),
    }
}

/// The range and the description of a syntax error.
type Mistake = (Range<usize>, String);

struct LalrpopParser<'a> {
    text: &'a str,
    tokens: &'a [LocatedToken<'a>],
    /// The index of the next token.
    at: usize,
    /// The number of open groups.
    depth: usize,
    grammar: LalrpopGrammar,
}

impl<'a> LalrpopParser<'a> {
    fn token(&self) -> &'a GrammarToken<'a> {
        self.ahead(0)
    }

    fn ahead(&self, count: usize) -> &'a GrammarToken<'a> {
        let last = self.tokens.len() - 1;
        &self.tokens[last.min(self.at + count)].token
    }

    fn span(&self) -> Range<usize> {
        self.tokens[self.at].span.clone()
    }

    fn advance(&mut self) {
        self.at = (self.tokens.len() - 1).min(self.at + 1);
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.token(), GrammarToken::Sign(one) if *one == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        *self.token() == GrammarToken::Word(word)
    }

    /// Reads a sign if it is the next token.
    fn take(&mut self, sign: &str) -> bool {
        let is_next = self.is(sign);
        if is_next {
            self.advance();
        }
        is_next
    }

    fn expected<T>(&self, what: &str) -> Result<T, Mistake> {
        Err((self.span(), format!("{what} is expected here")))
    }

    fn expect(&mut self, sign: &str) -> Result<(), Mistake> {
        match self.take(sign) {
            true => Ok(()),
            false => self.expected(&format!("`{sign}`")),
        }
    }

    fn deeper(&mut self) -> Result<(), Mistake> {
        self.depth += 1;
        match self.depth > MAX_NESTING {
            true => Err((
                self.span(),
                format!("more than {MAX_NESTING} groups inside each other"),
            )),
            false => Ok(()),
        }
    }

    /// Reads tokens until one of the signs, outside of brackets.
    fn skip_to(&mut self, ends: &[&str]) -> Result<(), Mistake> {
        let mut depth = 0_usize;
        loop {
            match self.token() {
                GrammarToken::Sign(sign) if depth == 0 && ends.contains(sign) => return Ok(()),
                GrammarToken::Sign("(" | "[" | "<" | "{") => depth += 1,
                GrammarToken::Sign(")" | "]" | ">" | "}") => depth = depth.saturating_sub(1),
                GrammarToken::End => return self.expected(&format!("`{}`", ends[0])),
                _ => {}
            }
            self.advance();
        }
    }

    /// Returns the comment lines directly before the next token. Those at the beginning of the file
    /// that belong to no rule become the comment of the grammar.
    fn comments(&mut self, is_rule: bool) -> Vec<String> {
        let from = match self.at {
            0 => 0,
            at => self.tokens[at - 1].span.end,
        };
        let between = &self.text[from..self.span().start];
        let (mut groups, is_directly_before) = lexer::comment_groups(between, self.at == 0);
        let own = match is_directly_before && is_rule {
            true => groups.pop().unwrap_or_default(),
            false => Vec::new(),
        };
        if self.at == 0 {
            let lines = groups.join(&String::new());
            let is_blank = |line: &&String| line.is_empty();
            let start = lines.iter().take_while(is_blank).count();
            let end = lines.len() - lines.iter().rev().take_while(is_blank).count();
            self.grammar.comments = lines.get(start..end).unwrap_or_default().to_vec();
        }
        own
    }

    fn grammar(&mut self) -> Result<(), Mistake> {
        loop {
            let is_rule = matches!(
                self.token(),
                GrammarToken::Word(_) | GrammarToken::MacroName(_) | GrammarToken::Sign("#")
            ) && !self.is_word("grammar");
            let comments = self.comments(is_rule);
            while self.is("#") {
                self.attribute()?;
            }
            match *self.token() {
                GrammarToken::End => return Ok(()),
                GrammarToken::Skipped => self.advance(),
                GrammarToken::Word("grammar") | GrammarToken::MacroName("grammar") => {
                    self.skip_to(&[";"])?;
                    self.advance();
                }
                GrammarToken::Word("match") if *self.ahead(1) == GrammarToken::Sign("{") => {
                    self.match_blocks()?;
                }
                GrammarToken::Word("extern") if *self.ahead(1) == GrammarToken::Sign("{") => {
                    self.external()?;
                }
                GrammarToken::Word(_) | GrammarToken::MacroName(_) => self.nonterminal(comments)?,
                _ => return self.expected("a rule"),
            }
        }
    }

    /// Reads an attribute. Returns its name and its value.
    fn attribute(&mut self) -> Result<(&'a str, Option<String>), Mistake> {
        self.expect("#")?;
        self.expect("[")?;
        let name = match self.token() {
            GrammarToken::Word(name) => *name,
            _ => return self.expected("the name of an attribute"),
        };
        let from = self.at;
        self.skip_to(&["]"])?;
        let mut values = self.tokens[from..self.at].iter();
        let value = values.find_map(|located| match &located.token {
            GrammarToken::Literal(value) => Some(value.clone()),
            _ => None,
        });
        self.advance();
        Ok((name, value))
    }

    fn nonterminal(&mut self, comments: Vec<String>) -> Result<(), Mistake> {
        let is_public = self.is_word("pub");
        if is_public {
            self.advance();
            if self.take("(") {
                self.skip_to(&[")"])?;
                self.advance();
            }
        }
        let span = self.span();
        let mut parameters = Vec::new();
        let name = match *self.token() {
            GrammarToken::Word(name) => {
                self.advance();
                name
            }
            GrammarToken::MacroName(name) => {
                self.advance();
                self.expect("<")?;
                while let GrammarToken::Word(parameter) = *self.token() {
                    parameters.push(parameter.to_string());
                    self.advance();
                    if !self.take(",") {
                        break;
                    }
                }
                self.expect(">")?;
                name
            }
            _ => return self.expected("the name of a rule"),
        };
        if self.take(":") {
            self.skip_to(&["=", ";"])?;
        }
        self.expect("=")?;
        let alternatives = if self.take("{") {
            let mut all = Vec::new();
            while !self.is("}") {
                all.push(self.alternative()?);
                if !self.take(",") {
                    break;
                }
            }
            self.expect("}")?;
            self.take(";");
            all
        } else {
            let only = self.alternative()?;
            self.expect(";")?;
            vec![only]
        };
        self.grammar.nonterminals.push(Nonterminal {
            name: name.into(),
            parameters,
            is_public,
            alternatives,
            comments,
            span,
        });
        Ok(())
    }

    fn alternative(&mut self) -> Result<Alternative, Mistake> {
        let mut alternative = Alternative {
            span: self.span(),
            ..Alternative::default()
        };
        while self.is("#") {
            match self.attribute()? {
                ("precedence", value) => alternative.level = value,
                ("assoc", value) => alternative.side = value,
                _ => {}
            }
        }
        let from = self.at;
        alternative.symbols = self.symbols()?;
        if self.is_word("if") {
            self.advance();
            alternative.condition = Some(self.condition()?);
        }
        match self.token() {
            GrammarToken::Code { is_fallible, .. } => {
                alternative.is_fallible = *is_fallible;
                self.advance();
            }
            GrammarToken::Sign("=>@L" | "=>@R") => self.advance(),
            _ if self.at == from => return self.expected("a symbol"),
            _ => {}
        }
        alternative.span.end = self.tokens[self.at - 1].span.end;
        Ok(alternative)
    }

    fn condition(&mut self) -> Result<Condition, Mistake> {
        let span = self.span();
        let GrammarToken::Word(parameter) = *self.token() else {
            return self.expected("a parameter");
        };
        self.advance();
        let operator = match self.token() {
            GrammarToken::Sign(sign) if CONDITIONS.contains(sign) => *sign,
            _ => return self.expected("`==`, `!=`, `~~` or `!~`"),
        };
        self.advance();
        let GrammarToken::Literal(text) = self.token() else {
            return self.expected("a literal");
        };
        self.advance();
        Ok(Condition {
            parameter: parameter.into(),
            operator,
            text: text.clone(),
            span,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(text: &str) -> (usize, String) {
        let error = parse(text, 0).unwrap_err();
        (error.location.span.start, error.label)
    }

    #[test]
    fn rules_have_alternatives_and_comments() {
        let text = "// The file.\n\n// About.\nuse a;\ngrammar<'a>(x: &'a X) where X: Y<Z>;\n\
            /// A rule.\n#[inline]\npub(crate) A<B, C>: Vec<(B, C)> = {\n\
            <mut b:B> <(x, (y)):C?+> if B != \"x\" => { b },\n#[cfg(feature = \"x\")] @L => (),\n=>? f(),\n};\n\
            C = (<\"c\"> !)*;";
        let grammar = parse(text, 0).unwrap();
        assert_eq!(grammar.comments, ["The file.", "", "About."]);
        let [a, c] = &grammar.nonterminals[..] else {
            panic!("two rules");
        };
        assert_eq!(a.comments, ["A rule."]);
        assert_eq!(a.parameters, ["B", "C"]);
        assert_eq!(a.alternatives.len(), 3);
        assert_eq!(a.alternatives[0].symbols.len(), 2);
        assert!(a.alternatives[0].condition.is_some());
        assert!(a.alternatives[1].symbols.is_empty());
        assert!(a.alternatives[2].is_fallible);
        assert!(a.is_public && !c.is_public);
    }

    #[test]
    fn mistakes_have_a_location() {
        assert_eq!(
            label("grammar; A = ;"),
            (13, "a symbol is expected here".into())
        );
        assert_eq!(label("A = \"a\""), (7, "`;` is expected here".into()));
        assert_eq!(label("A: B"), (4, "`=` is expected here".into()));
        assert_eq!(label("A = { \"a\" \"b\" => x; }").0, 18);
        let deep = format!("A = {}", "(".repeat(100_000));
        assert!(label(&deep).1.contains("groups inside each other"));
        let deep = format!("A = \"a\"{};", "*".repeat(100_000));
        assert!(label(&deep).1.contains("groups inside each other"));
        let deep = format!("A = {}", "<".repeat(100_000));
        assert!(label(&deep).1.contains("groups inside each other"));
    }
}
