//! Resolves domains: finite sets of values, which may have parts.

use std::collections::{HashMap, HashSet};

use super::lexer::SyntaxError;
use super::report::{MAX_FINDINGS, Report};
use super::similar::{COMPARISONS, nearest};
use super::syntax::{ArgumentPattern, Domain, DomainMember, Named};
use crate::grammar::{Value, ValueTerm};

/// The maximum number of values of all domains, and of their constructors.
const MAX_VALUES: usize = 10_000;

/// A constructor of values with parts, such as `list`.
#[derive(Debug)]
pub struct Constructor {
    name: String,
    /// The values of each part, sorted.
    pub parts: Vec<Box<[Value]>>,
}

/// The values and domains of a source.
#[derive(Debug, Default)]
pub struct Domains<'a> {
    /// All values.
    pub values: Vec<ValueTerm>,
    constructors: Vec<Constructor>,
    constructors_by_name: HashMap<String, u16>,
    /// The values without parts.
    by_name: HashMap<String, Value>,
    by_parts: HashMap<(u16, Box<[Value]>), Value>,
    domains: HashMap<&'a str, Box<[Value]>>,
}

/// A member of a domain that cannot be resolved.
struct Unresolved {
    name: Named,
    message: String,
    label: String,
}

impl Unresolved {
    fn new(name: &Named, message: impl Into<String>, label: impl Into<String>) -> Unresolved {
        Unresolved {
            name: name.clone(),
            message: message.into(),
            label: label.into(),
        }
    }

    fn too_many(name: &Named) -> Unresolved {
        let label = format!("all domains together have at most {MAX_VALUES}");
        Unresolved::new(name, "too many values", label)
    }
}

impl<'a> Domains<'a> {
    /// Resolves a domain. `all` are the names of all domains of the source. Errors go to the report.
    pub fn add(&mut self, domain: &'a Domain, all: &HashSet<&str>, report: &mut Report) {
        let mut error = |unresolved: Unresolved| {
            let Unresolved {
                name,
                message,
                label,
            } = unresolved;
            report.error(SyntaxError::new(name.span, message, label));
        };
        let mut values = Vec::new();
        for member in &domain.members {
            match self.member(member, &domain.name.name, all) {
                Ok(more) => values.extend(more),
                Err(unresolved) => error(unresolved),
            }
        }
        values.sort_unstable();
        values.dedup();
        if self
            .domains
            .insert(&domain.name.name, values.into())
            .is_some()
        {
            let message = format!("domain `{}` is defined twice", domain.name.name);
            error(Unresolved::new(&domain.name, message, "defined again here"));
        }
    }

    /// Returns the values of a member of the domain `of`.
    fn member(
        &mut self,
        member: &DomainMember,
        of: &str,
        all: &HashSet<&str>,
    ) -> Result<Vec<Value>, Unresolved> {
        let name = &member.name;
        if !member.parts.is_empty() {
            return self.terms(member, of, all);
        }
        if let Some(count) = member.count {
            if self.values.len() + count as usize > MAX_VALUES {
                return Err(Unresolved::too_many(name));
            }
            let numbered = (1..=count).map(|number| format!("{}{number}", name.name));
            return numbered.map(|text| self.atom(name, text)).collect();
        }
        match self.domains.get(name.name.as_str()) {
            Some(values) => Ok(values.to_vec()),
            None if name.name == of => Err(Unresolved::new(
                name,
                format!("domain `{of}` contains itself"),
                "a domain lists values and other domains; `name<domain>{3}` nests values up to 3 deep",
            )),
            None if all.contains(name.name.as_str()) => Err(Unresolved::new(
                name,
                format!("domain `{}` is defined later", name.name),
                "move its definition before this one",
            )),
            None => Ok(vec![self.atom(name, name.name.clone())?]),
        }
    }

    /// Returns the value without parts of this name. Adds it if it is new.
    fn atom(&mut self, at: &Named, name: String) -> Result<Value, Unresolved> {
        if let Some(&value) = self.by_name.get(&name) {
            return Ok(value);
        }
        if self.constructor(&name).is_some() {
            let message = format!("`{name}` is a value with parts elsewhere");
            return Err(Unresolved::new(
                at,
                message,
                "give one of the two another name",
            ));
        }
        if self.values.len() >= MAX_VALUES {
            return Err(Unresolved::too_many(at));
        }
        let value = self.values.len() as Value;
        self.values.push(ValueTerm {
            name: name.as_str().into(),
            constructor: None,
            parts: Box::default(),
        });
        self.by_name.insert(name, value);
        Ok(value)
    }

