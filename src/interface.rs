//! The methods of [`Grammar`] that use the modules above: read, check, decode, encode, parse,
//! generate, mutate and reduce.
//!
//! Each method makes a value that does the work, such as a [`Decoder`], and uses it once. A program
//! with many sentences should make this value itself, in order to reuse its memory.

use crate::bounds::Caps;
use crate::derivation::Derivation;
use crate::generate::Generator;
use crate::grammar::Grammar;
use crate::mutate::Mutator;
use crate::notation::{self, Report};
use crate::parameters::{Decoder, Settings};
use crate::parse::{ParseError, Parser};
use crate::reduce;

/// The maximum length of the parameters of a mutant in bytes, as in libFuzzer. Longer parameters of
/// the original are allowed.
const MAX_MUTANT: usize = 4096;

impl Grammar {
    /// Reads a grammar: see [its notation](mod@crate::notation). `file` is its name in messages.
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::Grammar;
    ///
    /// let grammar = Grammar::read("bit.ebnf", br#"bit = "0" | "1" ;"#).unwrap();
    /// assert_eq!(grammar.decode(&[1]), b"1");
    ///
    /// let report = Grammar::read("bit.ebnf", b"bit = byte ;").unwrap_err();
    /// assert!(report.to_string().starts_with("bit.ebnf:1:7: error: undefined rule `byte`"));
    /// ```
    ///
    /// # Errors
    /// If the source is not a valid grammar, or if its shortest sentence exceeds the default
    /// [`Caps`]. The report lists all errors and warnings.
    pub fn read(file: &str, source: &[u8]) -> Result<Grammar, Report> {
        notation::read(file, source, &Caps::default()).map(|(grammar, _)| grammar)
    }

    /// Reads a grammar. `start` is the name of its start rule, in place of the start rule of the
    /// source.
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::Grammar;
    ///
    /// let source = br#"call = name "(" number ")" ; name = "f" ; number = [0-9]+ ;"#;
    /// let grammar = Grammar::read_from("call.ebnf", source, "number").unwrap();
    /// assert_eq!(grammar.decode(&[]), b"0");
    /// ```
    ///
    /// # Errors
    /// If [`Grammar::read`] would fail, or if the source has no rule of this name.
    pub fn read_from(file: &str, source: &[u8], start: &str) -> Result<Grammar, Report> {
        notation::read_from(file, source, Some(start), &Caps::default()).map(|(grammar, _)| grammar)
    }

    /// Returns the errors and the warnings about a grammar.
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::Grammar;
    ///
    /// let report = Grammar::check("word.ebnf", br#"word = "a" ; other = "b" ;"#);
    /// assert_eq!(report.errors(), 0);
    /// assert!(report.to_string().starts_with("word.ebnf:1:14: warning: rule `other` is never used"));
    /// ```
    pub fn check(file: &str, source: &[u8]) -> Report {
        notation::read(file, source, &Caps::default())
            .map_or_else(|report| report, |(_, warnings)| warnings)
    }

    /// Returns the sentence that bytes decode to. Any bytes decode to a sentence.
    ///
    /// [`Decoder`] does the same for many inputs, with bounds, caps and edits, and makes the
    /// derivation.
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::Grammar;
    ///
    /// let grammar = Grammar::read("sum.ebnf", br#"sum = [0-9] ( "+" [0-9] )* ;"#).unwrap();
    /// assert_eq!(grammar.decode(&[7, 1, 4]), b"7+4");
    /// ```
    pub fn decode(&self, parameters: &[u8]) -> Vec<u8> {
        Decoder::new(self).text(parameters).to_vec()
    }

    /// Returns the canonical parameters of a sentence: bytes that decode to it.
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::Grammar;
    ///
    /// let grammar = Grammar::read("sum.ebnf", br#"sum = [0-9] ( "+" [0-9] )* ;"#).unwrap();
    /// assert_eq!(grammar.encode(b"7+4").unwrap(), [7, 1, 4]);
    /// ```
    ///
    /// # Errors
    /// If the text is no sentence of the grammar, or takes more than the default
    /// [`Effort`](crate::Effort) to parse.
    pub fn encode(&self, sentence: &[u8]) -> Result<Vec<u8>, ParseError> {
        Ok(Decoder::new(self).encode(&self.parse(sentence)?).to_vec())
    }

