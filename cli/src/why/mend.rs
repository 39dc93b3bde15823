//! Proposes a kind of change of the grammar for a group of rejections.
//!
//! The proposals are heuristics. Each message names its evidence.

use std::collections::HashMap;
use std::fmt;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zester::SymbolId;
use zester::derivation::Derivation;
use zester::grammar::Kind;
use zester::parameters::{Decoder, Tree};

use super::parts::{PartKind, Parts};
use super::suspects::named_tokens;
use super::trial::{Judge, Judgement, Sentence, Trial};
use crate::problem::Problem;
use crate::reasons::{Detail, DetailKind, offset};

/// The maximum number of sentences of a group that are examined.
const EXAMINED: usize = 60;

/// The maximum number of accepted sentences in which a literal is searched.
const ACCEPTED: usize = 400;

/// The share of the examined sentences that must show a pattern.
const MOST: f64 = 0.7;

/// The share of valid sentences in which an undeclared name may be accepted, as in `drop if exists`.
const RARE: f64 = 0.02;

/// The maximum number of subtrees of the example that are replaced.
const EXCHANGED: usize = 8;

/// The maximum number of replacements of a subtree of the example, and of exchanges of neighbours.
const EXCHANGES: usize = 24;

/// A kind of change that fits a group of rejections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mend {
    /// The reason names a name of the sentence, which occurs first in this rule.
    Declare { rule: String },
    /// The reason names a word that the grammar spells out. In valid sentences, the first occurrence of
    /// the word is elsewhere.
    Spelled { rule: String, name: String },
    /// The smallest example has the name of its reason more than once.
    Once { rule: String },
    /// The reason names a number of the sentence.
    Range { number: String },
    /// The reason is at a literal that no accepted sentence has.
    Literal { text: String },
    /// Other subtrees of the same rule are accepted in place of one of the example.
    Type {
        rule: String,
        accepted: usize,
        of: usize,
    },
    /// With at most one element, the rejections disappear.
    Count,
    /// The example is accepted when two elements are exchanged.
    Order,
}

impl fmt::Display for Mend {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mend::Declare { rule } => write!(
                formatter,
                "unknown name: the name in the message first occurs in `{rule}`. Declare names (@declare) where the language \
                 does, and @use them here; or if the language has a fixed set of words here, list them"
            ),
            Mend::Spelled { rule, name } => write!(
                formatter,
                "unknown name: the grammar spells out {name}, and hardly any valid sentence has it first in `{rule}`. Declare names \
                 (@declare) where the language does, and @use them here"
            ),
            Mend::Once { rule } => write!(
                formatter,
                "declared twice: the smallest example has the name in the message more than once. With @declare in `{rule}` a \
                 scope has each name once"
            ),
            Mend::Range { number } => write!(
                formatter,
                "out of range: the message names a number of the sentence, such as {number}. Limit the numbers \
                 that the token derives there"
            ),
            Mend::Literal { text } => write!(
                formatter,
                "not accepted: the message is at {text}, which no valid sentence has. Compare its spelling and its position \
                 with the language's reference"
            ),
            Mend::Type { rule, accepted, of } => write!(
                formatter,
                "wrong type: of {of} other `{rule}` in its place, {accepted} were accepted. Give `{rule}` an argument, \
                 `{rule}<t: type>`, and ask for the right one here"
            ),
            Mend::Count => write!(
                formatter,
                "too many: with at most one element it is accepted. Lower the limit of the repetition"
            ),
            Mend::Order => write!(
                formatter,
                "wrong order: the example is accepted with two elements exchanged. Let the grammar derive them in \
                 that order only"
            ),
        }
    }
}

