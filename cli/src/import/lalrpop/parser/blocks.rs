//! Parses what a grammar says about its tokens: `match` and `extern`.

use super::super::lexer::{self, GrammarToken};
use super::super::syntax::{ExternalToken, Mapping, MatchEntry, TokenPattern};
use super::{LalrpopParser, Mistake};

impl LalrpopParser<'_> {
    pub(super) fn match_blocks(&mut self) -> Result<(), Mistake> {
        self.advance();
        loop {
            self.expect("{")?;
            let mut entries = Vec::new();
            while !self.is("}") {
                entries.push(self.match_entry()?);
                if !self.take(",") {
                    break;
                }
            }
            self.expect("}")?;
            self.grammar.blocks.push(entries);
            if !self.is_word("else") {
                self.take(";");
                return Ok(());
            }
            self.advance();
        }
    }

    fn match_entry(&mut self) -> Result<MatchEntry, Mistake> {
        let span = self.span();
        let pattern = match self.token() {
            GrammarToken::Word("_") => None,
            GrammarToken::Literal(text) => Some(TokenPattern::Literal(text.clone())),
            GrammarToken::Regex(text) => Some(TokenPattern::Regex((*text).into())),
            _ => return self.expected("a token"),
        };
        self.advance();
        let mut mapping = Mapping::Itself;
        if let GrammarToken::Code { code, .. } = *self.token() {
            mapping = self.mapping(code)?;
            self.advance();
        }
        Ok(MatchEntry {
            pattern,
            mapping,
            span,
        })
    }

    fn mapping(&self, code: &str) -> Result<Mapping, Mistake> {
        let tokens = lexer::tokens(code).unwrap_or_default();
        match tokens
            .iter()
            .map(|located| &located.token)
            .collect::<Vec<_>>()[..]
        {
            [GrammarToken::Sign("{"), GrammarToken::Sign("}"), _] => Ok(Mapping::Skip),
            [GrammarToken::Word(name), _] => Ok(Mapping::Name((*name).into(), false)),
            [GrammarToken::Literal(text), _] => Ok(Mapping::Name(text.clone(), true)),
            [GrammarToken::Regex(text), _] => Ok(Mapping::Name((*text).into(), true)),
            _ => self.expected("the name of the token, or `{ }`"),
        }
    }

    pub(super) fn external(&mut self) -> Result<(), Mistake> {
        self.advance();
        self.expect("{")?;
        while !self.take("}") {
            if self.is_word("enum") {
                self.external_tokens()?;
            } else if self.is_word("type") {
                self.skip_to(&[";"])?;
                self.advance();
            } else {
                return self.expected("`type` or `enum`");
            }
        }
        self.take(";");
        Ok(())
    }

    fn external_tokens(&mut self) -> Result<(), Mistake> {
        self.skip_to(&["{"])?;
        self.advance();
        let mut tokens = Vec::new();
        while !self.is("}") {
            while self.is("#") {
                self.attribute()?;
            }
            let (name, is_quoted) = match self.token() {
                GrammarToken::Word(name) => ((*name).to_string(), false),
                GrammarToken::Literal(text) => (text.clone(), true),
                GrammarToken::Regex(text) => ((*text).to_string(), true),
                _ => return self.expected("a token"),
            };
            self.advance();
            let GrammarToken::Code { code, .. } = self.token() else {
                return self.expected("`=>`");
            };
            self.advance();
            tokens.push(ExternalToken {
                name,
                is_quoted,
                has_value: code.contains('<'),
            });
            if !self.take(",") {
                break;
            }
        }
        self.expect("}")?;
        self.grammar.external = Some(tokens);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn tokens_are_read() {
        let text = r#"grammar; match { r"\s*" => { }, "a" => A, "b" => "c" } else { _ }
            extern { type Error = E; enum T<'a> { "x" => T::X, id => T::Id(<&'a str>) } }"#;
        let grammar = parse(text, 0).unwrap();
        assert_eq!(grammar.blocks.len(), 2);
        assert_eq!(grammar.blocks[0][0].mapping, Mapping::Skip);
        assert_eq!(
            grammar.blocks[0][2].mapping,
            Mapping::Name("c".into(), true)
        );
        assert!(grammar.blocks[1][0].pattern.is_none());
        let external = grammar.external.unwrap();
        assert!(external[0].is_quoted && !external[0].has_value);
        assert!(!external[1].is_quoted && external[1].has_value);
    }
}
