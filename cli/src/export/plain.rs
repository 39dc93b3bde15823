//! A grammar as plain context-free rules.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use zester::grammar::{Child, ClassId, Grammar, Kind, SymbolId};

/// The largest difference between the maximum and the minimum of an exported repetition. If the difference is larger,
/// the repetition is exported without a maximum.
const MAX_MORE: u32 = 16;

/// A rule of the exported grammar.
pub struct PlainRule {
    pub name: String,
    pub alternatives: Vec<Sequence>,
}

/// One alternative of a rule.
#[derive(Default)]
pub struct Sequence {
    pub parts: Vec<SequencePart>,
    /// A part that follows any number of times.
    pub repeated: Option<SequencePart>,
}

/// A part of a sequence.
#[derive(Clone, PartialEq)]
pub enum SequencePart {
    /// The rule with this number.
    Rule(usize),
    Text(Vec<u8>),
    /// One character of a class.
    Class(ClassId),
}

/// How the notation of the export writes each part of a sequence. Parts are joined by a blank. `*` repeats a part.
pub struct PartStyle {
    /// Writes the name of a rule.
    pub rule: fn(&str) -> String,
    /// Writes a text.
    pub literal: fn(&[char]) -> String,
    /// Writes the name of the class with this number.
    pub class: fn(u32) -> String,
}

/// What comes before the first token of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Before {
    Separator,
    /// Nothing: the grammar forbids layout there, or the text begins there.
    Nothing,
    /// Nothing, because the symbol is a part of a token.
    Token,
}

/// The rules that are reached from the start, in the order in which they are found. A symbol becomes several rules if
/// it is used in several ways: after a separator, without a separator, and inside a token.
pub struct PlainGrammar<'g> {
    grammar: &'g Grammar,
    /// The simplest text between two tokens; empty if the grammar has no layout.
    separator: &'g [u8],
    numbers: HashMap<(SymbolId, Before), usize>,
    open: VecDeque<(SymbolId, Before)>,
    /// The names of the rules, by number.
    names: Vec<String>,
    /// The names that no other rule can have.
    taken: HashSet<String>,
    warnings: BTreeSet<String>,
}

impl<'g> PlainGrammar<'g> {
    /// Starts an export at the start rule of an erased grammar: one without names, types and arguments of rules.
    pub fn new(grammar: &'g Grammar) -> PlainGrammar<'g> {
        let separator = grammar
            .layout()
            .map_or(&b""[..], |layout| &layout.separators[0]);
        let mut plain = PlainGrammar {
            grammar,
            separator,
            numbers: HashMap::new(),
            open: VecDeque::new(),
            names: Vec::new(),
            taken: HashSet::new(),
            warnings: BTreeSet::new(),
        };
        plain.rule(grammar.start(), Before::Nothing);
        plain
    }

    /// Returns the next rule, or [`None`] after the last one.
    pub fn next(&mut self) -> Option<PlainRule> {
        let key = self.open.pop_front()?;
        Some(PlainRule {
            name: self.names[self.numbers[&key]].clone(),
            alternatives: self.sequences(key.0, key.1),
        })
    }

    /// Returns all rules, each with its name and its alternatives as they are written, and the classes that they use.
    pub fn written(&mut self, style: &PartStyle) -> (Vec<(String, Vec<String>)>, Vec<ClassId>) {
        let (mut rules, mut classes) = (Vec::new(), BTreeMap::new());
        let has_bytes = self.has_bytes();
        while let Some(rule) = self.next() {
            let mut shown = |part: &SequencePart| match part {
                SequencePart::Rule(rule) => (style.rule)(self.name(*rule)),
                SequencePart::Text(text) => (style.literal)(&characters(text, has_bytes)),
                SequencePart::Class(class) => {
                    classes.insert(class.0, *class);
                    (style.class)(class.0)
                }
            };
            let alternatives = rule.alternatives.iter().map(|sequence| {
                let mut parts: Vec<String> = sequence.parts.iter().map(&mut shown).collect();
                let repeated = sequence.repeated.as_ref();
                parts.extend(repeated.map(|part| shown(part) + "*"));
                parts.join(" ")
            });
            rules.push(((style.rule)(&rule.name), alternatives.collect()));
        }
        if has_bytes {
            self.warn("bytes are exported as the characters of the same numbers");
        }
        (rules, classes.into_values().collect())
    }

    /// Returns the name of a rule: letters in lower case, digits and underscores.
    pub fn name(&self, rule: usize) -> &str {
        &self.names[rule]
    }

    /// Returns the ranges of a class, inclusive.
    pub fn ranges(&self, class: ClassId) -> &'g [(u32, u32)] {
        self.grammar[class].ranges()
    }

