//! The strings of the program under test: texts in its read-only data.
//!
//! Programs keep the names that they look up in tables of entries such as `{"print", print}`. Each
//! entry points to the text of a name. So texts are returned in the order of the pointers to them:
//! first pointers in variables of the program under test, then pointers in variables whose owner is
//! unknown. Texts that end with a zero byte and have no pointer come last. Texts to which only
//! zester, the engine or a sanitizer points are omitted.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::path::Path;

use super::elf::{Elf, Section};
use super::program::Owner;

/// The lengths of strings that are returned, in bytes.
const LENGTHS: RangeInclusive<usize> = 2..=40;

const MAX_STRINGS: usize = 1 << 14;

/// Returns strings of the running program, without duplicates. All characters are visible ASCII
/// characters.
pub(super) fn of_program() -> Vec<Vec<u8>> {
    Elf::open(Path::new("/proc/self/exe"))
        .and_then(|mut elf| strings(&mut elf))
        .unwrap_or_default()
}

fn strings(elf: &mut Elf) -> Option<Vec<Vec<u8>>> {
    let rodata = elf.section(".rodata")?;
    let texts = elf.content(rodata)?;
    let mut pointers = relocations(elf).unwrap_or_default();
    let mut lengths = Vec::new();
    for name in [".data.rel.ro", ".data"] {
        if let Some(section) = elf.section(name)
            && let Some(content) = elf.content(section)
        {
            let words = content
                .chunks_exact(8)
                .map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")));
            let addresses = (section.address..).step_by(8).zip(words);
            let is_length = |&(_, word): &(u64, u64)| LENGTHS.contains(&(word as usize));
            lengths.extend(addresses.clone().filter(is_length));
            pointers.extend(addresses);
        }
    }
    let variables = elf.variables().unwrap_or_default();
    let mut pointers: Vec<Pointer> = pointers
        .into_iter()
        .filter_map(|(address, target)| {
            Some(Pointer {
                owner: owner(&variables, address),
                address,
                text: offset(rodata, target)?,
            })
        })
        .collect();
    pointers.sort_unstable();
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    let mut add = |text: &[u8], owner: Owner| {
        let is_text = LENGTHS.contains(&text.len()) && text.iter().all(u8::is_ascii_graphic);
        let is_new = is_text && found.len() < MAX_STRINGS && known.insert(text.to_vec());
        if is_new && owner != Owner::Zester {
            found.push(text.to_vec());
        }
    };
    for Pointer {
        owner,
        address,
        text,
    } in pointers
    {
        // A string of Rust is a pointer and a length. One of C ends with a zero byte.
        let after = lengths.binary_search_by_key(&(address + 8), |&(address, _)| address);
        if let Ok(after) = after
            && let Some(text) = texts.get(text..text + lengths[after].1 as usize)
        {
            add(text, owner);
        }
        let text = texts[text..].split(|&byte| byte == 0).next();
        add(text.unwrap_or_default(), owner);
    }
    for text in texts.split(|&byte| byte == 0) {
        add(text, Owner::Either);
    }
    Some(found)
}

/// A pointer to a text: the owner of the variable that contains the pointer, the address of the
/// pointer, and the offset of the text in its section. Pointers are ordered as their texts are
/// returned.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Pointer {
    owner: Owner,
    address: u64,
    text: usize,
}

/// Returns the owner of the variable at an address.
fn owner(variables: &[(usize, String)], address: u64) -> Owner {
    let after = variables.partition_point(|&(at, _)| at as u64 <= address);
    let before = after.checked_sub(1);
    before.map_or(Owner::Either, |before| {
        Owner::of_variable(&variables[before].1)
    })
}

/// Returns the addresses and the targets of relocations to addresses in the program itself.
fn relocations(elf: &mut Elf) -> Option<Vec<(u64, u64)>> {
    let section = elf.section(".rela.dyn")?;
    let content = elf.content(section)?;
    let word =
        |bytes: &[u8], at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let entries = content.chunks_exact(24);
    Some(
        entries
            .filter_map(|entry| Some((word(entry, 0)?, word(entry, 16)?)))
            .collect(),
    )
}

/// Returns the offset of an address in a section.
fn offset(section: Section, address: u64) -> Option<usize> {
    let offset = address.checked_sub(section.address)?;
    (offset < section.size).then_some(offset as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name does not tell that it is zester's. A constant without a name would count as a part of the
    /// variable before it.
    // SAFETY: no other symbol of the program has this name.
    #[allow(unsafe_code)]
    #[unsafe(export_name = "table_of_a_program")]
    static TABLE: [&str; 3] = ["first_of_a_table", "another", "last_of_a_table"];

    #[test]
    fn strings_of_this_program_are_found_in_the_order_of_their_table() {
        let table = std::hint::black_box(&TABLE);
        // A string goes on up to a zero byte, or up to the next string that a relocation refers to.
        let strings = of_program();
        let at = |text: &str| {
            strings
                .iter()
                .position(|string| string.starts_with(text.as_bytes()))
        };
        let found: Vec<_> = table.iter().map(|text| at(text).expect(text)).collect();
        assert!(found.is_sorted(), "{found:?}");
    }
}
