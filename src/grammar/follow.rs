//! Follow sets of positions. The follow set of a position contains the terminals that may follow a
//! token at that position.

use std::collections::VecDeque;

use super::sets::{self, Distinct, Sets};
use super::terminal::{LAYOUT, TerminalId};
use super::{Child, GrammarTables, Graph, Kind, SymbolId, parts, span};

/// The maximum number of positions. If there are more, every terminal counts as allowed at every
/// position.
const MAX_POSITIONS: usize = 8_192;

/// The maximum size of the follow sets, and that of the sets of first and last positions, in 64-bit
/// words. If either is larger, every terminal counts as allowed at every position.
const MAX_WORDS: usize = 1 << 24;

/// The maximum number of 64-bit words of sets that the computation reads. If it has to read more,
/// every terminal counts as allowed at every position.
const WORK: usize = 1 << 30;

/// The first and last positions of the derivations of a symbol, and whether the symbol is nullable,
/// that is, derives the empty text.
#[derive(Clone, Default)]
struct Edges {
    first: Vec<u64>,
    last: Vec<u64>,
    empty: bool,
}

/// The index of the follow set of every position, and the sets. One more index comes last: that of
/// the set of terminals that may begin a sentence.
pub(super) fn follow(
    tables: GrammarTables<'_>,
    start: SymbolId,
    terminals: &[TerminalId],
    words: usize,
) -> (Box<[u32]>, Sets) {
    follow_within(tables, start, terminals, words, WORK)
        .unwrap_or_else(|| all_allowed(terminals.len(), words))
}

/// The result of [`follow`] if every terminal may follow at each of the `positions`.
pub(super) fn all_allowed(positions: usize, words: usize) -> (Box<[u32]>, Sets) {
    let mut all = Distinct::new(words);
    all.index_of(&vec![u64::MAX; words]);
    (vec![0; positions + 1].into(), all.into_sets())
}

/// Computes [`follow`]. Returns `None` if this reads more than `work` words, or exceeds
/// [`MAX_POSITIONS`] or [`MAX_WORDS`].
fn follow_within(
    tables: GrammarTables<'_>,
    start: SymbolId,
    terminals: &[TerminalId],
    words: usize,
    mut work: usize,
) -> Option<(Box<[u32]>, Sets)> {
    let positions = terminals.len();
    let (wholes, order) = syntax_order(tables);
    if positions > MAX_POSITIONS
        || positions.saturating_mul(words) > MAX_WORDS
        || order.len().saturating_mul(positions.div_ceil(64)) > MAX_WORDS / 2
    {
        return None;
    }
    let edges = edges(tables, positions, &wholes, &order, &mut work)?;
    let mut after: Vec<Vec<u64>> = vec![vec![0; words]; positions];
    let mut pairs = FollowPairs {
        terminals,
        words,
        work,
        after: &mut after,
    };
    for &id in &order {
        match &tables.symbols[id].kind {
            Kind::Repeat {
                element,
                at_most: 2..,
                ..
            } => {
                let inner = &edges[element.symbol.0 as usize];
                pairs.link(&inner.last, &inner.first)?;
            }
            Kind::Nonterminal { alternatives, .. } => {
                for alternative in &tables.alternatives[span(alternatives)] {
                    let mut lasts = vec![0; positions.div_ceil(64)];
                    for child in &tables.children[span(&alternative.children)] {
                        let inner = &edges[child.symbol.0 as usize];
                        pairs.link(&lasts, &inner.first)?;
                        if !inner.empty {
                            lasts.fill(0);
                        }
                        sets::join(&mut lasts, &inner.last);
                    }
                }
            }
            _ => {}
        }
    }
    let mut first = vec![0_u64; words];
    for position in sets::numbers(&edges[start.0 as usize].first) {
        sets::add(&mut first, terminals[position].0 as usize);
    }
    after.push(first);
    // Layout may follow every token.
    let mut distinct = Distinct::new(words);
    let follow_sets = after.into_iter().map(|mut set| {
        sets::add(&mut set, LAYOUT.0 as usize);
        distinct.index_of(&set)
    });
    Some((follow_sets.collect(), distinct.into_sets()))
}

