//! Separates the functions of the program under test from those of libraries that every target has.

/// The crates whose functions are not the program's own: Rust's standard library with its
/// dependencies, zester, and `libfuzzer-sys`.
const FOREIGN: [&str; 9] = [
    "alloc",
    "compiler_builtins",
    "core",
    "hashbrown",
    "memchr",
    "std",
    "test",
    "zester",
    "libfuzzer_sys",
];

/// Returns whether a function with this demangled name is the program's own. The first path in the
/// name decides: `<alloc::vec::Vec<T> as core::fmt::Debug>::fmt` belongs to `alloc`. An instance of
/// a generic function belongs to the crate that defines the function. Functions of other crates
/// count as own, because the program may use these crates, too; some are dependencies of zester.
pub fn is_own(name: &str) -> bool {
    let path = name.trim_start_matches(['<', '&', '[', '(']);
    let path = path.strip_prefix("mut ").unwrap_or(path);
    let path = path.strip_prefix("dyn ").unwrap_or(path);
    let of_crate = path.split_once("::").is_some_and(|(first, _)| {
        // A type without a path belongs to the crate of the trait: `<u8 as core::fmt::Debug>::fmt`.
        let first = first.rsplit(" as ").next().unwrap_or(first);
        FOREIGN.contains(&first)
    });
    // A crate name of symbol mangling v0 may have its disambiguator: `core[0123456789abcdef]::…`.
    let of_v0 = path
        .split_once('[')
        .is_some_and(|(first, rest)| FOREIGN.contains(&first) && rest.contains("]::"));
    !(of_crate || of_v0 || name.starts_with("__rust") || name.starts_with("LLVMFuzzer"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_standard_library_and_of_zester_are_not_own() {
        for own in [
            "euclid::remainder",
            "<json::Value as core::fmt::Display>::fmt",
            "gcd",
            "corex::run",
            "ns::Parser::parse(char const*)",
        ] {
            assert!(is_own(own), "{own}");
        }
        for foreign in [
            "core::ptr::drop_in_place::<euclid::Pair>",
            "<alloc::vec::Vec<T> as core::fmt::Debug>::fmt",
            "<&mut core::fmt::Formatter as core::fmt::Write>::write_str",
            "core[0123456789abcdef]::str::from_utf8",
            "<[T] as core::fmt::Debug>::fmt",
            "zester::hooks::run",
            "LLVMFuzzerTestOneInput",
            "__rust_alloc",
        ] {
            assert!(!is_own(foreign), "{foreign}");
        }
    }
}
