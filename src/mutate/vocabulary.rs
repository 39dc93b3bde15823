//! The vocabulary: texts of tokens with which the program under test compares its input, and which
//! the grammar does not list.
//!
//! In some runs the operands of comparisons are recorded. One operand may be the text of a token of
//! the sentence that runs, or the beginning of this text. Then the other operand is a *candidate*
//! for the token. A candidate is *confirmed* if a run with it reaches an edge for the first time,
//! or for the first time with a valid input. The idea is that of Redqueen (Aschermann et al., NDSS
//! 2019), with tokens instead of bytes.
//!
//! A grammar may use one token in many rules, for example one name token for variables and for
//! functions. The program looks up each of these in another table. So words belong to an
//! *occurrence* of a token in a rule.
//!
//! A program that looks a name up in an ordered table compares it with several names of the table.
//! Such a comparison reads only as many bytes as the shorter operand has. So the whole name is
//! recorded only if the token is longer than the name: see `word.rs`.

mod file;
mod occurrence;

use rand::RngExt;
use rand::rngs::SmallRng;

pub use self::file::HEADER;
use self::file::OccurrenceNames;
pub use self::occurrence::{TokenOccurrence, has_text};
use crate::derivation::Derivation;
use crate::error::Error;
use crate::grammar::{Grammar, SymbolId};
use crate::parameters;
use crate::parse::Matcher;
use crate::splice::TreeView;

/// The maximum number of words of an occurrence.
const MAX_WORDS: usize = 512;

/// The maximum number of occurrences that have words.
const MAX_OCCURRENCES: usize = 4096;

/// The maximum length of a word in bytes.
const MAX_LENGTH: usize = 64;

/// The number of runs between two recorded runs. [`Vocabulary::probe`] requests further recorded
/// runs.
const RECORDED: u32 = 16;

/// The number of words that are drawn each time. The best one is taken.
const DRAWS: usize = 4;

/// A word that is the beginning of another word is probably an operand that was cut off. It is
/// ranked as if it had been tried this many times more.
const CUT: u32 = 16;

/// After a string is confirmed, the strings from this many positions before it are tried next.
const NEIGHBOURS: usize = 8;

/// One in this many draws takes a word of a random occurrence of the token.
const FOREIGN: u32 = 8;

#[derive(Debug)]
struct VocabularyWord {
    text: Box<[u8]>,
    /// The number of runs in which the word was tried.
    tries: u32,
    /// Whether a run with the word reached something new.
    is_confirmed: bool,
}

#[derive(Debug, Default)]
struct OccurrenceWords {
    words: Vec<VocabularyWord>,
    /// The number of words that were never tried.
    untried: u32,
    /// The number of random texts that were tried for the token, so that recorded comparisons show
    /// words.
    probes: u32,
    /// The string of the program that is tried next.
    next_string: usize,
    /// The number of strings that were tried.
    strings: u32,
    /// The number of words that were confirmed.
    confirmed: u32,
}

/// Where a word was drawn from.
#[derive(Clone, Copy, Debug)]
enum Drawn {
    /// The words of an occurrence: the index of the occurrence and the index of the word.
    Row(usize, usize),
    /// The strings of the program that the token allows, and the index among them.
    String(usize),
    /// A random text.
    Probe,
}

#[derive(Debug, Default)]
pub struct Vocabulary {
    words: Vec<OccurrenceWords>,
    /// The occurrences of each symbol that have words: the lexeme, and the index in `words`. A hash
    /// table of the standard library would count as covered code, so none is used.
    of_symbol: Vec<Vec<(SymbolId, usize)>>,
    /// The word that was put into the last result: its occurrence, and where it was drawn from.
    tried: Option<(TokenOccurrence, Drawn)>,
    strings: Vec<Vec<u8>>,
    /// The indices of the strings that the rule of each symbol allows. [`None`] if they were not needed so
    /// far.
    allowed: Vec<Option<Vec<u32>>>,
    /// The number of runs until one is recorded.
    until_recorded: u32,
    /// Whether there is a word, or a comparison was recorded.
    is_used: bool,
    /// The names of the occurrences. They are found when the first word is read or written.
    names: Option<OccurrenceNames>,
    /// The lines of words that were confirmed since they were last taken.
    lines: String,
    matcher: Matcher,
    derivation: Derivation,
}

