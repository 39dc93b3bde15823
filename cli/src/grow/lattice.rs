//! The extended lattice of size-bounded fuzzers (Vikram, Padhye and Sen, *Growing a Test Corpus
//! with Bonsai Fuzzing*, ICSE 2021).
//!
//! A node is a fuzzer F(m, n, d, v). Its inputs have at most m different identifiers, n items in
//! each repetition and d nested expansions of a nonterminal. v is whether it keeps valid inputs
//! only.
//!
//! A node A is below another node B if two conditions hold. No bound of A is larger than that of B.
//! B keeps all inputs, or both keep valid inputs only. A fuzzer begins with the corpora of the
//! nodes directly below its node as seeds.

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use zester::bounds::Bounds;

/// The maximum number of nodes of a lattice. It bounds the time of `zester grow`.
const MAX_NODES: u64 = 2_000;

/// A node of the lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fuzzer {
    pub identifiers: u32,
    pub items: u32,
    pub depth: u32,
    /// Whether it keeps all inputs. Otherwise it keeps valid inputs only.
    pub keeps_all: bool,
}

impl Fuzzer {
    /// Returns the bounds of its inputs.
    pub fn bounds(self) -> Bounds {
        Bounds {
            identifiers: self.identifiers,
            items: self.items,
            depth: self.depth,
        }
    }

    /// Returns the number of steps from the bottom of the lattice.
    pub fn rank(self) -> u32 {
        self.identifiers + self.items + self.depth - 3 + u32::from(self.keeps_all)
    }

    /// Returns whether it is below `other`. A node is not below itself.
    pub fn is_below(self, other: Fuzzer) -> bool {
        self != other
            && self.identifiers <= other.identifiers
            && self.items <= other.items
            && self.depth <= other.depth
            && (self.keeps_all == other.keeps_all || other.keeps_all)
    }

    /// Returns the nodes among `nodes` that are directly below this node. These are the nodes below
    /// this node that are not below another node among `nodes` which is below this node.
    pub fn directly_below(self, nodes: impl IntoIterator<Item = Fuzzer>) -> Vec<Fuzzer> {
        let mut below: Vec<Fuzzer> = nodes
            .into_iter()
            .filter(|node| node.is_below(self))
            .collect();
        below.sort_by_key(|node| (Reverse(node.rank()), *node));
        let mut direct: Vec<Fuzzer> = Vec::new();
        for node in below {
            if !direct.iter().any(|&above| node.is_below(above)) {
                direct.push(node);
            }
        }
        direct
    }
}

/// Writes the name of the node's directory: `m-n-d-valid` or `m-n-d-all`.
impl fmt::Display for Fuzzer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fuzzer {
            identifiers,
            items,
            depth,
            keeps_all,
        } = self;
        write!(
            formatter,
            "{identifiers}-{items}-{depth}-{}",
            if *keeps_all { "all" } else { "valid" }
        )
    }
}

/// Reads the name of a node's directory, such as `1-2-3-valid`.
impl FromStr for Fuzzer {
    type Err = ();

    fn from_str(name: &str) -> Result<Fuzzer, ()> {
        let parts: Vec<&str> = name.split('-').collect();
        let [identifiers, items, depth, kept] = parts[..] else {
            return Err(());
        };
        let bound = |text: &str| text.parse().ok().filter(|&bound| bound > 0).ok_or(());
        let keeps_all = match kept {
            "valid" => false,
            "all" => true,
            _ => return Err(()),
        };
        Ok(Fuzzer {
            identifiers: bound(identifiers)?,
            items: bound(items)?,
            depth: bound(depth)?,
            keeps_all,
        })
    }
}

/// A lattice, given by the bounds M,N,D of its top node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lattice {
    identifiers: u32,
    items: u32,
    depth: u32,
}

impl Lattice {
    /// Returns the node that is above all others.
    pub fn top(self) -> Fuzzer {
        let Lattice {
            identifiers,
            items,
            depth,
        } = self;
        Fuzzer {
            identifiers,
            items,
            depth,
            keeps_all: true,
        }
    }

