//! Computes facts about the texts that an automaton accepts: the shortest ones, and whether it
//! accepts the concatenation of any two of its texts.

use std::collections::HashMap;

use super::alphabet::Alphabet;
use super::automaton::{Nfa, STATES};

/// Up to `max` non-empty texts that an automaton accepts, the shortest first. Texts of equal length
/// are in the order of [`super::Class`]. If the automaton accepts very many short texts, some of
/// them are missing. The list is empty only if the automaton accepts no non-empty text, or if the
/// search exceeds a limit.
pub(crate) fn words(nfa: &Nfa<'_>, start: u32, max: usize) -> Vec<Vec<u8>> {
    const PREFIXES: usize = 256;
    const LENGTH: usize = 64;
    let Some(alphabet) = nfa.alphabet() else {
        return Vec::new();
    };
    let all = super::Class::new(&[(0, u32::MAX)], nfa.bytes).expect("there are characters");
    let mut found = Vec::new();
    let mut prefixes = vec![(Vec::new(), nfa.closure(vec![start]))];
    for _ in 0..LENGTH {
        let mut longer = Vec::new();
        for (prefix, set) in &prefixes {
            let mut steps = Vec::new();
            for (letter, to) in nfa.moves(set, &alphabet) {
                let to = nfa.closure(to);
                if !nfa.spend(alphabet.size(letter) + max * to.len()) {
                    break;
                }
                let class = super::Class::new(&alphabet.characters(&[letter]), nfa.bytes);
                let members = class.iter().flat_map(|class| {
                    (0..class.count().min(max as u32)).map(|at| class.member(at))
                });
                steps.extend(members.filter_map(|c| Some((all.index_of(c)?, c, to.clone()))));
            }
            steps.sort_by_key(|&(rank, ..)| rank);
            for (_, character, to) in steps {
                let mut word: Vec<u8> = prefix.clone();
                all.write(character, &mut word);
                if to.iter().any(|&state| nfa.accepts(state)) {
                    found.push(word.clone());
                }
                longer.push((word, to));
            }
            if longer.len() >= PREFIXES || nfa.work_left() == 0 {
                break;
            }
        }
        if found.len() >= max || longer.is_empty() || nfa.work_left() == 0 {
            break;
        }
        longer.truncate(PREFIXES);
        prefixes = longer;
    }
    if found.is_empty() {
        found.extend(shortest(nfa, &alphabet, &all, start));
    }
    found.sort_by_key(Vec::len);
    found.truncate(max);
    found
}

/// Whether the concatenation of any two texts of a token is a text of the token. `false` if the
/// check takes too many steps.
pub(crate) fn is_closed(nfa: &Nfa<'_>, start: u32) -> bool {
    is_one_token(nfa, [start, start], start)
}

/// Whether the concatenation of any texts of two tokens is a text of the token `one`. `false` if the
/// check takes too many steps.
pub(crate) fn is_one_token(nfa: &Nfa<'_>, tokens: [u32; 2], one: u32) -> bool {
    const STEPS: usize = 2_000;
    let Some(alphabet) = nfa.alphabet() else {
        return false;
    };
    let [first, second] = tokens.map(|token| nfa.closure(vec![token]));
    let accepts = |set: &[u32]| set.iter().any(|&state| nfa.accepts(state));
    // A state of the search belongs to a prefix. It has the set of states of `one` after the
    // prefix, the set of states of the token in which the prefix ends, and whether this is the
    // second token.
    let begin = (nfa.closure(vec![one]), first, false);
    let mut visited = std::collections::HashSet::from([begin.clone()]);
    let mut open = vec![begin];
    while let Some((whole, part, is_second)) = open.pop() {
        if visited.len() > STEPS || nfa.work_left() == 0 {
            return false;
        }
        let mut add = |state: (Box<[u32]>, Box<[u32]>, bool)| {
            if visited.insert(state.clone()) {
                open.push(state);
            }
        };
        if accepts(&part) {
            match is_second {
                true if !accepts(&whole) => return false,
                true => {}
                false => add((whole.clone(), second.clone(), true)),
            }
        }
        let moves: HashMap<u16, Vec<u32>> = nfa.moves(&whole, &alphabet).into_iter().collect();
        for (letter, to) in nfa.moves(&part, &alphabet) {
            let whole = moves.get(&letter).cloned().unwrap_or_default();
            add((nfa.closure(whole), nfa.closure(to), is_second));
        }
    }
    true
}

