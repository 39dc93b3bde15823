//! The PTC2 generator: generates sentences by probabilities, with about a given number of
//! expansions. Each nonterminal, repetition and identifier terminal counts as one expansion.
//!
//! PTC2 is Luke's algorithm ("Two fast tree-creation algorithms for genetic programming", 2000), as
//! "Inputs from Hell" uses it. An *open* symbol is one that is not expanded yet. The algorithm
//! repeatedly picks a random open symbol and expands it by the probabilities. It stops when the
//! number of expanded and open symbols reaches the given number.
//!
//! Then it closes the derivation: a nonterminal takes an alternative of minimum cost, a repetition
//! gets its minimum number of elements, and no layout is added. Costs are compared by the number of
//! choices of probability 0 first, and by the number of expansions second. Among alternatives of
//! equal cost, the probabilities decide. Names, runs of characters, cases of literals, and texts of
//! tokens from the samples are still drawn by the probabilities.
//!
//! PTC2 does not expand symbols in the order of the sentence, so the generator plans the whole
//! derivation before the sentence is written. Then it replays the plan as a
//! [`ChoiceSource`](crate::derive::ChoiceSource): see `grow/replay.rs`.
//!
//! In a grammar with names, the choices are drawn in the order of the sentence instead, because the
//! visible names depend on the text before: see `grow/scoped.rs`.
//!
//! # Guarantees
//!
//! * If a derivation is complete before it reaches the given number of expansions, all its
//!   alternatives and names were drawn by the probabilities. Counts were, too, but a count is at
//!   most the remaining number of expansions. Where bounds or caps forbid a planned choice, another
//!   option replaces it.
//! * Two generators with equal seeds give equal sentences for equal calls.

mod replay;
mod scoped;

use std::ops::Range;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use self::scoped::{ScopedBuffers, ScopedDraws};
use super::Probabilities;
use super::choice_kind::{
    ChoiceKind, Enclosing, OTHERS, PlannedChoice, START, is_expansion, is_visited,
};
use crate::bounds::{Bounds, Caps};
use crate::derivation::Derivation;
use crate::derive::{DerivationGoal, Workspace, derive};
use crate::grammar::{Class, Grammar, Kind, SymbolId};

/// The maximum number of expansions that a caller can request for a plan. Also the maximum number
/// of characters in all runs of a plan together. A run may exceed this number to reach its lower
/// limit.
const MAX_PLANNED: usize = 1 << 20;

/// The index that means no node.
const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct PlannedNode {
    symbol: SymbolId,
    /// The number of open expansions around the node, as the expander counts them.
    level: u32,
    /// The outcome of the node's choice: an alternative, a member, a name, a case, or a count minus
    /// the lower limit.
    choice: u32,
    /// The nearest enclosing nonterminal with several alternatives, or [`NONE`].
    enclosing: u32,
    parts: PlannedParts,
}

#[derive(Clone, Debug)]
enum PlannedParts {
    /// Children: consecutive nodes of the plan.
    Nodes(Range<u32>),
    Members(Range<u32>),
    /// A text of a token from the samples, as a range of [`Probabilities::planned`]. The first
    /// planned choice in the range belongs to this node.
    Word(Range<u32>),
}

impl PlannedNode {
    fn new(symbol: SymbolId, level: u32, enclosing: u32) -> PlannedNode {
        PlannedNode {
            symbol,
            level,
            choice: 0,
            enclosing,
            parts: PlannedParts::Nodes(0..0),
        }
    }
}

/// A generator of sentences by probabilities.
#[derive(Debug)]
pub struct Ptc2Generator {
    /// The choices that enclose the symbol of the next call of [`Ptc2Generator::derive`], the
    /// outermost first. May be empty if the probabilities do not depend on context.
    /// [`Ptc2Generator::sentence`] overwrites it.
    pub context: Vec<Enclosing>,
    rng: SmallRng,
    nodes: Vec<PlannedNode>,
    /// The nodes that have not been expanded yet.
    open: Vec<u32>,
    /// The number of expanded nodes.
    expanded: usize,
    /// Whether the open nodes are being completed at minimum cost.
    is_closing: bool,
    /// The plan, in the order of the sentence.
    planned: Vec<PlannedChoice>,
    /// The characters of the runs in the plan.
    members: Vec<u32>,
    /// In the replay, the index of the next entry of `planned`.
    next: usize,
    /// In the replay, the entry of `planned` for the node that is being expanded.
    current: Option<usize>,
    /// In the replay, the index in `members` of the next character of a run.
    member: u32,
    /// The memory for grammars with names.
    scoped: ScopedBuffers,
}

