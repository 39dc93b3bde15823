//! Makes expressions from lexer rules.

mod lazy_loop;

use std::cell::Cell;
use std::collections::HashMap;

use super::classes;
use super::element::{Element, G4Rule};
use crate::import::class::CharacterClass;
use crate::import::expression::{Expression, Finding};

/// The maximum depth to which names are followed.
const DEPTH: usize = 12;

/// The maximum number of alternatives of a loop, where names are followed.
const ALTERNATIVES: usize = 64;

/// The maximum number of sequences that are examined for one rule.
const WORK: usize = 20_000;

/// The maximum number of texts that may follow a loop.
const ENDS: usize = 32;

/// A text that may follow a loop, as the classes of its characters.
pub struct End {
    pub classes: Vec<CharacterClass>,
    /// Whether the text may go on.
    pub is_open: bool,
}

/// Makes expressions of the parts of one lexer rule.
pub struct Lexical<'a> {
    pub rules: &'a HashMap<String, G4Rule>,
    /// The classes of the rules that are one character.
    pub classes: &'a HashMap<String, CharacterClass>,
    /// The number of sequences that were examined.
    pub work: Cell<usize>,
    pub insensitive: bool,
    /// Warnings about what was not carried over.
    pub warnings: Vec<Finding>,
    pub rule: &'a G4Rule,
}

