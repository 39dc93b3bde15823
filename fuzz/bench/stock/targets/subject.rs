//! The subject of a feature.

macro_rules! subject {
    ($($feature:literal => $run:path,)*) => {
        $(#[cfg(feature = $feature)]
        pub use $run as run;)*

        /// Accepts nothing: no feature names a subject.
        #[cfg(not(any($(feature = $feature),*)))]
        pub fn run(_text: &str) -> Result<(), String> {
            Err(String::new())
        }
    };
}

subject! {
    "graphql" => zester_subjects::graphql::run,
    "javascript" => zester_subjects::javascript::run,
    "jinja" => zester_subjects::jinja::new::run,
    "jq" => zester_subjects::jq::new::run,
    "json" => zester_subjects::json::run,
    "lua" => zester_subjects::lua::run,
    "sql" => zester_subjects::sql::run,
    "wgsl" => zester_subjects::wgsl::new::run,
    "xml" => zester_subjects::xml::run,
}
