//! Makes a failing input smaller. The function `fails` stands for the program under test: it fails
//! if brackets are nested more than three deep.
//!
//! ```sh
//! cargo run --no-default-features --example reduce
//! ```

use zester::Grammar;

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

fn main() -> Result<(), zester::Error> {
    let grammar = Grammar::read("lists", GRAMMAR.as_bytes())?;
    let input = b"[ 17, [ 4, [ ], [ [ 8, [ 1 ] ], 205 ] ], [ 3 ] ]";
    let smallest = grammar.reduce(input, fails)?;
    println!("{}", String::from_utf8_lossy(&smallest));
    Ok(())
}
