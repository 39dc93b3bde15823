//! The expander, which derives sentences from a grammar. A choice source makes its choices.
//!
//! This is the only module that expands symbols. The expander calls a [`ChoiceSource`] for every
//! choice. If bounds or caps forbid the answer, the expander takes an option that they allow. It
//! writes a separator between two tokens that a lexer would otherwise read as one.
//!
//! The expander reserves the minimum size of every symbol that is still to be expanded. The
//! reserved size and the size of the text and the tree so far together never exceed the caps.
//!
//! # Guarantees
//!
//! * The expander is total and deterministic.
//! * No sentence exceeds the caps, unless the smallest sentence does.
//! * The stack is explicit, so deep derivations do not overflow the call stack.
//! * In a grammar with names, alternatives that arguments forbid are never chosen.
//! * A sentence uses only names that are visible. There are three exceptions: a choice asks for an
//!   undeclared name, the caps are too small for an alternative without one, or a repetition goes
//!   on after its element has hidden the name (see [`ChoiceSource::wants_free_names`]).
//!
//! # Not guaranteed
//!
//! Two derivations may have the same text, because grammars may be ambiguous.

mod agenda;
mod budget;
mod captures;
mod choice_source;
mod depth;
mod leaves;
mod names;
mod node_sink;
mod surroundings;
mod tokens;
mod visible_names;

use crate::bounds::{Bounds, Caps};
pub(crate) use crate::derivation::Choice;
use crate::derivation::{Derivation, Indentation, LineWriter, Node};
use crate::grammar::{FollowSet, Grammar, Kind, Naming, Size, SymbolId};
use crate::uninstrumented::uninstrumented;

use self::agenda::{Frame, Lexeme, Step, Task};
use self::budget::Budget;
use self::captures::CapturedTexts;
use self::choice_source::can_repeat;
pub use self::choice_source::{At, Case, ChoiceSource};
use self::depth::{BannedSetId, Depth};
use self::node_sink::Discard;
pub(crate) use self::node_sink::NodeSink;
use self::surroundings::OpenRegion;
use self::tokens::LastToken;
pub use self::visible_names::AlternativesInScope;
pub(crate) use self::visible_names::{Mark, VisibleNames};

/// The maximum number of elements of a repetition: the largest number that the parameter code of a
/// count can express.
pub(crate) const MAX_COUNT: u32 = (1 << 24) + 65_791;

/// The working memory of a derivation. A reused workspace allocates only if a sentence needs more
/// memory than every earlier sentence.
#[derive(Debug, Default)]
pub struct Workspace {
    stack: Vec<Frame>,
    depth: Depth,
    names: VisibleNames,
    /// Whether the next derivation begins with the names of [`Workspace::show_names_before`].
    has_names_before: bool,
    /// The scopes that are open before the node of [`Workspace::show_names_before`].
    open: Vec<OpenRegion>,
    captured: CapturedTexts,
    indentation: Indentation,
    writer: LineWriter,
}

impl Workspace {
    /// Returns a workspace with memory for this number of open expansions.
    pub fn with_capacity(open: usize) -> Workspace {
        Workspace {
            stack: Vec::with_capacity(open),
            ..Workspace::default()
        }
    }
}

/// What to derive: a sentence of a symbol of a grammar, within bounds and caps.
#[derive(Clone, Copy, Debug)]
pub struct DerivationGoal<'a> {
    /// The grammar.
    pub grammar: &'a Grammar,
    /// The symbol from which the sentence is derived.
    pub symbol: SymbolId,
    /// The bounds of identifiers, items and depth.
    pub bounds: &'a Bounds,
    /// The limits of the size of the sentence. If they are below the minimum size of the symbol,
    /// this minimum size is the limit.
    pub caps: &'a Caps,
}

