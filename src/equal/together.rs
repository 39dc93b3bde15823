//! Applies several equivalences to a sentence at once, so that one run of the program under test
//! checks all of them.

use super::Equivalents;
use super::write::ReplacedPart;
use crate::derivation::Derivation;
use crate::grammar::BuiltInEquivalence;

/// The change of a sentence by an equivalence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Application {
    /// The number of the equivalence.
    pub equivalence: usize,
    /// The equivalent sentence.
    pub text: Vec<u8>,
    /// The replaced parts, in the order of the sentence.
    parts: Vec<ReplacedPart>,
    /// Whether the change writes a name that the sentence does not have.
    has_fresh_name: bool,
    is_layout: bool,
}

/// Applications of different equivalences to one sentence. No two of them replace overlapping or
/// touching parts, except changes of layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Together {
    pub applications: Vec<Application>,
    /// The sentence with all of these changes. A change of layout next to another change is left
    /// out.
    pub text: Vec<u8>,
}

impl Together {
    /// Returns whether a change can be added. At least one byte must separate its parts from the
    /// parts of the other changes, and only one change may write a fresh name. A change of layout
    /// can always be added.
    fn has_room_for(&self, one: &Application) -> bool {
        one.is_layout
            || (self.applications.iter()).all(|other| {
                let is_apart =
                    |part: &ReplacedPart| other.parts.iter().all(|known| known.is_apart(part));
                let names = one.has_fresh_name && other.has_fresh_name;
                !names && (other.is_layout || one.parts.iter().all(is_apart))
            })
    }

    /// Writes the sentence with all changes. A change of layout that touches another change is
    /// omitted.
    fn write(&mut self, sentence: &[u8]) {
        let of = |is_layout| {
            let all = self.applications.iter();
            all.filter(move |one| one.is_layout == is_layout)
                .flat_map(|one| one.parts.iter().map(move |part| (part, one)))
        };
        let mut all: Vec<(&ReplacedPart, &Application)> = of(false).collect();
        let layout: Vec<_> = of(true)
            .filter(|(part, _)| all.iter().all(|(other, _)| other.is_apart(part)))
            .collect();
        all.extend(layout);
        all.sort_by_key(|(part, _)| part.replaced.start);
        let mut from = 0;
        for (part, one) in all {
            let before = &sentence[from..part.replaced.start];
            self.text.extend_from_slice(before);
            self.text.extend_from_slice(&one.text[part.written.clone()]);
            from = part.replaced.end;
        }
        self.text.extend_from_slice(&sentence[from..]);
    }
}

impl Equivalents<'_> {
    /// Applies each equivalence to a sentence once, if it applies, and combines as many
    /// applications as possible. Equal values of `random` choose equal applications.
    pub fn together(&mut self, derivation: &Derivation, random: u64) -> Vec<Together> {
        self.prepare(derivation);
        let count = self.count();
        let (first, offset) = (random as u32 as usize, (random >> 32) as usize);
        let mut all: Vec<Together> = Vec::new();
        for equivalence in (0..count).map(|at| (first + at) % count) {
            let positions = self.positions(equivalence);
            let mut alone = None;
            for position in (0..positions).map(|at| (offset % positions + at) % positions) {
                if !self.apply(equivalence, position, derivation) {
                    continue;
                }
                let one = self.application(equivalence);
                match all.iter_mut().find(|others| others.has_room_for(&one)) {
                    Some(others) => {
                        others.applications.push(one);
                        alone = None;
                        break;
                    }
                    None if alone.is_none() => alone = Some(one),
                    None => (),
                }
            }
            all.extend(alone.map(|one| Together {
                applications: vec![one],
                text: Vec::new(),
            }));
        }
        for one in &mut all {
            one.write(derivation.text());
        }
        all
    }

    /// Returns the application that was written last.
    fn application(&self, equivalence: usize) -> Application {
        let lines = self.grammar.equivalences.len();
        let layout = BuiltInEquivalence::Layout;
        Application {
            equivalence,
            text: self.output.text.clone(),
            parts: self.output.parts.clone(),
            has_fresh_name: self.output.has_fresh_name,
            is_layout: equivalence >= lines
                && BuiltInEquivalence::ALL[equivalence - lines] == layout,
        }
    }
}
