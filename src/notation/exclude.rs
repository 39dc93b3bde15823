//! Second pass: computes exclusions `a - b`.
//!
//! An exclusion is computed as the product of the automata of its two operands. Each state of the
//! product from which a text can end becomes a nonterminal. After this pass every symbol is
//! defined. If an exclusion derives no text, or if an operand is not regular, the pass reports an
//! error.

use std::collections::HashMap;

use super::builder::{Difference, GrammarBuilder};
use super::lexer::SyntaxError;
use super::report::Report;
use crate::grammar::{Child, Graph, Inexact, Kind, Nfa, PASS_WORK, SymbolId, components, parts};

/// The maximum number of states of an exclusion.
const STATES: usize = 20_000;

/// The owners of the states of the two operands in the automaton.
const FROM: u32 = 1;
const WITHOUT: u32 = 2;

/// A transition: its target state, and its characters as inclusive ranges.
type Transition = (usize, Vec<(u32, u32)>);

/// Defines the symbols of all exclusions. An exclusion inside another one is defined first.
pub fn exclude(builder: &mut GrammarBuilder, report: &mut Report) {
    let mut differences = std::mem::take(&mut builder.differences);
    builder.operands.extend(
        differences
            .iter()
            .flat_map(|difference| [difference.from, difference.without]),
    );
    let mut edges = parts(builder.tables(0));
    for difference in &differences {
        edges.extend(
            [difference.from, difference.without].map(|operand| (difference.symbol.0, operand.0)),
        );
    }
    let (component, cyclic) = components(&Graph::new(builder.symbols.len(), &edges));
    differences.sort_by_key(|difference| component[difference.symbol.0 as usize]);
    let mut work = PASS_WORK;
    for difference in &differences {
        let at = builder.span(difference.symbol);
        let result = if cyclic[difference.symbol.0 as usize] {
            Err((
                "exclusion within itself".into(),
                "this token is a part of its own exclusion",
            ))
        } else {
            subtract(builder, difference, &mut work)
        };
        if let Err((message, label)) = result {
            report.error(SyntaxError::new(at, message, label));
        }
        if work == 0 || builder.is_too_large() {
            break;
        }
    }
}

/// A state of the product: whether a text may end in it, and its transitions. A transition has a
/// target state and letters.
struct ProductState {
    accepts: bool,
    next: Vec<(usize, Vec<u16>)>,
}

/// Defines the symbol of one exclusion. `work` is the number of steps that this and all later
/// exclusions may take together.
fn subtract(
    builder: &mut GrammarBuilder,
    difference: &Difference,
    work: &mut u64,
) -> Result<(), (String, &'static str)> {
    let too_large = || {
        (
            "exclusion too large".to_string(),
            "its automaton has too many states; use lower repetition limits or exclude less",
        )
    };
    let too_long = || {
        let label = "its automaton and those before it take too many steps; use lower repetition limits or exclude less";
        ("exclusion takes too long".to_string(), label)
    };
    let mut nfa = Nfa::new(builder.tables(0), builder.bytes, true);
    nfa.set_work(*work);
    let mut starts = Vec::new();
    for (operand, owner) in [(difference.from, FROM), (difference.without, WITHOUT)] {
        starts.push(nfa.add(operand, owner).map_err(|inexact| match inexact {
            Inexact::TooLarge => too_large(),
            Inexact::Recursive(symbol) => {
                let message = format!(
                    "`{}` is recursive or captured, so no exclusion of it can be computed",
                    builder.label(symbol)
                );
                (message, "both sides of `-` are regular tokens")
            }
        })?);
    }
    nfa.spend(nfa.size());
    let alphabet = nfa.alphabet().ok_or_else(|| {
        (
            "exclusion too large".to_string(),
            "its classes distinguish too many characters; use fewer classes",
        )
    })?;
    let start = nfa.closure(starts);
    let mut state_of = HashMap::from([(start.clone(), 0)]);
    let (mut sets, mut states) = (vec![start], Vec::new());
    while states.len() < sets.len() {
        let set = sets[states.len()].clone();
        let ends = |owner| {
            set.iter()
                .any(|&state| nfa.owner(state) == owner && nfa.accepts(state))
        };
        let mut next: Vec<(usize, Vec<u16>)> = Vec::new();
        let mut at: HashMap<usize, usize> = HashMap::new();
        for (letter, to) in nfa.moves(&set, &alphabet) {
            let to = nfa.closure(to);
            if !to.iter().any(|&state| nfa.owner(state) == FROM) {
                continue;
            }
            let to = *state_of.entry(to).or_insert_with_key(|to| {
                sets.push(to.clone());
                sets.len() - 1
            });
            let at = *at.entry(to).or_insert_with(|| {
                next.push((to, Vec::new()));
                next.len() - 1
            });
            next[at].1.push(letter);
            // The characters of the letter are copied below.
            nfa.spend(alphabet.size(letter));
        }
        states.push(ProductState {
            accepts: ends(FROM) && !ends(WITHOUT),
            next,
        });
        if sets.len() > STATES {
            return Err(too_large());
        }
        // Each set of states is stored twice. The limit of steps also bounds this memory.
        if nfa.work_left() == 0 {
            *work = 0;
            return Err(too_long());
        }
    }
    *work = nfa.work_left();
    let live = live(&states);
    if !live[0] {
        return Err((
            "this exclusion derives no text".into(),
            "the right side excludes every text of the left side",
        ));
    }
    let classes: Vec<Vec<Transition>> = states
        .iter()
        .map(|state| {
            state
                .next
                .iter()
                .filter(|(to, _)| live[*to])
                .map(|(to, letters)| (*to, alphabet.characters(letters)))
                .collect()
        })
        .collect();
    write(builder, difference.symbol, &states, &live, &classes);
    Ok(())
}

