//! Extraction of one derivation from the chart of a sentence.
//!
//! If a symbol derives a text in several ways, the alternative that the grammar lists first is
//! chosen. Alternatives with the weight 0 come after all others. If the chosen alternative can
//! split the text among its children in several ways, the last child is made as short as possible,
//! then the child before it, and so on. So operators associate to the left if the grammar is
//! ambiguous, and an `else` belongs to the last `if`.

mod token;

use std::cmp::Reverse;

use super::chart::{Chart, NONE, key};
use super::instance_sets::TOKEN;
use super::matcher::Matcher;
use super::possible::{Constituent, KnownInstances, PossibleInstances, each_step};
use super::scan::{BlockedToken, Scanner};
use super::tables::{DotId, ParserTables};
use super::{Failure, ParseInput};
use crate::derivation::{Derivation, Node};
use crate::grammar::{Child, FollowSet, Grammar, Kind, SymbolId, TerminalId};

/// A symbol whose nodes must still be appended, and the two sets at the ends of its text.
#[derive(Clone, Copy, Debug)]
struct Part {
    symbol: SymbolId,
    from: u32,
    to: u32,
    /// Whether its first token must be adjacent to the token before it.
    is_adjacent: bool,
    /// The first completed item of the symbol over this text. `NONE` if the text is empty.
    done: u32,
    /// The instance of the symbol that the part must fit. It is ignored if the grammar has no
    /// arguments.
    instance: SymbolId,
}

/// A token or an element of layout that was read from the text.
#[derive(Clone, Copy, Debug)]
struct TokenSpan {
    /// The offset where it begins.
    from: usize,
    /// The offset where it ends.
    to: usize,
    terminal: TerminalId,
    /// The set of terminals that were allowed where it begins.
    allowed: FollowSet,
    symbol: SymbolId,
}

/// Working memory of the extraction, and the conflicts that it found.
#[derive(Debug, Default)]
pub struct Parts {
    /// The stack of symbols whose nodes must still be appended.
    open: Vec<Part>,
    /// The conflicts in the last derivation, in the order of the text.
    pub conflicts: Vec<Conflict>,
    /// Whether to fill `sets`. If so, the derivation need not fit the arguments.
    pub is_for_sets: bool,
    /// By node of the last derivation: the set of instances that its text fits in any derivation.
    /// [`TOKEN`] for tokens and their parts.
    pub sets: Vec<u32>,
}

/// A token that follows another one without a separator, although the expander would write one.
#[derive(Clone, Copy, Debug)]
pub struct Conflict {
    /// The offset where the second token, or the layout before it, begins.
    at: usize,
    /// The tokens that can be blocked to resolve the conflict, in the order in which to try them.
    pub culprits: [Option<BlockedToken>; 3],
}

struct Extraction<'a> {
    input: ParseInput<'a>,
    grammar: &'a Grammar,
    tables: &'a ParserTables,
    scanner: &'a Scanner,
    text: &'a [u8],
    chart: &'a Chart,
    matcher: &'a mut Matcher,
    nodes: &'a mut Vec<Node>,
    conflicts: &'a mut Vec<Conflict>,
    /// The instances that the parts fit, if the derivation must fit the arguments.
    possible: Option<PossibleInstances<'a>>,
    /// Whether to take the first completed item of each part. This is needed if some parts derive
    /// themselves: with the first item, no part does.
    takes_first: bool,
    /// The last token or element of layout.
    last_token: Option<TokenSpan>,
    /// The set of terminals that are allowed next.
    allowed: FollowSet,
    /// The token or element of layout after which the last failed attempt to read layout stopped.
    meets: Option<TokenSpan>,
    /// The last two tokens, the last one second.
    tokens: [Option<TokenSpan>; 2],
}

/// Replaces `derivation` by the derivation of the whole text. The chart must be that of a sentence.
/// With `instances`, every choice fits the arguments of the grammar, unless `parts.is_for_sets`.
///
/// # Errors
/// [`Failure::MissingSeparator`] if the expander would write a separator between two tokens of the
/// derivation that have none. Then `parts.conflicts` has all such pairs. [`Failure::Misfit`] if no
/// derivation fits the arguments. [`Failure::Unclear`] if the matcher ran out of steps for a
/// token. Other errors if the text reaches a limit.
pub fn extract(
    input: ParseInput<'_>,
    chart: &mut Chart,
    parts: &mut Parts,
    instances: Option<KnownInstances<'_>>,
    derivation: &mut Derivation,
) -> Result<(), Failure> {
    let ParseInput {
        grammar,
        tables,
        scanner,
        text,
        ..
    } = input;
    derivation.clear();
    let mut matcher = std::mem::take(&mut chart.tokens.matcher);
    let allowed = grammar.boundaries().first_set();
    let nodes = &mut derivation.nodes;
    let Parts {
        open,
        conflicts,
        is_for_sets,
        sets,
    } = parts;
    conflicts.clear();
    sets.clear();
    let mut extraction = Extraction {
        input,
        grammar,
        tables,
        scanner,
        text,
        chart,
        matcher: &mut matcher,
        nodes,
        conflicts,
        possible: None,
        takes_first: false,
        last_token: None,
        allowed,
        meets: None,
        tokens: [None; 2],
    };
    let sets = is_for_sets.then_some(sets);
    let result = extraction.run(open, instances, sets);
    chart.tokens.matcher = matcher;
    result?;
    if let Some(Conflict { at, .. }) = conflicts.first() {
        return Err(Failure::MissingSeparator(*at));
    }
    derivation.text.extend_from_slice(text);
    derivation.measure(grammar);
    Ok(())
}

