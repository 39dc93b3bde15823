//! `zester show`: prints the derivation tree of parameters.

use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;

use zester::derivation::{Derivation, NameRole, WITHOUT_LAYOUT};
use zester::equal::Equivalents;
use zester::grammar::{Grammar, Kind, SymbolId};
use zester::parameters::{Decoder, TextEdit, TextEdits};

use crate::arguments::{GrammarAndStart, SentenceLimits};
use crate::explain;
use crate::format_warnings::warn_of_texts;
use crate::input::{self, grammar_and_start, warn_of_stale};
use crate::numbers::counted;
use crate::output::print;
use crate::printable::printable;
use crate::problem::Problem;

const EXAMPLES: &str = "\
Examples:
  zester show json.ebnf fuzz/corpus/json/0a1b2c
  printf '\\1\\2\\3' | zester show json.ebnf -
  zester show calc.ebnf fuzz/corpus/calc/0a1b2c --equal

Exit status: 0; 1 if the grammar has errors; 2 if a file cannot be read.";

/// Show the derivation tree of parameters, one line for each node.
///
/// In a grammar with names, the line of a name says whether it is declared here, where it was
/// declared (line and column in the text), or that it is not declared.
///
/// A line has the span of the node in the canonical parameters, its rule or terminal, the number of
/// the chosen alternative (#2) or of repetitions (x3), and the beginning of its text. Large trees
/// are cut; messages on standard error give the number of missing nodes. If the sentence is edited,
/// a line for each edit follows.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ShowCommand {
    #[command(flatten)]
    grammar: GrammarAndStart,

    /// A file of parameters; `-` is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The maximum number of levels of the tree to show.
    #[arg(long, value_name = "LEVELS", default_value_t = 64)]
    depth: usize,

    /// The maximum number of nodes to show.
    #[arg(long, value_name = "NODES", default_value_t = 10_000)]
    lines: usize,

    /// Show the whole tree, without the limits of --depth and --lines.
    #[arg(long, conflicts_with_all = ["depth", "lines"])]
    all: bool,

    /// Show the equivalent sentences instead: each equivalence that applies, and the sentence that one
    /// application makes. Texts that are no sentences of the grammar are left out.
    #[arg(long, conflicts_with_all = ["depth", "lines", "all"])]
    equal: bool,

    #[command(flatten)]
    limits: SentenceLimits,
}

/// The maximum number of equivalent sentences that are shown.
const MAX_EQUIVALENT: usize = 256;

/// The maximum number of characters of a node's text that are shown.
const TEXT: usize = 48;

/// The maximum number of levels that are indented. The line of a deeper node has its level as a
/// number.
const INDENTED: usize = 64;

