//! A checker of a small typed language, for tests of `zester why`. `damage.ebnf` is its grammar.

use std::collections::{BTreeSet, HashMap};

use super::trial::{Judgement, Judgements};

/// A type of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Int,
    Bool,
    Str,
}

/// What a name is.
#[derive(Clone, Copy)]
enum Meaning {
    Variable(Type),
    Function(Type, Type),
}

/// A checker of one program.
struct Checker<'a> {
    tokens: Vec<(&'a str, usize)>,
    at: usize,
    text: &'a str,
    scopes: Vec<HashMap<&'a str, Meaning>>,
    loops: usize,
    edges: BTreeSet<u32>,
}

/// The reason of a rejection.
type Checked<T> = Result<T, String>;

/// Returns the judgements of the checker.
pub fn judge(texts: &[Vec<u8>]) -> Judgements {
    let mut judgements = Judgements::default();
    for text in texts {
        let text = std::str::from_utf8(text).unwrap();
        let mut checker = Checker {
            tokens: tokens(text),
            at: 0,
            text,
            scopes: vec![HashMap::new()],
            loops: 0,
            edges: BTreeSet::new(),
        };
        judgements.all.push(match checker.program() {
            Ok(()) => {
                judgements.valid_edges.append(&mut checker.edges);
                Judgement::Valid
            }
            Err(reason) => Judgement::Rejected(reason),
        });
    }
    judgements
}

/// Splits a text into tokens, with their offsets.
fn tokens(text: &str) -> Vec<(&str, usize)> {
    let (mut tokens, mut at) = (Vec::new(), 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let from = at;
        let run = |at: usize, is_in: fn(&u8) -> bool| {
            at + bytes[at..].iter().take_while(|byte| is_in(byte)).count()
        };
        match bytes[at] {
            b' ' | b'\n' => {
                at += 1;
                continue;
            }
            b'a'..=b'z' | b'0'..=b'9' => at = run(at, u8::is_ascii_alphanumeric),
            b'"' => at = run(at + 1, |&byte| byte != b'"') + 1,
            b'=' | b'+' if bytes.get(at + 1) == Some(&bytes[at]) => at += 2,
            b'-' if bytes.get(at + 1) == Some(&b'>') => at += 2,
            _ => at += 1,
        }
        at = at.min(bytes.len());
        tokens.push((&text[from..at], from));
    }
    tokens
}

