//! Directed graphs of symbols, and their strongly connected components.
//!
//! The algorithm is Tarjan's (*Depth-first search and linear graph algorithms*, 1972). It uses an
//! explicit stack, so a chain of a million rules does not overflow the call stack.

use super::{GrammarTables, Kind, span};

/// The edges from every symbol to the symbols in its definition.
pub(crate) fn parts(tables: GrammarTables<'_>) -> Vec<(u32, u32)> {
    let mut edges = Vec::with_capacity(tables.children.len() + tables.symbols.len());
    for (id, symbol) in (0..).zip(tables.symbols) {
        match &symbol.kind {
            Kind::Nonterminal { alternatives, .. } => {
                for alternative in &tables.alternatives[span(alternatives)] {
                    edges.extend(
                        tables.children[span(&alternative.children)]
                            .iter()
                            .map(|child| (id, child.symbol.0)),
                    );
                }
            }
            Kind::Repeat { element, .. } => edges.push((id, element.symbol.0)),
            Kind::Identifier { escape, .. } => edges.push((id, escape.0)),
            Kind::Lexeme { body, .. } => edges.push((id, body.0)),
            _ => {}
        }
    }
    edges
}

/// A directed graph: the successors of every vertex, in one flat table.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Graph {
    /// The index in `next` of the first successor of each vertex, and at the end the length of
    /// `next`.
    first: Vec<u32>,
    next: Vec<u32>,
}

impl Graph {
    /// The graph on `vertices` vertices with the given edges.
    pub fn new(vertices: usize, edges: &[(u32, u32)]) -> Graph {
        let mut first = vec![0; vertices + 1];
        for &(from, _) in edges {
            first[from as usize + 1] += 1;
        }
        for at in 0..vertices {
            first[at + 1] += first[at];
        }
        let mut free = first.clone();
        let mut next = vec![0; edges.len()];
        for &(from, to) in edges {
            next[free[from as usize] as usize] = to;
            free[from as usize] += 1;
        }
        Graph { first, next }
    }

    /// The successors of a vertex.
    #[inline]
    pub fn successors(&self, vertex: u32) -> &[u32] {
        &self.next[self.first[vertex as usize] as usize..self.first[vertex as usize + 1] as usize]
    }

    /// Returns the vertices of a cycle in their order, or [`None`] if there is no cycle.
    pub fn cycle(&self) -> Option<Vec<u32>> {
        let (component, cyclic) = components(self);
        let first = cyclic.iter().position(|&cyclic| cyclic)? as u32;
        let mut path = vec![first];
        loop {
            // In a cyclic strongly connected component, each vertex has a successor in the
            // component.
            let last = path[path.len() - 1];
            let is_within = |next: &&u32| component[**next as usize] == component[first as usize];
            let next = *self.successors(last).iter().find(is_within)?;
            if let Some(at) = path.iter().position(|&vertex| vertex == next) {
                return Some(path.split_off(at));
            }
            path.push(next);
        }
    }

    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        self.first.len() - 1
    }

    /// For every vertex, whether it can be reached from `from`. The vertex `from` itself can be
    /// reached.
    pub fn reachable(&self, from: u32) -> Vec<bool> {
        let mut seen = vec![false; self.vertices()];
        let mut open = vec![from];
        while let Some(vertex) = open.pop() {
            if !std::mem::replace(&mut seen[vertex as usize], true) {
                open.extend_from_slice(self.successors(vertex));
            }
        }
        seen
    }
}

