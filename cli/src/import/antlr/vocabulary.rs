//! The tokens of an ANTLR grammar, as its syntax rules use them.

use std::collections::{HashMap, HashSet};

use super::element::{Element, G4Rule};
use super::mode_layout::ModeLayout;
use super::modes::{self, MoreRule};
use crate::import::expression::{Expression, Finding, ForeignKind, ForeignRule};

/// The tokens, as syntax rules use them.
pub struct Vocabulary {
    /// The numbers of the modes of the tokens that are not of the default mode.
    pub modes: HashMap<String, u32>,
    /// The rules that return a token of a type.
    pub producers: HashMap<String, Vec<String>>,
    /// By literal: the token with only this text.
    pub aliases: HashMap<String, String>,
    /// The tokens that have no layout before them.
    adjacent: HashSet<String>,
    /// The rules with predicates.
    pub conditional: HashSet<String>,
    /// Warnings about layout that was left out.
    pub warnings: Vec<Finding>,
    /// The rules that are no tokens for the parser: fragments and layout.
    pub unseen: HashSet<String>,
    /// The types of all tokens, in order.
    pub types: Vec<String>,
    /// The literals of syntax rules that have no lexer rule.
    literals: Vec<Expression>,
}

impl Vocabulary {
    pub fn new(tokens: &[G4Rule]) -> Vocabulary {
        let mut names: Vec<&str> = vec![modes::DEFAULT];
        let mut vocabulary = Vocabulary {
            modes: HashMap::new(),
            producers: HashMap::new(),
            aliases: HashMap::new(),
            adjacent: HashSet::new(),
            conditional: HashSet::new(),
            warnings: Vec::new(),
            unseen: HashSet::new(),
            types: Vec::new(),
            literals: Vec::new(),
        };
        let mut several = HashSet::new();
        for rule in tokens.iter().filter(|rule| !rule.is_fragment) {
            let number = names.iter().position(|name| *name == rule.mode);
            let number = number.unwrap_or_else(|| {
                names.push(&rule.mode);
                names.len() - 1
            });
            if number > 0 {
                vocabulary
                    .modes
                    .insert(rule.name.clone(), u32::try_from(number).unwrap_or(u32::MAX));
            }
            if let [(Element::Literal(text), _)] = &rule.alternatives[..] {
                let before = vocabulary.aliases.insert(text.clone(), rule.name.clone());
                if before.is_some() {
                    several.insert(text.clone());
                }
            }
        }
        // A literal of two rules is the token of neither.
        vocabulary.aliases.retain(|text, _| !several.contains(text));
        vocabulary
    }

    /// Records which rules are no tokens, and which tokens have no layout before them.
    pub fn note(&mut self, lexical: &[ForeignRule], layout: &ModeLayout) {
        let mode = |rule: &ForeignRule| self.modes.get(&rule.name).copied().unwrap_or_default();
        let layout = &layout.modes;
        let has_layout = !layout.is_empty();
        for rule in lexical {
            if !matches!(rule.kind, ForeignKind::Token(_)) {
                self.unseen.insert(rule.name.clone());
            } else if has_layout && !layout.contains(&mode(rule)) {
                self.adjacent.insert(rule.name.clone());
            }
        }
    }

    pub fn add_literals(&mut self, syntax: &[G4Rule], insensitive: bool) {
        let mut seen = HashSet::new();
        let alternatives = syntax.iter().flat_map(|rule| &rule.alternatives);
        for element in Element::all(alternatives.map(|one| &one.0)) {
            match element {
                Element::Literal(text) if !self.aliases.contains_key(text) && seen.insert(text) => {
                    self.literals.push(Expression::Literal {
                        text: text.clone(),
                        insensitive,
                    });
                }
                _ => {}
            }
        }
        self.literals.reverse();
    }

    /// Returns the expression of a token in a syntax rule.
    pub fn token(&self, name: &str) -> Expression {
        let one = |name: &String| {
            let token = Expression::name(name.clone());
            match self.adjacent.contains(name) {
                true => token.adjacent(),
                false => token,
            }
        };
        let own = name.to_string();
        let others = self.producers.get(name).into_iter().flatten();
        let known = others.clone().next().is_some();
        // A name that only `tokens { … }` declares needs no rule if other rules return its type.
        let is_own = !self.unseen.contains(name) && (!known || self.types.contains(&own));
        let own = is_own.then_some(&own);
        Expression::choice(own.into_iter().chain(others).map(one))
    }

    /// Returns the expression of all tokens except those in `without`.
    pub fn others(&self, without: &[&Element]) -> Expression {
        let names: HashSet<&str> = without
            .iter()
            .filter_map(|one| match one {
                Element::Name(name) => Some(&**name),
                Element::Literal(text) => self.aliases.get(text).map(|name| &**name),
                _ => None,
            })
            .collect();
        let is_left = |literal: &&Expression| {
            let Expression::Literal { text, .. } = literal else {
                return false;
            };
            !without
                .iter()
                .any(|one| matches!(one, Element::Literal(other) if other == text))
        };
        let literals = self.literals.iter().filter(is_left).cloned();
        let tokens = self.types.iter().filter(|name| !names.contains(&***name));
        Expression::choice(
            literals
                .chain(tokens.map(|name| self.token(name)))
                .collect::<Vec<_>>(),
        )
    }

    /// Gives a token the mode in which the first of its parts is read.
    pub fn begin(&mut self, name: &str, mode: &str, steps: &[MoreRule], tokens: &[G4Rule]) {
        let from = steps
            .iter()
            .find(|step| step.to == mode && step.from != mode);
        let Some(from) = from else { return };
        let sibling = tokens
            .iter()
            .find(|rule| rule.mode == from.from && !rule.is_fragment);
        match sibling.and_then(|rule| self.modes.get(&rule.name).copied()) {
            Some(number) => self.modes.insert(name.into(), number),
            None => self.modes.remove(name),
        };
    }
}
