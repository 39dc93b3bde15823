//! Rules that are missing, that derive nothing, or that no sentence uses.

use std::collections::HashSet;

use super::expression::{
    Expression, Finding, ForeignGrammar, ForeignKind, ForeignRule, SourceLocation, by_name, reached,
};
use super::fixed_point;

/// The beginning of the warning about a name without a rule.
const MISSING: &str = "no rule derives";

/// The maximum number of names in one warning.
const MAX_NAMES: usize = 10;

/// Adds a rule for each name without one: a token whose text is the name, to be filled in.
pub fn define(grammar: &mut ForeignGrammar) {
    let mut known: HashSet<String> = grammar.rules.iter().map(|rule| rule.name.clone()).collect();
    let mut missing: Vec<ForeignRule> = Vec::new();
    for rule in &grammar.rules {
        rule.body.visit(&mut |part| {
            let Expression::Name(name) = part else {
                return;
            };
            if !known.insert(name.clone()) {
                return;
            }
            let warning = Finding::new(rule.location.clone(), format!("{MISSING} `{name}`"), format!(
                    "the grammar does not say what it is; --tokens gives its texts, or write them into the rule `{name}`"
                ));
            missing.push(ForeignRule {
                location: rule.location.clone(),
                warnings: vec![warning],
                ..ForeignRule::new(name, ForeignKind::Token(0), Expression::literal(name))
            });
        });
    }
    grammar.rules.append(&mut missing);
}

/// Joins the warnings about names without a rule to one warning.
pub fn join_warnings(grammar: &mut ForeignGrammar) {
    let is_missing = |rule: &&mut ForeignRule| {
        let mut messages = rule.warnings.iter().map(|warning| &warning.message);
        messages.any(|message| message.starts_with(MISSING))
    };
    let mut rules: Vec<&mut ForeignRule> = grammar.rules.iter_mut().filter(is_missing).collect();
    if rules.len() < 2 {
        return;
    }
    let names: Vec<String> = rules.iter().map(|rule| rule.name.clone()).collect();
    let warning = Finding::new(
        rules[0].location.clone(),
        format!("{MISSING} {} names: {}", names.len(), listed(&names)),
        "the grammar does not say what they are; --tokens gives their texts, or write them into their rules, at the end of the grammar",
    );
    for rule in &mut rules {
        rule.warnings.clear();
        rule.comments.push("NOTE: to be filled in".into());
    }
    grammar.warnings.push(warning);
}

/// Leaves out alternatives that derive no text, and rules that have no others. Returns the names of these rules.
/// Their warnings move to the grammar.
pub fn prune(grammar: &mut ForeignGrammar) -> Vec<String> {
    let productive = fixed_point::rules_with(&grammar.rules, derives);
    let mut left_out = Vec::new();
    let rules = std::mem::take(&mut grammar.rules).into_iter();
    let (kept, dropped): (Vec<_>, Vec<_>) = rules.partition(|rule| productive.contains(&rule.name));
    grammar.rules = kept;
    for rule in dropped {
        grammar.warnings.extend(rule.warnings);
        left_out.push(rule.name);
    }
    for rule in &mut grammar.rules {
        rule.body.visit_mut(&mut |part| match part {
            Expression::Choice(all) => {
                all.retain(|one| derives(one, &productive));
                if all.len() == 1 {
                    *part = all.remove(0);
                }
            }
            // If the element derives no text, zero repetitions remain.
            Expression::Repeat {
                element,
                at_least: 0,
                ..
            } if !derives(element, &productive) => *part = Expression::empty(),
            Expression::Difference(from, without) if !derives(without, &productive) => {
                *part = (**from).clone();
            }
            _ => {}
        });
    }
    left_out
}

/// Adds a warning about rules that derive no text, unless there are none.
pub fn warn_of_pruned(grammar: &mut ForeignGrammar, names: &[String]) {
    if names.is_empty() {
        return;
    }
    let (subject, object) = match names.len() {
        1 => ("a rule derives".into(), "it"),
        count => (format!("{count} rules derive"), "they"),
    };
    grammar.warnings.push(Finding::new(
        SourceLocation::default(),
        format!("{subject} no text: {}", listed(names)),
        format!(
            "{object}, and the alternatives that need {}, were left out",
            match object {
                "it" => "it",
                _ => "them",
            }
        ),
    ));
}

/// Returns the first names of a list, and how many more there are.
pub fn listed(names: &[String]) -> String {
    let shown = names.iter().take(MAX_NAMES).map(|name| format!("`{name}`"));
    let text = shown.collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MAX_NAMES) {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}

/// Whether an expression derives a text, if the rules in `productive` do.
fn derives(expression: &Expression, productive: &HashSet<String>) -> bool {
    match expression {
        Expression::Literal { .. }
        | Expression::Indent
        | Expression::Dedent
        | Expression::Same(_) => true,
        Expression::Class(class) => !class.is_empty(),
        Expression::Name(name) => productive.contains(name),
        Expression::Sequence(parts) => parts.iter().all(|part| derives(part, productive)),
        Expression::Choice(parts) => parts.iter().any(|part| derives(part, productive)),
        Expression::Repeat {
            element, at_least, ..
        } => *at_least == 0 || derives(element, productive),
        Expression::Adjacent(part)
        | Expression::Difference(part, _)
        | Expression::Capture(_, part) => derives(part, productive),
    }
}

/// Leaves out the rules that no sentence uses. Returns their names.
pub fn unused(grammar: &mut ForeignGrammar, start: &str) -> Vec<String> {
    let is_root = |rule: &&ForeignRule| {
        rule.name == start || matches!(rule.kind, ForeignKind::Layout(_) | ForeignKind::Line)
    };
    let roots = grammar.rules.iter().filter(is_root);
    let roots = roots.map(|rule| &*rule.name).collect();
    let used = reached(&by_name(&grammar.rules), roots).into_iter();
    let used: HashSet<String> = used.map(String::from).collect();
    let mut left_out = Vec::new();
    grammar.rules.retain(|rule| {
        let is_used = used.contains(&rule.name);
        if !is_used {
            left_out.push(rule.name.clone());
        }
        is_used
    });
    left_out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_rules_get_one_warning() {
        let defined = |names: &[&str]| {
            let names = names.iter().copied().map(Expression::name);
            let body = Expression::sequence(names);
            let mut grammar = ForeignGrammar {
                rules: vec![ForeignRule::new("start", ForeignKind::Syntax, body)],
                ..ForeignGrammar::default()
            };
            define(&mut grammar);
            join_warnings(&mut grammar);
            grammar
        };
        let one = defined(&["A", "A"]);
        assert_eq!(one.rules[1].warnings[0].message, "no rule derives `A`");
        assert!(one.warnings.is_empty());
        let two = defined(&["A", "B"]);
        assert!(two.rules.iter().all(|rule| rule.warnings.is_empty()));
        assert_eq!(two.warnings[0].message, "no rule derives 2 names: `A`, `B`");
        let all: Vec<String> = (0..20).map(|at| format!("T{at}")).collect();
        let many = defined(&all.iter().map(|name| &**name).collect::<Vec<_>>());
        assert!(many.warnings[0].message.ends_with("`T9` and 10 more"));
    }
}
