//! A test program that is itself the fuzz target that its tests run.

use zester::hooks::{self, Arguments, Target};

/// The function that libFuzzer would call.
type OneInput = extern "C" fn(*const u8, usize) -> i32;

/// Serves inputs as a fuzz target if the environment asks for that. Returns whether it did.
pub fn serve(target: &'static Target, one_input: OneInput) -> bool {
    let asks = ["ZESTER_SERVE", "ZESTER_DECODE", "ZESTER_GRAMMAR_OUT"];
    if !asks.iter().any(|name| std::env::var_os(name).is_some()) {
        return false;
    }
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
    one_input(std::ptr::null(), 0);
    true
}
