//! Reading of parameters that differ from known parameters in one place.
//!
//! The parameters of a subtree are a contiguous span. So the text before the changed subtree is the
//! same as in the known sentence. The text after it is the same, too, except for a separator
//! between two tokens. Therefore only the changed subtree and two tokens after it are derived.
//! Everything else is copied.

use std::ops::Range;

use super::tree::Canonical;
use super::{Parameters, Settings, Tree, TreeView, decode, encode_with_spans};
use crate::bounds::{Bounds, Caps};
use crate::derivation::{Derivation, Node, NodeChildren};
use crate::derive::{DerivationGoal, Expander, PrecedingToken, Workspace, lay_out};
use crate::grammar::{Grammar, Kind, PositionId};
use crate::uninstrumented::uninstrumented;

/// The number of tokens with text that are derived after the changed subtree. The first one has a
/// new token before it. Whether the second one needs a separator depends on the position of the
/// token before the first one.
const DERIVED_TOKENS: usize = 2;

/// A known tree is used if the number of its parameters divided by this many is unchanged.
/// Otherwise copying saves no time.
const UNCHANGED_PART: usize = 4;

uninstrumented! {
    /// Decodes bytes like [`read`] by the grammar and the settings of a known tree, with the same
    /// result, but faster if `bytes` differ little from the parameters of that tree: unchanged
    /// parts are copied from it. `tree` is overwritten.
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::{Grammar, derive::Workspace, parameters::{self, Tree, TreeView}};
    ///
    /// let grammar = Grammar::read("x.ebnf", br#"s = "<" [a-z] s | ">" ;"#).unwrap();
    /// let (mut workspace, mut known, mut tree) = (Workspace::default(), Tree::default(), Tree::default());
    /// parameters::read(&grammar, &Default::default(), &[1, 0, 1, 1, 1, 2, 0], &mut workspace, &mut known);
    /// assert_eq!(known.derivation().text(), b"<a<b<c>");
    /// let known = TreeView { grammar: &grammar, settings: &Default::default(), tree: &known };
    /// parameters::reread(known, &[1, 0, 1, 25, 1, 2, 0], &mut workspace, &mut tree);
    /// assert_eq!(tree.derivation().text(), b"<a<z<c>");
    /// ```
    pub fn reread(known: TreeView<'_>, bytes: &[u8], workspace: &mut Workspace, tree: &mut Tree) {
        let TreeView { grammar, settings, tree: known } = known;
        let change = find(grammar, settings, known, bytes);
        let Some(change) = &change else { return read(grammar, settings, bytes, workspace, tree) };
        let old = known.derivation.nodes();
        let Tree { derivation, parameters, spans } = &mut *tree;
        refill(&mut derivation.nodes, &old[..change.node]);
        refill(&mut derivation.text, &known.derivation.text[..old[change.node].text as usize]);
        refill(parameters, &known.parameters[..change.span.start]);
        refill(spans, &known.spans[..change.node]);
        let encoded = Encoded { grammar, settings, bytes };
        match derive_canonical(encoded, Some((known, change)), workspace, tree) {
            Some(derived) => finish(grammar, known, tree, change.node, derived),
            None => read(grammar, settings, bytes, workspace, tree),
        }
    }
}

uninstrumented! {
    /// Decodes bytes and encodes the derivation, in one pass. `tree` is overwritten. See [`decode`]
    /// and [`encode_with_spans`].
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::{Grammar, derive::Workspace, parameters::{self, Tree}};
    ///
    /// let grammar = Grammar::read("x.ebnf", br#"s = [a-z]{2} ;"#).unwrap();
    /// let (mut workspace, mut tree) = (Workspace::default(), Tree::default());
    /// parameters::read(&grammar, &Default::default(), &[27, 2, 99], &mut workspace, &mut tree);
    /// assert_eq!((tree.derivation().text(), tree.parameters()), (&b"bc"[..], &[1, 2][..]));
    /// ```
    pub fn read(grammar: &Grammar, settings: &Settings, bytes: &[u8], workspace: &mut Workspace, tree: &mut Tree) {
        let Tree { derivation, parameters, spans } = &mut *tree;
        derivation.clear();
        parameters.clear();
        spans.clear();
        if derive_canonical(Encoded { grammar, settings, bytes }, None, workspace, tree).is_none() {
            let Tree { derivation, parameters, spans } = tree;
            decode(grammar, settings, bytes, workspace, derivation);
            parameters.clear();
            encode_with_spans(grammar, derivation, parameters, spans);
            return;
        }
        let Tree { derivation, parameters, spans } = tree;
        spans.push(parameters.len() as u32);
        derivation.measure(grammar);
    }
}

