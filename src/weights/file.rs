//! The weights file: JSON with one choice on each line, so that people can read and edit it.
//!
//! ```json
//! {
//!   "zester": "weights", "version": 3, "grammar": "expr.ebnf", "fingerprint": "0123456789abcdef",
//!   "samples": 2, "expansions": 40, "bytes": 25, "context": 0, "power": 1, "damping": 0,
//!   "choices": [
//!     {"of": "sum", "alternatives": [["product", 3], ["sum \"+\" product", 1], ["sum \"-\" product", null]]},
//!     {"of": "statements", "counts": [["0", 1], ["8-15", 1]]},
//!     {"of": "digit", "characters": [["1", 3], ["2", 1]]},
//!     {"of": "name", "names": [["a", 2]], "others": 1}
//!   ],
//!   "words": [
//!     {"of": "name", "choice": 64, "words": [["total", 1]]}
//!   ]
//! }
//! ```
//!
//! A weight is a number that is not negative. For an alternative in an entry without `"in"`, it can
//! also be `null`, which forbids the alternative.
//!
//! * `"alternatives"` has all alternatives, in the order in which `zester learn` wrote them. Only
//!   their order matters. Their texts are for the reader. Other lists need not be complete: an
//!   outcome that is not listed has weight 0.
//! * `"counts"` has the numbers of elements of a repetition, or of characters of a run, minus the
//!   lower limit. From 8 on, they are grouped: 8-15, 16-31, and so on. `"layout"` has the numbers
//!   of layout tokens before a token, grouped in the same way. `"recency"` has, for a use of a declared
//!   name, the numbers of names of its kind that became visible after it.
//! * `"characters"` has members of a character class, `"names"` names of an identifier terminal,
//!   and `"cases"` the ways to write a case-insensitive literal: `"as written"`, `"lower"`,
//!   `"upper"`, `"mixed"`.
//! * `"others"` is the total weight of the outcomes that have no entry. For a class of more than
//!   256 characters, these outcomes are the characters that no sample contains and that parameters
//!   cannot encode in one byte. For an identifier terminal, they are all names that the grammar
//!   does not list. Other choices have no `"others"`.
//! * `"of"` names the symbol that makes the choice.
//! * `"in"` lists the enclosing choices, the nearest first: pairs of a symbol and the number of its
//!   alternative, from 0. The symbol `""` stands for the root of the derivation, which no choice
//!   encloses. There are at most `"context"` of them.
//! * `"words"` lists texts of tokens in the samples. Each entry is for one token and one first
//!   choice in its derivation, `"choice"`. The choice is the number of an alternative, from 0. For
//!   a repetition or a run it is 0. For an identifier terminal it is the number of names in the
//!   grammar, and the texts are none of these names.
//! * `"grammar"` and `"fingerprint"` identify the grammar. The weights belong to a grammar with
//!   this fingerprint only.
//! * `"samples"`, `"expansions"` and `"bytes"` are the number of samples, and of the expansions and
//!   bytes in all of them.
//! * `"power"` and `"damping"` are the [`Transform`] that makes probabilities of weights.
//! * `"version"` is the version of this format.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use tinyjson::JsonValue;

use super::choice_kind::{
    ChoiceKind, ContextKey, Enclosing, START, bucket, choice_kind, class, counts, support,
};
use super::{FORBIDDEN, Transform, Weights};
use crate::error::Error;
use crate::grammar::{Grammar, Kind, SymbolId};

const VERSION: u64 = 3;

/// The maximum size of a file in bytes. The weights of a hundred samples take about half a megabyte.
const MAX_BYTES: usize = 16 << 20;

/// The maximum depth of nested brackets. It is limited because tinyjson is recursive. A weights
/// file has six levels.
const MAX_DEPTH: usize = 16;

/// The names of the outcomes of [`ChoiceKind::Case`].
const CASES: [&str; 4] = ["as written", "lower", "upper", "mixed"];

