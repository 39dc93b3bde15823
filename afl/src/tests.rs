//! The functions as AFL++ calls them.

use std::ffi::CString;
use std::ptr::null_mut;
use std::sync::Once;

use allocation_counter::measure;

use super::*;

/// A mutator of JSON.
struct Mutator(*mut c_void);

impl Mutator {
    fn new(seed: c_uint) -> Mutator {
        static GRAMMAR: Once = Once::new();
        // SAFETY: nobody reads the environment before this is done.
        GRAMMAR.call_once(|| unsafe {
            std::env::set_var("ZESTER_GRAMMAR", concat!(env!("CARGO_MANIFEST_DIR"), "/../grammars/json.ebnf"));
        });
        Mutator(afl_custom_init(null_mut(), seed))
    }

    fn fuzz(&self, text: &[u8], other: Option<&[u8]>, most: usize) -> &[u8] {
        let other = other.map_or((null(), 0), |other| (other.as_ptr(), other.len()));
        let mut out = null();
        // SAFETY: as AFL++ does; the result lives until the next call.
        unsafe {
            let size = afl_custom_fuzz(self.0, text.as_ptr(), text.len(), &raw mut out, other.0, other.1, most);
            bytes(out, size)
        }
    }

    fn describe(&self, most: usize) -> &str {
        // SAFETY: as AFL++ does.
        unsafe { CStr::from_ptr(afl_custom_describe(self.0, most)).to_str().unwrap() }
    }

    fn keep(&self, file: &Path) -> u8 {
        let file = CString::new(file.as_os_str().as_bytes()).unwrap();
        // SAFETY: as AFL++ does.
        unsafe { afl_custom_queue_new_entry(self.0, file.as_ptr(), null()) }
    }
}

impl Drop for Mutator {
    fn drop(&mut self) {
        // SAFETY: the last call.
        unsafe { afl_custom_deinit(self.0) }
    }
}

const TEXTS: [&[u8]; 5] = [b"[1, 2, {\"a\": \"b\"}]", b"null", b"", b"\xFF\0", b"{\"a\": {\"b\": {\"c\": [1.5, true, [], {}]}}}"];

#[test]
fn a_mutant_is_named_and_kept() {
    let mutator = Mutator::new(1);
    let file = std::env::temp_dir().join(format!("zester-afl-{}", std::process::id()));
    for (at, text) in TEXTS.into_iter().cycle().take(500).enumerate() {
        let other = (at % 2 == 0).then_some(TEXTS[at % TEXTS.len()]);
        let mutant = mutator.fuzz(text, other, 1 << 20).to_vec();
        assert!(!mutant.is_empty());
        assert!(mutator.describe(100).starts_with("op:zester-"));
        assert_eq!(mutator.describe(4), "op:z");
        std::fs::write(&file, &mutant).unwrap();
        assert_eq!(mutator.keep(&file), 0);
        assert_eq!(std::fs::read(&file).unwrap(), mutant);
    }
    std::fs::remove_file(&file).unwrap();
    assert_eq!(mutator.keep(&file), 0);
    assert!(mutator.fuzz(TEXTS[0], None, 3).len() <= 3);
    assert!(mutator.fuzz(TEXTS[0], None, 0).is_empty());
}

#[test]
fn a_seed_means_the_same_results() {
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
fn trimming_ends_and_hands_back_what_is_shorter() {
    let mutator = Mutator::new(2);
    for text in TEXTS {
        // SAFETY: as AFL++ does.
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
            assert!(steps == 0 || shortest < 8, "{}", String::from_utf8_lossy(text));
        }
    }
}

#[test]
fn nothing_is_allocated_once_texts_are_known() {
    let mutator = Mutator::new(9);
    let round = || {
        for (at, text) in TEXTS.into_iter().cycle().take(2_000).enumerate() {
            mutator.fuzz(text, Some(TEXTS[at % 3]), 1 << 20);
            mutator.describe(100);
        }
    };
    // Buffers grow to what the longest result needs.
    (0..30).for_each(|_| round());
    let count = measure(round).count_total;
    // A result may be longer than any before.
    assert!(count <= 4, "{count} allocations in 2,000 calls");
}
