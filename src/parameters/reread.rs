//! Reading parameters that differ from known ones in a single place.
//!
//! Spans are local: what is in front of the changed subtree is as it was, and so is what comes behind it, but for a separator
//! between two tokens. So the changed subtree and two tokens behind it are derived, and everything else is copied.

use std::ops::Range;

use super::tree::Canonical;
use super::{Parameters, Settings, Tree, decode, encode_with_spans};
use crate::bounds::{Bounds, Caps};
use crate::derivation::{Derivation, Node};
use crate::derive::{Before, Deriving, Workspace};
use crate::grammar::{Grammar, Kind, PositionId};
use crate::uninstrumented::uninstrumented;

/// Tokens behind the change that are derived: the first is a new neighbour, and where it stands matters to the second.
const TOKENS: usize = 2;

/// Copying pays if the change leaves at least one in this many bytes as they are.
const WORTH: usize = 4;

uninstrumented! {
    /// Does what [`read`] does, faster: what `bytes` share with the parameters of a known tree is copied from that tree.
    pub fn reread(
        grammar: &Grammar,
        settings: &Settings,
        known: &Tree,
        bytes: &[u8],
        workspace: &mut Workspace,
        tree: &mut Tree,
    ) {
        let change = find(grammar, settings, known, bytes);
        let Some(change) = &change else { return read(grammar, settings, bytes, workspace, tree) };
        let old = known.derivation.nodes();
        let Tree { derivation, parameters, spans } = &mut *tree;
        refill(&mut derivation.nodes, &old[..change.node]);
        refill(&mut derivation.text, &known.derivation.text[..old[change.node].text as usize]);
        refill(parameters, &known.parameters[..change.span.start]);
        refill(spans, &known.spans[..change.node]);
        match derive_canonical(grammar, settings, Some((known, change)), bytes, workspace, tree) {
            Some(derived) => finish(grammar, known, tree, change.node, derived),
            None => read(grammar, settings, bytes, workspace, tree),
        }
    }
}

