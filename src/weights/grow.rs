//! Sentences by probabilities, of about so many expansions.
//!
//! After Luke's PTC2 ("Two fast tree-creation algorithms for genetic programming", 2000), as Inputs from Hell uses it: of the
//! symbols that are still to be expanded, any is next, by the probabilities alone, until what is expanded and what is to be are as
//! many as wanted. Then each ends as soon as it can: of the derivations with the fewest choices that have no probability, the one
//! of the fewest expansions; of those, by the probabilities. What holds: a sentence that ends by itself is drawn by the
//! probabilities and nothing else; the same seed gives the same sentence.
//!
//! A sentence is planned before it is written, since what is expanded next is not what stands next. As a [`Chooser`], a grower
//! answers from the plan; where bounds or caps had another answer, parts that were not planned are the simplest.

use std::ops::Range;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::Probabilities;
use super::question::{Aspect, Enclosing, OTHERS, START, is_expansion};
use crate::bounds::{Bounds, Caps};
use crate::derive::{At, Case, Chooser, Workspace, derive_text};
use crate::grammar::{Class, Grammar, Kind, SymbolId};
use crate::parameters::{Settings, Tree, derive_tree};
use crate::uninstrumented::uninstrumented;

/// The most expansions, and the most characters of runs, that are planned.
const MOST: usize = 1 << 20;

/// No node.
const NONE: u32 = u32::MAX;

/// What a plan says of a symbol, in the order of the sentence.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub symbol: SymbolId,
    /// How many expansions are open around it.
    pub level: u32,
    /// The answer to its first question; of its characters if that is the only one.
    pub choice: u32,
    /// Characters of a run.
    pub members: Range<u32>,
}

/// A symbol of a plan.
#[derive(Clone, Debug)]
struct Node {
    symbol: SymbolId,
    level: u32,
    choice: u32,
    /// The nearest nonterminal around it that has a choice.
    around: u32,
    parts: Parts,
}

/// What a symbol of a plan is made of.
#[derive(Clone, Debug)]
enum Parts {
    /// Nodes that stand together.
    Nodes(Range<u32>),
    /// Characters of a run.
    Members(Range<u32>),
    /// A token of the samples: its answers, those of the symbol itself first.
    Word(Range<u32>),
}

impl Node {
    fn new(symbol: SymbolId, level: u32, around: u32) -> Node {
        Node { symbol, level, choice: 0, around, parts: Parts::Nodes(0..0) }
    }
}

/// Derives sentences by probabilities.
#[derive(Debug)]
pub struct Grower {
    /// The choices around what is grown next, the outermost first, as far as they are known.
    pub around: Vec<Enclosing>,
    rng: SmallRng,
    nodes: Vec<Node>,
    /// What is still to be expanded.
    open: Vec<u32>,
    /// How many were.
    expanded: usize,
    /// Whether all is to end.
    closes: bool,
    answers: Vec<Answer>,
    members: Vec<u32>,
    /// The answer that is next, the one that is being given, and the character that is next of it.
    next: usize,
    current: Option<usize>,
    member: u32,
}

impl Grower {
    /// A grower whose sentences depend on the seed.
    pub fn new(seed: u64) -> Grower {
        Grower {
            around: Vec::new(),
            rng: SmallRng::seed_from_u64(seed),
            nodes: Vec::new(),
            open: Vec::new(),
            expanded: 0,
            closes: false,
            answers: Vec::new(),
            members: Vec::new(),
            next: 0,
            current: None,
            member: 0,
        }
    }

    /// Chance comes from this seed from here on.
    pub fn reseed(&mut self, seed: u64) {
        self.rng = SmallRng::seed_from_u64(seed);
    }

    /// A sentence of about so many expansions at most; less if it ends by itself.
    pub fn sentence(&mut self, grammar: &Grammar, probabilities: &Probabilities, bounds: &Bounds, expansions: usize) -> Vec<u8> {
        let mut text = Vec::new();
        self.around.clear();
        self.around.push(START);
        self.plan(grammar, probabilities, bounds, grammar.start(), expansions);
        derive_text(grammar, grammar.start(), bounds, &Caps::default(), self, &mut Workspace::default(), &mut text);
        text
    }