impl<'a> DerivationGoal<'a> {
    /// Returns the goal of a sentence of the start symbol.
    #[inline(always)]
    pub fn start(grammar: &'a Grammar, bounds: &'a Bounds, caps: &'a Caps) -> DerivationGoal<'a> {
        DerivationGoal {
            grammar,
            symbol: grammar.start(),
            bounds,
            caps,
        }
    }
}

uninstrumented! {
    /// Derives a sentence. The choice source answers every choice. `derivation` is overwritten.
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::{Bounds, Caps, Derivation, Grammar, sampler::Sampler};
    /// use zester::derive::{DerivationGoal, Workspace, derive};
    ///
    /// let source = br#"list = "[" ( list | [a-z] )* "]" ;"#;
    /// let grammar = Grammar::read("lists.ebnf", source).unwrap();
    /// let (mut workspace, mut derivation) = (Workspace::default(), Derivation::default());
    /// let mut sampler = Sampler::new(1, 30.0);
    /// let bounds = Bounds { items: 4, ..Bounds::UNBOUNDED };
    /// let caps = Caps::default();
    /// let goal = DerivationGoal::start(&grammar, &bounds, &caps);
    /// derive(goal, &mut sampler, &mut workspace, &mut derivation);
    /// assert!(derivation.text().starts_with(b"["));
    /// ```
    pub fn derive(
        goal: DerivationGoal<'_>,
        choice_source: &mut dyn ChoiceSource,
        workspace: &mut Workspace,
        derivation: &mut Derivation,
    ) {
        derive_tree_of(goal, choice_source, workspace, derivation);
    }
}

/// Derives a sentence as [`derive()`] does. The function is compiled separately for every type of
/// choice source, so that the calls of its methods are inlined.
#[inline(always)]
pub(crate) fn derive_tree_of<C: ChoiceSource + ?Sized>(
    goal: DerivationGoal<'_>,
    choice_source: &mut C,
    workspace: &mut Workspace,
    derivation: &mut Derivation,
) {
    match goal.grammar.has_names() {
        false => derive_tree_with::<C, false>(goal, choice_source, workspace, derivation),
        true => derive_tree_with::<C, true>(goal, choice_source, workspace, derivation),
    }
}

/// Derives a sentence as [`derive()`] does. `NAMES` is whether the grammar has names.
#[inline(always)]
pub(crate) fn derive_tree_with<C: ChoiceSource + ?Sized, const NAMES: bool>(
    goal: DerivationGoal<'_>,
    choice_source: &mut C,
    workspace: &mut Workspace,
    derivation: &mut Derivation,
) {
    derivation.clear();
    let Derivation { nodes, text } = &mut *derivation;
    Expander::<_, _, NAMES>::new(goal, choice_source, workspace, text, nodes).run(goal.symbol);
    lay_out(goal, workspace, text, nodes);
    derivation.measure(goal.grammar);
}

/// If the grammar has lines, converts the derived marked text to the sentence: removes the marks
/// and indents the lines.
#[inline(always)]
pub(crate) fn lay_out(
    goal: DerivationGoal<'_>,
    workspace: &mut Workspace,
    text: &mut Vec<u8>,
    nodes: &mut [Node],
) {
    if goal.grammar.lines.is_some() {
        workspace.writer.write(text, nodes);
    }
}

/// Derives the text of the sentence that [`derive()`] derives, without the tree. This is about 1.4
/// times as fast. `text` is overwritten.
#[inline(always)]
pub(crate) fn derive_text<C: ChoiceSource>(
    goal: DerivationGoal<'_>,
    choice_source: &mut C,
    workspace: &mut Workspace,
    text: &mut Vec<u8>,
) {
    text.clear();
    let (sink, symbol) = (&mut Discard, goal.symbol);
    match goal.grammar.has_names() {
        false => {
            Expander::<_, _, false>::new(goal, choice_source, workspace, text, sink).run(symbol)
        }
        true => Expander::<_, _, true>::new(goal, choice_source, workspace, text, sink).run(symbol),
    }
    lay_out(goal, workspace, text, &mut []);
}

/// A derivation in progress. It passes the nodes to a [`NodeSink`].
///
/// `NAMES` is whether the grammar has names. It is a const generic, so that the compiled code
/// for grammars without names is faster.
pub(crate) struct Expander<'a, C: ?Sized, S, const NAMES: bool> {
    grammar: &'a Grammar,
    bounds: &'a Bounds,
    choice_source: &'a mut C,
    stack: &'a mut Vec<Frame>,
    depth: &'a mut Depth,
    /// The declarations and uses of names in the grammar. [`None`] if it has no names.
    naming: Option<&'a Naming>,
    names: &'a mut VisibleNames,
    text: &'a mut Vec<u8>,
    sink: &'a mut S,
    /// Whether there is a bound of depth.
    has_depth_bound: bool,
    /// The bytes and nodes that are left under the caps.
    budget: Budget,
    /// The part of the spelling bound that is left for the current token (see
    /// [`Bounds::identifiers`]); `u32::MAX` if there is no bound.
    spelling: u32,
    /// The next child of the innermost open sequence, as an index into the children of the grammar.
    next: u32,
    /// The end of the children of the innermost open sequence.
    end: u32,
    /// The number of open expansions around the next symbol.
    level: u32,
    /// If the next symbol is an element of a repetition: the number of elements after it.
    more_elements: u32,
    /// The last token or layout token that is not empty.
    last_token: Option<LastToken>,
    /// The terminals that the grammar allows after the last token.
    follow_set: FollowSet,
    /// Whether the next token must follow the last one without layout.
    adjacent: bool,
    /// Whether separators before the current lexeme are omitted, except where two tokens would
    /// otherwise be read as a longer one.
    omits_separators: bool,
    captured: &'a mut CapturedTexts,
    /// The indentation at the end of the text, if the grammar has lines.
    indentation: &'a mut Indentation,
    /// The number of open brackets within which lines do not end. It is counted only if the grammar
    /// has lines.
    brackets: u32,
    /// The alternative that is forbidden because no bracket is open; `u32::MAX` if there is none.
    forbidden: u32,
}

