//! Removes texts of tokens that a PEG reads differently, because its choices are greedy.
//!
//! In `"\\" ~ ("n" | "\"")? ~ "\""`, a quote after the backslash always matches the optional part. So each expression
//! is read with the set of characters that must not be its first one, and returns its texts by the set of characters
//! that must not follow them. For example, the character after an omitted optional part must not begin that part, and
//! after `"{#"` in `"{#-" | "{#"` there must be no `-`. A rule whose texts have different sets becomes several rules.
//! Grammars without layout are read as one token.

use std::collections::{HashMap, HashSet};

use super::beginnings::{Beginnings, none};
use crate::import::class::CharacterClass;
use crate::import::expression::{Expression, ForeignGrammar, ForeignKind, ForeignRule};
use crate::import::names;

/// The maximum number of rules that are read.
const MAX_RULES: usize = 500;

/// The maximum number of readings of rules.
const MAX_READINGS: usize = 1_000;

/// The maximum number of rounds of the search for endings.
const MAX_ROUNDS: usize = 30;

/// The maximum number of rules that may be too complex. If there are more, no rule is changed.
const MAX_KEPT: usize = 20;

/// The first character of the temporary names of readings.
const MARK: char = '\0';

/// Excludes the texts that the parser would read in another way. A rule that is too complex, or that would have no text
/// left, stays as it is.
pub fn exclude(grammar: &mut ForeignGrammar) {
    let has_layout = |rule: &ForeignRule| matches!(rule.kind, ForeignKind::Layout(_));
    let is_token =
        |rule: &ForeignRule| matches!(rule.kind, ForeignKind::Token(_) | ForeignKind::Fragment);
    let is_character_wise = !grammar.rules.iter().any(has_layout);
    let is_read = |rule: &&ForeignRule| is_character_wise || is_token(rule);
    let rules: Vec<&ForeignRule> = grammar.rules.iter().filter(is_read).collect();
    if rules.len() > MAX_RULES {
        return;
    }
    let mut readings = Readings {
        beginnings: Beginnings::new(&rules),
        keys: Vec::new(),
        endings: HashMap::new(),
        kept: HashSet::new(),
    };
    while let Err(rule) = readings.find(&rules) {
        let is_new = rule.is_some_and(|rule| readings.kept.insert(rule));
        if !is_new || readings.kept.len() > MAX_KEPT {
            return;
        }
    }
    let taken = grammar.rules.iter().map(|rule| rule.name.clone()).collect();
    let (changed, mut added) = readings.rules(&rules, taken);
    for rule in &mut grammar.rules {
        if let Some(body) = changed.get(&rule.name) {
            rule.body = body.clone();
        }
    }
    grammar.rules.append(&mut added);
}

/// A rule, and the characters with which its text must not begin.
type Reading = (String, CharacterClass);

/// Texts with the characters that must not follow them.
type Endings = Vec<(CharacterClass, Expression)>;

struct Readings<'a> {
    beginnings: Beginnings<'a>,
    keys: Vec<Reading>,
    endings: HashMap<Reading, Endings>,
    /// The rules that stay as they are.
    kept: HashSet<String>,
}

