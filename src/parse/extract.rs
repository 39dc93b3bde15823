//! One derivation out of a chart: the one that a person means.
//!
//! Of the derivations of a symbol over the same text, the one by the alternative that stands first in the grammar is taken;
//! then parts take as much text as they can, those in front first. So operators associate to the left if the grammar does not
//! say, and an `else` belongs to the last `if`.

use std::ops::Range;

use super::chart::{Chart, Done, Item, Key, NONE, Step, key};
use super::matcher::{Matcher, Stretch};
use super::scan::{Scanner, Veto};
use super::tables::{Dot, DotId, Tables};
use super::{Error, Input};
use crate::derivation::{BARE, Derivation, Node};
use crate::grammar::{Child, Grammar, Kind, LAYOUT, Row, SymbolId, TerminalId};

/// A symbol and the sets that its text lies between.
#[derive(Clone, Copy, Debug)]
struct Part {
    key: Key,
    from: u32,
    to: u32,
    /// Whether its first token adjoins.
    adjoins: bool,
    /// What says that it is complete, the first; `NONE` if it is empty.
    done: u32,
}

/// The last token or piece of layout.
#[derive(Clone, Copy, Debug)]
struct Piece {
    from: usize,
    to: usize,
    terminal: TerminalId,
    row: Row,
    symbol: SymbolId,
}

/// Memory of the extraction.
#[derive(Debug, Default)]
pub struct Parts {
    open: Vec<Part>,
    pub conflicts: Vec<Conflict>,
}

/// A token that would be separated from the one before it, although it is not.
#[derive(Clone, Copy, Debug)]
pub struct Conflict {
    /// Where they meet.
    at: usize,
    /// What should be otherwise, one of them.
    pub culprits: [Option<Veto>; 3],
}

struct Extraction<'a> {
    input: Input<'a>,
    grammar: &'a Grammar,
    tables: &'a Tables,
    scanner: &'a Scanner,
    text: &'a [u8],
    chart: &'a Chart,
    matcher: &'a mut Matcher,
    nodes: &'a mut Vec<Node>,
    conflicts: &'a mut Vec<Conflict>,
    piece: Option<Piece>,
    row: Row,
    /// The piece that the last token which could not be where it was met.
    meets: Option<Piece>,
    /// The last two tokens.
    tokens: [Option<Piece>; 2],
}