impl<'a, C: ChoiceSource + ?Sized, S: NodeSink, const NAMES: bool> Expander<'a, C, S, NAMES> {
    #[inline(always)]
    pub(crate) fn new(
        goal: DerivationGoal<'a>,
        choice_source: &'a mut C,
        workspace: &'a mut Workspace,
        text: &'a mut Vec<u8>,
        sink: &'a mut S,
    ) -> Self {
        let DerivationGoal {
            grammar,
            symbol,
            bounds,
            caps,
        } = goal;
        let Workspace {
            stack,
            depth,
            names,
            has_names_before,
            captured,
            indentation,
            ..
        } = workspace;
        stack.clear();
        captured.clear();
        indentation.clear();
        let has_depth_bound = bounds.depth != Bounds::NONE;
        if has_depth_bound {
            depth.begin(grammar, bounds.depth.max(1));
        }
        // A subtree that is derived alone may stand within brackets in its sentence.
        let brackets = u32::from(symbol != grammar.start());
        let naming = if NAMES {
            grammar.naming.as_deref()
        } else {
            None
        };
        if let Some(naming) = naming
            && !std::mem::take(has_names_before)
        {
            names.begin(naming, grammar.fingerprint());
        }
        Expander {
            grammar,
            bounds,
            choice_source,
            stack,
            depth,
            naming,
            names,
            text,
            sink,
            has_depth_bound,
            budget: Budget::new(caps, grammar[symbol].minimum),
            spelling: bounds.spelling(),
            next: 0,
            end: 0,
            level: 0,
            more_elements: 0,
            last_token: None,
            follow_set: grammar.boundaries.first_set(),
            adjacent: false,
            omits_separators: false,
            captured,
            indentation,
            brackets,
            forbidden: match &grammar.lines {
                Some(lines) => lines.forbidden(brackets),
                None => u32::MAX,
            },
        }
    }