impl Weights {
    /// Returns the text of a weights file.
    pub fn write(&self, grammar: &Grammar) -> String {
        let names = SymbolNames::new(grammar);
        let Weights {
            samples,
            expansions,
            bytes,
            context,
            transform: Transform { power, damping },
            ..
        } = self;
        let mut text = format!(
            "{{\n  \"zester\": \"weights\", \"version\": {VERSION}, \"grammar\": {}, \"fingerprint\": \"{:016x}\",\n  \"samples\": {samples}, \"expansions\": \
             {expansions}, \"bytes\": {bytes}, \"context\": {context}, \"power\": {power}, \"damping\": {damping},\n  \"choices\": [",
            quote(&self.grammar),
            self.fingerprint
        );
        let mut separator = "\n";
        for (key, outcomes) in &self.seen {
            let _ = write!(
                text,
                "{separator}    {{\"of\": {}",
                quote(&names.of(key.symbol))
            );
            separator = ",\n";
            if !key.context.is_empty() {
                let pairs = key
                    .context
                    .iter()
                    .map(|&(symbol, choice)| format!("[{}, {choice}]", quote(&names.of(symbol))));
                let _ = write!(text, ", \"in\": [{}]", pairs.collect::<Vec<_>>().join(", "));
            }
            self.write_outcomes(grammar, key, outcomes, &mut text);
            text.push('}');
        }
        text.push_str("\n  ],\n  \"words\": [");
        separator = "\n";
        for (&(symbol, choice), words) in &self.words {
            let pairs = words
                .iter()
                .map(|(word, weight)| format!("[{}, {weight}]", quote(&shown(grammar, word))));
            let words: Vec<String> = pairs.collect();
            let of = quote(&names.of(symbol));
            let _ = write!(
                text,
                "{separator}    {{\"of\": {of}, \"choice\": {choice}, \"words\": [{}]}}",
                words.join(", ")
            );
            separator = ",\n";
        }
        text.push_str("\n  ]\n}\n");
        text
    }

    fn write_outcomes(
        &self,
        grammar: &Grammar,
        key: &ContextKey,
        outcomes: &BTreeMap<u32, f64>,
        text: &mut String,
    ) {
        let symbol = key.symbol;
        let pair = |name: &str, weight: f64| format!("[{}, {}]", quote(name), number(weight));
        let weight = |outcome: u32| outcomes.get(&outcome).copied().unwrap_or(0.0);
        let mut others = None;
        let pairs: Vec<String> = match key.choice_kind {
            ChoiceKind::Alternative => {
                let all = (0..).zip(grammar.alternatives(symbol));
                all.map(|(outcome, alternative)| {
                    pair(&grammar.describe_alternative(alternative), weight(outcome))
                })
                .collect()
            }
            choice_kind => {
                let named = outcomes.iter().filter_map(|(&outcome, &weight)| {
                    match name(grammar, symbol, choice_kind, outcome) {
                        Some(name) => Some(pair(&name, weight)),
                        None => {
                            others = Some(weight);
                            None
                        }
                    }
                });
                named.collect()
            }
        };
        let _ = write!(
            text,
            ", \"{}\": [{}]",
            field_name(key.choice_kind),
            pairs.join(", ")
        );
        if let Some(weight) = others {
            let _ = write!(text, ", \"others\": {}", number(weight));
        }
    }

    /// Reads the text of a weights file.
    ///
    /// # Errors
    /// If the text is larger than 16 MiB, if it is not a weights file of this version, or if the
    /// weights belong to another grammar. The message of an error in an entry names the entry.
    pub fn read(grammar: &Grammar, text: &str) -> Result<Weights, Error> {
        let value = document(text)?;
        let other = "this is not a weights file; `zester learn` writes one";
        let file = Fields::of(&value).map_err(|_| other)?;
        if file.text("zester").is_none_or(|kind| kind != "weights") {
            return Err(other.into());
        }
        let version = file.whole("version")?;
        if version != VERSION {
            return Err(format!(
                "the weights file has version {version}; this zester reads version {VERSION}: learn the weights again"
            )
            .into());
        }
        let mut weights = Weights::new(grammar, file.whole("context")? as usize);
        weights.grammar = file.text("grammar").unwrap_or_default().into();
        weights.fingerprint = file
            .text("fingerprint")
            .and_then(|digits| u64::from_str_radix(digits, 16).ok())
            .ok_or("\"fingerprint\" must be 16 hexadecimal digits")?;
        weights.check(grammar)?;
        weights.samples = file.whole("samples")?;
        weights.expansions = file.whole("expansions")?;
        weights.bytes = file.whole("bytes")?;
        let real = |name: &str, absent: f64| match file.get(name) {
            None => Ok(absent),
            Some(&JsonValue::Number(number)) if number.is_finite() => Ok(number),
            Some(_) => Err(Error::from(format!("\"{name}\" must be a number"))),
        };
        weights.transform = Transform {
            power: real("power", 1.0)?,
            damping: real("damping", 0.0)?,
        };
        let names = SymbolNames::new(grammar);
        type Read = fn(&mut Weights, &Grammar, &SymbolNames<'_>, &Fields<'_>) -> Result<(), Error>;
        for (list, what, read) in [
            ("choices", "choice", Weights::read_choice as Read),
            ("words", "words", Weights::read_words),
        ] {
            let entries = file
                .list(list)
                .ok_or_else(|| format!("\"{list}\" must be an array"))?;
            for (number, entry) in (1..).zip(entries) {
                let fields = Fields::of(entry)?;
                read(&mut weights, grammar, &names, &fields).map_err(|problem| {
                    let of = fields
                        .text("of")
                        .map_or(String::new(), |of| format!(", of {of}"));
                    format!("{what} {number}{of}: {problem}")
                })?;
            }
        }
        Ok(weights)
    }

