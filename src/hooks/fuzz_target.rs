//! The macro that defines a fuzz target: the hooks that libFuzzer looks for, with a body.

/// Defines a fuzz target whose inputs are sentences of a grammar, or values of a type.
///
/// The path is relative to the file that holds the macro. The body returns [`Validity`](crate::Validity), `bool`, a `Result`
/// (`Ok` is valid) or nothing (unknown).
///
/// ```ignore
/// #![no_main]
/// zester::fuzz_target!(grammar: "../grammars/json.ebnf", |text: &str| {
///     serde_json::from_str::<serde_json::Value>(text)
/// });
/// ```
///
/// With `|bytes: &[u8]|` the grammar may derive any bytes; with `&str` one that can derive other than UTF-8 is refused at start.
///
/// `seeds:` names a directory of texts that people wrote, relative to the package: at start their parameters are written to the
/// corpus, as `ZESTER_SEEDS=DIR` does, which comes first.
///
/// ```ignore
/// zester::fuzz_target!(grammar: "../grammars/json.ebnf", seeds: "../tests/data", |text: &str| parse(text).is_ok());
/// ```
///
/// `weights:` names a file that `zester learn` wrote, relative to the file that holds the macro: what mutations write anew is drawn
/// by these weights, by their inverse and by neither, in the shares that `ZESTER_MIX` says. `ZESTER_WEIGHTS=FILE` comes first.
///
/// ```ignore
/// zester::fuzz_target!(grammar: "../grammars/json.ebnf", weights: "../json.weights", |text: &str| parse(text).is_ok());
/// ```
///
/// `post_process:` names a function that changes every sentence before the body sees it: it sets checksums, lengths,
/// or tags that must match. It must depend on nothing but the sentence. It takes `&mut String`, or `&mut Vec<u8>` if the body
/// takes bytes; `cargo fuzz fmt` shows what it leaves, and so does `zester decode`, given the built target for a grammar.
///
/// ```ignore
/// zester::fuzz_target!(grammar: "../grammars/packet.ebnf", post_process: set_checksum, |bytes: &[u8]| packet::parse(bytes));
/// ```
///
/// Without a grammar, the input is a value of any type with [`Arbitrary`](crate::arbitrary::Arbitrary) and `Debug`, a program
/// that reads parameters, as Zest's generators are: validity guides the search as it does for sentences. Corpora are those of
/// `libfuzzer_sys::fuzz_target!`. A [`Sentence`](crate::Sentence) can be a part of the value, and is mutated by its grammar.
/// `#[derive(Arbitrary)]` is behind zester's feature `derive`.
///
/// ```ignore
/// zester::fuzz_target!(|calls: Vec<Call>| replay(calls).is_ok());
/// ```
#[macro_export]
macro_rules! fuzz_target {
    (
        grammar: $grammar:literal,
        $(seeds: $seeds:literal,)?
        $(weights: $weights:literal,)?
        $(post_process: $post:path,)?
        |$text:ident: &str| $body:expr
    ) => {
        $crate::fuzz_target!(
            @sentence $grammar, true,
            [
                $(.seeds(concat!(env!("CARGO_MANIFEST_DIR"), "/", $seeds)))?
                $(.weights($weights, include_str!($weights)))?
                $(.post_process(|sentence| $crate::hooks::post_process_text(sentence, $post)))?
            ],
            sentence,
            {
                let $text: &str = ::core::str::from_utf8(sentence).expect("a grammar of text derives UTF-8");
                $body
            }
        );
    };
    (
        grammar: $grammar:literal,
        $(seeds: $seeds:literal,)?
        $(weights: $weights:literal,)?
        $(post_process: $post:path,)?
        |$bytes:ident: &[u8]| $body:expr
    ) => {
        $crate::fuzz_target!(
            @sentence $grammar, false,
            [
                $(.seeds(concat!(env!("CARGO_MANIFEST_DIR"), "/", $seeds)))?
                $(.weights($weights, include_str!($weights)))?
                $(.post_process($post))?
            ],
            sentence,
            {
                let $bytes: &[u8] = sentence;
                $body
            }
        );
    };
    (|$value:ident: $type:ty| $body:expr) => {
        const _: () = {
            static TARGET: $crate::hooks::Target =
                $crate::hooks::Target::value(stringify!($type), body, |bytes| $crate::hooks::show::<$type>(bytes), |bytes| {
                    $crate::hooks::make::<$type>(bytes);
                });

            #[inline(never)]
            fn body(bytes: &[u8]) -> Option<$crate::Validity> {
                let $value: $type = $crate::hooks::value(bytes)?;
                #[allow(clippy::redundant_closure_call)]
                Some($crate::Validity::from((move || $body)()))
            }

            $crate::fuzz_target!(@hooks);
        };
    };
    (@sentence $grammar:literal, $text:literal, [$($option:tt)*], $sentence:ident, $body:expr) => {
        const _: () = {
            static SOURCE: $crate::language::Source = $crate::language::Source::new($grammar, include_bytes!($grammar));
            static TARGET: $crate::hooks::Target = $crate::hooks::Target::sentence(&SOURCE, $text, body) $($option)*;

            #[inline(never)]
            fn body($sentence: &[u8]) -> $crate::Validity {
                #[allow(clippy::redundant_closure_call)]
                $crate::Validity::from((move || $body)())
            }

            $crate::fuzz_target!(@hooks);
        };
    };
    (@hooks) => {
        #[cfg(target_os = "linux")]
        #[used]
        #[unsafe(link_section = ".init_array.00001")]
        static EARLY: extern "C" fn() = $crate::hooks::early;

        #[unsafe(no_mangle)]
        pub extern "C" fn LLVMFuzzerInitialize(argc: *const isize, argv: *const *const *const u8) -> isize {
            $crate::libfuzzer_sys::initialize(argc, argv);
            // SAFETY: libFuzzer calls this once, with its own.
            let arguments = unsafe { $crate::hooks::Arguments::new(argc, argv) };
            $crate::hooks::initialize(&TARGET, arguments);
            0
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn rust_fuzzer_test_input(bytes: &[u8]) -> i32 {
            $crate::hooks::run(&TARGET, bytes)
        }

        $crate::libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            $crate::hooks::mutate(&TARGET, data, size, max_size, seed, $crate::libfuzzer_sys::fuzzer_mutate)
        });

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn LLVMFuzzerCustomCrossOver(
            first: *const u8,
            first_size: usize,
            second: *const u8,
            second_size: usize,
            out: *mut u8,
            max_size: usize,
            seed: ::core::ffi::c_uint,
        ) -> usize {
            // SAFETY: libFuzzer's, handed through.
            let crossing = unsafe { $crate::hooks::Crossing::new((first, first_size), (second, second_size), (out, max_size)) };
            $crate::hooks::cross_over(&TARGET, crossing, seed, $crate::libfuzzer_sys::fuzzer_mutate)
        }
    };
}
