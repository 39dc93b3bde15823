//! The fingerprint of a grammar: a number that changes when parameters may decode to other
//! sentences.
//!
//! Corpora and weights carry the fingerprint of the grammar that they were made with. So the
//! encoding must not depend on a compiler, on the standard library or on the names in this program.
//! Every field is written as bytes in a fixed order. A number takes 4 bytes, little-endian. A list
//! is its length, then its items. The layout is 0, or 1 and its fields. Names and lines were added
//! later, so nothing is written for them in a grammar that has none. The fingerprint is the
//! [`StableHash`] of these bytes.
//!
//! Labels and weights are not part of the fingerprint, because decoding ignores them. In a grammar
//! with names, it includes which weights are 0, because these decide which alternatives can be
//! completed. Sizes are not part of it, because they follow from the rest.

use std::ops::Range;

use super::{Child, Effect, Grammar, Kind, Naming};
use crate::stable_hash::StableHash;

/// The version of the encoding below and of the codes of choices. Raise it when the same tables
/// decode to other sentences.
const VERSION: u32 = 2;

/// The version of the decoding of grammars with names. Raise it when the same tables with names
/// decode to other sentences.
const NAMES_VERSION: u32 = 4;

/// The version of the decoding of grammars with lines. Raise it when the same tables with lines
/// decode to other sentences.
const LINES_VERSION: u32 = 2;

impl StableHash {
    fn number(&mut self, number: u32) {
        self.bytes(&number.to_le_bytes());
    }

    fn range(&mut self, range: &Range<u32>) {
        self.number(range.start);
        self.number(range.end);
    }

    fn text(&mut self, text: &[u8]) {
        self.number(text.len() as u32);
        self.bytes(text);
    }

    fn child(&mut self, child: Child) {
        self.number(child.symbol.0);
        self.number(child.is_adjacent.into());
    }

    /// Writes the kind of a symbol: its number, then its fields.
    fn kind(&mut self, kind: &Kind) {
        match kind {
            Kind::Nonterminal {
                alternatives,
                counted,
            } => {
                self.number(0);
                self.range(alternatives);
                self.number((*counted).into());
            }
            Kind::Literal { text } => {
                self.number(1);
                self.range(text);
            }
            Kind::Insensitive { text, letters } => {
                self.number(2);
                self.range(text);
                self.number(*letters);
            }
            Kind::Class(class) => {
                self.number(3);
                self.number(class.0);
            }
            Kind::Run {
                class,
                at_least,
                at_most,
            } => {
                self.number(4);
                [class.0, *at_least, *at_most]
                    .into_iter()
                    .for_each(|number| self.number(number));
            }
            Kind::Repeat {
                element,
                at_least,
                at_most,
                items,
            } => {
                self.number(5);
                self.child(*element);
                [*at_least, *at_most, (*items).into()]
                    .into_iter()
                    .for_each(|number| self.number(number));
            }
            Kind::Identifier { names, escape } => {
                self.number(6);
                self.range(names);
                self.number(escape.0);
            }
            Kind::Same { of, is_last } => {
                self.number(8);
                [of.0, (*is_last).into()]
                    .into_iter()
                    .for_each(|number| self.number(number));
            }
            Kind::Lexeme {
                body,
                position,
                layout,
            } => {
                self.number(7);
                [body.0, position.0, (*layout).into()]
                    .into_iter()
                    .for_each(|number| self.number(number));
            }
        }
    }
}

impl StableHash {
    /// Writes the effect of a symbol on names: its number, then its fields.
    fn effect(&mut self, effect: &Effect, naming: &Naming) {
        let (number, namespace, instances) = match effect {
            Effect::None => (0, 0, &(0..0)),
            Effect::Use {
                namespace,
                instances,
                ..
            } => (1, *namespace, instances),
            Effect::Declare {
                namespace,
                instances,
            } => (2, *namespace, instances),
            Effect::Mark { instances } => (3, 0, instances),
            Effect::Hide { instances } => (4, 0, instances),
            Effect::Scope => (5, 0, &(0..0)),
            Effect::After => (6, 0, &(0..0)),
        };
        self.number(number);
        self.number(namespace);
        self.instances(naming.list(instances));
        if let Effect::Use { roles, once, .. } = effect {
            self.number((*once).into());
            self.instances(naming.list(roles));
        }
    }

