//! Boa 0.21.0; valid is what runs without an uncaught exception.
#![no_main]

#[path = "../subjects/src/javascript/machine.rs"]
mod machine;

use boa_engine::JsError;
use std::any::Any;
use std::panic;
use std::sync::Once;

zester::fuzz_target!(grammar: "../../grammars/javascript.ebnf", |text: &str| run(text));

/// Runs the script.
///
/// Some builtins of this version panic when a limit stops what they call. That is an error of meaning, too: the hooks of
/// panics, which end the process, see the other panics only.
fn run(text: &str) -> Result<(), String> {
    static HOOKED: Once = Once::new();
    HOOKED.call_once(|| {
        let next = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !is_of_limit(panic.payload()) {
                next(panic)
            }
        }));
    });
    panic::catch_unwind(|| machine::run(text)).unwrap_or_else(|_| Err("zester: a limit".to_owned()))
}

/// What tells of a limit in the message of a panic: an error that nothing else makes, or the assertion that an asynchronous
/// generator does not throw, for the generator catches all other errors.
const LIMITS: [&str; 3] = ["RuntimeLimit", "NoInstructionsRemain", "!result.is_throw_completion()"];

fn is_of_limit(panic: &(dyn Any + Send)) -> bool {
    let message = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
    message.is_some_and(|message| LIMITS.iter().any(|limit| message.contains(limit)))
}

fn thrown(error: &JsError) -> String {
    error.to_string()
}
