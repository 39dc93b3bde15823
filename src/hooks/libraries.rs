//! Finds shared libraries with coverage counters. Their coverage counts as coverage of the program
//! under test.
//!
//! The addresses of the counters are read from the file of the library. They are used only if the
//! addresses are in memory that is mapped from this file with the needed access.

use std::fs::{File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::elf::Elf;
use crate::feedback;

/// The number of bytes at the beginning of a library that are compared with its file. They contain
/// the ELF header, the program headers, and usually the build ID.
const HEAD: usize = 4096;

/// The size of an entry of a PC table in bytes.
const PC_ENTRY: u64 = 16;

/// A mapping of a part of a file: a line of `/proc/self/maps`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mapping {
    addresses: Range<usize>,
    readable: bool,
    writable: bool,
    offset: u64,
    /// The device, major and minor.
    device: (u32, u32),
    inode: u64,
    path: PathBuf,
}

/// The counters of a library in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counters {
    counters: usize,
    pcs: usize,
    count: usize,
}

/// Adds the counters of all loaded libraries. Returns the names of the libraries that have
/// counters.
pub(super) fn add() -> Vec<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let mappings: Vec<Mapping> = maps.lines().filter_map(mapping).collect();
    let own = std::env::current_exe().ok();
    let mut names = Vec::new();
    for first in mappings
        .iter()
        .filter(|mapping| mapping.offset == 0 && own.as_ref() != Some(&mapping.path))
    {
        let Some(found) = counters(first, &mappings) else {
            continue;
        };
        // SAFETY: the counters must be writable and the PC table readable until the process ends.
        // `counters` has checked the access. The library must not be unloaded: libFuzzer requires
        // the same, because it keeps the addresses of registered counters.
        #[allow(unsafe_code)]
        unsafe {
            feedback::add_module(found.counters, found.pcs, found.count);
        }
        names.push(
            first
                .path
                .file_name()
                .unwrap_or(first.path.as_os_str())
                .to_string_lossy()
                .into_owned(),
        );
    }
    names
}

/// Reads a line such as `7f0a5e000000-7f0a5e028000 r--p 00000000 fe:01 1234 /lib/libc.so.6`.
/// Returns [`None`] if the line has no file.
fn mapping(line: &str) -> Option<Mapping> {
    let mut fields = line.split_ascii_whitespace();
    let (start, end) = fields.next()?.split_once('-')?;
    let access = fields.next()?.as_bytes();
    let offset = u64::from_str_radix(fields.next()?, 16).ok()?;
    let (major, minor) = fields.next()?.split_once(':')?;
    let inode = fields.next()?.parse().ok()?;
    Some(Mapping {
        addresses: usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?,
        readable: access.first() == Some(&b'r'),
        writable: access.get(1) == Some(&b'w'),
        offset,
        device: (
            u32::from_str_radix(major, 16).ok()?,
            u32::from_str_radix(minor, 16).ok()?,
        ),
        inode,
        path: line[line.find('/')?..].into(),
    })
}

/// Returns the counters of the library whose beginning is mapped at `first`. Returns [`None`] if it
/// has no counters, or if their addresses cannot be verified.
fn counters(first: &Mapping, mappings: &[Mapping]) -> Option<Counters> {
    let mut elf = Elf::open(&first.path)?;
    let base = elf.library_base()?;
    if !is_file_of(first, &elf.metadata()?) && !has_head_of(first, &first.path) {
        return None;
    }
    let (counters, pcs) = (elf.section("__sancov_cntrs")?, elf.section("__sancov_pcs")?);
    if counters.size == 0 || Some(pcs.size) != counters.size.checked_mul(PC_ENTRY) {
        return None;
    }
    let in_memory = |address: u64, size: u64| {
        let start = first
            .addresses
            .start
            .checked_add(usize::try_from(address.checked_sub(base)?).ok()?)?;
        Some(start..start.checked_add(usize::try_from(size).ok()?)?)
    };
    let (counters, pcs) = (
        in_memory(counters.address, counters.size)?,
        in_memory(pcs.address, pcs.size)?,
    );
    let of_library: Vec<&Mapping> = mappings
        .iter()
        .filter(|mapping| mapping.path == first.path && mapping.readable)
        .collect();
    let fits = covers(
        of_library
            .iter()
            .filter(|mapping| mapping.writable)
            .copied(),
        &counters,
    ) && covers(of_library.iter().copied(), &pcs);
    fits.then_some(Counters {
        counters: counters.start,
        pcs: pcs.start,
        count: counters.len(),
    })
}

