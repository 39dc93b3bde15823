//! Converts the expressions of pest.
//!
//! | pest | here |
//! |---|---|
//! | `a ~ b`, `a*` in a normal rule | layout is allowed between the parts |
//! | `a ~ b` in `@{ }` and `${ }`, and in the rules that these use | a token; with `~` if a `!{ }` rule is inside |
//! | `!x ~ ANY` | the class of the other characters |
//! | `(!"end" ~ ANY)*` | texts without `end` |
//! | `!keyword ~ name` | the exclusion `name - keyword` |
//! | `&x ~ name` in tokens, or before a token, for characters and literals `x` | the texts that begin with `x` |
//! | `!x` and `&x` elsewhere | left out, with a warning unless it is the end of a word |
//! | `"a"? ~ b` and `"a-" \| "a"` in tokens | `greedy` excludes what the parser reads in another way |
//! | `"no" \| name` | texts that begin with `no` are excluded from the name |
//! | `WHITESPACE` in a normal rule, after another part | an alternative that is never taken: the implicit one takes all |
//! | `PUSH(a)` with its `PEEK` or `POP` in the same sequence | `@capture` and `@same` |
//! | `PUSH(a)`, `PEEK`, `POP` elsewhere | `a`, and texts of `a` that need not be equal, with a warning |

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet, VecDeque};

use pest_meta::ast::{Expr, Rule as PestRule, RuleType};

use super::LocatedRule;
use super::builtin::builtin;
use super::prefixes;
use super::stack;
use crate::import::class::CharacterClass;
use crate::import::expression::{
    Expression, Finding, ForeignGrammar, ForeignKind, ForeignRule, SourceLocation,
};
use crate::import::names;
use crate::import::regular::Automaton;
use crate::import::start;

/// The maximum depth to which names of rules are followed to find literals.
const DEPTH: usize = 8;

/// Whether layout is allowed between the parts of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Mode {
    Layout,
    Atomic,
}

/// A rule in one of the modes.
type RuleInMode = (String, Mode);

/// Returns a grammar with the rules that the start rule reaches. The start rule is `start`, or else one that [`starts`]
/// finds.
pub fn lower(rules: &[LocatedRule], start: Option<&str>) -> ForeignGrammar {
    let by_name: HashMap<&str, &PestRule> = rules
        .iter()
        .map(|located| (&*located.rule.name, &located.rule))
        .collect();
    let mut warning = None;
    let start = match start.filter(|name| by_name.contains_key(name)) {
        Some(start) => start.into(),
        None => {
            let starts = starts(rules, &by_name);
            let names: Vec<String> = starts.iter().map(|one| one.rule.name.clone()).collect();
            let first = starts.first().map(|one| one.location.clone());
            warning = start::other_starts(first.unwrap_or_default(), &names);
            names.first().cloned().unwrap_or_default()
        }
    };
    let lowering = Lowering {
        free: non_atomic(&by_name),
        pushed: pushed(rules),
        by_name,
        rules,
    };
    let mut grammar = lowering.grammar(start);
    grammar.warnings.extend(warning);
    grammar
}

/// Returns the rules that may be the start rule, the most probable one first: those that mention the start or
/// the end of the input and that no other rule uses. Those that reach more rules come first. If there is no such
/// rule, it is the first rule that mentions the start or the end, or the first one that no other rule uses, or
/// the first one.
fn starts<'a>(
    rules: &'a [LocatedRule],
    by_name: &HashMap<&str, &PestRule>,
) -> Vec<&'a LocatedRule> {
    let used: HashSet<String> = rules
        .iter()
        .flat_map(|located| {
            let mut names = names_in(&located.rule.expr);
            names.retain(|name| *name != located.rule.name);
            names
        })
        .collect();
    let has_ends = |located: &&LocatedRule| {
        let names = names_in(&located.rule.expr);
        names.iter().any(|name| matches!(&**name, "SOI" | "EOI"))
    };
    let is_unused = |located: &&LocatedRule| {
        let name = &*located.rule.name;
        !used.contains(name) && !matches!(name, "WHITESPACE" | "COMMENT")
    };
    let mut starts: Vec<&LocatedRule> = rules.iter().filter(has_ends).filter(is_unused).collect();
    starts.sort_by_cached_key(|located| Reverse(reached(&located.rule.name, by_name)));
    if starts.is_empty() {
        let mut all = rules.iter();
        let one = (all.clone().find(has_ends))
            .or_else(|| all.clone().find(is_unused))
            .or_else(|| all.next());
        starts.extend(one);
    }
    starts
}

