//! Reads the grammars of Yacc and Bison, with the lexer of Lex or Flex beside it.
//!
//! The reader is zester's own. The crate `cfgrammar` refuses the declarations that nearly every grammar of
//! Bison has, such as `%token <type>`, `%type`, `%union`, `%code` and `%precedence`.

mod declarations;
mod empty_rules;
mod flex;
mod flex_file;
mod flex_pattern;
mod flex_scan;
mod levels;
mod rules;
mod scan;
mod token_names;

use std::collections::{HashMap, HashSet};

use self::declarations::{Declarations, DeclaredToken};
use self::flex::FlexTokens;
use self::rules::{YaccAlternative, YaccRule, YaccSymbol};
use self::token_names::TokenText;
use super::class::CharacterClass;
use super::expression::{
    Expression, Finding, ForeignGrammar, ForeignKind, ForeignRule, SourceLocation, Tokenization,
};
use super::sources::Sources;
use super::token_table::TokenTable;

/// Reads a grammar. The tokens in `table` replace those of the grammar.
pub fn read(
    sources: &mut Sources,
    file: usize,
    table: &TokenTable,
) -> Result<ForeignGrammar, Finding> {
    let scanned = scan::scan(sources.text(file), file)?;
    let (declarations, at) = declarations::read(&scanned);
    let mut rules = joined(rules::read(&scanned[at..])?);
    if rules.is_empty() {
        return Err(Finding::new(
            SourceLocation::new(file, 0..0),
            "a grammar without rules",
            "there is no rule after `%%`",
        ));
    }
    let first = rules[0].name.clone();
    let start = declarations.start.clone().unwrap_or(first);
    empty_rules::leave_out(&mut rules, &start);
    levels::split(&mut rules, &declarations);
    let names = rules.iter().map(|rule| &rule.name);
    let taken = names.chain(declarations.tokens.keys()).cloned().collect();
    let lexer = flex::beside(sources, file, taken);
    let mut grammar = ForeignGrammar {
        start: Some(start),
        tokenization: Tokenization::Longest,
        comments: scanned
            .first()
            .map(|one| one.comments.clone())
            .unwrap_or_default(),
        warnings: declarations.warnings.clone(),
        ..ForeignGrammar::default()
    };
    let tokens = Tokens::new(&rules, &declarations, &lexer, table);
    let mut has_line_feeds = false;
    for rule in &rules {
        let alternatives = rule
            .alternatives
            .iter()
            .map(|alternative| tokens.sequence(alternative));
        let body = Expression::choice(alternatives);
        body.visit(&mut |part| {
            has_line_feeds |= matches!(part, Expression::Literal { text, .. } if text == "\n");
        });
        grammar.rules.push(ForeignRule {
            name: rule.name.clone(),
            kind: ForeignKind::Syntax,
            comments: rule.comments.clone(),
            location: rule.location.clone(),
            body,
            warnings: rule.warnings.clone(),
        });
        grammar.warnings.extend(tokens.misread(rule));
    }
    grammar.warnings.push(Finding::new(
        SourceLocation::new(file, 0..0),
        "the code of the grammar was left out",
        "what it checks or makes the lexer do is not part of the sentences",
    ));
    let (guessed, warning) = tokens.guesses();
    grammar.warnings.extend(warning);
    has_line_feeds |= guessed
        .iter()
        .any(|rule| rule.body == Expression::literal("\n"));
    grammar.rules.extend(guessed);
    grammar.warnings.extend(lexer.warnings.clone());
    let has_layout = lexer
        .rules
        .iter()
        .any(|rule| matches!(rule.kind, ForeignKind::Layout(_)));
    grammar.rules.extend(lexer.rules);
    if !has_layout {
        grammar.rules.push(layout(file, has_line_feeds));
    }
    Ok(grammar)
}

/// The layout of a grammar whose lexer is not known.
fn layout(file: usize, has_line_feeds: bool) -> ForeignRule {
    let location = SourceLocation::new(file, 0..0);
    let characters = if has_line_feeds { " \t" } else { " \t\n" };
    let warning = Finding::new(
        location.clone(),
        "layout is not part of the grammar",
        "blanks are allowed between tokens, and comments are not known; `%layout` in a table of tokens says what layout is",
    );
    ForeignRule {
        location,
        warnings: vec![warning],
        ..ForeignRule::new(
            "layout",
            ForeignKind::Layout(-1),
            Expression::Class(CharacterClass::of(characters)).repeat(1, None),
        )
    }
}