    /// Plans what the next derivation from a symbol is, of at most 1,048,576 expansions, inside of [`Grower::around`].
    #[inline(always)]
    pub fn plan(
        &mut self,
        grammar: &Grammar,
        probabilities: &Probabilities,
        bounds: &Bounds,
        symbol: SymbolId,
        expansions: usize,
    ) {
        self.nodes.clear();
        self.open.clear();
        self.members.clear();
        (self.expanded, self.closes) = (0, false);
        let plan = Plan { grammar, probabilities, bounds, expansions: expansions.min(MOST) };
        for (at, &(symbol, choice)) in self.around.iter().enumerate() {
            self.nodes.push(Node { choice, ..Node::new(symbol, 0, (at as u32).checked_sub(1).unwrap_or(NONE)) });
        }
        let root = self.nodes.len();
        self.nodes.push(Node::new(symbol, 0, (root as u32).checked_sub(1).unwrap_or(NONE)));
        self.begin(&plan, root);
        while !self.open.is_empty() {
            self.closes |= self.expanded + self.open.len() >= plan.expansions;
            let at = if self.closes { self.open.len() - 1 } else { self.rng.random_range(0..self.open.len()) };
            let node = self.open.swap_remove(at);
            self.expand(&plan, node as usize);
        }
        self.write_down(&plan, root);
    }

    /// Draws the outcome of a question that a node asks.
    #[inline(always)]
    fn draw(&mut self, plan: &Plan<'_>, at: usize, aspect: Aspect) -> u32 {
        let Grower { nodes, rng, .. } = self;
        let symbol = nodes[at].symbol;
        let around = around(nodes, at);
        if aspect == Aspect::Alternative && self.closes {
            return plan.probabilities.draw_least(plan.grammar, symbol, around, rng);
        }
        plan.probabilities.draw(symbol, aspect, around, rng)
    }

    /// A node that has just come: it is done, or it is to be expanded.
    #[inline(always)]
    fn begin(&mut self, plan: &Plan<'_>, at: usize) {
        let symbol = self.nodes[at].symbol;
        let kind = &plan.grammar[symbol].kind;
        if is_expansion(kind) {
            self.open.push(at as u32);
            return;
        }
        match kind {
            Kind::Class(class) => self.nodes[at].choice = self.draw_member(plan, at, &plan.grammar[*class]),
            Kind::Run { .. } if self.take_word(plan, at, 0) => {}
            &Kind::Run { class, at_least, at_most } => {
                let count = if at_least < at_most { self.draw(plan, at, Aspect::Count) } else { 0 };
                let count = Probabilities::draw_count(count, at_most - at_least, &mut self.rng);
                let from = self.members.len() as u32;
                let room = (MOST.saturating_sub(self.members.len()) as u32).max(at_least);
                for _ in 0..at_least.saturating_add(count).min(room) {
                    let member = self.draw_member(plan, at, &plan.grammar[class]);
                    self.members.push(member);
                }
                self.nodes[at].choice = count;
                self.nodes[at].parts = Parts::Members(from..self.members.len() as u32);
            }
            Kind::Insensitive { .. } => self.nodes[at].choice = self.draw(plan, at, Aspect::Case),
            &Kind::Lexeme { body, layout, .. } => self.begin_lexeme(plan, at, body, layout),
            _ => {}
        }
    }

    #[inline(always)]
    fn draw_member(&mut self, plan: &Plan<'_>, at: usize, class: &Class) -> u32 {
        match self.draw(plan, at, Aspect::Member) {
            OTHERS => self.rng.random_range(class.plain()..class.count()),
            member => member,
        }
    }

    fn begin_lexeme(&mut self, plan: &Plan<'_>, at: usize, body: SymbolId, layout: bool) {
        let Node { level, around, .. } = self.nodes[at];
        let (pieces, element) = match plan.grammar.layout().filter(|_| layout && !self.closes) {
            Some(layout) => {
                let outcome = self.draw(plan, at, Aspect::Layout);
                (Probabilities::draw_count(outcome, u32::MAX, &mut self.rng).min(self.room(plan)), layout.element)
            }
            None => (0, body),
        };
        let from = self.nodes.len();
        self.nodes.extend(std::iter::repeat_n(Node::new(element, level + 2, around), pieces as usize));
        // A literal is written with its lexeme.
        if !matches!(plan.grammar[body].kind, Kind::Literal { .. }) {
            self.nodes.push(Node::new(body, level + 1, around));
        }
        self.nodes[at].choice = pieces;
        self.add_parts(plan, at, from);
    }