impl Vocabulary {
    pub fn new(grammar: &Grammar) -> Vocabulary {
        Vocabulary {
            of_symbol: vec![Vec::new(); grammar.symbols().len()],
            allowed: vec![None; grammar.symbols().len()],
            ..Vocabulary::default()
        }
    }

    /// Returns the rank of a node as a place to try a random text (`is_probe`) or a word. The
    /// lowest rank is best.
    pub fn rank(&self, view: &TreeView<'_>, node: usize, is_probe: bool) -> u32 {
        let row = self.known(TokenOccurrence::of(view, node));
        match (row.map(|row| &self.words[row]), is_probe) {
            (None, true) => 0,
            (Some(row), true) => row.probes,
            (None, false) => u32::MAX,
            (Some(row), false) => match row.words.is_empty() {
                true => u32::MAX,
                false => u32::from(row.untried == 0),
            },
        }
    }

    /// Requests that the next run, which tries a random text for a token, is recorded.
    pub fn probe(&mut self, view: &TreeView<'_>, node: usize) {
        self.until_recorded = 0;
        self.tried = Some((TokenOccurrence::of(view, node), Drawn::Probe));
    }

    /// Returns whether the next run is to be recorded. Must be called once for each run.
    pub fn wants_comparisons(&mut self) -> bool {
        let wants = self.until_recorded == 0;
        self.until_recorded = self.until_recorded.checked_sub(1).unwrap_or(RECORDED);
        wants
    }

    /// Notes that a comparison was recorded.
    pub fn note_comparison(&mut self) {
        self.is_used = true;
    }

    /// Returns whether there is a word, or a comparison was recorded. If not, random texts find no words.
    pub fn is_used(&self) -> bool {
        self.is_used
    }

    /// Forgets which word was tried last, because another operator makes the next result.
    pub fn forget(&mut self) {
        self.tried = None;
    }

    /// Records whether the run of the last result reached something new. If that confirms a word,
    /// writes its parameters to `bytes`, and returns its occurrence.
    pub fn record_run(
        &mut self,
        grammar: &Grammar,
        found: bool,
        bytes: &mut Vec<u8>,
    ) -> Option<TokenOccurrence> {
        let (occurrence, drawn) = self.tried.take()?;
        let own = self.row(occurrence)?;
        let text: Box<[u8]> = match drawn {
            Drawn::Row(row, at) => {
                let OccurrenceWords { words, untried, .. } = &mut self.words[row];
                *untried -= u32::from(words[at].tries == 0);
                words[at].tries += 1;
                words[at].text.clone()
            }
            Drawn::String(at) => {
                let string = self.allowed_strings(grammar, occurrence.symbol)[at] as usize;
                let own = &mut self.words[own];
                own.strings += 1;
                // The names of a table are neighbours in the program, so the neighbours of a
                // confirmed string are tried next.
                own.next_string = match found {
                    true => at.saturating_sub(NEIGHBOURS),
                    false => at + 1,
                };
                self.strings[string].clone().into()
            }
            Drawn::Probe => {
                self.words[own].probes += 1;
                return None;
            }
        };
        if !found {
            return None;
        }
        if !self.confirm(grammar, occurrence, &text, bytes) {
            return None;
        }
        let names = self
            .names
            .get_or_insert_with(|| OccurrenceNames::new(grammar));
        names.write(grammar, occurrence, &text, &mut self.lines);
        Some(occurrence)
    }

    /// Confirms a word, and writes its parameters to `bytes`. Returns `false` if it was confirmed before,
    /// the rule of the token does not allow it, or there is no room.
    fn confirm(
        &mut self,
        grammar: &Grammar,
        occurrence: TokenOccurrence,
        text: &[u8],
        bytes: &mut Vec<u8>,
    ) -> bool {
        let Some(row) = self.row(occurrence) else {
            return false;
        };
        let Some(index) = self.add_to(grammar, row, occurrence.symbol, text) else {
            return false;
        };
        let OccurrenceWords {
            words,
            untried,
            confirmed,
            ..
        } = &mut self.words[row];
        let word = &mut words[index];
        if std::mem::replace(&mut word.is_confirmed, true) {
            return false;
        }
        *confirmed += 1;
        *untried -= u32::from(word.tries == 0);
        word.tries = word.tries.max(1);
        bytes.clear();
        let is_allowed = self
            .matcher
            .read(grammar, occurrence.symbol, text, &mut self.derivation)
            .is_ok();
        parameters::encode(grammar, &self.derivation, bytes);
        is_allowed
    }

