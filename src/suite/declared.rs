//! Positive suites of grammars with names: sentences that declare the names that they use.
//!
//! The generic cover algorithm (`positive.rs`) ignores names, so its sentences may use undeclared
//! names. This module generates random sentences, small ones first, and looks for obligations that
//! they cover. Then it reduces each sentence. The reduced sentence still covers the obligation, all
//! its names are right, and it has no alternative of weight 0.

use std::collections::{HashMap, HashSet};

use super::criterion::Obligation;
use super::positive::{PositiveOptions, PositiveSuite, PositiveText};
use super::skeleton::Skeleton;
use super::tree::{SkeletonNode, SkeletonTree};
use super::{SuiteMaker, realise};
use crate::derivation::{Derivation, Node};
use crate::generate::Generator;
use crate::grammar::{Grammar, SymbolId};
use crate::parameters::{self, Settings};
use crate::parse::Parser;
use crate::reduce::reduce;

/// The sizes of generated sentences, in bytes.
const SIZES: [u32; 8] = [1, 8, 20, 50, 100, 200, 500, 1_000];

/// After this many sentences of one size in a row without a new obligation, the next size follows.
const FRUITLESS: usize = 1_000;

/// The seed of the generated sentences.
const SEED: u64 = 1;

/// The reason that the suite gives for an obligation that is not covered.
const UNREACHED: &str = "no generated sentence with right names has it";

/// Makes a positive suite of sentences that declare the names that they use.
pub fn declared(maker: &SuiteMaker<'_>, options: &PositiveOptions) -> PositiveSuite {
    let SuiteMaker {
        grammar,
        skeleton,
        sets,
    } = maker;
    let (mut goals, mut is_cut) = (Vec::new(), false);
    options.criterion.goals(skeleton, sets, &mut |goal| {
        is_cut = goals.len() >= options.limit;
        if !is_cut {
            goals.push((goal.obligation, goal.fragment[0].symbol));
        }
        !is_cut
    });
    let number_of = skeleton.numbers();
    let mut cover = Cover {
        maker,
        options,
        number_of: &number_of,
        open: goals.iter().cloned().collect(),
        parser: Parser::new(skeleton.grammar),
        known: HashMap::new(),
        met: HashMap::new(),
        suite: PositiveSuite {
            obligations: goals.len(),
            ..PositiveSuite::default()
        },
    };
    for (seed, size) in (SEED..).zip(SIZES) {
        let mut generator = Generator::new(grammar, seed).size(size);
        let mut fruitless = 0;
        while fruitless < FRUITLESS && !cover.open.is_empty() {
            fruitless = match cover.add(generator.sentence()) {
                true => 0,
                false => fruitless + 1,
            };
        }
    }
    let Cover {
        mut open,
        met,
        mut suite,
        ..
    } = cover;
    // A sentence that was made for another obligation may cover this one.
    for (obligation, _) in &goals {
        if let (true, Some(&at)) = (open.contains_key(obligation), met.get(obligation)) {
            open.remove(obligation);
            suite.sentences[at]
                .goals
                .push(obligation.describe(skeleton));
        }
    }
    let uncovered = goals
        .iter()
        .filter(|(obligation, _)| open.contains_key(obligation));
    suite.uncovered = uncovered
        .map(|(obligation, _)| format!("{}: {UNREACHED}", obligation.describe(skeleton)))
        .collect();
    if is_cut {
        let what = format!("more than {} obligations: the limit", options.limit);
        suite.uncovered.push(what);
    }
    suite
}

/// A search for sentences that cover a grammar.
struct Cover<'m, 'g> {
    maker: &'m SuiteMaker<'g>,
    options: &'m PositiveOptions,
    number_of: &'m HashMap<SymbolId, usize>,
    /// The obligations that are not covered yet, each with the symbol for which a sentence will be
    /// made.
    open: HashMap<Obligation, usize>,
    /// A parser of the grammar without names.
    parser: Parser<'m>,
    /// The index of the first sentence of the suite that covers an obligation.
    met: HashMap<Obligation, usize>,
    /// The index of each sentence, by its text.
    known: HashMap<Vec<u8>, usize>,
    suite: PositiveSuite,
}

impl Cover<'_, '_> {
    /// Adds reduced sentences for the open obligations that a sentence covers. Returns whether it
    /// covers any.
    fn add(&mut self, sentence: &Derivation) -> bool {
        let found = self.new_obligations(sentence);
        if found.is_empty() {
            return false;
        }
        let mut input = Vec::new();
        parameters::encode(self.maker.grammar, sentence, &mut input);
        if self.options.is_packed {
            self.add_reduced(&input, &found);
        } else {
            for obligation in &found {
                self.add_reduced(&input, std::slice::from_ref(obligation));
            }
        }
        true
    }