/// Joins rules of one name to one rule.
fn joined(rules: Vec<YaccRule>) -> Vec<YaccRule> {
    let mut all: Vec<YaccRule> = Vec::new();
    let mut index: HashMap<String, usize> = HashMap::new();
    for rule in rules {
        match index.get(&rule.name) {
            Some(&at) => {
                all[at].alternatives.extend(rule.alternatives);
                all[at].warnings.extend(rule.warnings);
            }
            None => {
                index.insert(rule.name.clone(), all.len());
                all.push(rule);
            }
        }
    }
    all
}

/// The meaning of the tokens of a grammar.
struct Tokens<'a> {
    declarations: &'a Declarations,
    lexer: &'a FlexTokens,
    table: &'a TokenTable,
    rules: HashSet<&'a str>,
    /// Whether the aliases that are texts have quotation marks.
    marked: bool,
}

impl<'a> Tokens<'a> {
    fn new(
        rules: &'a [YaccRule],
        declarations: &'a Declarations,
        lexer: &'a FlexTokens,
        table: &'a TokenTable,
    ) -> Self {
        let aliases = declarations
            .tokens
            .values()
            .filter_map(|token| token.alias.as_deref());
        Tokens {
            declarations,
            lexer,
            table,
            rules: rules.iter().map(|rule| &*rule.name).collect(),
            marked: aliases
                .filter(|alias| token_names::has_marks(alias))
                .count()
                > 1,
        }
    }

    fn sequence(&self, alternative: &YaccAlternative) -> Expression {
        Expression::sequence(alternative.symbols.iter().map(|symbol| match symbol {
            YaccSymbol::Name(name) => self.named(name),
            YaccSymbol::Character(text) if self.lexer.reads_otherwise(text) => Expression::never(),
            YaccSymbol::Character(text) => Expression::literal(text.clone()),
            YaccSymbol::Text(text) => match self.declarations.aliases.get(text) {
                Some(name) => self.named(name),
                None => Expression::literal(text.clone()),
            },
        }))
    }

    /// Returns warnings of characters in a rule that the lexer reads as something else.
    fn misread(&self, rule: &YaccRule) -> Vec<Finding> {
        let symbols = rule.alternatives.iter().flat_map(|one| &one.symbols);
        let mut texts: Vec<&str> = symbols
            .filter_map(|symbol| match symbol {
                YaccSymbol::Character(text) if self.lexer.reads_otherwise(text) => Some(&**text),
                _ => None,
            })
            .collect();
        texts.sort_unstable();
        texts.dedup();
        let warnings = texts.iter().map(|text| {
            Finding::new(
                rule.location.clone(),
                format!("alternatives with {text:?} were left out"),
                "the lexer reads it as another token or as layout",
            )
        });
        warnings.collect()
    }

    fn named(&self, name: &str) -> Expression {
        if self.table.has(name) {
            return Expression::name(name);
        }
        let token = self.declarations.tokens.get(name);
        if token.is_some_and(|token| token.is_end) || matches!(name, "YYEOF" | "$end") {
            return Expression::empty();
        }
        if self.rules.contains(name) || self.lexer.has(name) {
            return match self.lexer.texts.get(name) {
                Some(text) if !self.rules.contains(name) => text.clone(),
                _ => Expression::name(name),
            };
        }
        match self.text(name, token) {
            TokenText::Known(text) => Expression::literal(text),
            TokenText::Guessed(_) | TokenText::Unknown => Expression::name(name),
        }
    }

    fn text(&self, name: &str, token: Option<&DeclaredToken>) -> TokenText {
        let alias = token.and_then(|token| token.alias.as_deref());
        match token_names::text_of(name, alias, self.marked) {
            // The lexer has a pattern for the token, which was left out: the name is not its text.
            TokenText::Guessed(_) if self.lexer.unread.contains(name) => TokenText::Unknown,
            text => text,
        }
    }

