//! The minimum size of a derivation, for every symbol and every alternative.
//!
//! The algorithm is Knuth's generalization of Dijkstra's (*A generalization of Dijkstra's
//! algorithm*, 1977). It repeatedly takes the symbol with the lowest size that is not final, makes
//! this size final, and adds it to the size of everything that contains the symbol. Sizes are
//! compared by bytes first and by nodes second. The size of a token includes the longest separator
//! before it, because some positions require a separator. The minimum derivation of a symbol never
//! contains the symbol again.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::{GrammarTables, Graph, Kind, LineMark, Symbol, SymbolId, span};

/// The size of a derivation: bytes of text, including the separators that tokens may need, and
/// nodes. Both numbers are 2,147,483,647 if there is no finite derivation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Size {
    /// The number of bytes of text, at most 2,147,483,646.
    pub bytes: u32,
    /// The number of nodes of the derivation, at most 2,147,483,646.
    pub nodes: u32,
}

/// Sizes are compared by bytes first. One comparison of 64 bits is faster than two of 32 bits.
impl Ord for Size {
    #[inline(always)]
    fn cmp(&self, other: &Size) -> Ordering {
        let key = |size: &Size| u64::from(size.bytes) << 32 | u64::from(size.nodes);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Size {
    #[inline(always)]
    fn partial_cmp(&self, other: &Size) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Size {
    /// The size of a symbol that derives no finite text.
    pub(crate) const NEVER: Size = Size {
        bytes: Size::HUGE + 1,
        nodes: Size::HUGE + 1,
    };

    /// The largest finite number of bytes or nodes of a size. Larger numbers saturate. Caps are
    /// smaller.
    pub(crate) const HUGE: u32 = (1 << 31) - 2;

    /// Returns whether this is not [`Size::NEVER`].
    #[inline(always)]
    pub(crate) fn is_finite(self) -> bool {
        self != Size::NEVER
    }

    #[inline(always)]
    #[must_use]
    pub(crate) fn plus(self, other: Size) -> Size {
        if !self.is_finite() || !other.is_finite() {
            return Size::NEVER;
        }
        Size {
            bytes: self.bytes.saturating_add(other.bytes).min(Size::HUGE),
            nodes: self.nodes.saturating_add(other.nodes).min(Size::HUGE),
        }
    }

    /// Returns the size of `count` derivations of this size.
    #[inline(always)]
    #[must_use]
    pub(crate) fn times(self, count: u32) -> Size {
        if !self.is_finite() {
            return if count == 0 {
                Size::default()
            } else {
                Size::NEVER
            };
        }
        Size {
            bytes: self.bytes.saturating_mul(count).min(Size::HUGE),
            nodes: self.nodes.saturating_mul(count).min(Size::HUGE),
        }
    }
}

/// Returns the number of bytes that are reserved for a separator before a token. It is 0 if layout
/// is not allowed before the token, and for an empty literal.
#[inline(always)]
pub(crate) fn reserve(symbols: &[Symbol], body: SymbolId, layout: bool, separator: u32) -> u32 {
    let empty = matches!(&symbols[body.0 as usize].kind, Kind::Literal { text } if text.is_empty());
    if layout && !empty { separator } else { 0 }
}

/// Returns the minimum sizes of all symbols and of all alternatives, in the grammar without the
/// `banned` symbols.
pub(crate) fn minimum_sizes(
    tables: GrammarTables<'_>,
    banned: &dyn Fn(SymbolId) -> bool,
) -> (Vec<Size>, Vec<Size>) {
    minimum_sizes_with(tables, banned, &[])
}

/// Returns the minimum sizes of all symbols and of all alternatives of a grammar with names,
/// without the `banned` symbols.
///
/// If a symbol has a derivation that uses no names, its size is that of the smallest such
/// derivation. Otherwise its size is that of the smallest derivation in which each part that can do
/// without names uses none.
pub(crate) fn minimum_sizes_without_names(
    tables: GrammarTables<'_>,
    banned: &dyn Fn(SymbolId) -> bool,
    uses_name: &dyn Fn(SymbolId) -> bool,
) -> (Vec<Size>, Vec<Size>) {
    let (without, _) = minimum_sizes(tables, &|symbol| banned(symbol) || uses_name(symbol));
    minimum_sizes_with(tables, banned, &without)
}

/// Returns the minimum sizes as [`minimum_sizes`] does. A symbol with a finite size in `fixed`
/// keeps this size.
fn minimum_sizes_with(
    tables: GrammarTables<'_>,
    banned: &dyn Fn(SymbolId) -> bool,
    fixed: &[Size],
) -> (Vec<Size>, Vec<Size>) {
    let GrammarTables {
        symbols,
        alternatives,
        children,
        classes,
        names,
        separator,
        indentation,
        capture,
        ..
    } = tables;
    let node = |bytes| Size { bytes, nodes: 1 };
    // The vertices are the symbols, then the alternatives. An edge leads from each vertex to every
    // vertex that contains it.
    let count = symbols.len() as u32;
    let mut edges = Vec::with_capacity(children.len() + symbols.len());
    let mut cost = vec![Size::NEVER; symbols.len()];
    let mut partial: Vec<(Size, u32)> = vec![(node(0), 0); alternatives.len()];
    let mut owner = vec![0_u32; alternatives.len()];
    // The symbols for which a size is known but not yet final, by size. There are few different
    // sizes, so one list of symbols for each size is faster than a heap.
    let mut queue: BTreeMap<Size, Vec<u32>> = BTreeMap::new();
    let mut push = |size, id| queue.entry(size).or_default().push(id);
    for (id, symbol) in (0..count).zip(symbols) {
        let fixed = fixed
            .get(id as usize)
            .copied()
            .filter(|size| size.is_finite());
        if let Some(size) = fixed {
            push(size, id);
        }
        let cost = match &symbol.kind {
            Kind::Nonterminal {
                alternatives: range,
                ..
            } => {
                for at in range.clone() {
                    owner[at as usize] = id;
                    let parts = &children[span(&alternatives[at as usize].children)];
                    partial[at as usize].1 = parts.len() as u32;
                    edges.extend(parts.iter().map(|child| (child.symbol.0, count + at)));
                    if parts.is_empty() && !banned(SymbolId(id)) && fixed.is_none() {
                        push(node(0), id);
                    }
                }
                continue;
            }
            Kind::Literal { text } | Kind::Insensitive { text, .. } => node(text.len() as u32),
            Kind::Class(class) => {
                let class = &classes[class.0 as usize];
                let reserved = if LineMark::Line.is(class) {
                    indentation
                } else {
                    0
                };
                node(class.min_width() + reserved)
            }
            Kind::Run {
                class, at_least, ..
            } => node(
                classes[class.0 as usize]
                    .min_width()
                    .saturating_mul(*at_least)
                    .min(Size::HUGE),
            ),
            Kind::Repeat { at_least: 0, .. } => node(0),
            Kind::Repeat { element, .. } => {
                edges.push((element.symbol.0, id));
                continue;
            }
            Kind::Identifier {
                names: range,
                escape,
            } if range.is_empty() => {
                edges.push((escape.0, id));
                continue;
            }
            Kind::Identifier { names: range, .. } => node(names[range.start as usize].len() as u32),
            Kind::Lexeme { body, .. } => {
                edges.push((body.0, id));
                continue;
            }
            // The size of a repeated capture has room for any text of the capture.
            Kind::Same { of, .. } => {
                edges.push((of.0, id));
                continue;
            }
        };
        if fixed.is_none() && !banned(SymbolId(id)) {
            push(cost, id);
        }
    }
    let graph = Graph::new(symbols.len() + alternatives.len(), &edges);
    while let Some((size, id)) = pop(&mut queue) {
        if cost[id as usize].is_finite() {
            continue;
        }
        cost[id as usize] = size;
        for &whole in graph.successors(id) {
            let (total, symbol) = if whole >= count {
                let (sum, missing) = &mut partial[(whole - count) as usize];
                *sum = sum.plus(size);
                *missing -= 1;
                if *missing > 0 {
                    continue;
                }
                (*sum, owner[(whole - count) as usize])
            } else {
                let total = match &symbols[whole as usize].kind {
                    Kind::Repeat { at_least, .. } => size.times(*at_least).plus(node(0)),
                    Kind::Lexeme { body, layout, .. } => {
                        let literal = matches!(symbols[id as usize].kind, Kind::Literal { .. });
                        let own = Size {
                            bytes: reserve(symbols, *body, *layout, separator),
                            nodes: u32::from(!literal),
                        };
                        size.plus(own)
                    }
                    Kind::Identifier { .. } => size.plus(node(0)),
                    Kind::Same { .. } => node(size.bytes.max(capture)),
                    _ => unreachable!("only these are made of one part"),
                };
                (total, whole)
            };
            let is_fixed = fixed
                .get(symbol as usize)
                .is_some_and(|size| size.is_finite());
            if !banned(SymbolId(symbol)) && !is_fixed && !cost[symbol as usize].is_finite() {
                queue.entry(total).or_default().push(symbol);
            }
        }
    }
    let sizes = partial
        .into_iter()
        .map(|(sum, missing)| if missing == 0 { sum } else { Size::NEVER })
        .collect();
    (cost, sizes)
}

/// Takes one of the symbols with the lowest size.
pub(super) fn pop(queue: &mut BTreeMap<Size, Vec<u32>>) -> Option<(Size, u32)> {
    loop {
        let mut entry = queue.first_entry()?;
        match entry.get_mut().pop() {
            Some(id) => return Some((*entry.key(), id)),
            None => drop(entry.remove()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::grammar::Grammar;
    use crate::grammar::exhaustive::texts;

    /// The maximum number of bytes, and of nodes, of the derivations that the tests enumerate.
    const MAX: u32 = 7;

    const GRAMMARS: [&str; 8] = [
        r#"s = "a" s | t t | "bbbb" ; t = "a" | "b" "b" ;"#,
        r#"s = ( "a" t ){2,3} | t{3} ; t = [x-z]+ | "cc" ;"#,
        r#"s = a ; a = b "x" | "xxxx" ; b = a | c ; c = "y" a | "z" ;"#,
        r#"s = ( "ab"i | [\u{E9}] )+ t ; @token t = "," [a-b]{2} | "" ;"#,
        r#"s = ( t | u )? "x" ; t = u u ; u = "1"* | "22" ;"#,
        r#"s = n "=" n ; @identifier n = [a-b] [a-b] ;"#,
        r#"@skip w = "  " | "%" ; s = "a" ~ t t ; t = "b" | "cc" ;"#,
        r#"@skip w = " " ; s = ( "a" "b" ){2} | "aaaaa" ;"#,
    ];

    fn read(source: &str) -> Grammar {
        crate::notation::read("g", source.as_bytes(), &Default::default())
            .unwrap_or_else(|report| panic!("{report}"))
            .0
    }

    /// For every symbol, the sizes of all derivations of at most [`MAX`] bytes and nodes. Computed
    /// as a least fixed point.
    fn sizes(tables: GrammarTables<'_>) -> Vec<BTreeSet<Size>> {
        let mut all = vec![BTreeSet::new(); tables.symbols.len()];
        let sum = |one: &BTreeSet<Size>, other: &BTreeSet<Size>| {
            let pairs = one
                .iter()
                .flat_map(|&one| other.iter().map(move |&other| one.plus(other)));
            pairs
                .filter(|size| size.bytes <= MAX && size.nodes <= MAX)
                .collect::<BTreeSet<Size>>()
        };
        let one = |bytes: usize, nodes: u32| {
            BTreeSet::from([Size {
                bytes: bytes as u32,
                nodes,
            }])
        };
        let repeated = |element: &BTreeSet<Size>, own: u32, at_least: u32, at_most: u32| {
            let (mut found, mut current) = (BTreeSet::new(), one(0, own));
            for count in 0..=at_most.min(at_least + MAX) {
                if count >= at_least {
                    found.extend(current.iter().copied());
                }
                current = sum(&current, element);
            }
            found
        };
        loop {
            let before = all.clone();
            for (at, symbol) in tables.symbols.iter().enumerate() {
                let of = |symbol: SymbolId| &before[symbol.0 as usize];
                let members = |class: crate::grammar::ClassId| {
                    let class = &tables.classes[class.0 as usize];
                    (0..class.count())
                        .map(|index| class.width(class.member(index)))
                        .collect::<BTreeSet<u32>>()
                };
                all[at] = match &symbol.kind {
                    Kind::Nonterminal { alternatives, .. } => {
                        let alternatives = tables.alternatives[span(alternatives)].iter();
                        let found = alternatives.flat_map(|alternative| {
                            let children = tables.children[span(&alternative.children)].iter();
                            children.fold(one(0, 1), |sizes, child| sum(&sizes, of(child.symbol)))
                        });
                        found.collect()
                    }
                    Kind::Literal { text } | Kind::Insensitive { text, .. } => {
                        one(tables.texts[span(text)].len(), 1)
                    }
                    Kind::Same { of: capture, .. } => of(*capture).clone(),
                    Kind::Class(class) => members(*class)
                        .into_iter()
                        .map(|bytes| Size { bytes, nodes: 1 })
                        .collect(),
                    Kind::Run {
                        class,
                        at_least,
                        at_most,
                    } => {
                        let member = members(*class)
                            .into_iter()
                            .map(|bytes| Size { bytes, nodes: 0 })
                            .collect();
                        repeated(&member, 1, *at_least, *at_most)
                    }
                    Kind::Repeat {
                        element,
                        at_least,
                        at_most,
                        ..
                    } => repeated(of(element.symbol), 1, *at_least, *at_most),
                    Kind::Identifier { names, escape } => {
                        let names = tables.names[span(names)].iter().map(|name| Size {
                            bytes: name.end - name.start,
                            nodes: 1,
                        });
                        let mut found = sum(&one(0, 1), of(*escape));
                        found.extend(names);
                        found
                    }
                    // A literal has no node of its own in a lexeme. One separator is reserved
                    // before each token.
                    Kind::Lexeme { body, layout, .. } => {
                        match &tables.symbols[body.0 as usize].kind {
                            Kind::Literal { text } if text.is_empty() => one(0, 1),
                            Kind::Literal { .. } => sum(
                                &one(
                                    if *layout {
                                        tables.separator as usize
                                    } else {
                                        0
                                    },
                                    0,
                                ),
                                of(*body),
                            ),
                            _ => sum(
                                &one(
                                    if *layout {
                                        tables.separator as usize
                                    } else {
                                        0
                                    },
                                    1,
                                ),
                                of(*body),
                            ),
                        }
                    }
                };
                all[at].retain(|size| size.bytes <= MAX && size.nodes <= MAX);
            }
            if all == before {
                return all;
            }
        }
    }

    #[test]
    fn minimum_sizes_are_those_of_an_exhaustive_derivation() {
        for source in GRAMMARS {
            let grammar = read(source);
            let (minimum, _) = minimum_sizes(grammar.tables(), &|_| false);
            let mut compared = 0;
            for (at, sizes) in sizes(grammar.tables()).iter().enumerate() {
                if minimum[at].bytes < MAX && minimum[at].nodes < MAX {
                    assert_eq!(
                        sizes.first(),
                        Some(&minimum[at]),
                        "{source}: {}",
                        grammar.label(SymbolId(at as u32))
                    );
                    compared += 1;
                }
            }
            assert!(compared > 3, "{source}: {compared} symbols");
        }
    }

    #[test]
    fn without_separators_the_minimum_is_the_length_of_the_shortest_text() {
        for source in GRAMMARS {
            let grammar = read(source);
            for (symbol, texts) in grammar.symbols().iter().zip(texts(grammar.tables(), 5)) {
                let shortest = texts.iter().map(Vec::len).min();
                assert_eq!(
                    shortest,
                    Some(symbol.min_bytes as usize).filter(|&bytes| bytes <= 5),
                    "{source}: {symbol:?}"
                );
            }
        }
    }

    #[test]
    fn without_the_banned_nonterminals_only_other_derivations_count() {
        let grammar = read(r#"s = t | "aaa" ; t = "b" | u ; u = "cc" t ;"#);
        let find = |label: &str| {
            (0..)
                .map(SymbolId)
                .find(|&symbol| grammar.label(symbol) == label)
                .unwrap()
        };
        let minimum =
            |banned: SymbolId| minimum_sizes(grammar.tables(), &|symbol| symbol == banned).0;
        let bytes = |of: &str, banned: &str| minimum(find(banned))[find(of).0 as usize];
        assert_eq!((bytes("s", "u").bytes, bytes("s", "t").bytes), (1, 3));
        assert_eq!(
            (bytes("u", "t"), bytes("t", "t")),
            (Size::NEVER, Size::NEVER)
        );
    }

    #[test]
    fn sizes_add_up_to_at_most_the_maximum() {
        let size = |bytes, nodes| Size { bytes, nodes };
        assert_eq!(size(1, 2).plus(size(3, 4)), size(4, 6));
        assert_eq!(size(2, 3).times(4), size(8, 12));
        assert_eq!(size(Size::HUGE, 1).plus(size(1, 1)), size(Size::HUGE, 2));
        assert_eq!(size(2, 3).times(u32::MAX), size(Size::HUGE, Size::HUGE));
        assert_eq!(
            (Size::NEVER.plus(size(1, 1)), Size::NEVER.times(2)),
            (Size::NEVER, Size::NEVER)
        );
        assert_eq!(Size::NEVER.times(0), size(0, 0));
    }
}
