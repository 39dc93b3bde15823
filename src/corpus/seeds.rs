//! Seed corpora: the parameters of existing texts.
//!
//! # Guarantees
//!
//! * Parameters that an [`Encoder`] writes decode to the text, byte for byte. If the encoder
//!   omitted a part of the text or inserted separators, the parameters decode to the text after
//!   this change. If the encoder has a function that changes texts, the parameters decode to the
//!   changed text.
//! * [`import`] writes a file to a corpus completely or not at all.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{conversion, is_mark, records};
use crate::derivation::Derivation;
use crate::derive::Workspace;
use crate::grammar::Grammar;
use crate::parameters::{self, Input, Settings, Tree};
use crate::parse::Parser;
use crate::stable_hash::StableHash;

/// The reason why a text has no parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kind of problem, without a position in the text. Refused texts with the same cause are
    /// counted together.
    pub cause: String,
    /// The position in the text, if there is one, and the problem.
    pub message: String,
}

impl Refusal {
    /// Returns a refusal without a position in the text.
    pub fn new(cause: impl Into<String>) -> Refusal {
        let cause = cause.into();
        Refusal {
            message: cause.clone(),
            cause,
        }
    }

    /// Returns the path of the text, a colon and the message.
    pub fn in_file(&self, path: impl std::fmt::Display) -> String {
        // A message with a position begins with `LINE:COLUMN`, which follows the path without a
        // space.
        let has_position = self.message.starts_with(|c: char| c.is_ascii_digit());
        let space = if has_position { "" } else { " " };
        format!("{path}:{space}{}", self.message)
    }
}

/// The parameters of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    /// The parameters: at least one byte.
    pub parameters: Vec<u8>,
    /// The number of bytes of the text that were omitted, because they do not belong to a sentence.
    pub cut: usize,
}

/// An encoder that finds the parameters of texts. It parses a text, encodes its derivation, and
/// checks the result by decoding it.
///
/// ```
/// use zester::{Grammar, Parser, Settings, corpus::seeds::Encoder, parameters};
///
/// let grammar = Grammar::read("list.ebnf", br#"list = "[" ( [0-9] ","? )* "]" ;"#).unwrap();
/// let settings = Settings::default();
/// let mut encoder = Encoder::new(Parser::new(&grammar), &grammar, settings, false);
/// let seed = encoder.encode(b"[1,2]").unwrap();
/// assert_eq!(parameters::sentence(&grammar, &settings, &seed.parameters).text(), b"[1,2]");
/// assert!(encoder.encode(b"[1,2").is_err());
/// ```
#[derive(Debug)]
pub struct Encoder<'a> {
    grammar: &'a Grammar,
    settings: Settings,
    /// Whether bytes that do not belong to a sentence are omitted.
    recovers: bool,
    /// The function that changes a text before it is parsed, if there is one.
    pre_process: Option<fn(&mut Vec<u8>)>,
    parser: Parser<'a>,
    derivation: Derivation,
    workspace: Workspace,
    /// The text that the parameters decode to.
    decoded: Vec<u8>,
}

