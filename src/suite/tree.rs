//! Trees of productions, whole or with open leaves.
//!
//! Nodes are stored in preorder, as in a [`Derivation`](crate::derivation::Derivation).

use super::skeleton::{PathStep, Skeleton};

/// A node: a symbol, and the production that expands it. Tokens and open leaves have no production.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SkeletonNode {
    pub symbol: usize,
    pub production: Option<usize>,
}

/// A tree that may have open leaves: nonterminals that are not expanded yet.
pub type Fragment = Vec<SkeletonNode>;

/// A tree without open leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkeletonTree {
    pub nodes: Vec<SkeletonNode>,
    /// For each node, the number of nodes of its subtree.
    sizes: Vec<usize>,
}

impl SkeletonTree {
    /// Completes a fragment. For each open leaf, it calls `expand` with the symbol of the leaf and
    /// puts the returned fragment in its place. This fragment must begin with an expanded node of
    /// the symbol. The completed tree must be finite.
    pub fn complete(
        skeleton: &Skeleton<'_>,
        fragment: &[SkeletonNode],
        expand: &mut dyn FnMut(usize) -> Fragment,
    ) -> SkeletonTree {
        let mut nodes = Vec::with_capacity(fragment.len());
        let mut open: Vec<SkeletonNode> = fragment.iter().rev().copied().collect();
        while let Some(node) = open.pop() {
            match node.production {
                None if skeleton.symbols[node.symbol].terminal.is_none() => {
                    let expanded = expand(node.symbol);
                    // Push the first node at once, so that it is not expanded again.
                    nodes.push(expanded[0]);
                    open.extend(expanded[1..].iter().rev());
                }
                _ => nodes.push(node),
            }
        }
        SkeletonTree::of(skeleton, nodes)
    }

    /// Completes a fragment by the productions with the smallest texts.
    pub fn minimal(skeleton: &Skeleton<'_>, fragment: &[SkeletonNode]) -> SkeletonTree {
        SkeletonTree::complete(skeleton, fragment, &mut |symbol| {
            opened(skeleton, symbol, 0)
        })
    }

    /// Computes the sizes of subtrees.
    pub fn of(skeleton: &Skeleton<'_>, nodes: Vec<SkeletonNode>) -> SkeletonTree {
        let mut sizes = vec![1; nodes.len()];
        for at in (0..nodes.len()).rev() {
            let Some(production) = nodes[at].production else {
                continue;
            };
            let mut end = at + 1;
            for _ in &skeleton.symbols[nodes[at].symbol].productions[production].parts {
                end += sizes[end];
            }
            sizes[at] = end - at;
        }
        SkeletonTree { nodes, sizes }
    }

    /// Returns the indices of a node's children.
    pub fn children(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let end = at + self.sizes[at];
        let within = move |child: usize| (child < end).then_some(child);
        std::iter::successors(within(at + 1), move |&child| {
            within(child + self.sizes[child])
        })
    }

    /// Returns the index after the last node of a subtree.
    pub fn end(&self, at: usize) -> usize {
        at + self.sizes[at]
    }

    /// Returns the parent of each node. The root is its own parent.
    pub fn parents(&self) -> Vec<usize> {
        let mut parents = vec![0; self.nodes.len()];
        for at in 0..self.nodes.len() {
            for child in self.children(at) {
                parents[child] = at;
            }
        }
        parents
    }
}

/// Returns the indices of the open leaves of a fragment.
pub fn open_leaves<'a>(
    skeleton: &'a Skeleton<'_>,
    fragment: &'a [SkeletonNode],
) -> impl Iterator<Item = usize> + 'a {
    let is_open = |node: &SkeletonNode| {
        node.production.is_none() && skeleton.symbols[node.symbol].terminal.is_none()
    };
    (0..fragment.len()).filter(move |&at| is_open(&fragment[at]))
}

/// Returns the index of the leftmost open leaf of the highest level.
pub fn highest_leaf(skeleton: &Skeleton<'_>, fragment: &[SkeletonNode]) -> Option<usize> {
    // For each node around the current position, the number of children that are still to come.
    let mut around: Vec<usize> = Vec::new();
    let mut found: Option<(usize, usize)> = None;
    for (at, node) in fragment.iter().enumerate() {
        let symbol = &skeleton.symbols[node.symbol];
        let is_open = node.production.is_none() && symbol.terminal.is_none();
        if is_open && found.is_none_or(|(level, _)| around.len() < level) {
            found = Some((around.len(), at));
        }
        let parts = node
            .production
            .map_or(0, |production| symbol.productions[production].parts.len());
        around.push(parts);
        while around.pop_if(|left| *left == 0).is_some() {
            if let Some(left) = around.last_mut() {
                *left -= 1;
            }
        }
    }
    found.map(|(_, at)| at)
}

/// Returns the fragment of one production, with open leaves.
pub fn opened(skeleton: &Skeleton<'_>, symbol: usize, production: usize) -> Fragment {
    let parts = &skeleton.symbols[symbol].productions[production].parts;
    let leaves = parts.iter().map(|part| SkeletonNode {
        symbol: part.symbol,
        production: None,
    });
    std::iter::once(SkeletonNode {
        symbol,
        production: Some(production),
    })
    .chain(leaves)
    .collect()
}

/// Puts a fragment at the end of a path. The siblings on the path are open leaves.
pub fn along(skeleton: &Skeleton<'_>, path: &[PathStep], end: &[SkeletonNode]) -> Fragment {
    let (mut fragment, mut after) = (Fragment::new(), Vec::new());
    for step in path {
        let leaves = &opened(skeleton, step.symbol, step.production)[..];
        fragment.extend_from_slice(&leaves[..=step.part]);
        after.push(leaves[step.part + 2..].to_vec());
    }
    fragment.extend_from_slice(end);
    fragment.extend(after.into_iter().rev().flatten());
    fragment
}

/// Replaces the child with this index of the first node of a fragment of one production.
pub fn with_child(fragment: &[SkeletonNode], child: usize, by: &[SkeletonNode]) -> Fragment {
    [&fragment[..child + 1], by, &fragment[child + 2..]].concat()
}
