//! Random trees, by three ways to come to an end.

use std::fmt;
use std::str::FromStr;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::skeleton::Skeleton;
use super::tree::{Fragment, SkeletonNode, SkeletonTree, opened};
use crate::error::Error;

/// How random trees come to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RandomOrder {
    /// When a tree has enough nodes, all open leaves get the productions with the smallest texts.
    Terminate,
    /// Open leaves are expanded from left to right, each with all below it. A tree that gets too
    /// large is given up, and the next one begins.
    Depth,
    /// Open leaves are expanded level by level, from left to right in each level. A tree that gets
    /// too large is given up, and the next one begins.
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

/// The number of nodes from which trees are completed by the smallest texts, or given up.
const MAX_NODES: usize = 300;

/// The number of trees in a row that may be given up. Then one is completed by the smallest texts.
const MAX_RESTARTS: usize = 1_000;

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

    /// Returns the next tree.
    pub fn tree(&mut self) -> SkeletonTree {
        for _ in 0..MAX_RESTARTS {
            let found = match self.order {
                RandomOrder::Terminate => break,
                RandomOrder::Depth => self.deep(),
                RandomOrder::Breadth => self.broad(),
            };
            if let Some(tree) = found {
                return tree;
            }
        }
        self.terminated()
    }

    /// Returns one production of a symbol, with open leaves.
    fn expand(&mut self, symbol: usize) -> Fragment {
        let production = self
            .rng
            .random_range(0..self.skeleton.symbols[symbol].productions.len());
        opened(self.skeleton, symbol, production)
    }

    fn terminated(&mut self) -> SkeletonTree {
        let (skeleton, mut nodes) = (self.skeleton, 0);
        let root = self.expand(0);
        SkeletonTree::complete(skeleton, &root, &mut |symbol| {
            let fragment = if nodes < MAX_NODES {
                self.expand(symbol)
            } else {
                opened(skeleton, symbol, 0)
            };
            nodes += fragment.len();
            fragment
        })
    }

    fn deep(&mut self) -> Option<SkeletonTree> {
        let (skeleton, mut nodes) = (self.skeleton, 0);
        let root = self.expand(0);
        let tree = SkeletonTree::complete(skeleton, &root, &mut |symbol| {
            // After the limit, the rest is not used.
            let fragment = if nodes < MAX_NODES {
                self.expand(symbol)
            } else {
                opened(skeleton, symbol, 0)
            };
            nodes += fragment.len();
            fragment
        });
        (nodes < MAX_NODES).then_some(tree)
    }

    fn broad(&mut self) -> Option<SkeletonTree> {
        let skeleton = self.skeleton;
        let is_open = |node: &SkeletonNode| {
            node.production.is_none() && skeleton.symbols[node.symbol].terminal.is_none()
        };
        let mut nodes = self.expand(0);
        while nodes.iter().any(is_open) {
            if nodes.len() >= MAX_NODES {
                return None;
            }
            let mut next = Fragment::with_capacity(nodes.len());
            for node in nodes {
                if is_open(&node) {
                    next.extend(self.expand(node.symbol))
                } else {
                    next.push(node)
                }
            }
            nodes = next;
        }
        Some(SkeletonTree::minimal(skeleton, &nodes))
    }
}