/// Returns the number of rules that a rule reaches.
fn reached(name: &str, by_name: &HashMap<&str, &PestRule>) -> usize {
    let mut reached = HashSet::from([name.to_string()]);
    let mut open = vec![name.to_string()];
    while let Some(name) = open.pop() {
        let Some(rule) = by_name.get(&*name) else {
            continue;
        };
        for used in names_in(&rule.expr) {
            if by_name.contains_key(&*used) && reached.insert(used.clone()) {
                open.push(used);
            }
        }
    }
    reached.len()
}

/// The names of rules in an expression.
fn names_in(expr: &Expr) -> Vec<String> {
    let names = expr.iter_top_down().filter_map(|part| match part {
        Expr::Ident(name) => Some(name),
        _ => None,
    });
    names.collect()
}

/// The rules from which a rule `!{ }` is reached.
fn non_atomic(by_name: &HashMap<&str, &PestRule>) -> HashSet<String> {
    let mut users: HashMap<String, Vec<&str>> = HashMap::new();
    for rule in by_name.values() {
        for name in names_in(&rule.expr) {
            users.entry(name).or_default().push(&rule.name);
        }
    }
    let is_free = |rule: &&&PestRule| rule.ty == RuleType::NonAtomic;
    let mut open: Vec<&str> = (by_name.values().filter(is_free))
        .map(|rule| &*rule.name)
        .collect();
    let mut free: HashSet<String> = open.iter().map(|name| name.to_string()).collect();
    while let Some(name) = open.pop() {
        for user in users.get(name).into_iter().flatten() {
            if free.insert(user.to_string()) {
                open.push(user);
            }
        }
    }
    free
}

/// The first expression that is pushed on the stack.
fn pushed(rules: &[LocatedRule]) -> Option<Expr> {
    rules.iter().find_map(|located| {
        located
            .rule
            .expr
            .iter_top_down()
            .find_map(|part| match part {
                Expr::Push(inner) => Some(*inner),
                _ => None,
            })
    })
}

struct Lowering<'a> {
    rules: &'a [LocatedRule],
    by_name: HashMap<&'a str, &'a PestRule>,
    /// The rules from which a rule `!{ }` is reached.
    free: HashSet<String>,
    pushed: Option<Expr>,
}

/// The rule that is lowered, and its warnings.
struct Context {
    mode: Mode,
    /// Whether the rule is a token.
    is_token: bool,
    location: SourceLocation,
    used: Vec<RuleInMode>,
    warnings: Vec<Finding>,
}

