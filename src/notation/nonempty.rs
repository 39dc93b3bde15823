//! Third pass: makes captures and the elements of repetitions non-empty. For example, `(x?)*` becomes
//! `x*`.
//!
//! If an element can derive the empty text, it is replaced by its *twin*: a symbol that derives the
//! same texts except the empty one. The twin of a sequence has one alternative for each child. In
//! this alternative the child is replaced by its twin, the children before it are omitted, and the
//! children after it are unchanged. After this pass the element of every repetition derives at
//! least one byte.

mod captures;

use std::collections::HashMap;

use super::builder::GrammarBuilder;
use super::report::Report;
use crate::grammar::{Alternative, Child, Kind, SymbolId, minimum_sizes, span};

/// The twins of symbols.
struct Twins {
    /// Whether each symbol can derive the empty text. Symbols that this pass adds cannot, and have
    /// no entry.
    nullable: Vec<bool>,
    /// The twin of each symbol; `None` if the symbol derives only the empty text.
    twins: HashMap<SymbolId, Option<SymbolId>>,
    /// Nonterminals whose twins have no alternatives yet, each with its twin.
    open: Vec<(SymbolId, SymbolId)>,
}

/// Makes all captures, the elements of all repetitions and the names of all identifier terminals
/// non-empty.
pub fn nonempty(builder: &mut GrammarBuilder, report: &mut Report) {
    let (sizes, _) = minimum_sizes(builder.tables(0), &|_| false);
    let nullable = sizes.iter().map(|size| size.bytes == 0).collect();
    let mut twins = Twins {
        nullable,
        twins: HashMap::new(),
        open: Vec::new(),
    };
    captures::split(&mut twins, builder, report);
    twins.define_open(builder);
    let mut at = 0;
    while at < builder.symbols.len() && !builder.is_too_large() {
        match builder.symbols[at].kind.clone() {
            Kind::Repeat {
                element,
                at_most,
                items,
                ..
            } if twins.is_nullable(element.symbol) => {
                builder.symbols[at].kind = match twins.twin(builder, element.symbol) {
                    Some(symbol) => Kind::Repeat {
                        element: Child { symbol, ..element },
                        at_least: 0,
                        at_most,
                        items,
                    },
                    None => {
                        let empty = builder.sequence([], 1.0, 0);
                        builder.nonterminal(vec![empty], false)
                    }
                };
            }
            Kind::Identifier { names, escape } if twins.is_nullable(escape) => {
                if let Some(escape) = twins.twin(builder, escape) {
                    builder.symbols[at].kind = Kind::Identifier { names, escape };
                }
            }
            _ => {}
        }
        twins.define_open(builder);
        at += 1;
    }
}

impl Twins {
    fn is_nullable(&self, symbol: SymbolId) -> bool {
        self.nullable
            .get(symbol.0 as usize)
            .copied()
            .unwrap_or(false)
    }

    /// The symbol that derives the texts of `symbol` except the empty one. `None` if `symbol` derives
    /// only the empty text.
    fn twin(&mut self, builder: &mut GrammarBuilder, symbol: SymbolId) -> Option<SymbolId> {
        if !self.is_nullable(symbol) {
            return Some(symbol);
        }
        if let Some(&twin) = self.twins.get(&symbol) {
            return twin;
        }
        let (label, at) = (format!("{}+", builder.label(symbol)), builder.span(symbol));
        let kind = builder.kind(symbol).clone();
        let twin = match kind {
            Kind::Nonterminal { counted, .. } => {
                let twin = builder.symbol(
                    Kind::Nonterminal {
                        alternatives: 0..0,
                        counted,
                    },
                    label,
                    at,
                );
                self.open.push((symbol, twin));
                Some(twin)
            }
            Kind::Run { class, at_most, .. } => Some(builder.symbol(
                Kind::Run {
                    class,
                    at_least: 1,
                    at_most,
                },
                label,
                at,
            )),
            Kind::Repeat {
                element,
                at_least,
                at_most,
                items,
            } => self.twin(builder, element.symbol).map(|symbol| {
                let at_least = if self.is_nullable(element.symbol) {
                    1
                } else {
                    at_least.max(1)
                };
                builder.symbol(
                    Kind::Repeat {
                        element: Child { symbol, ..element },
                        at_least,
                        at_most,
                        items,
                    },
                    label,
                    at,
                )
            }),
            Kind::Lexeme {
                body,
                position,
                layout,
            } => self.twin(builder, body).map(|body| {
                let position = builder.position(builder.terminals[position.0 as usize]);
                builder.symbol(
                    Kind::Lexeme {
                        body,
                        position,
                        layout,
                    },
                    label,
                    at,
                )
            }),
            Kind::Identifier { .. } => Some(symbol),
            // At this point no capture can be empty.
            Kind::Same { .. } => None,
            Kind::Literal { .. } | Kind::Insensitive { .. } | Kind::Class(_) => None,
        };
        if let Some(twin) = twin.filter(|&twin| twin != symbol) {
            builder.annotate_as(twin, symbol);
        }
        self.twins.insert(symbol, twin);
        twin
    }

