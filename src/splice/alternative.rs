//! Changes the alternative of a nonterminal and reuses the old children that fit.

use super::{Splice, SpliceBuffers, TreeView};
use crate::derive::Choice;
use crate::grammar::SymbolId;
use crate::parameters;

/// Changes the alternative of the nonterminal `node`. An old child with a suitable symbol becomes a
/// child of the new alternative. The other children become the simplest subtrees of their symbols.
pub(crate) struct ChangeAlternative {
    pub node: usize,
    pub alternative: u32,
    /// Whether the first new child that has the symbol of `node` itself becomes the whole old
    /// subtree. If so, the sentence grows around its old content.
    pub wraps: bool,
}

impl ChangeAlternative {
    /// Writes the parameters of the changed subtree to `part`. `fill` is called to append the
    /// parameters of a new child. `old` is a buffer for node indices.
    pub fn write_part(
        &self,
        view: &TreeView<'_>,
        old: &mut Vec<u32>,
        part: &mut Vec<u8>,
        mut fill: impl FnMut(SymbolId, &mut Vec<u8>),
    ) {
        let symbol = view.symbol(self.node);
        let alternatives = view.grammar.alternatives(symbol);
        old.clear();
        old.extend(
            view.tree
                .derivation()
                .children(self.node)
                .map(|child| child as u32),
        );
        part.clear();
        parameters::write_choice(
            Choice::Alternative {
                options: alternatives.len() as u32,
            },
            self.alternative,
            part,
        );
        let mut wraps = self.wraps;
        for child in view
            .grammar
            .children(&alternatives[self.alternative as usize])
        {
            if wraps && child.symbol == symbol {
                wraps = false;
                part.extend_from_slice(view.part(self.node));
            } else if let Some(at) = old.iter().position(|&old| {
                view.grammar
                    .is_like(view.symbol(old as usize), child.symbol)
            }) {
                part.extend_from_slice(view.part(old.remove(at) as usize));
            } else {
                fill(child.symbol, part);
            }
        }
    }
}

impl Splice for ChangeAlternative {
    fn write(
        &self,
        view: &TreeView<'_>,
        buffers: &mut SpliceBuffers,
        result: &mut Vec<u8>,
    ) -> bool {
        let (mut part, mut old) = (std::mem::take(&mut buffers.part), Vec::new());
        self.write_part(view, &mut old, &mut part, |symbol, part| {
            buffers.write_simplest(view, symbol, part)
        });
        super::replace_range(view.bytes(), view.span(self.node), &part, result);
        buffers.part = part;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Example;
    use super::*;

    #[test]
    fn before_and_after() {
        // Alternatives are numbered by size: 0 is the digit, 1 is `-`, 2 is `+`, 3 is `?`.
        let source = "e = [0-9] | \"-\" e | e \"+\" e | e \"?\" e \":\" e ;";
        let example = Example::new(source, "1?2:3");
        let node = example.node("e", "1?2:3");
        let after = |alternative, wraps| {
            example
                .after(&ChangeAlternative {
                    node,
                    alternative,
                    wraps,
                })
                .unwrap()
        };
        assert_eq!(after(2, false), "1+2");
        assert_eq!(after(1, false), "-1");
        assert_eq!(after(1, true), "-1?2:3");
        let example = Example::new(source, "-7");
        let node = example.node("e", "-7");
        assert_eq!(
            example
                .after(&ChangeAlternative {
                    node,
                    alternative: 3,
                    wraps: false
                })
                .unwrap(),
            "7?0:0"
        );
    }
}
