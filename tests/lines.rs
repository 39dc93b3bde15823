//! Grammars with lines and indentation: sentences are indented, real texts are read byte for byte.

use zester::{Caps, Decoder, Generator, Grammar, Parser, Settings};

const PYTHON: &str = r##"
    @start file = newline? statement* ;
    statement = simple newline | compound ;
    simple = name "=" expression | "pass" | "return" expression? ;
    compound = "if" expression ":" block ( "else" ":" block )?
             | "def" name "(" ( name ( "," name )* )? ")" ":" block ;
    block = simple newline | newline @indent statement+ @dedent ;
    expression = name | number | string | "(" expression "," expression ")"
               | "[" ( expression ( "," expression )* ","? )? "]" | name ~ "(" expression? ")" ;
    @line newline = ( [ \t]* ( "#" [^\n]* )? "\n" )+ ;
    @brackets "(" ")" | "[" "]" ;
    @skip blank = [ \t]+ | "\\\n" ;
    @identifier name = ( [a-z_] [a-z0-9_]* ) - ( "if" | "else" | "def" | "pass" | "return" ) ;
    @token number = [0-9]+ ;
    @token string = "\"\"\"" ( [^"] | "\"" [^"] )* "\"\"\"" | "'" [^'\n]* "'" ;
"##;

/// Blocks whose lines begin in the column of their first token.
const COLUMNS: &str = r##"
    @start list = item+ ;
    item = "- " @indent ( word newline | list ) @dedent ;
    @line newline = "\n" ;
    @token word = [a-z]+ ;
"##;

fn grammar(source: &str) -> Grammar {
    Grammar::read("lines.ebnf", source.as_bytes()).unwrap_or_else(|report| panic!("{report}"))
}

/// Bytes that look random.
fn bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    (0..length).map(|_| next()).collect()
}

#[test]
fn real_texts_are_read_byte_for_byte() {
    let text = "# a comment\n\nx = 1  # another\ndef f(a,\n      b):\n    if a:\n        return (b,\n# odd\n  c)   # end\n\n    # a comment in another column\n    else:\n          pass\n          y = \"\"\"x\n  # none\n\"\"\"\nz = [ 1, 2,\n]\n";
    let grammar = grammar(PYTHON);
    let parameters = grammar.encode(text.as_bytes()).unwrap();
    assert_eq!(
        String::from_utf8(grammar.decode(&parameters)).unwrap(),
        text
    );
    // The text of a node is where it is in the sentence.
    let mut parser = Parser::new(&grammar);
    let derivation = parser.parse(text.as_bytes()).unwrap();
    let name = |node: &usize| grammar.label(derivation.nodes()[*node].symbol) == "statement";
    let nodes = (0..derivation.nodes().len()).filter(name);
    let texts: Vec<&[u8]> = nodes
        .map(|node| &derivation.text()[derivation.text_range(node)])
        .collect();
    assert!(
        texts.iter().any(|text| text.starts_with(b"pass\n")),
        "{texts:?}"
    );
    assert!(
        texts
            .iter()
            .any(|text| text.starts_with(b"if a:\n        return"))
    );
}

#[test]
fn errors_have_their_position_in_the_text() {
    let grammar = grammar(PYTHON);
    for (text, at, cause) in [
        ("if x:\n    y = 1\n  z = 2\n", (3, 1), "unexpected \" \""),
        ("if x:\ny = 1\n", (2, 1), "unexpected \"y\""),
        ("x = 1\n  y = 2\n", (2, 1), "unexpected \" \""),
        ("x = (1\n", (2, 1), "unexpected end"),
        ("x = \u{FDD3}\n", (1, 5), "unexpected \"\\u{fdd3}\""),
        (
            "if x:\n    if y:\n        x = $\n",
            (3, 13),
            "unexpected \"$\"",
        ),
        ("x = 1", (1, 6), "unexpected end"),
    ] {
        let error = grammar.parse(text.as_bytes()).unwrap_err();
        assert_eq!(
            ((error.line, error.column), &*error.cause),
            (at, cause),
            "{text:?}: {error}"
        );
    }
}

#[test]
fn parameters_and_texts_are_inverse() {
    for source in [PYTHON] {
        let grammar = grammar(source);
        let mut parser = Parser::new(&grammar);
        for seed in 0..3_000 {
            let text = grammar.decode(&bytes(seed, 1 + seed as usize % 200));
            let derivation = parser.parse(&text);
            let derivation = derivation
                .unwrap_or_else(|error| panic!("{error}: {:?}", String::from_utf8_lossy(&text)));
            assert_eq!(derivation.text(), text);
            let parameters = grammar.encode(&text).unwrap();
            assert_eq!(
                grammar.decode(&parameters),
                text,
                "{}",
                String::from_utf8_lossy(&text)
            );
        }
    }
}

#[test]
fn generated_lines_are_indented_by_their_blocks() {
    let grammar = grammar(PYTHON);
    let mut generator = Generator::new(&grammar, 3);
    let mut deep = 0;
    for _ in 0..300 {
        let text = String::from_utf8(generator.sentence().text().to_vec()).unwrap();
        assert!(!text.contains(|char| ('\u{FDD0}'..='\u{FDEF}').contains(&char)));
        grammar
            .parse(text.as_bytes())
            .unwrap_or_else(|error| panic!("{error}: {text}"));
        deep += text
            .lines()
            .filter(|line| line.starts_with("        "))
            .count();
    }
    assert!(deep > 10, "{deep} lines");
}

/// Names are declared, so the grammar has copies of alternatives.
const NAMES: &str = r##"
    @start file = statement* ;
    statement = @declare variable "=" expression newline | "if" @use variable ":" newline @indent statement+ @dedent ;
    expression = @use variable | "1" | "(" expression ")" ;
    @kind variable: name ;
    @line newline = "\n"+ ;
    @brackets "(" ")" ;
    @skip blank = " " ;
    @identifier name = [a-z] ;
"##;

#[test]
fn with_names_lines_end_as_layout_only_within_brackets() {
    let grammar = grammar(NAMES);
    let mut generator = Generator::new(&grammar, 1);
    for _ in 0..1_000 {
        let text = String::from_utf8(generator.sentence().text().to_vec()).unwrap();
        // A line without `=` and `:` continues the line before it.
        let mut open = 0;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            assert!(open > 0 || line.contains(['=', ':']), "{text}");
            for char in line.chars() {
                open += i32::from(char == '(') - i32::from(char == ')');
            }
        }
    }
}

#[test]
fn no_line_is_indented_by_tabs_if_layout_has_none() {
    let text = b"if a:\n\tpass\n";
    let tabs = grammar(PYTHON);
    assert!(tabs.parse(text).is_ok());
    let without = PYTHON.replace("@skip blank = [ \\t]+", "@skip blank = [ ]+");
    assert_ne!(without, PYTHON);
    let without = grammar(&without);
    assert!(without.parse(text).is_err());
    let begins = |text: Vec<u8>| text.windows(2).any(|pair| pair == b"\n\t");
    let written = |grammar: &Grammar| {
        let mut sentences = (0..3_000).map(|seed| grammar.decode(&bytes(seed, 100)));
        sentences.any(begins)
    };
    let captured = "@skip blank = [ ]+ | @capture x( \"\\t\" ) @same x";
    let captured = PYTHON.replace("@skip blank = [ \\t]+", captured);
    assert_ne!(captured, PYTHON);
    assert!(grammar(&captured).parse(text).is_ok());
    // Blank lines of the language may consist of tabs.
    let blank = |grammar: &str| grammar.replace("[ \\t]* ( \"#\"", "[ ]* ( \"#\"");
    assert!(written(&grammar(&blank(PYTHON))));
    let source = PYTHON.replace("@skip blank = [ \\t]+", "@skip blank = [ ]+");
    assert!(!written(&grammar(&blank(&source))));
}

#[test]
fn a_block_within_a_line_begins_in_its_column() {
    let grammar = grammar(COLUMNS);
    let texts: Vec<Vec<u8>> = (0..2_000)
        .map(|seed| grammar.decode(&bytes(seed, 12)))
        .collect();
    let nested = texts.iter().map(|text| String::from_utf8_lossy(text));
    let nested: Vec<_> = nested
        .filter(|text| text.starts_with("- - ") && text.contains("\n  - "))
        .collect();
    let in_column = |line: &str| line.trim_start().starts_with("- ") && !line.starts_with(" -");
    assert!(
        nested.len() > 20 && nested.iter().all(|text| text.lines().all(in_column)),
        "{nested:?}"
    );
}

#[test]
fn no_sentence_exceeds_the_caps() {
    let grammar = grammar(PYTHON);
    for bytes_cap in [210, 400, 3_000] {
        let mut settings = Settings::default();
        settings.caps = Caps {
            bytes: bytes_cap,
            ..Caps::default()
        };
        let mut decoder = Decoder::new(&grammar).settings(settings);
        for seed in 0..2_000 {
            // Nested `if` statements have the deepest indentation.
            let mut parameters = bytes(seed, 400);
            parameters.iter_mut().step_by(3).for_each(|byte| *byte = 1);
            assert!(decoder.decode(&parameters).text().len() <= bytes_cap as usize);
        }
    }
}

#[test]
fn tokens_without_an_end_take_a_limited_number_of_steps() {
    let source = r##"@start s = ( w | c )* n ; @line n = "\n" ; @token w = [a-z] | "/" | "*" ; @token c = "/*" [^#]* "#" ;"##;
    let grammar = grammar(source);
    let text = "/*".repeat(40_000) + "\n";
    let error = Parser::new(&grammar).parse(text.as_bytes()).unwrap_err();
    assert!(error.to_string().contains("limit"), "{error}");
}

#[test]
fn errors_of_grammars_with_lines() {
    for (source, message) in [
        (r#"s = @indent "x" @dedent ;"#, "`@indent` without lines"),
        (
            r#"s = "x" ; @brackets "(" ")" ;"#,
            "`@brackets` without lines",
        ),
        (
            r#"s = "x" a b ; @line a = "\n" ; @line b = "\n" ;"#,
            "two @line rules",
        ),
        (
            r#"s = "x" a ; @line a = "\n" ; @brackets "(" ;"#,
            "not a pair of brackets",
        ),
        (
            r#"s = "x" a ; @line a = "\n" ; @brackets "(" ")" ;"#,
            "`@brackets` without layout",
        ),
        (
            "s = \"\u{FDD0}\" a ; @line a = \"\\n\" ;",
            "a noncharacter in a literal",
        ),
        (
            r#"@bytes ; s = "x" a ; @line a = "\n" ;"#,
            "`@line` and `@bytes`",
        ),
    ] {
        let report = Grammar::read("g", source.as_bytes()).unwrap_err();
        assert!(report.to_string().contains(message), "{source}: {report}");
    }
}
