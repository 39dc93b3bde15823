//! Checks of the guarantees for parameters, for one grammar, one choice of settings and one input.

use std::collections::HashMap;

use zester::bounds::{Bounds, Caps};
use zester::derivation::{Derivation, Node};
use zester::derive::{ChoiceSource, DerivationGoal, Workspace, derive};
use zester::grammar::{Grammar, Kind, SymbolId};
use zester::parameters::{self, Decoder, Parameters, PastEnd, Settings};

const SMALL: Caps = Caps {
    bytes: 600,
    nodes: 5_000,
};

/// Returns bounds of identifiers, items and depth, as in Bonsai fuzzing.
pub fn bounded(identifiers: u32, items: u32, depth: u32) -> Bounds {
    Bounds {
        identifiers,
        items,
        depth,
    }
}

/// Returns the settings under which a grammar is tested. Small caps are replaced by large ones if
/// the grammar needs more.
pub fn settings(grammar: &Grammar) -> Vec<Settings> {
    let minimum = grammar.symbols()[grammar.start().0 as usize].minimum;
    let caps = if minimum.bytes <= SMALL.bytes && minimum.nodes <= SMALL.nodes {
        SMALL
    } else {
        Caps::default()
    };
    let exact = Caps {
        bytes: minimum.bytes,
        nodes: minimum.nodes,
    };
    let all = [
        (Bounds::UNBOUNDED, Caps::default(), PastEnd::Simplest),
        (Bounds::UNBOUNDED, caps, PastEnd::Simplest),
        (Bounds::UNBOUNDED, caps, PastEnd::PseudoRandom),
        (Bounds::UNBOUNDED, exact, PastEnd::Simplest),
        (bounded(1, 1, 1), caps, PastEnd::Simplest),
        (bounded(3, 0, 2), caps, PastEnd::Simplest),
        (bounded(Bounds::NONE, 5, 4), caps, PastEnd::PseudoRandom),
    ];
    all.into_iter()
        .map(|(bounds, caps, past_end)| {
            Settings::default()
                .bounds(bounds)
                .caps(caps)
                .past_end(past_end)
        })
        .collect()
}

/// Buffers for one grammar that are reused, as the hooks reuse them.
#[derive(Default)]
pub struct Memory<'g> {
    decoder: Option<Decoder<'g>>,
    other: Option<Decoder<'g>>,
    workspace: Workspace,
}

/// Returns a decoder with other settings.
fn with<'d, 'g>(decoder: &'d mut Decoder<'g>, settings: Settings) -> &'d mut Decoder<'g> {
    decoder.set_settings(settings);
    decoder
}

/// Checks all guarantees for one input.
pub fn check<'g>(grammar: &'g Grammar, settings: &Settings, bytes: &[u8], memory: &mut Memory<'g>) {
    let Memory {
        decoder,
        other,
        workspace,
    } = memory;
    let decoder = with(
        decoder.get_or_insert_with(|| Decoder::new(grammar)),
        *settings,
    );
    let other = other.get_or_insert_with(|| Decoder::new(grammar));
    let first = decoder.decode(bytes).clone();
    assert!(
        first.text().len() <= settings.caps.bytes as usize,
        "{} bytes",
        first.text().len()
    );
    assert!(
        first.nodes().len() <= settings.caps.nodes as usize,
        "{} nodes",
        first.nodes().len()
    );
    assert!(!grammar.derives_utf8() || std::str::from_utf8(first.text()).is_ok());
    well_formed(grammar, &settings.bounds, &first);
    assert_eq!(decoder.text(bytes), first.text(), "text gives another text");
    assert_eq!(*decoder.decode(bytes), first, "not deterministic");

    let (mut canonical, mut spans) = (Vec::new(), Vec::new());
    parameters::encode_with_spans(grammar, &first, &mut canonical, &mut spans);
    let tree = decoder.tree(bytes);
    assert_eq!(
        (tree.derivation(), tree.parameters()),
        (&first, &canonical[..]),
        "tree gives another derivation or other parameters"
    );
    for (at, node) in first.nodes().iter().enumerate() {
        assert_eq!(
            tree.span(at),
            spans[at] as usize..spans[at + node.size as usize] as usize
        );
    }
    // Canonical parameters decode to the same sentence under other bounds and policies, because
    // nothing is read past their end.
    let room = room(grammar, &first);
    let larger = |bound: u32| bound.saturating_mul(2);
    let Bounds {
        identifiers,
        items,
        depth,
    } = settings.bounds;
    for bounds in [
        settings.bounds,
        bounded(larger(identifiers), larger(items), larger(depth)),
        Bounds::UNBOUNDED,
    ] {
        // See "Not guaranteed" of `Bounds`.
        let is_guaranteed = !grammar.has_names() && room <= settings.caps.nodes.into();
        if bounds.depth > depth && !is_guaranteed {
            continue;
        }
        for past_end in [PastEnd::Simplest, PastEnd::PseudoRandom] {
            let settings = (*settings).bounds(bounds).past_end(past_end);
            assert_eq!(
                *with(other, settings).decode(&canonical),
                first,
                "decode(encode(d)) != d under {settings:?}"
            );
        }
    }
    let unbounded = (*settings)
        .bounds(Bounds::UNBOUNDED)
        .caps(Caps::default())
        .past_end(PastEnd::Simplest);
    let is_guaranteed = !grammar.has_names() && room <= unbounded.caps.nodes.into();
    if depth == Bounds::NONE || is_guaranteed {
        assert_eq!(
            *with(other, unbounded).decode(&canonical),
            first,
            "larger caps change canonical parameters"
        );
    }
    assert_eq!(decoder.encode(&first), canonical, "not idempotent");
    // The code of a name depends on declarations outside of its subtree.
    if !grammar.has_names() {
        local(grammar, &first, &canonical, &spans, workspace);
    }
}

