//! Decoding of bytes to derivations, and encoding of derivations to bytes.
//!
//! Bytes are a *parameter sequence*: each choice of a derivation reads its answer from them. Zest
//! (Padhye et al., *Semantic Fuzzing with Zest*, ISSTA 2019) reads parameters through a generator
//! program; here the generator is a grammar. [`Decoder`] is the simplest way to use this module.
//!
//! # Guarantees
//!
//! * [`Decoder::decode`] decodes any bytes to a sentence.
//! * [`Decoder::encode`] writes the canonical parameters of a derivation. [`Decoder::decode`] reads
//!   all of them and makes the same derivation, under the settings that the derivation was made
//!   with. [`Bounds`] says when this also holds under larger bounds and caps.
//!
//! # Not guaranteed
//!
//! * Canonical parameters need not be the shortest parameters of a sentence.
//! * One text may have several canonical parameter sequences, because grammars may be ambiguous.
//!
//! # Codes
//!
//! A choice has a code if the grammar gives it two or more options, even if bounds or caps allow
//! only one of them. In numbers of several bytes, the most significant byte comes first.
//!
//! Alternative: the index in one byte if there are up to 256 alternatives, in two bytes if there
//! are up to 65,536, otherwise in three bytes. A larger number means the remainder by the number of
//! alternatives. In a grammar with names, an alternative that needs a name which is not visible
//! means another one. After the alternatives come copies of those that need names; a copy is taken
//! in any case.
//!
//! Count, minus the lower limit (of a repetition, or of the characters of a run):
//!
//! | first byte | meaning |
//! |---|---|
//! | 0 to 15 | the number itself |
//! | 252, then a byte from 0 to 239 | that byte plus 16 |
//! | 252, then a byte from 240 to 247, then two bytes | the number in the two bytes plus 256 |
//! | 252, then a byte from 248 to 255, then three bytes | the number in the three bytes plus 65,792 |
//! | other | a number from 0 to 8, mostly 0 or 1 |
//!
//! Character, a member of a class:
//!
//! | members | first byte | meaning |
//! |---|---|---|
//! | up to 256 | any | the index; a larger number means the remainder |
//! | more | 0 to 251 | the index of one of the *plain* members, which have codes of one byte; a larger number means the remainder |
//! | more | 252 or 254, then two bytes | the number in the two bytes is the index among the other members |
//! | more | 253 or 255, then three bytes | the number in the three bytes is the index among the other members |
//!
//! Name of an identifier terminal:
//!
//! | first byte | meaning |
//! |---|---|
//! | less than the number of names | the index |
//! | other, up to 251 (250, or from 253 on, at a use or a declaration) | one of the first 8 names, by the remainder |
//! | 251, then a byte (only at a use or a declaration) | the name with the index in the byte, even if it is not visible at the use, or the scope of the declaration has it |
//! | 252 to 255 (only 252 at a use or a declaration) | another name; the choices that spell it follow |
//!
//! At a use, the index of a name that is not visible means a visible one, if there is any. At a
//! declaration, the index of a name that the innermost scope has means one that it does not have.
//!
//! Case of a case-insensitive literal (the canonical bytes):
//!
//! | first byte | meaning |
//! |---|---|
//! | 0 | as in the grammar |
//! | 1 | lower case |
//! | 2 | upper case |
//! | 3, then a byte for every 8 letters | a mask: bit *i* is set if letter *i* is in upper case |
//!
//! Layout before a token:
//!
//! | first byte | meaning |
//! |---|---|
//! | 240, 241, 242 | one, two, three layout tokens |
//! | 243, then a count | that count plus 4 layout tokens |
//! | 244, then one of the other codes | the layout of the other code, and separators are omitted where possible |
//! | other | no layout token |
//!
//! The canonical code of an option is the smallest of its codes.
//!
//! # Edits
//!
//! If [`Settings::edits`] allows them, edits of the sentence's text may follow the last choice.
//! They begin with the bytes `E3 A7` (hexadecimal), so other bytes after the last choice mean edits
//! in one of 65,536 cases. Then up to 16 edits follow, each with these codes:
//!
//! | first byte, remainder by 8 | edit | then |
//! |---|---|---|
//! | 0 | delete a token | its index in 2 bytes |
//! | 1 | insert a terminal before a token | the index, the number of the terminal's symbol in 2 bytes |
//! | 2 | substitute a terminal for a token | the index, the number of the terminal's symbol |
//! | 3 | insert a copy of a token before another token | the index, the index of the copied token in the sentence |
//! | 4 | substitute a copy of a token for another token | the index, the index of the copied token in the sentence |
//! | 5 | transpose a token and the next one | the index of the first one |
//! | 6 | replace bytes | the offset in 3 bytes, the number of bytes in 3 bytes, the number of new bytes in 2 bytes, the new bytes |
//! | 7 | write the text in another encoding | the number of the encoding in 1 byte |
//!
//! Edits of tokens are applied first, each to the sequence of tokens that the edits before it left.
//! The others are applied in their order to the bytes. An edit of a token after one of bytes does
//! not count, nor does an edit whose end is missing. An index or a number that is too large means
//! its remainder. The result is cut off at the cap of bytes.

