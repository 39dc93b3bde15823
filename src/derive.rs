//! The one generator: a sentence is what a chooser's answers make of a grammar.
//!
//! Only [`derive()`] expands symbols. It asks a [`Chooser`] for every choice, maps an answer that bounds or caps forbid onto an
//! allowed one, puts separators where tokens would glue, and keeps *produced + least size of everything still open* within the
//! caps. What holds: it is total and deterministic, the stack is explicit, the caps are exact. Not promised: that the text
//! says which derivation it has (grammars may be ambiguous).

mod chooser;
mod depth;
mod pieces;

use crate::bounds::{Bounds, Caps};
use crate::derivation::{Derivation, Node};
use crate::grammar::{Child, Class, Grammar, Kind, PlaceId, Row, Size, SymbolId};

pub use self::chooser::{At, Case, Chooser};
use self::depth::{Depth, SetId};
use self::pieces::Piece;

/// The largest count of a repetition: what its code can say.
pub(crate) const MOST_COUNT: u32 = (1 << 24) + 65_791;

/// What a derivation needs besides its result. Reused, it allocates nothing.
#[derive(Debug, Default)]
pub struct Workspace {
    stack: Vec<Frame>,
    depth: Depth,
}

/// What is still to do.
#[derive(Clone, Copy, Debug)]
enum Frame {
    /// The children `next..end` of an alternative; `outer` is the depth bound's state around it.
    Sequence { node: u32, next: u32, end: u32, outer: SetId },
    /// `left` more elements of a repetition.
    Elements { node: u32, left: u32, begun: u32, at_least: u32, element: Child },
    /// `left` more pieces of layout, then the body of the lexeme.
    Layout { node: u32, left: u32, begun: u32, body: SymbolId, place: PlaceId, reserved: u32 },
    /// A piece of layout is complete; it began at byte `from`, its first node is `first`.
    LayoutPiece { from: u32, first: u32 },
    /// A token is complete; it began at byte `from`, the first node inside is `first`.
    Token { node: u32, from: u32, first: u32, place: PlaceId, reserved: u32, adjoins: bool },
    /// The subtree of a node is complete.
    Close { node: u32 },
}

/// A symbol to open, what stands after it in its sequence, and how often it comes again.
type Next<'a> = (SymbolId, &'a [Child], u32);

/// Derives a sentence from a symbol.
///
/// `caps` below the least size of the symbol are raised to it.
#[inline(always)]
pub fn derive<C: Chooser>(
    grammar: &Grammar,
    symbol: SymbolId,
    bounds: &Bounds,
    caps: &Caps,
    chooser: &mut C,
    workspace: &mut Workspace,
    derivation: &mut Derivation,
) {
    derivation.clear();
    workspace.stack.clear();
    let bounded = bounds.depth != Bounds::NONE;
    if bounded {
        workspace.depth.begin(grammar, bounds.depth.max(1));
    }
    let least = grammar[symbol].least;
    let mut deriving = Deriving {
        grammar,
        bounds,
        chooser,
        stack: &mut workspace.stack,
        depth: &mut workspace.depth,
        nodes: &mut derivation.nodes,
        text: &mut derivation.text,
        bytes: (i64::from(caps.bytes) - i64::from(least.bytes)).max(0),
        spare: (i64::from(caps.nodes) - i64::from(least.nodes)).max(0),
        piece: None,
        row: grammar.boundaries.first_row(),
        adjoins: 0,
        bounded,
    };
    let mut next = Some((symbol, &[][..], 0));
    loop {
        next = match next {
            Some((symbol, later, again)) => deriving.open(symbol, later, again),
            None if deriving.stack.is_empty() => return,
            None => deriving.step(),
        }
    }
}

struct Deriving<'a, C> {
    grammar: &'a Grammar,
    bounds: &'a Bounds,
    chooser: &'a mut C,
    stack: &'a mut Vec<Frame>,
    depth: &'a mut Depth,
    nodes: &'a mut Vec<Node>,
    text: &'a mut Vec<u8>,
    /// Bytes that are neither written nor kept for what is open.
    bytes: i64,
    /// Nodes that are neither made nor kept for what is open.
    spare: i64,
    /// The last token or piece of layout.
    piece: Option<Piece>,
    /// What the grammar allows after the last token.
    row: Row,
    /// 1 + the index of the frame whose child may have no layout before its first token; 0 if none.
    adjoins: u32,
    bounded: bool,
}