impl Readings<'_> {
    /// Finds the readings of all rules. The error is the rule that is too complex, or [`None`] if all rules together
    /// are.
    fn find(&mut self, rules: &[&ForeignRule]) -> Result<(), Option<String>> {
        let is_read = |rule: &&&ForeignRule| !self.kept.contains(&rule.name);
        let names = rules.iter().filter(is_read).map(|rule| rule.name.clone());
        self.keys = names.map(|name| (name, none())).collect();
        self.endings.clear();
        let own = self.keys.len();
        for _ in 0..MAX_ROUNDS {
            let mut is_done = true;
            let mut at = 0;
            while let Some(key) = self.keys.get(at).cloned() {
                let failed = || Some(key.0.clone());
                let body = self.beginnings.body(&key.0).ok_or_else(failed)?;
                let after = self.beginnings.after(&key.0);
                let endings = self.read(body, &key.1, &after).ok_or_else(failed)?;
                let endings = merged(endings);
                if self.endings.get(&key) != Some(&endings) {
                    is_done = false;
                    self.endings.insert(key, endings);
                }
                at += 1;
                if self.keys.len() > MAX_READINGS {
                    return Err(None);
                }
            }
            if is_done {
                let mut own = self.keys.iter().take(own);
                let empty = own.find(|key| self.endings[*key].is_empty());
                return match empty {
                    Some(key) => Err(Some(key.0.clone())),
                    None => Ok(()),
                };
            }
        }
        Err(None)
    }

    /// Whether a name is one of the rules that are read.
    fn is_read(&self, name: &str) -> bool {
        self.beginnings.body(name).is_some() && !self.kept.contains(name)
    }

    /// Reads an expression that begins with none of the characters `before`. `after` are those that may follow.
    fn read(
        &mut self,
        expression: &Expression,
        before: &CharacterClass,
        after: &CharacterClass,
    ) -> Option<Endings> {
        if let Expression::Capture(..) | Expression::Same(_) = expression {
            return None;
        }
        let first = self.beginnings.of(expression);
        let is_free = common(&first.characters, before).is_empty();
        Some(match expression {
            Expression::Literal { .. }
            | Expression::Indent
            | Expression::Dedent
            | Expression::Capture(..)
            | Expression::Same(_) => match first.may_be_empty {
                true => vec![(before.clone(), expression.clone())],
                false if is_free => vec![(none(), expression.clone())],
                false => Vec::new(),
            },
            Expression::Class(_) if is_free => vec![(none(), expression.clone())],
            Expression::Class(class) => {
                let rest = class.minus(before);
                let rest = Some(rest).filter(|rest| !rest.is_empty());
                rest.map(|rest| (none(), Expression::Class(rest)))
                    .into_iter()
                    .collect()
            }
            Expression::Name(name) if !self.is_read(name) => {
                vec![(none(), expression.clone())]
            }
            Expression::Name(name) => {
                let is_any = is_free && !first.may_be_empty;
                let before = if is_any { none() } else { before.clone() };
                self.named(&(name.clone(), before))
            }
            Expression::Sequence(parts) => self.sequence(parts, before, after)?,
            Expression::Choice(parts) => {
                let mut all = Vec::new();
                for (at, part) in parts.iter().enumerate() {
                    let longer = common(&longer(part, &parts[..at]), after);
                    for (end, text) in self.read(part, before, after)? {
                        add(&mut all, end.union(&longer), text);
                    }
                }
                all
            }
            Expression::Repeat {
                element,
                at_least,
                at_most,
            } => self.repeat(element, (*at_least, *at_most), before, after)?,
            Expression::Adjacent(inner) => {
                let all = self.read(inner, before, after)?.into_iter();
                all.map(|(end, text)| (end, text.adjacent())).collect()
            }
            Expression::Difference(..) if before.is_empty() => vec![(none(), expression.clone())],
            Expression::Difference(from, without) => {
                let any = Expression::Class(CharacterClass::any()).repeat(0, None);
                let begins = Expression::sequence([Expression::Class(before.clone()), any]);
                let without = [(**without).clone(), begins, Expression::empty()];
                let without = Box::new(Expression::choice(without));
                let mut all = vec![(none(), Expression::Difference(from.clone(), without))];
                if first.may_be_empty {
                    add(&mut all, before.clone(), Expression::empty());
                }
                all
            }
        })
    }

    /// The readings of a rule that are known so far.
    fn named(&mut self, key: &Reading) -> Endings {
        let at = self.keys.iter().position(|one| one == key);
        let at = at.unwrap_or_else(|| {
            self.keys.push(key.clone());
            self.keys.len() - 1
        });
        let endings = self.endings.get(key).into_iter().flatten().enumerate();
        let name = |number| Expression::name(format!("{MARK}{at} {number}"));
        endings
            .map(|(number, (end, _))| (end.clone(), name(number)))
            .collect()
    }

    fn sequence(
        &mut self,
        parts: &[Expression],
        before: &CharacterClass,
        after: &CharacterClass,
    ) -> Option<Endings> {
        let afters = self.beginnings.after_parts(parts, after);
        let mut all = vec![(before.clone(), Expression::empty())];
        for (part, after) in parts.iter().zip(&afters) {
            let mut next = Vec::new();
            for (end, start) in &all {
                for (end, text) in self.read(part, end, after)? {
                    add(&mut next, end, Expression::sequence([start.clone(), text]));
                }
            }
            all = next;
        }
        Some(all)
    }

    fn repeat(
        &mut self,
        element: &Expression,
        limits: (u32, Option<u32>),
        before: &CharacterClass,
        after: &CharacterClass,
    ) -> Option<Endings> {
        let first = self.beginnings.of(element);
        // Without a maximum, nothing is excluded: a run of characters is the same text however it is split.
        let end = match limits.1 {
            Some(most) if most > limits.0 => common(&self.beginnings.single(element, 0), after),
            _ => none(),
        };
        let inside = match limits.1 {
            Some(1) => after.clone(),
            _ => after.union(&first.characters),
        };
        let mut all = Vec::new();
        if limits.0 == 0 {
            add(&mut all, before.union(&end), Expression::empty());
        }
        let once = merged(self.read(element, before, &inside)?);
        if limits.1 == Some(1) {
            // The element is optional.
            let is_free = all.iter().all(|(end, _)| end.is_empty());
            if let ([(end, text)], true, 0) = (&once[..], is_free, limits.0)
                && end.is_empty()
            {
                return Some(vec![(none(), text.clone().optional())]);
            }
            once.into_iter()
                .for_each(|(end, text)| add(&mut all, end, text));
            return Some(all);
        }
        let again = merged(self.read(element, &none(), &inside)?);
        // No text of the element is known yet.
        if again.is_empty() {
            return Some(all);
        }
        let free = text_with(&again, &none()).filter(|_| again.len() == 1);
        if let (Some(free), true) = (&free, before.is_empty()) {
            return Some(vec![(end, free.clone().repeat(limits.0, limits.1))]);
        }
        let more = match (limits, free) {
            ((at_least, at_most), Some(free)) => {
                let at_most = at_most.map(|most| most.saturating_sub(1));
                Loop::of(free.repeat(at_least.saturating_sub(1), at_most))
            }
            ((0 | 1, None), None) => self.repeated(element, &again, &inside)?,
            _ => return None,
        };
        for (last, text) in once {
            for (end_of_more, rest) in more.after(&last)? {
                let text = Expression::sequence([text.clone(), rest]);
                add(&mut all, end_of_more.union(&end), text);
            }
        }
        Some(all)
    }

    /// The repetition of an element that ends freely or in one other way.
    fn repeated(
        &mut self,
        element: &Expression,
        again: &Endings,
        inside: &CharacterClass,
    ) -> Option<Loop> {
        let mut ends = again.iter().map(|(end, _)| end.clone());
        let bound = ends.find(|end| !end.is_empty())?;
        let after = merged(self.read(element, &bound, inside)?);
        let is_known = |(end, _): &(CharacterClass, Expression)| end.is_empty() || *end == bound;
        if !after.iter().all(is_known) {
            return None;
        }
        let part = |all: &Endings, end: &CharacterClass| {
            text_with(all, end).unwrap_or(Expression::never())
        };
        let bound_again = part(&after, &bound).repeat(0, None);
        let back = Expression::sequence([bound_again.clone(), part(&after, &none())]);
        let to_bound = Expression::sequence([part(again, &bound), bound_again.clone()]);
        let round = Expression::sequence([part(again, &bound), back.clone()]);
        let free = Expression::choice([part(again, &none()), round]).repeat(0, None);
        let from_free = vec![
            (none(), free.clone()),
            (
                bound.clone(),
                Expression::sequence([free.clone(), to_bound.clone()]),
            ),
        ];
        let from_bound = vec![
            (none(), Expression::sequence([back.clone(), free.clone()])),
            (
                bound.clone(),
                Expression::choice([bound_again, Expression::sequence([back, free, to_bound])]),
            ),
        ];
        Some(Loop {
            bound: Some(bound),
            from_free,
            from_bound,
        })
    }

    /// The new bodies of rules, and the rules for single readings.
    fn rules(
        &self,
        rules: &[&ForeignRule],
        mut taken: HashSet<String>,
    ) -> (HashMap<String, Expression>, Vec<ForeignRule>) {
        let mut names: HashMap<String, String> = HashMap::new();
        for (at, key) in self.keys.iter().enumerate() {
            let count = self.endings[key].len();
            for number in 0..count {
                let is_whole = key.1.is_empty() && count == 1;
                let name = match is_whole {
                    true => key.0.clone(),
                    false => names::take(&format!("{}_part", key.0), &mut taken),
                };
                names.insert(format!("{MARK}{at} {number}"), name);
            }
        }
        let renamed = |mut text: Expression| {
            text.visit_mut(&mut |part| {
                if let Expression::Name(name) = part
                    && let Some(new) = names.get(name)
                {
                    name.clone_from(new);
                }
            });
            text
        };
        let (mut changed, mut added) = (HashMap::new(), Vec::new());
        for (at, key) in self.keys.iter().enumerate() {
            let own = rules.iter().find(|rule| rule.name == key.0);
            let endings = &self.endings[key];
            let name = |number: usize| names[&format!("{MARK}{at} {number}")].clone();
            if key.1.is_empty() && endings.len() == 1 {
                changed.insert(key.0.clone(), renamed(endings[0].1.clone()));
                continue;
            }
            if key.1.is_empty() {
                let all = (0..endings.len()).map(|number| Expression::name(name(number)));
                changed.insert(key.0.clone(), Expression::choice(all));
            }
            for (number, (_, text)) in endings.iter().enumerate() {
                added.extend(own.map(|rule| ForeignRule {
                    name: name(number),
                    comments: Vec::new(),
                    body: renamed(text.clone()),
                    warnings: Vec::new(),
                    ..(**rule).clone()
                }));
            }
        }
        (changed, added)
    }
}

