//! Makes random trees, by one of three orders of expansion.

use std::fmt;
use std::str::FromStr;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::skeleton::Skeleton;
use super::tree::{Fragment, SkeletonNode, SkeletonTree, highest_leaf, open_leaves, opened};
use crate::error::Error;

/// The order in which the leaves of a random tree are expanded. After a random number of
/// expansions, all leaves that are still open get the productions with the smallest texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RandomOrder {
    /// A random open leaf is expanded next.
    Terminate,
    /// The leftmost open leaf is expanded next. So a leaf and everything below it are expanded
    /// before the leaf after it.
    Depth,
    /// The leftmost open leaf of the highest level is expanded next.
    Breadth,
}

impl FromStr for RandomOrder {
    type Err = Error;

    fn from_str(text: &str) -> Result<RandomOrder, Error> {
        match text {
            "terminate" => Ok(RandomOrder::Terminate),
            "depth" => Ok(RandomOrder::Depth),
            "breadth" => Ok(RandomOrder::Breadth),
            _ => Err(
                "random suites are `random:terminate`, `random:depth` or `random:breadth`".into(),
            ),
        }
    }
}

impl fmt::Display for RandomOrder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            RandomOrder::Terminate => "random:terminate",
            RandomOrder::Depth => "random:depth",
            RandomOrder::Breadth => "random:breadth",
        })
    }
}

/// The maximum number of expansions of a tree before its open leaves are closed.
const MAX_EXPANSIONS: usize = 100;

/// Makes random trees of the start symbol. All productions of a nonterminal are equally likely.
pub struct RandomTrees<'s, 'g> {
    skeleton: &'s Skeleton<'g>,
    order: RandomOrder,
    rng: SmallRng,
}

impl<'s, 'g> RandomTrees<'s, 'g> {
    pub fn new(skeleton: &'s Skeleton<'g>, order: RandomOrder, seed: u64) -> RandomTrees<'s, 'g> {
        RandomTrees {
            skeleton,
            order,
            rng: SmallRng::seed_from_u64(seed),
        }
    }

    pub fn tree(&mut self) -> SkeletonTree {
        let skeleton = self.skeleton;
        let mut nodes = self.expand(0);
        for _ in 0..self.rng.random_range(0..MAX_EXPANSIONS) {
            let Some(at) = self.next(&nodes) else { break };
            let expanded = self.expand(nodes[at].symbol);
            nodes.splice(at..=at, expanded);
        }
        SkeletonTree::minimal(skeleton, &nodes)
    }

    /// Returns the open leaf that is expanded next.
    fn next(&mut self, nodes: &[SkeletonNode]) -> Option<usize> {
        match self.order {
            RandomOrder::Terminate => {
                let open: Vec<usize> = open_leaves(self.skeleton, nodes).collect();
                (!open.is_empty()).then(|| open[self.rng.random_range(0..open.len())])
            }
            RandomOrder::Depth => open_leaves(self.skeleton, nodes).next(),
            RandomOrder::Breadth => highest_leaf(self.skeleton, nodes),
        }
    }

    /// Returns one production of a symbol, with open leaves.
    fn expand(&mut self, symbol: usize) -> Fragment {
        let production = self
            .rng
            .random_range(0..self.skeleton.symbols[symbol].productions.len());
        opened(self.skeleton, symbol, production)
    }
}
