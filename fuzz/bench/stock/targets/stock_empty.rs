//! Does nothing: what libFuzzer itself costs.
#![no_main]

libfuzzer_sys::fuzz_target!(|_data: &[u8]| {});
