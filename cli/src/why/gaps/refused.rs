//! Texts that the program accepts and the grammar refuses, grouped by the construct at which the
//! parser stopped.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use zester::derivation::Derivation;
use zester::grammar::{Grammar, Kind, Symbol, SymbolId};
use zester::parse::{Failure, Matcher, Parser};

use super::super::parts::Parts;
use super::stop_token::{LiteralTexts, StopToken};

/// The maximum number of different texts of tokens that are kept of a construct.
const MAX_TEXTS: usize = 1_000;

/// The maximum number of rules of a construct.
const MAX_RULES: usize = 3;

/// The maximum number of bytes of a line before and after the position.
const MAX_LINE: usize = 60;

/// Why the parser stopped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// No sentence continues with this token.
    Unexpected(StopToken),
    /// The word, the number or the string is no token of the grammar, so that no rule can have it.
    UnknownToken(StopToken),
    /// The arguments of rules do not allow the token.
    Misfit(StopToken),
    /// The parser reached a limit, or another problem in words.
    Other(String),
}

/// A construct of the language that the grammar lacks, or has in another way.
#[derive(Clone, Debug)]
pub struct Construct {
    /// The innermost rule in which the parser stopped, and its span in the source. If it depends on
    /// how the text is read, there are several, joined by `or`, and the span is that of the first.
    /// The rule is empty if it is unknown. For an unknown token, it is the rule of the example.
    pub rule: String,
    pub span: Range<usize>,
    pub stop: Stop,
    /// What the parser expected in the example.
    pub expected: Vec<String>,
    /// The texts of the token, with their numbers of files, the most frequent first. They are empty
    /// for a literal.
    pub texts: Vec<(String, usize)>,
    /// The number of files.
    pub files: usize,
    /// The number of edges that these files reach, and no parsed file and no valid sentence does.
    pub edges: usize,
    /// The number of these edges that no file of another construct reaches.
    pub own_edges: usize,
    pub example: Example,
}

/// A line of a file with a position in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Example {
    pub file: String,
    pub line: usize,
    pub column: usize,
    /// The line before the position, and from the position on.
    pub before: String,
    pub after: String,
}

impl Example {
    /// Returns the location: `a.wgsl:3:5`.
    pub fn location(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.column)
    }

    fn length(&self) -> usize {
        self.before.len() + self.after.len()
    }
}

/// The figures of a group of texts.
#[derive(Default)]
struct RefusedGroup {
    files: usize,
    edges: BTreeSet<u32>,
    texts: HashMap<String, usize>,
    /// The rule, its span, and the expected tokens of the example.
    rule: String,
    span: Range<usize>,
    expected: Vec<String>,
    example: Option<Example>,
}

/// Why the parser stopped, and the rule with the start of its span. The rule is empty if it does
/// not matter.
type ConstructKey = (Stop, String, usize);

/// Texts that the grammar refuses.
pub struct RefusedTexts<'g> {
    grammar: &'g Grammar,
    literals: LiteralTexts,
    /// The bodies of the tokens of the grammar.
    bodies: BTreeSet<SymbolId>,
    matcher: Matcher,
    /// The parser by the erased grammar, whose rules take no arguments, if it was needed.
    erased: Option<(Parser<'g>, Parts<'g>)>,
    groups: BTreeMap<ConstructKey, RefusedGroup>,
}

