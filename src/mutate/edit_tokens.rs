//! Adds, changes and removes edits of tokens: deletion, insertion, substitution and transposition,
//! as in *Fu(t|z)zing with Grammars* (Raselimo, Taljaard, Fischer).

use rand::RngExt;
use rand::rngs::SmallRng;

use super::{Mutation, Output};
use crate::grammar::Grammar;
use crate::parameters::{Edits, MAX_EDITS, TextEdit, count_tokens, is_terminal};
use crate::splice::TreeView;

/// The maximum number of symbols that are drawn until one is a terminal. If none of them is,
/// decoding takes the next terminal of the grammar.
const DRAWS: u32 = 16;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    if mutation.settings.edits == Edits::Off {
        return false;
    }
    output.copy(parent);
    let (rng, edits) = (&mut mutation.rng, &mut output.text_edits);
    let (all, of_tokens) = (
        edits.list().len(),
        edits
            .list()
            .iter()
            .filter(|edit| edit.is_of_tokens())
            .count(),
    );
    match rng.random_range(0..4) {
        0 if all > 0 => edits.remove(rng.random_range(0..all)),
        1 if of_tokens > 0 => edits.set_tokens(rng.random_range(0..of_tokens), draw(rng, parent)),
        _ => {
            if all == MAX_EDITS {
                edits.remove(rng.random_range(0..all));
            }
            edits.push_tokens(draw(rng, parent));
        }
    }
    true
}

fn draw(rng: &mut SmallRng, parent: &TreeView<'_>) -> TextEdit {
    let count =
        count_tokens(parent.grammar, parent.tree.derivation()).min(usize::from(u16::MAX)) as u16;
    let (at, from) = (rng.random_range(0..=count), rng.random_range(0..=count));
    match rng.random_range(0..6) {
        0 => TextEdit::Delete { at },
        1 => TextEdit::Insert {
            at,
            terminal: terminal(rng, parent.grammar),
        },
        2 => TextEdit::Substitute {
            at,
            terminal: terminal(rng, parent.grammar),
        },
        3 => TextEdit::InsertCopy { at, from },
        4 => TextEdit::SubstituteCopy { at, from },
        _ => TextEdit::Transpose { at },
    }
}

fn terminal(rng: &mut SmallRng, grammar: &Grammar) -> u16 {
    let symbols = grammar.symbols();
    let mut drawn = 0;
    for _ in 0..DRAWS {
        drawn = rng.random_range(0..symbols.len().min(1 << 16));
        if is_terminal(&symbols[drawn]) {
            break;
        }
    }
    drawn as u16
}

#[cfg(test)]
mod tests {
    use crate::mutate::testing::edited;

    #[test]
    fn before_and_after() {
        assert!(edited("edit-tokens", "(1,2),a", "1,2),a"));
        assert!(edited("edit-tokens", "(1,2),a", "(1,2,),a"));
        assert!(edited("edit-tokens", "(1,2),a", "(1,2)a,"));
        assert!(edited("edit-tokens", "(1,2),a", "(1,2),)"));
        assert!(edited("edit-tokens", "(1,2),a", "(1,2)),a"));
    }
}
