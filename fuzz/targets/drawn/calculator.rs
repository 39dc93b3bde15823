//! A typed language with a planted fault, which only expressions without type errors reach.

#[derive(Clone, Debug)]
pub enum Expr {
    Number(u32),
    Truth(bool),
    Add([Box<Expr>; 2]),
    Less([Box<Expr>; 2]),
    Not(Box<Expr>),
    If([Box<Expr>; 3]),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Number(u32),
    Truth(bool),
}

/// Checks the types, then evaluates an expression.
///
/// # Errors
/// If a type is wrong.
pub fn checked(expr: &Expr) -> Result<Value, String> {
    is_number(expr)?;
    Ok(evaluate(expr))
}

/// Returns whether an expression is a number. Otherwise it is a truth value.
fn is_number(expr: &Expr) -> Result<bool, String> {
    let wants = |number: bool, part: &Expr| match is_number(part)? == number {
        true => Ok(()),
        false => Err(format!(
            "{} wanted",
            if number { "number" } else { "truth value" }
        )),
    };
    match expr {
        Expr::Number(_) => Ok(true),
        Expr::Truth(_) => Ok(false),
        Expr::Add(parts) => parts
            .iter()
            .try_for_each(|part| wants(true, part))
            .map(|()| true),
        Expr::Less(parts) => parts
            .iter()
            .try_for_each(|part| wants(true, part))
            .map(|()| false),
        Expr::Not(part) => wants(false, part).map(|()| false),
        Expr::If([condition, then, other]) => {
            wants(false, condition)?;
            let number = is_number(then)?;
            wants(number, other).map(|()| number)
        }
    }
}

fn evaluate(expr: &Expr) -> Value {
    let number = |part: &Expr| match evaluate(part) {
        Value::Number(number) => number,
        Value::Truth(_) => unreachable!("types are checked"),
    };
    let truth = |part: &Expr| evaluate(part) == Value::Truth(true);
    match expr {
        Expr::Number(value) => Value::Number(*value),
        Expr::Truth(value) => Value::Truth(*value),
        Expr::Add([left, right]) => Value::Number(number(left).wrapping_add(number(right))),
        Expr::Less([left, right]) => Value::Truth(number(left) < number(right)),
        Expr::Not(part) => Value::Truth(!truth(part)),
        Expr::If([condition, then, other]) => {
            // The planted fault.
            if let (Expr::Not(inner), Expr::If(_)) = (&**condition, &**then) {
                assert!(!matches!(**inner, Expr::Less(_)), "the planted fault");
            }
            if truth(condition) {
                evaluate(then)
            } else {
                evaluate(other)
            }
        }
    }
}