/// The first and last positions of every symbol, computed as a least fixed point. Symbols that do
/// not belong to the syntax have no positions.
fn edges(
    tables: GrammarTables<'_>,
    positions: usize,
    wholes: &Graph,
    order: &[usize],
    work: &mut usize,
) -> Option<Vec<Edges>> {
    let words = positions.div_ceil(64);
    let mut edges = vec![
        Edges {
            empty: true,
            ..Edges::default()
        };
        tables.symbols.len()
    ];
    for &id in order {
        edges[id] = Edges {
            first: vec![0; words],
            last: vec![0; words],
            empty: false,
        };
    }
    let mut open: VecDeque<usize> = order.iter().copied().collect();
    let mut is_open: Vec<bool> = edges.iter().map(|edges| !edges.empty).collect();
    while let Some(id) = open.pop_front() {
        is_open[id] = false;
        // If a symbol contains itself directly, the inner occurrence adds no positions, but it may
        // be nullable.
        let mut now = std::mem::take(&mut edges[id]);
        let own = Edges {
            empty: now.empty,
            ..Edges::default()
        };
        let of = |child: &Child| {
            if child.symbol.0 as usize == id {
                &own
            } else {
                &edges[child.symbol.0 as usize]
            }
        };
        let mut grew = false;
        let mut steps = 1;
        match &tables.symbols[id].kind {
            Kind::Lexeme { position, .. } => {
                grew |= sets::add(&mut now.first, position.0 as usize)
                    | sets::add(&mut now.last, position.0 as usize);
                let empty = may_be_empty(tables, &tables.symbols[id]);
                grew |= empty && !std::mem::replace(&mut now.empty, true);
            }
            Kind::Repeat {
                element, at_least, ..
            } => {
                let inner = of(element);
                grew |= sets::join(&mut now.first, &inner.first)
                    | sets::join(&mut now.last, &inner.last);
                grew |= (*at_least == 0 || inner.empty) && !std::mem::replace(&mut now.empty, true);
            }
            Kind::Nonterminal { alternatives, .. } => {
                for alternative in &tables.alternatives[span(alternatives)] {
                    let sequence = &tables.children[span(&alternative.children)];
                    let mut all_empty = true;
                    for child in sequence {
                        steps += 1;
                        grew |= sets::join(&mut now.first, &of(child).first);
                        if !of(child).empty {
                            all_empty = false;
                            break;
                        }
                    }
                    for child in sequence.iter().rev() {
                        steps += 1;
                        grew |= sets::join(&mut now.last, &of(child).last);
                        if !of(child).empty {
                            break;
                        }
                    }
                    grew |= all_empty && !std::mem::replace(&mut now.empty, true);
                }
            }
            _ => {}
        }
        *work = work.checked_sub(steps * (words + 1))?;
        // If the symbol turns out to be nullable, more parts of its own sequences count. So it must
        // be computed again.
        let again = now.empty != own.empty;
        edges[id] = now;
        if grew {
            for whole in wholes
                .successors(id as u32)
                .iter()
                .map(|&whole| whole as usize)
                .filter(|&whole| whole != id || again)
            {
                if !std::mem::replace(&mut is_open[whole], true) {
                    open.push_back(whole);
                }
            }
        }
    }
    Some(edges)
}

struct FollowPairs<'a> {
    terminals: &'a [TerminalId],
    words: usize,
    work: usize,
    after: &'a mut [Vec<u64>],
}

impl FollowPairs<'_> {
    /// Records that each of the first positions may follow each of the last positions. Returns
    /// `None` if the work is used up.
    fn link(&mut self, lasts: &[u64], firsts: &[u64]) -> Option<()> {
        let count = |set: &[u64]| {
            set.iter()
                .map(|word| word.count_ones() as usize)
                .sum::<usize>()
        };
        self.work = self.work.checked_sub(1 + lasts.len() + firsts.len())?;
        let sizes = (count(lasts), count(firsts));
        if sizes.0 == 0 || sizes.1 == 0 {
            return Some(());
        }
        self.work = self
            .work
            .checked_sub(sizes.0 * self.words + sizes.1 + self.words)?;
        let mut found = vec![0_u64; self.words];
        for position in sets::numbers(firsts) {
            sets::add(&mut found, self.terminals[position].0 as usize);
        }
        for position in sets::numbers(lasts) {
            sets::join(&mut self.after[position], &found);
        }
        Some(())
    }
}

/// Returns a graph, and the symbols of the syntax in an order that makes the fixed point fast. A
/// symbol of the syntax is a lexeme or contains lexemes. The other symbols are parts of tokens, or
/// derive only the empty text. The graph has an edge from every symbol to each symbol of the syntax
/// that contains it. In the order, a symbol comes after the symbols that it contains, except in
/// cycles.
fn syntax_order(tables: GrammarTables<'_>) -> (Graph, Vec<usize>) {
    let count = tables.symbols.len();
    let is_lexeme = |id: u32| matches!(tables.symbols[id as usize].kind, Kind::Lexeme { .. });
    let is_token = |id: u32| {
        is_lexeme(id) || matches!(tables.symbols[id as usize].kind, Kind::Identifier { .. })
    };
    let edges: Vec<(u32, u32)> = parts(tables)
        .into_iter()
        .filter(|&(whole, _)| !is_token(whole))
        .collect();
    let mut wholes: Vec<(u32, u32)> = edges.iter().map(|&(whole, part)| (part, whole)).collect();
    wholes.extend(
        (0..count as u32)
            .filter(|&id| is_lexeme(id))
            .map(|id| (count as u32, id)),
    );
    let (parts, wholes) = (Graph::new(count, &edges), Graph::new(count + 1, &wholes));
    let syntax = wholes.reachable(count as u32);
    // Depth-first search, in postorder: each symbol comes after its parts.
    let (mut order, mut seen) = (Vec::new(), vec![false; count]);
    for root in (0..count as u32).filter(|&id| syntax[id as usize]) {
        let mut path = vec![(root, 0)];
        while let Some((id, at)) = path.last_mut() {
            if *at == 0 && std::mem::replace(&mut seen[*id as usize], true) {
                path.pop();
                continue;
            }
            match parts.successors(*id).get(*at) {
                Some(&part) => {
                    *at += 1;
                    if !seen[part as usize] && syntax[part as usize] {
                        path.push((part, 0));
                    }
                }
                None => {
                    order.push(*id as usize);
                    path.pop();
                }
            }
        }
    }
    (wholes, order)
}

