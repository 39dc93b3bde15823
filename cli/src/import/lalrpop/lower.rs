//! Makes rules from a LALRPOP grammar. A macro becomes a rule for each list of arguments with which
//! it is used.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use super::super::expression::{
    Expression, Finding, ForeignGrammar, ForeignKind, ForeignRule, MAX_NESTING, SourceLocation,
    Tokenization,
};
use super::super::{names, start};
use super::arguments::{MacroArgument, instance_name};
use super::precedence;
use super::syntax::{Condition, GrammarSymbol, LalrpopGrammar, Nonterminal};
use super::terminals::Terminals;

/// The maximum number of rules made from macros.
const INSTANCES: usize = 10_000;

/// The maximum number of symbols of all rules.
const SYMBOLS: usize = 2_000_000;

/// A rule to be made: a rule of the source, with arguments if it is a macro.
struct Instance {
    definition: usize,
    name: String,
    arguments: Vec<MacroArgument>,
}

/// Makes the rules of a grammar. `file` is the index of its file.
pub fn lower(mut source: LalrpopGrammar, file: usize) -> Result<ForeignGrammar, Finding> {
    let at = |span: &Range<usize>| SourceLocation::new(file, span.clone());
    let mut taken: HashSet<String> = HashSet::new();
    for rule in &source.nonterminals {
        if !taken.insert(rule.name.clone()) {
            return Err(Finding::new(
                at(&rule.span),
                format!("two rules have the name `{}`", rule.name),
                "this is the second one",
            ));
        }
    }
    let mut expanded = Vec::new();
    for rule in &source.nonterminals {
        let levels = precedence::expand(rule, &mut taken).map_err(|span| {
            Finding::new(
                at(&span),
                "an attribute that has no meaning",
                "a level is a number, and a side is `left`, `right`, `none` or `all`",
            )
        })?;
        expanded.extend(levels);
    }
    source.nonterminals = expanded;
    let terminals = Terminals::new(&source, file, &mut taken)?;
    let rules = &source.nonterminals;
    let mut lowering = LalrpopLowering {
        rules,
        file,
        definitions: rules
            .iter()
            .enumerate()
            .map(|(at, rule)| (&*rule.name, at))
            .collect(),
        terminals,
        taken,
        instances: HashMap::new(),
        open: VecDeque::new(),
        symbols: 0,
    };
    let mut made = lowering.all()?;
    let public: Vec<&Nonterminal> = rules.iter().filter(|rule| rule.is_public).collect();
    let mut grammar = ForeignGrammar {
        start: public.first().map(|rule| rule.name.clone()),
        tokenization: Tokenization::Longest,
        comments: std::mem::take(&mut source.comments),
        ..ForeignGrammar::default()
    };
    made.append(&mut lowering.terminals.rules);
    made.sort_by_key(|(position, _)| *position);
    grammar.rules = made.into_iter().map(|(_, rule)| rule).collect();
    if let [_, second, ..] = public[..] {
        let names: Vec<String> = public.iter().map(|rule| rule.name.clone()).collect();
        let warning = start::other_starts(at(&second.span), &names);
        grammar.warnings.extend(warning);
    }
    if source.external.is_some() {
        grammar.warnings.push(Finding::new(
            at(&(0..0)),
            "the lexer is not in the grammar",
            "`--tokens` gives its tokens and comments; white space between tokens is supposed",
        ));
    }
    Ok(grammar)
}

struct LalrpopLowering<'a> {
    rules: &'a [Nonterminal],
    file: usize,
    /// The index of each rule by its name.
    definitions: HashMap<&'a str, usize>,
    terminals: Terminals,
    taken: HashSet<String>,
    /// The names of the rules of macros, by macro and arguments.
    instances: HashMap<(usize, Vec<MacroArgument>), String>,
    open: VecDeque<Instance>,
    /// The number of symbols made so far.
    symbols: usize,
}

