//! One run of the program under test: decodes the input, calls the program, and collects the
//! coverage.

use super::decoding::{ChangeText, Decoding};
use super::equal_runs::{EqualRuns, ValidRun};
use super::panics::Body;
use crate::feedback::{
    begin, clear_counters, count_edited, end, enter, enter_bytes, outcome, repeats, report,
};
use crate::parameters::decode_input;
use crate::uninstrumented::uninstrumented;
use crate::validity::Validity;

/// How the program under test reads a sentence.
pub struct ProgramCall<'a> {
    pub post_process: Option<ChangeText>,
    pub body: Body<Validity>,
    /// The runs of equivalent sentences. A valid run is compared with them.
    pub equal: Option<&'a mut EqualRuns>,
}

/// A decoded text, and whether it is an edited sentence.
#[derive(Clone, Copy)]
pub struct Decoded<'a> {
    pub text: &'a [u8],
    pub is_edited: bool,
}

uninstrumented! {
    /// Calls the program under test with the sentence of an input, and collects the coverage. If
    /// `decoded` has the sentence, the input is not decoded again. A run whose panic is caught is
    /// invalid. Returns the value for libFuzzer.
    pub fn execute(
        decoding: Decoding<'_>,
        bytes: &[u8],
        decoded: Option<Decoded<'_>>,
        call: ProgramCall<'_>,
    ) -> i32 {
        let ProgramCall { post_process, body, equal } = call;
        let Decoding { grammar, settings, buffers, text } = decoding;
        begin();
        let sentence = match (decoded, post_process) {
            (Some(decoded), None) => decoded,
            (decoded, post_process) => {
                let is_edited = match decoded {
                    Some(decoded) => {
                        text.clear();
                        text.extend_from_slice(decoded.text);
                        decoded.is_edited
                    }
                    None => decode_input(grammar, settings, bytes, buffers, text),
                };
                if let Some(post_process) = post_process {
                    post_process(text);
                }
                if is_edited || post_process.is_some() {
                    clear_counters();
                }
                Decoded { text, is_edited }
            }
        };
        if sentence.is_edited {
            count_edited();
        }
        if let Some(equal) = &equal {
            equal.begin();
        }
        let validity = body.call(enter(sentence.text), Validity::Invalid);
        report(validity);
        if repeats() {
            clear_counters();
            report(body.call(enter(sentence.text), Validity::Invalid));
        }
        // A harness in C may report the validity by itself.
        let is_valid = validity == Validity::Valid || validity == Validity::Unknown && outcome().valid;
        if let Some(equal) = equal.filter(|_| is_valid && !sentence.is_edited) {
            let text = sentence.text;
            equal.compare(ValidRun { bytes, text, settings, buffers, post_process, body });
        }
        end()
    }
}

uninstrumented! {
    /// Calls the program under test with bytes that it decodes itself, and collects the coverage.
    /// Returns the value for libFuzzer: -1 if the program could not decode the bytes, so that
    /// libFuzzer does not keep them, otherwise 0.
    pub fn execute_value(bytes: &[u8], body: Body<Option<Validity>>) -> i32 {
        // `body` makes the value first. Then it clears the counters.
        begin();
        enter_bytes(bytes);
        let Some(validity) = body.call(bytes, Some(Validity::Invalid)) else {
            clear_counters();
            return -1;
        };
        report(validity);
        end()
    }
}

/// Counts an input as invalid because the program under test cannot read it. Returns -1, so that
/// libFuzzer does not keep the input.
pub fn reject(bytes: &[u8]) -> i32 {
    begin();
    enter_bytes(bytes);
    report(Validity::Invalid);
    end();
    -1
}
