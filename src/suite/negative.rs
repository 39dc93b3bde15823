//! Negative suites: texts outside of the language, each with the position of its error.
//!
//! *Word mutation* edits a token of a sentence. *Rule mutation* edits a symbol of a production.
//! Most edits are made only if they produce a *poisoned pair*: two neighbouring tokens that are
//! neighbours in no sentence (Raselimo, Taljaard, Fischer, *Breaking Parsers*, SLE 2019).
//! Transpositions of symbols need no poisoned pair. Our parser must refuse each text.
//!
//! The papers make all edits. Under a limit, rules and positions [take turns](super::turns).

use std::collections::HashSet;

use super::edit::EditOperator;
use super::realise::{Realiser, SentenceToken};
use super::sets::TokenSets;
use super::skeleton::{Skeleton, SkeletonSymbol};
use super::tokens::TokenTexts;
use super::turns::Turns;
use crate::derivation::Derivation;
use crate::grammar::Role;
use crate::parse::{Failure, Parser};

/// A text outside of the language, with its oracle: the position of its error, and the tokens that
/// are allowed there.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Negative {
    /// The text.
    pub text: Vec<u8>,
    /// The operators of the edits: one, except in suites of higher order.
    pub operators: Vec<EditOperator>,
    /// Whether a symbol of a production was edited, not a token of a sentence.
    pub is_of_rule: bool,
    /// The name of the rule in which the first edit is.
    pub rule: String,
    /// A readable description of the edits.
    pub edit: String,
    /// The index of the first token that no sentence with the same beginning has at this place. It
    /// is the number of tokens if the text ends too early.
    pub token: usize,
    /// The offset in bytes of the token at the error.
    pub byte: usize,
    /// The line of the token at the error, from 1.
    pub line: usize,
    /// The column of the token at the error, in characters, from 1.
    pub column: usize,
    /// Descriptions of the tokens that are allowed at the error.
    pub expected: Vec<String>,
}

/// The number of edits of a kind.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EditCount {
    /// Whether symbols of productions are edited, not tokens of sentences.
    pub is_of_rule: bool,
    /// The kind of edit.
    pub operator: EditOperator,
    /// The number of possible edits, counted for each position and each symbol that is added. The
    /// results of some of them are sentences, or equal to the results of other edits.
    pub possible: usize,
    /// The number of texts of the suite that were made by such an edit.
    pub taken: usize,
}

/// A negative suite.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct NegativeSuite {
    /// Different texts.
    pub texts: Vec<Negative>,
    /// The number of edited texts that our own parser nevertheless reads, for example because
    /// tokens lack a separator or are layout. These texts are not in the suite.
    pub readable: usize,
    /// The number of edited texts that are too ambiguous for our parser. These texts are not in the
    /// suite.
    pub unclear: usize,
    /// The number of texts whose error is not between the edit and the first poisoned pair, because
    /// a token can be read as another one. For example, `filter` may be read as a name. For these
    /// texts, the position is that at which our parser finds the error.
    pub moved: usize,
    /// Whether some edits were not made because of the limit.
    pub is_cut: bool,
    /// The numbers of edits of each kind. Empty in suites of higher order.
    pub edits: Vec<EditCount>,
    /// The number of rules that have a production which can be edited. 0 in suites of higher order.
    pub rules: usize,
}

impl NegativeSuite {
    /// Returns the number of rules that have an edited production in some text.
    pub fn edited_rules(&self) -> usize {
        let of_rules = self.texts.iter().filter(|text| text.is_of_rule);
        let rules: HashSet<&str> = of_rules.map(|text| &text.rule[..]).collect();
        rules.len()
    }
}

/// A sequence of tokens that was edited.
pub struct Edited<'g> {
    pub tokens: Vec<SentenceToken>,
    /// The number of tokens before the first edit.
    pub same: usize,
    pub operators: Vec<EditOperator>,
    /// The rule in which the first edit is.
    pub rule: &'g str,
    pub edit: String,
}

/// Makes edited texts, one after another.
pub trait EditSource<'s, 'g> {
    /// Whether productions are edited, not sentences.
    const IS_OF_RULE: bool;

    /// Returns the next edited text. The text may still be a sentence.
    fn next(&mut self, breaker: &mut Breaker<'s, 'g>) -> Option<Edited<'g>>;

    /// Returns the order of the edits.
    fn turns(&mut self) -> &mut Turns;
}

/// Returns the number of tokens before the first one whose terminal differs from the original.
pub fn common(original: &[SentenceToken], tokens: &[SentenceToken]) -> usize {
    let pairs = original.iter().zip(tokens);
    pairs
        .take_while(|(one, other)| one.terminal == other.terminal)
        .count()
}

/// Verifies edited texts, and keeps those outside of the language.
pub struct Breaker<'s, 'g> {
    pub skeleton: &'s Skeleton<'g>,
    pub sets: &'s TokenSets,
    pub realiser: Realiser<'s, 'g>,
    parser: Parser<'g>,
    derivation: Derivation,
    known: HashSet<Vec<u8>>,
    suite: NegativeSuite,
}

impl<'s, 'g> Breaker<'s, 'g> {
    pub fn new(skeleton: &'s Skeleton<'g>, sets: &'s TokenSets) -> Breaker<'s, 'g> {
        Breaker {
            skeleton,
            sets,
            realiser: Realiser::new(skeleton, TokenTexts::Smallest),
            parser: Parser::new(skeleton.grammar),
            derivation: Derivation::default(),
            known: HashSet::new(),
            suite: NegativeSuite::default(),
        }
    }