    /// Returns the values of a member with parts.
    fn terms(
        &mut self,
        member: &DomainMember,
        of: &str,
        all: &HashSet<&str>,
    ) -> Result<Vec<Value>, Unresolved> {
        let name = &member.name;
        if self.domains.contains_key(name.name.as_str())
            || all.contains(name.name.as_str())
            || self.by_name.contains_key(&name.name)
        {
            let message = format!("`{}` has no parts", name.name);
            let label = "a domain or a value without parts has this name";
            return Err(Unresolved::new(name, message, label));
        }
        let mut parts = Vec::new();
        for part in &member.parts {
            parts.push(self.member(part, of, all)?);
        }
        let constructor = match self.constructor(&name.name) {
            Some(at) if self.constructors[at as usize].parts.len() != parts.len() => {
                let message = format!(
                    "`{}` has {} parts elsewhere",
                    name.name,
                    self.constructors[at as usize].parts.len()
                );
                return Err(Unresolved::new(name, message, "here it has another number"));
            }
            Some(at) => at,
            None if self.constructors.len() >= MAX_VALUES => {
                return Err(Unresolved::too_many(name));
            }
            None => {
                let at = self.constructors.len() as u16;
                self.constructors.push(Constructor {
                    name: name.name.clone(),
                    parts: vec![Box::default(); parts.len()],
                });
                self.constructors_by_name.insert(name.name.clone(), at);
                at
            }
        };
        let depth = member.count.unwrap_or(1);
        if depth > 1 && parts.len() != 1 {
            let label = "only values with one part are nested by a number";
            return Err(Unresolved::new(
                name,
                format!("`{}` is nested and has several parts", name.name),
                label,
            ));
        }
        let mut found = Vec::new();
        for _ in 0..depth {
            let new = self.product(name, constructor, &parts)?;
            if new.is_empty() {
                break;
            }
            parts = vec![new.clone()];
            found.extend(new);
        }
        Ok(found)
    }

    /// Returns all values of a constructor with these possible values of its parts. Adds those that
    /// are new.
    fn product(
        &mut self,
        name: &Named,
        constructor: u16,
        parts: &[Vec<Value>],
    ) -> Result<Vec<Value>, Unresolved> {
        let count = parts
            .iter()
            .fold(1_usize, |count, part| count.saturating_mul(part.len()));
        if self.values.len().saturating_add(count) > MAX_VALUES {
            return Err(Unresolved::too_many(name));
        }
        // If a part has no values, there are no combinations to extend.
        let mut all: Vec<Vec<Value>> = vec![Vec::new(); count.min(1)];
        for (at, values) in parts.iter().enumerate() {
            let known = &mut self.constructors[constructor as usize].parts[at];
            let mut union = [&known[..], &values[..]].concat();
            union.sort_unstable();
            union.dedup();
            *known = union.into();
            all = all
                .iter()
                .flat_map(|before| {
                    values
                        .iter()
                        .map(move |&value| [&before[..], &[value]].concat())
                })
                .collect();
        }
        Ok(all
            .into_iter()
            .map(|parts| self.term(constructor, parts.into()))
            .collect())
    }

    /// Returns the value with these parts. Adds it if it is new.
    fn term(&mut self, constructor: u16, parts: Box<[Value]>) -> Value {
        if let Some(&value) = self.by_parts.get(&(constructor, parts.clone())) {
            return value;
        }
        let value = self.values.len() as Value;
        let names: Vec<&str> = parts
            .iter()
            .map(|&part| &*self.values[part as usize].name)
            .collect();
        let constructor_name = &self.constructors[constructor as usize].name;
        self.values.push(ValueTerm {
            name: format!("{constructor_name}<{}>", names.join(", ")).into(),
            constructor: Some(constructor),
            parts: parts.clone(),
        });
        self.by_parts.insert((constructor, parts), value);
        value
    }

    /// Returns the index of the constructor of this name.
    pub fn constructor(&self, name: &str) -> Option<u16> {
        self.constructors_by_name.get(name).copied()
    }

    /// Returns the values of each part of a constructor.
    pub fn parts(&self, constructor: u16) -> &[Box<[Value]>] {
        &self.constructors[constructor as usize].parts
    }

    /// Returns a question that suggests the value or domain whose name is most similar to an
    /// undefined name.
    pub fn suggestion(&self, name: &str, report: &Report) -> Option<String> {
        let values: Vec<&str> = self.by_name.keys().map(String::as_str).collect();
        near(name, values.iter().chain(self.domains.keys()), report)
    }

    /// Returns the values of a domain. Reports an error if there is no such domain.
    pub fn domain(&self, name: &Named, report: &mut Report) -> Option<Box<[Value]>> {
        let found = self.domains.get(name.name.as_str()).cloned();
        if found.is_none() {
            let message = format!("undefined domain `{}`", name.name);
            let near = near(&name.name, self.domains.keys(), report);
            let label = near.unwrap_or("define it by `@domain name = value | value ;`".into());
            report.error(SyntaxError::new(name.span.clone(), message, label));
        }
        found
    }

