//! What the parser knows of a grammar: positions in rules, and the terminals that may come first and next.
//!
//! A *dot* is a position in an alternative or a count of elements of a repetition. Dots of one alternative follow each other.

use super::matcher::Matcher;
use crate::derivation::Node;
use crate::grammar::{Child, Excess, Grammar, Kind, LAYOUT, Nfa, SymbolId, is_closed};

/// A position in what a symbol derives.
pub type DotId = u32;

/// What comes next at a dot.
#[derive(Clone, Copy, Debug)]
pub struct Dot {
    /// What the dot is in.
    pub symbol: SymbolId,
    /// What may come next.
    pub next: Option<Child>,
    /// The dot behind it.
    pub after: DotId,
    /// Whether the symbol may end here.
    pub ends: bool,
    /// The index of the alternative; of a repetition, the count.
    pub choice: u32,
}

/// Sets of terminals, a row of words each.
#[derive(Clone, Debug, Default)]
pub struct Sets {
    words: usize,
    bits: Vec<u64>,
}

impl Sets {
    fn new(count: usize, terminals: usize) -> Sets {
        let words = terminals.div_ceil(64);
        Sets { words, bits: vec![0; count * words] }
    }

    #[inline(always)]
    pub fn row(&self, at: usize) -> &[u64] {
        &self.bits[at * self.words..(at + 1) * self.words]
    }

    fn has(&self, at: usize, terminal: usize) -> bool {
        self.row(at)[terminal / 64] >> (terminal % 64) & 1 != 0
    }

    fn add(&mut self, at: usize, terminal: usize) -> bool {
        let word = &mut self.bits[at * self.words + terminal / 64];
        let before = *word;
        *word |= 1 << (terminal % 64);
        *word != before
    }

    /// Adds one row to another.
    fn join(&mut self, into: usize, from: usize) -> bool {
        let mut grew = false;
        for word in 0..self.words {
            let from = self.bits[from * self.words + word];
            let into = &mut self.bits[into * self.words + word];
            grew |= from & !*into != 0;
            *into |= from;
        }
        grew
    }

    fn join_of(&mut self, into: usize, other: &Sets, from: usize) -> bool {
        let mut grew = false;
        for (into, from) in self.bits[into * self.words..].iter_mut().zip(other.row(from)) {
            grew |= from & !*into != 0;
            *into |= from;
        }
        grew
    }
}

/// Whether two sets have anything in common.
#[inline(always)]
pub fn meet(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).any(|(one, other)| one & other != 0)
}

/// How the texts of a terminal are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// By the automaton.
    Exact,
    /// By the automaton, which says too much, as it does not count; so what it finds is matched.
    Checked,
    /// The automaton says far too much, as tokens within themselves are no regular language: they are matched from where they
    /// begin.
    Matched,
}

impl Reading {
    fn of(grammar: &Grammar, token: SymbolId) -> Reading {
        let mut nfa = Nfa::new(grammar.tables(), grammar.derives_bytes(), false);
        let is_there = nfa.add(token, 0).is_ok() && !grammar.boundaries().separates_all();
        match nfa.take_excess() {
            Excess::None if is_there => Reading::Exact,
            Excess::Counts if is_there => Reading::Checked,
            _ => Reading::Matched,
        }
    }
}

/// See the module's text.
#[derive(Debug)]
pub struct Tables {
    pub dots: Vec<Dot>,
    /// The first dots of every symbol, as a range of `entries`.
    entries: Vec<u32>,
    entry_of: Vec<(u32, u32)>,
    /// Whether a symbol may be empty.
    pub empty: Vec<bool>,
    /// Which rows of the sets belong to a symbol that is no lexeme.
    rows: Vec<u32>,
    /// The terminals that a symbol may begin with.
    first: Sets,
    /// The terminals that may come after a symbol; the one behind the last is the end of the text.
    follow: Sets,
    /// Of every terminal, the letters that an adjoining token after it may begin with.
    adjoining: Sets,
    /// The same, if a longer text of the terminal might be wrong.
    parting: Sets,
    /// Of every terminal, the letters that its texts may begin with.
    beginning: Sets,
    /// The letters with which layout may begin, and tokens that need not adjoin.
    blank: Vec<bool>,
    has_blank: bool,
    /// How the texts of every terminal are found, and which are matched.
    pub readings: Vec<Reading>,
    pub matched: Vec<u32>,
    /// The token of every terminal.
    pub bodies: Vec<SymbolId>,
    /// Of every state of the automaton, whether a token that it reads may go on.
    pub goes_on: Vec<bool>,
    /// The terminal of every lexeme.
    pub terminals: Vec<u32>,
    /// The number of terminals; also the number of the end of the text.
    pub end: usize,
}

