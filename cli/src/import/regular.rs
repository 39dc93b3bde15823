//! Finite automata of tokens: whether a token has a text, and whether two tokens share one.

use std::collections::{HashMap, HashSet};

use super::expression::Expression;

/// The maximum nesting depth of expressions, across rules. Adding them is recursive.
const MAX_DEPTH: usize = 2_000;

/// The maximum number of states of one automaton.
const STATES: usize = 50_000;

/// The maximum number of pairs of states that [`Automaton::overlaps`] looks at.
const PAIRS: usize = 400_000;

/// Why an expression has no automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRegular {
    /// A rule contains itself.
    Recursive,
    /// The automaton would have too many states.
    TooLarge,
    /// The expression uses a rule that does not exist.
    Undefined,
    /// The expression repeats a text with `@same`.
    EqualTexts,
}

/// A state of an automaton.
#[derive(Debug)]
enum NfaState {
    /// Reads nothing.
    Empty(Vec<usize>),
    /// Reads one character of some ranges.
    Read(Vec<(u32, u32)>, usize),
}

/// A nondeterministic finite automaton. The exclusions `a - b` are read as `a`.
#[derive(Debug)]
pub struct Automaton {
    steps: Vec<NfaState>,
    start: usize,
    end: usize,
}

impl Automaton {
    /// Builds the automaton of an expression. `rules` has the expressions of rules by their names.
    pub fn new(
        expression: &Expression,
        rules: &HashMap<&str, &Expression>,
    ) -> Result<Automaton, NotRegular> {
        let mut automaton = Automaton {
            steps: vec![NfaState::Empty(Vec::new())],
            start: 0,
            end: 0,
        };
        let mut builder = Builder {
            automaton: &mut automaton,
            rules,
            open: Vec::new(),
            depth: 0,
        };
        let start = builder.add(expression, 0)?;
        automaton.start = start;
        Ok(automaton)
    }

    /// Whether the automaton accepts a text.
    pub fn accepts(&self, text: &str) -> bool {
        let mut states = self.closure([self.start]);
        for character in text.chars() {
            let code = u32::from(character);
            let next = states.iter().filter_map(|&state| match &self.steps[state] {
                NfaState::Read(ranges, to) if has(ranges, code) => Some(*to),
                _ => None,
            });
            states = self.closure(next.collect::<Vec<_>>());
        }
        states.contains(&self.end)
    }

    /// Whether both automata accept the same text, not counting the empty one. Returns `true` if
    /// that takes too long to find out.
    pub fn overlaps(&self, other: &Automaton) -> bool {
        let mut seen = HashSet::new();
        let mut open = Vec::new();
        let mut add = |open: &mut Vec<_>, one: usize, two: usize| {
            for a in self.closure([one]) {
                for b in other.closure([two]) {
                    let reads = |automaton: &Automaton, state: usize| {
                        state == automaton.end
                            || matches!(automaton.steps[state], NfaState::Read(..))
                    };
                    let is_end = (a, b) == (self.end, other.end);
                    if reads(self, a) && reads(other, b) && (is_end || seen.insert((a, b))) {
                        open.push((a, b));
                    }
                }
            }
            seen.len() > PAIRS
        };
        if add(&mut open, self.start, other.start) {
            return true;
        }
        open.retain(|&(a, b)| (a, b) != (self.end, other.end));
        while let Some((a, b)) = open.pop() {
            if (a, b) == (self.end, other.end) {
                return true;
            }
            if let (NfaState::Read(x, to_a), NfaState::Read(y, to_b)) =
                (&self.steps[a], &other.steps[b])
                && meet(x, y)
                && add(&mut open, *to_a, *to_b)
            {
                return true;
            }
        }
        false
    }

    /// Whether each text of the automaton, not counting the empty one, is one of `others`. Returns
    /// `false` if that takes too long to find out.
    pub fn is_within(&self, others: &[&Automaton]) -> bool {
        let start = self.sorted([self.start]);
        let starts = others.iter().map(|other| other.sorted([other.start]));
        let mut open = vec![(start, starts.collect::<Vec<_>>())];
        let mut seen = HashSet::new();
        let mut work = 0;
        while let Some((own, theirs)) = open.pop() {
            let sets = std::iter::once((self, &own)).chain(others.iter().copied().zip(&theirs));
            let mut bounds: Vec<u32> = Vec::new();
            for (automaton, states) in sets {
                for &state in states {
                    if let NfaState::Read(ranges, _) = &automaton.steps[state] {
                        bounds.extend(ranges.iter().flat_map(|&(from, to)| [from, to + 1]));
                    }
                }
            }
            bounds.sort_unstable();
            bounds.dedup();
            for code in bounds {
                work += 1 + own.len();
                if work > PAIRS {
                    return false;
                }
                let next = self.after(&own, code);
                if next.is_empty() {
                    continue;
                }
                let pairs = others.iter().zip(&theirs);
                let rest: Vec<Vec<usize>> = pairs
                    .map(|(other, states)| other.after(states, code))
                    .collect();
                let ends = others.iter().zip(&rest);
                let mut ends = ends.map(|(other, states)| states.contains(&other.end));
                if next.contains(&self.end) && !ends.any(|ends| ends) {
                    return false;
                }
                if seen.insert((next.clone(), rest.clone())) {
                    open.push((next, rest));
                }
            }
        }
        true
    }

