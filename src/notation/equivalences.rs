//! Resolves the equivalences of a source against the finished grammar, and checks that their rule
//! derives both sides.

mod forms;

use std::collections::{BTreeSet, HashMap, HashSet};

use self::forms::{Forms, KnownTokens, MAX_PARTS};
use super::builder::RuleInfo;
use super::lexer::SyntaxError;
use super::report::Report;
use super::similar::{COMPARISONS, nearest};
use super::syntax::{
    EqualPart, Equality, Named, RuleKind, RuleReference, Span, Statement, SyntaxArgument, Unordered,
};
use crate::grammar::{
    BuiltInEquivalence, Equivalence, EquivalentChange, EquivalentSides, Grammar, Kind, PartKind,
    RulePattern, SidePart, SymbolId,
};

/// The maximum number of instances of a rule that an error lists.
const MAX_LABELS: usize = 3;

/// The statements of a source about equivalences.
#[derive(Default)]
pub struct Equalities {
    all: Vec<Equality>,
    unequal: Vec<Named>,
    unordered: Vec<Unordered>,
}

impl Equalities {
    /// Takes the equivalences out of a syntax tree.
    pub fn take(tree: &mut Vec<Statement>) -> Equalities {
        let mut found = Equalities::default();
        for statement in std::mem::take(tree) {
            match statement {
                Statement::Equal(equality) => found.all.push(equality),
                Statement::Unequal(names) => found.unequal.extend(names),
                Statement::Unordered(parts) => found.unordered.push(parts),
                other => tree.push(other),
            }
        }
        found
    }

    /// Adds the equivalences to a grammar. Equivalences of rules that no sentence uses are omitted.
    /// Errors go to the report.
    pub fn resolve(&self, grammar: &mut Grammar, rules: &[RuleInfo], report: &mut Report) {
        for name in &self.unequal {
            let all = BuiltInEquivalence::ALL;
            match all.into_iter().find(|known| known.word() == name.name) {
                Some(known) => grammar.unequal.push(known),
                None => report.error(SyntaxError::new(
                    name.span.clone(),
                    format!("unknown equivalence `{}`", name.name),
                    format!(
                        "those that need no line are {}",
                        all.map(BuiltInEquivalence::word).join(" and ")
                    ),
                )),
            }
        }
        if self.all.is_empty() && self.unordered.is_empty() {
            return;
        }
        let mut resolver = Resolver::new(grammar, rules, report);
        let (mut found, mut names) = (Vec::new(), HashSet::new());
        for equality in &self.all {
            let Some(mut one) = resolver.resolve(equality) else {
                continue;
            };
            if names.contains(&one.name) {
                one.name = name(equality, true);
            }
            let is_same = match &one.change {
                EquivalentChange::Sides(sides) => sides.both[0] == sides.both[1],
                EquivalentChange::Exchange(_) => false,
            };
            let is_new = names.insert(one.name.clone());
            if is_same || !is_new {
                resolver.warn_of_nothing(&equality.span);
            }
            found.push(one);
        }
        for unordered in &self.unordered {
            let Some(one) = resolver.unordered(unordered) else {
                continue;
            };
            if !names.insert(one.name.clone()) {
                resolver.warn_of_nothing(&unordered.span);
            }
            found.push(one);
        }
        grammar.equivalences = found.into();
    }
}

struct Resolver<'a> {
    grammar: &'a Grammar,
    /// The symbol of each rule in the erased grammar, whose rules take no arguments. By name.
    symbols: HashMap<&'a str, SymbolId>,
    rules: &'a [RuleInfo],
    report: &'a mut Report,
    comparisons: usize,
    tokens: KnownTokens,
}

/// The holes of an equivalence that is being resolved.
#[derive(Default)]
struct Holes<'e> {
    /// By the name of a hole: its part, which contains the index of the hole.
    known: HashMap<&'e str, PartKind>,
}