/// Replaces a derivation by that of the whole text, which the chart says is a sentence; or says where it could not be told how
/// a token derives its text.
pub fn extract(input: Input<'_>, chart: &mut Chart, parts: &mut Parts, derivation: &mut Derivation) -> Result<(), Error> {
    let Input { grammar, tables, scanner, text, .. } = input;
    derivation.clear();
    let mut matcher = std::mem::take(&mut chart.tokens.matcher);
    let row = grammar.boundaries().first_row();
    let nodes = &mut derivation.nodes;
    let Parts { open, conflicts } = parts;
    conflicts.clear();
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
        piece: None,
        row,
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

    fn node(&mut self, symbol: SymbolId, choice: u32, at: usize) {
        self.nodes.push(Node { symbol, choice, size: 1, text: at as u32 });
    }

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
        let Some(how) = self.first_of(part.done, source) else { return };
        let mut item = self.chart.item(how);
        let choice = self.tables.dots[item.dot() as usize].choice;
        self.node(symbol, choice, at);
        let children = self.grammar.children(&self.grammar.alternatives(symbol)[choice as usize]);
        let mut to = part.to;
        for child in children.iter().rev() {
            let Some((before, part)) = self.last(part, *child, item, &[item.dot() - 1], to) else { break };
            open.push(part);
            (item, to) = (before, part.from);
        }
    }

    /// Of what is complete of a nonterminal, the item whose alternative stands first.
    #[inline(always)]
    fn first_of(&self, first: u32, source: impl Fn(DotId) -> u32) -> Option<u32> {
        let mut all = self.chart.same(first);
        let how = all.next()?.how;
        let best = |best: u32, other: &Done| {
            let is_first = source(self.chart.item(other.how).dot()) < source(self.chart.item(best).dot());
            if is_first { other.how } else { best }
        };
        Some(all.fold(how, best))
    }

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

    /// The last child of a part that ends at a set, where `item` is behind it; the item before it, at the first of these dots.
    /// Of several children the shortest.
    fn last(&self, whole: Part, child: Child, item: &Item, dots: &[DotId], to: u32) -> Option<(&'_ Item, Part)> {
        let adjoins = |from: u32| child.adjoins || from == whole.from && whole.adjoins;
        let key_at = |from: u32| key(child.symbol, self.chart.sets[from as usize].splits && adjoins(from));
        let part = |done: u32| {
            let from = if done == NONE { to } else { self.chart.done(done).origin };
            Part { key: key_at(from), from, to, adjoins: adjoins(from), done }
        };
        if let Some(Step { before, part: done }) = item.step() {
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

    fn lexeme(&mut self, symbol: SymbolId, part: Part) -> Result<(), Error> {
        let Kind::Lexeme { body, place, layout } = self.grammar[symbol].kind else { return Ok(()) };
        let set = self.chart.sets[part.from as usize];
        let (at, end) = (set.at as usize, self.chart.sets[part.to as usize].at as usize);
        let node = self.nodes.len();
        self.node(symbol, 0, at);
        let mut from = at;
        if end > at {
            // Its token may begin at several places, if it may begin with layout.
            let mut starts = self.chart.same(part.done).map(|done| done.how as usize);
            from = starts.next().unwrap_or(at);
            let fits = layout && !part.adjoins;
            let mut choice = if fits { self.layout_before(from..end, at) } else { Some(0) };
            while let (None, Some(start)) = (choice, starts.next()) {
                from = start;
                choice = self.layout_before(from..end, at);
            }
            self.nodes[node].choice = choice.unwrap_or_else(|| {
                // The last token is longer than it was taken to be, or should stand elsewhere in the grammar, as should the one
                // before that says what may come; or this one should begin elsewhere.
                let is_layout = self.meets.is_some_and(|piece| piece.terminal == LAYOUT);
                let veto = |piece: Piece| Veto { from: piece.from as u32, to: piece.to as u32, symbol: piece.symbol.0 };
                let token = Veto { from: from as u32, to: end as u32, symbol: symbol.0 };
                let [before, last] = self.tokens.map(|token| token.map(veto));
                self.conflicts.push(Conflict { at, culprits: [last.filter(|_| !is_layout), Some(token), before] });
                0
            });
        }
        if !matches!(self.grammar[body].kind, Kind::Literal { .. }) {
            let stretch = Stretch { text: &self.text[..end], from, all: true, fuel: self.input.fuel };
            if self.matcher.append(self.grammar, body, stretch, self.nodes).is_err() {
                self.input.fuel.check(from)?;
                return Err(Error::Unclear(from));
            }
        }
        if end > from {
            let boundaries = self.grammar.boundaries();
            self.piece = Some(Piece { from, to: end, terminal: boundaries.terminal(place), row: self.row, symbol });
            self.tokens = [self.tokens[1], self.piece];
            self.row = boundaries.row_after(place);
        }
        Ok(())
    }

    /// Appends the layout from byte `at` to a token; the choice that it is, if it can be.
    fn layout_before(&mut self, token: Range<usize>, at: usize) -> Option<u32> {
        let (nodes, last) = (self.nodes.len(), self.piece);
        for bare in [0, BARE] {
            if let Some(pieces) = self.layout(at, token.clone(), bare != 0) {
                return Some(bare | pieces);
            }
            self.nodes.truncate(nodes);
            self.meets = std::mem::replace(&mut self.piece, last);
        }
        None
    }

    /// Appends the pieces of layout before a token, but for separators that are put there anyway; how many. `None` if it cannot
    /// be so.
    fn layout(&mut self, mut at: usize, token: Range<usize>, bare: bool) -> Option<u32> {
        let mut count = 0;
        while at < token.start {
            if let Some(length) = self.separator(at, &token).filter(|_| !bare) {
                at += length;
                if at == token.start {
                    return Some(count);
                }
            }
            let mut end = self.scanner.piece(self.input, self.matcher, self.nodes, at..token.start)?;
            if end == token.start && end > at + 1 && !bare && self.ends_separated(at..end, &token) {
                end -= 1;
            }
            if !self.may_come(at..end, LAYOUT, bare) && self.piece.is_some_and(|last| last.to == at) {
                return None;
            }
            let element = self.grammar.layout()?.element;
            self.matcher
                .append(
                    self.grammar,
                    element,
                    Stretch { text: &self.text[..end], from: at, all: true, fuel: self.input.fuel },
                    self.nodes,
                )
                .ok()?;
            self.piece = Some(Piece { from: at, to: end, terminal: LAYOUT, row: self.row, symbol: element });
            (at, count) = (end, count + 1);
        }
        let is_empty = token.is_empty();
        (is_empty || self.may_come(token, TerminalId(u32::MAX), bare)).then_some(count)
    }

    /// Whether a piece of layout is a separator longer than need be, which is put before the token: one that begins like layout.
    fn ends_separated(&self, piece: Range<usize>, token: &Range<usize>) -> bool {
        let (before, after) = (&self.text[piece.start..piece.end - 1], &self.text[token.clone()]);
        !token.is_empty()
            && self.grammar.boundaries().glues(self.row, LAYOUT, before, after)
            && self.grammar.separator((self.row, LAYOUT, before), (self.row, after)) == &self.text[piece.end - 1..piece.end]
    }

    /// Whether a text may come next without a separator.
    fn may_come(&self, text: Range<usize>, terminal: TerminalId, bare: bool) -> bool {
        let Some(last) = self.piece else { return true };
        let (before, next) = (&self.text[last.from..last.to], &self.text[text]);
        let boundaries = self.grammar.boundaries();
        !boundaries.glues(last.row, last.terminal, before, next)
            || terminal == LAYOUT && self.is_blank(last)
            || bare && boundaries.part(last.row, before, next)
    }

    /// Whether a piece is white space, which more of it may follow.
    fn is_blank(&self, piece: Piece) -> bool {
        piece.terminal == LAYOUT && self.text[piece.from..piece.to].iter().all(|&byte| self.grammar.is_blank(byte))
    }

    /// The length of the separator that is put at a byte, between the last piece and what comes next.
    fn separator(&self, at: usize, token: &Range<usize>) -> Option<usize> {
        let last = self.piece.filter(|last| last.to == at)?;
        let before = &self.text[last.from..last.to];
        let separators = &self.grammar.layout()?.separators;
        let found = separators.iter().find(|separator| {
            let after = at + separator.len();
            if !self.text[at..token.start].starts_with(separator) || after == token.end {
                return false;
            }
            let next = &self.text[after..token.end];
            let is_exempt = after < token.start && self.is_blank(last);
            self.grammar.boundaries().glues(last.row, last.terminal, before, next)
                && !is_exempt
                && self.grammar.separator((last.row, last.terminal, before), (self.row, next)) == &separator[..]
        });
        found.map(|separator| separator.len())
    }
}
