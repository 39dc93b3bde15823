//! The generator: it expands a grammar's symbols by the answers of a choice source.
//!
//! No other module expands symbols. The generator asks a [`ChoiceSource`] for every choice. If bounds or caps forbid the answer, it
//! takes an option that they allow. It writes separators between tokens that would otherwise be read as one. It keeps the size
//! of what is written, plus the least size of every symbol that is still to be expanded, within the caps.
//!
//! Guarantees: the generator is total and deterministic. Its stack is explicit, so deep derivations do not overflow the call
//! stack. No sentence exceeds the caps.
//!
//! Not guaranteed: that two derivations have different texts. Grammars may be ambiguous.

mod agenda;
mod budget;
mod choice_source;
mod depth;
mod leaves;
mod node_sink;
mod part;
mod tokens;

use crate::bounds::{Bounds, Caps};
pub(crate) use crate::derivation::Choice;
use crate::derivation::Derivation;
use crate::grammar::{FollowSet, Grammar, Kind, Size, SymbolId};
use crate::uninstrumented::uninstrumented;

use self::agenda::{Frame, Lexeme, Resumed, Task};
use self::budget::Budget;
pub use self::choice_source::{At, Case, ChoiceSource};
use self::depth::{Depth, SetId};
use self::node_sink::Discard;
pub(crate) use self::node_sink::NodeSink;
pub(crate) use self::part::Before;
use self::tokens::LastToken;

/// The largest count of a repetition: what its code can say.
pub(crate) const MAX_COUNT: u32 = (1 << 24) + 65_791;

/// Memory that a derivation needs besides its result. Reused, it allocates nothing.
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
    /// Derives from a symbol by a choice source.
    ///
    /// `caps` below the least size of the symbol are raised to it. The derivation is overwritten.
    pub fn derive(
        grammar: &Grammar,
        symbol: SymbolId,
        bounds: &Bounds,
        caps: &Caps,
        choice_source: &mut dyn ChoiceSource,
        workspace: &mut Workspace,
        derivation: &mut Derivation,
    ) {
        derivation.clear();
        let Derivation { nodes, text } = &mut *derivation;
        derive_keeping(grammar, symbol, bounds, caps, choice_source, workspace, text, nodes);
        derivation.measure(grammar);
    }
}

/// Writes the text that [`derive()`] derives from a symbol, without the tree. It is about 1.4 times as fast.
#[inline(always)]
pub(crate) fn derive_text<C: ChoiceSource>(
    grammar: &Grammar,
    symbol: SymbolId,
    bounds: &Bounds,
    caps: &Caps,
    choice_source: &mut C,
    workspace: &mut Workspace,
    text: &mut Vec<u8>,
) {
    derive_keeping(grammar, symbol, bounds, caps, choice_source, workspace, text, &mut Discard);
}

/// Derives from a symbol by a choice source. The text is overwritten; nodes and choices go to `keep`.
#[expect(clippy::too_many_arguments, reason = "all that a derivation depends on, and all that it leaves")]
#[inline(always)]
pub(crate) fn derive_keeping<C: ChoiceSource + ?Sized, K: NodeSink>(
    grammar: &Grammar,
    symbol: SymbolId,
    bounds: &Bounds,
    caps: &Caps,
    choice_source: &mut C,
    workspace: &mut Workspace,
    text: &mut Vec<u8>,
    keep: &mut K,
) {
    text.clear();
    Deriving::new(grammar, symbol, bounds, caps, choice_source, workspace, text, keep).run(symbol);
}

/// A derivation in the making.
pub(crate) struct Deriving<'a, C: ?Sized, K> {
    grammar: &'a Grammar,
    bounds: &'a Bounds,
    choice_source: &'a mut C,
    stack: &'a mut Vec<Frame>,
    depth: &'a mut Depth,
    text: &'a mut Vec<u8>,
    keep: &'a mut K,
    /// Whether there is a bound of depth.
    bounded: bool,
    /// The bytes and nodes that the caps leave.
    budget: Budget,
    /// The children of the innermost open sequence that are still to be expanded.
    next: u32,
    end: u32,
    /// How many expansions are open around the next symbol.
    level: u32,
    /// How often its repetition wants the next symbol again.
    again: u32,
    /// The last token or piece of layout.
    piece: Option<LastToken>,
    /// What the grammar allows after the last token.
    row: FollowSet,
    /// Whether the next token may have no layout before it.
    adjoins: bool,
    /// Whether separators before the lexeme are left out where no longer token comes of it.
    bare: bool,
    /// Whether bounds or caps forbade an answer.
    pinched: bool,
}

