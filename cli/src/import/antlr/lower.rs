//! Makes rules with expressions from the rules of an ANTLR grammar.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use super::element::{Element, G4File, G4Rule, LexerCommand};
use super::lexical::Lexical;
use super::mode_layout::ModeLayout;
use super::modes::{self, MoreRule};
use super::vocabulary::Vocabulary;
use super::{classes, eof, line_ends, predicates, shadowed};
use crate::import::characters;
use crate::import::class::CharacterClass;
use crate::import::expression::{
    Expression, Finding, ForeignGrammar, ForeignKind, ForeignRule, Tokenization,
};

pub fn lower(mut file: G4File) -> ForeignGrammar {
    let insensitive = file
        .options
        .get("caseInsensitive")
        .is_some_and(|value| value == "true");
    let all = std::mem::take(&mut file.rules);
    let (tokens, mut syntax): (Vec<G4Rule>, Vec<G4Rule>) =
        all.into_iter().partition(G4Rule::is_token);
    let conditional = predicates::conditional_rules(&tokens);
    let tokens = split(tokens, &conditional);
    let mut vocabulary = Vocabulary::new(&tokens);
    let mut lexical = lexical_rules(&tokens, insensitive, &mut vocabulary);
    characters::merge_choices(&mut lexical);
    file.warnings.append(&mut vocabulary.warnings);
    file.warnings.extend(line_ends::close(&mut lexical));
    let shadowed = shadowed::leave_out(&mut lexical, &vocabulary.modes, &vocabulary.conditional);
    file.warnings.extend(shadowed);
    let layout = ModeLayout::new(&mut lexical, &vocabulary.modes);
    file.warnings.extend(layout.warning.clone());
    vocabulary.note(&lexical, &layout);
    let start = eof::start(&syntax).map(|rule| rule.name.clone());
    file.warnings
        .extend(eof::leave_out(&mut syntax, start.as_deref()));
    vocabulary.add_literals(&syntax, insensitive);
    let mut rules: Vec<ForeignRule> = syntax
        .iter()
        .map(|rule| syntax_rule(rule, &vocabulary, insensitive))
        .collect();
    rules.append(&mut lexical);
    layout.write_before_tokens(&mut rules, &vocabulary.modes);
    let has_modes = vocabulary.modes.values().any(|mode| *mode != 0);
    ForeignGrammar {
        rules,
        start,
        tokenization: if has_modes {
            Tokenization::Modes
        } else {
            Tokenization::Longest
        },
        comments: file.comments,
        warnings: file.warnings,
        modes: vocabulary.modes,
        conditional: vocabulary.conditional,
        ..ForeignGrammar::default()
    }
}

/// The alternatives of a lexer rule with the same commands.
struct AlternativeGroup {
    commands: Vec<LexerCommand>,
    /// Whether they have predicates.
    is_conditional: bool,
    elements: Vec<Element>,
}

/// Splits lexer rules, so that all alternatives of a rule have the same commands. Also separates
/// the alternatives with predicates, because the others are always possible.
fn split(tokens: Vec<G4Rule>, conditional: &HashSet<String>) -> Vec<G4Rule> {
    let mut all = Vec::new();
    for mut rule in tokens {
        let mut groups: Vec<AlternativeGroup> = Vec::new();
        for (element, commands) in std::mem::take(&mut rule.alternatives) {
            let is_conditional =
                !rule.is_fragment && predicates::has_predicate(&element, conditional);
            let mut known = groups.iter_mut();
            match known
                .find(|group| group.commands == commands && group.is_conditional == is_conditional)
            {
                Some(group) => group.elements.push(element),
                None => groups.push(AlternativeGroup {
                    commands,
                    is_conditional,
                    elements: vec![element],
                }),
            }
        }
        for (at, group) in groups.into_iter().enumerate() {
            let AlternativeGroup {
                commands, elements, ..
            } = group;
            let mut part = rule.clone();
            part.alternatives = elements
                .into_iter()
                .map(|one| (one, commands.clone()))
                .collect();
            if at > 0 {
                part.comments.clear();
                part.warnings.clear();
                // The tokens of the added rule have the type of the original rule.
                part.name = format!("{}_alternative_{}", rule.name, at + 1);
                let names_type = commands.iter().any(|command| command.name == "type");
                if !names_type {
                    let command = LexerCommand {
                        name: "type".into(),
                        argument: Some(rule.name.clone()),
                    };
                    part.alternatives
                        .iter_mut()
                        .for_each(|one| one.1.push(command.clone()));
                }
            }
            all.push(part);
        }
    }
    all
}

