//! A grammar as plain context-free rules.

use std::collections::{BTreeSet, HashMap, VecDeque};

use zester::grammar::{ClassId, Grammar, Kind, SymbolId};

/// The maximum number of elements of a repetition with a greatest number. More are exported as any number.
const MAX_ELEMENTS: u32 = 16;

/// What a rule derives.
pub enum RuleBody {
    /// One of several sequences.
    Alternatives(Vec<Vec<SequencePart>>),
    /// A number of elements; any number if there is no maximum.
    Repeat {
        element: SequencePart,
        at_least: u32,
        at_most: Option<u32>,
    },
}

/// A part of a sequence.
#[derive(Clone)]
pub enum SequencePart {
    /// The rule with this number.
    Rule(usize),
    /// A text.
    Text(Vec<u8>),
    /// One character of a class.
    Class(ClassId),
}

/// A rule. A symbol without layout before its first token is another rule.
type RuleKey = (SymbolId, bool);

/// The rules that are reached from the start, in the order in which they are found.
pub struct PlainGrammar<'g> {
    grammar: &'g Grammar,
    separator: &'g [u8],
    /// By symbol: whether it derives tokens with layout before them.
    has_layout: Vec<bool>,
    numbers: HashMap<RuleKey, usize>,
    open: VecDeque<RuleKey>,
    names: Vec<String>,
    known: BTreeSet<String>,
    warnings: BTreeSet<String>,
}

impl<'g> PlainGrammar<'g> {
    /// Begins with the start rule of a grammar without names.
    pub fn new(grammar: &'g Grammar) -> PlainGrammar<'g> {
        let separator = grammar
            .layout()
            .map_or(&b""[..], |layout| &layout.separators[0]);
        let mut plain = PlainGrammar {
            grammar,
            separator,
            has_layout: with_layout(grammar),
            numbers: HashMap::new(),
            open: VecDeque::new(),
            names: Vec::new(),
            known: BTreeSet::new(),
            warnings: BTreeSet::new(),
        };
        // Nothing has to separate the first token from the beginning.
        plain.rule(grammar.start(), true);
        plain
    }

    /// Returns the name of a rule and what it derives, until all rules were returned.
    pub fn next(&mut self) -> Option<(String, RuleBody)> {
        let (symbol, is_adjacent) = self.open.pop_front()?;
        let name = self.names[self.numbers[&(symbol, is_adjacent)]].clone();
        Some((name, self.body(symbol, is_adjacent)))
    }

    /// Returns the name of a rule.
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
        (
            members.filter_map(char::from_u32).collect(),
            class.count() > max,
        )
    }

    /// Returns whether characters are bytes.
    pub fn has_bytes(&self) -> bool {
        self.grammar.derives_bytes()
    }

    /// Records what the notation cannot carry.
    pub fn warn(&mut self, what: impl Into<String>) {
        self.warnings.insert(what.into());
    }

    /// Returns what the notation cannot carry, each once.
    pub fn warnings(&self) -> impl Iterator<Item = &String> {
        self.warnings.iter()
    }

    fn body(&mut self, symbol: SymbolId, is_adjacent: bool) -> RuleBody {
        let grammar = self.grammar;
        match &grammar[symbol].kind {
            Kind::Nonterminal { .. } => {
                let alternatives = grammar.alternatives(symbol).iter();
                let sequences = alternatives.map(|alternative| {
                    // Until something is written, the next token is the first one.
                    let mut is_first = is_adjacent;
                    let children = grammar.children(alternative).iter();
                    let parts = children.flat_map(|child| {
                        let parts = self.part(child.symbol, is_first || child.is_adjacent);
                        is_first &= grammar[child.symbol].min_bytes == 0;
                        parts
                    });
                    parts.collect()
                });
                RuleBody::Alternatives(sequences.collect())
            }
            &Kind::Repeat {
                element,
                at_least,
                at_most,
                ..
            } => {
                let is_bounded = at_most <= at_least.max(1).saturating_add(MAX_ELEMENTS);
                if !is_bounded && at_most != u32::MAX {
                    self.warn("repetitions with a large maximum are exported without it");
                }
                // Elements after the first one are not at the beginning.
                let parts = self.part(element.symbol, element.is_adjacent);
                let element = self.single(parts, element.symbol, element.is_adjacent);
                RuleBody::Repeat {
                    element,
                    at_least,
                    at_most: is_bounded.then_some(at_most),
                }
            }
            &Kind::Run {
                class,
                at_least,
                at_most,
            } => {
                let is_bounded = at_most <= at_least.max(1).saturating_add(MAX_ELEMENTS);
                RuleBody::Repeat {
                    element: SequencePart::Class(class),
                    at_least,
                    at_most: is_bounded.then_some(at_most),
                }
            }
            Kind::Identifier { names, escape } => {
                let count = names.end - names.start;
                let texts =
                    (0..count).map(|at| vec![SequencePart::Text(grammar.name(names, at).to_vec())]);
                let mut all: Vec<Vec<SequencePart>> = texts.collect();
                all.push(self.part(*escape, is_adjacent));
                RuleBody::Alternatives(all)
            }
            _ => RuleBody::Alternatives(vec![self.part(symbol, is_adjacent)]),
        }
    }

