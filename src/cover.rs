//! Coverage of the alternatives of a grammar, and a choice source that leads to unused
//! alternatives.
//!
//! A [`Route`] is a path with the fewest expansions from the start symbol to an unused alternative.
//! A [`RouteFollower`] is a choice source that makes the choices on a route. A second choice source
//! makes all other choices.
//!
//! # Guarantees
//!
//! * A sentence that is derived by a [`RouteFollower`] uses the alternative at the end of its
//!   route, unless bounds, caps or `~` in the grammar forbid a choice on the route, or the second
//!   choice source has ended. No sentence that was added to the [`Coverage`] before the route was
//!   made uses this alternative.
//! * No two routes of a [`Coverage`] lead to the same alternative. So a forbidden alternative does
//!   not prevent routes to others.
//!
//! # Not guaranteed
//!
//! A route leads to an alternative at one occurrence of its nonterminal in the grammar, not at
//! each. [`Pairs`] measures which alternatives were used at which occurrences.

mod pairs;

use crate::derivation::Derivation;
use crate::derive::{AlternativesInScope, At, Case, ChoiceSource};
use crate::grammar::{Alternative, Class, Grammar, Kind, SymbolId};

pub use self::pairs::{Pair, Pairs};

/// The coverage of the alternatives of a grammar. Alternatives that are not in the text of the
/// grammar, but that zester added, do not count. Nor do alternatives with which no sentence is
/// generated: types forbid them, or only alternatives of weight 0 lead to them.
///
/// # Examples
///
/// ```
/// use zester::{Grammar, cover::Coverage, parameters};
///
/// let grammar = Grammar::read("x.ebnf", br#"s = "x" | "y" | "z" ;"#).unwrap();
/// let mut coverage = Coverage::new(&grammar);
/// coverage.add(&grammar, &parameters::sentence(&grammar, &Default::default(), &[1]));
/// let of_s = coverage.alternatives(&grammar).filter(|(symbol, ..)| grammar.label(*symbol) == "s");
/// assert_eq!(of_s.map(|(_, _, used)| used).collect::<Vec<bool>>(), [false, true, false]);
/// ```
#[derive(Clone, Debug)]
pub struct Coverage {
    /// For each alternative, whether a sentence used it.
    used: Vec<bool>,
    /// For each alternative, whether a route to it may be made: it is in the text of the grammar,
    /// no sentence used it, and no route led to it.
    pending: Vec<bool>,
    /// For each alternative, whether it counts: it is in the text of the grammar, and sentences are
    /// generated with it.
    counts: Vec<bool>,
}

impl Coverage {
    /// Returns the coverage of no sentences.
    pub fn new(grammar: &Grammar) -> Coverage {
        let mut counts = vec![false; grammar.erased().alternatives.len()];
        let mut is_reached = vec![false; grammar.symbols().len()];
        is_reached[grammar.start().0 as usize] = true;
        let mut open = vec![grammar.start()];
        while let Some(symbol) = open.pop() {
            for (choice, alternative) in (0..).zip(grammar.alternatives(symbol)) {
                if is_generated(alternative) {
                    let at = grammar.erased_alternative(symbol, choice);
                    counts[at] = grammar.erased().alternatives[at].source.is_some();
                }
            }
            let mut reach = |part: SymbolId, _| {
                if !std::mem::replace(&mut is_reached[part.0 as usize], true) {
                    open.push(part);
                }
            };
            for_each_part(
                grammar,
                symbol,
                &|_, alternative| is_generated(alternative),
                &mut reach,
            );
        }
        Coverage {
            used: vec![false; counts.len()],
            pending: counts.clone(),
            counts,
        }
    }

    /// Adds the alternatives that a sentence uses.
    pub fn add(&mut self, grammar: &Grammar, derivation: &Derivation) {
        for node in derivation.nodes() {
            if let Kind::Nonterminal { .. } = grammar[node.symbol].kind {
                let at = grammar.erased_alternative(node.symbol, node.choice);
                (self.used[at], self.pending[at]) = (true, false);
            }
        }
    }