    /// Returns the first characters of a class, the simplest first, and whether there are more.
    pub fn members(&self, class: ClassId, max: u32) -> (Vec<char>, bool) {
        let class = &self.grammar[class];
        let members = (0..class.count().min(max)).map(|index| class.member(index));
        let has_more = class.count() > max;
        (members.filter_map(char::from_u32).collect(), has_more)
    }

    /// Returns whether the grammar derives bytes, not UTF-8.
    pub fn has_bytes(&self) -> bool {
        self.grammar.derives_bytes()
    }

    /// Records what the notation cannot express.
    pub fn warn(&mut self, what: impl Into<String>) {
        self.warnings.insert(what.into());
    }

    /// Returns what the notation cannot express, each once.
    pub fn warnings(&self) -> impl Iterator<Item = &String> {
        self.warnings.iter()
    }

    /// Returns the alternatives of a symbol.
    fn sequences(&mut self, symbol: SymbolId, before: Before) -> Vec<Sequence> {
        let grammar = self.grammar;
        let sequence = |parts| Sequence {
            parts,
            repeated: None,
        };
        match &grammar[symbol].kind {
            Kind::Nonterminal { .. } => {
                let alternatives = grammar.alternatives(symbol).iter();
                let sequences = alternatives.map(|alternative| {
                    let (mut parts, mut is_first) = (Vec::new(), true);
                    for child in grammar.children(alternative) {
                        parts.extend(self.child(child, before, is_first));
                        // A separator follows an optional part. Without it, if the part is not empty, its last token
                        // and the next one could be read as one.
                        is_first &= grammar[child.symbol].max_bytes == 0;
                    }
                    sequence(parts)
                });
                sequences.collect()
            }
            Kind::Repeat {
                element,
                at_least,
                at_most,
                ..
            } => {
                let [first, other] = [true, false].map(|is_first| {
                    let parts = self.child(element, before, is_first);
                    self.single(parts, element.symbol)
                });
                self.repetition(first, other, *at_least, *at_most)
            }
            Kind::Run {
                class,
                at_least,
                at_most,
            } => {
                let character = SequencePart::Class(*class);
                self.repetition(character.clone(), character, *at_least, *at_most)
            }
            Kind::Identifier { names, escape } => {
                let count = names.end - names.start;
                let name = |at| SequencePart::Text(grammar.name(names, at).to_vec());
                let mut all: Vec<Sequence> =
                    (0..count).map(|at| sequence(vec![name(at)])).collect();
                all.push(sequence(self.part(*escape, before)));
                all
            }
            _ => vec![sequence(self.part(symbol, before))],
        }
    }

    /// Returns the alternatives of a repetition, whose first element may differ from the others.
    fn repetition(
        &mut self,
        first: SequencePart,
        other: SequencePart,
        at_least: u32,
        at_most: u32,
    ) -> Vec<Sequence> {
        let elements = |count: u32, repeated: Option<&SequencePart>| {
            let mut parts = vec![other.clone(); count as usize];
            if let Some(part) = parts.first_mut() {
                *part = first.clone();
            }
            Sequence {
                parts,
                repeated: repeated.cloned(),
            }
        };
        if at_most - at_least <= MAX_MORE {
            return (at_least..=at_most)
                .map(|count| elements(count, None))
                .collect();
        }
        if at_most != u32::MAX {
            self.warn("repetitions with a large maximum are exported without it");
        }
        if at_least == 0 && first != other {
            return vec![Sequence::default(), elements(1, Some(&other))];
        }
        vec![elements(at_least, Some(&other))]
    }

    /// Returns the parts of a child in a sequence. `before` is what comes before the parent. `is_first`: the
    /// text of the parent begins with this child.
    fn child(&mut self, child: &Child, before: Before, is_first: bool) -> Vec<SequencePart> {
        let own = match before {
            Before::Token => Before::Token,
            _ if child.is_adjacent => Before::Nothing,
            _ if is_first => before,
            _ => Before::Separator,
        };
        self.part(child.symbol, own)
    }