/// Returns the kind that the reasons and the sentences of a group show, or [`None`]. `is_twice` is
/// whether the reduced example has the name of its reason twice.
pub fn by_pattern(
    trial: &Trial<'_>,
    parts: &Parts<'_>,
    group: &[usize],
    is_twice: bool,
) -> Option<Mend> {
    let examined = &group[..group.len().min(EXAMINED)];
    let is_most = |count: usize| count as f64 >= MOST * examined.len() as f64 && count > 0;
    let mut uses = HashMap::new();
    let mut numbers = Vec::new();
    for &at in examined {
        let derivation = trial.derivation(at);
        for detail in &trial.sentences[at].details {
            let tokens = parts.tokens(&derivation, detail.text.as_bytes());
            match detail.kind {
                DetailKind::Name | DetailKind::Quoted if !is_number(&detail.text) => {
                    let is_name =
                        |&node: &usize| !is_literal(trial, derivation.nodes()[node].symbol);
                    let around: Vec<u32> = tokens
                        .iter()
                        .filter(|&node| is_name(node))
                        .filter_map(|&node| parts.around(&derivation, node, 1).first().copied())
                        .collect();
                    if let Some(&first) = around.first() {
                        *uses.entry(first).or_insert(0) += 1;
                        break;
                    }
                }
                DetailKind::Number | DetailKind::Quoted if !tokens.is_empty() => {
                    numbers.push(detail.text.clone());
                    break;
                }
                _ => {}
            }
        }
    }
    let total: usize = uses.values().sum();
    if !is_most(total)
        && let Some(mend) = spelled(trial, parts, examined, is_twice)
    {
        return Some(mend);
    }
    if is_most(total) {
        let (&part, _) = uses.iter().max_by_key(|&(part, count)| (*count, *part))?;
        let rule = parts.rule(part).to_string();
        return Some(match is_twice {
            true => Mend::Once { rule },
            false => Mend::Declare { rule },
        });
    }
    if is_most(numbers.len()) {
        let number = numbers.into_iter().min_by_key(String::len)?;
        return Some(Mend::Range { number });
    }
    None
}

/// Returns the kind of a group whose reasons name a word that the grammar spells out, if in hardly any
/// valid sentence the first occurrence of the word is where it is in these sentences.
fn spelled(
    trial: &Trial<'_>,
    parts: &Parts<'_>,
    examined: &[usize],
    is_twice: bool,
) -> Option<Mend> {
    // The two innermost parts around the first occurrence of a word.
    let position = |derivation: &Derivation, word: &[u8]| {
        let first = *parts.tokens(derivation, word).first()?;
        Some(parts.around(derivation, first, 2))
    };
    let mut found: HashMap<(Vec<u32>, &str), usize> = HashMap::new();
    for &at in examined {
        let derivation = trial.derivation(at);
        let names = trial.sentences[at].details.iter();
        let name = names.rev().find(|detail| detail.kind == DetailKind::Name);
        if let Some(name) = name
            && let Some(position) = position(&derivation, name.text.as_bytes())
        {
            *found.entry((position, &name.text)).or_default() += 1;
        }
    }
    let total: usize = found.values().sum();
    if (total as f64) < MOST * examined.len() as f64 {
        return None;
    }
    let (position_of_use, name) = found
        .into_iter()
        .max_by(|one, other| (one.1, &one.0).cmp(&(other.1, &other.0)))?
        .0;
    let rule = parts.rule(*position_of_use.last()?).to_string();
    if is_twice {
        return Some(Mend::Once { rule });
    }
    let is_valid = |&at: &usize| trial.sentences[at].judgement == Judgement::Valid;
    let valid = (0..trial.sentences.len()).filter(is_valid);
    let first = |at: usize| position(&trial.derivation(at), name.as_bytes());
    let positions: Vec<Vec<u32>> = valid.filter_map(first).collect();
    let alike = positions
        .iter()
        .filter(|position| **position == position_of_use);
    // A name that valid sentences do not have may be a wrong word.
    let is_rare = alike.count() as f64 <= RARE * positions.len() as f64;
    (!positions.is_empty() && is_rare).then(|| Mend::Spelled {
        rule,
        name: format!("{name:?}"),
    })
}