    /// Returns the alternatives that count, each with its nonterminal and whether it was used. In a
    /// grammar with names, the nonterminals and alternatives are those of [`Grammar::erased`].
    pub fn alternatives<'a>(
        &'a self,
        grammar: &'a Grammar,
    ) -> impl Iterator<Item = (SymbolId, &'a Alternative, bool)> {
        let grammar = grammar.erased();
        let nonterminals = (0..)
            .map(SymbolId)
            .zip(grammar.symbols())
            .filter_map(|(id, symbol)| match &symbol.kind {
                Kind::Nonterminal { alternatives, .. } => Some((id, alternatives.start as usize)),
                _ => None,
            });
        let all = nonterminals.flat_map(|(id, first)| {
            grammar
                .alternatives(id)
                .iter()
                .zip(first..)
                .map(move |pair| (id, pair))
        });
        all.filter(|&(_, (_, at))| self.counts[at])
            .map(|(id, (alternative, at))| (id, alternative, self.used[at]))
    }

    /// Returns a route to an alternative that was not used and that no earlier route led to.
    /// Returns the empty route if no such alternative can be reached from the start symbol without
    /// an alternative of weight 0.
    pub fn route(&mut self, grammar: &Grammar) -> Route {
        if !self.pending.contains(&true) {
            return Route::default();
        }
        // A route through an alternative that needs a visible name often fails. So the first search
        // looks for a route without such alternatives.
        let is_first = grammar.has_names();
        is_first
            .then(|| self.search(grammar, false))
            .flatten()
            .or_else(|| self.search(grammar, true))
            .unwrap_or_default()
    }

    /// Searches for a route. If `needs_names`, the route may lead through alternatives that need
    /// visible names. An alternative that needs visible names may have a copy that needs none. Then
    /// the route leads through the copy.
    fn search(&mut self, grammar: &Grammar, needs_names: bool) -> Option<Route> {
        // A breadth-first search. Each symbol stores the step by which it was reached first. The
        // start symbol stores a step that `backtrack` ignores, so that it counts as reached.
        let start = grammar.start();
        let mut reached_by: Vec<Option<CoverStep>> = vec![None; grammar.symbols().len()];
        reached_by[start.0 as usize] = Some(CoverStep {
            symbol: start,
            choice: 0,
        });
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
            let is_possible = |choice: u32, alternative: &Alternative| {
                let is_open = if needs_names {
                    !grammar.has_copy(symbol, choice)
                } else {
                    !grammar.needs_names(symbol, choice)
                };
                is_open && is_generated(alternative)
            };
            for (choice, alternative) in (0..).zip(grammar.alternatives(symbol)) {
                let at = grammar.erased_alternative(symbol, choice);
                if self.pending[at] && is_possible(choice, alternative) {
                    self.pending[at] = false;
                    return Some(Route::backtrack(
                        start,
                        &reached_by,
                        CoverStep { symbol, choice },
                    ));
                }
            }
            for_each_part(grammar, symbol, &is_possible, &mut reach);
        }
        None
    }
}

/// Returns whether sentences are generated with this alternative. Types forbid some alternatives, and
/// alternatives of weight 0 are for texts.
fn is_generated(alternative: &Alternative) -> bool {
    alternative.minimum.is_finite() && alternative.weight > 0.0
}

