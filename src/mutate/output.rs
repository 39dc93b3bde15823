//! The output of mutators: the changed parameters, and the buffers that mutators share.

use rand::RngExt;

use super::Mutation;
use super::vocabulary::TokenOccurrence;
use crate::bounds::{Bounds, Caps};
use crate::derivation::Derivation;
use crate::derive::Workspace;
use crate::grammar::{Grammar, Kind, SymbolId};
use crate::parameters::{self, EditWorkspace, Settings, TextEdits, Tree, Unedited};
use crate::parse::Matcher;
use crate::sampler::{self, Sampler};
use crate::splice::{Replace, Splice, SpliceBuffers, TreeView};

/// The maximum number of nodes of a sampled subtree for each byte of the requested size.
/// Derivations of the shipped grammars have up to 4 nodes for each byte of text on average.
const NODES_PER_BYTE: f64 = 8.0;

/// The maximum number of nodes of a sampled subtree for each byte of `max_size`. A node with a
/// choice takes at least one byte of parameters. A node without a choice takes none.
const NODES_PER_PARAMETER: usize = 2;

/// The number of nodes that a sampled subtree may always have in addition to those of the smallest
/// subtree.
const FREE_NODES: u32 = 256;

/// The maximum number of times that the weights of [`ValidityModel`](super::validity_model::ValidityModel) are squared.
const MAX_SQUARINGS: u32 = 4;

/// The parameters that a mutator writes, and buffers that mutators reuse.
#[derive(Debug)]
pub struct Output {
    /// The changed parameters. With a grammar they are decoded afterwards, so they need not be
    /// canonical.
    pub bytes: Vec<u8>,
    /// The best result so far, for mutators that compare several results.
    pub best: Vec<u8>,
    /// The parameters of a subtree.
    pub part: Vec<u8>,
    /// The edits of the text of the result. Before an operator is called, these are the parent's
    /// edits.
    pub text_edits: TextEdits,
    /// Another list of edits, for comparison.
    pub other_edits: TextEdits,
    /// The text of a token, or an edited text.
    pub text: Vec<u8>,
    /// Indices of nodes.
    pub list: Vec<u32>,
    /// The subtree that was sampled last.
    pub sampled: Tree,
    pub splices: SpliceBuffers,
    workspace: Workspace,
    edit_workspace: EditWorkspace,
    derivation: Derivation,
    pub(super) sampler: Sampler,
    matcher: Matcher,
}

impl Default for Output {
    fn default() -> Output {
        Output {
            bytes: Vec::new(),
            best: Vec::new(),
            part: Vec::new(),
            text_edits: TextEdits::default(),
            other_edits: TextEdits::default(),
            text: Vec::new(),
            list: Vec::new(),
            sampled: Tree::default(),
            splices: SpliceBuffers::default(),
            workspace: Workspace::default(),
            edit_workspace: EditWorkspace::default(),
            derivation: Derivation::default(),
            sampler: Sampler::new(0, 0.0),
            matcher: Matcher::default(),
        }
    }
}

impl Output {
    /// Sets the output to the parameters of the parent.
    pub fn copy(&mut self, parent: &TreeView<'_>) {
        self.bytes.clear();
        self.bytes.extend_from_slice(parent.bytes());
    }

    /// Sets the output to the spliced parent. Returns whether the splice is possible.
    #[inline(always)]
    pub fn apply(&mut self, parent: &TreeView<'_>, splice: &impl Splice) -> bool {
        splice.write(parent, &mut self.splices, &mut self.bytes)
    }

    /// Sets the output to the parent with the subtree of a node replaced by [`Output::part`].
    #[inline(always)]
    pub fn replace(&mut self, parent: &TreeView<'_>, node: usize) {
        let Output {
            bytes,
            part,
            splices,
            ..
        } = self;
        Replace { node, part }.write(parent, splices, bytes);
    }

    /// Samples a subtree. Appends its parameters to [`Output::part`].
    pub fn sample(
        &mut self,
        mutation: &mut Mutation<'_>,
        parent: &TreeView<'_>,
        subtree: NewSubtree,
    ) {
        let NewSubtree {
            before,
            symbol,
            size,
        } = subtree;
        let Output {
            part,
            workspace,
            sampled,
            sampler,
            ..
        } = self;
        let (grammar, seed) = (parent.grammar, mutation.rng.random());
        let settings =
            &with_node_limit(grammar, mutation.settings, symbol, size, mutation.max_size);
        let goal = settings.goal(grammar, symbol);
        if let Some(node) = before {
            workspace.show_names_before(grammar, parent.tree.derivation(), node);
        }
        let is_guided = !sampler.validity.is_empty() && mutation.rng.random();
        sampler.validity.squarings =
            is_guided.then(|| mutation.rng.random_range(0..=MAX_SQUARINGS));
        sampler.reseed(seed);
        sampler.restart(size);
        sampler::sample(goal, sampler, workspace, sampled);
        part.extend_from_slice(sampled.parameters());
    }