/// For each state, whether an accepting state can be reached from it.
fn live(states: &[ProductState]) -> Vec<bool> {
    let end = states.len() as u32;
    let mut edges = Vec::new();
    for (from, state) in (0..).zip(states) {
        edges.extend(state.next.iter().map(|(to, _)| (*to as u32, from)));
        if state.accepts {
            edges.push((end, from));
        }
    }
    Graph::new(states.len() + 1, &edges).reachable(end)
}

/// Writes each live state as a nonterminal. Its alternatives are the empty text, if the state
/// accepts, and for each transition a character followed by the next state.
fn write(
    builder: &mut GrammarBuilder,
    symbol: SymbolId,
    states: &[ProductState],
    live: &[bool],
    classes: &[Vec<Transition>],
) {
    let (label, at) = (builder.label(symbol), builder.span(symbol));
    let mut symbols = vec![symbol; states.len()];
    for state in (1..states.len()).filter(|&state| live[state]) {
        let label = builder.inner_label(&label);
        symbols[state] = builder.symbol(
            Kind::Nonterminal {
                alternatives: 0..0,
                counted: false,
            },
            label,
            at.clone(),
        );
    }
    for state in (0..states.len()).filter(|&state| live[state]) {
        let mut alternatives = Vec::new();
        if states[state].accepts {
            alternatives.push(builder.sequence([], 1.0, None));
        }
        for (to, ranges) in &classes[state] {
            let Some(class) = builder.class(ranges) else {
                continue;
            };
            let only = builder.classes[class.0 as usize].count() == 1;
            let kind = if only {
                let mut text = Vec::new();
                let class = &builder.classes[class.0 as usize];
                class.write(class.member(0), &mut text);
                Kind::Literal {
                    text: builder.text(text),
                }
            } else {
                Kind::Class(class)
            };
            let character = builder.symbol(kind, label.clone(), at.clone());
            let ends = states[*to].accepts && classes[*to].is_empty();
            let children = [character, symbols[*to]].map(|symbol| Child {
                symbol,
                is_adjacent: false,
            });
            alternatives.push(builder.sequence(
                children.into_iter().take(if ends { 1 } else { 2 }),
                1.0,
                None,
            ));
        }
        builder.symbols[symbols[state].0 as usize].kind = builder.nonterminal(alternatives, false);
    }
}

#[cfg(test)]
mod tests {
    use crate::bounds::Caps;
    use crate::grammar::exhaustive::texts;
    use crate::notation::read;
    use crate::notation::testing::{lowered, symbol};

    fn refused(source: &str) -> String {
        read("g", source.as_bytes(), &Caps::default())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn an_exclusion_that_takes_too_many_steps_is_an_error() {
        let text = refused(r#"@token t = ( [a-z]* [b-z]{300,30000} "0" ) - "x" ; s = t ;"#);
        assert!(
            text.starts_with("g:1:12: error: exclusion takes too long"),
            "{text}"
        );
    }

    #[test]
    fn all_exclusions_of_a_grammar_share_one_limit_of_steps() {
        let token = |at: usize| format!(r#"@token t{at} = ( [a-z]* [b-z]{{900}} "0" ) - "x" ; "#);
        let all: String = (0..200).map(token).collect();
        let text = refused(&format!("{all} s = t0 ;"));
        assert!(text.contains("error: exclusion takes too long"), "{text}");
    }

    #[test]
    fn a_repetition_of_the_empty_text_takes_no_states() {
        let source = br#"@token t = ( ""{2000000000} "a"? "b" ) - "b" ; s = t ;"#;
        let (grammar, _) = read("g", source, &Caps::default()).unwrap();
        assert_eq!(
            crate::parameters::sentence(&grammar, &Default::default(), &[]).text(),
            b"ab"
        );
    }

    #[test]
    fn empty_recursive_and_self_containing_exclusions_are_errors() {
        assert!(refused(r#"@token t = "x" - [a-z] ; s = t ;"#).contains("derives no text"));
        assert!(
            refused(r#"@token t = u - "x" ; @token u = "(" u ")" | "x" ; s = t ;"#)
                .contains("`u` is recursive or captured")
        );
        assert!(
            refused(r#"@token t = ( "x" t ) - "x" ; s = t ;"#).contains("exclusion within itself")
        );
    }

    #[test]
    fn an_exclusion_derives_the_texts_of_the_left_side_that_the_right_side_does_not_derive() {
        for (from, without) in [
            (r#"[a-c]+"#, r#""ab" | "c""#),
            (r#"[a-c]*"#, r#"[a-c]* "a""#),
            (r#"( "a" | "bc" ){0,3}"#, r#""a"* "bc""#),
            (r#"( [ab]+ - "a" ) "c"?"#, r#"[b]+ "c""#),
            (r#""ab"i"#, r#"[A] [bB]"#),
        ] {
            let builder = lowered(&format!(
                "s = t ; @token t = a - b ; @token a = {from} ; @token b = {without} ;"
            ));
            let all = texts(builder.tables(0), 5);
            let of = |rule: &str| &all[symbol(&builder, rule).0 as usize];
            assert_eq!(*of("t"), of("a") - of("b"), "{from} - {without}");
        }
    }
}
