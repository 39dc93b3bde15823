//! Tests that call the exported functions as AFL++ does.

use std::ffi::CString;
use std::ptr::null_mut;
use std::sync::Once;

use allocation_counter::measure;

use super::*;

/// A mutator for the JSON grammar.
struct Mutator(*mut c_void);

impl Mutator {
    fn new(seed: c_uint) -> Mutator {
        static GRAMMAR: Once = Once::new();
        // SAFETY: no other thread reads the environment before `call_once` returns.
        GRAMMAR.call_once(|| unsafe {
            std::env::set_var(
                "ZESTER_GRAMMAR",
                concat!(env!("CARGO_MANIFEST_DIR"), "/../grammars/json.ebnf"),
            );
        });
        Mutator(afl_custom_init(null_mut(), seed))
    }

    fn fuzz(&self, text: &[u8], other: Option<&[u8]>, max: usize) -> &[u8] {
        let other = other.map_or((null(), 0), |other| (other.as_ptr(), other.len()));
        let mut out = null();
        // SAFETY: all pointers are valid; the result is borrowed from `self` and lives until the
        // next call.
        unsafe {
            let size = afl_custom_fuzz(
                self.0,
                text.as_ptr(),
                text.len(),
                &raw mut out,
                other.0,
                other.1,
                max,
            );
            bytes(out, size)
        }
    }

    fn describe(&self, max: usize) -> &str {
        // SAFETY: the pointers are valid, as those of AFL++ are.
        unsafe {
            CStr::from_ptr(afl_custom_describe(self.0, max))
                .to_str()
                .unwrap()
        }
    }

    fn queue(&self, file: &Path) -> u8 {
        let file = CString::new(file.as_os_str().as_bytes()).unwrap();
        // SAFETY: the pointers are valid, as those of AFL++ are.
        unsafe { afl_custom_queue_new_entry(self.0, file.as_ptr(), null()) }
    }
}

impl Drop for Mutator {
    fn drop(&mut self) {
        // SAFETY: this is the last call with this pointer.
        unsafe { afl_custom_deinit(self.0) }
    }
}

const TEXTS: [&[u8]; 5] = [
    b"[1, 2, {\"a\": \"b\"}]",
    b"null",
    b"",
    b"\xFF\0",
    b"{\"a\": {\"b\": {\"c\": [1.5, true, [], {}]}}}",
];

#[test]
fn mutants_are_described_and_queue_files_stay_unchanged() {
    let mutator = Mutator::new(1);
    let file = std::env::temp_dir().join(format!("zester-afl-{}", std::process::id()));
    let mut empty = 0;
    for (at, text) in TEXTS.into_iter().cycle().take(500).enumerate() {
        let other = (at % 2 == 0).then_some(TEXTS[at % TEXTS.len()]);
        let mutant = mutator.fuzz(text, other, 1 << 20).to_vec();
        // An edit may remove all of a short text. AFL++ skips an empty one.
        empty += u32::from(mutant.is_empty());
        assert!(mutator.describe(100).starts_with("op:zester-"));
        assert_eq!(mutator.describe(4), "op:z");
        std::fs::write(&file, &mutant).unwrap();
        assert_eq!(mutator.queue(&file), 0);
        assert_eq!(std::fs::read(&file).unwrap(), mutant);
    }
    assert!(empty < 10, "{empty} of 500 results are empty");
    std::fs::remove_file(&file).unwrap();
    assert_eq!(mutator.queue(&file), 0);
    assert!(mutator.fuzz(TEXTS[0], None, 3).len() <= 3);
    assert!(mutator.fuzz(TEXTS[0], None, 0).is_empty());
}

#[test]
fn equal_seeds_give_equal_results() {
    let run = |seed| {
        let mutator = Mutator::new(seed);
        let mut all = vec![TEXTS[0].to_vec()];
        (0..100).for_each(|at| all.push(mutator.fuzz(&all[at], Some(TEXTS[4]), 500).to_vec()));
        all
    };
    assert_eq!(run(3), run(3));
    assert_ne!(run(3), run(4));
}

#[test]
fn trimming_ends_and_returns_only_shorter_texts() {
    let mutator = Mutator::new(2);
    for text in TEXTS {
        // SAFETY: the pointers are valid, as those of AFL++ are.
        unsafe {
            let steps = afl_custom_init_trim(mutator.0, text.as_ptr(), text.len());
            let (mut step, mut shortest) = (0, text.len());
            while step < steps {
                let mut out = null();
                let size = afl_custom_trim(mutator.0, &raw mut out);
                assert!(!out.is_null() && (size == 0 || size < shortest));
                if size > 0 {
                    shortest = size;
                }
                let next = afl_custom_post_trim(mutator.0, u8::from(size > 0));
                assert!(next > step);
                step = next;
            }
            assert!(steps > 0 || text != TEXTS[0] && shortest == text.len());
            assert!(
                steps == 0 || shortest < 8,
                "{}",
                String::from_utf8_lossy(text)
            );
        }
    }
}

#[test]
fn nothing_is_allocated_once_all_texts_are_cached() {
    let mutator = Mutator::new(9);
    let round = || {
        for (at, text) in TEXTS.into_iter().cycle().take(2_000).enumerate() {
            mutator.fuzz(text, Some(TEXTS[at % 3]), 1 << 20);
            mutator.describe(100);
        }
    };
    // The first rounds let the buffers grow to the size of the longest result.
    (0..30).for_each(|_| round());
    let count = measure(round).count_total;
    // A few allocations are allowed, because a result may be longer than all results before it.
    assert!(count <= 4, "{count} allocations in 2,000 calls");
}