    fn read_choice(
        &mut self,
        grammar: &Grammar,
        names: &SymbolNames,
        entry: &Fields,
    ) -> Result<(), Error> {
        let of = entry.text("of").ok_or("\"of\" must name a symbol")?;
        let symbol = names.symbol(of)?;
        let mut context: Vec<Enclosing> = Vec::new();
        if let Some(within) = entry.get("in") {
            let wrong =
                "\"in\" must be an array of pairs of a symbol and the number of an alternative";
            for (name, choice) in pairs(within).ok_or(wrong)? {
                let symbol = if name.is_empty() {
                    START.0
                } else {
                    names.symbol(name)?
                };
                let choice = choice.filter(|choice| {
                    choice.fract() == 0.0 && (0.0..f64::from(u32::MAX)).contains(choice)
                });
                context.push((symbol, choice.ok_or(wrong)? as u32));
            }
        }
        if context.len() > self.context {
            return Err(format!(
                "\"in\" has {} choices, but \"context\" allows at most {}",
                context.len(),
                self.context
            )
            .into());
        }
        let kinds = [
            choice_kind(grammar, symbol),
            class(grammar, symbol).map(|_| ChoiceKind::Member),
        ];
        let listed = kinds
            .into_iter()
            .flatten()
            .find_map(|choice_kind| Some((choice_kind, entry.get(field_name(choice_kind))?)));
        let (choice_kind, list) = listed.ok_or_else(|| {
            let keys: Vec<String> = kinds
                .into_iter()
                .flatten()
                .map(|choice_kind| format!("\"{}\"", field_name(choice_kind)))
                .collect();
            if keys.is_empty() {
                "this symbol has no choice".into()
            } else {
                format!("the field {} is missing", keys.join(" or "))
            }
        })?;
        let key = field_name(choice_kind);
        let list = pairs(list)
            .ok_or_else(|| format!("\"{key}\" must be an array of pairs of a name and a weight"))?;
        let mut outcomes = BTreeMap::new();
        if choice_kind == ChoiceKind::Alternative
            && list.len() != grammar.alternatives(symbol).len()
        {
            return Err(format!(
                "{} alternatives are listed, but the rule has {}",
                list.len(),
                grammar.alternatives(symbol).len()
            )
            .into());
        }
        for (at, (name, weight)) in (0..).zip(list) {
            let weight = match weight {
                Some(weight) if weight.is_finite() && weight >= 0.0 => weight,
                None if choice_kind == ChoiceKind::Alternative && context.is_empty() => FORBIDDEN,
                _ => {
                    return Err(format!(
                        "the weight of {name:?} must be a number from 0 on{}",
                        or_null(choice_kind)
                    )
                    .into());
                }
            };
            let outcome = match choice_kind {
                ChoiceKind::Alternative => at,
                _ => outcome(grammar, symbol, choice_kind, name)
                    .ok_or_else(|| format!("\"{key}\" of this symbol cannot contain {name:?}"))?,
            };
            if weight != 0.0 {
                outcomes.insert(outcome, weight);
            }
        }
        if let Some(others) = entry.get("others") {
            let weight = (others.get::<f64>().copied())
                .filter(|weight| weight.is_finite() && *weight >= 0.0);
            let all = support(grammar, symbol, choice_kind, &BTreeMap::new());
            let others = all
                .last()
                .filter(|&&outcome| name(grammar, symbol, choice_kind, outcome).is_none());
            let others =
                others.ok_or("this choice has no \"others\": all its outcomes have names")?;
            outcomes.insert(
                *others,
                weight.ok_or("\"others\" must be a number from 0 on")?,
            );
        }
        self.seen.insert(
            ContextKey {
                symbol,
                choice_kind,
                context: context.into(),
            },
            outcomes,
        );
        Ok(())
    }

