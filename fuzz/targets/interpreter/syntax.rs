//! The syntax of the small language of `interpreter.ebnf`.

/// A statement. Names are texts of the program.
#[derive(Debug)]
pub enum Statement<'t> {
    /// Declares a variable, or sets it.
    Let(&'t str, Integer<'t>),
    Set(&'t str, Integer<'t>),
    PrintInteger(Integer<'t>),
    PrintTruth(Truth<'t>),
    PrintText(Text<'t>),
    If(Truth<'t>, Vec<Statement<'t>>, Vec<Statement<'t>>),
    Repeat(i64, Vec<Statement<'t>>),
}

#[derive(Debug)]
pub enum Integer<'t> {
    Number(i64),
    Variable(&'t str),
    Negative(Box<Integer<'t>>),
    /// An operator between two integers: one of `+-*/%`.
    Binary(char, Box<[Integer<'t>; 2]>),
    /// A function of integers: `max`, `min`, `abs` or `clamp`.
    Call(&'t str, Vec<Integer<'t>>),
    Length(Box<Text<'t>>),
}

#[derive(Debug)]
pub enum Truth<'t> {
    Constant(bool),
    Not(Box<Truth<'t>>),
    And(Box<[Truth<'t>; 2]>),
    Or(Box<[Truth<'t>; 2]>),
    Compare(&'t str, Box<[Integer<'t>; 2]>),
    SameText(Box<[Text<'t>; 2]>),
}

#[derive(Debug)]
pub enum Text<'t> {
    Quoted(&'t str),
    Joined(Box<[Text<'t>; 2]>),
    /// `upper` or `reverse`.
    Call(&'t str, Box<Text<'t>>),
    Slice(Box<Text<'t>>, Box<[Integer<'t>; 2]>),
    OfInteger(Integer<'t>),
}

/// Reads a program.
pub fn parse(text: &str) -> Result<Vec<Statement<'_>>, String> {
    let mut reader = Reader {
        tokens: tokens(text)?,
        at: 0,
        depth: 0,
    };
    let program = reader.statements()?;
    match reader.tokens.get(reader.at) {
        None => Ok(program),
        Some(token) => Err(format!("expected a statement, found {token}")),
    }
}

/// Splits a text into words, numbers, quoted texts and operators.
fn tokens(text: &str) -> Result<Vec<&str>, String> {
    let (mut found, mut rest) = (Vec::new(), text);
    loop {
        rest = rest.trim_start_matches([' ', '\n']);
        let Some(first) = rest.chars().next() else {
            return Ok(found);
        };
        let is_word = |char: char| char.is_ascii_alphanumeric();
        let length = match first {
            '"' => 2 + rest[1..].find('"').ok_or("a text without an end")?,
            first if is_word(first) => rest.find(|char| !is_word(char)).unwrap_or(rest.len()),
            _ if ["<=", ">=", "=="].iter().any(|one| rest.starts_with(one)) => 2,
            first => first.len_utf8(),
        };
        found.push(&rest[..length]);
        rest = &rest[length..];
    }
}

/// The maximum depth of nested expressions and blocks.
const MAX_DEPTH: u32 = 100;

struct Reader<'t> {
    tokens: Vec<&'t str>,
    at: usize,
    depth: u32,
}

type Parsed<T> = Result<T, String>;

impl<'t> Reader<'t> {
    fn peek(&self) -> &'t str {
        self.tokens.get(self.at).copied().unwrap_or("")
    }

    fn next(&mut self) -> &'t str {
        let token = self.peek();
        self.at += 1;
        token
    }

    /// Reads one of these tokens if it is next.
    fn one_of(&mut self, expected: &[&str]) -> Option<&'t str> {
        expected.contains(&self.peek()).then(|| self.next())
    }

    fn expect(&mut self, expected: &str) -> Parsed<()> {
        match self.one_of(&[expected]) {
            Some(_) => Ok(()),
            None => Err(format!("expected {expected}, found {}", self.peek())),
        }
    }

    /// Calls a function one level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_DEPTH {
            return Err("too deep".into());
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Calls a function, and goes back if it fails.
    fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Option<T> {
        let (at, depth) = (self.at, self.depth);
        let result = read(self).ok();
        if result.is_none() {
            (self.at, self.depth) = (at, depth);
        }
        result
    }

    fn statements(&mut self) -> Parsed<Vec<Statement<'t>>> {
        let mut statements = Vec::new();
        while !["", "}"].contains(&self.peek()) {
            statements.push(self.statement()?);
        }
        Ok(statements)
    }

    fn block(&mut self) -> Parsed<Vec<Statement<'t>>> {
        self.expect("{")?;
        let statements = self.nested(Reader::statements)?;
        self.expect("}")?;
        Ok(statements)
    }

    fn statement(&mut self) -> Parsed<Statement<'t>> {
        match self.next() {
            word @ ("let" | "set") => {
                let name = self.next();
                self.expect("=")?;
                let value = self.integer()?;
                self.expect(";")?;
                Ok(match word {
                    "let" => Statement::Let(name, value),
                    _ => Statement::Set(name, value),
                })
            }
            "print" => {
                let ended = |reader: &mut Self, statement| reader.expect(";").map(|()| statement);
                let truth = |reader: &mut Self| {
                    let truth = reader.truth()?;
                    ended(reader, Statement::PrintTruth(truth))
                };
                let integer = |reader: &mut Self| {
                    let integer = reader.integer()?;
                    ended(reader, Statement::PrintInteger(integer))
                };
                if let Some(statement) = self.attempt(integer).or_else(|| self.attempt(truth)) {
                    return Ok(statement);
                }
                let text = self.text()?;
                ended(self, Statement::PrintText(text))
            }
            "if" => {
                let condition = self.truth()?;
                let then = self.block()?;
                let otherwise = match self.one_of(&["else"]) {
                    Some(_) => self.block()?,
                    None => Vec::new(),
                };
                Ok(Statement::If(condition, then, otherwise))
            }
            "repeat" => {
                let count = self.next().parse().map_err(|_| "expected a count")?;
                Ok(Statement::Repeat(count, self.block()?))
            }
            other => Err(format!("expected a statement, found {other}")),
        }
    }

    fn integer(&mut self) -> Parsed<Integer<'t>> {
        self.binary(&["+", "-"], |reader| {
            reader.binary(&["*", "/", "%"], Reader::factor)
        })
    }

    fn binary(
        &mut self,
        operators: &[&str],
        operand: impl Fn(&mut Self) -> Parsed<Integer<'t>>,
    ) -> Parsed<Integer<'t>> {
        let mut left = operand(self)?;
        while let Some(operator) = self.one_of(operators) {
            let operator = operator
                .chars()
                .next()
                .expect("an operator has a character");
            left = Integer::Binary(operator, Box::new([left, operand(self)?]));
        }
        Ok(left)
    }

    fn factor(&mut self) -> Parsed<Integer<'t>> {
        self.nested(|reader| {
            let token = reader.next();
            match token {
                "-" => Ok(Integer::Negative(reader.factor()?.into())),
                "(" => {
                    let inner = reader.integer()?;
                    reader.expect(")")?;
                    Ok(inner)
                }
                "max" | "min" | "abs" | "clamp" => {
                    reader.expect("(")?;
                    let mut arguments = vec![reader.integer()?];
                    while reader.one_of(&[","]).is_some() {
                        arguments.push(reader.integer()?);
                    }
                    reader.expect(")")?;
                    let count = match token {
                        "abs" => 1,
                        "clamp" => 3,
                        _ => 2,
                    };
                    match arguments.len() == count {
                        true => Ok(Integer::Call(token, arguments)),
                        false => Err(format!("{token} has {count} arguments")),
                    }
                }
                "length" => {
                    reader.expect("(")?;
                    let text = reader.text()?;
                    reader.expect(")")?;
                    Ok(Integer::Length(text.into()))
                }
                _ if token.starts_with(|char: char| char.is_ascii_digit()) => token
                    .parse()
                    .map(Integer::Number)
                    .map_err(|_| "too large".into()),
                _ if is_name(token) => Ok(Integer::Variable(token)),
                _ => Err(format!("expected an integer, found {token}")),
            }
        })
    }

    fn truth(&mut self) -> Parsed<Truth<'t>> {
        let mut left = self.conjunction()?;
        while self.one_of(&["or"]).is_some() {
            left = Truth::Or(Box::new([left, self.conjunction()?]));
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Parsed<Truth<'t>> {
        let mut left = self.negation()?;
        while self.one_of(&["and"]).is_some() {
            left = Truth::And(Box::new([left, self.negation()?]));
        }
        Ok(left)
    }

    fn negation(&mut self) -> Parsed<Truth<'t>> {
        self.nested(|reader| {
            match reader.one_of(&["not", "true", "false"]) {
                Some("not") => return Ok(Truth::Not(reader.negation()?.into())),
                Some(constant) => return Ok(Truth::Constant(constant == "true")),
                None => {}
            }
            let comparison = |reader: &mut Self| {
                let left = reader.integer()?;
                let operator = reader.one_of(&["<", "<=", ">", ">=", "=="]);
                let operator = operator.ok_or("expected a comparison")?;
                Ok(Truth::Compare(
                    operator,
                    Box::new([left, reader.integer()?]),
                ))
            };
            let texts = |reader: &mut Self| {
                let left = reader.text()?;
                reader.expect("~")?;
                Ok(Truth::SameText(Box::new([left, reader.text()?])))
            };
            let found = reader.attempt(comparison);
            if let Some(truth) = found.or_else(|| reader.attempt(texts)) {
                return Ok(truth);
            }
            reader.expect("(")?;
            let inner = reader.truth()?;
            reader.expect(")")?;
            Ok(inner)
        })
    }

    fn text(&mut self) -> Parsed<Text<'t>> {
        let mut left = self.string()?;
        while self.one_of(&["&"]).is_some() {
            left = Text::Joined(Box::new([left, self.string()?]));
        }
        Ok(left)
    }

    fn string(&mut self) -> Parsed<Text<'t>> {
        self.nested(|reader| {
            let token = reader.next();
            if let Some(quoted) = token.strip_prefix('"') {
                return Ok(Text::Quoted(quoted.trim_end_matches('"')));
            }
            reader.expect("(")?;
            let text = match token {
                "upper" | "reverse" => Text::Call(token, reader.text()?.into()),
                "slice" => {
                    let text = reader.text()?;
                    reader.expect(",")?;
                    let from = reader.integer()?;
                    reader.expect(",")?;
                    Text::Slice(text.into(), Box::new([from, reader.integer()?]))
                }
                "text" => Text::OfInteger(reader.integer()?),
                _ => return Err(format!("expected a text, found {token}")),
            };
            reader.expect(")")?;
            Ok(text)
        })
    }
}

/// Returns whether a word can be the name of a variable.
fn is_name(word: &str) -> bool {
    let keywords = [
        "let", "set", "print", "if", "else", "repeat", "true", "false", "not", "and",
    ];
    let others = ["or", "upper", "reverse", "slice", "text"];
    word.starts_with(|char: char| char.is_ascii_lowercase())
        && !keywords.contains(&word)
        && !others.contains(&word)
}
