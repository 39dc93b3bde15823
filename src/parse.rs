//! A parser that turns text into derivations, for any grammar.
//!
//! The parser uses Earley's algorithm. A scanner finds the tokens: at each position, only those
//! that the grammar allows there.

mod adjacency;
mod bind;
mod bindings;
mod captures;
mod chart;
mod error;
mod extract;
mod fuel;
mod instance_sets;
mod instances;
mod lines;
mod literals;
mod matcher;
mod possible;
mod recover;
mod scan;
mod stamped_map;
mod tables;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use self::bind::Binder;
use self::chart::{Chart, Recogniser};
pub use self::error::Failure;
pub use self::error::ParseError;
use self::extract::Parts;
pub use self::fuel::Effort;
use self::fuel::Fuel;
use self::instance_sets::InstanceSets;
use self::instances::{EmptyParts, InstanceTable};
use self::lines::LineReader;
pub use self::matcher::Matcher;
use self::possible::KnownInstances;
use self::scan::Scanner;
use self::tables::{CaptureRole, ParserTables};
use crate::derivation::Derivation;
use crate::grammar::{Grammar, Lines, SymbolId};

/// The maximum number of instances of one symbol that an error message lists. If there are more,
/// the message has the first one and the number of the others.
const MAX_INSTANCES: usize = 4;

/// The maximum number of separators that [`Parser::recover`] inserts into a text.
const MAX_SEPARATORS: usize = 256;

/// The maximum number of characters of the text that an error message quotes.
const SHOWN: usize = 20;

/// A text to parse, its grammar, and the tables that were made from the grammar.
#[derive(Clone, Copy)]
struct ParseInput<'a> {
    grammar: &'a Grammar,
    tables: &'a ParserTables,
    scanner: &'a Scanner,
    text: &'a [u8],
    /// The steps and the memory that are left for this text.
    fuel: &'a Fuel,
}

/// The maximum number of times that a derivation is extracted for one text. If the derivation lacks
/// separators that zester would write, the parser blocks tokens and tries again.
const ATTEMPTS: u32 = 64;

/// A parser for the sentences of one grammar.
///
/// The parser uses Earley's algorithm, so left recursion, ambiguity and empty rules are supported.
/// It reuses its memory from text to text. A clone shares the tables of the grammar and has its own
/// working memory.
///
/// # Guarantees
///
/// * `decode(encode(parse(text))) == text`, byte for byte, including white space and comments.
/// * A text always has the same derivation.
/// * The call stack does not grow with the text.
/// * Time and memory are linear in the length of the text if the grammar is unambiguous with one
///   token of lookahead. They are at most cubic in the number of tokens otherwise.
///
/// If a text has several derivations, these rules choose one:
///
/// 1. Among the alternatives of a symbol that derive the same text, the one that the grammar lists
///    first. Alternatives of weight 0 come last.
/// 2. Then the derivation whose last child is as short as possible, then the child before it, and
///    so on. So operators associate to the left, and an `else` belongs to the last `if`.
/// 3. In a grammar with arguments of rules, the first derivation by these rules may fit no values
///    of the arguments. Then rules 1 and 2 choose among the alternatives and the children that
///    fit.
/// 4. zester writes a separator between some pairs of adjacent tokens. A derivation in which
///    such tokens have no separator between them is rejected, and the first one without such a pair
///    is chosen.
///
/// # Not guaranteed
///
/// Some sentences are rejected:
///
/// * sentences whose layout can also be read as a token or as part of one (`@skip s = [a-z]+`,
///   `@token t = [^"]+`);
/// * sentences with a recursive token that takes too many steps to match;
/// * sentences with a repetition that must have more than 1,048,576 elements.
///
/// # Examples
///
/// ```
/// use zester::{Grammar, Parser};
///
/// let source = br#"list = "[" item* "]" ; @token item = [0-9]+ ","? ;"#;
/// let grammar = Grammar::read("list", source).unwrap();
/// let mut parser = Parser::new(&grammar);
/// assert_eq!(parser.parse(b"[1,22]").unwrap().text(), b"[1,22]");
///
/// let error = parser.parse(b"[1,x]").unwrap_err();
/// assert_eq!(error.to_string(), "1:4: unexpected \"x\"; expected \"]\", item");
/// ```
#[derive(Debug)]
pub struct Parser<'a> {
    /// The erased grammar: `whole` without the arguments of its rules. The chart is built with it.
    grammar: &'a Grammar,
    /// The grammar as the caller gave it, with the arguments of its rules.
    whole: &'a Grammar,
    binder: Binder,
    known: Arc<(ParserTables, Scanner)>,
    /// By symbol of the erased grammar: its first instance (a symbol of `whole`), and the number of
    /// its instances.
    ranges: Arc<[(u32, u32)]>,
    /// The instances that derive the empty text, computed at the first use.
    empty: Arc<OnceLock<EmptyParts>>,
    /// The sets of instances found so far, which later texts reuse.
    sets: InstanceSets,
    effort: Effort,
    lines: LineReader,
    chart: Chart,
    parts: Parts,
    /// The derivation of the last text.
    derivation: Derivation,
}

