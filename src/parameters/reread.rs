//! Reading parameters that differ from known ones in a single place.
//!
//! Spans are local: what is in front of the changed subtree is as it was, and so is what comes behind it, but for a separator
//! between two tokens. So the changed subtree and two tokens behind it are derived, and everything else is copied.

use std::ops::Range;

use super::tree::Canonical;
use super::{Parameters, Settings, Tree};
use crate::bounds::Bounds;
use crate::derivation::{Derivation, Node};
use crate::derive::{Before, Part, Workspace};
use crate::grammar::{Grammar, Kind};

/// Tokens behind the change that are derived: the first is a new neighbour, and where it stands matters to the second.
const TOKENS: usize = 2;

/// Copying pays if the change leaves at least one in this many bytes as they are.
const WORTH: usize = 4;

/// [`super::read`], if `bytes` are those of `known` but for one subtree, and nothing else than the grammar has a say in it;
/// otherwise `false`, and the tree is nothing in particular.
#[inline(always)]
pub(crate) fn reread_inline(
    grammar: &Grammar,
    settings: &Settings,
    known: &Tree,
    bytes: &[u8],
    workspace: &mut Workspace,
    tree: &mut Tree,
) -> bool {
    let Some(change) = find(grammar, settings, known, bytes) else { return false };
    let Change { node, span, adjoins, before } = change;
    let old = known.derivation.nodes();
    let after = node + old[node].size as usize;
    let text = old[node].text as usize;

    let Tree { derivation, parameters, spans } = tree;
    refill(&mut derivation.nodes, &old[..node]);
    refill(&mut derivation.text, &known.derivation.text[..text]);
    refill(parameters, &known.parameters[..span.start]);
    refill(spans, &known.spans[..node]);

    let mut chooser = Parameters::new(&bytes[span.start..], settings.past_end);
    let mut keep = Canonical { nodes: &mut derivation.nodes, bytes: parameters, spans, torn: false };
    let caps = halved(settings);
    let mut part = Part::new(grammar, &settings.bounds, &caps, &mut chooser, workspace, &mut derivation.text, &mut keep, before);
    // The subtree, then tokens behind it with what opens before them.
    let (mut next, mut adjoins, mut grown, mut done) = (node, adjoins, 0, after);
    for tokens in 0..=TOKENS {
        part.derive(old[next].symbol, adjoins);
        let (chooser, keep, text) = part.parts();
        if tokens == 0 {
            let end = span.start + chooser.read();
            if end + (known.parameters.len() - span.end) != bytes.len() || !has_token(grammar, &keep.nodes[node..]) {
                return false;
            }
            grown = keep.nodes.len() - node;
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
        chooser.skip((known.spans[token] - known.spans[done]) as usize);
        adjoins = last_adjoining(grammar, old, token).is_some_and(|at| at >= done);
        next = token;
    }
    if part.pinched() || keep.torn {
        return false;
    }
    finish(grammar, known, tree, node, grown, done);
    true
}

/// What differs.
struct Change {
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
    let most = known.derivation.text.len() + 4 * (longest + 1) * nodes.len();
    if nodes.is_empty()
        || settings.bounds.depth != Bounds::NONE
        || nodes.len() > caps.nodes as usize
        || most > caps.bytes as usize
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
    let (mut node, mut adjoining) = (0, None);
    while let Some((child, adjoins)) = step(grammar, nodes, node, |child| {
        let end = known.span(child).end;
        end > changed.start
    }) {
        let span = known.span(child);
        let holds = span.end >= changed.end && (span.start < changed.start || span.start == changed.start && !changed.is_empty());
        if !holds {
            break;
        }
        node = child;
        adjoining = if adjoins { Some(child) } else { adjoining };
    }
    let mut tokens = (0..node).rev().filter(|&at| is_token(grammar, &nodes[at])).peekable();
    let adjoins = adjoining.is_some_and(|at| tokens.peek().is_none_or(|&token| token < at));
    let mut last = None;
    for at in tokens.by_ref() {
        let Kind::Lexeme { place, .. } = grammar[nodes[at].symbol].kind else { return None };
        let text = token_text(grammar, &known.derivation, at);
        if text.is_empty() {
            if nodes[at].choice > 0 {
                return None;
            }
            continue;
        }
        last = Some((text, place));
        break;
    }
    let before = last.map(|(text, place)| {
        let outer = tokens.find(|&at| !token_text(grammar, &known.derivation, at).is_empty());
        let outer = outer.and_then(|at| match grammar[nodes[at].symbol].kind {
            Kind::Lexeme { place, .. } => Some(place),
            _ => None,
        });
        Before { text, place, outer }
    });
    Some(Change { node, span: known.span(node), adjoins, before })
}

/// Copies what comes behind, and sets all sizes.
#[inline(always)]
fn finish(grammar: &Grammar, known: &Tree, tree: &mut Tree, node: usize, grown: usize, done: usize) {
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
        at = step(grammar, old, at, |child| node < child + old[child].size as usize).map_or(node, |(child, _)| child);
    }
}

/// Caps that leave room for the known sentence beside what is derived.
fn halved(settings: &Settings) -> crate::bounds::Caps {
    crate::bounds::Caps { bytes: settings.caps.bytes / 2, nodes: settings.caps.nodes / 2 }
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

#[inline(always)]
fn is_token(grammar: &Grammar, node: &Node) -> bool {
    matches!(grammar[node.symbol].kind, Kind::Lexeme { .. })
}

#[inline(always)]
fn has_token(grammar: &Grammar, nodes: &[Node]) -> bool {
    nodes.iter().any(|node| is_token(grammar, node))
}

/// The first child of a node outside of tokens that fits, and whether its first token must adjoin.
#[inline(always)]
fn step(grammar: &Grammar, nodes: &[Node], at: usize, fits: impl Fn(usize) -> bool) -> Option<(usize, bool)> {
    let mut child = at + 1;
    match &grammar[nodes[at].symbol].kind {
        Kind::Nonterminal { alternatives, .. } => {
            let alternative = &grammar.alternatives[(alternatives.start + nodes[at].choice) as usize];
            for slot in grammar.children(alternative) {
                if fits(child) {
                    return Some((child, slot.adjoins));
                }
                child += nodes[child].size as usize;
            }
            None
        }
        Kind::Repeat { element, .. } => {
            for _ in 0..nodes[at].choice {
                if fits(child) {
                    return Some((child, element.adjoins));
                }
                child += nodes[child].size as usize;
            }
            None
        }
        _ => None,
    }
}

/// The innermost part of the way from the root to a node that must adjoin.
#[inline(always)]
fn last_adjoining(grammar: &Grammar, nodes: &[Node], target: usize) -> Option<usize> {
    let (mut at, mut last) = (0, None);
    while at != target {
        let (child, adjoins) = step(grammar, nodes, at, |child| target < child + nodes[child].size as usize)?;
        last = if adjoins { Some(child) } else { last };
        at = child;
    }
    last
}

/// The text of a token, without the layout before it.
#[inline(always)]
fn token_text(grammar: &Grammar, derivation: &Derivation, at: usize) -> Range<u32> {
    let end = derivation.text_range(at).end as u32;
    let Kind::Lexeme { body, .. } = grammar[derivation.nodes[at].symbol].kind else { return end..end };
    if let Kind::Literal { text } = &grammar[body].kind {
        return end - (text.end - text.start)..end;
    }
    let mut child = at + 1;
    for _ in 0..derivation.nodes[at].choice {
        child += derivation.nodes[child].size as usize;
    }
    derivation.nodes[child].text..end
}
