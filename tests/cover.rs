//! Routes lead where they say: in every grammar, whoever answers what they leave open.

mod common;

use common::{degenerate, grammar, shipped};
use zester::bounds::Caps;
use zester::cover::{Coverage, Guide};
use zester::derivation::Derivation;
use zester::derive::{Case, Chooser, Workspace, derive};
use zester::grammar::{Class, Grammar, SymbolId};
use zester::parameters::Settings;

/// Always the simplest.
struct Simplest;

impl Chooser for Simplest {
    fn alternative(&mut self, _: &Grammar, _: SymbolId, _: u32) -> u32 {
        0
    }
    fn count(&mut self, _: &Grammar, _: SymbolId, _: u32) -> u32 {
        0
    }
    fn member(&mut self, _: &Class) -> u32 {
        0
    }
    fn name(&mut self, _: u32) -> u32 {
        0
    }
    fn case(&mut self, _: u32) -> Case {
        Case::AsWritten
    }
    fn layout(&mut self) -> u32 {
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