    /// How many more may be opened.
    fn room(&self, plan: &Plan<'_>) -> u32 {
        let room = plan.expansions.saturating_sub(self.expanded + self.open.len());
        room.min(1 << 24) as u32
    }

    /// Expands a node: its parts come.
    #[inline(always)]
    fn expand(&mut self, plan: &Plan<'_>, at: usize) {
        self.expanded += 1;
        let grammar = plan.grammar;
        let Node { symbol, level, around, .. } = self.nodes[at];
        let from = self.nodes.len();
        match &grammar[symbol].kind {
            Kind::Nonterminal { alternatives, .. } => {
                let has_choice = alternatives.len() > 1;
                let choice = if has_choice { self.draw(plan, at, Aspect::Alternative) } else { 0 };
                self.nodes[at].choice = choice;
                if self.take_word(plan, at, choice) {
                    return;
                }
                let around = if has_choice { at as u32 } else { around };
                let Some(alternative) = grammar.alternatives(symbol).get(choice as usize) else { return };
                for child in grammar.children(alternative) {
                    self.nodes.push(Node::new(child.symbol, level + 1, around));
                }
            }
            Kind::Repeat { .. } if self.take_word(plan, at, 0) => return,
            &Kind::Repeat { element, at_least, at_most, items } => {
                let mut count = 0;
                if !self.closes && at_least < at_most {
                    let outcome = self.draw(plan, at, Aspect::Count);
                    count = Probabilities::draw_count(outcome, at_most - at_least, &mut self.rng);
                    let bound = if items { plan.bounds.items.saturating_sub(at_least) } else { u32::MAX };
                    count = count.min(bound).min(self.room(plan));
                }
                self.nodes[at].choice = count;
                let part = Node::new(element.symbol, level + 1, around);
                self.nodes.extend(std::iter::repeat_n(part, at_least as usize + count as usize));
            }
            Kind::Identifier { names, escape } => {
                let count = names.end - names.start;
                let mut choice = self.draw(plan, at, Aspect::Name);
                if plan.bounds.identifiers != Bounds::NONE {
                    choice %= count.min(plan.bounds.identifiers.max(1));
                }
                self.nodes[at].choice = choice;
                if choice == count {
                    if self.take_word(plan, at, choice) {
                        return;
                    }
                    self.nodes.push(Node::new(*escape, level + 1, around));
                }
            }
            _ => {}
        }
        self.add_parts(plan, at, from);
    }

    /// A token becomes one that samples have, given its first choice; whether it does.
    #[inline(always)]
    fn take_word(&mut self, plan: &Plan<'_>, at: usize, choice: u32) -> bool {
        let word = plan.probabilities.word((self.nodes[at].symbol, choice), &mut self.rng);
        let found = word.is_some();
        word.into_iter().for_each(|word| self.nodes[at].parts = Parts::Word(word));
        found
    }

    /// The nodes from `from` on are the parts of one.
    #[inline(always)]
    fn add_parts(&mut self, plan: &Plan<'_>, at: usize, from: usize) {
        let to = self.nodes.len();
        self.nodes[at].parts = Parts::Nodes(from as u32..to as u32);
        (from..to).for_each(|part| self.begin(plan, part));
    }

    /// Writes the answers in the order of the sentence.
    #[inline(always)]
    fn write_down(&mut self, plan: &Plan<'_>, root: usize) {
        self.answers.clear();
        (self.next, self.current) = (0, None);
        let Grower { nodes, open, answers, members, .. } = self;
        open.clear();
        open.push(root as u32);
        while let Some(at) = open.pop() {
            let Node { symbol, level, choice, ref parts, .. } = nodes[at as usize];
            let mut answer = Answer { symbol, level, choice, members: 0..0 };
            match parts {
                Parts::Members(range) => answer.members = range.clone(),
                Parts::Nodes(range) => open.extend(range.clone().rev()),
                Parts::Word(range) => {
                    for answer in &plan.probabilities.answers[range.start as usize..range.end as usize] {
                        let from = members.len() as u32;
                        let range = answer.members.start as usize..answer.members.end as usize;
                        members.extend_from_slice(&plan.probabilities.members[range]);
                        let members = from..members.len() as u32;
                        answers.push(Answer { level: level + answer.level, members, ..answer.clone() });
                    }
                    continue;
                }
            }
            if is_asked(plan.grammar, symbol) {
                answers.push(answer);
            }
        }
    }

