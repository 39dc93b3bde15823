//! Negative suites: texts outside of the language, each with the place of its error.
//!
//! *Word mutation* edits a token of a sentence. *Rule mutation* edits a symbol of a production. An
//! edit counts only if a *poisoned pair* arises: two adjacent tokens that are adjacent in no
//! sentence. So no edit leads back into the language. (Raselimo, Taljaard, Fischer, *Breaking
//! Parsers*, SLE 2019.)

use std::collections::HashSet;
use std::fmt;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::realise::{Realiser, SentenceToken};
use super::sets::TokenSets;
use super::skeleton::{PathStep, Skeleton};
use super::tokens::TokenTexts;
use super::tree::{Fragment, SkeletonNode, SkeletonTree, along, opened, with_child};
use crate::derivation::Derivation;
use crate::parse::{Failure, Parser};

/// A kind of edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EditOperator {
    /// Removes a token or a symbol.
    Deletion,
    /// Adds one.
    Insertion,
    /// Replaces one by another.
    Substitution,
    /// Exchanges two neighbours.
    Transposition,
}

impl fmt::Display for EditOperator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            EditOperator::Deletion => "deletion",
            EditOperator::Insertion => "insertion",
            EditOperator::Substitution => "substitution",
            EditOperator::Transposition => "transposition",
        })
    }
}

/// A text outside of the language, with its oracle: where its error is, and what would be allowed
/// there.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Negative {
    /// The text.
    pub text: Vec<u8>,
    /// The edits: one, except in suites of higher order.
    pub operators: Vec<EditOperator>,
    /// Whether a symbol of a production was edited, not a token of a sentence.
    pub is_of_rule: bool,
    /// The name of the rule in which the first edit is.
    pub rule: String,
    /// What was edited, for people.
    pub edit: String,
    /// The index of the token at which the text stops being a prefix of a sentence. It is the
    /// number of tokens if the text ends too early.
    pub token: usize,
    /// The offset of this token in bytes.
    pub byte: usize,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
    /// Descriptions of the tokens that are allowed there.
    pub expected: Vec<String>,
}

/// A negative suite.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct NegativeSuite {
    /// Different texts.
    pub texts: Vec<Negative>,
    /// The number of edited texts that our own parser can read after all, because tokens are glued
    /// or are layout. They are left out.
    pub readable: usize,
    /// The number of texts that are too ambiguous for our parser. They are left out.
    pub unclear: usize,
    /// The number of texts whose error is not between the edit and the first poisoned pair, because
    /// a token can be read as another one: `filter` as a name, for instance. Their oracles say
    /// where our parser finds the error.
    pub moved: usize,
    /// Whether the limit was reached.
    pub is_cut: bool,
}

/// A sequence of tokens that was edited.
struct Edited {
    tokens: Vec<SentenceToken>,
    operators: Vec<EditOperator>,
    edit: String,
}

/// An occurrence of a production in a sentence.
#[derive(Clone, Copy)]
struct Occurrence<'a> {
    /// The symbol of the production.
    symbol: usize,
    /// The index of the production among those of the symbol.
    production: usize,
    /// The tokens of the sentence.
    tokens: &'a [SentenceToken],
    /// The index of the first token of each part, and of the token after the last part.
    begins: &'a [usize],
}

/// Makes negative texts and verifies them.
pub struct Breaker<'s, 'g> {
    skeleton: &'s Skeleton<'g>,
    sets: &'s TokenSets,
    realiser: Realiser<'s, 'g>,
    parser: Parser<'g>,
    derivation: Derivation,
    known: HashSet<Vec<u8>>,
    limit: usize,
    suite: NegativeSuite,
}

impl<'s, 'g> Breaker<'s, 'g> {
    pub fn new(skeleton: &'s Skeleton<'g>, sets: &'s TokenSets, limit: usize) -> Breaker<'s, 'g> {
        Breaker {
            skeleton,
            sets,
            realiser: Realiser::new(skeleton, TokenTexts::Smallest),
            parser: Parser::new(skeleton.grammar),
            derivation: Derivation::default(),
            known: HashSet::new(),
            limit,
            suite: NegativeSuite::default(),
        }
    }

