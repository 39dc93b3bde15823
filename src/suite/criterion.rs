//! Coverage criteria. A criterion defines the obligations that a suite must cover, and which of
//! them a tree covers.
//!
//! The criteria are those of *Fu(t|z)zing with grammars* (Raselimo, Taljaard, Fischer), of Lämmel
//! (*Grammar Testing*, FASE 2001) and of Havrikov and Zeller (*Systematically Covering Input
//! Structure*, ASE 2019; *k*-paths).

use std::fmt;
use std::str::FromStr;

use super::sets::TokenSets;
use super::skeleton::{PathStep, Skeleton};
use super::tree::{Fragment, SkeletonNode, SkeletonTree, along, highest_leaf, opened, with_child};
use crate::error::Error;

/// A coverage criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Criterion {
    /// Every nonterminal and every terminal.
    Symbol,
    /// Every production.
    Rule,
    /// Every production at every occurrence of its nonterminal (context-dependent rule coverage).
    Cdrc,
    /// For every production, all combinations of the productions of its nonterminals.
    Cdrc2,
    /// For every nonterminal, all trees with at most this many productions.
    Step(usize),
    /// For every nonterminal, all trees of a breadth-first derivation with at most this many
    /// productions. A breadth-first derivation always expands the leftmost open leaf of the highest
    /// level.
    Bfs(usize),
    /// Every nonterminal with every symbol that occurs in its derivations.
    Deriv,
    /// Every pair of symbols that can be adjacent in a sentential form: terminals, and nonterminals
    /// with a rule of their own.
    Pair,
    /// Every nonterminal with every terminal that it can begin with.
    Pll,
    /// Every path of this many symbols in a tree.
    KPath(usize),
}

/// The names of all criteria, for messages.
pub const NAMES: &str = "symbol, rule, cdrc, cdrc2, step:K, bfs:K, deriv, pair, pll, kpath:K";

impl FromStr for Criterion {
    type Err = Error;

    fn from_str(text: &str) -> Result<Criterion, Error> {
        let (name, k) = text
            .split_once(':')
            .map_or((text, None), |(name, k)| (name, Some(k)));
        let number = || match k.map(str::parse) {
            Some(Ok(k @ 1..=9)) => Ok(k),
            _ => Err(format!("`{name}` needs a number from 1 to 9, as in `{name}:2`").into()),
        };
        let plain = |criterion| match k {
            None => Ok(criterion),
            Some(_) => Err(format!("`{name}` takes no number").into()),
        };
        match name {
            "symbol" => plain(Criterion::Symbol),
            "rule" => plain(Criterion::Rule),
            "cdrc" => plain(Criterion::Cdrc),
            "cdrc2" => plain(Criterion::Cdrc2),
            "deriv" => plain(Criterion::Deriv),
            "pair" => plain(Criterion::Pair),
            "pll" => plain(Criterion::Pll),
            "step" => number().map(Criterion::Step),
            "bfs" => number().map(Criterion::Bfs),
            "kpath" => number().map(Criterion::KPath),
            _ => Err(format!("no criterion `{name}`; there are {NAMES}").into()),
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Criterion::Symbol => formatter.write_str("symbol"),
            Criterion::Rule => formatter.write_str("rule"),
            Criterion::Cdrc => formatter.write_str("cdrc"),
            Criterion::Cdrc2 => formatter.write_str("cdrc2"),
            Criterion::Step(k) => write!(formatter, "step:{k}"),
            Criterion::Bfs(k) => write!(formatter, "bfs:{k}"),
            Criterion::Deriv => formatter.write_str("deriv"),
            Criterion::Pair => formatter.write_str("pair"),
            Criterion::Pll => formatter.write_str("pll"),
            Criterion::KPath(k) => write!(formatter, "kpath:{k}"),
        }
    }
}

/// A part of a grammar that a suite must cover.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Obligation {
    Nonterminal(usize),
    Terminal(usize),
    /// The symbol and the production.
    Production(usize, usize),
    /// The symbol, its production, and the productions of all or one of its nonterminals.
    Parts(usize, usize, Vec<(usize, usize)>),
    /// A tree with open leaves. Its root is a nonterminal.
    Shape(Vec<(usize, Option<usize>)>),
    /// The symbol, and a nonterminal in its derivations.
    Derives(usize, usize),
    /// The symbol, and a terminal in its derivations.
    DerivesTerminal(usize, usize),
    /// Two symbols. A terminal is given by its first occurrence.
    Adjacent(usize, usize),
    /// The symbol, and a terminal that it begins with.
    Begins(usize, usize),
    /// The symbols on the path from a node to a descendant. A terminal is given by its first
    /// occurrence.
    Path(Vec<usize>),
}

