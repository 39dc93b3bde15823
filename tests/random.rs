//! Tests with random grammars: the guarantees of decoding, mutating, parsing, reducing and
//! sampling.
//!
//! `ZESTER_RANDOM_GRAMMARS=N cargo test --release --test random` tests N grammars; the default is 250.
//! `ZESTER_RANDOM_SEED=S` is the seed of the first grammar. A failure prints the seed, the grammar
//! and the shortest bytes that were found to fail.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use common::contract::{Memory, check, room, settings};
use common::{Noise, random, typed};
use zester::bounds::{Bounds, Caps};
use zester::derivation::Derivation;
use zester::generate::Generator;
use zester::grammar::{Grammar, Kind, SymbolId};
use zester::mutate::Mutator;
use zester::notation;
use zester::parameters::{Decoder, Edits, PastEnd, Settings};
use zester::parse::{Matcher, Parser};
use zester::reduce::reduce;

/// The number of random buffers for each grammar.
const BUFFERS: usize = 12;

/// The number of failures after which the test stops.
const FAILURES: usize = 20;

/// The maximum length in bytes of a text that is parsed. It is small because random grammars are
/// very ambiguous.
const PARSED: usize = 24;

/// The maximum time of one check, long enough for a busy machine.
const TIME: Duration = Duration::from_secs(60);

/// Returns the number in an environment variable, or `otherwise` if it is not set.
fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |number| number.parse().expect("a number"))
}

/// A check of a grammar with some bytes, which panics if it fails, and the name of the check.
type Claim<'a> = (&'static str, Box<dyn Fn(&[u8]) + 'a>);

/// Returns the message of a panic.
fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()))
        .unwrap_or_default()
}

/// Returns the message of a check if it fails.
fn fails(claim: &dyn Fn(&[u8]), bytes: &[u8]) -> Option<String> {
    catch_unwind(AssertUnwindSafe(|| claim(bytes)))
        .err()
        .map(|panic| message(&*panic))
}

/// Returns the shortest bytes found for which a check fails.
fn shortest(claim: &dyn Fn(&[u8]), bytes: &[u8]) -> Vec<u8> {
    let mut best = bytes.to_vec();
    let mut length = best.len();
    while length > 0 {
        let mut at = 0;
        while at + length <= best.len() {
            let mut shorter = best.clone();
            shorter.drain(at..at + length);
            if fails(claim, &shorter).is_some() {
                best = shorter
            } else {
                at += length
            }
        }
        length /= 2;
    }
    for at in 0..best.len() {
        let byte = std::mem::take(&mut best[at]);
        if fails(claim, &best).is_none() {
            best[at] = byte;
        }
    }
    best
}

/// Returns random bounds and caps. The caps are often the smallest that the grammar allows.
fn random_settings(grammar: &Grammar, noise: &mut Noise) -> Settings {
    let mut bound = |minimum: u64, most: u64| match noise.below(3) {
        0 => Bounds::NONE,
        _ => (minimum + noise.below(most)) as u32,
    };
    let bounds = Bounds {
        identifiers: bound(1, 4),
        items: bound(0, 4),
        depth: bound(1, 4),
    };
    let minimum = grammar.symbols()[grammar.start().0 as usize].minimum;
    let caps = Caps {
        bytes: minimum.bytes + noise.length(60) as u32,
        nodes: minimum.nodes + noise.length(60) as u32,
    };
    let past_end = if noise.below(4) == 0 {
        PastEnd::PseudoRandom
    } else {
        PastEnd::Simplest
    };
    let edits = [Edits::Off, Edits::On][noise.below(2) as usize];
    Settings::default()
        .bounds(bounds)
        .caps(caps)
        .past_end(past_end)
        .edits(edits)
}

