//! Shared libraries with counters of their own: what they cover counts as the program's.

use std::path::Path;

use super::elf::Elf;
use crate::sidecar;

/// Adds the counters of all libraries that are loaded; the names of those that have some.
pub(super) fn add() -> Vec<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let own = std::env::current_exe().ok();
    let mut found = Vec::new();
    for (base, path) in maps.lines().filter_map(beginning) {
        let path = Path::new(path);
        if own.as_deref() != Some(path) && add_one(base, path).is_some() {
            found.push(path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned());
        }
    }
    found
}

/// Where a file begins in memory: a line such as `7f0a5e000000-7f0a5e028000 r--p 00000000 fe:01 1234   /lib/libc.so.6`.
fn beginning(line: &str) -> Option<(usize, &str)> {
    let mut fields = line.split_ascii_whitespace();
    let (range, offset) = (fields.next()?, fields.nth(1)?);
    let base = usize::from_str_radix(range.split_once('-')?.0, 16).ok()?;
    let path = &line[line.find('/')?..];
    (offset.bytes().all(|byte| byte == b'0')).then_some((base, path))
}

/// Libraries are linked to begin at address 0.
fn add_one(base: usize, path: &Path) -> Option<()> {
    let mut elf = Elf::open(path)?;
    let (counters, pcs) = (elf.section("__sancov_cntrs")?, elf.section("__sancov_pcs")?);
    if counters.size == 0 || pcs.size != counters.size * 16 {
        return None;
    }
    sidecar::add_module(base + counters.address as usize, base + pcs.address as usize, counters.size as usize);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_maps() {
        let line = "7f0a5e000000-7f0a5e028000 r--p 00000000 fe:01 1234                       /lib/a b.so";
        assert_eq!(beginning(line), Some((0x7f0a_5e00_0000, "/lib/a b.so")));
        assert_eq!(beginning("7f0a5e000000-7f0a5e028000 r-xp 00028000 fe:01 1234  /lib/libc.so.6"), None);
        assert_eq!(beginning("7ffe1000-7ffe2000 rw-p 00000000 00:00 0  [stack]"), None);
        assert_eq!(beginning(""), None);
    }
}
