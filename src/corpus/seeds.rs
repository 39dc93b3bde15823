//! Texts to parameters: what a seed corpus is made of.
//!
//! What holds: parameters are those of a text only if they decode to it, byte for byte. A file appears in a corpus when it is
//! whole.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::is_mark;
use crate::derivation::Derivation;
use crate::derive::Workspace;
use crate::grammar::Grammar;
use crate::parameters::{self, Settings};
use crate::parse::Parser;

/// Why a text became no parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The same for texts that are refused for the same.
    pub cause: String,
    /// Where and why.
    pub message: String,
}

impl Refusal {
    /// A refusal that concerns no place in the text.
    pub fn new(cause: impl Into<String>) -> Refusal {
        let cause = cause.into();
        Refusal { message: cause.clone(), cause }
    }
}

/// The parameters of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    /// At least one byte.
    pub parameters: Vec<u8>,
    /// Bytes of the text that they do not mean, as no sentence has them.
    pub cut: usize,
}

/// Writes parameters of texts.
#[derive(Debug)]
pub struct Encoder<'a> {
    grammar: &'a Grammar,
    settings: Settings,
    /// Whether what is no sentence is cut out of a text.
    recovers: bool,
    /// Changes a text before it is parsed.
    pre_process: Option<fn(&mut Vec<u8>)>,
    parser: Parser<'a>,
    derivation: Derivation,
    workspace: Workspace,
    again: Vec<u8>,
}

impl<'a> Encoder<'a> {
    /// An encoder for texts within the bounds and caps of the settings. `recovers`: of a text that is no sentence, it takes the
    /// part that is ([`Parser::recover`]).
    pub fn new(parser: Parser<'a>, grammar: &'a Grammar, settings: Settings, recovers: bool) -> Encoder<'a> {
        let (derivation, workspace) = (Derivation::default(), Workspace::default());
        Encoder { grammar, settings, recovers, pre_process: None, parser, derivation, workspace, again: Vec::new() }
    }

    /// Sets a function that changes a text before it is parsed, where the program under test reads sentences that a post-processor
    /// has changed.
    pub fn pre_process(mut self, change: fn(&mut Vec<u8>)) -> Encoder<'a> {
        self.pre_process = Some(change);
        self
    }

    /// The parameters of a text.
    ///
    /// # Errors
    /// Why it has none.
    pub fn encode(&mut self, text: &[u8]) -> Result<Seed, Refusal> {
        match self.pre_process {
            None => self.encode_sentence(text),
            Some(change) => {
                let mut text = text.to_vec();
                change(&mut text);
                self.encode_sentence(&text)
            }
        }
    }

    fn encode_sentence(&mut self, text: &[u8]) -> Result<Seed, Refusal> {
        let Encoder { grammar, settings, parser, derivation, .. } = self;
        check_length(text, settings.caps.bytes)?;
        parse(parser, text, self.recovers, derivation)?;
        let mut bytes = Vec::new();
        parameters::encode(grammar, derivation, &mut bytes);
        bytes.resize(bytes.len().max(1), 0);
        parameters::decode_text(grammar, settings, &bytes, &mut self.workspace, &mut self.again);
        let read = derivation.text();
        if self.again != read {
            let same = self.again.iter().zip(read).take_while(|(one, other)| one == other).count();
            let message = format!("byte {same} would be another: beyond bounds or caps");
            return Err(Refusal { cause: "beyond bounds or caps".into(), message });
        }
        Ok(Seed { parameters: bytes, cut: text.len() - read.len() })
    }
}

/// Whether a text has at most `most` bytes.
///
/// # Errors
/// That it has more.
pub fn check_length(text: &[u8], most: u32) -> Result<(), Refusal> {
    if text.len() <= most as usize {
        return Ok(());
    }
    Err(Refusal::new(format!("longer than {most} bytes, which a sentence may have (--most)")))
}

/// The derivation of a text; if `recovers`, of the part of it that has one ([`Parser::recover`]).
///
/// # Errors
/// Why it has none.
pub fn parse(parser: &mut Parser<'_>, text: &[u8], recovers: bool, derivation: &mut Derivation) -> Result<(), Refusal> {
    parser.parse(text, derivation).or_else(|error| {
        let explained = parser.explain(text, error);
        if recovers && parser.recover(text, derivation).is_ok() {
            return Ok(());
        }
        Err(Refusal { cause: explained.cause.clone(), message: explained.to_string() })
    })
}

/// What an import came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// All files that were looked at.
    pub files: usize,
    /// Those that are in the corpus now.
    pub accepted: usize,
    /// Those that were there before.
    pub known: usize,
    /// Those of which a part is.
    pub cut: usize,
    /// Those that `most` is too little for.
    pub long: usize,
    /// The first that was refused, and why.
    pub refused: Option<(PathBuf, String)>,
}

/// Writes the parameters of all texts in a directory, and below it, to a corpus, if they have at most `most` bytes; `step` is
/// called before each file. What is there from another import is not made again.
///
/// # Errors
/// That the corpus cannot be written to.
pub fn import(
    directory: &Path,
    corpus: &Path,
    encoder: &mut Encoder<'_>,
    most: usize,
    mut step: impl FnMut(&Imported),
) -> io::Result<Imported> {
    let mut result = Imported::default();
    let part = corpus.join(format!(".zester-seed-{}", std::process::id()));
    for file in files(directory, |_, _| {}) {
        step(&result);
        result.files += 1;
        let text = read(fs::File::open(&file), encoder.settings.caps.bytes);
        let mut hasher = DefaultHasher::new();
        (encoder.grammar.fingerprint(), text.as_deref().ok()).hash(&mut hasher);
        let to = corpus.join(format!("seed-{:016x}", hasher.finish()));
        if text.is_ok() && to.exists() {
            (result.accepted, result.known) = (result.accepted + 1, result.known + 1);
            continue;
        }
        match text.and_then(|text| encoder.encode(&text)) {
            Ok(seed) if seed.parameters.len() > most => result.long += 1,
            Ok(seed) => {
                fs::write(&part, &seed.parameters)
                    .and_then(|()| fs::rename(&part, to))
                    .inspect_err(|_| drop(fs::remove_file(&part)))?;
                result.accepted += 1;
                result.cut += usize::from(seed.cut > 0);
            }
            Err(refusal) => drop(result.refused.get_or_insert((file, refusal.message))),
        }
    }
    Ok(result)
}

/// A text, or so much of it that it is seen to be longer than `most` bytes.
///
/// # Errors
/// That it cannot be read.
pub fn read(text: io::Result<impl Read>, most: u32) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    let read = text.and_then(|text| text.take(u64::from(most) + 1).read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|error| Refusal::new(format!("cannot be read: {error}")))
}

/// All files below a directory but marks, in the order of their names; `unreadable` is told of directories.
pub fn files(directory: &Path, mut unreadable: impl FnMut(&Path, &io::Error)) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![directory.to_path_buf()]);
    while let Some(path) = open.pop() {
        // A link to a directory may lead back here.
        if path != directory && !path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
            if path.is_file() && !is_mark(&path) {
                found.push(path);
            }
            continue;
        }
        match fs::read_dir(&path) {
            Ok(entries) => {
                let mut inside: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
                inside.sort_by(|one, other| other.cmp(one));
                open.append(&mut inside);
            }
            Err(error) => unreadable(&path, &error),
        }
    }
    found
}
