//! Counts the files of a directory that a reference parser accepts.
//!
//! `reference tree-sitter LANGUAGE DIRECTORY` or `reference pest GRAMMAR START DIRECTORY`. Prints the number
//! of accepted files, the number of all, and the names of the first rejected ones.

use std::path::PathBuf;

fn language(name: &str) -> tree_sitter::Language {
    match name {
        "json" => tree_sitter_json::LANGUAGE.into(),
        "javascript" => tree_sitter_javascript::LANGUAGE.into(),
        "typescript" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX.into(),
        "python" => tree_sitter_python::LANGUAGE.into(),
        "rust" => tree_sitter_rust::LANGUAGE.into(),
        "go" => tree_sitter_go::LANGUAGE.into(),
        "c" => tree_sitter_c::LANGUAGE.into(),
        "cpp" => tree_sitter_cpp::LANGUAGE.into(),
        "java" => tree_sitter_java::LANGUAGE.into(),
        "ruby" => tree_sitter_ruby::LANGUAGE.into(),
        "php" => tree_sitter_php::LANGUAGE_PHP.into(),
        "php_only" => tree_sitter_php::LANGUAGE_PHP_ONLY.into(),
        "bash" => tree_sitter_bash::LANGUAGE.into(),
        "css" => tree_sitter_css::LANGUAGE.into(),
        "html" => tree_sitter_html::LANGUAGE.into(),
        "c-sharp" => tree_sitter_c_sharp::LANGUAGE.into(),
        "lua" => tree_sitter_lua::LANGUAGE.into(),
        "toml-ng" => tree_sitter_toml_ng::LANGUAGE.into(),
        "yaml" => tree_sitter_yaml::LANGUAGE.into(),
        "scala" => tree_sitter_scala::LANGUAGE.into(),
        "ocaml" => tree_sitter_ocaml::LANGUAGE_OCAML.into(),
        "regex" => tree_sitter_regex::LANGUAGE.into(),
        "jsdoc" => tree_sitter_jsdoc::LANGUAGE.into(),
        "zig" => tree_sitter_zig::LANGUAGE.into(),
        "nix" => tree_sitter_nix::LANGUAGE.into(),
        "make" => tree_sitter_make::LANGUAGE.into(),
        "swift" => tree_sitter_swift::LANGUAGE.into(),
        "kotlin-ng" => tree_sitter_kotlin_ng::LANGUAGE.into(),
        "r" => tree_sitter_r::LANGUAGE.into(),
        "xml" => tree_sitter_xml::LANGUAGE_XML.into(),
        "dtd" => tree_sitter_xml::LANGUAGE_DTD.into(),
        "embedded-template" => tree_sitter_embedded_template::LANGUAGE.into(),
        "graphql" => tree_sitter_graphql::LANGUAGE.into(),
        "starlark" => tree_sitter_starlark::LANGUAGE.into(),
        _ => panic!("unknown language {name}"),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (accepts, directory): (Box<dyn FnMut(&[u8]) -> bool>, &str) = match arguments[..] {
        ["tree-sitter", name, directory] => {
            let mut parser = tree_sitter::Parser::new();
            parser.set_language(&language(name)).expect("a version that fits");
            let accepts = move |text: &[u8]| {
                parser.parse(text, None).is_some_and(|tree| !tree.root_node().has_error())
            };
            (Box::new(accepts), directory)
        }
        ["pest", grammar, start, directory] => {
            let source = std::fs::read_to_string(grammar).expect("a grammar");
            let (_, rules) = pest_meta::parse_and_optimize(&source).expect("a grammar of pest");
            let (machine, start) = (pest_vm::Vm::new(rules), start.to_string());
            let accepts = move |text: &[u8]| {
                let text = std::str::from_utf8(text).unwrap_or("\u{FFFD}");
                machine.parse(&start, text).is_ok_and(|pairs| {
                    let read = pairs.last().map_or(0, |pair| pair.as_span().end());
                    text[read..].trim().is_empty()
                })
            };
            (Box::new(accepts), directory)
        }
        _ => panic!("reference tree-sitter LANGUAGE DIRECTORY | reference pest GRAMMAR START DIRECTORY"),
    };
    let mut accepts = accepts;
    let entries = std::fs::read_dir(directory).expect("a directory");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let is_rejected = |file: &&PathBuf| !accepts(&std::fs::read(file).expect("a file"));
    let rejected: Vec<&PathBuf> = files.iter().filter(is_rejected).collect();
    println!("{} {}", files.len() - rejected.len(), files.len());
    for file in rejected.iter().take(5) {
        println!("{}", file.display());
    }
}