/// An obligation, and a tree with open leaves that meets it.
#[derive(Clone, Debug)]
pub struct Goal {
    pub obligation: Obligation,
    pub fragment: Fragment,
}

impl Goal {
    fn new(obligation: Obligation, fragment: Fragment) -> Goal {
        Goal {
            obligation,
            fragment,
        }
    }
}

impl Criterion {
    /// Calls `add` for all goals, until it returns false. No two goals have equal obligations.
    pub fn goals(
        self,
        skeleton: &Skeleton<'_>,
        sets: &TokenSets,
        add: &mut dyn FnMut(Goal) -> bool,
    ) {
        let nonterminals =
            || (0..skeleton.symbols.len()).filter(|&at| skeleton.symbols[at].terminal.is_none());
        let productions = || {
            nonterminals().flat_map(|at| {
                (0..skeleton.symbols[at].productions.len()).map(move |production| (at, production))
            })
        };
        match self {
            Criterion::Symbol => {
                let terminals = skeleton
                    .terminals
                    .iter()
                    .enumerate()
                    .map(|(terminal, &at)| (Obligation::Terminal(terminal), at));
                let all = nonterminals()
                    .map(|at| (Obligation::Nonterminal(at), at))
                    .chain(terminals);
                for (obligation, symbol) in all {
                    if !add(Goal::new(
                        obligation,
                        vec![SkeletonNode {
                            symbol,
                            production: None,
                        }],
                    )) {
                        return;
                    }
                }
            }
            Criterion::Rule => {
                for (at, production) in productions() {
                    if !add(Goal::new(
                        Obligation::Production(at, production),
                        opened(skeleton, at, production),
                    )) {
                        return;
                    }
                }
            }
            Criterion::Cdrc => {
                for (at, production) in productions() {
                    let fragment = opened(skeleton, at, production);
                    for (part, child) in skeleton.symbols[at].productions[production]
                        .parts
                        .iter()
                        .enumerate()
                    {
                        for choice in 0..skeleton.symbols[child.symbol].productions.len() {
                            let obligation =
                                Obligation::Parts(at, production, vec![(part, choice)]);
                            let fragment = with_child(
                                &fragment,
                                part,
                                &opened(skeleton, child.symbol, choice),
                            );
                            if !add(Goal::new(obligation, fragment)) {
                                return;
                            }
                        }
                    }
                }
            }
            Criterion::Cdrc2 => {
                for (at, production) in productions() {
                    if !combinations(skeleton, at, production, add) {
                        return;
                    }
                }
            }
            Criterion::Step(k) => {
                for at in nonterminals() {
                    if !shapes(skeleton, at, k, add) {
                        return;
                    }
                }
            }
            Criterion::Bfs(k) => {
                for at in nonterminals() {
                    if !levels(skeleton, at, k, add) {
                        return;
                    }
                }
            }
            Criterion::Deriv => {
                for at in nonterminals() {
                    if !derived(skeleton, at, add) {
                        return;
                    }
                }
            }
            Criterion::Pair => sets.pairs(skeleton, &mut |one, other, fragment| {
                add(Goal::new(Obligation::Adjacent(one, other), fragment))
            }),
            Criterion::Pll => {
                for at in nonterminals() {
                    for (terminal, fragment) in sets.beginnings(skeleton, at) {
                        if !add(Goal::new(Obligation::Begins(at, terminal), fragment)) {
                            return;
                        }
                    }
                }
            }
            Criterion::KPath(k) => {
                for at in 0..skeleton.symbols.len() {
                    if !paths(skeleton, at, k, add) {
                        return;
                    }
                }
            }
        }
    }