impl Context {
    /// Returns the context of a part of a token.
    fn of_token(location: SourceLocation) -> Context {
        Context {
            mode: Mode::Atomic,
            is_token: true,
            location,
            used: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Adds a warning, once for each message.
    fn warn(&mut self, message: &str, label: &str) {
        Finding::new(self.location.clone(), message, label).add_once(&mut self.warnings);
    }

    fn warn_of_predicate(&mut self, sign: &str) {
        self.warn(
            &format!("a predicate `{sign}` was left out"),
            "texts that it refuses are written, too",
        );
    }
}

impl Lowering<'_> {
    fn grammar(&self, start: String) -> ForeignGrammar {
        let mut lowered: HashMap<RuleInMode, ForeignRule> = HashMap::new();
        let mut open: VecDeque<RuleInMode> = VecDeque::from([self.in_mode(&start, Mode::Layout)]);
        for layout in ["WHITESPACE", "COMMENT"] {
            open.extend(
                self.by_name
                    .contains_key(layout)
                    .then(|| (layout.into(), Mode::Atomic)),
            );
        }
        // If two rules have one name, the first one counts.
        let rules = self.rules.iter().rev();
        let index: HashMap<&str, &LocatedRule> = rules
            .map(|located| (&*located.rule.name, located))
            .collect();
        while let Some(key) = open.pop_front() {
            if lowered.contains_key(&key) {
                continue;
            }
            let Some(located) = index.get(&*key.0) else {
                continue;
            };
            let (rule, used) = self.rule(located, key.1);
            open.extend(used);
            lowered.insert(key, rule);
        }
        let mut grammar = ForeignGrammar {
            start: Some(start),
            ..Default::default()
        };
        let mut copies = Vec::new();
        for located in self.rules {
            let name = &located.rule.name;
            let with_layout = lowered.remove(&(name.clone(), Mode::Layout));
            let atomic = lowered.remove(&(name.clone(), Mode::Atomic));
            match (with_layout, atomic) {
                // Both modes are equal if the rule allows layout nowhere.
                (Some(one), Some(other))
                    if one.body == other.body
                        && other.kind != ForeignKind::Syntax
                        && !has_gaps(&one.body) =>
                {
                    grammar.rules.push(other);
                }
                (Some(one), Some(mut other)) => {
                    other.name = copy_of(name);
                    other.comments.clear();
                    grammar.rules.push(one);
                    copies.push(other);
                }
                (Some(only), None) | (None, Some(only)) => grammar.rules.push(only),
                (None, None) => {}
            }
        }
        let copied: HashSet<String> = copies.iter().map(|rule| rule.name.clone()).collect();
        grammar.rules.append(&mut copies);
        // If a copy was not made, its name is replaced by that of the rule.
        for rule in &mut grammar.rules {
            rule.body.visit_mut(&mut |part| {
                if let Expression::Name(name) = part
                    && let Some(own) = name.strip_suffix(COPY).filter(|_| !copied.contains(name))
                {
                    *name = own.into();
                }
            });
        }
        self.exclude_literals(&mut grammar);
        grammar
    }

    /// The mode in which a rule is read if it is used in another mode.
    fn in_mode(&self, name: &str, mode: Mode) -> RuleInMode {
        let mode = match self.by_name.get(name).map(|rule| rule.ty) {
            Some(RuleType::Atomic | RuleType::CompoundAtomic) => Mode::Atomic,
            Some(RuleType::NonAtomic) => Mode::Layout,
            _ => mode,
        };
        (name.into(), mode)
    }

    fn rule(&self, located: &LocatedRule, mode: Mode) -> (ForeignRule, Vec<RuleInMode>) {
        let name = &located.rule.name;
        let is_token = mode == Mode::Atomic && !self.free.contains(name);
        let mut context = Context {
            mode,
            is_token,
            location: located.location.clone(),
            used: Vec::new(),
            warnings: Vec::new(),
        };
        let body = self.expression(&located.rule.expr, &mut context);
        let kind = match (&**name, is_token) {
            ("WHITESPACE" | "COMMENT", _) => ForeignKind::Layout(0),
            (_, true) => ForeignKind::Token(0),
            (_, false) => ForeignKind::Syntax,
        };
        let rule = ForeignRule {
            name: name.clone(),
            kind,
            comments: located.comments.clone(),
            location: located.location.clone(),
            body,
            warnings: context.warnings,
        };
        (rule, context.used)
    }

    fn expression(&self, expr: &Expr, context: &mut Context) -> Expression {
        match expr {
            Expr::Str(text) => Expression::literal(text.clone()),
            Expr::Insens(text) => Expression::Literal {
                text: text.clone(),
                insensitive: true,
            },
            Expr::Range(from, to) => {
                let code = |text: &str| text.chars().next().map_or(0, u32::from);
                Expression::Class(CharacterClass::new([(code(from), code(to))]))
            }
            Expr::Ident(name) => self.name(name, context),
            Expr::PeekSlice(..) => self.equal_text(context),
            Expr::PosPred(_) => {
                context.warn_of_predicate("&");
                Expression::empty()
            }
            Expr::NegPred(inner) => {
                // At the end of a rule it usually is the end of a word, which zester separates anyway.
                let is_class = !self.has_layout(inner) && {
                    let condition = self.expression(inner, &mut self.detached(context));
                    self.class_of(&condition).is_some()
                };
                if !is_class {
                    context.warn_of_predicate("!");
                }
                Expression::empty()
            }
            Expr::Seq(..) => self.sequence(&flat(expr), context),
            Expr::Choice(..) => self.choice(&alternatives(expr), context),
            Expr::Opt(inner) => self.repeat(inner, (0, Some(1)), context),
            Expr::Rep(inner) => self.repeat(inner, (0, None), context),
            Expr::RepOnce(inner) => self.repeat(inner, (1, None), context),
            Expr::RepExact(inner, n) => self.repeat(inner, (*n, Some(*n)), context),
            Expr::RepMin(inner, n) => self.repeat(inner, (*n, None), context),
            Expr::RepMax(inner, n) => self.repeat(inner, (0, Some(*n)), context),
            Expr::RepMinMax(inner, m, n) => self.repeat(inner, (*m, Some(*n)), context),
            Expr::Push(inner) => self.expression(inner, context),
            Expr::Skip(_) => Expression::empty(),
        }
    }

    /// A context for a part that is only examined: its warnings are dropped.
    fn detached(&self, context: &Context) -> Context {
        Context::of_token(context.location.clone())
    }

    fn name(&self, name: &str, context: &mut Context) -> Expression {
        if !self.by_name.contains_key(name) {
            return match name {
                "PEEK" | "POP" | "PEEK_ALL" | "POP_ALL" => self.equal_text(context),
                _ => builtin(name).unwrap_or_else(|| Expression::name(name)),
            };
        }
        let key = self.in_mode(name, context.mode);
        let is_copy = key.1 == Mode::Atomic
            && self.by_name[name].ty != RuleType::Atomic
            && self.by_name[name].ty != RuleType::CompoundAtomic;
        context.used.push(key);
        match is_copy {
            true => Expression::name(copy_of(name)),
            false => Expression::name(name),
        }
    }

    /// Returns the expression for a text that equals one on the stack.
    fn equal_text(&self, context: &mut Context) -> Expression {
        context.warn(
            "a text of the stack",
            "a text of the same rule is written, which need not be equal to the one before",
        );
        match &self.pushed {
            Some(Expr::Ident(name)) => self.name(&name.clone(), context),
            Some(expr)
                if !names_in(expr)
                    .iter()
                    .any(|name| matches!(&**name, "PEEK" | "POP")) =>
            {
                self.expression(&expr.clone(), context)
            }
            _ => Expression::empty(),
        }
    }

    fn repeat(
        &self,
        inner: &Expr,
        limits: (u32, Option<u32>),
        context: &mut Context,
    ) -> Expression {
        // `(!"end" ~ ANY)*`
        if let [Expr::NegPred(end), body] = &flat(inner)[..] {
            let body = self.expression(body, context);
            if self.has_layout(end) {
                context.warn_of_predicate("!");
                return body.repeat(limits.0, limits.1);
            }
            let mut operand = self.detached(context);
            let mut literals = Vec::new();
            self.leading(end, 0, &mut literals);
            let end = self.expression(end, &mut operand);
            context.used.append(&mut operand.used);
            return match (self.class_of(&body), self.class_of(&end)) {
                (Some(class), Some(end)) => {
                    Expression::Class(class.minus(&end)).repeat(limits.0, limits.1)
                }
                (Some(_), None) if limits.1.is_none() => {
                    let texts = without(body.repeat(limits.0, None), end);
                    without_ends(texts, &overlapping(&literals))
                }
                _ => without(body, end).repeat(limits.0, limits.1),
            };
        }
        let element = self.expression(inner, context);
        let element = match context.mode == Mode::Atomic && !context.is_token && limits.1 != Some(1)
        {
            true => element.adjacent(),
            false => element,
        };
        element.repeat(limits.0, limits.1)
    }

    /// Whether an expression uses rules in which layout is always allowed.
    fn has_layout(&self, expr: &Expr) -> bool {
        names_in(expr).iter().any(|name| self.free.contains(name))
    }

    fn sequence<'b>(&'b self, parts: &[&'b Expr], context: &mut Context) -> Expression {
        let mut all = Vec::new();
        let mut at = 0;
        let joined = self.joined(parts, context);
        let is_capture = |text: &Expr| self.is_capture(text, context);
        let is_cut = context.is_token && joined.iter().any(|part| is_predicate(part));
        let (parts, names) = match stack::names(&joined, is_capture) {
            names if names.is_empty() || is_cut => (parts.to_vec(), HashMap::new()),
            names => (joined, names),
        };
        while at < parts.len() {
            let next = parts.get(at + 1);
            let part = match (parts[at], next) {
                (Expr::Push(text), _) if names.contains_key(&at) => {
                    let text = self.expression(text, context);
                    Expression::Capture(names[&at].clone(), Box::new(text))
                }
                _ if names.contains_key(&at) => Expression::Same(names[&at].clone()),
                (part, _) if at > 0 && context.mode == Mode::Layout && self.has_never(part) => {
                    self.after_layout(part, context)
                }
                // Until the end, and the end itself.
                (Expr::Rep(inner), Some(Expr::Str(close))) if is_until(inner, close) => {
                    at += 1;
                    Expression::until(&CharacterClass::any(), close)
                }
                (Expr::NegPred(condition), Some(body)) if !self.has_layout(condition) => {
                    at += 1;
                    let mut operand = self.detached(context);
                    let condition = self.expression(condition, &mut operand);
                    let one = self.expression(body, &mut self.detached(context));
                    match (self.class_of(&one), self.first_class(&condition)) {
                        (Some(class), Some(other)) => Expression::Class(class.minus(&other)),
                        _ if context.is_token => {
                            context.used.append(&mut operand.used);
                            let rest = self.sequence(&parts[at..], context);
                            at = parts.len();
                            if has_captures(&rest) {
                                context.warn_of_predicate("!");
                                rest
                            } else {
                                exclusion(rest, condition)
                            }
                        }
                        _ => {
                            let body = self.expression(body, context);
                            let is_token = matches!(
                                body,
                                Expression::Name(_)
                                    | Expression::Literal { .. }
                                    | Expression::Class(_)
                            );
                            if is_token {
                                context.used.append(&mut operand.used);
                                exclusion(body, condition)
                            } else {
                                context.warn_of_predicate("!");
                                body
                            }
                        }
                    }
                }
                (Expr::PosPred(condition), Some(body)) => {
                    at += 1;
                    let condition = self.expression(condition, &mut self.detached(context));
                    let one = self.expression(body, &mut self.detached(context));
                    let class = self.first_class(&condition);
                    if let (Some(class), Some(other)) = (self.class_of(&one), &class) {
                        Expression::Class(class.minus(&other.complement()))
                    } else {
                        let body = match context.is_token {
                            true => {
                                let rest = self.sequence(&parts[at..], context);
                                at = parts.len();
                                rest
                            }
                            false => self.expression(body, context),
                        };
                        let is_token = context.is_token || self.is_token(&body);
                        let refused = match class {
                            Some(class) => prefixes::refused(class, &[]),
                            None => prefixes::refused_of(&condition),
                        };
                        match refused.filter(|_| is_token && !has_captures(&body)) {
                            Some(refused) => {
                                Expression::Difference(Box::new(body), Box::new(refused))
                            }
                            None => {
                                context.warn_of_predicate("&");
                                body
                            }
                        }
                    }
                }
                (part, _) => self.expression(part, context),
            };
            let is_inside = context.mode == Mode::Atomic && !context.is_token && !all.is_empty();
            all.push(if is_inside && part != Expression::empty() {
                part.adjacent()
            } else {
                part
            });
            at += 1;
        }
        Expression::sequence(all)
    }

    /// Returns the parts of a sequence with those of the rules in it that push texts for later parts, or read those
    /// of earlier parts. These rules allow layout where the sequence does.
    fn joined<'b>(&'b self, parts: &[&'b Expr], context: &Context) -> Vec<&'b Expr> {
        let mut all = Vec::new();
        for part in parts {
            let inner = match part {
                Expr::Ident(name) if self.in_mode(name, context.mode).1 == context.mode => {
                    let rule = self.by_name.get(&**name);
                    rule.map(|rule| flat(&rule.expr))
                }
                _ => None,
            };
            match inner.filter(|parts| stack::is_open(parts)) {
                Some(inner) => all.extend(inner),
                None => all.push(*part),
            }
        }
        all
    }

    /// Whether a text that is pushed can be a capture: only a token, or a part of one, can.
    fn is_capture(&self, text: &Expr, context: &Context) -> bool {
        let is_free = |name: &String| match self.by_name.get(&**name) {
            Some(rule) => stack::is_used(&rule.expr) || self.free.contains(name),
            None => stack::is_stack(name),
        };
        if stack::is_used(text) || names_in(text).iter().any(is_free) {
            return false;
        }
        match text {
            _ if context.mode == Mode::Atomic => true,
            Expr::Str(_) | Expr::Insens(_) | Expr::Range(..) => true,
            Expr::Ident(name) => {
                !self.by_name.contains_key(&**name)
                    || self.in_mode(name, context.mode).1 == Mode::Atomic
            }
            _ => false,
        }
    }

    /// Whether an expression in a syntax rule is a token.
    fn is_token(&self, expression: &Expression) -> bool {
        match expression {
            Expression::Literal { .. } | Expression::Class(_) => true,
            Expression::Name(name) => {
                self.in_mode(name, Mode::Layout).1 == Mode::Atomic && !self.free.contains(name)
            }
            _ => false,
        }
    }

    /// Whether an expression, or an alternative of it, matches nothing after implicit layout.
    fn has_never(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Opt(inner) | Expr::Rep(inner) => self.is_never(inner, 0),
            Expr::Choice(..) => alternatives(expr).iter().any(|one| self.is_never(one, 0)),
            _ => self.is_never(expr, 0),
        }
    }

    /// The characters that are a whole text of `WHITESPACE`.
    fn white(&self) -> CharacterClass {
        let Some(rule) = self.by_name.get("WHITESPACE") else {
            return CharacterClass::union_of(&[]);
        };
        let mut context = Context::of_token(SourceLocation::default());
        let body = self.expression(&rule.expr, &mut context);
        let parts = match &body {
            Expression::Choice(parts) => &parts[..],
            one => std::slice::from_ref(one),
        };
        let classes: Vec<_> = parts
            .iter()
            .filter_map(|part| self.class_of(part))
            .collect();
        CharacterClass::union_of(&classes)
    }

    /// Whether an expression matches nothing after implicit layout, because it begins with `WHITESPACE` or
    /// `COMMENT`, or with a character of the former: the implicit layout takes all of these.
    fn is_never(&self, expr: &Expr, depth: usize) -> bool {
        match expr {
            Expr::Ident(name) => match self.by_name.get(&**name) {
                Some(_) if matches!(&**name, "WHITESPACE" | "COMMENT") => true,
                Some(rule) => depth < DEPTH && self.is_never(&rule.expr, depth + 1),
                None => false,
            },
            Expr::Str(text) => {
                let first = text.chars().next();
                first.is_some_and(|first| self.white().contains(first))
            }
            Expr::Seq(..) => self.is_never(flat(expr)[0], depth),
            Expr::Choice(..) => alternatives(expr)
                .iter()
                .all(|one| self.is_never(one, depth)),
            Expr::RepOnce(inner) | Expr::Push(inner) => self.is_never(inner, depth),
            Expr::RepExact(inner, least)
            | Expr::RepMin(inner, least)
            | Expr::RepMinMax(inner, least, _) => *least > 0 && self.is_never(inner, depth),
            _ => false,
        }
    }

    /// Lowers an expression that follows implicit layout. Alternatives that never match there are left out.
    fn after_layout(&self, expr: &Expr, context: &mut Context) -> Expression {
        if let Expr::Opt(_) | Expr::Rep(_) = expr {
            return Expression::empty();
        }
        context.warn(
            "an alternative that is never taken",
            "the implicit layout before it takes all white space and comments",
        );
        let mut parts = alternatives(expr);
        parts.retain(|part| !self.is_never(part, 0));
        self.choice(&parts, context)
    }

    fn choice(&self, parts: &[&Expr], context: &mut Context) -> Expression {
        let mut taken: Vec<&str> = Vec::new();
        let mut all = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            if let Expr::Str(text) = part {
                if taken.iter().any(|earlier| text.starts_with(earlier)) {
                    context.warn(
                        "an alternative that is never taken",
                        "an earlier alternative matches the beginning of every text of it",
                    );
                    continue;
                }
                taken.push(text);
            }
            let beside = self.character_beside(part, &parts[..at]);
            all.push(beside.unwrap_or_else(|| self.expression(part, context)));
        }
        Expression::choice(all)
    }

