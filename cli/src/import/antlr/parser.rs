//! Reads an ANTLR grammar file.

use super::element::{Element, G4File, G4Kind, G4Rule, LexerCommand};
use super::lexer::{self, G4Token, LocatedG4Token};
use super::sets;
use crate::import::expression::{Finding, MAX_NESTING, SourceLocation};

/// Reads a grammar file.
pub fn parse(text: &str, file: usize) -> Result<G4File, Finding> {
    let tokens = lexer::tokens(text, file)?;
    let mut parser = G4Parser {
        tokens,
        at: 0,
        file,
        end: text.len(),
        warnings: Vec::new(),
    };
    parser.file()
}

struct G4Parser {
    tokens: Vec<LocatedG4Token>,
    at: usize,
    file: usize,
    /// The length of the file.
    end: usize,
    /// The warnings of the rule that is being read.
    warnings: Vec<Finding>,
}

impl G4Parser {
    fn peek(&self) -> Option<&G4Token> {
        self.tokens.get(self.at).map(|token| &token.token)
    }

    fn is_name(&self, name: &str) -> bool {
        matches!(self.peek(), Some(G4Token::Name(found)) if found == name)
    }

    fn is_sign(&self, ahead: usize, sign: char) -> bool {
        let token = self.tokens.get(self.at + ahead);
        token.is_some_and(|token| token.token == G4Token::Sign(sign))
    }

    fn accept(&mut self, sign: char) -> bool {
        let found = self.is_sign(0, sign);
        self.at += usize::from(found);
        found
    }

    fn location(&self) -> SourceLocation {
        let token = self.tokens.get(self.at);
        SourceLocation::new(
            self.file,
            token.map_or(self.end..self.end, |token| token.span.clone()),
        )
    }

    fn error(&self, expected: &str) -> Finding {
        Finding::new(
            self.location(),
            "the grammar does not follow the syntax of ANTLR 4",
            format!("expected {expected}"),
        )
    }

    fn expect(&mut self, sign: char) -> Result<(), Finding> {
        match self.accept(sign) {
            true => Ok(()),
            false => Err(self.error(&format!("`{sign}`"))),
        }
    }

    fn name(&mut self) -> Result<String, Finding> {
        let Some(G4Token::Name(name)) = self.peek() else {
            return Err(self.error("a name"));
        };
        let name = name.clone();
        self.at += 1;
        Ok(name)
    }

    /// Adds a warning, once for each rule and message.
    fn warn(&mut self, location: SourceLocation, message: &str, label: &str) {
        if self.warnings.iter().all(|one| one.message != message) {
            self.warnings.push(Finding::new(location, message, label));
        }
    }

    fn file(&mut self) -> Result<G4File, Finding> {
        let mut file = G4File::default();
        if let Some(first) = self.tokens.first_mut() {
            file.comments = std::mem::take(&mut first.comments);
        }
        if self.is_name("parser") || self.is_name("lexer") {
            file.kind = if self.is_name("parser") {
                G4Kind::Parser
            } else {
                G4Kind::Lexer
            };
            self.at += 1;
        }
        if !self.is_name("grammar") {
            return Err(self.error("`grammar`"));
        }
        self.at += 1;
        file.name = self.name()?;
        self.expect(';')?;
        let mut mode = "DEFAULT_MODE".to_string();
        while let Some(token) = self.peek().cloned() {
            match token {
                G4Token::Name(name) if name == "options" && self.is_sign(1, '{') => {
                    for (option, value) in self.options()? {
                        file.options.insert(option, value);
                    }
                }
                G4Token::Name(name)
                    if (name == "tokens" || name == "channels") && self.is_sign(1, '{') =>
                {
                    while !self.accept('}') {
                        if self.peek().is_none() {
                            return Err(self.error("`}`"));
                        }
                        self.at += 1;
                    }
                }
                G4Token::Name(name) if name == "import" => self.imports(&mut file)?,
                G4Token::Name(name) if name == "mode" => {
                    self.at += 1;
                    mode = self.name()?;
                    self.expect(';')?;
                }
                G4Token::Sign('@') => self.code(&mut file.warnings)?,
                _ => file.rules.push(self.rule(&mode)?),
            }
        }
        Ok(file)
    }

    fn imports(&mut self, file: &mut G4File) -> Result<(), Finding> {
        self.at += 1;
        loop {
            let location = self.location();
            let mut name = self.name()?;
            if self.accept('=') {
                name = self.name()?;
            }
            file.imports.push((name, location));
            if !self.accept(',') {
                return self.expect(';');
            }
        }
    }