/// Calls `reach` with each part of a symbol and the choice that leads to it. Omits alternatives for
/// which `is_possible` returns false.
fn for_each_part(
    grammar: &Grammar,
    symbol: SymbolId,
    is_possible: &dyn Fn(u32, &Alternative) -> bool,
    reach: &mut dyn FnMut(SymbolId, u32),
) {
    match &grammar[symbol].kind {
        Kind::Nonterminal { .. } => {
            for (choice, alternative) in (0..).zip(grammar.alternatives(symbol)) {
                if is_possible(choice, alternative) {
                    let children = grammar.children(alternative).iter();
                    children.for_each(|child| reach(child.symbol, choice));
                }
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

/// One step of a route: the choice to make at a symbol. At a nonterminal, the choice is the index
/// of an alternative. At an identifier, it is the number of names, which means that another name is
/// spelled out. At a repetition, it is the minimum number of elements beyond the lower limit. At a
/// lexeme, it is the minimum number of layout tokens.
#[derive(Clone, Copy, Debug)]
struct CoverStep {
    symbol: SymbolId,
    choice: u32,
}

/// A path from the start symbol to an alternative. A [`RouteFollower`] with the empty route makes
/// no choices itself.
#[derive(Clone, Debug, Default)]
pub struct Route(
    /// The last step comes first.
    Vec<CoverStep>,
);

impl Route {
    /// Returns the route that ends with the step `end`. `reached_by` has, for each symbol, the step
    /// that reached it first. The function follows these steps backwards from `end` to `start`.
    fn backtrack(start: SymbolId, reached_by: &[Option<CoverStep>], end: CoverStep) -> Route {
        let before =
            |step: &CoverStep| reached_by[step.symbol.0 as usize].filter(|_| step.symbol != start);
        Route(std::iter::successors(Some(end), before).collect())
    }
}

/// A choice source that makes the choices on a route. A second choice source makes all other
/// choices. The route gives a minimum for the number of elements and of layout tokens. If the
/// second source answers with more, its answer counts.
///
/// # Examples
///
/// ```
/// use zester::{Bounds, Caps, Derivation, Grammar, cover::{Coverage, RouteFollower}, derive::{DerivationGoal, Workspace, derive}, sampler::Sampler};
///
/// let source = br#"s = "x" | "(" t ")" ; t = "y" | "[" s "]" ;"#;
/// let grammar = Grammar::read("x.ebnf", source).unwrap();
/// let (mut workspace, mut derivation) = (Workspace::default(), Derivation::default());
/// let (mut follower, mut coverage) = (RouteFollower::new(Sampler::new(1, 1.0)), Coverage::new(&grammar));
/// // Four alternatives need at most four routes.
/// for _ in 0..4 {
///     follower.choice_source.restart(1.0);
///     follower.follow(coverage.route(&grammar));
///     let (bounds, caps) = (Bounds::UNBOUNDED, Caps::default());
///     let goal = DerivationGoal::start(&grammar, &bounds, &caps);
///     derive(goal, &mut follower, &mut workspace, &mut derivation);
///     coverage.add(&grammar, &derivation);
/// }
/// assert!(coverage.alternatives(&grammar).all(|(_, _, used)| used));
/// ```
#[derive(Debug)]
pub struct RouteFollower<C> {
    /// The choice source that makes the choices that are not on the route.
    pub choice_source: C,
    route: Route,
    /// The choice of the route for the symbol that is being expanded.
    choice: Option<u32>,
}

impl<C> RouteFollower<C> {
    /// Returns a choice source without a route.
    pub fn new(choice_source: C) -> RouteFollower<C> {
        RouteFollower {
            choice_source,
            route: Route::default(),
            choice: None,
        }
    }

    /// Sets the route. Must be called before each sentence. Otherwise the route still contains the
    /// steps that the last sentence did not take.
    pub fn follow(&mut self, route: Route) {
        (self.route, self.choice) = (route, None);
    }
}

impl<C: ChoiceSource> ChoiceSource for RouteFollower<C> {
    fn enter(&mut self, grammar: &Grammar, at: At<'_>) {
        let step = self.route.0.pop_if(|step| step.symbol == at.symbol);
        self.choice = step.map(|step| step.choice);
        self.choice_source.enter(grammar, at);
    }

    fn alternative(&mut self, grammar: &Grammar, symbol: SymbolId, options: u32) -> u32 {
        self.choice
            .take()
            .unwrap_or_else(|| self.choice_source.alternative(grammar, symbol, options))
    }

    fn alternative_in_scope(
        &mut self,
        grammar: &Grammar,
        symbol: SymbolId,
        options: u32,
        in_scope: &AlternativesInScope<'_>,
    ) -> u32 {
        self.choice.take().unwrap_or_else(|| {
            self.choice_source
                .alternative_in_scope(grammar, symbol, options, in_scope)
        })
    }

    fn name_in_scope(&mut self, symbol: SymbolId, names: u32) -> u32 {
        self.choice
            .take()
            .unwrap_or_else(|| self.choice_source.name_in_scope(symbol, names))
    }

    fn count(&mut self, grammar: &Grammar, symbol: SymbolId, spread: u32) -> u32 {
        self.choice_source
            .count(grammar, symbol, spread)
            .max(self.choice.take().unwrap_or(0))
    }

    fn member(&mut self, symbol: SymbolId, class: &Class) -> u32 {
        self.choice_source.member(symbol, class)
    }

    fn name(&mut self, symbol: SymbolId, names: u32) -> u32 {
        self.choice
            .take()
            .unwrap_or_else(|| self.choice_source.name(symbol, names))
    }

    fn case(&mut self, symbol: SymbolId, letters: u32) -> Case {
        self.choice_source.case(symbol, letters)
    }

    fn layout(&mut self, symbol: SymbolId) -> u32 {
        self.choice_source
            .layout(symbol)
            .max(self.choice.take().unwrap_or(0))
    }

    fn wants_free_names(&self) -> bool {
        self.choice_source.wants_free_names()
    }

    fn ended(&self) -> bool {
        self.choice_source.ended()
    }
}