impl Lexical<'_> {
    fn warn(&mut self, message: &str, label: &str) {
        Finding::new(self.rule.location.clone(), message, label).add_once(&mut self.warnings);
    }

    /// Returns the expression of an element.
    pub fn expression(&mut self, element: &Element) -> Expression {
        match element {
            Element::Literal(text) => classes::literal(text, self.insensitive),
            Element::Set(_) | Element::Any | Element::Not(_) => match self.class(element) {
                Some(class) => Expression::Class(class),
                None => {
                    self.warn(
                        "a complement is not one of characters",
                        "its alternative was left out",
                    );
                    Expression::never()
                }
            },
            Element::Name(name) => Expression::name(name.clone()),
            Element::End => Expression::never(),
            Element::Predicate => Expression::empty(),
            Element::Sequence(parts) => self.sequence(parts),
            Element::Choice(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.expression(part)).collect();
                Expression::choice(parts)
            }
            Element::Repeat {
                element: inner,
                at_least,
                at_most,
                greedy,
            } => match greedy {
                true => self.expression(inner).repeat(*at_least, *at_most),
                false => self.sequence(std::slice::from_ref(element)),
            },
        }
    }

    fn sequence(&mut self, parts: &[Element]) -> Expression {
        let mut all = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            match part {
                Element::Repeat {
                    element,
                    at_least,
                    at_most,
                    greedy: false,
                } => {
                    let (body, is_whole) =
                        self.lazy(element, (*at_least, *at_most), &parts[at + 1..]);
                    all.push(body);
                    if is_whole {
                        break;
                    }
                }
                part => all.push(self.expression(part)),
            }
        }
        Expression::sequence(all)
    }

    /// Returns the expression of a non-greedy loop before `rest`, and whether it contains `rest`.
    fn lazy(
        &mut self,
        element: &Element,
        (at_least, at_most): (u32, Option<u32>),
        rest: &[Element],
    ) -> (Expression, bool) {
        let Some(mut ends) = self.ends(rest, 0) else {
            self.warn(
                "a non-greedy loop is followed by too many texts",
                "it was read as a greedy one",
            );
            return (self.expression(element).repeat(at_least, at_most), false);
        };
        if rest.is_empty() || ends.iter().any(|end| end.classes.is_empty()) {
            // The loop ends as soon as it can.
            let least = self.expression(element).repeat(at_least, Some(at_least));
            return (
                if at_least == 0 {
                    Expression::empty()
                } else {
                    least
                },
                false,
            );
        }
        let first = ends.iter().fold(CharacterClass::new([]), |all, end| {
            all.union(&end.classes[0])
        });
        let Some(class) = self.class(element) else {
            if let (Some(read), None, 0 | 1) = (
                lazy_loop::read(self, element, &ends, at_least),
                at_most,
                at_least,
            ) {
                return (read, false);
            }
            let inner = self.alternatives(element, &first);
            return (inner.repeat(at_least, at_most), false);
        };
        if at_most == Some(1) {
            let one = Expression::Class(class.minus(&first));
            return (one.repeat(at_least, at_most), false);
        }
        let single = ends
            .iter()
            .filter(|end| end.classes.len() == 1)
            .fold(CharacterClass::new([]), |all, end| {
                all.union(&end.classes[0])
            });
        let is_within = |class: &CharacterClass| class.minus(&single).is_empty();
        ends.retain(|end| end.classes.len() > 1 && !end.classes.iter().any(is_within));
        let class = class.minus(&single);
        if ends.is_empty() {
            return (Expression::Class(class).repeat(at_least, at_most), false);
        }
        let text: Option<String> = ends[0].classes.iter().map(CharacterClass::only).collect();
        if let (1, true, false, Some(text)) = (ends.len(), single.is_empty(), ends[0].is_open, text)
        {
            let until = Expression::until(&class, &text);
            let least = (0..at_least).map(|_| Expression::Class(class.clone()));
            return (Expression::sequence(least.chain([until])), true);
        }
        let any = || Expression::Class(class.clone()).repeat(0, None);
        let ends = ends
            .into_iter()
            .map(|end| Expression::sequence(end.classes.into_iter().map(Expression::Class)));
        let with = Expression::sequence([any(), Expression::choice(ends), any()]);
        let body = Expression::Class(class.clone()).repeat(at_least, at_most);
        (
            Expression::Difference(Box::new(body), Box::new(with)),
            false,
        )
    }

    /// The alternatives of a loop before a character of `end`, without those that only begin with
    /// such a character.
    fn alternatives(&mut self, element: &Element, end: &CharacterClass) -> Expression {
        let mut alternatives = Vec::new();
        self.flatten(element, 0, &mut alternatives);
        let mut taken = end.clone();
        let mut classes = Vec::new();
        let mut kept = Vec::new();
        for one in &alternatives {
            if let Some(class) = self.class(one) {
                classes.push(class);
                continue;
            }
            match self.first(one, 0) {
                Some(first) => {
                    if first.minus(end).is_empty() {
                        // The loop ends instead.
                        continue;
                    }
                    taken = taken.union(&first);
                }
                None => self.warn(
                    "a non-greedy loop has alternatives that cannot be compared with its end",
                    "some of its texts may be read differently",
                ),
            }
            kept.push(self.expression(one));
        }
        for class in classes {
            kept.push(Expression::Class(class.minus(&taken)));
        }
        Expression::choice(kept)
    }

    /// Adds the alternatives of an element. A rule with a non-greedy loop of its own stays a name.
    pub fn flatten(&self, element: &Element, depth: usize, all: &mut Vec<Element>) {
        match element {
            Element::Choice(parts) => parts.iter().for_each(|part| self.flatten(part, depth, all)),
            Element::Name(name)
                if depth < DEPTH && all.len() < ALTERNATIVES && self.class(element).is_none() =>
            {
                match self.rules.get(name) {
                    Some(rule) if rule.alternatives.len() > 1 && !has_lazy_loop(rule) => {
                        for (part, _) in &rule.alternatives {
                            self.flatten(part, depth + 1, all);
                        }
                    }
                    _ => all.push(element.clone()),
                }
            }
            other => all.push(other.clone()),
        }
    }

    /// The class of an element that is one character.
    pub fn class(&self, element: &Element) -> Option<CharacterClass> {
        classes::of(element, self.insensitive, self.classes)
    }

    /// The first characters of an element. Returns [`None`] if it may be empty, or if it has too
    /// many texts.
    fn first(&self, element: &Element, depth: usize) -> Option<CharacterClass> {
        let ends = self.ends(std::slice::from_ref(element), depth)?;
        let mut all = CharacterClass::new([]);
        for end in ends {
            all = all.union(end.classes.first()?);
        }
        Some(all)
    }

    /// The beginnings of the texts of a sequence. Returns [`None`] if there are too many.
    pub fn ends(&self, parts: &[Element], depth: usize) -> Option<Vec<End>> {
        self.work.set(self.work.get() + 1);
        if self.work.get() > WORK {
            return None;
        }
        let mut ends = vec![End {
            classes: Vec::new(),
            is_open: false,
        }];
        if depth > DEPTH {
            ends[0].is_open = true;
            return Some(ends);
        }
        for part in parts {
            if ends.iter().all(|end| end.is_open) {
                break;
            }
            let next = self.ends_of(part, depth)?;
            let mut longer = Vec::new();
            for end in ends {
                if end.is_open {
                    longer.push(end);
                    continue;
                }
                for tail in &next {
                    let classes = end.classes.iter().chain(&tail.classes).take(8);
                    let classes: Vec<_> = classes.cloned().collect();
                    longer.push(End {
                        is_open: tail.is_open || classes.len() == 8,
                        classes,
                    });
                }
            }
            if longer.len() > ENDS {
                return None;
            }
            ends = longer;
        }
        Some(ends)
    }

    fn ends_of(&self, part: &Element, depth: usize) -> Option<Vec<End>> {
        if let Some(class) = self.class(part) {
            return Some(vec![End {
                classes: vec![class],
                is_open: false,
            }]);
        }
        match part {
            Element::Literal(text) => {
                let characters: Vec<Element> = text
                    .chars()
                    .map(|c| Element::Literal(c.to_string()))
                    .collect();
                self.ends(&characters, depth + 1)
            }
            Element::Sequence(parts) => self.ends(parts, depth + 1),
            Element::Choice(parts) => self.all_ends(parts.iter(), depth),
            Element::Name(name) => match self.rules.get(name) {
                Some(rule) => self.all_ends(rule.alternatives.iter().map(|one| &one.0), depth),
                None => None,
            },
            Element::End => Some(Vec::new()),
            Element::Predicate => self.ends(&[], depth),
            Element::Repeat {
                element,
                at_least,
                at_most,
                ..
            } => {
                let mut ends = self.ends(std::slice::from_ref(&**element), depth + 1)?;
                if *at_most != Some(1) {
                    ends.iter_mut().for_each(|end| end.is_open = true);
                }
                if *at_least == 0 {
                    ends.push(End {
                        classes: Vec::new(),
                        is_open: false,
                    });
                }
                Some(ends)
            }
            Element::Set(_) | Element::Any | Element::Not(_) => None,
        }
    }

    fn all_ends<'e>(
        &self,
        parts: impl Iterator<Item = &'e Element>,
        depth: usize,
    ) -> Option<Vec<End>> {
        let mut all = Vec::new();
        for part in parts {
            all.extend(self.ends(std::slice::from_ref(part), depth + 1)?);
            if all.len() > ENDS {
                return None;
            }
        }
        Some(all)
    }
}

/// Whether a rule contains a non-greedy loop.
fn has_lazy_loop(rule: &G4Rule) -> bool {
    let mut all = Element::all(rule.alternatives.iter().map(|one| &one.0)).into_iter();
    all.any(|element| matches!(element, Element::Repeat { greedy: false, .. }))
}