    /// Returns the suite.
    pub fn finish(self) -> NegativeSuite {
        self.suite
    }

    /// Mutates the tokens of sentences. Each edit is made once for each token, its neighbours in
    /// the grammar, and the other token.
    pub fn mutate_words<'t>(&mut self, sentences: impl IntoIterator<Item = &'t [SentenceToken]>) {
        let mut seen = HashSet::new();
        for tokens in sentences {
            if !self.can_read(tokens) {
                continue;
            }
            let symbol =
                |at: Option<usize>| at.and_then(|at| tokens.get(at)).map(|token| token.symbol);
            for at in 0..=tokens.len() {
                let context = (
                    symbol(at.checked_sub(1)),
                    symbol(Some(at)),
                    symbol(Some(at + 1)),
                );
                let rule = self.skeleton.rule(
                    tokens
                        .get(at)
                        .or(tokens.last())
                        .map_or(0, |token| token.parent),
                );
                for (operator, operand) in self.word_edits(tokens, at) {
                    if !seen.insert((context, operator, operand)) {
                        continue;
                    }
                    if self.suite.texts.len() >= self.limit {
                        self.suite.is_cut = true;
                        return;
                    }
                    let edited = self.edit_word(tokens, at, operator, operand);
                    self.add(tokens, edited, rule, false);
                }
            }
        }
    }

    /// Makes random edits of random sentences. Each edit alone leads to a poisoned pair, and the
    /// text has all of them.
    pub fn mutate_at_random(&mut self, sentences: &[&[SentenceToken]], order: usize, seed: u64) {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut tries = self.limit.saturating_mul(20);
        while self.suite.texts.len() < self.limit && tries > 0 && !sentences.is_empty() {
            tries -= 1;
            let original = sentences[rng.random_range(0..sentences.len())];
            if !self.can_read(original) {
                continue;
            }
            let mut tokens = original.to_vec();
            let (mut operators, mut edits, mut rule) = (Vec::new(), Vec::new(), None);
            while operators.len() < order {
                let at = rng.random_range(0..=tokens.len());
                let all = self.word_edits(&tokens, at);
                if all.is_empty() {
                    break;
                }
                let (operator, operand) = all[rng.random_range(0..all.len())];
                rule = rule.or(tokens.get(at).or(tokens.last()).map(|token| token.parent));
                let edited = self.edit_word(&tokens, at, operator, operand);
                tokens = edited.tokens;
                operators.push(operator);
                edits.push(edited.edit);
            }
            if operators.len() == order {
                let rule = self.skeleton.rule(rule.unwrap_or(0));
                self.add(
                    original,
                    Edited {
                        tokens,
                        operators,
                        edit: edits.join(", then "),
                    },
                    rule,
                    false,
                );
            }
        }
    }

    /// Returns the edits at a token for which a poisoned pair arises, with the terminal that is
    /// added.
    fn word_edits(
        &self,
        tokens: &[SentenceToken],
        at: usize,
    ) -> Vec<(EditOperator, Option<usize>)> {
        let terminal = |at: Option<usize>| {
            at.and_then(|at| tokens.get(at))
                .map_or(self.sets.edge(), |token| token.terminal)
        };
        let (before, here, next) = (
            terminal(at.checked_sub(1)),
            terminal(Some(at)),
            terminal(Some(at + 1)),
        );
        let is_poisoned = |sequence: &[usize]| {
            sequence
                .windows(2)
                .any(|pair| self.sets.is_poisoned(pair[0], pair[1]))
        };
        let mut edits = Vec::new();
        let is_token = at < tokens.len();
        if is_token && is_poisoned(&[before, next]) {
            edits.push((EditOperator::Deletion, None));
        }
        for other in 0..self.sets.edge() {
            if is_poisoned(&[before, other, here]) {
                edits.push((EditOperator::Insertion, Some(other)));
            }
            if is_token && other != here && is_poisoned(&[before, other, next]) {
                edits.push((EditOperator::Substitution, Some(other)));
            }
        }
        if at + 1 < tokens.len()
            && next != here
            && is_poisoned(&[before, next, here, terminal(Some(at + 2))])
        {
            edits.push((EditOperator::Transposition, None));
        }
        edits
    }

    fn edit_word(
        &self,
        tokens: &[SentenceToken],
        at: usize,
        operator: EditOperator,
        operand: Option<usize>,
    ) -> Edited {
        let mut all = tokens.to_vec();
        let other = |is_adjacent| operand.map(|terminal| self.token(terminal, is_adjacent));
        let name = |token: &SentenceToken| {
            self.skeleton
                .describe(self.skeleton.terminals[token.terminal])
        };
        let added = operand.map_or(String::new(), |terminal| {
            self.skeleton.describe(self.skeleton.terminals[terminal])
        });
        let edit = match operator {
            EditOperator::Deletion => format!("{} removed", name(&all.remove(at))),
            EditOperator::Insertion => {
                all.extend(other(false));
                all[at..].rotate_right(1);
                tokens
                    .get(at)
                    .map_or(format!("{added} at the end"), |token| {
                        format!("{added} before {}", name(token))
                    })
            }
            EditOperator::Substitution => {
                all.splice(at..=at, other(tokens[at].is_adjacent));
                format!("{added} instead of {}", name(&tokens[at]))
            }
            EditOperator::Transposition => {
                all.swap(at, at + 1);
                // Places keep their layout.
                (all[at].is_adjacent, all[at + 1].is_adjacent) =
                    (tokens[at].is_adjacent, tokens[at + 1].is_adjacent);
                format!("{} before {}", name(&all[at]), name(&all[at + 1]))
            }
        };
        Edited {
            tokens: all,
            operators: vec![operator],
            edit,
        }
    }

    /// Returns the token with the smallest text of a terminal.
    fn token(&self, terminal: usize, is_adjacent: bool) -> SentenceToken {
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

    /// Mutates the productions of the grammar. A mutated production is used if a poisoned pair
    /// arises in every word that it derives. One word is made of each, and at most `limit` in all.
    pub fn mutate_rules(&mut self, limit: usize) {
        let skeleton = self.skeleton;
        let paths = skeleton.paths_from(0);
        for (at, symbol) in skeleton.symbols.iter().enumerate() {
            for production in 0..symbol.productions.len() {
                let Some(path) = paths.to(at) else { continue };
                let fragment = along(skeleton, &path, &opened(skeleton, at, production));
                let tree = SkeletonTree::minimal(skeleton, &fragment);
                let Some((_, tokens)) = self.realiser.realise(&tree) else {
                    continue;
                };
                if !self.can_read(&tokens) {
                    continue;
                }
                let node = path.iter().fold(0, |node, step| {
                    tree.children(node).nth(step.part).unwrap_or(node)
                });
                // For each part, where its tokens begin; and where those of the last one end.
                let index = |node: usize| {
                    tokens
                        .iter()
                        .position(|token| token.node >= node)
                        .unwrap_or(tokens.len())
                };
                let mut begins: Vec<usize> = tree.children(node).map(index).collect();
                begins.push(index(tree.end(node)));
                let occurrence = Occurrence {
                    symbol: at,
                    production,
                    tokens: &tokens,
                    begins: &begins,
                };
                for (operator, part, other) in self.rule_edits(at, production) {
                    if self.suite.texts.len() >= limit {
                        self.suite.is_cut = true;
                        return;
                    }
                    let edited = self.edit_rule(occurrence, (operator, part, other));
                    self.add(&tokens, edited, skeleton.rule(at), true);
                }
                for part in 1..skeleton.symbols[at].productions[production].parts.len() {
                    self.transpose(&path, at, production, part - 1);
                }
            }
        }
    }

    /// Exchanges two neighbours in a production. Both get texts that are not empty. No poisoned
    /// pair need arise: only our parser says whether the text is a sentence.
    fn transpose(&mut self, path: &[PathStep], at: usize, production: usize, part: usize) {
        let skeleton = self.skeleton;
        let parts = &skeleton.symbols[at].productions[production].parts;
        let (one, other) = (parts[part].symbol, parts[part + 1].symbol);
        let (Some(first), Some(second)) = (self.text_of(one), self.text_of(other)) else {
            return;
        };
        if one == other {
            return;
        }
        // The later part first, so that the index of the earlier one stays.
        let fragment = with_child(&opened(skeleton, at, production), part + 1, &second);
        let tree = SkeletonTree::minimal(
            skeleton,
            &along(skeleton, path, &with_child(&fragment, part, &first)),
        );
        let Some((_, tokens)) = self.realiser.realise(&tree) else {
            return;
        };
        let node = path.iter().fold(0, |node, step| {
            tree.children(node).nth(step.part).unwrap_or(node)
        });
        let index = |node: usize| {
            tokens
                .iter()
                .position(|token| token.node >= node)
                .unwrap_or(tokens.len())
        };
        let children: Vec<usize> = tree.children(node).collect();
        let (from, middle, to) = (
            index(children[part]),
            index(children[part + 1]),
            index(tree.end(children[part + 1])),
        );
        let mut all = tokens.clone();
        all[from..to].rotate_left(middle - from);
        if self.suite.texts.len() >= self.limit || !self.can_read(&tokens) || self.can_read(&all) {
            return;
        }
        let (one, other) = (skeleton.describe(one), skeleton.describe(other));
        let edit = format!(
            "{other} before {one} in {}",
            skeleton.describe_production(at, production)
        );
        self.add(
            &tokens,
            Edited {
                tokens: all,
                operators: vec![EditOperator::Transposition],
                edit,
            },
            skeleton.rule(at),
            true,
        );
    }

    /// Returns a small tree of a symbol whose text is not empty.
    fn text_of(&self, symbol: usize) -> Option<Fragment> {
        let skeleton = self.skeleton;
        let leaf = |symbol| {
            vec![SkeletonNode {
                symbol,
                production: None,
            }]
        };
        if skeleton.symbols[symbol].terminal.is_some() || !self.sets.is_nullable(symbol) {
            return (!self.sets.is_nullable(symbol)).then(|| leaf(symbol));
        }
        let paths = skeleton.paths_from(symbol);
        let tokens = (0..skeleton.symbols.len())
            .filter(|&at| skeleton.symbols[at].terminal.is_some() && !self.sets.is_nullable(at));
        let fragments =
            tokens.filter_map(|token| Some(along(skeleton, &paths.to(token)?, &leaf(token))));
        fragments.min_by_key(Vec::len)
    }

    /// Returns the edits of a production after which each of its words has a poisoned pair: the
    /// operator, the index of a part, and the symbol that is added.
    fn rule_edits(
        &self,
        at: usize,
        production: usize,
    ) -> Vec<(EditOperator, usize, Option<usize>)> {
        let skeleton = self.skeleton;
        let parts: Vec<usize> = skeleton.symbols[at].productions[production]
            .parts
            .iter()
            .map(|part| part.symbol)
            .collect();
        let mut edits = Vec::new();
        let first = |symbol: usize| self.sets.first(symbol).collect::<Vec<_>>();
        let last = |symbol: usize| self.sets.last(symbol).collect::<Vec<_>>();
        let is_text = |symbol: usize| !self.sets.is_nullable(symbol);
        let all_poisoned = |one: &[usize], other: &[usize]| {
            one.iter()
                .all(|&one| other.iter().all(|&other| self.sets.is_poisoned(one, other)))
        };
        // Terminals, and nonterminals with a rule of their own.
        let is_named = |&symbol: &usize| {
            let id = skeleton.symbols[symbol].id;
            match skeleton.symbols[symbol].terminal {
                Some(terminal) => skeleton.terminals[terminal] == symbol,
                None => !skeleton.grammar.label(id).contains('/'),
            }
        };
        let others: Vec<usize> = (0..skeleton.symbols.len())
            .filter(is_named)
            .filter(|&symbol| is_text(symbol))
            .collect();
        for part in 0..=parts.len() {
            let (left, right) = (
                self.sets.left(at, &parts[..part]),
                self.sets.right(at, &parts[part..]),
            );
            let after = parts
                .get(part)
                .map(|_| self.sets.right(at, &parts[part + 1..]));
            if after
                .as_ref()
                .is_some_and(|after| all_poisoned(&left, after))
                && is_text(parts[part])
            {
                edits.push((EditOperator::Deletion, part, None));
            }
            for &other in &others {
                let (begins, ends) = (first(other), last(other));
                let is_wrong_here = all_poisoned(&left, &begins);
                if is_wrong_here || all_poisoned(&ends, &right) {
                    edits.push((EditOperator::Insertion, part, Some(other)));
                }
                let is_wrong = |after: &Vec<usize>| is_wrong_here || all_poisoned(&ends, after);
                if after.as_ref().is_some_and(is_wrong) && parts[part] != other {
                    edits.push((EditOperator::Substitution, part, Some(other)));
                }
            }
        }
        edits
    }

    /// Carries out an edit that [`Breaker::rule_edits`] returned.
    fn edit_rule(
        &self,
        occurrence: Occurrence<'_>,
        (operator, part, other): (EditOperator, usize, Option<usize>),
    ) -> Edited {
        let Occurrence {
            symbol: at,
            production,
            tokens,
            begins,
        } = occurrence;
        let skeleton = self.skeleton;
        let parts = &skeleton.symbols[at].productions[production].parts;
        let name = |index: usize| skeleton.describe(parts[index].symbol);
        let added = other.map_or(String::new(), |symbol| skeleton.describe(symbol));
        let (from, to) = (begins[part], begins[(part + 1).min(parts.len())]);
        let mut all = tokens.to_vec();
        let edit = match operator {
            EditOperator::Deletion => {
                all.drain(from..to);
                format!("{} removed", name(part))
            }
            EditOperator::Insertion => {
                all.splice(
                    from..from,
                    other.map_or(Vec::new(), |symbol| self.yielded(symbol)),
                );
                if part < parts.len() {
                    format!("{added} before {}", name(part))
                } else {
                    format!("{added} at the end")
                }
            }
            EditOperator::Substitution => {
                all.splice(
                    from..to,
                    other.map_or(Vec::new(), |symbol| self.yielded(symbol)),
                );
                format!("{added} instead of {}", name(part))
            }
            // `rule_edits` returns none.
            EditOperator::Transposition => String::new(),
        };
        let edit = format!("{edit} in {}", skeleton.describe_production(at, production));
        Edited {
            tokens: all,
            operators: vec![operator],
            edit,
        }
    }

    /// Returns the tokens of the smallest tree of a symbol.
    fn yielded(&self, symbol: usize) -> Vec<SentenceToken> {
        let skeleton = self.skeleton;
        let tree = match skeleton.symbols[symbol].terminal {
            Some(_) => SkeletonTree::minimal(
                skeleton,
                &[SkeletonNode {
                    symbol,
                    production: None,
                }],
            ),
            None => SkeletonTree::minimal(skeleton, &opened(skeleton, symbol, 0)),
        };
        let tokens = tree
            .nodes
            .iter()
            .filter_map(|node| skeleton.symbols[node.symbol].terminal);
        tokens
            .map(|terminal| self.token(terminal, false))
            .filter(|token| !token.text.is_empty())
            .collect()
    }

    /// Returns whether our parser reads tokens with a separator between any two.
    fn can_read(&mut self, tokens: &[SentenceToken]) -> bool {
        let (text, _) = self.joined(tokens);
        self.parser.parse_into(&text, &mut self.derivation).is_ok()
    }

    /// Joins tokens with a separator between any two that may have layout between them. Returns
    /// also the offset of each token, and of the end.
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
    fn add(&mut self, original: &[SentenceToken], edited: Edited, rule: &str, is_of_rule: bool) {
        let Edited {
            tokens,
            operators,
            edit,
        } = edited;
        let (text, offsets) = self.joined(&tokens);
        if !self.known.insert(text.clone()) {
            return;
        }
        let at = match self.parser.parse_into(&text, &mut self.derivation) {
            Ok(()) | Err(Failure::Glued(_)) => {
                self.suite.readable += 1;
                return;
            }
            Err(Failure::Unexpected(at)) => at,
            Err(_) => {
                self.suite.unclear += 1;
                return;
            }
        };
        let error = Failure::Unexpected(at);
        // The text is a prefix of a sentence up to the edit, and not after the first poisoned pair.
        let same = original
            .iter()
            .zip(&tokens)
            .take_while(|(one, other)| one.terminal == other.terminal)
            .count();
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
    }
}