/// Returns [`Mend::Literal`] if most reasons of a group are at one literal that no accepted sentence
/// has.
pub fn by_literal(trial: &Trial<'_>, parts: &Parts<'_>, group: &[usize]) -> Option<Mend> {
    let examined = &group[..group.len().min(EXAMINED)];
    let mut literals: HashMap<Vec<u8>, usize> = HashMap::new();
    for &at in examined {
        let derivation = trial.derivation(at);
        let named = named_tokens(trial, parts, at).into_iter();
        let literal = |&node: &usize| is_literal(trial, derivation.nodes()[node].symbol);
        let range = named
            .filter(literal)
            .find_map(|node| derivation.token_range(trial.grammar, node));
        if let Some(range) = range {
            *literals
                .entry(derivation.text()[range].to_vec())
                .or_default() += 1;
        }
    }
    let (text, count) = literals
        .into_iter()
        .max_by(|one, other| (one.1, &one.0).cmp(&(other.1, &other.0)))?;
    let is_valid = |&at: &usize| trial.sentences[at].judgement == Judgement::Valid;
    let is_accepted = (0..trial.sentences.len())
        .filter(is_valid)
        .take(ACCEPTED)
        .any(|at| !parts.tokens(&trial.derivation(at), &text).is_empty());
    let is_most = count as f64 >= MOST * examined.len() as f64;
    (is_most && !is_accepted).then(|| Mend::Literal {
        text: format!("{:?}", String::from_utf8_lossy(&text)),
    })
}

/// Returns whether a text begins as a number does.
fn is_number(text: &str) -> bool {
    text.starts_with(|char: char| char.is_ascii_digit() || char == '.')
}

/// Returns whether a sentence has a name of its reason more than once, and the location of the reason is
/// not the first occurrence.
pub fn has_name_twice(parts: &Parts<'_>, derivation: &Derivation, details: &[Detail]) -> bool {
    let mut offsets = details
        .iter()
        .filter(|detail| detail.kind == DetailKind::Location)
        .filter_map(|detail| offset(&detail.text, derivation.text()));
    let token = offsets
        .next()
        .and_then(|offset| parts.token_at(derivation, offset));
    details.iter().any(|detail| {
        let is_name = matches!(detail.kind, DetailKind::Name | DetailKind::Quoted);
        let tokens = match is_name && !is_number(&detail.text) {
            true => parts.tokens(derivation, detail.text.as_bytes()),
            false => Vec::new(),
        };
        tokens.len() > 1 && token != tokens.first().copied()
    })
}

/// Returns whether a symbol is a token that is a literal.
fn is_literal(trial: &Trial<'_>, symbol: SymbolId) -> bool {
    let kind = |symbol: SymbolId| &trial.grammar.symbols()[symbol.0 as usize].kind;
    match kind(symbol) {
        Kind::Lexeme { body, .. } => {
            matches!(kind(*body), Kind::Literal { .. } | Kind::Insensitive { .. })
        }
        _ => false,
    }
}

/// Finds the kind that fits the reduced example of a group by experiment: subtrees of accepted sentences
/// replace subtrees of the example. `has_reason` returns whether a reason is one of the group.
pub fn by_exchange(
    trial: &Trial<'_>,
    example: &[u8],
    has_reason: &dyn Fn(&str, &[u8]) -> bool,
    judge: Judge<'_>,
) -> Result<Option<Mend>, Problem> {
    let mut decoder = Decoder::new(trial.grammar);
    let example = decoder.tree(example).clone();
    let mut rng = SmallRng::seed_from_u64(1);
    if is_mended_by_exchange_of_elements(&example, trial, judge)? {
        return Ok(Some(Mend::Order));
    }
    // Small subtrees first: a whole program can always be replaced by an accepted one.
    let derivation = example.derivation();
    let mut nodes = syntax_nodes(trial, derivation);
    nodes.retain(|&node| node > 0 && !derivation.text_range(node).is_empty());
    nodes.sort_by_key(|&node| derivation.nodes()[node].size);
    let is_valid = |sentence: &&Sentence| sentence.judgement == Judgement::Valid;
    let valid: Vec<&Sentence> = trial.sentences.iter().filter(is_valid).collect();
    if valid.is_empty() {
        return Ok(None);
    }
    let mut tried = Vec::new();
    for node in nodes {
        let Some(rule) = rule(trial, derivation.nodes()[node].symbol) else {
            continue;
        };
        let span = derivation.text_range(node);
        if tried.contains(&span) || tried.len() >= EXCHANGED {
            continue;
        }
        tried.push(span.clone());
        let mut texts: Vec<Vec<u8>> = Vec::new();
        for _ in 0..EXCHANGES * 8 {
            if texts.len() >= EXCHANGES {
                break;
            }
            let donor = valid[rng.random_range(0..valid.len())];
            let donor = decoder.decode(&donor.parameters);
            let like: Vec<usize> = syntax_nodes(trial, donor)
                .into_iter()
                .filter(|&node| self::rule(trial, donor.nodes()[node].symbol) == Some(rule))
                .collect();
            if like.is_empty() {
                continue;
            }
            let from = donor.text_range(like[rng.random_range(0..like.len())]);
            let blank: &[u8] = if trial.grammar.layout().is_some() {
                b" "
            } else {
                b""
            };
            let all = derivation.text();
            let parts = [
                &all[..span.start],
                blank,
                &donor.text()[from],
                blank,
                &all[span.end..],
            ];
            let text = parts.concat();
            if text != all && !texts.contains(&text) {
                texts.push(text);
            }
        }
        let all = judge(&texts)?.all;
        let accepted = all.iter().filter(|one| **one == Judgement::Valid).count();
        // If most of the others are rejected for other reasons, their type is not what matters.
        let is_same = |(one, text): &(&Judgement, &Vec<u8>)| match one {
            Judgement::Rejected(reason) => has_reason(reason, text),
            Judgement::Valid | Judgement::Other { .. } => false,
        };
        let same = all.iter().zip(&texts).filter(is_same).count();
        if accepted > 0 && same > 0 && 2 * (accepted + same) >= all.len() {
            let (rule, of) = (rule.to_string(), all.len());
            return Ok(Some(Mend::Type { rule, accepted, of }));
        }
    }
    Ok(None)
}