    /// Returns the open obligations that a sentence covers, sorted.
    fn new_obligations(&self, sentence: &Derivation) -> Vec<Obligation> {
        let mut found: Vec<Obligation> = self.covered(sentence).into_iter().collect();
        found.retain(|obligation| self.open.contains_key(obligation));
        found.sort_unstable();
        found
    }

    /// Returns the obligations that a sentence covers. There are none if its names are wrong, or if it
    /// has an alternative of weight 0, which generators avoid.
    fn covered(&self, sentence: &Derivation) -> HashSet<Obligation> {
        let SuiteMaker {
            grammar, skeleton, ..
        } = self.maker;
        let is_for_texts = |node: &Node| {
            let alternative = grammar.alternatives(node.symbol).get(node.choice as usize);
            alternative.is_some_and(|alternative| alternative.weight == 0.0)
        };
        if sentence.breaks_scopes(grammar) || sentence.nodes().iter().any(is_for_texts) {
            return HashSet::new();
        }
        let tree = tree_of(skeleton, self.number_of, (grammar, sentence));
        let covered = self.options.criterion.covered(skeleton, &tree);
        covered.into_iter().collect()
    }

    /// Reduces a sentence so that it still covers the given obligations, and adds it to the suite.
    fn add_reduced(&mut self, input: &[u8], obligations: &[Obligation]) {
        let SuiteMaker {
            grammar, skeleton, ..
        } = self.maker;
        let mut covers = |tree: &parameters::Tree| {
            let covered = self.covered(tree.derivation());
            obligations.iter().all(|one| covered.contains(one))
        };
        let reduced = reduce(grammar, &Settings::default(), input, &mut covers);
        let derivation = reduced.derivation();
        let goals = obligations.iter().map(|one| one.describe(skeleton));
        let symbols: Vec<usize> = obligations
            .iter()
            .filter_map(|one| self.open.remove(one))
            .collect();
        let text = derivation.text().to_vec();
        let tree = tree_of(skeleton, self.number_of, (grammar, derivation));
        if let Some(&at) = self.known.get(&text) {
            let known = &mut self.suite.sentences[at];
            known.goals.extend(goals);
            if !known.trees.contains(&tree) {
                known.trees.push(tree);
            }
            return;
        }
        let parsed = self.parser.parse(&text);
        let tokens = parsed.map_or(Vec::new(), |parsed| realise::tokens_of(skeleton, parsed));
        let at = self.suite.sentences.len();
        self.known.insert(text.clone(), at);
        for obligation in self.covered(derivation) {
            self.met.entry(obligation).or_insert(at);
        }
        self.suite.sentences.push(PositiveText {
            text,
            trees: vec![tree],
            tokens,
            rule: symbols
                .first()
                .map_or("", |&symbol| skeleton.rule(symbol))
                .into(),
            goals: goals.collect(),
        });
    }
}

