//! Fuzzes the parser of zester's own notation. A sentence is valid if it is a grammar.
//!
//! Every error must have a position in the text.
#![no_main]

use zester::{bounds::Caps, notation};

zester::fuzz_target!(grammar: "../../grammars/ebnf.ebnf", |text: &str| {
    let caps = Caps { bytes: 1 << 16, nodes: 1 << 16 };
    match notation::read("input", text.as_bytes(), &caps) {
        Ok((grammar, _)) => {
            assert!(!grammar.symbols().is_empty(), "a grammar of no symbols");
            true
        }
        Err(report) => {
            assert!(report.to_string().contains("input:"), "a mistake without a position: {report}");
            false
        }
    }
});
