//! Tests of weights: counts of samples, probabilities, generated sentences, and the weights file,
//! on every grammar.

mod common;

use std::collections::{HashMap, HashSet};

use common::{degenerate, grammar, shipped};
use zester::Generator;
use zester::bounds::{Bounds, Caps};
use zester::derivation::Derivation;
use zester::derive::{DerivationGoal, Workspace, derive};
use zester::grammar::{Grammar, SymbolId};
use zester::parameters::{Decoder, Settings};
use zester::parse::Parser;
use zester::sampler::Sampler;
use zester::weights::{
    ChoiceKind, ContextKey, FORBIDDEN, Probabilities, Ptc2Generator, START, Transform, Weights,
};

/// The grammar in Figure 2 of "Inputs from Hell".
const PAPER: &str = r#"
    @skip blank = " "+ ;
    @start expr = term | expr "+" term | expr "-" term ;
    term = factor | term "*" factor | term "/" factor ;
    factor = int | "+" factor | "-" factor | "(" expr ")" ;
    int = digit ~ int | digit ;
    digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" ;
"#;

const INVERTED: Transform = Transform {
    power: -1.0,
    damping: 0.0,
};

fn symbol(grammar: &Grammar, label: &str) -> SymbolId {
    let mut all = (0..grammar.symbols().len() as u32).map(SymbolId);
    all.find(|&symbol| grammar.label(symbol) == label)
        .expect("the grammar has the symbol")
}

fn learn(grammar: &Grammar, context: usize, samples: &[&str]) -> Weights {
    let (mut parser, mut derivation, mut weights) = (
        Parser::new(grammar),
        Derivation::default(),
        Weights::new(grammar, context),
    );
    for sample in samples {
        parser
            .parse_into(sample.as_bytes(), &mut derivation)
            .expect("samples are sentences");
        weights.add(grammar, &derivation);
    }
    weights
}

/// Returns the probability of each alternative in per cent, in the order of the source.
fn per_cent(grammar: &Grammar, probabilities: &Probabilities, label: &str) -> Vec<f64> {
    let symbol = symbol(grammar, label);
    let mut all: Vec<_> = (0..).zip(grammar.alternatives(symbol)).collect();
    all.sort_by_key(|(_, alternative)| alternative.source);
    let of =
        |outcome: u32| 100.0 * probabilities.probability(symbol, ChoiceKind::Alternative, outcome);
    all.into_iter()
        .map(|(outcome, _)| (of(outcome) * 10.0).round() / 10.0)
        .collect()
}

