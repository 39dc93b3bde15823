//! Decides which nodes run next: all nodes of a lattice, or with `auto` the nodes with bounds that
//! give new edges.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::lattice::{Fuzzer, Lattice};
use super::node_store::FinishedNode;

/// `auto` raises a bound only if it gives more than one new edge for this many edges. Smaller gains
/// also come from more time alone.
const EDGES_OF_GAIN: usize = 200;

/// The bounds of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// All nodes of a lattice.
    Lattice(Lattice),
    /// Begin with the bounds 1,1,1. Raise one bound at a time, the one that gives the most new edges.
    /// If no bound gives enough new edges, raise all three. End when that does not give enough
    /// either: see [`EDGES_OF_GAIN`].
    Auto,
}

/// The next step after some nodes have finished.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Run these nodes. Each comes after the nodes below it.
    Grow(Vec<Fuzzer>),
    /// End. The corpus of this node is the result.
    End(Fuzzer),
}

impl Plan {
    /// Returns the next step when the nodes in `done` have finished and no other node runs.
    pub fn step(self, done: &BTreeMap<Fuzzer, FinishedNode>) -> Step {
        match self {
            Plan::Lattice(lattice) => {
                missing(lattice.fuzzers(), done).unwrap_or(Step::End(lattice.top()))
            }
            Plan::Auto => auto(done),
        }
    }

    /// Returns the node that runs last, if that is known before.
    pub fn last(self) -> Option<Fuzzer> {
        match self {
            Plan::Lattice(lattice) => Some(lattice.top()),
            Plan::Auto => None,
        }
    }
}

/// Returns the step that runs the nodes which have not finished, or [`None`] if all have finished.
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

/// Returns the next step of `auto`. Repeats all decisions from the bounds 1,1,1, so that a command
/// that continues interrupted work decides in the same way.
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
        let gives_enough = |node: &Fuzzer| edges(node) > edges(&now) + edges(&now) / EDGES_OF_GAIN;
        let one = [raised(1, 0, 0), raised(0, 1, 0), raised(0, 0, 1)];
        if let Some(step) = missing(one.into_iter().flat_map(both), done) {
            return step;
        }
        // The first of equal gains, because `max_by_key` returns the last one.
        let best = one.into_iter().rev().max_by_key(edges).filter(gives_enough);
        now = match best {
            Some(best) => best,
            None => {
                let all = raised(1, 1, 1);
                if let Some(step) = missing(both(all), done) {
                    return step;
                }
                if !gives_enough(&all) {
                    return Step::End(now);
                }
                all
            }
        };
    }
}

/// Reads `auto`, or the bounds of the largest node of a lattice.
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

    /// Follows the plan to its end. `edges` returns the number of edges of a node.
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
    fn the_last_node_of_a_lattice_is_above_all_others() {
        let lattice: Lattice = "2,1,3".parse().unwrap();
        let last = Plan::Lattice(lattice).last().unwrap();
        let others = lattice.fuzzers();
        assert!(
            others
                .iter()
                .all(|&node| node == last || node.is_below(last))
        );
        assert_eq!(Plan::Auto.last(), None);
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
    fn auto_ends_where_no_bound_gives_new_edges() {
        // Identifiers give new edges up to 2, items never, and depth up to 4.
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
            "all three bounds are raised before the end"
        );
    }

    #[test]
    fn auto_finds_bounds_that_give_new_edges_only_together() {
        let edges = |node: Fuzzer| {
            100 + usize::from(node.identifiers > 1 && node.items > 1 && node.depth > 1)
        };
        assert_eq!(follow(Plan::Auto, edges).0.to_string(), "2-2-2-all");
    }

    #[test]
    fn one_new_edge_of_many_is_not_enough() {
        let edges = |node: Fuzzer| 5_000 + node.depth as usize;
        assert_eq!(follow(Plan::Auto, edges).0.to_string(), "1-1-1-all");
    }
}
