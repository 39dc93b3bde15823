//! The children of a node. They follow from the symbol and the choice of the node.

use super::WITHOUT_LAYOUT;
use crate::grammar::{Child, Grammar, Kind, SymbolId};

/// The children of a node, from left to right.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NodeChildren<'g> {
    /// The children of an alternative.
    Sequence(&'g [Child]),
    /// A child that is repeated `count` times, then `last`.
    Repeated {
        child: Child,
        count: u32,
        last: Option<SymbolId>,
    },
}

impl<'g> NodeChildren<'g> {
    /// Returns the children of a node of this symbol with this [choice](super::Node::choice).
    #[inline(always)]
    pub fn new(grammar: &'g Grammar, symbol: SymbolId, choice: u32) -> NodeChildren<'g> {
        let child = |symbol| Child {
            symbol,
            is_adjacent: false,
        };
        match &grammar[symbol].kind {
            Kind::Nonterminal { alternatives, .. } => {
                let alternative = &grammar.alternatives[(alternatives.start + choice) as usize];
                NodeChildren::Sequence(grammar.children(alternative))
            }
            Kind::Repeat { element, .. } => NodeChildren::Repeated {
                child: *element,
                count: choice,
                last: None,
            },
            Kind::Lexeme { body, .. } => {
                let layout = grammar.layout().map_or(symbol, |layout| layout.token);
                // A literal has no node of its own in a lexeme.
                let has_node = !matches!(grammar[*body].kind, Kind::Literal { .. });
                NodeChildren::Repeated {
                    child: child(layout),
                    count: choice & !WITHOUT_LAYOUT,
                    last: has_node.then_some(*body),
                }
            }
            Kind::Identifier { names, escape } => NodeChildren::Repeated {
                child: child(symbol),
                count: 0,
                last: (choice == names.end - names.start).then_some(*escape),
            },
            Kind::Literal { .. }
            | Kind::Insensitive { .. }
            | Kind::Class(_)
            | Kind::Run { .. }
            | Kind::Same { .. } => NodeChildren::Sequence(&[]),
        }
    }

    /// Returns the number of children.
    #[inline(always)]
    pub fn len(&self) -> u32 {
        match self {
            NodeChildren::Sequence(children) => children.len() as u32,
            NodeChildren::Repeated { count, last, .. } => count + u32::from(last.is_some()),
        }
    }

    /// Returns the child with this index. The index must be less than [`NodeChildren::len`].
    #[inline(always)]
    pub fn get(&self, index: u32) -> Child {
        match *self {
            NodeChildren::Sequence(children) => children[index as usize],
            NodeChildren::Repeated { child, count, last } => match last {
                Some(symbol) if index == count => Child {
                    symbol,
                    is_adjacent: false,
                },
                _ => child,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::Decoder;

    /// Each node of derivations has the children that its symbol and its choice say.
    #[test]
    fn nodes_have_the_children_of_their_choices() {
        let source = br#"@skip blank = " " ; @identifier name = [a-z]{1,2} ;
            s = name ( "=" ~ s | "x"i [0-9]* "(" s* ")" )? ; "#;
        let grammar = Grammar::read("children.ebnf", source).unwrap();
        let mut decoder = Decoder::new(&grammar);
        let mut kinds = std::collections::BTreeSet::new();
        for seed in 0..2_000_u32 {
            let bytes: Vec<u8> = (1..40)
                .map(|at| (seed.wrapping_mul(2_654_435_761).rotate_left(at) >> 24) as u8)
                .collect();
            let derivation = decoder.decode(&bytes);
            for (at, node) in derivation.nodes().iter().enumerate() {
                let children = NodeChildren::new(&grammar, node.symbol, node.choice);
                let symbols: Vec<_> = derivation
                    .children(at)
                    .map(|child| derivation.nodes()[child].symbol)
                    .collect();
                let expected: Vec<_> = (0..children.len())
                    .map(|index| children.get(index).symbol)
                    .collect();
                assert_eq!(symbols, expected, "{}", grammar.label(node.symbol));
                kinds.insert((
                    matches!(children, NodeChildren::Sequence(_)),
                    symbols.len().min(3),
                ));
            }
        }
        assert_eq!(kinds.len(), 8, "{kinds:?}");
    }
}