impl<'a> Extraction<'a> {
    /// Appends the nodes of the start symbol. It uses the stack `open` instead of recursion. With
    /// `sets`, it appends the sets of the nodes to `sets`, and the instances restrict no choice.
    fn run(
        &mut self,
        open: &mut Vec<Part>,
        instances: Option<KnownInstances<'a>>,
        mut sets: Option<&mut Vec<u32>>,
    ) -> Result<(), Failure> {
        let mut all = None;
        open.clear();
        let start = self.grammar.start();
        let to = self.chart.sets.len() as u32 - 1;
        let is_whole = |&done: &u32| {
            let done = self.chart.done(done);
            (done.key, done.origin) == (key(start, false), 0)
        };
        let done = self.chart.done_at(to).find(is_whole).unwrap_or(NONE);
        let mut instance = start;
        if let Some(instances) = instances {
            instance = instances.0.grammar.start();
            let whole = Constituent {
                symbol: start,
                done,
                to,
            };
            let possible = PossibleInstances::new(instances, self.input, self.chart, whole)?;
            if sets.is_some() {
                self.takes_first = possible.is_cyclic;
                all = Some(possible);
            } else if possible.fits(whole, instance) {
                self.possible = Some(possible);
            } else {
                return Err(Failure::Misfit(0));
            }
        }
        open.push(Part {
            symbol: start,
            from: 0,
            to,
            is_adjacent: false,
            done,
            instance,
        });
        while let Some(part) = open.pop() {
            self.input.fuel.spend(1);
            self.input
                .fuel
                .check(self.chart.sets[part.from as usize].token as usize)?;
            let symbol = part.symbol;
            if let (Some(sets), Some(all)) = (&mut sets, &mut all) {
                sets.resize(self.nodes.len(), TOKEN);
                sets.push(all.set(Constituent {
                    symbol,
                    done: part.done,
                    to: part.to,
                }));
            }
            if let Some(called) = self.tables.called(symbol) {
                let at = self.chart.sets[part.from as usize].at as usize;
                self.node(symbol, 0, at);
                let child = Part {
                    symbol: called,
                    ..part
                };
                open.push(self.instantiated(part, (0, 0), child));
                continue;
            }
            match &self.grammar[symbol].kind {
                Kind::Nonterminal { .. } => self.nonterminal(symbol, part, open),
                Kind::Repeat { .. } => self.repeat(symbol, part, open),
                _ => self.lexeme(symbol, part)?,
            }
        }
        Ok(())
    }

    /// Appends a node whose text begins at offset `at`. Its size is computed at the end.
    fn node(&mut self, symbol: SymbolId, choice: u32, at: usize) {
        self.nodes.push(Node {
            symbol,
            choice,
            size: 1,
            text: at as u32,
        });
    }