    /// The states after one more character.
    fn after(&self, states: &[usize], code: u32) -> Vec<usize> {
        let next = states.iter().filter_map(|&state| match &self.steps[state] {
            NfaState::Read(ranges, to) if has(ranges, code) => Some(*to),
            _ => None,
        });
        self.sorted(next.collect::<Vec<_>>())
    }

    /// The states that are reached without reading, in order.
    fn sorted(&self, states: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut all: Vec<usize> = self.closure(states).into_iter().collect();
        all.sort_unstable();
        all
    }

    /// One of the shortest texts that the automaton accepts.
    pub fn shortest(&self) -> Option<String> {
        let mut seen = HashSet::from([self.start]);
        let mut level = vec![(self.start, String::new())];
        while !level.is_empty() {
            let mut next = Vec::new();
            for (from, text) in level {
                for state in self.sorted([from]) {
                    if state == self.end {
                        return Some(text);
                    }
                    if let NfaState::Read(ranges, to) = &self.steps[state] {
                        // A letter or a sign, if the class has one.
                        let of_range = |&(from, to): &(u32, u32)| {
                            (from..=to)
                                .take(0x80)
                                .find(|code| (0x21..0x7F).contains(code))
                        };
                        let any = ranges
                            .iter()
                            .find_map(of_range)
                            .or(ranges.first().map(|range| range.0));
                        if let (Some(character), true) =
                            (any.and_then(char::from_u32), seen.insert(*to))
                        {
                            next.push((*to, format!("{text}{character}")));
                        }
                    }
                }
            }
            level = next;
        }
        None
    }

    /// The states that are reached without reading.
    fn closure(&self, states: impl IntoIterator<Item = usize>) -> HashSet<usize> {
        let mut open: Vec<usize> = states.into_iter().collect();
        let mut closure = HashSet::new();
        while let Some(state) = open.pop() {
            if closure.insert(state)
                && let NfaState::Empty(next) = &self.steps[state]
            {
                open.extend(next);
            }
        }
        closure
    }
}

/// Whether sorted ranges contain a code point.
fn has(ranges: &[(u32, u32)], code: u32) -> bool {
    let at = ranges.partition_point(|range| range.1 < code);
    ranges.get(at).is_some_and(|range| range.0 <= code)
}

/// Whether two lists of sorted ranges share a code point.
fn meet(one: &[(u32, u32)], other: &[(u32, u32)]) -> bool {
    let (mut a, mut b) = (0, 0);
    while let (Some(x), Some(y)) = (one.get(a), other.get(b)) {
        if x.0.max(y.0) <= x.1.min(y.1) {
            return true;
        }
        match x.1 < y.1 {
            true => a += 1,
            false => b += 1,
        }
    }
    false
}

/// Adds expressions to an automaton, from their ends to their starts.
struct Builder<'a, 'b> {
    automaton: &'b mut Automaton,
    rules: &'b HashMap<&'a str, &'a Expression>,
    /// The rules that are being added.
    open: Vec<String>,
    /// The current nesting depth.
    depth: usize,
}

impl Builder<'_, '_> {
    /// Adds an expression before the state `to`. Returns its first state.
    fn add(&mut self, expression: &Expression, to: usize) -> Result<usize, NotRegular> {
        if self.depth >= MAX_DEPTH {
            return Err(NotRegular::TooLarge);
        }
        self.depth += 1;
        let start = self.add_parts(expression, to);
        self.depth -= 1;
        start
    }

