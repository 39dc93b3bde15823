//! One run of the program under test: decoding, the call, and the coverage that it left.

use crate::derive::Workspace;
use crate::feedback::{begin, clear_counters, end, enter, enter_bytes, report};
use crate::grammar::Grammar;
use crate::parameters::{Settings, decode_text};
use crate::uninstrumented::uninstrumented;
use crate::validity::Validity;

/// Changes a text: a sentence before the program under test reads it, or a text that somebody has before it is parsed.
pub type ChangeText = fn(&mut Vec<u8>);

/// What decoding an input depends on, and the memory that it reuses.
pub struct Decoding<'a> {
    pub grammar: &'a Grammar,
    pub settings: &'a Settings,
    pub workspace: &'a mut Workspace,
    pub text: &'a mut Vec<u8>,
}

uninstrumented! {
    /// Decodes an input, unless its sentence is `known`, calls the program under test with the sentence, and collects the coverage.
    /// The value is libFuzzer's.
    pub fn execute(
        decoding: Decoding<'_>,
        bytes: &[u8],
        known: Option<&[u8]>,
        post_process: Option<ChangeText>,
        body: fn(&[u8]) -> Validity,
    ) -> i32 {
        let Decoding { grammar, settings, workspace, text } = decoding;
        begin();
        let sentence = match (known, post_process) {
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
                    clear_counters();
                }
                text
            }
        };
        report(body(enter(sentence)));
        end()
    }
}

uninstrumented! {
    /// Calls the program under test with bytes that it decodes itself, and collects the coverage. The value is libFuzzer's: -1, and
    /// libFuzzer keeps nothing, if the program could not decode them.
    pub fn execute_value(bytes: &[u8], body: fn(&[u8]) -> Option<Validity>) -> i32 {
        // `body` makes the value first, and clears the counters then.
        begin();
        enter_bytes(bytes);
        let Some(validity) = body(bytes) else {
            clear_counters();
            return -1;
        };
        report(validity);
        end()
    }
}

/// Counts an input that the program under test cannot be given as invalid. The value tells libFuzzer to keep nothing.
pub fn refuse(bytes: &[u8]) -> i32 {
    begin();
    enter_bytes(bytes);
    report(Validity::Invalid);
    end();
    -1
}