/// Checks the guarantee of [`Bounds`]: canonical parameters decode to the same derivation under
/// larger bounds and caps, if the bound of depth is the same or the cap of nodes is at least
/// `room`. The settings and the larger ones are drawn at random. If the guarantee needs `room`, the
/// cap of nodes is exactly `room`.
fn enlarge(grammar: &Grammar, seed: u64, bytes: &[u8]) {
    let mut noise = Noise(seed);
    let small = random_settings(grammar, &mut noise);
    let mut decoder = Decoder::new(grammar).settings(small);
    let derivation = decoder.decode(bytes).clone();
    let canonical = decoder.encode(&derivation).to_vec();
    let room = room(grammar, &derivation).min(Caps::MAX.into()) as u32;
    for _ in 0..8 {
        let mut larger = |bound: u32| match noise.below(3) {
            0 => bound,
            1 => bound.saturating_add(noise.below(4) as u32),
            _ => u32::MAX,
        };
        let Bounds {
            identifiers,
            items,
            depth,
        } = small.bounds;
        let bounds = Bounds {
            identifiers: larger(identifiers),
            items: larger(items),
            depth: larger(depth),
        };
        let mut caps = Caps {
            bytes: larger(small.caps.bytes),
            nodes: larger(small.caps.nodes),
        };
        if bounds.depth != depth && caps.nodes < room {
            caps.nodes = room;
        }
        let settings = small.bounds(bounds).caps(caps);
        let again = Decoder::new(grammar)
            .settings(settings)
            .decode(&canonical)
            .clone();
        assert_eq!(
            again, derivation,
            "{canonical:?} under {small:?} and {settings:?}"
        );
    }
}

/// Checks that mutants fit the size limit, and that the sentence that a mutator reports is that of
/// the mutant.
fn mutate(grammar: &Grammar, settings: &Settings, seed: u64, bytes: &[u8]) {
    let mut noise = Noise(seed);
    let mut mutator = Mutator::new(grammar).settings(*settings);
    let (mut input, mut decoder) = (bytes.to_vec(), Decoder::new(grammar).settings(*settings));
    let mut native = |data: &mut [u8], size: usize, _: usize| {
        data[..size].iter_mut().take(1).for_each(|byte| *byte ^= 1);
        size
    };
    for _ in 0..20 {
        let most = 1 + noise.below(200) as usize;
        let seed = noise.next() as u32;
        mutator.learn(&input);
        let result = match noise.below(4) {
            0 => mutator.crossover_or_mutate([&input, bytes], most, seed, &mut native),
            _ => mutator.mutate_with(&input, most, seed, &mut native),
        };
        let result = result.to_vec();
        assert!(
            !result.is_empty() && result.len() <= most,
            "{} bytes of {most}",
            result.len()
        );
        if let Some(input) = mutator.decoded(&result) {
            assert_eq!(
                input.text(),
                decoder.text(&result),
                "the mutator reports another sentence than its result decodes to"
            );
            assert_eq!(
                decoder.canonical(&result),
                result,
                "the mutator's result is not canonical"
            );
        }
        input = result;
    }
}

/// Returns whether some token of the grammar has a text that includes layout of the sentence. The
/// parser does not guarantee to accept such a sentence. This tries all parts of the sentence.
fn layout_is_read_as_a_token(grammar: &Grammar, sentence: &Derivation) -> bool {
    let (nodes, text) = (sentence.nodes(), sentence.text());
    let mut is_layout = vec![true; text.len()];
    for (at, node) in nodes.iter().enumerate() {
        let Kind::Lexeme { body, .. } = grammar.symbols()[node.symbol.0 as usize].kind else {
            continue;
        };
        let end = sentence.text_range(at).end;
        let start = match &grammar.symbols()[body.0 as usize].kind {
            Kind::Literal { text } => end - (text.end - text.start) as usize,
            _ => sentence
                .children(at)
                .last()
                .map_or(end, |token| nodes[token].text as usize),
        };
        is_layout[start..end].fill(false);
    }
    let mut tokens: Vec<SymbolId> = Vec::new();
    for symbol in grammar.symbols() {
        if let Kind::Lexeme { body, .. } = symbol.kind {
            tokens.push(body);
        }
    }
    let (mut matcher, mut derivation) = (Matcher::default(), Derivation::default());
    (0..text.len()).any(|from| {
        (from + 1..=text.len())
            .filter(|&to| is_layout[from..to].contains(&true))
            .any(|to| {
                tokens.iter().any(|&token| {
                    matcher
                        .read(grammar, token, &text[from..to], &mut derivation)
                        .is_ok()
                })
            })
    })
}

