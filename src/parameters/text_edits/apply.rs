//! Applies edits to the text of a sentence.

use std::ops::Range;

use super::{Edits, Encoding, MAX_OFFSET, TextEdit, TextEdits};
use crate::derivation::Derivation;
use crate::derive::Workspace;
use crate::grammar::{Grammar, Kind, Symbol, SymbolId};
use crate::parameters::{Settings, decode_from};
use crate::uninstrumented::uninstrumented;

/// The memory that applying edits needs. It allocates nothing once it is large enough.
#[derive(Clone, Debug, Default)]
pub struct EditWorkspace {
    /// For each token of the sentence, three offsets: the end of the previous token, the beginning
    /// of this token, and its end.
    tokens: Vec<[u32; 3]>,
    /// The tokens after the edits so far.
    edited: Vec<EditedToken>,
    /// The simplest text of a terminal.
    terminal: Derivation,
    /// A buffer for the text before an edit, or for a part of it.
    before: Vec<u8>,
}

/// A token of an edited text.
#[derive(Clone, Copy, Debug)]
enum EditedToken {
    /// A token of the sentence, with the layout before it. The number is its index.
    Original(u32),
    /// A copy of a token.
    Copy(u32),
    /// The simplest text of a terminal.
    Terminal(SymbolId),
}

/// A sentence that is to be edited, with the grammar and the settings by which it was derived.
#[derive(Clone, Copy)]
pub(crate) struct Unedited<'a> {
    pub grammar: &'a Grammar,
    pub settings: &'a Settings,
    pub derivation: &'a Derivation,
}

uninstrumented! {
    /// Applies `edits` to the text of a sentence. `text` is overwritten. An invalid operand of an
    /// edit is replaced by the valid operand that it stands for, so that the code of the edits
    /// becomes canonical. Edits that are not possible are removed.
    ///
    /// The edited text is cut off at the cap of bytes.
    pub(crate) fn apply_edits(
        sentence: Unedited<'_>,
        edits: &mut TextEdits,
        workspace: &mut Workspace,
        edit_workspace: &mut EditWorkspace,
        text: &mut Vec<u8>,
    ) {
        let Unedited { grammar, settings, derivation } = sentence;
        let max = settings.caps.bytes as usize;
        text.clear();
        if edits.list.first().is_some_and(TextEdit::is_of_tokens) {
            edit_workspace.find_tokens(grammar, derivation);
            edit_workspace.edit_tokens(grammar, edits);
            edit_workspace.join(sentence, workspace, text);
        } else {
            text.extend_from_slice(derivation.text());
        }
        let TextEdits { list, new_bytes } = edits;
        list.retain_mut(|edit| match edit {
            TextEdit::Replace { at, length, new } => {
                let size = text.len().min(MAX_OFFSET);
                *at = (*at as usize % (size + 1)) as u32;
                *length = (*length as usize % (size - *at as usize + 1)) as u32;
                edit_workspace.before.clear();
                edit_workspace.before.extend_from_slice(&text[(*at + *length) as usize..]);
                text.truncate(*at as usize);
                text.extend_from_slice(&new_bytes[new.0 as usize..new.1 as usize]);
                text.extend_from_slice(&edit_workspace.before);
                text.truncate(max);
                *length > 0 || new.0 < new.1
            }
            TextEdit::Encode(encoding) => {
                std::mem::swap(text, &mut edit_workspace.before);
                Encoding::write(*encoding, &edit_workspace.before, text);
                text.truncate(max);
                true
            }
            _ => true,
        });
        text.truncate(max);
        if settings.edits == Edits::Utf8 {
            std::mem::swap(text, &mut edit_workspace.before);
            keep_utf8(&edit_workspace.before, text);
        }
    }
}

/// Writes the parts of `bytes` that are UTF-8. `text` is overwritten.
#[inline(always)]
fn keep_utf8(bytes: &[u8], text: &mut Vec<u8>) {
    text.clear();
    for chunk in bytes.utf8_chunks() {
        text.extend_from_slice(chunk.valid().as_bytes());
    }
}

/// Returns the number of the symbol of a terminal that an operand means: the operand if it is such
/// a number, otherwise the next such number.
#[inline(always)]
pub(in crate::parameters) fn terminal(grammar: &Grammar, operand: u16) -> Option<u16> {
    let symbols = grammar.symbols();
    let size = symbols.len().min(1 << 16);
    let from = usize::from(operand) % size;
    (from..size)
        .chain(0..from)
        .find(|&at| is_terminal(&symbols[at]))
        .map(|at| at as u16)
}

/// Returns whether a symbol is an occurrence of a token with text. The end of a sentence is a token
/// without text, because layout may stand before it.
#[inline(always)]
pub(crate) fn is_terminal(symbol: &Symbol) -> bool {
    matches!(symbol.kind, Kind::Lexeme { .. }) && symbol.max_bytes > 0
}

/// Returns an index that is less than `count`, or [`None`] if `count` is 0.
#[inline(always)]
fn index(at: u16, count: usize) -> Option<u16> {
    (count > 0).then(|| (usize::from(at) % count.min(1 << 16)) as u16)
}

