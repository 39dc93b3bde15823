//! `zester import`: writes a grammar in another notation as one in zester's.

mod abnf;
mod antlr;
mod characters;
mod class;
mod code;
mod cycles;
mod exclusions;
mod expression;
mod fixed_point;
mod identifiers;
mod joined;
mod lalrpop;
mod lines;
mod names;
mod pairs;
mod pest;
mod productive;
mod regex;
mod regular;
mod sources;
mod start;
mod token_table;
mod tokens;
mod tree_sitter;
mod w3c;
mod write;
mod yacc;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use zester::bounds::Caps;
use zester::notation;

use self::expression::{
    Expression, Finding, ForeignGrammar, ForeignKind, SourceLocation, Tokenization,
};
use self::sources::{MAX_FILE, Sources};
use self::token_table::TokenTable;
use self::write::Annotation;
use crate::foreign_notation::Notation;
use crate::input;
use crate::numbers::counted;
use crate::output::Existing;
use crate::problem::{Problem, shown};

/// The maximum nesting depth of the expressions of a rule.
const MAX_DEPTH: usize = 190;

const EXAMPLES: &str = "\
Examples:
  zester import Lua.g4 -o lua.ebnf
  zester import tree-sitter-go/src/grammar.json -o go.ebnf
  zester import parser.y --tokens tokens.txt -o language.ebnf
  zester generate lua.ebnf -n 5

Exit status: 0, even if there are warnings; 1 if the grammar has errors, or if zester cannot use the grammar that it has \
written; 2 if the command failed for another reason.";

/// Write a grammar in another notation as a grammar in zester's notation.
///
/// It reads ABNF, ANTLR 4, LALRPOP, pest, tree-sitter (src/grammar.json), Yacc and Bison, and the EBNF of the
/// W3C. The rules keep their order, names and comments. Keywords are excluded from identifiers, as by the
/// lexer of the notation. Whatever could not be carried over is a warning and a line `// NOTE` in the
/// grammar: code in the grammar, for example.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ImportCommand {
    /// The grammar. `-` is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The file to write; `-` is standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,

    /// The notation [default: by the name and the content of the file].
    #[arg(long, value_name = "NOTATION", value_enum)]
    from: Option<Notation>,

    #[command(flatten)]
    options: ImportOptions,

    #[command(flatten)]
    existing: Existing,
}

/// How a grammar is imported.
#[derive(clap::Args, Clone, Debug, Default, PartialEq)]
pub struct ImportOptions {
    /// The start rule [default: that of the grammar].
    #[arg(long, value_name = "RULE")]
    start: Option<String>,

    /// A token whose texts are user-defined names. Can be given several times [default: tokens that look
    /// like identifiers].
    #[arg(long, value_name = "TOKEN")]
    identifier: Vec<String>,

    /// A table of tokens that the grammar does not define, or defines otherwise: a line for each, with its name, a blank, and a
    /// regular expression. `%layout` instead of a name is white space or a comment. `[^\s\S]`, which matches
    /// nothing, leaves a token out.
    #[arg(long, value_name = "TABLE")]
    tokens: Option<PathBuf>,
}

/// An imported grammar in zester's notation.
pub struct ImportedGrammar {
    pub text: String,
    /// The warnings and the facts, for standard error.
    pub remarks: String,
}

