//! Last pass: computes names, separators, sizes and boundaries, sorts alternatives, and builds the
//! immutable [`Grammar`].
//!
//! This pass removes symbols that no sentence uses. The other symbols are renumbered and keep their
//! order.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use super::builder::GrammarBuilder;
use super::lexer::SyntaxError;
use super::report::Report;
use crate::bounds::Caps;
use crate::grammar::{
    Alternative, Annotations, Boundaries, Child, Grammar, GrammarTables, Graph, Inexact, Kind,
    Layout, LineMark, Lines, MAX_CAPTURE, MAX_INDENTATION, Nfa, PASS_WORK, Size, Symbol, SymbolId,
    captures, components, fingerprint, instantiate, minimum_sizes, parts, roles, span, words,
};

/// The maximum number of names in the fixed list of an identifier terminal.
const NAMES: usize = 64;

/// The new number of a symbol that no sentence uses.
const UNUSED: SymbolId = SymbolId(u32::MAX);

/// The maximum number of separators. Between two tokens, the expander tries one after the other.
const SEPARATORS: usize = 4;

/// Builds the grammar. The builder must have no errors. If this pass finds an error, reports it and
/// returns `None`.
pub fn finish(
    mut builder: GrammarBuilder,
    root: SymbolId,
    caps: &Caps,
    report: &mut Report,
) -> Option<Grammar> {
    identifiers(&mut builder, report);
    let element = match builder.layout.map(|layout| builder.kind(layout).clone()) {
        None => None,
        Some(Kind::Repeat { element, .. }) => Some(element.symbol),
        Some(_) => {
            let at = builder.span(builder.skips[0]);
            report.error(SyntaxError::new(
                at,
                "layout derives only the empty text",
                "a @skip rule derives at least one non-empty text",
            ));
            None
        }
    };
    let separators = element.map_or(Vec::new(), |element| separators(&builder, element));
    let longest = separators
        .iter()
        .map(|text| text.len() as u32)
        .max()
        .unwrap_or(0);
    let tables = GrammarTables {
        indentation: builder
            .brackets
            .as_ref()
            .map_or(0, |_| MAX_INDENTATION as u32),
        capture: MAX_CAPTURE,
        ..builder.tables(longest)
    };
    let (sizes, alternatives) = minimum_sizes(tables, &|_| false);
    check_captures(&builder, &sizes, report);
    let size = sizes[root.0 as usize];
    if size.bytes > caps.bytes || size.nodes > caps.nodes {
        let label = format!(
            "it takes {} bytes and {} nodes; the caps are {} and {}",
            size.bytes, size.nodes, caps.bytes, caps.nodes
        );
        report.error(SyntaxError::new(
            builder.span(root),
            "the shortest sentence exceeds the caps",
            label,
        ));
    }
    if report.errors() > 0 {
        return None;
    }
    // `min_bytes` does not include separators.
    let (texts, alternative_texts) = minimum_sizes(builder.tables(0), &|_| false);
    for (symbol, (size, text)) in builder.symbols.iter_mut().zip(sizes.into_iter().zip(texts)) {
        (symbol.minimum, symbol.min_bytes) = (size, text.bytes);
    }
    for (alternative, (size, text)) in builder
        .alternatives
        .iter_mut()
        .zip(alternatives.into_iter().zip(alternative_texts))
    {
        (alternative.minimum, alternative.min_bytes) = (size, text.bytes);
    }
    max_bytes(&mut builder);
    let annotations = std::mem::take(&mut builder.annotations);
    let spans = builder.spans.clone();
    let (grammar, renumbered) = freeze(builder, root, element, separators, longest);
    if annotations.is_empty() {
        return Some(grammar);
    }
    let annotations = renumber(annotations, &renumbered);
    let span = |symbol: SymbolId| {
        let old = renumbered.iter().position(|&new| new == symbol);
        spans[old.unwrap_or(root.0 as usize)].clone()
    };
    match instantiate(grammar, annotations) {
        Ok(grammar) => {
            if let Some(symbol) = grammar.left_out() {
                let message = "not all declarations count here, because there are too many";
                let label =
                    "an alternative that needs such a name is taken only if another one is visible";
                report.warning(SyntaxError::new(span(symbol), message, label));
            }
            for blocked in grammar.blocked() {
                let message = "this hides names that a later part of an alternative needs";
                let label = format!(
                    "`{}` never takes the alternative in which {} comes after it",
                    grammar.erased().label(blocked.owner),
                    grammar.erased().describe(blocked.needs)
                );
                report.warning(SyntaxError::new(span(blocked.hide), message, label));
            }
            Some(grammar)
        }
        Err(problem) => {
            let at = span(problem.symbol);
            report.error(SyntaxError::new(at, problem.message, problem.label));
            None
        }
    }
}

