//! Names of the functions of a fuzz target, by the numbers of its coverage counters.
//!
//! SanitizerCoverage writes a table of program counters into the executable, `__sancov_pcs`, with
//! an entry for each counter (<https://clang.llvm.org/docs/SanitizerCoverage.html#pc-table>). The
//! names come from the symbol table. So the code of an inlined function has the name of the
//! function into which it was inlined.

use std::collections::HashMap;
use std::path::Path;

use object::{Object, ObjectSection, RelocationTarget};

/// The section with the table of program counters.
const TABLE: &str = "__sancov_pcs";

/// The size of an entry of the table: an address and flags, 8 bytes each.
const ENTRY: usize = 16;

/// The flag of the entry for the first block of a function.
const IS_ENTRY: u64 = 1;

/// The functions of a program.
///
/// # Examples
///
/// ```no_run
/// use std::path::Path;
/// use zester::subject::{Limits, Request, Subject, Symbols};
///
/// let program = Path::new("target/x86_64-unknown-linux-gnu/release/json");
/// let mut subject = Subject::start(program, Limits::default())?;
/// subject.run(Request::Text(b"[1, 2]"))?;
/// let mut symbols = Symbols::of(program).ok_or("no symbols")?;
/// for &edge in subject.edges() {
///     println!("{edge} is in {}", symbols.function(edge).unwrap_or("?"));
/// }
/// # Ok::<(), zester::Error>(())
/// ```
pub struct Symbols {
    /// The address of the code of each counter.
    addresses: Vec<u64>,
    /// The number of the function of each counter.
    functions: Vec<u32>,
    /// The address and the name of each symbol, in the order of the addresses.
    symbols: Vec<(u64, String)>,
    /// The names that were looked up.
    names: HashMap<u32, Option<String>>,
}

impl std::fmt::Debug for Symbols {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Symbols")
            .field("counters", &self.addresses.len())
            .finish_non_exhaustive()
    }
}

impl Symbols {
    /// Reads the table of an executable. Returns [`None`] if it has none, or if it is no 64-bit
    /// little-endian executable.
    pub fn of(program: &Path) -> Option<Symbols> {
        let bytes = std::fs::read(program).ok()?;
        let file = object::File::parse(&bytes[..]).ok()?;
        if !file.is_64() || !file.is_little_endian() {
            return None;
        }
        let section = file.section_by_name(TABLE)?;
        let table = section.data().ok()?.chunks_exact(ENTRY);
        let number =
            |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("a slice of 8 bytes"));
        let mut addresses: Vec<u64> = table.clone().map(|entry| number(&entry[..8])).collect();
        let functions = table.scan(0, |count, entry| {
            *count += u32::from(number(&entry[8..]) & IS_ENTRY != 0);
            Some(count.saturating_sub(1))
        });
        let functions = functions.collect();
        // In a position-independent executable, the table in the file has no addresses. The loader
        // writes them, and they are in the relocations.
        for (at, relocation) in file.dynamic_relocations().into_iter().flatten() {
            let Some(offset) = at
                .checked_sub(section.address())
                .filter(|offset| offset % ENTRY as u64 == 0)
            else {
                continue;
            };
            if let (Some(address), RelocationTarget::Absolute) = (
                addresses.get_mut(offset as usize / ENTRY),
                relocation.target(),
            ) {
                *address = relocation.addend() as u64;
            }
        }
        let symbols = file.symbol_map();
        let symbols = symbols.symbols().iter();
        Some(Symbols {
            addresses,
            functions,
            symbols: symbols
                .map(|symbol| (symbol.address(), symbol.name().into()))
                .collect(),
            names: HashMap::new(),
        })
    }

    /// Returns for each counter the number of its function. The first function of the table has the
    /// number 0, the next one 1, and so on. Unlike names, these numbers differ for two instances of
    /// a generic function.
    pub fn functions(&self) -> &[u32] {
        &self.functions
    }

    /// Returns the name of the function of a counter, demangled, or [`None`] if it is unknown.
    /// Counters of shared libraries have no names.
    pub fn function(&mut self, counter: u32) -> Option<&str> {
        let Symbols {
            addresses,
            symbols,
            names,
            ..
        } = self;
        let name = names.entry(counter).or_insert_with(|| {
            let address = *addresses.get(counter as usize)?;
            let after = symbols.partition_point(|(begin, _)| *begin <= address);
            let (_, name) = &symbols[after.checked_sub(1)?];
            Some(without_hash(&demangled(name)).to_string())
        });
        name.as_deref()
    }
}

/// Returns the name of a function of Rust or C++ as it is written in the source. Returns any other
/// name unchanged.
fn demangled(name: &str) -> String {
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        return format!("{rust:#}");
    }
    let cpp = cpp_demangle::Symbol::new(name).ok();
    cpp.and_then(|symbol| symbol.demangle(&Default::default()).ok())
        .unwrap_or_else(|| name.into())
}

/// Removes the hash at the end of a Rust name, such as `::h0123456789abcdef`.
pub(super) fn without_hash(name: &str) -> &str {
    let is_hash =
        |hash: &str| hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.rsplit_once("::h")
        .filter(|(_, hash)| is_hash(hash))
        .map_or(name, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_a_name_is_removed() {
        assert_eq!(
            without_hash("serde_json::de::from_str::h0123456789abcdef"),
            "serde_json::de::from_str"
        );
        assert_eq!(without_hash("a::hash"), "a::hash");
        assert_eq!(without_hash("main"), "main");
    }

    #[test]
    fn names_of_rust_and_cpp_are_demangled() {
        for (name, expected) in [
            ("_RNvC6_123foo3bar", "123foo::bar"),
            (
                "_ZN10serde_json2de8from_str17h0123456789abcdefE",
                "serde_json::de::from_str",
            ),
            ("_ZN4json5parseEPKc", "json::parse(char const*)"),
            ("main", "main"),
            ("_Z", "_Z"),
        ] {
            assert_eq!(demangled(name), expected);
        }
    }

    #[test]
    fn a_file_without_counters_has_no_symbols() {
        assert!(Symbols::of(Path::new("/bin/sh")).is_none());
        assert!(Symbols::of(Path::new("Cargo.toml")).is_none());
        assert!(Symbols::of(Path::new("/nowhere")).is_none());
    }
}
