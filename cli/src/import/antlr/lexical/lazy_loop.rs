//! Non-greedy loops of single characters and of longer texts, such as `(ESC | .)*? '"'`.
//!
//! A lexer tries the longer texts first. Where none of them matches, it reads their first character as a single
//! character: the `\` of `"c:\dir"`, if `\d` is no escape. In the same way, the first character of an end with
//! two characters is a character of the loop if the second one does not follow: the `*` of `/* 2*3 */`.

use super::super::element::Element;
use super::{End, Lexical};
use crate::import::class::CharacterClass;
use crate::import::expression::Expression;

/// Whether the characters of a class are all in another class, or none of them is. [`None`] if only some are.
fn always(class: &CharacterClass, other: &CharacterClass) -> Option<bool> {
    match class.meets(other) {
        false => Some(false),
        true => class.is_within(other).then_some(true),
    }
}

/// The loop and what may follow it, as classes.
struct LazyLoop {
    /// The single characters.
    any: CharacterClass,
    /// The first and the second characters of the longer texts.
    first: CharacterClass,
    second: CharacterClass,
    longer: Vec<Expression>,
    /// The first characters of the end, and the second ones if all ends have two characters.
    end: CharacterClass,
    end_second: Option<CharacterClass>,
}

/// Returns the expression of a loop before one of `ends`, which follow it. Returns [`None`] if the loop is not
/// one of characters and of longer texts that begin with the same characters, or if more than two characters
/// decide where it ends.
pub fn read(
    lexical: &mut Lexical,
    element: &Element,
    ends: &[End],
    at_least: u32,
) -> Option<Expression> {
    let mut alternatives = Vec::new();
    lexical.flatten(element, 0, &mut alternatives);
    let (mut single, mut firsts, mut seconds, mut longer) = (vec![], vec![], vec![], vec![]);
    for one in &alternatives {
        if let Some(class) = lexical.class(one) {
            single.push(class);
            continue;
        }
        for text in lexical.ends(std::slice::from_ref(one), 0)? {
            let [first, second, ..] = &text.classes[..] else {
                return None;
            };
            firsts.push(first.clone());
            seconds.push(second.clone());
        }
        longer.push(lexical.expression(one));
    }
    let first = firsts.first()?.clone();
    let end_second = match ends {
        [end] if end.classes.len() == 2 && !end.is_open => Some(end.classes[1].clone()),
        _ => None,
    };
    let end: Vec<_> = ends.iter().map(|end| end.classes[0].clone()).collect();
    let has_only = |class: &CharacterClass| ends.iter().any(|end| end.classes == [class.clone()]);
    let is_clear = firsts.iter().all(|one| *one == first)
        && (end_second.is_some() || end.iter().all(has_only));
    let found = LazyLoop {
        any: CharacterClass::union_of(&single),
        first,
        second: CharacterClass::union_of(&seconds),
        longer,
        end: CharacterClass::union_of(&end),
        end_second,
    };
    is_clear.then(|| found.expression(at_least)).flatten()
}

impl LazyLoop {
    fn expression(self, at_least: u32) -> Option<Expression> {
        let class = |class: &CharacterClass| Expression::Class(class.clone());
        let many = |class: &CharacterClass| Expression::Class(class.clone()).repeat(1, None);
        if !self.first.is_within(&self.any) || self.first.meets(&self.end) {
            return None;
        }
        // After a first character that begins no longer text, another one, or the end, may begin.
        let again = !always(&self.first, &self.second)?;
        let to_end = !always(&self.end, &self.second)?;
        let begun = if again {
            many(&self.first)
        } else {
            class(&self.first)
        };
        let mut parts = Vec::new();
        let mut add = |before: &[Expression], last: CharacterClass| {
            if !last.is_empty() {
                let all = before.iter().cloned();
                parts.push(Expression::sequence(all.chain([Expression::Class(last)])));
            }
        };
        let neither = self.any.minus(&self.first).minus(&self.end);
        let mut before: Vec<Expression> = Vec::new();
        let mut tail: Vec<Expression> = Vec::new();
        if let Some(second) = &self.end_second {
            // First characters of the end and of longer texts may alternate.
            if !self.end.is_within(&self.any) {
                return None;
            }
            let to_first = !always(&self.first, second)?;
            let end_again = !always(&self.end, second)?;
            let ended = if end_again {
                many(&self.end)
            } else {
                class(&self.end)
            };
            let turns = |one: &Expression, other: &Expression| {
                Expression::sequence([one.clone(), other.clone()]).repeat(0, None)
            };
            let mut before_end = Vec::new();
            if to_first {
                before.push(ended.clone().optional());
            }
            if to_end {
                before_end.push(begun.clone().optional());
            }
            if to_first && to_end {
                before.push(turns(&begun, &ended));
                before_end.push(turns(&ended, &begun));
            }
            tail.extend(before_end.iter().cloned());
            if end_again {
                tail.push(class(&self.end).repeat(0, None));
            }
            before_end.push(ended);
            add(&before_end, neither.minus(second));
        } else if to_end {
            tail.push(begun.clone().optional());
        }
        let mut before_longer = before.clone();
        if again {
            before_longer.push(class(&self.first).repeat(0, None));
        }
        before.push(begun);
        add(&before, neither.minus(&self.second));
        add(&[], neither.clone());
        let longer = Expression::choice(self.longer);
        let longer = Expression::sequence(before_longer.into_iter().chain([longer]));
        let body = Expression::choice([longer].into_iter().chain(parts.into_iter().rev()));
        let body = body.repeat(at_least, None);
        Some(Expression::sequence([body].into_iter().chain(tail)))
    }
}