    /// Skips `@members {…}` at the beginning of the file.
    fn code(&mut self, warnings: &mut Vec<Finding>) -> Result<(), Finding> {
        let location = self.location();
        self.at += 1;
        let mut name = self.name()?;
        while self.accept(':') {
            name = self.name()?;
        }
        if self.peek() != Some(&G4Token::Action) {
            return Err(self.error("code in braces"));
        }
        self.at += 1;
        if name == "members" && warnings.is_empty() {
            warnings.push(Finding::new(
                location,
                "the grammar has members of its parser or lexer",
                "what this code does to tokens was left out",
            ));
        }
        Ok(())
    }

    /// Reads `options { a = b; }`.
    fn options(&mut self) -> Result<Vec<(String, String)>, Finding> {
        self.at += 1;
        self.expect('{')?;
        let mut options = Vec::new();
        while !self.accept('}') {
            let name = self.name()?;
            self.expect('=')?;
            let mut value = String::new();
            while !self.accept(';') {
                match self.peek() {
                    None | Some(G4Token::Sign('}')) => return Err(self.error("`;`")),
                    Some(G4Token::Name(part) | G4Token::Literal(part)) => value.push_str(part),
                    Some(_) => {}
                }
                self.at += 1;
            }
            options.push((name, value));
        }
        Ok(options)
    }

    fn rule(&mut self, mode: &str) -> Result<G4Rule, Finding> {
        let comments = self
            .tokens
            .get_mut(self.at)
            .map(|token| std::mem::take(&mut token.comments));
        let mut is_fragment = false;
        for modifier in ["fragment", "public", "private", "protected"] {
            if self.is_name(modifier) && !self.is_sign(1, ':') {
                is_fragment |= modifier == "fragment";
                self.at += 1;
            }
        }
        let location = self.location();
        let name = self.name()?;
        let mut case_insensitive = None;
        // Arguments, results, exceptions, options and code.
        while !self.accept(':') {
            match self.peek() {
                Some(G4Token::Name(name)) if name == "options" => {
                    for (option, value) in self.options()? {
                        if option == "caseInsensitive" {
                            case_insensitive = Some(value == "true");
                        }
                    }
                }
                Some(
                    G4Token::Name(_)
                    | G4Token::Arguments
                    | G4Token::Set(_)
                    | G4Token::Action
                    | G4Token::Sign('@' | ',' | '.' | '!'),
                ) => self.at += 1,
                _ => return Err(self.error("`:`")),
            }
        }
        let mut alternatives = Vec::new();
        loop {
            let element = self.sequence(0)?;
            let commands = self.commands()?;
            if self.accept('#') {
                self.name()?;
            }
            alternatives.push((element, commands));
            if !self.accept('|') {
                break;
            }
        }
        self.expect(';')?;
        while self.is_name("catch") || self.is_name("finally") {
            self.at += 1;
            while matches!(
                self.peek(),
                Some(G4Token::Arguments | G4Token::Action | G4Token::Set(_))
            ) {
                self.at += 1;
            }
        }
        Ok(G4Rule {
            name,
            is_fragment,
            mode: mode.into(),
            case_insensitive,
            alternatives,
            location,
            comments: comments.unwrap_or_default(),
            warnings: std::mem::take(&mut self.warnings),
        })
    }

    /// Reads `-> a, b(c)`.
    fn commands(&mut self) -> Result<Vec<LexerCommand>, Finding> {
        let mut commands = Vec::new();
        if self.peek() != Some(&G4Token::Arrow) {
            return Ok(commands);
        }
        self.at += 1;
        loop {
            let name = self.name()?;
            let mut argument = None;
            if self.accept('(') {
                argument = match self.peek() {
                    Some(G4Token::Number) => {
                        self.at += 1;
                        Some(String::new())
                    }
                    _ => Some(self.name()?),
                };
                self.expect(')')?;
            }
            commands.push(LexerCommand { name, argument });
            if !self.accept(',') {
                return Ok(commands);
            }
        }
    }

    fn choice(&mut self, depth: usize) -> Result<Element, Finding> {
        let mut all = vec![self.sequence(depth)?];
        while self.accept('|') {
            all.push(self.sequence(depth)?);
        }
        Ok(match all.len() {
            1 => all.remove(0),
            _ => Element::Choice(all),
        })
    }

    fn sequence(&mut self, depth: usize) -> Result<Element, Finding> {
        let mut all = Vec::new();
        self.element_options()?;
        while let Some(token) = self.peek() {
            match token {
                G4Token::Action => {
                    let location = self.location();
                    self.at += 1;
                    if self.accept('?') {
                        let label = "sentences that it forbids are written, too";
                        self.warn(location, "a predicate was left out", label);
                        all.push(Element::Predicate);
                    } else {
                        let label = "what this code does is not carried over";
                        self.warn(location, "an action was left out", label);
                    }
                    self.element_options()?;
                }
                G4Token::Sign('|' | ')' | ';' | '#') | G4Token::Arrow => break,
                _ => all.push(self.element(depth)?),
            }
        }
        Ok(match all.len() {
            1 => all.remove(0),
            _ => Element::Sequence(all),
        })
    }

