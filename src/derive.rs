//! The one generator: a sentence is what a chooser's answers make of a grammar.
//!
//! Only this module expands symbols. It asks a [`Chooser`] for every choice, maps an answer that bounds or caps forbid onto an
//! allowed one, puts separators where tokens would glue, and keeps *produced + least size of everything still open* within the
//! caps. What holds: it is total and deterministic, the stack is explicit, the caps are exact; [`derive()`] and [`derive_text`]
//! ask the same questions and write the same text. Not promised: that the text says which derivation it has (grammars may be
//! ambiguous).

mod agenda;
mod budget;
mod chooser;
mod depth;
mod keep;
mod leaves;
mod part;
mod pieces;

use crate::bounds::{Bounds, Caps};
use crate::derivation::Derivation;
use crate::grammar::{Grammar, Kind, Row, Size, SymbolId};
use crate::uninstrumented::uninstrumented;

use self::agenda::{Frame, Resumed, Task};
use self::budget::Budget;
pub use self::chooser::{At, Case, Chooser};
use self::depth::{Depth, SetId};
use self::keep::Nothing;
pub(crate) use self::keep::{Choice, Keep};
pub(crate) use self::part::Before;
use self::pieces::{Lexeme, Piece};

/// The largest count of a repetition: what its code can say.
pub(crate) const MOST_COUNT: u32 = (1 << 24) + 65_791;

/// What a derivation needs besides its result. Reused, it allocates nothing.
#[derive(Debug, Default)]
pub struct Workspace {
    stack: Vec<Frame>,
    depth: Depth,
}

impl Workspace {
    /// A workspace that need not grow before this many expansions are open.
    pub fn with_capacity(open: usize) -> Workspace {
        Workspace { stack: Vec::with_capacity(open), ..Workspace::default() }
    }
}

uninstrumented! {
    /// Derives a sentence from a symbol.
    ///
    /// `caps` below the least size of the symbol are raised to it.
    pub fn derive(
        grammar: &Grammar,
        symbol: SymbolId,
        bounds: &Bounds,
        caps: &Caps,
        chooser: &mut dyn Chooser,
        workspace: &mut Workspace,
        derivation: &mut Derivation,
    ) {
        derivation.clear();
        let Derivation { nodes, text } = &mut *derivation;
        derive_keeping(grammar, symbol, bounds, caps, chooser, workspace, text, nodes);
        derivation.measure(grammar);
    }
}

/// Writes the text that [`derive()`] derives from a symbol, without its tree: about 1.4 times as fast.
#[inline(always)]
pub(crate) fn derive_text<C: Chooser>(
    grammar: &Grammar,
    symbol: SymbolId,
    bounds: &Bounds,
    caps: &Caps,
    chooser: &mut C,
    workspace: &mut Workspace,
    text: &mut Vec<u8>,
) {
    derive_keeping(grammar, symbol, bounds, caps, chooser, workspace, text, &mut Nothing);
}

/// [`derive_text`], and hands what else there is to `keep`.
#[expect(clippy::too_many_arguments, reason = "all that a derivation depends on, and all that it leaves")]
#[inline(always)]
pub(crate) fn derive_keeping<C: Chooser + ?Sized, K: Keep>(
    grammar: &Grammar,
    symbol: SymbolId,
    bounds: &Bounds,
    caps: &Caps,
    chooser: &mut C,
    workspace: &mut Workspace,
    text: &mut Vec<u8>,
    keep: &mut K,
) {
    text.clear();
    Deriving::new(grammar, symbol, bounds, caps, chooser, workspace, text, keep).run(symbol);
}

/// A derivation in the making.
pub(crate) struct Deriving<'a, C: ?Sized, K> {
    grammar: &'a Grammar,
    bounds: &'a Bounds,
    chooser: &'a mut C,
    stack: &'a mut Vec<Frame>,
    depth: &'a mut Depth,
    text: &'a mut Vec<u8>,
    keep: &'a mut K,
    /// Whether there is a bound of depth.
    bounded: bool,
    /// What caps leave.
    budget: Budget,
    /// The children of the innermost open sequence that are still to be expanded.
    next: u32,
    end: u32,
    /// How many expansions are open around the next symbol.
    level: u32,
    /// How often its repetition wants the next symbol again.
    again: u32,
    /// The last token or piece of layout.
    piece: Option<Piece>,
    /// What the grammar allows after the last token.
    row: Row,
    /// Whether the next token may have no layout before it.
    adjoins: bool,
    /// Whether separators before the lexeme are left out where no longer token comes of it.
    bare: bool,
    /// Whether bounds or caps forbade an answer.
    pinched: bool,
}

impl<'a, C: Chooser + ?Sized, K: Keep> Deriving<'a, C, K> {
    #[expect(clippy::too_many_arguments, reason = "as derive_keeping")]
    #[inline(always)]
    pub(crate) fn new(
        grammar: &'a Grammar,
        symbol: SymbolId,
        bounds: &'a Bounds,
        caps: &Caps,
        chooser: &'a mut C,
        workspace: &'a mut Workspace,
        text: &'a mut Vec<u8>,
        keep: &'a mut K,
    ) -> Self {
        let Workspace { stack, depth } = workspace;
        stack.clear();
        let bounded = bounds.depth != Bounds::NONE;
        if bounded {
            depth.begin(grammar, bounds.depth.max(1));
        }
        Deriving {
            grammar,
            bounds,
            chooser,
            stack,
            depth,
            text,
            keep,
            bounded,
            budget: Budget::new(caps, grammar[symbol].least),
            next: 0,
            end: 0,
            level: 0,
            again: 0,
            piece: None,
            row: grammar.boundaries.first_row(),
            adjoins: false,
            bare: false,
            pinched: false,
        }
    }

