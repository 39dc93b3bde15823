//! A decoder that owns its buffers.

use super::{Settings, Tree, decode, decode_text, encode, read};
use crate::derivation::Derivation;
use crate::derive::Workspace;
use crate::grammar::Grammar;

/// Decodes bytes by a grammar, and encodes derivations. It owns the memory that both need and reuses it.
///
/// # Examples
///
/// ```
/// use zester::{bounds::Caps, notation, parameters::Decoder};
///
/// let (grammar, _) = notation::read("list.ebnf", br#"list = "x" ( "," ( "x" | "y" ) )* ;"#, &Caps::default()).unwrap();
/// let mut decoder = Decoder::new(&grammar);
///
/// // A count of two, then two alternatives. Bytes that are not there mean the simplest.
/// assert_eq!(decoder.text(&[2, 1, 0]), b"x,y,x");
/// assert_eq!(decoder.text(&[]), b"x");
///
/// // Many bytes mean the same sentence; the canonical ones are the least.
/// assert_eq!(decoder.canonical(&[18, 3, 2, 7]), &[2, 1, 0]);
/// ```
#[derive(Debug)]
pub struct Decoder<'g> {
    grammar: &'g Grammar,
    settings: Settings,
    workspace: Workspace,
    derivation: Derivation,
    text: Vec<u8>,
    parameters: Vec<u8>,
    tree: Tree,
}

impl<'g> Decoder<'g> {
    /// A decoder without bounds, with the default caps.
    pub fn new(grammar: &'g Grammar) -> Decoder<'g> {
        Decoder {
            grammar,
            settings: Settings::default(),
            workspace: Workspace::default(),
            derivation: Derivation::default(),
            text: Vec::new(),
            parameters: Vec::new(),
            tree: Tree::default(),
        }
    }

    /// Sets the bounds, the caps and the policy past the end.
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::{bounds::{Bounds, Caps}, notation, parameters::{Decoder, Settings}};
    ///
    /// let (grammar, _) = notation::read("x.ebnf", br#"a = "x"* ;"#, &Caps::default()).unwrap();
    /// let bounds = Bounds { items: 3, ..Bounds::UNBOUNDED };
    /// let mut decoder = Decoder::new(&grammar).settings(Settings { bounds, ..Settings::default() });
    /// assert_eq!(decoder.text(&[2]), b"xx");
    /// assert!(decoder.text(&[15]).len() <= 3);
    /// ```
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Decoder<'g> {
        self.settings = settings;
        self
    }

    /// The derivation that bytes decode to.
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::{bounds::Caps, notation, parameters::Decoder};
    ///
    /// let (grammar, _) = notation::read("ab.ebnf", br#"a = ( "a" | "b" )+ ;"#, &Caps::default()).unwrap();
    /// let mut decoder = Decoder::new(&grammar);
    /// let derivation = decoder.decode(&[1, 1, 0]).clone();
    /// assert_eq!(derivation.text(), b"ba");
    /// assert_eq!(decoder.encode(&derivation), &[1, 1, 0]);
    /// ```
    pub fn decode(&mut self, bytes: &[u8]) -> &Derivation {
        decode(self.grammar, &self.settings, bytes, &mut self.workspace, &mut self.derivation);
        &self.derivation
    }

    /// The sentence that bytes decode to; faster than [`Decoder::decode`], because it makes no tree.
    pub fn text(&mut self, bytes: &[u8]) -> &[u8] {
        decode_text(self.grammar, &self.settings, bytes, &mut self.workspace, &mut self.text);
        &self.text
    }

    /// The derivation that bytes decode to, with its canonical parameters and the span of each node.
    pub fn tree(&mut self, bytes: &[u8]) -> &Tree {
        read(self.grammar, &self.settings, bytes, &mut self.workspace, &mut self.tree);
        &self.tree
    }

    /// The canonical parameters of a derivation by this grammar: they decode to it within its bounds.
    pub fn encode(&mut self, derivation: &Derivation) -> &[u8] {
        self.parameters.clear();
        encode(self.grammar, derivation, &mut self.parameters);
        &self.parameters
    }

    /// The canonical parameters of the sentence that bytes decode to.
    pub fn canonical(&mut self, bytes: &[u8]) -> &[u8] {
        self.tree(bytes).parameters()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Caps;
    use crate::notation;

    /// Two bytes at most, of the values at which codes change.
    fn buffers() -> impl Iterator<Item = Vec<u8>> {
        const TELLING: [u8; 8] = [0, 1, 2, 15, 16, 240, 252, 255];
        let two = TELLING.iter().flat_map(|&one| TELLING.iter().map(move |&other| vec![one, other]));
        two.chain((0..=255).map(|byte| vec![byte])).chain([vec![]])
    }

    #[test]
    fn all_ways_to_decode_agree_and_encode_inverts_them() {
        let source = br#"@skip s = " "+ ; @token n = [a-z]{1,3} ; a = ( n "=" ( n | "(" a ")" ) ";"i )* ; "#;
        let (grammar, _) = notation::read("decoder.ebnf", source, &Caps::default()).unwrap();
        let mut decoder = Decoder::new(&grammar);
        for bytes in buffers() {
            let derivation = decoder.decode(&bytes).clone();
            assert_eq!(decoder.text(&bytes), derivation.text());
            assert_eq!(*decoder.tree(&bytes).derivation(), derivation);
            let canonical = decoder.encode(&derivation).to_vec();
            assert_eq!(decoder.canonical(&bytes), canonical);
            assert_eq!(*decoder.decode(&canonical), derivation);
        }
    }
}
