//! If two tokens have the same text, a lexer takes the one with the higher priority. So its texts
//! are excluded from the other token: keywords are no identifiers.

use std::collections::{HashMap, HashSet};

use super::expression::{
    Expression, ForeignGrammar, ForeignKind, ForeignRule, LITERAL, Tokenization, by_name,
};
use super::names;
use super::regular::Automaton;

/// The maximum number of literals that an exclusion lists without a rule of their own.
const LISTED: usize = 3;

/// A token, or a literal in a syntax rule.
struct Token {
    /// The index of the rule; [`None`] for a literal in syntax rules.
    rule: Option<usize>,
    /// The operand that excludes the token.
    expression: Expression,
    /// The texts of the token if it has only a few: literals.
    literals: Option<Vec<Expression>>,
    /// The rank. If two tokens have the same text, the one with the smaller rank wins.
    rank: (i32, usize),
    /// The mode of the lexer.
    mode: u32,
    /// Whether the texts of the token are excluded from others.
    takes_texts: bool,
    automaton: Option<Automaton>,
}

/// Excludes the texts of tokens with a higher priority from all tokens.
pub fn exclude(grammar: &mut ForeignGrammar) {
    if grammar.tokenization == Tokenization::None {
        return;
    }
    let tokens = tokens(grammar);
    let rules = by_name(&grammar.rules);
    let mut exclusions: Vec<(usize, Vec<Expression>)> = Vec::new();
    for token in &tokens {
        let (Some(rule), Some(automaton), None) = (token.rule, &token.automaton, &token.literals)
        else {
            continue;
        };
        let is_layout = matches!(grammar.rules[rule].kind, ForeignKind::Layout(_));
        if is_layout && grammar.tokenization == Tokenization::Contextual {
            continue;
        }
        let mut excluded = Vec::new();
        let competes = |other: &&Token| {
            other.takes_texts && other.rank < token.rank && other.mode == token.mode
        };
        for other in tokens.iter().filter(competes) {
            match (&other.literals, &other.automaton) {
                (Some(literals), _) => {
                    let taken = literals.iter().filter(|literal| has(automaton, literal));
                    excluded.extend(taken.cloned());
                }
                // If the other token has all texts of this one, the grammar never allows both at
                // one position.
                (None, Some(automaton_of_other))
                    if comparable(grammar, token, other)
                        && automaton.overlaps(automaton_of_other)
                        && !automaton.is_within(&[automaton_of_other]) =>
                {
                    excluded.push(other.expression.clone());
                }
                _ => {}
            }
        }
        // If all texts of a token are taken, the grammar allows it only where the others are not
        // allowed.
        let is_all_taken = Automaton::new(&Expression::choice(excluded.clone()), &rules)
            .is_ok_and(|excluded| automaton.is_within(&[&excluded]));
        if !excluded.is_empty() && !is_all_taken {
            exclusions.push((rule, excluded));
        }
    }
    drop(tokens);
    apply(grammar, exclusions);
}

/// Whether a lexer has to choose between two tokens. One that knows what the grammar allows seldom
/// meets two tokens of the same priority at one position.
fn comparable(grammar: &ForeignGrammar, token: &Token, other: &Token) -> bool {
    grammar.tokenization != Tokenization::Contextual || other.rank.0 < token.rank.0
}

/// Returns all tokens.
fn tokens(grammar: &ForeignGrammar) -> Vec<Token> {
    let rules = by_name(&grammar.rules);
    let mut tokens = Vec::new();
    let mut literals = HashSet::new();
    for rule in &grammar.rules {
        if rule.kind == ForeignKind::Syntax {
            rule.body.visit(&mut |part| {
                let excludes = matches!(part, Expression::Literal { text, .. } if !grammar.contextual.contains(text));
                if excludes && literals.insert(part) {
                    tokens.push(Token {
                        rule: None,
                        expression: part.clone(),
                        literals: Some(vec![part.clone()]),
                        rank: (-LITERAL, 0),
                        mode: 0,
                        takes_texts: true,
                        automaton: Automaton::new(part, &rules).ok(),
                    });
                }
            });
        }
    }
    for (at, rule) in grammar.rules.iter().enumerate() {
        let (ForeignKind::Token(priority) | ForeignKind::Layout(priority)) = rule.kind else {
            continue;
        };
        let mut few = Vec::new();
        let is_literal = texts_of(&rule.body, &rules, 0, &mut few);
        tokens.push(Token {
            rule: Some(at),
            expression: Expression::name(rule.name.clone()),
            literals: is_literal.then_some(few),
            rank: (-priority, at + 1),
            mode: grammar.modes.get(&rule.name).copied().unwrap_or_default(),
            takes_texts: !grammar.conditional.contains(&rule.name),
            automaton: Automaton::new(&rule.body, &rules).ok(),
        });
    }
    tokens
}