impl<'a> Encoder<'a> {
    /// Returns an encoder for texts within the bounds and caps of `settings`. If `recovers` and a
    /// text is not a sentence, the encoder encodes the part of the text that is a sentence: see
    /// [`Parser::recover`].
    pub fn new(
        parser: Parser<'a>,
        grammar: &'a Grammar,
        settings: Settings,
        recovers: bool,
    ) -> Encoder<'a> {
        let (derivation, workspace) = (Derivation::default(), Workspace::default());
        Encoder {
            grammar,
            settings,
            recovers,
            pre_process: None,
            parser,
            derivation,
            workspace,
            decoded: Vec::new(),
        }
    }

    /// Sets a function that changes a text before it is parsed. The function undoes the
    /// post-processor of the fuzz target, which changes each sentence before the program under test
    /// reads it.
    pub fn pre_process(mut self, change: fn(&mut Vec<u8>)) -> Encoder<'a> {
        self.pre_process = Some(change);
        self
    }

    /// Returns the parameters of a text.
    ///
    /// # Errors
    /// If the text is not a sentence, if it is longer than the cap of bytes, or if its parameters
    /// decode to another text because the sentence exceeds the bounds or caps.
    pub fn encode(&mut self, text: &[u8]) -> Result<Seed, Refusal> {
        let text = self.pre_processed(text);
        self.encode_sentence(&text)
    }

    /// Returns the text, changed by the function that undoes the post-processor, if there is one.
    fn pre_processed<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let mut text = Cow::Borrowed(text);
        if let Some(change) = self.pre_process {
            change(text.to_mut());
        }
        text
    }

    /// Returns the parameters of the sentence of a seed, or of the simplest sentence, with an edit
    /// that results in a text. Returns [`None`] if the seed decodes to the text, or if no edit
    /// results in the text.
    fn encode_edited(&mut self, seed: Option<&Seed>, text: &[u8]) -> Option<Vec<u8>> {
        let text = self.pre_processed(text);
        let parameters = seed.map_or(&[][..], |seed| &seed.parameters);
        let mut tree = Tree::default();
        let Encoder {
            grammar,
            settings,
            workspace,
            ..
        } = self;
        parameters::read(grammar, settings, parameters, workspace, &mut tree);
        let is_edited = tree.derivation().text() != &*text;
        let edited = || Input::with_text(tree, &text, grammar, settings, workspace);
        is_edited.then(edited).flatten()
    }

    fn encode_sentence(&mut self, text: &[u8]) -> Result<Seed, Refusal> {
        let Encoder {
            grammar,
            settings,
            parser,
            derivation,
            ..
        } = self;
        check_length(text, settings.caps.bytes)?;
        let cut = parse(parser, text, self.recovers, derivation)?;
        let mut bytes = Vec::new();
        parameters::encode(grammar, derivation, &mut bytes);
        bytes.resize(bytes.len().max(1), 0);
        parameters::decode_text(
            grammar,
            settings,
            &bytes,
            &mut self.workspace,
            &mut self.decoded,
        );
        let read = derivation.text();
        if self.decoded != read {
            let same = self
                .decoded
                .iter()
                .zip(read)
                .take_while(|(one, other)| one == other)
                .count();
            let message = format!(
                "the text exceeds the bounds or caps: its parameters decode to a text that differs from byte {same} on"
            );
            return Err(Refusal {
                cause: "exceeds the bounds or caps".into(),
                message,
            });
        }
        Ok(Seed {
            parameters: bytes,
            cut,
        })
    }
}

/// Checks that a text has at most `max` bytes.
///
/// # Errors
/// If the text is longer.
pub fn check_length(text: &[u8], max: u32) -> Result<(), Refusal> {
    if text.len() <= max as usize {
        return Ok(());
    }
    Err(Refusal::new(format!(
        "longer than {max} bytes, the limit that --max-bytes of zester's commands sets"
    )))
}

/// Parses a text into `derivation`. If `recovers` and the text is not a sentence, parses the part
/// of the text that is a sentence: see [`Parser::recover`]. Returns the number of bytes that were
/// omitted.
///
/// # Errors
/// If the text is not a sentence. The message names the position of the first error.
pub fn parse(
    parser: &mut Parser<'_>,
    text: &[u8],
    recovers: bool,
    derivation: &mut Derivation,
) -> Result<usize, Refusal> {
    let Err(error) = parser.parse_into(text, derivation) else {
        return Ok(0);
    };
    let explained = parser.explain(text, error);
    if let (true, Ok(cuts)) = (recovers, parser.recover(text, derivation)) {
        return Ok(cuts.iter().map(std::ops::Range::len).sum());
    }
    Err(Refusal {
        cause: explained.cause.clone(),
        message: explained.to_string(),
    })
}

