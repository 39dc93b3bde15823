//! The contract of the parameters: every claim, on every grammar, on short strings exhaustively and on noise.
//!
//! `ZESTER_BUFFERS=N cargo test --release --test contract` takes N random buffers in all; the default is 20,000.

mod common;

use std::collections::HashMap;

use common::{Noise, all};
use zester::bounds::{Bounds, Caps};
use zester::derivation::Derivation;
use zester::derive::{Chooser, Workspace, derive};
use zester::grammar::{Grammar, Kind, SymbolId};
use zester::parameters::{self, Parameters, PastEnd, Settings, Tree};

const SMALL: Caps = Caps { bytes: 600, nodes: 5_000 };

fn bounded(identifiers: u32, items: u32, depth: u32) -> Bounds {
    Bounds { identifiers, items, depth }
}

/// Settings to decode under; a grammar that needs more than the small caps gets large ones.
fn settings(grammar: &Grammar) -> Vec<Settings> {
    let least = grammar.symbols()[grammar.start().0 as usize].least;
    let caps = if least.bytes <= SMALL.bytes && least.nodes <= SMALL.nodes { SMALL } else { Caps::default() };
    let exact = Caps { bytes: least.bytes, nodes: least.nodes };
    let all = [
        (Bounds::UNBOUNDED, Caps::default(), PastEnd::Simplest),
        (Bounds::UNBOUNDED, caps, PastEnd::Simplest),
        (Bounds::UNBOUNDED, caps, PastEnd::PseudoRandom),
        (Bounds::UNBOUNDED, exact, PastEnd::Simplest),
        (bounded(1, 1, 1), caps, PastEnd::Simplest),
        (bounded(3, 0, 2), caps, PastEnd::Simplest),
        (bounded(Bounds::NONE, 5, 4), caps, PastEnd::PseudoRandom),
    ];
    all.into_iter().map(|(bounds, caps, past_end)| Settings { bounds, caps, past_end }).collect()
}

/// Memory for decoding, kept as the hooks keep it.
#[derive(Default)]
struct Decoder {
    workspace: Workspace,
    derivation: Derivation,
    text: Vec<u8>,
    tree: Tree,
}

impl Decoder {
    fn decode(&mut self, grammar: &Grammar, settings: &Settings, bytes: &[u8]) -> &Derivation {
        parameters::decode(grammar, settings, bytes, &mut self.workspace, &mut self.derivation);
        &self.derivation
    }
}

/// Everything that holds for one input.
fn check(grammar: &Grammar, settings: &Settings, bytes: &[u8], decoder: &mut Decoder) {
    let first = decoder.decode(grammar, settings, bytes).clone();
    assert!(first.text().len() <= settings.caps.bytes as usize, "{} bytes", first.text().len());
    assert!(first.nodes().len() <= settings.caps.nodes as usize, "{} nodes", first.nodes().len());
    assert!(!grammar.derives_utf8() || std::str::from_utf8(first.text()).is_ok());
    well_formed(grammar, &settings.bounds, &first);
    parameters::decode_text(grammar, settings, bytes, &mut decoder.workspace, &mut decoder.text);
    assert_eq!(decoder.text, first.text(), "the text alone is another");
    assert_eq!(*decoder.decode(grammar, settings, bytes), first, "not deterministic");

    let (mut canonical, mut spans) = (Vec::new(), Vec::new());
    parameters::encode_with_spans(grammar, &first, &mut canonical, &mut spans);
    parameters::read(grammar, settings, bytes, &mut decoder.workspace, &mut decoder.tree);
    let Decoder { tree, .. } = decoder;
    assert_eq!((tree.derivation(), tree.parameters()), (&first, &canonical[..]), "in one pass it is another");
    for (at, node) in first.nodes().iter().enumerate() {
        assert_eq!(tree.span(at), spans[at] as usize..spans[at + node.size as usize] as usize);
    }
    reread(grammar, settings, &canonical, decoder);
    // Independent of bounds, and of the policy: nothing is read past the end.
    let larger = |bound: u32| bound.saturating_mul(2);
    let Bounds { identifiers, items, depth } = settings.bounds;
    for bounds in [settings.bounds, bounded(larger(identifiers), larger(items), larger(depth)), Bounds::UNBOUNDED] {
        for past_end in [PastEnd::Simplest, PastEnd::PseudoRandom] {
            let settings = Settings { bounds, past_end, ..*settings };
            assert_eq!(*decoder.decode(grammar, &settings, &canonical), first, "decode(encode(d)) != d under {settings:?}");
        }
    }
    let unbounded = Settings { bounds: Bounds::UNBOUNDED, caps: Caps::default(), past_end: PastEnd::Simplest };
    assert_eq!(*decoder.decode(grammar, &unbounded, &canonical), first, "larger caps change canonical parameters");
    let mut again = Vec::new();
    parameters::encode(grammar, &first, &mut again);
    assert_eq!(again, canonical, "not idempotent");
    local(grammar, &first, &canonical, &spans, &mut decoder.workspace);
}