    /// Returns the value of this name, or all values of the domain of this name.
    pub fn value_or_domain(&self, name: &str) -> Option<Box<[Value]>> {
        let value = self.by_name.get(name).map(|&value| Box::from([value]));
        value.or_else(|| self.domains.get(name).cloned())
    }

    /// Returns the value without parts of this name.
    pub fn value_of(&self, name: &str) -> Option<Value> {
        self.by_name.get(name).copied()
    }

    /// Returns the values that an argument pattern allows. For a part of a pattern, `among` has the
    /// possible values of the part. There an unknown name is a variable, which allows all of them.
    /// Elsewhere an unknown name is an error, which goes to the report.
    pub fn allowed(
        &self,
        pattern: &ArgumentPattern,
        among: Option<&[Value]>,
        report: &mut Report,
    ) -> Box<[Value]> {
        let name = &pattern.domain;
        let is_among = |value: &Value| among.is_none_or(|all| all.binary_search(value).is_ok());
        if !pattern.parts.is_empty() {
            return self
                .allowed_terms(pattern, report)
                .into_iter()
                .filter(is_among)
                .collect();
        }
        let values = match (&pattern.variable, among) {
            (None, Some(all)) if name.name == "_" => return all.into(),
            (None, Some(all)) => match self.value_or_domain(&name.name) {
                Some(values) => values,
                // A variable for the part.
                None => return all.into(),
            },
            (None, None) => self.value_or_domain(&name.name).unwrap_or_else(|| {
                let message = format!("undefined value `{}`", name.name);
                let label = match self.constructor(&name.name) {
                    Some(_) => "it has parts, as in `list<int>`".into(),
                    None => self.suggestion(&name.name, report).unwrap_or(
                        "no domain has this value; a variable is written `variable: domain`".into(),
                    ),
                };
                report.error(SyntaxError::new(name.span.clone(), message, label));
                Box::default()
            }),
            (Some(_), _) => self.domain(name, report).unwrap_or_default(),
        };
        values.iter().copied().filter(is_among).collect()
    }

    /// Returns the values with parts that an argument pattern allows.
    fn allowed_terms(&self, pattern: &ArgumentPattern, report: &mut Report) -> Vec<Value> {
        let name = &pattern.domain;
        let Some(constructor) = self.constructor(&name.name) else {
            report.error(self.no_constructor(name));
            return Vec::new();
        };
        let domains = self.parts(constructor);
        if domains.len() != pattern.parts.len() {
            report.error(self.wrong_number(name, constructor, pattern.parts.len()));
            return Vec::new();
        }
        let allowed: Vec<Box<[Value]>> = pattern
            .parts
            .iter()
            .zip(domains)
            .map(|(part, domain)| self.allowed(part, Some(domain), report))
            .collect();
        self.with_parts(constructor, |at, part| {
            allowed[at].binary_search(&part).is_ok()
        })
    }

    /// Returns, sorted, the values of a constructor whose parts are all accepted. `accepts` is
    /// called with the index of a part and its value.
    pub fn with_parts(
        &self,
        constructor: u16,
        accepts: impl Fn(usize, Value) -> bool,
    ) -> Vec<Value> {
        let fits = |term: &ValueTerm| {
            term.constructor == Some(constructor)
                && term
                    .parts
                    .iter()
                    .enumerate()
                    .all(|(at, &part)| accepts(at, part))
        };
        (0..)
            .zip(&self.values)
            .filter(|(_, term)| fits(term))
            .map(|(value, _)| value)
            .collect()
    }

    /// Returns the error for a name that no value with parts has.
    pub fn no_constructor(&self, name: &Named) -> SyntaxError {
        let message = format!("no value `{}` has parts", name.name);
        let label = format!(
            "a domain defines it, as in `@domain type = int | {}<int> ;`",
            name.name
        );
        SyntaxError::new(name.span.clone(), message, label)
    }

    /// Returns the error for a wrong number of parts of a constructor.
    pub fn wrong_number(&self, name: &Named, constructor: u16, given: usize) -> SyntaxError {
        let label = match self.parts(constructor).len() {
            1 => format!("it has 1 part, and {given} are given"),
            count => format!("it has {count} parts, and {given} are given"),
        };
        SyntaxError::new(
            name.span.clone(),
            format!("wrong number of parts of `{}`", name.name),
            label,
        )
    }
}
/// Returns a question that suggests the most similar name. Returns [`None`] if the report is full,
/// because comparisons take time.
fn near<'a>(
    name: &str,
    names: impl Iterator<Item = &'a &'a str>,
    report: &Report,
) -> Option<String> {
    let mut comparisons = match report.is_full() {
        true => 0,
        false => COMPARISONS / MAX_FINDINGS,
    };
    let near = nearest(name, names, &mut comparisons)?;
    Some(format!("did you mean `{near}`?"))
}