impl<'a> Resolver<'a> {
    fn new(grammar: &'a Grammar, rules: &'a [RuleInfo], report: &'a mut Report) -> Resolver<'a> {
        let erased = grammar.erased();
        let mut symbols = HashMap::new();
        for at in (0..erased.symbols().len() as u32).map(SymbolId) {
            let is_rule = !matches!(erased[at].kind, Kind::Lexeme { .. });
            if is_rule {
                symbols.entry(erased.label(at)).or_insert(at);
            }
        }
        Resolver {
            grammar,
            symbols,
            rules,
            report,
            comparisons: COMPARISONS,
            tokens: KnownTokens::new(),
        }
    }

    fn warn_of_nothing(&mut self, span: &Span) {
        let label = "both sides are equal, or the same line comes before it";
        let message = "this equivalence changes nothing";
        self.report
            .warning(SyntaxError::new(span.clone(), message, label));
    }

    /// Returns the equivalence of an `@unordered` line. [`None`] if the line has an error, or a
    /// rule that no sentence uses.
    fn unordered(&mut self, unordered: &Unordered) -> Option<Equivalence> {
        let rule = self.pattern(&unordered.rule)?;
        let part = self.pattern(&unordered.element)?;
        let names = [&unordered.rule, &unordered.element]
            .map(|reference| label(&reference.name.name, &reference.arguments));
        if !self.grammar.has_part(rule.rule, part.rule) {
            let message = format!("no part of `{}` is of the rule `{}`", names[0], names[1]);
            self.report.error(SyntaxError::new(
                unordered.element.name.span.clone(),
                message,
                "write the rule of the parts whose order does not matter",
            ));
            return None;
        }
        Some(Equivalence {
            name: format!("order of `{}` in `{}`", names[1], names[0]).into(),
            rule,
            change: EquivalentChange::Exchange(part),
        })
    }

    /// Returns the equivalence of an `@equal` line. [`None`] if the line has an error, or a rule
    /// that no sentence uses.
    fn resolve(&mut self, equality: &Equality) -> Option<Equivalence> {
        let rule = self.pattern(&equality.rule)?;
        self.check_token(equality)?;
        let mut holes = Holes::default();
        let mut parts = [Vec::new(), Vec::new()];
        for (side, parts) in equality.sides.iter().zip(&mut parts) {
            for part in side {
                parts.push(self.part(part, &mut holes)?);
            }
        }
        if parts.iter().any(|side| side.len() > MAX_PARTS) {
            let label = format!("a side has at most {MAX_PARTS} parts");
            let message = "this equivalence is too long";
            self.report
                .error(SyntaxError::new(equality.span.clone(), message, label));
            return None;
        }
        let count = holes.known.len();
        let mut sides = [Vec::new(), Vec::new()];
        for (at, (kinds, side)) in parts.into_iter().zip(&mut sides).enumerate() {
            let mut forms = Forms::new(self.grammar.erased(), &kinds, &mut self.tokens);
            if !forms.derives(rule.rule, None) {
                let which = ["left", "right"][at];
                let side = &equality.sides[at];
                let (span, label) = match (side.get(forms.reached()), side.last()) {
                    (Some(part), _) => (part.span(), "no form of the rule has this part here"),
                    (None, Some(last)) => (last.span(), "no form of the rule ends after this part"),
                    (None, None) => (&equality.span, "no form of the rule is empty"),
                };
                let message = format!(
                    "the {which} side is no form of `{}`",
                    equality.rule.name.name
                );
                self.report
                    .error(SyntaxError::new(span.clone(), message, label));
                return None;
            }
            let separated: Vec<bool> = (0..kinds.len())
                .map(|at| at > 0 && forms.has_layout(rule.rule, at))
                .collect();
            let both = kinds.into_iter().zip(separated);
            side.extend(both.map(|(kind, is_separated)| SidePart { kind, is_separated }));
        }
        let sides = sides.map(Vec::into_boxed_slice);
        for (written, matched) in [(1, 0), (0, 1)] {
            if let Some(name) = unbound(&equality.sides[written], &sides, matched)
                && (written == 1 || !equality.is_directed)
            {
                let label =
                    "write `~>` if only the left side is replaced, or a fresh name `n:@fresh rule`";
                self.report.error(SyntaxError::new(
                    name.span.clone(),
                    format!("the other side has no hole `{}`", name.name),
                    label,
                ));
                return None;
            }
        }
        Some(Equivalence {
            name: name(equality, false),
            rule,
            change: EquivalentChange::Sides(EquivalentSides {
                // Both directions of `a + b ~ b + a` make the same change, so one is enough.
                is_directed: equality.is_directed
                    || numbered([&sides[0], &sides[1]]) == numbered([&sides[1], &sides[0]]),
                both: sides,
                holes: count,
            }),
        })
    }

    /// Checks that each side is one part if the rule is a token rule. [`None`] if not.
    fn check_token(&mut self, equality: &Equality) -> Option<()> {
        let name = &equality.rule.name;
        let mut rules = self.rules.iter();
        let is_token = rules.any(|rule| rule.name == name.name && rule.kind == RuleKind::Token);
        let has_parts = equality.sides.iter().any(|side| side.len() > 1);
        if !is_token || !has_parts {
            return Some(());
        }
        let message = format!("`{}` is a token rule, so a side has one part", name.name);
        let label =
            "write the whole text of a token on each side, or the rule around the token here";
        self.report
            .error(SyntaxError::new(name.span.clone(), message, label));
        None
    }

    fn part<'e>(&mut self, part: &'e EqualPart, holes: &mut Holes<'e>) -> Option<PartKind> {
        let (name, kind) = match part {
            EqualPart::Text(text, _) => return Some(PartKind::Text(text.clone().into())),
            EqualPart::Again(name) => {
                let known = holes.known.get(&*name.name).cloned();
                if known.is_none() {
                    let label = "write `name:rule` where it is first";
                    let message = format!("unknown hole `{}`", name.name);
                    self.report
                        .error(SyntaxError::new(name.span.clone(), message, label));
                }
                return known;
            }
            EqualPart::Hole {
                name,
                rule,
                is_list,
                without,
            } => {
                let rule = self.pattern(rule)?;
                let without = without.iter().filter_map(|name| self.rule(name)).collect();
                let hole = holes.index(&name.name);
                (
                    name,
                    PartKind::Hole {
                        hole,
                        rule,
                        is_list: *is_list,
                        without,
                    },
                )
            }
            EqualPart::Fresh { name, rule } => {
                let symbol = self.rule(rule)?;
                if !matches!(self.grammar.erased()[symbol].kind, Kind::Identifier { .. }) {
                    let message = format!("`{}` derives no names", rule.name);
                    let label = "a fresh name is of an `@identifier` rule";
                    self.report
                        .error(SyntaxError::new(rule.span.clone(), message, label));
                    return None;
                }
                (
                    name,
                    PartKind::Fresh {
                        hole: holes.index(&name.name),
                        rule: symbol,
                    },
                )
            }
        };
        let known = holes
            .known
            .entry(&name.name)
            .or_insert_with(|| kind.clone());
        if *known != kind {
            let label = "a hole has one rule; after the first time, write its name alone";
            let message = format!("another hole `{}`", name.name);
            self.report
                .error(SyntaxError::new(name.span.clone(), message, label));
            return None;
        }
        Some(kind)
    }

