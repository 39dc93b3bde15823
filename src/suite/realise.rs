//! Turns trees into texts.

use super::skeleton::Skeleton;
use super::tokens::{TokenText, TokenTexts, case, texts};
use super::tree::SkeletonTree;
use crate::bounds::{Bounds, Caps};
use crate::derivation::Derivation;
use crate::derive::{At, Case, ChoiceSource, DerivationGoal, Workspace, derive};
use crate::grammar::{Class, Grammar, Kind, SymbolId};

/// A token of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentenceToken {
    /// The index of the token's node in the tree.
    pub(super) node: usize,
    /// The symbol: an occurrence of a terminal.
    pub(super) symbol: usize,
    /// The symbol that contains the token.
    pub(super) parent: usize,
    pub(super) terminal: usize,
    /// The bytes, at least one.
    pub text: Vec<u8>,
    /// Whether no layout is allowed before it.
    pub is_adjacent: bool,
}

/// Returns the tokens of a derivation that are not empty.
pub fn tokens_of(skeleton: &Skeleton<'_>, derivation: &Derivation) -> Vec<SentenceToken> {
    let grammar = skeleton.grammar;
    let number_of = skeleton.numbers();
    let mut tokens = Vec::new();
    // For each node, the symbol around it, and whether no layout is allowed before it.
    let mut around = vec![0; derivation.nodes().len()];
    let mut adjacent = Vec::new();
    derivation.adjacent(grammar, &mut adjacent);
    for (at, node) in derivation.nodes().iter().enumerate() {
        let Some(&symbol) = number_of.get(&node.symbol) else {
            continue;
        };
        for child in derivation.children(at) {
            around[child] = symbol;
        }
        let token = derivation.token_range(grammar, at);
        let (Some(range), Some(terminal)) = (token, skeleton.symbols[symbol].terminal) else {
            continue;
        };
        if !range.is_empty() {
            let text = derivation.text()[range].to_vec();
            tokens.push(SentenceToken {
                node: at,
                symbol,
                parent: around[at],
                terminal,
                text,
                is_adjacent: adjacent[at],
            });
        }
    }
    tokens
}

/// Makes the texts of a suite from trees. The texts of each terminal are used in turn.
pub struct Realiser<'s, 'g> {
    skeleton: &'s Skeleton<'g>,
    /// For each symbol of the grammar, whether it is in the skeleton. The parts of tokens, the root
    /// and the layout at the end of a sentence are not.
    is_syntax: Vec<bool>,
    /// For each terminal, its texts, and how many of its tokens were written so far.
    texts: Vec<(Vec<TokenText>, usize)>,
    workspace: Workspace,
    derivation: Derivation,
}

impl<'s, 'g> Realiser<'s, 'g> {
    pub fn new(skeleton: &'s Skeleton<'g>, which: TokenTexts) -> Realiser<'s, 'g> {
        let of = |&symbol: &usize| {
            (
                texts(skeleton.grammar, skeleton.symbols[symbol].id, which),
                0,
            )
        };
        let texts = skeleton.terminals.iter().map(of).collect();
        let mut is_syntax = vec![false; skeleton.grammar.symbols().len()];
        skeleton
            .symbols
            .iter()
            .for_each(|symbol| is_syntax[symbol.id.0 as usize] = true);
        Realiser {
            skeleton,
            is_syntax,
            texts,
            workspace: Workspace::default(),
            derivation: Derivation::default(),
        }
    }

    /// Returns a terminal with a text that was not used yet.
    pub fn unused(&self) -> Option<usize> {
        self.texts
            .iter()
            .position(|(texts, used)| *used < texts.len())
    }

    /// Returns the smallest text of a terminal.
    pub fn smallest(&self, terminal: usize) -> &[u8] {
        self.texts[terminal]
            .0
            .first()
            .map_or(&[], |text| &text.text)
    }