    /// Returns the parts of a symbol in a sequence.
    fn part(&mut self, symbol: SymbolId, before: Before) -> Vec<SequencePart> {
        let grammar = self.grammar;
        match &grammar[symbol].kind {
            Kind::Literal { text } if text.is_empty() => Vec::new(),
            Kind::Literal { text } => vec![SequencePart::Text(grammar.text(text).to_vec())],
            Kind::Insensitive { text, .. } => {
                self.warn("texts in any case are exported in the case of the grammar");
                vec![SequencePart::Text(grammar.text(text).to_vec())]
            }
            Kind::Class(class) => vec![SequencePart::Class(*class)],
            Kind::Same { of, .. } => {
                self.warn("a text that is repeated is exported as two texts of its rule");
                self.part(*of, before)
            }
            // A lexeme with a maximum of 0 bytes marks the end of the text, and has no text itself.
            Kind::Lexeme { body, .. } if grammar[*body].max_bytes == 0 => Vec::new(),
            Kind::Lexeme { body, layout, .. } => {
                let has_separator = *layout && before == Before::Separator;
                let separator = has_separator.then(|| SequencePart::Text(self.separator.to_vec()));
                let separator = separator.filter(|_| !self.has_own_blank(*body));
                let token = self.part(*body, Before::Token);
                separator.into_iter().chain(token).collect()
            }
            Kind::Nonterminal { .. }
            | Kind::Repeat { .. }
            | Kind::Run { .. }
            | Kind::Identifier { .. } => vec![SequencePart::Rule(self.rule(symbol, before))],
        }
    }

    /// Returns whether a token needs no separator before it: the grammar has no layout, or the token itself begins with
    /// a blank, and a parser would not find it after another blank.
    fn has_own_blank(&self, mut token: SymbolId) -> bool {
        let grammar = self.grammar;
        // A token that is one sequence begins with the first part of it.
        while let [only] = grammar.alternatives(token)
            && let Some(first) = grammar.children(only).first()
        {
            token = first.symbol;
        }
        let text = match &grammar[token].kind {
            Kind::Literal { text } | Kind::Insensitive { text, .. } => grammar.text(text),
            _ => b"",
        };
        self.separator.is_empty() || text.first().is_some_and(u8::is_ascii_whitespace)
    }

    /// Returns the parts of a symbol as one part.
    fn single(&mut self, mut parts: Vec<SequencePart>, symbol: SymbolId) -> SequencePart {
        match parts.len() {
            1 => parts.swap_remove(0),
            // A separator and a token.
            _ => SequencePart::Rule(self.rule(symbol, Before::Separator)),
        }
    }

    /// Returns the index of the rule of a symbol. Adds the rule if it is new.
    fn rule(&mut self, symbol: SymbolId, before: Before) -> usize {
        let key = (symbol, before);
        if let Some(&known) = self.numbers.get(&key) {
            return known;
        }
        let number = self.names.len();
        let label = self.grammar.label(symbol).to_ascii_lowercase();
        let mut name = identifier(&label, "rule");
        while !self.taken.insert(name.clone()) {
            name += &format!("_{number}");
        }
        self.names.push(name);
        self.numbers.insert(key, number);
        self.open.push_back(key);
        number
    }
}

/// Returns the characters of a text. If the grammar has bytes, they have the numbers of the text's bytes.
fn characters(text: &[u8], has_bytes: bool) -> Vec<char> {
    match has_bytes {
        true => text.iter().map(|&byte| char::from(byte)).collect(),
        false => String::from_utf8_lossy(text).chars().collect(),
    }
}

/// Returns a literal in single quotes, as ANTLR and Python read it. `escape` escapes what is not printable.
pub fn literal(characters: &[char], escape: fn(u32) -> String) -> String {
    let escaped = |char: &char| match char {
        '\'' | '\\' => format!("\\{char}"),
        ' '..='~' => char.to_string(),
        _ => escape((*char).into()),
    };
    let escaped: String = characters.iter().map(escaped).collect();
    format!("'{escaped}'")
}

/// Returns a text with underscores in place of all but ASCII letters, digits and underscores, and with a prefix if it
/// does not begin with a letter.
pub fn identifier(text: &str, prefix: &str) -> String {
    let of_name = |char: char| match char.is_ascii_alphanumeric() {
        true => char,
        false => '_',
    };
    let name: String = text.chars().map(of_name).collect();
    match name.starts_with(|char: char| char.is_ascii_alphabetic()) {
        true => name,
        false => format!("{prefix}{name}"),
    }
}
