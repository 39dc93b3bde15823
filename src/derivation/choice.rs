//! What a node chooses: the one place that answers it, for decoding, encoding, counting and learning.

use crate::grammar::{Class, Grammar, Kind};

/// The kind of choice that a symbol makes, with what its code depends on. A symbol makes a choice only if the grammar gives it two
/// or more options, whatever bounds and caps allow.
#[derive(Clone, Copy)]
pub(crate) enum Choice<'g> {
    /// No choice.
    None,
    /// One of several alternatives.
    Alternative { options: u32 },
    /// The count of a repetition, beyond its lower limit.
    Count { at_least: u32 },
    /// The count of a run of characters beyond its lower limit, if it is not fixed (`counted`); then the characters.
    Run { class: &'g Class, at_least: u32, counted: bool },
    /// A character of a class.
    Member(&'g Class),
    /// One of some names, or one that is spelled out.
    Name { names: u32 },
    /// The case of a literal with so many letters.
    Case { letters: u32 },
    /// Pieces of layout before a token.
    Layout,
}

impl<'g> Choice<'g> {
    /// The choice that a symbol of this kind makes.
    #[inline(always)]
    pub fn of(grammar: &'g Grammar, kind: &Kind) -> Choice<'g> {
        match kind {
            Kind::Nonterminal { alternatives, .. } => match alternatives.end - alternatives.start {
                1 => Choice::None,
                options => Choice::Alternative { options },
            },
            Kind::Literal { .. } => Choice::None,
            &Kind::Insensitive { letters, .. } => Choice::Case { letters },
            Kind::Class(class) => match &grammar[*class] {
                class if class.count() == 1 => Choice::None,
                class => Choice::Member(class),
            },
            &Kind::Run { class, at_least, at_most } => {
                Choice::Run { class: &grammar[class], at_least, counted: at_most > at_least }
            }
            &Kind::Repeat { at_least, at_most, .. } if at_most > at_least => Choice::Count { at_least },
            Kind::Repeat { .. } => Choice::None,
            Kind::Identifier { names, .. } => Choice::Name { names: names.end - names.start },
            Kind::Lexeme { layout: true, .. } => Choice::Layout,
            Kind::Lexeme { .. } => Choice::None,
        }
    }

    /// How many decisions a node makes that chose `choice`: a run of characters makes one for each.
    pub fn decisions(self, choice: u32) -> usize {
        match self {
            Choice::None => 0,
            Choice::Run { class, counted, .. } => usize::from(counted) + if class.count() > 1 { choice as usize } else { 0 },
            _ => 1,
        }
    }
}