    fn read_words(
        &mut self,
        grammar: &Grammar,
        names: &SymbolNames,
        entry: &Fields,
    ) -> Result<(), Error> {
        let of = entry.text("of").ok_or("\"of\" must name a symbol")?;
        let choice =
            u32::try_from(entry.whole("choice")?).map_err(|_| "\"choice\" is too large")?;
        let of = (names.symbol(of)?, choice);
        let words = entry
            .get("words")
            .and_then(pairs)
            .ok_or("\"words\" must be an array of pairs of a text and a weight")?;
        for (word, weight) in words {
            let weight = weight.filter(|weight| weight.is_finite() && *weight >= 0.0);
            let weight = weight
                .ok_or_else(|| format!("the weight of {word:?} must be a number from 0 on"))?;
            let text = bytes(grammar, word).ok_or_else(|| {
                format!("{word:?} has characters above U+00FF, but this grammar derives bytes")
            })?;
            self.words
                .entry(of)
                .or_default()
                .insert(text.into(), weight);
        }
        Ok(())
    }
}

fn or_null(choice_kind: ChoiceKind) -> &'static str {
    if choice_kind == ChoiceKind::Alternative {
        ", or null in an entry without \"in\" to forbid it"
    } else {
        ""
    }
}

/// Returns the name of the field that lists the outcomes of a kind of choice.
fn field_name(choice_kind: ChoiceKind) -> &'static str {
    match choice_kind {
        ChoiceKind::Alternative => "alternatives",
        ChoiceKind::Count => "counts",
        ChoiceKind::Member => "characters",
        ChoiceKind::Name => "names",
        ChoiceKind::Recency => "recency",
        ChoiceKind::Case => "cases",
        ChoiceKind::Layout => "layout",
    }
}

/// Returns the name of an outcome. Returns [`None`] for the outcome that stands for all outcomes
/// without an entry.
pub(super) fn name(
    grammar: &Grammar,
    symbol: SymbolId,
    choice_kind: ChoiceKind,
    outcome: u32,
) -> Option<String> {
    match (choice_kind, &grammar[symbol].kind) {
        (ChoiceKind::Alternative, _) => grammar
            .alternatives(symbol)
            .get(outcome as usize)
            .map(|a| grammar.describe_alternative(a)),
        (ChoiceKind::Count | ChoiceKind::Layout | ChoiceKind::Recency, _) => {
            let (min, max) = counts(outcome);
            Some(if min == max {
                min.to_string()
            } else {
                format!("{min}-{max}")
            })
        }
        (ChoiceKind::Member, _) => {
            let class = class(grammar, symbol)?;
            let character = (outcome < class.count()).then(|| class.member(outcome))?;
            Some(char::from_u32(character)?.to_string())
        }
        (ChoiceKind::Name, Kind::Identifier { names, .. }) => (outcome < names.end - names.start)
            .then(|| shown(grammar, grammar.name(names, outcome))),
        (ChoiceKind::Case, _) => CASES.get(outcome as usize).map(|case| (*case).into()),
        _ => None,
    }
}

/// Returns the outcome with this name, or [`None`] if no outcome of the symbol has the name. For
/// counts, the first number selects the range. Alternatives are read by position, not by name.
fn outcome(
    grammar: &Grammar,
    symbol: SymbolId,
    choice_kind: ChoiceKind,
    name: &str,
) -> Option<u32> {
    match (choice_kind, &grammar[symbol].kind) {
        (ChoiceKind::Count | ChoiceKind::Layout | ChoiceKind::Recency, _) => {
            Some(bucket(name.split('-').next()?.parse().ok()?))
        }
        (ChoiceKind::Member, _) => {
            let mut characters = name.chars();
            let class = class(grammar, symbol)?;
            let index = characters
                .next()
                .and_then(|character| class.index_of(character.into()))?;
            characters.next().is_none().then_some(index)
        }
        (ChoiceKind::Name, Kind::Identifier { names, .. }) => {
            let name = bytes(grammar, name)?;
            (0..names.end - names.start).find(|&at| grammar.name(names, at) == name)
        }
        (ChoiceKind::Case, _) => CASES
            .iter()
            .position(|case| *case == name)
            .map(|at| at as u32),
        _ => None,
    }
}

/// Converts a text that the grammar derives to a string. If the grammar derives bytes, byte N
/// becomes the character U+00NN.
pub(super) fn shown(grammar: &Grammar, text: &[u8]) -> String {
    if grammar.derives_bytes() {
        text.iter().copied().map(char::from).collect()
    } else {
        String::from_utf8_lossy(text).into()
    }
}

/// Inverts [`shown`]. Returns [`None`] if the grammar derives bytes and a character is above
/// U+00FF.
fn bytes(grammar: &Grammar, text: &str) -> Option<Vec<u8>> {
    if grammar.derives_bytes() {
        text.chars().map(|char| u8::try_from(char).ok()).collect()
    } else {
        Some(text.into())
    }
}

