//! Fuzzes alloy-dyn-abi 1.6.0 with the crate's own strategy of types and values.
//!
//! Few values match the type that is drawn with them. Such a value must be the same after it was encoded and
//! decoded. Known fault: a tuple also matches a type with fewer or more parts
//! (<https://github.com/alloy-rs/core/pull/1137>).
#![no_main]

use alloy_dyn_abi::{DynSolType, DynSolValue};
use proptest::prelude::*;

zester::fuzz_target!(strategy: any::<(DynSolType, DynSolValue)>(), |input: (DynSolType, DynSolValue)| {
    let (of, value) = input;
    if !of.matches(&value) {
        return false;
    }
    assert!(
        of.abi_decode(&value.abi_encode()).is_ok_and(|again| again == value),
        "the known fault"
    );
    true
});
