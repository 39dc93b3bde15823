//! What is known at the end of a run, for the files of the results.

use std::path::Path;

use zester::grammar::Grammar;
use zester::weights::Weights;

use super::goal::GoalWeights;
use super::record::Record;

/// What is written.
pub struct EvolutionReport<'a> {
    pub target: &'a Path,
    pub grammar: &'a Grammar,
    pub record: &'a Record,
    pub goals: GoalWeights,
    pub strategy: String,
    /// The number of functions of the target.
    pub functions: usize,
    /// The weights of the samples.
    pub samples: &'a Weights,
    /// The weights at the end.
    pub weights: &'a Weights,
    /// The extension of text files.
    pub extension: String,
}
