//! Writes a grammar in zester's notation, for people to edit.

use std::fmt::Write;

use super::expression::{Expression, ForeignKind, ForeignRule};

/// The maximum width of a line; longer ones are broken between alternatives and between symbols.
const WIDTH: usize = 120;

/// How a rule is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Annotation {
    None,
    Start,
    Token,
    Skip,
    Identifier,
    Line,
}

impl Annotation {
    fn text(self) -> &'static str {
        match self {
            Annotation::None => "",
            Annotation::Start => "@start ",
            Annotation::Token => "@token ",
            Annotation::Skip => "@skip ",
            Annotation::Identifier => "@identifier ",
            Annotation::Line => "@line ",
        }
    }
}

/// Returns the annotation of a rule that is neither the start rule nor an identifier.
pub fn annotation(kind: ForeignKind) -> Annotation {
    match kind {
        ForeignKind::Syntax => Annotation::None,
        ForeignKind::Token(_) | ForeignKind::Fragment => Annotation::Token,
        ForeignKind::Layout(_) => Annotation::Skip,
        ForeignKind::Line => Annotation::Line,
    }
}

pub fn comment(lines: &[String], text: &mut String) {
    for line in lines {
        // A control character in a comment could hide text in a terminal.
        let line: String = line
            .chars()
            .filter(|c| !c.is_control() || *c == '\t')
            .collect();
        let _ = writeln!(text, "{}", format!("// {}", line.trim_end()).trim_end());
    }
}

/// Writes a rule with its comment and its notes.
pub fn rule(rule: &ForeignRule, annotation: Annotation, bytes: bool, text: &mut String) {
    comment(&rule.comments, text);
    for warning in &rule.warnings {
        comment(
            &[format!("NOTE: {}: {}", warning.message, warning.label)],
            text,
        );
    }
    let head = format!("{}{} =", annotation.text(), rule.name);
    let alternatives: Vec<Vec<String>> = match &rule.body {
        Expression::Choice(all) => all.iter().map(|one| symbols(one, bytes)).collect(),
        one => vec![symbols(one, bytes)],
    };
    let joined = |one: &Vec<String>| one.join(" ");
    let line = alternatives
        .iter()
        .map(joined)
        .collect::<Vec<_>>()
        .join(" | ");
    if head.len() + line.len() + 3 <= WIDTH {
        let _ = writeln!(
            text,
            "{head} {line}{};",
            if line.is_empty() { "" } else { " " }
        );
        return;
    }
    text.push_str(&head);
    let mut column = WIDTH;
    for (at, one) in alternatives.iter().enumerate() {
        let length = joined(one).chars().count();
        // Short alternatives share a line.
        if column + 3 + length > WIDTH || length > WIDTH / 3 {
            text.push_str(if at == 0 { "\n      " } else { "\n    | " });
            column = 6;
        } else {
            text.push_str(" | ");
            column += 3;
        }
        for (at, symbol) in one.iter().enumerate() {
            let length = symbol.chars().count();
            if at > 0 && column + 1 + length > WIDTH {
                text.push_str("\n      ");
                column = 6;
            } else if at > 0 {
                text.push(' ');
                column += 1;
            }
            text.push_str(symbol);
            column += length;
        }
        if length > WIDTH / 3 {
            column = WIDTH;
        }
    }
    text.push_str(" ;\n");
}

/// Writes the statement of the brackets, unless there are none.
pub fn brackets(pairs: &[[&str; 2]], text: &mut String) {
    let pairs = pairs
        .iter()
        .map(|pair| pair.map(|one| literal(one, false, false)).join(" "));
    let pairs: Vec<String> = pairs.collect();
    if !pairs.is_empty() {
        let _ = writeln!(text, "@brackets {} ;", pairs.join(" | "));
    }
}

/// Returns the symbols of an alternative, each as a text.
fn symbols(expression: &Expression, bytes: bool) -> Vec<String> {
    match expression {
        Expression::Sequence(parts) => parts.iter().map(|part| symbol(part, bytes)).collect(),
        one => vec![symbol(one, bytes)],
    }
}

