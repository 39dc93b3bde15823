//! Facts about each language: how sentences are joined, tree-sitter's grammar, and chains.

use std::fmt;
use std::path::Path;

use crate::tree::Tree;

pub struct Language {
    pub name: &'static str,
    /// The rule whose sentences are joined; `None` means the start rule.
    pub rule: Option<&'static str>,
    /// The texts before, between and after the sentences.
    pub around: [&'static str; 3],
    /// tree-sitter's parser, if there is one.
    pub tree_sitter: Option<Tree>,
    pub chains: &'static [Chain],
}

/// A text with two repetitions of the same count: beginning, first element, middle, second element,
/// end.
pub struct Chain(
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

impl Chain {
    pub fn text(&self, length: usize) -> String {
        [
            self.0,
            &self.1.repeat(length),
            self.2,
            &self.3.repeat(length),
            self.4,
        ]
        .concat()
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Chain(before, open, middle, close, after) = self;
        let close = if close.is_empty() {
            String::new()
        } else {
            format!(" {close} …")
        };
        write!(
            formatter,
            "{before} {open} {open} … {middle}{close} {after}"
        )
    }
}

impl Language {
    /// Returns the language of a grammar, by the name of its file.
    pub fn of(file: &Path) -> Language {
        let stem = file
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default();
        all()
            .into_iter()
            .find(|language| language.name == stem)
            .unwrap_or_else(|| panic!("no language {stem} in languages.rs"))
    }

    pub fn join(&self, sentences: &[String]) -> String {
        let [before, between, after] = self.around;
        [before, &sentences.join(between), after].concat()
    }
}

fn all() -> Vec<Language> {
    let language = |name, rule, around, chains| Language {
        name,
        rule,
        around,
        tree_sitter: Tree::of(name),
        chains,
    };
    vec![
        language("cedar", None, ["", "\n", "\n"], CEDAR),
        language("cel", Some("expression"), ["[", "\n,", "\n]"], CEL),
        language("css", Some("rule"), ["", "\n", "\n"], CSS),
        language("ebnf", Some("item"), ["", "\n", "\n"], EBNF),
        language("expr", Some("statement"), ["", "\n", "\n"], EXPR),
        language("graphql", None, ["", "\n", "\n"], GRAPHQL),
        language("javascript", Some("statement"), ["", " ", ""], JAVASCRIPT),
        language("jinja", Some("general_node"), ["", "\n", "\n"], JINJA),
        language("jq", Some("filter"), ["[(", "\n),(", "\n)]"], JQ),
        language("json", None, ["[", ",\n", "]"], JSON),
        language("lua", None, ["do ", "\nend\ndo ", "\nend\n"], LUA),
        language("sql", Some("statement"), ["", ";\n", ";\n"], SQL),
        language("wat", Some("field"), ["(module ", "\n", "\n)"], WAT),
        language("wgsl", Some("global_decl"), ["", "\n", "\n"], WGSL),
        language("xml", Some("free_element"), ["<a>", "\n", "</a>"], XML),
    ]
}

const CEDAR: &[Chain] = &[
    Chain(
        "permit(principal,action,resource)when{",
        "(",
        "1",
        ")",
        "};",
    ),
    Chain(
        "permit(principal,action,resource)when{",
        "[",
        "1",
        "]",
        "};",
    ),
    Chain(
        "permit(principal,action,resource)when{true",
        "&&true",
        "",
        "",
        "};",
    ),
    Chain(
        "permit(principal,action,resource)when{1",
        "+1",
        "",
        "",
        "};",
    ),
    Chain(
        "permit(principal,action,resource)when{",
        "if true then 1 else ",
        "1",
        "",
        "};",
    ),
    Chain("", "permit(principal,action,resource);", "", "", ""),
];
const CEL: &[Chain] = &[
    Chain("", "(", "1", ")", ""),
    Chain("", "[", "1", "]", ""),
    Chain("[1", ",1", "", "", "]"),
    Chain("1", "+1", "", "", ""),
    Chain("a", "&&a", "", "", ""),
    Chain("", "a?1:", "1", "", ""),
];
const CSS: &[Chain] = &[
    Chain("", "@media print{", "", "}", ""),
    Chain("", "a{", "", "}", ""),
    Chain("", "a{color:red}", "", "", ""),
    Chain("a", " a", "", "", "{}"),
    Chain("a", ",a", "", "", "{}"),
    Chain("a{", "color:red;", "", "", "}"),
    Chain("", ":is(", "a", ")", "{}"),
    Chain("a{width:calc(1px", " + 1px", "", "", ")}"),
];
const EBNF: &[Chain] = &[
    Chain("a=", "(", "a", ")", ";"),
    Chain("a=a", "|a", "", "", ";"),
    Chain("a=a", " a", "", "", ";"),
    Chain("", "a=a;", "", "", ""),
];
const EXPR: &[Chain] = &[
    Chain("", "(", "1", ")", ";"),
    Chain("a", "+a", "", "", ";"),
    Chain("a", "**a", "", "", ";"),
    Chain("", "-", "a", "", ";"),
    Chain("", "a;", "", "", ""),
];
const GRAPHQL: &[Chain] = &[
    Chain("{a", "{a", "", "}", "}"),
    Chain("{a(x:", "[", "1", "]", ")}"),
    Chain("type A{a:", "[", "Int", "]", "}"),
    Chain("{", "a ", "", "", "}"),
    Chain("", "scalar A ", "", "", ""),
];
const JAVASCRIPT: &[Chain] = &[
    Chain("a=", "(", "1", ")", ";"),
    Chain("a=", "[", "1", "]", ";"),
    Chain("a=[1", ",1", "", "", "];"),
    Chain("a=x", "+x", "", "", ";"),
    Chain("a=1", "**1", "", "", ";"),
    Chain("a=", "!", "1", "", ";"),
    Chain("a=", "a?1:", "1", "", ";"),
    Chain("a=", "a=>", "1", "", ";"),
    Chain("a=a", ".b", "", "", ";"),
    Chain("", "{", "", "}", ""),
    Chain("", "if(a){}else ", "{}", "", ""),
    Chain("", "a=1;", "", "", ""),
];
const JINJA: &[Chain] = &[
    Chain("", "{%if a%}", "", "{%endif%}", ""),
    Chain("{{", "(", "1", ")", "}}"),
    Chain("{{", "[", "1", "]", "}}"),
    Chain("{{1", "+1", "", "", "}}"),
    Chain("{{a", "|upper", "", "", "}}"),
    Chain("{{a", ".b", "", "", "}}"),
    Chain("{{", "not ", "a", "", "}}"),
    Chain("{{", "1 if a else ", "1", "", "}}"),
    Chain("", "{{a}}", "", "", ""),
];
const JQ: &[Chain] = &[
    Chain("", "(", "1", ")", ""),
    Chain("", "[", "1", "]", ""),
    Chain(".", "|.", "", "", ""),
    Chain("[.", ",.", "", "", "]"),
    Chain(".", "+.", "", "", ""),
    Chain("", ". as $i|", ".", "", ""),
    Chain("", ".a", "", "", ""),
    Chain("if . then .", " elif . then .", "", "", " else . end"),
];
const JSON: &[Chain] = &[
    Chain("", "[", "", "]", ""),
    Chain("", "{\"a\":", "1", "}", ""),
    Chain("[1", ",1", "", "", "]"),
];
const LUA: &[Chain] = &[
    Chain("return ", "(", "1", ")", ""),
    Chain("return ", "{", "", "}", ""),
    Chain("return a", "^a", "", "", ""),
    Chain("return a", " .. a", "", "", ""),
    Chain("return a", "+a", "", "", ""),
    Chain("return ", "not ", "a", "", ""),
    Chain("return a", ".b", "", "", ""),
    Chain("return f", "()", "", "", ""),
    Chain("", "do ", "", "end ", ""),
    Chain("", "a=1 ", "", "", ""),
    Chain("if a then ", "elseif a then ", "", "", "end"),
];
const SQL: &[Chain] = &[
    Chain("select ", "(", "1", ")", ""),
    Chain("select 1", "+1", "", "", ""),
    Chain("select a", " and a", "", "", ""),
    Chain("select ", "not ", "a", "", ""),
    Chain("select ", "- ", "a", "", ""),
    Chain("select 1", ",1", "", "", ""),
    Chain("select 1", " union select 1", "", "", ""),
    Chain("select 1 from ", "(select 1 from ", "t", ")", ""),
    Chain("select 1", ";select 1", "", "", ""),
];
const WAT: &[Chain] = &[
    Chain("(module(func ", "(block ", "", ")", "))"),
    Chain("(module(func ", "block ", "", " end", "))"),
    Chain("(module(func ", "(i32.eqz ", "(i32.const 1)", ")", "))"),
    Chain("(module(func ", "nop ", "", "", "))"),
    Chain("(module ", "(func)", "", "", ")"),
];
const WGSL: &[Chain] = &[
    Chain("const a=", "(", "1", ")", ";"),
    Chain("const a=1", "+1", "", "", ";"),
    Chain("const a=", "- ", "1", "", ";"),
    Chain("const a=a", ".b", "", "", ";"),
    Chain("const a=a", "&&a", "", "", ";"),
    Chain("fn f(){", "{", "", "}", "}"),
    Chain("fn f(){", "if a{}else ", "if a{}", "", "}"),
    Chain("fn f(){", "a=1;", "", "", "}"),
    Chain("", "const a=1;", "", "", ""),
];
const XML: &[Chain] = &[
    Chain("", "<a>", "", "</a>", ""),
    Chain("<a>", "<a/>", "", "", "</a>"),
    Chain("<a>", "x<!---->", "", "", "</a>"),
];
