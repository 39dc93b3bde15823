//! Conversion of a corpus after its grammar has changed.
//!
//! A corpus contains the text of the grammar with which it was written, in the file
//! `.zester-ebnf-v1/FINGERPRINT.ebnf`. libFuzzer does not read hidden directories. When a fuzz
//! target with another grammar starts on the corpus, the target converts the files: it decodes each
//! file with the old grammar and encodes the text with the new one.
//!
//! # Guarantees
//!
//! * A converted file decodes to the same text as the old file.
//! * If the corpus is a symbolic link, the directory that it links to is converted. The link stays.
//! * The old files stay, in the directory `CORPUS.old-FINGERPRINT`. Converted files are written to
//!   the directory `CORPUS.converting`, which takes the place of the corpus when it is complete. So
//!   nothing is lost if the process is killed at any time: the next start finishes the conversion or
//!   begins again.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{MARK, is_mark, mark, marks, stale};
use crate::bounds::Caps;
use crate::derivation::Derivation;
use crate::derive::Workspace;
use crate::grammar::Grammar;
use crate::notation;
use crate::parameters::{Input, Settings, Tree, encode, read};
use crate::parse::Parser;

/// The name of the directory of grammars in a corpus.
const GRAMMARS: &str = ".zester-ebnf-v1";

/// The prefix of the name of a temporary file with a grammar. The rest of the name is the ID of the
/// process that writes it.
const UNFINISHED: &str = "unfinished";

/// The maximum size of a file of a corpus in bytes. Larger files are not converted.
const MAX_FILE: u64 = 1 << 20;

/// The maximum number of symbolic links from a corpus to its directory, as in Linux.
const MAX_LINKS: u32 = 40;

/// The result of a conversion: numbers of files, and the directory of the old files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Converted {
    /// The number of files that the new grammar derives: the text is a sentence of the new grammar,
    /// or it is an edited text and the sentence before the edits is a sentence of the new grammar.
    pub kept: usize,
    /// The number of files that the new grammar does not derive. Each became an edited sentence:
    /// the simplest sentence with one edit that results in the text.
    pub edited: usize,
    /// The number of files that were not converted: files of more than 1 MiB, and files that the
    /// new grammar does not derive and that cannot be edited sentences. A text cannot be an edited
    /// sentence if edits are off, if it is too long, or if it is not UTF-8.
    pub lost: usize,
    /// The directory with the old files.
    pub old: PathBuf,
}

/// Writes the marker of a grammar to a directory as [`mark`] does, and the text of the grammar to
/// its directory of grammars.
///
/// # Errors
/// If the directory cannot be written to.
pub fn mark_with_source(directory: &Path, grammar: &Grammar, source: &[u8]) -> io::Result<()> {
    mark(directory, grammar)?;
    let path = source_of(directory, grammar.fingerprint());
    // Another grammar with the same fingerprint may have other comments and names.
    if fs::read(&path).is_ok_and(|text| text == source) {
        return Ok(());
    }
    let grammars = directory.join(GRAMMARS);
    fs::create_dir_all(&grammars)?;
    // Other processes may read and write this file at the same time. A rename keeps them from
    // reading an incomplete text.
    let unfinished = grammars.join(format!("{UNFINISHED}{}", std::process::id()));
    fs::write(&unfinished, source)?;
    fs::rename(unfinished, path)
}

/// Returns whether a path is the directory of grammars in a corpus.
pub fn is_grammars(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == GRAMMARS)
}

/// Returns whether a path is a file in the directory of grammars in a corpus: the text of a
/// grammar, or a temporary file of a process that was killed.
pub fn is_grammar(path: &Path) -> bool {
    path.parent().is_some_and(is_grammars)
        && path
            .file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| {
                name.ends_with(".ebnf")
                    || name
                        .strip_prefix(UNFINISHED)
                        .is_some_and(|process| process.bytes().all(|byte| byte.is_ascii_digit()))
            })
}

/// Returns the file with the text of a grammar.
fn source_of(directory: &Path, fingerprint: u64) -> PathBuf {
    directory
        .join(GRAMMARS)
        .join(format!("{fingerprint:016x}.ebnf"))
}