/// The result of an import: numbers of texts, and the first refusal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// The number of texts that were found.
    pub files: usize,
    /// The number of texts whose parameters are in the corpus after the import.
    pub accepted: usize,
    /// The number of accepted texts whose parameters were already in the corpus.
    pub known: usize,
    /// The number of accepted texts of which only a part was encoded. Texts that were already in
    /// the corpus do not count.
    pub cut: usize,
    /// The number of texts whose parameters are longer than the maximum of [`import`].
    pub long: usize,
    /// The number of texts for which a sentence with an edit was written to the corpus. Their
    /// parameters without an edit may be in the corpus, too. Texts that were already in the corpus
    /// do not count.
    pub edited: usize,
    /// A message for the first text that was refused: its path and the reason.
    pub refused: Option<String>,
}

/// Writes the parameters of all texts in a directory and its subdirectories to a corpus. Parameters
/// of more than `max` bytes are not written. Calls `step` before each text.
///
/// If the encoder's settings allow edits, a text that is no sentence is also encoded as a sentence with an edit
/// that results in the text.
///
/// The name of a seed is `seed-v2-` and a hash of the grammar and the text. So a text whose seed is
/// already in the corpus is not parsed again.
///
/// # Errors
/// If the corpus cannot be written to.
pub fn import(
    directory: &Path,
    corpus: &Path,
    encoder: &mut Encoder<'_>,
    max: usize,
    mut step: impl FnMut(&Imported),
) -> io::Result<Imported> {
    let mut result = Imported::default();
    let part = corpus.join(format!(".zester-seed-{}", std::process::id()));
    for file in files(directory, |_, _| {}) {
        step(&result);
        result.files += 1;
        let text = read(fs::File::open(&file), encoder.settings.caps.bytes);
        let to = corpus.join(
            text.as_ref()
                .map_or(String::new(), |text| name(encoder.grammar, text)),
        );
        if text.is_ok() && to.exists() {
            (result.accepted, result.known) = (result.accepted + 1, result.known + 1);
            continue;
        }
        let write = |to: &Path, parameters: &[u8]| {
            fs::write(&part, parameters)
                .and_then(|()| fs::rename(&part, to))
                .inspect_err(|_| drop(fs::remove_file(&part)))
        };
        let seed = text.as_ref().map_err(Refusal::clone);
        let seed = seed.and_then(|text| encoder.encode(text));
        let edited = text
            .ok()
            .and_then(|text| encoder.encode_edited(seed.as_ref().ok(), &text));
        if let Some(parameters) = edited.filter(|parameters| parameters.len() <= max) {
            write(&to.with_extension("edited"), &parameters)?;
            result.edited += 1;
        }
        match seed {
            Ok(seed) if seed.parameters.len() > max => result.long += 1,
            Ok(seed) => {
                write(&to, &seed.parameters)?;
                result.accepted += 1;
                result.cut += usize::from(seed.cut > 0);
            }
            Err(refusal) => {
                result
                    .refused
                    .get_or_insert_with(|| refusal.in_file(file.display()));
            }
        }
    }
    Ok(result)
}

/// Returns the file name of the seed of a text.
fn name(grammar: &Grammar, text: &[u8]) -> String {
    let mut hash = StableHash::new();
    hash.bytes(&grammar.fingerprint().to_le_bytes());
    hash.bytes(text);
    format!("seed-v2-{:016x}", hash.value())
}

/// Reads a text. Reads at most `max + 1` bytes, so that the caller can recognise a longer text
/// without reading all of it.
///
/// # Errors
/// If the text cannot be read.
pub fn read(text: io::Result<impl Read>, max: u32) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    let read = text.and_then(|text| text.take(u64::from(max) + 1).read_to_end(&mut bytes));
    read.map(|_| bytes)
        .map_err(|error| Refusal::new(format!("cannot be read: {error}")))
}