/// Checks that a decoded sentence is parsed, and that its parse decodes to the same text.
fn parse(grammar: &Grammar, parser: &mut Parser<'_>, bytes: &[u8]) {
    let wide = Settings::default().caps(Caps {
        bytes: Caps::MAX,
        nodes: Caps::MAX,
    });
    // Decoding reserves 200 bytes for a text that repeats a capture.
    let is_same = |symbol: &zester::grammar::Symbol| matches!(symbol.kind, Kind::Same { .. });
    let repeats = grammar.symbols().iter().any(is_same);
    let small = Settings::default().caps(Caps {
        bytes: PARSED as u32 + if repeats { 700 } else { 0 },
        ..Caps::default()
    });
    let sentence = Decoder::new(grammar).settings(small).decode(bytes).clone();
    if sentence.text().len() > PARSED {
        return;
    }
    let mut derivation = Derivation::default();
    let text = String::from_utf8_lossy(sentence.text());
    if let Err(error) = parser.parse_into(sentence.text(), &mut derivation) {
        // The derivation that an ambiguous erased grammar gives may fit no arguments, though
        // another one does.
        if matches!(error, zester::parse::Failure::Misfit(_)) {
            return;
        }
        assert!(
            layout_is_read_as_a_token(grammar, &sentence),
            "{text:?} is not parsed: {error:?}"
        );
        return;
    }
    assert_eq!(derivation.text(), sentence.text(), "parsed to another text");
    let canonical = Decoder::new(grammar).encode(&derivation).to_vec();
    let again = Decoder::new(grammar)
        .settings(wide)
        .decode(&canonical)
        .clone();
    assert_eq!(
        String::from_utf8_lossy(again.text()),
        text,
        "the parse decodes to another text"
    );
}

/// Checks that a reduced sentence is interesting and not longer than before.
fn reduced(grammar: &Grammar, settings: &Settings, bytes: &[u8]) {
    let sentence = Decoder::new(grammar)
        .settings(*settings)
        .decode(bytes)
        .clone();
    if sentence.nodes().len() > 200 {
        return;
    }
    let telling = sentence.text().iter().copied().max();
    let interesting = |text: &[u8]| telling.is_none_or(|telling| text.contains(&telling));
    let tree = reduce(grammar, settings, bytes, &mut |tree| {
        interesting(tree.derivation().text())
    });
    let text = tree.derivation().text();
    assert!(
        interesting(text),
        "{:?} is not interesting",
        String::from_utf8_lossy(text)
    );
    assert!(
        text.len() <= sentence.text().len(),
        "longer than before the reduction"
    );
}

/// Checks that a sampled derivation decodes from its parameters, and that its number of nodes is
/// bounded by the requested size.
fn sample(grammar: &Grammar, seed: u64) {
    let mut decoder = Decoder::new(grammar);
    for size in [1, 10, 60] {
        let mut generator = Generator::new(grammar, seed).size(size);
        let derivation = generator.sentence();
        let parameters = decoder.encode(derivation).to_vec();
        assert_eq!(
            decoder.decode(&parameters),
            derivation,
            "decode(encode(sample)) is another"
        );
        let minimum = grammar
            .symbols()
            .iter()
            .map(|symbol| symbol.minimum.nodes)
            .filter(|&nodes| nodes < 1 << 20)
            .max();
        let most = 24.0 * (f64::from(size) + 10.0) * 16.0 * f64::from(minimum.unwrap_or(1));
        assert!(
            derivation.nodes().len() as f64 <= most,
            "{} nodes for {size} bytes",
            derivation.nodes().len()
        );
    }
}

/// Checks that the parser reads the texts of a positive suite and refuses those of a negative one.
/// The number selects the criterion of the positive suite.
#[cfg(feature = "suite")]
fn suite(grammar: &Grammar, parser: &mut Parser<'_>, number: usize) {
    use zester::suite::{Criterion, PositiveOptions, SuiteMaker};

    let criteria = [Criterion::Rule, Criterion::Cdrc, Criterion::Pair];
    let Some(&criterion) = criteria.get(number) else {
        return;
    };
    let maker = SuiteMaker::new(grammar).unwrap();
    let positive = maker.positive(&PositiveOptions::new(criterion).limit(50));
    let sentences = positive.sentences.iter().map(|text| text.tokens.as_slice());
    let negative = maker.negative(sentences, 50, number as u64);
    let mut derivation = Derivation::default();
    let is_short = |text: &&[u8]| text.len() <= PARSED;
    let accepted = positive.sentences.iter().map(|text| text.text.as_slice());
    for text in accepted.filter(is_short) {
        if let Err(error @ zester::parse::Failure::Unexpected(_)) =
            parser.parse_into(text, &mut derivation)
        {
            panic!("{:?} is refused: {error:?}", String::from_utf8_lossy(text));
        }
    }
    let refused = negative.texts.iter().map(|text| text.text.as_slice());
    for text in refused.filter(is_short) {
        assert!(
            parser.parse_into(text, &mut derivation).is_err(),
            "{:?} is accepted",
            String::from_utf8_lossy(text)
        );
    }
}