    /// Returns what `!"b" ~ ANY` derives after alternatives that begin with literals, as in
    /// `block_comment | !"*/" ~ ANY`: parts of a text in which neither these literals nor `b` occur.
    fn character_beside(&self, part: &Expr, earlier: &[&Expr]) -> Option<Expression> {
        let parts = flat(part);
        let [Expr::NegPred(condition), Expr::Ident(any)] = parts[..] else {
            return None;
        };
        let mut starts = Vec::new();
        let is_known = self.leading(condition, 0, &mut starts)
            && earlier.iter().all(|one| self.leading(one, 0, &mut starts));
        if any != "ANY" || earlier.is_empty() || !is_known {
            return None;
        }
        let class =
            |characters: Vec<char>| CharacterClass::of(&characters.iter().collect::<String>());
        let firsts: Vec<char> = starts
            .iter()
            .filter_map(|text| text.chars().next())
            .collect();
        let mut all = vec![Expression::Class(class(firsts.clone()).complement())];
        for &first in &firsts {
            let seconds: Vec<char> = starts
                .iter()
                .filter(|text| text.starts_with(first))
                .map(|text| text.chars().nth(1).unwrap_or(first))
                .collect();
            if !seconds.contains(&first) {
                let other = class(firsts.iter().chain(&seconds).copied().collect()).complement();
                let run = Expression::literal(first).repeat(1, None);
                all.push(Expression::sequence([run, Expression::Class(other)]));
            }
        }
        Some(Expression::choice(all))
    }

