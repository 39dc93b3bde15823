//! Negative suites of names: texts that are correct except for one wrong name, each with the
//! position of the error.
//!
//! The generator takes a sentence in which all names are right, replaces one name by another name,
//! and parses the text again. The text is in the suite if exactly one name is wrong, at the
//! position of the replacement.
//!
//! # Guarantees
//!
//! * Our parser reads each text. The derivation that it returns has exactly one wrong name.
//! * The original sentence of each text has no wrong name. It differs from the text in one name
//!   only, or for [`NameFault::Redeclared`] in a declaration and its uses.
//! * Suites are deterministic.
//!
//! # Not guaranteed
//!
//! That a program must refuse each text. A grammar may be stricter than its language: in Lua a
//! scope may declare a name twice.

use std::collections::{HashMap, HashSet};
use std::fmt;

use crate::derivation::{Derivation, NameRole};
use crate::generate::Generator;
use crate::grammar::{Effect, Grammar, Kind};
use crate::parse::{Parser, line_and_column};

/// The target sizes of the sentences in bytes.
const SIZES: [u32; 6] = [30, 60, 100, 160, 240, 400];

/// After this many sentences in a row without a new text, the maximum [`SAME`] is doubled, or the
/// suite ends.
const FRUITLESS: usize = 400;

/// The maximum number of texts with the same fault in the same alternative. If this gives too few
/// texts, it is doubled up to [`MAX_SAME`].
const SAME: u32 = 3;

/// The largest value to which [`SAME`] is doubled.
const MAX_SAME: u32 = 24;

/// The maximum number of declared names that are tried in place of a name.
const TRIED: usize = 8;

/// The fault of a wrong name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum NameFault {
    /// The sentence has no declaration of the name.
    Undeclared,
    /// The sentence declares the name later.
    TooEarly,
    /// The sentence declares the name before, in a scope that has ended.
    OutOfScope,
    /// The name is declared as another kind, or with other arguments (a wrong type).
    WrongKind,
    /// An earlier use with `@once` has hidden the name.
    UsedAgain,
    /// The scope already has a declaration of the name.
    Redeclared,
}

impl NameFault {
    /// All faults.
    pub const ALL: [NameFault; 6] = [
        NameFault::Undeclared,
        NameFault::TooEarly,
        NameFault::OutOfScope,
        NameFault::WrongKind,
        NameFault::UsedAgain,
        NameFault::Redeclared,
    ];
}

impl fmt::Display for NameFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            NameFault::Undeclared => "undeclared",
            NameFault::TooEarly => "used before its declaration",
            NameFault::OutOfScope => "used out of scope",
            NameFault::WrongKind => "of a wrong kind or type",
            NameFault::UsedAgain => "used again",
            NameFault::Redeclared => "declared twice",
        })
    }
}

/// A text with one wrong name.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NameNegative {
    /// The text.
    pub text: Vec<u8>,
    /// The sentence that it was made from, in which all names are right.
    pub original: Vec<u8>,
    /// The fault of the name.
    pub fault: NameFault,
    /// The wrong name.
    pub name: String,
    /// The rule that contains the wrong name.
    pub rule: String,
    /// The offset of the wrong name in bytes.
    pub byte: usize,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
}

/// A negative suite of names.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct NameSuite {
    /// Different texts, ordered by their faults.
    pub texts: Vec<NameNegative>,
    /// The number of sentences that were generated for them.
    pub sentences: usize,
}

