//! Resolves the domains and the kinds of names of a source. The pass `flatten` does this first.

use std::collections::{HashMap, HashSet};

use super::domains::Domains;
use super::lexer::SyntaxError;
use super::report::Report;
use super::syntax::{File, KindDeclaration, Named, Statement};
use crate::grammar::NameKind;

/// The domains and kinds of a source.
#[derive(Debug, Default)]
pub struct Names<'a> {
    pub domains: Domains<'a>,
    pub kinds: Vec<NameKind>,
    /// The name of the identifier terminal of each kind, if the kind has one.
    pub terminals: Vec<Option<&'a Named>>,
    kind_of: HashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    /// Resolves all domains and kinds of a source. Adds errors to the report.
    pub fn new(file: &'a File, report: &mut Report) -> Names<'a> {
        let mut names = Names::default();
        let domains = || {
            file.iter().filter_map(|statement| {
                if let Statement::Domain(domain) = statement {
                    Some(domain)
                } else {
                    None
                }
            })
        };
        let all: HashSet<&str> = domains().map(|domain| domain.name.name.as_str()).collect();
        domains().for_each(|domain| names.domains.add(domain, &all, report));
        for kind in file.iter().flat_map(|statement| {
            if let Statement::Kinds(kinds) = statement {
                &kinds[..]
            } else {
                &[]
            }
        }) {
            names.add_kind(kind, report);
        }
        names
    }

    fn add_kind(&mut self, kind: &'a KindDeclaration, report: &mut Report) {
        let mut domains = Vec::new();
        for domain in &kind.domains {
            domains.push(self.domains.domain(domain, report).unwrap_or_default());
        }
        if self
            .kind_of
            .insert(&kind.name.name, self.kinds.len())
            .is_some()
        {
            let message = format!("kind `{}` is defined twice", kind.name.name);
            report.error(SyntaxError::new(
                kind.name.span.clone(),
                message,
                "defined again here",
            ));
        }
        self.kinds.push(NameKind {
            name: kind.name.name.as_str().into(),
            domains: domains.into(),
        });
        self.terminals.push(kind.terminal.as_ref());
    }

    /// Returns the names of all kinds.
    pub fn kinds(&self) -> impl Iterator<Item = &&'a str> {
        self.kind_of.keys()
    }

    /// Returns the index of the kind with this name in the field `kinds`.
    pub fn kind(&self, name: &str) -> Option<usize> {
        self.kind_of.get(name).copied()
    }
}