    /// Reads a file of words, or a part of it that begins with line `first`. Calls a function with the
    /// occurrence and the parameters of each word that was not confirmed before.
    ///
    /// # Errors
    /// If a line cannot be read. The message has its number.
    pub fn read(
        &mut self,
        grammar: &Grammar,
        (text, first): (&str, usize),
        mut learn: impl FnMut(TokenOccurrence, &[u8]),
    ) -> Result<(), Error> {
        let names = self
            .names
            .take()
            .unwrap_or_else(|| OccurrenceNames::new(grammar));
        let mut bytes = Vec::new();
        let result = names.read(grammar, text, first, |occurrence, text| {
            if self.confirm(grammar, occurrence, text, &mut bytes) {
                learn(occurrence, &bytes);
            }
        });
        self.names = Some(names);
        result
    }

    /// Returns the lines of the words that were confirmed since the last call.
    pub fn take_lines(&mut self) -> String {
        std::mem::take(&mut self.lines)
    }

    /// Draws a word for a token. Half of the draws prefer confirmed words, the other half prefer
    /// candidates. Among words of the preferred kind, those that were tried less often are
    /// preferred. Returns [`None`] if there is no word.
    pub fn draw(&mut self, rng: &mut SmallRng, view: &TreeView<'_>, node: usize) -> Option<&[u8]> {
        let occurrence = TokenOccurrence::of(view, node);
        let own = self.known(occurrence);
        let row = match own {
            Some(row) if rng.random_range(0..FOREIGN) > 0 => row,
            _ => {
                let rows = &self.of_symbol[occurrence.symbol.0 as usize];
                if rows.is_empty() {
                    return None;
                }
                rows[rng.random_range(0..rows.len())].1
            }
        };
        let words = &self.words[row].words;
        if words.is_empty() {
            return None;
        }
        let wants_confirmed = rng.random::<bool>();
        let draw = |_| rng.random_range(0..words.len());
        let rank = |at: &usize| {
            let word = &words[*at];
            (word.is_confirmed != wants_confirmed, word.tries)
        };
        let at = (0..DRAWS).map(draw).min_by_key(rank)?;
        self.tried = Some((occurrence, Drawn::Row(row, at)));
        Some(&self.words[row].words[at].text)
    }

    /// Returns the next string of the program that the rule of a token allows. Returns [`None`] if it allows
    /// none.
    pub fn next_string(&mut self, view: &TreeView<'_>, node: usize) -> Option<&[u8]> {
        let occurrence = TokenOccurrence::of(view, node);
        let row = self.known(occurrence);
        let next = row.map_or(0, |row| self.words[row].next_string);
        let allowed = self.allowed_strings(view.grammar, occurrence.symbol);
        let at = next % allowed.len().max(1);
        let string = *allowed.get(at)? as usize;
        self.tried = Some((occurrence, Drawn::String(at)));
        Some(&self.strings[string])
    }

    /// Returns the rank of a node as a place to try a string of the program. The lowest rank is
    /// best. It is the number of strings that were tried, divided by one more than the number of
    /// confirmed words.
    pub fn string_rank(&mut self, view: &TreeView<'_>, node: usize) -> u32 {
        let occurrence = TokenOccurrence::of(view, node);
        if self
            .allowed_strings(view.grammar, occurrence.symbol)
            .is_empty()
        {
            return u32::MAX;
        }
        let row = self.known(occurrence).map(|row| &self.words[row]);
        row.map_or(0, |row| row.strings / (1 + row.confirmed))
    }

    /// Returns the indices of the strings that the rule of a symbol allows. They are found once.
    fn allowed_strings(&mut self, grammar: &Grammar, symbol: SymbolId) -> &[u32] {
        let Vocabulary {
            strings,
            allowed,
            matcher,
            derivation,
            ..
        } = self;
        allowed[symbol.0 as usize].get_or_insert_with(|| {
            (0..)
                .zip(strings.iter())
                .filter(|(_, text)| matcher.read(grammar, symbol, text, derivation).is_ok())
                .map(|(at, _)| at)
                .collect()
        })
    }

