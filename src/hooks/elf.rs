//! Reads sections and functions of executables and shared libraries. Supports little-endian ELF
//! files of 64 bits.

use std::fs::{File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// The type of a section that is a symbol table (`SHT_SYMTAB`).
const SYMBOLS: u32 = 2;
/// The type of a symbol that is a function (`STT_FUNC`).
const FUNCTION: u8 = 2;
/// The type of a symbol that is a variable (`STT_OBJECT`).
const VARIABLE: u8 = 1;
/// The type of a file that is a shared library or a position-independent executable (`ET_DYN`).
const DYNAMIC: u16 = 3;
/// The type of a segment that is loaded (`PT_LOAD`).
const LOADED: u32 = 1;

pub(super) struct Elf {
    file: File,
    header: Vec<u8>,
    sections: Vec<Section>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    name: u32,
    kind: u32,
    /// The address for which the section was linked.
    pub address: u64,
    offset: u64,
    /// The size in bytes.
    pub size: u64,
    /// The number of the section with the names of this section's symbols.
    link: u32,
}

impl Elf {
    /// Opens a file. Returns [`None`] if it is no little-endian ELF file of 64 bits.
    pub fn open(path: &Path) -> Option<Elf> {
        let mut file = File::open(path).ok()?;
        let header = read(&mut file, 0, 64)?;
        if header[..6] != *b"\x7FELF\x02\x01" {
            return None;
        }
        let (entry, entries, names) = (half(&header, 58)?, half(&header, 60)?, half(&header, 62)?);
        let table = read(
            &mut file,
            word(&header, 40)?,
            u64::from(entry) * u64::from(entries),
        )?;
        let section = |bytes: &[u8]| {
            Some(Section {
                name: number(bytes, 0)?,
                kind: number(bytes, 4)?,
                address: word(bytes, 16)?,
                offset: word(bytes, 24)?,
                size: word(bytes, 32)?,
                link: number(bytes, 40)?,
            })
        };
        let mut sections: Vec<Section> = table
            .chunks_exact(usize::from(entry).max(64))
            .map(section)
            .collect::<Option<_>>()?;
        // The section with the names of sections is stored again at the end.
        sections.push(*sections.get(usize::from(names))?);
        Some(Elf {
            file,
            header,
            sections,
        })
    }

    pub fn metadata(&self) -> Option<Metadata> {
        self.file.metadata().ok()
    }

    /// Returns the address for which the beginning of a shared library was linked, which is usually 0.
    /// Returns [`None`] if the file is no shared library.
    pub fn library_base(&mut self) -> Option<u64> {
        let (entry, entries) = (half(&self.header, 54)?, half(&self.header, 56)?);
        if half(&self.header, 16)? != DYNAMIC || entry < 56 {
            return None;
        }
        let table = read(
            &mut self.file,
            word(&self.header, 32)?,
            u64::from(entry) * u64::from(entries),
        )?;
        let mut segments = table.chunks_exact(usize::from(entry));
        let first = segments
            .find(|segment| number(segment, 0) == Some(LOADED) && word(segment, 8) == Some(0))?;
        word(first, 16)
    }

    /// Returns the section with a name.
    pub fn section(&mut self, name: &str) -> Option<Section> {
        let names = self.content(*self.sections.last()?)?;
        self.sections
            .iter()
            .find(|section| text(&names, section.name) == Some(name.as_bytes()))
            .copied()
    }

    /// Returns the addresses and names of all functions in the symbol table, sorted by address.
    pub fn functions(&mut self) -> Option<Vec<(usize, String)>> {
        self.symbols(FUNCTION)
    }

    /// Returns the addresses and names of all variables in the symbol table, sorted by address.
    pub fn variables(&mut self) -> Option<Vec<(usize, String)>> {
        self.symbols(VARIABLE)
    }

    /// Returns the addresses and names of all symbols of a type, sorted by address.
    fn symbols(&mut self, kind: u8) -> Option<Vec<(usize, String)>> {
        let symbols = *self
            .sections
            .iter()
            .find(|section| section.kind == SYMBOLS)?;
        let names = self.content(*self.sections.get(symbols.link as usize)?)?;
        let mut found: Vec<(usize, String)> = Vec::new();
        for symbol in self.content(symbols)?.chunks_exact(24) {
            let is_defined = half(symbol, 6)? != 0;
            if symbol[4] & 15 == kind && is_defined {
                let name = String::from_utf8_lossy(text(&names, number(symbol, 0)?)?).into_owned();
                found.push((word(symbol, 8)? as usize, name));
            }
        }
        found.sort_unstable();
        Some(found)
    }

    /// Reads the bytes of a section.
    pub fn content(&mut self, section: Section) -> Option<Vec<u8>> {
        read(&mut self.file, section.offset, section.size)
    }
}

/// Returns the text at an offset, up to the next zero byte.
fn text(names: &[u8], at: u32) -> Option<&[u8]> {
    names.get(at as usize..)?.split(|&byte| byte == 0).next()
}

/// Reads `length` bytes at an offset of a file.
fn read(file: &mut File, at: u64, length: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(at)).ok()?;
    file.take(length).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == length).then_some(bytes)
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feedback;

    #[test]
    fn functions_and_sections_of_this_executable_are_found() {
        // The linker omits functions that are not used.
        std::hint::black_box(feedback::anchor());
        let mut elf = Elf::open(Path::new("/proc/self/exe")).expect("tests are ELF files");
        assert!(
            elf.section(".text")
                .is_some_and(|section| section.size > 1000 && section.address > 0)
        );
        assert!(elf.section("none").is_none());
        let functions = elf.functions().expect("tests have symbols");
        assert!(functions.iter().any(|(_, name)| name == "zester_report"));
        assert!(Elf::open(Path::new(file!())).is_none());
        assert!(Elf::open(Path::new("/")).is_none());
    }
}
