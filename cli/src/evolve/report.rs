//! The content of the results of `zester evolve`.

use std::path::Path;

use zester::grammar::Grammar;
use zester::weights::Weights;

use super::goal::GoalWeights;
use super::record::Record;

/// The data for the result files.
pub struct EvolutionReport<'a> {
    pub target: &'a Path,
    pub grammar: &'a Grammar,
    pub record: &'a Record,
    pub goals: GoalWeights,
    pub strategy: String,
    /// The number of functions of the target.
    pub functions: usize,
    /// The weights that were learned from the samples.
    pub samples: &'a Weights,
    /// The weights after the last generation.
    pub weights: &'a Weights,
    /// The extension of text files.
    pub extension: String,
}