impl ImportCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        self.existing.may_write(&self.output)?;
        let imported = self.options.import(&self.file, self.from)?;
        self.existing
            .write(&self.output, imported.text.as_bytes())?;
        eprint!("{}", imported.remarks);
        let output = shown(&self.output);
        let is_file = self.output != Path::new("-");
        let name = if is_file {
            &*output
        } else {
            "the imported grammar"
        };
        let source = imported.text.as_bytes();
        match notation::read_from(name, source, None, &Caps::default()) {
            Ok((_, report)) => eprint!("{report}"),
            Err(report) => {
                if is_file {
                    eprintln!("{output} was written, but zester cannot use it:");
                }
                return Err(Problem::Grammar(report));
            }
        }
        if is_file {
            eprintln!("next: zester check {output}; zester generate {output} -n 5");
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl ImportOptions {
    /// Refuses all options for a grammar in zester's notation.
    pub fn refuse_for_own(&self, path: &Path) -> Result<(), Problem> {
        match *self == ImportOptions::default() {
            true => Ok(()),
            false => Err(Problem::with(
                path,
                "is in zester's notation; --start, --identifier and --tokens are for grammars in other notations",
            )),
        }
    }

    /// Imports the grammar in a file.
    pub fn import(&self, path: &Path, from: Option<Notation>) -> Result<ImportedGrammar, Problem> {
        self.import_text(path, text(path)?, from)
    }

    /// Imports a grammar whose text is given. Readers look for included files beside `path`.
    fn import_text(
        &self,
        path: &Path,
        text_of_file: String,
        from: Option<Notation>,
    ) -> Result<ImportedGrammar, Problem> {
        let mut sources = Sources::default();
        let file = sources.add(path, text_of_file);
        let Some(notation) = from.or_else(|| Notation::of(path, sources.text(file))) else {
            return Err(Problem::with(
                path,
                "is in no notation that zester imports, as far as its name and its content show; --from names the notation",
            ));
        };
        let table = match &self.tokens {
            Some(table) => {
                let table = sources.add(table, text(table)?);
                TokenTable::read(&sources, table)
            }
            None => Ok(TokenTable::default()),
        };
        let grammar = table.and_then(|table| {
            let mut grammar = read(notation, &mut sources, file, self.start.as_deref(), &table)?;
            table.add(&mut grammar);
            Ok(grammar)
        });
        let grammar = grammar.map_err(|error| Problem::Grammar(sources.error(&error)))?;
        self.convert(grammar, notation, &sources)
    }

    /// Converts a grammar that a reader has returned.
    fn convert(
        &self,
        mut grammar: ForeignGrammar,
        notation: Notation,
        sources: &Sources,
    ) -> Result<ImportedGrammar, Problem> {
        let path = sources.path(0);
        grammar.start = self.start.clone().or(grammar.start);
        if !self.identifier.is_empty() {
            grammar.identifiers.clone_from(&self.identifier);
        }
        for name in self.start.iter().chain(&self.identifier) {
            if !grammar.rules.iter().any(|rule| rule.name == *name) {
                return Err(Problem::with(path, format!("has no rule `{name}`")));
            }
        }
        // The notation allows 200 groups inside each other. Each expression is one group at most.
        if let Some(rule) = grammar
            .rules
            .iter()
            .find(|rule| rule.body.depth() > MAX_DEPTH)
        {
            let error = Finding::new(
                rule.location.clone(),
                format!(
                    "the rule `{}` has too many groups inside each other",
                    rule.name
                ),
                format!("at most {MAX_DEPTH} expressions"),
            );
            return Err(Problem::Grammar(sources.error(&error)));
        }
        productive::define(&mut grammar);
        names::rename(&mut grammar);
        names::fragments(&mut grammar);
        characters::simplify(&mut grammar);
        exclusions::check(&mut grammar);
        lines::check(&mut grammar);
        exclusions::end_lines(&mut grammar);
        let mut pruned = productive::prune(&mut grammar);
        cycles::remove(&mut grammar).map_err(|error| Problem::Grammar(sources.error(&error)))?;
        pruned.extend(productive::prune(&mut grammar));
        productive::warn_of_pruned(&mut grammar, &pruned);
        let is_syntax = |rule: &&expression::ForeignRule| rule.kind == ForeignKind::Syntax;
        let first = || {
            grammar
                .rules
                .iter()
                .find(is_syntax)
                .map(|rule| rule.name.clone())
        };
        let is_there = |name: &String| grammar.rules.iter().any(|rule| rule.name == *name);
        let Some(start) = grammar.start.clone().filter(is_there).or_else(first) else {
            let error = Finding::new(
                SourceLocation::default(),
                "the grammar derives no text",
                "it has no rule that derives a sentence",
            );
            return Err(Problem::Grammar(sources.error(&error)));
        };
        let start = start_rule(&mut grammar, start);
        if self.identifier.is_empty() {
            // The notation may say which token is an identifier, but not which other tokens are.
            let found = identifiers::find(&grammar);
            let is_new = |name: &String| !grammar.identifiers.contains(name);
            let new: Vec<String> = found.into_iter().filter(is_new).collect();
            grammar.identifiers.extend(new);
        }
        identifiers::check(&mut grammar);
        joined::warn(&mut grammar);
        // A lexer also reads the tokens that no sentence uses. So their texts are excluded from other tokens before
        // they are removed.
        tokens::exclude(&mut grammar);
        let unused = productive::unused(&mut grammar, &start);
        lines::check_brackets(&mut grammar);
        productive::join_warnings(&mut grammar);
        let text = written(&grammar, &start, notation, path);
        let mut warnings = grammar.warnings.clone();
        warnings.extend(grammar.rules.iter().flat_map(|rule| rule.warnings.clone()));
        let mut remarks: String = sources
            .reports(&warnings)
            .iter()
            .map(ToString::to_string)
            .collect();
        facts(
            &grammar,
            (&pruned, &unused),
            (&start, notation, warnings.len()),
            &mut remarks,
        );
        Ok(ImportedGrammar { text, remarks })
    }
}

/// Reads a grammar. `file` is its file in `sources`; readers add the files that it includes.
fn read(
    notation: Notation,
    sources: &mut Sources,
    file: usize,
    start: Option<&str>,
    table: &TokenTable,
) -> Result<ForeignGrammar, Finding> {
    match notation {
        Notation::Abnf => abnf::read(sources, file),
        Notation::Antlr => antlr::read(sources, file),
        Notation::Lalrpop => lalrpop::read(sources, file),
        Notation::Pest => pest::read(sources, file, start),
        Notation::TreeSitter => tree_sitter::read(sources, file),
        Notation::W3c => w3c::read(sources, file),
        Notation::Yacc => yacc::read(sources, file, table),
    }
}

/// Makes the start rule a syntax rule. If a token uses the start rule, or if layout would be allowed within it, adds a
/// syntax rule for it instead. Returns the name of the start rule.
fn start_rule(grammar: &mut ForeignGrammar, start: String) -> String {
    let is_part = grammar.rules.iter().any(|rule| {
        let mut uses = false;
        rule.body
            .visit(&mut |part| uses |= matches!(part, Expression::Name(name) if *name == start));
        rule.kind != ForeignKind::Syntax && uses
    });
    let Some(at) = grammar.rules.iter().position(|rule| rule.name == start) else {
        return start;
    };
    // In a syntax rule, layout would be allowed within the token.
    let is_layout = |rule: &expression::ForeignRule| matches!(rule.kind, ForeignKind::Layout(_));
    let is_split = grammar.rules.iter().any(is_layout)
        && matches!(grammar.rules[at].kind, ForeignKind::Token(_));
    if !is_part && !is_split {
        grammar.rules[at].kind = ForeignKind::Syntax;
        return start;
    }
    if grammar.rules[at].kind == ForeignKind::Syntax {
        return start;
    }
    let mut taken = grammar.rules.iter().map(|rule| rule.name.clone()).collect();
    let name = names::take(&format!("{start}_start"), &mut taken);
    let rule = expression::ForeignRule {
        location: grammar.rules[at].location.clone(),
        ..expression::ForeignRule::new(name.clone(), ForeignKind::Syntax, Expression::name(start))
    };
    grammar.rules.insert(at, rule);
    name
}

/// Returns the text of the grammar.
fn written(grammar: &ForeignGrammar, start: &str, notation: Notation, path: &Path) -> String {
    let mut text = String::new();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let origin = format!(
        "Imported from {name} ({}) by `zester import`.",
        notation.name()
    );
    write::comment(&[origin], &mut text);
    if !grammar.comments.is_empty() {
        write::comment(&[String::new()], &mut text);
        write::comment(&grammar.comments, &mut text);
    }
    for warning in &grammar.warnings {
        let note = format!("NOTE: {}: {}", warning.message, warning.label);
        write::comment(&[note], &mut text);
    }
    text.push('\n');
    if grammar.bytes {
        text.push_str("@bytes ;\n");
    }
    match grammar.tokenization {
        Tokenization::Longest => text.push_str("@longest ;\n"),
        Tokenization::Modes | Tokenization::Contextual => text.push_str("@longest literals ;\n"),
        Tokenization::None => {}
    }
    for rule in &grammar.rules {
        let annotation = match rule.kind {
            ForeignKind::Syntax if rule.name == start => Annotation::Start,
            ForeignKind::Token(_) if grammar.identifiers.contains(&rule.name) => {
                Annotation::Identifier
            }
            kind => write::annotation(kind),
        };
        write::rule(rule, annotation, grammar.bytes, &mut text);
    }
    write::brackets(&grammar.brackets, &mut text);
    text
}

/// Writes the facts about the grammar.
fn facts(
    grammar: &ForeignGrammar,
    (pruned, unused): (&[String], &[String]),
    (start, notation, warnings): (&str, Notation, usize),
    text: &mut String,
) {
    let names = |is: &dyn Fn(&expression::ForeignRule) -> bool| {
        let all: Vec<&str> = grammar
            .rules
            .iter()
            .filter(|rule| is(rule))
            .map(|rule| &*rule.name)
            .collect();
        if all.is_empty() {
            "none".into()
        } else {
            all.join(", ")
        }
    };
    let lines = [
        ("notation", notation.name().to_string()),
        ("rules", grammar.rules.len().to_string()),
        ("start rule", start.to_string()),
        (
            "layout",
            names(&|rule| matches!(rule.kind, ForeignKind::Layout(_))),
        ),
        (
            "identifiers",
            names(&|rule| grammar.identifiers.contains(&rule.name)),
        ),
        ("warnings", warnings.to_string()),
    ];
    for (name, value) in lines {
        let _ = writeln!(text, "{name:<12}{value}");
    }
    let mut reasons = Vec::new();
    if !pruned.is_empty() {
        reasons.push(format!("{} that derive no text", pruned.len()));
    }
    if !unused.is_empty() {
        let names = productive::listed(unused);
        reasons.push(format!("{} that no sentence uses: {names}", unused.len()));
    }
    if !reasons.is_empty() {
        let count = pruned.len() + unused.len();
        let reasons = reasons.join("; ");
        let _ = writeln!(
            text,
            "{:<12}{}: {reasons}",
            "left out",
            counted(count, "rule")
        );
    }
}

/// Reads a file as UTF-8.
fn text(path: &Path) -> Result<String, Problem> {
    let bytes = input::read(path, MAX_FILE + 1)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(Problem::with(
            path,
            format!("has more than {MAX_FILE} bytes"),
        ));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Problem::with(path, format!("is not UTF-8: the byte at offset {at}"))
    })?;
    Ok(sources::without_mark(text))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    /// A grammar of each notation, with most of its constructs.
    const SAMPLES: [(Notation, &str); 8] = [
        (Notation::Abnf, include_str!("import/samples/sample.abnf")),
        (Notation::Antlr, include_str!("import/samples/Sample.g4")),
        (
            Notation::Lalrpop,
            include_str!("import/samples/sample.lalrpop"),
        ),
        (Notation::Pest, include_str!("import/samples/sample.pest")),
        (
            Notation::TreeSitter,
            include_str!("import/samples/sample.json"),
        ),
        (
            Notation::TreeSitter,
            include_str!("import/samples/lines.json"),
        ),
        (Notation::W3c, include_str!("import/samples/sample.w3c")),
        (Notation::Yacc, include_str!("import/samples/sample.y")),
    ];

    fn import(notation: Notation, text: String) -> Result<ImportedGrammar, Problem> {
        ImportOptions::default().import_text(Path::new("no/such/file"), text, Some(notation))
    }

    #[test]
    fn samples_become_grammars() {
        for (notation, sample) in SAMPLES {
            let imported = import(notation, sample.into()).map_err(|problem| problem.message());
            let imported = imported.unwrap_or_else(|error| panic!("{notation:?}: {error}"));
            let read = zester::notation::read("g", imported.text.as_bytes(), &Caps::default());
            let (_, report) =
                read.unwrap_or_else(|report| panic!("{notation:?}: {report}\n{}", imported.text));
            assert!(
                report.is_empty(),
                "{notation:?}: {report}\n{}",
                imported.text
            );
        }
    }

    #[test]
    fn texts_with_lines_are_read_byte_for_byte() {
        let sample = include_str!("import/samples/lines.json").to_string();
        let imported = import(Notation::TreeSitter, sample).map_err(|problem| problem.message());
        let grammar = zester::Grammar::read("g", imported.unwrap().text.as_bytes()).unwrap();
        let text =
            "# a\n\nif (a # b\n  ): # c\n  '''\n#'''\n\n# d\n  if f'x{r'#'}y' : \n     u\\\n\n";
        let parameters = grammar.encode(text.as_bytes()).unwrap();
        let decoded = grammar.decode(&parameters);
        assert_eq!(String::from_utf8(decoded).unwrap(), text);
        for wrong in ["if a:\nb\n", "a\n  b\n", "if a:\n  b\n c\n", "f'a\"\n"] {
            assert!(grammar.encode(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_list_of_tree_sitter_can_end_with_a_comma() {
        let text = |value: &str| format!(r#"{{"type": "STRING", "value": "{value}"}}"#);
        let node = |kind: &str, members: &[String]| {
            format!(
                r#"{{"type": "{kind}", "members": [{}]}}"#,
                members.join(",")
            )
        };
        let item = node("CHOICE", &[text("a"), text("b")]);
        let next = node("SEQ", &[text(","), item.clone()]);
        let items = node(
            "SEQ",
            &[item, format!(r#"{{"type": "REPEAT", "content": {next}}}"#)],
        );
        let comma = node("CHOICE", &[text(","), r#"{"type": "BLANK"}"#.into()]);
        let items = node("SEQ", &[items, comma]);
        let list = node(
            "SEQ",
            &[
                text("["),
                r#"{"type": "SYMBOL", "name": "items"}"#.into(),
                text("]"),
            ],
        );
        let source = format!(r#"{{"name": "x", "rules": {{"list": {list}, "items": {items}}}}}"#);
        let imported = import(Notation::TreeSitter, source).map_err(|problem| problem.message());
        let grammar = zester::Grammar::read("g", imported.unwrap().text.as_bytes()).unwrap();
        for list in ["[a]", "[a,]", "[a,b]", "[a,b,]"] {
            assert!(grammar.encode(list.as_bytes()).is_ok(), "{list}");
        }
        for wrong in ["[]", "[,]", "[a,,]", "[a,b,,]"] {
            assert!(grammar.encode(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn long_chains_of_rules_are_imported() {
        // As large as that of the command's main thread.
        let stack = std::thread::Builder::new().stack_size(8 << 20);
        stack.spawn(import_long_chains).unwrap().join().unwrap();
    }

    fn import_long_chains() {
        let count = 20_000;
        let chain = |rule: &dyn Fn(usize) -> String| (0..count).map(rule).collect::<String>();
        let down = chain(&|at| format!("a{at}: a{};\n", at + 1));
        let up = chain(&|at| format!("a{}: 'x' a{};\n", count - at - 1, count - at));
        for text in [down, up] {
            let text = format!("%start a0\n%%\n{text}a{count}: 'x';\n");
            let imported = import(Notation::Yacc, text).map_err(|problem| problem.message());
            assert!(imported.is_ok());
        }
        let cycle = chain(&|at| format!("a{at}: a{} | 'x';\n", (at + 1) % count));
        let error = import(Notation::Yacc, format!("%%\n{cycle}"))
            .err()
            .unwrap();
        assert!(error.message().contains("20000 rules derive each other"));
        // A token that is too large for an automaton.
        let parts = chain(&|at| format!("fragment F{at}: 'x' F{};\n", at + 1));
        let text = format!("grammar G;\ns: A;\nA: F0;\n{parts}fragment F{count}: 'y';\n");
        let imported = import(Notation::Antlr, text).map_err(|problem| problem.message());
        assert!(imported.is_ok());
    }

    #[test]
    fn keywords_of_rules_that_no_sentence_uses_are_no_names() {
        let text = "grammar; pub S = ID; T = \"let\" ID; ID = r\"[a-z]+\"; match { \"let\" } else { r\"[a-z]+\" }";
        let imported = import(Notation::Lalrpop, text.into()).map_err(|problem| problem.message());
        let grammar = zester::Grammar::read("g", imported.unwrap().text.as_bytes()).unwrap();
        assert!(grammar.encode(b"lets").is_ok() && grammar.encode(b"let").is_err());
    }

    /// The number of mutations of each sample.
    fn mutations() -> usize {
        let count = std::env::var("ZESTER_MUTATIONS").ok();
        count.and_then(|count| count.parse().ok()).unwrap_or(150)
    }

    /// Checks that a broken grammar gives an error with a location, or a grammar that zester reads.
    fn check_broken(imported: Result<ImportedGrammar, Problem>, broken: &str) {
        match imported {
            Ok(imported) => {
                let read = zester::notation::read("g", imported.text.as_bytes(), &Caps::default());
                // A huge repetition is a grammar whose shortest sentence is too long.
                let is_large = |report: &String| {
                    report.contains("the caps are") || report.contains("too large")
                };
                let errors = read.err().map(|report| report.to_string());
                if let Some(report) = errors.filter(|report| !is_large(report)) {
                    panic!("{report}\n{}\n{broken}", imported.text);
                }
            }
            Err(Problem::Grammar(report)) => assert_eq!(report.errors(), 1, "{broken}"),
            Err(other) => panic!("{}\n{broken}", other.message()),
        }
    }

    /// Checks mutations of a sample.
    fn check_mutations(
        sample: &str,
        mut import: impl FnMut(String) -> Result<ImportedGrammar, Problem>,
    ) {
        let mut rng = SmallRng::seed_from_u64(1);
        let mut longest = Duration::ZERO;
        for _ in 0..mutations() {
            let text = mutated(sample, &mut rng);
            let start = Instant::now();
            check_broken(import(text.clone()), &text);
            longest = longest.max(start.elapsed());
        }
        println!("the longest took {longest:?}");
    }

    #[test]
    fn broken_grammars_give_an_error_or_a_grammar() {
        for (notation, sample) in SAMPLES {
            println!("{notation:?}");
            check_mutations(sample, |text| import(notation, text));
        }
    }

    #[test]
    fn broken_lexers_give_an_error_or_a_grammar() {
        let folder = tempfile::tempdir().unwrap();
        let (grammar, lexer) = (
            folder.path().join("sample.y"),
            folder.path().join("sample.l"),
        );
        let text = include_str!("import/samples/sample.y");
        check_mutations(include_str!("import/samples/sample.l"), |broken| {
            std::fs::write(&lexer, broken).unwrap();
            ImportOptions::default().import_text(&grammar, text.into(), Some(Notation::Yacc))
        });
    }

    /// Returns a text with a few random changes.
    fn mutated(text: &str, rng: &mut SmallRng) -> String {
        let mut characters: Vec<char> = text.chars().collect();
        for _ in 0..rng.random_range(1..6) {
            let from = rng.random_range(0..=characters.len());
            let to = (from + rng.random_range(0..20)).min(characters.len());
            match rng.random_range(0..5) {
                0 => drop(characters.drain(from..to)),
                1 => {
                    let part: Vec<char> = characters[from..to].to_vec();
                    let at = rng.random_range(0..=characters.len());
                    characters.splice(at..at, part);
                }
                2 => {
                    let signs: Vec<char> = "(){}[]<>|*+?!&~-'\"\\/;:=,.#%@$ \nx0".chars().collect();
                    characters.insert(from, signs[rng.random_range(0..signs.len())]);
                }
                3 if from < to => characters[from] = char::from(rng.random_range(0..128u8)),
                _ => {
                    let part: Vec<char> = characters[from..to].to_vec();
                    let many = rng.random_range(0..40);
                    characters.splice(from..from, part.repeat(many));
                }
            }
        }
        characters.into_iter().collect()
    }
}