/// A tree helps to read what is much the same, and changes nothing: with a subtree in the place of another, and with bytes
/// changed, erased and inserted.
fn reread(grammar: &Grammar, settings: &Settings, canonical: &[u8], decoder: &mut Decoder) {
    let (mut noise, mut known, mut again) =
        (Noise(grammar.fingerprint() ^ canonical.len() as u64), Tree::default(), Tree::default());
    let Decoder { workspace, tree, .. } = decoder;
    parameters::read(grammar, settings, canonical, workspace, &mut known);
    let nodes = known.derivation().nodes();
    for _ in 0..2 {
        let mut changed = known.parameters().to_vec();
        let at = noise.below(changed.len() as u64 + 1) as usize;
        match noise.below(6) {
            0 if at < changed.len() => changed[at] = noise.next() as u8,
            1 => changed.truncate(at),
            2 => changed.insert(at, noise.next() as u8),
            _ => {
                let one = noise.below(nodes.len() as u64) as usize;
                let like = |other: &usize| grammar.is_like(nodes[one].symbol, nodes[*other].symbol);
                let others: Vec<usize> = (0..nodes.len()).filter(like).collect();
                let other = others[noise.below(others.len() as u64) as usize];
                changed.splice(known.span(one), known.parameters()[known.span(other)].iter().copied());
            }
        }
        parameters::read(grammar, settings, &changed, workspace, tree);
        parameters::reread(grammar, settings, &known, &changed, workspace, &mut again);
        assert_eq!(again, *tree, "read again, {changed:?} after {canonical:?} is another");
    }
}

/// Every span, read alone, derives its own subtree, and is read to its end.
fn local(grammar: &Grammar, derivation: &Derivation, canonical: &[u8], spans: &[u32], workspace: &mut Workspace) {
    let nodes = derivation.nodes();
    let step = nodes.len() / 20 + 1;
    for at in (0..nodes.len()).step_by(step) {
        let subtree = &nodes[at..at + nodes[at].size as usize];
        let span = &canonical[spans[at] as usize..spans[at + subtree.len()] as usize];
        let mut chooser = Parameters::new(span, PastEnd::Simplest);
        let mut alone = Derivation::default();
        derive(grammar, nodes[at].symbol, &Bounds::UNBOUNDED, &Caps::default(), &mut chooser, workspace, &mut alone);
        assert!(!chooser.ended() && chooser.read() == span.len(), "span of {} bytes, {} read", span.len(), chooser.read());
        let shape = |nodes: &[zester::derivation::Node]| nodes.iter().map(|n| (n.symbol, n.choice, n.size)).collect::<Vec<_>>();
        assert_eq!(shape(alone.nodes()), shape(subtree));
    }
}

