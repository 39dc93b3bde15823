//! A macro for functions that SanitizerCoverage must not instrument.
//!
//! `cargo fuzz` compiles every crate with SanitizerCoverage, including zester. Instrumented
//! decoding would count as coverage of the program under test, and would run several times slower.
//! SanitizerCoverage skips functions whose symbol begins with `__sanitizer_` (LLVM's
//! `ModuleSanitizerCoverage::instrumentFunction`). So every entry point of a hot path is defined
//! with [`uninstrumented!`]. Each function that it calls is either `#[inline(always)]` or defined
//! with this macro, too.
//!
//! # Guarantees
//!
//! A function `f` that the macro defines has the symbol `__sanitizer_zester_f`. It is never inlined
//! into its callers, which may be instrumented.
//!
//! # Not guaranteed
//!
//! * A callee that is neither `#[inline(always)]` nor uninstrumented is instrumented.
//! * LLVM may merge two functions with identical bodies. Then one of them loses its symbol and is
//!   instrumented. So the bodies must differ.

/// Defines a function that SanitizerCoverage does not instrument. The function cannot be generic.
/// Its name must be unique among all functions that this macro defines.
///
/// A method of a trait has the same name for every type. So its symbol needs a prefix:
/// `uninstrumented! { sampler: fn enter(...) {...} }` defines the symbol
/// `__sanitizer_zester_sampler_enter`.
macro_rules! uninstrumented {
    ($prefix:ident: $(fn $name:ident $arguments:tt $(-> $result:ty)? $body:block)*) => {
        $(
            #[inline(never)]
            // SAFETY: an exported symbol must not be defined twice. Only zester defines symbols
            // that begin with `__sanitizer_zester_`, every type has another `$prefix`, and the
            // linker refuses a symbol that is defined twice.
            #[allow(unsafe_code)]
            #[unsafe(export_name = concat!("__sanitizer_zester_", stringify!($prefix), "_", stringify!($name)))]
            fn $name $arguments $(-> $result)? $body
        )*
    };
    ($(#[$attribute:meta])* $visibility:vis fn $name:ident $($rest:tt)*) => {
        $(#[$attribute])*
        #[inline(never)]
        // SAFETY: an exported symbol must not be defined twice. Only zester defines symbols that
        // begin with `__sanitizer_zester_`, and the linker refuses a symbol that is defined twice.
        #[allow(unsafe_code)]
        #[unsafe(export_name = concat!("__sanitizer_zester_", stringify!($name)))]
        $visibility fn $name $($rest)*
    };
}

pub(crate) use uninstrumented;
