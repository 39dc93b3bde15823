//! Does nothing: measures libFuzzer's own cost.
#![no_main]

libfuzzer_sys::fuzz_target!(|_data: &[u8]| {});
