//! Finds the first characters of rules, and the characters that may follow a rule.

use std::collections::HashMap;

use crate::import::class::CharacterClass;
use crate::import::expression::{Expression, ForeignRule};

/// The maximum depth to which names are followed to find texts of one character.
const DEPTH: usize = 8;

/// The first characters of rules and what follows them, without layout.
pub struct Beginnings<'a> {
    bodies: HashMap<&'a str, &'a Expression>,
    firsts: HashMap<&'a str, Beginning>,
    follows: HashMap<&'a str, CharacterClass>,
}

/// The first characters of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beginning {
    pub characters: CharacterClass,
    /// Whether one of the texts is empty.
    pub may_be_empty: bool,
}

impl Beginning {
    fn new(characters: CharacterClass, may_be_empty: bool) -> Beginning {
        Beginning {
            characters,
            may_be_empty,
        }
    }

    /// The first characters of these texts, if a character of `next` follows them.
    fn before(&self, next: &CharacterClass) -> CharacterClass {
        match self.may_be_empty {
            true => self.characters.union(next),
            false => self.characters.clone(),
        }
    }
}

pub fn none() -> CharacterClass {
    CharacterClass::new([])
}

/// Whether an expression is any text.
fn is_any_text(expression: &Expression) -> bool {
    let any = Expression::Class(CharacterClass::any());
    *expression == any.repeat(0, None)
}

/// A class without the names of its properties, so equal classes are equal.
fn plain(class: &CharacterClass) -> CharacterClass {
    CharacterClass::new(class.ranges().iter().copied())
}

