//! The role of each symbol in mutation. A role says whether the text can vary, and whether the
//! symbol is syntax, a token or a part of a token.

use super::{GrammarTables, Graph, Kind, SymbolId, parts};

/// The role of a symbol in mutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    /// It derives one text, apart from the case of letters and the layout.
    Fixed,
    /// It derives several texts and contains tokens.
    Syntax,
    /// It derives several texts and is a whole token, without the layout before it.
    Token,
    /// It derives several texts, and is a lexeme or a part of a token or of layout.
    Part,
}

pub(crate) fn roles(tables: GrammarTables<'_>, start: SymbolId) -> Box<[Role]> {
    let count = tables.symbols.len();
    let edges = parts(tables);
    // An additional vertex has an edge to every symbol that makes a choice itself. All other edges
    // lead from a part to the symbols that contain it. So the vertices that can be reached from the
    // additional vertex are the symbols that contain a choice.
    let mut backwards: Vec<(u32, u32)> = edges.iter().map(|&(from, to)| (to, from)).collect();
    backwards.extend(
        (0..)
            .zip(tables.symbols)
            .filter(|(_, symbol)| makes_choice(&symbol.kind, tables))
            .map(|(id, _)| (count as u32, id)),
    );
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
            *role = if *role == Role::Fixed {
                Role::Fixed
            } else {
                Role::Token
            };
        }
    }
    roles
}

/// For every symbol, whether it belongs to the syntax: whether the start symbol reaches it without
/// passing through a token.
pub(crate) fn syntax(tables: GrammarTables<'_>, start: SymbolId) -> Vec<bool> {
    let is_outside = |&(from, _): &(u32, u32)| {
        !matches!(tables.symbols[from as usize].kind, Kind::Lexeme { .. })
    };
    let outside: Vec<(u32, u32)> = parts(tables).into_iter().filter(is_outside).collect();
    Graph::new(tables.symbols.len(), &outside).reachable(start.0)
}

/// Whether a symbol itself makes a choice that changes the text.
fn makes_choice(kind: &Kind, tables: GrammarTables<'_>) -> bool {
    match kind {
        Kind::Nonterminal { alternatives, .. } => alternatives.len() > 1,
        Kind::Literal { .. }
        | Kind::Insensitive { .. }
        | Kind::Lexeme { .. }
        | Kind::Same { .. } => false,
        Kind::Class(class) => tables.classes[class.0 as usize].count() > 1,
        Kind::Run {
            class,
            at_least,
            at_most,
        } => at_most > at_least || tables.classes[class.0 as usize].count() > 1,
        Kind::Repeat {
            at_least, at_most, ..
        } => at_most > at_least,
        Kind::Identifier { .. } => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_of_syntax_tokens_and_their_parts() {
        let source = r#"
            @skip blank = [ \t] ;
            s = "let" name "=" value ";" end many ;
            value = number | "none" ;
            end = "." ;
            many = "x"* ;
            @token number = digit digit ;
            @token digit = [0-9] ;
            @identifier name = [a-z]+ ;
        "#;
        let (grammar, _) =
            crate::notation::read("g", source.as_bytes(), &Default::default()).unwrap();
        let is_lexeme = |symbol: SymbolId| matches!(grammar[symbol].kind, Kind::Lexeme { .. });
        let symbols = || (0..grammar.symbols().len() as u32).map(SymbolId);
        for (label, expected) in [
            ("s", Role::Syntax),
            ("value", Role::Syntax),
            ("many", Role::Syntax),
            ("end", Role::Fixed),
            ("number", Role::Token),
            ("digit", Role::Part),
            ("name", Role::Token),
            ("blank", Role::Part),
            ("\"let\"", Role::Fixed),
        ] {
            let found = symbols()
                .find(|&symbol| grammar.label(symbol) == label && !is_lexeme(symbol))
                .expect(label);
            assert_eq!(grammar.role(found), expected, "{label}");
        }
        for lexeme in symbols().filter(|&symbol| is_lexeme(symbol)) {
            let is_literal =
                grammar.label(lexeme).starts_with('"') || grammar.label(lexeme) == "end";
            assert_eq!(
                grammar.role(lexeme),
                if is_literal { Role::Fixed } else { Role::Part },
                "{}",
                grammar.label(lexeme)
            );
        }
    }
}
