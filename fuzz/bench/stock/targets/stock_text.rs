//! Runs the subject of a feature on texts, for fuzzers of bytes. Contains no code of zester.
#![no_main]

mod subject;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| -> libfuzzer_sys::Corpus {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return libfuzzer_sys::Corpus::Reject;
    };
    _ = zester_subjects::known::run(subject::run, text);
    libfuzzer_sys::Corpus::Keep
});