    /// The tokens whose texts are guesses, as rules that a table of tokens can replace, and a warning.
    fn guesses(&self) -> (Vec<ForeignRule>, Option<Finding>) {
        let is_open = |name: &str| {
            !self.rules.contains(name) && !self.lexer.has(name) && !self.table.has(name)
        };
        let all = self.declarations.tokens.iter();
        let guessed = all
            .filter(|(name, _)| is_open(name))
            .filter_map(|(name, token)| {
                let TokenText::Guessed(text) = self.text(name, Some(token)) else {
                    return None;
                };
                Some(ForeignRule {
                    location: token.location.clone(),
                    ..ForeignRule::new(
                        name.clone(),
                        ForeignKind::Token(1),
                        Expression::literal(text),
                    )
                })
            });
        let mut rules: Vec<ForeignRule> = guessed.collect();
        rules.sort_by_key(|rule| rule.location.span.start);
        let warning = rules.first().map(|first| {
            Finding::new(
                first.location.clone(),
                match rules.len() {
                    1 => format!("the text of `{}` is a guess from its name", first.name),
                    count => format!("the texts of {count} tokens are guesses from their names"),
                },
                match rules.len() {
                    1 => "a table of tokens gives another text".into(),
                    _ => format!(
                        "`{}` is one of them; a table of tokens gives other texts",
                        first.name
                    ),
                },
            )
        });
        (rules, warning)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn imported(text: &str) -> Result<ForeignGrammar, Finding> {
        let mut sources = Sources::default();
        let file = sources.add(Path::new("/no such folder/g.y"), text.into());
        read(&mut sources, file, &TokenTable::default())
    }

    #[test]
    fn the_types_of_rules_of_grmtools_are_left_out() {
        let typed = "%start a\n%expect-unused 'B'\n%%\na -> Result<x::Y<'input>, ()>:\n  b 'c' { $2 } | 'd'\n;\nb -> u8: 'e' { 0 };\n";
        let plain = "%start a\n%%\na: b 'c' | 'd' ;\nb: 'e';\n";
        let (typed, plain) = (imported(typed).unwrap(), imported(plain).unwrap());
        let rules = |grammar: &ForeignGrammar| -> Vec<(String, Expression)> {
            let rules = grammar.rules.iter();
            rules
                .map(|rule| (rule.name.clone(), rule.body.clone()))
                .collect()
        };
        assert_eq!(rules(&typed), rules(&plain));
        // The code of the grammar is left out.
        assert_eq!(typed.warnings.len(), 1);
        assert!(imported("%%\na -> u8 { }").is_err());
    }

    #[test]
    fn rules_of_bison_become_rules() {
        let grammar = imported(
            "/* About. */\n%{ int x; %}\n%union { int n; }\n%token END 0 \"end of file\"\n\
             %token <n> T_IF \"'if'\" T_ELSE \"'else'\" NUMBER KW_DO\n%type <n> list\n%code { }\n%%\n\
             start: list END ;\n/* A list. */\nlist[l]: %empty | list { f(); } item[x] ',' %prec T_IF { $$ = $1; }\n\
             item: T_IF NUMBER KW_DO | \"'else'\" | error ';' { yyerrok; }\n%%\nint x() { }\n",
        )
        .unwrap();
        assert_eq!(grammar.comments, ["About."]);
        assert_eq!(grammar.start.as_deref(), Some("start"));
        let name = |name: &str| Expression::name(name);
        let literal = |text: &str| Expression::literal(text);
        assert_eq!(grammar.rules[0].body, name("list"));
        assert_eq!(grammar.rules[1].comments, ["A list."]);
        let list = Expression::sequence([name("list"), name("item"), literal(",")]);
        assert_eq!(
            grammar.rules[1].body,
            Expression::choice([Expression::empty(), list])
        );
        let item = Expression::sequence([literal("if"), name("NUMBER"), name("KW_DO")]);
        assert_eq!(
            grammar.rules[2].body,
            Expression::choice([item, literal("else")])
        );
        assert_eq!(grammar.rules[2].warnings.len(), 1);
        assert_eq!(grammar.rules[3].body, literal("do"));
        assert_eq!(grammar.rules[4].kind, ForeignKind::Layout(-1));
    }

    #[test]
    fn errors_have_a_location() {
        for text in [
            "a: b",
            "%%\n",
            "%% a b",
            "%% a: b(c) ;",
            "%% a: b %what c ;",
            "%% : :",
            "%% | a",
        ] {
            let error = imported(text).unwrap_err();
            assert!(error.location.span.end <= text.len(), "{text}: {error:?}");
        }
    }
}