/// Bytes, with the grammar and the settings by which they decode.
#[derive(Clone, Copy)]
pub(super) struct Encoded<'a> {
    grammar: &'a Grammar,
    settings: &'a Settings,
    bytes: &'a [u8],
}

uninstrumented! {
    /// Appends to `tree` the sentence that bytes decode to, with its canonical parameters. If there
    /// is a known tree and a change, it appends only the changed subtree and the tokens after it,
    /// up to [`DERIVED_TOKENS`] tokens with text.
    ///
    /// Returns [`None`] if the parameters that were written are not canonical. Also returns
    /// [`None`] if bounds, caps or the rest of the sentence might change the parts that are to be
    /// copied.
    pub(super) fn derive_canonical(
        encoded: Encoded<'_>,
        changed: Option<(&Tree, &Change)>,
        workspace: &mut Workspace,
        tree: &mut Tree,
    ) -> Option<Derived> {
        match encoded.grammar.has_names() {
            false => derive_with::<false>(encoded, changed, workspace, tree),
            true => derive_canonical_with_names(encoded, workspace, tree),
        }
    }
}

uninstrumented! {
    /// Does the work of [`derive_canonical`] without a known tree, by a grammar with names.
    fn derive_canonical_with_names(
        encoded: Encoded<'_>,
        workspace: &mut Workspace,
        tree: &mut Tree,
    ) -> Option<Derived> {
        derive_with::<true>(encoded, None, workspace, tree)
    }
}

/// Does the work of [`derive_canonical`]. `NAMES` is whether the grammar has names.
#[inline(always)]
fn derive_with<const NAMES: bool>(
    encoded: Encoded<'_>,
    changed: Option<(&Tree, &Change)>,
    workspace: &mut Workspace,
    tree: &mut Tree,
) -> Option<Derived> {
    let Encoded {
        grammar,
        settings,
        bytes,
    } = encoded;
    let Tree {
        derivation,
        parameters,
        spans,
    } = tree;
    let text = &mut derivation.text;
    let start = grammar.start();
    let from = changed.map_or(0, |(_, change)| change.span.start);
    let caps = if changed.is_some() {
        halved(settings)
    } else {
        settings.caps
    };
    let mut written = text.len();
    let mut choice_source = Parameters::new(&bytes[from..], settings.past_end);
    let mut sink = Canonical {
        nodes: &mut derivation.nodes,
        bytes: parameters,
        spans,
        has_wrong_length: false,
    };
    let goal = DerivationGoal::start(grammar, &settings.bounds, &caps);
    let mut expander =
        Expander::<_, _, NAMES>::new(goal, &mut choice_source, workspace, text, &mut sink);
    let (mut symbol, mut next, mut copy_from, mut new_size) = (start, 0, 0, 0);
    if let Some((known, change)) = changed {
        let node = known.derivation.nodes[change.node];
        (symbol, next, copy_from) = (node.symbol, change.node, change.node + node.size as usize);
        expander.continue_after(&caps, &change.preceding);
        expander.prepare(symbol, change.adjacent);
    }
    // First the changed subtree, then the tokens after it, each with the nodes that open before it.
    let (mut is_first, mut tokens) = (true, 0);
    loop {
        expander.run(symbol);
        let Some((known, change)) = changed else {
            break;
        };
        let old = known.derivation.nodes();
        let (choice_source, sink, text) = expander.parts();
        if is_first {
            let end = change.span.start + choice_source.read();
            if end + (known.parameters.len() - change.span.end) != bytes.len()
                || !sink.nodes[change.node..]
                    .iter()
                    .any(|node| is_token(grammar, node))
            {
                return None;
            }
            new_size = sink.nodes.len() - change.node;
        } else {
            copy_from = next + old[next].size as usize;
            // Whether a later token needs a separator depends on the tokens with text before it.
            tokens += usize::from(text.len() > written);
        }
        let is_next = |&at: &usize| tokens < DERIVED_TOKENS && is_token(grammar, &old[at]);
        let Some(token) = (copy_from..old.len()).find(is_next) else {
            // Layout before the first copied token may be allowed in one of the two sentences only.
            let derived = if is_first { change.node } else { next };
            let is_empty = text.len() == written || known.derivation.text_range(derived).is_empty();
            let first = (copy_from..old.len()).find(|&at| is_empty && is_token(grammar, &old[at]));
            let adjacent_node =
                first.and_then(|token| last_adjacent(grammar, &known.derivation, token));
            if adjacent_node.is_some_and(|at| at < copy_from) {
                return None;
            }
            break;
        };
        // The nodes that open before the token have no text of their own, and their choices are
        // unchanged.
        for (node, span) in old[copy_from..token]
            .iter()
            .zip(known.spans[copy_from..].windows(2))
        {
            sink.spans.push(sink.bytes.len() as u32);
            sink.bytes
                .extend_from_slice(&known.parameters[span[0] as usize..span[1] as usize]);
            sink.nodes.push(Node {
                text: text.len() as u32,
                ..*node
            });
        }
        choice_source.skip((known.spans[token] - known.spans[copy_from]) as usize);
        let adjacent_node = last_adjacent(grammar, &known.derivation, token);
        // What was derived last has no text, so layout may still be forbidden by a node before it.
        if text.len() == written && adjacent_node.is_some_and(|at| at < copy_from) {
            return None;
        }
        written = text.len();
        let adjacent = adjacent_node.is_some_and(|at| at >= copy_from);
        (symbol, next) = (old[token].symbol, token);
        expander.prepare(symbol, adjacent);
        is_first = false;
    }
    let is_unsure = changed.is_some() && expander.was_restricted();
    let is_canonical = !is_unsure && !sink.has_wrong_length;
    lay_out(goal, workspace, &mut derivation.text, &mut derivation.nodes);
    is_canonical.then_some(Derived {
        new_size,
        copy_from,
    })
}