impl Tables {
    pub fn new(grammar: &Grammar) -> Tables {
        let symbols = grammar.symbols().len();
        let end = grammar.boundaries().terminals();
        let (mut dots, mut entries, mut entry_of) = (Vec::new(), Vec::new(), vec![(0, 0); symbols]);
        let mut terminals = vec![u32::MAX; symbols];
        let syntax = syntax(grammar);
        for (at, symbol) in (0..).zip(grammar.symbols()) {
            let id = SymbolId(at);
            let from = entries.len() as u32;
            match &symbol.kind {
                Kind::Nonterminal { .. } if syntax[at as usize] => {
                    for (choice, alternative) in (0..).zip(grammar.alternatives(id)) {
                        entries.push(dots.len() as u32);
                        for child in grammar.children(alternative) {
                            let after = dots.len() as u32 + 1;
                            dots.push(Dot { symbol: id, next: Some(*child), after, ends: false, choice });
                        }
                        dots.push(Dot { symbol: id, next: None, after: 0, ends: true, choice });
                    }
                }
                &Kind::Repeat { element, at_least, at_most, .. } if syntax[at as usize] => {
                    entries.push(dots.len() as u32);
                    let last = if at_most == u32::MAX { at_least.max(1) } else { at_most };
                    for choice in 0..=last {
                        let here = dots.len() as u32;
                        let next = (choice < at_most).then_some(element);
                        let after = if choice < last { here + 1 } else { here };
                        dots.push(Dot { symbol: id, next, after, ends: choice >= at_least, choice });
                    }
                }
                Kind::Lexeme { place, .. } => terminals[at as usize] = grammar.boundaries().terminal(*place).0,
                _ => {}
            }
            entry_of[at as usize] = (from, entries.len() as u32);
        }
        let mut bodies = vec![grammar.start(); end];
        for symbol in grammar.symbols() {
            if let Kind::Lexeme { body, place, .. } = symbol.kind {
                bodies[grammar.boundaries().terminal(place).0 as usize] = body;
            }
        }
        if let Some(layout) = grammar.layout() {
            bodies[LAYOUT.0 as usize] = layout.element;
        }
        let readings: Vec<Reading> = bodies
            .iter()
            .enumerate()
            .map(|(at, &body)| match at != LAYOUT.0 as usize || grammar.layout().is_some() {
                true => Reading::of(grammar, body),
                false => Reading::Exact,
            })
            .collect();
        let matched = (1..end as u32).filter(|&terminal| readings[terminal as usize] == Reading::Matched).collect();
        let by_automaton = |&terminal: &u32| terminal != LAYOUT.0 && readings[terminal as usize] != Reading::Matched;
        let goes_on = grammar.boundaries().viable_in().iter().map(|viable| viable.iter().any(by_automaton)).collect();
        let mut beginning = Sets::new(end + 1, grammar.boundaries().letters());
        for (letter, viable) in grammar.boundaries().by_first_letter().enumerate() {
            for &terminal in viable {
                beginning.add(terminal as usize, letter);
            }
        }
        let mut loose = vec![false; end];
        for symbol in grammar.symbols() {
            if let Kind::Lexeme { place, layout: true, .. } = symbol.kind {
                loose[grammar.boundaries().terminal(place).0 as usize] = true;
            }
        }
        let is_loose = |&terminal: &u32| terminal != LAYOUT.0 && loose[terminal as usize];
        let begins = grammar.boundaries().by_first_letter();
        let blank: Vec<bool> = begins.map(|viable| viable.first() == Some(&LAYOUT.0) && viable.iter().any(is_loose)).collect();
        let mut count = 0;
        let rows: Vec<u32> = entry_of
            .iter()
            .map(|&(from, to)| match from < to {
                true => {
                    count += 1;
                    count as u32 - 1
                }
                false => u32::MAX,
            })
            .collect();
        let mut tables = Tables {
            has_blank: blank.contains(&true),
            blank,
            beginning,
            readings,
            matched,
            bodies,
            goes_on,
            first: Sets::new(count, end + 1),
            follow: Sets::new(count, end + 1),
            rows,
            adjoining: Sets::new(end + 1, grammar.boundaries().letters()),
            parting: Sets::new(end + 1, grammar.boundaries().letters()),
            empty: (0..symbols).map(|at| is_empty_leaf(grammar, SymbolId(at as u32))).collect(),
            dots,
            entries,
            entry_of,
            terminals,
            end,
        };
        tables.find_first();
        tables.find_follow(grammar);
        tables.find_adjoining(grammar);
        tables
    }