impl Clone for Parser<'_> {
    fn clone(&self) -> Self {
        let Parser {
            grammar,
            whole,
            effort,
            ..
        } = *self;
        let binder = Binder::new(whole);
        Parser {
            grammar,
            whole,
            binder,
            effort,
            known: self.known.clone(),
            ranges: self.ranges.clone(),
            empty: self.empty.clone(),
            sets: InstanceSets::default(),
            lines: LineReader::default(),
            chart: Chart::default(),
            parts: Parts::default(),
            derivation: Derivation::default(),
        }
    }
}

/// Returns the parser tables and the scanner of a grammar.
fn tables_of(grammar: &Grammar) -> (ParserTables, Scanner) {
    let tables = ParserTables::new(grammar);
    let scanner = Scanner::new(grammar.erased(), &tables);
    (tables, scanner)
}

impl<'a> Parser<'a> {
    /// Returns a parser for the sentences of a grammar, with the default limits.
    pub fn new(grammar: &'a Grammar) -> Parser<'a> {
        let (whole, grammar) = (grammar, grammar.erased());
        let binder = Binder::new(whole);
        Parser {
            grammar,
            whole,
            binder,
            effort: Effort::default(),
            known: Arc::new(tables_of(whole)),
            ranges: instances::ranges(whole),
            empty: Arc::default(),
            sets: InstanceSets::default(),
            lines: LineReader::default(),
            chart: Chart::default(),
            parts: Parts::default(),
            derivation: Derivation::default(),
        }
    }

    /// Replaces the limits on the steps and the memory that one text may take.
    #[must_use]
    pub fn effort(self, effort: Effort) -> Parser<'a> {
        Parser { effort, ..self }
    }

    /// Parses a whole text and returns its derivation.
    ///
    /// # Errors
    /// If the text is no sentence of the grammar, or if it takes more than the [`Effort`] allows.
    pub fn parse(&mut self, text: &[u8]) -> Result<&Derivation, ParseError> {
        let mut derivation = std::mem::take(&mut self.derivation);
        let result = self.parse_into(text, &mut derivation);
        self.derivation = derivation;
        match result {
            Ok(()) => Ok(&self.derivation),
            Err(failure) => Err(self.explain(text, failure)),
        }
    }

    /// Marks the lines and blocks of a text, and stores the marked text in `self.lines.marked`.
    fn mark(&mut self, lines: &Lines, text: &[u8]) -> Result<(), Failure> {
        let (tables, scanner) = &*self.known;
        let input = ParseInput {
            grammar: self.grammar,
            tables,
            scanner,
            text,
            fuel: &Fuel::new(self.effort, text.len()),
        };
        self.lines.mark(input, lines, &mut self.chart.tokens)
    }

    /// Converts the position of a failure from the marked text to the text.
    fn failure_in_text(&mut self, mut failure: Failure) -> Failure {
        self.lines.move_to_text(&mut [failure.at_mut()]);
        failure
    }