mod codes;
mod decoder;
mod input;
mod reread;
mod text_edits;
mod tree;

use crate::bounds::{Bounds, Caps};
use crate::derivation::{Choice, Derivation, WITHOUT_LAYOUT};
use crate::derive::{Case, ChoiceSource, DerivationGoal, Workspace, derive_text, derive_tree_with};
use crate::grammar::{Class, ESCAPE, Grammar, NO_MEMBER, SymbolId};
use crate::uninstrumented::uninstrumented;

#[doc(hidden)]
pub use self::codes::Unread;
use self::codes::{ANY_NAME, COUNTED_LAYOUT, ONE_LAYOUT, WITHOUT_SEPARATORS, alternative_width};
pub use self::decoder::Decoder;
#[doc(hidden)]
pub use self::input::{Input, InputBuffers, decode_input};
#[doc(hidden)]
pub use self::reread::{read, reread};
pub use self::text_edits::Edits;
pub(crate) use self::text_edits::{
    EditWorkspace, MAX_EDITS, Unedited, apply_edits, count_tokens, is_terminal,
};
#[doc(hidden)]
pub use self::text_edits::{Encoding, TextEdit, TextEdits};
pub use self::tree::Tree;
#[doc(hidden)]
pub use self::tree::TreeView;
pub(crate) use self::tree::derive_tree;

/// Appends the canonical code of a choice to `bytes`. The choice must not be a run of characters or
/// a case, because the codes of these depend on the text.
#[inline(always)]
pub(crate) fn write_choice(kind: Choice<'_>, choice: u32, bytes: &mut Vec<u8>) {
    codes::write(kind, choice, &[], bytes);
}

/// The policy for choices after the end of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub enum PastEnd {
    /// Every choice takes its simplest allowed option, and every open repetition stops.
    #[default]
    Simplest,
    /// Choices read pseudo-random bytes from a fixed seed, as in Zest. This is for comparisons in
    /// experiments.
    PseudoRandom,
}

/// The settings of decoding. A grammar, settings and bytes determine the sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub struct Settings {
    /// The bounds of identifiers, items and depth.
    pub bounds: Bounds,
    /// The limits of the size of a sentence.
    pub caps: Caps,
    /// The policy for choices after the end of the bytes.
    pub past_end: PastEnd,
    /// Whether edits of the text count, which may follow the last choice.
    pub edits: Edits,
}

impl Settings {
    /// Returns the goal of a sentence of a symbol within these bounds and caps.
    #[inline(always)]
    pub(crate) fn goal<'a>(&'a self, grammar: &'a Grammar, symbol: SymbolId) -> DerivationGoal<'a> {
        DerivationGoal {
            grammar,
            symbol,
            bounds: &self.bounds,
            caps: &self.caps,
        }
    }
}