/// For every vertex, the number of its strongly connected component, and whether the vertex lies on
/// a cycle. A component has a higher number than the components that can be reached from it.
pub fn components(graph: &Graph) -> (Vec<u32>, Vec<bool>) {
    const UNSEEN: u32 = u32::MAX;
    let count = graph.vertices();
    let (mut order, mut low, mut component) =
        (vec![UNSEEN; count], vec![0; count], vec![UNSEEN; count]);
    let mut cyclic = vec![false; count];
    let (mut clock, mut found) = (0, 0);
    let (mut path, mut open): (Vec<u32>, Vec<(u32, u32)>) = (Vec::new(), Vec::new());
    for root in 0..count as u32 {
        if order[root as usize] != UNSEEN {
            continue;
        }
        open.push((root, 0));
        while let Some(&mut (vertex, ref mut at)) = open.last_mut() {
            let v = vertex as usize;
            if *at == 0 && order[v] == UNSEEN {
                (order[v], low[v]) = (clock, clock);
                clock += 1;
                path.push(vertex);
            }
            if let Some(&next) = graph.successors(vertex).get(*at as usize) {
                *at += 1;
                let n = next as usize;
                cyclic[v] |= next == vertex;
                if order[n] == UNSEEN {
                    open.push((next, 0));
                } else if component[n] == UNSEEN {
                    low[v] = low[v].min(order[n]);
                }
                continue;
            }
            open.pop();
            if let Some(&(parent, _)) = open.last() {
                low[parent as usize] = low[parent as usize].min(low[v]);
            }
            if low[v] == order[v] {
                let start = path
                    .iter()
                    .rposition(|&p| p == vertex)
                    .expect("a root is on the path");
                let many = path.len() - start > 1;
                for member in path.drain(start..) {
                    component[member as usize] = found;
                    cyclic[member as usize] |= many;
                }
                found += 1;
            }
        }
    }
    (component, cyclic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_of_a_cycle_a_loop_and_a_chain() {
        let graph = Graph::new(6, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 3), (3, 4), (5, 4)]);
        let (component, cyclic) = components(&graph);
        assert_eq!(cyclic, [true, true, true, true, false, false]);
        assert!(component[0] == component[1] && component[1] == component[2]);
        assert!(component[4] < component[3] && component[3] < component[0]);
        assert_eq!(graph.reachable(3), [false, false, false, true, true, false]);
    }

    #[test]
    fn a_cycle_is_found_if_there_is_one() {
        let graph = Graph::new(5, &[(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)]);
        assert_eq!(graph.cycle(), Some(vec![1, 2, 3]));
        assert_eq!(Graph::new(2, &[(1, 1)]).cycle(), Some(vec![1]));
        assert_eq!(Graph::new(3, &[(0, 1), (0, 2), (1, 2)]).cycle(), None);
    }

    #[test]
    fn a_chain_of_a_million_vertices_does_not_overflow_the_stack() {
        let edges: Vec<_> = (0..999_999).map(|v| (v, v + 1)).collect();
        let (component, _) = components(&Graph::new(1_000_000, &edges));
        assert_eq!((component[999_999], component[0]), (0, 999_999));
    }

    #[test]
    fn components_of_all_graphs_of_three_vertices() {
        const COUNT: u32 = 3;
        for edges in 0..1_u32 << (COUNT * COUNT) {
            let all = (0..COUNT).flat_map(|from| (0..COUNT).map(move |to| (from, to)));
            let edges: Vec<(u32, u32)> = all
                .filter(|&(from, to)| edges >> (from * COUNT + to) & 1 != 0)
                .collect();
            let graph = Graph::new(COUNT as usize, &edges);
            // Whether a path of at least one edge leads from one vertex to another (Warshall's
            // algorithm).
            let mut path = [[false; COUNT as usize]; COUNT as usize];
            edges
                .iter()
                .for_each(|&(from, to)| path[from as usize][to as usize] = true);
            for (middle, from, to) in (0..27).map(|at| (at / 9, at / 3 % 3, at % 3)) {
                path[from][to] |= path[from][middle] && path[middle][to];
            }
            let (component, cyclic) = components(&graph);
            for one in 0..COUNT as usize {
                assert_eq!(cyclic[one], path[one][one], "{edges:?}");
                let reachable = graph.reachable(one as u32);
                for other in 0..COUNT as usize {
                    assert_eq!(
                        reachable[other],
                        one == other || path[one][other],
                        "{edges:?}"
                    );
                    let is_same = one == other || path[one][other] && path[other][one];
                    assert_eq!(component[one] == component[other], is_same, "{edges:?}");
                    assert!(
                        is_same || !path[one][other] || component[one] > component[other],
                        "{edges:?}"
                    );
                }
            }
        }
    }
}