/// Reports an error for each capture whose shortest text is too long, or which contains the end of
/// a line or a repetition of another capture.
fn check_captures(builder: &GrammarBuilder, sizes: &[Size], report: &mut Report) {
    let is_line = |symbol: &Symbol| match symbol.kind {
        Kind::Class(class) => LineMark::Line.is(&builder.classes[class.0 as usize]),
        _ => false,
    };
    let has_lines = builder.brackets.is_some();
    let line = (builder.symbols.iter()).position(|symbol| has_lines && is_line(symbol));
    let all = (builder.symbols.iter()).filter_map(|symbol| match symbol.kind {
        Kind::Same { of, is_last: true } => Some(of),
        _ => None,
    });
    let (mut graph, mut seen) = (None, HashSet::new());
    for capture in all {
        if !seen.insert((builder.span(capture).start, builder.span(capture).end)) {
            continue;
        }
        let mut error = |message: String, label: &str| {
            report.error(SyntaxError::new(builder.span(capture), message, label));
        };
        let parts = || Graph::new(builder.symbols.len(), &parts(builder.tables(0)));
        let within = graph.get_or_insert_with(parts).reachable(capture.0);
        let is_same = |(symbol, &is_within): (&Symbol, &bool)| {
            is_within && matches!(symbol.kind, Kind::Same { .. })
        };
        let size = sizes[capture.0 as usize];
        if builder.symbols.iter().zip(&within).any(is_same) {
            let label = "as many bytes are reserved for a repetition as a capture may have";
            error("a repeated text in a capture".into(), label);
        } else if size.is_finite() && size.bytes > MAX_CAPTURE {
            let message = format!("the capture is longer than {MAX_CAPTURE} bytes");
            error(message, "its shortest text has more bytes");
        }
        let Some(line) = line else { continue };
        if within[line] {
            error(
                "a line ends in a capture".into(),
                "indentation cannot be repeated",
            );
        }
    }
}

/// Renumbers the symbols of annotations. Drops the annotations of unused symbols.
fn renumber(annotations: Annotations, renumbered: &[SymbolId]) -> Annotations {
    let new = |symbol: SymbolId| Some(renumbered[symbol.0 as usize]).filter(|&new| new != UNUSED);
    let mut owners: Vec<(SymbolId, u32)> = renumbered
        .iter()
        .copied()
        .zip(annotations.owners)
        .filter(|&(symbol, _)| symbol != UNUSED)
        .collect();
    owners.sort_unstable();
    Annotations {
        owners: owners.into_iter().map(|(_, owner)| owner).collect(),
        symbols: annotations
            .symbols
            .into_iter()
            .filter_map(|(symbol, annotation)| Some((new(symbol)?, annotation)))
            .collect(),
        guards: annotations
            .guards
            .into_iter()
            .filter_map(|(symbol, guards)| Some((new(symbol)?, guards)))
            .collect(),
        ..annotations
    }
}

/// Computes the fixed list of names of each identifier terminal.
fn identifiers(builder: &mut GrammarBuilder, report: &mut Report) {
    // The number of steps that all identifier terminals may take together.
    let mut work = PASS_WORK;
    // Each use and declaration of a name is an identifier terminal of its own, with the names of
    // its rule.
    let mut known: HashMap<SymbolId, Range<u32>> = HashMap::new();
    for at in 0..builder.symbols.len() {
        let Kind::Identifier { escape, .. } = builder.symbols[at].kind else {
            continue;
        };
        if let Some(names) = known.get(&escape) {
            builder.symbols[at].kind = Kind::Identifier {
                names: names.clone(),
                escape,
            };
            continue;
        }
        let mut nfa = Nfa::new(builder.tables(0), builder.bytes, true);
        nfa.set_work(work);
        let start = nfa.add(escape, 0);
        nfa.spend(nfa.size());
        let inexact = start.as_ref().err();
        let found = start
            .as_ref()
            .map_or(Vec::new(), |&start| words(&nfa, start, NAMES));
        work = nfa.work_left();
        let label = match inexact {
            None if work == 0 => {
                "its automaton and those before it take too many steps; use lower repetition limits"
            }
            None if nfa.alphabet().is_none() => "its classes distinguish too many characters",
            None => "the search for its names takes too many states",
            Some(Inexact::TooLarge) => "its automaton has too many states",
            Some(Inexact::Recursive(_)) => {
                "it is recursive or has a capture, but an @identifier rule must be regular"
            }
        };
        if found.is_empty() {
            let message = format!("no names for identifier terminal `{}`", builder.labels[at]);
            report.error(SyntaxError::new(builder.spans[at].clone(), message, label));
            continue;
        }
        let from = builder.names.len() as u32;
        for name in found {
            let text = builder.text(name);
            builder.names.push(text);
        }
        let names = from..builder.names.len() as u32;
        known.insert(escape, names.clone());
        builder.symbols[at].kind = Kind::Identifier { names, escape };
    }
}