    /// Adds the literals with which an expression begins. Returns whether it always begins with one.
    fn leading(&self, expr: &Expr, depth: usize, texts: &mut Vec<String>) -> bool {
        match expr {
            Expr::Str(text) if !text.is_empty() => {
                texts.push(text.clone());
                true
            }
            Expr::Seq(..) => self.leading(flat(expr)[0], depth, texts),
            Expr::Choice(..) => alternatives(expr)
                .iter()
                .all(|one| self.leading(one, depth, texts)),
            Expr::Ident(name) if depth < DEPTH => self
                .by_name
                .get(&**name)
                .is_some_and(|rule| self.leading(&rule.expr, depth + 1, texts)),
            _ => false,
        }
    }

    /// The characters with which a text begins if, and only if, it begins with a text of an expression, such as those of
    /// `"\n" | "\r\n" | "\r"`.
    fn first_class(&self, expression: &Expression) -> Option<CharacterClass> {
        let Expression::Choice(parts) = expression else {
            return self.class_of(expression);
        };
        let classes: Vec<_> = parts
            .iter()
            .filter_map(|part| self.class_of(part))
            .collect();
        let all = CharacterClass::union_of(&classes);
        let is_longer = |part: &Expression| match part {
            Expression::Literal {
                text,
                insensitive: false,
            } => text.chars().next().is_some_and(|first| all.contains(first)),
            _ => false,
        };
        let is_known = |part: &Expression| self.class_of(part).is_some() || is_longer(part);
        (!classes.is_empty() && parts.iter().all(is_known)).then_some(all)
    }

