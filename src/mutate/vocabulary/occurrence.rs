//! An occurrence of a token in a rule, to which words belong.

use super::MAX_LENGTH;
use crate::grammar::{Effect, Kind, Role, SymbolId};
use crate::splice::TreeView;

/// An occurrence of a token in a rule, or of a part of the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenOccurrence {
    /// The lexeme. In a grammar without layout, the symbol itself.
    pub lexeme: SymbolId,
    pub symbol: SymbolId,
}

impl TokenOccurrence {
    /// Returns the occurrence of the token of a node.
    pub fn of(view: &TreeView<'_>, node: usize) -> TokenOccurrence {
        let symbol = view.symbol(node);
        let is_lexeme = |before: &usize| matches!(view.kind(*before), Kind::Lexeme { .. });
        let lexeme = (0..node)
            .rev()
            .take(MAX_LENGTH)
            .find(is_lexeme)
            .filter(|&lexeme| view.subtree(lexeme).contains(&node));
        TokenOccurrence {
            lexeme: lexeme.map_or(symbol, |lexeme| view.symbol(lexeme)),
            symbol,
        }
    }
}

/// Returns whether a node is a token, or a part of a token that can have any length. Names that the grammar
/// declares or uses do not count, because the grammar determines which names are visible.
pub fn has_text(view: &TreeView<'_>, node: usize) -> bool {
    let is_declared =
        |effect: &Effect| matches!(effect, Effect::Declare { .. } | Effect::Use { .. });
    match view.kind(node) {
        Kind::Lexeme { .. } => false,
        Kind::Identifier { .. } if view.effect(node).is_some_and(is_declared) => false,
        Kind::Run { .. } | Kind::Repeat { .. } => {
            view.role(node) == Role::Part && !is_spelled_name(view, node)
        }
        _ => view.role(node) == Role::Token,
    }
}

/// Returns whether a node is a part of an identifier that is spelled out. Words are learned for the
/// whole identifier.
fn is_spelled_name(view: &TreeView<'_>, node: usize) -> bool {
    let is_token = |before: &usize| view.role(*before) == Role::Token;
    let token = (0..node).rev().take(MAX_LENGTH).find(is_token);
    token.is_some_and(|token| {
        matches!(view.kind(token), Kind::Identifier { .. }) && view.subtree(token).contains(&node)
    })
}
