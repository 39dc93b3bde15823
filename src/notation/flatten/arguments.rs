//! Lowers the arguments of rules, the uses and declarations of names, and scopes.
//!
//! A call of a rule with arguments becomes a nonterminal of its own, with an annotation. An
//! alternative with local variables becomes the call of a hidden rule, which has these variables as
//! further arguments. The call passes `_` (any value) for these arguments.

use super::{Flatten, Level, SyntaxError, TermContext, TokenKey, nearest, weight};
use crate::grammar::{Alternative, Annotation, Argument, Child, Kind, Pattern, SymbolId, Value};
use crate::notation::report::Report;
use crate::notation::syntax::{
    self, Expression, ExpressionKind, KindPattern, Named, Rule, RuleKind, Span, SyntaxAlternative,
    SyntaxArgument,
};

/// The maximum number of arguments that a rule or a kind takes. The local variables of an
/// alternative count, too.
const MAX_ARGUMENTS: usize = 8;

/// A variable of a definition. It stands for the value of an argument, or for a part of this value.
pub struct Variable {
    pub name: String,
    /// The values that the variable can have.
    pub values: Box<[Value]>,
    /// The index of the argument.
    argument: u32,
    /// The index of a part of the argument's value, then of a part of that part, and so on.
    path: Box<[u8]>,
}

/// A local variable of an alternative.
struct Local {
    name: Named,
    values: Box<[Value]>,
    /// The number of its occurrences.
    count: u32,
}

/// Returns a number with the noun *argument*, such as `2 arguments`.
pub fn counted_arguments(count: usize) -> String {
    match count {
        1 => "1 argument".into(),
        _ => format!("{count} arguments"),
    }
}

/// Returns the label of an error: a rule or a kind takes `taken` arguments, and there are `given`.
fn wrong_number(taken: usize, given: usize) -> String {
    let verb = if given == 1 { "is" } else { "are" };
    format!(
        "it takes {}, and there {verb} {given}",
        counted_arguments(taken)
    )
}

/// Returns the values that are in both lists, which are sorted.
fn intersection(one: &[Value], other: &[Value]) -> Box<[Value]> {
    one.iter()
        .copied()
        .filter(|value| other.binary_search(value).is_ok())
        .collect()
}

