//! The arguments of macros.

use super::super::expression::Expression;

/// An argument of a macro.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct MacroArgument {
    pub expression: Expression,
    /// The text, if the argument is a literal. Conditions compare it.
    pub text: Option<String>,
}

/// The name of a macro with its arguments, such as `Comma_Expr`.
pub fn instance_name(name: &str, arguments: &[MacroArgument]) -> String {
    const LONGEST: usize = 60;
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut result = name.to_string();
    for argument in arguments {
        let text = match (&argument.expression, &argument.text) {
            (Expression::Name(name), _) => name,
            (_, Some(text)) => text,
            _ => continue,
        };
        if text.chars().all(is_part) && result.len() + text.len() < LONGEST && !text.is_empty() {
            result.push('_');
            result.push_str(text);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_are_named_after_their_arguments() {
        let argument = |expression, text: Option<&str>| MacroArgument {
            expression,
            text: text.map(Into::into),
        };
        let arguments = [
            argument(Expression::name("Item"), None),
            argument(Expression::literal("1"), Some("1")),
            argument(Expression::literal(","), Some(",")),
            argument(Expression::name("x".repeat(100)), None),
        ];
        assert_eq!(instance_name("List", &arguments), "List_Item_1");
        assert_eq!(Expression::name("a").optional().depth(), 2);
    }
}
