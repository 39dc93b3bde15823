//! Modes of a lexer, and rules with `more`, whose text becomes a part of the next token.

use std::collections::{HashMap, HashSet};

use super::element::G4Rule;
use crate::import::expression::Expression;

/// The name of the mode that a lexer begins in.
pub const DEFAULT: &str = "DEFAULT_MODE";

/// A rule with the command `more`: its mode, and the mode in which the rest of the token is read.
pub struct MoreRule {
    pub from: String,
    pub to: String,
    pub body: Expression,
}

/// The modes in which the lexer may be after a rule.
pub fn targets(rule: &G4Rule, all: &[G4Rule]) -> Vec<String> {
    let commands = || rule.alternatives.iter().flat_map(|one| &one.1);
    let mut targets: Vec<String> = commands()
        .filter(|command| command.name == "mode" || command.name == "pushMode")
        .filter_map(|command| command.argument.clone())
        .collect();
    if targets.is_empty() && commands().any(|command| command.name == "popMode") {
        // Back to a mode that pushes this one.
        for other in all {
            let pushes = other.alternatives.iter().flat_map(|one| &one.1).any(|one| {
                one.name == "pushMode" && one.argument.as_deref() == Some(rule.mode.as_str())
            });
            if pushes && !targets.contains(&other.mode) {
                targets.push(other.mode.clone());
            }
        }
    }
    if targets.is_empty() {
        targets.push(rule.mode.clone());
    }
    targets
}

/// By mode: the texts of rules with `more` that may stand before a token.
pub fn prefixes(steps: &[MoreRule], all: &[G4Rule]) -> HashMap<String, Expression> {
    // The default mode, and the modes that a rule without `more` leads to.
    let mut entered: HashSet<String> = HashSet::from([DEFAULT.to_string()]);
    for rule in all {
        let has_more = rule
            .alternatives
            .iter()
            .flat_map(|one| &one.1)
            .any(|one| one.name == "more");
        if !has_more && !rule.is_fragment {
            entered.extend(targets(rule, all).into_iter().filter(|to| *to != rule.mode));
        }
    }
    let mut prefixes = HashMap::new();
    let modes: HashSet<&String> = steps.iter().map(|step| &step.to).collect();
    for mode in modes {
        let prefix = prefix(mode, steps, &entered, &mut Vec::new());
        prefixes.insert(mode.clone(), prefix);
    }
    prefixes
}

fn prefix(
    mode: &str,
    steps: &[MoreRule],
    entered: &HashSet<String>,
    open: &mut Vec<String>,
) -> Expression {
    open.push(mode.into());
    let mut ways = Vec::new();
    if entered.contains(mode) {
        ways.push(Expression::empty());
    }
    for step in steps.iter().filter(|step| step.to == mode) {
        // A path that returns to an earlier mode is left out.
        if open.len() < 8 && !open.contains(&step.from) {
            let before = prefix(&step.from, steps, entered, open);
            ways.push(Expression::sequence([before, step.body.clone()]));
        }
    }
    let stay: Vec<Expression> = steps
        .iter()
        .filter(|step| step.to == mode && step.from == mode)
        .map(|step| step.body.clone())
        .collect();
    open.pop();
    let mut parts = vec![Expression::choice(ways)];
    if !stay.is_empty() {
        parts.push(Expression::choice(stay).repeat(0, None));
    }
    Expression::sequence(parts)
}
