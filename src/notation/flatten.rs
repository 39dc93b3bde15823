//! First pass: turns the syntax tree into tables. Names become symbols, groups become nonterminals,
//! and classes and literals become entries of tables.
//!
//! After this pass all names are resolved. The symbols of exclusions have no definitions yet. The
//! builder lists the exclusions in `differences`. The elements of repetitions may still derive the
//! empty text. Alternatives are in the order of the source.

mod arguments;

use std::collections::HashMap;

use regex_syntax::hir::{Class as HirClass, HirKind};

use self::arguments::{Variable, counted_arguments};
use super::builder::{Difference, GrammarBuilder, RuleInfo};
use super::lexer::SyntaxError;
use super::lines;
use super::names::Names;
use super::report::Report;
use super::similar::{COMPARISONS, nearest};
use super::syntax::{
    Expression, ExpressionKind, File, Named, Rule, RuleKind, Span, Statement, SyntaxAlternative,
    SyntaxWeight,
};
use crate::grammar::{
    Alternative, Annotation, Child, Competitors, Kind, SymbolId, TerminalId, Value, is_mark,
    without_marks,
};

/// Whether an expression belongs to syntax, where layout is allowed between symbols, or to a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Syntax,
    Token,
}

impl RuleKind {
    /// The level of the body of such a rule.
    fn level(self) -> Level {
        match self {
            RuleKind::Syntax | RuleKind::Start => Level::Syntax,
            RuleKind::Token | RuleKind::Skip | RuleKind::Identifier | RuleKind::Line => {
                Level::Token
            }
        }
    }
}

/// The key of a terminal. Tokens with equal keys are one terminal.
#[derive(PartialEq, Eq, Hash)]
enum TokenKey {
    /// A token rule.
    Rule(SymbolId),
    /// A literal, and whether it ignores case.
    Literal(Vec<u8>, bool),
    /// Any other token. Each occurrence is a terminal of its own.
    Other(SymbolId),
}

/// A capture in a sequence.
struct Capture {
    label: String,
    span: Span,
    symbol: SymbolId,
    /// The last symbol that repeats the text of the capture.
    last: Option<SymbolId>,
}

/// The context of a term that is being lowered.
#[derive(Clone, Copy)]
struct TermContext<'a> {
    level: Level,
    /// Whether the term must follow the term before it without layout.
    is_adjacent: bool,
    /// The range of the term in the source.
    span: &'a Span,
}

/// The state of the pass.
struct Flatten<'a> {
    builder: &'a mut GrammarBuilder,
    report: &'a mut Report,
    /// The index of each rule in the builder, by its name.
    rules: HashMap<&'a str, usize>,
    /// The domains and kinds of the source.
    names: Names<'a>,
    /// By the index of the rule: for each argument that it takes, the values in all definitions
    /// together.
    arguments: Vec<Vec<Box<[Value]>>>,
    /// The variables of the definition that is being lowered.
    variables: Vec<Variable>,
    /// The symbols of uses and declarations of names, each with the symbol of the identifier rule.
    occurrences: Vec<(SymbolId, SymbolId)>,
    terminals: HashMap<TokenKey, TerminalId>,
    /// The captures of the sequence that is being lowered.
    captures: Vec<Capture>,
    /// The name of the rule that is being lowered.
    label: String,
    /// The name of the last rule that got a warning of layout between repeated characters.
    spread: String,
    /// The number of pairs of letters that may still be compared to suggest rules for undefined
    /// names.
    comparisons: usize,
}

