//! The record of all inputs: the functions, exceptions and mappings that they reached, and the
//! slowest runs.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use fixedbitset::FixedBitSet;
use zester::derivation::Derivation;
use zester::grammar::{Grammar, Kind, SymbolId};

use super::individual::Individual;
use super::observer::Observation;

/// The maximum number of slowest inputs that are recorded.
const SLOWEST: usize = 10;

/// What an input reached, and how much of it is new.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gain {
    /// The number of functions that no earlier input reached.
    pub functions: usize,
    /// The number of pairs of a path of rules and a function that no earlier input had.
    pub mappings: usize,
    /// Whether the input ended in an exception.
    pub has_exception: bool,
    /// Whether no earlier input ended in this exception.
    pub exception_is_new: bool,
    /// The number of pairs of an expansion and a function that the input has. An expansion is a
    /// rule with one of its alternatives.
    pub expansions: usize,
}

/// Figures of all runs so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    pub runs: usize,
    pub valid: usize,
    pub functions: usize,
    pub exceptions: usize,
    pub unique_exceptions: usize,
    pub mappings: usize,
    /// The time of all runs.
    pub time: Duration,
    /// The time of the slowest run.
    pub slowest: Duration,
}

impl Figures {
    /// Returns the mean time of a run in seconds.
    pub fn mean_time(&self) -> f64 {
        self.time.as_secs_f64() / self.runs.max(1) as f64
    }
}

/// An exception, and the inputs that ended in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Exception {
    /// The number of inputs with this exception.
    pub count: usize,
    /// The index of the first run that ended in it, from 0.
    pub first: usize,
    /// The text of the shortest of these inputs.
    pub text: Vec<u8>,
}

/// The record of all inputs.
pub struct Record {
    /// The maximum number of rules in a path.
    depth: usize,
    pub functions: FixedBitSet,
    pub exceptions: BTreeMap<String, Exception>,
    /// By the index of a path of rules: the functions that inputs with this path reached.
    mappings: Vec<FixedBitSet>,
    /// The index of each path of rules.
    paths: HashMap<Box<[SymbolId]>, usize>,
    /// The time and the text of the slowest inputs, the slowest first.
    pub slowest: Vec<(Duration, Vec<u8>)>,
    pub figures: Figures,
    /// The figures after each generation.
    pub generations: Vec<Figures>,
}

impl Record {
    /// Returns the record of no inputs. `functions` is the number of functions of the program. The
    /// paths of mappings have at most `depth` rules.
    pub fn new(functions: usize, depth: usize) -> Record {
        Record {
            depth,
            functions: FixedBitSet::with_capacity(functions),
            exceptions: BTreeMap::new(),
            mappings: Vec::new(),
            paths: HashMap::new(),
            slowest: Vec::new(),
            figures: Figures::default(),
            generations: Vec::new(),
        }
    }

    /// Adds the run of an input.
    pub fn add(
        &mut self,
        grammar: &Grammar,
        individual: &Individual,
        derivation: &Derivation,
        observation: &Observation,
    ) -> Gain {
        let known = self.functions.count_ones(..);
        self.functions.union_with(&observation.functions);
        let functions = self.functions.count_ones(..) - known;
        let reached = observation.functions.count_ones(..);
        let mut mappings = 0;
        if reached > 0 {
            for path in paths_of(grammar, derivation, self.depth) {
                let next = self.mappings.len();
                let number = *self.paths.entry(path).or_insert(next);
                if number == next {
                    self.mappings
                        .push(FixedBitSet::with_capacity(observation.functions.len()));
                }
                let known = self.mappings[number].count_ones(..);
                self.mappings[number].union_with(&observation.functions);
                mappings += self.mappings[number].count_ones(..) - known;
            }
        }
        let exception_is_new = self.add_exception(individual, observation);
        let time = observation.time;
        if self.slowest.last().is_none_or(|(last, _)| time > *last) || self.slowest.len() < SLOWEST
        {
            let at = self.slowest.partition_point(|(other, _)| *other >= time);
            self.slowest.insert(at, (time, individual.text.clone()));
            self.slowest.truncate(SLOWEST);
        }
        let figures = &mut self.figures;
        figures.runs += 1;
        figures.valid += usize::from(observation.outcome == "valid");
        figures.functions += functions;
        figures.mappings += mappings;
        figures.exceptions += usize::from(observation.exception.is_some());
        figures.unique_exceptions = self.exceptions.len();
        figures.time += time;
        figures.slowest = figures.slowest.max(time);
        Gain {
            functions,
            mappings,
            has_exception: observation.exception.is_some(),
            exception_is_new,
            expansions: expansions_of(grammar, derivation) * reached,
        }
    }

    /// Adds an exception. Returns whether it is new.
    fn add_exception(&mut self, individual: &Individual, observation: &Observation) -> bool {
        let Some(signature) = &observation.exception else {
            return false;
        };
        let (first, text) = (self.figures.runs, &individual.text);
        let new = || Exception {
            count: 0,
            first,
            text: text.clone(),
        };
        let exception = self.exceptions.entry(signature.clone()).or_insert_with(new);
        exception.count += 1;
        if text.len() < exception.text.len() {
            exception.text.clone_from(text);
        }
        exception.count == 1
    }

    /// Ends a generation: stores the figures after it.
    pub fn end_generation(&mut self) {
        self.generations.push(self.figures.clone());
    }
}

/// Returns the different paths of at most `depth` rules in a derivation. A path is a sequence of
/// nested rules: each is the nearest rule around the next one. A rule is a nonterminal that has a
/// name in the grammar.
pub fn paths_of(grammar: &Grammar, derivation: &Derivation, depth: usize) -> Vec<Box<[SymbolId]>> {
    let mut paths: Vec<Box<[SymbolId]>> = Vec::new();
    // The rules around the node, each with the end of its subtree.
    let mut around: Vec<(usize, SymbolId)> = Vec::new();
    for (at, node) in derivation.nodes().iter().enumerate() {
        while around.pop_if(|(end, _)| *end <= at).is_some() {}
        let is_rule = matches!(grammar[node.symbol].kind, Kind::Nonterminal { .. })
            && !grammar.label(node.symbol).contains('/');
        if is_rule {
            around.push((at + node.size as usize, node.symbol));
            for length in 1..=depth.min(around.len()) {
                paths.push(
                    around[around.len() - length..]
                        .iter()
                        .map(|(_, symbol)| *symbol)
                        .collect(),
                );
            }
        }
    }
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Returns the number of different expansions in a derivation: pairs of a nonterminal and its
/// alternative.
fn expansions_of(grammar: &Grammar, derivation: &Derivation) -> usize {
    let is_expansion = |symbol: SymbolId| matches!(grammar[symbol].kind, Kind::Nonterminal { .. });
    let expansions: HashSet<(SymbolId, u32)> = derivation
        .nodes()
        .iter()
        .filter(|node| is_expansion(node.symbol))
        .map(|node| (node.symbol, node.choice))
        .collect();
    expansions.len()
}
