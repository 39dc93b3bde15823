//! The macro that defines a fuzz target: the functions that libFuzzer calls, with a body.

/// Defines a fuzz target whose inputs are sentences of a grammar, or values of a type.
///
/// The path of the grammar is relative to the source file with the macro. The body returns a
/// [`Validity`](crate::Validity), a `bool` (`true` is valid), a `Result` (`Ok` is valid) or nothing
/// (the validity is unknown). The type of the result can be written, as for any closure:
/// `|text: &str| -> Result<(), Error> { … }`.
///
/// The error of a `Result` is also the *reason* for which the program rejected the sentence. `zester run
/// --reasons` and `zester why` group sentences by their reasons. The error is formatted only for these
/// commands, never while fuzzing. Any other body can call [`report_reason`](crate::report_reason). A body
/// that checks the answer of the program uses an [oracle](crate::oracle), or calls [`fail`](crate::fail).
///
/// ```ignore
/// #![no_main]
/// zester::fuzz_target!(grammar: "../grammars/json.ebnf", |text: &str| {
///     serde_json::from_str::<serde_json::Value>(text)
/// });
/// ```
///
/// With `|bytes: &[u8]|` the grammar may derive any bytes. With `|text: &str|` it must derive only
/// UTF-8; otherwise the target ends at start with an error message.
///
/// # Seeds
///
/// `seeds:` names a directory of texts, relative to the package. At start, the texts are encoded,
/// and their parameters are written to the corpus. The setting `ZESTER_SEEDS=DIR` replaces the
/// directory.
///
/// ```ignore
/// zester::fuzz_target!(grammar: "../grammars/json.ebnf", seeds: "../tests/data", |text: &str| parse(text).is_ok());
/// ```
///
/// # Post-processing
///
/// `post_process:` names a function that changes every sentence before the body reads it. For
/// example, it sets checksums, lengths, or tags that must match. Its result must depend only on the
/// sentence. It takes `&mut String`, or `&mut Vec<u8>` if the body takes bytes. `cargo fuzz fmt`
/// and `zester decode TARGET` print its result. It is not applied to inputs that are texts
/// (`ZESTER_TEXT=1`, `zester run`).
///
/// `pre_process:` names the inverse function. It changes an existing text, such as a real packet,
/// to the text that the grammar derives. It is applied before a text is parsed, for `seeds:`,
/// `ZESTER_SEEDS` and `ZESTER_ENCODE`. It should not change a text that it cannot process; the
/// parser then reports why the grammar does not derive the text.
///
/// ```ignore
/// zester::fuzz_target!(
///     grammar: "../grammars/packet.ebnf",
///     post_process: set_checksum,
///     pre_process: cut_checksum,
///     |bytes: &[u8]| packet::parse(bytes)
/// );
/// ```
///
/// # Equivalent sentences
///
/// With `equal: true`, the program also reads equivalent sentences. An `@equal` line of the grammar
/// makes them, or they have other layout or other declared names. If the program refuses an
/// equivalent sentence, or if the value of `Ok` differs, zester reports a disagreement, as an
/// [oracle](crate::oracle) does. Values are compared by their `{:?}` forms; see
/// [`outcome`](crate::outcome).
///
/// ```ignore
/// zester::fuzz_target!(grammar: "../grammars/calc.ebnf", equal: true, |text: &str| evaluate(text));
/// ```
///
/// # Values
///
/// Without a grammar, the input is a value of any type that implements
/// [`Arbitrary`](crate::arbitrary::Arbitrary) and `Debug`. Validity guides the search as it does
/// for sentences. The corpus is compatible with that of `libfuzzer_sys::fuzz_target!`. The value
/// may contain a [`Sentence`](crate::Sentence), which is mutated by its grammar.
/// `#[derive(Arbitrary)]` needs zester's feature `derive`.
///
/// ```ignore
/// zester::fuzz_target!(|calls: Vec<Call>| replay(calls).is_ok());
/// ```
///
/// # Generators
///
/// `rng:` is a function that draws the input from a random number generator
/// ([`ParameterRng`](crate::generator::ParameterRng)), by the crate `rand`. The type of the input must
/// implement `Debug`. The bytes of an input are the random numbers. Mutation replaces what one call of a function has
/// drawn, and changes single draws.
///
/// ```ignore
/// zester::fuzz_target!(rng: |rng| expression(rng, 3), |e: Expr| evaluate(&e).is_ok());
/// ```
///
/// `strategy:` is a strategy of the crate `proptest`, on which your crate must depend. Strategies in
/// [`region!`](crate::region!) are replaced as a whole. An input that the strategy rejects, as by
/// `prop_filter`, is invalid. See [the chapter](crate::guide_generators).
///
/// ```ignore
/// zester::fuzz_target!(strategy: expression(3), |e: Expr| evaluate(&e).is_ok());
/// ```
#[macro_export]
macro_rules! fuzz_target {
    (
        grammar: $grammar:literal,
        $(seeds: $seeds:literal,)?
        $(post_process: $post:path,)?
        $(pre_process: $pre:path,)?
        $(equal: $equal:literal,)?
        |$text:ident: &str| $($body:tt)+
    ) => {
        $crate::fuzz_target!(
            @sentence $grammar, true,
            [
                $(.seeds(concat!(env!("CARGO_MANIFEST_DIR"), "/", $seeds)))?
                $(.post_process(|sentence| $crate::hooks::change_text(sentence, $post)))?
                $(.pre_process(|text| $crate::hooks::change_text(text, $pre)))?
                $(.equal($equal))?
            ],
            sentence,
            [let $text: &str = ::core::str::from_utf8(sentence).expect("a grammar of text derives UTF-8");],
            $($body)+
        );
    };
    (
        grammar: $grammar:literal,
        $(seeds: $seeds:literal,)?
        $(post_process: $post:path,)?
        $(pre_process: $pre:path,)?
        $(equal: $equal:literal,)?
        |$bytes:ident: &[u8]| $($body:tt)+
    ) => {
        $crate::fuzz_target!(
            @sentence $grammar, false,
            [
                $(.seeds(concat!(env!("CARGO_MANIFEST_DIR"), "/", $seeds)))?
                $(.post_process($post))?
                $(.pre_process($pre))?
                $(.equal($equal))?
            ],
            sentence,
            [let $bytes: &[u8] = sentence;],
            $($body)+
        );
    };
    (|$value:ident: $type:ty| $($body:tt)+) => {
        // The body can name any item of the user's file. So the items in this block have names that
        // no file uses.
        const _: () = {
            static __ZESTER_TARGET: $crate::hooks::Target =
                $crate::hooks::Target::value(stringify!($type), false, __zester_body, |bytes| $crate::hooks::show::<$type>(bytes), |bytes| {
                    $crate::hooks::make::<$type>(bytes);
                });

            #[inline(never)]
            fn __zester_body(bytes: &[u8]) -> ::core::option::Option<$crate::Validity> {
                let $value: $type = $crate::hooks::value(bytes)?;
                ::core::option::Option::Some($crate::fuzz_target!(@validity $($body)+))
            }

            $crate::fuzz_target!(@hooks);
        };
    };
    (rng: $generator:expr, |$value:ident: $type:ty| $($body:tt)+) => {
        const _: () = {
            fn __zester_draw(bytes: &[u8]) -> ::core::option::Option<$type> {
                $crate::generator::draw(bytes, $generator)
            }

            $crate::fuzz_target!(@generated $value, $type, $($body)+);
        };
    };
    (strategy: $strategy:expr, |$value:ident: $type:ty| $($body:tt)+) => {
        const _: () = {
            $crate::__zester_strategy!(__zester_draw, $strategy, $type);
            $crate::fuzz_target!(@generated $value, $type, $($body)+);
        };
    };
    (@generated $value:ident, $type:ty, $($body:tt)+) => {
        static __ZESTER_TARGET: $crate::hooks::Target = $crate::hooks::Target::value(
            stringify!($type),
            true,
            __zester_body,
            |bytes| $crate::hooks::show_drawn(__zester_draw(bytes)),
            |bytes| drop(__zester_draw(bytes)),
        );

        #[inline(never)]
        fn __zester_body(bytes: &[u8]) -> ::core::option::Option<$crate::Validity> {
            let ::core::option::Option::Some($value) = $crate::hooks::drawn(__zester_draw(bytes)) else {
                return ::core::option::Option::Some($crate::Validity::Invalid);
            };
            ::core::option::Option::Some($crate::fuzz_target!(@validity $($body)+))
        }

        $crate::fuzz_target!(@hooks);
    };
    (@sentence $grammar:literal, $text:literal, [$($option:tt)*], $sentence:ident, [$($input:tt)+], $($body:tt)+) => {
        const _: () = {
            static __ZESTER_SOURCE: $crate::language::GrammarSource = $crate::language::GrammarSource::new($grammar, include_bytes!($grammar));
            static __ZESTER_TARGET: $crate::hooks::Target = $crate::hooks::Target::sentence(&__ZESTER_SOURCE, $text, __zester_body) $($option)*;

            #[inline(never)]
            fn __zester_body($sentence: &[u8]) -> $crate::Validity {
                $($input)+
                $crate::fuzz_target!(@validity $($body)+)
            }

            $crate::fuzz_target!(@hooks);
        };
    };
    (@validity $($body:tt)+) => {{
        #[allow(unused_imports)]
        use $crate::hooks::{ByConversion as _, ByDebug as _, ByDisplay as _, ByError as _, ByNothing as _};
        #[allow(unused_imports)]
        use $crate::hooks::{ByNoValue as _, BySilence as _, ByValue as _};
        // The method of the first trait that fits the result is called.
        #[allow(clippy::redundant_closure_call, clippy::needless_borrow, clippy::let_unit_value)]
        {
            let result = (move || $($body)+)();
            (&&&$crate::hooks::ResultToRecord(&result)).record();
            (&&&&&$crate::hooks::Verdict::new(result)).validity()
        }
    }};
    (@hooks) => {
        #[cfg(target_os = "linux")]
        #[used]
        #[unsafe(link_section = ".init_array.00001")]
        static __ZESTER_EARLY: extern "C" fn() = $crate::hooks::early;

        #[unsafe(no_mangle)]
        pub extern "C" fn LLVMFuzzerInitialize(argc: *const isize, argv: *const *const *const u8) -> isize {
            $crate::libfuzzer_sys::initialize(argc, argv);
            // SAFETY: the pointers must be those that the engine passed to this function, and they
            // are. It has not returned yet.
            let arguments = unsafe { $crate::hooks::Arguments::new(argc, argv) };
            $crate::hooks::initialize(&__ZESTER_TARGET, arguments);
            0
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn rust_fuzzer_test_input(bytes: &[u8]) -> i32 {
            $crate::hooks::run(&__ZESTER_TARGET, bytes)
        }

        $crate::libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            let native = $crate::libfuzzer_sys::fuzzer_mutate;
            $crate::hooks::mutate(&__ZESTER_TARGET, data, size, $crate::hooks::MutationCall { max_size, seed, native })
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
            // SAFETY: the buffers must have these sizes and must not overlap, which libFuzzer
            // guarantees until this function returns.
            let crossing = unsafe { $crate::hooks::Crossing::new((first, first_size), (second, second_size), (out, max_size)) };
            $crate::hooks::cross_over(&__ZESTER_TARGET, crossing, seed, $crate::libfuzzer_sys::fuzzer_mutate)
        }
    };
}
