//! Runs programs of the small language, with mutants that change results.

use super::syntax::{Integer, Statement, Text, Truth, parse};

/// What a program prints.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Integer(i64),
    Truth(bool),
    Text(String),
}

/// A set of planted mutants, by their numbers from 0 to 19.
#[derive(Clone, Copy)]
pub struct Mutants(u32);

impl Mutants {
    pub const NONE: Mutants = Mutants(0);
    pub const ALL: Mutants = Mutants((1 << 20) - 1);

    /// Returns the mutants of a list such as `3,17`.
    pub fn of(list: &str) -> Mutants {
        let numbers = list
            .split(',')
            .filter_map(|number| number.parse::<u32>().ok());
        Mutants(numbers.fold(0, |set, number| set | 1 << number))
    }

    fn has(self, number: u32) -> bool {
        self.0 >> number & 1 == 1
    }
}

/// The maximum number of steps of a program, and of bytes of a text.
const MAX_STEPS: u32 = 20_000;
const MAX_TEXT: usize = 1_000;

/// Runs a program. Returns what it prints.
///
/// # Errors
/// If it is no program, or if an integer or a text is too large.
pub fn run(text: &str, mutants: Mutants) -> Result<Vec<Value>, String> {
    let program = parse(text)?;
    let mut machine = Machine {
        mutants,
        variables: Vec::new(),
        printed: Vec::new(),
        steps: 0,
        blocks: 0,
    };
    machine.statements(&program)?;
    Ok(machine.printed)
}

struct Machine<'t> {
    mutants: Mutants,
    variables: Vec<(&'t str, i64)>,
    printed: Vec<Value>,
    steps: u32,
    /// The number of blocks around the statement.
    blocks: u32,
}

type Evaluated<T> = Result<T, String>;

impl<'t> Machine<'t> {
    fn statements(&mut self, statements: &[Statement<'t>]) -> Evaluated<()> {
        statements.iter().try_for_each(|one| self.statement(one))
    }

    fn block(&mut self, statements: &[Statement<'t>]) -> Evaluated<()> {
        let visible = self.variables.len();
        self.blocks += 1;
        let result = self.statements(statements);
        self.blocks -= 1;
        self.variables.truncate(visible);
        result
    }

    fn step(&mut self) -> Evaluated<()> {
        self.steps += 1;
        match self.steps > MAX_STEPS {
            true => Err("too many steps".into()),
            false => Ok(()),
        }
    }

    fn statement(&mut self, statement: &Statement<'t>) -> Evaluated<()> {
        self.step()?;
        match statement {
            Statement::Let(name, value) => {
                let value = self.integer(value)?;
                self.variables.push((name, value));
            }
            Statement::Set(name, value) => {
                let value = self.integer(value)?;
                let mut variables = self.variables.iter_mut().rev();
                let variable = variables.find(|(other, _)| other == name);
                let (_, old) = variable.ok_or_else(|| format!("no variable {name}"))?;
                // 18: an assignment in two blocks is lost.
                if !(self.mutants.has(18) && self.blocks == 2) {
                    *old = value;
                }
            }
            Statement::PrintInteger(value) => {
                let value = self.integer(value)?;
                self.printed.push(Value::Integer(value));
            }
            Statement::PrintTruth(value) => {
                let value = self.truth(value)?;
                self.printed.push(Value::Truth(value));
            }
            Statement::PrintText(value) => {
                let value = self.text(value)?;
                self.printed.push(Value::Text(value));
            }
            Statement::If(condition, then, otherwise) => match self.truth(condition)? {
                true => self.block(then)?,
                // 17: an `else` in a block does not run.
                false if self.mutants.has(17) && self.blocks > 0 => {}
                false => self.block(otherwise)?,
            },
            Statement::Repeat(count, body) => {
                // 16: a loop of five rounds has only four.
                let is_less = self.mutants.has(16) && *count == 5;
                for _ in 0..count - i64::from(is_less) {
                    self.step()?;
                    self.block(body)?;
                }
            }
        }
        Ok(())
    }

    fn integer(&mut self, value: &Integer<'t>) -> Evaluated<i64> {
        self.step()?;
        let is_large = || "an integer is too large".to_owned();
        match value {
            Integer::Number(number) => Ok(*number),
            Integer::Variable(name) => {
                let variable = self.variables.iter().rev().find(|(other, _)| other == name);
                variable
                    .map(|(_, value)| *value)
                    .ok_or_else(|| format!("no variable {name}"))
            }
            Integer::Negative(inner) => self.integer(inner)?.checked_neg().ok_or_else(is_large),
            Integer::Binary(operator, operands) => {
                let [left, right] = &**operands;
                // 19: `0 - x` is `x`.
                let is_zero = matches!(left, Integer::Number(0));
                let [left, right] = [self.integer(left)?, self.integer(right)?];
                if self.mutants.has(19) && *operator == '-' && is_zero {
                    return Ok(right);
                }
                let result = match operator {
                    '+' => left.checked_add(right),
                    '-' => left.checked_sub(right),
                    '*' => left.checked_mul(right),
                    // 1: a quotient is rounded down.
                    '/' if self.mutants.has(1) => left.checked_div_euclid(right),
                    '/' => left.checked_div(right),
                    // 0: a remainder is never negative.
                    _ if self.mutants.has(0) => left.checked_rem_euclid(right),
                    _ => left.checked_rem(right),
                };
                result.ok_or_else(is_large)
            }
            Integer::Call(function, arguments) => {
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.integer(argument)?);
                }
                Ok(match (*function, &values[..]) {
                    // 5: the bound of `abs` is off by one.
                    ("abs", [value]) if self.mutants.has(5) && *value == -1 => -1,
                    ("abs", [value]) => value.checked_abs().ok_or_else(is_large)?,
                    // 6: the bound of `max` is off by one.
                    ("max", [one, other]) if self.mutants.has(6) && *one == *other + 1 => *other,
                    ("max", [one, other]) => *one.max(other),
                    // 7: `min` of two negative integers is the greater one.
                    ("min", [one, other]) if self.mutants.has(7) && *one < 0 && *other < 0 => {
                        *one.max(other)
                    }
                    ("min", [one, other]) => *one.min(other),
                    // 8: the upper bound of `clamp` comes first if the bounds are in the wrong order.
                    (_, [value, low, high]) if self.mutants.has(8) && low > high => {
                        *value.min(high).max(low)
                    }
                    (_, [value, low, high]) => *value.max(low).min(high),
                    _ => return Err("wrong arguments".into()),
                })
            }
            Integer::Length(text) => {
                let length = self.text(text)?.len() as i64;
                // 11: the length is at most 3.
                Ok(if self.mutants.has(11) {
                    length.min(3)
                } else {
                    length
                })
            }
        }
    }