impl<'a> Checker<'a> {
    fn peek(&self) -> &'a str {
        self.tokens.get(self.at).map_or("", |token| token.0)
    }

    fn hit(&mut self, edge: u32) {
        // The next token makes edges of a production differ, as branches of a real parser do.
        let next = self.peek().bytes().next().map_or(0, u32::from);
        self.edges.insert(edge << 8 | next);
    }

    fn unexpected<T>(&self) -> Checked<T> {
        let at = self
            .tokens
            .get(self.at)
            .map_or(self.text.len(), |token| token.1);
        let before = &self.text[..at];
        let line = before.matches('\n').count() + 1;
        let column = at - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        Err(format!("{line}:{column}: unexpected `{}`", self.peek()))
    }

    fn take(&mut self, token: &str) -> Checked<()> {
        if self.peek() != token {
            return self.unexpected();
        }
        self.at += 1;
        Ok(())
    }

    fn name(&mut self) -> Checked<&'a str> {
        let name = self.peek();
        if !name.starts_with(|char: char| char.is_ascii_lowercase()) {
            return self.unexpected();
        }
        self.at += 1;
        Ok(name)
    }

    fn declare(&mut self, name: &'a str, meaning: Meaning) -> Checked<()> {
        let scope = self.scopes.last_mut().unwrap();
        match scope.insert(name, meaning) {
            Some(_) => Err(format!("`{name}` is declared twice in a scope")),
            None => Ok(()),
        }
    }

    fn meaning(&self, name: &str) -> Checked<Meaning> {
        let found = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        found
            .copied()
            .ok_or_else(|| format!("unknown name `{name}`"))
    }

    fn program(&mut self) -> Checked<()> {
        while self.at < self.tokens.len() {
            match self.peek() {
                "fn" => self.function()?,
                _ => self.statement()?,
            }
        }
        Ok(())
    }

    fn function(&mut self) -> Checked<()> {
        self.hit(1);
        self.take("fn")?;
        let name = self.name()?;
        self.take("(")?;
        let parameter = self.name()?;
        self.take(":")?;
        let from = self.type_name()?;
        self.take(")")?;
        self.take("->")?;
        let to = self.type_name()?;
        self.declare(name, Meaning::Function(from, to))?;
        self.scopes.push(HashMap::new());
        self.declare(parameter, Meaning::Variable(from))?;
        self.take("{")?;
        while self.peek() != "return" && self.at < self.tokens.len() {
            self.statement()?;
        }
        self.take("return")?;
        let found = self.expression()?;
        self.take(";")?;
        self.take("}")?;
        self.scopes.pop();
        agree("the result of a function", to, found)
    }

    fn type_name(&mut self) -> Checked<Type> {
        self.hit(2);
        let name = match self.peek() {
            "int" => Type::Int,
            "bool" => Type::Bool,
            "str" => Type::Str,
            _ => return self.unexpected(),
        };
        self.at += 1;
        Ok(name)
    }

    fn statement(&mut self) -> Checked<()> {
        self.hit(3);
        match self.peek() {
            "let" => {
                self.at += 1;
                let name = self.name()?;
                self.take(":")?;
                let expected = self.type_name()?;
                self.take("=")?;
                let found = self.expression()?;
                self.take(";")?;
                agree("the value of a definition", expected, found)?;
                self.declare(name, Meaning::Variable(expected))
            }
            "set" => {
                self.at += 1;
                let name = self.name()?;
                let Meaning::Variable(expected) = self.meaning(name)? else {
                    return Err(format!("`{name}` is no variable"));
                };
                self.take("=")?;
                let found = self.expression()?;
                self.take(";")?;
                agree("the value of an assignment", expected, found)
            }
            "if" => {
                self.at += 1;
                let found = self.expression()?;
                agree("the condition of a choice", Type::Bool, found)?;
                self.block()?;
                if self.peek() == "else" {
                    self.at += 1;
                    self.block()?;
                }
                Ok(())
            }
            "while" => {
                self.at += 1;
                let found = self.expression()?;
                agree("the condition of a repetition", Type::Bool, found)?;
                self.loops += 1;
                self.block()?;
                self.loops -= 1;
                Ok(())
            }
            "break" => {
                self.at += 1;
                if self.loops == 0 {
                    return Err("a jump outside of a repetition".into());
                }
                self.take(";")
            }
            "print" => {
                self.at += 1;
                self.expression()?;
                for _ in 0..2 {
                    if self.peek() == "," {
                        self.at += 1;
                        self.expression()?;
                    }
                }
                self.take(";")
            }
            _ => self.unexpected(),
        }
    }

    fn block(&mut self) -> Checked<()> {
        self.take("{")?;
        self.scopes.push(HashMap::new());
        while self.peek() != "}" && self.at < self.tokens.len() {
            self.statement()?;
        }
        self.scopes.pop();
        self.take("}")
    }

    fn expression(&mut self) -> Checked<Type> {
        self.hit(4);
        let token = self.peek();
        match token.as_bytes().first() {
            Some(b'0'..=b'9') => {
                self.at += 1;
                Ok(Type::Int)
            }
            Some(b'"') => {
                self.at += 1;
                Ok(Type::Str)
            }
            Some(b'(') => self.parenthesis(),
            _ => match token {
                "true" | "false" => {
                    self.at += 1;
                    Ok(Type::Bool)
                }
                "not" => {
                    self.at += 1;
                    let found = self.expression()?;
                    agree("the operand of a negation", Type::Bool, found)?;
                    Ok(Type::Bool)
                }
                "len" => {
                    self.at += 1;
                    self.take("(")?;
                    let found = self.expression()?;
                    self.take(")")?;
                    agree("the argument of a length", Type::Str, found)?;
                    Ok(Type::Int)
                }
                _ => self.named(),
            },
        }
    }

    fn parenthesis(&mut self) -> Checked<Type> {
        self.take("(")?;
        let left = self.expression()?;
        let operator = self.peek();
        self.at += 1;
        let result = match operator {
            "+" | "*" => Type::Int,
            "++" => Type::Str,
            "==" => Type::Bool,
            _ => {
                self.at -= 1;
                return self.unexpected();
            }
        };
        let expected = if operator == "==" { left } else { result };
        agree("the left operand", expected, left)?;
        let right = self.expression()?;
        agree("the right operand", expected, right)?;
        self.take(")")?;
        Ok(result)
    }

    fn named(&mut self) -> Checked<Type> {
        let name = self.name()?;
        match self.meaning(name)? {
            Meaning::Variable(found) if self.peek() != "(" => Ok(found),
            Meaning::Function(from, to) if self.peek() == "(" => {
                self.take("(")?;
                let found = self.expression()?;
                self.take(")")?;
                agree("the argument of a call", from, found)?;
                Ok(to)
            }
            _ => Err(format!("`{name}` is used as another kind of name")),
        }
    }
}

/// Checks that a part has the expected type.
fn agree(what: &str, expected: Type, found: Type) -> Checked<()> {
    if expected == found {
        return Ok(());
    }
    let name = |of: Type| format!("{of:?}").to_lowercase();
    Err(format!("{what} is {}, not {}", name(found), name(expected)))
}