    /// Returns all nodes. Every node comes after the nodes below it.
    pub fn fuzzers(self) -> Vec<Fuzzer> {
        let mut all = Vec::new();
        for identifiers in 1..=self.identifiers {
            for items in 1..=self.items {
                for depth in 1..=self.depth {
                    all.extend([false, true].map(|keeps_all| Fuzzer {
                        identifiers,
                        items,
                        depth,
                        keeps_all,
                    }));
                }
            }
        }
        all.sort_by_key(|fuzzer| (fuzzer.rank(), *fuzzer));
        all
    }
}

/// Reads `M,N,D`: three numbers above 0.
impl FromStr for Lattice {
    type Err = String;

    fn from_str(text: &str) -> Result<Lattice, String> {
        let bounds: Option<Vec<u32>> = text
            .split(',')
            .map(|part| part.trim().parse().ok().filter(|&bound| bound > 0))
            .collect();
        let Some([identifiers, items, depth]) = bounds.as_deref() else {
            return Err(
                "expected three numbers above 0, such as 3,3,3: identifiers, items and depth"
                    .into(),
            );
        };
        let nodes = [identifiers, items, depth]
            .into_iter()
            .try_fold(2_u64, |nodes, &bound| nodes.checked_mul(bound.into()));
        if nodes.is_none_or(|nodes| nodes > MAX_NODES) {
            return Err(format!("these bounds give more than {MAX_NODES} nodes"));
        }
        Ok(Lattice {
            identifiers: *identifiers,
            items: *items,
            depth: *depth,
        })
    }
}

impl fmt::Display for Lattice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{},{},{}",
            self.identifiers, self.items, self.depth
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lattice_of_the_paper_has_54_nodes() {
        let lattice: Lattice = "3,3,3".parse().unwrap();
        let fuzzers = lattice.fuzzers();
        assert_eq!(fuzzers.len(), 54);
        assert_eq!(fuzzers[0].to_string(), "1-1-1-valid");
        assert_eq!(*fuzzers.last().unwrap(), lattice.top());
        assert_eq!(lattice.top().to_string(), "3-3-3-all");
        assert!(
            fuzzers[1..]
                .iter()
                .all(|&fuzzer| fuzzers[0].is_below(fuzzer))
        );
        assert!(
            fuzzers[..53]
                .iter()
                .all(|&fuzzer| fuzzer.is_below(lattice.top()))
        );
    }

    #[test]
    fn nodes_directly_below_differ_by_one_step() {
        let fuzzers = "3,2,4".parse::<Lattice>().unwrap().fuzzers();
        for (at, &fuzzer) in fuzzers.iter().enumerate() {
            let Fuzzer {
                identifiers,
                items,
                depth,
                keeps_all,
            } = fuzzer;
            let mut expected = vec![
                Fuzzer {
                    identifiers: identifiers - 1,
                    ..fuzzer
                },
                Fuzzer {
                    items: items - 1,
                    ..fuzzer
                },
                Fuzzer {
                    depth: depth - 1,
                    ..fuzzer
                },
            ];
            expected.retain(|node| node.identifiers.min(node.items).min(node.depth) > 0);
            expected.extend(keeps_all.then_some(Fuzzer {
                keeps_all: false,
                ..fuzzer
            }));
            let mut direct = fuzzer.directly_below(fuzzers.iter().copied());
            expected.sort();
            direct.sort();
            assert_eq!(direct, expected, "{fuzzer}");
            assert!(
                direct.iter().all(|one| fuzzers[..at].contains(one)),
                "{fuzzer} comes before a node below it"
            );
        }
    }

    #[test]
    fn names_of_nodes_are_read() {
        for fuzzer in "2,2,2".parse::<Lattice>().unwrap().fuzzers() {
            assert_eq!(fuzzer.to_string().parse(), Ok(fuzzer));
        }
        for wrong in [
            "",
            "1-2-3",
            "1-2-3-all.partial",
            "0-1-1-all",
            "settings.json",
        ] {
            assert!(wrong.parse::<Fuzzer>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn bounds_are_three_numbers_above_0() {
        assert_eq!("1, 2,3".parse::<Lattice>().unwrap().to_string(), "1,2,3");
        for wrong in [
            "",
            "3",
            "3,3",
            "3,3,3,3",
            "0,3,3",
            "3,-,3",
            "9999999999,1,1",
            "1000,1000,1000",
        ] {
            assert!(wrong.parse::<Lattice>().is_err(), "{wrong}");
        }
    }
}