/// Makes the rules of the lexer.
fn lexical_rules(
    tokens: &[G4Rule],
    insensitive: bool,
    vocabulary: &mut Vocabulary,
) -> Vec<ForeignRule> {
    let by_name: HashMap<String, G4Rule> = tokens
        .iter()
        .map(|rule| (rule.name.clone(), rule.clone()))
        .collect();
    let conditional = predicates::conditional_rules(tokens);
    let classes = classes::of_rules(&by_name, insensitive);
    let mut rules = Vec::new();
    let mut steps = Vec::new();
    for rule in tokens {
        let mut lexical = Lexical {
            rules: &by_name,
            classes: &classes,
            work: Cell::new(0),
            insensitive: rule.case_insensitive.unwrap_or(insensitive),
            warnings: rule.warnings.clone(),
            rule,
        };
        let elements = rule.alternatives.iter().map(|one| &one.0);
        let bodies: Vec<Expression> = elements.map(|one| lexical.expression(one)).collect();
        let body = Expression::choice(bodies);
        let commands = rule
            .alternatives
            .first()
            .map(|one| &one.1[..])
            .unwrap_or_default();
        let has = |name: &str| commands.iter().any(|command| command.name == name);
        let changes_mode = has("mode") || has("pushMode") || has("popMode");
        let is_hidden = has("skip")
            || commands.iter().any(|command| {
                command.name == "channel"
                    && command.argument.as_deref() != Some("DEFAULT_TOKEN_CHANNEL")
            });
        let mut kind = ForeignKind::Token(0);
        let mut body = body;
        if rule.is_fragment {
            kind = ForeignKind::Fragment;
        } else if has("more") {
            kind = ForeignKind::Fragment;
            if let Expression::Class(class) = &body {
                body = Expression::Class(class.minus(&taken(rule, tokens, &lexical)));
            }
            for to in modes::targets(rule, tokens) {
                steps.push(MoreRule {
                    from: rule.mode.clone(),
                    to,
                    body: Expression::name(rule.name.clone()),
                });
            }
        } else if is_hidden && changes_mode {
            kind = ForeignKind::Fragment;
            vocabulary.warnings.push(Finding::new(
                rule.location.clone(),
                format!("the layout `{}` changes the mode", rule.name),
                "it was left out",
            ));
        } else if is_hidden && conditional.contains(&rule.name) {
            kind = ForeignKind::Fragment;
            vocabulary.warnings.push(Finding::new(
                rule.location.clone(),
                format!("the layout `{}` has a predicate", rule.name),
                "it was left out, because it is possible only where the predicate holds",
            ));
        } else if is_hidden {
            kind = ForeignKind::Layout(0);
        } else {
            let mut types = commands.iter().filter(|command| command.name == "type");
            let named = types
                .next_back()
                .and_then(|command| command.argument.clone());
            match named {
                Some(named) if named != rule.name => {
                    vocabulary
                        .producers
                        .entry(named.clone())
                        .or_default()
                        .push(rule.name.clone());
                    if !vocabulary.types.contains(&named) && !by_name.contains_key(&named) {
                        vocabulary.types.push(named);
                    }
                }
                _ => vocabulary.types.push(rule.name.clone()),
            }
        }
        rules.push(ForeignRule {
            name: rule.name.clone(),
            kind,
            comments: rule.comments.clone(),
            location: rule.location.clone(),
            body,
            warnings: lexical.warnings,
        });
    }
    vocabulary.conditional = conditional;
    // A type without a rule of its own cannot be written as a token.
    let ruled: HashSet<String> = rules.iter().map(|rule| rule.name.clone()).collect();
    for name in vocabulary
        .producers
        .keys()
        .filter(|name| !ruled.contains(*name))
    {
        vocabulary.unseen.insert(name.clone());
    }
    let mut prefixes = modes::prefixes(&steps, tokens);
    for (rule, source) in rules.iter_mut().zip(tokens) {
        let is_token = matches!(rule.kind, ForeignKind::Token(_) | ForeignKind::Layout(_));
        if let (true, Some(prefix)) = (is_token, prefixes.get_mut(&source.mode)) {
            let body = std::mem::replace(&mut rule.body, Expression::empty());
            rule.body = Expression::sequence([prefix.clone(), body]);
            // It begins in the mode in which its first part is read.
            let is_entered = matches!(prefix, Expression::Sequence(parts) if parts.is_empty());
            if !is_entered {
                vocabulary.begin(&rule.name, &source.mode, &steps, tokens);
            }
        }
    }
    rules
}