    /// Returns the text of a tree, and those of its tokens that are not empty. Returns [`None`] if
    /// the sentence would exceed the caps, or if `~` in the grammar forbids it.
    pub fn realise(&mut self, tree: &SkeletonTree) -> Option<(Vec<u8>, Vec<SentenceToken>)> {
        let skeleton = self.skeleton;
        let (mut steps, mut tokens) = (Vec::with_capacity(tree.nodes.len()), Vec::new());
        let (adjacent, parents) = (adjacent(skeleton, tree), tree.parents());
        for (at, node) in tree.nodes.iter().enumerate() {
            let symbol = &skeleton.symbols[node.symbol];
            match (symbol.terminal, node.production) {
                (Some(terminal), _) => {
                    let (texts, used) = &mut self.texts[terminal];
                    let text = &texts[*used % texts.len()];
                    *used += 1;
                    steps.push(ScriptStep::Token(text.answers.clone()));
                    if !text.text.is_empty() {
                        let (symbol, parent) = (node.symbol, tree.nodes[parents[at]].symbol);
                        let (text, is_adjacent) = (text.text.clone(), adjacent[at]);
                        tokens.push(SentenceToken {
                            node: at,
                            symbol,
                            parent,
                            terminal,
                            text,
                            is_adjacent,
                        });
                    }
                }
                (None, production) => {
                    let production = &symbol.productions[production.unwrap_or(0)];
                    let minimum = symbol.productions[0].choice;
                    let is_repetition =
                        matches!(skeleton.grammar[symbol.id].kind, Kind::Repeat { .. });
                    steps.push(ScriptStep::Choice(if is_repetition {
                        production.choice - minimum
                    } else {
                        production.choice
                    }));
                }
            }
        }
        let is_syntax = &self.is_syntax;
        let mut script = Script {
            is_syntax,
            steps: steps.into_iter(),
            choice: 0,
            is_in_token: false,
            answers: Vec::new().into_iter(),
        };
        let (grammar, caps) = (skeleton.grammar, Caps::default());
        derive(
            DerivationGoal::start(grammar, &Bounds::UNBOUNDED, &caps),
            &mut script,
            &mut self.workspace,
            &mut self.derivation,
        );
        let is_whole = script.steps.next().is_none() && self.is_of(tree);
        is_whole.then(|| (self.derivation.text().to_vec(), tokens))
    }

    /// Returns whether the derivation has the nodes of a tree.
    fn is_of(&self, tree: &SkeletonTree) -> bool {
        let mut expected = tree
            .nodes
            .iter()
            .map(|node| self.skeleton.symbols[node.symbol].id);
        let mut found = self
            .derivation
            .nodes()
            .iter()
            .map(|node| node.symbol)
            .filter(|symbol| self.is_syntax[symbol.0 as usize]);
        expected.by_ref().all(|symbol| found.next() == Some(symbol)) && found.next().is_none()
    }
}

/// For each node of a tree, whether no layout is allowed before its first token.
fn adjacent(skeleton: &Skeleton<'_>, tree: &SkeletonTree) -> Vec<bool> {
    let mut adjacent = vec![false; tree.nodes.len()];
    for (at, node) in tree.nodes.iter().enumerate() {
        let Some(production) = node.production else {
            continue;
        };
        let parts = &skeleton.symbols[node.symbol].productions[production].parts;
        for (index, (child, part)) in tree.children(at).zip(parts).enumerate() {
            adjacent[child] = part.is_adjacent || index == 0 && adjacent[at];
        }
    }
    adjacent
}

/// A step of a script: the answer to one choice of the syntax, or the answers to all choices in a
/// token.
enum ScriptStep {
    Choice(u32),
    Token(Vec<u32>),
}

/// A choice source that makes the choices of a given tree.
struct Script<'a> {
    /// For each symbol of the grammar, whether trees have nodes of this symbol.
    is_syntax: &'a [bool],
    steps: std::vec::IntoIter<ScriptStep>,
    choice: u32,
    is_in_token: bool,
    /// The answers that are left for the current token.
    answers: std::vec::IntoIter<u32>,
}

impl Script<'_> {
    /// Returns the answer to the next choice. In a token, it is the next answer from the token's
    /// list. Otherwise it is the choice of the current node of the tree.
    fn next(&mut self) -> u32 {
        if self.is_in_token {
            self.answers.next().unwrap_or(0)
        } else {
            self.choice
        }
    }
}

impl ChoiceSource for Script<'_> {
    fn enter(&mut self, _: &Grammar, at: At<'_>) {
        if self.is_syntax[at.symbol.0 as usize] {
            match self.steps.next() {
                Some(ScriptStep::Choice(choice)) => {
                    (self.choice, self.is_in_token) = (choice, false)
                }
                Some(ScriptStep::Token(answers)) => {
                    (self.answers, self.is_in_token) = (answers.into_iter(), true)
                }
                None => {}
            }
        }
    }

    fn alternative(&mut self, _: &Grammar, _: SymbolId, options: u32) -> u32 {
        self.next().min(options - 1)
    }

    fn count(&mut self, _: &Grammar, _: SymbolId, spread: u32) -> u32 {
        self.next().min(spread)
    }

    fn member(&mut self, _: SymbolId, class: &Class) -> u32 {
        self.next().min(class.count() - 1)
    }

    fn name(&mut self, _: SymbolId, names: u32) -> u32 {
        self.next().min(names)
    }

    fn case(&mut self, _: SymbolId, _: u32) -> Case {
        case(self.next())
    }

    fn layout(&mut self, _: SymbolId) -> u32 {
        0
    }
}
