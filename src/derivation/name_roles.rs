//! The roles of the names in a sentence: declarations, uses of a declaration, and undeclared names.

use std::collections::HashMap;

use super::Derivation;
use crate::grammar::{Effect, Grammar, Kind};

/// The role of a name in a sentence. Numbers are indices of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRole {
    /// A declaration.
    Declaration,
    /// A declaration of a name that is already declared in the same scope, by the node with this
    /// index.
    Redeclaration(usize),
    /// A use of the name that the node with this index declares.
    Use(usize),
    /// A use of the name that the node with this index declares, but as another kind of name, or
    /// although the name is hidden.
    WrongUse(usize),
    /// A use of a name that is not declared.
    Undeclared,
}

/// A scope, or a part of the sentence at the end of which its declarations become visible.
struct OpenScope<'a> {
    /// The index of the node after the last node of this part.
    end: usize,
    /// The number of names that were declared when this part began.
    outside: usize,
    /// The declarations that become visible at the end of this part. [`None`] for a scope.
    pending: Option<Vec<DeclaredName<'a>>>,
}

/// A declared name: the identifier terminal, the text, and the node.
type DeclaredName<'a> = (u32, &'a [u8], usize);

/// The declarations that are visible.
#[derive(Default)]
struct Declarations<'a> {
    names: Vec<DeclaredName<'a>>,
    /// Indices of `names` by terminal and text, the innermost declaration last.
    by_text: HashMap<(u32, &'a [u8]), Vec<usize>>,
}

impl<'a> Declarations<'a> {
    fn add(&mut self, name: DeclaredName<'a>) {
        let same = self.by_text.entry((name.0, name.1)).or_default();
        same.push(self.names.len());
        self.names.push(name);
    }

    fn truncate(&mut self, length: usize) {
        for (terminal, text, _) in self.names.drain(length..) {
            if let Some(same) = self.by_text.get_mut(&(terminal, text)) {
                same.pop();
            }
        }
    }

    /// Returns the number of visible declarations after the declaration with index `at`. Counts
    /// only those for whose nodes `is_alike` returns true, and which no later declaration of the
    /// same name hides.
    fn later(&self, at: usize, is_alike: impl Fn(usize) -> bool) -> u32 {
        let later = (at + 1..).zip(&self.names[at + 1..]);
        let is_innermost = |&(at, (terminal, text, _)): &(usize, &DeclaredName<'_>)| {
            self.by_text
                .get(&(*terminal, *text))
                .and_then(|same| same.last())
                == Some(&at)
        };
        let alike = later.filter(is_innermost);
        alike.filter(|(_, (.., node))| is_alike(*node)).count() as u32
    }

    /// Returns the index of the innermost declaration of a name, and its node.
    fn find(&self, terminal: u32, text: &'a [u8]) -> Option<(usize, usize)> {
        let at = *self.by_text.get(&(terminal, text))?.last()?;
        Some((at, self.names[at].2))
    }
}

/// Returns the role of each name in a sentence, with its node, in the order of the text.
pub(super) fn name_roles(grammar: &Grammar, derivation: &Derivation) -> Vec<(usize, NameRole)> {
    let mut roles = Vec::new();
    for_each_name(grammar, derivation, |node, role, _, _| {
        roles.push((node, role))
    });
    roles
}

/// Returns the node and the recency of each use of a declared name: the number of names of its kind that
/// became visible after this name. Names that are visible as another kind by an `@as` do not count.
pub(super) fn recencies(grammar: &Grammar, derivation: &Derivation) -> Vec<(usize, u32)> {
    let Some(naming) = grammar.naming.as_deref() else {
        return Vec::new();
    };
    let effect = |node: usize| &naming.effects[derivation.nodes()[node].symbol.0 as usize];
    let mut recencies = Vec::new();
    for_each_name(grammar, derivation, |node, role, declared, at| {
        let (NameRole::Use(_), Effect::Use { instances, .. }) = (role, effect(node)) else {
            return;
        };
        let used = naming.list(instances);
        let is_alike = |declaration| match effect(declaration) {
            Effect::Declare { instances, .. } => naming
                .list(instances)
                .iter()
                .any(|instance| used.contains(instance)),
            _ => false,
        };
        recencies.push((node, declared.later(at, is_alike)));
    });
    recencies
}

