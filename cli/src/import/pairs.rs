//! The tokens that may stand side by side in a sentence.

use std::collections::HashMap;

use super::expression::{Expression, ForeignKind, ForeignRule};

/// The maximum number of passes over the rules; more are needed only for rules that use each other in long chains.
const PASSES: usize = 100;

/// The maximum number of pairs of a rule and a token.
const CELLS: usize = 10_000_000;

/// The maximum number of pairs that are returned.
const PAIRS: usize = 1_000_000;

/// A set of tokens, by their indices.
#[derive(Clone, PartialEq)]
struct TokenSet(Vec<u64>);

impl TokenSet {
    fn add(&mut self, other: &TokenSet) {
        for (one, other) in self.0.iter_mut().zip(&other.0) {
            *one |= other;
        }
    }

    fn indices(&self) -> impl Iterator<Item = usize> + '_ {
        let all = 0..self.0.len() * 64;
        all.filter(|at| self.0[at / 64] >> (at % 64) & 1 == 1)
    }
}

/// The first and the last tokens of an expression.
#[derive(Clone, PartialEq)]
struct Ends {
    first: TokenSet,
    last: TokenSet,
    can_be_empty: bool,
}

/// Returns the pairs of tokens that may stand side by side: literals, classes and names of tokens. Returns
/// [`None`] if a limit is reached.
pub fn find(rules: &[ForeignRule]) -> Option<Vec<(&Expression, &Expression)>> {
    let syntax = || rules.iter().filter(|rule| rule.kind == ForeignKind::Syntax);
    let names: HashMap<&str, usize> = syntax()
        .zip(0..)
        .map(|(rule, at)| (&*rule.name, at))
        .collect();
    let mut tokens: Vec<&Expression> = Vec::new();
    let mut index: HashMap<&Expression, usize> = HashMap::new();
    for rule in syntax() {
        rule.body.visit(&mut |part| {
            let is_token = match part {
                Expression::Literal { text, .. } => !text.is_empty(),
                Expression::Class(_) => true,
                Expression::Name(name) => !names.contains_key(&**name),
                _ => false,
            };
            if is_token {
                index.entry(part).or_insert_with(|| {
                    tokens.push(part);
                    tokens.len() - 1
                });
            }
        });
    }
    if tokens.len() * (names.len() + tokens.len()) > CELLS {
        return None;
    }
    let none = TokenSet(vec![0; tokens.len().div_ceil(64)]);
    let empty = Ends {
        first: none.clone(),
        last: none.clone(),
        can_be_empty: false,
    };
    let mut search = PairSearch {
        names,
        index,
        ends: vec![empty.clone(); syntax().count()],
        pairs: vec![none.clone(); tokens.len()],
        none,
    };
    for pass in 0.. {
        if pass == PASSES {
            return None;
        }
        let mut is_changed = false;
        for (at, rule) in syntax().enumerate() {
            let ends = search.ends(&rule.body);
            is_changed |= ends != search.ends[at];
            search.ends[at] = ends;
        }
        if !is_changed {
            break;
        }
    }
    let mut pairs = Vec::new();
    for (one, others) in search.pairs.iter().enumerate() {
        pairs.extend(others.indices().map(|other| (tokens[one], tokens[other])));
        if pairs.len() > PAIRS {
            return None;
        }
    }
    Some(pairs)
}

struct PairSearch<'a> {
    names: HashMap<&'a str, usize>,
    index: HashMap<&'a Expression, usize>,
    /// The ends of each syntax rule, as far as they are known.
    ends: Vec<Ends>,
    /// The tokens that may follow each token.
    pairs: Vec<TokenSet>,
    none: TokenSet,
}

impl PairSearch<'_> {
    /// Returns the ends of an expression, and notes the pairs in it.
    fn ends(&mut self, expression: &Expression) -> Ends {
        if let Some(&at) = self.index.get(expression) {
            let mut set = self.none.clone();
            set.0[at / 64] |= 1 << (at % 64);
            return Ends {
                first: set.clone(),
                last: set,
                can_be_empty: false,
            };
        }
        let mut all = Ends {
            first: self.none.clone(),
            last: self.none.clone(),
            can_be_empty: true,
        };
        match expression {
            Expression::Name(name) => {
                if let Some(&at) = self.names.get(&**name) {
                    return self.ends[at].clone();
                }
            }
            Expression::Sequence(parts) => {
                for part in parts {
                    let next = self.ends(part);
                    self.follow(&all.last, &next.first);
                    if all.can_be_empty {
                        all.first.add(&next.first);
                    }
                    match next.can_be_empty {
                        true => all.last.add(&next.last),
                        false => all.last = next.last,
                    }
                    all.can_be_empty &= next.can_be_empty;
                }
            }
            Expression::Choice(parts) => {
                all.can_be_empty = false;
                for part in parts {
                    let one = self.ends(part);
                    all.first.add(&one.first);
                    all.last.add(&one.last);
                    all.can_be_empty |= one.can_be_empty;
                }
            }
            Expression::Repeat {
                element,
                at_least,
                at_most,
            } => {
                all = self.ends(element);
                if *at_most != Some(1) {
                    self.follow(&all.last, &all.first);
                }
                all.can_be_empty |= *at_least == 0;
            }
            Expression::Adjacent(part)
            | Expression::Difference(part, _)
            | Expression::Capture(_, part) => {
                all = self.ends(part);
            }
            Expression::Literal { .. }
            | Expression::Class(_)
            | Expression::Indent
            | Expression::Dedent
            | Expression::Same(_) => {}
        }
        all
    }

    fn follow(&mut self, last: &TokenSet, first: &TokenSet) {
        for at in last.indices() {
            self.pairs[at].add(first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_side_by_side_across_rules() {
        let literal = |text: &str| Expression::literal(text);
        let name = |name: &str| Expression::name(name);
        let rules = [
            ForeignRule::new(
                "s",
                ForeignKind::Syntax,
                Expression::sequence([literal("a"), name("r"), name("t").repeat(0, None)]),
            ),
            ForeignRule::new("r", ForeignKind::Syntax, literal("b").optional()),
            ForeignRule::new("t", ForeignKind::Token(0), literal("c")),
        ];
        let mut found: Vec<String> = find(&rules)
            .unwrap()
            .into_iter()
            .map(|pair| {
                let text = |one: &Expression| match one {
                    Expression::Literal { text, .. } | Expression::Name(text) => text.clone(),
                    _ => String::new(),
                };
                text(pair.0) + &text(pair.1)
            })
            .collect();
        found.sort();
        assert_eq!(found, ["ab", "at", "bt", "tt"]);
    }
}