    pub fn set_strings(&mut self, strings: Vec<Vec<u8>>) {
        self.strings = strings;
        self.allowed.fill(None);
    }

    /// Draws any word of a symbol.
    pub fn draw_any(&self, rng: &mut SmallRng, symbol: SymbolId) -> Option<&[u8]> {
        let rows = &self.of_symbol[symbol.0 as usize];
        if rows.is_empty() {
            return None;
        }
        let (_, row) = rows[rng.random_range(0..rows.len())];
        let words = &self.words[row].words;
        (!words.is_empty()).then(|| &*words[rng.random_range(0..words.len())].text)
    }

    /// Learns from the operands of a comparison in the run of a sentence.
    pub fn learn(&mut self, view: &TreeView<'_>, operands: [&[u8]; 2]) {
        let [first, second] = operands;
        for (own, other) in [(first, second), (second, first)] {
            if own.len() < 2 || other.len() < 2 {
                continue;
            }
            for node in 0..view.nodes().len() {
                let text = view.text(node);
                let is_own = text.len() >= own.len()
                    && text.len() <= MAX_LENGTH
                    && text[..own.len()].eq_ignore_ascii_case(own)
                    && has_text(view, node);
                if is_own && !text.eq_ignore_ascii_case(other) {
                    let occurrence = TokenOccurrence::of(view, node);
                    if let Some(row) = self.row(occurrence) {
                        self.add_to(view.grammar, row, occurrence.symbol, other);
                    }
                }
            }
        }
    }

    /// Returns the index of the words of an occurrence, if it has any.
    fn known(&self, occurrence: TokenOccurrence) -> Option<usize> {
        let rows = &self.of_symbol[occurrence.symbol.0 as usize];
        rows.iter()
            .find(|(lexeme, _)| *lexeme == occurrence.lexeme)
            .map(|(_, row)| *row)
    }

    /// Returns the index of the words of an occurrence, which is added if it is new. Returns
    /// [`None`] if there is no room.
    fn row(&mut self, occurrence: TokenOccurrence) -> Option<usize> {
        if let Some(row) = self.known(occurrence) {
            return Some(row);
        }
        let row = self.words.len();
        if row == MAX_OCCURRENCES {
            return None;
        }
        self.words.push(OccurrenceWords::default());
        self.of_symbol[occurrence.symbol.0 as usize].push((occurrence.lexeme, row));
        Some(row)
    }