impl ShowCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let settings = self.limits.settings();
        let grammar = grammar_and_start(&self.grammar, &settings.caps)?;
        if self.grammar.start.is_none() {
            warn_of_stale([&self.file], &grammar);
        }
        warn_of_texts(std::slice::from_ref(&self.file), &grammar);
        let mut decoder = Decoder::new(&grammar).settings(settings);
        let input = decoder.input(&input::parameters(&self.file)?);
        let tree = &input.tree;
        let derivation = tree.derivation();
        if self.equal {
            return show_equivalent(&grammar, derivation);
        }
        let (depth, lines) = if self.all {
            (usize::MAX, usize::MAX)
        } else {
            (self.depth, self.lines)
        };
        let nodes = derivation.nodes();
        let roles = NameNotes::new(&grammar, derivation);
        // The ends of the subtrees around the current node.
        let mut ends: Vec<usize> = Vec::new();
        let (mut shown, mut too_deep, mut deepest) = (0, 0, 0);
        let mut text = String::new();
        for (at, node) in nodes.iter().enumerate() {
            while ends.last().is_some_and(|&end| end <= at) {
                ends.pop();
            }
            let (level, end) = (ends.len(), at + node.size as usize);
            ends.push(end);
            deepest = deepest.max(level + 1);
            if level >= depth {
                too_deep += 1;
            } else if shown < lines {
                shown += 1;
                let Range { start, end } = tree.span(at);
                let span = format!("{start}..{end}");
                let number = if level > INDENTED {
                    format!("(level {}) ", level + 1)
                } else {
                    String::new()
                };
                let indent = 2 * level.min(INDENTED);
                let _ = writeln!(
                    text,
                    "{span:>12}  {:indent$}{number}{}{}",
                    "",
                    node_line(&grammar, derivation, at),
                    roles.note(at)
                );
            }
            if text.len() > 1 << 16 {
                print(text.as_bytes())?;
                text.clear();
            }
        }
        print(text.as_bytes())?;
        let left = nodes.len() - shown;
        if left > 0 {
            let (all, after) = (nodes.len(), left - too_deep);
            eprintln!(
                "zester: {shown} of {all} nodes are shown; the tree has {}; --all shows the whole tree",
                counted(deepest, "level")
            );
            if too_deep > 0 {
                eprintln!(
                    "zester: below level {depth} (--depth): {}",
                    counted(too_deep, "node")
                );
            }
            if after > 0 {
                eprintln!(
                    "zester: after the first {} (--lines): {}",
                    counted(lines, "line"),
                    counted(after, "node")
                );
            }
        }
        for edit in input.edits().list() {
            print(
                format!(
                    "{:>12}  {}\n",
                    "edit",
                    edit_line(&grammar, input.edits(), edit)
                )
                .as_bytes(),
            )?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Prints a sentence, and those that are equivalent to it, each after the name of its equivalence.
fn show_equivalent(grammar: &Grammar, derivation: &Derivation) -> Result<ExitCode, Problem> {
    let mut equivalents = Equivalents::new(grammar);
    let mut all = equivalents.first(MAX_EQUIVALENT, derivation, |_| true);
    let is_cut = all.len() == MAX_EQUIVALENT;
    all.retain(|(equivalence, text)| equivalents.confirms(*equivalence, derivation, text));
    let mut text = format!(
        "sentence\n    {}\n",
        printable(&String::from_utf8_lossy(derivation.text()))
    );
    if all.is_empty() {
        eprintln!("zester: no equivalence of the grammar applies to this sentence");
    }
    for (equivalence, other) in all {
        let name = equivalents.name(equivalence);
        let _ = write!(
            text,
            "\n{name}\n    {}\n",
            printable(&String::from_utf8_lossy(&other))
        );
    }
    print(text.as_bytes())?;
    if is_cut {
        eprintln!("zester: only the first {MAX_EQUIVALENT} applications were tried");
    }
    Ok(ExitCode::SUCCESS)
}

/// Notes on the names of a sentence, such as where each is declared.
struct NameNotes {
    /// By node: the note, and its colour code.
    notes: HashMap<usize, (String, &'static str)>,
    is_coloured: bool,
}

impl NameNotes {
    fn new(grammar: &Grammar, derivation: &Derivation) -> NameNotes {
        let text = derivation.text();
        // The offsets at which lines begin.
        let mut lines = vec![0];
        let feeds = (1..).zip(text).filter(|&(_, &byte)| byte == b'\n');
        lines.extend(feeds.map(|(after, _)| after));
        let position = |node: usize| {
            let at = derivation.text_range(node).start;
            let line = lines.partition_point(|&start| start <= at);
            let before = String::from_utf8_lossy(&text[lines[line - 1]..at]);
            format!("{line}:{}", 1 + before.chars().count())
        };
        let note = |(node, role)| {
            let note = match role {
                NameRole::Declaration => (format!("declared here, at {}", position(node)), "36"),
                NameRole::Redeclaration(first) => (
                    format!("declared again, first at {}", position(first)),
                    "35",
                ),
                NameRole::Use(declaration) => {
                    (format!("declared at {}", position(declaration)), "36")
                }
                NameRole::WrongUse(declaration) => (
                    format!(
                        "declared at {} as another kind, or hidden",
                        position(declaration)
                    ),
                    "35",
                ),
                NameRole::Undeclared => ("not declared".into(), "35"),
            };
            (node, note)
        };
        let roles = derivation.name_roles(grammar);
        NameNotes {
            notes: roles.into_iter().map(note).collect(),
            is_coloured: explain::is_coloured(),
        }
    }

    /// Returns the note for the end of the line of a node, or nothing.
    fn note(&self, node: usize) -> String {
        match self.notes.get(&node) {
            None => String::new(),
            Some((note, code)) if self.is_coloured => format!("  \x1b[{code}m{note}\x1b[0m"),
            Some((note, _)) => format!("  ({note})"),
        }
    }
}

/// Returns the line of an edit of the text.
fn edit_line(grammar: &Grammar, edits: &TextEdits, edit: &TextEdit) -> String {
    let label = |terminal: u16| grammar.label(SymbolId(terminal.into()));
    match *edit {
        TextEdit::Delete { at } => format!("delete token {at}"),
        TextEdit::Insert { at, terminal } => {
            format!("insert {} before token {at}", label(terminal))
        }
        TextEdit::Substitute { at, terminal } => {
            format!("substitute {} for token {at}", label(terminal))
        }
        TextEdit::InsertCopy { at, from } => {
            format!("insert a copy of token {from} before token {at}")
        }
        TextEdit::SubstituteCopy { at, from } => {
            format!("substitute a copy of token {from} for token {at}")
        }
        TextEdit::Transpose { at } => format!("transpose tokens {at} and {}", at + 1),
        TextEdit::Replace { at, length, new } => {
            let new = String::from_utf8_lossy(&edits.new_bytes()[new.0 as usize..new.1 as usize]);
            format!("replace bytes {at}..{} by {:?}", at + length, new)
        }
        TextEdit::Encode(encoding) => format!("write the text as {encoding:?}"),
    }
}

/// Returns the line of a node: its symbol, its choice, and the beginning of its text.
fn node_line(grammar: &Grammar, derivation: &Derivation, at: usize) -> String {
    let node = &derivation.nodes()[at];
    let choice = match &grammar[node.symbol].kind {
        Kind::Nonterminal { alternatives, .. } if alternatives.len() > 1 => {
            format!(
                " #{}",
                grammar.alternatives(node.symbol)[node.choice as usize]
                    .source
                    .unwrap_or(node.choice)
                    + 1
            )
        }
        Kind::Repeat { .. } | Kind::Run { .. } => format!(" x{}", node.choice),
        Kind::Lexeme { .. } if node.choice & WITHOUT_LAYOUT != 0 => {
            format!(" layout x{}, no separators", node.layout_tokens())
        }
        Kind::Lexeme { .. } if node.choice > 0 => format!(" layout x{}", node.choice),
        _ => String::new(),
    };
    let text = &derivation.text()[derivation.text_range(at)];
    format!(
        "{}{choice}  {:?}",
        grammar.label(node.symbol),
        beginning(text)
    )
}

/// Returns the first [`TEXT`] characters of a text, and `…` if there are more.
fn beginning(text: &[u8]) -> String {
    // A character has at most four bytes. One more byte shows that the text is longer.
    let text = String::from_utf8_lossy(&text[..text.len().min(4 * TEXT + 1)]);
    let mut characters = text.chars();
    let mut shown: String = characters.by_ref().take(TEXT).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_end_with_an_ellipsis() {
        for (byte, shown) in [(b'a', 'a'), (0xFF, char::REPLACEMENT_CHARACTER)] {
            let all = shown.to_string().repeat(TEXT);
            assert_eq!(beginning(&[byte; TEXT]), all);
            assert_eq!(beginning(&[byte; TEXT + 1]), all.clone() + "…");
            assert_eq!(beginning(&[byte; 5 * TEXT]), all + "…");
        }
    }
}
