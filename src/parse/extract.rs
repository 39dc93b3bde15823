//! Extraction of one derivation from the chart of a sentence.
//!
//! If a symbol derives a text in several ways, the alternative that the grammar lists first is chosen. If this alternative can
//! split the text among its children in several ways, the last child is made as short as possible, then the child before it, and
//! so on. So operators associate to the left if the grammar is ambiguous, and an `else` belongs to the last `if`.

mod token;

use std::collections::HashSet;

use super::chart::{Advance, Chart, Item, Key, NONE, key};
use super::matcher::Matcher;
use super::scan::{BlockedToken, Scanner};
use super::tables::{Dot, DotId, ParserTables};
use super::{Error, ParseInput};
use crate::derivation::{Derivation, Node};
use crate::grammar::{Child, FollowSet, Grammar, Kind, SymbolId, TerminalId};

/// A symbol whose nodes must still be appended, and the two sets at the ends of its text.
#[derive(Clone, Copy, Debug)]
struct Part {
    key: Key,
    from: u32,
    to: u32,
    /// Whether its first token must adjoin the token before it.
    adjoins: bool,
    /// The first completed item of the symbol over this text. `NONE` if the text is empty.
    done: u32,
}

/// A token or an element of layout that was read from the text.
#[derive(Clone, Copy, Debug)]
struct PlacedToken {
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
    /// The nodes of the last derivation that could have chosen another alternative, in preorder.
    pub ambiguous: Vec<Ambiguous>,
    /// Choices that must not be made, if there are others.
    pub refused: HashSet<Refused>,
}

/// A node that could have chosen another alternative.
#[derive(Clone, Copy, Debug)]
pub struct Ambiguous {
    pub node: usize,
    /// Its choice.
    pub choice: Refused,
}

/// The choice of an alternative for a symbol, and the two sets of the chart at the ends of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Refused {
    key: Key,
    from: u32,
    to: u32,
    choice: u32,
}

/// A token that follows another one without a separator, although the generator would write one.
#[derive(Clone, Copy, Debug)]
pub struct Conflict {
    /// The offset where the second token, or the layout before it, begins.
    at: usize,
    /// The tokens that can be blocked to resolve the conflict, in the order in which to try them.
    pub culprits: [Option<BlockedToken>; 3],
}

/// The state of an extraction.
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
    ambiguous: &'a mut Vec<Ambiguous>,
    refused: &'a HashSet<Refused>,
    /// The last token or element of layout.
    last_token: Option<PlacedToken>,
    /// The set of terminals that are allowed next.
    allowed: FollowSet,
    /// The token or element of layout after which reading layout failed last.
    meets: Option<PlacedToken>,
    /// The last two tokens, the last one second.
    tokens: [Option<PlacedToken>; 2],
}

/// Replaces `derivation` by the derivation of the whole text. The chart must be that of a sentence.
///
/// # Errors
/// [`Error::Glued`] if tokens without a separator between them would be separated; `parts.conflicts` has all such tokens then.
/// [`Error::Unclear`] if the matcher ran out of steps for a token. Other errors if the text reaches a limit.
pub fn extract(input: ParseInput<'_>, chart: &mut Chart, parts: &mut Parts, derivation: &mut Derivation) -> Result<(), Error> {
    let ParseInput { grammar, tables, scanner, text, .. } = input;
    derivation.clear();
    let mut matcher = std::mem::take(&mut chart.tokens.matcher);
    let allowed = grammar.boundaries().first_set();
    let nodes = &mut derivation.nodes;
    let Parts { open, conflicts, ambiguous, refused } = parts;
    conflicts.clear();
    ambiguous.clear();
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
        ambiguous,
        refused,
        last_token: None,
        allowed,
        meets: None,
        tokens: [None; 2],
    };
    let result = extraction.run(open);
    chart.tokens.matcher = matcher;
    result?;
    if let Some(Conflict { at, .. }) = conflicts.first() {
        return Err(Error::Glued(*at));
    }
    derivation.text.extend_from_slice(text);
    derivation.measure(grammar);
    Ok(())
}

