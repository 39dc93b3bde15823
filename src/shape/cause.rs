//! The search for the cause: the smallest part of a failing sentence that also makes other
//! sentences fail, when it replaces a part of the same rule in them. For example, `print true or
//! true` and `if true or true {}` have different shapes and one cause, `true or true`.

use std::collections::HashSet;
use std::ops::Range;

use rand::RngExt;

use super::search::{Buffers, CONTEXT_SIZES, CONTEXTS, max_size, view};
use super::{CausePart, ShapeSearch, TrialResult, name, visible_range};
use crate::derivation::Node;
use crate::grammar::Kind;
use crate::parameters::Tree;
use crate::sampler::Sampler;
use crate::splice::{Replace, Splice};

/// The maximum number of parts that are tried as the cause. If there are more, the smallest are
/// omitted.
const MAX_PARTS: usize = 16;

/// The maximum number of sentences that are sampled for each needed one.
const SAMPLES_PER_CONTEXT: u32 = 3;

/// The minimum share of the sentences with a part that must fail, so that the part can be the
/// cause. The first number is for parts with at most [`FEW_TOKENS`] tokens, which also occur in
/// sentences of other faults. The second is for larger parts. Neither number is 1, because a part
/// has no effect in some sentences.
const SUFFICIENT: [f64; 2] = [0.3, 0.15];
const FEW_TOKENS: usize = 2;

/// A smaller part is preferred as the cause if the share of failing sentences with it is at least
/// this fraction of the largest share of any part.
const ALMOST: f64 = 0.7;

/// The number of random sentences in which a general form of a part is tried.
const WIDE_CONTEXTS: u32 = 144;

/// The minimum share of the sentences with a general form ([`ShapeSearch::widened`]) that must
/// fail.
const MIN_WIDE: f64 = 0.05;

/// The maximum share of the sentences with a random part of the rule that may fail.
const MAX_BY_CHANCE: f64 = 0.1;

/// The minimum ratio of the share of failing sentences with a general form to that with a random part.
const LIFT: f64 = 3.0;

/// The maximum number of parts whose general form is tried if no part is sufficient itself. Also
/// the maximum number of symbols of a part that are tried as holes one after the other.
const MAX_WIDENED: usize = 6;

/// The subtree that is inserted into random sentences.
#[derive(Clone, Copy)]
enum Inserted<'h> {
    /// The subtree of a node, with random subtrees in place of nodes below it.
    Part { node: usize, holes: &'h [usize] },
    /// A random subtree of the rule of a node.
    Random { node: usize },
}