/// Returns a cap of nodes at which canonical parameters decode to the same sentence also under
/// larger bounds of depth. It is the sum of the minimum numbers of nodes over all nodes of the
/// derivation.
pub fn room(grammar: &Grammar, derivation: &Derivation) -> u64 {
    let minimum = |node: &Node| u64::from(grammar.symbols()[node.symbol.0 as usize].minimum.nodes);
    derivation.nodes().iter().map(minimum).sum()
}

/// Checks that the span of each subtree decodes to that subtree on its own, and is read to its end.
fn local(
    grammar: &Grammar,
    derivation: &Derivation,
    canonical: &[u8],
    spans: &[u32],
    workspace: &mut Workspace,
) {
    let nodes = derivation.nodes();
    let step = nodes.len() / 20 + 1;
    for at in (0..nodes.len()).step_by(step) {
        let subtree = &nodes[at..at + nodes[at].size as usize];
        let span = &canonical[spans[at] as usize..spans[at + subtree.len()] as usize];
        let mut choice_source = Parameters::new(span, PastEnd::Simplest);
        let mut alone = Derivation::default();
        derive(
            DerivationGoal {
                grammar,
                symbol: nodes[at].symbol,
                bounds: &Bounds::UNBOUNDED,
                caps: &Caps::default(),
            },
            &mut choice_source,
            workspace,
            &mut alone,
        );
        assert!(
            !choice_source.ended() && choice_source.read() == span.len(),
            "span of {} bytes, {} read",
            span.len(),
            choice_source.read()
        );
        let shape = |nodes: &[Node]| {
            nodes
                .iter()
                .map(|n| (n.symbol, n.choice, n.size))
                .collect::<Vec<_>>()
        };
        assert_eq!(shape(alone.nodes()), shape(subtree));
    }
}

/// Checks that a derivation is a tree of the grammar and is within the bounds.
fn well_formed(grammar: &Grammar, bounds: &Bounds, derivation: &Derivation) {
    let nodes = derivation.nodes();
    assert_eq!(nodes[0].size as usize, nodes.len());
    let mut path: Vec<(usize, SymbolId)> = Vec::new();
    let mut counts: HashMap<SymbolId, u32> = HashMap::new();
    for (at, node) in nodes.iter().enumerate() {
        while path.last().is_some_and(|&(end, _)| end <= at) {
            let (_, symbol) = path.pop().unwrap();
            *counts.get_mut(&symbol).unwrap() -= 1;
        }
        let children: Vec<SymbolId> = derivation
            .children(at)
            .map(|child| nodes[child].symbol)
            .collect();
        match &grammar.symbols()[node.symbol.0 as usize].kind {
            Kind::Nonterminal { counted, .. } => {
                let alternative = &grammar.alternatives(node.symbol)[node.choice as usize];
                let expected: Vec<SymbolId> = grammar
                    .children(alternative)
                    .iter()
                    .map(|child| child.symbol)
                    .collect();
                assert_eq!(children, expected);
                if *counted {
                    *counts.entry(node.symbol).or_insert(0) += 1;
                    assert!(
                        counts[&node.symbol] <= bounds.depth,
                        "depth of {}",
                        grammar.label(node.symbol)
                    );
                    path.push((at + node.size as usize, node.symbol));
                }
            }
            Kind::Repeat {
                element,
                at_least,
                at_most,
                items,
            } => {
                assert_eq!(children, vec![element.symbol; node.choice as usize]);
                assert!(*at_least <= node.choice && node.choice <= *at_most);
                assert!(!items || node.choice <= bounds.items.max(*at_least));
                assert!(
                    derivation
                        .children(at)
                        .all(|child| !derivation.text_range(child).is_empty()),
                    "an empty element"
                );
            }
            Kind::Run {
                at_least, at_most, ..
            } => assert!(*at_least <= node.choice && node.choice <= *at_most),
            Kind::Identifier { names, .. } => {
                let count = names.end - names.start;
                assert_eq!(children.len(), usize::from(node.choice == count));
                // The choice of a name that breaks scopes is larger than that of the escape.
                let name = if node.choice > count {
                    node.choice - count - 1
                } else {
                    node.choice
                };
                assert!(name <= count && (node.choice <= count || grammar.has_names()));
                assert!(
                    bounds.identifiers == Bounds::NONE
                        || node.choice != count && name < count.min(bounds.identifiers)
                );
            }
            _ => {}
        }
    }
}