/// Returns whether every address of a range is in one of the mappings. The mappings must be sorted.
fn covers<'m>(mappings: impl Iterator<Item = &'m Mapping>, range: &Range<usize>) -> bool {
    let mut reached = range.start;
    for mapping in mappings.filter(|mapping| {
        mapping.addresses.contains(&range.start) || mapping.addresses.start >= range.start
    }) {
        if reached >= range.end || mapping.addresses.start > reached {
            break;
        }
        reached = mapping.addresses.end;
    }
    reached >= range.end
}

/// Returns whether a mapping and a file's metadata have the same device and inode.
#[cfg(unix)]
fn is_file_of(mapping: &Mapping, metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    // The encoding of a device's major and minor number in glibc.
    let device = metadata.dev();
    let (major, minor) = (
        device >> 8 & 0xfff | device >> 32 & !0xfff,
        device & 0xff | device >> 12 & !0xff,
    );
    mapping.inode == metadata.ino()
        && (u64::from(mapping.device.0), u64::from(mapping.device.1))
            == (major, minor & 0xffff_ffff)
}

#[cfg(not(unix))]
fn is_file_of(_: &Mapping, _: &Metadata) -> bool {
    false
}

/// Returns whether a mapping begins with the same bytes as a file. This check is needed on overlay
/// file systems and on btrfs, where `/proc/self/maps` shows other devices or inodes than the file's
/// metadata.
fn has_head_of(mapping: &Mapping, path: &Path) -> bool {
    let read = |from: &Path, at: u64| {
        let (mut file, mut head) = (File::open(from).ok()?, vec![0; HEAD]);
        file.seek(SeekFrom::Start(at)).ok()?;
        file.read_exact(&mut head).ok()?;
        Some(head)
    };
    // Reading unmapped memory through this file returns an error instead of raising a signal.
    let in_memory = read(Path::new("/proc/self/mem"), mapping.addresses.start as u64);
    in_memory.is_some() && in_memory == read(path, 0)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn lines_of_maps_are_read() {
        let line =
            "7f0a5e000000-7f0a5e028000 r--p 00001000 fe:01 1234                       /lib/a b.so";
        let expected = Mapping {
            addresses: 0x7f0a_5e00_0000..0x7f0a_5e02_8000,
            readable: true,
            writable: false,
            offset: 0x1000,
            device: (0xfe, 1),
            inode: 1234,
            path: "/lib/a b.so".into(),
        };
        assert_eq!(mapping(line), Some(expected));
        assert_eq!(
            mapping("7ffe1000-7ffe2000 rw-p 00000000 00:00 0  [stack]"),
            None
        );
        assert_eq!(mapping(""), None);
    }

    /// Returns the file of a library with 8 counters at 0x2000 and their PC table at 0x1000. `kind`
    /// is the ELF type.
    fn library(kind: u16) -> Vec<u8> {
        let names = b"\0__sancov_cntrs\0__sancov_pcs\0.shstrtab\0";
        let mut file = vec![0; HEAD];
        file[..6].copy_from_slice(b"\x7FELF\x02\x01");
        file[16..18].copy_from_slice(&kind.to_le_bytes());
        // The program headers: one segment, which is loaded at address 0.
        file[32..40].copy_from_slice(&64_u64.to_le_bytes());
        file[54..56].copy_from_slice(&56_u16.to_le_bytes());
        file[56..58].copy_from_slice(&1_u16.to_le_bytes());
        file[64] = 1;
        // The section headers.
        file[40..48].copy_from_slice(&512_u64.to_le_bytes());
        for (at, value) in [(58, 64_u16), (60, 4), (62, 3)] {
            file[at..at + 2].copy_from_slice(&value.to_le_bytes());
        }
        let sections = [
            (0, 0, 0, 0),
            (1, 0x2000_u64, 0, 8_u64),
            (16, 0x1000, 0, 128),
            (29, 0, 1024, names.len() as u64),
        ];
        for (number, (name, address, offset, size)) in sections.into_iter().enumerate() {
            let at = 512 + 64 * number;
            file[at..at + 4].copy_from_slice(&u32::to_le_bytes(name));
            file[at + 16..at + 24].copy_from_slice(&address.to_le_bytes());
            file[at + 24..at + 32].copy_from_slice(&u64::to_le_bytes(offset));
            file[at + 32..at + 40].copy_from_slice(&size.to_le_bytes());
        }
        file[1024..1024 + names.len()].copy_from_slice(names);
        file
    }

    /// Returns the mappings of such a file: its head, the PC table and the counters.
    fn mapped(path: &Path) -> Vec<Mapping> {
        let metadata = path.metadata().unwrap();
        let device = metadata.dev();
        let major = (device >> 8 & 0xfff | device >> 32 & !0xfff) as u32;
        let minor = (device & 0xff | device >> 12 & !0xff) as u32;
        let part = |at: usize, writable| Mapping {
            addresses: 0x7000_0000 + at..0x7000_0000 + at + 0x1000,
            readable: true,
            writable,
            offset: at as u64,
            device: (major, minor),
            inode: metadata.ino(),
            path: path.into(),
        };
        vec![part(0, false), part(0x1000, false), part(0x2000, true)]
    }

    #[test]
    fn counters_are_used_only_where_they_are_mapped_from_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("libcounted.so");
        std::fs::write(&path, library(3)).unwrap();
        let good = mapped(&path);
        let expected = Counters {
            counters: 0x7000_2000,
            pcs: 0x7000_1000,
            count: 8,
        };
        assert_eq!(counters(&good[0], &good), Some(expected));

        let changed = |change: fn(&mut Vec<Mapping>)| {
            let mut mappings = good.clone();
            change(&mut mappings);
            counters(&mappings[0], &mappings)
        };
        assert_eq!(
            changed(|mappings| mappings[2].writable = false),
            None,
            "counters that cannot be written"
        );
        assert_eq!(
            changed(|mappings| mappings[1].readable = false),
            None,
            "a table that cannot be read"
        );
        assert_eq!(
            changed(|mappings| mappings.truncate(1)),
            None,
            "a file that is mapped as data"
        );
        assert_eq!(
            changed(|mappings| mappings[2].path = "/other".into()),
            None,
            "memory of another file"
        );
        assert_eq!(
            changed(|mappings| mappings[2].addresses.end = 0x7000_2004),
            None,
            "counters beyond the mapping"
        );
        assert_eq!(
            changed(|mappings| mappings[0].inode += 1),
            None,
            "a file that has been replaced"
        );

        std::fs::write(&path, library(2)).unwrap();
        assert_eq!(counters(&good[0], &good), None, "an executable");
    }

    #[test]
    fn a_file_is_compared_with_its_head_in_memory() {
        let own = std::env::current_exe().unwrap();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let first = maps
            .lines()
            .filter_map(mapping)
            .find(|mapping| mapping.offset == 0 && mapping.path == own)
            .unwrap();
        assert!(has_head_of(&first, &own));
        assert!(!has_head_of(&first, Path::new("/proc/self/maps")));
        assert!(!has_head_of(
            &Mapping {
                addresses: 0x10..0x20,
                ..first
            },
            &own
        ));
    }
}
