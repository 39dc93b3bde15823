//! wast's parser and encoder, wasmparser's validator; valid is what validates.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/wat.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::wat::run, text)
});