/// Returns all files in a directory and its subdirectories, in the order of their paths. Omits
/// markers of grammars, texts of grammars and records of artifacts. Calls `unreadable` with each
/// directory that cannot be read. Does not follow symbolic links to directories inside `directory`,
/// because they may form cycles.
pub fn files(directory: &Path, mut unreadable: impl FnMut(&Path, &io::Error)) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![directory.to_path_buf()]);
    while let Some(path) = open.pop() {
        if path != directory
            && !path
                .symlink_metadata()
                .is_ok_and(|metadata| metadata.is_dir())
        {
            if path.is_file() && !is_mark(&path) {
                found.push(path);
            }
            continue;
        }
        if records::is_directory(&path) || conversion::is_grammars(&path) {
            continue;
        }
        match fs::read_dir(&path) {
            Ok(entries) => {
                let mut inside: Vec<PathBuf> =
                    entries.flatten().map(|entry| entry.path()).collect();
                inside.sort_by(|one, other| other.cmp(one));
                open.append(&mut inside);
            }
            Err(error) => unreadable(&path, &error),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Caps;
    use crate::notation;

    fn grammar() -> Grammar {
        notation::read(
            "test",
            br#"list = "[" ( [0-9] ","? )* "]" ;"#,
            &Caps::default(),
        )
        .unwrap()
        .0
    }

    fn names(directory: &Path) -> Vec<String> {
        let name = |path: PathBuf| path.file_name().unwrap().to_str().unwrap().to_string();
        files(directory, |_, _| {}).into_iter().map(name).collect()
    }

    #[test]
    fn a_text_that_is_no_sentence_is_an_edited_sentence_if_edits_are_allowed() {
        let grammar = grammar();
        let settings = Settings {
            edits: parameters::Edits::On,
            ..Settings::default()
        };
        let (texts, corpus) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let contents: [&[u8]; 3] = [b"[1,2]", b"[1,x,2]", b"no list"];
        for (at, content) in contents.iter().enumerate() {
            fs::write(texts.path().join(at.to_string()), content).unwrap();
        }
        let mut encoder = Encoder::new(Parser::new(&grammar), &grammar, settings, true);
        let (from, to) = (texts.path(), corpus.path());
        let found = import(from, to, &mut encoder, usize::MAX, |_| {}).unwrap();
        assert_eq!((found.accepted, found.cut, found.edited), (2, 1, 2));
        let mut decoded: Vec<Vec<u8>> = files(to, |_, _| {})
            .iter()
            .map(|file| {
                let mut input = Input::default();
                let bytes = fs::read(file).unwrap();
                input.read(&grammar, &settings, &bytes, &mut Workspace::default());
                input.text().to_vec()
            })
            .collect();
        decoded.sort();
        let rest: &[u8] = b"[1,2]";
        assert_eq!(decoded, [rest, rest, b"[1,x,2]", b"no list"]);
    }

    #[test]
    fn an_import_is_repeated_without_new_files() {
        let grammar = grammar();
        let (texts, corpus) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(texts.path().join("a"), "[1,2]").unwrap();
        fs::write(texts.path().join("b"), "no list").unwrap();
        let mut encoder = Encoder::new(Parser::new(&grammar), &grammar, Settings::default(), false);
        let mut import = || {
            import(
                texts.path(),
                corpus.path(),
                &mut encoder,
                usize::MAX,
                |_| {},
            )
            .unwrap()
        };
        let first = import();
        assert_eq!((first.files, first.accepted, first.known), (2, 1, 0));
        let refused = first.refused.unwrap();
        assert!(refused.contains("b:1:1: unexpected"), "{refused}");
        // The name is pinned: with another name, an import would write a second copy of every seed.
        assert_eq!(names(corpus.path()), ["seed-v2-cb22513ee99e3062"]);
        let second = import();
        assert_eq!((second.accepted, second.known), (1, 1));
        assert_eq!(names(corpus.path()).len(), 1);
    }

    #[test]
    fn a_position_follows_the_path_without_a_space() {
        let refusal = Refusal::new("cannot be read");
        assert_eq!(refusal.in_file("a.txt"), "a.txt: cannot be read");
        let refusal = Refusal {
            cause: "unexpected `x`".into(),
            message: "1:2: unexpected `x`".into(),
        };
        assert_eq!(refusal.in_file("a.txt"), "a.txt:1:2: unexpected `x`");
    }
}
