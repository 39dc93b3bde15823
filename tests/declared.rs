//! Tests of generated sentences of random grammars with names, scopes and types: names are
//! declared, and lengths are as requested.
//!
//! `ZESTER_TYPED_GRAMMARS` is the number of grammars.

mod common;

use common::{Noise, typed};
use zester::derive::{
    AlternativesInScope, At, Case, ChoiceSource, DerivationGoal, Workspace, derive,
};
use zester::grammar::{Class, Kind, SymbolId};
use zester::sampler::Sampler;
use zester::{Bounds, Caps, Derivation, Generator, Grammar};

/// The number of sentences of each grammar.
const SENTENCES: u32 = 100;

/// A sampler that never asks for an undeclared name.
struct Strict {
    sampler: Sampler,
    noise: Noise,
}

impl ChoiceSource for Strict {
    fn enter(&mut self, grammar: &Grammar, at: At<'_>) {
        self.sampler.enter(grammar, at);
    }

    fn alternative(&mut self, grammar: &Grammar, symbol: SymbolId, options: u32) -> u32 {
        self.sampler.alternative(grammar, symbol, options)
    }

    fn alternative_in_scope(
        &mut self,
        grammar: &Grammar,
        symbol: SymbolId,
        options: u32,
        in_scope: &AlternativesInScope<'_>,
    ) -> u32 {
        self.sampler
            .alternative_in_scope(grammar, symbol, options, in_scope)
    }

    fn count(&mut self, grammar: &Grammar, symbol: SymbolId, spread: u32) -> u32 {
        self.sampler.count(grammar, symbol, spread)
    }

    fn member(&mut self, symbol: SymbolId, class: &Class) -> u32 {
        self.sampler.member(symbol, class)
    }

    fn name(&mut self, symbol: SymbolId, names: u32) -> u32 {
        self.sampler.name(symbol, names)
    }

    fn name_in_scope(&mut self, _: SymbolId, names: u32) -> u32 {
        self.noise.below(names.into()) as u32
    }

    fn case(&mut self, symbol: SymbolId, letters: u32) -> Case {
        self.sampler.case(symbol, letters)
    }

    fn layout(&mut self, symbol: SymbolId) -> u32 {
        self.sampler.layout(symbol)
    }

    fn wants_free_names(&self) -> bool {
        true
    }
}

/// Returns whether a sentence has a name that is not visible where it is used, or that its scope
/// declares twice.
fn has_undeclared_name(grammar: &Grammar, sentence: &Derivation) -> bool {
    sentence.nodes().iter().any(
        |node| match &grammar.symbols()[node.symbol.0 as usize].kind {
            Kind::Identifier { names, .. } => node.choice > names.end - names.start,
            Kind::Nonterminal { .. } => grammar.is_for_undeclared_names(node.symbol, node.choice),
            _ => false,
        },
    )
}

#[test]
fn generated_sentences_use_declared_names_and_have_the_requested_size() {
    let count = std::env::var("ZESTER_TYPED_GRAMMARS").map_or(60, |count| count.parse().unwrap());
    let (mut undeclared, mut long, mut uses, mut all) = (Vec::new(), Vec::new(), 0, 0);
    for seed in 0..count {
        let source = typed::source(&mut Noise(seed));
        let grammar = Grammar::read("typed", source.as_bytes())
            .unwrap_or_else(|report| panic!("seed {seed}\n{source}\n{report}"));
        let shortest = grammar.symbols()[grammar.start().0 as usize].minimum.bytes as usize;
        let mut strict = Strict {
            sampler: Sampler::new(seed, 0.0),
            noise: Noise(seed),
        };
        let (mut workspace, mut sentence) = (Workspace::default(), Derivation::default());
        for number in 0..SENTENCES {
            let size = [30, 100, 300][number as usize % 3];
            strict.sampler.restart(f64::from(size));
            let caps = Caps::default();
            let goal = DerivationGoal::start(&grammar, &Bounds::UNBOUNDED, &caps);
            derive(goal, &mut strict, &mut workspace, &mut sentence);
            let text = String::from_utf8_lossy(sentence.text()).into_owned();
            all += 1;
            uses += usize::from(text.contains(['a', 'b', 'c']));
            if has_undeclared_name(&grammar, &sentence) {
                undeclared.push((seed, text.clone()));
            }
            if text.len() > 4 * size as usize + shortest {
                long.push((seed, size, text));
            }
        }
        let mut generator = Generator::new(&grammar, seed).size(100);
        for _ in 0..SENTENCES {
            let text = String::from_utf8_lossy(generator.sentence().text()).into_owned();
            if text.len() > 400 + shortest {
                long.push((seed, 100, text));
            }
        }
    }
    eprintln!(
        "{count} grammars, {all} sentences: {} with an undeclared name, {} too long",
        undeclared.len(),
        long.len()
    );
    assert!(uses > all / 2, "{uses} of {all} use names");
    for (seed, text) in undeclared.iter().take(5) {
        eprintln!("undeclared, seed {seed}: {text:.300}");
    }
    for (seed, size, text) in long.iter().take(5) {
        eprintln!("{} bytes for {size}, seed {seed}: {text:.300}", text.len());
    }
    assert!(undeclared.is_empty() && long.is_empty());
}