    /// Returns the obligations that a whole tree covers. The list may contain an obligation several
    /// times.
    pub fn covered(self, skeleton: &Skeleton<'_>, tree: &SkeletonTree) -> Vec<Obligation> {
        let mut covered = Vec::new();
        let terminal_of = |at: usize| skeleton.symbols[tree.nodes[at].symbol].terminal;
        let parts = |at: usize| {
            let productions = tree
                .children(at)
                .enumerate()
                .map(|(part, child)| (part, tree.nodes[child].production));
            productions
                .filter_map(|(part, production)| Some((part, production?)))
                .collect::<Vec<_>>()
        };
        let expanded = || {
            (0..tree.nodes.len())
                .filter_map(|at| Some((at, tree.nodes[at].symbol, tree.nodes[at].production?)))
        };
        match self {
            Criterion::Symbol => {
                for at in 0..tree.nodes.len() {
                    let nonterminal = Obligation::Nonterminal(tree.nodes[at].symbol);
                    covered.push(terminal_of(at).map_or(nonterminal, Obligation::Terminal));
                }
            }
            Criterion::Rule => covered.extend(
                expanded()
                    .map(|(_, symbol, production)| Obligation::Production(symbol, production)),
            ),
            Criterion::Cdrc => {
                for (at, symbol, production) in expanded() {
                    covered.extend(
                        parts(at)
                            .into_iter()
                            .map(|part| Obligation::Parts(symbol, production, vec![part])),
                    );
                }
            }
            Criterion::Cdrc2 => {
                covered.extend(expanded().map(|(at, symbol, production)| {
                    Obligation::Parts(symbol, production, parts(at))
                }));
            }
            Criterion::Step(k) => expanded().for_each(|(at, ..)| tops(tree, at, k, &mut covered)),
            Criterion::Bfs(k) => {
                expanded().for_each(|(at, ..)| level_tops(skeleton, tree, at, k, &mut covered));
            }
            Criterion::Deriv => {
                for (at, symbol, _) in expanded() {
                    for below in at + 1..tree.end(at) {
                        let nonterminal = Obligation::Derives(symbol, tree.nodes[below].symbol);
                        covered.push(terminal_of(below).map_or(nonterminal, |terminal| {
                            Obligation::DerivesTerminal(symbol, terminal)
                        }));
                    }
                }
                covered.sort_unstable();
                covered.dedup();
            }
            Criterion::Pair => {
                let symbol = |at: usize| skeleton.same(tree.nodes[at].symbol);
                let is_named = |at: &usize| skeleton.is_named(symbol(*at));
                for one in (0..tree.nodes.len()).filter(is_named) {
                    let next = ends_at_token(skeleton, tree, tree.end(one)..tree.nodes.len());
                    let pair = |other| Obligation::Adjacent(symbol(one), symbol(other));
                    covered.extend(next.filter(is_named).map(pair));
                }
                covered.sort_unstable();
                covered.dedup();
            }
            Criterion::Pll => {
                for (at, symbol, _) in expanded() {
                    let tokens = (at + 1..tree.end(at)).filter(|&at| terminal_of(at).is_some());
                    let first = ends_at_token(skeleton, tree, tokens);
                    covered.extend(
                        first.filter_map(|at| Some(Obligation::Begins(symbol, terminal_of(at)?))),
                    );
                }
            }
            Criterion::KPath(k) => {
                let parents = tree.parents();
                for at in 0..tree.nodes.len() {
                    let mut path: Vec<usize> = Vec::with_capacity(k);
                    let mut above = at;
                    loop {
                        path.push(skeleton.same(tree.nodes[above].symbol));
                        if path.len() == k || above == 0 {
                            break;
                        }
                        above = parents[above];
                    }
                    if path.len() == k {
                        path.reverse();
                        covered.push(Obligation::Path(path));
                    }
                }
            }
        }
        covered
    }
}

/// Returns the nodes up to the first token that cannot be empty.
fn ends_at_token<'a>(
    skeleton: &'a Skeleton<'_>,
    tree: &'a SkeletonTree,
    nodes: impl Iterator<Item = usize> + 'a,
) -> impl Iterator<Item = usize> + 'a {
    let mut is_over = false;
    nodes.take_while(move |&at| {
        let was_over = is_over;
        let symbol = &skeleton.symbols[tree.nodes[at].symbol];
        is_over |= symbol.terminal.is_some() && skeleton.grammar[symbol.id].min_bytes > 0;
        !was_over
    })
}