impl LalrpopLowering<'_> {
    /// Makes all rules, each with the index of its rule in the source.
    fn all(&mut self) -> Result<Vec<(usize, ForeignRule)>, Finding> {
        let mut made = Vec::new();
        for (definition, rule) in self.rules.iter().enumerate() {
            if !rule.parameters.is_empty() {
                continue;
            }
            if let Some(token) = self.terminals.token(rule)? {
                made.push((definition, token));
                continue;
            }
            self.open.push_back(Instance {
                definition,
                name: rule.name.clone(),
                arguments: Vec::new(),
            });
        }
        while let Some(instance) = self.open.pop_front() {
            made.push((instance.definition, self.rule(instance)?));
        }
        Ok(made)
    }

    fn rule(&mut self, instance: Instance) -> Result<ForeignRule, Finding> {
        let rule = &self.rules[instance.definition];
        let mut scope = Scope {
            definition: instance.definition,
            name: &instance.name,
            parameters: rule
                .parameters
                .iter()
                .map(|name| &**name)
                .zip(&instance.arguments)
                .collect(),
            warnings: Vec::new(),
        };
        let mut alternatives = Vec::new();
        for alternative in &rule.alternatives {
            if let Some(condition) = &alternative.condition
                && !self.holds(condition, &scope)?
            {
                continue;
            }
            if alternative.is_fallible {
                Finding::new(
                    self.location(&alternative.span),
                    "an action that may refuse the text was left out",
                    "sentences that it refuses are written, too",
                )
                .add_once(&mut scope.warnings);
            }
            alternatives.push(self.sequence(&alternative.symbols, &mut scope)?);
        }
        let warnings = scope.warnings;
        let body = Expression::choice(alternatives);
        if body.depth() > MAX_NESTING {
            return Err(Finding::new(
                self.location(&rule.span),
                "the arguments of a macro are too deep",
                format!("more than {MAX_NESTING} groups inside each other"),
            ));
        }
        Ok(ForeignRule {
            name: instance.name,
            kind: ForeignKind::Syntax,
            comments: rule.comments.clone(),
            location: self.location(&rule.span),
            body,
            warnings,
        })
    }

    /// Whether the condition of an alternative is met.
    fn holds(&self, condition: &Condition, scope: &Scope) -> Result<bool, Finding> {
        let failed = |message: &str, label: String| {
            Err(Finding::new(self.location(&condition.span), message, label))
        };
        let argument = scope.parameters.get(&*condition.parameter);
        let Some(text) = argument.and_then(|argument| argument.text.as_ref()) else {
            let label = format!("`{}` is no literal here", condition.parameter);
            return failed("a condition that cannot be checked", label);
        };
        let is_match = || {
            let regex = ::regex::Regex::new(&condition.text).map_err(|error| error.to_string())?;
            Ok::<bool, String>(regex.is_match(text))
        };
        match condition.operator {
            "==" => Ok(*text == condition.text),
            "!=" => Ok(*text != condition.text),
            operator => match is_match() {
                Ok(found) => Ok(found == (operator == "~~")),
                Err(label) => failed("not a regular expression of the regex crate", label),
            },
        }
    }

    fn sequence(
        &mut self,
        symbols: &[GrammarSymbol],
        scope: &mut Scope,
    ) -> Result<Expression, Finding> {
        let mut parts = Vec::new();
        for symbol in symbols {
            parts.push(self.symbol(symbol, scope)?);
        }
        Ok(Expression::sequence(parts))
    }

    fn symbol(&mut self, symbol: &GrammarSymbol, scope: &mut Scope) -> Result<Expression, Finding> {
        self.symbols += 1;
        match symbol {
            GrammarSymbol::Literal(text) if text.is_empty() => Ok(Expression::empty()),
            GrammarSymbol::Literal(text) => {
                let meaning = self.terminals.literal(text);
                if meaning == Expression::never() {
                    Finding::new(
                        self.location(&self.rules[scope.definition].span),
                        format!("an alternative with the literal `{text}` was left out"),
                        "the lexer reads its text as a token of an earlier `match` block",
                    )
                    .add_once(&mut scope.warnings);
                }
                Ok(meaning)
            }
            GrammarSymbol::Regex(text, span) => {
                let wanted = format!("{}_token", scope.name);
                self.terminals
                    .regex((text, span), (&wanted, scope.definition), &mut self.taken)
            }
            GrammarSymbol::Group(symbols) => self.sequence(symbols, scope),
            GrammarSymbol::Repeated(symbol, operator) => {
                let element = self.symbol(symbol, scope)?;
                Ok(match *operator {
                    "?" => element.optional(),
                    "*" => element.repeat(0, None),
                    _ => element.repeat(1, None),
                })
            }
            GrammarSymbol::Recovery(span) => {
                Finding::new(
                    self.location(span),
                    "an alternative with the error token `!` was left out",
                    "it is for texts with errors",
                )
                .add_once(&mut scope.warnings);
                Ok(Expression::never())
            }
            GrammarSymbol::Use {
                name,
                arguments,
                span,
            } => self.used(name, arguments, span, scope),
        }
    }

    /// Returns the expression for the use of a rule, a macro, a parameter or a token.
    fn used(
        &mut self,
        name: &str,
        arguments: &[GrammarSymbol],
        span: &Range<usize>,
        scope: &mut Scope,
    ) -> Result<Expression, Finding> {
        if let (Some(argument), true) = (scope.parameters.get(name), arguments.is_empty()) {
            let expression = argument.expression.clone();
            expression.visit(&mut |_| self.symbols += 1);
            return self.limited(span, expression);
        }
        let Some(&definition) = self.definitions.get(name) else {
            return Ok(self.terminals.name(name));
        };
        let expected = self.rules[definition].parameters.len();
        if expected != arguments.len() {
            return Err(Finding::new(
                self.location(span),
                format!("`{name}` has {} arguments", arguments.len()),
                format!("the rule has {expected} parameters"),
            ));
        }
        if arguments.is_empty() {
            return Ok(Expression::name(name));
        }
        let mut values = Vec::new();
        for argument in arguments {
            values.push(MacroArgument {
                text: text_of(argument, scope),
                expression: self.symbol(argument, scope)?,
            });
        }
        let key = (definition, values);
        if let Some(name) = self.instances.get(&key) {
            return Ok(Expression::name(name.clone()));
        }
        let instance = names::take(&instance_name(name, &key.1), &mut self.taken);
        self.open.push_back(Instance {
            definition,
            name: instance.clone(),
            arguments: key.1.clone(),
        });
        self.instances.insert(key, instance.clone());
        self.limited(span, Expression::name(instance))
    }

    /// Checks the limits that macros may exceed.
    fn limited(&self, span: &Range<usize>, expression: Expression) -> Result<Expression, Finding> {
        if self.instances.len() > INSTANCES || self.symbols > SYMBOLS {
            return Err(Finding::new(
                self.location(span),
                "the macros make too many rules",
                format!("more than {INSTANCES} rules or {SYMBOLS} symbols"),
            ));
        }
        if expression.depth() > MAX_NESTING {
            return Err(Finding::new(
                self.location(span),
                "the arguments of a macro are too deep",
                format!("more than {MAX_NESTING} groups inside each other"),
            ));
        }
        Ok(expression)
    }

    fn location(&self, span: &Range<usize>) -> SourceLocation {
        SourceLocation::new(self.file, span.clone())
    }
}

/// The context of the rule that is made.
struct Scope<'a> {
    definition: usize,
    name: &'a str,
    parameters: HashMap<&'a str, &'a MacroArgument>,
    warnings: Vec<Finding>,
}

/// The text of an argument that is a literal.
fn text_of(argument: &GrammarSymbol, scope: &Scope) -> Option<String> {
    match argument {
        GrammarSymbol::Literal(text) => Some(text.clone()),
        GrammarSymbol::Use { name, .. } => scope.parameters.get(&**name)?.text.clone(),
        _ => None,
    }
}