impl Flatten<'_> {
    /// Finds the values of each argument of a rule in all definitions of the rule, and the guards
    /// of its alternatives.
    pub fn rule_arguments(&mut self, at: usize, definitions: &[&Rule]) {
        let count = definitions[0].arguments.len();
        let mut all: Vec<Vec<Value>> = vec![Vec::new(); count];
        let mut guards = Vec::new();
        for rule in definitions {
            if count > 0 && rule.kind.level() != Level::Syntax {
                let message = format!("`{}` takes arguments", rule.name);
                self.error(&rule.span, message, "only syntax rules take arguments");
            }
            if count > MAX_ARGUMENTS {
                self.error(
                    &rule.span,
                    "too many arguments",
                    format!("a rule takes at most {MAX_ARGUMENTS}"),
                );
            }
            let values: Box<[Box<[Value]>]> = rule
                .arguments
                .iter()
                .map(|pattern| match pattern.is_any() {
                    true => Box::default(),
                    false => self.names.domains.allowed(pattern, None, self.report),
                })
                .collect();
            for (all, values) in all.iter_mut().zip(&values) {
                all.extend(values.iter().copied());
            }
            guards.extend(std::iter::repeat_n(values, rule.body.len()));
        }
        all.iter_mut().for_each(|values| {
            values.sort_unstable();
            values.dedup();
        });
        // `_` stands for all values of the other definitions.
        let mut guard = guards.iter_mut();
        for rule in definitions {
            for (pattern, values) in rule.arguments.iter().zip(&all) {
                if pattern.is_any() && values.is_empty() {
                    let message = format!("`_` in each definition of `{}`", rule.name);
                    let label = "it stands for the values of the other definitions; name the domain here, as in `x: domain`";
                    self.error(&pattern.domain.span, message, label);
                }
            }
            for guard in guard.by_ref().take(rule.body.len()) {
                let patterns = rule.arguments.iter().zip(&all);
                for (allowed, (pattern, values)) in guard.iter_mut().zip(patterns) {
                    if pattern.is_any() {
                        *allowed = values.as_slice().into();
                    }
                }
            }
        }
        let all: Vec<Box<[Value]>> = all.into_iter().map(Into::into).collect();
        if count > 0 {
            let symbol = self.builder.rules[at].symbol;
            self.builder.annotations.owners[symbol.0 as usize] = self.owner(all.clone());
            self.builder
                .annotations
                .guards
                .insert(symbol, guards.into());
        }
        self.arguments.push(all);
    }

    /// Adds a list of arguments, each with its values. Returns its index.
    fn owner(&mut self, arguments: Vec<Box<[Value]>>) -> u32 {
        let all = &mut self.builder.annotations.arguments;
        all.push(arguments);
        all.len() as u32 - 1
    }

    /// Sets `variables` to the variables of a definition.
    pub fn enter_definition(&mut self, rule: &Rule) {
        self.variables.clear();
        for (at, pattern) in rule.arguments.iter().enumerate() {
            if pattern.is_any() {
                continue;
            }
            let values = self
                .names
                .domains
                .allowed(pattern, None, &mut Report::default());
            let position = (at as u32, Vec::new());
            self.add_variables(pattern, values, position, &rule.span);
        }
    }

    /// Adds the variables in an argument pattern or in a part of one. `values` are the values that
    /// the argument or part can have. `position` is the index of the argument and the path of the
    /// part.
    fn add_variables(
        &mut self,
        pattern: &syntax::ArgumentPattern,
        values: Box<[Value]>,
        position: (u32, Vec<u8>),
        span: &Span,
    ) {
        let (index, path) = position;
        let domain = &pattern.domain.name;
        let variable = match &pattern.variable {
            Some(variable) if variable.name == "_" => None,
            Some(variable) => Some(variable.name.clone()),
            None if path.is_empty() || !pattern.parts.is_empty() || domain == "_" => None,
            None => match self.names.domains.value_or_domain(domain) {
                Some(_) => None,
                None => Some(domain.clone()),
            },
        };
        if let Some(name) = variable {
            if self.variables.iter().any(|variable| variable.name == name) {
                let message = format!("two arguments are called `{name}`");
                self.error(span, message, "give each a name of its own");
            }
            self.variables.push(Variable {
                name,
                values,
                argument: index,
                path: path.as_slice().into(),
            });
        }
        let Some(constructor) = self.names.domains.constructor(domain) else {
            return;
        };
        let domains = self.names.domains.parts(constructor).to_vec();
        for (at, (part, domain)) in pattern.parts.iter().zip(&domains).enumerate() {
            let report = &mut Report::default();
            let values = self.names.domains.allowed(part, Some(domain), report);
            let position = (index, [&path[..], &[at as u8]].concat());
            self.add_variables(part, values, position, span);
        }
    }

    /// Lowers the alternatives of a definition. `from` is the number of alternatives of the earlier
    /// definitions.
    pub fn rule_alternatives(
        &mut self,
        all: &[SyntaxAlternative],
        level: Level,
        from: usize,
    ) -> Vec<Alternative> {
        let mut found = Vec::with_capacity(all.len());
        for (source, alternative) in (from as u32..).zip(all) {
            if self.omits(&alternative.span()) {
                continue;
            }
            let mut locals = Vec::new();
            self.find_locals(alternative, &mut locals);
            let children = match locals.is_empty() {
                true => self.sequence(alternative, level),
                false => vec![Child {
                    symbol: self.with_locals(alternative, locals, level),
                    is_adjacent: false,
                }],
            };
            let new = self.builder.sequence(children, weight(alternative), source);
            found.push(self.builder.at(new, alternative.span()));
        }
        found
    }

    /// Lowers an alternative with local variables to the call of a hidden rule.
    fn with_locals(
        &mut self,
        alternative: &SyntaxAlternative,
        locals: Vec<Local>,
        level: Level,
    ) -> SymbolId {
        let span = locals[0].name.span.clone();
        let variables = self.variables.len();
        let outer = self.builder.owner;
        let mut taken = self.builder.annotations.arguments[outer as usize].clone();
        let own = taken.len();
        if own + locals.len() > MAX_ARGUMENTS {
            self.error(
                &span,
                "too many variables",
                format!("an alternative has at most {MAX_ARGUMENTS}, with the rule's arguments"),
            );
        }
        for local in locals {
            let Named { name, span } = local.name;
            if local.count == 1 {
                let message = format!("variable `{name}` occurs only once");
                // All short names are similar to each other.
                let is_long = name.len() > 2;
                let near = is_long.then(|| self.names.domains.suggestion(&name, self.report));
                let label = match near.flatten() {
                    Some(near) => format!("write `_` for any value, or {near}"),
                    None => "write `_` for any value".into(),
                };
                self.report
                    .warning(SyntaxError::new(span.clone(), message, label));
            }
            if local.values.is_empty() {
                let message = format!("variable `{name}` has no values");
                self.error(&span, message, "its occurrences have no value in common");
            }
            self.variables.push(Variable {
                name,
                values: local.values.clone(),
                argument: taken.len() as u32,
                path: Box::default(),
            });
            taken.push(local.values);
        }
        let argument = |(at, values): (usize, &[Value])| match at < own {
            true => Argument::Passed {
                index: at as u32,
                path: Box::default(),
            },
            false => Argument::Any(values.into()),
        };
        let arguments = taken
            .iter()
            .map(|values| &**values)
            .enumerate()
            .map(argument)
            .collect();
        self.builder.owner = self.owner(taken);
        let hidden = self.group(std::slice::from_ref(alternative), level, &span);
        self.builder.owner = outer;
        self.variables.truncate(variables);
        self.call_symbol(hidden, arguments, &span)
    }

    /// Returns a nonterminal that derives only another symbol, with arguments.
    fn call_symbol(
        &mut self,
        called: SymbolId,
        arguments: Box<[Argument]>,
        span: &Span,
    ) -> SymbolId {
        let sequence = self.builder.sequence(
            [Child {
                symbol: called,
                is_adjacent: false,
            }],
            1.0,
            0,
        );
        let kind = self.builder.nonterminal(vec![sequence], false);
        let label = self.builder.inner_label(&self.label);
        let symbol = self.builder.symbol(kind, label, span.clone());
        self.builder.annotate(symbol, Annotation::Call(arguments));
        symbol
    }

    /// The symbol of a rule with arguments.
    pub fn call(
        &mut self,
        name: &str,
        arguments: &[SyntaxArgument],
        context: TermContext<'_>,
    ) -> SymbolId {
        let span = context.span;
        let symbol = self.name(name, context);
        let Some(&at) = self.rules.get(name) else {
            return symbol;
        };
        let taken = self.arguments[at].clone();
        if taken.len() != arguments.len() {
            let message = format!("wrong number of arguments of `{name}`");
            self.error(span, message, wrong_number(taken.len(), arguments.len()));
            return symbol;
        }
        if taken.is_empty() {
            return symbol;
        }
        let arguments = arguments
            .iter()
            .zip(&taken)
            .map(|(argument, values)| self.argument(argument, values))
            .collect();
        self.call_symbol(symbol, arguments, span)
    }

    /// Resolves an argument of a call or of a use. `values` are the values that the called rule or
    /// the kind takes for it.
    fn argument(&mut self, argument: &SyntaxArgument, values: &[Value]) -> Argument {
        match argument {
            SyntaxArgument::Any => Argument::Any(values.into()),
            SyntaxArgument::Name(name) => self.named_argument(name, values, false),
            SyntaxArgument::Term(name, parts) => self.term(name, parts, values),
        }
    }

    /// Resolves an argument that is a name. A variable in a part may have values that the part
    /// cannot have. For these values, the symbol with the argument is forbidden.
    fn named_argument(&mut self, name: &Named, values: &[Value], is_part: bool) -> Argument {
        let Named { name, span } = name;
        if let Some(variable) = self
            .variables
            .iter()
            .find(|variable| variable.name == *name)
        {
            let argument = Argument::Passed {
                index: variable.argument,
                path: variable.path.clone(),
            };
            let all = variable.values.clone();
            if !is_part {
                self.check_values((name, span), "variable", &all, values);
            }
            return argument;
        }
        match self.names.domains.value_of(name) {
            Some(value) if values.binary_search(&value).is_ok() => Argument::Value(value),
            Some(value) => {
                self.error(
                    span,
                    format!("`{name}` is no value here"),
                    "the domain of this argument does not have it",
                );
                Argument::Value(value)
            }
            None => match self.names.domains.value_or_domain(name) {
                Some(domain) => {
                    self.check_values((name, span), "domain", &domain, values);
                    Argument::Any((*domain).into())
                }
                None => {
                    let label = match self.names.domains.constructor(name) {
                        Some(_) => "a value of this name has parts; write `_` for any part".into(),
                        None => self.names.domains.suggestion(name, self.report).unwrap_or(
                            "no domain has this value, and no argument has this name".into(),
                        ),
                    };
                    let message = format!("undefined value, domain or variable `{name}`");
                    self.error(span, message, label);
                    Argument::Any(values.into())
                }
            },
        }
    }

    /// Reports an error if a variable or a domain has values that the called rule or the kind does
    /// not take.
    fn check_values(
        &mut self,
        (name, span): (&str, &Span),
        what: &str,
        all: &[Value],
        values: &[Value],
    ) {
        let mut outside = all
            .iter()
            .filter(|value| values.binary_search(value).is_err());
        if let Some(&first) = outside.next() {
            let count = outside.count() + 1;
            let message = format!(
                "{what} `{name}` has values that are no values here: {count} of {}, such as `{}`",
                all.len(),
                self.names.domains.values[first as usize].name
            );
            let label = match what {
                "domain" => "use a smaller domain",
                _ => "declare the variable with a smaller domain, in a definition of its own",
            };
            self.error(span, message, label);
        }
    }

    /// Resolves an argument with parts. `values` are the values that the called rule or the kind
    /// takes for it.
    fn term(&mut self, name: &Named, parts: &[SyntaxArgument], values: &[Value]) -> Argument {
        let any = Argument::Any(values.into());
        let Some(constructor) = self.names.domains.constructor(&name.name) else {
            let error = self.names.domains.no_constructor(name);
            self.report.error(error);
            return any;
        };
        let domains = self.names.domains.parts(constructor).to_vec();
        if domains.len() != parts.len() {
            let error = self
                .names
                .domains
                .wrong_number(name, constructor, parts.len());
            self.report.error(error);
            return any;
        }
        let parts: Box<[Argument]> = parts
            .iter()
            .zip(&domains)
            .map(|(part, domain)| match part {
                SyntaxArgument::Name(name) => self.named_argument(name, domain, true),
                part => self.argument(part, domain),
            })
            .collect();
        // The values that the term can have for any values of its variables.
        let mut possible = self
            .names
            .domains
            .with_parts(constructor, |at, value| self.can_be(&parts[at], value));
        possible.retain(|value| values.binary_search(value).is_ok());
        let passes_values = parts.iter().any(|part| part.passed() != 0);
        match (possible.as_slice(), passes_values) {
            ([], _) => {
                let message = format!("no value `{}` with these parts is a value here", name.name);
                self.error(
                    &name.span,
                    message,
                    "the domain of this argument does not have it",
                );
                any
            }
            (&[value], false) => Argument::Value(value),
            (_, false) => Argument::Any(possible.into()),
            (_, true) => Argument::Term { constructor, parts },
        }
    }

    /// Returns whether an argument can have a value.
    fn can_be(&self, argument: &Argument, value: Value) -> bool {
        match argument {
            Argument::Value(other) => *other == value,
            Argument::Any(values) => values.contains(&value),
            Argument::Passed { index, path } => self
                .variables
                .iter()
                .filter(|variable| variable.argument == *index && variable.path == *path)
                .any(|variable| variable.values.contains(&value)),
            Argument::Term { constructor, parts } => {
                let term = &self.names.domains.values[value as usize];
                term.constructor == Some(*constructor)
                    && parts
                        .iter()
                        .zip(&term.parts)
                        .all(|(argument, &part)| self.can_be(argument, part))
            }
        }
    }

    /// Resolves a kind with arguments. Returns it with the name of its identifier terminal. Reports
    /// an error if there is no such kind, or if it takes another number of arguments.
    fn pattern(&mut self, pattern: &KindPattern) -> Option<(Pattern, Option<Named>)> {
        let KindPattern {
            name: Named { name, span },
            arguments,
        } = pattern;
        let Some(kind) = self.names.kind(name) else {
            let label = match nearest(name, self.names.kinds(), &mut self.comparisons) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("declare it by `@kind {name}: identifier ;`"),
            };
            self.error(span, format!("undefined kind `{name}`"), label);
            return None;
        };
        let domains = self.names.kinds[kind].domains.clone();
        if domains.len() != arguments.len() {
            let message = format!("wrong number of arguments of kind `{name}`");
            self.error(span, message, wrong_number(domains.len(), arguments.len()));
            return None;
        }
        let arguments = arguments
            .iter()
            .zip(&domains)
            .map(|(argument, values)| self.argument(argument, values))
            .collect();
        Some((
            Pattern {
                kind: kind as u32,
                arguments,
            },
            self.names.terminals[kind].cloned(),
        ))
    }

    /// The symbol of a use or of a declaration of a name. For a use, `used` has its kind and
    /// whether it has `@once`. `shown` has the kinds of a declaration, or the kinds after `@as` of
    /// a use.
    pub fn occurrence(
        &mut self,
        used: Option<(&KindPattern, bool)>,
        shown: &[KindPattern],
        context: TermContext<'_>,
    ) -> SymbolId {
        let TermContext {
            level,
            is_adjacent,
            span,
        } = context;
        if level == Level::Token {
            self.error(
                span,
                "a name inside a token",
                "names are used and declared in syntax rules",
            );
            return self.group(&[], level, span);
        }
        let mut terminal: Option<Option<Named>> = None;
        let mut resolved = Vec::new();
        for pattern in used.map(|(pattern, _)| pattern).into_iter().chain(shown) {
            let Some((found, of_kind)) = self.pattern(pattern) else {
                return self.group(&[], level, span);
            };
            let is_used = used.is_some() && resolved.is_empty();
            if !is_used && found.arguments.iter().any(Argument::is_choice) {
                self.error(
                    span,
                    "a declaration with any value",
                    "each argument is a value or a variable",
                );
            }
            let text =
                |terminal: &Option<Named>| terminal.as_ref().map(|terminal| terminal.name.clone());
            if terminal
                .as_ref()
                .is_some_and(|terminal| text(terminal) != text(&of_kind))
            {
                self.error(
                    span,
                    "kinds of different identifier terminals",
                    "one name has one identifier terminal",
                );
            }
            terminal = Some(of_kind);
            resolved.push(found);
        }
        if used.is_some() && !shown.is_empty() && terminal.as_ref().is_some_and(Option::is_none) {
            let label = "declare the kind after `@as` by `@declare`";
            self.error(span, "a kind without names after `@as`", label);
        }
        let once = used.is_some_and(|(_, once)| once);
        if once && terminal.as_ref().is_some_and(Option::is_none) {
            let label = "write `@hide` with the kind after it";
            self.error(span, "a kind without names before `@once`", label);
        }
        let annotation = match used {
            None => Annotation::Declare(resolved.into()),
            Some(_) => Annotation::Use {
                pattern: resolved.remove(0),
                once,
                roles: resolved.into(),
            },
        };
        let Some(terminal) = terminal.flatten() else {
            let symbol = self.group(&[], level, span);
            self.builder.annotate(symbol, annotation);
            return symbol;
        };
        let rule = self
            .rules
            .get(terminal.name.as_str())
            .map(|&at| self.builder.rules[at].clone());
        let Some(rule) = rule.filter(|rule| rule.kind == RuleKind::Identifier) else {
            let message = format!("`{}` is no identifier terminal", terminal.name);
            self.error(
                &terminal.span,
                message,
                "a kind has names of an `@identifier` rule",
            );
            return self.group(&[], level, span);
        };
        let kind = Kind::Identifier {
            names: 0..0,
            escape: rule.symbol,
        };
        let symbol = self.builder.symbol(kind, rule.name.as_str(), span.clone());
        self.builder.annotate(symbol, annotation);
        self.occurrences.push((symbol, rule.symbol));
        self.lexeme(symbol, TokenKey::Rule(rule.symbol), level, is_adjacent)
    }

    /// The symbol that hides a kind.
    pub fn hide(&mut self, pattern: &KindPattern, span: &Span) -> SymbolId {
        let symbol = self.group(&[], Level::Syntax, span);
        if let Some((pattern, _)) = self.pattern(pattern) {
            self.builder.annotate(symbol, Annotation::Hide(pattern));
        }
        symbol
    }

    /// The nonterminal of a group with an annotation.
    pub fn annotated_group(
        &mut self,
        alternatives: &[SyntaxAlternative],
        annotation: Annotation,
        level: Level,
        span: &Span,
    ) -> SymbolId {
        if level == Level::Token {
            self.error(
                span,
                "a scope inside a token",
                "names are used and declared in syntax rules",
            );
        }
        let symbol = self.group(alternatives, level, span);
        self.builder.annotate(symbol, annotation);
        symbol
    }

    /// Gives all uses and declarations of names the definition of their identifier rule. Warns of
    /// kinds that are used but never declared.
    pub fn define_occurrences(&mut self) {
        for (symbol, rule) in std::mem::take(&mut self.occurrences) {
            self.builder.symbols[symbol.0 as usize].kind = self.builder.kind(rule).clone();
            self.builder.operands.push(rule);
        }
        let all = &self.builder.annotations;
        let mut declared = vec![false; all.kinds.len()];
        for annotation in all.symbols.values() {
            if let Annotation::Declare(shown) | Annotation::Use { roles: shown, .. } = annotation {
                shown
                    .iter()
                    .for_each(|pattern| declared[pattern.kind as usize] = true);
            }
        }
        for (symbol, annotation) in &all.symbols {
            let Annotation::Use { pattern, .. } = annotation else {
                continue;
            };
            let declared = &mut declared[pattern.kind as usize];
            if !std::mem::replace(declared, true) {
                let message = format!(
                    "kind `{}` is never declared",
                    all.kinds[pattern.kind as usize].name
                );
                let span = self.builder.spans[symbol.0 as usize].clone();
                self.report.warning(SyntaxError::new(
                    span,
                    message,
                    "it is used here, so no declared name is ever visible",
                ));
            }
        }
    }

    /// Finds the variables of an alternative that are no arguments of its rule.
    fn find_locals(&mut self, alternative: &SyntaxAlternative, locals: &mut Vec<Local>) {
        for term in &alternative.terms {
            self.find_locals_of(&term.expression, locals);
        }
    }

    fn find_locals_of(&mut self, expression: &Expression, locals: &mut Vec<Local>) {
        match &expression.kind {
            ExpressionKind::Name(name, arguments) => {
                if let Some(domains) = self
                    .rules
                    .get(name.as_str())
                    .map(|&at| self.arguments[at].clone())
                {
                    self.add_locals(arguments, &domains, locals);
                }
            }
            ExpressionKind::Use { pattern, roles, .. } => {
                let all = std::iter::once(pattern).chain(roles);
                all.for_each(|pattern| self.add_locals_of_kind(pattern, locals));
            }
            ExpressionKind::Hide(pattern) => self.add_locals_of_kind(pattern, locals),
            ExpressionKind::Declare(patterns) => patterns
                .iter()
                .for_each(|pattern| self.add_locals_of_kind(pattern, locals)),
            ExpressionKind::Group(all)
            | ExpressionKind::Scope(all)
            | ExpressionKind::After(all)
            | ExpressionKind::Capture(_, all) => {
                all.iter()
                    .for_each(|alternative| self.find_locals(alternative, locals));
            }
            ExpressionKind::Repeat { element, .. } => self.find_locals_of(element, locals),
            ExpressionKind::Literal { .. }
            | ExpressionKind::Class(_)
            | ExpressionKind::Indent
            | ExpressionKind::Dedent
            | ExpressionKind::Same(_)
            | ExpressionKind::Mark(_)
            | ExpressionKind::Difference(..) => {}
        }
    }

    fn add_locals_of_kind(&mut self, pattern: &KindPattern, locals: &mut Vec<Local>) {
        if let Some(kind) = self.names.kind(&pattern.name.name) {
            let domains = self.names.kinds[kind].domains.clone();
            self.add_locals(&pattern.arguments, &domains, locals);
        }
    }

    fn add_locals(
        &mut self,
        arguments: &[SyntaxArgument],
        domains: &[Box<[Value]>],
        locals: &mut Vec<Local>,
    ) {
        for (argument, values) in arguments.iter().zip(domains) {
            let name = match argument {
                SyntaxArgument::Any => continue,
                SyntaxArgument::Name(name) => name,
                SyntaxArgument::Term(name, parts) => {
                    if let Some(constructor) = self.names.domains.constructor(&name.name) {
                        let domains = self.names.domains.parts(constructor).to_vec();
                        self.add_locals(parts, &domains, locals);
                    }
                    continue;
                }
            };
            if self.names.domains.value_or_domain(&name.name).is_some()
                || self.names.domains.constructor(&name.name).is_some()
                || self
                    .variables
                    .iter()
                    .any(|variable| variable.name == name.name)
            {
                continue;
            }
            match locals.iter_mut().find(|local| local.name.name == name.name) {
                Some(local) => {
                    local.count += 1;
                    local.values = intersection(&local.values, values);
                }
                None => locals.push(Local {
                    name: name.clone(),
                    values: values.clone(),
                    count: 1,
                }),
            }
        }
    }
}