/// Writes an expression as one symbol of a sequence.
fn symbol(expression: &Expression, bytes: bool) -> String {
    match expression {
        Expression::Adjacent(part) => match &**part {
            Expression::Adjacent(_) => symbol(part, bytes),
            part => format!("~ {}", symbol(part, bytes)),
        },
        Expression::Difference(from, without) => {
            format!("{} - {}", repeated(from, bytes), repeated(without, bytes))
        }
        other => repeated(other, bytes),
    }
}

/// Writes an expression as an operand of `-`.
fn repeated(expression: &Expression, bytes: bool) -> String {
    let Expression::Repeat {
        element,
        at_least,
        at_most,
    } = expression
    else {
        return primary(expression, bytes);
    };
    let limits = match (at_least, at_most) {
        (0, Some(1)) => "?".into(),
        (0, None) => "*".into(),
        (1, None) => "+".into(),
        (n, None) => format!("{{{n},}}"),
        (n, Some(most)) if n == most => format!("{{{n}}}"),
        (n, Some(most)) => format!("{{{n},{most}}}"),
    };
    primary(element, bytes) + &limits
}

/// Writes an expression as an operand of a repetition.
fn primary(expression: &Expression, bytes: bool) -> String {
    match expression {
        Expression::Literal { text, insensitive } => literal(text, *insensitive, bytes),
        Expression::Class(class) => match class.only() {
            Some(only) => literal(&only.to_string(), false, bytes),
            None => class.written(bytes),
        },
        Expression::Name(name) => name.clone(),
        Expression::Indent => "@indent".into(),
        Expression::Dedent => "@dedent".into(),
        Expression::Capture(name, text) => {
            format!("@capture {name}( {} )", symbols(text, bytes).join(" "))
        }
        Expression::Same(name) => format!("@same {name}"),
        Expression::Choice(parts) => {
            let parts = parts.iter().map(|part| symbols(part, bytes).join(" "));
            format!("({})", parts.collect::<Vec<_>>().join(" | "))
        }
        Expression::Sequence(_)
        | Expression::Repeat { .. }
        | Expression::Adjacent(_)
        | Expression::Difference(..) => format!("({})", symbols(expression, bytes).join(" ")),
    }
}

fn literal(content: &str, insensitive: bool, bytes: bool) -> String {
    let mut text = String::from("\"");
    for c in content.chars() {
        match c {
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\\' | '"' => text.extend(['\\', c]),
            c if c.is_ascii_graphic() || c == ' ' => text.push(c),
            c if u32::from(c) <= 0x7F || bytes => {
                let _ = write!(text, "\\x{:02X}", u32::from(c));
            }
            c if c.is_alphanumeric() => text.push(c),
            c => {
                let _ = write!(text, "\\u{{{:X}}}", u32::from(c));
            }
        }
    }
    text.push('"');
    if insensitive && content.chars().any(|c| c.is_ascii_alphabetic()) {
        text.push('i');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::class::CharacterClass;

    #[test]
    fn operands_have_parentheses_where_the_notation_needs_them() {
        let a = || Expression::name("a");
        let cases = [
            (a().repeat(0, None).repeat(0, Some(1)), "(a*)?"),
            (
                Expression::sequence([a(), a()]).repeat(2, Some(2)),
                "(a a){2}",
            ),
            (
                Expression::choice([a(), Expression::empty()]).repeat(0, None),
                "(a | )*",
            ),
            (
                Expression::Difference(
                    Box::new(a().repeat(1, None)),
                    Box::new(Expression::choice([a(), a()])),
                ),
                "a+ - (a | a)",
            ),
            (a().adjacent().repeat(0, None), "(~ a)*"),
            (a().repeat(0, None).adjacent(), "~ a*"),
            (
                Expression::literal("\"\\\n\u{7}é\u{200B}"),
                "\"\\\"\\\\\\n\\x07é\\u{200B}\"",
            ),
            (Expression::Class(CharacterClass::of("x")), "\"x\""),
        ];
        for (expression, written) in cases {
            assert_eq!(symbol(&expression, false), written);
        }
    }
}
