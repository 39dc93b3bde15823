//! Makes a failing input smaller. The function `fails` stands for the program under test: it fails
//! if brackets are nested more than three deep.
//!
//! ```sh
//! cargo run --no-default-features --example reduce
//! ```

use zester::bounds::Caps;
use zester::derivation::Derivation;
use zester::parameters::{self, Settings, Tree};
use zester::parse::Parser;
use zester::{notation, reduce};

const GRAMMAR: &str = r#"
    @skip blank = [ \n]+ ;
    @start value = list | number ;
    list = "[" ( value ( "," value )* )? "]" ;
    @token number = "0" | [1-9] [0-9]* ;
"#;

fn fails(text: &[u8]) -> bool {
    let mut depth = 0;
    text.iter().any(|byte| {
        depth += i32::from(*byte == b'[') - i32::from(*byte == b']');
        depth > 3
    })
}

fn main() {
    let (grammar, _warnings) = notation::read("lists", GRAMMAR.as_bytes(), &Caps::default())
        .unwrap_or_else(|report| panic!("{report}"));
    let input = b"[ 17, [ 4, [ ], [ [ 8, [ 1 ] ], 205 ] ], [ 3 ] ]";
    let (mut sentence, mut bytes) = (Derivation::default(), Vec::new());
    let parsed = Parser::new(&grammar).parse(input, &mut sentence);
    parsed.expect("the input is a sentence of the grammar");
    parameters::encode(&grammar, &sentence, &mut bytes);
    let mut is_interesting = |tree: &Tree| fails(tree.derivation().text());
    let smallest = reduce::reduce(&grammar, &Settings::default(), &bytes, &mut is_interesting);
    println!("{}", String::from_utf8_lossy(smallest.derivation().text()));
}