    /// Returns the pattern that matches the nodes of a rule with arguments.
    fn pattern(&mut self, reference: &RuleReference) -> Option<RulePattern> {
        let rule = self.rule(&reference.name)?;
        let is_any = reference
            .arguments
            .iter()
            .all(|one| matches!(one, SyntaxArgument::Any));
        let label = (!is_any).then(|| label(&reference.name.name, &reference.arguments));
        let symbols = (0..self.grammar.symbols().len() as u32).map(SymbolId);
        let instances = symbols.filter(|&symbol| self.grammar.origin(symbol) == rule);
        let labels: BTreeSet<&str> = instances.map(|one| self.grammar.label(one)).collect();
        if let Some(label) = (label.as_ref()).filter(|label| !labels.contains(label.as_str())) {
            let name = &reference.name.name;
            let message = format!("no sentence has a `{label}`");
            let hint = match labels.contains(name.as_str()) {
                true => {
                    format!("sentences have one kind of `{name}` only; write it without values")
                }
                false => {
                    let some: Vec<&str> = labels.into_iter().take(MAX_LABELS).collect();
                    format!("sentences have, for example, `{}`", some.join("`, `"))
                }
            };
            self.report
                .error(SyntaxError::new(reference.name.span.clone(), message, hint));
            return None;
        }
        Some(RulePattern {
            rule,
            label: label.map(Into::into),
        })
    }

