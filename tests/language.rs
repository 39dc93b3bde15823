//! Tests of the type `Sentence`: `Arbitrary`, `Display`, `Debug`, and use as a part of other
//! values.

use zester::arbitrary::{Arbitrary, Unstructured};
use zester::bounds::Bounds;
use zester::language::Language;
use zester::parameters::{Decoder, Settings};
use zester::{Sentence, language};

language!(
    /// The grammar of the examples.
    Expression = "../grammars/expr.ebnf"
);
language!(
    /// The grammar of JSON.
    pub Json = "../grammars/json.ebnf"
);

fn parameters(count: usize) -> Vec<u8> {
    (0..count)
        .map(|at| ((at + count) * 7919 % 251) as u8)
        .collect()
}

#[test]
fn a_sentence_decodes_like_parameters() {
    let grammar = Json::source().grammar().unwrap();
    for count in 0..200 {
        let bytes = parameters(count);
        let (sentence, read) = Sentence::<Json>::decode(&Settings::default(), &bytes).unwrap();
        assert_eq!(
            sentence.as_bytes(),
            Decoder::new(grammar).decode(&bytes).text()
        );
        let (again, all) = Sentence::<Json>::decode(&Settings::default(), &bytes[..read]).unwrap();
        assert_eq!(
            (&again, all),
            (&sentence, read),
            "bytes that were not read have an influence"
        );
        assert_eq!(format!("{sentence}"), sentence.as_str());
        assert_eq!(format!("{sentence:?}"), format!("{:?}", sentence.as_str()));
    }
}

#[test]
fn fields_of_a_value_read_consecutive_bytes() {
    type Value = (
        Sentence<Expression>,
        u32,
        Sentence<Json>,
        Option<Sentence<Expression>>,
    );
    let mut cases = 0;
    for count in 500..600 {
        let bytes = parameters(count);
        let (expected, read) =
            Sentence::<Expression>::decode(&Settings::default(), &bytes).unwrap();
        let Some((number, rest)) = bytes[read..].split_first_chunk() else {
            continue;
        };
        let value = Value::arbitrary(&mut Unstructured::new(&bytes)).unwrap();
        assert_eq!((value.0, value.1), (expected, u32::from_le_bytes(*number)));
        assert_eq!(
            value.2,
            Sentence::<Json>::decode(&Settings::default(), rest)
                .unwrap()
                .0
        );
        cases += 1;
    }
    assert!(cases > 10, "{cases}");
}

#[test]
fn no_bytes_make_the_simplest_sentences() {
    let mut unread = Unstructured::new(&[]);
    let pair: (Sentence<Json>, Sentence<Expression>) = Arbitrary::arbitrary(&mut unread).unwrap();
    assert_eq!((pair.0.as_str(), pair.1.as_str()), ("0", ""));
}

#[test]
fn a_bound_of_items_limits_repetitions() {
    let settings = Settings::default().bounds(Bounds {
        items: 0,
        ..Bounds::UNBOUNDED
    });
    let statements = |settings: &Settings, count: usize| {
        Sentence::<Expression>::decode(settings, &parameters(count))
            .unwrap()
            .0
            .as_str()
            .matches(';')
            .count()
    };
    assert!((0..300).any(|count| statements(&Settings::default(), count) > 1));
    assert!((0..300).all(|count| statements(&settings, count) == 0));
}
