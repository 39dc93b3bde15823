//! Tests of grammar coverage: routes reach uncovered alternatives, and pairs of alternatives are
//! counted by position.

mod common;

use common::{degenerate, grammar, shipped};
use zester::bounds::Caps;
use zester::cover::{Coverage, Pairs, RouteFollower};
use zester::derivation::Derivation;
use zester::derive::{Case, ChoiceSource, DerivationGoal, Workspace, derive};
use zester::grammar::{Class, Grammar, SymbolId};
use zester::parameters::{Decoder, Settings};

/// A choice source that always makes the simplest choice.
struct Simplest;

impl ChoiceSource for Simplest {
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

/// Derives sentences along routes to uncovered alternatives. Returns how many alternatives each
/// sentence covers first, and how many are uncovered in the end.
fn discoveries(grammar: &Grammar, settings: &Settings, sentences: usize) -> (Vec<usize>, usize) {
    let (mut workspace, mut derivation) = (Workspace::default(), Derivation::default());
    let (mut guide, mut coverage) = (RouteFollower::new(Simplest), Coverage::new(grammar));
    let missing = |coverage: &Coverage| {
        coverage
            .alternatives(grammar)
            .filter(|(_, _, used)| !used)
            .count()
    };
    let (mut before, mut found) = (missing(&coverage), Vec::new());
    while before > 0 && found.len() < sentences {
        guide.follow(coverage.route(grammar));
        derive(
            DerivationGoal::start(grammar, &settings.bounds, &settings.caps),
            &mut guide,
            &mut workspace,
            &mut derivation,
        );
        coverage.add(grammar, &derivation);
        found.push(before - missing(&coverage));
        before = missing(&coverage);
    }
    (found, before)
}

#[test]
fn every_route_covers_a_new_alternative() {
    let cases = [
        (
            "names spelled out",
            "@identifier name = [a-z]+ ; a = name ;",
        ),
        (
            "names in names",
            "@identifier name = ( \"x\" | \"y\" tail ) ; @token tail = [0-9] | \"_\" tail ; a = name* ;",
        ),
        (
            "layout",
            "@skip s = \" \" | \"(\" ( \"x\" | \"y\" ) \")\" ; a = \"1\" ~ \"2\" ~ ( \"3\" | \"4\" ) ;",
        ),
        (
            "repetitions",
            "a = b* ; b = ( \"x\" c{2,3} )? \"y\" ; c = \"z\" ( \"(\" a \")\" )? | \"w\"{1,2} ;",
        ),
    ];
    let cases = cases.map(|(name, source)| (name.to_string(), grammar(name, source)));
    // With names, a route may lead to an alternative that needs a name which is not visible.
    for (name, grammar) in shipped()
        .into_iter()
        .chain(degenerate())
        .chain(cases)
        .filter(|(_, grammar)| !grammar.has_names())
    {
        let (found, left) = discoveries(&grammar, &Settings::default(), 1_000);
        assert_eq!(found.iter().position(|&found| found == 0), None, "{name}");
        assert!(
            left == 0 || found.len() == 1_000,
            "{name}: {left} alternatives are uncovered"
        );
    }
}

#[test]
fn an_unreachable_alternative_does_not_block_others() {
    // The cap of bytes makes `too long` unreachable. It is the nearest alternative when only it and
    // one of `b` are uncovered.
    let grammar = grammar("a", "a = \"x\" | b | \"too long\" ; b = \"y\" | \"z\" ;");
    let settings = Settings::default().caps(Caps {
        bytes: 2,
        ..Caps::default()
    });
    assert_eq!(discoveries(&grammar, &settings, 100).1, 1);
}

/// Returns the pairs that sentences use, as text, and the number of all pairs.
fn pairs(source: &str, inputs: &[&[u8]]) -> (Vec<String>, usize) {
    let grammar = grammar("pairs", source);
    let mut pairs = Pairs::new(&grammar);
    for input in inputs {
        pairs.add(&grammar, &Decoder::new(&grammar).decode(input).clone());
    }
    let all: Vec<_> = pairs.pairs(&grammar).collect();
    let label = |symbol| grammar.label(symbol).to_string();
    let used = all.iter().filter(|pair| pair.used);
    let mut used: Vec<String> = used
        .map(|pair| {
            let (parent, child) = (label(pair.parent), label(pair.child));
            format!(
                "{parent}.{}[{}] {child}.{}",
                pair.alternative, pair.position, pair.choice
            )
        })
        .filter(|pair| pair.starts_with(|first: char| first.is_ascii_lowercase()))
        .collect();
    used.sort();
    (used, all.len())
}

#[test]
fn an_alternative_is_counted_separately_at_each_position() {
    let source = "@start a = b \"-\" b ; b = \"x\" | \"y\" ;";
    let (used, all) = pairs(source, &[&[1, 0]]);
    assert_eq!(
        used.iter().filter(|pair| pair.contains("] b.")).count(),
        2,
        "{used:?}"
    );
    assert!(
        used.contains(&"a.0[0] b.1".into()) && used.contains(&"a.0[2] b.0".into()),
        "{used:?}"
    );
    let (more, same) = pairs(source, &[&[1, 0], &[0, 1]]);
    assert_eq!(
        more.iter().filter(|pair| pair.contains("] b.")).count(),
        4,
        "{more:?}"
    );
    assert_eq!(all, same);
}

#[test]
fn pairs_ignore_repetitions_and_lexemes_between_nonterminals() {
    let source =
        "@start a = b* t ; b = \"x\" | \"y\" ; @token t = \"z\" c ; @token c = \"1\" | \"2\" ;";
    let (used, _) = pairs(source, &[&[2, 0, 1, 1]]);
    for pair in ["a.0[0] b.0", "a.0[0] b.1", "a.0[1] t.0", "t.0[1] c.1"] {
        assert!(used.contains(&pair.into()), "{pair} in {used:?}");
    }
}

#[test]
fn pairs_inside_layout_rules_count() {
    let source = "@skip c = \"/\" d \"/\" ; @start s = \"x\" \"y\" ; @token d = \"a\" | \"b\" ;";
    // The code 240 means one layout token.
    let (used, _) = pairs(source, &[&[240, 0, 0]]);
    assert_eq!(used, ["c.0[1] d.0", "sentence.0[0] s.0"]);
}

#[test]
fn random_sentences_cover_all_pairs_of_a_small_grammar() {
    let source = "@start sum = sum \"+\" atom | atom ; atom = \"1\" | \"(\" sum \")\" ;";
    let (mut noise, grammar) = (common::Noise(5), grammar("sum", source));
    let mut pairs = Pairs::new(&grammar);
    for _ in 0..2_000 {
        pairs.add(
            &grammar,
            &Decoder::new(&grammar).decode(&noise.bytes(60)).clone(),
        );
    }
    let missing: Vec<_> = pairs.pairs(&grammar).filter(|pair| !pair.used).collect();
    assert_eq!(missing, [], "{missing:?}");
}
