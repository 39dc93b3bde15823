//! Draws the choices of a sentence by probabilities, in the order of the sentence, in a grammar with
//! names.
//!
//! PTC2 plans symbols in random order, so it cannot know which names are visible at a symbol. This
//! module draws each alternative among those that can be completed with visible names. The number
//! of expansions is limited as in PTC2. The number of bytes is limited to the mean number that the
//! samples have for as many expansions. When a limit is reached, each further choice is the
//! smallest one.
//!
//! The letters of names in the samples are not learned. A use takes a visible name by its recency.
//! A declaration takes any name that the scope does not have.

use rand::RngExt;

use super::{PlannedChoice, Ptc2Generator};
use crate::derive::{AlternativesInScope, At, Case, ChoiceSource};
use crate::grammar::{Class, Grammar, Kind, SymbolId};
use crate::weights::Probabilities;
use crate::weights::choice_kind::{ChoiceKind, Enclosing, OTHERS, is_expansion};
use crate::weights::cost::{NEVER, first};

/// The layout before one token is drawn freely only up to a part of the limit of bytes: the limit
/// divided by this number. Otherwise one comment could take all bytes of a sentence.
const LAYOUT: usize = 16;

/// The memory of [`ScopedDraws`].
#[derive(Debug, Default)]
pub(super) struct ScopedBuffers {
    /// By depth: the number of symbols that are still to be expanded there.
    open: Vec<usize>,
    /// The choices around the current symbol, the outermost first. Choices of
    /// [`Ptc2Generator::context`] have no depth.
    enclosing: Vec<(Option<usize>, Enclosing)>,
}

/// A choice source that draws by probabilities.
pub(super) struct ScopedDraws<'a> {
    generator: &'a mut Ptc2Generator,
    probabilities: &'a Probabilities,
    /// The number of expansions after which the sentence is completed (`limit`), and the number of
    /// bytes (`limit_of_bytes`).
    limit: usize,
    limit_of_bytes: usize,
    /// The number of bytes so far.
    written: usize,
    /// The number of bytes so far, plus the minimum number of bytes of the rest of the sentence.
    needed: usize,
    /// The number of bytes that were left under the cap when the sentence began.
    left: Option<u32>,
    /// While layout is drawn: the depth of the token after it, and the number of bytes at which the
    /// layout is completed.
    layout: Option<(usize, usize)>,
    /// The number of expansions so far.
    expanded: usize,
    /// The number of symbols that are still to be expanded around the current one.
    open: usize,
    depth: usize,
    /// The depth of a token that gets a text of the samples. The generator replays the choices of
    /// this text.
    word: Option<usize>,
}