/// Whether the token of a lexeme derives the empty text.
fn may_be_empty(tables: GrammarTables<'_>, lexeme: &super::Symbol) -> bool {
    match lexeme.kind {
        Kind::Lexeme { body, .. } => tables.symbols[body.0 as usize].minimum.bytes == 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Caps;
    use crate::grammar::Grammar;
    use crate::notation::read;

    fn grammar(source: &str) -> Grammar {
        read("g", source.as_bytes(), &Caps::default())
            .unwrap_or_else(|report| panic!("{report}"))
            .0
    }

    fn compute(grammar: &Grammar, work: usize) -> Option<(Box<[u32]>, Sets)> {
        let boundaries = grammar.boundaries();
        let words = boundaries.terminals().div_ceil(64);
        follow_within(
            grammar.tables(),
            grammar.start(),
            boundaries.terminals_by_position(),
            words,
            work,
        )
    }

    #[test]
    fn follow_sets_look_past_symbols_that_may_be_empty() {
        let grammar = grammar(r#"@skip w = " " ; s = "a" ( "b" )* c "d" ; c = "c" | ;"#);
        let (follow_sets, sets) = compute(&grammar, WORK).unwrap();
        // Terminals in the order of the source: layout, a, b, c or d, the end.
        let sizes: Vec<usize> = follow_sets
            .iter()
            .map(|&set| sets::numbers(sets.get(set as usize)).count())
            .collect();
        let text = |symbol: SymbolId| grammar.describe(symbol);
        let mut found = Vec::new();
        for (id, symbol) in (0..).map(SymbolId).zip(grammar.symbols()) {
            if let Kind::Lexeme { position, .. } = symbol.kind {
                found.push((text(id), sizes[position.0 as usize]));
            }
        }
        found.sort_unstable();
        // Layout is in every set. After a come b, c or d; after b come b, c or d; after c comes d;
        // after d comes the end.
        let expected = [
            ("\"a\"", 4),
            ("\"b\"", 4),
            ("\"c\"", 2),
            ("\"d\"", 2),
            ("the end", 1),
        ];
        assert_eq!(found, expected.map(|(name, size)| (name.to_string(), size)));
        assert_eq!(*sizes.last().unwrap(), 2);
    }

    #[test]
    fn only_an_element_that_can_be_repeated_follows_itself() {
        for (item, size) in [
            ("( \"b\" )?", 2),
            ("( \"b\" )*", 3),
            ("( \"b\" ){0,1}", 2),
            ("( \"b\" ){1,2}", 3),
        ] {
            let grammar = grammar(&format!("@skip w = \" \" ; s = \"a\" {item} \"d\" ;"));
            let (follow_sets, sets) = compute(&grammar, WORK).unwrap();
            // After b come layout, d, and b if it can be repeated.
            let b =
                (0..)
                    .map(SymbolId)
                    .zip(grammar.symbols())
                    .find_map(|(id, symbol)| match symbol.kind {
                        Kind::Lexeme { position, .. } if grammar.describe(id) == "\"b\"" => {
                            Some(position)
                        }
                        _ => None,
                    });
            let set = follow_sets[b.unwrap().0 as usize];
            assert_eq!(
                sets::numbers(sets.get(set as usize)).count(),
                size,
                "{item}"
            );
        }
    }

    #[test]
    fn follow_sets_of_a_cycle_of_rules_take_linear_time() {
        let cycle = |rules: usize| {
            let chain: String = (0..rules)
                .map(|at| format!("r{at} = r{} ;", at + 1))
                .collect();
            grammar(&format!(
                r#"@skip w = " " ; {chain} r{rules} = "x" | "(" r0 ")" ;"#
            ))
        };
        // Each rule is examined a few times, so ten times as many rules take ten times the work.
        assert!(compute(&cycle(1_000), 40_000).is_some());
        assert!(compute(&cycle(10_000), 400_000).is_some());
        assert!(compute(&cycle(10_000), 10_000).is_none());
    }

    #[test]
    fn too_much_work_is_refused() {
        let terms: String = (0..1_500).map(|at| format!("\"a{at}\"? ")).collect();
        let grammar = grammar(&format!("s = ( {terms} )* ;"));
        assert!(compute(&grammar, 1 << 20).is_none());
    }
}
