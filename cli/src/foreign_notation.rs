//! The notations of grammars that `zester import` reads. The notation of a file is guessed from its
//! name and its text.

use std::path::Path;

/// A notation of grammars that is not zester's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Notation {
    /// ABNF (RFC 5234)
    Abnf,
    /// ANTLR 4: a grammar, or a parser grammar with its lexer grammar in the same directory
    Antlr,
    /// LALRPOP
    Lalrpop,
    /// pest
    Pest,
    /// The file `src/grammar.json` of a tree-sitter grammar
    TreeSitter,
    /// The EBNF of the W3C, with `::=`; also BNF
    W3c,
    /// Yacc and Bison
    Yacc,
}

impl Notation {
    /// The name of the notation in messages.
    pub fn name(self) -> &'static str {
        match self {
            Notation::Abnf => "ABNF",
            Notation::Antlr => "ANTLR 4",
            Notation::Lalrpop => "LALRPOP",
            Notation::Pest => "pest",
            Notation::TreeSitter => "tree-sitter",
            Notation::W3c => "W3C EBNF",
            Notation::Yacc => "Yacc",
        }
    }

    /// Guesses the notation of a file by its name and its text. Returns [`None`] for zester's own
    /// notation and for unknown ones.
    pub fn of(path: &Path, text: &str) -> Option<Notation> {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let by_name = match &*extension.to_ascii_lowercase() {
            "abnf" => Some(Notation::Abnf),
            "g4" => Some(Notation::Antlr),
            "lalrpop" => Some(Notation::Lalrpop),
            "pest" => Some(Notation::Pest),
            "y" | "yy" | "ypp" | "y++" => Some(Notation::Yacc),
            _ => None,
        };
        by_name.or_else(|| Notation::of_text(text))
    }

    /// Guesses the notation of a text. Returns [`None`] for zester's own notation and for unknown ones.
    fn of_text(text: &str) -> Option<Notation> {
        let text = text.trim_start_matches('\u{FEFF}');
        let code = without_comments(text);
        let words: Vec<&str> = code.split_ascii_whitespace().take(4).collect();
        let has = |pattern: &str| code.contains(pattern);
        match words[..] {
            ["{", ..] | [] => {}
            ["grammar", name, ref rest @ ..]
            | ["parser" | "lexer", "grammar", name, ref rest @ ..]
                if name.ends_with(';') || rest.first() == Some(&";") =>
            {
                // In LALRPOP, no name follows `grammar`: `grammar;`, `grammar(…);`, `grammar<…>(…);`.
                return Some(Notation::Antlr);
            }
            _ => {}
        }
        if code.trim_start().starts_with('{') {
            let is_grammar = has("\"rules\"") && has("\"type\"");
            return is_grammar.then_some(Notation::TreeSitter);
        }
        let begins = |start: &str| code.lines().any(|line| line.starts_with(start));
        if begins("%%") {
            return Some(Notation::Yacc);
        }
        let defines = |line: &str| {
            let name = line.split_once("::=").map(|(name, _)| name.trim());
            name.is_some_and(|name| {
                let name = name.split_once(']').map_or(name, |(_, name)| name.trim());
                !name.is_empty() && !name.contains(['"', '\'', '=', '|'])
            })
        };
        if code.lines().any(defines) {
            return Some(Notation::W3c);
        }
        if begins("grammar;") || begins("grammar<") || begins("grammar(") {
            return Some(Notation::Lalrpop);
        }
        let rules = code.lines().filter_map(|line| line.split_once('='));
        let is_name = |name: &str| {
            let name = name.trim();
            !name.is_empty()
                && name
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
        };
        let mut pest = false;
        let mut abnf = false;
        for (name, body) in rules.filter(|(name, _)| is_name(name)) {
            let body = body.trim();
            // Rules end with `;` in zester's notation, but not in pest and ABNF.
            if body.ends_with(';') {
                return None;
            }
            pest |= ["{", "_{", "@{", "${", "!{"]
                .iter()
                .any(|mark| body.starts_with(mark));
            abnf |= name.contains('-')
                || body.contains(" / ")
                || body.contains("%x")
                || body.contains("1*")
                || body.contains("*(");
        }
        match (pest, abnf) {
            (true, _) => Some(Notation::Pest),
            (_, true) => Some(Notation::Abnf),
            _ => None,
        }
    }
}

/// Returns a text without the lines that begin with `//`, and without the lines from one that begins
/// with `/*` to the next one with `*/`.
fn without_comments(text: &str) -> String {
    let mut code = String::new();
    let mut inside = false;
    for line in text.lines() {
        let start = line.trim_start();
        if inside || start.starts_with("/*") {
            inside = !line.contains("*/");
        } else if !start.starts_with("//") {
            code.push_str(line);
            code.push('\n');
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_show_their_notation() {
        let cases = [
            ("grammar Hello;\nr : 'hello' ID ;", Some(Notation::Antlr)),
            (
                "/* about */\nparser grammar P;\noptions {}\n",
                Some(Notation::Antlr),
            ),
            ("parser grammar P ;\nr : 'x' ;", Some(Notation::Antlr)),
            (
                "{\n \"name\": \"x\", \"rules\": { \"a\": {\"type\": \"BLANK\"} } }",
                Some(Notation::TreeSitter),
            ),
            ("{ \"a\": 1 }", None),
            ("%token A\n%%\ns: A ;\n", Some(Notation::Yacc)),
            ("document ::= prolog element\n", Some(Notation::W3c)),
            (
                "use x;\ngrammar;\npub S: () = { \"a\" };",
                Some(Notation::Lalrpop),
            ),
            ("number = @{ ASCII_DIGIT+ }\n", Some(Notation::Pest)),
            ("uri = scheme \":\" hier-part / rel\n", Some(Notation::Abnf)),
            ("a = b*(\"x\") ;\nb = \"::=\"", None),
            ("@start s = \"a\" | b* ; b = \"x\" ;", None),
            ("", None),
        ];
        for (text, notation) in cases {
            assert_eq!(Notation::of(Path::new("file"), text), notation, "{text}");
        }
        assert_eq!(Notation::of(Path::new("a.g4"), ""), Some(Notation::Antlr));
    }
}