#[test]
fn probabilities_are_those_of_the_papers_figures() {
    let grammar = grammar("paper", PAPER);
    let weights = learn(&grammar, 0, &["1 * (2 + 3)"]);
    let table = |transform: Transform| {
        let probabilities = Probabilities::new(&grammar, &weights, transform).unwrap();
        let rules = ["expr", "term", "factor", "int", "digit"];
        rules.map(|rule| per_cent(&grammar, &probabilities, rule))
    };
    // The probabilities of Figure 3.
    let [expr, term, factor, int, digit] = table(Transform::default());
    assert_eq!(expr, [66.7, 33.3, 0.0]);
    assert_eq!(term, [75.0, 25.0, 0.0]);
    assert_eq!(factor, [75.0, 0.0, 0.0, 25.0]);
    assert_eq!(int, [0.0, 100.0]);
    assert_eq!(digit, [0.0, 33.3, 33.3, 33.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    // The probabilities of Figure 5.
    let [expr, term, factor, int, digit] = table(INVERTED);
    assert_eq!(expr, [0.0, 0.0, 100.0]);
    assert_eq!(term, [0.0, 0.0, 100.0]);
    assert_eq!(factor, [0.0, 50.0, 50.0, 0.0]);
    assert_eq!(int, [100.0, 0.0]);
    assert_eq!(
        digit,
        [14.3, 0.0, 0.0, 0.0, 14.3, 14.3, 14.3, 14.3, 14.3, 14.3]
    );
}

#[test]
fn sentences_use_the_characters_of_the_papers_figures() {
    let grammar = grammar("paper", PAPER);
    let weights = learn(&grammar, 0, &["1 * (2 + 3)"]);
    let used = |transform: Transform| {
        let probabilities = Probabilities::new(&grammar, &weights, transform).unwrap();
        let mut generator = Ptc2Generator::new(1);
        let sentences = (0..500)
            .flat_map(|_| generator.sentence(&grammar, &probabilities, &Bounds::default(), 40));
        let mut used: Vec<u8> = sentences
            .filter(|byte| *byte != b' ')
            .collect::<HashSet<u8>>()
            .into_iter()
            .collect();
        used.sort();
        String::from_utf8(used).unwrap()
    };
    // The characters of the sentences in Figures 4 and 6.
    assert_eq!(used(Transform::default()), "()*+123");
    assert_eq!(used(INVERTED), "+-/0456789");
}

/// Returns how many per cent of 10,000 generated sentences are each of these texts.
fn shares(mut generator: Generator<'_>, texts: &[&str]) -> Vec<f64> {
    let mut counts = HashMap::<Vec<u8>, f64>::new();
    for _ in 0..10_000 {
        *counts
            .entry(generator.sentence().text().to_vec())
            .or_default() += 0.01;
    }
    texts
        .iter()
        .map(|text| counts.remove(text.as_bytes()).unwrap_or(0.0))
        .collect()
}

#[test]
fn sentences_have_the_percentages_of_the_grammar() {
    let grammar = grammar(
        "percentages",
        r#"s = @40% "a" | @10% "b" | c | "d" | @0% "e" | @2.5% ( @80% "f" | "g" ) ;
           c = "c" ;"#,
    );
    let texts = ["a", "b", "c", "d", "e", "f", "g"];
    let close = |generator: Generator<'_>, expected: [f64; 7]| {
        let shares = shares(generator, &texts);
        let differ = |(one, other): (&f64, f64)| (one - other).abs() > 1.5;
        assert!(
            !shares.iter().zip(expected).any(differ),
            "{shares:?} instead of {expected:?}"
        );
    };
    let written = [40.0, 10.0, 23.75, 23.75, 0.0, 2.0, 0.5];
    close(Generator::new(&grammar, 1), written);
    // Weights without samples are those of the grammar.
    let none = Weights::new(&grammar, 0);
    let by = |weights: &Weights, transform| {
        Generator::new(&grammar, 2)
            .weights(weights, transform)
            .unwrap()
            .expansions(100)
    };
    close(by(&none, Transform::default()), written);
    // The inverse of 40, 10, 23.75, 23.75 and 2.5 in per cent, and of 80 and 20.
    let inverted = [4.06, 16.25, 6.84, 6.84, 0.0, 13.2, 52.8];
    close(by(&none, INVERTED), inverted);
    // Samples say more than the grammar, but only of the rules that they have.
    let learned = learn(&grammar, 0, &["a", "d", "d", "e"]);
    close(
        by(&learned, Transform::default()),
        [25.0, 0.0, 0.0, 50.0, 25.0, 0.0, 0.0],
    );
    close(
        by(&learned, INVERTED),
        [0.0, 33.3, 33.3, 0.0, 0.0, 6.67, 26.67],
    );
}

#[test]
fn percentages_do_not_change_what_bytes_decode_to() {
    let source = r#"list = @75% item list | item ; item = @1% "a" | @0% "b" | "c" ;"#;
    let plain: String = source
        .split_inclusive(' ')
        .filter(|word| !word.contains('%'))
        .collect();
    let (with, without) = (grammar("with", source), grammar("without", &plain));
    assert_eq!(with.fingerprint(), without.fingerprint());
    let (mut one, mut other) = (Decoder::new(&with), Decoder::new(&without));
    for seed in 0..1_000_u32 {
        let bytes = seed.wrapping_mul(0x9E37_79B9).to_le_bytes();
        assert_eq!(one.decode(&bytes).text(), other.decode(&bytes).text());
    }
}

#[test]
fn complete_derivations_have_the_learned_probabilities() {
    let grammar = grammar(
        "lists",
        r#"list = item list | item ; item = "a" | "b" | "c" ;"#,
    );
    let weights = learn(&grammar, 0, &["aab", "abcaa", "b"]);
    let probabilities = Probabilities::new(&grammar, &weights, Transform::default()).unwrap();
    let (mut generator, mut counts, mut items, sentences) = (
        Ptc2Generator::new(3),
        HashMap::<u8, f64>::new(),
        0.0,
        20_000.0,
    );
    for _ in 0..sentences as usize {
        for byte in generator.sentence(&grammar, &probabilities, &Bounds::default(), 10_000) {
            *counts.entry(byte).or_default() += 1.0;
            items += 1.0;
        }
    }
    // The samples have 9 items: 5 times a, 3 times b and once c. Of their 9 lists, 3 are the last
    // of a sentence.
    for (byte, share) in [(b'a', 5.0 / 9.0), (b'b', 3.0 / 9.0), (b'c', 1.0 / 9.0)] {
        assert!(
            (counts[&byte] / items - share).abs() < 0.01,
            "{byte}: {} of {items}",
            counts[&byte]
        );
    }
    assert!((items / sentences - 3.0).abs() < 0.1, "{items}");
}

#[test]
fn power_and_damping_change_the_probabilities() {
    let grammar = grammar(
        "letters",
        r#"all = letter* ; letter = "a" | "b" | "c" | "d" ;"#,
    );
    let weights = learn(&grammar, 0, &["aaaaaabbc"]);
    let of = |power: f64, damping: f64| {
        let probabilities =
            Probabilities::new(&grammar, &weights, Transform { power, damping }).unwrap();
        per_cent(&grammar, &probabilities, "letter")
    };
    assert_eq!(of(1.0, 0.0), [66.7, 22.2, 11.1, 0.0]);
    assert_eq!(of(2.0, 0.0), [87.8, 9.8, 2.4, 0.0]);
    assert_eq!(of(0.0, 0.0), [25.0, 25.0, 25.0, 25.0]);
    assert_eq!(of(1.0, 1.0), [25.0, 25.0, 25.0, 25.0]);
    assert_eq!(of(1.0, 0.5), [45.8, 23.6, 18.1, 12.5]);
    assert_eq!(of(-1.0, 0.0), [0.0, 0.0, 0.0, 100.0]);
    let damped = of(-1.0, 0.1);
    assert!(
        damped[0] > 0.0 && damped.is_sorted() && damped[3] < 100.0,
        "{damped:?}"
    );
}

#[test]
fn context_makes_probabilities_depend_on_the_parent() {
    let grammar = grammar(
        "pairs",
        r#"pair = "x" value | "y" value ; value = "1" | "2" | "3" ;"#,
    );
    let weights = learn(&grammar, 1, &["x1", "y2", "x1", "y2"]);
    let sentences = |context: usize, transform: Transform| {
        let weights = if context == 1 {
            weights.clone()
        } else {
            learn(&grammar, 0, &["x1", "y2"])
        };
        let probabilities = Probabilities::new(&grammar, &weights, transform).unwrap();
        let mut generator = Ptc2Generator::new(5);
        let all =
            (0..300).map(|_| generator.sentence(&grammar, &probabilities, &Bounds::default(), 100));
        all.filter(|text| text == b"x1" || text == b"y2").count()
    };
    // Without context, half of the sentences combine a letter and a digit that no sample combines.
    // With context it is one in six: a third of the probability is that of the shorter context, and
    // half of this third is such combinations.
    assert!((100..200).contains(&sentences(0, Transform::default())));
    assert!(sentences(1, Transform::default()) > 230);
    assert_eq!(sentences(1, INVERTED), 0);
}

/// Returns sampled derivations of about 60 bytes of text.
fn samples(grammar: &Grammar, count: u64) -> Vec<Derivation> {
    let mut workspace = Workspace::default();
    let sample = |seed: u64| {
        let mut derivation = Derivation::default();
        let mut sampler = Sampler::new(seed, 60.0);
        let caps = Caps {
            bytes: 1 << 16,
            nodes: 1 << 16,
        };
        derive(
            DerivationGoal::start(grammar, &Bounds::default(), &caps),
            &mut sampler,
            &mut workspace,
            &mut derivation,
        );
        derivation
    };
    (0..count).map(sample).collect()
}

#[test]
fn weights_of_every_grammar_are_saved_merged_and_used() {
    for (name, grammar) in shipped().into_iter().chain(degenerate()) {
        for context in [0, 2] {
            let samples = samples(&grammar, 30);
            let mut weights = Weights::new(&grammar, context);
            samples
                .iter()
                .for_each(|sample| weights.add(&grammar, sample));
            let read = Weights::read(&grammar, &weights.write(&grammar))
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(read.write(&grammar) == weights.write(&grammar), "{name}");
            // Weights of two halves of the samples, merged, equal the weights of all samples.
            let (one, other) = samples.split_at(7);
            let mut parts = [
                Weights::new(&grammar, context),
                Weights::new(&grammar, context),
            ];
            other
                .iter()
                .for_each(|sample| parts[0].add(&grammar, sample));
            one.iter().for_each(|sample| parts[1].add(&grammar, sample));
            let [mut all, rest] = parts;
            all.merge(&rest).unwrap();
            assert!(all == weights, "{name}");
            for power in [1.0, 0.3, 0.0, -1.0, -300.0] {
                let probabilities = Probabilities::new(
                    &grammar,
                    &weights,
                    Transform {
                        power,
                        damping: 0.0,
                    },
                )
                .unwrap();
                sentences(&name, &grammar, &probabilities);
            }
        }
    }
}

fn sentences(name: &str, grammar: &Grammar, probabilities: &Probabilities) {
    let (mut generator, mut again, mut workspace) = (
        Ptc2Generator::new(9),
        Ptc2Generator::new(9),
        Workspace::default(),
    );
    let mut derivation = Derivation::default();
    let caps = Caps {
        bytes: 20_000,
        nodes: 20_000,
    };
    generator.context.push(START);
    for (number, expansions) in [0, 1, 10, 100, 1000]
        .into_iter()
        .cycle()
        .take(10)
        .enumerate()
    {
        let bounds: Bounds = if number < 5 {
            Bounds::default()
        } else {
            "2,3,2".parse().unwrap()
        };
        let goal = DerivationGoal::start(grammar, &bounds, &caps);
        generator.derive(
            goal,
            (probabilities, expansions),
            &mut workspace,
            &mut derivation,
        );
        let mut decoder =
            Decoder::new(grammar).settings(Settings::default().bounds(bounds).caps(caps));
        let bytes = decoder.encode(&derivation).to_vec();
        assert!(decoder.text(&bytes) == derivation.text(), "{name}");
        if number < 5 {
            let same = again.sentence(grammar, probabilities, &bounds, expansions);
            assert!(
                same == derivation.text()
                    || same.len() > 20_000
                    || derivation.text().len() * 2 > 20_000,
                "{name}"
            );
        }
    }
}

/// Instances of a rule share what samples have of it, names are right, and sizes are those of the
/// samples, also inverted.
#[test]
fn sentences_of_grammars_with_names_have_right_names() {
    let source = r#"
        @domain type = int | bool ;
        @kind variable<type>: name ;
        @skip blank = " " ;
        @identifier name = ( [a-z]+ ) - keyword ;
        @token keyword = "let" | "print" | "not" | "int" | "bool" ;
        @start program = statement+ ;
        statement = let<_> | "{" @scope( statement+ ) "}" | "print" value<_> ";" | @0 "print" name ";" ;
        let<t: type> = @after( "let" @declare variable<t> ":" type<t> "=" value<t> ) ";" ;
        type<int> = "int" ;
        type<bool> = "bool" ;
        value<t: type> = @use variable<t> | "(" value<t> ")" ;
        value<int> = digit ;
        value<bool> = "not" value<bool> | value<int> "<" value<int> ;
        @token digit = [0-9] ;
    "#;
    let grammar = grammar("typed", source);
    let samples = [
        "let total:int=1;let flag:bool=total<2;print flag;print not flag;",
        "let first:int=7;{let second:int=first;print second;}print(first);",
    ];
    let weights = learn(&grammar, 0, &samples);
    let longest = samples.iter().map(|sample| sample.len()).max().unwrap();
    for transform in [Transform::default(), INVERTED] {
        let generator = Generator::new(&grammar, 1).weights(&weights, transform);
        let mut generator = generator.unwrap();
        let (mut bytes, mut brackets) = (0, 0);
        for _ in 0..300 {
            let sentence = generator.sentence();
            let text = String::from_utf8_lossy(sentence.text());
            assert!(!sentence.breaks_scopes(&grammar), "{text}");
            bytes += text.len();
            brackets += text.matches('(').count();
        }
        assert!((20..4 * longest).contains(&(bytes / 300)), "{bytes}");
        assert_eq!(
            brackets > 0,
            transform == Transform::default(),
            "{brackets}"
        );
    }
    // The samples have brackets around an int only.
    let probabilities = Probabilities::new(&grammar, &weights, Transform::default()).unwrap();
    let probability = |instance: &str| {
        let rule = symbol(&grammar, instance);
        let all = grammar.alternatives(rule).iter();
        let index = all.clone().position(|it| it.source == Some(1)).unwrap();
        probabilities.probability(rule, ChoiceKind::Alternative, index as u32)
    };
    assert!(probability("value<bool>") > 0.0 && probability("value<int>") > 0.0);
}

#[test]
fn contrast_raises_the_weights_of_failing_samples() {
    let grammar = grammar("letters", r#"all = letter* ; letter = "a" | "b" | "c" ;"#);
    let mut failing = learn(&grammar, 0, &["aabb", "abbb"]);
    let once = |samples: [&str; 2]| {
        let (mut parser, mut derivation, mut weights) = (
            Parser::new(&grammar),
            Derivation::default(),
            Weights::new(&grammar, 0),
        );
        for sample in samples {
            parser
                .parse_into(sample.as_bytes(), &mut derivation)
                .unwrap();
            weights.add_once(&grammar, &derivation);
        }
        weights
    };
    failing
        .contrast(&once(["aabb", "abbb"]), &once(["aaaa", "aaaaaaac"]))
        .unwrap();
    let key = ContextKey {
        symbol: symbol(&grammar, "letter"),
        choice_kind: ChoiceKind::Alternative,
        context: [].into(),
    };
    let weight = |outcome: u32| failing.seen(&key).unwrap().get(&outcome).copied();
    // a occurs 3 times, in both failing and both passing samples. b occurs 5 times, in both failing
    // samples and no passing sample.
    assert_eq!(
        [weight(0), weight(1), weight(2)],
        [Some(3.0 * 4.0 / 2.0), Some(5.0 * 4.0), None]
    );
}

#[test]
fn sentences_repeat_the_tokens_of_samples_unless_inverted() {
    let source = r#"@skip s = " "+ ; all = ( name | number )* ; @identifier name = [a-z]+ ; @token number = [0-9]+ "." [0-9] ;"#;
    let grammar = grammar("tokens", source);
    let sample = "total count 1.5 ".repeat(50);
    let weights = learn(&grammar, 0, &[&sample]);
    let used = |transform: Transform| {
        let probabilities = Probabilities::new(&grammar, &weights, transform).unwrap();
        let mut generator = Ptc2Generator::new(2);
        let text: Vec<u8> = (0..100)
            .flat_map(|_| generator.sentence(&grammar, &probabilities, &Bounds::default(), 400))
            .collect();
        let (mut known, mut all) = (0.0, 0.0);
        for token in String::from_utf8(text).unwrap().split_whitespace() {
            known += f64::from(u8::from(["total", "count", "1.5"].contains(&token)));
            all += 1.0;
        }
        known / all
    };
    // The samples have 100 names of 2 texts, so a name repeats one with probability 100/102. The 50
    // numbers have 1 text: 50/51.
    assert!(
        (0.96..0.995).contains(&used(Transform::default())),
        "{}",
        used(Transform::default())
    );
    assert_eq!(used(INVERTED), 0.0);
}

#[test]
fn only_the_wide_characters_of_samples_are_used() {
    let grammar = grammar("text", r#"@token text = [^"]* ; all = text ;"#);
    let weights = learn(
        &grammar,
        0,
        &["a long text of more than sixty-four bytes, so that it is no word, with one 東 in it"],
    );
    let used = |transform: Transform| {
        let probabilities = Probabilities::new(&grammar, &weights, transform).unwrap();
        let mut generator = Ptc2Generator::new(2);
        let text: Vec<u8> = (0..200)
            .flat_map(|_| generator.sentence(&grammar, &probabilities, &Bounds::default(), 40))
            .collect();
        String::from_utf8(text)
            .unwrap()
            .chars()
            .filter(|char| !char.is_ascii())
            .collect::<HashSet<char>>()
    };
    assert_eq!(used(Transform::default()), ['東'].into());
    assert!(!used(INVERTED).contains(&'東'));
}

#[test]
fn the_beginning_of_a_sentence_is_a_context() {
    let grammar = grammar("lists", r#"value = "[" value* "]" | "x" ;"#);
    let roots = |context: usize| {
        let weights = learn(&grammar, context, &["[xxx[xx]x]"; 20]);
        let probabilities = Probabilities::new(&grammar, &weights, Transform::default()).unwrap();
        let mut generator = Ptc2Generator::new(6);
        (0..200)
            .filter(|_| {
                generator.sentence(&grammar, &probabilities, &Bounds::default(), 100)[0] == b'['
            })
            .count()
    };
    assert!(
        roots(0) < 100 && roots(1) > 180,
        "{} {}",
        roots(0),
        roots(1)
    );
}

#[test]
fn forbidden_alternatives_are_never_chosen() {
    let grammar = grammar("paper", PAPER);
    let weights = learn(&grammar, 0, &["1 * (2 + 3)"]);
    let text = weights.write(&grammar).replace(
        r#"["term \"*\" factor", 1]"#,
        r#"["term \"*\" factor", null]"#,
    );
    let changed = Weights::read(&grammar, &text).unwrap();
    let key = ContextKey {
        symbol: symbol(&grammar, "term"),
        choice_kind: ChoiceKind::Alternative,
        context: [].into(),
    };
    assert!(
        changed
            .seen(&key)
            .unwrap()
            .values()
            .any(|&weight| weight == FORBIDDEN)
    );
    assert_eq!(changed.write(&grammar), text);
    for transform in [Transform::default(), INVERTED] {
        let probabilities = Probabilities::new(&grammar, &changed, transform).unwrap();
        let mut generator = Ptc2Generator::new(1);
        assert!((0..300).all(|_| {
            !generator
                .sentence(&grammar, &probabilities, &Bounds::default(), 30)
                .contains(&b'*')
        }));
    }
}

#[test]
fn uses_are_as_recent_as_those_of_the_samples() {
    let source = r#"
        @kind old: name, new: name ;
        @identifier name = [a-z]+ ;
        @start s = "a" declarations "." uses{8} ;
        declarations = ( @declare old "," @declare new "," ){6} ;
        uses = "o" @use old "," | "n" @use new "," ;
    "#;
    let grammar = grammar("recency", source);
    // Old names are used by the first declaration, new names by the last one.
    let sample = "aone,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve,.oone,ntwelve,oone,ntwelve,oone,ntwelve,oone,ntwelve,";
    let weights = learn(&grammar, 0, &[sample]);
    assert!(
        weights
            .write(&grammar)
            .contains("\"recency\": [[\"5\", 4]]")
    );
    assert_eq!(
        Weights::read(&grammar, &weights.write(&grammar)).unwrap(),
        weights
    );
    let mut generator = Generator::new(&grammar, 1)
        .weights(&weights, Transform::default())
        .unwrap()
        .expansions(200);
    for _ in 0..50 {
        let text = String::from_utf8(generator.sentence().text().to_vec()).unwrap();
        let (declared, used) = text[1..].split_once(",.").unwrap();
        let declared: Vec<&str> = declared.split(',').collect();
        assert_eq!(declared.len(), 12, "{text}");
        for name in used.split(',').filter(|name| !name.is_empty()) {
            let expected = if name.starts_with('o') {
                declared[0]
            } else {
                declared[11]
            };
            assert_eq!(&name[1..], expected, "{text}");
        }
    }
}

#[test]
fn wrong_weights_are_refused() {
    let own = grammar("paper", PAPER);
    let other = grammar("letters", r#"all = letter* ; letter = "a" | "b" ;"#);
    let text = learn(&own, 0, &["1 * (2 + 3)"]).write(&own);
    let refused = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        let read = Weights::read(&own, &text.replacen(from, to, 1));
        let made =
            read.and_then(|weights| Probabilities::new(&own, &weights, Transform::default()));
        made.err().unwrap_or_else(|| panic!("{to:.60} is accepted"))
    };
    assert!(
        Weights::read(&other, &text)
            .unwrap_err()
            .to_string()
            .contains("another grammar")
    );
    let all_of_int = r#"[["digit", 3], ["digit int", 0]]"#;
    for (from, to, says) in [
        ("{", "", "which is JSON: Parse error at line:2, col:11"),
        ("\"weights\"", "\"corpus\"", "zester learn"),
        (
            "[\"digit\", 3]",
            "[\"digit\", \"3\"]",
            "choice 4, of int: \"alternatives\" must be an array of pairs of a name and a weight",
        ),
        (
            "[\"digit\", 3]",
            "[\"digit\" 3]",
            "which is JSON: Parse error at line:8",
        ),
        (
            "\"version\": 3",
            "\"version\": 4",
            "the weights file has version 4; this zester reads version 3",
        ),
        (
            "\"version\": 3",
            "\"version\": 0",
            "the weights file has version 0; this zester reads version 3",
        ),
        (
            "\"grammar\": \"\"",
            &"[".repeat(20_000),
            "brackets are nested more than 16 deep",
        ),
        (
            "[\"digit\", 3]",
            "[\"digit\", -3]",
            "choice 4, of int: the weight of \"digit\" must be a number from 0 on",
        ),
        ("[\"digit\", 3]", "[\"digit\", 1e999]", "from 0 on"),
        (
            all_of_int,
            "[[\"digit\", 3]]",
            "choice 4, of int: 1 alternatives are listed, but the rule has 2",
        ),
        (
            all_of_int,
            "[[\"digit\", null], [\"digit int\", null]]",
            "forbid every finite derivation; look at",
        ),
        (
            all_of_int,
            "[[\"digit\", null], [\"digit int\", 0]]",
            "forbid every finite derivation; look at",
        ),
        (
            "\"of\": \"int\"",
            "\"of\": \"integer\"",
            "no symbol \"integer\"",
        ),
        (
            "\"of\": \"int\", \"alternatives\"",
            "\"of\": \"int\", \"counts\"",
            "the field \"alternatives\" is missing",
        ),
        (
            "\"context\": 0",
            "\"context\": -1",
            "\"context\" must be a whole number",
        ),
        (
            "\"power\": 1",
            "\"power\": \"x\"",
            "\"power\" must be a number",
        ),
        (
            "\"counts\": [[\"0\", 4]]",
            "\"counts\": [[\"many\", 4]]",
            "cannot contain \"many\"",
        ),
    ] {
        let problem = refused(from, to);
        assert!(problem.to_string().contains(says), "{to:.60}: {problem}");
    }
    // Numbers that are too large or negative are not cut to 32 bits, nor characters to bytes.
    let bytes = grammar("bytes", "@bytes ; s = t ; @token t = [\\x80-\\xff]+ ;");
    let head = Weights::new(&bytes, 1).write(&bytes);
    for (list, entry, says) in [
        (
            "choices",
            r#"{"of": "s", "in": [["s", -1]], "alternatives": []}"#,
            "\"in\" must be",
        ),
        (
            "choices",
            r#"{"of": "s", "in": [["s", 4294967296]], "alternatives": []}"#,
            "\"in\" must be",
        ),
        (
            "words",
            r#"{"of": "t", "choice": 4294967296, "words": []}"#,
            "\"choice\" is too large",
        ),
        (
            "words",
            r#"{"of": "s", "choice": 0, "words": [["€", 1]]}"#,
            "above U+00FF",
        ),
    ] {
        let text = head.replacen(
            &format!("\"{list}\": ["),
            &format!("\"{list}\": [{entry}"),
            1,
        );
        let problem = Weights::read(&bytes, &text).unwrap_err();
        assert!(problem.to_string().contains(says), "{entry}: {problem}");
    }
    let weights = Weights::read(&own, &text).unwrap();
    for (power, damping) in [
        (f64::NAN, 0.0),
        (f64::INFINITY, 0.0),
        (1.0, -0.1),
        (1.0, 1.1),
        (1.0, f64::NAN),
    ] {
        assert!(Probabilities::new(&own, &weights, Transform { power, damping }).is_err());
    }
    let mut mine = weights.clone();
    assert!(
        mine.merge(&Weights::new(&other, 0))
            .unwrap_err()
            .to_string()
            .contains("another grammar")
    );
    assert!(
        mine.merge(&Weights::new(&own, 1))
            .unwrap_err()
            .to_string()
            .contains("context")
    );
}

/// A program with a planted fault. Returns false if the fault shows: a double negation.
fn folds(chunk: &[u8]) -> bool {
    let text: String = String::from_utf8_lossy(chunk).split_whitespace().collect();
    !text.contains("--")
}

#[test]
fn inverted_weights_find_a_fault_that_common_inputs_miss() {
    let source = r#"
        @skip blank = [ \n]+ ;
        @start chunk = expression ( ";" expression )* ;
        expression = number | "(" expression operator expression ")" | "-" expression ;
        operator = "+" | "*" ;
        @token number = [0-9]+ ;
    "#;
    let grammar = grammar("sums", source);
    let samples = ["(1 + 20); 3", "((4 * 5) + 6)", "7; (80 * (9 + 1))"].map(String::from);
    let weights = learn(
        &grammar,
        0,
        &samples.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    let found = |transform: Transform| {
        let probabilities = Probabilities::new(&grammar, &weights, transform).unwrap();
        let mut generator = Ptc2Generator::new(4);
        (0..1_000).position(|_| {
            !folds(&generator.sentence(&grammar, &probabilities, &Bounds::default(), 1_000))
        })
    };
    assert!(samples.iter().all(|sample| folds(sample.as_bytes())));
    assert_eq!(found(Transform::default()), None);
    let first = found(INVERTED);
    assert!(first.is_some_and(|first| first < 500), "{first:?}");
}