    /// Does the work of [`Parser::parse_into`]. If the grammar has lines, `text` is a marked text.
    fn parse_marked(&mut self, text: &[u8], derivation: &mut Derivation) -> Result<(), Failure> {
        let Parser {
            grammar,
            whole,
            binder,
            known,
            ranges,
            empty,
            sets,
            effort,
            chart,
            parts,
            ..
        } = self;
        let (tables, scanner) = &**known;
        let fuel = &Fuel::new(*effort, text.len());
        let input = ParseInput {
            grammar,
            tables,
            scanner,
            text,
            fuel,
        };
        recognise(input, chart)?;
        let Some(naming) = whole.naming.as_deref() else {
            return resolve(input, chart, parts, None, derivation);
        };
        let instances = InstanceTable {
            grammar: whole,
            naming,
            tables,
            ranges,
        };
        let empty = empty.get_or_init(|| EmptyParts::new(instances));
        sets.begin();
        match resolve(
            input,
            chart,
            parts,
            Some((instances, empty, sets)),
            derivation,
        ) {
            Err(Failure::Misfit(_)) => {
                // No derivation fits the arguments. Extract the derivation that ignores them. The
                // binder then reports the innermost part that fits no values in any of its
                // derivations.
                recognise(input, chart)?;
                parts.is_for_sets = true;
                let all = Some((instances, empty, &mut *sets));
                let result = resolve(input, chart, parts, all, derivation);
                parts.is_for_sets = false;
                result?;
            }
            result => result?,
        }
        binder
            .bind(instances, sets, &parts.sets, derivation)
            .map_err(Failure::Misfit)
    }

    /// Parses a text as [`Parser::parse_marked`] does, and inserts separators where they are
    /// missing. It inserts at most [`MAX_SEPARATORS`], because it parses the text again after each.
    ///
    /// # Errors
    /// The failure of the text without inserted separators.
    fn parse_separated(
        &mut self,
        mut text: Vec<u8>,
        derivation: &mut Derivation,
    ) -> Result<(), Failure> {
        let first = self.parse_marked(&text, derivation);
        let mut result = first;
        for _ in 0..MAX_SEPARATORS {
            let (Err(Failure::MissingSeparator(at)), Some(layout)) = (result, &self.grammar.layout)
            else {
                break;
            };
            text.splice(at..at, layout.separators[0].iter().copied());
            result = self.parse_marked(&text, derivation);
        }
        result.or(first)
    }

    /// Does the work of [`Parser::recover`]. If the grammar has lines, the text is a marked text.
    fn recover_marked(
        &mut self,
        text: &[u8],
        derivation: &mut Derivation,
    ) -> Result<Vec<Range<usize>>, Failure> {
        let Err(error) = self.parse_separated(text.to_vec(), derivation) else {
            return Ok(Vec::new());
        };
        let (tables, scanner) = &*self.known.clone();
        let Failure::Unexpected(at) = error else {
            return Err(error);
        };
        let whole = text.len();
        // No sentence of this grammar has bytes that are not UTF-8. Parse only the text before
        // them.
        let is_readable = self.grammar.derives_bytes() || std::str::from_utf8(text).is_ok();
        let text = if is_readable { text } else { &text[..at] };
        let fuel = &Fuel::new(self.effort, text.len());
        let input = ParseInput {
            grammar: self.grammar,
            tables,
            scanner,
            text,
            fuel,
        };
        let is_sentence = !is_readable && Recogniser::run(input, &mut self.chart)?;
        let cuts = (!is_sentence).then(|| recover::cuts(input, &mut self.chart).ok_or(error));
        let mut cuts = cuts.transpose()?.unwrap_or_default();
        let mut rest = Vec::with_capacity(text.len());
        let mut from = 0;
        for cut in &cuts {
            rest.extend_from_slice(&text[from..cut.start]);
            from = cut.end;
        }
        rest.extend_from_slice(&text[from..]);
        if rest.trim_ascii().is_empty() {
            return Err(error);
        }
        self.parse_separated(rest, derivation).map_err(|_| error)?;
        if !is_readable {
            cuts.push(at..whole);
        }
        Ok(cuts)
    }

    /// Returns the names of some symbols, each with its arguments.
    fn labels(&self, symbols: &[SymbolId]) -> Vec<String> {
        let label = |&symbol: &SymbolId| self.whole.label(symbol).to_string();
        let mut labels: Vec<String> = symbols.iter().map(label).collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    }
}

