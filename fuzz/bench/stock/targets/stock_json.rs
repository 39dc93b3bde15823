//! Runs the subject `json` on sentences of a pool: each mutation is the next file in the directory
//! that the variable `POOL` names.
#![no_main]

use std::sync::OnceLock;

static POOL: OnceLock<Vec<Vec<u8>>> = OnceLock::new();

fn pool() -> Vec<Vec<u8>> {
    let directory = std::env::var_os("POOL").expect("POOL names the directory of a pool");
    let entries = std::fs::read_dir(directory).expect("POOL can be listed");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("POOL can be listed").path())
        .collect();
    files.sort();
    files
        .iter()
        .map(|path| std::fs::read(path).expect("POOL has files only"))
        .collect()
}

libfuzzer_sys::fuzz_target!(init: { POOL.get_or_init(pool); }, |data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = zester_subjects::json::run(text);
    }
});

// A sentence that does not fit is skipped. libFuzzer turns -len_control off for targets with a
// mutator, so nearly all fit.
libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let _ = size;
    let pool = POOL.get_or_init(pool);
    let mut at = seed as usize;
    for _ in 0..16 {
        at = at.wrapping_mul(2_654_435_761).wrapping_add(12_345) & 0xFFFF_FFFF;
        let sentence = &pool[(at >> 8) % pool.len()];
        if (1..=max_size).contains(&sentence.len()) {
            data[..sentence.len()].copy_from_slice(sentence);
            return sentence.len();
        }
    }
    data[0] = b'0';
    1
});
