//! An input of a fuzz target: a sentence and the edits of its text.

use super::text_edits::{EditWorkspace, Edits, TextEdits, Unedited, apply_edits, may_have_edits};
use super::{Settings, Tree, decode, decode_text, read};
use crate::derivation::Derivation;
use crate::derive::Workspace;
use crate::grammar::Grammar;

/// The memory of [`decode_input`].
#[derive(Debug, Default)]
pub struct InputBuffers {
    /// The memory of a derivation.
    pub workspace: Workspace,
    derivation: Derivation,
    edits: TextEdits,
    edit_workspace: EditWorkspace,
}

impl InputBuffers {
    /// Returns buffers with memory for this number of open expansions.
    pub fn with_capacity(open: usize) -> InputBuffers {
        InputBuffers {
            workspace: Workspace::with_capacity(open),
            ..InputBuffers::default()
        }
    }
}

/// Decodes bytes to the text that the program under test reads: a sentence, or an edited sentence
/// if `settings` allow edits and the bytes have some. `text` is overwritten. Returns whether the
/// text is edited.
pub fn decode_input(
    grammar: &Grammar,
    settings: &Settings,
    bytes: &[u8],
    buffers: &mut InputBuffers,
    text: &mut Vec<u8>,
) -> bool {
    let InputBuffers {
        workspace,
        derivation,
        edits,
        edit_workspace,
    } = buffers;
    let length = decode_text(grammar, settings, bytes, workspace, text);
    if settings.edits == Edits::Off || length >= bytes.len() {
        return false;
    }
    edits.read(&bytes[length..]);
    if edits.is_empty() {
        return false;
    }
    // Edits of tokens need the tree.
    decode(grammar, settings, bytes, workspace, derivation);
    let sentence = Unedited {
        grammar,
        settings,
        derivation,
    };
    apply_edits(sentence, edits, workspace, edit_workspace, text);
    !edits.is_empty()
}

/// An input in decoded form: the sentence with its parameters, the edits, and the edited text.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// The sentence.
    pub tree: Tree,
    edits: TextEdits,
    /// The edited text, if there are edits.
    text: Vec<u8>,
    /// The canonical parameters of the sentence and of the edits, if there are edits.
    bytes: Vec<u8>,
    workspace: EditWorkspace,
}

impl Input {
    /// Returns the input of a sentence, without edits.
    pub fn of(tree: Tree) -> Input {
        Input {
            tree,
            ..Input::default()
        }
    }

    /// Returns the bytes of an input whose text is `text`. They have the parameters of the sentence
    /// `tree`, and an edit if the text of `tree` differs. Returns [`None`] if no edit results in
    /// `text`.
    pub fn with_text(
        tree: Tree,
        text: &[u8],
        grammar: &Grammar,
        settings: &Settings,
        workspace: &mut Workspace,
    ) -> Option<Vec<u8>> {
        let (sentence, mut edits) = (tree.derivation().text(), TextEdits::default());
        if sentence != text
            && (settings.edits == Edits::Off || !edits.push_difference(sentence, text))
        {
            return None;
        }
        let mut input = Input::of(tree);
        input.edit(grammar, settings, &edits, workspace);
        let mut bytes = input.bytes().to_vec();
        // libFuzzer ignores empty files.
        bytes.resize(bytes.len().max(1), 0);
        // For a target that takes `&str`, bytes that are not UTF-8 are removed. So an edit may
        // result in another text.
        input.read(grammar, settings, &bytes, workspace);
        (input.text() == text).then_some(bytes)
    }

    /// Returns the text that the program under test reads.
    #[inline(always)]
    pub fn text(&self) -> &[u8] {
        if self.edits.is_empty() {
            self.tree.derivation().text()
        } else {
            &self.text
        }
    }

    /// Returns the canonical parameters of the sentence and of the edits.
    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        if self.edits.is_empty() {
            self.tree.parameters()
        } else {
            &self.bytes
        }
    }

    /// Returns the edits.
    #[inline(always)]
    pub fn edits(&self) -> &TextEdits {
        &self.edits
    }

    /// Decodes bytes. Overwrites this input.
    pub fn read(
        &mut self,
        grammar: &Grammar,
        settings: &Settings,
        bytes: &[u8],
        workspace: &mut Workspace,
    ) {
        read(grammar, settings, bytes, workspace, &mut self.tree);
        self.edits.clear();
        let canonical = self.tree.parameters().len();
        if settings.edits == Edits::Off || bytes == self.tree.parameters() || !may_have_edits(bytes)
        {
            return;
        }
        // If the bytes begin with the canonical parameters, the number of bytes that the derivation
        // read is known.
        let length = match bytes.starts_with(self.tree.parameters()) {
            true => canonical,
            false => decode_text(grammar, settings, bytes, workspace, &mut self.text),
        };
        self.edits.read(bytes.get(length..).unwrap_or_default());
        self.apply(grammar, settings, workspace);
    }

    /// Decodes the parameters of a sentence, and edits its text. Overwrites this input.
    pub fn read_edited(
        &mut self,
        grammar: &Grammar,
        settings: &Settings,
        (bytes, edits): (&[u8], &TextEdits),
        workspace: &mut Workspace,
    ) {
        read(grammar, settings, bytes, workspace, &mut self.tree);
        self.edit(grammar, settings, edits, workspace);
    }

    /// Replaces the edits.
    #[inline(always)]
    pub fn edit(
        &mut self,
        grammar: &Grammar,
        settings: &Settings,
        edits: &TextEdits,
        workspace: &mut Workspace,
    ) {
        self.edits.copy(edits);
        self.apply(grammar, settings, workspace);
    }

    #[inline(always)]
    fn apply(&mut self, grammar: &Grammar, settings: &Settings, workspace: &mut Workspace) {
        let Input {
            tree,
            edits,
            text,
            bytes,
            workspace: edit_workspace,
        } = self;
        if edits.is_empty() {
            return;
        }
        let sentence = Unedited {
            grammar,
            settings,
            derivation: tree.derivation(),
        };
        apply_edits(sentence, edits, workspace, edit_workspace, text);
        bytes.clear();
        bytes.extend_from_slice(tree.parameters());
        edits.write(bytes);
    }
}