/// The part of a changed sentence that was derived.
pub(super) struct Derived {
    /// The new number of nodes of the changed subtree.
    new_size: usize,
    /// The first node of the known tree that is still to be copied.
    copy_from: usize,
}

/// The difference between known parameters and the bytes to read.
pub(super) struct Change {
    /// The innermost node of the known tree whose span contains the difference.
    node: usize,
    /// The parameters of that node in the known tree.
    span: Range<usize>,
    /// Whether the first token of the node must follow without layout.
    adjacent: bool,
    /// The last token before the node that has text.
    preceding: Option<PrecedingToken>,
}

/// Finds the difference between the parameters of a known tree and `bytes`. Returns [`None`] if the
/// known tree is of no use.
#[inline(always)]
fn find(grammar: &Grammar, settings: &Settings, known: &Tree, bytes: &[u8]) -> Option<Change> {
    let (old, nodes) = (&known.parameters[..], known.derivation.nodes());
    let caps = halved(settings);
    // The caps must not restrict the sentence, even if every token gets a separator. A bound of
    // depth depends on the whole path, and one of identifiers on the whole token.
    let longest = grammar.layout().map_or(0, |layout| layout.longest) as usize;
    let max = known.derivation.text.len() + 4 * (longest + 1) * nodes.len();
    // What names mean depends on all declarations before, the text of a line on
    // the blocks around it, and what repeats a capture on the capture.
    if nodes.is_empty()
        || grammar.naming.is_some()
        || grammar.lines.is_some()
        || grammar.captures.is_some()
        || settings.bounds.depth != Bounds::NONE
        || settings.bounds.identifiers != Bounds::NONE
        || nodes.len() > caps.nodes as usize
        || max > caps.bytes as usize
    {
        return None;
    }
    let front = common(old.iter().zip(bytes));
    let rest = old.len().min(bytes.len()) - front;
    let back = common(old.iter().rev().zip(bytes.iter().rev()).take(rest));
    let changed = front..old.len() - back;
    if (front + back) * UNCHANGED_PART < old.len() {
        return None;
    }
    let derivation = &known.derivation;
    let (mut node, mut adjacent_node) = (0, None);
    while let Some((child, is_adjacent)) = find_child(grammar, derivation, node, |child| {
        known.span(child).end > changed.start
    }) {
        let span = known.span(child);
        let contains_change = span.end >= changed.end
            && (span.start < changed.start || span.start == changed.start && !changed.is_empty());
        if !contains_change {
            break;
        }
        node = child;
        adjacent_node = if is_adjacent {
            Some(child)
        } else {
            adjacent_node
        };
    }
    let last = (0..node)
        .rev()
        .find(|&at| is_token(grammar, &nodes[at]) && !derivation.text_range(at).is_empty());
    let adjacent = adjacent_node.is_some_and(|at| last.is_none_or(|last| last < at));
    // The last token with text counts. A token without text separates two tokens only if there is
    // layout before it.
    let mut tokens = (0..node).rev().filter_map(|at| {
        Some((
            at,
            position(grammar, &nodes[at])?,
            derivation
                .token_range(grammar, at)
                .map(|text| text.start as u32..text.end as u32)?,
        ))
    });
    let mut counting = tokens
        .by_ref()
        .skip_while(|(at, _, text)| text.is_empty() && nodes[*at].choice == 0);
    let preceding = match counting.next() {
        Some((_, _, text)) if text.is_empty() => return None,
        Some((_, position, text)) => {
            let previous = counting
                .find(|(_, _, text)| !text.is_empty())
                .map(|(_, position, _)| position);
            Some(PrecedingToken {
                text,
                position,
                previous,
            })
        }
        None => None,
    };
    Some(Change {
        node,
        span: known.span(node),
        adjacent,
        preceding,
    })
}

