//! Parses the symbols of an alternative.

use super::super::lexer::GrammarToken;
use super::super::syntax::GrammarSymbol;
use super::{LalrpopParser, Mistake};

impl LalrpopParser<'_> {
    pub(super) fn symbols(&mut self) -> Result<Vec<GrammarSymbol>, Mistake> {
        let mut all = Vec::new();
        loop {
            match *self.token() {
                GrammarToken::Word("if") => return Ok(all),
                GrammarToken::Sign("@L" | "@R") => self.advance(),
                GrammarToken::Word(_)
                | GrammarToken::MacroName(_)
                | GrammarToken::Literal(_)
                | GrammarToken::Regex(_)
                | GrammarToken::Sign("<" | "(" | "!") => all.push(self.symbol()?),
                _ => return Ok(all),
            }
        }
    }

    /// Reads a symbol with its repetition operators.
    fn symbol(&mut self) -> Result<GrammarSymbol, Mistake> {
        self.deeper()?;
        let depth = self.depth;
        let mut symbol = self.simple_symbol()?;
        while let GrammarToken::Sign(sign @ ("?" | "*" | "+")) = *self.token() {
            self.deeper()?;
            symbol = GrammarSymbol::Repeated(Box::new(symbol), sign);
            self.advance();
        }
        self.depth = depth - 1;
        Ok(symbol)
    }

    fn simple_symbol(&mut self) -> Result<GrammarSymbol, Mistake> {
        let span = self.span();
        let token = self.token();
        self.advance();
        match token {
            GrammarToken::Literal(text) => Ok(GrammarSymbol::Literal(text.clone())),
            GrammarToken::Regex(text) => Ok(GrammarSymbol::Regex((*text).into(), span)),
            GrammarToken::Word(name) => Ok(GrammarSymbol::Use {
                name: (*name).into(),
                arguments: Vec::new(),
                span,
            }),
            GrammarToken::MacroName(name) => {
                self.expect("<")?;
                let mut arguments = Vec::new();
                while !self.is(">") {
                    arguments.push(self.symbol()?);
                    if !self.take(",") {
                        break;
                    }
                }
                self.expect(">")?;
                Ok(GrammarSymbol::Use {
                    name: (*name).into(),
                    arguments,
                    span,
                })
            }
            GrammarToken::Sign("@L" | "@R") => Ok(GrammarSymbol::Group(Vec::new())),
            GrammarToken::Sign("!") => Ok(GrammarSymbol::Recovery(span)),
            GrammarToken::Sign("(") => {
                let symbols = self.symbols()?;
                self.expect(")")?;
                Ok(GrammarSymbol::Group(symbols))
            }
            GrammarToken::Sign("<") => {
                self.binding()?;
                let symbol = self.symbol()?;
                self.expect(">")?;
                Ok(symbol)
            }
            _ => {
                self.at -= usize::from(*token != GrammarToken::End);
                self.expected("a symbol")
            }
        }
    }

    /// Reads the `name:`, `mut name:` or `(a, b):` in `<name:Symbol>`, if there is one.
    fn binding(&mut self) -> Result<(), Mistake> {
        let from = self.at;
        if self.is_word("mut") {
            self.advance();
        }
        match self.token() {
            GrammarToken::Word(_) => self.advance(),
            GrammarToken::Sign("(") => {
                // Only names, commas and brackets: the work is linear in the length of the pattern.
                while let GrammarToken::Word(_) | GrammarToken::Sign("(" | ")" | ",") = self.token()
                {
                    self.advance();
                }
            }
            _ => {}
        }
        if self.at == from || !self.take(":") {
            self.at = from;
        }
        Ok(())
    }
}