/// Adds a goal for each symbol in the derivations of a nonterminal. Returns whether to go on.
fn derived(skeleton: &Skeleton<'_>, at: usize, add: &mut dyn FnMut(Goal) -> bool) -> bool {
    let paths = skeleton.paths_from(at);
    let mut terminals: Vec<Option<Fragment>> = vec![None; skeleton.terminals.len()];
    for (to, symbol) in skeleton.symbols.iter().enumerate() {
        let Some(path) = paths.down_to(to) else {
            continue;
        };
        let fragment = along(
            skeleton,
            &path,
            &[SkeletonNode {
                symbol: to,
                production: None,
            }],
        );
        let Some(terminal) = symbol.terminal else {
            if !add(Goal::new(Obligation::Derives(at, to), fragment)) {
                return false;
            }
            continue;
        };
        let best = &mut terminals[terminal];
        if best.as_ref().is_none_or(|best| fragment.len() < best.len()) {
            *best = Some(fragment);
        }
    }
    let goals = terminals.into_iter().enumerate();
    let mut goals = goals.filter_map(|(terminal, fragment)| {
        Some(Goal::new(
            Obligation::DerivesTerminal(at, terminal),
            fragment?,
        ))
    });
    goals.all(add)
}

/// Adds all combinations of the productions of the parts of a production. Returns whether to go on.
fn combinations(
    skeleton: &Skeleton<'_>,
    at: usize,
    production: usize,
    add: &mut dyn FnMut(Goal) -> bool,
) -> bool {
    let parts = &skeleton.symbols[at].productions[production].parts;
    let all: Vec<(usize, usize)> = parts
        .iter()
        .map(|part| skeleton.symbols[part.symbol].productions.len())
        .enumerate()
        .collect();
    let counts: Vec<(usize, usize)> = all.into_iter().filter(|&(_, count)| count > 0).collect();
    let mut chosen: Vec<usize> = vec![0; counts.len()];
    loop {
        let choices: Vec<(usize, usize)> = counts
            .iter()
            .zip(&chosen)
            .map(|(&(part, _), &choice)| (part, choice))
            .collect();
        let mut fragment = opened(skeleton, at, production);
        for &(part, choice) in choices.iter().rev() {
            fragment = with_child(
                &fragment,
                part,
                &opened(skeleton, parts[part].symbol, choice),
            );
        }
        if !add(Goal::new(
            Obligation::Parts(at, production, choices),
            fragment,
        )) {
            return false;
        }
        // Count to the next combination, as with a number that has one digit for each part.
        let mut digit = 0;
        while digit < chosen.len() {
            chosen[digit] += 1;
            if chosen[digit] < counts[digit].1 {
                break;
            }
            chosen[digit] = 0;
            digit += 1;
        }
        if digit == chosen.len() {
            return true;
        }
    }
}

/// Returns the obligation for a tree with open leaves.
fn shape(fragment: &[SkeletonNode]) -> Obligation {
    Obligation::Shape(
        fragment
            .iter()
            .map(|node| (node.symbol, node.production))
            .collect(),
    )
}

/// Adds all trees of a nonterminal with 1 to `k` productions. Returns whether to go on.
fn shapes(
    skeleton: &Skeleton<'_>,
    symbol: usize,
    k: usize,
    add: &mut dyn FnMut(Goal) -> bool,
) -> bool {
    // Each entry has a tree, the first leaf that may be expanded (`from`), and the number of
    // productions. Leaves before `from` stay open, so that each tree is added once.
    let mut open: Vec<(Fragment, usize, usize)> = vec![(
        vec![SkeletonNode {
            symbol,
            production: None,
        }],
        0,
        0,
    )];
    while let Some((fragment, from, count)) = open.pop() {
        if count > 0 && !add(Goal::new(shape(&fragment), fragment.clone())) {
            return false;
        }
        if count == k {
            continue;
        }
        for at in from..fragment.len() {
            for production in 0..skeleton.symbols[fragment[at].symbol].productions.len() {
                let expansion = opened(skeleton, fragment[at].symbol, production);
                open.push((
                    [&fragment[..at], &expansion, &fragment[at + 1..]].concat(),
                    at + 1,
                    count + 1,
                ));
            }
        }
    }
    true
}

