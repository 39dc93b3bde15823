//! A macro for functions that SanitizerCoverage must leave alone.
//!
//! `cargo fuzz` compiles every crate with SanitizerCoverage, zester too. Instrumented decoding would count as coverage of the
//! program under test, and would run several times slower. SanitizerCoverage skips functions whose symbol begins with
//! `__sanitizer_` (LLVM's `ModuleSanitizerCoverage::instrumentFunction`). So every entry point of a hot path is defined with
//! [`uninstrumented!`], and what it calls is either `#[inline(always)]` or such a function itself.
//!
//! Guarantees: a function `f` defined by the macro has the symbol `__sanitizer_zester_f` and is never inlined into its callers,
//! which may be instrumented.
//!
//! Not guaranteed: that its callees are not instrumented; a callee that is neither `#[inline(always)]` nor uninstrumented is.
//! LLVM may merge two functions of identical body, and one of them then loses its symbol: keep the bodies distinct.

/// Defines a function that SanitizerCoverage does not instrument. The function cannot be generic, and its name must be unique
/// among all functions that are defined by this macro.
macro_rules! uninstrumented {
    ($(#[$attribute:meta])* $visibility:vis fn $name:ident $($rest:tt)*) => {
        $(#[$attribute])*
        #[inline(never)]
        // SAFETY: an exported symbol must not be defined twice. The prefix is zester's alone, and the linker refuses two
        // functions of the same name behind it.
        #[allow(unsafe_code)]
        #[unsafe(export_name = concat!("__sanitizer_zester_", stringify!($name)))]
        $visibility fn $name $($rest)*
    };
}

pub(crate) use uninstrumented;