/// Decodes bytes to a sentence: each choice reads its answer from the bytes. `derivation` is
/// overwritten.
///
/// # Examples
///
/// ```
/// use zester::{bounds::Caps, derivation::Derivation, derive::Workspace, notation, parameters};
///
/// let source = br#"list = "[" ( list | [a-z] )* "]" ;"#;
/// let (grammar, _warnings) = notation::read("lists.ebnf", source, &Caps::default()).unwrap();
/// let (mut workspace, mut derivation) = (Workspace::default(), Derivation::default());
/// // Two elements. The alternative 0 is the shorter one, a letter.
/// parameters::decode(&grammar, &Default::default(), &[2, 0, 7, 1, 0], &mut workspace, &mut derivation);
/// assert_eq!(derivation.text(), b"[h[]]");
/// ```
#[doc(hidden)]
pub fn decode(
    grammar: &Grammar,
    settings: &Settings,
    bytes: &[u8],
    workspace: &mut Workspace,
    derivation: &mut Derivation,
) {
    let goal = settings.goal(grammar, grammar.start());
    decode_from(goal, bytes, settings.past_end, workspace, derivation);
}

uninstrumented! {
    /// Decodes bytes to a sentence. Its symbol need not be the start symbol.
    pub(crate) fn decode_from(
        goal: DerivationGoal<'_>,
        bytes: &[u8],
        past_end: PastEnd,
        workspace: &mut Workspace,
        derivation: &mut Derivation,
    ) {
        if goal.grammar.has_names() {
            return decode_with_names(goal, bytes, past_end, workspace, derivation);
        }
        let mut parameters = Parameters::new(bytes, past_end);
        // Not `derive`: its calls of the choice source cost about 10 % of the time of decoding.
        derive_tree_with::<_, false>(goal, &mut parameters, workspace, derivation);
    }
}

uninstrumented! {
    /// Decodes bytes as [`decode_from`] does, by a grammar with names.
    fn decode_with_names(
        goal: DerivationGoal<'_>,
        bytes: &[u8],
        past_end: PastEnd,
        workspace: &mut Workspace,
        derivation: &mut Derivation,
    ) {
        let mut parameters = Parameters::new(bytes, past_end);
        derive_tree_with::<_, true>(goal, &mut parameters, workspace, derivation);
    }
}

uninstrumented! {
    /// Decodes bytes to the text of the sentence, without the tree. This is about 1.4 times as fast
    /// as [`decode`]. `text` is overwritten. Returns the number of bytes that were read.
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::{bounds::Caps, derive::Workspace, notation, parameters};
    ///
    /// let (grammar, _warnings) = notation::read("x.ebnf", br#"s = [a-z]{2} ;"#, &Caps::default()).unwrap();
    /// let (mut workspace, mut text) = (Workspace::default(), Vec::new());
    /// let read = parameters::decode_text(&grammar, &Default::default(), &[1, 2, 3], &mut workspace, &mut text);
    /// assert_eq!((&text[..], read), (&b"bc"[..], 2));
    /// ```
    #[doc(hidden)]
    pub fn decode_text(
        grammar: &Grammar,
        settings: &Settings,
        bytes: &[u8],
        workspace: &mut Workspace,
        text: &mut Vec<u8>,
    ) -> usize {
        let mut parameters = Parameters { unread: Unread::new(bytes, settings.past_end) };
        derive_text(settings.goal(grammar, grammar.start()), &mut parameters, workspace, text);
        parameters.read()
    }
}

/// Decodes bytes to a new derivation. [`Decoder`] is faster for many sentences, because it reuses
/// memory.
///
/// # Examples
///
/// ```
/// use zester::{bounds::Caps, notation, parameters};
///
/// let (grammar, _warnings) = notation::read("x.ebnf", br#"s = [a-z]{2} ;"#, &Caps::default()).unwrap();
/// assert_eq!(parameters::sentence(&grammar, &Default::default(), &[25, 0]).text(), b"za");
/// ```
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
    /// Returns a choice source that reads from the start of these bytes.
    pub fn new(bytes: &'a [u8], past_end: PastEnd) -> Parameters<'a> {
        Parameters {
            unread: Unread::new(bytes, past_end),
        }
    }

    /// Skips a number of bytes.
    #[inline(always)]
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.unread.skip(bytes);
    }

    /// Returns the number of bytes that have been read.
    pub fn read(&self) -> usize {
        self.unread.position()
    }
}