impl<'a, C: Chooser> Deriving<'a, C> {
    /// Goes on with the top of the stack.
    #[inline(always)]
    fn step(&mut self) -> Option<Next<'a>> {
        let index = self.stack.len() as u32;
        if self.adjoins == index {
            // The child that was to adjoin had no token.
            self.adjoins = 0;
        }
        match self.stack.last_mut()? {
            Frame::Sequence { node, next, end, outer } => {
                let (node, at, end, outer) = (*node, *next, *end, *outer);
                let at = self.leaves(at, end, index as usize);
                if at == end {
                    self.stack.pop();
                    self.leave(node, outer);
                    return None;
                }
                if let Some(Frame::Sequence { next, .. }) = self.stack.last_mut() {
                    *next = at + 1;
                }
                let grammar = self.grammar;
                let child = grammar.children[at as usize];
                if child.adjoins && self.adjoins == 0 {
                    self.adjoins = index;
                }
                Some((child.symbol, &grammar.children[at as usize + 1..end as usize], 0))
            }
            Frame::Elements { node, left, begun, at_least, element } => {
                let (node, element) = (*node, *element);
                if *left > 0 && (*begun < *at_least || !self.chooser.ended()) {
                    *left -= 1;
                    *begun += 1;
                    if element.adjoins && self.adjoins == 0 {
                        self.adjoins = index;
                    }
                    return Some((element.symbol, &[], *left));
                }
                let (left, begun) = (*left, *begun);
                self.stack.pop();
                let unused = self.least(element.symbol).times(left);
                self.refund(unused);
                self.nodes[node as usize].choice = begun;
                self.close(node);
                None
            }
            _ => self.step_piece(),
        }
    }

    #[inline(always)]
    fn least(&self, symbol: SymbolId) -> Size {
        if self.bounded { self.depth.least(self.grammar, symbol) } else { self.grammar[symbol].least }
    }

    #[inline(always)]
    fn refund(&mut self, size: Size) {
        self.bytes += i64::from(size.bytes);
        self.spare += i64::from(size.nodes);
    }

    /// Whether something of size `wanted` may take the place of something of size `kept`.
    #[inline(always)]
    fn affords(&self, wanted: Size, kept: Size) -> bool {
        wanted.is_finite()
            && i64::from(wanted.bytes) - i64::from(kept.bytes) <= self.bytes
            && i64::from(wanted.nodes) - i64::from(kept.nodes) <= self.spare
    }

    #[inline(always)]
    fn spend(&mut self, wanted: Size, kept: Size) {
        self.bytes -= i64::from(wanted.bytes) - i64::from(kept.bytes);
        self.spare -= i64::from(wanted.nodes) - i64::from(kept.nodes);
    }

    /// How many times a size is affordable.
    #[inline(always)]
    fn affordable(&self, size: Size) -> u32 {
        if !size.is_finite() {
            return 0;
        }
        let bytes = self.bytes.checked_div(size.bytes.into()).unwrap_or(i64::MAX);
        let nodes = self.spare.checked_div(size.nodes.into()).unwrap_or(i64::MAX);
        bytes.min(nodes).clamp(0, MOST_COUNT.into()) as u32
    }

    #[inline(always)]
    fn node(&mut self, symbol: SymbolId, choice: u32) -> u32 {
        let (index, text) = (self.nodes.len() as u32, self.text.len() as u32);
        self.nodes.push(Node { symbol, choice, size: 1, text });
        index
    }

    #[inline(always)]
    fn close(&mut self, node: u32) {
        self.nodes[node as usize].size = self.nodes.len() as u32 - node;
    }

    #[inline(always)]
    fn leave(&mut self, node: u32, outer: SetId) {
        self.close(node);
        if self.bounded {
            self.depth.leave(self.grammar, self.nodes[node as usize].symbol, outer);
        }
    }

    /// Expands a symbol as far as that needs no expansion of its parts. These go onto the stack, or the first is returned.
    #[inline(always)]
    fn open(&mut self, symbol: SymbolId, later: &[Child], again: u32) -> Option<Next<'a>> {
        let grammar = self.grammar;
        let at = At { depth: self.stack.len(), symbol, later, again };
        match &grammar[symbol].kind {
            Kind::Lexeme { body, place, layout } => {
                self.chooser.enter(grammar, at);
                return self.lexeme(symbol, *body, *place, *layout);
            }
            Kind::Nonterminal { alternatives, counted } => {
                self.chooser.enter(grammar, at);
                let kept = self.least(symbol);
                let outer = self.depth.current();
                if self.bounded && *counted {
                    self.depth.enter(grammar, symbol);
                }
                let options = alternatives.end - alternatives.start;
                let mut index = if options > 1 { self.chooser.alternative(grammar, symbol, options) } else { 0 };
                let mut size = self.alternative_size(alternatives.start + index);
                if !self.affords(size, kept) {
                    index = self.allowed(alternatives.start, options, index, kept);
                    size = self.alternative_size(alternatives.start + index);
                }
                self.spend(size, kept);
                let node = self.node(symbol, index);
                let children = &grammar.alternatives[(alternatives.start + index) as usize].children;
                let (next, end) = (self.leaves(children.start, children.end, at.depth + 1), children.end);
                if next == end {
                    self.leave(node, outer);
                } else {
                    self.stack.push(Frame::Sequence { node, next, end, outer });
                }
            }
            Kind::Repeat { element, at_least, at_most, items } => {
                self.chooser.enter(grammar, at);
                let bound = if *items { self.bounds.items.max(*at_least) - at_least } else { u32::MAX };
                let size = self.least(element.symbol);
                let extra = self.count(symbol, at_most - at_least, bound, size);
                let node = self.node(symbol, 0);
                let left = at_least + extra;
                self.stack.push(Frame::Elements { node, left, begun: 0, at_least: *at_least, element: *element });
            }
            Kind::Identifier { names, escape } => {
                let count = names.end - names.start;
                let index = self.name(symbol, *escape, count);
                let node = self.node(symbol, index);
                if index == count {
                    self.stack.push(Frame::Close { node });
                    return Some((*escape, &[], 0));
                }
                self.text.extend_from_slice(grammar.name(names, index));
            }
            _ => {
                self.leaf(at);
            }
        }
        None
    }

    /// Expands the children `next..end` of a sequence up to the first that has parts; where that stands.
    #[inline(always)]
    fn leaves(&mut self, mut next: u32, end: u32, depth: usize) -> u32 {
        let grammar = self.grammar;
        while next < end {
            let symbol = grammar.children[next as usize].symbol;
            let later = &grammar.children[next as usize + 1..end as usize];
            if !self.leaf(At { depth, symbol, later, again: 0 }) {
                break;
            }
            next += 1;
        }
        next
    }

    /// Expands a symbol that has no parts; whether it is one.
    #[inline(always)]
    fn leaf(&mut self, at: At<'_>) -> bool {
        let (grammar, symbol) = (self.grammar, at.symbol);
        match &grammar[symbol].kind {
            Kind::Literal { text } => {
                self.node(symbol, 0);
                self.text.extend_from_slice(grammar.text(text));
            }
            Kind::Run { class, at_least, at_most } => {
                self.chooser.enter(grammar, at);
                let class = &grammar[*class];
                let width = Size { bytes: class.least_width(), nodes: 0 };
                let extra = self.count(symbol, at_most - at_least, u32::MAX, width);
                let node = self.node(symbol, 0);
                self.nodes[node as usize].choice = self.characters(class, *at_least, at_least + extra);
            }
            Kind::Class(class) => {
                let class = &grammar[*class];
                let index = self.member(class);
                self.node(symbol, index);
                class.write(class.member(index), self.text);
            }
            Kind::Insensitive { text, letters } => {
                let case = self.chooser.case(*letters);
                self.node(symbol, case.number());
                case.write(grammar.text(text), self.text);
            }
            _ => return false,
        }
        true
    }

    #[inline(always)]
    fn alternative_size(&self, alternative: u32) -> Size {
        if self.bounded {
            self.depth.alternative(self.grammar, alternative)
        } else {
            self.grammar.alternatives[alternative as usize].least
        }
    }

    /// The allowed alternative that a forbidden one is mapped onto. There is one: the least is always kept for.
    #[cold]
    #[inline(always)]
    fn allowed(&self, first: u32, options: u32, wanted: u32, kept: Size) -> u32 {
        let mut allowed = 0;
        for index in 0..options {
            allowed += u32::from(self.affords(self.alternative_size(first + index), kept));
        }
        let mut rest = wanted % allowed.max(1);
        for index in 0..options {
            if self.affords(self.alternative_size(first + index), kept) {
                if rest == 0 {
                    return index;
                }
                rest -= 1;
            }
        }
        0
    }

    /// How many elements beyond the lower limit; pays for them.
    #[inline(always)]
    fn count(&mut self, symbol: SymbolId, spread: u32, bound: u32, size: Size) -> u32 {
        let wanted = if spread > 0 { self.chooser.count(self.grammar, symbol, spread) } else { return 0 };
        let mut extra = wanted;
        if wanted > 0 {
            let most = bound.min(self.affordable(size));
            if wanted > most {
                extra = wanted % (most + 1);
            }
            self.spend(size.times(extra), Size::default());
        }
        extra
    }

    /// The member of a class that is chosen, among those that fit; pays for it.
    #[inline(always)]
    fn member(&mut self, class: &Class) -> u32 {
        let mut index = if class.count() > 1 { self.chooser.member(class) } else { 0 };
        let least = class.least_width();
        let mut extra = class.width(class.member(index)) - least;
        if i64::from(extra) > self.bytes {
            index %= class.narrower(least + self.bytes.clamp(0, 3) as u32).max(1);
            extra = class.width(class.member(index)) - least;
        }
        self.bytes -= i64::from(extra);
        index
    }

    /// Writes a run of characters, `count` if nothing ends it; how many.
    #[inline(always)]
    fn characters(&mut self, class: &Class, at_least: u32, count: u32) -> u32 {
        let mut begun = 0;
        while begun < count && (begun < at_least || !self.chooser.ended()) {
            begun += self.chooser.members(class, count - begun, self.text);
            if begun < count && (begun < at_least || !self.chooser.ended()) {
                let index = self.member(class);
                class.write(class.member(index), self.text);
                begun += 1;
            }
        }
        self.refund(Size { bytes: class.least_width(), nodes: 0 }.times(count - begun));
        begun
    }

    /// Which name of an identifier terminal, `count` being the escape; pays for it.
    #[inline(always)]
    fn name(&mut self, symbol: SymbolId, escape: SymbolId, count: u32) -> u32 {
        let grammar = self.grammar;
        let Kind::Identifier { names, .. } = &grammar[symbol].kind else { return 0 };
        let kept = grammar[symbol].least;
        let mut index = self.chooser.name(count);
        if self.bounds.identifiers != Bounds::NONE {
            index %= count.min(self.bounds.identifiers.max(1));
        }
        if !self.affords(self.name_size(names, escape, index), kept) {
            // Names are ordered by length, so the first are the affordable ones.
            let mut affordable = 1;
            while affordable < count && self.affords(self.name_size(names, escape, affordable), kept) {
                affordable += 1;
            }
            index %= affordable;
        }
        self.spend(self.name_size(names, escape, index), kept);
        index
    }

    /// The size of a name, or of the escape.
    #[inline(always)]
    fn name_size(&self, names: &std::ops::Range<u32>, escape: SymbolId, index: u32) -> Size {
        if index == names.end - names.start {
            return self.grammar[escape].least.plus(Size { bytes: 0, nodes: 1 });
        }
        Size { bytes: self.grammar.name(names, index).len() as u32, nodes: 1 }
    }
}