/// Lowers a syntax tree to the tables of a builder. Errors go to the report.
pub fn flatten(file: &File, builder: &mut GrammarBuilder, report: &mut Report) {
    builder.bytes = file
        .iter()
        .any(|statement| matches!(statement, Statement::Bytes));
    for statement in file {
        match statement {
            Statement::Longest(None) => builder.competitors = Competitors::All,
            Statement::Longest(Some(name)) if name.name == "literals" => {
                builder.competitors = Competitors::Literals;
            }
            Statement::Longest(Some(name)) => report.error(SyntaxError::new(
                name.span.clone(),
                format!("unknown tokens `{}`", name.name),
                "write `@longest ;` for all tokens, or `@longest literals ;`",
            )),
            _ => {}
        }
    }
    let all: Vec<&Rule> = file
        .iter()
        .filter_map(|statement| {
            if let Statement::Rule(rule) = statement {
                Some(rule)
            } else {
                None
            }
        })
        .collect();
    let names = Names::new(file, report);
    let mut rules: HashMap<&str, usize> = HashMap::new();
    // By the index of the rule: its definitions. Only rules that take arguments have more than one.
    let mut definitions: Vec<Vec<&Rule>> = Vec::new();
    let mut start: Option<&Rule> = None;
    for rule in &all {
        if let Some(&at) = rules.get(rule.name.as_str()) {
            if rule.arguments.is_empty()
                || rule.arguments.len() != definitions[at][0].arguments.len()
            {
                let message = format!("rule `{}` is defined twice", rule.name);
                let label = match rule.arguments.len() {
                    0 => "defined again here".into(),
                    count => format!(
                        "with {} here, and with {} before",
                        counted_arguments(count),
                        counted_arguments(definitions[at][0].arguments.len())
                    ),
                };
                report.error(SyntaxError::new(rule.span.clone(), message, label));
                continue;
            }
            definitions[at].push(rule);
            continue;
        }
        let counted = rule.kind.level() == Level::Syntax;
        let symbol = builder.symbol(
            Kind::Nonterminal {
                alternatives: 0..0,
                counted,
            },
            rule.name.as_str(),
            rule.span.clone(),
        );
        rules.insert(&rule.name, builder.rules.len());
        match rule.kind {
            RuleKind::Skip => builder.skips.push(symbol),
            RuleKind::Start if start.is_some_and(|rule| rule.kind == RuleKind::Start) => {
                report.error(SyntaxError::new(
                    rule.span.clone(),
                    "two start rules",
                    "another rule is already marked @start",
                ));
            }
            RuleKind::Start => start = Some(rule),
            RuleKind::Syntax => start = start.or(Some(rule)),
            _ => {}
        }
        definitions.push(vec![rule]);
        builder.rules.push(RuleInfo {
            name: rule.name.clone(),
            kind: rule.kind,
            span: rule.span.clone(),
            symbol,
        });
    }
    match start {
        Some(rule) => {
            builder.start = rules
                .get(rule.name.as_str())
                .map(|&at| builder.rules[at].symbol);
            if !rule.arguments.is_empty() {
                let label = "add a rule without arguments that calls it";
                report.error(SyntaxError::new(
                    rule.span.clone(),
                    "the start rule takes arguments",
                    label,
                ));
            }
        }
        None => report.error(SyntaxError::new(
            0..0,
            "no syntax rule",
            "a grammar needs a rule without @token, @skip or @identifier to start from",
        )),
    }
    builder.annotations.arguments.push(Vec::new());
    builder.annotations.values.clone_from(&names.domains.values);
    builder.annotations.kinds.clone_from(&names.kinds);
    let mut flatten = Flatten {
        builder,
        report,
        rules,
        names,
        arguments: Vec::new(),
        variables: Vec::new(),
        occurrences: Vec::new(),
        terminals: HashMap::new(),
        captures: Vec::new(),
        label: String::new(),
        spread: String::new(),
        comparisons: COMPARISONS,
    };
    for (at, definitions) in definitions.iter().enumerate() {
        flatten.rule_arguments(at, definitions);
    }
    for (at, definitions) in definitions.iter().enumerate() {
        flatten.rule(at, definitions);
        if flatten.builder.is_too_large() {
            break;
        }
    }
    flatten.builder.owner = 0;
    flatten.define_occurrences();
    flatten.add_root();
}