    /// The dots that a symbol begins with.
    #[inline(always)]
    pub fn entries(&self, symbol: SymbolId) -> &[DotId] {
        let (from, to) = self.entry_of[symbol.0 as usize];
        &self.entries[from as usize..to as usize]
    }

    /// The end of the piece of layout that begins at a byte, if one does: the longest.
    pub fn piece(
        &self,
        grammar: &Grammar,
        matcher: &mut Matcher,
        nodes: &mut Vec<Node>,
        text: &[u8],
        from: usize,
    ) -> Option<usize> {
        let layout = grammar.layout()?;
        if from == text.len() || !self.begins(grammar, LAYOUT.0, &text[from..]) {
            return None;
        }
        let mut end = from;
        if self.readings[LAYOUT.0 as usize] != Reading::Exact {
            let before = nodes.len();
            end = matcher.append(grammar, layout.element, text, from, false, nodes).unwrap_or(from);
            nodes.truncate(before);
        } else {
            let viable = grammar.boundaries().viable_in();
            grammar.boundaries().read(
                &text[from..],
                |length, terminals| end = if terminals[0] == LAYOUT.0 { from + length } else { end },
                |state| viable[state as usize].first() == Some(&LAYOUT.0),
            );
        }
        (end > from).then_some(end)
    }

    /// Whether any token may begin like a piece of layout.
    #[inline(always)]
    pub fn has_blank_tokens(&self) -> bool {
        self.has_blank
    }

    /// Whether a token may begin like a piece of layout, as this text does.
    #[inline(always)]
    pub fn begins_blank(&self, grammar: &Grammar, text: &[u8]) -> bool {
        self.blank.get(usize::from(grammar.boundaries().letter(text))).copied().unwrap_or(false)
    }

    /// Whether a text of a terminal may begin with a letter.
    #[inline(always)]
    pub fn begins(&self, grammar: &Grammar, terminal: u32, text: &[u8]) -> bool {
        let boundaries = grammar.boundaries();
        boundaries.separates_all() || self.beginning.has(terminal as usize, boundaries.letter(text).into())
    }

    /// Whether a token that adjoins a text of a terminal may begin with a letter.
    #[inline(always)]
    pub fn may_adjoin(&self, terminal: u32, letter: u16) -> bool {
        self.adjoining.has(terminal as usize, letter.into())
    }

    /// Whether a text of a terminal may end before a letter, although there is a longer one.
    #[inline(always)]
    pub fn may_part(&self, terminal: u32, letter: u16) -> bool {
        self.parting.has(terminal as usize, letter.into())
    }