impl<'a> Beginnings<'a> {
    /// Finds the beginnings of some rules. Characters that follow outside of these rules do not
    /// count.
    pub fn new(rules: &[&'a ForeignRule]) -> Beginnings<'a> {
        let names = || rules.iter().map(|rule| &*rule.name);
        let mut all = Beginnings {
            bodies: rules.iter().map(|rule| (&*rule.name, &rule.body)).collect(),
            firsts: names()
                .map(|name| (name, Beginning::new(none(), false)))
                .collect(),
            follows: names().map(|name| (name, none())).collect(),
        };
        // Most rules use later ones, so these orders need few rounds.
        let mut is_done = false;
        while !std::mem::replace(&mut is_done, true) {
            for rule in rules.iter().rev() {
                let first = all.of(&rule.body);
                if all.firsts[&*rule.name] != first {
                    is_done = false;
                    all.firsts.insert(&rule.name, first);
                }
            }
        }
        let mut follows = std::mem::take(&mut all.follows);
        loop {
            let before = follows.clone();
            for rule in rules {
                let after = follows[&*rule.name].clone();
                all.add_follows(&rule.body, &after, &mut follows);
            }
            if follows == before {
                all.follows = follows;
                return all;
            }
        }
    }

    pub fn body(&self, name: &str) -> Option<&'a Expression> {
        self.bodies.get(name).copied()
    }

    /// The characters that may follow a rule.
    pub fn after(&self, name: &str) -> CharacterClass {
        self.follows.get(name).cloned().unwrap_or_else(none)
    }

    /// Returns the first characters of an expression. A rule that is not among the rules may begin
    /// with any character.
    pub fn of(&self, expression: &Expression) -> Beginning {
        match expression {
            Expression::Literal { text, insensitive } => match text.chars().next() {
                Some(c) if *insensitive => {
                    let both = [c.to_ascii_lowercase(), c.to_ascii_uppercase()];
                    Beginning::new(CharacterClass::of(&String::from_iter(both)), false)
                }
                Some(c) => Beginning::new(CharacterClass::of(&c.to_string()), false),
                None => Beginning::new(none(), true),
            },
            Expression::Class(class) => Beginning::new(plain(class), false),
            Expression::Name(name) => match self.firsts.get(&**name) {
                Some(first) => first.clone(),
                None => Beginning::new(CharacterClass::any(), false),
            },
            Expression::Sequence(parts) => {
                let all = parts.iter().map(|part| self.of(part));
                all.fold(Beginning::new(none(), true), |before, part| {
                    let characters = before.before(&part.characters);
                    Beginning::new(characters, before.may_be_empty && part.may_be_empty)
                })
            }
            Expression::Choice(parts) => {
                let all = parts.iter().map(|part| self.of(part));
                all.fold(Beginning::new(none(), false), |one, other| Beginning {
                    characters: one.characters.union(&other.characters),
                    may_be_empty: one.may_be_empty || other.may_be_empty,
                })
            }
            Expression::Repeat {
                element, at_least, ..
            } => {
                let first = self.of(element);
                Beginning::new(first.characters, first.may_be_empty || *at_least == 0)
            }
            Expression::Adjacent(inner) | Expression::Capture(_, inner) => self.of(inner),
            Expression::Same(_) => Beginning::new(CharacterClass::any(), true),
            Expression::Difference(from, without) => {
                let first = self.of(from);
                let may_be_empty = first.may_be_empty && !self.of(without).may_be_empty;
                Beginning::new(
                    first.characters.minus(&self.excluded(without)),
                    may_be_empty,
                )
            }
            Expression::Indent | Expression::Dedent => Beginning::new(none(), true),
        }
    }

    /// Returns the characters that may follow each part of a sequence. `after` may follow the
    /// sequence.
    pub fn after_parts(&self, parts: &[Expression], after: &CharacterClass) -> Vec<CharacterClass> {
        let mut next = after.clone();
        let mut all: Vec<CharacterClass> = Vec::new();
        for part in parts.iter().rev() {
            all.push(next.clone());
            next = self.of(part).before(&next);
        }
        all.reverse();
        all
    }

    /// Returns the characters for which `without` derives every text that begins with the
    /// character.
    fn excluded(&self, without: &Expression) -> CharacterClass {
        match without {
            Expression::Choice(parts) => {
                let all = parts.iter().map(|part| self.excluded(part));
                all.fold(none(), |one, other| one.union(&other))
            }
            Expression::Sequence(parts) => {
                let parts = match &parts[..] {
                    [first, rest @ ..] if is_any_text(first) => rest,
                    parts => parts,
                };
                match parts {
                    [one, rest] if is_any_text(rest) => self.single(one, 0),
                    _ => none(),
                }
            }
            _ => none(),
        }
    }

    /// The texts of one character that an expression derives.
    pub fn single(&self, expression: &Expression, depth: usize) -> CharacterClass {
        let all = |parts: &[Expression]| {
            let all = parts.iter().map(|part| self.single(part, depth));
            all.fold(none(), |one, other| one.union(&other))
        };
        match expression {
            Expression::Class(class) => plain(class),
            Expression::Literal { text, .. } if text.chars().count() == 1 => {
                self.of(expression).characters
            }
            Expression::Choice(parts) => all(parts),
            Expression::Sequence(parts) => {
                let mut filled = parts.iter().filter(|part| !self.of(part).may_be_empty);
                match (filled.next(), filled.next()) {
                    (Some(only), None) => self.single(only, depth),
                    (None, _) => all(parts),
                    _ => none(),
                }
            }
            Expression::Repeat {
                element, at_least, ..
            } if *at_least <= 1 => self.single(element, depth),
            Expression::Adjacent(inner) => self.single(inner, depth),
            Expression::Name(name) if depth < DEPTH => match self.body(name) {
                Some(body) => self.single(body, depth + 1),
                None => none(),
            },
            _ => none(),
        }
    }

    fn add_follows(
        &self,
        expression: &Expression,
        after: &CharacterClass,
        follows: &mut HashMap<&'a str, CharacterClass>,
    ) {
        match expression {
            Expression::Name(name) => {
                if let Some(class) = follows.get_mut(&**name) {
                    *class = class.union(after);
                }
            }
            Expression::Sequence(parts) => {
                let all = self.after_parts(parts, after);
                for (part, after) in parts.iter().zip(&all) {
                    self.add_follows(part, after, follows);
                }
            }
            Expression::Repeat {
                element, at_most, ..
            } => {
                let again = self.of(element).characters;
                let after = match at_most {
                    Some(1) => after.clone(),
                    _ => after.union(&again),
                };
                self.add_follows(element, &after, follows);
            }
            Expression::Difference(from, _) => self.add_follows(from, after, follows),
            other => {
                let parts = other.parts();
                parts
                    .into_iter()
                    .for_each(|part| self.add_follows(part, after, follows));
            }
        }
    }
}
