//! The layout of the modes of a lexer. The layout of zester's notation is the same everywhere.

use std::collections::{HashMap, HashSet};

use crate::import::expression::{Expression, Finding, ForeignKind, ForeignRule, by_name};
use crate::import::regular::Automaton;
use crate::import::{joined, names, pairs, productive};

/// The layout of each mode.
#[derive(Default)]
pub struct ModeLayout {
    /// The modes before whose tokens layout may stand.
    pub modes: HashSet<u32>,
    /// The layout rules of each mode that does not have all of the common layout.
    own: HashMap<u32, Vec<String>>,
    /// A warning about layout that was left out.
    pub warning: Option<Finding>,
}

impl ModeLayout {
    /// Finds the layout of each mode. The common layout is that of the default mode, or else that of the mode with
    /// the most tokens. Layout rules of other modes become fragments.
    pub fn new(rules: &mut [ForeignRule], modes: &HashMap<String, u32>) -> ModeLayout {
        let mode = |rule: &ForeignRule| modes.get(&rule.name).copied().unwrap_or_default();
        let mut layout: HashMap<u32, Vec<usize>> = HashMap::new();
        let mut tokens: HashMap<u32, usize> = HashMap::new();
        for (at, rule) in rules.iter().enumerate() {
            match rule.kind {
                ForeignKind::Layout(_) => layout.entry(mode(rule)).or_default().push(at),
                _ => *tokens.entry(mode(rule)).or_default() += 1,
            }
        }
        let size = |mode: &u32| (*mode == 0, tokens.get(mode), std::cmp::Reverse(*mode));
        let mut found = ModeLayout {
            modes: layout.keys().copied().collect(),
            ..ModeLayout::default()
        };
        let Some(common) = layout.keys().copied().max_by_key(size) else {
            return found;
        };
        let copies = rules.to_vec();
        let by_name = by_name(&copies);
        // The texts of layout between two tokens of a mode, except the empty text.
        let all_of = |mode: u32| {
            let names = layout[&mode].iter().map(|&at| &*copies[at].name);
            let all = Expression::choice(names.map(Expression::name)).repeat(1, None);
            Automaton::new(&all, &by_name).ok()
        };
        let common_texts = all_of(common);
        let mut left_out = Vec::new();
        let mut others: Vec<u32> = layout
            .keys()
            .copied()
            .filter(|mode| *mode != common)
            .collect();
        others.sort_unstable();
        for mode in others {
            let shares = match (&common_texts, all_of(mode)) {
                (Some(common), Some(own)) => common.is_within(&[&own]),
                _ => false,
            };
            if shares {
                // Only layout that shares no text with the common layout needs a warning.
                left_out.extend(layout[&mode].iter().copied().filter(|&at| {
                    let one = Automaton::new(&copies[at].body, &by_name);
                    match (one, &common_texts) {
                        (Ok(one), Some(common)) => !common.overlaps(&one),
                        _ => true,
                    }
                }));
            } else {
                let names = layout[&mode].iter().map(|&at| rules[at].name.clone());
                found.own.insert(mode, names.collect());
            }
            for &at in &layout[&mode] {
                rules[at].kind = ForeignKind::Fragment;
            }
        }
        let names: Vec<String> = left_out.iter().map(|&at| rules[at].name.clone()).collect();
        found.warning = left_out.first().map(|&at| {
            Finding::new(
                rules[at].location.clone(),
                format!("layout of other modes: {}", productive::listed(&names)),
                "it was left out, because it is no layout in the first mode",
            )
        });
        found
    }

    /// Writes layout of its own before each token of a mode that lacks some of the common layout. It is optional,
    /// except between tokens that the lexer would join.
    pub fn write_before_tokens(&self, rules: &mut Vec<ForeignRule>, modes: &HashMap<String, u32>) {
        if self.own.is_empty() {
            return;
        }
        let mut taken: HashSet<String> = rules.iter().map(|rule| rule.name.clone()).collect();
        let joined = joined_tokens(rules, modes);
        let mut added = HashMap::new();
        for (&mode, layout) in &self.own {
            let name = names::take(&format!("layout_{mode}"), &mut taken);
            let all = Expression::choice(layout.iter().map(Expression::name));
            let body = all.repeat(1, None);
            added.insert(mode, ForeignRule::new(name, ForeignKind::Fragment, body));
        }
        for rule in rules
            .iter_mut()
            .filter(|rule| rule.kind == ForeignKind::Syntax)
        {
            rule.body.visit_mut(&mut |part| {
                let Expression::Name(name) = part else { return };
                let mode = modes.get(name).copied().unwrap_or_default();
                let Some(layout) = added.get(&mode) else {
                    return;
                };
                let layout = Expression::name(&layout.name);
                let layout = match joined.contains(name) {
                    true => layout,
                    false => layout.optional(),
                };
                let token = Expression::name(&*name).adjacent();
                *part = Expression::sequence([layout.adjacent(), token]);
            });
        }
        let mut added: Vec<(u32, ForeignRule)> = added.into_iter().collect();
        added.sort_by_key(|(mode, _)| *mode);
        rules.extend(added.into_iter().map(|(_, rule)| rule));
    }
}

/// Returns the tokens that the lexer joins with a token of the same mode before them.
fn joined_tokens(rules: &[ForeignRule], modes: &HashMap<String, u32>) -> HashSet<String> {
    let by_name = by_name(rules);
    let mut tokens: HashMap<&str, (u32, Automaton)> = HashMap::new();
    for rule in rules
        .iter()
        .filter(|rule| matches!(rule.kind, ForeignKind::Token(_)))
    {
        if let Ok(automaton) = Automaton::new(&rule.body, &by_name) {
            let mode = modes.get(&rule.name).copied().unwrap_or_default();
            tokens.insert(&rule.name, (mode, automaton));
        }
    }
    let mut joined = HashSet::new();
    for (one, other) in pairs::find(rules).unwrap_or_default() {
        let (Expression::Name(one), Expression::Name(other)) = (one, other) else {
            continue;
        };
        let (Some((mode, first)), Some((same, second))) =
            (tokens.get(&**one), tokens.get(&**other))
        else {
            continue;
        };
        if mode != same || *mode == 0 || joined.contains(other) {
            continue;
        }
        let of_mode = tokens.values().filter(|token| token.0 == *mode);
        let of_mode: Vec<&Automaton> = of_mode.map(|token| &token.1).collect();
        let texts = (first.shortest(), second.shortest());
        if let (Some(first), Some(second)) = texts
            && joined::joins(&first, &second, &of_mode).is_some()
        {
            joined.insert(other.clone());
        }
    }
    joined
}