impl Flatten<'_> {
    /// Adds two symbols: one that derives any sequence of layout tokens, and the root, which is the
    /// start rule followed by the layout after the last token.
    fn add_root(&mut self) {
        let Some(start) = self.builder.start else {
            return;
        };
        let mut children = vec![Child {
            symbol: start,
            is_adjacent: false,
        }];
        if self.builder.has_layout() {
            let skips = self.builder.skips.clone();
            let token = match skips[..] {
                [only] => only,
                _ => {
                    let all = (0..).zip(skips);
                    let all = all
                        .map(|(at, symbol)| {
                            // The end of a line is layout only within brackets.
                            let is_line = &*self.builder.labels[symbol.0 as usize] == lines::INNER;
                            let weight = if is_line { 0.0 } else { 1.0 };
                            self.builder.sequence(
                                [Child {
                                    symbol,
                                    is_adjacent: false,
                                }],
                                weight,
                                at,
                            )
                        })
                        .collect();
                    let kind = self.builder.nonterminal(all, false);
                    self.builder.symbol(kind, "layout", 0..0)
                }
            };
            let kind = Kind::Repeat {
                element: Child {
                    symbol: token,
                    is_adjacent: false,
                },
                at_least: 0,
                at_most: u32::MAX,
                items: false,
            };
            self.builder.layout = Some(self.builder.symbol(
                kind,
                "layout",
                self.builder.span(token),
            ));
            let end = self.literal(b"", false, &(0..0));
            let end = self.lexeme(end, TokenKey::Other(end), Level::Syntax, false);
            self.builder.labels[end.0 as usize] = "end".into();
            children.push(Child {
                symbol: end,
                is_adjacent: false,
            });
        }
        let all = vec![self.builder.sequence(children, 1.0, 0)];
        let kind = self.builder.nonterminal(all, false);
        self.builder.root = Some(
            self.builder
                .symbol(kind, "sentence", self.builder.span(start)),
        );
    }

    fn error(&mut self, span: &Span, message: impl Into<String>, label: impl Into<String>) {
        self.report
            .error(SyntaxError::new(span.clone(), message, label));
    }

    /// Defines the symbol of a rule.
    fn rule(&mut self, at: usize, definitions: &[&Rule]) {
        let rule = definitions[0];
        self.label.clone_from(&rule.name);
        let symbol = self.builder.rules[at].symbol;
        let level = rule.kind.level();
        self.builder.owner = self.builder.annotations.owners[symbol.0 as usize];
        let mut alternatives = Vec::new();
        for definition in definitions {
            self.enter_definition(definition);
            alternatives.extend(self.rule_alternatives(
                &definition.body,
                level,
                alternatives.len(),
            ));
        }
        self.variables.clear();
        let body = self
            .builder
            .nonterminal(alternatives, level == Level::Syntax);
        let body = if rule.kind == RuleKind::Identifier {
            let escape =
                self.builder
                    .symbol(body, format!("{}/other", rule.name), rule.span.clone());
            Kind::Identifier {
                names: 0..0,
                escape,
            }
        } else {
            body
        };
        self.builder.symbols[symbol.0 as usize].kind = body;
    }

    fn alternatives(&mut self, all: &[SyntaxAlternative], level: Level) -> Vec<Alternative> {
        let mut found = Vec::with_capacity(all.len());
        for (source, alternative) in (0..).zip(all) {
            if self.omits(&alternative.span()) {
                continue;
            }
            let children = self.sequence(alternative, level);
            let new = self.builder.sequence(children, weight(alternative), source);
            found.push(self.builder.at(new, alternative.span()));
        }
        found
    }

    /// Whether the alternative with this span is omitted.
    fn omits(&self, span: &Option<Span>) -> bool {
        span.as_ref()
            .is_some_and(|span| self.builder.omissions.contains(span))
    }

    /// Lowers the terms of an alternative.
    fn sequence(&mut self, alternative: &SyntaxAlternative, level: Level) -> Vec<Child> {
        let outer = std::mem::take(&mut self.captures);
        let mut children = Vec::with_capacity(alternative.terms.len());
        if let [_, .., last] = &alternative.terms[..]
            && let ExpressionKind::Difference(from, without) = &last.expression.kind
            && matches!(from.kind, ExpressionKind::Repeat { .. })
            // An excluded name or literal is usually a keyword, which the author probably meant to
            // exclude from the whole sequence.
            && let ExpressionKind::Name(..) | ExpressionKind::Literal { .. } = &without.kind
        {
            let label = "only texts of this repetition are excluded; write `( … ) - …` to exclude texts of the whole sequence";
            let span = last.expression.span.clone();
            let message = "`-` applies to the last part of a sequence";
            self.report.warning(SyntaxError::new(span, message, label));
        }
        for term in &alternative.terms {
            let symbol = self.expression(&term.expression, level, term.is_adjacent);
            // Warnings about a `~` underline the token after the `~`, not the rule of the token.
            if term.is_adjacent && matches!(self.builder.kind(symbol), Kind::Lexeme { .. }) {
                self.builder.spans[symbol.0 as usize] = term.expression.span.clone();
            }
            children.push(Child {
                symbol,
                is_adjacent: term.is_adjacent,
            });
        }
        self.end_captures(outer);
        children
    }

    /// The symbol of an expression. At the syntax level, a token is wrapped in a lexeme.
    fn expression(&mut self, expression: &Expression, level: Level, is_adjacent: bool) -> SymbolId {
        let span = &expression.span;
        let context = TermContext {
            level,
            is_adjacent,
            span,
        };
        match &expression.kind {
            ExpressionKind::Literal { text, .. } if text.is_empty() && level == Level::Syntax => {
                self.group(&[], level, span)
            }
            ExpressionKind::Literal { text, insensitive } => {
                let symbol = self.literal(text, *insensitive, span);
                self.lexeme(
                    symbol,
                    TokenKey::Literal(text.clone(), *insensitive),
                    level,
                    is_adjacent,
                )
            }
            ExpressionKind::Class(source) => {
                let symbol = self.class(source, span);
                self.lexeme(symbol, TokenKey::Other(symbol), level, is_adjacent)
            }
            ExpressionKind::Name(name, arguments) => self.call(name, arguments, context),
            ExpressionKind::Use {
                pattern,
                once,
                roles,
            } => self.occurrence(Some((pattern, *once)), roles, context),
            ExpressionKind::Declare(patterns) => self.occurrence(None, patterns, context),
            ExpressionKind::Hide(pattern) => self.hide(pattern, span),
            ExpressionKind::Scope(alternatives) => {
                self.annotated_group(alternatives, Annotation::Scope, level, span)
            }
            ExpressionKind::After(alternatives) => {
                self.annotated_group(alternatives, Annotation::After, level, span)
            }
            ExpressionKind::Capture(label, all) => {
                let symbol = self.capture(label, all, span);
                self.lexeme(symbol, TokenKey::Other(symbol), level, is_adjacent)
            }
            ExpressionKind::Same(label) => {
                let symbol = self.same(label, span);
                self.lexeme(symbol, TokenKey::Other(symbol), level, is_adjacent)
            }
            ExpressionKind::Indent => self.indentation(lines::INDENT, context),
            ExpressionKind::Dedent => self.indentation(lines::DEDENT, context),
            &ExpressionKind::Mark(mark) => {
                // With `@bytes`, which is an error in a grammar with lines, the mark is no
                // character. Then a space replaces it.
                let ranges = [(mark.character(), mark.character())];
                let class =
                    (self.builder.class(&ranges)).or_else(|| self.builder.class(&[(0x20, 0x20)]));
                let kind = Kind::Class(class.expect("the space is a character"));
                self.builder.symbol(kind, "a mark of lines", span.clone())
            }
            ExpressionKind::Group(alternatives) => match &alternatives[..] {
                [SyntaxAlternative { terms, .. }] if terms.len() == 1 && !terms[0].is_adjacent => {
                    self.expression(&terms[0].expression, level, is_adjacent)
                }
                _ => self.group(alternatives, level, span),
            },
            ExpressionKind::Repeat {
                element,
                at_least,
                at_most,
            } => self.repeat(element, *at_least, *at_most, context),
            ExpressionKind::Difference(from, without) => {
                let from = self.expression(from, Level::Token, false);
                let without = self.expression(without, Level::Token, false);
                let label = self.builder.inner_label(&self.label);
                let symbol = self.builder.symbol(
                    Kind::Nonterminal {
                        alternatives: 0..0,
                        counted: false,
                    },
                    label,
                    span.clone(),
                );
                self.builder.differences.push(Difference {
                    symbol,
                    from,
                    without,
                });
                self.lexeme(symbol, TokenKey::Other(symbol), level, is_adjacent)
            }
        }
    }

    /// The symbol of a capture, which is a token or a part of one.
    fn capture(&mut self, label: &Named, all: &[SyntaxAlternative], span: &Span) -> SymbolId {
        let symbol = self.group(all, Level::Token, span);
        if self
            .captures
            .iter()
            .any(|capture| capture.label == label.name)
        {
            let message = format!("two captures `{}` in a sequence", label.name);
            self.error(&label.span, message, "give this one another name");
        }
        self.captures.push(Capture {
            label: label.name.clone(),
            span: label.span.clone(),
            symbol,
            last: None,
        });
        symbol
    }

    /// The symbol that repeats the text of a capture.
    fn same(&mut self, label: &Named, span: &Span) -> SymbolId {
        let of_label = |capture: &&mut Capture| capture.label == label.name;
        let Some(capture) = self.captures.iter_mut().find(of_label) else {
            let message = format!("no capture `{}` before it", label.name);
            let hint = "write `@capture` before it in the same sequence, not in a group";
            self.error(span, message, hint);
            return self.group(&[], Level::Token, span);
        };
        let kind = Kind::Same {
            of: capture.symbol,
            is_last: false,
        };
        let inner = self.builder.inner_label(&self.label);
        let symbol = self.builder.symbol(kind, inner, span.clone());
        capture.last = Some(symbol);
        symbol
    }

    /// Ends a sequence and its captures. `outer` are the captures of the sequence around it.
    fn end_captures(&mut self, outer: Vec<Capture>) {
        for capture in std::mem::replace(&mut self.captures, outer) {
            let Some(last) = capture.last else {
                let message = format!("the capture `{}` is never repeated", capture.label);
                let hint = "write `@same` after it in the same sequence";
                self.error(&capture.span, message, hint);
                continue;
            };
            if let Kind::Same { is_last, .. } = &mut self.builder.symbols[last.0 as usize].kind {
                *is_last = true;
            }
        }
    }

    /// The nonterminal of a group. A group without alternatives derives the empty text.
    fn group(&mut self, alternatives: &[SyntaxAlternative], level: Level, span: &Span) -> SymbolId {
        let label = self.builder.inner_label(&self.label);
        let mut all = self.alternatives(alternatives, level);
        if alternatives.is_empty() {
            all.push(self.builder.sequence([], 1.0, 0));
        }
        let kind = self.builder.nonterminal(all, false);
        self.builder.symbol(kind, label, span.clone())
    }

    fn literal(&mut self, text: &[u8], insensitive: bool, span: &Span) -> SymbolId {
        if !self.builder.bytes && std::str::from_utf8(text).is_err() {
            self.error(
                span,
                "this literal is not UTF-8",
                "if the language consists of bytes, write `@bytes;` at the top of the grammar",
            );
        }
        let has_mark = |text: &str| text.chars().any(|char| is_mark(char.into()));
        if self.builder.brackets.is_some() && std::str::from_utf8(text).is_ok_and(has_mark) {
            let label = "zester uses U+FDD0 to U+FDEF itself in grammars with @line";
            self.error(span, "a noncharacter in a literal", label);
        }
        let letters = text.iter().filter(|b| b.is_ascii_alphabetic()).count() as u32;
        let range = self.builder.text(text.to_vec());
        let kind = if insensitive && letters > 0 {
            Kind::Insensitive {
                text: range,
                letters,
            }
        } else {
            Kind::Literal { text: range }
        };
        let label = format!("{:?}", String::from_utf8_lossy(text));
        self.builder.symbol(kind, label, span.clone())
    }

    /// The symbol of a class. `regex-syntax` parses the class. After an error, the class contains
    /// only the space.
    fn class(&mut self, source: &str, span: &Span) -> SymbolId {
        let bytes = self.builder.bytes;
        let parsed = regex_syntax::ParserBuilder::new()
            .unicode(!bytes)
            .utf8(!bytes)
            .build()
            .parse(source);
        let ranges: Vec<(u32, u32)> = match parsed.map(regex_syntax::hir::Hir::into_kind) {
            Ok(HirKind::Class(HirClass::Unicode(class))) => class
                .iter()
                .map(|r| (r.start().into(), r.end().into()))
                .collect(),
            Ok(HirKind::Class(HirClass::Bytes(class))) => class
                .iter()
                .map(|r| (r.start().into(), r.end().into()))
                .collect(),
            Ok(HirKind::Literal(literal)) => {
                let (character, _) = crate::grammar::first_character(&literal.0, bytes);
                vec![(character, character)]
            }
            Ok(_) => Vec::new(),
            Err(error) => {
                let (at, message) = match &error {
                    regex_syntax::Error::Parse(error) => (*error.span(), error.kind().to_string()),
                    regex_syntax::Error::Translate(error) => {
                        (*error.span(), error.kind().to_string())
                    }
                    _ => (
                        regex_syntax::ast::Span::splat(regex_syntax::ast::Position::new(0, 1, 1)),
                        "not a class".into(),
                    ),
                };
                let from = span.start + at.start.offset;
                let to = (span.start + at.end.offset)
                    .clamp(from, span.end)
                    .max(from + usize::from(from < span.end));
                self.error(&(from..to), format!("character class: {message}"), "here");
                vec![(0x20, 0x20)]
            }
        };
        let ranges = match self.builder.brackets {
            Some(_) => without_marks(&ranges),
            None => ranges,
        };
        let class = self.builder.class(&ranges).or_else(|| {
            self.error(span, "empty character class", "no character is in it");
            self.builder.class(&[(0x20, 0x20)])
        });
        self.builder.symbol(
            Kind::Class(class.expect("the space is a character")),
            source,
            span.clone(),
        )
    }

    /// An `@indent` or a `@dedent`.
    fn indentation(&mut self, rule: &str, context: TermContext<'_>) -> SymbolId {
        if self.builder.brackets.is_some() {
            return self.name(rule, context);
        }
        self.error(
            context.span,
            format!("`{rule}` without lines"),
            lines::NO_LINE,
        );
        self.group(&[], context.level, context.span)
    }

    /// The symbol of the rule of this name. After an error, it derives the empty text.
    fn name(&mut self, name: &str, context: TermContext<'_>) -> SymbolId {
        let TermContext {
            level,
            is_adjacent,
            span,
        } = context;
        let Some(rule) = self
            .rules
            .get(name)
            .map(|&at| self.builder.rules[at].clone())
        else {
            let near = nearest(name, self.rules.keys(), &mut self.comparisons);
            let label = near.map_or("no rule has this name".into(), |near| {
                format!("no rule has this name; did you mean `{near}`?")
            });
            self.error(span, format!("undefined rule `{name}`"), label);
            return self.group(&[], level, span);
        };
        match (level, rule.kind.level()) {
            (Level::Token, Level::Syntax) => {
                let label = "a token contains no layout: mark this rule @token, or make the token a syntax rule";
                self.error(span, format!("token rule uses syntax rule `{name}`"), label);
                self.group(&[], level, span)
            }
            (Level::Syntax, Level::Token) => {
                self.lexeme(rule.symbol, TokenKey::Rule(rule.symbol), level, is_adjacent)
            }
            _ => rule.symbol,
        }
    }

    /// The symbol of an occurrence of a token. At the syntax level it is a new lexeme, at the token
    /// level the token itself.
    fn lexeme(
        &mut self,
        body: SymbolId,
        key: TokenKey,
        level: Level,
        is_adjacent: bool,
    ) -> SymbolId {
        if level == Level::Token {
            return body;
        }
        let next = TerminalId(self.terminals.len() as u32 + 1);
        let terminal = *self.terminals.entry(key).or_insert(next);
        let position = self.builder.position(terminal);
        let layout = self.builder.has_layout() && !is_adjacent;
        let (label, span) = (self.builder.label(body), self.builder.span(body));
        self.builder.symbol(
            Kind::Lexeme {
                body,
                position,
                layout,
            },
            label,
            span,
        )
    }

    /// The symbol of a repetition. It is a run of characters if the element is a class and no
    /// layout is allowed between the elements.
    fn repeat(
        &mut self,
        element: &Expression,
        at_least: u32,
        at_most: Option<u32>,
        context: TermContext<'_>,
    ) -> SymbolId {
        let TermContext {
            level,
            is_adjacent,
            span,
        } = context;
        let at_most = at_most.unwrap_or(u32::MAX);
        let at_most = match self.builder.omissions.contains(span) {
            true => at_most.saturating_sub(1).min(1).max(at_least),
            false => at_most,
        };
        if at_least > at_most {
            self.error(
                span,
                format!("empty range {{{at_least},{at_most}}}"),
                "the lower limit is above the upper one",
            );
        }
        if at_most == 0 {
            return self.group(&[], level, span);
        }
        let label = self.builder.inner_label(&self.label);
        let layout_between = level == Level::Syntax && self.builder.has_layout();
        if let (ExpressionKind::Class(source), false) = (&element.kind, layout_between) {
            let symbol = self.class(source, &element.span);
            let Kind::Class(class) = *self.builder.kind(symbol) else {
                return symbol;
            };
            let run = self.builder.symbol(
                Kind::Run {
                    class,
                    at_least,
                    at_most,
                },
                label,
                span.clone(),
            );
            return self.lexeme(run, TokenKey::Other(run), level, is_adjacent);
        }
        let is_spread = at_most > 1 && matches!(element.kind, ExpressionKind::Class(_));
        if layout_between && is_spread && self.spread != self.label {
            self.spread.clone_from(&self.label);
            let label = "layout is allowed between these characters; to forbid it, move them to a @token rule";
            self.report.warning(SyntaxError::new(
                span.clone(),
                "characters repeated in a syntax rule",
                label,
            ));
        }
        // An element of a repetition cannot repeat captures of the sequence around it.
        let outer = std::mem::take(&mut self.captures);
        let child = match &element.kind {
            ExpressionKind::Group(alternatives) => match &alternatives[..] {
                [SyntaxAlternative { terms, .. }] if terms.len() == 1 => {
                    let term = &terms[0];
                    Child {
                        symbol: self.expression(&term.expression, level, term.is_adjacent),
                        is_adjacent: term.is_adjacent,
                    }
                }
                _ => Child {
                    symbol: self.group(alternatives, level, &element.span),
                    is_adjacent: false,
                },
            },
            _ => Child {
                symbol: self.expression(element, level, false),
                is_adjacent: false,
            },
        };
        self.end_captures(outer);
        let items = level == Level::Syntax;
        self.builder.symbol(
            Kind::Repeat {
                element: child,
                at_least,
                at_most,
                items,
            },
            label,
            span.clone(),
        )
    }
}

/// Returns the weight of an alternative in the source.
fn weight(alternative: &SyntaxAlternative) -> f64 {
    match alternative.weight {
        // The pass `percentages` has already replaced percentages by weights.
        Some((SyntaxWeight::Relative(weight) | SyntaxWeight::Percentage(weight), _)) => weight,
        None => 1.0,
    }
}