/// Adds all trees of a nonterminal with 1 to `k` productions that expand the leftmost leaf of the
/// highest level first. Returns whether to go on.
fn levels(
    skeleton: &Skeleton<'_>,
    symbol: usize,
    k: usize,
    add: &mut dyn FnMut(Goal) -> bool,
) -> bool {
    let root = SkeletonNode {
        symbol,
        production: None,
    };
    let mut open: Vec<(Fragment, usize)> = vec![(vec![root], 0)];
    while let Some((fragment, count)) = open.pop() {
        if count > 0 && !add(Goal::new(shape(&fragment), fragment.clone())) {
            return false;
        }
        let Some(at) = highest_leaf(skeleton, &fragment).filter(|_| count < k) else {
            continue;
        };
        for production in (0..skeleton.symbols[fragment[at].symbol].productions.len()).rev() {
            let expansion = opened(skeleton, fragment[at].symbol, production);
            let more = [&fragment[..at], &expansion, &fragment[at + 1..]].concat();
            open.push((more, count + 1));
        }
    }
    true
}

/// Adds the trees of [`levels`] that are the top of the subtree at a node.
fn level_tops(
    skeleton: &Skeleton<'_>,
    tree: &SkeletonTree,
    at: usize,
    k: usize,
    covered: &mut Vec<Obligation>,
) {
    let closed = |at: usize| SkeletonNode {
        production: None,
        ..tree.nodes[at]
    };
    // The nodes of the fragment, and their indices in the tree.
    let (mut fragment, mut origins) = (vec![closed(at)], vec![at]);
    for _ in 0..k {
        let Some(leaf) = highest_leaf(skeleton, &fragment) else {
            return;
        };
        let origin = origins[leaf];
        let children: Vec<usize> = tree.children(origin).collect();
        fragment[leaf] = tree.nodes[origin];
        fragment.splice(
            leaf + 1..leaf + 1,
            children.iter().map(|&child| closed(child)),
        );
        origins.splice(leaf + 1..leaf + 1, children);
        covered.push(shape(&fragment));
    }
}

/// Adds the trees with at most `k` productions that are the top of the subtree at a node.
fn tops(tree: &SkeletonTree, at: usize, k: usize, covered: &mut Vec<Obligation>) {
    // For each tree: its nodes (their indices, and whether each is expanded), the first node that
    // may be expanded next, and the number of its productions.
    let mut open = vec![(vec![(at, false)], 0, 0)];
    while let Some((nodes, from, count)) = open.pop() {
        if count > 0 {
            let node = |&(at, is_expanded): &(usize, bool)| {
                (
                    tree.nodes[at].symbol,
                    tree.nodes[at].production.filter(|_| is_expanded),
                )
            };
            covered.push(Obligation::Shape(nodes.iter().map(node).collect()));
        }
        if count == k {
            continue;
        }
        for leaf in from..nodes.len() {
            if tree.nodes[nodes[leaf].0].production.is_some() {
                let mut more = nodes[..leaf].to_vec();
                more.push((nodes[leaf].0, true));
                more.extend(tree.children(nodes[leaf].0).map(|child| (child, false)));
                more.extend_from_slice(&nodes[leaf + 1..]);
                open.push((more, leaf + 1, count + 1));
            }
        }
    }
}

/// Adds all paths of `k` symbols that begin at a symbol and lead down. Returns whether to go on.
fn paths(
    skeleton: &Skeleton<'_>,
    symbol: usize,
    k: usize,
    add: &mut dyn FnMut(Goal) -> bool,
) -> bool {
    if skeleton.same(symbol) != symbol {
        return true;
    }
    let mut open: Vec<(Vec<usize>, Vec<PathStep>)> = vec![(vec![symbol], Vec::new())];
    while let Some((path, steps)) = open.pop() {
        let last = *path.last().unwrap_or(&symbol);
        if path.len() == k {
            // The path has the first occurrence of the terminal. The tree needs the occurrence at
            // this place.
            let part = |step: &PathStep| {
                skeleton.symbols[step.symbol].productions[step.production].parts[step.part].symbol
            };
            let symbol = steps.last().map_or(last, part);
            let fragment = along(
                skeleton,
                &steps,
                &[SkeletonNode {
                    symbol,
                    production: None,
                }],
            );
            if !add(Goal::new(Obligation::Path(path), fragment)) {
                return false;
            }
            continue;
        }
        let mut seen = std::collections::HashSet::new();
        for (production, it) in skeleton.symbols[last].productions.iter().enumerate() {
            for (part, child) in it.parts.iter().enumerate() {
                let child = skeleton.same(child.symbol);
                if seen.insert(child) {
                    let step = PathStep {
                        symbol: last,
                        production,
                        part,
                    };
                    open.push((
                        [&path[..], &[child]].concat(),
                        [&steps[..], &[step]].concat(),
                    ));
                }
            }
        }
    }
    true
}