impl ShapeSearch<'_> {
    /// Returns the smallest part with which other sentences also fail.
    pub(super) fn cause(
        &mut self,
        tree: &Tree,
        holes: &[usize],
        buffers: &mut Buffers,
    ) -> Option<CausePart> {
        let derivation = tree.derivation();
        let (mut outside, mut node) = (Vec::new(), 0);
        while let Some(found) = derivation.nodes().get(node) {
            match holes.binary_search(&node) {
                Ok(_) => node += found.size as usize,
                Err(_) => {
                    outside.push(node);
                    node += 1;
                }
            }
        }
        // Of several nodes with one text, the innermost one fits in most positions.
        let (mut parts, mut seen) = (Vec::new(), HashSet::new());
        for node in outside.into_iter().rev() {
            let range = visible_range(derivation, node);
            if !range.is_empty() && self.can_be_cause(tree, node) && seen.insert(range.clone()) {
                parts.push((node, range));
            }
        }
        parts.sort_by_key(|(node, range)| (usize::MAX - range.len(), *node));
        parts.truncate(MAX_PARTS);
        let mut found: Vec<(usize, Range<usize>, f64)> = Vec::new();
        while let Some((node, range)) = parts.pop() {
            if (self.is_over)() {
                return None;
            }
            let (failed, tried) =
                self.insert(tree, Inserted::Part { node, holes: &[] }, CONTEXTS, buffers);
            found.push((node, range, f64::from(failed) / f64::from(tried.max(1))));
        }
        // A part with the text of the whole sentence is the cause only if no smaller part is.
        let all = visible_range(derivation, 0);
        let (whole, parts): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, at, _)| *at == all);
        let max = parts.iter().map(|(.., share)| *share).fold(0.0, f64::max);
        let is_sufficient = |(node, _, share): &(usize, Range<usize>, f64)| {
            let nodes = *node..node + derivation.nodes()[*node].size as usize;
            let is_token = |node: &usize| {
                let kind = &self.grammar[derivation.nodes()[*node].symbol].kind;
                matches!(kind, Kind::Lexeme { .. })
            };
            let has_more = nodes.filter(is_token).count() > FEW_TOKENS;
            *share >= SUFFICIENT[usize::from(has_more)]
        };
        let is_enough = |part: &_| is_sufficient(part) && part.2 >= ALMOST * max;
        let smallest = parts.iter().position(is_enough);
        let candidates = smallest.map_or(MAX_WIDENED, |at| at + 1).min(parts.len());
        let whole = whole.iter().find(|part| is_sufficient(part));
        let all = parts[..candidates].iter();
        for (node, range, share) in all.chain(whole.filter(|_| smallest.is_none())) {
            let holes = self.holes_elsewhere(tree, (*node, holes), *share, buffers);
            if let Some(holes) = self.widened(tree, (*node, &holes), *share, buffers) {
                return Some(self.cause_part(tree, *node, &holes, range));
            }
        }
        let (node, range, share) = smallest.map(|at| &parts[at]).or(whole)?;
        let holes = self.holes_elsewhere(tree, (*node, holes), *share, buffers);
        Some(self.cause_part(tree, *node, &holes, range))
    }

    /// Returns the holes that also do not matter when the part is inserted into other sentences.
    /// Only holes for choices between words are tested. For example, the `/` in `0 - 2 / 7` may not
    /// matter because of the `0 -` before it, but may matter in other sentences. `share` is the
    /// share of the sentences with the part itself that fail.
    fn holes_elsewhere(
        &mut self,
        tree: &Tree,
        (node, holes): (usize, &[usize]),
        share: f64,
        buffers: &mut Buffers,
    ) -> Vec<usize> {
        let inside = node + 1..node + tree.derivation().nodes()[node].size as usize;
        let mut kept = Vec::new();
        for &hole in holes {
            let may_matter = inside.contains(&hole) && !self.is_symbol(tree, hole);
            let form = Inserted::Part {
                node,
                holes: &[hole],
            };
            let fails_as_often = |(failed, tried): (u32, u32)| {
                f64::from(failed) >= ALMOST * share * f64::from(tried)
            };
            if !may_matter || fails_as_often(self.insert(tree, form, CONTEXTS, buffers)) {
                kept.push(hole);
            }
        }
        kept
    }

    fn cause_part(
        &self,
        tree: &Tree,
        node: usize,
        holes: &[usize],
        range: &Range<usize>,
    ) -> CausePart {
        CausePart {
            rule: name(self.grammar, tree.derivation(), node).into(),
            shape: self.shape(tree, holes, range.clone()),
        }
    }

    /// Returns the holes of a more general form of a part with `holes`. Three forms are tried: all
    /// symbols of the part's production are holes, all except those that derive only words of the
    /// grammar here, or as many as possible.
    ///
    /// Random sentences with the form must fail clearly more often than sentences with a random
    /// part of the rule. They may fail at most as often as sentences with the part itself, whose
    /// share is `share`.
    ///
    /// So several reduced sentences of one fault get one cause, even if their values must meet a
    /// condition: both `reverse("ab")` and `reverse(text(-1))` get `reverse(‹text›)`.
    fn widened(
        &mut self,
        tree: &Tree,
        (node, holes): (usize, &[usize]),
        share: f64,
        buffers: &mut Buffers,
    ) -> Option<Vec<usize>> {
        if share < MIN_WIDE {
            return None;
        }
        let mut by_chance = None;
        let mut fails_often = |search: &mut Self, holes: &[usize]| {
            let form = Inserted::Part { node, holes };
            let (failed, tried) = search.insert(tree, form, WIDE_CONTEXTS, buffers);
            let of_form = f64::from(failed) / f64::from(tried.max(1));
            if tried < CONTEXTS || !(MIN_WIDE..=share).contains(&of_form) {
                return false;
            }
            let by_chance = *by_chance.get_or_insert_with(|| {
                let random = Inserted::Random { node };
                let (failed, tried) = search.insert(tree, random, WIDE_CONTEXTS, buffers);
                f64::from(failed + 1) / f64::from(tried + 1)
            });
            by_chance <= MAX_BY_CHANCE && of_form >= LIFT * by_chance
        };
        let all = self.symbols(tree, node, false);
        let range = visible_range(tree.derivation(), node);
        let filled = all
            .iter()
            .map(|&hole| visible_range(tree.derivation(), hole).len());
        let is_only_holes = filled.sum::<usize>() == range.len();
        if !all.is_empty() && !is_only_holes && fails_often(self, &all) {
            return Some(all);
        }
        let not_words = self.symbols(tree, node, true);
        if !not_words.is_empty() && not_words != all && fails_often(self, &not_words) {
            return Some(not_words);
        }
        // Try the symbols as holes one after the other, the outer ones first.
        let (mut found, mut tried, mut is_wider, mut at) = (Vec::new(), 0, false, node + 1);
        let nodes = tree.derivation().nodes();
        while at < node + nodes[node].size as usize {
            let mut next = at + 1;
            if holes.contains(&at) {
                found.push(at);
                next = at + nodes[at].size as usize;
            } else if tried < MAX_WIDENED && self.is_symbol(tree, at) {
                tried += 1;
                found.push(at);
                if fails_often(self, &found) {
                    is_wider = true;
                    next = at + nodes[at].size as usize;
                } else {
                    found.pop();
                }
            }
            at = next;
        }
        is_wider.then_some(found)
    }

    /// Returns whether the symbol of a node has a rule, and the node has a text.
    fn is_symbol(&self, tree: &Tree, node: usize) -> bool {
        let derivation = tree.derivation();
        let is_group = self
            .grammar
            .label(derivation.nodes()[node].symbol)
            .contains('/');
        !is_group && self.can_be_cause(tree, node) && !visible_range(derivation, node).is_empty()
    }

    /// Returns the outermost nodes below a node whose symbols have a rule. If `keeps_words`, omits
    /// those whose tokens are all words of the grammar.
    pub(super) fn symbols(&self, tree: &Tree, node: usize, keeps_words: bool) -> Vec<usize> {
        let nodes = tree.derivation().nodes();
        let is_word = |node: &Node| {
            let is_token = matches!(self.grammar[node.symbol].kind, Kind::Lexeme { .. });
            !is_token || self.grammar.word(node.symbol).is_some()
        };
        let (mut found, mut at) = (Vec::new(), node + 1);
        while at < node + nodes[node].size as usize {
            let subtree = at..at + nodes[at].size as usize;
            let is_kept = keeps_words && nodes[subtree.clone()].iter().all(is_word);
            let is_symbol = !is_kept && self.is_symbol(tree, at);
            if is_symbol {
                found.push(at);
            }
            at = if is_symbol { subtree.end } else { at + 1 };
        }
        found
    }

    /// Returns whether a node can be the cause: it can be replaced as a whole, and the name of its
    /// symbol can be understood.
    fn can_be_cause(&self, tree: &Tree, node: usize) -> bool {
        let view = view(self.grammar, self.settings, tree);
        view.is_unit(node) && self.says_what_it_is(view.symbol(node))
    }

    /// Inserts a subtree into random sentences, in place of a part of the same rule. Returns how
    /// many of the resulting sentences fail, and how many the program accepted. The second number
    /// is at most `enough`.
    fn insert(
        &mut self,
        tree: &Tree,
        inserted: Inserted<'_>,
        enough: u32,
        buffers: &mut Buffers,
    ) -> (u32, u32) {
        let (Inserted::Part { node, .. } | Inserted::Random { node }) = inserted;
        let symbol = tree.derivation().nodes()[node].symbol;
        let start = self.settings.goal(self.grammar, self.grammar.start());
        let [mut context, mut candidate, mut filled, mut next] = <[Tree; 4]>::default();
        let (mut tried, mut failed) = (0, 0);
        for _ in 0..enough * SAMPLES_PER_CONTEXT {
            if tried == enough || (self.is_over)() {
                break;
            }
            let size = buffers.rng.random_range(CONTEXT_SIZES);
            buffers.sample(start, size, &mut context);
            let of_context = context.derivation();
            let all = visible_range(of_context, 0);
            let is_part = |at: &usize| {
                of_context.nodes()[*at].symbol == symbol && visible_range(of_context, *at) != all
            };
            let same: Vec<usize> = (0..of_context.nodes().len()).filter(is_part).collect();
            let Some(&at) = same.get(buffers.rng.random_range(0..same.len().max(1))) else {
                continue;
            };
            // A sentence that fails by itself proves nothing.
            if (self.judge)(&context) != TrialResult::Other {
                continue;
            }
            let part = match inserted {
                Inserted::Part { holes, .. } => {
                    filled.clone_from(tree);
                    // Go backwards, because the nodes before a replaced node keep their numbers.
                    for &hole in holes.iter().rev() {
                        self.fill(&filled, hole, buffers, &mut next);
                        std::mem::swap(&mut filled, &mut next);
                    }
                    view(self.grammar, self.settings, &filled).part(node)
                }
                Inserted::Random { .. } => {
                    let size = visible_range(tree.derivation(), node).len();
                    let size = Sampler::log_uniform(&mut buffers.rng, max_size(size));
                    let goal = self.settings.goal(self.grammar, symbol);
                    let workspace = &mut buffers.workspace;
                    workspace.show_names_before(self.grammar, of_context, at);
                    buffers.sample(goal, size, &mut filled);
                    filled.parameters()
                }
            };
            let target = view(self.grammar, self.settings, &context);
            Replace { node: at, part }.write(&target, &mut buffers.splices, &mut buffers.bytes);
            buffers.read(self.grammar, self.settings, &mut candidate);
            match (self.judge)(&candidate) {
                TrialResult::Same => failed += 1,
                TrialResult::Other => {}
                TrialResult::Refused => continue,
            }
            tried += 1;
        }
        (failed, tried)
    }
}
