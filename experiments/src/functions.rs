//! The functions of a program's edges, from the table that SanitizerCoverage puts into it.

use std::path::Path;

use addr2line::Loader;
use anyhow::{Context, Result, anyhow};
use object::{Object, ObjectSection};

/// The size of an entry of the table: an address and attributes, of 8 bytes each.
const ENTRY: u64 = 16;

/// Returns the name of the function of each edge. The program must be for a 64-bit machine.
pub fn of_edges(program: &Path) -> Result<Vec<String>> {
    let bytes = std::fs::read(program)?;
    let file = object::File::parse(&bytes[..])?;
    let table = file
        .section_by_name("__sancov_pcs")
        .with_context(|| format!("{} counts no edges", program.display()))?;
    let count = table.size() / ENTRY;
    let mut addresses: Vec<u64> = table
        .data()?
        .chunks_exact(ENTRY as usize)
        .map(|entry| u64::from_le_bytes(entry[..8].try_into().expect("8 bytes")))
        .collect();
    // In a position-independent program, the linker writes the addresses into the relocations.
    for (at, relocation) in file.dynamic_relocations().into_iter().flatten() {
        let entry = at.wrapping_sub(table.address());
        if entry < count * ENTRY && entry % ENTRY == 0 {
            addresses[(entry / ENTRY) as usize] = relocation.addend() as u64;
        }
    }
    let loader = Loader::new(program).map_err(|error| anyhow!("{error}"))?;
    let name = |&address: &u64| loader.find_symbol(address).unwrap_or("?").to_owned();
    Ok(addresses.iter().map(name).collect())
}
