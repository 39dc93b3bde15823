//! Divides the coverage counters between the program under test and zester.
//!
//! cargo-fuzz instruments every crate. The symbol table of the executable has the function of each
//! counter, and the name of a function begins with its crate. A function of the standard library
//! between two functions of zester counts as zester's, because it was probably instantiated for
//! zester. A function whose name is not one of Rust, such as a function of C, is the program's. Without a
//! symbol table, all counters count as the program's.

use std::ops::Range;
use std::path::Path;

use super::elf::Elf;
use crate::feedback;

/// Crates that usually only zester uses. `ZESTER_COVER` names exceptions.
const OWN: [&str; 11] = [
    "zester",
    "lalrpop_util",
    "codespan_reporting",
    "regex_syntax",
    "unicode_width",
    "strsim",
    "tinyjson",
    "once_cell",
    "rand",
    "rand_core",
    "libfuzzer_sys",
];

/// The owner of a function or a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owner {
    Program,
    /// A function of the standard library, instantiated for zester or for the program, or a variable of either.
    Either,
    /// Zester. For variables, also the engine, a sanitizer or the standard library.
    Zester,
}

impl Owner {
    /// Returns the owner of a function with this name. `cover` has crates that are under test although zester uses
    /// them, too.
    fn of_function(name: &str, cover: &[String]) -> Owner {
        let is_rust = name.starts_with("_R")
            || name
                .strip_prefix("_ZN")
                .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
        match crate_of(name) {
            Some("core" | "alloc" | "std") => Owner::Either,
            Some(name) if OWN.contains(&name) && !cover.iter().any(|cover| cover == name) => {
                Owner::Zester
            }
            Some(_) => Owner::Program,
            None if is_rust => Owner::Either,
            // Zester and libfuzzer-sys define such functions, and harnesses, too.
            None if name.starts_with("zester_") || name.starts_with("LLVMFuzzer") => Owner::Either,
            None => Owner::Program,
        }
    }

    /// Returns the owner of a variable with this name.
    pub fn of_variable(name: &str) -> Owner {
        let own = ["zester", "__zester", "__sancov", "__asan", "GCC_except"];
        match crate_of(name) {
            _ if name.starts_with("anon.") => Owner::Either,
            Some("core" | "alloc" | "std" | "fuzzer") => Owner::Zester,
            Some(root) if root.starts_with("__") || OWN.contains(&root) => Owner::Zester,
            None if own.iter().any(|own| name.starts_with(own)) => Owner::Zester,
            _ => Owner::Program,
        }
    }
}

/// The counters of an executable.
pub(super) struct CounterOwners {
    /// The ranges that belong to the program under test.
    pub of_program: Vec<Range<usize>>,
    /// The number of counters in the functions of the crate zester.
    pub of_zester: usize,
}

/// Returns which counters belong to the program under test. `count` is the number of
/// all counters. `cover` has crates that are under test although zester uses them, too.
pub(super) fn counters(count: usize, cover: &[String]) -> CounterOwners {
    let all = CounterOwners {
        of_program: std::iter::once(0..count).collect(),
        of_zester: 0,
    };
    let functions = Elf::open(Path::new("/proc/self/exe")).and_then(|mut elf| elf.functions());
    let Some(functions) = functions else {
        return all;
    };
    let Some(bias) = functions
        .iter()
        .find(|(_, name)| name == "zester_report")
        .map(|&(at, _)| feedback::anchor().wrapping_sub(at))
    else {
        return all;
    };
    let name = |counter: usize| {
        let address = feedback::pc(counter)?.wrapping_sub(bias);
        let before = functions.partition_point(|&(at, _)| at <= address);
        Some(&*functions[before.checked_sub(1)?].1)
    };
    let Some(names) = (0..count).map(name).collect::<Option<Vec<&str>>>() else {
        return all;
    };
    let owners: Vec<Owner> = names
        .iter()
        .map(|name| Owner::of_function(name, cover))
        .collect();
    let is_zester = |name: &&&str| crate_of(name) == Some("zester");
    CounterOwners {
        of_program: programs(&owners),
        of_zester: names.iter().filter(is_zester).count(),
    }
}

