//! Replaces the start rule of a syntax tree, before the first pass.

use super::lexer::SyntaxError;
use super::similar::{COMPARISONS, nearest};
use super::syntax::{
    Expression, ExpressionKind, File, Rule, RuleKind, Statement, SyntaxAlternative, Term,
};

/// Changes the syntax tree so that sentences start from the rule `name`.
///
/// If this rule is a syntax rule, it becomes the start rule. Otherwise a new start rule is added,
/// which consists of this rule only.
///
/// # Errors
/// If there is no such rule. The message suggests the rule with the most similar name.
pub fn start_from(file: &mut File, name: &str) -> Result<(), SyntaxError> {
    let mut rules: Vec<&mut Rule> = file
        .iter_mut()
        .filter_map(|statement| {
            if let Statement::Rule(rule) = statement {
                Some(rule)
            } else {
                None
            }
        })
        .collect();
    let Some(at) = rules.iter().position(|rule| rule.name == name) else {
        let mut comparisons = COMPARISONS;
        let names: Vec<&str> = rules.iter().map(|rule| rule.name.as_str()).collect();
        let label = nearest(name, names.iter(), &mut comparisons)
            .map_or("no rule has this name".into(), |near| {
                format!("did you mean `{near}`?")
            });
        return Err(SyntaxError::new(
            0..0,
            format!("no rule `{name}` to start from"),
            label,
        ));
    };
    for rule in rules.iter_mut().filter(|rule| rule.kind == RuleKind::Start) {
        rule.kind = RuleKind::Syntax;
    }
    let rule = &mut rules[at];
    if rule.kind == RuleKind::Syntax {
        rule.kind = RuleKind::Start;
        return Ok(());
    }
    let span = rule.span.clone();
    let expression = Expression {
        kind: ExpressionKind::Name(name.into(), Vec::new()),
        span: span.clone(),
    };
    let body = vec![SyntaxAlternative {
        weight: None,
        terms: vec![Term {
            is_adjacent: false,
            expression,
        }],
    }];
    file.push(Statement::Rule(Rule {
        kind: RuleKind::Start,
        name: format!("start {name}"),
        span,
        arguments: Vec::new(),
        body,
    }));
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::bounds::Caps;
    use crate::notation::read_from;
    use crate::parameters;

    const GRAMMAR: &[u8] =
        b"@skip blank = \" \" ; @start all = one two ; one = number ; two = \"2\" one ; @token number = [0-9] ;";

    fn shortest(start: &str) -> Result<(String, String), String> {
        let (grammar, report) = read_from("g", GRAMMAR, Some(start), &Caps::default())
            .map_err(|report| report.to_string())?;
        let derivation = parameters::sentence(&grammar, &Default::default(), &[]);
        Ok((
            String::from_utf8(derivation.text().to_vec()).unwrap(),
            report.to_string(),
        ))
    }

    #[test]
    fn every_rule_can_be_the_start() {
        for (start, sentence) in [
            ("all", "02 0"),
            ("one", "0"),
            ("two", "2 0"),
            ("number", "0"),
        ] {
            let (text, warnings) = shortest(start).unwrap();
            assert_eq!(text.replace(' ', ""), sentence.replace(' ', ""), "{start}");
            assert_eq!(
                warnings, "",
                "rules that this start does not use cause no warning"
            );
        }
    }

    #[test]
    fn an_undefined_start_rule_is_an_error_that_suggests_the_nearest_name() {
        let problem = shortest("nmuber").unwrap_err();
        assert!(
            problem.contains("no rule `nmuber` to start from") && problem.contains("`number`"),
            "{problem}"
        );
    }
}