/// For the programs of this workspace; not part of the interface.
#[doc(hidden)]
impl<'a> Parser<'a> {
    /// Parses a whole text and replaces `derivation` by its derivation.
    ///
    /// # Errors
    /// If no derivation was found. The error gives the reason and the offset. The content of
    /// `derivation` is then unspecified.
    pub fn parse_into(&mut self, text: &[u8], derivation: &mut Derivation) -> Result<(), Failure> {
        let Some(lines) = self.grammar.lines.as_deref() else {
            return self.parse_marked(text, derivation);
        };
        self.mark(lines, text)?;
        let marked = std::mem::take(&mut self.lines.marked);
        let result = self.parse_marked(&marked, derivation);
        self.lines.marked = marked;
        match result {
            Ok(()) => {
                self.lines
                    .write(&mut derivation.text, &mut derivation.nodes);
                debug_assert_eq!(derivation.text, text);
                Ok(())
            }
            Err(failure) => Err(self.failure_in_text(failure)),
        }
    }

    /// Parses a text in which some elements of repetitions are not valid, such as one statement of
    /// a file.
    ///
    /// The parser cuts these elements out and parses the rest, which is `derivation.text()`
    /// afterwards. Where two tokens need a separator and have none, it inserts one. Returns the
    /// byte ranges that were cut out, in order. The result is empty if the text lacks nothing but
    /// separators.
    ///
    /// # Errors
    /// If no cuts were found that make the text a sentence, if only white space would be left, or
    /// if the text reaches a limit. The error is mostly that of the whole text.
    ///
    /// ```
    /// use zester::{Derivation, Grammar, Parser};
    ///
    /// let source = br#"
    ///     file = statement* ;
    ///     statement = ( "set" | "get" ) name ";" ;
    ///     @token name = [a-z]+ ;
    ///     @skip blank = [ \n]+ ;
    /// "#;
    /// let grammar = Grammar::read("file", source).unwrap();
    /// let mut derivation = Derivation::default();
    /// let cuts = Parser::new(&grammar).recover(b"set a;\nset ! b;\nget c;\n", &mut derivation).unwrap();
    /// assert_eq!(cuts.len(), 1);
    /// assert!(!derivation.text().contains(&b'!'));
    /// ```
    pub fn recover(
        &mut self,
        text: &[u8],
        derivation: &mut Derivation,
    ) -> Result<Vec<Range<usize>>, Failure> {
        let Some(lines) = self.grammar.lines.as_deref() else {
            return self.recover_marked(text, derivation);
        };
        self.mark(lines, text)?;
        let marked = std::mem::take(&mut self.lines.marked);
        let result = self.recover_marked(&marked, derivation);
        self.lines.marked = marked;
        match result {
            Ok(mut cuts) => {
                let ends = cuts
                    .iter_mut()
                    .flat_map(|cut| [&mut cut.start, &mut cut.end]);
                self.lines.move_to_text(&mut ends.collect::<Vec<_>>());
                self.lines
                    .write(&mut derivation.text, &mut derivation.nodes);
                Ok(cuts)
            }
            Err(failure) => Err(self.failure_in_text(failure)),
        }
    }

    /// Returns the rule in which the parser stopped, with its span in the source of the grammar.
    /// Call it after [`Parser::parse_into`] returned [`Failure::Unexpected`].
    ///
    /// The result is the innermost rule that every partial derivation of the text before the error
    /// leaves unfinished. If there is no such rule, the result has the rules that begin last among
    /// those that cannot end at the error, sorted by name.
    ///
    /// ```
    /// use zester::{Derivation, Grammar, Parser};
    ///
    /// let source = br#"s = "let" name "=" value ";" ; value = name | name "(" value ")" ; @token name = [a-z] ;"#;
    /// let grammar = Grammar::read("s.ebnf", source).unwrap();
    /// let mut parser = Parser::new(&grammar);
    /// assert!(parser.parse_into(b"leta=b.", &mut Derivation::default()).is_err());
    /// assert_eq!(parser.unfinished(), [("s", 4..28)]);
    /// ```
    pub fn unfinished(&self) -> Vec<(&str, Range<u32>)> {
        let with_span = |(symbol, choice): (SymbolId, Option<u32>)| {
            let span = choice.and_then(|choice| self.grammar.alternative_span(symbol, choice));
            let span = span.unwrap_or_else(|| self.grammar.span_of(symbol));
            let label = self.grammar.label(symbol);
            (label.split(['/', '<']).next().unwrap_or(label), span)
        };
        let unfinished = self.chart.unfinished(&self.known.0);
        let mut rules: Vec<_> = unfinished.into_iter().map(with_span).collect();
        rules.sort_by_key(|(rule, span)| (*rule, span.start));
        rules.dedup_by_key(|(rule, _)| *rule);
        rules
    }

