//! How an input decodes to the text that the program under test reads.

use crate::grammar::Grammar;
use crate::parameters::{InputBuffers, Settings};

/// A function that changes a sentence before the program under test reads it, or a given text
/// before it is parsed.
pub type ChangeText = fn(&mut Vec<u8>);

/// The grammar and the settings by which an input decodes, and the buffers that decoding reuses.
pub struct Decoding<'a> {
    pub grammar: &'a Grammar,
    pub settings: &'a Settings,
    pub buffers: &'a mut InputBuffers,
    pub text: &'a mut Vec<u8>,
}