/// A non-empty text with the fewest characters, by breadth-first search over sets of states.
fn shortest(nfa: &Nfa<'_>, alphabet: &Alphabet, all: &super::Class, start: u32) -> Option<Vec<u8>> {
    let start = nfa.closure(vec![start]);
    let mut visited = std::collections::HashSet::from([start.clone()]);
    let mut open = std::collections::VecDeque::from([(Vec::new(), start)]);
    while let Some((prefix, set)) = open.pop_front() {
        if nfa.work_left() == 0 {
            return None;
        }
        for (letter, to) in nfa.moves(&set, alphabet) {
            let to = nfa.closure(to);
            let Some(class) = super::Class::new(&alphabet.characters(&[letter]), nfa.bytes) else {
                continue;
            };
            let mut word = prefix.clone();
            all.write(class.member(0), &mut word);
            if to.iter().any(|&state| nfa.accepts(state)) {
                return Some(word);
            }
            if visited.len() < STATES && visited.insert(to.clone()) {
                open.push_back((word, to));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::exhaustive::{TextSet, texts};
    use crate::grammar::{Grammar, Kind, SymbolId};

    /// The maximum length of the texts that are compared, in bytes.
    const MAX: usize = 6;

    const TOKENS: [(&str, bool); 8] = [
        (r#"[a-c]+"#, true),
        (r#""ab"*"#, true),
        (r#""a" | "ab" | "ba""#, false),
        (r#"[ab] "c"*"#, false),
        (r#"( [ab]+ ) - ( "a" | "bb" )"#, false),
        (r#"( "a" "a"? | "b" )* "c""#, false),
        (r#"[ab]*"#, true),
        (r#""a"{2,5}"#, false),
    ];

    fn with_token<T>(token: &str, use_token: impl FnOnce(&TextSet, &Nfa<'_>, u32) -> T) -> T {
        let source = format!("s = t ; @token t = {token} ;");
        let (grammar, _): (Grammar, _) =
            crate::notation::read("g", source.as_bytes(), &Default::default()).unwrap();
        let symbols = (0..grammar.symbols().len() as u32).map(SymbolId);
        let is_token = |&symbol: &SymbolId| {
            grammar.label(symbol) == "t" && !matches!(grammar[symbol].kind, Kind::Lexeme { .. })
        };
        let symbol = symbols.into_iter().find(is_token).unwrap();
        let mut nfa = Nfa::new(grammar.tables(), false, true);
        let start = nfa.add(symbol, 0).unwrap();
        use_token(
            &texts(grammar.tables(), MAX)[symbol.0 as usize],
            &nfa,
            start,
        )
    }

    #[test]
    fn the_words_are_the_shortest_texts() {
        for (token, _) in TOKENS {
            with_token(token, |expected, nfa, start| {
                // A `TextSet` is sorted, and the order of ASCII letters is that of a class.
                let mut expected: Vec<Vec<u8>> = expected
                    .iter()
                    .filter(|text| !text.is_empty())
                    .cloned()
                    .collect();
                expected.sort_by_key(Vec::len);
                for max in [1, 4, 12] {
                    let found = words(nfa, start, max);
                    let count = max.min(expected.len());
                    assert_eq!(
                        found[..count.min(found.len())],
                        expected[..count],
                        "{token}, {max}"
                    );
                }
            });
        }
    }

    #[test]
    fn a_long_shortest_text_is_found() {
        with_token(r#""ab"{50} [xy]*"#, |_, nfa, start| {
            assert_eq!(words(nfa, start, 5), ["ab".repeat(50).into_bytes()])
        });
    }

    #[test]
    fn a_closed_token_contains_the_concatenations_of_its_texts() {
        for (token, closed) in TOKENS {
            with_token(token, |texts, nfa, start| {
                assert_eq!(is_closed(nfa, start), closed, "{token}");
                let short = || texts.iter().filter(|text| text.len() <= MAX / 2);
                let is_text = |(one, other): (&Vec<u8>, &Vec<u8>)| {
                    texts.contains(&[&one[..], &other[..]].concat())
                };
                let all = short()
                    .flat_map(|one| short().map(move |other| (one, other)))
                    .all(is_text);
                assert_eq!(all, closed, "{token}");
            });
        }
    }
}