/// The derivation is a tree of the grammar, within the bounds.
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
        let children: Vec<SymbolId> = derivation.children(at).map(|child| nodes[child].symbol).collect();
        match &grammar.symbols()[node.symbol.0 as usize].kind {
            Kind::Nonterminal { counted, .. } => {
                let alternative = &grammar.alternatives(node.symbol)[node.choice as usize];
                let expected: Vec<SymbolId> = grammar.children(alternative).iter().map(|child| child.symbol).collect();
                assert_eq!(children, expected);
                if *counted {
                    *counts.entry(node.symbol).or_insert(0) += 1;
                    assert!(counts[&node.symbol] <= bounds.depth, "depth of {}", grammar.label(node.symbol));
                    path.push((at + node.size as usize, node.symbol));
                }
            }
            Kind::Repeat { element, at_least, at_most, items } => {
                assert_eq!(children, vec![element.symbol; node.choice as usize]);
                assert!(*at_least <= node.choice && node.choice <= *at_most);
                assert!(!items || node.choice <= bounds.items.max(*at_least));
                assert!(derivation.children(at).all(|child| !derivation.text_range(child).is_empty()), "an empty element");
            }
            Kind::Run { at_least, at_most, .. } => assert!(*at_least <= node.choice && node.choice <= *at_most),
            Kind::Identifier { names, .. } => {
                let count = names.end - names.start;
                assert_eq!(children.len(), usize::from(node.choice == count));
                assert!(bounds.identifiers == Bounds::NONE || node.choice < count.min(bounds.identifiers));
            }
            _ => {}
        }
    }
}

#[test]
fn short_strings_exhaustively() {
    let telling = [0, 1, 2, 3, 4, 7, 16, 240, 252, 255];
    let mut strings = vec![vec![]];
    strings.extend((0..=255).map(|byte| vec![byte]));
    for a in telling {
        for b in telling {
            strings.push(vec![a, b]);
            strings.extend(telling.map(|c| vec![a, b, c]));
        }
    }
    for (name, grammar) in all() {
        eprintln!("{name}");
        let mut decoder = Decoder::default();
        for settings in settings(&grammar) {
            for bytes in strings.iter().step_by(if grammar.symbols().len() > 1_000 { 17 } else { 1 }) {
                check(&grammar, &settings, bytes, &mut decoder);
            }
        }
    }
}

#[test]
fn noise() {
    let buffers: usize = std::env::var("ZESTER_BUFFERS").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    let grammars = all();
    let mut noise = Noise(1);
    for (name, grammar) in &grammars {
        eprintln!("{name}");
        let mut decoder = Decoder::default();
        let all = settings(grammar);
        for _ in 0..buffers.div_ceil(grammars.len()) {
            let length = noise.length(1 << 16);
            let bytes = noise.bytes(length);
            let settings = &all[noise.below(all.len() as u64) as usize];
            check(grammar, settings, &bytes, &mut decoder);
        }
    }
}

#[test]
fn nothing_decodes_to_the_least_sentence() {
    for (name, grammar) in all() {
        let derivation = parameters::sentence(&grammar, &Settings::default(), &[]);
        let least = grammar.symbols()[grammar.start().0 as usize].least;
        assert_eq!(derivation.nodes().len(), least.nodes as usize, "{name}");
        assert!(derivation.text().len() <= least.bytes as usize, "{name}");
    }
}

#[test]
fn alternatives_are_ordered_by_least_size() {
    for (name, grammar) in all() {
        for id in 0..grammar.symbols().len() as u32 {
            let alternatives = grammar.alternatives(SymbolId(id));
            assert!(alternatives.is_sorted_by_key(|a| (a.least, a.source)), "{name}: {}", grammar.label(SymbolId(id)));
        }
    }
}

#[test]
fn a_cut_list_stops_where_it_is_cut() {
    let grammar = common::grammar("list", "a = ( \"x\" | \"y\" )* ;");
    // A count of 5,000, then elements, cut after the third.
    let mut bytes = vec![252, 240];
    bytes.extend_from_slice(&(5_000_u16 - 256).to_be_bytes());
    bytes.extend([1, 1, 1]);
    let text =
        |bytes: &[u8]| String::from_utf8(parameters::sentence(&grammar, &Settings::default(), bytes).text().to_vec()).unwrap();
    // The fourth element is begun before the end is noticed.
    assert_eq!(text(&bytes), "yyyx");
    bytes.extend([1; 4_997]);
    assert_eq!(text(&bytes), "y".repeat(5_000));
}

#[test]
fn forced_elements_are_not_past_the_end() {
    let grammar = common::grammar("forced", "a = \"x\"* ;");
    let text = parameters::sentence(&grammar, &Settings::default(), &[5]).text().to_vec();
    assert_eq!(text, b"xxxxx");
}