impl EditWorkspace {
    /// Finds the tokens of a sentence.
    #[inline(always)]
    fn find_tokens(&mut self, grammar: &Grammar, derivation: &Derivation) {
        self.tokens.clear();
        let mut end = 0;
        for at in 0..derivation.nodes().len() {
            if let Some(token) = token(grammar, derivation, at) {
                self.tokens
                    .push([end, token.start as u32, token.end as u32]);
                end = token.end as u32;
            }
        }
    }

    /// Applies the edits of tokens to the sequence of tokens.
    #[inline(always)]
    fn edit_tokens(&mut self, grammar: &Grammar, edits: &mut TextEdits) {
        let EditWorkspace { tokens, edited, .. } = self;
        edited.clear();
        edited.extend((0..tokens.len() as u32).map(EditedToken::Original));
        edits.list.retain_mut(|edit| {
            let count = edited.len();
            match edit {
                TextEdit::Delete { at } => {
                    let Some(valid) = index(*at, count) else {
                        return false;
                    };
                    *at = valid;
                    edited.remove(usize::from(valid));
                }
                TextEdit::Insert {
                    at,
                    terminal: operand,
                } => {
                    let (Some(valid), Some(symbol)) =
                        (index(*at, count + 1), terminal(grammar, *operand))
                    else {
                        return false;
                    };
                    (*at, *operand) = (valid, symbol);
                    edited.insert(
                        usize::from(valid),
                        EditedToken::Terminal(SymbolId(symbol.into())),
                    );
                }
                TextEdit::Substitute {
                    at,
                    terminal: operand,
                } => {
                    let (Some(valid), Some(symbol)) =
                        (index(*at, count), terminal(grammar, *operand))
                    else {
                        return false;
                    };
                    (*at, *operand) = (valid, symbol);
                    edited[usize::from(valid)] = EditedToken::Terminal(SymbolId(symbol.into()));
                }
                TextEdit::InsertCopy { at, from } => {
                    let (Some(valid), Some(copied)) =
                        (index(*at, count + 1), index(*from, tokens.len()))
                    else {
                        return false;
                    };
                    (*at, *from) = (valid, copied);
                    edited.insert(usize::from(valid), EditedToken::Copy(copied.into()));
                }
                TextEdit::SubstituteCopy { at, from } => {
                    let (Some(valid), Some(copied)) =
                        (index(*at, count), index(*from, tokens.len()))
                    else {
                        return false;
                    };
                    (*at, *from) = (valid, copied);
                    edited[usize::from(valid)] = EditedToken::Copy(copied.into());
                }
                TextEdit::Transpose { at } => {
                    let Some(valid) = index(*at, count.saturating_sub(1)) else {
                        return false;
                    };
                    *at = valid;
                    edited.swap(usize::from(valid), usize::from(valid) + 1);
                }
                TextEdit::Replace { .. } | TextEdit::Encode(_) => {}
            }
            true
        });
    }

    /// Writes the text of the edited tokens, each with the layout before it in the sentence. A
    /// token without such layout gets a separator, unless it follows the same token as in the
    /// sentence.
    #[inline(always)]
    fn join(&mut self, sentence: Unedited<'_>, workspace: &mut Workspace, text: &mut Vec<u8>) {
        let Unedited {
            grammar,
            settings,
            derivation,
        } = sentence;
        let EditWorkspace {
            tokens,
            edited,
            terminal,
            ..
        } = self;
        let source = derivation.text();
        let separator: &[u8] = grammar.layout().map_or(&[], |layout| &layout.separators[0]);
        // The index of the token of the sentence that needs no new separator, because it follows in
        // the sentence, too.
        let mut next = Some(0);
        for &token in &*edited {
            let layout = match token {
                EditedToken::Original(at) => {
                    &source[tokens[at as usize][0] as usize..tokens[at as usize][1] as usize]
                }
                _ => &[],
            };
            let follows = matches!(token, EditedToken::Original(at) if Some(at) == next);
            let is_separated = follows || text.is_empty() || !layout.is_empty();
            text.extend_from_slice(if is_separated { layout } else { separator });
            match token {
                EditedToken::Original(at) | EditedToken::Copy(at) => {
                    let [_, from, to] = tokens[at as usize];
                    text.extend_from_slice(&source[from as usize..to as usize]);
                }
                EditedToken::Terminal(symbol) => {
                    if let Kind::Lexeme { body, .. } = grammar[symbol].kind {
                        let goal = settings.goal(grammar, body);
                        decode_from(goal, &[], settings.past_end, workspace, terminal);
                        text.extend_from_slice(terminal.text());
                    }
                }
            }
            next = match token {
                EditedToken::Original(at) => Some(at + 1),
                _ => None,
            };
        }
        let end = tokens.last().map_or(0, |last| last[2]);
        text.extend_from_slice(&source[end as usize..]);
    }
}

/// Returns the byte range of the token at a node, without the layout before it. Returns [`None`] if
/// the node is no occurrence of a token with text.
#[inline(always)]
fn token(grammar: &Grammar, derivation: &Derivation, at: usize) -> Option<Range<usize>> {
    let range = derivation.token_range(grammar, at)?;
    (!range.is_empty()).then_some(range)
}

/// Returns the number of tokens of a sentence. The result can be a little too large, because tokens
/// without text count, too.
pub(crate) fn count_tokens(grammar: &Grammar, derivation: &Derivation) -> usize {
    derivation
        .nodes()
        .iter()
        .filter(|node| is_terminal(&grammar[node.symbol]))
        .count()
}
