//! An input of a generation: parameters and their text.

use zester::derivation::Derivation;
use zester::parameters::Decoder;

/// An input of a generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Individual {
    pub parameters: Vec<u8>,
    pub text: Vec<u8>,
}

/// Returns the input that parameters decode to, with its derivation.
pub fn decode(decoder: &mut Decoder<'_>, parameters: Vec<u8>) -> (Individual, Derivation) {
    let input = decoder.input(&parameters);
    let (text, derivation) = (input.text().to_vec(), input.tree.derivation().clone());
    (Individual { parameters, text }, derivation)
}