impl<'a, C: ChoiceSource + ?Sized, K: NodeSink> Deriving<'a, C, K> {
    #[expect(clippy::too_many_arguments, reason = "as derive_keeping")]
    #[inline(always)]
    pub(crate) fn new(
        grammar: &'a Grammar,
        symbol: SymbolId,
        bounds: &'a Bounds,
        caps: &Caps,
        choice_source: &'a mut C,
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
            choice_source,
            stack,
            depth,
            text,
            keep,
            bounded,
            budget: Budget::new(caps, grammar[symbol].minimum),
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
                let resumed = match self.resume() {
                    Resumed::LastToken => self.resume_piece(),
                    resumed => resumed,
                };
                match resumed {
                    Resumed::Sequence => {}
                    Resumed::Symbol(symbol) => break symbol,
                    Resumed::LastToken | Resumed::End => return,
                }
            };
        }
    }

    /// The least size of a symbol, here.
    #[inline(always)]
    fn minimum(&self, symbol: SymbolId) -> Size {
        if self.bounded { self.depth.minimum(self.grammar, symbol) } else { self.grammar[symbol].minimum }
    }

    /// A node whose text begins here.
    #[inline(always)]
    fn node(&mut self, symbol: SymbolId, choice: u32, kind: Choice<'_>) -> u32 {
        self.keep.node(symbol, choice, self.text.len() as u32, kind, &[])
    }

    /// Tells the choice source what is about to be expanded.
    #[inline(always)]
    fn enter(&mut self, symbol: SymbolId) {
        let again = std::mem::take(&mut self.again);
        self.choice_source.enter(
            self.grammar,
            At { depth: self.level as usize, symbol, later: self.next..self.end, again, written: self.text.len() },
        );
    }

    /// Expands a symbol, or begins to; a part of it that is to be expanded at once.
    #[inline(always)]
    fn open(&mut self, symbol: SymbolId) -> Option<SymbolId> {
        let grammar = self.grammar;
        let kind = &grammar[symbol].kind;
        let choice = Choice::of(grammar, kind);
        match kind {
            Kind::Nonterminal { alternatives, counted } => {
                self.enter(symbol);
                let kept = self.minimum(symbol);
                if self.bounded && *counted {
                    let outer = self.depth.enter(grammar, symbol);
                    self.push(self.level, Task::Leave { next: self.next, end: self.end, symbol, outer });
                } else {
                    self.suspend();
                }
                let index = self.alternative(symbol, alternatives, kept);
                self.node(symbol, index, choice);
                let children = &grammar.alternatives[(alternatives.start + index) as usize].children;
                (self.next, self.end) = (children.start, children.end);
                self.level += 1;
                None
            }
            &Kind::Repeat { element, at_least, at_most, items } => {
                self.enter(symbol);
                let bound = if items { self.bounds.items.max(at_least) - at_least } else { u32::MAX };
                let left = at_least + self.count(symbol, at_most - at_least, bound, self.minimum(element.symbol));
                let node = self.node(symbol, left, choice);
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
                self.lexeme(symbol, Lexeme { body, place, layout }, choice)
            }
            Kind::Identifier { names, escape } => {
                self.enter(symbol);
                let count = names.end - names.start;
                let index = self.name(symbol, *escape, count);
                self.node(symbol, index, choice);
                if index == count {
                    self.suspend();
                    self.level += 1;
                    return Some(*escape);
                }
                self.text.extend_from_slice(grammar.name(names, index));
                None
            }
            kind => {
                self.leaf(symbol, kind, choice);
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
        let mut index = if options > 1 { self.choice_source.alternative(self.grammar, symbol, options) } else { 0 };
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
            self.grammar.alternatives[alternative as usize].minimum
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
        let wanted = if spread > 0 { self.choice_source.count(self.grammar, symbol, spread) } else { 0 };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::Class;
    use crate::notation;

    /// Gives the same answer to each choice.
    struct Always(u32);

    impl ChoiceSource for Always {
        fn alternative(&mut self, _: &Grammar, _: SymbolId, options: u32) -> u32 {
            self.0.min(options - 1)
        }
        fn count(&mut self, _: &Grammar, _: SymbolId, spread: u32) -> u32 {
            self.0.min(spread)
        }
        fn member(&mut self, _: SymbolId, class: &Class) -> u32 {
            self.0.min(class.count() - 1)
        }
        fn name(&mut self, _: SymbolId, names: u32) -> u32 {
            self.0.min(names)
        }
        fn case(&mut self, _: SymbolId, _: u32) -> Case {
            Case::AsWritten
        }
        fn layout(&mut self, _: SymbolId) -> u32 {
            0
        }
    }

    fn text(source: &str, answer: u32, bounds: Bounds, caps: Caps) -> String {
        let (grammar, _) = notation::read("test", source.as_bytes(), &Caps::default()).unwrap();
        let (mut workspace, mut derivation, mut text) = (Workspace::default(), Derivation::default(), Vec::new());
        derive(&grammar, grammar.start(), &bounds, &caps, &mut Always(answer), &mut workspace, &mut derivation);
        derive_text(&grammar, grammar.start(), &bounds, &caps, &mut Always(answer), &mut workspace, &mut text);
        assert_eq!(text, derivation.text(), "with the tree and without it");
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn an_endless_recursion_ends_at_the_caps() {
        for cap in [1, 2, 3, 10, 11, 1_000] {
            let caps = Caps { bytes: cap, nodes: 1 << 20 };
            let text = text(r#"s = "y" | "(" s ")" ;"#, 1, Bounds::UNBOUNDED, caps);
            assert_eq!(text.len() as u32, cap - (cap + 1) % 2, "{text}");
        }
    }

    #[test]
    fn a_bound_of_depth_counts_expansions_on_a_path() {
        for depth in 1..5 {
            let bounds = Bounds { depth, ..Bounds::UNBOUNDED };
            let text = text(r#"s = "y" | "(" s ")" ;"#, 1, bounds, Caps::default());
            assert_eq!(text.matches('(').count() as u32, depth - 1);
        }
    }

    #[test]
    fn words_are_separated_and_what_adjoins_is_not() {
        let source = r#"@skip blank = " " ; s = "let" "x" ~ "y" "=" "z" ;"#;
        assert_eq!(text(source, 0, Bounds::UNBOUNDED, Caps::default()), "let xy=z");
    }

    #[test]
    fn a_count_that_is_too_large_wraps_around() {
        let caps = Caps { bytes: 4, nodes: 1 << 20 };
        // Six elements are wanted, four fit: the count is taken modulo five.
        assert_eq!(text(r#"s = "x"* ;"#, 6, Bounds::UNBOUNDED, caps), "x");
    }
}
