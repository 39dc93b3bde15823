//! All short texts of the symbols of a grammar, computed by brute force. Unit tests use them to
//! check automata, sizes and passes.

use std::collections::BTreeSet;

use super::{GrammarTables, Kind, span};

/// A set of texts.
pub(crate) type TextSet = BTreeSet<Vec<u8>>;

/// Returns, for every symbol, all texts of at most `max` bytes that it derives, without layout.
/// Computed as a least fixed point.
pub(crate) fn texts(tables: GrammarTables<'_>, max: usize) -> Vec<TextSet> {
    let mut all = vec![TextSet::new(); tables.symbols.len()];
    loop {
        let before = all.clone();
        for (at, symbol) in tables.symbols.iter().enumerate() {
            let of = |symbol: super::SymbolId| &before[symbol.0 as usize];
            let members = |class: super::ClassId| {
                let class = &tables.classes[class.0 as usize];
                let texts = (0..class.count()).map(|index| {
                    let mut text = Vec::new();
                    class.write(class.member(index), &mut text);
                    text
                });
                texts.collect()
            };
            let mut found = match &symbol.kind {
                Kind::Nonterminal { alternatives, .. } => {
                    let alternatives = tables.alternatives[span(alternatives)].iter();
                    let texts = alternatives.flat_map(|alternative| {
                        let children = tables.children[span(&alternative.children)].iter();
                        children.fold(empty(), |texts, child| {
                            concatenations(&texts, of(child.symbol), max)
                        })
                    });
                    texts.collect()
                }
                Kind::Literal { text } => [tables.texts[span(text)].to_vec()].into(),
                Kind::Insensitive { text, .. } => {
                    tables.texts[span(text)]
                        .iter()
                        .fold(empty(), |texts, byte| {
                            let cases = [
                                vec![byte.to_ascii_lowercase()],
                                vec![byte.to_ascii_uppercase()],
                            ];
                            concatenations(&texts, &cases.into(), max)
                        })
                }
                Kind::Class(class) => members(*class),
                Kind::Run {
                    class,
                    at_least,
                    at_most,
                } => repetitions(&members(*class), *at_least, *at_most, max),
                Kind::Repeat {
                    element,
                    at_least,
                    at_most,
                    ..
                } => repetitions(of(element.symbol), *at_least, *at_most, max),
                Kind::Identifier { escape, .. } => of(*escape).clone(),
                Kind::Lexeme { body, .. } => of(*body).clone(),
                Kind::Same { .. } => unreachable!("what is repeated depends on the position"),
            };
            found.retain(|text| text.len() <= max);
            all[at] = found;
        }
        if all == before {
            return all;
        }
    }
}

fn empty() -> TextSet {
    [Vec::new()].into()
}

/// Returns the concatenations of a text of each set that have at most `max` bytes.
fn concatenations(first: &TextSet, second: &TextSet, max: usize) -> TextSet {
    let pairs = first.iter().flat_map(|one| {
        second
            .iter()
            .map(move |other| [&one[..], &other[..]].concat())
    });
    pairs.filter(|text| text.len() <= max).collect()
}

/// Returns the concatenations of `at_least` to `at_most` texts that have at most `max` bytes.
fn repetitions(element: &TextSet, at_least: u32, at_most: u32, max: usize) -> TextSet {
    let (mut found, mut current) = (TextSet::new(), empty());
    // More non-empty elements than `max` exceed the length, and more empty elements change nothing.
    for count in 0..=at_most.min(at_least + max as u32) {
        if count >= at_least {
            found.extend(current.iter().cloned());
        }
        current = concatenations(&current, element, max);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::texts;

    #[test]
    fn texts_of_a_small_grammar() {
        let source = r#"s = "x" s "y" | [ab]{1,2} | "k"i ;"#;
        let (grammar, _) =
            crate::notation::read("g", source.as_bytes(), &Default::default()).unwrap();
        let found = &texts(grammar.tables(), 3)[grammar.start().0 as usize];
        let expected = [
            "a", "b", "k", "K", "aa", "ab", "ba", "bb", "xay", "xby", "xky", "xKy",
        ];
        assert_eq!(
            *found,
            expected
                .iter()
                .map(|text| text.as_bytes().to_vec())
                .collect()
        );
    }
}