/// Calls `found` for each name in the order of the text. The arguments are the node, the role, the
/// declarations that are visible at the name, and the index of the used declaration. The index is 0
/// if the name uses no declaration.
fn for_each_name<'a>(
    grammar: &Grammar,
    derivation: &'a Derivation,
    mut found: impl FnMut(usize, NameRole, &Declarations<'a>, usize),
) {
    let Some(naming) = grammar.naming.as_deref() else {
        return;
    };
    let mut declared = Declarations::default();
    let mut open = Vec::<OpenScope<'_>>::new();
    for (at, node) in derivation.nodes().iter().enumerate() {
        while open.last().is_some_and(|scope| scope.end <= at) {
            close(&mut open, &mut declared);
        }
        let effect = &naming.effects[node.symbol.0 as usize];
        if let Effect::Scope | Effect::After = effect {
            open.push(OpenScope {
                end: at + node.size as usize,
                outside: declared.names.len(),
                pending: matches!(effect, Effect::After).then(Vec::new),
            });
        }
        let Kind::Identifier { names, .. } = &grammar[node.symbol].kind else {
            continue;
        };
        // A larger choice is a name that breaks the rules of scopes.
        let is_regular = node.choice <= names.end - names.start;
        let text = &derivation.text()[derivation.text_range(at)];
        match *effect {
            Effect::Declare { namespace, .. } => {
                let scope = open.iter().rev().find(|scope| scope.pending.is_none());
                let outside = scope.map_or(0, |scope| scope.outside);
                let first = declared.find(namespace, text);
                let first = first.filter(|&(at, _)| !is_regular && at >= outside);
                let role = first.map_or(NameRole::Declaration, |(_, node)| {
                    NameRole::Redeclaration(node)
                });
                found(at, role, &declared, 0);
                let name = (namespace, text, at);
                match open.last_mut().and_then(|scope| scope.pending.as_mut()) {
                    Some(pending) => pending.push(name),
                    None => declared.add(name),
                }
            }
            Effect::Use { namespace, .. } => {
                let (role, of) = match declared.find(namespace, text) {
                    Some((of, node)) if is_regular => (NameRole::Use(node), of),
                    Some((of, node)) => (NameRole::WrongUse(node), of),
                    None => (NameRole::Undeclared, 0),
                };
                found(at, role, &declared, of);
            }
            _ => {}
        }
    }
}

fn close<'a>(open: &mut Vec<OpenScope<'a>>, declared: &mut Declarations<'a>) {
    let Some(scope) = open.pop() else {
        return;
    };
    match scope.pending {
        None => declared.truncate(scope.outside),
        Some(names) => match open.last_mut().and_then(|scope| scope.pending.as_mut()) {
            Some(pending) => pending.extend(names),
            None => names.into_iter().for_each(|name| declared.add(name)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_declarations_and_uses_by_their_scopes() {
        let source = br#"
            @domain type = int | bool ;
            @kind variable<type>: name ;
            @identifier name = [a-z]+ ;
            @start s = item* ;
            item = let<_> | "{" @scope( item* ) "}" | @use variable<int> ";" ;
            let<t: type> = @after( "let " @declare variable<t> ":" type<t> value ) ;
            type<int> = "i" ;
            type<bool> = "b" ;
            value = "=" @use variable<_> ";" | ";" ;
        "#;
        let (grammar, _) = crate::notation::read("g", source, &Default::default()).unwrap();
        let mut parser = crate::parse::Parser::new(&grammar);
        for (text, expected) in [
            ("let a:i;a;b;", "declaration use:a undeclared"),
            ("let a:i=a;", "declaration undeclared"),
            ("{let a:i;a;}a;", "declaration use:a undeclared"),
            ("let a:i;{let a:i;}a;", "declaration declaration use:a"),
            ("let a:b;a;", "declaration wrong:a"),
            ("let a:i;let a:i;", "declaration again:a"),
            (
                "let longer:i;longer;other;",
                "declaration use:longer undeclared",
            ),
        ] {
            let derivation = parser.parse(text.as_bytes()).unwrap();
            let name = |node| {
                String::from_utf8_lossy(&derivation.text()[derivation.text_range(node)]).to_string()
            };
            let roles = name_roles(&grammar, derivation);
            let roles = roles.into_iter().map(|(_, role)| match role {
                NameRole::Declaration => "declaration".into(),
                NameRole::Redeclaration(node) => format!("again:{}", name(node)),
                NameRole::Use(node) => format!("use:{}", name(node)),
                NameRole::WrongUse(node) => format!("wrong:{}", name(node)),
                NameRole::Undeclared => "undeclared".into(),
            });
            assert_eq!(roles.collect::<Vec<_>>().join(" "), expected, "{text}");
        }
    }
}
