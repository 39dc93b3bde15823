//! Decides which nodes grow next: all nodes of a lattice, or those along the axes that pay.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::lattice::{Fuzzer, Lattice};
use super::node_store::FinishedNode;

/// The minimum gain for which `auto` raises a bound: one edge in this many. Smaller gains also come
/// from more time alone.
const EDGES_OF_GAIN: usize = 200;

/// The bounds that the user asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// All nodes of a lattice.
    Lattice(Lattice),
    /// Begin at the bounds 1,1,1. Raise one bound at a time, the one that brings the most new
    /// edges. If none of the three brings any, raise all three. End when that brings nothing
    /// either.
    Auto,
}

/// What is to be done after some nodes have finished.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// These nodes, each after its predecessors.
    Grow(Vec<Fuzzer>),
    /// Nothing: the result is the corpus of this node.
    End(Fuzzer),
}

impl Plan {
    /// Returns what is to be done when the nodes in `done` have finished and no other node is
    /// growing.
    pub fn step(self, done: &BTreeMap<Fuzzer, FinishedNode>) -> Step {
        match self {
            Plan::Lattice(lattice) => {
                missing(lattice.fuzzers(), done).unwrap_or(Step::End(lattice.top()))
            }
            Plan::Auto => auto(done),
        }
    }
}

/// Returns the nodes that have not finished, if there are any.
fn missing(
    nodes: impl IntoIterator<Item = Fuzzer>,
    done: &BTreeMap<Fuzzer, FinishedNode>,
) -> Option<Step> {
    let missing: Vec<Fuzzer> = nodes
        .into_iter()
        .filter(|node| !done.contains_key(node))
        .collect();
    (!missing.is_empty()).then_some(Step::Grow(missing))
}

/// Repeats all decisions from the bounds 1,1,1, so that a command that was interrupted decides as
/// before.
fn auto(done: &BTreeMap<Fuzzer, FinishedNode>) -> Step {
    let both = |node: Fuzzer| {
        [
            Fuzzer {
                keeps_all: false,
                ..node
            },
            Fuzzer {
                keeps_all: true,
                ..node
            },
        ]
    };
    let edges = |node: &Fuzzer| done[node].edges + done[node].valid_edges;
    let mut now = Fuzzer {
        identifiers: 1,
        items: 1,
        depth: 1,
        keeps_all: true,
    };
    if let Some(step) = missing(both(now), done) {
        return step;
    }
    loop {
        let raised = |identifiers: u32, items: u32, depth: u32| Fuzzer {
            identifiers: now.identifiers.saturating_add(identifiers),
            items: now.items.saturating_add(items),
            depth: now.depth.saturating_add(depth),
            keeps_all: true,
        };
        let pays = |node: &Fuzzer| edges(node) > edges(&now) + edges(&now) / EDGES_OF_GAIN;
        let one = [raised(1, 0, 0), raised(0, 1, 0), raised(0, 0, 1)];
        if let Some(step) = missing(one.into_iter().flat_map(both), done) {
            return step;
        }
        // Of equal gains, the first one.
        let best = one.into_iter().rev().max_by_key(edges).filter(pays);
        now = match best {
            Some(best) => best,
            None => {
                let all = raised(1, 1, 1);
                if let Some(step) = missing(both(all), done) {
                    return step;
                }
                if !pays(&all) {
                    return Step::End(now);
                }
                all
            }
        };
    }
}

/// `auto`, or the bounds of the top of a lattice.
impl FromStr for Plan {
    type Err = String;

    fn from_str(text: &str) -> Result<Plan, String> {
        match text {
            "auto" => Ok(Plan::Auto),
            bounds => bounds
                .parse()
                .map(Plan::Lattice)
                .map_err(|problem| format!("{problem}; or `auto`")),
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Plan::Lattice(lattice) => lattice.fmt(formatter),
            Plan::Auto => formatter.write_str("auto"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Follows the plan. `edges` tells how many edges a node reaches.
    fn follow(
        plan: Plan,
        edges: impl Fn(Fuzzer) -> usize,
    ) -> (Fuzzer, BTreeMap<Fuzzer, FinishedNode>) {
        let mut done = BTreeMap::new();
        loop {
            match plan.step(&done) {
                Step::End(top) => return (top, done),
                Step::Grow(nodes) => {
                    for fuzzer in nodes {
                        assert!(!done.contains_key(&fuzzer));
                        done.insert(
                            fuzzer,
                            FinishedNode {
                                edges: edges(fuzzer),
                                ..FinishedNode::new(fuzzer)
                            },
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_lattice_grows_all_its_nodes() {
        let lattice: Lattice = "2,3,1".parse().unwrap();
        let (top, done) = follow(Plan::Lattice(lattice), |_| 0);
        assert_eq!(top, lattice.top());
        assert!(
            done.into_keys()
                .eq(std::collections::BTreeSet::from_iter(lattice.fuzzers()))
        );
    }

    #[test]
    fn auto_ends_where_no_bound_pays() {
        // Identifiers pay up to 2, items never, depth up to 4.
        let edges = |node: Fuzzer| {
            1_000 + 100 * node.identifiers.min(2) as usize + 10 * node.depth.min(4) as usize
        };
        let (top, done) = follow(Plan::Auto, edges);
        assert_eq!(top.to_string(), "2-1-4-all");
        assert!(
            done.contains_key(&Fuzzer {
                items: 2,
                depth: 5,
                identifiers: 3,
                keeps_all: true
            }),
            "all three are raised at last"
        );
    }

    #[test]
    fn auto_finds_bounds_that_pay_only_together() {
        let edges = |node: Fuzzer| {
            100 + usize::from(node.identifiers > 1 && node.items > 1 && node.depth > 1)
        };
        assert_eq!(follow(Plan::Auto, edges).0.to_string(), "2-2-2-all");
    }

    #[test]
    fn one_edge_of_many_does_not_pay() {
        let edges = |node: Fuzzer| 5_000 + node.depth as usize;
        assert_eq!(follow(Plan::Auto, edges).0.to_string(), "1-1-1-all");
    }
}