    /// Defines the twins that have no alternatives yet.
    fn define_open(&mut self, builder: &mut GrammarBuilder) {
        while let Some((symbol, twin)) = self.open.pop() {
            self.define(builder, symbol, twin);
            if builder.is_too_large() {
                return;
            }
        }
    }

    /// Defines the alternatives of a nonterminal's twin.
    fn define(&mut self, builder: &mut GrammarBuilder, symbol: SymbolId, twin: SymbolId) {
        let Kind::Nonterminal {
            alternatives,
            counted,
        } = builder.kind(symbol).clone()
        else {
            return;
        };
        let mut found = Vec::new();
        for at in span(&alternatives) {
            let alternative = builder.alternatives[at].clone();
            let children = builder.children[span(&alternative.children)].to_vec();
            if children.iter().any(|child| !self.is_nullable(child.symbol)) {
                found.push(alternative);
                continue;
            }
            for (first, child) in children.iter().enumerate() {
                let Some(symbol) = self.twin(builder, child.symbol) else {
                    continue;
                };
                let first_child = Child { symbol, ..*child };
                let rest = children[first + 1..].iter().copied();
                let children = std::iter::once(first_child).chain(rest);
                let new = builder.sequence(children, alternative.weight, alternative.source);
                found.push(Alternative {
                    span: alternative.span,
                    ..new
                });
                if builder.is_too_large() {
                    return;
                }
            }
        }
        builder.symbols[twin.0 as usize].kind = builder.nonterminal(found, counted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::exhaustive::texts;
    use crate::notation::testing::{lowered, symbol};

    const SOURCES: [&str; 13] = [
        r#"s = ( ( "a"? ){2,3} "b"? )* ;"#,
        r#"s = ( "a"? )* ;"#,
        r#"s = ( "a"? "b"* )+ ;"#,
        r#"s = ( "a"? "b"* "c"? ){2,3} "d" ;"#,
        r#"s = ( "a" | "b"? | ){2} ;"#,
        r#"s = ( t )* ; t = u u ; u = "a"{0,2} | "b" t? ;"#,
        r#"s = ( t* )* "c" ; t = "(" s? ")" | u ; u = ;"#,
        r#"s = ( u )* "x" ; u = ( "" )* ;"#,
        r#"s = ( ( ( "a"? )? ){1,2} )+ ;"#,
        r#"s = t* ; @token t = "a"? "b"? ;"#,
        r#"s = ( [ab]{0,2} ){3} ;"#,
        r#"s = n "=" ; @identifier n = [ab]* ;"#,
        r#"s = ( t | "y" )* ; t = t t | "x"? ;"#,
    ];

    #[test]
    fn elements_become_non_empty_and_languages_stay_equal() {
        for source in SOURCES {
            let mut builder = lowered(source);
            let start = symbol(&builder, "s");
            let before = texts(builder.tables(0), 5)[start.0 as usize].clone();
            nonempty(&mut builder, &mut Report::default());
            let after = texts(builder.tables(0), 5);
            // A name is never empty, so only the texts with a name are compared.
            let is_identifier = source.contains("@identifier");
            let expected = before
                .into_iter()
                .filter(|text| !is_identifier || *text != b"=")
                .collect();
            assert_eq!(after[start.0 as usize], expected, "{source}");
            for symbol in &builder.symbols {
                match symbol.kind {
                    Kind::Repeat {
                        element:
                            Child {
                                symbol: element, ..
                            },
                        ..
                    }
                    | Kind::Identifier {
                        escape: element, ..
                    } => {
                        assert!(
                            !after[element.0 as usize].contains(&[][..]),
                            "{source}: {}",
                            builder.label(element)
                        );
                    }
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn a_twin_of_a_lexeme_has_a_position_of_its_own() {
        let mut builder = lowered(r#"s = ( t u )* ; @token t = "a"? ; @token u = "b"? ;"#);
        nonempty(&mut builder, &mut Report::default());
        let mut positions: Vec<u32> = builder
            .symbols
            .iter()
            .filter_map(|symbol| match symbol.kind {
                Kind::Lexeme { position, .. } => Some(position.0),
                _ => None,
            })
            .collect();
        let count = positions.len();
        positions.sort_unstable();
        positions.dedup();
        assert_eq!((positions.len(), builder.terminals.len()), (count, count));
    }
}