/// Converts the derivation of a sentence to a tree of the skeleton, which has no names. A
/// repetition keeps only as many elements as its largest production has.
fn tree_of(
    skeleton: &Skeleton<'_>,
    number_of: &HashMap<SymbolId, usize>,
    (grammar, sentence): (&Grammar, &Derivation),
) -> SkeletonTree {
    let mut nodes = Vec::new();
    // Nodes of the sentence to visit, each with the number of the symbol in its place.
    let mut open: Vec<(usize, usize)> =
        sentence.children(0).take(1).map(|node| (node, 0)).collect();
    while let Some((node, symbol)) = open.pop() {
        let here = &sentence.nodes()[node];
        let of = &skeleton.symbols[symbol];
        if of.terminal.is_some() {
            nodes.push(SkeletonNode {
                symbol,
                production: None,
            });
            continue;
        }
        let is_here = number_of.get(&grammar.origin(here.symbol)) == Some(&symbol);
        if !is_here {
            match of
                .productions
                .first()
                .map(|production| &production.parts[..])
            {
                // A call, which has no node of its own.
                Some([called]) if grammar.is_call_of_erased(of.id) => {
                    nodes.push(SkeletonNode {
                        symbol,
                        production: Some(0),
                    });
                    open.push((node, called.symbol));
                }
                // A node that chooses the values of a call.
                _ => open.extend(sentence.children(node).map(|child| (child, symbol))),
            }
            continue;
        }
        let choice = grammar.erased_choice(here.symbol, here.choice);
        let last = of.productions.len().saturating_sub(1);
        let production = of.productions.iter().position(|one| one.choice == choice);
        let production = production.unwrap_or(last);
        nodes.push(SkeletonNode {
            symbol,
            production: Some(production),
        });
        let parts = &of.productions[production].parts;
        let children = sentence.children(node).zip(parts);
        let from = open.len();
        open.extend(children.map(|(child, part)| (child, part.symbol)));
        open[from..].reverse();
    }
    SkeletonTree::of(skeleton, nodes)
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;
    use super::super::{Criterion, SuiteMaker};
    use super::*;

    /// A language with scopes, types and a loop.
    const TYPED: &str = r#"
        @skip blank = [ \n] ;
        @domain type = int | bool ;
        @kind variable<type>: name, loop ;
        @identifier name = ( [a-z]+ ) - ( "let" | "while" | "break" | "true" ) ;
        @start program = statement* ;
        statement = let<_> | @use variable<t> "=" value<t> ";" | "{" @scope( statement* ) "}"
            | "while" value<bool> @scope( @declare loop "{" statement* "}" ) | @use loop "break" ";" ;
        let<t: type> = @after( "let" @declare variable<t> "=" value<t> ";" ) ;
        value<t: type> = @use variable<t> | "(" value<t> ")" ;
        value<int> = [0-9] | value<int> "+" value<int> ;
        value<bool> = "true" | value<_> "==" value<int> ;
    "#;

    #[test]
    fn suites_cover_everything_with_right_names() {
        let grammar = read(TYPED);
        let maker = SuiteMaker::new(&grammar).unwrap();
        let mut parser = Parser::new(&grammar);
        for criterion in [
            Criterion::Symbol,
            Criterion::Rule,
            Criterion::Cdrc,
            Criterion::Pair,
        ] {
            for is_packed in [false, true] {
                let options = PositiveOptions::new(criterion).packed(is_packed);
                let suite = maker.declared(&options);
                let (mut covered, mut count) = (HashSet::new(), 0);
                for sentence in &suite.sentences {
                    let text = String::from_utf8_lossy(&sentence.text);
                    let derivation = parser.parse(&sentence.text).expect(&text);
                    assert!(!derivation.breaks_scopes(&grammar), "{criterion}: {text}");
                    let trees = sentence.trees.iter();
                    covered.extend(trees.flat_map(|tree| criterion.covered(&maker.skeleton, tree)));
                    count += sentence.goals.len();
                }
                assert_eq!(
                    count + suite.uncovered.len(),
                    suite.obligations,
                    "{criterion}"
                );
                let mut all = HashSet::new();
                criterion.goals(&maker.skeleton, &maker.sets, &mut |goal| {
                    all.insert(goal.obligation);
                    true
                });
                let missing = all.difference(&covered).count();
                assert_eq!(
                    missing,
                    suite.uncovered.len(),
                    "{criterion}: {:?}",
                    suite.uncovered
                );
                let is_complete = matches!(criterion, Criterion::Symbol | Criterion::Rule);
                assert!(
                    !is_complete || missing == 0,
                    "{criterion}: {:?}",
                    suite.uncovered
                );
            }
        }
    }

    #[test]
    fn a_suite_says_whether_it_reached_the_limit() {
        let grammar = read(TYPED);
        let maker = SuiteMaker::new(&grammar).unwrap();
        let options = PositiveOptions::new(Criterion::Symbol);
        let all = maker.declared(&options).obligations;
        for (limit, is_cut) in [(all, false), (all - 1, true)] {
            let suite = maker.declared(&options.limit(limit));
            assert_eq!(suite.obligations, limit);
            let has_reached = suite.uncovered.iter().any(|one| one.contains("limit"));
            assert_eq!(has_reached, is_cut, "{limit}: {:?}", suite.uncovered);
        }
    }

    #[test]
    fn sentences_are_small() {
        let grammar = read(TYPED);
        let suite = SuiteMaker::new(&grammar)
            .unwrap()
            .declared(&PositiveOptions::new(Criterion::Rule));
        let text = |goal: &str| {
            let made_for =
                |sentence: &&PositiveText| sentence.goals.iter().any(|one| one.contains(goal));
            let sentence = suite.sentences.iter().find(made_for).expect(goal);
            String::from_utf8_lossy(&sentence.text).into_owned()
        };
        assert_eq!(text("break"), "while true{break;}");
    }
}