/// Without the feature, there are no suites.
#[cfg(not(feature = "suite"))]
fn suite(_: &Grammar, _: &mut Parser<'_>, _: usize) {}

/// Runs all checks of one grammar. Returns messages about the failures.
fn examine(seed: u64, source: &str, grammar: &Grammar) -> Vec<String> {
    let mut noise = Noise(seed ^ 0x5EED);
    let mut all = settings(grammar);
    all.extend((0..4).map(|_| random_settings(grammar, &mut noise)));
    let mut failures = Vec::new();
    for buffer in 0..BUFFERS {
        let length = if buffer == 0 { 0 } else { noise.length(80) };
        let bytes = noise.bytes(length);
        let chosen = all[noise.below(all.len() as u64) as usize];
        let number = noise.next();
        let random = all[all.len() - 1];
        let claims: [Claim<'_>; 8] = [
            (
                "contract",
                Box::new(move |bytes| check(grammar, &chosen, bytes, &mut Memory::default())),
            ),
            (
                "contract, random settings",
                Box::new(move |bytes| check(grammar, &random, bytes, &mut Memory::default())),
            ),
            (
                "larger bounds and caps",
                Box::new(move |bytes| enlarge(grammar, number, bytes)),
            ),
            (
                "mutate",
                Box::new(move |bytes| mutate(grammar, &chosen, number, bytes)),
            ),
            (
                "parse",
                Box::new(move |bytes| parse(grammar, &mut Parser::new(grammar), bytes)),
            ),
            (
                "reduce",
                Box::new(move |bytes| reduced(grammar, &chosen, bytes)),
            ),
            ("sample", Box::new(move |_| sample(grammar, number))),
            (
                "suite",
                Box::new(move |_| suite(grammar, &mut Parser::new(grammar), buffer)),
            ),
        ];
        for (name, claim) in &claims {
            let began = Instant::now();
            let failed = fails(claim, &bytes);
            if let Some(message) = failed {
                let shortest = shortest(claim, &bytes);
                let message = fails(claim, &shortest).unwrap_or(message);
                let settings = if name.ends_with("settings") {
                    random
                } else {
                    chosen
                };
                failures.push(format!(
                    "{name}: seed {seed}, bytes {shortest:?}, {settings:?}\n{source}{message}\n"
                ));
                return failures;
            }
            if began.elapsed() > TIME {
                failures.push(format!(
                    "{name}: seed {seed}, bytes {bytes:?}, {chosen:?}: {:?}\n{source}\n",
                    began.elapsed()
                ));
                return failures;
            }
        }
    }
    failures
}

#[test]
fn guarantees_hold_for_random_grammars() {
    let (count, first) = (
        number("ZESTER_RANDOM_GRAMMARS", 250),
        number("ZESTER_RANDOM_SEED", 1),
    );
    std::panic::set_hook(Box::new(|_| {}));
    let (mut refused, mut failures) = (0, Vec::new());
    for seed in first..first + count {
        // A quarter of the grammars look like those that people write.
        let source = match seed % 4 {
            0 => typed::source(&mut Noise(seed)),
            _ => random::source(&mut Noise(seed)),
        };
        let read =
            catch_unwind(|| notation::read("random", source.as_bytes(), &Caps::default()).ok());
        match read {
            Ok(Some((grammar, _))) => failures.extend(examine(seed, &source, &grammar)),
            Ok(None) => refused += 1,
            Err(panic) => failures.push(format!(
                "reading: seed {seed}\n{source}{}\n",
                message(&*panic)
            )),
        }
        if failures.len() >= FAILURES {
            break;
        }
    }
    _ = std::panic::take_hook();
    assert!(
        failures.is_empty(),
        "{} failures\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert!(
        refused * 4 <= count * 3,
        "{refused} of {count} random sources are refused"
    );
    eprintln!("{count} random sources, {refused} of them refused");
}