uninstrumented! {
    /// Decodes bytes and encodes the derivation again, in one pass: see [`decode`] and [`encode_with_spans`].
    pub fn read(grammar: &Grammar, settings: &Settings, bytes: &[u8], workspace: &mut Workspace, tree: &mut Tree) {
        let Tree { derivation, parameters, spans } = &mut *tree;
        derivation.clear();
        parameters.clear();
        spans.clear();
        if derive_canonical(grammar, settings, None, bytes, workspace, tree).is_none() {
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

uninstrumented! {
    /// Appends to a tree what bytes decode to: the whole sentence, or the changed subtree of a known one and two tokens behind
    /// it. `None` if the codes that it wrote are not canonical, or if bounds, caps or other parts of the sentence may have a say
    /// in what is copied.
    pub(super) fn derive_canonical(
        grammar: &Grammar,
        settings: &Settings,
        changed: Option<(&Tree, &Change)>,
        bytes: &[u8],
        workspace: &mut Workspace,
        tree: &mut Tree,
    ) -> Option<Derived> {
        let Tree { derivation, parameters, spans } = tree;
        let text = &mut derivation.text;
        let start = grammar.start();
        let from = changed.map_or(0, |(_, change)| change.span.start);
        let caps = if changed.is_some() { halved(settings) } else { settings.caps };
        let mut choice_source = Parameters::new(&bytes[from..], settings.past_end);
        let mut keep = Canonical { nodes: &mut derivation.nodes, bytes: parameters, spans, torn: false };
        let mut deriving = Deriving::new(grammar, start, &settings.bounds, &caps, &mut choice_source, workspace, text, &mut keep);
        let (mut symbol, mut next, mut done, mut grown) = (start, 0, 0, 0);
        if let Some((known, change)) = changed {
            let node = known.derivation.nodes[change.node];
            (symbol, next, done) = (node.symbol, change.node, change.node + node.size as usize);
            deriving.goes_on(&caps, &change.before);
            deriving.prepare(symbol, change.adjoins);
        }
        // The subtree, then tokens behind it with what opens before them.
        let mut tokens = 0;
        loop {
            deriving.run(symbol);
            let Some((known, change)) = changed else { break };
            let old = known.derivation.nodes();
            let (choice_source, keep, text) = deriving.parts();
            if tokens == 0 {
                let end = change.span.start + choice_source.read();
                if end + (known.parameters.len() - change.span.end) != bytes.len()
                    || !keep.nodes[change.node..].iter().any(|node| is_token(grammar, node))
                {
                    return None;
                }
                grown = keep.nodes.len() - change.node;
            } else {
                done = next + old[next].size as usize;
            }
            let Some(token) = (done..old.len()).find(|&at| tokens < TOKENS && is_token(grammar, &old[at])) else { break };
            // What opens before it has no text, and only choices of its own.
            for (node, span) in old[done..token].iter().zip(known.spans[done..].windows(2)) {
                keep.spans.push(keep.bytes.len() as u32);
                keep.bytes.extend_from_slice(&known.parameters[span[0] as usize..span[1] as usize]);
                keep.nodes.push(Node { text: text.len() as u32, ..*node });
            }
            choice_source.skip((known.spans[token] - known.spans[done]) as usize);
            let adjoins = last_adjoining(grammar, &known.derivation, token).is_some_and(|at| at >= done);
            (symbol, next) = (old[token].symbol, token);
            deriving.prepare(symbol, adjoins);
            tokens += 1;
        }
        let pinched = changed.is_some() && deriving.pinched();
        (!pinched && !keep.torn).then_some(Derived { grown, done })
    }
}

/// What was derived of a changed sentence.
pub(super) struct Derived {
    /// How many nodes the changed subtree has now.
    grown: usize,
    /// The first node of the known tree that is still to be copied.
    done: usize,
}

/// What differs.
pub(super) struct Change {
    /// The subtree of the known tree.
    node: usize,
    /// Its parameters there.
    span: Range<usize>,
    /// Whether its first token must adjoin.
    adjoins: bool,
    /// The last token before it.
    before: Option<Before>,
}

#[inline(always)]
fn find(grammar: &Grammar, settings: &Settings, known: &Tree, bytes: &[u8]) -> Option<Change> {
    let (old, nodes) = (&known.parameters[..], known.derivation.nodes());
    let caps = halved(settings);
    // Every token might get a separator. Bounds of depth know what is around; caps must have no say.
    let longest = grammar.layout().map_or(0, |layout| layout.longest) as usize;
    let max = known.derivation.text.len() + 4 * (longest + 1) * nodes.len();
    if nodes.is_empty() || settings.bounds.depth != Bounds::NONE || nodes.len() > caps.nodes as usize || max > caps.bytes as usize
    {
        return None;
    }
    let front = common(old.iter().zip(bytes));
    let rest = old.len().min(bytes.len()) - front;
    let back = common(old.iter().rev().zip(bytes.iter().rev()).take(rest));
    let changed = front..old.len() - back;
    if (front + back) * WORTH < old.len() {
        return None;
    }
    let derivation = &known.derivation;
    let (mut node, mut adjoining) = (0, None);
    while let Some((child, adjoins)) = step(grammar, derivation, node, |child| known.span(child).end > changed.start) {
        let span = known.span(child);
        let holds = span.end >= changed.end && (span.start < changed.start || span.start == changed.start && !changed.is_empty());
        if !holds {
            break;
        }
        node = child;
        adjoining = if adjoins { Some(child) } else { adjoining };
    }
    let last = (0..node).rev().find(|&at| is_token(grammar, &nodes[at]));
    let adjoins = adjoining.is_some_and(|at| last.is_none_or(|last| last < at));
    // Tokens without text part nothing, unless there is layout before them.
    let mut tokens =
        (0..node).rev().filter_map(|at| Some((at, place(grammar, &nodes[at])?, token_text(grammar, derivation, at)?)));
    let mut full = tokens.by_ref().skip_while(|(at, _, text)| text.is_empty() && nodes[*at].choice == 0);
    let before = match full.next() {
        Some((_, _, text)) if text.is_empty() => return None,
        Some((_, place, text)) => {
            let outer = full.find(|(_, _, text)| !text.is_empty()).map(|(_, place, _)| place);
            Some(Before { text, place, outer })
        }
        None => None,
    };
    Some(Change { node, span: known.span(node), adjoins, before })
}

/// Copies what comes behind, and sets all sizes.
#[inline(always)]
fn finish(grammar: &Grammar, known: &Tree, tree: &mut Tree, node: usize, derived: Derived) {
    let Derived { grown, done } = derived;
    let old = known.derivation.nodes();
    let Tree { derivation, parameters, spans } = tree;
    let after = node + old[node].size as usize;
    derivation.measure_part(grammar, node..node + grown);
    for (new, old) in derivation.nodes[node + grown..].iter_mut().zip(&old[after..done]) {
        new.size = old.size;
    }
    let end = if done < old.len() { old[done].text as usize } else { known.derivation.text.len() };
    let shift = (derivation.text.len() as u32).wrapping_sub(end as u32);
    derivation.nodes.extend(old[done..].iter().map(|node| Node { text: node.text.wrapping_add(shift), ..*node }));
    derivation.text.extend_from_slice(&known.derivation.text[end..]);
    let shift = (parameters.len() as u32).wrapping_sub(known.spans[done]);
    spans.extend(known.spans[done..].iter().map(|at| at.wrapping_add(shift)));
    parameters.extend_from_slice(&known.parameters[known.spans[done] as usize..]);
    // What the subtree is inside of.
    let mut at = 0;
    while at != node {
        let size = &mut derivation.nodes[at].size;
        *size = *size + grown as u32 - old[node].size;
        let around = |child: usize| node < child + old[child].size as usize;
        at = step(grammar, &known.derivation, at, around).map_or(node, |(child, _)| child);
    }
}

/// Caps that leave room for the known sentence beside what is derived.
fn halved(settings: &Settings) -> Caps {
    Caps { bytes: settings.caps.bytes / 2, nodes: settings.caps.nodes / 2 }
}

#[inline(always)]
fn common<'a>(pairs: impl Iterator<Item = (&'a u8, &'a u8)>) -> usize {
    pairs.take_while(|(one, other)| one == other).count()
}

#[inline(always)]
fn refill<T: Copy>(to: &mut Vec<T>, from: &[T]) {
    to.clear();
    to.extend_from_slice(from);
}

/// Where a token stands; nothing else stands at a place.
#[inline(always)]
fn place(grammar: &Grammar, node: &Node) -> Option<PositionId> {
    match grammar[node.symbol].kind {
        Kind::Lexeme { place, .. } => Some(place),
        _ => None,
    }
}

#[inline(always)]
fn is_token(grammar: &Grammar, node: &Node) -> bool {
    place(grammar, node).is_some()
}

/// The first child of a node outside of tokens that fits, and whether its first token must adjoin.
#[inline(always)]
fn step(grammar: &Grammar, derivation: &Derivation, at: usize, fits: impl Fn(usize) -> bool) -> Option<(usize, bool)> {
    let node = &derivation.nodes[at];
    let (nth, child) = derivation.children(at).enumerate().find(|&(_, child)| fits(child))?;
    match &grammar[node.symbol].kind {
        Kind::Nonterminal { .. } => {
            let alternative = &grammar.alternatives(node.symbol)[node.choice as usize];
            Some((child, grammar.children(alternative)[nth].adjoins))
        }
        Kind::Repeat { element, .. } => Some((child, element.adjoins)),
        _ => None,
    }
}

/// The innermost part of the way from the root to a node that must adjoin.
#[inline(always)]
fn last_adjoining(grammar: &Grammar, derivation: &Derivation, target: usize) -> Option<usize> {
    let (mut at, mut last) = (0, None);
    while at != target {
        let around = |child: usize| target < child + derivation.nodes[child].size as usize;
        let (child, adjoins) = step(grammar, derivation, at, around)?;
        last = if adjoins { Some(child) } else { last };
        at = child;
    }
    last
}

/// The text of a token, without the layout before it; of no other node.
#[inline(always)]
fn token_text(grammar: &Grammar, derivation: &Derivation, at: usize) -> Option<Range<u32>> {
    let Kind::Lexeme { body, .. } = grammar[derivation.nodes[at].symbol].kind else { return None };
    let end = derivation.text_range(at).end as u32;
    let from = match &grammar[body].kind {
        // A literal has no node of its own.
        Kind::Literal { text } => end - (text.end - text.start),
        _ => derivation.nodes[derivation.children(at).nth(derivation.nodes[at].pieces() as usize)?].text,
    };
    Some(from..end)
}