    /// Returns the derivation of a sentence.
    ///
    /// [`Parser`] does the same for many texts, and computes its tables only once.
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::Grammar;
    ///
    /// let grammar = Grammar::read("pair.ebnf", br#"pair = digit "," digit ; digit = [0-9] ;"#).unwrap();
    /// let derivation = grammar.parse(b"1,2").unwrap();
    /// let digits = (0..derivation.nodes().len()).filter(|&node| derivation.text_range(node).len() == 1);
    /// assert!(digits.count() >= 2);
    /// assert_eq!(grammar.parse(b"1;2").unwrap_err().column, 2);
    /// ```
    ///
    /// # Errors
    /// If the text is no sentence of the grammar, or takes more than the default
    /// [`Effort`](crate::Effort) to parse.
    pub fn parse(&self, sentence: &[u8]) -> Result<Derivation, ParseError> {
        Parser::new(self).parse(sentence).cloned()
    }

    /// Returns a random sentence of about `size` bytes. Equal seeds give equal sentences.
    ///
    /// [`Generator`] generates many sentences, of all sizes or by learned [`Weights`](crate::Weights).
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::Grammar;
    ///
    /// let grammar = Grammar::read("sum.ebnf", br#"sum = [0-9] ( "+" [0-9] )* ;"#).unwrap();
    /// let sentence = grammar.generate(20, 1);
    /// assert!(grammar.parse(&sentence).is_ok());
    /// ```
    pub fn generate(&self, size: u32, seed: u64) -> Vec<u8> {
        Generator::new(self, seed)
            .size(size)
            .sentence()
            .text()
            .to_vec()
    }

    /// Returns a mutant of a sentence: another sentence that shares parts with it. In rare cases it
    /// is the same sentence. Equal seeds give equal mutants.
    ///
    /// [`Mutator`] mutates parameters, as fuzzers need it, and learns from its inputs.
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::Grammar;
    ///
    /// let grammar = Grammar::read("sum.ebnf", br#"sum = [0-9] ( "+" [0-9] )* ;"#).unwrap();
    /// let mutant = grammar.mutate(b"1+2+3", 1).unwrap();
    /// assert!(mutant != b"1+2+3" && grammar.parse(&mutant).is_ok());
    /// ```
    ///
    /// # Errors
    /// If [`Grammar::encode`] fails.
    pub fn mutate(&self, sentence: &[u8], seed: u32) -> Result<Vec<u8>, ParseError> {
        let parameters = self.encode(sentence)?;
        let max_size = MAX_MUTANT.max(parameters.len());
        Ok(self.decode(Mutator::new(self).mutate(&parameters, max_size, seed)))
    }

    /// Reduces a sentence to a small one for which `is_interesting` still returns true, for example
    /// because the program under test still crashes.
    ///
    /// The search is greedy and hierarchical, from the root of the derivation to its leaves, as in
    /// HDD (Misherghi and Su, ICSE 2006) and Picireny. The result is a local minimum: no single
    /// step of the search makes it smaller. `is_interesting` is not called for `sentence` itself, nor
    /// again for a text for which it returned false.
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::Grammar;
    ///
    /// let grammar = Grammar::read("lists.ebnf", br#"list = "[" ( list | [a-z] )* "]" ;"#).unwrap();
    /// let has_x = |text: &[u8]| text.contains(&b'x');
    /// assert_eq!(grammar.reduce(b"[a[b[x]c]d]", has_x).unwrap(), b"[x]");
    /// ```
    ///
    /// # Errors
    /// If [`Grammar::encode`] fails.
    pub fn reduce(
        &self,
        sentence: &[u8],
        mut is_interesting: impl FnMut(&[u8]) -> bool,
    ) -> Result<Vec<u8>, ParseError> {
        let parameters = self.encode(sentence)?;
        let smallest = reduce::reduce(self, &Settings::default(), &parameters, &mut |tree| {
            is_interesting(tree.derivation().text())
        });
        Ok(smallest.derivation().text().to_vec())
    }
}