/// Returns the rule of a symbol, without values of arguments. [`None`] for a group.
fn rule<'g>(trial: &Trial<'g>, symbol: SymbolId) -> Option<&'g str> {
    let label = trial.grammar.label(symbol);
    let rule = label.split('<').next().unwrap_or(label);
    (!rule.contains('/')).then_some(rule)
}

/// Returns the nodes of rules and groups outside of tokens.
fn syntax_nodes(trial: &Trial<'_>, derivation: &Derivation) -> Vec<usize> {
    let (mut found, mut end) = (Vec::new(), 0);
    for (at, node) in derivation.nodes().iter().enumerate() {
        match trial.grammar.symbols()[node.symbol.0 as usize].kind {
            _ if at < end => {}
            Kind::Nonterminal { .. } => found.push(at),
            Kind::Lexeme { .. } | Kind::Identifier { .. } => end = at + node.size as usize,
            _ => {}
        }
    }
    found
}

/// Returns whether the example is accepted when two neighbours of a repetition change places.
fn is_mended_by_exchange_of_elements(
    example: &Tree,
    trial: &Trial<'_>,
    judge: Judge<'_>,
) -> Result<bool, Problem> {
    let derivation = example.derivation();
    let mut decoder = Decoder::new(trial.grammar);
    let mut texts = Vec::new();
    for (at, node) in derivation.nodes().iter().enumerate() {
        let kind = &trial.grammar.symbols()[node.symbol.0 as usize].kind;
        if !matches!(kind, Kind::Repeat { .. }) || texts.len() >= EXCHANGES {
            continue;
        }
        let elements: Vec<usize> = derivation.children(at).collect();
        for pair in elements.windows(2) {
            let all = example.parameters();
            let (first, second) = (example.span(pair[0]), example.span(pair[1]));
            let parameters = [
                &all[..first.start],
                &all[second.clone()],
                &all[first.clone()],
                &all[second.end..],
            ];
            texts.push(decoder.decode(&parameters.concat()).text().to_vec());
        }
    }
    let all = judge(&texts)?.all;
    Ok(all.contains(&Judgement::Valid))
}

/// Returns [`Mend::Count`] if a part is a repetition that may have more than one element.
pub fn by_part(trial: &Trial<'_>, parts: &Parts<'_>, part: u32) -> Option<Mend> {
    let part = parts.get(part);
    // `a?` has at most one element anyway.
    let has_several = |symbol: &SymbolId| match trial.grammar.symbols()[symbol.0 as usize].kind {
        Kind::Repeat { at_most, .. } | Kind::Run { at_most, .. } => {
            let span = trial.grammar.span_of(*symbol);
            at_most > 1 && (span.start as usize, span.end as usize) == (part.start, part.end)
        }
        _ => false,
    };
    let is_repeated = part.kind == PartKind::Repetition
        && (0..trial.grammar.symbols().len() as u32)
            .map(SymbolId)
            .any(|symbol| has_several(&symbol));
    is_repeated.then_some(Mend::Count)
}