    /// The class of an expression that derives one character. Names of rules are followed.
    fn class_of(&self, expression: &Expression) -> Option<CharacterClass> {
        match expression {
            Expression::Class(class) => Some(class.clone()),
            Expression::Literal {
                text,
                insensitive: false,
            } => {
                let mut all = text.chars();
                let only = all.next().filter(|_| all.next().is_none())?;
                Some(CharacterClass::of(&only.to_string()))
            }
            Expression::Choice(parts) if !parts.is_empty() => {
                let all: Option<Vec<_>> = parts.iter().map(|part| self.class_of(part)).collect();
                all?.into_iter().reduce(|one, other| one.union(&other))
            }
            Expression::Name(name) => {
                let rule = self.by_name.get(name.strip_suffix(COPY).unwrap_or(name))?;
                let is_single = |part: Expr| {
                    matches!(
                        part,
                        Expr::Str(_) | Expr::Range(..) | Expr::Choice(..) | Expr::Seq(..)
                    ) || matches!(part, Expr::NegPred(_) | Expr::PosPred(_))
                        || matches!(&part, Expr::Ident(name) if !self.by_name.contains_key(&**name))
                };
                if !rule.expr.iter_top_down().all(is_single) {
                    return None;
                }
                let mut context = Context::of_token(SourceLocation::default());
                self.class_of(&self.expression(&rule.expr, &mut context))
            }
            _ => None,
        }
    }