/// Adds the alternatives of a choice of literals. Returns whether the expression is such a choice.
fn texts_of(
    expression: &Expression,
    rules: &HashMap<&str, &Expression>,
    depth: usize,
    literals: &mut Vec<Expression>,
) -> bool {
    match expression {
        Expression::Literal { .. } => {
            literals.push(expression.clone());
            true
        }
        Expression::Choice(all) => all.iter().all(|one| texts_of(one, rules, depth, literals)),
        Expression::Name(name) if depth < 8 => rules
            .get(&**name)
            .is_some_and(|body| texts_of(body, rules, depth + 1, literals)),
        _ => false,
    }
}

/// Whether an automaton accepts a literal, in at least one spelling.
fn has(automaton: &Automaton, literal: &Expression) -> bool {
    match literal {
        Expression::Literal {
            text,
            insensitive: false,
        } => automaton.accepts(text),
        Expression::Literal {
            text,
            insensitive: true,
        } => [
            text.to_ascii_lowercase(),
            text.to_ascii_uppercase(),
            text.clone(),
        ]
        .iter()
        .any(|text| automaton.accepts(text)),
        _ => false,
    }
}

/// Adds the exclusions to the rules. Where other tokens contain a token, nothing is excluded.
fn apply(grammar: &mut ForeignGrammar, exclusions: Vec<(usize, Vec<Expression>)>) {
    let mut taken: HashSet<String> = grammar.rules.iter().map(|rule| rule.name.clone()).collect();
    // The names of the rules for long lists of literals.
    let mut lists: HashMap<Vec<Expression>, String> = HashMap::new();
    let mut added: Vec<(usize, ForeignRule)> = Vec::new();
    for (at, excluded) in exclusions {
        let is_literal = |one: &Expression| matches!(one, Expression::Literal { .. });
        let (mut literals, mut rest): (Vec<_>, Vec<_>) = excluded.into_iter().partition(is_literal);
        if literals.len() > LISTED {
            let mut sorted = literals.clone();
            sorted.sort_by_key(|literal| format!("{literal:?}"));
            let name = lists.entry(sorted).or_insert_with_key(|sorted| {
                let name = names::take("keyword", &mut taken);
                let comment = "Texts that another token has, which a lexer takes first.";
                let rule = new_rule(
                    &name,
                    Expression::choice(sorted.clone()),
                    comment,
                    &grammar.rules[at],
                );
                added.push((at, rule));
                name
            });
            literals = vec![Expression::name(name.clone())];
        }
        literals.append(&mut rest);
        let name = grammar.rules[at].name.clone();
        let is_part = grammar.rules.iter().enumerate().any(|(other, rule)| {
            let mut uses = false;
            rule.body.visit(&mut |part| {
                uses |= matches!(part, Expression::Name(used) if *used == name);
            });
            other != at && rule.kind != ForeignKind::Syntax && uses
        });
        let mut body = grammar.rules[at].body.clone();
        if is_part {
            let whole = names::take(&format!("{name}_text"), &mut taken);
            for rule in grammar
                .rules
                .iter_mut()
                .filter(|rule| rule.kind != ForeignKind::Syntax)
            {
                rule.body.visit_mut(&mut |part| {
                    if matches!(part, Expression::Name(used) if *used == name) {
                        *part = Expression::name(whole.clone());
                    }
                });
            }
            let comment = format!("What `{name}` is within other tokens.");
            let mut rule = new_rule(
                &whole,
                grammar.rules[at].body.clone(),
                &comment,
                &grammar.rules[at],
            );
            rule.kind = ForeignKind::Fragment;
            added.push((at, rule));
            body = Expression::name(whole);
        }
        grammar.rules[at].body =
            Expression::Difference(Box::new(body), Box::new(Expression::choice(literals)));
    }
    added.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    for (at, rule) in added {
        grammar.rules.insert(at, rule);
    }
}

fn new_rule(name: &str, body: Expression, comment: &str, before: &ForeignRule) -> ForeignRule {
    ForeignRule {
        comments: vec![comment.into()],
        location: before.location.clone(),
        ..ForeignRule::new(name, ForeignKind::Fragment, body)
    }
}
