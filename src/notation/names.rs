//! Resolves domains and kinds of names, before the first pass.

use std::collections::{HashMap, HashSet};

use super::lexer::SyntaxError;
use super::report::Report;
use super::syntax::{Domain, File, KindDeclaration, Named, Statement};
use crate::grammar::{NameKind, Value};

/// The maximum number of values of all domains.
const MAX_VALUES: usize = 1_000;

/// The maximum number of combinations of values of all kinds. While a sentence is decoded, each has
/// a word with its visible names.
const MAX_COMBINATIONS: usize = 4_096;

/// The domains and kinds of a source.
#[derive(Debug, Default)]
pub struct Names<'a> {
    /// The names of all values.
    pub values: Vec<Box<str>>,
    by_name: HashMap<String, Value>,
    domains: HashMap<&'a str, Box<[Value]>>,
    pub kinds: Vec<NameKind>,
    /// The name of the identifier terminal of each kind.
    pub terminals: Vec<Option<&'a Named>>,
    kind_of: HashMap<&'a str, usize>,
    /// The number of combinations of values of all kinds.
    combinations: usize,
}

impl<'a> Names<'a> {
    /// Resolves all domains and kinds of a source. Errors go to the report.
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
        domains().for_each(|domain| names.add_domain(domain, &all, report));
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

    /// `domains` are the names of all domains.
    fn add_domain(&mut self, domain: &'a Domain, domains: &HashSet<&str>, report: &mut Report) {
        let mut all = Vec::new();
        for member in &domain.members {
            let name = &member.name.name;
            let is_known = member.count.is_some() || self.domains.contains_key(name.as_str());
            if !is_known && domains.contains(name.as_str()) {
                let (message, label) = match *name == domain.name.name {
                    true => (
                        format!("domain `{name}` contains itself"),
                        "a domain lists values and other domains",
                    ),
                    false => (
                        format!("domain `{name}` is defined later"),
                        "move its definition before this one",
                    ),
                };
                report.error(SyntaxError::new(member.name.span.clone(), message, label));
                continue;
            }
            match member.count {
                None => match self.domains.get(name.as_str()) {
                    Some(values) => all.extend(values.iter().copied()),
                    None => all.push(self.value(name.clone())),
                },
                Some(count) if self.values.len() + count as usize > MAX_VALUES => {
                    let message = format!("too many values: {count}");
                    let label = format!("all domains together have at most {MAX_VALUES}");
                    report.error(SyntaxError::new(member.name.span.clone(), message, label));
                }
                Some(count) => {
                    all.extend((1..=count).map(|number| self.value(format!("{name}{number}"))))
                }
            }
        }
        if self.values.len() > MAX_VALUES {
            let label = format!("all domains together have at most {MAX_VALUES}");
            report.error(SyntaxError::new(
                domain.name.span.clone(),
                "too many values",
                label,
            ));
        }
        all.sort_unstable();
        all.dedup();
        if self.domains.insert(&domain.name.name, all.into()).is_some() {
            let message = format!("domain `{}` is defined twice", domain.name.name);
            report.error(SyntaxError::new(
                domain.name.span.clone(),
                message,
                "defined again here",
            ));
        }
    }

    /// Returns the value of a name, which may be new.
    fn value(&mut self, name: String) -> Value {
        let next = self.values.len() as Value;
        let values = &mut self.values;
        *self.by_name.entry(name).or_insert_with_key(|name| {
            values.push(name.as_str().into());
            next
        })
    }

    fn add_kind(&mut self, kind: &'a KindDeclaration, report: &mut Report) {
        let mut domains = Vec::new();
        for domain in &kind.domains {
            domains.push(self.domain(domain, report).unwrap_or_default());
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
        let product = domains.iter().fold(1_usize, |product, values| {
            product.saturating_mul(values.len())
        });
        self.combinations = self.combinations.saturating_add(product);
        if self.combinations > MAX_COMBINATIONS {
            let message = format!("too many values of kind `{}`", kind.name.name);
            let label = format!(
                "all kinds together have at most {MAX_COMBINATIONS} combinations of values"
            );
            report.error(SyntaxError::new(kind.name.span.clone(), message, label));
        }
        self.kinds.push(NameKind {
            name: kind.name.name.as_str().into(),
            domains: domains.into(),
        });
        self.terminals.push(kind.terminal.as_ref());
    }

    /// Returns the values of a domain. Reports an error if there is no such domain.
    pub fn domain(&self, name: &Named, report: &mut Report) -> Option<Box<[Value]>> {
        let found = self.domains.get(name.name.as_str()).cloned();
        if found.is_none() {
            let message = format!("undefined domain `{}`", name.name);
            report.error(SyntaxError::new(
                name.span.clone(),
                message,
                "define it by `@domain name = value | value ;`",
            ));
        }
        found
    }

    /// Returns the value of this name, or all values of the domain of this name.
    pub fn value_or_domain(&self, name: &str) -> Option<Box<[Value]>> {
        let value = self.by_name.get(name).map(|&value| Box::from([value]));
        value.or_else(|| self.domains.get(name).cloned())
    }

    /// Returns the value of this name.
    pub fn value_of(&self, name: &str) -> Option<Value> {
        self.by_name.get(name).copied()
    }

    /// Returns the names of all kinds.
    pub fn kinds(&self) -> impl Iterator<Item = &&'a str> {
        self.kind_of.keys()
    }

    /// Returns the index of the kind of this name.
    pub fn kind(&self, name: &str) -> Option<usize> {
        self.kind_of.get(name).copied()
    }
}