    /// The dots of one entry, in order.
    fn sequence(&self, entry: DotId) -> impl Iterator<Item = DotId> + '_ {
        std::iter::successors(Some(entry), |&dot| {
            let Dot { next, after, .. } = self.dots[dot as usize];
            (next.is_some() && after > dot).then_some(after)
        })
    }

    /// Whether what comes next at a dot, within its symbol, may begin with one of some terminals.
    #[inline(always)]
    pub fn begins_with(&self, mut dot: DotId, look: &[u64]) -> bool {
        loop {
            let Dot { next, after, .. } = self.dots[dot as usize];
            let Some(child) = next else { return false };
            let symbol = child.symbol.0 as usize;
            let found = match self.terminals[symbol] {
                u32::MAX => meet(self.first.row(self.rows[symbol] as usize), look),
                terminal => look[terminal as usize / 64] >> (terminal % 64) & 1 != 0,
            };
            if found || !self.empty[symbol] || after == dot {
                return found;
            }
            dot = after;
        }
    }

    /// Adds the terminals that may come next at a dot to a set, within its symbol and behind it.
    #[inline(always)]
    pub fn add_next(&self, mut dot: DotId, set: &mut [u64]) {
        let add = |set: &mut [u64], row: &[u64]| set.iter_mut().zip(row).for_each(|(into, from)| *into |= from);
        loop {
            let Dot { symbol, next, after, ends, .. } = self.dots[dot as usize];
            if ends {
                add(set, self.follow.row(self.rows[symbol.0 as usize] as usize));
            }
            let Some(child) = next else { return };
            let child = child.symbol.0 as usize;
            match self.terminals[child] {
                u32::MAX => add(set, self.first.row(self.rows[child] as usize)),
                terminal => set[terminal as usize / 64] |= 1 << (terminal % 64),
            }
            if !self.empty[child] || after == dot {
                return;
            }
            dot = after;
        }
    }

    /// Whether what comes next at a dot may be nothing.
    pub fn may_be_empty(&self, dot: DotId) -> bool {
        self.sequence(dot).all(|dot| {
            let Dot { next, ends, .. } = self.dots[dot as usize];
            ends || next.is_some_and(|child| self.empty[child.symbol.0 as usize])
        })
    }

    /// Whether a symbol may come before one of some terminals.
    #[inline(always)]
    pub fn may_precede(&self, symbol: SymbolId, look: &[u64]) -> bool {
        meet(self.follow.row(self.rows[symbol.0 as usize] as usize), look)
    }

    /// Adds what comes next at a dot, within its symbol, to a row; whether that grew, and whether all of it may be empty.
    fn add_first(&self, mut dot: DotId, into: usize, sets: &mut Sets, own: bool) -> (bool, bool) {
        let mut grew = false;
        loop {
            let Dot { next, after, ends, .. } = self.dots[dot as usize];
            let Some(child) = next else { return (grew, ends) };
            let symbol = child.symbol.0 as usize;
            grew |= match self.terminals[symbol] {
                u32::MAX if own => sets.join(into, self.rows[symbol] as usize),
                u32::MAX => sets.join_of(into, &self.first, self.rows[symbol] as usize),
                terminal => sets.add(into, terminal as usize),
            };
            if !self.empty[symbol] || after == dot {
                return (grew, ends);
            }
            dot = after;
        }
    }

    fn find_first(&mut self) {
        let mut first = std::mem::take(&mut self.first);
        let mut changed = true;
        while changed {
            changed = false;
            for entry in (0..self.entries.len()).rev() {
                let dot = self.entries[entry];
                let symbol = self.dots[dot as usize].symbol.0 as usize;
                let (grew, empty) = self.add_first(dot, self.rows[symbol] as usize, &mut first, true);
                changed |= grew | (empty && !std::mem::replace(&mut self.empty[symbol], true));
            }
        }
        self.first = first;
    }

    fn find_follow(&mut self, grammar: &Grammar) {
        let mut follow = std::mem::take(&mut self.follow);
        follow.add(self.rows[grammar.start().0 as usize] as usize, self.end);
        let mut changed = true;
        while changed {
            changed = false;
            for dot in 0..self.dots.len() {
                let Dot { symbol, next, after, .. } = self.dots[dot];
                let Some(child) = next.filter(|child| self.rows[child.symbol.0 as usize] != u32::MAX) else { continue };
                let into = self.rows[child.symbol.0 as usize] as usize;
                let (grew, empty) = self.add_first(after, into, &mut follow, false);
                changed |= grew;
                if empty {
                    changed |= follow.join(into, self.rows[symbol.0 as usize] as usize);
                }
            }
        }
        self.follow = follow;
    }

    /// Which letters adjoin: of what a child that adjoins, or one at the beginning of such a child, begins with, after what may
    /// end before it.
    fn find_adjoining(&mut self, grammar: &Grammar) {
        let mut begins = vec![false; grammar.symbols().len()];
        let mut last = Sets::new(self.first.bits.len() / self.first.words.max(1), self.end + 1);
        let adjoins =
            |begins: &[bool], child: Child| child.adjoins || begins[child.symbol.0 as usize] || is_tight(grammar, child);
        let mut changed = true;
        while changed {
            changed = false;
            for &entry in &self.entries {
                let dots: Vec<DotId> = self.sequence(entry).collect();
                let symbol = self.dots[entry as usize].symbol.0 as usize;
                let children = |dot: &DotId| self.dots[*dot as usize].next;
                for child in dots.iter().filter_map(children) {
                    changed |= adjoins(&begins, child) && !std::mem::replace(&mut begins[symbol], true);
                    if !self.empty[child.symbol.0 as usize] {
                        break;
                    }
                }
                let is_repeat = matches!(grammar[SymbolId(symbol as u32)].kind, Kind::Repeat { .. });
                for child in dots.iter().rev().filter_map(children) {
                    let (at, into) = (child.symbol.0 as usize, self.rows[symbol] as usize);
                    changed |= match self.terminals[at] {
                        u32::MAX => last.join(into, self.rows[at] as usize),
                        terminal => last.add(into, terminal as usize),
                    };
                    if !self.empty[at] || is_repeat {
                        break;
                    }
                }
            }
        }
        let letters: Vec<Vec<u32>> = grammar.boundaries().by_first_letter().map(<[u32]>::to_vec).collect();
        let closed: Vec<bool> = self.bodies.iter().map(|&body| is_closed_token(grammar, body)).collect();
        let (mut adjoining, mut parting) = (std::mem::take(&mut self.adjoining), std::mem::take(&mut self.parting));
        let mut link = |lasts: &Sets, firsts: &Sets| {
            let viable = letters.iter().map(|viable| viable.iter().copied().filter(|&next| next != LAYOUT.0));
            for (letter, viable) in viable.enumerate() {
                let comes: Vec<u32> = viable.filter(|&next| firsts.has(0, next as usize)).collect();
                for terminal in (0..self.end).filter(|&terminal| !comes.is_empty() && lasts.has(0, terminal)) {
                    adjoining.add(terminal, letter);
                    // Two texts of some terminals are one text of it, which is meant then.
                    if comes.iter().any(|&next| !(next as usize == terminal && closed[terminal])) {
                        parting.add(terminal, letter);
                    }
                }
            }
        };
        for &entry in &self.entries {
            let dots: Vec<DotId> = self.sequence(entry).collect();
            if !dots.iter().any(|&dot| self.dots[dot as usize].next.is_some_and(|child| adjoins(&begins, child))) {
                continue;
            }
            let mut lasts = Sets::new(1, self.end + 1);
            // Elements of a repetition follow each other.
            let symbol = self.dots[entry as usize].symbol;
            let follows = matches!(grammar[symbol].kind, Kind::Repeat { at_most, .. } if at_most > 1);
            let again = if follows { &dots[..] } else { &[] };
            for &dot in dots.iter().chain(again) {
                let Some(child) = self.dots[dot as usize].next else { continue };
                let at = child.symbol.0 as usize;
                if adjoins(&begins, child) {
                    let mut firsts = Sets::new(1, self.end + 1);
                    self.add_first(dot, 0, &mut firsts, false);
                    link(&lasts, &firsts);
                }
                if !self.empty[at] {
                    lasts.bits.fill(0);
                }
                match self.terminals[at] {
                    u32::MAX => lasts.join_of(0, &last, self.rows[at] as usize),
                    terminal => lasts.add(0, terminal as usize),
                };
            }
        }
        (self.adjoining, self.parting) = (adjoining, parting);
    }
}