/// The separators: the shortest layout tokens, whitespace first, at most [`SEPARATORS`]. They are
/// usually single characters.
fn separators(builder: &GrammarBuilder, element: SymbolId) -> Vec<Vec<u8>> {
    let mut nfa = Nfa::new(builder.tables(0), builder.bytes, false);
    nfa.set_work(PASS_WORK);
    let Ok(start) = nfa.add(element, 0) else {
        return Vec::new();
    };
    let mut found = words(&nfa, start, 256);
    let min_bytes = found.first().map_or(0, Vec::len);
    found.retain(|word| word.len() == min_bytes);
    found.sort_by_key(|word| {
        (
            b" \n\t\r"
                .iter()
                .position(|&b| word[..] == [b])
                .unwrap_or(usize::MAX),
            !word.is_ascii(),
        )
    });
    found.truncate(SEPARATORS);
    found
}

/// Computes the maximum length of the texts of each symbol, in bytes. The length is `u32::MAX` for
/// recursive symbols. For an identifier terminal, only the names of its fixed list count.
///
/// The function also clears `counted` in nonterminals that cannot contain themselves, so that the
/// depth bound ignores them.
fn max_bytes(builder: &mut GrammarBuilder) {
    let graph = Graph::new(builder.symbols.len(), &parts(builder.tables(0)));
    let (component, cyclic) = components(&graph);
    for (symbol, &cyclic) in builder.symbols.iter_mut().zip(&cyclic) {
        if let Kind::Nonterminal { counted, .. } = &mut symbol.kind {
            *counted &= cyclic;
        }
    }
    let mut order: Vec<usize> = (0..builder.symbols.len())
        .filter(|&at| !cyclic[at])
        .collect();
    order.sort_by_key(|&at| component[at]);
    let times = |max: u32, count: u32| {
        if max == 0 || count == 0 {
            0
        } else {
            max.saturating_mul(count)
        }
    };
    for at in order {
        let of = |symbol: SymbolId| builder.symbols[symbol.0 as usize].max_bytes;
        builder.symbols[at].max_bytes = match &builder.symbols[at].kind {
            Kind::Literal { text } | Kind::Insensitive { text, .. } => text.len() as u32,
            Kind::Class(class) => builder.classes[class.0 as usize].max_width(),
            Kind::Run { class, at_most, .. } => {
                times(builder.classes[class.0 as usize].max_width(), *at_most)
            }
            Kind::Repeat {
                element, at_most, ..
            } => times(of(element.symbol), *at_most),
            Kind::Identifier { names, .. } => builder.names[span(names)]
                .iter()
                .map(|name| name.end - name.start)
                .max()
                .unwrap_or(0),
            Kind::Lexeme { body, .. } => of(*body),
            Kind::Same { .. } => MAX_CAPTURE,
            Kind::Nonterminal { alternatives, .. } => builder.alternatives[span(alternatives)]
                .iter()
                .map(|a| {
                    builder.children[span(&a.children)]
                        .iter()
                        .fold(0, |sum: u32, child| sum.saturating_add(of(child.symbol)))
                })
                .max()
                .unwrap_or(0),
        };
    }
}