    /// Skips `<assoc=right>`.
    fn element_options(&mut self) -> Result<(), Finding> {
        if !self.accept('<') {
            return Ok(());
        }
        while !self.accept('>') {
            match self.peek() {
                None | Some(G4Token::Sign(';')) => return Err(self.error("`>`")),
                Some(_) => self.at += 1,
            }
        }
        Ok(())
    }

    fn element(&mut self, depth: usize) -> Result<Element, Finding> {
        // A label.
        let next = self.tokens.get(self.at + 1).map(|token| &token.token);
        if matches!(self.peek(), Some(G4Token::Name(_)))
            && matches!(next, Some(G4Token::Sign('=') | G4Token::Append))
        {
            self.at += 2;
        }
        let mut element = self.atom(depth)?;
        self.element_options()?;
        let (at_least, at_most) = match self.peek() {
            Some(G4Token::Sign('?')) => (0, Some(1)),
            Some(G4Token::Sign('*')) => (0, None),
            Some(G4Token::Sign('+')) => (1, None),
            _ => return Ok(element),
        };
        self.at += 1;
        let greedy = !self.accept('?');
        element = Element::Repeat {
            element: Box::new(element),
            at_least,
            at_most,
            greedy,
        };
        Ok(element)
    }

    fn atom(&mut self, depth: usize) -> Result<Element, Finding> {
        if depth >= MAX_NESTING {
            return Err(Finding::new(
                self.location(),
                "groups are nested too deep",
                format!("zester imports at most {MAX_NESTING} levels"),
            ));
        }
        let location = self.location();
        let Some(token) = self.peek().cloned() else {
            return Err(self.error("`;`"));
        };
        self.at += 1;
        Ok(match token {
            G4Token::Name(name) => {
                if self.peek() == Some(&G4Token::Arguments) {
                    self.at += 1;
                }
                match &*name {
                    "EOF" => Element::End,
                    _ => Element::Name(name),
                }
            }
            G4Token::Literal(from) if self.peek() == Some(&G4Token::Dots) => {
                self.at += 1;
                let Some(G4Token::Literal(to)) = self.peek().cloned() else {
                    return Err(self.error("a literal"));
                };
                self.at += 1;
                let class = sets::range(&from, &to);
                Element::Set(class.ok_or_else(|| {
                    Finding::new(
                        location,
                        "the bounds of a range are not single characters in order",
                        "a range begins here",
                    )
                })?)
            }
            G4Token::Literal(text) => Element::Literal(text),
            G4Token::Set(raw) => match sets::parse(&raw) {
                Some(class) => Element::Set(class),
                None => {
                    return Err(Finding::new(
                        location,
                        "zester cannot read this set",
                        "it has an unknown escape or property",
                    ));
                }
            },
            G4Token::Sign('.') => Element::Any,
            G4Token::Sign('~') => Element::Not(Box::new(self.atom(depth + 1)?)),
            G4Token::Sign('(') => {
                if self.is_name("options") {
                    self.options()?;
                    self.accept(':');
                } else if self.is_sign(0, ':') {
                    self.at += 1;
                }
                let inner = self.choice(depth + 1)?;
                self.expect(')')?;
                inner
            }
            _ => {
                self.at -= 1;
                return Err(self.error("a symbol of a rule"));
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_change_the_language_is_dropped() {
        let text = "// first\ngrammar A; options { language = Java; } @header { x }\n\
            // about r\nr[int a] returns [int b] locals [int c] @init { } : x=A ys+=s[1] # L\n\
            | <assoc=right> r '^' r {act();} ; catch [E e] { } finally { }\n A : 'a' -> skip, type(B) ;";
        let file = parse(text, 0).unwrap();
        assert_eq!(file.comments, ["first"]);
        assert_eq!(file.rules.len(), 2);
        assert_eq!(file.rules[0].comments, ["about r"]);
        assert_eq!(file.rules[0].warnings.len(), 1);
        let name = |name: &str| Element::Name(name.into());
        assert_eq!(
            file.rules[0].alternatives[0].0,
            Element::Sequence(vec![name("A"), name("s")])
        );
        assert_eq!(file.rules[1].alternatives[0].1.len(), 2);
    }

    #[test]
    fn bad_input_is_an_error() {
        let deep = format!("grammar A; r : {}", "(".repeat(100_000));
        let not = format!("grammar A; A : {}", "~".repeat(100_000));
        for text in ["grammar", "grammar A; r :", "grammar A; r : a", &deep, &not] {
            assert!(parse(text, 0).is_err());
        }
    }
}
