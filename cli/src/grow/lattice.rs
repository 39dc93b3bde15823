//! The extended lattice of size-bounded fuzzers (Vikram, Padhye and Sen, *Growing a Test Corpus with Bonsai Fuzzing*, ICSE 2021).
//!
//! A node is a fuzzer F(m, n, d, v): at most m identifiers, n items of a repetition and d nested expansions of a nonterminal, and
//! whether it keeps valid inputs only. A node is below another one if its bounds are at most those of the other, and both keep the
//! same inputs or the other keeps all. Corpora pass from a node to its direct successors.

use std::fmt;
use std::str::FromStr;

use zester::bounds::Bounds;

/// The maximum number of nodes. It bounds the time that a lattice takes.
const MAX_NODES: u64 = 10_000;

/// A fuzzer of the lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fuzzer {
    pub identifiers: u32,
    pub items: u32,
    pub depth: u32,
    /// Whether it keeps invalid inputs, too.
    pub keeps_all: bool,
}

impl Fuzzer {
    /// Returns the bounds of its inputs.
    pub fn bounds(self) -> Bounds {
        Bounds { identifiers: self.identifiers, items: self.items, depth: self.depth }
    }

    /// Returns the number of steps from the bottom of the lattice.
    pub fn rank(self) -> u32 {
        self.identifiers + self.items + self.depth - 3 + u32::from(self.keeps_all)
    }

    /// Returns the direct predecessors: the nodes below it with no other node between.
    pub fn predecessors(self) -> impl Iterator<Item = Fuzzer> {
        let smaller = |bound: u32| bound.checked_sub(1).filter(|&bound| bound > 0);
        [
            smaller(self.identifiers).map(|identifiers| Fuzzer { identifiers, ..self }),
            smaller(self.items).map(|items| Fuzzer { items, ..self }),
            smaller(self.depth).map(|depth| Fuzzer { depth, ..self }),
            self.keeps_all.then_some(Fuzzer { keeps_all: false, ..self }),
        ]
        .into_iter()
        .flatten()
    }
}

/// `m-n-d-valid` or `m-n-d-all`. It is the name of the node's directory.
impl fmt::Display for Fuzzer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fuzzer { identifiers, items, depth, keeps_all } = self;
        write!(formatter, "{identifiers}-{items}-{depth}-{}", if *keeps_all { "all" } else { "valid" })
    }
}

/// The bounds M,N,D of the top of a lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lattice {
    identifiers: u32,
    items: u32,
    depth: u32,
}

impl Lattice {
    /// Returns the node that is above all others.
    pub fn top(self) -> Fuzzer {
        let Lattice { identifiers, items, depth } = self;
        Fuzzer { identifiers, items, depth, keeps_all: true }
    }

    /// Returns all nodes. Every node comes after its predecessors.
    pub fn fuzzers(self) -> Vec<Fuzzer> {
        let mut all = Vec::new();
        for identifiers in 1..=self.identifiers {
            for items in 1..=self.items {
                for depth in 1..=self.depth {
                    all.extend([false, true].map(|keeps_all| Fuzzer { identifiers, items, depth, keeps_all }));
                }
            }
        }
        all.sort_by_key(|fuzzer| (fuzzer.rank(), *fuzzer));
        all
    }
}

/// `M,N,D`, three numbers above 0.
impl FromStr for Lattice {
    type Err = String;

    fn from_str(text: &str) -> Result<Lattice, String> {
        let bounds: Option<Vec<u32>> = text.split(',').map(|part| part.trim().parse().ok().filter(|&bound| bound > 0)).collect();
        let Some([identifiers, items, depth]) = bounds.as_deref() else {
            return Err("expected three numbers above 0, such as 3,3,3: identifiers, items and depth".into());
        };
        let nodes = [identifiers, items, depth].into_iter().try_fold(2_u64, |nodes, &bound| nodes.checked_mul(bound.into()));
        if nodes.is_none_or(|nodes| nodes > MAX_NODES) {
            return Err(format!("these bounds give more than {MAX_NODES} nodes"));
        }
        Ok(Lattice { identifiers: *identifiers, items: *items, depth: *depth })
    }
}

impl fmt::Display for Lattice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{},{},{}", self.identifiers, self.items, self.depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order of the paper, from its definition.
    fn is_below(one: Fuzzer, other: Fuzzer) -> bool {
        one.identifiers <= other.identifiers
            && one.items <= other.items
            && one.depth <= other.depth
            && (one.keeps_all == other.keeps_all || other.keeps_all)
    }

    #[test]
    fn the_lattice_of_the_paper_has_54_nodes() {
        let lattice: Lattice = "3,3,3".parse().unwrap();
        let fuzzers = lattice.fuzzers();
        assert_eq!(fuzzers.len(), 54);
        assert_eq!(fuzzers[0].to_string(), "1-1-1-valid");
        assert_eq!(*fuzzers.last().unwrap(), lattice.top());
        assert_eq!(lattice.top().to_string(), "3-3-3-all");
        assert!(fuzzers.iter().all(|&fuzzer| is_below(fuzzers[0], fuzzer) && is_below(fuzzer, lattice.top())));
    }

    #[test]
    fn predecessors_are_the_nodes_directly_below() {
        let fuzzers = "3,2,4".parse::<Lattice>().unwrap().fuzzers();
        for (at, &fuzzer) in fuzzers.iter().enumerate() {
            let below: Vec<Fuzzer> = fuzzers.iter().copied().filter(|&one| one != fuzzer && is_below(one, fuzzer)).collect();
            let mut direct: Vec<Fuzzer> =
                below.iter().copied().filter(|&one| !below.iter().any(|&other| one != other && is_below(one, other))).collect();
            let mut predecessors: Vec<Fuzzer> = fuzzer.predecessors().collect();
            direct.sort();
            predecessors.sort();
            assert_eq!(predecessors, direct, "{fuzzer}");
            assert!(predecessors.iter().all(|one| fuzzers[..at].contains(one)), "{fuzzer} comes before a predecessor");
        }
    }

    #[test]
    fn bounds_are_three_numbers_above_0() {
        assert_eq!("1, 2,3".parse::<Lattice>().unwrap().to_string(), "1,2,3");
        for wrong in ["", "3", "3,3", "3,3,3,3", "0,3,3", "3,-,3", "9999999999,1,1", "1000,1000,1000"] {
            assert!(wrong.parse::<Lattice>().is_err(), "{wrong}");
        }
    }
}
