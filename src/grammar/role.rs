//! What there is to change in what a symbol derives: what mutators want to know.

use super::{Graph, Kind, SymbolId, Tables, parts};

/// What a symbol is to those who change derivations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It derives one text, case and layout aside.
    Fixed,
    /// It derives several and holds tokens.
    Syntax,
    /// It derives several and is a whole token, without the layout before it.
    Token,
    /// It derives several and is a part of tokens or of layout.
    Part,
}

/// The role of every symbol.
pub(crate) fn roles(tables: Tables<'_>, start: SymbolId) -> Box<[Role]> {
    let count = tables.symbols.len();
    let edges = parts(tables);
    // What derives several texts by itself, and then all that holds it: backwards from a vertex behind all of these.
    let mut backwards: Vec<(u32, u32)> = edges.iter().map(|&(from, to)| (to, from)).collect();
    backwards
        .extend((0..).zip(tables.symbols).filter(|(_, symbol)| decides(&symbol.kind, tables)).map(|(id, _)| (count as u32, id)));
    let varies = Graph::new(count + 1, &backwards).reachable(count as u32);
    let syntax = syntax(tables, start);
    let mut roles: Box<[Role]> = (0..count)
        .map(|at| match &tables.symbols[at].kind {
            _ if !varies[at] => Role::Fixed,
            Kind::Lexeme { .. } => Role::Part,
            _ if syntax[at] => Role::Syntax,
            _ => Role::Part,
        })
        .collect();
    for symbol in tables.symbols {
        if let Kind::Lexeme { body, .. } = symbol.kind {
            let role = &mut roles[body.0 as usize];
            *role = if *role == Role::Fixed { Role::Fixed } else { Role::Token };
        }
    }
    roles
}

/// The symbols of syntax: what the start symbol derives, without going into tokens.
pub(crate) fn syntax(tables: Tables<'_>, start: SymbolId) -> Vec<bool> {
    let is_outside = |&(from, _): &(u32, u32)| !matches!(tables.symbols[from as usize].kind, Kind::Lexeme { .. });
    let outside: Vec<(u32, u32)> = parts(tables).into_iter().filter(is_outside).collect();
    Graph::new(tables.symbols.len(), &outside).reachable(start.0)
}

/// Whether a symbol chooses among texts by itself.
fn decides(kind: &Kind, tables: Tables<'_>) -> bool {
    match kind {
        Kind::Nonterminal { alternatives, .. } => alternatives.len() > 1,
        Kind::Literal { .. } | Kind::Insensitive { .. } | Kind::Lexeme { .. } => false,
        Kind::Class(class) => tables.classes[class.0 as usize].count() > 1,
        Kind::Run { class, at_least, at_most } => at_most > at_least || tables.classes[class.0 as usize].count() > 1,
        Kind::Repeat { at_least, at_most, .. } => at_most > at_least,
        Kind::Identifier { .. } => true,
    }
}
