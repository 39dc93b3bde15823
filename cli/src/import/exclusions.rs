//! Checks the exclusions `a - b` that readers have made, and adds the ends of lines to layout.

use std::collections::HashMap;

use super::class::CharacterClass;
use super::expression::{Expression, ForeignGrammar, ForeignKind, by_name};
use super::regular::Automaton;

/// Leaves out exclusions that exclude nothing, and those that zester cannot compute. An exclusion of all
/// texts becomes an expression that derives nothing.
pub fn check(grammar: &mut ForeignGrammar) {
    let copies = grammar.rules.clone();
    let rules = by_name(&copies);
    for rule in &mut grammar.rules {
        let (mut failed, mut empty) = (false, false);
        rule.body.visit_mut(&mut |part| {
            let Expression::Difference(from, without) = part else {
                return;
            };
            let automata = (
                Automaton::new(from, &rules),
                Automaton::new(without, &rules),
            );
            let (Ok(one), Ok(other)) = automata else {
                failed = true;
                *part = (**from).clone();
                return;
            };
            if !one.overlaps(&other) {
                *part = (**from).clone();
            } else if one.is_within(&[&other]) {
                empty = true;
                *part = Expression::never();
            }
        });
        if failed {
            rule.warn(
                "an exclusion was left out",
                "texts that it refuses are written, too, because a part of it is not regular",
            );
        }
        if empty {
            rule.warn(
                "an alternative that is never taken",
                "an earlier one takes all of its texts",
            );
        }
    }
}

/// Adds a line feed to layout that goes on to the end of the line, because the next token would become a
/// part of it; and to such tokens, if a line feed is layout.
pub fn end_lines(grammar: &mut ForeignGrammar) {
    let copies = grammar.rules.clone();
    let rules = by_name(&copies);
    let is_layout = |kind| matches!(kind, ForeignKind::Layout(_));
    // Layout that derives only the empty text is ignored.
    let is_empty = |body: &Expression| {
        Automaton::new(body, &rules).is_ok_and(|automaton| automaton.is_within(&[]))
    };
    for rule in &mut grammar.rules {
        if is_layout(rule.kind) && is_empty(&rule.body) {
            rule.kind = ForeignKind::Fragment;
        }
    }
    let is_white = |body: &Expression| {
        Automaton::new(body, &rules).is_ok_and(|automaton| automaton.accepts("\n"))
    };
    let has_line_feeds = grammar
        .rules
        .iter()
        .any(|rule| is_layout(rule.kind) && is_white(&rule.body));
    for rule in &mut grammar.rules {
        let is_token = matches!(rule.kind, ForeignKind::Token(_));
        if is_layout(rule.kind) || is_token && has_line_feeds {
            end_line(&mut rule.body, &rules);
        }
    }
}

fn end_line(body: &mut Expression, rules: &HashMap<&str, &Expression>) {
    if let Expression::Choice(parts) = body {
        parts.iter_mut().for_each(|part| end_line(part, rules));
        return;
    }
    let Ok(automaton) = Automaton::new(body, rules) else {
        return;
    };
    let goes_on = |text: &String| {
        let accepts = |more: &&str| automaton.accepts(&format!("{text}{more}"));
        ["x", " x(", ";\"x", "'}>"].iter().all(accepts) && !accepts(&"\nx")
    };
    if automaton.shortest().is_some_and(|text| goes_on(&text)) {
        let line_feed = Expression::Class(CharacterClass::of("\n"));
        *body = Expression::sequence([body.clone(), line_feed]);
    }
}
