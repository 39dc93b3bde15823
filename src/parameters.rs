//! Decoding of bytes to derivations, and encoding of derivations to bytes.
//!
//! Bytes are a *parameter sequence*: each choice of a derivation reads its answer from them. Zest (Padhye et al., *Semantic Fuzzing
//! with Zest*, ISSTA 2019) reads parameters through a generator program; here the generator is a grammar. [`Decoder`] is the
//! simplest way to use this module.
//!
//! Guarantees: [`decode`] makes a sentence of any bytes. [`encode`] writes the canonical parameters of a derivation: decoding reads
//! all of them, and makes the same derivation. That holds for the settings that the derivation was made with, and for larger
//! bounds and caps as [`Bounds`] says.
//!
//! Not guaranteed: that canonical parameters are the shortest that decode to a sentence. Nor that one text has one sequence:
//! grammars may be ambiguous.
//!
//! # Codes
//!
//! A choice has a code iff the grammar gives it two or more options, whatever bounds or the place allow. Numbers of several
//! bytes have the most significant byte first.
//!
//! | choice | first byte | then |
//! |---|---|---|
//! | alternative, of up to 256, 65,536, more | index modulo options | 0, 1, 2 bytes of the number |
//! | count, beyond the lower limit | 0..=15 that; 252 large; others little | large: 0..=239 that + 16; 240..=247, 248..=255: 2, 3 bytes + 256, + 65,792 |
//! | member of a class of up to 256 | index modulo members | |
//! | member of a larger class | 0..=251 plain; 252 or 254, 253 or 255 others | 2, 3 bytes, plus the plain ones |
//! | name of n | below n that; to 251 the first 8; 252..=255 another name | its spelling |
//! | case | 0, 1, 2 as written, small, capital; 3 a mask | a bit a letter |
//! | layout | 240, 241, 242 one, two, three pieces; 243 more; others none | more: a count, plus 4 |
//! | layout without separators | 244 | layout's code |
//!
//! The canonical code is the least that means the option.

mod codes;
mod decoder;
mod reread;
mod tree;

use crate::bounds::{Bounds, Caps};
use crate::derivation::{Choice, Derivation, WITHOUT_LAYOUT};
use crate::derive::{Case, ChoiceSource, Workspace, derive, derive_text};
use crate::grammar::{Class, ESCAPE, Grammar, SLOW, SymbolId};
use crate::uninstrumented::uninstrumented;

#[doc(hidden)]
pub use self::codes::Unread;
use self::codes::{BARE_LAYOUT, LAYOUT, MUCH_LAYOUT, alternative_width};
pub use self::decoder::Decoder;
#[doc(hidden)]
pub use self::reread::{read, reread};
pub use self::tree::Tree;
pub(crate) use self::tree::derive_tree;

/// Appends the canonical code of a choice that does not depend on a text: any but runs of characters and cases.
#[inline(always)]
pub(crate) fn write_choice(kind: Choice<'_>, choice: u32, bytes: &mut Vec<u8>) {
    codes::write(kind, choice, &[], bytes);
}

/// The policy for choices behind the end of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub enum PastEnd {
    /// Every choice takes its simplest allowed option, and every open repetition stops.
    #[default]
    Simplest,
    /// Pseudo-random bytes from a fixed seed, as in Zest: an ablation baseline.
    PseudoRandom,
}

/// The settings that, with the grammar and the bytes, determine the sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub struct Settings {
    /// Bonsai's bounds.
    pub bounds: Bounds,
    /// The hard caps.
    pub caps: Caps,
    /// The policy past the end.
    pub past_end: PastEnd,
}

/// Decodes bytes: reads them as choices and overwrites `derivation` with the sentence that they make.
#[doc(hidden)]
pub fn decode(grammar: &Grammar, settings: &Settings, bytes: &[u8], workspace: &mut Workspace, derivation: &mut Derivation) {
    decode_from(grammar, grammar.start(), settings, bytes, workspace, derivation);
}

/// Decodes bytes by another symbol than the start symbol. No bytes decode to the simplest that it derives.
pub(crate) fn decode_from(
    grammar: &Grammar,
    symbol: SymbolId,
    settings: &Settings,
    bytes: &[u8],
    workspace: &mut Workspace,
    derivation: &mut Derivation,
) {
    let mut parameters = Parameters::new(bytes, settings.past_end);
    derive(grammar, symbol, &settings.bounds, &settings.caps, &mut parameters, workspace, derivation);
}

/// Appends the canonical parameters of the simplest that a symbol derives.
pub(crate) fn write_simplest(
    grammar: &Grammar,
    symbol: SymbolId,
    settings: &Settings,
    workspace: &mut Workspace,
    derivation: &mut Derivation,
    bytes: &mut Vec<u8>,
) {
    decode_from(grammar, symbol, settings, &[], workspace, derivation);
    encode(grammar, derivation, bytes);
}

uninstrumented! {
    /// Decodes bytes to the text alone, which is about 1.4 times as fast as [`decode`]. Returns how many of the bytes were read.
    #[doc(hidden)]
    pub fn decode_text(
        grammar: &Grammar,
        settings: &Settings,
        bytes: &[u8],
        workspace: &mut Workspace,
        text: &mut Vec<u8>,
    ) -> usize {
        let mut parameters = Parameters { unread: Unread::new(bytes, settings.past_end) };
        derive_text(grammar, grammar.start(), &settings.bounds, &settings.caps, &mut parameters, workspace, text);
        parameters.read()
    }
}

