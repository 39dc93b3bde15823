//! Decoding of bytes to derivations, and encoding of derivations to bytes.
//!
//! Bytes are a *parameter sequence*: each choice of a derivation reads its answer from the bytes.
//! In Zest (Padhye et al., *Semantic Fuzzing with Zest*, ISSTA 2019), a generator program reads the
//! parameters. Here the generator is a grammar. [`Decoder`] is the simplest way to use this module.
//! Its documentation has the guarantees and the meaning of each byte.

mod codes;
mod decoder;
mod input;
mod text_edits;
mod tree;

use crate::bounds::{Bounds, Caps};
use crate::derivation::{Choice, Derivation, WITHOUT_LAYOUT};
use crate::derive::{Case, ChoiceSource, DerivationGoal, Workspace, derive_text, derive_tree_with};
use crate::grammar::{Class, ESCAPE, Grammar, NO_MEMBER, SymbolId};
use crate::uninstrumented::uninstrumented;

pub use self::codes::Unread;
use self::codes::{ANY_NAME, COUNTED_LAYOUT, ONE_LAYOUT, WITHOUT_SEPARATORS, alternative_width};
pub use self::decoder::Decoder;
pub use self::input::{Input, InputBuffers, decode_input};
pub use self::text_edits::Edits;
pub(crate) use self::text_edits::{
    EditWorkspace, MAX_EDITS, Unedited, apply_edits, count_tokens, is_terminal,
};
pub use self::text_edits::{Encoding, TextEdit, TextEdits};
pub use self::tree::Tree;
pub(crate) use self::tree::derive_tree;
pub use self::tree::{TreeView, read};

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
///
/// # Examples
///
/// ```
/// use zester::{Bounds, Decoder, Grammar, Settings};
///
/// let grammar = Grammar::read("x.ebnf", br#"a = "x"* ;"#).unwrap();
/// let bounds = Bounds { items: 3, ..Bounds::UNBOUNDED };
/// let mut decoder = Decoder::new(&grammar).settings(Settings::default().bounds(bounds));
/// assert_eq!(decoder.text(&[2]), b"xx");
/// assert!(decoder.text(&[15]).len() <= 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
#[non_exhaustive]
pub struct Settings {
    /// The bounds of identifiers, items and depth.
    pub bounds: Bounds,
    /// The limits of the size of a sentence.
    pub caps: Caps,
    /// The policy for choices after the end of the bytes.
    pub past_end: PastEnd,
    /// Whether edits of the text, which may follow the last choice, are applied.
    pub edits: Edits,
}

impl Settings {
    /// Sets the bounds.
    #[must_use]
    pub fn bounds(mut self, bounds: Bounds) -> Settings {
        self.bounds = bounds;
        self
    }

    /// Sets the caps.
    #[must_use]
    pub fn caps(mut self, caps: Caps) -> Settings {
        self.caps = caps;
        self
    }

    /// Sets the policy for choices after the end of the bytes.
    #[must_use]
    pub fn past_end(mut self, past_end: PastEnd) -> Settings {
        self.past_end = past_end;
        self
    }

    /// Sets whether edits of the text are applied.
    #[must_use]
    pub fn edits(mut self, edits: Edits) -> Settings {
        self.edits = edits;
        self
    }

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
/// use zester::{Derivation, Grammar, derive::Workspace, parameters};
///
/// let source = br#"list = "[" ( list | [a-z] )* "]" ;"#;
/// let grammar = Grammar::read("lists.ebnf", source).unwrap();
/// let (mut workspace, mut derivation) = (Workspace::default(), Derivation::default());
/// // Two elements. The alternative 0 is the shorter one, a letter.
/// parameters::decode(&grammar, &Default::default(), &[2, 0, 7, 1, 0], &mut workspace, &mut derivation);
/// assert_eq!(derivation.text(), b"[h[]]");
/// ```
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
    /// Decodes bytes to a sentence of `goal.symbol`, which need not be the start symbol.
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
        // `derive` is not used here, because its dynamic calls of the choice source would take
        // about 10 % of the time.
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
    /// use zester::{Grammar, derive::Workspace, parameters};
    ///
    /// let grammar = Grammar::read("x.ebnf", br#"s = [a-z]{2} ;"#).unwrap();
    /// let (mut workspace, mut text) = (Workspace::default(), Vec::new());
    /// let read = parameters::decode_text(&grammar, &Default::default(), &[1, 2, 3], &mut workspace, &mut text);
    /// assert_eq!((&text[..], read), (&b"bc"[..], 2));
    /// ```
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
/// use zester::Grammar;
///
/// let grammar = Grammar::read("x.ebnf", br#"s = [a-z]{2} ;"#).unwrap();
/// assert_eq!(grammar.decode(&[25, 0]), b"za");
/// ```
pub fn sentence(grammar: &Grammar, settings: &Settings, bytes: &[u8]) -> Derivation {
    let (mut workspace, mut derivation) = (Workspace::default(), Derivation::default());
    decode(grammar, settings, bytes, &mut workspace, &mut derivation);
    derivation
}

/// The choice source that reads a parameter sequence.
#[derive(Debug)]
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
    /// use zester::{Grammar, parameters};
    ///
    /// let grammar = Grammar::read("x.ebnf", br#"s = [a-z]{2} ;"#).unwrap();
    /// let sentence = parameters::sentence(&grammar, &Default::default(), &[27, 2, 99]);
    /// let mut canonical = Vec::new();
    /// parameters::encode(&grammar, &sentence, &mut canonical);
    /// assert_eq!(canonical, [1, 2]);
    /// ```
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