    fn add_parts(&mut self, expression: &Expression, to: usize) -> Result<usize, NotRegular> {
        match expression {
            Expression::Literal { text, insensitive } => {
                let mut to = to;
                for character in text.chars().rev() {
                    let mut ranges: Vec<(u32, u32)> = vec![(character.into(), character.into())];
                    if *insensitive && character.is_ascii_alphabetic() {
                        let both = [
                            character.to_ascii_uppercase(),
                            character.to_ascii_lowercase(),
                        ];
                        ranges = both.map(|c| (c.into(), c.into())).into();
                    }
                    to = self.step(NfaState::Read(ranges, to))?;
                }
                Ok(to)
            }
            Expression::Class(class) => self.step(NfaState::Read(class.ranges().to_vec(), to)),
            Expression::Name(name) => {
                if self.open.contains(name) {
                    return Err(NotRegular::Recursive);
                }
                let body = *self.rules.get(&**name).ok_or(NotRegular::Undefined)?;
                self.open.push(name.clone());
                let start = self.add(body, to);
                self.open.pop();
                start
            }
            Expression::Sequence(parts) => {
                let parts = parts.iter().rev();
                parts
                    .into_iter()
                    .try_fold(to, |to, part| self.add(part, to))
            }
            Expression::Choice(parts) => {
                let starts: Result<Vec<usize>, NotRegular> =
                    parts.iter().map(|part| self.add(part, to)).collect();
                self.step(NfaState::Empty(starts?))
            }
            Expression::Repeat {
                element,
                at_least,
                at_most,
            } => {
                let mut to = to;
                match at_most {
                    None => {
                        let again = self.step(NfaState::Empty(vec![to]))?;
                        let start = self.add(element, again)?;
                        if let NfaState::Empty(next) = &mut self.automaton.steps[again] {
                            next.push(start);
                        }
                        to = again;
                    }
                    Some(most) => {
                        for _ in *at_least..*most {
                            let start = self.add(element, to)?;
                            to = self.step(NfaState::Empty(vec![start, to]))?;
                        }
                    }
                }
                for _ in 0..*at_least {
                    to = self.add(element, to)?;
                }
                Ok(to)
            }
            Expression::Adjacent(part) | Expression::Difference(part, _) => self.add(part, to),
            Expression::Indent | Expression::Dedent => Ok(to),
            Expression::Capture(..) | Expression::Same(_) => Err(NotRegular::EqualTexts),
        }
    }

    fn step(&mut self, step: NfaState) -> Result<usize, NotRegular> {
        if self.automaton.steps.len() >= STATES {
            return Err(NotRegular::TooLarge);
        }
        self.automaton.steps.push(step);
        Ok(self.automaton.steps.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::class::CharacterClass;

    fn class(text: &str) -> Expression {
        Expression::Class(CharacterClass::parse(text).unwrap())
    }

    fn automaton(expression: &Expression) -> Automaton {
        Automaton::new(expression, &HashMap::new()).unwrap()
    }

    #[test]
    fn automata_accept_the_texts_of_their_expressions() {
        let word = Expression::sequence([class("[a-z]"), class("[a-z0-9]").repeat(0, None)]);
        let word = automaton(&word);
        for (text, accepted) in [("a", true), ("a1", true), ("1a", false), ("", false)] {
            assert_eq!(word.accepts(text), accepted, "{text}");
        }
        let number = automaton(&class("[0-9]").repeat(2, Some(3)));
        for (text, accepted) in [("1", false), ("12", true), ("123", true), ("1234", false)] {
            assert_eq!(number.accepts(text), accepted, "{text}");
        }
        let keyword = Expression::Literal {
            text: "if".into(),
            insensitive: true,
        };
        let keyword = automaton(&keyword);
        assert!(keyword.accepts("iF") && keyword.overlaps(&word));
        assert!(!number.overlaps(&word));
        let (some, letters) = (class("[0-9]").optional(), class("[a-z]").repeat(0, None));
        let (some, letters) = (automaton(&some), automaton(&letters));
        let empty = automaton(&Expression::empty());
        assert!(some.overlaps(&some) && letters.overlaps(&word) && letters.overlaps(&letters));
        assert!(!some.overlaps(&letters) && !empty.overlaps(&letters));
        let comment = Expression::sequence([
            Expression::literal("/*"),
            Expression::until(&CharacterClass::any(), "*/"),
        ]);
        let comment = automaton(&comment);
        assert_eq!(comment.shortest().as_deref(), Some("/**/"));
        assert!(!keyword.is_within(&[&word]) && !word.is_within(&[&keyword]));
        let low = automaton(&class("[0-4]").repeat(2, Some(2)));
        assert!(low.is_within(&[&number]) && !number.is_within(&[&low]));
        for (text, accepted) in [
            ("/**/", true),
            ("/*a**/", true),
            ("/* * / */", true),
            ("/**/*/", false),
            ("/*/", false),
        ] {
            assert_eq!(comment.accepts(text), accepted, "{text}");
        }
    }

    #[test]
    fn a_rule_that_contains_itself_is_not_regular() {
        let nested = Expression::sequence([
            Expression::literal("("),
            Expression::name("nested").optional(),
            Expression::literal(")"),
        ]);
        let rules = HashMap::from([("nested", &nested)]);
        let error = Automaton::new(&Expression::name("nested"), &rules).unwrap_err();
        assert_eq!(error, NotRegular::Recursive);
    }

    #[test]
    fn automata_are_within_others() {
        let digits = automaton(&class("[0-9]").repeat(1, None));
        let word = automaton(&class("[0-9a-z]").repeat(1, None));
        assert!(digits.is_within(&[&word]));
        assert!(!word.is_within(&[&digits]));
        let any = automaton(&Expression::Class(CharacterClass::any()).repeat(0, None));
        assert!(word.is_within(&[&any]) && !any.is_within(&[&word]));
    }
}