fn number(weight: f64) -> String {
    if weight == FORBIDDEN {
        "null".into()
    } else {
        weight.to_string()
    }
}

fn quote(text: &str) -> String {
    JsonValue::from(text.to_string())
        .stringify()
        .unwrap_or_default()
}

/// Parses a JSON text.
///
/// # Errors
/// If the text is too long, nested too deeply, or no JSON.
fn document(text: &str) -> Result<JsonValue, Error> {
    if text.len() > MAX_BYTES {
        let size = text.len();
        return Err(format!("the file has {size} bytes; at most {MAX_BYTES} are read").into());
    }
    let (mut depth, mut is_string, mut is_escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_string,
            b'"' => is_string = !is_string,
            b'[' | b'{' if !is_string => depth += 1,
            b']' | b'}' if !is_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(format!("brackets are nested more than {MAX_DEPTH} deep").into());
        }
    }
    text.parse().map_err(|error: tinyjson::JsonParseError| {
        format!("this is not a weights file, which is JSON: {error}").into()
    })
}

/// The fields of a JSON object, by name.
struct Fields<'t>(&'t HashMap<String, JsonValue>);

impl<'t> Fields<'t> {
    fn of(value: &'t JsonValue) -> Result<Fields<'t>, Error> {
        let object = value.get().ok_or("a JSON object expected")?;
        Ok(Fields(object))
    }

    fn get(&self, name: &str) -> Option<&'t JsonValue> {
        self.0.get(name)
    }

    fn text(&self, name: &str) -> Option<&'t str> {
        self.get(name)?.get::<String>().map(String::as_str)
    }

    fn list(&self, name: &str) -> Option<&'t Vec<JsonValue>> {
        self.get(name)?.get()
    }

    fn whole(&self, name: &str) -> Result<u64, Error> {
        let number = self.get(name).and_then(|value| value.get::<f64>());
        let number =
            number.filter(|number| (0.0..=1e15).contains(*number) && number.fract() == 0.0);
        number
            .map(|&number| number as u64)
            .ok_or_else(|| format!("\"{name}\" must be a whole number from 0 to 10^15").into())
    }
}

/// Returns the elements of an array of pairs `[name, number]` or `[name, null]`. Returns [`None`]
/// if the value is anything else.
fn pairs(list: &JsonValue) -> Option<Vec<(&str, Option<f64>)>> {
    fn pair(pair: &JsonValue) -> Option<(&str, Option<f64>)> {
        match pair.get::<Vec<JsonValue>>()?.as_slice() {
            [JsonValue::String(name), JsonValue::Null] => Some((name.as_str(), None)),
            [JsonValue::String(name), JsonValue::Number(number)] => {
                Some((name.as_str(), Some(*number)))
            }
            _ => None,
        }
    }
    list.get::<Vec<JsonValue>>()?.iter().map(pair).collect()
}

/// The names of symbols in the file. A name is the symbol's label. If several symbols have that
/// label, `#` and the number of the symbol follow.
pub(super) struct SymbolNames<'g> {
    grammar: &'g Grammar,
    /// The symbol of each label, or `None` if several symbols have the label.
    only: HashMap<&'g str, Option<SymbolId>>,
}

impl<'g> SymbolNames<'g> {
    pub fn new(grammar: &'g Grammar) -> SymbolNames<'g> {
        let mut only = HashMap::new();
        for symbol in (0..grammar.symbols().len() as u32).map(SymbolId) {
            only.entry(grammar.label(symbol))
                .and_modify(|only| *only = None)
                .or_insert(Some(symbol));
        }
        SymbolNames { grammar, only }
    }

    pub fn of(&self, symbol: SymbolId) -> String {
        if symbol == START.0 {
            return String::new();
        }
        let label = self.grammar.label(symbol);
        if self.only.get(label) == Some(&Some(symbol)) {
            label.into()
        } else {
            format!("{label}#{}", symbol.0)
        }
    }

    fn symbol(&self, name: &str) -> Result<SymbolId, Error> {
        let numbered = || {
            let (label, number) = name.rsplit_once('#')?;
            let symbol = SymbolId(number.parse().ok()?);
            ((symbol.0 as usize) < self.grammar.symbols().len()
                && self.grammar.label(symbol) == label)
                .then_some(symbol)
        };
        let only = self.only.get(name).copied();
        only.flatten().or_else(numbered).ok_or_else(|| match only {
            Some(_) => {
                format!("several symbols are called {name:?}; write \"{name}#NUMBER\"").into()
            }
            None => format!("the grammar has no symbol {name:?}").into(),
        })
    }
}