    /// Returns the declarations and uses of names in the grammar, or [`None`] if it has no names.
    #[inline(always)]
    fn naming(&self) -> Option<&'a Naming> {
        if NAMES { self.naming } else { None }
    }

    /// Expands a symbol and everything below it.
    #[inline(always)]
    pub(crate) fn run(&mut self, symbol: SymbolId) {
        let mut symbol = symbol;
        loop {
            while let Some(part) = self.open(symbol) {
                symbol = part;
            }
            self.more_elements = 0;
            symbol = loop {
                if self.next < self.end {
                    let child = self.grammar.children[self.next as usize];
                    self.next += 1;
                    if child.is_adjacent {
                        self.forbid_layout(self.level, self.next, self.end);
                        self.next = self.end;
                    }
                    break child.symbol;
                }
                let step = match self.resume() {
                    Step::Token => self.resume_token(),
                    step => step,
                };
                match step {
                    Step::Sequence => {}
                    Step::Symbol(symbol) => break symbol,
                    Step::Token | Step::End => return,
                }
            };
        }
    }

    /// Returns the minimum size of a symbol under the bound of depth at the current position.
    #[inline(always)]
    fn minimum(&self, symbol: SymbolId) -> Size {
        if self.has_depth_bound {
            self.depth.minimum(self.grammar, symbol)
        } else {
            self.grammar[symbol].minimum
        }
    }

    /// Adds a node whose text begins at the end of the text so far. Returns the sink's index of the
    /// node.
    #[inline(always)]
    fn node(&mut self, symbol: SymbolId, choice: u32, kind: Choice<'_>) -> u32 {
        let node = Node::new(symbol, choice, self.text.len());
        self.sink.node(node, kind, &[])
    }

    /// Calls [`ChoiceSource::enter`] for a symbol that is about to be expanded.
    #[inline(always)]
    fn enter(&mut self, symbol: SymbolId) {
        let again = std::mem::take(&mut self.more_elements);
        let (depth, later, written) = (self.level as usize, self.next..self.end, self.text.len());
        let sizes = if NAMES {
            Some(self.names.sizes())
        } else {
            None
        };
        self.choice_source.enter(
            self.grammar,
            At {
                depth,
                symbol,
                later,
                again,
                written,
                left: self.budget.bytes(),
                sizes,
            },
        );
    }

    /// Begins to expand a symbol. If an element, a token or an escape of this symbol must be
    /// expanded next, returns it.
    #[inline(always)]
    fn open(&mut self, symbol: SymbolId) -> Option<SymbolId> {
        let grammar = self.grammar;
        let kind = &grammar[symbol].kind;
        let choice = Choice::of(grammar, kind);
        match kind {
            Kind::Nonterminal {
                alternatives,
                counted,
            } => {
                self.enter(symbol);
                let reserved = self.minimum(symbol);
                if self.has_depth_bound && *counted {
                    let outer = self.depth.enter(grammar, symbol);
                    self.push(
                        self.level,
                        Task::Leave {
                            next: self.next,
                            end: self.end,
                            symbol,
                            outer,
                        },
                    );
                } else if let Some(naming) = self.naming() {
                    self.suspend_with_names(naming, symbol);
                } else {
                    self.suspend();
                }
                if let Some(captures) = &grammar.captures
                    && captures[symbol.0 as usize]
                {
                    self.begin_capture(symbol, reserved);
                }
                let index = self.alternative(symbol, alternatives, reserved);
                self.node(symbol, index, choice);
                let children =
                    &grammar.alternatives[(alternatives.start + index) as usize].children;
                (self.next, self.end) = (children.start, children.end);
                self.level += 1;
                None
            }
            &Kind::Repeat {
                element,
                at_least,
                at_most,
                items,
            } => {
                self.enter(symbol);
                let bound = if items {
                    self.bounds.items.max(at_least) - at_least
                } else {
                    self.spelling
                };
                let can_repeat = |naming| {
                    can_repeat(
                        naming,
                        self.names,
                        self.choice_source,
                        self.bounds,
                        element.symbol,
                    )
                };
                let spread = if self.naming().is_none_or(can_repeat) {
                    at_most - at_least
                } else {
                    0
                };
                let count =
                    at_least + self.count(symbol, spread, bound, self.minimum(element.symbol));
                if !items {
                    self.spell(count - at_least);
                }
                let node = self.node(symbol, count, choice);
                if count == 0 {
                    return None;
                }
                // The first element is expanded even if the choice source has ended, because the
                // lower limit requires it or the choice source chose it.
                self.suspend();
                self.level += 1;
                if count > 1 {
                    self.push(
                        self.level,
                        Task::Elements {
                            node,
                            element,
                            left: count - 1,
                            expanded: 1,
                            at_least,
                        },
                    );
                }
                if element.is_adjacent {
                    self.forbid_layout(self.level, 0, 0);
                }
                self.more_elements = count - 1;
                Some(element.symbol)
            }
            &Kind::Lexeme {
                body,
                position,
                layout,
            } => {
                self.enter(symbol);
                self.lexeme(
                    symbol,
                    Lexeme {
                        body,
                        position,
                        has_layout: layout,
                    },
                    choice,
                )
            }
            Kind::Identifier { names, escape } => {
                self.enter(symbol);
                let count = names.end - names.start;
                let mut index = match self.naming() {
                    Some(naming) => self.name_in_scope(naming, symbol, *escape, names),
                    None => self.name(symbol, *escape, count),
                };
                self.node(symbol, index, choice);
                // Numbers above `count` are names that ignore scopes.
                if index > count {
                    index -= count + 1;
                }
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

    /// Chooses an alternative of a nonterminal, and returns its index. The budget pays the minimum
    /// size of the alternative and gets back `reserved`, the size that was paid for the
    /// nonterminal.
    #[inline(always)]
    fn alternative(
        &mut self,
        symbol: SymbolId,
        alternatives: &std::ops::Range<u32>,
        reserved: Size,
    ) -> u32 {
        let options = alternatives.end - alternatives.start;
        if options == 1 && !self.has_depth_bound {
            return 0;
        }
        if let (Some(naming), true) = (self.naming(), options > 1) {
            return self.alternative_in_scope(naming, symbol, alternatives, reserved);
        }
        let mut index = if options > 1 {
            self.choice_source
                .alternative(self.grammar, symbol, options)
        } else {
            0
        };
        if !self
            .budget
            .exchange(self.alternative_size(alternatives.start + index), reserved)
        {
            index = self.allowed(alternatives.start, options, index, reserved);
            self.budget
                .exchange(self.alternative_size(alternatives.start + index), reserved);
        }
        index
    }

    /// Returns the minimum size of an alternative under the bound of depth at the current position.
    #[inline(always)]
    fn alternative_size(&self, alternative: u32) -> Size {
        if alternative == self.forbidden {
            return Size::NEVER;
        }
        if self.has_depth_bound {
            self.depth.minimum_of_alternative(self.grammar, alternative)
        } else {
            self.grammar.alternatives[alternative as usize].minimum
        }
    }

    /// Maps the index of a forbidden alternative to the index of an allowed one. An allowed one
    /// always exists, because the budget has paid for the smallest alternative.
    #[cold]
    #[inline(always)]
    fn allowed(&self, first: u32, options: u32, forbidden: u32, reserved: Size) -> u32 {
        let mut allowed = 0;
        for index in 0..options {
            allowed += u32::from(
                self.budget
                    .affords(self.alternative_size(first + index), reserved),
            );
        }
        let mut rest = forbidden % allowed.max(1);
        for index in 0..options {
            if self
                .budget
                .affords(self.alternative_size(first + index), reserved)
            {
                if rest == 0 {
                    return index;
                }
                rest -= 1;
            }
        }
        0
    }

    /// Chooses the number of elements beyond the lower limit, at most `spread`. Returns it. `bound`
    /// is the maximum that the bound of items or of spelling allows. The budget pays `size` for
    /// each element.
    #[inline(always)]
    fn count(&mut self, symbol: SymbolId, spread: u32, bound: u32, size: Size) -> u32 {
        let chosen = if spread > 0 {
            self.choice_source.count(self.grammar, symbol, spread)
        } else {
            0
        };
        if chosen == 0 {
            return 0;
        }
        if chosen <= bound && self.budget.exchange(size.times(chosen), Size::default()) {
            return chosen;
        }
        let count = chosen % (bound.min(self.budget.affordable(size)) + 1);
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
            self.0
        }
    }

    fn text(source: &str, answer: u32, bounds: Bounds, caps: Caps) -> String {
        let (grammar, _) = notation::read("test", source.as_bytes(), &Caps::default()).unwrap();
        let (mut workspace, mut derivation, mut text) =
            (Workspace::default(), Derivation::default(), Vec::new());
        let goal = DerivationGoal::start(&grammar, &bounds, &caps);
        derive(goal, &mut Always(answer), &mut workspace, &mut derivation);
        derive_text(goal, &mut Always(answer), &mut workspace, &mut text);
        assert_eq!(text, derivation.text(), "with the tree and without it");
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn caps_end_an_endless_recursion() {
        for cap in [1, 2, 3, 10, 11, 1_000] {
            let caps = Caps {
                bytes: cap,
                nodes: 1 << 20,
            };
            let text = text(r#"s = "y" | "(" s ")" ;"#, 1, Bounds::UNBOUNDED, caps);
            assert_eq!(text.len() as u32, cap - (cap + 1) % 2, "{text}");
        }
    }

    #[test]
    fn a_bound_of_depth_counts_expansions_on_a_path() {
        for depth in 1..5 {
            let bounds = Bounds {
                depth,
                ..Bounds::UNBOUNDED
            };
            let text = text(r#"s = "y" | "(" s ")" ;"#, 1, bounds, Caps::default());
            assert_eq!(text.matches('(').count() as u32, depth - 1);
        }
    }

    #[test]
    fn words_are_separated_unless_the_grammar_forbids_layout() {
        let source = r#"@skip blank = " " ; s = "let" "x" ~ "y" "=" "z" ;"#;
        assert_eq!(
            text(source, 0, Bounds::UNBOUNDED, Caps::default()),
            "let xy=z"
        );
    }

    #[test]
    fn a_bound_of_identifiers_bounds_the_spelling_of_tokens_and_layout() {
        let source = r#"
            @skip blank = " "+ ;
            s = number number ;
            @token number = "-"? [0-9]+ ( "x" | "y" [a-z] )* ;
        "#;
        let text = |answer, identifiers| {
            let bounds = Bounds {
                identifiers,
                ..Bounds::UNBOUNDED
            };
            // At the end of the sentence there is layout, too.
            let text = text(source, answer, bounds, Caps::default());
            text.trim_end().to_owned()
        };
        // Without options beyond the simplest ones, a token and the separator have one text.
        assert_eq!(text(7, 1), "0 0");
        // A layout token; a sign, and no more.
        assert_eq!(text(1, 2), " -0 -0");
        // A layout token of two blanks; a sign, one more digit, and the digit 1.
        assert_eq!(text(1, 4), "  -10  -10");
        // Also one more group, and its character 1.
        assert_eq!(text(1, 7), "  -11yb  -11yb");
        assert!(text(200, Bounds::NONE).len() > 200);
    }

    #[test]
    fn a_count_that_is_too_large_wraps_around() {
        let caps = Caps {
            bytes: 4,
            nodes: 1 << 20,
        };
        // Six elements are chosen, four fit: the count is taken modulo five.
        assert_eq!(text(r#"s = "x"* ;"#, 6, Bounds::UNBOUNDED, caps), "x");
    }
}
