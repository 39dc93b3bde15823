//! A test program that is itself the fuzz target that its tests run.

#![allow(unsafe_code)]

use std::sync::OnceLock;

use zester::hooks::{self, Arguments, Target};

static TARGET: OnceLock<&'static Target> = OnceLock::new();

/// The function that libFuzzer would call.
#[unsafe(no_mangle)]
extern "C" fn LLVMFuzzerTestOneInput(data: *const u8, size: usize) -> i32 {
    let bytes = match size {
        0 => &[],
        // SAFETY: the caller gives a buffer of this size, which it keeps during the call.
        _ => unsafe { std::slice::from_raw_parts(data, size) },
    };
    hooks::run(TARGET.get().expect("`serve` sets it"), bytes)
}

/// Serves inputs as a fuzz target if the environment asks for that. Returns whether it did.
pub fn serve(target: &'static Target) -> bool {
    let asks = ["ZESTER_SERVE", "ZESTER_DECODE", "ZESTER_GRAMMAR_OUT"];
    if !asks.iter().any(|name| std::env::var_os(name).is_some()) {
        return false;
    }
    let _ = TARGET.set(target);
    // libfuzzer-sys aborts after a panic, too.
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        print(panic);
        std::process::abort();
    }));
    // SAFETY: null pointers stand for no arguments, and are not followed.
    hooks::initialize(target, unsafe {
        Arguments::new(std::ptr::null(), std::ptr::null())
    });
    LLVMFuzzerTestOneInput(std::ptr::null(), 0);
    true
}