impl<'a> ScopedDraws<'a> {
    pub fn new(
        generator: &'a mut Ptc2Generator,
        probabilities: &'a Probabilities,
        limit: usize,
    ) -> ScopedDraws<'a> {
        let Ptc2Generator {
            context, scoped, ..
        } = &mut *generator;
        scoped.open.clear();
        scoped.enclosing.clear();
        let enclosing = context.iter().map(|&choice| (None, choice));
        scoped.enclosing.extend(enclosing);
        ScopedDraws {
            generator,
            probabilities,
            limit,
            limit_of_bytes: (limit as f64 / probabilities.expansions_per_byte()) as usize,
            written: 0,
            needed: 0,
            left: None,
            layout: None,
            expanded: 0,
            open: 0,
            depth: 0,
            word: None,
        }
    }

    /// Returns whether the sentence is completed with the smallest choices.
    fn is_closing(&self) -> bool {
        self.expanded + self.open >= self.limit
            || self.needed >= self.limit_of_bytes
            || self.layout.is_some_and(|(_, limit)| self.written >= limit)
    }

    /// Returns the number of symbols that may still be opened.
    fn room(&self) -> u32 {
        (self.limit.saturating_sub(self.expanded + self.open)) as u32
    }

    fn draw(&mut self, symbol: SymbolId, choice_kind: ChoiceKind) -> u32 {
        let Ptc2Generator { scoped, rng, .. } = &mut *self.generator;
        let enclosing = scoped.enclosing.iter().rev().map(|&(_, choice)| choice);
        self.probabilities.draw(symbol, choice_kind, enclosing, rng)
    }

    /// Decides at random whether a token gets a text of the samples whose derivation begins with
    /// `choice`. If so, the choices of the text are replayed from now on. Returns whether it does.
    fn begin_word(&mut self, symbol: SymbolId, choice: u32) -> bool {
        let Some(word) = (self.probabilities).word((symbol, choice), &mut self.generator.rng)
        else {
            return false;
        };
        let Ptc2Generator {
            planned, members, ..
        } = &mut *self.generator;
        planned.clear();
        members.clear();
        for choice in &self.probabilities.planned[word.start as usize..word.end as usize] {
            let from = members.len() as u32;
            let of_choice = choice.members.start as usize..choice.members.end as usize;
            members.extend_from_slice(&self.probabilities.members[of_choice]);
            planned.push(PlannedChoice {
                level: self.depth as u32 + choice.level,
                members: from..members.len() as u32,
                ..choice.clone()
            });
        }
        if planned.first().is_none_or(|choice| choice.symbol != symbol) {
            return false;
        }
        (self.generator.next, self.generator.current) = (1, Some(0));
        self.generator.member = self.generator.planned[0].members.start;
        self.word = Some(self.depth);
        true
    }

    /// Draws by the probabilities one of the alternatives for which `size` returns a size. If the
    /// sentence is being completed, or if all these alternatives have the probability 0, returns
    /// the one of minimum size instead.
    fn draw_alternative<S: Ord>(
        &mut self,
        grammar: &Grammar,
        symbol: SymbolId,
        size: impl Fn(u32) -> Option<S>,
    ) -> u32 {
        let is_closing = self.is_closing();
        let probabilities = self.probabilities;
        let Ptc2Generator { scoped, rng, .. } = &mut *self.generator;
        let (mut chosen, mut total, mut before) = (None, 0.0, 0.0);
        if !is_closing {
            let enclosing = scoped.enclosing.iter().rev().map(|&(_, choice)| choice);
            for &(outcome, sum) in
                probabilities.outcomes(symbol, ChoiceKind::Alternative, enclosing)
            {
                let probability = sum - before;
                before = sum;
                if probability > 0.0 && size(outcome).is_some() {
                    total += probability;
                    if rng.random_range(0.0..total) < probability {
                        chosen = Some(outcome);
                    }
                }
            }
        }
        chosen.unwrap_or_else(|| {
            let from = first(grammar, symbol);
            let alternatives = (0..).zip(grammar.alternatives(symbol));
            let key = |(index, alternative): (u32, &crate::grammar::Alternative)| {
                let is_forbidden = probabilities.costs[from + index as usize] == NEVER;
                let key = (is_forbidden, alternative.weight == 0.0, size(index)?);
                Some((key, index))
            };
            let smallest = alternatives.filter_map(key).min();
            smallest.map_or(0, |(_, index)| index)
        })
    }

    /// Records the choice of an alternative, and decides whether the token gets a text of the
    /// samples.
    fn chose(&mut self, symbol: SymbolId, choice: u32) -> u32 {
        if !self.begin_word(symbol, choice) {
            let enclosing = &mut self.generator.scoped.enclosing;
            enclosing.push((Some(self.depth), (symbol, choice)));
        }
        choice
    }
}