/// Makes a negative suite of names of at most `limit` texts, about the same number for each fault.
/// It is empty if the grammar has no names.
///
/// # Examples
///
/// ```
/// use zester::Grammar;
/// use zester::suite::{NameFault, name_faults};
///
/// let source = br#"
///     @kind variable: name ;
///     @start program = ( let | print )* ;
///     let = @after( "let " @declare variable "=0;" ) ;
///     print = "print " @use variable ";" ;
///     @identifier name = [a-z]+ ;
/// "#;
/// let grammar = Grammar::read("let.ebnf", source).unwrap();
/// let suite = name_faults(&grammar, 100, 1);
/// let undeclared = suite.texts.iter().find(|text| text.fault == NameFault::Undeclared).unwrap();
/// assert_eq!(undeclared.text[undeclared.byte..][..1], undeclared.name.as_bytes()[..1]);
/// ```
pub fn name_faults(grammar: &Grammar, limit: usize, seed: u64) -> NameSuite {
    let mut suite = NameSuite::default();
    if !grammar.has_names() || limit == 0 {
        return suite;
    }
    let uses_once = grammar.naming.as_deref().is_some_and(|naming| {
        let is_once = |effect: &Effect| matches!(effect, Effect::Use { once: true, .. });
        naming.effects.iter().any(is_once)
    });
    let mut maker = NameBreaker {
        grammar,
        parser: Parser::new(grammar),
        per_fault: limit.div_ceil(NameFault::ALL.len() - usize::from(!uses_once)),
        uses_once,
        count: HashMap::new(),
        same: HashMap::new(),
        max_same: SAME,
        known: HashSet::new(),
        texts: Vec::new(),
    };
    let mut generators: Vec<Generator<'_>> = (0..)
        .zip(SIZES)
        .map(|(at, size)| Generator::new(grammar, seed.wrapping_add(at)).size(size))
        .collect();
    let (mut fruitless, mut before) = (0, 0);
    while !maker.is_full() {
        if fruitless >= FRUITLESS {
            if maker.texts.len() == before || maker.max_same >= MAX_SAME {
                break;
            }
            (maker.max_same, before) = (2 * maker.max_same, maker.texts.len());
            fruitless = FRUITLESS - FRUITLESS / 4;
        }
        let at = suite.sentences % generators.len();
        suite.sentences += 1;
        let (text, count) = (generators[at].sentence().text().to_vec(), maker.texts.len());
        maker.add(&text);
        fruitless = match maker.texts.len() == count {
            true => fruitless + 1,
            false => 0,
        };
    }
    suite.texts = maker.texts;
    suite.texts.truncate(limit);
    suite.texts.sort_by_key(|text| text.fault);
    suite
}

/// A name of a sentence.
struct NameOccurrence {
    node: usize,
    namespace: u32,
    role: NameRole,
}

/// A sentence with its names.
struct NamedSentence {
    derivation: Derivation,
    names: Vec<NameOccurrence>,
}

/// Makes texts with a wrong name from sentences.
struct NameBreaker<'g> {
    grammar: &'g Grammar,
    parser: Parser<'g>,
    /// The maximum number of texts with each fault.
    per_fault: usize,
    /// Whether the grammar has names that are used once.
    uses_once: bool,
    /// The number of texts with each fault.
    count: HashMap<NameFault, usize>,
    /// The number of texts with a fault in an alternative of the erased grammar.
    same: HashMap<(NameFault, usize), u32>,
    /// The current maximum of the numbers in `same`.
    max_same: u32,
    known: HashSet<Vec<u8>>,
    texts: Vec<NameNegative>,
}

/// Returns whether the use `one` has `@once` and hides the name that the use `other` needs.
fn takes_away(grammar: &Grammar, derivation: &Derivation, one: usize, other: usize) -> bool {
    let naming = grammar.naming.as_deref();
    let used = |node: usize| {
        let symbol = derivation.nodes()[node].symbol;
        match &naming?.effects[symbol.0 as usize] {
            Effect::Use {
                once, instances, ..
            } => Some((*once, naming?.list(instances))),
            _ => None,
        }
    };
    match (used(one), used(other)) {
        (Some((true, taken)), Some((_, wanted))) => {
            taken.iter().any(|instance| wanted.contains(instance))
        }
        _ => false,
    }
}