/// The symbols of syntax: what the start symbol derives, down to lexemes.
fn syntax(grammar: &Grammar) -> Vec<bool> {
    let mut reached = vec![false; grammar.symbols().len()];
    let mut open = vec![grammar.start()];
    while let Some(symbol) = open.pop() {
        if std::mem::replace(&mut reached[symbol.0 as usize], true) {
            continue;
        }
        match &grammar[symbol].kind {
            Kind::Nonterminal { .. } => {
                for alternative in grammar.alternatives(symbol) {
                    open.extend(grammar.children(alternative).iter().map(|child| child.symbol));
                }
            }
            Kind::Repeat { element, .. } => open.push(element.symbol),
            _ => {}
        }
    }
    reached
}

/// Whether two texts of a token, one after the other, always are one text of it.
fn is_closed_token(grammar: &Grammar, token: SymbolId) -> bool {
    let mut nfa = Nfa::new(grammar.tables(), grammar.derives_bytes(), false);
    nfa.add(token, 0).is_ok_and(|start| nfa.take_excess() == Excess::None && is_closed(&nfa, start))
}

/// A lexeme that never has layout before it.
fn is_tight(grammar: &Grammar, child: Child) -> bool {
    matches!(grammar[child.symbol].kind, Kind::Lexeme { layout: false, .. })
}

fn is_empty_leaf(grammar: &Grammar, symbol: SymbolId) -> bool {
    match grammar[symbol].kind {
        Kind::Lexeme { body, .. } => grammar[body].shortest == 0,
        _ => false,
    }
}
