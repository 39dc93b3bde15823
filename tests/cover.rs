//! Routes lead where they say: in every grammar, whoever answers what they leave open.

mod common;

use common::{degenerate, grammar, shipped};
use zester::bounds::Caps;
use zester::cover::{Coverage, Guide, Pairs};
use zester::derivation::Derivation;
use zester::derive::{Case, Chooser, Workspace, derive};
use zester::grammar::{Class, Grammar, SymbolId};
use zester::parameters::{self, Settings};

/// Always the simplest.
struct Simplest;

impl Chooser for Simplest {
    fn alternative(&mut self, _: &Grammar, _: SymbolId, _: u32) -> u32 {
        0
    }
    fn count(&mut self, _: &Grammar, _: SymbolId, _: u32) -> u32 {
        0
    }
    fn member(&mut self, _: SymbolId, _: &Class) -> u32 {
        0
    }
    fn name(&mut self, _: SymbolId, _: u32) -> u32 {
        0
    }
    fn case(&mut self, _: SymbolId, _: u32) -> Case {
        Case::AsWritten
    }
    fn layout(&mut self, _: SymbolId) -> u32 {
        0
    }
}

/// How many alternatives each of some sentences uses that none did before, each with a route, and how many are left.
fn discoveries(grammar: &Grammar, settings: &Settings, sentences: usize) -> (Vec<usize>, usize) {
    let (mut workspace, mut derivation) = (Workspace::default(), Derivation::default());
    let (mut guide, mut coverage) = (Guide::new(Simplest), Coverage::new(grammar));
    let missing = |coverage: &Coverage| coverage.alternatives(grammar).filter(|(_, _, used)| !used).count();
    let (mut before, mut found) = (missing(&coverage), Vec::new());
    while before > 0 && found.len() < sentences {
        guide.follow(coverage.route(grammar));
        derive(grammar, grammar.start(), &settings.bounds, &settings.caps, &mut guide, &mut workspace, &mut derivation);
        coverage.add(grammar, &derivation);
        found.push(before - missing(&coverage));
        before = missing(&coverage);
    }
    (found, before)
}

#[test]
fn every_route_leads_to_an_alternative_that_was_missing() {
    let cases = [
        ("names spelled out", "@identifier name = [a-z]+ ; a = name ;"),
        ("names in names", "@identifier name = ( \"x\" | \"y\" tail ) ; @token tail = [0-9] | \"_\" tail ; a = name* ;"),
        ("layout", "@skip s = \" \" | \"(\" ( \"x\" | \"y\" ) \")\" ; a = \"1\" ~ \"2\" ~ ( \"3\" | \"4\" ) ;"),
        ("repetitions", "a = b* ; b = ( \"x\" c{2,3} )? \"y\" ; c = \"z\" ( \"(\" a \")\" )? | \"w\"{1,2} ;"),
    ];
    let cases = cases.map(|(name, source)| (name.to_string(), grammar(name, source)));
    for (name, grammar) in shipped().into_iter().chain(degenerate()).chain(cases) {
        let (found, left) = discoveries(&grammar, &Settings::default(), 1_000);
        assert_eq!(found.iter().position(|&found| found == 0), None, "{name}");
        assert!(left == 0 || found.len() == 1_000, "{name}: {left} left");
    }
}

#[test]
fn what_is_forbidden_stops_nothing_else() {
    // The forbidden one is the next to go to when only it and an alternative of `b` are left.
    let grammar = grammar("a", "a = \"x\" | b | \"too long\" ; b = \"y\" | \"z\" ;");
    let settings = Settings { caps: Caps { bytes: 2, ..Caps::default() }, ..Settings::default() };
    assert_eq!(discoveries(&grammar, &settings, 100).1, 1);
}

/// The pairs that sentences use, as text, of how many.
fn pairs(source: &str, inputs: &[&[u8]]) -> (Vec<String>, usize) {
    let grammar = grammar("pairs", source);
    let mut pairs = Pairs::new(&grammar);
    for input in inputs {
        pairs.add(&grammar, &parameters::sentence(&grammar, &Settings::default(), input));
    }
    let all: Vec<_> = pairs.pairs(&grammar).collect();
    let label = |symbol| grammar.label(symbol).to_string();
    let used = all.iter().filter(|pair| pair.used);
    let mut used: Vec<String> = used
        .map(|pair| {
            let (parent, child) = (label(pair.parent), label(pair.child));
            format!("{parent}.{}[{}] {child}.{}", pair.alternative, pair.position, pair.choice)
        })
        .filter(|pair| pair.starts_with(|first: char| first.is_ascii_lowercase()))
        .collect();
    used.sort();
    (used, all.len())
}

#[test]
fn an_alternative_counts_in_each_context_by_itself() {
    let source = "@start a = b \"-\" b ; b = \"x\" | \"y\" ;";
    let (used, all) = pairs(source, &[&[1, 0]]);
    assert_eq!(used.iter().filter(|pair| pair.contains("] b.")).count(), 2, "{used:?}");
    assert!(used.contains(&"a.0[0] b.1".into()) && used.contains(&"a.0[2] b.0".into()), "{used:?}");
    let (more, same) = pairs(source, &[&[1, 0], &[0, 1]]);
    assert_eq!(more.iter().filter(|pair| pair.contains("] b.")).count(), 4, "{more:?}");
    assert_eq!(all, same);
}

#[test]
fn repetitions_and_tokens_are_passed_over() {
    let source = "@start a = b* t ; b = \"x\" | \"y\" ; @token t = \"z\" c ; @token c = \"1\" | \"2\" ;";
    let (used, _) = pairs(source, &[&[2, 0, 1, 1]]);
    for pair in ["a.0[0] b.0", "a.0[0] b.1", "a.0[1] t.0", "t.0[1] c.1"] {
        assert!(used.contains(&pair.into()), "{pair} in {used:?}");
    }
}

#[test]
fn all_pairs_of_a_grammar_are_reached_by_chance() {
    let source = "@start sum = sum \"+\" atom | atom ; atom = \"1\" | \"(\" sum \")\" ;";
    let (mut noise, grammar) = (common::Noise(5), grammar("sum", source));
    let mut pairs = Pairs::new(&grammar);
    for _ in 0..2_000 {
        pairs.add(&grammar, &parameters::sentence(&grammar, &Settings::default(), &noise.bytes(60)));
    }
    let missing: Vec<_> = pairs.pairs(&grammar).filter(|pair| !pair.used).collect();
    assert_eq!(missing, [], "{missing:?}");
}
