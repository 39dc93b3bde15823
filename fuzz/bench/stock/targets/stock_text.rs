//! Runs the subject of a feature on texts, for fuzzers of bytes. Contains no code of zester.
#![no_main]

macro_rules! subject {
    ($($feature:literal => $run:path,)*) => {
        $(#[cfg(feature = $feature)]
        use $run as run;)*

        /// Accepts nothing: no feature names a subject.
        #[cfg(not(any($(feature = $feature),*)))]
        fn run(_text: &str) -> Result<(), String> {
            Err(String::new())
        }
    };
}

subject! {
    "javascript" => zester_subjects::javascript::run,
    "jinja" => zester_subjects::jinja::new::run,
    "jq" => zester_subjects::jq::new::run,
    "json" => zester_subjects::json::run,
    "lua" => zester_subjects::lua::run,
    "sql" => zester_subjects::sql::run,
    "wgsl" => zester_subjects::wgsl::new::run,
    "xml" => zester_subjects::xml::run,
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| -> libfuzzer_sys::Corpus {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return libfuzzer_sys::Corpus::Reject;
    };
    _ = zester_subjects::known::run(run, text);
    libfuzzer_sys::Corpus::Keep
});
