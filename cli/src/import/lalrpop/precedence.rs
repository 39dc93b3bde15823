//! Rules with `#[precedence]` and `#[assoc]`: a rule for each level, as LALRPOP itself makes them.

use std::collections::HashSet;
use std::ops::Range;

use super::super::names;
use super::syntax::{Alternative, GrammarSymbol, Nonterminal};

/// The names that replace the rule in its own alternatives.
struct Replacement<'a> {
    rule: &'a str,
    /// The name for the first occurrence.
    first: &'a str,
    /// The name for the other occurrences.
    others: &'a str,
    is_first: bool,
}

/// Makes a rule for each level. The rule of the loosest binding comes first, and has the name of
/// the original rule. A rule without levels stays as it is.
///
/// # Errors
/// The span of the alternative whose attribute has no number or no side.
pub fn expand(
    rule: &Nonterminal,
    taken: &mut HashSet<String>,
) -> Result<Vec<Nonterminal>, Range<usize>> {
    let has_attribute = |one: &Alternative| one.level.is_some() || one.side.is_some();
    if !rule.parameters.is_empty() || !rule.alternatives.iter().any(has_attribute) {
        return Ok(vec![rule.clone()]);
    }
    let (mut level, mut side) = (0_u32, "all");
    let mut with_level = Vec::new();
    for alternative in &rule.alternatives {
        if let Some(text) = &alternative.level {
            level = text.parse().map_err(|_| alternative.span.clone())?;
            side = "all";
        }
        if let Some(text) = &alternative.side {
            if !["left", "right", "none", "all"].contains(&&**text) {
                return Err(alternative.span.clone());
            }
            side = text;
        }
        with_level.push((level, side, alternative));
    }
    let mut levels: Vec<u32> = with_level.iter().map(|(level, ..)| *level).collect();
    levels.sort_unstable();
    levels.dedup();
    let mut rules: Vec<Nonterminal> = Vec::new();
    for level in &levels {
        let is_last = levels.last() == Some(level);
        let name = match is_last {
            true => rule.name.clone(),
            false => names::take(&format!("{}{level}", rule.name), taken),
        };
        let tighter = rules.last().map(|rule| rule.name.clone());
        let below = tighter.as_ref().unwrap_or(&name);
        let mut alternatives = Vec::new();
        for (_, side, alternative) in with_level.iter().filter(|(of, ..)| of == level) {
            let (first, others) = match *side {
                "left" | "right" => (&name, below),
                "none" => (below, below),
                _ => (&name, &name),
            };
            let mut replacement = Replacement {
                rule: &rule.name,
                first,
                others,
                is_first: true,
            };
            let mut alternative = (*alternative).clone();
            replacement.replace(&mut alternative.symbols, *side == "right");
            alternatives.push(alternative);
        }
        if let Some(name) = tighter {
            alternatives.push(Alternative {
                symbols: vec![GrammarSymbol::Use {
                    name,
                    arguments: Vec::new(),
                    span: rule.span.clone(),
                }],
                span: rule.span.clone(),
                ..Alternative::default()
            });
        }
        rules.push(Nonterminal {
            name,
            is_public: rule.is_public && is_last,
            alternatives,
            comments: Vec::new(),
            ..rule.clone()
        });
    }
    // The rule itself comes first, as in the source.
    rules.reverse();
    if let Some(first) = rules.first_mut() {
        first.comments.clone_from(&rule.comments);
    }
    Ok(rules)
}

impl Replacement<'_> {
    fn replace(&mut self, symbols: &mut [GrammarSymbol], is_backward: bool) {
        let count = symbols.len();
        for at in 0..count {
            let at = if is_backward { count - 1 - at } else { at };
            match &mut symbols[at] {
                GrammarSymbol::Use {
                    name, arguments, ..
                } => {
                    if *name == self.rule && arguments.is_empty() {
                        let new = if self.is_first {
                            self.first
                        } else {
                            self.others
                        };
                        *name = new.into();
                        self.is_first = false;
                    }
                    self.replace(arguments, is_backward);
                }
                GrammarSymbol::Group(symbols) => self.replace(symbols, is_backward),
                GrammarSymbol::Repeated(symbol, _) => {
                    self.replace(std::slice::from_mut(&mut **symbol), is_backward);
                }
                GrammarSymbol::Literal(_)
                | GrammarSymbol::Regex(..)
                | GrammarSymbol::Recovery(_) => {}
            }
        }
    }
}