    /// Adds texts until the suite has `until` texts, or no edit is left.
    pub fn take<E: EditSource<'s, 'g>>(&mut self, edits: &mut E, until: usize) {
        while self.suite.texts.len() < until {
            let Some(edited) = edits.next(self) else {
                return;
            };
            let is_new = self.add(edited, E::IS_OF_RULE);
            edits.turns().end(is_new);
        }
    }

    /// Records the numbers of edits, and whether some edits are left.
    pub fn count<E: EditSource<'s, 'g>>(&mut self, edits: &mut E) {
        for (operator, possible) in EditOperator::ALL.into_iter().zip(edits.turns().possible()) {
            let is_one = |text: &&Negative| {
                text.is_of_rule == E::IS_OF_RULE && text.operators[..] == [operator]
            };
            let taken = self.suite.texts.iter().filter(is_one).count();
            self.suite.edits.push(EditCount {
                is_of_rule: E::IS_OF_RULE,
                operator,
                possible,
                taken,
            });
        }
        self.suite.is_cut |= !edits.turns().is_over();
    }

    /// Returns the suite. `rules` is the number of rules that have a production which can be
    /// edited.
    pub fn finish(mut self, rules: usize) -> NegativeSuite {
        self.suite.rules = rules;
        self.suite
    }

    /// Returns the rank of a symbol that an edit adds. Low ranks come first. Tokens with many
    /// texts, such as names and numbers, have rank 0, because they most often reveal parsers that
    /// accept too much. Rules have rank 1. Words and signs have rank 2.
    pub fn rank(&self, symbol: usize) -> u8 {
        let SkeletonSymbol { id, terminal, .. } = self.skeleton.symbols[symbol];
        match (terminal, self.skeleton.grammar.role(id)) {
            (None, _) => 1,
            (_, Role::Fixed) => 2,
            _ => 0,
        }
    }

    /// Returns the token with the smallest text of a terminal.
    pub fn token(&self, terminal: usize, is_adjacent: bool) -> SentenceToken {
        let symbol = self.skeleton.terminals[terminal];
        SentenceToken {
            node: 0,
            symbol,
            parent: 0,
            terminal,
            text: self.realiser.smallest(terminal).to_vec(),
            is_adjacent,
        }
    }

    pub fn count_of_texts(&self) -> usize {
        self.suite.texts.len()
    }

    /// Returns whether our parser reads tokens that [`Breaker::joined`] has joined.
    pub fn can_read(&mut self, tokens: &[SentenceToken]) -> bool {
        let (text, _) = self.joined(tokens);
        self.parser.parse_into(&text, &mut self.derivation).is_ok()
    }

    /// Joins tokens with a separator between any two that may have layout between them. Also returns
    /// the offset of each token and the length of the text.
    fn joined(&self, tokens: &[SentenceToken]) -> (Vec<u8>, Vec<usize>) {
        let layout = self.skeleton.grammar.layout();
        let separator = layout
            .and_then(|layout| layout.separators.first())
            .map_or(&[][..], |separator| separator);
        let (mut text, mut offsets) = (Vec::new(), Vec::new());
        for (at, token) in tokens.iter().enumerate() {
            if at > 0 && !token.is_adjacent {
                text.extend_from_slice(separator);
            }
            offsets.push(text.len());
            text.extend_from_slice(&token.text);
        }
        offsets.push(text.len());
        (text, offsets)
    }

    /// Verifies an edited sequence of tokens with our parser, and adds it.
    /// Returns whether it is new.
    pub fn add(&mut self, edited: Edited<'g>, is_of_rule: bool) -> bool {
        let Edited {
            tokens,
            same,
            operators,
            rule,
            edit,
        } = edited;
        let (text, offsets) = self.joined(&tokens);
        if !self.known.insert(text.clone()) {
            return false;
        }
        let at = match self.parser.parse_into(&text, &mut self.derivation) {
            Ok(()) | Err(Failure::MissingSeparator(_)) => {
                self.suite.readable += 1;
                return false;
            }
            Err(Failure::Unexpected(at)) => at,
            Err(_) => {
                self.suite.unclear += 1;
                return false;
            }
        };
        let error = Failure::Unexpected(at);
        // Up to the edit, the text is a prefix of a sentence. After the first poisoned pair, it is
        // not.
        let terminals = tokens
            .iter()
            .map(|token| token.terminal)
            .chain([self.sets.edge()]);
        let mut before = self.sets.edge();
        let mut pairs =
            terminals.map(|terminal| (std::mem::replace(&mut before, terminal), terminal));
        let poisoned = pairs
            .position(|(one, other)| self.sets.is_poisoned(one, other))
            .unwrap_or(tokens.len());
        // Blanks may come before the token.
        let blanks = text[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        let token = offsets.iter().position(|&offset| offset == at + blanks);
        let token = token.unwrap_or_else(|| {
            offsets
                .iter()
                .rposition(|&offset| offset <= at)
                .unwrap_or(0)
        });
        self.suite.moved +=
            usize::from(operators.len() == 1 && !(same..=poisoned).contains(&token));
        let explanation = self.parser.explain(&text, error);
        self.suite.texts.push(Negative {
            operators,
            is_of_rule,
            rule: rule.into(),
            edit,
            token,
            byte: at,
            line: explanation.line,
            column: explanation.column,
            expected: explanation.expected,
            text,
        });
        true
    }
}
