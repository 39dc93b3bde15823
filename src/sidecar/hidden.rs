//! The hot paths, which SanitizerCoverage must not see. What is unsafe here are the names of their symbols alone.

use super::{begin, end, enter, enter_bytes, forget, report};
use crate::derive::Workspace;
use crate::grammar::{Grammar, SymbolId};
use crate::parameters::{self, Settings, Tree};
use crate::sampler::Sampler;
use crate::validity::Validity;
use crate::weights::{Grower, Probabilities};

/// Changes a sentence before the program under test sees it.
pub type PostProcess = fn(&mut Vec<u8>);

/// Decodes, unless the sentence is `known`, lets the program under test see it, and collects what it covered. The value is
/// libFuzzer's.
// SAFETY: the symbol is ours alone, so no other function is called by its name.
#[unsafe(export_name = "__sanitizer_zester_execute")]
#[expect(clippy::too_many_arguments, reason = "what a run depends on, and the memory that it reuses")]
pub fn execute(
    grammar: &Grammar,
    settings: &Settings,
    bytes: &[u8],
    workspace: &mut Workspace,
    text: &mut Vec<u8>,
    known: Option<&[u8]>,
    post_process: Option<PostProcess>,
    body: fn(&[u8]) -> Validity,
) -> i32 {
    begin();
    let text = match (known, post_process) {
        (Some(known), None) => known,
        (known, post_process) => {
            match known {
                Some(known) => {
                    text.clear();
                    text.extend_from_slice(known);
                }
                None => _ = decode_text(grammar, settings, bytes, workspace, text),
            }
            if let Some(post_process) = post_process {
                post_process(text);
                forget();
            }
            text
        }
    };
    report(body(enter(text)));
    end()
}

/// An input that the program under test cannot be given at all: invalid, and nothing kept.
pub fn refuse(bytes: &[u8]) -> i32 {
    begin();
    enter_bytes(bytes);
    report(Validity::Invalid);
    end();
    -1
}

/// Lets the program under test see what it makes of bytes itself, and collects what it covered; -1, and nothing kept, if it
/// could make nothing of them.
// SAFETY: the symbol is ours alone.
#[unsafe(export_name = "__sanitizer_zester_execute_value")]
pub fn execute_value(bytes: &[u8], body: fn(&[u8]) -> Option<Validity>) -> i32 {
    // What is to be forgotten, `body` forgets when it begins.
    begin();
    enter_bytes(bytes);
    let Some(validity) = body(bytes) else {
        forget();
        return -1;
    };
    report(validity);
    end()
}

/// [`parameters::decode_text`], not instrumented.
// SAFETY: the symbol is ours alone.
#[unsafe(export_name = "__sanitizer_zester_decode_text")]
pub fn decode_text(grammar: &Grammar, settings: &Settings, bytes: &[u8], workspace: &mut Workspace, text: &mut Vec<u8>) -> usize {
    parameters::decode_text_inline(grammar, settings, bytes, workspace, text)
}

/// [`parameters::read`], not instrumented.
// SAFETY: the symbol is ours alone.
#[unsafe(export_name = "__sanitizer_zester_read")]
pub fn read(grammar: &Grammar, settings: &Settings, bytes: &[u8], workspace: &mut Workspace, tree: &mut Tree) {
    parameters::read_inline(grammar, settings, bytes, workspace, tree);
}

/// [`parameters::reread`], not instrumented.
// SAFETY: the symbol is ours alone.
#[unsafe(export_name = "__sanitizer_zester_reread")]
pub fn reread(grammar: &Grammar, settings: &Settings, known: &Tree, bytes: &[u8], workspace: &mut Workspace, tree: &mut Tree) {
    if !parameters::reread_inline(grammar, settings, known, bytes, workspace, tree) {
        read(grammar, settings, bytes, workspace, tree);
    }
}

/// What a sampler derives from a symbol, with its parameters, not instrumented.
// SAFETY: the symbol is ours alone.
#[unsafe(export_name = "__sanitizer_zester_sample")]
pub fn sample(
    grammar: &Grammar,
    settings: &Settings,
    symbol: SymbolId,
    sampler: &mut Sampler,
    workspace: &mut Workspace,
    tree: &mut Tree,
) {
    parameters::make_inline(grammar, settings, symbol, sampler, workspace, tree);
}

/// What a grower derives from a symbol, of about so many expansions, with its parameters, not instrumented.
#[expect(clippy::too_many_arguments, reason = "as sample, and what it is grown by")]
// SAFETY: the symbol is ours alone.
#[unsafe(export_name = "__sanitizer_zester_grow")]
pub fn grow(
    grammar: &Grammar,
    settings: &Settings,
    symbol: SymbolId,
    probabilities: &Probabilities,
    expansions: usize,
    grower: &mut Grower,
    workspace: &mut Workspace,
    tree: &mut Tree,
) {
    grower.plan(grammar, probabilities, &settings.bounds, symbol, expansions);
    parameters::make_inline(grammar, settings, symbol, grower, workspace, tree);
}