    /// Excludes from a token the texts that begin with a literal that is an earlier alternative: pest takes the
    /// literal, and tries no other alternative.
    fn exclude_literals(&self, grammar: &mut ForeignGrammar) {
        let bodies: Vec<(String, ForeignKind, Expression)> = grammar
            .rules
            .iter()
            .map(|rule| (rule.name.clone(), rule.kind, rule.body.clone()))
            .collect();
        let rules: HashMap<&str, &Expression> = bodies
            .iter()
            .map(|(name, _, body)| (&**name, body))
            .collect();
        let tokens: HashSet<&str> = bodies
            .iter()
            .filter(|(_, kind, _)| matches!(kind, ForeignKind::Token(_)))
            .map(|(name, _, _)| &**name)
            .collect();
        let mut added: Vec<ForeignRule> = Vec::new();
        let mut known: HashMap<(String, Vec<Expression>), String> = HashMap::new();
        let mut taken: HashSet<String> = bodies.iter().map(|(name, _, _)| name.clone()).collect();
        for rule in grammar
            .rules
            .iter_mut()
            .filter(|rule| rule.kind == ForeignKind::Syntax)
        {
            let location = rule.location.clone();
            rule.body.visit_mut(&mut |part| {
                let Expression::Choice(parts) = part else {
                    return;
                };
                let mut earlier: Vec<Expression> = Vec::new();
                for part in parts {
                    let first = match &mut *part {
                        Expression::Sequence(parts) => parts.first_mut(),
                        other => Some(other),
                    };
                    if let Some(Expression::Name(name)) = first
                        && tokens.contains(&**name) {
                            earlier.retain(|one| Automaton::new(one, &rules).is_ok());
                            let automaton = Automaton::new(&begins(&earlier), &rules);
                            let own = Automaton::new(&Expression::name(name.clone()), &rules);
                            let overlaps = matches!((automaton, own), (Ok(one), Ok(other)) if one.overlaps(&other));
                            if overlaps && !earlier.is_empty() {
                                let key = (name.clone(), earlier.clone());
                                let new = known.entry(key).or_insert_with(|| {
                                    let new = names::take(&format!("{name}_without"), &mut taken);
                                    added.push(ForeignRule { location: location.clone(), ..ForeignRule::new(new.clone(), ForeignKind::Token(0), Expression::Difference(Box::new(Expression::name(name.clone())), Box::new(begins(&earlier)))) });
                                    new
                                });
                                *name = new.clone();
                            }
                        }
                    alone(part, (&rules, &tokens), 0, &mut earlier);
                }
            });
        }
        grammar.rules.append(&mut added);
    }
}

/// The suffix of the names of the copies of rules that atomic rules use.
const COPY: &str = "_atomic";

fn copy_of(name: &str) -> String {
    format!("{name}{COPY}")
}