impl<'g> RefusedTexts<'g> {
    pub fn new(grammar: &'g Grammar) -> RefusedTexts<'g> {
        let body = |symbol: &Symbol| match symbol.kind {
            Kind::Lexeme { body, .. } => Some(body),
            _ => None,
        };
        RefusedTexts {
            grammar,
            bodies: grammar.erased().symbols().iter().filter_map(body).collect(),
            matcher: Matcher::default(),
            literals: LiteralTexts::of(grammar),
            erased: None,
            groups: BTreeMap::new(),
        }
    }

    /// Adds a text that `parser` parsed last and refused with `failure`. `edges` are its edges that
    /// no valid sentence reaches.
    pub fn add(
        &mut self,
        parser: &Parser<'_>,
        (name, text): (&str, &[u8]),
        failure: Failure,
        edges: Vec<u32>,
    ) {
        let at = failure.at().min(text.len());
        let at = at
            + text[at..]
                .iter()
                .take_while(|byte| byte.is_ascii_whitespace())
                .count();
        let error = parser.explain(text, failure);
        let (token, spelled) = self.literals.token_at(text, at);
        let is_class = matches!(
            token,
            StopToken::Name | StopToken::Number | StopToken::String
        );
        let is_unknown = is_class && !self.is_token(spelled.as_bytes());
        let has_texts = is_class && !(is_unknown && token == StopToken::Name);
        let (rule, stop) = match failure {
            Failure::Unexpected(_) => {
                let rules = parser.unfinished();
                let span = rules.first().map(|(_, span)| span.clone());
                let mut names: Vec<&str> = rules.iter().map(|&(rule, _)| rule).collect();
                names.truncate(MAX_RULES);
                let stop = match token {
                    // Each unknown word is a construct of its own, because it may be a keyword.
                    StopToken::Name if is_unknown => {
                        Stop::UnknownToken(StopToken::Literal(spelled.clone()))
                    }
                    token if is_unknown => Stop::UnknownToken(token),
                    token => Stop::Unexpected(token),
                };
                (span.map(|span| (names.join(" or "), span)), stop)
            }
            Failure::Misfit(at) => (self.misfit(text, at), Stop::Misfit(token)),
            Failure::Different(_) => {
                let cause = "the text is not the same as that of its capture";
                (None, Stop::Other(cause.into()))
            }
            Failure::MissingSeparator(_) => {
                (None, Stop::Other("a separator is missing here".into()))
            }
            Failure::Unclear(_) => {
                let limit = "the limit of steps for a token was reached here";
                (None, Stop::Other(limit.into()))
            }
            Failure::TooAmbiguous(_) | Failure::TooLarge(_) => (None, Stop::Other(error.cause)),
        };
        let (rule, span) = rule.unwrap_or_default();
        let span = span.start as usize..span.end as usize;
        let key = match stop {
            Stop::UnknownToken(_) => (stop, String::new(), 0),
            _ => (stop, rule.clone(), span.start),
        };
        let group = self.groups.entry(key).or_default();
        group.files += 1;
        group.edges.extend(edges);
        if has_texts && (group.texts.len() < MAX_TEXTS || group.texts.contains_key(&spelled)) {
            *group.texts.entry(spelled).or_default() += 1;
        }
        let example = example(name, text, at);
        let is_shorter = |known: &Example| example.length() < known.length();
        if group.example.as_ref().is_none_or(is_shorter) {
            group.example = Some(example);
            group.expected = error.expected;
            (group.rule, group.span) = (rule, span);
        }
    }

    /// Returns whether a text is a whole token of the grammar.
    fn is_token(&mut self, text: &[u8]) -> bool {
        let (grammar, mut derivation) = (self.grammar.erased(), Derivation::default());
        self.bodies.iter().any(|&body| {
            let read = self.matcher.read(grammar, body, text, &mut derivation);
            read.is_ok()
        })
    }

    /// Returns the innermost rule at an offset of a text. The text is a sentence if the arguments of
    /// rules are ignored.
    fn misfit(&mut self, text: &[u8], at: usize) -> Option<(String, Range<u32>)> {
        let (parser, parts) = self.erased.get_or_insert_with(|| {
            let erased = self.grammar.erased();
            (Parser::new(erased), Parts::new(erased))
        });
        let mut derivation = Derivation::default();
        parser.parse_into(text, &mut derivation).ok()?;
        let token = parts.token_at(&derivation, at)?;
        let part = *parts.around(&derivation, token, 1).first()?;
        let span = parts.get(part);
        Some((parts.rule(part).into(), span.start as u32..span.end as u32))
    }

    /// Returns the number of texts.
    pub fn count(&self) -> usize {
        self.groups.values().map(|group| group.files).sum()
    }

    /// Returns the groups, those with the most own edges first, and the number of their edges that
    /// are not `known`.
    pub fn constructs(self, known: &dyn Fn(u32) -> bool) -> (Vec<Construct>, usize) {
        let mut groups_of = HashMap::<u32, usize>::new();
        let edges = self.groups.values().flat_map(|group| &group.edges);
        for &edge in edges.filter(|&&edge| !known(edge)) {
            *groups_of.entry(edge).or_default() += 1;
        }
        let construct = |((stop, ..), group): (ConstructKey, RefusedGroup)| {
            let count = |is: fn(usize) -> bool| {
                let of_edge = |edge: &&u32| groups_of.get(edge).is_some_and(|&count| is(count));
                group.edges.iter().filter(of_edge).count()
            };
            let (edges, own_edges) = (count(|_| true), count(|count| count == 1));
            let mut texts: Vec<_> = group.texts.into_iter().collect();
            texts.sort_by(|one, other| (Reverse(one.1), &one.0).cmp(&(Reverse(other.1), &other.0)));
            Construct {
                rule: group.rule,
                span: group.span,
                stop,
                expected: group.expected,
                texts,
                files: group.files,
                edges,
                own_edges,
                example: group.example.unwrap_or_default(),
            }
        };
        let mut constructs: Vec<Construct> = self.groups.into_iter().map(construct).collect();
        constructs.sort_by_key(|construct| {
            Reverse((construct.own_edges, construct.edges, construct.files))
        });
        (constructs, groups_of.len())
    }
}

/// Returns the line of a text at an offset.
fn example(name: &str, text: &[u8], at: usize) -> Example {
    let start = text[..at]
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    let end = text[at..]
        .iter()
        .position(|&byte| byte == b'\n')
        .map_or(text.len(), |length| at + length);
    let indent = text[start..at]
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count();
    let shown = (start + indent).max(at.saturating_sub(MAX_LINE))..end.min(at + MAX_LINE);
    let mut before = String::from_utf8_lossy(&text[shown.start..at]).into_owned();
    let mut after = String::from_utf8_lossy(&text[at..shown.end]).into_owned();
    if shown.start > start + indent {
        before.insert(0, '…');
    }
    if shown.end < end {
        after.push('…');
    }
    Example {
        file: name.into(),
        line: text[..at].iter().filter(|&&byte| byte == b'\n').count() + 1,
        column: String::from_utf8_lossy(&text[start..at]).chars().count() + 1,
        before,
        after,
    }
}
