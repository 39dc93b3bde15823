//! Replays a plan: a choice source that returns the planned choices.
//!
//! Bounds or caps may forbid a planned choice. Then another subtree is derived, and symbols that
//! are not in the plan get the simplest choices.

use rand::RngExt;

use super::{PlannedChoice, Ptc2Generator};
use crate::derive::{At, Case, ChoiceSource};
use crate::grammar::{Class, Grammar, Kind, SymbolId};

impl Ptc2Generator {
    /// Returns the planned choice of the node that is being expanded, or the simplest choice if the
    /// node is not in the plan.
    fn planned_choice(&self) -> u32 {
        self.current.map_or(0, |at| self.planned[at].choice)
    }

    /// Returns the planned choice of a symbol that has no children and therefore is never entered.
    fn leaf(&mut self, symbol: SymbolId) -> u32 {
        match self.planned.get(self.next) {
            Some(planned_choice) if planned_choice.symbol == symbol => {
                self.next += 1;
                planned_choice.choice
            }
            _ => 0,
        }
    }

    /// Returns the case for an outcome. For the mixed case, the case of each letter is random.
    pub(super) fn drawn_case(&mut self, case: u32, letters: u32) -> Case {
        match case {
            0 => Case::AsWritten,
            1 => Case::Lower,
            2 => Case::Upper,
            _ => Case::Mask(self.rng.random::<u64>() & (u64::MAX >> (64 - letters.min(64)))),
        }
    }
}

impl ChoiceSource for Ptc2Generator {
    fn enter(&mut self, grammar: &Grammar, at: At<'_>) {
        let is_over = |planned_choice: &PlannedChoice| {
            planned_choice.level as usize > at.depth
                || matches!(
                    grammar[planned_choice.symbol].kind,
                    Kind::Class(_) | Kind::Insensitive { .. }
                )
        };
        while self.planned.get(self.next).is_some_and(is_over) {
            self.next += 1;
        }
        let is_it = |planned_choice: &PlannedChoice| {
            planned_choice.level as usize == at.depth && planned_choice.symbol == at.symbol
        };
        let found = self.planned.get(self.next).is_some_and(is_it);
        self.current = found.then_some(self.next);
        self.member = self.current.map_or(0, |at| self.planned[at].members.start);
        self.next += usize::from(found);
    }

    fn alternative(&mut self, _grammar: &Grammar, _symbol: SymbolId, options: u32) -> u32 {
        self.planned_choice().min(options - 1)
    }

    fn count(&mut self, _grammar: &Grammar, _symbol: SymbolId, spread: u32) -> u32 {
        self.planned_choice().min(spread)
    }

    fn member(&mut self, symbol: SymbolId, class: &Class) -> u32 {
        let run = self
            .current
            .map(|at| &self.planned[at])
            .filter(|planned_choice| planned_choice.symbol == symbol);
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

    fn name(&mut self, _symbol: SymbolId, names: u32) -> u32 {
        self.planned_choice().min(names)
    }

    fn case(&mut self, symbol: SymbolId, letters: u32) -> Case {
        let case = self.leaf(symbol);
        self.drawn_case(case, letters)
    }

    fn layout(&mut self, _symbol: SymbolId) -> u32 {
        self.planned_choice()
    }
}
