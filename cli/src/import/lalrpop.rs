//! Reads the grammars of LALRPOP.

mod arguments;
mod lexer;
mod lower;
mod parser;
mod precedence;
mod shadowed;
mod syntax;
mod terminals;

use super::expression::{Finding, ForeignGrammar};
use super::sources::Sources;

/// Reads a grammar.
pub fn read(sources: &mut Sources, file: usize) -> Result<ForeignGrammar, Finding> {
    let source = parser::parse(sources.text(file), file)?;
    lower::lower(source, file)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::import::expression::Expression;
    use crate::import::write;

    fn imported(text: &str) -> Result<ForeignGrammar, Finding> {
        let mut sources = Sources::default();
        let file = sources.add(Path::new("g.lalrpop"), text.into());
        read(&mut sources, file)
    }

    /// Returns the rules as they are written.
    fn written(text: &str) -> String {
        let mut written = String::new();
        for rule in imported(text).unwrap().rules {
            write::rule(&rule, write::annotation(rule.kind), false, &mut written);
        }
        written
    }

    #[test]
    fn rules_tokens_and_macros() {
        let text = r##"grammar;
// A list.
pub List: Vec<u8> = "[" <Comma<Item>> "]" => <>;
Comma<T>: Vec<T> = { <v:(<T> ",")*> <e:T?> => { v } };
Item = { Number, <@L> "-" <n:r"[0-9]+"> <@R> => -n, r#"'[a-z]'"# };
Number: u8 = r"[0-9]+" => <>.parse().unwrap();
"##;
        assert_eq!(
            written(text),
            r#"// A list.
List = "[" Comma_Item "]" ;
Comma_Item = (Item ",")* Item? ;
Item = Number | "-" Number | Item_token ;
@token Item_token = "'" [a-z] "'" ;
@token Number = [0-9]+ ;
@skip layout = [\t-\r \u{85}\u{A0}\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}]+ ;
"#
        );
        assert_eq!(imported(text).unwrap().start.unwrap(), "List");
    }

    #[test]
    fn conditions_choose_alternatives() {
        let text = r#"grammar;
pub S = A<"1"> A<"2">;
A<L> = { "x" if L == "1", "y" if L != "1", "z" if L ~~ "^[12]$", L if L !~ "2" };
match { r"\s" => { } } else { _ }
"#;
        assert_eq!(
            written(text).lines().take(3).collect::<Vec<_>>(),
            [
                "S = A_1 A_2 ;",
                "A_1 = \"x\" | \"z\" | \"1\" ;",
                "A_2 = \"y\" | \"z\" ;"
            ]
        );
        let wrong = "grammar; S = A<B>; A<X> = { \"x\" if X == \"1\" }; B = \"b\";";
        assert!(imported(wrong).unwrap_err().label.contains("no literal"));
    }

    #[test]
    fn levels_become_rules() {
        let text = r#"grammar;
// About.
pub E = {
    #[precedence(level="0")] "x", "(" <E> ")",
    #[precedence(level="1")] #[assoc(side="left")] E "*" E,
    #[precedence(level="2")] "-" E,
    #[assoc(side="none")] E "<" E,
};
match { r" " => { } }
"#;
        assert_eq!(
            written(text),
            "// About.\nE = \"-\" E | E1 \"<\" E1 | E1 ;\nE1 = E1 \"*\" E0 | E0 ;\n\
             E0 = \"x\" | \"(\" E0 \")\" ;\n@skip layout = \" \" ;\n"
        );
        let wrong = "grammar; E = { #[precedence(level=\"x\")] \"x\" };";
        assert!(imported(wrong).is_err());
    }

    #[test]
    fn tokens_have_the_names_and_priorities_of_the_match_block() {
        let text = r#"grammar;
pub S = { IF ID, "q" ID "+", r"[a-z]+" };
match { r"//.*" => { }, "if" => IF, "'" => "q" } else { r"[a-z]+" => ID, _ }
"#;
        assert_eq!(
            written(text),
            "S = \"if\" ID | \"'\" ID \"+\" | ID ;\n@token ID = [a-z]+ ;\n@skip layout = \"//\" [^\\n]* ;\n"
        );
    }

    #[test]
    fn a_literal_of_a_later_block_is_never_read() {
        let text = r#"grammar;
pub S = { "if" ID, "let" ID, "!" };
match { r"[a-z]+" => ID, "if" } else { r" " => { }, _ }
"#;
        let grammar = imported(text).unwrap();
        assert!(grammar.rules[0].warnings[0].message.contains("`let`"));
        let derives = |part: &Expression| part.parts().contains(&&Expression::literal("if"));
        assert!(grammar.rules[0].body.parts().into_iter().any(derives));
        let is_left_out = |part: &Expression| part.parts().contains(&&Expression::never());
        assert!(grammar.rules[0].body.parts().into_iter().any(is_left_out));
    }

    #[test]
    fn external_tokens_are_literals_or_names() {
        let text = r#"grammar;
pub S = { "name" "=" "if" Indent "string literal" "S", ! };
pub T = "=" =>? f();
extern { enum Tok { "name" => Tok::Name(<String>), "=" => Tok::Equals, "if" => Tok::If, Indent => Tok::Indent,
    "string literal" => Tok::String(<String>), "S" => Tok::S(<String>) } }
"#;
        let grammar = imported(text).unwrap();
        assert_eq!(grammar.warnings.len(), 2);
        assert_eq!(grammar.rules.len(), 3);
        assert_eq!(grammar.rules[0].warnings.len(), 1);
        assert_eq!(grammar.rules[1].warnings.len(), 1);
        assert!(written(text).contains("@skip layout = [\\t\\n\\r ]+ ;"));
        assert!(written(text).contains("S = name \"=\" \"if\" Indent string_literal S_token"));
    }

    #[test]
    fn macros_without_an_end_are_errors() {
        for text in [
            "grammar; S = A<\"x\">; A<X> = { X, A<(X \"y\")> };",
            "grammar; S = A<\"x\">; A<X> = { X, A<(X X)> };",
            "grammar; S = A<\"x\">; A<X> = { X, A<X?> };",
            "grammar; S = A<\"x\", \"y\">; A<X> = X;",
            "grammar; S = \"a\"; S = \"b\";",
            "grammar; S = r\"(\";",
        ] {
            assert!(imported(text).is_err(), "{text}");
        }
    }
}