/// Returns the ranges of counters that are neither zester's nor between two counters of zester's.
fn programs(owners: &[Owner]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < owners.len() {
        let either = owners[at..]
            .iter()
            .take_while(|owner| **owner == Owner::Either)
            .count();
        let between = at > 0
            && owners[at - 1] == Owner::Zester
            && owners.get(at + either) == Some(&Owner::Zester);
        let step = either.max(1);
        if owners[at] == Owner::Program || either > 0 && !between {
            match ranges.last_mut() {
                Some(last) if last.end == at => last.end = at + step,
                _ => ranges.push(at..at + step),
            }
        }
        at += step;
    }
    ranges
}

/// Returns the crate of a mangled name, which is the root of its path.
fn crate_of(name: &str) -> Option<&str> {
    if let Some(legacy) = name.strip_prefix("_ZN") {
        let (ident, _) = identifier(legacy)?;
        // The name of a method in an implementation begins with
        // `_$LT$zester..grammar..Grammar$u20$as…`.
        let Some(path) = ident.strip_prefix("_$LT$") else {
            return Some(ident);
        };
        return path
            .split("..")
            .next()
            .filter(|root| root.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
    }
    let v0 = name.strip_prefix("_R")?;
    // The root of the path is the first `C` with an optional disambiguator `s…_` and an identifier.
    v0.match_indices('C').find_map(|(at, _)| {
        let rest = &v0[at + 1..];
        let rest = rest
            .strip_prefix('s')
            .and_then(|rest| rest.split_once('_'))
            .map_or(rest, |(_, rest)| rest);
        identifier(rest).map(|(ident, _)| ident)
    })
}

/// Splits a mangled name after an identifier with its length: `6zester…` into `zester` and `…`.
fn identifier(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = text[..digits].parse().ok()?;
    text[digits..].split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_of_mangled_names_are_found() {
        let cases = [
            (
                "_ZN6zester7grammar5least17h0123456789abcdefE",
                Some("zester"),
            ),
            (
                "_ZN70_$LT$zester..grammar..Grammar$u20$as$u20$core..clone..Clone$GT$5clone17hE",
                Some("zester"),
            ),
            (
                "_ZN4core3ptr42drop_in_place$LT$zester..grammar..Grammar$GT$17hE",
                Some("core"),
            ),
            (
                "_ZN52_$LT$$RF$T$u20$as$u20$core..fmt..Debug$GT$3fmt17hE",
                None,
            ),
            ("_RNvNtCsjNgsr2bVPF3_6zester7grammar5least", Some("zester")),
            (
                "_RINvNtCs9ZOUIqnZIsn_4core3ptr13drop_in_placeNtNtCsj_6zester7grammar7GrammarE",
                Some("core"),
            ),
            ("_RNvC3abc4main", Some("abc")),
            ("main", None),
            ("_ZN99zester", None),
            ("_R", None),
        ];
        for (name, expected) in cases {
            assert_eq!(crate_of(name), expected, "{name}");
        }
    }

    #[test]
    fn functions_of_c_are_the_programs() {
        let owner = |name| Owner::of_function(name, &["rand".into()]);
        for name in [
            "main",
            "lua_parse",
            "_ZNSt6vectorIiE4pushEv",
            "_ZNK4tree4sizeEv",
            "_Z4evalv",
        ] {
            assert_eq!(owner(name), Owner::Program, "{name}");
        }
        let generic = "_ZN52_$LT$$RF$T$u20$as$u20$core..fmt..Debug$GT$3fmt17hE";
        for name in ["zester_c_decode", "LLVMFuzzerTestOneInput", generic] {
            assert_eq!(owner(name), Owner::Either, "{name}");
        }
        assert_eq!(owner("_RNvC6zester3run"), Owner::Zester);
        assert_eq!(owner("_RNvC4rand3run"), Owner::Program);
    }

    #[test]
    fn functions_between_functions_of_zester_count_as_zesters() {
        use Owner::{Either as E, Program as P, Zester as Z};
        assert_eq!(programs(&[P, E, Z, E, E, Z, E, P, Z]), [0..2, 6..8]);
        assert_eq!(programs(&[E, Z, Z, E]), [0..1, 3..4]);
        assert!(programs(&[]).is_empty());
    }
}