    /// Adds the parameters of a word to those that the sampler draws for a token. Ignores words of
    /// parts of tokens.
    pub fn learn_word(
        &mut self,
        grammar: &Grammar,
        occurrence: TokenOccurrence,
        parameters: &[u8],
    ) {
        let is_token = match grammar[occurrence.lexeme].kind {
            Kind::Lexeme { body, .. } => body == occurrence.symbol,
            _ => occurrence.lexeme == occurrence.symbol,
        };
        if is_token {
            self.sampler
                .words
                .add(grammar, occurrence.lexeme, parameters);
        }
    }

    /// Sets the output to a sampled sentence of about `size` bytes of text.
    pub fn sample_all(&mut self, mutation: &mut Mutation<'_>, parent: &TreeView<'_>, size: f64) {
        self.part.clear();
        let sentence = NewSubtree {
            before: None,
            symbol: parent.grammar.start(),
            size,
        };
        self.sample(mutation, parent, sentence);
        std::mem::swap(&mut self.part, &mut self.bytes);
    }

    /// Applies [`Output::text_edits`] to the text of the parent. Sets [`Output::text`] to the
    /// edited text.
    pub fn edit_text(&mut self, parent: &TreeView<'_>) {
        let Output {
            text,
            text_edits,
            workspace,
            edit_workspace,
            ..
        } = self;
        let sentence = Unedited {
            grammar: parent.grammar,
            settings: parent.settings,
            derivation: parent.tree.derivation(),
        };
        parameters::apply_edits(sentence, text_edits, workspace, edit_workspace, text);
    }

    /// Parses a text by the rule of a token. Writes the parameters of the token to
    /// [`Output::part`].
    ///
    /// # Errors
    /// If the text does not match the rule. The error is the offset of the furthest byte up to
    /// which the text matches.
    pub fn read_token(
        &mut self,
        parent: &TreeView<'_>,
        symbol: SymbolId,
        text: &[u8],
    ) -> Result<(), usize> {
        self.matcher
            .read(parent.grammar, symbol, text, &mut self.derivation)?;
        self.part.clear();
        parameters::encode(parent.grammar, &self.derivation, &mut self.part);
        Ok(())
    }
}

/// Returns settings with a lower cap of nodes, for a sample. A grammar may derive thousands of
/// nodes without text for one byte of text, so the size in bytes does not bound the work.
///
/// Canonical parameters that are sampled under the lower cap must decode to the same sentence under
/// the original cap. This holds without a bound of depth, because a higher cap then only allows
/// more options. With a bound of depth the cap is not lowered.
#[inline(always)]
fn with_node_limit(
    grammar: &Grammar,
    settings: &Settings,
    symbol: SymbolId,
    size: f64,
    max_size: usize,
) -> Settings {
    if settings.bounds.depth != Bounds::NONE {
        return *settings;
    }
    let by_text = (NODES_PER_BYTE * size) as u32;
    let by_parameters =
        u32::try_from(max_size.saturating_mul(NODES_PER_PARAMETER)).unwrap_or(u32::MAX);
    let nodes = grammar[symbol]
        .minimum
        .nodes
        .saturating_add(by_text.min(by_parameters))
        .saturating_add(FREE_NODES);
    let caps = Caps {
        nodes: settings.caps.nodes.min(nodes),
        ..settings.caps
    };
    Settings { caps, ..*settings }
}

#[derive(Clone, Copy, Debug)]
pub struct NewSubtree {
    /// The subtree can use the names that are visible before this node of the parent. [`None`] for
    /// a whole sentence.
    pub before: Option<usize>,
    pub symbol: SymbolId,
    /// The approximate number of bytes of its text.
    pub size: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::Mutator;
    use crate::notation;

    #[test]
    fn the_number_of_empty_nodes_in_a_sample_is_bounded() {
        // The grammar has 330 nodes for each byte of text.
        let source = "s = a* ; a = b b b b b b b b \"x\" ; b = c c c c c c c c ; c = d? d? d? d? ; d = a \"y\" ;";
        let (grammar, _) =
            notation::read("empty parts", source.as_bytes(), &Caps::default()).unwrap();
        let (settings, mut tree, mut output) =
            (Settings::default(), Tree::default(), Output::default());
        parameters::read(
            &grammar,
            &settings,
            &[],
            &mut Workspace::default(),
            &mut tree,
        );
        let parent = TreeView {
            grammar: &grammar,
            settings: &settings,
            tree: &tree,
        };
        let (mut mutator, mut native) = (
            Mutator::new(&grammar),
            |_: &mut [u8], size: usize, _: usize| size,
        );
        let mut max = 0;
        for seed in 0..100 {
            let (mut mutation, _) = mutator.mutation(seed, 200, &mut native);
            output.sample_all(&mut mutation, &parent, 1_000.0);
            max = max.max(output.sampled.derivation().nodes().len());
        }
        // The limit is 2 nodes for each of 200 bytes of parameters, plus the free nodes and those
        // of the smallest sentence.
        assert!((330..=660).contains(&max), "{max} nodes");
    }
}