/// The characters that earlier rules of the mode take from a rule of one character.
fn taken(rule: &G4Rule, tokens: &[G4Rule], lexical: &Lexical) -> CharacterClass {
    let earlier = tokens.iter().take_while(|other| other.name != rule.name);
    earlier
        .filter(|other| other.mode == rule.mode && !other.is_fragment)
        .filter_map(|other| lexical.class(&Element::Name(other.name.clone())))
        .fold(CharacterClass::new([]), |all, class| all.union(&class))
}

fn syntax_rule(rule: &G4Rule, vocabulary: &Vocabulary, insensitive: bool) -> ForeignRule {
    let insensitive = rule.case_insensitive.unwrap_or(insensitive);
    let alternatives = rule.alternatives.iter();
    let bodies: Vec<Expression> = alternatives
        .map(|one| syntax(&one.0, vocabulary, insensitive))
        .collect();
    ForeignRule {
        name: rule.name.clone(),
        kind: ForeignKind::Syntax,
        comments: rule.comments.clone(),
        location: rule.location.clone(),
        body: Expression::choice(bodies),
        warnings: rule.warnings.clone(),
    }
}

/// Returns the expression of an element of a syntax rule.
fn syntax(element: &Element, vocabulary: &Vocabulary, insensitive: bool) -> Expression {
    let all = |parts: &[Element]| -> Vec<Expression> {
        parts
            .iter()
            .map(|part| syntax(part, vocabulary, insensitive))
            .collect()
    };
    match element {
        Element::Literal(text) => match vocabulary.aliases.get(text) {
            Some(name) => vocabulary.token(name),
            None => classes::literal(text, insensitive),
        },
        Element::Name(name) if name.starts_with(char::is_uppercase) => vocabulary.token(name),
        Element::Name(name) => Expression::name(name.clone()),
        Element::End | Element::Predicate => Expression::empty(),
        Element::Any => vocabulary.others(&[]),
        Element::Not(inner) => match &**inner {
            Element::Choice(parts) => vocabulary.others(&parts.iter().collect::<Vec<_>>()),
            one => vocabulary.others(&[one]),
        },
        Element::Set(class) => Expression::Class(class.clone()),
        Element::Sequence(parts) => Expression::sequence(all(parts)),
        Element::Choice(parts) => Expression::choice(all(parts)),
        Element::Repeat {
            element,
            at_least,
            at_most,
            ..
        } => syntax(element, vocabulary, insensitive).repeat(*at_least, *at_most),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::antlr::parser;

    fn grammar(text: &str) -> ForeignGrammar {
        lower(parser::parse(text, 0).unwrap())
    }

    fn rule<'a>(grammar: &'a ForeignGrammar, name: &str) -> &'a ForeignRule {
        grammar.rules.iter().find(|rule| rule.name == name).unwrap()
    }

    #[test]
    fn literals_are_the_tokens_that_have_them() {
        let grammar = grammar(
            "grammar A; r : 'if' ID '+' EOF ; IF : 'if' ; ID : [a-z]+ ; WS : ' ' -> skip ;",
        );
        let body = Expression::sequence([
            Expression::name("IF"),
            Expression::name("ID"),
            Expression::literal("+"),
        ]);
        assert_eq!(rule(&grammar, "r").body, body);
        assert_eq!(rule(&grammar, "WS").kind, ForeignKind::Layout(0));
        assert_eq!(grammar.tokenization, Tokenization::Longest);
        assert_eq!(grammar.start.as_deref(), Some("r"));
    }

    #[test]
    fn a_mode_without_layout_has_adjacent_tokens() {
        let grammar = grammar(
            "grammar A; r : OPEN TEXT* CLOSE ; OPEN : '\"' -> pushMode(S) ; WS : ' ' -> skip ; \
             mode S; TEXT : ~'\"' ; CLOSE : '\"' -> popMode ;",
        );
        let Expression::Sequence(parts) = &rule(&grammar, "r").body else {
            panic!("no sequence");
        };
        assert_eq!(parts[0], Expression::name("OPEN"));
        let text = Expression::name("TEXT").adjacent().repeat(0, None);
        assert_eq!(parts[1], text);
        assert_eq!(parts[2], Expression::name("CLOSE").adjacent());
        assert_eq!(grammar.modes["TEXT"], 1);
    }

    #[test]
    fn the_text_of_more_belongs_to_the_next_token() {
        let grammar = grammar(
            "grammar A; r : STRING ; QUOTE : '\"' -> more, mode(S) ; \
             mode S; STRING : '\"' -> mode(DEFAULT_MODE) ; TEXT : . -> more ;",
        );
        let body = Expression::sequence([
            Expression::name("QUOTE"),
            Expression::name("TEXT").repeat(0, None),
            Expression::literal("\""),
        ]);
        assert_eq!(rule(&grammar, "STRING").body, body);
        assert!(!grammar.modes.contains_key("STRING"));
        let quote = CharacterClass::of("\"");
        let text = Expression::Class(CharacterClass::any().minus(&quote));
        assert_eq!(rule(&grammar, "TEXT").body, text);
    }

    #[test]
    fn comments_to_the_end_of_the_line_have_their_line_feed() {
        let grammar = grammar(
            "grammar A; r : 'a' ; C : '//' ~[\\n]* -> skip ; WS : [ \\n]+ -> channel(HIDDEN) ;",
        );
        let Expression::Sequence(parts) = &rule(&grammar, "C").body else {
            panic!("no sequence");
        };
        assert_eq!(parts.last(), Some(&Expression::literal("\n")));
    }

    #[test]
    fn loops_that_are_not_greedy_stop_at_their_end() {
        let grammar = grammar(
            "grammar A; r : S ; S : '\"' (E | .)*? '\"' ; fragment E : '\\\\' . ; \
             B : '/*' .*? '*/' -> skip ; L : '#' .*? '\\r'? '\\n' -> skip ;",
        );
        let other = CharacterClass::any().minus(&CharacterClass::of("\"\\"));
        let inner = Expression::choice([Expression::name("E"), Expression::Class(other)]);
        let quote = || Expression::literal("\"");
        let string = Expression::sequence([quote(), inner.repeat(0, None), quote()]);
        assert_eq!(rule(&grammar, "S").body, string);
        let comment = Expression::until(&CharacterClass::any(), "*/");
        let comment = Expression::sequence([Expression::literal("/*"), comment]);
        assert_eq!(rule(&grammar, "B").body, comment);
        let Expression::Sequence(line) = &rule(&grammar, "L").body else {
            panic!("no sequence");
        };
        let rest = CharacterClass::any().minus(&CharacterClass::of("\n"));
        assert_eq!(line[1], Expression::Class(rest).repeat(0, None));
    }

    #[test]
    fn a_type_is_one_of_the_tokens_that_return_it() {
        let grammar = grammar(
            "grammar A; tokens { T } r : T X ; X : 'x' ; Y : 'y' -> type(X) ; Z : 'z' -> type(T) ;",
        );
        let both = Expression::choice([Expression::name("X"), Expression::name("Y")]);
        let body = Expression::sequence([Expression::name("Z"), both]);
        assert_eq!(rule(&grammar, "r").body, body);
    }

    #[test]
    fn case_insensitive_rules_have_both_cases() {
        let grammar = grammar(
            "grammar A; options { caseInsensitive = true; } r : 'a' X Y ; X : [a-c] ; \
             Y options { caseInsensitive = false; } : 'y' ;",
        );
        let Expression::Class(class) = &rule(&grammar, "X").body else {
            panic!("no class");
        };
        assert!(class.contains('B'));
        assert_eq!(rule(&grammar, "Y").body, Expression::literal("y"));
    }
}
