//! Mutates sentences that are parts of a value, each by its grammar. The positions of their bytes
//! are recorded while the value is made.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::mutation_call::MutationCall;
use crate::language::{self, GrammarSource, SentenceSpan};
use crate::mutate::Mutator;

/// One call in this many mutates the bytes of the whole value, and ignores its sentences.
const BYTES: u32 = 4;

/// The mutators of sentences in values, one for each grammar.
#[derive(Default)]
pub struct Values {
    spans: Vec<SentenceSpan>,
    languages: Vec<(&'static GrammarSource, Mutator<'static>)>,
    result: Vec<u8>,
}

impl Values {
    /// Makes a value from `input` and mutates one of its sentences, by the named mutators or by
    /// all. Returns [`None`] if the value has no sentence, or if its bytes must be mutated in this
    /// call.
    pub fn mutate(
        &mut self,
        make: fn(&[u8]),
        mutators: Option<&str>,
        input: &[u8],
        call: MutationCall,
    ) -> Option<&[u8]> {
        let MutationCall {
            max_size,
            seed,
            mut native,
        } = call;
        let mut rng = SmallRng::seed_from_u64(seed.into());
        if rng.random_range(0..BYTES) == 0 || input.len() > max_size {
            return None;
        }
        language::record(&mut self.spans, || make(input));
        let start = input.as_ptr() as usize;
        // A type may copy bytes before it reads them. The bytes of its sentences are then outside
        // the input, so these sentences are not mutated.
        self.spans
            .retain(|span| start <= span.bytes.start && span.bytes.end <= start + input.len());
        let SentenceSpan { bytes, source } = self
            .spans
            .get(rng.random_range(0..self.spans.len().max(1)))?
            .clone();
        let span = bytes.start - start..bytes.end - start;
        let room = max_size - (input.len() - span.len());
        let grammar = source.grammar().ok().filter(|_| room > 0)?;
        let known = self
            .languages
            .iter()
            .position(|(known, _)| std::ptr::eq(*known, source));
        let at = known.unwrap_or_else(|| {
            let mutator = Mutator::new(grammar);
            // `Options::mutator` has checked the names.
            let mutator = match mutators {
                Some(names) => mutator
                    .only(names)
                    .unwrap_or_else(|_| Mutator::new(grammar)),
                None => mutator,
            };
            self.languages.push((source, mutator));
            self.languages.len() - 1
        });
        let (_, mutator) = &mut self.languages[at];
        mutator.learn(&input[span.clone()]);
        let changed = mutator.mutate_with(&input[span.clone()], room, rng.random(), &mut native);
        self.result.clear();
        self.result.extend_from_slice(&input[..span.start]);
        self.result.extend_from_slice(changed);
        self.result.extend_from_slice(&input[span.end..]);
        Some(&self.result)
    }
}

#[cfg(test)]
mod tests {
    use arbitrary::{Arbitrary, Unstructured};

    use super::*;
    use crate::language::Sentence;

    crate::language!(Json = "../../grammars/json.ebnf");
    crate::language!(Expression = "../../grammars/expr.ebnf");

    type Value = (u16, Sentence<Json>, u8, Sentence<Expression>);

    fn value(bytes: &[u8]) -> Value {
        Value::arbitrary_take_rest(Unstructured::new(bytes)).unwrap()
    }

    fn call(seed: u32) -> MutationCall {
        MutationCall {
            max_size: 300,
            seed,
            native: |_, size, _| size,
        }
    }

    #[test]
    fn only_one_sentence_of_a_value_changes() {
        let mut values = Values::default();
        let mut input = vec![7, 7, 4, 2, 1, 2, 0, 200, 1, 3, 5];
        let (mut changed, mut none) = ([0; 2], 0);
        for seed in 0..2_000 {
            let before = value(&input);
            let make = |bytes: &[u8]| super::super::make::<Value>(bytes);
            let Some(result) = values.mutate(make, None, &input, call(seed)) else {
                none += 1;
                continue;
            };
            assert!(result.len() <= 300 && result != input);
            let after = value(result);
            assert_eq!(after.0, before.0);
            assert_eq!(after.2, before.2);
            let differ = [after.1 != before.1, after.3 != before.3];
            assert!(!(differ[0] && differ[1]), "both changed");
            changed[0] += u32::from(differ[0]);
            changed[1] += u32::from(differ[1]);
            input = result.to_vec();
        }
        assert!(
            changed[0] > 500 && changed[1] > 500 && none > 300,
            "{changed:?}, {none}"
        );
    }

    #[test]
    fn values_without_sentences_are_not_mutated() {
        let make = |bytes: &[u8]| super::super::make::<Vec<u32>>(bytes);
        for seed in 0..100 {
            assert!(
                Values::default()
                    .mutate(make, None, &[1; 30], call(seed))
                    .is_none()
            );
        }
    }
}