    fn instances(&mut self, instances: &[u16]) {
        self.number(instances.len() as u32);
        instances
            .iter()
            .for_each(|&instance| self.number(instance.into()));
    }
}

/// The fingerprint of the finished tables.
pub(crate) fn fingerprint(grammar: &Grammar) -> u64 {
    let mut hash = StableHash::new();
    hash.number(VERSION);
    hash.number(grammar.start.0);
    hash.number(grammar.bytes.into());
    hash.number(grammar.layout.is_some().into());
    if let Some(layout) = &grammar.layout {
        hash.number(layout.token.0);
        hash.number(layout.separators.len() as u32);
        layout
            .separators
            .iter()
            .for_each(|separator| hash.text(separator));
    }
    hash.number(grammar.symbols.len() as u32);
    grammar
        .symbols
        .iter()
        .for_each(|symbol| hash.kind(&symbol.kind));
    hash.number(grammar.alternatives.len() as u32);
    grammar
        .alternatives
        .iter()
        .for_each(|alternative| hash.range(&alternative.children));
    hash.number(grammar.children.len() as u32);
    grammar.children.iter().for_each(|&child| hash.child(child));
    hash.number(grammar.classes.len() as u32);
    for class in &grammar.classes {
        hash.number(class.ranges().len() as u32);
        class
            .ranges()
            .iter()
            .for_each(|&(from, to)| hash.range(&(from..to)));
    }
    hash.number(grammar.names.len() as u32);
    grammar.names.iter().for_each(|name| hash.range(name));
    hash.text(&grammar.texts);
    if let Some(lines) = &grammar.lines {
        hash.number(LINES_VERSION);
        for brackets in lines.brackets() {
            hash.number(brackets.len() as u32);
            brackets.iter().for_each(|text| hash.text(text));
        }
    }
    if let Some(naming) = &grammar.naming {
        hash.number(NAMES_VERSION);
        // An alternative is taken only if the visible names can complete its parts. Alternatives of
        // weight 0 complete nothing.
        for alternative in &grammar.alternatives {
            hash.number((alternative.weight == 0.0).into());
        }
        hash.number(naming.instances);
        hash.number(naming.effects.len() as u32);
        naming
            .effects
            .iter()
            .for_each(|effect| hash.effect(effect, naming));
    }
    hash.value()
}

#[cfg(test)]
mod tests {
    use crate::bounds::Caps;
    use crate::notation;

    /// Source and fingerprint. If these values change, zester rejects the corpora and weights
    /// of all users as those of another grammar.
    const PINNED: [(&str, u64); 3] = [
        (
            include_str!("../../grammars/json.ebnf"),
            0x302a_6704_d028_3511,
        ),
        (
            include_str!("../../grammars/sqlite.ebnf"),
            0xd958_9b10_627c_2780,
        ),
        (
            r#"@bytes ; @skip blank = [ \n]+ ; @start s = ( "let"i ~ ( name "," ){2,9} "=" [a-z]* )* ; @identifier name = [a-z]+ - "let" ;"#,
            0xfb0e_95ec_45a8_e2a0,
        ),
    ];

    #[test]
    fn fingerprints_do_not_change() {
        let found = PINNED.map(|(source, _)| {
            let (grammar, _) =
                notation::read("pinned", source.as_bytes(), &Caps::default()).unwrap();
            grammar.fingerprint()
        });
        assert_eq!(
            found,
            PINNED.map(|(_, fingerprint)| fingerprint),
            "{found:016x?}"
        );
    }

    #[test]
    fn of_weights_only_zero_counts_and_only_beside_names() {
        let fingerprint = |source: String| {
            let (grammar, _) =
                notation::read("weights", source.as_bytes(), &Caps::default()).unwrap();
            grammar.fingerprint()
        };
        let plain = |weight| fingerprint(format!("s = {weight} \"a\" | \"b\" ;"));
        let named = |weight| {
            fingerprint(format!(
                "@kind v: name ; @identifier name = [a-z]+ ; @start s = @declare v ( {weight} \",\" @use v | \";\" )* ;"
            ))
        };
        assert_eq!(plain(""), plain("@2"));
        assert_eq!(plain(""), plain("@0"));
        assert_eq!(named(""), named("@2"));
        assert_ne!(named(""), named("@0"));
    }
}