    /// Returns a message with line, column, cause and expected tokens for an error of
    /// [`Parser::parse_into`].
    ///
    /// `text` and `error` must be those of the last call, because the expected tokens are read from
    /// the parser's chart.
    pub fn explain(&self, text: &[u8], error: Failure) -> ParseError {
        let at = error.at().min(text.len());
        let (line, column) = line_and_column(text, at);
        let rest = String::from_utf8_lossy(&text[at..(at + 4 * SHOWN).min(text.len())]);
        let is_word = |char: char| char.is_alphanumeric() || char == '_';
        let word = rest
            .char_indices()
            .find(|&(_, char)| !is_word(char))
            .map_or(rest.len(), |(at, _)| at);
        let word = word.max(rest.chars().next().map_or(0, char::len_utf8));
        let found: String = rest[..word].chars().take(SHOWN).collect();
        let mut expected = Vec::new();
        let cause: String = match error {
            Failure::Unexpected(at) if at >= text.len() => "unexpected end".into(),
            Failure::Unexpected(at)
                if !self.grammar.derives_bytes()
                    && std::str::from_utf8(&text[at..text.len().min(at + 4)])
                        .is_err_and(|e| e.valid_up_to() == 0) =>
            {
                "not UTF-8".into()
            }
            Failure::Unexpected(_) => format!("unexpected {found:?}"),
            Failure::MissingSeparator(_) => format!("a separator is missing before {found:?}"),
            Failure::Different(_) => format!("{found:?} is not the same text as before"),
            Failure::Unclear(_) => format!("too many steps to match the token {found:?}"),
            Failure::TooAmbiguous(_) => {
                let Effort {
                    steps,
                    steps_per_byte,
                    ..
                } = self.effort;
                format!(
                    "too ambiguous: the limit of {steps} parsing steps and {steps_per_byte} for each byte was reached here"
                )
            }
            Failure::TooLarge(_) => {
                format!(
                    "too large: the limit of {} MiB of memory for parsing was reached here",
                    self.effort.memory >> 20
                )
            }
            Failure::Misfit(_) => match &self.labels(&self.binder.found)[..] {
                [] => format!("{found:?} fits no values of the rules' arguments"),
                [all @ .., last] if (1..MAX_INSTANCES).contains(&all.len()) => {
                    format!("{found:?} is {} or {last}", all.join(", "))
                }
                [first, others @ ..] => match others.len() {
                    0 => format!("{found:?} is {first}"),
                    count => format!("{found:?} is {first} or {count} others"),
                },
            },
        };
        if matches!(error, Failure::Misfit(_)) {
            expected = self.labels(&self.binder.expected);
        }
        if matches!(error, Failure::Unexpected(_)) && cause != "not UTF-8" {
            expected = self
                .chart
                .expected()
                .filter(|&symbol| self.known.0.terminal(symbol).is_some())
                .filter(|&symbol| {
                    !matches!(self.known.0.capture_role(symbol), CaptureRole::Same { .. })
                })
                .map(|symbol| self.grammar.describe(symbol))
                .collect();
            let repetitions = self.chart.expected_repetitions(&self.known.0);
            expected.extend(
                repetitions
                    .iter()
                    .map(|text| format!("{:?} again", String::from_utf8_lossy(text))),
            );
            expected.sort_unstable();
            expected.dedup();
        }
        ParseError {
            offset: at,
            line,
            column,
            cause,
            expected,
        }
    }
}

