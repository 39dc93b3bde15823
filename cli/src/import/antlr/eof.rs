//! Handles `EOF` beside other alternatives, as in `end : ';' | EOF`, which matches only at the end of the text.

use std::collections::{HashMap, HashSet};

use super::element::{Element, G4Rule};
use crate::import::expression::Finding;
use crate::import::productive;

/// Returns the start rule: one with `EOF` that no other rule uses, or one whose alternatives all need `EOF`, or else
/// the first rule.
pub fn start(rules: &[G4Rule]) -> Option<&G4Rule> {
    let mut used: HashSet<&str> = HashSet::new();
    for rule in rules {
        used.extend(names(rule).filter(|name| *name != rule.name));
    }
    let has_end = |rule: &&G4Rule| rule.alternatives.iter().any(|one| contains_end(&one.0));
    let needs_end = |rule: &&G4Rule| rule.alternatives.iter().all(|one| needs_end(&one.0));
    let mut unused = rules.iter().filter(|rule| !used.contains(&*rule.name));
    let start = unused.find(has_end);
    start.or(rules.iter().find(needs_end)).or(rules.first())
}

fn names(rule: &G4Rule) -> impl Iterator<Item = &str> {
    let all = Element::all(rule.alternatives.iter().map(|one| &one.0)).into_iter();
    all.filter_map(|element| match element {
        Element::Name(name) => Some(&**name),
        _ => None,
    })
}

/// Whether an element contains `EOF`.
fn contains_end(element: &Element) -> bool {
    Element::all([element]).contains(&&Element::End)
}

/// Leaves out the alternatives that need the end of the text, where the text goes on and there are other
/// alternatives. Returns a warning that names their rules, if there are any.
pub fn leave_out(rules: &mut [G4Rule], start: Option<&str>) -> Option<Finding> {
    let inner = rules_inside(rules, start?);
    let mut changed = Vec::new();
    let mut location = None;
    for rule in rules.iter_mut() {
        let is_last = !inner.contains(&rule.name);
        let needs_end: Vec<bool> = rule
            .alternatives
            .iter()
            .map(|one| needs_end(&one.0))
            .collect();
        let mut is_changed = false;
        if !is_last && needs_end.contains(&true) && needs_end.contains(&false) {
            let mut needs_end = needs_end.into_iter();
            rule.alternatives
                .retain(|_| needs_end.next() == Some(false));
            is_changed = true;
        }
        for (element, _) in &mut rule.alternatives {
            is_changed |= prune(element, is_last);
        }
        if is_changed {
            location.get_or_insert(rule.location.clone());
            changed.push(rule.name.clone());
        }
    }
    Some(Finding::new(
        location?,
        format!("alternatives with EOF in {}", productive::listed(&changed)),
        "they were left out where the text goes on",
    ))
}

/// Returns the rules after which a text may go on.
fn rules_inside(rules: &[G4Rule], start: &str) -> HashSet<String> {
    let index: HashMap<&str, &G4Rule> = rules.iter().map(|rule| (&*rule.name, rule)).collect();
    let mut seen: HashSet<(&str, bool)> = HashSet::from([(start, true)]);
    let mut open = vec![(start, true)];
    while let Some((name, is_last)) = open.pop() {
        let alternatives = index
            .get(name)
            .into_iter()
            .flat_map(|rule| &rule.alternatives);
        let mut elements: Vec<(&Element, bool)> =
            alternatives.map(|one| (&one.0, is_last)).collect();
        while let Some((element, is_last)) = elements.pop() {
            match element {
                Element::Name(name) if seen.insert((name, is_last)) => open.push((name, is_last)),
                Element::Sequence(parts) => {
                    let last = last_part(parts);
                    let parts = parts.iter().enumerate();
                    elements.extend(parts.map(|(at, part)| (part, is_last && at >= last)));
                }
                Element::Choice(parts) => {
                    elements.extend(parts.iter().map(|part| (part, is_last)));
                }
                Element::Repeat {
                    element, at_most, ..
                } => {
                    elements.push((element, is_last && *at_most == Some(1)));
                }
                _ => {}
            }
        }
    }
    let inside = seen.into_iter().filter(|(_, is_last)| !is_last);
    inside.map(|(name, _)| name.to_string()).collect()
}

/// The index of the last part of a sequence that is neither `EOF` nor a predicate.
fn last_part(parts: &[Element]) -> usize {
    let is_read = |part: &Element| !matches!(part, Element::End | Element::Predicate);
    parts.iter().rposition(is_read).unwrap_or_default()
}

/// Whether an element needs the end of the text.
fn needs_end(element: &Element) -> bool {
    match element {
        Element::End => true,
        Element::Sequence(parts) => parts.iter().any(needs_end),
        Element::Choice(parts) => parts.iter().all(needs_end),
        Element::Repeat {
            element, at_least, ..
        } => *at_least > 0 && needs_end(element),
        _ => false,
    }
}

/// Leaves out alternatives that need the end of the text. `is_last` says that the text may end after the element.
/// Returns whether there were any.
fn prune(element: &mut Element, is_last: bool) -> bool {
    let mut is_changed = false;
    match element {
        Element::Choice(parts) => {
            if !is_last && parts.iter().any(needs_end) && !parts.iter().all(needs_end) {
                parts.retain(|part| !needs_end(part));
                is_changed = true;
            }
            for part in parts {
                is_changed |= prune(part, is_last);
            }
        }
        Element::Sequence(parts) => {
            let last = last_part(parts);
            for (at, part) in parts.iter_mut().enumerate() {
                is_changed |= prune(part, is_last && at >= last);
            }
        }
        Element::Repeat {
            element: inner,
            at_least,
            at_most,
            ..
        } => {
            let is_last = is_last && *at_most == Some(1);
            if *at_least == 0 && !is_last && needs_end(inner) {
                *element = Element::Sequence(Vec::new());
                return true;
            }
            is_changed |= prune(inner, is_last);
        }
        _ => {}
    }
    is_changed
}