/// The texts of a repetition: after a text that any character may follow, and after a text that `bound` must not
/// follow.
struct Loop {
    bound: Option<CharacterClass>,
    from_free: Endings,
    from_bound: Endings,
}

impl Loop {
    /// A repetition that any character may follow.
    fn of(text: Expression) -> Loop {
        Loop {
            bound: None,
            from_free: vec![(none(), text)],
            from_bound: Vec::new(),
        }
    }

    /// The texts of the repetition after a text that the characters `end` must not follow.
    fn after(&self, end: &CharacterClass) -> Option<Endings> {
        if end.is_empty() {
            return Some(self.from_free.clone());
        }
        (self.bound.as_ref() == Some(end)).then(|| self.from_bound.clone())
    }
}

fn common(one: &CharacterClass, other: &CharacterClass) -> CharacterClass {
    one.minus(&other.complement())
}

/// Adds texts to those that end in the same way.
fn add(all: &mut Endings, end: CharacterClass, text: Expression) {
    match all.iter_mut().find(|(other, _)| *other == end) {
        Some((_, other)) => {
            let before = std::mem::replace(other, Expression::empty());
            *other = Expression::choice([before, text]);
        }
        None => all.push((end, text)),
    }
}

/// Merges all endings that exclude characters into one.
fn merged(all: Endings) -> Endings {
    let ends = all.iter().map(|(end, _)| end);
    let bound = ends.fold(none(), |one, other| one.union(other));
    let mut merged = Vec::new();
    for (end, text) in all {
        let end = if end.is_empty() { end } else { bound.clone() };
        add(&mut merged, end, text);
    }
    merged
}

