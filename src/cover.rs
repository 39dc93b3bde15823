//! Coverage of the alternatives of a grammar, and a choice source that leads to unused alternatives.
//!
//! A [`Route`] is a path with the fewest expansions from the start symbol to an unused alternative. A [`Guide`] is a choice source
//! that follows a route. Another choice source answers all choices that are not on the route.
//!
//! # Guarantees
//!
//! * A sentence with a route uses an alternative that no sentence used before, unless bounds or caps forbid this alternative.
//! * No two routes lead to the same alternative. So a forbidden alternative does not prevent routes to others.
//!
//! # Not guaranteed
//!
//! Routes do not lead to uses of an alternative in all contexts. [`Pairs`] measures these.

mod pairs;

use crate::derivation::Derivation;
use crate::derive::{At, Case, ChoiceSource};
use crate::grammar::{Alternative, Class, Grammar, Kind, SymbolId};

pub use self::pairs::{Pair, Pairs};

/// The coverage of the alternatives that are written in a grammar.
///
/// # Examples
///
/// ```
/// use zester::{bounds::Caps, cover::Coverage, notation, parameters};
///
/// let (grammar, _warnings) = notation::read("x.ebnf", br#"s = "x" | "y" | "z" ;"#, &Caps::default()).unwrap();
/// let mut coverage = Coverage::new(&grammar);
/// coverage.add(&grammar, &parameters::sentence(&grammar, &Default::default(), &[1]));
/// let of_s = coverage.alternatives(&grammar).filter(|(symbol, ..)| grammar.label(*symbol) == "s");
/// assert_eq!(of_s.map(|(_, _, used)| used).collect::<Vec<bool>>(), [false, true, false]);
/// ```
#[derive(Clone, Debug)]
pub struct Coverage {
    /// For each alternative, whether a sentence used it.
    used: Vec<bool>,
    /// For each alternative, whether a route to it may be given: it is written in the grammar, no sentence used it, and no route led
    /// to it.
    pending: Vec<bool>,
}

impl Coverage {
    /// Returns the coverage of no sentences.
    pub fn new(grammar: &Grammar) -> Coverage {
        let pending = grammar.alternatives.iter().map(|alternative| alternative.source.is_some()).collect();
        Coverage { used: vec![false; grammar.alternatives.len()], pending }
    }

    /// Adds the alternatives that a sentence uses.
    pub fn add(&mut self, grammar: &Grammar, derivation: &Derivation) {
        for node in derivation.nodes() {
            if let Kind::Nonterminal { alternatives, .. } = &grammar[node.symbol].kind {
                let at = (alternatives.start + node.choice) as usize;
                (self.used[at], self.pending[at]) = (true, false);
            }
        }
    }

    /// Returns the alternatives that are written in the grammar, each with its nonterminal and whether it was used.
    pub fn alternatives<'a>(&'a self, grammar: &'a Grammar) -> impl Iterator<Item = (SymbolId, &'a Alternative, bool)> {
        let nonterminals = (0..).map(SymbolId).zip(grammar.symbols()).filter_map(|(id, symbol)| match &symbol.kind {
            Kind::Nonterminal { alternatives, .. } => Some((id, alternatives.start as usize)),
            _ => None,
        });
        let all = nonterminals.flat_map(|(id, first)| grammar.alternatives(id).iter().zip(first..).map(move |pair| (id, pair)));
        all.filter(|(_, (alternative, _))| alternative.source.is_some())
            .map(|(id, (alternative, at))| (id, alternative, self.used[at]))
    }

    /// Returns a route to an alternative that was not used and that no earlier route led to. Returns the empty route if there is no
    /// such alternative.
    pub fn route(&mut self, grammar: &Grammar) -> Route {
        if !self.pending.contains(&true) {
            return Route::default();
        }
        // A breadth-first search. Each symbol stores the step by which it was reached first. The start symbol is reached from itself.
        let start = grammar.start();
        let mut reached_by: Vec<Option<CoverStep>> = vec![None; grammar.symbols().len()];
        reached_by[start.0 as usize] = Some(CoverStep { symbol: start, choice: 0 });
        let mut queue = vec![start];
        let mut next = 0;
        while let Some(&symbol) = queue.get(next) {
            next += 1;
            let mut reach = |part: SymbolId, choice: u32| {
                let reached_by = &mut reached_by[part.0 as usize];
                if reached_by.is_none() {
                    *reached_by = Some(CoverStep { symbol, choice });
                    queue.push(part);
                }
            };
            match &grammar[symbol].kind {
                Kind::Nonterminal { alternatives, .. } => {
                    let pending = &mut self.pending[alternatives.start as usize..alternatives.end as usize];
                    if let Some(choice) = pending.iter().position(|&pending| pending) {
                        pending[choice] = false;
                        return Route::backtrack(start, &reached_by, CoverStep { symbol, choice: choice as u32 });
                    }
                    for (choice, alternative) in (0..).zip(grammar.alternatives(symbol)) {
                        grammar.children(alternative).iter().for_each(|child| reach(child.symbol, choice));
                    }
                }
                Kind::Repeat { element, .. } => reach(element.symbol, 1),
                Kind::Identifier { names, escape } => reach(*escape, names.end - names.start),
                Kind::Lexeme { body, layout, .. } => {
                    reach(*body, 0);
                    if let (true, Some(layout)) = (*layout, grammar.layout()) {
                        reach(layout.token, 1);
                    }
                }
                _ => {}
            }
        }
        Route::default()
    }
}