impl NameBreaker<'_> {
    /// Returns whether there are enough texts with each fault.
    fn is_full(&self) -> bool {
        let is_full = |fault| !self.wants(fault);
        NameFault::ALL.into_iter().all(is_full)
    }

    fn wants(&self, fault: NameFault) -> bool {
        let is_possible = fault != NameFault::UsedAgain || self.uses_once;
        is_possible && self.count.get(&fault).copied().unwrap_or(0) < self.per_fault
    }

    /// Adds texts that are made from a sentence.
    fn add(&mut self, text: &[u8]) {
        let Ok(derivation) = self.parser.parse(text).cloned() else {
            return;
        };
        if derivation.breaks_scopes(self.grammar) {
            return;
        }
        let sentence = NamedSentence {
            names: self.names(&derivation),
            derivation,
        };
        for name in &sentence.names {
            let faults: &[NameFault] = match name.role {
                NameRole::Use(_) => &[
                    NameFault::TooEarly,
                    NameFault::OutOfScope,
                    NameFault::WrongKind,
                    NameFault::UsedAgain,
                    NameFault::Undeclared,
                ],
                _ => &[NameFault::Redeclared],
            };
            let context = self.context(&sentence.derivation, name.node);
            let is_wanted = |fault: &&NameFault| {
                let same = self.same.get(&(**fault, context.1));
                self.wants(**fault) && same.copied().unwrap_or(0) < self.max_same
            };
            let wanted: Vec<NameFault> = faults.iter().filter(is_wanted).copied().collect();
            if !wanted.is_empty() {
                self.replace(&sentence, name, wanted, &context);
            }
        }
    }

    /// Replaces a name by other names. For each fault in `wanted`, adds the first new text with
    /// this fault.
    fn replace(
        &mut self,
        sentence: &NamedSentence,
        name: &NameOccurrence,
        mut wanted: Vec<NameFault>,
        (rule, alternative): &(String, usize),
    ) {
        let (names, derivation) = (&sentence.names, &sentence.derivation);
        let original = derivation.text();
        // For a declaration, replace its uses, too.
        let mut positions: Vec<usize> = names
            .iter()
            .filter(|other| other.role == NameRole::Use(name.node))
            .map(|other| other.node)
            .chain([name.node])
            .collect();
        positions.sort_unstable();
        for other in &self.others(sentence, name) {
            let (mut text, mut end, mut position) = (Vec::new(), 0, 0);
            for &node in &positions {
                let range = derivation.text_range(node);
                text.extend_from_slice(&original[end..range.start]);
                position = if node == name.node {
                    text.len()
                } else {
                    position
                };
                text.extend_from_slice(other);
                end = range.end;
            }
            text.extend_from_slice(&original[end..]);
            let Some((fault, at)) = self.fault(&text) else {
                continue;
            };
            // Of two declarations of a name, the parser reports the second one.
            let is_here = at == position || fault == NameFault::Redeclared;
            let Some(index) = wanted.iter().position(|&one| one == fault && is_here) else {
                continue;
            };
            if !self.known.insert(text.clone()) {
                continue;
            }
            wanted.swap_remove(index);
            *self.count.entry(fault).or_default() += 1;
            *self.same.entry((fault, *alternative)).or_default() += 1;
            let (line, column) = line_and_column(&text, at);
            self.texts.push(NameNegative {
                text,
                original: original.to_vec(),
                fault,
                name: String::from_utf8_lossy(other).into_owned(),
                rule: rule.clone(),
                byte: at,
                line,
                column,
            });
        }
    }

    /// Returns the fault of a text and its offset, if our parser finds exactly one wrong name.
    fn fault(&mut self, text: &[u8]) -> Option<(NameFault, usize)> {
        let grammar = self.grammar;
        let derivation = self.parser.parse(text).ok()?;
        let roles = derivation.name_roles(grammar);
        let is_wrong = |(_, role): &&(usize, NameRole)| {
            !matches!(role, NameRole::Use(_) | NameRole::Declaration)
        };
        let mut wrong = roles.iter().filter(is_wrong);
        let (&(node, role), None) = (wrong.next()?, wrong.next()) else {
            return None;
        };
        let range = derivation.text_range(node);
        let fault = match role {
            NameRole::Redeclaration(_) => NameFault::Redeclared,
            NameRole::WrongUse(declaration) => {
                let was_used = |&&(other, role): &&(usize, NameRole)| {
                    other < node && role == NameRole::Use(declaration)
                };
                let mut earlier = roles.iter().filter(was_used);
                match earlier.any(|&(other, _)| takes_away(grammar, derivation, other, node)) {
                    true => NameFault::UsedAgain,
                    false => NameFault::WrongKind,
                }
            }
            _ => {
                let name = &text[range.clone()];
                let mut declared = roles.iter().filter(|&&(other, role)| {
                    matches!(role, NameRole::Declaration | NameRole::Redeclaration(_))
                        && text[derivation.text_range(other)] == *name
                });
                match declared.next() {
                    None => NameFault::Undeclared,
                    Some(&(other, _)) if other > node => NameFault::TooEarly,
                    Some(_) => NameFault::OutOfScope,
                }
            }
        };
        Some((fault, range.start))
    }

    /// Returns the names of a sentence.
    fn names(&self, derivation: &Derivation) -> Vec<NameOccurrence> {
        let Some(naming) = self.grammar.naming.as_deref() else {
            return Vec::new();
        };
        let namespace = |node: usize| {
            let symbol = derivation.nodes()[node].symbol;
            match naming.effects[symbol.0 as usize] {
                Effect::Declare { namespace, .. } | Effect::Use { namespace, .. } => namespace,
                _ => 0,
            }
        };
        let roles = derivation.name_roles(self.grammar).into_iter();
        roles
            .map(|(node, role)| NameOccurrence {
                node,
                namespace: namespace(node),
                role,
            })
            .collect()
    }

    /// Returns names to try in place of a name: names that the sentence declares. For a use, also
    /// returns one name that does not occur in the sentence.
    fn others(&self, sentence: &NamedSentence, name: &NameOccurrence) -> Vec<Vec<u8>> {
        let NamedSentence { derivation, names } = sentence;
        let text = |node: usize| &derivation.text()[derivation.text_range(node)];
        let own = text(name.node);
        let mut others: Vec<Vec<u8>> = Vec::new();
        let declared = names.iter().filter(|other| {
            other.namespace == name.namespace && !matches!(other.role, NameRole::Use(_))
        });
        for other in declared.map(|other| text(other.node)) {
            if other != own && others.len() < TRIED && !others.iter().any(|one| one == other) {
                others.push(other.to_vec());
            }
        }
        let symbol = derivation.nodes()[name.node].symbol;
        if let (Kind::Identifier { names: all, .. }, NameRole::Use(_)) =
            (&self.grammar[symbol].kind, name.role)
        {
            // The names at the end of the list are the rarest ones.
            let fresh = (0..all.end - all.start)
                .rev()
                .map(|index| self.grammar.name(all, index))
                .find(|fresh| !names.iter().any(|other| text(other.node) == *fresh));
            others.extend(fresh.map(<[u8]>::to_vec));
        }
        others
    }

    /// Returns the rule that contains a node, and the innermost alternative around the node.
    fn context(&self, derivation: &Derivation, node: usize) -> (String, usize) {
        let mut context = (String::new(), 0);
        let mut at = 0;
        while at != node {
            let own = derivation.nodes()[at];
            if let Kind::Nonterminal { .. } = self.grammar[own.symbol].kind {
                let label = self.grammar.label(own.symbol);
                let rule = label.split(['/', '<']).next().unwrap_or(label);
                let alternative = self.grammar.erased_alternative(own.symbol, own.choice);
                context = (rule.to_string(), alternative);
            }
            let is_around = |&child: &usize| {
                (child..child + derivation.nodes()[child].size as usize).contains(&node)
            };
            let Some(child) = derivation.children(at).find(is_around) else {
                break;
            };
            at = child;
        }
        context
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;
    use super::*;

    const SOURCE: &str = r#"
        @domain type = int | bool ;
        @kind variable<type>: name ;
        @skip blank = [ \n] ;
        @identifier name = ( [a-z]+ ) - keyword ;
        @token keyword = "let" | "print" | "close" | "not" | "int" | "bool" ;
        @start program = statement+ ;
        statement = let<_> | "{" @scope( statement* ) "}" | "print" value<_> ";" | "close" @use variable<_> @once ";" ;
        let<t: type> = @after( "let" @declare variable<t> ":" type<t> "=" value<t> ) ";" ;
        type<int> = "int" ;
        type<bool> = "bool" ;
        value<t: type> = @use variable<t> ;
        value<int> = "0" ;
        value<bool> = "not" value<bool> | "0" "<" value<int> ;
    "#;

    #[test]
    fn each_text_has_one_wrong_name_at_its_position() {
        let grammar = read(SOURCE);
        let suite = name_faults(&grammar, 60, 1);
        for fault in NameFault::ALL {
            let count = suite
                .texts
                .iter()
                .filter(|text| text.fault == fault)
                .count();
            assert!(count >= 3, "{fault}: {count}");
        }
        let mut parser = Parser::new(&grammar);
        for negative in &suite.texts {
            let shown = String::from_utf8_lossy(&negative.text);
            let found = parser.parse(&negative.text).unwrap();
            assert!(found.breaks_scopes(&grammar), "{shown}");
            assert!(
                negative.text[negative.byte..].starts_with(negative.name.as_bytes()),
                "{shown}: {negative:?}"
            );
            let original = parser.parse(&negative.original).unwrap();
            assert!(!original.breaks_scopes(&grammar), "{shown}");
            let before = &negative.text[..negative.byte];
            let lines = before.iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(negative.line, lines + 1, "{shown}");
        }
    }

    #[test]
    fn faults_are_what_they_say() {
        let grammar = read(SOURCE);
        let mut breaker = NameBreaker {
            grammar: &grammar,
            parser: Parser::new(&grammar),
            per_fault: 1,
            uses_once: false,
            count: HashMap::new(),
            same: HashMap::new(),
            max_same: SAME,
            known: HashSet::new(),
            texts: Vec::new(),
        };
        for (text, expected) in [
            ("let a:int=0;print b;", Some((NameFault::Undeclared, 18))),
            ("print a;let a:int=0;", Some((NameFault::TooEarly, 6))),
            ("{let a:int=0;}print a;", Some((NameFault::OutOfScope, 20))),
            ("let a:int=0;print not a;", Some((NameFault::WrongKind, 22))),
            (
                "let a:int=0;let a:int=0;",
                Some((NameFault::Redeclared, 16)),
            ),
            ("let a:int=0;{let a:int=0;}", None),
            ("print a;print b;", None),
            ("let a:int=", None),
        ] {
            assert_eq!(breaker.fault(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn suites_are_deterministic_and_end() {
        let grammar = read(SOURCE);
        let texts = |limit| {
            let suite = name_faults(&grammar, limit, 7);
            suite
                .texts
                .into_iter()
                .map(|text| text.text)
                .collect::<Vec<_>>()
        };
        assert_eq!(texts(40), texts(40));
        assert!(texts(40).len() <= 40 && texts(0).is_empty());
        let count = texts(usize::MAX).len();
        assert!((15..1_000).contains(&count), "{count}");
        let plain = read("s = \"x\" ;");
        assert!(name_faults(&plain, 10, 1).texts.is_empty());
    }
}