/// Copies the rest of the known tree, and sets the sizes of all subtrees.
#[inline(always)]
fn finish(grammar: &Grammar, known: &Tree, tree: &mut Tree, node: usize, derived: Derived) {
    let Derived {
        new_size,
        copy_from,
    } = derived;
    let old = known.derivation.nodes();
    let Tree {
        derivation,
        parameters,
        spans,
    } = tree;
    let after = node + old[node].size as usize;
    derivation.measure_part(grammar, node..node + new_size);
    for (new, old) in derivation.nodes[node + new_size..]
        .iter_mut()
        .zip(&old[after..copy_from])
    {
        new.size = old.size;
    }
    let end = if copy_from < old.len() {
        old[copy_from].text as usize
    } else {
        known.derivation.text.len()
    };
    let shift = (derivation.text.len() as u32).wrapping_sub(end as u32);
    derivation
        .nodes
        .extend(old[copy_from..].iter().map(|node| Node {
            text: node.text.wrapping_add(shift),
            ..*node
        }));
    derivation
        .text
        .extend_from_slice(&known.derivation.text[end..]);
    let shift = (parameters.len() as u32).wrapping_sub(known.spans[copy_from]);
    spans.extend(
        known.spans[copy_from..]
            .iter()
            .map(|at| at.wrapping_add(shift)),
    );
    parameters.extend_from_slice(&known.parameters[known.spans[copy_from] as usize..]);
    // The sizes of the nodes around the changed subtree.
    let mut at = 0;
    while at != node {
        let size = &mut derivation.nodes[at].size;
        *size = *size + new_size as u32 - old[node].size;
        let is_around = |child: usize| node < child + old[child].size as usize;
        at = find_child(grammar, &known.derivation, at, is_around).map_or(node, |(child, _)| child);
    }
}

/// Returns half of the caps, which leaves room for the copied parts of the sentence.
fn halved(settings: &Settings) -> Caps {
    Caps {
        bytes: settings.caps.bytes / 2,
        nodes: settings.caps.nodes / 2,
    }
}

/// Returns the number of pairs of equal bytes at the start.
#[inline(always)]
fn common<'a>(pairs: impl Iterator<Item = (&'a u8, &'a u8)>) -> usize {
    pairs.take_while(|(one, other)| one == other).count()
}

/// Replaces the content of a vector.
#[inline(always)]
fn refill<T: Copy>(to: &mut Vec<T>, from: &[T]) {
    to.clear();
    to.extend_from_slice(from);
}

/// Returns the position of a lexeme in the grammar, or [`None`] for another node.
#[inline(always)]
fn position(grammar: &Grammar, node: &Node) -> Option<PositionId> {
    match grammar[node.symbol].kind {
        Kind::Lexeme { position, .. } => Some(position),
        _ => None,
    }
}

/// Returns whether a node is a lexeme.
#[inline(always)]
fn is_token(grammar: &Grammar, node: &Node) -> bool {
    position(grammar, node).is_some()
}

/// Finds the first child of a node for which `fits` holds. Returns it, and whether its first token
/// must follow without layout. Returns [`None`] for a lexeme and for the nodes inside one.
#[inline(always)]
fn find_child(
    grammar: &Grammar,
    derivation: &Derivation,
    at: usize,
    fits: impl Fn(usize) -> bool,
) -> Option<(usize, bool)> {
    let node = &derivation.nodes[at];
    let kind = &grammar[node.symbol].kind;
    if !matches!(kind, Kind::Nonterminal { .. } | Kind::Repeat { .. }) {
        return None;
    }
    let mut children = (0..).zip(derivation.children(at));
    let (nth, child) = children.find(|&(_, child)| fits(child))?;
    let children = NodeChildren::new(grammar, node.symbol, node.choice);
    Some((child, children.get(nth).is_adjacent))
}

/// Returns the innermost node on the path from the root to `target` whose first token must follow
/// without layout.
#[inline(always)]
fn last_adjacent(grammar: &Grammar, derivation: &Derivation, target: usize) -> Option<usize> {
    let (mut at, mut last) = (0, None);
    while at != target {
        let is_around = |child: usize| target < child + derivation.nodes[child].size as usize;
        let (child, is_adjacent) = find_child(grammar, derivation, at, is_around)?;
        last = if is_adjacent { Some(child) } else { last };
        at = child;
    }
    last
}