/// Whether layout is possible between two parts of an expression.
fn has_gaps(expression: &Expression) -> bool {
    let mut has_gaps = false;
    expression.visit(&mut |part| {
        has_gaps |= match part {
            Expression::Sequence(parts) => parts.len() > 1,
            Expression::Repeat { at_most, .. } => *at_most != Some(1),
            _ => false,
        }
    });
    has_gaps
}

/// The texts that begin with one of the given texts.
fn begins(texts: &[Expression]) -> Expression {
    let any = Expression::Class(CharacterClass::any()).repeat(0, None);
    Expression::sequence([Expression::choice(texts.iter().cloned()), any])
}

/// Adds the literals and the tokens that are alternatives of an expression.
fn alone(
    expression: &Expression,
    (rules, tokens): (&HashMap<&str, &Expression>, &HashSet<&str>),
    depth: usize,
    texts: &mut Vec<Expression>,
) {
    match expression {
        Expression::Literal { text, .. } if !text.is_empty() => texts.push(expression.clone()),
        Expression::Choice(parts) => {
            parts
                .iter()
                .for_each(|part| alone(part, (rules, tokens), depth, texts));
        }
        Expression::Name(name) if tokens.contains(&**name) => texts.push(expression.clone()),
        Expression::Name(name) if depth < DEPTH => {
            if let Some(body) = rules.get(&**name) {
                alone(body, (rules, tokens), depth + 1, texts);
            }
        }
        _ => {}
    }
}

/// Texts of `from` that do not contain a text of `part`.
fn without(from: Expression, part: Expression) -> Expression {
    let any = || Expression::Class(CharacterClass::any()).repeat(0, None);
    let with = Expression::sequence([any(), part, any()]);
    Expression::Difference(Box::new(from), Box::new(with))
}

/// Texts of `from` that do not end with one of the given texts.
fn without_ends(from: Expression, ends: &[&str]) -> Expression {
    if ends.is_empty() {
        return from;
    }
    let any = Expression::Class(CharacterClass::any()).repeat(0, None);
    let end = Expression::choice(ends.iter().map(|end| Expression::literal(*end)));
    let with = Expression::sequence([any, end]);
    Expression::Difference(Box::new(from), Box::new(with))
}

/// Returns the beginnings of literals that, with another literal after them, begin with one of the literals, as
/// `{` before `{{`. The texts of `(!("{{" | "{%") ~ ANY)*` are followed by one of the literals, and a text with such
/// an end would be followed by another one, one character earlier.
fn overlapping(literals: &[String]) -> Vec<&str> {
    let mut all = Vec::new();
    for literal in literals {
        for (at, _) in literal.char_indices().skip(1) {
            let (beginning, rest) = literal.split_at(at);
            let is_same = |next: &String| next.starts_with(rest);
            if literals.iter().any(is_same) && !all.contains(&beginning) {
                all.push(beginning);
            }
        }
    }
    all
}

fn is_predicate(expr: &Expr) -> bool {
    matches!(expr, Expr::NegPred(_) | Expr::PosPred(_))
}

/// Whether texts of an expression have equal parts. Such an expression is no operand of an exclusion.
fn has_captures(expression: &Expression) -> bool {
    let mut has_captures = false;
    expression.visit(&mut |part| {
        has_captures |= matches!(part, Expression::Capture(..) | Expression::Same(_));
    });
    has_captures
}

/// Texts of `from` that do not begin with a text of `start`.
fn exclusion(from: Expression, start: Expression) -> Expression {
    let any = Expression::Class(CharacterClass::any()).repeat(0, None);
    let begins = Expression::sequence([start, any]);
    Expression::Difference(Box::new(from), Box::new(begins))
}

/// Whether an expression is `!"close" ~ ANY`.
fn is_until(expr: &Expr, close: &str) -> bool {
    match &flat(expr)[..] {
        [Expr::NegPred(end), Expr::Ident(any)] => {
            any == "ANY" && matches!(&**end, Expr::Str(text) if text == close)
        }
        _ => false,
    }
}

/// The parts of a sequence.
fn flat(expr: &Expr) -> Vec<&Expr> {
    let (mut open, mut parts) = (vec![expr], Vec::new());
    while let Some(expr) = open.pop() {
        match expr {
            Expr::Seq(one, other) => open.extend([&**other, &**one]),
            expr => parts.push(expr),
        }
    }
    parts
}

/// The alternatives of a choice.
fn alternatives(expr: &Expr) -> Vec<&Expr> {
    let (mut open, mut parts) = (vec![expr], Vec::new());
    while let Some(expr) = open.pop() {
        match expr {
            Expr::Choice(one, other) => open.extend([&**other, &**one]),
            expr => parts.push(expr),
        }
    }
    parts
}