    /// Returns the symbol of a rule in the erased grammar. [`None`] if no sentence uses it.
    fn rule(&mut self, name: &Named) -> Option<SymbolId> {
        let found = self.symbols.get(&*name.name).copied();
        if found.is_none() && self.rules.iter().all(|rule| rule.name != name.name) {
            let names: Vec<&str> = self.rules.iter().map(|rule| &*rule.name).collect();
            let near = nearest(&name.name, names.iter(), &mut self.comparisons);
            let label = near.map_or("no rule has this name".into(), |near| {
                format!("did you mean `{near}`?")
            });
            let message = format!("undefined rule `{}`", name.name);
            self.report
                .error(SyntaxError::new(name.span.clone(), message, label));
        }
        found
    }
}

impl<'e> Holes<'e> {
    fn index(&self, name: &str) -> usize {
        match self.known.get(name) {
            Some(PartKind::Hole { hole, .. } | PartKind::Fresh { hole, .. }) => *hole,
            _ => self.known.len(),
        }
    }
}

/// Returns the first hole of `written` that the matched side does not have. `written` is the side
/// that replaces the matched one.
fn unbound<'e>(
    written: &'e [EqualPart],
    sides: &[Box<[SidePart]>; 2],
    matched: usize,
) -> Option<&'e Named> {
    let bound: HashSet<usize> = sides[matched]
        .iter()
        .filter_map(|part| hole(&part.kind))
        .collect();
    let kinds = sides[1 - matched].iter().map(|part| &part.kind);
    written
        .iter()
        .zip(kinds)
        .find_map(|(part, kind)| match (part, kind) {
            (
                EqualPart::Again(name) | EqualPart::Hole { name, .. },
                PartKind::Hole { hole, .. },
            ) => (!bound.contains(hole)).then_some(name),
            _ => None,
        })
}

/// Returns the parts of both sides, with holes renumbered in the order of their first occurrence.
fn numbered(sides: [&[SidePart]; 2]) -> Vec<Vec<PartKind>> {
    let mut order = Vec::new();
    let mut number = |old: usize| {
        order.iter().position(|&one| one == old).unwrap_or_else(|| {
            order.push(old);
            order.len() - 1
        })
    };
    let mut part = |part: &SidePart| {
        let mut kind = part.kind.clone();
        if let PartKind::Hole { hole, .. } | PartKind::Fresh { hole, .. } = &mut kind {
            *hole = number(*hole);
        }
        kind
    };
    sides
        .map(|side| side.iter().map(&mut part).collect())
        .into()
}

/// Returns the index of the hole that a part has.
fn hole(kind: &PartKind) -> Option<usize> {
    match kind {
        PartKind::Hole { hole, .. } | PartKind::Fresh { hole, .. } => Some(*hole),
        PartKind::Text(_) => None,
    }
}

/// Returns the name of an equivalence: its rule, and the texts and holes of both sides. If
/// `has_rules`, each hole is shown with its rule.
fn name(equality: &Equality, has_rules: bool) -> Box<str> {
    let part = |part: &EqualPart| match part {
        EqualPart::Text(text, _) => String::from_utf8_lossy(text).into_owned(),
        EqualPart::Hole { name, rule, .. } if has_rules => {
            let rule = label(&rule.name.name, &rule.arguments);
            format!("‹{}:{rule}›", name.name)
        }
        EqualPart::Hole { name, .. } | EqualPart::Again(name) | EqualPart::Fresh { name, .. } => {
            format!("‹{}›", name.name)
        }
    };
    let [left, right] = equality
        .sides
        .each_ref()
        .map(|side| side.iter().map(part).collect::<Vec<_>>().join(" "));
    let sign = if equality.is_directed { "~>" } else { "~" };
    let rule = label(&equality.rule.name.name, &equality.rule.arguments);
    format!("{rule} {left} {sign} {right}").into()
}

/// Returns the label of a rule with arguments.
fn label(name: &str, arguments: &[SyntaxArgument]) -> String {
    let argument = |argument: &SyntaxArgument| match argument {
        SyntaxArgument::Any => "_".into(),
        SyntaxArgument::Name(name) => name.name.clone(),
        SyntaxArgument::Term(name, parts) => label(&name.name, parts),
    };
    if arguments.is_empty() {
        return name.into();
    }
    let all: Vec<String> = arguments.iter().map(argument).collect();
    format!("{name}<{}>", all.join(", "))
}
