//! A type checker for the language of `grammars/stlc.ebnf`. fuzz/targets/stlc.rs includes this file.

use std::collections::HashMap;

/// A type of the simply typed lambda calculus.
#[derive(Clone, Debug, PartialEq)]
enum Type {
    Int,
    Bool,
    Function(Box<(Type, Type)>),
}

/// A type checker, which reads a program token by token.
struct Checker<'a> {
    tokens: Vec<&'a str>,
    at: usize,
    /// The types of each name, the innermost one last.
    names: HashMap<&'a str, Vec<Type>>,
    uses: usize,
}

fn tokens(text: &str) -> Vec<&str> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let rest = &text[at..];
        let word = rest
            .find(|char: char| !char.is_ascii_alphanumeric())
            .unwrap_or(rest.len());
        let length = match rest.get(..2) {
            _ if word > 0 => word,
            Some("->" | "==") => 2,
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        if !rest.starts_with([' ', '\t', '\n']) {
            found.push(&rest[..length]);
        }
        at += length;
    }
    found
}

impl<'a> Checker<'a> {
    fn next(&mut self) -> Option<&'a str> {
        self.at += 1;
        self.tokens.get(self.at - 1).copied()
    }

    fn expect(&mut self, token: &str) -> Option<()> {
        (self.next()? == token).then_some(())
    }

    fn of_type(&mut self) -> Option<Type> {
        match self.next()? {
            "int" => Some(Type::Int),
            "bool" => Some(Type::Bool),
            "(" => {
                let argument = self.of_type()?;
                self.expect("->")?;
                let result = self.of_type()?;
                self.expect(")")?;
                Some(Type::Function(Box::new((argument, result))))
            }
            _ => None,
        }
    }

    /// Checks a term in which a name is visible.
    fn within(&mut self, name: &'a str, of: Type) -> Option<Type> {
        self.names.entry(name).or_default().push(of);
        let result = self.term();
        self.names.get_mut(name)?.pop();
        result
    }

    /// Returns the type of the next term, or [`None`] if it has none.
    fn term(&mut self) -> Option<Type> {
        match self.next()? {
            "true" | "false" => Some(Type::Bool),
            "if" => {
                let condition = self.term()?;
                self.expect("then")?;
                let one = self.term()?;
                self.expect("else")?;
                (condition == Type::Bool && self.term()? == one).then_some(one)
            }
            "let" => {
                let name = self.next()?;
                self.expect(":")?;
                let of = self.of_type()?;
                self.expect("=")?;
                (self.term()? == of).then_some(())?;
                self.expect("in")?;
                self.within(name, of)
            }
            "(" if self.tokens.get(self.at) == Some(&"fun") => {
                self.expect("fun")?;
                let name = self.next()?;
                self.expect(":")?;
                let argument = self.of_type()?;
                self.expect(".")?;
                let result = self.within(name, argument.clone())?;
                self.expect(")")?;
                Some(Type::Function(Box::new((argument, result))))
            }
            "(" => {
                let left = self.term()?;
                let result = match (self.tokens.get(self.at).copied()?, &left) {
                    ("+" | "-" | "*", _) => {
                        self.at += 1;
                        (left == Type::Int && self.term()? == Type::Int).then_some(Type::Int)?
                    }
                    ("<" | "==", _) => {
                        self.at += 1;
                        (left == Type::Int && self.term()? == Type::Int).then_some(Type::Bool)?
                    }
                    (_, Type::Function(parts)) => {
                        (self.term()? == parts.0).then_some(parts.1.clone())?
                    }
                    _ => return None,
                };
                self.expect(")")?;
                Some(result)
            }
            number if number.starts_with(|char: char| char.is_ascii_digit()) => Some(Type::Int),
            name => {
                self.uses += 1;
                self.names.get(name)?.last().cloned()
            }
        }
    }
}

/// Returns the number of names that a program uses, or [`None`] if it has a type error.
pub fn checked(text: &[u8]) -> Option<usize> {
    checked_to(text).ok()
}

/// Returns the number of names that a program uses. If it has a type error, returns the offset of the
/// last token that was read.
pub fn checked_to(text: &[u8]) -> Result<usize, usize> {
    let text = std::str::from_utf8(text).map_err(|error| error.valid_up_to())?;
    let mut checker = Checker {
        tokens: tokens(text),
        at: 0,
        names: HashMap::new(),
        uses: 0,
    };
    match checker.term() {
        Some(_) if checker.at == checker.tokens.len() => Ok(checker.uses),
        _ => {
            let last = checker.tokens.get(checker.at - 1);
            Err(last.map_or(text.len(), |token| {
                token.as_ptr() as usize - text.as_ptr() as usize
            }))
        }
    }
}