/// Builds the chart of a text.
fn recognise(input: ParseInput<'_>, chart: &mut Chart) -> Result<(), Failure> {
    let ParseInput { grammar, text, .. } = input;
    chart.blocked.clear();
    chart.tokens.matcher.is_out_of_steps = false;
    if !grammar.derives_bytes() {
        std::str::from_utf8(text).map_err(|error| Failure::Unexpected(error.valid_up_to()))?;
    }
    if !Recogniser::run(input, chart)? {
        let at = chart.sets.last().map_or(0, |set| set.token as usize);
        return Err(if chart.tokens.matcher.is_out_of_steps {
            Failure::Unclear(at)
        } else {
            Failure::Unexpected(at)
        });
    }
    Ok(())
}

/// Extracts a derivation from the chart of a text. If the derivation lacks separators that the
/// expander would write, blocks some tokens and parses the text again. With `instances`, the
/// derivation fits the arguments of rules.
fn resolve(
    input: ParseInput<'_>,
    chart: &mut Chart,
    parts: &mut Parts,
    mut instances: Option<KnownInstances<'_>>,
    derivation: &mut Derivation,
) -> Result<(), Failure> {
    let mut last = Failure::Unclear(0);
    for _ in 0..ATTEMPTS {
        let result = {
            let instances = instances
                .as_mut()
                .map(|(all, empty, sets)| (*all, *empty, &mut **sets));
            extract::extract(input, chart, parts, instances, derivation)
        };
        let Err(missing @ Failure::MissingSeparator(_)) = result else {
            result?;
            return match captures::wrong_repetition(input.grammar, derivation) {
                Some(at) => Err(Failure::Different(at)),
                None => Ok(()),
            };
        };
        last = missing;
        let blocked = chart.blocked.clone();
        let mut is_sentence = false;
        // First try to resolve all conflicts at once, then only the first one.
        let several = parts.conflicts.len();
        for (count, culprit) in [several, 1]
            .into_iter()
            .flat_map(|count| (0..3).map(move |culprit| (count, culprit)))
        {
            let conflicts = parts.conflicts[..count].iter();
            chart.blocked.clone_from(&blocked);
            chart.blocked.extend(
                conflicts
                    .filter_map(|conflict| conflict.culprits[culprit..].iter().flatten().next()),
            );
            chart.blocked.sort_unstable();
            chart.blocked.dedup();
            is_sentence = chart.blocked.len() > blocked.len() && Recogniser::run(input, chart)?;
            if is_sentence {
                break;
            }
        }
        if !is_sentence {
            break;
        }
    }
    Err(last)
}

/// Returns the line and the column, in characters, of an offset of a text. Both count from 1.
pub(crate) fn line_and_column(text: &[u8], offset: usize) -> (usize, usize) {
    let before = String::from_utf8_lossy(&text[..offset]);
    let line = before.matches('\n').count() + 1;
    let of_line = before.chars().rev().take_while(|&char| char != '\n');
    (line, of_line.count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Caps;
    use crate::notation;

    #[test]
    fn derivations_do_not_depend_on_terminals_that_share_a_bit() {
        for name in ["css", "javascript", "sqlite", "wgsl"] {
            let source = std::fs::read(format!("grammars/{name}.ebnf")).unwrap();
            let (grammar, _) = notation::read(name, &source, &Caps::default())
                .unwrap_or_else(|report| panic!("{report}"));
            let mut exact = Parser::new(&grammar);
            let tables = ParserTables::within(&grammar, 0);
            assert!(
                tables.words() == 2 && tables.terminal_count > 2 * 64,
                "{name}: {} terminals",
                tables.terminal_count
            );
            let scanner = Scanner::new(grammar.erased(), &tables);
            let mut folded = Parser {
                known: Arc::new((tables, scanner)),
                ..Parser::new(&grammar)
            };
            let (mut one, mut other) = (Derivation::default(), Derivation::default());
            for file in std::fs::read_dir(format!("corpus/{name}"))
                .unwrap()
                .flatten()
            {
                let text = std::fs::read(file.path()).unwrap();
                exact.parse_into(&text, &mut one).unwrap();
                assert_eq!(
                    folded.parse_into(&text, &mut other),
                    Ok(()),
                    "{}",
                    file.path().display()
                );
                assert_eq!(one.nodes(), other.nodes(), "{}", file.path().display());
                let wrong = [&text[..], b" \0"].concat();
                assert_eq!(
                    exact.parse_into(&wrong, &mut one),
                    folded.parse_into(&wrong, &mut other)
                );
            }
        }
    }
}