impl Ptc2Generator {
    /// Returns a generator with this seed.
    pub fn new(seed: u64) -> Ptc2Generator {
        Ptc2Generator {
            context: Vec::new(),
            rng: SmallRng::seed_from_u64(seed),
            nodes: Vec::new(),
            open: Vec::new(),
            expanded: 0,
            is_closing: false,
            planned: Vec::new(),
            members: Vec::new(),
            next: 0,
            current: None,
            member: 0,
            scoped: ScopedBuffers::default(),
        }
    }

    pub(crate) fn random(&mut self, range: Range<f64>) -> f64 {
        self.rng.random_range(range)
    }

    /// Generates a sentence with about `expansions` expansions. It has fewer if its derivation is
    /// complete earlier.
    pub fn sentence(
        &mut self,
        grammar: &Grammar,
        probabilities: &Probabilities,
        bounds: &Bounds,
        expansions: usize,
    ) -> Vec<u8> {
        let mut derivation = Derivation::default();
        self.context.clear();
        self.context.push(START);
        let caps = Caps::default();
        let goal = DerivationGoal::start(grammar, bounds, &caps);
        let workspace = &mut Workspace::default();
        self.derive(
            goal,
            (probabilities, expansions),
            workspace,
            &mut derivation,
        );
        derivation.text
    }

    /// Derives a sentence with about `expansions` expansions. `derivation` is overwritten. Set
    /// [`Ptc2Generator::context`] before the call if the probabilities depend on context.
    pub fn derive(
        &mut self,
        goal: DerivationGoal<'_>,
        (probabilities, expansions): (&Probabilities, usize),
        workspace: &mut Workspace,
        derivation: &mut Derivation,
    ) {
        if goal.grammar.has_names() {
            let mut draws = ScopedDraws::new(self, probabilities, expansions);
            derive(goal, &mut draws, workspace, derivation);
        } else {
            self.plan(goal, probabilities, expansions);
            derive(goal, self, workspace, derivation);
        }
    }

    /// Plans a derivation with about `expansions` expansions. At most 1,048,576 expansions are
    /// planned, but completing the open symbols may take more. The plan ignores the caps. Set
    /// [`Ptc2Generator::context`] to the choices that enclose the symbol before the call.
    fn plan(&mut self, goal: DerivationGoal<'_>, probabilities: &Probabilities, expansions: usize) {
        let DerivationGoal {
            grammar,
            symbol,
            bounds,
            ..
        } = goal;
        self.nodes.clear();
        self.open.clear();
        self.members.clear();
        (self.expanded, self.is_closing) = (0, false);
        let plan = PlanInput {
            grammar,
            probabilities,
            bounds,
            expansions: expansions.min(MAX_PLANNED),
        };
        for (at, &(symbol, choice)) in self.context.iter().enumerate() {
            self.nodes.push(PlannedNode {
                choice,
                ..PlannedNode::new(symbol, 0, (at as u32).checked_sub(1).unwrap_or(NONE))
            });
        }
        let root = self.nodes.len();
        self.nodes.push(PlannedNode::new(
            symbol,
            0,
            (root as u32).checked_sub(1).unwrap_or(NONE),
        ));
        self.begin(&plan, root);
        while !self.open.is_empty() {
            self.is_closing |= self.expanded + self.open.len() >= plan.expansions;
            let at = if self.is_closing {
                self.open.len() - 1
            } else {
                self.rng.random_range(0..self.open.len())
            };
            let node = self.open.swap_remove(at);
            self.expand(&plan, node as usize);
        }
        self.write_plan(&plan, root);
    }

    fn draw(&mut self, plan: &PlanInput<'_>, at: usize, choice_kind: ChoiceKind) -> u32 {
        let Ptc2Generator { nodes, rng, .. } = self;
        let symbol = nodes[at].symbol;
        let enclosing = enclosing(nodes, at);
        if choice_kind == ChoiceKind::Alternative && self.is_closing {
            return plan
                .probabilities
                .draw_cheapest(plan.grammar, symbol, enclosing, rng);
        }
        plan.probabilities.draw(symbol, choice_kind, enclosing, rng)
    }