/// Derives `count` sentences of a grammar. Returns those that use an undeclared name.
fn undeclared(grammar: &Grammar, count: u32) -> Vec<String> {
    let mut strict = Strict {
        sampler: Sampler::new(1, 0.0),
        noise: Noise(1),
    };
    let (mut workspace, mut sentence) = (Workspace::default(), Derivation::default());
    let mut wrong = Vec::new();
    for number in 0..count {
        strict.sampler.restart([30.0, 100.0][number as usize % 2]);
        let caps = Caps::default();
        let goal = DerivationGoal::start(grammar, &Bounds::UNBOUNDED, &caps);
        derive(goal, &mut strict, &mut workspace, &mut sentence);
        if has_undeclared_name(grammar, &sentence) {
            wrong.push(String::from_utf8_lossy(sentence.text()).into_owned());
        }
    }
    wrong
}

/// Each grammar hides names of a kind before a position of the same scope that uses one. The text is
/// that of a rule `item`, which declares and uses names of the kinds `one` and `two`.
#[test]
fn names_that_are_hidden_are_not_used_later_in_the_scope() {
    let cases = [
        (
            "hidden before a use in one alternative",
            r#""h" @hide one e | e ";""#,
        ),
        (
            "hidden by an earlier child",
            r#""h" h e | e ";" | h "." ; h = "-" @hide one"#,
        ),
        (
            "an earlier child may hide",
            r#""h" h e | e ";" | h "." ; h = "-" @hide one | "+""#,
        ),
        (
            "hidden before the last part of the rule around",
            r#"h "." | "h" item f ; h = "-" @hide one "!""#,
        ),
        (
            "declared again after it was hidden",
            r#""h" @hide one "1" @declare one f | f ";""#,
        ),
        (
            "declared, then hidden",
            r#""h" "1" @declare one @hide one f | f ";""#,
        ),
        (
            "declared by an earlier child that hides it",
            r#""h" h f | f ";" ; h = "1" @declare one @hide one"#,
        ),
        (
            "hidden by the element before in a repetition",
            r#""h" ( f "-" @hide one )+ "." | f ";""#,
        ),
        (
            "a repetition of several elements, each hides",
            r#""h" ( f "-" @hide one ){2} "." | f ";""#,
        ),
        (
            "hidden in a scope that ends before the use",
            r#""h" @scope( @hide one "-" ) f | f ";""#,
        ),
        (
            "hidden in a scope that declares and uses",
            r#""h" @scope( "1" @declare one @hide one e ) | e ";""#,
        ),
        (
            "hidden before the end of an `@after`",
            r#""h" @after( "1" @declare one @hide one ) f f | f ";""#,
        ),
        (
            "a kind without names",
            r#""l" @declare mark | "h" @hide mark g | g ";" ; g = @use mark "m" | "t" f"#,
        ),
    ];
    for (case, item) in cases {
        let source = format!(
            r#"
            @kind one: name, two: name, mark ;
            @identifier name = [a-z] ;
            @start program = statement* ;
            statement = "1" @declare one ";" | "2" @declare two ";" | "{{" @scope( statement* ) "}}" | item ;
            e = @use one | "(" e ")" | "two" @use two ;
            f = @use one ;
            item = {item} ;
            "#
        );
        let grammar = Grammar::read("hidden", source.as_bytes())
            .unwrap_or_else(|report| panic!("{case}\n{report}"));
        let wrong = undeclared(&grammar, 2_000);
        assert!(
            wrong.is_empty(),
            "{case}: {} of 2,000 sentences, such as {:.200}",
            wrong.len(),
            wrong[0]
        );
    }
}

#[test]
fn a_warning_says_where_all_names_may_be_hidden() {
    let warnings = |rules: &str| {
        let source = format!(
            "@skip blank = [ ] ; @kind k: n, l: n ;\n@identifier n = [a-z] ;\n@start s = ( \"k\" @declare k | \"l\" @declare l | t )* ;\n{rules}"
        );
        Grammar::check("g", source.as_bytes()).to_string()
    };
    for (rules, position) in [
        ("t = \"h\" @hide k @use k | \"x\" ;", "9"),
        ("t = \"h\" @hide k u | \"x\" u ; u = \"u\" @use k ;", "9"),
        (
            "t = h u @use k | \"x\" ; u = \"u\" ; h = \"!\" | \"-\" @hide k ;",
            "48",
        ),
        ("t = ( @use k @hide k ){2} | \"x\" ;", "14"),
    ] {
        let found = warnings(rules);
        let position = format!("g:4:{position}: warning: this hides names that a later part");
        assert!(found.starts_with(&position), "{rules}\n{found}");
        assert_eq!(found.matches("warning").count(), 1, "{found}");
    }
    for rules in [
        "t = \"h\" @hide k @use l ;",
        "t = \"h\" @hide k ( @use k | \"x\" ) ;",
        "t = \"h\" @scope( @hide k ) @use k ;",
        "t = \"h\" @hide k @declare k @use k ;",
    ] {
        assert_eq!(warnings(rules), "", "{rules}");
    }
}