    /// The answer to the symbol that is being expanded; the simplest if it was not planned.
    #[inline(always)]
    fn answer(&self) -> u32 {
        self.current.map_or(0, |at| self.answers[at].choice)
    }

    /// The answer to a symbol that is never entered, as it has no parts.
    #[inline(always)]
    fn leaf(&mut self, symbol: SymbolId) -> u32 {
        match self.answers.get(self.next) {
            Some(answer) if answer.symbol == symbol => {
                self.next += 1;
                answer.choice
            }
            _ => 0,
        }
    }
}

/// What a sentence is planned by.
struct Plan<'a> {
    grammar: &'a Grammar,
    probabilities: &'a Probabilities,
    bounds: &'a Bounds,
    expansions: usize,
}

/// Whether a chooser is told of a symbol, or asked.
pub(super) fn is_asked(grammar: &Grammar, symbol: SymbolId) -> bool {
    match &grammar[symbol].kind {
        Kind::Literal { .. } => false,
        Kind::Class(class) => grammar[*class].count() > 1,
        _ => true,
    }
}

/// The choices around a node, the nearest first.
#[inline(always)]
fn around(nodes: &[Node], at: usize) -> impl Iterator<Item = Enclosing> + Clone {
    let node = |at: u32| nodes.get(at as usize);
    let choices = std::iter::successors(node(nodes[at].around), move |outer| node(outer.around));
    choices.map(|outer| (outer.symbol, outer.choice))
}

uninstrumented! {
    /// What a grower derives from a symbol, of about so many expansions, with its canonical parameters.
    #[expect(clippy::too_many_arguments, reason = "as sampler::sample, and what it is grown by")]
    pub(crate) fn grow(
        grammar: &Grammar,
        settings: &Settings,
        symbol: SymbolId,
        probabilities: &Probabilities,
        expansions: usize,
        grower: &mut Grower,
        workspace: &mut Workspace,
        tree: &mut Tree,
    ) {
        grower.plan(grammar, probabilities, &settings.bounds, symbol, expansions);
        derive_tree(grammar, settings, symbol, grower, workspace, tree);
    }
}

impl Chooser for Grower {
    #[inline(always)]
    fn enter(&mut self, grammar: &Grammar, at: At) {
        let is_over = |answer: &Answer| {
            answer.level as usize > at.depth || matches!(grammar[answer.symbol].kind, Kind::Class(_) | Kind::Insensitive { .. })
        };
        while self.answers.get(self.next).is_some_and(is_over) {
            self.next += 1;
        }
        let is_it = |answer: &Answer| answer.level as usize == at.depth && answer.symbol == at.symbol;
        let found = self.answers.get(self.next).is_some_and(is_it);
        self.current = found.then_some(self.next);
        self.member = self.current.map_or(0, |at| self.answers[at].members.start);
        self.next += usize::from(found);
    }

    #[inline(always)]
    fn alternative(&mut self, _grammar: &Grammar, _symbol: SymbolId, options: u32) -> u32 {
        self.answer().min(options - 1)
    }

    #[inline(always)]
    fn count(&mut self, _grammar: &Grammar, _symbol: SymbolId, spread: u32) -> u32 {
        self.answer().min(spread)
    }

    #[inline(always)]
    fn member(&mut self, symbol: SymbolId, class: &Class) -> u32 {
        let run = self.current.map(|at| &self.answers[at]).filter(|answer| answer.symbol == symbol);
        let member = match run {
            Some(run) if self.member < run.members.end => {
                self.member += 1;
                self.members[self.member as usize - 1]
            }
            Some(_) => 0,
            None => self.leaf(symbol),
        };
        member.min(class.count() - 1)
    }

    #[inline(always)]
    fn name(&mut self, _symbol: SymbolId, names: u32) -> u32 {
        self.answer().min(names)
    }

    #[inline(always)]
    fn case(&mut self, symbol: SymbolId, letters: u32) -> Case {
        match self.leaf(symbol) {
            0 => Case::AsWritten,
            1 => Case::Lower,
            2 => Case::Upper,
            _ => Case::Mask(self.rng.random::<u64>() & (u64::MAX >> (64 - letters.min(64)))),
        }
    }

    #[inline(always)]
    fn layout(&mut self, _symbol: SymbolId) -> u32 {
        self.answer()
    }
}