    /// Begins a new node: makes its choices now, or adds it to the open nodes.
    fn begin(&mut self, plan: &PlanInput<'_>, at: usize) {
        let symbol = self.nodes[at].symbol;
        let kind = &plan.grammar[symbol].kind;
        if is_expansion(kind) {
            self.open.push(at as u32);
            return;
        }
        match kind {
            Kind::Class(class) => {
                self.nodes[at].choice = self.draw_member(plan, at, &plan.grammar[*class])
            }
            Kind::Run { .. } if self.take_word(plan, at, 0) => {}
            &Kind::Run {
                class,
                at_least,
                at_most,
            } => {
                let count = if at_least < at_most {
                    self.draw(plan, at, ChoiceKind::Count)
                } else {
                    0
                };
                let count = Probabilities::draw_count(count, at_most - at_least, &mut self.rng);
                let from = self.members.len() as u32;
                let room = (MAX_PLANNED.saturating_sub(self.members.len()) as u32).max(at_least);
                for _ in 0..at_least.saturating_add(count).min(room) {
                    let member = self.draw_member(plan, at, &plan.grammar[class]);
                    self.members.push(member);
                }
                self.nodes[at].choice = count;
                self.nodes[at].parts = PlannedParts::Members(from..self.members.len() as u32);
            }
            Kind::Insensitive { .. } => {
                self.nodes[at].choice = self.draw(plan, at, ChoiceKind::Case)
            }
            &Kind::Lexeme { body, layout, .. } => self.begin_lexeme(plan, at, body, layout),
            _ => {}
        }
    }

    fn draw_member(&mut self, plan: &PlanInput<'_>, at: usize, class: &Class) -> u32 {
        match self.draw(plan, at, ChoiceKind::Member) {
            OTHERS => self.rng.random_range(class.plain()..class.count()),
            member => member,
        }
    }

    /// Begins a lexeme: draws the number of layout tokens, and begins them and the token.
    fn begin_lexeme(&mut self, plan: &PlanInput<'_>, at: usize, body: SymbolId, layout: bool) {
        let PlannedNode {
            level, enclosing, ..
        } = self.nodes[at];
        let (count, token) = match plan.grammar.layout().filter(|_| layout && !self.is_closing) {
            Some(layout) => {
                let outcome = self.draw(plan, at, ChoiceKind::Layout);
                (
                    Probabilities::draw_count(outcome, u32::MAX, &mut self.rng)
                        .min(self.room(plan)),
                    layout.token,
                )
            }
            None => (0, body),
        };
        let from = self.nodes.len();
        self.nodes.extend(std::iter::repeat_n(
            PlannedNode::new(token, level + 2, enclosing),
            count as usize,
        ));
        // A literal has no node of its own: it is written with its lexeme.
        if !matches!(plan.grammar[body].kind, Kind::Literal { .. }) {
            self.nodes
                .push(PlannedNode::new(body, level + 1, enclosing));
        }
        self.nodes[at].choice = count;
        self.add_parts(plan, at, from);
    }

    /// Returns the number of nodes that may still be opened.
    fn room(&self, plan: &PlanInput<'_>) -> u32 {
        // The number fits into 32 bits, because `expansions` is at most `MAX_PLANNED`.
        plan.expansions
            .saturating_sub(self.expanded + self.open.len()) as u32
    }