    /// Derives from a symbol.
    #[inline(always)]
    pub(crate) fn run(&mut self, symbol: SymbolId) {
        let mut symbol = symbol;
        loop {
            while let Some(part) = self.open(symbol) {
                symbol = part;
            }
            self.again = 0;
            symbol = loop {
                if self.next < self.end {
                    let child = self.grammar.children[self.next as usize];
                    self.next += 1;
                    if child.adjoins {
                        self.adjoin(self.level, self.next, self.end);
                        self.next = self.end;
                    }
                    break child.symbol;
                }
                match self.resume() {
                    Resumed::Sequence => {}
                    Resumed::Symbol(symbol) => break symbol,
                    Resumed::End => return,
                }
            };
        }
    }

    /// The least size of a symbol, here.
    #[inline(always)]
    fn least(&self, symbol: SymbolId) -> Size {
        if self.bounded { self.depth.least(self.grammar, symbol) } else { self.grammar[symbol].least }
    }

    /// A node whose text begins here.
    #[inline(always)]
    fn node(&mut self, symbol: SymbolId, choice: u32, kind: Choice<'_>) -> u32 {
        self.keep.node(symbol, choice, self.text.len() as u32, kind)
    }

    /// Tells the chooser what is about to be expanded.
    #[inline(always)]
    fn enter(&mut self, symbol: SymbolId) {
        let again = std::mem::take(&mut self.again);
        self.chooser.enter(
            self.grammar,
            At { depth: self.level as usize, symbol, later: self.next..self.end, again, written: self.text.len() },
        );
    }

    /// Expands a symbol, or begins to; a part of it that is to be expanded at once.
    #[inline(always)]
    fn open(&mut self, symbol: SymbolId) -> Option<SymbolId> {
        let grammar = self.grammar;
        match &grammar[symbol].kind {
            Kind::Nonterminal { alternatives, counted } => {
                self.enter(symbol);
                let kept = self.least(symbol);
                if self.bounded && *counted {
                    let outer = self.depth.enter(grammar, symbol);
                    self.push(self.level, Task::Leave { next: self.next, end: self.end, symbol, outer });
                } else {
                    self.suspend();
                }
                let index = self.alternative(symbol, alternatives, kept);
                let options = alternatives.end - alternatives.start;
                self.node(symbol, index, if options > 1 { Choice::Alternative { options } } else { Choice::None });
                let children = &grammar.alternatives[(alternatives.start + index) as usize].children;
                (self.next, self.end) = (children.start, children.end);
                self.level += 1;
                None
            }
            &Kind::Repeat { element, at_least, at_most, items } => {
                self.enter(symbol);
                let bound = if items { self.bounds.items.max(at_least) - at_least } else { u32::MAX };
                let left = at_least + self.count(symbol, at_most - at_least, bound, self.least(element.symbol));
                let kind = if at_most > at_least { Choice::Count { at_least } } else { Choice::None };
                let node = self.node(symbol, left, kind);
                if left == 0 {
                    return None;
                }
                // The first element at once: what chose a count has not ended.
                self.suspend();
                self.level += 1;
                if left > 1 {
                    self.push(self.level, Task::Elements { node, element, left: left - 1, begun: 1, at_least });
                }
                if element.adjoins {
                    self.adjoin(self.level, 0, 0);
                }
                self.again = left - 1;
                Some(element.symbol)
            }
            &Kind::Lexeme { body, place, layout } => {
                self.enter(symbol);
                self.lexeme(symbol, Lexeme { body, place, layout })
            }
            Kind::Identifier { names, escape } => {
                self.enter(symbol);
                let count = names.end - names.start;
                let index = self.name(symbol, *escape, count);
                self.node(symbol, index, Choice::Name { names: count });
                if index == count {
                    self.suspend();
                    self.level += 1;
                    return Some(*escape);
                }
                self.text.extend_from_slice(grammar.name(names, index));
                None
            }
            kind => {
                self.leaf(symbol, kind);
                None
            }
        }
    }

    /// Which alternative of a nonterminal, one of size `kept` being paid for; pays for it.
    #[inline(always)]
    fn alternative(&mut self, symbol: SymbolId, alternatives: &std::ops::Range<u32>, kept: Size) -> u32 {
        let options = alternatives.end - alternatives.start;
        if options == 1 && !self.bounded {
            return 0;
        }
        let mut index = if options > 1 { self.chooser.alternative(self.grammar, symbol, options) } else { 0 };
        if !self.budget.exchange(self.alternative_size(alternatives.start + index), kept) {
            self.pinched = true;
            index = self.allowed(alternatives.start, options, index, kept);
            self.budget.exchange(self.alternative_size(alternatives.start + index), kept);
        }
        index
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
            allowed += u32::from(self.budget.affords(self.alternative_size(first + index), kept));
        }
        let mut rest = wanted % allowed.max(1);
        for index in 0..options {
            if self.budget.affords(self.alternative_size(first + index), kept) {
                if rest == 0 {
                    return index;
                }
                rest -= 1;
            }
        }
        0
    }

    /// How many elements beyond the lower limit, of `size` each; pays for them.
    #[inline(always)]
    fn count(&mut self, symbol: SymbolId, spread: u32, bound: u32, size: Size) -> u32 {
        let wanted = if spread > 0 { self.chooser.count(self.grammar, symbol, spread) } else { 0 };
        if wanted == 0 {
            return 0;
        }
        if wanted <= bound && self.budget.exchange(size.times(wanted), Size::default()) {
            return wanted;
        }
        self.pinched = true;
        let count = wanted % (bound.min(self.budget.affordable(size)) + 1);
        self.budget.exchange(size.times(count), Size::default());
        count
    }
}