    /// Adds a candidate, unless it is known. Returns its index, or [`None`] if the rule of the
    /// symbol does not allow it or there is no room.
    fn add_to(
        &mut self,
        grammar: &Grammar,
        row: usize,
        symbol: SymbolId,
        text: &[u8],
    ) -> Option<usize> {
        let OccurrenceWords { words, untried, .. } = &mut self.words[row];
        if let Some(at) = words.iter().position(|word| *word.text == *text) {
            return Some(at);
        }
        if words.len() == MAX_WORDS {
            return None;
        }
        self.matcher
            .read(grammar, symbol, text, &mut self.derivation)
            .ok()?;
        let mut tries = 0;
        for word in words.iter_mut() {
            if text.starts_with(&word.text) {
                *untried -= u32::from(word.tries == 0);
                word.tries += CUT;
            }
            if word.text.starts_with(text) {
                tries = CUT;
            }
        }
        self.is_used = true;
        *untried += u32::from(tries == 0);
        words.push(VocabularyWord {
            text: text.into(),
            tries,
            is_confirmed: false,
        });
        Some(words.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::splice::testing::Example;

    const SOURCE: &str = r#"
        @skip blank = " "+ ;
        @start all = ( name | "$" variable )* ;
        variable = name ;
        @identifier name = [a-z]+ ;
    "#;

    fn token(example: &Example, text: &str) -> usize {
        let view = example.view();
        (0..view.nodes().len())
            .find(|&node| has_text(&view, node) && view.text(node) == text.as_bytes())
            .expect(text)
    }

    /// Returns the words of the occurrence of a token.
    fn words(vocabulary: &Vocabulary, example: &Example, name: &str) -> Vec<String> {
        let occurrence = TokenOccurrence::of(&example.view(), token(example, name));
        let row = vocabulary.known(occurrence);
        row.map_or(Vec::new(), |row| {
            let words = vocabulary.words[row].words.iter();
            words
                .map(|word| String::from_utf8_lossy(&word.text).into_owned())
                .collect()
        })
    }

    #[test]
    fn operands_become_words_of_the_occurrence_of_the_token() {
        let example = Example::new(SOURCE, "abcdef $ghijkl");
        let mut vocabulary = Vocabulary::new(example.view().grammar);
        let mut learn = |first: &str, second: &str| {
            vocabulary.learn(&example.view(), [first.as_bytes(), second.as_bytes()]);
        };
        learn("upper", "abcde");
        learn("GHI", "sum");
        // Not a name, not a part of a token, and too short.
        learn("abcdef", "up per");
        learn("other", "lower");
        learn("a", "b");
        assert_eq!(words(&vocabulary, &example, "abcdef"), ["upper"]);
        assert_eq!(words(&vocabulary, &example, "ghijkl"), ["sum"]);
    }

    #[test]
    fn a_word_that_reaches_something_new_is_confirmed_once_and_written() {
        let example = Example::new(SOURCE, "abcdef");
        let (view, node) = (example.view(), token(&example, "abcdef"));
        let mut vocabulary = Vocabulary::new(example.view().grammar);
        let (mut rng, mut bytes) = (SmallRng::seed_from_u64(1), Vec::new());
        vocabulary.learn(&view, [b"abcdef", b"up"]);
        vocabulary.learn(&view, [b"abcdef", b"upper"]);
        for found in [false, true, true] {
            while vocabulary.draw(&mut rng, &view, node) != Some(b"upper") {}
            let confirmed = vocabulary.record_run(example.view().grammar, found, &mut bytes);
            let lines = vocabulary.take_lines();
            assert_eq!(confirmed.is_some(), !lines.is_empty());
            assert!(
                lines.is_empty() || lines == "name in all: \"upper\"\n",
                "{lines}"
            );
        }
        // A run of another result says nothing about the word.
        while vocabulary.draw(&mut rng, &view, node) != Some(b"up") {}
        vocabulary.forget();
        assert_eq!(
            vocabulary.record_run(example.view().grammar, true, &mut bytes),
            None
        );
    }

    #[test]
    fn strings_of_the_program_are_tried_in_turn_and_neighbours_of_confirmed_ones_again() {
        let example = Example::new(SOURCE, "abcdef");
        let (view, node) = (example.view(), token(&example, "abcdef"));
        let mut vocabulary = Vocabulary::new(example.view().grammar);
        let strings = ["aa", "not a name", "bb", "cc"].map(|text| text.as_bytes().to_vec());
        vocabulary.set_strings(strings.to_vec());
        for tried in [b"aa", b"bb", b"cc", b"aa"] {
            assert_eq!(vocabulary.next_string(&view, node), Some(&tried[..]));
            vocabulary.record_run(example.view().grammar, false, &mut Vec::new());
        }
        assert_eq!(vocabulary.next_string(&view, node), Some(&b"bb"[..]));
        let confirmed = vocabulary.record_run(example.view().grammar, true, &mut Vec::new());
        assert!(confirmed.is_some());
        assert_eq!(vocabulary.next_string(&view, node), Some(&b"aa"[..]));
        assert_eq!(words(&vocabulary, &example, "abcdef"), ["bb"]);
    }

    #[test]
    fn words_of_a_file_are_confirmed() {
        let example = Example::new(SOURCE, "abcdef");
        let mut vocabulary = Vocabulary::new(example.view().grammar);
        let file = format!("{HEADER}name in variable: \"upper\"\nname in variable: \"1\"\n");
        let mut learned = Vec::new();
        for _ in 0..2 {
            vocabulary
                .read(example.view().grammar, (&file, 1), |_, bytes| {
                    learned.push(bytes.to_vec())
                })
                .unwrap();
        }
        assert_eq!(learned.len(), 1);
        assert_eq!(vocabulary.take_lines(), "");
    }
}