    /// Expands a node: makes its choice and adds its children.
    fn expand(&mut self, plan: &PlanInput<'_>, at: usize) {
        self.expanded += 1;
        let grammar = plan.grammar;
        let PlannedNode {
            symbol,
            level,
            enclosing,
            ..
        } = self.nodes[at];
        let from = self.nodes.len();
        match &grammar[symbol].kind {
            Kind::Nonterminal { alternatives, .. } => {
                let has_choice = alternatives.len() > 1;
                let choice = if has_choice {
                    self.draw(plan, at, ChoiceKind::Alternative)
                } else {
                    0
                };
                self.nodes[at].choice = choice;
                if self.take_word(plan, at, choice) {
                    return;
                }
                let enclosing = if has_choice { at as u32 } else { enclosing };
                let Some(alternative) = grammar.alternatives(symbol).get(choice as usize) else {
                    return;
                };
                for child in grammar.children(alternative) {
                    self.nodes
                        .push(PlannedNode::new(child.symbol, level + 1, enclosing));
                }
            }
            Kind::Repeat { .. } if self.take_word(plan, at, 0) => return,
            &Kind::Repeat {
                element,
                at_least,
                at_most,
                items,
            } => {
                let mut count = 0;
                if !self.is_closing && at_least < at_most {
                    let outcome = self.draw(plan, at, ChoiceKind::Count);
                    count = Probabilities::draw_count(outcome, at_most - at_least, &mut self.rng);
                    let bound = if items {
                        plan.bounds.items.saturating_sub(at_least)
                    } else {
                        u32::MAX
                    };
                    count = count.min(bound).min(self.room(plan));
                }
                self.nodes[at].choice = count;
                let part = PlannedNode::new(element.symbol, level + 1, enclosing);
                self.nodes.extend(std::iter::repeat_n(
                    part,
                    at_least as usize + count as usize,
                ));
            }
            Kind::Identifier { names, escape } => {
                let count = names.end - names.start;
                let mut choice = self.draw(plan, at, ChoiceKind::Name);
                if plan.bounds.identifiers != Bounds::NONE {
                    choice %= count.min(plan.bounds.identifiers.max(1));
                }
                self.nodes[at].choice = choice;
                if choice == count {
                    if self.take_word(plan, at, choice) {
                        return;
                    }
                    self.nodes
                        .push(PlannedNode::new(*escape, level + 1, enclosing));
                }
            }
            _ => {}
        }
        self.add_parts(plan, at, from);
    }

    /// Decides at random whether a token gets a text from the samples. If so, stores the text as
    /// the content of the node. Only texts whose derivation begins with `choice` are considered.
    /// Returns whether the node got a text.
    fn take_word(&mut self, plan: &PlanInput<'_>, at: usize, choice: u32) -> bool {
        let word = plan
            .probabilities
            .word((self.nodes[at].symbol, choice), &mut self.rng);
        let found = word.is_some();
        word.into_iter()
            .for_each(|word| self.nodes[at].parts = PlannedParts::Word(word));
        found
    }

    /// Makes the node at index `at` the parent of all nodes with index `from` or above, and begins
    /// these nodes.
    fn add_parts(&mut self, plan: &PlanInput<'_>, at: usize, from: usize) {
        let to = self.nodes.len();
        self.nodes[at].parts = PlannedParts::Nodes(from as u32..to as u32);
        (from..to).for_each(|part| self.begin(plan, part));
    }

    /// Writes the planned choices to `planned`, in the order of the sentence.
    fn write_plan(&mut self, plan: &PlanInput<'_>, root: usize) {
        self.planned.clear();
        (self.next, self.current) = (0, None);
        let Ptc2Generator {
            nodes,
            open,
            planned,
            members,
            ..
        } = self;
        open.clear();
        open.push(root as u32);
        while let Some(at) = open.pop() {
            let PlannedNode {
                symbol,
                level,
                choice,
                ref parts,
                ..
            } = nodes[at as usize];
            let mut planned_choice = PlannedChoice {
                symbol,
                level,
                choice,
                members: 0..0,
            };
            match parts {
                PlannedParts::Members(range) => planned_choice.members = range.clone(),
                PlannedParts::Nodes(range) => open.extend(range.clone().rev()),
                PlannedParts::Word(range) => {
                    for planned_choice in
                        &plan.probabilities.planned[range.start as usize..range.end as usize]
                    {
                        let from = members.len() as u32;
                        let range = planned_choice.members.start as usize
                            ..planned_choice.members.end as usize;
                        members.extend_from_slice(&plan.probabilities.members[range]);
                        let members = from..members.len() as u32;
                        planned.push(PlannedChoice {
                            level: level + planned_choice.level,
                            members,
                            ..planned_choice.clone()
                        });
                    }
                    continue;
                }
            }
            if is_visited(plan.grammar, symbol) {
                planned.push(planned_choice);
            }
        }
    }
}

struct PlanInput<'a> {
    grammar: &'a Grammar,
    probabilities: &'a Probabilities,
    bounds: &'a Bounds,
    expansions: usize,
}

/// Returns the choices that enclose a node, the nearest first.
fn enclosing(nodes: &[PlannedNode], at: usize) -> impl Iterator<Item = Enclosing> + Clone {
    let node = |at: u32| nodes.get(at as usize);
    let choices = std::iter::successors(node(nodes[at].enclosing), move |outer| {
        node(outer.enclosing)
    });
    choices.map(|outer| (outer.symbol, outer.choice))
}