    /// Appends the node of a nonterminal and pushes its children.
    fn nonterminal(&mut self, symbol: SymbolId, part: Part, open: &mut Vec<Part>) {
        let at = self.chart.sets[part.from as usize].at as usize;
        let rank = |dot: DotId| {
            let choice = self.tables.dots[dot as usize].choice;
            let alternative = &self.grammar.alternatives(symbol)[choice as usize];
            (
                alternative.weight == 0.0,
                alternative.source.unwrap_or(choice),
            )
        };
        let fits_empty = |choice| {
            self.possible
                .as_ref()
                .is_none_or(|possible| possible.fits_empty(symbol, part.instance, choice))
        };
        if part.from == part.to {
            let empty = self
                .tables
                .entries(symbol)
                .iter()
                .copied()
                .filter(|&dot| self.tables.may_be_empty(dot));
            let empty = empty.filter(|&dot| fits_empty(self.tables.dots[dot as usize].choice));
            let Some(dot) = empty.min_by_key(|&dot| rank(dot)) else {
                return;
            };
            let choice = self.tables.dots[dot as usize].choice;
            self.node(symbol, choice, at);
            let alternative = &self.grammar.alternatives(symbol)[choice as usize];
            for (position, child) in self.grammar.children(alternative).iter().enumerate().rev() {
                let child = Part {
                    symbol: child.symbol,
                    done: NONE,
                    ..part
                };
                open.push(self.instantiated(part, (choice, position), child));
            }
            return;
        }
        let ways = self.ways(part).take(match self.takes_first {
            true => 1,
            false => usize::MAX,
        });
        let Some(mut item) = ways.min_by_key(|&how| rank(self.chart.item(how).dot())) else {
            return;
        };
        let choice = self.tables.dots[self.chart.item(item).dot() as usize].choice;
        self.node(symbol, choice, at);
        let children = self
            .grammar
            .children(&self.grammar.alternatives(symbol)[choice as usize]);
        let mut to = part.to;
        for (position, child) in children.iter().enumerate().rev() {
            let Some((before, part)) = self.last(part, (choice, position), *child, (item, to))
            else {
                break;
            };
            open.push(part);
            (item, to) = (before, part.from);
        }
    }

    /// Appends the node of a repetition and pushes its elements.
    fn repeat(&mut self, symbol: SymbolId, part: Part, open: &mut Vec<Part>) {
        let at = self.chart.sets[part.from as usize].at as usize;
        let node = self.nodes.len();
        self.node(symbol, 0, at);
        let Kind::Repeat { element, .. } = self.grammar[symbol].kind else {
            return;
        };
        if part.from == part.to {
            return;
        }
        let Some(mut item) = self.ways(part).next() else {
            return;
        };
        let (mut to, mut count) = (part.to, 0);
        while self.tables.dots[self.chart.item(item).dot() as usize].choice > 0 {
            let Some((before, element)) = self.last(part, (0, 0), element, (item, to)) else {
                break;
            };
            open.push(element);
            (item, to) = (before, element.from);
            count += 1;
        }
        self.nodes[node].choice = count;
    }

    /// Returns the items whose dot is at the end of a part and that fit its instance.
    fn ways(&self, part: Part) -> impl Iterator<Item = u32> {
        let fits = move |done: u32| {
            self.possible
                .as_ref()
                .is_none_or(|possible| possible.fits_way(part.symbol, done, part.instance))
        };
        self.chart
            .same(part.done)
            .filter(move |&(at, _)| fits(at))
            .map(|(_, done)| done.how)
    }

    /// Returns the part of a child with the instance that it must fit. `position` is the index of
    /// the alternative and the position of the child in it.
    fn instantiated(&self, parent: Part, position: (u32, usize), child: Part) -> Part {
        let Some(possible) = &self.possible else {
            return child;
        };
        let span = Constituent {
            symbol: child.symbol,
            done: child.done,
            to: child.to,
        };
        let instance = possible.child(parent.symbol, parent.instance, position, span);
        Part { instance, ..child }
    }

    /// Finds the last child before the dot of an item of the part `whole`. `end` is the item and
    /// its set. `position` is the index of the alternative and the position of the child in it.
    /// Returns the item whose dot is before the child, and the child.
    ///
    /// If the child can begin at several sets, the shortest child is chosen.
    fn last(
        &self,
        whole: Part,
        position: (u32, usize),
        child: Child,
        end: (u32, u32),
    ) -> Option<(u32, Part)> {
        let (item, to) = end;
        let dot = self.chart.item(item).dot();
        // If an item was made in only one way, that way fits the same instances as the item.
        let is_only = self.chart.item(item).step().is_some();
        let mut last: Option<(_, u32, Part)> = None;
        each_step(self.input, self.chart, end, |before, span| {
            let from = span.from(self.chart);
            let is_adjacent = child.is_adjacent || from == whole.from && whole.is_adjacent;
            let rank = (
                self.chart.item(before).dot() != dot,
                span.done != NONE,
                Reverse(from),
            );
            if last.as_ref().is_some_and(|(found, ..)| *found <= rank) {
                return;
            }
            let part = self.instantiated(
                whole,
                position,
                Part {
                    symbol: child.symbol,
                    from,
                    to,
                    is_adjacent,
                    done: span.done,
                    instance: child.symbol,
                },
            );
            let fits = |possible: &PossibleInstances<'_>| {
                possible.fits(span, part.instance)
                    && possible.fits_item(before, from, whole.instance)
            };
            if is_only || self.possible.as_ref().is_none_or(fits) {
                last = Some((rank, before, part));
            }
        });
        last.map(|(_, before, part)| (before, part))
    }
}