/// Decodes bytes to a new derivation. [`Decoder`] is faster for many sentences, because it reuses memory.
#[doc(hidden)]
pub fn sentence(grammar: &Grammar, settings: &Settings, bytes: &[u8]) -> Derivation {
    let (mut workspace, mut derivation) = (Workspace::default(), Derivation::default());
    decode(grammar, settings, bytes, &mut workspace, &mut derivation);
    derivation
}

/// The choice source that reads a parameter sequence.
#[derive(Debug)]
#[doc(hidden)]
pub struct Parameters<'a> {
    unread: Unread<'a>,
}

impl<'a> Parameters<'a> {
    /// Reads these bytes.
    pub fn new(bytes: &'a [u8], past_end: PastEnd) -> Parameters<'a> {
        Parameters { unread: Unread::new(bytes, past_end) }
    }

    /// Reads on after so many bytes.
    #[inline(always)]
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.unread.skip(bytes);
    }

    /// How many bytes have been read.
    pub fn read(&self) -> usize {
        self.unread.position()
    }
}

impl ChoiceSource for Parameters<'_> {
    #[inline(always)]
    fn alternative(&mut self, _grammar: &Grammar, _symbol: SymbolId, options: u32) -> u32 {
        let number = self.unread.number(alternative_width(options));
        if number < options { number } else { number % options }
    }

    #[inline(always)]
    fn count(&mut self, _grammar: &Grammar, _symbol: SymbolId, spread: u32) -> u32 {
        let count = self.unread.count();
        if count > spread { count % (spread + 1) } else { count }
    }

    #[inline(always)]
    fn member(&mut self, _symbol: SymbolId, class: &Class) -> u32 {
        let first = self.unread.byte();
        if class.count() <= 256 || u32::from(first) < ESCAPE {
            return u32::from(first) % class.plain();
        }
        let rest = self.unread.number(2 + u32::from(first) % 2);
        if self.unread.ended() { 0 } else { class.plain() + rest % (class.count() - class.plain()) }
    }

    #[inline(always)]
    fn ascii(&mut self, class: &Class) -> Option<u8> {
        let character = class.quick(*self.unread.rest().first()?);
        if character == SLOW {
            return None;
        }
        self.unread.skip(1);
        Some(character)
    }

    #[inline(always)]
    fn many_ascii(&mut self, class: &Class, max: u32, text: &mut Vec<u8>) -> u32 {
        let bytes = self.unread.rest();
        let bytes = &bytes[..bytes.len().min(max as usize)];
        let from = text.len();
        for &byte in bytes {
            let character = class.quick(byte);
            if character == SLOW {
                break;
            }
            text.push(character);
        }
        let count = text.len() - from;
        self.unread.skip(count);
        count as u32
    }

    #[inline(always)]
    fn name(&mut self, _symbol: SymbolId, names: u32) -> u32 {
        match u32::from(self.unread.byte()) {
            first if first < names => first,
            252.. => names,
            first => first % names.min(8),
        }
    }

    #[inline(always)]
    fn case(&mut self, _symbol: SymbolId, letters: u32) -> Case {
        match self.unread.byte() {
            0 | 4..128 => Case::AsWritten,
            1 | 128..192 => Case::Lower,
            2 | 192..240 => Case::Upper,
            _ => {
                let mut mask = 0;
                for at in 0..letters.min(64).div_ceil(8) {
                    mask |= u64::from(self.unread.byte()) << (8 * at);
                }
                if self.unread.ended() { Case::AsWritten } else { Case::Mask(mask) }
            }
        }
    }

    #[inline(always)]
    fn layout(&mut self, _symbol: SymbolId) -> u32 {
        let (bare, first) = match self.unread.byte() {
            BARE_LAYOUT => (WITHOUT_LAYOUT, self.unread.byte()),
            first => (0, first),
        };
        let pieces = match first {
            few @ LAYOUT..MUCH_LAYOUT => u32::from(few - LAYOUT) + 1,
            MUCH_LAYOUT => {
                let rest = self.unread.count();
                if self.unread.ended() { 0 } else { rest + u32::from(MUCH_LAYOUT - LAYOUT) + 1 }
            }
            _ => 0,
        };
        bare | pieces
    }

    #[inline(always)]
    fn ended(&self) -> bool {
        self.unread.ended()
    }
}

uninstrumented! {
    /// Appends the canonical parameters of a derivation to `bytes`.
    #[doc(hidden)]
    pub fn encode(grammar: &Grammar, derivation: &Derivation, bytes: &mut Vec<u8>) {
        for node in 0..derivation.nodes.len() {
            encode_node(grammar, derivation, node, bytes);
        }
    }
}

uninstrumented! {
    /// [`encode`], and where the parameters of every node begin: those of node *i* and its subtree end where those of node
    /// *i + size* begin. `spans` is overwritten; it ends with the total.
    #[doc(hidden)]
    pub fn encode_with_spans(grammar: &Grammar, derivation: &Derivation, bytes: &mut Vec<u8>, spans: &mut Vec<u32>) {
        spans.clear();
        let from = bytes.len();
        for node in 0..derivation.nodes.len() {
            spans.push((bytes.len() - from) as u32);
            encode_node(grammar, derivation, node, bytes);
        }
        spans.push((bytes.len() - from) as u32);
    }
}

#[inline(always)]
fn encode_node(grammar: &Grammar, derivation: &Derivation, at: usize, bytes: &mut Vec<u8>) {
    let node = derivation.nodes[at];
    let kind = Choice::of(grammar, &grammar[node.symbol].kind);
    // Only the codes of these depend on the text.
    let text = match kind {
        Choice::Run { .. } | Choice::Case { .. } => &derivation.text[derivation.text_range(at)],
        _ => &[],
    };
    codes::write(kind, node.choice, text, bytes);
}