/// Converts a corpus that was written with another grammar. `progress` is called with the number of
/// converted files and the number of all files. Returns [`None`] if
///
/// * the corpus was not written with another grammar,
/// * the text of the old grammar is not in the corpus, or this version of zester reads it differently,
/// * no text of the corpus is a sentence of the new grammar. Then the new grammar is probably for
///   another language.
///
/// # Errors
/// If a file cannot be read or written, if a directory cannot be renamed, or if the path of the
/// corpus ends in `.` or `..`. After an error, the files of the corpus are unchanged.
pub fn convert(
    corpus: &Path,
    (grammar, source): (&Grammar, &[u8]),
    settings: &Settings,
    progress: impl FnMut(usize, usize),
) -> io::Result<Option<Converted>> {
    let corpus = &linked_to(corpus);
    finish_earlier(corpus)?;
    let Some(old) = stale(corpus, grammar).and_then(|stale| old_grammar(corpus, &stale.mark))
    else {
        return Ok(None);
    };
    if corpus.file_name().is_none() {
        let message = "the directory is renamed, so its path must not end in `.` or `..`. \
                       Write its name, such as `../corpus`";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let unfinished = beside(corpus, ".converting");
    remove_unfinished(&unfinished)?;
    fs::create_dir(&unfinished)?;
    let mut converted = write_all(
        corpus,
        &unfinished,
        &mut Converter::new(&old, grammar, settings),
        progress,
    )?;
    if converted.kept == 0 && converted.edited + converted.lost > 0 {
        remove_unfinished(&unfinished)?;
        return Ok(None);
    }
    // The marker is the sign that the directory is complete.
    mark_with_source(&unfinished, grammar, source)?;
    converted.old = unused(&beside(corpus, &format!(".old-{:016x}", old.fingerprint())));
    fs::rename(corpus, &converted.old)?;
    if let Err(error) = fs::rename(&unfinished, corpus) {
        fs::rename(&converted.old, corpus)?;
        return Err(error);
    }
    Ok(Some(converted))
}

/// Follows symbolic links from a corpus to its directory. Returns the corpus itself if it is not a
/// link. The directory need not exist: a conversion may have been killed after it renamed the
/// directory.
fn linked_to(corpus: &Path) -> PathBuf {
    // `read_link` fails for a path with a trailing slash. `components` removes the slash.
    let mut path: PathBuf = corpus.components().collect();
    for _ in 0..MAX_LINKS {
        let Ok(target) = fs::read_link(&path) else {
            break;
        };
        path.pop();
        path.push(target);
    }
    path
}

/// Finishes a conversion that was killed between its last two steps: it had renamed the old corpus,
/// but not the converted one. Since then, an engine may have made an empty corpus.
fn finish_earlier(corpus: &Path) -> io::Result<()> {
    let unfinished = beside(corpus, ".converting");
    if marks(&unfinished).is_empty() {
        return Ok(());
    }
    if !corpus.exists() {
        return fs::rename(unfinished, corpus);
    }
    if fs::read_dir(corpus)?.next().is_none() {
        fs::remove_dir(corpus)?;
        return fs::rename(unfinished, corpus);
    }
    Ok(())
}

/// Removes the directory of an earlier conversion that was not finished, if there is one.
fn remove_unfinished(directory: &Path) -> io::Result<()> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns the grammar that a marker names, if the corpus has its text.
fn old_grammar(corpus: &Path, mark: &Path) -> Option<Grammar> {
    let name = mark.file_name()?.to_str()?;
    let fingerprint = name.strip_prefix(MARK)?;
    let fingerprint = u64::from_str_radix(fingerprint, 16).ok()?;
    let text = fs::read(source_of(corpus, fingerprint)).ok()?;
    let (grammar, _) = notation::read("old.ebnf", &text, &Caps::default()).ok()?;
    // Another version of zester may read the text differently.
    (grammar.fingerprint() == fingerprint).then_some(grammar)
}

/// Returns a path with `suffix` after its last component.
fn beside(corpus: &Path, suffix: &str) -> PathBuf {
    // A trailing slash is not a part of the name.
    let mut name: OsString = corpus.components().collect::<PathBuf>().into();
    name.push(suffix);
    name.into()
}

/// Returns a path that does not exist: the given one, or one with a number.
fn unused(path: &Path) -> PathBuf {
    let numbered = (2..).map(|number| beside(path, &format!("-{number}")));
    std::iter::once(path.to_path_buf())
        .chain(numbered)
        .find(|path| path.symlink_metadata().is_err())
        .unwrap_or(path.into())
}

/// Writes the converted files of a corpus to a directory.
fn write_all(
    corpus: &Path,
    to: &Path,
    converter: &mut Converter<'_>,
    mut progress: impl FnMut(usize, usize),
) -> io::Result<Converted> {
    let files = files(corpus)?;
    let mut converted = Converted::default();
    for (at, file) in files.iter().enumerate() {
        progress(at, files.len());
        let is_large = fs::metadata(file)?.len() > MAX_FILE;
        let new = match is_large {
            true => None,
            false => converter.convert(&fs::read(file)?),
        };
        let count = match new {
            None => &mut converted.lost,
            Some((bytes, is_sentence)) => {
                let name = file.file_name().unwrap_or_default();
                fs::write(unused(&to.join(name)), bytes)?;
                if is_sentence {
                    &mut converted.kept
                } else {
                    &mut converted.edited
                }
            }
        };
        *count += 1;
    }
    Ok(converted)
}

/// Returns the files of a corpus that are not empty, at any depth, without hidden directories and
/// markers. Skips symbolic links to directories, because they may form cycles, and broken links.
fn files(corpus: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut open, mut files) = (vec![corpus.to_owned()], Vec::new());
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            let about = match fs::metadata(&path) {
                Err(_) if kind.is_symlink() => continue,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                about => about?,
            };
            let is_hidden = path
                .file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            if kind.is_dir() && !is_hidden {
                open.push(path);
            } else if about.is_file() && about.len() > 0 && !is_mark(&path) {
                files.push(path);
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Decodes parameters by one grammar and encodes the text by another.
struct Converter<'a> {
    old: &'a Grammar,
    new: &'a Grammar,
    settings: Settings,
    parser: Parser<'a>,
    workspace: Workspace,
    derivation: Derivation,
    /// The simplest sentence of the new grammar.
    simplest: Tree,
    input: Input,
}

impl<'a> Converter<'a> {
    fn new(old: &'a Grammar, new: &'a Grammar, settings: &Settings) -> Converter<'a> {
        let (mut workspace, mut simplest) = (Workspace::default(), Tree::default());
        read(new, settings, &[], &mut workspace, &mut simplest);
        Converter {
            old,
            new,
            settings: *settings,
            parser: Parser::new(new),
            workspace,
            derivation: Derivation::default(),
            simplest,
            input: Input::default(),
        }
    }

    /// Returns the new parameters of an input. The second value is whether the new grammar derives
    /// the text of the input, or its sentence before the edits. Returns [`None`] if no parameters
    /// of the new grammar decode to the text.
    fn convert(&mut self, bytes: &[u8]) -> Option<(Vec<u8>, bool)> {
        self.input
            .read(self.old, &self.settings, bytes, &mut self.workspace);
        let text = self.input.text().to_vec();
        let sentence = self.input.tree.derivation().text().to_vec();
        // An edited text may be a sentence of the new grammar.
        for candidate in [&text, &sentence] {
            let Some(tree) = self.tree_of(candidate) else {
                continue;
            };
            if let Some(bytes) = self.edited(tree, &text) {
                return Some((bytes, true));
            }
        }
        let bytes = self.edited(self.simplest.clone(), &text)?;
        Some((bytes, false))
    }

    /// Returns the parameters of a sentence. If the sentence differs from `text`, the parameters
    /// contain an edit that changes it to `text`.
    fn edited(&mut self, tree: Tree, text: &[u8]) -> Option<Vec<u8>> {
        Input::with_text(tree, text, self.new, &self.settings, &mut self.workspace)
    }

    /// Returns the tree of a text, if it is a sentence of the new grammar.
    fn tree_of(&mut self, text: &[u8]) -> Option<Tree> {
        let Converter {
            new,
            settings,
            parser,
            workspace,
            derivation,
            ..
        } = self;
        parser.parse_into(text, derivation).ok()?;
        let (mut parameters, mut tree) = (Vec::new(), Tree::default());
        encode(new, derivation, &mut parameters);
        read(new, settings, &parameters, workspace, &mut tree);
        Some(tree)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::Edits;

    const OLD: &[u8] = b"list = \"[\" item* \"]\" ; item = [a-c] | \"x\" | list ;";
    /// A new alternative comes first, a rule has another name, and `\"x\"` is missing.
    const NEW: &[u8] = b"list = \"[\" thing* \"]\" ; thing = \"new\" | list | [a-c] ;";

    fn grammar(source: &[u8]) -> Grammar {
        notation::read("test", source, &Caps::default()).unwrap().0
    }

    /// Makes a corpus of texts.
    fn corpus(directory: &Path, texts: &[&str]) {
        fs::create_dir_all(directory).unwrap();
        let old = grammar(OLD);
        for text in texts {
            let (mut bytes, mut derivation) = (Vec::new(), Derivation::default());
            let mut parser = Parser::new(&old);
            parser.parse_into(text.as_bytes(), &mut derivation).unwrap();
            encode(&old, &derivation, &mut bytes);
            fs::write(directory.join(text), bytes).unwrap();
        }
        mark_with_source(directory, &old, OLD).unwrap();
    }

    fn settings() -> Settings {
        Settings::default().edits(Edits::On)
    }

    /// Returns the texts of a corpus of the new grammar.
    fn texts(directory: &Path) -> Vec<String> {
        let new = grammar(NEW);
        let (mut input, mut workspace) = (Input::default(), Workspace::default());
        let read = |path: &PathBuf| {
            input.read(&new, &settings(), &fs::read(path).unwrap(), &mut workspace);
            String::from_utf8(input.text().to_vec()).unwrap()
        };
        files(directory).unwrap().iter().map(read).collect()
    }

    fn convert_to_new(directory: &Path) -> Option<Converted> {
        convert(directory, (&grammar(NEW), NEW), &settings(), |done, all| {
            assert!(done < all)
        })
        .unwrap()
    }

    #[test]
    fn texts_survive_a_change_of_the_grammar() {
        let work = tempfile::tempdir().unwrap();
        let directory = work.path().join("corpus");
        let all = ["[[b]]", "[a[]c]", "[axb]"];
        corpus(&directory, &all);
        let converted = convert_to_new(&directory).unwrap();
        assert_eq!(
            (converted.kept, converted.edited, converted.lost),
            (2, 1, 0)
        );
        assert_eq!(texts(&directory), all);
        assert_eq!(files(&converted.old).unwrap().len(), 3);
        assert!(stale(&directory, &grammar(NEW)).is_none());
        // The new corpus has its grammar, so it can be converted back.
        let back = convert(&directory, (&grammar(OLD), OLD), &settings(), |_, _| ());
        let back = back.unwrap().unwrap();
        assert_eq!((back.kept, back.edited, back.lost), (3, 0, 0));
        assert!(back.old.exists() && back.old != converted.old);
        // A second conversion finds nothing to do, and a third one takes another name.
        assert_eq!(
            convert(&directory, (&grammar(OLD), OLD), &settings(), |_, _| ()).unwrap(),
            None
        );
        assert!(
            convert_to_new(&directory)
                .unwrap()
                .old
                .to_string_lossy()
                .ends_with("-2")
        );
    }

    #[test]
    fn broken_links_and_linked_directories_are_skipped_and_large_files_are_lost() {
        let work = tempfile::tempdir().unwrap();
        let directory = work.path().join("corpus");
        corpus(&directory, &["[a]"]);
        for (name, target) in [("link", "nowhere"), ("cycle", "cycle"), ("sub", ".")] {
            std::os::unix::fs::symlink(target, directory.join(name)).unwrap();
        }
        fs::write(directory.join("large"), vec![0; MAX_FILE as usize + 1]).unwrap();
        let converted = convert_to_new(&directory).unwrap();
        assert_eq!((converted.kept, converted.lost), (1, 1));
        assert_eq!(texts(&directory), ["[a]"]);
    }

    #[test]
    fn a_killed_conversion_loses_nothing() {
        let work = tempfile::tempdir().unwrap();
        let directory = work.path().join("corpus");
        let unfinished = work.path().join("corpus.converting");
        corpus(&directory, &["[a]", "[b]"]);
        // Killed while files were written.
        fs::create_dir(&unfinished).unwrap();
        fs::write(unfinished.join("half"), "x").unwrap();
        assert_eq!(convert_to_new(&directory).unwrap().kept, 2);
        assert_eq!(texts(&directory), ["[a]", "[b]"]);
        assert!(!unfinished.exists());
        // Killed between the last two steps, and the engine made an empty corpus.
        for makes_empty in [false, true] {
            fs::rename(&directory, &unfinished).unwrap();
            if makes_empty {
                fs::create_dir(&directory).unwrap();
            }
            assert_eq!(convert_to_new(&directory), None);
            assert_eq!(texts(&directory), ["[a]", "[b]"]);
        }
    }

    #[test]
    fn a_linked_corpus_stays_a_link() {
        let work = tempfile::tempdir().unwrap();
        let [directory, link] = ["corpus", "link"].map(|name| work.path().join(name));
        std::os::unix::fs::symlink("corpus", &link).unwrap();
        corpus(&directory, &["[a]"]);
        let converted = convert_to_new(&link.join("")).unwrap();
        assert_eq!(converted.old.parent(), Some(work.path()));
        assert_eq!(texts(&directory), ["[a]"]);
        assert!(link.is_symlink());
        // Killed between the last two steps, so the link names nothing.
        fs::rename(&directory, work.path().join("corpus.converting")).unwrap();
        assert_eq!(convert_to_new(&link), None);
        assert_eq!(texts(&link), ["[a]"]);
    }

    #[test]
    fn a_corpus_without_a_name_stays() {
        let work = tempfile::tempdir().unwrap();
        let directory = work.path().join("corpus");
        corpus(&directory, &["[a]"]);
        fs::create_dir(directory.join("sub")).unwrap();
        let unnamed = directory.join("sub/..");
        let converted = convert(&unnamed, (&grammar(NEW), NEW), &settings(), |_, _| ());
        assert!(converted.unwrap_err().to_string().contains("`..`"));
        assert!(stale(&directory, &grammar(NEW)).is_some());
        assert_eq!(fs::read_dir(work.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_grammar_of_another_language_leaves_the_corpus() {
        let work = tempfile::tempdir().unwrap();
        let directory = work.path().join("corpus");
        corpus(&directory, &["[a]", "[b]"]);
        const OTHER: &[u8] = b"s = \"<\" [0-9]* \">\" ;";
        let converted = convert(&directory, (&grammar(OTHER), OTHER), &settings(), |_, _| ());
        assert_eq!(converted.unwrap(), None);
        assert!(stale(&directory, &grammar(OTHER)).is_some());
        assert_eq!(std::fs::read_dir(work.path()).unwrap().count(), 1);
    }

    #[test]
    fn edited_texts_become_sentences_again() {
        let (old, new) = (grammar(OLD), grammar(NEW));
        let mut to_new = Converter::new(&old, &new, &settings());
        let mut tree = Tree::default();
        read(&old, &settings(), &[], &mut Workspace::default(), &mut tree);
        // A text of the old grammar that is none of the new one, and back.
        let bytes = {
            let mut to_old = Converter::new(&new, &old, &settings());
            to_old.edited(tree, b"[new]").unwrap()
        };
        let (bytes, is_sentence) = to_new.convert(&bytes).unwrap();
        assert!(is_sentence);
        let mut input = Input::default();
        input.read(&new, &settings(), &bytes, &mut Workspace::default());
        assert_eq!(input.text(), b"[new]");
        assert!(input.edits().is_empty());
    }

    #[test]
    fn a_corpus_without_the_text_of_its_grammar_stays() {
        let work = tempfile::tempdir().unwrap();
        let directory = work.path().join("corpus");
        corpus(&directory, &["[a]"]);
        fs::remove_dir_all(directory.join(GRAMMARS)).unwrap();
        assert_eq!(convert_to_new(&directory), None);
        assert!(stale(&directory, &grammar(NEW)).is_some());
        assert_eq!(convert_to_new(&work.path().join("missing")), None);
    }
}