impl Extraction<'_> {
    /// Appends the nodes of the start symbol. It uses the stack `open` instead of recursion.
    fn run(&mut self, open: &mut Vec<Part>) -> Result<(), Error> {
        open.clear();
        let (key, to) = (key(self.grammar.start(), false), self.chart.sets.len() as u32 - 1);
        let is_whole = |&done: &u32| (self.chart.done(done).key, self.chart.done(done).origin) == (key, 0);
        let done = self.chart.done_at(to).find(is_whole).unwrap_or(NONE);
        open.push(Part { key, from: 0, to, adjoins: false, done });
        while let Some(part) = open.pop() {
            self.input.fuel.spend(1);
            self.input.fuel.check(self.chart.sets[part.from as usize].token as usize)?;
            let symbol = SymbolId(part.key >> 1);
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
        self.nodes.push(Node { symbol, choice, size: 1, text: at as u32 });
    }

    /// Appends the node of a nonterminal and pushes its children.
    fn nonterminal(&mut self, symbol: SymbolId, part: Part, open: &mut Vec<Part>) {
        let at = self.chart.sets[part.from as usize].at as usize;
        let source = |dot: DotId| {
            let choice = self.tables.dots[dot as usize].choice;
            self.grammar.alternatives(symbol)[choice as usize].source.unwrap_or(choice)
        };
        if part.from == part.to {
            let empty = self.tables.entries(symbol).iter().copied().filter(|&dot| self.tables.may_be_empty(dot));
            let Some(dot) = empty.min_by_key(|&dot| source(dot)) else { return };
            let choice = self.tables.dots[dot as usize].choice;
            self.node(symbol, choice, at);
            let alternative = &self.grammar.alternatives(symbol)[choice as usize];
            for child in self.grammar.children(alternative).iter().rev() {
                open.push(Part { key: key(child.symbol, false), done: NONE, ..part });
            }
            return;
        }
        let Some((how, is_ambiguous)) = self.first_of(part, source) else { return };
        let mut item = self.chart.item(how);
        let choice = self.tables.dots[item.dot() as usize].choice;
        if is_ambiguous {
            let Part { key, from, to, .. } = part;
            self.ambiguous.push(Ambiguous { node: self.nodes.len(), choice: Refused { key, from, to, choice } });
        }
        self.node(symbol, choice, at);
        let children = self.grammar.children(&self.grammar.alternatives(symbol)[choice as usize]);
        let mut to = part.to;
        for child in children.iter().rev() {
            let Some((before, part)) = self.last(part, *child, item, &[item.dot() - 1], to) else { break };
            open.push(part);
            (item, to) = (before, part.from);
        }
    }

    /// Returns the completed item of a part whose alternative the grammar lists first, and whether there is another one that is not refused.
    /// `source` returns the position of an alternative in the grammar.
    #[inline(always)]
    fn first_of(&self, part: Part, source: impl Fn(DotId) -> u32) -> Option<(u32, bool)> {
        let mut all = self.chart.same(part.done);
        let how = all.next()?.how;
        let Part { key, from, to, .. } = part;
        let is_refused = |how: u32| {
            let choice = self.tables.dots[self.chart.item(how).dot() as usize].choice;
            !self.refused.is_empty() && self.refused.contains(&Refused { key, from, to, choice })
        };
        let rank = |how: u32| (is_refused(how), source(self.chart.item(how).dot()));
        let (mut best, mut allowed) = (how, u32::from(!is_refused(how)));
        for other in all {
            allowed += u32::from(!is_refused(other.how));
            best = if rank(other.how) < rank(best) { other.how } else { best };
        }
        Some((best, allowed > 1))
    }

    /// Appends the node of a repetition and pushes its elements.
    fn repeat(&mut self, symbol: SymbolId, part: Part, open: &mut Vec<Part>) {
        let at = self.chart.sets[part.from as usize].at as usize;
        let node = self.nodes.len();
        self.node(symbol, 0, at);
        let Kind::Repeat { element, .. } = self.grammar[symbol].kind else { return };
        if part.from == part.to {
            return;
        }
        let Some(done) = self.chart.same(part.done).next() else { return };
        let (mut item, mut to, mut count) = (self.chart.item(done.how), part.to, 0);
        loop {
            let dot = item.dot();
            let Dot { choice, after, .. } = self.tables.dots[dot as usize];
            if choice == 0 {
                break;
            }
            let dots = [dot, dot.wrapping_sub(1)];
            let Some((before, element)) = self.last(part, element, item, &dots[usize::from(after != dot)..], to) else { break };
            open.push(element);
            (item, to) = (before, element.from);
            count += 1;
        }
        self.nodes[node].choice = count;
    }

    /// Finds the last child before the dot of `item`, an item of the part `whole` at the set `to`. Returns the item before the
    /// child, and the child. The item before it has the first of `dots` that exists in the chart.
    ///
    /// If the child can begin at several sets, it is the shortest one, so that the children in front of it are long.
    fn last(&self, whole: Part, child: Child, item: &Item, dots: &[DotId], to: u32) -> Option<(&'_ Item, Part)> {
        let adjoins = |from: u32| child.is_adjacent || from == whole.from && whole.adjoins;
        let key_at = |from: u32| key(child.symbol, self.chart.sets[from as usize].splits && adjoins(from));
        let part = |done: u32| {
            let from = if done == NONE { to } else { self.chart.done(done).origin };
            Part { key: key_at(from), from, to, adjoins: adjoins(from), done }
        };
        if let Some(Advance { before, part: done }) = item.step() {
            return Some((self.chart.item(before), part(done)));
        }
        dots.iter().find_map(|&dot| {
            let find = |done: u32| {
                let part = part(done);
                let before = self.chart.find((part.from, part.key), (dot << 1 | whole.key & 1, whole.from), self.input.fuel)?;
                Some((self.chart.item(before), part))
            };
            let empty = self.tables.empty[child.symbol.0 as usize].then(|| find(NONE)).flatten();
            empty.or_else(|| {
                let mut last: Option<(&Item, Part)> = None;
                self.input.fuel.spend(self.chart.done_at(to).len());
                for at in self.chart.done_at(to) {
                    let done = self.chart.done(at);
                    let is_later = last.is_none_or(|(_, part)| part.from < done.origin);
                    if done.key >> 1 == child.symbol.0 && is_later && done.key == key_at(done.origin) {
                        last = find(at).or(last);
                    }
                }
                last
            })
        })
    }
}