    fn truth(&mut self, value: &Truth<'t>) -> Evaluated<bool> {
        self.step()?;
        Ok(match value {
            Truth::Constant(constant) => *constant,
            // 10: two negations are one.
            Truth::Not(inner) => match &**inner {
                Truth::Not(inner) if self.mutants.has(10) => !self.truth(inner)?,
                inner => !self.truth(inner)?,
            },
            Truth::And(operands) => {
                let [left, right] = &**operands;
                self.truth(left)? & self.truth(right)?
            }
            Truth::Or(operands) => {
                let [left, right] = &**operands;
                let [left, right] = [self.truth(left)?, self.truth(right)?];
                // 9: true or true is false.
                if self.mutants.has(9) {
                    left ^ right
                } else {
                    left | right
                }
            }
            Truth::Compare(operator, operands) => {
                let [left, right] = &**operands;
                let [left, right] = [self.integer(left)?, self.integer(right)?];
                match *operator {
                    "<" => left < right,
                    // 2: `<=` is `<`.
                    "<=" if self.mutants.has(2) => left < right,
                    "<=" => left <= right,
                    ">" => left > right,
                    // 3: `>=` is `>`.
                    ">=" if self.mutants.has(3) => left > right,
                    ">=" => left >= right,
                    _ => left == right,
                }
            }
            Truth::SameText(operands) => {
                let [left, right] = &**operands;
                let [left, right] = [self.text(left)?, self.text(right)?];
                // 4: only the lengths are compared.
                match self.mutants.has(4) {
                    true => left.len() == right.len(),
                    false => left == right,
                }
            }
        })
    }

    fn text(&mut self, value: &Text<'t>) -> Evaluated<String> {
        self.step()?;
        let text = match value {
            Text::Quoted(text) => (*text).to_owned(),
            Text::Joined(operands) => {
                let [left, right] = &**operands;
                self.text(left)? + &self.text(right)?
            }
            Text::Call("upper", inner) => {
                let text = self.text(inner)?;
                // 12: `upper` does not change `d`, the last letter of the language.
                let upper = |char: char| match char {
                    'd' if self.mutants.has(12) => 'd',
                    char => char.to_ascii_uppercase(),
                };
                text.chars().map(upper).collect()
            }
            Text::Call(_, inner) => {
                let text = self.text(inner)?;
                // 13: a text of two letters is not reversed.
                match self.mutants.has(13) && text.len() == 2 {
                    true => text,
                    false => text.chars().rev().collect(),
                }
            }
            Text::Slice(inner, bounds) => {
                let text = self.text(inner)?;
                let [from, to] = &**bounds;
                let [from, to] = [self.integer(from)?, self.integer(to)?];
                // 14: a slice from the beginning is one letter too long.
                let more = i64::from(self.mutants.has(14) && from == 0);
                let length = text.len() as i64;
                let [from, to] =
                    [from, to.saturating_add(more)].map(|at| at.clamp(0, length) as usize);
                text.get(from..to).unwrap_or_default().to_owned()
            }
            Text::OfInteger(value) => {
                let value = self.integer(value)?;
                // 15: integers below -9 lose their sign.
                match self.mutants.has(15) && value < -9 {
                    true => value.unsigned_abs().to_string(),
                    false => value.to_string(),
                }
            }
        };
        match text.len() > MAX_TEXT {
            true => Err("a text is too long".into()),
            false => Ok(text),
        }
    }
}
