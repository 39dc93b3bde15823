//! One run of the program under test: decoding, the call, and the coverage that it left.

use super::{begin, end, enter, enter_bytes, forget, report};
use crate::derive::Workspace;
use crate::grammar::Grammar;
use crate::parameters::{Settings, decode_text};
use crate::uninstrumented::uninstrumented;
use crate::validity::Validity;

/// Changes a sentence before the program under test sees it.
pub type PostProcess = fn(&mut Vec<u8>);

uninstrumented! {
    /// Decodes, unless the sentence is `known`, calls the program under test with it, and collects what it covered. The value is
    /// libFuzzer's.
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
}

/// An input that the program under test cannot be given at all: invalid, and nothing kept.
pub fn refuse(bytes: &[u8]) -> i32 {
    begin();
    enter_bytes(bytes);
    report(Validity::Invalid);
    end();
    -1
}

uninstrumented! {
    /// Calls the program under test with bytes that it decodes itself, and collects what it covered. The value is libFuzzer's:
    /// -1, and libFuzzer keeps nothing, if the program could not decode them.
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
}
