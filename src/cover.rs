//! Coverage of a grammar's alternatives, and a choice source that leads to alternatives that are not covered.
//!
//! A [`Guide`] lets another choice source answer, save along a [`Route`]: the fewest expansions from the start symbol to an
//! alternative that is still missing. What holds: a sentence with a route uses an alternative that no sentence used before,
//! unless bounds or caps forbid that one; no alternative is the end of two routes, so what is forbidden stops nothing else.
//! Not promised: more than that criterion; [`Pairs`] tells which alternatives were used in which context, and leads nowhere.

mod pairs;

use crate::derivation::Derivation;
use crate::derive::{At, Case, ChoiceSource};
use crate::grammar::{Alternative, Class, Grammar, Kind, SymbolId};

pub use self::pairs::{Pair, Pairs};

/// Which alternatives were used, of those that somebody wrote.
#[derive(Clone, Debug)]
pub struct Coverage {
    used: Vec<bool>,
    /// Neither used nor the end of a route.
    open: Vec<bool>,
}

impl Coverage {
    /// The coverage of no sentences.
    pub fn new(grammar: &Grammar) -> Coverage {
        let open = grammar.alternatives.iter().map(|alternative| alternative.source.is_some()).collect();
        Coverage { used: vec![false; grammar.alternatives.len()], open }
    }

    /// Adds what a sentence uses.
    pub fn add(&mut self, grammar: &Grammar, derivation: &Derivation) {
        for node in derivation.nodes() {
            if let Kind::Nonterminal { alternatives, .. } = &grammar[node.symbol].kind {
                let at = (alternatives.start + node.choice) as usize;
                (self.used[at], self.open[at]) = (true, false);
            }
        }
    }

    /// All alternatives that somebody wrote, each with its nonterminal and whether it was used.
    pub fn alternatives<'a>(&'a self, grammar: &'a Grammar) -> impl Iterator<Item = (SymbolId, &'a Alternative, bool)> {
        let nonterminals = (0..).map(SymbolId).zip(grammar.symbols()).filter_map(|(id, symbol)| match &symbol.kind {
            Kind::Nonterminal { alternatives, .. } => Some((id, alternatives.start as usize)),
            _ => None,
        });
        let all = nonterminals.flat_map(|(id, first)| grammar.alternatives(id).iter().zip(first..).map(move |pair| (id, pair)));
        all.filter(|(_, (alternative, _))| alternative.source.is_some())
            .map(|(id, (alternative, at))| (id, alternative, self.used[at]))
    }

    /// A route to an alternative that was neither used nor the end of a route; the empty one if there is none.
    pub fn route(&mut self, grammar: &Grammar) -> Route {
        if !self.open.contains(&true) {
            return Route::default();
        }
        // Breadth first: whence each symbol was reached, the start symbol from itself.
        let start = grammar.start();
        let mut whence: Vec<Option<CoverStep>> = vec![None; grammar.symbols().len()];
        whence[start.0 as usize] = Some(CoverStep { symbol: start, choice: 0 });
        let mut reached = vec![start];
        let mut next = 0;
        while let Some(&symbol) = reached.get(next) {
            next += 1;
            let mut reach = |part: SymbolId, choice: u32| {
                let whence = &mut whence[part.0 as usize];
                if whence.is_none() {
                    *whence = Some(CoverStep { symbol, choice });
                    reached.push(part);
                }
            };
            match &grammar[symbol].kind {
                Kind::Nonterminal { alternatives, .. } => {
                    let open = &mut self.open[alternatives.start as usize..alternatives.end as usize];
                    if let Some(choice) = open.iter().position(|&open| open) {
                        open[choice] = false;
                        return Route::back(start, &whence, CoverStep { symbol, choice: choice as u32 });
                    }
                    for (choice, alternative) in (0..).zip(grammar.alternatives(symbol)) {
                        grammar.children(alternative).iter().for_each(|child| reach(child.symbol, choice));
                    }
                }
                Kind::Repeat { element, .. } => reach(element.symbol, 1),
                Kind::Identifier { names, escape } => reach(*escape, names.end - names.start),
                Kind::Lexeme { body, layout, .. } => {
                    reach(*body, 0);
                    if let (true, Some(pieces)) = (*layout, grammar.layout()) {
                        reach(pieces.element, 1);
                    }
                }
                _ => {}
            }
        }
        Route::default()
    }
}

/// What to answer at a symbol: an alternative or a name, or the least of a count.
#[derive(Clone, Copy, Debug)]
struct CoverStep {
    symbol: SymbolId,
    choice: u32,
}

/// A way from the start symbol to an alternative; the empty one leads nowhere. The first step stands last.
#[derive(Clone, Debug, Default)]
pub struct Route(Vec<CoverStep>);

impl Route {
    fn back(start: SymbolId, whence: &[Option<CoverStep>], end: CoverStep) -> Route {
        let before = |step: &CoverStep| whence[step.symbol.0 as usize].filter(|_| step.symbol != start);
        Route(std::iter::successors(Some(end), before).collect())
    }
}

/// A choice source that follows a route and leaves every other answer to another choice source.
#[derive(Debug)]
pub struct Guide<C> {
    /// The other choice source.
    pub choice_source: C,
    route: Route,
    /// What the route says of the symbol that is being expanded.
    choice: Option<u32>,
}

impl<C> Guide<C> {
    /// A guide without a route.
    pub fn new(choice_source: C) -> Guide<C> {
        Guide { choice_source, route: Route::default(), choice: None }
    }

    /// Takes a route for the next sentence.
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