/// One step of a route: the choice to take at a symbol. It is an alternative, a name, or the minimum of a count.
#[derive(Clone, Copy, Debug)]
struct CoverStep {
    symbol: SymbolId,
    choice: u32,
}

/// A path from the start symbol to an alternative. The empty route leads nowhere. The steps are in reverse order.
#[derive(Clone, Debug, Default)]
pub struct Route(Vec<CoverStep>);

impl Route {
    /// Returns the route that ends with the step `end`, by the steps by which the symbols were reached.
    fn backtrack(start: SymbolId, reached_by: &[Option<CoverStep>], end: CoverStep) -> Route {
        let before = |step: &CoverStep| reached_by[step.symbol.0 as usize].filter(|_| step.symbol != start);
        Route(std::iter::successors(Some(end), before).collect())
    }
}

/// A choice source that follows a route. Another choice source answers all other choices.
///
/// # Examples
///
/// ```
/// use zester::cover::{Coverage, Guide};
/// use zester::derive::{Workspace, derive};
/// use zester::{bounds::{Bounds, Caps}, derivation::Derivation, notation, sampler::Sampler};
///
/// let source = br#"s = "x" | "(" t ")" ; t = "y" | "[" s "]" ;"#;
/// let (grammar, _warnings) = notation::read("x.ebnf", source, &Caps::default()).unwrap();
/// let (mut workspace, mut derivation) = (Workspace::default(), Derivation::default());
/// let (mut guide, mut coverage) = (Guide::new(Sampler::new(1, 1.0)), Coverage::new(&grammar));
/// // Four alternatives need at most four routes.
/// for _ in 0..4 {
///     guide.choice_source.restart(1.0);
///     guide.follow(coverage.route(&grammar));
///     let (bounds, caps) = (Bounds::UNBOUNDED, Caps::default());
///     derive(&grammar, grammar.start(), &bounds, &caps, &mut guide, &mut workspace, &mut derivation);
///     coverage.add(&grammar, &derivation);
/// }
/// assert!(coverage.alternatives(&grammar).all(|(_, _, used)| used));
/// ```
#[derive(Debug)]
pub struct Guide<C> {
    /// The choice source that answers the other choices.
    pub choice_source: C,
    route: Route,
    /// The choice of the route for the symbol that is being expanded.
    choice: Option<u32>,
}

impl<C> Guide<C> {
    /// Returns a guide without a route.
    pub fn new(choice_source: C) -> Guide<C> {
        Guide { choice_source, route: Route::default(), choice: None }
    }

    /// Sets the route for the next sentence.
    pub fn follow(&mut self, route: Route) {
        (self.route, self.choice) = (route, None);
    }
}

impl<C: ChoiceSource> ChoiceSource for Guide<C> {
    fn enter(&mut self, grammar: &Grammar, at: At) {
        let step = self.route.0.pop_if(|step| step.symbol == at.symbol);
        self.choice = step.map(|step| step.choice);
        self.choice_source.enter(grammar, at);
    }

    fn alternative(&mut self, grammar: &Grammar, symbol: SymbolId, options: u32) -> u32 {
        self.choice.take().unwrap_or_else(|| self.choice_source.alternative(grammar, symbol, options))
    }

    fn count(&mut self, grammar: &Grammar, symbol: SymbolId, spread: u32) -> u32 {
        self.choice_source.count(grammar, symbol, spread).max(self.choice.take().unwrap_or(0))
    }

    fn member(&mut self, symbol: SymbolId, class: &Class) -> u32 {
        self.choice_source.member(symbol, class)
    }

    fn name(&mut self, symbol: SymbolId, names: u32) -> u32 {
        self.choice.take().unwrap_or_else(|| self.choice_source.name(symbol, names))
    }

    fn case(&mut self, symbol: SymbolId, letters: u32) -> Case {
        self.choice_source.case(symbol, letters)
    }

    fn layout(&mut self, symbol: SymbolId) -> u32 {
        self.choice_source.layout(symbol).max(self.choice.take().unwrap_or(0))
    }

    fn ended(&self) -> bool {
        self.choice_source.ended()
    }
}