    /// Returns what a symbol is in a sequence. `is_adjacent`: no separator before its first token.
    fn part(&mut self, symbol: SymbolId, is_adjacent: bool) -> Vec<SequencePart> {
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
                self.part(*of, true)
            }
            // The end of the text, after layout.
            Kind::Lexeme { body, .. } if grammar[*body].max_bytes == 0 => Vec::new(),
            Kind::Lexeme { body, layout, .. } => {
                let mut parts = Vec::new();
                if *layout && !is_adjacent && !self.separator.is_empty() {
                    parts.push(SequencePart::Text(self.separator.to_vec()));
                }
                parts.extend(self.part(*body, true));
                parts
            }
            Kind::Nonterminal { .. }
            | Kind::Repeat { .. }
            | Kind::Run { .. }
            | Kind::Identifier { .. } => {
                vec![SequencePart::Rule(self.rule(symbol, is_adjacent))]
            }
        }
    }

    /// Returns one part for a sequence.
    fn single(
        &mut self,
        mut parts: Vec<SequencePart>,
        symbol: SymbolId,
        is_adjacent: bool,
    ) -> SequencePart {
        match parts.len() {
            1 => parts.swap_remove(0),
            _ => SequencePart::Rule(self.rule(symbol, is_adjacent)),
        }
    }

    /// Returns the number of a rule.
    fn rule(&mut self, symbol: SymbolId, is_adjacent: bool) -> usize {
        let key = (symbol, is_adjacent || !self.has_layout[symbol.0 as usize]);
        if let Some(&known) = self.numbers.get(&key) {
            return known;
        }
        let label = self.grammar.label(symbol);
        let of_name = |char: char| {
            if char.is_ascii_alphanumeric() {
                char
            } else {
                '_'
            }
        };
        let mut name: String = label.chars().map(of_name).collect();
        if !name.starts_with(|char: char| char.is_ascii_alphabetic()) {
            name.insert_str(0, "rule");
        }
        name.make_ascii_lowercase();
        if !self.known.insert(name.clone()) {
            name = format!("{name}_n{}", self.names.len());
            self.known.insert(name.clone());
        }
        self.names.push(name);
        self.numbers.insert(key, self.names.len() - 1);
        self.open.push_back(key);
        self.names.len() - 1
    }
}

/// Returns by symbol whether it derives tokens with layout before them.
fn with_layout(grammar: &Grammar) -> Vec<bool> {
    let mut found = vec![false; grammar.symbols().len()];
    let mut has_changed = grammar.layout().is_some();
    while has_changed {
        has_changed = false;
        for (at, symbol) in grammar.symbols().iter().enumerate() {
            let is_found = |symbol: &SymbolId| found[symbol.0 as usize];
            let has = match &symbol.kind {
                Kind::Lexeme { layout, .. } => *layout,
                Kind::Repeat { element, .. } => is_found(&element.symbol),
                Kind::Nonterminal { .. } => {
                    grammar.alternatives(SymbolId(at as u32)).iter().any(|one| {
                        grammar
                            .children(one)
                            .iter()
                            .any(|child| is_found(&child.symbol))
                    })
                }
                _ => false,
            };
            has_changed |= has && !found[at];
            found[at] |= has;
        }
    }
    found
}
