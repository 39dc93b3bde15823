//! An input of a generation: parameters and their text.

use zester::derivation::Derivation;
use zester::parameters::Decoder;

/// Parameters and the text that they decode to.
#[derive(Clone, Debug, PartialEq)]
pub struct Individual {
    pub parameters: Vec<u8>,
    pub text: Vec<u8>,
}

/// Decodes parameters. Returns them with their text, and the derivation.
pub fn decode(decoder: &mut Decoder<'_>, parameters: Vec<u8>) -> (Individual, Derivation) {
    let input = decoder.input(&parameters);
    let (text, derivation) = (input.text().to_vec(), input.tree.derivation().clone());
    (Individual { parameters, text }, derivation)
}
