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
