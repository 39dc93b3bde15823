//! A derivation with its canonical parameters and the span of each node. Mutation needs all of
//! these.

use std::ops::Range;

use super::codes;
use super::{Parameters, Settings, encode_with_spans};
use crate::derivation::{Derivation, Node};
use crate::derive::{Choice, ChoiceSource, DerivationGoal, Expander, NodeSink, Workspace, lay_out};
use crate::grammar::{Grammar, SymbolId};
use crate::uninstrumented::uninstrumented;

/// A derivation, its canonical parameters, and the span of each node.
/// [`Decoder::tree`](super::Decoder::tree) makes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    pub(super) derivation: Derivation,
    pub(super) parameters: Vec<u8>,
    /// The offset of the parameters of every node, and at the end the total number of parameters.
    pub(super) spans: Vec<u32>,
}

impl Tree {
    /// Returns the derivation.
    #[inline(always)]
    pub fn derivation(&self) -> &Derivation {
        &self.derivation
    }

    /// Returns the canonical parameters.
    #[inline(always)]
    pub fn parameters(&self) -> &[u8] {
        &self.parameters
    }

    /// Returns whether the root has a symbol and the canonical parameters are `parameters`.
    #[inline(always)]
    pub(crate) fn is(&self, symbol: SymbolId, parameters: &[u8]) -> bool {
        self.parameters == parameters
            && self
                .derivation
                .nodes
                .first()
                .is_some_and(|root| root.symbol == symbol)
    }

    /// Returns the range of the parameters of a node and its subtree.
    #[inline(always)]
    pub fn span(&self, node: usize) -> Range<usize> {
        self.spans[node] as usize
            ..self.spans[node + self.derivation.nodes[node].size as usize] as usize
    }
}

/// A sentence, with the grammar and the settings by which its parameters decode.
#[derive(Clone, Copy, Debug)]
pub struct TreeView<'a> {
    /// The grammar.
    pub grammar: &'a Grammar,
    /// The settings of decoding.
    pub settings: &'a Settings,
    /// The sentence with its canonical parameters.
    pub tree: &'a Tree,
}

/// Derives a sentence by a choice source, and encodes it, in one pass. `tree` is overwritten.
/// `NAMES` is whether the grammar has names.
#[inline(always)]
pub(crate) fn derive_tree<C: ChoiceSource + ?Sized, const NAMES: bool>(
    goal: DerivationGoal<'_>,
    choice_source: &mut C,
    workspace: &mut Workspace,
    tree: &mut Tree,
) {
    let Tree {
        derivation,
        parameters,
        spans,
    } = tree;
    derivation.clear();
    parameters.clear();
    spans.clear();
    let mut sink = Canonical {
        nodes: &mut derivation.nodes,
        bytes: parameters,
        spans,
        has_wrong_length: false,
    };
    let text = &mut derivation.text;
    Expander::<_, _, NAMES>::new(goal, choice_source, workspace, text, &mut sink).run(goal.symbol);
    let has_wrong_length = sink.has_wrong_length;
    lay_out(goal, workspace, text, &mut derivation.nodes);
    derivation.measure(goal.grammar);
    if has_wrong_length {
        parameters.clear();
        encode_with_spans(goal.grammar, derivation, parameters, spans);
    } else {
        spans.push(parameters.len() as u32);
    }
}

uninstrumented! {
    /// Decodes bytes and encodes the derivation, in one pass. `tree` is overwritten. See
    /// [`decode`](super::decode) and [`encode_with_spans`].
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::{Grammar, derive::Workspace, parameters::{self, Tree}};
    ///
    /// let grammar = Grammar::read("x.ebnf", br#"s = [a-z]{2} ;"#).unwrap();
    /// let (mut workspace, mut tree) = (Workspace::default(), Tree::default());
    /// parameters::read(&grammar, &Default::default(), &[27, 2, 99], &mut workspace, &mut tree);
    /// assert_eq!((tree.derivation().text(), tree.parameters()), (&b"bc"[..], &[1, 2][..]));
    /// ```
    pub fn read(grammar: &Grammar, settings: &Settings, bytes: &[u8], workspace: &mut Workspace, tree: &mut Tree) {
        let goal = DerivationGoal::start(grammar, &settings.bounds, &settings.caps);
        let mut parameters = Parameters::new(bytes, settings.past_end);
        match grammar.has_names() {
            false => derive_tree::<_, false>(goal, &mut parameters, workspace, tree),
            true => read_with_names(goal, &mut parameters, workspace, tree),
        }
    }
}

uninstrumented! {
    /// Does the work of [`read`] by a grammar with names.
    fn read_with_names(goal: DerivationGoal<'_>, parameters: &mut Parameters<'_>, workspace: &mut Workspace, tree: &mut Tree) {
        derive_tree::<_, true>(goal, parameters, workspace, tree);
    }
}

/// A sink that stores the nodes and their spans, and writes the canonical code of every choice. The
/// sizes of the subtrees are set later.
pub(super) struct Canonical<'a> {
    pub nodes: &'a mut Vec<Node>,
    pub bytes: &'a mut Vec<u8>,
    pub spans: &'a mut Vec<u32>,
    /// Whether `bytes` may be not canonical: a repetition or a layout ended early, and the code of
    /// its new count may have another length.
    pub has_wrong_length: bool,
}

impl NodeSink for Canonical<'_> {
    #[inline(always)]
    fn node(&mut self, node: Node, kind: Choice<'_>, text: &[u8]) -> u32 {
        self.spans.push(self.bytes.len() as u32);
        codes::write(kind, node.choice, text, self.bytes);
        self.nodes.node(node, kind, text)
    }

    #[inline(always)]
    fn replace_choice(&mut self, node: u32, choice: u32, kind: Choice<'_>) {
        self.nodes.replace_choice(node, choice, kind);
        let code = &mut self.bytes[self.spans[node as usize] as usize];
        let (new, is_short) = match kind {
            Choice::Count { at_least } => ((choice - at_least) as u8, *code < codes::SHORT_COUNT),
            _ => (
                codes::layout(choice),
                *code != codes::COUNTED_LAYOUT && *code != codes::WITHOUT_SEPARATORS,
            ),
        };
        if is_short {
            *code = new;
        } else {
            self.has_wrong_length = true;
        }
    }

    #[inline(always)]
    fn next_index(&self) -> u32 {
        self.nodes.next_index()
    }

    #[inline(always)]
    fn shift(&mut self, first: u32, bytes: u32) {
        self.nodes.shift(first, bytes);
    }
}