/// Builds the grammar: drops unused symbols, renumbers the others, and sorts the alternatives by
/// size. Returns the grammar and the new number of each symbol.
fn freeze(
    builder: GrammarBuilder,
    root: SymbolId,
    element: Option<SymbolId>,
    separators: Vec<Vec<u8>>,
    longest: u32,
) -> (Grammar, Vec<SymbolId>) {
    let mut edges = parts(builder.tables(0));
    edges.extend(element.map(|element| (root.0, element.0)));
    let used = Graph::new(builder.symbols.len(), &edges).reachable(root.0);
    let mut renumbered = vec![UNUSED; builder.symbols.len()];
    for (new, old) in (0..builder.symbols.len())
        .filter(|&old| used[old])
        .enumerate()
    {
        renumbered[old] = SymbolId(new as u32);
    }
    let new = |symbol: SymbolId| renumbered[symbol.0 as usize];
    let (mut symbols, mut labels, mut terminals) = (Vec::new(), Vec::new(), Vec::new());
    let range = |span: &Range<usize>| span.start as u32..span.end as u32;
    let mut spans = Vec::new();
    let (mut alternatives, mut children): (Vec<Alternative>, Vec<Child>) = (Vec::new(), Vec::new());
    for (old, symbol) in builder
        .symbols
        .iter()
        .enumerate()
        .filter(|&(old, _)| used[old])
    {
        let mut symbol = symbol.clone();
        match &mut symbol.kind {
            Kind::Nonterminal {
                alternatives: range,
                ..
            } => {
                let mut all = builder.alternatives[span(range)].to_vec();
                // The sort is stable, so alternatives of equal size keep the order of the source.
                all.sort_by_key(|alternative| alternative.minimum);
                let from = alternatives.len() as u32;
                for mut alternative in all {
                    let first = children.len() as u32;
                    let sequence = &builder.children[span(&alternative.children)];
                    children.extend(sequence.iter().map(|child| Child {
                        symbol: new(child.symbol),
                        ..*child
                    }));
                    alternative.children = first..children.len() as u32;
                    alternatives.push(alternative);
                }
                *range = from..alternatives.len() as u32;
            }
            Kind::Repeat { element, .. } => element.symbol = new(element.symbol),
            Kind::Same { of, .. } => *of = new(*of),
            Kind::Identifier { escape, .. } => *escape = new(*escape),
            Kind::Lexeme { body, position, .. } => {
                *body = new(*body);
                terminals.push(builder.terminals[position.0 as usize]);
                position.0 = terminals.len() as u32 - 1;
            }
            _ => {}
        }
        symbols.push(symbol);
        labels.push(builder.labels[old].clone());
        spans.push(range(&builder.spans[old]));
    }
    let layout = element.map(|element| Layout {
        token: new(element),
        separators: separators.into_iter().map(Into::into).collect(),
        longest,
    });
    let wide = |bytes: &[u8]| !bytes.is_ascii();
    let mut grammar = Grammar {
        utf8: !builder.bytes
            || !wide(&builder.texts)
                && builder
                    .classes
                    .iter()
                    .all(|class| class.ranges().iter().all(|&(_, to)| to < 0x80)),
        symbols: symbols.into(),
        alternatives: alternatives.into(),
        children: children.into(),
        classes: builder.classes.into(),
        texts: builder.texts.into(),
        names: builder.names.into(),
        labels: labels.into(),
        start: new(root),
        layout,
        boundaries: Boundaries::default(),
        unseparated: OnceLock::new(),
        roles: Box::default(),
        bytes: builder.bytes,
        fingerprint: 0,
        alternative_spans: builder.alternative_spans.iter().map(range).collect(),
        spans: spans.into(),
        lines: None,
        captures: None,
        naming: None,
        equivalences: Box::default(),
        unequal: Vec::new(),
    };
    let lines = builder.brackets.map(|all| Lines::new(&grammar, all));
    grammar.lines = lines.map(Box::new);
    grammar.captures = captures(&grammar);
    grammar.fingerprint = fingerprint(&grammar);
    grammar.roles = roles(grammar.tables(), grammar.start);
    grammar.boundaries = match &grammar.layout {
        Some(layout) => Boundaries::new(
            grammar.tables(),
            grammar.bytes,
            (grammar.start, builder.competitors),
            Some(layout.token),
            terminals,
        ),
        None => Boundaries::none(terminals),
    };
    debug_assert!(
        grammar
            .symbols
            .iter()
            .all(|symbol| symbol.minimum != Size::NEVER)
    );
    (grammar, renumbered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::exhaustive::texts;

    fn read(source: &str) -> Grammar {
        crate::notation::read("g", source.as_bytes(), &Caps::default())
            .unwrap_or_else(|report| panic!("{report}"))
            .0
    }

    fn refused(source: &str) -> String {
        crate::notation::read("g", source.as_bytes(), &Caps::default())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn lengths_are_those_of_the_shortest_and_the_longest_text() {
        let source = r#"
            s = a ( b | "xyz" )? c ;
            a = [a-b]{1,2} | "q"i ;
            b = ( "1" | "22" ){0,2} ;
            c = [\u{E9}a] | "" ;
        "#;
        let grammar = read(source);
        for (symbol, texts) in grammar.symbols().iter().zip(texts(grammar.tables(), 10)) {
            let lengths = (
                texts.iter().map(Vec::len).min(),
                texts.iter().map(Vec::len).max(),
            );
            assert_eq!(
                lengths,
                (
                    Some(symbol.min_bytes as usize),
                    Some(symbol.max_bytes as usize)
                ),
                "{symbol:?}"
            );
        }
        let endless = read(r#"s = "a"* t ; t = "b" t | "c" ;"#);
        assert_eq!(
            endless.symbols()[endless.start().0 as usize].max_bytes,
            u32::MAX
        );
    }

    #[test]
    fn alternatives_are_sorted_by_size_and_then_by_source() {
        let grammar = read(r#"s = "ccc" | "a" | "bb" | "d" ;"#);
        let start = grammar.children(&grammar.alternatives(grammar.start())[0])[0].symbol;
        let order: Vec<Option<u32>> = grammar
            .alternatives(start)
            .iter()
            .map(|alternative| alternative.source)
            .collect();
        assert_eq!(order, [1, 3, 2, 0].map(Some));
    }

    #[test]
    fn names_are_the_shortest_texts_of_the_rule() {
        let grammar = read(r#"s = n ; @identifier n = ( [a-c] [a-c0]* ) - ( "b" | "aa" ) ;"#);
        let names = grammar
            .symbols()
            .iter()
            .find_map(|symbol| match &symbol.kind {
                Kind::Identifier { names, .. } => Some(names.clone()),
                _ => None,
            });
        let names = names.unwrap();
        assert_eq!(names.len(), NAMES);
        let first: Vec<&[u8]> = (0..5).map(|at| grammar.name(&names, at)).collect();
        assert_eq!(first, [&b"a"[..], b"c", b"a0", b"ab", b"ac"]);
        assert!(
            refused(r#"s = n ; @identifier n = "(" n ")" | "x" ;"#)
                .contains("it is recursive or has a capture")
        );
        assert!(
            refused(r#"s = n? ; @identifier n = "a" [b-z]{200001} ;"#)
                .contains("its automaton has too many states")
        );
        let long = read(r#"s = n ; @identifier n = "ab"{50} ;"#);
        assert_eq!(long.symbols()[long.start().0 as usize].min_bytes, 100);
    }

    #[test]
    fn separators_are_the_shortest_layout_tokens_with_whitespace_first() {
        for (skip, expected) in [
            (
                r#"[ \t\r\n]+ | "//" [^\n]* "\n""#,
                &[&b" "[..], b"\n", b"\t", b"\r"][..],
            ),
            (r#""%" [a-z]* "." | "_""#, &[b"_"]),
            (r#""--" | "/*" [a-z]* "*/""#, &[b"--"]),
        ] {
            let grammar = read(&format!(r#"@skip w = {skip} ; s = "a" ;"#));
            let separators: Vec<&[u8]> = grammar
                .layout()
                .unwrap()
                .separators
                .iter()
                .map(|separator| &**separator)
                .collect();
            assert_eq!(separators, expected, "{skip}");
        }
        assert!(
            refused(r#"@skip w = "" ; s = "a" ;"#).contains("layout derives only the empty text")
        );
    }

    #[test]
    fn unused_symbols_are_dropped_and_positions_are_numbered_anew() {
        let used = read(r#"@skip w = " " ; s = "a" t ; t = "b" ;"#);
        let source =
            r#"@skip w = " " ; unused = "x" "y" ; @start s = "a" t ; more = "z" ; t = "b" ;"#;
        let (grammar, _) = crate::notation::read("g", source.as_bytes(), &Caps::default()).unwrap();
        assert_eq!(grammar.symbols().len(), used.symbols().len());
        let positions: Vec<u32> = grammar
            .symbols()
            .iter()
            .filter_map(|symbol| match symbol.kind {
                Kind::Lexeme { position, .. } => Some(position.0),
                _ => None,
            })
            .collect();
        assert_eq!(positions, (0..positions.len() as u32).collect::<Vec<_>>());
        assert_eq!(
            grammar.boundaries().terminals_by_position().len(),
            positions.len()
        );
    }

    #[test]
    fn the_depth_bound_counts_only_rules_that_contain_themselves() {
        let grammar = read(r#"s = t ( u )? ; t = "(" t ")" | "x" ; u = "y" ;"#);
        let is_counted = |symbol: &u32| {
            matches!(
                grammar.symbols()[*symbol as usize].kind,
                Kind::Nonterminal { counted: true, .. }
            )
        };
        let counted = (0..grammar.symbols().len() as u32)
            .filter(is_counted)
            .map(|symbol| grammar.label(SymbolId(symbol)));
        assert_eq!(counted.collect::<Vec<_>>(), ["t"]);
    }
}
