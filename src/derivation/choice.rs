//! The kinds of choices. Decoding, encoding, counting and learning all use this classification.

use crate::grammar::{Class, Grammar, Kind};

/// The kind of choice that a symbol makes, with the numbers on which the code of the choice in
/// parameters depends. A symbol makes a choice if the grammar gives it two or more options, even if
/// bounds or caps allow only one of them.
#[derive(Clone, Copy)]
pub(crate) enum Choice<'g> {
    /// No choice.
    None,
    /// The alternative of a nonterminal.
    Alternative { options: u32 },
    /// The number of elements of a repetition, beyond its lower limit.
    Count { at_least: u32 },
    /// The choices of a run of characters. If the number of characters is not fixed (`counted`),
    /// the first choice is this number beyond its lower limit. If the class has several characters,
    /// each character is a choice.
    Run {
        class: &'g Class,
        at_least: u32,
        counted: bool,
    },
    /// A character of a class.
    Member(&'g Class),
    /// The name of an identifier. If it is not one of these `names`, it is spelled out.
    Name { names: u32 },
    /// The case of a case-insensitive literal with this number of letters.
    Case { letters: u32 },
    /// The number of layout tokens before a token, and whether separators are omitted.
    Layout,
}

impl<'g> Choice<'g> {
    /// Returns the choice that a symbol of a kind makes.
    #[inline(always)]
    pub fn of(grammar: &'g Grammar, kind: &Kind) -> Choice<'g> {
        match kind {
            Kind::Nonterminal { alternatives, .. } => match alternatives.end - alternatives.start {
                1 => Choice::None,
                options => Choice::Alternative { options },
            },
            Kind::Literal { .. } | Kind::Same { .. } => Choice::None,
            &Kind::Insensitive { letters, .. } => Choice::Case { letters },
            Kind::Class(class) => match &grammar[*class] {
                class if class.count() == 1 => Choice::None,
                class => Choice::Member(class),
            },
            &Kind::Run {
                class,
                at_least,
                at_most,
            } => Choice::Run {
                class: &grammar[class],
                at_least,
                counted: at_most > at_least,
            },
            &Kind::Repeat {
                at_least, at_most, ..
            } if at_most > at_least => Choice::Count { at_least },
            Kind::Repeat { .. } => Choice::None,
            Kind::Identifier { names, .. } => Choice::Name {
                names: names.end - names.start,
            },
            Kind::Lexeme { layout: true, .. } => Choice::Layout,
            Kind::Lexeme { .. } => Choice::None,
        }
    }

    /// Returns the number of choices that a node makes. `choice` is [`Node::choice`]. A run makes
    /// one choice for the number of characters, unless it is fixed, and one for each character,
    /// unless the class has only one.
    ///
    /// [`Node::choice`]: super::Node::choice
    pub fn decisions(self, choice: u32) -> usize {
        match self {
            Choice::None => 0,
            Choice::Run { class, counted, .. } => {
                usize::from(counted)
                    + if class.count() > 1 {
                        choice as usize
                    } else {
                        0
                    }
            }
            _ => 1,
        }
    }
}