fn text_with(all: &Endings, end: &CharacterClass) -> Option<Expression> {
    let found = all.iter().find(|(other, _)| other == end);
    found.map(|(_, text)| text.clone())
}

/// The characters with which a literal becomes one of the longer literals `earlier`.
fn longer(part: &Expression, earlier: &[Expression]) -> CharacterClass {
    let Expression::Literal { text, .. } = part else {
        return none();
    };
    let rests = earlier.iter().filter_map(|one| match one {
        Expression::Literal { text: longer, .. } => longer.strip_prefix(&**text),
        _ => None,
    });
    CharacterClass::of(
        &rests
            .filter_map(|rest| rest.chars().next())
            .collect::<String>(),
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::import::expression::by_name;
    use crate::import::pest;
    use crate::import::regular::Automaton;
    use crate::import::sources::Sources;

    /// Whether the rule `name` of a grammar derives texts.
    fn derives<const N: usize>(grammar: &str, name: &str, texts: [&str; N]) -> [bool; N] {
        let mut sources = Sources::default();
        let file = sources.add(Path::new("g.pest"), grammar.into());
        let grammar = pest::read(&mut sources, file, None).unwrap();
        let rules = by_name(&grammar.rules);
        let automaton = Automaton::new(rules[name], &rules).unwrap();
        texts.map(|text| automaton.accepts(text))
    }

    #[test]
    fn a_part_that_may_come_is_not_left_out() {
        let grammar = r#"
s = { string ~ ";" ~ s? }
string = @{ "'" ~ (letter | escape)* ~ "'" }
letter = @{ 'a'..'z' }
escape = @{ "\\" ~ ("n" | "'" | "\\")? }
WHITESPACE = _{ " " }
"#;
        let texts = [
            r"'a\n'", r"'\z'", r"'\'", r"'\''", r"'\\'", r"'\'a\'", r"'\\\'", "''",
        ];
        assert_eq!(
            derives(grammar, "string", texts),
            [true, true, false, true, true, false, false, true]
        );
    }

    #[test]
    fn a_literal_does_not_become_a_longer_one() {
        let grammar = r##"
s = { comment+ }
comment = @{ open ~ ("-" | "a")+ ~ "#}" }
open = { "{#-" | "{#" }
WHITESPACE = _{ " " }
"##;
        let texts = ["{#a#}", "{#-a#}", "{#--a#}", "{#-#}"];
        assert_eq!(
            derives(grammar, "comment", texts),
            [true, true, true, false]
        );
    }

    #[test]
    fn grammars_without_layout_are_read_as_one_token() {
        let grammar = "s = { line ~ NEWLINE }\nline = { \"a\"+ ~ NEWLINE }\n";
        let texts = ["a\n\n", "a\r\r", "a\r\n", "a\r\n\n", "a\r\r\n"];
        assert_eq!(
            derives(grammar, "s", texts),
            [true, true, false, true, true]
        );
    }

    #[test]
    fn rules_without_such_choices_stay() {
        let grammar =
            "s = { number+ }\nnumber = @{ \"-\"? ~ ('0'..'9')+ ~ (\".\" ~ ('0'..'9')+)? }\n";
        let mut sources = Sources::default();
        let file = sources.add(Path::new("g.pest"), grammar.into());
        let grammar = pest::read(&mut sources, file, None).unwrap();
        assert_eq!(grammar.rules.len(), 2);
        let texts = ["-1", "1.5"];
        let rules = by_name(&grammar.rules);
        let automaton = Automaton::new(&grammar.rules[1].body, &rules).unwrap();
        assert!(texts.iter().all(|text| automaton.accepts(text)));
    }
}