impl ChoiceSource for Parameters<'_> {
    #[inline(always)]
    fn alternative(&mut self, grammar: &Grammar, symbol: SymbolId, options: u32) -> u32 {
        let number = self.unread.number(alternative_width(options));
        if number < options {
            return number;
        }
        number
            % grammar
                .naming
                .as_ref()
                .map_or(options, |naming| naming.regular[symbol.0 as usize].max(1))
    }

    #[inline(always)]
    fn count(&mut self, _grammar: &Grammar, _symbol: SymbolId, spread: u32) -> u32 {
        let count = self.unread.count();
        if count > spread {
            count % (spread + 1)
        } else {
            count
        }
    }

    #[inline(always)]
    fn member(&mut self, _symbol: SymbolId, class: &Class) -> u32 {
        let first = self.unread.byte();
        if class.count() <= 256 || u32::from(first) < ESCAPE {
            return u32::from(first) % class.plain();
        }
        let rest = self.unread.number(2 + u32::from(first) % 2);
        if self.unread.ended() {
            0
        } else {
            class.plain() + rest % (class.count() - class.plain())
        }
    }

    #[inline(always)]
    fn ascii(&mut self, class: &Class) -> Option<u8> {
        let character = class.ascii_member(*self.unread.rest().first()?);
        if character == NO_MEMBER {
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
            let character = class.ascii_member(byte);
            if character == NO_MEMBER {
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
    fn name_in_scope(&mut self, symbol: SymbolId, names: u32) -> u32 {
        match self.unread.rest() {
            [ANY_NAME, ..] => {
                self.unread.skip(1);
                let name = u32::from(self.unread.byte()) % names;
                if self.unread.ended() {
                    0
                } else {
                    names + 1 + name
                }
            }
            [first @ 253..=255, ..] => {
                self.unread.skip(1);
                u32::from(*first) % names.min(8)
            }
            _ => self.name(symbol, names),
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
                if self.unread.ended() {
                    Case::AsWritten
                } else {
                    Case::Mask(mask)
                }
            }
        }
    }

    #[inline(always)]
    fn layout(&mut self, _symbol: SymbolId) -> u32 {
        let (omits_separators, first) = match self.unread.byte() {
            WITHOUT_SEPARATORS => (WITHOUT_LAYOUT, self.unread.byte()),
            first => (0, first),
        };
        let count = match first {
            few @ ONE_LAYOUT..COUNTED_LAYOUT => u32::from(few - ONE_LAYOUT) + 1,
            COUNTED_LAYOUT => {
                let rest = self.unread.count();
                if self.unread.ended() {
                    0
                } else {
                    rest + u32::from(COUNTED_LAYOUT - ONE_LAYOUT) + 1
                }
            }
            _ => 0,
        };
        omits_separators | count
    }

    #[inline(always)]
    fn ended(&self) -> bool {
        self.unread.ended()
    }
}

uninstrumented! {
    /// Appends the canonical parameters of a derivation to `bytes`.
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::{bounds::Caps, notation, parameters};
    ///
    /// let (grammar, _warnings) = notation::read("x.ebnf", br#"s = [a-z]{2} ;"#, &Caps::default()).unwrap();
    /// let sentence = parameters::sentence(&grammar, &Default::default(), &[27, 2, 99]);
    /// let mut canonical = Vec::new();
    /// parameters::encode(&grammar, &sentence, &mut canonical);
    /// assert_eq!(canonical, [1, 2]);
    /// ```
    #[doc(hidden)]
    pub fn encode(grammar: &Grammar, derivation: &Derivation, bytes: &mut Vec<u8>) {
        for node in 0..derivation.nodes.len() {
            encode_node(grammar, derivation, node, bytes);
        }
    }
}

uninstrumented! {
    /// Appends the canonical parameters of a derivation to `bytes`, and overwrites `spans` with the
    /// offset of the parameters of every node. The last entry of `spans` is the total number of
    /// parameters.
    ///
    /// The span of node *i* and its subtree is `spans[i]..spans[i + size]`, with the size of the
    /// subtree.
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
    // The codes of other choices do not depend on the text.
    let text = match kind {
        Choice::Run { .. } | Choice::Case { .. } => &derivation.text[derivation.text_range(at)],
        _ => &[],
    };
    codes::write(kind, node.choice, text, bytes);
}
