//! Measures what children of crossovers inherit.

use std::collections::HashSet;
use std::fs;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::edges::Edges;
use crate::figures::{median, percent};
use zester_xtask::command;
use zester_xtask::programs;
use zester_xtask::repository::file;

/// Measures what children inherit from crossovers: of subtrees as in zester, of bytes as in
/// libFuzzer, and at two points.
///
/// After Hough and Bell, "Crossover in Parametric Fuzzing" (ICSE 2024). The inheritance rate is the
/// share of the parents' edges that the child covers, too (the median). A hybrid child covers an
/// edge that only one parent covers, and one that only the other parent covers.
#[derive(clap::Args)]
pub struct Heritability {
    /// The number of pairs of parents.
    #[arg(default_value_t = 2000, default_value_if("quick", "true", "50"))]
    pairs: u64,
    /// The subjects.
    #[arg(default_values_t = ["wgsl", "sql"].map(String::from), default_value_if("quick", "true", "json"))]
    subjects: Vec<String>,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

/// The crossovers, in the order in which the program of `fuzz/bench` writes the children.
const CROSSOVERS: [&str; 3] = ["subtrees", "libFuzzer", "two points"];

impl Heritability {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        let program = programs::bench("heritability", &[])?;
        let work = tempfile::NamedTempFile::new()?;
        for subject in &self.subjects {
            let grammar = file("grammars").join(subject).with_extension("ebnf");
            let texts = command::output(
                Command::new(&program)
                    .arg(grammar)
                    .arg(self.pairs.to_string()),
            )?;
            fs::write(work.path(), texts)?;
            let runs = Edges::build(subject)?.of_each(work.path())?;
            let families: Vec<_> = runs.chunks_exact(5).collect();
            ensure!(!families.is_empty(), "{subject}: no children");
            println!("{subject}: {} pairs of parents", families.len());
            println!(
                "{:12} {:>17} {:>8} {:>8}",
                "crossover", "inheritance rate", "hybrid", "valid"
            );
            for (index, name) in CROSSOVERS.iter().enumerate() {
                let children: Vec<Child> = families
                    .iter()
                    .map(|family| Child::new(family, 2 + index))
                    .collect();
                let share = |of: fn(&Child) -> bool| {
                    percent(
                        children.iter().filter(|child| of(child)).count() as f64,
                        children.len() as f64,
                    )
                };
                let (rate, hybrid, valid) = (
                    median(children.iter().map(|child| child.rate)),
                    share(|c| c.hybrid),
                    share(|c| c.valid),
                );
                println!("{name:12} {rate:17.3} {hybrid:6.1} % {valid:6.1} %");
            }
        }
        Ok(())
    }
}

/// The inheritance of a child.
#[derive(Debug, PartialEq)]
struct Child {
    /// The share of its parents' edges that it covers.
    rate: f64,
    /// Whether it covers an edge that only one parent covers, and one that only the other parent
    /// covers.
    hybrid: bool,
    /// Whether the subject accepts it.
    valid: bool,
}

impl Child {
    /// Computes the inheritance of each child of a family: two parents, then a child of each
    /// crossover.
    fn new(family: &[(String, Vec<u64>)], index: usize) -> Self {
        let edges = |index: usize| family[index].1.iter().copied().collect::<HashSet<u64>>();
        let (first, second, child) = (edges(0), edges(1), edges(index));
        let both = first.union(&second).count();
        let inherited = child
            .iter()
            .filter(|edge| first.contains(edge) || second.contains(edge))
            .count();
        let has = |one: &HashSet<u64>, other: &HashSet<u64>| {
            one.difference(other).any(|edge| child.contains(edge))
        };
        Self {
            rate: inherited as f64 / both.max(1) as f64,
            hybrid: has(&first, &second) && has(&second, &first),
            valid: family[index].0 == "valid",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_inherits_from_both() {
        let family = [
            ("valid", vec![1, 2]),
            ("valid", vec![2, 3, 4]),
            ("valid", vec![1, 3]),
            ("invalid", vec![2, 3, 9]),
            ("valid", vec![]),
        ]
        .map(|(outcome, edges)| (outcome.to_owned(), edges));
        assert_eq!(
            Child::new(&family, 2),
            Child {
                rate: 0.5,
                hybrid: true,
                valid: true
            }
        );
        assert_eq!(
            Child::new(&family, 3),
            Child {
                rate: 0.5,
                hybrid: false,
                valid: false
            }
        );
        assert_eq!(
            Child::new(&family, 4),
            Child {
                rate: 0.0,
                hybrid: false,
                valid: true
            }
        );
    }
}