impl ChoiceSource for ScopedDraws<'_> {
    fn enter(&mut self, grammar: &Grammar, at: At<'_>) {
        if let Some(depth) = self.word {
            if at.depth > depth {
                self.generator.enter(grammar, at);
                return;
            }
            self.word = None;
        }
        (self.depth, self.written) = (at.depth, at.written);
        let left = *self.left.get_or_insert(at.left);
        self.needed = left.saturating_sub(at.left) as usize;
        self.layout = self.layout.filter(|&(token, _)| at.depth > token);
        let ScopedBuffers { open, enclosing } = &mut self.generator.scoped;
        while enclosing
            .pop_if(|(depth, _)| depth.is_some_and(|depth| depth >= at.depth))
            .is_some()
        {}
        while open.len() > at.depth {
            self.open -= open.pop().unwrap_or(0);
        }
        open.resize(at.depth, 0);
        let later = at.later(grammar).iter();
        let own = at.again as usize
            + later
                .filter(|child| is_expansion(&grammar[child.symbol].kind))
                .count();
        open.push(own);
        self.open += own;
        self.expanded += usize::from(is_expansion(&grammar[at.symbol].kind));
    }

    fn alternative(&mut self, grammar: &Grammar, symbol: SymbolId, options: u32) -> u32 {
        if self.word.is_some() {
            return self.generator.alternative(grammar, symbol, options);
        }
        let alternatives = grammar.alternatives(symbol);
        let choice = self.draw_alternative(grammar, symbol, |index| {
            let size = alternatives[index as usize].minimum;
            size.is_finite().then_some(size)
        });
        self.chose(symbol, choice)
    }

    fn alternative_in_scope(
        &mut self,
        grammar: &Grammar,
        symbol: SymbolId,
        options: u32,
        in_scope: &AlternativesInScope<'_>,
    ) -> u32 {
        if self.word.is_some() {
            return self.generator.alternative(grammar, symbol, options);
        }
        let choice = self.draw_alternative(grammar, symbol, |index| {
            let size = in_scope.size(index);
            size.is_finite()
                .then(|| (!in_scope.has_free_names(index), size))
        });
        self.chose(symbol, choice)
    }

    fn count(&mut self, grammar: &Grammar, symbol: SymbolId, spread: u32) -> u32 {
        if self.word.is_some() {
            return self.generator.count(grammar, symbol, spread);
        }
        let is_token = matches!(grammar[symbol].kind, Kind::Run { .. });
        if self.is_closing() && (!is_token || self.layout.is_some()) {
            return 0;
        }
        if self.begin_word(symbol, 0) {
            return self.generator.count(grammar, symbol, spread);
        }
        let outcome = self.draw(symbol, ChoiceKind::Count);
        let count = Probabilities::draw_count(outcome, spread, &mut self.generator.rng);
        if is_token {
            count
        } else {
            count.min(self.room())
        }
    }

    fn member(&mut self, symbol: SymbolId, class: &Class) -> u32 {
        if self.word.is_some() {
            return self.generator.member(symbol, class);
        }
        match self.draw(symbol, ChoiceKind::Member) {
            OTHERS => self
                .generator
                .rng
                .random_range(class.plain()..class.count()),
            member => member.min(class.count() - 1),
        }
    }

    fn name(&mut self, symbol: SymbolId, names: u32) -> u32 {
        if self.word.is_some() {
            return self.generator.name(symbol, names);
        }
        let choice = self.draw(symbol, ChoiceKind::Name).min(names);
        if choice == names {
            self.begin_word(symbol, choice);
        }
        choice
    }

    fn name_in_scope(&mut self, _symbol: SymbolId, names: u32) -> u32 {
        self.generator.rng.random_range(0..names)
    }

    fn recency(&mut self, symbol: SymbolId) -> Option<u32> {
        let is_learned = !self
            .probabilities
            .outcomes(symbol, ChoiceKind::Recency, std::iter::empty())
            .is_empty();
        let outcome = is_learned.then(|| self.draw(symbol, ChoiceKind::Recency))?;
        Some(Probabilities::draw_count(
            outcome,
            u32::MAX,
            &mut self.generator.rng,
        ))
    }

    fn case(&mut self, symbol: SymbolId, letters: u32) -> Case {
        if self.word.is_some() {
            return self.generator.case(symbol, letters);
        }
        let case = self.draw(symbol, ChoiceKind::Case);
        self.generator.drawn_case(case, letters)
    }

    fn layout(&mut self, symbol: SymbolId) -> u32 {
        if self.word.is_some() {
            return self.generator.layout(symbol);
        }
        if self.is_closing() {
            return 0;
        }
        let outcome = self.draw(symbol, ChoiceKind::Layout);
        let count =
            Probabilities::draw_count(outcome, u32::MAX, &mut self.generator.rng).min(self.room());
        if count > 0 {
            self.layout = Some((self.depth + 1, self.written + self.limit_of_bytes / LAYOUT));
        }
        count
    }

    fn wants_free_names(&self) -> bool {
        true
    }
}
