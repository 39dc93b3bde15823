//! The texts of tokens that a suite uses.

use std::collections::{HashSet, VecDeque};
use std::str::FromStr;

use crate::bounds::{Bounds, Caps};
use crate::derivation::Derivation;
use crate::derive::{Case, ChoiceSource, DerivationGoal, Workspace, derive};
use crate::error::Error;
use crate::grammar::{Class, Grammar, SymbolId};

/// How tokens are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenTexts {
    /// The smallest text of each token.
    #[default]
    Smallest,
    /// Also texts with each alternative of the token, with a character of each range of its
    /// classes, with one element more than the minimum of each repetition, and with a name that is
    /// spelled out.
    Ranges,
    /// Also texts with the last character of each range, and with large numbers of repetitions.
    Boundaries,
}

impl FromStr for TokenTexts {
    type Err = Error;

    fn from_str(text: &str) -> Result<TokenTexts, Error> {
        match text {
            "smallest" => Ok(TokenTexts::Smallest),
            "ranges" => Ok(TokenTexts::Ranges),
            "boundaries" => Ok(TokenTexts::Boundaries),
            _ => Err("tokens are made as `smallest`, `ranges` or `boundaries`".into()),
        }
    }
}

/// The maximum number of texts of one token.
const MAX_TEXTS: usize = 256;

/// The number of elements above the minimum of a repetition that counts as large.
const MANY: u32 = 255;

/// A text of a token, with the answers to the choices in its derivation, in order. Further choices
/// are answered by 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenText {
    pub answers: Vec<u32>,
    pub text: Vec<u8>,
}

/// Returns the texts of a token, the smallest one first. `symbol` is an occurrence of the token.
///
/// The search is breadth-first over the choices inside the token. Each text after the first one has
/// at least one answer of a symbol that no earlier text has.
pub fn texts(grammar: &Grammar, symbol: SymbolId, which: TokenTexts) -> Vec<TokenText> {
    let (mut found, mut seen): (Vec<TokenText>, HashSet<(SymbolId, u32)>) =
        (Vec::new(), HashSet::new());
    let mut open = VecDeque::from([Vec::new()]);
    let (mut workspace, mut derivation) = (Workspace::default(), Derivation::default());
    while let Some(answers) = open.pop_front() {
        let mut explorer = Explorer {
            which,
            answers: &answers,
            asked: Vec::new(),
        };
        let caps = Caps::default();
        derive(
            DerivationGoal {
                grammar,
                symbol,
                bounds: &Bounds::UNBOUNDED,
                caps: &caps,
            },
            &mut explorer,
            &mut workspace,
            &mut derivation,
        );
        let asked = explorer.asked;
        let text = derivation.text().to_vec();
        if found.iter().all(|other| other.text != text) {
            found.push(TokenText {
                answers: answers.clone(),
                text,
            });
        }
        if which == TokenTexts::Smallest || found.len() == MAX_TEXTS {
            break;
        }
        for (at, (symbol, others)) in asked.iter().enumerate().skip(answers.len()) {
            for &other in others {
                if seen.insert((*symbol, other)) {
                    // Keep all answers of the text before this one. Later answers become 0.
                    let mut changed = answers.clone();
                    changed.resize(at, 0);
                    changed.push(other);
                    open.push_back(changed);
                }
            }
        }
    }
    found
}

/// A choice source that answers from a list and records the other possible answers.
struct Explorer<'a> {
    which: TokenTexts,
    answers: &'a [u32],
    /// For each choice, its symbol and the answers other than 0 that should get a text.
    asked: Vec<(SymbolId, Vec<u32>)>,
}

impl Explorer<'_> {
    fn ask(&mut self, symbol: SymbolId, others: Vec<u32>) -> u32 {
        self.asked.push((symbol, others));
        self.answers.get(self.asked.len() - 1).copied().unwrap_or(0)
    }

    fn has_boundaries(&self) -> bool {
        self.which == TokenTexts::Boundaries
    }
}

impl ChoiceSource for Explorer<'_> {
    fn alternative(&mut self, _: &Grammar, symbol: SymbolId, options: u32) -> u32 {
        self.ask(symbol, (1..options).collect())
    }

    fn count(&mut self, _: &Grammar, symbol: SymbolId, spread: u32) -> u32 {
        let mut others = vec![1];
        if self.has_boundaries() {
            others.extend(
                [2, spread.min(MANY)]
                    .into_iter()
                    .filter(|&count| count <= spread && count > 1),
            );
        }
        self.ask(symbol, others)
    }

    fn member(&mut self, symbol: SymbolId, class: &Class) -> u32 {
        let both = self.has_boundaries();
        let characters = class
            .ranges()
            .iter()
            .flat_map(|&(from, to)| [Some(from), both.then_some(to)])
            .flatten();
        let others = characters
            .filter_map(|character| class.index_of(character))
            .filter(|&index| index != 0)
            .collect();
        self.ask(symbol, others)
    }

    fn name(&mut self, symbol: SymbolId, names: u32) -> u32 {
        let others = if names > 1 {
            vec![1, names]
        } else {
            vec![names]
        };
        self.ask(symbol, others)
    }

    fn case(&mut self, symbol: SymbolId, _: u32) -> Case {
        case(self.ask(symbol, vec![1, 2]))
    }

    fn layout(&mut self, _: SymbolId) -> u32 {
        0
    }
}

/// Returns the case for an answer.
pub fn case(answer: u32) -> Case {
    match answer {
        1 => Case::Lower,
        2 => Case::Upper,
        _ => Case::AsWritten,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::skeleton::Skeleton;

    #[test]
    fn texts_have_each_alternative_range_and_boundary() {
        let source = r#"s = number ; @token number = "-"? [0-9]+ ( "x" [a-f5-9] )? ;"#;
        let (grammar, _) =
            crate::notation::read("g", source.as_bytes(), &Default::default()).unwrap();
        let skeleton = Skeleton::new(&grammar);
        let of = |which| -> Vec<String> {
            let texts = texts(&grammar, skeleton.symbols[skeleton.terminals[0]].id, which);
            texts
                .into_iter()
                .map(|text| String::from_utf8(text.text).unwrap())
                .collect()
        };
        assert_eq!(of(TokenTexts::Smallest), ["0"]);
        let ranges = of(TokenTexts::Ranges);
        for text in ["0", "-0", "00", "0xa", "0x5"] {
            assert!(
                ranges.iter().any(|other| other == text),
                "{text}: {ranges:?}"
            );
        }
        let boundaries = of(TokenTexts::Boundaries);
        assert!(
            ranges.iter().all(|text| boundaries.contains(text)),
            "{boundaries:?}"
        );
        for text in ["9", "0xf", "0x9", &"0".repeat(256)] {
            assert!(
                boundaries.iter().any(|other| other == text),
                "{text}: {boundaries:?}"
            );
        }
    }
}
